// Ops that run other ops: branches, loops, calls. And those that hand values on: the barrier and
// return.
//
// Values move where they can: what dies at a loop is the loop's own, so that its body may overwrite
// it.
#include "ref/eval.h"

#include "ref/lanes.h"

static tl_ref_cell *cells(tl_ref_call *c, uint32_t n) { return TL_NEW(c->scratch, tl_ref_cell, n); }

static void release_all(tl_ref_cell *list, uint32_t n) {
  for (uint32_t i = 0; list != NULL && i < n; i++)
    tl_ref_release(&list[i]);
}

static tl_status take_all(tl_ref_call *c, tl_ref_cell *out) {
  for (uint32_t i = 0; i < c->op->n_operands; i++)
    TL_TRY(tl_ref_take(c, i, &out[i]));
  return TL_OK;
}

static tl_status give_all(tl_ref_call *c, tl_ref_cell *results, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    tl_ref_cell cell = results[i];
    results[i] = (tl_ref_cell){0};
    TL_TRY(tl_ref_give(c, i, cell));
  }
  return TL_OK;
}

tl_status ref_eval_WHILE(tl_ref_call *c) {
  uint32_t n = c->op->n_operands;
  tl_ref_cell *state = cells(c, n), *args = cells(c, n), test = {0};
  if (state == NULL || args == NULL) return TL_OOM();
  tl_status st;
  TL_TRY_GOTO(done, st, take_all(c, state));
  for (;;) {
    for (uint32_t i = 0; i < n; i++) {
      args[i] = state[i];
      if (args[i].buf != NULL) args[i].buf->refs++;
    }
    TL_TRY_GOTO(done, st, tl_ref_run_region(c, 0, args, n, &test, 1));
    bool go_on = tl_ref_index(&test.t, 0) != 0;
    tl_ref_release(&test);
    if (!go_on) break;
    TL_TRY_GOTO(done, st, tl_ref_run_region(c, 1, state, n, args, n)); // takes state
    for (uint32_t i = 0; i < n; i++) {
      state[i] = args[i];
      args[i] = (tl_ref_cell){0};
    }
  }
  st = give_all(c, state, n);
done:
  release_all(state, n);
  release_all(args, n);
  return st;
}

static tl_status run_branch(tl_ref_call *c, uint32_t region) {
  uint32_t n = c->op->n_results;
  tl_ref_cell *results = cells(c, n);
  if (results == NULL) return TL_OOM();
  TL_TRY(tl_ref_run_region(c, region, NULL, 0, results, n));
  tl_status st = give_all(c, results, n);
  release_all(results, n);
  return st;
}

tl_status ref_eval_IF(tl_ref_call *c) {
  return run_branch(c, tl_ref_index(&c->in[0], 0) != 0 ? 0 : 1);
}

tl_status ref_eval_CASE(tl_ref_call *c) { // an index outside of the branches takes the last
  int64_t index = tl_ref_index(&c->in[0], 0), n = c->op->n_regions;
  if (n == 0) return TL_ERROR(INVALID_ARGUMENT, "case has no branches (case_c1)");
  return run_branch(c, (uint32_t)(index >= 0 && index < n ? index : n - 1));
}

static tl_status run_callee(tl_ref_call *c, tl_str name) {
  const tl_module *module = c->op->block == NULL ? NULL : c->op->block->func->module;
  const tl_func *fn = module == NULL ? NULL : tl_module_find(module, name);
  const char *mnemonic = tl_op_get(c->op->code)->mnemonic;
  if (fn == NULL)
    return TL_ERROR(NOT_FOUND, "%s: there is no function @" TL_STR_FMT, mnemonic, TL_STR_ARG(name));
  uint32_t n_args = c->op->n_operands, n = c->op->n_results;
  tl_ref_cell *args = cells(c, n_args), *results = cells(c, n);
  if (args == NULL || results == NULL) return TL_OOM();
  tl_status st;
  TL_TRY_GOTO(done, st, take_all(c, args));
  TL_TRY_GOTO(done, st, tl_ref_run_func(c, fn, args, n_args, results, n));
  st = give_all(c, results, n);
done:
  release_all(args, n_args);
  release_all(results, n);
  return st;
}

tl_status ref_eval_CALL(tl_ref_call *c) {
  return run_callee(c, tl_op_str(c->op, TL_A_CALL_callee));
}
// A composite that is none of our named ops means its decomposition.
tl_status ref_eval_COMPOSITE(tl_ref_call *c) {
  return run_callee(c, tl_op_str(c->op, TL_A_COMPOSITE_decomposition));
}

static tl_status hand_on(tl_ref_call *c) {
  for (uint32_t i = 0; i < c->op->n_operands; i++) {
    tl_ref_cell cell;
    TL_TRY(tl_ref_take(c, i, &cell));
    TL_TRY(tl_ref_give(c, i, cell));
  }
  return TL_OK;
}

tl_status ref_eval_OPTIMIZATION_BARRIER(tl_ref_call *c) { return hand_on(c); }
tl_status ref_eval_RETURN(tl_ref_call *c) { return hand_on(c); } // results are its block's
