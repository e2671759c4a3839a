// The builder: the general way to make an op, and the functions, blocks and errors around it. The
// constructors of single ops are in build_core.c and build_named.c.
//
// Lists that grow one at a time (parameters, regions, block arguments) live in the arena and keep
// no capacity: a list is full whenever its length is a power of two, and then moves to one of twice
// the size.
#include "ir/build.h"

#include "ir/dim.h"

#include "ir/op.h"

static bool failed(const tl_builder *b) { return b->error != TL_OK || b->block == NULL; }

void tl_builder_fail(tl_builder *b, tl_status st) {
  if (b->error == TL_OK)
    b->error = st;
  else
    tl_status_drop(st);
}

// Room for one more element after `n` in a list of pointers or structs; NULL when memory is gone.
static void *grown(tl_arena *a, void *list, size_t n, size_t size, size_t align) {
  if ((n & (n - 1)) != 0) return list;
  void *bigger = tl_arena_alloc_array(a, n ? n * 2 : 1, size, align);
  if (bigger != NULL && n != 0) memcpy(bigger, list, n * size);
  return bigger;
}
#define GROWN(a, list, n) grown((a), (list), (n), sizeof *(list), _Alignof(__typeof__(*(list))))

static tl_block *block_new(tl_module *m, tl_func *fn, tl_op *parent) {
  tl_block *block = TL_NEW(m->arena, tl_block, 1);
  if (block != NULL) *block = (tl_block){.parent = parent, .func = fn};
  return block;
}

tl_builder tl_func_begin(tl_module *m, const char *name, bool is_private) {
  tl_builder b = {.m = m};
  tl_str copy = tl_str_copy(m->arena, tl_str_of(name));
  if (copy.ptr != NULL && tl_module_find(m, copy) != NULL) {
    b.error = TL_ERROR(ALREADY_EXISTS, "function @%s is defined twice", name);
    return b;
  }
  tl_func *fn = TL_NEW(m->arena, tl_func, 1);
  tl_block *body = fn == NULL ? NULL : block_new(m, fn, NULL);
  if (copy.ptr == NULL || body == NULL) {
    b.error = TL_OOM();
    return b;
  }
  *fn = (tl_func){.name = copy, .is_private = is_private, .body = body};
  tl_module_add(m, fn);
  b.fn = fn;
  b.block = body;
  return b;
}

static const char *type_problem(const tl_module *m, tl_type t) {
  if (t.rank > TL_MAX_RANK) return "has too many dims";
  if (t.rank > 0 && t.dims == NULL) return "has no dims";
  for (uint32_t i = 0; i < t.rank; i++)
    if (tl_dim_is_named(t.dims[i]) && !tl_type_is_sound(m, t))
      return "has a dim that is no symbol of the module";
  return tl_type_is_sound(m, t) ? NULL : "needs more bytes than memory can hold";
}

tl_value tl_block_arg(tl_builder *b, tl_block *block, tl_type type) {
  if (failed(b) || block == NULL) return NULL;
  const char *problem = type_problem(b->m, type);
  if (problem != NULL) {
    tl_builder_fail(b,
                    TL_ERROR(INVALID_ARGUMENT, "argument %u: its type %s", block->n_args, problem));
    return NULL;
  }
  tl_arena *a = b->m->arena;
  tl_value *args = GROWN(a, block->args, block->n_args);
  tl_arg_def *arg = TL_NEW(a, tl_arg_def, 1);
  if (args == NULL || arg == NULL) {
    tl_builder_fail(b, TL_OOM());
    return NULL;
  }
  tl_func *fn = block->func;
  arg->loc = b->loc;
  tl_value v = &arg->value;
  *v = (tl_value_def){.type = type, .block = block, .index = block->n_args, .scratch = b->scratch};
  if (!v->scratch) v->id = fn->next_id++;
  block->args = args;
  block->args[block->n_args++] = v;
  return v;
}

tl_value tl_func_arg(tl_builder *b, tl_type type) {
  if (failed(b)) return NULL;
  tl_func *fn = b->fn;
  uint32_t n = fn->body->n_args;
  tl_arg_info *args = GROWN(b->m->arena, fn->args, n);
  if (args == NULL) {
    tl_builder_fail(b, TL_OOM());
    return NULL;
  }
  args[n] = (tl_arg_info){.alias_output = -1};
  fn->args = args;
  return tl_block_arg(b, fn->body, type);
}

tl_arg_info *tl_func_arg_info(tl_func *fn, uint32_t index) {
  TL_ASSERT(index < fn->body->n_args);
  return &fn->args[index];
}

tl_op *tl_op_begin(tl_builder *b, tl_opcode code, const tl_value *operands, uint32_t n) {
  if (failed(b)) return NULL;
  const tl_op_info *info = tl_op_get(code);
  for (uint32_t i = 0; i < n; i++)
    if (operands[i] == NULL) {
      tl_builder_fail(b, TL_ERROR(INTERNAL, "%s: operand %u is missing", info->mnemonic, i));
      return NULL;
    }
  tl_arena *a = b->m->arena;
  // The op, its attributes and its operands lie together, as they are read.
  const size_t fixed = sizeof(tl_op) + info->n_attrs * sizeof(tl_attr);
  tl_op *op = n > (SIZE_MAX - fixed) / sizeof *operands
                  ? NULL
                  : tl_arena_alloc(a, fixed + n * sizeof *operands, _Alignof(tl_op));
  if (op == NULL) {
    tl_builder_fail(b, TL_OOM());
    return NULL;
  }
  tl_attr *attrs = info->n_attrs == 0 ? NULL : (tl_attr *)(void *)(op + 1);
  tl_value *copy = n == 0 ? NULL : (tl_value *)(void *)((char *)op + fixed);
  if (n != 0) memcpy(copy, operands, n * sizeof *operands);
  if (attrs != NULL) tl_attrs_default(code, attrs);
  *op = (tl_op){.code = code,
                .n_operands = n,
                .operands = copy,
                .attrs = attrs,
                .block = b->block,
                .loc = b->loc};
  return op;
}

static tl_attr *attr_of(tl_op *op, tl_attr_id id) {
  TL_ASSERT(tl_attr_get(id)->op == op->code);
  tl_attr *attr = &op->attrs[id - tl_op_get(op->code)->attr_begin];
  attr->set = true;
  return attr;
}

void tl_op_set_i64(tl_op *op, tl_attr_id id, int64_t value) {
  if (op != NULL) attr_of(op, id)->i64 = value;
}

void tl_op_set_f64(tl_op *op, tl_attr_id id, double value) {
  if (op != NULL) attr_of(op, id)->f64 = value;
}

void tl_op_set_str(tl_builder *b, tl_op *op, tl_attr_id id, tl_str value) {
  if (op == NULL || failed(b)) return;
  tl_str copy = tl_str_copy(b->m->arena, value);
  if (copy.ptr == NULL)
    tl_builder_fail(b, TL_OOM());
  else
    attr_of(op, id)->str = copy;
}

void tl_op_set_list(tl_builder *b, tl_op *op, tl_attr_id id, const int64_t *values, size_t n) {
  if (op == NULL || failed(b)) return;
  int64_t *copy = n == 0 ? NULL : TL_NEW(b->m->arena, int64_t, n);
  if (n != 0 && copy == NULL) {
    tl_builder_fail(b, TL_OOM());
    return;
  }
  if (n != 0) memcpy(copy, values, n * sizeof *values);
  attr_of(op, id)->list = (tl_i64s){copy, n};
}

void tl_op_set_dense(tl_op *op, tl_attr_id id, const tl_literal *value) {
  if (op != NULL) attr_of(op, id)->dense = value;
}

void tl_op_set_groups(tl_builder *b, tl_op *op, tl_attr_id id, const tl_groups *groups) {
  if (op == NULL || failed(b)) return;
  const tl_groups *copy = tl_groups_copy(b->m->arena, groups);
  if (copy == NULL && groups != NULL) tl_builder_fail(b, TL_OOM());
  attr_of(op, id)->groups = copy;
}

void tl_op_set_shardings(tl_builder *b, tl_op *op, tl_attr_id id, const tl_shardings *shardings) {
  if (op == NULL || failed(b)) return;
  const tl_shardings *copy = tl_shardings_copy(b->m->arena, shardings);
  if (copy == NULL && shardings != NULL) tl_builder_fail(b, TL_OOM());
  attr_of(op, id)->shardings = copy;
}

void tl_op_set_names(tl_builder *b, tl_op *op, tl_attr_id id, const tl_names *names) {
  if (op == NULL || failed(b)) return;
  const tl_names *copy = tl_names_copy(b->m->arena, names);
  if (copy == NULL && names != NULL) tl_builder_fail(b, TL_OOM());
  attr_of(op, id)->names = copy;
}

tl_block *tl_op_add_region(tl_builder *b, tl_op *op) {
  if (failed(b) || op == NULL) return NULL;
  tl_block **regions = GROWN(b->m->arena, op->regions, op->n_regions);
  tl_block *block = block_new(b->m, b->fn, op);
  if (regions == NULL || block == NULL) {
    tl_builder_fail(b, TL_OOM());
    return NULL;
  }
  op->regions = regions;
  op->regions[op->n_regions++] = block;
  return block;
}

// The results of an op whose types are known; false when memory is gone.
static bool results_make(tl_builder *b, tl_op *op, const tl_type *types, uint32_t n) {
  if (n == 0) return true;
  tl_value_def *defs = tl_arena_alloc_array(b->m->arena, n, sizeof *defs + sizeof *op->results,
                                            _Alignof(tl_value_def)); // the list lies behind them
  if (defs == NULL) return false;
  op->results = (tl_value *)(void *)(defs + n);
  uint32_t id = b->scratch ? 0 : b->fn->next_id++;
  for (uint32_t i = 0; i < n; i++) {
    defs[i] = (tl_value_def){.type = types[i],
                             .op = op,
                             .block = op->block,
                             .index = i,
                             .id = id,
                             .scratch = b->scratch};
    op->results[i] = &defs[i];
  }
  op->n_results = n;
  return true;
}

tl_op *tl_op_finish(tl_builder *b, tl_op *op, const tl_type *types, uint32_t n_types) {
  if (failed(b) || op == NULL) return NULL;
  if (b->block->last != NULL && (tl_op_get(b->block->last->code)->traits & TL_TERM) != 0) {
    tl_builder_fail(b, TL_ERROR(INTERNAL, "%s: comes after the end of its block",
                                tl_op_get(op->code)->mnemonic));
    return NULL;
  }
  enum { FEW = 4 };
  tl_type few[FEW];
  const tl_type *inferred;
  uint32_t n;
  tl_status st =
      tl_op_infer_into(b->m->arena, b->m, op, types, n_types, false, few, FEW, &inferred, &n);
  if (st == TL_OK && !results_make(b, op, inferred, n)) st = TL_OOM();
  if (st != TL_OK) {
    tl_builder_fail(b, st);
    return NULL;
  }
  op->block = b->block;
  op->prev = b->block->last;
  if (op->prev != NULL)
    op->prev->next = op;
  else
    b->block->first = op;
  b->block->last = op;
  return op;
}

tl_builder tl_builder_at(const tl_builder *outer, tl_block *block) {
  tl_builder b = *outer;
  b.error = TL_OK;
  b.block = outer->error != TL_OK ? NULL : block; // no block: every call is a no-op
  return b;
}

void tl_builder_join(tl_builder *outer, tl_builder *inner) {
  if (inner->error != TL_OK) tl_builder_fail(outer, inner->error);
  inner->error = TL_OK;
}

void tlo_return(tl_builder *b, const tl_value *values, uint32_t n) {
  tl_op *op = tl_op_finish(b, tl_op_begin(b, TL_OP_RETURN, values, n), NULL, 0);
  if (op == NULL || b->block != b->fn->body) return;
  tl_func *fn = b->fn;
  fn->result_types = n == 0 ? NULL : TL_NEW(b->m->arena, tl_type, n);
  if (n != 0 && fn->result_types == NULL) {
    tl_builder_fail(b, TL_OOM());
    return;
  }
  for (uint32_t i = 0; i < n; i++)
    fn->result_types[i] = values[i]->type;
  fn->n_results = n;
}

tl_status tl_builder_finish(tl_builder *b) {
  tl_status st = b->error;
  if (st == TL_OK &&
      (b->block == NULL || b->block->last == NULL || b->block->last->code != TL_OP_RETURN))
    st = TL_ERROR(INTERNAL, "function @" TL_STR_FMT " has no return",
                  TL_STR_ARG(b->fn ? b->fn->name : TL_STR("?")));
  *b = (tl_builder){0};
  return st;
}
