// Random programs for tests, from a seed: named ops, regions and calls beside the core ops of
// testing_ops.h.
//
// Regions have scopes of their own, and use what is around them.
#ifndef TL_CPU_TESTING_PROGRAMS_H
#define TL_CPU_TESTING_PROGRAMS_H

#include "cpu/testing_ops.h"

// Named ops. f64 ones are run by the interpreter.
static tl_dtype gen_wide(gen *g) {
  if (g->dtype != TL_DTYPE_COUNT) return g->dtype;
  return rng_chance(&g->r, 85) ? TL_DTYPE_F32 : TL_DTYPE_F64;
}

static tl_value emit_embedding(gen *g) {
  return tlo_embedding(g->b, gen_table(g), gen_any(g, TL_DTYPE_S32));
}

static tl_value emit_rms_norm(gen *g) {
  const tl_value x = gen_any(g, gen_wide(g));
  if (x->type.rank == 0) return NULL;
  const int64_t n = x->type.dims[x->type.rank - 1];
  return tlo_rms_norm(g->b, x, gen_want(g, gen_type(g, x->type.dtype, &n, 1)), 1e-5);
}

static tl_value emit_rope(gen *g) {
  const int64_t T = rng_below(&g->r, 6), H = 1 + rng_below(&g->r, 3),
                half = 1 + rng_below(&g->r, 9), P = 1 + rng_below(&g->r, 8);
  const tl_dtype d = gen_wide(g);
  const tl_type table = gen_type(g, d, (int64_t[]){P, half}, 2);
  return tlo_rope(g->b, gen_want(g, gen_type(g, d, (int64_t[]){T, H, 2 * half}, 3)),
                  gen_want(g, table), gen_want(g, table),
                  gen_want(g, gen_type(g, TL_DTYPE_S32, &T, 1)));
}

static tl_value emit_softmax(gen *g) {
  const tl_value x = gen_any(g, gen_wide(g));
  if (x->type.rank == 0) return NULL;
  const int64_t last = x->type.rank - 1;
  return tlo_softmax(g->b, x, rng_chance(&g->r, 70) ? last : rng_below(&g->r, x->type.rank));
}

static tl_value emit_swiglu(gen *g) {
  const tl_value x = gen_any(g, gen_wide(g));
  return tlo_swiglu(g->b, x, rng_chance(&g->r, 20) ? x : gen_want(g, x->type));
}

static tl_type gen_pool(gen *g) { // few shapes, so that writes meet reads
  static const tl_dtype narrow[] = {TL_DTYPE_BF16, TL_DTYPE_F8E4M3FN, TL_DTYPE_S8};
  const tl_dtype d = rng_chance(&g->r, 60) ? TL_DTYPE_F32 : narrow[rng_below(&g->r, 3)];
  const int64_t dims[] = {6, 1 + rng_below(&g->r, 2), 2, d == TL_DTYPE_S8 ? 4 + TL_KV_SCALE : 4};
  return gen_type(g, d, dims, 4);
}

static tl_value emit_kv_write(gen *g) {
  const tl_value pool = gen_want(g, gen_pool(g));
  const int64_t *dims = pool->type.dims;
  const uint32_t how = rng_below(&g->r, 10);
  tl_value rows;
  if (how == 0 && pool->type.dtype == TL_DTYPE_F32) { // the pool's own first rows
    rows =
        tlo_slice(g->b, pool, (int64_t[]){0, 0, 0, 0}, (int64_t[]){3, 1, dims[2], dims[3]}, NULL);
    rows = tlo_reshape(g->b, rows, (int64_t[]){3, dims[2], dims[3]}, 3);
  } else if (how == 1 && pool->type.dtype == TL_DTYPE_F32) { // all of it
    rows = tlo_reshape(g->b, pool, (int64_t[]){dims[0] * dims[1], dims[2], dims[3]}, 3);
  } else {
    const int64_t shape[] = {rng_below(&g->r, 40) == 0 ? 0 : 1 + rng_below(&g->r, 7), dims[2], 4};
    rows = gen_want(g, gen_type(g, TL_DTYPE_F32, shape, 3));
  }
  if (!rows) return NULL;
  const tl_value slots = gen_want(g, gen_type(g, TL_DTYPE_S32, rows->type.dims, 1));
  return tlo_kv_cache_write(g->b, pool, rows, slots, rng_below(&g->r, 4));
}

static tl_value emit_attention(gen *g) {
  const tl_value keys = gen_want(g, gen_pool(g)), values = gen_want(g, keys->type);
  const int64_t S = 1 + rng_below(&g->r, 3), N = S * (1 + rng_below(&g->r, 3)),
                M = 1 + rng_below(&g->r, 4), H = rng_chance(&g->r, 50) ? 2 : 6;
  const tl_type row = gen_type(g, TL_DTYPE_S32, &N, 1);
  tl_value lengths = gen_want(g, row); // at least 1, or the result is not defined
  lengths = tlo_binary(g->b, TL_OP_MAXIMUM, lengths, tlo_constant_i64(g->b, row, 1));
  lengths =
      tlo_binary(g->b, TL_OP_MINIMUM, lengths, tlo_constant_i64(g->b, row, M * keys->type.dims[1]));
  const tl_dtype query =
      keys->type.dtype == TL_DTYPE_BF16 && rng_chance(&g->r, 70) ? TL_DTYPE_BF16 : TL_DTYPE_F32;
  return tlo_paged_attention(g->b, gen_want(g, gen_type(g, query, (int64_t[]){N, H, 4}, 3)), keys,
                             values, gen_want(g, gen_type(g, TL_DTYPE_S32, (int64_t[]){S, M}, 2)),
                             lengths, rng_chance(&g->r, 50) ? gen_want(g, row) : NULL, 0.5,
                             rng_below(&g->r, 3), rng_below(&g->r, 3));
}

// A packed matrix: of random bytes, packed in the program, or a piece of a longer row of bytes (so
// that it lies anywhere in memory).
static tl_value gen_packed(gen *g, tl_format *out_format, int64_t *out_rows, int64_t *out_k) {
  const tl_format f = (tl_format)rng_below(&g->r, TL_FORMAT_COUNT);
  const tl_format_info *info = tl_format_get(f);
  const int64_t rows = 1 + rng_below(&g->r, 40),
                k = info->code_bits ? info->block * (1 + (int64_t)rng_below(&g->r, 2))
                                    : 1 + rng_below(&g->r, 70);
  size_t row_size = 0, group_size = 0;
  assert_true(tl_format_row_size(f, (size_t)k, &row_size));
  assert_true(tl_format_group_size(f, (size_t)k, &group_size));
  *out_format = f, *out_rows = rows, *out_k = k;
  if (info->code_bits && rng_chance(&g->r, 30)) {
    const int64_t groups = (int64_t)tl_format_groups((size_t)rows),
                  size = groups * (int64_t)group_size, at = rng_below(&g->r, 9), whole = size + 8;
    tl_value bytes = gen_want(g, gen_type(g, TL_DTYPE_U8, &whole, 1));
    bytes = tlo_slice(g->b, bytes, &at, (int64_t[]){at + size}, NULL);
    return tlo_reshape(g->b, bytes, (int64_t[]){groups, (int64_t)group_size}, 2);
  }
  const tl_dtype dense = f == TL_FORMAT_F32   ? TL_DTYPE_F32
                         : f == TL_FORMAT_F16 ? TL_DTYPE_F16
                                              : TL_DTYPE_BF16;
  const int64_t dims[] = {rows, info->code_bits ? (int64_t)row_size : k};
  return tlo_pack_weights(
      g->b, gen_want(g, gen_type(g, info->code_bits ? TL_DTYPE_U8 : dense, dims, 2)), f, rows, k);
}

static tl_value emit_matmul(gen *g) {
  tl_format f;
  int64_t rows, k;
  const tl_value w = gen_packed(g, &f, &rows, &k);
  if (!w) return NULL;
  gen_add(g, w);
  const int64_t dims[] = {rng_chance(&g->r, 50) ? 1 : rng_below(&g->r, 6), k};
  const tl_value x = gen_want(g, gen_type(g, TL_DTYPE_F32, dims, 2));
  if (f == TL_FORMAT_BF16 && rng_chance(&g->r, 50))
    return tlo_bf16_matmul(g->b, tlo_convert(g->b, x, TL_DTYPE_BF16), w, rows);
  if (!tl_format_is_integer(f) || k % TL_INT8_BLOCK != 0 || rng_chance(&g->r, 50))
    return tlo_quantized_matmul(g->b, x, w, f, rows);
  const tl_op *q = tlo_quantize_int8(g->b, x);
  if (!q) return NULL;
  gen_add(g, q->results[0]);
  gen_add(g, q->results[1]);
  return tlo_int8_matmul(g->b, q->results[0], q->results[1], w, f, rows);
}

static tl_value emit_quantized_embedding(gen *g) {
  tl_format f;
  int64_t rows, k;
  const tl_value w = gen_packed(g, &f, &rows, &k);
  if (!w) return NULL;
  const int64_t n = rng_below(&g->r, 5);
  return tlo_quantized_embedding(g->b, w, gen_want(g, gen_type(g, TL_DTYPE_S32, &n, 1)), f, rows,
                                 k);
}

static tl_value gen_op(gen *g, tl_opcode code);
static void gen_ops(gen *g, uint32_t n);

// A region's body: arguments, ops, and results of the wanted types (a counter first, when given).
typedef struct gen_scope {
  tl_builder inner, *outer;
  size_t n;
  bool toplevel;
} gen_scope;

static void gen_enter(gen *g, gen_scope *s, tl_block *block) {
  *s = (gen_scope){tl_builder_at(g->b, block), g->b, g->n, g->toplevel};
  g->b = &s->inner;
  g->toplevel = false;
  g->depth++;
}

static void gen_leave(gen *g, gen_scope *s, const tl_value *results, uint32_t n) {
  tlo_return(g->b, results, n);
  g->b = s->outer;
  tl_builder_join(g->b, &s->inner);
  g->n = s->n;
  g->toplevel = s->toplevel;
  g->depth--;
}

// A scalar that is read off all of some float in scope, in (-1, 1).
static tl_value gen_measure(gen *g) {
  const tl_value x = gen_any(g, g->dtype);
  int64_t dims[TL_MAX_RANK];
  for (uint32_t d = 0; d < x->type.rank; d++)
    dims[d] = d;
  const tl_value zero = tlo_constant_f64(g->b, tl_type_scalar(x->type.dtype), 0.1);
  return tlo_unary(g->b, TL_OP_SINE, tlo_reduce(g->b, x, zero, dims, x->type.rank, TL_OP_ADD));
}

// 0 to n - 1, by a float.
static tl_value gen_choice(gen *g, int64_t n) {
  tl_value x = gen_measure(g);
  const tl_value half = tlo_constant_f64(g->b, tl_value_type(x), 0.5 * (double)n);
  x = tlo_mul(g->b, tlo_add(g->b, x, tlo_constant_f64(g->b, tl_value_type(x), 1)), half);
  return tlo_convert(g->b, x, TL_DTYPE_S32);
}

// x with a part of it written: by something in scope, or made of another part of x.
static tl_value gen_updated(gen *g, tl_value x) {
  int64_t sizes[TL_MAX_RANK];
  tl_value at[TL_MAX_RANK], from[TL_MAX_RANK];
  if (!x) return NULL;
  for (uint32_t d = 0; d < x->type.rank; d++) {
    sizes[d] = x->type.dims[d] ? 1 + rng_below(&g->r, (uint32_t)x->type.dims[d]) : 0;
    at[d] = gen_index(g), from[d] = gen_index(g);
  }
  tl_value part = gen_want(g, gen_type(g, x->type.dtype, sizes, x->type.rank));
  if (rng_chance(&g->r, 40)) {
    part = tlo_dynamic_slice(g->b, x, from, sizes);
    if (is_float(x->type.dtype)) part = tlo_unary(g->b, TL_OP_NEGATE, part);
  }
  return tlo_dynamic_update_slice(g->b, x, part, at);
}

// While its counter is below a constant, below a number from outside, or also a carried float
// allows it; or without a counter, while a float grows.
typedef enum { LOOP_COUNTED, LOOP_BOUND, LOOP_ASKS, LOOP_GROWS } gen_loop;

static tl_value emit_while(gen *g) {
  tl_value init[4], results[4];
  const uint32_t n = 1 + rng_below(&g->r, 4); // a counter, and what else is carried
  const gen_loop how = g->is_smooth ? (gen_loop)rng_below(&g->r, 4) : LOOP_COUNTED;
  const tl_value bound = how == LOOP_BOUND ? gen_choice(g, 5) : NULL;
  init[0] =
      how == LOOP_GROWS ? gen_measure(g) : tlo_constant_i64(g->b, tl_type_scalar(TL_DTYPE_S32), 0);
  for (uint32_t i = 1; i < n; i++) {
    init[i] = gen_any(g, gen_dtype(g));
    if (i > 1 && rng_chance(&g->r, 50)) init[i] = gen_want(g, init[1]->type); // may change places
  }
  tl_op *op = tl_op_begin(g->b, TL_OP_WHILE, init, n);
  if (!op) return NULL;
  for (int region = 0; region < 2; region++) {
    gen_scope s;
    tl_block *block = tl_op_add_region(g->b, op);
    if (!block) return NULL;
    tl_value args[4];
    for (uint32_t i = 0; i < n; i++)
      args[i] = gen_add(g, tl_block_arg(g->b, block, init[i]->type));
    gen_enter(g, &s, block);
    s.n -= n; // the arguments leave with it
    if (region == 0) {
      if (rng_chance(&g->r, 30)) gen_ops(g, 1);
      tl_value end = bound;
      if (how == LOOP_GROWS)
        end = tlo_constant_f64(g->b, args[0]->type, 1.2 + rng_below(&g->r, 5));
      else if (!bound)
        end = tlo_constant_i64(g->b, args[0]->type, rng_below(&g->r, 4));
      results[0] = tlo_compare(g->b, TL_COMPARISON_DIRECTION_LT, args[0], end);
      if (how == LOOP_ASKS) {
        const tl_value x = gen_measure(g);
        results[0] = tlo_binary(g->b, TL_OP_AND, results[0],
                                tlo_compare(g->b, TL_COMPARISON_DIRECTION_LT, x,
                                            tlo_constant_f64(g->b, tl_value_type(x), 0.6)));
      }
      gen_leave(g, &s, results, 1);
    } else {
      gen_ops(g, 1 + rng_below(&g->r, 5));
      for (uint32_t i = 1; i < n; i++)
        results[i] = rng_chance(&g->r, 20)                    ? args[i]
                     : !g->is_smooth && rng_chance(&g->r, 30) ? gen_updated(g, args[i])
                                                              : gen_want(g, args[i]->type);
      for (uint32_t i = 1; g->is_smooth && i < n; i++) // and stays small
        if (is_float(args[i]->type.dtype) && rng_chance(&g->r, 70))
          results[i] = tlo_unary(g->b, TL_OP_SINE, tlo_add(g->b, results[i], args[i]));
      if (how == LOOP_GROWS) { // x <- 1.3 x + 0.5 + 0.1 a number in (-1, 1): above 1 from -1 in 9
        const tl_value x = gen_measure(g), by = tlo_constant_f64(g->b, tl_value_type(x), 0.1);
        results[0] = tlo_add(
            g->b, tlo_mul(g->b, args[0], tlo_constant_f64(g->b, args[0]->type, 1.3)),
            tlo_add(g->b, tlo_constant_f64(g->b, args[0]->type, 0.5), tlo_mul(g->b, x, by)));
      } else {
        results[0] = tlo_add(g->b, args[0], tlo_constant_i64(g->b, args[0]->type, 1));
      }
      gen_leave(g, &s, results, n);
    }
  }
  op = tl_op_finish(g->b, op, NULL, 0);
  if (!op) return NULL;
  for (uint32_t i = 1; i < n; i++)
    gen_add(g, op->results[i]);
  return op->results[0];
}

static tl_value emit_switch(gen *g, bool two) {
  tl_value index;
  if (g->is_smooth && rng_chance(&g->r, 80)) {
    index = gen_choice(g, two ? 2 : 4);
    if (two) index = tlo_convert(g->b, index, TL_DTYPE_I1);
  } else {
    index = two ? gen_want(g, tl_type_scalar(TL_DTYPE_I1)) : gen_index(g);
  }
  const uint32_t n = 1 + rng_below(&g->r, 2), branches = two ? 2 : 1 + rng_below(&g->r, 3);
  tl_type types[2];
  for (uint32_t i = 0; i < n; i++)
    types[i] = gen_any(g, gen_dtype(g))->type;
  tl_op *op = tl_op_begin(g->b, two ? TL_OP_IF : TL_OP_CASE, &index, 1);
  if (!op) return NULL;
  for (uint32_t r = 0; r < branches; r++) {
    gen_scope s;
    tl_block *block = tl_op_add_region(g->b, op);
    if (!block) return NULL;
    gen_enter(g, &s, block);
    gen_ops(g, rng_below(&g->r, 4));
    tl_value results[2];
    for (uint32_t i = 0; i < n; i++) {
      results[i] = gen_want(g, types[i]);
      if (!g->is_smooth && rng_chance(&g->r, 30)) results[i] = gen_updated(g, results[i]);
    }
    gen_leave(g, &s, results, n);
  }
  op = tl_op_finish(g->b, op, NULL, 0);
  if (!op) return NULL;
  for (uint32_t i = 1; i < n; i++)
    gen_add(g, op->results[i]);
  return op->results[0];
}

static tl_value emit_call(gen *g, bool composite) {
  if (g->n_funcs == 0) return NULL;
  const tl_func *f = g->funcs[rng_below(&g->r, (uint32_t)g->n_funcs)];
  tl_value operands[GEN_ARGS + 2];
  for (uint32_t i = 0; i < f->body->n_args; i++)
    operands[i] = gen_want(g, f->body->args[i]->type);
  tl_op *op =
      tl_op_begin(g->b, composite ? TL_OP_COMPOSITE : TL_OP_CALL, operands, f->body->n_args);
  if (composite) {
    tl_op_set_str(g->b, op, TL_A_COMPOSITE_decomposition, f->name);
    tl_op_set_str(g->b, op, TL_A_COMPOSITE_name, TL_STR("test.composite"));
  } else {
    tl_op_set_str(g->b, op, TL_A_CALL_callee, f->name);
  }
  op = tl_op_finish(g->b, op, NULL, 0);
  for (uint32_t i = 1; op && i < op->n_results; i++)
    gen_add(g, op->results[i]);
  return op ? op->results[0] : NULL;
}

// One op of the row, over values in scope; NULL where the row has no fitting operands this time.
static tl_value gen_op(gen *g, tl_opcode code) {
  const tl_op_info *info = tl_op_get(code);
  switch (code) {
  case TL_OP_CONSTANT:
    return emit_constant(g);
  case TL_OP_IOTA:
    return emit_iota(g);
  case TL_OP_COMPARE:
    return emit_compare(g);
  case TL_OP_SELECT:
    return emit_select(g);
  case TL_OP_CLAMP:
    return emit_clamp(g);
  case TL_OP_CONVERT:
    return emit_convert(g);
  case TL_OP_BITCAST_CONVERT:
    return emit_bitcast(g);
  case TL_OP_RESHAPE:
    return emit_reshape(g);
  case TL_OP_TRANSPOSE:
    return emit_transpose(g);
  case TL_OP_BROADCAST_IN_DIM:
    return emit_broadcast(g);
  case TL_OP_CONCATENATE:
    return emit_concat(g);
  case TL_OP_SLICE:
    return emit_slice(g);
  case TL_OP_DYNAMIC_SLICE:
  case TL_OP_DYNAMIC_UPDATE_SLICE:
    return emit_dynamic(g, code == TL_OP_DYNAMIC_UPDATE_SLICE);
  case TL_OP_GET_DIMENSION_SIZE:
  case TL_OP_SET_DIMENSION_SIZE:
  case TL_OP_DYNAMIC_BROADCAST_IN_DIM:
  case TL_OP_DYNAMIC_CONV:
  case TL_OP_DYNAMIC_GATHER:
  case TL_OP_DYNAMIC_IOTA:
  case TL_OP_DYNAMIC_PAD:
  case TL_OP_DYNAMIC_RESHAPE:
  case TL_OP_REAL_DYNAMIC_SLICE:
    return emit_dynamic_shape(g, code);
  case TL_OP_PAD:
    return emit_pad(g);
  case TL_OP_REVERSE:
    return emit_reverse(g);
  case TL_OP_GATHER:
    return emit_gather(g);
  case TL_OP_SCATTER:
    return emit_scatter(g);
  case TL_OP_REDUCE:
    return emit_reduce(g);
  case TL_OP_SORT:
    return emit_sort(g);
  case TL_OP_REDUCE_PRECISION:
    return emit_reduce_precision(g);
  case TL_OP_CHOLESKY:
  case TL_OP_TRIANGULAR_SOLVE:
    return emit_linalg(g, code == TL_OP_TRIANGULAR_SOLVE);
  case TL_OP_RNG:
    return emit_draw(g);
  case TL_OP_RNG_BIT_GENERATOR:
    return emit_rng(g);
  case TL_OP_REDUCE_WINDOW:
    return emit_reduce_window(g);
  case TL_OP_CONVOLUTION:
    return emit_convolution(g);
  case TL_OP_SELECT_AND_SCATTER:
    return emit_select_and_scatter(g);
  case TL_OP_MAP:
    return emit_map(g);
  case TL_OP_BATCH_NORM_INFERENCE:
  case TL_OP_BATCH_NORM_TRAINING:
  case TL_OP_BATCH_NORM_GRAD:
    return emit_batch_norm(g, code);
  case TL_OP_DOT_GENERAL:
    return emit_dot(g);
  case TL_OP_WHILE:
    return g->depth < 3 ? emit_while(g) : NULL;
  case TL_OP_IF:
  case TL_OP_CASE:
    return g->depth < 3 ? emit_switch(g, code == TL_OP_IF) : NULL;
  case TL_OP_CALL:
  case TL_OP_COMPOSITE:
    return emit_call(g, code == TL_OP_COMPOSITE);
  case TL_OP_OPTIMIZATION_BARRIER:
    return emit_barrier(g);
  case TL_OP_EMBEDDING:
    return emit_embedding(g);
  case TL_OP_RMS_NORM:
    return emit_rms_norm(g);
  case TL_OP_ROPE:
    return emit_rope(g);
  case TL_OP_SOFTMAX:
    return emit_softmax(g);
  case TL_OP_SWIGLU:
    return emit_swiglu(g);
  case TL_OP_KV_CACHE_WRITE:
    return emit_kv_write(g);
  case TL_OP_PAGED_ATTENTION:
    return emit_attention(g);
  case TL_OP_QUANTIZED_MATMUL:
  case TL_OP_QUANTIZE_INT8:
  case TL_OP_INT8_MATMUL:
  case TL_OP_BF16_MATMUL:
    return emit_matmul(g);
  case TL_OP_QUANTIZED_EMBEDDING:
    return emit_quantized_embedding(g);
  case TL_OP_PACK_WEIGHTS: {
    tl_format f;
    int64_t rows, k;
    return gen_packed(g, &f, &rows, &k);
  }
  case TL_OP_FFT: {
    static const tl_dtype dtypes[] = {TL_DTYPE_C64, TL_DTYPE_C128, TL_DTYPE_F32, TL_DTYPE_F64};
    const tl_value x = gen_any(g, dtypes[rng_below(&g->r, 4)]);
    if (x->type.rank == 0) return NULL;
    const uint32_t n = 1 + rng_below(&g->r, TL_MIN(x->type.rank, 3u));
    int64_t length[3];
    memcpy(length, x->type.dims + x->type.rank - n, n * sizeof *length);
    tl_fft_type type = is_float(x->type.dtype) ? TL_FFT_TYPE_RFFT
                       : rng_chance(&g->r, 50) ? TL_FFT_TYPE_IRFFT
                       : rng_chance(&g->r, 50) ? TL_FFT_TYPE_FFT
                                               : TL_FFT_TYPE_IFFT;
    if (type == TL_FFT_TYPE_IRFFT)
      length[n - 1] = length[n - 1] == 0 ? 0 : 2 * length[n - 1] - (length[n - 1] > 1 ? 2 : 1);
    return tlo_fft(g->b, x, type, length, n);
  }
  case TL_OP_TOP_K: {
    const tl_value x =
        gen_any(g, gen_dtype_where(g, rng_chance(&g->r, 50) ? is_float : is_integer, TL_DTYPE_F32));
    const uint32_t rank = x->type.rank;
    if (rank == 0) return NULL;
    return tlo_top_k(g->b, x, rng_below(&g->r, (uint32_t)x->type.dims[rank - 1] + 1), NULL);
  }
  default:
    if (info->traits & TL_ELEMWISE) return emit_elementwise(g, code);
    return NULL; // return
  }
}

// Ops that are planned natively come more often than those that the interpreter runs, and most
// often those that are done in place, by each thread, or again and again.
static void gen_ops(gen *g, uint32_t n) {
  static const tl_opcode often[] = {TL_OP_ADD,      TL_OP_MULTIPLY, TL_OP_NEGATE, TL_OP_EXPONENTIAL,
                                    TL_OP_RMS_NORM, TL_OP_SWIGLU,   TL_OP_SLICE,  TL_OP_TRANSPOSE,
                                    TL_OP_WHILE,    TL_OP_IF,       TL_OP_CALL,   TL_OP_RESHAPE};
  for (uint32_t i = 0; g->codes && i < n && !g->b->error; i++)
    gen_add(g, gen_op(g, g->codes[rng_below(&g->r, (uint32_t)g->n_codes)]));
  for (uint32_t i = 0; !g->codes && i < n && !g->b->error; i++) {
    tl_opcode code = (tl_opcode)rng_below(&g->r, TL_OP_COUNT);
    for (int k = 0; k < 2 && !plan_lowering(code); k++)
      code = (tl_opcode)rng_below(&g->r, TL_OP_COUNT);
    if (rng_chance(&g->r, 35)) code = often[rng_below(&g->r, TL_COUNT(often))];
    gen_add(g, gen_op(g, code));
  }
}

TL_UNUSED static tl_builder gen_begin(gen *g, tl_module *m, const char *name, uint64_t seed) {
  *g = (gen){.r = {seed}, .arena = m->arena, .toplevel = true, .dtype = TL_DTYPE_COUNT};
  for (size_t i = 0; i < GEN_SHAPES; i++)
    g->shapes[i] = gen_shape(g, TL_DTYPE_F32);
  return tl_func_begin(m, name, strcmp(name, "main") != 0);
}

// Ends the function with 1 to 5 values in scope, arguments and one value twice among them, and
// gives away arguments to results of their types, in any order.
TL_UNUSED static void gen_end(gen *g) {
  tl_value results[5];
  uint32_t n = 1 + rng_below(&g->r, 5);
  if (g->n == 0) gen_any(g, TL_DTYPE_F32);
  for (uint32_t i = 0; i < n; i++) {
    const size_t near = TL_MIN(g->n, (size_t)6), any = rng_below(&g->r, (uint32_t)g->n);
    results[i] = rng_chance(&g->r, 70) ? g->values[g->n - 1 - rng_below(&g->r, (uint32_t)near)]
                                       : g->values[any];
  }
  tlo_return(g->b, results, n);
  tl_func *fn = g->b->fn;
  bool taken[5] = {false};
  for (uint32_t i = 0; !g->b->error && i < fn->body->n_args; i++)
    for (uint32_t k = 0, o = rng_below(&g->r, n); k < n; k++, o = (o + 1) % n)
      if (!taken[o] && rng_chance(&g->r, 70) &&
          tl_type_eq(fn->body->args[i]->type, fn->result_types[o])) {
        fn->args[i].alias_output = (int32_t)o;
        taken[o] = true;
        break;
      }
}

// Two callees and @main of about `n_ops` ops each, from a seed. The same seed with fewer ops gives
// a prefix of the program.
TL_UNUSED static tl_module *gen_module(uint64_t seed, uint32_t n_ops) {
  tl_module *m = tl_module_create();
  assert_non_null(m);
  gen g;
  tl_func *funcs[GEN_FUNCS];
  size_t n_funcs = 0;
  for (size_t i = 0; i < 2; i++) {
    const char *name = i ? "second" : "first";
    tl_builder b = gen_begin(&g, m, name, seed * 4 + i);
    g.b = &b;
    memcpy(g.funcs, funcs, sizeof funcs);
    g.n_funcs = n_funcs;
    gen_ops(&g, TL_MIN(n_ops, 4u));
    gen_end(&g);
    for (uint32_t a = 0; a < b.fn->body->n_args; a++)
      b.fn->args[a].alias_output = -1;
    funcs[n_funcs++] = b.fn;
    assert_ok(tl_builder_finish(&b));
  }
  tl_builder b = gen_begin(&g, m, "main", seed * 4 + 2);
  g.b = &b;
  memcpy(g.funcs, funcs, sizeof funcs);
  g.n_funcs = n_funcs;
  gen_ops(&g, n_ops);
  gen_end(&g);
  assert_ok(tl_builder_finish(&b));
  tl_diags diags = {0};
  tl_status st = tl_module_verify(m, &diags);
  if (st) {
    tl_buf text = {0};
    tl_diags_print(&diags, &text, false);
    print_error("seed %llu: %s", (unsigned long long)seed, text.ptr ? text.ptr : "");
    tl_buf_deinit(&text);
  }
  assert_ok(st);
  tl_diags_deinit(&diags);
  return m;
}

#endif
