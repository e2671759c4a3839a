// A program called in a trace: its functions are copied into the trace's module under new names.
#include "program/internal.h"

#include <stdlib.h>

#include "ir/ptr_map.h"
#include "passes/copy.h"
#include "passes/specialise.h"

typedef struct copier {
  tl_trace *t;
  const tl_module *from;
  tl_ptr_map values; // old -> new
  tl_ptr_map funcs;  // old -> new name, a terminated text
  tl_loc_copier locs;
} copier;

static void copy_block(copier *c, tl_builder *b, const tl_block *block);

static const char *new_name(copier *c, tl_str old) {
  const tl_func *fn = tl_module_find(c->from, old);
  return fn == NULL ? NULL : tl_ptr_map_find(&c->funcs, fn);
}

static void copy_symbols(copier *c, tl_builder *b, tl_op *new, const tl_op *old) {
  const tl_op_info *info = tl_op_get(old->code);
  for (uint32_t i = 0; new != NULL &&i < info->n_attrs; i++) {
    tl_attr_id id = (tl_attr_id)(info->attr_begin + i);
    tl_attr_kind kind = tl_attr_get(id)->kind;
    if (kind == TL_AK_PROGRAMS)
      tl_builder_fail(b, TL_ERROR(UNIMPLEMENTED, "call: %s inside", info->mnemonic));
    if (kind != TL_AK_SYMBOL || old->attrs[i].str.len == 0) continue;
    const char *name = new_name(c, old->attrs[i].str);
    if (name != NULL) tl_op_set_str(b, new, id, tl_str_of(name));
  }
}

static bool note(copier *c, tl_builder *b, tl_value old, tl_value new) {
  if (new != NULL && tl_ptr_map_put(&c->values, old, (uintptr_t)new)) return true;
  if (b->error == TL_OK) tl_builder_fail(b, TL_OOM());
  return false;
}

static void copy_op(copier *c, tl_builder *b, const tl_op *old) { // NOLINT(misc-no-recursion)
  tl_arena *a = c->t->m->arena;
  tl_value *operands = TL_NEW(a, tl_value, old->n_operands + 1);
  tl_type *types = TL_NEW(a, tl_type, old->n_results + 1);
  if (operands == NULL || types == NULL) {
    tl_builder_fail(b, TL_OOM());
    return;
  }
  for (uint32_t i = 0; i < old->n_operands; i++)
    operands[i] = tl_ptr_map_find(&c->values, old->operands[i]);
  b->loc = tl_copy_loc(&c->locs, c->t->m, old->loc);
  if (old->n_results != 0) b->scratch = old->results[0]->scratch;
  tl_op *new = tl_op_begin(b, old->code, operands, old->n_operands);
  if (new == NULL) return;
  tl_copy_attrs(b, new, old);
  copy_symbols(c, b, new, old);
  for (uint32_t k = 0; k < old->n_regions; k++) {
    tl_builder inner = tl_builder_at(b, tl_op_add_region(b, new));
    copy_block(c, &inner, old->regions[k]);
    tl_builder_join(b, &inner);
  }
  for (uint32_t i = 0; i < old->n_results; i++) {
    types[i] = tl_type_of(a, old->results[i]->type.dtype, old->results[i]->type.dims,
                          old->results[i]->type.rank);
    if (types[i].rank != 0 && types[i].dims == NULL) tl_builder_fail(b, TL_OOM());
  }
  new = tl_op_finish(b, new, types, old->n_results);
  for (uint32_t i = 0; new != NULL &&i < old->n_results; i++)
    if (!note(c, b, old->results[i], new->results[i])) return;
}

static void copy_block(copier *c, tl_builder *b,
                       const tl_block *block) { // NOLINT(misc-no-recursion)
  for (uint32_t i = 0; i < block->n_args && b->error == TL_OK; i++) {
    tl_type type = block->args[i]->type;
    type = tl_type_of(c->t->m->arena, type.dtype, type.dims, type.rank);
    b->scratch = block->args[i]->scratch;
    tl_value arg = block->parent == NULL ? tl_func_arg(b, type) : tl_block_arg(b, b->block, type);
    if (!note(c, b, block->args[i], arg)) return;
  }
  for (const tl_op *op = block->first; op != block->last && b->error == TL_OK; op = op->next)
    copy_op(c, b, op);
  tl_value *values = TL_NEW(c->t->m->arena, tl_value, block->last->n_operands + 1);
  if (values == NULL) {
    tl_builder_fail(b, TL_OOM());
    return;
  }
  for (uint32_t i = 0; i < block->last->n_operands; i++)
    values[i] = tl_ptr_map_find(&c->values, block->last->operands[i]);
  tlo_return(b, values, block->last->n_operands);
}

// The functions of `from` in the trace's module; what became of its @main.
static tl_status copy_functions(copier *c, tl_str name, tl_func **out_main) {
  tl_module *m = c->t->m;
  for (const tl_func *f = c->from->first; f != NULL; f = f->next) {
    const char *new;
    do
      new = tl_arena_printf(m->arena, TL_STR_FMT ".%u", TL_STR_ARG(f->is_private ? f->name : name),
                            c->t->n_funcs++);
    while (new != NULL && tl_module_find(m, tl_str_of(new)) != NULL);
    if (new == NULL || !tl_ptr_map_put(&c->funcs, f, (uintptr_t)new)) return TL_OOM();
  }
  for (const tl_func *f = c->from->first; f != NULL; f = f->next) {
    tl_builder b = tl_func_begin(m, tl_ptr_map_find(&c->funcs, f), true);
    tl_func *fn = b.fn;
    if (b.error == TL_OK) copy_block(c, &b, f->body);
    TL_TRY(tl_builder_finish(&b));
    if (!f->is_private) *out_main = fn;
  }
  return TL_OK;
}

// Whether the tensors are what the program takes; *out_named: sizes of it have names.
static bool fits(tl_trace *t, const tl_program *p, const tl_expr *in, uint32_t n_in, uint32_t n_out,
                 bool *out_named) {
  *out_named = false;
  if (n_in != p->fn->body->n_args || n_out != p->fn->n_results) {
    tl_fail(t, TL_DIAG_BAD_ARGUMENT, "call: %s takes %u tensors and gives %u, got %u and %u",
            p->name.ptr, p->fn->body->n_args, p->fn->n_results, n_in, n_out);
    return false;
  }
  for (uint32_t i = 0; i < n_in; i++) {
    tl_type want = p->fn->body->args[i]->type, got = in[i]->v->type;
    bool same = want.rank == got.rank;
    for (uint32_t k = 0; same && k < want.rank; k++) {
      same = want.dims[k] < 0 ? got.dims[k] >= 0 : want.dims[k] == got.dims[k];
      *out_named |= want.dims[k] < 0;
    }
    if (same && want.dtype == got.dtype) continue;
    tl_fail(t, want.dtype != got.dtype ? TL_DIAG_DTYPE_MISMATCH : TL_DIAG_SHAPE_MISMATCH,
            "call: input %u of %s is %s, got %s", i, p->name.ptr, p->in_types[i],
            tl_type_text(in[i]));
    return false;
  }
  return true;
}

static tl_status specialise(tl_trace *t, const tl_program *p, const tl_expr *in, uint32_t n,
                            tl_module **out) {
  tl_type *types = TL_NEW(t->m->arena, tl_type, n + 1);
  if (types == NULL) return TL_OOM();
  for (uint32_t i = 0; i < n; i++)
    types[i] = in[i]->v->type;
  tl_diags diags = {0};
  tl_status st = tl_module_specialise_to(p->m, p->fn->name, types, n, &diags, out);
  tl_diags_deinit(&diags);
  return st;
}

// What was copied before: a program that is called twice has one function.
struct tl_called {
  struct tl_called *next;
  tl_program *p; // retained, so that none other comes to lie there
  tl_func *fn;
};

void tl_called_destroy(struct tl_called *list) {
  while (list != NULL) {
    struct tl_called *next = list->next;
    tl_program_release(list->p);
    free(list);
    list = next;
  }
}

static tl_func *copied_before(const tl_trace *t, const tl_program *p, const tl_expr *in,
                              uint32_t n_in) {
  for (const struct tl_called *c = t->called; c != NULL; c = c->next) {
    bool same = c->p == p;
    for (uint32_t i = 0; same && i < n_in; i++)
      same = tl_type_eq(c->fn->body->args[i]->type, in[i]->v->type);
    if (same) return c->fn;
  }
  return NULL;
}

static void note_copied(tl_trace *t, const tl_program *p, tl_func *fn) {
  struct tl_called *c = malloc(sizeof *c);
  if (c == NULL) {
    tl_fail_oom(t);
    return;
  }
  *c = (struct tl_called){t->called, tl_program_retain((tl_program *)(uintptr_t)p), fn};
  t->called = c;
}

// The program's function in the trace's module, for those sizes; NULL, and the trace's error.
static tl_func *copied(tl_trace *t, const tl_program *p, const tl_expr *in, uint32_t n_in,
                       bool named) {
  tl_func *known = copied_before(t, p, in, n_in);
  if (known != NULL) return known;
  tl_module *own = NULL;
  tl_func *fn = NULL;
  tl_status st = named ? specialise(t, p, in, n_in, &own) : TL_OK;
  copier c = {.t = t, .from = own != NULL ? own : p->m};
  if (st == TL_OK) st = copy_functions(&c, p->name, &fn);
  tl_ptr_map_deinit(&c.values);
  tl_ptr_map_deinit(&c.funcs);
  tl_module_destroy(own);
  if (st == TL_OK) {
    note_copied(t, p, fn);
    return fn;
  }
  tl_builder_fail(t->b, st);
  return NULL;
}

// What calls the function that was copied.
typedef struct caller {
  const tl_program *p, *vjp, *jvp;
  const char *policy; // of tl_call_checkpoint
} caller;

// A rule's function: it takes more than p does, which its own types say.
static tl_func *rule(tl_trace *t, const char *what, const tl_program *rule, const caller *c) {
  if (rule == NULL) return NULL;
  const uint32_t n_in = c->p->fn->body->n_args, n_out = c->p->fn->n_results;
  const uint32_t takes = rule == c->vjp ? n_out + n_in : 2 * n_in,
                 gives = rule == c->vjp ? n_in : n_out;
  if (rule->fn->body->n_args != takes || rule->fn->n_results != gives) {
    tl_fail(t, TL_DIAG_BAD_ARGUMENT, "%s: %s takes %u tensors and gives %u, wanted %u and %u", what,
            rule->name.ptr, rule->fn->body->n_args, rule->fn->n_results, takes, gives);
    return NULL;
  }
  return copied(t, rule, NULL, 0, false);
}

static void called(tl_here at, const char *what, const caller *c, const tl_expr *in, uint32_t n_in,
                   tl_expr *out, uint32_t n_out) {
  for (uint32_t i = 0; i < n_out; i++)
    out[i] = NULL;
  tl_trace *t = tl_trace_at(at, what, in, n_in);
  bool named;
  if (t == NULL || !fits(t, c->p, in, n_in, n_out, &named)) return;
  if (named && (c->vjp != NULL || c->jvp != NULL)) {
    tl_fail(t, TL_DIAG_BAD_ARGUMENT, "%s: %s has sizes with names: specialise it and its rules",
            what, c->p->name.ptr);
    return;
  }
  tl_func *fn = copied(t, c->p, in, n_in, named);
  tl_func *vjp = rule(t, what, c->vjp, c), *jvp = rule(t, what, c->jvp, c);
  tl_value *values = TL_NEW(t->m->arena, tl_value, n_in + 1);
  if (values == NULL) tl_builder_fail(t->b, TL_OOM());
  if (!tl_settle(t)) return;
  for (uint32_t i = 0; i < n_in; i++)
    values[i] = in[i]->v;
  tl_op *op = c->policy != NULL            ? tlo_checkpoint(t->b, fn, c->policy, values, n_in)
              : vjp != NULL || jvp != NULL ? tlo_custom(t->b, fn, vjp, jvp, values, n_in)
                                           : tlo_call(t->b, fn, values, n_in);
  // Names of the result are the program's, with texts of the trace's own.
  tl_axis_names *in_names, *out_names = NULL;
  if (op != NULL) {
    tl_status st = tl_program_names_copied(c->p, t->m, &in_names, &out_names);
    if (st != TL_OK) tl_builder_fail(t->b, st);
  }
  for (uint32_t i = 0; t->b->error == TL_OK && op != NULL && i < n_out; i++)
    out[i] = tl_made(t, op->results[i], out_names[i]);
  tl_settle(t);
}

void tl_call_at(tl_here at, const tl_program *p, const tl_expr *in, uint32_t n_in, tl_expr *out,
                uint32_t n_out) {
  called(at, "call", &(caller){.p = p}, in, n_in, out, n_out);
}

void tl_call_custom_at(tl_here at, const tl_program *p, const tl_program *vjp,
                       const tl_program *jvp, const tl_expr *in, uint32_t n_in, tl_expr *out,
                       uint32_t n_out) {
  called(at, "call_custom", &(caller){.p = p, .vjp = vjp, .jvp = jvp}, in, n_in, out, n_out);
}

void tl_call_checkpoint_at(tl_here at, const tl_program *p, const char *policy, const tl_expr *in,
                           uint32_t n_in, tl_expr *out, uint32_t n_out) {
  called(at, "call_checkpoint", &(caller){.p = p, .policy = policy != NULL ? policy : "nothing"},
         in, n_in, out, n_out);
}
