// JSON from outside, strictly: jansson with duplicate keys rejected, and getters that refuse by
// path and say what was found. A document over the limits (nesting 64, 2 million values, the
// caller's bytes) is refused.
//
// All messages name the document: `config.json: hidden_size: wanted an integer, found the string
// "big"`.
#ifndef TL_BASE_JSON_H
#define TL_BASE_JSON_H

#include <jansson.h>

#include "base/str.h"

// Parses a whole text. `name` is the document's name in messages (file:line:col for syntax errors).
tl_status tl_json_parse(tl_str text, const char *name, json_t **out_root); // owned: json_decref
tl_status tl_json_read(const char *path, size_t limit, json_t **out_root);

// Typed members of an object. `where` is the path for messages, e.g. "config.json:
// rope_parameters". Required forms fail when the key is absent; *_or forms give the default when it
// is absent or null.
tl_status tl_json_i64(const json_t *object, const char *where, const char *key, int64_t min,
                      int64_t max, int64_t *out);
tl_status tl_json_i64_or(const json_t *object, const char *where, const char *key, int64_t min,
                         int64_t max, int64_t fallback, int64_t *out);
tl_status tl_json_f64(const json_t *object, const char *where, const char *key, double *out);
tl_status tl_json_f64_or(const json_t *object, const char *where, const char *key, double fallback,
                         double *out);
tl_status tl_json_bool_or(const json_t *object, const char *where, const char *key, bool fallback,
                          bool *out);
tl_status tl_json_str(const json_t *object, const char *where, const char *key,
                      tl_str *out); // borrowed from object
tl_status tl_json_str_or(const json_t *object, const char *where, const char *key, tl_str fallback,
                         tl_str *out);
tl_status tl_json_object(const json_t *object, const char *where, const char *key,
                         json_t **out); // borrowed
tl_status tl_json_array(const json_t *object, const char *where, const char *key,
                        json_t **out); // borrowed
// Refuses any key of `object` that is not among `known`, naming it and the nearest known one.
tl_status tl_json_only(const json_t *object, const char *where, const char *const *known,
                       size_t count);
const char *tl_json_kind(const json_t *value); // "an object", "a string", "absent" for NULL

// Appends a text as a JSON string, with quotes; invalid UTF-8 becomes U+FFFD.
void tl_json_quote(tl_buf *out, tl_str text);

#endif
