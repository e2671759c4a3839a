// Values to text: str(), repr() and json.dumps(), byte for byte as Python's.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <utf8proc.h>

#include "tok/jinja_impl.h"

enum { MAX_VALUE_DEPTH = 64 };

bool tl_jv_take(tl_jrun *r, tl_buf *buf, tl_jv *out) {
  bool oom = buf->oom;
  char *text = oom ? NULL : tl_jrun_alloc(r, buf->len + 1, 1);
  if (text != NULL && buf->len > 0) memcpy(text, buf->ptr, buf->len);
  if (text != NULL) *out = tl_jv_str((tl_str){text, buf->len});
  tl_buf_deinit(buf);
  return text != NULL || (oom ? tl_jrun_oom(r) : false);
}

// The shortest digits that read back as the same number, in Python's clothes: 1.0, 1e-07, 1e+16.
static void print_float(double f, tl_buf *out) {
  if (isnan(f) || isinf(f)) {
    tl_buf_cstr(out, isnan(f) ? "nan" : f < 0 ? "-inf" : "inf");
    return;
  }
  char text[40];
  int precision = 1;
  do
    snprintf(text, sizeof text, "%.*e", precision - 1, f);
  while (precision++ < 17 && strtod(text, NULL) != f);
  char digits[24];
  size_t n = 0;
  const char *s = text;
  bool negative = *s == '-';
  for (s += negative; *s != 'e'; s++)
    if (*s != '.') digits[n++] = *s;
  int exponent = atoi(s + 1);
  while (n > 1 && digits[n - 1] == '0')
    n--;
  if (negative) tl_buf_char(out, '-');
  if (exponent < -4 || exponent >= 16) {
    tl_buf_char(out, digits[0]);
    if (n > 1) tl_buf_char(out, '.');
    tl_buf_add(out, digits + 1, n - 1);
    tl_buf_printf(out, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
    return;
  }
  if (exponent < 0) {
    tl_buf_cstr(out, "0.");
    for (int i = -1; i > exponent; i--)
      tl_buf_char(out, '0');
    tl_buf_add(out, digits, n);
    return;
  }
  for (size_t i = 0; i < TL_MAX(n, (size_t)exponent + 1); i++) {
    if (i == (size_t)exponent + 1) tl_buf_char(out, '.');
    tl_buf_char(out, i < n ? digits[i] : '0');
  }
  if (n <= (size_t)exponent + 1) tl_buf_cstr(out, ".0");
}

static bool is_printable(uint32_t c) {
  if (c < 0x80) return c >= 0x20 && c < 0x7F;
  switch (utf8proc_category((utf8proc_int32_t)c)) {
  case UTF8PROC_CATEGORY_CN:
  case UTF8PROC_CATEGORY_CC:
  case UTF8PROC_CATEGORY_CF:
  case UTF8PROC_CATEGORY_CS:
  case UTF8PROC_CATEGORY_CO:
  case UTF8PROC_CATEGORY_ZS:
  case UTF8PROC_CATEGORY_ZL:
  case UTF8PROC_CATEGORY_ZP:
    return false;
  default:
    return true;
  }
}

static void repr_text(tl_str s, tl_buf *out) {
  bool single = s.len > 0 && memchr(s.ptr, '\'', s.len) != NULL;
  bool both = single && memchr(s.ptr, '"', s.len) != NULL;
  char quote = single && !both ? '"' : '\'';
  tl_buf_char(out, quote);
  for (size_t at = 0; at < s.len;) {
    size_t from = at;
    uint32_t c = tl_utf8_decode(s, &at);
    if (c == (uint32_t)quote || c == '\\')
      tl_buf_printf(out, "\\%c", (int)c);
    else if (c == '\n')
      tl_buf_cstr(out, "\\n");
    else if (c == '\r')
      tl_buf_cstr(out, "\\r");
    else if (c == '\t')
      tl_buf_cstr(out, "\\t");
    else if (is_printable(c))
      tl_buf_add(out, s.ptr + from, at - from);
    else if (c < 0x100)
      tl_buf_printf(out, "\\x%02x", c);
    else
      tl_buf_printf(out, c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
  }
  tl_buf_char(out, quote);
}

static bool charge_growth(tl_jrun *r, const tl_buf *out, size_t before) {
  if (out->oom) return tl_jrun_oom(r);
  if (out->len > r->max_output)
    return tl_jrun_fail(r, "the text grew past %zu bytes", r->max_output);
  return tl_jrun_charge(r, out->len - before + 1);
}

static bool repr(tl_jrun *r, tl_jv v, int depth, tl_buf *out) {
  size_t before = out->len;
  if (depth > MAX_VALUE_DEPTH) return tl_jrun_fail(r, "a value nested too deeply to print");
  switch ((tl_jv_kind)v.kind) {
  case TL_JV_ABSENT:
    break;
  case TL_JV_UNDEFINED:
    tl_buf_cstr(out, "Undefined");
    break;
  case TL_JV_NONE:
    tl_buf_cstr(out, "None");
    break;
  case TL_JV_BOOL:
    tl_buf_cstr(out, v.b ? "True" : "False");
    break;
  case TL_JV_INT:
    tl_buf_printf(out, "%lld", (long long)v.i);
    break;
  case TL_JV_FLOAT:
    print_float(v.f, out);
    break;
  case TL_JV_STR:
    repr_text(v.s, out);
    break;
  case TL_JV_LIST:
    tl_buf_char(out, v.tuple ? '(' : '[');
    for (size_t i = 0; i < v.list->len; i++) {
      if (i > 0) tl_buf_cstr(out, ", ");
      if (!repr(r, v.list->items[i], depth + 1, out)) return false;
    }
    if (v.tuple && v.list->len == 1) tl_buf_char(out, ',');
    tl_buf_char(out, v.tuple ? ')' : ']');
    break;
  case TL_JV_DICT:
  case TL_JV_NAMESPACE:
    tl_buf_cstr(out, v.kind == TL_JV_DICT ? "{" : "<Namespace {");
    for (size_t i = 0; i < v.dict->len; i++) {
      if (i > 0) tl_buf_cstr(out, ", ");
      if (!repr(r, v.dict->keys[i], depth + 1, out)) return false;
      tl_buf_cstr(out, ": ");
      if (!repr(r, v.dict->values[i], depth + 1, out)) return false;
    }
    tl_buf_cstr(out, v.kind == TL_JV_DICT ? "}" : "}>");
    break;
  case TL_JV_LOOP:
    tl_buf_printf(out, "<LoopContext %zu/%zu>", v.loop->index + 1, v.loop->items->len);
    break;
  case TL_JV_MACRO:
    tl_buf_cstr(out, "<Macro>");
    break;
  case TL_JV_METHOD:
    tl_buf_printf(out, "<built-in method %s>", v.bound->builtin->name);
    break;
  case TL_JV_FUNCTION:
    tl_buf_printf(out, "<function %s>", v.builtin->name);
    break;
  }
  return charge_growth(r, out, before);
}

bool tl_jv_print(tl_jrun *r, tl_jv v, tl_buf *out) {
  size_t before = out->len;
  if (v.kind == TL_JV_UNDEFINED || v.kind == TL_JV_ABSENT) return true;
  if (v.kind != TL_JV_STR) return repr(r, v, 0, out);
  tl_buf_str(out, v.s);
  return charge_growth(r, out, before);
}

bool tl_jv_to_str(tl_jrun *r, tl_jv v, tl_str *out) {
  if (v.kind == TL_JV_STR) {
    *out = v.s;
    return true;
  }
  tl_buf text = {0};
  tl_jv made;
  if (!tl_jv_print(r, v, &text)) {
    tl_buf_deinit(&text);
    return false;
  }
  if (!tl_jv_take(r, &text, &made)) return false;
  *out = made.s;
  return true;
}

// ---- JSON ----

static void json_text(tl_str s, bool ascii, tl_buf *out) {
  static const char escaped[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
  tl_buf_char(out, '"');
  for (size_t at = 0; at < s.len;) {
    size_t from = at;
    uint32_t c = tl_utf8_decode(s, &at);
    const char *plain = c < 0x80 && c != 0 ? strchr(escaped, (int)c) : NULL;
    if (plain != NULL)
      tl_buf_printf(out, "\\%c", letters[plain - escaped]);
    else if (c < 0x20 || (ascii && c >= 0x80 && c < 0x10000))
      tl_buf_printf(out, "\\u%04x", c);
    else if (ascii && c >= 0x10000)
      tl_buf_printf(out, "\\u%04x\\u%04x", 0xD800 + ((c - 0x10000) >> 10),
                    0xDC00 + ((c - 0x10000) & 0x3FF));
    else
      tl_buf_add(out, s.ptr + from, at - from);
  }
  tl_buf_char(out, '"');
}

static void new_line(const tl_jv_json_style *style, int depth, tl_buf *out) {
  if (style->indent < 0) return;
  tl_buf_char(out, '\n');
  for (int64_t i = 0; i < style->indent * depth; i++)
    tl_buf_char(out, ' ');
}

static bool json_key(tl_jrun *r, tl_jv key, const tl_jv_json_style *style, tl_buf *out) {
  tl_buf text = {0};
  switch ((tl_jv_kind)key.kind) {
  case TL_JV_STR:
    json_text(key.s, style->ascii, out);
    return true;
  case TL_JV_NONE:
    tl_buf_cstr(out, "\"null\"");
    return true;
  case TL_JV_BOOL:
    tl_buf_cstr(out, key.b ? "\"true\"" : "\"false\"");
    return true;
  case TL_JV_INT:
  case TL_JV_FLOAT: {
    bool good = repr(r, key, 0, &text);
    json_text(tl_buf_view(&text), style->ascii, out);
    tl_buf_deinit(&text);
    return good;
  }
  default:
    return tl_jrun_fail(r, "keys must be str, int, float, bool or None, not %s",
                        tl_jv_type_name(key));
  }
}

// The indices of a dict's pairs in the order they are printed.
static bool pair_order(tl_jrun *r, const tl_jv_dict *d, bool sorted, size_t **out) {
  size_t *order = TL_JNEW(r, size_t, d->len + 1);
  if (order == NULL) return false;
  for (size_t i = 0; i < d->len; i++) {
    size_t at = i;
    for (; sorted && at > 0; at--) { // by insertion: dicts are small, and it is charged
      int less;
      if (!tl_jv_order(r, d->keys[i], d->keys[order[at - 1]], "<", &less)) return false;
      if (less >= 0) break;
      order[at] = order[at - 1];
    }
    order[at] = i;
  }
  *out = order;
  return true;
}

static bool to_json(tl_jrun *r, tl_jv v, const tl_jv_json_style *style, int depth, tl_buf *out) {
  size_t before = out->len;
  if (depth > MAX_VALUE_DEPTH) return tl_jrun_fail(r, "a value nested too deeply for JSON");
  if (v.kind == TL_JV_LIST && v.lazy)
    return tl_jrun_fail(r, "object of type generator is not JSON serializable");
  switch ((tl_jv_kind)v.kind) {
  case TL_JV_NONE:
    tl_buf_cstr(out, "null");
    break;
  case TL_JV_BOOL:
    tl_buf_cstr(out, v.b ? "true" : "false");
    break;
  case TL_JV_FLOAT:
    if (isnan(v.f))
      tl_buf_cstr(out, "NaN");
    else if (isinf(v.f))
      tl_buf_cstr(out, v.f < 0 ? "-Infinity" : "Infinity");
    else
      print_float(v.f, out);
    break;
  case TL_JV_INT:
    tl_buf_printf(out, "%lld", (long long)v.i);
    break;
  case TL_JV_STR:
    json_text(v.s, style->ascii, out);
    break;
  case TL_JV_LIST:
    tl_buf_char(out, '[');
    for (size_t i = 0; i < v.list->len; i++) {
      if (i > 0) tl_buf_str(out, style->item_separator);
      new_line(style, depth + 1, out);
      if (!to_json(r, v.list->items[i], style, depth + 1, out)) return false;
    }
    if (v.list->len > 0) new_line(style, depth, out);
    tl_buf_char(out, ']');
    break;
  case TL_JV_DICT: {
    size_t *order;
    if (!pair_order(r, v.dict, style->sort_keys, &order)) return false;
    tl_buf_char(out, '{');
    for (size_t i = 0; i < v.dict->len; i++) {
      if (i > 0) tl_buf_str(out, style->item_separator);
      new_line(style, depth + 1, out);
      if (!json_key(r, v.dict->keys[order[i]], style, out)) return false;
      tl_buf_str(out, style->key_separator);
      if (!to_json(r, v.dict->values[order[i]], style, depth + 1, out)) return false;
    }
    if (v.dict->len > 0) new_line(style, depth, out);
    tl_buf_char(out, '}');
    break;
  }
  default:
    return tl_jrun_fail(r, "object of type %s is not JSON serializable", tl_jv_type_name(v));
  }
  return charge_growth(r, out, before);
}

bool tl_jv_to_json(tl_jrun *r, tl_jv v, const tl_jv_json_style *style, tl_buf *out) {
  return to_json(r, v, style, 0, out);
}
