// Calls of <tlaloc/host.h>: types, attributes, regions.
#include "program/emitter.h"

#include <ctype.h>
#include <inttypes.h>

#include "ir/op.h"
#include "program/emit_c_literal.h"
#include "ref/eval.h"

enum { MOST_REGIONS = 2 }; // of an op with a call

// ---- Types, attributes ----

static void put_i64(emitter *e, int64_t v) {
  if (v == INT64_MIN)
    tl_c_put(e, "INT64_MIN");
  else if (v > INT32_MAX || v < INT32_MIN)
    tl_buf_printf(e->to, "INT64_C(%" PRId64 ")", v);
  else
    tl_buf_printf(e->to, "%" PRId64, v);
}

void tl_c_put_type(emitter *e, tl_type t) {
  tl_buf_printf(e->to, t.rank ? "TLH_TYPE(TLH_%s" : "TLH_SCALAR(TLH_%s", tl_c_dtype(t.dtype));
  for (uint32_t d = 0; d < t.rank; d++) {
    tl_c_put(e, ", ");
    put_i64(e, t.dims[d]);
  }
  tl_c_put(e, ")");
}

static void put_list(emitter *e, tl_attr_kind kind, tl_i64s list) {
  if (list.len == 0) {
    tl_c_put(e, "TLH_NONE");
    return;
  }
  tl_c_put(e, "TLH_LIST(");
  for (size_t i = 0; i < list.len; i++) {
    if (i) tl_c_put(e, ", ");
    if (!tl_host_put_enum(e->to, kind, list.ptr[i])) put_i64(e, list.ptr[i]);
  }
  tl_c_put(e, ")");
}

static void put_attr(emitter *e, const tl_attr_info *row, const tl_attr *a) {
  switch (row->kind) {
  case TL_AK_BOOL:
  case TL_AK_UNIT:
    tl_c_put(e, a->i64 ? "true" : "false");
    break;
  case TL_AK_F64:
    tl_c_put_element(e->to, TL_DTYPE_F64, &a->f64);
    break;
  case TL_AK_STR:
  case TL_AK_TEXT:
  case TL_AK_SYMBOL:
    tl_c_put_string(e->to, a->str);
    break;
  case TL_AK_I64S:
  case TL_AK_PAIRS:
  case TL_AK_BOOLS:
  case TL_AK_PRECISIONS:
    put_list(e, row->kind, a->list);
    break;
  default:
    if (!tl_host_put_enum(e->to, row->kind, a->i64)) put_i64(e, a->i64);
  }
}

static bool is_zero(const tl_attr_info *row, const tl_attr *a) { // what stands for the default
  switch (row->kind) {
  case TL_AK_F64:
    return a->f64 == 0;
  case TL_AK_STR:
  case TL_AK_TEXT:
  case TL_AK_SYMBOL:
    return a->str.len == 0;
  case TL_AK_I64S:
  case TL_AK_PAIRS:
  case TL_AK_BOOLS:
  case TL_AK_PRECISIONS:
    return a->list.len == 0;
  default:
    return a->i64 == 0;
  }
}

tl_status tl_c_refusal(const tl_op *op, const char *why) {
  const tl_op_info *info = tl_op_get(op->code);
  tl_status st = TL_ERROR(UNIMPLEMENTED, "%s%s has no form in C: %s",
                          info->traits & TL_NAMED ? "tlaloc." : "", info->mnemonic, why);
  return op->loc.line == 0 ? st
                           : tl_status_note(st, "%s:%u:%u", op->loc.file ? op->loc.file : "module",
                                            op->loc.line, op->loc.col);
}

static void put_attrs(emitter *e, const tl_op *op, const tl_host_form *f) {
  const tl_op_info *info = tl_op_get(op->code);
  tl_attr defaults[64];
  TL_ASSERT(info->n_attrs <= TL_COUNT(defaults));
  tl_attrs_default(op->code, defaults);
  if (f->as_struct) tl_buf_printf(e->to, ", &(tlh_%s_attrs){", f->name);
  const char *comma = "";
  for (uint32_t i = 0; i < info->n_attrs; i++) {
    const tl_attr_info *row = tl_attr_get((tl_attr_id)(info->attr_begin + i));
    if (!f->as_struct) {
      tl_c_put(e, ", ");
      put_attr(e, row, &op->attrs[i]);
      continue;
    }
    const bool zero = is_zero(row, &op->attrs[i]);
    if (zero && !row->required && !tl_attr_eq(row->kind, &op->attrs[i], &defaults[i]))
      tl_c_fail(e, tl_c_refusal(op, tl_arena_printf(e->scratch,
                                                    "its %s is 0, which stands for the default",
                                                    row->name)));
    if (zero) continue;
    tl_buf_printf(e->to, "%s.%s = ", comma, row->name);
    put_attr(e, row, &op->attrs[i]);
    comma = ", ";
  }
  if (f->as_struct) tl_c_put(e, *comma ? "}" : "0}");
}

// ---- Regions ----

// Whether region r is one op on two elements, as the interpreter too sees it: *out_op, RETURN for
// the second argument.
bool tl_c_region_is_op(const tl_op *op, uint32_t r, tl_opcode *out_op) {
  const tl_block *b = op->regions[r];
  const bool folds =
      op->code == TL_OP_REDUCE || op->code == TL_OP_REDUCE_WINDOW || op->code == TL_OP_SCATTER;
  if (!folds && op->code != TL_OP_MAP && !(op->code == TL_OP_SELECT_AND_SCATTER && r == 1))
    return false;
  if (folds && op->n_results != 1) return false;
  switch (tl_ref_region_kind(b, out_op)) {
  case TL_REGION_SECOND:
    *out_op = TL_OP_RETURN;
    return true;
  case TL_REGION_OP: // where the region runs as written, also in this order
    return tl_host_combines(*out_op) && (folds || b->first->operands[0] == b->args[0]);
  default:
    return false;
  }
}

bool tl_c_region_is_hidden(const tl_op *op, uint32_t r) {
  tl_opcode by;
  return tl_c_region_is_op(op, r, &by);
}

static bool is_inside(tl_value v, const tl_block *region) {
  for (const tl_block *b = v->block; b; b = b->parent ? b->parent->block : NULL)
    if (b == region) return true;
  return false;
}

static void count_captures(emitter *e, scope *s, const tl_block *b, tl_value *list) {
  for (const tl_op *op = b->first; op; op = op->next) {
    for (uint32_t i = 0; i < op->n_operands; i++) {
      const tl_value v = op->operands[i];
      if (is_inside(v, s->body) || tl_ptr_map_get(&s->outer, v, NULL)) continue;
      if (list) list[s->n_captured] = v;
      if (!tl_ptr_map_put(&s->outer, v, ++s->n_captured)) tl_c_fail(e, TL_OOM());
    }
    for (uint32_t r = 0; r < op->n_regions; r++)
      if (!tl_c_region_is_hidden(op, r)) count_captures(e, s, op->regions[r], list);
  }
}

// The region as a C function in front of this one. *out_number is its own.
static void put_body(emitter *e, const tl_op *op, uint32_t r, scope *s, uint32_t *out_number) {
  const tl_block *b = op->regions[r];
  *s = (scope){.body = b, .up = e->scope};
  count_captures(e, s, b, NULL);
  s->captured = TL_NEW(e->scratch, tl_value, s->n_captured);
  if (!s->captured) {
    tl_c_fail(e, TL_OOM());
    return;
  }
  tl_ptr_map_deinit(&s->outer);
  s->outer = (tl_ptr_map){0};
  s->n_captured = 0;
  count_captures(e, s, b, s->captured);
  *out_number = ++e->n_bodies;
  tl_buf text = {0}, *to = e->to;
  const uint32_t indent = e->indent;
  e->to = &text;
  e->scope = s;
  e->indent = 1;
  const tl_op *ends = b->last;
  tl_buf_printf(e->to,
                "\n// The region of %s below: %u in, %u out.\n"
                "static void %s_body%u(tlh *h, const tlh_tensor *in, tlh_tensor *out, const "
                "tlh_tensor *outer) {\n  (void)h, (void)in, (void)outer;\n",
                tl_op_get(op->code)->mnemonic, b->n_args, ends->n_operands, tl_c_name(e, e->fn),
                *out_number);
  tl_c_put_block(e, b);
  for (uint32_t i = 0; i < ends->n_operands; i++) {
    tl_buf_printf(e->to, "  out[%u] = ", i);
    tl_c_put_value(e, ends->operands[i]);
    tl_c_put(e, ";\n");
  }
  tl_c_put(e, "}\n");
  e->to = to;
  e->scope = s->up;
  e->indent = indent;
  if (text.oom) tl_c_fail(e, TL_OOM());
  tl_buf_str(e->before, tl_buf_view(&text)); // behind those that it called for itself
  tl_buf_deinit(&text);
}

// What goes round, where it is not of the operands' types: n dtypes.
static uint32_t wider_dtypes(const tl_op *op, uint32_t r, tl_dtype *out, uint32_t most) {
  const tl_block *b = op->regions[r];
  if (op->code == TL_OP_SORT || (op->code == TL_OP_SELECT_AND_SCATTER && r == 0)) return 0;
  const bool of_all = op->code == TL_OP_MAP;
  const uint32_t n = of_all ? 1 : b->last->n_operands;
  bool wider = false;
  if (n > most || (!of_all && n > op->n_operands)) return UINT32_MAX;
  for (uint32_t i = 0; i < n; i++) {
    out[i] = b->last->operands[i]->type.dtype;
    wider |= out[i] != op->operands[i]->type.dtype;
  }
  return wider ? n : 0;
}

static void put_region(emitter *e, const tl_op *op, uint32_t r, const scope *s, uint32_t number) {
  tl_opcode by = TL_OP_COUNT;
  tl_dtype dtypes[256];
  const bool is_one = tl_c_region_is_op(op, r, &by);
  const uint32_t n = wider_dtypes(op, r, dtypes, TL_COUNT(dtypes));
  if (n == UINT32_MAX) {
    tl_c_fail(e, tl_c_refusal(op, "its region goes round with too many values"));
    return;
  }
  tl_buf name = {0};
  if (is_one) {
    const tl_host_form f = tl_host_form_of(by);
    tl_buf_cstr(&name, by == TL_OP_RETURN ? "second" : f.name);
    for (size_t i = 0; i < name.len; i++)
      name.ptr[i] = (char)toupper((unsigned char)name.ptr[i]);
  }
  if (is_one && n == 0) {
    tl_buf_printf(e->to, ", TLH_BY(TLH_%s)", name.ptr);
  } else {
    tl_c_put(e, ", (tlh_region){");
    if (is_one)
      tl_buf_printf(e->to, ".op = TLH_%s", name.ptr);
    else
      tl_buf_printf(e->to, ".body = %s_body%u", tl_c_name(e, e->fn), number);
    if (!is_one && s->n_captured) {
      tl_c_put(e, ", .outer = ");
      tl_c_put_array(e, s->captured, s->n_captured);
    }
    if (n) tl_buf_printf(e->to, ", .n_dtypes = %u, .dtypes = (const tlh_dtype[]){", n);
    for (uint32_t i = 0; i < n; i++)
      tl_buf_printf(e->to, "%sTLH_%s", i ? ", " : "", tl_c_dtype(dtypes[i]));
    tl_c_put(e, n ? "}}" : "}");
  }
  tl_buf_deinit(&name);
}
// The type that a typed call says, or TLH_INFER; and that of any other is the one it will infer.
static bool must_say_type(emitter *e, const tl_op *op, const tl_host_form *f) {
  const tl_type *types = NULL;
  uint32_t n = 0;
  const tl_arena_point mark = tl_arena_mark(e->scratch);
  tl_status st = tl_op_infer(e->scratch, e->m, op, NULL, 0, true, &types, &n);
  bool same = st == TL_OK && n == op->n_results;
  for (uint32_t i = 0; i < n && same; i++)
    same = tl_type_eq(types[i], op->results[i]->type);
  tl_status_drop(st);
  tl_arena_rewind(e->scratch, mark);
  if (!same && !f->typed)
    tl_c_fail(e, tl_c_refusal(op, "its result has a type that its operands do not decide"));
  return !same;
}

// tlh_add(h, v1, v2): an expression. Its regions have been printed.
static void put_call(emitter *e, const tl_op *op, const tl_host_form *f, const scope *scopes,
                     const uint32_t *numbers) {
  const tl_op_info *info = tl_op_get(op->code);
  tl_buf_printf(e->to, "tlh_%s(h", f->name);
  const bool says = must_say_type(e, op, f);
  if (f->typed) {
    tl_c_put(e, ", ");
    if (says)
      tl_c_put_type(e, op->results[op->n_results - 1]->type);
    else
      tl_c_put(e, "TLH_INFER");
  }
  if (info->n_in < 0 && op->n_operands) {
    tl_c_put(e, ", TLH_ALL(");
    tl_c_put_values(e, op->operands, op->n_operands);
    tl_c_put(e, ")");
  } else if (info->n_in < 0) {
    tl_c_put(e, ", 0, NULL");
  } else if (op->n_operands) {
    tl_c_put(e, ", ");
    tl_c_put_values(e, op->operands, op->n_operands);
  }
  put_attrs(e, op, f);
  for (uint32_t r = 0; r < op->n_regions; r++)
    put_region(e, op, r, &scopes[r], numbers[r]);
  if (op->n_results != 1) {
    tl_c_put(e, ", ");
    tl_c_put_results_name(e, op);
  } else if (info->n_out < 0) {
    tl_c_put(e, ", NULL");
  }
  tl_c_put(e, ")");
}

void tl_c_put_op_call(emitter *e, const tl_op *op, const tl_host_form *f) {
  scope scopes[MOST_REGIONS] = {0};
  uint32_t numbers[MOST_REGIONS] = {0};
  if (op->n_regions > MOST_REGIONS || op->n_results == 0) {
    tl_c_fail(e, tl_c_refusal(op, "no call takes its regions"));
    return;
  }
  for (uint32_t r = 0; r < op->n_regions; r++)
    if (!tl_c_region_is_hidden(op, r)) put_body(e, op, r, &scopes[r], &numbers[r]);
  if (op->n_results != 1) {
    tl_c_begin_line(e);
    tl_c_put_declaration(e, op);
    tl_c_put(e, ";\n");
  }
  tl_c_begin_line(e);
  if (op->n_results == 1 && tl_c_is_used(e, op->results[0])) {
    tl_c_put_declaration(e, op);
    tl_c_put(e, " = ");
  }
  put_call(e, op, f, scopes, numbers);
  tl_c_put(e, ";");
  tl_c_end_line(e, op);
  for (uint32_t r = 0; r < op->n_regions; r++)
    tl_ptr_map_deinit(&scopes[r].outer);
}

void tl_c_put_plain_call(emitter *e, const tl_op *op, const tl_host_form *f) {
  put_call(e, op, f, NULL, NULL);
}
