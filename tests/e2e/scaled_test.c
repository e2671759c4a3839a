// Checkpoints whose weights are codes with scales of their own: the numbers that they stand for and
// the logits are those of torch and transformers on the dequantised weights; the same bits from the
// native backend and the interpreter, whole and in chunks, and from an artifact; and what is
// refused.
#include "e2e.h"

#include "base/file.h"
#include "ckpt/quant.h"

enum { VOCAB = 48, MOST = 64 };

static const struct {
  const char *path;
  tl_format format; // of every matrix but table and head
} models[] = {{"tests/model/scaled-fp8-tensor", TL_FORMAT_FP8},
              {"tests/model/scaled-fp8-channel", TL_FORMAT_FP8},
              {"tests/model/scaled-fp8-block", TL_FORMAT_FP8_BLOCK},
              {"tests/model/scaled-nvfp4-modelopt", TL_FORMAT_NVFP4},
              {"tests/model/scaled-nvfp4-packed", TL_FORMAT_NVFP4},
              {"tests/model/scaled-int8-channel", TL_FORMAT_INT8}};

static json_t *golden_of(const char *path) {
  char name[256];
  snprintf(name, sizeof name, "%s/golden.json", path);
  return e2e_json(name);
}

static void weights_are_what_they_stand_for(void **unused) {
  (void)unused;
  for (size_t m = 0; m < TL_COUNT(models); m++) {
    json_t *golden = golden_of(models[m].path);
    tl_checkpoint *c = NULL;
    assert_ok(tl_checkpoint_open(models[m].path, &c));
    size_t scaled = 0;
    for (size_t i = 0; i < c->n_weights; i++) {
      const tl_weight *w = &c->weights[i];
      if (tl_role_get(w->role)->rank == 1) continue;
      scaled += w->scaled != NULL;
      if (w->scaled) assert_int_equal(w->format, models[m].format);
      double want[2], sum = 0, size = 0;
      const json_t *sums = json_object_get(golden, "sums");
      assert_int_equal(e2e_numbers(sums, w->name.ptr, want, 2), 2);
      float *row = malloc(w->k * sizeof *row);
      uint8_t *scratch = malloc(w->row_size);
      assert_true(row && scratch);
      for (uint64_t r = 0; r < w->rows; r++) {
        assert_ok(tl_quant_row_f32(w->format, tl_weight_row(w, r, scratch), w->k, row));
        for (uint64_t k = 0; k < w->k; k++) {
          const double term = (double)row[k] * (double)((31 * r + 17 * k) % 97);
          sum += term, size += fabs(term);
        }
      }
      // Scales of f32 times codes: a rounding apart where the scale is 1 over another.
      if (fabs(sum - want[0]) > 1e-6 * want[1] || fabs(size - want[1]) > 1e-6 * want[1])
        fail_msg("%s: %s sums to %.12g, torch has %.12g", models[m].path, w->name.ptr, sum,
                 want[0]);
      free(row), free(scratch);
    }
    assert_int_equal(scaled, 7); // a layer's
    tl_checkpoint_release(c);
    json_decref(golden);
  }
}

static void logits_of(const char *path, const e2e_options *o, const int32_t *ids, size_t n,
                      uint32_t chunk, float *out) {
  e2e t;
  e2e_open(&t, path, o);
  e2e_logits(t.engine, ids, n, chunk, out);
  e2e_close(&t);
}

static void answers_as_transformers(void **unused) {
  (void)unused;
  for (size_t m = 0; m < TL_COUNT(models); m++) {
    json_t *golden = golden_of(models[m].path);
    const json_t *cases = json_object_get(golden, "cases");
    tl_test_tmp tmp;
    char into[512];
    tl_test_tmp_create(&tmp);
    snprintf(into, sizeof into, "%s/artifact", tmp.path);
    tl_artifact *a = e2e_artifact(models[m].path, &(e2e_options){0});
    assert_ok(tl_artifact_export(a, &(tl_export_options){.link = true}, into));
    tl_artifact_release(a);
    for (size_t i = 0; i < json_array_size(cases); i++) {
      const json_t *c = json_array_get(cases, i);
      int32_t ids[MOST];
      double want[VOCAB], worst = 0, greatest = 0;
      float got[VOCAB], other[VOCAB];
      const size_t n = e2e_ids(c, "prompt", ids, MOST);
      assert_int_equal(e2e_numbers(c, "logits", want, VOCAB), VOCAB);
      logits_of(models[m].path, NULL, ids, n, UINT32_MAX, got);
      for (size_t v = 0; v < VOCAB; v++) {
        worst = fmax(worst, fabs((double)got[v] - want[v]));
        greatest = fmax(greatest, fabs(want[v]));
      }
      if (!(worst <= 1e-5 * greatest)) // two sums of f32 in another order
        fail_msg("%s: logits are %.3g of the greatest away", models[m].path, worst / greatest);
      logits_of(models[m].path, &(e2e_options){.interpreter = true}, ids, n, UINT32_MAX, other);
      assert_memory_equal(other, got, sizeof got);
      logits_of(models[m].path, &(e2e_options){.threads = 2, .model.max_batch = 3}, ids, n, 4,
                other);
      assert_memory_equal(other, got, sizeof got);
      logits_of(into, NULL, ids, n, UINT32_MAX, other);
      assert_memory_equal(other, got, sizeof got);
      // As f32 the products with row scales are rounded one by one.
      logits_of(models[m].path, &(e2e_options){.model.weights = TL_WEIGHTS_F32}, ids, n, UINT32_MAX,
                other);
      for (size_t v = 0; v < VOCAB; v++)
        assert_true(fabs((double)other[v] - want[v]) <= 1e-5 * greatest);
      if (i > 0) { // the control: another token is far away
        ids[n - 1] = (ids[n - 1] + 1) % VOCAB;
        logits_of(models[m].path, NULL, ids, n, UINT32_MAX, other);
        double away = 0;
        for (size_t v = 0; v < VOCAB; v++)
          away = fmax(away, fabs((double)other[v] - want[v]));
        assert_true(away > 1e-2 * greatest);
      }
    }
    tl_test_tmp_remove(&tmp);
    json_decref(golden);
  }
}

// `from` replaced by `to`, as long, wherever it stands in the checkpoint's file of tensors or
// config.
static void refused(const char *path, const char *from, const char *to, tl_status_code code,
                    const char *says) {
  static const char *const files[] = {"config.json", "model.safetensors"};
  tl_test_tmp tmp;
  char name[512];
  size_t replaced = 0;
  const size_t len = strlen(from);
  assert_int_equal(len, strlen(to));
  tl_test_tmp_create(&tmp);
  for (size_t f = 0; f < TL_COUNT(files); f++) {
    tl_buf bytes = {0};
    snprintf(name, sizeof name, "%s/%s", path, files[f]);
    assert_ok(tl_file_read(name, 1 << 20, &bytes));
    for (size_t i = 0; i + len <= bytes.len; i++)
      if (memcmp(bytes.ptr + i, from, len) == 0) memcpy(bytes.ptr + i, to, len), replaced++;
    snprintf(name, sizeof name, "%s/%s", tmp.path, files[f]);
    FILE *out = fopen(name, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes.ptr, 1, bytes.len, out), bytes.len);
    assert_int_equal(fclose(out), 0);
    tl_buf_deinit(&bytes);
  }
  assert_true(replaced > 0);
  tl_checkpoint *c = NULL;
  assert_status(tl_checkpoint_open(tmp.path, &c), code, says);
  tl_test_tmp_remove(&tmp);
}

static void what_does_not_fit_is_refused(void **unused) {
  (void)unused;
  const tl_status_code bad = TL_STATUS_INVALID_ARGUMENT, not_built = TL_STATUS_UNIMPLEMENTED;
  refused(models[0].path, "q_proj.weight_scale\"", "q_proj.weight_scalX\"", bad,
          "model.layers.0.self_attn.q_proj has no .weight_scale and no .weight_scale_inv");
  refused(models[0].path, "q_proj.input_scale", "q_proj.input_scalX", bad, "has no place");
  refused(models[1].path, "\"shape\":[32,1]", "\"shape\":[16,2]", bad,
          "wanted a number, or one a row");
  refused(models[2].path, "\"shape\":[2,1]", "\"shape\":[1,2]", bad,
          "wanted a number for each 128 x 128 of the weight");
  refused(models[3].path, "up_proj.weight_scale_2", "up_proj.weight_scale_X", bad,
          "model.layers.0.mlp.up_proj of u8 has no .weight_scale_2 and no .weight_global_scale");
  refused(models[3].path, "up_proj.weight_scale\"", "up_proj.weight_scalX\"", bad,
          "model.layers.0.mlp.up_proj of u8 has no .weight_scale, and is not supported otherwise");
  refused(models[3].path, "\"NVFP4\"", "\"MXFP4\"", not_built,
          "quant_algo \"MXFP4\" of quant_method modelopt");
  refused(models[4].path, "compressed-tensors", "compressed-vectors", not_built,
          "quant_method \"compressed-vectors\" (only fp8, modelopt and compressed-tensors)");
  tl_checkpoint *c = NULL;
  tl_model *m = NULL;
  assert_ok(tl_checkpoint_open(models[0].path, &c));
  assert_status(tl_model_create(c, &(tl_model_options){.compute = TL_COMPUTE_FAST}, &m), not_built,
                "is fp8, and fast has products of integers only");
  tl_checkpoint_release(c);
}

// Integers by integers: near the exact answer, with the interpreter's bits.
static void fast_products(void **unused) {
  (void)unused;
  for (size_t m = 0; m < TL_COUNT(models); m++) {
    if (!tl_format_is_integer(models[m].format)) continue;
    int32_t ids[20];
    for (int32_t i = 0; i < 20; i++)
      ids[i] = (i * 7 + 3) % VOCAB;
    e2e_options o = {0};
    float exact[VOCAB], fast[VOCAB], other[VOCAB];
    logits_of(models[m].path, &o, ids, 20, UINT32_MAX, exact);
    o.model.compute = TL_COMPUTE_FAST;
    logits_of(models[m].path, &o, ids, 20, UINT32_MAX, fast);
    double worst = 0, greatest = 0;
    for (size_t v = 0; v < VOCAB; v++) {
      worst = fmax(worst, fabs((double)fast[v] - (double)exact[v]));
      greatest = fmax(greatest, fabs((double)exact[v]));
    }
    assert_true(worst > 0 && worst < 0.05 * greatest);
    logits_of(models[m].path, &o, ids, 20, 3, other);
    assert_memory_equal(other, fast, sizeof fast);
    o.interpreter = true;
    logits_of(models[m].path, &o, ids, 20, UINT32_MAX, other);
    assert_memory_equal(other, fast, sizeof fast);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weights_are_what_they_stand_for), cmocka_unit_test(answers_as_transformers),
      cmocka_unit_test(what_does_not_fit_is_refused), cmocka_unit_test(fast_products)};
  return cmocka_run_group_tests_name("e2e/scaled", tests, NULL, NULL);
}
