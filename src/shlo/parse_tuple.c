// Tuples and tokens, which the text has and the IR has not: tuple, get_tuple_element, after_all and
// create_token give names to values that are there already, or to none.
#include "shlo/parser.h"

static bool written_eq(const tl_written *a, const tl_written *b) { // NOLINT(misc-no-recursion)
  if (a == NULL || b == NULL) return a == b;
  bool eq = a->is_token == b->is_token && a->n_items == b->n_items;
  for (uint32_t i = 0; eq && i < a->n_items; i++)
    eq = written_eq(a->items[i], b->items[i]);
  return eq;
}

typedef struct uses {
  tl_use *ptr;
  uint32_t len, cap, n_leaves;
  bool refused;
} uses;

static bool one_use(tl_parser *p, uses *u) {
  if (!tl_parser_grow(p, &u->ptr, u->len, &u->cap, sizeof *u->ptr) ||
      !tl_parser_use(p, &u->ptr[u->len]))
    return false;
  u->refused |= u->ptr[u->len].refused;
  u->n_leaves += u->ptr[u->len++].n;
  return true;
}

// %a, %b, or (%a, %b) of the quoted form, with its attributes; `index` takes that of
// get_tuple_element.
static bool take_index(tl_parser *p, tl_str name, void *arg, bool *out_taken) {
  *out_taken = arg != NULL && tl_str_is(name, "index");
  return !*out_taken || tl_parser_int_attr(p, arg);
}

static bool operands(tl_parser *p, bool quoted, int64_t *index, uses *u) {
  if (quoted && !tl_parser_expect(p, '(', "'(' and the operands")) return false;
  if (tl_parser_is(p, TL_TOKEN_VALUE)) {
    do {
      if (!one_use(p, u)) return false;
    } while (tl_parser_accept(p, ','));
  }
  if (quoted && !tl_parser_expect(p, ')', "')' behind the operands")) return false;
  if (quoted && tl_parser_accept(p, '<') &&
      (!tl_parser_neutral_dict(p, "this op", take_index, index) ||
       !tl_parser_expect(p, '>', "'>' behind the attributes")))
    return false;
  if (!quoted && index != NULL &&
      (!tl_parser_expect(p, '[', "'[' and the index") || !tl_parser_int(p, index) ||
       !tl_parser_expect(p, ']', "']' behind the index")))
    return false;
  return !tl_parser_is(p, '{') || tl_parser_neutral_dict(p, "this op", take_index, index);
}

// ": T", or ": (T) -> T"; the first is the result's. Operand types are those of the uses.
static bool types(tl_parser *p, const uses *u, const tl_written **out, tl_types *leaves) {
  tl_types in = {0}, result = {0};
  const tl_loc loc = tl_parser_here(p);
  if (!tl_parser_expect(p, ':', "':' and the type")) return false;
  if (!tl_parser_is(p, '(')) return tl_parser_leaves(p, leaves, out) && tl_parser_skip_loc(p);
  if (!tl_parser_types_in_parens(p, &in) ||
      !tl_parser_expect(p, TL_TOKEN_ARROW, "'->' and the result type") ||
      !tl_parser_leaves(p, &result, out) || !tl_parser_skip_loc(p))
    return false;
  *leaves = result;
  bool fit = u->len == (in.written == NULL ? in.len : in.n_written) && u->n_leaves == in.len;
  for (uint32_t i = 0, at = 0; i < u->len && fit && !u->refused; i++) {
    fit = written_eq(u->ptr[i].written, in.written == NULL ? NULL : in.written[i]);
    for (uint32_t k = 0; k < u->ptr[i].n && fit; k++)
      fit = tl_parser_type_fits(u->ptr[i].values[k]->type, in.ptr[at++]);
  }
  return fit || u->refused || tl_parser_fail(p, loc, "the operands have other types");
}

static bool bind(tl_parser *p, tl_str name, tl_loc loc, uint32_t n_names, tl_value *values,
                 uint32_t n, const tl_written *written) {
  const tl_written **list = TL_NEW(p->m->arena, const tl_written *, 1);
  if (n_names == 0) return true;
  if (list == NULL) return tl_parser_oom(p);
  list[0] = written;
  p->renumber = true;
  return tl_parser_name(p, name, loc, values, n, written == NULL ? NULL : list, 1, false);
}

// What a text says of a result against the values that it is.
static bool same(tl_parser *p, tl_loc loc, const tl_written *have, tl_value *values, uint32_t n,
                 const tl_written *says, const tl_types *leaves, const char *label) {
  bool fit = written_eq(have, says) && n == leaves->len;
  for (uint32_t i = 0; i < n && fit; i++)
    fit = tl_parser_type_fits(values[i]->type, leaves->ptr[i]);
  return fit || tl_parser_fail(p, loc, "the result has another type (%s)", label);
}

static bool tuple(tl_parser *p, tl_loc loc, const uses *u, const tl_written *says,
                  const tl_types *leaves, tl_value **out, tl_written **out_written) {
  tl_written *w = TL_NEW(p->m->arena, tl_written, 1);
  const tl_written **items = TL_NEW(p->m->arena, const tl_written *, u->len + 1);
  tl_value *values = TL_NEW(p->m->arena, tl_value, u->n_leaves + 1);
  if (w == NULL || items == NULL || values == NULL) return tl_parser_oom(p);
  uint32_t n = 0;
  for (uint32_t i = 0; i < u->len; i++) {
    items[i] = u->ptr[i].written;
    for (uint32_t k = 0; k < u->ptr[i].n; k++)
      values[n++] = u->ptr[i].values[k];
  }
  *w = (tl_written){.n_leaves = n, .n_items = u->len, .items = items};
  *out = values;
  *out_written = w;
  return same(p, loc, w, values, n, says, leaves, "tuple_c1");
}

bool tl_parser_tuple_op(tl_parser *p, tl_str op, bool quoted, tl_str name, tl_loc name_loc,
                        uint32_t n_names, bool *out_taken) {
  const bool is_tuple = tl_str_is(op, "stablehlo.tuple"),
             is_get = tl_str_is(op, "stablehlo.get_tuple_element"),
             is_token =
                 tl_str_is(op, "stablehlo.after_all") || tl_str_is(op, "stablehlo.create_token");
  *out_taken = is_tuple || is_get || is_token;
  if (!*out_taken) return true;
  const tl_loc loc = tl_parser_here(p);
  uses u = {0};
  int64_t index = -1;
  const tl_written *says = NULL;
  tl_types leaves = {0};
  tl_parser_next(p);
  if (!operands(p, quoted, is_get ? &index : NULL, &u) || !types(p, &u, &says, &leaves))
    return false;
  if (n_names > 1) return tl_parser_fail(p, loc, "this op has 1 result, %u are named", n_names);
  if (u.refused) return false; // in silence
  if (is_token) {
    for (uint32_t i = 0; i < u.len; i++)
      if (u.ptr[i].written == NULL || !u.ptr[i].written->is_token)
        return tl_parser_fail(p, u.ptr[i].loc, "wanted a token (after_all_i1)");
    if (says == NULL || !says->is_token)
      return tl_parser_fail(p, loc, "the result is a token, !stablehlo.token");
    return bind(p, name, name_loc, n_names, NULL, 0, says);
  }
  if (is_tuple) {
    tl_value *values;
    tl_written *w;
    return tuple(p, loc, &u, says, &leaves, &values, &w) &&
           bind(p, name, name_loc, n_names, values, w->n_leaves, w);
  }
  const tl_written *from = u.len == 1 ? u.ptr[0].written : NULL;
  if (from == NULL || from->is_token)
    return tl_parser_fail(p, loc, "get_tuple_element takes one tuple (get_tuple_element_i1)");
  if (index < 0 || index >= from->n_items)
    return tl_parser_fail(p, loc, "element %lld of a tuple of %u (get_tuple_element_c1)",
                          (long long)index, from->n_items);
  tl_value *values = u.ptr[0].values;
  for (int64_t i = 0; i < index; i++)
    values += from->items[i] == NULL ? 1 : from->items[i]->n_leaves;
  const tl_written *item = from->items[index];
  const uint32_t n = item == NULL ? 1 : item->n_leaves;
  return same(p, loc, item, values, n, says, &leaves, "get_tuple_element_c2") &&
         bind(p, name, name_loc, n_names, values, n, item);
}
