// Types and the elements of constants, read from the bytes.
//
// A constant's type stands behind its elements, so the reader skips to the type, comes back and
// reads the elements into memory of the right size: the size is checked against the text that is
// there before anything is allocated, so a short text cannot ask for much.
#include "shlo/parser.h"

#include <stdio.h>

#include "base/half.h"
#include "base/minifloat.h"
#include "ir/dim.h"
#include "shlo/spell.h"

// Types.

static const char *space_end(const char *at, const char *end) {
  while (at < end && tl_char_is(*at, TL_CHAR_SPACE))
    at++;
  return at;
}

static bool fail_at(tl_parser *p, const tl_lexer *l, const char *at, size_t len,
                    const char *message) {
  tl_lexer place = *l;
  tl_lexer_skip_to(&place, at);
  tl_loc loc = {p->file, place.line, (uint32_t)(at - place.line_start) + 1,
                (uint32_t)TL_MAX(len, (size_t)1)};
  return tl_parser_fail(p, loc, "%s", message);
}

// #stablehlo.bounds<8, ?>, or as it once was #stablehlo.type_extensions<bounds = [8, ?]>: the
// greatest sizes of dims that are `?`.
static bool bounds_read(tl_parser *p, int64_t *dims, uint32_t rank) {
  const bool older =
      tl_parser_is(p, TL_TOKEN_HASH) && tl_str_is(p->tok.text, "#stablehlo.type_extensions");
  tl_loc loc = tl_parser_here(p);
  if (!older && !(tl_parser_is(p, TL_TOKEN_HASH) && tl_str_is(p->tok.text, "#stablehlo.bounds")))
    return tl_parser_fail(p, loc, "the only encoding of tensors supported is #stablehlo.bounds");
  tl_parser_next(p);
  if (!tl_parser_expect(p, '<', "'<' and bounds")) return false;
  if (older && (!tl_parser_expect_word(p, "bounds") || !tl_parser_expect(p, '=', "'='") ||
                !tl_parser_expect(p, '[', "'[' and bounds")))
    return false;
  uint32_t n = 0;
  do {
    int64_t bound = -1;
    loc = tl_parser_here(p);
    if (!tl_parser_accept(p, '?') && !tl_parser_int(p, &bound)) return false;
    if (n == rank) return tl_parser_fail(p, loc, "more bounds than the %u dims", rank);
    if (bound < -1 || bound > TL_DIM_MAX_BOUND || (bound >= 0 && dims[n] != TL_DIM_ANY))
      return tl_parser_fail(p, loc, "a bound is a size, of a dim that is '?'");
    if (bound >= 0) dims[n] = TL_DIM_BOUNDED(bound);
    n++;
  } while (tl_parser_accept(p, ','));
  if (n != rank) return tl_parser_fail(p, loc, "%u bounds for %u dims", n, rank);
  return (!older || tl_parser_expect(p, ']', "']' behind the bounds")) &&
         tl_parser_expect(p, '>', "'>' behind the bounds");
}

// What stands between `tensor<` and `>`; the lexer stands behind '<'.
static bool tensor_body(tl_parser *p, tl_type *out) {
  const tl_lexer *l = &p->lex;
  const char *at = l->at, *end = l->end;
  int64_t dims[TL_MAX_RANK];
  uint32_t rank = 0;
  for (;;) {
    at = space_end(at, end);
    if (at < end && *at == '*') return fail_at(p, l, at, 1, "unranked tensors are not supported");
    const bool any = at < end && *at == '?';
    if (at >= end || (!any && !tl_char_is(*at, TL_CHAR_DIGIT))) break;
    const char *from = at;
    int64_t dim = any ? TL_DIM_ANY : 0;
    at += any;
    for (; !any && at < end && tl_char_is(*at, TL_CHAR_DIGIT); at++)
      if (!TL_MUL_OK(dim, (int64_t)10, &dim) || !TL_ADD_OK(dim, (int64_t)(*at - '0'), &dim))
        return fail_at(p, l, from, (size_t)(at - from), "this dim does not fit in 64 bits");
    if (at >= end || *at != 'x') return fail_at(p, l, at, 1, "wanted 'x' behind a dim");
    at++;
    if (rank == TL_MAX_RANK)
      return fail_at(p, l, from, 1, "tensors of more than 16 dims are not supported");
    dims[rank++] = dim;
  }
  const char *from = at;
  while (at < end && tl_char_is(*at, TL_CHAR_ALPHA | TL_CHAR_DIGIT))
    at++;
  if (at < end && *at == '<') { // complex<f32>
    const char *close = memchr(at, '>', TL_MIN((size_t)(end - at), (size_t)16));
    if (close != NULL) at = close + 1;
  }
  tl_str name = {from, (size_t)(at - from)};
  tl_dtype dtype;
  if (!tl_dtype_of_mlir(name, &dtype)) {
    char text[96];
    if (name.len == 0) return fail_at(p, l, from, 1, "wanted an element type such as f32");
    snprintf(text, sizeof text, "the element type " TL_STR_FMT " is not supported",
             (int)TL_MIN(name.len, (size_t)40), name.ptr);
    return fail_at(p, l, from, name.len, text);
  }
  at = space_end(at, end);
  if (at < end && *at == ',') {
    tl_lexer_skip_to(&p->lex, at + 1);
    tl_parser_next(p);
    if (!bounds_read(p, dims, rank)) return false;
    if (!tl_parser_is(p, '>')) return tl_parser_want(p, "'>' behind the bounds");
    at = p->tok.text.ptr;
  }
  if (at >= end || *at != '>') return fail_at(p, l, at, 1, "wanted '>' behind the element type");
  *out = tl_type_of(p->m->arena, dtype, dims, rank);
  if (rank > 0 && out->dims == NULL) return tl_parser_oom(p);
  tl_lexer_skip_to(&p->lex, at + 1);
  return true;
}

bool tl_parser_type(tl_parser *p, tl_type *out) {
  if (!tl_parser_is_word(p, "tensor")) {
    if (tl_parser_is(p, TL_TOKEN_WORD) || tl_parser_is(p, TL_TOKEN_TYPE)) {
      tl_str found = p->tok.text;
      return tl_parser_fail(p, tl_parser_here(p),
                            "the only types supported are tensors, found '" TL_STR_FMT "'",
                            (int)TL_MIN(found.len, (size_t)40), found.ptr);
    }
    return tl_parser_want(p, "a tensor type");
  }
  // Most types of a module have been seen before: their text is their key.
  const char *from = p->lex.at;
  size_t reach = TL_MIN((size_t)(p->lex.end - from), (size_t)80);
  const char *close = memchr(from, '>', reach);
  if (close != NULL && close + 1 < from + reach && close[1] == '>') close++; // of complex<f32>
  tl_str text = {from, close == NULL ? 0 : (size_t)(close - from) + 1};
  size_t slot = 0;
  if (text.len > 1 && *from == '<') {
    for (size_t i = 0; i < text.len; i++)
      slot = slot * 31 + (uint8_t)from[i];
    slot = (slot ^ (slot >> 7)) % TL_COUNT(p->types);
    if (tl_str_eq(p->types[slot].text, text)) {
      *out = p->types[slot].type;
      tl_lexer_skip_to(&p->lex, from + text.len);
      tl_parser_next(p);
      return true;
    }
  }
  tl_parser_next(p);
  if (!tl_parser_is(p, '<')) return tl_parser_want(p, "'<' behind tensor");
  if (!tensor_body(p, out)) return false;
  if (text.len > 1 && *from == '<' && p->lex.at == from + text.len) {
    p->types[slot].text = text;
    p->types[slot].type = *out;
  }
  tl_parser_next(p);
  return true;
}

static bool push_type(tl_parser *p, tl_types *list, tl_type t) {
  if (!tl_parser_grow_temp(p, &list->ptr, list->len, &list->cap, sizeof t)) return false;
  list->ptr[list->len++] = t;
  return true;
}

static bool push_written(tl_parser *p, tl_types *list, const tl_written *w) {
  if (!tl_parser_grow(p, &list->written, list->n_written, &list->cap_written, sizeof w))
    return false;
  list->written[list->n_written++] = w;
  return true;
}

enum { MAX_TUPLES = 32 }; // in one another

static bool leaves(tl_parser *p, tl_types *out, uint32_t depth,
                   const tl_written **out_written) { // NOLINT(misc-no-recursion): counted
  static const tl_written token = {.is_token = true};
  *out_written = NULL;
  if (tl_parser_is(p, TL_TOKEN_TYPE) && tl_str_is(p->tok.text, "!stablehlo.token")) {
    *out_written = &token;
    tl_parser_next(p);
    return true;
  }
  if (!tl_parser_is_word(p, "tuple")) {
    tl_type t;
    return tl_parser_type(p, &t) && push_type(p, out, t);
  }
  if (depth == MAX_TUPLES)
    return tl_parser_fail(p, tl_parser_here(p), "tuples nest deeper than %d", MAX_TUPLES);
  tl_parser_next(p);
  if (!tl_parser_expect(p, '<', "'<' behind tuple")) return false;
  tl_written *w = TL_NEW(p->m->arena, tl_written, 1);
  const tl_written **items = NULL;
  uint32_t n = 0, cap = 0, from = out->len;
  if (w == NULL) return tl_parser_oom(p);
  if (!tl_parser_is(p, '>')) {
    do {
      if (!tl_parser_grow(p, &items, n, &cap, sizeof *items) ||
          !leaves(p, out, depth + 1, &items[n++]))
        return false;
    } while (tl_parser_accept(p, ','));
  }
  *w = (tl_written){.n_leaves = out->len - from, .n_items = n, .items = items};
  *out_written = w;
  return tl_parser_expect(p, '>', "'>' behind the tuple's types");
}

bool tl_parser_leaves(tl_parser *p, tl_types *out, const tl_written **out_written) {
  return leaves(p, out, 0, out_written);
}

static bool one_of_list(tl_parser *p, tl_types *out) {
  const tl_written *w;
  const uint32_t before = out->len;
  if (!leaves(p, out, 0, &w)) return false;
  if (w == NULL && out->written == NULL) return true;
  if (out->written == NULL)
    for (uint32_t i = 0; i < before; i++)
      if (!push_written(p, out, NULL)) return false;
  return push_written(p, out, w);
}

bool tl_parser_arg_type(tl_parser *p, tl_region_arg *arg) {
  tl_types list = {0};
  if (!tl_parser_is_word(p, "tuple") && !tl_parser_is(p, TL_TOKEN_TYPE))
    return tl_parser_type(p, &arg->type);
  if (!tl_parser_leaves(p, &list, &arg->written)) return false;
  arg->leaves = list.ptr;
  return true;
}

bool tl_parser_type_list(tl_parser *p, tl_types *out) {
  do {
    if (!one_of_list(p, out)) return false;
  } while (tl_parser_accept(p, ','));
  return true;
}

bool tl_parser_types_in_parens(tl_parser *p, tl_types *out) {
  if (!tl_parser_expect(p, '(', "'(' and types")) return false;
  if (tl_parser_accept(p, ')')) return true;
  return tl_parser_type_list(p, out) && tl_parser_expect(p, ')', "')' behind the types");
}

bool tl_parser_result_types(tl_parser *p, tl_types *out) {
  return tl_parser_is(p, '(') ? tl_parser_types_in_parens(p, out) : one_of_list(p, out);
}

// Elements.

typedef struct elements {
  tl_parser *p;
  tl_lexer place; // of the element being read
  tl_type type;
  uint32_t size; // of an element
  uint8_t *to;
} elements;

static bool bad(elements *e, const char *from, size_t len, const char *message) {
  return fail_at(e->p, &e->place, from, len, message);
}

// "wanted an element of i8, found '256': <why>"
static bool bad_element(elements *e, const char *from, size_t len, const char *why) {
  char text[192];
  const char *mlir = tl_dtype_get(e->type.dtype)->mlir;
  snprintf(text, sizeof text, "wanted an element of %s, found '" TL_STR_FMT "%s'%s", mlir,
           (int)TL_MIN(len, (size_t)40), from, len > 40 ? "…" : "", why);
  return bad(e, from, len, text);
}

static void skip_space(elements *e) {
  tl_lexer *l = &e->place;
  while (l->at < l->end && tl_char_is(*l->at, TL_CHAR_SPACE)) {
    if (*l->at++ != '\n') continue;
    l->line++;
    l->line_start = l->at;
  }
}

static bool integer_fits(const tl_dtype_info *info, uint64_t magnitude, bool negative) {
  unsigned bits = info->bits;
  if (info->kind == TL_KIND_BOOL) return magnitude <= 1;
  if (negative)
    return magnitude == 0 || (info->kind == TL_KIND_INT && magnitude <= 1ull << (bits - 1));
  return bits == 64 || magnitude < 1ull << bits; // signless: 255 is an i8 (-1), as in MLIR
}

static void store_bits(elements *e, uint64_t bits) {
  memcpy(e->to, &bits, e->size); // little endian
  e->to += e->size;
}

static void store_float(elements *e, double v) {
  switch (e->type.dtype) {
#define TL_MINIFLOAT(id, ...)                                 \
  case TL_DTYPE_##id:                                         \
    store_bits(e, tl_minifloat_of_f64(TL_MINIFLOAT_##id, v)); \
    return;
#include "base/minifloats.def"
#undef TL_MINIFLOAT
  case TL_DTYPE_F16:
    store_bits(e, tl_f16_of_f64(v));
    return;
  case TL_DTYPE_BF16:
    store_bits(e, tl_bf16_of_f64(v));
    return;
  case TL_DTYPE_F32:
    store_bits(e, tl_bits_of_f32((float)v));
    return;
  default: {
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    store_bits(e, bits);
  }
  }
}

// A number of the element type, or a part of one.
static bool number(elements *e) {
  const tl_dtype_info *info = tl_dtype_get(e->type.dtype);
  tl_lexer *l = &e->place;
  skip_space(e);
  const char *from = l->at;
  bool negative = l->at < l->end && *l->at == '-';
  if (negative) l->at++;
  const char *start = l->at;
  bool is_float = false, hex = false;
  while (l->at < l->end && (tl_char_is(*l->at, TL_CHAR_SUFFIX) || *l->at == '+')) {
    char c = *l->at;
    bool sign = c == '-' || c == '+';
    if (sign && (hex || !(l->at > start && (l->at[-1] == 'e' || l->at[-1] == 'E')))) break;
    hex |= c == 'x';
    is_float |= c == '.';
    l->at++;
  }
  tl_str word = {start, (size_t)(l->at - start)};
  size_t len = (size_t)(l->at - from);
  if (word.len == 0) return bad_element(e, from, e->place.at < e->place.end ? 1 : 0, "");
  if (!tl_char_is(*start, TL_CHAR_DIGIT)) {
    bool yes = tl_str_is(word, "true");
    if (negative || (!yes && !tl_str_is(word, "false"))) return bad_element(e, from, len, "");
    if (info->kind != TL_KIND_BOOL) return bad_element(e, from, len, "");
    store_bits(e, yes);
    return true;
  }
  if (is_float) {
    double v;
    if (info->kind != TL_KIND_FLOAT) return bad_element(e, from, len, "");
    if (!tl_spell_to_f64(word, &v)) return bad_element(e, from, len, "");
    store_float(e, negative ? -v : v);
    return true;
  }
  uint64_t magnitude = 0;
  if (hex) {
    if (word.len < 3 || start[0] != '0' || start[1] != 'x') return bad_element(e, from, len, "");
    for (const char *at = start + 2; at < l->at; at++) {
      if (!tl_char_is(*at, TL_CHAR_HEX)) return bad_element(e, from, len, "");
      if (magnitude >> 60 != 0) return bad_element(e, from, len, ": it does not fit");
      magnitude = magnitude << 4 | (uint64_t)(*at <= '9' ? *at - '0' : (*at | 32) - 'a' + 10);
    }
  } else {
    for (const char *at = start; at < l->at; at++) {
      if (!tl_char_is(*at, TL_CHAR_DIGIT)) return bad_element(e, from, len, "");
      if (!TL_MUL_OK(magnitude, (uint64_t)10, &magnitude) ||
          !TL_ADD_OK(magnitude, (uint64_t)(*at - '0'), &magnitude))
        return bad_element(e, from, len, ": it does not fit");
    }
  }
  if (info->kind == TL_KIND_FLOAT) {
    if (!hex) return bad_element(e, from, len, ": write a point (1.0), or the bits in hex");
    unsigned bits = info->bits;
    if (negative || (bits < 64 && magnitude >> bits != 0))
      return bad_element(e, from, len, ": these bits do not fit");
    store_bits(e, magnitude);
    return true;
  }
  if (!integer_fits(info, magnitude, negative))
    return bad_element(e, from, len, ": it does not fit");
  if (negative) magnitude = 0 - magnitude;
  if (info->kind == TL_KIND_INT) // 15 is an i4 (-1)
    magnitude = (uint64_t)((int64_t)(magnitude << (64 - info->bits)) >> (64 - info->bits));
  store_bits(e, magnitude);
  return true;
}

static bool at_char(elements *e, char c) {
  skip_space(e);
  return e->place.at < e->place.end && *e->place.at == c;
}

// (1.0, 2.0) of complex numbers.
static bool element(elements *e) {
  const tl_dtype dtype = e->type.dtype, part = tl_dtype_part(dtype);
  if (part == dtype) return number(e);
  if (!at_char(e, '('))
    return bad(e, e->place.at, 1, "wanted '(' and the parts of a complex number");
  e->place.at++;
  e->type.dtype = part;
  e->size /= 2;
  bool ok = number(e);
  if (ok && !at_char(e, ',')) ok = bad(e, e->place.at, 1, "wanted ',' and the imaginary part");
  if (ok) e->place.at++;
  ok = ok && number(e);
  if (ok && !at_char(e, ')')) ok = bad(e, e->place.at, 1, "wanted ')' behind the imaginary part");
  if (ok) e->place.at++;
  e->type.dtype = dtype;
  e->size *= 2;
  return ok;
}

// The lists of dims[depth..], as deep as the rank, which the type bounds.
static bool nested(elements *e, uint32_t depth) { // NOLINT(misc-no-recursion)
  if (depth == e->type.rank) return element(e);
  if (!at_char(e, '['))
    return bad(e, e->place.at, 1, "wanted '[': the lists must nest as deep as the type has dims");
  e->place.at++;
  for (int64_t i = 0; i < e->type.dims[depth]; i++) {
    if (i > 0) {
      if (!at_char(e, ',')) {
        char text[80];
        snprintf(text, sizeof text, "this list ends after %lld of %lld elements", (long long)i,
                 (long long)e->type.dims[depth]);
        return bad(e, e->place.at, 1, text);
      }
      e->place.at++;
    }
    if (!nested(e, depth + 1)) return false;
  }
  if (!at_char(e, ']')) {
    char text[80];
    snprintf(text, sizeof text, "wanted ']' after %lld elements", (long long)e->type.dims[depth]);
    return bad(e, e->place.at, 1, text);
  }
  e->place.at++;
  return true;
}

// What a hex digit is worth, plus one; 0 for anything else.
static const uint8_t hex_values[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

bool tl_parser_unhex(tl_parser *p, tl_loc loc, const char *digits, size_t n, uint8_t *to) {
  for (size_t i = 0; i < n; i++) {
    unsigned hi = hex_values[(uint8_t)digits[2 * i]], lo = hex_values[(uint8_t)digits[2 * i + 1]];
    if (hi == 0 || lo == 0) {
      loc.col += (uint32_t)(2 * i);
      loc.len = 2;
      return tl_parser_fail(p, loc, "wanted hex digits");
    }
    to[i] = (uint8_t)((hi - 1) << 4 | (lo - 1));
  }
  return true;
}

// "0x…": the bytes of all elements, or of one. Older printers packed i1, eight to a byte, lowest
// bit first.
static bool blob(tl_parser *p, tl_token tok, tl_literal *l, size_t count) {
  tl_loc loc = {p->file, tok.line, tok.col, (uint32_t)TL_MIN(tok.text.len, (size_t)40)};
  size_t size = tl_dtype_get(l->type.dtype)->size, whole;
  if (tok.text.len < 4 || memcmp(tok.text.ptr, "\"0x", 3) != 0 || (tok.text.len - 4) % 2 != 0)
    return tl_parser_fail(p, loc, "wanted \"0x\" and pairs of hex digits");
  size_t n_bytes = (tok.text.len - 4) / 2;
  if (!TL_MUL_OK(count, size, &whole)) whole = SIZE_MAX;
  bool packed =
      l->type.dtype == TL_DTYPE_I1 && n_bytes > 1 && n_bytes == count / 8 + (count % 8 != 0);
  l->splat = n_bytes == size && !packed;
  if (!packed && !l->splat && n_bytes != whole)
    return tl_parser_fail(p, loc, "%zu bytes are here, the type wants %zu", n_bytes, whole);
  l->size = packed ? count : n_bytes;
  uint8_t *to = tl_arena_alloc(p->m->arena, TL_MAX(l->size, (size_t)1), 8);
  if (to == NULL) return tl_parser_oom(p);
  loc.col += 3;
  uint8_t *bytes = packed ? tl_arena_alloc(p->temp, n_bytes, 8) : to;
  if (bytes == NULL) return tl_parser_oom(p);
  if (!tl_parser_unhex(p, loc, tok.text.ptr + 3, n_bytes, bytes)) return false;
  for (size_t i = 0; packed && i < count; i++)
    to[i] = bytes[i / 8] >> i % 8 & 1;
  if (!packed) tl_dtype_extend(l->type.dtype, to, l->size);
  l->data = to;
  return true;
}

static bool dense(tl_parser *p, bool open, tl_literal **out) {
  tl_loc loc = tl_parser_here(p);
  if (!tl_parser_expect_word(p, "dense")) return false;
  if (!tl_parser_is(p, '<')) return tl_parser_want(p, "'<' behind dense");
  tl_lexer place = p->lex, peek = p->lex;
  tl_token first = tl_lexer_next(&peek);
  if (first.kind == TL_TOKEN_STRING) {
    p->lex = peek;
  } else if (first.kind == TL_TOKEN_BAD) {
    p->lex = peek;
    p->tok = first;
    return tl_parser_want(p, "elements");
  } else {
    const char *close = memchr(place.at, '>', (size_t)(place.end - place.at));
    if (close == NULL) return tl_parser_fail(p, loc, "this dense<…> does not end");
    tl_lexer_skip_to(&p->lex, close);
  }
  const char *close = p->lex.at;
  tl_parser_next(p);
  tl_literal *l = TL_NEW(p->m->arena, tl_literal, 1);
  if (l == NULL) return tl_parser_oom(p);
  if (!tl_parser_expect(p, '>', "'>' behind the elements") ||
      !tl_parser_expect(p, ':', "':' and the type of the elements") || !tl_parser_type(p, &l->type))
    return false;
  size_t count, size = tl_dtype_get(l->type.dtype)->size;
  open = open && !tl_type_is_static(l->type);
  if (open) count = 1;
  if (!open && !tl_type_count(l->type, &count))
    return tl_parser_fail(p, loc, "the type has more elements than memory can hold");
  if (open && (first.kind == TL_TOKEN_STRING || first.kind == '[' || first.kind == '>'))
    return tl_parser_fail(p, loc, "where a dim is no number there is one element for all");
  *out = l;
  if (first.kind == TL_TOKEN_STRING) return blob(p, first, l, count);

  elements e = {.p = p, .place = place, .type = l->type, .size = (uint32_t)size};
  e.place.end = close;
  skip_space(&e);
  bool lists = e.place.at < close && *e.place.at == '[';
  if (e.place.at == close) { // dense<>
    if (count != 0) return bad(&e, close, 1, "the type has elements, none are here");
    l->data = "";
    return true;
  }
  l->splat = !lists || count == 1;
  size_t n = lists ? count : 1;
  if (n > (size_t)(close - place.at) / 2 + 1) { // an element and a comma take two bytes at least
    char text[96];
    snprintf(text, sizeof text, "the type wants %zu elements, there are fewer here", n);
    return bad(&e, e.place.at, 1, text);
  }
  l->size = n * size;
  e.to = tl_arena_alloc(p->m->arena, TL_MAX(l->size, (size_t)1), 8);
  if (e.to == NULL) return tl_parser_oom(p);
  l->data = e.to;
  if (!(lists ? nested(&e, 0) : element(&e))) return false;
  skip_space(&e);
  if (e.place.at != close) return bad(&e, e.place.at, 1, "wanted '>': the elements are complete");
  return true;
}

bool tl_parser_dense(tl_parser *p, const tl_literal **out) {
  tl_literal *l = NULL;
  if (tl_parser_is_word(p, "dense_resource")) return tl_parser_dense_resource(p, out);
  if (!dense(p, false, &l)) return false;
  *out = l;
  return true;
}

bool tl_parser_dense_open(tl_parser *p, tl_literal **out) {
  const tl_literal *l;
  if (!tl_parser_is_word(p, "dense_resource")) return dense(p, true, out);
  *out = TL_NEW(p->m->arena, tl_literal, 1);
  if (*out == NULL) return tl_parser_oom(p);
  if (!tl_parser_dense_resource(p, &l)) return false;
  **out = *l;
  return true;
}

bool tl_parser_number(tl_parser *p, tl_dtype dtype, const tl_literal **out) {
  tl_literal *l = TL_NEW(p->m->arena, tl_literal, 1);
  elements e = {
      .p = p, .place = p->lex, .type = tl_type_scalar(dtype), .size = tl_dtype_get(dtype)->size};
  if (l == NULL || (e.to = tl_arena_alloc(p->m->arena, e.size, 8)) == NULL) return tl_parser_oom(p);
  *l = (tl_literal){.type = e.type, .data = e.to, .size = e.size, .splat = true};
  e.place.at = p->tok.text.ptr; // the token's own line is the lexer's
  if (!element(&e)) return false;
  tl_lexer_skip_to(&p->lex, e.place.at);
  tl_parser_next(p);
  *out = l;
  if (!tl_parser_accept(p, ':')) return true;
  return tl_parser_expect_word(p, tl_dtype_get(dtype)->mlir);
}
