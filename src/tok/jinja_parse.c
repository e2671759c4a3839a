// Tokens to a tree, by recursive descent, with jinja2's order of binding:
//
//     if-else  <  or  <  and  <  not  <  comparisons, in  <  + -  <  ~  <  * / // %  <  **  < unary
//     <  .name [index] (call) |filter is test
//
// What each kind of node has in a, b, c and its lists is said where it is made.
#include "base/map.h"
#include "tok/jinja_impl.h"

static tl_jn *expression(tl_jparse *p);
static tl_jn *unary(tl_jparse *p, bool with_filters);
static bool statements(tl_jparse *p, tl_jn_list *out, const char *const *ends);

// ---- Helpers ----

bool tl_jparse_fail(tl_jparse *p, uint32_t at, uint32_t len, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  tl_buf message = {0};
  tl_buf_vprintf(&message, fmt, args);
  va_end(args);
  if (message.oom)
    p->oom = true;
  else
    tl_diags_add(p->diags, TL_DIAG_ERROR, tl_jinja_loc(p->template, at, len), "%s", message.ptr);
  tl_buf_deinit(&message);
  return false;
}

static const tl_jt *now(const tl_jparse *p) { return &p->tokens[p->next]; }
static const tl_jt *after(const tl_jparse *p, size_t n) {
  return &p->tokens[TL_MIN(p->next + n, p->n_tokens - 1)];
}
static bool is_op(const tl_jt *t, const char *op) {
  return t->kind == TL_JT_OP && tl_str_is(t->text, op);
}
static bool is_word(const tl_jt *t, const char *word) {
  return t->kind == TL_JT_NAME && tl_str_is(t->text, word);
}
static void step(tl_jparse *p) {
  if (p->next + 1 < p->n_tokens) p->next++;
}
static bool take_op(tl_jparse *p, const char *op) {
  if (!is_op(now(p), op)) return false;
  step(p);
  return true;
}
static bool take_word(tl_jparse *p, const char *word) {
  if (!is_word(now(p), word)) return false;
  step(p);
  return true;
}

static bool wanted(tl_jparse *p, const char *what) {
  const tl_jt *t = now(p);
  static const char *const names[] = {
      [TL_JT_DATA] = "text",
      [TL_JT_VAR_BEGIN] = "'{{'",
      [TL_JT_VAR_END] = "'}}'",
      [TL_JT_BLOCK_BEGIN] = "'{%'",
      [TL_JT_BLOCK_END] = "'%}'",
      [TL_JT_STRING] = "a string",
      [TL_JT_INT] = "a number",
      [TL_JT_FLOAT] = "a number",
      [TL_JT_END] = "the end of the template",
  };
  if (t->kind == TL_JT_NAME || t->kind == TL_JT_OP)
    return tl_jparse_fail(p, t->at, t->len, "wanted %s, found '" TL_STR_FMT "'", what,
                          TL_STR_ARG(t->text));
  return tl_jparse_fail(p, t->at, t->len, "wanted %s, found %s", what, names[t->kind]);
}

static bool want_op(tl_jparse *p, const char *op) {
  if (take_op(p, op)) return true;
  char what[8] = {'\'', op[0], '\'', 0};
  return wanted(p, what);
}

static bool want_end(tl_jparse *p) {
  if (now(p)->kind != TL_JT_BLOCK_END) return wanted(p, "'%}'");
  step(p);
  return true;
}

static tl_jn *oom(tl_jparse *p) {
  p->oom = true;
  return NULL;
}

static tl_jn *node(tl_jparse *p, tl_jn_kind kind, const tl_jt *at) {
  tl_jn *n = TL_NEW(p->arena, tl_jn, 1);
  if (n == NULL) return oom(p);
  n->kind = kind;
  n->at = at->at;
  n->len = at->len;
  return n;
}

// Stretches a node's place to the last token read.
static tl_jn *reach(tl_jparse *p, tl_jn *n) {
  if (n == NULL || p->next == 0) return n;
  const tl_jt *last = &p->tokens[p->next - 1];
  if (last->at + last->len > n->at + n->len) n->len = last->at + last->len - n->at;
  return n;
}

static void *grow(tl_jparse *p, const void *old, uint32_t len, size_t size) {
  void *grown = tl_arena_alloc_array(p->arena, len == 0 ? 4 : (size_t)len * 2, size, 16);
  if (grown == NULL)
    p->oom = true;
  else if (len > 0)
    memcpy(grown, old, len * size);
  return grown;
}

static bool push(tl_jparse *p, tl_jn_list *list, tl_jn *n) {
  if (n == NULL) return false;
  if (list->len == list->cap) {
    tl_jn **grown = grow(p, list->items, list->len, sizeof *grown);
    if (grown == NULL) return false;
    list->items = grown;
    list->cap = list->len == 0 ? 4 : list->len * 2;
  }
  list->items[list->len++] = n;
  return true;
}

static bool enter(tl_jparse *p) {
  if (p->depth == TL_JINJA_MAX_NESTING)
    return tl_jparse_fail(p, now(p)->at, now(p)->len, "nested more than %d deep",
                          TL_JINJA_MAX_NESTING);
  p->depth++;
  return true;
}

static bool intern(tl_jparse *p, tl_str name, uint32_t *out) {
  uint64_t id;
  if (tl_map_get(p->names, name, &id)) {
    *out = (uint32_t)id;
    return true;
  }
  tl_jinja *t = p->template;
  if (t->n_names == p->cap_names) {
    tl_str *grown = grow(p, t->names, t->n_names, sizeof *grown);
    if (grown == NULL) return false;
    t->names = grown;
    p->cap_names = t->n_names == 0 ? 4 : t->n_names * 2;
  }
  if (!tl_map_put(p->names, name, t->n_names)) {
    p->oom = true;
    return false;
  }
  *out = t->n_names;
  t->names[t->n_names++] = name;
  return true;
}

static bool reserved(tl_str name) {
  static const char *const words[] = {"not",  "and",   "or",    "in",   "is",
                                      "if",   "else",  "elif",  "for",  "true",
                                      "True", "false", "False", "none", "None"};
  for (size_t i = 0; i < TL_COUNT(words); i++)
    if (tl_str_is(name, words[i])) return true;
  return false;
}

// A name that is given a value here.
static tl_jn *target_name(tl_jparse *p) {
  const tl_jt *t = now(p);
  if (t->kind != TL_JT_NAME || reserved(t->text)) {
    wanted(p, "a name");
    return NULL;
  }
  tl_jn *n = node(p, TL_JN_NAME, t); // name, id
  if (n == NULL || !intern(p, t->text, &n->id)) return NULL;
  n->name = t->text;
  step(p);
  return n;
}

// ---- Expressions ----

static tl_jn *constant(tl_jparse *p, tl_jv value) {
  tl_jn *n = node(p, TL_JN_CONST, now(p)); // value
  if (n != NULL) n->value = value;
  step(p);
  return n;
}

static tl_jn *string(tl_jparse *p) { // neighbours are joined
  const tl_jt *first = now(p);
  tl_jn *n = constant(p, tl_jv_str(first->text));
  while (n != NULL && now(p)->kind == TL_JT_STRING) {
    tl_str more = now(p)->text, old = n->value.s;
    char *joined = tl_arena_alloc(p->arena, old.len + more.len + 1, 1);
    if (joined == NULL) return oom(p);
    if (old.len > 0) memcpy(joined, old.ptr, old.len);
    if (more.len > 0) memcpy(joined + old.len, more.ptr, more.len);
    n->value.s = (tl_str){joined, old.len + more.len};
    step(p);
  }
  return reach(p, n);
}

// Items up to the closing bracket; one may end with a comma.
static bool items(tl_jparse *p, tl_jn_list *out, const char *close, bool *out_comma) {
  *out_comma = false;
  while (!take_op(p, close)) {
    if (out->len > 0) {
      if (!want_op(p, ",")) return false;
      *out_comma = true;
      if (take_op(p, close)) break;
    }
    if (!push(p, out, expression(p))) return false;
  }
  return true;
}

static tl_jn *list_or_tuple(tl_jparse *p, bool tuple) {
  tl_jn *n = node(p, TL_JN_LIST, now(p)); // list; value.tuple
  bool comma;
  step(p);
  if (n == NULL || !items(p, &n->list, tuple ? ")" : "]", &comma)) return NULL;
  n->value.tuple = tuple;
  if (tuple && n->list.len == 1 && !comma) return n->list.items[0]; // (x)
  return reach(p, n);
}

static tl_jn *dict(tl_jparse *p) {
  tl_jn *n = node(p, TL_JN_DICT, now(p)); // list: key, value, key, value …
  if (n == NULL) return NULL;
  step(p);
  while (!take_op(p, "}")) {
    if (n->list.len > 0) {
      if (!want_op(p, ",")) return NULL;
      if (take_op(p, "}")) break;
    }
    if (!push(p, &n->list, expression(p)) || !want_op(p, ":") || !push(p, &n->list, expression(p)))
      return NULL;
  }
  return reach(p, n);
}

static tl_jn *primary(tl_jparse *p) {
  const tl_jt *t = now(p);
  switch (t->kind) {
  case TL_JT_INT:
    return constant(p, tl_jv_int(t->i));
  case TL_JT_FLOAT:
    return constant(p, tl_jv_float(t->f));
  case TL_JT_STRING:
    return string(p);
  case TL_JT_NAME:
    if (tl_str_is(t->text, "true") || tl_str_is(t->text, "True"))
      return constant(p, tl_jv_bool(true));
    if (tl_str_is(t->text, "false") || tl_str_is(t->text, "False"))
      return constant(p, tl_jv_bool(false));
    if (tl_str_is(t->text, "none") || tl_str_is(t->text, "None")) return constant(p, tl_jv_none());
    if (reserved(t->text)) break;
    return target_name(p);
  case TL_JT_OP:
    if (tl_str_is(t->text, "(")) return list_or_tuple(p, true);
    if (tl_str_is(t->text, "[")) return list_or_tuple(p, false);
    if (tl_str_is(t->text, "{")) return dict(p);
    break;
  default:
    break;
  }
  wanted(p, "an expression");
  return NULL;
}

// Behind '(': the arguments of n, into its list and names.
static bool arguments(tl_jparse *p, tl_jn *n) {
  uint32_t cap = 0, old;
  bool named = false;
  while (!take_op(p, ")")) {
    if (n->list.len > 0) {
      if (!want_op(p, ",")) return false;
      if (take_op(p, ")")) break;
    }
    if (is_op(now(p), "*") || is_op(now(p), "**"))
      return tl_jparse_fail(p, now(p)->at, now(p)->len,
                            "arguments unpacked with " TL_STR_FMT " are not supported",
                            TL_STR_ARG(now(p)->text));
    old = n->list.len;
    if (old == cap) {
      tl_str *grown = grow(p, n->names, old, sizeof *grown);
      if (grown == NULL) return false;
      n->names = grown;
      cap = old == 0 ? 4 : old * 2;
    }
    n->names[old] = (tl_str){NULL, 0};
    if (now(p)->kind == TL_JT_NAME && is_op(after(p, 1), "=")) {
      named = true;
      n->names[old] = now(p)->text;
      step(p);
      step(p);
    } else if (named) {
      return wanted(p, "a named argument");
    }
    if (!push(p, &n->list, expression(p))) return false;
  }
  return true;
}

static tl_jn *subscript(tl_jparse *p, tl_jn *of) {
  tl_jn *n = node(p, TL_JN_ITEM, now(p)); // a[b]
  if (n == NULL) return NULL;
  n->a = of;
  n->at = of->at;
  step(p);
  tl_jn *start = NULL;
  if (!is_op(now(p), ":") && (start = expression(p)) == NULL) return NULL;
  n->b = start;
  if (is_op(now(p), ":")) {
    tl_jn *slice = node(p, TL_JN_SLICE, now(p)); // a:b:c, each NULL where left out
    if (slice == NULL) return NULL;
    slice->a = start;
    for (int i = 0; i < 2 && take_op(p, ":"); i++) {
      if (is_op(now(p), ":") || is_op(now(p), "]")) continue;
      tl_jn *e = expression(p);
      if (e == NULL) return NULL;
      if (i == 0)
        slice->b = e;
      else
        slice->c = e;
    }
    n->b = slice;
  }
  return want_op(p, "]") ? reach(p, n) : NULL;
}

static tl_jn *postfix(tl_jparse *p, tl_jn *n) {
  while (n != NULL && now(p)->kind == TL_JT_OP) {
    if (is_op(now(p), ".")) {
      step(p);
      const tl_jt *t = now(p);
      tl_jn *next = node(p, t->kind == TL_JT_INT ? TL_JN_ITEM : TL_JN_ATTR, t); // a.name
      if (next == NULL) return NULL;
      next->a = n;
      next->at = n->at;
      next->len = t->at + t->len - n->at;
      if (t->kind == TL_JT_INT) {
        if ((next->b = constant(p, tl_jv_int(t->i))) == NULL) return NULL;
      } else if (t->kind == TL_JT_NAME) {
        next->name = t->text;
        step(p);
      } else {
        wanted(p, "a name");
        return NULL;
      }
      n = next;
    } else if (is_op(now(p), "[")) {
      n = subscript(p, n);
    } else if (is_op(now(p), "(")) {
      tl_jn *call = node(p, TL_JN_CALL, now(p)); // a(list), names
      if (call == NULL) return NULL;
      call->a = n;
      call->at = n->at;
      step(p);
      n = arguments(p, call) ? reach(p, call) : NULL;
    } else {
      break;
    }
  }
  return n;
}

static tl_jn *unknown(tl_jparse *p, const tl_jt *t, const char *what, const char *nearest) {
  tl_jparse_fail(p, t->at, t->len, "no %s named '" TL_STR_FMT "'%s%s%s", what, TL_STR_ARG(t->text),
                 nearest != NULL ? "; did you mean '" : "", nearest != NULL ? nearest : "",
                 nearest != NULL ? "'?" : "");
  return NULL;
}

// The filter behind '|'; `of` is NULL for {% filter %}.
static tl_jn *filter(tl_jparse *p, tl_jn *of) {
  const tl_jt *t = now(p);
  if (t->kind != TL_JT_NAME) {
    wanted(p, "a filter");
    return NULL;
  }
  tl_jn *n = node(p, TL_JN_FILTER, t); // a|builtin(list), names
  if (n == NULL) return NULL;
  n->a = of;
  n->builtin = tl_jinja_filter_find(t->text);
  if (n->builtin == NULL) return unknown(p, t, "filter", tl_jinja_filter_nearest(t->text));
  step(p);
  if (take_op(p, "(") && !arguments(p, n)) return NULL;
  return reach(p, n);
}

static tl_jn *test(tl_jparse *p, tl_jn *of) {
  bool negated = take_word(p, "not");
  const tl_jt *t = now(p);
  if (t->kind != TL_JT_NAME) {
    wanted(p, "a test");
    return NULL;
  }
  tl_jn *n = node(p, TL_JN_TEST, t); // a is builtin(list), names
  if (n == NULL) return NULL;
  n->a = of;
  n->builtin = tl_jinja_test_find(t->text);
  if (n->builtin == NULL) return unknown(p, t, "test", tl_jinja_test_nearest(t->text));
  step(p);
  t = now(p);
  bool value =
      t->kind == TL_JT_STRING || t->kind == TL_JT_INT || t->kind == TL_JT_FLOAT || is_op(t, "[") ||
      is_op(t, "{") ||
      (t->kind == TL_JT_NAME && !is_word(t, "else") && !is_word(t, "or") && !is_word(t, "and") &&
       !is_word(t, "is") && !is_word(t, "if") && !is_word(t, "not") && !is_word(t, "in"));
  if (is_word(t, "is")) {
    tl_jparse_fail(p, t->at, t->len, "tests cannot be chained with 'is'");
    return NULL;
  }
  if (is_op(t, "(")) {
    step(p);
    if (!arguments(p, n)) return NULL;
  } else if (value) { // one argument without brackets: x is divisibleby 3
    if (!push(p, &n->list, postfix(p, primary(p)))) return NULL;
    if ((n->names = TL_NEW(p->arena, tl_str, 1)) == NULL) return oom(p);
  }
  reach(p, n);
  if (!negated) return n;
  tl_jn *not = node(p, TL_JN_NOT, t); // not a
  if (not== NULL) return NULL;
  not->at = n->at;
  not->len = n->len;
  not->a = n;
  return not;
}

static tl_jn *filters(tl_jparse *p, tl_jn *n) {
  while (n != NULL) {
    if (take_op(p, "|"))
      n = filter(p, n);
    else if (take_word(p, "is"))
      n = test(p, n);
    else if (is_op(now(p), "("))
      n = postfix(p, n);
    else
      break;
  }
  return n;
}

static tl_jn *unary_inside(tl_jparse *p, bool with_filters) {
  const tl_jt *t = now(p);
  tl_jn *n;
  if (is_op(t, "-") || is_op(t, "+")) {
    n = node(p, is_op(t, "-") ? TL_JN_NEG : TL_JN_POS, t); // -a
    step(p);
    if (n == NULL || (n->a = unary(p, false)) == NULL) return NULL;
    reach(p, n);
  } else {
    n = primary(p);
  }
  n = postfix(p, n);
  return with_filters ? filters(p, n) : n;
}

static tl_jn *unary(tl_jparse *p, bool with_filters) {
  if (!enter(p)) return NULL;
  tl_jn *n = unary_inside(p, with_filters);
  p->depth--;
  return n;
}

static tl_jn *binary(tl_jparse *p, tl_jo op, tl_jn *a, tl_jn *b) {
  if (a == NULL || b == NULL) return NULL;
  tl_jn *n = node(p, TL_JN_BINARY, now(p)); // a op b
  if (n == NULL) return NULL;
  n->op = op;
  n->a = a;
  n->b = b;
  n->at = a->at;
  n->len = b->at + b->len > a->at ? b->at + b->len - a->at : a->len;
  return n;
}

static tl_jn *power(tl_jparse *p) {
  tl_jn *n = unary(p, true);
  while (n != NULL && take_op(p, "**"))
    n = binary(p, TL_JO_POW, n, unary(p, true));
  return n;
}

static tl_jn *product(tl_jparse *p) {
  tl_jn *n = power(p);
  for (;;) {
    tl_jo op;
    if (n == NULL) return NULL;
    if (take_op(p, "*"))
      op = TL_JO_MUL;
    else if (take_op(p, "/"))
      op = TL_JO_DIV;
    else if (take_op(p, "//"))
      op = TL_JO_FLOORDIV;
    else if (take_op(p, "%"))
      op = TL_JO_MOD;
    else
      return n;
    n = binary(p, op, n, power(p));
  }
}

static tl_jn *concat(tl_jparse *p) {
  tl_jn *n = product(p);
  while (n != NULL && take_op(p, "~"))
    n = binary(p, TL_JO_CONCAT, n, product(p));
  return n;
}

static tl_jn *sum(tl_jparse *p) {
  tl_jn *n = concat(p);
  for (;;) {
    tl_jo op;
    if (n == NULL) return NULL;
    if (take_op(p, "+"))
      op = TL_JO_ADD;
    else if (take_op(p, "-"))
      op = TL_JO_SUB;
    else
      return n;
    n = binary(p, op, n, concat(p));
  }
}

static bool take_comparison(tl_jparse *p, tl_jo *out) {
  static const struct {
    const char *text;
    tl_jo op;
  } ops[] = {{"==", TL_JO_EQ}, {"!=", TL_JO_NE}, {"<=", TL_JO_LE},
             {">=", TL_JO_GE}, {"<", TL_JO_LT},  {">", TL_JO_GT}};
  for (size_t i = 0; i < TL_COUNT(ops); i++) {
    *out = ops[i].op;
    if (take_op(p, ops[i].text)) return true;
  }
  *out = TL_JO_IN;
  if (take_word(p, "in")) return true;
  if (!is_word(now(p), "not") || !is_word(after(p, 1), "in")) return false;
  *out = TL_JO_NOT_IN;
  step(p);
  step(p);
  return true;
}

static tl_jn *comparison(tl_jparse *p) {
  tl_jn *first = sum(p), *n = NULL;
  tl_jo op;
  while (first != NULL && take_comparison(p, &op)) {
    if (n == NULL) { // a ops[0] list[0] ops[1] list[1] …
      if ((n = node(p, TL_JN_COMPARE, now(p))) == NULL) return NULL;
      n->a = first;
      n->at = first->at;
    }
    if (n->list.len == 0 || (n->list.len >= 4 && (n->list.len & (n->list.len - 1)) == 0)) {
      tl_jo *grown = grow(p, n->ops, n->list.len, sizeof *grown);
      if (grown == NULL) return NULL;
      n->ops = grown;
    }
    n->ops[n->list.len] = op;
    if (!push(p, &n->list, sum(p))) return NULL;
    reach(p, n);
  }
  return n != NULL ? n : first;
}

static tl_jn *negation(tl_jparse *p) {
  const tl_jt *t = now(p);
  if (!is_word(t, "not")) return comparison(p);
  if (!enter(p)) return NULL;
  step(p);
  tl_jn *n = node(p, TL_JN_NOT, t); // not a
  if (n != NULL && (n->a = negation(p)) == NULL) n = NULL;
  p->depth--;
  return reach(p, n);
}

static tl_jn *logical(tl_jparse *p, bool is_or) {
  tl_jn *n = is_or ? logical(p, false) : negation(p);
  while (n != NULL && take_word(p, is_or ? "or" : "and")) {
    tl_jn *both = node(p, is_or ? TL_JN_OR : TL_JN_AND, now(p)); // a and b
    if (both == NULL) return NULL;
    both->a = n;
    both->at = n->at;
    both->b = is_or ? logical(p, false) : negation(p);
    n = both->b == NULL ? NULL : reach(p, both);
  }
  return n;
}

static tl_jn *expression_inside(tl_jparse *p, bool with_if) {
  tl_jn *n = logical(p, true);
  while (with_if && n != NULL && take_word(p, "if")) {
    tl_jn *cond = node(p, TL_JN_COND, now(p)); // a if b else c; c may be NULL
    if (cond == NULL) return NULL;
    cond->a = n;
    cond->at = n->at;
    if ((cond->b = logical(p, true)) == NULL) return NULL;
    if (take_word(p, "else") && (cond->c = expression(p)) == NULL) return NULL;
    n = reach(p, cond);
  }
  return n;
}

static tl_jn *expression_if(tl_jparse *p, bool with_if) {
  if (!enter(p)) return NULL;
  tl_jn *n = expression_inside(p, with_if);
  p->depth--;
  return n;
}

static tl_jn *expression(tl_jparse *p) { return expression_if(p, true); }

// An expression, or several with commas between them, which are a tuple.
static tl_jn *tuple(tl_jparse *p, bool with_if) {
  tl_jn *first = expression_if(p, with_if);
  if (first == NULL || !is_op(now(p), ",")) return first;
  tl_jn *n = node(p, TL_JN_LIST, now(p));
  if (n == NULL || !push(p, &n->list, first)) return NULL;
  n->value.tuple = true;
  n->at = first->at;
  while (take_op(p, ",")) {
    tl_jt_kind k = now(p)->kind;
    if (k == TL_JT_BLOCK_END || k == TL_JT_VAR_END || is_op(now(p), "=")) break;
    if (!push(p, &n->list, expression_if(p, with_if))) return NULL;
  }
  return reach(p, n);
}

// ---- Statements ----

// a, b — or ns.a where `attrs` — as targets into `out`.
static bool targets(tl_jparse *p, tl_jn_list *out, bool attrs) {
  bool open = take_op(p, "(");
  do {
    if (out->len > 0 && (is_word(now(p), "in") || is_op(now(p), "="))) break;
    tl_jn *n = target_name(p);
    if (n == NULL) return false;
    if (attrs && take_op(p, ".")) {
      if (now(p)->kind != TL_JT_NAME) return wanted(p, "a name");
      tl_jn *attr = node(p, TL_JN_ATTR, now(p));
      if (attr == NULL) return false;
      attr->a = n;
      attr->name = now(p)->text;
      attr->at = n->at;
      step(p);
      n = reach(p, attr);
    }
    if (!push(p, out, n)) return false;
  } while (take_op(p, ","));
  return !open || want_op(p, ")");
}

static tl_jn *if_statement(tl_jparse *p, const tl_jt *at) {
  static const char *const ends[] = {"elif", "else", "endif", NULL};
  static const char *const last[] = {"endif", NULL};
  tl_jn *n = node(p, TL_JN_IF, at); // list[0]: a IF whose cond is a and body; … ; other: else
  if (n == NULL) return NULL;
  for (;;) {
    tl_jn *arm = node(p, TL_JN_IF, at);
    if (arm == NULL || (arm->a = tuple(p, true)) == NULL || !want_end(p) ||
        !statements(p, &arm->body, ends) || !push(p, &n->list, arm))
      return NULL;
    if (!take_word(p, "elif")) break;
  }
  if (take_word(p, "else") && (!want_end(p) || !statements(p, &n->other, last))) return NULL;
  step(p); // endif
  return want_end(p) ? n : NULL;
}

static tl_jn *for_statement(tl_jparse *p, const tl_jt *at) {
  static const char *const ends[] = {"else", "endfor", NULL};
  static const char *const last[] = {"endfor", NULL};
  tl_jn *n = node(p, TL_JN_FOR, at); // for list in a if b: body else: other; id of `loop`
  if (n == NULL || !targets(p, &n->list, false)) return NULL;
  if (!take_word(p, "in")) {
    wanted(p, "'in'");
    return NULL;
  }
  if ((n->a = tuple(p, false)) == NULL) return NULL;
  if (take_word(p, "if") && (n->b = expression(p)) == NULL) return NULL;
  if (is_word(now(p), "recursive")) {
    tl_jparse_fail(p, now(p)->at, now(p)->len, "recursive loops are not supported");
    return NULL;
  }
  if (!intern(p, TL_STR("loop"), &n->id) || !want_end(p)) return NULL;
  p->loops++;
  bool good = statements(p, &n->body, ends);
  p->loops--;
  if (!good) return NULL;
  if (take_word(p, "else") && (!want_end(p) || !statements(p, &n->other, last))) return NULL;
  step(p); // endfor
  return want_end(p) ? n : NULL;
}

static bool block_body(tl_jparse *p, tl_jn *n, const char *end) {
  const char *const ends[] = {end, NULL};
  uint32_t loops = p->loops;
  p->loops = n->kind == TL_JN_MACRO || n->kind == TL_JN_CALL_BLOCK ? 0 : loops;
  bool good = statements(p, &n->body, ends);
  p->loops = loops;
  if (!good) return false;
  step(p);
  return want_end(p);
}

static tl_jn *set_statement(tl_jparse *p, const tl_jt *at) {
  tl_jn *n = node(p, TL_JN_SET, at); // list = a
  if (n == NULL || !targets(p, &n->list, true)) return NULL;
  if (take_op(p, "=")) {
    if ((n->a = tuple(p, true)) == NULL) return NULL;
    return want_end(p) ? n : NULL;
  }
  n->kind = TL_JN_SET_BLOCK; // list[0] = body, through the filters of a (its innermost a is NULL)
  while (take_op(p, "|"))
    if ((n->a = filter(p, n->a)) == NULL) return NULL;
  if (n->list.len != 1) {
    wanted(p, "'='");
    return NULL;
  }
  if (now(p)->kind != TL_JT_BLOCK_END) {
    wanted(p, "'='");
    return NULL;
  }
  step(p);
  return block_body(p, n, "endset") ? n : NULL;
}

// (a, b=1): names into list, defaults into other (NULL where none).
static bool parameters(tl_jparse *p, tl_jn *n) {
  if (!want_op(p, "(")) return false;
  while (!take_op(p, ")")) {
    if (n->list.len > 0) {
      if (!want_op(p, ",")) return false;
      if (take_op(p, ")")) break;
    }
    tl_jn *name = target_name(p);
    if (!push(p, &n->list, name)) return false;
    if (take_op(p, "=")) {
      if ((name->a = expression(p)) == NULL) return false; // the default
    } else if (n->list.len > 1 && n->list.items[n->list.len - 2]->a != NULL) {
      return wanted(p, "a default, as the parameter before has one");
    }
  }
  return true;
}

static tl_jn *macro_statement(tl_jparse *p, const tl_jt *at) {
  tl_jn *n = node(p, TL_JN_MACRO,
                  at); // macro b(list): body; id of `caller`; a parameter's a is its default
  if (n == NULL || (n->b = target_name(p)) == NULL || !parameters(p, n) ||
      !intern(p, TL_STR("caller"), &n->id) || !want_end(p))
    return NULL;
  return block_body(p, n, "endmacro") ? n : NULL;
}

static tl_jn *call_statement(tl_jparse *p, const tl_jt *at) {
  tl_jn *n = node(p, TL_JN_CALL_BLOCK, at); // call(list) a: body; id of `caller`
  if (n == NULL) return NULL;
  if (is_op(now(p), "(") && !parameters(p, n)) return NULL;
  if ((n->a = expression(p)) == NULL || !intern(p, TL_STR("caller"), &n->id)) return NULL;
  if (n->a->kind != TL_JN_CALL) {
    tl_jparse_fail(p, n->a->at, n->a->len, "wanted a call");
    return NULL;
  }
  if (!want_end(p)) return NULL;
  return block_body(p, n, "endcall") ? n : NULL;
}

static tl_jn *filter_statement(tl_jparse *p, const tl_jt *at) {
  tl_jn *n = node(p, TL_JN_FILTER_BLOCK, at); // body through the filters of a
  if (n == NULL) return NULL;
  do
    if ((n->a = filter(p, n->a)) == NULL) return NULL;
  while (take_op(p, "|"));
  if (!want_end(p)) return NULL;
  return block_body(p, n, "endfilter") ? n : NULL;
}

static tl_jn *with_statement(tl_jparse *p, const tl_jt *at) {
  tl_jn *n = node(p, TL_JN_WITH, at); // with list: body; a target's a is its value
  if (n == NULL) return NULL;
  while (now(p)->kind != TL_JT_BLOCK_END) {
    if (n->list.len > 0 && !want_op(p, ",")) return NULL;
    tl_jn *name = target_name(p);
    if (!push(p, &n->list, name) || !want_op(p, "=") || (name->a = expression(p)) == NULL)
      return NULL;
  }
  step(p);
  return block_body(p, n, "endwith") ? n : NULL;
}

static tl_jn *jump_statement(tl_jparse *p, const tl_jt *at, tl_jn_kind kind) {
  if (p->loops == 0) {
    tl_jparse_fail(p, at->at, at->len, "'" TL_STR_FMT "' outside a loop", TL_STR_ARG(at->text));
    return NULL;
  }
  tl_jn *n = node(p, kind, at);
  return n != NULL && want_end(p) ? n : NULL;
}

static tl_jn *statement(tl_jparse *p) {
  static const char *const lacking[] = {"include", "import", "from",       "extends", "block",
                                        "do",      "trans",  "autoescape", "debug"};
  const tl_jt *t = now(p);
  if (t->kind != TL_JT_NAME) {
    wanted(p, "a statement");
    return NULL;
  }
  step(p);
  if (is_word(t, "if")) return if_statement(p, t);
  if (is_word(t, "for")) return for_statement(p, t);
  if (is_word(t, "set")) return set_statement(p, t);
  if (is_word(t, "macro")) return macro_statement(p, t);
  if (is_word(t, "call")) return call_statement(p, t);
  if (is_word(t, "filter")) return filter_statement(p, t);
  if (is_word(t, "with")) return with_statement(p, t);
  if (is_word(t, "break")) return jump_statement(p, t, TL_JN_BREAK);
  if (is_word(t, "continue")) return jump_statement(p, t, TL_JN_CONTINUE);
  if (is_word(t, "generation")) {       // marks the assistant's words, for training
    tl_jn *n = node(p, TL_JN_SCOPE, t); // body
    if (n == NULL || !want_end(p)) return NULL;
    return block_body(p, n, "endgeneration") ? n : NULL;
  }
  for (size_t i = 0; i < TL_COUNT(lacking); i++) {
    if (!is_word(t, lacking[i])) continue;
    tl_jparse_fail(p, t->at, t->len, "{%% %s %%} is not supported", lacking[i]);
    return NULL;
  }
  tl_jparse_fail(p, t->at, t->len, "no statement named '" TL_STR_FMT "'", TL_STR_ARG(t->text));
  return NULL;
}

// Statements up to {% end %}, whose word is the next token then; `ends` NULL: up to the end.
static bool statements_inside(tl_jparse *p, tl_jn_list *out, const char *const *ends) {
  for (;;) {
    const tl_jt *t = now(p);
    step(p);
    if (t->kind == TL_JT_DATA) {
      tl_jn *n = node(p, TL_JN_DATA, t); // value
      if (n == NULL || !push(p, out, n)) return false;
      n->value = tl_jv_str(t->text);
    } else if (t->kind == TL_JT_VAR_BEGIN) {
      tl_jn *n = node(p, TL_JN_PRINT, t); // a
      if (n == NULL || (n->a = tuple(p, true)) == NULL || !push(p, out, n)) return false;
      if (now(p)->kind != TL_JT_VAR_END) return wanted(p, "'}}'");
      step(p);
    } else if (t->kind == TL_JT_BLOCK_BEGIN) {
      for (size_t i = 0; ends != NULL && ends[i] != NULL; i++)
        if (is_word(now(p), ends[i])) return true;
      if (!push(p, out, statement(p))) return false;
    } else if (ends == NULL) {
      return true;
    } else {
      const char *last = ends[0];
      while (*++ends != NULL)
        last = *ends;
      return tl_jparse_fail(p, t->at, t->len, "wanted {%% %s %%}, found the end of the template",
                            last);
    }
  }
}

static bool statements(tl_jparse *p, tl_jn_list *out, const char *const *ends) {
  if (!enter(p)) return false;
  bool good = statements_inside(p, out, ends);
  p->depth--;
  return good;
}

bool tl_jinja_tree(tl_jparse *p) { return statements(p, &p->template->body, NULL); }
