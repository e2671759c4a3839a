// Rules of ops whose sizes are operands, where those sizes follow from shapes: what decompositions
// of symbols are made of. Once specialised, each is the rule of the op with numbers, to the byte.
#include "ad/rule.h"

#include "ir/dim.h"

static tl_value longs(tl_builder *b, tl_value list) { return tlo_convert(b, list, TL_DTYPE_S64); }

static tl_value all_of(tl_builder *b, int64_t value, uint32_t rank) {
  return tlo_constant_i64(b, (tl_type){TL_DTYPE_S64, 1, (int64_t[]){rank}}, value);
}

// A list of numbers that a constant gives; false where it does not.
static bool numbers_of(tl_value v, int64_t *out, uint32_t rank) {
  if (v->op == NULL || v->op->code != TL_OP_CONSTANT || v->type.dtype != TL_DTYPE_S64) return false;
  const tl_literal *l = tl_op_attr(v->op, TL_A_CONSTANT_value)->dense;
  for (uint32_t d = 0; d < rank; d++)
    memcpy(&out[d], (const char *)l->data + (l->splat ? 0 : d * sizeof *out), sizeof *out);
  return true;
}

// The scalars that a real_dynamic_slice starts at, where it is a dynamic_slice (tlo_dynamic_slice):
// its limits are its starts and their sizes.
static bool scalar_starts(const tl_op *op, tl_value *out) {
  const tl_op *starts = op->operands[1]->op, *limits = op->operands[2]->op;
  const uint32_t rank = op->operands[0]->type.rank;
  if (starts == NULL || limits == NULL || starts->code != TL_OP_CONCATENATE ||
      starts->n_operands != rank || limits->code != TL_OP_ADD ||
      limits->operands[0] != op->operands[1])
    return false;
  for (uint32_t d = 0; d < rank; d++) {
    const tl_op *part = starts->operands[d]->op;
    if (part == NULL || part->code != TL_OP_RESHAPE || part->operands[0]->type.rank != 0)
      return false;
    out[d] = part->operands[0];
    if (out[d]->op != NULL && out[d]->op->code == TL_OP_CONVERT) out[d] = out[d]->op->operands[0];
  }
  return true;
}

// Zeros around and between, as slice's: in front `start` of them, behind what is left of x.
void tl_vjp_real_dynamic_slice(tl_vjp *v) {
  tl_builder *b = v->b;
  const tl_type from = v->in[0]->type, to = v->out[0]->type;
  tl_value starts[TL_MAX_RANK];
  if (v->ct[0] == NULL) return;
  if (scalar_starts(v->op, starts)) {
    tl_vjp_give_slice(v, 0, v->ct[0], starts);
    return;
  }
  tl_value zero = tlo_constant_f64(b, tl_type_scalar(from.dtype), 0);
  tl_value low = longs(b, v->in[1]), step = longs(b, v->in[3]), one = all_of(b, 1, from.rank);
  tl_value interior = tlo_sub(b, step, one);
  tl_value covered = tlo_sub(b, tlo_sizes(b, to.dims, from.rank), one);
  covered = tlo_add(b, tlo_mul(b, covered, step), one);
  covered = tlo_binary(b, TL_OP_MAXIMUM, covered, all_of(b, 0, from.rank)); // of no elements
  tl_value high = tlo_sub(b, tlo_sizes(b, from.dims, from.rank), low);
  high = tlo_sub(b, high, covered);
  tl_vjp_give(v, 0, tlo_dynamic_pad(b, v->ct[0], zero, low, high, interior, from));
}

// A list with the batch's own entry in front.
static tl_value led_by(tl_builder *b, int64_t first, tl_value list) {
  tl_value parts[2] = {tlo_sizes(b, &first, 1), longs(b, list)};
  return tlo_concat(b, parts, 2, 0);
}

static bool sizes_batched(tl_batch *v, uint32_t from) {
  for (uint32_t i = from; i < v->op->n_operands; i++)
    if (v->batched[i]) {
      tl_ad_refuse_batching(v->ad, v->b, v->op, "over places that differ from example to example");
      return true;
    }
  return false;
}

void tl_batch_real_dynamic_slice(tl_batch *v) {
  tl_builder *b = v->b;
  if (sizes_batched(v, 1)) return;
  tl_value start = led_by(b, 0, v->in[1]), limit = led_by(b, v->size, v->in[2]), step = NULL;
  step = led_by(b, 1, v->in[3]);
  v->out[0] = tlo_real_dynamic_slice(b, v->in[0], start, limit, step,
                                     tl_batch_type(b, v->op->results[0]->type, v->size));
}

// As pad's: the operand's own elements come back, the padding value gets the sum of the others.
void tl_vjp_dynamic_pad(tl_vjp *v) {
  tl_builder *b = v->b;
  const tl_type from = v->in[0]->type;
  int64_t start[TL_MAX_RANK] = {0}, limit[TL_MAX_RANK], step[TL_MAX_RANK], all[TL_MAX_RANK];
  bool strided = false;
  if (v->ct[0] == NULL) return;
  if (!numbers_of(v->in[4], step, from.rank)) {
    tl_ad_refuse(v->ad, b, v->op, "of an interior padding that is no constant");
    return;
  }
  for (uint32_t d = 0; d < from.rank; d++) {
    strided |= step[d] != 0;
    limit[d] = from.dims[d];
    if (step[d] != 0 && from.dims[d] != 0 &&
        !tl_dim_affine(b->m, from.dims[d], step[d] + 1, -step[d], &limit[d]))
      tl_builder_fail(b, TL_ERROR(RESOURCE_EXHAUSTED, "a size of a gradient cannot be counted"));
    step[d]++;
    all[d] = d;
  }
  tl_value zero = tlo_constant_f64(b, tl_type_scalar(from.dtype), 0);
  tl_value low = tlo_unary(b, TL_OP_NEGATE, longs(b, v->in[2])), high = NULL;
  high = tlo_unary(b, TL_OP_NEGATE, longs(b, v->in[3]));
  tl_value own = tlo_dynamic_pad(b, v->ct[0], zero, low, high, all_of(b, 0, from.rank),
                                 (tl_type){from.dtype, from.rank, limit});
  if (strided) own = tlo_slice(b, own, start, limit, step);
  tl_vjp_give(v, 0, own);
  if (!tl_vjp_wants(v, 1)) return;
  tl_value whole = tl_ad_sum(b, v->ct[0], all, from.rank);
  tl_vjp_give(v, 1, tlo_sub(b, whole, tl_ad_sum(b, own, all, from.rank)));
}

void tl_batch_dynamic_pad(tl_batch *v) {
  tl_builder *b = v->b;
  if (sizes_batched(v, 1)) return;
  tl_value low = led_by(b, 0, v->in[2]), high = led_by(b, 0, v->in[3]), interior = NULL;
  interior = led_by(b, 0, v->in[4]);
  v->out[0] = tlo_dynamic_pad(b, v->in[0], v->in[1], low, high, interior,
                              tl_batch_type(b, v->op->results[0]->type, v->size));
}
