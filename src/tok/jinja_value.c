// Values as Python has them: truth, equality, order, printing, and what operators do.
//
// All memory is the run's arena and charged to its budget, as is every byte that a comparison or a
// search may look at.
#include <math.h>
#include <stdlib.h>
#include <utf8proc.h>

#include "tok/jinja_impl.h"

enum { MAX_VALUE_DEPTH = 64 }; // of lists in lists

// ---- Lists and dicts ----

tl_jv_list *tl_jv_list_new(tl_jrun *r, size_t cap) {
  tl_jv_list *list = TL_JNEW(r, tl_jv_list, 1);
  if (list == NULL || cap == 0) return list;
  if ((list->items = TL_JNEW(r, tl_jv, cap)) == NULL) return NULL;
  list->cap = cap;
  return list;
}

bool tl_jv_list_push(tl_jrun *r, tl_jv_list *list, tl_jv v) {
  if (list->len == list->cap) {
    size_t cap = TL_MAX(list->cap * 2, (size_t)4);
    tl_jv *grown = TL_JNEW(r, tl_jv, cap);
    if (grown == NULL) return false;
    if (list->len > 0) memcpy(grown, list->items, list->len * sizeof *grown);
    list->items = grown;
    list->cap = cap;
  }
  list->items[list->len++] = v;
  return true;
}

tl_jv tl_jv_of_list(tl_jv_list *list, bool tuple) {
  return (tl_jv){.kind = TL_JV_LIST, .tuple = tuple, .list = list};
}

tl_jv_dict *tl_jv_dict_new(tl_jrun *r, size_t cap) {
  tl_jv_dict *d = TL_JNEW(r, tl_jv_dict, 1);
  if (d == NULL || cap == 0) return d;
  d->keys = TL_JNEW(r, tl_jv, cap);
  d->values = TL_JNEW(r, tl_jv, cap);
  d->cap = cap;
  return d->keys != NULL && d->values != NULL ? d : NULL;
}

bool tl_jv_dict_find(tl_jrun *r, const tl_jv_dict *d, tl_jv key, const tl_jv **out) {
  *out = NULL;
  if (!tl_jrun_charge(r, d->len)) return false;
  for (size_t i = 0; i < d->len; i++) {
    bool equal;
    if (key.kind == TL_JV_STR && d->keys[i].kind == TL_JV_STR)
      equal = tl_str_eq(key.s, d->keys[i].s);
    else if (!tl_jv_equal(r, key, d->keys[i], &equal))
      return false;
    if (!equal) continue;
    *out = &d->values[i];
    return true;
  }
  return true;
}

bool tl_jv_dict_set(tl_jrun *r, tl_jv_dict *d, tl_jv key, tl_jv value) {
  const tl_jv *old;
  if (key.kind == TL_JV_DICT || (key.kind == TL_JV_LIST && !key.tuple))
    return tl_jrun_fail(r, "unhashable type: '%s'", tl_jv_type_name(key));
  if (!tl_jv_dict_find(r, d, key, &old)) return false;
  if (old != NULL) {
    d->values[old - d->values] = value;
    return true;
  }
  if (d->len == d->cap) {
    size_t cap = TL_MAX(d->cap * 2, (size_t)4);
    tl_jv *keys = TL_JNEW(r, tl_jv, cap), *values = TL_JNEW(r, tl_jv, cap);
    if (keys == NULL || values == NULL) return false;
    if (d->len > 0) memcpy(keys, d->keys, d->len * sizeof *keys);
    if (d->len > 0) memcpy(values, d->values, d->len * sizeof *values);
    d->keys = keys;
    d->values = values;
    d->cap = cap;
  }
  d->keys[d->len] = key;
  d->values[d->len++] = value;
  return true;
}

// ---- From JSON ----

static bool of_json(tl_jrun *r, const json_t *json, int depth, tl_jv *out) {
  if (depth > MAX_VALUE_DEPTH)
    return tl_jrun_fail(r, "the variables are nested more than %d deep", MAX_VALUE_DEPTH);
  switch (json_typeof(json)) {
  case JSON_NULL:
    *out = tl_jv_none();
    return true;
  case JSON_TRUE:
    *out = tl_jv_bool(true);
    return true;
  case JSON_FALSE:
    *out = tl_jv_bool(false);
    return true;
  case JSON_INTEGER:
    *out = tl_jv_int(json_integer_value(json));
    return true;
  case JSON_REAL:
    *out = tl_jv_float(json_real_value(json));
    return true;
  case JSON_STRING: // borrowed: the JSON outlives the run
    *out = tl_jv_str((tl_str){json_string_value(json), json_string_length(json)});
    return true;
  case JSON_ARRAY: {
    size_t n = json_array_size(json);
    tl_jv_list *list = tl_jv_list_new(r, n);
    if (list == NULL) return false;
    for (; list->len < n; list->len++)
      if (!of_json(r, json_array_get(json, list->len), depth + 1, &list->items[list->len]))
        return false;
    *out = tl_jv_of_list(list, false);
    return true;
  }
  case JSON_OBJECT: {
    tl_jv_dict *d = tl_jv_dict_new(r, json_object_size(json));
    const char *key;
    size_t key_len;
    json_t *value;
    if (d == NULL) return false;
    json_object_keylen_foreach((json_t *)json, key, key_len, value) {
      d->keys[d->len] = tl_jv_str((tl_str){key, key_len});
      if (!of_json(r, value, depth + 1, &d->values[d->len])) return false;
      d->len++;
    }
    *out = (tl_jv){.kind = TL_JV_DICT, .dict = d};
    return true;
  }
  }
  return false;
}

bool tl_jv_of_json(tl_jrun *r, const json_t *json, tl_jv *out) { return of_json(r, json, 0, out); }

// ---- Questions ----

const char *tl_jv_type_name(tl_jv v) {
  switch ((tl_jv_kind)v.kind) {
  case TL_JV_ABSENT:
    break;
  case TL_JV_UNDEFINED:
    return "Undefined";
  case TL_JV_NONE:
    return "NoneType";
  case TL_JV_BOOL:
    return "bool";
  case TL_JV_INT:
    return "int";
  case TL_JV_FLOAT:
    return "float";
  case TL_JV_STR:
    return "str";
  case TL_JV_LIST:
    return v.lazy ? "generator" : v.tuple ? "tuple" : "list";
  case TL_JV_DICT:
    return "dict";
  case TL_JV_NAMESPACE:
    return "Namespace";
  case TL_JV_LOOP:
    return "LoopContext";
  case TL_JV_MACRO:
    return "Macro";
  case TL_JV_METHOD:
  case TL_JV_FUNCTION:
    return "function";
  }
  return "nothing";
}

bool tl_jv_truth(tl_jv v) {
  switch ((tl_jv_kind)v.kind) {
  case TL_JV_ABSENT:
  case TL_JV_UNDEFINED:
  case TL_JV_NONE:
    return false;
  case TL_JV_BOOL:
    return v.b;
  case TL_JV_INT:
    return v.i != 0;
  case TL_JV_FLOAT:
    return v.f != 0; // NaN is true
  case TL_JV_STR:
    return v.s.len > 0;
  case TL_JV_LIST:
    return v.lazy || v.list->len > 0;
  case TL_JV_DICT:
    return v.dict->len > 0;
  default:
    return true;
  }
}

static bool is_number(tl_jv v) {
  return v.kind == TL_JV_BOOL || v.kind == TL_JV_INT || v.kind == TL_JV_FLOAT;
}
static bool is_whole(tl_jv v) { return v.kind == TL_JV_BOOL || v.kind == TL_JV_INT; }
static int64_t whole(tl_jv v) { return v.kind == TL_JV_BOOL ? v.b : v.i; }
static double real(tl_jv v) { return v.kind == TL_JV_FLOAT ? v.f : (double)whole(v); }

static bool deeper(tl_jrun *r, int depth) {
  return depth <= MAX_VALUE_DEPTH ||
         tl_jrun_fail(r, "values are nested more than %d deep", MAX_VALUE_DEPTH);
}

static bool equal(tl_jrun *r, tl_jv a, tl_jv b, int depth, bool *out) {
  *out = false;
  if (!deeper(r, depth) || !tl_jrun_charge(r, 1)) return false;
  if (is_number(a) && is_number(b)) {
    *out = is_whole(a) && is_whole(b) ? whole(a) == whole(b) : real(a) == real(b);
    return true;
  }
  if (a.kind != b.kind) return true;
  switch ((tl_jv_kind)a.kind) {
  case TL_JV_UNDEFINED:
  case TL_JV_NONE:
    *out = true;
    return true;
  case TL_JV_STR:
    *out = tl_str_eq(a.s, b.s);
    return tl_jrun_charge(r, TL_MIN(a.s.len, b.s.len) / 8);
  case TL_JV_LIST:
    if (a.tuple != b.tuple || a.list->len != b.list->len) return true;
    for (size_t i = 0; i < a.list->len; i++) {
      if (!equal(r, a.list->items[i], b.list->items[i], depth + 1, out)) return false;
      if (!*out) return true;
    }
    *out = true;
    return true;
  case TL_JV_DICT:
    if (a.dict->len != b.dict->len) return true;
    for (size_t i = 0; i < a.dict->len; i++) {
      const tl_jv *other;
      if (!tl_jv_dict_find(r, b.dict, a.dict->keys[i], &other)) return false;
      if (other == NULL) {
        *out = false;
        return true;
      }
      if (!equal(r, a.dict->values[i], *other, depth + 1, out)) return false;
      if (!*out) return true;
    }
    *out = true;
    return true;
  default:
    *out = a.loop == b.loop;
    return true; // the same object
  }
}

bool tl_jv_equal(tl_jrun *r, tl_jv a, tl_jv b, bool *out) { return equal(r, a, b, 0, out); }

static bool order(tl_jrun *r, tl_jv a, tl_jv b, const char *op, int depth, int *out) {
  *out = 0;
  if (!deeper(r, depth) || !tl_jrun_charge(r, 1)) return false;
  if (is_number(a) && is_number(b)) {
    if (is_whole(a) && is_whole(b))
      *out = (whole(a) > whole(b)) - (whole(a) < whole(b));
    else
      *out = (real(a) > real(b)) - (real(a) < real(b));
    return true;
  }
  if (a.kind == TL_JV_STR && b.kind == TL_JV_STR) { // UTF-8's order is that of the characters
    *out = tl_str_cmp(a.s, b.s);
    *out = (*out > 0) - (*out < 0);
    return tl_jrun_charge(r, TL_MIN(a.s.len, b.s.len) / 8);
  }
  if (a.kind == TL_JV_LIST && b.kind == TL_JV_LIST && a.tuple == b.tuple) {
    size_t n = TL_MIN(a.list->len, b.list->len);
    for (size_t i = 0; i < n; i++) {
      bool same;
      if (!equal(r, a.list->items[i], b.list->items[i], depth + 1, &same)) return false;
      if (!same) return order(r, a.list->items[i], b.list->items[i], op, depth + 1, out);
    }
    *out = (a.list->len > b.list->len) - (a.list->len < b.list->len);
    return true;
  }
  if (a.kind == TL_JV_UNDEFINED || b.kind == TL_JV_UNDEFINED)
    return tl_jrun_fail(r, TL_STR_FMT, TL_STR_ARG(a.kind == TL_JV_UNDEFINED ? a.s : b.s));
  return tl_jrun_fail(r, "'%s' not supported between instances of '%s' and '%s'", op,
                      tl_jv_type_name(a), tl_jv_type_name(b));
}

bool tl_jv_order(tl_jrun *r, tl_jv a, tl_jv b, const char *op, int *out) {
  return order(r, a, b, op, 0, out);
}

bool tl_jv_contains(tl_jrun *r, tl_jv item, tl_jv container, bool *out) {
  *out = false;
  if (container.kind == TL_JV_STR) {
    if (item.kind != TL_JV_STR)
      return tl_jrun_fail(r, "'in <string>' requires string as left operand, not %s",
                          tl_jv_type_name(item));
    *out = item.s.len == 0 || tl_str_find(container.s, item.s) != (size_t)-1;
    return tl_jrun_charge(r, container.s.len / 4);
  }
  if (container.kind == TL_JV_DICT || container.kind == TL_JV_NAMESPACE) {
    const tl_jv *found;
    if (!tl_jv_dict_find(r, container.dict, item, &found)) return false;
    *out = found != NULL;
    return true;
  }
  tl_jv_list *items;
  if (!tl_jv_iterate(r, container, &items)) return false;
  for (size_t i = 0; i < items->len && !*out; i++)
    if (!tl_jv_equal(r, item, items->items[i], out)) return false;
  return true;
}

bool tl_jv_iterate(tl_jrun *r, tl_jv v, tl_jv_list **out) {
  static tl_jv_list none;
  switch ((tl_jv_kind)v.kind) {
  case TL_JV_UNDEFINED:
    *out = &none;
    return true;
  case TL_JV_LIST:
    *out = v.list;
    return true;
  case TL_JV_DICT: {
    tl_jv_list *list = tl_jv_list_new(r, v.dict->len);
    if (list == NULL) return false;
    if (v.dict->len > 0) memcpy(list->items, v.dict->keys, v.dict->len * sizeof *list->items);
    list->len = v.dict->len;
    *out = list;
    return true;
  }
  case TL_JV_STR: {
    tl_jv_list *list = tl_jv_list_new(r, tl_jtext_count(v.s));
    if (list == NULL) return false;
    for (size_t at = 0; at < v.s.len;) {
      size_t next = tl_jtext_offset(v.s, at, 1);
      if (!tl_jv_list_push(r, list, tl_jv_str(tl_str_sub(v.s, at, next)))) return false;
      at = next;
    }
    *out = list;
    return true;
  }
  default:
    return tl_jrun_fail(r, "'%s' object is not iterable", tl_jv_type_name(v));
  }
}

bool tl_jv_length(tl_jrun *r, tl_jv v, int64_t *out) {
  switch ((tl_jv_kind)v.kind) {
  case TL_JV_UNDEFINED:
    *out = 0;
    return true;
  case TL_JV_STR:
    *out = (int64_t)tl_jtext_count(v.s);
    return tl_jrun_charge(r, v.s.len / 8);
  case TL_JV_LIST:
    *out = (int64_t)v.list->len;
    return !v.lazy || tl_jrun_fail(r, "object of type 'generator' has no len()");
  case TL_JV_DICT:
    *out = (int64_t)v.dict->len;
    return true;
  case TL_JV_LOOP:
    *out = (int64_t)v.loop->items->len;
    return true;
  default:
    return tl_jrun_fail(r, "object of type '%s' has no len()", tl_jv_type_name(v));
  }
}

// ---- Attributes and items ----

static bool loop_attr(tl_jrun *r, tl_jv obj, tl_str name, tl_jv *out) {
  const tl_jv_loop *l = obj.loop;
  int64_t n = (int64_t)l->items->len, i = (int64_t)l->index;
  if (tl_str_is(name, "index"))
    *out = tl_jv_int(i + 1);
  else if (tl_str_is(name, "index0"))
    *out = tl_jv_int(i);
  else if (tl_str_is(name, "revindex"))
    *out = tl_jv_int(n - i);
  else if (tl_str_is(name, "revindex0"))
    *out = tl_jv_int(n - i - 1);
  else if (tl_str_is(name, "first"))
    *out = tl_jv_bool(i == 0);
  else if (tl_str_is(name, "last"))
    *out = tl_jv_bool(i + 1 == n);
  else if (tl_str_is(name, "length"))
    *out = tl_jv_int(n);
  else if (tl_str_is(name, "depth"))
    *out = tl_jv_int(1); // of a recursive loop, which we lack
  else if (tl_str_is(name, "depth0"))
    *out = tl_jv_int(0);
  else if (tl_str_is(name, "previtem"))
    *out = i > 0 ? l->items->items[i - 1] : tl_jv_undefined("there is no previous item");
  else if (tl_str_is(name, "nextitem"))
    *out = i + 1 < n ? l->items->items[i + 1] : tl_jv_undefined("there is no next item");
  else
    return tl_jrun_fail(r, "'loop' has no attribute '" TL_STR_FMT "'", TL_STR_ARG(name));
  return true;
}

static bool missing(tl_jrun *r, tl_jv obj, tl_str name, tl_jv *out) {
  char *why = tl_arena_printf(r->arena, "'%s object' has no attribute '" TL_STR_FMT "'",
                              tl_jv_type_name(obj), TL_STR_ARG(tl_str_sub(name, 0, 80)));
  if (why == NULL) return tl_jrun_oom(r);
  *out = tl_jv_undefined(why);
  return tl_jrun_charge(r, 128);
}

static bool bind_method(tl_jrun *r, tl_jv obj, tl_str name, bool *found, tl_jv *out) {
  const tl_jinja_builtin *m = tl_jinja_method_find(obj.kind, name);
  *found = m != NULL;
  if (m == NULL) return true;
  tl_jv_bound *bound = TL_JNEW(r, tl_jv_bound, 1);
  if (bound == NULL) return false;
  *bound = (tl_jv_bound){obj, m};
  *out = (tl_jv){.kind = TL_JV_METHOD, .bound = bound};
  return true;
}

bool tl_jv_attr(tl_jrun *r, tl_jv obj, tl_str name, tl_jv *out) {
  bool found;
  if (obj.kind == TL_JV_UNDEFINED) return tl_jrun_fail(r, TL_STR_FMT, TL_STR_ARG(obj.s));
  if (!bind_method(r, obj, name, &found, out)) return false;
  if (found) return true;
  if (obj.kind == TL_JV_LOOP) return loop_attr(r, obj, name, out);
  if (obj.kind == TL_JV_MACRO && tl_str_is(name, "name")) {
    const tl_jn *n = obj.macro->node;
    *out = n->kind == TL_JN_MACRO ? tl_jv_str(n->b->name) : tl_jv_none();
    return true;
  }
  if (obj.kind == TL_JV_DICT || obj.kind == TL_JV_NAMESPACE) {
    const tl_jv *value;
    if (!tl_jv_dict_find(r, obj.dict, tl_jv_str(name), &value)) return false;
    if (value != NULL) {
      *out = *value;
      return true;
    }
  }
  return missing(r, obj, name, out);
}

bool tl_jv_item(tl_jrun *r, tl_jv obj, tl_jv index, tl_jv *out) {
  if (obj.kind == TL_JV_UNDEFINED) return tl_jrun_fail(r, TL_STR_FMT, TL_STR_ARG(obj.s));
  if (obj.kind == TL_JV_DICT || obj.kind == TL_JV_NAMESPACE) {
    const tl_jv *value;
    if (!tl_jv_dict_find(r, obj.dict, index, &value)) return false;
    if (value != NULL) {
      *out = *value;
      return true;
    }
  } else if (is_whole(index) && !obj.lazy && (obj.kind == TL_JV_LIST || obj.kind == TL_JV_STR)) {
    int64_t n, i = whole(index);
    if (!tl_jv_length(r, obj, &n)) return false;
    if (i < 0) i = i < -n ? -1 : i + n;
    if (i < 0 || i >= n) {
      *out = tl_jv_undefined(obj.kind == TL_JV_LIST ? "list index out of range"
                                                    : "string index out of range");
      return true;
    }
    if (obj.kind == TL_JV_LIST) {
      *out = obj.list->items[i];
      return true;
    }
    size_t at = tl_jtext_offset(obj.s, 0, (size_t)i);
    *out = tl_jv_str(tl_str_sub(obj.s, at, tl_jtext_offset(obj.s, at, 1)));
    return tl_jrun_charge(r, obj.s.len / 8);
  }
  if (index.kind == TL_JV_STR) {
    if (obj.kind != TL_JV_DICT && obj.kind != TL_JV_NAMESPACE)
      return tl_jv_attr(r, obj, index.s, out);
    bool found; // Python falls back to the attribute, and so finds methods
    if (!bind_method(r, obj, index.s, &found, out)) return false;
    return found || missing(r, obj, index.s, out);
  }
  *out = tl_jv_undefined("there is no such item");
  return true;
}

bool tl_jv_slice(tl_jrun *r, tl_jv obj, tl_jv start, tl_jv stop, tl_jv step, tl_jv *out) {
  if (obj.kind == TL_JV_UNDEFINED) return tl_jrun_fail(r, TL_STR_FMT, TL_STR_ARG(obj.s));
  if (obj.lazy || (obj.kind != TL_JV_LIST && obj.kind != TL_JV_STR)) {
    *out = tl_jv_undefined("the value cannot be sliced");
    return true;
  }
  const tl_jv *const parts[] = {&start, &stop, &step};
  for (int i = 0; i < 3; i++)
    if (parts[i]->kind != TL_JV_NONE && !is_whole(*parts[i]))
      return tl_jrun_fail(r, "slice indices must be integers or none, not %s",
                          tl_jv_type_name(*parts[i]));
  int64_t n, by = step.kind == TL_JV_NONE ? 1 : whole(step);
  if (!tl_jv_length(r, obj, &n)) return false;
  if (by == 0) return tl_jrun_fail(r, "slice step cannot be zero");
  if (by < -n - 1) by = -n - 1; // as far as any step that long goes
  if (by > n + 1) by = n + 1;
  int64_t lo = by > 0 ? 0 : -1, hi = by > 0 ? n : n - 1; // where ends are clamped to
  int64_t from = by > 0 ? lo : hi, to = by > 0 ? hi : lo;
  if (start.kind != TL_JV_NONE) {
    from = whole(start);
    if (from < 0) from = from < -n ? lo : from + n;
    from = TL_MAX(lo, TL_MIN(from, hi));
  }
  if (stop.kind != TL_JV_NONE) {
    to = whole(stop);
    if (to < 0) to = to < -n ? lo : to + n;
    to = TL_MAX(lo, TL_MIN(to, hi));
  }
  if (obj.kind == TL_JV_STR && by == 1) {
    size_t a = tl_jtext_offset(obj.s, 0, (size_t)from);
    size_t b = to > from ? tl_jtext_offset(obj.s, a, (size_t)(to - from)) : a;
    *out = tl_jv_str(tl_str_sub(obj.s, a, b));
    return tl_jrun_charge(r, obj.s.len / 8);
  }
  tl_jv_list *items, *taken = tl_jv_list_new(r, 0);
  if (taken == NULL || !tl_jv_iterate(r, obj, &items)) return false;
  for (int64_t i = from; by > 0 ? i < to : i > to; i += by)
    if (!tl_jv_list_push(r, taken, items->items[i])) return false;
  if (obj.kind == TL_JV_LIST) {
    *out = tl_jv_of_list(taken, obj.tuple);
    return true;
  }
  tl_buf text = {0};
  for (size_t i = 0; i < taken->len; i++)
    tl_buf_str(&text, taken->items[i].s);
  return tl_jv_take(r, &text, out);
}

// ---- Operators ----

static bool join_text(tl_jrun *r, tl_str a, tl_str b, tl_jv *out) {
  size_t len;
  if (!TL_ADD_OK(a.len, b.len, &len)) return tl_jrun_oom(r);
  char *text = tl_jrun_alloc(r, len + 1, 1);
  if (text == NULL) return false;
  if (a.len > 0) memcpy(text, a.ptr, a.len);
  if (b.len > 0) memcpy(text + a.len, b.ptr, b.len);
  *out = tl_jv_str((tl_str){text, len});
  return true;
}

static bool repeat(tl_jrun *r, tl_jv what, int64_t times, tl_jv *out) {
  size_t n = times < 0 ? 0 : (size_t)times, len;
  if (what.kind == TL_JV_STR) {
    if (!TL_MUL_OK(what.s.len, n, &len) || !TL_ADD_OK(len, (size_t)1, &len))
      return tl_jrun_fail(r, "the text is too long");
    if (what.s.len == 0) n = 0;
    char *text = tl_jrun_alloc(r, len, 1);
    if (text == NULL) return false;
    for (size_t i = 0; i < n; i++)
      memcpy(text + i * what.s.len, what.s.ptr, what.s.len);
    *out = tl_jv_str((tl_str){text, len - 1});
    return true;
  }
  if (!TL_MUL_OK(what.list->len, n, &len)) return tl_jrun_fail(r, "the list is too long");
  tl_jv_list *list = tl_jv_list_new(r, len);
  if (list == NULL) return false;
  for (size_t i = 0; len > 0 && i < len; i++)
    list->items[i] = what.list->items[i % what.list->len];
  list->len = len;
  *out = tl_jv_of_list(list, what.tuple);
  return true;
}

static int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static bool whole_op(tl_jrun *r, tl_jo op, int64_t a, int64_t b, tl_jv *out) {
  int64_t v = 0;
  bool fits = true;
  switch (op) {
  case TL_JO_ADD:
    fits = TL_ADD_OK(a, b, &v);
    break;
  case TL_JO_SUB:
    fits = TL_SUB_OK(a, b, &v);
    break;
  case TL_JO_MUL:
    fits = TL_MUL_OK(a, b, &v);
    break;
  case TL_JO_FLOORDIV:
  case TL_JO_MOD:
    if (b == 0) return tl_jrun_fail(r, "division by zero");
    fits = !(a == INT64_MIN && b == -1);
    if (fits) v = op == TL_JO_FLOORDIV ? floor_div(a, b) : a - floor_div(a, b) * b;
    break;
  default: // POW
    for (v = 1; b > 0 && fits; b >>= 1) {
      if (b & 1) fits = TL_MUL_OK(v, a, &v);
      if (b > 1 && fits) fits = TL_MUL_OK(a, a, &a);
    }
  }
  *out = tl_jv_int(v);
  return fits || tl_jrun_fail(r, "the result does not fit into 64 bits");
}

static bool real_op(tl_jrun *r, tl_jo op, double a, double b, tl_jv *out) {
  if ((op == TL_JO_DIV || op == TL_JO_FLOORDIV || op == TL_JO_MOD) && b == 0)
    return tl_jrun_fail(r, "division by zero");
  double m;
  switch (op) {
  case TL_JO_ADD:
    *out = tl_jv_float(a + b);
    break;
  case TL_JO_SUB:
    *out = tl_jv_float(a - b);
    break;
  case TL_JO_MUL:
    *out = tl_jv_float(a * b);
    break;
  case TL_JO_DIV:
    *out = tl_jv_float(a / b);
    break;
  case TL_JO_FLOORDIV:
    *out = tl_jv_float(floor(a / b));
    break;
  case TL_JO_MOD:
    m = fmod(a, b);
    *out = tl_jv_float(m != 0 && (m < 0) != (b < 0) ? m + b : m);
    break;
  default:
    *out = tl_jv_float(pow(a, b));
  }
  return true;
}

bool tl_jv_binary(tl_jrun *r, tl_jo op, tl_jv a, tl_jv b, tl_jv *out) {
  static const char *const signs[] = {
      [TL_JO_ADD] = "+",       [TL_JO_SUB] = "-", [TL_JO_MUL] = "*",  [TL_JO_DIV] = "/",
      [TL_JO_FLOORDIV] = "//", [TL_JO_MOD] = "%", [TL_JO_POW] = "**", [TL_JO_CONCAT] = "~"};
  if (op == TL_JO_CONCAT) {
    tl_str x, y;
    return tl_jv_to_str(r, a, &x) && tl_jv_to_str(r, b, &y) && join_text(r, x, y, out);
  }
  if (a.kind == TL_JV_UNDEFINED || b.kind == TL_JV_UNDEFINED)
    return tl_jrun_fail(r, TL_STR_FMT, TL_STR_ARG(a.kind == TL_JV_UNDEFINED ? a.s : b.s));
  if (is_number(a) && is_number(b)) {
    bool whole_result =
        is_whole(a) && is_whole(b) && op != TL_JO_DIV && !(op == TL_JO_POW && whole(b) < 0);
    return whole_result ? whole_op(r, op, whole(a), whole(b), out)
                        : real_op(r, op, real(a), real(b), out);
  }
  if (op == TL_JO_ADD && a.kind == TL_JV_STR && b.kind == TL_JV_STR)
    return join_text(r, a.s, b.s, out);
  if (op == TL_JO_ADD && a.kind == TL_JV_LIST && b.kind == TL_JV_LIST && a.tuple == b.tuple) {
    tl_jv_list *list = tl_jv_list_new(r, a.list->len + b.list->len);
    if (list == NULL) return false;
    for (size_t i = 0; i < a.list->len; i++)
      list->items[list->len++] = a.list->items[i];
    for (size_t i = 0; i < b.list->len; i++)
      list->items[list->len++] = b.list->items[i];
    *out = tl_jv_of_list(list, a.tuple);
    return true;
  }
  if (op == TL_JO_MUL && is_whole(b) && (a.kind == TL_JV_STR || a.kind == TL_JV_LIST))
    return repeat(r, a, whole(b), out);
  if (op == TL_JO_MUL && is_whole(a) && (b.kind == TL_JV_STR || b.kind == TL_JV_LIST))
    return repeat(r, b, whole(a), out);
  if (op == TL_JO_MOD && a.kind == TL_JV_STR)
    return tl_jrun_fail(r, "formatting a string with %% is not supported");
  return tl_jrun_fail(r, "unsupported operand types for %s: '%s' and '%s'", signs[op],
                      tl_jv_type_name(a), tl_jv_type_name(b));
}
