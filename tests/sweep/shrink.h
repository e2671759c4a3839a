// Making a failing program small: results are dropped, ops, those of loops and branches too,
// replaced by values of their type, dead ones removed, as long as it still fails.
// TLALOC_TEST_SEED=n runs one program, TLALOC_TEST_PROGRAMS=n that many.
#ifndef TESTS_SWEEP_SHRINK_H
#define TESTS_SWEEP_SHRINK_H

#include <stdio.h>
#include <stdlib.h>

#include "base/test.h"
#include "passes/copy.h"
#include "passes/passes.h"
#include "shlo/shlo.h"

typedef bool fails_fn(tl_module *m, uint64_t seed, char *why, size_t why_size);

static tl_func *main_of(const tl_module *m) { return tl_module_find(m, TL_STR("main")); }

static size_t op_count(const tl_block *b) {
  size_t n = 0;
  for (const tl_op *op = b->first; op; op = op->next, n++)
    for (uint32_t r = 0; r < op->n_regions; r++)
      n += op_count(op->regions[r]);
  return n;
}

// A copy of the module.
static tl_module *copied(const tl_module *m, const tl_ptr_map *same, const tl_ptr_map *skip) {
  tl_module *copy = NULL;
  assert_ok(tl_module_copy(m, &(tl_copy_options){.same = same, .skip = skip}, &copy));
  return copy;
}

static void note_uses(tl_ptr_map *used, const tl_block *b) {
  for (const tl_op *op = b->first; op; op = op->next) {
    for (uint32_t i = 0; i < op->n_operands; i++)
      assert_true(tl_ptr_map_put(used, op->operands[i], 1));
    for (uint32_t r = 0; r < op->n_regions; r++)
      note_uses(used, op->regions[r]);
  }
}

// A copy in which result `from` of op (where not NULL) is `to`, without op where nothing else uses
// it.
static tl_module *without(const tl_module *m, const tl_op *op, tl_value from, tl_value to) {
  tl_ptr_map same = {0}, skip = {0}, used = {0};
  note_uses(&used, main_of(m)->body);
  bool dead = true;
  for (uint32_t k = 0; k < op->n_results; k++)
    dead &= op->results[k] == from || !tl_ptr_map_get(&used, op->results[k], NULL);
  if (dead) assert_true(tl_ptr_map_put(&skip, op, 1));
  if (from) assert_true(tl_ptr_map_put(&same, from, (uintptr_t)to));
  tl_module *copy = dead || from ? copied(m, &same, &skip) : NULL;
  tl_ptr_map_deinit(&same), tl_ptr_map_deinit(&skip), tl_ptr_map_deinit(&used);
  return copy;
}

// A copy of which @main gives result `kept` only.
static tl_module *with_result(const tl_module *m, uint32_t kept) {
  tl_module *copy = copied(m, NULL, NULL);
  tl_func *fn = main_of(copy);
  tl_op *end = fn->body->last;
  end->operands[0] = end->operands[kept];
  fn->result_types[0] = fn->result_types[kept];
  end->n_operands = fn->n_results = 1;
  for (uint32_t i = 0; i < fn->body->n_args; i++)
    fn->args[i].alias_output = -1;
  return copy;
}

// Another parameter of @main, at the end.
static tl_value add_argument(tl_module *m, tl_type type) {
  tl_func *fn = main_of(m);
  const uint32_t n = fn->body->n_args;
  tl_value *args = TL_NEW(m->arena, tl_value, n + 1), v = &TL_NEW(m->arena, tl_arg_def, 1)->value;
  tl_arg_info *infos = TL_NEW(m->arena, tl_arg_info, n + 1);
  memcpy(args, fn->body->args, n * sizeof *args);
  memcpy(infos, fn->args, n * sizeof *infos);
  *v = (tl_value_def){.type = type, .block = fn->body, .index = n, .id = fn->next_id++};
  args[n] = v, infos[n].alias_output = -1;
  fn->body->args = args, fn->args = infos, fn->body->n_args = n + 1;
  return v;
}

// A copy without the parameters that nothing uses.
static tl_module *with_used_arguments(const tl_module *m) {
  tl_module *copy = copied(m, NULL, NULL);
  tl_ptr_map used = {0};
  tl_block *body = main_of(copy)->body;
  note_uses(&used, body);
  uint32_t n = 0;
  for (uint32_t i = 0; i < body->n_args; i++)
    if (tl_ptr_map_get(&used, body->args[i], NULL)) {
      main_of(copy)->args[n] = main_of(copy)->args[i];
      body->args[n] = body->args[i];
      body->args[n]->index = n;
      n++;
    }
  body->n_args = n;
  tl_ptr_map_deinit(&used);
  return copy;
}

// The ops in order, those of regions behind theirs; not what ends a block.
static void list_ops(const tl_block *b, tl_op **ops, size_t *n) {
  for (tl_op *op = b->first; op; op = op->next) {
    if (op->next) ops[(*n)++] = op;
    for (uint32_t r = 0; r < op->n_regions; r++)
      list_ops(op->regions[r], ops, n);
  }
}

// What a module is made smaller from: where it still fails and has less.
typedef struct shrinking_step {
  fails_fn *fails;
  uint64_t seed;
  size_t n_ops;
  uint32_t n_args, n_results;
} shrinking_step;

// next, which is consumed, or NULL where it is NULL, no smaller, or does not fail.
static tl_module *tried(const shrinking_step *at, tl_module *next) {
  char why[512];
  if (next == NULL) return NULL;
  const tl_func *fn = main_of(next);
  if ((op_count(fn->body) < at->n_ops || fn->n_results < at->n_results ||
       fn->body->n_args < at->n_args) &&
      at->fails(next, at->seed, why, sizeof why))
    return next;
  tl_module_destroy(next);
  return NULL;
}

// Value k of op becomes an operand, a parameter, or a new one.
static tl_module *with_replaced(tl_module *m, const shrinking_step *at, const tl_op *op,
                                uint32_t k) {
  tl_value v = op->results[k];
  tl_module *next = NULL;
  for (uint32_t i = 0; !next && i < op->n_operands; i++)
    if (tl_type_eq(op->operands[i]->type, v->type))
      next = tried(at, without(m, op, v, op->operands[i]));
  return next ? next : tried(at, without(m, op, v, add_argument(m, v->type)));
}

// One step: a smaller module that still fails, or NULL. Results, all that is dead, one dead op;
// then a value becomes an operand of its op, a parameter, or a new one.
static tl_module *smaller(tl_module *m, fails_fn *fails, uint64_t seed) {
  tl_func *fn = main_of(m);
  const size_t n_all = op_count(fn->body);
  const shrinking_step at = {fails, seed, n_all, fn->body->n_args, fn->n_results};
  tl_module *next = NULL, *clean = NULL;
  for (uint32_t k = 0; !next && k < fn->n_results && fn->n_results > 1; k++)
    next = tried(&at, with_result(m, k));
  if (next) return next;
  assert_ok(tl_pass_run(tl_pass_find(TL_STR("dce")), m, &clean));
  if ((next = tried(&at, clean)) != NULL) return next;
  size_t n = 0;
  tl_op **ops = calloc(n_all, sizeof *ops);
  assert_non_null(ops);
  list_ops(fn->body, ops, &n);
  for (size_t i = n; !next && i-- > 0;)
    next = tried(&at, without(m, ops[i], NULL, NULL));
  for (size_t i = n; !next && i-- > 0;)
    for (uint32_t k = 0; !next && k < ops[i]->n_results; k++)
      next = with_replaced(m, &at, ops[i], k);
  free(ops);
  return next ? next : tried(&at, with_used_arguments(m));
}

// m itself, or a smaller one that fails as well; the caller's then, as m was.
static tl_module *shrunk(tl_module *m, fails_fn *fails, uint64_t seed) {
  for (tl_module *next; (next = smaller(m, fails, seed)) != NULL; m = next)
    tl_module_destroy(m);
  return m;
}

static void show(tl_module *m, fails_fn *fails, uint64_t seed, const char *why) {
  char small[512] = "";
  m = shrunk(m, fails, seed);
  fails(m, seed, small, sizeof small);
  tl_buf text = {0};
  tl_status_drop(tl_shlo_print(m, NULL, &text));
  fprintf(stderr, "seed %llu: %s\nmade small: %s\n%s\n", (unsigned long long)seed, why, small,
          text.ptr);
  tl_buf_deinit(&text);
  tl_module_destroy(m);
}

static uint64_t first_seed(uint64_t *n) {
  const char *alone = getenv("TLALOC_TEST_SEED"), *many = getenv("TLALOC_TEST_PROGRAMS");
  if (many) *n = strtoull(many, NULL, 10);
  if (alone) *n = 1;
  return alone ? strtoull(alone, NULL, 10) : 1;
}

#endif
