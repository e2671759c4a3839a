// What a compiled program is: steps over planned buffers. Private to src/cpu.
//
// A *buffer* is memory that the plan manages: a parameter, a result, a constant, or a slice of the
// temporaries. A *view* is a place in a buffer; reshapes and contiguous slices are views and cost
// nothing. A *step* runs one op's kernel over views; loops and branches are steps that own a range
// of the steps after them:
//
//     0 matmul   1 WHILE [2,5) cond, [5,9) body   2 … 8   9 add
//
// All threads walk the same list. A *parallel* step is divided among them by fixed ranges. A serial
// one belongs to thread 0. A serial step that is cheap, and that parallel ones read, becomes an
// *each*: every thread does all of it into a place of its own, and need not be waited for
// (plan_local).
//
// Between steps stands a barrier only where one touches what another thread's step before it
// touched (plan_barriers). A view whose `grain` is not 0 is divided as tl_pool_range divides its
// bytes into grains of that size: part p touches its own range only, or, where `run` is not 0, its
// range of every run of so many bytes. So a chain of steps that divide the same bytes in the same
// way needs no barrier: at T = 1 the rows of a matmul, and the sum or the swiglu over them. One
// layer of a decoding step has six, where [ ] is done by each and / is a barrier:
//
//     / [rms_norm] q k v / rope rope write write / attention / o add / [rms_norm] gate up swiglu
//     / down add
//
// Where a product is divided otherwise than what follows it element by element, the follower is an
// *epilogue* (plan_epilogues): the thread that made a piece of the product goes on with that piece
// while it lies in its caches, and so on down a chain of them. What goes element by element before
// a step that takes rows is a *prologue* of that step in the same way.
#ifndef TL_CPU_PLAN_H
#define TL_CPU_PLAN_H

#include <pthread.h>

#include "base/mem.h"
#include "base/pool.h"
#include "cpu/cpu.h"
#include "cpu/kernels/kernels.h"
#include "ir/ptr_map.h"
#include "ref/ref.h"

// LOCAL: a temporary that every thread has its own of.
typedef enum {
  TL_SPACE_INPUT,
  TL_SPACE_OUTPUT,
  TL_SPACE_CONST,
  TL_SPACE_TEMP,
  TL_SPACE_LOCAL
} tl_space;

typedef struct plan_buf {
  tl_space space;
  uint32_t index;       // INPUT, OUTPUT: which
  const void *data;     // CONST: its bytes
  size_t size;          // bytes
  size_t offset;        // TEMP, LOCAL: in the (thread's) temporaries, 64-byte aligned
  uint32_t first, last; // TEMP, LOCAL: the steps between which it is alive, both included
  bool writable; // in-place updates may write here: TEMP, and OUTPUT that a donated parameter lives
                 // in
} plan_buf;

typedef struct plan_view {
  uint32_t buf;
  uint32_t grain; // of a step's view: 0, or the bytes by whose multiples the parts divide it,
  uint32_t run;   // 0: all of it; or each of the runs of so many bytes that it consists of
  size_t offset;  // bytes
  size_t size;    // bytes
} plan_view;

typedef struct plan_step plan_step;
typedef struct plan_exec plan_exec;
typedef void (*plan_fn)(const plan_step *s, plan_exec *x, size_t part, size_t n_parts);
typedef void (*plan_some_fn)(const plan_step *s, plan_exec *x, size_t from, size_t to);
typedef struct loop_nest loop_nest;
typedef struct region_program region_program; // jit_region.c

typedef enum { TL_STEP_RUN, TL_STEP_WHILE, TL_STEP_SWITCH } tl_step_kind;

struct plan_step {
  tl_step_kind kind;
  const char *what; // for explain: the kernel
  const tl_op *op;
  plan_fn run;
  // The same bits as a nest of the loop IR, in the arena; NULL: none, or the step runs a nest.
  const loop_nest *(*as_nest)(const plan_step *s, tl_arena *a);
  const region_program *code; // WHILE: all of it as one function; NULL: none
  bool in_code;               // a nest that such a function computes
  // Elements [from, to) of the results: reads no others of the views that have a grain. NULL: the
  // step wants its operands whole.
  plan_some_fn some;
  uint32_t unit;    // elements of which it takes multiples; 0: any
  bool tells;       // says of pieces of its result that they are made (plan_epilogue)
  uint32_t pieces;  // elements of which those are multiples, from such to such; 0: any
  bool epilogue;    // done to each such piece after the step before it, by the thread that made it
  bool followed;    // by such a step
  uint32_t asks;    // 1 + the operand that it asks for by rows before it reads them; 0: none
  size_t row;       // elements of that operand in a row; a part of the step takes whole rows
  bool prologue;    // makes such rows for the step behind it when that asks (plan_prologue)
  bool led;         // by such a step
  bool parallel;    // every part does its share; else part 0 does all, as the only part
  bool cheap;       // may become an `each`
  bool each;        // every part does all, as the only part; its result is LOCAL
  bool barrier;     // wait for the other threads first
  bool alone;       // WHILE, SWITCH: without parallel steps; part 0 runs it as the only part
  bool interpreted; // through src/ref
  uint32_t n_in, n_out;
  plan_view *in, *out;
  const void *params; // the kernel's own, in the program's arena
  size_t scratch;     // bytes per thread
  // WHILE: [body[0], body[1]) computes in[0] (the predicate); [body[1], body[2]) is the loop's
  // body. SWITCH: branch i is [body[i], body[i+1]); in[0] is the index (i1 or i32), out of range
  // takes the last.
  uint32_t *body;
  uint32_t n_body;
};

struct tl_cpu {
  _Atomic uint32_t refs;
  _Atomic size_t program_bytes; // that its programs hold
  tl_pool *pool;
  uint32_t isa;
  const tl_kernels *kernels;
  bool interpreter, single_process;
  tl_cpu_jit jit;
  bool eager;   // for tests: steps are parallel however small they are
  bool unfused; // for tests: each op in memory of its own
};

typedef struct plan_manual plan_manual; // manual.c

struct tl_cpu_exe { // immutable after compilation, but for what an execution uses
  _Atomic uint32_t refs;
  tl_cpu *cpu;
  tl_module *module;    // owned, or first's
  tl_cpu_exe *first;    // the program that owns the module; NULL: this one
  bool borrowed;        // the module is that of a program which owns this one
  plan_manual *manuals; // owned
  tl_module *bodies;    // decompositions of named ops without a kernel; NULL until there is one
  const tl_func *func;
  tl_arena *arena;
  plan_step *steps;
  uint32_t n_steps, cap_steps;
  plan_buf *bufs;
  uint32_t n_bufs, cap_bufs;
  size_t n_interpreted;
  bool has_probes, has_draws;
  bool divided; // has a parallel step; else the caller's thread runs all of it
  size_t temp_size, local_size, scratch_size; // the last two: bytes per thread
  uint8_t *memory; // temporaries; then, for every thread, its locals and its scratch
  size_t memory_size;
  size_t held;           // bytes counted in the device's program_bytes
  tl_arena *interpreter; // scratch of interpreted ops; thread 0

  pthread_mutex_t lock; // held by an execution, which owns what follows
  plan_exec *execs;     // [threads]
  const void *const *inputs;
  void *const *outputs;
  tl_status status;       // of interpreted ops; thread 0 writes
  tl_ref_context context; // which process of which grid this execution is
  tl_ref_draws draws;     // what rng draws from; thread 0's
  _Atomic bool failed;
};

struct plan_exec { // what a thread walks with
  tl_cpu_exe *exe;
  uint8_t **base;              // [n_bufs]; inputs and outputs are set by the thread when it begins
  const plan_step *multiplied; // the bf16_matmul whose rows of x lie in it, where it is the last
  uint8_t *scratch;
  tl_pool_reading reading; // weights of the next product that this thread asks for while it waits
};

static inline void *view_ptr(const plan_exec *x, plan_view v) { return x->base[v.buf] + v.offset; }
static inline void *step_in(const plan_step *s, const plan_exec *x, uint32_t i) {
  return view_ptr(x, s->in[i]);
}
static inline void *step_out(const plan_step *s, const plan_exec *x, uint32_t i) {
  return view_ptr(x, s->out[i]);
}

// --- planning (plan.c) ---

typedef struct planner {
  tl_cpu_exe *exe;
  tl_ptr_map views; // tl_value -> plan_view *
  uint32_t depth;   // of nested calls
  uint32_t n_ops;   // planned so far, calls expanded
  tl_status error;
} planner;

plan_step *plan_add_step(planner *p, const tl_op *op, const char *what,
                         plan_fn run); // NULL on failure (recorded)
void *plan_alloc(planner *p, size_t size, size_t align);
plan_view *plan_views(planner *p, uint32_t n); // [n], zeroed; NULL on failure (recorded)
// The view of an operand of the step that is added next. The second form copies it first where it
// does not begin at a multiple of `align` (a power of two up to 64) in memory.
plan_view plan_operand(planner *p, tl_value v);
plan_view plan_operand_aligned(planner *p, tl_value v, size_t align);
plan_view plan_const(planner *p, const void *data, size_t size); // data outlives the program
void plan_copy(planner *p, plan_view from, plan_view to);        // a step
void plan_bind(planner *p, tl_value v, plan_view view);
plan_view plan_result(planner *p, tl_value v); // a fresh temporary, bound
plan_view plan_temp(planner *p, tl_type type); // a fresh temporary of no value
// The only result of op, in the bytes of an operand of that size when they die with this op and may
// be written; else a fresh temporary. With `elementwise` other operands may be the very same bytes
// (part i reads before it writes); without, no other operand may touch them.
plan_view plan_result_in_place(planner *p, const tl_op *op, uint32_t operand, bool elementwise);
// Whether the result of `op` may be written where views[which] lies: it dies here, and of the other
// views of its memory each is the same one, walked in step with the result (`same`).
bool plan_may_overwrite(planner *p, const tl_op *op, const plan_view *views, const bool *same,
                        uint32_t n, uint32_t which);
bool plan_known(const planner *p, tl_value v); // has memory
void plan_ensure(planner *p, tl_value v);      // gives it memory where it was to be inlined
void plan_touch(planner *p, plan_view view);   // the step that is added next uses it
void plan_fail(planner *p, tl_status st);      // the first failure stays
// Runs the step's op by the reference interpreter; on thread 0 only.
void plan_run_interpreted(const plan_step *s, plan_exec *x, size_t part, size_t n_parts);
// Plans an op whose operands are in memory or inlined, and that is no control flow.
void plan_op(planner *p, const tl_op *op);
bool plan_has_failed(const plan_exec *x); // a step of this execution
// A step that may fail has run: with an error the program has failed.
void plan_step_ends(const plan_step *s, plan_exec *x, tl_status st);
// A function of a module that outlives the program.
tl_status plan_compile_borrowed(tl_cpu *cpu, tl_module *m, const tl_func *fn, tl_cpu_exe **out_exe);
// Whether the last step that wrote any of op's operands divides the whole of it by `grain`.
bool plan_follows(const planner *p, const tl_op *op, uint32_t grain);
// Whether `work` is worth a second thread.
static inline bool plan_worth(const planner *p, size_t work, size_t least) {
  return work >= least || (p->exe->cpu->eager && work > 0);
}

// A row of lower.def: plans `op`; returns false when it cannot (odd dtype or layout), so that the
// interpreter does it.
typedef bool (*lower_fn)(planner *p, const tl_op *op);
lower_fn plan_lowering(tl_opcode code);  // to a kernel; NULL: none
lower_fn plan_looping(tl_opcode code);   // to nests of the loop IR; NULL: none
const char *plan_reason(tl_opcode code); // why the interpreter does it; NULL: it does not

// --- after planning ---
tl_status plan_function(tl_cpu_exe *exe); // plan.c: the steps and buffers of exe->func
// lower_named.c: products of packed weights learn which one follows, whose weights they ask for.
tl_status plan_products_in_turn(tl_cpu_exe *exe);
void plan_alone(tl_cpu_exe *exe);          // plan_control.c: what part 0 runs alone
tl_status plan_local(tl_cpu_exe *exe);     // buffers.c: which serial steps each thread does
tl_status plan_epilogues(tl_cpu_exe *exe); // epilogue.c
// Which steps are the first of a loop's or branch's range: [n_steps + 1], the caller's; NULL: no
// memory.
bool *plan_starts(const tl_cpu_exe *exe);
// A thread has made `rows` runs of n elements of a step's result, the first at `from`, the next
// `stride` elements on: its epilogues, where it has some, are done to them.
void plan_epilogue(const plan_step *s, plan_exec *x, size_t from, size_t rows, size_t stride,
                   size_t n);
size_t plan_scratch(const plan_step *s); // bytes per thread of a step and its epilogues
// A step takes rows [from, to) next: its prologue, where it has one, makes the first of them, as
// many as caches hold. Returns the end of those that the step takes before it asks again.
size_t plan_prologue(const plan_step *s, plan_exec *x, size_t from, size_t to);
tl_status plan_memory(tl_cpu_exe *exe); // buffers.c: where temporaries lie, and their memory
void plan_barriers(tl_cpu_exe *exe);    // buffers.c
void region_compile(tl_cpu_exe *exe);   // jit_region.c: loops as functions, where that pays
void nest_compile(tl_cpu_exe *exe);     // nest_plan.c: and then what is left of the nests
void region_run(const region_program *p, plan_exec *x); // part 0 alone

// Elements of a type whose size is known to fit (the module was verified).
static inline size_t type_count(tl_type t) {
  size_t n = 0;
  (void)tl_type_count(t, &n);
  return n;
}
static inline size_t type_size(tl_type t) { return type_count(t) * tl_dtype_get(t.dtype)->size; }

#endif
