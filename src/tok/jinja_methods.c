// Methods of texts, dicts, lists and loops, the functions of templates, and how a builtin gets its
// arguments. The rows are in jinja_methods.def.
#include <time.h>
#include <utf8proc.h>

#include "tok/jinja_impl.h"

enum { MAX_RANGE = 100000 }; // as jinja2's sandbox has it

#define METHOD(name)                                                    \
  static bool method_##name(TL_UNUSED tl_jrun *r, TL_UNUSED tl_jv self, \
                            TL_UNUSED const tl_jv *args, tl_jv *out)
#define METHOD_VAR(name) \
  static bool method_##name(tl_jrun *r, tl_jv self, const tl_jargs *args, tl_jv *out)
#define GLOBAL(name) \
  static bool global_##name(tl_jrun *r, TL_UNUSED tl_jv self, const tl_jv *args, tl_jv *out)
#define GLOBAL_VAR(name) \
  static bool global_##name(tl_jrun *r, TL_UNUSED tl_jv self, const tl_jargs *args, tl_jv *out)

static bool given(tl_jv v) { return v.kind != TL_JV_ABSENT; }

static bool want_str(tl_jrun *r, tl_jv v, const char *what) {
  return v.kind == TL_JV_STR ||
         tl_jrun_fail(r, "%s: wanted a text, found a %s", what, tl_jv_type_name(v));
}

static bool want_int(tl_jrun *r, tl_jv v, const char *what, int64_t *out) {
  if (v.kind == TL_JV_INT)
    *out = v.i;
  else if (v.kind == TL_JV_BOOL)
    *out = v.b;
  else
    return tl_jrun_fail(r, "%s: wanted a whole number, found a %s", what, tl_jv_type_name(v));
  return true;
}

// ---- Texts ----

static bool case_of(tl_jrun *r, tl_jv self, char how, tl_jv *out) {
  tl_buf text = {0};
  tl_jtext_case(self.s, how, &text);
  return tl_jv_take(r, &text, out);
}
METHOD(capitalize) { return case_of(r, self, 'c', out); }
METHOD(lower) { return case_of(r, self, 'l', out); }
METHOD(title) { return case_of(r, self, 't', out); }
METHOD(upper) { return case_of(r, self, 'u', out); }

static bool strip(tl_jrun *r, tl_jv self, tl_jv chars, bool left, bool right, tl_jv *out) {
  bool some = given(chars) && chars.kind != TL_JV_NONE;
  if (some && !want_str(r, chars, "strip")) return false;
  *out = tl_jv_str(tl_jtext_strip(self.s, some ? &chars.s : NULL, left, right));
  return tl_jrun_charge(r, self.s.len / 8 * (some ? chars.s.len : 1));
}
METHOD(strip) { return strip(r, self, args[0], true, true, out); }
METHOD(lstrip) { return strip(r, self, args[0], true, false, out); }
METHOD(rstrip) { return strip(r, self, args[0], false, true, out); }

// Does the text begin (or end) with it, or with one of a tuple?
static bool borders(tl_jrun *r, tl_jv self, tl_jv with, bool start, tl_jv *out) {
  const tl_jv *items = with.kind == TL_JV_LIST ? with.list->items : &with;
  size_t n = with.kind == TL_JV_LIST ? with.list->len : 1;
  bool found = false;
  for (size_t i = 0; i < n && !found; i++) {
    if (!want_str(r, items[i], start ? "startswith" : "endswith")) return false;
    found = start ? tl_str_starts(self.s, items[i].s) : tl_str_ends(self.s, items[i].s);
  }
  *out = tl_jv_bool(found);
  return true;
}
METHOD(startswith) { return borders(r, self, args[0], true, out); }
METHOD(endswith) { return borders(r, self, args[0], false, out); }

METHOD(removeprefix) {
  if (!want_str(r, args[0], "removeprefix")) return false;
  *out = self;
  if (tl_str_starts(self.s, args[0].s)) out->s = tl_str_sub(self.s, args[0].s.len, self.s.len);
  return true;
}
METHOD(removesuffix) {
  if (!want_str(r, args[0], "removesuffix")) return false;
  *out = self;
  if (tl_str_ends(self.s, args[0].s)) out->s = tl_str_sub(self.s, 0, self.s.len - args[0].s.len);
  return true;
}

static size_t find_last(tl_str s, tl_str needle) {
  if (needle.len > s.len) return (size_t)-1;
  for (size_t at = s.len - needle.len + 1; at-- > 0;)
    if (needle.len == 0 || memcmp(s.ptr + at, needle.ptr, needle.len) == 0) return at;
  return (size_t)-1;
}

static bool find(tl_jrun *r, tl_jv self, tl_jv sub, bool last, tl_jv *out) {
  if (!want_str(r, sub, "find") || !tl_jrun_charge(r, self.s.len)) return false;
  size_t at = last ? find_last(self.s, sub.s) : sub.s.len == 0 ? 0 : tl_str_find(self.s, sub.s);
  *out = tl_jv_int(at == (size_t)-1 ? -1 : (int64_t)tl_jtext_count(tl_str_sub(self.s, 0, at)));
  return true;
}
METHOD(find) { return find(r, self, args[0], false, out); }
METHOD(rfind) { return find(r, self, args[0], true, out); }
METHOD(index) {
  if (!find(r, self, args[0], false, out)) return false;
  return out->i >= 0 || tl_jrun_fail(r, "substring not found");
}

METHOD(count) {
  int64_t n = 0;
  if (!want_str(r, args[0], "count") || !tl_jrun_charge(r, self.s.len)) return false;
  tl_str rest = self.s;
  if (args[0].s.len == 0)
    n = (int64_t)tl_jtext_count(rest) + 1;
  else
    for (size_t at; (at = tl_str_find(rest, args[0].s)) != (size_t)-1; n++)
      rest = tl_str_sub(rest, at + args[0].s.len, rest.len);
  *out = tl_jv_int(n);
  return true;
}

METHOD(replace) {
  int64_t left = -1;
  tl_buf text = {0};
  if (!want_str(r, args[0], "replace") || !want_str(r, args[1], "replace")) return false;
  if (given(args[2]) && args[2].kind != TL_JV_NONE && !want_int(r, args[2], "replace", &left))
    return false;
  tl_str old = args[0].s, new = args[1].s, rest = self.s;
  if (!tl_jrun_charge(r, rest.len)) return false;
  while (left != 0) { // an empty text is found before every character and at the end
    size_t at = old.len == 0 ? 0 : tl_str_find(rest, old);
    if (at == (size_t)-1) break;
    if (!tl_jrun_charge(r, new.len + 1) || text.len > r->max_output) {
      tl_buf_deinit(&text);
      return tl_jrun_fail(r, "the text grew past %zu bytes", r->max_output);
    }
    tl_buf_add(&text, rest.ptr, at);
    tl_buf_str(&text, new);
    size_t skip = old.len == 0 ? tl_jtext_offset(rest, 0, 1) : at + old.len;
    if (old.len == 0) tl_buf_add(&text, rest.ptr, skip);
    bool end = old.len == 0 && rest.len == 0;
    rest = tl_str_sub(rest, skip, rest.len);
    if (end) break;
    if (left > 0) left--;
  }
  tl_buf_str(&text, rest);
  return tl_jv_take(r, &text, out);
}

static bool push_text(tl_jrun *r, tl_jv_list *list, tl_str s) {
  return tl_jv_list_push(r, list, tl_jv_str(s));
}

static bool split_space(tl_jrun *r, tl_str s, int64_t max, bool from_right, tl_jv_list *list) {
  tl_str rest = tl_jtext_strip(s, NULL, !from_right, from_right);
  while (rest.len > 0 && max != 0) {
    size_t cut = from_right ? rest.len : 0;
    while (from_right ? cut > 0 : cut < rest.len) { // to the next white space
      size_t next = cut, at;
      if (from_right) {
        do
          next--;
        while (next > 0 && ((uint8_t)rest.ptr[next] & 0xC0) == 0x80);
        at = next;
        if (tl_jtext_is_space(tl_utf8_decode(rest, &at))) break;
      } else {
        if (tl_jtext_is_space(tl_utf8_decode(rest, &next))) break;
      }
      cut = next;
    }
    tl_str word = from_right ? tl_str_sub(rest, cut, rest.len) : tl_str_sub(rest, 0, cut);
    if (!push_text(r, list, word)) return false;
    rest = from_right ? tl_str_sub(rest, 0, cut) : tl_str_sub(rest, cut, rest.len);
    rest = tl_jtext_strip(rest, NULL, !from_right, from_right);
    if (max > 0) max--;
  }
  // What is beyond the limit keeps the white space at its far end.
  return rest.len == 0 || push_text(r, list, rest);
}

static bool split(tl_jrun *r, tl_jv self, const tl_jv *args, bool from_right, tl_jv *out) {
  int64_t max = -1;
  tl_jv_list *list = tl_jv_list_new(r, 0);
  if (list == NULL || !tl_jrun_charge(r, self.s.len)) return false;
  if (given(args[1]) && !want_int(r, args[1], "split", &max)) return false;
  tl_str rest = self.s;
  if (!given(args[0]) || args[0].kind == TL_JV_NONE) {
    if (!split_space(r, rest, max, from_right, list)) return false;
  } else {
    if (!want_str(r, args[0], "split")) return false;
    tl_str by = args[0].s;
    if (by.len == 0) return tl_jrun_fail(r, "split: the separator is empty");
    for (; max != 0; max -= max > 0) {
      size_t at = from_right ? find_last(rest, by) : tl_str_find(rest, by);
      if (at == (size_t)-1) break;
      if (!push_text(r, list,
                     from_right ? tl_str_sub(rest, at + by.len, rest.len)
                                : tl_str_sub(rest, 0, at)))
        return false;
      rest = from_right ? tl_str_sub(rest, 0, at) : tl_str_sub(rest, at + by.len, rest.len);
    }
    if (!push_text(r, list, rest)) return false;
  }
  for (size_t i = 0; from_right && i < list->len / 2; i++) {
    tl_jv t = list->items[i];
    list->items[i] = list->items[list->len - 1 - i];
    list->items[list->len - 1 - i] = t;
  }
  *out = tl_jv_of_list(list, false);
  return true;
}
METHOD(split) { return split(r, self, args, false, out); }
METHOD(rsplit) { return split(r, self, args, true, out); }

static bool is_line_end(uint32_t c) {
  return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 ||
         c == 0x2029;
}

METHOD(splitlines) {
  bool keep = given(args[0]) && tl_jv_truth(args[0]);
  tl_jv_list *list = tl_jv_list_new(r, 0);
  if (list == NULL || !tl_jrun_charge(r, self.s.len)) return false;
  size_t from = 0;
  for (size_t at = 0; at < self.s.len;) {
    size_t end = at;
    uint32_t c = tl_utf8_decode(self.s, &at);
    if (!is_line_end(c)) continue;
    if (c == '\r' && at < self.s.len && self.s.ptr[at] == '\n') at++;
    if (!push_text(r, list, tl_str_sub(self.s, from, keep ? at : end))) return false;
    from = at;
  }
  if (from < self.s.len && !push_text(r, list, tl_str_sub(self.s, from, self.s.len))) return false;
  *out = tl_jv_of_list(list, false);
  return true;
}

METHOD(join) {
  tl_jv_list *items;
  tl_buf text = {0};
  bool good = tl_jv_iterate(r, args[0], &items);
  for (size_t i = 0; good && i < items->len; i++) {
    if (i > 0) tl_buf_str(&text, self.s);
    good = tl_jrun_charge(r, self.s.len) && want_str(r, items->items[i], "join") &&
           tl_jv_print(r, items->items[i], &text);
  }
  if (good) return tl_jv_take(r, &text, out);
  tl_buf_deinit(&text);
  return false;
}

// True when the text is not empty and all its characters are of the kind.
static bool all_chars(tl_jrun *r, tl_jv self, bool (*is)(uint32_t c), tl_jv *out) {
  bool all = self.s.len > 0;
  for (size_t at = 0; at < self.s.len && all;)
    all = is(tl_utf8_decode(self.s, &at));
  *out = tl_jv_bool(all);
  return tl_jrun_charge(r, self.s.len);
}
static bool is_alpha(uint32_t c) {
  utf8proc_category_t k = utf8proc_category((utf8proc_int32_t)c);
  return k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_LO;
}
static bool is_digit(uint32_t c) {
  return utf8proc_category((utf8proc_int32_t)c) == UTF8PROC_CATEGORY_ND;
}
static bool is_alnum(uint32_t c) {
  utf8proc_category_t k = utf8proc_category((utf8proc_int32_t)c);
  return is_alpha(c) || k == UTF8PROC_CATEGORY_ND || k == UTF8PROC_CATEGORY_NL ||
         k == UTF8PROC_CATEGORY_NO;
}
METHOD(isalpha) { return all_chars(r, self, is_alpha, out); }
METHOD(isdigit) { return all_chars(r, self, is_digit, out); }
METHOD(isalnum) { return all_chars(r, self, is_alnum, out); }
METHOD(isspace) { return all_chars(r, self, tl_jtext_is_space, out); }
METHOD(islower) { return tl_jinja_test_find(TL_STR("lower"))->fn(r, self, args, out); }
METHOD(isupper) { return tl_jinja_test_find(TL_STR("upper"))->fn(r, self, args, out); }

// ---- Dicts and lists ----

METHOD(copy) {
  *out = self; // values never change, so a copy is the value
  return true;
}

METHOD(get) {
  const tl_jv *value;
  if (!tl_jv_dict_find(r, self.dict, args[0], &value)) return false;
  *out = value != NULL ? *value : given(args[1]) ? args[1] : tl_jv_none();
  return true;
}

METHOD(keys) {
  tl_jv_list *list;
  if (!tl_jv_iterate(r, self, &list)) return false;
  *out = tl_jv_of_list(list, false);
  return true;
}

METHOD(values) {
  tl_jv_list *list = tl_jv_list_new(r, self.dict->len);
  if (list == NULL) return false;
  for (size_t i = 0; i < self.dict->len; i++)
    list->items[list->len++] = self.dict->values[i];
  *out = tl_jv_of_list(list, false);
  return true;
}

METHOD(items) {
  if (!tl_jinja_filter_find(TL_STR("items"))->fn(r, self, args, out)) return false;
  out->lazy = false; // a view, which has a length
  return true;
}

METHOD(list_count) {
  int64_t n = 0;
  for (size_t i = 0; i < self.list->len; i++) {
    bool same;
    if (!tl_jv_equal(r, self.list->items[i], args[0], &same)) return false;
    n += same;
  }
  *out = tl_jv_int(n);
  return true;
}

METHOD(list_index) {
  for (size_t i = 0; i < self.list->len; i++) {
    bool same;
    if (!tl_jv_equal(r, self.list->items[i], args[0], &same)) return false;
    *out = tl_jv_int((int64_t)i);
    if (same) return true;
  }
  return tl_jrun_fail(r, "the value is not in the list");
}

METHOD_VAR(loop_cycle) {
  if (args->len == 0) return tl_jrun_fail(r, "cycle: no items");
  *out = args->items[self.loop->index % args->len];
  return true;
}

METHOD_VAR(loop_changed) {
  tl_jv_list *now = tl_jv_list_new(r, args->len);
  bool same = false;
  if (now == NULL) return false;
  for (size_t i = 0; i < args->len; i++)
    now->items[now->len++] = args->items[i];
  tl_jv v = tl_jv_of_list(now, true);
  if (self.loop->last_changed.kind != TL_JV_ABSENT &&
      !tl_jv_equal(r, self.loop->last_changed, v, &same))
    return false;
  self.loop->last_changed = v;
  *out = tl_jv_bool(!same);
  return true;
}

// ---- Functions ----

GLOBAL(range) {
  int64_t start = 0, stop = 0, step = 1, n = 0;
  if (!want_int(r, args[0], "range", &stop)) return false;
  if (given(args[1])) {
    start = stop;
    if (!want_int(r, args[1], "range", &stop)) return false;
  }
  if (given(args[2]) && !want_int(r, args[2], "range", &step)) return false;
  if (step == 0) return tl_jrun_fail(r, "range: the step is zero");
  tl_jv_list *list = tl_jv_list_new(r, 0);
  if (list == NULL) return false;
  for (int64_t i = start; step > 0 ? i < stop : i > stop;) {
    if (n++ == MAX_RANGE) return tl_jrun_fail(r, "range: more than %d numbers", MAX_RANGE);
    if (!tl_jv_list_push(r, list, tl_jv_int(i))) return false;
    if (!TL_ADD_OK(i, step, &i)) break;
  }
  *out = tl_jv_of_list(list, false);
  return true;
}

static bool dict_of(tl_jrun *r, const tl_jargs *args, const char *what, tl_jv_dict **out) {
  if ((*out = tl_jv_dict_new(r, args->len)) == NULL) return false;
  for (size_t i = 0; i < args->len; i++) {
    tl_jv v = args->items[i];
    if (args->names != NULL && args->names[i].ptr != NULL) {
      if (!tl_jv_dict_set(r, *out, tl_jv_str(args->names[i]), v)) return false;
      continue;
    }
    tl_jv_list *pairs;
    if (v.kind == TL_JV_DICT || v.kind == TL_JV_NAMESPACE) {
      for (size_t k = 0; k < v.dict->len; k++)
        if (!tl_jv_dict_set(r, *out, v.dict->keys[k], v.dict->values[k])) return false;
    } else if (tl_jv_iterate(r, v, &pairs)) {
      for (size_t k = 0; k < pairs->len; k++) {
        const tl_jv *pair = &pairs->items[k];
        if (pair->kind != TL_JV_LIST || pair->list->len != 2)
          return tl_jrun_fail(r, "%s: wanted pairs, found a %s", what, tl_jv_type_name(*pair));
        if (!tl_jv_dict_set(r, *out, pair->list->items[0], pair->list->items[1])) return false;
      }
    } else {
      return false;
    }
  }
  return true;
}

GLOBAL_VAR(dict) {
  tl_jv_dict *d;
  if (!dict_of(r, args, "dict", &d)) return false;
  *out = (tl_jv){.kind = TL_JV_DICT, .dict = d};
  return true;
}

GLOBAL_VAR(namespace) {
  tl_jv_dict *d;
  if (!dict_of(r, args, "namespace", &d)) return false;
  *out = (tl_jv){.kind = TL_JV_NAMESPACE, .dict = d};
  return true;
}

GLOBAL(raise_exception) {
  tl_str message;
  (void)out;
  if (!tl_jv_to_str(r, args[0], &message)) return false;
  return tl_jrun_fail(r, TL_STR_FMT, TL_STR_ARG(tl_str_sub(message, 0, 1000)));
}

GLOBAL(strftime_now) {
  char format[128], text[512];
  if (!want_str(r, args[0], "strftime_now")) return false;
  if (args[0].s.len >= sizeof format || memchr(args[0].s.ptr, 0, args[0].s.len) != NULL)
    return tl_jrun_fail(r, "strftime_now: a format of at most %zu bytes", sizeof format - 1);
  memcpy(format, args[0].s.ptr, args[0].s.len);
  format[args[0].s.len] = 0;
  for (const char *p = format; (p = strchr(p, '%')) != NULL;) { // glibc would pad to any width
    if (p[1] == 0 || strchr("aAwdbBmyYHIMSpfzZjUWcxXGuV%eFTDR-", p[1]) == NULL || p[1] == 'f')
      return tl_jrun_fail(r, "strftime_now: format '%.2s' is not supported", p);
    p += p[1] == '-' ? 1 : 2;
  }
  time_t now = r->now != 0 ? (time_t)r->now : time(NULL);
  struct tm tm;
  if (localtime_r(&now, &tm) == NULL) return tl_jrun_fail(r, "strftime_now: no such time");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" // it is the template's; checked above
  size_t len = format[0] == 0 ? 0 : strftime(text, sizeof text, format, &tm);
#pragma GCC diagnostic pop
  if (len == 0 && format[0] != 0) return tl_jrun_fail(r, "strftime_now: the text is too long");
  tl_buf copy = {0};
  tl_buf_add(&copy, text, len);
  return tl_jv_take(r, &copy, out);
}

// ---- Tables and calling ----

static const tl_jinja_builtin methods[] = {
#define TL_JINJA_METHOD(kind, name, function, required, params) \
  {name, params, required, TL_JV_##kind, method_##function, NULL},
#define TL_JINJA_METHOD_VAR(kind, name, function) \
  {name, NULL, 0, TL_JV_##kind, NULL, method_##function},
#include "tok/jinja_methods.def"
#undef TL_JINJA_METHOD
#undef TL_JINJA_METHOD_VAR
};

static const tl_jinja_builtin globals[] = {
#define TL_JINJA_GLOBAL(name, function, required, params) \
  {name, params, required, 0, global_##function, NULL},
#define TL_JINJA_GLOBAL_VAR(name, function) {name, NULL, 0, 0, NULL, global_##function},
#include "tok/jinja_methods.def"
#undef TL_JINJA_GLOBAL
#undef TL_JINJA_GLOBAL_VAR
};

const tl_jinja_builtin *tl_jinja_method_find(tl_jv_kind self, tl_str name) {
  for (size_t i = 0; i < TL_COUNT(methods); i++)
    if (methods[i].self_kind == self && tl_str_is(name, methods[i].name)) return &methods[i];
  return NULL;
}

const tl_jinja_builtin *tl_jinja_global_find(tl_str name) {
  for (size_t i = 0; i < TL_COUNT(globals); i++)
    if (tl_str_is(name, globals[i].name)) return &globals[i];
  return NULL;
}

// The place of a parameter among "a b c"; -1 when there is none of that name.
static int param_at(const char *params, tl_str name) {
  int at = 0;
  for (const char *p = params; *p != 0; at++) {
    size_t len = strcspn(p, " ");
    if (tl_str_eq((tl_str){p, len}, name)) return at;
    p += len + (p[len] == ' ');
  }
  return -1;
}

static int param_count(const char *params) {
  int n = *params != 0;
  for (; *params != 0; params++)
    n += *params == ' ';
  return n;
}

bool tl_jinja_builtin_call(tl_jrun *r, const tl_jinja_builtin *f, tl_jv self, const tl_jargs *args,
                           tl_jv *out) {
  if (!tl_jrun_charge(r, 8)) return false;
  if (f->var_fn != NULL) return f->var_fn(r, self, args, out);
  tl_jv bound[TL_JINJA_MAX_PARAMS] = {{.kind = TL_JV_ABSENT}};
  int n = param_count(f->params);
  for (size_t i = 0; i < args->len; i++) {
    bool named = args->names != NULL && args->names[i].ptr != NULL;
    int at = named ? param_at(f->params, args->names[i]) : i < (size_t)n ? (int)i : -1;
    if (at < 0 && named)
      return tl_jrun_fail(r, "%s has no parameter '" TL_STR_FMT "'", f->name,
                          TL_STR_ARG(args->names[i]));
    if (at < 0) return tl_jrun_fail(r, "%s takes at most %d arguments", f->name, n);
    bound[at] = args->items[i];
  }
  for (int i = 0; i < f->required; i++)
    if (!given(bound[i])) return tl_jrun_fail(r, "%s wants %d arguments", f->name, f->required);
  return f->fn(r, self, bound, out);
}
