// Type rules of ops whose shapes are operands, and of those that ask for a dim or set one.
//
// What the values of shape operands decide is checked when they are known: by tl_dynamic_fix, in
// the interpreter and in the pass that puts sizes in. real_dynamic_slice and set_dimension_size
// have no section in the specification: the labels of the first are slice's, of the second
// get_dimension_size's.
#include "ir/rule.h"

#include "ir/dynamic.h"

// A list of `len` integers, in operand i.
static tl_status shape_operand(const tl_rule *r, uint32_t i, uint32_t len, const char *label) {
  tl_type t = tl_rule_in(r, i);
  tl_dtype_kind kind = tl_rule_kind(t);
  char input[8] = {'i', (char)('1' + i), 0};
  TL_RULE(r, t.rank == 1 && (kind == TL_KIND_INT || kind == TL_KIND_UINT), input,
          "wants a list of integers, got %s", tl_rule_type(r, t));
  TL_RULE(r, tl_dim_agrees(t.dims[0], len), label, "operand %u has %s entries, wants %u", i,
          tl_rule_dim(r, t.dims[0]), len);
  return TL_OK;
}

static tl_status same_dtype(const tl_rule *r, tl_type a, tl_type b, const char *label) {
  TL_RULE(r, a.dtype == b.dtype, label, "wants one element type, got %s and %s", tl_rule_type(r, a),
          tl_rule_type(r, b));
  return TL_OK;
}

tl_status tl_infer_get_dimension_size(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0);
  int64_t d = tl_op_i64(r->op, TL_A_GET_DIMENSION_SIZE_dimension);
  TL_RULE(r, d >= 0 && d < x.rank, "c1", "dimension %lld is not a dim of %s", (long long)d,
          tl_rule_type(r, x));
  return tl_rule_give1(r, tl_type_scalar(TL_DTYPE_S32), "o1");
}

tl_status tl_infer_set_dimension_size(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0), size = tl_rule_in(r, 1), t;
  int64_t d = tl_op_i64(r->op, TL_A_SET_DIMENSION_SIZE_dimension);
  TL_RULE(r, size.rank == 0 && size.dtype == TL_DTYPE_S32, "i2", "wants a size of i32, got %s",
          tl_rule_type(r, size));
  TL_RULE(r, d >= 0 && d < x.rank, "c1", "dimension %lld is not a dim of %s", (long long)d,
          tl_rule_type(r, x));
  TL_TRY(tl_rule_declared(r, &t));
  bool same = t.dtype == x.dtype && t.rank == x.rank;
  for (uint32_t i = 0; same && i < t.rank; i++)
    same = i != d ? tl_dim_agrees(t.dims[i], x.dims[i])
           : tl_dim_is_bounded(t.dims[i]) && x.dims[i] >= 0
               ? tl_dim_bound(t.dims[i]) == x.dims[i] // its room is the operand's
               : tl_dim_may_le(r->module, t.dims[i], x.dims[i]);
  TL_RULE(r, same, "o1", "the result is declared %s, which is no part of %s along dim %lld",
          tl_rule_type(r, t), tl_rule_type(r, x), (long long)d);
  return tl_rule_give1(r, t, "o1");
}

tl_status tl_infer_dynamic_broadcast_in_dim(tl_rule *r) {
  const tl_op *op = r->op;
  tl_type x = tl_rule_in(r, 0), t;
  tl_i64s d = tl_op_list(op, TL_A_DYNAMIC_BROADCAST_IN_DIM_broadcast_dimensions),
          yes = tl_op_list(op, TL_A_DYNAMIC_BROADCAST_IN_DIM_known_expanding_dimensions),
          no = tl_op_list(op, TL_A_DYNAMIC_BROADCAST_IN_DIM_known_nonexpanding_dimensions);
  TL_TRY(tl_rule_declared(r, &t));
  TL_TRY(same_dtype(r, x, t, "c1"));
  TL_RULE(r, d.len == x.rank, "c2", "%zu broadcast dims for an operand of rank %u", d.len, x.rank);
  TL_RULE(r, tl_rule_within(d, t.rank), "c3", "broadcast dims %s are not dims of %s",
          tl_rule_list(r, d), tl_rule_type(r, t));
  TL_RULE(r, tl_rule_unique(d), "c4", "broadcast dims %s name one dim twice", tl_rule_list(r, d));
  for (uint32_t i = 0; i < x.rank; i++)
    TL_RULE(r, x.dims[i] == 1 || tl_dim_agrees(x.dims[i], t.dims[d.ptr[i]]), "c5",
            "dim %u of %s does not spread over dim %lld of %s", i, tl_rule_type(r, x),
            (long long)d.ptr[i], tl_rule_type(r, t));
  TL_TRY(shape_operand(r, 1, t.rank, "c7"));
  bool unique = tl_rule_unique(yes) && tl_rule_unique(no);
  for (size_t i = 0; i < yes.len; i++)
    unique &= !tl_rule_has(no, yes.ptr[i]);
  TL_RULE(r, unique, "c8", "expanding dims %s and nonexpanding dims %s name one dim twice",
          tl_rule_list(r, yes), tl_rule_list(r, no));
  TL_RULE(r, tl_rule_within(yes, x.rank), "c9", "expanding dims %s are not dims of %s",
          tl_rule_list(r, yes), tl_rule_type(r, x));
  TL_RULE(r, tl_rule_within(no, x.rank), "c10", "nonexpanding dims %s are not dims of %s",
          tl_rule_list(r, no), tl_rule_type(r, x));
  return tl_rule_give1(r, t, "c1");
}

tl_status tl_infer_dynamic_reshape(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0), t;
  TL_TRY(tl_rule_declared(r, &t));
  TL_TRY(same_dtype(r, x, t, "c1"));
  int64_t from, to;
  TL_RULE(r,
          tl_dim_product(r->module, x, &from) && tl_dim_product(r->module, t, &to) &&
              tl_dim_agrees(from, to),
          "c2", "%s has another number of elements than %s", tl_rule_type(r, t),
          tl_rule_type(r, x));
  TL_TRY(shape_operand(r, 1, t.rank, "c4"));
  return tl_rule_give1(r, t, "c2");
}

tl_status tl_infer_dynamic_iota(tl_rule *r) {
  tl_type t;
  TL_TRY(tl_rule_declared(r, &t));
  int64_t dim = tl_op_i64(r->op, TL_A_DYNAMIC_IOTA_iota_dimension);
  TL_RULE(r, tl_rule_kind(t) != TL_KIND_BOOL, "o1", "the result cannot be of %s",
          tl_rule_type(r, t));
  TL_TRY(shape_operand(r, 0, t.rank, "c2"));
  TL_RULE(r, dim >= 0 && dim < t.rank, "c1", "iota_dimension %lld is not a dim of %s",
          (long long)dim, tl_rule_type(r, t));
  return tl_rule_give1(r, t, "c2");
}

tl_status tl_infer_dynamic_pad(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0), v = tl_rule_in(r, 1), t;
  TL_TRY(tl_rule_declared(r, &t));
  TL_RULE(r, v.rank == 0, "i2", "wants a scalar to pad with, got %s", tl_rule_type(r, v));
  TL_TRY(same_dtype(r, x, v, "c1"));
  TL_TRY(same_dtype(r, x, t, "c1"));
  for (uint32_t i = 2; i < 5; i++)
    TL_TRY(shape_operand(r, i, x.rank, "c2"));
  TL_RULE(r, t.rank == x.rank, "c4", "the result is declared %s, the operand is %s",
          tl_rule_type(r, t), tl_rule_type(r, x));
  return tl_rule_give1(r, t, "c4");
}

tl_status tl_infer_real_dynamic_slice(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0), t;
  TL_TRY(tl_rule_declared(r, &t));
  TL_TRY(same_dtype(r, x, t, "c1"));
  for (uint32_t i = 1; i < 4; i++) {
    TL_TRY(shape_operand(r, i, x.rank, "c2"));
    TL_TRY(same_dtype(r, tl_rule_in(r, 1), tl_rule_in(r, i), "i3"));
  }
  TL_RULE(r, t.rank == x.rank, "c5", "the result is declared %s, the operand is %s",
          tl_rule_type(r, t), tl_rule_type(r, x));
  return tl_rule_give1(r, t, "c5");
}

tl_status tl_infer_dynamic_gather(tl_rule *r) {
  const tl_op *op = r->op;
  tl_type x = tl_rule_in(r, 0), idx = tl_rule_in(r, 1), t;
  tl_i64s offset = tl_op_list(op, TL_A_DYNAMIC_GATHER_offset_dims),
          collapsed = tl_op_list(op, TL_A_DYNAMIC_GATHER_collapsed_slice_dims),
          xbatch = tl_op_list(op, TL_A_DYNAMIC_GATHER_operand_batching_dims),
          map = tl_op_list(op, TL_A_DYNAMIC_GATHER_start_index_map);
  int64_t vec = tl_op_i64(op, TL_A_DYNAMIC_GATHER_index_vector_dim);
  TL_TRY(tl_rule_declared(r, &t));
  TL_TRY(tl_rule_gather_begins(r, offset, collapsed, xbatch, map, vec));
  TL_RULE(r, tl_rule_within(offset, t.rank), "c5", "offset dims %s are not dims of %s",
          tl_rule_list(r, offset), tl_rule_type(r, t));
  TL_RULE(r, tl_rule_unique(collapsed) && tl_rule_sorted(collapsed), "c6",
          "collapsed dims %s are not ascending", tl_rule_list(r, collapsed));
  TL_RULE(r, tl_rule_within(collapsed, x.rank), "c7", "collapsed dims %s are not dims of %s",
          tl_rule_list(r, collapsed), tl_rule_type(r, x));
  TL_RULE(r, tl_rule_unique(map), "c9", "start_index_map %s names one dim twice",
          tl_rule_list(r, map));
  TL_RULE(r, tl_rule_within(map, x.rank), "c10", "start_index_map %s names no dims of %s",
          tl_rule_list(r, map), tl_rule_type(r, x));
  TL_TRY(shape_operand(r, 2, x.rank, "c11"));
  uint32_t n_batch = idx.rank - (vec < idx.rank), at = 0;
  bool fits = t.rank == n_batch + offset.len;
  for (uint32_t d = 0; fits && d < t.rank; d++) {
    if (tl_rule_has(offset, d)) continue;
    at += at == vec;
    fits = tl_dim_agrees(t.dims[d], idx.dims[at++]);
  }
  TL_RULE(r, fits, "c13", "the result is declared %s, which does not have the batch dims of %s",
          tl_rule_type(r, t), tl_rule_type(r, idx));
  TL_TRY(same_dtype(r, x, t, "c14"));
  return tl_rule_give1(r, t, "c13");
}

// All but the windows' number is convolution's rule, whose labels are the same.
tl_status tl_infer_dynamic_conv(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0), p = tl_rule_in(r, 2), t;
  tl_dtype_kind kind = tl_rule_kind(p);
  TL_TRY(tl_rule_declared(r, &t));
  TL_RULE(r, kind == TL_KIND_INT || kind == TL_KIND_UINT, "i3", "wants integer paddings, got %s",
          tl_rule_type(r, p));
  TL_RULE(r,
          x.rank >= 2 && p.rank == 2 && tl_dim_agrees(p.dims[0], x.rank - 2) &&
              tl_dim_agrees(p.dims[1], 2),
          "c4", "wants a padding of tensor<%ux2>, got %s", x.rank - 2, tl_rule_type(r, p));
  tl_op fixed = {
      .code = TL_OP_CONVOLUTION, .n_operands = 2, .operands = r->op->operands, .loc = r->op->loc};
  tl_attr attrs[64];
  TL_ASSERT(tl_op_get(TL_OP_CONVOLUTION)->n_attrs <= TL_COUNT(attrs));
  fixed.attrs = attrs;
  tl_attrs_default(TL_OP_CONVOLUTION, attrs);
  const tl_op_info *info = tl_op_get(TL_OP_DYNAMIC_CONV);
  for (uint32_t i = 0; i < info->n_attrs; i++) {
    tl_attr_id to;
    if (tl_op_attr_named(TL_OP_CONVOLUTION, tl_attr_get((tl_attr_id)(info->attr_begin + i))->name,
                         &to))
      attrs[to - tl_op_get(TL_OP_CONVOLUTION)->attr_begin] = r->op->attrs[i];
  }
  tl_rule as = *r;
  as.op = &fixed;
  as.as = info->mnemonic;
  as.declared = NULL;
  as.n_declared = 0;
  TL_TRY(tl_infer_convolution(&as));
  TL_RULE(r, t.rank == x.rank, "c26", "wants a result of rank %u, got %s", x.rank,
          tl_rule_type(r, t));
  TL_RULE(r, tl_rule_kind(t) == tl_rule_kind(x), "c27",
          "the result is declared %s, the operands are %s", tl_rule_type(r, t), tl_rule_type(r, x));
  tl_i64s spatial = tl_op_list(r->op, TL_A_DYNAMIC_CONV_output_spatial_dimensions);
  for (uint32_t d = 0; d < t.rank; d++)
    TL_RULE(r, tl_rule_has(spatial, d) || tl_dim_agrees(t.dims[d], as.types[0].dims[d]), "c25",
            "the result is declared %s, its dim %u is %s", tl_rule_type(r, t), d,
            tl_rule_dim(r, as.types[0].dims[d]));
  return tl_rule_give1(r, t, "c25");
}
