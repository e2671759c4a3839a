// One op written small, as text: what the tests of type rules and the op sweep make modules from.
//
//   types     "2x3xf32 i1"
//   attrs     "iota_dimension=1; permutation=1,0; format=q4_0; comparison_direction=LT"
//   regions   "f32 f32 -> 1 | -> c": a region each; argument types, then what it returns: arguments
//             by number, outer operands as o<number>, c for a constant false, d for a constant f32
//
// Attributes of several processes: replica_groups=0,1/2,-1 or @mesh:x,y(1)2; channel_handle=1,0;
// programs=callee,callee/callee,callee; manual_axes=x,y; a sharding of each value, mesh:x+y,-,?p1
// with ~axes (replicated) and ^axes (unreduced) behind it, separated by '/'. Where attributes say
// "mesh" the module has @mesh = <["x"=2, "y"=4]> and @mesh_z = <["z"=2]>.
#ifndef TL_IR_TESTING_H
#define TL_IR_TESTING_H

#include "base/test.h"

#include "ir/build.h"

#include <math.h>

typedef struct op_case {
  const char *label; // the constraint that it breaks; NULL: nothing is wrong
  tl_opcode code;
  const char *operands, *attrs, *results, *regions;
} op_case;

static inline tl_str next_word(tl_str *rest, char end) { // up to `end`, spaces around it dropped
  size_t n = 0;
  while (n < rest->len && rest->ptr[n] != end)
    n++;
  tl_str w = {rest->ptr, n};
  *rest = (tl_str){rest->ptr + n + (n < rest->len), rest->len - n - (n < rest->len)};
  while (w.len != 0 && w.ptr[0] == ' ')
    w.ptr++, w.len--;
  while (w.len != 0 && w.ptr[w.len - 1] == ' ')
    w.len--;
  return w;
}

static inline tl_type read_type(tl_module *m, tl_str w) {
  int64_t dims[TL_MAX_RANK];
  uint32_t rank = 0;
  tl_dtype dtype;
  while (!tl_dtype_of_mlir(w, &dtype))
    assert_true(tl_str_to_i64(next_word(&w, 'x'), &dims[rank++]));
  return tl_type_of(m->arena, dtype, dims, rank);
}

static inline uint32_t read_types(tl_module *m, tl_str text, tl_type *types) {
  uint32_t n = 0;
  while (text.len != 0) {
    tl_str w = next_word(&text, ' ');
    if (w.len != 0) types[n++] = read_type(m, w);
  }
  return n;
}

static inline tl_axis_refs read_axes(tl_module *m, tl_str text,
                                     char between) { // x+y(1)2, - is none
  tl_axis_ref *list = TL_NEW(m->arena, tl_axis_ref, 8);
  uint32_t n = 0;
  while (text.len != 0 && !tl_str_is(text, "-")) {
    tl_str w = next_word(&text, between), name = next_word(&w, '(');
    list[n] = (tl_axis_ref){.name = name};
    if (w.len != 0) {
      assert_true(tl_str_to_i64(next_word(&w, ')'), &list[n].pre));
      assert_true(tl_str_to_i64(w, &list[n].size));
    }
    n++;
  }
  return (tl_axis_refs){list, n};
}

static inline void read_groups(tl_builder *b, tl_op *op, tl_attr_id id, tl_str value) {
  int64_t ids[2100];
  tl_groups g = {0};
  if (value.len != 0 && value.ptr[0] == '@') {
    g.mesh = next_word(&value, ':');
    g.mesh = tl_str_sub(g.mesh, 1, g.mesh.len);
    g.axes = read_axes(b->m, value, ',');
  } else {
    for (size_t at = 0; value.len != 0; g.n++) { // rows of one length
      tl_str row = next_word(&value, '/');
      for (g.size = 0; row.len != 0; g.size++)
        assert_true(tl_str_to_i64(next_word(&row, ','), &ids[at++]));
    }
    int64_t *kept = TL_NEW(b->m->arena, int64_t, (size_t)g.n *g.size + 1);
    for (size_t i = 0; i < (size_t)g.n * g.size; i++)
      kept[i] = ids[i];
    g.ids = kept;
  }
  tl_op_set_groups(b, op, id, &g);
}

static inline void read_shardings(tl_builder *b, tl_op *op, tl_attr_id id, tl_str value) {
  tl_sharding list[8];
  uint32_t n = 0;
  while (value.len != 0) {
    tl_str one = next_word(&value, '/'), unreduced = one, replicated, rest;
    rest = next_word(&unreduced, '^');
    replicated = rest;
    rest = next_word(&replicated, '~');
    tl_dim_sharding *dims = TL_NEW(b->m->arena, tl_dim_sharding, 8);
    list[n] = (tl_sharding){.mesh = next_word(&rest, ':'),
                            .dims = dims,
                            .replicated = read_axes(b->m, replicated, '+'),
                            .unreduced = read_axes(b->m, unreduced, '+')};
    while (rest.len != 0) {
      tl_str dim = next_word(&rest, ',');
      tl_dim_sharding *d = &dims[list[n].rank++];
      *d = (tl_dim_sharding){.priority = -1};
      size_t at = tl_str_find(dim, TL_STR("p"));
      if (at != (size_t)-1) {
        assert_true(tl_str_to_i64(tl_str_sub(dim, at + 1, dim.len), &d->priority));
        dim = tl_str_sub(dim, 0, at);
      }
      if (dim.len != 0 && dim.ptr[dim.len - 1] == '?') d->open = true, dim.len--;
      d->axes = read_axes(b->m, dim, '+');
    }
    n++;
  }
  tl_op_set_shardings(b, op, id, &(tl_shardings){list, n});
}

static inline void read_names(tl_builder *b, tl_op *op, tl_attr_id id, tl_str value) {
  tl_str list[2100];
  tl_names names = {list, 0, 0};
  while (value.len != 0) {
    tl_str row = next_word(&value, '/');
    for (names.n_columns = 0; row.len != 0; names.n_columns++)
      list[names.len++] = next_word(&row, ',');
  }
  tl_op_set_names(b, op, id, &names);
}

static inline void read_attr(tl_builder *b, tl_op *op, tl_str name, tl_str value) {
  const tl_op_info *info = tl_op_get(op->code);
  tl_attr_id id = info->attr_begin;
  while (!tl_str_is(name, tl_attr_get(id)->name)) {
    id++;
    assert_true(id < (tl_attr_id)(info->attr_begin + info->n_attrs));
  }
  int64_t i, list[64];
  double d;
  size_t n = 0;
  tl_attr_kind kind = tl_attr_get(id)->kind;
  if (tl_attr_kind_is_enum(kind)) {
    assert_true(tl_enum_of_name(kind, value, &i));
    tl_op_set_i64(op, id, i);
    return;
  }
  if (kind == TL_AK_PRECISIONS) {
    while (value.len != 0)
      assert_true(tl_enum_of_name(kind, next_word(&value, ','), &list[n++]));
    tl_op_set_list(b, op, id, list, n);
    return;
  }
  switch (tl_attr_kind_held(kind)) {
  case TL_HELD_I64:
    assert_true(tl_str_to_i64(value, &i));
    tl_op_set_i64(op, id, i);
    break;
  case TL_HELD_F64:
    if (tl_str_is(value, "inf"))
      d = HUGE_VAL;
    else
      assert_true(tl_str_to_f64(value, &d));
    tl_op_set_f64(op, id, d);
    break;
  case TL_HELD_STR:
    tl_op_set_str(b, op, id, value);
    break;
  case TL_HELD_LIST:
    while (value.len != 0)
      assert_true(tl_str_to_i64(next_word(&value, ','), &list[n++]));
    tl_op_set_list(b, op, id, list, n);
    break;
  case TL_HELD_DENSE: { // the number of its f32 elements
    assert_true(tl_str_to_i64(value, &i));
    tl_literal *lit = TL_NEW(b->m->arena, tl_literal, 1);
    *lit = (tl_literal){TL_TYPE(b->m->arena, TL_DTYPE_F32, i),
                        TL_NEW(b->m->arena, float, (size_t)i), (size_t)i * 4, false};
    tl_op_set_dense(op, id, lit);
    break;
  }
  case TL_HELD_GROUPS:
    read_groups(b, op, id, value);
    break;
  case TL_HELD_SHARDINGS:
    read_shardings(b, op, id, value);
    break;
  case TL_HELD_NAMES:
    read_names(b, op, id, value);
    break;
  }
}

static inline void read_region(tl_builder *b, tl_op *op, tl_str text) {
  tl_block *block = tl_op_add_region(b, op);
  tl_builder in = tl_builder_at(b, block);
  size_t arrow = tl_str_find(text, TL_STR("->"));
  tl_type types[16];
  uint32_t n = read_types(b->m, tl_str_sub(text, 0, arrow), types), n_values = 0;
  for (uint32_t i = 0; i < n; i++)
    tl_block_arg(&in, block, types[i]);
  tl_str rest = tl_str_sub(text, arrow + 2, text.len);
  tl_value values[16];
  while (rest.len != 0) {
    tl_str w = next_word(&rest, ' ');
    if (w.len == 0) continue;
    if (w.ptr[0] == 'c')
      values[n_values++] = tlo_constant_i64(&in, tl_type_scalar(TL_DTYPE_I1), 0);
    else if (w.ptr[0] == 'd')
      values[n_values++] = tlo_constant_f64(&in, tl_type_scalar(TL_DTYPE_F32), 0);
    else if (w.ptr[0] == 'o')
      values[n_values++] = op->operands[w.ptr[1] - '0'];
    else
      values[n_values++] = block->args[w.ptr[0] - '0'];
  }
  tlo_return(&in, values, n_values);
  tl_builder_join(b, &in);
}

// A module with the beginning of @main, whose op is read up to its finish, and @callee (f32, 2xi1)
// -> 2xi1 where the attributes name it.
typedef struct case_module {
  tl_module *m;
  tl_builder b;
  tl_op *op;
  tl_type types[16];
  uint32_t n_types;
} case_module;

static inline void case_begin(case_module *k, const op_case *c) {
  *k = (case_module){.m = tl_module_create()};
  if (strstr(c->attrs, "callee")) {
    k->b = tl_func_begin(k->m, "callee", true);
    tl_func_arg(&k->b, tl_type_scalar(TL_DTYPE_F32));
    tl_value flag = tl_func_arg(&k->b, TL_TYPE(k->m->arena, TL_DTYPE_I1, 2));
    tlo_return(&k->b, &flag, 1);
    assert_ok(tl_builder_finish(&k->b));
  }
  if (strstr(c->attrs, "mesh")) {
    static const tl_axis xy[] = {{{"x", 1}, 2}, {{"y", 1}, 4}}, z[] = {{{"z", 1}, 2}};
    k->m->meshes =
        tl_mesh_copy(k->m->arena, &(tl_mesh){.name = TL_STR("mesh"), .axes = xy, .n_axes = 2});
    k->m->meshes->next =
        tl_mesh_copy(k->m->arena, &(tl_mesh){.name = TL_STR("mesh_z"), .axes = z, .n_axes = 1});
  }
  k->b = tl_func_begin(k->m, "main", false);
  tl_type types[16];
  tl_value operands[16];
  uint32_t n = read_types(k->m, tl_str_of(c->operands), types);
  for (uint32_t i = 0; i < n; i++)
    operands[i] = tl_func_arg(&k->b, types[i]);
  k->b.loc = (tl_loc){"case", 7, 3, 1};
  k->op = tl_op_begin(&k->b, c->code, operands, n);
  for (tl_str rest = tl_str_of(c->attrs); rest.len != 0;) {
    tl_str value = next_word(&rest, ';'), name = next_word(&value, '=');
    read_attr(&k->b, k->op, name, value);
  }
  for (tl_str rest = tl_str_of(c->regions); rest.len != 0;)
    read_region(&k->b, k->op, next_word(&rest, '|'));
  k->n_types = read_types(k->m, tl_str_of(c->results), k->types);
  assert_ok(k->b.error);
}

// The module whose @main returns the op of "operand types | attributes | result types", the last
// two where they are wanted. The caller's, also when it is refused.
static inline tl_status case_of_line(tl_opcode code, tl_str line, tl_module **out_module) {
  char fields[3][512] = {""};
  for (size_t i = 0; line.len && i < 3; i++) {
    const tl_str field = next_word(&line, '|');
    snprintf(fields[i], sizeof fields[i], TL_STR_FMT, TL_STR_ARG(field));
  }
  case_module k;
  case_begin(&k, &(op_case){.code = code,
                            .operands = fields[0],
                            .attrs = fields[1],
                            .results = fields[2],
                            .regions = ""});
  const tl_op *op = tl_op_finish(&k.b, k.op, k.n_types ? k.types : NULL, k.n_types);
  if (op) tlo_return(&k.b, op->results, op->n_results);
  *out_module = k.m;
  return tl_builder_finish(&k.b);
}

static inline bool block_has(const tl_block *b, tl_opcode code) {
  for (const tl_op *op = b->first; op; op = op->next) {
    if (op->code == code) return true;
    for (uint32_t r = 0; r < op->n_regions; r++)
      if (block_has(op->regions[r], code)) return true;
  }
  return false;
}

static inline bool module_has(const tl_module *m, tl_opcode code) {
  for (const tl_func *fn = m->first; fn; fn = fn->next)
    if (block_has(fn->body, code)) return true;
  return false;
}

#endif
