// Each collective with its dual, and with what is not: another kind, dim, group, order of pairs,
// none, and one too many.
#include "base/test.h"

#include "ir/build_parallel.h"
#include "passes/dual.h"

typedef enum { GATHER, SCATTER, REDUCE, MAX, EXCHANGE, BACK, PERMUTE, TURNED, SEND, COLLECT } kind;

static const int64_t pair_ids[] = {0, 1, 2, 3};
static const tl_groups pairs = {.ids = pair_ids, .n = 2, .size = 2};
static const int64_t other_ids[] = {0, 2, 1, 3};
static const tl_groups others = {.ids = other_ids, .n = 2, .size = 2};

static tl_value one(tl_builder *b, kind k, tl_value x, int64_t dim, const tl_groups *g) {
  static const int64_t there[] = {0, 1, 1, 2}, back[] = {2, 1, 1, 0};
  switch (k) {
  case GATHER:
    return tlo_all_gather(b, x, dim, g);
  case SCATTER:
    return tlo_reduce_scatter(b, x, dim, g, TL_OP_ADD);
  case REDUCE:
  case MAX:
    return tlo_all_reduce(b, x, g, k == MAX ? TL_OP_MAXIMUM : TL_OP_ADD);
  case EXCHANGE:
    return tlo_all_to_all(b, x, 0, 1, g);
  case BACK:
    return tlo_all_to_all(b, x, 1, 0, g);
  case PERMUTE:
    return tlo_collective_permute(b, x, there, 2);
  case TURNED:
    return tlo_collective_permute(b, x, back, 2);
  case SEND:
    return tlo_collective_broadcast(b, x, g);
  default:
    return tlo_collective_reduce(b, x, g, TL_OP_ADD);
  }
}

static tl_func *function(tl_module *m, const char *name, int64_t rows, int64_t columns,
                         tl_dtype dtype, const kind *kinds, size_t n, int64_t dim,
                         const tl_groups *g) {
  tl_builder b = tl_func_begin(m, name, false);
  tl_func *fn = b.fn;
  b.loc = (tl_loc){name, 3, 1, 1};
  tl_value x = tl_func_arg(&b, TL_TYPE(m->arena, dtype, rows, columns)), y = x;
  for (size_t i = 0; i < n; i++)
    y = one(&b, kinds[i], x, dim, g);
  tlo_return(&b, &y, 1);
  assert_ok(tl_builder_finish(&b));
  return fn;
}

typedef struct dual_case {
  kind forward[3], gradient[4];
  size_t n, n_gradient;
  int64_t rows, columns; // of the gradient's operand
  int64_t dim;
  const tl_groups *groups;
  bool recomputes;
  const char *why; // NULL: dual
} dual_case;

static void cases(void **state) {
  (void)state;
  static const dual_case all[] = {
      {{GATHER}, {SCATTER}, 1, 1, 8, 4, 0, &pairs, false, NULL},
      {{GATHER}, {SCATTER}, 1, 1, 8, 4, 0, &others, false, "all_gather: no dual in @g"},
      {{GATHER}, {SCATTER}, 1, 1, 4, 8, 1, &pairs, false, "all_gather: no dual in @g"},
      {{GATHER}, {REDUCE}, 1, 1, 8, 4, 0, &pairs, false, "wanted reduce_scatter of add"},
      {{GATHER}, {SCATTER}, 1, 0, 8, 4, 0, &pairs, false, "all_gather: no dual in @g"},
      {{GATHER}, {SCATTER}, 0, 1, 8, 4, 0, &pairs, false, "reduce_scatter: the dual of no"},
      {{SCATTER}, {GATHER}, 1, 1, 2, 4, 0, &pairs, false, NULL},
      {{SCATTER}, {GATHER}, 1, 1, 2, 4, 0, &others, false, "wanted all_gather along"},
      {{REDUCE, REDUCE}, {REDUCE, REDUCE}, 2, 2, 4, 4, 0, &pairs, false, NULL},
      {{REDUCE, REDUCE}, {REDUCE}, 2, 1, 4, 4, 0, &pairs, false, "all_reduce: no dual in @g"},
      {{REDUCE}, {REDUCE, REDUCE}, 1, 2, 4, 4, 0, &pairs, false, "all_reduce: the dual of no"},
      {{REDUCE}, {REDUCE, REDUCE}, 1, 2, 4, 4, 0, &pairs, true, NULL},
      {{REDUCE}, {REDUCE}, 1, 1, 4, 4, 0, &pairs, true, "all_reduce: no dual in @g"},
      {{MAX}, {REDUCE}, 1, 1, 4, 4, 0, &pairs, false, "all_reduce: no dual in @g"},
      {{EXCHANGE}, {BACK}, 1, 1, 2, 8, 0, &pairs, false, NULL},
      {{EXCHANGE}, {EXCHANGE}, 1, 1, 2, 8, 0, &pairs, false, "with its dims exchanged"},
      {{PERMUTE}, {TURNED}, 1, 1, 4, 4, 0, &pairs, false, NULL},
      {{PERMUTE}, {PERMUTE}, 1, 1, 4, 4, 0, &pairs, false, "with its pairs turned round"},
      {{SEND}, {COLLECT}, 1, 1, 4, 4, 0, &pairs, false, NULL},
      {{SEND}, {SEND}, 1, 1, 4, 4, 0, &pairs, false, "wanted collective_reduce of add"},
      {{COLLECT}, {SEND}, 1, 1, 4, 4, 0, &pairs, false, NULL},
      {{COLLECT}, {COLLECT}, 1, 1, 4, 4, 0, &pairs, false, "wanted collective_broadcast"},
  };
  for (size_t i = 0; i < TL_COUNT(all); i++) {
    const dual_case *c = &all[i];
    tl_module *m = tl_module_create();
    tl_func *f = function(m, "f", 4, 4, TL_DTYPE_F32, c->forward, c->n, 0, &pairs),
            *g = function(m, "g", c->rows, c->columns, TL_DTYPE_F32, c->gradient, c->n_gradient,
                          c->dim, c->groups);
    tl_diags diags = {0};
    tl_status st = tl_check_dual(f, g, c->recomputes, &diags);
    if ((st == TL_OK) != (c->why == NULL)) fail_msg("case %zu: %s", i, tl_status_message(st));
    if (c->why != NULL) {
      bool said = false;
      for (size_t d = 0; d < diags.len; d++)
        said |= strstr(diags.items[d].message, c->why) != NULL && diags.items[d].loc.line == 3;
      if (!said) fail_msg("case %zu: %s", i, tl_status_message(st));
    }
    tl_status_drop(st);
    tl_diags_deinit(&diags);
    tl_module_destroy(m);
  }
}

// Groups by a mesh are those that they name; calls are followed; integers have no derivative.
static void looked_through(void **state) {
  (void)state;
  static const tl_axis axes[] = {{{"x", 1}, 2}, {{"y", 1}, 2}};
  static const tl_axis_ref y = {.name = {"y", 1}};
  const tl_groups by_mesh = {.mesh = {"m", 1}, .axes = {&y, 1}};
  tl_module *m = tl_module_create();
  m->meshes = tl_mesh_copy(m->arena, &(tl_mesh){.name = {"m", 1}, .axes = axes, .n_axes = 2});
  tl_func *inner = function(m, "inner", 4, 4, TL_DTYPE_F32, (const kind[]){GATHER}, 1, 0, &by_mesh),
          *g = function(m, "g", 8, 4, TL_DTYPE_F32, (const kind[]){SCATTER}, 1, 0, &pairs),
          *ints = function(m, "ints", 4, 4, TL_DTYPE_S32, (const kind[]){REDUCE}, 1, 0, &pairs),
          *none = function(m, "none", 4, 4, TL_DTYPE_F32, NULL, 0, 0, &pairs);
  tl_builder b = tl_func_begin(m, "outer", false);
  tl_func *outer = b.fn;
  tl_value x = tl_func_arg(&b, TL_TYPE(m->arena, TL_DTYPE_F32, 4, 4));
  tl_op *call = tlo_call(&b, inner, &x, 1);
  tlo_return(&b, call->results, 1);
  assert_ok(tl_builder_finish(&b));
  tl_diags diags = {0};
  assert_ok(tl_check_dual(outer, g, false, &diags));
  assert_ok(tl_check_dual(ints, none, false, &diags));
  assert_status(tl_check_dual(outer, none, false, &diags), TL_STATUS_INVALID_ARGUMENT,
                "no dual in @none");
  tl_diags_deinit(&diags);
  tl_module_destroy(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cases),
      cmocka_unit_test(looked_through),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
