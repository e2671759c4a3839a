#include "ir/build_parallel.h"

#include <string.h>

// A region over two scalars of x's element type.
static void combiner_region(tl_builder *b, tl_op *op, tl_dtype dtype, tl_opcode combiner) {
  tl_block *block = tl_op_add_region(b, op);
  if (block == NULL) return;
  tl_value l = tl_block_arg(b, block, tl_type_scalar(dtype)),
           r = tl_block_arg(b, block, tl_type_scalar(dtype));
  tl_builder in = tl_builder_at(b, block);
  tl_value y = tlo_binary(&in, combiner, l, r);
  tlo_return(&in, &y, 1);
  tl_builder_join(b, &in);
}

static tl_value finish(tl_builder *b, tl_op *op) {
  op = tl_op_finish(b, op, NULL, 0);
  return op == NULL ? NULL : op->results[0];
}

static tl_op *begin(tl_builder *b, tl_opcode code, tl_value x) {
  return x == NULL ? NULL : tl_op_begin(b, code, &x, 1);
}

tl_value tlo_all_reduce(tl_builder *b, tl_value x, const tl_groups *groups, tl_opcode combiner) {
  tl_op *op = begin(b, TL_OP_ALL_REDUCE, x);
  if (op == NULL) return NULL;
  tl_op_set_groups(b, op, TL_A_ALL_REDUCE_replica_groups, groups);
  combiner_region(b, op, x->type.dtype, combiner);
  return finish(b, op);
}

tl_value tlo_all_gather(tl_builder *b, tl_value x, int64_t dim, const tl_groups *groups) {
  tl_op *op = begin(b, TL_OP_ALL_GATHER, x);
  tl_op_set_i64(op, TL_A_ALL_GATHER_all_gather_dim, dim);
  tl_op_set_groups(b, op, TL_A_ALL_GATHER_replica_groups, groups);
  return finish(b, op);
}

tl_value tlo_reduce_scatter(tl_builder *b, tl_value x, int64_t dim, const tl_groups *groups,
                            tl_opcode combiner) {
  tl_op *op = begin(b, TL_OP_REDUCE_SCATTER, x);
  if (op == NULL) return NULL;
  tl_op_set_i64(op, TL_A_REDUCE_SCATTER_scatter_dimension, dim);
  tl_op_set_groups(b, op, TL_A_REDUCE_SCATTER_replica_groups, groups);
  combiner_region(b, op, x->type.dtype, combiner);
  return finish(b, op);
}

tl_value tlo_all_to_all(tl_builder *b, tl_value x, int64_t split, int64_t concat,
                        const tl_groups *groups) {
  tl_op *op = begin(b, TL_OP_ALL_TO_ALL, x);
  const tl_groups *g = op == NULL ? NULL : tl_groups_resolve(b->m, groups, b->m->arena);
  tl_op_set_i64(op, TL_A_ALL_TO_ALL_split_dimension, split);
  tl_op_set_i64(op, TL_A_ALL_TO_ALL_concat_dimension, concat);
  tl_op_set_i64(op, TL_A_ALL_TO_ALL_split_count, g == NULL ? 0 : g->size);
  tl_op_set_groups(b, op, TL_A_ALL_TO_ALL_replica_groups, groups);
  return finish(b, op);
}

tl_value tlo_collective_broadcast(tl_builder *b, tl_value x, const tl_groups *groups) {
  tl_op *op = begin(b, TL_OP_COLLECTIVE_BROADCAST, x);
  tl_op_set_groups(b, op, TL_A_COLLECTIVE_BROADCAST_replica_groups, groups);
  return finish(b, op);
}

tl_value tlo_collective_reduce(tl_builder *b, tl_value x, const tl_groups *groups,
                               tl_opcode combiner) {
  tl_op *op = begin(b, TL_OP_COLLECTIVE_REDUCE, x);
  if (op == NULL) return NULL;
  tl_op_set_groups(b, op, TL_A_COLLECTIVE_REDUCE_replica_groups, groups);
  combiner_region(b, op, x->type.dtype, combiner);
  return finish(b, op);
}

tl_value tlo_collective_permute(tl_builder *b, tl_value x, const int64_t *pairs, size_t n) {
  tl_op *op = begin(b, TL_OP_COLLECTIVE_PERMUTE, x);
  tl_op_set_list(b, op, TL_A_COLLECTIVE_PERMUTE_source_target_pairs, pairs, 2 * n);
  return finish(b, op);
}

tl_value tlo_partition_id(tl_builder *b) {
  return finish(b, tl_op_begin(b, TL_OP_PARTITION_ID, NULL, 0));
}
tl_value tlo_replica_id(tl_builder *b) {
  return finish(b, tl_op_begin(b, TL_OP_REPLICA_ID, NULL, 0));
}

tl_value tlo_sharding_constraint(tl_builder *b, tl_value x, const tl_sharding *sharding) {
  tl_op *op = begin(b, TL_OP_SHARDING_CONSTRAINT, x);
  tl_op_set_shardings(b, op, TL_A_SHARDING_CONSTRAINT_sharding, &(tl_shardings){sharding, 1});
  return finish(b, op);
}

tl_value tlo_probe(tl_builder *b, tl_value x, const char *id) {
  tl_op *op = begin(b, TL_OP_PROBE, x);
  tl_op_set_str(b, op, TL_A_PROBE_probe_id, tl_str_of(id));
  return finish(b, op);
}

void tlo_expect_serialized_eq(tl_builder *b, tl_value x, const char *id, int64_t iter) {
  tl_op *op = begin(b, TL_OP_EXPECT_SERIALIZED_EQ, x);
  tl_op_set_str(b, op, TL_A_EXPECT_SERIALIZED_EQ_probe_id, tl_str_of(id));
  tl_op_set_i64(op, TL_A_EXPECT_SERIALIZED_EQ_iter, iter);
  tl_op_finish(b, op, NULL, 0);
}

// ---- the catalogue's ----

static tl_status check_reduction(tl_str reduction) {
  static const struct {
    const char *name, *why;
  } others[] = {{"mean", "a mean is the sum, divided by the size of the group"},
                {"max", "its derivative is no collective of the catalogue"},
                {"min", "its derivative is no collective of the catalogue"}};
  if (reduction.len == 0 || tl_str_is(reduction, "sum")) return TL_OK;
  for (size_t i = 0; i < TL_COUNT(others); i++)
    if (tl_str_is(reduction, others[i].name))
      return TL_ERROR(UNIMPLEMENTED, "all_reduce: the reduction %s is not supported: %s",
                      others[i].name, others[i].why);
  return TL_ERROR(INVALID_ARGUMENT,
                  "all_reduce: the reduction " TL_STR_FMT " is unknown, wanted sum",
                  (int)TL_MIN(reduction.len, (size_t)40), reduction.ptr);
}

static tl_status check_groups(const int64_t *ids, const uint32_t *sizes, uint32_t n) {
  if (n == 0) return TL_ERROR(INVALID_ARGUMENT, "all_reduce: replica_groups has no group");
  size_t at = 0;
  bool zero = false;
  for (uint32_t g = 0; g < n; g++) {
    if (sizes[g] == 0)
      return TL_ERROR(INVALID_ARGUMENT, "all_reduce: replica group %u is empty", g);
    if (sizes[g] != sizes[0])
      return TL_ERROR(INVALID_ARGUMENT,
                      "all_reduce: replica groups of %u and of %u: ragged groups are not supported",
                      sizes[0], sizes[g]);
    for (uint32_t i = 0; i < sizes[g]; i++, at++) {
      if (at >= TL_MAX_DEVICES)
        return TL_ERROR(INVALID_ARGUMENT, "all_reduce: more than %d replicas", TL_MAX_DEVICES);
      if (ids[at] < 0)
        return TL_ERROR(INVALID_ARGUMENT, "all_reduce: replica %lld: ids are not negative",
                        (long long)ids[at]);
      for (size_t k = 0; k < at; k++)
        if (ids[k] == ids[at])
          return TL_ERROR(INVALID_ARGUMENT, "all_reduce: replica %lld is there twice",
                          (long long)ids[at]);
      zero |= ids[at] == 0;
    }
  }
  return zero ? TL_OK : TL_ERROR(INVALID_ARGUMENT, "all_reduce: no group has replica 0");
}

tl_value tlo_sum_over_replicas(tl_builder *b, tl_value x, const int64_t *ids, const uint32_t *sizes,
                               uint32_t n, tl_str reduction) {
  static const int64_t zero[1] = {0};
  static const uint32_t one[1] = {1};
  if (ids == NULL) ids = zero, sizes = one, n = 1;
  tl_status st = check_reduction(reduction);
  if (st == TL_OK) st = check_groups(ids, sizes, n);
  if (st != TL_OK) {
    tl_builder_fail(b, st);
    return NULL;
  }
  return tlo_all_reduce(b, x, &(tl_groups){.ids = ids, .n = n, .size = sizes[0]}, TL_OP_ADD);
}
