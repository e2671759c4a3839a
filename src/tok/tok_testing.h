// What the tests of this folder share: goldens that tests/oracle/tok_goldens.py recorded.
#ifndef TL_TOK_TESTING_H
#define TL_TOK_TESTING_H

#include "base/json.h"
#include "base/test.h"
#include "tok/tokenizer.h"

#define TOK_DIR "tests/tok/" // tests run in the root of the source tree

TL_UNUSED static json_t *golden(const char *name) {
  json_t *root;
  char path[512];
  snprintf(path, sizeof path, TOK_DIR "%s", name);
  assert_ok(tl_json_read(path, 64 << 20, &root));
  return root;
}

TL_UNUSED static tl_str text_of(const json_t *object, const char *key) {
  const json_t *s = json_object_get(object, key);
  assert_true(json_is_string(s));
  return (tl_str){json_string_value(s), json_string_length(s)};
}

// A model's file in the user's cache, where `make demo` puts it. False: it is not there.
TL_UNUSED static bool cached_model(const char *name, char *path, size_t size) {
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (cache != NULL && *cache != 0)
    snprintf(path, size, "%s/tlaloc/models/%s", cache, name);
  else
    snprintf(path, size, "%s/.cache/tlaloc/models/%s", home != NULL ? home : "", name);
  return tl_path_exists(path);
}

#endif
