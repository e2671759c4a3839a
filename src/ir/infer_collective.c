// Type rules of ops of several processes: collectives, and the ids of a process.
//
// How many processes there are is known when a program runs, not before: that ids are below their
// number, and cover it, is checked there (src/ref/collective.c), with the same labels.
#include "ir/rule.h"

typedef struct group_labels {
  const char *unique, *range;
  const char *ragged; // NULL: groups of several sizes are fine
} group_labels;

// *out_size: processes of the largest group.
static tl_status groups_sound(const tl_rule *r, tl_attr_id id, group_labels labels,
                              int64_t *out_size) {
  const tl_groups *given = tl_op_groups(r->op, id);
  TL_RULE(r, given != NULL, NULL, "wants the attribute replica_groups");
  const tl_groups *g = tl_groups_resolve(r->module, given, r->arena);
  TL_RULE(r, g != NULL, labels.range,
          "replica_groups names axes that are not those of a mesh of the module");
  TL_RULE(r, g->n > 0 && g->size > 0, labels.range, "replica_groups has no group");
  size_t n = (size_t)g->n * g->size;
  TL_RULE(r, n <= TL_MAX_DEVICES, labels.range, "replica_groups has %zu ids, the most is %d", n,
          TL_MAX_DEVICES);
  for (size_t i = 0; i < n; i++) {
    const int64_t x = g->ids[i];
    const bool pad = x == -1 && i % g->size != 0;
    TL_RULE(r, x >= 0 || pad, labels.range, "replica_groups names process %lld", (long long)x);
    TL_RULE(r, !pad || labels.ragged == NULL, labels.ragged,
            "replica_groups has groups of several sizes");
    TL_RULE(r, x < 0 || i % g->size == 0 || g->ids[i - 1] >= 0, labels.range,
            "replica_groups has an id behind the -1 that fills up its group");
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i && g->ids[i] >= 0; j++)
      TL_RULE(r, g->ids[i] != g->ids[j], labels.unique, "replica_groups names process %lld twice",
              (long long)g->ids[i]);
  *out_size = g->size;
  return TL_OK;
}

static tl_status channel_sound(const tl_rule *r, tl_attr_id channel, tl_attr_id global,
                               const char *label) {
  tl_i64s handle = tl_op_list(r->op, channel);
  TL_RULE(r, !tl_op_i64(r->op, global) || (handle.len > 0 && handle.ptr[0] > 0), label,
          "use_global_device_ids wants a channel_handle over 0");
  return TL_OK;
}

// The region's element type, which every operand before `n` may become.
static tl_status computation(const tl_rule *r, uint32_t n, const char *label, tl_dtype *out) {
  const tl_block *body = r->op->regions[0];
  const tl_op *ret = body->last;
  TL_RULE(r, body->n_args == 2 && ret != NULL && ret->code == TL_OP_RETURN && ret->n_operands == 1,
          label, "the region wants 2 arguments and 1 returned value");
  tl_type t = ret->operands[0]->type, a = body->args[0]->type, b = body->args[1]->type;
  for (uint32_t i = 0; i < n; i++) {
    tl_type x = tl_rule_in(r, i);
    bool wider = tl_dtype_get(x.dtype)->size <= tl_dtype_get(t.dtype)->size &&
                 tl_rule_kind(x) == tl_rule_kind(t);
    TL_RULE(r, t.rank == 0 && tl_type_eq(t, a) && tl_type_eq(t, b) && wider, label,
            "the region takes %s and %s and gives %s for elements of %s", tl_rule_type(r, a),
            tl_rule_type(r, b), tl_rule_type(r, t), tl_rule_type(r, x));
  }
  *out = t.dtype;
  return TL_OK;
}

// Results are the first n operands, of element type `d` where it is not the count.
static tl_status give_operands(tl_rule *r, uint32_t n, tl_dtype d, const char *shape_label,
                               const char *element_label) {
  tl_type *types = TL_NEW(r->arena, tl_type, n + 1);
  if (types == NULL) return TL_OOM();
  for (uint32_t i = 0; i < n; i++) {
    types[i] = tl_rule_in(r, i);
    if (d != TL_DTYPE_COUNT) types[i].dtype = d;
    if (r->declared != NULL && i < r->n_declared)
      TL_RULE(r, r->declared[i].dtype == types[i].dtype, element_label,
              "result %u is declared %s, the region gives %s", i, tl_rule_type(r, r->declared[i]),
              tl_dtype_get(types[i].dtype)->mlir);
  }
  return tl_rule_give(r, types, n, shape_label);
}

// In groups across replicas and partitions each replica stands for all its partitions, whose number
// is not known here: what is declared says how many times the group's size there are.
static bool is_across(const tl_rule *r, tl_attr_id channel, tl_attr_id global) {
  tl_i64s handle = tl_op_list(r->op, channel);
  return r->declared != NULL && handle.len > 0 && handle.ptr[0] > 0 && !tl_op_i64(r->op, global);
}

tl_status tl_infer_all_gather(tl_rule *r) {
  const tl_op *op = r->op;
  const bool across =
      is_across(r, TL_A_ALL_GATHER_channel_handle, TL_A_ALL_GATHER_use_global_device_ids);
  const int64_t dim = tl_op_i64(op, TL_A_ALL_GATHER_all_gather_dim);
  int64_t size;
  TL_RULE(r, op->n_operands > 0, "i1", "wants an operand");
  TL_TRY(groups_sound(r, TL_A_ALL_GATHER_replica_groups, (group_labels){"c2", "c4", "c6"}, &size));
  TL_TRY(channel_sound(r, TL_A_ALL_GATHER_channel_handle, TL_A_ALL_GATHER_use_global_device_ids,
                       "c5"));
  tl_type *types = TL_NEW(r->arena, tl_type, op->n_operands);
  if (types == NULL) return TL_OOM();
  for (uint32_t i = 0; i < op->n_operands; i++) {
    tl_type x = tl_rule_in(r, i);
    int64_t dims[TL_MAX_RANK];
    TL_RULE(r, dim >= 0 && dim < x.rank, "c1", "gathers along dim %lld of %s", (long long)dim,
            tl_rule_type(r, x));
    memcpy(dims, x.dims, x.rank * sizeof *dims);
    TL_RULE(r, tl_dim_mul(r->module, dims[dim], size, &dims[dim]), "c6",
            "dim %lld does not fit in 64 bits", (long long)dim);
    if (across && i < r->n_declared && r->declared[i].rank == x.rank && dims[dim] > 0 &&
        r->declared[i].dims[dim] % dims[dim] == 0)
      dims[dim] = r->declared[i].dims[dim];
    types[i] = tl_type_of(r->arena, x.dtype, dims, x.rank);
    if (types[i].dims == NULL) return TL_OOM();
  }
  return tl_rule_give(r, types, op->n_operands, "c6");
}

tl_status tl_infer_all_reduce(tl_rule *r) {
  int64_t size;
  tl_dtype d = TL_DTYPE_COUNT;
  TL_RULE(r, r->op->n_operands > 0, "i1", "wants an operand");
  TL_TRY(groups_sound(r, TL_A_ALL_REDUCE_replica_groups, (group_labels){"c1", "c3", NULL}, &size));
  TL_TRY(channel_sound(r, TL_A_ALL_REDUCE_channel_handle, TL_A_ALL_REDUCE_use_global_device_ids,
                       "c4"));
  TL_TRY(computation(r, r->op->n_operands, "c5", &d));
  return give_operands(r, r->op->n_operands, d, "c6", "c7");
}

tl_status tl_infer_all_to_all(tl_rule *r) {
  const tl_op *op = r->op;
  const int64_t split = tl_op_i64(op, TL_A_ALL_TO_ALL_split_dimension),
                concat = tl_op_i64(op, TL_A_ALL_TO_ALL_concat_dimension),
                count = tl_op_i64(op, TL_A_ALL_TO_ALL_split_count);
  int64_t size;
  TL_RULE(r, op->n_operands > 0, "i1", "wants an operand");
  TL_TRY(groups_sound(r, TL_A_ALL_TO_ALL_replica_groups, (group_labels){"c5", "c7", "c8"}, &size));
  TL_RULE(r, count > 0, "c4", "split_count is %lld", (long long)count);
  TL_RULE(r, size == count, "c8", "groups of %lld, wanted split_count, which is %lld",
          (long long)size, (long long)count);
  tl_type *types = TL_NEW(r->arena, tl_type, op->n_operands);
  if (types == NULL) return TL_OOM();
  for (uint32_t i = 0; i < op->n_operands; i++) {
    tl_type x = tl_rule_in(r, i);
    int64_t dims[TL_MAX_RANK];
    TL_RULE(r, split >= 0 && split < x.rank, "c1", "splits dim %lld of %s", (long long)split,
            tl_rule_type(r, x));
    TL_RULE(r, concat >= 0 && concat < x.rank, "c3", "concatenates along dim %lld of %s",
            (long long)concat, tl_rule_type(r, x));
    memcpy(dims, x.dims, x.rank * sizeof *dims);
    TL_RULE(r, tl_dim_divide(r->module, dims[split], count, &dims[split]), "c2",
            "dim %lld of %s, in %lld parts", (long long)split, tl_rule_type(r, x),
            (long long)count);
    TL_RULE(r, tl_dim_mul(r->module, dims[concat], count, &dims[concat]), "c9",
            "dim %lld does not fit in 64 bits", (long long)concat);
    types[i] = tl_type_of(r->arena, x.dtype, dims, x.rank);
    if (types[i].dims == NULL) return TL_OOM();
  }
  return tl_rule_give(r, types, op->n_operands, "c9");
}

// n data operands, and where the root is dynamic a last one with a root for each.
static tl_status roots_sound(const tl_rule *r, bool dynamic, const char *one, const char *root,
                             uint32_t *out_n) {
  const uint32_t n = r->op->n_operands;
  TL_RULE(r, n >= (dynamic ? 2u : 1u), one, "wants %s, got %u operands",
          dynamic ? "an operand and its root" : "an operand", n);
  *out_n = n - dynamic;
  const int64_t dims[1] = {n - 1};
  TL_RULE(r, !dynamic || tl_type_eq(tl_rule_in(r, n - 1), (tl_type){TL_DTYPE_S32, 1, dims}), root,
          "wants %u roots as the last operand, got %s", n - 1,
          tl_rule_type(r, tl_rule_in(r, n - 1)));
  return TL_OK;
}

tl_status tl_infer_collective_broadcast(tl_rule *r) {
  int64_t size;
  uint32_t n = 0;
  const bool dynamic = tl_op_i64(r->op, TL_A_COLLECTIVE_BROADCAST_has_dynamic_root) != 0;
  TL_TRY(groups_sound(r, TL_A_COLLECTIVE_BROADCAST_replica_groups, (group_labels){"c1", "c2", NULL},
                      &size));
  TL_TRY(roots_sound(r, dynamic, dynamic ? "c4" : "c3", "c4", &n));
  TL_RULE(r, r->declared == NULL || r->n_declared == n, "c5", "has %u results, wants %u",
          r->n_declared, n);
  return give_operands(r, n, TL_DTYPE_COUNT, dynamic ? "c4" : "c3", dynamic ? "c4" : "c3");
}

tl_status tl_infer_collective_reduce(tl_rule *r) {
  int64_t size;
  uint32_t n = 0;
  tl_dtype d = TL_DTYPE_COUNT;
  TL_TRY(groups_sound(r, TL_A_COLLECTIVE_REDUCE_replica_groups, (group_labels){"c1", "c2", NULL},
                      &size));
  TL_TRY(roots_sound(r, tl_op_i64(r->op, TL_A_COLLECTIVE_REDUCE_has_dynamic_root) != 0, "c3", "c3",
                     &n));
  TL_TRY(computation(r, n, "c4", &d));
  return give_operands(r, n, d, "c3", "c4");
}

tl_status tl_infer_collective_permute(tl_rule *r) {
  tl_i64s pairs = tl_op_list(r->op, TL_A_COLLECTIVE_PERMUTE_source_target_pairs);
  TL_RULE(r, pairs.len % 2 == 0, "c1", "source_target_pairs has %zu ids, wants pairs", pairs.len);
  TL_RULE(r, pairs.len <= 2 * TL_MAX_DEVICES, "c4",
          "source_target_pairs has %zu ids, the most is %d", pairs.len, 2 * TL_MAX_DEVICES);
  for (size_t i = 0; i < pairs.len; i++) {
    TL_RULE(r, pairs.ptr[i] >= 0, "c4", "source_target_pairs names process %lld",
            (long long)pairs.ptr[i]);
    for (size_t j = i % 2; j < i; j += 2)
      TL_RULE(r, pairs.ptr[i] != pairs.ptr[j], i % 2 == 0 ? "c2" : "c3",
              "process %lld is a %s twice", (long long)pairs.ptr[i],
              i % 2 == 0 ? "source" : "target");
  }
  return tl_rule_give1(r, tl_rule_in(r, 0), "c5");
}

tl_status tl_infer_reduce_scatter(tl_rule *r) {
  const int64_t dim = tl_op_i64(r->op, TL_A_REDUCE_SCATTER_scatter_dimension);
  int64_t size = 1, dims[TL_MAX_RANK];
  tl_dtype d = TL_DTYPE_COUNT;
  tl_type x = tl_rule_in(r, 0);
  TL_TRY(
      groups_sound(r, TL_A_REDUCE_SCATTER_replica_groups, (group_labels){"c3", "c5", "c1"}, &size));
  TL_TRY(channel_sound(r, TL_A_REDUCE_SCATTER_channel_handle,
                       TL_A_REDUCE_SCATTER_use_global_device_ids, "c6"));
  TL_RULE(r, dim >= 0 && dim < x.rank, "c2", "scatters dim %lld of %s", (long long)dim,
          tl_rule_type(r, x));
  memcpy(dims, x.dims, x.rank * sizeof *dims);
  TL_RULE(r, tl_dim_divide(r->module, dims[dim], size, &dims[dim]), "c1",
          "dim %lld of %s, in %lld parts", (long long)dim, tl_rule_type(r, x), (long long)size);
  TL_TRY(computation(r, 1, "c7", &d));
  TL_RULE(r, r->declared == NULL || r->n_declared != 1 || r->declared[0].dtype == d, "c9",
          "the result is declared %s, the region gives %s", tl_rule_type(r, r->declared[0]),
          tl_dtype_get(d)->mlir);
  if (is_across(r, TL_A_REDUCE_SCATTER_channel_handle, TL_A_REDUCE_SCATTER_use_global_device_ids) &&
      r->n_declared == 1 && r->declared[0].rank == x.rank && r->declared[0].dims[dim] > 0 &&
      dims[dim] >= 0 && dims[dim] % r->declared[0].dims[dim] == 0)
    dims[dim] = r->declared[0].dims[dim];
  return tl_rule_give_dims(r, d, dims, x.rank, "c8");
}

tl_status tl_infer_process_id(tl_rule *r) { // a ui32 scalar
  return tl_rule_give1(r, tl_type_scalar(TL_DTYPE_U32), "o1");
}

// interpreter.probe and check.expect_serialized_eq: a value and a name for it.
tl_status tl_infer_probe(tl_rule *r) {
  if (r->op->code == TL_OP_PROBE) return tl_rule_give1(r, tl_rule_in(r, 0), "c1");
  TL_RULE(r, tl_op_i64(r->op, TL_A_EXPECT_SERIALIZED_EQ_iter) >= 0, "i2", "iter is negative");
  return tl_rule_give(r, NULL, 0, NULL);
}

// Programs of a grid, [replicas][partitions]: operands are their arguments, process by process, and
// results are theirs. All are there, or will be.
tl_status tl_infer_run_parallel(tl_rule *r) {
  const tl_op *op = r->op;
  const tl_names *programs = tl_op_attr(op, TL_A_RUN_PARALLEL_programs)->names;
  TL_RULE(r, programs != NULL && programs->len > 0 && programs->n_columns > 0, "c1",
          "wants a program at least");
  TL_RULE(r, programs->len <= TL_MAX_DEVICES, "c1", "%u processes, the most is %d", programs->len,
          TL_MAX_DEVICES);
  uint32_t arg = 0, n = 0, cap = 0;
  tl_type *types = NULL;
  for (uint32_t i = 0; i < programs->len; i++) {
    const tl_func *fn = tl_module_find(r->module, programs->ptr[i]);
    const bool complete =
        fn != NULL && fn->body->last != NULL && fn->body->last->code == TL_OP_RETURN;
    if (!complete && !r->finished) return tl_rule_give(r, r->declared, r->n_declared, NULL);
    TL_RULE(r, complete, "c2", "@" TL_STR_FMT " is not defined", TL_STR_ARG(programs->ptr[i]));
    for (uint32_t k = 0; k < fn->body->n_args; k++, arg++)
      TL_RULE(r, arg < op->n_operands && tl_type_eq(tl_rule_in(r, arg), fn->body->args[k]->type),
              "c3", "operand %u is not argument %u of @" TL_STR_FMT, arg, k, TL_STR_ARG(fn->name));
    if (n + fn->n_results > cap) {
      const tl_type *old = types;
      cap = 2 * (n + fn->n_results);
      types = TL_NEW(r->arena, tl_type, cap);
      if (types == NULL) return TL_OOM();
      if (n > 0) memcpy(types, old, n * sizeof *types);
    }
    for (uint32_t k = 0; k < fn->n_results; k++)
      types[n++] = fn->result_types[k];
  }
  TL_RULE(r, arg == op->n_operands, "c3", "has %u operands, the programs take %u", op->n_operands,
          arg);
  return tl_rule_give(r, types, n, "c4");
}
