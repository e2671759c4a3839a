// A plan as text, and what each of its steps costs: the bytes it may touch and its arithmetic
// operations, and so, on a machine of known limits, the least time it can take and which limit
// gives it.
//
// Bytes are those of the views it reads and writes, once each: a kernel that reads only part of an
// operand (gather, pages of keys and values) touches fewer. An operation is an addition, a
// multiplication, a comparison or a call of a function, of one element; a multiplication and an
// addition in one instruction are two. A nest counts its instructions; a kernel what its op needs
// by definition, or one for each element. What moves data only counts none.
#include "cpu/plan.h"

#include <math.h>

#include "cpu/nest.h"

typedef struct cost {
  double bytes, ops;
} cost;

static double count_of(tl_value v) { return (double)type_count(v->type); }

// Of the scalars of a nest: all but the moves that select and convert are.
static double nest_ops(const loop_nest *n) {
  double kept = 1, all = 1, ops = 0;
  for (uint32_t d = 0; d < n->n_dims; d++)
    *(d < n->n_kept ? &kept : &all) *= (double)n->extent[d];
  all *= kept;
  for (uint32_t i = 0; i < n->n_insts; i++) {
    const loop_inst *at = &n->insts[i];
    const bool counts =
        (at->kind == LOOP_SCALAR && at->op != TL_SCALAR_SELECT && at->op != TL_SCALAR_CONVERT) ||
        at->kind == LOOP_REF || at->kind == LOOP_COMPLEX;
    if (counts && at->section != LOOP_HEAD) ops += at->section == LOOP_TAIL ? kept : all;
  }
  return ops + (n->reduce == LOOP_SUM ? all : n->reduce == LOOP_DOT ? 2 * all : 0);
}

static double dot_ops(const tl_op *op) {
  const tl_type a = op->operands[0]->type;
  const tl_i64s dims = tl_op_list(op, TL_A_DOT_GENERAL_lhs_contracting_dimensions);
  double terms = 1;
  for (size_t i = 0; i < dims.len; i++)
    terms *= (double)a.dims[dims.ptr[i]];
  return 2 * terms * (double)type_count(op->results[0]->type);
}

// Operations of an op that a kernel runs.
static double kernel_ops(const tl_op *op) {
  if (!op) return 0; // a copy
  double out = 0;
  const double in = op->n_operands ? count_of(op->operands[0]) : 0;
  for (uint32_t i = 0; i < op->n_results; i++)
    out = TL_MAX(out, count_of(op->results[i]));
  const tl_type first = op->n_operands ? op->operands[0]->type : (tl_type){0};
  const double last = first.rank ? (double)first.dims[first.rank - 1] : 1;
  switch (op->code) {
  case TL_OP_DOT_GENERAL:
    return dot_ops(op);
  case TL_OP_CONVOLUTION: {
    const tl_type kernel = op->operands[1]->type;
    const int64_t features =
        kernel.dims[tl_op_i64(op, TL_A_CONVOLUTION_kernel_output_feature_dimension)];
    return 2 * out * count_of(op->operands[1]) / (double)TL_MAX(features, (int64_t)1);
  }
  case TL_OP_QUANTIZED_MATMUL:
  case TL_OP_INT8_MATMUL:
  case TL_OP_BF16_MATMUL:
    return 2 * out * last;
  case TL_OP_PAGED_ATTENTION: { // q, keys and values in pages, the pages of each sequence
    const tl_type page = op->operands[1]->type, table = op->operands[3]->type;
    return 4 * out * (double)page.dims[1] * (double)table.dims[table.rank - 1];
  }
  case TL_OP_FFT:
    return 5 * in * log2(TL_MAX(last, 2.0));
  case TL_OP_SORT:
    return in * log2(TL_MAX(last, 2.0));
  case TL_OP_CHOLESKY:
    return in * last / 3;
  case TL_OP_TRIANGULAR_SOLVE:
    return out * last;
  case TL_OP_CONSTANT:
  case TL_OP_IOTA:
  case TL_OP_RESHAPE:
  case TL_OP_BITCAST_CONVERT:
  case TL_OP_CONVERT:
  case TL_OP_SLICE:
  case TL_OP_TRANSPOSE:
  case TL_OP_BROADCAST_IN_DIM:
  case TL_OP_CONCATENATE:
  case TL_OP_PAD:
  case TL_OP_REVERSE:
  case TL_OP_GATHER:
  case TL_OP_DYNAMIC_SLICE:
  case TL_OP_DYNAMIC_UPDATE_SLICE:
  case TL_OP_KV_CACHE_WRITE:
  case TL_OP_QUANTIZED_EMBEDDING:
  case TL_OP_PACK_WEIGHTS:
    return 0;
  default:
    return TL_MAX(in, out);
  }
}

static cost cost_of(const plan_step *s) {
  cost c = {0};
  if (s->kind != TL_STEP_RUN) return c; // its steps have theirs
  for (uint32_t i = 0; i < s->n_in; i++)
    c.bytes += (double)s->in[i].size;
  for (uint32_t i = 0; i < s->n_out; i++)
    c.bytes += (double)s->out[i].size;
  const loop_nest *n = nest_of_step(s);
  c.ops = n ? nest_ops(n) : kernel_ops(s->op);
  return c;
}

// Three digits and a prefix: "1.05 MB", "20.1 us".
static void print_number(tl_buf *out, double x, const char *unit) {
  static const char *const prefix[] = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
  size_t i = 3;
  for (; x >= 999.5 && i + 1 < TL_COUNT(prefix); i++)
    x /= 1000;
  for (; x > 0 && x < 0.9995 && i > 0; i--)
    x *= 1000;
  const bool whole = x == floor(x) || x >= 99.5;
  tl_buf_printf(out, "%.*f %s%s", whole ? 0 : x >= 9.95 ? 1 : 2, x, prefix[i], unit);
}

static void print_cost(tl_buf *out, cost c) {
  print_number(out, c.bytes, "B");
  tl_buf_cstr(out, ", ");
  print_number(out, c.ops, "op");
}

// What bounds a cost, and the seconds that it takes at least.
static const char *bound_of(cost c, const tl_cpu_limits *l, double *out_seconds) {
  const double memory = c.bytes / l->bytes_per_second, compute = c.ops / l->ops_per_second;
  *out_seconds = TL_MAX(memory, compute);
  return memory >= compute ? "memory" : "compute";
}

// "  12 |p matmul   in2+0:64 … -> …  [1.05 MB, 134 Mop]": | a barrier before it, p parallel, + done
// to each piece of the result of the step before it, - done for the rows that the step behind it
// takes, e done by each thread, c a loop that is one
// function; then where every operand and result lies, as space, number, + offset, : size.
void tl_cpu_exe_explain(const tl_cpu_exe *exe, const tl_cpu_limits *limits, tl_buf *out) {
  static const char *const spaces[] = {"in", "out", "const", "temp", "local"};
  cost all = {0};
  double seconds, least = 0;
  for (uint32_t i = 0; i < exe->n_steps; i++) {
    const plan_step *s = &exe->steps[i];
    tl_buf_printf(out, "%4u %c%c %-20s", i, s->barrier ? '|' : ' ',
                  s->epilogue   ? '+'
                  : s->prologue ? '-'
                  : s->parallel ? 'p'
                  : s->each     ? 'e'
                  : s->code     ? 'c'
                                : ' ',
                  s->what);
    for (uint32_t j = 0; j < s->n_in + s->n_out; j++) {
      plan_view v = j < s->n_in ? s->in[j] : s->out[j - s->n_in];
      const plan_buf *b = &exe->bufs[v.buf];
      const bool ours = b->space != TL_SPACE_INPUT && b->space != TL_SPACE_OUTPUT;
      tl_buf_printf(out, "%s %s%u+%zu:%zu", j == s->n_in ? " ->" : "", spaces[b->space],
                    ours ? v.buf : b->index, v.offset + b->offset, v.size);
    }
    if (s->kind == TL_STEP_RUN) {
      const cost c = cost_of(s);
      tl_buf_cstr(out, "  [");
      print_cost(out, c);
      if (limits) {
        const char *bound = bound_of(c, limits, &seconds);
        tl_buf_printf(out, ", %s ", bound);
        print_number(out, seconds, "s");
        least += seconds;
      }
      tl_buf_char(out, ']');
      all.bytes += c.bytes, all.ops += c.ops;
    }
    tl_buf_char(out, '\n');
  }
  tl_buf_printf(out,
                "%u steps, %zu interpreted, %zu bytes of temporaries; a thread: %zu of its own, "
                "%zu of scratch; ",
                exe->n_steps, exe->n_interpreted, exe->temp_size, exe->local_size,
                exe->scratch_size);
  print_cost(out, all);
  if (limits) {
    tl_buf_cstr(out, ", at least ");
    print_number(out, least, "s");
  }
  tl_buf_char(out, '\n');
}
