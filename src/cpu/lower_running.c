// Running reductions (cumsum, cummax): a reduce_window whose windows reach to one end. Each result
// continues the one before it, so that n elements take n steps; as windows they would take n * n
// / 2.
#include "cpu/lower.h"

#include <string.h>

#include "cpu/simple.h"
#include "ir/running.h"
#include "ref/elementary.h"

// Lines of n elements, `inner` apart, from the first or from the last; columns [c0, c1) of inner.
typedef void running_fn(void *out, const void *in, size_t n, size_t inner, size_t c0, size_t c1,
                        bool from_end, const void *init);

#define TL_SIMPLE(op, d, T, expr)                                                          \
  static T next_##op##_##d(T x, T y) { return expr; }                                      \
  static void run_##op##_##d(void *out, const void *in, size_t n, size_t inner, size_t c0, \
                             size_t c1, bool from_end, const void *init) {                 \
    T *to = out, start;                                                                    \
    const T *from = in;                                                                    \
    memcpy(&start, init, sizeof start);                                                    \
    if (inner == 1) {                                                                      \
      for (size_t k = 0; k < n; k++) {                                                     \
        const size_t i = from_end ? n - 1 - k : k;                                         \
        to[i] = start = next_##op##_##d(start, from[i]);                                   \
      }                                                                                    \
      return;                                                                              \
    }                                                                                      \
    const T *before = NULL;                                                                \
    for (size_t k = 0; k < n; k++) {                                                       \
      const size_t i = (from_end ? n - 1 - k : k) * inner;                                 \
      for (size_t c = c0; c < c1; c++)                                                     \
        to[i + c] = next_##op##_##d(before ? before[c] : start, from[i + c]);              \
      before = to + i;                                                                     \
    }                                                                                      \
  }
#include "cpu/simple.def"

typedef struct running_row {
  tl_opcode op;
  tl_dtype dtype;
  running_fn *run;
} running_row;
static const running_row rows[] = {
#define TL_SIMPLE(op, d, T, expr) {TL_OP_##op, TL_DTYPE_##d, run_##op##_##d},
#include "cpu/simple.def"
};

typedef struct running_params {
  running_fn *run;
  size_t size, outer, n, inner, columns; // columns: that a unit takes
  bool from_end;
  uint8_t init[8];
} running_params;

static void run_running(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const running_params *r = s->params;
  const size_t across = (r->inner + r->columns - 1) / r->columns;
  size_t from, to;
  tl_pool_range(r->outer * across, 1, part, n_parts, &from, &to);
  for (size_t unit = from; unit < to; unit++) {
    const size_t at = unit / across * r->n * r->inner * r->size, c0 = unit % across * r->columns;
    r->run((uint8_t *)step_out(s, x, 0) + at, (const uint8_t *)step_in(s, x, 0) + at, r->n,
           r->inner, c0, TL_MIN(c0 + r->columns, r->inner), r->from_end, r->init);
  }
}

// The one element of a constant, also behind ops that only change its shape.
static const tl_literal *number_of(tl_value v) {
  while (v->op && (v->op->code == TL_OP_BROADCAST_IN_DIM || v->op->code == TL_OP_RESHAPE))
    v = v->op->operands[0];
  if (!v->op || v->op->code != TL_OP_CONSTANT) return NULL;
  const tl_literal *l = tl_op_attr(v->op, TL_A_CONSTANT_value)->dense;
  return l->splat || type_count(l->type) == 1 ? l : NULL;
}

// What is added from the padding must change nothing: f(init, init) = init.
static bool stays(tl_opcode op, const uint8_t *init, size_t size, tl_dtype d) {
  if (op == TL_OP_MAXIMUM || op == TL_OP_MINIMUM) {
    float f;
    double g;
    memcpy(&f, init, sizeof f), memcpy(&g, init, sizeof g);
    return d == TL_DTYPE_F32 ? f == f : d == TL_DTYPE_F64 ? g == g : true; // no NaN
  }
  bool zero = true;
  for (size_t i = 0; i < size; i++)
    zero &= init[i] == 0;
  if (op == TL_OP_ADD) return zero;
  const float f = 1.0f;
  const double g = 1.0;
  const uint64_t one = 1; // little endian
  return zero || memcmp(init,
                        d == TL_DTYPE_F32   ? (const void *)&f
                        : d == TL_DTYPE_F64 ? (const void *)&g
                                            : &one,
                        size) == 0;
}

bool lower_running(planner *p, const tl_op *op) {
  const tl_type t = op->operands[0]->type;
  uint32_t dim;
  tl_opcode code;
  running_params r = {.outer = 1, .inner = 1};
  if (op->n_results != 1 || op->n_operands != 2 || type_count(t) == 0 ||
      !tl_running_window(op, &dim, &r.from_end) || !simple_region(op->regions[0], &code) ||
      op->results[0]->type.dtype != t.dtype || op->regions[0]->args[0]->type.dtype != t.dtype ||
      op->regions[0]->first->results[0]->type.dtype != t.dtype)
    return false;
  for (size_t i = 0; i < TL_COUNT(rows); i++)
    if (rows[i].op == code && rows[i].dtype == t.dtype) r.run = rows[i].run;
  const tl_literal *init = number_of(op->operands[1]);
  r.size = tl_dtype_get(t.dtype)->size;
  if (!r.run || !init || init->type.dtype != t.dtype) return false;
  memcpy(r.init, init->data, r.size);
  if (!stays(code, r.init, r.size, t.dtype)) return false;
  for (uint32_t d = 0; d < t.rank; d++)
    *(d < dim ? &r.outer : d == dim ? &r.n : &r.inner) *= d == dim ? 1 : (size_t)t.dims[d];
  r.n = (size_t)t.dims[dim];
  r.columns = r.inner == 1 ? 1 : TL_MIN(r.inner, (size_t)128);
  running_params *kept = plan_alloc(p, sizeof *kept, _Alignof(running_params));
  plan_view *v = plan_views(p, 2);
  if (p->error) return true;
  *kept = r;
  v[0] = plan_operand(p, op->operands[0]);
  v[1] = plan_result(p, op->results[0]);
  plan_step *s = plan_add_step(p, op, "reduce_window", run_running);
  if (!s) return true;
  s->in = v, s->n_in = 1;
  s->out = v + 1, s->n_out = 1;
  s->params = kept;
  s->parallel = plan_worth(p, type_count(t), 16384);
  return true;
}
