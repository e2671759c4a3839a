// Which composites are our named ops.
//
// A composite may carry any body under any name, and the body is what it means. So a composite
// "tlaloc.<mnemonic>" (or "chlo.<mnemonic>") is taken for the named op only when its body equals,
// op for op, the decomposition that we would write beside that op with these attributes and types;
// everything else stays a composite, whose body runs. The comparison is made once a decomposition
// function: the calls of one function agree in their types, and a second set of attributes on the
// same body is not looked at.
//
// A decomposition that nobody refers to any longer leaves the module; printing makes it again.
#include "shlo/parser.h"

#include "ir/dim.h"
#include "ir/op.h"
#include "ir/ptr_map.h"
#include "ir/decompose.h"

typedef struct verdict { // on one decomposition function
  bool named;
  tl_opcode code;
  const tl_attr *attrs; // of the named op
  tl_str text;          // composite_attributes they were read from
  tl_str name;
  int64_t version;
} verdict;

// The attributes as the named op's, in the arena of `m`. False: they are not.
static bool attrs_read(tl_module *m, tl_str text, tl_op *op, bool *oom) {
  const tl_op_info *info = tl_op_get(op->code);
  bool good = true;
  if (text.len > 0) {
    tl_diags diags = {.max_errors = 1};
    tl_parser p;
    tl_parser_init(&p, text, m, "composite_attributes", &diags);
    good = !p.oom && tl_parser_attr_dict(&p, op) && tl_parser_is(&p, TL_TOKEN_END) &&
           diags.n_errors == 0;
    *oom |= p.oom;
    tl_parser_deinit(&p);
    tl_diags_deinit(&diags);
  }
  for (uint32_t i = 0; i < info->n_attrs; i++)
    good = good && (op->attrs[i].set || !tl_attr_get((tl_attr_id)(info->attr_begin + i))->required);
  return good;
}

// Whether `body` is what we would write for `code` with these attributes. Everything is made in a
// module that is then dropped; the attributes are read a second time into the text's own module.
// False with p->oom: memory is gone.
static bool body_is_ours(tl_parser *p, const tl_op *composite, tl_opcode code,
                         const tl_func *body) {
  tl_str text = tl_op_str(composite, TL_A_COMPOSITE_composite_attributes);
  tl_module *scratch = tl_module_create();
  if (scratch == NULL) return tl_parser_oom(p);
  if (!tl_dims_copy(p->m, scratch)) {
    tl_module_destroy(scratch);
    return tl_parser_oom(p);
  }
  tl_builder b = tl_func_begin(scratch, "op", true);
  tl_value *args = TL_NEW(scratch->arena, tl_value, composite->n_operands + 1);
  tl_type *types = TL_NEW(scratch->arena, tl_type, composite->n_results + 1);
  if (args == NULL || types == NULL) tl_builder_fail(&b, TL_OOM());
  for (uint32_t i = 0; types != NULL && i < composite->n_results; i++)
    types[i] = composite->results[i]->type;
  for (uint32_t i = 0; args != NULL && i < composite->n_operands; i++)
    args[i] = tl_func_arg(&b, composite->operands[i]->type);
  tl_op *op =
      args == NULL || types == NULL ? NULL : tl_op_begin(&b, code, args, composite->n_operands);
  bool read = op != NULL && attrs_read(scratch, text, op, &p->oom);
  if (read) op = tl_op_finish(&b, op, types, composite->n_results);
  tl_status st = b.error;
  tl_func *made = NULL;
  if (st == TL_OK && read) st = tl_decompose_func(scratch, op, "body", &made);
  bool ours = st == TL_OK && made != NULL && tl_func_eq(made, body);
  // Any other error says that the attributes or types are none that the named op takes.
  if (tl_status_get_code(st) == TL_STATUS_RESOURCE_EXHAUSTED) p->oom = true;
  tl_status_drop(st);
  tl_module_destroy(scratch);
  return ours && !p->oom;
}

static bool verdict_make(tl_parser *p, const tl_op *composite, const tl_func *body, verdict *v) {
  tl_str name = tl_op_str(composite, TL_A_COMPOSITE_name);
  *v = (verdict){.text = tl_op_str(composite, TL_A_COMPOSITE_composite_attributes),
                 .name = name,
                 .version = tl_op_i64(composite, TL_A_COMPOSITE_version)};
  bool chlo = tl_str_starts(name, TL_STR("chlo.")); // under CHLO's name, whatever its version
  if (!chlo && (!tl_str_starts(name, TL_STR("tlaloc.")) || v->version != 1)) return true;
  size_t prefix = chlo ? sizeof "chlo." - 1 : sizeof "tlaloc." - 1;
  if (!tl_op_of_mnemonic(tl_str_sub(name, prefix, name.len), true, &v->code)) return true;
  const tl_op_info *info = tl_op_get(v->code);
  if ((info->n_in >= 0 && composite->n_operands != (uint32_t)info->n_in) ||
      composite->n_results != (uint32_t)info->n_out || !body_is_ours(p, composite, v->code, body))
    return !p->oom;
  tl_op holder = {.code = v->code};
  if (info->n_attrs > 0) {
    holder.attrs = TL_NEW(p->m->arena, tl_attr, info->n_attrs);
    if (holder.attrs == NULL) return tl_parser_oom(p);
    tl_attrs_default(v->code, holder.attrs);
  }
  if (!attrs_read(p->m, v->text, &holder, &p->oom))
    return tl_parser_oom(p); // they could be read just now
  v->attrs = holder.attrs;
  v->named = true;
  return true;
}

// References from ops to functions.
static bool count_uses(tl_parser *p, const tl_block *block,
                       tl_ptr_map *uses) { // NOLINT(misc-no-recursion)
  for (const tl_op *op = block->first; op != NULL; op = op->next) {
    const tl_op_info *info = tl_op_get(op->code);
    for (uint32_t i = 0; i < info->n_attrs; i++) {
      uint32_t n;
      const tl_str *names = tl_op_symbols(op, i, &n);
      for (uint32_t k = 0; k < n; k++) {
        uint64_t fn;
        if (tl_map_get(&p->funcs, names[k], &fn) &&
            !tl_ptr_map_put(uses, (const void *)(uintptr_t)fn, 1))
          return tl_parser_oom(p);
      }
    }
    for (uint32_t i = 0; i < op->n_regions; i++)
      if (!count_uses(p, op->regions[i], uses)) return false;
  }
  return true;
}

typedef struct doomed {
  const tl_ptr_map *bodies, *uses;
} doomed;

static bool is_doomed(const tl_func *fn, void *arg) {
  const doomed *d = arg;
  return fn->is_private && tl_ptr_map_get(d->bodies, fn, NULL) &&
         !tl_ptr_map_get(d->uses, fn, NULL);
}

// Drops the functions of `bodies` that nothing refers to.
static bool bodies_drop(tl_parser *p, const tl_ptr_map *bodies) {
  tl_ptr_map uses = {0};
  bool good = true;
  for (const tl_func *fn = p->m->first; fn != NULL && good; fn = fn->next)
    good = count_uses(p, fn->body, &uses);
  if (good) tl_module_drop(p->m, is_doomed, &(doomed){bodies, &uses});
  tl_ptr_map_deinit(&uses);
  return good;
}

tl_status tl_shlo_recognise(tl_parser *p) {
  tl_ptr_map verdicts = {0}, recognised = {0};
  bool good = true;
  for (size_t i = 0; i < p->n_composites && good; i++) {
    tl_op *op = p->composites[i];
    uint64_t at;
    if (!tl_map_get(&p->funcs, tl_op_str(op, TL_A_COMPOSITE_decomposition), &at)) continue;
    tl_func *body = (tl_func *)(uintptr_t)at;
    verdict *v = tl_ptr_map_find(&verdicts, body);
    if (v == NULL) {
      v = TL_NEW(p->m->arena, verdict, 1);
      good = v != NULL && verdict_make(p, op, body, v) &&
             tl_ptr_map_put(&verdicts, body, (uintptr_t)v);
      if (!good) break;
    }
    if (!v->named || v->version != tl_op_i64(op, TL_A_COMPOSITE_version) ||
        !tl_str_eq(v->name, tl_op_str(op, TL_A_COMPOSITE_name)) ||
        !tl_str_eq(v->text, tl_op_str(op, TL_A_COMPOSITE_composite_attributes)))
      continue;
    uint32_t n = tl_op_get(v->code)->n_attrs;
    tl_attr *attrs = n == 0 ? NULL : TL_NEW(p->m->arena, tl_attr, n);
    good = (n == 0 || attrs != NULL) && tl_ptr_map_put(&recognised, body, 1);
    if (!good) break;
    if (n > 0) memcpy(attrs, v->attrs, n * sizeof *attrs);
    op->code = v->code;
    op->attrs = attrs;
  }
  good = good && (recognised.len == 0 || bodies_drop(p, &recognised));
  tl_ptr_map_deinit(&verdicts);
  tl_ptr_map_deinit(&recognised);
  return good ? TL_OK : TL_OOM();
}
