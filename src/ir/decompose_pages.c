// Decompositions of the ops on paged pools: the write of new rows, and attention over pages.
//
// Two pools are of 8 bits. Into f8E4M3FN numbers are rounded within its largest, for past it there
// is only NaN. A row of an i8 pool is a head's D codes and the four bytes of their f32 scale: the
// largest of |x| over 127, or one; codes x / scale to the nearest, halves away from zero, within
// 127. What is read is code times scale, rounded. NaN makes the scale NaN, and so the whole row.
//
// Legend: N rows (query tokens), H heads, KvH key heads, G = H/KvH, D elements a head, bs positions
// a block, S tables of M blocks, L = M*bs positions.
//
//     table of a row     pool                       context of the row
//     [ 3 | 0 | 5 ] ──►  block 3, block 0, block 5  ──►  K [L, KvH, D], the first `length` count
//
// The plain case (one table a row, no offsets, pools of the query's type) emits exactly the
// published one-pass form; everything else adds ops and changes none. The mask makes a position
// beyond the length, or before the window, -inf, so its weight is exp(-inf) = 0; a length of 0
// would make every weight 0/0, which is why it is no length.
#include "ir/decompose_emit.h"

#include <math.h>
#include <string.h>

#include "ir/format.h"

static tl_value plus(tl_builder *b, tl_value x, int64_t offset) {
  if (offset == 0) return x;
  tl_type t = tl_value_type(x);
  tl_value one = tlo_constant_i64(b, tl_type_scalar(t.dtype), offset);
  return tlo_add(b, x, tlo_broadcast(b, one, t, NULL));
}

// At least -limit and at most limit; NaN stays.
static tl_value within(tl_builder *b, tl_value x, double limit) {
  const tl_type t = tl_value_type(x);
  x = tlo_binary(b, TL_OP_MAXIMUM, x, tl_emit_fill(b, t, -limit));
  return tlo_binary(b, TL_OP_MINIMUM, x, tl_emit_fill(b, t, limit));
}

// x [T, KvH, D] as rows of an i8 pool: [T, KvH, D + 4].
static tl_value coded(tl_builder *b, tl_value x) {
  x = tlo_convert(b, x, TL_DTYPE_F32);
  if (x == NULL) return NULL;
  const tl_type t = x->type;
  const int64_t last = 2;
  tl_value zero = tlo_constant_f64(b, tl_type_scalar(TL_DTYPE_F32), 0);
  tl_value scale = tlo_reduce(b, tlo_unary(b, TL_OP_ABS, x), zero, &last, 1, TL_OP_MAXIMUM);
  const tl_type s = tl_value_type(scale);
  scale = tlo_binary(b, TL_OP_DIVIDE, scale, tl_emit_fill(b, s, 127));
  tl_value none = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, scale, tl_emit_fill(b, s, 0));
  scale = tlo_select(b, none, tl_emit_fill(b, s, 1), scale);
  if (scale == NULL) return NULL;
  tl_value q = tlo_binary(b, TL_OP_DIVIDE, x, tl_emit_spread(b, scale, t, &last, 1));
  q = tlo_select(b, tlo_unary(b, TL_OP_IS_FINITE, q), q, tl_emit_fill(b, t, 0));
  q = within(b, tlo_unary(b, TL_OP_ROUND_NEAREST_AFZ, q), 127);
  const tl_type bytes = {TL_DTYPE_S8, 3, (int64_t[]){t.dims[0], t.dims[1], TL_KV_SCALE}};
  tl_value parts[] = {tlo_convert(b, q, TL_DTYPE_S8), tlo_bitcast(b, scale, bytes)};
  return tlo_concat(b, parts, 2, 2);
}

// One scatter of whole rows into the pool seen as [blocks*bs, KvH, D]. Scatter drops what is out of
// range, so a negative slot needs nothing more, unless an offset could bring it back into range:
// then it is set to -1 afterwards.
tl_value tl_emit_KV_CACHE_WRITE(tl_builder *b, const tl_op *op, const tl_value *x) {
  tl_type pool = x[0]->type; // [blocks, bs, KvH, D]
  tl_value flat = tlo_reshape(
      b, x[0],
      (int64_t[]){tl_emit_dim_mul(b, pool.dims[0], pool.dims[1]), pool.dims[2], pool.dims[3]}, 3);
  tl_value rows = pool.dtype == TL_DTYPE_S8 ? coded(b, x[1]) : x[1], slots = x[2];
  if (pool.dtype == TL_DTYPE_F8E4M3FN) rows = within(b, rows, 448);
  rows = tlo_convert(b, rows, pool.dtype);
  int64_t offset = tl_op_i64(op, TL_A_KV_CACHE_WRITE_block_offset) * pool.dims[1];
  if (offset != 0) {
    tl_type t = slots->type;
    tl_value dropped = tlo_compare(b, TL_COMPARISON_DIRECTION_LT, slots, tl_emit_fill(b, t, 0));
    tl_value nowhere = tl_emit_fill(b, t, -1);
    slots = tlo_select(b, dropped, nowhere, plus(b, slots, offset));
  }
  return tlo_reshape(b, tlo_put_rows(b, flat, slots, rows), pool.dims, 4);
}

// The blocks of each row's table, one after another: [N, L, KvH, D] of the query's type.
static tl_value pages(tl_builder *b, tl_value pool, tl_value tables, int64_t offset,
                      tl_dtype dtype) {
  tl_type p = tl_value_type(pool), t = tl_value_type(tables);
  tl_value got = tlo_take_rows(b, pool, plus(b, tables, offset)); // [N, M, bs, KvH, D]
  got = tlo_reshape(
      b, got,
      (int64_t[]){t.dims[0], tl_emit_dim_mul(b, t.dims[1], p.dims[1]), p.dims[2], p.dims[3]}, 4);
  if (p.dtype != TL_DTYPE_S8 || got == NULL) return tlo_convert(b, got, dtype);
  const int64_t *dims = got->type.dims, D = dims[3] - TL_KV_SCALE, last = 3;
  tl_value codes =
      tlo_slice(b, got, (int64_t[]){0, 0, 0, 0}, (int64_t[]){dims[0], dims[1], dims[2], D}, NULL);
  tl_value scale = tlo_slice(b, got, (int64_t[]){0, 0, 0, D},
                             (int64_t[]){dims[0], dims[1], dims[2], D + TL_KV_SCALE}, NULL);
  const tl_type each = {TL_DTYPE_F32, 3, dims};
  scale = tlo_convert(b, tlo_bitcast(b, scale, each), dtype);
  codes = tlo_convert(b, codes, dtype);
  if (codes == NULL || scale == NULL) return NULL;
  return tlo_mul(b, codes, tl_emit_spread(b, scale, codes->type, &last, 1));
}

static tl_value precise(tl_builder *b, const tl_op *op, tl_value dot) {
  tl_i64s p = tl_op_list(op, TL_A_PAGED_ATTENTION_precision_config);
  if (dot != NULL && p.len != 0)
    tl_op_set_list(b, dot->op, TL_A_DOT_GENERAL_precision_config, p.ptr, p.len);
  return dot;
}

// The scores of dots [N, KvH, G, L], those of positions that a row does not see -inf. `per`: what a
// dot counts for.
static tl_value scores_of(tl_builder *b, const tl_op *op, tl_value lengths, tl_value dots,
                          double per) {
  if (dots == NULL) return NULL;
  const tl_type t = tl_value_type(dots), t32 = tl_type_with(t, TL_DTYPE_S32);
  tl_value s =
      tlo_mul(b, dots, tl_emit_fill(b, t, tl_op_f64(op, TL_A_PAGED_ATTENTION_scale) * per));
  const double cap = tl_op_f64(op, TL_A_PAGED_ATTENTION_soft_cap);
  if (cap != 0) {
    tl_value caps = tl_emit_fill(b, t, cap);
    s = tlo_mul(b, tlo_unary(b, TL_OP_TANH, tlo_div(b, s, caps)), caps);
  }
  tl_value at = tlo_iota(b, t32, 3);
  tl_value length = tlo_broadcast(b, lengths, t32, (int64_t[]){0});
  tl_value seen = tlo_compare(b, TL_COMPARISON_DIRECTION_LT, at, length);
  const int64_t window = tl_op_i64(op, TL_A_PAGED_ATTENTION_sliding_window);
  if (window != 0) { // a length is cut to the table, and the window ends with it
    tl_value last = tlo_binary(b, TL_OP_MINIMUM, length, tl_emit_fill_size(b, t32, t.dims[3]));
    tl_value first = plus(b, last, -TL_MIN(window, (int64_t)INT32_MAX));
    seen = tlo_binary(b, TL_OP_AND, seen, tlo_compare(b, TL_COMPARISON_DIRECTION_GE, at, first));
  }
  return tlo_select(b, seen, s, tl_emit_fill(b, t, -HUGE_VAL));
}

// Of products [..., 2 (dim), ...] the sum of both.
static tl_value both(tl_builder *b, tl_value x, uint32_t dim) {
  tl_value first = tl_emit_part(b, x, dim, 0, 1);
  return tlo_add(b, first, tl_emit_part(b, x, dim, 1, 2));
}

// bf16 queries: both products are of bf16 in the order of bf16_matmul (decompose_formats.c), the
// weights of the second e rounded, before they are divided by their sum. That is over blocks of 64
// positions, two runs each, whose sums are added up one after another.
static tl_value attention_bf16(tl_builder *b, const tl_op *op, const tl_value *x, tl_value keys,
                               tl_value values) {
  const tl_type q = x[0]->type, pool = x[1]->type;
  const int64_t N = q.dims[0], H = q.dims[1], D = q.dims[2], KvH = pool.dims[2],
                G = tl_emit_dim_over(b, H, KvH), L = x[3]->type.dims[1] * pool.dims[1],
                NH = tl_emit_dim_mul(b, N, H), half = TL_BF16_RUN / 2, dim = 3,
                runs = (D + TL_BF16_RUN - 1) / TL_BF16_RUN,
                blocks = (L + 2 * TL_BF16_RUN - 1) / (2 * TL_BF16_RUN), zero = 0;
  const tl_type scalar = tl_type_scalar(TL_DTYPE_F32);
  tl_value rows = tlo_convert(b, tlo_reshape(b, x[0], TL_EMIT_DIMS(NH, D)), TL_DTYPE_F32);
  rows = tl_emit_bf16_runs(b, tl_emit_bf16_rows(b, rows), runs);
  rows = tlo_reshape(b, rows, TL_EMIT_DIMS(N, KvH, G, runs, half, 2));
  keys = tlo_reshape(b, keys, TL_EMIT_DIMS(tl_emit_dim_mul(b, N, L * KvH), D));
  keys = tl_emit_bf16_runs(b, tl_emit_bf16_weights(b, keys), runs);
  keys = tlo_reshape(b, keys, TL_EMIT_DIMS(N, L, KvH, runs, half, 2));
  tl_value s = tlo_dot(b, rows, keys, (int64_t[]){0, 1, 3, 5}, (int64_t[]){0, 2, 3, 5}, 4,
                       (int64_t[]){4}, (int64_t[]){4}, 1); // [N, KvH, runs, 2, G, L]
  s = tlo_reshape(b, both(b, precise(b, op, s), 3), TL_EMIT_DIMS(N, KvH, runs, G, L));
  tl_value ones = tl_emit_fill(b, (tl_type){TL_DTYPE_F32, 1, &runs}, 1);
  s = tlo_dot(b, s, ones, NULL, NULL, 0, (int64_t[]){2}, &zero, 1);
  s = scores_of(b, op, x[4], s, 0x1p-64);

  const tl_type whole = tl_value_type(s);
  tl_value most = tlo_reduce(b, s, tlo_constant_f64(b, scalar, -HUGE_VAL), &dim, 1, TL_OP_MAXIMUM);
  tl_value e = tlo_sub(b, s, tlo_broadcast(b, most, whole, (int64_t[]){0, 1, 2}));
  e = tlo_unary(b, TL_OP_EXPONENTIAL, e);
  tl_value sum = tlo_reduce(b, e, tlo_constant_f64(b, scalar, 0), &dim, 1, TL_OP_ADD);

  e = tlo_reshape(b, tlo_convert(b, e, TL_DTYPE_BF16), TL_EMIT_DIMS(NH, L));
  e = tl_emit_bf16_rows(b, tlo_convert(b, e, TL_DTYPE_F32));
  e = tl_emit_bf16_runs(b, e, 2 * blocks);
  e = tlo_reshape(b, e, TL_EMIT_DIMS(N, KvH, G, blocks, 2, half, 2));
  values = tl_emit_bf16_weights(b, values);
  const int64_t more = blocks * 2 * TL_BF16_RUN - L;
  if (more != 0) {
    const tl_type behind = {TL_DTYPE_F32, 4, (int64_t[]){N, more, KvH, D}};
    values = tlo_concat(b, (tl_value[]){values, tl_emit_fill(b, behind, 0)}, 2, 1);
  }
  values = tlo_reshape(b, values, TL_EMIT_DIMS(N, blocks, 2, half, 2, KvH, D));
  tl_value y = tlo_dot(b, e, values, (int64_t[]){0, 1, 3, 4, 6}, (int64_t[]){0, 5, 1, 2, 4}, 5,
                       (int64_t[]){5}, (int64_t[]){3}, 1); // [N, KvH, blocks, 2, 2, G, D]
  y = both(b, both(b, precise(b, op, y), 4), 3);
  y = tl_emit_fold(b, tlo_reshape(b, y, TL_EMIT_DIMS(N, KvH, blocks, G, D)), 2);
  y = tlo_reshape(b, y, TL_EMIT_DIMS(N, KvH, G, D));
  sum = tlo_mul(b, sum, tl_emit_fill(b, tl_value_type(sum), 0x1p64));
  y = tlo_div(b, y, tlo_broadcast(b, sum, tl_value_type(y), (int64_t[]){0, 1, 2}));
  return tlo_reshape(b, y, q.dims, 3);
}

tl_value tl_emit_PAGED_ATTENTION(tl_builder *b, const tl_op *op, const tl_value *x) {
  tl_type q = x[0]->type, pool = x[1]->type, t = x[3]->type;
  int64_t N = q.dims[0], H = q.dims[1], D = q.dims[2], KvH = pool.dims[2],
          G = tl_emit_dim_over(b, H, KvH), S = t.dims[0], M = t.dims[1];
  const tl_dtype dtype = op->results[0]->type.dtype;
  tl_value tables = x[3]; // [N, M]
  if (op->n_operands == 6) {
    tables = tlo_take_rows(b, tables, x[5]);
  } else if (S != N) { // each table serves N/S rows in turn
    tl_type spread = {t.dtype, 3, (int64_t[]){S, tl_emit_dim_over(b, N, S), M}};
    tables =
        tlo_reshape(b, tlo_broadcast(b, tables, spread, (int64_t[]){0, 2}), (int64_t[]){N, M}, 2);
  }
  if (tables == NULL) return NULL;
  tl_value keys = pages(b, x[1], tables, tl_op_i64(op, TL_A_PAGED_ATTENTION_key_offset), dtype);
  tl_value values = pages(b, x[2], tables, tl_op_i64(op, TL_A_PAGED_ATTENTION_value_offset), dtype);
  if (q.dtype == TL_DTYPE_BF16) return attention_bf16(b, op, x, keys, values);
  tl_value query = tlo_reshape(b, x[0], (int64_t[]){N, KvH, G, D}, 4);

  tl_value s = tlo_dot(b, query, keys, (int64_t[]){0, 1}, (int64_t[]){0, 2}, 2, (int64_t[]){3},
                       (int64_t[]){3}, 1); // [N, KvH, G, L]
  tl_value weights = tl_emit_softmax(b, scores_of(b, op, x[4], precise(b, op, s), 1), 3);
  tl_value y = tlo_dot(b, weights, values, (int64_t[]){0, 1}, (int64_t[]){0, 2}, 2, (int64_t[]){3},
                       (int64_t[]){1}, 1);
  return tlo_reshape(b, precise(b, op, y), q.dims, 3); // [N, KvH, G, D] is [N, H, D]
}
