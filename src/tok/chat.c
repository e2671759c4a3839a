// Conversations to prompts.
#include "tok/chat.h"

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
