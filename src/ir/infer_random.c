// Type rules of random draws. Their constraints are numbered here, in the order of the checks:
//
//   rng          those of the specification; the type is the result's, o1
//   rng_uniform  c1 no operands, or two i32 scalars
//                c2 key0 and key1 are 32-bit words when there are no operands, else not given
//                c3 result of f32 or f64, of less than 2^30 elements
//   rng_normal   the same, and c4 method is "box_muller" (which it is when there is none) or
//                "erf_inv"
#include "ir/rule.h"

tl_status tl_infer_rng(tl_rule *r) {
  const tl_type a = tl_rule_in(r, 0), b = tl_rule_in(r, 1), shape = tl_rule_in(r, 2);
  const tl_dtype_kind kind = tl_rule_kind(a);
  tl_type t;
  TL_TRY(tl_rule_declared(r, &t));
  TL_RULE(r, a.rank == 0 && kind != TL_KIND_COMPLEX, "i1", "wants a real scalar, got %s",
          tl_rule_type(r, a));
  TL_RULE(r, b.rank == 0, "i2", "wants a scalar, got %s", tl_rule_type(r, b));
  TL_RULE(r, a.dtype == b.dtype && a.dtype == t.dtype, "c1",
          "wants one element type, got %s, %s and the result %s", tl_rule_type(r, a),
          tl_rule_type(r, b), tl_rule_type(r, t));
  TL_RULE(r,
          tl_op_i64(r->op, TL_A_RNG_rng_distribution) != TL_RNG_DISTRIBUTION_NORMAL ||
              kind == TL_KIND_FLOAT,
          "c2", "NORMAL wants floats, got %s", tl_rule_type(r, a));
  TL_RULE(r, shape.rank == 1 && shape.dtype == TL_DTYPE_S64, "i3", "wants a list of i64, got %s",
          tl_rule_type(r, shape));
  // The values are checked where they are known: when the op runs.
  TL_RULE(r, tl_dim_agrees(shape.dims[0], t.rank), "c3",
          "the shape has %s entries, the result is %s", tl_rule_dim(r, shape.dims[0]),
          tl_rule_type(r, t));
  return tl_rule_give1(r, t, "c3");
}

static tl_status draw(tl_rule *r, int64_t key0, int64_t key1, bool partitionable) {
  const tl_op *op = r->op;
  TL_RULE(r, op->n_operands == 0 || op->n_operands == 2, "c1",
          "wants no operands or the two words of a key, got %u", op->n_operands);
  for (uint32_t i = 0; i < op->n_operands; i++) {
    tl_type t = tl_rule_in(r, i);
    TL_RULE(r, t.dtype == TL_DTYPE_S32 && t.rank == 0, "c1", "wants a key of i32 scalars, got %s",
            tl_rule_type(r, t));
  }
  bool words = key0 >= 0 && key0 <= UINT32_MAX && key1 >= 0 && key1 <= UINT32_MAX;
  TL_RULE(r, op->n_operands == 0 ? words : key0 == -1 && key1 == -1, "c2",
          "wants its key as two operands, or as key0 and key1 from 0 to 2^32 - 1; got %u operands, "
          "%lld and %lld",
          op->n_operands, (long long)key0, (long long)key1);
  tl_type t;
  size_t count;
  TL_TRY(tl_rule_declared(r, &t));
  TL_RULE(r, t.dtype == TL_DTYPE_F32 || t.dtype == TL_DTYPE_F64, "c3",
          "wants a result of f32 or f64, got %s", tl_rule_type(r, t));
  TL_RULE(r, partitionable || tl_type_is_static(t), "c3",
          "wants a known number of elements unless it is partitionable, because it decides which "
          "bits each gets; got %s",
          tl_rule_type(r, t));
  TL_RULE(r, !tl_type_is_static(t) || (tl_type_count(t, &count) && count < (size_t)1 << 30), "c3",
          "%s has 2^30 elements or more", tl_rule_type(r, t));
  return tl_rule_give1(r, t, "c3");
}

tl_status tl_infer_rng_uniform(tl_rule *r) {
  return draw(r, tl_op_i64(r->op, TL_A_RNG_UNIFORM_key0), tl_op_i64(r->op, TL_A_RNG_UNIFORM_key1),
              tl_op_i64(r->op, TL_A_RNG_UNIFORM_partitionable) != 0);
}

tl_status tl_infer_rng_normal(tl_rule *r) {
  tl_str method = tl_op_str(r->op, TL_A_RNG_NORMAL_method);
  TL_TRY(draw(r, tl_op_i64(r->op, TL_A_RNG_NORMAL_key0), tl_op_i64(r->op, TL_A_RNG_NORMAL_key1),
              tl_op_i64(r->op, TL_A_RNG_NORMAL_partitionable) != 0));
  TL_RULE(r, method.len == 0 || tl_str_is(method, "box_muller") || tl_str_is(method, "erf_inv"),
          "c4", "\"" TL_STR_FMT "\" is no method", TL_STR_ARG(method));
  TL_RULE(r, tl_str_is(method, "erf_inv") || tl_type_is_static(r->types[0]), "c4",
          "box_muller cuts a draw of twice the elements, whose number is to be known; got %s",
          tl_rule_type(r, r->types[0]));
  return TL_OK;
}
