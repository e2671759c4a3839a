// Tokenizers against what the libraries that models are used with say, recorded by
// tests/oracle/tok_goldens.py; refusals; damage; memory.
#define TL_TEST_OOM_IMPL
#include "tok/tok_testing.h"

#include <pthread.h>

// ---- Goldens ----

static void assert_ids(const char *what, tl_str text, const tl_ids *got, const json_t *want) {
  bool same = got->len == json_array_size(want);
  for (size_t i = 0; same && i < got->len; i++)
    same = got->ptr[i] == json_integer_value(json_array_get(want, i));
  if (same) return;
  print_error("%s of \"" TL_STR_FMT "\"\n  got ", what, TL_STR_ARG(text));
  for (size_t i = 0; i < got->len; i++)
    print_error(" %d", got->ptr[i]);
  print_error("\n  want");
  for (size_t i = 0; i < json_array_size(want); i++)
    print_error(" %d", (int)json_integer_value(json_array_get(want, i)));
  print_error("\n");
  fail();
}

static void check_encode(const tl_tokenizer *tok, tl_str text, const char *what,
                         tl_encode_options o, const json_t *want) {
  tl_ids ids = {0};
  assert_ok(tl_tokenizer_encode(tok, text, &o, &ids));
  assert_ids(what, text, &ids, want);
  tl_ids_deinit(&ids);
}

static void check_decode(tl_tokenizer *tok, const json_t *list, bool skip, tl_str want) {
  tl_ids ids = {0};
  tl_buf text = {0}, pieces = {0};
  for (size_t i = 0; i < json_array_size(list); i++)
    tl_ids_push(&ids, (int32_t)json_integer_value(json_array_get(list, i)));
  assert_ok(tl_tokenizer_decode(tok, ids.ptr, ids.len, skip, &text));
  assert_str(tl_buf_view(&text), want);
  // Token by token: each piece is whole characters, and all together are the text.
  tl_token_stream s;
  tl_token_stream_init(&s, tok, skip);
  for (size_t i = 0; i < ids.len; i++) {
    size_t before = pieces.len;
    assert_ok(tl_token_stream_push(&s, ids.ptr[i], &pieces));
    assert_true(tl_utf8_valid(tl_str_sub(tl_buf_view(&pieces), before, pieces.len)));
  }
  assert_ok(tl_token_stream_finish(&s, &pieces));
  // A run of byte tokens that is no character turns into U+FFFD as a whole, which a stream cannot
  // know in time; everywhere else the two are equal.
  bool bytes = tl_tokenizer_id_of(tok, TL_STR("<0x00>")) >= 0;
  if (!bytes || tl_str_find(want, TL_STR("\xEF\xBF\xBD")) == (size_t)-1)
    assert_str(tl_buf_view(&pieces), want);
  assert_true(tl_utf8_valid(tl_buf_view(&pieces)));
  tl_token_stream_deinit(&s);
  tl_ids_deinit(&ids);
  tl_buf_deinit(&text);
  tl_buf_deinit(&pieces);
}

static void check_cases(tl_tokenizer *tok, const json_t *cases, bool encode_only) {
  assert_true(json_array_size(cases) > 10);
  for (size_t i = 0; i < json_array_size(cases); i++) {
    const json_t *c = json_array_get(cases, i), *ids = json_object_get(c, "ids");
    const json_t *plain = json_object_get(c, "plain"), *split = json_object_get(c, "split");
    tl_str text = {0}, decoded;
    if (json_object_get(c, "text") != NULL) {
      text = text_of(c, "text");
      if (plain == NULL) plain = ids;
      if (split == NULL) split = plain;
      check_encode(tok, text, "ids", (tl_encode_options){0}, ids);
      check_encode(tok, text, "ids without specials",
                   (tl_encode_options){.no_special_tokens = true}, plain);
      check_encode(tok, text, "ids with specials split",
                   (tl_encode_options){.no_special_tokens = true, .split_special = true}, split);
    }
    if (encode_only) continue;
    decoded = json_object_get(c, "decoded") != NULL ? text_of(c, "decoded") : text;
    check_decode(tok, ids, false, decoded);
    check_decode(tok, ids, true,
                 json_object_get(c, "skipped") != NULL ? text_of(c, "skipped") : decoded);
  }
}

// The tokenizer of a variant: one of the two files with some members replaced, and its config.
static tl_tokenizer *variant(const json_t *v) {
  char name[128];
  tl_tokenizer *tok;
  snprintf(name, sizeof name, "tiny/%s.json", text_of(v, "tokenizer").ptr);
  json_t *root = golden(name), *value;
  const char *key;
  json_object_foreach(json_object_get(v, "patch"), key, value) {
    if (strcmp(key, "model") == 0)
      assert_int_equal(json_object_update(json_object_get(root, "model"), value), 0);
    else
      assert_int_equal(json_object_set(root, key, value), 0);
  }
  char *text = json_dumps(root, 0), *config = json_dumps(json_object_get(v, "config"), 0);
  tl_tokenizer_files files = {.tokenizer = tl_str_of(text)};
  if (!json_is_null(json_object_get(v, "config"))) files.config = tl_str_of(config);
  assert_ok(tl_tokenizer_parse(&files, "tiny", &tok));
  free(text);
  free(config);
  json_decref(root);
  return tok;
}

static void test_variants(void **state) {
  (void)state;
  json_t *root = golden("tiny/goldens.json"), *list = json_object_get(root, "variants");
  assert_true(json_array_size(list) > 30);
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *v = json_array_get(list, i);
    print_message("  %s\n", text_of(v, "name").ptr);
    tl_tokenizer *tok = variant(v);
    check_cases(tok, json_object_get(v, "cases"), json_object_get(v, "encode_only") != NULL);
    const json_t *bos = json_object_get(v, "bos");
    if (bos != NULL) assert_int_equal(tl_tokenizer_bos(tok), json_integer_value(bos));
    if (bos != NULL)
      assert_int_equal(tl_tokenizer_eos(tok), json_integer_value(json_object_get(v, "eos")));
    tl_tokenizer_release(tok);
  }
  json_decref(root);
}

static void test_smollm2(void **state) {
  (void)state;
  char path[512];
  tl_gguf *gguf;
  tl_tokenizer *tok, *again;
  if (!cached_model("SmolLM2-135M-Instruct.Q4_1.gguf", path, sizeof path)) {
    print_message("SKIP: no SmolLM2-135M-Instruct.Q4_1.gguf in the cache (make demo fetches it)\n");
    skip();
  }
  json_t *root = golden("smollm2.json");
  assert_ok(tl_gguf_open(path, &gguf));
  assert_ok(tl_tokenizer_load_gguf(gguf, &tok));
  tl_gguf_destroy(gguf); // nothing is borrowed
  check_cases(tok, json_object_get(root, "cases"), false);
  size_t n_stop;
  assert_int_equal(tl_tokenizer_vocab_size(tok), 49152);
  assert_int_equal(tl_tokenizer_bos(tok), 1);
  assert_int_equal(tl_tokenizer_stop_ids(tok, &n_stop)[0], 2);
  assert_int_equal(n_stop, 1);
  assert_int_equal(tl_tokenizer_id_of(tok, TL_STR("<|im_end|>")), 2);
  assert_true(tl_tokenizer_is_special(tok, 2) && !tl_tokenizer_is_special(tok, 20));

  // Saved as a Hugging Face directory and read back it is the same, and so are its files.
  tl_test_tmp dir, dir2;
  tl_test_tmp_create(&dir);
  tl_test_tmp_create(&dir2);
  assert_ok(tl_tokenizer_save(tok, dir.path));
  assert_ok(tl_tokenizer_load_hf(dir.path, &again));
  check_cases(again, json_object_get(root, "cases"), false);
  assert_int_equal(tl_tokenizer_stop_ids(again, &n_stop)[0], 2);
  assert_int_equal(n_stop, 1);
  assert_int_equal(tl_tokenizer_bos(again), 1);
  assert_int_equal(tl_tokenizer_pad(again), 2);
  assert_str(tl_tokenizer_chat_template(again), tl_tokenizer_chat_template(tok));
  assert_ok(tl_tokenizer_save(again, dir2.path));
  static const char *const names[] = {"tokenizer.json", "tokenizer_config.json",
                                      "chat_template.jinja", "generation_config.json"};
  for (size_t i = 0; i < TL_COUNT(names); i++) {
    char a[512], b[512];
    tl_buf x = {0}, y = {0};
    snprintf(a, sizeof a, "%s/%s", dir.path, names[i]);
    snprintf(b, sizeof b, "%s/%s", dir2.path, names[i]);
    assert_ok(tl_file_read(a, 64 << 20, &x));
    assert_ok(tl_file_read(b, 64 << 20, &y));
    assert_true(x.len > 0 && tl_str_eq(tl_buf_view(&x), tl_buf_view(&y)));
    tl_buf_deinit(&x);
    tl_buf_deinit(&y);
  }
  tl_test_tmp_remove(&dir);
  tl_test_tmp_remove(&dir2);
  tl_tokenizer_release(again);
  tl_tokenizer_release(tok);
  json_decref(root);
}

static void test_qwen3(void **state) {
  (void)state;
  char path[512];
  tl_tokenizer *tok;
  if (!cached_model("qwen3", path, sizeof path)) {
    print_message("SKIP: no qwen3/tokenizer.json in the cache of models\n");
    skip();
  }
  json_t *root = golden("qwen3.json");
  assert_ok(tl_tokenizer_load_hf(path, &tok));
  check_cases(tok, json_object_get(root, "cases"), false);
  assert_int_equal(tl_tokenizer_eos(tok), json_integer_value(json_object_get(root, "eos")));
  assert_int_equal(tl_tokenizer_bos(tok), -1);
  tl_tokenizer_release(tok);
  json_decref(root);
}

// ---- Refusals ----

static tl_status parse_with(const char *json, const char *config) {
  tl_tokenizer *tok = NULL;
  tl_tokenizer_files files = {.tokenizer = tl_str_of(json), .config = tl_str_of(config)};
  tl_status st = tl_tokenizer_parse(&files, "dir", &tok);
  tl_tokenizer_release(tok);
  return st;
}

#define HEAD \
  "{\"added_tokens\":[{\"id\":3,\"content\":\"<s>\",\"special\":true,\"normalized\":false}],"
#define MODEL \
  "\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"b\":1,\"ab\":2},\"merges\":[\"a b\"]}}"

static void test_refusals(void **state) {
  (void)state;
  const int bad = TL_STATUS_INVALID_ARGUMENT, lacking = TL_STATUS_UNIMPLEMENTED;
  static const struct {
    bool lacking;
    const char *json, *config, *says;
  } rows[] = {
      {0, "", "", "tokenizer.json"},
      {0, "{", "", "tokenizer.json:1:2"},
      {0, "[1]", "", "wanted '{'"},
      {0, "{\"model\":{}}", "", "vocab"},
      {0, "{\"model\":{\"vocab\":{\"a\":0,\"a\":1},\"merges\":[]}}", "", "\"a\" has two ids"},
      {0, "{\"model\":{\"vocab\":{\"a\":0,\"b\":0},\"merges\":[]}}", "", "id 0 is both"},
      {0, "{\"model\":{\"vocab\":{\"a\":-1},\"merges\":[]}}", "", "not negative"},
      {0, "{\"model\":{\"vocab\":{\"a\":99999999999},\"merges\":[]}}", "", "too large"},
      {0, "{\"model\":{\"vocab\":{\"a\":0},\"vocab\":{},\"merges\":[]}}", "", "twice"},
      {0, "{\"model\":{\"vocab\":{\"a\":0},\"merges\":[\"a a\"]}}", "", "together are not in"},
      {0, "{\"model\":{\"vocab\":{\"a\":0},\"merges\":[\"a b\"]}}", "", "\"b\" is not in"},
      {0, "{\"model\":{\"vocab\":{\"a\":0},\"merges\":[\"a  a\"]}}", "", "one space"},
      {0, "{\"model\":{\"vocab\":{\"\\ud800\":0},\"merges\":[]}}", "", "surrogate"},
      {1, "{\"model\":{\"type\":\"Unigram\",\"vocab\":{},\"merges\":[]}}", "", "Unigram"},
      {1, "{\"truncation\":{}," MODEL, "", "truncation"},
      {1, "{\"padding\":{}," MODEL, "", "padding"},
      {0, "{\"other\":1," MODEL, "", "other"},
      {1, "{\"model\":{\"dropout\":0.1,\"vocab\":{},\"merges\":[]}}", "", "dropout"},
      {1, "{\"model\":{\"end_of_word_suffix\":\"</w>\",\"vocab\":{},\"merges\":[]}}", "",
       "end_of_word_suffix"},
      {0, "{\"model\":{\"unk_token\":\"u\",\"vocab\":{},\"merges\":[]}}", "", "unk_token"},
      {1, "{\"normalizer\":{\"type\":\"Lowercase\"}," MODEL, "", "Lowercase"},
      {1, "{\"normalizer\":{\"type\":\"NFC\",\"x\":1}," MODEL, "", "x"},
      {1, "{\"pre_tokenizer\":{\"type\":\"Punctuation\"}," MODEL, "", "Punctuation"},
      {1,
       "{\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"String\":\"a\"},\"behavior\":"
       "\"Isolated\",\"invert\":true}," MODEL,
       "", "invert"},
      {1,
       "{\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"Regex\":\"[a&&b]\"},"
       "\"behavior\":\"Isolated\"}," MODEL,
       "", "intersection"},
      {0,
       "{\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"Regex\":\"(a\"},"
       "\"behavior\":\"Isolated\"}," MODEL,
       "", "regex"},
      {1, "{\"post_processor\":{\"type\":\"BertProcessing\"}," MODEL, "", "BertProcessing"},
      {1, "{\"decoder\":{\"type\":\"CTC\"}," MODEL, "", "CTC"},
      {1, "{\"added_tokens\":[{\"id\":3,\"content\":\"x\",\"lstrip\":true}]," MODEL, "", "lstrip"},
      {0, "{\"added_tokens\":[{\"id\":3,\"content\":\"a\"}]," MODEL, "", "0 in the vocabulary"},
      {0, "{\"added_tokens\":[{\"id\":0,\"content\":\"x\"}]," MODEL, "", "\"a\" in the vocab"},
      {0, "{\"added_tokens\":[{\"id\":3,\"content\":\"x\"},{\"id\":3,\"content\":\"y\"}]," MODEL,
       "", "id 3 is there twice"},
      {0, HEAD MODEL, "{\"bos_token\":\"<x>\"}", "bos_token \"<x>\""},
      {1, HEAD MODEL, "{\"tokenizer_class\":\"BertTokenizer\"}", "BertTokenizer"},
      {0, HEAD MODEL, "[]", "tokenizer_config.json"},
      {0,
       HEAD "\"post_processor\":{\"type\":\"TemplateProcessing\",\"single\":[{\"SpecialToken\":"
            "{\"id\":\"q\"}},{\"Sequence\":{\"id\":\"A\"}}],\"special_tokens\":{\"q\":{\"ids\":"
            "[77]}}}," MODEL,
       "", "id 77"},
  };
  for (size_t i = 0; i < TL_COUNT(rows); i++)
    assert_status(parse_with(rows[i].json, rows[i].config), rows[i].lacking ? lacking : bad,
                  rows[i].says);
  assert_ok(parse_with(HEAD MODEL, "{\"bos_token\":\"<s>\"}")); // the base of the rows is good
}

static void test_bad_text(void **state) {
  (void)state;
  tl_tokenizer *tok;
  tl_tokenizer_files files = {.tokenizer = TL_STR(HEAD MODEL)};
  assert_ok(tl_tokenizer_parse(&files, "dir", &tok));
  tl_ids ids = {0};
  tl_ids_push(&ids, 7);
  assert_status(tl_tokenizer_encode(tok, TL_STR("ab\xED\xA0\x80"), NULL, &ids),
                TL_STATUS_INVALID_ARGUMENT, "byte 2 is 0xED");
  assert_status(tl_tokenizer_encode(tok, TL_STR("\xC3"), NULL, &ids), TL_STATUS_INVALID_ARGUMENT,
                "byte 0 is 0xC3");
  assert_int_equal(ids.len, 1);
  assert_ok(tl_tokenizer_encode(tok, (tl_str){"a\0b", 3}, NULL, &ids)); // NUL: dropped, as unknown
  assert_int_equal(ids.len, 2);
  assert_int_equal(ids.ptr[1], 2);
  tl_buf text = {0};
  const int32_t odd[] = {-1, 0, 4, 1 << 30, 1}; // ids that there are not add nothing
  assert_ok(tl_tokenizer_decode(tok, odd, TL_COUNT(odd), false, &text));
  assert_text(tl_buf_view(&text), "a b");
  tl_buf_deinit(&text);
  tl_ids_deinit(&ids);
  tl_tokenizer_release(tok);
}

// An expression that backtracks without end is stopped.
static void test_runaway_regex(void **state) {
  (void)state;
  static const char *const patterns[] = {"(a+)+[bc]", "(a*)*[bc]", "(a|aa)+[bc]", "a*a*a*a*[bc]"};
  tl_buf text = {0};
  for (int i = 0; i < 50000; i++)
    tl_buf_char(&text, 'a');
  for (size_t i = 0; i < TL_COUNT(patterns); i++) {
    char json[512];
    tl_tokenizer *tok;
    snprintf(json, sizeof json,
             "{\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"Regex\":\"%s\"},\"behavior\":"
             "\"Isolated\"}," MODEL,
             patterns[i]);
    tl_tokenizer_files files = {.tokenizer = tl_str_of(json)};
    assert_ok(tl_tokenizer_parse(&files, "dir", &tok));
    tl_ids ids = {0};
    assert_status(tl_tokenizer_encode(tok, tl_buf_view(&text), NULL, &ids),
                  TL_STATUS_RESOURCE_EXHAUSTED, "regex");
    tl_ids_deinit(&ids);
    tl_tokenizer_release(tok);
  }
  tl_buf_deinit(&text);
}

// ---- GGUF metadata, written here ----

typedef struct meta {
  tl_buf kv;
  uint64_t n;
} meta;

static void put(tl_buf *b, uint64_t v, size_t size) {
  for (size_t i = 0; i < size; i++)
    tl_buf_char(b, (char)(v >> (8 * i)));
}
static void put_text(tl_buf *b, const char *s) {
  put(b, strlen(s), 8);
  tl_buf_cstr(b, s);
}
static void meta_text(meta *m, const char *key, const char *value) {
  put_text(&m->kv, key);
  put(&m->kv, 8, 4);
  put_text(&m->kv, value);
  m->n++;
}
static void meta_int(meta *m, const char *key, uint32_t value) {
  put_text(&m->kv, key);
  put(&m->kv, 4, 4);
  put(&m->kv, value, 4);
  m->n++;
}
static void meta_texts(meta *m, const char *key, const char *const *values, size_t n) {
  put_text(&m->kv, key);
  put(&m->kv, 9, 4);
  put(&m->kv, 8, 4);
  put(&m->kv, n, 8);
  for (size_t i = 0; i < n; i++)
    put_text(&m->kv, values[i]);
  m->n++;
}

static tl_status load_meta(const char *model, const char *pre, const char *merge, uint32_t bos,
                           tl_tokenizer **out) {
  static const char *const words[] = {"a", "b", "ab", "<s>", "1", "2", "12"};
  const char *const merges[] = {merge, "1 2"};
  meta m = {0};
  if (model != NULL) meta_text(&m, "tokenizer.ggml.model", model);
  if (pre != NULL) meta_text(&m, "tokenizer.ggml.pre", pre);
  meta_texts(&m, "tokenizer.ggml.tokens", words, TL_COUNT(words));
  meta_texts(&m, "tokenizer.ggml.merges", merges, 2);
  meta_int(&m, "tokenizer.ggml.bos_token_id", bos);
  tl_buf file = {0};
  tl_gguf *g;
  tl_buf_cstr(&file, "GGUF");
  put(&file, 3, 4);
  put(&file, 0, 8);
  put(&file, m.n, 8);
  tl_buf_str(&file, tl_buf_view(&m.kv));
  tl_status st = tl_gguf_parse(file.ptr, file.len, "tiny.gguf", &g);
  if (st == TL_OK) {
    st = tl_tokenizer_load_gguf(g, out);
    tl_gguf_destroy(g);
  }
  tl_buf_deinit(&m.kv);
  tl_buf_deinit(&file);
  return st;
}

static void test_gguf(void **state) {
  (void)state;
  tl_tokenizer *tok = NULL;
  assert_status(load_meta(NULL, NULL, "a b", 3, &tok), TL_STATUS_NOT_FOUND, "no tokenizer");
  assert_status(load_meta("llama", "default", "a b", 3, &tok), TL_STATUS_UNIMPLEMENTED, "llama");
  assert_status(load_meta("gpt2", NULL, "a b", 3, &tok), TL_STATUS_UNIMPLEMENTED, "absent");
  assert_status(load_meta("gpt2", "tekken", "a b", 3, &tok), TL_STATUS_UNIMPLEMENTED, "tekken");
  assert_status(load_meta("gpt2", "gpt-2", "a c", 3, &tok), TL_STATUS_INVALID_ARGUMENT, "\"c\"");
  assert_status(load_meta("gpt2", "gpt-2", "a b", 99, &tok), TL_STATUS_INVALID_ARGUMENT,
                "bos_token_id");
  static const struct {
    const char *pre, *text;
    int32_t ids[6];
    size_t len;
  } rows[] = {
      {"gpt-2", "<s>ab12", {3, 2, 6}, 3},
      {"smollm", "<s>ab12", {3, 2, 4, 5}, 4}, // each digit alone
      {"qwen2", "<s>ab12", {3, 2, 4, 5}, 4},
      {"llama-bpe", "ab12", {3, 2, 6}, 3}, // bos added
  };
  for (size_t i = 0; i < TL_COUNT(rows); i++) {
    tl_ids ids = {0}, again_ids = {0};
    tl_tokenizer *again;
    tl_test_tmp dir;
    assert_ok(load_meta("gpt2", rows[i].pre, "a b", 3, &tok));
    assert_ok(tl_tokenizer_encode(tok, tl_str_of(rows[i].text), NULL, &ids));
    assert_int_equal(ids.len, rows[i].len);
    assert_memory_equal(ids.ptr, rows[i].ids, ids.len * sizeof(int32_t));
    tl_test_tmp_create(&dir);
    assert_ok(tl_tokenizer_save(tok, dir.path));
    assert_ok(tl_tokenizer_load_hf(dir.path, &again));
    assert_ok(tl_tokenizer_encode(again, tl_str_of(rows[i].text), NULL, &again_ids));
    assert_int_equal(again_ids.len, ids.len);
    assert_memory_equal(again_ids.ptr, ids.ptr, ids.len * sizeof(int32_t));
    tl_test_tmp_remove(&dir);
    tl_ids_deinit(&ids);
    tl_ids_deinit(&again_ids);
    tl_tokenizer_release(again);
    tl_tokenizer_release(tok);
  }
}

// ---- Memory and threads ----

static tl_buf tiny_json; // tests/tok/tiny/byte_level.json

static tl_status load_and_use(void *arg) {
  (void)arg;
  tl_tokenizer *tok;
  tl_tokenizer_files files = {.tokenizer = tl_buf_view(&tiny_json),
                              .config = TL_STR("{\"eos_token\":\"<|im_end|>\"}")};
  TL_TRY(tl_tokenizer_parse(&files, "tiny", &tok));
  tl_ids ids = {0};
  tl_buf text = {0};
  tl_token_stream s;
  tl_token_stream_init(&s, tok, false);
  tl_status st = tl_tokenizer_encode(tok, TL_STR("the river <|im_end|>\xC3\xA9"), NULL, &ids);
  if (st == TL_OK) st = tl_tokenizer_decode(tok, ids.ptr, ids.len, true, &text);
  for (size_t i = 0; st == TL_OK && i < ids.len; i++)
    st = tl_token_stream_push(&s, ids.ptr[i], &text);
  if (st == TL_OK) st = tl_token_stream_finish(&s, &text);
  tl_token_stream_deinit(&s);
  tl_ids_deinit(&ids);
  tl_buf_deinit(&text);
  tl_tokenizer_release(tok);
  return st;
}

static void test_out_of_memory(void **state) {
  (void)state;
  tl_test_each_oom(load_and_use, NULL);
}

static void test_stream_allocates_nothing(void **state) {
  (void)state;
  tl_tokenizer *tok;
  tl_tokenizer_files files = {.tokenizer = tl_buf_view(&tiny_json)};
  assert_ok(tl_tokenizer_parse(&files, "tiny", &tok));
  tl_ids ids = {0};
  tl_buf text = {0};
  tl_token_stream s;
  assert_ok(tl_tokenizer_encode(
      tok, TL_STR("stories about the water \xF0\x9F\x98\x80\xF0\x9F\x98\x80 and the stones"), NULL,
      &ids));
  tl_token_stream_init(&s, tok, true);
  for (int round = 0; round < 2; round++) {
    if (round == 1) tl_test_allocations_begin();
    for (size_t i = 0; i < ids.len; i++) {
      tl_buf_clear(&text);
      tl_status st = tl_token_stream_push(&s, ids.ptr[i], &text);
      if (st != TL_OK) fail();
    }
  }
  assert_int_equal(tl_test_allocations_end(), 0);
  tl_token_stream_deinit(&s);
  tl_ids_deinit(&ids);
  tl_buf_deinit(&text);
  tl_tokenizer_release(tok);
}

static void *encode_many(void *arg) {
  const tl_tokenizer *tok = arg;
  tl_ids first = {0}, ids = {0};
  bool same = true;
  for (int i = 0; i < 200; i++) {
    ids.len = 0;
    tl_status st = tl_tokenizer_encode(tok, TL_STR("Once upon a time\n12 ab<think>c"), NULL, &ids);
    same = same && st == TL_OK;
    tl_status_drop(st);
    if (i == 0) {
      first = ids;
      ids = (tl_ids){0};
      continue;
    }
    same = same && ids.len == first.len && memcmp(ids.ptr, first.ptr, ids.len * 4) == 0;
  }
  tl_ids_deinit(&first);
  tl_ids_deinit(&ids);
  return same ? arg : NULL;
}

static void test_threads(void **state) {
  (void)state;
  tl_tokenizer *tok;
  tl_tokenizer_files files = {.tokenizer = tl_buf_view(&tiny_json)};
  assert_ok(tl_tokenizer_parse(&files, "tiny", &tok));
  pthread_t threads[4];
  for (size_t i = 0; i < TL_COUNT(threads); i++)
    assert_int_equal(pthread_create(&threads[i], NULL, encode_many, tok), 0);
  for (size_t i = 0; i < TL_COUNT(threads); i++) {
    void *good;
    pthread_join(threads[i], &good);
    assert_non_null(good);
  }
  tl_tokenizer_release(tok);
}

// A word of a hundred thousand letters takes the long way; so must one of 41 that ends alike.
static void test_long_words(void **state) {
  (void)state;
  tl_tokenizer *tok;
  tl_tokenizer_files files = {
      .tokenizer = TL_STR("{\"model\":{\"vocab\":{\"a\":0,\"aa\":1,\"aaaa\":2,\"aaa\":3},"
                          "\"merges\":[\"a a\",\"aa aa\",\"aa a\"]}}")};
  assert_ok(tl_tokenizer_parse(&files, "dir", &tok));
  for (size_t n = 1; n <= 100003; n = n < 60 ? n + 1 : n * 7) {
    char *text = malloc(n);
    tl_ids ids = {0};
    memset(text, 'a', n);
    assert_ok(tl_tokenizer_encode(tok, (tl_str){text, n}, NULL, &ids));
    // Pairs from the left, then pairs of pairs, then what is left over.
    size_t fours = n / 4, rest = n % 4;
    assert_int_equal(ids.len, fours + (rest != 0));
    for (size_t i = 0; i < fours; i++)
      assert_int_equal(ids.ptr[i], 2);
    static const int32_t last[] = {-1, 0, 1, 3};
    if (rest != 0) assert_int_equal(ids.ptr[fours], last[rest]);
    tl_ids_deinit(&ids);
    free(text);
  }
  tl_tokenizer_release(tok);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_variants),
      cmocka_unit_test(test_smollm2),
      cmocka_unit_test(test_qwen3),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_bad_text),
      cmocka_unit_test(test_runaway_regex),
      cmocka_unit_test(test_gguf),
      cmocka_unit_test(test_out_of_memory),
      cmocka_unit_test(test_stream_allocates_nothing),
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_long_words),
  };
  assert_ok(tl_file_read(TOK_DIR "tiny/byte_level.json", 1 << 20, &tiny_json));
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  tl_buf_deinit(&tiny_json);
  return failed;
}
