// The IR as StableHLO text.
//
// The layout is fixed to the byte, because bodies are named by the digest of their text: an op a
// line, two spaces of indentation a level, `%<id>` for values in the IR's own numbers and `%s<k>`
// for those of inlined decompositions, which are numbered here, behind the function's largest id,
// in the order of printing. Gather and scatter keep the quoted form, a scatter's region stands at
// columns 6, 8 and 6. What is not printed takes no number: the region behind `reduce … applies
// stablehlo.add`, and the arguments of a while's body, which share the names of its condition's.
//
// A named op becomes a composite. Its decomposition comes from the one place that makes
// decompositions, into a module of its own, and is printed as a private function behind the
// module's functions; ops with equal attributes and types share it.
//
// Each op's form is the `syntax` column of ops.def: print_syntax.c and, quoted, print_generic.c.
#include "shlo/printer.h"

#include <inttypes.h>

#include "ir/decompose.h"
#include "ir/dim.h"

static void fail(printer *p, tl_status st) {
  if (p->error == TL_OK)
    p->error = st;
  else
    tl_status_drop(st);
}

void printer_put(printer *p, const char *text) { tl_buf_cstr(p->out, text); }

void printer_spaces(printer *p, uint32_t n) {
  for (; n > 0; n--)
    tl_buf_char(p->out, ' ');
}

// Names.

// `applies`, which StableHLO has for ops that commute: two scalars in, one op over them in this
// order, its result out.
const tl_op *printer_applied_op(const tl_op *reduce) {
  if (reduce->n_regions != 1 || reduce->n_results != 1) return NULL;
  const tl_block *block = reduce->regions[0];
  const tl_op *op = block->first;
  if (block->n_args != 2 || op == NULL || op->next == NULL || op->next != block->last) return NULL;
  const tl_op_info *info = tl_op_get(op->code);
  bool plain = (info->traits & TL_COMMUTES) != 0 && info->n_in == 2 && info->n_attrs == 0 &&
               op->n_results == 1;
  if (!plain || op->operands[0] != block->args[0] || op->operands[1] != block->args[1]) return NULL;
  const tl_op *last = block->last;
  return last->code == TL_OP_RETURN && last->n_operands == 1 && last->operands[0] == op->results[0]
             ? op
             : NULL;
}

static bool region_is_hidden(const tl_op *op) {
  return op->code == TL_OP_REDUCE && printer_applied_op(op) != NULL;
}
static bool args_are_shared(const tl_op *op, uint32_t region) {
  return op->code == TL_OP_WHILE && region == 1;
}

static void name_as(printer *p, tl_value v, uint64_t name) {
  if (!tl_ptr_map_put(&p->names, v, (uintptr_t)name)) fail(p, TL_OOM());
}

static uint64_t name_of(const printer *p, tl_value v) {
  uintptr_t name;
  if ((v->scratch || v->op == NULL) && tl_ptr_map_get(&p->names, v, &name)) return name;
  return (uint64_t)v->id * 2;
}

// The largest printed id, plus one, in *next.
static void largest_id(const tl_block *block, bool skip_args, uint64_t *next) {
  for (uint32_t i = 0; i < block->n_args && !skip_args; i++)
    if (!block->args[i]->scratch) *next = TL_MAX(*next, (uint64_t)block->args[i]->id + 1);
  for (const tl_op *op = block->first; op != NULL; op = op->next) {
    if (op->n_results > 0 && !op->results[0]->scratch)
      *next = TL_MAX(*next, (uint64_t)op->results[0]->id + 1);
    for (uint32_t i = 0; i < op->n_regions && !region_is_hidden(op); i++)
      largest_id(op->regions[i], args_are_shared(op, i), next);
  }
}

static void name_scratch(printer *p, const tl_block *block, bool skip_args, uint64_t *next) {
  for (uint32_t i = 0; i < block->n_args && !skip_args; i++)
    if (block->args[i]->scratch) name_as(p, block->args[i], (*next)++ * 2 + 1);
  for (const tl_op *op = block->first; op != NULL; op = op->next) {
    if (op->n_results > 0 && op->results[0]->scratch) {
      for (uint32_t i = 0; i < op->n_results; i++)
        name_as(p, op->results[i], *next * 2 + 1);
      ++*next;
    }
    for (uint32_t i = 0; i < op->n_regions && !region_is_hidden(op); i++) {
      name_scratch(p, op->regions[i], args_are_shared(op, i), next);
      if (args_are_shared(op, i))
        for (uint32_t k = 0; k < op->regions[1]->n_args; k++)
          name_as(p, op->regions[1]->args[k], name_of(p, op->regions[0]->args[k]));
    }
  }
}

static void put_name(printer *p, tl_value v) {
  uint64_t name = name_of(p, v);
  printer_put(p, (name & 1) != 0 ? "%s" : "%");
  tl_spell_i64(p->out, (int64_t)(name / 2));
}

void printer_value(printer *p, tl_value v) {
  put_name(p, v);
  if (v->op == NULL || v->op->n_results == 1) return;
  tl_buf_char(p->out, '#');
  tl_spell_i64(p->out, v->index);
}

void printer_values(printer *p, const tl_value *values, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (i > 0) printer_put(p, ", ");
    printer_value(p, values[i]);
  }
}

// Types.

void printer_type(printer *p, tl_type t) { tl_type_print(p->out, t); }

void printer_types(printer *p, const tl_value *values, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (i > 0) printer_put(p, ", ");
    printer_type(p, values[i]->type);
  }
}

void printer_function_type(printer *p, const tl_op *op) { // (T, T) -> T
  printer_put(p, "(");
  printer_types(p, op->operands, op->n_operands);
  printer_put(p, op->n_results == 1 ? ") -> " : ") -> (");
  printer_types(p, op->results, op->n_results);
  if (op->n_results != 1) printer_put(p, ")");
}

// ["n", "2*n"]: a name for each `?`.
static void put_dim_names(printer *p, const tl_type *types, uint32_t n) {
  const char *before = "tlaloc.dims = [";
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t d = 0; d < types[i].rank; d++) {
      if (types[i].dims[d] >= 0) continue;
      tl_buf_printf(p->out, "%s\"" TL_STR_FMT "\"", before,
                    TL_STR_ARG(tl_dim_text(p->fn->module, types[i].dims[d])));
      before = ", ";
    }
  printer_put(p, "]");
}

static bool has_named(tl_type t) {
  for (uint32_t i = 0; i < t.rank; i++)
    if (tl_dim_is_named(t.dims[i])) return true;
  return false;
}

// Names of the result's dims, of ops whose operands do not decide them. `open`: in a dict that is
// open already.
void printer_result_dims(printer *p, const tl_op *op, bool open) {
  bool named = false;
  for (uint32_t i = 0; i < op->n_results; i++)
    named |= has_named(op->results[i]->type);
  if (!named) return;
  tl_type types[8];
  if (op->n_results > TL_COUNT(types)) { // a call; more results than any other has
    fail(p, TL_ERROR(UNIMPLEMENTED, "%s: more than %zu results with dims that are symbols",
                     tl_op_get(op->code)->mnemonic, TL_COUNT(types)));
    return;
  }
  for (uint32_t i = 0; i < op->n_results; i++)
    types[i] = op->results[i]->type;
  printer_put(p, open ? ", " : " {");
  put_dim_names(p, types, op->n_results);
  if (!open) printer_put(p, "}");
}

void printer_list(printer *p, const char *before, tl_i64s list) {
  printer_put(p, before);
  tl_spell_list(p->out, list, "[", "]");
}

// An attribute that its reader would fill in by itself.
bool printer_attr_is_default(const tl_op *op, tl_attr_id id) {
  tl_attr defaults[64];
  const tl_op_info *info = tl_op_get(op->code);
  TL_ASSERT(info->n_attrs <= TL_COUNT(defaults));
  tl_attrs_default(op->code, defaults);
  const tl_attr_info *row = tl_attr_get(id);
  return !row->required &&
         tl_attr_eq(row->kind, tl_op_attr(op, id), &defaults[id - info->attr_begin]);
}

void printer_block_args(printer *p, const tl_block *block) { // %0: T, %1: T
  for (uint32_t i = 0; i < block->n_args; i++) {
    if (i > 0) printer_put(p, ", ");
    printer_value(p, block->args[i]);
    printer_put(p, ": ");
    printer_type(p, block->args[i]->type);
  }
}

// {eps = 1.000000e-05 : f64}, without those at their defaults; false when none is left.
static bool spell_named_attrs(tl_buf *out, const tl_op *op) {
  const tl_op_info *info = tl_op_get(op->code);
  bool any = false;
  for (uint32_t i = 0; i < info->n_attrs; i++) {
    tl_attr_id id = (tl_attr_id)(info->attr_begin + i);
    const tl_attr_info *row = tl_attr_get(id);
    if (printer_attr_is_default(op, id)) continue;
    tl_buf_printf(out, "%s%s = ", any ? ", " : "{", row->name);
    any = true;
    switch (row->kind) {
    case TL_AK_I64:
      tl_spell_i64(out, op->attrs[i].i64);
      tl_buf_cstr(out, " : i64");
      break;
    case TL_AK_F64:
      tl_spell_f64_attr(out, op->attrs[i].f64);
      tl_buf_cstr(out, " : f64");
      break;
    case TL_AK_BOOL:
      tl_buf_cstr(out, op->attrs[i].i64 ? "true" : "false");
      break;
    case TL_AK_STR:
      tl_spell_string(out, op->attrs[i].str);
      break;
    case TL_AK_I64S:
      tl_spell_list(out, op->attrs[i].list, op->attrs[i].list.len > 0 ? "array<i64: " : "array<i64",
                    ">");
      break;
    case TL_AK_PAIRS:
      tl_spell_pairs_dense(out, op->attrs[i].list);
      break;
    case TL_AK_BOOLS:
      tl_spell_bools(out, op->attrs[i].list);
      break;
    case TL_AK_PRECISIONS:
      for (size_t k = 0; k < op->attrs[i].list.len; k++)
        tl_buf_printf(out, "%s#stablehlo<precision %s>", k == 0 ? "[" : ", ",
                      tl_enum_name(TL_AK_PRECISIONS, op->attrs[i].list.ptr[k]));
      tl_buf_char(out, ']');
      break;
    default:
      TL_ASSERT(!"a named op has no attribute of this kind");
    }
  }
  if (any) tl_buf_char(out, '}');
  return any;
}

// The decomposition of a named op, made on its first use.
static tl_func *body_of(printer *p, const tl_op *op) {
  const char *mnemonic = tl_op_get(op->code)->mnemonic;
  if (p->bodies == NULL &&
      ((p->bodies = tl_module_create()) == NULL || !tl_dims_copy(p->m, p->bodies)))
    goto oom;
  tl_buf key = {0};
  tl_buf_cstr(&key, mnemonic);
  spell_named_attrs(&key, op);
  for (uint32_t i = 0; i < op->n_operands; i++)
    tl_type_print_named(&key, p->m, op->operands[i]->type);
  for (uint32_t i = 0; i < op->n_results; i++)
    tl_type_print_named(&key, p->m, op->results[i]->type);
  uint64_t found;
  if (!key.oom && tl_map_get(&p->body_of, tl_buf_view(&key), &found)) {
    tl_buf_deinit(&key);
    return (tl_func *)(uintptr_t)found;
  }
  tl_str kept = tl_str_copy(p->bodies->arena, tl_buf_view(&key));
  bool key_oom = key.oom;
  tl_buf_deinit(&key);
  const char *name;
  do {
    name = tl_arena_printf(p->bodies->arena, "tlaloc.%s.%u", mnemonic, p->n_bodies[op->code]++);
    if (key_oom || kept.ptr == NULL || name == NULL) goto oom;
  } while (tl_module_find(p->m, tl_str_of(name)) != NULL);
  tl_func *fn = NULL;
  tl_status st = tl_decompose_func(p->bodies, op, name, &fn);
  if (st != TL_OK) {
    fail(p, tl_status_note(st, "while printing tlaloc.%s", mnemonic));
    return NULL;
  }
  if (!tl_map_put(&p->body_of, kept, (uintptr_t)fn)) goto oom;
  return fn;
oom:
  fail(p, TL_OOM());
  return NULL;
}

static void put_rule(printer *p, const char *word, tl_str name) {
  if (name.len == 0) return;
  tl_buf_printf(p->out, ", %s = ", word);
  tl_spell_symbol(p->out, name);
}

void print_composite(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  bool named = op->code != TL_OP_COMPOSITE;
  tl_str symbol;
  int64_t version = 1;
  if (named) {
    const tl_func *body = body_of(p, op);
    if (body == NULL) return;
    symbol = body->name;
    tl_buf_printf(p->out, " \"tlaloc.%s\"", tl_op_get(op->code)->mnemonic);
  } else {
    symbol = tl_op_str(op, TL_A_COMPOSITE_decomposition);
    version = tl_op_i64(op, TL_A_COMPOSITE_version);
    printer_put(p, " ");
    tl_spell_string(p->out, tl_op_str(op, TL_A_COMPOSITE_name));
  }
  if (op->n_operands > 0) printer_put(p, " ");
  printer_values(p, op->operands, op->n_operands);
  printer_put(p, " {");
  if (named) {
    tl_buf attrs = {0};
    if (spell_named_attrs(&attrs, op)) {
      printer_put(p, "composite_attributes = ");
      tl_buf_str(p->out, tl_buf_view(&attrs));
      printer_put(p, ", ");
    }
    if (attrs.oom) fail(p, TL_OOM());
    tl_buf_deinit(&attrs);
  } else if (tl_op_str(op, TL_A_COMPOSITE_composite_attributes).len > 0) {
    printer_put(p, "composite_attributes = ");
    tl_buf_str(p->out, tl_op_str(op, TL_A_COMPOSITE_composite_attributes));
    printer_put(p, ", ");
  }
  printer_put(p, "decomposition = ");
  tl_spell_symbol(p->out, symbol);
  if (!named) put_rule(p, "jvp", tl_op_str(op, TL_A_COMPOSITE_jvp));
  printer_result_dims(p, op, true);
  if (version != 0) tl_buf_printf(p->out, ", version = %" PRId64 " : i32", version);
  if (!named) put_rule(p, "vjp", tl_op_str(op, TL_A_COMPOSITE_vjp));
  printer_put(p, "} : ");
  printer_function_type(p, op);
}

static const put_fn put_syntax[TL_OP_COUNT] = {
#define TL_OP(id, mnemonic, in, out, regions, traits, rule, syntax) [TL_OP_##id] = print_##syntax,
#include "ir/ops.def"
#undef TL_OP
};

static bool is_in_manual(const tl_op *op) {
  const tl_op *parent = op->block->parent;
  return parent != NULL && parent->code == TL_OP_MANUAL_COMPUTATION;
}

static void put_op(printer *p, const tl_op *op, uint32_t indent) {
  printer_spaces(p, indent);
  if (op->n_results > 0) {
    put_name(p, op->results[0]);
    if (op->n_results > 1) {
      tl_buf_char(p->out, ':');
      tl_spell_i64(p->out, op->n_results);
    }
    printer_put(p, " = ");
  }
  put_fn syntax = put_syntax[op->code];
  if (syntax == print_composite)
    printer_put(p, "stablehlo.composite");
  else if (syntax == print_call)
    printer_put(p, indent == p->base ? "call" : "func.call");
  else if (syntax == print_return)
    printer_put(p, indent == p->base  ? "return"
                   : is_in_manual(op) ? "sdy.return"
                                      : "stablehlo.return");
  else {
    const char *mnemonic = tl_op_get(op->code)->mnemonic,
               *dialect = strchr(mnemonic, '.') == NULL ? "stablehlo." : "",
               *quote = syntax == print_generic ? "\"" : "";
    tl_buf_printf(p->out, "%s%s%s%s", quote, dialect, mnemonic, quote);
  }
  syntax(p, op, indent);
  tl_buf_char(p->out, '\n');
}

void printer_block(printer *p, const tl_block *block, uint32_t indent) {
  for (const tl_op *op = block->first; op != NULL && p->error == TL_OK; op = op->next)
    put_op(p, op, indent);
}

static void put_func(printer *p, const tl_func *fn) {
  p->fn = fn;
  uint64_t next = 0;
  tl_ptr_map_deinit(&p->names);
  p->names = (tl_ptr_map){0};
  largest_id(fn->body, false, &next);
  name_scratch(p, fn->body, false, &next);

  printer_spaces(p, p->base - 2);
  printer_put(p, fn->is_private ? "func.func private " : "func.func ");
  tl_spell_symbol(p->out, fn->name);
  printer_put(p, "(");
  for (uint32_t i = 0; i < fn->body->n_args; i++) {
    const tl_arg_info *arg = &fn->args[i];
    if (i > 0) printer_put(p, ", ");
    printer_value(p, fn->body->args[i]);
    printer_put(p, ": ");
    printer_type(p, fn->body->args[i]->type);
    bool alias = arg->alias_output >= 0 && !p->options.no_alias;
    const bool named = has_named(fn->body->args[i]->type);
    if (!alias && !arg->donor && !named && arg->sharding == NULL) continue;
    const char *before = " {";
    if (arg->donor) {
      tl_buf_printf(p->out, "%sjax.buffer_donor = true", before);
      before = ", ";
    }
    if (arg->sharding != NULL) {
      tl_buf_printf(p->out, "%ssdy.sharding = #sdy.sharding", before);
      tl_spell_sharding(p->out, arg->sharding);
      before = ", ";
    }
    if (alias) {
      tl_buf_printf(p->out, "%stf.aliasing_output = %" PRId32 " : i32", before, arg->alias_output);
      before = ", ";
    }
    if (named) {
      printer_put(p, before);
      put_dim_names(p, &fn->body->args[i]->type, 1);
    }
    printer_put(p, "}");
  }
  printer_put(p, ")");
  const bool parens = fn->n_results > 1 || (fn->n_results == 1 && fn->result_shardings != NULL);
  if (fn->n_results > 0) printer_put(p, parens ? " -> (" : " -> ");
  for (uint32_t i = 0; i < fn->n_results; i++) {
    if (i > 0) printer_put(p, ", ");
    printer_type(p, fn->result_types[i]);
    if (fn->result_shardings == NULL || fn->result_shardings[i] == NULL) continue;
    printer_put(p, " {sdy.sharding = #sdy.sharding");
    tl_spell_sharding(p->out, fn->result_shardings[i]);
    printer_put(p, "}");
  }
  printer_put(p, parens ? ") {\n" : " {\n");
  printer_block(p, fn->body, p->base);
  printer_spaces(p, p->base - 2);
  printer_put(p, "}\n");
}

// attributes {tlaloc.symbols = {m, n = 16 : i64}}, by name.
static void put_symbols(printer *p) {
  const tl_symbol *symbols, *last = NULL;
  const uint32_t n = tl_dim_symbols(p->m, &symbols);
  for (uint32_t k = 0; k < n; k++) {
    const tl_symbol *next = NULL;
    for (uint32_t i = 0; i < n; i++)
      if ((last == NULL || tl_str_compare(symbols[i].name, last->name) > 0) &&
          (next == NULL || tl_str_compare(symbols[i].name, next->name) < 0))
        next = &symbols[i];
    if (next == NULL) break;
    tl_buf_printf(p->out, "%s" TL_STR_FMT, k == 0 ? "attributes {tlaloc.symbols = {" : ", ",
                  TL_STR_ARG(next->name));
    if (next->bound >= 0) tl_buf_printf(p->out, " = %" PRId64 " : i64", next->bound);
    last = next;
  }
  if (n > 0) printer_put(p, "}} ");
}

tl_status tl_shlo_print(const tl_module *m, const tl_shlo_print_options *options, tl_buf *out) {
  printer p = {.m = m, .out = out};
  if (options != NULL) p.options = *options;
  p.base = p.options.no_wrapper ? 2 : 4;
  const tl_symbol *symbols;
  if (p.options.no_wrapper && tl_dim_symbols(m, &symbols) > 0)
    return TL_ERROR(UNIMPLEMENTED,
                    "functions without their module cannot have dims that are symbols");
  if (!p.options.no_wrapper) {
    printer_put(&p, "module ");
    if (m->name.len > 0) tl_spell_symbol(out, m->name);
    if (m->name.len > 0) printer_put(&p, " ");
    put_symbols(&p);
    printer_put(&p, "{\n");
  }
  for (const tl_mesh *mesh = m->meshes; mesh != NULL; mesh = mesh->next) {
    printer_spaces(&p, p.base - 2);
    printer_put(&p, "sdy.mesh ");
    tl_spell_symbol(out, mesh->name);
    printer_put(&p, " = ");
    tl_spell_mesh(out, mesh);
    printer_put(&p, "\n");
  }
  for (const tl_func *fn = m->first; fn != NULL && p.error == TL_OK; fn = fn->next)
    put_func(&p, fn);
  if (p.bodies != NULL)
    for (const tl_func *fn = p.bodies->first; fn != NULL && p.error == TL_OK; fn = fn->next)
      put_func(&p, fn);
  if (!p.options.no_wrapper) printer_put(&p, "}\n");
  if (out->oom) fail(&p, TL_OOM());
  tl_ptr_map_deinit(&p.names);
  tl_map_deinit(&p.body_of);
  tl_module_destroy(p.bodies);
  return p.error;
}
