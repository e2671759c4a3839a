// Constructors of ops of several processes: collectives, ids and Shardy's constraint.
//
// Groups, pairs and shardings are copied. A collective whose `groups` name a mesh wants it in the
// module. `combiner` is an elementwise op of two operands, such as TL_OP_ADD.
#ifndef TL_IR_BUILD_PARALLEL_H
#define TL_IR_BUILD_PARALLEL_H

#include "ir/build.h"

tl_value tlo_all_reduce(tl_builder *b, tl_value x, const tl_groups *groups, tl_opcode combiner);
tl_value tlo_all_gather(tl_builder *b, tl_value x, int64_t dim, const tl_groups *groups);
tl_value tlo_reduce_scatter(tl_builder *b, tl_value x, int64_t dim, const tl_groups *groups,
                            tl_opcode combiner);
// Splits dim `split` into as many parts as a group has members.
tl_value tlo_all_to_all(tl_builder *b, tl_value x, int64_t split, int64_t concat,
                        const tl_groups *groups);
tl_value tlo_collective_broadcast(tl_builder *b, tl_value x, const tl_groups *groups);
tl_value tlo_collective_reduce(tl_builder *b, tl_value x, const tl_groups *groups,
                               tl_opcode combiner);
// pairs [2 n]: source, target, source, target, …
tl_value tlo_collective_permute(tl_builder *b, tl_value x, const int64_t *pairs, size_t n);
tl_value tlo_partition_id(tl_builder *b);
tl_value tlo_replica_id(tl_builder *b);
tl_value tlo_sharding_constraint(tl_builder *b, tl_value x, const tl_sharding *sharding);
tl_value tlo_probe(tl_builder *b, tl_value x, const char *id);
void tlo_expect_serialized_eq(tl_builder *b, tl_value x, const char *id, int64_t iter);

// all_reduce as the op catalogue of training programs has it: the sum over the group of a replica.
// ids [sum of sizes], sizes [n]; ids NULL: one group, of replica 0 alone. `reduction` empty: "sum".
// Refused by name: any other reduction, groups of several sizes or of none, ids that are negative
// or there twice, and groups of which none has replica 0.
tl_value tlo_sum_over_replicas(tl_builder *b, tl_value x, const int64_t *ids, const uint32_t *sizes,
                               uint32_t n, tl_str reduction);

#endif
