// What stands behind an op's name: one function a value of the syntax column of ops.def, and the
// quoted form, which every op has.
//
// Types in the text are not taken from it where they are known: an operand has the type its
// definition gave it, and a text that says another is refused at that operand.
#include "shlo/parser.h"

#include <stdio.h>

#include "ir/dim.h"

// Parts.

static bool comma(tl_parser *p) { return tl_parser_expect(p, ',', "','"); }

// At least one operand; *out_comma when a comma stood behind the last.
static bool operands(tl_parser *p, tl_pending *o, bool *out_comma) {
  *out_comma = false;
  do {
    if (*out_comma && !tl_parser_is(p, TL_TOKEN_VALUE)) return true;
    if (!tl_parser_operand(p, o)) return false;
    *out_comma = tl_parser_accept(p, ',');
  } while (*out_comma);
  return true;
}

static bool operands_only(tl_parser *p, tl_pending *o) {
  bool more;
  return operands(p, o, &more) && (!more || tl_parser_want(p, "another operand"));
}

static bool operands_then(tl_parser *p, tl_pending *o, const char *what) {
  bool more;
  return operands(p, o, &more) && (more || tl_parser_want(p, what));
}

// tlaloc.dims is the op's own, whatever its regions have.
static bool attr_dict(tl_parser *p, tl_pending *o) {
  if (!tl_parser_attr_dict(p, o->op)) return false;
  if (p->has_dims) {
    o->dims = p->dims;
    o->dims_loc = p->dims_loc;
    o->has_dims = true;
    p->has_dims = false;
  }
  return true;
}

static bool attrs(tl_parser *p, tl_pending *o) { return !tl_parser_is(p, '{') || attr_dict(p, o); }

bool tl_parser_operand_types(tl_parser *p, const tl_pending *o, const tl_type *types, uint32_t n) {
  if (n != o->n_operands)
    return tl_parser_fail(p, o->op->loc, "%s has %u operand%s, the text gives %u type%s", o->name,
                          o->n_operands, o->n_operands == 1 ? "" : "s", n, n == 1 ? "" : "s");
  for (uint32_t i = 0; i < n; i++) {
    if (o->operands[i] == NULL || tl_parser_type_fits(o->operands[i]->type, types[i])) continue;
    tl_parser_report_types(p, o->operand_locs[i], "this operand", o->operands[i]->type,
                           "the text says", types[i]);
    return false;
  }
  return true;
}

static bool results(tl_pending *o, const tl_types *types) {
  o->results = types->ptr;
  o->n_results = types->len;
  o->written = types->written;
  o->n_written = types->n_written;
  return true;
}

// (T, T) -> T
static bool function_type(tl_parser *p, tl_pending *o) {
  tl_types in = {0}, out = {0};
  return tl_parser_types_in_parens(p, &in) &&
         tl_parser_expect(p, TL_TOKEN_ARROW, "'->' and the result types") &&
         tl_parser_result_types(p, &out) && tl_parser_operand_types(p, o, in.ptr, in.len) &&
         results(o, &out);
}

static bool one_result(tl_parser *p, tl_pending *o, tl_type t) {
  tl_types out = {0};
  if (!tl_parser_grow_temp(p, &out.ptr, 0, &out.cap, sizeof t)) return false;
  out.ptr[out.len++] = t;
  return results(o, &out);
}

// `: T`, the type of every operand and of the result; or `: (T, T) -> T`.
static bool same_type(tl_parser *p, tl_pending *o) {
  if (!attrs(p, o) || !tl_parser_expect(p, ':', "':' and the type")) return false;
  if (tl_parser_is(p, '(')) return function_type(p, o);
  tl_type t, *types;
  if (!tl_parser_type(p, &t)) return false;
  types = TL_NEW(p->temp, tl_type, TL_MAX(o->n_operands, 1u));
  if (types == NULL) return tl_parser_oom(p);
  for (uint32_t i = 0; i < o->n_operands; i++)
    types[i] = t;
  return tl_parser_operand_types(p, o, types, o->n_operands) && one_result(p, o, t);
}

static bool signature(tl_parser *p, tl_pending *o) {
  return attrs(p, o) && tl_parser_expect(p, ':', "':' and the types") && function_type(p, o);
}

// `dims = [0, 1]` into a list of the op's.
static bool list_clause(tl_parser *p, tl_pending *o, const char *word, tl_attr_id id) {
  tl_attr *attr;
  return tl_parser_expect_word(p, word) && tl_parser_expect(p, '=', "'='") &&
         (attr = tl_parser_set(p, o->op, id)) != NULL && tl_parser_int_list(p, &attr->list);
}

static tl_attr_id first_attr(const tl_pending *o) {
  return (tl_attr_id)tl_op_get(o->op->code)->attr_begin;
}

// Forms.

static bool parse_constant(tl_parser *p, tl_pending *o) {
  if (!attrs(p, o)) return false;
  tl_attr *attr = tl_parser_set(p, o->op, TL_A_CONSTANT_value);
  tl_literal *value;
  if (attr == NULL || !tl_parser_dense_open(p, &value)) return false;
  attr->dense = value;
  if (o->has_dims) { // they are the literal's as well
    p->dims = o->dims;
    p->dims_loc = o->dims_loc;
    p->has_dims = true;
    o->has_dims = false;
    if (!tl_parser_take_dims(p, &value->type, 1)) return false;
  }
  return one_result(p, o, value->type);
}

static bool parse_iota(tl_parser *p, tl_pending *o) {
  tl_attr *attr;
  tl_type t;
  return tl_parser_expect_word(p, "dim") && tl_parser_expect(p, '=', "'='") &&
         (attr = tl_parser_set(p, o->op, TL_A_IOTA_iota_dimension)) != NULL &&
         tl_parser_int(p, &attr->i64) && attrs(p, o) &&
         tl_parser_expect(p, ':', "':' and the type") && tl_parser_type(p, &t) &&
         one_result(p, o, t);
}

static bool parse_elemwise(tl_parser *p, tl_pending *o) {
  return operands_only(p, o) && same_type(p, o);
}
static bool parse_functional(tl_parser *p, tl_pending *o) {
  return operands_only(p, o) && same_type(p, o);
}

static bool parse_typed(tl_parser *p, tl_pending *o) { // stablehlo.partition_id : tensor<ui32>
  return same_type(p, o);
}

// %x <@mesh, [{"x"}, {}]> : T
static bool parse_sharding_constraint(tl_parser *p, tl_pending *o) {
  tl_attr *attr = tl_parser_set(p, o->op, TL_A_SHARDING_CONSTRAINT_sharding);
  tl_shardings *list = TL_NEW(p->m->arena, tl_shardings, 1);
  tl_sharding *s = TL_NEW(p->m->arena, tl_sharding, 1);
  if (list == NULL || s == NULL) return tl_parser_oom(p);
  *list = (tl_shardings){s, 1};
  if (attr == NULL || !tl_parser_operand(p, o) || !tl_parser_sharding(p, s)) return false;
  attr->shardings = list;
  return same_type(p, o);
}

// Dims of `t` that the text leaves open: of a local type those of the global one divided, of a
// global type those of the local one times as many. What does not divide stays open.
static bool sharded_dims(tl_parser *p, const tl_sharding *s, const tl_names *axes, tl_type from,
                         bool to_local, tl_type *t) {
  const tl_mesh *mesh = tl_mesh_find(p->m, s->mesh);
  if (mesh == NULL || !tl_type_has_any(*t) || from.rank != t->rank || s->rank != t->rank)
    return true;
  int64_t *dims = TL_NEW(p->m->arena, int64_t, t->rank);
  if (dims == NULL) return tl_parser_oom(p);
  for (uint32_t d = 0; d < t->rank; d++) {
    const int64_t parts = tl_axis_refs_size(mesh, s->dims[d].axes, axes);
    int64_t dim = from.dims[d];
    dims[d] = t->dims[d];
    if (dims[d] != TL_DIM_ANY || parts <= 0 || !tl_dim_is_named(dim)) continue;
    if (parts == 1 ||
        (to_local ? tl_dim_divide(p->m, dim, parts, &dim) : tl_dim_mul(p->m, dim, parts, &dim)))
      dims[d] = dim;
  }
  t->dims = dims;
  return true;
}

// (%0, %1) in_shardings=[<…>] out_shardings=[<…>] manual_axes={"x"} (%a: T, %b: T) { … } : (T, T)
// ->
// T
static bool parse_manual_computation(tl_parser *p, tl_pending *o) {
  tl_attr *in = tl_parser_set(p, o->op, TL_A_MANUAL_COMPUTATION_in_shardings),
          *out = tl_parser_set(p, o->op, TL_A_MANUAL_COMPUTATION_out_shardings),
          *axes = tl_parser_set(p, o->op, TL_A_MANUAL_COMPUTATION_manual_axes);
  tl_region_arg *args = NULL;
  uint32_t n = 0, cap = 0;
  if (!tl_parser_expect(p, '(', "'(' and the operands")) return false;
  if (!tl_parser_accept(p, ')') &&
      (!operands_only(p, o) || !tl_parser_expect(p, ')', "')' behind the operands")))
    return false;
  if (in == NULL || out == NULL || axes == NULL || !tl_parser_expect_word(p, "in_shardings") ||
      !tl_parser_expect(p, '=', "'='") || !tl_parser_shardings(p, &in->shardings) ||
      !tl_parser_expect_word(p, "out_shardings") || !tl_parser_expect(p, '=', "'='") ||
      !tl_parser_shardings(p, &out->shardings) || !tl_parser_expect_word(p, "manual_axes") ||
      !tl_parser_expect(p, '=', "'='") || !tl_parser_axes(p, &axes->names) ||
      !tl_parser_expect(p, '(', "'(' and the region's arguments"))
    return false;
  if (!tl_parser_accept(p, ')')) {
    do {
      if (!tl_parser_is(p, TL_TOKEN_VALUE)) return tl_parser_want(p, "the name of an argument");
      if (!tl_parser_grow(p, &args, n, &cap, sizeof *args)) return false;
      args[n] = (tl_region_arg){.name = p->tok.text, .loc = tl_parser_here(p)};
      tl_parser_next(p);
      if (!tl_parser_expect(p, ':', "':' and the argument's type") ||
          !tl_parser_type(p, &args[n++].type) || !tl_parser_skip_loc(p))
        return false;
    } while (tl_parser_accept(p, ','));
    if (!tl_parser_expect(p, ')', "')' behind the region's arguments")) return false;
  }
  for (uint32_t i = 0;
       in->shardings != NULL && i < n && i < o->n_operands && i < in->shardings->len; i++)
    if (o->operands[i] != NULL && !sharded_dims(p, &in->shardings->ptr[i], axes->names,
                                                o->operands[i]->type, true, &args[i].type))
      return false;
  static const tl_region_arg none = {0};
  if (!tl_parser_region(p, o, n == 0 ? &none : args, n, false) || !signature(p, o)) return false;
  const tl_op *ret = o->op->n_regions == 1 ? o->op->regions[0]->last : NULL;
  for (uint32_t i = 0; ret && i < o->n_results && i < ret->n_operands && i < out->shardings->len;
       i++)
    if (!sharded_dims(p, &out->shardings->ptr[i], axes->names, ret->operands[i]->type, false,
                      &o->results[i]))
      return false;
  return true;
}

// %x, probe_id = "x"[, iter = 0] : T
static bool parse_probe(tl_parser *p, tl_pending *o) {
  const bool is_probe = o->op->code == TL_OP_PROBE;
  if (!operands_then(p, o, "', probe_id = …'")) return false;
  do {
    const bool iter = !is_probe && tl_parser_is_word(p, "iter");
    if (!iter && !tl_parser_is_word(p, "probe_id")) return tl_parser_want(p, "probe_id");
    tl_attr *attr = tl_parser_set(p, o->op,
                                  iter       ? TL_A_EXPECT_SERIALIZED_EQ_iter
                                  : is_probe ? TL_A_PROBE_probe_id
                                             : TL_A_EXPECT_SERIALIZED_EQ_probe_id);
    tl_parser_next(p);
    if (attr == NULL || !tl_parser_expect(p, '=', "'='") ||
        !(iter ? tl_parser_int(p, &attr->i64) : tl_parser_string(p, &attr->str)))
      return false;
  } while (tl_parser_accept(p, ','));
  tl_type t;
  if (!attrs(p, o) || !tl_parser_expect(p, ':', "':' and the type") || !tl_parser_type(p, &t) ||
      !tl_parser_operand_types(p, o, &t, 1))
    return false;
  return !is_probe || one_result(p, o, t);
}

// `: tensor<complex<T>>`, the result's type alone; or `: (T, T) -> tensor<complex<T>>`.
static bool parse_complex(tl_parser *p, tl_pending *o) {
  if (!operands_only(p, o) || !attrs(p, o) || !tl_parser_expect(p, ':', "':' and the type"))
    return false;
  if (tl_parser_is(p, '(')) return function_type(p, o);
  tl_type t, part[2];
  if (!tl_parser_type(p, &t)) return false;
  part[0] = part[1] = (tl_type){tl_dtype_part(t.dtype), t.rank, t.dims};
  return tl_parser_operand_types(p, o, part, 2) && one_result(p, o, t);
}

static bool parse_compare(tl_parser *p, tl_pending *o) {
  tl_attr *attr = tl_parser_set(p, o->op, TL_A_COMPARE_comparison_direction);
  bool more;
  if (attr == NULL || !tl_parser_enum(p, TL_AK_COMPARISON_DIRECTION, &attr->i64) || !comma(p) ||
      !operands(p, o, &more))
    return false;
  if (more) {
    attr = tl_parser_set(p, o->op, TL_A_COMPARE_compare_type);
    if (attr == NULL || !tl_parser_enum(p, TL_AK_COMPARISON_TYPE, &attr->i64)) return false;
  }
  return signature(p, o);
}

static bool parse_select(tl_parser *p, tl_pending *o) { // : Tp, T
  if (!operands_only(p, o) || !attrs(p, o) || !tl_parser_expect(p, ':', "':' and the types"))
    return false;
  if (tl_parser_is(p, '(')) return function_type(p, o);
  tl_type types[3];
  if (!tl_parser_type(p, &types[0]) || !comma(p) || !tl_parser_type(p, &types[1])) return false;
  types[2] = types[1];
  return tl_parser_operand_types(p, o, types, 3) && one_result(p, o, types[1]);
}

static bool parse_attrs_dims(tl_parser *p, tl_pending *o) {
  return operands_then(p, o, "', dims = […]'") && list_clause(p, o, "dims", first_attr(o)) &&
         same_type(p, o);
}

static bool parse_attrs_dim(tl_parser *p, tl_pending *o) {
  tl_attr *attr;
  return operands_then(p, o, "', dim = …'") && tl_parser_expect_word(p, "dim") &&
         tl_parser_expect(p, '=', "'='") &&
         (attr = tl_parser_set(p, o->op, first_attr(o))) != NULL && tl_parser_int(p, &attr->i64) &&
         signature(p, o);
}

static bool parse_slice(tl_parser *p, tl_pending *o) { // %x [0:2, 1:4:2]
  int64_t lists[3][TL_MAX_RANK];
  uint32_t n = 0;
  if (!tl_parser_operand(p, o) || !tl_parser_expect(p, '[', "'[' and ranges")) return false;
  if (!tl_parser_accept(p, ']')) {
    do {
      if (n == TL_MAX_RANK)
        return tl_parser_fail(p, tl_parser_here(p), "more than %d ranges", TL_MAX_RANK);
      lists[2][n] = 1;
      if (!tl_parser_int(p, &lists[0][n]) || !tl_parser_expect(p, ':', "':' and the limit") ||
          !tl_parser_int(p, &lists[1][n]) ||
          (tl_parser_accept(p, ':') && !tl_parser_int(p, &lists[2][n])))
        return false;
      n++;
    } while (tl_parser_accept(p, ','));
    if (!tl_parser_expect(p, ']', "']' behind the ranges")) return false;
  }
  static const tl_attr_id ids[3] = {TL_A_SLICE_start_indices, TL_A_SLICE_limit_indices,
                                    TL_A_SLICE_strides};
  for (size_t k = 0; k < 3; k++) {
    tl_attr *attr = tl_parser_set(p, o->op, ids[k]);
    int64_t *kept = n == 0 ? NULL : TL_NEW(p->m->arena, int64_t, n);
    if (attr == NULL) return false;
    if (n > 0 && kept == NULL) return tl_parser_oom(p);
    if (n > 0) memcpy(kept, lists[k], n * sizeof *kept);
    attr->list = (tl_i64s){kept, n};
  }
  return signature(p, o);
}

static bool parse_dynamic_slice(tl_parser *p, tl_pending *o) {
  return operands_then(p, o, "', sizes = […]'") &&
         list_clause(p, o, "sizes", TL_A_DYNAMIC_SLICE_slice_sizes) && signature(p, o);
}

// %state, algorithm = THREE_FRY
static bool parse_rng_bit_generator(tl_parser *p, tl_pending *o) {
  tl_attr *attr;
  return operands_then(p, o, "', algorithm = …'") && tl_parser_expect_word(p, "algorithm") &&
         tl_parser_expect(p, '=', "'='") &&
         (attr = tl_parser_set(p, o->op, TL_A_RNG_BIT_GENERATOR_rng_algorithm)) != NULL &&
         tl_parser_enum(p, TL_AK_RNG_ALGORITHM, &attr->i64) && signature(p, o);
}

// %a, %b, %shape, distribution = UNIFORM
static bool parse_rng(tl_parser *p, tl_pending *o) {
  tl_attr *attr;
  return operands_then(p, o, "', distribution = …'") && tl_parser_expect_word(p, "distribution") &&
         tl_parser_expect(p, '=', "'='") &&
         (attr = tl_parser_set(p, o->op, TL_A_RNG_rng_distribution)) != NULL &&
         tl_parser_enum(p, TL_AK_RNG_DISTRIBUTION, &attr->i64) && signature(p, o);
}

// %x, format = e5m10
static bool parse_reduce_precision(tl_parser *p, tl_pending *o) {
  if (!operands_then(p, o, "', format = …'") || !tl_parser_expect_word(p, "format") ||
      !tl_parser_expect(p, '=', "'='"))
    return false;
  tl_str text = p->tok.text;
  size_t m = tl_str_find(text, TL_STR("m"));
  uint64_t e_bits, m_bits;
  if (!tl_parser_is(p, TL_TOKEN_WORD) || !tl_str_starts(text, TL_STR("e")) || m == (size_t)-1 ||
      !tl_str_to_u64(tl_str_sub(text, 1, m), &e_bits) || e_bits > INT32_MAX ||
      !tl_str_to_u64(tl_str_sub(text, m + 1, text.len), &m_bits) || m_bits > INT32_MAX)
    return tl_parser_want(p, "a format such as e5m10");
  tl_attr *exponent = tl_parser_set(p, o->op, TL_A_REDUCE_PRECISION_exponent_bits);
  tl_attr *mantissa = tl_parser_set(p, o->op, TL_A_REDUCE_PRECISION_mantissa_bits);
  if (exponent == NULL || mantissa == NULL) return false;
  exponent->i64 = (int64_t)e_bits;
  mantissa->i64 = (int64_t)m_bits;
  tl_parser_next(p);
  return same_type(p, o);
}

// %a[, lower = true]
static bool parse_cholesky(tl_parser *p, tl_pending *o) {
  bool more;
  if (!operands(p, o, &more)) return false;
  if (more) {
    tl_attr *attr;
    if (!tl_parser_expect_word(p, "lower") || !tl_parser_expect(p, '=', "'='") ||
        (attr = tl_parser_set(p, o->op, TL_A_CHOLESKY_lower)) == NULL)
      return false;
    attr->i64 = tl_parser_is_word(p, "true");
    if (!tl_parser_accept_word(p, "true") && !tl_parser_accept_word(p, "false"))
      return tl_parser_want(p, "true or false");
  }
  return same_type(p, o);
}

// %a, type = FFT, length = [8]
static bool parse_fft(tl_parser *p, tl_pending *o) {
  tl_attr *type;
  return operands_then(p, o, "', type = …'") && tl_parser_expect_word(p, "type") &&
         tl_parser_expect(p, '=', "'='") &&
         (type = tl_parser_set(p, o->op, TL_A_FFT_fft_type)) != NULL &&
         tl_parser_enum(p, TL_AK_FFT_TYPE, &type->i64) && comma(p) &&
         list_clause(p, o, "length", TL_A_FFT_fft_length) && signature(p, o);
}

static bool parse_pad(tl_parser *p, tl_pending *o) {
  return operands_then(p, o, "', low = […]'") &&
         list_clause(p, o, "low", TL_A_PAD_edge_padding_low) && comma(p) &&
         list_clause(p, o, "high", TL_A_PAD_edge_padding_high) && comma(p) &&
         list_clause(p, o, "interior", TL_A_PAD_interior_padding) && signature(p, o);
}

static bool parse_dot_general(tl_parser *p, tl_pending *o) {
  bool more;
  if (!operands(p, o, &more)) return false;
  for (; more; more = tl_parser_accept(p, ',')) {
    bool batching = tl_parser_is_word(p, "batching_dims");
    if (batching || tl_parser_is_word(p, "contracting_dims")) {
      tl_attr *lhs = tl_parser_set(p, o->op,
                                   batching ? TL_A_DOT_GENERAL_lhs_batching_dimensions
                                            : TL_A_DOT_GENERAL_lhs_contracting_dimensions);
      tl_attr *rhs = tl_parser_set(p, o->op,
                                   batching ? TL_A_DOT_GENERAL_rhs_batching_dimensions
                                            : TL_A_DOT_GENERAL_rhs_contracting_dimensions);
      tl_parser_next(p);
      if (lhs == NULL || rhs == NULL || !tl_parser_expect(p, '=', "'='") ||
          !tl_parser_int_list(p, &lhs->list) || !tl_parser_expect_word(p, "x") ||
          !tl_parser_int_list(p, &rhs->list))
        return false;
    } else if (tl_parser_accept_word(p, "precision")) {
      tl_attr *attr = tl_parser_set(p, o->op, TL_A_DOT_GENERAL_precision_config);
      if (attr == NULL || !tl_parser_expect(p, '=', "'='") || !tl_parser_precisions(p, &attr->list))
        return false;
    } else if (tl_parser_accept_word(p, "algorithm")) {
      tl_attr *attr = tl_parser_set(p, o->op, TL_A_DOT_GENERAL_algorithm);
      if (attr == NULL || !tl_parser_expect(p, '=', "'='") ||
          !tl_parser_dot_algorithm(p, &attr->i64))
        return false;
    } else {
      return tl_parser_want(p, "batching_dims, contracting_dims, precision or algorithm");
    }
  }
  return signature(p, o);
}

// `applies stablehlo.add`: the region is two scalars and the op. Its values have no names, and are
// scratch.
static bool applied_region(tl_parser *p, tl_pending *o, tl_opcode code, tl_loc loc) {
  tl_arena *a = p->m->arena;
  tl_op *op = o->op;
  tl_type t = tl_type_scalar(o->operands[0] == NULL ? TL_DTYPE_F32 : o->operands[0]->type.dtype);
  tl_block *block = TL_NEW(a, tl_block, 1);
  tl_block **regions = TL_NEW(a, tl_block *, 1);
  tl_op *ops = TL_NEW(a, tl_op, 2);
  tl_arg_def *defs = TL_NEW(a, tl_arg_def, 3);
  tl_value *values = TL_NEW(a, tl_value, 6);
  if (block == NULL || regions == NULL || ops == NULL || defs == NULL || values == NULL)
    return tl_parser_oom(p);
  *block = (tl_block){
      .args = values, .n_args = 2, .first = &ops[0], .last = &ops[1], .parent = op, .func = p->fn};
  for (uint32_t i = 0; i < 3; i++) {
    defs[i].value = (tl_value_def){
        .type = t, .op = i == 2 ? &ops[0] : NULL, .block = block, .index = i % 2, .scratch = true};
    defs[i].loc = loc;
    values[i] = &defs[i].value;
  }
  values[3] = values[0]; // the op's operands; its result is values[2], and the return's operand
  values[4] = values[1];
  values[5] = values[2];
  ops[0] = (tl_op){.code = code,
                   .n_operands = 2,
                   .n_results = 1,
                   .operands = values + 3,
                   .results = values + 2,
                   .block = block,
                   .next = &ops[1],
                   .loc = loc};
  ops[1] = (tl_op){.code = TL_OP_RETURN,
                   .n_operands = 1,
                   .operands = values + 5,
                   .block = block,
                   .prev = &ops[0],
                   .loc = loc};
  regions[0] = block;
  op->regions = regions;
  op->n_regions = 1;
  return true;
}

// (%a: T, %b: T)
static bool reducer_pair(tl_parser *p, tl_region_arg *lhs, tl_region_arg *rhs) {
  if (!tl_parser_expect(p, '(', "'(' and a pair of the reducer's arguments")) return false;
  for (int side = 0; side < 2; side++) {
    tl_region_arg *arg = side == 0 ? lhs : rhs;
    if (side == 1 && !comma(p)) return false;
    if (!tl_parser_is(p, TL_TOKEN_VALUE)) return tl_parser_want(p, "the name of an argument");
    *arg = (tl_region_arg){.name = p->tok.text, .loc = tl_parser_here(p)};
    tl_parser_next(p);
    if (!tl_parser_expect(p, ':', "':' and the argument's type") ||
        !tl_parser_type(p, &arg->type) || !tl_parser_skip_loc(p))
      return false;
  }
  return tl_parser_expect(p, ')', "')' behind the pair");
}

// (%x init: %i), … [applies stablehlo.add] across dimensions = [0] : type [reducer(%a: T, %b: T) {
// … }]
static bool parse_reduce(tl_parser *p, tl_pending *o) {
  do {
    if (!tl_parser_expect(p, '(', "'(' and an operand") || !tl_parser_operand(p, o) ||
        !tl_parser_expect_word(p, "init") ||
        !tl_parser_expect(p, ':', "':' and the initial value") || !tl_parser_operand(p, o) ||
        !tl_parser_expect(p, ')', "')' behind the initial value"))
      return false;
  } while (tl_parser_accept(p, ','));
  uint32_t n = o->n_operands / 2;
  tl_value *values = TL_NEW(p->m->arena, tl_value, 2 * (size_t)n);
  tl_loc *locs = TL_NEW(p->m->arena, tl_loc, 2 * (size_t)n);
  if (values == NULL || locs == NULL) return tl_parser_oom(p);
  for (uint32_t i = 0; i < 2 * n;
       i++) { // pairs in the text; all operands, then all initial values in the op
    values[i / 2 + i % 2 * n] = o->operands[i];
    locs[i / 2 + i % 2 * n] = o->operand_locs[i];
  }
  o->operands = values;
  o->operand_locs = locs;
  o->cap_operands = 2 * n;

  bool applies = tl_parser_accept_word(p, "applies");
  if (applies) {
    uint64_t code;
    tl_loc loc = tl_parser_here(p);
    tl_str name = p->tok.text;
    const tl_op_info *info = NULL;
    if (tl_parser_is(p, TL_TOKEN_WORD) && tl_str_starts(name, TL_STR("stablehlo.")) &&
        tl_map_get(&p->ops, tl_str_sub(name, sizeof "stablehlo." - 1, name.len), &code))
      info = tl_op_get((tl_opcode)code);
    if (info == NULL || info->n_in != 2 || info->n_attrs != 0 || (info->traits & TL_COMMUTES) == 0)
      return tl_parser_want(p, "an op that commutes, such as stablehlo.add");
    if (n != 1)
      return tl_parser_fail(p, loc, "applies takes one operand and one initial value, found %u", n);
    tl_parser_next(p);
    if (!applied_region(p, o, (tl_opcode)code, loc)) return false;
  }
  if (!tl_parser_expect_word(p, "across") ||
      !list_clause(p, o, "dimensions", TL_A_REDUCE_dimensions) || !signature(p, o))
    return false;
  if (applies) return true;
  if (!tl_parser_expect_word(p, "reducer")) return false;
  tl_region_arg *args = TL_NEW(p->m->arena, tl_region_arg, 2 * (size_t)n);
  if (args == NULL) return tl_parser_oom(p);
  for (uint32_t i = 0; i < n; i++)
    if (!reducer_pair(p, &args[i], &args[n + i])) return false;
  return tl_parser_region(p, o, args, 2 * n, false);
}

// stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], …, any of them, in any order
static bool conv_window(tl_parser *p, tl_pending *o) {
  static const struct {
    const char *word;
    tl_attr_id id;
  } entries[] = {{"stride", TL_A_CONVOLUTION_window_strides},
                 {"pad", TL_A_CONVOLUTION_padding},
                 {"lhs_dilate", TL_A_CONVOLUTION_lhs_dilation},
                 {"rhs_dilate", TL_A_CONVOLUTION_rhs_dilation},
                 {"reverse", TL_A_CONVOLUTION_window_reversal}};
  if (tl_parser_is(p, '}')) return true;
  do {
    size_t i = 0;
    while (i < TL_COUNT(entries) && !tl_parser_is_word(p, entries[i].word))
      i++;
    if (i == TL_COUNT(entries))
      return tl_parser_want(p, "stride, pad, lhs_dilate, rhs_dilate or reverse");
    tl_attr *attr = tl_parser_set(p, o->op, entries[i].id);
    if (attr == NULL) return false;
    tl_parser_next(p);
    if (!tl_parser_expect(p, '=', "'='")) return false;
    tl_attr_kind kind = tl_attr_get(entries[i].id)->kind;
    if (!(kind == TL_AK_PAIRS   ? tl_parser_pairs(p, &attr->list)
          : kind == TL_AK_BOOLS ? tl_parser_bools(p, &attr->list)
                                : tl_parser_int_list(p, &attr->list)))
      return false;
  } while (tl_parser_accept(p, ','));
  return true;
}

// (%0, %1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {…} {…} : (T, T) -> T
static bool parse_convolution(tl_parser *p, tl_pending *o) {
  return tl_parser_expect(p, '(', "'(' and the operands") && operands_only(p, o) &&
         tl_parser_expect(p, ')', "')' behind the operands") &&
         tl_parser_expect_word(p, "dim_numbers") && tl_parser_expect(p, '=', "'='") &&
         tl_parser_conv_dims(p, o->op) && comma(p) && tl_parser_expect_word(p, "window") &&
         tl_parser_expect(p, '=', "'='") && tl_parser_expect(p, '{', "'{' and the window") &&
         conv_window(p, o) && tl_parser_expect(p, '}', "'}' behind the window") && signature(p, o);
}

// (%i = %0, %x = %1) : T, T cond { … } do { … }
static bool parse_while(tl_parser *p, tl_pending *o) {
  tl_region_arg *args = NULL;
  uint32_t n = 0, cap = 0;
  if (!tl_parser_expect(p, '(', "'(' and the loop's values")) return false;
  if (!tl_parser_accept(p, ')')) {
    do {
      if (!tl_parser_is(p, TL_TOKEN_VALUE)) return tl_parser_want(p, "the name of a loop's value");
      if (!tl_parser_grow(p, &args, n, &cap, sizeof *args)) return false;
      args[n++] = (tl_region_arg){.name = p->tok.text, .loc = tl_parser_here(p)};
      tl_parser_next(p);
      if (!tl_parser_expect(p, '=', "'=' and the first value") || !tl_parser_operand(p, o))
        return false;
    } while (tl_parser_accept(p, ','));
    if (!tl_parser_expect(p, ')', "')' behind the loop's values")) return false;
  }
  tl_types types = {0};
  if (n > 0 && !tl_parser_expect(p, ':', "':' and the types")) return false;
  if (n > 0 &&
      (!tl_parser_type_list(p, &types) || !tl_parser_operand_types(p, o, types.ptr, types.len)))
    return false;
  if (n != (types.written == NULL ? types.len : types.n_written))
    return tl_parser_fail(p, o->op->loc, "while has %u values, the text gives other types", n);
  for (uint32_t i = 0, leaf = 0; i < n; leaf += tl_region_arg_leaves(&args[i++])) {
    args[i].written = types.written == NULL ? NULL : types.written[i];
    args[i].leaves = types.ptr + leaf;
    if (args[i].written == NULL)
      args[i].type = o->operands[leaf] != NULL ? o->operands[leaf]->type : types.ptr[leaf];
  }
  if (tl_parser_accept_word(p, "attributes")) {
    if (!tl_parser_is(p, '{')) return tl_parser_want(p, "'{' behind attributes");
    if (!attrs(p, o)) return false;
  }
  static const tl_region_arg none = {0};
  return results(o, &types) && tl_parser_expect_word(p, "cond") &&
         tl_parser_region(p, o, n == 0 ? &none : args, n, false) &&
         tl_parser_expect_word(p, "do") && tl_parser_region(p, o, n == 0 ? &none : args, n, true);
}

static bool parse_call(tl_parser *p, tl_pending *o) {
  tl_attr *attr = tl_parser_set(p, o->op, TL_A_CALL_callee);
  if (attr == NULL || !tl_parser_symbol(p, &attr->str) ||
      !tl_parser_expect(p, '(', "'(' and the operands"))
    return false;
  if (!tl_parser_accept(p, ')') &&
      (!operands_only(p, o) || !tl_parser_expect(p, ')', "')' behind the operands")))
    return false;
  return signature(p, o);
}

static bool parse_composite(tl_parser *p, tl_pending *o) {
  tl_attr *attr = tl_parser_set(p, o->op, TL_A_COMPOSITE_name);
  if (attr == NULL || !tl_parser_string(p, &attr->str)) return false;
  if (tl_parser_is(p, TL_TOKEN_VALUE) && !operands_only(p, o)) return false;
  return tl_parser_is(p, '{') ? signature(p, o) : tl_parser_want(p, "'{' and the decomposition");
}

static bool parse_custom_call(tl_parser *p, tl_pending *o) { // @target(%0, %1) {…} : (T, T) -> ()
  tl_attr *attr = tl_parser_set(p, o->op, TL_A_CUSTOM_CALL_call_target_name);
  if (attr == NULL || !tl_parser_symbol(p, &attr->str)) return false;
  if (!tl_parser_target(p, o->op)) return false; // before attributes that nobody here knows
  if (!tl_parser_expect(p, '(', "'(' and the operands")) return false;
  if (!tl_parser_accept(p, ')') &&
      (!operands_only(p, o) || !tl_parser_expect(p, ')', "')' behind the operands")))
    return false;
  return signature(p, o);
}

// , tolerance = 0.1 and , max_ulp_difference = 3
static bool check_options(tl_parser *p, tl_pending *o) {
  static const struct {
    const char *word;
    tl_attr_id id;
  } options[] = {{"max_ulp_difference", TL_A_CUSTOM_CALL_max_ulp_difference},
                 {"min_ulp_difference", TL_A_CUSTOM_CALL_min_ulp_difference},
                 {"tolerance", TL_A_CUSTOM_CALL_tolerance}};
  while (tl_parser_accept(p, ',')) {
    size_t i = 0;
    while (i < TL_COUNT(options) && !tl_parser_is_word(p, options[i].word))
      i++;
    if (i == TL_COUNT(options))
      return tl_parser_want(p, "tolerance, max_ulp_difference or min_ulp_difference");
    tl_attr *attr = tl_parser_set(p, o->op, options[i].id);
    tl_parser_next(p);
    if (attr == NULL || !tl_parser_expect(p, '=', "'='") ||
        !(options[i].id == TL_A_CUSTOM_CALL_tolerance ? tl_parser_float(p, &attr->f64)
                                                      : tl_parser_int(p, &attr->i64)))
      return false;
  }
  return true;
}

bool tl_parser_check_body(tl_parser *p, tl_pending *o, const tl_literal **out_wanted) {
  tl_types types = {0};
  if (!tl_parser_operand(p, o) || !comma(p)) return false;
  if (out_wanted != NULL) { // %0, dense<…> : T {…}
    if (!tl_parser_dense(p, out_wanted) || !attrs(p, o)) return false;
    return tl_parser_operand_types(p, o, &(*out_wanted)->type, 1);
  }
  if (!tl_parser_operand(p, o) || !check_options(p, o) || !attrs(p, o) ||
      !tl_parser_expect(p, ':', "':' and the type") || !tl_parser_type_list(p, &types))
    return false;
  if (types.len != 1) return tl_parser_operand_types(p, o, types.ptr, types.len);
  const tl_type both[] = {types.ptr[0], types.ptr[0]};
  return tl_parser_operand_types(p, o, both, 2);
}

static bool parse_barrier(tl_parser *p, tl_pending *o) {
  tl_types types = {0};
  return operands_only(p, o) && attrs(p, o) && tl_parser_expect(p, ':', "':' and the types") &&
         tl_parser_type_list(p, &types) && tl_parser_operand_types(p, o, types.ptr, types.len) &&
         results(o, &types);
}

static bool parse_return(tl_parser *p, tl_pending *o) {
  tl_types types = {0};
  if (!tl_parser_is(p, TL_TOKEN_VALUE)) return attrs(p, o);
  return operands_only(p, o) && attrs(p, o) && tl_parser_expect(p, ':', "':' and the types") &&
         tl_parser_type_list(p, &types) && tl_parser_operand_types(p, o, types.ptr, types.len);
}

// (%0, %1) <{…}> ({ … }, { … }) {…} : (T, T) -> T, behind the quoted name.
static bool quoted_form(tl_parser *p, tl_pending *o) {
  if (!tl_parser_expect(p, '(', "'(' and the operands")) return false;
  if (!tl_parser_accept(p, ')') &&
      (!operands_only(p, o) || !tl_parser_expect(p, ')', "')' behind the operands")))
    return false;
  if (tl_parser_is(p, '['))
    return tl_parser_fail(p, tl_parser_here(p), "successor blocks are not supported");
  if (tl_parser_accept(p, '<') &&
      (!attr_dict(p, o) || !tl_parser_expect(p, '>', "'>' behind the attributes")))
    return false;
  if (tl_parser_accept(p, '(')) {
    do {
      if (!tl_parser_region(p, o, NULL, 0, false)) return false;
    } while (tl_parser_accept(p, ','));
    if (!tl_parser_expect(p, ')', "')' behind the regions")) return false;
  }
  return signature(p, o);
}

static bool parse_generic(tl_parser *p, tl_pending *o) {
  return tl_parser_fail(p, o->op->loc, "%s is read in its quoted form: \"stablehlo.%s\"(…)",
                        o->name, o->name);
}

typedef bool (*parse_fn)(tl_parser *p, tl_pending *o);

static const parse_fn parse_syntax[TL_OP_COUNT] = {
#define TL_OP(id, mnemonic, in, out, regions, traits, rule, syntax) [TL_OP_##id] = parse_##syntax,
#include "ir/ops.def"
#undef TL_OP
};

bool tl_parser_op_body(tl_parser *p, tl_pending *o, bool quoted) {
  return quoted ? quoted_form(p, o) : parse_syntax[o->op->code](p, o);
}
