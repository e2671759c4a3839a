// Tensor types as users write them: f32[batch: n, 2*n + 1, 64].
#include "program/internal.h"

static bool is_space(char c) { return c == ' ' || c == '\t'; }

static tl_str trim(tl_str s) {
  while (s.len != 0 && is_space(s.ptr[0]))
    s = tl_str_sub(s, 1, s.len);
  while (s.len != 0 && is_space(s.ptr[s.len - 1]))
    s.len--;
  return s;
}

static bool is_name(tl_str s) {
  for (size_t i = 0; i < s.len; i++) {
    char c = s.ptr[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && !(i > 0 && c >= '0' && c <= '9')) return false;
  }
  return s.len != 0;
}

bool tl_dtype_of_text(tl_str text, tl_dtype *out) {
  if (tl_str_is(text, "bool")) return *out = TL_DTYPE_I1, true;
  return tl_dtype_of_mlir(text, out);
}

// What stands before the next comma outside parentheses (max(n, m) is one size); *rest is what
// comes after it, and its ptr NULL when there was none.
static tl_str before_comma(tl_str text, tl_str *rest) {
  int open = 0;
  for (size_t i = 0; i < text.len; i++) {
    if (text.ptr[i] == '(') open++;
    if (text.ptr[i] == ')') open--;
    if (text.ptr[i] != ',' || open > 0) continue;
    *rest = tl_str_sub(text, i + 1, text.len);
    return trim(tl_str_sub(text, 0, i));
  }
  *rest = (tl_str){NULL, 0};
  return trim(text);
}

static bool dim_of_text(tl_module *m, tl_str text, bool symbols, int64_t *out, tl_buf *why) {
  if (tl_str_to_i64(text, out)) {
    if (*out < 0) tl_buf_printf(why, "the size " TL_STR_FMT " is below 0", TL_STR_ARG(text));
    return *out >= 0;
  }
  const char *wrong = "a size here is a number";
  size_t at = 0;
  if (symbols && tl_dim_parse(m, text, true, out, &wrong, &at)) {
    if (!tl_dim_is_any(*out)) return true;
    wrong = "a size needs a name";
  }
  tl_buf_printf(why, "the size '" TL_STR_FMT "': %s", TL_STR_ARG(text), wrong);
  return false;
}

static bool axis_of_text(tl_module *m, tl_str text, bool symbols, int64_t *out_dim,
                         const char **out_name, tl_buf *why) {
  size_t colon = tl_str_find(text, TL_STR(":"));
  *out_name = NULL;
  if (colon != (size_t)-1) {
    tl_str name = trim(tl_str_sub(text, 0, colon));
    if (!is_name(name)) {
      tl_buf_printf(why, "'" TL_STR_FMT "' is no name of an axis", TL_STR_ARG(name));
      return false;
    }
    *out_name = tl_str_copy(m->arena, name).ptr;
    if (*out_name == NULL) why->oom = true;
    text = trim(tl_str_sub(text, colon + 1, text.len));
  }
  return !why->oom && dim_of_text(m, text, symbols, out_dim, why);
}

// Index of a name that stands there twice, or n.
static uint32_t twice(const char *const *names, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < i; j++)
      if (names[i] != NULL && names[j] != NULL && strcmp(names[i], names[j]) == 0) return i;
  return n;
}

bool tl_type_of_text(tl_module *m, tl_str text, bool symbols, tl_type *out,
                     tl_axis_names *out_names, tl_diag_id *out_id, tl_buf *why) {
  *out_id = TL_DIAG_BAD_ARGUMENT;
  *out_names = NULL;
  text = trim(text);
  size_t open = tl_str_find(text, TL_STR("["));
  tl_str dtype = trim(tl_str_sub(text, 0, open));
  *out = (tl_type){0};
  if (!tl_dtype_of_text(dtype, &out->dtype)) {
    tl_buf_printf(why, "'" TL_STR_FMT "' is no element type", TL_STR_ARG(dtype));
    return false;
  }
  if (open == (size_t)-1) return true;
  if (text.ptr[text.len - 1] != ']') {
    tl_buf_cstr(why, "wants a ']' at the end");
    return false;
  }
  tl_str rest = trim(tl_str_sub(text, open + 1, text.len - 1));
  if (rest.len == 0) return true;
  int64_t dims[TL_MAX_RANK];
  const char *names[TL_MAX_RANK];
  uint32_t n = 0;
  bool any = false;
  while (rest.ptr != NULL) {
    if (n == TL_MAX_RANK) {
      tl_buf_printf(why, "has more than %d axes", TL_MAX_RANK);
      return false;
    }
    tl_str one = before_comma(rest, &rest);
    if (!axis_of_text(m, one, symbols, &dims[n], &names[n], why)) return false;
    any |= names[n++] != NULL;
  }
  uint32_t same = twice(names, n);
  if (same < n) {
    *out_id = TL_DIAG_AXIS_CLASH;
    tl_buf_printf(why, "two axes are named `%s`", names[same]);
    return false;
  }
  *out = tl_type_of(m->arena, out->dtype, dims, n);
  const char **copy = any ? TL_NEW(m->arena, const char *, n) : NULL;
  if (out->dims == NULL || (any && copy == NULL)) {
    why->oom = true;
    return false;
  }
  if (any) memcpy(copy, names, n * sizeof *names);
  *out_names = copy;
  if (!tl_type_is_sound(m, *out)) {
    tl_buf_cstr(why, "needs more bytes than memory can hold");
    return false;
  }
  return true;
}

void tl_type_to_text(tl_buf *out, const tl_module *m, tl_type t, tl_axis_names names) {
  tl_buf_cstr(out, tl_dtype_get(t.dtype)->mlir);
  for (uint32_t i = 0; i < t.rank; i++) {
    tl_buf_cstr(out, i == 0 ? "[" : ", ");
    if (names != NULL && names[i] != NULL) tl_buf_printf(out, "%s: ", names[i]);
    tl_buf_str(out, tl_dim_text(m, t.dims[i]));
  }
  if (t.rank != 0) tl_buf_char(out, ']');
}

bool tl_names_of_text(tl_module *m, tl_str text, tl_axis_names *out, uint32_t *out_n, tl_buf *why) {
  const char *names[TL_MAX_RANK];
  uint32_t n = 0;
  for (tl_str rest = text; rest.ptr != NULL && trim(text).len != 0;) {
    tl_str one = before_comma(rest, &rest);
    if (n == TL_MAX_RANK || (one.len != 0 && !is_name(one))) {
      tl_buf_printf(why, "'" TL_STR_FMT "' is no list of axis names", TL_STR_ARG(text));
      return false;
    }
    names[n] = one.len == 0 ? NULL : tl_str_copy(m->arena, one).ptr;
    if (one.len != 0 && names[n] == NULL) why->oom = true;
    n++;
  }
  uint32_t same = twice(names, n);
  if (same < n) {
    tl_buf_printf(why, "`%s` is there twice", names[same]);
    return false;
  }
  const char **copy = TL_NEW(m->arena, const char *, n + 1);
  if (copy == NULL) why->oom = true;
  if (why->oom) return false;
  memcpy(copy, names, n * sizeof *names);
  *out = copy;
  *out_n = n;
  return true;
}
