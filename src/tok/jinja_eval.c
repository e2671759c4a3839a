// Walking the tree.
//
// Scopes are jinja2's: a loop's body, a macro's, a call's and a set block's have their own, made
// anew each time; an if has none. A name is looked up from the inside out, so a macro sees what was
// set around its definition by the time it is called. Scopes hold few names and names are numbers,
// so a scope is a list.
//
// After the first error everything returns false up to the top.
#include "base/map.h"
#include "tok/jinja_impl.h"

enum { NODE_WORK = 8 }; // charged for a node, whatever it does

static bool eval(tl_jrun *r, const tl_jn *n, tl_jv *out);
static bool call(tl_jrun *r, tl_jv callee, const tl_jargs *args, tl_jv *out);
static bool exec_all(tl_jrun *r, const tl_jn_list *list);

// ---- The run ----

bool tl_jrun_fail(tl_jrun *r, const char *fmt, ...) {
  if (r->failed) return false; // the first error is the one that matters
  r->failed = true;
  va_list args;
  va_start(args, fmt);
  tl_buf message = {0};
  tl_buf_vprintf(&message, fmt, args);
  va_end(args);
  if (message.oom)
    r->oom = true;
  else
    tl_diags_add(r->diags, TL_DIAG_ERROR, tl_jinja_loc(r->template, r->at, r->len), "%s",
                 message.ptr);
  tl_buf_deinit(&message);
  return false;
}

bool tl_jrun_oom(tl_jrun *r) {
  r->failed = r->oom = true;
  return false;
}

bool tl_jrun_charge(tl_jrun *r, uint64_t work) {
  if (work > r->work) {
    r->work = 0;
    return tl_jrun_fail(r, "the template does too much work");
  }
  r->work -= work;
  return true;
}

void *tl_jrun_alloc(tl_jrun *r, size_t count, size_t size) {
  size_t bytes;
  if (!TL_MUL_OK(count, size, &bytes)) {
    tl_jrun_oom(r);
    return NULL;
  }
  if (!tl_jrun_charge(r, bytes)) return NULL;
  void *p = tl_arena_alloc(r->arena, bytes == 0 ? 1 : bytes, 16);
  if (p == NULL) tl_jrun_oom(r);
  return p;
}

// ---- Scopes ----

static bool scope_set(tl_jrun *r, tl_jscope *s, uint32_t id, tl_jv value) {
  for (uint32_t i = 0; i < s->len; i++) {
    if (s->ids[i] != id) continue;
    s->values[i] = value;
    return true;
  }
  if (s->len == s->cap) {
    uint32_t cap = TL_MAX(s->cap * 2, 4u);
    uint32_t *ids = TL_JNEW(r, uint32_t, cap);
    tl_jv *values = TL_JNEW(r, tl_jv, cap);
    if (ids == NULL || values == NULL) return false;
    if (s->len > 0) memcpy(ids, s->ids, s->len * sizeof *ids);
    if (s->len > 0) memcpy(values, s->values, s->len * sizeof *values);
    s->ids = ids;
    s->values = values;
    s->cap = cap;
  }
  s->ids[s->len] = id;
  s->values[s->len++] = value;
  return true;
}

static bool scope_get(const tl_jscope *s, uint32_t id, tl_jv *out) {
  for (; s != NULL; s = s->parent)
    for (uint32_t i = s->len; i-- > 0;)
      if (s->ids[i] == id) {
        *out = s->values[i];
        return true;
      }
  return false;
}

static tl_jscope *scope_push(tl_jrun *r, tl_jscope *parent) { // NULL after reporting
  tl_jscope *s = TL_JNEW(r, tl_jscope, 1);
  if (s != NULL) s->parent = parent;
  return s;
}

// ---- Expressions ----

static bool eval_name(tl_jrun *r, const tl_jn *n, tl_jv *out) {
  if (scope_get(r->scope, n->id, out)) return true;
  const tl_jinja_builtin *global = tl_jinja_global_find(n->name);
  if (global != NULL) {
    *out = (tl_jv){.kind = TL_JV_FUNCTION, .builtin = global};
    return true;
  }
  char *why = tl_arena_printf(r->arena, "'" TL_STR_FMT "' is undefined",
                              TL_STR_ARG(tl_str_sub(n->name, 0, 80)));
  if (why == NULL) return tl_jrun_oom(r);
  *out = tl_jv_undefined(why);
  return tl_jrun_charge(r, 128);
}

static bool eval_list(tl_jrun *r, const tl_jn_list *nodes, tl_jv_list **out) {
  tl_jv_list *list = tl_jv_list_new(r, nodes->len);
  if (list == NULL) return false;
  for (uint32_t i = 0; i < nodes->len; i++) {
    if (!eval(r, nodes->items[i], &list->items[i])) return false;
    list->len++;
  }
  *out = list;
  return true;
}

static bool eval_dict(tl_jrun *r, const tl_jn *n, tl_jv *out) {
  tl_jv_dict *d = tl_jv_dict_new(r, n->list.len / 2);
  if (d == NULL) return false;
  for (uint32_t i = 0; i + 1 < n->list.len; i += 2) {
    tl_jv key, value;
    if (!eval(r, n->list.items[i], &key) || !eval(r, n->list.items[i + 1], &value) ||
        !tl_jv_dict_set(r, d, key, value))
      return false;
  }
  *out = (tl_jv){.kind = TL_JV_DICT, .dict = d};
  return true;
}

static bool eval_item(tl_jrun *r, const tl_jn *n, tl_jv *out) {
  tl_jv obj, index;
  if (!eval(r, n->a, &obj)) return false;
  if (n->b->kind != TL_JN_SLICE) return eval(r, n->b, &index) && tl_jv_item(r, obj, index, out);
  const tl_jn *const parts[] = {n->b->a, n->b->b, n->b->c};
  tl_jv values[3];
  for (int i = 0; i < 3; i++) {
    values[i] = tl_jv_none();
    if (parts[i] != NULL && !eval(r, parts[i], &values[i])) return false;
  }
  return tl_jv_slice(r, obj, values[0], values[1], values[2], out);
}

static bool eval_args(tl_jrun *r, const tl_jn *n, tl_jargs *out) {
  tl_jv_list *list;
  if (!eval_list(r, &n->list, &list)) return false;
  *out = (tl_jargs){list->items, n->names, list->len};
  return true;
}

static bool compare(tl_jrun *r, tl_jo op, tl_jv a, tl_jv b, bool *out) {
  int order;
  switch (op) {
  case TL_JO_EQ:
    return tl_jv_equal(r, a, b, out);
  case TL_JO_NE:
    if (!tl_jv_equal(r, a, b, out)) return false;
    *out = !*out;
    return true;
  case TL_JO_IN:
    return tl_jv_contains(r, a, b, out);
  case TL_JO_NOT_IN:
    if (!tl_jv_contains(r, a, b, out)) return false;
    *out = !*out;
    return true;
  case TL_JO_LT:
    if (!tl_jv_order(r, a, b, "<", &order)) return false;
    *out = order < 0;
    return true;
  case TL_JO_LE:
    if (!tl_jv_order(r, a, b, "<=", &order)) return false;
    *out = order <= 0;
    return true;
  case TL_JO_GT:
    if (!tl_jv_order(r, a, b, ">", &order)) return false;
    *out = order > 0;
    return true;
  default:
    if (!tl_jv_order(r, a, b, ">=", &order)) return false;
    *out = order >= 0;
    return true;
  }
}

static bool eval_compare(tl_jrun *r, const tl_jn *n, tl_jv *out) {
  tl_jv left, right;
  bool holds = true;
  if (!eval(r, n->a, &left)) return false;
  for (uint32_t i = 0; i < n->list.len && holds; i++) {
    if (!eval(r, n->list.items[i], &right) || !compare(r, n->ops[i], left, right, &holds))
      return false;
    left = right;
  }
  *out = tl_jv_bool(holds);
  return true;
}

static bool eval_sign(tl_jrun *r, const tl_jn *n, tl_jv *out) {
  if (!eval(r, n->a, out)) return false;
  if (out->kind == TL_JV_BOOL) *out = tl_jv_int(out->b);
  if (out->kind == TL_JV_INT) {
    if (n->kind == TL_JN_NEG && !TL_SUB_OK((int64_t)0, out->i, &out->i))
      return tl_jrun_fail(r, "the result does not fit into 64 bits");
    return true;
  }
  if (out->kind == TL_JV_FLOAT) {
    if (n->kind == TL_JN_NEG) out->f = -out->f;
    return true;
  }
  if (out->kind == TL_JV_UNDEFINED) return tl_jrun_fail(r, TL_STR_FMT, TL_STR_ARG(out->s));
  return tl_jrun_fail(r, "bad operand type for unary %s: '%s'", n->kind == TL_JN_NEG ? "-" : "+",
                      tl_jv_type_name(*out));
}

static bool eval_filter_or_test(tl_jrun *r, const tl_jn *n, tl_jv *out) {
  tl_jv self;
  tl_jargs args;
  if (!eval(r, n->a, &self) || !eval_args(r, n, &args)) return false;
  r->at = n->at;
  r->len = n->len;
  return tl_jinja_builtin_call(r, n->builtin, self, &args, out);
}

static bool eval_call(tl_jrun *r, const tl_jn *n, tl_jv *out) {
  tl_jv callee;
  tl_jargs args;
  if (!eval(r, n->a, &callee) || !eval_args(r, n, &args)) return false;
  r->at = n->at;
  r->len = n->len;
  return call(r, callee, &args, out);
}

static bool eval_inside(tl_jrun *r, const tl_jn *n, tl_jv *out) {
  tl_jv a, b;
  switch (n->kind) {
  case TL_JN_CONST:
    *out = n->value;
    return true;
  case TL_JN_NAME:
    return eval_name(r, n, out);
  case TL_JN_LIST: {
    tl_jv_list *list;
    if (!eval_list(r, &n->list, &list)) return false;
    *out = tl_jv_of_list(list, n->value.tuple);
    return true;
  }
  case TL_JN_DICT:
    return eval_dict(r, n, out);
  case TL_JN_ATTR:
    return eval(r, n->a, &a) && tl_jv_attr(r, a, n->name, out);
  case TL_JN_ITEM:
    return eval_item(r, n, out);
  case TL_JN_CALL:
    return eval_call(r, n, out);
  case TL_JN_FILTER:
  case TL_JN_TEST:
    return eval_filter_or_test(r, n, out);
  case TL_JN_NOT:
    if (!eval(r, n->a, &a)) return false;
    *out = tl_jv_bool(!tl_jv_truth(a));
    return true;
  case TL_JN_NEG:
  case TL_JN_POS:
    return eval_sign(r, n, out);
  case TL_JN_BINARY:
    return eval(r, n->a, &a) && eval(r, n->b, &b) && tl_jv_binary(r, n->op, a, b, out);
  case TL_JN_AND:
  case TL_JN_OR:
    if (!eval(r, n->a, out)) return false;
    return tl_jv_truth(*out) == (n->kind == TL_JN_OR) || eval(r, n->b, out);
  case TL_JN_COMPARE:
    return eval_compare(r, n, out);
  case TL_JN_COND:
    if (!eval(r, n->b, &a)) return false;
    if (tl_jv_truth(a)) return eval(r, n->a, out);
    if (n->c != NULL) return eval(r, n->c, out);
    *out = tl_jv_undefined("the inline if-expression was false and has no else");
    return true;
  default:
    return tl_jrun_fail(r, "not an expression"); // a broken tree
  }
}

static bool eval(tl_jrun *r, const tl_jn *n, tl_jv *out) {
  uint32_t at = r->at, len = r->len;
  r->at = n->at;
  r->len = n->len;
  if (r->depth >= TL_JINJA_MAX_DEPTH)
    return tl_jrun_fail(r, "evaluation is nested more than %d deep", TL_JINJA_MAX_DEPTH);
  r->depth++;
  bool good = tl_jrun_charge(r, NODE_WORK) && eval_inside(r, n, out);
  r->depth--;
  if (good) { // after an error the place stays
    r->at = at;
    r->len = len;
  }
  return good;
}

// ---- Statements ----

// Runs `body` with its text going into *out instead.
static bool capture(tl_jrun *r, const tl_jn_list *body, tl_jscope *scope, tl_jv *out) {
  tl_buf text = {0}, *was = r->out;
  tl_jscope *scope_was = r->scope;
  r->out = &text;
  r->scope = scope;
  bool good = exec_all(r, body);
  r->out = was;
  r->scope = scope_was;
  if (!good) {
    tl_buf_deinit(&text);
    return false;
  }
  return tl_jv_take(r, &text, out);
}

static bool assign(tl_jrun *r, const tl_jn *target, tl_jv value) {
  if (target->kind == TL_JN_NAME) return scope_set(r, r->scope, target->id, value);
  tl_jv ns;
  if (!eval(r, target->a, &ns)) return false;
  r->at = target->at;
  r->len = target->len;
  if (ns.kind != TL_JV_NAMESPACE)
    return tl_jrun_fail(r, "cannot assign an attribute of a %s; only of a namespace",
                        tl_jv_type_name(ns));
  return tl_jv_dict_set(r, ns.dict, tl_jv_str(target->name), value);
}

static bool assign_all(tl_jrun *r, const tl_jn_list *targets, tl_jv value) {
  if (targets->len == 1) return assign(r, targets->items[0], value);
  tl_jv_list *items;
  if (value.kind == TL_JV_UNDEFINED) return tl_jrun_fail(r, TL_STR_FMT, TL_STR_ARG(value.s));
  if (!tl_jv_iterate(r, value, &items)) return false;
  if (items->len != targets->len)
    return tl_jrun_fail(r, "cannot unpack %zu values into %u names", items->len, targets->len);
  for (uint32_t i = 0; i < targets->len; i++)
    if (!assign(r, targets->items[i], items->items[i])) return false;
  return true;
}

// The items that pass the loop's own `if`.
static bool loop_items(tl_jrun *r, const tl_jn *n, tl_jv_list **out) {
  tl_jv over, passes;
  if (!eval(r, n->a, &over) || !tl_jv_iterate(r, over, out)) return false;
  if (n->b == NULL) return true;
  tl_jv_list *kept = tl_jv_list_new(r, 0);
  tl_jscope *outer = r->scope;
  if (kept == NULL || (r->scope = scope_push(r, outer)) == NULL) return false;
  for (size_t i = 0; i < (*out)->len; i++) {
    if (!assign_all(r, &n->list, (*out)->items[i]) || !eval(r, n->b, &passes)) return false;
    if (tl_jv_truth(passes) && !tl_jv_list_push(r, kept, (*out)->items[i])) return false;
  }
  r->scope = outer;
  *out = kept;
  return true;
}

static bool exec_for(tl_jrun *r, const tl_jn *n) {
  tl_jv_list *items;
  if (!loop_items(r, n, &items)) return false;
  tl_jscope *outer = r->scope;
  if (items->len == 0) {
    if ((r->scope = scope_push(r, outer)) == NULL) return false;
    bool good = exec_all(r, &n->other);
    r->scope = outer;
    return good;
  }
  tl_jv_loop *loop = TL_JNEW(r, tl_jv_loop, 1);
  if (loop == NULL) return false;
  loop->items = items;
  for (; loop->index < items->len; loop->index++) {
    if ((r->scope = scope_push(r, outer)) == NULL ||
        !scope_set(r, r->scope, n->id, (tl_jv){.kind = TL_JV_LOOP, .loop = loop}) ||
        !assign_all(r, &n->list, items->items[loop->index]) || !exec_all(r, &n->body))
      return false;
    bool stop = r->signal == TL_JRUN_BREAK;
    r->signal = TL_JRUN_ON;
    if (stop) break;
  }
  r->scope = outer;
  return true;
}

static bool exec_if(tl_jrun *r, const tl_jn *n) {
  for (uint32_t i = 0; i < n->list.len; i++) {
    tl_jv cond;
    if (!eval(r, n->list.items[i]->a, &cond)) return false;
    if (tl_jv_truth(cond)) return exec_all(r, &n->list.items[i]->body);
  }
  return exec_all(r, &n->other);
}

// `text` through a chain of filters, the innermost of which has no operand.
static bool through_filters(tl_jrun *r, const tl_jn *f, tl_jv text, tl_jv *out) {
  tl_jv self = text;
  tl_jargs args;
  if (f->a != NULL && !through_filters(r, f->a, text, &self)) return false;
  if (!eval_args(r, f, &args)) return false;
  r->at = f->at;
  r->len = f->len;
  return tl_jinja_builtin_call(r, f->builtin, self, &args, out);
}

static bool exec_set_block(tl_jrun *r, const tl_jn *n) {
  tl_jv text;
  tl_jscope *scope = scope_push(r, r->scope);
  if (scope == NULL || !capture(r, &n->body, scope, &text)) return false;
  if (n->a != NULL && !through_filters(r, n->a, text, &text)) return false;
  return assign(r, n->list.items[0], text);
}

static bool exec_macro(tl_jrun *r, const tl_jn *n) {
  tl_jv_macro *macro = TL_JNEW(r, tl_jv_macro, 1);
  if (macro == NULL) return false;
  *macro = (tl_jv_macro){n, r->scope};
  return scope_set(r, r->scope, n->b->id, (tl_jv){.kind = TL_JV_MACRO, .macro = macro});
}

static bool call_macro(tl_jrun *r, const tl_jv_macro *macro, const tl_jargs *args,
                       const tl_jv *caller, tl_jv *out) {
  const tl_jn *n = macro->node;
  const char *what = n->kind == TL_JN_MACRO ? "macro" : "caller";
  tl_jscope *scope = scope_push(r, macro->scope), *was = r->scope;
  if (scope == NULL) return false;
  for (size_t i = 0; i < args->len; i++) {
    uint32_t p = (uint32_t)i;
    if (args->names != NULL && args->names[i].ptr != NULL)
      for (p = 0; p < n->list.len && !tl_str_eq(n->list.items[p]->name, args->names[i]);)
        p++;
    if (p >= n->list.len)
      return args->names != NULL && args->names[i].ptr != NULL
                 ? tl_jrun_fail(r, "the %s has no parameter '" TL_STR_FMT "'", what,
                                TL_STR_ARG(args->names[i]))
                 : tl_jrun_fail(r, "the %s takes not more than %u arguments", what, n->list.len);
    if (!scope_set(r, scope, n->list.items[p]->id, args->items[i])) return false;
  }
  r->scope = scope;
  for (uint32_t p = 0; p < n->list.len; p++) { // those not given
    const tl_jn *param = n->list.items[p];
    tl_jv value = tl_jv_undefined("a parameter was not provided");
    bool given = false;
    for (uint32_t i = 0; i < scope->len; i++)
      given = given || scope->ids[i] == param->id;
    if (given) continue;
    if (param->a != NULL && !eval(r, param->a, &value)) return false;
    if (!scope_set(r, scope, param->id, value)) return false;
  }
  if (caller != NULL && !scope_set(r, scope, n->id, *caller)) return false;
  r->scope = was;
  return capture(r, &n->body, scope, out);
}

static bool call(tl_jrun *r, tl_jv callee, const tl_jargs *args, tl_jv *out) {
  switch ((tl_jv_kind)callee.kind) {
  case TL_JV_FUNCTION:
    return tl_jinja_builtin_call(r, callee.builtin, tl_jv_none(), args, out);
  case TL_JV_METHOD:
    return tl_jinja_builtin_call(r, callee.bound->builtin, callee.bound->self, args, out);
  case TL_JV_MACRO:
    return call_macro(r, callee.macro, args, NULL, out);
  case TL_JV_UNDEFINED:
    return tl_jrun_fail(r, TL_STR_FMT, TL_STR_ARG(callee.s));
  case TL_JV_LOOP:
    return tl_jrun_fail(r, "recursive loops are not supported");
  default:
    return tl_jrun_fail(r, "'%s' object is not callable", tl_jv_type_name(callee));
  }
}

static bool exec_call_block(tl_jrun *r, const tl_jn *n) {
  tl_jv callee, text;
  tl_jargs args;
  tl_jv_macro *macro = TL_JNEW(r, tl_jv_macro, 1);
  if (macro == NULL || !eval(r, n->a->a, &callee) || !eval_args(r, n->a, &args)) return false;
  *macro = (tl_jv_macro){n, r->scope};
  tl_jv caller = {.kind = TL_JV_MACRO, .macro = macro};
  r->at = n->a->at;
  r->len = n->a->len;
  if (callee.kind != TL_JV_MACRO)
    return tl_jrun_fail(r, "{%% call %%} wants a macro, found a %s", tl_jv_type_name(callee));
  return call_macro(r, callee.macro, &args, &caller, &text) && tl_jv_print(r, text, r->out);
}

static bool exec_filter_block(tl_jrun *r, const tl_jn *n) {
  tl_jv text;
  tl_jscope *scope = scope_push(r, r->scope);
  return scope != NULL && capture(r, &n->body, scope, &text) &&
         through_filters(r, n->a, text, &text) && tl_jv_print(r, text, r->out);
}

static bool exec_scope(tl_jrun *r, const tl_jn *n) { // WITH, SCOPE
  tl_jscope *outer = r->scope, *inner = scope_push(r, outer);
  if (inner == NULL) return false;
  for (uint32_t i = 0; n->kind == TL_JN_WITH && i < n->list.len; i++) {
    tl_jv value; // values see the names outside only
    if (!eval(r, n->list.items[i]->a, &value) || !scope_set(r, inner, n->list.items[i]->id, value))
      return false;
  }
  r->scope = inner;
  bool good = exec_all(r, &n->body);
  r->scope = outer;
  return good;
}

static bool exec(tl_jrun *r, const tl_jn *n) {
  tl_jv v;
  switch (n->kind) {
  case TL_JN_DATA:
    return tl_jv_print(r, n->value, r->out);
  case TL_JN_PRINT:
    return eval(r, n->a, &v) && tl_jv_print(r, v, r->out);
  case TL_JN_IF:
    return exec_if(r, n);
  case TL_JN_FOR:
    return exec_for(r, n);
  case TL_JN_SET:
    return eval(r, n->a, &v) && assign_all(r, &n->list, v);
  case TL_JN_SET_BLOCK:
    return exec_set_block(r, n);
  case TL_JN_MACRO:
    return exec_macro(r, n);
  case TL_JN_CALL_BLOCK:
    return exec_call_block(r, n);
  case TL_JN_FILTER_BLOCK:
    return exec_filter_block(r, n);
  case TL_JN_WITH:
  case TL_JN_SCOPE:
    return exec_scope(r, n);
  case TL_JN_BREAK:
    r->signal = TL_JRUN_BREAK;
    return true;
  case TL_JN_CONTINUE:
    r->signal = TL_JRUN_CONTINUE;
    return true;
  default:
    return tl_jrun_fail(r, "not a statement"); // a broken tree
  }
}

static bool exec_all(tl_jrun *r, const tl_jn_list *list) {
  if (r->depth >= TL_JINJA_MAX_DEPTH)
    return tl_jrun_fail(r, "evaluation is nested more than %d deep", TL_JINJA_MAX_DEPTH);
  r->depth++;
  bool good = true;
  for (uint32_t i = 0; i < list->len && good && r->signal == TL_JRUN_ON; i++) {
    r->at = list->items[i]->at;
    r->len = list->items[i]->len;
    good = tl_jrun_charge(r, NODE_WORK) && exec(r, list->items[i]);
  }
  r->depth--;
  return good;
}

// ---- The two entries ----

tl_loc tl_jinja_loc(const tl_jinja *t, uint32_t at, uint32_t len) {
  tl_loc loc = {.file = t->name, .line = 1, .col = 1};
  for (uint32_t i = 0; i < at && i < t->source.len; i++) {
    loc.col++;
    if (t->source.ptr[i] != '\n') continue;
    loc.line++;
    loc.col = 1;
  }
  size_t end = at; // an underline stays on its line
  while (end < t->source.len && end < (size_t)at + len && t->source.ptr[end] != '\n')
    end++;
  loc.len = end > at ? (uint32_t)(end - at) : 1;
  return loc;
}

// The source with \r\n and \r as \n, and without one line end at its end.
static bool normal_source(tl_arena *arena, tl_str source, tl_str *out) {
  char *text = tl_arena_alloc(arena, source.len + 1, 1);
  if (text == NULL) return false;
  size_t len = 0;
  for (size_t i = 0; i < source.len; i++) {
    char c = source.ptr[i];
    if (c == '\r' && i + 1 < source.len && source.ptr[i + 1] == '\n') continue;
    text[len++] = c == '\r' ? '\n' : c;
  }
  if (len > 0 && text[len - 1] == '\n') len--;
  *out = (tl_str){text, len};
  return true;
}

tl_status tl_jinja_parse(tl_arena *arena, tl_str source, const char *name, tl_diags *diags,
                         const tl_jinja **out_template) {
  tl_jinja *t = TL_NEW(arena, tl_jinja, 1);
  if (t == NULL) return TL_OOM();
  t->name = name;
  if (source.len > TL_JINJA_MAX_SOURCE)
    return TL_ERROR(INVALID_ARGUMENT, "%s: %zu bytes, at most %d", name, source.len,
                    TL_JINJA_MAX_SOURCE);
  if (!tl_utf8_valid(source)) return TL_ERROR(INVALID_ARGUMENT, "%s: not UTF-8", name);
  if (!normal_source(arena, source, &t->source)) return TL_OOM();
  diags->source = t->source;
  tl_map names = {0};
  tl_jparse p = {.arena = arena, .template = t, .diags = diags, .names = &names};
  bool good = tl_jinja_lex(&p) && tl_jinja_tree(&p);
  tl_map_deinit(&names);
  if (good) {
    *out_template = t;
    return TL_OK;
  }
  return p.oom || diags->oom ? TL_OOM() : tl_diags_status(diags);
}

tl_status tl_jinja_render(const tl_jinja *template, const json_t *vars,
                          const tl_jinja_options *options, tl_diags *diags, tl_buf *out) {
  tl_jinja_options o = options != NULL ? *options : (tl_jinja_options){0};
  tl_buf text = {0};
  tl_jrun r = {.template = template,
               .arena = tl_arena_create(),
               .diags = diags,
               .work = o.max_work != 0 ? o.max_work : UINT64_C(256) << 20,
               .max_output = o.max_output != 0 ? o.max_output : (size_t)16 << 20,
               .now = o.now,
               .len = 1,
               .out = &text};
  diags->source = template->source;
  bool good = r.arena != NULL || tl_jrun_oom(&r);
  good = good && (r.scope = scope_push(&r, NULL)) != NULL;
  for (uint32_t id = 0; good && id < template->n_names; id++) {
    tl_str name = template->names[id];
    const json_t *value = json_object_getn(vars, name.ptr, name.len);
    tl_jv v;
    if (value != NULL) good = tl_jv_of_json(&r, value, &v) && scope_set(&r, r.scope, id, v);
  }
  good = good && exec_all(&r, &template->body);
  if (good) tl_buf_str(out, tl_buf_view(&text));
  good = good && !out->oom;
  tl_buf_deinit(&text);
  tl_arena_destroy(r.arena);
  if (good) return TL_OK;
  return r.oom || diags->oom || !r.failed ? TL_OOM() : tl_diags_status(diags);
}
