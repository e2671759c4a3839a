#include "ckpt/gguf.h"

#include <stdlib.h>

#include "base/half.h"
#include "ckpt/names.h"

// The reader. A file is
//
//     "GGUF" | u32 version | u64 n_tensors | u64 n_entries
//     n_entries x ( text key | u32 type | value )
//     n_tensors x ( text name | u32 rank | rank x u64 dim | u32 type | u64 offset )
//     padding to the alignment | the tensors' bytes, each at a multiple of the alignment
//
// where a text is u64 length and bytes, an array u32 item type, u64 count and items, and dims list
// the contiguous one first. Nothing is trusted: all reading goes through a cursor that refuses to
// pass the end, and a count is compared with the least bytes that so many things take before
// anything is allocated for it, so memory in use stays within a small multiple of the file's size.

#define VERSION_MIN 2
#define VERSION_MAX 3
#define ALIGNMENT_DEFAULT 32
#define ALIGNMENT_MAX ((int64_t)1 << 20)
#define ENTRY_LEAST 13  // bytes of the smallest entry: an empty key, a type, a flag
#define TENSOR_LEAST 33 // bytes of the smallest tensor record: an empty name, rank 1

typedef struct cursor {
  const uint8_t *data;
  size_t size, at;
} cursor;

static size_t left(const cursor *c) { return c->size - c->at; }

static bool take(cursor *c, size_t size, const uint8_t **out) {
  if (size > left(c)) return false;
  *out = c->data + c->at;
  c->at += size;
  return true;
}

static uint64_t little(const uint8_t *p, size_t size) {
  uint64_t v = 0;
  for (size_t i = 0; i < size; i++)
    v |= (uint64_t)p[i] << (8 * i);
  return v;
}

static bool take_u32(cursor *c, uint32_t *out) {
  const uint8_t *p;
  if (!take(c, 4, &p)) return false;
  *out = (uint32_t)little(p, 4);
  return true;
}

static bool take_u64(cursor *c, uint64_t *out) {
  const uint8_t *p;
  if (!take(c, 8, &p)) return false;
  *out = little(p, 8);
  return true;
}

static bool take_text(cursor *c, tl_str *out) {
  uint64_t len;
  const uint8_t *p;
  if (!take_u64(c, &len) || len > left(c) || !take(c, (size_t)len, &p)) return false;
  *out = (tl_str){(const char *)p, (size_t)len};
  return true;
}

// ---- values

static const struct {
  const char *name;
  uint32_t size;
  char kind[2];
} types[TL_GGUF_TYPE_COUNT] = {
#define TL_GGUF_TYPE(id, number, name, size, kind) [TL_GGUF_##id] = {name, size, #kind},
#include "ckpt/gguf_types.def"
#undef TL_GGUF_TYPE
};

const char *tl_gguf_type_name(tl_gguf_type type) { return types[type].name; }

static int64_t signed_of(uint64_t u, size_t size) {
  unsigned unused = 64 - 8 * (unsigned)size;
  return (int64_t)(u << unused) >> unused;
}

static double f64_of(uint64_t u, size_t size) {
  if (size == 4) return (double)tl_f32_of_bits((uint32_t)u);
  double d;
  memcpy(&d, &u, sizeof d);
  return d;
}

static tl_status truncated(const tl_gguf *g, const cursor *c, const char *what, const char *key) {
  return TL_ERROR(INVALID_ARGUMENT, "%s: truncated at byte %zu of %zu, in %s%s%s", g->name, c->at,
                  c->size, what, key ? " " : "", key ? key : "");
}

static tl_status scalar_read(tl_gguf *g, cursor *c, const char *key, tl_gguf_value *v) {
  if (types[v->type].kind[0] == 's')
    return take_text(c, &v->s) ? TL_OK : truncated(g, c, "the value of", key);
  size_t size = types[v->type].size;
  const uint8_t *p;
  if (!take(c, size, &p)) return truncated(g, c, "the value of", key);
  uint64_t u = little(p, size);
  switch (types[v->type].kind[0]) {
  case 'u':
    v->u = u;
    break;
  case 'i':
    v->i = signed_of(u, size);
    break;
  case 'f':
    v->f = f64_of(u, size);
    break;
  default:
    if (u > 1)
      return TL_ERROR(INVALID_ARGUMENT, "%s: %s: a bool of value %u", g->name, key, (unsigned)u);
    v->b = u != 0;
  }
  return TL_OK;
}

static bool known_type(uint32_t number) {
  return number < TL_GGUF_TYPE_COUNT && types[number].name != NULL;
}

static tl_status array_read(tl_gguf *g, cursor *c, const char *key, tl_gguf_value *v) {
  uint32_t item;
  uint64_t len, size;
  if (!take_u32(c, &item) || !take_u64(c, &len)) return truncated(g, c, "the array", key);
  if (item == TL_GGUF_ARRAY)
    return TL_ERROR(INVALID_ARGUMENT, "%s: %s: an array of arrays is not read", g->name, key);
  if (!known_type(item))
    return TL_ERROR(INVALID_ARGUMENT, "%s: %s: unknown item type %u", g->name, key, item);
  v->item = (tl_gguf_type)item;
  size_t least = v->item == TL_GGUF_STRING ? 8 : types[item].size; // a text is at least its length
  if (!TL_MUL_OK(len, (uint64_t)least, &size) || size > left(c))
    return TL_ERROR(INVALID_ARGUMENT, "%s: %s: %llu items of %s do not fit in the %zu bytes left",
                    g->name, key, (unsigned long long)len, types[item].name, left(c));
  v->len = (size_t)len;
  if (v->item == TL_GGUF_STRING) {
    tl_str *strings = TL_NEW(g->arena, tl_str, v->len + 1);
    if (!strings) return TL_OOM();
    for (size_t i = 0; i < v->len; i++)
      if (!take_text(c, &strings[i])) return truncated(g, c, "the array", key);
    v->strings = strings;
    return TL_OK;
  }
  if (!take(c, (size_t)size, &v->raw)) return truncated(g, c, "the array", key);
  for (size_t i = 0; v->item == TL_GGUF_BOOL && i < v->len; i++)
    if (v->raw[i] > 1)
      return TL_ERROR(INVALID_ARGUMENT, "%s: %s: item %zu is a bool of value %u", g->name, key, i,
                      v->raw[i]);
  return TL_OK;
}

// Reads a key or a tensor's name into the arena.
static tl_status name_read(tl_gguf *g, cursor *c, const char *what, size_t number, tl_str *out) {
  tl_str name;
  if (!take_text(c, &name))
    return TL_ERROR(INVALID_ARGUMENT, "%s: truncated at byte %zu of %zu, in %s %zu", g->name, c->at,
                    c->size, what, number);
  if (!tl_ckpt_name_ok(name))
    return TL_ERROR(INVALID_ARGUMENT,
                    "%s: the name of %s %zu is empty, over %d bytes or not printable", g->name,
                    what, number, TL_CKPT_NAME_MAX);
  *out = tl_str_copy(g->arena, name);
  return out->ptr ? TL_OK : TL_OOM();
}

static tl_status entry_read(tl_gguf *g, cursor *c, size_t number) {
  tl_gguf_entry *e = &g->entries[number];
  TL_TRY(name_read(g, c, "metadata entry", number, &e->key));
  uint32_t type;
  if (!take_u32(c, &type)) return truncated(g, c, "the type of", e->key.ptr);
  if (!known_type(type))
    return TL_ERROR(INVALID_ARGUMENT, "%s: %s: unknown value type %u", g->name, e->key.ptr, type);
  e->value.type = (tl_gguf_type)type;
  if (type == TL_GGUF_ARRAY)
    TL_TRY(array_read(g, c, e->key.ptr, &e->value));
  else
    TL_TRY(scalar_read(g, c, e->key.ptr, &e->value));
  if (tl_map_get(&g->by_key, e->key, NULL))
    return TL_ERROR(INVALID_ARGUMENT, "%s: metadata key %s is there twice", g->name, e->key.ptr);
  return tl_map_put(&g->by_key, e->key, number) ? TL_OK : TL_OOM();
}

// ---- tensors

// One record; its place in the data is left in `offset` until all records are read and the data's
// start is known.
static tl_status tensor_read(tl_gguf *g, cursor *c, size_t number, uint64_t *offset) {
  tl_gguf_tensor *t = &g->tensors[number];
  TL_TRY(name_read(g, c, "tensor", number, &t->name));
  const char *name = t->name.ptr;
  uint32_t type;
  if (!take_u32(c, &t->rank)) return truncated(g, c, "tensor", name);
  if (t->rank < 1 || t->rank > 4)
    return TL_ERROR(INVALID_ARGUMENT, "%s: tensor %s: rank %u, wanted 1 to 4", g->name, name,
                    t->rank);
  for (uint32_t i = t->rank; i-- > 0;) // the file lists the contiguous dim first
    if (!take_u64(c, &t->dims[i])) return truncated(g, c, "tensor", name);
  if (!take_u32(c, &type) || !take_u64(c, offset)) return truncated(g, c, "tensor", name);
  if (!tl_stored_of_ggml(type, &t->stored))
    return TL_ERROR(INVALID_ARGUMENT, "%s: tensor %s: unknown tensor type %u", g->name, name, type);

  t->k = t->dims[t->rank - 1];
  t->rows = 1;
  bool fits = true;
  for (uint32_t i = 0; i < t->rank; i++) {
    if (t->dims[i] == 0)
      return TL_ERROR(INVALID_ARGUMENT, "%s: tensor %s: a dim is 0", g->name, name);
    if (i + 1 < t->rank) fits = fits && TL_MUL_OK(t->rows, t->dims[i], &t->rows);
  }
  const tl_stored_info *info = tl_stored_get(t->stored);
  if (t->k % info->block != 0)
    return TL_ERROR(INVALID_ARGUMENT,
                    "%s: tensor %s: rows of %llu elements are not whole %s blocks of %u", g->name,
                    name, (unsigned long long)t->k, info->name, info->block);
  if (!fits || !tl_stored_row_size(t->stored, t->k, &t->row_size) ||
      !TL_MUL_OK(t->rows, t->row_size, &t->size))
    return TL_ERROR(INVALID_ARGUMENT,
                    "%s: tensor %s: its dims need more bytes than memory can hold", g->name, name);
  if (*offset % g->alignment != 0)
    return TL_ERROR(INVALID_ARGUMENT,
                    "%s: tensor %s: offset %llu is not a multiple of the alignment %zu", g->name,
                    name, (unsigned long long)*offset, g->alignment);
  if (tl_map_get(&g->by_tensor, t->name, NULL))
    return TL_ERROR(INVALID_ARGUMENT, "%s: tensor %s is there twice", g->name, name);
  return tl_map_put(&g->by_tensor, t->name, number) ? TL_OK : TL_OOM();
}

static int by_place(const void *a, const void *b) {
  const tl_gguf_tensor *x = *(const tl_gguf_tensor *const *)a,
                       *y = *(const tl_gguf_tensor *const *)b;
  if (x->data != y->data) return x->data < y->data ? -1 : 1;
  return x < y ? -1 : x > y; // as the file lists them
}

// Turns offsets into pointers: every tensor lies within the data, and none overlaps another.
static tl_status tensors_place(tl_gguf *g, const cursor *c, const uint64_t *offsets) {
  size_t start = c->at; // of the data; a multiple of the alignment
  if (g->n_tensors > 0 && !TL_ADD_OK(c->at, g->alignment - 1, &start)) start = SIZE_MAX;
  start = start / g->alignment * g->alignment;
  size_t room = start <= c->size ? c->size - start : 0;
  for (size_t i = 0; i < g->n_tensors; i++) {
    tl_gguf_tensor *t = &g->tensors[i];
    if (offsets[i] > room || t->size > room - offsets[i])
      return TL_ERROR(
          INVALID_ARGUMENT,
          "%s: tensor %s: %zu bytes at offset %llu pass the end of the data (%zu bytes)", g->name,
          t->name.ptr, t->size, (unsigned long long)offsets[i], room);
    t->data = c->data + start + (size_t)offsets[i];
  }
  if (g->n_tensors < 2) return TL_OK;
  const tl_gguf_tensor **sorted = TL_NEW(g->arena, const tl_gguf_tensor *, g->n_tensors);
  if (!sorted) return TL_OOM();
  for (size_t i = 0; i < g->n_tensors; i++)
    sorted[i] = &g->tensors[i];
  qsort(sorted, g->n_tensors, sizeof(*sorted), by_place);
  for (size_t i = 1; i < g->n_tensors; i++)
    if ((size_t)(sorted[i]->data - sorted[i - 1]->data) < sorted[i - 1]->size)
      return TL_ERROR(INVALID_ARGUMENT, "%s: tensors %s and %s overlap", g->name,
                      sorted[i - 1]->name.ptr, sorted[i]->name.ptr);
  return TL_OK;
}

// ---- the file

static tl_status head_read(tl_gguf *g, cursor *c, uint64_t *n_tensors, uint64_t *n_entries) {
  const uint8_t *magic;
  if (!take(c, 4, &magic) || memcmp(magic, "GGUF", 4) != 0)
    return TL_ERROR(INVALID_ARGUMENT, "%s: not a GGUF file: it does not begin with \"GGUF\"",
                    g->name);
  if (!take_u32(c, &g->version)) return truncated(g, c, "the version", NULL);
  if (g->version >= VERSION_MIN << 24 && (g->version & 0xffffff) == 0)
    return TL_ERROR(INVALID_ARGUMENT,
                    "%s: a big-endian GGUF file; only little-endian ones are read", g->name);
  if (g->version < VERSION_MIN || g->version > VERSION_MAX)
    return TL_ERROR(INVALID_ARGUMENT, "%s: GGUF version %u; versions %d and %d are read", g->name,
                    g->version, VERSION_MIN, VERSION_MAX);
  if (!take_u64(c, n_tensors) || !take_u64(c, n_entries))
    return truncated(g, c, "the header", NULL);
  if (*n_entries > left(c) / ENTRY_LEAST)
    return TL_ERROR(INVALID_ARGUMENT, "%s: %llu metadata entries do not fit in %zu bytes", g->name,
                    (unsigned long long)*n_entries, left(c));
  if (*n_tensors > left(c) / TENSOR_LEAST)
    return TL_ERROR(INVALID_ARGUMENT, "%s: %llu tensors do not fit in %zu bytes", g->name,
                    (unsigned long long)*n_tensors, left(c));
  return TL_OK;
}

static tl_status file_read(tl_gguf *g, const void *bytes, size_t size) {
  cursor c = {bytes, size, 0};
  uint64_t n_tensors = 0, n_entries = 0;
  TL_TRY(head_read(g, &c, &n_tensors, &n_entries));
  g->entries = TL_NEW(g->arena, tl_gguf_entry, (size_t)n_entries + 1);
  g->tensors = TL_NEW(g->arena, tl_gguf_tensor, (size_t)n_tensors + 1);
  uint64_t *offsets = TL_NEW(g->arena, uint64_t, (size_t)n_tensors + 1);
  if (!g->entries || !g->tensors || !offsets) return TL_OOM();
  if (!tl_map_reserve(&g->by_key, (size_t)n_entries) ||
      !tl_map_reserve(&g->by_tensor, (size_t)n_tensors))
    return TL_OOM();

  for (; g->n_entries < n_entries; g->n_entries++)
    TL_TRY(entry_read(g, &c, g->n_entries));
  int64_t alignment = 0;
  TL_TRY(tl_gguf_i64_or(g, "general.alignment", 1, ALIGNMENT_MAX, ALIGNMENT_DEFAULT, &alignment));
  if (alignment & (alignment - 1))
    return TL_ERROR(INVALID_ARGUMENT, "%s: general.alignment: %lld is not a power of two", g->name,
                    (long long)alignment);
  g->alignment = (size_t)alignment;
  for (; g->n_tensors < n_tensors; g->n_tensors++)
    TL_TRY(tensor_read(g, &c, g->n_tensors, &offsets[g->n_tensors]));
  return tensors_place(g, &c, offsets);
}

static tl_status open_common(const char *name, const void *bytes, size_t size, const char *path,
                             tl_gguf **out) {
  tl_arena *arena = tl_arena_create();
  if (!arena) return TL_OOM();
  tl_gguf *g = TL_NEW(arena, tl_gguf, 1);
  char *copy = tl_arena_printf(arena, "%s", name);
  if (!g || !copy) {
    tl_arena_destroy(arena);
    return TL_OOM();
  }
  *g = (tl_gguf){.arena = arena, .name = copy};
  tl_status st = TL_OK;
  if (path) {
    TL_TRY_GOTO(done, st, tl_file_map_open(path, &g->map));
    bytes = g->map.data;
    size = g->map.size;
  }
  st = file_read(g, size ? bytes : "", size);
done:
  if (st)
    tl_gguf_destroy(g);
  else
    *out = g;
  return st;
}

tl_status tl_gguf_open(const char *path, tl_gguf **out_file) {
  return open_common(path, NULL, 0, path, out_file);
}

tl_status tl_gguf_parse(const void *bytes, size_t size, const char *name, tl_gguf **out_file) {
  return open_common(name, bytes, size, NULL, out_file);
}

void tl_gguf_destroy(tl_gguf *g) {
  if (!g) return;
  tl_file_map_close(&g->map);
  tl_map_deinit(&g->by_key);
  tl_map_deinit(&g->by_tensor);
  tl_arena_destroy(g->arena);
}

const tl_gguf_value *tl_gguf_find(const tl_gguf *g, const char *key) {
  uint64_t i;
  return tl_map_get(&g->by_key, tl_str_of(key), &i) ? &g->entries[i].value : NULL;
}

const tl_gguf_tensor *tl_gguf_tensor_find(const tl_gguf *g, tl_str name) {
  uint64_t i;
  return tl_map_get(&g->by_tensor, name, &i) ? &g->tensors[i] : NULL;
}

// ---- typed metadata

// The value of `key` if it is of one of `kinds`; *out NULL when it is absent.
static tl_status find_kind(const tl_gguf *g, const char *key, const char *kinds, const char *wanted,
                           const tl_gguf_value **out) {
  *out = tl_gguf_find(g, key);
  if (*out && !strchr(kinds, types[(*out)->type].kind[0]))
    return TL_ERROR(INVALID_ARGUMENT, "%s: %s: wanted %s, found a value of type %s", g->name, key,
                    wanted, types[(*out)->type].name);
  return TL_OK;
}

static tl_status absent(const tl_gguf *g, const char *key) {
  return TL_ERROR(NOT_FOUND, "%s: metadata key %s is missing", g->name, key);
}

static tl_status i64_find(const tl_gguf *g, const char *key, int64_t min, int64_t max,
                          bool *out_found, int64_t *out) {
  const tl_gguf_value *v;
  TL_TRY(find_kind(g, key, "ui", "an integer", &v));
  *out_found = v != NULL;
  if (!v) return TL_OK;
  bool is_unsigned = types[v->type].kind[0] == 'u';
  int64_t i = v->i; // of an unsigned value past INT64_MAX: negative, and refused below by name
  if ((is_unsigned && v->u > INT64_MAX) || i < min || i > max) {
    if (is_unsigned)
      return TL_ERROR(INVALID_ARGUMENT, "%s: %s: %llu is not within %lld to %lld", g->name, key,
                      (unsigned long long)v->u, (long long)min, (long long)max);
    return TL_ERROR(INVALID_ARGUMENT, "%s: %s: %lld is not within %lld to %lld", g->name, key,
                    (long long)i, (long long)min, (long long)max);
  }
  *out = i;
  return TL_OK;
}

tl_status tl_gguf_i64(const tl_gguf *g, const char *key, int64_t min, int64_t max, int64_t *out) {
  bool found;
  TL_TRY(i64_find(g, key, min, max, &found, out));
  return found ? TL_OK : absent(g, key);
}

tl_status tl_gguf_i64_or(const tl_gguf *g, const char *key, int64_t min, int64_t max,
                         int64_t fallback, int64_t *out) {
  bool found;
  TL_TRY(i64_find(g, key, min, max, &found, out));
  if (!found) *out = fallback;
  return TL_OK;
}

tl_status tl_gguf_f64(const tl_gguf *g, const char *key, double *out) {
  const tl_gguf_value *v;
  TL_TRY(find_kind(g, key, "f", "a float", &v));
  if (!v) return absent(g, key);
  *out = v->f;
  return TL_OK;
}

tl_status tl_gguf_f64_or(const tl_gguf *g, const char *key, double fallback, double *out) {
  const tl_gguf_value *v;
  TL_TRY(find_kind(g, key, "f", "a float", &v));
  *out = v ? v->f : fallback;
  return TL_OK;
}

tl_status tl_gguf_bool_or(const tl_gguf *g, const char *key, bool fallback, bool *out) {
  const tl_gguf_value *v;
  TL_TRY(find_kind(g, key, "b", "a bool", &v));
  *out = v ? v->b : fallback;
  return TL_OK;
}

tl_status tl_gguf_str(const tl_gguf *g, const char *key, tl_str *out) {
  const tl_gguf_value *v;
  TL_TRY(find_kind(g, key, "s", "a string", &v));
  if (!v) return absent(g, key);
  *out = v->s;
  return TL_OK;
}

tl_status tl_gguf_str_or(const tl_gguf *g, const char *key, tl_str fallback, tl_str *out) {
  const tl_gguf_value *v;
  TL_TRY(find_kind(g, key, "s", "a string", &v));
  *out = v ? v->s : fallback;
  return TL_OK;
}

static tl_status find_array(const tl_gguf *g, const char *key, const char *kinds,
                            const char *wanted, const tl_gguf_value **out) {
  TL_TRY(find_kind(g, key, "a", wanted, out));
  if (!*out) return absent(g, key);
  if (!strchr(kinds, types[(*out)->item].kind[0]))
    return TL_ERROR(INVALID_ARGUMENT, "%s: %s: wanted %s, found an array of %s", g->name, key,
                    wanted, types[(*out)->item].name);
  return TL_OK;
}

tl_status tl_gguf_strings(const tl_gguf *g, const char *key, const tl_str **out_items,
                          size_t *out_len) {
  const tl_gguf_value *v;
  TL_TRY(find_array(g, key, "s", "an array of strings", &v));
  *out_items = v->strings;
  *out_len = v->len;
  return TL_OK;
}

tl_status tl_gguf_ints(const tl_gguf *g, const char *key, const tl_gguf_value **out_array) {
  return find_array(g, key, "ui", "an array of integers", out_array);
}

tl_status tl_gguf_floats(const tl_gguf *g, const char *key, const tl_gguf_value **out_array) {
  return find_array(g, key, "f", "an array of floats", out_array);
}

static uint64_t item_bits(const tl_gguf_value *array, size_t i) {
  size_t size = types[array->item].size;
  TL_ASSERT(i < array->len && size > 0);
  return little(array->raw + i * size, size);
}

int64_t tl_gguf_item_i64(const tl_gguf_value *array, size_t i) {
  uint64_t u = item_bits(array, i);
  if (types[array->item].kind[0] == 'i') return signed_of(u, types[array->item].size);
  return u > INT64_MAX ? INT64_MAX : (int64_t)u;
}

double tl_gguf_item_f64(const tl_gguf_value *array, size_t i) {
  return f64_of(item_bits(array, i), types[array->item].size);
}

bool tl_gguf_item_bool(const tl_gguf_value *array, size_t i) { return item_bits(array, i) != 0; }
