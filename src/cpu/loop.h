// The loop IR: what a fused group of ops becomes. A *nest* is a box of iterations with one scalar
// program, memory reached through affine index maps, and a reduction whose order is written down.
//
//   for o in kept dims                    [0, n_kept)      any order, divided among threads
//     for k in reduced dims               [n_kept, n_dims) row-major
//       BODY                              the element program: loads, scalars
//       the reduction takes a term        (SUM, DOT: of BODY; FOLD: COMBINE computes the next
//       state)
//     TAIL                                what happens to each result, and its stores
//
// HEAD holds what does not depend on any iteration: constants, scalars in memory, what is computed
// of them. A nest without reduced dims has HEAD and TAIL alone.
//
// Every instruction is explicit: conversions, the rounding to a narrow float that an op's type asks
// for, each fused multiply-add. Nothing is implied by a type, and nothing may be reassociated but
// as the reduction says:
//
//   SUM    16 lanes from +0, lane i takes terms i, i+16, ...; then lane[i] += lane[i+8], +4, +2, +1
//   DOT    total = +0; per block of 64 terms: acc = +0, acc = fma(a, b, acc); then total += acc
//   FOLD   state = init; state = COMBINE(state, term), in order. With `free_order` the result does
//          not depend on the order (integer sums, maxima), and any may be taken.
//
// Two consumers agree by bits: the tile interpreter (tile.h), and an emitter of machine code.
// Extents are data of the nest (outer ones may be changed from run to run without a new program, as
// long as the maps stay inside the arrays).
//
// A map gives an element's place: offset + sum of stride[d] * index[d], in elements. A load or
// store with an operand adds that register (s64): indices that are known at run time only (gather,
// dynamic slices). What a program names so is already clamped; `loop_verify` checks the affine
// part.
//
// A complex number is two registers, its parts, and an array of them one of floats, twice as many:
// what is written here knows of it in two instructions only.
#ifndef TL_CPU_LOOP_H
#define TL_CPU_LOOP_H

#include "base/minifloat.h"
#include "base/str.h"
#include "cpu/kernels/scalars.h"
#include "ir/ir.h"

enum { LOOP_MAX_DIMS = 2 * TL_MAX_RANK, LOOP_MAX_ARGS = 4, LOOP_NONE = 0xffff };

typedef enum { LOOP_HEAD, LOOP_BODY, LOOP_COMBINE, LOOP_TAIL } loop_section;

typedef enum {
  LOOP_CONST,   // bits
  LOOP_INDEX,   // s64: the map's value
  LOOP_LOAD,    // array at map (+ arg 0), widened to its register
  LOOP_STORE,   // array at map (+ arg 1) = arg 0; the value is one that the array's type holds
  LOOP_SCALAR,  // op of scalars.def over arg 0..2
  LOOP_REF,     // an elementwise op of ir/ops.def, by the interpreter's function
  LOOP_COMPLEX, // the same of complex numbers, held as two registers: args re, im of each operand.
                // Its value is the real part of the result, of abs all of it
  LOOP_IMAG,    // the imaginary part of the COMPLEX just before it, arg 0
  LOOP_ROUND,   // arg 0 (f32 or f64) rounded to what dtype `op`, a float of a byte, holds; an f32
  LOOP_NARROW,  // arg 0 rounded to the exponent and mantissa bits in `bits` (reduce_precision)
  LOOP_STATE,   // FOLD: the state's component `index`, before COMBINE
  LOOP_RESULT,  // of the reduction, component `index`
} loop_kind;

typedef struct loop_inst {
  loop_kind kind;
  loop_section section;
  tl_reg type, from; // of the result; of the operands (SCALAR, REF, COMPLEX)
  uint16_t op;       // tl_scalar, tl_opcode; ROUND, NARROW: tl_dtype
  uint16_t array, map;
  uint16_t index;              // of a state or result
  uint16_t arg[LOOP_MAX_ARGS]; // instructions; LOOP_NONE: absent. The last is COMPLEX's alone
  uint64_t bits; // CONST: the value's bytes, little endian; NARROW: exponent << 32 | mantissa
} loop_inst;

static inline int loop_n_args(const loop_inst *i) { // that may be there
  return i->kind == LOOP_COMPLEX ? LOOP_MAX_ARGS : 3;
}

typedef struct loop_map {
  int64_t offset, stride[LOOP_MAX_DIMS]; // elements
} loop_map;

typedef struct loop_array {
  tl_dtype dtype; // in memory
  bool out;       // written; else read
  size_t count;   // elements
} loop_array;

typedef enum { LOOP_EACH, LOOP_SUM, LOOP_DOT, LOOP_FOLD } loop_reduce; // EACH: no reduction

typedef struct loop_nest {
  uint32_t n_dims, n_kept;
  int64_t extent[LOOP_MAX_DIMS];
  loop_reduce reduce;
  bool free_order;
  uint16_t term[2];      // SUM: term[0]; DOT: both factors
  uint32_t n_states;     // FOLD
  uint16_t *init, *next; // [n_states]; init lies in HEAD
  uint32_t n_insts, n_arrays, n_maps;
  loop_inst *insts;
  loop_array *arrays;
  loop_map *maps;
} loop_nest;

// Floats narrower than f32 are held as that, integers of 2 and 4 bits as those of 8. False for a
// type that registers do not hold (a complex number takes two).
bool loop_reg_of(tl_dtype d, tl_reg *out);
// What elements of d are moved as: d, or an unsigned integer of its size where registers do not
// hold it. False for more than 8 bytes.
bool loop_moves(tl_dtype d, tl_dtype *out_as, tl_reg *out);
bool loop_minifloat(tl_dtype d, tl_minifloat *out); // a float of a byte or less
size_t loop_reg_size(tl_reg r);
const char *loop_reg_name(tl_reg r);
const char *loop_scalar_name(tl_scalar s);

// As text, a line an instruction:
//
//   nest kept [4 x 8] reduced [3] sum %5
//   head:
//     %0 = const f32 0x3f800000
//   body:
//     %1 = load f32 in0[24*d0 + 3*d1 + d2]
void loop_print(const loop_nest *n, tl_buf *out);
// INTERNAL with the instruction that breaks a rule: operands before uses and of the right section
// and type, maps inside their arrays.
tl_status loop_verify(const loop_nest *n);

#endif
