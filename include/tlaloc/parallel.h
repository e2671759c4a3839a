// Programs of several processes: each runs the same program, on a device and on arrays of its own,
// and meets the others in the calls here. Processes are StableHLO's replicas, numbered from 0.
//
//     tl_expr mean_grad = tl_div(tl_all_reduce(grad, "sum", TL_TOGETHER(4)), 4.0);
//
// Derivatives go through, and run on as many processes: the cotangent of a sum over processes is
// the sum of theirs.
#ifndef TLALOC_PARALLEL_H
#define TLALOC_PARALLEL_H

#include "tlaloc/program.h"

// Who meets: each process stands in one group, and only those of its group matter to it.
typedef struct tl_process_groups {
  uint32_t n, size;   // groups, and processes in each
  const int64_t *ids; // [n][size]; NULL: 0, 1, 2, ... in order
} tl_process_groups;
#define TL_TOGETHER(count) (&(tl_process_groups){.n = 1, .size = (count)}) // all in one group

// Each process gets the sum over its group, elementwise; what: "sum", "prod", "max", "min", and of
// truth values "all" and "any".
#define tl_all_reduce(...) tl_all_reduce_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_all_reduce_at(tl_here at, tl_expr x, const char *what,
                                const tl_process_groups *groups);
// Everyone's x, one after another along the axis, in the order of the group.
#define tl_all_gather(...) tl_all_gather_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_all_gather_at(tl_here at, tl_expr x, int64_t axis,
                                const tl_process_groups *groups);
// The sum over the group, of which each process keeps its own part of the axis.
#define tl_reduce_scatter(...) tl_reduce_scatter_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_reduce_scatter_at(tl_here at, tl_expr x, const char *what, int64_t axis,
                                    const tl_process_groups *groups);
// x is cut along `split`, part i goes to the i-th of the group, and what comes is put one after
// another along `concat`.
#define tl_all_to_all(...) tl_all_to_all_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_all_to_all_at(tl_here at, tl_expr x, int64_t split, int64_t concat,
                                const tl_process_groups *groups);
// x of the first of the group.
#define tl_collective_broadcast(...) tl_collective_broadcast_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_collective_broadcast_at(tl_here at, tl_expr x, const tl_process_groups *groups);
// x of the process that sends to this one, zeros where none does: pairs of who sends and who gets,
// TL_LIST(0, 1, 1, 0).
#define tl_collective_permute(...) tl_collective_permute_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_collective_permute_at(tl_here at, tl_expr x, uint32_t n, const int64_t *pairs);
// The number of the process, ui32.
#define tl_replica_id(...) tl_replica_id_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_replica_id_at(tl_here at, tl_trace *t);

// Runs n processes at once, on the first n devices: inputs[k] [n_inputs] and outputs[k] [n_outputs]
// are those of process k. "native" and "ref" have as many devices as are asked for; a plugin is
// asked for them by the option cpu_device_count. Sizes with names are the same for all.
TL_API tl_status tl_program_run_replicas(tl_program *p, const tl_run_options *options, uint32_t n,
                                         const tl_array *const *inputs, uint32_t n_inputs,
                                         const tl_array *const *outputs, uint32_t n_outputs)
    __attribute__((warn_unused_result));

#endif
