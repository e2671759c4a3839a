#include "cpu/lower.h"

#include <string.h>

#include "base/half.h"
#include "cpu/loop.h"
#include "cpu/nest.h"
#include "cpu/step_nest.h"

// Core ops: constants and views that cost nothing, copies between layouts, elementwise kernels,
// dot_general.

static size_t element_size(tl_type t) { return tl_dtype_get(t.dtype)->size; }

typedef struct fill_params {
  uint8_t element[16];
  size_t size; // of one element
} fill_params;

enum { LAZY_ZERO = 4 << 20 }; // bytes from which zeroes are pages that nobody has touched

static void run_fill(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const fill_params *f = s->params;
  size_t from, to;
  tl_pool_range(s->out[0].size, 4096, part, n_parts, &from, &to);
  uint8_t *out = step_out(s, x, 0);
  bool same = true; // all bytes of the element
  for (size_t i = 1; i < f->size; i++)
    same &= f->element[i] == f->element[0];
  if (same && f->element[0] == 0 && s->out[0].size >= LAZY_ZERO) {
    if (part == 0) tl_mem_zero(out, s->out[0].size);
  } else if (same)
    memset(out + from, f->element[0], to - from);
  else
    for (size_t i = from; i < to; i += f->size)
      memcpy(out + i, f->element, f->size);
}

enum { FILLED = 65536 }; // bytes from which a splat is written when wanted rather than kept

static bool lower_splat(planner *p, const tl_op *op, const tl_literal *lit) {
  fill_params *f = plan_alloc(p, sizeof *f, _Alignof(fill_params));
  plan_view *v = plan_views(p, 1);
  if (p->error) return true;
  f->size = element_size(lit->type);
  memcpy(f->element, lit->data, f->size);
  v[0] = plan_result(p, op->results[0]);
  plan_step *s = plan_add_step(p, op, "fill", run_fill);
  if (!s) return true;
  s->out = v, s->n_out = 1;
  s->params = f;
  s->parallel = plan_worth(p, v[0].size, FILLED);
  return true;
}

bool lower_constant(planner *p, const tl_op *op) {
  const tl_literal *lit = tl_op_attr(op, TL_A_CONSTANT_value)->dense;
  const size_t size = type_size(lit->type), element = element_size(lit->type);
  const void *data = lit->data;
  if (lit->splat && size >= FILLED) return lower_splat(p, op, lit);
  if (lit->splat || (uintptr_t)data % TL_MAX(element, (size_t)1)) {
    uint8_t *whole = plan_alloc(p, size, 64);
    if (!whole) return true;
    for (size_t i = 0; i < size; i += element)
      memcpy(whole + i, (const uint8_t *)data + (lit->splat ? 0 : i), element);
    data = whole;
  }
  plan_bind(p, op->results[0], plan_const(p, data, size));
  return true;
}

// The same bytes under another type. A slice of bytes may begin anywhere, wider elements may not.
bool lower_view(planner *p, const tl_op *op) {
  if (op->code == TL_OP_BITCAST_CONVERT && // packs or unpacks, or extends another way
      (tl_dtype_get(op->operands[0]->type.dtype)->bits < 8 ||
       tl_dtype_get(op->results[0]->type.dtype)->bits < 8))
    return false;
  for (uint32_t i = 0; i < op->n_results; i++) {
    plan_view v = plan_operand_aligned(p, op->operands[i], element_size(op->results[i]->type));
    if (!p->error) plan_bind(p, op->results[i], v);
  }
  return true;
}

// --- strided copies: slice, transpose, broadcast, concatenate ---

typedef struct copy_params { // out, dense over dims, from in at strides (bytes); dims merged where
                             // they can be
  uint32_t rank;
  size_t element; // bytes of the innermost run copied at once
  size_t dims[TL_MAX_RANK];
  int64_t stride[TL_MAX_RANK];     // of the input, bytes
  int64_t out_stride[TL_MAX_RANK]; // of the output, bytes
  size_t in_offset, out_offset;
} copy_params;

enum { COPY_PARALLEL = 65536 }; // bytes

// A line of n elements: repeated, or from anywhere to anywhere.
#define LINE(T)                                                        \
  {                                                                    \
    T x;                                                               \
    if (in_stride == 0 && out_stride == sizeof x) {                    \
      memcpy(&x, in, sizeof x);                                        \
      for (size_t i = 0; i < n; i++)                                   \
        memcpy(out + i * sizeof x, &x, sizeof x);                      \
      return;                                                          \
    }                                                                  \
    for (size_t i = 0; i < n; i++, in += in_stride, out += out_stride) \
      memcpy(&x, in, sizeof x), memcpy(out, &x, sizeof x);             \
    return;                                                            \
  }
typedef struct bytes16 {
  uint64_t half[2];
} bytes16;

static void copy_line(size_t element, size_t n, const char *in, int64_t in_stride, char *out,
                      int64_t out_stride) {
  switch (element) {
  case 1:
    if (in_stride == 0 && out_stride == 1) {
      memset(out, *in, n);
      return;
    }
    LINE(uint8_t)
  case 2:
    LINE(uint16_t)
  case 4:
    LINE(uint32_t)
  case 8:
    LINE(uint64_t)
  case 16:
    LINE(bytes16)
  default:
    for (size_t i = 0; i < n; i++, in += in_stride, out += out_stride)
      memcpy(out, in, element);
  }
}
#undef LINE

// A matrix of `rows` whose lines lie side by side in the output and apart in the input, where its
// columns lie side by side: by squares whose lines are all in the first-level cache.
static void copy_transposed(const tl_kernels *kernels, size_t element, size_t rows, size_t n,
                            const char *in, int64_t in_stride, char *out, int64_t out_stride) {
  enum { SIDE = 32 };
  const int64_t size = (int64_t)element;
  const uintptr_t places =
      (uintptr_t)in | (uintptr_t)out | (uintptr_t)in_stride | (uintptr_t)out_stride;
  if ((element == 4 || element == 8) && in_stride > 0 && out_stride > 0 && places % element == 0) {
    const tl_transpose_args a = {.wide = element == 8,
                                 .in = in,
                                 .in_row = (size_t)in_stride / element,
                                 .out = out,
                                 .out_row = (size_t)out_stride / element,
                                 .rows = rows,
                                 .n = n};
    kernels->transpose(&a);
    return;
  }
  for (size_t r = 0; r < rows; r += SIDE)
    for (size_t i = 0; i < n; i += SIDE)
      for (size_t k = r; k < TL_MIN(rows, r + SIDE); k++)
        copy_line(element, TL_MIN(n - i, (size_t)SIDE),
                  in + (int64_t)i * in_stride + (int64_t)k * size, in_stride,
                  out + (int64_t)k * out_stride + (int64_t)i * size, size);
}

static void copy_walk(const tl_kernels *kernels, const copy_params *c, uint32_t d, size_t from,
                      size_t to, const char *in, char *out) {
  if (d == c->rank) {
    memcpy(out, in, c->element);
    return;
  }
  in += (int64_t)from * c->stride[d], out += (int64_t)from * c->out_stride[d];
  if (d + 1 == c->rank) {
    copy_line(c->element, to - from, in, c->stride[d], out, c->out_stride[d]);
    return;
  }
  const int64_t element = (int64_t)c->element;
  if (d + 2 == c->rank && c->stride[d] == element && c->out_stride[d + 1] == element &&
      c->stride[d + 1] != 0) {
    copy_transposed(kernels, c->element, to - from, c->dims[d + 1], in, c->stride[d + 1], out,
                    c->out_stride[d]);
    return;
  }
  for (size_t i = from; i < to; i++, in += c->stride[d], out += c->out_stride[d])
    copy_walk(kernels, c, d + 1, 0, c->dims[d + 1], in, out);
}

static void run_strided(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const copy_params *c = s->params;
  const char *in = (const char *)step_in(s, x, 0) + c->in_offset;
  char *out = (char *)step_out(s, x, 0) + c->out_offset;
  size_t from, to;
  tl_pool_range(c->dims[0], 1, part, n_parts, &from, &to);
  if (from < to) copy_walk(x->exe->cpu->kernels, c, 0, from, to, in, out);
}

// Of runs of one element only: longer ones are moved by words.
static const loop_nest *strided_nest(const plan_step *s, tl_arena *a) {
  const copy_params *c = s->params;
  size_t unit = 8, bytes = c->element | c->in_offset | c->out_offset, extent[TL_MAX_RANK + 1];
  int64_t in[TL_MAX_RANK + 1], out[TL_MAX_RANK + 1];
  for (uint32_t d = 0; d < c->rank; d++)
    bytes |= (size_t)c->stride[d] | (size_t)c->out_stride[d];
  bytes |= s->in[0].offset | s->out[0].offset;
  while (unit > 1 && bytes % unit != 0)
    unit /= 2;
  for (uint32_t d = 0; d < c->rank; d++) {
    extent[d] = c->dims[d];
    in[d] = c->stride[d] / (int64_t)unit, out[d] = c->out_stride[d] / (int64_t)unit;
  }
  uint32_t rank = c->rank;
  if (rank == TL_COUNT(extent)) return NULL;
  extent[rank] = c->element / unit, in[rank] = out[rank] = 1, rank++;
  const tl_dtype d = unit == 8   ? TL_DTYPE_U64
                     : unit == 4 ? TL_DTYPE_U32
                     : unit == 2 ? TL_DTYPE_U16
                                 : TL_DTYPE_U8;
  step_nest n = step_nest_begin(a, rank, rank, extent);
  const uint16_t x = step_nest_load(&n, d, (int64_t)(c->in_offset / unit), in);
  step_nest_store(&n, d, (int64_t)(c->out_offset / unit), out, x);
  return n.nest;
}

// Plans out[i] = in[offset + sum i*stride] over `dims`; strides in elements of the input, 0
// repeats.
static void plan_strided(planner *p, const tl_op *op, const char *what, plan_view in, plan_view out,
                         size_t element, uint32_t rank, const int64_t *dims, const int64_t *strides,
                         size_t in_offset, const int64_t *out_strides, size_t out_offset) {
  copy_params *c = plan_alloc(p, sizeof *c, _Alignof(copy_params));
  plan_view *v = plan_views(p, 2);
  if (p->error) return;
  c->element = element;
  c->in_offset = in_offset, c->out_offset = out_offset;
  for (uint32_t d = 0; d < rank; d++)
    if (dims[d] == 0) return; // nothing to copy
  for (uint32_t d = 0; d < rank; d++) {
    if (dims[d] == 1) continue;
    int64_t stride = strides[d] * (int64_t)element, out_stride = out_strides[d] * (int64_t)element;
    uint32_t last = c->rank - 1;
    if (c->rank && c->stride[last] == stride * dims[d] &&
        c->out_stride[last] == out_stride * dims[d]) {
      c->dims[last] *= (size_t)dims[d]; // the outer dim continues this one
      c->stride[last] = stride, c->out_stride[last] = out_stride;
    } else {
      c->dims[c->rank] = (size_t)dims[d];
      c->stride[c->rank] = stride, c->out_stride[c->rank++] = out_stride;
    }
  }
  while (c->rank && c->stride[c->rank - 1] == (int64_t)c->element &&
         c->out_stride[c->rank - 1] == (int64_t)c->element)
    c->element *= c->dims[--c->rank]; // a contiguous run
  if (c->rank == 0) {
    c->rank = 1;
    c->dims[0] = 1;
  }
  v[0] = in, v[1] = out;
  plan_step *s = plan_add_step(p, op, what, run_strided);
  if (!s) return;
  s->in = v, s->n_in = 1;
  s->out = v + 1, s->n_out = 1;
  s->params = c;
  s->parallel = plan_worth(p, out.size, COPY_PARALLEL) && c->dims[0] > 1;
  s->as_nest = strided_nest;
}

// What overflows belongs to a type without elements: it wraps, and no step is planned for it.
static int64_t wrapping_mul(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }

static void dense_strides(const int64_t *dims, uint32_t rank, int64_t *strides) {
  int64_t stride = 1;
  for (uint32_t d = rank; d-- > 0;) {
    strides[d] = stride;
    stride = wrapping_mul(stride, dims[d]);
  }
}

bool lower_slice(planner *p, const tl_op *op) {
  const tl_type in = op->operands[0]->type, out = op->results[0]->type;
  const tl_i64s start = tl_op_list(op, TL_A_SLICE_start_indices),
                step = tl_op_list(op, TL_A_SLICE_strides);
  int64_t strides[TL_MAX_RANK], out_strides[TL_MAX_RANK];
  dense_strides(in.dims, in.rank, strides);
  dense_strides(out.dims, out.rank, out_strides);
  size_t offset = 0;
  bool contiguous = true; // every dim with more than one element has the output's own stride
  for (uint32_t d = 0; d < in.rank; d++) {
    offset += (size_t)wrapping_mul(start.ptr[d], strides[d]);
    strides[d] = wrapping_mul(strides[d], step.ptr[d]); // a lone element's step may be any number
    if (out.dims[d] > 1 && strides[d] != out_strides[d]) contiguous = false;
  }
  offset *= element_size(in);
  plan_view v = plan_operand(p, op->operands[0]);
  if (p->error) return true;
  if (contiguous) {
    size_t size = type_size(out);
    plan_view part = {.buf = v.buf, .offset = v.offset + (size ? offset : 0), .size = size};
    plan_bind(p, op->results[0], part);
    return true;
  }
  plan_view result = plan_result(p, op->results[0]);
  plan_strided(p, op, "slice", v, result, element_size(in), out.rank, out.dims, strides, offset,
               out_strides, 0);
  return true;
}

bool lower_transpose(planner *p, const tl_op *op) {
  const tl_type in = op->operands[0]->type, out = op->results[0]->type;
  const tl_i64s permutation = tl_op_list(op, TL_A_TRANSPOSE_permutation);
  int64_t dense[TL_MAX_RANK], strides[TL_MAX_RANK], out_strides[TL_MAX_RANK];
  dense_strides(in.dims, in.rank, dense);
  dense_strides(out.dims, out.rank, out_strides);
  for (uint32_t d = 0; d < out.rank; d++)
    strides[d] = dense[permutation.ptr[d]];
  plan_view v = plan_operand(p, op->operands[0]);
  if (p->error) return true;
  plan_view result = plan_result(p, op->results[0]);
  plan_strided(p, op, "transpose", v, result, element_size(in), out.rank, out.dims, strides, 0,
               out_strides, 0);
  return true;
}

bool lower_broadcast(planner *p, const tl_op *op) {
  const tl_type in = op->operands[0]->type, out = op->results[0]->type;
  const tl_i64s dims = tl_op_list(op, TL_A_BROADCAST_IN_DIM_broadcast_dimensions);
  int64_t dense[TL_MAX_RANK], strides[TL_MAX_RANK] = {0}, out_strides[TL_MAX_RANK];
  dense_strides(in.dims, in.rank, dense);
  dense_strides(out.dims, out.rank, out_strides);
  for (uint32_t d = 0; d < in.rank; d++)
    if (in.dims[d] != 1) strides[dims.ptr[d]] = dense[d];
  plan_view v = plan_operand(p, op->operands[0]);
  if (p->error) return true;
  plan_view result = plan_result(p, op->results[0]);
  plan_strided(p, op, "broadcast", v, result, element_size(in), out.rank, out.dims, strides, 0,
               out_strides, 0);
  return true;
}

bool lower_concatenate(planner *p, const tl_op *op) {
  const tl_type out = op->results[0]->type;
  const int64_t dim = tl_op_i64(op, TL_A_CONCATENATE_dimension);
  int64_t out_strides[TL_MAX_RANK], strides[TL_MAX_RANK];
  dense_strides(out.dims, out.rank, out_strides);
  plan_view result = plan_result(p, op->results[0]);
  size_t at = 0;
  for (uint32_t i = 0; i < op->n_operands && !p->error; i++) {
    const tl_type in = op->operands[i]->type;
    dense_strides(in.dims, in.rank, strides);
    plan_view v = plan_operand(p, op->operands[i]);
    p->exe->bufs[result.buf].last = TL_MAX(p->exe->bufs[result.buf].last, p->exe->n_steps);
    plan_strided(p, op, "concatenate", v, result, element_size(out), in.rank, in.dims, strides, 0,
                 out_strides, at * (size_t)out_strides[dim] * element_size(out));
    at += (size_t)in.dims[dim];
  }
  return true;
}

// --- elementwise ---

typedef struct elementwise_params {
  uint32_t op; // tl_unary_op, tl_binary_op, tl_convert_op, or tl_opcode
  size_t n;
} elementwise_params;

// GRAIN is a cache line of f32, and the rows of one group of a packed matrix: what follows a matmul
// of one token is divided as its rows are, and need not wait for the other threads (plan.h).
enum { PARALLEL_ELEMENTS = 16384, CHEAP_ELEMENTS = 4096, GRAIN = 16 };

typedef const loop_nest *as_nest(const plan_step *s, tl_arena *a);

static void run_elementwise(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const elementwise_params *e = s->params;
  size_t from, to;
  tl_pool_range(e->n, GRAIN, part, n_parts, &from, &to);
  if (from < to) s->some(s, x, from, to);
}

static plan_step *plan_elementwise(planner *p, const tl_op *op, const char *what, plan_some_fn some,
                                   as_nest *same, uint32_t kernel) {
  elementwise_params *e = plan_alloc(p, sizeof *e, _Alignof(elementwise_params));
  plan_view *v = plan_views(p, op->n_operands + 1);
  if (p->error) return NULL;
  e->op = kernel;
  e->n = type_count(op->results[0]->type);
  const uint32_t from = GRAIN * (uint32_t)element_size(op->operands[0]->type),
                 to = GRAIN * (uint32_t)element_size(op->results[0]->type);
  const bool parallel = plan_worth(p, e->n, PARALLEL_ELEMENTS) || plan_follows(p, op, from);
  for (uint32_t i = 0; i < op->n_operands; i++)
    v[i] = plan_operand(p, op->operands[i]);
  plan_view *result = &v[op->n_operands];
  *result = from == to ? plan_result_in_place(p, op, 0, true) : plan_result(p, op->results[0]);
  for (uint32_t i = 0; i < op->n_operands; i++)
    v[i].grain = from;
  result->grain = to;
  plan_step *s = plan_add_step(p, op, what, run_elementwise);
  if (!s) return NULL;
  s->some = some;
  s->in = v, s->n_in = op->n_operands;
  s->out = result, s->n_out = 1;
  s->params = e;
  s->parallel = parallel;
  s->as_nest = same;
  return s;
}

static const int64_t dense[] = {1};

static const loop_nest *unary_nest(const plan_step *s, tl_arena *a) {
  static const tl_scalar ops[] = {
      [TL_UNARY_NEG] = TL_SCALAR_NEG,           [TL_UNARY_EXP] = TL_SCALAR_EXP,
      [TL_UNARY_LOGISTIC] = TL_SCALAR_LOGISTIC, [TL_UNARY_SQRT] = TL_SCALAR_SQRT,
      [TL_UNARY_RSQRT] = TL_SCALAR_RSQRT,       [TL_UNARY_TANH] = TL_SCALAR_TANH,
  };
  const elementwise_params *e = s->params;
  step_nest n = step_nest_begin(a, 1, 1, &e->n);
  const uint16_t x = step_nest_load(&n, TL_DTYPE_F32, 0, dense);
  const uint16_t y =
      step_nest_scalar(&n, ops[e->op], TL_REG_F32, TL_REG_F32, x, (uint16_t)LOOP_NONE);
  step_nest_store(&n, TL_DTYPE_F32, 0, dense, y);
  return n.nest;
}

static const loop_nest *two_operands(const plan_step *s, tl_arena *a, tl_dtype d, tl_reg r,
                                     tl_scalar op) {
  const elementwise_params *e = s->params;
  step_nest n = step_nest_begin(a, 1, 1, &e->n);
  const uint16_t x = step_nest_load(&n, d, 0, dense), y = step_nest_load(&n, d, 0, dense);
  step_nest_store(&n, d, 0, dense, step_nest_scalar(&n, op, r, r, x, y));
  return n.nest;
}

static const loop_nest *binary_nest(const plan_step *s, tl_arena *a) {
  static const tl_scalar ops[] = {
      [TL_BINARY_ADD] = TL_SCALAR_ADD, [TL_BINARY_SUB] = TL_SCALAR_SUB,
      [TL_BINARY_MUL] = TL_SCALAR_MUL, [TL_BINARY_DIV] = TL_SCALAR_DIV,
      [TL_BINARY_MAX] = TL_SCALAR_MAX, [TL_BINARY_MIN] = TL_SCALAR_MIN,
  };
  const elementwise_params *e = s->params;
  return two_operands(s, a, TL_DTYPE_F32, TL_REG_F32, ops[e->op]);
}

static const loop_nest *binary_s32_nest(const plan_step *s, tl_arena *a) {
  const elementwise_params *e = s->params;
  const tl_opcode op = (tl_opcode)e->op;
  return two_operands(s, a, TL_DTYPE_U32, TL_REG_U32,
                      op == TL_OP_ADD        ? TL_SCALAR_ADD
                      : op == TL_OP_SUBTRACT ? TL_SCALAR_SUB
                                             : TL_SCALAR_MUL);
}

static const loop_nest *convert_nest(const plan_step *s, tl_arena *a) {
  const elementwise_params *e = s->params;
  const tl_convert_op op = (tl_convert_op)e->op;
  const tl_dtype narrow =
      op == TL_CONVERT_F32_BF16 || op == TL_CONVERT_BF16_F32 ? TL_DTYPE_BF16 : TL_DTYPE_F16;
  const bool widens = op == TL_CONVERT_BF16_F32 || op == TL_CONVERT_F16_F32;
  step_nest n = step_nest_begin(a, 1, 1, &e->n);
  uint16_t x = step_nest_load(&n, widens ? narrow : TL_DTYPE_F32, 0, dense);
  if (!widens)
    x = step_nest_scalar(&n, narrow == TL_DTYPE_BF16 ? TL_SCALAR_BF16 : TL_SCALAR_F16, TL_REG_F32,
                         TL_REG_F32, x, (uint16_t)LOOP_NONE);
  step_nest_store(&n, widens ? TL_DTYPE_F32 : narrow, 0, dense, x);
  return n.nest;
}

static void run_unary(const plan_step *s, plan_exec *x, size_t from, size_t to) {
  const elementwise_params *e = s->params;
  tl_unary_args a = {(tl_unary_op)e->op, (const float *)step_in(s, x, 0) + from,
                     (float *)step_out(s, x, 0) + from, to - from};
  x->exe->cpu->kernels->unary(&a);
}

static void run_binary(const plan_step *s, plan_exec *x, size_t from, size_t to) {
  const elementwise_params *e = s->params;
  tl_binary_args a = {(tl_binary_op)e->op,
                      (const float *)step_in(s, x, 0) + from,
                      (const float *)step_in(s, x, 1) + from,
                      1,
                      1,
                      (float *)step_out(s, x, 0) + from,
                      to - from};
  x->exe->cpu->kernels->binary(&a);
}

static void run_binary_s32(const plan_step *s, plan_exec *x, size_t from, size_t to) {
  const elementwise_params *e = s->params;
  const uint32_t *a = step_in(s, x, 0), *b = step_in(s, x, 1);
  uint32_t *y = step_out(s, x, 0);
  switch ((tl_opcode)e->op) { // two's complement wraps
  case TL_OP_ADD:
    for (size_t i = from; i < to; i++)
      y[i] = a[i] + b[i];
    break;
  case TL_OP_SUBTRACT:
    for (size_t i = from; i < to; i++)
      y[i] = a[i] - b[i];
    break;
  default:
    for (size_t i = from; i < to; i++)
      y[i] = a[i] * b[i];
  }
}

bool lower_unary(planner *p, const tl_op *op) {
  if (op->operands[0]->type.dtype != TL_DTYPE_F32) return false;
  tl_unary_op kernel;
  switch (op->code) {
  case TL_OP_NEGATE:
    kernel = TL_UNARY_NEG;
    break;
  case TL_OP_EXPONENTIAL:
    kernel = TL_UNARY_EXP;
    break;
  case TL_OP_LOGISTIC:
    kernel = TL_UNARY_LOGISTIC;
    break;
  case TL_OP_SQRT:
    kernel = TL_UNARY_SQRT;
    break;
  case TL_OP_RSQRT:
    kernel = TL_UNARY_RSQRT;
    break;
  case TL_OP_TANH:
    kernel = TL_UNARY_TANH;
    break;
  default:
    return false;
  }
  plan_elementwise(p, op, tl_op_get(op->code)->mnemonic, run_unary, unary_nest, kernel);
  return true;
}

bool lower_binary(planner *p, const tl_op *op) {
  const tl_dtype dtype = op->operands[0]->type.dtype;
  const char *what = tl_op_get(op->code)->mnemonic;
  if (dtype == TL_DTYPE_S32 || dtype == TL_DTYPE_U32) {
    if (op->code != TL_OP_ADD && op->code != TL_OP_SUBTRACT && op->code != TL_OP_MULTIPLY)
      return false;
    plan_elementwise(p, op, what, run_binary_s32, binary_s32_nest, op->code);
    return true;
  }
  if (dtype != TL_DTYPE_F32) return false;
  tl_binary_op kernel;
  switch (op->code) {
  case TL_OP_ADD:
    kernel = TL_BINARY_ADD;
    break;
  case TL_OP_SUBTRACT:
    kernel = TL_BINARY_SUB;
    break;
  case TL_OP_MULTIPLY:
    kernel = TL_BINARY_MUL;
    break;
  case TL_OP_DIVIDE:
    kernel = TL_BINARY_DIV;
    break;
  case TL_OP_MAXIMUM:
    kernel = TL_BINARY_MAX;
    break;
  case TL_OP_MINIMUM:
    kernel = TL_BINARY_MIN;
    break;
  default:
    return false;
  }
  plan_elementwise(p, op, what, run_binary, binary_nest, kernel);
  return true;
}

static void run_convert(const plan_step *s, plan_exec *x, size_t from, size_t to) {
  const elementwise_params *e = s->params;
  const bool widens = e->op == TL_CONVERT_BF16_F32 || e->op == TL_CONVERT_F16_F32;
  tl_convert_args a = {(tl_convert_op)e->op,
                       (const char *)step_in(s, x, 0) + from * (widens ? 2 : 4),
                       (char *)step_out(s, x, 0) + from * (widens ? 4 : 2), to - from};
  x->exe->cpu->kernels->convert(&a);
}

bool lower_convert(planner *p, const tl_op *op) {
  const tl_dtype from = op->operands[0]->type.dtype, to = op->results[0]->type.dtype;
  if (from == to) return lower_view(p, op);
  tl_convert_op kernel;
  if (from == TL_DTYPE_F32 && to == TL_DTYPE_BF16)
    kernel = TL_CONVERT_F32_BF16;
  else if (from == TL_DTYPE_BF16 && to == TL_DTYPE_F32)
    kernel = TL_CONVERT_BF16_F32;
  else if (from == TL_DTYPE_F32 && to == TL_DTYPE_F16)
    kernel = TL_CONVERT_F32_F16;
  else if (from == TL_DTYPE_F16 && to == TL_DTYPE_F32)
    kernel = TL_CONVERT_F16_F32;
  else
    return false;
  plan_step *s = plan_elementwise(p, op, "convert", run_convert, convert_nest, kernel);
  // A few rounded activations: a product that reads all of them waits for nobody when each thread
  // rounds them for itself.
  if (s && kernel == TL_CONVERT_F32_BF16 && type_count(op->results[0]->type) <= CHEAP_ELEMENTS &&
      !p->exe->cpu->eager)
    s->parallel = false, s->cheap = true;
  return true;
}

// --- dot_general ---

// Of fewer rows or columns a product reads the other operand in place, and adds up in the result.
enum { PARALLEL_PRODUCTS = 32768, NARROW_LEAST = 5 };

// A batch's rows [m0, m1) and columns [n0, n1).
static void run_product(const plan_step *s, plan_exec *x, size_t b, size_t m0, size_t m1, size_t n0,
                        size_t n1) {
  const product *d = s->params;
  const tl_gemm_args *g = &d->gemm;
  const size_t a_at = b * d->a_batch + m0 * g->a_m, b_at = b * d->b_batch + n0 * g->b_n,
               c_at = b * g->M * g->N + m0 * g->c_m + n0 * g->c_n, part = d->wide ? 8 : 4;
  if (d->complex) {
    const tl_gemm_complex_args a = {.wide = d->wide,
                                    .a = (const uint8_t *)step_in(s, x, 0) + a_at * 2 * part,
                                    .a_m = g->a_m,
                                    .b = (const uint8_t *)step_in(s, x, 1) + b_at * part,
                                    .b_k = g->b_k,
                                    .b_im = g->N,
                                    .c = (uint8_t *)step_out(s, x, 0) + c_at * 2 * part,
                                    .c_m = g->c_m,
                                    .c_n = g->c_n,
                                    .M = m1 - m0,
                                    .N = n1 - n0,
                                    .K = g->K};
    x->exe->cpu->kernels->gemm_complex(&a);
    return;
  }
  tl_gemm_args a = *g;
  const size_t element = d->half ? 2 : part;
  a.a = (const uint8_t *)step_in(s, x, 0) + a_at * element;
  a.b = (const uint8_t *)step_in(s, x, 1) + b_at * element;
  a.c = (uint8_t *)step_out(s, x, 0) + c_at * (g->narrow ? 2 : part);
  a.M = m1 - m0, a.N = n1 - n0;
  a.scratch = x->scratch;
  const tl_kernels *k = x->exe->cpu->kernels;
  (d->wide ? k->gemm_f64 : d->half ? k->gemm_bf16 : k->gemm_f32)(&a);
}

// The same, as many rows at a time as the kernel packs, each followed by the step's epilogue.
static void run_panels(const plan_step *s, plan_exec *x, size_t b, size_t m0, size_t m1, size_t n0,
                       size_t n1) {
  const product *d = s->params;
  const tl_gemm_args *g = &d->gemm;
  const size_t panel = TL_MAX(tl_gemm_panel_rows(d->wide ? 8 : 4, m1 - m0, g->K), (size_t)1);
  for (size_t from = m0, to; from < m1; from = to) {
    to = TL_MIN(from + panel, m1);
    run_product(s, x, b, from, to, n0, n1);
    plan_epilogue(s, x, b * g->M * g->N + from * g->N + n0, to - from, g->N, n1 - n0);
  }
}

// Threads share the batches; of fewer batches than threads, the longer of rows and columns: each
// packs all of the other matrix.
static void run_dot(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const product *d = s->params;
  const tl_gemm_args *g = &d->gemm;
  const bool by_batch = d->batches >= n_parts, by_row = g->M >= g->N;
  size_t from, to;
  tl_pool_range(by_batch ? d->batches
                : by_row ? g->M
                         : g->N,
                by_batch || by_row ? 1 : 16, part, n_parts, &from, &to);
  if (from == to) return;
  for (size_t b = by_batch ? from : 0; b < (by_batch ? to : d->batches); b++) {
    const bool rows = !by_batch && by_row, columns = !by_batch && !by_row;
    (s->followed ? run_panels : run_product)(s, x, b, rows ? from : 0, rows ? to : g->M,
                                             columns ? from : 0, columns ? to : g->N);
  }
}

// Of small ones only: the kernel goes through large ones by blocks.
static const loop_nest *product_nest(const plan_step *s, tl_arena *a) {
  enum { SMALL = 8192 };
  const product *d = s->params;
  const tl_gemm_args *g = &d->gemm;
  if (d->complex || d->batches * g->M * g->N * g->K > SMALL) return NULL;
  const tl_dtype t = d->wide   ? TL_DTYPE_F64
                     : d->half ? TL_DTYPE_BF16
                               : TL_DTYPE_F32,
                 to = d->half && !g->narrow ? TL_DTYPE_F32 : t;
  const tl_reg r = d->wide ? TL_REG_F64 : TL_REG_F32;
  const size_t extent[] = {d->batches, g->M, g->N, g->K};
  step_nest n = step_nest_begin(a, 4, 3, extent);
  const uint16_t x = step_nest_load(
      &n, t, 0, (int64_t[]){(int64_t)d->a_batch, (int64_t)g->a_m, 0, (int64_t)g->a_k});
  const uint16_t y = step_nest_load(
      &n, t, 0, (int64_t[]){(int64_t)d->b_batch, 0, (int64_t)g->b_n, (int64_t)g->b_k});
  if (!n.nest) return NULL;
  n.nest->reduce = LOOP_DOT;
  n.nest->term[0] = x, n.nest->term[1] = y;
  uint16_t sum = step_nest_result(&n, r);
  if (g->narrow) sum = step_nest_scalar(&n, TL_SCALAR_BF16, r, r, sum, (uint16_t)LOOP_NONE);
  step_nest_store(&n, to, 0,
                  (int64_t[]){(int64_t)(g->M * g->N), (int64_t)g->c_m, (int64_t)g->c_n, 0}, sum);
  return n.nest;
}

void plan_product(planner *p, const tl_op *op, const product *d, plan_view a, plan_view b,
                  plan_view c) {
  product *kept = plan_alloc(p, sizeof *kept, _Alignof(product));
  plan_view *v = plan_views(p, 3);
  const tl_gemm_args *g = &d->gemm;
  if (p->error) return;
  *kept = *d;
  v[0] = a, v[1] = b, v[2] = c;
  for (int i = 0; i < 3; i++)
    plan_touch(p, v[i]);
  plan_step *s = plan_add_step(p, op, "dot_general", run_dot);
  if (!s) return;
  s->in = v, s->n_in = 2;
  s->out = v + 2, s->n_out = 1;
  s->params = kept;
  s->scratch = d->complex ? 0 : tl_gemm_scratch_size(d->wide ? 8 : 4, g->M, g->N, g->K);
  s->parallel = plan_worth(p, d->batches * g->M * g->N * g->K, PARALLEL_PRODUCTS);
  s->tells = g->c_m == g->N && g->c_n == 1;
  s->as_nest = product_nest;
}

// One stride that walks `dims` (in that order) of a dense type, and their product; false when there
// is none.
static bool merge(tl_type t, const int64_t *dims, size_t n, size_t *out_stride, size_t *out_count) {
  int64_t strides[TL_MAX_RANK], stride = 1, count = 1;
  dense_strides(t.dims, t.rank, strides);
  for (size_t i = n; i-- > 0;) {
    if (t.dims[dims[i]] == 1) continue;
    if (count == 1)
      stride = strides[dims[i]];
    else if (strides[dims[i]] != stride * count)
      return false;
    count *= t.dims[dims[i]];
  }
  *out_stride = (size_t)stride;
  *out_count = (size_t)count;
  return true;
}

static size_t free_dims(tl_type t, tl_i64s batch, tl_i64s contract, int64_t *out) {
  size_t n = 0;
  for (int64_t d = 0; d < (int64_t)t.rank; d++) {
    bool used = false;
    for (size_t i = 0; i < batch.len; i++)
      used |= batch.ptr[i] == d;
    for (size_t i = 0; i < contract.len; i++)
      used |= contract.ptr[i] == d;
    if (!used) out[n++] = d;
  }
  return n;
}

static bool is_matrix_type(tl_dtype d) {
  tl_reg r;
  return loop_reg_of(d, &r) && (r == TL_REG_F32 || r == TL_REG_F64);
}

// Products are f32's or f64's; bf16 is widened and rounded by the kernel, other types are converted
// before, and a result rounds once, after.
bool lower_dot_general(planner *p, const tl_op *op) {
  const tl_type a = op->operands[0]->type, b = op->operands[1]->type, c = op->results[0]->type;
  if (tl_dtype_get(c.dtype)->kind == TL_KIND_COMPLEX) return lower_dot_complex(p, op);
  if (!is_matrix_type(a.dtype) || !is_matrix_type(b.dtype) || !is_matrix_type(c.dtype))
    return false;
  if (type_count(a) == 0 || type_count(b) == 0 || fuse_small_dot(op)) return false;
  const tl_i64s ab = tl_op_list(op, TL_A_DOT_GENERAL_lhs_batching_dimensions),
                bb = tl_op_list(op, TL_A_DOT_GENERAL_rhs_batching_dimensions),
                ac = tl_op_list(op, TL_A_DOT_GENERAL_lhs_contracting_dimensions),
                bc = tl_op_list(op, TL_A_DOT_GENERAL_rhs_contracting_dimensions);
  int64_t am[TL_MAX_RANK], bn[TL_MAX_RANK];
  size_t n_am = free_dims(a, ab, ac, am), n_bn = free_dims(b, bb, bc, bn), count;
  const tl_dtype dtype = c.dtype == TL_DTYPE_F64 ? TL_DTYPE_F64 : TL_DTYPE_F32;
  product d = {.wide = dtype == TL_DTYPE_F64};
  tl_gemm_args *g = &d.gemm;
  if (!merge(a, ab.ptr, ab.len, &d.a_batch, &d.batches) ||
      !merge(b, bb.ptr, bb.len, &d.b_batch, &count) || !merge(a, am, n_am, &g->a_m, &g->M) ||
      !merge(b, bn, n_bn, &g->b_n, &g->N) || !merge(a, ac.ptr, ac.len, &g->a_k, &g->K) ||
      !merge(b, bc.ptr, bc.len, &g->b_k, &count))
    return false;
  if (d.batches * g->M * g->N == 0 || g->K == 0) return false;
  g->c_m = g->N, g->c_n = 1;
  d.half = a.dtype == TL_DTYPE_BF16 && b.dtype == TL_DTYPE_BF16 && !d.wide;
  g->narrow = d.half && c.dtype == TL_DTYPE_BF16 && TL_MIN(g->M, g->N) >= NARROW_LEAST;
  const tl_dtype in = d.half ? TL_DTYPE_BF16 : dtype;
  const plan_view l = plan_operand_as(p, op, op->operands[0], in),
                  r = plan_operand_as(p, op, op->operands[1], in);
  if (g->narrow) {
    plan_product(p, op, &d, l, r, plan_result(p, op->results[0]));
    return true;
  }
  tl_type sums = c;
  sums.dtype = dtype;
  const plan_view sum = c.dtype == dtype ? plan_result(p, op->results[0]) : plan_temp(p, sums);
  plan_product(p, op, &d, l, r, sum);
  if (c.dtype != dtype) plan_result_of(p, op, sum, sums);
  return true;
}
