// Decompositions of the ops that serving needs beside attention: quantised caches and weights,
// linear attention with state, experts.
//
// Legend: R rows; B sequences' rows of T tokens each, padding first; S state slots; C channels, K
// taps; Hk key heads, Hv value heads, Dk and Dv elements a head; E experts, I inner width, H model
// width.
//
// Where a sequence's state lies, for causal_conv1d and gated_delta_rule:
//
//     token_slots [B,T]   -1 -1  4  4  4     one slot a row, -1 for padding
//     positions   [B,T]    .  .  7  8  9     a token at position 0 starts from zero
//     state [S, ...]      row 4 holds what the tokens up to position 6 left, and then what 9 leaves
//
// With write_slots [B,T] the state after each token goes to its own slot, where that is not
// negative, and the row's slot stays. No call here has two arguments that emit, because C leaves
// their order open.
#include "ir/decompose_emit.h"
#include "ir/decompose_matrix.h"

#include <math.h>

#define DIMS(...) \
  (const int64_t[]) { __VA_ARGS__ }
#define EQ TL_COMPARISON_DIRECTION_EQ
#define GE TL_COMPARISON_DIRECTION_GE
#define LT TL_COMPARISON_DIRECTION_LT

static tl_value shaped(tl_builder *b, tl_value v, const int64_t *dims, uint32_t rank) {
  return tlo_reshape(b, v, dims, rank);
}

// v over `rank` dims of v's element type; `at` as broadcast_in_dim has them.
static tl_value spread(tl_builder *b, tl_value v, const int64_t *dims, uint32_t rank,
                       const int64_t *at) {
  tl_type t = {tl_value_type(v).dtype, rank, dims};
  return v == NULL ? NULL : tlo_broadcast(b, v, t, at);
}

// The sum, or the largest, over dim `dim`.
static tl_value over(tl_builder *b, tl_value v, int64_t dim, tl_opcode combiner, double init) {
  tl_value start = tl_mx_scalar(b, tl_value_type(v).dtype, init);
  return tlo_reduce(b, v, start, &dim, 1, combiner);
}

// Products of x and y over one dim each, dims `batch` of both shared; in f32 whatever the operands
// are.
static tl_value dot_f32(tl_builder *b, tl_value x, tl_value y, const int64_t *x_batch,
                        const int64_t *y_batch, uint32_t n_batch, int64_t x_over, int64_t y_over) {
  if (x == NULL || y == NULL) return NULL;
  tl_op *op = tl_op_begin(b, TL_OP_DOT_GENERAL, (tl_value[]){x, y}, 2);
  tl_op_set_list(b, op, TL_A_DOT_GENERAL_lhs_batching_dimensions, x_batch, n_batch);
  tl_op_set_list(b, op, TL_A_DOT_GENERAL_rhs_batching_dimensions, y_batch, n_batch);
  tl_op_set_list(b, op, TL_A_DOT_GENERAL_lhs_contracting_dimensions, &x_over, 1);
  tl_op_set_list(b, op, TL_A_DOT_GENERAL_rhs_contracting_dimensions, &y_over, 1);
  int64_t dims[TL_MAX_RANK];
  uint32_t n = 0;
  for (uint32_t i = 0; i < n_batch; i++)
    dims[n++] = x->type.dims[x_batch[i]];
  for (int side = 0; side < 2; side++) {
    const tl_type t = side ? y->type : x->type;
    const int64_t *batch = side ? y_batch : x_batch, contracted = side ? y_over : x_over;
    for (int64_t d = 0; d < t.rank; d++) {
      bool free = d != contracted;
      for (uint32_t i = 0; i < n_batch; i++)
        free &= d != batch[i];
      if (free) dims[n++] = t.dims[d];
    }
  }
  tl_type t = {TL_DTYPE_F32, n, dims};
  op = tl_op_finish(b, op, &t, 1);
  return op == NULL ? NULL : op->results[0];
}

// ---- Quantised caches and weights ----

// codes * scale, each key head's own or one for all, in f32, rounded once.
tl_value tl_emit_DEQUANTIZE_KV(tl_builder *b, const tl_op *op, const tl_value *x) {
  tl_type t = x[0]->type; // [..., KvH, D]
  int64_t head = t.rank - 2;
  tl_value scale = x[1];
  if (scale->type.dims[0] != t.dims[head]) scale = tlo_reshape(b, scale, NULL, 0);
  scale = spread(b, scale, t.dims, t.rank, &head);
  tl_value codes = tlo_convert(b, x[0], TL_DTYPE_F32);
  return tlo_convert(b, tlo_mul(b, codes, scale), op->results[0]->type.dtype);
}

// Nibbles 0 to 15 as the numbers of e2m1: a sign, and 0, 1/2, 1, 3/2, 2, 3, 4, 6.
static tl_value e2m1(tl_builder *b, tl_value nibbles) {
  static const float values[] = {0,     .5f,  1,  1.5f,  2,  3,  4,  6,
                                 -0.0f, -.5f, -1, -1.5f, -2, -3, -4, -6};
  tl_type t = {TL_DTYPE_F32, 1, DIMS(16)};
  tl_value table = tlo_constant(b, t, values, sizeof values);
  return tlo_take_rows(b, table, tlo_convert(b, nibbles, TL_DTYPE_S32));
}

// Code byte (t,g,r<8,j<4,s<4,h<2,q<2) holds columns 2i (low nibble) and 2i+1 of row 16t+8q+r, i =
// 32g+8s+4h+j; scale byte (t,g,r<16,s<4), an e4m3, is that of row 16t+r, columns 16(4g+s) and on. A
// code times its scale has six bits, so it is exact in bf16: y = (bf16(x) . W^T) * scale2.
tl_value tl_emit_NVFP4_MATMUL(tl_builder *b, const tl_op *op, const tl_value *x) {
  const int64_t rows = x[0]->type.dims[0], k = x[0]->type.dims[1], groups = k / 64,
                tiles = x[1]->type.dims[0], n = x[3]->type.dims[0];
  tl_value bytes = shaped(b, x[1], DIMS(tiles, groups, 8, 4, 4, 2, 2), 7);
  bytes = tlo_transpose(b, bytes, DIMS(0, 6, 2, 1, 4, 5, 3));
  bytes = shaped(b, bytes, DIMS(tiles * 16, k / 2, 1), 3);
  tl_type byte = tl_value_type(bytes);
  tl_value four = tl_emit_fill(b, byte, 4), mask = tl_emit_fill(b, byte, 15);
  tl_value low = tlo_binary(b, TL_OP_AND, bytes, mask),
           high = tlo_binary(b, TL_OP_SHIFT_RIGHT_LOGICAL, bytes, four);
  tl_value nibbles = tlo_concat(b, (tl_value[]){low, high}, 2, 2);
  tl_value codes = e2m1(b, shaped(b, nibbles, DIMS(tiles * 16, k / 16, 16), 3));
  tl_value scales = shaped(b, x[2], DIMS(tiles, groups, 16, 4), 4);
  scales = tlo_transpose(b, scales, DIMS(0, 2, 1, 3));
  scales = shaped(b, scales, DIMS(tiles * 16, k / 16), 2);
  tl_type e4m3 = {TL_DTYPE_F8E4M3FN, 2, tl_value_type(scales).dims};
  if (scales != NULL) scales = tlo_convert(b, tlo_bitcast(b, scales, e4m3), TL_DTYPE_F32);
  scales = spread(b, scales, DIMS(tiles * 16, k / 16, 16), 3, DIMS(0, 1));
  tl_value w = tlo_convert(b, tlo_mul(b, codes, scales), TL_DTYPE_BF16);
  w = shaped(b, w, DIMS(tiles * 16, k), 2);
  if (tiles * 16 != n) w = tlo_slice(b, w, DIMS(0, 0), DIMS(n, k), NULL);
  tl_value y = dot_f32(b, tlo_convert(b, x[0], TL_DTYPE_BF16), w, NULL, NULL, 0, 1, 1);
  (void)op;
  return tlo_mul(b, y, spread(b, x[3], DIMS(rows, n), 2, DIMS(1)));
}

// ---- Linear attention ----

typedef struct rows { // what token_slots [B, T] say
  int64_t B, T;
  tl_value live;    // i1 [B, T]
  tl_value slot;    // i32 [B]: the row's, -1 when it has no live token
  tl_value padding; // i32 [B]: how many tokens come before the first live one
} rows;

static rows rows_of(tl_builder *b, tl_value slots) {
  const tl_type t = slots->type;
  tl_value zeros = tl_emit_fill(b, t, 0);
  tl_value live = tlo_compare(b, GE, slots, zeros);
  tl_value slot = over(b, slots, 1, TL_OP_MAXIMUM, INT32_MIN);
  tl_value dead = tlo_convert(b, tlo_compare(b, LT, slots, zeros), TL_DTYPE_S32);
  tl_value padding = over(b, dead, 1, TL_OP_ADD, 0);
  return (rows){t.dims[0], t.dims[1], live, slot, padding};
}

// Elements comb [B, L, C] at index [B, n] of the dim in the middle: [B, n, C].
static tl_value pick(tl_builder *b, tl_value comb, tl_value index) {
  tl_type t = tl_value_type(comb), at = tl_value_type(index);
  if (comb == NULL || index == NULL) return NULL;
  index = tlo_reshape(b, index, DIMS(at.dims[0], at.dims[1], 1), 3);
  tl_op *g = tl_op_begin(b, TL_OP_GATHER, (tl_value[]){comb, index}, 2);
  tl_op_set_list(b, g, TL_A_GATHER_offset_dims, DIMS(2), 1);
  tl_op_set_list(b, g, TL_A_GATHER_collapsed_slice_dims, DIMS(1), 1);
  tl_op_set_list(b, g, TL_A_GATHER_operand_batching_dims, DIMS(0), 1);
  tl_op_set_list(b, g, TL_A_GATHER_start_indices_batching_dims, DIMS(0), 1);
  tl_op_set_list(b, g, TL_A_GATHER_start_index_map, DIMS(1), 1);
  tl_op_set_i64(g, TL_A_GATHER_index_vector_dim, 2);
  tl_op_set_list(b, g, TL_A_GATHER_slice_sizes, DIMS(1, 1, t.dims[2]), 3);
  return tlo_gather_finish(b, g);
}

// The input `back` tokens before each token of x [B, T, C]: from the row, from its state behind the
// padding, or zero where the sequence had not begun. comb [B, K-1 + T, C] is state and row
// together.
static tl_value earlier(tl_builder *b, const rows *r, tl_value comb, tl_value positions,
                        int64_t taps, int64_t back) {
  const tl_type t = positions->type; // i32 [B, T]
  const int64_t C = tl_value_type(comb).dims == NULL ? 0 : comb->type.dims[2];
  tl_value at = tlo_iota(b, t, 1), from = tl_emit_fill(b, t, (double)(taps - 1 - back));
  at = tlo_add(b, at, from); // of the token itself, counted in comb
  tl_value padding = spread(b, r->padding, t.dims, 2, DIMS(0));
  tl_value first = tlo_add(b, padding, tl_emit_fill(b, t, (double)(taps - 1)));
  tl_value before =
      tlo_compare(b, LT, at, first); // of the state: the padding lies between it and the row
  at = tlo_select(b, before, tlo_sub(b, at, padding), at);
  tl_value x = pick(b, comb, at);
  tl_value begun = tlo_compare(b, GE, positions, tl_emit_fill(b, t, (double)back));
  begun = tlo_binary(b, TL_OP_AND, begun, r->live);
  begun = spread(b, begun, DIMS(r->B, r->T, C), 3, DIMS(0, 1));
  tl_value zeros = x == NULL ? NULL : tl_emit_fill(b, x->type, 0);
  return tlo_select(b, begun, x, zeros);
}

// Rows of states [n, ...] put at slots [n], -1 nowhere.
static tl_value put_states(tl_builder *b, tl_value pool, tl_value slots, tl_value states) {
  return tlo_put_rows(b, pool, slots, states);
}

// y = sum over taps, oldest first, of weight[tap] * input; the last K-1 inputs are the state.
void tl_emit_CAUSAL_CONV1D(tl_builder *b, const tl_op *op, const tl_value *x, tl_value *y) {
  const int64_t B = x[0]->type.dims[0], T = x[0]->type.dims[1], C = x[0]->type.dims[2],
                K = x[1]->type.dims[0];
  const rows r = rows_of(b, x[3]);
  tl_value states = tlo_take_rows(b, x[2], r.slot); // [B, K-1, C]; of a row without live tokens any
  tl_value comb = tlo_concat(b, (tl_value[]){states, x[0]}, 2, 1);
  tl_value sum = tl_emit_fill(b, x[0]->type, 0);
  tl_value last[64]; // the inputs that a token leaves behind, oldest first: [B, T, 1, C]
  for (int64_t tap = 0; tap < K; tap++) {
    tl_value in = earlier(b, &r, comb, x[4], K, K - 1 - tap);
    if (tap > 0) last[tap - 1] = tlo_reshape(b, in, DIMS(B, T, 1, C), 4);
    tl_value w = tlo_slice(b, x[1], DIMS(tap, 0), DIMS(tap + 1, C), NULL);
    w = tlo_reshape(b, w, DIMS(C), 1);
    w = spread(b, w, x[0]->type.dims, 3, DIMS(2));
    sum = tlo_add(b, sum, tlo_mul(b, w, in));
  }
  y[0] = sum;
  y[1] = x[2];
  if (K == 1 || tl_emit_none(B, T, 1)) return;
  tl_value left = tlo_concat(b, last, (uint32_t)(K - 1), 2); // [B, T, K-1, C]
  if (op->n_operands == 6) {
    const int64_t tokens = tl_emit_dim_mul(b, B, T);
    tl_value slots = tlo_reshape(b, x[5], DIMS(tokens), 1);
    y[1] = put_states(b, x[2], slots, tlo_reshape(b, left, DIMS(tokens, K - 1, C), 3));
  } else {
    left = tlo_slice(b, left, DIMS(0, tl_emit_dim_sub(b, T, 1), 0, 0), DIMS(B, T, K - 1, C), NULL);
    y[1] = put_states(b, x[2], r.slot, tlo_reshape(b, left, DIMS(B, K - 1, C), 3));
  }
}

// Token t, a scalar i32, of x [B, T, ...]: [B, ...].
static tl_value token(tl_builder *b, tl_value x, tl_value t) {
  const tl_type type = x->type;
  tl_value starts[TL_MAX_RANK], zero = tl_mx_scalar(b, TL_DTYPE_S32, 0);
  int64_t sizes[TL_MAX_RANK], dims[TL_MAX_RANK];
  for (uint32_t d = 0; d < type.rank; d++) {
    starts[d] = d == 1 ? t : zero;
    sizes[d] = d == 1 ? 1 : type.dims[d];
    if (d != 1) dims[d - (d > 1)] = type.dims[d];
  }
  return tlo_reshape(b, tlo_dynamic_slice(b, x, starts, sizes), dims, type.rank - 1);
}

// v [B, Hk, D] for each value head: [B, Hv, D]; head j reads key head j / (Hv/Hk).
static tl_value per_value_head(tl_builder *b, tl_value v, int64_t Hv) {
  const tl_type t = tl_value_type(v);
  if (v == NULL || t.dims[1] == Hv) return v;
  v = spread(b, v, DIMS(t.dims[0], t.dims[1], Hv / t.dims[1], t.dims[2]), 4, DIMS(0, 1, 3));
  return tlo_reshape(b, v, DIMS(t.dims[0], Hv, t.dims[2]), 3);
}

typedef struct delta { // one token: inputs, and the state [B, Hv, Dk, Dv] before and after
  tl_value q, k, v, g, beta, live, fresh;
  tl_value state, out;
} delta;

// state *= exp(g); state += k (beta (v - k^T state)); out = q^T state. A token at position 0 begins
// with zero, padding changes nothing and gives 0.
static void delta_step(tl_builder *b, delta *s) {
  if (s->state == NULL || s->v == NULL) return;
  const int64_t *d = s->state->type.dims, B = d[0], Hv = d[1], Dk = d[2], Dv = d[3];
  tl_value zeros = tl_emit_fill(b, s->state->type, 0);
  tl_value fresh = spread(b, s->fresh, d, 4, DIMS(0));
  tl_value old = tlo_select(b, fresh, zeros, s->state);
  tl_value decay = tlo_unary(b, TL_OP_EXPONENTIAL, s->g);
  decay = spread(b, decay, d, 4, DIMS(0, 1));
  tl_value kept = tlo_mul(b, old, decay);
  tl_value k = per_value_head(b, s->k, Hv), q = per_value_head(b, s->q, Hv);
  tl_value read = dot_f32(b, k, kept, DIMS(0, 1), DIMS(0, 1), 2, 2, 2); // [B, Hv, Dv]
  tl_value beta = spread(b, s->beta, DIMS(B, Hv, Dv), 3, DIMS(0, 1));
  tl_value change = tlo_mul(b, beta, tlo_sub(b, s->v, read));
  tl_value k4 = spread(b, k, DIMS(B, Hv, Dk, Dv), 4, DIMS(0, 1, 2));
  tl_value c4 = spread(b, change, DIMS(B, Hv, Dk, Dv), 4, DIMS(0, 1, 3));
  tl_value next = tlo_add(b, kept, tlo_mul(b, k4, c4));
  tl_value out = dot_f32(b, q, next, DIMS(0, 1), DIMS(0, 1), 2, 2, 2);
  tl_value live4 = spread(b, s->live, d, 4, DIMS(0)),
           live3 = spread(b, s->live, DIMS(B, Hv, Dv), 3, DIMS(0));
  s->state = tlo_select(b, live4, next, s->state);
  s->out = tlo_select(b, live3, out, out == NULL ? NULL : tl_emit_fill(b, out->type, 0));
}

// Tokens one after the other in a loop over (states, outputs, pool, t).
void tl_emit_GATED_DELTA_RULE(tl_builder *b, const tl_op *op, const tl_value *x, tl_value *y) {
  const tl_type vt = x[2]->type; // [B, T, Hv, Dv]
  const int64_t B = vt.dims[0], T = vt.dims[1], Hv = vt.dims[2], Dv = vt.dims[3];
  const bool own = op->n_operands == 9;
  y[0] = tl_emit_fill(b, vt, 0), y[1] = x[5];
  if (tl_emit_none(B, T, 1)) return;
  const rows r = rows_of(b, x[6]);
  tl_value fresh = tlo_compare(b, EQ, x[7], tl_emit_fill(b, x[7]->type, 0));
  tl_value states = tlo_take_rows(b, x[5], r.slot);
  tl_loop loop = tl_mx_for_begin(b, (tl_value[]){states, y[0], y[1]}, 3);
  tl_builder *s = &loop.body;
  tl_value t = loop.y[3];
  tl_value next[3] = {loop.y[0], loop.y[1], loop.y[2]}, done[3] = {0};
  if (r.live != NULL && t != NULL) {
    delta d = {.state = loop.y[0]};
    d.q = token(s, x[0], t), d.k = token(s, x[1], t), d.v = token(s, x[2], t);
    d.g = token(s, x[3], t), d.beta = token(s, x[4], t);
    d.live = token(s, r.live, t), d.fresh = token(s, fresh, t);
    delta_step(s, &d);
    next[0] = d.state;
    tl_value zero = tl_mx_scalar(s, TL_DTYPE_S32, 0),
             out = tlo_reshape(s, d.out, DIMS(B, 1, Hv, Dv), 4);
    tl_op *put = tl_op_begin(s, TL_OP_DYNAMIC_UPDATE_SLICE,
                             (tl_value[]){loop.y[1], out, zero, t, zero, zero}, 6);
    put = tl_op_finish(s, put, NULL, 0);
    next[1] = put == NULL ? NULL : put->results[0];
    if (own) next[2] = put_states(s, loop.y[2], token(s, x[8], t), d.state);
  }
  tl_mx_for_end(b, &loop, T, next, 3, done);
  y[0] = done[1], y[1] = done[2];
  if (!own) y[1] = put_states(b, done[2], r.slot, done[0]);
}

// ---- Experts ----

// The top_k largest of p [R, E] and their numbers, the lower number first among equals.
static void best(tl_builder *b, tl_value p, int64_t top_k, tl_value *weights, tl_value *numbers) {
  tl_type t = p->type, it = tl_type_with(t, TL_DTYPE_S32);
  tl_value operands[] = {p, tlo_iota(b, it, 1)};
  tl_op *op = tl_op_begin(b, TL_OP_SORT, operands, 2);
  tl_op_set_i64(op, TL_A_SORT_dimension, 1);
  tl_op_set_i64(op, TL_A_SORT_is_stable, true);
  tl_block *block = tl_op_add_region(b, op);
  tl_builder in = tl_builder_at(b, block);
  tl_value a = tl_block_arg(&in, block, tl_type_scalar(t.dtype)),
           c = tl_block_arg(&in, block, tl_type_scalar(t.dtype));
  tl_block_arg(&in, block, tl_type_scalar(TL_DTYPE_S32)),
      tl_block_arg(&in, block, tl_type_scalar(TL_DTYPE_S32));
  tl_value before = tlo_compare(&in, TL_COMPARISON_DIRECTION_GT, a, c);
  tlo_return(&in, &before, 1);
  tl_builder_join(b, &in);
  op = tl_op_finish(b, op, NULL, 0);
  if (op == NULL) return;
  *weights = tlo_slice(b, op->results[0], DIMS(0, 0), DIMS(t.dims[0], top_k), NULL);
  *numbers = tlo_slice(b, op->results[1], DIMS(0, 0), DIMS(t.dims[0], top_k), NULL);
}

typedef struct experts {
  tl_value gate_up, gate_up_scale, down, down_scale; // scales NULL where there are none
  int64_t top_k, inner;
} experts;

static tl_value scaled(tl_builder *b, tl_value y, tl_value scale, tl_value numbers) {
  if (scale == NULL || y == NULL) return y;
  return tlo_mul(b, y, tlo_take_rows(b, scale, numbers));
}

// Rows x [r, H] through the experts `numbers` [r, k] with weights [r, k]: [r, H].
static tl_value through(tl_builder *b, const experts *e, tl_value x, tl_value numbers,
                        tl_value weights) {
  if (x == NULL || numbers == NULL || weights == NULL) return NULL;
  const int64_t r = numbers->type.dims[0], k = e->top_k, inner = e->inner;
  const tl_dtype store = e->gate_up->type.dtype;
  tl_value w = tlo_convert(b, tlo_take_rows(b, e->gate_up, numbers), TL_DTYPE_F32); // [r, k, 2I, H]
  tl_value gu = dot_f32(b, w, x, DIMS(0), DIMS(0), 1, 3, 1);                        // [r, k, 2I]
  gu = scaled(b, gu, e->gate_up_scale, numbers);
  tl_value gate = tlo_slice(b, gu, DIMS(0, 0, 0), DIMS(r, k, inner), NULL);
  tl_value up = tlo_slice(b, gu, DIMS(0, 0, inner), DIMS(r, k, 2 * inner), NULL);
  tl_value sigmoid = tlo_unary(b, TL_OP_LOGISTIC, gate);
  tl_value act = tlo_mul(b, tlo_mul(b, gate, sigmoid), up);
  if (store == TL_DTYPE_BF16 || store == TL_DTYPE_F16)
    act = tlo_convert(b, tlo_convert(b, act, store), TL_DTYPE_F32);
  w = tlo_convert(b, tlo_take_rows(b, e->down, numbers), TL_DTYPE_F32); // [r, k, H, I]
  tl_value y = dot_f32(b, w, act, DIMS(0, 1), DIMS(0, 1), 2, 3, 2);     // [r, k, H]
  y = scaled(b, y, e->down_scale, numbers);
  return dot_f32(b, weights, y, DIMS(0), DIMS(0), 1, 1, 1);
}

// Row i, a scalar i32, of v [R, n].
static tl_value one_row(tl_builder *b, tl_value v, tl_value i) {
  if (v == NULL) return NULL;
  return tlo_dynamic_slice(b, v, (tl_value[]){i, tl_mx_scalar(b, TL_DTYPE_S32, 0)},
                           DIMS(1, v->type.dims[1]));
}

// Row by row, so that the gathered weights stay small, and that dims which are symbols make the
// same program. A row's sums do not depend on it.
tl_value tl_emit_MOE_EXPERTS(tl_builder *b, const tl_op *op, const tl_value *x) {
  const bool quantised = op->n_operands == 6;
  const int64_t R = x[0]->type.dims[0];
  experts e = {.gate_up = x[2],
               .down = x[quantised ? 4 : 3],
               .top_k = tl_op_i64(op, TL_A_MOE_EXPERTS_top_k)};
  if (quantised) e.gate_up_scale = x[3], e.down_scale = x[5];
  e.inner = e.gate_up->type.dims[1] / 2;
  const tl_dtype store = e.gate_up->type.dtype;
  tl_value p = tl_emit_softmax(b, x[1], 1), weights = NULL, numbers = NULL;
  if (store == TL_DTYPE_BF16 || store == TL_DTYPE_F16)
    p = tlo_convert(b, tlo_convert(b, p, store), TL_DTYPE_F32);
  if (p == NULL) return NULL;
  best(b, p, e.top_k, &weights, &numbers);
  tl_value sum = weights == NULL ? NULL : over(b, weights, 1, TL_OP_ADD, 0);
  sum = spread(b, sum, DIMS(R, e.top_k), 2, DIMS(0));
  weights = tlo_div(b, weights, sum);
  tl_value all = tlo_convert(b, x[0], TL_DTYPE_F32);
  tl_value none = tl_emit_fill(b, op->results[0]->type, 0), out = NULL;
  tl_loop loop = tl_mx_for_begin(b, &none, 1);
  tl_builder *s = &loop.body;
  tl_value i = loop.y[1];
  tl_value row = one_row(s, all, i), number = one_row(s, numbers, i),
           weight = one_row(s, weights, i);
  tl_value y = through(s, &e, row, number, weight), zero = tl_mx_scalar(s, TL_DTYPE_S32, 0);
  tl_op *put = tl_op_begin(s, TL_OP_DYNAMIC_UPDATE_SLICE, (tl_value[]){loop.y[0], y, i, zero}, 4);
  put = tl_op_finish(s, put, NULL, 0);
  tl_value next = put == NULL ? NULL : put->results[0];
  tl_mx_for_end(b, &loop, R, &next, 1, &out);
  return out;
}
