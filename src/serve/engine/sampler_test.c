#include "serve/engine/sampler.h"

#include <math.h>

#include "base/test.h"

// The sampler against a plain one: all candidates sorted, cut by the definitions in double. Draws
// are compared as sets (an id outside the set is never drawn, every likely one is), and as
// distributions by chi-square. Seeds are fixed, so a run that passes passes always; each check has
// a control that it must refuse.

enum { MOST = 4096 };

static uint64_t state = 1;

static uint64_t random_u64(void) { // splitmix64, not the sampler's own generator
  uint64_t z = state += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}
static double random_unit(void) { return (double)(random_u64() >> 11) * 0x1p-53; }
static uint32_t random_below(uint32_t n) { return (uint32_t)(random_unit() * n); }

// --- the plain sampler ---

typedef struct plain_one {
  double p;
  int32_t id;
} plain_one;

typedef struct plain {
  plain_one one[MOST];          // the most probable first, the lower id on a tie
  size_t n;                     // kept
  double share[MOST];           // [id] probability of a draw; 0 when not kept
  bool kept[MOST], close[MOST]; // [id]; close: rounding may decide whether it is kept
} plain;

static int plain_order(const void *a, const void *b) {
  const plain_one *x = a, *y = b;
  if (x->p != y->p) return x->p < y->p ? 1 : -1;
  return x->id < y->id ? -1 : 1;
}

static void plain_make(plain *q, const tl_sampling *s, const float *logits, size_t n) {
  memset(q, 0, sizeof *q);
  double top = -(double)INFINITY, sum = 0.0;
  for (size_t i = 0; i < n; i++)
    top = fmax(top, (double)logits[i]);
  for (size_t i = 0; i < n; i++)
    q->one[i] = (plain_one){exp(((double)logits[i] - top) / (double)s->temperature), (int32_t)i};
  qsort(q->one, n, sizeof *q->one, plain_order);
  q->n = s->top_k && s->top_k < n ? s->top_k : n;
  if (s->top_p > 0.0f && s->top_p < 1.0f) {
    for (size_t i = 0; i < q->n; i++)
      sum += q->one[i].p;
    double reached = 0.0;
    size_t keep = 0;
    while (keep < q->n && reached < sum * (double)s->top_p) {
      reached += q->one[keep++].p;
      if (fabs(reached - sum * (double)s->top_p) < 1e-5 * sum) {
        if (keep < q->n) q->close[q->one[keep].id] = true;
        q->close[q->one[keep - 1].id] = keep > 1;
      }
    }
    q->n = keep;
  }
  size_t out = 0;
  for (size_t i = 0; i < q->n; i++) {
    if (fabs(q->one[i].p - (double)s->min_p) < 1e-5 * (double)s->min_p && q->one[i].p < 1.0)
      q->close[q->one[i].id] = true;
    if (q->one[i].p >= (double)s->min_p) q->one[out++] = q->one[i];
  }
  q->n = out;
  sum = 0.0;
  for (size_t i = 0; i < q->n; i++)
    sum += q->one[i].p;
  for (size_t i = 0; i < q->n; i++) {
    q->kept[q->one[i].id] = true;
    q->share[q->one[i].id] = q->one[i].p / sum;
  }
}

static int32_t draw(const tl_sampling *s, const float *logits, size_t n, uint64_t position) {
  static tl_candidate scratch[MOST];
  int32_t id = -1;
  assert_ok(tl_sample(s, logits, n, position, scratch, &id));
  assert_in_range(id, 0, n - 1);
  return id;
}

// Draws at positions 0, 1, 2 ... and says how many fell outside the plain sampler's set, and how
// many likely members were never seen.
static size_t set_errors(const tl_sampling *s, const plain *q, const float *logits, size_t n,
                         size_t draws) {
  static uint32_t seen[MOST];
  memset(seen, 0, sizeof seen);
  for (size_t i = 0; i < draws; i++)
    seen[draw(s, logits, n, i)]++;
  size_t errors = 0;
  for (size_t id = 0; id < n; id++) {
    if (seen[id] && !q->kept[id] && !q->close[id]) errors++;
    // Never seen although 30 draws are to be expected: one in 10^13.
    if (!seen[id] && !q->close[id] && q->share[id] * (double)draws > 30.0) errors++;
  }
  return errors;
}

static void draws_come_from_the_right_set(void **unused) {
  (void)unused;
  static const size_t sizes[] = {1, 2, 3, 5, 8, 17, 64, 65, 100, 300, 1000, MOST};
  static float logits[MOST];
  static plain q;
  size_t refused = 0, tried = 0;
  for (int round = 0; round < 600; round++) {
    const size_t n = sizes[random_below(TL_COUNT(sizes))];
    const bool coarse = random_below(2); // few different values: ties everywhere
    for (size_t i = 0; i < n; i++) {
      double x = 12.0 * random_unit() - 6.0;
      logits[i] = random_below(20) == 0 && i ? -INFINITY : coarse ? (float)floor(x) : (float)x;
    }
    tl_sampling s = {.temperature = (float)(0.2 + 2.0 * random_unit()), .seed = random_u64()};
    if (random_below(2)) s.top_k = 1 + random_below((uint32_t)n + 2);
    if (random_below(2)) s.top_p = (float)random_unit();
    if (random_below(3) == 0) s.min_p = (float)random_unit();
    assert_ok(tl_sampling_check(&s));
    plain_make(&q, &s, logits, n);
    assert_int_equal(set_errors(&s, &q, logits, n, 200), 0);
    // The control: without its most probable member the set is refused.
    if (q.n > 1 && q.share[q.one[0].id] > 0.05) { // missed by 200 draws: 1 in 28,000
      q.kept[q.one[0].id] = q.close[q.one[0].id] = false;
      q.share[q.one[0].id] = 0.0;
      tried++;
      refused += set_errors(&s, &q, logits, n, 200) != 0;
    }
  }
  assert_true(tried > 100);
  assert_int_equal(refused, tried);
}

// --- distributions ---

static double chi_square(const uint32_t *seen, const double *share, size_t n, double draws) {
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) {
    if (share[i] == 0.0) {
      assert_int_equal(seen[i], 0);
      continue;
    }
    const double wanted = share[i] * draws;
    sum += (seen[i] - wanted) * (seen[i] - wanted) / wanted;
  }
  return sum;
}

static void draws_are_distributed_as_the_softmax(void **unused) {
  (void)unused;
  enum { N = 10, DRAWS = 20000 };
  static const float logits[N] = {0.0f, 1.0f, -1.0f, 0.5f, 0.5f, 2.0f, -2.0f, 1.5f, 0.25f, -0.5f};
  static const tl_sampling cases[] = {
      {.temperature = 1.0f, .seed = 1},
      {.temperature = 0.7f, .seed = 2},
      {.temperature = 1.0f, .top_k = 4, .seed = 3},
      {.temperature = 1.3f, .top_p = 0.8f, .seed = 4},
      {.temperature = 1.0f, .min_p = 0.2f, .seed = 5},
      {.temperature = 1.5f, .top_k = 8, .top_p = 0.9f, .min_p = 0.05f, .seed = UINT64_MAX},
  };
  static plain q;
  for (size_t c = 0; c < TL_COUNT(cases); c++) {
    uint32_t seen[N] = {0};
    for (uint32_t i = 0; i < DRAWS; i++)
      seen[draw(&cases[c], logits, N, i)]++;
    plain_make(&q, &cases[c], logits, N);
    // 9 degrees of freedom at most: over 33.7 with a chance of 1e-4.
    assert_true(chi_square(seen, q.share, N, DRAWS) < 33.7);
    tl_sampling other = cases[c]; // the control: another temperature is seen
    other.temperature *= 1.2f;
    plain_make(&q, &other, logits, N);
    bool same_set = true;
    for (size_t i = 0; i < N; i++)
      same_set &= q.kept[i] || seen[i] == 0;
    if (same_set) assert_true(chi_square(seen, q.share, N, DRAWS) > 100.0);
  }
}

static void uniform_numbers_are_uniform(void **unused) {
  (void)unused;
  enum { BINS = 64, DRAWS = 64000 };
  double share[BINS];
  for (size_t i = 0; i < BINS; i++)
    share[i] = 1.0 / BINS;
  // Over positions, over seeds, and successive positions as pairs of 8 by 8. 63 degrees of freedom:
  // over 113.5 with a chance of 1e-4.
  uint32_t positions[BINS] = {0}, seeds[BINS] = {0}, pairs[BINS] = {0}, squared[BINS] = {0};
  for (uint32_t i = 0; i < DRAWS; i++) {
    const double u = tl_sample_uniform(42, i), v = tl_sample_uniform(42, i + 1);
    assert_true(u >= 0.0 && u < 1.0);
    positions[(size_t)(u * BINS)]++;
    seeds[(size_t)(tl_sample_uniform(i, 42) * BINS)]++;
    pairs[(size_t)(u * 8) * 8 + (size_t)(v * 8)]++;
    squared[(size_t)(u * u * BINS)]++;
  }
  assert_true(chi_square(positions, share, BINS, DRAWS) < 113.5);
  assert_true(chi_square(seeds, share, BINS, DRAWS) < 113.5);
  assert_true(chi_square(pairs, share, BINS, DRAWS) < 113.5);
  assert_true(chi_square(squared, share, BINS, DRAWS) > 1000.0);
}

static void uniform_numbers_are_threefry(void **unused) {
  (void)unused;
  // The known answers that Random123 publishes for threefry2x32 of 20 rounds (counter, key).
  static const struct {
    uint64_t counter, key, answer;
  } known[] = {{0, 0, 0x6b20015999ba4efeu},
               {UINT64_MAX, UINT64_MAX, 0x1cb996fcbb002be7u},
               {0x243f6a8885a308d3u, 0x13198a2e03707344u, 0xc4923a9c483df7a0u}};
  for (size_t i = 0; i < TL_COUNT(known); i++)
    assert_true(tl_sample_uniform(known[i].key, known[i].counter) ==
                (double)(known[i].answer >> 11) * 0x1p-53);
}

// --- edges ---

static void greedy_takes_the_lowest_of_the_greatest(void **unused) {
  (void)unused;
  int32_t id = -1;
  assert_ok(tl_sample_greedy((const float[]){-3.0f, 7.0f, 7.0f, -INFINITY}, 4, &id));
  assert_int_equal(id, 1);
  assert_ok(tl_sample_greedy((const float[]){-INFINITY, -1e30f}, 2, &id));
  assert_int_equal(id, 1);
  const tl_sampling greedy = {.seed = 9, .top_k = 2, .top_p = 0.5f};
  for (uint64_t i = 0; i < 50; i++)
    assert_int_equal(draw(&greedy, (const float[]){0.0f, 0.1f, 0.1f}, 3, i), 1);
}

static void what_is_no_distribution_is_refused(void **unused) {
  (void)unused;
  tl_candidate scratch[2];
  int32_t id = 77;
  const tl_sampling s = {.temperature = 1.0f};
  const float nan[2] = {0.0f, NAN}, inf[2] = {INFINITY, 0.0f}, none[2] = {-INFINITY, -INFINITY};
  assert_status(tl_sample(&s, nan, 2, 0, scratch, &id), TL_STATUS_DATA_LOSS, "token 1");
  assert_status(tl_sample(&s, inf, 2, 0, scratch, &id), TL_STATUS_DATA_LOSS, "token 0");
  assert_status(tl_sample(&s, none, 2, 0, scratch, &id), TL_STATUS_DATA_LOSS, "-inf");
  assert_status(tl_sample_greedy(nan, 2, &id), TL_STATUS_DATA_LOSS, "nan");
  assert_int_equal(id, 77);
}

static void settings_out_of_range_are_refused_by_name(void **unused) {
  (void)unused;
  static const struct {
    tl_sampling s;
    const char *name;
  } bad[] = {{{.temperature = -0.1f}, "temperature"},
             {{.temperature = NAN}, "temperature"},
             {{.temperature = INFINITY}, "temperature"},
             {{.top_p = 1.1f}, "top-p"},
             {{.top_p = -1.0f}, "top-p"},
             {{.top_p = NAN}, "top-p"},
             {{.min_p = -0.5f}, "min-p"},
             {{.min_p = 2.0f}, "min-p"},
             {{.min_p = NAN}, "min-p"}};
  for (size_t i = 0; i < TL_COUNT(bad); i++)
    assert_status(tl_sampling_check(&bad[i].s), TL_STATUS_INVALID_ARGUMENT, bad[i].name);
  assert_ok(tl_sampling_check(&(tl_sampling){0}));
  assert_ok(tl_sampling_check(&(tl_sampling){.temperature = 2.0f, .top_p = 1.0f, .min_p = 1.0f}));
}

// How many different ids come out of 500 draws.
static size_t variety(const tl_sampling *s, const float *logits, size_t n) {
  bool seen[16] = {false};
  size_t different = 0;
  for (uint64_t i = 0; i < 500; i++) {
    const int32_t id = draw(s, logits, n, i);
    different += !seen[id];
    seen[id] = true;
  }
  return different;
}

static void cuts_at_their_edges(void **unused) {
  (void)unused;
  static const float flat[6] = {1.0f, 1.0f, 1.0f, 1.0f, 1.0f, 1.0f};
  static const float steep[6] = {0.0f, 1.0f, 2.0f, 2.0f, 1.0f, -INFINITY};
  assert_int_equal(variety(&(tl_sampling){.temperature = 1.0f}, flat, 6), 6);
  assert_int_equal(variety(&(tl_sampling){.temperature = 1.0f}, steep, 6), 5); // -inf never
  assert_int_equal(variety(&(tl_sampling){.temperature = 1.0f, .top_k = 1}, flat, 6), 1);
  assert_int_equal(variety(&(tl_sampling){.temperature = 1.0f, .top_k = 2}, flat, 6), 2);
  assert_int_equal(variety(&(tl_sampling){.temperature = 1.0f, .top_k = 6}, flat, 6), 6);
  assert_int_equal(variety(&(tl_sampling){.temperature = 1.0f, .top_k = 600}, flat, 6), 6);
  // A sixth each: two reach a third less a hair, three are needed just above it.
  assert_int_equal(variety(&(tl_sampling){.temperature = 1.0f, .top_p = 0.333f}, flat, 6), 2);
  assert_int_equal(variety(&(tl_sampling){.temperature = 1.0f, .top_p = 0.334f}, flat, 6), 3);
  assert_int_equal(variety(&(tl_sampling){.temperature = 1.0f, .top_p = 1e-6f}, flat, 6), 1);
  assert_int_equal(variety(&(tl_sampling){.temperature = 1.0f, .top_p = 1.0f}, flat, 6), 6);
  // top-p is of what top-k left: a half each, so 0.49 needs one and 0.51 both.
  const tl_sampling one = {.temperature = 1.0f, .top_k = 2, .top_p = 0.49f};
  const tl_sampling both = {.temperature = 1.0f, .top_k = 2, .top_p = 0.51f};
  assert_int_equal(variety(&one, flat, 6), 1);
  assert_int_equal(variety(&both, flat, 6), 2);
  // min-p is relative to the most probable; temperature comes first: exp(-1) is 0.368, and at
  // temperature 2 exp(-1/2) is 0.607.
  assert_int_equal(variety(&(tl_sampling){.temperature = 1.0f, .min_p = 1.0f}, steep, 6), 2);
  assert_int_equal(variety(&(tl_sampling){.temperature = 1.0f, .min_p = 0.36f}, steep, 6), 4);
  assert_int_equal(variety(&(tl_sampling){.temperature = 1.0f, .min_p = 0.37f}, steep, 6), 2);
  assert_int_equal(variety(&(tl_sampling){.temperature = 2.0f, .min_p = 0.60f}, steep, 6), 4);
  // Ties at the border of top-k go to the lower ids.
  const tl_sampling three = {.temperature = 1.0f, .top_k = 3};
  for (uint64_t i = 0; i < 500; i++)
    assert_in_set(draw(&three, steep, 6, i), ((uintmax_t[]){1, 2, 3}), 3);
  // So cold that everything else vanishes, and a vocabulary of one.
  assert_int_equal(variety(&(tl_sampling){.temperature = 1e-30f}, (float[]){0.0f, 1e-3f}, 2), 1);
  assert_int_equal(variety(&(tl_sampling){.temperature = 5.0f, .top_p = 0.5f}, flat, 1), 1);
}

static void a_draw_depends_on_seed_and_position_only(void **unused) {
  (void)unused;
  static float logits[MOST];
  for (size_t i = 0; i < MOST; i++)
    logits[i] = (float)(4.0 * random_unit());
  const tl_sampling s = {.temperature = 1.0f, .top_k = 50, .seed = 123};
  tl_sampling other = s;
  other.seed = 124;
  size_t seed_differs = 0, position_differs = 0;
  for (uint64_t i = 0; i < 200; i++) {
    const int32_t id = draw(&s, logits, MOST, i);
    draw(&other, logits, MOST, 3 * i); // another request in between
    assert_int_equal(draw(&s, logits, MOST, i), id);
    seed_differs += draw(&other, logits, MOST, i) != id;
    position_differs += draw(&s, logits, MOST, i + 1000) != id;
  }
  assert_true(seed_differs > 150 && position_differs > 150);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(draws_come_from_the_right_set),
      cmocka_unit_test(draws_are_distributed_as_the_softmax),
      cmocka_unit_test(uniform_numbers_are_uniform),
      cmocka_unit_test(uniform_numbers_are_threefry),
      cmocka_unit_test(greedy_takes_the_lowest_of_the_greatest),
      cmocka_unit_test(what_is_no_distribution_is_refused),
      cmocka_unit_test(settings_out_of_range_are_refused_by_name),
      cmocka_unit_test(cuts_at_their_edges),
      cmocka_unit_test(a_draw_depends_on_seed_and_position_only),
  };
  return cmocka_run_group_tests_name("sampler", tests, NULL, NULL);
}
