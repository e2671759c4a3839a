// C6 to C9: loops that are closed.
//
// A step d <- a d + b is a map; n of them, one after the other, are one map again:
//
//     (A, B) after (C, D)  =  (A C, A D + B)
//
// C6, where all steps are alike, composes by squaring, log2 n times. C7 and C8, where b, or both,
// depend on the step, compose neighbours until one map is left: the steps' own maps stand in stacks
// [n, ...], of which the odd are put after the even, log2 n times; what is left over at an odd
// length waits at the end. Written out, this is the paper's
//
//     C6   a^n p + b sum_{i<n} a^i
//     C7   a^n p + sum_{i<n} a^i b[n-1-i]
//     C8   p prod_{i<n} a[i] + sum_{i<n} b[n-1-i] prod_{j<i} a[n-1-j]
//
// without the quotient of a geometric sum, and so without its hole at a = 1. C9 is d <- a d^k with
// a constant k; n steps of it are a^S p^(k^n), S = (k^n - 1) / (k - 1) = 1 + k + .. + k^(n-1). (The
// paper's table prints a^(k+n-1); three steps of 3 d^2 give 3^7 p^8, not 3^4 p^8.)
//
// *Where.* The values must be f32 or f64: in fewer bits sums stall where the program says they do.
// All coefficients are computed in that type. |a| must be known to be at most 1 (phi_range.c), or
// known so well that |a|^n is at most a thousand: from further apart a^n p and the sum could
// cancel, and where the loop stands at a fixed point, the closed form would show rounding. Without
// b nothing cancels, and |a|^n may be anything; then no factor may overflow where the value does
// not, so C6 goes in strides of which each multiplies by at most 2^reach. A C6 that decays by more
// than that strides too, so that no factor underflows before the value does; in C7 and C8 a product
// of many small a may, and what it would have added is below the smallest normal number times the
// largest |p| or |b|.
//
// *How far off.* Loop and closed form each are within about 2 n units of rounding of
// |a|^n |p| + sum |b[i]| |a|^.. of the exact value; where terms cancel, that sum and not the result
// is what the error is relative to, in both. C9: S units, in both.
//
// A step may be written as sums, differences, products and quotients by what does not depend on d,
// with one b in all; a sum that comes apart again ((d + M) - M, which rounds) is none of these.
#include "passes/phi_rules.h"

#include <math.h>

#include "ir/dim.h"

enum {
  MAX_DEPTH = 32,
  MAX_VISITS = 1024,
  MAX_STACKED = 1 << 22,
  MAX_INDICES = 1 << 16,
  MAX_STRIDES = 10,
  MAX_GROWTH = 10
};

// What multiplies d, or is added: of one step [n, dims], or of all.
typedef struct coef {
  tl_value v; // NULL: a factor of 1; nothing
  bool each;
} coef;

typedef struct closing {
  tl_builder *in;
  const tl_loop_facts *f;
  tl_ptr_map varies; // values of the body that depend on what the loop computes
  tl_ptr_map now;    // value of the body -> its coefficient
  tl_ptr_map each;   // and whether that is a stack
  uint32_t visits;   // of forms: a value may be read again and again
} closing;

// ---- Coefficients ----

static void find_varying(closing *c) {
  const tl_loop_facts *f = c->f;
  bool good = true;
  for (uint32_t i = 0; i < f->n; i++)
    if (!f->invariant[i] && !f->affine[i]) good &= tl_ptr_map_put(&c->varies, f->body->args[i], 1);
  for (const tl_op *op = f->body->first; op != NULL; op = op->next) {
    bool any = op->n_regions != 0;
    for (uint32_t i = 0; i < op->n_operands; i++)
      any |= tl_ptr_map_get(&c->varies, op->operands[i], NULL);
    for (uint32_t k = 0; any && k < op->n_results; k++)
      good &= tl_ptr_map_put(&c->varies, op->results[k], 1);
  }
  if (!good) tl_builder_fail(c->in, TL_OOM());
}

static bool varies(const closing *c, tl_value v) { return tl_ptr_map_get(&c->varies, v, NULL); }

static bool stacked_type(closing *c, tl_type one, tl_type *out) {
  int64_t dims[TL_MAX_RANK] = {c->f->trips};
  size_t n;
  if (one.rank >= TL_MAX_RANK || !tl_type_count(one, &n) || c->f->trips > MAX_STACKED ||
      n > (size_t)(MAX_STACKED / c->f->trips))
    return false;
  if (one.rank != 0) memcpy(dims + 1, one.dims, one.rank * sizeof *dims);
  *out = tl_type_of(c->in->m->arena, one.dtype, dims, one.rank + 1);
  if (out->dims == NULL) tl_builder_fail(c->in, TL_OOM());
  return out->dims != NULL;
}

// x as a stack of values of type `one`, which is x's own or x is a scalar.
static bool lift(closing *c, coef *x, tl_type one) {
  tl_type t;
  if (!stacked_type(c, one, &t)) return false;
  const uint32_t rank = x->v->type.rank - x->each;
  if (x->each && rank == one.rank) return true;
  int64_t dims[TL_MAX_RANK];
  for (uint32_t d = 0; d < x->v->type.rank; d++)
    dims[d] = d + !x->each;
  x->v = tlo_broadcast(c->in, x->v, t, dims);
  x->each = true;
  return x->v != NULL;
}

static bool coef_of(closing *c, tl_value v, uint32_t depth, coef *out);

// dynamic_slice of an array at places that go on evenly from step to step: a strided slice of it.
static bool slices(closing *c, const tl_op *op, tl_value x, coef *out) {
  tl_builder *b = c->in;
  const tl_loop_facts *f = c->f;
  const tl_type whole = x->type, one = op->results[0]->type;
  int64_t start[TL_MAX_RANK], limit[TL_MAX_RANK], stride[TL_MAX_RANK];
  uint32_t along = whole.rank;
  bool down = false;
  size_t n;
  if (!tl_type_count(whole, &n) || !tl_type_count(one, &n)) return false;
  for (uint32_t d = 0; d < whole.rank; d++) {
    int64_t first, last = 0, at, by = 0;
    if (!tl_phi_at_step(f, op->operands[1 + d], 0, &first)) return false;
    for (int64_t k = 1; k < f->trips; k++) {
      if (k > MAX_INDICES || !tl_phi_at_step(f, op->operands[1 + d], k, &at)) return false;
      if (k == 1) by = at - first;
      if (at != first + k * by) return false;
      last = at;
    }
    if (f->trips == 1 || by == 0) last = first;
    const int64_t most = whole.dims[d] - one.dims[d];
    if (first < 0 || last < 0 || first > most || last > most) return false; // it clamps
    start[d] = TL_MIN(first, last);
    limit[d] = TL_MAX(first, last) + one.dims[d];
    stride[d] = 1;
    if (by == 0) continue;
    if (along != whole.rank || one.dims[d] != 1) return false;
    along = d;
    down = by < 0;
    stride[d] = down ? -by : by;
  }
  x = tlo_slice(b, x, start, limit, stride);
  *out = (coef){x, along != whole.rank};
  if (!out->each) return x != NULL;
  if (down) {
    tl_op *turned = tl_op_begin(b, TL_OP_REVERSE, &x, 1);
    tl_op_set_list(b, turned, TL_A_REVERSE_dimensions, (int64_t[]){along}, 1);
    turned = tl_op_finish(b, turned, NULL, 0);
    x = turned == NULL ? NULL : turned->results[0];
  }
  if (along != 0) {
    int64_t order[TL_MAX_RANK] = {along};
    for (uint32_t d = 0, to = 1; d < whole.rank; d++)
      if (d != along) order[to++] = d;
    x = tlo_transpose(b, x, order);
  }
  tl_type t;
  if (!stacked_type(c, one, &t)) return false;
  out->v = tlo_reshape(b, x, t.dims, t.rank);
  return out->v != NULL;
}

// An op of coefficients of which some are stacks.
static bool stacked_op(closing *c, const tl_op *op, coef *in, coef *out) {
  tl_builder *b = c->in;
  const tl_type one = op->results[0]->type;
  tl_type t;
  tl_value operands[4];
  if (op->n_results != 1 || op->n_operands > 4 || !stacked_type(c, one, &t)) return false;
  out->each = true;
  if (op->code == TL_OP_RESHAPE) {
    tl_value x = in[0].v; // of a slice, reshaped already
    if (x->op != NULL && x->op->code == TL_OP_RESHAPE) x = x->op->operands[0];
    out->v = tlo_reshape(b, x, t.dims, t.rank);
    return out->v != NULL;
  }
  if (op->code == TL_OP_BROADCAST_IN_DIM) {
    const tl_i64s list = tl_op_list(op, TL_A_BROADCAST_IN_DIM_broadcast_dimensions);
    int64_t dims[TL_MAX_RANK] = {0};
    for (size_t i = 0; i < list.len; i++)
      dims[1 + i] = list.ptr[i] + 1;
    out->v = tlo_broadcast(b, in[0].v, t, dims);
    return out->v != NULL;
  }
  if ((tl_op_get(op->code)->traits & TL_ELEMWISE) == 0 && op->code != TL_OP_SELECT &&
      op->code != TL_OP_CLAMP)
    return false;
  for (uint32_t i = 0; i < op->n_operands; i++) {
    tl_type as = one;
    as.dtype = op->operands[i]->type.dtype;
    if (!lift(c, &in[i], as)) return false;
    operands[i] = in[i].v;
  }
  const tl_op *now = tl_clone_with(b, op, operands, &t);
  out->v = now == NULL ? NULL : now->results[0];
  return out->v != NULL;
}

static bool counter(closing *c, uint32_t i, coef *out) {
  tl_builder *b = c->in;
  tl_value first = c->f->op->operands[i];
  tl_type t;
  if (!stacked_type(c, first->type, &t)) return false;
  tl_value x = tlo_iota(b, t, 0);
  int64_t from;
  if (c->f->step[i] != 1) x = tlo_mul(b, x, tlo_constant_i64(b, t, c->f->step[i]));
  if (!tl_loop_constant(NULL, first, &from) || from != 0)
    x = tlo_add(b, x, tlo_broadcast(b, first, t, NULL));
  *out = (coef){x, true};
  return x != NULL;
}

// Of a value of the body that does not vary.
static bool make_coef(closing *c, tl_value v, uint32_t depth, coef *out) {
  tl_builder *b = c->in;
  const tl_loop_facts *f = c->f;
  *out = (coef){v, false};
  if (v->block != f->body) return true;
  if (v->op == NULL) {
    if (f->affine[v->index]) return counter(c, v->index, out);
    out->v = f->op->operands[v->index];
    return true;
  }
  const tl_op *op = v->op;
  if (!tl_phi_is_plain(op) || op->n_operands > TL_MAX_RANK || depth > MAX_DEPTH) return false;
  coef in[TL_MAX_RANK + 1];
  tl_value operands[TL_MAX_RANK + 1];
  if (op->code == TL_OP_DYNAMIC_SLICE) {
    if (!coef_of(c, op->operands[0], depth + 1, &in[0])) return false;
    if (!in[0].each && slices(c, op, in[0].v, out)) return true;
    if (b->error != TL_OK) return false;
  }
  bool each = false;
  for (uint32_t i = 0; i < op->n_operands; i++) {
    if (!coef_of(c, op->operands[i], depth + 1, &in[i])) return false;
    operands[i] = in[i].v;
    each |= in[i].each;
  }
  if (each) return stacked_op(c, op, in, out);
  if (op->n_results != 1) return false;
  const tl_op *now = tl_clone_with(b, op, operands, &op->results[0]->type);
  out->v = now == NULL ? NULL : now->results[0];
  return out->v != NULL;
}

static bool coef_of(closing *c, tl_value v, uint32_t depth, coef *out) {
  uintptr_t each;
  out->v = tl_ptr_map_find(&c->now, v);
  if (out->v != NULL) {
    out->each = tl_ptr_map_get(&c->each, v, &each) && each != 0;
    return true;
  }
  if (varies(c, v) || !make_coef(c, v, depth, out)) return false;
  if (!tl_ptr_map_put(&c->now, v, (uintptr_t)out->v) || !tl_ptr_map_put(&c->each, v, out->each))
    tl_builder_fail(c->in, TL_OOM());
  return c->in->error == TL_OK;
}

// x op y, where a NULL is no operand of a product or a sum.
static bool combine(closing *c, tl_opcode code, coef x, coef y, coef *out) {
  if (x.v == NULL || y.v == NULL) {
    *out = x.v == NULL ? y : x;
    return true;
  }
  tl_type one = x.v->type;
  if (x.each) {
    one.rank--;
    one.dims++;
  }
  if (x.each != y.each && (!lift(c, &x, one) || !lift(c, &y, one))) return false;
  *out = (coef){tlo_binary(c->in, code, x.v, y.v), x.each};
  return out->v != NULL;
}

static bool negative(closing *c, coef x, tl_type one, coef *out) {
  if (x.v == NULL) x.v = tlo_fill(c->in, one, 1);
  *out = (coef){tlo_unary(c->in, TL_OP_NEGATE, x.v), x.each};
  return out->v != NULL;
}

// ---- Steps ----

typedef struct form { // a d + b, or a d^k
  bool has_d, has_b;
  coef a, b;
  double k;
} form;

static bool form_of(closing *c, tl_value d, tl_value v, uint32_t depth, form *out);

static bool form_of_sum(closing *c, tl_value d, const tl_op *op, uint32_t depth, form *out) {
  form x, y;
  const bool minus = op->code == TL_OP_SUBTRACT;
  if (!form_of(c, d, op->operands[0], depth, &x) || !form_of(c, d, op->operands[1], depth, &y) ||
      x.k != 1 || y.k != 1)
    return false;
  *out = x.has_d ? x : y;
  if (x.has_d && y.has_d) {
    const tl_type one = d->type;
    if (x.has_b || y.has_b) return false;
    if (x.a.v == NULL) x.a.v = tlo_fill(c->in, one, 1);
    if (y.a.v == NULL) y.a.v = tlo_fill(c->in, one, 1);
    return combine(c, op->code, x.a, y.a, &out->a);
  }
  if (out->has_b) return false;
  out->has_b = true;
  out->b = x.has_d ? y.b : x.b;
  if (!minus) return true;
  return x.has_d ? negative(c, y.b, d->type, &out->b) : negative(c, y.a, d->type, &out->a);
}

static bool is_exponent(tl_value v, double *out) {
  const tl_phi_range r = tl_phi_range_of(v);
  *out = r.lo;
  return r.lo == r.hi && isfinite(r.lo);
}

// v as a form in d, or (has_d false) what does not depend on it, in b.
static bool form_of(closing *c, tl_value d, tl_value v, uint32_t depth, form *out) {
  *out = (form){.has_d = v == d, .k = 1};
  if (v == d) return true;
  if (!varies(c, v)) return coef_of(c, v, depth, &out->b);
  if (v->op == NULL || v->block != c->f->body || depth > MAX_DEPTH || ++c->visits > MAX_VISITS)
    return false;
  const tl_op *op = v->op;
  form x, y;
  switch (op->code) {
  case TL_OP_ADD:
  case TL_OP_SUBTRACT:
    return form_of_sum(c, d, op, depth + 1, out);
  case TL_OP_NEGATE:
    if (!form_of(c, d, op->operands[0], depth + 1, out) || !negative(c, out->a, d->type, &out->a))
      return false;
    return !out->has_b || negative(c, out->b, d->type, &out->b);
  case TL_OP_MULTIPLY:
  case TL_OP_DIVIDE:
    if (!form_of(c, d, op->operands[0], depth + 1, &x) ||
        !form_of(c, d, op->operands[1], depth + 1, &y))
      return false;
    if (x.has_d && y.has_d) { // d d
      *out = x;
      out->k = x.k + y.k;
      return op->code == TL_OP_MULTIPLY && !x.has_b && !y.has_b &&
             combine(c, TL_OP_MULTIPLY, x.a, y.a, &out->a);
    }
    if (y.has_d && op->code == TL_OP_DIVIDE) return false;
    *out = x.has_d ? x : y;
    y.b = x.has_d ? y.b : x.b;
    if (op->code == TL_OP_DIVIDE && out->a.v == NULL) out->a.v = tlo_fill(c->in, d->type, 1);
    return combine(c, op->code, out->a, y.b, &out->a) &&
           (!out->has_b || combine(c, op->code, out->b, y.b, &out->b));
  case TL_OP_POWER:
    *out = (form){.has_d = true};
    return op->operands[0] == d && coef_of(c, op->operands[1], depth + 1, &y.b) && !y.b.each &&
           is_exponent(y.b.v, &out->k);
  default:
    return false;
  }
}

// ---- Closing ----

// How many strides the steps take so that a power of a stays within 2^reach; 0: it is not closed.
static int64_t strides(tl_value a, int64_t n, bool alike, bool has_b) {
  if (a == NULL) return 1;
  tl_phi_range r = tl_phi_range_of(a);
  const double hi = fmax(fabs(r.lo), fabs(r.hi)),
               lo = r.lo > 0   ? r.lo
                    : r.hi < 0 ? -r.hi
                               : 0,
               reach = a->type.dtype == TL_DTYPE_F64 ? 256 : 32;
  if (!isfinite(hi)) return 0;
  double many = 1;
  if (hi > 1) {
    many = ceil((double)n * log2(hi) / reach);
    if (many > MAX_STRIDES || (has_b && (double)n * log2(hi) > MAX_GROWTH)) return 0;
  }
  // It decays to nothing within MAX_STRIDES of them, whatever it began with.
  if (alike && lo > 0 && lo < 1)
    many = fmax(many, fmin(ceil(-(double)n * log2(lo) / reach), MAX_STRIDES));
  return !alike && many > 1 ? 0 : (int64_t)TL_MAX(many, 1);
}

typedef struct map { // d -> A d + B; NULL: 1 d, and nothing
  tl_value A, B;
} map;

static map after(tl_builder *b, map x, map y) {
  map z = {x.A, x.B};
  if (y.B != NULL) {
    z.B = x.A == NULL ? y.B : tlo_mul(b, x.A, y.B);
    if (x.B != NULL) z.B = tlo_add(b, z.B, x.B);
  }
  if (y.A != NULL) z.A = x.A == NULL ? y.A : tlo_mul(b, x.A, y.A);
  return z;
}

static tl_value apply(tl_builder *b, map x, tl_value d) { return after(b, x, (map){NULL, d}).B; }

static map power(tl_builder *b, map x, int64_t n) {
  map y = x;
  int bit = 62;
  while ((n >> bit & 1) == 0)
    bit--;
  for (bit--; bit >= 0; bit--) {
    y = after(b, y, y);
    if ((n >> bit & 1) != 0) y = after(b, x, y);
  }
  return y;
}

// Every `by`th of the first `len` of a stack, from `from` on.
static tl_value some(tl_builder *b, tl_value stack, int64_t from, int64_t len, int64_t by) {
  if (stack == NULL) return NULL;
  int64_t start[TL_MAX_RANK] = {from}, limit[TL_MAX_RANK] = {len}, stride[TL_MAX_RANK] = {by};
  for (uint32_t d = 1; d < stack->type.rank; d++)
    start[d] = 0, limit[d] = stack->type.dims[d], stride[d] = 1;
  return tlo_slice(b, stack, start, limit, stride);
}

static tl_value single(tl_builder *b, tl_value stack, int64_t at) {
  tl_value x = tl_value_type(stack).rank != 0 && stack->type.dims[0] == 1
                   ? stack
                   : some(b, stack, at, at + 1, 1);
  return x == NULL ? NULL : tlo_reshape(b, x, x->type.dims + 1, x->type.rank - 1);
}

// All steps as one. b is a stack; a is one, or one value for all (or NULL).
static map compose(tl_builder *b, coef a, tl_value bs, int64_t n) {
  map last = {NULL, NULL};
  bool any = false;
  while (n > 1 && b->error == TL_OK) {
    if (n % 2 != 0) {
      map x = {a.each ? single(b, a.v, n - 1) : a.v, single(b, bs, n - 1)};
      last = any ? after(b, last, x) : x;
      any = true;
    }
    const int64_t even = n - n % 2;
    map first = {a.each ? some(b, a.v, 0, even, 2) : NULL, some(b, bs, 0, even, 2)},
        second = {a.each ? some(b, a.v, 1, even, 2) : NULL, some(b, bs, 1, even, 2)};
    if (!a.each && a.v != NULL) { // as wide as what it multiplies
      int64_t dims[TL_MAX_RANK];
      for (uint32_t d = 0; d < a.v->type.rank; d++)
        dims[d] = d + 1;
      second.A = tlo_broadcast(b, a.v, tl_value_type(second.B), dims);
      bs = after(b, second, (map){NULL, first.B}).B;
      a.v = tlo_mul(b, a.v, a.v);
    } else {
      map both = after(b, second, first);
      a.v = both.A;
      bs = both.B;
    }
    n = even / 2;
  }
  map x = {a.each ? single(b, a.v, 0) : a.v, single(b, bs, 0)};
  return any ? after(b, last, x) : x;
}

// a^S p^(k^n).
static tl_value close_power(closing *c, const form *s, tl_value p) {
  tl_builder *b = c->in;
  const double k = s->k, n = (double)c->f->trips,
               exact = p->type.dtype == TL_DTYPE_F64 ? 0x1p53 : 0x1p24;
  if (s->has_b || s->a.each || k <= 0) return NULL;
  double S = 0, of_p = 1;
  for (double i = 0; i < n && of_p < exact; i++) {
    S += of_p;
    of_p *= k;
  }
  const tl_type t = p->type;
  if (k >= 2 && k == floor(k)) { // p (a p^(k-1))^S: no factor larger than the result over p
    if (of_p >= exact) return NULL;
    tl_value q = k == 2 ? p : tlo_binary(b, TL_OP_POWER, p, tlo_fill(b, t, k - 1));
    if (s->a.v != NULL) q = tlo_mul(b, s->a.v, q);
    return tlo_mul(b, p, tlo_binary(b, TL_OP_POWER, q, tlo_fill(b, t, S)));
  }
  if (k > 0.75) return NULL; // S up to 4, and the rest of the way left to p
  tl_value y = tlo_binary(b, TL_OP_POWER, p, tlo_fill(b, t, of_p));
  if (s->a.v == NULL) return y;
  return tlo_mul(b, tlo_binary(b, TL_OP_POWER, s->a.v, tlo_fill(b, t, S)), y);
}

static tl_value close_one(closing *c, uint32_t i) {
  tl_builder *b = c->in;
  const tl_loop_facts *f = c->f;
  tl_value d = f->body->args[i], p = f->op->operands[i];
  const int64_t n = f->trips;
  form s;
  if (d->type.dtype != TL_DTYPE_F32 && d->type.dtype != TL_DTYPE_F64) return NULL;
  if (!form_of(c, d, f->body->last->operands[i], 0, &s)) return NULL;
  if (!s.has_d) return NULL;
  if (s.k != 1) return close_power(c, &s, p);
  const bool alike = !s.a.each && !s.b.each;
  const int64_t many = strides(s.a.v, n, alike, s.has_b);
  if (many == 0) return NULL;
  if (alike && s.a.v == NULL) // p + n b
    return s.has_b ? tlo_add(b, p, tlo_mul(b, s.b.v, tlo_fill(b, d->type, (double)n))) : NULL;
  if (alike) {
    const map one = {s.a.v, s.b.v};
    const map stride = power(b, one, n / many);
    tl_value y = p;
    for (int64_t k = 0; k < many; k++) {
      y = apply(b, stride, y);
      if (k < n % many) y = apply(b, one, y);
    }
    return y;
  }
  if (s.a.v == NULL) {
    tl_value zero = tlo_constant_f64(b, tl_type_scalar(d->type.dtype), 0);
    return tlo_add(b, p, tlo_reduce(b, s.b.v, zero, (const int64_t[]){0}, 1, TL_OP_ADD));
  }
  if (s.has_b && !s.b.each && !lift(c, &s.b, d->type)) return NULL;
  return apply(b, compose(b, s.a, s.b.v, n), p);
}

bool tl_phi_close(tl_builder *in, const tl_loop_facts *f, tl_value *out) {
  closing c = {.in = in, .f = f};
  find_varying(&c);
  bool good = true;
  for (uint32_t i = 0; i < f->n && good && in->error == TL_OK; i++) {
    tl_value first = f->op->operands[i];
    int64_t from;
    out[i] = first;
    if (f->invariant[i]) continue;
    if (f->affine[i]) {
      const uint64_t by = (uint64_t)f->trips * (uint64_t)f->step[i];
      out[i] = tl_loop_constant(NULL, first, &from)
                   ? tlo_constant_i64(in, first->type, (int64_t)((uint64_t)from + by))
                   : tlo_add(in, first, tlo_constant_i64(in, first->type, (int64_t)by));
      continue;
    }
    out[i] = close_one(&c, i);
    good = out[i] != NULL;
  }
  tl_ptr_map_deinit(&c.varies);
  tl_ptr_map_deinit(&c.now);
  tl_ptr_map_deinit(&c.each);
  return good && in->error == TL_OK;
}
