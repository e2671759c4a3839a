// Any bytes as JSON: parsing, every getter, and quoting what was found, which must parse back to
// itself. What jansson's own parser reads, ours must read to the same value, unless it is over one
// of our limits.
#include "base/json.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool good) {
  if (!good) abort();
}

static void ask(const json_t *v, const char *key) {
  int64_t i;
  double d;
  bool b;
  tl_str s;
  json_t *sub;
  static const char *const known[] = {"a", "key"};
  tl_status_drop(tl_json_i64(v, "fuzz", key, -5, 1000, &i));
  tl_status_drop(tl_json_f64(v, "fuzz", key, &d));
  tl_status_drop(tl_json_bool_or(v, "fuzz", key, false, &b));
  tl_status_drop(tl_json_object(v, "fuzz", key, &sub));
  tl_status_drop(tl_json_array(v, "fuzz", key, &sub));
  tl_status_drop(tl_json_only(v, "fuzz", known, TL_COUNT(known)));
  tl_status st = tl_json_str(v, "fuzz", key, &s);
  if (st == TL_OK) {
    tl_buf quoted = {0};
    json_t *back = NULL;
    tl_json_quote(&quoted, s);
    require(tl_json_parse(tl_buf_view(&quoted), "quoted", &back) == TL_OK);
    require(json_is_string(back) && json_string_length(back) == s.len &&
            memcmp(json_string_value(back), s.ptr, s.len) == 0);
    json_decref(back);
    tl_buf_deinit(&quoted);
  }
  tl_status_drop(st);
}

static void same_as_jansson(tl_str text, const json_t *ours, const char *message) {
  if (text.len != 0 && memchr(text.ptr, '\0', text.len) != NULL) return; // to jansson, an end
  json_error_t error;
  json_t *theirs = json_loadb(text.ptr == NULL ? "" : text.ptr, text.len,
                              JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
  if (theirs != NULL && ours == NULL)
    require(strstr(message, "nested more than") != NULL || strstr(message, "cannot hold") != NULL);
  if (theirs != NULL && ours != NULL) require(json_equal(theirs, ours) == 1);
  json_decref(theirs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  json_t *root = NULL;
  tl_str text = {(const char *)data, size};
  tl_status st = tl_json_parse(text, "fuzz", &root);
  same_as_jansson(text, root, tl_status_message(st));
  if (st == TL_OK) {
    const char *key;
    json_t *value;
    json_object_foreach(root, key, value) ask(root, key);
    ask(root, "absent");
    json_decref(root);
  } else {
    require(tl_status_message(st)[0] != '\0');
  }
  tl_status_drop(st);

  tl_buf quoted = {0}; // any bytes at all become valid UTF-8
  tl_json_quote(&quoted, text);
  require(tl_utf8_valid(tl_buf_view(&quoted)));
  tl_buf_deinit(&quoted);
  return 0;
}
