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

#include "base/map.h"
#include "ir/dim.h"
#include "ir/ptr_map.h"

typedef struct verifier {
  const tl_module *m;
  const tl_func *fn;
  tl_diags *diags;
  tl_arena *scratch;
  tl_ptr_map visible; // value -> 1 while it may be used, 0 after its region has ended
  tl_map names;       // of the functions so far
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
  for (uint32_t i = 0; i < block->n_args; i++) { // of what ops use, their rules see it again
    if (block->args[i]->type.rank <= TL_MAX_RANK && !tl_type_is_sound(v->m, block->args[i]->type))
      tl_diags_add(v->diags, TL_DIAG_ERROR, block->args[i]->loc,
                   "argument %u needs more bytes than memory can hold", i);
  }
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
        if (!tl_type_agrees(ret->operands[i]->type, fn->result_types[i]))
          tl_diags_add(v->diags, TL_DIAG_ERROR, ret->loc,
                       "return: value %u is not of the type that @" TL_STR_FMT " declares", i,
                       TL_STR_ARG(fn->name));
  }
  for (uint32_t i = 0; i < fn->body->n_args; i++) {
    int32_t to = fn->args[i].alias_output;
    if (to == -1) continue;
    if (to < 0 || (uint32_t)to >= fn->n_results ||
        !tl_type_agrees(fn->body->args[i]->type, fn->result_types[to])) {
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
  if (tl_map_get(&v->names, fn->name, NULL))
    tl_diags_add(v->diags, TL_DIAG_ERROR, fn->loc, "@" TL_STR_FMT " is defined twice",
                 TL_STR_ARG(fn->name));
  else if (!tl_map_put(&v->names, fn->name, 1))
    v->oom = true;
  verify_signature(v, fn);
  verify_block(v, fn->body, fn->loc);
}

// ---- Recursion ----
//
// Functions whose callees are all settled are settled; what stays unsettled reaches a cycle. A
// queue of settled functions and, for each, its callers, instead of a depth-first walk: a chain of
// calls may be longer than our stack is deep, and a module may have a hundred thousand functions.

typedef struct call { // by the functions' places in the module
  uint32_t caller, callee;
} call;

typedef struct call_graph {
  tl_map index; // names -> places
  call *calls;  // NULL while they are only counted
  size_t n_calls;
} call_graph;

static void note_calls(call_graph *g, uint32_t caller, const tl_block *block, uint32_t depth) {
  for (const tl_op *op = block->first; op != NULL; op = op->next) {
    const tl_op_info *info = tl_op_get(op->code);
    for (uint32_t i = 0; i < info->n_attrs; i++) {
      uint32_t n;
      const tl_str *names = tl_op_symbols(op, i, &n);
      for (uint32_t k = 0; k < n; k++) {
        uint64_t callee;
        if (!tl_map_get(&g->index, names[k], &callee)) continue;
        if (g->calls != NULL) g->calls[g->n_calls] = (call){caller, (uint32_t)callee};
        g->n_calls++;
      }
    }
    for (uint32_t i = 0; i < op->n_regions && depth < MAX_DEPTH; i++)
      note_calls(g, caller, op->regions[i], depth + 1);
  }
}

static void note_all_calls(call_graph *g, const tl_func *const *funcs, uint32_t n) {
  g->n_calls = 0;
  for (uint32_t f = 0; f < n; f++)
    note_calls(g, f, funcs[f]->body, 0);
}

// A function that calls itself in the end, or NULL. `funcs` [n] are those of the index.
static const tl_func *find_recursion(verifier *v, call_graph *g, const tl_func *const *funcs,
                                     uint32_t n) {
  note_all_calls(g, funcs, n);
  const size_t n_calls = g->n_calls;
  g->calls = TL_NEW(v->scratch, call, n_calls + 1);
  size_t *first = TL_NEW(v->scratch, size_t, n + 2); // of a callee's callers; CSR
  uint32_t *callers = TL_NEW(v->scratch, uint32_t, n_calls + 1),
           *open = TL_NEW(v->scratch, uint32_t, n + 1), // calls to functions not settled
               *queue = TL_NEW(v->scratch, uint32_t, n + 1),
           *next = TL_NEW(v->scratch, uint32_t, n + 1);
  if (!g->calls || !first || !callers || !open || !queue || !next) {
    v->oom = true;
    return NULL;
  }
  note_all_calls(g, funcs, n);
  for (size_t i = 0; i < n_calls; i++) {
    first[g->calls[i].callee + 2]++;
    open[g->calls[i].caller]++;
  }
  for (uint32_t f = 2; f < n + 2; f++)
    first[f] += first[f - 1];
  for (size_t i = 0; i < n_calls; i++) // first[f + 1] grows from where f begins to where it ends
    callers[first[g->calls[i].callee + 1]++] = g->calls[i].caller;
  uint32_t n_settled = 0;
  for (uint32_t f = 0; f < n; f++)
    if (open[f] == 0) queue[n_settled++] = f;
  for (uint32_t at = 0; at < n_settled; at++)
    for (size_t i = first[queue[at]]; i < first[queue[at] + 1]; i++)
      if (--open[callers[i]] == 0) queue[n_settled++] = callers[i];
  if (n_settled == n) return NULL;
  // Every unsettled function calls one that is unsettled too, so following them comes round.
  uint32_t at = 0;
  for (size_t i = 0; i < n_calls; i++)
    if (open[g->calls[i].callee] != 0 && open[g->calls[i].caller] != 0) {
      at = g->calls[i].caller;
      next[at] = g->calls[i].callee;
    }
  for (uint32_t i = 0; i < n; i++)
    at = next[at];
  return funcs[at];
}

static void verify_no_recursion(verifier *v) {
  call_graph g = {0};
  uint32_t n = 0, n_all = 0;
  for (const tl_func *fn = v->m->first; fn != NULL; fn = fn->next)
    n_all++;
  const tl_func **funcs = TL_NEW(v->scratch, const tl_func *, n_all + 1);
  if (funcs == NULL || !tl_map_reserve(&g.index, n_all)) v->oom = true;
  for (const tl_func *fn = v->m->first; fn != NULL && !v->oom; fn = fn->next) {
    if (tl_map_get(&g.index, fn->name, NULL)) continue; // defined twice: the first is meant
    if (!tl_map_put(&g.index, fn->name, n)) v->oom = true;
    funcs[n++] = fn;
  }
  const tl_func *at = v->oom ? NULL : find_recursion(v, &g, funcs, n);
  if (at != NULL)
    tl_diags_add(v->diags, TL_DIAG_ERROR, at->loc,
                 "@" TL_STR_FMT " calls itself, directly or through others", TL_STR_ARG(at->name));
  tl_map_deinit(&g.index);
}

tl_status tl_module_verify(const tl_module *m, tl_diags *diags) {
  verifier v = {.m = m, .diags = diags, .scratch = tl_arena_create()};
  if (v.scratch == NULL) return TL_OOM();
  for (const tl_func *fn = m->first; fn != NULL; fn = fn->next)
    verify_func(&v, fn);
  verify_no_recursion(&v);
  tl_ptr_map_deinit(&v.visible);
  tl_map_deinit(&v.names);
  tl_arena_destroy(v.scratch);
  return v.oom ? TL_OOM() : tl_diags_status(diags);
}
