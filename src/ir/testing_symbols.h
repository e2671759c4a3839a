// Symbols for the sizes of an op written small (ir/testing.h): what the tests share that compare an
// op of symbols with one of numbers.
#ifndef TL_IR_TESTING_SYMBOLS_H
#define TL_IR_TESTING_SYMBOLS_H

#include "ir/testing.h"

#include "ir/dim.h"

enum { MAX_SIZES = 16, MAX_TYPES = 40 };

typedef struct sizes { // the numbers of a case that become symbols
  int64_t number[MAX_SIZES], symbol[MAX_SIZES], value[MAX_SIZES];
  size_t n;
} sizes;

// Every type of the op, to be changed in place: operands, region arguments, declared results.
typedef struct slots {
  tl_type *at[MAX_TYPES], was[MAX_TYPES];
  size_t n;
} slots;

static inline void collect(case_module *k, slots *s) {
  s->n = 0;
  for (uint32_t i = 0; i < k->op->n_operands; i++)
    s->at[s->n++] = &k->op->operands[i]->type;
  for (uint32_t r = 0; r < k->op->n_regions; r++)
    for (uint32_t i = 0; i < k->op->regions[r]->n_args; i++)
      s->at[s->n++] = &k->op->regions[r]->args[i]->type;
  for (uint32_t i = 0; i < k->n_types; i++)
    s->at[s->n++] = &k->types[i];
  assert_true(s->n <= MAX_TYPES);
  for (size_t i = 0; i < s->n; i++)
    s->was[i] = *s->at[i];
}

static inline void find_sizes(case_module *k, const slots *s, sizes *z) {
  z->n = 0;
  for (size_t i = 0; i < s->n; i++)
    for (uint32_t d = 0; d < s->was[i].rank; d++) {
      const int64_t size = s->was[i].dims[d];
      size_t at = 0;
      while (at < z->n && z->number[at] != size)
        at++;
      if (size < 2 || at < z->n || z->n == MAX_SIZES) continue;
      char name[16];
      snprintf(name, sizeof name, "d%zu", z->n);
      z->number[z->n] = size;
      assert_true(tl_dim_symbol(k->m, tl_str_of(name), -1, &z->symbol[z->n]));
      z->n++;
    }
}

// Each number of z, where `which` has its bit, as `with` has it.
static inline void put(case_module *k, const slots *s, const sizes *z, uint32_t which,
                       const int64_t *with) {
  for (size_t i = 0; i < s->n; i++) {
    int64_t dims[TL_MAX_RANK] = {0};
    for (uint32_t d = 0; d < s->was[i].rank; d++) {
      dims[d] = s->was[i].dims[d];
      for (size_t j = 0; j < z->n; j++)
        if ((which >> j & 1) != 0 && z->number[j] == s->was[i].dims[d]) dims[d] = with[j];
    }
    *s->at[i] = tl_type_of(k->m->arena, s->was[i].dtype, dims, s->was[i].rank);
  }
}

#endif
