// Inlining: a module without named ops, for consumers that should see core ops alone.
//
// The new module is a copy in which a named op is replaced by its decomposition, and, when asked, a
// call or a composite by its callee's body. A copied value keeps its number. What a replacement
// adds is scratch (%s<k>), except the value that stands for the replaced op's one result, which
// takes over its number; so the rest of the text does not change. Several results shared one
// number, which several values cannot share: they are all scratch.
#include "passes/copy.h"

#include "passes/decompose.h"
#include "ir/decompose_emit.h"
#include "ir/dim.h"

// A chain of calls, and what calls may grow to: a few functions that call each other twice double
// at every level.
enum { MAX_DEPTH = 200, MAX_OPS = 1 << 20 };

typedef struct copier {
  const tl_module *from;
  tl_module *to;
  tl_copy_options options;
  tl_ptr_map values; // old value -> new value
  tl_loc_copier locs;
  uint32_t depth, n_ops;
  tl_ptr_map programs; // functions that ops run without calling them
} copier;

tl_loc tl_copy_loc(tl_loc_copier *c, tl_module *to, tl_loc loc) {
  if (loc.file == NULL) return loc;
  if (loc.file != c->old_file) {
    c->new_file = tl_decompose_loc(to, loc).file;
    c->old_file = loc.file;
  }
  loc.file = c->new_file;
  return loc;
}

static tl_value lookup(copier *c, tl_builder *b, tl_value old) {
  tl_value same = c->options.same == NULL ? NULL : tl_ptr_map_find(c->options.same, old);
  tl_value v = tl_ptr_map_find(&c->values, same == NULL ? old : same);
  if (v == NULL)
    tl_builder_fail(b, TL_ERROR(INTERNAL, "inline: a value is used where it is not defined"));
  return v;
}

static void define(copier *c, tl_builder *b, tl_value old, tl_value new) {
  if (new != NULL && !tl_ptr_map_put(&c->values, old, (uintptr_t)new)) tl_builder_fail(b, TL_OOM());
}

static tl_value *lookup_all(copier *c, tl_builder *b, const tl_op *op) {
  tl_value *list = TL_NEW(c->to->arena, tl_value, op->n_operands + 1);
  if (list == NULL) tl_builder_fail(b, TL_OOM());
  for (uint32_t i = 0; list != NULL && i < op->n_operands; i++)
    list[i] = lookup(c, b, op->operands[i]);
  return list;
}

static tl_type type_copy(tl_builder *b, tl_type t) {
  tl_type own = tl_type_of(b->m->arena, t.dtype, t.dims, t.rank);
  if (own.rank != 0 && own.dims == NULL) tl_builder_fail(b, TL_OOM());
  return own;
}

// Number and kind of a copy. Inside a replacement everything is scratch.
static void renumber(const tl_builder *b, tl_value new, tl_value old) {
  if (new == NULL || b->scratch) return;
  new->id = old->id;
  new->scratch = old->scratch;
}

static void copy_block(copier *c, tl_builder *b, const tl_block *block);

void tl_copy_attrs(tl_builder *b, tl_op *new, const tl_op *old) {
  const tl_op_info *info = tl_op_get(old->code);
  for (uint32_t i = 0; i < info->n_attrs; i++) {
    tl_attr_id id = (tl_attr_id)(info->attr_begin + i);
    const tl_attr *a = &old->attrs[i];
    if (!a->set) continue;
    switch (tl_attr_kind_held(tl_attr_get(id)->kind)) {
    case TL_HELD_I64:
      tl_op_set_i64(new, id, a->i64);
      break;
    case TL_HELD_F64:
      tl_op_set_f64(new, id, a->f64);
      break;
    case TL_HELD_STR:
      tl_op_set_str(b, new, id, a->str);
      break;
    case TL_HELD_LIST:
      tl_op_set_list(b, new, id, a->list.ptr, a->list.len);
      break;
    case TL_HELD_DENSE: {
      tl_literal *lit = TL_NEW(b->m->arena, tl_literal, 1);
      void *data = tl_arena_alloc(b->m->arena, TL_MAX(a->dense->size, (size_t)1), 64);
      if (lit == NULL || data == NULL) {
        tl_builder_fail(b, TL_OOM());
        return;
      }
      if (a->dense->size != 0) memcpy(data, a->dense->data, a->dense->size);
      *lit = (tl_literal){type_copy(b, a->dense->type), data, a->dense->size, a->dense->splat};
      tl_op_set_dense(new, id, lit);
      break;
    }
    case TL_HELD_GROUPS:
      tl_op_set_groups(b, new, id, a->groups);
      break;
    case TL_HELD_SHARDINGS:
      tl_op_set_shardings(b, new, id, a->shardings);
      break;
    case TL_HELD_NAMES:
      tl_op_set_names(b, new, id, a->names);
      break;
    }
  }
}

// One op more, or one call, whose body may add none.
static bool counted(copier *c, tl_builder *b) {
  if (++c->n_ops <= MAX_OPS) return true;
  tl_builder_fail(
      b, TL_ERROR(RESOURCE_EXHAUSTED, "inline: calls expand to more than %d ops", MAX_OPS));
  return false;
}

static void copy_op(copier *c, tl_builder *b, const tl_op *op) {
  if (!counted(c, b)) return;
  tl_value *operands = lookup_all(c, b, op);
  uint32_t next = b->fn->next_id;
  tl_op *new = operands == NULL ? NULL : tl_op_begin(b, op->code, operands, op->n_operands);
  if (new == NULL) return;
  tl_copy_attrs(b, new, op);
  for (uint32_t i = 0; i < op->n_regions; i++) {
    tl_block *block = tl_op_add_region(b, new);
    tl_builder in = tl_builder_at(b, block);
    for (uint32_t j = 0; j < op->regions[i]->n_args; j++) {
      tl_value old = op->regions[i]->args[j],
               arg = tl_block_arg(&in, block, type_copy(&in, old->type));
      renumber(b, arg, old);
      define(c, &in, old, arg);
    }
    copy_block(c, &in, op->regions[i]);
    tl_builder_join(b, &in);
  }
  tl_type *types = TL_NEW(c->to->arena, tl_type, op->n_results + 1);
  if (types == NULL) tl_builder_fail(b, TL_OOM());
  for (uint32_t i = 0; types != NULL && i < op->n_results; i++)
    types[i] = type_copy(b, op->results[i]->type);
  new = tl_op_finish(b, new, types, op->n_results);
  for (uint32_t i = 0; new != NULL &&i < op->n_results; i++) {
    renumber(b, new->results[i], op->results[i]);
    define(c, b, op->results[i], new->results[i]);
  }
  b->fn->next_id = next; // numbers come from the old function
}

// `new` stands for the only result of a replaced op: it takes over its number, if it was made for
// it.
static void take_over(const tl_builder *b, tl_value new, const tl_op *old, const tl_op *before) {
  if (new == NULL || new->op == NULL || b->scratch) return;
  for (const tl_op *op = b->block->last; op != NULL && op != before; op = op->prev)
    if (op == new->op) {
      renumber(b, new, old->results[0]);
      return;
    }
}

static void inline_named(copier *c, tl_builder *b, const tl_op *op) {
  tl_value *operands = lookup_all(c, b, op);
  const tl_op *before = b->block == NULL ? NULL : b->block->last;
  tl_builder in = tl_builder_at(b, b->block);
  in.scratch = true;
  tl_value *results = TL_NEW(c->to->arena, tl_value, op->n_results + 1);
  if (results == NULL) tl_builder_fail(b, TL_OOM());
  bool good = operands != NULL && b->error == TL_OK && tl_decompose_op(&in, op, operands, results);
  tl_builder_join(b, &in);
  if (!good) return;
  for (const tl_op *o = before == NULL ? b->block->first : before->next; o != NULL; o = o->next)
    c->n_ops++; // some become a thousand
  if (c->n_ops > MAX_OPS)
    tl_builder_fail(
        b, TL_ERROR(RESOURCE_EXHAUSTED, "inline: named ops expand to more than %d ops", MAX_OPS));
  if (op->n_results == 1) take_over(b, results[0], op, before);
  for (uint32_t i = 0; i < op->n_results; i++)
    define(c, b, op->results[i], results[i]);
}

static void inline_call(copier *c, tl_builder *b, const tl_op *op) {
  tl_attr_id id = op->code == TL_OP_CALL ? TL_A_CALL_callee : TL_A_COMPOSITE_decomposition;
  const tl_func *callee = tl_module_find(c->from, tl_op_str(op, id));
  if (!counted(c, b)) return;
  tl_value *operands = lookup_all(c, b, op);
  if (c->depth == MAX_DEPTH) {
    tl_builder_fail(
        b, TL_ERROR(RESOURCE_EXHAUSTED, "inline: calls are nested more than %d deep", MAX_DEPTH));
    return;
  }
  if (callee == NULL || operands == NULL || callee->body->n_args != op->n_operands) {
    tl_builder_fail(b, TL_ERROR(INVALID_ARGUMENT, "inline: a call does not fit its function"));
    return;
  }
  const tl_op *before = b->block == NULL ? NULL : b->block->last;
  tl_builder in = tl_builder_at(b, b->block);
  in.scratch = true;
  for (uint32_t i = 0; i < op->n_operands; i++)
    define(c, &in, callee->body->args[i], operands[i]);
  const tl_op *last = callee->body->last;
  c->depth++;
  for (const tl_op *o = callee->body->first; o != last && in.error == TL_OK; o = o->next) {
    in.loc = tl_copy_loc(&c->locs, c->to, o->loc);
    if (c->options.named && (tl_op_get(o->code)->traits & TL_NAMED) != 0)
      inline_named(c, &in, o);
    else if (o->code == TL_OP_CALL || o->code == TL_OP_COMPOSITE)
      inline_call(c, &in, o); // no recursion: the module is verified
    else
      copy_op(c, &in, o);
  }
  c->depth--;
  for (uint32_t i = 0; i < op->n_results; i++) {
    tl_value r = lookup(c, &in, last->operands[i]);
    if (op->n_results == 1) take_over(b, r, op, before);
    define(c, &in, op->results[i], r);
  }
  tl_builder_join(b, &in);
}

static void copy_block(copier *c, tl_builder *b, const tl_block *block) {
  for (const tl_op *op = block->first; op != NULL; op = op->next) {
    if (c->options.skip != NULL && tl_ptr_map_get(c->options.skip, op, NULL)) continue;
    b->loc = tl_copy_loc(&c->locs, c->to, op->loc);
    if (c->options.named && (tl_op_get(op->code)->traits & TL_NAMED) != 0)
      inline_named(c, b, op);
    else if (c->options.calls && (op->code == TL_OP_CALL || op->code == TL_OP_COMPOSITE))
      inline_call(c, b, op);
    else if (op->code == TL_OP_RETURN) {
      tl_value *values = lookup_all(c, b, op);
      if (values != NULL) tlo_return(b, values, op->n_operands);
    } else
      copy_op(c, b, op);
  }
}

tl_status tl_copy_arg_info(tl_arena *arena, tl_arg_info *new, const tl_arg_info *old) {
  *new = *old;
  new->name = tl_str_copy(arena, old->name);
  new->size_name = tl_str_copy(arena, old->size_name);
  new->sharding = tl_sharding_copy(arena, old->sharding);
  return new->sharding == NULL && old->sharding != NULL ? TL_OOM() : TL_OK;
}

tl_status tl_copy_result_shardings(tl_arena *arena, tl_func *new, const tl_func *old) {
  if (old->result_shardings == NULL) return TL_OK;
  new->result_shardings = TL_NEW(arena, const tl_sharding *, old->n_results + 1);
  if (new->result_shardings == NULL) return TL_OOM();
  for (uint32_t i = 0; i < old->n_results; i++) {
    new->result_shardings[i] = tl_sharding_copy(arena, old->result_shardings[i]);
    if (new->result_shardings[i] == NULL && old->result_shardings[i] != NULL) return TL_OOM();
  }
  return TL_OK;
}

static tl_status copy_func(copier *c, const tl_func *fn) {
  char *name = tl_arena_printf(c->to->arena, TL_STR_FMT, TL_STR_ARG(fn->name));
  if (name == NULL) return TL_OOM();
  tl_builder b = tl_func_begin(c->to, name, fn->is_private);
  if (b.fn != NULL) b.fn->loc = tl_copy_loc(&c->locs, c->to, fn->loc);
  for (uint32_t i = 0; i < fn->body->n_args; i++) {
    tl_value old = fn->body->args[i];
    b.loc = tl_copy_loc(&c->locs, c->to, tl_value_loc(old));
    tl_value arg = tl_func_arg(&b, type_copy(&b, old->type));
    renumber(&b, arg, old);
    define(c, &b, old, arg);
    if (arg == NULL) continue;
    tl_status st = tl_copy_arg_info(c->to->arena, tl_func_arg_info(b.fn, i), &fn->args[i]);
    if (st != TL_OK) tl_builder_fail(&b, st);
  }
  tl_func *new = b.fn;
  copy_block(c, &b, fn->body);
  TL_TRY_NOTE(tl_builder_finish(&b), "inlining @" TL_STR_FMT, TL_STR_ARG(fn->name));
  new->next_id = fn->next_id;
  return tl_copy_result_shardings(c->to->arena, new, fn);
}

tl_status tl_copy_meshes(tl_module *to, const tl_module *from) {
  tl_mesh **end = &to->meshes;
  for (const tl_mesh *mesh = from->meshes; mesh != NULL; mesh = mesh->next) {
    *end = tl_mesh_copy(to->arena, mesh);
    if (*end == NULL) return TL_OOM();
    end = &(*end)->next;
  }
  return TL_OK;
}

// What an op names beside a call or a composite cannot become a body at its place.
static bool find_programs(copier *c, const tl_block *block) {
  for (const tl_op *op = block->first; op != NULL; op = op->next) {
    for (uint32_t i = 0; i < op->n_regions; i++)
      if (!find_programs(c, op->regions[i])) return false;
    if (op->code == TL_OP_CALL || op->code == TL_OP_COMPOSITE) continue;
    for (uint32_t i = 0; i < tl_op_get(op->code)->n_attrs; i++) {
      uint32_t n;
      const tl_str *names = tl_op_symbols(op, i, &n);
      for (uint32_t k = 0; k < n; k++) {
        const tl_func *fn = tl_module_find(c->from, names[k]);
        if (fn != NULL && !tl_ptr_map_put(&c->programs, fn, 1)) return false;
      }
    }
  }
  return true;
}

tl_status tl_module_copy(const tl_module *m, const tl_copy_options *options,
                         tl_module **out_module) {
  copier c = {.from = m, .to = tl_module_create(), .options = *options};
  if (c.to == NULL) return TL_OOM();
  tl_status st = tl_dims_copy(m, c.to) ? TL_OK : TL_OOM();
  c.to->name = tl_str_copy(c.to->arena, m->name);
  if (st == TL_OK) st = tl_copy_meshes(c.to, m);
  for (const tl_func *fn = m->first; fn != NULL && options->calls && st == TL_OK; fn = fn->next)
    if (!find_programs(&c, fn->body)) st = TL_OOM();
  for (const tl_func *fn = m->first; fn != NULL && st == TL_OK; fn = fn->next) {
    if (options->calls && fn->is_private && !tl_ptr_map_get(&c.programs, fn, NULL)) continue;
    if (options->skip != NULL && tl_ptr_map_get(options->skip, fn, NULL)) continue;
    st = copy_func(&c, fn);
  }
  tl_ptr_map_deinit(&c.values);
  tl_ptr_map_deinit(&c.programs);
  if (st == TL_OK)
    *out_module = c.to;
  else
    tl_module_destroy(c.to);
  return st;
}

tl_status tl_module_inline(const tl_module *m, bool calls, tl_module **out_module) {
  return tl_module_copy(m, &(tl_copy_options){.calls = calls, .named = true}, out_module);
}
