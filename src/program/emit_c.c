// Printing as C: a function a function, a statement an op.
//
//     %5 = stablehlo.tanh %3          tlh_tensor v5 = tlh_tanh(h, v3); // %5 = stablehlo.tanh %3
//     %7:2 = tlaloc.top_k %5          tlh_tensor v7[2]; tlh_top_k(h, v5, ..., v7);   used as v7[1]
//
// Values have the names of the text: v<id>, and s<k> where it has %s<k>. A number that a region has
// taken already gets another one, so that no C name is declared twice in a function.
//
//   while       an array of its values, under the results' name; a round ends in tlh_next
//   if, case    if and switch, the results assigned at the end of each branch
//   regions     TLH_BY(...) where the interpreter too knows them as one op on two elements; else a
//               static function in front, its arguments in[i], what it reads from around it
//               outer[k]
//   call        a C call; so is a composite that is none of our named ops
//
// A call says its result's type only where its operands do not decide it, which is asked of the
// op's own type rule. Everything else about an op's form is ref/host_form.h's.
#include "program/emitter.h"

#include "ir/dim.h"
#include "program/emit_c_literal.h"

// ---- Statements ----

static void put_constant(emitter *e, const tl_op *op) {
  const tl_literal *l = tl_op_attr(op, TL_A_CONSTANT_value)->dense;
  const size_t size = tl_dtype_get(l->type.dtype)->size, n = l->size / size;
  enum { INLINE_MOST = 8 };
  size_t count;
  tl_c_begin_line(e);
  if (!tl_c_is_used(e, op->results[0])) {
    tl_c_put(e, "// Not used: ");
    tl_c_put_text(e, op);
    return;
  }
  const bool empty = !tl_type_count(l->type, &count) || count == 0 || n == 0;
  const bool apart = !empty && n > INLINE_MOST;
  if (apart) {
    tl_buf_printf(e->to, "static const %s ", tl_c_element(l));
    tl_c_put_results_name(e, op);
    tl_c_put(e, "_data[] = {");
    tl_c_put_elements(e->to, l, e->indent * 2 + 4);
    tl_c_put(e, "};\n");
    tl_c_begin_line(e);
  }
  tl_c_put_declaration(e, op);
  const bool splat = l->splat && !empty && count > 1;
  tl_c_put(e, splat ? " = tlh_splat(h, " : " = tlh_constant(h, ");
  tl_c_put_type(e, op->results[0]->type);
  if (empty) {
    tl_c_put(e, ", NULL);");
  } else if (apart) {
    tl_c_put(e, ", ");
    tl_c_put_results_name(e, op);
    tl_c_put(e, "_data);");
  } else {
    tl_buf_printf(e->to, ", (const %s[]){", tl_c_element(l));
    tl_c_put_elements(e->to, l, 0);
    tl_c_put(e, "});");
  }
  tl_c_end_line(e, op);
}

// Results that are the operands themselves.
static void put_alias(emitter *e, const tl_op *op) {
  tl_c_begin_line(e);
  if (!tl_c_any_used(e, op)) {
    tl_c_put(e, "// Not used: ");
    tl_c_put_text(e, op);
    return;
  }
  tl_c_put_declaration(e, op);
  tl_c_put(e, op->n_results == 1 ? " = " : " = {");
  tl_c_put_values(e, op->operands, op->n_results);
  tl_c_put(e, op->n_results == 1 ? ";" : "};");
  tl_c_end_line(e, op);
}

static void put_func_call(emitter *e, const tl_op *op) {
  const tl_func *callee = tl_module_find(e->m, tl_c_callee(op));
  if (!callee) {
    tl_c_fail(
        e, TL_ERROR(NOT_FOUND, "there is no function @" TL_STR_FMT, TL_STR_ARG(tl_c_callee(op))));
    return;
  }
  if (op->n_results > 1) {
    tl_c_begin_line(e);
    tl_c_put_declaration(e, op);
    tl_c_put(e, ";\n");
  }
  tl_c_begin_line(e);
  if (op->n_results == 1 && tl_c_is_used(e, op->results[0])) {
    tl_c_put_declaration(e, op);
    tl_c_put(e, " = ");
  }
  tl_buf_printf(e->to, "%s(h", tl_c_name(e, callee));
  for (uint32_t i = 0; i < op->n_operands; i++) {
    tl_c_put(e, ", ");
    tl_c_put_value(e, op->operands[i]);
  }
  if (op->n_results > 1) {
    tl_c_put(e, ", ");
    tl_c_put_results_name(e, op);
  }
  tl_c_put(e, ");");
  tl_c_end_line(e, op);
}

// The one op of a condition behind its constants, where it is a plain call.
static const tl_op *single_condition(const tl_block *b) {
  const tl_op *op = b->first;
  while (op && op->code == TL_OP_CONSTANT)
    op = op->next;
  const bool plain = op && op->next == b->last && op->n_results == 1 && op->n_regions == 0 &&
                     b->last->operands[0] == op->results[0] &&
                     tl_host_form_of(op->code).kind == TL_HOST_CALL;
  return plain ? op : NULL;
}

static void put_while(emitter *e, const tl_op *op) {
  const uint32_t n = op->n_results;
  const tl_block *cond = op->regions[0], *body = op->regions[1];
  if (n == 0) {
    tl_c_fail(e, tl_c_refusal(op, "it carries no value"));
    return;
  }
  tl_c_begin_line(e);
  tl_c_put_declaration(e, op);
  tl_c_put(e, n == 1 ? " = " : " = {");
  tl_c_put_values(e, op->operands, n);
  tl_c_put(e, n == 1 ? ";" : "};");
  tl_c_end_line(e, op);
  const tl_op *single = single_condition(cond);
  for (const tl_op *c = cond->first; single && c != single; c = c->next)
    put_constant(e, c);
  tl_c_begin_line(e);
  tl_c_put(e, "const size_t mark_");
  tl_c_put_results_name(e, op);
  tl_c_put(e, " = tlh_mark(h);\n");
  tl_c_begin_line(e);
  if (single) {
    const tl_host_form f = tl_host_form_of(single->code);
    tl_c_put(e, "while (tlh_true(h, ");
    tl_c_put_plain_call(e, single, &f);
    tl_c_put(e, ")) {");
    tl_c_end_line(e, single);
    e->indent++;
  } else {
    tl_c_put(e, "while (true) {\n");
    e->indent++;
    tl_c_put_block(e, cond);
    tl_c_begin_line(e);
    tl_c_put(e, "if (!tlh_true(h, ");
    tl_c_put_value(e, cond->last->operands[0]);
    tl_c_put(e, ")) break;\n");
  }
  tl_c_put_block(e, body);
  tl_c_begin_line(e);
  tl_c_put(e, "tlh_next(h, mark_");
  tl_c_put_results_name(e, op);
  tl_buf_printf(e->to, ", %u, %s", n, n == 1 ? "&" : "");
  tl_c_put_results_name(e, op);
  tl_c_put(e, ", ");
  tl_c_put_array(e, body->last->operands, n);
  tl_c_put(e, ");\n");
  e->indent--;
  tl_c_begin_line(e);
  tl_c_put(e, "}\n");
}

static void put_branch(emitter *e, const tl_op *op, uint32_t r) {
  const tl_block *b = op->regions[r];
  e->indent++;
  tl_c_put_block(e, b);
  for (uint32_t i = 0; i < op->n_results; i++) {
    tl_c_begin_line(e);
    tl_c_put_value(e, op->results[i]);
    tl_c_put(e, " = ");
    tl_c_put_value(e, b->last->operands[i]);
    tl_c_put(e, ";\n");
  }
  e->indent--;
}

static void put_branches(emitter *e, const tl_op *op) {
  if (op->n_results) {
    tl_c_begin_line(e);
    tl_c_put_declaration(e, op);
    tl_c_put(e, ";\n");
  }
  tl_c_begin_line(e);
  if (op->code == TL_OP_IF) {
    tl_c_put(e, "if (tlh_true(h, ");
    tl_c_put_value(e, op->operands[0]);
    tl_c_put(e, ")) {");
    tl_c_end_line(e, op);
    put_branch(e, op, 0);
    tl_c_begin_line(e);
    tl_c_put(e, "} else {\n");
    put_branch(e, op, 1);
  } else {
    tl_c_put(e, "switch (tlh_case(h, ");
    tl_c_put_value(e, op->operands[0]);
    tl_buf_printf(e->to, ", %u)) {", op->n_regions);
    tl_c_end_line(e, op);
    for (uint32_t r = 0; r < op->n_regions; r++) {
      tl_c_begin_line(e);
      if (r + 1 < op->n_regions)
        tl_buf_printf(e->to, "case %u: {\n", r);
      else
        tl_c_put(e, "default: {\n");
      put_branch(e, op, r);
      tl_c_begin_line(e);
      tl_c_put(e, "  break;\n");
      tl_c_begin_line(e);
      tl_c_put(e, "}\n");
    }
  }
  tl_c_begin_line(e);
  tl_c_put(e, "}\n");
  if (op->n_results && !tl_c_any_used(e, op)) {
    tl_c_begin_line(e);
    tl_c_put(e, "(void)");
    tl_c_put_results_name(e, op);
    tl_c_put(e, ";\n");
  }
}

static void put_op(emitter *e, const tl_op *op) {
  const tl_host_form f = tl_host_form_of(op->code);
  switch (f.kind) {
  case TL_HOST_REFUSED:
    tl_c_fail(e, tl_c_refusal(op, f.reason));
    return;
  case TL_HOST_CALL:
    tl_c_put_op_call(e, op, &f);
    return;
  case TL_HOST_PRINTED:
    break;
  }
  switch (op->code) {
  case TL_OP_CONSTANT:
    put_constant(e, op);
    return;
  case TL_OP_WHILE:
    put_while(e, op);
    return;
  case TL_OP_IF:
  case TL_OP_CASE:
    put_branches(e, op);
    return;
  case TL_OP_CALL:
  case TL_OP_COMPOSITE:
    put_func_call(e, op);
    return;
  case TL_OP_OPTIMIZATION_BARRIER:
  case TL_OP_SHARDING_CONSTRAINT:
    put_alias(e, op);
    return;
  default:
    tl_c_fail(e, tl_c_refusal(op, "emit_c.c does not know it"));
  }
}

// Every op but the last, which is its reader's.
void tl_c_put_block(emitter *e, const tl_block *b) {
  if (++e->depth > TL_C_MAX_DEPTH)
    tl_c_fail(e, TL_ERROR(RESOURCE_EXHAUSTED, "regions nest deeper than %d", TL_C_MAX_DEPTH));
  for (const tl_op *op = b->first; op && op != b->last && e->error == TL_OK; op = op->next)
    put_op(e, op);
  e->depth--;
}

// ---- Functions ----

static void put_signature(emitter *e, const tl_func *fn) {
  const uint32_t n = fn->n_results, indent = e->indent;
  e->line = e->to->len;
  e->indent = 0;
  tl_buf_printf(e->to, "%s%s %s(tlh *h", fn->is_private ? "static " : "",
                n == 1 ? "tlh_tensor" : "void", tl_c_name(e, fn));
  for (uint32_t i = 0; i < fn->body->n_args; i++) {
    tl_c_put(e, ", tlh_tensor ");
    tl_c_put_value(e, fn->body->args[i]);
  }
  if (n > 1) tl_buf_printf(e->to, ", tlh_tensor out[%u]", n);
  tl_c_put(e, ")");
  tl_c_wrap_line(e);
  e->indent = indent;
}

// // @main: (tensor<4xf32>) -> tensor<f32>
static void put_header(emitter *e, const tl_func *fn) {
  tl_c_put(e, "\n// @");
  tl_c_put_safe(e, fn->name);
  tl_c_put(e, " : (");
  for (uint32_t i = 0; i < fn->body->n_args; i++) {
    if (i) tl_c_put(e, ", ");
    tl_type_print(e->to, fn->body->args[i]->type);
  }
  tl_c_put(e, fn->n_results == 1 ? ") -> " : ") -> (");
  for (uint32_t i = 0; i < fn->n_results; i++) {
    if (i) tl_c_put(e, ", ");
    tl_type_print(e->to, fn->result_types[i]);
  }
  tl_c_put(e, fn->n_results == 1 ? "\n" : ")\n");
}

static void put_func(emitter *e, const tl_func *fn, tl_buf *out) {
  tl_buf before = {0}, text = {0};
  const tl_op *ends = fn->body->last;
  const uint32_t n = fn->n_results;
  e->before = &before;
  e->to = &text;
  e->n_bodies = 0;
  e->indent = 1;
  tl_c_name_func(e, fn);
  put_header(e, fn);
  put_signature(e, fn);
  tl_c_put(e, " {\n");
  for (uint32_t i = 0; i < fn->body->n_args; i++)
    if (!tl_c_is_used(e, fn->body->args[i])) {
      tl_c_put(e, "  (void)");
      tl_c_put_value(e, fn->body->args[i]);
      tl_c_put(e, ";\n");
    }
  tl_c_put(e, "  const size_t mark = tlh_mark(h);\n");
  tl_c_put_block(e, fn->body);
  for (uint32_t i = 0; i < n && n > 1; i++) {
    tl_buf_printf(e->to, "  out[%u] = ", i);
    tl_c_put_value(e, ends->operands[i]);
    tl_c_put(e, ";\n");
  }
  if (n == 1) {
    tl_c_put(e, "  return tlh_keep(h, mark, 1, &");
    tl_c_put_value(e, ends->operands[0]);
    tl_c_put(e, ");\n}\n");
  } else {
    tl_buf_printf(e->to, "  tlh_keep(h, mark, %u, %s);\n}\n", n, n ? "out" : "NULL");
  }
  if (text.oom || before.oom) tl_c_fail(e, TL_OOM());
  tl_buf_str(out, tl_buf_view(&before));
  tl_buf_str(out, tl_buf_view(&text));
  tl_buf_deinit(&before);
  tl_buf_deinit(&text);
}

static void want_callees(emitter *e, const tl_block *b);

static void want(emitter *e, const tl_func *fn) {
  if (tl_ptr_map_get(&e->wanted, fn, NULL)) return;
  if (!tl_ptr_map_put(&e->wanted, fn, 1)) tl_c_fail(e, TL_OOM());
  if (++e->depth > TL_C_MAX_DEPTH)
    tl_c_fail(
        e, TL_ERROR(RESOURCE_EXHAUSTED, "calls and regions nest deeper than %d", TL_C_MAX_DEPTH));
  else
    want_callees(e, fn->body);
  e->depth--;
}

static void want_callees(emitter *e, const tl_block *b) {
  if (++e->depth > TL_C_MAX_DEPTH)
    tl_c_fail(
        e, TL_ERROR(RESOURCE_EXHAUSTED, "calls and regions nest deeper than %d", TL_C_MAX_DEPTH));
  for (const tl_op *op = b->first; op && e->error == TL_OK; op = op->next) {
    for (uint32_t r = 0; r < op->n_regions; r++)
      want_callees(e, op->regions[r]);
    if (op->code != TL_OP_CALL && op->code != TL_OP_COMPOSITE) continue;
    const tl_func *callee = tl_module_find(e->m, tl_c_callee(op));
    if (callee) want(e, callee);
  }
  e->depth--;
}

static void emitter_init(emitter *e, const tl_module *m, const tl_func *fn,
                         const tl_emit_c_options *options) {
  *e = (emitter){.m = m,
                 .prefix = options && options->prefix ? options->prefix : "fn_",
                 .scratch = tl_arena_create()};
  if (!e->scratch) {
    tl_c_fail(e, TL_OOM());
    return;
  }
  if (fn) want(e, fn);
  for (const tl_func *f = m->first; f && !fn; f = f->next) // private ones that are called for, only
    if (!f->is_private) want(e, f);
  for (const tl_func *f = m->first; f; f = f->next)
    if (tl_ptr_map_get(&e->wanted, f, NULL)) tl_c_name(e, f);
}

static tl_status emitter_deinit(emitter *e) {
  tl_ptr_map_deinit(&e->wanted);
  tl_ptr_map_deinit(&e->c_names);
  tl_map_deinit(&e->taken);
  tl_ptr_map_deinit(&e->names);
  tl_ptr_map_deinit(&e->used);
  tl_arena_destroy(e->scratch);
  return e->error;
}

tl_status tl_emit_c(const tl_module *m, const tl_func *fn, const tl_emit_c_options *options,
                    tl_buf *out) {
  TL_TRY(tl_module_require_static(m));
  emitter e;
  tl_buf text = {0};
  emitter_init(&e, m, fn, options);
  e.to = &text;
  if (!options || !options->no_include) tl_c_put(&e, "#include <tlaloc/host.h>\n");
  size_t n = 0;
  for (const tl_func *f = m->first; f && e.error == TL_OK; f = f->next)
    n += tl_ptr_map_get(&e.wanted, f, NULL);
  if (n > 1) tl_c_put(&e, "\n");
  for (const tl_func *f = m->first; f && n > 1 && e.error == TL_OK; f = f->next) {
    if (!tl_ptr_map_get(&e.wanted, f, NULL)) continue;
    tl_c_name_func(&e, f);
    put_signature(&e, f);
    tl_c_put(&e, ";\n");
  }
  for (const tl_func *f = m->first; f && e.error == TL_OK; f = f->next)
    if (tl_ptr_map_get(&e.wanted, f, NULL)) put_func(&e, f, &text);
  if (text.oom) tl_c_fail(&e, TL_OOM());
  if (e.error == TL_OK) tl_buf_str(out, tl_buf_view(&text));
  tl_buf_deinit(&text);
  return emitter_deinit(&e);
}

tl_status tl_emit_c_name(const tl_module *m, const tl_func *fn, const tl_emit_c_options *options,
                         tl_buf *out) {
  emitter e;
  emitter_init(&e, m, fn, options);
  if (e.error == TL_OK) tl_buf_cstr(out, tl_c_name(&e, fn));
  return emitter_deinit(&e);
}
