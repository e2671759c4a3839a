// The verifier: what the builder already refuses one op at a time, and what only a whole module
// shows.
//
//   every op     its type rule, with the result types that it carries
//   every use    its value is defined earlier in the same block or an enclosing one (regions see
//   what is around them) every block  ends in a return, and has none before its end every func   a
//   name of its own; returns what its signature says; donates an argument to one result of its type
//   the module   calls reach functions that exist and take these types, and no function calls
//   itself in the end
//
// One mistake does not hide another: each op is checked whatever the others are.
#include "ir/op.h"

#include "ir/ptr_map.h"

typedef struct verifier {
  const tl_module *m;
  const tl_func *fn;
  tl_diags *diags;
  tl_arena *scratch;
  tl_ptr_map visible; // value -> 1 while it may be used, 0 after its region has ended
  uint32_t depth;
  bool oom;
} verifier;

enum { MAX_DEPTH = 200 };

static void define(verifier *v, const tl_value *values, uint32_t n, bool on) {
  for (uint32_t i = 0; i < n; i++)
    if (!tl_ptr_map_put(&v->visible, values[i], on)) v->oom = true;
}

static void verify_types(verifier *v, const tl_op *op) {
  tl_arena_point mark = tl_arena_mark(v->scratch);
  tl_type *types = TL_NEW(v->scratch, tl_type, op->n_results + 1);
  if (types == NULL) {
    v->oom = true;
    return;
  }
  for (uint32_t i = 0; i < op->n_results; i++)
    types[i] = op->results[i]->type;
  const tl_type *inferred;
  uint32_t n;
  tl_status st = tl_op_infer(v->scratch, v->m, op, types, op->n_results, true, &inferred, &n);
  if (tl_status_get_code(st) == TL_STATUS_RESOURCE_EXHAUSTED) v->oom = true;
  if (st != TL_OK) tl_diags_add(v->diags, TL_DIAG_ERROR, op->loc, "%s", tl_status_message(st));
  tl_status_drop(st);
  tl_arena_rewind(v->scratch, mark);
}

static void verify_block(verifier *v, const tl_block *block, tl_loc loc);

static void verify_op(verifier *v, const tl_op *op) {
  const char *mnemonic = tl_op_get(op->code)->mnemonic;
  for (uint32_t i = 0; i < op->n_operands; i++) {
    uintptr_t on = 0;
    if (!tl_ptr_map_get(&v->visible, op->operands[i], &on) || !on)
      tl_diags_add(v->diags, TL_DIAG_ERROR, op->loc,
                   "%s: operand %u is used where it is not defined", mnemonic, i);
  }
  if (v->depth == MAX_DEPTH) {
    tl_diags_add(v->diags, TL_DIAG_ERROR, op->loc, "%s: regions are nested more than %d deep",
                 mnemonic, MAX_DEPTH);
    return;
  }
  for (uint32_t i = 0; i < op->n_regions; i++)
    verify_block(v, op->regions[i], op->loc);
  verify_types(v, op);
  define(v, op->results, op->n_results, true);
}

static void verify_block(verifier *v, const tl_block *block, tl_loc loc) {
  v->depth++;
  define(v, block->args, block->n_args, true);
  for (const tl_op *op = block->first; op != NULL; op = op->next) {
    verify_op(v, op);
    if ((tl_op_get(op->code)->traits & TL_TERM) != 0 && op != block->last)
      tl_diags_add(v->diags, TL_DIAG_ERROR, op->loc, "%s: ops follow it in its block",
                   tl_op_get(op->code)->mnemonic);
  }
  if (block->last == NULL || (tl_op_get(block->last->code)->traits & TL_TERM) == 0)
    tl_diags_add(v->diags, TL_DIAG_ERROR, block->last ? block->last->loc : loc,
                 "the block has no return at its end");
  if (block != v->fn->body) { // what a region defines ends with it
    define(v, block->args, block->n_args, false);
    for (const tl_op *op = block->first; op != NULL; op = op->next)
      define(v, op->results, op->n_results, false);
  }
  v->depth--;
}

static void verify_signature(verifier *v, const tl_func *fn) {
  const tl_op *ret = fn->body->last;
  if (ret != NULL && ret->code == TL_OP_RETURN) {
    if (ret->n_operands != fn->n_results)
      tl_diags_add(v->diags, TL_DIAG_ERROR, ret->loc,
                   "return: gives %u values, @" TL_STR_FMT " declares %u", ret->n_operands,
                   TL_STR_ARG(fn->name), fn->n_results);
    else
      for (uint32_t i = 0; i < fn->n_results; i++)
        if (!tl_type_eq(ret->operands[i]->type, fn->result_types[i]))
          tl_diags_add(v->diags, TL_DIAG_ERROR, ret->loc,
                       "return: value %u is not of the type that @" TL_STR_FMT " declares", i,
                       TL_STR_ARG(fn->name));
  }
  for (uint32_t i = 0; i < fn->body->n_args; i++) {
    int32_t to = fn->args[i].alias_output;
    if (to == -1) continue;
    if (to < 0 || (uint32_t)to >= fn->n_results ||
        !tl_type_eq(fn->body->args[i]->type, fn->result_types[to])) {
      tl_diags_add(v->diags, TL_DIAG_ERROR, fn->body->args[i]->loc,
                   "@" TL_STR_FMT ": argument %u cannot be donated to result %d",
                   TL_STR_ARG(fn->name), i, to);
      continue;
    }
    for (uint32_t j = 0; j < i; j++)
      if (fn->args[j].alias_output == to)
        tl_diags_add(v->diags, TL_DIAG_ERROR, fn->body->args[i]->loc,
                     "@" TL_STR_FMT ": arguments %u and %u are both donated to result %d",
                     TL_STR_ARG(fn->name), j, i, to);
  }
}

static void verify_func(verifier *v, const tl_func *fn) {
  v->fn = fn;
  v->depth = 0;
  tl_ptr_map_deinit(&v->visible); // values of another function are not defined in this one
  for (const tl_func *f = v->m->first; f != fn; f = f->next)
    if (tl_str_eq(f->name, fn->name)) {
      tl_diags_add(v->diags, TL_DIAG_ERROR, fn->loc, "@" TL_STR_FMT " is defined twice",
                   TL_STR_ARG(fn->name));
      break;
    }
  verify_signature(v, fn);
  verify_block(v, fn->body, fn->loc);
}

// ---- Recursion ----
//
// Functions whose callees are all settled are settled; what stays unsettled reaches a cycle. Rounds
// over a list instead of a depth-first walk, because a chain of calls may be longer than our stack
// is deep.

typedef struct callees {
  const tl_func *found; // an unsettled callee
  const tl_ptr_map *settled;
  const tl_module *m;
} callees;

static void find_unsettled(callees *c, const tl_block *block, uint32_t depth) {
  for (const tl_op *op = block->first; op != NULL && c->found == NULL; op = op->next) {
    const tl_op_info *info = tl_op_get(op->code);
    for (uint32_t i = 0; i < info->n_attrs; i++)
      if (tl_attr_get((tl_attr_id)(info->attr_begin + i))->kind == TL_AK_SYMBOL) {
        const tl_func *fn = tl_module_find(c->m, op->attrs[i].str);
        if (fn != NULL && !tl_ptr_map_get(c->settled, fn, NULL)) c->found = fn;
      }
    for (uint32_t i = 0; i < op->n_regions && depth < MAX_DEPTH; i++)
      find_unsettled(c, op->regions[i], depth + 1);
  }
}

static void verify_no_recursion(verifier *v) {
  tl_ptr_map settled = {0}, seen = {0};
  const tl_func *at = NULL;
  for (bool progress = true; progress;) {
    progress = false;
    at = NULL;
    for (const tl_func *fn = v->m->first; fn != NULL; fn = fn->next) {
      if (tl_ptr_map_get(&settled, fn, NULL)) continue;
      callees c = {NULL, &settled, v->m};
      find_unsettled(&c, fn->body, 0);
      if (c.found == NULL) {
        if (!tl_ptr_map_put(&settled, fn, 1)) v->oom = true;
        progress = !v->oom;
      } else {
        at = fn;
      }
    }
  }
  // Every unsettled function calls one that is unsettled too, so following them comes round.
  while (at != NULL && !v->oom && !tl_ptr_map_get(&seen, at, NULL)) {
    if (!tl_ptr_map_put(&seen, at, 1)) v->oom = true;
    callees c = {NULL, &settled, v->m};
    find_unsettled(&c, at->body, 0);
    at = c.found;
  }
  if (at != NULL && !v->oom)
    tl_diags_add(v->diags, TL_DIAG_ERROR, at->loc,
                 "@" TL_STR_FMT " calls itself, directly or through others", TL_STR_ARG(at->name));
  tl_ptr_map_deinit(&settled);
  tl_ptr_map_deinit(&seen);
}

tl_status tl_module_verify(const tl_module *m, tl_diags *diags) {
  verifier v = {.m = m, .diags = diags, .scratch = tl_arena_create()};
  if (v.scratch == NULL) return TL_OOM();
  for (const tl_func *fn = m->first; fn != NULL; fn = fn->next)
    verify_func(&v, fn);
  verify_no_recursion(&v);
  tl_ptr_map_deinit(&v.visible);
  tl_arena_destroy(v.scratch);
  return v.oom ? TL_OOM() : tl_diags_status(diags);
}
