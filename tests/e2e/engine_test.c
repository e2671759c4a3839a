// The engine's book-keeping: pages when there are none left, a context that is full, requests that
// cannot be, which entry a step runs, and devices that fail. What answers are right is
// tiny_test.c's.

#include "e2e.h"

#include "serve/engine/private.h"

static const char *const model = "tests/model/tiny-llama-untied"; // context 128, pages of 16
enum { VOCAB = 128, LONG = 100 };

static void some_ids(int32_t *out, size_t n, uint32_t seed) {
  for (size_t i = 0; i < n; i++)
    out[i] = (int32_t)((seed = seed * 1664525u + 1013904223u) >> 16) % VOCAB;
}

static tl_sequence *sequence_of(tl_engine *e, const int32_t *ids, size_t n) {
  tl_sequence *s = NULL;
  assert_ok(tl_sequence_create(e, &s));
  assert_ok(tl_sequence_append(s, ids, n));
  return s;
}

// --- pages ---

typedef struct books { // what must be as it was
  uint32_t n_free, tokens[2], cached[2], pages[2];
  uint64_t n_steps;
  uint32_t free_pages[64];
} books;

static books books_of(const tl_engine *e, tl_sequence *const s[2]) {
  books b;
  memset(&b, 0, sizeof b);
  b.n_free = e->n_free;
  b.n_steps = e->stats.n_steps;
  memcpy(b.free_pages, e->free_pages, e->n_free * sizeof *e->free_pages);
  for (int i = 0; i < 2; i++)
    b.tokens[i] = s[i]->n_tokens, b.cached[i] = s[i]->n_cached, b.pages[i] = s[i]->n_pages;
  return b;
}

static void exhaustion_changes_nothing(void **unused) {
  (void)unused;
  int32_t ids[2][LONG];
  float alone[VOCAB], logits[VOCAB];
  some_ids(ids[0], LONG, 1), some_ids(ids[1], LONG, 2);
  e2e t;
  e2e_open(&t, model, &(e2e_options){.model = {.max_batch = 2, .num_blocks = 6}}); // 5 to be had
  e2e_logits(t.engine, ids[0], 40, UINT32_MAX, alone);
  tl_sequence *s[2] = {sequence_of(t.engine, ids[0], 40), sequence_of(t.engine, ids[1], 33)};
  tl_step_item items[2] = {{.sequence = s[0], .n = 20}, {.sequence = s[1], .n = 33}};
  assert_ok(tl_engine_step(t.engine, items, 2)); // 2 and 3 pages
  assert_int_equal(t.engine->n_free, 0);
  const books before = books_of(t.engine, s);
  // Alone; and behind another whose pages are to be had again.
  items[0].n = 20;
  assert_status(
      tl_engine_step(t.engine, items, 1), TL_STATUS_RESOURCE_EXHAUSTED,
      "KV page pool exhausted: the sequence needs 1 more pages of 16 tokens to grow from 20 to "
      "40 tokens, and 0 of 5 are free");
  books after = books_of(t.engine, s);
  assert_memory_equal(&after, &before, sizeof before);
  tl_sequence_truncate(s[1], 20); // one page is free: it does for the first and not for the second
  assert_ok(tl_sequence_append(s[1], ids[1] + 20, 40));
  assert_int_equal(t.engine->n_free, 1);
  const books one = books_of(t.engine, s);
  items[0].n = 20, items[1].n = 40;
  assert_status(tl_engine_step(t.engine, items, 2), TL_STATUS_RESOURCE_EXHAUSTED, "of 5 are free");
  after = books_of(t.engine, s);
  assert_memory_equal(&after, &one, sizeof one);
  // What fits goes on as if nothing had been.
  items[0].wants_logits = true;
  assert_ok(tl_engine_step(t.engine, items, 1));
  memcpy(logits, items[0].logits, sizeof logits);
  assert_memory_equal(logits, alone, sizeof alone);
  tl_sequence_destroy(s[0]);
  tl_sequence_destroy(s[1]);
  assert_int_equal(t.engine->n_free, 5);
  for (uint32_t i = 0; i < 5; i++) // all of them, the lowest on top
    assert_int_equal(t.engine->free_pages[i], 5 - i);
  e2e_close(&t);
}

static void truncation_gives_pages_back_and_keeps_the_rest(void **unused) {
  (void)unused;
  int32_t ids[LONG];
  float whole[VOCAB], again[VOCAB];
  some_ids(ids, LONG, 3);
  e2e t;
  e2e_open(&t, model, NULL);
  e2e_logits(t.engine, ids, 70, UINT32_MAX, whole);
  const uint32_t all = t.engine->n_free;
  tl_sequence *s = sequence_of(t.engine, ids, 90);
  e2e_feed(s, UINT32_MAX, again);
  assert_int_equal(s->n_pages, 6);
  tl_sequence_truncate(s, 95); // longer than it is: nothing
  assert_int_equal(s->n_tokens, 90);
  tl_sequence_truncate(s, 49);
  assert_int_equal(s->n_pages, 4);
  tl_sequence_truncate(s, 48);
  assert_int_equal(s->n_pages, 3);
  assert_int_equal(t.engine->n_free, all - 3);
  assert_ok(tl_sequence_append(s, ids + 48, 22));
  e2e_feed(s, UINT32_MAX, again); // from the 48 that it still has
  assert_memory_equal(again, whole, sizeof whole);
  tl_sequence_truncate(s, 0);
  assert_int_equal(t.engine->n_free, all);
  tl_sequence_destroy(s);
  e2e_close(&t);
}

// --- requests ---

static bool count_tokens(void *arg, int32_t id) {
  (void)id;
  return --*(int *)arg > 0;
}

static void a_context_ends_where_it_ends(void **unused) {
  (void)unused;
  int32_t ids[129];
  some_ids(ids, 129, 4);
  e2e t;
  e2e_open(&t, model, NULL);
  tl_sequence *s = sequence_of(t.engine, ids, 128);
  assert_status(tl_sequence_append(s, ids, 1), TL_STATUS_OUT_OF_RANGE,
                "would reach 129 tokens; the context is 128");
  float logits[VOCAB];
  e2e_feed(s, UINT32_MAX, logits); // the last place is used
  assert_int_equal(s->n_pages, 8);
  const int32_t next = e2e_argmax(logits, VOCAB);
  tl_ids out = {0};
  tl_result r;
  // A prompt that fills the context has one answer: it needs no place of its own.
  tl_request request = {.prompt = ids, .n_prompt = 128, .ignore_stops = true};
  assert_ok(tl_engine_generate(t.engine, s, &request, &out, &r));
  assert_int_equal(r.n_generated, 1);
  assert_int_equal(r.n_reused, 127);
  assert_int_equal(out.ptr[0], next);
  assert_int_equal(s->n_tokens, 128);
  request.n_prompt = 120, request.max_new = 50; // 8 places, and one more
  assert_ok(tl_engine_generate(t.engine, s, &request, &out, &r));
  assert_int_equal(r.n_generated, 9);
  assert_int_equal(r.finish, TL_FINISH_LENGTH);
  assert_int_equal(s->n_tokens, 128);
  request.n_prompt = 129;
  assert_status(tl_engine_generate(t.engine, s, &request, &out, &r), TL_STATUS_OUT_OF_RANGE,
                "the prompt has 129 tokens; the context is 128");
  tl_ids_deinit(&out);
  tl_sequence_destroy(s);
  e2e_close(&t);
}

static void what_cannot_be_run_is_refused(void **unused) {
  (void)unused;
  int32_t ids[LONG];
  some_ids(ids, LONG, 5);
  e2e t;
  e2e_open(&t, model, &(e2e_options){.model.max_batch = 2, .prefill_chunk = 16});
  tl_engine *e = t.engine;
  tl_sequence *s = sequence_of(e, ids, 40), *other = sequence_of(e, ids, 40),
              *third = sequence_of(e, ids, 1);
  assert_status(tl_sequence_append(s, (int32_t[]){1, 2, VOCAB}, 3), TL_STATUS_INVALID_ARGUMENT,
                "token 2 is 128, outside the vocabulary [0, 128)");
  assert_status(tl_sequence_append(s, (int32_t[]){-1}, 1), TL_STATUS_INVALID_ARGUMENT,
                "token 0 is -1");
  assert_int_equal(s->n_tokens, 40);
  tl_step_item items[3] = {
      {.sequence = s, .n = 1}, {.sequence = s, .n = 1}, {.sequence = third, .n = 1}};
  const struct {
    size_t n;
    uint32_t first;
    tl_sequence *second;
    tl_status_code code;
    const char *says;
  } rows[] = {{0, 1, s, TL_STATUS_INVALID_ARGUMENT, "a step of no sequences"},
              {1, 0, s, TL_STATUS_INVALID_ARGUMENT, "a step of 0 tokens"},
              {1, 41, s, TL_STATUS_INVALID_ARGUMENT,
               "a step of 41 tokens of a sequence that has 40 to run"},
              {2, 1, s, TL_STATUS_INVALID_ARGUMENT, "a sequence stands twice"},
              {1, 17, s, TL_STATUS_OUT_OF_RANGE, "no step entry holds 17 tokens of 1 sequences"},
              {3, 1, other, TL_STATUS_OUT_OF_RANGE, "no step entry holds 3 tokens of 3 sequences"}};
  const uint32_t free_before = e->n_free;
  for (size_t i = 0; i < TL_COUNT(rows); i++) {
    items[0].n = rows[i].first, items[1].sequence = rows[i].second;
    assert_status(tl_engine_step(e, items, rows[i].n), rows[i].code, rows[i].says);
    assert_int_equal(s->n_cached, 0);
    assert_int_equal(e->n_free, free_before);
  }
  tl_ids out = {0};
  tl_result r;
  assert_status(tl_engine_generate(e, s, &(tl_request){.prompt = ids}, &out, &r),
                TL_STATUS_INVALID_ARGUMENT, "an empty prompt");
  const int32_t refused[] = {ids[3]};
  tl_artifact *a = (tl_artifact *)(uintptr_t)tl_engine_artifact(e); // nobody else holds it
  a->refused = refused, a->n_refused = 1;
  assert_status(tl_engine_generate(e, s, &(tl_request){.prompt = ids, .n_prompt = 9}, &out, &r),
                TL_STATUS_INVALID_ARGUMENT, "which this model refuses");
  assert_ok(tl_engine_generate(e, s, &(tl_request){.prompt = ids, .n_prompt = 3, .max_new = 2},
                               &out, &r));
  assert_int_equal(out.len, r.n_generated);
  tl_ids_deinit(&out);
  tl_sequence_destroy(s), tl_sequence_destroy(other), tl_sequence_destroy(third);
  e2e_close(&t);
}

static void answers_end_by_stop_by_length_or_by_the_caller(void **unused) {
  (void)unused;
  int32_t ids[20];
  some_ids(ids, 20, 6);
  e2e t;
  e2e_open(&t, model, NULL);
  tl_artifact *a = (tl_artifact *)(uintptr_t)tl_engine_artifact(t.engine);
  tl_sequence *s = NULL;
  assert_ok(tl_sequence_create(t.engine, &s));
  tl_ids free_run = {0}, out = {0};
  tl_result r;
  tl_request request = {.prompt = ids, .n_prompt = 20, .max_new = 12, .ignore_stops = true};
  assert_ok(tl_engine_generate(t.engine, s, &request, &free_run, &r));
  assert_int_equal(r.finish, TL_FINISH_LENGTH);
  assert_int_equal(r.n_generated, 12);
  // The id that came at some place, for the first time, as a stop: the answer ends with it.
  size_t at = 0;
  for (size_t i = 1; i < 12 && at == 0; i++) {
    bool before = false;
    for (size_t k = 0; k < i; k++)
      before |= free_run.ptr[k] == free_run.ptr[i];
    if (!before) at = i;
  }
  assert_true(at > 0);
  a->stops[0] = free_run.ptr[at], a->n_stops = 1;
  request.ignore_stops = false;
  assert_ok(tl_engine_generate(t.engine, s, &request, &out, &r));
  assert_int_equal(r.finish, TL_FINISH_STOP);
  assert_int_equal(r.n_reused, 19); // the last is run for its logits
  assert_int_equal(out.len, at + 1);
  assert_memory_equal(out.ptr, free_run.ptr, (at + 1) * sizeof *out.ptr);
  assert_int_equal(s->n_tokens, 20 + at + 1); // prompt and answer
  int left = 3;
  request.ignore_stops = true, request.on_token = count_tokens, request.arg = &left;
  out.len = 0;
  assert_ok(tl_engine_generate(t.engine, s, &request, &out, &r));
  assert_int_equal(r.finish, TL_FINISH_CANCELLED);
  assert_int_equal(out.len, 3);
  assert_memory_equal(out.ptr, free_run.ptr, 3 * sizeof *out.ptr);
  tl_ids_deinit(&out), tl_ids_deinit(&free_run);
  tl_sequence_destroy(s);
  e2e_close(&t);
}

// --- entries ---

static const tl_artifact_entry *last_compiled(const tl_engine *e, const bool *known) {
  const tl_artifact_entry *found = NULL;
  for (size_t i = 0; i < e->artifact->n_entries; i++)
    if (e->executables[i] && !known[i]) {
      assert_null(found);
      found = &e->artifact->entries[i];
    }
  return found;
}

// A step runs the smallest entry with room for its tokens, its sequences and its rows of logits.
static void the_smallest_entry_that_fits_is_run(void **unused) {
  (void)unused;
  int32_t ids[3][LONG];
  for (uint32_t i = 0; i < 3; i++)
    some_ids(ids[i], LONG, 7 + i);
  e2e t;
  e2e_open(&t, model, &(e2e_options){.model.max_batch = 3, .prefill_chunk = 24});
  tl_engine *e = t.engine;
  static const uint32_t tokens[] = {1, 2, 3, 5, 7, 9, 13, 17, 24},
                        wanted[] = {1, 2, 3, 6, 8, 12, 16, 24, 0};
  for (size_t i = 0; i < TL_COUNT(tokens); i++) {
    bool known[64] = {false};
    assert_true(e->artifact->n_entries <= 64);
    for (size_t k = 0; k < e->artifact->n_entries; k++)
      known[k] = e->executables[k] != NULL;
    tl_sequence *s = sequence_of(e, ids[0], tokens[i]);
    assert_ok(tl_engine_step(e, &(tl_step_item){.sequence = s, .n = tokens[i]}, 1));
    const tl_artifact_entry *ran = last_compiled(e, known);
    if (wanted[i] == 0)
      assert_null(ran); // there already
    else
      assert_int_equal(ran->T, wanted[i]);
    tl_sequence_destroy(s);
  }
  e2e_close(&t);

  // Entries with fewer rows than the step wants are passed over: here those of 2 and 3 tokens.
  tl_artifact *a = e2e_artifact(model, &(e2e_options){.model.max_batch = 3, .prefill_chunk = 24});
  for (size_t i = 0; i < a->n_entries; i++)
    if (a->entries[i].T == 2 || a->entries[i].T == 3) a->entries[i].R = 1;
  t = (e2e){.artifact = a, .client = e2e_client(&(e2e_options){.threads = 0})};
  assert_ok(tl_engine_create(a, t.client, NULL, &t.engine));
  float alone[2][VOCAB];
  for (int i = 0; i < 2; i++)
    e2e_logits(t.engine, ids[i], 1, 1, alone[i]);
  tl_sequence *s[2] = {sequence_of(t.engine, ids[0], 1), sequence_of(t.engine, ids[1], 1)};
  bool known[64] = {false};
  for (size_t k = 0; k < a->n_entries; k++)
    known[k] = t.engine->executables[k] != NULL;
  tl_step_item items[2] = {{.sequence = s[0], .n = 1, .wants_logits = true},
                           {.sequence = s[1], .n = 1, .wants_logits = true}};
  assert_ok(tl_engine_step(t.engine, items, 2));
  assert_int_equal(last_compiled(t.engine, known)->T, 4);
  for (int i = 0; i < 2; i++)
    assert_memory_equal(items[i].logits, alone[i], sizeof alone[i]);
  tl_sequence_destroy(s[0]), tl_sequence_destroy(s[1]);
  e2e_close(&t);
}

// --- devices that fail ---

// The embedded plugin's table with an Execute that fails when told to: before it takes anything, or
// after it has run and taken the donated pools.
static struct {
  PJRT_Api api;
  int before, after; // calls that fail so
} flaky;

static PJRT_Error *flaky_execute(PJRT_LoadedExecutable_Execute_Args *a) {
  const PJRT_Api *real = tl_plugin_api();
  PJRT_LoadedExecutable_Execute_Args broken = *a;
  broken.num_devices = 2; // what the real one refuses at once
  if (flaky.before > 0) {
    flaky.before--;
    return real->PJRT_LoadedExecutable_Execute(&broken);
  }
  if (flaky.after == 0) return real->PJRT_LoadedExecutable_Execute(a);
  flaky.after--;
  PJRT_Error *error = real->PJRT_LoadedExecutable_Execute(a);
  assert_null(error);
  const size_t n_outs = a->num_args ? 2 : 1; // a step; zeroed pools
  for (size_t i = 0; i < n_outs; i++) {
    PJRT_Buffer_Destroy_Args d = {.struct_size = sizeof d, .buffer = a->output_lists[0][i]};
    assert_null(real->PJRT_Buffer_Destroy(&d));
    a->output_lists[0][i] = NULL;
  }
  return real->PJRT_LoadedExecutable_Execute(&broken);
}

static void open_flaky(e2e *t, const e2e_options *o) {
  flaky.api = *tl_plugin_api();
  flaky.api.PJRT_LoadedExecutable_Execute = flaky_execute;
  flaky.before = flaky.after = 0;
  tl_pjrt_plugin *plugin = NULL;
  *t = (e2e){.artifact = e2e_artifact(model, o)};
  assert_ok(tl_pjrt_open_api(&flaky.api, "a device that fails", &plugin));
  assert_ok(tl_pjrt_client_create(plugin, NULL, &t->client));
  assert_ok(tl_engine_create(t->artifact, t->client, NULL, &t->engine));
}

// The ids of greedy decoding of two sequences in one step each, with a failure before step
// `fails_at` of the given kind. Running again what is not cached is all that the caller does about
// it.
static void decode_two(tl_engine *e, int fails_at, int before, int after, int32_t out[2][12]) {
  int32_t ids[2][30];
  some_ids(ids[0], 30, 20), some_ids(ids[1], 30, 21);
  tl_sequence *s[2] = {sequence_of(e, ids[0], 30), sequence_of(e, ids[1], 17)};
  for (int n = 0; n < 12; n++) {
    if (n == fails_at) {
      flaky.before = before, flaky.after = after;
      tl_step_item items[2] = {{.sequence = s[0], .n = s[0]->n_tokens - s[0]->n_cached},
                               {.sequence = s[1], .n = s[1]->n_tokens - s[1]->n_cached}};
      const uint32_t cached[2] = {s[0]->n_cached, s[1]->n_cached}, n_free = e->n_free;
      assert_status(tl_engine_step(e, items, 2), TL_STATUS_INVALID_ARGUMENT, "wanted one");
      for (int i = 0; i < 2; i++) { // what was cached still is, unless the pools were lost
        assert_int_equal(s[i]->n_cached, after ? 0 : cached[i]);
        assert_int_equal(s[i]->n_tokens, (i ? 17 : 30) + n);
        if (after) assert_int_equal(s[i]->n_pages, 0);
      }
      if (!after) assert_int_equal(e->n_free, n_free);
      if (after) assert_int_equal(e->n_free, e->artifact->num_blocks - 1);
    }
    tl_step_item items[2];
    for (int i = 0; i < 2; i++)
      items[i] = (tl_step_item){
          .sequence = s[i], .n = s[i]->n_tokens - s[i]->n_cached, .wants_logits = true};
    assert_ok(tl_engine_step(e, items, 2));
    for (int i = 0; i < 2; i++) {
      out[i][n] = e2e_argmax(items[i].logits, VOCAB);
      assert_ok(tl_sequence_append(s[i], &out[i][n], 1));
    }
  }
  tl_sequence_destroy(s[0]), tl_sequence_destroy(s[1]);
}

static void sequences_outlive_a_failing_device(void **unused) {
  (void)unused;
  int32_t whole[2][12], other[2][12];
  e2e t;
  open_flaky(&t, &(e2e_options){.model.max_batch = 2});
  decode_two(t.engine, -1, 0, 0, whole);
  static const struct {
    int at, before, after;
  } rows[] = {{0, 1, 0}, {5, 1, 0}, {0, 0, 1}, {5, 0, 1}, {11, 0, 1}};
  for (size_t i = 0; i < TL_COUNT(rows); i++) {
    decode_two(t.engine, rows[i].at, rows[i].before, rows[i].after, other);
    assert_memory_equal(other, whole, sizeof whole);
  }
  e2e_close(&t);
}

// The pools are lost, and making new ones fails as well: the error says so, and a later step tries
// again.
static void pools_are_made_again_until_it_works(void **unused) {
  (void)unused;
  int32_t ids[30];
  float whole[VOCAB], again[VOCAB];
  some_ids(ids, 30, 30);
  e2e t;
  open_flaky(&t, &(e2e_options){0});
  e2e_logits(t.engine, ids, 30, UINT32_MAX, whole);
  tl_sequence *s = sequence_of(t.engine, ids, 30);
  tl_step_item item = {.sequence = s, .n = 29};
  flaky.after = 3; // the step, and the pools twice
  assert_status(tl_engine_step(t.engine, &item, 1), TL_STATUS_INVALID_ARGUMENT,
                "making the KV pools anew");
  assert_int_equal(s->n_cached, 0);
  assert_status(tl_engine_step(t.engine, &item, 1), TL_STATUS_INVALID_ARGUMENT,
                "making the KV pools anew");
  assert_int_equal(flaky.after, 0);
  e2e_feed(s, UINT32_MAX, again);
  assert_memory_equal(again, whole, sizeof whole);
  tl_sequence_destroy(s);
  e2e_close(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exhaustion_changes_nothing),
      cmocka_unit_test(truncation_gives_pages_back_and_keeps_the_rest),
      cmocka_unit_test(a_context_ends_where_it_ends),
      cmocka_unit_test(what_cannot_be_run_is_refused),
      cmocka_unit_test(answers_end_by_stop_by_length_or_by_the_caller),
      cmocka_unit_test(the_smallest_entry_that_fits_is_run),
      cmocka_unit_test(sequences_outlive_a_failing_device),
      cmocka_unit_test(pools_are_made_again_until_it_works)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
