// A loop of the plan as one function: its steps, those of the loops and branches in it included,
// with what they compute of, where, and by which of the ways that the emitter has.
//
// Sizes, strides and offsets are constants of the code, so that what works on scalars and tiny
// tensors becomes straight lines; small buffers lie in the function's own memory, of which the
// compiler makes registers. docs/design/jit.md.
//
// Shared by the library (jit_region.c) and the module that holds the emitter (jit/), which is built
// of headers alone: types and constants only.
#ifndef TL_CPU_JIT_REGION_H
#define TL_CPU_JIT_REGION_H

#include "cpu/jit_shape.h"

enum {
  REGION_OWN_BUFFER = 1024, // bytes up to which a buffer lies in the function's own memory
  REGION_OWN = 32 << 10,    // bytes of all of these
  REGION_STATES = 64,       // of a fold
  REGION_MATRICES = 8,
  REGION_PACKED = 48 << 10, // bytes of all matrices
};

typedef enum {
  REGION_NEST,
  REGION_COPY,
  REGION_CALL,   // the step's own function
  REGION_WHILE,  // as TL_STEP_WHILE
  REGION_SWITCH, // as TL_STEP_SWITCH
  REGION_NOTHING // of no elements
} region_kind;

typedef struct region_place {
  uint32_t buf;
  size_t offset; // bytes
} region_place;

typedef struct region_step {
  region_kind kind;
  bool unrolled; // NEST: element by element, in a straight line
  bool checked;  // WHILE: a step in it may fail
  const jit_shape *shape;
  region_place *at; // NEST: [n_arrays]; COPY: from, to; WHILE: the predicate; SWITCH: the index
  uint16_t *packed; // NEST: [n_places] which matrix that place goes through instead, from 1; NULL
  size_t size;      // COPY: bytes; SWITCH: of the index
  uint32_t *body;   // [n_body + 1] as a plan_step's, from the region's first step on
  uint32_t n_body;
} region_step;

typedef struct region_buf {
  size_t size;
  uint8_t element;     // bytes of what is moved at once
  bool own;            // in the function's memory
  bool enters, leaves; // own: brought there when the function begins, back when it ends
} region_buf;

// A matrix that no step writes and that products walk across its rows: it is transposed once, when
// the function begins.
typedef struct region_matrix {
  region_place from;
  size_t rows, columns, row_stride; // bytes from row to row; columns lie side by side
  uint8_t element;                  // bytes
} region_matrix;

typedef struct jit_region {
  bool avx512;
  uint32_t n_steps, n_bufs, n_matrices;
  region_step *steps; // the first is the loop
  region_buf *bufs;
  region_matrix matrices[REGION_MATRICES];
} jit_region;

// The argument of the code. Its layout is known to the emitter by offsetof.
typedef struct region_call {
  uint8_t *const *base;                                     // of the plan's buffers
  const uint32_t *buf;                                      // [n_bufs] which of them
  const jit_call *nests;                                    // [n_steps] for `apply`
  const uint8_t *failed;                                    // whether the execution has
  void (*step)(const struct region_call *c, uint64_t step); // CALL
  void *x;
  const void *steps;
} region_call;
typedef void (*region_fn)(const region_call *c);

#endif
