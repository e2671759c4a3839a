// Elements in the type that they compute in: a run of up to 256 at a time.
//
// f64 and complex<f64> compute as what they are, every other float in f32, complex<f32> in that,
// signed integers in i64, unsigned ones and booleans in u64. Integers of any width thereby wrap
// when they are stored, and a boolean is stored as "not zero". A float is rounded once, to nearest
// even, when it is stored.
#ifndef TL_REF_LANES_H
#define TL_REF_LANES_H

#include "ref/complex.h"
#include "ref/ref.h"

#define TL_LANES 256

typedef enum {
  TL_LANES_F32,
  TL_LANES_F64,
  TL_LANES_S64,
  TL_LANES_U64,
  TL_LANES_C64,
  TL_LANES_C128,
} tl_lanes_kind;

typedef union tl_lanes {
  float f32[TL_LANES];
  double f64[TL_LANES];
  int64_t s64[TL_LANES];
  uint64_t u64[TL_LANES];
  tl_c64 c64[TL_LANES];
  tl_c128 c128[TL_LANES];
} tl_lanes;

tl_lanes_kind tl_lanes_kind_of(tl_dtype d);
// Bytes of a lane.
static inline size_t tl_lanes_size(tl_lanes_kind kind) {
  return kind == TL_LANES_F32 ? 4 : kind == TL_LANES_C128 ? 16 : 8;
}
// Elements [at, at + n) of dense memory, n <= TL_LANES. Memory need not be aligned.
void tl_lanes_load(tl_lanes *x, tl_dtype d, const void *data, size_t at, size_t n);
// Elements at[0] + base, at[1] + base, ...
void tl_lanes_gather(tl_lanes *x, tl_dtype d, const void *data, const size_t *at, size_t base,
                     size_t n);
// From lanes of kind `from`: a kind of d's, or either float kind into any float, either complex
// kind into any complex.
void tl_lanes_store(const tl_lanes *x, tl_lanes_kind from, tl_dtype d, void *data, size_t at,
                    size_t n);
// Conversion in the sense of stablehlo.convert (floats to integers truncate and saturate, NaN
// becomes 0) to what dtype `d` holds, in lanes that tl_lanes_store takes for d; returns their kind.
// Floats under 32 bits come as f64, so that they round once. Of complex numbers the imaginary part
// is dropped, or zero.
tl_lanes_kind tl_lanes_convert(tl_lanes *x, tl_lanes_kind from, tl_dtype d, size_t n);
// `n` elements from `at` on, whatever d is, as `to`.
void tl_lanes_load_as(tl_lanes *x, tl_lanes_kind to, tl_dtype d, const void *data, size_t at,
                      size_t n);
void tl_lanes_gather_as(tl_lanes *x, tl_lanes_kind to, tl_dtype d, const void *data,
                        const size_t *at, size_t base,
                        size_t n); // Any number of elements from `at` on as a dense array of
                                   // lanes of that kind.
void tl_lanes_load_run(tl_lanes_kind to, tl_dtype d, const void *data, size_t at, size_t n,
                       void *out);

// z = op(x, y) for the elementwise binary op of a row, `bits` wide integers (1: booleans). z may be
// x or y. False when the op has no meaning for the kind.
bool tl_lanes_binary(tl_opcode op, tl_lanes_kind kind, uint32_t bits, size_t n, const tl_lanes *x,
                     const tl_lanes *y, tl_lanes *z);
// The same of complex kinds (complex.c), which tl_lanes_binary calls. abs gives lanes of the parts'
// kind.
bool tl_complex_binary(tl_opcode op, tl_lanes_kind kind, size_t n, const tl_lanes *x,
                       const tl_lanes *y, tl_lanes *z);
bool tl_complex_unary(tl_opcode op, tl_lanes_kind kind, size_t n, const tl_lanes *x, tl_lanes *z);
// The same of a unary op, of kinds that are not complex.
bool tl_lanes_unary(tl_opcode op, tl_lanes_kind kind, uint32_t bits, size_t n, const tl_lanes *x,
                    tl_lanes *z);
// An element's bits as reduce_precision leaves them.
uint64_t tl_lanes_narrowed(uint64_t bits, tl_dtype d, uint64_t e_bits, uint64_t m_bits);
static inline uint32_t tl_lanes_bits(tl_dtype d) { return tl_dtype_get(d)->bits; }

// Element i of an integer tensor; a u64 above INT64_MAX reads as that.
int64_t tl_ref_index(const tl_tensor *t, size_t i);

#endif
