// The engine on a device that fails: before it took the KV pools (nothing has changed), and after
// (they are gone: the engine makes new ones, and every sequence recomputes what it had). The device
// is the embedded plugin behind a table of ours that fails the next call when told to.

#include "e2e.h"

enum { N = 30, VOCAB_MOST = 128, SEQUENCES = 3 };

static enum { NEVER, UPLOAD, BEFORE, AFTER } fails; // the next call; one failure each
static PJRT_Api table;

static PJRT_Error *failing_upload(PJRT_Client_BufferFromHostBuffer_Args *a) {
  if (fails == UPLOAD) {
    fails = NEVER;
    a->type = (PJRT_Buffer_Type)250; // refused by the plugin, with an error of its own
  }
  return tl_plugin_api()->PJRT_Client_BufferFromHostBuffer(a);
}

static PJRT_Error *failing_execute(PJRT_LoadedExecutable_Execute_Args *a) {
  const PJRT_Api *real = tl_plugin_api();
  PJRT_LoadedExecutable_Execute_Args bad = *a;
  bad.num_args--;
  if (fails == NEVER || fails == UPLOAD) return real->PJRT_LoadedExecutable_Execute(a);
  if (fails == BEFORE) {
    fails = NEVER;
    return real->PJRT_LoadedExecutable_Execute(&bad);
  }
  // Run for true, then lose the results: the donated pools are deleted by now.
  fails = NEVER;
  PJRT_Error *error = real->PJRT_LoadedExecutable_Execute(a);
  if (error) return error;
  for (size_t i = 0; i < 2; i++) { // logits and the stacked pool
    PJRT_Buffer_Destroy_Args d = {.struct_size = PJRT_SIZE(Buffer_Destroy_Args),
                                  .buffer = a->output_lists[0][i]};
    assert_null(real->PJRT_Buffer_Destroy(&d));
  }
  if (a->device_complete_events) {
    PJRT_Event_Destroy_Args d = {.struct_size = PJRT_SIZE(Event_Destroy_Args),
                                 .event = a->device_complete_events[0]};
    assert_null(real->PJRT_Event_Destroy(&d));
  }
  return real->PJRT_LoadedExecutable_Execute(&bad);
}

static void open_failing(e2e *t, const e2e_options *o) {
  table = *tl_plugin_api();
  table.PJRT_LoadedExecutable_Execute = failing_execute;
  table.PJRT_Client_BufferFromHostBuffer = failing_upload;
  tl_pjrt_plugin *plugin = NULL;
  *t = (e2e){.artifact = e2e_artifact("tests/model/tiny-qwen3-untied", o)};
  assert_ok(tl_pjrt_open_api(&table, "a device that fails", &plugin));
  assert_ok(tl_pjrt_client_create(plugin, NULL, &t->client));
  assert_ok(tl_engine_create(t->artifact, t->client, NULL, &t->engine));
}

static void failures_lose_no_sequence(void **unused) {
  (void)unused;
  const e2e_options o = {.model = {.max_batch = SEQUENCES, .context = 64, .block_size = 4}};
  e2e t, healthy;
  open_failing(&t, &o);
  e2e_open(&healthy, "tests/model/tiny-qwen3-untied", &o);
  const size_t size = t.artifact->vocab * sizeof(float);
  tl_sequence *s[SEQUENCES];
  int32_t ids[SEQUENCES][N];
  float wanted[SEQUENCES][VOCAB_MOST], got[VOCAB_MOST];
  for (int q = 0; q < SEQUENCES; q++) {
    for (int i = 0; i < N; i++)
      ids[q][i] = (7 * i + 11 * q + i * i) % (int)t.artifact->vocab;
    e2e_logits(healthy.engine, ids[q], N, UINT32_MAX, wanted[q]);
    assert_ok(tl_sequence_create(t.engine, &s[q]));
  }
  static const int kinds[] = {UPLOAD, BEFORE, AFTER, BEFORE, AFTER, UPLOAD};
  for (size_t k = 0; k < TL_COUNT(kinds); k++) {
    tl_step_item items[2];
    for (int q = 0; q < SEQUENCES; q++) {
      tl_sequence_truncate(s[q], 5 * (uint32_t)k);
      assert_ok(tl_sequence_append(s[q], ids[q] + s[q]->n_tokens, N - s[q]->n_tokens));
    }
    // Two of the three have something in the pages; the third is not in the failing step.
    for (int q = 0; q < 2; q++)
      items[q] =
          (tl_step_item){.sequence = s[q + 1], .n = s[q + 1]->n_tokens - s[q + 1]->n_cached - 3};
    assert_ok(tl_engine_step(t.engine, items, 2));
    for (int q = 0; q < 2; q++)
      items[q] = (tl_step_item){.sequence = s[q], .n = 2, .wants_logits = true};
    const uint32_t cached[SEQUENCES] = {s[0]->n_cached, s[1]->n_cached, s[2]->n_cached};
    const uint32_t pages[SEQUENCES] = {s[0]->n_pages, s[1]->n_pages, s[2]->n_pages};
    fails = kinds[k];
    tl_status st = tl_engine_step(t.engine, items, 2);
    assert_non_null(st);
    tl_status_drop(st);
    assert_int_equal(fails, NEVER);
    for (int q = 0; q < SEQUENCES; q++) {
      assert_int_equal(s[q]->n_tokens, N);
      assert_int_equal(s[q]->n_cached, kinds[k] == AFTER ? 0 : cached[q]);
      assert_int_equal(s[q]->n_pages, kinds[k] == AFTER ? 0 : pages[q]);
    }
    for (int q = 0; q < SEQUENCES; q++) { // it goes on, with the bits of a healthy device
      e2e_feed(s[q], 7, got);
      assert_memory_equal(got, wanted[q], size);
    }
  }
  for (int q = 0; q < SEQUENCES; q++)
    tl_sequence_destroy(s[q]);
  e2e_close(&t);
  e2e_close(&healthy);
}

// A failure while the engine is being made leaves nothing behind (the sanitizers look).
static void a_failed_load_is_reported(void **unused) {
  (void)unused;
  static const int kinds[] = {UPLOAD, BEFORE};
  for (size_t k = 0; k < TL_COUNT(kinds); k++) {
    e2e t;
    open_failing(&t, &(e2e_options){0});
    tl_engine *second = NULL;
    fails = kinds[k];
    tl_status st = tl_engine_create(t.artifact, t.client, NULL, &second);
    assert_non_null(st);
    assert_null(second);
    tl_status_drop(st);
    assert_ok(tl_engine_create(t.artifact, t.client, NULL, &second));
    tl_engine_destroy(second);
    e2e_close(&t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(failures_lose_no_sequence),
      cmocka_unit_test(a_failed_load_is_reported),
  };
  return cmocka_run_group_tests_name("failure", tests, NULL, NULL);
}
