// Collectives: what each process computes from what its group brought (grid.h).
//
// A process computes all of its own results; those of a reduction are computed by every member
// alike, so the order of the group alone decides their bits: ((v0 + v1) + v2) + …, each step
// rounded to the region's element type. The specification leaves the tree of a reduction free; this
// is ours.
//
// Whatever the groups leave out: all_reduce, all_gather, all_to_all and reduce_scatter want every
// process in a group; collective_broadcast, collective_permute and collective_reduce give zeros to
// a process that is in none.
#include "ref/collective.h"

#include <string.h>

#include "ref/lanes.h"
#include "ref/strided.h"

typedef struct grouping {
  tl_attr_id channel, groups, global; // global 0: the op has no such
  const char *range, *cover;          // labels
} grouping;

static tl_strategy strategy_of(const tl_op *op, const grouping *how, bool cross_partition) {
  tl_i64s handle = tl_op_list(op, how->channel);
  const bool channel = handle.len > 0 && handle.ptr[0] > 0;
  if (!channel) return TL_CROSS_REPLICA;
  if (cross_partition) return TL_CROSS_PARTITION;
  return tl_op_i64(op, how->global) ? TL_FLATTENED_IDS : TL_CROSS_REPLICA_AND_PARTITION;
}

static const tl_module *module_of(const tl_op *op) {
  return op->block == NULL || op->block->func == NULL ? NULL : op->block->func->module;
}

static tl_status same_types(const tl_ref_call *c, const tl_meeting *m) {
  for (uint32_t i = 0; i < m->group.n; i++)
    for (uint32_t k = 0; k < c->op->n_operands; k++)
      if (!tl_type_eq(m->brought[i][k].type, c->in[k].type))
        return TL_ERROR(INVALID_ARGUMENT, "%s: processes of a group bring operands of other types",
                        tl_op_get(c->op->code)->mnemonic);
  return TL_OK;
}

// Brings this process together with its group.
static tl_status meet(const tl_ref_call *c, tl_meeting *m) {
  m->brought = TL_NEW(c->scratch, const tl_tensor *, m->group.n);
  if (m->brought == NULL) {
    m->at.grid = NULL;
    return TL_OOM();
  }
  bool alone = m->at.grid == NULL || m->group.n == 1;
  if (alone) {
    for (uint32_t i = 0; i < m->group.n; i++)
      m->brought[i] = c->in;
    m->at.grid = NULL;
    return TL_OK;
  }
  const void **what = TL_NEW(c->scratch, const void *, m->group.n);
  tl_status st = what == NULL ? TL_OOM()
                              : tl_grid_meet(m->at.grid, m->at.self, c->op, m->group.members,
                                             m->group.n, c->in, what);
  if (st != TL_OK) {
    m->at.grid = NULL;
    return st;
  }
  for (uint32_t i = 0; i < m->group.n; i++)
    m->brought[i] = what[i];
  return same_types(c, m);
}

void tl_collective_part(const tl_meeting *m) {
  if (m->at.grid != NULL) tl_grid_part(m->at.grid, m->at.self);
}

static tl_status find_group(const tl_ref_call *c, const grouping *how, bool cross_partition,
                            tl_meeting *m) {
  const char *mnemonic = tl_op_get(c->op->code)->mnemonic;
  const tl_groups *groups =
      tl_groups_resolve(module_of(c->op), tl_op_groups(c->op, how->groups), c->scratch);
  if (groups == NULL)
    return TL_ERROR(INVALID_ARGUMENT, "%s: the groups' mesh is not there (%s_%s)", mnemonic,
                    mnemonic, how->range);
  return tl_grid_group(m->at, strategy_of(c->op, how, cross_partition), groups, mnemonic,
                       how->range, how->cover, c->scratch, &m->group);
}

static void zero(const tl_tensor *t) {
  size_t size;
  if (tl_type_size(t->type, &size) && size > 0) memset(t->data, 0, size);
}

static void copy(const tl_tensor *from, const tl_tensor *to) {
  size_t size;
  if (tl_type_size(to->type, &size) && size > 0) memcpy(to->data, from->data, size);
}

// ---- reductions ----

// out = x, in out's element type.
static tl_status convert_into(const tl_tensor *x, const tl_tensor *out, size_t count) {
  if (x->type.dtype == out->type.dtype) {
    copy(x, out);
    return TL_OK;
  }
  const size_t size = tl_dtype_get(out->type.dtype)->size;
  for (size_t i = 0; i < count; i++) {
    tl_ref_cell one;
    TL_TRY(tl_ref_cell_scalar(x, i, out->type.dtype, &one));
    memcpy((unsigned char *)out->data + i * size, one.t.data, size);
    tl_ref_release(&one);
  }
  return TL_OK;
}

// out = op(out, x), elementwise. False when op has no meaning for the type.
static bool fold_lanes(tl_opcode op, const tl_tensor *x, const tl_tensor *out, size_t count) {
  const tl_dtype d = out->type.dtype;
  const tl_lanes_kind kind = tl_lanes_kind_of(d);
  tl_lanes a, b;
  for (size_t at = 0; at < count; at += TL_LANES) {
    const size_t n = TL_MIN(count - at, TL_LANES);
    tl_lanes_load(&a, d, out->data, at, n);
    tl_lanes_load_as(&b, kind, x->type.dtype, x->data, at, n);
    if (!tl_lanes_binary(op, kind, tl_lanes_bits(d), n, &a, &b, &a)) return false;
    tl_lanes_store(&a, kind, d, out->data, at, n);
  }
  return true;
}

static tl_status fold_region(tl_ref_call *c, const tl_tensor *x, const tl_tensor *out,
                             size_t count) {
  const tl_dtype d = out->type.dtype;
  const size_t size = tl_dtype_get(d)->size;
  for (size_t i = 0; i < count; i++) {
    tl_ref_cell args[2] = {0}, y = {0};
    tl_status st = tl_ref_cell_scalar(out, i, d, &args[0]);
    if (st == TL_OK) st = tl_ref_cell_scalar(x, i, d, &args[1]);
    if (st == TL_OK) st = tl_ref_run_region(c, 0, args, 2, &y, 1);
    if (st == TL_OK) memcpy((unsigned char *)out->data + i * size, y.t.data, size);
    tl_ref_release(&args[0]);
    tl_ref_release(&args[1]);
    tl_ref_release(&y);
    TL_TRY(st);
  }
  return TL_OK;
}

// out = xs[0] . xs[1] . … of n tensors of out's shape.
static tl_status fold(tl_ref_call *c, const tl_tensor *xs, uint32_t n, const tl_tensor *out) {
  size_t count;
  if (!tl_type_count(out->type, &count)) return TL_ERROR(INTERNAL, "a result without a size");
  if (count == 0) return TL_OK;
  TL_TRY(convert_into(&xs[0], out, count));
  tl_opcode op = TL_OP_COUNT;
  const tl_region_kind kind = tl_ref_region_kind(c->op->regions[0], &op);
  const bool lanes = kind == TL_REGION_OP &&
                     tl_lanes_kind_of(xs[0].type.dtype) == tl_lanes_kind_of(out->type.dtype);
  for (uint32_t i = 1; i < n; i++) {
    if (lanes && fold_lanes(op, &xs[i], out, count)) continue;
    TL_TRY(fold_region(c, &xs[i], out, count));
  }
  return TL_OK;
}

// Operand k of all members.
static tl_tensor *operands_of(const tl_ref_call *c, const tl_meeting *m, uint32_t k) {
  tl_tensor *xs = TL_NEW(c->scratch, tl_tensor, m->group.n);
  for (uint32_t i = 0; xs != NULL && i < m->group.n; i++)
    xs[i] = m->brought[i][k];
  return xs;
}

static tl_status not_there(const tl_ref_call *c, const char *label) {
  const char *mnemonic = tl_op_get(c->op->code)->mnemonic;
  return TL_ERROR(INVALID_ARGUMENT, "%s: no group has this process (%s_%s)", mnemonic, mnemonic,
                  label);
}

// ---- parts of tensors ----

// Part `i` of n along a dim, dense in scratch.
static tl_status slice_of(const tl_ref_call *c, const tl_tensor *x, int64_t dim, uint32_t i,
                          int64_t n, tl_tensor *out) {
  const size_t size = tl_dtype_get(x->type.dtype)->size;
  int64_t *dims = TL_NEW(c->scratch, int64_t, x->type.rank);
  size_t bytes;
  if (dims == NULL) return TL_OOM();
  memcpy(dims, x->type.dims, x->type.rank * sizeof *dims);
  dims[dim] /= n;
  *out = (tl_tensor){{x->type.dtype, x->type.rank, dims}, NULL};
  if (!tl_type_size(out->type, &bytes)) return TL_ERROR(INTERNAL, "a part without a size");
  out->data = tl_arena_alloc(c->scratch, TL_MAX(bytes, (size_t)1), 16);
  if (out->data == NULL) return TL_OOM();
  tl_strided box = {.rank = x->type.rank};
  memcpy(box.dims, dims, x->type.rank * sizeof *dims);
  tl_strides_of(x->type, box.src);
  tl_strides_of(out->type, box.dst);
  if (bytes > 0)
    tl_strided_copy(&box, size,
                    (const unsigned char *)x->data +
                        (int64_t)i * dims[dim] * box.src[dim] * (int64_t)size,
                    out->data);
  return TL_OK;
}

// x becomes part `i` of out along a dim.
static void place_in(const tl_tensor *x, int64_t dim, uint32_t i, const tl_tensor *out) {
  const size_t size = tl_dtype_get(x->type.dtype)->size;
  tl_strided box = {.rank = x->type.rank};
  size_t bytes;
  if (!tl_type_size(x->type, &bytes) || bytes == 0) return;
  memcpy(box.dims, x->type.dims, x->type.rank * sizeof *box.dims);
  tl_strides_of(x->type, box.src);
  tl_strides_of(out->type, box.dst);
  tl_strided_copy(&box, size, x->data,
                  (unsigned char *)out->data +
                      (int64_t)i * x->type.dims[dim] * box.dst[dim] * (int64_t)size);
}

// Result k from what all brought.
static tl_status from_all(tl_ref_call *c, const tl_meeting *m, uint32_t k) {
  const tl_tensor *out = &c->out[k].t;
  const uint32_t n = m->group.n;
  tl_tensor *xs = operands_of(c, m, k), one = {0};
  tl_status st = xs == NULL ? TL_OOM() : TL_OK;
  switch (c->op->code) {
  case TL_OP_ALL_GATHER:
    for (uint32_t i = 0; i < n && st == TL_OK; i++)
      place_in(&xs[i], tl_op_i64(c->op, TL_A_ALL_GATHER_all_gather_dim), i, out);
    return st;
  case TL_OP_ALL_TO_ALL:
    for (uint32_t i = 0; i < n && st == TL_OK; i++) {
      st = slice_of(c, &xs[i], tl_op_i64(c->op, TL_A_ALL_TO_ALL_split_dimension), m->group.self, n,
                    &one);
      if (st == TL_OK) place_in(&one, tl_op_i64(c->op, TL_A_ALL_TO_ALL_concat_dimension), i, out);
    }
    return st;
  case TL_OP_REDUCE_SCATTER:
    for (uint32_t i = 0; i < n && st == TL_OK; i++) {
      st = slice_of(c, &xs[i], tl_op_i64(c->op, TL_A_REDUCE_SCATTER_scatter_dimension),
                    m->group.self, n, &one);
      xs[i] = one;
    }
    break;
  default:
    break;
  }
  return st == TL_OK ? fold(c, xs, n, out) : st;
}

// ---- from one to others ----

// The member who is the root of operand k.
static tl_status root_of(const tl_ref_call *c, const tl_meeting *m, bool dynamic, uint32_t k,
                         uint32_t *out) {
  *out = 0;
  if (!dynamic) return TL_OK;
  const int64_t root = tl_ref_index(&c->in[c->op->n_operands - 1], k);
  if (root < 0 || root >= (int64_t)m->group.n)
    return TL_ERROR(INVALID_ARGUMENT, "%s: root %lld of a group of %u (%s_c6)",
                    tl_op_get(c->op->code)->mnemonic, (long long)root, m->group.n,
                    tl_op_get(c->op->code)->mnemonic);
  *out = (uint32_t)root;
  return TL_OK;
}

// Those who are connected by pairs meet: a chain 0 -> 1 -> 2 is one group, in the order of ids.
static tl_status chain_of(const tl_ref_call *c, tl_i64s pairs, int64_t own, int64_t **out_ids,
                          uint32_t *out_n) {
  int64_t *ids = TL_NEW(c->scratch, int64_t, pairs.len + 1);
  if (ids == NULL) return TL_OOM();
  uint32_t n = 0;
  ids[n++] = own;
  for (uint32_t at = 0; at < n; at++)
    for (size_t i = 0; i < pairs.len; i++) {
      if (pairs.ptr[i] != ids[at]) continue;
      const int64_t other = pairs.ptr[i ^ 1];
      bool known = false;
      for (uint32_t k = 0; k < n; k++)
        known |= ids[k] == other;
      if (!known) ids[n++] = other;
    }
  for (uint32_t i = 1; i < n; i++) // by id
    for (uint32_t k = i; k > 0 && ids[k - 1] > ids[k]; k--) {
      const int64_t x = ids[k];
      ids[k] = ids[k - 1];
      ids[k - 1] = x;
    }
  *out_ids = ids;
  *out_n = n;
  return TL_OK;
}

static tl_status meet_in_chain(const tl_ref_call *c, tl_meeting *m, int64_t *from) {
  const tl_i64s pairs = tl_op_list(c->op, TL_A_COLLECTIVE_PERMUTE_source_target_pairs),
                handle = tl_op_list(c->op, TL_A_COLLECTIVE_PERMUTE_channel_handle);
  const bool by_partition = handle.len > 0 && handle.ptr[0] > 0;
  const uint32_t n_partitions = m->at.grid == NULL ? 1 : tl_grid_partitions(m->at.grid),
                 n_replicas = m->at.grid == NULL ? 1 : tl_grid_replicas(m->at.grid),
                 limit = by_partition ? n_partitions : n_replicas;
  const int64_t own = by_partition ? m->at.self % n_partitions : m->at.self / n_partitions;
  for (size_t i = 0; i < pairs.len && !m->at.single_process; i++)
    if (pairs.ptr[i] >= (int64_t)limit)
      return TL_ERROR(INVALID_ARGUMENT,
                      "collective_permute: a pair names %s %lld, there %s %u "
                      "(collective_permute_c4)",
                      by_partition ? "partition" : "replica", (long long)pairs.ptr[i],
                      limit == 1 ? "is" : "are", limit);
  int64_t source = -1, *ids = NULL;
  for (size_t i = 0; i + 1 < pairs.len; i += 2)
    if (pairs.ptr[i + 1] == own) source = pairs.ptr[i];
  *from = TL_FROM_NONE;
  if (m->at.single_process) {
    if (source >= 0) *from = 0;
    m->group = (tl_group){.n = 1};
    return meet(c, m);
  }
  TL_TRY(chain_of(c, pairs, own, &ids, &m->group.n));
  uint32_t *members = TL_NEW(c->scratch, uint32_t, m->group.n);
  if (members == NULL) return TL_OOM();
  for (uint32_t i = 0; i < m->group.n; i++) {
    members[i] = by_partition ? m->at.self - (uint32_t)own + (uint32_t)ids[i]
                              : (uint32_t)ids[i] * n_partitions + m->at.self % n_partitions;
    if (source >= 0 && ids[i] == source) *from = i;
    if (ids[i] == own) m->group.self = i;
  }
  m->group.members = members;
  return meet(c, m);
}

// ---- both halves ----

typedef struct collective {
  grouping how;
  bool cross_partition, needs_all; // a process in no group is refused
  tl_attr_id root;                 // whether it has a dynamic one; 0: no such
} collective;

static const collective *collective_of(tl_opcode code) {
#define ROW(id, global, range, cover, cross, all, root)                                 \
  case TL_OP_##id: {                                                                    \
    static const collective row = {                                                     \
        {TL_A_##id##_channel_handle, TL_A_##id##_replica_groups, global, range, cover}, \
        cross,                                                                          \
        all,                                                                            \
        root};                                                                          \
    return &row;                                                                        \
  }
  switch (code) {
    ROW(ALL_REDUCE, TL_A_ALL_REDUCE_use_global_device_ids, "c3", NULL, false, true, 0)
    ROW(ALL_GATHER, TL_A_ALL_GATHER_use_global_device_ids, "c4", "c3", false, true, 0)
    ROW(REDUCE_SCATTER, TL_A_REDUCE_SCATTER_use_global_device_ids, "c5", "c4", false, true, 0)
    ROW(ALL_TO_ALL, TL_A_ALL_TO_ALL_channel_handle, "c7", "c6", true, true, 0)
    ROW(COLLECTIVE_BROADCAST, TL_A_COLLECTIVE_BROADCAST_channel_handle, "c2", NULL, true, false,
        TL_A_COLLECTIVE_BROADCAST_has_dynamic_root)
    ROW(COLLECTIVE_REDUCE, TL_A_COLLECTIVE_REDUCE_channel_handle, "c2", NULL, true, false,
        TL_A_COLLECTIVE_REDUCE_has_dynamic_root)
  default:
    return NULL;
  }
#undef ROW
}

// That the group's size is what the types say.
static tl_status sizes_fit(const tl_ref_call *c, const tl_meeting *m) {
  const uint32_t n = m->group.n;
  if (c->op->code == TL_OP_ALL_GATHER) {
    const int64_t dim = tl_op_i64(c->op, TL_A_ALL_GATHER_all_gather_dim);
    for (uint32_t k = 0; k < c->op->n_operands; k++)
      if (c->in[k].type.dims[dim] * n != c->out[k].t.type.dims[dim])
        return TL_ERROR(INVALID_ARGUMENT,
                        "all_gather: a group of %u gathers dim %lld of %lld "
                        "elements into %lld (all_gather_c6)",
                        n, (long long)dim, (long long)c->in[k].type.dims[dim],
                        (long long)c->out[k].t.type.dims[dim]);
  }
  if (c->op->code == TL_OP_REDUCE_SCATTER) {
    const int64_t dim = tl_op_i64(c->op, TL_A_REDUCE_SCATTER_scatter_dimension);
    if (c->out[0].t.type.dims[dim] * n != c->in[0].type.dims[dim])
      return TL_ERROR(INVALID_ARGUMENT,
                      "reduce_scatter: a group of %u scatters dim %lld of %lld "
                      "elements into %lld (reduce_scatter_c8)",
                      n, (long long)dim, (long long)c->in[0].type.dims[dim],
                      (long long)c->out[0].t.type.dims[dim]);
  }
  return TL_OK;
}

tl_status tl_collective_meet(tl_ref_call *c, tl_place at, tl_meeting *m) {
  *m = (tl_meeting){.at = at};
  m->at.grid = NULL; // nobody was met
  int64_t *from = TL_NEW(c->scratch, int64_t, c->op->n_results + 1u);
  if (from == NULL) return TL_OOM();
  m->from = from;
  tl_meeting now = {.at = at, .from = from};
  if (c->op->code == TL_OP_COLLECTIVE_PERMUTE) {
    tl_status st = meet_in_chain(c, &now, from);
    if (now.brought == NULL) now.at.grid = NULL;
    *m = now;
    return st;
  }
  const collective *row = collective_of(c->op->code);
  if (row == NULL)
    return TL_ERROR(INTERNAL, "%s is no collective", tl_op_get(c->op->code)->mnemonic);
  TL_TRY(find_group(c, &row->how, row->cross_partition, &now));
  if (now.group.n == 0) {
    if (row->needs_all) return not_there(c, row->how.cover ? row->how.cover : "c2");
    for (uint32_t k = 0; k < c->op->n_results; k++)
      from[k] = TL_FROM_NONE;
    return TL_OK;
  }
  TL_TRY(sizes_fit(c, &now));
  tl_status st = meet(c, &now);
  *m = now;
  for (uint32_t k = 0; k < c->op->n_results && st == TL_OK; k++) {
    uint32_t root = 0;
    from[k] = TL_FROM_ALL;
    if (row->root == 0) continue;
    st = root_of(c, m, tl_op_i64(c->op, row->root) != 0, k, &root);
    if (c->op->code == TL_OP_COLLECTIVE_BROADCAST)
      from[k] = root;
    else if (root != m->group.self)
      from[k] = TL_FROM_NONE;
  }
  return st;
}

static tl_status run_collective(tl_ref_call *c) {
  tl_meeting m;
  tl_status st = tl_collective_meet(c, tl_ref_context_of(c)->place, &m);
  for (uint32_t k = 0; k < c->op->n_results && st == TL_OK; k++)
    if (m.from[k] == TL_FROM_ALL)
      st = from_all(c, &m, k);
    else if (m.from[k] == TL_FROM_NONE)
      zero(&c->out[k].t);
    else
      copy(&m.brought[m.from[k]][k], &c->out[k].t);
  tl_collective_part(&m);
  return st;
}

#define COLLECTIVE(id) \
  tl_status ref_eval_##id(tl_ref_call *c) { return run_collective(c); }
COLLECTIVE(ALL_GATHER)
COLLECTIVE(ALL_REDUCE)
COLLECTIVE(ALL_TO_ALL)
COLLECTIVE(COLLECTIVE_BROADCAST)
COLLECTIVE(COLLECTIVE_PERMUTE)
COLLECTIVE(COLLECTIVE_REDUCE)
COLLECTIVE(REDUCE_SCATTER)

// ---- ids ----

static tl_status give_id(tl_ref_call *c, bool partition) {
  const tl_place at = tl_ref_context_of(c)->place;
  const uint32_t n_partitions = at.grid == NULL ? 1 : tl_grid_partitions(at.grid),
                 id = partition ? at.self % n_partitions : at.self / n_partitions;
  memcpy(c->out[0].t.data, &id, sizeof id);
  return TL_OK;
}

tl_status ref_eval_PARTITION_ID(tl_ref_call *c) { return give_id(c, true); }
tl_status ref_eval_REPLICA_ID(tl_ref_call *c) { return give_id(c, false); }
