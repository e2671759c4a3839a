// Weights that are quantised while they load, and pools of 8 bits, on the tiny checkpoints: near
// the logits of the numbers themselves, and the same bits from the native backend and the
// interpreter, at every chunk, batch and number of threads, and from an artifact.
#include "e2e.h"

enum { VOCAB_MOST = 256, N = 37 };

static const char *const models[] = {"tests/model/tiny-qwen3-tied"}; // of whole blocks of 32

// Of the greatest logit: what the codes may cost. These models are random and 32 wide, so an error
// of a weight is not averaged over many; a wrong scale or a code out of place costs above 1.
static const struct {
  tl_weights_mode weights;
  tl_compute_mode compute;
  tl_head_mode head;
  tl_kv_mode kv;
  double most;
} kinds[] = {{TL_WEIGHTS_INT8, TL_COMPUTE_EXACT, TL_HEAD_DEFAULT, TL_KV_F32, 0.08},
             {TL_WEIGHTS_INT8, TL_COMPUTE_FAST, TL_HEAD_QUANTIZE, TL_KV_INT8, 0.1},
             {TL_WEIGHTS_INT8, TL_COMPUTE_FAST, TL_HEAD_DEFAULT, TL_KV_BF16, 0.1},
             {TL_WEIGHTS_BF16, TL_COMPUTE_FAST, TL_HEAD_DEFAULT, TL_KV_BF16, 0.1},
             {TL_WEIGHTS_FP8, TL_COMPUTE_EXACT, TL_HEAD_DEFAULT, TL_KV_BF16, 0.2},
             {TL_WEIGHTS_INT4, TL_COMPUTE_EXACT, TL_HEAD_KEEP, TL_KV_FP8, 0.8},
             {TL_WEIGHTS_INT4, TL_COMPUTE_FAST, TL_HEAD_DEFAULT, TL_KV_F32, 0.8},
             {TL_WEIGHTS_KEEP, TL_COMPUTE_EXACT, TL_HEAD_DEFAULT, TL_KV_INT8, 0.02},
             {TL_WEIGHTS_KEEP, TL_COMPUTE_EXACT, TL_HEAD_DEFAULT, TL_KV_F16, 0.001},
             {TL_WEIGHTS_KEEP, TL_COMPUTE_EXACT, TL_HEAD_DEFAULT, TL_KV_FP8, 0.15}};

static void random_ids(int32_t *ids, size_t n, uint32_t vocab, uint32_t seed) {
  for (size_t i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    ids[i] = (int32_t)((seed >> 8) % vocab);
  }
}

static void logits_of(const char *path, const e2e_options *o, const int32_t *ids, uint32_t chunk,
                      float *out) {
  e2e t;
  e2e_open(&t, path, o);
  e2e_logits(t.engine, ids, N, chunk, out);
  e2e_close(&t);
}

static void same_bits_everywhere(void **unused) {
  (void)unused;
  for (size_t m = 0; m < TL_COUNT(models); m++)
    for (size_t i = 0; i < TL_COUNT(kinds); i++) {
      e2e_options o = {.threads = 1,
                       .model = {.weights = kinds[i].weights,
                                 .compute = kinds[i].compute,
                                 .head = kinds[i].head,
                                 .kv = kinds[i].kv}};
      e2e t;
      e2e_open(&t, models[m], &o);
      const uint32_t vocab = t.artifact->vocab;
      const size_t size = vocab * sizeof(float);
      int32_t ids[N];
      random_ids(ids, N, vocab, (uint32_t)(m + 7 * i));
      float plain[VOCAB_MOST], want[VOCAB_MOST], got[VOCAB_MOST];
      logits_of(models[m], NULL, ids, UINT32_MAX, plain);
      e2e_logits(t.engine, ids, N, UINT32_MAX, want);
      double worst = 0, greatest = 0;
      for (uint32_t v = 0; v < vocab; v++) {
        worst = fmax(worst, fabs((double)want[v] - (double)plain[v]));
        greatest = fmax(greatest, fabs((double)plain[v]));
      }
      if (!(worst <= kinds[i].most * greatest))
        fail_msg("%s, kind %zu: logits are %.3g of the greatest away", models[m], i,
                 worst / greatest);
      print_message("%s, kind %zu: %.3g of the greatest logit\n", models[m], i, worst / greatest);
      assert_true(worst > 0); // the control: something was quantised
      for (uint32_t chunk = 1; chunk < N; chunk += 5) {
        e2e_logits(t.engine, ids, N, chunk, got);
        assert_memory_equal(got, want, size);
      }
      tl_test_tmp tmp;
      char into[512];
      tl_test_tmp_create(&tmp);
      snprintf(into, sizeof into, "%s/artifact", tmp.path);
      assert_ok(tl_artifact_export(t.artifact, NULL, into));
      e2e_close(&t);
      logits_of(into, &(e2e_options){.threads = 2}, ids, 9, got);
      assert_memory_equal(got, want, size);
      tl_test_tmp_remove(&tmp);

      o.threads = 2, o.model.max_batch = 4;
      logits_of(models[m], &o, ids, UINT32_MAX, got);
      assert_memory_equal(got, want, size);
      o.interpreter = true;
      logits_of(models[m], &o, ids, UINT32_MAX, got);
      assert_memory_equal(got, want, size);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits_everywhere)};
  return cmocka_run_group_tests_name("e2e/quantised", tests, NULL, NULL);
}
