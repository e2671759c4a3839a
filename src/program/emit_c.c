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
#include "program/emit_c.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>

#include "ir/dim.h"
#include "ir/op.h"
#include "ir/ptr_map.h"
#include "program/emit_c_literal.h"
#include "ref/eval.h"
#include "ref/host_form.h"

enum { MAX_DEPTH = 100, MOST_REGIONS = 2 }; // of regions, against C's stack; of an op with a call

typedef struct scope {  // the C function that is being printed
  const tl_block *body; // of a region printed as a function; NULL: a function of the module
  tl_ptr_map outer;     // value -> its number in outer[], plus one
  tl_value *captured;   // [n_captured]
  uint32_t n_captured;
  struct scope *up;
} scope;

typedef struct emitter {
  const tl_module *m;
  const char *prefix;
  tl_arena *scratch;
  tl_ptr_map wanted;  // const tl_func * -> 1
  tl_ptr_map c_names; // const tl_func * -> char *
  tl_map taken;       // C names
  tl_ptr_map names;   // value -> number * 2 + scratch; of the function being printed
  tl_ptr_map used;    // values that something reads
  const tl_func *fn;
  scope *scope;
  tl_buf *to, *before; // statements; the functions of regions
  size_t line;         // where the present one begins in `to`
  uint32_t depth, indent, n_bodies;
  tl_status error; // the first
} emitter;

static void fail(emitter *e, tl_status st) { // consumes st
  if (e->error == TL_OK)
    e->error = st;
  else
    tl_status_drop(st);
}

static void put(emitter *e, const char *text) { tl_buf_cstr(e->to, text); }
static void begin_line(emitter *e) {
  e->line = e->to->len;
  tl_buf_printf(e->to, "%*s", (int)e->indent * 2, "");
}

// ---- Names ----

static bool is_by(const tl_op *op, uint32_t r, tl_opcode *out_op);

static bool is_hidden(const tl_op *op, uint32_t r) { // a region of which nothing is printed
  tl_opcode by;
  return is_by(op, r, &by);
}

static void largest_id(const tl_block *b, uint64_t *next) {
  for (uint32_t i = 0; i < b->n_args; i++)
    *next = TL_MAX(*next, (uint64_t)b->args[i]->id + 1);
  for (const tl_op *op = b->first; op; op = op->next) {
    if (op->n_results) *next = TL_MAX(*next, (uint64_t)op->results[0]->id + 1);
    for (uint32_t r = 0; r < op->n_regions; r++)
      largest_id(op->regions[r], next);
  }
}

typedef struct naming {
  tl_ptr_map *seen; // ids, plus one
  uint64_t next;
} naming;

// Results of one op, or one argument: under their id if it is free.
static void name_values(emitter *e, naming *n, tl_value *values, uint32_t count) {
  if (count == 0) return;
  uint64_t number = values[0]->id;
  const void *key = (const void *)(uintptr_t)(number + 1);
  if (values[0]->scratch || tl_ptr_map_get(n->seen, key, NULL))
    number = n->next++;
  else if (!tl_ptr_map_put(n->seen, key, 1))
    fail(e, TL_OOM());
  for (uint32_t i = 0; i < count; i++)
    if (!tl_ptr_map_put(&e->names, values[i], (uintptr_t)(number * 2 + values[0]->scratch)))
      fail(e, TL_OOM());
}

static void name_block(emitter *e, naming *n, const tl_block *b) {
  if (++e->depth > MAX_DEPTH) {
    fail(e, TL_ERROR(RESOURCE_EXHAUSTED, "regions nest deeper than %d", MAX_DEPTH));
    e->depth--;
    return;
  }
  const bool shares = b->parent && b->parent->code == TL_OP_WHILE && b == b->parent->regions[1];
  for (uint32_t i = 0; i < b->n_args; i++)
    if (!shares)
      name_values(e, n, &b->args[i], 1);
    else if (!tl_ptr_map_put(&e->names, b->args[i],
                             (uintptr_t)tl_ptr_map_find(&e->names, b->parent->regions[0]->args[i])))
      fail(e, TL_OOM());
  for (const tl_op *op = b->first; op; op = op->next) {
    for (uint32_t i = 0; i < op->n_operands; i++)
      if (!tl_ptr_map_put(&e->used, op->operands[i], 1)) fail(e, TL_OOM());
    name_values(e, n, op->results, op->n_results);
    for (uint32_t r = 0; r < op->n_regions; r++)
      if (!is_hidden(op, r)) name_block(e, n, op->regions[r]);
  }
  e->depth--;
}

static bool is_used(const emitter *e, tl_value v) { return tl_ptr_map_get(&e->used, v, NULL); }

static void put_number(const emitter *e, tl_buf *out, tl_value v, const char *plain,
                       const char *scratch) {
  const uint64_t name = (uint64_t)(uintptr_t)tl_ptr_map_find(&e->names, v);
  tl_buf_printf(out, "%s%" PRIu64, (name & 1) != 0 ? scratch : plain, name / 2);
}

// As the text has it: %5, %s3, %7#1.
static void put_text_name(emitter *e, tl_value v) {
  put_number(e, e->to, v, "%", "%s");
  if (v->op && v->op->n_results != 1) tl_buf_printf(e->to, "#%u", v->index);
}

// As C has it, seen from scope `s`.
static void put_value_in(const emitter *e, const scope *s, tl_buf *out, tl_value v) {
  uintptr_t number;
  if (s && tl_ptr_map_get(&s->outer, v, &number)) {
    tl_buf_printf(out, "outer[%u]", (unsigned)number - 1);
    return;
  }
  if (!v->op && s && s->body == v->block) {
    tl_buf_printf(out, "in[%u]", v->index);
    return;
  }
  tl_value base = v;
  uint32_t n = v->op ? v->op->n_results : 1;
  if (!v->op && v->block->parent && v->block->parent->code == TL_OP_WHILE) { // its state
    base = v->block->parent->results[0];
    n = v->block->parent->n_results;
  }
  put_number(e, out, base, "v", "s");
  if (n != 1) tl_buf_printf(out, "[%u]", v->index);
}

static void put_value(emitter *e, tl_value v) { put_value_in(e, e->scope, e->to, v); }

static void put_values(emitter *e, const tl_value *values, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (i) put(e, ", ");
    put_value(e, values[i]);
  }
}

// (const tlh_tensor[]){v1, v2}
static void put_array(emitter *e, const tl_value *values, uint32_t n) {
  if (n == 0) {
    put(e, "NULL");
    return;
  }
  put(e, "(const tlh_tensor[]){");
  put_values(e, values, n);
  put(e, "}");
}

// What may stand in a comment: no line break, and no backslash that could end in one.
static void put_safe(emitter *e, tl_str text) {
  for (size_t i = 0; i < text.len; i++) {
    const unsigned char c = (unsigned char)text.ptr[i];
    tl_buf_char(e->to, c < ' ' || c == '\\' || c == 0x7f ? '_' : (char)c);
  }
}

static tl_str callee_name(const tl_op *op) {
  return tl_op_str(op, op->code == TL_OP_CALL ? TL_A_CALL_callee : TL_A_COMPOSITE_decomposition);
}

// A line that is too long goes on under itself, broken behind commas.
static void wrap_line(emitter *e) {
  enum { WIDTH = 100 };
  tl_buf *to = e->to;
  if (to->oom || to->len - e->line <= WIDTH) return;
  const tl_str line = tl_str_sub(tl_buf_view(to), e->line, to->len);
  if (tl_str_find(line, TL_STR("\"")) != (size_t)-1) return; // a comma may be a string's
  char *copy = tl_arena_alloc(e->scratch, line.len, 1);
  if (!copy) {
    fail(e, TL_OOM());
    return;
  }
  memcpy(copy, line.ptr, line.len);
  tl_str rest = {copy, line.len};
  to->len = e->line;
  for (size_t room = WIDTH; rest.len > room; room = WIDTH - e->indent * 2 - 4) {
    size_t at = room;
    while (at > 1 && !(rest.ptr[at - 1] == ',' && rest.ptr[at] == ' '))
      at--;
    if (at <= 1) break;
    tl_buf_add(to, rest.ptr, at);
    tl_buf_printf(to, "\n%*s", (int)e->indent * 2 + 4, "");
    rest = tl_str_sub(rest, at + 1, rest.len);
  }
  tl_buf_str(to, rest);
}

// "%5 = stablehlo.add %1, %2", and the line's end.
static void put_text(emitter *e, const tl_op *op) {
  const tl_op_info *info = tl_op_get(op->code);
  if (op->n_results) {
    put_number(e, e->to, op->results[0], "%", "%s");
    if (op->n_results != 1) tl_buf_printf(e->to, ":%u", op->n_results);
    put(e, " = ");
  }
  const bool own_dialect = tl_str_find(tl_str_of(info->mnemonic), TL_STR(".")) != (size_t)-1;
  if (op->code == TL_OP_CALL) {
    put(e, "call @");
    put_safe(e, callee_name(op));
  } else {
    tl_buf_printf(e->to, "%s%s",
                  own_dialect               ? ""
                  : info->traits & TL_NAMED ? "tlaloc."
                                            : "stablehlo.",
                  info->mnemonic);
  }
  if (op->code == TL_OP_COMPOSITE) {
    put(e, " \"");
    put_safe(e, tl_op_str(op, TL_A_COMPOSITE_name));
    put(e, "\"");
  }
  for (uint32_t i = 0; i < op->n_operands; i++) {
    put(e, i ? ", " : " ");
    if (op->code == TL_OP_WHILE) {
      put_text_name(e, op->regions[0]->args[i]);
      put(e, " = ");
    }
    put_text_name(e, op->operands[i]);
  }
  put(e, "\n");
}

static void end_line(emitter *e, const tl_op *op) {
  wrap_line(e);
  put(e, " // ");
  put_text(e, op);
}

// ---- Functions' names ----

// <prefix><name>, letters, digits and underscores only, a number behind where it is taken.
static const char *c_name(emitter *e, const tl_func *fn) {
  char *name = tl_ptr_map_find(&e->c_names, fn);
  if (name) return name;
  tl_buf text = {0};
  tl_buf_cstr(&text, e->prefix);
  for (size_t i = 0; i < fn->name.len; i++) {
    const unsigned char c = (unsigned char)fn->name.ptr[i];
    tl_buf_char(&text, c < 0x80 && isalnum(c) ? (char)c : '_');
  }
  const size_t len = text.len;
  for (uint32_t k = 2; !text.oom && tl_map_get(&e->taken, tl_buf_view(&text), NULL); k++) {
    text.len = len;
    tl_buf_printf(&text, "_%u", k);
  }
  tl_str kept = text.oom ? (tl_str){0} : tl_str_copy(e->scratch, tl_buf_view(&text));
  tl_buf_deinit(&text);
  if (!kept.ptr || !tl_map_put(&e->taken, kept, 1) ||
      !tl_ptr_map_put(&e->c_names, fn, (uintptr_t)kept.ptr)) {
    fail(e, TL_OOM());
    return "";
  }
  return kept.ptr;
}

// ---- Types, attributes ----

static void put_i64(emitter *e, int64_t v) {
  if (v == INT64_MIN)
    put(e, "INT64_MIN");
  else if (v > INT32_MAX || v < INT32_MIN)
    tl_buf_printf(e->to, "INT64_C(%" PRId64 ")", v);
  else
    tl_buf_printf(e->to, "%" PRId64, v);
}

static void put_type(emitter *e, tl_type t) {
  tl_buf_printf(e->to, t.rank ? "TLH_TYPE(TLH_%s" : "TLH_SCALAR(TLH_%s", tl_c_dtype(t.dtype));
  for (uint32_t d = 0; d < t.rank; d++) {
    put(e, ", ");
    put_i64(e, t.dims[d]);
  }
  put(e, ")");
}

static void put_list(emitter *e, tl_attr_kind kind, tl_i64s list) {
  if (list.len == 0) {
    put(e, "TLH_NONE");
    return;
  }
  put(e, "TLH_LIST(");
  for (size_t i = 0; i < list.len; i++) {
    if (i) put(e, ", ");
    if (!tl_host_put_enum(e->to, kind, list.ptr[i])) put_i64(e, list.ptr[i]);
  }
  put(e, ")");
}

static void put_attr(emitter *e, const tl_attr_info *row, const tl_attr *a) {
  switch (row->kind) {
  case TL_AK_BOOL:
  case TL_AK_UNIT:
    put(e, a->i64 ? "true" : "false");
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

static tl_status refusal(const tl_op *op, const char *why) {
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
      put(e, ", ");
      put_attr(e, row, &op->attrs[i]);
      continue;
    }
    const bool zero = is_zero(row, &op->attrs[i]);
    if (zero && !row->required && !tl_attr_eq(row->kind, &op->attrs[i], &defaults[i]))
      fail(e, refusal(op, tl_arena_printf(e->scratch, "its %s is 0, which stands for the default",
                                          row->name)));
    if (zero) continue;
    tl_buf_printf(e->to, "%s.%s = ", comma, row->name);
    put_attr(e, row, &op->attrs[i]);
    comma = ", ";
  }
  if (f->as_struct) put(e, *comma ? "}" : "0}");
}

// ---- Regions ----

// Whether region r is one op on two elements, as the interpreter too sees it: *out_op, RETURN for
// the second argument.
static bool is_by(const tl_op *op, uint32_t r, tl_opcode *out_op) {
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
      if (!tl_ptr_map_put(&s->outer, v, ++s->n_captured)) fail(e, TL_OOM());
    }
    for (uint32_t r = 0; r < op->n_regions; r++)
      if (!is_hidden(op, r)) count_captures(e, s, op->regions[r], list);
  }
}

static void put_block(emitter *e, const tl_block *b);

// The region as a C function in front of this one. *out_number is its own.
static void put_body(emitter *e, const tl_op *op, uint32_t r, scope *s, uint32_t *out_number) {
  const tl_block *b = op->regions[r];
  *s = (scope){.body = b, .up = e->scope};
  count_captures(e, s, b, NULL);
  s->captured = TL_NEW(e->scratch, tl_value, s->n_captured);
  if (!s->captured) {
    fail(e, TL_OOM());
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
                tl_op_get(op->code)->mnemonic, b->n_args, ends->n_operands, c_name(e, e->fn),
                *out_number);
  put_block(e, b);
  for (uint32_t i = 0; i < ends->n_operands; i++) {
    tl_buf_printf(e->to, "  out[%u] = ", i);
    put_value(e, ends->operands[i]);
    put(e, ";\n");
  }
  put(e, "}\n");
  e->to = to;
  e->scope = s->up;
  e->indent = indent;
  if (text.oom) fail(e, TL_OOM());
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
  const bool is_one = is_by(op, r, &by);
  const uint32_t n = wider_dtypes(op, r, dtypes, TL_COUNT(dtypes));
  if (n == UINT32_MAX) {
    fail(e, refusal(op, "its region goes round with too many values"));
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
    put(e, ", (tlh_region){");
    if (is_one)
      tl_buf_printf(e->to, ".op = TLH_%s", name.ptr);
    else
      tl_buf_printf(e->to, ".body = %s_body%u", c_name(e, e->fn), number);
    if (!is_one && s->n_captured) {
      put(e, ", .outer = ");
      put_array(e, s->captured, s->n_captured);
    }
    if (n) tl_buf_printf(e->to, ", .n_dtypes = %u, .dtypes = (const tlh_dtype[]){", n);
    for (uint32_t i = 0; i < n; i++)
      tl_buf_printf(e->to, "%sTLH_%s", i ? ", " : "", tl_c_dtype(dtypes[i]));
    put(e, n ? "}}" : "}");
  }
  tl_buf_deinit(&name);
}

// ---- Statements ----

static bool any_used(const emitter *e, const tl_op *op) {
  for (uint32_t i = 0; i < op->n_results; i++)
    if (is_used(e, op->results[i])) return true;
  return false;
}

static void put_results_name(emitter *e, const tl_op *op) {
  put_number(e, e->to, op->results[0], "v", "s");
}

// "tlh_tensor v5" or "tlh_tensor v5[2]"
static void put_declaration(emitter *e, const tl_op *op) {
  put(e, "tlh_tensor ");
  put_results_name(e, op);
  if (op->n_results != 1) tl_buf_printf(e->to, "[%u]", op->n_results);
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
    fail(e, refusal(op, "its result has a type that its operands do not decide"));
  return !same;
}

// tlh_add(h, v1, v2): an expression. Its regions have been printed.
static void put_call(emitter *e, const tl_op *op, const tl_host_form *f, const scope *scopes,
                     const uint32_t *numbers) {
  const tl_op_info *info = tl_op_get(op->code);
  tl_buf_printf(e->to, "tlh_%s(h", f->name);
  const bool says = must_say_type(e, op, f);
  if (f->typed) {
    put(e, ", ");
    if (says)
      put_type(e, op->results[op->n_results - 1]->type);
    else
      put(e, "TLH_INFER");
  }
  if (info->n_in < 0 && op->n_operands) {
    put(e, ", TLH_ALL(");
    put_values(e, op->operands, op->n_operands);
    put(e, ")");
  } else if (info->n_in < 0) {
    put(e, ", 0, NULL");
  } else if (op->n_operands) {
    put(e, ", ");
    put_values(e, op->operands, op->n_operands);
  }
  put_attrs(e, op, f);
  for (uint32_t r = 0; r < op->n_regions; r++)
    put_region(e, op, r, &scopes[r], numbers[r]);
  if (op->n_results != 1) {
    put(e, ", ");
    put_results_name(e, op);
  } else if (info->n_out < 0) {
    put(e, ", NULL");
  }
  put(e, ")");
}

static void put_op_call(emitter *e, const tl_op *op, const tl_host_form *f) {
  scope scopes[MOST_REGIONS] = {0};
  uint32_t numbers[MOST_REGIONS] = {0};
  if (op->n_regions > MOST_REGIONS || op->n_results == 0) {
    fail(e, refusal(op, "no call takes its regions"));
    return;
  }
  for (uint32_t r = 0; r < op->n_regions; r++)
    if (!is_hidden(op, r)) put_body(e, op, r, &scopes[r], &numbers[r]);
  if (op->n_results != 1) {
    begin_line(e);
    put_declaration(e, op);
    put(e, ";\n");
  }
  begin_line(e);
  if (op->n_results == 1 && is_used(e, op->results[0])) {
    put_declaration(e, op);
    put(e, " = ");
  }
  put_call(e, op, f, scopes, numbers);
  put(e, ";");
  end_line(e, op);
  for (uint32_t r = 0; r < op->n_regions; r++)
    tl_ptr_map_deinit(&scopes[r].outer);
}

static void put_constant(emitter *e, const tl_op *op) {
  const tl_literal *l = tl_op_attr(op, TL_A_CONSTANT_value)->dense;
  const size_t size = tl_dtype_get(l->type.dtype)->size, n = l->size / size;
  enum { INLINE_MOST = 8 };
  size_t count;
  begin_line(e);
  if (!is_used(e, op->results[0])) {
    put(e, "// Not used: ");
    put_text(e, op);
    return;
  }
  const bool empty = !tl_type_count(l->type, &count) || count == 0 || n == 0;
  const bool apart = !empty && n > INLINE_MOST;
  if (apart) {
    tl_buf_printf(e->to, "static const %s ", tl_c_element(l));
    put_results_name(e, op);
    put(e, "_data[] = {");
    tl_c_put_elements(e->to, l, e->indent * 2 + 4);
    put(e, "};\n");
    begin_line(e);
  }
  put_declaration(e, op);
  const bool splat = l->splat && !empty && count > 1;
  put(e, splat ? " = tlh_splat(h, " : " = tlh_constant(h, ");
  put_type(e, op->results[0]->type);
  if (empty) {
    put(e, ", NULL);");
  } else if (apart) {
    put(e, ", ");
    put_results_name(e, op);
    put(e, "_data);");
  } else {
    tl_buf_printf(e->to, ", (const %s[]){", tl_c_element(l));
    tl_c_put_elements(e->to, l, 0);
    put(e, "});");
  }
  end_line(e, op);
}

// Results that are the operands themselves.
static void put_alias(emitter *e, const tl_op *op) {
  begin_line(e);
  if (!any_used(e, op)) {
    put(e, "// Not used: ");
    put_text(e, op);
    return;
  }
  put_declaration(e, op);
  put(e, op->n_results == 1 ? " = " : " = {");
  put_values(e, op->operands, op->n_results);
  put(e, op->n_results == 1 ? ";" : "};");
  end_line(e, op);
}

static void put_func_call(emitter *e, const tl_op *op) {
  const tl_func *callee = tl_module_find(e->m, callee_name(op));
  if (!callee) {
    fail(e, TL_ERROR(NOT_FOUND, "there is no function @" TL_STR_FMT, TL_STR_ARG(callee_name(op))));
    return;
  }
  if (op->n_results > 1) {
    begin_line(e);
    put_declaration(e, op);
    put(e, ";\n");
  }
  begin_line(e);
  if (op->n_results == 1 && is_used(e, op->results[0])) {
    put_declaration(e, op);
    put(e, " = ");
  }
  tl_buf_printf(e->to, "%s(h", c_name(e, callee));
  for (uint32_t i = 0; i < op->n_operands; i++) {
    put(e, ", ");
    put_value(e, op->operands[i]);
  }
  if (op->n_results > 1) {
    put(e, ", ");
    put_results_name(e, op);
  }
  put(e, ");");
  end_line(e, op);
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
    fail(e, refusal(op, "it carries no value"));
    return;
  }
  begin_line(e);
  put_declaration(e, op);
  put(e, n == 1 ? " = " : " = {");
  put_values(e, op->operands, n);
  put(e, n == 1 ? ";" : "};");
  end_line(e, op);
  const tl_op *single = single_condition(cond);
  for (const tl_op *c = cond->first; single && c != single; c = c->next)
    put_constant(e, c);
  begin_line(e);
  put(e, "const size_t mark_");
  put_results_name(e, op);
  put(e, " = tlh_mark(h);\n");
  begin_line(e);
  if (single) {
    const tl_host_form f = tl_host_form_of(single->code);
    put(e, "while (tlh_true(h, ");
    put_call(e, single, &f, NULL, NULL);
    put(e, ")) {");
    end_line(e, single);
    e->indent++;
  } else {
    put(e, "while (true) {\n");
    e->indent++;
    put_block(e, cond);
    begin_line(e);
    put(e, "if (!tlh_true(h, ");
    put_value(e, cond->last->operands[0]);
    put(e, ")) break;\n");
  }
  put_block(e, body);
  begin_line(e);
  put(e, "tlh_next(h, mark_");
  put_results_name(e, op);
  tl_buf_printf(e->to, ", %u, %s", n, n == 1 ? "&" : "");
  put_results_name(e, op);
  put(e, ", ");
  put_array(e, body->last->operands, n);
  put(e, ");\n");
  e->indent--;
  begin_line(e);
  put(e, "}\n");
}

static void put_branch(emitter *e, const tl_op *op, uint32_t r) {
  const tl_block *b = op->regions[r];
  e->indent++;
  put_block(e, b);
  for (uint32_t i = 0; i < op->n_results; i++) {
    begin_line(e);
    put_value(e, op->results[i]);
    put(e, " = ");
    put_value(e, b->last->operands[i]);
    put(e, ";\n");
  }
  e->indent--;
}

static void put_branches(emitter *e, const tl_op *op) {
  if (op->n_results) {
    begin_line(e);
    put_declaration(e, op);
    put(e, ";\n");
  }
  begin_line(e);
  if (op->code == TL_OP_IF) {
    put(e, "if (tlh_true(h, ");
    put_value(e, op->operands[0]);
    put(e, ")) {");
    end_line(e, op);
    put_branch(e, op, 0);
    begin_line(e);
    put(e, "} else {\n");
    put_branch(e, op, 1);
  } else {
    put(e, "switch (tlh_case(h, ");
    put_value(e, op->operands[0]);
    tl_buf_printf(e->to, ", %u)) {", op->n_regions);
    end_line(e, op);
    for (uint32_t r = 0; r < op->n_regions; r++) {
      begin_line(e);
      if (r + 1 < op->n_regions)
        tl_buf_printf(e->to, "case %u: {\n", r);
      else
        put(e, "default: {\n");
      put_branch(e, op, r);
      begin_line(e);
      put(e, "  break;\n");
      begin_line(e);
      put(e, "}\n");
    }
  }
  begin_line(e);
  put(e, "}\n");
  if (op->n_results && !any_used(e, op)) {
    begin_line(e);
    put(e, "(void)");
    put_results_name(e, op);
    put(e, ";\n");
  }
}

static void put_op(emitter *e, const tl_op *op) {
  const tl_host_form f = tl_host_form_of(op->code);
  switch (f.kind) {
  case TL_HOST_REFUSED:
    fail(e, refusal(op, f.reason));
    return;
  case TL_HOST_CALL:
    put_op_call(e, op, &f);
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
    fail(e, refusal(op, "emit_c.c does not know it"));
  }
}

// Every op but the last, which is its reader's.
static void put_block(emitter *e, const tl_block *b) {
  if (++e->depth > MAX_DEPTH)
    fail(e, TL_ERROR(RESOURCE_EXHAUSTED, "regions nest deeper than %d", MAX_DEPTH));
  for (const tl_op *op = b->first; op && op != b->last && e->error == TL_OK; op = op->next)
    put_op(e, op);
  e->depth--;
}

// ---- Functions ----

static void put_signature(emitter *e, const tl_func *fn) {
  const uint32_t n = fn->n_results;
  tl_buf_printf(e->to, "%s%s %s(tlh *h", fn->is_private ? "static " : "",
                n == 1 ? "tlh_tensor" : "void", c_name(e, fn));
  for (uint32_t i = 0; i < fn->body->n_args; i++) {
    put(e, ", tlh_tensor ");
    put_value(e, fn->body->args[i]);
  }
  if (n > 1) tl_buf_printf(e->to, ", tlh_tensor out[%u]", n);
  put(e, ")");
}

// // @main: (tensor<4xf32>) -> tensor<f32>
static void put_header(emitter *e, const tl_func *fn) {
  put(e, "\n// @");
  put_safe(e, fn->name);
  put(e, " : (");
  for (uint32_t i = 0; i < fn->body->n_args; i++) {
    if (i) put(e, ", ");
    tl_type_print(e->to, fn->body->args[i]->type);
  }
  put(e, fn->n_results == 1 ? ") -> " : ") -> (");
  for (uint32_t i = 0; i < fn->n_results; i++) {
    if (i) put(e, ", ");
    tl_type_print(e->to, fn->result_types[i]);
  }
  put(e, fn->n_results == 1 ? "\n" : ")\n");
}

static void name_func(emitter *e, const tl_func *fn) {
  tl_ptr_map seen = {0};
  naming n = {&seen, 0};
  tl_ptr_map_deinit(&e->names);
  tl_ptr_map_deinit(&e->used);
  e->names = e->used = (tl_ptr_map){0};
  e->fn = fn;
  largest_id(fn->body, &n.next);
  name_block(e, &n, fn->body);
  tl_ptr_map_deinit(&seen);
}

static void put_func(emitter *e, const tl_func *fn, tl_buf *out) {
  tl_buf before = {0}, text = {0};
  const tl_op *ends = fn->body->last;
  const uint32_t n = fn->n_results;
  e->before = &before;
  e->to = &text;
  e->n_bodies = 0;
  e->indent = 1;
  name_func(e, fn);
  put_header(e, fn);
  put_signature(e, fn);
  put(e, " {\n");
  for (uint32_t i = 0; i < fn->body->n_args; i++)
    if (!is_used(e, fn->body->args[i])) {
      put(e, "  (void)");
      put_value(e, fn->body->args[i]);
      put(e, ";\n");
    }
  put(e, "  const size_t mark = tlh_mark(h);\n");
  put_block(e, fn->body);
  for (uint32_t i = 0; i < n && n > 1; i++) {
    tl_buf_printf(e->to, "  out[%u] = ", i);
    put_value(e, ends->operands[i]);
    put(e, ";\n");
  }
  if (n == 1) {
    put(e, "  return tlh_keep(h, mark, 1, &");
    put_value(e, ends->operands[0]);
    put(e, ");\n}\n");
  } else {
    tl_buf_printf(e->to, "  tlh_keep(h, mark, %u, %s);\n}\n", n, n ? "out" : "NULL");
  }
  if (text.oom || before.oom) fail(e, TL_OOM());
  tl_buf_str(out, tl_buf_view(&before));
  tl_buf_str(out, tl_buf_view(&text));
  tl_buf_deinit(&before);
  tl_buf_deinit(&text);
}

static void want_callees(emitter *e, const tl_block *b);

static void want(emitter *e, const tl_func *fn) {
  if (tl_ptr_map_get(&e->wanted, fn, NULL)) return;
  if (!tl_ptr_map_put(&e->wanted, fn, 1)) fail(e, TL_OOM());
  if (++e->depth > MAX_DEPTH)
    fail(e, TL_ERROR(RESOURCE_EXHAUSTED, "calls and regions nest deeper than %d", MAX_DEPTH));
  else
    want_callees(e, fn->body);
  e->depth--;
}

static void want_callees(emitter *e, const tl_block *b) {
  if (++e->depth > MAX_DEPTH)
    fail(e, TL_ERROR(RESOURCE_EXHAUSTED, "calls and regions nest deeper than %d", MAX_DEPTH));
  for (const tl_op *op = b->first; op && e->error == TL_OK; op = op->next) {
    for (uint32_t r = 0; r < op->n_regions; r++)
      want_callees(e, op->regions[r]);
    if (op->code != TL_OP_CALL && op->code != TL_OP_COMPOSITE) continue;
    const tl_func *callee = tl_module_find(e->m, callee_name(op));
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
    fail(e, TL_OOM());
    return;
  }
  if (fn) want(e, fn);
  for (const tl_func *f = m->first; f && !fn; f = f->next) // private ones that are called for, only
    if (!f->is_private) want(e, f);
  for (const tl_func *f = m->first; f; f = f->next)
    if (tl_ptr_map_get(&e->wanted, f, NULL)) c_name(e, f);
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
  if (!options || !options->no_include) put(&e, "#include <tlaloc/host.h>\n");
  size_t n = 0;
  for (const tl_func *f = m->first; f && e.error == TL_OK; f = f->next)
    n += tl_ptr_map_get(&e.wanted, f, NULL);
  if (n > 1) put(&e, "\n");
  for (const tl_func *f = m->first; f && n > 1 && e.error == TL_OK; f = f->next) {
    if (!tl_ptr_map_get(&e.wanted, f, NULL)) continue;
    name_func(&e, f);
    put_signature(&e, f);
    put(&e, ";\n");
  }
  for (const tl_func *f = m->first; f && e.error == TL_OK; f = f->next)
    if (tl_ptr_map_get(&e.wanted, f, NULL)) put_func(&e, f, &text);
  if (text.oom) fail(&e, TL_OOM());
  if (e.error == TL_OK) tl_buf_str(out, tl_buf_view(&text));
  tl_buf_deinit(&text);
  return emitter_deinit(&e);
}

tl_status tl_emit_c_name(const tl_module *m, const tl_func *fn, const tl_emit_c_options *options,
                         tl_buf *out) {
  emitter e;
  emitter_init(&e, m, fn, options);
  if (e.error == TL_OK) tl_buf_cstr(out, c_name(&e, fn));
  return emitter_deinit(&e);
}
