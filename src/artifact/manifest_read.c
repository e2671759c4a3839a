// A manifest's text as an artifact, strictly: every key known and of its kind, every number in its
// range, every path inside the directory. What holds between the parts is manifest_check.c's.
//
// The schema version is looked at first, for it decides which keys there may be; and a format that
// we know but do not read is refused by its name rather than by its first strange key.
#include "artifact/manifest.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/map.h"

enum { PLACE = 512, MAX_ENTRIES = 4096, MAX_SLOTS = 1 << 16, MAX_REFUSED = 4096, MAX_TEXT = 4000 };

typedef struct reader {
  tl_artifact *a;
  const char *name; // the file's
  uint32_t version;
  int64_t batch[TL_MANIFEST_RUNGS], context[TL_MANIFEST_RUNGS], tokens[TL_MANIFEST_RUNGS];
  size_t n_batch, n_context, n_tokens;
  const char *weights_path;
} reader;

typedef struct place { // where something stands, for messages
  char text[PLACE];
} place;

TL_PRINTF(2, 3)
static place within(const char *outer, const char *fmt, ...) {
  place p;
  int n = snprintf(p.text, sizeof p.text, "%.300s: ", outer);
  size_t at = n < 0 ? 0 : TL_MIN((size_t)n, sizeof p.text - 1);
  va_list args;
  va_start(args, fmt);
  vsnprintf(p.text + at, sizeof p.text - at, fmt, args);
  va_end(args);
  return p;
}

static tl_status keep_text(reader *r, const json_t *o, const char *where, const char *key,
                           const char **out) {
  tl_str s, copy;
  TL_TRY(tl_json_str(o, where, key, &s));
  size_t blanks = 0;
  while (blanks < s.len && (unsigned char)s.ptr[blanks] <= ' ')
    blanks++;
  if (blanks == s.len) return TL_ERROR(INVALID_ARGUMENT, "%s: %s: is blank", where, key);
  if (s.len > MAX_TEXT) // paths and names, which messages show whole
    return TL_ERROR(INVALID_ARGUMENT, "%s: %s: has %zu bytes, at most %d are read", where, key,
                    s.len, MAX_TEXT);
  copy = tl_str_copy(r->a->arena, s);
  if (!copy.ptr) return TL_OOM();
  *out = copy.ptr;
  return TL_OK;
}

static tl_status keep_path(reader *r, const json_t *o, const char *where, const char *key,
                           bool absolute, const char **out) {
  TL_TRY(keep_text(r, o, where, key, out));
  if (absolute && (*out)[0] == '/') return TL_OK;
  if (!tl_path_is_safe_relative(tl_str_of(*out)))
    return TL_ERROR(INVALID_ARGUMENT, "%s: %s: \"%.100s\" leads out of the directory", where, key,
                    *out);
  return TL_OK;
}

static tl_status keep_digest(reader *r, const json_t *o, const char *where, const char *key,
                             const char **out) {
  TL_TRY(keep_text(r, o, where, key, out));
  if (strlen(*out) != TL_SHA256_HEX || strspn(*out, "0123456789abcdef") != TL_SHA256_HEX)
    return TL_ERROR(INVALID_ARGUMENT, "%s: %s: \"%.80s\" is no SHA-256 in lower-case hex", where,
                    key, *out);
  return TL_OK;
}

static tl_status get_u32(const json_t *o, const char *where, const char *key, uint32_t min,
                         uint32_t *out) {
  int64_t v;
  TL_TRY(tl_json_i64(o, where, key, min, INT32_MAX, &v));
  *out = (uint32_t)v;
  return TL_OK;
}

// An array of integers, at most `cap`.
static tl_status get_ints(const json_t *o, const char *where, const char *key, int64_t min,
                          int64_t max, size_t cap, int64_t *out, size_t *out_n) {
  json_t *array;
  TL_TRY(tl_json_array(o, where, key, &array));
  const size_t n = json_array_size(array);
  if (n > cap)
    return TL_ERROR(INVALID_ARGUMENT, "%s: %s: %zu values, at most %zu are allowed", where, key, n,
                    cap);
  for (size_t i = 0; i < n; i++) {
    const json_t *v = json_array_get(array, i);
    if (!json_is_integer(v))
      return TL_ERROR(INVALID_ARGUMENT, "%s: %s[%zu]: wanted an integer, found %s", where, key, i,
                      tl_json_kind(v));
    out[i] = json_integer_value(v);
    if (out[i] < min || out[i] > max)
      return TL_ERROR(INVALID_ARGUMENT, "%s: %s[%zu]: %" PRId64 ", wanted %" PRId64 " to %" PRId64,
                      where, key, i, out[i], min, max);
  }
  *out_n = n;
  return TL_OK;
}

static tl_status want_text(const json_t *o, const char *where, const char *key,
                           const char *wanted) {
  tl_str s;
  TL_TRY(tl_json_str(o, where, key, &s));
  if (!tl_str_is(s, wanted))
    return TL_ERROR(INVALID_ARGUMENT, "%s: %s: \"%.80s\", wanted \"%s\"", where, key, s.ptr,
                    wanted);
  return TL_OK;
}

// The items of an array must be objects.
static tl_status get_item(const json_t *array, size_t i, const place *where) {
  const json_t *v = json_array_get(array, i);
  if (json_is_object(v)) return TL_OK;
  return TL_ERROR(INVALID_ARGUMENT, "%s: wanted an object, found %s", where->text, tl_json_kind(v));
}

static tl_status get_type(reader *r, const json_t *o, const char *where, const char *dims_key,
                          tl_type *out) {
  tl_str dtype;
  int64_t dims[TL_MAX_RANK];
  size_t rank, size;
  TL_TRY(tl_json_str(o, where, "dtype", &dtype));
  tl_type t = {0};
  if (!tl_wire_dtype_of_name(dtype, &t.dtype))
    return TL_ERROR(INVALID_ARGUMENT, "%s: dtype: \"%.40s\" is not one we know", where, dtype.ptr);
  TL_TRY(get_ints(o, where, dims_key, 1, INT64_MAX, TL_MAX_RANK, dims, &rank));
  t = tl_type_of(r->a->arena, t.dtype, dims, (uint32_t)rank);
  if (rank && !t.dims) return TL_OOM();
  if (!tl_type_size(t, &size))
    return TL_ERROR(INVALID_ARGUMENT, "%s: %s: more bytes than memory can hold", where, dims_key);
  *out = t;
  return TL_OK;
}

// --- model ---

static tl_status read_stops(reader *r, const json_t *model, const char *where) {
  tl_artifact *a = r->a;
  int64_t ids[TL_MODEL_STOPS];
  size_t n;
  TL_TRY(get_ints(model, where, "stopIds", 0, (int64_t)a->vocab - 1, TL_MODEL_STOPS, ids, &n));
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < i; j++)
      if (ids[i] == ids[j])
        return TL_ERROR(INVALID_ARGUMENT, "%s: stopIds: %" PRId64 " twice", where, ids[i]);
    a->stops[i] = (int32_t)ids[i];
  }
  a->n_stops = (uint32_t)n;
  return TL_OK;
}

static tl_status read_refused(reader *r, const json_t *model, const char *where) {
  tl_artifact *a = r->a;
  if (!json_object_get(model, "refusedTokens")) return TL_OK;
  json_t *array;
  TL_TRY(tl_json_array(model, where, "refusedTokens", &array));
  const size_t n = json_array_size(array);
  if (n > MAX_REFUSED)
    return TL_ERROR(INVALID_ARGUMENT, "%s: refusedTokens: %zu of them, at most %d are read", where,
                    n, MAX_REFUSED);
  int32_t *ids = TL_NEW(a->arena, int32_t, TL_MAX(n, (size_t)1));
  if (!ids) return TL_OOM();
  for (size_t i = 0; i < n; i++) {
    static const char *const known[] = {"id", "configKey"};
    place at = within(where, "refusedTokens[%zu]", i);
    const json_t *o = json_array_get(array, i);
    int64_t id;
    tl_str key;
    TL_TRY(get_item(array, i, &at));
    TL_TRY(tl_json_only(o, at.text, known, TL_COUNT(known)));
    TL_TRY(tl_json_i64(o, at.text, "id", INT64_MIN, INT64_MAX, &id));
    TL_TRY(tl_json_str(o, at.text, "configKey", &key));
    if (id < 0 || id >= a->vocab)
      return TL_ERROR(INVALID_ARGUMENT,
                      "%s: id: %" PRId64 " lies outside the vocabulary of %u tokens", at.text, id,
                      a->vocab);
    size_t j = i; // ascending, so that a second one meets the first
    for (; j > 0 && ids[j - 1] >= id; j--) {
      if (ids[j - 1] == id)
        return TL_ERROR(INVALID_ARGUMENT, "%s: id: token %" PRId64 " is refused twice", at.text,
                        id);
      ids[j] = ids[j - 1];
    }
    ids[j] = (int32_t)id;
  }
  a->refused = ids;
  a->n_refused = n;
  return TL_OK;
}

// Keys of what we do not run: in a schema that has them they do not get here, so in v1, v2 and v6
// they are out of place.
static tl_status refuse_strangers(const reader *r, const json_t *model, const char *where) {
  static const struct {
    const char *key, *home;
  } rows[] = {{"windowedKv", "tlaloc-serving-v3"},
              {"linearState", "tlaloc-serving-v4"},
              {"mtpDraftTokens", "tlaloc-serving-v5"}};
  for (size_t i = 0; i < TL_COUNT(rows); i++) {
    const json_t *v = json_object_get(model, rows[i].key);
    if (!v || (json_is_integer(v) && json_integer_value(v) == 0)) continue;
    return TL_ERROR(INVALID_ARGUMENT, "%s: %s: a manifest with it is a %s, this one says v%u",
                    where, rows[i].key, rows[i].home, r->version);
  }
  bool kernels;
  TL_TRY(tl_json_bool_or(model, where, "cudaKernels", false, &kernels));
  if (kernels)
    return TL_ERROR(UNIMPLEMENTED, "%s: cudaKernels: the bodies call kernels that only CUDA has",
                    where);
  const json_t *quant = json_object_get(model, "kvQuant");
  if (quant && !json_is_null(quant))
    return TL_ERROR(UNIMPLEMENTED, "%s: kvQuant: quantized KV pools are not supported, wanted null",
                    where);
  return TL_OK;
}

static tl_status read_pool(reader *r, const json_t *model, const char *where) {
  static const char *const axes[] = {"numBlocks", "blockSize", "numKvHeads", "headDim"};
  tl_artifact *a = r->a;
  json_t *order;
  TL_TRY(tl_json_array(model, where, "kvPoolAxisOrder", &order));
  bool same = json_array_size(order) == TL_COUNT(axes);
  for (size_t i = 0; same && i < TL_COUNT(axes); i++) {
    const char *axis = json_string_value(json_array_get(order, i)); // NULL unless a string
    same = axis && strcmp(axis, axes[i]) == 0;
  }
  if (!same)
    return TL_ERROR(INVALID_ARGUMENT,
                    "%s: kvPoolAxisOrder: wanted numBlocks, blockSize, numKvHeads, headDim", where);
  for (int stacked = 0; stacked <= (r->version == 6); stacked++) {
    const char *key = stacked ? "stackedKvPoolDims" : "kvPoolDims";
    const int64_t wanted[] = {stacked ? 2 * (int64_t)a->n_layers * a->num_blocks
                                      : (int64_t)a->num_blocks,
                              a->block_size, a->n_kv_heads, tl_kv_row(a->kv_dtype, a->head_dim)};
    int64_t dims[4];
    size_t n;
    TL_TRY(get_ints(model, where, key, 1, INT64_MAX, 4, dims, &n));
    if (n != 4 || memcmp(dims, wanted, sizeof dims) != 0)
      return TL_ERROR(INVALID_ARGUMENT,
                      "%s: %s: wanted [%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
                      "] as the other keys say",
                      where, key, wanted[0], wanted[1], wanted[2], wanted[3]);
  }
  return TL_OK;
}

static tl_status read_model(reader *r, const json_t *root) {
  static const char *const known[] = {
      "vocabSize",         "hiddenSize",      "numHeads",    "numKvHeads", "headDim",
      "numLayers",         "numBlocks",       "blockSize",   "dtype",      "kvDtype",
      "kvQuant",           "kvPoolAxisOrder", "kvPoolDims",  "windowedKv", "refusedTokens",
      "linearState",       "mtpDraftTokens",  "cudaKernels",                           // to v5
      "stackedKvPoolDims", "context",         "maxBatch",    "compute",    "stopIds"}; // v6
  tl_artifact *a = r->a;
  json_t *model;
  TL_TRY(tl_json_object(root, r->name, "model", &model));
  const place at = within(r->name, "model");
  const char *where = at.text;
  TL_TRY(tl_json_only(model, where, known, TL_COUNT(known) - (r->version == 6 ? 0 : 5)));
  TL_TRY(refuse_strangers(r, model, where));
  TL_TRY(get_u32(model, where, "vocabSize", 1, &a->vocab));
  TL_TRY(get_u32(model, where, "hiddenSize", 1, &a->hidden));
  TL_TRY(get_u32(model, where, "numHeads", 1, &a->n_heads));
  TL_TRY(get_u32(model, where, "numKvHeads", 1, &a->n_kv_heads));
  TL_TRY(get_u32(model, where, "headDim", 1, &a->head_dim));
  TL_TRY(get_u32(model, where, "numLayers", 1, &a->n_layers));
  TL_TRY(get_u32(model, where, "numBlocks", 0, &a->num_blocks));
  TL_TRY(get_u32(model, where, "blockSize", 1, &a->block_size));
  if (a->num_blocks < 2)
    return TL_ERROR(INVALID_ARGUMENT,
                    "%s: numBlocks: %u; page 0 is scratch, so at least 2 are needed", where,
                    a->num_blocks);
  // Slots and blocks are counted in i32, over all layers where the pool is stacked.
  int64_t positions;
  if (!TL_MUL_OK((int64_t)a->num_blocks, (int64_t)a->block_size, &positions) ||
      !TL_MUL_OK(positions, (int64_t)a->n_layers * 2, &positions) || positions > INT32_MAX)
    return TL_ERROR(INVALID_ARGUMENT,
                    "%s: numBlocks: %u pages of %u tokens in %u layers are more slots than i32 "
                    "counts",
                    where, a->num_blocks, a->block_size, a->n_layers);
  if (a->n_heads % a->n_kv_heads)
    return TL_ERROR(INVALID_ARGUMENT, "%s: numHeads: %u is not a multiple of numKvHeads, %u", where,
                    a->n_heads, a->n_kv_heads);
  TL_TRY(want_text(model, where, "dtype", "f32"));
  tl_str kv;
  TL_TRY(tl_json_str(model, where, "kvDtype", &kv));
  if (tl_str_is(kv, "f32"))
    a->kv_dtype = TL_DTYPE_F32;
  else if (tl_str_is(kv, "bf16"))
    a->kv_dtype = TL_DTYPE_BF16;
  else if (r->version == 6 && tl_str_is(kv, "f16"))
    a->kv_dtype = TL_DTYPE_F16;
  else if (r->version == 6 && tl_str_is(kv, "f8e4m3fn"))
    a->kv_dtype = TL_DTYPE_F8E4M3FN;
  else if (r->version == 6 && tl_str_is(kv, "i8"))
    a->kv_dtype = TL_DTYPE_S8;
  else
    return TL_ERROR(UNIMPLEMENTED, "%s: kvDtype: \"%.40s\", wanted f32%s", where, kv.ptr,
                    r->version == 6 ? ", bf16, f16, f8e4m3fn or i8" : " or bf16");
  TL_TRY(read_pool(r, model, where));
  TL_TRY(read_refused(r, model, where));
  a->compute = "exact";
  if (r->version != 6) return TL_OK;
  TL_TRY(get_u32(model, where, "context", 1, &a->context));
  TL_TRY(get_u32(model, where, "maxBatch", 1, &a->max_batch));
  if (a->context % a->block_size)
    return TL_ERROR(INVALID_ARGUMENT, "%s: context: %u is not a multiple of blockSize, %u", where,
                    a->context, a->block_size);
  tl_str compute;
  TL_TRY(tl_json_str(model, where, "compute", &compute));
  if (tl_str_is(compute, "fast"))
    a->compute = "fast";
  else if (!tl_str_is(compute, "exact"))
    return TL_ERROR(UNIMPLEMENTED, "%s: compute: \"%.40s\", wanted \"exact\" or \"fast\"", where,
                    compute.ptr);
  return read_stops(r, model, where);
}

// --- ladder ---

static tl_status read_rungs(const json_t *o, const char *where, const char *key, bool may_be_empty,
                            int64_t *rungs, size_t *out_n) {
  TL_TRY(get_ints(o, where, key, 1, INT32_MAX, TL_MANIFEST_RUNGS, rungs, out_n));
  if (*out_n == 0 && !may_be_empty)
    return TL_ERROR(INVALID_ARGUMENT, "%s: %s: is empty", where, key);
  for (size_t i = 1; i < *out_n; i++)
    if (rungs[i] <= rungs[i - 1])
      return TL_ERROR(INVALID_ARGUMENT, "%s: %s[%zu]: %" PRId64 " does not ascend", where, key, i,
                      rungs[i]);
  return TL_OK;
}

static tl_status read_ladder(reader *r, const json_t *root) {
  static const char *const known[] = {"blockSize", "batch", "context", "tokens"};
  json_t *ladder;
  const bool v6 = r->version == 6;
  TL_TRY(tl_json_object(root, r->name, "bucketLadder", &ladder));
  const place at = within(r->name, "bucketLadder");
  TL_TRY(tl_json_only(ladder, at.text, known, v6 ? 4 : 3));
  uint32_t block_size;
  TL_TRY(get_u32(ladder, at.text, "blockSize", 1, &block_size));
  if (block_size != r->a->block_size)
    return TL_ERROR(INVALID_ARGUMENT, "%s: blockSize: %u, the model says %u", at.text, block_size,
                    r->a->block_size);
  TL_TRY(read_rungs(ladder, at.text, "batch", v6, r->batch, &r->n_batch));
  TL_TRY(read_rungs(ladder, at.text, "context", v6, r->context, &r->n_context));
  for (size_t i = 0; i < r->n_context; i++)
    if (r->context[i] % block_size)
      return TL_ERROR(INVALID_ARGUMENT,
                      "%s: context[%zu]: %" PRId64 " is not a multiple of blockSize, %u", at.text,
                      i, r->context[i], block_size);
  if (v6) return read_rungs(ladder, at.text, "tokens", true, r->tokens, &r->n_tokens);
  return TL_OK;
}

static bool is_rung(const int64_t *rungs, size_t n, uint32_t value) {
  for (size_t i = 0; i < n; i++)
    if (rungs[i] == value) return true;
  return false;
}

// --- weights ---

// v6: the format says what the bytes mean, and the type must be one that can hold it.
static tl_status check_format(const tl_artifact_slot *s, bool packed, const char *where) {
  tl_format f;
  char dtype[16];
  if (!tl_format_of_name(tl_str_of(s->format), &f))
    return TL_ERROR(INVALID_ARGUMENT, "%s: format: \"%.40s\" is not one we know", where, s->format);
  if (packed) return TL_OK; // the entries' own types say what it is
  const tl_format_info *info = tl_format_get(f);
  if (!info->code_bits) {
    if (strcmp(tl_wire_dtype_name(s->stored.dtype, dtype), info->name) == 0) return TL_OK;
    return TL_ERROR(INVALID_ARGUMENT, "%s: format: %s elements cannot have dtype %s", where,
                    info->name, dtype);
  }
  size_t k;
  if (s->stored.dtype == TL_DTYPE_U8 && s->stored.rank == 2 && s->stored.dims[1] > 0 &&
      tl_format_row_k(f, (size_t)s->stored.dims[1], &k))
    return TL_OK;
  return TL_ERROR(INVALID_ARGUMENT,
                  "%s: format: %s wants ui8 [rows, row bytes] in whole blocks of %u bytes", where,
                  info->name, info->bytes);
}

static tl_status read_weight(reader *r, const json_t *o, const char *where, tl_artifact_slot *s) {
  static const char *const known[] = {"name",       "path",   "dtype",  "dims",
                                      "byteLength", "sha256", "offset", "format"};
  const bool v6 = r->version == 6;
  TL_TRY(tl_json_only(o, where, known, v6 ? 8 : 6));
  TL_TRY(keep_text(r, o, where, "name", &s->name));
  TL_TRY(keep_path(r, o, where, "path", v6, &s->path));
  TL_TRY(get_type(r, o, where, "dims", &s->stored));
  TL_TRY(keep_digest(r, o, where, "sha256", &s->sha256));
  int64_t length, offset = 0;
  size_t size;
  TL_TRY(tl_json_i64(o, where, "byteLength", 0, INT64_MAX, &length));
  if (!tl_type_size(s->stored, &size) || size != (uint64_t)length)
    return TL_ERROR(INVALID_ARGUMENT, "%s: byteLength: %" PRId64 ", dtype and dims make %zu", where,
                    length, size);
  if (v6) {
    TL_TRY(tl_json_i64(o, where, "offset", 0, INT64_MAX - length, &offset));
    TL_TRY(keep_text(r, o, where, "format", &s->format));
    TL_TRY(check_format(s, r->a->priv->wire->packed, where));
  } else {
    char dtype[16];
    tl_str copy = tl_str_copy(r->a->arena, tl_str_of(tl_wire_dtype_name(s->stored.dtype, dtype)));
    if (!copy.ptr) return TL_OOM();
    s->format = copy.ptr;
  }
  s->size = size;
  s->offset = (uint64_t)offset;
  s->prepared = s->stored;
  return TL_OK;
}

static tl_status read_weights(reader *r, const json_t *root) {
  static const char *const known[] = {"format", "path", "embedded", "table"};
  tl_artifact *a = r->a;
  json_t *o, *table;
  TL_TRY(tl_json_object(root, r->name, "weights", &o));
  const place at = within(r->name, "weights");
  TL_TRY(tl_json_only(o, at.text, known, TL_COUNT(known)));
  tl_str format;
  TL_TRY(tl_json_str(o, at.text, "format", &format));
  if (tl_str_is(format, "safetensors"))
    return TL_ERROR(UNIMPLEMENTED,
                    "%s: format: weights that stay in a safetensors file are not supported, wanted "
                    "embedded or staged",
                    at.text);
  const bool embedded = tl_str_is(format, "embedded"),
             packed = r->version == 6 && tl_str_is(format, "packed");
  if (!embedded && !packed && !tl_str_is(format, "staged"))
    return TL_ERROR(INVALID_ARGUMENT, "%s: format: \"%.40s\", wanted embedded%s staged", at.text,
                    format.ptr, r->version == 6 ? ", packed or" : " or");
  if (!json_is_boolean(json_object_get(o, "embedded")) ||
      json_is_true(json_object_get(o, "embedded")) != embedded)
    return TL_ERROR(INVALID_ARGUMENT, "%s: embedded: wanted %s, for the format is %s", at.text,
                    embedded ? "true" : "false", format.ptr);
  if (embedded) {
    const json_t *path = json_object_get(o, "path");
    if (path && !json_is_null(path))
      return TL_ERROR(INVALID_ARGUMENT, "%s: path: embedded weights have none, wanted null",
                      at.text);
  } else {
    const char *ignored; // rows name their files themselves
    TL_TRY(keep_path(r, o, at.text, "path", false, &ignored));
  }
  TL_TRY(tl_json_array(o, at.text, "table", &table));
  const size_t n = json_array_size(table);
  if (embedded && n)
    return TL_ERROR(INVALID_ARGUMENT, "%s: table: embedded weights have none, found %zu rows",
                    at.text, n);
  if (!embedded && !n) return TL_ERROR(INVALID_ARGUMENT, "%s: table: is empty", at.text);
  if (n > MAX_SLOTS)
    return TL_ERROR(INVALID_ARGUMENT, "%s: table: %zu rows, at most %d are read", at.text, n,
                    MAX_SLOTS);
  a->priv->wire->embedded = embedded, a->priv->wire->packed = packed;
  a->slots = TL_NEW(a->arena, tl_artifact_slot, TL_MAX(n, (size_t)1));
  if (!a->slots) return TL_OOM();
  a->n_slots = n;
  for (size_t i = 0; i < n; i++) {
    const place row = within(at.text, "table[%zu]", i);
    TL_TRY(get_item(table, i, &row));
    TL_TRY(read_weight(r, json_array_get(table, i), row.text, &a->slots[i]));
  }
  return TL_OK;
}

// --- tokenizer (v6) ---

static tl_status read_tokenizer(reader *r, const json_t *root) {
  static const char *const known[] = {"path", "files"};
  static const char *const known_file[] = {"name", "sha256"};
  struct tl_artifact_wire *w = r->a->priv->wire;
  const json_t *v = json_object_get(root, "tokenizer");
  if (v && json_is_null(v)) return TL_OK;
  json_t *o, *files;
  TL_TRY(tl_json_object(root, r->name, "tokenizer", &o));
  const place at = within(r->name, "tokenizer");
  TL_TRY(tl_json_only(o, at.text, known, TL_COUNT(known)));
  TL_TRY(keep_path(r, o, at.text, "path", false, &w->tokenizer));
  TL_TRY(tl_json_array(o, at.text, "files", &files));
  const size_t n = json_array_size(files);
  if (n < 1 || n > TL_MANIFEST_TOKENIZER_FILES)
    return TL_ERROR(INVALID_ARGUMENT, "%s: files: %zu, wanted 1 to %d", at.text, n,
                    TL_MANIFEST_TOKENIZER_FILES);
  w->tokenizer_files = TL_NEW(r->a->arena, tl_wire_file, n);
  if (!w->tokenizer_files) return TL_OOM();
  w->n_tokenizer_files = n;
  for (size_t i = 0; i < n; i++) {
    const place row = within(at.text, "files[%zu]", i);
    const json_t *file = json_array_get(files, i);
    TL_TRY(get_item(files, i, &row));
    TL_TRY(tl_json_only(file, row.text, known_file, TL_COUNT(known_file)));
    TL_TRY(keep_path(r, file, row.text, "name", false, &w->tokenizer_files[i].name));
    TL_TRY(keep_digest(r, file, row.text, "sha256", &w->tokenizer_files[i].sha256));
  }
  return TL_OK;
}

// --- entries ---

static tl_status read_slot(reader *r, const json_t *o, const char *where, tl_wire_slot *s) {
  static const char *const known[] = {"name", "role", "type"};
  static const char *const known_type[] = {"dtype", "dims", "axisNames"};
  json_t *type, *axes;
  tl_str role;
  TL_TRY(tl_json_only(o, where, known, TL_COUNT(known)));
  TL_TRY(keep_text(r, o, where, "name", &s->name));
  TL_TRY(tl_json_str(o, where, "role", &role));
  if (!tl_slot_role_of_name(role, &s->role))
    return TL_ERROR(INVALID_ARGUMENT, "%s: role: \"%.40s\" is not one we know", where, role.ptr);
  const uint32_t since = tl_slot_role_since(s->role);
  if (since != 1 && since != r->version)
    return TL_ERROR(INVALID_ARGUMENT, "%s: role: %s belongs to tlaloc-serving-v%u, this is v%u",
                    where, role.ptr, since, r->version);
  TL_TRY(tl_json_object(o, where, "type", &type));
  TL_TRY(tl_json_only(type, where, known_type, TL_COUNT(known_type)));
  TL_TRY(get_type(r, type, where, "dims", &s->type));
  TL_TRY(tl_json_array(type, where, "axisNames", &axes));
  const size_t n = json_array_size(axes);
  if (n != 0 && n != s->type.rank)
    return TL_ERROR(INVALID_ARGUMENT, "%s: axisNames: %zu names for %u axes", where, n,
                    s->type.rank);
  for (size_t i = 0; i < n; i++)
    if (!json_is_string(json_array_get(axes, i)))
      return TL_ERROR(INVALID_ARGUMENT, "%s: axisNames[%zu]: wanted a string, found %s", where, i,
                      tl_json_kind(json_array_get(axes, i)));
  return TL_OK;
}

static tl_status read_slots(reader *r, const json_t *entry, const char *where, const char *key,
                            tl_wire_slot **out_slots, uint32_t *out_n) {
  json_t *array;
  TL_TRY(tl_json_array(entry, where, key, &array));
  const size_t n = json_array_size(array);
  if (n > MAX_SLOTS)
    return TL_ERROR(INVALID_ARGUMENT, "%s: %s: %zu of them, at most %d are read", where, key, n,
                    MAX_SLOTS);
  tl_wire_slot *slots = TL_NEW(r->a->arena, tl_wire_slot, TL_MAX(n, (size_t)1));
  if (!slots) return TL_OOM();
  tl_map names = {0};
  tl_status st = tl_map_reserve(&names, n) ? TL_OK : TL_OOM();
  for (size_t i = 0; i < n && !st; i++) {
    const place at = within(where, "%s[%zu]", key, i);
    st = get_item(array, i, &at);
    if (!st) st = read_slot(r, json_array_get(array, i), at.text, &slots[i]);
    if (st) break;
    const tl_str name = tl_str_of(slots[i].name);
    uint64_t first;
    if (tl_map_get(&names, name, &first))
      st = TL_ERROR(INVALID_ARGUMENT, "%s: name: \"%.80s\" is that of %s[%llu] already", at.text,
                    name.ptr, key, (unsigned long long)first);
    else if (!tl_map_put(&names, name, i))
      st = TL_OOM();
  }
  tl_map_deinit(&names);
  *out_slots = slots;
  *out_n = (uint32_t)n;
  return st;
}

static tl_status read_pairs(reader *r, const json_t *entry, const char *where, tl_wire_entry *w,
                            const tl_artifact_entry *e) {
  json_t *array;
  TL_TRY(tl_json_array(entry, where, "donationPairs", &array));
  const size_t n = json_array_size(array);
  if (n > e->n_inputs)
    return TL_ERROR(INVALID_ARGUMENT, "%s: donationPairs: %zu for %u inputs", where, n,
                    e->n_inputs);
  w->pairs =
      tl_arena_alloc_array(r->a->arena, TL_MAX(n, (size_t)1), sizeof *w->pairs, _Alignof(uint32_t));
  if (!w->pairs) return TL_OOM();
  w->n_pairs = n;
  for (size_t i = 0; i < n; i++) {
    const json_t *pair = json_array_get(array, i);
    if (json_array_size(pair) != 2)
      return TL_ERROR(INVALID_ARGUMENT, "%s: donationPairs[%zu]: wanted [input, output]", where, i);
    for (size_t side = 0; side < 2; side++) {
      const json_t *v = json_array_get(pair, side);
      const uint32_t limit = side ? e->n_outputs : e->n_inputs;
      if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) >= limit)
        return TL_ERROR(INVALID_ARGUMENT,
                        "%s: donationPairs[%zu]: there is no such %s, wanted 0 to %" PRId64, where,
                        i, side ? "output" : "input", (int64_t)limit - 1);
      w->pairs[i][side] = (uint32_t)json_integer_value(v);
    }
  }
  return TL_OK;
}

static tl_status off_ladder(const char *where, const char *key, uint32_t value) {
  return TL_ERROR(INVALID_ARGUMENT, "%s: %s: %u is not on the bucketLadder", where, key, value);
}

// What makes an entry the one it is, by kind.
static tl_status read_shape(reader *r, const json_t *o, const char *where, tl_artifact_entry *e,
                            tl_wire_entry *w) {
  if (e->kind == TL_ENTRY_PREPARE) return TL_OK;
  TL_TRY(get_u32(o, where, "maxBlocksPerSeq", 1, &w->max_blocks));
  if (e->kind == TL_ENTRY_STEP) {
    TL_TRY(get_u32(o, where, "tokens", 1, &e->T));
    TL_TRY(get_u32(o, where, "sequences", 1, &e->S));
    TL_TRY(get_u32(o, where, "rows", 1, &e->R));
    return is_rung(r->tokens, r->n_tokens, e->T) ? TL_OK : off_ladder(where, "tokens", e->T);
  }
  TL_TRY(get_u32(o, where, "batch", 1, &e->B));
  TL_TRY(get_u32(o, where, "context", 1, &e->C));
  TL_TRY(get_u32(o, where, "tokensPerSeq", 1, &e->tokens));
  if (!is_rung(r->batch, r->n_batch, e->B)) return off_ladder(where, "batch", e->B);
  if (!is_rung(r->context, r->n_context, e->C)) return off_ladder(where, "context", e->C);
  return TL_OK;
}

static tl_status read_kind(const reader *r, const json_t *o, const char *where,
                           tl_entry_kind *out) {
  tl_str kind;
  TL_TRY(tl_json_str(o, where, "kind", &kind));
  for (int k = TL_ENTRY_PREPARE; k <= TL_ENTRY_PREFILL; k++) {
    if (!tl_str_is(kind, tl_entry_kind_name((tl_entry_kind)k))) continue;
    *out = (tl_entry_kind)k;
    if (k < TL_ENTRY_DECODE && r->version != 6) break;
    if (k == TL_ENTRY_PREFILL && r->version == 1)
      return TL_ERROR(INVALID_ARGUMENT, "%s: kind: prefill, a tlaloc-serving-v1 has decode alone",
                      where);
    return TL_OK;
  }
  return TL_ERROR(INVALID_ARGUMENT, "%s: kind: \"%.40s\", wanted %s", where, kind.ptr,
                  r->version == 6   ? "prepare, step, decode or prefill"
                  : r->version == 2 ? "decode or prefill"
                                    : "decode");
}

static tl_status read_entry(reader *r, const json_t *o, const char *where, tl_artifact_entry *e,
                            tl_wire_entry *w) {
  static const char *const known[] = {
      "kind",
      "cacheKey",
      "entryPoint",
      "bodyPath",
      "bodyHash",
      "inputs",
      "outputs",
      "programPath",
      "donationPairs", // all
      "maxBlocksPerSeq",
      "batch",
      "context",
      "tokensPerSeq", // decode, prefill
  };
  static const char *const known_step[] = {
      "kind",   "cacheKey",  "entryPoint",  "bodyPath",      "bodyHash",
      "inputs", "outputs",   "programPath", "donationPairs", "maxBlocksPerSeq",
      "tokens", "sequences", "rows",
  };
  tl_artifact *a = r->a;
  TL_TRY(read_kind(r, o, where, &e->kind));
  TL_TRY(tl_json_only(o, where, e->kind == TL_ENTRY_STEP ? known_step : known,
                      e->kind == TL_ENTRY_PREPARE ? 9 : TL_COUNT(known)));
  TL_TRY(read_shape(r, o, where, e, w));
  e->id = tl_entry_id(a->arena, e);
  if (!e->id) return TL_OOM();
  const place at = within(where, "%s", e->id);
  where = at.text;
  TL_TRY(keep_text(r, o, where, "cacheKey", &w->cache_key));
  TL_TRY(want_text(o, where, "entryPoint", "main"));
  TL_TRY(keep_path(r, o, where, "bodyPath", false, &e->body_path));
  TL_TRY(keep_digest(r, o, where, "bodyHash", &e->body_hash));
  TL_TRY(keep_path(r, o, where, "programPath", false, &w->program_path));
  TL_TRY(read_slots(r, o, where, "inputs", &w->inputs, &e->n_inputs));
  TL_TRY(read_slots(r, o, where, "outputs", &w->outputs, &e->n_outputs));
  return read_pairs(r, o, where, w, e);
}

static tl_status read_entries(reader *r, const json_t *root) {
  tl_artifact *a = r->a;
  struct tl_artifact_wire *w = a->priv->wire;
  json_t *array;
  TL_TRY(tl_json_array(root, r->name, "entries", &array));
  const size_t n = json_array_size(array);
  if (n > MAX_ENTRIES)
    return TL_ERROR(INVALID_ARGUMENT, "%s: entries: %zu of them, at most %d are read", r->name, n,
                    MAX_ENTRIES);
  a->entries = TL_NEW(a->arena, tl_artifact_entry, n + 1);
  w->entries = TL_NEW(a->arena, tl_wire_entry, n + 1);
  if (!a->entries || !w->entries) return TL_OOM();
  a->n_entries = n;
  for (size_t i = 0; i < n; i++) {
    const place at = within(r->name, "entries[%zu]", i);
    TL_TRY(get_item(array, i, &at));
    TL_TRY(read_entry(r, json_array_get(array, i), at.text, &a->entries[i], &w->entries[i]));
  }
  return tl_entries_sort(a);
}

// The entries take what prepare gives: the slots are its outputs, the first of them with the bytes
// of the table's rows.
static tl_status slots_of_prepare(tl_artifact *a, const char *name) {
  const tl_artifact_entry *e = tl_artifact_find(a, TL_ENTRY_PREPARE);
  if (!e) return TL_OK;
  const tl_wire_entry *w = &a->priv->wire->entries[e - a->entries];
  const size_t n = e->n_outputs, n_stored = a->n_slots;
  if (n < n_stored)
    return TL_ERROR(INVALID_ARGUMENT, "%s: prepare: gives %zu weights, weights.table has %zu rows",
                    name, n, n_stored);
  tl_artifact_slot *slots = TL_NEW(a->arena, tl_artifact_slot, n + 1);
  if (!slots) return TL_OOM();
  for (size_t i = 0; i < n; i++) {
    const tl_wire_slot *out = &w->outputs[i];
    if (i < n_stored) {
      slots[i] = a->slots[i];
      if (strcmp(slots[i].name, out->name) != 0)
        return TL_ERROR(INVALID_ARGUMENT,
                        "%s: prepare: outputs[%zu]: \"%.80s\" where weights.table has \"%.80s\"",
                        name, i, out->name, slots[i].name);
    } else {
      slots[i] = (tl_artifact_slot){
          .name = out->name, .stored = out->type, .format = "f32", .constant = true};
    }
    slots[i].prepared = out->type;
  }
  a->slots = slots;
  a->n_slots = n;
  return TL_OK;
}

static tl_status read_version(reader *r, const json_t *root) {
  static const struct {
    const char *name;
    uint32_t version;
    const char *refusal;
  } schemas[] = {
#define TL_SCHEMA(name, version, refusal) {name, version, refusal},
#include "artifact/schemas.def"
#undef TL_SCHEMA
  };
  tl_str name;
  TL_TRY(tl_json_str(root, r->name, "schemaVersion", &name));
  for (size_t i = 0; i < TL_COUNT(schemas); i++) {
    if (!tl_str_is(name, schemas[i].name)) continue;
    if (schemas[i].refusal)
      return TL_ERROR(UNIMPLEMENTED, "%s: schemaVersion: %s: %s", r->name, schemas[i].name,
                      schemas[i].refusal);
    r->version = schemas[i].version;
    r->a->schema = schemas[i].name;
    return tl_wire_create(r->a, r->version);
  }
  return TL_ERROR(
      INVALID_ARGUMENT,
      "%s: schemaVersion: \"%.60s\" is not one we know, wanted tlaloc-serving-v1, v2 or "
      "v6",
      r->name, name.ptr);
}

// What v1 and v2 leave to be seen from the entries.
static void capacity_of_entries(tl_artifact *a) {
  for (size_t i = 0; i < a->n_entries; i++) {
    const tl_artifact_entry *e = &a->entries[i];
    if (e->kind == TL_ENTRY_STEP) a->stacked_pool = true;
    if (a->priv->wire->version == 6 || e->kind != TL_ENTRY_DECODE) continue;
    a->context = TL_MAX(a->context, e->C);
    a->max_batch = TL_MAX(a->max_batch, e->B);
  }
}

static tl_status read_root(reader *r, const json_t *root) {
  static const char *const known[] = {"schemaVersion", "modelName", "modelHash", "model",
                                      "bucketLadder",  "weights",   "entries",   "tokenizer"};
  tl_artifact *a = r->a;
  if (!json_is_object(root))
    return TL_ERROR(INVALID_ARGUMENT, "%s: wanted an object, found %s", r->name,
                    tl_json_kind(root));
  TL_TRY(read_version(r, root));
  TL_TRY(tl_json_only(root, r->name, known, r->version == 6 ? 8 : 7));
  TL_TRY(keep_text(r, root, r->name, "modelName", &a->model_name));
  TL_TRY(keep_text(r, root, r->name, "modelHash", &a->model_hash));
  TL_TRY(read_model(r, root));
  TL_TRY(read_ladder(r, root));
  TL_TRY(read_weights(r, root));
  if (r->version == 6) TL_TRY(read_tokenizer(r, root));
  TL_TRY(read_entries(r, root));
  TL_TRY(slots_of_prepare(a, r->name));
  capacity_of_entries(a);
  return tl_manifest_check(a, r->name);
}

tl_status tl_manifest_read(tl_str text, const char *name, tl_artifact **out_artifact) {
  reader r = {.name = name};
  json_t *root = NULL;
  TL_TRY(tl_json_parse(text, name, &root));
  tl_status st = tl_artifact_new(&r.a);
  if (!st) st = read_root(&r, root);
  json_decref(root);
  if (!st)
    *out_artifact = r.a;
  else
    tl_artifact_release(r.a);
  return st;
}
