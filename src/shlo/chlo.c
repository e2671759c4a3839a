// The CHLO dialect, which JAX prints where StableHLO has no op: read into named ops where CHLO's op
// is more than a turn of phrase, and into core ops where it is not. Nothing is printed in it.
//
//   chlo.erf %x : T -> T        chlo.zeta %s, %q : T, T -> T        "chlo.erf"(%x) : (T) -> T
//   chlo.top_k(%x, k = 2, is_stable = false) : T -> (T, T)
//   chlo.broadcast_add %x, %y {broadcast_dimensions = array<i64: 1>} : (T, T) -> T
#include "shlo/parser.h"

#include "ir/build.h"

typedef struct chlo_row {
  const char *name;
  tl_opcode code;
  tl_value (*expand)(tl_parser *p, const tl_pending *o,
                     const tl_chlo_attrs *a); // NULL: the op itself
} chlo_row;

// Core ops at the end of the block being read. Their values take numbers when the function is read.
static tl_builder builder_of(tl_parser *p, const tl_pending *o) {
  p->renumber = true;
  return (tl_builder){.m = p->m, .fn = p->fn, .block = p->block, .loc = o->op->loc};
}

// The value, or NULL and the builder's error reported where the op stands.
static tl_value built(tl_parser *p, const tl_pending *o, tl_builder *b, tl_value v) {
  tl_status st = b->error;
  b->error = TL_OK;
  if (st == TL_OK && v != NULL) return v;
  if (st == TL_OK || tl_status_get_code(st) == TL_STATUS_RESOURCE_EXHAUSTED)
    p->oom = true;
  else
    tl_parser_report(p, o->op->loc, "%s", tl_status_message(st));
  tl_status_drop(st);
  return NULL;
}

static tl_value one_operand(tl_parser *p, const tl_pending *o) {
  if (o->n_operands == 1) return o->operands[0];
  tl_parser_report(p, o->op->loc, "%s takes 1 operand, found %u", o->name, o->n_operands);
  return NULL;
}

// Constants.

static tl_value expand_constant(tl_parser *p, const tl_pending *o, const tl_chlo_attrs *a) {
  if (a->literal == NULL || o->n_operands != 0) {
    tl_parser_report(p, o->op->loc, "%s wants its attribute value and no operands", o->name);
    return NULL;
  }
  tl_builder b = builder_of(p, o);
  tl_op *op = tl_op_begin(&b, TL_OP_CONSTANT, NULL, 0);
  tl_op_set_dense(op, TL_A_CONSTANT_value, a->literal);
  op = tl_op_finish(&b, op, &a->literal->type, 1);
  return built(p, o, &b, op == NULL ? NULL : op->results[0]);
}

static tl_value expand_constant_like(tl_parser *p, const tl_pending *o, const tl_chlo_attrs *a) {
  tl_value x = one_operand(p, o);
  if (x == NULL) return NULL;
  if (a->literal == NULL) {
    tl_parser_report(p, o->op->loc, "%s lacks its attribute value", o->name);
    return NULL;
  }
  tl_builder b = builder_of(p, o);
  return built(p, o, &b, tlo_constant(&b, x->type, a->literal->data, a->literal->size));
}

// Turns of phrase.

static tl_value expand_conj(tl_parser *p, const tl_pending *o, const tl_chlo_attrs *a) {
  tl_value x = one_operand(p, o);
  (void)a;
  if (x == NULL || tl_dtype_get(x->type.dtype)->kind != TL_KIND_COMPLEX)
    return x; // its own conjugate
  tl_builder b = builder_of(p, o);
  tl_value re = tlo_unary(&b, TL_OP_REAL, x), im = tlo_unary(&b, TL_OP_IMAG, x);
  im = tlo_unary(&b, TL_OP_NEGATE, im);
  return built(p, o, &b, tlo_binary(&b, TL_OP_COMPLEX, re, im));
}

static tl_value expand_square(tl_parser *p, const tl_pending *o, const tl_chlo_attrs *a) {
  tl_value x = one_operand(p, o);
  tl_builder b = builder_of(p, o);
  (void)a;
  return x == NULL ? NULL : built(p, o, &b, tlo_mul(&b, x, x));
}

static tl_value is_infinity(tl_parser *p, const tl_pending *o, bool any, double infinity) {
  tl_value x = one_operand(p, o);
  if (x == NULL) return NULL;
  if (tl_dtype_get(x->type.dtype)->kind != TL_KIND_FLOAT) {
    tl_parser_report(p, o->op->loc, "%s wants a floating-point type", o->name);
    return NULL;
  }
  tl_builder b = builder_of(p, o);
  if (any) x = tlo_unary(&b, TL_OP_ABS, x);
  tl_value wanted = tlo_constant_f64(&b, tl_value_type(x), infinity);
  return built(p, o, &b, tlo_compare(&b, TL_COMPARISON_DIRECTION_EQ, x, wanted));
}
static tl_value expand_is_inf(tl_parser *p, const tl_pending *o, const tl_chlo_attrs *a) {
  (void)a;
  return is_infinity(p, o, true, __builtin_inf());
}
static tl_value expand_is_pos_inf(tl_parser *p, const tl_pending *o, const tl_chlo_attrs *a) {
  (void)a;
  return is_infinity(p, o, false, __builtin_inf());
}
static tl_value expand_is_neg_inf(tl_parser *p, const tl_pending *o, const tl_chlo_attrs *a) {
  (void)a;
  return is_infinity(p, o, false, -__builtin_inf());
}

// Broadcasting.

static bool is_static(tl_type t) {
  for (uint32_t d = 0; d < t.rank; d++)
    if (t.dims[d] < 0) return false;
  return true;
}

// Whether v's dims are those of `dims`, or 1; places [its rank] say which is which.
static bool stretches(tl_value v, const int64_t *places, const int64_t *dims) {
  for (uint32_t d = 0; d < v->type.rank; d++)
    if (v->type.dims[d] != 1 && v->type.dims[d] != dims[places[d]]) return false;
  return true;
}

// As numpy has it: aligned at the right, and a dim of 1 gives way. Where CHLO says
// broadcast_dimensions, these are the places of the operand of lower rank instead.
static tl_value expand_broadcast(tl_parser *p, const tl_pending *o, const tl_chlo_attrs *a) {
  enum { MAX_OPERANDS = 3 };
  uint32_t n = (uint32_t)tl_op_get(o->op->code)->n_in, rank = 0;
  int64_t dims[TL_MAX_RANK], places[MAX_OPERANDS][TL_MAX_RANK];
  if (n > MAX_OPERANDS || o->n_operands != n) {
    tl_parser_report(p, o->op->loc, "%s takes %u operands, found %u", o->name, n, o->n_operands);
    return NULL;
  }
  for (uint32_t i = 0; i < n; i++) {
    rank = TL_MAX(rank, o->operands[i]->type.rank);
    if (is_static(o->operands[i]->type)) continue;
    tl_parser_report(p, o->operand_locs[i],
                     "%s of an operand without a static shape is not supported", o->name);
    return NULL;
  }
  for (uint32_t d = 0; d < rank; d++)
    dims[d] = 1;
  for (uint32_t i = 0; i < n; i++) {
    tl_type t = o->operands[i]->type;
    bool given = a->has_dims && t.rank < rank;
    bool fits = !given || a->dims.len == t.rank;
    for (uint32_t d = 0; d < t.rank && fits; d++) {
      places[i][d] = given ? a->dims.ptr[d] : (int64_t)(rank - t.rank + d);
      fits =
          places[i][d] >= 0 && places[i][d] < rank && (d == 0 || places[i][d] > places[i][d - 1]);
      if (fits && t.dims[d] != 1) dims[places[i][d]] = t.dims[d];
    }
    if (fits) continue;
    tl_parser_report(p, o->op->loc, "%s: broadcast_dimensions do not place the dims of operand %u",
                     o->name, i);
    return NULL;
  }
  for (uint32_t i = 0; i < n; i++)
    if (!stretches(o->operands[i], places[i], dims)) {
      tl_parser_report_types(p, o->op->loc, "the operands do not broadcast: one",
                             o->operands[0]->type, "another",
                             o->operands[i == 0 ? n - 1 : i]->type);
      return NULL;
    }
  tl_builder b = builder_of(p, o);
  tl_value wide[MAX_OPERANDS];
  for (uint32_t i = 0; i < n; i++) {
    tl_type t = {o->operands[i]->type.dtype, rank, dims};
    bool same = tl_type_eq(t, o->operands[i]->type);
    wide[i] = same ? o->operands[i] : tlo_broadcast(&b, o->operands[i], t, places[i]);
  }
  tl_op *op = tl_op_begin(&b, o->op->code, wide, n);
  if (o->op->code == TL_OP_COMPARE) {
    if (!a->has_direction) {
      tl_parser_report(p, o->op->loc, "%s lacks its attribute comparison_direction", o->name);
      tl_status_drop(b.error);
      return NULL;
    }
    tl_op_set_i64(op, TL_A_COMPARE_comparison_direction, a->direction);
    tl_op_set_i64(op, TL_A_COMPARE_compare_type, a->type);
  }
  op = tl_op_finish(&b, op, NULL, 0);
  return built(p, o, &b, op == NULL ? NULL : op->results[0]);
}

#define expand_op NULL
static const chlo_row rows[] = {
#define TL_CHLO(name, read, op) {name, TL_OP_##op, expand_##read},
#include "shlo/chlo.def"
#undef TL_CHLO
};

static const chlo_row *row_of(tl_str name) { // behind "chlo."
  for (size_t i = 0; i < TL_COUNT(rows); i++)
    if (tl_str_is(name, rows[i].name)) return &rows[i];
  return NULL;
}

bool tl_chlo_find(tl_str name, tl_opcode *out_code, const char **out_name, bool *out_expands) {
  if (!tl_str_starts(name, TL_STR("chlo."))) return false;
  const chlo_row *row = row_of(tl_str_sub(name, sizeof "chlo." - 1, name.len));
  if (row == NULL) return false;
  *out_code = row->code;
  *out_name = row->name;
  *out_expands = row->expand != NULL;
  return true;
}

// Attributes of what is expanded.

typedef struct taking {
  tl_chlo_attrs *attrs;
  const tl_pending *o;
} taking;

static bool take_attr(tl_parser *p, tl_str name, void *arg, bool *out_taken) {
  taking *t = arg;
  *out_taken = true;
  if (t->o->op->code == TL_OP_CONSTANT && tl_str_is(name, "value")) {
    if (t->o->n_operands == 0) return tl_parser_dense(p, &t->attrs->literal);
    return t->o->operands[0] == NULL
               ? tl_parser_skip_value(p)
               : tl_parser_number(p, t->o->operands[0]->type.dtype, &t->attrs->literal);
  }
  if (tl_str_is(name, "broadcast_dimensions")) {
    t->attrs->has_dims = true;
    return tl_parser_int_array(p, &t->attrs->dims);
  }
  if (t->o->op->code == TL_OP_COMPARE && tl_str_is(name, "comparison_direction")) {
    t->attrs->has_direction = true;
    return tl_parser_wrapped_enum(p, TL_AK_COMPARISON_DIRECTION, &t->attrs->direction);
  }
  if (t->o->op->code == TL_OP_COMPARE && tl_str_is(name, "compare_type"))
    return tl_parser_wrapped_enum(p, TL_AK_COMPARISON_TYPE, &t->attrs->type);
  *out_taken = false;
  return true;
}

static bool attrs_read(tl_parser *p, tl_pending *o, tl_chlo_attrs *a) {
  taking t = {a, o};
  return a == NULL ? tl_parser_attr_dict(p, o->op)
                   : tl_parser_neutral_dict(p, o->name, take_attr, &t);
}

// `: T, T -> T`, `: (T, T) -> T`, or `: T` for all. The operands' types are known, and compared.
static bool types_read(tl_parser *p, tl_pending *o) {
  tl_types in = {0}, out = {0};
  if (!tl_parser_expect(p, ':', "':' and the types")) return false;
  bool parens = tl_parser_is(p, '(');
  if (!(parens ? tl_parser_types_in_parens(p, &in) : tl_parser_type_list(p, &in))) return false;
  if (tl_parser_accept(p, TL_TOKEN_ARROW)) {
    if (!tl_parser_result_types(p, &out)) return false;
  } else if (!parens && in.len == 1) {
    out = in;
    if (o->n_operands != 1) {
      in = (tl_types){0};
      for (uint32_t i = 0; i < o->n_operands; i++) {
        if (!tl_parser_grow(p, &in.ptr, in.len, &in.cap, sizeof *in.ptr)) return false;
        in.ptr[in.len++] = out.ptr[0];
      }
    }
  } else
    return tl_parser_want(p, "'->' and the result types");
  o->results = out.ptr;
  o->n_results = out.len;
  return tl_parser_operand_types(p, o, in.ptr, in.len);
}

static bool operands_read(tl_parser *p, tl_pending *o) {
  do {
    if (!tl_parser_operand(p, o)) return false;
  } while (tl_parser_accept(p, ','));
  return true;
}

// (%x, k = 2, is_stable = false)
static bool top_k_read(tl_parser *p, tl_pending *o) {
  if (!tl_parser_expect(p, '(', "'(' and the operand") || !tl_parser_operand(p, o)) return false;
  while (tl_parser_accept(p, ',')) {
    bool is_k = tl_parser_accept_word(p, "k");
    if (!is_k && !tl_parser_accept_word(p, "is_stable")) return tl_parser_want(p, "k or is_stable");
    tl_attr *attr = tl_parser_set(p, o->op, is_k ? TL_A_TOP_K_k : TL_A_TOP_K_is_stable);
    if (attr == NULL || !tl_parser_expect(p, '=', "'='")) return false;
    if (is_k) {
      if (!tl_parser_int(p, &attr->i64)) return false;
      continue;
    }
    attr->i64 = tl_parser_is_word(p, "true");
    if (!tl_parser_accept_word(p, "true") && !tl_parser_accept_word(p, "false"))
      return tl_parser_want(p, "true or false");
  }
  return tl_parser_expect(p, ')', "')' behind the operand");
}

// Behind the op's name, unquoted. `a`: where the attributes of what is expanded go; NULL for an op.
static bool pretty_read(tl_parser *p, tl_pending *o, tl_chlo_attrs *a) {
  if (o->op->code == TL_OP_TOP_K) {
    if (!top_k_read(p, o)) return false;
  } else if (a != NULL && o->op->code == TL_OP_CONSTANT && tl_parser_is_word(p, "dense")) {
    return tl_parser_dense(p, &a->literal);
  } else if (!operands_read(p, o))
    return false;
  return (!tl_parser_is(p, '{') || attrs_read(p, o, a)) && types_read(p, o);
}

// (%x, %y) <{…}> {…} : (T, T) -> T
static bool quoted_read(tl_parser *p, tl_pending *o, tl_chlo_attrs *a) {
  if (!tl_parser_expect(p, '(', "'(' and the operands")) return false;
  if (!tl_parser_accept(p, ')') &&
      (!operands_read(p, o) || !tl_parser_expect(p, ')', "')' behind the operands")))
    return false;
  if (tl_parser_accept(p, '<') &&
      (!attrs_read(p, o, a) || !tl_parser_expect(p, '>', "'>' behind the attributes")))
    return false;
  return (!tl_parser_is(p, '{') || attrs_read(p, o, a)) && types_read(p, o);
}

bool tl_parser_chlo_body(tl_parser *p, tl_pending *o, bool quoted) {
  return quoted ? quoted_read(p, o, NULL) : pretty_read(p, o, NULL);
}

bool tl_parser_chlo_expand(tl_parser *p, tl_pending *o, bool quoted, tl_value *out) {
  tl_chlo_attrs a = {0};
  const chlo_row *row = row_of(tl_str_of(o->name));
  if (!(quoted ? quoted_read(p, o, &a) : pretty_read(p, o, &a)) || !tl_parser_skip_loc(p) ||
      o->poisoned)
    return false;
  *out = row->expand(p, o, &a);
  if (*out == NULL) return false;
  if (o->n_results == 0 || (o->n_results == 1 && tl_type_eq(o->results[0], (*out)->type)))
    return true;
  tl_parser_report_types(p, o->op->loc, "the text's result", o->results[0], "the op's",
                         (*out)->type);
  return false;
}
