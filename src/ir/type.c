// Element types and ranked tensor types.
#include "ir/dim.h"

static const tl_dtype_info dtype_table[TL_DTYPE_COUNT] = {
#define TL_DTYPE(id, mlir, size, bits, kind, pjrt) \
  [TL_DTYPE_##id] = {mlir, size, bits, TL_KIND_##kind, pjrt},
#include "ir/dtypes.def"
#undef TL_DTYPE
};

const tl_dtype_info *tl_dtype_get(tl_dtype d) {
  TL_ASSERT((size_t)d < TL_DTYPE_COUNT);
  return &dtype_table[d];
}

bool tl_dtype_of_mlir(tl_str spelling, tl_dtype *out) {
  for (size_t i = 0; i < TL_DTYPE_COUNT; i++)
    if (tl_str_is(spelling, dtype_table[i].mlir)) {
      *out = (tl_dtype)i;
      return true;
    }
  return false;
}

bool tl_dtype_of_pjrt(uint32_t number, tl_dtype *out) {
  for (size_t i = 0; i < TL_DTYPE_COUNT; i++)
    if (number != 0 && dtype_table[i].pjrt == number) {
      *out = (tl_dtype)i;
      return true;
    }
  return false;
}

void tl_dtype_extend(tl_dtype d, void *elements, size_t n) {
  const tl_dtype_info *info = tl_dtype_get(d);
  uint8_t *at = elements;
  if (info->bits >= 8) return;
  const uint32_t unused = 8 - info->bits;
  for (size_t i = 0; i < n; i++) {
    if (info->kind == TL_KIND_BOOL)
      at[i] = at[i] != 0;
    else if (info->kind == TL_KIND_INT)
      at[i] = (uint8_t)((int8_t)(uint8_t)(at[i] << unused) >> unused);
    else
      at[i] = (uint8_t)(at[i] << unused) >> unused;
  }
}

bool tl_type_eq(tl_type a, tl_type b) {
  if (a.dtype != b.dtype || a.rank != b.rank) return false;
  for (uint32_t i = 0; i < a.rank; i++)
    if (a.dims[i] != b.dims[i]) return false;
  return true;
}

bool tl_type_count(tl_type t, size_t *out_elements) {
  size_t n = 1;
  bool zero = false; // a dim of 0 empties the tensor, however large the others are
  for (uint32_t i = 0; i < t.rank; i++) {
    if (t.dims[i] < 0) return false;
    if (t.dims[i] == 0) zero = true;
  }
  if (!zero)
    for (uint32_t i = 0; i < t.rank; i++)
      if (!TL_MUL_OK(n, (size_t)t.dims[i], &n) || n > PTRDIFF_MAX) return false;
  *out_elements = zero ? 0 : n;
  return true;
}

bool tl_type_size(tl_type t, size_t *out_bytes) {
  size_t n;
  if (!tl_type_count(t, &n) || !TL_MUL_OK(n, (size_t)tl_dtype_get(t.dtype)->size, &n) ||
      n > PTRDIFF_MAX)
    return false;
  *out_bytes = n;
  return true;
}

tl_type tl_type_of(tl_arena *a, tl_dtype dtype, const int64_t *dims, uint32_t rank) {
  tl_type t = {dtype, rank, NULL};
  if (rank == 0) return t;
  int64_t *copy = TL_NEW(a, int64_t, rank);
  if (copy != NULL) memcpy(copy, dims, rank * sizeof *dims);
  t.dims = copy;
  return t;
}

void tl_type_print(tl_buf *out, tl_type t) {
  bool bounded = false;
  tl_buf_cstr(out, "tensor<");
  for (uint32_t i = 0; i < t.rank; i++) {
    bounded |= tl_dim_is_bounded(t.dims[i]);
    if (t.dims[i] < 0)
      tl_buf_cstr(out, "?x");
    else
      tl_buf_printf(out, "%lldx", (long long)t.dims[i]);
  }
  tl_buf_cstr(out, tl_dtype_get(t.dtype)->mlir);
  for (uint32_t i = 0; bounded && i < t.rank; i++) { // tensor<?x4xf32, #stablehlo.bounds<8, ?>>
    tl_buf_cstr(out, i == 0 ? ", #stablehlo.bounds<" : ", ");
    if (tl_dim_is_bounded(t.dims[i]))
      tl_buf_printf(out, "%lld", (long long)tl_dim_bound(t.dims[i]));
    else
      tl_buf_char(out, '?');
  }
  tl_buf_cstr(out, bounded ? ">>" : ">");
}
