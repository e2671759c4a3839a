// Building nests of the loop IR from ops, and planning them as steps. Private to src/cpu.
//
// A nest begins with its dims. nest_value gives the instruction for a tensor's element at an index
// map: of an op that was fused (fuse.c) the program that computes it, its operands at the maps that
// follow from the op; of any other value a load. Equal instructions are made once.
#ifndef TL_CPU_NEST_H
#define TL_CPU_NEST_H

#include "cpu/loop.h"
#include "cpu/plan.h"

enum {
  NEST_MAX_INSTS = 400,    // a nest refuses to grow beyond
  NEST_INLINE_INSTS = 240, // from here on operands are made in memory instead
  NEST_MAX_ARRAYS = 96,
  NEST_MAX_GROUP =
      160, // of ops that fuse: 4 each; 1 that moves elements or is of integers, 0 of constants
  NEST_MAX_KNOWN = 240,
  NEST_FEW = 4,        // terms of a sum that is written out
  NEST_MAX_PIECES = 8, // of a concatenation, that one nest writes
  GATHER_RUN = 8,      // elements from which on a gather copies rows
};

// Where an element of a value lies in terms of the nest's dims: one affine expression per dim of
// the value.
typedef struct nest_map {
  int64_t offset[TL_MAX_RANK];
  int64_t coef[TL_MAX_RANK][LOOP_MAX_DIMS];
} nest_map;

// What an element of a value is in a nest: an instruction, or of a complex number NEST_PAIR and a
// number of `pairs`. Only nest_scalar and the like want instructions.
enum { NEST_PAIR = 0x8000 };
typedef struct nest_pair {
  uint16_t re, im;
} nest_pair;

// What an inlined value was computed as, so that its several users find it.
typedef struct nest_known {
  tl_value v;
  loop_section section;
  uint16_t x;
  nest_map at;
} nest_known;

static inline bool nest_is_complex(tl_dtype d) { return tl_dtype_get(d)->kind == TL_KIND_COMPLEX; }
static inline bool nest_is_pair(uint16_t x) { return x != LOOP_NONE && (x & NEST_PAIR) != 0; }
// The type of a complex number's parts; any other type itself.
static inline tl_dtype nest_part_dtype(tl_dtype d) {
  return d == TL_DTYPE_C64 ? TL_DTYPE_F32 : d == TL_DTYPE_C128 ? TL_DTYPE_F64 : d;
}

static inline bool nest_listed(tl_i64s list, int64_t value) {
  for (size_t i = 0; i < list.len; i++)
    if (list.ptr[i] == value) return true;
  return false;
}
void nest_copy_dim(nest_map *to, uint32_t d, const nest_map *from, uint32_t k);
// Products that overflow belong to types without elements: they wrap, and nobody goes there.
static inline int64_t nest_mul(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a * (uint64_t)b);
}
static inline int64_t nest_add(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

// Row-major strides, in elements.
void nest_strides(tl_type t, int64_t strides[TL_MAX_RANK]);

typedef struct nest {
  planner *p;
  loop_nest *loop; // its arrays have room for NEST_MAX_*
  loop_section section;
  plan_view *views; // [NEST_MAX_ARRAYS] of its arrays
  tl_value *values; // [NEST_MAX_ARRAYS] that the loads read; NULL for outputs and what is no value
  bool *paired;     // [NEST_MAX_ARRAYS] the parts of complex numbers
  nest_pair *pairs; // [NEST_MAX_INSTS]
  uint32_t n_pairs;
  nest_known *known; // [NEST_MAX_KNOWN]
  uint32_t n_known;
  uint32_t n_ops; // that it computes
  bool failed;    // no room, or an op that is not understood
} nest;

static inline uint16_t nest_fail(nest *n) {
  n->failed = true;
  return LOOP_NONE;
}

// dims [n_dims], the first n_kept kept. False on failure (recorded).
bool nest_begin(nest *n, planner *p, uint32_t n_dims, uint32_t n_kept, const int64_t *extent);
// The identity over dims [first, first + rank) of the nest.
nest_map nest_identity(uint32_t first, uint32_t rank);
// Instructions; LOOP_NONE once the nest has failed.
uint16_t nest_value(nest *n, tl_value v, const nest_map *m);
uint16_t nest_load(nest *n, tl_value v, const nest_map *m, uint16_t dynamic); // of v's memory
uint16_t nest_load_view(nest *n, plan_view view, tl_type type, const nest_map *m);
uint16_t nest_scalar(nest *n, tl_scalar op, tl_reg type, tl_reg from, uint16_t a, uint16_t b,
                     uint16_t c);
uint16_t nest_pair_of(nest *n, uint16_t re, uint16_t im);
uint16_t nest_part(nest *n, uint16_t x, int which); // 0: the real part; 1: the imaginary one
uint16_t nest_select(nest *n, uint16_t predicate, uint16_t yes, uint16_t no); // of one type
uint16_t nest_const(nest *n, tl_reg type, uint64_t bits);
uint16_t nest_zero(nest *n, tl_dtype d);
uint16_t nest_s64(nest *n, int64_t value);
uint16_t nest_index(nest *n, const loop_map *m);             // the map's value, s64
uint16_t nest_number(nest *n, tl_type t, const nest_map *m); // the row-major number of an element
// Where gather's result at m lies in its operand: the map, and the offset of the clamped start
// (LOOP_NONE: none).
uint16_t nest_gather(nest *n, const tl_op *op, const nest_map *m, nest_map *from);
uint16_t nest_state(nest *n, tl_reg type, uint32_t index);
uint16_t nest_result(nest *n, tl_reg type, uint32_t index);
// The same of a FOLD's value that may be complex, which is two states, from *index on: begins it as
// `init` and gives the state before COMBINE; sets the one after; gives the result.
uint16_t nest_fold_state(nest *n, uint16_t init, uint32_t *index);
void nest_fold_next(nest *n, uint16_t next, uint32_t *index);
uint16_t nest_fold_result(nest *n, uint16_t init, uint32_t *index);
// x rounded to what `d` holds (nothing for most types).
uint16_t nest_round(nest *n, tl_dtype d, uint16_t x);
bool nest_narrow_float(tl_dtype d); // held as f32, and narrower in memory
// x of dtype `from` as `to`, as stablehlo.convert does it.
uint16_t nest_convert(nest *n, tl_dtype from, tl_dtype to, uint16_t x);
// An op's result from its operands' instructions (elementwise, select, clamp, convert ...). `wide`:
// bf16 and f16 are not rounded.
uint16_t nest_op(nest *n, const tl_op *op, const uint16_t *args, bool wide);
// A region of scalars: results [n_results] from args.
bool nest_region(nest *n, const tl_block *b, const uint16_t *args, uint16_t *results,
                 uint32_t n_results);
// Stores x into `out`, of type `type`, at m (+ dynamic).
void nest_store(nest *n, plan_view out, tl_type type, const nest_map *m, uint16_t dynamic,
                uint16_t x);
void nest_store_part(nest *n, plan_view out, tl_type type, const nest_map *m, uint16_t x,
                     int which); // one part of complex elements
// The clamped start of a run of `size` along a dim of `extent`: an s64.
uint16_t nest_clamped(nest *n, uint16_t index, int64_t extent, int64_t size);
uint16_t nest_index_s64(nest *n, uint16_t index); // an integer as s64; too large ones as INT64_MAX

// The offset of a box at start indices (operands from `first` on), clamped so that it fits.
uint16_t nest_starts(nest *n, const tl_op *op, uint32_t first, tl_type whole, const int64_t *box);
// Element `at` of an integer tensor, row-major, as an s64.
uint16_t nest_number_at(nest *n, tl_value v, uint32_t at);
// The element of v, padded, at the nest's own index: low [rank] elements of `fill` in front (s64;
// LOOP_NONE: none), then one of v's every `step` (LOOP_NONE: 1). lower_dynamic.c.
uint16_t nest_padded(nest *n, tl_value v, const uint16_t *low, const uint16_t *step, uint16_t fill);
// An op's result at m, whether it was fused or not.
uint16_t nest_computed(nest *n, const tl_op *op, const nest_map *m);
// Memory for op's only result, bound: an operand's that dies here where every load of it goes
// element by element.
plan_view nest_out(nest *n, const tl_op *op);
// The reduction of terms [n_results] by op's region from init [n_results], of a nest whose body
// they are; stores the results at `to`. lower_reduce.c; false when the nest failed.
bool nest_reduction(nest *n, const tl_op *op, const uint16_t *term, const uint16_t *init,
                    const nest_map *to);
// The dot of a and b (of the op's operands' dtypes) over the reduced dims, into its result at `to`.
// lower_dot.c; false when the nest failed.
bool nest_dot(nest *n, const tl_op *op, uint16_t a, uint16_t b, const nest_map *to);
// Stores the parts of a complex x at m, where dim `plane` of `type`, of real numbers, says which.
// lower_dot.c.
void nest_store_planes(nest *n, plan_view out, tl_type type, nest_map m, uint32_t plane,
                       uint16_t x);
void nest_drop(nest *n); // gives it up
// About how many simple operations of an f32 a nest takes as code; SIZE_MAX: too many to count.
size_t nest_cost(const loop_nest *l);
// The nest that a step runs; NULL: none.
const loop_nest *nest_of_step(const plan_step *s);

// Plans the nest as a step; false when it failed (nothing is planned then).
bool nest_finish(nest *n, const tl_op *op, const char *what);

// A nest over one dim whose arrays are a step's own vectors, which it runs itself by tile_run.
typedef struct tile_program tile_program;
typedef struct nest_program {
  const tile_program *tile;
  const loop_nest *loop;
  uint16_t *own;       // [n_arrays] which of the step's vectors; LOOP_NONE: captured, in order
  plan_view *captured; // [n_captured] operands that the step must have beside its own
  uint32_t n_captured;
} nest_program;
plan_view nest_own_view(uint32_t k);              // stands for the step's vector k
bool nest_to_program(nest *n, nest_program *out); // as nest_finish, but plans no step
// The arrays [n_arrays] of a run: vectors own [...], and what it captured, the step's operands from
// `first` on.
void nest_program_arrays(const nest_program *e, const plan_step *s, const plan_exec *x,
                         uint32_t first, uint8_t *const *own, void **arrays);
// Applies updates [n_out] to `out` [n_out] where `places` (s64, an update's element number each)
// says, `run` elements side by side for each, by the region. lower_scatter.c.
bool plan_scatter(planner *p, const tl_op *op, const tl_block *region, const tl_value *updates,
                  const plan_view *out, uint32_t n_out, plan_view places, size_t run);

// Whether a nest moves elements of d; computes with them.
bool nest_moves(tl_dtype d);
bool nest_computes(tl_dtype d);
// Whether nest_op understands the op, by its code and types.
bool nest_knows(const tl_op *op);
bool nest_knows_region(const tl_block *b);    // nest_region the region
bool nest_reshapes(tl_type from, tl_type to); // whether a reshape is a map
bool nest_reduces(const tl_op *op);           // whether a reduce is a nest (lower_reduce.c)
// nest_few.c: the terms of each result of a dot or a reduce that are so few that they are written
// out, as an expression; 0: no such op. Its result at m.
uint32_t nest_few_terms(const tl_op *op);
uint16_t nest_few(nest *n, const tl_op *op, const nest_map *m);
bool nest_folds_by(const tl_op *op,
                   tl_opcode *out); // lower_reduce.c: of one result, by one operation

// fuse.c: which ops of a block are computed where they are used.
bool fuse_may_inline(const tl_op *op); // its kind of op may be
// Elements of a gather's result that lie side by side in its operand, whatever the indices.
size_t gather_run(const tl_op *op); // lower_gather.c
tl_status fuse_block(planner *p, const tl_block *block);
bool fuse_inlined(const planner *p, const tl_op *op);
bool fuse_pieces_together(const tl_op *op); // a concatenation whose pieces one nest writes
bool fuse_small_dot(const tl_op *op);       // a dot that is a nest even where nothing fuses
bool fuse_has_inlined_operand(const planner *p, const tl_op *op);
uint32_t fuse_evaluated_at(const planner *p, const tl_op *op, uint32_t position);

#endif
