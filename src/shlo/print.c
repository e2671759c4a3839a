// The IR as StableHLO text.
//
// The layout is fixed to the byte, because bodies are named by the digest of their text: an op a
// line, two spaces of indentation a level, `%<id>` for values in the IR's own numbers and `%s<k>`
// for those of inlined decompositions, which are numbered here, behind the function's largest id,
// in the order of printing. Gather and scatter keep the quoted form, a scatter's region stands at
// columns 6, 8 and 6. What is not printed takes no number: the region behind `reduce … applies
// stablehlo.add`, and the arguments of a while's body, which share the names of its condition's.
//
// A named op becomes a composite. Its decomposition comes from the one place that makes
// decompositions, into a module of its own, and is printed as a private function behind the
// module's functions; ops with equal attributes and types share it.
//
// Each op's form is the `syntax` column of ops.def.
#include "shlo/shlo.h"

#include <inttypes.h>

#include "base/map.h"
#include "ir/dim.h"
#include "ir/dynamic.h"
#include "ir/op.h"
#include "ir/ptr_map.h"
#include "ir/decompose.h"
#include "shlo/spell.h"

typedef struct printer {
  const tl_module *m;
  tl_shlo_print_options options;
  tl_buf *out;
  tl_status error;   // the first
  tl_ptr_map names;  // value -> number * 2 + scratch, where that is not its id; of the function
                     // being printed
  uint32_t base;     // columns in front of an op of a function's body
  const tl_func *fn; // being printed
  tl_module *bodies; // decompositions, in the order of printing
  tl_map body_of; // what an op asks of its decomposition (as text, in the arena of bodies) -> its
                  // tl_func
  uint32_t n_bodies[TL_OP_COUNT]; // numbers taken so far
} printer;

static void fail(printer *p, tl_status st) {
  if (p->error == TL_OK)
    p->error = st;
  else
    tl_status_drop(st);
}

static void put(printer *p, const char *text) { tl_buf_cstr(p->out, text); }

static void put_spaces(printer *p, uint32_t n) {
  for (; n > 0; n--)
    tl_buf_char(p->out, ' ');
}

// Names.

// `applies`, which StableHLO has for ops that commute: two scalars in, one op over them in this
// order, its result out.
static const tl_op *applied_op(const tl_op *reduce) {
  if (reduce->n_regions != 1 || reduce->n_results != 1) return NULL;
  const tl_block *block = reduce->regions[0];
  const tl_op *op = block->first;
  if (block->n_args != 2 || op == NULL || op->next == NULL || op->next != block->last) return NULL;
  const tl_op_info *info = tl_op_get(op->code);
  bool plain = (info->traits & TL_COMMUTES) != 0 && info->n_in == 2 && info->n_attrs == 0 &&
               op->n_results == 1;
  if (!plain || op->operands[0] != block->args[0] || op->operands[1] != block->args[1]) return NULL;
  const tl_op *last = block->last;
  return last->code == TL_OP_RETURN && last->n_operands == 1 && last->operands[0] == op->results[0]
             ? op
             : NULL;
}

static bool region_is_hidden(const tl_op *op) {
  return op->code == TL_OP_REDUCE && applied_op(op) != NULL;
}
static bool args_are_shared(const tl_op *op, uint32_t region) {
  return op->code == TL_OP_WHILE && region == 1;
}

static void name_as(printer *p, tl_value v, uint64_t name) {
  if (!tl_ptr_map_put(&p->names, v, (uintptr_t)name)) fail(p, TL_OOM());
}

static uint64_t name_of(const printer *p, tl_value v) {
  uintptr_t name;
  if ((v->scratch || v->op == NULL) && tl_ptr_map_get(&p->names, v, &name)) return name;
  return (uint64_t)v->id * 2;
}

// The largest printed id, plus one, in *next.
static void largest_id(const tl_block *block, bool skip_args, uint64_t *next) {
  for (uint32_t i = 0; i < block->n_args && !skip_args; i++)
    if (!block->args[i]->scratch) *next = TL_MAX(*next, (uint64_t)block->args[i]->id + 1);
  for (const tl_op *op = block->first; op != NULL; op = op->next) {
    if (op->n_results > 0 && !op->results[0]->scratch)
      *next = TL_MAX(*next, (uint64_t)op->results[0]->id + 1);
    for (uint32_t i = 0; i < op->n_regions && !region_is_hidden(op); i++)
      largest_id(op->regions[i], args_are_shared(op, i), next);
  }
}

static void name_scratch(printer *p, const tl_block *block, bool skip_args, uint64_t *next) {
  for (uint32_t i = 0; i < block->n_args && !skip_args; i++)
    if (block->args[i]->scratch) name_as(p, block->args[i], (*next)++ * 2 + 1);
  for (const tl_op *op = block->first; op != NULL; op = op->next) {
    if (op->n_results > 0 && op->results[0]->scratch) {
      for (uint32_t i = 0; i < op->n_results; i++)
        name_as(p, op->results[i], *next * 2 + 1);
      ++*next;
    }
    for (uint32_t i = 0; i < op->n_regions && !region_is_hidden(op); i++) {
      name_scratch(p, op->regions[i], args_are_shared(op, i), next);
      if (args_are_shared(op, i))
        for (uint32_t k = 0; k < op->regions[1]->n_args; k++)
          name_as(p, op->regions[1]->args[k], name_of(p, op->regions[0]->args[k]));
    }
  }
}

static void put_name(printer *p, tl_value v) {
  uint64_t name = name_of(p, v);
  put(p, (name & 1) != 0 ? "%s" : "%");
  tl_spell_i64(p->out, (int64_t)(name / 2));
}

static void put_value(printer *p, tl_value v) {
  put_name(p, v);
  if (v->op == NULL || v->op->n_results == 1) return;
  tl_buf_char(p->out, '#');
  tl_spell_i64(p->out, v->index);
}

static void put_values(printer *p, const tl_value *values, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (i > 0) put(p, ", ");
    put_value(p, values[i]);
  }
}

// Types.

static void put_type(printer *p, tl_type t) { tl_type_print(p->out, t); }

static void put_types(printer *p, const tl_value *values, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (i > 0) put(p, ", ");
    put_type(p, values[i]->type);
  }
}

static void put_function_type(printer *p, const tl_op *op) { // (T, T) -> T
  put(p, "(");
  put_types(p, op->operands, op->n_operands);
  put(p, op->n_results == 1 ? ") -> " : ") -> (");
  put_types(p, op->results, op->n_results);
  if (op->n_results != 1) put(p, ")");
}

// ["n", "2*n"]: a name for each `?`.
static void put_dim_names(printer *p, const tl_type *types, uint32_t n) {
  const char *before = "tlaloc.dims = [";
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t d = 0; d < types[i].rank; d++) {
      if (types[i].dims[d] >= 0) continue;
      tl_buf_printf(p->out, "%s\"" TL_STR_FMT "\"", before,
                    TL_STR_ARG(tl_dim_text(p->fn->module, types[i].dims[d])));
      before = ", ";
    }
  put(p, "]");
}

static bool has_named(tl_type t) {
  for (uint32_t i = 0; i < t.rank; i++)
    if (tl_dim_is_named(t.dims[i])) return true;
  return false;
}

// Names of the result's dims, of ops whose operands do not decide them. `open`: in a dict that is
// open already.
static void put_result_dims(printer *p, const tl_op *op, bool open) {
  bool named = false;
  for (uint32_t i = 0; i < op->n_results; i++)
    named |= has_named(op->results[i]->type);
  if (!named) return;
  tl_type types[8];
  if (op->n_results > TL_COUNT(types)) { // a call; more results than any other has
    fail(p, TL_ERROR(UNIMPLEMENTED, "%s: more than %zu results with dims that are symbols",
                     tl_op_get(op->code)->mnemonic, TL_COUNT(types)));
    return;
  }
  for (uint32_t i = 0; i < op->n_results; i++)
    types[i] = op->results[i]->type;
  put(p, open ? ", " : " {");
  put_dim_names(p, types, op->n_results);
  if (!open) put(p, "}");
}

static void put_list(printer *p, const char *before, tl_i64s list) {
  put(p, before);
  tl_spell_list(p->out, list, "[", "]");
}

static void put_block(printer *p, const tl_block *block, uint32_t indent);

// An attribute that its reader would fill in by itself.
static bool attr_is_default(const tl_op *op, tl_attr_id id) {
  tl_attr defaults[64];
  const tl_op_info *info = tl_op_get(op->code);
  TL_ASSERT(info->n_attrs <= TL_COUNT(defaults));
  tl_attrs_default(op->code, defaults);
  const tl_attr_info *row = tl_attr_get(id);
  return !row->required &&
         tl_attr_eq(row->kind, tl_op_attr(op, id), &defaults[id - info->attr_begin]);
}

// #stablehlo.gather<offset_dims = [1], …, index_vector_dim = 1>: the rows from `first` on to
// index_vector_dim.
static void put_dimension_numbers(printer *p, const tl_op *op, const char *mnemonic,
                                  tl_attr_id first) {
  tl_buf_printf(p->out, "#stablehlo.%s<", mnemonic);
  const char *comma = "";
  for (tl_attr_id id = first;; id++) {
    const tl_attr_info *row = tl_attr_get(id);
    if (row->kind == TL_AK_I64S && tl_op_list(op, id).len > 0) {
      tl_buf_printf(p->out, "%s%s = ", comma, row->name);
      tl_spell_list(p->out, tl_op_list(op, id), "[", "]");
      comma = ", ";
    } else if (row->kind == TL_AK_I64) {
      tl_buf_printf(p->out, "%s%s = %" PRId64 ">", comma, row->name, tl_op_i64(op, id));
      return;
    }
  }
}

// One function a value of the syntax column: what stands behind `stablehlo.<mnemonic>`.

static void put_constant(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  put_result_dims(p, op, false);
  put(p, " ");
  tl_spell_literal(p->out, tl_op_attr(op, TL_A_CONSTANT_value)->dense, p->options.hex_literals);
  put(p, " : ");
  put_type(p, op->results[0]->type);
}

static void put_iota(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  put(p, " dim = ");
  tl_spell_i64(p->out, tl_op_i64(op, TL_A_IOTA_iota_dimension));
  put_result_dims(p, op, false);
  put(p, " : ");
  put_type(p, op->results[0]->type);
}

static void put_elemwise(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  bool same = true; // but for the parts of complex numbers
  for (uint32_t i = 0; i < op->n_operands; i++)
    same &= op->operands[i]->type.dtype == op->results[0]->type.dtype;
  put(p, " ");
  put_values(p, op->operands, op->n_operands);
  put(p, " : ");
  if (same)
    put_type(p, op->results[0]->type);
  else
    put_function_type(p, op);
}

static void put_complex(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  put(p, " ");
  put_values(p, op->operands, op->n_operands);
  put(p, " : ");
  put_type(p, op->results[0]->type);
}

static void put_functional(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  uint32_t first, n;
  put(p, " ");
  put_values(p, op->operands, op->n_operands);
  if (op->code == TL_OP_RESHAPE || tl_dynamic_shapes(op->code, &first, &n))
    put_result_dims(p, op, false);
  put(p, " : ");
  put_function_type(p, op);
}

static void put_typed(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  put(p, " : ");
  put_type(p, op->results[0]->type);
}

static void put_compare(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  int64_t type = tl_op_i64(op, TL_A_COMPARE_compare_type);
  tl_buf_printf(
      p->out, " %s, ",
      tl_enum_name(TL_AK_COMPARISON_DIRECTION, tl_op_i64(op, TL_A_COMPARE_comparison_direction)));
  put_values(p, op->operands, op->n_operands);
  if (type != TL_COMPARISON_TYPE_NOTYPE)
    tl_buf_printf(p->out, ", %s", tl_enum_name(TL_AK_COMPARISON_TYPE, type));
  put(p, " : ");
  put_function_type(p, op);
}

static void put_select(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  put(p, " ");
  put_values(p, op->operands, op->n_operands);
  put(p, " : ");
  put_types(p, op->operands, 2);
}

// {known_expanding_dimensions = array<i64: 0>, …}, where there are any.
static void put_known_expanding(printer *p, const tl_op *op) {
  static const tl_attr_id ids[] = {TL_A_DYNAMIC_BROADCAST_IN_DIM_known_expanding_dimensions,
                                   TL_A_DYNAMIC_BROADCAST_IN_DIM_known_nonexpanding_dimensions};
  const char *before = " {";
  for (size_t i = 0; i < TL_COUNT(ids); i++) {
    if (tl_op_list(op, ids[i]).len == 0) continue;
    tl_buf_printf(p->out, "%s%s = ", before, tl_attr_get(ids[i])->name);
    tl_spell_list(p->out, tl_op_list(op, ids[i]), "array<i64: ", ">");
    before = ", ";
  }
  put_result_dims(p, op, before[0] == ',');
  if (before[0] == ',') put(p, "}");
}

static void put_attrs_dims(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  put(p, " ");
  put_values(p, op->operands, op->n_operands);
  put_list(p, ", dims = ", op->attrs[0].list);
  if (op->code == TL_OP_DYNAMIC_BROADCAST_IN_DIM)
    put_known_expanding(p, op);
  else if (op->code == TL_OP_BROADCAST_IN_DIM)
    put_result_dims(p, op, false);
  put(p, " : ");
  if (op->code == TL_OP_REVERSE) // StableHLO's parser knows no other form
    put_type(p, op->results[0]->type);
  else
    put_function_type(p, op);
}

static void put_attrs_dim(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  put(p, " ");
  put_values(p, op->operands, op->n_operands);
  put(p, ", dim = ");
  tl_spell_i64(p->out, op->attrs[0].i64);
  if (op->code == TL_OP_DYNAMIC_IOTA || op->code == TL_OP_SET_DIMENSION_SIZE)
    put_result_dims(p, op, false);
  put(p, " : ");
  put_function_type(p, op);
}

static void put_slice(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  tl_i64s start = tl_op_list(op, TL_A_SLICE_start_indices),
          limit = tl_op_list(op, TL_A_SLICE_limit_indices),
          strides = tl_op_list(op, TL_A_SLICE_strides);
  put(p, " ");
  put_value(p, op->operands[0]);
  put(p, " [");
  for (size_t i = 0; i < start.len; i++) {
    if (i > 0) put(p, ", ");
    tl_spell_i64(p->out, start.ptr[i]);
    put(p, ":");
    tl_spell_i64(p->out, limit.ptr[i]);
    if (strides.ptr[i] == 1) continue;
    put(p, ":");
    tl_spell_i64(p->out, strides.ptr[i]);
  }
  put(p, "] : ");
  put_function_type(p, op);
}

static void put_dynamic_slice(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  put(p, " ");
  put_values(p, op->operands, op->n_operands);
  put_list(p, ", sizes = ", tl_op_list(op, TL_A_DYNAMIC_SLICE_slice_sizes));
  put(p, " : ");
  put_function_type(p, op);
}

static void put_rng_bit_generator(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  put(p, " ");
  put_values(p, op->operands, op->n_operands);
  tl_buf_printf(
      p->out, ", algorithm = %s",
      tl_enum_name(TL_AK_RNG_ALGORITHM, tl_op_i64(op, TL_A_RNG_BIT_GENERATOR_rng_algorithm)));
  put_result_dims(p, op, false);
  put(p, " : ");
  put_function_type(p, op);
}

static void put_rng(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  put(p, " ");
  put_values(p, op->operands, op->n_operands);
  tl_buf_printf(p->out, ", distribution = %s : ",
                tl_enum_name(TL_AK_RNG_DISTRIBUTION, tl_op_i64(op, TL_A_RNG_rng_distribution)));
  put_function_type(p, op);
}

static void put_reduce_precision(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  put(p, " ");
  put_value(p, op->operands[0]);
  tl_buf_printf(p->out, ", format = e%" PRId64 "m%" PRId64 " : ",
                tl_op_i64(op, TL_A_REDUCE_PRECISION_exponent_bits),
                tl_op_i64(op, TL_A_REDUCE_PRECISION_mantissa_bits));
  put_type(p, op->results[0]->type);
}

static void put_cholesky(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  put(p, " ");
  put_value(p, op->operands[0]);
  if (tl_op_i64(op, TL_A_CHOLESKY_lower)) put(p, ", lower = true");
  put(p, " : ");
  put_type(p, op->results[0]->type);
}

static void put_fft(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  put(p, " ");
  put_value(p, op->operands[0]);
  tl_buf_printf(p->out, ", type = %s",
                tl_enum_name(TL_AK_FFT_TYPE, tl_op_i64(op, TL_A_FFT_fft_type)));
  put_list(p, ", length = ", tl_op_list(op, TL_A_FFT_fft_length));
  put(p, " : ");
  put_function_type(p, op);
}

static void put_pad(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  put(p, " ");
  put_values(p, op->operands, op->n_operands);
  put_list(p, ", low = ", tl_op_list(op, TL_A_PAD_edge_padding_low));
  put_list(p, ", high = ", tl_op_list(op, TL_A_PAD_edge_padding_high));
  put_list(p, ", interior = ", tl_op_list(op, TL_A_PAD_interior_padding));
  put(p, " : ");
  put_function_type(p, op);
}

static void put_dot_general(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  tl_i64s batch = tl_op_list(op, TL_A_DOT_GENERAL_lhs_batching_dimensions),
          precision = tl_op_list(op, TL_A_DOT_GENERAL_precision_config);
  put(p, " ");
  put_values(p, op->operands, op->n_operands);
  if (batch.len > 0) {
    put_list(p, ", batching_dims = ", batch);
    put_list(p, " x ", tl_op_list(op, TL_A_DOT_GENERAL_rhs_batching_dimensions));
  }
  put_list(p, ", contracting_dims = ", tl_op_list(op, TL_A_DOT_GENERAL_lhs_contracting_dimensions));
  put_list(p, " x ", tl_op_list(op, TL_A_DOT_GENERAL_rhs_contracting_dimensions));
  for (size_t i = 0; i < precision.len; i++)
    tl_buf_printf(p->out, "%s%s", i == 0 ? ", precision = [" : ", ",
                  tl_enum_name(TL_AK_PRECISIONS, precision.ptr[i]));
  if (precision.len > 0) put(p, "]");
  if (tl_op_i64(op, TL_A_DOT_GENERAL_algorithm) != TL_DOT_ALGORITHM_NONE) {
    put(p, ", algorithm = ");
    tl_spell_dot_algorithm(p->out, tl_op_i64(op, TL_A_DOT_GENERAL_algorithm));
  }
  put(p, " : ");
  put_function_type(p, op);
}

static void put_block_args(printer *p, const tl_block *block) { // %0: T, %1: T
  for (uint32_t i = 0; i < block->n_args; i++) {
    if (i > 0) put(p, ", ");
    put_value(p, block->args[i]);
    put(p, ": ");
    put_type(p, block->args[i]->type);
  }
}

static void put_reduce(printer *p, const tl_op *op, uint32_t indent) {
  uint32_t n = op->n_operands / 2;
  put(p, "(");
  for (uint32_t i = 0; i < n; i++) {
    if (i > 0) put(p, ", (");
    put_value(p, op->operands[i]);
    put(p, " init: ");
    put_value(p, op->operands[n + i]);
    put(p, ")");
  }
  const tl_op *applied = applied_op(op);
  if (applied != NULL)
    tl_buf_printf(p->out, " applies stablehlo.%s", tl_op_get(applied->code)->mnemonic);
  put_list(p, " across dimensions = ", tl_op_list(op, TL_A_REDUCE_dimensions));
  put(p, " : ");
  put_function_type(p, op);
  if (applied != NULL) return;
  const tl_block *block = op->regions[0];
  put(p, "\n");
  put_spaces(p, indent + 1);
  put(p, "reducer");
  for (uint32_t i = 0; i < n; i++) {
    put(p, i == 0 ? "(" : " (");
    for (uint32_t side = 0; side < 2; side++) {
      if (side > 0) put(p, ", ");
      put_value(p, block->args[i + side * n]);
      put(p, ": ");
      put_type(p, block->args[i + side * n]->type);
    }
    put(p, ")");
  }
  put(p, "  {\n");
  put_block(p, block, indent + 2);
  put_spaces(p, indent);
  put(p, "}");
}

static void put_sharding_constraint(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  put(p, " ");
  put_value(p, op->operands[0]);
  put(p, " ");
  tl_spell_sharding(p->out, &tl_op_attr(op, TL_A_SHARDING_CONSTRAINT_sharding)->shardings->ptr[0]);
  put(p, " : ");
  put_type(p, op->results[0]->type);
}

static void put_manual_computation(printer *p, const tl_op *op, uint32_t indent) {
  put(p, "(");
  put_values(p, op->operands, op->n_operands);
  put(p, ") in_shardings=");
  tl_spell_shardings(p->out, tl_op_attr(op, TL_A_MANUAL_COMPUTATION_in_shardings)->shardings);
  put(p, " out_shardings=");
  tl_spell_shardings(p->out, tl_op_attr(op, TL_A_MANUAL_COMPUTATION_out_shardings)->shardings);
  put(p, " manual_axes=");
  tl_spell_axes(p->out, tl_op_attr(op, TL_A_MANUAL_COMPUTATION_manual_axes)->names);
  put(p, " (");
  put_block_args(p, op->regions[0]);
  put(p, ") {\n");
  put_block(p, op->regions[0], indent + 2);
  put_spaces(p, indent);
  put(p, "} : ");
  put_function_type(p, op);
}

static void put_probe(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  const bool is_probe = op->code == TL_OP_PROBE;
  put(p, " ");
  put_value(p, op->operands[0]);
  put(p, ", probe_id = ");
  tl_spell_string(
      p->out, tl_op_str(op, is_probe ? TL_A_PROBE_probe_id : TL_A_EXPECT_SERIALIZED_EQ_probe_id));
  if (!is_probe)
    tl_buf_printf(p->out, ", iter = %" PRId64, tl_op_i64(op, TL_A_EXPECT_SERIALIZED_EQ_iter));
  put(p, " : ");
  put_type(p, op->operands[0]->type);
}

static void put_while(printer *p, const tl_op *op, uint32_t indent) {
  const tl_block *cond = op->regions[0];
  put(p, "(");
  for (uint32_t i = 0; i < op->n_operands; i++) {
    if (i > 0) put(p, ", ");
    put_value(p, cond->args[i]);
    put(p, " = ");
    put_value(p, op->operands[i]);
  }
  put(p, ")");
  if (op->n_operands > 0) put(p, " : ");
  put_types(p, op->operands, op->n_operands);
  put(p, "\n");
  put_spaces(p, indent);
  put(p, "cond {\n");
  put_block(p, cond, indent + 2);
  put_spaces(p, indent);
  put(p, "} do {\n");
  put_block(p, op->regions[1], indent + 2);
  put_spaces(p, indent);
  put(p, "}");
}

static void put_call(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  put(p, " ");
  tl_spell_symbol(p->out, tl_op_str(op, TL_A_CALL_callee));
  put(p, "(");
  put_values(p, op->operands, op->n_operands);
  put(p, ")");
  put_result_dims(p, op, false);
  put(p, " : ");
  put_function_type(p, op);
}

static void put_custom_call(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  put(p, " ");
  tl_spell_symbol(p->out, tl_op_str(op, TL_A_CUSTOM_CALL_call_target_name));
  put(p, "(");
  put_values(p, op->operands, op->n_operands);
  const tl_str called = tl_op_str(op, TL_A_CUSTOM_CALL_called_computations),
               message = tl_op_str(op, TL_A_CUSTOM_CALL_error_message);
  if (called.len > 0) { // no check: it has results, and no other attribute
    put(p, ") {called_computations = [");
    tl_spell_symbol(p->out, called);
    put(p, "]");
    put_result_dims(p, op, true);
    put(p, "} : ");
    put_function_type(p, op);
    return;
  }
  put(p, ") {");
  if (message.len > 0) {
    put(p, "error_message = ");
    tl_spell_string(p->out, message);
    put(p, ", ");
  }
  put(p, "has_side_effect = true");
  tl_attr_id id = TL_A_CUSTOM_CALL_max_ulp_difference;
  if (!attr_is_default(op, id))
    tl_buf_printf(p->out, ", max_ulp_difference = %" PRId64 " : i64", tl_op_i64(op, id));
  id = TL_A_CUSTOM_CALL_min_ulp_difference;
  if (!attr_is_default(op, id))
    tl_buf_printf(p->out, ", min_ulp_difference = %" PRId64 " : i64", tl_op_i64(op, id));
  id = TL_A_CUSTOM_CALL_tolerance;
  if (!attr_is_default(op, id)) {
    put(p, ", tolerance = ");
    tl_spell_f64_attr(p->out, tl_op_f64(op, id));
    put(p, " : f64");
  }
  put(p, "} : ");
  put_function_type(p, op);
}

static void put_barrier(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  put(p, " ");
  put_values(p, op->operands, op->n_operands);
  put(p, " : ");
  put_types(p, op->operands, op->n_operands);
}

static void put_return(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  if (op->n_operands == 0) return;
  put(p, " ");
  put_values(p, op->operands, op->n_operands);
  put(p, " : ");
  put_types(p, op->operands, op->n_operands);
}

// [[1, 2], [3, 4]]
static void spell_pairs(tl_buf *out, tl_i64s list) {
  tl_buf_char(out, '[');
  for (size_t i = 0; i + 1 < list.len; i += 2) {
    if (i > 0) tl_buf_cstr(out, ", ");
    tl_spell_list(out, (tl_i64s){list.ptr + i, 2}, "[", "]");
  }
  tl_buf_char(out, ']');
}

// dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
static void spell_pairs_dense(tl_buf *out, tl_i64s list) {
  bool splat = list.len > 0;
  for (size_t i = 1; i < list.len; i++)
    splat = splat && list.ptr[i] == list.ptr[0];
  tl_buf_cstr(out, "dense<");
  if (splat)
    tl_spell_i64(out, list.ptr[0]);
  else if (list.len > 0)
    spell_pairs(out, list);
  tl_buf_printf(out, "> : tensor<%zux2xi64>", list.len / 2);
}

// array<i1: true, false>
static void spell_bools(tl_buf *out, tl_i64s list) {
  tl_buf_cstr(out, list.len > 0 ? "array<i1: " : "array<i1");
  for (size_t i = 0; i < list.len; i++)
    tl_buf_printf(out, "%s%s", i > 0 ? ", " : "", list.ptr[i] ? "true" : "false");
  tl_buf_char(out, '>');
}

// [b, 0, 1, f]
static void put_conv_dims(printer *p, const char letters[2], int64_t first, int64_t second,
                          tl_i64s spatial) {
  put(p, "[");
  for (int64_t d = 0; d < (int64_t)spatial.len + 2; d++) {
    if (d > 0) put(p, ", ");
    if (d == first || d == second) {
      tl_buf_char(p->out, letters[d == second]);
      continue;
    }
    for (size_t i = 0; i < spatial.len; i++)
      if (spatial.ptr[i] == d) tl_spell_i64(p->out, (int64_t)i);
  }
  put(p, "]");
}

// [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]: convolution's, and dynamic_conv's, whose rows begin with
// the same ones.
static void put_all_conv_dims(printer *p, const tl_op *op) {
  const int shift = (int)tl_op_get(op->code)->attr_begin - TL_A_CONVOLUTION__begin;
#define AT(name) ((tl_attr_id)((int)TL_A_CONVOLUTION_##name + shift))
  put_conv_dims(p, "bf", tl_op_i64(op, AT(input_batch_dimension)),
                tl_op_i64(op, AT(input_feature_dimension)),
                tl_op_list(op, AT(input_spatial_dimensions)));
  put(p, "x");
  put_conv_dims(p, "io", tl_op_i64(op, AT(kernel_input_feature_dimension)),
                tl_op_i64(op, AT(kernel_output_feature_dimension)),
                tl_op_list(op, AT(kernel_spatial_dimensions)));
  put(p, "->");
  put_conv_dims(p, "bf", tl_op_i64(op, AT(output_batch_dimension)),
                tl_op_i64(op, AT(output_feature_dimension)),
                tl_op_list(op, AT(output_spatial_dimensions)));
#undef AT
}
_Static_assert((int)TL_A_DYNAMIC_CONV_output_spatial_dimensions - (int)TL_A_DYNAMIC_CONV__begin ==
                   (int)TL_A_CONVOLUTION_output_spatial_dimensions - (int)TL_A_CONVOLUTION__begin,
               "dynamic_conv's dimension numbers are rows of the same places");

static void put_convolution(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  put(p, "(");
  put_values(p, op->operands, op->n_operands);
  put(p, ") dim_numbers = ");
  put_all_conv_dims(p, op);
  put(p, ", window = {");
  tl_i64s stride = tl_op_list(op, TL_A_CONVOLUTION_window_strides),
          pad = tl_op_list(op, TL_A_CONVOLUTION_padding),
          lhs_dilate = tl_op_list(op, TL_A_CONVOLUTION_lhs_dilation),
          rhs_dilate = tl_op_list(op, TL_A_CONVOLUTION_rhs_dilation),
          reverse = tl_op_list(op, TL_A_CONVOLUTION_window_reversal),
          precision = tl_op_list(op, TL_A_CONVOLUTION_precision_config);
  const char *comma = "";
  if (stride.len > 0) put_list(p, "stride = ", stride), comma = ", ";
  if (pad.len > 0) {
    tl_buf_printf(p->out, "%spad = ", comma);
    spell_pairs(p->out, pad);
    comma = ", ";
  }
  if (lhs_dilate.len > 0) put(p, comma), put_list(p, "lhs_dilate = ", lhs_dilate), comma = ", ";
  if (rhs_dilate.len > 0) put(p, comma), put_list(p, "rhs_dilate = ", rhs_dilate), comma = ", ";
  if (reverse.len > 0) {
    tl_buf_printf(p->out, "%sreverse = [", comma);
    for (size_t i = 0; i < reverse.len; i++)
      tl_buf_printf(p->out, "%s%s", i > 0 ? ", " : "", reverse.ptr[i] != 0 ? "true" : "false");
    put(p, "]");
  }
  tl_buf_printf(p->out,
                "} {batch_group_count = %" PRId64 " : i64, feature_group_count = %" PRId64 " : i64",
                tl_op_i64(op, TL_A_CONVOLUTION_batch_group_count),
                tl_op_i64(op, TL_A_CONVOLUTION_feature_group_count));
  for (size_t i = 0; i < precision.len; i++)
    tl_buf_printf(p->out, "%s#stablehlo<precision %s>", i == 0 ? ", precision_config = [" : ", ",
                  tl_enum_name(TL_AK_PRECISIONS, precision.ptr[i]));
  put(p, precision.len > 0 ? "]} : " : "} : ");
  put_function_type(p, op);
}

// <{padding = dense<0> : tensor<2x2xi64>, window_strides = array<i64: 1, 2>}> and
// <{dimension = 1 : i64, is_stable = true}>: attributes in the order of their rows; lists only
// where they are not at their default.
static void put_properties(printer *p, const tl_op *op) {
  const tl_op_info *info = tl_op_get(op->code);
  const char *before = " <{";
  for (uint32_t i = 0; i < info->n_attrs; i++) {
    const tl_attr_id id = (tl_attr_id)(info->attr_begin + i);
    const tl_attr_info *row = tl_attr_get(id);
    const tl_attr *a = &op->attrs[i];
    const bool is_list = row->kind == TL_AK_I64S || row->kind == TL_AK_PAIRS;
    const bool later = row->since > 1 || row->kind == TL_AK_UNIT || row->kind == TL_AK_CHANNEL;
    if ((is_list || later) && attr_is_default(op, id)) continue;
    if (row->kind == TL_AK_UNIT) {
      tl_buf_printf(p->out, "%s%s", before, row->name);
      before = ", ";
      continue;
    }
    tl_buf_printf(p->out, "%s%s = ", before, row->name);
    before = ", ";
    if (row->kind == TL_AK_I64)
      tl_buf_printf(p->out, "%" PRId64 " : i64", a->i64);
    else if (row->kind == TL_AK_BOOL)
      put(p, a->i64 ? "true" : "false");
    else if (row->kind == TL_AK_PAIRS)
      spell_pairs_dense(p->out, a->list);
    else if (row->kind == TL_AK_CHANNEL)
      tl_buf_printf(p->out, "#stablehlo.channel_handle<handle = %" PRId64 ", type = %" PRId64 ">",
                    a->list.ptr[0], a->list.ptr[1]);
    else if (row->kind == TL_AK_GROUPS)
      tl_spell_groups(p->out, a->groups);
    else if (row->kind == TL_AK_PROGRAMS)
      tl_spell_programs(p->out, a->names);
    else if (row->kind == TL_AK_I64S)
      tl_spell_list(p->out, a->list, a->list.len > 0 ? "array<i64: " : "array<i64", ">");
    else if (row->kind == TL_AK_F64) { // f32 in StableHLO
      tl_spell_f64_attr(p->out, (double)(float)a->f64);
      put(p, " : f32");
    } else if (tl_enum_name(row->kind, a->i64) != NULL)
      tl_buf_printf(p->out, "#stablehlo<%s %s>", tl_enum_type_name(row->kind),
                    tl_enum_name(row->kind, a->i64));
    else
      TL_ASSERT(false && "no op in the quoted form has an attribute of this kind");
  }
  if (before[0] == ',') put(p, "}>");
}

static void put_dynamic_conv_properties(printer *p, const tl_op *op) {
  static const struct {
    const char *name;
    tl_attr_id id;
  } lists[] = {{"lhs_dilation", TL_A_DYNAMIC_CONV_lhs_dilation},
               {"precision_config", TL_A_DYNAMIC_CONV_precision_config},
               {"rhs_dilation", TL_A_DYNAMIC_CONV_rhs_dilation},
               {"window_reversal", TL_A_DYNAMIC_CONV_window_reversal},
               {"window_strides", TL_A_DYNAMIC_CONV_window_strides}};
  tl_buf_printf(p->out,
                " <{batch_group_count = %" PRId64 " : i64, dimension_numbers = #stablehlo.conv<",
                tl_op_i64(op, TL_A_DYNAMIC_CONV_batch_group_count));
  put_all_conv_dims(p, op);
  tl_buf_printf(p->out, ">, feature_group_count = %" PRId64 " : i64",
                tl_op_i64(op, TL_A_DYNAMIC_CONV_feature_group_count));
  for (size_t k = 0; k < TL_COUNT(lists); k++) {
    const tl_i64s list = tl_op_list(op, lists[k].id);
    if (list.len == 0) continue;
    tl_buf_printf(p->out, ", %s = ", lists[k].name);
    const tl_attr_kind kind = tl_attr_get(lists[k].id)->kind;
    if (kind == TL_AK_I64S) {
      tl_spell_list(p->out, list, "array<i64: ", ">");
      continue;
    }
    for (size_t i = 0; i < list.len; i++)
      if (kind == TL_AK_BOOLS)
        tl_buf_printf(p->out, "%s%s", i == 0 ? "array<i1: " : ", ", list.ptr[i] ? "true" : "false");
      else
        tl_buf_printf(p->out, "%s#stablehlo<precision %s>", i == 0 ? "[" : ", ",
                      tl_enum_name(TL_AK_PRECISIONS, list.ptr[i]));
    put(p, kind == TL_AK_BOOLS ? ">" : "]");
  }
  put(p, "}>");
}

// The quoted form; the name is already there. A scatter's region stands one column in.
static void put_generic(printer *p, const tl_op *op, uint32_t indent) {
  put(p, "(");
  put_values(p, op->operands, op->n_operands);
  put(p, ")");
  uint32_t in = 0;
  if (op->code == TL_OP_GATHER) {
    put(p, " <{dimension_numbers = ");
    put_dimension_numbers(p, op, "gather", TL_A_GATHER_offset_dims);
    if (tl_op_i64(op, TL_A_GATHER_indices_are_sorted)) put(p, ", indices_are_sorted = true");
    put(p, ", slice_sizes = ");
    tl_i64s sizes = tl_op_list(op, TL_A_GATHER_slice_sizes);
    tl_spell_list(p->out, sizes, sizes.len > 0 ? "array<i64: " : "array<i64", ">");
    put(p, "}>");
  } else if (op->code == TL_OP_DYNAMIC_GATHER) {
    put(p, " <{dimension_numbers = ");
    put_dimension_numbers(p, op, "gather", TL_A_DYNAMIC_GATHER_offset_dims);
    put(p, tl_op_i64(op, TL_A_DYNAMIC_GATHER_indices_are_sorted) ? ", indices_are_sorted = true}>"
                                                                 : "}>");
  } else if (op->code == TL_OP_DYNAMIC_CONV) {
    put_dynamic_conv_properties(p, op);
  } else if (op->code == TL_OP_SCATTER) {
    put(p, " <{");
    if (tl_op_i64(op, TL_A_SCATTER_indices_are_sorted)) put(p, "indices_are_sorted = true, ");
    put(p, "scatter_dimension_numbers = ");
    put_dimension_numbers(p, op, "scatter", TL_A_SCATTER_update_window_dims);
    tl_buf_printf(p->out, ", unique_indices = %s}>",
                  tl_op_i64(op, TL_A_SCATTER_unique_indices) ? "true" : "false");
    in = indent == p->base ? 5 - indent : 1; // absolute at the level of the function
  } else {
    put_properties(p, op);
  }
  for (uint32_t i = 0; i < op->n_regions; i++) {
    put(p, i == 0 ? " ({\n" : ", {\n");
    if (op->regions[i]->n_args > 0) {
      put_spaces(p, indent + in);
      put(p, "^bb0(");
      put_block_args(p, op->regions[i]);
      put(p, "):\n");
    }
    put_block(p, op->regions[i], indent + in + 2);
    put_spaces(p, indent + in);
    put(p, "}");
  }
  if (op->n_regions > 0) put(p, ")");
  if (op->code == TL_OP_DYNAMIC_GATHER || op->code == TL_OP_DYNAMIC_CONV)
    put_result_dims(p, op, false);
  put(p, " : ");
  put_function_type(p, op);
}

// {eps = 1.000000e-05 : f64}, without those at their defaults; false when none is left.
static bool spell_named_attrs(tl_buf *out, const tl_op *op) {
  const tl_op_info *info = tl_op_get(op->code);
  bool any = false;
  for (uint32_t i = 0; i < info->n_attrs; i++) {
    tl_attr_id id = (tl_attr_id)(info->attr_begin + i);
    const tl_attr_info *row = tl_attr_get(id);
    if (attr_is_default(op, id)) continue;
    tl_buf_printf(out, "%s%s = ", any ? ", " : "{", row->name);
    any = true;
    switch (row->kind) {
    case TL_AK_I64:
      tl_spell_i64(out, op->attrs[i].i64);
      tl_buf_cstr(out, " : i64");
      break;
    case TL_AK_F64:
      tl_spell_f64_attr(out, op->attrs[i].f64);
      tl_buf_cstr(out, " : f64");
      break;
    case TL_AK_BOOL:
      tl_buf_cstr(out, op->attrs[i].i64 ? "true" : "false");
      break;
    case TL_AK_STR:
      tl_spell_string(out, op->attrs[i].str);
      break;
    case TL_AK_I64S:
      tl_spell_list(out, op->attrs[i].list, op->attrs[i].list.len > 0 ? "array<i64: " : "array<i64",
                    ">");
      break;
    case TL_AK_PAIRS:
      spell_pairs_dense(out, op->attrs[i].list);
      break;
    case TL_AK_BOOLS:
      spell_bools(out, op->attrs[i].list);
      break;
    case TL_AK_PRECISIONS:
      for (size_t k = 0; k < op->attrs[i].list.len; k++)
        tl_buf_printf(out, "%s#stablehlo<precision %s>", k == 0 ? "[" : ", ",
                      tl_enum_name(TL_AK_PRECISIONS, op->attrs[i].list.ptr[k]));
      tl_buf_char(out, ']');
      break;
    default:
      TL_ASSERT(!"a named op has no attribute of this kind");
    }
  }
  if (any) tl_buf_char(out, '}');
  return any;
}

// The decomposition of a named op, made on its first use.
static tl_func *body_of(printer *p, const tl_op *op) {
  const char *mnemonic = tl_op_get(op->code)->mnemonic;
  if (p->bodies == NULL &&
      ((p->bodies = tl_module_create()) == NULL || !tl_dims_copy(p->m, p->bodies)))
    goto oom;
  tl_buf key = {0};
  tl_buf_cstr(&key, mnemonic);
  spell_named_attrs(&key, op);
  for (uint32_t i = 0; i < op->n_operands; i++)
    tl_type_print_named(&key, p->m, op->operands[i]->type);
  for (uint32_t i = 0; i < op->n_results; i++)
    tl_type_print_named(&key, p->m, op->results[i]->type);
  uint64_t found;
  if (!key.oom && tl_map_get(&p->body_of, tl_buf_view(&key), &found)) {
    tl_buf_deinit(&key);
    return (tl_func *)(uintptr_t)found;
  }
  tl_str kept = tl_str_copy(p->bodies->arena, tl_buf_view(&key));
  bool key_oom = key.oom;
  tl_buf_deinit(&key);
  const char *name;
  do {
    name = tl_arena_printf(p->bodies->arena, "tlaloc.%s.%u", mnemonic, p->n_bodies[op->code]++);
    if (key_oom || kept.ptr == NULL || name == NULL) goto oom;
  } while (tl_module_find(p->m, tl_str_of(name)) != NULL);
  tl_func *fn = NULL;
  tl_status st = tl_decompose_func(p->bodies, op, name, &fn);
  if (st != TL_OK) {
    fail(p, tl_status_note(st, "while printing tlaloc.%s", mnemonic));
    return NULL;
  }
  if (!tl_map_put(&p->body_of, kept, (uintptr_t)fn)) goto oom;
  return fn;
oom:
  fail(p, TL_OOM());
  return NULL;
}

static void put_composite(printer *p, const tl_op *op, uint32_t indent) {
  (void)indent;
  bool named = op->code != TL_OP_COMPOSITE;
  tl_str symbol;
  int64_t version = 1;
  if (named) {
    const tl_func *body = body_of(p, op);
    if (body == NULL) return;
    symbol = body->name;
    tl_buf_printf(p->out, " \"tlaloc.%s\"", tl_op_get(op->code)->mnemonic);
  } else {
    symbol = tl_op_str(op, TL_A_COMPOSITE_decomposition);
    version = tl_op_i64(op, TL_A_COMPOSITE_version);
    put(p, " ");
    tl_spell_string(p->out, tl_op_str(op, TL_A_COMPOSITE_name));
  }
  if (op->n_operands > 0) put(p, " ");
  put_values(p, op->operands, op->n_operands);
  put(p, " {");
  if (named) {
    tl_buf attrs = {0};
    if (spell_named_attrs(&attrs, op)) {
      put(p, "composite_attributes = ");
      tl_buf_str(p->out, tl_buf_view(&attrs));
      put(p, ", ");
    }
    if (attrs.oom) fail(p, TL_OOM());
    tl_buf_deinit(&attrs);
  } else if (tl_op_str(op, TL_A_COMPOSITE_composite_attributes).len > 0) {
    put(p, "composite_attributes = ");
    tl_buf_str(p->out, tl_op_str(op, TL_A_COMPOSITE_composite_attributes));
    put(p, ", ");
  }
  put(p, "decomposition = ");
  tl_spell_symbol(p->out, symbol);
  put_result_dims(p, op, true);
  if (version != 0) tl_buf_printf(p->out, ", version = %" PRId64 " : i32", version);
  put(p, "} : ");
  put_function_type(p, op);
}

typedef void (*put_fn)(printer *p, const tl_op *op, uint32_t indent);

static const put_fn put_syntax[TL_OP_COUNT] = {
#define TL_OP(id, mnemonic, in, out, regions, traits, rule, syntax) [TL_OP_##id] = put_##syntax,
#include "ir/ops.def"
#undef TL_OP
};

static bool is_in_manual(const tl_op *op) {
  const tl_op *parent = op->block->parent;
  return parent != NULL && parent->code == TL_OP_MANUAL_COMPUTATION;
}

static void put_op(printer *p, const tl_op *op, uint32_t indent) {
  put_spaces(p, indent);
  if (op->n_results > 0) {
    put_name(p, op->results[0]);
    if (op->n_results > 1) {
      tl_buf_char(p->out, ':');
      tl_spell_i64(p->out, op->n_results);
    }
    put(p, " = ");
  }
  put_fn syntax = put_syntax[op->code];
  if (syntax == put_composite)
    put(p, "stablehlo.composite");
  else if (syntax == put_call)
    put(p, indent == p->base ? "call" : "func.call");
  else if (syntax == put_return)
    put(p, indent == p->base ? "return" : is_in_manual(op) ? "sdy.return" : "stablehlo.return");
  else {
    const char *mnemonic = tl_op_get(op->code)->mnemonic,
               *dialect = strchr(mnemonic, '.') == NULL ? "stablehlo." : "",
               *quote = syntax == put_generic ? "\"" : "";
    tl_buf_printf(p->out, "%s%s%s%s", quote, dialect, mnemonic, quote);
  }
  syntax(p, op, indent);
  tl_buf_char(p->out, '\n');
}

static void put_block(printer *p, const tl_block *block, uint32_t indent) {
  for (const tl_op *op = block->first; op != NULL && p->error == TL_OK; op = op->next)
    put_op(p, op, indent);
}

static void put_func(printer *p, const tl_func *fn) {
  p->fn = fn;
  uint64_t next = 0;
  tl_ptr_map_deinit(&p->names);
  p->names = (tl_ptr_map){0};
  largest_id(fn->body, false, &next);
  name_scratch(p, fn->body, false, &next);

  put_spaces(p, p->base - 2);
  put(p, fn->is_private ? "func.func private " : "func.func ");
  tl_spell_symbol(p->out, fn->name);
  put(p, "(");
  for (uint32_t i = 0; i < fn->body->n_args; i++) {
    const tl_arg_info *arg = &fn->args[i];
    if (i > 0) put(p, ", ");
    put_value(p, fn->body->args[i]);
    put(p, ": ");
    put_type(p, fn->body->args[i]->type);
    bool alias = arg->alias_output >= 0 && !p->options.no_alias;
    const bool named = has_named(fn->body->args[i]->type);
    if (!alias && !arg->donor && !named && arg->sharding == NULL) continue;
    const char *before = " {";
    if (arg->donor) {
      tl_buf_printf(p->out, "%sjax.buffer_donor = true", before);
      before = ", ";
    }
    if (arg->sharding != NULL) {
      tl_buf_printf(p->out, "%ssdy.sharding = #sdy.sharding", before);
      tl_spell_sharding(p->out, arg->sharding);
      before = ", ";
    }
    if (alias) {
      tl_buf_printf(p->out, "%stf.aliasing_output = %" PRId32 " : i32", before, arg->alias_output);
      before = ", ";
    }
    if (named) {
      put(p, before);
      put_dim_names(p, &fn->body->args[i]->type, 1);
    }
    put(p, "}");
  }
  put(p, ")");
  const bool parens = fn->n_results > 1 || (fn->n_results == 1 && fn->result_shardings != NULL);
  if (fn->n_results > 0) put(p, parens ? " -> (" : " -> ");
  for (uint32_t i = 0; i < fn->n_results; i++) {
    if (i > 0) put(p, ", ");
    put_type(p, fn->result_types[i]);
    if (fn->result_shardings == NULL || fn->result_shardings[i] == NULL) continue;
    put(p, " {sdy.sharding = #sdy.sharding");
    tl_spell_sharding(p->out, fn->result_shardings[i]);
    put(p, "}");
  }
  put(p, parens ? ") {\n" : " {\n");
  put_block(p, fn->body, p->base);
  put_spaces(p, p->base - 2);
  put(p, "}\n");
}

// attributes {tlaloc.symbols = {m, n = 16 : i64}}, by name.
static void put_symbols(printer *p) {
  const tl_symbol *symbols, *last = NULL;
  const uint32_t n = tl_dim_symbols(p->m, &symbols);
  for (uint32_t k = 0; k < n; k++) {
    const tl_symbol *next = NULL;
    for (uint32_t i = 0; i < n; i++)
      if ((last == NULL || tl_str_compare(symbols[i].name, last->name) > 0) &&
          (next == NULL || tl_str_compare(symbols[i].name, next->name) < 0))
        next = &symbols[i];
    if (next == NULL) break;
    tl_buf_printf(p->out, "%s" TL_STR_FMT, k == 0 ? "attributes {tlaloc.symbols = {" : ", ",
                  TL_STR_ARG(next->name));
    if (next->bound >= 0) tl_buf_printf(p->out, " = %" PRId64 " : i64", next->bound);
    last = next;
  }
  if (n > 0) put(p, "}} ");
}

tl_status tl_shlo_print(const tl_module *m, const tl_shlo_print_options *options, tl_buf *out) {
  printer p = {.m = m, .out = out};
  if (options != NULL) p.options = *options;
  p.base = p.options.no_wrapper ? 2 : 4;
  const tl_symbol *symbols;
  if (p.options.no_wrapper && tl_dim_symbols(m, &symbols) > 0)
    return TL_ERROR(UNIMPLEMENTED,
                    "functions without their module cannot have dims that are symbols");
  if (!p.options.no_wrapper) {
    put(&p, "module ");
    if (m->name.len > 0) tl_spell_symbol(out, m->name);
    if (m->name.len > 0) put(&p, " ");
    put_symbols(&p);
    put(&p, "{\n");
  }
  for (const tl_mesh *mesh = m->meshes; mesh != NULL; mesh = mesh->next) {
    put_spaces(&p, p.base - 2);
    put(&p, "sdy.mesh ");
    tl_spell_symbol(out, mesh->name);
    put(&p, " = ");
    tl_spell_mesh(out, mesh);
    put(&p, "\n");
  }
  for (const tl_func *fn = m->first; fn != NULL && p.error == TL_OK; fn = fn->next)
    put_func(&p, fn);
  if (p.bodies != NULL)
    for (const tl_func *fn = p.bodies->first; fn != NULL && p.error == TL_OK; fn = fn->next)
      put_func(&p, fn);
  if (!p.options.no_wrapper) put(&p, "}\n");
  if (out->oom) fail(&p, TL_OOM());
  tl_ptr_map_deinit(&p.names);
  tl_map_deinit(&p.body_of);
  tl_module_destroy(p.bodies);
  return p.error;
}
