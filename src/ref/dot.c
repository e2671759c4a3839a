// dot_general: batches of products of a matrix [M, K] and a matrix [K, N], whatever the order of
// the operands' dims.
//
// The contracted index runs over the contracting dims in the order in which they are listed,
// row-major. Floats add up in the order of sums.h (f16 and bf16 in f32, rounded once at the end),
// integers wrap, booleans are or of and. Both operands are computed in the result's kind, so bf16 x
// bf16 -> f32 loses nothing.
#include "ref/dot.h"

#include "ref/eval.h"
#include "ref/strided.h"
#include "ref/sums.h"

enum { TILE = TL_DOT_TILE };

typedef struct side { // of an operand: offsets in elements
  const tl_tensor *t;
  const size_t *batch, *free, *contract;
  size_t n_batch, n_free, n_contract;
} side;

static tl_status side_of(tl_ref_call *c, const tl_tensor *t, tl_i64s batch, tl_i64s contract,
                         side *out) {
  int64_t rest[TL_MAX_RANK];
  size_t n_rest = 0;
  for (int64_t d = 0; d < (int64_t)t->type.rank; d++) {
    bool taken = false;
    for (size_t i = 0; i < batch.len; i++)
      taken |= batch.ptr[i] == d;
    for (size_t i = 0; i < contract.len; i++)
      taken |= contract.ptr[i] == d;
    if (!taken) rest[n_rest++] = d;
  }
  out->t = t;
  out->batch = tl_strided_offsets(c->scratch, t->type, batch.ptr, batch.len, &out->n_batch);
  out->contract =
      tl_strided_offsets(c->scratch, t->type, contract.ptr, contract.len, &out->n_contract);
  out->free = tl_strided_offsets(c->scratch, t->type, rest, n_rest, &out->n_free);
  return out->batch == NULL || out->contract == NULL || out->free == NULL ? TL_OOM() : TL_OK;
}

// The contracted vector at offset `base`.
static void load_vector(const side *s, tl_lanes_kind kind, size_t base, void *out, size_t step) {
  tl_dot_load(kind, s->t, s->contract, s->n_contract, base, out, step);
}

void tl_dot_load(tl_lanes_kind kind, const tl_tensor *t, const size_t *places, size_t n,
                 size_t base, void *out, size_t step) {
  tl_lanes x;
  for (size_t at = 0; at < n; at += TL_LANES) {
    size_t some = TL_MIN(n - at, TL_LANES);
    tl_lanes_gather_as(&x, kind, t->type.dtype, t->data, places + at, base, some);
    for (size_t i = 0; i < some; i++) {
      if (kind == TL_LANES_F32)
        ((float *)out)[(at + i) * step] = x.f32[i];
      else if (kind == TL_LANES_C128)
        ((tl_c128 *)out)[(at + i) * step] = x.c128[i];
      else
        ((uint64_t *)out)[(at + i) * step] = x.u64[i];
    }
  }
}

// Complex factors: products as tl_complex_multiply gives them, added in order, in blocks as sums.h
// says.
#define DOT16(C, suffix)                                                 \
  static void dot16_##suffix(const C *x, const C *w, size_t k, C *out) { \
    for (size_t j = 0; j < TILE; j++) {                                  \
      C total = {0, 0};                                                  \
      for (size_t at = 0; at < k; at += TL_DOT_BLOCK) {                  \
        C acc = {0, 0};                                                  \
        for (size_t i = at; i < TL_MIN(k, at + TL_DOT_BLOCK); i++) {     \
          const C p = tl_##suffix##_multiply(x[i], w[i * TILE + j]);     \
          acc = (C){acc.re + p.re, acc.im + p.im};                       \
        }                                                                \
        total = (C){total.re + acc.re, total.im + acc.im};               \
      }                                                                  \
      out[j] = total;                                                    \
    }                                                                    \
  }
DOT16(tl_c64, c64)
DOT16(tl_c128, c128)

void tl_dot16(tl_lanes_kind kind, const void *x, const void *w, size_t k, tl_lanes *out) {
  switch (kind) {
  case TL_LANES_F32:
    tl_ref_dot16_f32(x, w, k, out->f32);
    return;
  case TL_LANES_F64:
    tl_ref_dot16_f64(x, w, k, out->f64);
    return;
  case TL_LANES_C64:
    dot16_c64(x, w, k, out->c64);
    return;
  case TL_LANES_C128:
    dot16_c128(x, w, k, out->c128);
    return;
  case TL_LANES_S64:
  case TL_LANES_U64:
    break; // the low bits of a product do not depend on the sign
  }
  const uint64_t *a = x, *b = w;
  for (size_t j = 0; j < TILE; j++) {
    uint64_t sum = 0;
    for (size_t i = 0; i < k; i++)
      sum += a[i] * b[i * TILE + j];
    out->u64[j] = sum;
  }
}

tl_status ref_eval_DOT_GENERAL(tl_ref_call *c) {
  const tl_tensor *out = &c->out[0].t;
  tl_lanes_kind kind = tl_lanes_kind_of(out->type.dtype);
  side l, r;
  size_t count;
  if (!tl_type_count(out->type, &count))
    return TL_ERROR(INVALID_ARGUMENT, "dot_general: the result is too large");
  if (count == 0) return TL_OK;
  TL_TRY(side_of(c, &c->in[0], tl_op_list(c->op, TL_A_DOT_GENERAL_lhs_batching_dimensions),
                 tl_op_list(c->op, TL_A_DOT_GENERAL_lhs_contracting_dimensions), &l));
  TL_TRY(side_of(c, &c->in[1], tl_op_list(c->op, TL_A_DOT_GENERAL_rhs_batching_dimensions),
                 tl_op_list(c->op, TL_A_DOT_GENERAL_rhs_contracting_dimensions), &r));
  size_t K = l.n_contract, M = l.n_free, N = r.n_free, size = tl_lanes_size(kind);
  unsigned char *w = tl_arena_alloc_array(c->scratch, K, TILE * size, 16); // [K, 16]
  size_t row, all;
  if (!TL_MUL_OK(K, size, &row) || !TL_MUL_OK(row, M, &all)) return TL_OOM();
  unsigned char *x = tl_arena_alloc(c->scratch, all, 16); // [M, K]
  if (w == NULL || x == NULL) return TL_OOM();
  tl_lanes sums;
  for (size_t b = 0; b < l.n_batch; b++) {
    for (size_t m = 0; m < M; m++)
      load_vector(&l, kind, l.batch[b] + l.free[m], x + m * row, 1);
    for (size_t n = 0; n < N; n += TILE) {
      size_t columns = TL_MIN(N - n, TILE);
      for (size_t j = 0; j < columns; j++)
        load_vector(&r, kind, r.batch[b] + r.free[n + j], w + j * size, TILE);
      for (size_t m = 0; m < M; m++) {
        tl_dot16(kind, x + m * row, w, K, &sums);
        tl_lanes_store(&sums, kind, out->type.dtype, out->data, (b * M + m) * N + n, columns);
      }
    }
  }
  return TL_OK;
}
