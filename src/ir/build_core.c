// Constructors of core ops.
#include "ir/build.h"

#include "base/half.h"
#include "base/minifloat.h"
#include "ir/dim.h"

static tl_value result(tl_op *op) { return op == NULL ? NULL : op->results[0]; }

static tl_value finish(tl_builder *b, tl_op *op) { return result(tl_op_finish(b, op, NULL, 0)); }

static tl_value finish_as(tl_builder *b, tl_op *op, tl_type type) {
  return result(tl_op_finish(b, op, &type, 1));
}

// The type's dims belong to the caller: a copy for the module.
static bool own_type(tl_builder *b, tl_type *type) {
  if (b->error != TL_OK || b->block == NULL) return false;
  if (type->rank > TL_MAX_RANK || (type->rank != 0 && type->dims == NULL)) {
    tl_builder_fail(
        b, TL_ERROR(INVALID_ARGUMENT, "a type of rank %u has no dims or too many", type->rank));
    return false;
  }
  *type = tl_type_of(b->m->arena, type->dtype, type->dims, type->rank);
  if (type->rank != 0 && type->dims == NULL) tl_builder_fail(b, TL_OOM());
  return b->error == TL_OK;
}

tl_value tlo_constant(tl_builder *b, tl_type type, const void *data, size_t size) {
  if (!own_type(b, &type)) return NULL;
  size_t whole, one = tl_dtype_get(type.dtype)->size;
  const bool fills = tl_type_is_static(type)
                         ? tl_type_size(type, &whole) && (size == whole || size == one)
                         : size == one && !tl_type_has_any(type);
  if (!fills) {
    tl_builder_fail(
        b, TL_ERROR(INVALID_ARGUMENT, "constant: got %zu bytes for a type of another size", size));
    return NULL;
  }
  tl_literal *lit = TL_NEW(b->m->arena, tl_literal, 1);
  void *copy = tl_arena_alloc(b->m->arena, TL_MAX(size, (size_t)1), 64);
  if (lit == NULL || copy == NULL) {
    tl_builder_fail(b, TL_OOM());
    return NULL;
  }
  if (size != 0) memcpy(copy, data, size);
  *lit = (tl_literal){.type = type, .data = copy, .size = size, .splat = size == one};
  tl_op *op = tl_op_begin(b, TL_OP_CONSTANT, NULL, 0);
  tl_op_set_dense(op, TL_A_CONSTANT_value, lit);
  return finish(b, op);
}

tl_value tlo_constant_i64(tl_builder *b, tl_type type, int64_t value) {
  const tl_dtype_info *info = tl_dtype_get(type.dtype);
  if (info->kind == TL_KIND_FLOAT || info->kind == TL_KIND_COMPLEX)
    return tlo_constant_f64(b, type, (double)value);
  // Little endian: the low bytes of two's complement are the element. Booleans are 0 or 1.
  uint32_t unused = 64 - info->bits; // above them the sign, or zeros
  uint64_t bits = (uint64_t)value << unused;
  if (info->kind == TL_KIND_BOOL)
    bits = value != 0;
  else if (info->kind == TL_KIND_UINT)
    bits >>= unused;
  else
    bits = (uint64_t)((int64_t)bits >> unused);
  return tlo_constant(b, type, &bits, info->size);
}

tl_value tlo_constant_f64(tl_builder *b, tl_type type, double value) {
  switch (type.dtype) {
  case TL_DTYPE_F64:
    return tlo_constant(b, type, &value, sizeof value);
  case TL_DTYPE_F32: {
    float f = (float)value;
    return tlo_constant(b, type, &f, sizeof f);
  }
  case TL_DTYPE_BF16: {
    uint16_t h = tl_bf16_of_f64(value);
    return tlo_constant(b, type, &h, sizeof h);
  }
  case TL_DTYPE_F16: {
    uint16_t h = tl_f16_of_f64(value);
    return tlo_constant(b, type, &h, sizeof h);
  }
  case TL_DTYPE_C64: {
    float parts[2] = {(float)value, 0};
    return tlo_constant(b, type, parts, sizeof parts);
  }
  case TL_DTYPE_C128: {
    double parts[2] = {value, 0};
    return tlo_constant(b, type, parts, sizeof parts);
  }
#define TL_MINIFLOAT(id, ...)                                     \
  case TL_DTYPE_##id: {                                           \
    uint8_t code = tl_minifloat_of_f64(TL_MINIFLOAT_##id, value); \
    return tlo_constant(b, type, &code, sizeof code);             \
  }
#include "base/minifloats.def"
#undef TL_MINIFLOAT
  default:
    break;
  }
  if (!(value >= -0x1p63 && value < 0x1p63)) {
    tl_builder_fail(b, TL_ERROR(INVALID_ARGUMENT, "constant: %g is no %s", value,
                                tl_dtype_get(type.dtype)->mlir));
    return NULL;
  }
  return tlo_constant_i64(b, type, (int64_t)value);
}

tl_value tlo_iota(tl_builder *b, tl_type type, int64_t dim) {
  if (!own_type(b, &type)) return NULL;
  tl_op *op = tl_op_begin(b, TL_OP_IOTA, NULL, 0);
  tl_op_set_i64(op, TL_A_IOTA_iota_dimension, dim);
  return finish_as(b, op, type);
}

tl_value tlo_rng(tl_builder *b, tl_rng_distribution distribution, tl_value lo, tl_value hi,
                 tl_type type) {
  if (!own_type(b, &type)) return NULL;
  const tl_value shape = tlo_constant(b, TL_TYPE(b->m->arena, TL_DTYPE_S64, type.rank), type.dims,
                                      type.rank * sizeof *type.dims);
  tl_op *op = tl_op_begin(b, TL_OP_RNG, (tl_value[]){lo, hi, shape}, 3);
  tl_op_set_i64(op, TL_A_RNG_rng_distribution, distribution);
  return finish_as(b, op, type);
}

tl_value tlo_unary(tl_builder *b, tl_opcode code, tl_value x) {
  return finish(b, tl_op_begin(b, code, &x, 1));
}

tl_value tlo_binary(tl_builder *b, tl_opcode code, tl_value x, tl_value y) {
  return finish(b, tl_op_begin(b, code, (tl_value[]){x, y}, 2));
}

tl_value tlo_add(tl_builder *b, tl_value x, tl_value y) { return tlo_binary(b, TL_OP_ADD, x, y); }
tl_value tlo_sub(tl_builder *b, tl_value x, tl_value y) {
  return tlo_binary(b, TL_OP_SUBTRACT, x, y);
}
tl_value tlo_mul(tl_builder *b, tl_value x, tl_value y) {
  return tlo_binary(b, TL_OP_MULTIPLY, x, y);
}
tl_value tlo_div(tl_builder *b, tl_value x, tl_value y) {
  return tlo_binary(b, TL_OP_DIVIDE, x, y);
}

tl_value tlo_compare(tl_builder *b, tl_comparison_direction dir, tl_value x, tl_value y) {
  tl_op *op = tl_op_begin(b, TL_OP_COMPARE, (tl_value[]){x, y}, 2);
  if (op == NULL) return NULL;
  static const tl_comparison_type by_kind[] = {
      [TL_KIND_BOOL] = TL_COMPARISON_TYPE_UNSIGNED, [TL_KIND_UINT] = TL_COMPARISON_TYPE_UNSIGNED,
      [TL_KIND_INT] = TL_COMPARISON_TYPE_SIGNED,    [TL_KIND_FLOAT] = TL_COMPARISON_TYPE_FLOAT,
      [TL_KIND_COMPLEX] = TL_COMPARISON_TYPE_FLOAT,
  };
  tl_op_set_i64(op, TL_A_COMPARE_comparison_direction, dir);
  tl_op_set_i64(op, TL_A_COMPARE_compare_type, by_kind[tl_dtype_get(x->type.dtype)->kind]);
  return finish(b, op);
}

tl_value tlo_select(tl_builder *b, tl_value pred, tl_value x, tl_value y) {
  return finish(b, tl_op_begin(b, TL_OP_SELECT, (tl_value[]){pred, x, y}, 3));
}

tl_value tlo_convert(tl_builder *b, tl_value x, tl_dtype dtype) {
  if (x == NULL || x->type.dtype == dtype) return x;
  tl_type type = x->type;
  type.dtype = dtype;
  return finish_as(b, tl_op_begin(b, TL_OP_CONVERT, &x, 1), type);
}

tl_value tlo_bitcast(tl_builder *b, tl_value x, tl_type type) {
  if (!own_type(b, &type)) return NULL;
  return finish_as(b, tl_op_begin(b, TL_OP_BITCAST_CONVERT, &x, 1), type);
}

tl_value tlo_reshape(tl_builder *b, tl_value x, const int64_t *dims, uint32_t rank) {
  tl_type type = {tl_value_type(x).dtype, rank, dims};
  if (x == NULL || !own_type(b, &type)) return NULL;
  return finish_as(b, tl_op_begin(b, TL_OP_RESHAPE, &x, 1), type);
}

tl_value tlo_transpose(tl_builder *b, tl_value x, const int64_t *permutation) {
  tl_op *op = tl_op_begin(b, TL_OP_TRANSPOSE, &x, 1);
  tl_op_set_list(b, op, TL_A_TRANSPOSE_permutation, permutation, tl_value_type(x).rank);
  return finish(b, op);
}

tl_value tlo_broadcast(tl_builder *b, tl_value x, tl_type type, const int64_t *dims) {
  if (!own_type(b, &type)) return NULL;
  tl_op *op = tl_op_begin(b, TL_OP_BROADCAST_IN_DIM, &x, 1);
  tl_op_set_list(b, op, TL_A_BROADCAST_IN_DIM_broadcast_dimensions, dims, tl_value_type(x).rank);
  return finish_as(b, op, type);
}

tl_value tlo_concat(tl_builder *b, const tl_value *xs, uint32_t n, int64_t dim) {
  tl_op *op = tl_op_begin(b, TL_OP_CONCATENATE, xs, n);
  tl_op_set_i64(op, TL_A_CONCATENATE_dimension, dim);
  return finish(b, op);
}

tl_value tlo_slice(tl_builder *b, tl_value x, const int64_t *start, const int64_t *limit,
                   const int64_t *strides) {
  static const int64_t ones[TL_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  uint32_t rank = tl_value_type(x).rank;
  for (uint32_t d = 0; d < rank; d++)
    if (start[d] < 0 || limit[d] < 0) return tlo_slice_sized(b, x, start, limit, strides);
  tl_op *op = tl_op_begin(b, TL_OP_SLICE, &x, 1);
  tl_op_set_list(b, op, TL_A_SLICE_start_indices, start, rank);
  tl_op_set_list(b, op, TL_A_SLICE_limit_indices, limit, rank);
  tl_op_set_list(b, op, TL_A_SLICE_strides, strides ? strides : ones, rank);
  return finish(b, op);
}

// A region of two scalars. Its values are scratch whatever the builder says: the text names the
// combiner alone, so they must not take numbers.
static void combiner_region(tl_builder *b, tl_op *op, tl_dtype dtype, tl_opcode combiner) {
  tl_block *block = tl_op_add_region(b, op);
  tl_builder in = tl_builder_at(b, block);
  in.scratch = true;
  tl_value x = tl_block_arg(&in, block, tl_type_scalar(dtype)),
           y = tl_block_arg(&in, block, tl_type_scalar(dtype));
  tl_value r = combiner == TL_OP_RETURN ? y : tlo_binary(&in, combiner, x, y);
  tlo_return(&in, &r, 1);
  tl_builder_join(b, &in);
}

tl_value tlo_reduce(tl_builder *b, tl_value x, tl_value init, const int64_t *dims, uint32_t n,
                    tl_opcode combiner) {
  tl_op *op = tl_op_begin(b, TL_OP_REDUCE, (tl_value[]){x, init}, 2);
  tl_op_set_list(b, op, TL_A_REDUCE_dimensions, dims, n);
  combiner_region(b, op, tl_value_type(x).dtype, combiner);
  return finish(b, op);
}

tl_value tlo_dot(tl_builder *b, tl_value x, tl_value y, const int64_t *lhs_batch,
                 const int64_t *rhs_batch, uint32_t n_batch, const int64_t *lhs_contract,
                 const int64_t *rhs_contract, uint32_t n_contract) {
  tl_op *op = tl_op_begin(b, TL_OP_DOT_GENERAL, (tl_value[]){x, y}, 2);
  tl_op_set_list(b, op, TL_A_DOT_GENERAL_lhs_batching_dimensions, lhs_batch, n_batch);
  tl_op_set_list(b, op, TL_A_DOT_GENERAL_rhs_batching_dimensions, rhs_batch, n_batch);
  tl_op_set_list(b, op, TL_A_DOT_GENERAL_lhs_contracting_dimensions, lhs_contract, n_contract);
  tl_op_set_list(b, op, TL_A_DOT_GENERAL_rhs_contracting_dimensions, rhs_contract, n_contract);
  return finish(b, op);
}

tl_value tlo_take_rows(tl_builder *b, tl_value x, tl_value indices) {
  tl_op *op = tl_op_begin(b, TL_OP_GATHER, (tl_value[]){x, indices}, 2);
  if (op == NULL) return NULL;
  tl_type t = x->type;
  uint32_t at = indices->type.rank;
  if (t.rank == 0 || t.rank - 1 + at > TL_MAX_RANK) {
    tl_builder_fail(
        b, TL_ERROR(INVALID_ARGUMENT, "gather: rows of rank %u by indices of rank %u", t.rank, at));
    return NULL;
  }
  int64_t offset[TL_MAX_RANK], sizes[TL_MAX_RANK] = {1};
  for (uint32_t i = 1; i < t.rank; i++)
    offset[i - 1] = at + i - 1, sizes[i] = t.dims[i];
  tl_op_set_list(b, op, TL_A_GATHER_offset_dims, offset, t.rank - 1);
  tl_op_set_list(b, op, TL_A_GATHER_collapsed_slice_dims, (int64_t[]){0}, 1);
  tl_op_set_list(b, op, TL_A_GATHER_start_index_map, (int64_t[]){0}, 1);
  tl_op_set_i64(op, TL_A_GATHER_index_vector_dim, at);
  tl_op_set_list(b, op, TL_A_GATHER_slice_sizes, sizes, t.rank);
  return tlo_gather_finish(b, op);
}

tl_value tlo_put_rows(tl_builder *b, tl_value base, tl_value indices, tl_value updates) {
  tl_op *op = tl_op_begin(b, TL_OP_SCATTER, (tl_value[]){base, indices, updates}, 3);
  if (op == NULL) return NULL;
  tl_type t = base->type;
  int64_t window[TL_MAX_RANK];
  for (uint32_t i = 1; i < t.rank; i++)
    window[i - 1] = i;
  tl_op_set_list(b, op, TL_A_SCATTER_update_window_dims, window, t.rank ? t.rank - 1 : 0);
  tl_op_set_list(b, op, TL_A_SCATTER_inserted_window_dims, (int64_t[]){0}, 1);
  tl_op_set_list(b, op, TL_A_SCATTER_scatter_dims_to_operand_dims, (int64_t[]){0}, 1);
  tl_op_set_i64(op, TL_A_SCATTER_index_vector_dim, 1);
  combiner_region(b, op, t.dtype, TL_OP_RETURN);
  return finish(b, op);
}

static tl_op *composite_begin(tl_builder *b, const tl_func *fn, const char *name,
                              const tl_value *operands, uint32_t n) {
  if (fn == NULL || name == NULL) {
    tl_builder_fail(b, name == NULL ? TL_OOM() : TL_ERROR(INVALID_ARGUMENT, "no function"));
    return NULL;
  }
  tl_op *op = tl_op_begin(b, TL_OP_COMPOSITE, operands, n);
  tl_op_set_str(b, op, TL_A_COMPOSITE_decomposition, fn->name);
  tl_op_set_str(b, op, TL_A_COMPOSITE_name, tl_str_of(name));
  return op;
}

tl_op *tlo_custom(tl_builder *b, const tl_func *fn, const tl_func *vjp, const tl_func *jvp,
                  const tl_value *operands, uint32_t n) {
  const char *name =
      fn == NULL ? "" : tl_arena_printf(b->m->arena, "custom." TL_STR_FMT, TL_STR_ARG(fn->name));
  tl_op *op = composite_begin(b, fn, name, operands, n);
  if (vjp != NULL) tl_op_set_str(b, op, TL_A_COMPOSITE_vjp, vjp->name);
  if (jvp != NULL) tl_op_set_str(b, op, TL_A_COMPOSITE_jvp, jvp->name);
  return tl_op_finish(b, op, NULL, 0);
}

tl_op *tlo_checkpoint(tl_builder *b, const tl_func *fn, const char *policy,
                      const tl_value *operands, uint32_t n) {
  tl_op *op = composite_begin(b, fn, "tlaloc.checkpoint", operands, n);
  const char *attrs = tl_arena_printf(b->m->arena, "{policy = \"%s\"}", policy);
  if (attrs == NULL) tl_builder_fail(b, TL_OOM());
  if (attrs != NULL) tl_op_set_str(b, op, TL_A_COMPOSITE_composite_attributes, tl_str_of(attrs));
  return tl_op_finish(b, op, NULL, 0);
}

tl_op *tlo_call(tl_builder *b, tl_func *callee, const tl_value *operands, uint32_t n) {
  tl_op *op = tl_op_begin(b, TL_OP_CALL, operands, n);
  tl_op_set_str(b, op, TL_A_CALL_callee, callee->name);
  return tl_op_finish(b, op, NULL, 0);
}
