// Names of dims: what stands in `tlaloc.dims` beside a type that prints them as `?`, and the
// module's `tlaloc.symbols`. docs/design/dims.md has the format.
#include "shlo/parser.h"

#include "ir/dim.h"

// ["n", "2*n + 1", "?"], one string a `?` of the types that it is for, in order.
bool tl_parser_dims(tl_parser *p, bool declare) {
  int64_t *list = NULL;
  uint32_t n = 0, cap = 0;
  p->dims_loc = tl_parser_here(p);
  if (!tl_parser_expect(p, '[', "'[' and the names of dims")) return false;
  if (!tl_parser_is(p, ']')) {
    do {
      tl_loc loc = tl_parser_here(p);
      tl_str text;
      const char *wrong;
      size_t at;
      if (!tl_parser_grow(p, &list, n, &cap, sizeof *list) || !tl_parser_string(p, &text))
        return false;
      list[n] = TL_DIM_ANY;
      if (!tl_str_is(text, "?") && !tl_dim_parse(p->m, text, declare, &list[n], &wrong, &at)) {
        loc.col += 1 + (uint32_t)at;
        loc.len = 1;
        return tl_parser_fail(p, loc, "this dim %s", wrong);
      }
      n++;
    } while (tl_parser_accept(p, ','));
  }
  p->dims = (tl_i64s){list, n};
  p->has_dims = true;
  return tl_parser_expect(p, ']', "']' behind the names of dims");
}

bool tl_parser_take_dims(tl_parser *p, tl_type *types, uint32_t n) {
  if (!p->has_dims) return true;
  p->has_dims = false;
  size_t at = 0;
  for (uint32_t i = 0; i < n; i++) {
    int64_t *dims = NULL;
    for (uint32_t d = 0; d < types[i].rank; d++) {
      if (types[i].dims[d] >= 0) continue;
      if (at == p->dims.len)
        return tl_parser_fail(p, p->dims_loc, "tlaloc.dims names %zu dims, the types have more '?'",
                              p->dims.len);
      if (dims == NULL) {
        dims = TL_NEW(p->m->arena, int64_t, types[i].rank);
        if (dims == NULL) return tl_parser_oom(p);
        memcpy(dims, types[i].dims, types[i].rank * sizeof *dims);
      }
      const int64_t name = p->dims.ptr[at++];
      if (name == TL_DIM_ANY) continue;
      if (types[i].dims[d] != TL_DIM_ANY)
        return tl_parser_fail(p, p->dims_loc, "a dim with a bound of its own takes no name");
      dims[d] = name;
    }
    if (dims != NULL) types[i].dims = dims;
  }
  return at == p->dims.len ||
         tl_parser_fail(p, p->dims_loc, "tlaloc.dims names %zu dims, the types have %zu '?'",
                        p->dims.len, at);
}

// {n, m = 16 : i64}: every symbol, with its bound where it has one.
bool tl_parser_symbols(tl_parser *p) {
  if (!tl_parser_expect(p, '{', "'{' and symbols")) return false;
  if (tl_parser_accept(p, '}')) return true;
  do {
    tl_str name = p->tok.text;
    tl_loc loc = tl_parser_here(p);
    int64_t bound = -1, d;
    if (!tl_parser_is(p, TL_TOKEN_WORD)) return tl_parser_want(p, "the name of a symbol");
    tl_parser_next(p);
    if (tl_parser_accept(p, '=')) {
      tl_loc at = tl_parser_here(p);
      if (!tl_parser_int_attr(p, &bound)) return false;
      if (bound < 0 || bound > TL_DIM_MAX_BOUND)
        return tl_parser_fail(p, at, "a symbol's bound is a size");
    }
    if (tl_dim_find_symbol(p->m, name, &d))
      return tl_parser_fail(p, loc, "the symbol " TL_STR_FMT " is declared twice",
                            TL_STR_ARG(name));
    if (!tl_dim_symbol(p->m, name, bound, &d))
      return tl_parser_fail(p, loc, "this is no name of a symbol, or there are too many");
  } while (tl_parser_accept(p, ','));
  return tl_parser_expect(p, '}', "'}' behind the symbols");
}

bool tl_parser_type_fits(tl_type value, tl_type text) {
  if (value.dtype != text.dtype || value.rank != text.rank) return false;
  for (uint32_t i = 0; i < text.rank; i++)
    if (text.dims[i] == TL_DIM_ANY ? value.dims[i] >= 0 : value.dims[i] != text.dims[i])
      return false;
  return true;
}

// Result types as the op's rule has them: a `?` that the operands decide gets their name. An op
// that breaks its rule keeps what the text says, and is refused by the verifier.
bool tl_parser_refine(tl_parser *p, tl_op *op, tl_type *types, uint32_t n) {
  bool any = false;
  for (uint32_t i = 0; i < n; i++)
    any |= tl_type_has_any(types[i]);
  if (!any || p->m->dims == NULL) return true; // without symbols there are no names
  const tl_type *better;
  uint32_t n_better;
  tl_status st = tl_op_infer(p->m->arena, p->m, op, types, n, false, &better, &n_better);
  const bool oom = tl_status_get_code(st) == TL_STATUS_RESOURCE_EXHAUSTED;
  for (uint32_t i = 0; st == TL_OK && i < n && n == n_better; i++)
    if (tl_parser_type_fits(better[i], types[i])) types[i] = better[i];
  tl_status_drop(st);
  return !oom || tl_parser_oom(p);
}
