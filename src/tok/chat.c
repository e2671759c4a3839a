// Conversations to prompts.
#include "tok/chat.h"

#include <stdlib.h>

#include "tok/tokenizer_impl.h"

// The template's variables: what transformers gives it, and the caller's own.
static json_t *make_vars(const json_t *messages, const tl_chat_options *o, const json_t *named) {
  json_t *vars = json_object();
  bool good = vars != NULL;
  const char *key;
  json_t *value;
  // References are counted up, so what is borrowed stays the caller's.
  const json_t *const sources[] = {named, o->vars};
  for (size_t i = 0; i < TL_COUNT(sources); i++)
    json_object_foreach((json_t *)sources[i], key, value) good =
        good && json_object_set(vars, key, value) == 0;
  const struct {
    const char *name;
    const json_t *value;
  } own[] = {{"messages", messages}, {"tools", o->tools}, {"documents", o->documents}};
  for (size_t i = 0; good && i < TL_COUNT(own); i++) {
    json_t *v = own[i].value != NULL ? json_incref((json_t *)own[i].value) : json_null();
    good = json_object_set_new(vars, own[i].name, v) == 0;
  }
  good = good && json_object_set_new(vars, "add_generation_prompt",
                                     json_boolean(o->add_generation_prompt)) == 0;
  if (good) return vars;
  json_decref(vars);
  return NULL;
}

static tl_status render(tl_str template, const json_t *messages, const json_t *named,
                        const tl_chat_options *options, tl_diags *diags, tl_buf *out) {
  tl_chat_options o = options != NULL ? *options : (tl_chat_options){0};
  if (!json_is_array(messages))
    return TL_ERROR(INVALID_ARGUMENT, "messages: wanted an array, found %s",
                    tl_json_kind(messages));
  for (size_t i = 0; i < json_array_size(messages); i++)
    if (!json_is_object(json_array_get(messages, i)))
      return TL_ERROR(INVALID_ARGUMENT, "messages[%zu]: wanted an object, found %s", i,
                      tl_json_kind(json_array_get(messages, i)));
  tl_diags own = {0};
  tl_arena *arena = tl_arena_create();
  json_t *vars = make_vars(messages, &o, named);
  const tl_jinja *parsed;
  tl_status st = TL_OK;
  if (arena == NULL || vars == NULL) {
    st = TL_OOM();
    goto done;
  }
  tl_diags *to = diags != NULL ? diags : &own;
  TL_TRY_GOTO(
      done, st,
      tl_jinja_parse(arena, template, o.name != NULL ? o.name : "chat template", to, &parsed));
  st = tl_jinja_render(parsed, vars, &o.limits, to, out);
done:
  // The source that places point into dies with the arena; the template as given stands for it.
  if (diags != NULL) diags->source = template;
  tl_diags_deinit(&own);
  json_decref(vars);
  tl_arena_destroy(arena);
  return st;
}

tl_status tl_tokenizer_chat(const tl_tokenizer *tok, const json_t *messages,
                            const tl_chat_options *options, tl_diags *diags, tl_buf *out) {
  tl_chat_options o = options != NULL ? *options : (tl_chat_options){0};
  if (tok->chat_template.ptr == NULL)
    return TL_ERROR(FAILED_PRECONDITION, "%s: the model has no chat template", tok->name);
  if (o.name == NULL) o.name = tok->template_name;
  json_t *named = json_object();
  bool good = named != NULL;
  for (size_t i = 0; good && i < tok->n_named; i++) {
    tl_str text = tok->named[i].content;
    good = json_object_set_new(named, tok->named[i].name, json_stringn(text.ptr, text.len)) == 0;
  }
  tl_status st = good ? render(tok->chat_template, messages, named, &o, diags, out) : TL_OOM();
  json_decref(named);
  return st;
}

// ---- To ids ----
//
// A rendered prompt does not say which of its bytes the template wrote and which a user did. So
// every special token in a message gets a mark behind its first character before the template runs:
// a noncharacter, which Unicode keeps for such uses and which no message holds. Afterwards the
// marks are taken out, and where they stood a token is quoted.

enum { MARK_SIZE = 3, N_MARKS = 32 }; // U+FDD0 to U+FDEF: EF B7 90 to EF B7 AF

static bool holds(const json_t *v, tl_str mark) {
  const char *key;
  json_t *item;
  size_t i;
  if (json_is_string(v))
    return tl_str_find((tl_str){json_string_value(v), json_string_length(v)}, mark) != (size_t)-1;
  if (json_is_array(v)) json_array_foreach((json_t *)v, i, item) if (holds(item, mark)) return true;
  if (json_is_object(v))
    json_object_foreach((json_t *)v, key, item) if (holds(item, mark)) return true;
  return false;
}

static size_t char_size(tl_str s, size_t at) {
  size_t end = at;
  tl_utf8_decode(s, &end);
  return end - at;
}

// The longest special token that begins at s[at], or 0.
static size_t special_at(const tl_tokenizer *tok, tl_str s, size_t at) {
  size_t longest = 0;
  for (size_t i = 0; i < tok->n_added; i++) {
    const tl_str token = tok->added[i].content;
    if (tok->added[i].special && token.len > longest &&
        tl_str_starts(tl_str_sub(s, at, s.len), token))
      longest = token.len;
  }
  return longest;
}

static json_t *mark_text(const tl_tokenizer *tok, const bool first[256], tl_str s, tl_str mark) {
  tl_buf marked = {0};
  for (size_t at = 0; at < s.len;) {
    const size_t step = char_size(s, at);
    tl_buf_str(&marked, tl_str_sub(s, at, at + step));
    if (first[(uint8_t)s.ptr[at]] && special_at(tok, s, at) > 0) tl_buf_str(&marked, mark);
    at += step;
  }
  json_t *v = marked.oom ? NULL : json_stringn(marked.ptr ? marked.ptr : "", marked.len);
  tl_buf_deinit(&marked);
  return v;
}

// A copy of v with every text marked; NULL when memory is gone. Its depth is bounded by the JSON
// reader's, and the template engine's values are no deeper.
static json_t *mark_value(const tl_tokenizer *tok, const bool first[256], const json_t *v,
                          tl_str mark) {
  const char *key;
  json_t *item, *copy;
  size_t i;
  bool good = true;
  if (json_is_string(v))
    return mark_text(tok, first, (tl_str){json_string_value(v), json_string_length(v)}, mark);
  if (json_is_array(v)) {
    good = (copy = json_array()) != NULL;
    json_array_foreach((json_t *)v, i, item) good =
        good && json_array_append_new(copy, mark_value(tok, first, item, mark)) == 0;
  } else if (json_is_object(v)) {
    good = (copy = json_object()) != NULL;
    json_object_foreach((json_t *)v, key, item) good =
        good && json_object_set_new(copy, key, mark_value(tok, first, item, mark)) == 0;
  } else {
    return json_incref((json_t *)v);
  }
  if (good) return copy;
  json_decref(copy);
  return NULL;
}

// Takes the marks out of `prompt` in place; where each stood, the character before it begins a
// quoted token.
static tl_status take_marks(tl_buf *prompt, tl_str mark, size_t **out_quoted, size_t *out_n) {
  size_t n = 0, to = 0;
  size_t *quoted = malloc((prompt->len / MARK_SIZE + 1) * sizeof *quoted);
  if (quoted == NULL) return TL_OOM();
  for (size_t at = 0; at < prompt->len;) {
    if (prompt->len - at >= mark.len && memcmp(prompt->ptr + at, mark.ptr, mark.len) == 0) {
      size_t start = to;
      while (start > 0 && ((uint8_t)prompt->ptr[--start] & 0xC0) == 0x80) {
      }
      if (n == 0 || quoted[n - 1] < start) quoted[n++] = start;
      at += mark.len;
    } else {
      prompt->ptr[to++] = prompt->ptr[at++];
    }
  }
  prompt->len = to;
  *out_quoted = quoted;
  *out_n = n;
  return TL_OK;
}

tl_status tl_tokenizer_chat_ids(const tl_tokenizer *tok, const json_t *messages,
                                const tl_chat_options *options, tl_diags *diags, tl_ids *out_ids) {
  tl_encode_options encode = {.no_special_tokens = true}; // the template has written them
  tl_buf prompt = {0};
  json_t *marked = NULL;
  size_t *quoted = NULL;
  tl_status st = TL_OK;
  char mark[MARK_SIZE] = {(char)0xEF, (char)0xB7, (char)0x90};
  if (options == NULL || !options->allow_special) {
    int tried = 0;
    while (tried < N_MARKS && holds(messages, (tl_str){mark, MARK_SIZE})) {
      mark[2] = (char)(0x90 + ++tried);
    }
    if (tried == N_MARKS)
      return TL_ERROR(INVALID_ARGUMENT,
                      "messages: every one of the noncharacters U+FDD0 to U+FDEF");
    bool first[256] = {false};
    for (size_t i = 0; i < tok->n_added; i++)
      if (tok->added[i].special) first[(uint8_t)tok->added[i].content.ptr[0]] = true;
    marked = mark_value(tok, first, messages, (tl_str){mark, MARK_SIZE});
    if (marked == NULL) return TL_OOM();
    messages = marked;
  }
  TL_TRY_GOTO(done, st, tl_tokenizer_chat(tok, messages, options, diags, &prompt));
  if (marked != NULL) {
    TL_TRY_GOTO(done, st,
                take_marks(&prompt, (tl_str){mark, MARK_SIZE}, &quoted, &encode.n_quoted));
    encode.quoted = quoted;
  }
  st = tl_tokenizer_encode(tok, tl_buf_view(&prompt), &encode, out_ids);
done:
  free(quoted);
  json_decref(marked);
  tl_buf_deinit(&prompt);
  return st;
}
