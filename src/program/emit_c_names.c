// Names: of values, of functions, and the comment behind a statement.
#include "program/emitter.h"

#include <ctype.h>
#include <inttypes.h>

void tl_c_fail(emitter *e, tl_status st) { // consumes st
  if (e->error == TL_OK)
    e->error = st;
  else
    tl_status_drop(st);
}

void tl_c_begin_line(emitter *e) {
  e->line = e->to->len;
  tl_buf_printf(e->to, "%*s", (int)e->indent * 2, "");
}

// ---- Names ----

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
    tl_c_fail(e, TL_OOM());
  for (uint32_t i = 0; i < count; i++)
    if (!tl_ptr_map_put(&e->names, values[i], (uintptr_t)(number * 2 + values[0]->scratch)))
      tl_c_fail(e, TL_OOM());
}

static void name_block(emitter *e, naming *n, const tl_block *b) {
  if (++e->depth > TL_C_MAX_DEPTH) {
    tl_c_fail(e, TL_ERROR(RESOURCE_EXHAUSTED, "regions nest deeper than %d", TL_C_MAX_DEPTH));
    e->depth--;
    return;
  }
  const bool shares = b->parent && b->parent->code == TL_OP_WHILE && b == b->parent->regions[1];
  for (uint32_t i = 0; i < b->n_args; i++)
    if (!shares)
      name_values(e, n, &b->args[i], 1);
    else if (!tl_ptr_map_put(&e->names, b->args[i],
                             (uintptr_t)tl_ptr_map_find(&e->names, b->parent->regions[0]->args[i])))
      tl_c_fail(e, TL_OOM());
  for (const tl_op *op = b->first; op; op = op->next) {
    for (uint32_t i = 0; i < op->n_operands; i++)
      if (!tl_ptr_map_put(&e->used, op->operands[i], 1)) tl_c_fail(e, TL_OOM());
    name_values(e, n, op->results, op->n_results);
    for (uint32_t r = 0; r < op->n_regions; r++)
      if (!tl_c_region_is_hidden(op, r)) name_block(e, n, op->regions[r]);
  }
  e->depth--;
}

bool tl_c_is_used(const emitter *e, tl_value v) { return tl_ptr_map_get(&e->used, v, NULL); }

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

void tl_c_put_value(emitter *e, tl_value v) { put_value_in(e, e->scope, e->to, v); }

void tl_c_put_values(emitter *e, const tl_value *values, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (i) tl_c_put(e, ", ");
    tl_c_put_value(e, values[i]);
  }
}

// (const tlh_tensor[]){v1, v2}
void tl_c_put_array(emitter *e, const tl_value *values, uint32_t n) {
  if (n == 0) {
    tl_c_put(e, "NULL");
    return;
  }
  tl_c_put(e, "(const tlh_tensor[]){");
  tl_c_put_values(e, values, n);
  tl_c_put(e, "}");
}

// What may stand in a comment: no line break, and no backslash that could end in one.
void tl_c_put_safe(emitter *e, tl_str text) {
  for (size_t i = 0; i < text.len; i++) {
    const unsigned char c = (unsigned char)text.ptr[i];
    tl_buf_char(e->to, c < ' ' || c == '\\' || c == 0x7f ? '_' : (char)c);
  }
}

tl_str tl_c_callee(const tl_op *op) {
  return tl_op_str(op, op->code == TL_OP_CALL ? TL_A_CALL_callee : TL_A_COMPOSITE_decomposition);
}

// A line that is too long goes on under itself, broken behind commas.
void tl_c_wrap_line(emitter *e) {
  enum { WIDTH = 100 };
  tl_buf *to = e->to;
  if (to->oom || to->len - e->line <= WIDTH) return;
  const tl_str line = tl_str_sub(tl_buf_view(to), e->line, to->len);
  if (tl_str_find(line, TL_STR("\"")) != (size_t)-1) return; // a comma may be a string's
  char *copy = tl_arena_alloc(e->scratch, line.len, 1);
  if (!copy) {
    tl_c_fail(e, TL_OOM());
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
void tl_c_put_text(emitter *e, const tl_op *op) {
  const tl_op_info *info = tl_op_get(op->code);
  if (op->n_results) {
    put_number(e, e->to, op->results[0], "%", "%s");
    if (op->n_results != 1) tl_buf_printf(e->to, ":%u", op->n_results);
    tl_c_put(e, " = ");
  }
  const bool own_dialect = tl_str_find(tl_str_of(info->mnemonic), TL_STR(".")) != (size_t)-1;
  if (op->code == TL_OP_CALL) {
    tl_c_put(e, "call @");
    tl_c_put_safe(e, tl_c_callee(op));
  } else {
    tl_buf_printf(e->to, "%s%s",
                  own_dialect               ? ""
                  : info->traits & TL_NAMED ? "tlaloc."
                                            : "stablehlo.",
                  info->mnemonic);
  }
  if (op->code == TL_OP_COMPOSITE) {
    tl_c_put(e, " \"");
    tl_c_put_safe(e, tl_op_str(op, TL_A_COMPOSITE_name));
    tl_c_put(e, "\"");
  }
  for (uint32_t i = 0; i < op->n_operands; i++) {
    tl_c_put(e, i ? ", " : " ");
    if (op->code == TL_OP_WHILE) {
      put_text_name(e, op->regions[0]->args[i]);
      tl_c_put(e, " = ");
    }
    put_text_name(e, op->operands[i]);
  }
  tl_c_put(e, "\n");
}

void tl_c_end_line(emitter *e, const tl_op *op) {
  tl_c_wrap_line(e);
  tl_c_put(e, " // ");
  tl_c_put_text(e, op);
}

// ---- Functions' names ----

// <prefix><name>, letters, digits and underscores only, a number behind where it is taken.
const char *tl_c_name(emitter *e, const tl_func *fn) {
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
    tl_c_fail(e, TL_OOM());
    return "";
  }
  return kept.ptr;
}
// ---- Results ----

bool tl_c_any_used(const emitter *e, const tl_op *op) {
  for (uint32_t i = 0; i < op->n_results; i++)
    if (tl_c_is_used(e, op->results[i])) return true;
  return false;
}

void tl_c_put_results_name(emitter *e, const tl_op *op) {
  put_number(e, e->to, op->results[0], "v", "s");
}

// "tlh_tensor v5" or "tlh_tensor v5[2]"
void tl_c_put_declaration(emitter *e, const tl_op *op) {
  tl_c_put(e, "tlh_tensor ");
  tl_c_put_results_name(e, op);
  if (op->n_results != 1) tl_buf_printf(e->to, "[%u]", op->n_results);
}

void tl_c_name_func(emitter *e, const tl_func *fn) {
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
