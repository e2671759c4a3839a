// Type rules of ops that take a shape from a template, whose values are not read. The constraints
// are numbered here, in the order of the checks:
//
//   sum_to                c1 value of numbers
//                         c2 the template broadcasts to the value, right-aligned
//   broadcast_like        c1 the value broadcasts to the template
//   pad_to, slice_at      c1 value and template of one rank
//                         c2 low: none (zeros), or a number a dim
//                         c3 pad_to: low + value fits the template; slice_at: low + template the
//                         value
//   slice_like, pad_like  c1 value, template and priors of one rank, 7 priors at most
//                         c2 axis is one of their dims
//                         c3 the value's other dims are the template's
//                         c4 the sum of the priors' extents along axis, and the template's (the
//                         value's) more, fit the other one
//   zeros_like            c1 a template of numbers or booleans
//   check_shape_like      c1 value and template of one shape
//   triangle              c1 x of f16, bf16, f32 or f64, rank 2 or more, whose rows and columns
//                         i32 can number   c2 diagonal fits i32   c3 scales are finite
#include "ir/rule.h"

#include <math.h>

enum { MOST_PRIORS = 7 };

static tl_status give_as(tl_rule *r, tl_type value, tl_type shape, const char *label) {
  return tl_rule_give_dims(r, value.dtype, shape.dims, shape.rank, label);
}

// Right-aligned: every dim of `small` is 1 or the same.
static bool broadcasts(tl_type small, tl_type large) {
  if (small.rank > large.rank) return false;
  for (uint32_t d = 0; d < small.rank; d++) {
    int64_t n = small.dims[d];
    if (n != 1 && !tl_dim_agrees(n, large.dims[large.rank - small.rank + d])) return false;
  }
  return true;
}

tl_status tl_infer_sum_to(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0), t = tl_rule_in(r, 1);
  TL_RULE(r, tl_rule_kind(x) != TL_KIND_BOOL, "c1", "wants numbers, got %s", tl_rule_type(r, x));
  TL_RULE(r, broadcasts(t, x), "c2", "%s does not broadcast to %s", tl_rule_type(r, t),
          tl_rule_type(r, x));
  return give_as(r, x, t, "c2");
}

tl_status tl_infer_broadcast_like(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0), t = tl_rule_in(r, 1);
  TL_RULE(r, broadcasts(x, t), "c1", "%s does not broadcast to %s", tl_rule_type(r, x),
          tl_rule_type(r, t));
  return give_as(r, x, t, "c1");
}

// [at, at + n) lies in [0, limit), or may for some sizes.
static bool inside(const tl_rule *r, int64_t at, int64_t n, int64_t limit) {
  int64_t end;
  return tl_dim_add(r->module, at, n, &end) && tl_dim_may_le(r->module, end, limit);
}

static tl_status at_low(tl_rule *r, tl_i64s low, bool slice) {
  tl_type x = tl_rule_in(r, 0), t = tl_rule_in(r, 1);
  TL_RULE(r, x.rank == t.rank, "c1", "ranks of %s and %s differ", tl_rule_type(r, x),
          tl_rule_type(r, t));
  TL_RULE(r, low.len == 0 || low.len == x.rank, "c2", "low has %zu numbers, wants %u", low.len,
          x.rank);
  for (uint32_t d = 0; d < x.rank; d++) {
    int64_t at = low.len == 0 ? 0 : low.ptr[d];
    TL_RULE(r,
            at >= 0 &&
                (slice ? inside(r, at, t.dims[d], x.dims[d]) : inside(r, at, x.dims[d], t.dims[d])),
            "c3", "at low %s, %s does not fit %s", tl_rule_list(r, low),
            tl_rule_type(r, slice ? t : x), tl_rule_type(r, slice ? x : t));
  }
  return give_as(r, x, t, "c1");
}

tl_status tl_infer_pad_to(tl_rule *r) {
  return at_low(r, tl_op_list(r->op, TL_A_PAD_TO_low), false);
}

tl_status tl_infer_slice_at(tl_rule *r) {
  return at_low(r, tl_op_list(r->op, TL_A_SLICE_AT_low), true);
}

static tl_status among(tl_rule *r, int64_t axis, bool slice) {
  uint32_t n = r->op->n_operands;
  TL_RULE(r, n >= 2 && n <= 2 + MOST_PRIORS, "c1",
          "wants a value, a template and at most %d priors, got %u operands", MOST_PRIORS, n);
  tl_type x = tl_rule_in(r, 0), t = tl_rule_in(r, 1);
  for (uint32_t i = 1; i < n; i++)
    TL_RULE(r, tl_rule_in(r, i).rank == x.rank, "c1", "ranks of %s and %s differ",
            tl_rule_type(r, x), tl_rule_type(r, tl_rule_in(r, i)));
  TL_RULE(r, axis >= 0 && axis < x.rank, "c2", "axis %lld is not a dim of %s", (long long)axis,
          tl_rule_type(r, x));
  for (uint32_t d = 0; d < x.rank; d++)
    TL_RULE(r, d == axis || tl_dim_agrees(x.dims[d], t.dims[d]), "c3",
            "%s and %s differ elsewhere than at %lld", tl_rule_type(r, x), tl_rule_type(r, t),
            (long long)axis);
  int64_t at = 0;
  bool fits = true;
  for (uint32_t i = 2; i < n; i++)
    fits = fits && tl_dim_add(r->module, at, tl_rule_in(r, i).dims[axis], &at);
  TL_RULE(r,
          fits && (slice ? inside(r, at, t.dims[axis], x.dims[axis])
                         : inside(r, at, x.dims[axis], t.dims[axis])),
          "c4", "behind %s of the priors, %s does not fit %s", tl_rule_dim(r, at),
          tl_rule_type(r, slice ? t : x), tl_rule_type(r, slice ? x : t));
  return give_as(r, x, t, "c1");
}

tl_status tl_infer_slice_like(tl_rule *r) {
  return among(r, tl_op_i64(r->op, TL_A_SLICE_LIKE_axis), true);
}

tl_status tl_infer_pad_like(tl_rule *r) {
  return among(r, tl_op_i64(r->op, TL_A_PAD_LIKE_axis), false);
}

tl_status tl_infer_zeros_like(tl_rule *r) { return tl_rule_give1(r, tl_rule_in(r, 0), "c1"); }

tl_status tl_infer_check_shape_like(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0), t = tl_rule_in(r, 1);
  TL_RULE(r, tl_rule_shape_eq(x, t), "c1", "%s has not the shape of %s", tl_rule_type(r, x),
          tl_rule_type(r, t));
  return tl_rule_give1(r, x, "c1");
}

tl_status tl_infer_triangle(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0);
  bool matrix = x.rank >= 2 && (x.dtype == TL_DTYPE_F16 || x.dtype == TL_DTYPE_BF16 ||
                                x.dtype == TL_DTYPE_F32 || x.dtype == TL_DTYPE_F64);
  for (uint32_t d = 0; matrix && d < 2; d++)
    matrix = x.dims[x.rank - 1 - d] <= INT32_MAX;
  TL_RULE(r, matrix, "c1", "wants matrices of floats that i32 can number, got %s",
          tl_rule_type(r, x));
  int64_t diagonal = tl_op_i64(r->op, TL_A_TRIANGLE_diagonal);
  TL_RULE(r, diagonal >= INT32_MIN && diagonal <= INT32_MAX, "c2", "diagonal %lld is no i32",
          (long long)diagonal);
  TL_RULE(r,
          isfinite(tl_op_f64(r->op, TL_A_TRIANGLE_diagonal_scale)) &&
              isfinite(tl_op_f64(r->op, TL_A_TRIANGLE_lower_scale)) &&
              isfinite(tl_op_f64(r->op, TL_A_TRIANGLE_upper_scale)),
          "c3", "a scale is not finite");
  return tl_rule_give1(r, x, "c1");
}
