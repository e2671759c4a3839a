// Directories: what is exported is read back, twice the same; links; damage of every file; and an
// export that fails leaves nothing.
#include "base/test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "artifact/manifest.h"
#include "artifact/testing.h"

static const char tokenizer_json[] =
    "{\"version\":\"1.0\",\"truncation\":null,\"padding\":null,\"added_tokens\":[],"
    "\"normalizer\":null,\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":false,"
    "\"trim_offsets\":true,\"use_regex\":true},\"post_processor\":null,"
    "\"decoder\":{\"type\":\"ByteLevel\",\"add_prefix_space\":true,\"trim_offsets\":true,"
    "\"use_regex\":true},\"model\":{\"type\":\"BPE\",\"dropout\":null,\"unk_token\":null,"
    "\"continuing_subword_prefix\":null,\"end_of_word_suffix\":null,\"fuse_unk\":false,"
    "\"byte_fallback\":false,\"ignore_merges\":false,"
    "\"vocab\":{\"a\":0,\"b\":1,\"ab\":2},\"merges\":[\"a b\"]}}";

typedef struct fixture {
  tl_test_tmp tmp;
  tl_arena *arena;
} fixture;

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  tl_test_tmp_create(&f->tmp);
  f->arena = tl_arena_create();
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  tl_test_tmp_remove(&f->tmp);
  tl_arena_destroy(f->arena);
  free(f);
  return 0;
}

static const char *in(fixture *f, const char *dir, const char *name) {
  return tl_path_join(f->arena, dir, name);
}
static const char *in_tmp(fixture *f, const char *name) { return in(f, f->tmp.path, name); }

// A tiny checkpoint as an artifact in memory. 4 pages of 8 tokens, 3 sequences, chunks of 16.
static tl_artifact *model_of(const char *checkpoint, tl_weights_mode weights) {
  tl_checkpoint *c;
  tl_model *m;
  tl_artifact *a;
  tl_tokenizer *tok;
  assert_ok(tl_checkpoint_open(checkpoint, &c));
  assert_ok(tl_model_create(
      c, &(tl_model_options){.weights = weights, .context = 32, .block_size = 8, .max_batch = 3},
      &m));
  tl_checkpoint_release(c);
  assert_ok(tl_tokenizer_parse(&(tl_tokenizer_files){.tokenizer = tl_str_of(tokenizer_json)}, "tok",
                               &tok));
  assert_ok(tl_artifact_of_model(m, tok, 16, &a));
  tl_tokenizer_release(tok);
  return a;
}

static const uint32_t contexts[] = {16, 32};
static const tl_export_options options = {
    .contexts = contexts, .n_contexts = 2, .prefill_chunk = 16};

#define LLAMA "tests/model/tiny-llama-untied"
#define QWEN "tests/model/tiny-qwen3-tied"

static void export_to(const char *checkpoint, const tl_export_options *o, const char *dir) {
  tl_artifact *a = model_of(checkpoint, TL_WEIGHTS_KEEP);
  assert_ok(tl_artifact_export(a, o, dir));
  tl_artifact_release(a);
}

static void check_same_slots(const tl_artifact *a, const tl_artifact *b) {
  assert_int_equal(a->n_slots, b->n_slots);
  tl_buf x = {0}, y = {0};
  for (size_t i = 0; i < a->n_slots; i++) {
    const uint8_t *p, *q;
    size_t n, m;
    assert_string_equal(a->slots[i].name, b->slots[i].name);
    assert_string_equal(a->slots[i].format, b->slots[i].format);
    assert_true(tl_type_eq(a->slots[i].stored, b->slots[i].stored));
    assert_true(tl_type_eq(a->slots[i].prepared, b->slots[i].prepared));
    assert_int_equal(a->slots[i].constant, b->slots[i].constant);
    if (a->slots[i].constant) {
      assert_status(tl_artifact_slot_bytes(b, i, &y, &q, &m), TL_STATUS_INVALID_ARGUMENT,
                    "has no bytes");
      continue;
    }
    assert_ok(tl_artifact_slot_bytes(a, i, &x, &p, &n));
    assert_ok(tl_artifact_slot_bytes(b, i, &y, &q, &m));
    assert_int_equal(n, m);
    assert_memory_equal(p, q, n);
  }
  tl_buf_deinit(&x);
  tl_buf_deinit(&y);
}

static void check_bodies(const tl_artifact *a) { // each is there, is intact and has its signature
  tl_buf text = {0};
  for (size_t i = 0; i < a->n_entries; i++) {
    for (int round = 0; round < 2; round++) {
      assert_ok(tl_artifact_body(a, &a->entries[i], &text));
      assert_non_null(strstr(text.ptr, "@main"));
    }
  }
  tl_buf_deinit(&text);
}

static void round_trip(void **state) {
  fixture *f = *state;
  static const char *const ids[] = {
      "prepare",        "step_t1_s3_r1",     "step_t2_s3_r2",  "step_t3_s3_r3",  "step_t4_s3_r3",
      "step_t6_s3_r3",  "step_t8_s3_r3",     "step_t12_s3_r3", "step_t16_s3_r3", "decode_b1_c16",
      "decode_b1_c32",  "decode_b2_c16",     "decode_b2_c32",  "decode_b3_c16",  "decode_b3_c32",
      "prefill_b1_c16", "prefill_b1_c32_t16"};
  static const char *const checkpoints[] = {LLAMA, QWEN};
  for (size_t c = 0; c < TL_COUNT(checkpoints); c++) {
    const char *dir = in_tmp(f, c ? "a2" : "a1");
    tl_artifact *a, *memory = model_of(checkpoints[c], TL_WEIGHTS_KEEP);
    assert_ok(tl_artifact_export(memory, &options, dir));
    assert_ok(tl_artifact_open(dir, &a));
    assert_string_equal(a->schema, "tlaloc-serving-v6");
    assert_string_equal(a->model_name, memory->model_name);
    assert_int_equal(strncmp(a->model_hash, memory->model_hash, strlen(memory->model_hash)), 0);
    assert_non_null(strstr(a->model_hash, ":wbf16"));
    assert_int_equal(strstr(a->model_hash, ":tiedHead") != NULL, c == 1);
    assert_non_null(strstr(a->model_hash, ":weights-"));
    assert_int_equal(a->context, 32);
    assert_int_equal(a->max_batch, 3);
    assert_int_equal(a->num_blocks, memory->num_blocks);
    assert_int_equal(a->n_stops, memory->n_stops);
    assert_int_equal(a->stops[0], memory->stops[0]);
    assert_true(a->stacked_pool);
    assert_int_equal(a->n_entries, TL_COUNT(ids));
    for (size_t i = 0; i < TL_COUNT(ids); i++)
      assert_string_equal(a->entries[i].id, ids[i]);
    check_same_slots(memory, a);
    check_bodies(a);
    assert_ok(tl_artifact_verify_weights(a));
    assert_non_null(a->tokenizer);
    assert_int_equal(tl_tokenizer_id_of(a->tokenizer, TL_STR("ab")), 2);
    // The manifest on disk is what writing it again would give.
    tl_buf text = {0}, again = {0};
    assert_ok(tl_file_read(in(f, dir, TL_MANIFEST_FILE), TL_MANIFEST_LIMIT, &text));
    assert_ok(tl_manifest_write(a, &again));
    assert_str(tl_buf_view(&text), tl_buf_view(&again));
    tl_buf_deinit(&text);
    tl_buf_deinit(&again);
    // An artifact is no checkpoint.
    assert_status(tl_artifact_export(a, &options, in_tmp(f, "x")), TL_STATUS_INVALID_ARGUMENT,
                  "an artifact already");
    tl_artifact_release(a);
    tl_artifact_release(memory);
  }
}

static void twice_the_same(void **state) {
  fixture *f = *state;
  export_to(LLAMA, &options, in_tmp(f, "one"));
  export_to(LLAMA, &options, in_tmp(f, "two"));
  tl_test_same_tree(in_tmp(f, "one"), in_tmp(f, "two"));
  tl_export_options flat = options;
  flat.inline_named = true;
  export_to(QWEN, &flat, in_tmp(f, "flat1"));
  export_to(QWEN, &flat, in_tmp(f, "flat2"));
  tl_test_same_tree(in_tmp(f, "flat1"), in_tmp(f, "flat2"));
  tl_artifact *a;
  tl_buf text = {0};
  assert_ok(tl_artifact_open(in_tmp(f, "flat1"), &a));
  for (size_t i = 0; i < a->n_entries; i++) {
    assert_ok(tl_artifact_body(a, &a->entries[i], &text));
    assert_null(strstr(text.ptr, "composite"));
    assert_null(strstr(text.ptr, "func.func private"));
  }
  tl_buf_deinit(&text);
  tl_artifact_release(a);
}

static void without_reference_entries(void **state) {
  fixture *f = *state;
  tl_artifact *a;
  export_to(LLAMA, NULL, in_tmp(f, "a"));
  assert_ok(tl_artifact_open(in_tmp(f, "a"), &a));
  assert_null(tl_artifact_find(a, TL_ENTRY_DECODE));
  assert_int_equal(tl_artifact_find(a, TL_ENTRY_STEP)->T, 1);
  tl_artifact_release(a);
}

// --- damage ---

static void copy_file(const char *from, const char *to) {
  tl_buf bytes = {0};
  assert_ok(tl_file_read(from, 1 << 28, &bytes));
  assert_ok(tl_file_write(to, bytes.ptr, bytes.len));
  tl_buf_deinit(&bytes);
}

// Changes one byte (`at` from the end when negative), or cuts the file to `size`.
static void flip(const char *path, int64_t at) {
  tl_buf bytes = {0};
  assert_ok(tl_file_read(path, 1 << 28, &bytes));
  bytes.ptr[at < 0 ? (int64_t)bytes.len + at : at] ^= 1;
  assert_ok(tl_file_write(path, bytes.ptr, bytes.len));
  tl_buf_deinit(&bytes);
}

static const char *copy_checkpoint(fixture *f, const char *name) {
  static const char *const files[] = {"config.json", "generation_config.json", "model.safetensors"};
  const char *to = in_tmp(f, name);
  assert_ok(tl_dir_create(to));
  for (size_t i = 0; i < TL_COUNT(files); i++)
    copy_file(in(f, LLAMA, files[i]), in(f, to, files[i]));
  return to;
}

static const char *hash_of(fixture *f, const char *dir) {
  tl_artifact *a;
  assert_ok(tl_artifact_open(dir, &a));
  const char *hash = tl_str_copy(f->arena, tl_str_of(a->model_hash)).ptr;
  tl_artifact_release(a);
  return hash;
}

// A fine-tuned model must not share its base's hash.
static void hash_covers_weights(void **state) {
  fixture *f = *state;
  const char *checkpoint = copy_checkpoint(f, "m");
  tl_export_options linked = options;
  linked.link = true;
  export_to(checkpoint, &options, in_tmp(f, "base"));
  export_to(checkpoint, &linked, in_tmp(f, "linked"));
  assert_string_equal(hash_of(f, in_tmp(f, "base")), hash_of(f, in_tmp(f, "linked")));
  const char *before = hash_of(f, in_tmp(f, "base"));
  flip(in(f, checkpoint, "model.safetensors"), -1);
  export_to(checkpoint, &options, in_tmp(f, "tuned"));
  assert_string_not_equal(before, hash_of(f, in_tmp(f, "tuned")));
}

static void links(void **state) {
  fixture *f = *state;
  const char *checkpoint = copy_checkpoint(f, "m"), *dir = in_tmp(f, "linked");
  const char *file = in(f, checkpoint, "model.safetensors");
  tl_export_options o = options;
  o.link = true;
  tl_artifact *memory = model_of(checkpoint, TL_WEIGHTS_KEEP), *a;
  assert_ok(tl_artifact_export(memory, &o, dir));
  tl_str *names;
  size_t n;
  assert_ok(tl_dir_list(f->arena, in(f, dir, "weights"), &names, &n));
  assert_int_equal(n, 0);
  assert_ok(tl_artifact_open(dir, &a));
  assert_int_equal(a->slots[0].path[0], '/');
  check_same_slots(memory, a);
  assert_ok(tl_artifact_verify_weights(a));
  tl_artifact_release(a);
  tl_artifact_release(memory);

  flip(file, -1); // the last tensor's last byte
  assert_ok(tl_artifact_open(dir, &a));
  assert_status(tl_artifact_verify_weights(a), TL_STATUS_DATA_LOSS, "model.safetensors");
  tl_artifact_release(a);
  assert_int_equal(truncate(file, 4000), 0);
  assert_status(tl_artifact_open(dir, &a), TL_STATUS_DATA_LOSS, "model.safetensors: holds 4000");
  assert_int_equal(unlink(file), 0);
  assert_status(tl_artifact_open(dir, &a), TL_STATUS_NOT_FOUND, "model.safetensors");

  // What the export converts lies nowhere else, so it is written.
  memory = model_of(LLAMA, TL_WEIGHTS_F32);
  assert_ok(tl_artifact_export(memory, &o, in_tmp(f, "f32")));
  assert_ok(tl_artifact_open(in_tmp(f, "f32"), &a));
  assert_string_equal(a->slots[0].path, "weights/0000_embedTokens.bin");
  assert_string_equal(a->slots[0].format, "f32");
  check_same_slots(memory, a);
  tl_artifact_release(a);
  tl_artifact_release(memory);
}

static void damage(void **state) {
  fixture *f = *state;
  const char *dir = in_tmp(f, "a");
  tl_artifact *a;
  tl_buf text = {0};
  export_to(LLAMA, &options, dir);
  assert_ok(tl_artifact_open(dir, &a));
  const char *body = in(f, dir, a->entries[1].body_path);
  const char *weight = in(f, dir, a->slots[2].path);
  const char *program = in(f, dir, "programs/decode_b2_c32.json");
  const char *tokenizer = in(f, dir, "tokenizer/tokenizer.json");
  const char *manifest = in(f, dir, TL_MANIFEST_FILE);

  flip(body, 1000);
  assert_status(tl_artifact_body(a, &a->entries[1], &text), TL_STATUS_DATA_LOSS, body);
  flip(body, 1000);
  flip(weight, 17);
  assert_status(tl_artifact_verify_weights(a), TL_STATUS_DATA_LOSS, weight);
  flip(weight, 17);
  tl_artifact_release(a);

  assert_int_equal(rename(body, in_tmp(f, "body")), 0);
  assert_status(tl_artifact_open(dir, &a), TL_STATUS_NOT_FOUND, body);
  assert_int_equal(mkdir(body, 0777), 0);
  assert_status(tl_artifact_open(dir, &a), TL_STATUS_INVALID_ARGUMENT, "not a regular file");
  assert_int_equal(rmdir(body), 0);
  assert_int_equal(rename(in_tmp(f, "body"), body), 0);

  flip(program, 20);
  assert_status(tl_artifact_open(dir, &a), TL_STATUS_INVALID_ARGUMENT, program);
  flip(program, 20);
  assert_int_equal(rename(program, in_tmp(f, "program")), 0);
  assert_status(tl_artifact_open(dir, &a), TL_STATUS_NOT_FOUND, program);
  assert_int_equal(rename(in_tmp(f, "program"), program), 0);

  struct stat info;
  assert_int_equal(stat(weight, &info), 0);
  copy_file(weight, in_tmp(f, "weight"));
  assert_int_equal(truncate(weight, info.st_size - 1), 0);
  assert_status(tl_artifact_open(dir, &a), TL_STATUS_DATA_LOSS, weight);
  assert_int_equal(truncate(weight, info.st_size + 1), 0);
  assert_status(tl_artifact_open(dir, &a), TL_STATUS_DATA_LOSS, weight);
  copy_file(in_tmp(f, "weight"), weight);

  flip(tokenizer, -3);
  assert_status(tl_artifact_open(dir, &a), TL_STATUS_DATA_LOSS, tokenizer);
  flip(tokenizer, -3);

  assert_ok(tl_artifact_open(dir, &a)); // all is well again
  check_bodies(a);
  tl_artifact_release(a);

  assert_int_equal(unlink(manifest), 0);
  assert_status(tl_artifact_open(dir, &a), TL_STATUS_NOT_FOUND, manifest);
  assert_ok(tl_file_write(in(f, dir, "tlaloc-bounded.json"), "{}", 2));
  assert_status(tl_artifact_open(dir, &a), TL_STATUS_UNIMPLEMENTED, "bounded reader");
  tl_buf_deinit(&text);
}

// --- failure ---

static size_t count_in(fixture *f, const char *dir) { return tl_test_tree_of(f->arena, dir).n; }

// The disk is full at one point or another: the parent is as it was.
static void failed_export_leaves_nothing(void **state) {
  fixture *f = *state;
  static const rlim_t limits[] = {0, 40, 1000, 5000, 12000, 20000, 60000};
  tl_artifact *a = model_of(LLAMA, TL_WEIGHTS_KEEP);
  struct rlimit was, now;
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
  size_t failed = 0;
  for (size_t i = 0; i < TL_COUNT(limits); i++) {
    now = (struct rlimit){limits[i], was.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
    tl_status st = tl_artifact_export(a, &options, in_tmp(f, "a"));
    setrlimit(RLIMIT_FSIZE, &was);
    failed += st != TL_OK;
    if (st) {
      assert_int_equal(tl_status_get_code(st), TL_STATUS_RESOURCE_EXHAUSTED);
      assert_non_null(strstr(tl_status_message(st), "cannot write"));
      assert_int_equal(count_in(f, f->tmp.path), 0);
    }
    tl_status_drop(st);
  }
  assert_in_range(failed, 4, 7);
  signal(SIGXFSZ, SIG_DFL);
  tl_artifact_release(a);
}

static void refused_exports(void **state) {
  fixture *f = *state;
  tl_artifact *a = model_of(LLAMA, TL_WEIGHTS_KEEP);
  static const uint32_t odd[] = {12}, long_one[] = {40}, falling[] = {32, 16};
  static const struct {
    tl_export_options options;
    const char *refusal;
  } rows[] = {
      {{.contexts = odd, .n_contexts = 1}, "contexts: 12 is not a multiple"},
      {{.contexts = long_one, .n_contexts = 1}, "contexts: 40 is not a multiple of the page's 8"},
      {{.contexts = falling, .n_contexts = 2}, "contexts: 16 behind 32"},
      {{.max_batch = 4}, "max-batch: 4, the model was opened for 3"},
  };
  for (size_t i = 0; i < TL_COUNT(rows); i++)
    assert_status(tl_artifact_export(a, &rows[i].options, in_tmp(f, "a")),
                  TL_STATUS_INVALID_ARGUMENT, rows[i].refusal);
  assert_int_equal(count_in(f, f->tmp.path), 0);

  // What is there is not touched.
  assert_ok(tl_dir_create(in_tmp(f, "full")));
  assert_ok(tl_file_write(in_tmp(f, "full/mine"), "x", 1));
  assert_status(tl_artifact_export(a, &options, in_tmp(f, "full")), TL_STATUS_ALREADY_EXISTS,
                "full");
  assert_int_equal(count_in(f, f->tmp.path), 2);
  tl_artifact_release(a);
}

typedef struct watch {
  uint64_t weights, total, bodies;
} watch;

static void watching(void *arg, const char *what, uint64_t done, uint64_t total) {
  watch *w = arg;
  assert_true(done <= total);
  if (strcmp(what, "weights") == 0) {
    assert_true(done >= w->weights);
    w->weights = done;
    w->total = total;
  } else {
    w->bodies = done;
  }
}

static void progress(void **state) {
  fixture *f = *state;
  watch w = {0};
  tl_export_options o = options;
  o.progress = watching;
  o.progress_arg = &w;
  export_to(LLAMA, &o, in_tmp(f, "a"));
  assert_int_equal(w.weights, w.total);
  assert_true(w.total > 50000);
  assert_int_equal(w.bodies, 17);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(round_trip),
      TEST(twice_the_same),
      TEST(without_reference_entries),
      TEST(hash_covers_weights),
      TEST(links),
      TEST(damage),
      TEST(failed_export_leaves_nothing),
      TEST(refused_exports),
      TEST(progress),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
