// The components of a tokenizer.json, from JSON to the lists that encode and decode walk.
//
// Each reader asks for the fields it knows and refuses any other: a field we ignored could be the
// one that changes the ids.
#include <stdlib.h>

#include "base/json.h"
#include "tok/tokenizer_impl.h"

#define GPT2_PATTERN \
  "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"

enum { MAX_NESTING = 8 };

static tl_status only(const json_t *json, const char *where, const char *type,
                      const char *const *known, size_t count) {
  tl_status st = tl_json_only(json, where, known, count);
  if (st == TL_OK) return TL_OK;
  tl_status mine = TL_ERROR(UNIMPLEMENTED, "%s %s: %s", where, type, tl_status_message(st));
  tl_status_drop(st);
  return mine;
}
#define ONLY(json, where, type, ...)                                  \
  only(json, where, type, (const char *const[]){"type", __VA_ARGS__}, \
       TL_COUNT(((const char *const[]){"type", __VA_ARGS__})))

static void release_regex(void *object) { tl_regex_destroy(object); }

static tl_status get_copy(tl_tokenizer *tok, const json_t *json, const char *where, const char *key,
                          tl_str *out) {
  tl_str s;
  TL_TRY(tl_json_str(json, where, key, &s));
  *out = tl_str_copy(tok->arena, s);
  return out->ptr == NULL ? TL_OOM() : TL_OK;
}

// {"String": "x"}, {"Regex": "x"}; *out_regex is NULL for a text.
static tl_status read_pattern(tl_tokenizer *tok, const json_t *json, const char *where,
                              tl_str *out_text, tl_regex **out_regex) {
  json_t *pattern;
  *out_regex = NULL;
  TL_TRY(tl_json_object(json, where, "pattern", &pattern));
  TL_TRY(ONLY(pattern, where, "pattern", "String", "Regex"));
  if (json_object_get(pattern, "Regex") != NULL) {
    tl_str s;
    TL_TRY(tl_json_str(pattern, where, "Regex", &s));
    TL_TRY_NOTE(tl_regex_compile(s, out_regex), "%s", where);
    if (!tl_arena_own(tok->arena, *out_regex, release_regex)) {
      tl_regex_destroy(*out_regex);
      return TL_OOM();
    }
    return TL_OK;
  }
  TL_TRY(get_copy(tok, pattern, where, "String", out_text));
  if (out_text->len == 0) return TL_ERROR(UNIMPLEMENTED, "%s: pattern is empty", where);
  return TL_OK;
}

static tl_status one_char(tl_str s, const char *where, const char *key) {
  size_t at = 0;
  if (s.len > 0) tl_utf8_decode(s, &at);
  if (s.len > 0 && at == s.len) return TL_OK;
  return TL_ERROR(INVALID_ARGUMENT, "%s: %s: wanted one character, found \"" TL_STR_FMT "\"", where,
                  key, TL_STR_ARG(s));
}

static tl_status read_prepend(const json_t *json, const char *where, tl_prepend_scheme *out) {
  tl_str s;
  TL_TRY(tl_json_str_or(json, where, "prepend_scheme", TL_STR("always"), &s));
  if (tl_str_is(s, "always"))
    *out = TL_PREPEND_ALWAYS;
  else if (tl_str_is(s, "first"))
    *out = TL_PREPEND_FIRST;
  else if (tl_str_is(s, "never"))
    *out = TL_PREPEND_NEVER;
  else
    return TL_ERROR(UNIMPLEMENTED, "%s: prepend_scheme \"" TL_STR_FMT "\"", where, TL_STR_ARG(s));
  return TL_OK;
}

static tl_status read_type(const json_t *json, const char *where, tl_str *out) {
  if (!json_is_object(json))
    return TL_ERROR(INVALID_ARGUMENT, "%s: wanted an object, found %s", where, tl_json_kind(json));
  return tl_json_str(json, where, "type", out);
}

static tl_status refuse(const char *where, tl_str type) {
  return TL_ERROR(UNIMPLEMENTED, "%s: \"" TL_STR_FMT "\" is not supported", where,
                  TL_STR_ARG(type));
}

typedef tl_status add_fn(tl_tokenizer *tok, const json_t *json, int depth);

static tl_status each_of(tl_tokenizer *tok, const json_t *json, const char *where, const char *key,
                         int depth, add_fn *add) {
  if (depth >= MAX_NESTING) return TL_ERROR(INVALID_ARGUMENT, "%s: nested too deeply", where);
  json_t *items;
  TL_TRY(only(json, where, "Sequence", (const char *const[]){"type", key}, 2));
  TL_TRY(tl_json_array(json, where, key, &items));
  for (size_t i = 0; i < json_array_size(items); i++)
    TL_TRY(add(tok, json_array_get(items, i), depth + 1));
  return TL_OK;
}

static tl_status full(const char *where) {
  return TL_ERROR(INVALID_ARGUMENT, "%s: more than %d steps", where, TL_TOK_MAX_STEPS);
}

// ---- Normalizers ----

static tl_status add_normalizer(tl_tokenizer *tok, const json_t *json, int depth) {
  const char *where = "normalizer";
  tl_str type;
  TL_TRY(read_type(json, where, &type));
  if (tl_str_is(type, "Sequence"))
    return each_of(tok, json, where, "normalizers", depth, add_normalizer);
  tl_norm n = {0};
  if (tl_str_is(type, "NFC") || tl_str_is(type, "NFD") || tl_str_is(type, "NFKC") ||
      tl_str_is(type, "NFKD")) {
    TL_TRY(only(json, where, type.ptr, (const char *const[]){"type"}, 1));
    bool compat = type.len == 4, decompose = type.ptr[type.len - 1] == 'D';
    n.kind = compat ? (decompose ? TL_NORM_NFKD : TL_NORM_NFKC)
                    : (decompose ? TL_NORM_NFD : TL_NORM_NFC);
  } else if (tl_str_is(type, "Replace")) {
    tl_regex *regex;
    n.kind = TL_NORM_REPLACE;
    TL_TRY(ONLY(json, where, "Replace", "pattern", "content"));
    TL_TRY(read_pattern(tok, json, where, &n.pattern, &regex));
    if (regex != NULL) return TL_ERROR(UNIMPLEMENTED, "normalizer: Replace of a regex");
    TL_TRY(get_copy(tok, json, where, "content", &n.content));
  } else if (tl_str_is(type, "Prepend")) {
    n.kind = TL_NORM_PREPEND;
    TL_TRY(ONLY(json, where, "Prepend", "prepend"));
    TL_TRY(get_copy(tok, json, where, "prepend", &n.content));
  } else {
    return refuse(where, type);
  }
  if (tok->n_norms == TL_TOK_MAX_STEPS) return full(where);
  tok->norms[tok->n_norms++] = n;
  return TL_OK;
}

tl_status tl_tokenizer_add_normalizer(tl_tokenizer *tok, const json_t *json) {
  return json == NULL || json_is_null(json) ? TL_OK : add_normalizer(tok, json, 0);
}

// ---- Pre-tokenizers ----

// BYTE_LEVEL with GPT-2's regex.
static tl_status use_gpt2(tl_tokenizer *tok, tl_pretok *step) {
  TL_TRY(tl_regex_compile(TL_STR(GPT2_PATTERN), &step->regex));
  if (tl_arena_own(tok->arena, step->regex, release_regex)) return TL_OK;
  tl_regex_destroy(step->regex);
  return TL_OOM();
}

static tl_status read_split(tl_tokenizer *tok, const json_t *json, const char *where,
                            tl_pretok *step) {
  static const char *const behaviors[] = {
      [TL_SPLIT_ISOLATED] = "Isolated",
      [TL_SPLIT_REMOVED] = "Removed",
      [TL_SPLIT_MERGED_WITH_PREVIOUS] = "MergedWithPrevious",
      [TL_SPLIT_MERGED_WITH_NEXT] = "MergedWithNext",
      [TL_SPLIT_CONTIGUOUS] = "Contiguous",
  };
  tl_str behavior;
  bool invert;
  step->kind = TL_PRETOK_SPLIT;
  TL_TRY(ONLY(json, where, "Split", "pattern", "behavior", "invert"));
  TL_TRY(read_pattern(tok, json, where, &step->text, &step->regex));
  TL_TRY(tl_json_bool_or(json, where, "invert", false, &invert));
  if (invert) return TL_ERROR(UNIMPLEMENTED, "%s: Split with invert", where);
  TL_TRY(tl_json_str(json, where, "behavior", &behavior));
  for (size_t i = 0; i < TL_COUNT(behaviors); i++) {
    if (!tl_str_is(behavior, behaviors[i])) continue;
    step->behavior = (tl_split_behavior)i;
    return TL_OK;
  }
  return TL_ERROR(UNIMPLEMENTED, "%s: Split behavior \"" TL_STR_FMT "\"", where,
                  TL_STR_ARG(behavior));
}

static tl_status read_metaspace(tl_tokenizer *tok, const json_t *json, const char *where,
                                tl_pretok *step) {
  step->kind = TL_PRETOK_METASPACE;
  TL_TRY(ONLY(json, where, "Metaspace", "replacement", "prepend_scheme", "split",
              "add_prefix_space", "str_rep"));
  TL_TRY(get_copy(tok, json, where, "replacement", &step->text));
  TL_TRY(one_char(step->text, where, "replacement"));
  TL_TRY(read_prepend(json, where, &step->prepend));
  if (json_object_get(json, "prepend_scheme") == NULL) { // files older than prepend_scheme
    bool add;
    TL_TRY(tl_json_bool_or(json, where, "add_prefix_space", true, &add));
    if (!add) step->prepend = TL_PREPEND_NEVER;
  }
  return tl_json_bool_or(json, where, "split", true, &step->split);
}

static tl_status add_pretokenizer(tl_tokenizer *tok, const json_t *json, int depth) {
  const char *where = "pre_tokenizer";
  tl_str type;
  TL_TRY(read_type(json, where, &type));
  if (tl_str_is(type, "Sequence"))
    return each_of(tok, json, where, "pretokenizers", depth, add_pretokenizer);
  tl_pretok step = {0};
  if (tl_str_is(type, "Split")) {
    TL_TRY(read_split(tok, json, where, &step));
  } else if (tl_str_is(type, "Digits")) {
    bool each;
    TL_TRY(ONLY(json, where, "Digits", "individual_digits"));
    TL_TRY(tl_json_bool_or(json, where, "individual_digits", false, &each));
    step.kind = TL_PRETOK_DIGITS;
    step.behavior = each ? TL_SPLIT_ISOLATED : TL_SPLIT_CONTIGUOUS;
  } else if (tl_str_is(type, "ByteLevel")) {
    bool use_regex;
    step.kind = TL_PRETOK_BYTE_LEVEL;
    TL_TRY(ONLY(json, where, "ByteLevel", "add_prefix_space", "trim_offsets", "use_regex"));
    TL_TRY(tl_json_bool_or(json, where, "add_prefix_space", true, &step.add_prefix_space));
    TL_TRY(tl_json_bool_or(json, where, "use_regex", true, &use_regex));
    if (use_regex) TL_TRY(use_gpt2(tok, &step));
  } else if (tl_str_is(type, "Metaspace")) {
    TL_TRY(read_metaspace(tok, json, where, &step));
  } else {
    return refuse(where, type);
  }
  bool spell = tok->n_pretoks > 0 && tok->pretoks[tok->n_pretoks - 1].kind == TL_PRETOK_BYTE_LEVEL;
  if (tok->n_pretoks + spell >= TL_TOK_MAX_STEPS) return full(where);
  if (spell) tok->pretoks[tok->n_pretoks++] = (tl_pretok){.kind = TL_PRETOK_SPELL};
  tok->pretoks[tok->n_pretoks++] = step;
  return TL_OK;
}

tl_status tl_tokenizer_add_pretokenizer(tl_tokenizer *tok, const json_t *json) {
  return json == NULL || json_is_null(json) ? TL_OK : add_pretokenizer(tok, json, 0);
}

// ---- Decoders ----

static tl_status read_strip(tl_tokenizer *tok, const json_t *json, const char *where,
                            tl_decoder *d) {
  int64_t start, stop;
  d->kind = TL_DEC_STRIP;
  TL_TRY(ONLY(json, where, "Strip", "content", "start", "stop"));
  TL_TRY(get_copy(tok, json, where, "content", &d->pattern));
  TL_TRY(one_char(d->pattern, where, "content"));
  TL_TRY(tl_json_i64(json, where, "start", 0, INT32_MAX, &start));
  TL_TRY(tl_json_i64(json, where, "stop", 0, INT32_MAX, &stop));
  d->start = (size_t)start;
  d->stop = (size_t)stop;
  return TL_OK;
}

static tl_status add_decoder(tl_tokenizer *tok, const json_t *json, int depth) {
  const char *where = "decoder";
  tl_str type;
  TL_TRY(read_type(json, where, &type));
  if (tl_str_is(type, "Sequence")) return each_of(tok, json, where, "decoders", depth, add_decoder);
  tl_decoder d = {0};
  if (tl_str_is(type, "ByteLevel")) {
    d.kind = TL_DEC_BYTE_LEVEL;
    TL_TRY(ONLY(json, where, "ByteLevel", "add_prefix_space", "trim_offsets", "use_regex"));
  } else if (tl_str_is(type, "Replace")) {
    tl_regex *regex;
    d.kind = TL_DEC_REPLACE;
    TL_TRY(ONLY(json, where, "Replace", "pattern", "content"));
    TL_TRY(read_pattern(tok, json, where, &d.pattern, &regex));
    if (regex != NULL) return TL_ERROR(UNIMPLEMENTED, "decoder: Replace of a regex");
    TL_TRY(get_copy(tok, json, where, "content", &d.content));
  } else if (tl_str_is(type, "ByteFallback")) {
    d.kind = TL_DEC_BYTE_FALLBACK;
    TL_TRY(only(json, where, "ByteFallback", (const char *const[]){"type"}, 1));
  } else if (tl_str_is(type, "Fuse")) {
    d.kind = TL_DEC_FUSE;
    TL_TRY(only(json, where, "Fuse", (const char *const[]){"type"}, 1));
  } else if (tl_str_is(type, "Strip")) {
    TL_TRY(read_strip(tok, json, where, &d));
  } else if (tl_str_is(type, "Metaspace")) {
    tl_pretok step = {0};
    d.kind = TL_DEC_METASPACE;
    TL_TRY(read_metaspace(tok, json, where, &step));
    d.pattern = step.text;
    d.prepend = step.prepend;
  } else {
    return refuse(where, type);
  }
  if (tok->n_decoders == TL_TOK_MAX_STEPS) return full(where);
  tok->decoders[tok->n_decoders++] = d;
  return TL_OK;
}

tl_status tl_tokenizer_add_decoder(tl_tokenizer *tok, const json_t *json) {
  return json == NULL || json_is_null(json) ? TL_OK : add_decoder(tok, json, 0);
}

// ---- Post-processors ----

static tl_status template_ids(const json_t *specials, tl_str name, int32_t *ids, size_t *n,
                              size_t cap) {
  const char *where = "post_processor";
  json_t *special, *list;
  TL_TRY(tl_json_object(specials, "post_processor: special_tokens", name.ptr, &special));
  TL_TRY(tl_json_array(special, where, "ids", &list));
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *id = json_array_get(list, i);
    if (!json_is_integer(id) || json_integer_value(id) < 0 ||
        json_integer_value(id) > TL_VOCAB_MAX_ID)
      return TL_ERROR(INVALID_ARGUMENT, "%s: an id of \"%s\" is %s, not a token id", where,
                      name.ptr, tl_json_kind(id));
    if (*n == cap) return TL_ERROR(INVALID_ARGUMENT, "%s: more than %zu ids", where, cap);
    ids[(*n)++] = (int32_t)json_integer_value(id);
  }
  return TL_OK;
}

static tl_status set_template(tl_tokenizer *tok, const json_t *json) {
  enum { CAP = 64 };
  const char *where = "post_processor";
  json_t *single, *specials;
  TL_TRY(ONLY(json, where, "TemplateProcessing", "single", "pair", "special_tokens"));
  TL_TRY(tl_json_array(json, where, "single", &single));
  TL_TRY(tl_json_object(json, where, "special_tokens", &specials));
  tok->before = TL_NEW(tok->arena, int32_t, CAP);
  tok->after = TL_NEW(tok->arena, int32_t, CAP);
  if (tok->before == NULL || tok->after == NULL) return TL_OOM();
  tok->n_before = tok->n_after = 0;
  bool seen = false;
  for (size_t i = 0; i < json_array_size(single); i++) {
    const json_t *piece = json_array_get(single, i), *part;
    tl_str id;
    if ((part = json_object_get(piece, "Sequence")) != NULL) {
      TL_TRY(tl_json_str(part, "post_processor: Sequence", "id", &id));
      if (seen || !tl_str_is(id, "A"))
        return TL_ERROR(UNIMPLEMENTED, "%s: single wants exactly one sequence, A", where);
      seen = true;
    } else if ((part = json_object_get(piece, "SpecialToken")) != NULL) {
      TL_TRY(tl_json_str(part, "post_processor: SpecialToken", "id", &id));
      TL_TRY(template_ids(specials, id, seen ? tok->after : tok->before,
                          seen ? &tok->n_after : &tok->n_before, CAP));
    } else {
      return TL_ERROR(INVALID_ARGUMENT, "%s: single[%zu]: wanted Sequence or SpecialToken", where,
                      i);
    }
  }
  return seen ? TL_OK : TL_ERROR(UNIMPLEMENTED, "%s: single without the sequence A", where);
}

static tl_status add_postprocessor(tl_tokenizer *tok, const json_t *json, int depth) {
  const char *where = "post_processor";
  tl_str type;
  TL_TRY(read_type(json, where, &type));
  if (tl_str_is(type, "Sequence"))
    return each_of(tok, json, where, "processors", depth, add_postprocessor);
  if (tl_str_is(type, "TemplateProcessing")) return set_template(tok, json);
  // Moves offsets, which we do not give; the ids stay.
  if (tl_str_is(type, "ByteLevel"))
    return ONLY(json, where, "ByteLevel", "add_prefix_space", "trim_offsets", "use_regex");
  return refuse(where, type);
}

tl_status tl_tokenizer_set_postprocessor(tl_tokenizer *tok, const json_t *json) {
  return json == NULL || json_is_null(json) ? TL_OK : add_postprocessor(tok, json, 0);
}

// ---- From text ----

tl_status tl_tokenizer_add_text(tl_tokenizer *tok, const char *text,
                                tl_status (*add)(tl_tokenizer *tok, const json_t *json)) {
  json_t *json;
  TL_TRY(tl_json_parse(tl_str_of(text), "component", &json));
  tl_status st = add(tok, json);
  json_decref(json);
  return st;
}
