// Type rules of constants, elementwise ops, ops that change shapes, and dot_general.
#include "ir/rule.h"

// ---- Constants and elementwise ops ----

tl_status tl_infer_constant(tl_rule *r) {
  const tl_literal *lit = tl_op_attr(r->op, TL_A_CONSTANT_value)->dense;
  size_t whole, one = tl_dtype_get(lit->type.dtype)->size;
  // One element fills whatever sizes the symbols have.
  const bool fills =
      tl_type_is_static(lit->type)
          ? tl_type_size(lit->type, &whole) && lit->size == (lit->splat ? one : whole)
          : lit->splat && lit->size == one && !tl_type_has_any(lit->type);
  TL_RULE(r, fills, "c1", "its value has %zu bytes, which do not fill %s", lit->size,
          tl_rule_type(r, lit->type));
  return tl_rule_give1(r, lit->type, "c1");
}

tl_status tl_infer_iota(tl_rule *r) {
  tl_type t;
  TL_TRY(tl_rule_declared(r, &t));
  int64_t dim = tl_op_i64(r->op, TL_A_IOTA_iota_dimension);
  TL_RULE(r, tl_rule_kind(t) != TL_KIND_BOOL, "o1", "the result cannot be of %s",
          tl_rule_type(r, t));
  TL_RULE(r, dim >= 0 && dim < t.rank, "c1", "iota_dimension %lld is not a dim of %s",
          (long long)dim, tl_rule_type(r, t));
  return tl_rule_give1(r, t, "c1");
}

static tl_status operands_same(tl_rule *r) {
  tl_type t =
      tl_rule_in(r, 0); // where one is `?`, another may say more: the result's declaration does
  for (uint32_t i = 1; i < r->op->n_operands; i++)
    TL_RULE(r, tl_type_agrees(t, tl_rule_in(r, i)), "c1",
            "wants operands of one type, got %s and %s", tl_rule_type(r, t),
            tl_rule_type(r, tl_rule_in(r, i)));
  return TL_OK;
}

tl_status tl_infer_same_types(tl_rule *r) {
  TL_TRY(operands_same(r));
  tl_type t = tl_rule_in(r, 0);
  tl_dtype_kind kind = tl_rule_kind(t);
  const uint32_t traits = tl_op_get(r->op->code)->traits;
  if (traits & TL_FLOAT_ONLY)
    TL_RULE(r, kind == TL_KIND_FLOAT, "i1", "wants a floating-point type, got %s",
            tl_rule_type(r, t));
  if (traits & TL_INEXACT)
    TL_RULE(r, kind == TL_KIND_FLOAT || kind == TL_KIND_COMPLEX, "i1",
            "wants a floating-point or complex type, got %s", tl_rule_type(r, t));
  switch (r->op->code) {
  case TL_OP_ABS:
  case TL_OP_SIGN:
    TL_RULE(r, kind != TL_KIND_BOOL && kind != TL_KIND_UINT, "i1",
            "wants a signed integer, floating-point or complex type, got %s", tl_rule_type(r, t));
    break;
  case TL_OP_SUBTRACT:
  case TL_OP_DIVIDE:
  case TL_OP_REMAINDER:
  case TL_OP_POWER:
  case TL_OP_NEGATE:
    TL_RULE(r, kind != TL_KIND_BOOL, "i1",
            "wants an integer, floating-point or complex type, got %s", tl_rule_type(r, t));
    break;
  default:
    break;
  }
  if (r->op->code == TL_OP_ABS && kind == TL_KIND_COMPLEX) {
    t.dtype = tl_dtype_part(t.dtype);
    return tl_rule_give1(r, t, "c2");
  }
  return tl_rule_give1(r, t, "c1");
}

tl_status tl_infer_complex(tl_rule *r) {
  static const char *const labels[] = {"i1", "i2"};
  tl_type t = tl_rule_in(r, 0);
  for (uint32_t i = 0; i < 2; i++)
    TL_RULE(r, tl_rule_in(r, i).dtype == TL_DTYPE_F32 || tl_rule_in(r, i).dtype == TL_DTYPE_F64,
            labels[i], "wants f32 or f64, got %s", tl_rule_type(r, tl_rule_in(r, i)));
  TL_TRY(operands_same(r));
  t.dtype = t.dtype == TL_DTYPE_F32 ? TL_DTYPE_C64 : TL_DTYPE_C128;
  if (r->declared != NULL && r->n_declared == 1)
    TL_RULE(r, tl_rule_shape_eq(r->declared[0], t), "c2", "the result is declared %s, but is %s",
            tl_rule_type(r, r->declared[0]), tl_rule_type(r, t));
  return tl_rule_give1(r, t, "c3");
}

tl_status tl_infer_part(tl_rule *r) {
  tl_type t = tl_rule_in(r, 0);
  TL_RULE(r, tl_rule_kind(t) == TL_KIND_FLOAT || tl_rule_kind(t) == TL_KIND_COMPLEX, "i1",
          "wants a floating-point or complex type, got %s", tl_rule_type(r, t));
  t.dtype = tl_dtype_part(t.dtype);
  if (r->declared != NULL && r->n_declared == 1)
    TL_RULE(r, tl_rule_shape_eq(r->declared[0], t), "c1", "the result is declared %s, but is %s",
            tl_rule_type(r, r->declared[0]), tl_rule_type(r, t));
  return tl_rule_give1(r, t, "c2");
}

tl_status tl_infer_same_types_int(tl_rule *r) {
  TL_TRY(operands_same(r));
  tl_type t = tl_rule_in(r, 0);
  bool numbers = false; // no booleans
  switch (r->op->code) {
  case TL_OP_SHIFT_LEFT:
  case TL_OP_SHIFT_RIGHT_ARITHMETIC:
  case TL_OP_SHIFT_RIGHT_LOGICAL:
  case TL_OP_POPCNT:
  case TL_OP_COUNT_LEADING_ZEROS:
  case TL_OP_MULHI:
    numbers = true;
    break;
  default:
    break;
  }
  const tl_dtype_kind kind = tl_rule_kind(t);
  TL_RULE(r, kind == TL_KIND_INT || kind == TL_KIND_UINT || (kind == TL_KIND_BOOL && !numbers),
          "i1", "wants %s type, got %s", numbers ? "an integer" : "a boolean or integer",
          tl_rule_type(r, t));
  return tl_rule_give1(r, t, "c1");
}

tl_status tl_infer_is_finite(tl_rule *r) {
  tl_type t = tl_rule_in(r, 0);
  TL_RULE(r, tl_rule_kind(t) == TL_KIND_FLOAT, "i1", "wants a floating-point type, got %s",
          tl_rule_type(r, t));
  t.dtype = TL_DTYPE_I1;
  return tl_rule_give1(r, t, "c1");
}

tl_status tl_infer_compare(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0), y = tl_rule_in(r, 1);
  TL_RULE(r, x.dtype == y.dtype, "c1", "wants operands of one element type, got %s and %s",
          tl_rule_type(r, x), tl_rule_type(r, y));
  TL_RULE(r, tl_rule_shape_eq(x, y), "c2", "wants operands of one shape, got %s and %s",
          tl_rule_type(r, x), tl_rule_type(r, y));
  int64_t type = tl_op_i64(r->op, TL_A_COMPARE_compare_type);
  bool fits = type == TL_COMPARISON_TYPE_NOTYPE;
  switch (tl_rule_kind(x)) {
  case TL_KIND_BOOL:
  case TL_KIND_UINT:
    fits |= type == TL_COMPARISON_TYPE_UNSIGNED;
    break;
  case TL_KIND_INT:
    fits |= type == TL_COMPARISON_TYPE_SIGNED;
    break;
  case TL_KIND_FLOAT:
    fits |= type == TL_COMPARISON_TYPE_FLOAT || type == TL_COMPARISON_TYPE_TOTALORDER;
    break;
  case TL_KIND_COMPLEX:
    fits |= type == TL_COMPARISON_TYPE_FLOAT;
    break;
  }
  const char *name = tl_enum_name(TL_AK_COMPARISON_TYPE, type);
  TL_RULE(r, fits, "c3", "compare_type %s does not fit %s", name ? name : "?", tl_rule_type(r, x));
  x.dtype = TL_DTYPE_I1;
  return tl_rule_give1(r, x, "c2");
}

tl_status tl_infer_select(tl_rule *r) {
  tl_type p = tl_rule_in(r, 0), x = tl_rule_in(r, 1), y = tl_rule_in(r, 2);
  TL_RULE(r, p.dtype == TL_DTYPE_I1, "i1", "wants a predicate of i1, got %s", tl_rule_type(r, p));
  TL_RULE(r, p.rank == 0 || tl_rule_shape_eq(p, x), "c1", "the predicate is %s, the value %s",
          tl_rule_type(r, p), tl_rule_type(r, x));
  TL_RULE(r, tl_type_agrees(x, y), "c2", "wants values of one type, got %s and %s",
          tl_rule_type(r, x), tl_rule_type(r, y));
  return tl_rule_give1(r, x, "c2");
}

tl_status tl_infer_clamp(tl_rule *r) {
  tl_type lo = tl_rule_in(r, 0), x = tl_rule_in(r, 1), hi = tl_rule_in(r, 2);
  TL_RULE(r, lo.rank == 0 || tl_rule_shape_eq(lo, x), "c1", "min is %s, operand %s",
          tl_rule_type(r, lo), tl_rule_type(r, x));
  TL_RULE(r, hi.rank == 0 || tl_rule_shape_eq(hi, x), "c2", "max is %s, operand %s",
          tl_rule_type(r, hi), tl_rule_type(r, x));
  TL_RULE(r, lo.dtype == x.dtype && hi.dtype == x.dtype, "c3",
          "wants one element type, got %s, %s and %s", tl_rule_type(r, lo), tl_rule_type(r, x),
          tl_rule_type(r, hi));
  return tl_rule_give1(r, x, "c4");
}

tl_status tl_infer_convert(tl_rule *r) {
  tl_type t;
  TL_TRY(tl_rule_declared(r, &t));
  tl_type x = tl_rule_in(r, 0);
  TL_RULE(r, tl_rule_shape_eq(x, t), "c1", "cannot change the shape of %s to %s",
          tl_rule_type(r, x), tl_rule_type(r, t));
  x.dtype = t.dtype;
  return tl_rule_give1(r, x, "c1");
}

tl_status tl_infer_reduce_precision(tl_rule *r) {
  tl_type t = tl_rule_in(r, 0);
  int64_t exponent = tl_op_i64(r->op, TL_A_REDUCE_PRECISION_exponent_bits),
          mantissa = tl_op_i64(r->op, TL_A_REDUCE_PRECISION_mantissa_bits);
  TL_RULE(r, tl_rule_kind(t) == TL_KIND_FLOAT, "i1", "wants a floating-point type, got %s",
          tl_rule_type(r, t));
  TL_RULE(r, exponent >= 1 && exponent <= INT32_MAX, "c2", "%lld exponent bits",
          (long long)exponent);
  TL_RULE(r, mantissa >= 0 && mantissa <= INT32_MAX, "c3", "%lld mantissa bits",
          (long long)mantissa);
  return tl_rule_give1(r, t, "c1");
}

// ---- Shapes ----

tl_status tl_infer_bitcast_convert(tl_rule *r) {
  tl_type t;
  TL_TRY(tl_rule_declared(r, &t));
  tl_type x = tl_rule_in(r, 0);
  TL_RULE(r, (tl_rule_kind(x) == TL_KIND_COMPLEX) == (tl_rule_kind(t) == TL_KIND_COMPLEX), "c2",
          "complex numbers have the bits of complex ones only, got %s and %s", tl_rule_type(r, x),
          tl_rule_type(r, t));
  bool ok = true;
  uint32_t from = tl_dtype_get(x.dtype)->bits, to = tl_dtype_get(t.dtype)->bits;
  uint32_t shared = TL_MIN(x.rank, t.rank);
  for (uint32_t i = 0; i < shared; i++)
    ok &= tl_dim_agrees(x.dims[i], t.dims[i]);
  if (from == to)
    ok &= x.rank == t.rank;
  else if (from > to) // each element becomes a row of smaller ones
    ok = ok && t.rank == x.rank + 1 && from % to == 0 && tl_dim_agrees(t.dims[x.rank], from / to);
  else
    ok = ok && x.rank == t.rank + 1 && to % from == 0 && tl_dim_agrees(x.dims[t.rank], to / from);
  TL_RULE(r, ok, "c1", "the bits of %s are not those of %s", tl_rule_type(r, x),
          tl_rule_type(r, t));
  int64_t dims[TL_MAX_RANK];
  if (shared > 0) memcpy(dims, x.dims, shared * sizeof *dims);
  if (t.rank > x.rank) dims[x.rank] = from / to;
  return tl_rule_give_dims(r, t.dtype, dims, t.rank, "c1");
}

tl_status tl_infer_reshape(tl_rule *r) {
  tl_type t;
  TL_TRY(tl_rule_declared(r, &t));
  tl_type x = tl_rule_in(r, 0);
  TL_RULE(r, x.dtype == t.dtype, "c1", "cannot change the element type of %s to %s",
          tl_rule_type(r, x), tl_rule_type(r, t));
  int64_t from, to;
  TL_RULE(r,
          tl_dim_product(r->module, x, &from) && tl_dim_product(r->module, t, &to) &&
              tl_dim_agrees(from, to),
          "c2", "%s has another number of elements than %s", tl_rule_type(r, t),
          tl_rule_type(r, x));
  return tl_rule_give1(r, t, "c2");
}

tl_status tl_infer_transpose(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0);
  tl_i64s p = tl_op_list(r->op, TL_A_TRANSPOSE_permutation);
  TL_RULE(r, p.len == x.rank && tl_rule_within(p, x.rank) && tl_rule_unique(p), "c2",
          "%s is no permutation of the %u dims of %s", tl_rule_list(r, p), x.rank,
          tl_rule_type(r, x));
  int64_t dims[TL_MAX_RANK];
  for (uint32_t i = 0; i < x.rank; i++)
    dims[i] = x.dims[p.ptr[i]];
  return tl_rule_give_dims(r, x.dtype, dims, x.rank, "c1|c3");
}

tl_status tl_infer_broadcast_in_dim(tl_rule *r) {
  tl_type t;
  TL_TRY(tl_rule_declared(r, &t));
  tl_type x = tl_rule_in(r, 0);
  tl_i64s d = tl_op_list(r->op, TL_A_BROADCAST_IN_DIM_broadcast_dimensions);
  TL_RULE(r, x.dtype == t.dtype, "c1", "cannot change the element type of %s to %s",
          tl_rule_type(r, x), tl_rule_type(r, t));
  TL_RULE(r, d.len == x.rank, "c2", "%zu broadcast dims for an operand of rank %u", d.len, x.rank);
  TL_RULE(r, tl_rule_within(d, t.rank), "c3", "broadcast dims %s are not dims of %s",
          tl_rule_list(r, d), tl_rule_type(r, t));
  TL_RULE(r, tl_rule_unique(d), "c4", "broadcast dims %s name one dim twice", tl_rule_list(r, d));
  for (uint32_t i = 0; i < x.rank; i++)
    TL_RULE(r, x.dims[i] == 1 || tl_dim_agrees(x.dims[i], t.dims[d.ptr[i]]), "c5",
            "dim %u of %s does not spread over dim %lld of %s", i, tl_rule_type(r, x),
            (long long)d.ptr[i], tl_rule_type(r, t));
  return tl_rule_give1(r, t, "c1");
}

tl_status tl_infer_concatenate(tl_rule *r) {
  const tl_op *op = r->op;
  TL_RULE(r, op->n_operands > 0, "c3", "wants at least one operand");
  tl_type x = tl_rule_in(r, 0);
  int64_t dim = tl_op_i64(op, TL_A_CONCATENATE_dimension);
  TL_RULE(r, dim >= 0 && dim < x.rank, "c4", "dimension %lld is not a dim of %s", (long long)dim,
          tl_rule_type(r, x));
  int64_t dims[TL_MAX_RANK];
  memcpy(dims, x.dims, x.rank * sizeof *dims);
  for (uint32_t i = 1; i < op->n_operands; i++) {
    tl_type y = tl_rule_in(r, i);
    TL_RULE(r, x.dtype == y.dtype, "c1", "wants operands of one element type, got %s and %s",
            tl_rule_type(r, x), tl_rule_type(r, y));
    bool same = x.rank == y.rank;
    for (uint32_t d = 0; same && d < x.rank; d++)
      same = d == dim || tl_dim_agrees(dims[d], y.dims[d]);
    TL_RULE(r, same, "c2", "%s and %s differ in more than dimension %lld", tl_rule_type(r, x),
            tl_rule_type(r, y), (long long)dim);
    TL_RULE(r, tl_dim_add(r->module, dims[dim], y.dims[dim], &dims[dim]), "c6",
            "the result is too large");
    for (uint32_t d = 0; d < x.rank; d++)
      if (d != dim && tl_dim_is_any(dims[d])) dims[d] = y.dims[d];
  }
  return tl_rule_give_dims(r, x.dtype, dims, x.rank, "c5|c6");
}

tl_status tl_infer_slice(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0);
  tl_i64s start = tl_op_list(r->op, TL_A_SLICE_start_indices),
          limit = tl_op_list(r->op, TL_A_SLICE_limit_indices),
          stride = tl_op_list(r->op, TL_A_SLICE_strides);
  TL_RULE(r, start.len == x.rank && limit.len == x.rank && stride.len == x.rank, "c2",
          "%zu starts, %zu limits and %zu strides for an operand of rank %u", start.len, limit.len,
          stride.len, x.rank);
  int64_t dims[TL_MAX_RANK];
  for (uint32_t i = 0; i < x.rank; i++) {
    TL_RULE(r,
            0 <= start.ptr[i] && start.ptr[i] <= limit.ptr[i] &&
                tl_dim_may_le(r->module, limit.ptr[i], x.dims[i]),
            "c3", "%lld:%lld is no range of dim %u of %s", (long long)start.ptr[i],
            (long long)limit.ptr[i], i, tl_rule_type(r, x));
    TL_RULE(r, stride.ptr[i] > 0, "c4", "stride %lld of dim %u is not positive",
            (long long)stride.ptr[i], i);
    int64_t span = limit.ptr[i] - start.ptr[i];
    dims[i] = span / stride.ptr[i] + (span % stride.ptr[i] != 0);
  }
  return tl_rule_give_dims(r, x.dtype, dims, x.rank, "c1|c5");
}

tl_status tl_infer_pad(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0), v = tl_rule_in(r, 1);
  tl_i64s low = tl_op_list(r->op, TL_A_PAD_edge_padding_low),
          high = tl_op_list(r->op, TL_A_PAD_edge_padding_high),
          inner = tl_op_list(r->op, TL_A_PAD_interior_padding);
  TL_RULE(r, v.rank == 0, "i2", "wants a scalar to pad with, got %s", tl_rule_type(r, v));
  TL_RULE(r, x.dtype == v.dtype, "c1", "pads %s with %s", tl_rule_type(r, x), tl_rule_type(r, v));
  TL_RULE(r, low.len == x.rank && high.len == x.rank && inner.len == x.rank, "c2",
          "%zu low, %zu high and %zu interior paddings for an operand of rank %u", low.len,
          high.len, inner.len, x.rank);
  int64_t dims[TL_MAX_RANK];
  for (uint32_t i = 0; i < x.rank; i++) {
    TL_RULE(r, inner.ptr[i] >= 0, "c3", "interior padding %lld of dim %u is negative",
            (long long)inner.ptr[i], i);
    int64_t d = x.dims[i], between = 0, both;
    bool ok = TL_ADD_OK(low.ptr[i], high.ptr[i], &both);
    if (inner.ptr[i] > 0) // max(d - 1, 0) gaps
      ok = ok && tl_dim_windows(r->module, d, 1, -1, 1, 0, 0, &between) &&
           tl_dim_mul(r->module, between, inner.ptr[i], &between);
    ok = ok && tl_dim_add(r->module, d, between, &d) && tl_dim_affine(r->module, d, 1, both, &d);
    TL_RULE(r, ok, "c4", "dim %u of %s would not be a size", i, tl_rule_type(r, x));
    dims[i] = d;
  }
  return tl_rule_give_dims(r, x.dtype, dims, x.rank, "c4");
}

tl_status tl_infer_reverse(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0);
  tl_i64s d = tl_op_list(r->op, TL_A_REVERSE_dimensions);
  TL_RULE(r, tl_rule_unique(d), "c2", "dims %s name one dim twice", tl_rule_list(r, d));
  TL_RULE(r, tl_rule_within(d, x.rank), "c3", "dims %s are not dims of %s", tl_rule_list(r, d),
          tl_rule_type(r, x));
  return tl_rule_give1(r, x, "c1");
}

tl_status tl_infer_dot_general(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0), y = tl_rule_in(r, 1);
  tl_i64s xb = tl_op_list(r->op, TL_A_DOT_GENERAL_lhs_batching_dimensions),
          yb = tl_op_list(r->op, TL_A_DOT_GENERAL_rhs_batching_dimensions),
          xc = tl_op_list(r->op, TL_A_DOT_GENERAL_lhs_contracting_dimensions),
          yc = tl_op_list(r->op, TL_A_DOT_GENERAL_rhs_contracting_dimensions),
          precision = tl_op_list(r->op, TL_A_DOT_GENERAL_precision_config);
  TL_RULE(r, xb.len == yb.len, "c1", "lhs batches %zu dims, rhs %zu", xb.len, yb.len);
  TL_RULE(r, xc.len == yc.len, "c2", "lhs contracts %zu dims, rhs %zu", xc.len, yc.len);
  TL_RULE(r, tl_rule_within(xb, x.rank), "c5", "lhs batching dims %s are not dims of %s",
          tl_rule_list(r, xb), tl_rule_type(r, x));
  TL_RULE(r, tl_rule_within(xc, x.rank), "c6", "lhs contracting dims %s are not dims of %s",
          tl_rule_list(r, xc), tl_rule_type(r, x));
  TL_RULE(r, tl_rule_within(yb, y.rank), "c7", "rhs batching dims %s are not dims of %s",
          tl_rule_list(r, yb), tl_rule_type(r, y));
  TL_RULE(r, tl_rule_within(yc, y.rank), "c8", "rhs contracting dims %s are not dims of %s",
          tl_rule_list(r, yc), tl_rule_type(r, y));
  bool x_used[TL_MAX_RANK] = {false}, y_used[TL_MAX_RANK] = {false};
  int64_t dims[2 * TL_MAX_RANK];
  uint32_t rank = 0;
  for (size_t i = 0; i < xb.len + xc.len; i++) {
    int64_t a = i < xb.len ? xb.ptr[i] : xc.ptr[i - xb.len],
            b = i < xb.len ? yb.ptr[i] : yc.ptr[i - xb.len];
    TL_RULE(r, !x_used[a], "c3", "lhs dim %lld is named twice", (long long)a);
    TL_RULE(r, !y_used[b], "c4", "rhs dim %lld is named twice", (long long)b);
    x_used[a] = y_used[b] = true;
    bool batch = i < xb.len;
    TL_RULE(r, tl_dim_agrees(x.dims[a], y.dims[b]), batch ? "c9" : "c10", "lhs %s %s, rhs %s %s",
            batch ? "batches" : "contracts", tl_rule_dim(r, x.dims[a]),
            batch ? "batches" : "contracts", tl_rule_dim(r, y.dims[b]));
    if (batch) dims[rank++] = tl_dim_is_any(x.dims[a]) ? y.dims[b] : x.dims[a];
  }
  TL_RULE(r, precision.len == 0 || precision.len == 2, "c11",
          "precision_config has %zu entries, wants 2", precision.len);
  for (size_t i = 0; i < precision.len; i++)
    TL_RULE(r,
            precision.ptr[i] == TL_PRECISION_DEFAULT ||
                tl_op_i64(r->op, TL_A_DOT_GENERAL_algorithm) == TL_DOT_ALGORITHM_NONE,
            "c21", "an algorithm goes with the precision DEFAULT");
  TL_RULE(r, x.dtype == y.dtype, "c13", "wants operands of one element type, got %s and %s",
          tl_rule_type(r, x), tl_rule_type(r, y));
  for (uint32_t i = 0; i < x.rank; i++)
    if (!x_used[i]) dims[rank++] = x.dims[i];
  for (uint32_t i = 0; i < y.rank; i++)
    if (!y_used[i]) dims[rank++] = y.dims[i];
  // The result may be of another element type (bf16 factors summed into f32), which only its
  // declaration says.
  tl_dtype dtype = x.dtype;
  if (r->declared != NULL && r->n_declared == 1 && tl_rule_sums_into(x, r->declared[0]))
    dtype = r->declared[0].dtype;
  return tl_rule_give_dims(r, dtype, dims, rank, "c12");
}
