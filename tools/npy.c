#include "npy.h"

// The header is a Python dictionary literal. We read the three keys that the format defines, in any
// order, and refuse anything else:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

static const struct {
  tl_dtype dtype;
  const char *descr;
} descrs[] = {{TL_DTYPE_I1, "|b1"},  {TL_DTYPE_S8, "|i1"},    {TL_DTYPE_S16, "<i2"},
              {TL_DTYPE_S32, "<i4"}, {TL_DTYPE_S64, "<i8"},   {TL_DTYPE_U8, "|u1"},
              {TL_DTYPE_U16, "<u2"}, {TL_DTYPE_U32, "<u4"},   {TL_DTYPE_U64, "<u8"},
              {TL_DTYPE_F16, "<f2"}, {TL_DTYPE_F32, "<f4"},   {TL_DTYPE_F64, "<f8"},
              {TL_DTYPE_C64, "<c8"}, {TL_DTYPE_C128, "<c16"}, {TL_DTYPE_BF16, "|V2"}};

// What an array of `d` is in a file.
static tl_dtype stored_as(tl_dtype d) {
  const tl_dtype_info *info = tl_dtype_get(d);
  if (info->size > 1 || info->kind == TL_KIND_BOOL) return d;
  return info->kind == TL_KIND_INT ? TL_DTYPE_S8 : TL_DTYPE_U8;
}

typedef struct cursor {
  tl_str text;
  size_t at;
} cursor;

static void skip_space(cursor *c) {
  while (c->at < c->text.len && (c->text.ptr[c->at] == ' ' || c->text.ptr[c->at] == '\n'))
    c->at++;
}

static bool take(cursor *c, char wanted) {
  skip_space(c);
  if (c->at == c->text.len || c->text.ptr[c->at] != wanted) return false;
  c->at++;
  return true;
}

static bool take_string(cursor *c, tl_str *out) {
  skip_space(c);
  if (c->at == c->text.len || (c->text.ptr[c->at] != '\'' && c->text.ptr[c->at] != '"'))
    return false;
  const char quote = c->text.ptr[c->at++];
  const size_t from = c->at;
  while (c->at < c->text.len && c->text.ptr[c->at] != quote)
    c->at++;
  if (c->at == c->text.len) return false;
  *out = tl_str_sub(c->text, from, c->at++);
  return true;
}

static bool take_word(cursor *c, tl_str *out) {
  skip_space(c);
  const size_t from = c->at;
  while (c->at < c->text.len && ((c->text.ptr[c->at] >= '0' && c->text.ptr[c->at] <= '9') ||
                                 (c->text.ptr[c->at] >= 'A' && c->text.ptr[c->at] <= 'Z') ||
                                 (c->text.ptr[c->at] >= 'a' && c->text.ptr[c->at] <= 'z')))
    c->at++;
  *out = tl_str_sub(c->text, from, c->at);
  return c->at > from;
}

static bool take_shape(cursor *c, int64_t dims[TL_MAX_RANK], uint32_t *rank) {
  if (!take(c, '(')) return false;
  *rank = 0;
  while (!take(c, ')')) {
    tl_str number;
    if (*rank == TL_MAX_RANK || !take_word(c, &number) || !tl_str_to_i64(number, &dims[*rank]) ||
        dims[*rank] < 0)
      return false;
    ++*rank;
    if (!take(c, ',')) return take(c, ')');
  }
  return true;
}

static const char *parse_header(tl_str text, tl_dtype *dtype, int64_t dims[TL_MAX_RANK],
                                uint32_t *rank) {
  cursor c = {text, 0};
  bool has_descr = false, has_order = false, has_shape = false;
  if (!take(&c, '{')) return "a dictionary";
  while (!take(&c, '}')) {
    tl_str key, value;
    if (!take_string(&c, &key) || !take(&c, ':')) return "keys descr, fortran_order and shape";
    if (tl_str_is(key, "descr")) {
      if (!take_string(&c, &value)) return "a plain element type";
      has_descr = false;
      for (size_t i = 0; i < TL_COUNT(descrs); i++)
        if (tl_str_is(value, descrs[i].descr) ||
            (descrs[i].dtype == TL_DTYPE_BF16 && tl_str_is(value, "<V2")))
          *dtype = descrs[i].dtype, has_descr = true;
      if (tl_str_is(value, "|V1") || tl_str_is(value, "<V1") || tl_str_is(value, "<f1"))
        *dtype = TL_DTYPE_U8, has_descr = true;
      if (!has_descr) return "little-endian integers, floats, complex numbers or booleans";
    } else if (tl_str_is(key, "fortran_order")) {
      if (!take_word(&c, &value) || !tl_str_is(value, "False"))
        return "C order (fortran_order False)";
      has_order = true;
    } else if (tl_str_is(key, "shape")) {
      if (!take_shape(&c, dims, rank)) return "a shape of at most 16 dims";
      has_shape = true;
    } else {
      return "keys descr, fortran_order and shape";
    }
    if (!take(&c, ',')) {
      if (!take(&c, '}')) return "a closed dictionary";
      break;
    }
  }
  if (!has_descr || !has_order || !has_shape) return "keys descr, fortran_order and shape";
  skip_space(&c);
  return c.at == c.text.len ? NULL : "nothing behind the dictionary";
}

tl_status tl_npy_read(const char *path, tl_arena *a, tl_npy *out) {
  tl_npy n = {0};
  TL_TRY(tl_file_map_open(path, &n.map));
  tl_status st = TL_OK;
  const uint8_t *p = n.map.data;
  size_t header = 0, start = 0, size;
  if (n.map.size >= 12 && memcmp(p, "\x93NUMPY", 6) == 0 && p[6] >= 1 && p[6] <= 3) {
    start = p[6] == 1 ? 10 : 12;
    header = p[6] == 1
                 ? (size_t)(p[8] | p[9] << 8)
                 : (size_t)p[8] | (size_t)p[9] << 8 | (size_t)p[10] << 16 | (size_t)p[11] << 24;
  }
  if (start == 0 || header > n.map.size - start) {
    st = TL_ERROR(INVALID_ARGUMENT, "%s: not a .npy file of version 1 to 3, or cut short", path);
    goto fail;
  }
  tl_dtype dtype = TL_DTYPE_F32;
  int64_t dims[TL_MAX_RANK];
  uint32_t rank = 0;
  const char *wanted = parse_header((tl_str){(const char *)p + start, header}, &dtype, dims, &rank);
  if (wanted) {
    st = TL_ERROR(INVALID_ARGUMENT, "%s: the header at byte %zu; wanted %s", path, start, wanted);
    goto fail;
  }
  n.type = tl_type_of(a, dtype, dims, rank);
  n.data = p + start + header;
  if ((rank && !n.type.dims) || !tl_type_size(n.type, &size) ||
      size != n.map.size - start - header) {
    st = TL_ERROR(INVALID_ARGUMENT, "%s: its shape needs another size than the %zu bytes of data",
                  path, n.map.size - start - header);
    goto fail;
  }
  if (dtype == TL_DTYPE_I1) // kernels rely on it
    for (size_t i = 0; i < size; i++)
      if (n.data[i] > 1) {
        st = TL_ERROR(INVALID_ARGUMENT, "%s: element %zu is %u; wanted booleans, 0 or 1", path, i,
                      n.data[i]);
        goto fail;
      }
  *out = n;
  return TL_OK;
fail:
  tl_file_map_close(&n.map);
  return st;
}

tl_status tl_npy_as(tl_npy *n, const char *path, tl_dtype wanted) {
  const tl_dtype_info *info = tl_dtype_get(wanted);
  const bool is_signed = info->kind == TL_KIND_INT;
  size_t size;
  if (n->type.dtype != stored_as(wanted) || n->type.dtype == wanted) return TL_OK;
  if (!tl_type_size(n->type, &size)) return TL_ERROR(INTERNAL, "an array without a size");
  const int most = (1 << (info->bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
  for (size_t i = 0; i < size; i++) {
    const int v = is_signed ? (int8_t)n->data[i] : n->data[i];
    if (v < least || v > most)
      return TL_ERROR(INVALID_ARGUMENT, "%s: element %zu is %d, which is no %s", path, i, v,
                      info->mlir);
  }
  n->type.dtype = wanted;
  return TL_OK;
}

void tl_npy_close(tl_npy *n) { tl_file_map_close(&n->map); }

tl_status tl_npy_write(const char *path, tl_type type, const void *data) {
  tl_buf file = {0};
  size_t size = 0;
  const char *descr = NULL;
  for (size_t i = 0; i < TL_COUNT(descrs); i++)
    if (descrs[i].dtype == stored_as(type.dtype)) descr = descrs[i].descr;
  if (!descr)
    return TL_ERROR(INVALID_ARGUMENT, "%s: NumPy has no %s", path, tl_dtype_get(type.dtype)->mlir);
  if (!tl_type_size(type, &size))
    return TL_ERROR(INVALID_ARGUMENT, "%s: an array without a fixed size", path);
  tl_buf_add(&file, "\x93NUMPY\x01\x00\x00\x00", 10);
  tl_buf_printf(&file, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
  for (uint32_t d = 0; d < type.rank; d++)
    tl_buf_printf(&file, "%lld%s", (long long)type.dims[d],
                  type.rank == 1      ? ","
                  : d + 1 < type.rank ? ", "
                                      : "");
  tl_buf_cstr(&file, "), }");
  for (size_t pad = 63 - file.len % 64; pad; pad--) // the data begins at a multiple of 64
    tl_buf_char(&file, ' ');
  tl_buf_char(&file, '\n');
  const size_t header = file.len - 10;
  tl_buf_add(&file, data, size);
  tl_status st = file.oom ? TL_OOM() : TL_OK;
  if (!st) {
    file.ptr[8] = (char)(header & 0xff), file.ptr[9] = (char)(header >> 8);
    st = tl_file_write(path, file.ptr, file.len);
  }
  tl_buf_deinit(&file);
  return st;
}
