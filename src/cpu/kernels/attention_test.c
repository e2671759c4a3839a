// Attention: the bits of its definition written out for one row and head at a time, whatever the
// pages, the element type, the grouping of rows, and what lies beyond a row's length.
#include "cpu/kernels/testing.h"

#include "base/minifloat.h"

enum { BLOCKS = 40, HEADS = 2 };

typedef struct world {
  size_t G, D, block_size;
  tl_pool_elem elem;
  size_t row;     // bytes of a head in the pool
  void *k, *v;    // [BLOCKS, block_size, HEADS][row]
  float *kf, *vf; // the same as f32
  int32_t *table; // [BLOCKS]
  size_t window;  // 0: none
  float cap;      // 0: none
  bool narrow;    // queries of bf16, over such pools
} world;

static world world_make(size_t G, size_t D, size_t block_size, tl_pool_elem elem) {
  world w = {.G = G, .D = D, .block_size = block_size, .elem = elem};
  const size_t n = BLOCKS * block_size * HEADS * D;
  w.kf = test_alloc(n * 4), w.vf = test_alloc(n * 4), w.k = test_alloc(n * 4),
  w.v = test_alloc(n * 4);
  w.row = D * tl_pool_elem_size(elem) + (elem == TL_POOL_I8 ? TL_KV_SCALE : 0);
  for (int values = 0; values < 2; values++) {
    float *f = values ? w.vf : w.kf;
    uint8_t *pool = values ? w.v : w.k;
    for (size_t h = 0; h < n / D; h++, pool += w.row) {
      const float scale = 0.01f + fabsf(test_f32()) * 0.03f;
      if (elem == TL_POOL_I8) memcpy(pool + D, &scale, sizeof scale);
      for (size_t d = 0; d < D; d++, f++) {
        *f = test_f32() * (values ? 1 : 4);
        const uint16_t b = tl_bf16_of_f32(*f), half = tl_f16_of_f32(*f);
        const uint8_t e = tl_e4m3_of_f32(*f), code = (uint8_t)test_u32();
        switch (elem) {
        case TL_POOL_F32:
          memcpy(pool + 4 * d, f, 4);
          break;
        case TL_POOL_BF16:
          memcpy(pool + 2 * d, &b, 2);
          *f = tl_f32_of_bf16(b);
          break;
        case TL_POOL_F16:
          memcpy(pool + 2 * d, &half, 2);
          *f = tl_f32_of_f16(half);
          break;
        case TL_POOL_E4M3:
          pool[d] = e;
          *f = tl_f32_of_minifloat(TL_MINIFLOAT_F8E4M3FN, e);
          break;
        case TL_POOL_I8:
          pool[d] = code;
          *f = (float)(int8_t)code * scale;
          break;
        }
      }
    }
  }
  w.table = malloc(BLOCKS * sizeof *w.table);
  for (int32_t i = 0; i < BLOCKS; i++)
    w.table[i] = (i * 7 + 3) % BLOCKS;
  return w;
}
static void world_free(world *w) {
  free(w->k), free(w->v), free(w->kf), free(w->vf), free(w->table);
}

static size_t at(const world *w, size_t j) {
  return ((size_t)w->table[j / w->block_size] * w->block_size + j % w->block_size) * HEADS * w->D;
}

// Element i of one side of a product of bf16.
static float row_of_bf16(float x) {
  const float scaled = tl_f32_of_bf16(tl_bf16_of_f32(x)) * 0x1p64f;
  return fabsf(scaled) < 0x1p14f ? 0 : scaled;
}
static float weight_of_bf16(float w) { return fabsf(w) < 0x1p-126f ? 0 : w; }

// The dot of q and key j before it is scaled.
static float dot_bf16(const world *w, const float *q, const float *k) {
  float sum = 0;
  for (size_t r = 0; r < w->D; r += 32) {
    float chain[2] = {0, 0};
    for (size_t d = r; d < TL_MIN(r + 32, w->D); d++)
      chain[d % 2] = fmaf(row_of_bf16(q[d]), weight_of_bf16(k[d]), chain[d % 2]);
    sum += chain[0] + chain[1];
  }
  return sum;
}

// Of e and the values of one column, positions from..len.
static float sum_bf16(const float *e, const float *v, size_t from, size_t len) {
  float total = 0;
  for (size_t b = 0; b < len; b += 64) {
    float run[2] = {0, 0};
    for (size_t r = 0; r < 2; r++) {
      float chain[2] = {0, 0};
      for (size_t j = b + 32 * r; j < TL_MIN(b + 32 * r + 32, len); j++)
        if (j >= from) chain[j % 2] = fmaf(row_of_bf16(e[j]), weight_of_bf16(v[j]), chain[j % 2]);
      run[r] = chain[0] + chain[1];
    }
    total += run[0] + run[1];
  }
  return total;
}

// One row, one head, from the definition; `exact` in f64 for the tolerance.
static void row(const world *w, size_t head, const float *q, size_t len, float scale, float *out,
                double *exact) {
  const size_t from = w->window && w->window < len ? len - w->window : 0;
  float *p = calloc(len + 1, sizeof *p), *column = malloc((len + 1) * sizeof *column),
        lane[16] = {0};
  double *e = malloc((len + 1) * sizeof *e), top = -HUGE_VAL, sum = 0;
  float m = -INFINITY;
  for (size_t j = from; j < len; j++) {
    const float *k = w->kf + at(w, j) + head * w->D;
    p[j] =
        w->narrow ? dot_bf16(w, q, k) * (scale * 0x1p-64f) : tl_dot_f32(q, 1, k, 1, w->D) * scale;
    if (w->cap > 0) p[j] = tl_tanh_f32(p[j] / w->cap) * w->cap;
    m = tl_max_f32(m, p[j]);
    e[j] = 0;
    for (size_t d = 0; d < w->D; d++)
      e[j] += (double)q[d] * (double)w->kf[at(w, j) + head * w->D + d];
    e[j] *= (double)scale;
    if (w->cap > 0) e[j] = tanh(e[j] / (double)w->cap) * (double)w->cap;
    top = e[j] > top ? e[j] : top;
  }
  for (size_t j = from; j < len; j++) {
    p[j] = tl_exp_f32(p[j] - m), lane[j % 16] += p[j];
    e[j] = exp(e[j] - top), sum += e[j];
  }
  float l = tl_sum16_tree(lane);
  for (size_t j = from; j < len && !w->narrow; j++)
    p[j] /= l;
  for (size_t d = 0; d < w->D; d++) {
    exact[d] = 0;
    for (size_t j = 0; j < len; j++) {
      column[j] = w->vf[at(w, j) + head * w->D + d];
      if (j >= from) exact[d] += e[j] / sum * (double)column[j];
    }
    out[d] = w->narrow ? sum_bf16(p, column, from, len) / (l * 0x1p64f)
                       : tl_dot_f32(p, 1, column, 1, len);
  }
  free(p), free(column), free(e);
}

static tl_attention_args args_of(const world *w, size_t head, const float *q, float *out,
                                 const int32_t *lens, size_t n) {
  const size_t step = HEADS * w->row / tl_pool_elem_size(w->elem);
  return (tl_attention_args){.q = q,
                             .q_stride = w->G * w->D + 5,
                             .k_pool = (const char *)w->k + head * w->row,
                             .v_pool = (const char *)w->v + head * w->row,
                             .elem = w->elem,
                             .block_stride = w->block_size * step,
                             .slot_stride = step,
                             .n_blocks = BLOCKS,
                             .block_size = w->block_size,
                             .table = w->table,
                             .table_len = BLOCKS,
                             .seq_lens = lens,
                             .n_rows = n,
                             .G = w->G,
                             .D = w->D,
                             .scale = w->narrow ? 0.125f * 0x1p-64f : 0.125f,
                             .window = w->window,
                             .soft_cap = w->cap,
                             .out = out,
                             .out_stride = w->G * w->D + 1};
}

// The queries as kernels take them: f32, or those rounded, which the f32 then are.
static uint16_t *queries(const world *w, float *q, size_t n) {
  uint16_t *narrow = test_alloc(n * sizeof *narrow);
  for (size_t i = 0; i < n && w->narrow; i++)
    narrow[i] = tl_bf16_of_f32(q[i]), q[i] = tl_f32_of_bf16(narrow[i]);
  return narrow;
}
static void attend(const tl_kernels *k, const world *w, const tl_attention_args *a) {
  if (w->narrow)
    k->attention_bf16(a);
  else
    k->attention(a);
}

static void check(const world *w, const int32_t *lens, size_t n) {
  const size_t qs = w->G * w->D + 5, os = w->G * w->D + 1, head = 1;
  float *q = test_alloc(n * qs * 4), *want = test_alloc(n * os * 4), *out = test_alloc(n * os * 4);
  double *exact = malloc(w->D * sizeof *exact);
  test_fill(q, n * qs);
  uint16_t *narrow = queries(w, q, n * qs);
  int32_t most = 0;
  for (size_t i = 0; i < n; i++) {
    most = TL_MAX(most, lens[i]);
    for (size_t g = 0; g < w->G; g++) {
      row(w, head, q + i * qs + g * w->D, (size_t)lens[i], 0.125f, want + i * os + g * w->D, exact);
      // exp and its argument to some ulp each, then a sum of at most len weights that are 1 in all;
      // of bf16 each of those is rounded to 8 bits
      for (size_t d = 0; d < w->D; d++)
        assert_true(fabs((double)want[i * os + g * w->D + d] - exact[d]) <
                    (w->narrow ? 0x1p-9 : 4e-6));
    }
  }
  void *scratch = test_alloc(tl_attention_scratch_size((size_t)most, w->G, w->D));
  for (TEST_EACH_VARIANT(k)) {
    memset(out, 0xff, n * os * 4);
    tl_attention_args a = args_of(w, head, q, out, lens, n);
    a.scratch = scratch, a.q_bf16 = narrow;
    attend(k, w, &a);
    test_same(k, "attention", out, want, n * os);
    memset(out, 0xff, n * os * 4); // row by row
    for (size_t i = 0; i < n; i++) {
      a.q = q + i * qs, a.out = out + i * os, a.seq_lens = lens + i, a.n_rows = 1;
      a.q_bf16 = narrow + i * qs;
      attend(k, w, &a);
    }
    test_same(k, "attention alone", out, want, n * os);
  }
  free(q), free(narrow), free(want), free(out), free(exact), free(scratch);
}

// One row and both heads in one piece and in `parts`, by the steps that a row is taken in.
static void check_row(const world *w, const float *q, const uint16_t *narrow, size_t len,
                      size_t parts, const float *want) {
  const size_t H = HEADS * w->G, from = w->window && w->window < len ? len - w->window : 0,
               first = from / 64, last = (len + 63) / 64, n = last - first,
               step = tl_attention_row_step(w->D), each = H * step;
  float *scores = test_alloc(n * each * 4), *tops = test_alloc(parts * H * 4),
        *sums = test_alloc(H * 4), *lanes = test_alloc(H * 16 * 4), *out = test_alloc(H * w->D * 4);
  void *scratch = test_alloc(tl_attention_row_scratch_size(H, w->D));
  for (TEST_EACH_VARIANT(k)) {
    tl_attention_args a = args_of(w, 0, q, out, NULL, 1);
    a.q_bf16 = narrow;
    tl_attention_row_args part[8];
    for (size_t i = 0; i < parts; i++) {
      part[i] = (tl_attention_row_args){.a = &a,
                                        .KvH = HEADS,
                                        .head_stride = w->row / tl_pool_elem_size(w->elem),
                                        .from = from,
                                        .len = len,
                                        .begin = first + n * i / parts,
                                        .end = first + n * (i + 1) / parts,
                                        .step = step,
                                        .top = tops + i * H,
                                        .sum = sums,
                                        .lanes = lanes,
                                        .scratch = scratch};
      part[i].scores = scores + (part[i].begin - first) * each;
      (w->narrow ? k->attention_bf16_scores : k->attention_scores)(&part[i]);
    }
    for (size_t i = 1; i < parts; i++)
      for (size_t h = 0; h < H; h++)
        tops[h] = tl_max_f32(tops[h], tops[i * H + h]);
    memset(lanes, 0, H * 16 * 4), memset(out, 0, H * w->D * 4);
    for (size_t i = 0; i < parts; i++) {
      part[i].top = tops;
      k->attention_exps(&part[i]);
    }
    for (size_t i = 0; i < parts; i++) { // the heads in two turns
      part[i].h0 = 0, part[i].h1 = H / 2;
      k->attention_sums(&part[i]);
      part[i].h0 = H / 2, part[i].h1 = H;
      k->attention_sums(&part[i]);
    }
    for (size_t h = 0; h < H; h++)
      sums[h] = tl_sum16_tree(lanes + h * 16);
    for (size_t i = parts; i-- > 0;)
      (w->narrow ? k->attention_bf16_values : k->attention_values)(&part[i]);
    for (size_t i = 0; i < parts; i++) {
      part[i].divides = w->narrow && i + 1 == parts;
      part[i].h0 = 0, part[i].h1 = 1;
      k->attention_total(&part[i]);
      part[i].h0 = 1, part[i].h1 = H;
      k->attention_total(&part[i]);
    }
    test_same(k, "a row in pieces", out, want, H * w->D);
  }
  free(scores), free(tops), free(sums), free(lanes), free(out), free(scratch);
}

static void check_rows(const world *w, const int32_t *lens, size_t n) {
  if (w->D % 64) return;
  const size_t H = HEADS * w->G;
  float *q = test_alloc(H * w->D * 4), *want = test_alloc(H * w->D * 4);
  double *exact = malloc(w->D * sizeof *exact);
  test_fill(q, H * w->D);
  uint16_t *narrow = queries(w, q, H * w->D);
  for (size_t i = 0; i < n; i++) {
    for (size_t h = 0; h < H; h++)
      row(w, h / w->G, q + h * w->D, (size_t)lens[i], 0.125f, want + h * w->D, exact);
    const size_t from = w->window && w->window < (size_t)lens[i] ? (size_t)lens[i] - w->window : 0,
                 blocks = ((size_t)lens[i] + 63) / 64 - from / 64;
    for (size_t parts = 1; parts <= TL_MIN(blocks, (size_t)3); parts++)
      check_row(w, q, narrow, (size_t)lens[i], parts, want);
  }
  free(q), free(narrow), free(want), free(exact);
}

static void test_shapes(void **state) {
  (void)state;
  static const size_t shapes[][3] = {{3, 64, 16}, {1, 16, 16},  {4, 128, 8}, {7, 80, 16},
                                     {2, 20, 5},  {50, 32, 16}, {1, 256, 16}};
  for (size_t i = 0; i < TL_COUNT(shapes); i++)
    for (int elem = TL_POOL_F32; elem <= TL_POOL_I8 + 1; elem++) { // the last: queries of bf16
      const bool narrow = elem > TL_POOL_I8;
      world w = world_make(shapes[i][0], shapes[i][1], shapes[i][2],
                           narrow ? TL_POOL_BF16 : (tl_pool_elem)elem);
      w.narrow = narrow;
      static const int32_t decode[] = {1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 129, 200};
      check(&w, decode, TL_COUNT(decode));
      check_rows(&w, decode, TL_COUNT(decode));
      int32_t prefill[70];
      for (int32_t t = 0; t < 70; t++)
        prefill[t] = t + 30;
      check(&w, prefill, shapes[i][0] == 50 ? 5 : 70);
      world_free(&w);
    }
}

// Windows that begin everywhere in a block of keys, that are longer than the row, and scores whose
// size is bounded.
static void test_windows(void **state) {
  (void)state;
  static const size_t shapes[][3] = {{3, 64, 16}, {4, 128, 8}, {7, 80, 16}, {2, 20, 5}};
  static const size_t windows[] = {1, 2, 16, 33, 64, 100, 1000};
  for (size_t i = 0; i < TL_COUNT(shapes); i++)
    for (size_t m = 0; m < 2 * TL_COUNT(windows); m++) {
      const size_t n = m / 2;
      world w = world_make(shapes[i][0], shapes[i][1], shapes[i][2],
                           n % 2 || m % 2 ? TL_POOL_BF16 : TL_POOL_F32);
      w.window = windows[n], w.narrow = m % 2;
      w.cap = n % 3 == 0 ? 0.75f : 0;
      static const int32_t decode[] = {1, 2, 16, 17, 63, 64, 65, 128, 129, 200};
      check(&w, decode, TL_COUNT(decode));
      check_rows(&w, decode, TL_COUNT(decode));
      int32_t prefill[70];
      for (int32_t t = 0; t < 70; t++)
        prefill[t] = t + 30;
      check(&w, prefill, 70);
      world_free(&w);
    }
}

// Length zero, lengths and block numbers out of range, and infinite values beyond a row's own
// length.
static void check_edges(bool of_bf16) {
  world w = world_make(2, 32, 16, of_bf16 ? TL_POOL_BF16 : TL_POOL_F32);
  w.narrow = of_bf16;
  const size_t qs = 2 * 32 + 5, os = 2 * 32 + 1;
  float *q = test_alloc(3 * qs * 4), *out = test_alloc(3 * os * 4), *alone = test_alloc(3 * os * 4);
  test_fill(q, 3 * qs);
  uint16_t *narrow = queries(&w, q, 3 * qs);
  void *scratch = test_alloc(tl_attention_scratch_size(BLOCKS * 16, 2, 32));
  for (size_t d = 0; d < 32; d++)
    if (of_bf16)
      ((uint16_t *)w.v)[at(&w, 40) + d] = 0x7f80, ((uint16_t *)w.k)[at(&w, 41) + d] = 0x7fc0;
    else
      ((float *)w.v)[at(&w, 40) + d] = INFINITY, ((float *)w.k)[at(&w, 41) + d] = NAN;
  for (TEST_EACH_VARIANT(k)) {
    const int32_t lens[] = {0, 40, 42};
    tl_attention_args a = args_of(&w, 0, q, out, lens, 3);
    a.scratch = scratch, a.q_bf16 = narrow;
    attend(k, &w, &a);
    for (size_t i = 0; i < 64; i++)
      assert_int_equal(tl_bits_of_f32(out[i]), 0);
    for (size_t i = 0; i < 64; i++)
      assert_true(isfinite(out[os + i])); // 40 keys do not see key 40
    for (size_t i = 0; i < 64; i++)
      assert_true(isnan(out[2 * os + i]));
    a.seq_lens = lens + 1, a.n_rows = 1, a.q = q + qs, a.q_bf16 = narrow + qs, a.out = alone;
    attend(k, &w, &a);
    test_same(k, "40 keys alone", alone, out + os, 64);
    static const int32_t behind[] = {43, 45}; // windows of one position: 42 and 44
    a.seq_lens = behind, a.n_rows = 2, a.q = q, a.q_bf16 = narrow, a.out = out, a.window = 1;
    attend(k, &w, &a);
    for (size_t i = 0; i < 64; i++)
      assert_true(isfinite(out[i]) && isfinite(out[os + i]));
    a.window = 0;

    const int32_t wild[] = {INT32_MAX, INT32_MIN};
    int32_t table[2] = {INT32_MAX, INT32_MIN};
    a.seq_lens = wild, a.n_rows = 2, a.table = table, a.table_len = 2, a.out = out;
    attend(k, &w, &a);
    for (size_t i = 0; i < 64; i++)
      assert_int_equal(tl_bits_of_f32(out[os + i]), 0);
  }
  free(q), free(narrow), free(out), free(alone), free(scratch);
  world_free(&w);
}

static void test_edges(void **state) {
  (void)state;
  check_edges(false);
  check_edges(true);
}

// Numbers of bf16 whose products would be subnormal, and those near the bounds of what is zero.
static void test_small_numbers(void **state) {
  (void)state;
  world w = world_make(3, 64, 16, TL_POOL_BF16);
  w.narrow = true;
  for (int values = 0; values < 2; values++) {
    float *f = values ? w.vf : w.kf;
    uint16_t *pool = values ? w.v : w.k;
    for (size_t i = 0; i < BLOCKS * 16 * HEADS * 64; i++) {
      const uint32_t how = test_u32() % 4;
      pool[i] = how == 0   ? (uint16_t)(test_u32() & 0x80ff) // subnormal, and the least normal ones
                : how == 1 ? tl_bf16_of_f32(ldexpf(test_f32(), -100))
                           : tl_bf16_of_f32(ldexpf(test_f32(), (int)(test_u32() % 8) - 4));
      f[i] = tl_f32_of_bf16(pool[i]);
    }
  }
  static const int32_t lens[] = {1, 33, 64, 200, 201, 202};
  check(&w, lens, TL_COUNT(lens));
  check_rows(&w, lens, TL_COUNT(lens));
  world_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_variants), cmocka_unit_test(test_shapes),
                                     cmocka_unit_test(test_windows), cmocka_unit_test(test_edges),
                                     cmocka_unit_test(test_small_numbers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
