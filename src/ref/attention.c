// Attention over pages of a key-value cache.
//
// N query rows, H heads that share KvH key heads (head h reads h / (H / KvH)), D numbers a head.
// Row n looks at the first lengths[n] positions of its table; position j lies in block table[j /
// bs] (plus the pool's offset), at j % bs.
//
//   s[j] = dot(q, k[j]) * scale, and with a soft cap c: s[j] = c tanh(s[j] / c)      m = max s e[j]
//   = exp(s[j] - m)      l = sum16(e), lane j % 16 p[j] = e[j] / l                  out[d] = dot
//   over j of p[j] and v[j, d], in blocks of 64
//
// With a query of bf16 (and so keys and values of bf16) both products are in the order of
// bf16_matmul, x being q and bf16(e), each times 2^64 or zero where it is small:
//
//   run of 32      (chain over its even x w) + (chain over its odd x w), each from +0
//   dot(q, k[j])   the sum of the runs, 64 at a time; s[j] = that times (scale / 2^64) ...
//   out[d]         (the sum over blocks of 64 positions of (run + run)) / (l 2^64)
//
// Positions past the length, and of a sliding window those before the last `window`, take no part:
// the same as a score of -inf, whose p is 0. A length of 0
// gives zeros, one past the table is cut to it; table and block numbers are clamped into range, as
// gather does.
#include "ref/eval.h"

#include <math.h>
#include <string.h>

#include "base/half.h"
#include "ir/format.h"
#include "ref/elementary.h"
#include "ref/lanes.h"
#include "ref/sums.h"

typedef struct pages { // one row's view of the pools
  const tl_tensor *k, *v, *table;
  int64_t blocks, bs, kv_heads, entry;      // entry: of the table's first number
  int64_t key_offset, value_offset, window; // window 0: none
  double cap;                               // 0: none
  size_t D, row; // row: of a head in the pool, D elements or D codes and their scale
} pages;

static void load_position(const pages *p, tl_lanes_kind kind, const tl_tensor *pool, int64_t offset,
                          int64_t j, int64_t head, void *out) {
  int64_t block = tl_ref_index(p->table, (size_t)(p->entry + j / p->bs));
  block = TL_MAX(0, TL_MIN(block + offset, p->blocks - 1)); // an i32 and an offset within the pool
  size_t at = (size_t)((block * p->bs + j % p->bs) * p->kv_heads + head) * p->row;
  tl_lanes_load_run(kind, pool->type.dtype, pool->data, at, p->D, out);
  if (pool->type.dtype != TL_DTYPE_S8) return;
  float scale;
  memcpy(&scale, (const char *)pool->data + at + p->D, sizeof scale);
  for (size_t d = 0; d < p->D; d++)
    if (kind == TL_LANES_F32)
      ((float *)out)[d] *= scale;
    else
      ((double *)out)[d] *= (double)scale;
}

// The G heads of one key head at one row: q [G, D], scores [G, length], out [G, D]; row and acc are
// scratch [D], [G, D].
#define ATTEND(T, suffix, KIND, MAX, EXP, TANH)                                                \
  static void attend_##suffix(const pages *p, int64_t head, size_t G, int64_t length, T scale, \
                              const T *q, T *scores, T *row, T *acc, T *out) {                 \
    size_t D = p->D, L = (size_t)length;                                                       \
    size_t from = p->window > 0 && p->window < length ? (size_t)(length - p->window) : 0;      \
    const T cap = (T)p->cap;                                                                   \
    for (size_t j = from; j < L; j++) {                                                        \
      load_position(p, KIND, p->k, p->key_offset, (int64_t)j, head, row);                      \
      for (size_t g = 0; g < G; g++) {                                                         \
        scores[g * L + j] = tl_ref_dot_##suffix(q + g * D, row, D) * scale;                    \
        if (cap > 0) scores[g * L + j] = TANH(scores[g * L + j] / cap) * cap;                  \
      }                                                                                        \
    }                                                                                          \
    for (size_t g = 0; g < G; g++) {                                                           \
      T *s = scores + g * L, m = -(T)INFINITY;                                                 \
      tl_sum_##suffix sum = {0};                                                               \
      for (size_t j = from; j < L; j++)                                                        \
        m = MAX(m, s[j]);                                                                      \
      for (size_t j = from; j < L; j++) {                                                      \
        s[j] = EXP(s[j] - m);                                                                  \
        sum.lane[j % TL_SUM_LANES] += s[j];                                                    \
      }                                                                                        \
      T total = tl_sum_##suffix##_end(&sum);                                                   \
      for (size_t j = from; j < L; j++)                                                        \
        s[j] /= total;                                                                         \
    }                                                                                          \
    for (size_t i = 0; i < G * D; i++)                                                         \
      out[i] = 0;                                                                              \
    for (size_t at = from - from % TL_DOT_BLOCK; at < L; at += TL_DOT_BLOCK) {                 \
      for (size_t i = 0; i < G * D; i++)                                                       \
        acc[i] = 0;                                                                            \
      for (size_t j = TL_MAX(at, from); j < TL_MIN(L, at + TL_DOT_BLOCK); j++) {               \
        load_position(p, KIND, p->v, p->value_offset, (int64_t)j, head, row);                  \
        for (size_t g = 0; g < G; g++)                                                         \
          tl_ref_axpy_##suffix(acc + g * D, scores[g * L + j], row, D);                        \
      }                                                                                        \
      for (size_t i = 0; i < G * D; i++)                                                       \
        out[i] += acc[i];                                                                      \
    }                                                                                          \
  }
ATTEND(float, f32, TL_LANES_F32, tl_max_f32, tl_exp_f32, tl_tanh_f32)
ATTEND(double, f64, TL_LANES_F64, tl_max_f64, exp, tanh)

// The two sides of a product in AMX's order.
static float bf16_row(float x) {
  const float scaled = tl_f32_of_bf16(tl_bf16_of_f32(x)) * 0x1p64f;
  return fabsf(scaled) < 0x1p14f ? 0 : scaled;
}
static void bf16_weights(float *w, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (fabsf(w[i]) < 0x1p-126f) w[i] = 0;
}

static float bf16_dot(const float *x, const float *w, size_t n) {
  float total = 0, sum = 0;
  for (size_t at = 0; at < n; at += TL_BF16_RUN) {
    float chain[2] = {0, 0};
    for (size_t i = at; i < TL_MIN(n, at + TL_BF16_RUN); i++)
      chain[i % 2] = fmaf(x[i], w[i], chain[i % 2]);
    sum += chain[0] + chain[1];
    if ((at / TL_BF16_RUN + 1) % TL_DOT_BLOCK == 0) total += sum, sum = 0;
  }
  return total + sum;
}

// What attend_f32 does, of bf16. acc: [3][G, D] the even chains, the odd ones and a block's
// sums, and [G] l.
static void attend_bf16(const pages *p, int64_t head, size_t G, int64_t length, float scale,
                        float *q, float *scores, float *row, float *acc, float *out) {
  const size_t D = p->D, L = (size_t)length, n = G * D;
  const size_t from = p->window > 0 && p->window < length ? (size_t)(length - p->window) : 0;
  const float cap = (float)p->cap;
  float *chain[2] = {acc, acc + n}, *sum = acc + 2 * n, *l = acc + 3 * n;
  for (size_t i = 0; i < n; i++)
    q[i] = bf16_row(q[i]), out[i] = 0;
  for (size_t j = from; j < L; j++) {
    load_position(p, TL_LANES_F32, p->k, p->key_offset, (int64_t)j, head, row);
    bf16_weights(row, D);
    for (size_t g = 0; g < G; g++) {
      float *s = scores + g * L + j;
      *s = bf16_dot(q + g * D, row, D) * scale;
      if (cap > 0) *s = tl_tanh_f32(*s / cap) * cap;
    }
  }
  for (size_t g = 0; g < G; g++) {
    float *s = scores + g * L, m = -INFINITY;
    tl_sum_f32 e = {0};
    for (size_t j = from; j < L; j++)
      m = tl_max_f32(m, s[j]);
    for (size_t j = from; j < L; j++) {
      s[j] = tl_exp_f32(s[j] - m);
      e.lane[j % TL_SUM_LANES] += s[j];
      s[j] = bf16_row(s[j]);
    }
    l[g] = tl_sum_f32_end(&e) * 0x1p64f;
  }
  for (size_t at = from - from % TL_DOT_BLOCK; at < L; at += TL_DOT_BLOCK) {
    memset(sum, 0, n * sizeof *sum);
    for (size_t run = at; run < TL_MIN(L, at + TL_DOT_BLOCK); run += TL_BF16_RUN) {
      memset(acc, 0, 2 * n * sizeof *acc);
      for (size_t j = TL_MAX(run, from); j < TL_MIN(L, run + TL_BF16_RUN); j++) {
        load_position(p, TL_LANES_F32, p->v, p->value_offset, (int64_t)j, head, row);
        bf16_weights(row, D);
        for (size_t g = 0; g < G; g++)
          tl_ref_axpy_f32(chain[j % 2] + g * D, scores[g * L + j], row, D);
      }
      for (size_t i = 0; i < n; i++)
        sum[i] += chain[0][i] + chain[1][i];
    }
    for (size_t i = 0; i < n; i++)
      out[i] += sum[i];
  }
  for (size_t i = 0; i < n && L > 0; i++)
    out[i] /= l[i / D];
}

// Table of row n: rows[n], or equal runs of rows for each table.
static int64_t table_of(const tl_ref_call *c, int64_t n, int64_t n_rows, int64_t n_tables) {
  int64_t table =
      c->op->n_operands > 5 ? tl_ref_index(&c->in[5], (size_t)n) : n / TL_MAX(1, n_rows / n_tables);
  return TL_MAX(0, TL_MIN(table, n_tables - 1));
}

tl_status ref_eval_PAGED_ATTENTION(tl_ref_call *c) {
  const tl_tensor *query = &c->in[0], *tables = &c->in[3], *out = &c->out[0].t;
  tl_lanes_kind kind = tl_lanes_kind_of(out->type.dtype);
  int64_t N = query->type.dims[0], H = query->type.dims[1], S = tables->type.dims[0],
          M = tables->type.dims[1];
  const int64_t *pool = c->in[1].type.dims;
  pages p = {.k = &c->in[1],
             .v = &c->in[2],
             .table = tables,
             .blocks = pool[0],
             .bs = pool[1],
             .kv_heads = pool[2],
             .key_offset = tl_op_i64(c->op, TL_A_PAGED_ATTENTION_key_offset),
             .value_offset = tl_op_i64(c->op, TL_A_PAGED_ATTENTION_value_offset),
             .window = tl_op_i64(c->op, TL_A_PAGED_ATTENTION_sliding_window),
             .cap = tl_op_f64(c->op, TL_A_PAGED_ATTENTION_soft_cap),
             .D = (size_t)query->type.dims[2],
             .row = (size_t)pool[3]};
  double scale = tl_op_f64(c->op, TL_A_PAGED_ATTENTION_scale);
  // At f64 nothing is rounded, and so there is one meaning.
  const bool narrow = kind == TL_LANES_F32 && query->type.dtype == TL_DTYPE_BF16;
  size_t count, size = kind == TL_LANES_F32 ? sizeof(float) : sizeof(double);
  if (!tl_type_count(out->type, &count))
    return TL_ERROR(INVALID_ARGUMENT, "paged_attention: the result is too large");
  if (count == 0) return TL_OK;
  int64_t context, longest = 0;
  if (S <= 0 || !TL_MUL_OK(M, p.bs, &context))
    return TL_ERROR(INVALID_ARGUMENT, "paged_attention: no tables");
  for (int64_t n = 0; n < N; n++)
    longest = TL_MAX(longest, TL_MIN(tl_ref_index(&c->in[4], (size_t)n), context));
  size_t G = (size_t)(H / p.kv_heads), group = G * p.D, n_scores;
  if (!TL_MUL_OK(G, (size_t)longest, &n_scores)) return TL_OOM();
  void *q = tl_arena_alloc_array(c->scratch, group, size, 16),
       *row = tl_arena_alloc_array(c->scratch, p.D, size, 16);
  void *acc = tl_arena_alloc_array(c->scratch, narrow ? 3 * group + G : group, size, 16),
       *sums = tl_arena_alloc_array(c->scratch, group, size, 16);
  void *scores = tl_arena_alloc_array(c->scratch, n_scores, size, 16);
  if (q == NULL || row == NULL || acc == NULL || sums == NULL || scores == NULL) return TL_OOM();
  tl_lanes lanes;
  for (int64_t n = 0; n < N; n++) {
    int64_t length = TL_MAX(0, TL_MIN(tl_ref_index(&c->in[4], (size_t)n), context));
    p.entry = table_of(c, n, N, S) * M;
    for (int64_t head = 0; head < p.kv_heads; head++) {
      size_t at = (size_t)n * (size_t)H * p.D + (size_t)head * group;
      tl_lanes_load_run(kind, query->type.dtype, query->data, at, group, q);
      if (narrow)
        attend_bf16(&p, head, G, length, (float)(scale * 0x1p-64), q, scores, row, acc, sums);
      else if (kind == TL_LANES_F32)
        attend_f32(&p, head, G, length, (float)scale, q, scores, row, acc, sums);
      else
        attend_f64(&p, head, G, length, scale, q, scores, row, acc, sums);
      for (size_t i = 0; i < group; i += TL_LANES) {
        size_t run = TL_MIN(group - i, TL_LANES);
        memcpy(&lanes, (const unsigned char *)sums + i * size, run * size);
        tl_lanes_store(&lanes, kind, out->type.dtype, out->data, at + i, run);
      }
    }
  }
  return TL_OK;
}
