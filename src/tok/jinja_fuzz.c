// Any bytes as a template: parsed, and rendered over a conversation on a small budget. The first
// line, if it is JSON, is the variables instead.
#include <stdlib.h>

#include "tok/chat.h"
#include "tok/jinja.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char VARS[] =
    "{\"messages\":[{\"role\":\"system\",\"content\":\"s\"},{\"role\":\"user\",\"content\":"
    "\"\\u00e9 "
    "x\"},{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"f\","
    "\"arguments\":{\"a\":[1,2.5,null,true]}}}]}],\"tools\":null,\"n\":3,\"add_generation_prompt\":"
    "true,\"bos_token\":\"<s>\"}";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tl_str text = {(const char *)data, size}, given = TL_STR(VARS);
  const char *line = size > 0 ? memchr(data, '\n', size) : NULL;
  if (line != NULL && data[0] == '{' && size > 1 && data[1] == '"') {
    given = tl_str_sub(text, 0, (size_t)(line - text.ptr));
    text = tl_str_sub(text, given.len + 1, size);
  }
  json_t *vars = NULL;
  tl_status st = tl_json_parse(given, "vars", &vars);
  tl_arena *arena = tl_arena_create();
  if (st == TL_OK && arena != NULL) {
    tl_jinja_options o = {.max_output = 1 << 16, .max_work = 1 << 21, .now = 86400};
    tl_diags diags = {0};
    tl_buf out = {0}, shown = {0};
    const tl_jinja *t;
    st = tl_jinja_parse(arena, text, "fuzz", &diags, &t);
    if (st == TL_OK) st = tl_jinja_render(t, vars, &o, &diags, &out);
    TL_ASSERT(st == TL_OK ? tl_utf8_valid(tl_buf_view(&out)) : out.len == 0);
    tl_diags_print(&diags, &shown, false);
    tl_buf_deinit(&shown);
    tl_buf_deinit(&out);
    tl_diags_deinit(&diags);
  }
  tl_status_drop(st);
  tl_arena_destroy(arena);
  json_decref(vars);
  return 0;
}
