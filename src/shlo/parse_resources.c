// Constants whose bytes stand behind the module.
//
//     %0 = stablehlo.constant dense_resource<weights> : tensor<2xf32>
//     …
//     {-#
//       dialect_resources: {
//         builtin: {
//           weights: "0x040000000000803F00000040"
//         }
//       }
//     #-}
//
// The section is read before the module, because uses come first in the text. A blob is four bytes
// of alignment, lowest first, and then the elements, as many bytes as the type has. It is decoded
// once, at its first use, and constants share it, so that a text cannot make more of it than it is
// long. Of other dialects, and of external resources, nothing is read.
#include "shlo/parser.h"

enum { ALIGNMENT = 4 }; // bytes in front of the elements

// Where the section begins in a text that ends with one; NULL otherwise.
static const char *section_of(tl_str text) {
  size_t end = text.len;
  while (end > 0 && tl_char_is(text.ptr[end - 1], TL_CHAR_SPACE))
    end--;
  if (!tl_str_ends(tl_str_sub(text, 0, end), TL_STR("#-}"))) return NULL;
  for (size_t at = end - 3; at >= 3; at--)
    if (memcmp(text.ptr + at - 3, "{-#", 3) == 0 && (at == 3 || text.ptr[at - 4] == '\n'))
      return text.ptr + at - 3;
  return NULL;
}

static bool key(tl_parser *p, tl_str *out) { // name:
  const bool quoted = tl_parser_is(p, TL_TOKEN_STRING);
  if (!quoted && !tl_parser_is(p, TL_TOKEN_WORD))
    return tl_parser_want(p, "the name of a resource");
  *out = quoted ? tl_str_sub(p->tok.text, 1, p->tok.text.len - 1) : p->tok.text;
  tl_parser_next(p);
  return tl_parser_expect(p, ':', "':' behind the name");
}

static bool blob_note(tl_parser *p, tl_str name, tl_loc name_loc) {
  if (!tl_parser_is(p, TL_TOKEN_STRING)) return tl_parser_want(p, "\"0x\" and hex digits");
  if (tl_map_get(&p->resources, name, NULL))
    return tl_parser_fail(p, name_loc, "the resource " TL_STR_FMT " is given twice",
                          (int)TL_MIN(name.len, (size_t)60), name.ptr);
  if (!tl_parser_heap_grow(p, &p->resource_list, p->n_resources, &p->cap_resources,
                           sizeof *p->resource_list))
    return false;
  if (!tl_map_put(&p->resources, name, p->n_resources)) return tl_parser_oom(p);
  p->resource_list[p->n_resources++] = (tl_resource){.tok = p->tok};
  tl_parser_next(p);
  return true;
}

// { name: "0x…", … } of the builtin dialect; or the groups of all dialects, of which it is one.
static bool group(tl_parser *p, bool builtin) { // NOLINT(misc-no-recursion): two deep
  if (!tl_parser_expect(p, '{', "'{' and resources")) return false;
  if (tl_parser_accept(p, '}')) return true;
  do {
    tl_str name;
    tl_loc loc = tl_parser_here(p);
    if (!key(p, &name)) return false;
    if (!(builtin                      ? blob_note(p, name, loc)
          : tl_str_is(name, "builtin") ? group(p, true)
                                       : tl_parser_skip_value(p)))
      return false;
  } while (tl_parser_accept(p, ','));
  return tl_parser_expect(p, '}', "'}' behind the resources");
}

static bool section(tl_parser *p) {
  while (!tl_parser_is(p, TL_TOKEN_END)) {
    tl_str name;
    if (!key(p, &name) ||
        !(tl_str_is(name, "dialect_resources") ? group(p, false) : tl_parser_skip_value(p)))
      return false;
    if (!tl_parser_accept(p, ',') && !tl_parser_is(p, TL_TOKEN_END))
      return tl_parser_want(p, "'#-}' behind the resources");
  }
  return true;
}

bool tl_parser_resources(tl_parser *p, tl_str text) {
  const char *from = section_of(text);
  if (from == NULL) return true;
  const tl_lexer lex = p->lex;
  const tl_token tok = p->tok;
  tl_lexer_init(&p->lex, text);
  tl_lexer_skip_to(&p->lex, from + 3);
  while (memcmp(p->lex.end - 3, "#-}", 3) != 0)
    p->lex.end--;
  p->lex.end -= 3;
  tl_parser_next(p);
  const bool good = section(p);
  p->lex = lex;
  p->lex.end = TL_MAX(from, lex.at); // the module ends where the section begins
  p->tok = tok;
  p->before = text.ptr;
  p->depth = 0;
  return good;
}

static bool decode(tl_parser *p, tl_resource *r) {
  const tl_token tok = r->tok;
  tl_loc loc = {p->file, tok.line, tok.col, (uint32_t)TL_MIN(tok.text.len, (size_t)40)};
  if (tok.text.len < 4 + 2 * ALIGNMENT || memcmp(tok.text.ptr, "\"0x", 3) != 0 ||
      tok.text.len % 2 != 0)
    return tl_parser_fail(p, loc, "wanted \"0x\", 4 bytes of alignment and the elements, in hex");
  r->size = (tok.text.len - 4) / 2 - ALIGNMENT;
  uint8_t *data = tl_arena_alloc(p->m->arena, TL_MAX(r->size, (size_t)1), 64);
  if (data == NULL) return tl_parser_oom(p);
  r->data = data;
  loc.col += 3 + 2 * ALIGNMENT;
  return tl_parser_unhex(p, loc, tok.text.ptr + 3 + 2 * ALIGNMENT, r->size, data);
}

// dense_resource<name> : T
bool tl_parser_dense_resource(tl_parser *p, const tl_literal **out) {
  tl_parser_next(p);
  if (!tl_parser_expect(p, '<', "'<' behind dense_resource")) return false;
  const tl_loc loc = tl_parser_here(p);
  const bool quoted = tl_parser_is(p, TL_TOKEN_STRING);
  if (!quoted && !tl_parser_is(p, TL_TOKEN_WORD))
    return tl_parser_want(p, "the name of a resource");
  const tl_str name = quoted ? tl_str_sub(p->tok.text, 1, p->tok.text.len - 1) : p->tok.text;
  tl_parser_next(p);
  tl_literal *l = TL_NEW(p->m->arena, tl_literal, 1);
  if (l == NULL) return tl_parser_oom(p);
  if (!tl_parser_expect(p, '>', "'>' behind the name") ||
      !tl_parser_expect(p, ':', "':' and the type of the elements") || !tl_parser_type(p, &l->type))
    return false;
  uint64_t at;
  if (!tl_map_get(&p->resources, name, &at))
    return tl_parser_fail(p, loc, "the resource " TL_STR_FMT " is not in the text",
                          (int)TL_MIN(name.len, (size_t)60), name.ptr);
  tl_resource *r = &p->resource_list[at];
  if (r->data == NULL && !decode(p, r)) return false;
  size_t whole;
  if (!tl_type_size(l->type, &whole)) whole = SIZE_MAX;
  if (r->size != whole)
    return tl_parser_fail(p, loc, "%zu bytes are in the resource, the type wants %zu", r->size,
                          whole);
  for (size_t i = 0; l->type.dtype == TL_DTYPE_I1 && i < r->size; i++)
    if (r->data[i] > 1) return tl_parser_fail(p, loc, "a boolean is a byte 0 or 1");
  l->data = r->data;
  l->size = whole;
  *out = l;
  return true;
}
