// rng_bit_generator: Threefry 2x32 of 20 rounds and Philox 4x32 of 10 (Salmon et al., "Parallel
// random numbers: as easy as 1, 2, 3", 2011), laid out as XLA lays them out, so that a seed gives
// the same numbers there and here.
//
// The state is a key and a counter. Philox counts in 128 bits, low word first; of a state of two
// the high word begins as the key. DEFAULT is Philox. Element types of 8 and 16 bits take the low
// bits of 32.
//
//   Threefry, 64 bits   element i is the block at counter + i
//   Threefry, 32 bits   the first even dim (else the longest) is halved, rounding up; the two words
//                       of the block at counter + (the index into the halved shape) are neighbours
//                       along that dim
//   Philox              the words of the blocks at counter, counter + 1, ... in row-major order
//
// The counter goes on by the number of blocks.
#include "ref/eval.h"

#include <string.h>

#include "ref/lanes.h"
#include "ref/random.h"
#include "ref/threefry.h"

static void threefry(uint64_t key, uint64_t counter, uint32_t out[2]) {
  tl_threefry2x32((tl_key){{(uint32_t)key, (uint32_t)(key >> 32)}},
                  (uint32_t[]){(uint32_t)counter, (uint32_t)(counter >> 32)}, out);
}

static void philox(uint64_t key, uint64_t low, uint64_t high, uint32_t out[4]) {
  uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
  uint32_t x[4] = {(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high, (uint32_t)(high >> 32)};
  for (int round = 0; round < 10; round++) {
    uint64_t a = (uint64_t)x[0] * 0xD2511F53, b = (uint64_t)x[2] * 0xCD9E8D57;
    uint32_t next[4] = {(uint32_t)(b >> 32) ^ x[1] ^ k0, (uint32_t)b,
                        (uint32_t)(a >> 32) ^ x[3] ^ k1, (uint32_t)a};
    memcpy(x, next, sizeof x);
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  memcpy(out, x, sizeof x);
}

// The dim that 32-bit Threefry halves; -1 of a scalar.
static int64_t halved_dim(tl_type t) {
  int64_t longest = -1;
  for (uint32_t d = 0; d < t.rank; d++)
    if (t.dims[d] % 2 == 0) return d;
  for (uint32_t d = 0; d < t.rank; d++)
    if (longest < 0 || t.dims[d] > t.dims[longest]) longest = d;
  return longest;
}

static void put(unsigned char *out, size_t size, size_t at, uint64_t bits) {
  memcpy(out + at * size, &bits, size); // little endian: the low bytes
}

// Elements [from, to).
static void fill_threefry(uint64_t key, uint64_t counter, tl_type t, size_t size, size_t from,
                          size_t to, unsigned char *out) {
  uint32_t block[2];
  if (size == 8) {
    for (size_t i = from; i < to; i++) {
      threefry(key, counter + i, block);
      put(out, size, i, block[0] | (uint64_t)block[1] << 32);
    }
    return;
  }
  int64_t dim = halved_dim(t);
  size_t len = dim < 0 ? 1 : (size_t)t.dims[dim], half = len / 2 + len % 2, inner = 1;
  for (uint32_t d = (uint32_t)(dim + 1); d < t.rank; d++)
    inner *= (size_t)t.dims[d];
  for (size_t i = from; i < to; i++) {
    size_t outer = i / (len * inner), c = i / inner % len, k = i % inner;
    threefry(key, counter + (outer * half + c / 2) * inner + k, block);
    put(out, size, i, block[c % 2]);
  }
}

static void fill_philox(uint64_t key, uint64_t low, uint64_t high, size_t size, size_t from,
                        size_t to, unsigned char *out) {
  size_t each = size == 8 ? 2 : 4;
  uint32_t x[4];
  for (size_t i = from; i < to; i++) {
    size_t at = i / each, k = i % each;
    if (k == 0 || i == from) philox(key, low + at, high + (low + at < low), x);
    put(out, size, i, size == 8 ? x[2 * k] | (uint64_t)x[2 * k + 1] << 32 : x[k]);
  }
}

void tl_random_bits(const tl_op *op, const uint64_t *state, size_t n_state, tl_type t, size_t size,
                    size_t from, size_t to, void *out) {
  if (tl_op_i64(op, TL_A_RNG_BIT_GENERATOR_rng_algorithm) == TL_RNG_ALGORITHM_THREE_FRY)
    fill_threefry(state[0], state[1], t, size, from, to, out);
  else
    fill_philox(state[0], state[1], n_state == 2 ? state[0] : state[2], size, from, to, out);
}

void tl_random_next(const tl_op *op, const uint64_t *state, size_t n_state, tl_type t, size_t size,
                    size_t count, uint64_t *out) {
  uint64_t s[3] = {state[0], state[1], n_state == 2 ? state[0] : state[2]}, blocks;
  if (tl_op_i64(op, TL_A_RNG_BIT_GENERATOR_rng_algorithm) != TL_RNG_ALGORITHM_THREE_FRY) {
    size_t each = size == 8 ? 2 : 4;
    blocks = count / each + (count % each != 0);
  } else if (size == 8 || count == 0) {
    blocks = count;
  } else {
    int64_t dim = halved_dim(t);
    size_t len = dim < 0 ? 1 : (size_t)t.dims[dim];
    blocks = count / len * (len / 2 + len % 2);
  }
  s[1] += blocks;
  s[2] += s[1] < blocks;
  memcpy(out, s, n_state * sizeof *s);
}

tl_status ref_eval_RNG_BIT_GENERATOR(tl_ref_call *c) {
  const tl_tensor *out = &c->out[1].t;
  tl_dtype d = c->op->results[1]->type.dtype; // at f64 too the bits are those of this type
  size_t count, size = tl_dtype_get(d)->size, n_state = (size_t)c->in[0].type.dims[0];
  if (!tl_type_count(out->type, &count))
    return TL_ERROR(INVALID_ARGUMENT, "rng_bit_generator: the shape is not concrete or too large");
  uint64_t state[3] = {0};
  memcpy(state, c->in[0].data, n_state * sizeof *state);
  unsigned char *bits = out->data;
  if (out->type.dtype != d) {
    bits = tl_arena_alloc(c->scratch, count * size, 16);
    if (bits == NULL) return TL_OOM();
  }
  tl_random_bits(c->op, state, n_state, out->type, size, 0, count, bits);
  tl_random_next(c->op, state, n_state, out->type, size, count, c->out[0].t.data);
  tl_dtype_extend(d, bits, count); // of types under 8 bits the low ones
  if (bits == out->data) return TL_OK;
  tl_lanes lanes;
  for (size_t at = 0; at < count; at += TL_LANES) {
    size_t n = TL_MIN(count - at, TL_LANES);
    tl_lanes_load_as(&lanes, TL_LANES_F64, d, bits, at, n);
    tl_lanes_store(&lanes, TL_LANES_F64, out->type.dtype, out->data, at, n);
  }
  return TL_OK;
}
