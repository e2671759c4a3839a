// Random numbers of the host: Threefry 2x32 of 20 rounds, with the keys, the layouts and the draws
// of jax.random, so that a program's numbers (rng_uniform, rng_normal), the host's and JAX's are
// the same for the same key.
//
// A key is used once: split it, or fold a number into it, and draw with what came of that. Nothing
// here keeps state; any thread.
#ifndef TL_REF_THREEFRY_H
#define TL_REF_THREEFRY_H

#include "base/status.h"

typedef struct tl_key {
  uint32_t word[2];
} tl_key;

// The layout of the bits, JAX's jax_threefry_partitionable (ir/decompose_random.c describes both).
typedef enum { TL_RANDOM_ORIGINAL, TL_RANDOM_PARTITIONABLE } tl_random_layout;

// One block: two counter words to two words.
void tl_threefry2x32(tl_key key, const uint32_t counter[2], uint32_t out[2]);

tl_key tl_key_of_seed(uint64_t seed);          // its high word, its low word
tl_key tl_key_fold_in(tl_key key, uint32_t n); // the block at counter (0, n)
// n new keys, n < 2^31.
void tl_key_split(tl_key key, tl_random_layout layout, size_t n, tl_key *out_keys);

// n words of random bits, n < 2^32.
void tl_random_words(tl_key key, tl_random_layout layout, size_t n, uint32_t *out);

// Number i of any count, in the partitionable layout: uniform in [0, 1), of 23 random bits (wide: of
// 52); and a word of 64 bits.
double tl_random_unit(tl_key key, bool wide, size_t i);
uint64_t tl_random_u64(tl_key key, size_t i);

typedef enum {
  TL_DRAW_UNIFORM, // [0, 1)
  TL_DRAW_NORMAL,  // sqrt(-2 ln(1 - u)) cos(2 pi v): u and v are the halves of 2n uniform numbers
  TL_DRAW_EXPONENTIAL, // -ln(1 - u), of mean 1
  TL_DRAW_CAUCHY,      // tan(pi (w - 1/2)), w = u (1 - eps) + eps, eps the type's
  TL_DRAW_CHI_SQUARE,  // the sum of the squares of `freedom` normal numbers, neighbours among
                       // n * freedom
} tl_draw_kind;

typedef struct tl_draw {
  tl_draw_kind kind;
  uint32_t freedom; // of chi-square, at least 1
} tl_draw;

// n numbers, computed in f64 from uniform numbers of the result's type and rounded once.
// INVALID_ARGUMENT where 2^30 or more uniform numbers would be needed, or freedom is 0.
tl_status tl_random_f32(tl_key key, tl_random_layout layout, tl_draw draw, size_t n, float *out);
tl_status tl_random_f64(tl_key key, tl_random_layout layout, tl_draw draw, size_t n, double *out);

#endif
