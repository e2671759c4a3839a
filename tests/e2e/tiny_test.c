// The engine on tiny checkpoints: against transformers (tests/oracle/tiny_models.py), and against
// itself, since results must not depend on how tokens are cut into steps, on what else is in a
// step, on pages, threads, or on the kind of entry.
//
// Logits are compared relative to the greatest |logit|. Where weights and KV are what the oracle
// had (float32 of the stored numbers) they agree within EXACT: both sides sum at most 80 products
// in float32, in different orders, through two layers. Where something is rounded to bf16 on the
// way (8 bits, so 2^-9 of each number) they agree within ROUNDED.

#include "e2e.h"

static const double EXACT = 5e-6, ROUNDED = 2e-2;

enum { VOCAB_MOST = 128, PROMPT_MOST = 64, STEPS_MOST = 32 };

typedef struct tiny {
  const char *path;
  bool bf16_file;
} tiny;
static const tiny models[] = {{"tests/model/tiny-llama-untied", true},
                              {"tests/model/tiny-qwen3-tied", true},
                              {"tests/model/tiny-qwen3-untied", false}};

static uint64_t state;
static uint64_t random_u64(void) { // splitmix64
  uint64_t z = state += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}
static uint32_t random_below(uint32_t n) { return (uint32_t)(random_u64() >> 33) % n; }
static void random_ids(int32_t *out, size_t n, uint32_t vocab) {
  for (size_t i = 0; i < n; i++)
    out[i] = (int32_t)random_below(vocab);
}

// --- against transformers ---

typedef struct golden_case {
  int32_t prompt[PROMPT_MOST], greedy[STEPS_MOST];
  size_t n_prompt, n_steps;
  double first[VOCAB_MOST], last[VOCAB_MOST]; // logits
} golden_case;

static size_t read_golden(const char *dir, golden_case *out, size_t cap, size_t vocab) {
  char path[256];
  snprintf(path, sizeof path, "%s/golden.json", dir);
  json_t *root = e2e_json(path);
  const json_t *cases = json_object_get(root, "cases");
  const size_t n = json_array_size(cases);
  assert_in_range(n, 1, cap);
  for (size_t i = 0; i < n; i++) {
    const json_t *c = json_array_get(cases, i);
    out[i].n_prompt = e2e_ids(c, "prompt", out[i].prompt, PROMPT_MOST);
    out[i].n_steps = e2e_ids(c, "greedy", out[i].greedy, STEPS_MOST);
    assert_int_equal(e2e_numbers(c, "logits_first", out[i].first, VOCAB_MOST), vocab);
    assert_int_equal(e2e_numbers(c, "logits_last", out[i].last, VOCAB_MOST), vocab);
    assert_true(e2e_number(c, "least_gap") > 1e-3); // so that ids must be equal
  }
  json_decref(root);
  return n;
}

static double worst(const float *got, const double *wanted, size_t n) { // of the greatest |wanted|
  double largest = 0.0, most = 0.0;
  for (size_t i = 0; i < n; i++) {
    largest = fmax(largest, fabs(wanted[i]));
    most = fmax(most, fabs((double)got[i] - wanted[i]));
    if (isnan(got[i])) return (double)INFINITY;
  }
  return most / largest;
}

// Runs a case along the oracle's ids. Returns the worst error of the logits; counts ids that are
// not the oracle's.
static double follow(tl_engine *e, const golden_case *c, size_t *out_different,
                     float *out_last) { // [vocab]
  const size_t vocab = tl_engine_artifact(e)->vocab;
  double error = 0.0;
  tl_sequence *s = NULL;
  assert_ok(tl_sequence_create(e, &s));
  assert_ok(tl_sequence_append(s, c->prompt, c->n_prompt));
  for (size_t i = 0; i < c->n_steps; i++) {
    e2e_feed(s, UINT32_MAX, out_last);
    if (i == 0) error = worst(out_last, c->first, vocab);
    *out_different += e2e_argmax(out_last, vocab) != c->greedy[i];
    assert_ok(tl_sequence_append(s, &c->greedy[i], 1));
  }
  tl_sequence_destroy(s);
  return fmax(error, worst(out_last, c->last, vocab));
}

static void every_kind_answers_as_transformers(bool interpreter) {
  static const tl_weights_mode weights[] = {TL_WEIGHTS_KEEP, TL_WEIGHTS_F32, TL_WEIGHTS_BF16};
  static golden_case cases[8];
  double worst_exact = 0.0, worst_rounded = 0.0;
  for (size_t m = 0; m < TL_COUNT(models); m++) {
    float plain[8][VOCAB_MOST]; // logits with weights and KV as they are
    for (size_t w = 0; w < TL_COUNT(weights); w++)
      for (int kv_bf16 = 0; kv_bf16 < 2; kv_bf16++) {
        e2e t;
        e2e_open(
            &t, models[m].path,
            &(e2e_options){.model = {.weights = weights[w], .kv = kv_bf16 ? TL_KV_BF16 : TL_KV_F32},
                           .interpreter = interpreter});
        const size_t vocab = t.artifact->vocab;
        const size_t n = read_golden(models[m].path, cases, TL_COUNT(cases), vocab);
        const bool rounds = weights[w] == TL_WEIGHTS_BF16 && !models[m].bf16_file;
        for (size_t c = 0; c < n; c++) {
          size_t different = 0;
          float last[VOCAB_MOST];
          const double error = follow(t.engine, &cases[c], &different, last);
          if (!kv_bf16 && !rounds) {
            worst_exact = fmax(worst_exact, error);
            assert_int_equal(different, 0);
            assert_true(error <= EXACT);
          } else {
            worst_rounded = fmax(worst_rounded, error);
            assert_true(error <= ROUNDED);
            // The control: the rounding took place. (A prompt's first value alone shows nothing of
            // K, since one key has all the weight.)
            assert_memory_not_equal(last, plain[c], vocab * sizeof *last);
          }
          if (weights[w] == TL_WEIGHTS_KEEP && !kv_bf16) memcpy(plain[c], last, sizeof last);
          if (c > 0) { // the control: another token in the prompt is far from the golden
            golden_case other = cases[c];
            other.prompt[other.n_prompt - 1] = (other.prompt[other.n_prompt - 1] + 1) % (int)vocab;
            assert_true(follow(t.engine, &other, &different, last) > ROUNDED);
          }
        }
        e2e_close(&t);
      }
  }
  print_message("worst logits: %.2g of the greatest, %.2g with bf16\n", worst_exact, worst_rounded);
}

static void native_answers_as_transformers(void **unused) {
  (void)unused;
  every_kind_answers_as_transformers(false);
}

static void the_interpreter_answers_as_transformers(void **unused) {
  (void)unused;
  every_kind_answers_as_transformers(true);
}

static void native_and_interpreter_give_the_same_bits(void **unused) {
  (void)unused;
  for (size_t m = 0; m < TL_COUNT(models); m++)
    for (int kv_bf16 = 0; kv_bf16 < 2; kv_bf16++) {
      e2e_options o = {.model.kv = kv_bf16 ? TL_KV_BF16 : TL_KV_F32};
      e2e native, ref;
      e2e_open(&native, models[m].path, &o);
      o.interpreter = true;
      e2e_open(&ref, models[m].path, &o);
      const uint32_t vocab = native.artifact->vocab;
      int32_t ids[40];
      state = m;
      random_ids(ids, TL_COUNT(ids), vocab);
      for (size_t n = 1; n <= TL_COUNT(ids); n += 13) {
        float a[VOCAB_MOST], b[VOCAB_MOST];
        e2e_logits(native.engine, ids, n, UINT32_MAX, a);
        e2e_logits(ref.engine, ids, n, UINT32_MAX, b);
        assert_memory_equal(a, b, vocab * sizeof *a);
      }
      e2e_close(&native);
      e2e_close(&ref);
    }
}

// --- against itself ---

// Chunks of a prompt, and `batch` sequences that share their steps.
enum { BATCH_MOST = 16 };
static void cutting_changes_no_bit(bool interpreter, int64_t threads, uint32_t batch) {
  for (size_t m = 0; m < TL_COUNT(models); m++) {
    e2e one, many;
    e2e_open(&one, models[m].path, &(e2e_options){.interpreter = interpreter, .threads = 1});
    e2e_open(
        &many, models[m].path,
        &(e2e_options){.interpreter = interpreter, .threads = threads, .model.max_batch = batch});
    const uint32_t vocab = one.artifact->vocab;
    const size_t size = vocab * sizeof(float);
    enum { N = 41 };
    int32_t ids[BATCH_MOST][N];
    float whole[BATCH_MOST][VOCAB_MOST], other[VOCAB_MOST];
    state = 100 + m;
    for (uint32_t q = 0; q < batch; q++) {
      random_ids(ids[q], N, vocab);
      e2e_logits(one.engine, ids[q], N, UINT32_MAX, whole[q]);
    }
    static const uint32_t chunks[] = {1, 2, 7, 16, 40, UINT32_MAX};
    for (size_t c = 0; c < TL_COUNT(chunks); c++) {
      e2e_logits(one.engine, ids[0], N, chunks[c], other);
      assert_memory_equal(other, whole[0], size);
      e2e_logits(many.engine, ids[0], N, chunks[c], other);
      assert_memory_equal(other, whole[0], size);
    }
    // All sequences in the same steps, each at its own pace, in changing order.
    tl_sequence *s[BATCH_MOST];
    for (uint32_t q = 0; q < batch; q++) {
      assert_ok(tl_sequence_create(many.engine, &s[q]));
      assert_ok(tl_sequence_append(s[q], ids[q], N));
    }
    size_t ended = 0;
    for (uint32_t round = 0; ended < batch; round++) {
      tl_step_item items[BATCH_MOST];
      size_t n = 0;
      for (uint32_t i = 0; i < batch; i++) {
        tl_sequence *q = s[(i + round) % batch];
        const uint32_t left = q->n_tokens - q->n_cached;
        if (left == 0) continue;
        const uint32_t some = 1 + random_below(9);
        items[n++] = (tl_step_item){.sequence = q, .n = TL_MIN(left, some)};
        items[n - 1].wants_logits = items[n - 1].n == left;
      }
      assert_ok(tl_engine_step(many.engine, items, n));
      for (size_t i = 0; i < n; i++) {
        if (!items[i].wants_logits) {
          assert_null(items[i].logits);
          continue;
        }
        ended++;
        for (uint32_t q = 0; q < batch; q++)
          if (s[q] == items[i].sequence) assert_memory_equal(items[i].logits, whole[q], size);
      }
    }
    for (uint32_t q = 0; q < batch; q++)
      tl_sequence_destroy(s[q]);
    // The control: one token changed, at the far end of the attention.
    ids[0][0] = (ids[0][0] + 1) % (int32_t)vocab;
    e2e_logits(one.engine, ids[0], N, 7, other);
    assert_memory_not_equal(other, whole[0], size);
    e2e_close(&one);
    e2e_close(&many);
  }
}

static void cutting_changes_no_bit_natively(void **unused) {
  (void)unused;
  for (uint32_t batch = 1; batch <= BATCH_MOST; batch += batch < 4 ? 1 : 6) // 1 2 3 4 10 16
    for (int64_t threads = 1; threads <= 3; threads++)
      cutting_changes_no_bit(false, threads, batch);
}

static void cutting_changes_no_bit_in_the_interpreter(void **unused) {
  (void)unused;
  cutting_changes_no_bit(true, 1, 4);
}

// --- pages ---

// No page belongs to two sequences, none is page 0, and each sequence has just what it needs.
static size_t check_pages(const tl_artifact *a, tl_sequence *const *s, size_t n) {
  bool taken[256] = {true};
  size_t total = 0;
  assert_true(a->num_blocks <= TL_COUNT(taken));
  for (size_t q = 0; q < n; q++) {
    assert_true(s[q]->n_cached <= s[q]->n_tokens);
    assert_int_equal(s[q]->n_pages, (s[q]->n_cached + a->block_size - 1) / a->block_size);
    for (uint32_t p = 0; p < s[q]->n_pages; p++) {
      assert_in_range(s[q]->pages[p], 1, a->num_blocks - 1);
      assert_false(taken[s[q]->pages[p]]);
      taken[s[q]->pages[p]] = true;
    }
    total += s[q]->n_pages;
  }
  return total;
}

// Sequences grow, are cut back, destroyed and made again at random, on a pool that is too small for
// them; whenever logits are asked for they are those of the same tokens run alone from nothing.
static void random_lives_of_sequences(void **unused) {
  (void)unused;
  enum { N = 4, BLOCKS = 20, CONTEXT = 64, ROUNDS = 500 };
  for (size_t m = 0; m < TL_COUNT(models); m++) {
    const tl_model_options small = {
        .context = CONTEXT, .block_size = 4, .num_blocks = BLOCKS, .max_batch = N};
    e2e t, alone;
    e2e_open(&t, models[m].path, &(e2e_options){.model = small, .prefill_chunk = 24, .threads = 2});
    e2e_open(&alone, models[m].path, &(e2e_options){.model.context = CONTEXT, .threads = 1});
    const uint32_t vocab = t.artifact->vocab;
    tl_sequence *s[N];
    for (int q = 0; q < N; q++)
      assert_ok(tl_sequence_create(t.engine, &s[q]));
    state = 7 + m;
    size_t compared = 0, exhausted = 0, reused = 0;
    for (int round = 0; round < ROUNDS; round++) {
      const uint32_t q = random_below(N);
      switch (random_below(6)) {
      case 0: // shorter: what is left of the prefix stays usable
        tl_sequence_truncate(s[q], random_below(s[q]->n_tokens + 2));
        reused += s[q]->n_cached;
        break;
      case 1:
        if (random_below(4) == 0) {
          tl_sequence_destroy(s[q]);
          assert_ok(tl_sequence_create(t.engine, &s[q]));
        }
        break;
      default: {
        int32_t ids[12];
        const uint32_t some = 1 + random_below(12), n = TL_MIN(some, CONTEXT - s[q]->n_tokens);
        random_ids(ids, n, vocab);
        assert_ok(tl_sequence_append(s[q], ids, n));
      }
      }
      tl_step_item items[N];
      size_t n = 0;
      uint32_t room = tl_engine_max_step(t.engine), before_cached[N], before_pages[N];
      for (uint32_t i = 0; i < N; i++) {
        before_cached[i] = s[i]->n_cached;
        before_pages[i] = s[i]->n_pages;
        const uint32_t left = s[i]->n_tokens - s[i]->n_cached;
        if (left == 0 || room == 0 || random_below(3) == 0) continue;
        const uint32_t some = 1 + random_below(left);
        items[n] = (tl_step_item){.sequence = s[i], .n = TL_MIN(room, some)};
        items[n].wants_logits = random_below(2);
        room -= items[n++].n;
      }
      if (n == 0) continue;
      tl_status st = tl_engine_step(t.engine, items, n);
      if (st) {
        assert_status(st, TL_STATUS_RESOURCE_EXHAUSTED, "pages of 4 tokens");
        exhausted++;
        for (uint32_t i = 0; i < N; i++) { // nothing has changed
          assert_int_equal(s[i]->n_cached, before_cached[i]);
          assert_int_equal(s[i]->n_pages, before_pages[i]);
        }
        check_pages(t.artifact, s, N);
        tl_sequence_truncate(s[q], 0);
        continue;
      }
      assert_true(check_pages(t.artifact, s, N) <= BLOCKS - 1);
      for (size_t i = 0; i < n; i++) {
        if (!items[i].wants_logits) continue;
        float from_nothing[VOCAB_MOST];
        e2e_logits(alone.engine, items[i].sequence->tokens, items[i].sequence->n_cached, UINT32_MAX,
                   from_nothing);
        assert_memory_equal(items[i].logits, from_nothing, vocab * sizeof(float));
        compared++;
      }
    }
    // The run went where it should have gone.
    assert_true(compared > 100 && exhausted > 10 && reused > 100);
    for (int q = 0; q < N; q++)
      tl_sequence_destroy(s[q]);
    // All pages came back: one sequence can fill its context, and no page was lost or doubled.
    tl_sequence *all[2];
    int32_t ids[CONTEXT];
    float logits[VOCAB_MOST];
    random_ids(ids, CONTEXT, vocab);
    for (int q = 0; q < 2; q++)
      assert_ok(tl_sequence_create(t.engine, &all[q]));
    assert_ok(tl_sequence_append(all[0], ids, CONTEXT));
    e2e_feed(all[0], UINT32_MAX, logits);
    assert_ok(tl_sequence_append(all[1], ids, (BLOCKS - 1) * 4 - CONTEXT));
    e2e_feed(all[1], UINT32_MAX, logits);
    assert_int_equal(check_pages(t.artifact, all, 2), BLOCKS - 1);
    for (int q = 0; q < 2; q++)
      tl_sequence_destroy(all[q]);
    e2e_close(&t);
    e2e_close(&alone);
  }
}

static void an_exhausted_pool_is_refused_and_recovers(void **unused) {
  (void)unused;
  e2e t;
  e2e_open(
      &t, models[0].path,
      &(e2e_options){.model = {.context = 32, .block_size = 8, .num_blocks = 6, .max_batch = 2}});
  tl_sequence *a = NULL, *b = NULL;
  int32_t ids[32];
  float logits[VOCAB_MOST], again[VOCAB_MOST];
  state = 5;
  random_ids(ids, 32, t.artifact->vocab);
  assert_ok(tl_sequence_create(t.engine, &a));
  assert_ok(tl_sequence_create(t.engine, &b));
  assert_ok(tl_sequence_append(a, ids, 32)); // 4 pages of the 5
  e2e_feed(a, UINT32_MAX, logits);
  assert_ok(tl_sequence_append(b, ids, 9));
  tl_step_item item = {.sequence = b, .n = 9, .wants_logits = true};
  assert_status(tl_engine_step(t.engine, &item, 1), TL_STATUS_RESOURCE_EXHAUSTED,
                "KV page pool exhausted");
  assert_int_equal(b->n_cached, 0);
  assert_int_equal(b->n_pages, 0);
  item.n = 8; // a page is free
  assert_ok(tl_engine_step(t.engine, &item, 1));
  item.n = 1;
  assert_status(tl_engine_step(t.engine, &item, 1), TL_STATUS_RESOURCE_EXHAUSTED, "1 more pages");
  assert_int_equal(b->n_cached, 8);
  tl_sequence_truncate(a, 24);
  assert_ok(tl_engine_step(t.engine, &item, 1));
  tl_sequence_truncate(b, 0);
  assert_ok(tl_sequence_append(a, ids + 24, 8)); // and a gets on as if nothing had been
  e2e_feed(a, UINT32_MAX, again);
  assert_memory_equal(logits, again, t.artifact->vocab * sizeof(float));
  tl_sequence_destroy(a);
  tl_sequence_destroy(b);
  e2e_close(&t);
}

static void wrong_calls_are_refused(void **unused) {
  (void)unused;
  e2e t;
  e2e_open(&t, models[0].path,
           &(e2e_options){.model = {.context = 32, .max_batch = 2}, .prefill_chunk = 8});
  tl_sequence *s = NULL, *other[2];
  int32_t ids[33] = {0};
  assert_ok(tl_sequence_create(t.engine, &s));
  assert_status(tl_sequence_append(s, ids, 33), TL_STATUS_OUT_OF_RANGE, "33");
  ids[4] = (int32_t)t.artifact->vocab;
  assert_status(tl_sequence_append(s, ids, 10), TL_STATUS_INVALID_ARGUMENT, "token 4 is 128");
  ids[4] = -1;
  assert_status(tl_sequence_append(s, ids, 10), TL_STATUS_INVALID_ARGUMENT, "token 4 is -1");
  assert_int_equal(s->n_tokens, 0);
  ids[4] = 0;
  assert_ok(tl_sequence_append(s, ids, 20));
  assert_status(tl_engine_step(t.engine, NULL, 0), TL_STATUS_INVALID_ARGUMENT, "no sequences");
  tl_step_item items[3] = {{.sequence = s, .n = 0}};
  assert_status(tl_engine_step(t.engine, items, 1), TL_STATUS_INVALID_ARGUMENT, "0 tokens");
  items[0].n = 21;
  assert_status(tl_engine_step(t.engine, items, 1), TL_STATUS_INVALID_ARGUMENT, "has 20");
  items[0].n = 9;
  assert_status(tl_engine_step(t.engine, items, 1), TL_STATUS_OUT_OF_RANGE, "9 tokens");
  assert_int_equal(s->n_pages, 0); // no page stays behind
  items[0].n = 2;
  items[1] = items[0];
  assert_status(tl_engine_step(t.engine, items, 2), TL_STATUS_INVALID_ARGUMENT, "twice");
  for (int q = 0; q < 2; q++) {
    assert_ok(tl_sequence_create(t.engine, &other[q]));
    assert_ok(tl_sequence_append(other[q], ids, 2));
    items[1 + q] = (tl_step_item){.sequence = other[q], .n = 1};
  }
  assert_status(tl_engine_step(t.engine, items, 3), TL_STATUS_OUT_OF_RANGE, "3 sequences");
  assert_int_equal(s->n_cached + s->n_pages + other[0]->n_pages + other[1]->n_pages, 0);
  for (int q = 0; q < 2; q++)
    tl_sequence_destroy(other[q]);
  tl_sequence_destroy(s);
  e2e_close(&t);
}

// --- requests ---

static bool stop_after_three(void *arg, int32_t id) {
  (void)id;
  return ++*(int *)arg < 3;
}

static void generate(tl_engine *e, tl_sequence *s, const int32_t *prompt, size_t n,
                     tl_sampling sampling, tl_ids *out_ids, tl_result *out_result) {
  const tl_request request = {
      .prompt = prompt, .n_prompt = n, .max_new = 20, .sampling = sampling, .ignore_stops = true};
  out_ids->len = 0;
  assert_ok(tl_engine_generate(e, s, &request, out_ids, out_result));
  assert_int_equal(out_ids->len, 20);
}

static void answers_depend_on_seed_and_prompt_only(void **unused) {
  (void)unused;
  for (size_t m = 0; m < TL_COUNT(models); m++) {
    e2e whole, cut;
    e2e_open(&whole, models[m].path, &(e2e_options){.threads = 1});
    e2e_open(&cut, models[m].path,
             &(e2e_options){.prefill_chunk = 5, .threads = 2, .model.max_batch = 3});
    int32_t prompt[30];
    state = 3;
    random_ids(prompt, 30, whole.artifact->vocab);
    tl_sequence *s = NULL, *other = NULL;
    tl_ids first = {0}, again = {0};
    tl_result result;
    assert_ok(tl_sequence_create(whole.engine, &s));
    assert_ok(tl_sequence_create(cut.engine, &other));
    const tl_sampling sampling = {
        .temperature = 1.5f, .top_k = 40, .top_p = 0.95f, .min_p = 0.01f, .seed = 11};
    generate(whole.engine, s, prompt, 30, sampling, &first, &result);
    assert_int_equal(result.n_reused, 0);
    assert_int_equal(result.n_prompt, 30);
    assert_int_equal(result.finish, TL_FINISH_LENGTH);
    // The same sequence again: the prompt is in its pages, all but the token that gives the logits.
    generate(whole.engine, s, prompt, 30, sampling, &again, &result);
    assert_int_equal(result.n_reused, 29);
    assert_memory_equal(again.ptr, first.ptr, 20 * sizeof *first.ptr);
    // Other steps, threads and pages.
    generate(cut.engine, other, prompt, 30, sampling, &again, &result);
    assert_memory_equal(again.ptr, first.ptr, 20 * sizeof *first.ptr);
    // Half of the prompt shared with what went before.
    int32_t half[30];
    memcpy(half, prompt, sizeof half);
    half[15] = (half[15] + 1) % (int32_t)whole.artifact->vocab;
    generate(cut.engine, other, half, 30, sampling, &again, &result);
    assert_int_equal(result.n_reused, 15);
    generate(cut.engine, other, prompt, 30, sampling, &again, &result);
    assert_int_equal(result.n_reused, 15);
    assert_memory_equal(again.ptr, first.ptr, 20 * sizeof *first.ptr);
    // The control: another seed, and another prompt, answer otherwise.
    tl_sampling seeded = sampling;
    seeded.seed = 12;
    generate(whole.engine, s, prompt, 30, seeded, &again, &result);
    assert_memory_not_equal(again.ptr, first.ptr, 20 * sizeof *first.ptr);
    generate(whole.engine, s, half, 30, sampling, &again, &result);
    assert_memory_not_equal(again.ptr, first.ptr, 20 * sizeof *first.ptr);
    tl_ids_deinit(&first);
    tl_ids_deinit(&again);
    tl_sequence_destroy(s);
    tl_sequence_destroy(other);
    e2e_close(&whole);
    e2e_close(&cut);
  }
}

static void a_request_ends_where_it_should(void **unused) {
  (void)unused;
  static golden_case cases[8];
  e2e t;
  e2e_open(&t, models[0].path, NULL);
  const tl_artifact *a = t.artifact;
  read_golden(models[0].path, cases, TL_COUNT(cases), a->vocab);
  tl_sequence *s = NULL;
  tl_ids ids = {0};
  tl_result result;
  assert_ok(tl_sequence_create(t.engine, &s));
  tl_request request = {.prompt = cases[2].prompt, .n_prompt = cases[2].n_prompt, .max_new = 24};
  request.ignore_stops = true;
  assert_ok(tl_engine_generate(t.engine, s, &request, &ids, &result)); // greedy: the golden
  assert_int_equal(ids.len, 24);
  assert_memory_equal(ids.ptr, cases[2].greedy, 24 * sizeof *ids.ptr);
  // Cancelled by whoever listens.
  int heard = 0;
  request.on_token = stop_after_three;
  request.arg = &heard;
  ids.len = 0;
  assert_ok(tl_engine_generate(t.engine, s, &request, &ids, &result));
  assert_int_equal(result.finish, TL_FINISH_CANCELLED);
  assert_int_equal(ids.len, 3);
  assert_int_equal(s->n_tokens, request.n_prompt + 3);
  // A stop id ends the answer and is in it: hot sampling meets id 2 sooner or later.
  assert_int_equal(a->n_stops, 1);
  assert_int_equal(a->stops[0], 2);
  request.on_token = NULL;
  request.ignore_stops = false;
  bool stopped = false;
  for (uint64_t seed = 0; seed < 40 && !stopped; seed++) {
    request.sampling = (tl_sampling){.temperature = 100.0f, .seed = seed};
    ids.len = 0;
    assert_ok(tl_engine_generate(t.engine, s, &request, &ids, &result));
    for (size_t i = 0; i + 1 < ids.len; i++)
      assert_int_not_equal(ids.ptr[i], 2);
    stopped = result.finish == TL_FINISH_STOP;
    if (stopped) assert_int_equal(ids.ptr[ids.len - 1], 2);
  }
  assert_true(stopped);
  // Without max_new until the context is full; the last token needs no place in it.
  request.sampling = (tl_sampling){0};
  request.max_new = 0;
  request.ignore_stops = true;
  ids.len = 0;
  assert_ok(tl_engine_generate(t.engine, s, &request, &ids, &result));
  assert_int_equal(result.finish, TL_FINISH_LENGTH);
  assert_int_equal(ids.len, a->context - request.n_prompt + 1);
  assert_int_equal(s->n_tokens, a->context);
  // Refusals.
  request.n_prompt = 0;
  assert_status(tl_engine_generate(t.engine, s, &request, &ids, &result),
                TL_STATUS_INVALID_ARGUMENT, "empty");
  request.n_prompt = a->context + 1;
  assert_status(tl_engine_generate(t.engine, s, &request, &ids, &result), TL_STATUS_OUT_OF_RANGE,
                "context");
  request.n_prompt = 1;
  request.sampling.top_p = 3.0f;
  assert_status(tl_engine_generate(t.engine, s, &request, &ids, &result),
                TL_STATUS_INVALID_ARGUMENT, "top-p");
  tl_ids_deinit(&ids);
  tl_sequence_destroy(s);
  e2e_close(&t);
}

// --- the other entries ---

// An exported artifact, by its step entries and by its decode and prefill entries.
static void exported_entries_answer_alike(void **unused) {
  (void)unused;
  static golden_case cases[8];
  static const uint32_t contexts[] = {32, 64};
  tl_test_tmp tmp;
  tl_test_tmp_create(&tmp);
  for (size_t m = 0; m < TL_COUNT(models); m++) {
    char dir[300];
    snprintf(dir, sizeof dir, "%s/%zu", tmp.path, m);
    tl_artifact *made =
        e2e_artifact(models[m].path, &(e2e_options){.model = {.context = 64, .max_batch = 2}});
    assert_ok(tl_artifact_export(
        made,
        &(tl_export_options){
            .max_batch = 2, .contexts = contexts, .n_contexts = 2, .prefill_chunk = 8},
        dir));
    const size_t n = read_golden(models[m].path, cases, TL_COUNT(cases), made->vocab);
    e2e memory, step, reference;
    e2e_open(&memory, models[m].path, &(e2e_options){.model.context = 64});
    e2e_open(&step, dir, NULL);
    e2e_open(&reference, dir, &(e2e_options){.reference_entries = true});
    for (size_t c = 0; c < n; c++) {
      float a[VOCAB_MOST], b[VOCAB_MOST];
      size_t different = 0;
      assert_true(follow(memory.engine, &cases[c], &different, a) <= EXACT);
      assert_true(follow(step.engine, &cases[c], &different, b) <= EXACT);
      assert_memory_equal(a, b, made->vocab * sizeof *a);
      assert_true(follow(reference.engine, &cases[c], &different, b) <= EXACT);
      assert_int_equal(different, 0);
    }
    // Two sequences in one decode call.
    tl_sequence *s[2];
    float alone[2][VOCAB_MOST];
    for (int q = 0; q < 2; q++) {
      e2e_logits(reference.engine, cases[1 + q].prompt, cases[1 + q].n_prompt, 1, alone[q]);
      assert_ok(tl_sequence_create(reference.engine, &s[q]));
      assert_ok(tl_sequence_append(s[q], cases[1 + q].prompt, cases[1 + q].n_prompt - 1));
      float unused_logits[VOCAB_MOST];
      e2e_feed(s[q], UINT32_MAX, unused_logits);
      assert_ok(tl_sequence_append(s[q], &cases[1 + q].prompt[cases[1 + q].n_prompt - 1], 1));
    }
    tl_step_item items[2] = {{.sequence = s[0], .n = 1, .wants_logits = true},
                             {.sequence = s[1], .n = 1, .wants_logits = true}};
    assert_ok(tl_engine_step(reference.engine, items, 2));
    for (int q = 0; q < 2; q++) {
      assert_int_equal(e2e_argmax(items[q].logits, made->vocab), e2e_argmax(alone[q], made->vocab));
      tl_sequence_destroy(s[q]);
    }
    e2e_close(&memory);
    e2e_close(&step);
    e2e_close(&reference);
    // Without those entries the engine says what is missing.
    tl_pjrt_client *client = e2e_client(&(e2e_options){0});
    tl_engine *none = NULL;
    assert_status(
        tl_engine_create(made, client, &(tl_engine_options){.reference_entries = true}, &none),
        TL_STATUS_FAILED_PRECONDITION, "--contexts");
    tl_pjrt_client_release(client);
    tl_artifact_release(made);
  }
  tl_test_tmp_remove(&tmp);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(native_answers_as_transformers),
      cmocka_unit_test(the_interpreter_answers_as_transformers),
      cmocka_unit_test(native_and_interpreter_give_the_same_bits),
      cmocka_unit_test(cutting_changes_no_bit_natively),
      cmocka_unit_test(cutting_changes_no_bit_in_the_interpreter),
      cmocka_unit_test(random_lives_of_sequences),
      cmocka_unit_test(an_exhausted_pool_is_refused_and_recovers),
      cmocka_unit_test(wrong_calls_are_refused),
      cmocka_unit_test(answers_depend_on_seed_and_prompt_only),
      cmocka_unit_test(a_request_ends_where_it_should),
      cmocka_unit_test(exported_entries_answer_alike),
  };
  return cmocka_run_group_tests_name("tiny", tests, NULL, NULL);
}
