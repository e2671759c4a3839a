// Type rules of norms over a batch or a row, of attention over whole sequences, and of the gated
// network behind it. The constraints are numbered here, in the order of the checks:
//
//   batch_norm                    c1 x of f32 or f64, rank 2 or more   c2 axis is a dim of x
//                                 c3 gamma and beta [C] of x's element type, C x's size along
//                                 axis   c4 eps is finite and not negative
//   layer_norm                    c1 x of f32 or f64, rank 1 or more
//                                 c2 weight [n] of x's element type
//                                 c3 bias likewise, if there is one   c4 eps
//   scaled_dot_product_attention  c1 query [..., H, T, D] of f32 or f64
//                                 c2 key [..., G, S, D] of the same leading dims and element type,
//                                 G a divisor of H (where there is an H), S > 0
//                                 c3 value [..., G, S, E] likewise, the key's G and S
//                                 c4 scale is finite
//   transformer_mlp               c1 x [..., D] of f32 or f64
//                                 c2 gate and up [D, F] of x's element type, both the same
//                                 c3 down [F, E] likewise
#include "ir/rule.h"

#include <math.h>

static bool is_row(tl_type row, tl_type x, uint32_t axis) {
  return row.rank == 1 && row.dtype == x.dtype && tl_dim_agrees(row.dims[0], x.dims[axis]);
}

static tl_status eps_sound(const tl_rule *r, double eps) {
  TL_RULE(r, isfinite(eps) && eps >= 0, "c4", "eps %g is negative or not finite", eps);
  return TL_OK;
}

tl_status tl_infer_batch_norm(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0), gamma = tl_rule_in(r, 1), beta = tl_rule_in(r, 2);
  int64_t axis = tl_op_i64(r->op, TL_A_BATCH_NORM_axis);
  TL_RULE(r, tl_rule_is_wide(x) && x.rank >= 2, "c1", "wants f32 or f64 of rank 2 or more, got %s",
          tl_rule_type(r, x));
  TL_RULE(r, axis >= 0 && axis < x.rank, "c2", "axis %lld is not a dim of %s", (long long)axis,
          tl_rule_type(r, x));
  TL_RULE(r, is_row(gamma, x, (uint32_t)axis) && is_row(beta, x, (uint32_t)axis), "c3",
          "gamma %s and beta %s do not fit dim %lld of %s", tl_rule_type(r, gamma),
          tl_rule_type(r, beta), (long long)axis, tl_rule_type(r, x));
  TL_TRY(eps_sound(r, tl_op_f64(r->op, TL_A_BATCH_NORM_eps)));
  return tl_rule_give1(r, x, "c1");
}

tl_status tl_infer_layer_norm(tl_rule *r) {
  uint32_t n = r->op->n_operands;
  TL_RULE(r, n == 2 || n == 3, NULL, "wants 2 or 3 operands, got %u", n);
  tl_type x = tl_rule_in(r, 0);
  TL_RULE(r, tl_rule_is_wide(x) && x.rank > 0, "c1", "wants f32 or f64 of rank 1 or more, got %s",
          tl_rule_type(r, x));
  for (uint32_t i = 1; i < n; i++)
    TL_RULE(r, is_row(tl_rule_in(r, i), x, x.rank - 1), i == 1 ? "c2" : "c3",
            "%s %s does not fit the last dim of %s", i == 1 ? "weight" : "bias",
            tl_rule_type(r, tl_rule_in(r, i)), tl_rule_type(r, x));
  TL_TRY(eps_sound(r, tl_op_f64(r->op, TL_A_LAYER_NORM_eps)));
  return tl_rule_give1(r, x, "c1");
}

// Of one element type and the same leading dims, of which the last is the query's or divides it.
static bool fits_heads(tl_type q, tl_type x) {
  if (q.rank != x.rank || q.dtype != x.dtype) return false;
  for (uint32_t d = 0; d + 3 < q.rank; d++)
    if (!tl_dim_agrees(q.dims[d], x.dims[d])) return false;
  if (q.rank < 3) return true;
  const int64_t heads = q.dims[q.rank - 3], groups = x.dims[q.rank - 3];
  return tl_dim_agrees(groups, heads) ||
         (q.rank < TL_MAX_RANK && groups > 0 && heads > 0 && heads % groups == 0);
}

tl_status tl_infer_scaled_dot_product_attention(tl_rule *r) {
  tl_type q = tl_rule_in(r, 0), k = tl_rule_in(r, 1), v = tl_rule_in(r, 2);
  TL_RULE(r, tl_rule_is_wide(q) && q.rank >= 2, "c1",
          "wants a query [..., T, D] of f32 or f64, got %s", tl_rule_type(r, q));
  uint32_t rows = q.rank - 2, last = q.rank - 1;
  TL_RULE(r, fits_heads(q, k) && tl_dim_agrees(k.dims[last], q.dims[last]) && k.dims[rows] != 0,
          "c2", "key %s does not fit query %s", tl_rule_type(r, k), tl_rule_type(r, q));
  TL_RULE(r,
          fits_heads(q, v) && tl_dim_agrees(v.dims[rows], k.dims[rows]) &&
              (rows == 0 || tl_dim_agrees(v.dims[rows - 1], k.dims[rows - 1])),
          "c3", "value %s does not fit key %s", tl_rule_type(r, v), tl_rule_type(r, k));
  TL_RULE(r, isfinite(tl_op_f64(r->op, TL_A_SCALED_DOT_PRODUCT_ATTENTION_scale)), "c4",
          "scale is not finite");
  int64_t dims[TL_MAX_RANK];
  memcpy(dims, q.dims, q.rank * sizeof *dims);
  dims[last] = v.dims[last];
  return tl_rule_give_dims(r, q.dtype, dims, q.rank, "c3");
}

static bool is_matrix(tl_type w, tl_dtype dtype, int64_t rows, int64_t columns) {
  return w.rank == 2 && w.dtype == dtype && tl_dim_agrees(w.dims[0], rows) &&
         tl_dim_agrees(w.dims[1], columns);
}

tl_status tl_infer_transformer_mlp(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0), gate = tl_rule_in(r, 1), up = tl_rule_in(r, 2),
          down = tl_rule_in(r, 3);
  TL_RULE(r, tl_rule_is_wide(x) && x.rank > 0, "c1", "wants f32 or f64 of rank 1 or more, got %s",
          tl_rule_type(r, x));
  const int64_t width = x.dims[x.rank - 1];
  TL_RULE(r,
          gate.rank == 2 && is_matrix(gate, x.dtype, width, gate.dims[1]) &&
              is_matrix(up, x.dtype, width, gate.dims[1]),
          "c2", "gate %s and up %s do not fit x %s", tl_rule_type(r, gate), tl_rule_type(r, up),
          tl_rule_type(r, x));
  TL_RULE(r, down.rank == 2 && is_matrix(down, x.dtype, gate.dims[1], down.dims[1]), "c3",
          "down %s does not fit gate %s", tl_rule_type(r, down), tl_rule_type(r, gate));
  int64_t dims[TL_MAX_RANK];
  memcpy(dims, x.dims, x.rank * sizeof *dims);
  dims[x.rank - 1] = down.dims[1];
  return tl_rule_give_dims(r, x.dtype, dims, x.rank, "c3");
}
