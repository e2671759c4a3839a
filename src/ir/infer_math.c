// Type rules of ops that are whole algorithms: random bits, linear algebra,
// batch normalisation.
#include "ir/rule.h"

tl_status tl_infer_rng_bit_generator(tl_rule *r) {
  tl_type state = tl_rule_in(r, 0);
  TL_RULE(r, state.rank == 1 && state.dtype == TL_DTYPE_U64, "i2",
          "wants a state tensor<?xui64>, got %s", tl_rule_type(r, state));
  bool threefry =
      tl_op_i64(r->op, TL_A_RNG_BIT_GENERATOR_rng_algorithm) == TL_RNG_ALGORITHM_THREE_FRY;
  TL_RULE(r, state.dims[0] == 2 || (state.dims[0] == 3 && !threefry), "c2",
          "wants a state of %s, got %s", threefry ? "2" : "2 or 3", tl_rule_type(r, state));
  TL_RULE(r, r->declared != NULL && r->n_declared == 2, NULL,
          "wants its two result types to be given");
  tl_type out = r->declared[1];
  TL_RULE(r, tl_rule_kind(out) != TL_KIND_BOOL && tl_rule_kind(out) != TL_KIND_COMPLEX, "o2",
          "gives integers or floating-point numbers, not %s", tl_rule_type(r, out));
  tl_type types[] = {state, out};
  tl_type *copy = TL_NEW(r->arena, tl_type, 2);
  if (copy == NULL) return TL_OOM();
  memcpy(copy, types, sizeof types);
  return tl_rule_give(r, copy, 2, "c1");
}

static tl_status wants_float(const tl_rule *r, uint32_t i) {
  static const char *const labels[] = {"i1", "i2"};
  tl_type t = tl_rule_in(r, i);
  TL_RULE(r, tl_rule_kind(t) == TL_KIND_FLOAT, labels[i], "wants a floating-point type, got %s",
          tl_rule_type(r, t));
  return TL_OK;
}

static tl_status wants_inexact(const tl_rule *r, uint32_t i) {
  static const char *const labels[] = {"i1", "i2"};
  tl_type t = tl_rule_in(r, i);
  TL_RULE(r, tl_rule_kind(t) == TL_KIND_FLOAT || tl_rule_kind(t) == TL_KIND_COMPLEX, labels[i],
          "wants a floating-point or complex type, got %s", tl_rule_type(r, t));
  return TL_OK;
}

static int64_t halved(int64_t n) { return n == 0 ? 0 : n / 2 + 1; } // of a real signal's spectrum

tl_status tl_infer_fft(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0), t;
  tl_i64s length = tl_op_list(r->op, TL_A_FFT_fft_length);
  const tl_fft_type type = (tl_fft_type)tl_op_i64(r->op, TL_A_FFT_fft_type);
  TL_TRY(wants_inexact(r, 0));
  TL_RULE(r, length.len <= x.rank, "c1", "transforms %zu dims of %s", length.len,
          tl_rule_type(r, x));
  const bool of_real = type == TL_FFT_TYPE_RFFT, to_real = type == TL_FFT_TYPE_IRFFT;
  tl_dtype dtype = x.dtype == TL_DTYPE_F32   ? TL_DTYPE_C64
                   : x.dtype == TL_DTYPE_F64 ? TL_DTYPE_C128
                                             : TL_DTYPE_COUNT;
  if (!of_real)
    dtype = tl_rule_kind(x) != TL_KIND_COMPLEX ? TL_DTYPE_COUNT
            : to_real                          ? tl_dtype_part(x.dtype)
                                               : x.dtype;
  TL_RULE(r, dtype != TL_DTYPE_COUNT, "c2", "%s of %s", tl_enum_name(TL_AK_FFT_TYPE, (int64_t)type),
          tl_rule_type(r, x));
  if (r->declared != NULL && r->n_declared == 1)
    TL_RULE(r, r->declared[0].dtype == dtype, "c2", "the result is declared %s, but is of %s",
            tl_rule_type(r, r->declared[0]), tl_dtype_get(dtype)->mlir);
  TL_RULE(r, length.len >= 1 && length.len <= 3, "c3", "transforms 1 to 3 dims, not %zu",
          length.len);
  int64_t dims[TL_MAX_RANK];
  memcpy(dims, x.dims, x.rank * sizeof *dims);
  int64_t *last = &dims[x.rank - 1];
  const int64_t *real = of_real ? x.dims : to_real ? dims : NULL;
  if (to_real) {
    const int64_t wanted = length.ptr[length.len - 1];
    TL_RULE(r, wanted >= 0 && *last == halved(wanted), "c5",
            "the last dim of %s is not that of a spectrum of %lld", tl_rule_type(r, x),
            (long long)wanted);
    *last = wanted;
  }
  for (size_t i = 0; i < length.len; i++) // fft_length is numbers
    TL_RULE(r, x.dims[x.rank - length.len + i] >= 0, "c4",
            "the transformed dims of %s are not the numbers of fft_length", tl_rule_type(r, x));
  for (size_t i = 0; i < length.len && real != NULL; i++)
    TL_RULE(r, real[x.rank - length.len + i] == length.ptr[i], "c4",
            "fft_length %s is not that of the last dims of %s", tl_rule_list(r, length),
            tl_rule_type(r, x));
  if (of_real) *last = halved(*last);
  t = tl_type_of(r->arena, dtype, dims, x.rank);
  if (t.dims == NULL) return TL_OOM();
  return tl_rule_give1(r, t, "c5");
}

tl_status tl_infer_cholesky(tl_rule *r) {
  tl_type a = tl_rule_in(r, 0);
  TL_TRY(wants_inexact(r, 0));
  TL_RULE(r, a.rank >= 2, "c2", "wants matrices, got %s", tl_rule_type(r, a));
  TL_RULE(r, tl_dim_agrees(a.dims[a.rank - 2], a.dims[a.rank - 1]), "c3",
          "wants square matrices, got %s", tl_rule_type(r, a));
  return tl_rule_give1(r, a, "c1");
}

tl_status tl_infer_triangular_solve(tl_rule *r) {
  tl_type a = tl_rule_in(r, 0), b = tl_rule_in(r, 1);
  TL_TRY(wants_inexact(r, 0));
  TL_TRY(wants_inexact(r, 1));
  TL_RULE(r, a.dtype == b.dtype, "c1", "wants operands of one element type, got %s and %s",
          tl_rule_type(r, a), tl_rule_type(r, b));
  TL_RULE(r, a.rank >= 2 && a.rank == b.rank, "c2", "wants matrices of one rank, got %s and %s",
          tl_rule_type(r, a), tl_rule_type(r, b));
  uint32_t row = a.rank - 2,
           side = tl_op_i64(r->op, TL_A_TRIANGULAR_SOLVE_left_side) ? row : row + 1;
  bool fits =
      tl_dim_agrees(a.dims[row], a.dims[row + 1]) && tl_dim_agrees(a.dims[row], b.dims[side]);
  for (uint32_t d = 0; d < row; d++)
    fits &= tl_dim_agrees(a.dims[d], b.dims[d]);
  TL_RULE(r, fits, "c3", "%s does not solve for %s", tl_rule_type(r, a), tl_rule_type(r, b));
  return tl_rule_give1(r, b, "c4");
}

// Operand 0 is of floats and has the feature dim; operands [1, n) are vectors of its element type,
// but for `whole`, which has its shape. Fills the type of such a vector.
static tl_status features(const tl_rule *r, int64_t index, uint32_t n, uint32_t whole,
                          tl_type *out_vector) {
  static const char *const labels[] = {"i1", "i2", "i3", "i4", "i5"};
  tl_type x = tl_rule_in(r, 0);
  TL_TRY(wants_float(r, 0));
  TL_RULE(r, index >= 0 && index < (int64_t)x.rank, "c1", "feature_index %lld is not a dim of %s",
          (long long)index, tl_rule_type(r, x));
  for (uint32_t i = 1; i < n; i++) {
    tl_type v = tl_rule_in(r, i);
    TL_RULE(r, v.dtype == x.dtype, "c2", "wants operands of one element type, got %s and %s",
            tl_rule_type(r, x), tl_rule_type(r, v));
    TL_RULE(r, i == whole || v.rank == 1, labels[i], "wants a vector, got %s", tl_rule_type(r, v));
  }
  *out_vector = tl_type_of(r->arena, x.dtype, &x.dims[index], 1);
  return out_vector->dims == NULL ? TL_OOM() : TL_OK;
}

static tl_status vector_fits(const tl_rule *r, uint32_t i, tl_type vector, const char *label) {
  TL_RULE(r, tl_type_agrees(tl_rule_in(r, i), vector), label, "wants %s for the features, got %s",
          tl_rule_type(r, vector), tl_rule_type(r, tl_rule_in(r, i)));
  return TL_OK;
}

// Each result's type has a label of its own.
static tl_status give_labelled(tl_rule *r, tl_type x, tl_type vector, const char *const labels[3]) {
  tl_type *types = TL_NEW(r->arena, tl_type, 3);
  if (types == NULL) return TL_OOM();
  types[0] = x;
  types[1] = types[2] = vector;
  for (uint32_t i = 0; i < 3 && r->declared != NULL && r->n_declared == 3; i++)
    TL_RULE(r, tl_type_agrees(r->declared[i], types[i]), labels[i],
            "result %u is declared %s, wants %s", i, tl_rule_type(r, r->declared[i]),
            tl_rule_type(r, types[i]));
  return tl_rule_give(r, types, 3, labels[0]);
}

tl_status tl_infer_batch_norm_inference(tl_rule *r) {
  static const char *const labels[] = {NULL, "c3", "c4", "c5", "c6"};
  tl_type vector;
  TL_TRY(features(r, tl_op_i64(r->op, TL_A_BATCH_NORM_INFERENCE_feature_index), 5, UINT32_MAX,
                  &vector));
  for (uint32_t i = 1; i < 5; i++)
    TL_TRY(vector_fits(r, i, vector, labels[i]));
  return tl_rule_give1(r, tl_rule_in(r, 0), "c7");
}

tl_status tl_infer_batch_norm_training(tl_rule *r) {
  static const char *const labels[] = {"c7", "c5", "c6"};
  tl_type vector;
  TL_TRY(features(r, tl_op_i64(r->op, TL_A_BATCH_NORM_TRAINING_feature_index), 3, UINT32_MAX,
                  &vector));
  TL_TRY(vector_fits(r, 1, vector, "c3"));
  TL_TRY(vector_fits(r, 2, vector, "c4"));
  return give_labelled(r, tl_rule_in(r, 0), vector, labels);
}

tl_status tl_infer_batch_norm_grad(tl_rule *r) {
  static const char *const labels[] = {"c3", "c4", "c4"};
  tl_type vector, x = tl_rule_in(r, 0), dy = tl_rule_in(r, 4);
  TL_TRY(features(r, tl_op_i64(r->op, TL_A_BATCH_NORM_GRAD_feature_index), 5, 4, &vector));
  TL_RULE(r, tl_rule_shape_eq(x, dy), "c3", "grad_output is %s, the operand %s",
          tl_rule_type(r, dy), tl_rule_type(r, x));
  TL_TRY(vector_fits(r, 1, vector, "c5"));
  TL_TRY(vector_fits(r, 2, vector, "c4"));
  TL_TRY(vector_fits(r, 3, vector, "c4"));
  return give_labelled(r, x, vector, labels);
}
