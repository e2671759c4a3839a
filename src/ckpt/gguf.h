// GGUF v2 and v3, little endian: metadata (a tokenizer among it) and tensors in one file, mapped
// and never copied.
//
// Every count, length and offset is checked against the bytes that are there before it is used;
// duplicate keys and tensors, overlapping tensors, nested arrays, unknown value and tensor types,
// version 1 and big-endian files are refused, each naming file and place.
#ifndef TL_CKPT_GGUF_H
#define TL_CKPT_GGUF_H

#include "base/file.h"
#include "base/map.h"
#include "ckpt/stored.h"

typedef enum {
#define TL_GGUF_TYPE(id, number, name, size, kind) TL_GGUF_##id = number,
#include "ckpt/gguf_types.def"
#undef TL_GGUF_TYPE
  TL_GGUF_TYPE_COUNT
} tl_gguf_type;

// A metadata value. Scalars are widened into the member of their kind; an array keeps its items.
typedef struct tl_gguf_value {
  tl_gguf_type type;
  union {
    uint64_t u;
    int64_t i;
    double f;
    bool b;
    tl_str s; // not terminated, borrowed from the file; may be any bytes
  };
  // TL_GGUF_ARRAY:
  tl_gguf_type item;     // never TL_GGUF_ARRAY
  size_t len;            // items
  const uint8_t *raw;    // number and flag items: packed little endian, any alignment
  const tl_str *strings; // [len], TL_GGUF_STRING items
} tl_gguf_value;

typedef struct tl_gguf_entry {
  tl_str key; // terminated
  tl_gguf_value value;
} tl_gguf_entry;

typedef struct tl_gguf_tensor {
  tl_str name; // terminated
  tl_stored stored;
  uint32_t rank;       // 1 to 4
  uint64_t dims[4];    // row-major: a matrix is [rows, k] (the file lists k first)
  uint64_t rows, k;    // k = the last dim, rows = the product of the others
  const uint8_t *data; // rows of row_size bytes
  size_t size, row_size;
} tl_gguf_tensor;

typedef struct tl_gguf { // immutable after open
  tl_arena *arena;
  tl_file_map map;
  const char *name; // for messages: the path
  uint32_t version;
  size_t alignment;
  tl_gguf_entry *entries; // in the file's order
  size_t n_entries;
  tl_gguf_tensor *tensors; // in the file's order
  size_t n_tensors;
  tl_map by_key, by_tensor; // to indices
} tl_gguf;

tl_status tl_gguf_open(const char *path, tl_gguf **out_file);
// From memory, which is borrowed and must outlive the result; `name` is for messages.
tl_status tl_gguf_parse(const void *bytes, size_t size, const char *name, tl_gguf **out_file);
void tl_gguf_destroy(tl_gguf *g); // NULL is allowed

const tl_gguf_value *tl_gguf_find(const tl_gguf *g,
                                  const char *key); // NULL when absent; borrowed from g
const tl_gguf_tensor *tl_gguf_tensor_find(const tl_gguf *g, tl_str name);
const char *tl_gguf_type_name(tl_gguf_type type);

// Typed metadata. Absent keys: NOT_FOUND, or the fallback in the *_or forms. A value of another
// kind or outside [min, max] is INVALID_ARGUMENT naming key, what was found and what was wanted.
// Any integer type is an integer.
tl_status tl_gguf_i64(const tl_gguf *g, const char *key, int64_t min, int64_t max, int64_t *out);
tl_status tl_gguf_i64_or(const tl_gguf *g, const char *key, int64_t min, int64_t max,
                         int64_t fallback, int64_t *out);
tl_status tl_gguf_f64(const tl_gguf *g, const char *key, double *out); // float32 or float64
tl_status tl_gguf_f64_or(const tl_gguf *g, const char *key, double fallback, double *out);
tl_status tl_gguf_bool_or(const tl_gguf *g, const char *key, bool fallback, bool *out);
tl_status tl_gguf_str(const tl_gguf *g, const char *key, tl_str *out); // borrowed from g
tl_status tl_gguf_str_or(const tl_gguf *g, const char *key, tl_str fallback, tl_str *out);
tl_status tl_gguf_strings(const tl_gguf *g, const char *key, const tl_str **out_items,
                          size_t *out_len);
// An array whose items are integers (or floats): the value, for the accessors below.
tl_status tl_gguf_ints(const tl_gguf *g, const char *key, const tl_gguf_value **out_array);
tl_status tl_gguf_floats(const tl_gguf *g, const char *key, const tl_gguf_value **out_array);
int64_t tl_gguf_item_i64(const tl_gguf_value *array,
                         size_t i); // integer items; uint64 past INT64_MAX gives INT64_MAX
double tl_gguf_item_f64(const tl_gguf_value *array, size_t i); // float items
bool tl_gguf_item_bool(const tl_gguf_value *array, size_t i);  // flag items

#endif
