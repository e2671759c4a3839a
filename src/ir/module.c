// Modules and functions, and when two functions are the same.
//
// Equality walks both functions in step. Two values correspond when they were defined at the same
// step, so the walk keeps one map from a's values to b's; ids, names and locations play no part. A
// call compares its callees: the pair is noted as equal before its bodies are walked, so that
// shared callees are walked once and a recursion ends.
#include "ir/ir.h"

#include "ir/dim.h"
#include "ir/ptr_map.h"

tl_module *tl_module_create(void) {
  tl_arena *arena = tl_arena_create();
  if (arena == NULL) return NULL;
  tl_module *m = TL_NEW(arena, tl_module, 1);
  if (m == NULL) {
    tl_arena_destroy(arena);
    return NULL;
  }
  m->arena = arena;
  return m;
}

void tl_module_destroy(tl_module *m) {
  if (m == NULL) return;
  tl_map_deinit(&m->by_name);
  tl_arena_destroy(m->arena); // and the module, which lies in it
}

// A table that memory was too short for has fewer names than there are functions, and is not asked.
void tl_module_add(tl_module *m, tl_func *fn) {
  fn->module = m;
  if (m->last != NULL)
    m->last->next = fn;
  else
    m->first = fn;
  m->last = fn;
  m->n_funcs++;
  if (!tl_map_get(&m->by_name, fn->name, NULL))
    (void)tl_map_put(&m->by_name, fn->name, (uintptr_t)fn);
}

void tl_module_drop(tl_module *m, bool (*drop)(const tl_func *fn, void *arg), void *arg) {
  m->last = NULL;
  for (tl_func **link = &m->first; *link != NULL;) {
    tl_func *fn = *link;
    if (drop(fn, arg)) {
      *link = fn->next;
      m->n_funcs--;
      tl_map_remove(&m->by_name, fn->name);
    } else {
      m->last = fn;
      link = &fn->next;
    }
  }
}

tl_func *tl_module_find(const tl_module *m, tl_str name) {
  uint64_t at;
  if (m->by_name.len == m->n_funcs)
    return tl_map_get(&m->by_name, name, &at) ? (tl_func *)(uintptr_t)at : NULL;
  for (tl_func *f = m->first; f != NULL; f = f->next)
    if (tl_str_eq(f->name, name)) return f;
  return NULL;
}

typedef struct comparison {
  const tl_module *of_a, *of_b;
  tl_ptr_map values; // value of a -> value of b
  tl_ptr_map funcs;  // function of a -> function of b
  uint32_t depth;    // of regions and calls
} comparison;

enum { MAX_DEPTH = 256 };

static bool funcs_eq(comparison *c, const tl_func *a, const tl_func *b);

// Names of dims have numbers of their own in each module; equal ones have equal texts.
static bool types_eq(const comparison *c, tl_type a, tl_type b) {
  if (a.dtype != b.dtype || a.rank != b.rank) return false;
  for (uint32_t i = 0; i < a.rank; i++) {
    if (c->of_a != c->of_b && tl_dim_is_named(a.dims[i]) && tl_dim_is_named(b.dims[i])) {
      if (!tl_str_eq(tl_dim_text(c->of_a, a.dims[i]), tl_dim_text(c->of_b, b.dims[i])))
        return false;
    } else if (a.dims[i] != b.dims[i]) {
      return false;
    }
  }
  return true;
}

static bool values_eq(comparison *c, const tl_value *a, const tl_value *b, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (!types_eq(c, a[i]->type, b[i]->type) || !tl_ptr_map_put(&c->values, a[i], (uintptr_t)b[i]))
      return false;
  return true;
}

static bool blocks_eq(comparison *c, const tl_block *a, const tl_block *b);

static bool callees_eq(comparison *c, const tl_op *a, tl_str in_a, const tl_op *b, tl_str in_b) {
  const tl_func *fa = tl_module_find(a->block->func->module, in_a);
  const tl_func *fb = tl_module_find(b->block->func->module, in_b);
  if (fa == NULL || fb == NULL) return fa == fb && tl_str_eq(in_a, in_b);
  return funcs_eq(c, fa, fb);
}

static bool ops_eq(comparison *c, const tl_op *a, const tl_op *b) {
  if (a->code != b->code || a->n_operands != b->n_operands || a->n_results != b->n_results ||
      a->n_regions != b->n_regions)
    return false;
  for (uint32_t i = 0; i < a->n_operands; i++)
    if (tl_ptr_map_find(&c->values, a->operands[i]) != b->operands[i]) return false;
  const tl_op_info *info = tl_op_get(a->code);
  for (uint32_t i = 0; i < info->n_attrs; i++) {
    tl_attr_kind kind = tl_attr_get((tl_attr_id)(info->attr_begin + i))->kind;
    if (kind == TL_AK_SYMBOL ? !callees_eq(c, a, a->attrs[i].str, b, b->attrs[i].str)
                             : !tl_attr_eq(kind, &a->attrs[i], &b->attrs[i]))
      return false;
  }
  for (uint32_t i = 0; i < a->n_regions; i++)
    if (!blocks_eq(c, a->regions[i], b->regions[i])) return false;
  return values_eq(c, a->results, b->results, a->n_results);
}

static bool blocks_eq(comparison *c, const tl_block *a, const tl_block *b) {
  if (c->depth == MAX_DEPTH || a->n_args != b->n_args || !values_eq(c, a->args, b->args, a->n_args))
    return false;
  c->depth++;
  const tl_op *x = a->first, *y = b->first;
  while (x != NULL && y != NULL && ops_eq(c, x, y))
    x = x->next, y = y->next;
  c->depth--;
  return x == NULL && y == NULL;
}

static bool funcs_eq(comparison *c, const tl_func *a, const tl_func *b) {
  const void *known = tl_ptr_map_find(&c->funcs, a);
  if (known != NULL) return known == b;
  if (!tl_ptr_map_put(&c->funcs, a, (uintptr_t)b)) return false;
  for (uint32_t i = 0; i < a->body->n_args && i < b->body->n_args; i++)
    if (a->args[i].alias_output != b->args[i].alias_output || a->args[i].donor != b->args[i].donor)
      return false;
  return blocks_eq(c, a->body, b->body);
}

bool tl_func_eq(const tl_func *a, const tl_func *b) {
  comparison c = {.of_a = a->module, .of_b = b->module};
  bool eq = funcs_eq(&c, a, b);
  tl_ptr_map_deinit(&c.values);
  tl_ptr_map_deinit(&c.funcs);
  return eq;
}
