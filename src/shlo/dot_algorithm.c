// The algorithm of a dot_general in text: seven fields between < and >, of which only the
// combinations in ir/dot_algorithms.def are known.
#include "shlo/parser.h"

#include "shlo/spell.h"

static const struct row {
  tl_dot_algorithm id;
  const char *lhs, *rhs, *sum;
  int64_t products;
  bool imprecise;
} rows[] = {
#define TL_DOT_ALGORITHM(id, lhs, rhs, sum, products, imprecise) \
  {TL_DOT_ALGORITHM_##id, lhs, rhs, sum, products, imprecise},
#include "ir/dot_algorithms.def"
#undef TL_DOT_ALGORITHM
};

typedef enum { LHS, RHS, SUM, LHS_PARTS, RHS_PARTS, PRODUCTS, IMPRECISE, N_FIELDS } field;

static const char *const names[N_FIELDS] = {
    "lhs_precision_type",          "rhs_precision_type",  "accumulation_type",
    "lhs_component_count",         "rhs_component_count", "num_primitive_operations",
    "allow_imprecise_accumulation"};

bool tl_parser_dot_algorithm(tl_parser *p, int64_t *out) {
  tl_loc loc = tl_parser_here(p);
  tl_str types[SUM + 1] = {{0}};
  int64_t numbers[N_FIELDS] = {0};
  uint32_t seen = 0;
  if (!tl_parser_expect(p, '<', "'<' and the fields of an algorithm")) return false;
  do {
    int f = 0;
    while (f < N_FIELDS && !tl_parser_is_word(p, names[f]))
      f++;
    if (f == N_FIELDS || (seen >> f & 1) != 0)
      return tl_parser_want(p, "lhs_precision_type and its like, each once");
    seen |= 1u << f;
    tl_parser_next(p);
    if (!tl_parser_expect(p, '=', "'='")) return false;
    if (f == IMPRECISE) {
      numbers[f] = tl_parser_is_word(p, "true");
      if (!tl_parser_accept_word(p, "true") && !tl_parser_accept_word(p, "false"))
        return tl_parser_want(p, "true or false");
    } else if (f > SUM) {
      if (!tl_parser_int(p, &numbers[f])) return false;
    } else {
      if (!tl_parser_is(p, TL_TOKEN_WORD)) return tl_parser_want(p, "a float type, or tf32");
      types[f] = p->tok.text;
      tl_parser_next(p);
    }
  } while (tl_parser_accept(p, ','));
  if (!tl_parser_expect(p, '>', "'>' behind the fields")) return false;
  if (seen != (1u << N_FIELDS) - 1)
    return tl_parser_fail(p, loc, "an algorithm has %d fields, some are not here", (int)N_FIELDS);
  // The constraints before what is merely unknown.
  static const char *const labels[] = {"c22", "c23", "c24"};
  for (int f = LHS_PARTS; f <= PRODUCTS; f++)
    if (numbers[f] <= 0)
      return tl_parser_fail(p, loc, "dot_general: %s is %lld, wanted at least 1 (dot_general_%s)",
                            names[f], (long long)numbers[f], labels[f - LHS_PARTS]);
  for (size_t i = 0; i < TL_COUNT(rows); i++) {
    const struct row *r = &rows[i];
    if (!tl_str_is(types[LHS], r->lhs) || !tl_str_is(types[RHS], r->rhs) ||
        !tl_str_is(types[SUM], r->sum) || numbers[LHS_PARTS] != 1 || numbers[RHS_PARTS] != 1 ||
        numbers[PRODUCTS] != r->products || (numbers[IMPRECISE] != 0) != r->imprecise)
      continue;
    *out = r->id;
    return true;
  }
  return tl_parser_fail(p, loc, "this algorithm of dot_general is not supported");
}

void tl_spell_dot_algorithm(tl_buf *out, int64_t algorithm) {
  for (size_t i = 0; i < TL_COUNT(rows); i++) {
    const struct row *r = &rows[i];
    if (r->id != algorithm) continue;
    tl_buf_printf(out, "<%s = %s, %s = %s, %s = %s, %s = 1, %s = 1, %s = %d, %s = %s>", names[LHS],
                  r->lhs, names[RHS], r->rhs, names[SUM], r->sum, names[LHS_PARTS],
                  names[RHS_PARTS], names[PRODUCTS], (int)r->products, names[IMPRECISE],
                  r->imprecise ? "true" : "false");
  }
}
