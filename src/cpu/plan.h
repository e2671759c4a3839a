// What a compiled program is: steps over planned buffers. Private to src/cpu.
//
// A *buffer* is memory that the plan manages: a parameter, a result, a constant, or a slice of the
// temporaries. A *view* is a place in a buffer; reshapes and contiguous slices are views and cost
// nothing. A *step* runs one op's kernel over views; loops and branches are steps that own a range
// of the steps after them:
//
//     0 matmul   1 WHILE [2,5) cond, [5,9) body   2 … 8   9 add
//
// All threads walk the same list. A parallel step is divided among them by fixed ranges; a serial
// one belongs to thread 0. Between steps stands a barrier only where one touches what another
// thread's step before it wrote (plan_barriers).
#ifndef TL_CPU_PLAN_H
#define TL_CPU_PLAN_H

#include "base/mem.h"
#include "base/pool.h"
#include "cpu/cpu.h"
#include "cpu/kernels/kernels.h"
#include "ir/ptr_map.h"

typedef enum { TL_SPACE_INPUT, TL_SPACE_OUTPUT, TL_SPACE_CONST, TL_SPACE_TEMP } tl_space;

typedef struct plan_buf {
  tl_space space;
  uint32_t index;       // INPUT, OUTPUT: which
  const void *data;     // CONST: its bytes
  size_t size;          // bytes
  size_t offset;        // TEMP: in the temporaries, 64-byte aligned
  uint32_t first, last; // TEMP: the steps between which it is alive, both included
  bool writable; // in-place updates may write here: TEMP, and OUTPUT that a donated parameter lives
                 // in
} plan_buf;

typedef struct plan_view {
  uint32_t buf;
  size_t offset; // bytes
  size_t size;   // bytes
} plan_view;

typedef struct plan_step plan_step;
typedef struct plan_exec plan_exec;
typedef void (*plan_fn)(const plan_step *s, plan_exec *x, size_t part, size_t n_parts);

typedef enum { TL_STEP_RUN, TL_STEP_WHILE, TL_STEP_SWITCH } tl_step_kind;

struct plan_step {
  tl_step_kind kind;
  const char *what; // for explain: the kernel
  const tl_op *op;
  plan_fn run;
  bool parallel;    // every part works; else only part 0
  bool barrier;     // wait for the other threads first
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
  tl_pool *pool;
  uint32_t isa;
  const tl_kernels *kernels;
  bool interpreter;
};

struct tl_cpu_exe {
  _Atomic uint32_t refs;
  tl_cpu *cpu;
  tl_module *module; // owned
  const tl_func *func;
  tl_arena *arena;
  plan_step *steps;
  uint32_t n_steps, cap_steps;
  plan_buf *bufs;
  uint32_t n_bufs, cap_bufs;
  size_t temp_size, scratch_size; // scratch: bytes per thread
  size_t n_interpreted;
  uint8_t *memory; // temporaries, then scratch for every thread
  size_t memory_size;
  uint8_t *const_memory;
  size_t const_size;
  tl_arena *interpreter; // scratch of interpreted ops; thread 0
  void *lock;            // pthread_mutex_t
  plan_exec *exec;
};

struct plan_exec {
  tl_cpu_exe *exe;
  uint8_t **base;   // [n_bufs]
  tl_status status; // of interpreted ops; thread 0 writes
  _Atomic bool failed;
};

static inline void *view_ptr(const plan_exec *x, plan_view v) { return x->base[v.buf] + v.offset; }
static inline void *step_in(const plan_step *s, const plan_exec *x, uint32_t i) {
  return view_ptr(x, s->in[i]);
}
static inline void *step_out(const plan_step *s, const plan_exec *x, uint32_t i) {
  return view_ptr(x, s->out[i]);
}
static inline void *step_scratch(const plan_exec *x, size_t part) {
  return x->exe->memory + x->exe->temp_size + part * x->exe->scratch_size;
}

// --- planning (plan.c) ---

typedef struct planner {
  tl_cpu_exe *exe;
  tl_ptr_map views; // tl_value -> plan_view *
  uint32_t depth;   // of nested calls
  tl_status error;
} planner;

plan_step *plan_add_step(planner *p, const tl_op *op, const char *what,
                         plan_fn run); // NULL on failure (recorded)
void *plan_alloc(planner *p, size_t size, size_t align);
void plan_fail(planner *p, tl_status st);
// The view of an operand, and of a step's new result: a fresh temporary, or the bytes of `in_place`
// when that operand is dead after this op and its buffer may be written.
plan_view plan_operand(planner *p, tl_value v);
plan_view plan_new_temp(planner *p, size_t size);
plan_view plan_const(planner *p, const void *data, size_t size); // data outlives the program
void plan_bind(planner *p, tl_value v, plan_view view);
plan_view plan_result(planner *p, tl_value v);
plan_view plan_result_in_place(planner *p, const tl_op *op, uint32_t operand);

// A row of lower.def: plans `op`; returns false when it cannot (odd dtype or layout), so that the
// interpreter does it.
typedef bool (*lower_fn)(planner *p, const tl_op *op);
lower_fn plan_lowering(tl_opcode code); // NULL: none

// --- after planning ---
tl_status plan_function(tl_cpu_exe *exe); // plan.c: the steps and buffers of exe->func
tl_status
plan_memory(tl_cpu_exe *exe); // buffers.c: offsets of the temporaries, their memory, constants
void plan_barriers(tl_cpu_exe *exe); // buffers.c

// Elements of a type whose size is known to fit (the module was verified).
static inline size_t type_count(tl_type t) {
  size_t n = 0;
  (void)tl_type_count(t, &n);
  return n;
}
static inline size_t type_size(tl_type t) { return type_count(t) * tl_dtype_get(t.dtype)->size; }

#endif
