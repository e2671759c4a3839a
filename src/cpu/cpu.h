// The native CPU backend: a verified IR module in, one plan out, executed over the caller's
// buffers.
//
// A device owns a pool of threads and the choice of kernels. A program is compiled once; executing
// it allocates nothing but what an interpreted op (one without a kernel) needs for itself.
#ifndef TL_CPU_CPU_H
#define TL_CPU_CPU_H

#include "ref/grid.h"

typedef struct tl_cpu tl_cpu;         // refcounted; any thread
typedef struct tl_cpu_exe tl_cpu_exe; // refcounted; executions of one program are serialised by it

// Whether loops become machine code: never, where it pays, or wherever they can. The bits are the
// same. DEFAULT is what TLALOC_JIT=off|on|always says, and else ON.
typedef enum { TL_CPU_JIT_DEFAULT, TL_CPU_JIT_OFF, TL_CPU_JIT_ON, TL_CPU_JIT_ALWAYS } tl_cpu_jit;

typedef struct tl_cpu_options { // zero = the defaults
  size_t n_threads;             // 0 = tl_cpu_count()
  bool interpreter;             // every program runs whole through the reference interpreter
  bool single_process;          // tl_place.single_process of programs that run alone
  tl_cpu_jit jit;
} tl_cpu_options;

// INVALID_ARGUMENT when TLALOC_ISA or TLALOC_JIT has an unknown value; FAILED_PRECONDITION when
// code is wanted always and libtlaloc_jit.so is missing or does not load. options may be NULL.
tl_status tl_cpu_create(const tl_cpu_options *options, tl_cpu **out_cpu);
tl_cpu *tl_cpu_retain(tl_cpu *cpu);
void tl_cpu_release(tl_cpu *cpu); // NULL is allowed
size_t tl_cpu_threads(const tl_cpu *cpu);
bool tl_cpu_interprets(const tl_cpu *cpu); // tl_cpu_options.interpreter
uint32_t tl_cpu_isa_used(const tl_cpu *cpu);
size_t tl_cpu_program_bytes(const tl_cpu *cpu); // that programs hold: plans, temporaries, scratch

// A new module that computes the same bits as the verified module m and is better to plan: calls
// inlined, equal ops once, named ops where kernels are.
tl_status tl_cpu_simplify(const tl_module *m, tl_module **out_module);

// Compiles function `entry` of m. On success the program owns m; on failure the caller still does.
// The module must be verified. UNIMPLEMENTED names an op that the backend cannot run.
tl_status tl_cpu_compile(tl_cpu *cpu, tl_module *m, tl_str entry, tl_cpu_exe **out_exe);
tl_cpu_exe *tl_cpu_exe_retain(tl_cpu_exe *exe);
void tl_cpu_exe_release(tl_cpu_exe *exe); // NULL is allowed

size_t tl_cpu_exe_temp_size(const tl_cpu_exe *exe); // bytes of temporaries and threads' scratch
size_t tl_cpu_exe_n_interpreted(
    const tl_cpu_exe *exe); // ops of the plan that run through the reference interpreter

// What a machine can do at most, with all threads.
typedef struct tl_cpu_limits {
  double bytes_per_second, ops_per_second;
} tl_cpu_limits;
// The plan as text: a step a line, with the bytes it may touch and its operations; with limits
// (NULL: none) also which of them bounds it and the time it takes at least. Steps inside of loops
// are counted once, each branch once.
void tl_cpu_exe_explain(const tl_cpu_exe *exe, const tl_cpu_limits *limits, tl_buf *out);

// Runs over inputs [n parameters] and outputs [n results], each the bytes of its type (aligned to
// 64). A parameter with alias_output = o is updated in place when outputs[o] == inputs[i]; when
// they differ it is first copied. No other output may overlap an input. Outputs of 4 MiB and more
// lie in private anonymous memory (malloc's, tl_mem_map's), since zeroes may be made by giving its
// pages back. Fails only where an interpreted op runs out of memory.
tl_status tl_cpu_execute(tl_cpu_exe *exe, const void *const *inputs, void *const *outputs);

// The same as a process of a grid, together with the others on other threads. The caller leaves the
// grid for it.
tl_status tl_cpu_execute_at(tl_cpu_exe *exe, tl_place place, const void *const *inputs,
                            void *const *outputs);
// `first`'s program once more, on another device: its own plan and memory, the same module.
tl_status tl_cpu_compile_again(tl_cpu *cpu, tl_cpu_exe *first, tl_cpu_exe **out_exe);

// A program on a grid of devices, one a process: process p on cpus[p] [n_replicas * n_partitions].
// They run at the same time, each on a thread of its own with its device's pool behind it, in
// lockstep from collective to collective; when one fails all do, with its error.
typedef struct tl_cpu_grid tl_cpu_grid; // one owner; executions are serialised by it
// Takes over `exe`, whose device is cpus[0], also on failure.
tl_status tl_cpu_grid_create(tl_cpu_exe *exe, tl_cpu *const *cpus, uint32_t n_replicas,
                             uint32_t n_partitions, tl_cpu_grid **out_grid);
void tl_cpu_grid_destroy(tl_cpu_grid *g); // NULL is allowed
// inputs[p], outputs[p]: as for tl_cpu_execute, of process p.
tl_status tl_cpu_grid_execute(tl_cpu_grid *g, const void *const *const *inputs,
                              void *const *const *outputs);

#endif
