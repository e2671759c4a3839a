// Type rules of the named ops of networks and losses. Their constraints are numbered here, in the
// order of the checks:
//
//   log_softmax, logsumexp  c1 x of f32 or f64   c2 axis is a dim of x, with elements
//   argmax                  c1 x of numbers   c2 axis, likewise, and i32 can number it
//   mean                    c1 x of f32 or f64   c2 dimensions are different dims of x
//   cross_entropy           c1 logits [..., C] of f32 or f64, C > 0
//                           c2 labels of the logits' type, or i32 without the last dim
//   soft_cross_entropy      c1 student [..., C] of f32 or f64, C > 0   c2 teacher of its type
//                           c3 temperature is positive and finite
//   take_along              c1 axis is a dim of x, with elements
//                           c2 indices of i32 with x's other dims
//   take_along_grad         c1, c2 as take_along's, of the template
//                           c3 upstream of numbers of the template's element type and the
//                           indices' shape
//   embedding_grad          c1 table [V,D] of numbers, V > 0   c2 indices of i32
//                           c3 upstream [..., D] of the table's element type
#include "ir/rule.h"

#include <math.h>

static bool is_number(tl_type t) { return tl_rule_kind(t) != TL_KIND_BOOL; }

static bool has_elements(tl_type t, int64_t axis) {
  return axis >= 0 && axis < t.rank && t.dims[axis] != 0;
}

// t without one dim.
static tl_status give_without(tl_rule *r, tl_dtype dtype, tl_type t, int64_t axis) {
  int64_t dims[TL_MAX_RANK];
  uint32_t n = 0;
  for (uint32_t d = 0; d < t.rank; d++)
    if (d != axis) dims[n++] = t.dims[d];
  return tl_rule_give_dims(r, dtype, dims, n, "c1");
}

static tl_status wide_with_axis(tl_rule *r, int64_t axis) {
  tl_type x = tl_rule_in(r, 0);
  TL_RULE(r, tl_rule_is_wide(x), "c1", "wants f32 or f64, got %s", tl_rule_type(r, x));
  TL_RULE(r, has_elements(x, axis), "c2", "axis %lld is not a dim of %s with elements",
          (long long)axis, tl_rule_type(r, x));
  return TL_OK;
}

tl_status tl_infer_log_softmax(tl_rule *r) {
  TL_TRY(wide_with_axis(r, tl_op_i64(r->op, TL_A_LOG_SOFTMAX_axis)));
  return tl_rule_give1(r, tl_rule_in(r, 0), "c1");
}

tl_status tl_infer_logsumexp(tl_rule *r) {
  int64_t axis = tl_op_i64(r->op, TL_A_LOGSUMEXP_axis);
  TL_TRY(wide_with_axis(r, axis));
  return give_without(r, tl_rule_in(r, 0).dtype, tl_rule_in(r, 0), axis);
}

tl_status tl_infer_argmax(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0);
  int64_t axis = tl_op_i64(r->op, TL_A_ARGMAX_axis);
  TL_RULE(r, is_number(x), "c1", "wants numbers, got %s", tl_rule_type(r, x));
  TL_RULE(r, has_elements(x, axis) && x.dims[axis] <= INT32_MAX, "c2",
          "axis %lld is not a dim of %s with elements that i32 can number", (long long)axis,
          tl_rule_type(r, x));
  return give_without(r, TL_DTYPE_S32, x, axis);
}

tl_status tl_infer_mean(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0);
  tl_i64s over = tl_op_list(r->op, TL_A_MEAN_dimensions);
  TL_RULE(r, tl_rule_is_wide(x), "c1", "wants f32 or f64, got %s", tl_rule_type(r, x));
  TL_RULE(r, tl_rule_within(over, x.rank) && tl_rule_unique(over), "c2",
          "dimensions %s are not different dims of %s", tl_rule_list(r, over), tl_rule_type(r, x));
  int64_t dims[TL_MAX_RANK];
  uint32_t n = 0;
  for (uint32_t d = 0; d < x.rank; d++) {
    bool gone = over.len == 0 || tl_rule_has(over, d);
    if (!gone || tl_op_i64(r->op, TL_A_MEAN_keep_dims)) dims[n++] = gone ? 1 : x.dims[d];
  }
  return tl_rule_give_dims(r, x.dtype, dims, n, "c2");
}

tl_status tl_infer_cross_entropy(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0), labels = tl_rule_in(r, 1);
  TL_RULE(r, tl_rule_is_wide(x) && has_elements(x, (int64_t)x.rank - 1), "c1",
          "wants logits [..., C] of f32 or f64, got %s", tl_rule_type(r, x));
  tl_type classes = {TL_DTYPE_S32, x.rank - 1, x.dims};
  TL_RULE(r, tl_type_agrees(labels, x) || tl_type_agrees(labels, classes), "c2",
          "wants labels %s, or the number of the class of each row in i32, got %s",
          tl_rule_type(r, x), tl_rule_type(r, labels));
  return tl_rule_give1(r, tl_type_scalar(x.dtype), "c1");
}

tl_status tl_infer_soft_cross_entropy(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0), teacher = tl_rule_in(r, 1);
  double t = tl_op_f64(r->op, TL_A_SOFT_CROSS_ENTROPY_temperature);
  TL_RULE(r, tl_rule_is_wide(x) && has_elements(x, (int64_t)x.rank - 1), "c1",
          "wants logits [..., C] of f32 or f64, got %s", tl_rule_type(r, x));
  TL_RULE(r, tl_type_agrees(x, teacher), "c2", "student is %s, teacher %s", tl_rule_type(r, x),
          tl_rule_type(r, teacher));
  TL_RULE(r, isfinite(t) && t > 0, "c3", "temperature %g is not positive and finite", t);
  return give_without(r, x.dtype, x, (int64_t)x.rank - 1);
}

static tl_status along(const tl_rule *r, tl_type x, tl_type indices, int64_t axis) {
  TL_RULE(r, has_elements(x, axis) && x.dims[axis] <= INT32_MAX, "c1",
          "axis %lld is not a dim of %s with elements that i32 can number", (long long)axis,
          tl_rule_type(r, x));
  bool fits = indices.dtype == TL_DTYPE_S32 && indices.rank == x.rank;
  for (uint32_t d = 0; fits && d < x.rank; d++)
    fits = d == axis || tl_dim_agrees(indices.dims[d], x.dims[d]);
  TL_RULE(r, fits, "c2", "indices %s along dim %lld do not fit %s", tl_rule_type(r, indices),
          (long long)axis, tl_rule_type(r, x));
  return TL_OK;
}

tl_status tl_infer_take_along(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0), indices = tl_rule_in(r, 1);
  TL_TRY(along(r, x, indices, tl_op_i64(r->op, TL_A_TAKE_ALONG_axis)));
  return tl_rule_give_dims(r, x.dtype, indices.dims, indices.rank, "c1");
}

tl_status tl_infer_take_along_grad(tl_rule *r) {
  tl_type indices = tl_rule_in(r, 0), up = tl_rule_in(r, 1), x = tl_rule_in(r, 2);
  TL_TRY(along(r, x, indices, tl_op_i64(r->op, TL_A_TAKE_ALONG_GRAD_axis)));
  TL_RULE(r, is_number(x) && up.dtype == x.dtype && tl_rule_shape_eq(up, indices), "c3",
          "upstream %s does not fit indices %s and template %s", tl_rule_type(r, up),
          tl_rule_type(r, indices), tl_rule_type(r, x));
  return tl_rule_give1(r, x, "c1");
}

tl_status tl_infer_embedding_grad(tl_rule *r) {
  tl_type indices = tl_rule_in(r, 0), up = tl_rule_in(r, 1), table = tl_rule_in(r, 2);
  TL_RULE(r, table.rank == 2 && table.dims[0] != 0 && is_number(table), "c1",
          "wants a table [V, D] of numbers, got %s", tl_rule_type(r, table));
  TL_RULE(r, indices.dtype == TL_DTYPE_S32, "c2", "wants indices of i32, got %s",
          tl_rule_type(r, indices));
  bool fits = up.dtype == table.dtype && up.rank == indices.rank + 1 &&
              tl_dim_agrees(up.dims[indices.rank], table.dims[1]);
  for (uint32_t d = 0; fits && d < indices.rank; d++)
    fits = tl_dim_agrees(up.dims[d], indices.dims[d]);
  TL_RULE(r, fits, "c3", "upstream %s does not fit indices %s of %s", tl_rule_type(r, up),
          tl_rule_type(r, indices), tl_rule_type(r, table));
  return tl_rule_give1(r, table, "c1");
}
