// Decompositions of random draws: Threefry 2x32 of 20 rounds (Salmon et al., "Parallel random
// numbers: as easy as 1, 2, 3", 2011), written out in integer ops. Not rng_bit_generator: its
// layout and state are the device's, and these bits must be JAX's on every device.
//
// A block maps a key and two counter words to two words. The layouts are those of JAX's
// jax_threefry_partitionable:
//
//   off   N words are wanted: counters 0, 1, ..., N-1 (and a 0 where N is odd) are cut into halves,
//         block i takes number i of each, and the words are all first words, then all second ones.
//         A 64-bit number takes its high word from the first half.
//   on    element i has the block at counter (high word of i, low word of i): the xor of its words,
//         or both of them as 64 bits, the first one high. No element depends on how many there are.
//
// A uniform number in [0, 1) is the mantissa's worth of a word's high bits under the exponent of 1,
// less 1. A normal one is, by method:
//
//   box_muller   sqrt(-2 ln(1 - u)) cos(2 pi v) in f64, where the u are the first half of twice
//                as many uniform numbers, and the v the second
//   erf_inv      sqrt(2) erf_inv(u), u uniform in (-1, 1), as jax.random.normal draws it
#include "ir/build_nn.h"
#include "ir/decompose_emit.h"

#include <math.h>

typedef struct words { // the two of a block, or of a key
  tl_value x, y;
} words;

static tl_value number(tl_builder *b, tl_value like, uint32_t value) {
  return tlo_constant_i64(b, tl_value_type(like), value);
}

static tl_value rotate(tl_builder *b, tl_value x, uint32_t by) {
  tl_value left = tlo_binary(b, TL_OP_SHIFT_LEFT, x, number(b, x, by));
  tl_value right = tlo_binary(b, TL_OP_SHIFT_RIGHT_LOGICAL, x, number(b, x, 32 - by));
  return tlo_binary(b, TL_OP_OR, left, right);
}

tl_value tlo_threefry(tl_builder *b, tl_value key0, tl_value key1, tl_value at0, tl_value at1,
                      tl_value *out_second) {
  static const uint8_t by[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  tl_value k[3] = {key0, key1, NULL};
  k[2] = tlo_binary(b, TL_OP_XOR, key0, key1);
  k[2] = tlo_binary(b, TL_OP_XOR, k[2], number(b, key0, 0x1BD11BDA));
  tl_value x = tlo_add(b, at0, k[0]), y = NULL;
  y = tlo_add(b, at1, k[1]);
  for (uint32_t i = 0; i < 5; i++) {
    for (uint32_t j = 0; j < 4; j++) {
      x = tlo_add(b, x, y);
      y = rotate(b, y, by[i % 2 * 4 + j]);
      y = tlo_binary(b, TL_OP_XOR, y, x);
    }
    x = tlo_add(b, x, k[(i + 1) % 3]);
    y = tlo_add(b, y, k[(i + 2) % 3]);
    y = tlo_add(b, y, number(b, y, i + 1));
  }
  *out_second = y;
  return x;
}

// A word of the key in every place of [n].
static tl_value key_word(tl_builder *b, const tl_op *op, const tl_value *x, uint32_t i,
                         int64_t literal, int64_t n) {
  tl_type t = {TL_DTYPE_U32, 1, &n};
  if (op->n_operands == 0) return tlo_constant_i64(b, t, (int64_t)(uint32_t)literal);
  return tlo_broadcast(b, tlo_bitcast(b, x[i], tl_type_scalar(TL_DTYPE_U32)), t, NULL);
}

typedef struct draw {
  const tl_op *op;
  const tl_value *x;
  int64_t key0, key1;
  bool partitionable;
} draw;

// n numbers of 32 random bits in ui32, or of 64 in ui64: [n].
static tl_value random_bits(tl_builder *b, const draw *d, int64_t n, bool wide) {
  int64_t half = d->partitionable || wide ? n : n / 2 + n % 2; // blocks; n is a number then
  tl_type t = {TL_DTYPE_U32, 1, &half};
  words key, at;
  key.x = key_word(b, d->op, d->x, 0, d->key0, half);
  key.y = key_word(b, d->op, d->x, 1, d->key1, half);
  tl_value index = tlo_iota(b, t, 0);
  if (d->partitionable) {
    at.x = tlo_constant_i64(b, t, 0);
    at.y = index;
  } else {
    at.x = index;
    at.y = tlo_add(b, index, number(b, index, (uint32_t)half));
    if (!wide && n % 2 != 0) { // the last counter is 0
      tl_value inside =
          tlo_compare(b, TL_COMPARISON_DIRECTION_LT, at.y, number(b, at.y, (uint32_t)n));
      at.y = tlo_select(b, inside, at.y, number(b, at.y, 0));
    }
  }
  words w;
  w.x = tlo_threefry(b, key.x, key.y, at.x, at.y, &w.y);
  if (wide) {
    tl_value high = tlo_convert(b, w.x, TL_DTYPE_U64), low = NULL;
    low = tlo_convert(b, w.y, TL_DTYPE_U64);
    high = tlo_binary(b, TL_OP_SHIFT_LEFT, high, number(b, high, 32));
    return tlo_binary(b, TL_OP_OR, high, low);
  }
  if (d->partitionable) return tlo_binary(b, TL_OP_XOR, w.x, w.y);
  tl_value all = tlo_concat(b, (tl_value[]){w.x, w.y}, 2, 0);
  return n % 2 == 0 ? all : tlo_slice(b, all, (int64_t[]){0}, &n, NULL);
}

// n numbers in [0, 1) of f32 or f64.
static tl_value uniform(tl_builder *b, const draw *d, int64_t n, tl_dtype dtype) {
  bool wide = dtype == TL_DTYPE_F64;
  tl_value bits = random_bits(b, d, n, wide);
  tl_type t = tl_value_type(bits);
  tl_value mantissa =
      tlo_binary(b, TL_OP_SHIFT_RIGHT_LOGICAL, bits, tlo_constant_i64(b, t, wide ? 12 : 9));
  tl_value one = tlo_constant_i64(b, t, wide ? (int64_t)1023 << 52 : (int64_t)127 << 23);
  tl_type as = tl_type_with(t, dtype);
  tl_value x = tlo_bitcast(b, tlo_binary(b, TL_OP_OR, mantissa, one), as);
  return tlo_sub(b, x, tlo_constant_f64(b, as, 1));
}

static tl_value shaped(tl_builder *b, tl_value x, tl_type t) {
  x = tlo_convert(b, x, t.dtype);
  return t.rank == 1 ? x : tlo_reshape(b, x, t.dims, t.rank);
}

static int64_t count_of(tl_builder *b, tl_type t) {
  int64_t count = 1;
  for (uint32_t d = 0; d < t.rank; d++)
    count = t.dims[d] == 0 ? 0 : tl_emit_dim_mul(b, count, t.dims[d]);
  return count;
}

tl_value tl_emit_RNG_UNIFORM(tl_builder *b, const tl_op *op, const tl_value *x) {
  draw d = {op, x, tl_op_i64(op, TL_A_RNG_UNIFORM_key0), tl_op_i64(op, TL_A_RNG_UNIFORM_key1),
            tl_op_i64(op, TL_A_RNG_UNIFORM_partitionable)};
  tl_type t = op->results[0]->type;
  return shaped(b, uniform(b, &d, count_of(b, t), t.dtype), t);
}

static tl_value box_muller(tl_builder *b, const draw *d, int64_t n, tl_dtype dtype) {
  tl_type t = {TL_DTYPE_F64, 1, &n};
  const int64_t twice = tl_emit_dim_mul(b, n, 2);
  tl_value both = tlo_convert(b, uniform(b, d, twice, dtype), TL_DTYPE_F64);
  tl_value u = tlo_slice(b, both, (int64_t[]){0}, &n, NULL);
  tl_value v = tlo_slice(b, both, &n, &twice, NULL);
  tl_value rest = tlo_sub(b, tlo_constant_f64(b, t, 1), u); // above 0
  tl_value log = tlo_unary(b, TL_OP_LOG, rest);
  tl_value square = tlo_mul(b, log, tlo_constant_f64(b, t, -2));
  tl_value radius = tlo_unary(b, TL_OP_SQRT, square);
  tl_value angle = tlo_mul(b, v, tlo_constant_f64(b, t, 2 * 3.14159265358979323846));
  return tlo_mul(b, radius, tlo_unary(b, TL_OP_COSINE, angle));
}

// u = 2 v + (the least number above -1), in the result's type.
static tl_value by_erf_inv(tl_builder *b, const draw *d, int64_t n, tl_dtype dtype) {
  double low = dtype == TL_DTYPE_F64 ? nextafter(-1, 0) : (double)nextafterf(-1, 0);
  tl_value v = uniform(b, d, n, dtype);
  tl_type t = tl_value_type(v);
  tl_value least = tlo_constant_f64(b, t, low);
  tl_value u = tlo_mul(b, v, tlo_constant_f64(b, t, 2));
  u = tlo_add(b, u, least);
  u = tlo_binary(b, TL_OP_MAXIMUM, u, least);
  if (u == NULL) return NULL;
  tl_value z = tl_emit_ERF_INV(b, d->op, &u);
  return tlo_mul(b, z, tlo_constant_f64(b, t, 1.41421356237309504880));
}

tl_value tl_emit_RNG_NORMAL(tl_builder *b, const tl_op *op, const tl_value *x) {
  draw d = {op, x, tl_op_i64(op, TL_A_RNG_NORMAL_key0), tl_op_i64(op, TL_A_RNG_NORMAL_key1),
            tl_op_i64(op, TL_A_RNG_NORMAL_partitionable)};
  tl_type t = op->results[0]->type;
  int64_t n = count_of(b, t);
  bool inverse = tl_str_is(tl_op_str(op, TL_A_RNG_NORMAL_method), "erf_inv");
  return shaped(b, inverse ? by_erf_inv(b, &d, n, t.dtype) : box_muller(b, &d, n, t.dtype), t);
}
