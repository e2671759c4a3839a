// The native CPU backend: a verified IR module in, one plan out, executed over the caller's
// buffers.
//
// A device owns a pool of threads and the choice of kernels. A program is compiled once; executing
// it allocates nothing but what an interpreted op (one without a kernel) needs for itself.
#ifndef TL_CPU_CPU_H
#define TL_CPU_CPU_H

#include "ir/ir.h"

typedef struct tl_cpu tl_cpu;         // refcounted; any thread
typedef struct tl_cpu_exe tl_cpu_exe; // refcounted; executions of one program are serialised by it

typedef struct tl_cpu_options { // zero = the defaults
  size_t n_threads;             // 0 = tl_cpu_count()
  bool interpreter;             // every program runs whole through the reference interpreter
} tl_cpu_options;

// INVALID_ARGUMENT when TLALOC_ISA has an unknown value. options may be NULL.
tl_status tl_cpu_create(const tl_cpu_options *options, tl_cpu **out_cpu);
tl_cpu *tl_cpu_retain(tl_cpu *cpu);
void tl_cpu_release(tl_cpu *cpu); // NULL is allowed
size_t tl_cpu_threads(const tl_cpu *cpu);
uint32_t tl_cpu_isa_used(const tl_cpu *cpu);

// Compiles function `entry` of m. On success the program owns m; on failure the caller still does.
// The module must be verified. UNIMPLEMENTED names an op that the backend cannot run.
tl_status tl_cpu_compile(tl_cpu *cpu, tl_module *m, tl_str entry, tl_cpu_exe **out_exe);
tl_cpu_exe *tl_cpu_exe_retain(tl_cpu_exe *exe);
void tl_cpu_exe_release(tl_cpu_exe *exe); // NULL is allowed

size_t tl_cpu_exe_temp_size(const tl_cpu_exe *exe); // bytes of temporaries and threads' scratch
size_t tl_cpu_exe_n_interpreted(
    const tl_cpu_exe *exe); // ops of the plan that run through the reference interpreter
void tl_cpu_exe_explain(const tl_cpu_exe *exe, tl_buf *out); // the plan as text: a step a line

// Runs over inputs [n parameters] and outputs [n results], each the bytes of its type (aligned to
// 64). A parameter with alias_output = o is updated in place when outputs[o] == inputs[i]; when
// they differ it is first copied. No other output may overlap an input. Outputs of 4 MiB and more
// lie in private anonymous memory (malloc's, tl_mem_map's), since zeroes may be made by giving its
// pages back. Fails only where an interpreted op runs out of memory.
tl_status tl_cpu_execute(tl_cpu_exe *exe, const void *const *inputs, void *const *outputs);

#endif
