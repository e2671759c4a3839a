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

#include <stdlib.h>

#include "ir/dim.h"
#include "ir/ptr_map.h"

typedef struct call {
  uint32_t caller;   // its place in the module
  uint32_t callee;   // likewise, once all places are known
  const tl_func *fn; // the callee
} call;

typedef struct verifier {
  const tl_module *m;
  const tl_func *fn;
  tl_diags *diags;
  tl_arena *scratch;
  const void **by_id; // what defines the value of that number while it may be used
  size_t cap_by_id;
  uint32_t end_by_id; // behind the last that was set in this function
  uint32_t n_defined; // in this function so far
  tl_ptr_map visible; // other values -> 1 while they may be used, 0 after their region has ended
  tl_ptr_map places;  // of the functions so far in the module
  uint32_t n_funcs;   // so far
  call *calls;        // of all functions so far
  size_t n_calls, cap_calls;
  uint32_t depth;
  bool oom;
} verifier;

enum { MAX_DEPTH = 200 };

// What may be used here: nearly all values have numbers of their own, as densely as text gives
// them, and are found by number; a map holds the others. Results of an op share a number, so a
// number stands for the op.
static const void *holder_of(tl_value value) {
  return value->op != NULL ? (const void *)value->op : (const void *)value;
}

static bool has_place(const verifier *v, tl_value value) { // in by_id; else its number is too large
  return !value->scratch && value->id < 1024 + 8 * (uint64_t)v->n_defined;
}

static bool place_grow(verifier *v, uint32_t id) {
  if (id < v->cap_by_id) return true;
  size_t cap = TL_MAX((size_t)id + 1, v->cap_by_id * 2);
  const void **bigger = realloc(v->by_id, cap * sizeof *bigger);
  if (bigger == NULL) return false;
  memset(bigger + v->cap_by_id, 0, (cap - v->cap_by_id) * sizeof *bigger);
  v->by_id = bigger;
  v->cap_by_id = cap;
  return true;
}

static void define(verifier *v, const tl_value *values, uint32_t n, bool on) {
  for (uint32_t i = 0; i < n; i++) {
    const void *holder = holder_of(values[i]);
    const uint32_t id = values[i]->id;
    v->n_defined += on;
    if (has_place(v, values[i])) {
      if (!place_grow(v, id)) v->oom = true;
      if (v->oom) return;
      v->end_by_id = TL_MAX(v->end_by_id, id + 1);
      if (on ? v->by_id[id] == NULL || v->by_id[id] == holder : v->by_id[id] == holder) {
        v->by_id[id] = on ? holder : NULL;
        continue;
      }
    }
    if ((on || tl_ptr_map_get(&v->visible, values[i], NULL)) &&
        !tl_ptr_map_put(&v->visible, values[i], on))
      v->oom = true;
  }
}

static bool may_use(const verifier *v, tl_value value) {
  uintptr_t on = 0;
  if (!value->scratch && value->id < v->end_by_id && v->by_id[value->id] == holder_of(value))
    return true;
  return tl_ptr_map_get(&v->visible, value, &on) && on != 0;
}

static void forget_all(verifier *v) { // values of another function are not defined in this one
  tl_ptr_map_deinit(&v->visible);
  if (v->end_by_id > 0) memset(v->by_id, 0, v->end_by_id * sizeof *v->by_id);
  v->end_by_id = 0;
  v->n_defined = 0;
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

// What the op calls, or otherwise refers to.
static void note_calls(verifier *v, const tl_op *op) {
  const tl_op_info *info = tl_op_get(op->code);
  for (uint32_t i = 0; i < info->n_attrs; i++) {
    uint32_t n;
    const tl_str *names = tl_op_symbols(op, i, &n);
    for (uint32_t k = 0; k < n; k++) {
      const tl_func *callee = tl_module_find(v->m, names[k]);
      if (callee == NULL) continue; // refused by the op's rule
      if (v->n_calls == v->cap_calls) {
        size_t cap = v->cap_calls ? v->cap_calls * 2 : 64;
        call *calls = realloc(v->calls, cap * sizeof *calls);
        if (calls == NULL) {
          v->oom = true;
          return;
        }
        v->calls = calls;
        v->cap_calls = cap;
      }
      v->calls[v->n_calls++] = (call){.caller = v->n_funcs, .fn = callee};
    }
  }
}

static void verify_block(verifier *v, const tl_block *block, tl_loc loc);

static void verify_op(verifier *v, const tl_op *op) {
  const char *mnemonic = tl_op_get(op->code)->mnemonic;
  for (uint32_t i = 0; i < op->n_operands; i++) {
    if (!may_use(v, op->operands[i]))
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
  note_calls(v, op);
  define(v, op->results, op->n_results, true);
}

static void verify_block(verifier *v, const tl_block *block, tl_loc loc) {
  v->depth++;
  for (uint32_t i = 0; i < block->n_args; i++) { // of what ops use, their rules see it again
    if (block->args[i]->type.rank <= TL_MAX_RANK && !tl_type_is_sound(v->m, block->args[i]->type))
      tl_diags_add(v->diags, TL_DIAG_ERROR, tl_value_loc(block->args[i]),
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
      tl_diags_add(v->diags, TL_DIAG_ERROR, tl_value_loc(fn->body->args[i]),
                   "@" TL_STR_FMT ": argument %u cannot be donated to result %d",
                   TL_STR_ARG(fn->name), i, to);
      continue;
    }
    for (uint32_t j = 0; j < i; j++)
      if (fn->args[j].alias_output == to)
        tl_diags_add(v->diags, TL_DIAG_ERROR, tl_value_loc(fn->body->args[i]),
                     "@" TL_STR_FMT ": arguments %u and %u are both donated to result %d",
                     TL_STR_ARG(fn->name), j, i, to);
  }
}

static void verify_func(verifier *v, const tl_func *fn) {
  v->fn = fn;
  v->depth = 0;
  forget_all(v);
  const bool distinct = v->m->by_name.len == v->m->n_funcs;
  if (!distinct && tl_module_find(v->m, fn->name) != fn)
    tl_diags_add(v->diags, TL_DIAG_ERROR, fn->loc, "@" TL_STR_FMT " is defined twice",
                 TL_STR_ARG(fn->name));
  if (!tl_ptr_map_put(&v->places, fn, v->n_funcs)) v->oom = true;
  verify_signature(v, fn);
  verify_block(v, fn->body, fn->loc);
  v->n_funcs++;
}

// ---- Recursion ----
//
// Functions whose callees are all settled are settled; what stays unsettled reaches a cycle. A
// queue of settled functions and, for each, its callers, instead of a depth-first walk: a chain of
// calls may be longer than our stack is deep, and a module may have a hundred thousand functions.

// A function that calls itself in the end, or NULL. `funcs` [n] are those of the index.
static const tl_func *find_recursion(verifier *v, const tl_func *const *funcs, uint32_t n) {
  const size_t n_calls = v->n_calls;
  const call *calls = v->calls;
  size_t *first = TL_NEW(v->scratch, size_t, n + 2); // of a callee's callers; CSR
  uint32_t *callers = TL_NEW(v->scratch, uint32_t, n_calls + 1),
           *open = TL_NEW(v->scratch, uint32_t, n + 1), // calls to functions not settled
               *queue = TL_NEW(v->scratch, uint32_t, n + 1),
           *next = TL_NEW(v->scratch, uint32_t, n + 1);
  if (!first || !callers || !open || !queue || !next) {
    v->oom = true;
    return NULL;
  }
  for (size_t i = 0; i < n_calls; i++) {
    first[calls[i].callee + 2]++;
    open[calls[i].caller]++;
  }
  for (uint32_t f = 2; f < n + 2; f++)
    first[f] += first[f - 1];
  for (size_t i = 0; i < n_calls; i++) // first[f + 1] grows from where f begins to where it ends
    callers[first[calls[i].callee + 1]++] = calls[i].caller;
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
    if (open[calls[i].callee] != 0 && open[calls[i].caller] != 0) {
      at = calls[i].caller;
      next[at] = calls[i].callee;
    }
  for (uint32_t i = 0; i < n; i++)
    at = next[at];
  return funcs[at];
}

static void verify_no_recursion(verifier *v) {
  uint32_t n = 0;
  const tl_func **funcs = TL_NEW(v->scratch, const tl_func *, v->n_funcs + 1);
  if (funcs == NULL) v->oom = true;
  for (const tl_func *fn = v->m->first; fn != NULL && !v->oom; fn = fn->next)
    funcs[n++] = fn;
  for (size_t i = 0; i < v->n_calls; i++) {
    uintptr_t place = 0;
    if (!tl_ptr_map_get(&v->places, v->calls[i].fn, &place)) v->oom = true; // or all have one
    v->calls[i].callee = (uint32_t)place;
  }
  const tl_func *at = v->oom ? NULL : find_recursion(v, funcs, n);
  if (at != NULL)
    tl_diags_add(v->diags, TL_DIAG_ERROR, at->loc,
                 "@" TL_STR_FMT " calls itself, directly or through others", TL_STR_ARG(at->name));
}

tl_status tl_module_verify(const tl_module *m, tl_diags *diags) {
  verifier v = {.m = m, .diags = diags, .scratch = tl_arena_create()};
  if (v.scratch == NULL) return TL_OOM();
  for (const tl_func *fn = m->first; fn != NULL; fn = fn->next)
    verify_func(&v, fn);
  verify_no_recursion(&v);
  tl_ptr_map_deinit(&v.visible);
  tl_ptr_map_deinit(&v.places);
  free(v.calls);
  free(v.by_id);
  tl_arena_destroy(v.scratch);
  return v.oom ? TL_OOM() : tl_diags_status(diags);
}
