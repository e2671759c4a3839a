// What tile_prepare makes of a nest and tile_run walks: instructions with their walks, the slots of
// their registers, and how a reduction is taken.
#ifndef TL_CPU_TILE_PROGRAM_H
#define TL_CPU_TILE_PROGRAM_H

#include "cpu/tile.h"

enum {
  TILE = 512,
  SLOT = TILE * 8,   // bytes of a register
  SUM_COLUMNS = 128, // results at a time of a sum by columns: 16 lanes of each
  BARE_COLUMNS =
      512, // of a bare one of f32: longer runs of memory, lanes that still fit a first cache
  BARE_LEAST = 64, // that lie side by side, or a call costs more than they do
  GRAIN = 16,      // as other elementwise steps are divided (lower_core.c)
  DOT_BLOCK = 64,
  LANES = 16,
};

typedef struct tile_walk { // over a group of dims, row-major
  uint32_t rank;
  size_t *extent;
  int64_t *stride; // elements
} tile_walk;

typedef struct tile_inst {
  const loop_inst *i;
  uint16_t number; // of the instruction
  uint16_t slot;
  bool direct; // computed where the store that follows wants it
  tile_walk kept, reduced;
  size_t size; // bytes of an element in memory
  bool same;   // memory holds it as a register does
} tile_inst;

struct tile_program {
  const loop_nest *nest;
  tile_inst *insts; // in order of sections
  uint32_t begin[LOOP_TAIL + 2];
  uint32_t n_slots;
  uint16_t state, spare, lanes; // first slots of what a reduction keeps
  size_t n_kept, n_reduced;
  bool by_rows;
  size_t columns; // results at a time
  bool bare;      // a reduction that a kernel does: how, and of the elements that this loads
  tl_reduce_op bare_op;
  tl_reduce_from bare_from;
  const tile_inst *bare_load;
};

static inline bool tile_dense(const tile_walk *w) { return w->rank == 1 && w->stride[0] == 1; }
static inline bool tile_has_place(loop_kind k) {
  return k == LOOP_LOAD || k == LOOP_STORE || k == LOOP_INDEX;
}

// Bytes at the begin of a run's scratch: where each instruction's value lies, and its offset.
static inline size_t tile_state_size(const tile_program *p) {
  return tl_round_up(p->nest->n_insts * (sizeof(uint8_t *) + sizeof(int64_t)), 64);
}

#endif
