// Random programs: every emit_* appends one core op over values that are in scope.
#ifndef TL_CPU_TESTING_OPS_H
#define TL_CPU_TESTING_OPS_H

#include "cpu/testing_gen.h"

static bool is_part(tl_dtype d) { return d == TL_DTYPE_F32 || d == TL_DTYPE_F64; }
static bool is_inexact(tl_dtype d) {
  return is_float(d) || tl_dtype_get(d)->kind == TL_KIND_COMPLEX;
}
static bool has_next(tl_dtype d) { // what next_after takes
  return is_float(d) && tl_dtype_get(d)->size > 1;
}

static tl_value emit_elementwise(gen *g, tl_opcode code) {
  const tl_op_info *info = tl_op_get(code);
  bool (*fits)(tl_dtype) = code == TL_OP_COMPLEX          ? is_part
                           : code == TL_OP_NEXT_AFTER     ? has_next
                           : info->traits & TL_FLOAT_ONLY ? is_float
                           : code == TL_OP_REMAINDER      ? is_float // has no complex meaning
                                                          : is_inexact;
  if (code != TL_OP_COMPLEX && !(info->traits & (TL_FLOAT_ONLY | TL_INEXACT))) {
    switch (code) {
    case TL_OP_AND:
    case TL_OP_OR:
    case TL_OP_XOR:
    case TL_OP_NOT:
    case TL_OP_SHIFT_LEFT:
    case TL_OP_SHIFT_RIGHT_ARITHMETIC:
    case TL_OP_SHIFT_RIGHT_LOGICAL:
    case TL_OP_POPCNT:
    case TL_OP_COUNT_LEADING_ZEROS:
    case TL_OP_MULHI:
      fits = is_integer;
      break;
    default:
      if (rng_chance(&g->r, 40)) fits = is_integer;
    }
  }
  tl_dtype d = gen_dtype_where(g, fits, fits == is_integer ? TL_DTYPE_S32 : TL_DTYPE_F32);
  if ((code == TL_OP_ABS || code == TL_OP_SIGN) && tl_dtype_get(d)->kind == TL_KIND_UINT)
    d = TL_DTYPE_S16;
  if (info->n_in == 1) return tlo_unary(g->b, code, gen_any(g, d));
  const tl_value x = gen_any(g, d);
  return tlo_binary(g->b, code, x, rng_chance(&g->r, 15) ? x : gen_want(g, x->type));
}

static tl_value emit_compare(gen *g) {
  const tl_value x = gen_any(g, gen_dtype(g));
  return tlo_compare(g->b, (tl_comparison_direction)rng_below(&g->r, 6), x, gen_want(g, x->type));
}

static tl_value emit_select(gen *g) {
  const tl_value x = gen_any(g, gen_dtype(g));
  tl_type p = {TL_DTYPE_I1, x->type.rank, x->type.dims};
  if (rng_chance(&g->r, 30)) p = tl_type_scalar(TL_DTYPE_I1);
  return tlo_select(g->b, gen_want(g, p), x, gen_want(g, x->type));
}

static tl_value emit_clamp(gen *g) {
  const tl_value x = gen_any(g, gen_dtype_where(g, is_float, TL_DTYPE_F32));
  const tl_type bound = rng_chance(&g->r, 50) ? x->type : tl_type_scalar(x->type.dtype);
  tl_value operands[] = {NULL, x, NULL};
  for (int i = 0; i < 3; i += 2) // x at its own bound has no derivative
    operands[i] = g->is_smooth ? gen_constant(g, bound) : gen_want(g, bound);
  return gen_finish(g, tl_op_begin(g->b, TL_OP_CLAMP, operands, 3));
}

static tl_value emit_convert(gen *g) {
  const tl_dtype from = gen_dtype(g);
  return tlo_convert(g->b, gen_any(g, from),
                     rng_chance(&g->r, 50) ? (tl_dtype)rng_below(&g->r, TL_DTYPE_COUNT)
                                           : TL_DTYPE_F32);
}

static tl_value emit_bitcast(gen *g) {
  static const tl_dtype dtypes[] = {TL_DTYPE_U8,  TL_DTYPE_S8,  TL_DTYPE_F16, TL_DTYPE_BF16,
                                    TL_DTYPE_S32, TL_DTYPE_F32, TL_DTYPE_S64, TL_DTYPE_F64};
  const tl_dtype from = dtypes[rng_below(&g->r, TL_COUNT(dtypes))],
                 to = dtypes[rng_below(&g->r, TL_COUNT(dtypes))];
  const uint32_t a = tl_dtype_get(from)->size, b = tl_dtype_get(to)->size;
  tl_type t = gen_some_type(g, from);
  int64_t dims[TL_MAX_RANK + 1];
  uint32_t rank = t.rank;
  if (rank) memcpy(dims, t.dims, rank * sizeof *dims);
  if (a < b) { // elements are joined: out of an odd place of a longer row, often
    const int64_t ratio = b / a, most = 3 * ratio;
    const tl_value row = gen_want(g, gen_type(g, from, (int64_t[]){most}, 1));
    const int64_t start = rng_below(&g->r, (uint32_t)(most - ratio + 1));
    const tl_value part = tlo_slice(g->b, row, &start, (int64_t[]){start + ratio}, NULL);
    return tlo_bitcast(g->b, part, tl_type_scalar(to));
  }
  if (a > b) dims[rank++] = a / b;
  return tlo_bitcast(g->b, gen_want(g, t), gen_type(g, to, dims, rank));
}

static tl_value emit_reshape(gen *g) {
  const tl_value x = gen_any(g, gen_dtype(g));
  const int64_t n = (int64_t)type_count(x->type);
  for (int64_t f = 2 + rng_below(&g->r, 4); n > 1 && f < 20; f++)
    if (n % f == 0) {
      const int64_t dims[] = {f, 1, n / f};
      return tlo_reshape(g->b, x, dims, 3);
    }
  return tlo_reshape(g->b, x, &n, 1);
}

static void gen_permutation(gen *g, int64_t *p, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t j = rng_below(&g->r, i + 1);
    p[i] = p[j], p[j] = i;
  }
}

static tl_value emit_transpose(gen *g) {
  const tl_value x = gen_any(g, gen_dtype(g));
  int64_t p[TL_MAX_RANK];
  gen_permutation(g, p, x->type.rank);
  return tlo_transpose(g->b, x, p);
}

static tl_value emit_broadcast(gen *g) { // to dims of the result in any order, ones widened
  tl_type t = gen_some_type(g, gen_dtype(g));
  if (type_count(t) > 150) t.rank = 0;
  const tl_value x = gen_want(g, t);
  const uint32_t rank = t.rank + rng_below(&g->r, 3);
  int64_t order[TL_MAX_RANK], dims[TL_MAX_RANK];
  gen_permutation(g, order, rank);
  for (uint32_t d = 0; d < rank; d++)
    dims[d] = 1 + rng_below(&g->r, 3);
  for (uint32_t d = 0; d < t.rank; d++)
    if (t.dims[d] != 1 || rng_chance(&g->r, 50)) dims[order[d]] = t.dims[d];
  return tlo_broadcast(g->b, x, gen_type(g, t.dtype, dims, rank), order);
}

static tl_value emit_concat(gen *g) {
  tl_value xs[3] = {gen_any(g, gen_dtype(g))};
  const tl_type t = xs[0]->type;
  if (t.rank == 0) return NULL;
  const uint32_t n = 1 + rng_below(&g->r, 3), dim = rng_below(&g->r, t.rank);
  for (uint32_t i = 1; i < n; i++) {
    int64_t dims[TL_MAX_RANK];
    memcpy(dims, t.dims, t.rank * sizeof *dims);
    if (rng_chance(&g->r, 40)) dims[dim] = gen_dim(g) % 6;
    xs[i] = gen_want(g, gen_type(g, t.dtype, dims, t.rank));
  }
  return tlo_concat(g->b, xs, n, dim);
}

static tl_value emit_slice(gen *g) {
  const tl_value x = gen_any(g, gen_dtype(g));
  int64_t start[TL_MAX_RANK], limit[TL_MAX_RANK], strides[TL_MAX_RANK];
  bool whole = rng_chance(&g->r, 50); // from some dim on, as contiguous slices are
  const uint32_t cut = x->type.rank ? rng_below(&g->r, x->type.rank) : 0;
  for (uint32_t d = 0; d < x->type.rank; d++) {
    const uint32_t n = (uint32_t)x->type.dims[d];
    start[d] = n ? rng_below(&g->r, n) : 0;
    limit[d] = start[d] + rng_below(&g->r, n - (uint32_t)start[d] + 1);
    strides[d] = rng_chance(&g->r, 70) ? 1 : 1 + rng_below(&g->r, 3);
    if (limit[d] == start[d] && n && rng_chance(&g->r, 90)) limit[d]++;
    if (whole && d < cut) limit[d] = TL_MIN(start[d] + 1, (int64_t)n);
    if (whole && d > cut) start[d] = 0, limit[d] = n, strides[d] = 1;
  }
  return tlo_slice(g->b, x, start, limit, strides);
}

static tl_value emit_dynamic(gen *g, bool update) {
  const tl_value x = gen_any(g, gen_dtype(g));
  const uint32_t rank = x->type.rank;
  int64_t sizes[TL_MAX_RANK];
  for (uint32_t d = 0; d < rank; d++)
    sizes[d] = rng_below(&g->r, (uint32_t)x->type.dims[d] + 1);
  tl_value operands[2 + TL_MAX_RANK] = {x};
  uint32_t n = 1;
  if (update) operands[n++] = gen_want(g, gen_type(g, x->type.dtype, sizes, rank));
  for (uint32_t d = 0; d < rank; d++)
    operands[n++] = gen_index(g);
  tl_op *op =
      tl_op_begin(g->b, update ? TL_OP_DYNAMIC_UPDATE_SLICE : TL_OP_DYNAMIC_SLICE, operands, n);
  if (!update) tl_op_set_list(g->b, op, TL_A_DYNAMIC_SLICE_slice_sizes, sizes, rank);
  return gen_finish(g, op);
}

static tl_value emit_pad(gen *g) {
  const tl_value x = gen_any(g, gen_dtype(g));
  int64_t low[TL_MAX_RANK], high[TL_MAX_RANK], inner[TL_MAX_RANK];
  const uint32_t rank = x->type.rank;
  for (uint32_t d = 0; d < rank; d++) {
    low[d] = (int64_t)rng_below(&g->r, 4) - (x->type.dims[d] > 1);
    high[d] = rng_below(&g->r, 3);
    inner[d] = rng_chance(&g->r, 20);
  }
  tl_op *op =
      tl_op_begin(g->b, TL_OP_PAD, (tl_value[]){x, gen_want(g, tl_type_scalar(x->type.dtype))}, 2);
  tl_op_set_list(g->b, op, TL_A_PAD_edge_padding_low, low, rank);
  tl_op_set_list(g->b, op, TL_A_PAD_edge_padding_high, high, rank);
  tl_op_set_list(g->b, op, TL_A_PAD_interior_padding, inner, rank);
  return gen_finish(g, op);
}

static tl_value emit_reverse(gen *g) {
  const tl_value x = gen_any(g, gen_dtype(g));
  int64_t dims[TL_MAX_RANK];
  size_t n = 0;
  for (int64_t d = 0; d < x->type.rank; d++)
    if (rng_chance(&g->r, 60)) dims[n++] = d;
  tl_op *op = tl_op_begin(g->b, TL_OP_REVERSE, &x, 1);
  tl_op_set_list(g->b, op, TL_A_REVERSE_dimensions, dims, n);
  return gen_finish(g, op);
}

static tl_value gen_table(gen *g) { // rank 1 or more, with rows
  const int64_t dims[] = {1 + rng_below(&g->r, 6), 1 + rng_below(&g->r, 9)};
  return gen_want(g, gen_type(g, gen_dtype(g), dims, 2));
}

static tl_value gen_op(gen *g, tl_opcode code);

static tl_value gen_ints(gen *g, const int64_t *list, size_t n, uint32_t rank) {
  const int64_t dims[] = {rank == 2 ? (int64_t)n / 2 : (int64_t)n, 2};
  const tl_value v = tlo_constant(g->b, gen_type(g, TL_DTYPE_S64, dims, rank),
                                  n ? (const void *)list : "", n * sizeof *list);
  // Two of three pass a barrier: no backend sees that they are constants.
  if ((n + (n ? (uint64_t)list[0] : 0)) % 3 == 0) return v;
  return gen_finish(g, tl_op_begin(g->b, TL_OP_OPTIMIZATION_BARRIER, &v, 1));
}

// A static op, and beside it the dynamic one that its attributes make as operands.
static tl_value emit_dynamic_shape(gen *g, tl_opcode code) {
  static const tl_opcode fixed_of[TL_OP_COUNT] = {
      [TL_OP_DYNAMIC_RESHAPE] = TL_OP_RESHAPE,
      [TL_OP_DYNAMIC_BROADCAST_IN_DIM] = TL_OP_BROADCAST_IN_DIM,
      [TL_OP_DYNAMIC_IOTA] = TL_OP_IOTA,
      [TL_OP_DYNAMIC_PAD] = TL_OP_PAD,
      [TL_OP_REAL_DYNAMIC_SLICE] = TL_OP_SLICE,
      [TL_OP_DYNAMIC_GATHER] = TL_OP_GATHER,
      [TL_OP_DYNAMIC_CONV] = TL_OP_CONVOLUTION,
  };
  if (code == TL_OP_GET_DIMENSION_SIZE || code == TL_OP_SET_DIMENSION_SIZE) {
    const tl_value x = gen_table(g);
    const int64_t d = rng_below(&g->r, 2), n = rng_below(&g->r, (uint32_t)x->type.dims[d] + 1);
    if (code == TL_OP_GET_DIMENSION_SIZE) return tlo_get_dimension_size(g->b, x, d);
    const int64_t dims[] = {d == 0 ? n : x->type.dims[0], d == 1 ? n : x->type.dims[1]};
    return tlo_set_dimension_size(g->b, x, tlo_constant_i64(g->b, tl_type_scalar(TL_DTYPE_S32), n),
                                  d, gen_type(g, x->type.dtype, dims, 2));
  }
  const tl_value v = gen_op(g, fixed_of[code]);
  if (v == NULL || v->op == NULL || v->op->code != fixed_of[code]) return v;
  const tl_op *fixed = v->op;
  static const char *const names[] = {
      "edge_padding_low", "edge_padding_high", "interior_padding", "start_indices",
      "limit_indices",    "strides",           "slice_sizes",      "padding"};
  tl_value operands[8];
  uint32_t n = fixed->n_operands;
  for (uint32_t i = 0; i < n; i++)
    operands[i] = fixed->operands[i];
  const int64_t none[2 * TL_MAX_RANK] = {0};
  for (size_t k = 0; k < TL_COUNT(names); k++) {
    tl_attr_id id;
    if (!tl_op_attr_named(fixed->code, names[k], &id)) continue;
    tl_i64s list = tl_op_list(fixed, id);
    const bool pairs = tl_attr_get(id)->kind == TL_AK_PAIRS;
    if (pairs && list.len == 0) list = (tl_i64s){none, 2 * (v->type.rank - 2)};
    operands[n++] = gen_ints(g, list.ptr, list.len, pairs ? 2 : 1);
  }
  if (n == fixed->n_operands) operands[n++] = gen_ints(g, v->type.dims, v->type.rank, 1);
  tl_op *op = tl_op_begin(g->b, code, operands, n);
  for (uint32_t i = 0; op && i < tl_op_get(code)->n_attrs; i++) {
    const tl_attr_info *row = tl_attr_get((tl_attr_id)(tl_op_get(code)->attr_begin + i));
    tl_attr_id from;
    if (tl_op_attr_named(fixed->code, row->name, &from)) op->attrs[i] = *tl_op_attr(fixed, from);
  }
  op = tl_op_finish(g->b, op, &v->type, 1);
  return op ? op->results[0] : NULL;
}

static tl_value emit_gather(gen *g) {
  const tl_value table = gen_table(g);
  return tlo_take_rows(g->b, table, gen_any(g, TL_DTYPE_S32));
}

static tl_value emit_scatter(gen *g) {
  const tl_value table = gen_table(g);
  const int64_t n = rng_below(&g->r, 5), dims[] = {n, table->type.dims[1]};
  const tl_value indices = gen_want(g, gen_type(g, TL_DTYPE_S32, &n, 1));
  return tlo_put_rows(g->b, table, indices, gen_want(g, gen_type(g, table->type.dtype, dims, 2)));
}

static tl_value emit_reduce(gen *g) {
  static const tl_opcode codes[] = {TL_OP_ADD, TL_OP_MULTIPLY, TL_OP_MAXIMUM, TL_OP_MINIMUM};
  const tl_value x =
      gen_any(g, gen_dtype_where(g, rng_chance(&g->r, 80) ? is_float : is_integer, TL_DTYPE_F32));
  int64_t dims[TL_MAX_RANK];
  uint32_t n = 0;
  for (uint32_t d = 0; d < x->type.rank; d++)
    if (rng_chance(&g->r, 50)) dims[n++] = d;
  return tlo_reduce(g->b, x, gen_want(g, tl_type_scalar(x->type.dtype)), dims, n,
                    codes[rng_below(&g->r, TL_COUNT(codes))]);
}

// One or two operands, by the last one's order; NaNs and equals among them.
static tl_value emit_sort(gen *g) {
  tl_value x[2];
  x[0] = gen_any(g, gen_dtype(g));
  const uint32_t n = 1 + rng_below(&g->r, 2), rank = x[0]->type.rank;
  if (rank == 0) return NULL;
  x[1] = gen_want(g, (tl_type){gen_dtype(g), rank, x[0]->type.dims});
  tl_op *op = tl_op_begin(g->b, TL_OP_SORT, x, n);
  tl_op_set_i64(op, TL_A_SORT_dimension, (int64_t)rng_below(&g->r, 2 * rank) - rank);
  tl_op_set_i64(op, TL_A_SORT_is_stable, rng_below(&g->r, 2));
  tl_block *block = tl_op_add_region(g->b, op);
  if (!block) return NULL;
  tl_value args[4];
  for (uint32_t i = 0; i < 2 * n; i++)
    args[i] = tl_block_arg(g->b, block, tl_type_scalar(x[i / 2]->type.dtype));
  tl_builder in = tl_builder_at(g->b, block);
  const tl_value less = tlo_compare(&in, (tl_comparison_direction)rng_below(&g->r, 6),
                                    args[2 * n - 2], args[2 * n - 1]);
  tlo_return(&in, &less, 1);
  tl_builder_join(g->b, &in);
  op = tl_op_finish(g->b, op, NULL, 0);
  if (op && n == 2) gen_add(g, op->results[1]);
  return op ? op->results[0] : NULL;
}

static tl_value emit_rng(gen *g) {
  const int64_t algorithm = rng_below(&g->r, 3),
                words = algorithm == TL_RNG_ALGORITHM_THREE_FRY ? 2 : 2 + rng_below(&g->r, 2);
  const tl_type state = gen_type(g, TL_DTYPE_U64, &words, 1);
  const tl_value x = gen_want(g, state);
  tl_op *op = tl_op_begin(g->b, TL_OP_RNG_BIT_GENERATOR, &x, 1);
  tl_op_set_i64(op, TL_A_RNG_BIT_GENERATOR_rng_algorithm, algorithm);
  const tl_type types[] = {state, gen_some_type(g, gen_dtype_where(g, is_integer, TL_DTYPE_U32))};
  op = tl_op_finish(g->b, op, types, 2);
  if (op) gen_add(g, op->results[0]);
  return op ? op->results[1] : NULL;
}

static bool is_real(tl_dtype d) { return tl_dtype_get(d)->kind != TL_KIND_COMPLEX; }

static tl_value emit_draw(gen *g) {
  const tl_dtype dtype = gen_dtype_where(g, is_real, TL_DTYPE_F32);
  const bool normal = tl_dtype_get(dtype)->kind == TL_KIND_FLOAT && rng_chance(&g->r, 50);
  const tl_type scalar = tl_type_scalar(dtype);
  const tl_value lo = gen_want(g, scalar), hi = gen_want(g, scalar);
  return tlo_rng(g->b, normal ? TL_RNG_DISTRIBUTION_NORMAL : TL_RNG_DISTRIBUTION_UNIFORM, lo, hi,
                 gen_some_type(g, dtype));
}

// Dilations, strides and padding of one dim, such that a window of *window elements fits mostly.
typedef struct gen_window {
  int64_t window[TL_MAX_RANK], stride[TL_MAX_RANK], dilation[2][TL_MAX_RANK],
      padding[2 * TL_MAX_RANK];
} gen_window;

static gen_window gen_window_of(gen *g, uint32_t rank) {
  gen_window w;
  for (uint32_t d = 0; d < rank; d++) {
    w.window[d] = 1 + rng_below(&g->r, 3);
    w.stride[d] = 1 + rng_below(&g->r, 2);
    w.dilation[0][d] = 1 + rng_chance(&g->r, 20);
    w.dilation[1][d] = 1 + rng_chance(&g->r, 20);
    w.padding[2 * d] = (int64_t)rng_below(&g->r, 4) - 1;
    w.padding[2 * d + 1] = (int64_t)rng_below(&g->r, 4) - 1;
  }
  return w;
}

static tl_value emit_reduce_window(gen *g) {
  static const tl_opcode codes[] = {TL_OP_ADD, TL_OP_MULTIPLY, TL_OP_MAXIMUM, TL_OP_SUBTRACT};
  const tl_value x =
      gen_any(g, gen_dtype_where(g, rng_chance(&g->r, 80) ? is_float : is_integer, TL_DTYPE_F32));
  const tl_type scalar = tl_type_scalar(x->type.dtype);
  const uint32_t rank = x->type.rank;
  const gen_window w = gen_window_of(g, rank);
  tl_op *op = tl_op_begin(g->b, TL_OP_REDUCE_WINDOW, (tl_value[]){x, gen_want(g, scalar)}, 2);
  tl_op_set_list(g->b, op, TL_A_REDUCE_WINDOW_window_dimensions, w.window, rank);
  if (rng_chance(&g->r, 60))
    tl_op_set_list(g->b, op, TL_A_REDUCE_WINDOW_window_strides, w.stride, rank);
  tl_op_set_list(g->b, op, TL_A_REDUCE_WINDOW_base_dilations, w.dilation[0], rank);
  tl_op_set_list(g->b, op, TL_A_REDUCE_WINDOW_window_dilations, w.dilation[1], rank);
  if (rng_chance(&g->r, 80))
    tl_op_set_list(g->b, op, TL_A_REDUCE_WINDOW_padding, w.padding, (size_t)2 * rank);
  tl_block *block = tl_op_add_region(g->b, op);
  tl_builder in = tl_builder_at(g->b, block);
  const tl_value a = tl_block_arg(&in, block, scalar), b = tl_block_arg(&in, block, scalar);
  const tl_value y = tlo_binary(&in, codes[rng_below(&g->r, TL_COUNT(codes))], a, b);
  tlo_return(&in, &y, 1);
  tl_builder_join(g->b, &in);
  return gen_finish(g, op);
}

static tl_value emit_map(gen *g) {
  const tl_value x =
      gen_any(g, gen_dtype_where(g, rng_chance(&g->r, 80) ? is_float : is_integer, TL_DTYPE_F32));
  const tl_value operands[] = {x, gen_want(g, x->type)};
  int64_t dims[TL_MAX_RANK];
  for (uint32_t d = 0; d < x->type.rank; d++)
    dims[d] = d;
  tl_op *op = tl_op_begin(g->b, TL_OP_MAP, operands, 2);
  tl_op_set_list(g->b, op, TL_A_MAP_dimensions, dims, x->type.rank);
  tl_block *block = tl_op_add_region(g->b, op);
  tl_builder in = tl_builder_at(g->b, block);
  const tl_type scalar = tl_type_scalar(x->type.dtype);
  const tl_value a = tl_block_arg(&in, block, scalar), b = tl_block_arg(&in, block, scalar);
  const tl_value c = tlo_binary(&in, TL_OP_SUBTRACT, b, a),
                 y = tlo_binary(&in, TL_OP_MULTIPLY, c, b);
  tlo_return(&in, &y, 1);
  tl_builder_join(g->b, &in);
  return gen_finish(g, op);
}

static tl_value emit_select_and_scatter(gen *g) {
  const tl_value x =
      gen_any(g, gen_dtype_where(g, rng_chance(&g->r, 80) ? is_float : is_integer, TL_DTYPE_F32));
  const tl_type scalar = tl_type_scalar(x->type.dtype);
  const uint32_t rank = x->type.rank;
  const gen_window w = gen_window_of(g, rank);
  int64_t dims[TL_MAX_RANK];
  for (uint32_t d = 0; d < rank; d++) {
    const int64_t padded = x->type.dims[d] + w.padding[2 * d] + w.padding[2 * d + 1];
    dims[d] = padded <= 0 || padded < w.window[d] ? 0 : (padded - w.window[d]) / w.stride[d] + 1;
  }
  const tl_value source = gen_want(g, gen_type(g, x->type.dtype, dims, rank));
  tl_op *op =
      tl_op_begin(g->b, TL_OP_SELECT_AND_SCATTER, (tl_value[]){x, source, gen_want(g, scalar)}, 3);
  tl_op_set_list(g->b, op, TL_A_SELECT_AND_SCATTER_window_dimensions, w.window, rank);
  tl_op_set_list(g->b, op, TL_A_SELECT_AND_SCATTER_window_strides, w.stride, rank);
  tl_op_set_list(g->b, op, TL_A_SELECT_AND_SCATTER_padding, w.padding, (size_t)2 * rank);
  for (int region = 0; region < 2; region++) {
    tl_block *block = tl_op_add_region(g->b, op);
    tl_builder in = tl_builder_at(g->b, block);
    const tl_value a = tl_block_arg(&in, block, scalar), b = tl_block_arg(&in, block, scalar);
    const tl_value y = region == 0 ? tlo_compare(&in, TL_COMPARISON_DIRECTION_GE, a, b)
                                   : tlo_binary(&in, TL_OP_ADD, a, b);
    tlo_return(&in, &y, 1);
    tl_builder_join(g->b, &in);
  }
  return gen_finish(g, op);
}

// Dims of both operands and of the result in any order; groups of features or of batches.
static tl_value emit_convolution(gen *g) {
  static const tl_attr_id lists[3][3] = {
      {TL_A_CONVOLUTION_input_batch_dimension, TL_A_CONVOLUTION_input_feature_dimension,
       TL_A_CONVOLUTION_input_spatial_dimensions},
      {TL_A_CONVOLUTION_kernel_input_feature_dimension,
       TL_A_CONVOLUTION_kernel_output_feature_dimension,
       TL_A_CONVOLUTION_kernel_spatial_dimensions},
      {TL_A_CONVOLUTION_output_batch_dimension, TL_A_CONVOLUTION_output_feature_dimension,
       TL_A_CONVOLUTION_output_spatial_dimensions}};
  const tl_dtype dtype =
      gen_dtype_where(g, rng_chance(&g->r, 80) ? is_float : is_integer, TL_DTYPE_F32);
  const uint32_t n = rng_below(&g->r, 4), rank = n + 2;
  const gen_window w = gen_window_of(g, n);
  const int64_t groups = 1 + rng_below(&g->r, 2), by_batch = rng_chance(&g->r, 40),
                features = 1 + rng_below(&g->r, rng_chance(&g->r, 20) ? 40 : 4);
  int64_t order[3][TL_MAX_RANK], dims[2][TL_MAX_RANK];
  for (int k = 0; k < 3; k++)
    for (uint32_t d = 0; d < rank; d++) {
      const uint32_t at = rng_below(&g->r, d + 1);
      order[k][d] = order[k][at], order[k][at] = d;
    }
  dims[0][order[0][0]] = (1 + rng_below(&g->r, 2)) * (by_batch ? groups : 1);
  dims[0][order[0][1]] = features * (by_batch ? 1 : groups);
  dims[1][order[1][0]] = features;
  dims[1][order[1][1]] = groups * (1 + rng_below(&g->r, 20));
  for (uint32_t d = 0; d < n; d++) {
    dims[0][order[0][2 + d]] = rng_below(&g->r, 10) ? 2 + rng_below(&g->r, 5) : 0;
    dims[1][order[1][2 + d]] = w.window[d];
  }
  const tl_value operands[] = {gen_want(g, gen_type(g, dtype, dims[0], rank)),
                               gen_want(g, gen_type(g, dtype, dims[1], rank))};
  tl_op *op = tl_op_begin(g->b, TL_OP_CONVOLUTION, operands, 2);
  for (int k = 0; k < 3; k++) {
    tl_op_set_i64(op, lists[k][0], order[k][0]);
    tl_op_set_i64(op, lists[k][1], order[k][1]);
    tl_op_set_list(g->b, op, lists[k][2], order[k] + 2, n);
  }
  tl_op_set_i64(
      op, by_batch ? TL_A_CONVOLUTION_batch_group_count : TL_A_CONVOLUTION_feature_group_count,
      groups);
  int64_t reverse[TL_MAX_RANK];
  for (uint32_t d = 0; d < n; d++)
    reverse[d] = rng_chance(&g->r, 50);
  if (rng_chance(&g->r, 60)) tl_op_set_list(g->b, op, TL_A_CONVOLUTION_window_strides, w.stride, n);
  tl_op_set_list(g->b, op, TL_A_CONVOLUTION_padding, w.padding, (size_t)2 * n);
  tl_op_set_list(g->b, op, TL_A_CONVOLUTION_lhs_dilation, w.dilation[0], n);
  tl_op_set_list(g->b, op, TL_A_CONVOLUTION_rhs_dilation, w.dilation[1], n);
  if (rng_chance(&g->r, 20)) tl_op_set_list(g->b, op, TL_A_CONVOLUTION_window_reversal, reverse, n);
  return gen_finish(g, op);
}

static tl_value emit_reduce_precision(gen *g) {
  const tl_value x = gen_any(g, gen_dtype_where(g, is_float, TL_DTYPE_F32));
  tl_op *op = tl_op_begin(g->b, TL_OP_REDUCE_PRECISION, &x, 1);
  tl_op_set_i64(op, TL_A_REDUCE_PRECISION_exponent_bits, 1 + rng_below(&g->r, 12));
  tl_op_set_i64(op, TL_A_REDUCE_PRECISION_mantissa_bits, rng_below(&g->r, 30));
  return gen_finish(g, op);
}

// A batch of up to two matrices; that they are no good ones is the interpreter's matter.
static tl_value emit_linalg(gen *g, bool solve) {
  const int64_t n = rng_below(&g->r, 6), m = rng_below(&g->r, 4), left = rng_below(&g->r, 2);
  const int64_t a[] = {1 + rng_below(&g->r, 2), n, n}, b[] = {a[0], left ? n : m, left ? m : n};
  const tl_dtype dtype = gen_dtype_where(g, is_float, TL_DTYPE_F32);
  tl_value x[2] = {gen_want(g, gen_type(g, dtype, a, 3)), NULL};
  if (solve) x[1] = gen_want(g, gen_type(g, dtype, b, 3));
  tl_op *op = tl_op_begin(g->b, solve ? TL_OP_TRIANGULAR_SOLVE : TL_OP_CHOLESKY, x, solve ? 2 : 1);
  const int64_t lower = rng_below(&g->r, 2);
  if (solve) {
    tl_op_set_i64(op, TL_A_TRIANGULAR_SOLVE_left_side, left);
    tl_op_set_i64(op, TL_A_TRIANGULAR_SOLVE_lower, lower);
    tl_op_set_i64(op, TL_A_TRIANGULAR_SOLVE_transpose_a, rng_below(&g->r, 3));
    tl_op_set_i64(op, TL_A_TRIANGULAR_SOLVE_unit_diagonal, rng_below(&g->r, 2));
  } else {
    tl_op_set_i64(op, TL_A_CHOLESKY_lower, lower);
  }
  return gen_finish(g, op);
}

static tl_value emit_batch_norm(gen *g, tl_opcode code) {
  const tl_value x = gen_any(g, gen_dtype_where(g, is_float, TL_DTYPE_F32));
  const tl_op_info *info = tl_op_get(code);
  if (x->type.rank == 0) return NULL;
  const int64_t dim = rng_below(&g->r, x->type.rank);
  const tl_type vector = gen_type(g, x->type.dtype, &x->type.dims[dim], 1);
  tl_value in[5] = {x};
  for (int8_t i = 1; i < info->n_in; i++)
    in[i] = gen_want(g, code == TL_OP_BATCH_NORM_GRAD && i == 4 ? x->type : vector);
  tl_op *op = tl_op_begin(g->b, code, in, (uint32_t)info->n_in);
  tl_op_set_f64(op, (tl_attr_id)info->attr_begin, 0.125); // epsilon, feature_index
  tl_op_set_i64(op, (tl_attr_id)(info->attr_begin + 1), dim);
  op = tl_op_finish(g->b, op, NULL, 0);
  for (uint32_t i = 1; op && i < op->n_results; i++)
    gen_add(g, op->results[i]);
  return op ? op->results[0] : NULL;
}

// Operands whose dims stand in any order: batch, contracted and free ones, 0 to 2 of each.
static tl_value emit_dot(gen *g) {
  int64_t size[3][2]; // of batch, contracted, free dims
  uint32_t n[4];      // how many: batch, contracted, free of a, free of b
  for (int k = 0; k < 4; k++)
    n[k] = rng_below(&g->r, 3);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 2; i++)
      size[k][i] =
          k == 0 ? 1 + rng_below(&g->r, 3) : 1 + rng_below(&g->r, rng_chance(&g->r, 20) ? 90 : 6);
  if (rng_chance(&g->r, 3)) size[1][0] = 0;
  int64_t batch[2][2], contract[2][2];
  tl_value x[2];
  const tl_dtype dtype = gen_dtype_where(g, is_float, TL_DTYPE_F32);
  for (int side = 0; side < 2; side++) {
    const uint32_t rank = n[0] + n[1] + n[2 + side];
    int64_t order[TL_MAX_RANK], dims[TL_MAX_RANK];
    if (rng_chance(&g->r, 50))
      gen_permutation(g, order, rank);
    else
      for (uint32_t d = 0; d < rank; d++)
        order[d] = d;
    for (uint32_t i = 0; i < rank; i++) {
      if (i < n[0])
        dims[batch[side][i] = order[i]] = size[0][i];
      else if (i < n[0] + n[1])
        dims[contract[side][i - n[0]] = order[i]] = size[1][i - n[0]];
      else
        dims[order[i]] = 1 + rng_below(&g->r, rng_chance(&g->r, 20) ? 20 : 4);
    }
    x[side] = gen_want(g, gen_type(g, dtype, dims, rank));
  }
  return tlo_dot(g->b, x[0], x[1], batch[0], batch[1], n[0], contract[0], contract[1], n[1]);
}

static tl_value emit_iota(gen *g) {
  const tl_type t = gen_some_type(g, gen_dtype_where(g, is_integer, TL_DTYPE_S32));
  return t.rank ? tlo_iota(g->b, t, rng_below(&g->r, t.rank)) : NULL;
}

static tl_value emit_constant(gen *g) {
  if (rng_chance(&g->r, 5)) { // large enough to be filled in rather than kept
    const int64_t dims[] = {130, 130};
    const tl_value big = tlo_constant_i64(g->b, gen_type(g, TL_DTYPE_F32, dims, 2), 3);
    return tlo_slice(g->b, big, (int64_t[]){127, 3}, (int64_t[]){130, 11}, NULL);
  }
  return gen_constant(g, gen_some_type(g, gen_dtype(g)));
}

static tl_value emit_barrier(gen *g) {
  const tl_value x[] = {gen_any(g, gen_dtype(g)), gen_any(g, gen_dtype(g))};
  tl_op *op = tl_op_finish(g->b, tl_op_begin(g->b, TL_OP_OPTIMIZATION_BARRIER, x, 2), NULL, 0);
  if (op) gen_add(g, op->results[0]);
  return op ? op->results[1] : NULL;
}

#endif
