// Rules of ops whose sizes are operands, where those sizes follow from shapes: what decompositions
// of symbols are made of. Once specialised, each is the rule of the op with numbers, to the byte.
#include "ad/index.h"

#include "ir/dim.h"
#include "ir/dynamic.h"

static tl_value longs(tl_builder *b, tl_value list) { return tlo_convert(b, list, TL_DTYPE_S64); }

static tl_value all_of(tl_builder *b, int64_t value, uint32_t rank) {
  return tlo_constant_i64(b, (tl_type){TL_DTYPE_S64, 1, (int64_t[]){rank}}, value);
}

// A list of numbers that a constant gives, or constants put together; false where none does.
static bool numbers_of(tl_value v, int64_t *out, uint32_t n) {
  const tl_op *op = v->op;
  if (op != NULL && op->code == TL_OP_CONCATENATE && v->type.rank == 1) {
    for (uint32_t i = 0, at = 0; i < op->n_operands; i++) {
      const int64_t part = op->operands[i]->type.dims[0];
      const tl_op *from = op->operands[i]->op;
      if (part < 0 || from == NULL || from->code != TL_OP_CONSTANT ||
          !numbers_of(op->operands[i], out + at, (uint32_t)part))
        return false;
      at += (uint32_t)part;
    }
    return true;
  }
  if (op == NULL || op->code != TL_OP_CONSTANT) return false;
  const tl_literal *l = tl_op_attr(op, TL_A_CONSTANT_value)->dense;
  const uint32_t size = tl_dtype_get(v->type.dtype)->size;
  for (uint32_t d = 0; d < n; d++)
    if (!tl_dynamic_ints(v->type.dtype, (const char *)l->data + (l->splat ? 0 : d * size), 1,
                         &out[d]))
      return false;
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

// The places that so many elements take, `step` apart: (sizes - 1) step + 1, and none of none.
tl_value tl_ad_reaches(tl_builder *b, tl_value sizes, tl_value step, uint32_t rank) {
  tl_value one = all_of(b, 1, rank), zero = NULL;
  zero = all_of(b, 0, rank);
  tl_value r = tlo_mul(b, tlo_sub(b, sizes, one), step);
  return tlo_binary(b, TL_OP_MAXIMUM, tlo_add(b, r, one), zero);
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
  tl_value covered = tl_ad_reaches(b, tlo_sizes(b, to.dims, from.rank), step, from.rank);
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

// By starts of their own, all of one size: windows of a gather.
static bool batched_starts(tl_batch *v) {
  tl_value starts[TL_MAX_RANK];
  const uint32_t rank = v->op->results[0]->type.rank;
  if (!(v->batched[1] || v->batched[2]) || v->batched[3] || !scalar_starts(v->op, starts))
    return false;
  for (uint32_t d = 0; d < rank; d++) {
    starts[d] = longs(v->b, tl_env_get(&v->at->env, starts[d]));
    if (!tl_batcher_is_batched(v->at, starts[d]))
      starts[d] = tl_batch_repeat(v->b, starts[d], v->size);
  }
  v->out[0] = tl_ad_batched_slice(v, starts, v->op->results[0]->type);
  return true;
}

void tl_batch_real_dynamic_slice(tl_batch *v) {
  tl_builder *b = v->b;
  if (batched_starts(v) || sizes_batched(v, 1)) return;
  tl_value start = led_by(b, 0, v->in[1]), limit = led_by(b, v->size, v->in[2]), step = NULL;
  step = led_by(b, 1, v->in[3]);
  v->out[0] = tlo_real_dynamic_slice(b, v->in[0], start, limit, step,
                                     tl_batch_type(b, v->op->results[0]->type, v->size));
}

// Where an interior is no constant: element by element, at low + i (interior + 1).
static tl_value read_own(tl_vjp *v, tl_type from) {
  tl_builder *b = v->b;
  tl_value step = tlo_add(b, longs(b, v->in[4]), all_of(b, 1, from.rank)), parts[TL_MAX_RANK];
  int64_t dims[TL_MAX_RANK + 1];
  if (from.rank == 0 || from.rank >= TL_MAX_RANK) return from.rank == 0 ? v->ct[0] : NULL;
  memcpy(dims, from.dims, from.rank * sizeof *dims);
  dims[from.rank] = 1;
  const tl_type column = {TL_DTYPE_S64, from.rank + 1, dims};
  for (int64_t d = 0; d < (int64_t)from.rank; d++)
    parts[d] = tlo_iota(b, column, d);
  tl_value at = tlo_concat(b, parts, from.rank, from.rank);
  if (at == NULL) return NULL;
  const int64_t last = from.rank;
  step = tlo_broadcast(b, step, at->type, &last);
  tl_value low = tlo_broadcast(b, longs(b, v->in[2]), at->type, &last);
  return tl_ad_read_or_zero(b, v->ct[0], tlo_add(b, tlo_mul(b, at, step), low));
}

// As pad's: the operand's own elements come back, the padding value gets the sum of the others.
void tl_vjp_dynamic_pad(tl_vjp *v) {
  tl_builder *b = v->b;
  const tl_type from = v->in[0]->type;
  int64_t start[TL_MAX_RANK] = {0}, limit[TL_MAX_RANK], step[TL_MAX_RANK], all[TL_MAX_RANK];
  bool strided = false;
  tl_value own;
  if (v->ct[0] == NULL) return;
  for (uint32_t d = 0; d < from.rank; d++)
    all[d] = d;
  if (numbers_of(v->in[4], step, from.rank)) {
    for (uint32_t d = 0; d < from.rank; d++) {
      strided |= step[d] != 0;
      limit[d] = from.dims[d];
      if (step[d] != 0 && from.dims[d] != 0 &&
          !tl_dim_affine(b->m, from.dims[d], step[d] + 1, -step[d], &limit[d]))
        tl_builder_fail(b, TL_ERROR(RESOURCE_EXHAUSTED, "a size of a gradient cannot be counted"));
      step[d]++;
    }
    tl_value zero = tlo_constant_f64(b, tl_type_scalar(from.dtype), 0);
    tl_value low = tlo_unary(b, TL_OP_NEGATE, longs(b, v->in[2])), high = NULL;
    high = tlo_unary(b, TL_OP_NEGATE, longs(b, v->in[3]));
    own = tlo_dynamic_pad(b, v->ct[0], zero, low, high, all_of(b, 0, from.rank),
                          (tl_type){from.dtype, from.rank, limit});
    if (strided) own = tlo_slice(b, own, start, limit, step);
  } else {
    own = read_own(v, from);
  }
  tl_vjp_give(v, 0, own);
  if (!tl_vjp_wants(v, 1)) return;
  tl_value whole = tl_ad_sum(b, v->ct[0], all, from.rank);
  tl_vjp_give(v, 1, tlo_sub(b, whole, tl_ad_sum(b, own, all, from.rank)));
}

void tl_batch_dynamic_pad(tl_batch *v) {
  tl_builder *b = v->b;
  if (sizes_batched(v, 2)) return;
  tl_value low = led_by(b, 0, v->in[2]), high = led_by(b, 0, v->in[3]), interior = NULL;
  interior = led_by(b, 0, v->in[4]);
  const tl_type type = tl_batch_type(b, v->op->results[0]->type, v->size);
  tl_value x = tl_batch_in(v, 0);
  if (!v->batched[1]) {
    v->out[0] = tlo_dynamic_pad(b, x, v->in[1], low, high, interior, type);
    return;
  }
  // Each example pads with its own: where the padding is, its value is taken.
  tl_type bits = tl_value_type(x), padded_bits = type;
  bits.dtype = padded_bits.dtype = TL_DTYPE_I1;
  tl_value zero = tlo_constant_f64(b, tl_type_scalar(type.dtype), 0), yes = NULL;
  tl_value y = tlo_dynamic_pad(b, x, zero, low, high, interior, type);
  yes = tlo_fill(b, bits, 1);
  tl_value no = tlo_constant_f64(b, tl_type_scalar(TL_DTYPE_I1), 0);
  tl_value own = tlo_dynamic_pad(b, yes, no, low, high, interior, padded_bits);
  tl_value with = tlo_broadcast(b, v->in[1], type, (int64_t[]){0});
  v->out[0] = tlo_select(b, own, y, with);
}

// --- Reshapes and repetitions
// -------------------------------------------------------------------

void tl_batch_dynamic_reshape(tl_batch *v) {
  if (sizes_batched(v, 1)) return;
  tl_value shape = led_by(v->b, v->size, v->in[1]);
  v->out[0] = tlo_dynamic_reshape(v->b, v->in[0], shape,
                                  tl_batch_type(v->b, v->op->results[0]->type, v->size));
}

// Whether operand dim d keeps its size, as broadcast_in_dim's rule wants to know: by what the op
// says, where two names leave it open.
static bool keeps(tl_vjp *v, uint32_t d, int64_t from, int64_t to, bool *out_known) {
  const tl_i64s yes = tl_op_list(v->op, TL_A_DYNAMIC_BROADCAST_IN_DIM_known_expanding_dimensions),
                no = tl_op_list(v->op, TL_A_DYNAMIC_BROADCAST_IN_DIM_known_nonexpanding_dimensions);
  for (size_t i = 0; i < no.len; i++)
    if (no.ptr[i] == d) return true;
  for (size_t i = 0; i < yes.len; i++)
    if (yes.ptr[i] == d) return false;
  if (from == to && !tl_dim_is_any(from)) return true;
  *out_known &= from >= 0;
  return from != 1;
}

void tl_vjp_dynamic_broadcast_in_dim(tl_vjp *v) {
  const tl_i64s at = tl_op_list(v->op, TL_A_DYNAMIC_BROADCAST_IN_DIM_broadcast_dimensions);
  const tl_type from = v->in[0]->type, to = v->out[0]->type;
  bool stays[TL_MAX_RANK] = {false}, known = true;
  for (size_t d = 0; d < at.len; d++)
    stays[at.ptr[d]] = keeps(v, (uint32_t)d, from.dims[d], to.dims[at.ptr[d]], &known);
  if (known)
    tl_vjp_give(v, 0, tl_ad_unbroadcast(v->b, v->ct[0], from, at, stays));
  else
    tl_ad_refuse(v->ad, v->b, v->op,
                 "whether a dim of its operand is repeated is not known from its types, nor from "
                 "known_expanding_dimensions");
}

void tl_batch_dynamic_broadcast_in_dim(tl_batch *v) {
  tl_builder *b = v->b;
  if (sizes_batched(v, 1)) return;
  static const tl_attr_id lists[] = {TL_A_DYNAMIC_BROADCAST_IN_DIM_broadcast_dimensions,
                                     TL_A_DYNAMIC_BROADCAST_IN_DIM_known_expanding_dimensions,
                                     TL_A_DYNAMIC_BROADCAST_IN_DIM_known_nonexpanding_dimensions};
  tl_value in[2] = {v->in[0], led_by(b, v->size, v->in[1])};
  tl_op *op = tl_op_begin(b, v->op->code, in, 2);
  for (size_t i = 0; i < TL_COUNT(lists); i++) {
    const tl_i64s list = tl_op_list(v->op, lists[i]);
    const bool lead = i != 1; // the batch is no dim that expands
    const int64_t *dims = tl_batch_dims(b, list.ptr, list.len, lead);
    tl_op_set_list(b, op, lists[i], dims, dims == NULL ? 0 : list.len + lead);
  }
  const tl_type type = tl_batch_type(b, v->op->results[0]->type, v->size);
  op = tl_op_finish(b, op, &type, 1);
  if (op != NULL) v->out[0] = op->results[0];
}

// --- set_dimension_size: what lies in front
// ---------------------------------------------------------------------

void tl_vjp_set_dimension_size(tl_vjp *v) {
  tl_builder *b = v->b;
  const tl_type from = v->in[0]->type;
  const int64_t dim = tl_op_i64(v->op, TL_A_SET_DIMENSION_SIZE_dimension);
  tl_value parts[TL_MAX_RANK];
  tl_value zero = tlo_constant_f64(b, tl_type_scalar(from.dtype), 0), none = NULL;
  none = all_of(b, 0, from.rank);
  for (uint32_t d = 0; d < from.rank; d++) {
    if (d != dim) {
      parts[d] = tlo_constant_i64(b, (tl_type){TL_DTYPE_S64, 1, (int64_t[]){1}}, 0);
      continue;
    }
    tl_value kept = longs(b, tlo_reshape(b, v->in[1], (int64_t[]){1}, 1));
    parts[d] = tlo_sub(b, tlo_sizes(b, &from.dims[d], 1), kept);
  }
  tl_value behind = tlo_concat(b, parts, from.rank, 0);
  tl_vjp_give(v, 0, tlo_dynamic_pad(b, v->ct[0], zero, none, behind, none, from));
}

void tl_batch_set_dimension_size(tl_batch *v) {
  if (sizes_batched(v, 1)) return;
  v->out[0] = tlo_set_dimension_size(v->b, v->in[0], v->in[1],
                                     tl_op_i64(v->op, TL_A_SET_DIMENSION_SIZE_dimension) + 1,
                                     tl_batch_type(v->b, v->op->results[0]->type, v->size));
}
