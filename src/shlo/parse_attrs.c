// Attributes, each read as the kind its row in attrs.def says, in every spelling that MLIR printers
// have used: `array<i64: 1, 2>`, `[1, 2]` and the older `dense<[1, 2]> : tensor<2xi64>` are one
// list.
//
// An alias (`#name`, defined at the top of the text) is read where it is used, by jumping to its
// definition and back. Jumps are counted, so that aliases of aliases cannot multiply.
#include "shlo/parser.h"

#include <stdio.h>

#include "shlo/spell.h"

// Skipping.

bool tl_parser_skip_balanced(tl_parser *p) {
  tl_loc open = tl_parser_here(p);
  size_t depth = 0;
  do {
    switch (p->tok.kind) {
    case '(':
    case '[':
    case '{':
    case '<':
      depth++;
      break;
    case ')':
    case ']':
    case '}':
    case '>':
      depth--;
      break;
    case TL_TOKEN_BAD:
      return tl_parser_want(p, "a closing bracket");
    case TL_TOKEN_END:
      return tl_parser_fail(p, open, "this bracket does not close");
    default:
      break;
    }
    tl_parser_next(p);
  } while (depth > 0);
  return true;
}

bool tl_parser_skip_value(tl_parser *p) {
  const char *from = p->tok.text.ptr;
  for (;;) {
    switch (p->tok.kind) {
    case '(':
    case '[':
    case '{':
    case '<':
      if (!tl_parser_skip_balanced(p)) return false;
      break;
    case TL_TOKEN_HASH:
    case TL_TOKEN_WORD:
      if (p->tok.first && p->tok.text.ptr != from) return true; // the next line of a module
      tl_parser_next(p);
      break;
    case ',':
    case ')':
    case ']':
    case '}':
    case '>':
    case TL_TOKEN_BAD:
    case TL_TOKEN_END:
      return p->tok.text.ptr != from || tl_parser_want(p, "an attribute");
    default:
      tl_parser_next(p);
    }
  }
}

static bool is_neutral(tl_str name) {
  static const char *const names[] = {
#define TL_NEUTRAL(name) name,
#include "shlo/neutral.def"
#undef TL_NEUTRAL
  };
  for (size_t i = 0; i < TL_COUNT(names); i++)
    if (tl_str_is(name, names[i])) return true;
  return false;
}

// Values.

bool tl_parser_int(tl_parser *p, int64_t *out) {
  bool negative = tl_parser_accept(p, '-');
  tl_str text = p->tok.text;
  uint64_t v = 0;
  if (!tl_parser_is(p, TL_TOKEN_INT)) return tl_parser_want(p, "an integer");
  bool fits = true;
  if (text.len > 2 && text.ptr[1] == 'x') {
    for (size_t i = 2; i < text.len && fits; i++) {
      fits = v >> 60 == 0;
      char c = text.ptr[i];
      v = v << 4 | (uint64_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
    }
  } else {
    fits = tl_str_to_u64(text, &v);
  }
  if (!fits || v > (uint64_t)INT64_MAX + negative)
    return tl_parser_fail(p, tl_parser_here(p), "this integer does not fit in 64 bits");
  *out = (int64_t)(negative ? 0 - v : v);
  tl_parser_next(p);
  return true;
}

// `: i64` behind a number, where it is there.
static bool number_type(tl_parser *p, const char *const *types, size_t n, const char *what,
                        bool *out_first) {
  *out_first = true;
  if (!tl_parser_accept(p, ':')) return true;
  for (size_t i = 0; i < n; i++)
    if (tl_parser_is_word(p, types[i])) {
      *out_first = i == 0;
      tl_parser_next(p);
      return true;
    }
  return tl_parser_want(p, what);
}

bool tl_parser_int_attr(tl_parser *p, int64_t *out) {
  static const char *const types[] = {"i64",   "i32",  "i16",  "i8",   "i1",
                                      "index", "ui64", "ui32", "si64", "si32"};
  bool first;
  return tl_parser_int(p, out) &&
         number_type(p, types, TL_COUNT(types), "an integer type such as i64", &first);
}

bool tl_parser_float(tl_parser *p, double *out) {
  if (!tl_parser_is(p, TL_TOKEN_FLOAT)) return tl_parser_want(p, "a float such as 1.0");
  if (!tl_str_to_f64(p->tok.text, out))
    return tl_parser_fail(p, tl_parser_here(p), "this number is too large for an f64");
  tl_parser_next(p);
  return true;
}

static bool float_attr(tl_parser *p, double *out) {
  static const char *const types[] = {"f64", "f32"};
  bool negative = tl_parser_accept(p, '-'), is_f64;
  tl_token tok = p->tok;
  int64_t bits = 0;
  if (tl_parser_is(p, TL_TOKEN_FLOAT)) {
    if (!tl_str_to_f64(tok.text, out))
      return tl_parser_fail(p, tl_parser_here(p), "this number is too large for an f64");
    tl_parser_next(p);
  } else if (tl_parser_is(p, TL_TOKEN_INT) && tok.text.len == 18 && tok.text.ptr[1] == 'x' &&
             !negative) {
    uint64_t v = 0;
    for (size_t i = 2; i < tok.text.len; i++) {
      char c = tok.text.ptr[i];
      v = v << 4 | (uint64_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
    }
    bits = (int64_t)v;
    memcpy(out, &bits, sizeof bits);
    tl_parser_next(p);
  } else {
    return tl_parser_want(p, "a float such as 1.0, or the 16 hex digits of its bits");
  }
  if (!number_type(p, types, TL_COUNT(types), "the type f64 or f32", &is_f64)) return false;
  if (!is_f64) *out = (double)(float)*out;
  if (negative) *out = -*out;
  return true;
}

typedef struct list {
  int64_t *ptr;
  uint32_t len, cap;
} list;

static bool list_push(tl_parser *p, list *l, int64_t v) {
  if (!tl_parser_grow_temp(p, &l->ptr, l->len, &l->cap, sizeof v)) return false;
  l->ptr[l->len++] = v;
  return true;
}

// The list as an attribute keeps it: in the arena, at its size.
static bool list_keep(tl_parser *p, const list *l, tl_i64s *out) {
  int64_t *kept = l->len == 0 ? NULL : TL_NEW(p->m->arena, int64_t, l->len);
  if (l->len > 0 && kept == NULL) return tl_parser_oom(p);
  if (l->len > 0) memcpy(kept, l->ptr, l->len * sizeof *kept);
  *out = (tl_i64s){kept, l->len};
  return true;
}

bool tl_parser_int_list(tl_parser *p, tl_i64s *out) {
  list l = {0};
  if (!tl_parser_expect(p, '[', "'[' and integers")) return false;
  if (!tl_parser_accept(p, ']')) {
    do {
      int64_t v;
      if (!tl_parser_int(p, &v) || !list_push(p, &l, v)) return false;
    } while (tl_parser_accept(p, ','));
    if (!tl_parser_expect(p, ']', "']' behind the integers")) return false;
  }
  return list_keep(p, &l, out);
}

bool tl_parser_int_array(tl_parser *p, tl_i64s *out) {
  list l = {0};
  tl_parser_next(p);
  if (!tl_parser_expect(p, '<', "'<' behind array")) return false;
  if (!tl_parser_is_word(p, "i64") && !tl_parser_is_word(p, "i32")) return tl_parser_want(p, "i64");
  tl_parser_next(p);
  if (tl_parser_accept(p, ':')) {
    do {
      int64_t v;
      if (!tl_parser_int(p, &v) || !list_push(p, &l, v)) return false;
    } while (tl_parser_accept(p, ','));
  }
  return list_keep(p, &l, out) && tl_parser_expect(p, '>', "'>' behind the integers");
}

// [[1, 2], [3, 4]], flat
bool tl_parser_pairs(tl_parser *p, tl_i64s *out) {
  list l = {0};
  if (!tl_parser_expect(p, '[', "'[' and pairs of integers")) return false;
  if (!tl_parser_accept(p, ']')) {
    do {
      int64_t a, b;
      if (!tl_parser_expect(p, '[', "'[' and two integers") || !tl_parser_int(p, &a) ||
          !tl_parser_expect(p, ',', "','") || !tl_parser_int(p, &b) ||
          !tl_parser_expect(p, ']', "']' behind two integers") || !list_push(p, &l, a) ||
          !list_push(p, &l, b))
        return false;
    } while (tl_parser_accept(p, ','));
    if (!tl_parser_expect(p, ']', "']' behind the pairs")) return false;
  }
  return list_keep(p, &l, out);
}

static bool one_bool(tl_parser *p, int64_t *out) {
  *out = tl_parser_is_word(p, "true");
  if (tl_parser_accept_word(p, "true") || tl_parser_accept_word(p, "false")) return true;
  tl_loc loc = tl_parser_here(p);
  if (!tl_parser_is(p, TL_TOKEN_INT)) return tl_parser_want(p, "true or false");
  if (!tl_parser_int(p, out)) return false;
  return (*out & ~INT64_C(1)) == 0 || tl_parser_fail(p, loc, "wanted true or false");
}

// [false, true], [0, 1], array<i1: false, true>
bool tl_parser_bools(tl_parser *p, tl_i64s *out) {
  list l = {0};
  bool array = tl_parser_accept_word(p, "array");
  if (array) {
    if (!tl_parser_expect(p, '<', "'<' behind array") || !tl_parser_expect_word(p, "i1"))
      return false;
    if (tl_parser_accept(p, '>')) return true;
    if (!tl_parser_expect(p, ':', "':' and booleans")) return false;
  } else {
    if (!tl_parser_expect(p, '[', "'[' and booleans")) return false;
    if (tl_parser_accept(p, ']')) return true;
  }
  do {
    int64_t v;
    if (!one_bool(p, &v) || !list_push(p, &l, v)) return false;
  } while (tl_parser_accept(p, ','));
  return list_keep(p, &l, out) &&
         tl_parser_expect(p, array ? '>' : ']', array ? "'>'" : "']' behind the booleans");
}

// dense<[1, 2]> : tensor<2xi64>
static bool int_dense(tl_parser *p, bool pairs, tl_i64s *out) {
  const tl_literal *l;
  tl_loc loc = tl_parser_here(p);
  if (!tl_parser_dense(p, &l)) return false;
  size_t n;
  if (l->type.dtype != TL_DTYPE_S64 || !tl_type_count(l->type, &n) ||
      n > (pairs ? TL_MAX_DEVICES * 2u : TL_MAX_RANK * 2u) ||
      (pairs ? l->type.rank != 2 || l->type.dims[1] != 2 : l->type.rank > 1))
    return tl_parser_fail(p, loc,
                          pairs ? "wanted a short list of pairs of i64, such as 2x2xi64"
                                : "wanted a short list of i64");
  int64_t *ptr = TL_NEW(p->m->arena, int64_t, TL_MAX(n, (size_t)1));
  if (ptr == NULL) return tl_parser_oom(p);
  for (size_t i = 0; i < n; i++)
    memcpy(&ptr[i], (const char *)l->data + (l->splat ? 0 : i * sizeof *ptr), sizeof *ptr);
  *out = (tl_i64s){ptr, n};
  return true;
}

bool tl_parser_enum(tl_parser *p, tl_attr_kind kind, int64_t *out) {
  if (tl_parser_is(p, TL_TOKEN_WORD) && tl_enum_of_name(kind, p->tok.text, out)) {
    tl_parser_next(p);
    return true;
  }
  char what[160];
  size_t len = 0;
  for (int64_t v = 0; tl_enum_name(kind, v) != NULL && len < sizeof what - 32; v++)
    len += (size_t)snprintf(what + len, sizeof what - len, "%s%s", v == 0 ? "" : " | ",
                            tl_enum_name(kind, v));
  return tl_parser_want(p, what);
}

// #stablehlo<comparison_direction LT>; CHLO has enumerations of the same names.
static bool wrapped_enum(tl_parser *p, const char *name, tl_attr_kind kind, int64_t *out) {
  if (!tl_parser_is(p, TL_TOKEN_HASH) ||
      (!tl_str_is(p->tok.text, "#stablehlo") && !tl_str_is(p->tok.text, "#chlo")))
    return tl_parser_want(p, "#stablehlo<…>");
  tl_parser_next(p);
  return tl_parser_expect(p, '<', "'<' behind #stablehlo") && tl_parser_expect_word(p, name) &&
         tl_parser_enum(p, kind, out) && tl_parser_expect(p, '>', "'>' behind the value");
}

bool tl_parser_wrapped_enum(tl_parser *p, tl_attr_kind kind, int64_t *out) {
  return wrapped_enum(p, tl_enum_type_name(kind), kind, out);
}

static bool precisions(tl_parser *p, bool wrapped, tl_i64s *out) {
  list l = {0};
  if (!tl_parser_expect(p, '[', "'[' and precisions")) return false;
  if (!tl_parser_accept(p, ']')) {
    do {
      int64_t v;
      if (!(wrapped ? wrapped_enum(p, "precision", TL_AK_PRECISIONS, &v)
                    : tl_parser_enum(p, TL_AK_PRECISIONS, &v)) ||
          !list_push(p, &l, v))
        return false;
    } while (tl_parser_accept(p, ','));
    if (!tl_parser_expect(p, ']', "']' behind the precisions")) return false;
  }
  return list_keep(p, &l, out);
}

bool tl_parser_precisions(tl_parser *p, tl_i64s *out) { return precisions(p, false, out); }

// Any attribute, read for its form alone.

static bool any_dict(tl_parser *p, int depth);

static bool any_list(tl_parser *p, int depth);

static bool any_value(tl_parser *p, int depth) { // NOLINT(misc-no-recursion): counted
  if (depth > 32) return tl_parser_fail(p, tl_parser_here(p), "attributes nest deeper than 32");
  switch (p->tok.kind) {
  case '{':
    return any_dict(p, depth + 1);
  case '[':
    return any_list(p, depth + 1);
  case TL_TOKEN_STRING:
  case TL_TOKEN_SYMBOL:
    tl_parser_next(p);
    return true;
  case '-':
    tl_parser_next(p);
    if (!tl_parser_is(p, TL_TOKEN_INT) && !tl_parser_is(p, TL_TOKEN_FLOAT))
      return tl_parser_want(p, "a number");
    // fall through
  case TL_TOKEN_INT:
  case TL_TOKEN_FLOAT:
    tl_parser_next(p);
    if (!tl_parser_accept(p, ':')) return true;
    if (!tl_parser_is(p, TL_TOKEN_WORD)) return tl_parser_want(p, "a number's type");
    tl_parser_next(p);
    return true;
  case TL_TOKEN_HASH:
    if (!tl_str_starts(p->tok.text, TL_STR("#stablehlo")))
      return tl_parser_fail(p, tl_parser_here(p),
                            "an alias inside the attributes of a composite is not supported");
    break;
  case TL_TOKEN_WORD: {
    const tl_literal *literal;
    tl_type type;
    if (tl_parser_is_word(p, "tensor")) return tl_parser_type(p, &type);
    if (tl_parser_is_word(p, "dense") || tl_parser_is_word(p, "dense_resource"))
      return tl_parser_dense(p, &literal);
    break;
  }
  default:
    return tl_parser_want(p, "an attribute");
  }
  tl_parser_next(p); // true, i32, array<…>, #stablehlo<…>
  return !tl_parser_is(p, '<') || tl_parser_skip_balanced(p);
}

static bool any_list(tl_parser *p, int depth) { // NOLINT(misc-no-recursion)
  tl_parser_next(p);
  if (tl_parser_accept(p, ']')) return true;
  do {
    if (!any_value(p, depth)) return false;
  } while (tl_parser_accept(p, ','));
  return tl_parser_expect(p, ']', "']' behind the attributes");
}

static bool any_dict(tl_parser *p, int depth) { // NOLINT(misc-no-recursion)
  tl_parser_next(p);
  if (tl_parser_accept(p, '}')) return true;
  do {
    if (!tl_parser_is(p, TL_TOKEN_WORD) && !tl_parser_is(p, TL_TOKEN_STRING))
      return tl_parser_want(p, "the name of an attribute");
    tl_parser_next(p);
    if (tl_parser_accept(p, '=') && !any_value(p, depth)) return false;
  } while (tl_parser_accept(p, ','));
  return tl_parser_expect(p, '}', "'}' behind the attributes");
}

// The text of a dictionary, comments and line ends taken out; empty for {}.
static bool dict_text(tl_parser *p, tl_str *out) {
  if (!tl_parser_is(p, '{')) return tl_parser_want(p, "'{' and attributes");
  const char *from = p->tok.text.ptr;
  if (!any_dict(p, 0)) return false;
  tl_lexer l;
  tl_buf text = {0};
  tl_lexer_init(&l, (tl_str){from, (size_t)(p->before - from)});
  const char *before = from;
  size_t n = 0;
  for (tl_token t = tl_lexer_next(&l); t.kind != TL_TOKEN_END && t.kind != TL_TOKEN_BAD;
       t = tl_lexer_next(&l), n++) {
    if (t.text.ptr != before) tl_buf_char(&text, ' ');
    tl_buf_str(&text, t.text);
    before = t.text.ptr + t.text.len;
  }
  *out = n == 2 ? (tl_str){"", 0} : tl_str_copy(p->m->arena, tl_buf_view(&text));
  bool oom = text.oom || out->ptr == NULL;
  tl_buf_deinit(&text);
  return !oom || tl_parser_oom(p);
}

bool tl_parser_string(tl_parser *p, tl_str *out) {
  bool oom = false;
  if (!tl_parser_is(p, TL_TOKEN_STRING)) return tl_parser_want(p, "a string");
  if (!tl_spell_unquote(p->m->arena, p->tok.text, out, &oom))
    return oom ? tl_parser_oom(p)
               : tl_parser_fail(p, tl_parser_here(p), "this string has an unknown escape");
  tl_parser_next(p);
  return true;
}

// The attributes of an op.

tl_attr *tl_parser_set(tl_parser *p, tl_op *op, tl_attr_id id) {
  tl_attr *attr = &op->attrs[id - tl_op_get(op->code)->attr_begin];
  if (attr->set) {
    tl_parser_report(p, tl_parser_here(p), "the attribute %s is given twice",
                     tl_attr_get(id)->name);
    return NULL;
  }
  attr->set = true;
  return attr;
}

static bool value_of_kind(tl_parser *p, const tl_attr_info *row, tl_attr *attr) {
  if (tl_attr_kind_is_enum(row->kind) && row->kind != TL_AK_DOT_ALGORITHM)
    return wrapped_enum(p, tl_enum_type_name(row->kind), row->kind, &attr->i64);
  switch (row->kind) {
  case TL_AK_I64:
    return tl_parser_int_attr(p, &attr->i64);
  case TL_AK_F64:
    return float_attr(p, &attr->f64);
  case TL_AK_BOOL:
    attr->i64 = tl_parser_is_word(p, "true");
    return tl_parser_accept_word(p, "true") || tl_parser_accept_word(p, "false") ||
           tl_parser_want(p, "true or false");
  case TL_AK_STR:
    return tl_parser_string(p, &attr->str);
  case TL_AK_I64S:
    if (tl_parser_is_word(p, "array")) return tl_parser_int_array(p, &attr->list);
    if (tl_parser_is_word(p, "dense")) return int_dense(p, false, &attr->list);
    return tl_parser_int_list(p, &attr->list);
  case TL_AK_PAIRS:
    if (tl_parser_is_word(p, "dense")) return int_dense(p, true, &attr->list);
    return tl_parser_pairs(p, &attr->list);
  case TL_AK_BOOLS:
    return tl_parser_bools(p, &attr->list);
  case TL_AK_DENSE:
    return tl_parser_dense(p, &attr->dense);
  case TL_AK_SYMBOL: // @f; [@f] and [], of called_computations
    if (!tl_parser_accept(p, '[')) return tl_parser_symbol(p, &attr->str);
    return tl_parser_accept(p, ']') ||
           (tl_parser_symbol(p, &attr->str) && tl_parser_expect(p, ']', "']' behind the function"));
  case TL_AK_TEXT:
    return dict_text(p, &attr->str);
  case TL_AK_DOT_ALGORITHM:
    if (!tl_parser_is(p, TL_TOKEN_HASH) || !tl_str_is(p->tok.text, "#stablehlo.dot_algorithm"))
      return tl_parser_want(p, "#stablehlo.dot_algorithm<…>");
    tl_parser_next(p);
    return tl_parser_dot_algorithm(p, &attr->i64);
  case TL_AK_PRECISIONS:
    return precisions(p, true, &attr->list);
  case TL_AK_UNIT:
    attr->i64 = 1;
    return tl_parser_expect_word(p, "unit");
  case TL_AK_CHANNEL:
    return tl_parser_channel(p, &attr->list);
  case TL_AK_GROUPS:
    return tl_parser_groups(p, &attr->groups);
  case TL_AK_SHARDING:
  case TL_AK_SHARDINGS:
    return tl_parser_shardings_attr(p, row->kind == TL_AK_SHARDING, &attr->shardings);
  case TL_AK_AXES:
    return tl_parser_axes_attr(p, &attr->names);
  case TL_AK_PROGRAMS:
    return tl_parser_programs(p, &attr->names);
  default: // enumerators are read above
    return false;
  }
}

static bool dimension_numbers(tl_parser *p, tl_op *op, const char *name);

// One value at the current token: of the row, or (without one) the dimension numbers of the op.
static bool value_here(tl_parser *p, tl_op *op, const tl_attr_info *row, tl_attr *attr,
                       const char *numbers) {
  bool alias = tl_parser_is(p, TL_TOKEN_HASH) &&
               !tl_str_starts(p->tok.text, TL_STR("#stablehlo")) &&
               !tl_str_starts(p->tok.text, TL_STR("#sdy.")) && !tl_str_is(p->tok.text, "#sdy");
  if (!alias) return row != NULL ? value_of_kind(p, row, attr) : dimension_numbers(p, op, numbers);
  uint64_t at;
  tl_loc use = tl_parser_here(p);
  if (!tl_map_get(&p->aliases, p->tok.text, &at))
    return tl_parser_fail(p, use, "no alias " TL_STR_FMT " is defined above",
                          TL_STR_ARG(p->tok.text));
  if (p->alias_nesting >= TL_PARSER_MAX_ALIASES || ++p->n_expansions > TL_PARSER_MAX_EXPANSIONS)
    return tl_parser_fail(p, use, "too many aliases");
  tl_parser_next(p);
  tl_lexer lex = p->lex;
  tl_token tok = p->tok;
  const char *before = p->before;
  uint32_t depth = p->depth;
  p->alias_nesting++;
  p->lex = p->alias_at[at];
  p->tok = tl_lexer_next(&p->lex);
  bool good = value_here(p, op, row, attr, numbers); // NOLINT(misc-no-recursion): counted
  p->alias_nesting--;
  p->lex = lex;
  p->tok = tok;
  p->before = before;
  p->depth = depth;
  return good;
}

static const tl_attr_info *row_of(const tl_op *op, tl_str name, tl_attr_id *out_id) {
  const tl_op_info *info = tl_op_get(op->code);
  for (uint32_t i = 0; i < info->n_attrs; i++) {
    *out_id = (tl_attr_id)(info->attr_begin + i);
    const tl_attr_info *row = tl_attr_get(*out_id);
    if (tl_str_is(name, row->name)) return row;
  }
  return NULL;
}

// [b, 0, 1, f], whose letters are `letters`, into the dims of the two letters and of the numbers.
static bool conv_dims(tl_parser *p, tl_op *op, const char letters[2], tl_attr_id first,
                      tl_attr_id second, tl_attr_id spatial) {
  int64_t dims[TL_MAX_RANK], *kept;
  uint32_t n_numbers = 0, n = 0;
  tl_loc loc = tl_parser_here(p);
  for (size_t i = 0; i < TL_COUNT(dims); i++)
    dims[i] = -1;
  if (!tl_parser_expect(p, '[', "'[' and dims such as [b, 0, 1, f]")) return false;
  do {
    char what[40];
    int64_t number;
    tl_attr *attr;
    snprintf(what, sizeof what, "%c, %c or a number", letters[0], letters[1]);
    if (n >= TL_MAX_RANK)
      return tl_parser_fail(p, loc, "more dims than the %d that a tensor has at most", TL_MAX_RANK);
    if (tl_parser_is(p, TL_TOKEN_INT)) {
      loc = tl_parser_here(p);
      if (!tl_parser_int(p, &number)) return false;
      if (number >= TL_MAX_RANK || dims[number] >= 0)
        return tl_parser_fail(p, loc, "wanted each of 0, 1, … once");
      dims[number] = n;
      n_numbers++;
    } else {
      bool is_first = tl_str_is(p->tok.text, (char[]){letters[0], 0});
      if (!tl_parser_is(p, TL_TOKEN_WORD) ||
          (!is_first && !tl_str_is(p->tok.text, (char[]){letters[1], 0})))
        return tl_parser_want(p, what);
      attr = tl_parser_set(p, op, is_first ? first : second);
      if (attr == NULL) return false;
      attr->i64 = n;
      tl_parser_next(p);
    }
    n++;
  } while (tl_parser_accept(p, ','));
  for (uint32_t i = 0; i < n_numbers; i++)
    if (dims[i] < 0) return tl_parser_fail(p, loc, "wanted each of 0, 1, … once");
  if ((kept = TL_NEW(p->m->arena, int64_t, n_numbers + 1)) == NULL) return tl_parser_oom(p);
  if (n_numbers > 0) memcpy(kept, dims, n_numbers * sizeof *kept);
  tl_attr *attr = tl_parser_set(p, op, spatial);
  if (attr == NULL) return false;
  attr->list = (tl_i64s){kept, n_numbers};
  return tl_parser_expect(p, ']', "']' behind the dims");
}

// [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]
bool tl_parser_conv_dims(tl_parser *p, tl_op *op) {
  // dynamic_conv's rows begin with the same ones.
  const int shift = (int)tl_op_get(op->code)->attr_begin - TL_A_CONVOLUTION__begin;
#define AT(name) ((tl_attr_id)((int)TL_A_CONVOLUTION_##name + shift))
  const bool good = conv_dims(p, op, "bf", AT(input_batch_dimension), AT(input_feature_dimension),
                              AT(input_spatial_dimensions)) &&
                    tl_parser_expect_word(p, "x") &&
                    conv_dims(p, op, "io", AT(kernel_input_feature_dimension),
                              AT(kernel_output_feature_dimension), AT(kernel_spatial_dimensions)) &&
                    tl_parser_expect(p, TL_TOKEN_ARROW, "'->' and the result's dims") &&
                    conv_dims(p, op, "bf", AT(output_batch_dimension), AT(output_feature_dimension),
                              AT(output_spatial_dimensions));
#undef AT
  return good;
}

// #stablehlo.gather<offset_dims = [1], index_vector_dim = 1>
static bool dimension_numbers(tl_parser *p, tl_op *op, const char *name) {
  if (!tl_parser_is(p, TL_TOKEN_HASH) || !tl_str_is(p->tok.text, name)) {
    char what[64];
    snprintf(what, sizeof what, "%.40s<…>", name);
    return tl_parser_want(p, what);
  }
  tl_parser_next(p);
  if (!tl_parser_expect(p, '<', "'<' and dimension numbers")) return false;
  if (tl_parser_accept(p, '>')) return true;
  if ((op->code == TL_OP_CONVOLUTION || op->code == TL_OP_DYNAMIC_CONV) &&
      !tl_parser_accept_word(p, "raw"))
    return tl_parser_conv_dims(p, op) &&
           tl_parser_expect(p, '>', "'>' behind the dimension numbers");
  do {
    tl_attr_id id;
    const tl_attr_info *row = tl_parser_is(p, TL_TOKEN_WORD) ? row_of(op, p->tok.text, &id) : NULL;
    if (row == NULL || (row->kind != TL_AK_I64S && row->kind != TL_AK_I64))
      return tl_parser_want(p, "the name of a list of dims");
    tl_attr *attr = tl_parser_set(p, op, id);
    if (attr == NULL) return false;
    tl_parser_next(p);
    if (!tl_parser_expect(p, '=', "'='")) return false;
    if (!(row->kind == TL_AK_I64 ? tl_parser_int(p, &attr->i64)
                                 : tl_parser_int_list(p, &attr->list)))
      return false;
  } while (tl_parser_accept(p, ','));
  return tl_parser_expect(p, '>', "'>' behind the dimension numbers");
}

static const char *numbers_of(tl_opcode code, tl_str name) {
  if ((code == TL_OP_GATHER || code == TL_OP_DYNAMIC_GATHER) &&
      tl_str_is(name, "dimension_numbers"))
    return "#stablehlo.gather";
  if (code == TL_OP_SCATTER && tl_str_is(name, "scatter_dimension_numbers"))
    return "#stablehlo.scatter";
  if (code == TL_OP_DOT_GENERAL && tl_str_is(name, "dot_dimension_numbers"))
    return "#stablehlo.dot";
  if ((code == TL_OP_CONVOLUTION || code == TL_OP_DYNAMIC_CONV) &&
      tl_str_is(name, "dimension_numbers"))
    return "#stablehlo.conv";
  return NULL;
}

// A name and its '='; *out_unit when it has none.
static bool entry_name(tl_parser *p, tl_str *out, tl_loc *out_loc, bool *out_unit) {
  bool quoted = tl_parser_is(p, TL_TOKEN_STRING);
  if (!quoted && !tl_parser_is(p, TL_TOKEN_WORD))
    return tl_parser_want(p, "the name of an attribute");
  *out = quoted ? tl_str_sub(p->tok.text, 1, p->tok.text.len - 1) : p->tok.text;
  *out_loc = tl_parser_here(p);
  tl_parser_next(p);
  *out_unit = !tl_parser_accept(p, '=');
  return true;
}

// A refused attribute is reported and read over, so that reading goes on behind it.
static void refuse(tl_parser *p, tl_loc loc, tl_str name, const char *of) {
  tl_parser_report(p, loc, "the attribute " TL_STR_FMT " of %s is not supported",
                   (int)TL_MIN(name.len, (size_t)60), name.ptr, of);
}

// What a custom_call says of itself beside its rows: kept as text where it has a meaning, read over
// where it has none here (aliases; computations; a version, as every target has one form).
// *out_known is false for any other name.
static bool call_part(tl_parser *p, tl_str name, tl_loc loc, bool *out_known) {
  static const char *const silent[] = {"api_version", "output_operand_aliases", "mhlo.version"};
  bool config = tl_str_is(name, "backend_config") || tl_str_is(name, "mhlo.backend_config") ||
                tl_str_is(name, "mhlo.attributes");
  tl_str *part = config                               ? &p->call.config
                 : tl_str_is(name, "operand_layouts") ? &p->call.operand_layouts
                 : tl_str_is(name, "result_layouts")  ? &p->call.result_layouts
                                                      : NULL;
  *out_known = part != NULL;
  for (size_t i = 0; i < TL_COUNT(silent); i++)
    *out_known |= tl_str_is(name, silent[i]);
  if (!*out_known) return true;
  if (p->call.loc.line == 0) p->call.loc = loc;
  const char *from = p->tok.text.ptr;
  if (!tl_parser_skip_value(p)) return false;
  tl_str text = {from, (size_t)(p->before - from)};
  if (part != NULL && !tl_str_is(text, "\"\"")) *part = text;
  return true;
}

bool tl_parser_attr_dict(tl_parser *p, tl_op *op) {
  if (!tl_parser_expect(p, '{', "'{' and attributes")) return false;
  if (tl_parser_accept(p, '}')) return true;
  do {
    tl_str name;
    tl_loc loc;
    bool unit;
    if (!entry_name(p, &name, &loc, &unit)) return false;
    tl_attr_id id;
    const tl_attr_info *row = row_of(op, name, &id);
    const char *numbers = row == NULL ? numbers_of(op->code, name) : NULL;
    if (row != NULL) {
      tl_attr *attr = tl_parser_set(p, op, id);
      if (attr == NULL) return false;
      if (unit && (row->kind == TL_AK_BOOL || row->kind == TL_AK_UNIT))
        attr->i64 = 1;
      else if (unit)
        return tl_parser_want(p, "'=' and the attribute's value");
      else if (!value_here(p, op, row, attr, NULL))
        return false;
    } else if (!unit && tl_str_is(name, "tlaloc.dims")) {
      if (!tl_parser_dims(p, false)) return false;
    } else if (numbers != NULL && !unit) {
      if (!value_here(p, op, NULL, NULL, numbers)) return false;
    } else {
      bool known = false;
      if (op->code == TL_OP_CUSTOM_CALL && !unit && !call_part(p, name, loc, &known)) return false;
      if (known) continue;
      if (!is_neutral(name)) refuse(p, loc, name, tl_op_get(op->code)->mnemonic);
      if (!unit && !tl_parser_skip_value(p)) return false;
    }
  } while (tl_parser_accept(p, ','));
  return tl_parser_expect(p, '}', "'}' behind the attributes");
}

bool tl_parser_neutral_dict(tl_parser *p, const char *of, tl_attr_taker take, void *arg) {
  if (!tl_parser_expect(p, '{', "'{' and attributes")) return false;
  if (tl_parser_accept(p, '}')) return true;
  do {
    tl_str name;
    tl_loc loc;
    bool unit, taken = false;
    if (!entry_name(p, &name, &loc, &unit)) return false;
    if (take != NULL && !unit && !take(p, name, arg, &taken)) return false;
    if (taken) continue;
    if (!is_neutral(name)) refuse(p, loc, name, of);
    if (!unit && !tl_parser_skip_value(p)) return false;
  } while (tl_parser_accept(p, ','));
  return tl_parser_expect(p, '}', "'}' behind the attributes");
}
