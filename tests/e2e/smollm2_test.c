// SmolLM2-135M-Instruct from its GGUF to its answers, against transformers
// (tests/oracle/smollm2.py, which says how the golden was made) and against itself.
//
// Ids must be the oracle's, except where the oracle's own two best logits lie closer than the
// golden's `near` (2e-4): there another id is right too, and the run goes on with the oracle's.
// Logits must be within LIMIT of the greatest |logit|: both sides compute in float32, with sums of
// up to 1536 products in different orders through thirty layers, and come to about 2e-6.
//
// The model is $TLALOC_MODEL, or SmolLM2-135M-Instruct.Q4_1.gguf in the user's cache, where the
// demo puts it. Without it the whole is skipped.

#include "e2e.h"

#include <unistd.h>

#include "base/hash.h"
#include "tok/chat.h"

static const double LIMIT = 1e-5;

enum { VOCAB = 49152, IDS_MOST = 300, STEPS = 48, TOP = 32, FIXED = 224, SEQUENCES = 4 };

typedef struct golden_case {
  const char *name, *text; // of the golden's JSON
  const json_t *messages;  // NULL: plain text
  int32_t ids[IDS_MOST], greedy[STEPS], top[TOP];
  size_t n_ids;
  bool near[STEPS];
  double largest, top_logits[TOP], fixed_logits[FIXED];
} golden_case;

static char model_path[512];
static json_t *golden;
static int32_t fixed_indices[FIXED];
static golden_case *cases; // [n_cases]
static size_t n_cases;
static e2e shared[2]; // by compute mode: two threads, four sequences a step

// --- the golden ---

static const char *text_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  assert_non_null(text);
  return text;
}

static void read_case(const json_t *c, golden_case *out) {
  out->name = text_of(c, "name");
  out->text = text_of(c, "text");
  out->messages = json_object_get(c, "messages");
  out->n_ids = e2e_ids(c, "ids", out->ids, IDS_MOST);
  assert_in_range(out->n_ids, 1, IDS_MOST);
  assert_int_equal(e2e_ids(c, "greedy", out->greedy, STEPS), STEPS);
  assert_int_equal(e2e_ids(c, "top", out->top, TOP), TOP);
  assert_int_equal(e2e_numbers(c, "top_logits", out->top_logits, TOP), TOP);
  assert_int_equal(e2e_numbers(c, "fixed_logits", out->fixed_logits, FIXED), FIXED);
  out->largest = e2e_number(c, "largest");
  const json_t *near = json_object_get(c, "near"); // [[step, gap] ...]
  for (size_t i = 0; i < json_array_size(near); i++) {
    const json_int_t step = json_integer_value(json_array_get(json_array_get(near, i), 0));
    assert_in_range(step, 0, STEPS - 1);
    assert_true(json_number_value(json_array_get(json_array_get(near, i), 1)) < 2e-4);
    out->near[step] = true;
  }
}

static int read_golden(void **unused) {
  (void)unused;
  golden = e2e_json("tests/smollm2/golden.json");
  assert_int_equal(e2e_ids(golden, "fixed", fixed_indices, FIXED), FIXED);
  const json_t *list = json_object_get(golden, "cases");
  n_cases = json_array_size(list);
  assert_in_range(n_cases, 20, 100);
  cases = calloc(n_cases, sizeof *cases);
  assert_non_null(cases);
  for (size_t i = 0; i < n_cases; i++)
    read_case(json_array_get(list, i), &cases[i]);
  return 0;
}

static int drop_golden(void **unused) {
  (void)unused;
  for (size_t i = 0; i < TL_COUNT(shared); i++)
    if (shared[i].engine) e2e_close(&shared[i]);
  free(cases);
  json_decref(golden);
  return 0;
}

static e2e *engine_of(tl_compute_mode mode) { // opened by the first test that asks
  if (!shared[mode].engine)
    e2e_open(&shared[mode], model_path,
             &(e2e_options){.model = {.max_batch = SEQUENCES, .compute = mode}, .threads = 2});
  return &shared[mode];
}
static e2e *engine(void) { return engine_of(TL_COMPUTE_EXACT); }
static const tl_compute_mode modes[] = {TL_COMPUTE_EXACT, TL_COMPUTE_FAST};

static const golden_case *find_case(const char *name) {
  for (size_t i = 0; i < n_cases; i++)
    if (strcmp(cases[i].name, name) == 0) return &cases[i];
  fail_msg("the golden has no prompt '%s'", name);
  return NULL;
}

// --- against transformers ---

static double first_error(const golden_case *c, const float *logits) { // of the greatest
  double most = 0.0;
  for (size_t i = 0; i < TOP; i++)
    most = fmax(most, fabs((double)logits[c->top[i]] - c->top_logits[i]));
  for (size_t i = 0; i < FIXED; i++)
    most = fmax(most, fabs((double)logits[fixed_indices[i]] - c->fixed_logits[i]));
  return most / c->largest;
}

typedef struct tally {
  size_t ids, equal, near; // compared, equal to the oracle's, near ties on the way
  double error;            // worst of the first step
} tally;

// Runs `steps` steps of a case and compares.
static void follow(tl_engine *e, const golden_case *c, size_t steps, tally *sum) {
  static float logits[VOCAB];
  tl_sequence *s = NULL;
  assert_ok(tl_sequence_create(e, &s));
  assert_ok(tl_sequence_append(s, c->ids, c->n_ids));
  for (size_t i = 0; i < steps; i++) {
    e2e_feed(s, UINT32_MAX, logits);
    if (i == 0) {
      const double error = first_error(c, logits);
      if (error > LIMIT) fail_msg("%s: logits differ by %.3g of the greatest", c->name, error);
      sum->error = fmax(sum->error, error);
    }
    const int32_t id = e2e_argmax(logits, VOCAB);
    sum->ids++;
    sum->near += c->near[i];
    if (id == c->greedy[i])
      sum->equal++;
    else if (!c->near[i])
      fail_msg("%s: step %zu: id %d, the oracle's is %d", c->name, i, id, c->greedy[i]);
    assert_ok(tl_sequence_append(s, &c->greedy[i], 1));
  }
  tl_sequence_destroy(s);
}

static void report(const char *who, const tally *t) {
  print_message(
      "%s: %zu of %zu ids equal, %zu near ties, worst first logits %.2g of the greatest\n", who,
      t->equal, t->ids, t->near, t->error);
}

static void the_model_is_the_goldens(void **unused) {
  (void)unused;
  char hex[TL_SHA256_HEX + 1];
  assert_ok(tl_sha256_file(model_path, hex));
  assert_string_equal(hex, text_of(golden, "sha256"));
}

static void prompts_become_the_same_ids(void **unused) {
  (void)unused;
  const tl_tokenizer *tok = engine()->artifact->tokenizer;
  assert_non_null(tok);
  size_t chats = 0;
  for (size_t i = 0; i < n_cases; i++) {
    const golden_case *c = &cases[i];
    tl_buf text = {0}, back = {0};
    tl_ids ids = {0};
    if (c->messages) {
      const tl_chat_options chat = {.add_generation_prompt = true};
      assert_ok(tl_tokenizer_chat(tok, c->messages, &chat, NULL, &text));
      assert_text(tl_buf_view(&text), c->text);
      chats++;
    }
    assert_ok(tl_tokenizer_encode(tok, tl_str_of(c->text), NULL, &ids));
    if (ids.len != c->n_ids || memcmp(ids.ptr, c->ids, c->n_ids * sizeof *c->ids) != 0)
      fail_msg("%s: %zu ids, not the oracle's %zu", c->name, ids.len, c->n_ids);
    assert_ok(tl_tokenizer_decode(tok, ids.ptr, ids.len, false, &back));
    assert_text(tl_buf_view(&back), c->text);
    tl_ids_deinit(&ids);
    tl_buf_deinit(&text);
    tl_buf_deinit(&back);
  }
  assert_true(chats >= 3);
}

static void native_answers_as_transformers(void **unused) {
  (void)unused;
  tally sum = {0};
  for (size_t i = 0; i < n_cases; i++)
    follow(engine()->engine, &cases[i], STEPS, &sum);
  assert_true(sum.equal + sum.near >= sum.ids);
  report("native", &sum);
  // The control: the last token of a prompt replaced is far off.
  golden_case other = *find_case("plain");
  other.ids[other.n_ids - 1]++;
  static float logits[VOCAB];
  e2e_logits(engine()->engine, other.ids, other.n_ids, UINT32_MAX, logits);
  assert_true(first_error(&other, logits) > 100 * LIMIT);
}

// The same answers as requests, several tokens of different prompts in each step.
static void a_batch_answers_as_transformers(void **unused) {
  (void)unused;
  tl_engine *e = engine()->engine;
  const golden_case *four[SEQUENCES] = {find_case("question"), find_case("c"), find_case("chinese"),
                                        find_case("chat: capital")};
  tl_sequence *s[SEQUENCES];
  size_t done[SEQUENCES] = {0}, ended = 0, different = 0;
  for (int q = 0; q < SEQUENCES; q++) {
    assert_ok(tl_sequence_create(e, &s[q]));
    assert_ok(tl_sequence_append(s[q], four[q]->ids, four[q]->n_ids));
  }
  while (ended < SEQUENCES) { // prompts in chunks of 16 beside others that decode already
    tl_step_item items[SEQUENCES];
    int who[SEQUENCES];
    size_t n = 0;
    for (int q = 0; q < SEQUENCES; q++) {
      const uint32_t left = s[q]->n_tokens - s[q]->n_cached;
      if (left == 0) continue;
      items[n] = (tl_step_item){.sequence = s[q], .n = TL_MIN(left, 16u)};
      items[n].wants_logits = items[n].n == left;
      who[n++] = q;
    }
    assert_ok(tl_engine_step(e, items, n));
    for (size_t i = 0; i < n; i++) {
      if (!items[i].wants_logits) continue;
      const int q = who[i];
      const int32_t wanted = four[q]->greedy[done[q]];
      if (e2e_argmax(items[i].logits, VOCAB) != wanted) {
        different++;
        assert_true(four[q]->near[done[q]]);
      }
      if (++done[q] == 24)
        ended++;
      else
        assert_ok(tl_sequence_append(s[q], &wanted, 1));
    }
  }
  for (int q = 0; q < SEQUENCES; q++)
    tl_sequence_destroy(s[q]);
  print_message("batch: %zu of %d ids equal\n", SEQUENCES * 24 - different, SEQUENCES * 24);
}

static void the_interpreter_answers_as_transformers(void **unused) {
  (void)unused;
  e2e t;
  tally sum = {0};
  e2e_open(&t, model_path, &(e2e_options){.interpreter = true, .model.context = 64});
  follow(t.engine, find_case("one token"), 2, &sum);
  follow(t.engine, find_case("newline"), 2, &sum);
  report("interpreter", &sum);
  // The meaning of every op includes the order of its sums: the same bits as the native backend.
  static float slow[VOCAB], fast[VOCAB];
  const golden_case *c = find_case("plain");
  e2e_logits(t.engine, c->ids, 2, UINT32_MAX, slow);
  e2e_logits(engine()->engine, c->ids, 2, UINT32_MAX, fast);
  assert_memory_equal(slow, fast, sizeof slow);
  e2e_close(&t);
}

// Products of 8-bit codes are another arithmetic: most ids are the oracle's, not all.
static void fast_answers_nearly_as_transformers(void **unused) {
  (void)unused;
  static float logits[VOCAB];
  size_t equal = 0, ids = 0;
  double error = 0.0;
  for (size_t i = 0; i < n_cases; i++) {
    const golden_case *c = &cases[i];
    tl_sequence *s = NULL;
    assert_ok(tl_sequence_create(engine_of(TL_COMPUTE_FAST)->engine, &s));
    assert_ok(tl_sequence_append(s, c->ids, c->n_ids));
    for (size_t k = 0; k < STEPS; k++, ids++) {
      e2e_feed(s, UINT32_MAX, logits);
      if (k == 0) error = fmax(error, first_error(c, logits));
      equal += e2e_argmax(logits, VOCAB) == c->greedy[k];
      assert_ok(tl_sequence_append(s, &c->greedy[k], 1));
    }
    tl_sequence_destroy(s);
  }
  print_message("fast: %zu of %zu ids equal, worst first logits %.2g of the greatest\n", equal, ids,
                error);
  assert_true(equal >= ids * 95 / 100);
  assert_true(error < 0.08);
  assert_true(error > LIMIT); // it is not the exact arithmetic
}

static void weights_widened_to_f32_answer_alike(void **unused) {
  (void)unused;
  e2e t;
  tally sum = {0};
  e2e_open(&t, model_path, &(e2e_options){.model = {.context = 256, .weights = TL_WEIGHTS_F32}});
  follow(t.engine, find_case("plain"), 8, &sum);
  follow(t.engine, find_case("chat: capital"), 8, &sum);
  e2e_close(&t);
  report("f32 weights", &sum);
}

// Activations of bf16 against weights of bf16, and against keys and values of bf16: near, and the
// same bits however a prompt is cut.
static void check_products_of_bf16(tl_kv_mode kv) {
  static const char *const names[] = {"plain", "chat: capital"};
  static float whole[VOCAB], cut[VOCAB];
  const tl_model_options model = {
      .context = 256, .weights = TL_WEIGHTS_BF16, .compute = TL_COMPUTE_FAST, .kv = kv};
  e2e two, one;
  double error = 0.0;
  e2e_open(&two, model_path, &(e2e_options){.model = model, .threads = 2});
  e2e_open(&one, model_path, &(e2e_options){.model = model, .threads = 1});
  for (size_t i = 0; i < TL_COUNT(names); i++) {
    const golden_case *c = find_case(names[i]);
    e2e_logits(two.engine, c->ids, c->n_ids, UINT32_MAX, whole);
    error = fmax(error, first_error(c, whole));
    for (uint32_t chunk = 1; chunk <= 25; chunk *= 5) {
      e2e_logits(two.engine, c->ids, c->n_ids, chunk, cut);
      assert_memory_equal(cut, whole, sizeof cut);
      e2e_logits(one.engine, c->ids, c->n_ids, chunk, cut);
      assert_memory_equal(cut, whole, sizeof cut);
    }
  }
  e2e_close(&one);
  e2e_close(&two);
  print_message("bf16, fast%s: worst first logits %.2g of the greatest\n",
                kv == TL_KV_BF16 ? ", keys and values in bf16" : "", error);
  assert_true(error < 0.03);
  assert_true(error > LIMIT); // it is not the exact arithmetic
}
static void products_of_bf16_answer_nearly_as_transformers(void **unused) {
  (void)unused;
  check_products_of_bf16(TL_KV_F32);
  check_products_of_bf16(TL_KV_BF16);
}

static void exported_entries_answer_as_transformers(void **unused) {
  (void)unused;
  static const uint32_t contexts[] = {64, 128};
  static float memory[VOCAB], disk[VOCAB];
  tl_test_tmp tmp;
  char dir[300];
  tl_test_tmp_create(&tmp);
  snprintf(dir, sizeof dir, "%s/artifact", tmp.path);
  tl_artifact *made = e2e_artifact(model_path, &(e2e_options){.model.context = 128});
  assert_ok(tl_artifact_export(made,
                               &(tl_export_options){.max_batch = 1,
                                                    .contexts = contexts,
                                                    .n_contexts = TL_COUNT(contexts),
                                                    .prefill_chunk = 16,
                                                    .link = true},
                               dir));
  tl_artifact_release(made);
  e2e t;
  tally sum = {0};
  e2e_open(&t, dir, &(e2e_options){.reference_entries = true});
  follow(t.engine, find_case("one token"), 8, &sum);
  follow(t.engine, find_case("plain"), 8, &sum);
  follow(t.engine, find_case("chat: capital"), 32, &sum); // into the second context
  e2e_close(&t);
  report("decode and prefill entries", &sum);
  // Its step entries, read from the disk: the same bits as in memory.
  const golden_case *c = find_case("question");
  e2e_open(&t, dir, NULL);
  e2e_logits(t.engine, c->ids, c->n_ids, UINT32_MAX, disk);
  e2e_close(&t);
  e2e_logits(engine()->engine, c->ids, c->n_ids, UINT32_MAX, memory);
  assert_memory_equal(memory, disk, sizeof memory);
  tl_test_tmp_remove(&tmp);
}

// --- the same bits ---

static void cut_in(tl_compute_mode mode) {
  static float whole[SEQUENCES][VOCAB], other[VOCAB];
  tl_engine *e = engine_of(mode)->engine;
  golden_case four[SEQUENCES] = {*find_case("plain"), *find_case("digits"), *find_case("spaces"),
                                 *find_case("french")};
  for (int q = 0; q < SEQUENCES; q++)
    e2e_logits(e, four[q].ids, four[q].n_ids, UINT32_MAX, whole[q]);
  for (int q = 0; q < SEQUENCES; q++) {
    e2e_logits(e, four[q].ids, four[q].n_ids, 7, other);
    assert_memory_equal(other, whole[q], sizeof other);
    e2e_logits(e, four[q].ids, four[q].n_ids, 1, other);
    assert_memory_equal(other, whole[q], sizeof other);
  }
  // All four in the same steps, five tokens of each at a time.
  tl_sequence *s[SEQUENCES];
  for (int q = 0; q < SEQUENCES; q++) {
    assert_ok(tl_sequence_create(e, &s[q]));
    assert_ok(tl_sequence_append(s[q], four[q].ids, four[q].n_ids));
  }
  for (size_t ended = 0; ended < SEQUENCES;) {
    tl_step_item items[SEQUENCES];
    size_t n = 0;
    for (int q = SEQUENCES; q-- > 0;) {
      const uint32_t left = s[q]->n_tokens - s[q]->n_cached;
      if (left == 0) continue;
      items[n++] =
          (tl_step_item){.sequence = s[q], .n = TL_MIN(left, 5u), .wants_logits = left <= 5};
    }
    assert_ok(tl_engine_step(e, items, n));
    for (size_t i = 0; i < n; i++)
      for (int q = 0; q < SEQUENCES; q++)
        if (items[i].wants_logits && items[i].sequence == s[q]) {
          assert_memory_equal(items[i].logits, whole[q], sizeof whole[q]);
          ended++;
        }
  }
  for (int q = 0; q < SEQUENCES; q++)
    tl_sequence_destroy(s[q]);
  // The control: one token changed, the first.
  four[0].ids[0]++;
  e2e_logits(e, four[0].ids, four[0].n_ids, 7, other);
  assert_memory_not_equal(other, whole[0], sizeof other);
}
static void cutting_changes_no_bit(void **unused) {
  (void)unused;
  for (size_t i = 0; i < TL_COUNT(modes); i++)
    cut_in(modes[i]);
}

static void threads_change_no_bit(void **unused) {
  (void)unused;
  static float two[VOCAB], one[VOCAB];
  const golden_case *c = find_case("chat: capital");
  for (size_t i = 0; i < TL_COUNT(modes); i++) {
    e2e t; // one thread, one sequence a step, another number of pages
    e2e_open(&t, model_path,
             &(e2e_options){.threads = 1, .model = {.context = 256, .compute = modes[i]}});
    for (uint32_t chunk = 1; chunk <= 64; chunk *= 64) {
      e2e_logits(engine_of(modes[i])->engine, c->ids, c->n_ids, chunk, two);
      e2e_logits(t.engine, c->ids, c->n_ids, chunk, one);
      assert_memory_equal(one, two, sizeof one);
    }
    e2e_close(&t);
  }
}

// In a process of its own, since TLALOC_ISA is read once: a hash over the logits of a prompt and of
// a few steps behind it.
static uint64_t bits_of_run(tl_engine *e) {
  static float logits[VOCAB];
  const golden_case *c = find_case("plain");
  uint64_t hash = 0;
  tl_sequence *s = NULL;
  assert_ok(tl_sequence_create(e, &s));
  assert_ok(tl_sequence_append(s, c->ids, c->n_ids));
  for (size_t i = 0; i < 3; i++) {
    e2e_feed(s, UINT32_MAX, logits);
    hash = hash * 31 + tl_hash64(logits, sizeof logits);
    assert_ok(tl_sequence_append(s, &c->greedy[i], 1));
  }
  tl_sequence_destroy(s);
  return hash;
}

static void print_bits(void **unused) {
  (void)unused;
  printf("bits");
  for (size_t i = 0; i < TL_COUNT(modes); i++) {
    e2e t;
    e2e_open(&t, model_path, &(e2e_options){.model = {.context = 64, .compute = modes[i]}});
    printf(" %016llx", (unsigned long long)bits_of_run(t.engine));
    e2e_close(&t);
  }
  printf("\n");
}

static void instruction_sets_change_no_bit(void **unused) {
  (void)unused;
  static const char *const isa[] = {"scalar", "avx2", "avx512", "vnni"};
  char self[512], wanted[64];
  const ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
  assert_true(len > 0);
  self[len] = 0;
  snprintf(wanted, sizeof wanted, "bits %016llx %016llx\n",
           (unsigned long long)bits_of_run(engine()->engine),
           (unsigned long long)bits_of_run(engine_of(TL_COMPUTE_FAST)->engine));
  for (size_t i = 0; i < TL_COUNT(isa); i++) {
    char command[700], line[256];
    bool found = false;
    snprintf(command, sizeof command, "TLALOC_ISA=%s '%s' --bits", isa[i], self);
    FILE *child = popen(command, "r");
    assert_non_null(child);
    while (fgets(line, sizeof line, child)) {
      if (strncmp(line, "bits ", 5) != 0) continue;
      found = true;
      if (strcmp(line, wanted) != 0)
        fail_msg("TLALOC_ISA=%s: %sinstead of %s", isa[i], line, wanted);
    }
    assert_int_equal(pclose(child), 0);
    assert_true(found);
  }
}

int main(int argc, char **argv) {
  if (!e2e_smollm2(model_path, sizeof model_path)) {
    printf("skipped: %s: no such file; `make demo` fetches it, or set TLALOC_MODEL\n", model_path);
    return 77;
  }
  if (argc > 1 && strcmp(argv[1], "--bits") == 0) {
    const struct CMUnitTest bits[] = {cmocka_unit_test(print_bits)};
    return cmocka_run_group_tests_name("bits", bits, read_golden, drop_golden);
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_model_is_the_goldens),
      cmocka_unit_test(prompts_become_the_same_ids),
      cmocka_unit_test(native_answers_as_transformers),
      cmocka_unit_test(a_batch_answers_as_transformers),
      cmocka_unit_test(cutting_changes_no_bit),
      cmocka_unit_test(threads_change_no_bit),
      cmocka_unit_test(instruction_sets_change_no_bit),
      cmocka_unit_test(fast_answers_nearly_as_transformers),
      cmocka_unit_test(weights_widened_to_f32_answer_alike),
      cmocka_unit_test(products_of_bf16_answer_nearly_as_transformers),
      cmocka_unit_test(exported_entries_answer_as_transformers),
      cmocka_unit_test(the_interpreter_answers_as_transformers),
  };
  return cmocka_run_group_tests_name("smollm2", tests, read_golden, drop_golden);
}
