// Filters: value|name(arguments). Those of jinja2 that templates for chats use, and tojson as
// transformers defines it. The rows are in jinja_filters.def.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tok/jinja_impl.h"

// ---- Helpers ----

static bool given(tl_jv v) { return v.kind != TL_JV_ABSENT; }
static bool truth_or(tl_jv v, bool fallback) { return given(v) ? tl_jv_truth(v) : fallback; }

static bool case_of(tl_jrun *r, tl_jv self, char how, tl_jv *out) {
  tl_str s;
  tl_buf text = {0};
  if (!tl_jv_to_str(r, self, &s)) return false;
  tl_jtext_case(s, how, &text);
  return tl_jv_take(r, &text, out);
}

static tl_jv lazy(tl_jv_list *list) {
  tl_jv v = tl_jv_of_list(list, false);
  v.lazy = true;
  return v;
}

// item.a.b.0 as jinja2's attribute arguments have it; ABSENT: the item itself.
static bool dig(tl_jrun *r, tl_jv item, tl_jv path, tl_jv *out) {
  *out = item;
  if (!given(path) || path.kind == TL_JV_NONE) return true;
  if (path.kind == TL_JV_INT) return tl_jv_item(r, item, path, out);
  if (path.kind != TL_JV_STR)
    return tl_jrun_fail(r, "attribute: wanted a name, found a %s", tl_jv_type_name(path));
  for (size_t at = 0; at <= path.s.len;) {
    size_t end = at;
    while (end < path.s.len && path.s.ptr[end] != '.')
      end++;
    tl_str part = tl_str_sub(path.s, at, end);
    int64_t i;
    bool number = tl_str_to_i64(part, &i) && i >= 0;
    if (!tl_jv_item(r, *out, number ? tl_jv_int(i) : tl_jv_str(part), out)) return false;
    at = end + 1;
  }
  return true;
}

// What values are compared by: texts without regard to case unless asked.
static bool sort_key(tl_jrun *r, tl_jv item, tl_jv path, bool case_sensitive, tl_jv *out) {
  if (!dig(r, item, path, out)) return false;
  return case_sensitive || out->kind != TL_JV_STR || case_of(r, *out, 'l', out);
}

// Sorts `items` by `keys`, keeping the order of equals; both lists have `len` items.
static bool sort(tl_jrun *r, tl_jv *items, tl_jv *keys, size_t len, bool reverse) {
  tl_jv *items_to = TL_JNEW(r, tl_jv, len + 1), *keys_to = TL_JNEW(r, tl_jv, len + 1);
  if (items_to == NULL || keys_to == NULL) return false;
  for (size_t width = 1; width < len; width *= 2) { // merges runs of `width`
    for (size_t from = 0; from < len; from += 2 * width) {
      size_t a = from, mid = TL_MIN(from + width, len), b = mid;
      size_t end = TL_MIN(from + 2 * width, len);
      for (size_t to = from; to < end; to++) {
        int order = 0;
        if (a < mid && b < end && !tl_jv_order(r, keys[b], keys[a], "<", &order)) return false;
        bool take_b = a == mid || (b < end && (reverse ? order > 0 : order < 0));
        size_t i = take_b ? b++ : a++;
        items_to[to] = items[i];
        keys_to[to] = keys[i];
      }
    }
    memcpy(items, items_to, len * sizeof *items);
    memcpy(keys, keys_to, len * sizeof *keys);
  }
  return true;
}

static bool copy_items(tl_jrun *r, tl_jv v, tl_jv_list **out) {
  tl_jv_list *items, *copy;
  if (!tl_jv_iterate(r, v, &items) || (copy = tl_jv_list_new(r, items->len)) == NULL) return false;
  if (items->len > 0) memcpy(copy->items, items->items, items->len * sizeof *copy->items);
  copy->len = items->len;
  *out = copy;
  return true;
}

static bool number_of(tl_jrun *r, tl_jv v, const char *what, int64_t *out) {
  if (v.kind == TL_JV_INT || v.kind == TL_JV_BOOL) {
    *out = v.kind == TL_JV_INT ? v.i : v.b;
    return true;
  }
  return tl_jrun_fail(r, "%s: wanted a whole number, found a %s", what, tl_jv_type_name(v));
}

#define FILTER(name)                                                    \
  static bool filter_##name(TL_UNUSED tl_jrun *r, TL_UNUSED tl_jv self, \
                            TL_UNUSED const tl_jv *args, tl_jv *out)
#define FILTER_VAR(name) \
  static bool filter_##name(tl_jrun *r, tl_jv self, const tl_jargs *args, tl_jv *out)

// ---- Text ----

FILTER(capitalize) { return case_of(r, self, 'c', out); }
FILTER(lower) { return case_of(r, self, 'l', out); }
FILTER(title) { return case_of(r, self, 'T', out); }
FILTER(upper) { return case_of(r, self, 'u', out); }

FILTER(string) {
  tl_str s;
  if (!tl_jv_to_str(r, self, &s)) return false;
  *out = tl_jv_str(s);
  return true;
}

FILTER(trim) {
  tl_str s;
  if (!tl_jv_to_str(r, self, &s)) return false;
  if (given(args[0]) && args[0].kind != TL_JV_NONE && args[0].kind != TL_JV_STR)
    return tl_jrun_fail(r, "trim: wanted a text, found a %s", tl_jv_type_name(args[0]));
  *out = tl_jv_str(tl_jtext_strip(s, args[0].kind == TL_JV_STR ? &args[0].s : NULL, true, true));
  return tl_jrun_charge(r, s.len / 8);
}

FILTER(escape) {
  tl_str s;
  tl_buf text = {0};
  if (!tl_jv_to_str(r, self, &s)) return false;
  for (size_t i = 0; i < s.len; i++) {
    switch (s.ptr[i]) {
    case '&':
      tl_buf_cstr(&text, "&amp;");
      break;
    case '<':
      tl_buf_cstr(&text, "&lt;");
      break;
    case '>':
      tl_buf_cstr(&text, "&gt;");
      break;
    case '"':
      tl_buf_cstr(&text, "&#34;");
      break;
    case '\'':
      tl_buf_cstr(&text, "&#39;");
      break;
    default:
      tl_buf_char(&text, s.ptr[i]);
    }
  }
  return tl_jv_take(r, &text, out);
}

FILTER(replace) {
  const tl_jinja_builtin *method = tl_jinja_method_find(TL_JV_STR, TL_STR("replace"));
  tl_str s;
  return tl_jv_to_str(r, self, &s) && method->fn(r, tl_jv_str(s), args, out);
}

FILTER(wordcount) {
  tl_str s;
  int64_t n = 0;
  if (!tl_jv_to_str(r, self, &s) || !tl_jrun_charge(r, s.len)) return false;
  for (size_t at = 0; at < s.len;) { // runs of letters, digits and underscores
    bool in_word = false;
    while (at < s.len) {
      char c = s.ptr[at];
      bool word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  c == '_' || (uint8_t)c >= 0x80;
      if (!word) break;
      in_word = true;
      at++;
    }
    n += in_word;
    at++;
  }
  *out = tl_jv_int(n);
  return true;
}

FILTER(indent) {
  tl_str s, margin = {0};
  tl_buf text = {0}, spaces = {0};
  tl_jv lines_value, blank_args[1] = {{.kind = TL_JV_ABSENT}};
  if (!tl_jv_to_str(r, self, &s)) return false;
  if (args[0].kind == TL_JV_STR) {
    margin = args[0].s;
  } else {
    int64_t width = 4;
    if (given(args[0]) && !number_of(r, args[0], "indent", &width)) return false;
    if (width > 1000) return tl_jrun_fail(r, "indent: a width of at most 1000");
    for (int64_t i = 0; i < width; i++)
      tl_buf_char(&spaces, ' ');
    tl_jv made;
    if (!tl_jv_take(r, &spaces, &made)) return false;
    margin = made.s;
  }
  bool first = truth_or(args[1], false), blank = truth_or(args[2], false);
  const tl_jinja_builtin *split = tl_jinja_method_find(TL_JV_STR, TL_STR("splitlines"));
  tl_jv with_end;
  if (!tl_jv_binary(r, TL_JO_ADD, tl_jv_str(s), tl_jv_str(TL_STR("\n")), &with_end) ||
      !split->fn(r, with_end, blank_args, &lines_value))
    return false;
  uint64_t size = s.len + (uint64_t)margin.len * lines_value.list->len; // before it is made
  if (!tl_jrun_charge(r, size)) return false;
  if (first) tl_buf_str(&text, margin);
  for (size_t i = 0; i < lines_value.list->len; i++) {
    tl_str line = lines_value.list->items[i].s;
    if (i > 0) tl_buf_char(&text, '\n');
    if (i > 0 && (blank || line.len > 0)) tl_buf_str(&text, margin);
    tl_buf_str(&text, line);
  }
  return tl_jv_take(r, &text, out);
}

FILTER(tojson) {
  tl_jv_json_style style = {
      .indent = -1, .item_separator = TL_STR(", "), .key_separator = TL_STR(": ")};
  style.ascii = truth_or(args[0], false);
  if (given(args[1]) && args[1].kind != TL_JV_NONE) {
    if (!number_of(r, args[1], "tojson: indent", &style.indent)) return false;
    if (style.indent > 100) return tl_jrun_fail(r, "tojson: an indent of at most 100");
    style.indent = TL_MAX(style.indent, (int64_t)0);
    style.item_separator = TL_STR(",");
  }
  if (given(args[2]) && args[2].kind != TL_JV_NONE) {
    const tl_jv *s = args[2].kind == TL_JV_LIST ? args[2].list->items : NULL;
    if (s == NULL || args[2].list->len != 2 || s[0].kind != TL_JV_STR || s[1].kind != TL_JV_STR)
      return tl_jrun_fail(r, "tojson: separators: wanted two texts");
    style.item_separator = s[0].s;
    style.key_separator = s[1].s;
  }
  style.sort_keys = truth_or(args[3], false);
  tl_buf text = {0};
  if (tl_jv_to_json(r, self, &style, &text)) return tl_jv_take(r, &text, out);
  tl_buf_deinit(&text);
  return false;
}

// ---- Numbers ----

FILTER(abs) {
  *out = self;
  if (self.kind == TL_JV_FLOAT)
    out->f = fabs(self.f);
  else if (self.kind == TL_JV_BOOL)
    *out = tl_jv_int(self.b);
  else if (self.kind != TL_JV_INT)
    return tl_jrun_fail(r, "abs: wanted a number, found a %s", tl_jv_type_name(self));
  else if (self.i < 0 && !TL_SUB_OK((int64_t)0, self.i, &out->i))
    return tl_jrun_fail(r, "the result does not fit into 64 bits");
  return true;
}

FILTER(int) {
  *out = given(args[0]) ? args[0] : tl_jv_int(0);
  int64_t i;
  double f;
  if (self.kind == TL_JV_INT)
    *out = self;
  else if (self.kind == TL_JV_BOOL)
    *out = tl_jv_int(self.b);
  else if (self.kind == TL_JV_FLOAT && self.f > -9.2e18 && self.f < 9.2e18)
    *out = tl_jv_int((int64_t)self.f);
  else if (self.kind == TL_JV_STR) {
    tl_str s = tl_jtext_strip(self.s, NULL, true, true);
    if (given(args[1]) && !(args[1].kind == TL_JV_INT && args[1].i == 10))
      return tl_jrun_fail(r, "int: only base 10 is supported");
    if (s.len > 1 && s.ptr[0] == '+') s = tl_str_sub(s, 1, s.len);
    if (tl_str_to_i64(s, &i))
      *out = tl_jv_int(i);
    else if (tl_str_to_f64(s, &f) && f > -9.2e18 && f < 9.2e18)
      *out = tl_jv_int((int64_t)f);
  }
  return true;
}

FILTER(float) {
  *out = given(args[0]) ? args[0] : tl_jv_float(0);
  double f;
  if (self.kind == TL_JV_FLOAT)
    *out = self;
  else if (self.kind == TL_JV_INT)
    *out = tl_jv_float((double)self.i);
  else if (self.kind == TL_JV_BOOL)
    *out = tl_jv_float(self.b);
  else if (self.kind == TL_JV_STR && tl_str_to_f64(tl_jtext_strip(self.s, NULL, true, true), &f))
    *out = tl_jv_float(f);
  return true;
}

FILTER(round) {
  int64_t precision = 0;
  char text[400];
  double f = self.kind == TL_JV_FLOAT ? self.f : self.kind == TL_JV_INT ? (double)self.i : 0;
  if (self.kind != TL_JV_FLOAT && self.kind != TL_JV_INT && self.kind != TL_JV_BOOL)
    return tl_jrun_fail(r, "round: wanted a number, found a %s", tl_jv_type_name(self));
  if (self.kind == TL_JV_BOOL) f = self.b;
  if (given(args[0]) && !number_of(r, args[0], "round: precision", &precision)) return false;
  if (precision < 0 || precision > 30) return tl_jrun_fail(r, "round: a precision from 0 to 30");
  tl_str method = args[1].kind == TL_JV_STR ? args[1].s : TL_STR("common");
  double scale = pow(10, (double)precision);
  if (tl_str_is(method, "ceil"))
    *out = tl_jv_float(ceil(f * scale) / scale);
  else if (tl_str_is(method, "floor"))
    *out = tl_jv_float(floor(f * scale) / scale);
  else if (tl_str_is(method, "common") && self.kind != TL_JV_FLOAT)
    *out = tl_jv_int(self.kind == TL_JV_INT ? self.i : self.b); // whole numbers stay so
  else if (!tl_str_is(method, "common"))
    return tl_jrun_fail(r, "round: method must be common, ceil or floor");
  else { // the decimal expansion is exact, so ties are ties of the number itself
    snprintf(text, sizeof text, "%.*f", (int)precision, f);
    *out = tl_jv_float(strtod(text, NULL));
  }
  return true;
}

// ---- Lists ----

FILTER(length) {
  int64_t n;
  if (!tl_jv_length(r, self, &n)) return false;
  *out = tl_jv_int(n);
  return true;
}

FILTER(default) {
  bool use = self.kind == TL_JV_UNDEFINED || (truth_or(args[1], false) && !tl_jv_truth(self));
  *out = !use ? self : given(args[0]) ? args[0] : tl_jv_str(TL_STR(""));
  return true;
}

FILTER(attr) {
  if (args[0].kind != TL_JV_STR)
    return tl_jrun_fail(r, "attr: wanted a name, found a %s", tl_jv_type_name(args[0]));
  return tl_jv_attr(r, self, args[0].s, out);
}

FILTER(first) {
  tl_jv_list *items;
  if (!tl_jv_iterate(r, self, &items)) return false;
  *out = items->len > 0 ? items->items[0] : tl_jv_undefined("no first item, the list was empty");
  return true;
}

FILTER(last) {
  tl_jv_list *items;
  if (!tl_jv_iterate(r, self, &items)) return false;
  *out = items->len > 0 ? items->items[items->len - 1]
                        : tl_jv_undefined("no last item, the list was empty");
  return true;
}

FILTER(list) {
  tl_jv_list *items;
  if (!copy_items(r, self, &items)) return false;
  *out = tl_jv_of_list(items, false);
  return true;
}

FILTER(reverse) {
  tl_jv_list *items;
  tl_buf text = {0};
  if (!copy_items(r, self, &items)) return false;
  for (size_t i = 0; i < items->len / 2; i++) {
    tl_jv t = items->items[i];
    items->items[i] = items->items[items->len - 1 - i];
    items->items[items->len - 1 - i] = t;
  }
  *out = lazy(items);
  if (self.kind != TL_JV_STR) return true;
  for (size_t i = 0; i < items->len; i++)
    tl_buf_str(&text, items->items[i].s);
  return tl_jv_take(r, &text, out);
}

FILTER(join) {
  tl_jv_list *items;
  tl_str between = {0};
  tl_buf text = {0};
  bool good =
      tl_jv_iterate(r, self, &items) && (!given(args[0]) || tl_jv_to_str(r, args[0], &between));
  for (size_t i = 0; good && i < items->len; i++) {
    tl_jv part;
    if (i > 0) tl_buf_str(&text, between);
    good = tl_jrun_charge(r, between.len) && dig(r, items->items[i], args[1], &part) &&
           tl_jv_print(r, part, &text);
  }
  if (good) return tl_jv_take(r, &text, out);
  tl_buf_deinit(&text);
  return false;
}

static bool pairs_of(tl_jrun *r, const tl_jv_dict *d, tl_jv_list **out) {
  if ((*out = tl_jv_list_new(r, d->len)) == NULL) return false;
  for (size_t i = 0; i < d->len; i++) {
    tl_jv_list *pair = tl_jv_list_new(r, 2);
    if (pair == NULL) return false;
    pair->items[0] = d->keys[i];
    pair->items[1] = d->values[i];
    pair->len = 2;
    (*out)->items[(*out)->len++] = tl_jv_of_list(pair, true);
  }
  return true;
}

FILTER(items) {
  tl_jv_list *list;
  if (self.kind == TL_JV_UNDEFINED) {
    if ((list = tl_jv_list_new(r, 0)) == NULL) return false;
  } else if (self.kind != TL_JV_DICT) {
    return tl_jrun_fail(r, "items: wanted a dict, found a %s", tl_jv_type_name(self));
  } else if (!pairs_of(r, self.dict, &list)) {
    return false;
  }
  *out = lazy(list);
  return true;
}

static bool sorted(tl_jrun *r, tl_jv_list *items, tl_jv path, bool case_sensitive, bool reverse) {
  tl_jv *keys = TL_JNEW(r, tl_jv, items->len + 1);
  if (keys == NULL) return false;
  for (size_t i = 0; i < items->len; i++)
    if (!sort_key(r, items->items[i], path, case_sensitive, &keys[i])) return false;
  return sort(r, items->items, keys, items->len, reverse);
}

FILTER(sort) {
  tl_jv_list *items;
  if (!copy_items(r, self, &items) ||
      !sorted(r, items, args[2], truth_or(args[1], false), truth_or(args[0], false)))
    return false;
  *out = tl_jv_of_list(items, false);
  return true;
}

FILTER(dictsort) {
  tl_jv_list *list;
  bool by_value = args[1].kind == TL_JV_STR && tl_str_is(args[1].s, "value");
  if (self.kind != TL_JV_DICT)
    return tl_jrun_fail(r, "dictsort: wanted a dict, found a %s", tl_jv_type_name(self));
  if (!pairs_of(r, self.dict, &list) ||
      !sorted(r, list, tl_jv_int(by_value), truth_or(args[0], false), truth_or(args[2], false)))
    return false;
  *out = tl_jv_of_list(list, false);
  return true;
}

static bool extreme(tl_jrun *r, tl_jv self, const tl_jv *args, int sign, tl_jv *out) {
  tl_jv_list *items;
  tl_jv best_key = tl_jv_none();
  if (!tl_jv_iterate(r, self, &items)) return false;
  *out = tl_jv_undefined("no item, the list was empty");
  for (size_t i = 0; i < items->len; i++) {
    tl_jv key;
    int order = sign;
    if (!sort_key(r, items->items[i], args[1], truth_or(args[0], false), &key) ||
        (i > 0 && !tl_jv_order(r, key, best_key, "<", &order)))
      return false;
    if (order != sign) continue;
    *out = items->items[i];
    best_key = key;
  }
  return true;
}
FILTER(max) { return extreme(r, self, args, 1, out); }
FILTER(min) { return extreme(r, self, args, -1, out); }

FILTER(sum) {
  tl_jv_list *items;
  if (!tl_jv_iterate(r, self, &items)) return false;
  *out = given(args[1]) ? args[1] : tl_jv_int(0);
  for (size_t i = 0; i < items->len; i++) {
    tl_jv part;
    if (!dig(r, items->items[i], args[0], &part) || !tl_jv_binary(r, TL_JO_ADD, *out, part, out))
      return false;
  }
  return true;
}

FILTER(unique) {
  tl_jv_list *items, *kept = tl_jv_list_new(r, 0), *keys = tl_jv_list_new(r, 0);
  if (kept == NULL || keys == NULL || !tl_jv_iterate(r, self, &items)) return false;
  for (size_t i = 0; i < items->len; i++) {
    tl_jv key;
    bool seen;
    if (!sort_key(r, items->items[i], args[1], truth_or(args[0], false), &key) ||
        !tl_jv_contains(r, key, tl_jv_of_list(keys, false), &seen))
      return false;
    if (!seen && (!tl_jv_list_push(r, kept, items->items[i]) || !tl_jv_list_push(r, keys, key)))
      return false;
  }
  *out = lazy(kept);
  return true;
}

// ---- Filters that take a filter or a test ----

static const tl_jv *named_arg(const tl_jargs *args, const char *name) {
  for (size_t i = 0; i < args->len; i++)
    if (args->names != NULL && args->names[i].ptr != NULL && tl_str_is(args->names[i], name))
      return &args->items[i];
  return NULL;
}

static tl_jargs args_from(const tl_jargs *args, size_t n) {
  return (tl_jargs){args->items + n, args->names == NULL ? NULL : args->names + n, args->len - n};
}

FILTER_VAR(map) {
  tl_jv_list *items, *made;
  const tl_jv *path = named_arg(args, "attribute"), *fallback = named_arg(args, "default");
  const tl_jinja_builtin *filter = NULL;
  tl_jargs rest = {0};
  if (path == NULL) {
    if (args->len == 0 || args->items[0].kind != TL_JV_STR)
      return tl_jrun_fail(r, "map: wanted the name of a filter, or attribute=");
    filter = tl_jinja_filter_find(args->items[0].s);
    if (filter == NULL)
      return tl_jrun_fail(r, "no filter named '" TL_STR_FMT "'", TL_STR_ARG(args->items[0].s));
    rest = args_from(args, 1);
  }
  if (!tl_jv_iterate(r, self, &items) || (made = tl_jv_list_new(r, items->len)) == NULL)
    return false;
  for (size_t i = 0; i < items->len; i++) {
    tl_jv v;
    bool good = filter != NULL ? tl_jinja_builtin_call(r, filter, items->items[i], &rest, &v)
                               : dig(r, items->items[i], *path, &v);
    if (!good) return false;
    if (filter == NULL && fallback != NULL && v.kind == TL_JV_UNDEFINED) v = *fallback;
    if (!tl_jv_list_push(r, made, v)) return false;
  }
  *out = lazy(made);
  return true;
}

static bool pick(tl_jrun *r, tl_jv self, const tl_jargs *args, bool keep, bool by_attr,
                 tl_jv *out) {
  tl_jv_list *items, *kept = tl_jv_list_new(r, 0);
  tl_jv path = {.kind = TL_JV_ABSENT};
  tl_jargs rest = *args;
  const tl_jinja_builtin *test = NULL;
  if (kept == NULL || !tl_jv_iterate(r, self, &items)) return false;
  if (by_attr) {
    if (rest.len == 0) return tl_jrun_fail(r, "wanted the name of an attribute");
    path = rest.items[0];
    rest = args_from(&rest, 1);
  }
  if (rest.len > 0) {
    if (rest.items[0].kind != TL_JV_STR) return tl_jrun_fail(r, "wanted the name of a test");
    test = tl_jinja_test_find(rest.items[0].s);
    if (test == NULL)
      return tl_jrun_fail(r, "no test named '" TL_STR_FMT "'", TL_STR_ARG(rest.items[0].s));
    rest = args_from(&rest, 1);
  }
  for (size_t i = 0; i < items->len; i++) {
    tl_jv v;
    if (!dig(r, items->items[i], path, &v)) return false;
    if (test != NULL && !tl_jinja_builtin_call(r, test, v, &rest, &v)) return false;
    if (tl_jv_truth(v) == keep && !tl_jv_list_push(r, kept, items->items[i])) return false;
  }
  *out = lazy(kept);
  return true;
}
FILTER_VAR(select) { return pick(r, self, args, true, false, out); }
FILTER_VAR(reject) { return pick(r, self, args, false, false, out); }
FILTER_VAR(selectattr) { return pick(r, self, args, true, true, out); }
FILTER_VAR(rejectattr) { return pick(r, self, args, false, true, out); }

// ---- The table ----

static const tl_jinja_builtin filters[] = {
#define TL_JINJA_FILTER(name, function, required, params) \
  {name, params, required, 0, filter_##function, NULL},
#define TL_JINJA_FILTER_VAR(name, function) {name, NULL, 0, 0, NULL, filter_##function},
#include "tok/jinja_filters.def"
#undef TL_JINJA_FILTER
#undef TL_JINJA_FILTER_VAR
};

const tl_jinja_builtin *tl_jinja_filter_find(tl_str name) {
  for (size_t i = 0; i < TL_COUNT(filters); i++)
    if (tl_str_is(name, filters[i].name)) return &filters[i];
  return NULL;
}

const char *tl_jinja_filter_nearest(tl_str name) {
  const char *names[TL_COUNT(filters)];
  for (size_t i = 0; i < TL_COUNT(filters); i++)
    names[i] = filters[i].name;
  return tl_str_nearest(name, names, TL_COUNT(filters));
}
