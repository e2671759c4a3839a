// Small expressions that rules share, what calls name, and refusals.
#include "ad/rule.h"

#include "ref/lanes.h"

#include "ir/diags.h"

tl_func *tl_ad_callee(tl_builder *b, const tl_op *op) {
  tl_str name = op->code == TL_OP_CALL ? tl_op_str(op, TL_A_CALL_callee)
                                       : tl_op_str(op, TL_A_COMPOSITE_decomposition);
  tl_func *fn = tl_module_find(b->m, name);
  if (fn == NULL)
    tl_builder_fail(b, TL_ERROR(NOT_FOUND, "there is no function @%.*s", TL_STR_ARG(name)));
  return fn;
}

enum { MAX_WRITTEN_OUT = 1 << 20 };

const char *tl_ad_write_out(tl_ad *ad, const tl_block *body) {
  for (const tl_op *op = body->first; op != NULL; op = op->next)
    ad->written_out++;
  return ad->written_out > MAX_WRITTEN_OUT ? "calls come to more than 1048576 ops" : NULL;
}

// --- Expressions ------------------------------------------------------------------------------

tl_value tl_ad_zeros(tl_builder *b, tl_type t) { return tlo_fill(b, t, 0); }

tl_value tl_ad_like(tl_builder *b, tl_value x, double value) {
  return x == NULL ? NULL : tlo_fill(b, x->type, value);
}

tl_value tl_ad_scale(tl_builder *b, tl_value x, double by) {
  tl_value s = tl_ad_like(b, x, by);
  return tlo_mul(b, x, s);
}

bool tl_ad_splat(tl_value v, double *out) {
  while (v != NULL && v->op != NULL && v->op->code == TL_OP_BROADCAST_IN_DIM)
    v = v->op->operands[0];
  if (v == NULL || v->op == NULL || v->op->code != TL_OP_CONSTANT) return false;
  const tl_literal *l = tl_op_attr(v->op, TL_A_CONSTANT_value)->dense;
  size_t count = 0;
  if (l == NULL || tl_dtype_get(v->type.dtype)->kind != TL_KIND_FLOAT) return false;
  if (!l->splat && !(tl_type_count(v->type, &count) && count == 1)) return false;
  tl_lanes lanes;
  tl_lanes_load_as(&lanes, TL_LANES_F64, v->type.dtype, l->data, 0, 1);
  *out = lanes.f64[0];
  return true;
}

// What v negates; NULL where it negates nothing.
static tl_value negated(tl_value v) {
  return v != NULL && v->op != NULL && v->op->code == TL_OP_NEGATE ? v->op->operands[0] : NULL;
}

tl_value tl_ad_neg(tl_builder *b, tl_value x) {
  double value;
  tl_value inner = negated(x);
  if (inner != NULL) return inner;
  return tl_ad_splat(x, &value) ? tlo_fill(b, x->type, -value) : tlo_unary(b, TL_OP_NEGATE, x);
}

tl_value tl_ad_mul(tl_builder *b, tl_value x, tl_value y) {
  double value;
  if (tl_ad_splat(x, &value) && value == 1) return y;
  return tl_ad_splat(y, &value) && value == 1 ? x : tlo_mul(b, x, y);
}

tl_value tl_ad_add(tl_builder *b, tl_value x, tl_value y) {
  tl_value minus_x = negated(x), minus_y = negated(y);
  if (minus_y != NULL) return tlo_sub(b, x, minus_y);
  return minus_x != NULL ? tlo_sub(b, y, minus_x) : tlo_add(b, x, y);
}

tl_value tl_ad_sum(tl_builder *b, tl_value x, const int64_t *dims, uint32_t n) {
  if (n == 0 || x == NULL) return x;
  tl_value zero = tlo_constant_f64(b, tl_type_scalar(x->type.dtype), 0);
  return tlo_reduce(b, x, zero, dims, n, TL_OP_ADD);
}

tl_value tl_ad_clamp(tl_builder *b, tl_value low, tl_value x, tl_value high) {
  tl_op *op = tl_op_finish(b, tl_op_begin(b, TL_OP_CLAMP, (tl_value[]){low, x, high}, 3), NULL, 0);
  return op == NULL ? NULL : op->results[0];
}

tl_opcode tl_ad_combiner(const tl_block *region) {
  const tl_op *op = region->first;
  if (region->n_args != 2 || op == NULL || op->next != region->last || op->n_operands != 2 ||
      op->n_results != 1 || region->last->n_operands != 1 ||
      region->last->operands[0] != op->results[0])
    return TL_OP_COUNT;
  bool in_order = op->operands[0] == region->args[0] && op->operands[1] == region->args[1];
  bool turned = op->operands[0] == region->args[1] && op->operands[1] == region->args[0] &&
                (tl_op_get(op->code)->traits & TL_COMMUTES) != 0;
  return in_order || turned ? op->code : TL_OP_COUNT;
}

// --- Refusals ---------------------------------------------------------------------------------

static void refuse(tl_ad *ad, tl_builder *b, const tl_op *op, tl_diag_id id, const char *what,
                   const char *why) {
  if (b->error != TL_OK) return;
  tl_builder_fail(b,
                  tl_diag_error(ad->diags, id, op->loc, "%s %s%s%s", tl_op_get(op->code)->mnemonic,
                                what, why == NULL ? "" : ": ", why == NULL ? "" : why));
}

void tl_ad_refuse(tl_ad *ad, tl_builder *b, const tl_op *op, const char *why) {
  if (ad->batching) {
    tl_ad_refuse_batching(ad, b, op, why);
    return;
  }
  refuse(ad, b, op, TL_DIAG_NOT_DIFFERENTIABLE, "has no derivative", why);
}

void tl_ad_refuse_batching(tl_ad *ad, tl_builder *b, const tl_op *op, const char *why) {
  refuse(ad, b, op, TL_DIAG_NO_BATCHING_RULE, "has no batching rule", why);
}
