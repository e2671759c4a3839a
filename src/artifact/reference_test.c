// The reference artifact in its two published forms: names and sizes of its files, its manifest,
// the bodies' signatures, the run that is published with it, and that it is the same twice.
#define TL_TEST_OOM_IMPL
#include "base/test.h"

#include <math.h>

#include "artifact/artifact.h"
#include "artifact/testing.h"
#include "base/hash.h"
#include "ref/ref.h"
#include "shlo/shlo.h"

static const char *const ids[] = {"decode_b1_c2", "decode_b1_c4", "decode_b2_c2",
                                  "decode_b2_c4", "decode_b4_c2", "decode_b4_c4"};
static const char *const published[] = {
    "917676809d69dc0f565c94bec3043e03a76a3319ca40031040e8bc6f67978da6",
    "b92b107ce14c2294bbc405eae1af38d561237792aad36beb1b27ddce403a3a65",
    "d0df315053ba7d7e4fdae8b1edadae90124771436ec33ffc5ec28bd51213ff51",
    "4f7a236ffdf59327aae686cafcef8a52bb922efcb5f49bd7bbb5f755139785a3",
    "ab02c7c995492bf2f539ae0f93f4ab43e606ce861fa17cbc3ed10d1fb059556b",
    "57eee34ace6f0bb42c9ba8578df71b3cdd67c810cb7451eda3cdd4e81acc7cd2"};
static const char *const aliased[] = {
    "2782cf4ab96c7219518ce9a96da4178a4abc290235fadc292b23f66a426fcccd",
    "3add3ecc6b492c0bb1a22deca153fbc0f33d04b67661ba303f43eae1b4c0bc1c",
    "75beb840596d6eef844864b3cd35375d304a9ecf50bae53b513a9ae355b4abe8",
    "1fe6ef6f38806f933226a6502bce4288c634e55f506ff7c980e1630c3bebe071",
    "737e593914133a27c57a3975c5fc7e32115e2a70c257dd20bbb01e5b67922ddc",
    "66212d77944cb37f14557388fe0e07905eae10cf9f7cc2403776ffd5f2373f9b"};

static void check_form(const char *const *hashes, bool alias, size_t body_size) {
  tl_test_tmp tmp;
  tl_test_tmp_create(&tmp);
  tl_arena *arena = tl_arena_create();
  const char *dir = tl_path_join(arena, tmp.path, "reference");
  assert_ok(tl_artifact_export_reference(dir, alias));

  tl_artifact *a;
  assert_ok(tl_artifact_open(dir, &a));
  assert_string_equal(a->schema, "tlaloc-serving-v2");
  assert_string_equal(a->model_name, "tlaloc-reference-decode");
  assert_string_equal(a->model_hash, "reference-decode-lcg-v1");
  assert_int_equal(a->vocab, 11);
  assert_int_equal(a->context, 4);
  assert_int_equal(a->max_batch, 4);
  assert_int_equal(a->n_slots, 0);
  assert_false(a->stacked_pool);
  assert_null(a->tokenizer);
  assert_int_equal(a->n_entries, 6);
  tl_buf text = {0};
  for (size_t i = 0; i < 6; i++) {
    const tl_artifact_entry *e = &a->entries[i];
    char path[128];
    assert_string_equal(e->id, ids[i]);
    assert_string_equal(e->body_hash, hashes[i]);
    snprintf(path, sizeof path, "bodies/%s.mlir", hashes[i]);
    assert_string_equal(e->body_path, path);
    assert_ok(tl_artifact_body(a, e, &text));
    assert_int_equal(text.len, body_size);
    assert_int_equal(strstr(text.ptr, "tf.aliasing_output") != NULL, alias);
    assert_int_equal(strstr(text.ptr, "HIGHEST") != NULL, alias);
  }
  tl_artifact_release(a);

  // One line of 8,820 bytes, as published, and programs of about 650.
  tl_buf_deinit(&text);
  assert_ok(tl_file_read(tl_path_join(arena, dir, "tlaloc-serving.json"), 1 << 20, &text));
  assert_int_equal(text.len, 8820);
  assert_null(strchr(text.ptr, '\n'));
  assert_non_null(strstr(text.ptr, "\"donationPairs\":[[5,1],[6,2]]"));
  assert_non_null(strstr(text.ptr, "\"cacheKey\":\"tlaloc-decode-v1/reference-decode-lcg-v1/decode/"
                                   "b1/c2/t1/dtf32/kvf32\""));
  tl_buf_deinit(&text);
  assert_ok(tl_file_read(tl_path_join(arena, dir, "programs/decode_b1_c2.json"), 1 << 20, &text));
  assert_int_equal(text.len, 650);
  tl_buf_deinit(&text);

  const char *again = tl_path_join(arena, tmp.path, "again");
  assert_ok(tl_artifact_export_reference(again, alias));
  tl_test_same_tree(dir, again);
  tl_arena_destroy(arena);
  tl_test_tmp_remove(&tmp);
}

static void published_form(void **state) {
  (void)state;
  check_form(published, false, 9605);
}

static void aliased_form(void **state) {
  (void)state;
  check_form(aliased, true, 9731);
}

// In memory: the same entries, donated pools, and a body that can be read back.
static void in_memory(void **state) {
  (void)state;
  tl_artifact *a;
  assert_ok(tl_artifact_reference(&a));
  assert_int_equal(a->n_entries, 6);
  assert_null(a->dir);
  tl_buf text = {0}, again = {0};
  for (size_t i = 0; i < a->n_entries; i++) {
    assert_string_equal(a->entries[i].id, ids[i]);
    assert_ok(tl_artifact_body(a, &a->entries[i], &text));
    assert_ok(tl_artifact_body(a, &a->entries[i], &again));
    assert_str(tl_buf_view(&text), tl_buf_view(&again));
    tl_diags diags = {0};
    tl_module *m;
    assert_ok(tl_shlo_parse(tl_buf_view(&text), "body", &diags, &m));
    const tl_func *fn = tl_module_find(m, TL_STR("main"));
    assert_int_equal(fn->body->n_args, a->entries[i].n_inputs);
    assert_int_equal(fn->n_results, a->entries[i].n_outputs);
    assert_int_equal(fn->args[5].alias_output, 1);
    assert_int_equal(fn->args[6].alias_output, 2);
    assert_int_equal(fn->body->args[0]->type.dims[0], a->entries[i].B);
    tl_module_destroy(m);
    tl_diags_deinit(&diags);
  }
  assert_ok(tl_artifact_verify_weights(a));
  tl_artifact *same = tl_artifact_retain(a);
  tl_artifact_release(a);
  assert_string_equal(same->model_hash, "reference-decode-lcg-v1");
  assert_status(tl_artifact_export(same, NULL, "/nowhere"), TL_STATUS_INVALID_ARGUMENT,
                "the reference model");
  tl_artifact_release(same);
  tl_buf_deinit(&text);
  tl_buf_deinit(&again);
}

// The published run: 1 2 9 7, each token the greedy answer to those before it, and the logits of
// every step, published to seven places. Position p lies in page 1 + p / 2.
static void published_run(void **state) {
  (void)state;
  enum { VOCAB = 11, STEPS = 4 };
  static const int32_t fed[STEPS + 1] = {1, 2, 9, 7, 9};
  static const double logits[STEPS][VOCAB] = {
      {-.0913141, .0299889, .2100224, .0432422, -.0296017, .1125521, .0596260, .0196757, -.0070357,
       .0538541, .0867267},
      {-.0900657, .0795136, -.0645450, -.0060508, .0685277, -.0257064, -.1060546, .0634145,
       -.1229830, .0987758, -.1124546},
      {-.0322164, .0351008, -.0404321, -.0040398, .0265491, -.0187095, -.0456616, .0416636,
       -.0484384, .0340018, -.0398574},
      {-.0125571, .0399648, -.0676846, -.0030286, .0443336, -.0310475, -.0619405, -.0067318,
       -.0579565, .0564363, -.0934288}};
  tl_module *m;
  assert_ok(tl_reference_decode(1, 4, &m));
  const tl_func *fn = tl_module_find(m, TL_STR("main"));
  for (int mode = 0; mode < 2; mode++) { // 0: f32 as typed; 1: all in f64
    tl_arena *arena = tl_arena_create();
    tl_tensor in[7], out[3] = {0};
    for (size_t i = 0; i < TL_COUNT(in); i++) {
      size_t size;
      in[i].type = fn->body->args[i]->type;
      assert_true(tl_type_size(in[i].type, &size));
      in[i].data = tl_arena_alloc(arena, size, 16);
    }
    for (int32_t step = 0; step < STEPS; step++) {
      int32_t token = fed[step], position = step, tables[] = {1, 2}, length = step + 1,
              slot = 2 + step;
      void *const ints[] = {&token, &position, tables, &length, &slot};
      for (size_t i = 0; i < TL_COUNT(ints); i++)
        in[i].data = ints[i];
      assert_ok(tl_ref_run(fn, mode ? TL_REF_F64 : TL_REF_AS_TYPED, in, 7, arena, out, 0));
      int32_t best = 0;
      double greatest = -1;
      for (int32_t v = 0; v < VOCAB; v++) {
        const double x = mode ? ((double *)out[0].data)[v] : (double)((float *)out[0].data)[v];
        // Half a unit of the last published place, and in f32 the rounding of a few sums.
        assert_true(fabs(x - logits[step][v]) <= (mode ? 0.51e-7 : 1.5e-7));
        if (x > greatest) greatest = x, best = v;
      }
      assert_int_equal(best, fed[step + 1]);
      for (size_t p = 0; p < 2; p++) { // the pools, which the interpreter gives back in f64
        size_t n;
        assert_true(tl_type_count(in[5 + p].type, &n));
        for (size_t i = 0; i < n; i++)
          ((float *)in[5 + p].data)[i] =
              mode ? (float)((double *)out[1 + p].data)[i] : ((float *)out[1 + p].data)[i];
      }
    }
    tl_arena_destroy(arena);
  }
  tl_module_destroy(m);
}

static tl_status body_in_memory(void *arg) {
  (void)arg;
  tl_artifact *a = NULL;
  tl_buf text = {0};
  tl_status st = tl_artifact_reference(&a);
  if (!st) st = tl_artifact_body(a, &a->entries[0], &text);
  tl_buf_deinit(&text);
  tl_artifact_release(a);
  return st;
}

static void without_memory(void **state) {
  (void)state;
  tl_test_each_oom(body_in_memory, NULL);
}

static void wrong_sizes(void **state) {
  (void)state;
  tl_module *m = NULL;
  assert_status(tl_reference_decode(0, 2, &m), TL_STATUS_INVALID_ARGUMENT, "batch 0");
  assert_status(tl_reference_decode(1, 3, &m), TL_STATUS_INVALID_ARGUMENT, "context 3");
  assert_null(m);
}

static void ladder(void **state) {
  (void)state;
  uint32_t rungs[64];
  static const uint32_t wanted[] = {1, 2, 3, 4, 6, 8, 12, 16, 20};
  assert_int_equal(tl_step_ladder(20, rungs, 64), TL_COUNT(wanted));
  for (size_t i = 0; i < TL_COUNT(wanted); i++)
    assert_int_equal(rungs[i], wanted[i]);
  assert_int_equal(tl_step_ladder(1, rungs, 64), 1);
  assert_int_equal(rungs[0], 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(published_form), cmocka_unit_test(aliased_form),
      cmocka_unit_test(in_memory),      cmocka_unit_test(wrong_sizes),
      cmocka_unit_test(ladder),         cmocka_unit_test(without_memory),
      cmocka_unit_test(published_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
