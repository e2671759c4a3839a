// A tokenizer from a Hugging Face directory.
//
// tokenizer.json is a whole pipeline, but transformers does not always run it: for some classes
// that tokenizer_config.json may name it keeps only the vocabulary and builds its own pipeline.
// Ids must be the ones that the model is used with, so we do the same; the rules are a function
// per class below. Named tokens (bos_token …) that are no added tokens are refused.
#include <stdlib.h>

#include "base/file.h"
#include "tok/model_json.h"

enum { CONFIG_LIMIT = 64 << 20, TOKENIZER_LIMIT = 1 << 30 };

#define QWEN2_PATTERN                                                               \
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?\\\\p{L}+|\\\\p{N}| " \
  "?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n]*|\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+"

typedef struct loader {
  tl_tokenizer *tok;
  const json_t *root;   // tokenizer.json
  const json_t *config; // tokenizer_config.json; NULL where there is none
  char *json_name, *config_name;
} loader;

// ---- Classes ----

static tl_status flag(const loader *l, const char *key, bool fallback, bool *out) {
  *out = fallback;
  return l->config == NULL ? TL_OK : tl_json_bool_or(l->config, l->config_name, key, fallback, out);
}

// The token for characters outside the vocabulary, by name; NULL or JSON null: none.
static tl_status set_unk(loader *l, const json_t *name) {
  l->tok->bpe.unk = -1;
  if (name == NULL || json_is_null(name)) return TL_OK;
  if (!json_is_string(name))
    return TL_ERROR(INVALID_ARGUMENT, "%s: unk_token: wanted a string, found %s", l->json_name,
                    tl_json_kind(name));
  tl_str text = {json_string_value(name), json_string_length(name)};
  l->tok->bpe.unk = tl_vocab_find(&l->tok->bpe.vocab, text);
  if (l->tok->bpe.unk < 0)
    return TL_ERROR(INVALID_ARGUMENT, "%s: model: unk_token \"%s\" is not in the vocabulary",
                    l->json_name, text.ptr);
  return TL_OK;
}

static tl_status rules_file(loader *l) {
  static const char *const known[] = {"type",
                                      "dropout",
                                      "unk_token",
                                      "continuing_subword_prefix",
                                      "end_of_word_suffix",
                                      "fuse_unk",
                                      "byte_fallback",
                                      "ignore_merges",
                                      "vocab",
                                      "merges"};
  tl_tokenizer *tok = l->tok;
  json_t *model;
  TL_TRY(tl_json_object(l->root, l->json_name, "model", &model));
  TL_TRY(tl_json_only(model, l->json_name, known, TL_COUNT(known)));
  TL_TRY(tl_json_bool_or(model, l->json_name, "fuse_unk", false, &tok->bpe.fuse_unk));
  TL_TRY(tl_json_bool_or(model, l->json_name, "byte_fallback", false, &tok->bpe.byte_fallback));
  TL_TRY(tl_json_bool_or(model, l->json_name, "ignore_merges", false, &tok->bpe.ignore_merges));
  TL_TRY(set_unk(l, json_object_get(model, "unk_token")));
  TL_TRY(tl_tokenizer_add_normalizer(tok, json_object_get(l->root, "normalizer")));
  TL_TRY(tl_tokenizer_add_pretokenizer(tok, json_object_get(l->root, "pre_tokenizer")));
  return tl_tokenizer_add_decoder(tok, json_object_get(l->root, "decoder"));
}

static tl_status rules_qwen2(loader *l) {
  bool prefix;
  TL_TRY(flag(l, "add_prefix_space", false, &prefix));
  TL_TRY(tl_tokenizer_add_text(l->tok, "{\"type\":\"NFC\"}", tl_tokenizer_add_normalizer));
  TL_TRY(tl_tokenizer_add_text(l->tok,
                               "{\"type\":\"Split\",\"pattern\":{\"Regex\":\"" QWEN2_PATTERN
                               "\"},\"behavior\":\"Isolated\",\"invert\":false}",
                               tl_tokenizer_add_pretokenizer));
  TL_TRY(tl_tokenizer_add_text(l->tok, "{\"type\":\"ByteLevel\",\"use_regex\":false}",
                               tl_tokenizer_add_pretokenizer));
  l->tok->pretoks[l->tok->n_pretoks - 1].add_prefix_space = prefix;
  return tl_tokenizer_add_text(l->tok, "{\"type\":\"ByteLevel\"}", tl_tokenizer_add_decoder);
}

static tl_status rules_gpt2(loader *l) {
  bool prefix;
  TL_TRY(flag(l, "add_prefix_space", false, &prefix));
  TL_TRY(tl_tokenizer_add_text(l->tok, "{\"type\":\"ByteLevel\",\"use_regex\":true}",
                               tl_tokenizer_add_pretokenizer));
  l->tok->pretoks[0].add_prefix_space = prefix;
  return tl_tokenizer_add_text(l->tok, "{\"type\":\"ByteLevel\"}", tl_tokenizer_add_decoder);
}

static bool has_byte_level(const json_t *pretokenizer) {
  const json_t *list = json_object_get(pretokenizer, "pretokenizers");
  const char *type = json_string_value(json_object_get(pretokenizer, "type"));
  if (type != NULL && strcmp(type, "ByteLevel") == 0) return true;
  for (size_t i = 0; i < json_array_size(list); i++) {
    type = json_string_value(json_object_get(json_array_get(list, i), "type"));
    if (type != NULL && strcmp(type, "ByteLevel") == 0) return true;
  }
  return false;
}

static tl_status rules_llama(loader *l) {
  // Llama 3 checkpoints name this class over a byte-level file; transformers then keeps the file.
  if (has_byte_level(json_object_get(l->root, "pre_tokenizer"))) return rules_file(l);
  bool prefix, legacy;
  TL_TRY(flag(l, "add_prefix_space", true, &prefix));
  TL_TRY(flag(l, "legacy", false, &legacy));
  l->tok->bpe.fuse_unk = l->tok->bpe.byte_fallback = true;
  const char *scheme = !prefix ? "never" : legacy ? "always" : "first";
  char text[160];
  snprintf(text, sizeof text,
           "{\"type\":\"Metaspace\",\"replacement\":\"\xE2\x96\x81\",\"prepend_scheme\":\"%s\","
           "\"split\":false}",
           scheme);
  TL_TRY(tl_tokenizer_add_text(l->tok, text, tl_tokenizer_add_pretokenizer));
  TL_TRY(tl_tokenizer_add_text(
      l->tok,
      "{\"type\":\"Sequence\",\"decoders\":[{\"type\":\"Replace\",\"pattern\":"
      "{\"String\":\"\xE2\x96\x81\"},\"content\":\" \"},{\"type\":\"ByteFallback\"},"
      "{\"type\":\"Fuse\"}]}",
      tl_tokenizer_add_decoder));
  if (!prefix) return TL_OK;
  return tl_tokenizer_add_text(l->tok,
                               "{\"type\":\"Strip\",\"content\":\" \",\"start\":1,\"stop\":0}",
                               tl_tokenizer_add_decoder);
}

static const json_t *text_of_token(const json_t *value) { // "x" or {"content": "x", …}
  return json_is_object(value) ? json_object_get(value, "content") : value;
}

static tl_status rules_gemma(loader *l) {
  json_t *unk = json_string("<unk>");
  if (unk == NULL) return TL_OOM();
  const json_t *named = text_of_token(json_object_get(l->config, "unk_token"));
  tl_status st = set_unk(l, named != NULL ? named : unk);
  json_decref(unk);
  TL_TRY(st);
  l->tok->bpe.fuse_unk = l->tok->bpe.byte_fallback = true;
  TL_TRY(tl_tokenizer_add_text(l->tok,
                               "{\"type\":\"Replace\",\"pattern\":{\"String\":\" \"},\"content\":"
                               "\"\xE2\x96\x81\"}",
                               tl_tokenizer_add_normalizer));
  TL_TRY(tl_tokenizer_add_text(l->tok,
                               "{\"type\":\"Split\",\"pattern\":{\"String\":\" \"},\"behavior\":"
                               "\"MergedWithPrevious\",\"invert\":false}",
                               tl_tokenizer_add_pretokenizer));
  return tl_tokenizer_add_text(
      l->tok,
      "{\"type\":\"Sequence\",\"decoders\":[{\"type\":\"Replace\",\"pattern\":"
      "{\"String\":\"\xE2\x96\x81\"},\"content\":\" \"},{\"type\":\"ByteFallback\"},"
      "{\"type\":\"Fuse\"}]}",
      tl_tokenizer_add_decoder);
}

typedef struct hf_class {
  const char *name;
  tl_status (*rules)(loader *l);
} hf_class;

static const hf_class hf_classes[] = {
#define TL_HF_CLASS(name, rules) {name, rules_##rules},
#include "tok/hf_classes.def"
#undef TL_HF_CLASS
};

static tl_status find_class(const loader *l, const hf_class **out) {
  *out = &hf_classes[0];
  tl_str name = {0};
  if (l->config != NULL)
    TL_TRY(tl_json_str_or(l->config, l->config_name, "tokenizer_class", name, &name));
  if (name.len == 0) return TL_OK;
  tl_str base = tl_str_ends(name, TL_STR("Fast")) ? tl_str_sub(name, 0, name.len - 4) : name;
  for (size_t i = 0; i < TL_COUNT(hf_classes); i++) {
    *out = &hf_classes[i];
    if (tl_str_is(base, hf_classes[i].name)) return TL_OK;
  }
  return TL_ERROR(UNIMPLEMENTED, "%s: tokenizer_class \"" TL_STR_FMT "\" is not supported",
                  l->config_name, TL_STR_ARG(name));
}

// ---- Added and named tokens ----

// The flags we lack, in tokenizer.json and in tokenizer_config.json alike.
static tl_status read_added(const loader *l, const json_t *json, const char *where, int64_t id,
                            tl_added *out) {
  static const char *const refused[] = {"single_word", "lstrip", "rstrip"};
  tl_str content;
  TL_TRY(tl_json_str(json, where, "content", &content));
  for (size_t i = 0; i < TL_COUNT(refused); i++) {
    bool on;
    TL_TRY(tl_json_bool_or(json, where, refused[i], false, &on));
    if (on)
      return TL_ERROR(UNIMPLEMENTED, "%s: added token \"%s\" with %s", where, content.ptr,
                      refused[i]);
  }
  *out = (tl_added){.content = tl_str_copy(l->tok->arena, content), .id = (int32_t)id};
  if (out->content.ptr == NULL) return TL_OOM();
  TL_TRY(tl_json_bool_or(json, where, "special", false, &out->special));
  return tl_json_bool_or(json, where, "normalized", !out->special, &out->normalized);
}

static tl_status add_added(loader *l) {
  static const char *const known[] = {"id",     "content", "single_word", "lstrip",
                                      "rstrip", "special", "normalized"};
  const json_t *list = json_object_get(l->root, "added_tokens");
  if (list != NULL && !json_is_null(list) && !json_is_array(list))
    return TL_ERROR(INVALID_ARGUMENT, "%s: added_tokens: wanted an array, found %s", l->json_name,
                    tl_json_kind(list));
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *json = json_array_get(list, i);
    tl_added added;
    int64_t id;
    if (!json_is_object(json))
      return TL_ERROR(INVALID_ARGUMENT, "%s: added_tokens: wanted an object, found %s",
                      l->json_name, tl_json_kind(json));
    TL_TRY(tl_json_only(json, l->json_name, known, TL_COUNT(known)));
    TL_TRY(tl_json_i64(json, l->json_name, "id", 0, TL_VOCAB_MAX_ID, &id));
    TL_TRY(read_added(l, json, l->json_name, id, &added));
    TL_TRY_NOTE(tl_tokenizer_add_token(l->tok, added), "%s", l->json_name);
  }
  // tokenizer_config.json may know more of them, or more of those.
  const json_t *more = json_object_get(l->config, "added_tokens_decoder"), *json;
  const char *key;
  json_object_foreach((json_t *)more, key, json) {
    tl_added added;
    int64_t id;
    if (!tl_str_to_i64(tl_str_of(key), &id) || id < 0 || id > TL_VOCAB_MAX_ID)
      return TL_ERROR(INVALID_ARGUMENT, "%s: added_tokens_decoder: \"%s\" is not a token id",
                      l->config_name, key);
    TL_TRY(read_added(l, json, l->config_name, id, &added));
    tl_added *old = tl_tokenizer_added_of(l->tok, added.content);
    if (old == NULL) {
      TL_TRY_NOTE(tl_tokenizer_add_token(l->tok, added), "%s", l->config_name);
    } else if (old->id != added.id) {
      return TL_ERROR(INVALID_ARGUMENT, "%s: added token \"%s\" has id %d, and %d in %s",
                      l->config_name, added.content.ptr, added.id, old->id, l->json_name);
    } else {
      old->special = old->special || added.special;
    }
  }
  return TL_OK;
}

static tl_status name_token(loader *l, const char *name, const json_t *value) {
  const json_t *text = text_of_token(value);
  if (!json_is_string(text))
    return TL_ERROR(INVALID_ARGUMENT, "%s: %s: wanted a string, found %s", l->config_name, name,
                    tl_json_kind(text));
  tl_added *added =
      tl_tokenizer_added_of(l->tok, (tl_str){json_string_value(text), json_string_length(text)});
  if (added == NULL)
    return TL_ERROR(INVALID_ARGUMENT, "%s: %s \"%s\" is not among the added tokens", l->config_name,
                    name, json_string_value(text));
  added->special = true;
  return tl_tokenizer_name_token(l->tok, name, added->id);
}

static tl_status name_tokens(loader *l) {
  for (size_t i = 0; tl_named_token_names[i] != NULL; i++) {
    const json_t *value = json_object_get(l->config, tl_named_token_names[i]);
    if (value != NULL && !json_is_null(value))
      TL_TRY(name_token(l, tl_named_token_names[i], value));
  }
  const json_t *list = json_object_get(l->config, "additional_special_tokens");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *text = text_of_token(json_array_get(list, i));
    const char *s = json_string_value(text);
    tl_added *added = s == NULL ? NULL : tl_tokenizer_added_of(l->tok, tl_str_of(s));
    if (added == NULL)
      return TL_ERROR(INVALID_ARGUMENT,
                      "%s: additional_special_tokens: \"%s\" is not among the added tokens",
                      l->config_name, s == NULL ? "?" : s);
    added->special = true;
  }
  return TL_OK;
}

// Explicit add_bos_token or add_eos_token take the place of the file's post-processor.
static tl_status set_ends(loader *l) {
  bool has = json_object_get(l->config, "add_bos_token") != NULL ||
             json_object_get(l->config, "add_eos_token") != NULL;
  tl_tokenizer *tok = l->tok;
  if (!has) return tl_tokenizer_set_postprocessor(tok, json_object_get(l->root, "post_processor"));
  bool bos, eos;
  TL_TRY(flag(l, "add_bos_token", false, &bos));
  TL_TRY(flag(l, "add_eos_token", false, &eos));
  return tl_tokenizer_wrap(tok, bos, eos);
}

// ---- Template and stop ids ----

static tl_status set_template(loader *l) {
  tl_tokenizer *tok = l->tok;
  if (tok->files.template.ptr != NULL && tok->files.template.len > 0) {
    tok->chat_template = tok->files.template;
    tok->template_name = tl_arena_printf(tok->arena, "%s/chat_template.jinja", tok->name);
    return tok->template_name == NULL ? TL_OOM() : TL_OK;
  }
  const json_t *value = json_object_get(l->config, "chat_template");
  if (json_is_array(value)) { // several by name
    const json_t *list = value;
    value = NULL;
    for (size_t i = 0; i < json_array_size(list); i++) {
      const json_t *one = json_array_get(list, i);
      const char *name = json_string_value(json_object_get(one, "name"));
      if (name != NULL && strcmp(name, "default") == 0) value = json_object_get(one, "template");
    }
  }
  if (value == NULL || json_is_null(value)) return TL_OK;
  if (!json_is_string(value))
    return TL_ERROR(INVALID_ARGUMENT, "%s: chat_template: wanted a string, found %s",
                    l->config_name, tl_json_kind(value));
  tok->chat_template =
      tl_str_copy(tok->arena, (tl_str){json_string_value(value), json_string_length(value)});
  tok->template_name = tl_arena_printf(tok->arena, "%s: chat_template", l->config_name);
  return tok->chat_template.ptr == NULL || tok->template_name == NULL ? TL_OOM() : TL_OK;
}

static tl_status add_stop(tl_tokenizer *tok, const json_t *id) {
  if (!json_is_integer(id) || json_integer_value(id) < 0 ||
      json_integer_value(id) > TL_VOCAB_MAX_ID)
    return TL_ERROR(INVALID_ARGUMENT, "eos_token_id: wanted a token id, found %s",
                    tl_json_kind(id));
  return tl_tokenizer_add_stop(tok, (int32_t)json_integer_value(id));
}

static tl_status set_stops(tl_tokenizer *tok) {
  if (tok->eos >= 0) TL_TRY(tl_tokenizer_add_stop(tok, tok->eos));
  if (tok->files.generation.len == 0) return TL_OK;
  json_t *root;
  TL_TRY(tl_json_parse(tok->files.generation, "generation_config.json", &root));
  const json_t *ids = json_object_get(root, "eos_token_id");
  tl_status st = TL_OK;
  if (json_is_array(ids)) {
    for (size_t i = 0; i < json_array_size(ids) && st == TL_OK; i++)
      st = add_stop(tok, json_array_get(ids, i));
  } else if (ids != NULL && !json_is_null(ids)) {
    st = add_stop(tok, ids);
  }
  json_decref(root);
  return tl_status_note(st, "generation_config.json");
}

// ---- All together ----

static tl_status check_root(const loader *l) {
  static const char *const known[] = {"version",        "truncation", "padding",
                                      "added_tokens",   "normalizer", "pre_tokenizer",
                                      "post_processor", "decoder",    "model"};
  static const char *const refused[] = {"truncation", "padding"};
  static const char *const model_refused[] = {"dropout", "continuing_subword_prefix",
                                              "end_of_word_suffix"};
  if (!json_is_object(l->root))
    return TL_ERROR(INVALID_ARGUMENT, "%s: wanted an object, found %s", l->json_name,
                    tl_json_kind(l->root));
  TL_TRY(tl_json_only(l->root, l->json_name, known, TL_COUNT(known)));
  for (size_t i = 0; i < TL_COUNT(refused); i++) {
    const json_t *value = json_object_get(l->root, refused[i]);
    if (value != NULL && !json_is_null(value))
      return TL_ERROR(UNIMPLEMENTED, "%s: %s is not supported", l->json_name, refused[i]);
  }
  json_t *model;
  tl_str type;
  TL_TRY(tl_json_object(l->root, l->json_name, "model", &model));
  TL_TRY(tl_json_str_or(model, l->json_name, "type", TL_STR("BPE"), &type));
  if (!tl_str_is(type, "BPE"))
    return TL_ERROR(UNIMPLEMENTED, "%s: model type \"%s\", only BPE is supported", l->json_name,
                    type.ptr);
  for (size_t i = 0; i < TL_COUNT(model_refused); i++) {
    const json_t *value = json_object_get(model, model_refused[i]);
    bool empty = json_is_string(value) && json_string_length(value) == 0;
    if (value != NULL && !json_is_null(value) && !empty)
      return TL_ERROR(UNIMPLEMENTED, "%s: model: %s is not supported", l->json_name,
                      model_refused[i]);
  }
  return TL_OK;
}

static tl_status read_all(loader *l, const tl_model_json *model) {
  const hf_class *class;
  TL_TRY(find_class(l, &class));
  TL_TRY(check_root(l));
  TL_TRY(tl_model_json_read(model, l->tok->files.tokenizer, l->json_name, l->tok));
  TL_TRY_NOTE(class->rules(l), "%s", l->tok->name);
  TL_TRY(add_added(l));
  TL_TRY(name_tokens(l));
  TL_TRY_NOTE(set_ends(l), "%s", l->tok->name);
  TL_TRY(flag(l, "split_special_tokens", false, &l->tok->split_special));
  TL_TRY(set_template(l));
  TL_TRY_NOTE(set_stops(l->tok), "%s", l->tok->name);
  return tl_tokenizer_finish(l->tok);
}

// From tok->files, which live in the tokenizer's arena.
static tl_status read_files(tl_tokenizer *tok) {
  loader l = {.tok = tok,
              .json_name = tl_arena_printf(tok->arena, "%s/tokenizer.json", tok->name),
              .config_name = tl_arena_printf(tok->arena, "%s/tokenizer_config.json", tok->name)};
  if (l.json_name == NULL || l.config_name == NULL) return TL_OOM();
  json_t *config = NULL;
  if (tok->files.config.len > 0) {
    TL_TRY(tl_json_parse(tok->files.config, l.config_name, &config));
    if (!json_is_object(config)) {
      json_decref(config);
      return TL_ERROR(INVALID_ARGUMENT, "%s: wanted an object", l.config_name);
    }
  }
  tl_model_json model = {0};
  tl_status st = tl_model_json_open(tok->files.tokenizer, l.json_name, &model);
  l.root = model.root;
  l.config = config;
  if (st == TL_OK) st = read_all(&l, &model);
  tl_model_json_close(&model);
  json_decref(config);
  return st;
}

tl_status tl_tokenizer_parse(const tl_tokenizer_files *files, const char *name,
                             tl_tokenizer **out_tok) {
  tl_tokenizer *tok;
  TL_TRY(tl_tokenizer_new(name, &tok));
  tl_str *const to[] = {&tok->files.tokenizer, &tok->files.config, &tok->files.template,
                        &tok->files.generation};
  const tl_str from[] = {files->tokenizer, files->config, files->template, files->generation};
  tl_status st = TL_OK;
  for (size_t i = 0; i < TL_COUNT(from) && st == TL_OK; i++) {
    if (from[i].len == 0) continue;
    *to[i] = tl_str_copy(tok->arena, from[i]);
    if (to[i]->ptr == NULL) st = TL_OOM();
  }
  if (st == TL_OK) st = read_files(tok);
  if (st != TL_OK)
    tl_tokenizer_release(tok);
  else
    *out_tok = tok;
  return st;
}

static void release_buf(void *object) {
  tl_buf_deinit(object);
  free(object);
}

// A file's bytes, owned by the tokenizer's arena. One that is not there is empty, unless required.
static tl_status read_file(tl_tokenizer *tok, const char *dir, const char *name, size_t limit,
                           bool required, tl_str *out) {
  char *path = tl_path_join(tok->arena, dir, name);
  if (path == NULL) return TL_OOM();
  if (!required && !tl_path_exists(path)) return TL_OK;
  tl_buf *bytes = calloc(1, sizeof *bytes);
  if (bytes == NULL) return TL_OOM();
  tl_status st = tl_file_read(path, limit, bytes);
  if (st == TL_OK && !tl_arena_own(tok->arena, bytes, release_buf)) st = TL_OOM();
  if (st != TL_OK)
    release_buf(bytes);
  else
    *out = tl_buf_view(bytes);
  return st;
}

tl_status tl_tokenizer_load_hf(const char *dir, tl_tokenizer **out_tok) {
  tl_tokenizer *tok;
  TL_TRY(tl_tokenizer_new(dir, &tok));
  tl_tokenizer_files *f = &tok->files;
  tl_status st;
  TL_TRY_GOTO(done, st,
              read_file(tok, dir, "tokenizer.json", TOKENIZER_LIMIT, true, &f->tokenizer));
  TL_TRY_GOTO(done, st,
              read_file(tok, dir, "tokenizer_config.json", CONFIG_LIMIT, false, &f->config));
  TL_TRY_GOTO(done, st,
              read_file(tok, dir, "chat_template.jinja", CONFIG_LIMIT, false, &f->template));
  TL_TRY_GOTO(done, st,
              read_file(tok, dir, "generation_config.json", CONFIG_LIMIT, false, &f->generation));
  st = read_files(tok);
done:
  if (st != TL_OK)
    tl_tokenizer_release(tok);
  else
    *out_tok = tok;
  return st;
}
