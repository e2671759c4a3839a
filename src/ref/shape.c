// Ops that only move elements, and those that make them from nothing: constant and iota.
#include "ref/eval.h"

#include <string.h>

#include "ref/lanes.h"
#include "ref/strided.h"

static size_t elem_size(const tl_tensor *t) { return tl_dtype_get(t->type.dtype)->size; }

static tl_status too_large(const tl_ref_call *c) {
  return TL_ERROR(INVALID_ARGUMENT, "%s: the shape is not concrete or too large",
                  tl_op_get(c->op->code)->mnemonic);
}

tl_status ref_eval_CONSTANT(tl_ref_call *c) {
  const tl_literal *value = tl_op_attr(c->op, TL_A_CONSTANT_value)->dense;
  const tl_tensor *out = &c->out[0].t;
  tl_dtype d = out->type.dtype, stored = value->type.dtype;
  tl_lanes_kind kind = tl_lanes_kind_of(d);
  size_t count;
  if (!tl_type_count(out->type, &count)) return too_large(c);
  if (value->size / tl_dtype_get(stored)->size < (value->splat ? TL_MIN(count, 1) : count))
    return TL_ERROR(INVALID_ARGUMENT, "constant: the literal has fewer elements than its type");
  static const size_t zeros[TL_LANES];
  tl_lanes lanes;
  for (size_t at = 0; at < count; at += TL_LANES) {
    size_t n = TL_MIN(count - at, TL_LANES);
    if (value->splat)
      tl_lanes_gather_as(&lanes, kind, stored, value->data, zeros, 0, n);
    else
      tl_lanes_load_as(&lanes, kind, stored, value->data, at, n);
    tl_lanes_store(&lanes, kind, d, out->data, at, n);
  }
  return TL_OK;
}

tl_status ref_eval_IOTA(tl_ref_call *c) { // integers wrap, floats round
  const tl_tensor *out = &c->out[0].t;
  int64_t dim = tl_op_i64(c->op, TL_A_IOTA_iota_dimension), strides[TL_MAX_RANK];
  size_t count;
  if (!tl_type_count(out->type, &count)) return too_large(c);
  tl_strides_of(out->type, strides);
  tl_lanes lanes;
  for (size_t at = 0; at < count; at += TL_LANES) {
    size_t n = TL_MIN(count - at, TL_LANES);
    for (size_t i = 0; i < n; i++)
      lanes.s64[i] = (int64_t)((at + i) / (size_t)strides[dim] % (size_t)out->type.dims[dim]);
    tl_lanes_kind kind = tl_lanes_convert(&lanes, TL_LANES_S64, out->type.dtype, n);
    tl_lanes_store(&lanes, kind, out->type.dtype, out->data, at, n);
  }
  return TL_OK;
}

// A copy of t, or of the bits that dtype `d` gives it: at TL_REF_F64 a declared f32 is narrowed to
// its four bytes first.
static const void *bits_as(tl_ref_call *c, const tl_tensor *t, tl_dtype d, size_t count) {
  if (t->type.dtype == d) return t->data;
  void *bytes = tl_arena_alloc_array(c->scratch, count, tl_dtype_get(d)->size, 16);
  tl_lanes lanes;
  for (size_t at = 0; bytes != NULL && at < count; at += TL_LANES) {
    size_t n = TL_MIN(count - at, TL_LANES);
    tl_lanes_load(&lanes, t->type.dtype, t->data, at, n);
    tl_lanes_store(&lanes, tl_lanes_kind_of(t->type.dtype), d, bytes, at, n);
  }
  return bytes;
}

// Elements of fewer than 8 bits side by side, and out again; the first takes the lowest bits.
static void pack_bits(const unsigned char *from, size_t n, uint32_t bits, unsigned char *to) {
  for (size_t i = 0; i < n * bits; i++)
    to[i / 8] |= (unsigned char)((from[i / bits] >> i % bits & 1) << i % 8);
}
static void unpack_bits(const unsigned char *from, size_t n, uint32_t bits, unsigned char *to) {
  for (size_t i = 0; i < n * bits; i++)
    to[i / bits] |= (unsigned char)((from[i / 8] >> i % 8 & 1) << i % bits);
}

// Little endian: the first of several narrow elements holds the low bits.
tl_status ref_eval_BITCAST_CONVERT(tl_ref_call *c) {
  const tl_tensor *x = &c->in[0], *out = &c->out[0].t;
  tl_dtype from = c->op->operands[0]->type.dtype, to = c->op->results[0]->type.dtype;
  const uint32_t from_bits = tl_dtype_get(from)->bits, to_bits = tl_dtype_get(to)->bits;
  size_t n_from, n_to, size;
  tl_type declared = {to, out->type.rank, out->type.dims};
  if (!tl_type_count(x->type, &n_from) || !tl_type_count(out->type, &n_to) ||
      !tl_type_size(declared, &size) || n_from > SIZE_MAX / 8 || n_to > SIZE_MAX / 8)
    return too_large(c);
  const unsigned char *src = bits_as(c, x, from, n_from);
  unsigned char *dst = to == out->type.dtype ? out->data : tl_arena_alloc(c->scratch, size, 16);
  if (src == NULL || dst == NULL) return TL_OOM();
  if (from_bits < 8) {
    unsigned char *packed = TL_NEW(c->scratch, unsigned char, n_from *from_bits / 8 + 1);
    if (packed == NULL) return TL_OOM();
    pack_bits(src, n_from, from_bits, packed);
    src = packed;
  }
  if (to_bits < 8 && size > 0) {
    memset(dst, 0, size);
    unpack_bits(src, n_to, to_bits, dst);
    tl_dtype_extend(to, dst, n_to);
  } else if (size > 0) {
    memcpy(dst, src, size);
  }
  const tl_lanes_kind kind = tl_lanes_kind_of(out->type.dtype);
  tl_lanes lanes;
  for (size_t at = 0; dst != out->data && at < n_to; at += TL_LANES) {
    size_t n = TL_MIN(n_to - at, TL_LANES);
    tl_lanes_load_as(&lanes, kind, to, dst, at, n);
    tl_lanes_store(&lanes, kind, out->type.dtype, out->data, at, n);
  }
  return TL_OK;
}

tl_status ref_eval_RESHAPE(tl_ref_call *c) {
  tl_ref_start_from(c, 0);
  return TL_OK;
}

// The result's box in its own strides; the op fills in where the elements come from.
static tl_strided into_result(const tl_ref_call *c) {
  const tl_type *t = &c->out[0].t.type;
  tl_strided s = {.rank = t->rank};
  if (t->rank > 0) memcpy(s.dims, t->dims, t->rank * sizeof *s.dims);
  tl_strides_of(*t, s.dst);
  return s;
}

static const void *element(const tl_tensor *t, int64_t at) {
  return (const unsigned char *)t->data + at * (int64_t)elem_size(t);
}

tl_status ref_eval_TRANSPOSE(tl_ref_call *c) {
  const int64_t *permutation = tl_op_list(c->op, TL_A_TRANSPOSE_permutation).ptr;
  int64_t strides[TL_MAX_RANK];
  tl_strided s = into_result(c);
  tl_strides_of(c->in[0].type, strides);
  for (uint32_t i = 0; i < s.rank; i++)
    s.src[i] = strides[permutation[i]];
  tl_strided_copy(&s, elem_size(&c->in[0]), c->in[0].data, c->out[0].t.data);
  return TL_OK;
}

tl_status ref_eval_BROADCAST_IN_DIM(tl_ref_call *c) {
  const int64_t *dims = tl_op_list(c->op, TL_A_BROADCAST_IN_DIM_broadcast_dimensions).ptr;
  const tl_type *t = &c->in[0].type;
  int64_t strides[TL_MAX_RANK];
  tl_strided s = into_result(c);
  tl_strides_of(*t, strides);
  for (uint32_t i = 0; i < t->rank; i++)
    if (t->dims[i] != 1) s.src[dims[i]] = strides[i];
  tl_strided_copy(&s, elem_size(&c->in[0]), c->in[0].data, c->out[0].t.data);
  return TL_OK;
}

tl_status ref_eval_CONCATENATE(tl_ref_call *c) {
  int64_t dim = tl_op_i64(c->op, TL_A_CONCATENATE_dimension), at = 0;
  size_t count;
  if (!tl_type_count(c->out[0].t.type, &count)) return too_large(c);
  if (count == 0) return TL_OK;
  for (uint32_t i = 0; i < c->op->n_operands; i++) {
    const tl_tensor *x = &c->in[i];
    tl_strided s = into_result(c);
    int64_t step = s.dst[dim];
    memcpy(s.dims, x->type.dims, s.rank * sizeof *s.dims);
    tl_strides_of(x->type, s.src);
    tl_strided_copy(&s, elem_size(x), x->data,
                    (unsigned char *)c->out[0].t.data + at * step * (int64_t)elem_size(x));
    at += x->type.dims[dim];
  }
  return TL_OK;
}

tl_status ref_eval_SLICE(tl_ref_call *c) {
  const int64_t *start = tl_op_list(c->op, TL_A_SLICE_start_indices).ptr;
  const int64_t *step = tl_op_list(c->op, TL_A_SLICE_strides).ptr;
  int64_t strides[TL_MAX_RANK], at = 0;
  tl_strided s = into_result(c);
  size_t count;
  if (!tl_type_count(c->out[0].t.type, &count)) return too_large(c);
  if (count == 0) return TL_OK;
  tl_strides_of(c->in[0].type, strides);
  for (uint32_t i = 0; i < s.rank; i++) {
    at += start[i] * strides[i];
    s.src[i] = s.dims[i] == 1 ? 0 : step[i] * strides[i]; // a lone element's step may be any number
  }
  tl_strided_copy(&s, elem_size(&c->in[0]), element(&c->in[0], at), c->out[0].t.data);
  return TL_OK;
}

tl_status ref_eval_REVERSE(tl_ref_call *c) {
  tl_i64s dims = tl_op_list(c->op, TL_A_REVERSE_dimensions);
  int64_t at = 0;
  tl_strided s = into_result(c);
  size_t count;
  if (!tl_type_count(c->out[0].t.type, &count)) return too_large(c);
  if (count == 0) return TL_OK;
  tl_strides_of(c->in[0].type, s.src);
  for (size_t i = 0; i < dims.len; i++) {
    int64_t d = dims.ptr[i];
    at += (s.dims[d] - 1) * s.src[d];
    s.src[d] = -s.src[d];
  }
  tl_strided_copy(&s, elem_size(&c->in[0]), element(&c->in[0], at), c->out[0].t.data);
  return TL_OK;
}

// Where a slice of `box` begins in `whole`: start indices (operands from `first` on) clamped so
// that it fits.
static int64_t clamped_start(const tl_ref_call *c, uint32_t first, tl_type whole,
                             const int64_t *box, const int64_t *strides) {
  int64_t at = 0;
  for (uint32_t i = 0; i < whole.rank; i++) {
    int64_t start = tl_ref_index(&c->in[first + i], 0);
    at += TL_MAX(0, TL_MIN(start, whole.dims[i] - box[i])) * strides[i];
  }
  return at;
}

tl_status ref_eval_DYNAMIC_SLICE(tl_ref_call *c) {
  tl_strided s = into_result(c);
  size_t count;
  if (!tl_type_count(c->out[0].t.type, &count)) return too_large(c);
  if (count == 0) return TL_OK;
  tl_strides_of(c->in[0].type, s.src);
  int64_t at = clamped_start(c, 1, c->in[0].type, s.dims, s.src);
  tl_strided_copy(&s, elem_size(&c->in[0]), element(&c->in[0], at), c->out[0].t.data);
  return TL_OK;
}

tl_status ref_eval_DYNAMIC_UPDATE_SLICE(tl_ref_call *c) {
  const tl_tensor *update = &c->in[1];
  tl_strided s = into_result(c);
  size_t count;
  tl_ref_start_from(c, 0);
  if (!tl_type_count(update->type, &count)) return too_large(c);
  if (count == 0) return TL_OK;
  if (s.rank > 0) memcpy(s.dims, update->type.dims, s.rank * sizeof *s.dims);
  tl_strides_of(update->type, s.src);
  int64_t at = clamped_start(c, 2, c->out[0].t.type, s.dims, s.dst);
  tl_strided_copy(&s, elem_size(update), update->data,
                  (unsigned char *)c->out[0].t.data + at * (int64_t)elem_size(update));
  return TL_OK;
}

tl_status ref_eval_PAD(tl_ref_call *c) {
  const tl_tensor *x = &c->in[0], *out = &c->out[0].t;
  const int64_t *low = tl_op_list(c->op, TL_A_PAD_edge_padding_low).ptr;
  const int64_t *interior = tl_op_list(c->op, TL_A_PAD_interior_padding).ptr;
  size_t size = elem_size(x), count;
  if (!tl_type_count(out->type, &count)) return too_large(c);
  for (size_t i = 0; i < count; i++)
    memcpy((unsigned char *)out->data + i * size, c->in[1].data, size);
  if (count == 0) return TL_OK;
  tl_strided s = into_result(c);
  tl_strides_of(x->type, s.src);
  int64_t from = 0, to = 0;
  for (uint32_t i = 0; i < s.rank; i++) {
    // The operand's indices k whose place low + k * step lies in the result: [first, end).
    int64_t step, first = 0, end = 0, dim = x->type.dims[i], room;
    if (!TL_ADD_OK(interior[i], (int64_t)1, &step) || low[i] == INT64_MIN) return too_large(c);
    if (low[i] < 0) first = (-low[i] - 1) / step + 1;
    if (TL_SUB_OK(out->type.dims[i], low[i], &room) && room > 0)
      end = TL_MIN(dim, (room - 1) / step + 1);
    if (end <= first) return TL_OK;
    s.dims[i] = end - first;
    from += first * s.src[i];
    to += (low[i] + first * step) * s.dst[i];
    s.dst[i] = s.dims[i] == 1 ? 0 : s.dst[i] * step;
  }
  tl_strided_copy(&s, size, element(x, from), (unsigned char *)out->data + to * (int64_t)size);
  return TL_OK;
}
