// What machine code depends on: a nest with its sizes taken out.
//
// Neighbouring dims that every place walks as one are merged, dims of 1 are dropped, and what is
// left are *levels*, innermost first: 0 and 1 of the kept dims (jit.c walks the outer ones), then
// the reduced ones. Extents, strides and addresses are arguments of the code, so nests that differ
// only in these share it; the code knows of each place (an array at a map, or an index) whether it
// stands still along a level, goes to the next element, or takes any other step.
//
// Shared by the library (jit.c) and the module that holds the emitter (jit/), which is built of
// headers alone: types and constants only.
#ifndef TL_CPU_JIT_SHAPE_H
#define TL_CPU_JIT_SHAPE_H

#include "base/arena.h"
#include "cpu/kernels/kernels.h"
#include "cpu/loop.h"

enum {
  JIT_VERSION = 5, // of the code that a shape becomes, and of jit_call; part of every key
  JIT_REDUCED = 4, // reduced levels
  JIT_PLACES = 192,
  JIT_LEVELS = 2 + JIT_REDUCED,
  JIT_DOT_BLOCK = 64,
  JIT_SUM_LANES = 16,
  JIT_TOGETHER = 4,     // rows at most, of ROWS
  JIT_FEW = 4,          // jit_place.few at most
  JIT_FLAT_MAX = 8,     // elements of a row of JIT_FLAT
  JIT_FLAT_INSTS = 320, // its instructions, each once for every element
};

// How the nest is walked; all give the bits that the loop IR defines.
typedef enum {
  JIT_EACH,    // no reduction: vectors along level 0
  JIT_COLUMNS, // blocks of results along level 0, for each reduced index vectors of terms
  JIT_ROWS,    // a result at a time, vectors along the innermost reduced level
  JIT_SERIAL,  // a result at a time, an element at a time
  JIT_FLAT,    // no reduction, rows of few elements: as many rows at once as a vector has elements
} jit_mode;

// NEXT along the level of vectors only, of FLAT along levels 0 and 1; DENSE: of FLAT along level 1,
// where rows lie one behind the other.
typedef enum { JIT_STILL, JIT_NEXT, JIT_ANY, JIT_DENSE } jit_step;

typedef enum { JIT_SAME, JIT_BF16, JIT_F16, JIT_BYTE } jit_memory; // BYTE: a float of a byte

typedef struct jit_place {
  uint16_t array, map; // array LOOP_NONE: an index
  uint8_t size;        // bytes of an element; 1 of an index
  uint8_t few;         // along the level of vectors every second .. fourth element; 0: otherwise
  uint8_t step[JIT_LEVELS];
} jit_place;

typedef struct jit_shape {
  const loop_nest *nest;
  bool avx512; // else AVX2
  jit_mode mode;
  uint32_t lanes;    // elements of an iteration: one vector, or several where each is a long chain
  uint32_t tail;     // elements of an iteration under a mask
  uint32_t columns;  // of FLAT: elements of a row
  uint32_t together; // of ROWS: results side by side
  uint32_t n_reduced, n_places;
  jit_place *places;
  uint16_t *place;    // [n_insts] LOOP_NONE: none
  uint8_t *memory;    // [n_insts] of loads and stores
  bool against_grain; // the elements lie along a reduced level and are walked along a kept one
  bool free_single;   // a FOLD of one instruction whose order is free

  // Not seen by the code. Kept levels and then reduced ones, innermost first.
  uint32_t n_kept;
  size_t kept[LOOP_MAX_DIMS], reduced[JIT_REDUCED];
  int64_t *offset; // [n_places] bytes
  int64_t *outer;  // [n_places][n_kept] bytes
  int64_t *stride; // [n_places][JIT_LEVELS] bytes
} jit_shape;

// The argument of the code. Its layout is known to the emitter by offsetof.
typedef struct jit_call {
  // What has no form in machine code: instruction `inst` of the nest over n elements.
  void (*apply)(const struct jit_call *c, uint64_t inst, const void *a, const void *b,
                const void *args_2, void *z, uint64_t n);
  uint8_t *const *base;        // [n_places] of the first element; of an index its value
  const int64_t *stride;       // [n_places][JIT_LEVELS]
  uint64_t extent[JIT_LEVELS]; // elements
  const loop_nest *nest;       // these two for `apply`
  const tl_kernels *kernels;
} jit_call;
typedef void (*jit_fn)(const jit_call *c);

// False when the nest has no such code (a reduction over nothing, more levels than there are) or
// memory is gone. Of a nest of a region it is never FLAT.
bool jit_shape_of(const loop_nest *nest, uint32_t isa, bool of_region, tl_arena *arena,
                  jit_shape *out);
// All that the code depends on, as text.
void jit_shape_key(const jit_shape *s, tl_buf *out);
const char *jit_emitter(void); // a digest of the emitter's sources

// --- the module ---

#define JIT_MODULE_ENTRY "tlaloc_jit_compile"
typedef struct jit_compiled {
  uint8_t *code; // malloc'd
  size_t size;
  size_t entry; // offset of the function
} jit_compiled;
// Code of a shape or, where that is NULL, of a region (jit_region.h). False with the reason in
// `why`. Any thread.
struct jit_region;
typedef bool (*jit_compile_fn)(uint32_t version, const jit_shape *s, const struct jit_region *r,
                               jit_compiled *out, char *why, size_t why_size);

#endif
