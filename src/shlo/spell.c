// Spelling. Decimals are found by trying precisions, and every candidate is read back by the very
// function that the parser uses, so what is printed here means the same bits there. snprintf and
// the C locale of the host program may disagree about the decimal point; only digits are taken from
// it.
#include "shlo/spell.h"

#include <math.h>
#include <stdio.h>

#include "base/half.h"
#include "base/minifloat.h"

static bool symbol_is_bare(tl_str name) {
  for (size_t i = 0; i < name.len; i++) {
    char c = name.ptr[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && (i == 0 || !((c >= '0' && c <= '9') || c == '.' || c == '$'))) return false;
  }
  return name.len > 0;
}

void tl_spell_symbol(tl_buf *out, tl_str name) {
  tl_buf_char(out, '@');
  if (symbol_is_bare(name))
    tl_buf_str(out, name);
  else
    tl_spell_string(out, name);
}

void tl_spell_string(tl_buf *out, tl_str text) {
  tl_buf_char(out, '"');
  for (size_t i = 0; i < text.len; i++) {
    unsigned char c = (unsigned char)text.ptr[i];
    if (c == '\\')
      tl_buf_cstr(out, "\\\\");
    else if (c >= ' ' && c < 127 && c != '"')
      tl_buf_char(out, (char)c);
    else
      tl_buf_printf(out, "\\%02X", c);
  }
  tl_buf_char(out, '"');
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool tl_spell_unquote(tl_arena *a, tl_str quoted, tl_str *out, bool *out_oom) {
  TL_ASSERT(quoted.len >= 2);
  tl_str in = {quoted.ptr + 1, quoted.len - 2};
  char *p = tl_arena_alloc(a, in.len + 1, 1);
  *out_oom = p == NULL;
  if (p == NULL) return false;
  size_t len = 0;
  for (size_t i = 0; i < in.len; i++) {
    if (in.ptr[i] != '\\') {
      p[len++] = in.ptr[i];
      continue;
    }
    char c = ++i < in.len ? in.ptr[i] : '\0';
    if (c == '\\' || c == '"') {
      p[len++] = c;
    } else if (c == 'n' || c == 't') {
      p[len++] = c == 'n' ? '\n' : '\t';
    } else {
      int hi = hex_digit(c), lo = i + 1 < in.len ? hex_digit(in.ptr[i + 1]) : -1;
      if (hi < 0 || lo < 0) return false;
      p[len++] = (char)(hi * 16 + lo);
      i++;
    }
  }
  p[len] = '\0';
  *out = (tl_str){p, len};
  return true;
}

static void spell_u64(tl_buf *out, uint64_t v) {
  char text[20];
  size_t at = sizeof text;
  do {
    text[--at] = (char)('0' + v % 10);
    v /= 10;
  } while (v != 0);
  tl_buf_add(out, text + at, sizeof text - at);
}

void tl_spell_i64(tl_buf *out, int64_t v) {
  if (v < 0) tl_buf_char(out, '-');
  spell_u64(out, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

void tl_spell_list(tl_buf *out, tl_i64s list, const char *open, const char *close) {
  tl_buf_cstr(out, open);
  for (size_t i = 0; i < list.len; i++) {
    if (i > 0) tl_buf_add(out, ", ", 2);
    tl_spell_i64(out, list.ptr[i]);
  }
  tl_buf_cstr(out, close);
}

typedef struct decimal {
  char digits[20]; // d.ddd: the point stands behind the first
  int n, exp10;
} decimal;

static void decimal_exactly(double v, int n, decimal *out) {
  char text[64];
  snprintf(text, sizeof text, "%.*e", n - 1, fabs(v));
  out->n = 0;
  const char *p = text;
  for (; *p != 'e' && *p != '\0'; p++)
    if (*p >= '0' && *p <= '9' && out->n < (int)sizeof out->digits) out->digits[out->n++] = *p;
  out->exp10 = 0;
  if (*p == 'e') {
    bool negative = *++p == '-';
    for (p++; *p >= '0' && *p <= '9'; p++)
      out->exp10 = out->exp10 * 10 + (*p - '0');
    if (negative) out->exp10 = -out->exp10;
  }
}

// v in n digits, from its 17 digits. Rounding twice goes wrong only where the digits to drop are a
// five and zeros.
static void decimal_of(double v, const decimal *full, int n, decimal *out) {
  *out = *full;
  if (n >= full->n) return;
  bool zeros = true;
  for (int i = n + 1; i < full->n; i++)
    zeros &= full->digits[i] == '0';
  if (full->digits[n] == '5' && zeros) {
    decimal_exactly(v, n, out);
    return;
  }
  out->n = n;
  if (full->digits[n] < '5') return;
  int i = n - 1;
  for (; i >= 0 && out->digits[i] == '9'; i--)
    out->digits[i] = '0';
  if (i >= 0) {
    out->digits[i]++;
  } else { // 9.99 is 10.0
    out->digits[0] = '1';
    out->exp10++;
  }
}

bool tl_spell_to_f64(tl_str text, double *out) {
  static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  uint64_t mantissa = 0;
  int digits = 0, exp10 = 0;
  const char *at = text.ptr, *to = text.ptr + text.len;
  bool point = false;
  for (; at < to && (*at == '.' || (*at >= '0' && *at <= '9')); at++) {
    if (*at == '.') {
      if (point) return false;
      point = true;
      continue;
    }
    if (digits < 18) mantissa = mantissa * 10 + (uint64_t)(*at - '0');
    digits++;
    if (point) exp10--;
  }
  if (at < to && (*at == 'e' || *at == 'E')) {
    bool negative = ++at < to && *at == '-';
    if (at < to && (*at == '-' || *at == '+')) at++;
    if (at == to) return false;
    int exponent = 0;
    for (; at < to && *at >= '0' && *at <= '9' && exponent < 10000; at++)
      exponent = exponent * 10 + (*at - '0');
    exp10 += negative ? -exponent : exponent;
  }
  // A mantissa below 2^53 and a power of ten up to 22 are both exact doubles, so one operation
  // rounds once.
  if (at == to && digits > 0 && digits <= 18 && mantissa < 1ull << 53 && exp10 >= -22 &&
      exp10 <= 22) {
    *out = exp10 < 0 ? (double)mantissa / tens[-exp10] : (double)mantissa * tens[exp10];
    return true;
  }
  if (tl_str_to_f64(text, out)) return true;
  // The slow way refuses what is too large; a number it would otherwise read is an infinity.
  if (at != to || digits == 0 || exp10 + digits < 300) return false;
  *out = (double)INFINITY;
  return true;
}

static bool reads_back(const decimal *d, tl_dtype dtype, double v) {
  char text[40];
  memcpy(text, d->digits, (size_t)d->n);
  size_t len = (size_t)d->n;
  int exp10 = d->exp10 - (d->n - 1); // digits e exp10, all digits in front of the point
  text[len++] = 'e';
  if (exp10 < 0) text[len++] = '-';
  unsigned e = (unsigned)(exp10 < 0 ? -exp10 : exp10);
  if (e >= 100) text[len++] = (char)('0' + e / 100);
  if (e >= 10) text[len++] = (char)('0' + e / 10 % 10);
  text[len++] = (char)('0' + e % 10);
  double back;
  if (!tl_spell_to_f64((tl_str){text, len}, &back)) return false;
  v = fabs(v);
  switch (dtype) {
  case TL_DTYPE_F32:
    return (float)back == (float)v;
  case TL_DTYPE_F16:
    return tl_f16_of_f64(back) == tl_f16_of_f64(v);
  case TL_DTYPE_BF16:
    return tl_bf16_of_f64(back) == tl_bf16_of_f64(v);
#define TL_MINIFLOAT(id, ...)                              \
  case TL_DTYPE_##id:                                      \
    return tl_minifloat_of_f64(TL_MINIFLOAT_##id, back) == \
           tl_minifloat_of_f64(TL_MINIFLOAT_##id, v);
#include "base/minifloats.def"
#undef TL_MINIFLOAT
  default:
    return back == v;
  }
}

// The fewest digits, at least two, that read back. More digits read back whenever fewer do, except
// where the gap to the next number below is half the gap above (powers of two): there every count
// is tried.
static void shortest(double v, tl_dtype dtype, decimal *out) {
  int most = dtype == TL_DTYPE_F64 ? 17 : dtype == TL_DTYPE_F32 ? 9 : 6;
  int exp2;
  decimal full;
  decimal_exactly(v, 17, &full);
  if (tl_dtype_get(dtype)->size == 1) { // 448, though 450 would read back: the number is seen
    decimal_of(v, &full, most, out);
    return;
  }
  if (frexp(fabs(v), &exp2) == 0.5) {
    for (int n = 2; n <= most; n++) {
      decimal_of(v, &full, n, out);
      if (reads_back(out, dtype, v)) return;
    }
    return;
  }
  int lo = 2, hi = most;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    decimal_of(v, &full, mid, out);
    if (reads_back(out, dtype, v))
      hi = mid;
    else
      lo = mid + 1;
  }
  decimal_of(v, &full, lo, out);
}

static void spell_float(tl_buf *out, tl_dtype dtype, double v) {
  if (signbit(v)) tl_buf_char(out, '-');
  if (v == 0) {
    tl_buf_cstr(out, "0.0");
    return;
  }
  decimal d;
  shortest(v, dtype, &d);
  while (d.n > 1 && d.digits[d.n - 1] == '0')
    d.n--;
  if (d.exp10 >= -3 && d.exp10 < 7) {
    int whole = d.exp10 + 1; // digits in front of the point
    if (whole <= 0) {
      tl_buf_cstr(out, "0.");
      for (int i = whole; i < 0; i++)
        tl_buf_char(out, '0');
      tl_buf_add(out, d.digits, (size_t)d.n);
      return;
    }
    for (int i = 0; i < whole; i++)
      tl_buf_char(out, i < d.n ? d.digits[i] : '0');
    tl_buf_char(out, '.');
    if (d.n > whole)
      tl_buf_add(out, d.digits + whole, (size_t)(d.n - whole));
    else
      tl_buf_char(out, '0');
    return;
  }
  tl_buf_char(out, d.digits[0]);
  tl_buf_char(out, '.');
  if (d.n > 1)
    tl_buf_add(out, d.digits + 1, (size_t)(d.n - 1));
  else
    tl_buf_char(out, '0');
  tl_buf_char(out, 'E');
  tl_spell_i64(out, d.exp10);
}

void tl_spell_f64_attr(tl_buf *out, double v) {
  if (!isfinite(v)) {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    tl_buf_printf(out, "0x%016llX", (unsigned long long)bits);
    return;
  }
  if (signbit(v)) tl_buf_char(out, '-');
  decimal d;
  int n = 7;
  for (decimal_exactly(v, n, &d); n < 17 && !reads_back(&d, TL_DTYPE_F64, v);
       decimal_exactly(v, n, &d))
    n++;
  tl_buf_char(out, d.digits[0]);
  tl_buf_char(out, '.');
  tl_buf_add(out, d.digits + 1, (size_t)(d.n - 1));
  tl_buf_printf(out, "e%c%02d", d.exp10 < 0 ? '-' : '+', d.exp10 < 0 ? -d.exp10 : d.exp10);
}

void tl_spell_element(tl_buf *out, tl_dtype dtype, const void *element) {
  const tl_dtype_info *info = tl_dtype_get(dtype);
  if (info->kind == TL_KIND_COMPLEX) {
    const tl_dtype part = tl_dtype_part(dtype);
    tl_buf_char(out, '(');
    tl_spell_element(out, part, element);
    tl_buf_char(out, ',');
    tl_spell_element(out, part, (const char *)element + info->size / 2);
    tl_buf_char(out, ')');
    return;
  }
  uint64_t bits = 0;
  memcpy(&bits, element, info->size); // little endian
  int shift = 64 - (int)info->bits;
  switch (info->kind) {
  case TL_KIND_BOOL:
    tl_buf_cstr(out, bits != 0 ? "true" : "false");
    return;
  case TL_KIND_UINT:
    spell_u64(out, bits);
    return;
  case TL_KIND_INT:
    tl_spell_i64(out, (int64_t)(bits << shift) >> shift);
    return;
  case TL_KIND_FLOAT:
  case TL_KIND_COMPLEX:
    break;
  }
  double v;
  switch (dtype) {
  case TL_DTYPE_F16:
    v = (double)tl_f32_of_f16((uint16_t)bits);
    break;
  case TL_DTYPE_BF16:
    v = (double)tl_f32_of_bf16((uint16_t)bits);
    break;
  case TL_DTYPE_F32:
    v = (double)tl_f32_of_bits((uint32_t)bits);
    break;
#define TL_MINIFLOAT(id, ...)                                          \
  case TL_DTYPE_##id:                                                  \
    v = (double)tl_f32_of_minifloat(TL_MINIFLOAT_##id, (uint8_t)bits); \
    break;
#include "base/minifloats.def"
#undef TL_MINIFLOAT
  default:
    memcpy(&v, &bits, sizeof v);
  }
  if (isfinite(v))
    spell_float(out, dtype, v);
  else
    tl_buf_printf(out, "0x%0*llX", 2 * (int)info->size, (unsigned long long)bits);
}

static void spell_bytes(tl_buf *out, const uint8_t *bytes, size_t size) {
  static const char digits[] = "0123456789ABCDEF";
  char chunk[512];
  tl_buf_cstr(out, "\"0x");
  for (size_t at = 0; at < size;) {
    size_t n = TL_MIN(size - at, sizeof chunk / 2);
    for (size_t i = 0; i < n; i++) {
      chunk[2 * i] = digits[bytes[at + i] >> 4];
      chunk[2 * i + 1] = digits[bytes[at + i] & 15];
    }
    tl_buf_add(out, chunk, 2 * n);
    at += n;
  }
  tl_buf_char(out, '"');
}

static void spell_nested(tl_buf *out, const tl_literal *l, size_t count, size_t size) {
  uint32_t rank = l->type.rank;
  size_t run[TL_MAX_RANK]; // elements of a whole list at each depth
  for (uint32_t d = rank; d-- > 0;)
    run[d] = (d + 1 < rank ? run[d + 1] : 1) * (size_t)l->type.dims[d];
  for (size_t i = 0; i < count; i++) {
    if (i > 0) tl_buf_add(out, ", ", 2);
    for (uint32_t d = 0; d < rank; d++)
      if (i % run[d] == 0) tl_buf_char(out, '[');
    tl_spell_element(out, l->type.dtype, (const char *)l->data + i * size);
    for (uint32_t d = rank; d-- > 0;)
      if ((i + 1) % run[d] == 0) tl_buf_char(out, ']');
  }
}

void tl_spell_literal(tl_buf *out, const tl_literal *l, bool hex) {
  size_t size = tl_dtype_get(l->type.dtype)->size, count = l->size / size;
  tl_buf_cstr(out, "dense<");
  if (l->splat || count == 1) {
    if (count > 0) tl_spell_element(out, l->type.dtype, l->data);
  } else if (hex && count > 16 && l->type.dtype != TL_DTYPE_I1) {
    spell_bytes(out, l->data, l->size);
  } else {
    spell_nested(out, l, count, size);
  }
  tl_buf_char(out, '>');
}

// [[1, 2], [3, 4]]
void tl_spell_pairs(tl_buf *out, tl_i64s list) {
  tl_buf_char(out, '[');
  for (size_t i = 0; i + 1 < list.len; i += 2) {
    if (i > 0) tl_buf_cstr(out, ", ");
    tl_spell_list(out, (tl_i64s){list.ptr + i, 2}, "[", "]");
  }
  tl_buf_char(out, ']');
}

// dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
void tl_spell_pairs_dense(tl_buf *out, tl_i64s list) {
  bool splat = list.len > 0;
  for (size_t i = 1; i < list.len; i++)
    splat = splat && list.ptr[i] == list.ptr[0];
  tl_buf_cstr(out, "dense<");
  if (splat)
    tl_spell_i64(out, list.ptr[0]);
  else if (list.len > 0)
    tl_spell_pairs(out, list);
  tl_buf_printf(out, "> : tensor<%zux2xi64>", list.len / 2);
}

// array<i1: true, false>
void tl_spell_bools(tl_buf *out, tl_i64s list) {
  tl_buf_cstr(out, list.len > 0 ? "array<i1: " : "array<i1");
  for (size_t i = 0; i < list.len; i++)
    tl_buf_printf(out, "%s%s", i > 0 ? ", " : "", list.ptr[i] ? "true" : "false");
  tl_buf_char(out, '>');
}
