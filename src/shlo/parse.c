// The reader's core: tokens, names, ops and regions, and how it goes on after a mistake.
//
// Text is read once, from front to back, straight into the IR. A name lives in one hash table a
// function; leaving a region marks its names as out of scope. When an op cannot be read, its
// mistake is reported, its results become names whose uses are refused in silence, and reading goes
// on at the next line that begins an op at the same depth of braces, so one run shows all the
// mistakes and each of them once.
#include "shlo/parser.h"

#include <stdio.h>
#include <stdlib.h>

#include "ir/op.h"
#include "ir/target.h"
#include "shlo/calls.h"
#include "shlo/spell.h"

// Tokens and messages.

void tl_parser_init(tl_parser *p, tl_str text, tl_module *m, const char *file, tl_diags *diags) {
  *p = (tl_parser){.m = m, .file = file, .diags = diags, .temp = tl_arena_create()};
  p->oom = p->temp == NULL;
  tl_lexer_init(&p->lex, text);
  p->before = text.ptr;
  p->tok = tl_lexer_next(&p->lex);
}

void tl_parser_deinit(tl_parser *p) {
  tl_map_deinit(&p->ops);
  tl_map_deinit(&p->resources);
  tl_map_deinit(&p->funcs);
  tl_map_deinit(&p->aliases);
  tl_map_deinit(&p->names);
  tl_arena_destroy(p->temp);
  free(p->alias_at);
  free(p->resource_list);
  free(p->by_id);
  free(p->name_list);
  free(p->scope);
  free(p->composites);
}

void tl_parser_next(tl_parser *p) {
  if (p->tok.kind == '{') p->depth++;
  if (p->tok.kind == '}' && p->depth > 0) p->depth--;
  p->before = p->tok.text.ptr + p->tok.text.len;
  p->tok = tl_lexer_next(&p->lex);
}

static tl_loc loc_of(const tl_parser *p, const tl_token *t) {
  return (tl_loc){p->file, t->line, t->col, (uint32_t)TL_MAX(t->text.len, (size_t)1)};
}

tl_loc tl_parser_here(const tl_parser *p) { return loc_of(p, &p->tok); }

void tl_parser_report(tl_parser *p, tl_loc loc, const char *fmt, ...) {
  char message[512];
  va_list args;
  va_start(args, fmt);
  vsnprintf(message, sizeof message, fmt, args);
  va_end(args);
  tl_diags_add(p->diags, TL_DIAG_ERROR, loc, "%s", message);
}

void tl_parser_report_want(tl_parser *p, const char *what) {
  tl_loc here = tl_parser_here(p);
  tl_str text = p->tok.text;
  bool whole = text.len <= 40;
  if (tl_parser_is(p, TL_TOKEN_BAD))
    tl_parser_report(p, here, "%s", p->lex.problem);
  else if (tl_parser_is(p, TL_TOKEN_END))
    tl_parser_report(p, here, "wanted %s, found the end of the text", what);
  else
    tl_parser_report(p, here, "wanted %s, found '" TL_STR_FMT "%s'", what,
                     (int)(whole ? text.len : 40), text.ptr, whole ? "" : "…");
}

void tl_parser_report_types(tl_parser *p, tl_loc loc, const char *one, tl_type a, const char *other,
                            tl_type b) {
  tl_buf text = {0};
  tl_buf_printf(&text, "%s is ", one);
  tl_type_print(&text, a);
  tl_buf_printf(&text, ", %s ", other);
  tl_type_print(&text, b);
  if (text.oom)
    p->oom = true;
  else
    tl_parser_report(p, loc, "%s", text.ptr);
  tl_buf_deinit(&text);
}

bool tl_parser_accept(tl_parser *p, int kind) {
  if (p->tok.kind != kind) return false;
  tl_parser_next(p);
  return true;
}

bool tl_parser_accept_word(tl_parser *p, const char *word) {
  if (!tl_parser_is_word(p, word)) return false;
  tl_parser_next(p);
  return true;
}

bool tl_parser_expect(tl_parser *p, int kind, const char *what) {
  return tl_parser_accept(p, kind) || tl_parser_want(p, what);
}

bool tl_parser_expect_word(tl_parser *p, const char *word) {
  if (tl_parser_accept_word(p, word)) return true;
  char what[64];
  snprintf(what, sizeof what, "'%.50s'", word);
  return tl_parser_want(p, what);
}

bool tl_parser_symbol(tl_parser *p, tl_str *out) {
  if (!tl_parser_is(p, TL_TOKEN_SYMBOL)) return tl_parser_want(p, "a name such as @main");
  tl_str text = tl_str_sub(p->tok.text, 1, p->tok.text.len);
  bool oom = false;
  if (text.ptr[0] != '"') {
    *out = tl_str_copy(p->m->arena, text);
    oom = out->ptr == NULL;
  } else if (!tl_spell_unquote(p->m->arena, text, out, &oom) && !oom) {
    return tl_parser_fail(
        p, tl_parser_here(p),
        "this name has an escape that is none of \\\\ \\\" \\n \\t and two hex digits");
  }
  if (oom) return tl_parser_oom(p);
  tl_parser_next(p);
  return true;
}

bool tl_parser_skip_loc(tl_parser *p) {
  if (!tl_parser_accept_word(p, "loc")) return true;
  if (!tl_parser_is(p, '(')) return tl_parser_want(p, "'(' behind loc");
  return tl_parser_skip_balanced(p);
}

// `list` is the address of a pointer, of whatever type: it is read and written as bytes.
static bool grow(tl_parser *p, tl_arena *arena, void *list, uint32_t n, uint32_t *cap,
                 size_t size) {
  if (n < *cap) return true;
  uint32_t bigger = *cap == 0 ? 4 : *cap * 2;
  if (bigger <= *cap) return tl_parser_oom(p);
  void *from, *to = tl_arena_alloc_array(arena, bigger, size, 8);
  if (to == NULL) return tl_parser_oom(p);
  memcpy(&from, list, sizeof from);
  if (n > 0) memcpy(to, from, n * size);
  memcpy(list, &to, sizeof to);
  *cap = bigger;
  return true;
}

bool tl_parser_grow(tl_parser *p, void *list, uint32_t n, uint32_t *cap, size_t size) {
  return grow(p, p->m->arena, list, n, cap, size);
}

bool tl_parser_grow_temp(tl_parser *p, void *list, uint32_t n, uint32_t *cap, size_t size) {
  return grow(p, p->temp, list, n, cap, size);
}

bool tl_parser_heap_grow(tl_parser *p, void *list, size_t n, size_t *cap, size_t size) {
  if (n < *cap) return true;
  size_t bigger = *cap == 0 ? 64 : *cap * 2, bytes;
  void *from;
  memcpy(&from, list, sizeof from);
  void *to = TL_MUL_OK(bigger, size, &bytes) ? realloc(from, bytes) : NULL;
  if (to == NULL) return tl_parser_oom(p);
  memcpy(list, &to, sizeof to);
  *cap = bigger;
  return true;
}

// To the next line that begins an op, at `depth` open braces; or to the brace that closes them.
void tl_parser_recover(tl_parser *p, uint32_t depth) {
  for (; !tl_parser_is(p, TL_TOKEN_END); tl_parser_next(p)) {
    if (p->depth > depth) continue;
    if (tl_parser_is(p, '}')) return;
    if (p->tok.first && (tl_parser_is(p, TL_TOKEN_VALUE) || tl_parser_is(p, TL_TOKEN_WORD) ||
                         tl_parser_is(p, TL_TOKEN_STRING) || tl_parser_is(p, TL_TOKEN_HASH)))
      return;
  }
}

// Names and values.

// `%7` is 7, `%s7` scratch; false for any other name.
static bool number_of(tl_str name, uint32_t *out_id, bool *out_scratch) {
  tl_str digits = tl_str_sub(name, 1, name.len);
  *out_scratch = digits.len > 1 && digits.ptr[0] == 's';
  if (*out_scratch) digits = tl_str_sub(digits, 1, digits.len);
  if (digits.len == 0 || digits.len > 9 || (digits.ptr[0] == '0' && digits.len > 1)) return false;
  uint32_t id = 0;
  for (size_t i = 0; i < digits.len; i++) {
    if (digits.ptr[i] < '0' || digits.ptr[i] > '9') return false;
    id = id * 10 + (uint32_t)(digits.ptr[i] - '0');
  }
  *out_id = id;
  return true;
}

// Names are looked up for every operand, and nearly all are numbers, used in the order in which
// they were given: a table by number answers those without a hash. Its entries are counted from
// `names_before`, which passes them with each function, so that nobody has to clear it.
enum { TABLE_IDS = 1 << 20 };

static bool has_place(tl_str name, uint32_t *out_id) { // in the table
  bool scratch;
  return number_of(name, out_id, &scratch) && !scratch && *out_id < TABLE_IDS;
}

static bool name_find(const tl_parser *p, tl_str name, uint64_t *out_at) {
  uint32_t id;
  if (!has_place(name, &id)) return tl_map_get(&p->names, name, out_at);
  if (id >= p->cap_by_id || p->by_id[id] <= p->names_before) return false;
  *out_at = p->by_id[id] - p->names_before - 1;
  return true;
}

static bool name_put(tl_parser *p, tl_str name, uint64_t at) {
  uint32_t id;
  if (!has_place(name, &id)) return tl_map_put(&p->names, name, at) || tl_parser_oom(p);
  if (id >= p->cap_by_id) {
    size_t cap = TL_MAX((size_t)id + 1, p->cap_by_id * 2);
    uint64_t *bigger = realloc(p->by_id, cap * sizeof *bigger);
    if (bigger == NULL) return tl_parser_oom(p);
    memset(bigger + p->cap_by_id, 0, (cap - p->cap_by_id) * sizeof *bigger);
    p->by_id = bigger;
    p->cap_by_id = cap;
  }
  p->by_id[id] = p->names_before + at + 1;
  return true;
}

void tl_parser_forget_names(tl_parser *p) {
  tl_map_deinit(&p->names);
  p->names_before += p->n_names;
  p->n_names = p->n_scope = 0;
}

bool tl_parser_name(tl_parser *p, tl_str name, tl_loc loc, tl_value *values, uint32_t n,
                    const tl_written *const *written, uint32_t n_written, bool shares) {
  uint64_t at;
  if (name_find(p, name, &at)) {
    if (p->name_list[at].in_scope)
      return tl_parser_fail(p, loc, "the name " TL_STR_FMT " is taken already", TL_STR_ARG(name));
    p->renumber |= !shares; // twice in one function, in regions beside each other
  } else {
    at = p->n_names;
    if (!tl_parser_heap_grow(p, &p->name_list, p->n_names, &p->cap_names, sizeof *p->name_list))
      return false;
    if (!name_put(p, name, at)) return false;
    p->n_names++;
  }
  if (!tl_parser_heap_grow(p, &p->scope, p->n_scope, &p->cap_scope, sizeof *p->scope)) return false;
  p->scope[p->n_scope++] = (uint32_t)at;
  p->name_list[at] = (tl_name){values, n, true, written, n_written};
  return true;
}

// Puts a name of tensors in scope; they may be none (a refused op).
static bool name_define(tl_parser *p, tl_str name, tl_loc loc, tl_value *values, uint32_t n,
                        bool shares) {
  return tl_parser_name(p, name, loc, values, n, NULL, 0, shares);
}

static void scope_leave(tl_parser *p, size_t to) {
  while (p->n_scope > to)
    p->name_list[p->scope[--p->n_scope]].in_scope = false;
}

tl_value tl_parser_define(tl_parser *p, tl_str name, tl_loc loc, tl_type type, bool shares) {
  tl_value *values = TL_NEW(p->m->arena, tl_value, 1);
  tl_arg_def *arg = TL_NEW(p->m->arena, tl_arg_def, 1);
  if (values == NULL || arg == NULL) {
    tl_parser_oom(p);
    return NULL;
  }
  uint32_t id = 0;
  bool scratch = false;
  if (!number_of(name, &id, &scratch)) p->renumber = true;
  *arg =
      (tl_arg_def){.value = {.type = type, .id = id & TL_MAX_ID, .scratch = scratch}, .loc = loc};
  tl_value v = values[0] = &arg->value;
  return name_define(p, name, loc, values, 1, shares) ? v : NULL;
}

bool tl_parser_args_define(tl_parser *p, tl_block *block, const tl_region_arg *args, uint32_t n,
                           bool shares) {
  size_t total = 0;
  for (uint32_t i = 0; i < n; i++)
    total += tl_region_arg_leaves(&args[i]);
  block->args = TL_NEW(p->m->arena, tl_value, total + 1); // tokens alone are no values
  if (block->args == NULL) return tl_parser_oom(p);
  for (uint32_t i = 0; i < n; i++) {
    const tl_region_arg *arg = &args[i];
    tl_value *values = block->args + block->n_args, v;
    if (arg->written == NULL) {
      if ((v = tl_parser_define(p, arg->name, arg->loc, arg->type, shares)) == NULL) return false;
      values[0] = v;
    } else {
      const uint32_t n_leaves = arg->written->n_leaves;
      tl_arg_def *defs = TL_NEW(p->m->arena, tl_arg_def, n_leaves + 1);
      const tl_written **written = TL_NEW(p->m->arena, const tl_written *, 1);
      if (defs == NULL || written == NULL) return tl_parser_oom(p);
      written[0] = arg->written;
      p->renumber = true;
      for (uint32_t k = 0; k < n_leaves; k++) {
        defs[k] = (tl_arg_def){.value = {.type = arg->leaves[k]}, .loc = arg->loc};
        values[k] = &defs[k].value;
      }
      if (!tl_parser_name(p, arg->name, arg->loc, values, n_leaves, written, 1, shares))
        return false;
    }
    for (uint32_t k = 0; k < tl_region_arg_leaves(arg); k++) {
      v = block->args[block->n_args];
      v->block = block;
      v->index = block->n_args++;
    }
  }
  return true;
}

bool tl_parser_use(tl_parser *p, tl_use *out) {
  *out = (tl_use){.refused = true, .loc = tl_parser_here(p)};
  if (!tl_parser_is(p, TL_TOKEN_VALUE)) return tl_parser_want(p, "a value such as %0");
  tl_token tok = p->tok;
  tl_parser_next(p);
  uint64_t index = 0;
  if (tl_parser_is(p, TL_TOKEN_HASH) && p->tok.text.ptr == p->before) {
    if (!tl_str_to_u64(tl_str_sub(p->tok.text, 1, p->tok.text.len), &index))
      return tl_parser_want(p, "the number of a result");
    out->loc.len += (uint32_t)p->tok.text.len;
    tl_parser_next(p);
  }
  uint64_t at;
  if (!name_find(p, tok.text, &at) || !p->name_list[at].in_scope) {
    tl_parser_report(p, out->loc, "no value " TL_STR_FMT " is defined above", TL_STR_ARG(tok.text));
    return true;
  }
  const tl_name *name = &p->name_list[at];
  const uint32_t n = name->written == NULL ? name->n : name->n_written;
  if (n == 0) return true;
  if (index >= n) {
    tl_parser_report(p, out->loc, TL_STR_FMT " has %u results, and no #%llu", TL_STR_ARG(tok.text),
                     n, (unsigned long long)index);
    return true;
  }
  out->refused = false;
  uint64_t before = name->written == NULL ? index : 0;
  for (uint64_t i = 0; i < index && name->written != NULL; i++)
    before += name->written[i] == NULL ? 1 : name->written[i]->n_leaves;
  out->values = name->values == NULL ? NULL : name->values + before; // tokens alone have no values
  out->n = 1;
  if (name->written == NULL) return true;
  out->written = name->written[index];
  if (out->written != NULL) out->n = out->written->n_leaves;
  return true;
}

bool tl_parser_operand(tl_parser *p, tl_pending *o) {
  tl_use use;
  if (!tl_parser_use(p, &use)) return false;
  o->poisoned |= use.refused;
  if (use.refused) use.n = 1;
  for (uint32_t i = 0; i < use.n; i++) {
    uint32_t cap = o->cap_operands;
    if (!tl_parser_grow_temp(p, &o->operand_locs, o->n_operands, &cap, sizeof *o->operand_locs) ||
        !tl_parser_grow_temp(p, &o->operands, o->n_operands, &o->cap_operands, sizeof *o->operands))
      return false;
    o->operand_locs[o->n_operands] = use.loc;
    o->operands[o->n_operands++] = use.refused ? NULL : use.values[i];
  }
  return true;
}

// Ops and regions.

typedef struct result_name {
  tl_token tok;
  uint32_t n; // results under it
} result_name;

static void block_append(tl_block *block, tl_op *op) {
  op->block = block;
  op->prev = block->last;
  if (block->last != NULL)
    block->last->next = op;
  else
    block->first = op;
  block->last = op;
}

// Ops that are known, and why they are not here.
static const char *refusal(tl_str name) {
  static const struct {
    const char *name, *why;
  } ops[] = {
      {"stablehlo.send", "programs do not talk to the host while they run"},
      {"stablehlo.recv", "programs do not talk to the host while they run"},
      {"stablehlo.infeed", "programs do not talk to the host while they run"},
      {"stablehlo.outfeed", "programs do not talk to the host while they run"},
      {"stablehlo.async_start", "collectives are synchronous here"},
      {"stablehlo.async_done", "collectives are synchronous here"},
  };
  for (size_t i = 0; i < TL_COUNT(ops); i++)
    if (tl_str_is(name, ops[i].name)) return ops[i].why;
  return NULL;
}

// The op's name as written: stablehlo.add, func.call, return.
static bool op_code(tl_parser *p, tl_str name, tl_opcode *out, const char **out_name) {
  tl_str mnemonic = {0};
  if (tl_str_starts(name, TL_STR("stablehlo.")))
    mnemonic = tl_str_sub(name, sizeof "stablehlo." - 1, name.len);
  if (tl_str_is(name, "func.call") || tl_str_is(name, "call"))
    mnemonic = TL_STR("call");
  else if (tl_str_is(name, "func.return") || tl_str_is(name, "return") ||
           tl_str_is(name, "sdy.return"))
    mnemonic = TL_STR("return");
  else if (tl_str_is(name, "stablehlo.call"))
    mnemonic = (tl_str){0};
  else if (tl_str_find(mnemonic, TL_STR(".")) != (size_t)-1)
    mnemonic = (tl_str){0};
  else if (mnemonic.len == 0 && tl_str_find(name, TL_STR(".")) != (size_t)-1)
    mnemonic = name; // of another dialect
  uint64_t code;
  if (mnemonic.len > 0 && tl_map_get(&p->ops, mnemonic, &code)) {
    *out = (tl_opcode)code;
    *out_name = tl_op_get(*out)->mnemonic;
    return true;
  }
  const char *why = refusal(name);
  if (why != NULL)
    return tl_parser_fail(p, tl_parser_here(p), "the op " TL_STR_FMT " is not supported: %s",
                          TL_STR_ARG(name), why);
  const char *known[TL_OP_COUNT];
  size_t n = 0;
  for (size_t i = 0; i < TL_OP_COUNT; i++)
    if ((tl_op_get((tl_opcode)i)->traits & TL_NAMED) == 0 &&
        strchr(tl_op_get((tl_opcode)i)->mnemonic, '.') == NULL)
      known[n++] = tl_op_get((tl_opcode)i)->mnemonic;
  const char *near =
      mnemonic.len == 0 || mnemonic.len > 40 ? NULL : tl_str_nearest(mnemonic, known, n);
  return tl_parser_fail(p, tl_parser_here(p), "the op " TL_STR_FMT " is not supported%s%s%s",
                        (int)TL_MIN(name.len, (size_t)60), name.ptr,
                        near == NULL ? "" : "; did you mean stablehlo.", near == NULL ? "" : near,
                        near == NULL ? "" : "?");
}

// namespace.name, as StableHLO wants composites called.
static bool is_namespaced(tl_str name) {
  size_t start = 0, parts = 0;
  for (size_t i = 0; i <= name.len; i++) {
    if (i < name.len && name.ptr[i] != '.') {
      char c = name.ptr[i];
      bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      bool other = (c >= '0' && c <= '9') || c == '_' || (c == '$' && parts > 0);
      if (!letter && (!other || i == 0)) return false;
      continue;
    }
    if (i == start) return false;
    start = i + 1;
    parts++;
  }
  return parts > 1;
}

static bool composite_check(tl_parser *p, const tl_op *op) {
  int64_t version = tl_op_i64(op, TL_A_COMPOSITE_version);
  if (version < 0 || version > INT32_MAX)
    return tl_parser_fail(p, op->loc, "composite: a version is a number from 0 to 2147483647");
  return is_namespaced(tl_op_str(op, TL_A_COMPOSITE_name)) ||
         tl_parser_fail(p, op->loc, "composite: wanted a name such as \"space.op\"");
}

// The op's row against what was read.
static bool op_check(tl_parser *p, const tl_pending *o) {
  const tl_op *op = o->op;
  const tl_op_info *info = tl_op_get(op->code);
  if (info->n_in >= 0 && o->n_operands != (uint32_t)info->n_in)
    return tl_parser_fail(p, op->loc, "%s takes %d operand%s, found %u", o->name, info->n_in,
                          info->n_in == 1 ? "" : "s", o->n_operands);
  if (info->n_out >= 0 && o->n_results != (uint32_t)info->n_out)
    return tl_parser_fail(p, op->loc, "%s has %d result%s, found %u", o->name, info->n_out,
                          info->n_out == 1 ? "" : "s", o->n_results);
  if (info->n_regions >= 0 && op->n_regions != (uint32_t)info->n_regions)
    return tl_parser_fail(p, op->loc, "%s has %d region%s, found %u", o->name, info->n_regions,
                          info->n_regions == 1 ? "" : "s", op->n_regions);
  for (uint32_t i = 0; i < info->n_attrs; i++) {
    const tl_attr_info *row = tl_attr_get((tl_attr_id)(info->attr_begin + i));
    if (row->required && !op->attrs[i].set)
      return tl_parser_fail(p, op->loc, "%s lacks its attribute %s", o->name, row->name);
  }
  return op->code != TL_OP_COMPOSITE || composite_check(p, op);
}

// Names of results, each of some as they stand in the text.
static bool names_bind(tl_parser *p, const tl_pending *o, const result_name *names,
                       uint32_t n_names, tl_value *values) {
  uint32_t at = 0; // of the results in the text
  for (uint32_t i = 0; i < n_names; at += names[i++].n) {
    const tl_written *const *written = o->written == NULL ? NULL : o->written + at;
    uint32_t n = names[i].n;
    for (uint32_t k = 0; written != NULL && k < names[i].n; k++)
      n = n - 1 + (written[k] == NULL ? 1 : written[k]->n_leaves);
    if (!tl_parser_name(p, names[i].tok.text, loc_of(p, &names[i].tok), values, n, written,
                        names[i].n, false))
      return false;
    values += n;
  }
  return true;
}

static bool op_results(tl_parser *p, tl_pending *o, const result_name *names, uint32_t n_names) {
  tl_op *op = o->op;
  uint64_t named = 0;
  const uint32_t n_written = o->written == NULL ? o->n_results : o->n_written;
  for (uint32_t i = 0; i < n_names; i++)
    named += names[i].n;
  if (n_names > 0 && named != n_written)
    return tl_parser_fail(p, op->loc, "%s has %u result%s, %llu are named", o->name, n_written,
                          n_written == 1 ? "" : "s", (unsigned long long)named);
  op->n_operands = o->n_operands;
  if (o->n_operands > 0) {
    op->operands = TL_NEW(p->m->arena, tl_value, o->n_operands);
    if (op->operands == NULL) return tl_parser_oom(p);
    memcpy(op->operands, o->operands, o->n_operands * sizeof *op->operands);
  }
  if (o->has_dims) {
    p->dims = o->dims;
    p->dims_loc = o->dims_loc;
    p->has_dims = true;
    if (!tl_parser_take_dims(p, o->results, o->n_results)) return false;
  }
  if (!tl_parser_refine(p, op, o->results, o->n_results)) return false;
  op->n_results = o->n_results;
  if (n_written == 0) return true;
  op->results = TL_NEW(p->m->arena, tl_value, o->n_results + 1);
  tl_value defs = TL_NEW(p->m->arena, tl_value_def, o->n_results + 1);
  if (op->results == NULL || defs == NULL) return tl_parser_oom(p);
  p->renumber |= n_names != 1 || o->written != NULL; // no name, or one a result
  uint32_t id = 0;
  bool scratch = false;
  if (n_names > 0 && !number_of(names[0].tok.text, &id, &scratch)) p->renumber = true;
  for (uint32_t i = 0; i < o->n_results; i++) {
    defs[i] = (tl_value_def){.type = o->results[i],
                             .op = op,
                             .block = op->block,
                             .index = i,
                             .id = id & TL_MAX_ID,
                             .scratch = scratch};
    op->results[i] = &defs[i];
  }
  return names_bind(p, o, names, n_names, op->results);
}

// The one name of an op whose value is there already; NULL: it was refused.
static bool one_name(tl_parser *p, tl_loc loc, const char *op, tl_value v, const result_name *names,
                     uint32_t n_names) {
  if (n_names > 1 || (n_names == 1 && names[0].n != 1))
    return tl_parser_fail(p, loc, "%s has 1 result", op);
  if (v == NULL || n_names == 0) return v != NULL;
  tl_value *values = TL_NEW(p->m->arena, tl_value, 1);
  if (values == NULL) return tl_parser_oom(p);
  values[0] = v;
  return name_define(p, names[0].tok.text, loc_of(p, &names[0].tok), values, 1, false);
}

static tl_op *op_new(tl_parser *p, tl_opcode code, tl_loc loc) {
  const tl_op_info *info = tl_op_get(code);
  tl_op *op = TL_NEW(p->m->arena, tl_op, 1);
  if (op != NULL) *op = (tl_op){.code = code, .block = p->block, .loc = loc};
  if (op != NULL && info->n_attrs > 0) {
    op->attrs = TL_NEW(p->m->arena, tl_attr, info->n_attrs);
    if (op->attrs != NULL) tl_attrs_default(code, op->attrs);
  }
  if (op == NULL || (info->n_attrs > 0 && op->attrs == NULL)) {
    p->oom = true;
    return NULL;
  }
  return op;
}

// check.expect_eq %0, %1 : T, the check dialect of StableHLO's tests: a custom_call of that name;
// and check.expect_eq_const %0, dense<…> : T, the same of a constant. False: no such check.
// StableHLO's driver takes a closer look at this form than at the custom_call: where no tolerance
// is written it is 0.0001 here and 0.001 there.
static bool is_check(tl_str name, tl_target *out, bool *out_constant) {
  *out_constant = tl_str_ends(name, TL_STR("_const"));
  return tl_str_starts(name, TL_STR("check.")) &&
         tl_target_of_name(tl_str_sub(name, 0, name.len - (*out_constant ? 6 : 0)), out);
}

static bool check_op(tl_parser *p, tl_target target, bool constant) {
  const tl_literal *wanted = NULL;
  const tl_loc loc = tl_parser_here(p);
  tl_pending o = {.op = op_new(p, TL_OP_CUSTOM_CALL, loc), .name = tl_target_name(target)};
  tl_attr *name, *effect;
  if (o.op == NULL || !(name = tl_parser_set(p, o.op, TL_A_CUSTOM_CALL_call_target_name)) ||
      !(effect = tl_parser_set(p, o.op, TL_A_CUSTOM_CALL_has_side_effect)))
    return false;
  name->str = tl_str_of(o.name);
  effect->i64 = 1;
  tl_parser_next(p);
  if (!tl_parser_check_body(p, &o, constant ? &wanted : NULL) || !tl_parser_skip_loc(p) ||
      o.poisoned)
    return false;
  if (target == TL_TARGET_CHECK_EXPECT_ALMOST_EQ &&
      !tl_op_attr(o.op, TL_A_CUSTOM_CALL_tolerance)->set)
    tl_parser_set(p, o.op, TL_A_CUSTOM_CALL_tolerance)->f64 = 0.0001;
  if (p->block->last != NULL && p->block->last->code == TL_OP_RETURN)
    return tl_parser_fail(p, loc, "an op behind the return that ends its block");
  o.op->n_operands = 2;
  o.op->operands = TL_NEW(p->m->arena, tl_value, 2);
  if (o.op->operands == NULL) return tl_parser_oom(p);
  memcpy(o.op->operands, o.operands, o.n_operands * sizeof *o.operands);
  if (constant) {
    tl_pending c = {.op = op_new(p, TL_OP_CONSTANT, loc), .n_results = 1};
    tl_attr *value = c.op ? tl_parser_set(p, c.op, TL_A_CONSTANT_value) : NULL;
    if (value == NULL) return false;
    value->dense = wanted;
    c.results = &(tl_type){wanted->type.dtype, wanted->type.rank, wanted->type.dims};
    if (!op_results(p, &c, NULL, 0)) return false;
    block_append(p->block, c.op);
    o.op->operands[1] = c.op->results[0];
  }
  block_append(p->block, o.op);
  return true;
}

bool tl_parser_target(tl_parser *p, const tl_op *op) {
  tl_str name = tl_op_str(op, TL_A_CUSTOM_CALL_call_target_name);
  tl_target target;
  const char *why;
  if (tl_target_of_name(name, &target) || (tl_call_is_known(name, &why) && why == NULL))
    return true;
  if (why != NULL)
    return tl_parser_fail(p, op->loc,
                          "custom_call: the target @" TL_STR_FMT ", %s, is not supported",
                          TL_STR_ARG(name), why);
  const char *near = tl_target_near(name);
  return tl_parser_fail(
      p, op->loc, "custom_call: the target @" TL_STR_FMT " is not supported%s%s%s",
      TL_STR_ARG(name), near ? "; did you mean @" : "", near ? near : "", near ? "?" : "");
}

// A custom_call that means other ops: they are built here, and its names stand for their values.
static bool call_results(tl_parser *p, const tl_pending *o, const result_name *names,
                         uint32_t n_names) {
  uint64_t named = 0;
  for (uint32_t i = 0; i < n_names; i++)
    named += names[i].n;
  if (n_names > 0 && named != (o->written == NULL ? o->n_results : o->n_written))
    return tl_parser_fail(p, o->op->loc, "custom_call has %u results, %llu are named", o->n_results,
                          (unsigned long long)named);
  tl_value *values = TL_NEW(p->m->arena, tl_value, o->n_results + 1);
  if (values == NULL) return tl_parser_oom(p);
  tl_call call = {.target = tl_op_str(o->op, TL_A_CUSTOM_CALL_call_target_name),
                  .config = p->call.config,
                  .computation = tl_op_str(o->op, TL_A_CUSTOM_CALL_called_computations),
                  .operand_layouts = p->call.operand_layouts,
                  .result_layouts = p->call.result_layouts,
                  .operands = o->operands,
                  .results = o->results,
                  .n_operands = o->n_operands,
                  .n_results = o->n_results};
  tl_builder b = {.m = p->m, .fn = p->fn, .block = p->block, .loc = o->op->loc};
  tl_status st = tl_call_read(&b, &call, values);
  if (st == TL_OK)
    st = b.error;
  else
    tl_status_drop(b.error);
  if (tl_status_get_code(st) == TL_STATUS_RESOURCE_EXHAUSTED) p->oom = true;
  if (st != TL_OK) {
    const char *text = tl_status_message(st);
    if (!p->oom) tl_parser_report(p, o->op->loc, "custom_call: %s", text);
    tl_status_drop(st);
    return false;
  }
  p->renumber = true;
  return names_bind(p, o, names, n_names, values);
}

static bool op_read(tl_parser *p, result_name **names, uint32_t *n_names, uint32_t *cap_names) {
  while (tl_parser_is(p, TL_TOKEN_VALUE)) {
    if (!tl_parser_grow_temp(p, names, *n_names, cap_names, sizeof **names)) return false;
    result_name *name = &(*names)[*n_names];
    *name = (result_name){p->tok, 1};
    tl_parser_next(p);
    if (tl_parser_accept(p, ':')) {
      uint64_t n;
      if (!tl_parser_is(p, TL_TOKEN_INT) || !tl_str_to_u64(p->tok.text, &n) || n == 0 ||
          n > 1u << 20)
        return tl_parser_want(p, "the number of results");
      name->n = (uint32_t)n;
      tl_parser_next(p);
    }
    ++*n_names;
    if (tl_parser_accept(p, ',')) {
      if (!tl_parser_is(p, TL_TOKEN_VALUE)) return tl_parser_want(p, "the name of a result");
      continue;
    }
    if (!tl_parser_expect(p, '=', "'=' behind the names of results")) return false;
    break;
  }
  bool quoted = tl_parser_is(p, TL_TOKEN_STRING);
  if (!quoted && !tl_parser_is(p, TL_TOKEN_WORD)) return tl_parser_want(p, "an op");
  tl_str text = quoted ? tl_str_sub(p->tok.text, 1, p->tok.text.len - 1) : p->tok.text;
  tl_target target;
  bool constant;
  if (!quoted && *n_names == 0 && is_check(text, &target, &constant))
    return check_op(p, target, constant);

  bool taken;
  const tl_token first = *n_names > 0 ? (*names)[0].tok : p->tok;
  if (!tl_parser_tuple_op(p, text, quoted, first.text, loc_of(p, &first), *n_names, &taken))
    return false;
  if (taken) return true;

  tl_pending o = {0};
  tl_opcode code;
  bool expands = false, chlo = tl_chlo_find(text, &code, &o.name, &expands);
  if (!chlo && !op_code(p, text, &code, &o.name)) return false;
  o.op = op_new(p, code, tl_parser_here(p));
  if (o.op == NULL) return false;
  tl_parser_next(p);
  if (expands) {
    tl_value v;
    return tl_parser_chlo_expand(p, &o, quoted, &v) &&
           one_name(p, o.op->loc, o.name, v, *names, *n_names);
  }
  memset(&p->call, 0, sizeof p->call);
  if (!(chlo ? tl_parser_chlo_body : tl_parser_op_body)(p, &o, quoted) || !tl_parser_skip_loc(p) ||
      o.poisoned)
    return false;
  if (!op_check(p, &o)) return false;
  if (p->block->last != NULL && p->block->last->code == TL_OP_RETURN)
    return tl_parser_fail(p, o.op->loc, "an op behind the return that ends its block");
  if (code == TL_OP_CUSTOM_CALL) {
    const char *why;
    if (tl_call_is_known(tl_op_str(o.op, TL_A_CUSTOM_CALL_call_target_name), &why))
      return tl_parser_target(p, o.op) && call_results(p, &o, *names, *n_names);
    // An unknown one is left to the verifier.
    if (p->call.loc.line != 0 &&
        tl_target_of_name(tl_op_str(o.op, TL_A_CUSTOM_CALL_call_target_name), &target) &&
        target != TL_TARGET_SHAPE_ASSERTION && target != TL_TARGET_DYNAMIC_REDUCE_WINDOW)
      return tl_parser_fail(p, p->call.loc, "this attribute of a check is not supported");
  }
  if (!op_results(p, &o, *names, *n_names)) return false;
  block_append(p->block, o.op);
  if (code == TL_OP_COMPOSITE) {
    if (!tl_parser_heap_grow(p, &p->composites, p->n_composites, &p->cap_composites,
                             sizeof *p->composites))
      return false;
    p->composites[p->n_composites++] = o.op;
  }
  return true;
}

bool tl_parser_block(tl_parser *p, const char *of) { // NOLINT(misc-no-recursion)
  bool good = true;
  while (!tl_parser_is(p, '}') && !tl_parser_is(p, TL_TOKEN_END) && !p->oom) {
    const char *from = p->tok.text.ptr;
    uint32_t depth = p->depth, n_names = 0, cap_names = 0;
    result_name *names = NULL;
    tl_arena_point mark = tl_arena_mark(p->temp);
    bool read = op_read(p, &names, &n_names, &cap_names);
    if (read) tl_arena_rewind(p->temp, mark);
    if (read) continue;
    good = false;
    if (p->oom) return false;
    if (p->tok.text.ptr == from) tl_parser_next(p);
    tl_parser_recover(p, depth);
    for (uint32_t i = 0; i < n_names; i++) {
      uint64_t at;
      if (name_find(p, names[i].tok.text, &at) && p->name_list[at].in_scope) continue;
      if (!name_define(p, names[i].tok.text, loc_of(p, &names[i].tok), NULL, 0, false))
        return false;
    }
    tl_arena_rewind(p->temp, mark);
  }
  if (good && (p->block->last == NULL || p->block->last->code != TL_OP_RETURN))
    return tl_parser_fail(p, tl_parser_here(p), "%s must end in a return", of);
  return true;
}

bool tl_parser_block_label(tl_parser *p, tl_region_arg **out, uint32_t *out_n) {
  uint32_t cap = 0;
  if (!tl_parser_accept(p, TL_TOKEN_BLOCK)) return true;
  if (tl_parser_accept(p, '(') && !tl_parser_accept(p, ')')) {
    do {
      if (!tl_parser_is(p, TL_TOKEN_VALUE))
        return tl_parser_want(p, "the name of a block's argument");
      if (!tl_parser_grow(p, out, *out_n, &cap, sizeof **out)) return false;
      tl_region_arg *arg = &(*out)[*out_n];
      *arg = (tl_region_arg){.name = p->tok.text, .loc = tl_parser_here(p)};
      tl_parser_next(p);
      if (!tl_parser_expect(p, ':', "':' and the argument's type") || !tl_parser_arg_type(p, arg) ||
          !tl_parser_skip_loc(p))
        return false;
      ++*out_n;
    } while (tl_parser_accept(p, ','));
    if (!tl_parser_expect(p, ')', "')' behind the block's arguments")) return false;
  }
  return tl_parser_expect(p, ':', "':' behind the block's label");
}

bool tl_parser_region(tl_parser *p, tl_pending *o, const tl_region_arg *args, uint32_t n_args,
                      bool shares) {
  tl_op *op = o->op;
  if (p->nesting >= TL_PARSER_MAX_NESTING)
    return tl_parser_fail(p, tl_parser_here(p), "regions nest deeper than %d",
                          TL_PARSER_MAX_NESTING);
  if (!tl_parser_expect(p, '{', "'{' and a region")) return false;
  tl_block *block = TL_NEW(p->m->arena, tl_block, 1), *outer = p->block;
  uint32_t cap = op->n_regions; // full whenever it is a power of two, or none
  if ((cap & (cap - 1)) == 0) {
    tl_block **bigger = TL_NEW(p->m->arena, tl_block *, cap == 0 ? 1 : cap * 2);
    if (bigger == NULL) return tl_parser_oom(p);
    if (cap > 0) memcpy(bigger, op->regions, cap * sizeof *bigger);
    op->regions = bigger;
  }
  if (block == NULL) return tl_parser_oom(p);
  *block = (tl_block){.parent = op, .func = p->fn};
  op->regions[op->n_regions++] = block;

  tl_region_arg *labelled = NULL;
  uint32_t n_labelled = 0;
  size_t scope = p->n_scope;
  bool good = true;
  if (args == NULL) {
    good = tl_parser_block_label(p, &labelled, &n_labelled);
    args = labelled;
    n_args = n_labelled;
    // Arguments of a loop are its operands, names of dims included.
    for (uint32_t i = 0; op->code == TL_OP_WHILE && i < n_args && i < o->n_operands; i++)
      if (args[i].written != NULL)
        break;
      else if (o->operands[i] != NULL && tl_parser_type_fits(o->operands[i]->type, args[i].type))
        labelled[i].type = o->operands[i]->type;
  }
  p->nesting++;
  p->block = block;
  good = good && tl_parser_args_define(p, block, args, n_args, shares);
  good = good && tl_parser_block(p, "a region");
  p->nesting--;
  p->block = outer;
  scope_leave(p, scope);
  return good && tl_parser_expect(p, '}', "'}' behind the region");
}
