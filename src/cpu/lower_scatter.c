// scatter: first, in parallel, where each element of the updates goes (-1: nowhere); then updates
// are applied in their own order.
//
// Threads share the result: each goes through all places and applies those of its own range, so
// that updates of one element keep their order, whatever the number of threads. Updates are applied
// up to 256 at a time by the region's program; a batch ends before an element that it has already.
#include "cpu/lower.h"

#include <string.h>

#include "cpu/nest.h"
#include "cpu/tile.h"

enum { BATCH = 256, SEEN = 4096, MAX_INPUTS = 8, SCATTER_GRAIN = 64, PARALLEL_UPDATES = 8192 };

typedef struct scatter_params {
  nest_program program; // present [n], update [n] -> next [n], dense; then what it captures
  uint32_t n;           // results
  size_t count, n_updates;
  size_t size[MAX_INPUTS]; // bytes of an element
} scatter_params;

typedef struct batch { // in a thread's scratch
  int64_t to[BATCH], from[BATCH];
  uint32_t seen[SEEN]; // the batch that had an element of this number
  uint8_t present[MAX_INPUTS][BATCH * 8], update[MAX_INPUTS][BATCH * 8],
      next[MAX_INPUTS][BATCH * 8];
} batch;

static void take(uint8_t *to, const uint8_t *from, const int64_t *at, size_t size, size_t n) {
#define TAKE(T)                                                    \
  for (size_t i = 0; i < n; i++)                                   \
    ((T *)(void *)to)[i] = ((const T *)(const void *)from)[at[i]]; \
  break
  switch (size) {
  case 1:
    TAKE(uint8_t);
  case 2:
    TAKE(uint16_t);
  case 4:
    TAKE(uint32_t);
  default:
    TAKE(uint64_t);
  }
#undef TAKE
}

static void put(uint8_t *to, const uint8_t *from, const int64_t *at, size_t size, size_t n) {
#define PUT(T)                                                     \
  for (size_t i = 0; i < n; i++)                                   \
    ((T *)(void *)to)[at[i]] = ((const T *)(const void *)from)[i]; \
  break
  switch (size) {
  case 1:
    PUT(uint8_t);
  case 2:
    PUT(uint16_t);
  case 4:
    PUT(uint32_t);
  default:
    PUT(uint64_t);
  }
#undef PUT
}

static void apply(const plan_step *s, plan_exec *x, batch *b, void *const *arrays, uint8_t *scratch,
                  size_t n) {
  const scatter_params *e = s->params;
  for (uint32_t r = 0; r < e->n; r++) {
    take(b->present[r], step_out(s, x, r), b->to, e->size[r], n);
    take(b->update[r], step_in(s, x, 1 + r), b->from, e->size[r], n);
  }
  tile_run_some(e->program.tile, x->exe->cpu->kernels, arrays, scratch, n);
  for (uint32_t r = 0; r < e->n; r++)
    put(step_out(s, x, r), b->next[r], b->to, e->size[r], n);
}

static void run_scatter(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const scatter_params *e = s->params;
  const int64_t *places = step_in(s, x, 0);
  size_t low, high, n = 0;
  tl_pool_range(e->count, SCATTER_GRAIN, part, n_parts, &low, &high);
  if (low >= high) return;
  batch *b = (batch *)(void *)x->scratch;
  uint8_t *scratch = x->scratch + tl_round_up(sizeof *b, 64);
  uint8_t *own[3 * MAX_INPUTS];
  void *arrays[NEST_MAX_ARRAYS];
  for (uint32_t r = 0; r < e->n; r++) {
    own[r] = b->present[r];
    own[e->n + r] = b->update[r];
    own[2 * e->n + r] = b->next[r];
  }
  nest_program_arrays(&e->program, s, x, 1 + e->n, own, arrays);
  memset(b->seen, 0, sizeof b->seen);
  uint32_t stamp = 1;
  for (size_t i = 0; i < e->n_updates; i++) {
    const int64_t to = places[i];
    if (to < (int64_t)low || to >= (int64_t)high) continue;
    uint32_t *seen = &b->seen[(size_t)to % SEEN];
    if (n == BATCH || *seen == stamp) {
      apply(s, x, b, arrays, scratch, n);
      n = 0;
      if (++stamp == 0) { // wrapped
        memset(b->seen, 0, sizeof b->seen);
        stamp = 1;
      }
    }
    *seen = stamp;
    b->to[n] = to;
    b->from[n++] = (int64_t)i;
  }
  if (n > 0) apply(s, x, b, arrays, scratch, n);
}

bool plan_scatter(planner *p, const tl_op *op, const tl_block *region, const tl_value *updates,
                  const plan_view *out, uint32_t n_out, plan_view places) {
  const int64_t width = BATCH;
  const nest_map m = nest_identity(0, 1);
  tl_type row[MAX_INPUTS];
  uint16_t args[2 * MAX_INPUTS], results[MAX_INPUTS];
  nest n;
  if (n_out > MAX_INPUTS || !nest_begin(&n, p, 1, 1, &width)) return p->error != NULL;
  for (uint32_t k = 0; k < 2 * n_out; k++) {
    row[k % n_out] = (tl_type){updates[k % n_out]->type.dtype, 1, &width};
    args[k] = nest_load_view(&n, nest_own_view(k), row[k % n_out], &m);
  }
  if (!nest_region(&n, region, args, results, n_out)) n.failed = true;
  for (uint32_t r = 0; r < n_out && !n.failed; r++)
    nest_store(&n, nest_own_view(2 * n_out + r), row[r], &m, LOOP_NONE, results[r]);
  scatter_params *e = plan_alloc(p, sizeof *e, _Alignof(scatter_params));
  if (!e || !nest_to_program(&n, &e->program)) return p->error != NULL;
  plan_view *v = plan_views(p, 1 + 2 * n_out + e->program.n_captured);
  if (p->error) return true;
  e->n = n_out;
  v[0] = places;
  for (uint32_t r = 0; r < n_out; r++) {
    v[1 + r] = plan_operand(p, updates[r]);
    e->size[r] = tl_dtype_get(updates[r]->type.dtype)->size;
    v[1 + n_out + e->program.n_captured + r] = out[r];
  }
  memcpy(v + 1 + n_out, e->program.captured, e->program.n_captured * sizeof *v);
  const uint32_t n_in = 1 + n_out + e->program.n_captured;
  if (p->error) return true;
  e->count = out[0].size / e->size[0];
  e->n_updates = type_count(updates[0]->type);
  for (uint32_t i = 0; i < n_in + n_out; i++)
    plan_touch(p, v[i]);
  plan_step *s = plan_add_step(p, op, tl_op_get(op->code)->mnemonic, run_scatter);
  if (!s) return true;
  s->in = v, s->n_in = n_in;
  s->out = v + n_in, s->n_out = n_out;
  s->params = e;
  s->scratch = tl_round_up(sizeof(batch), 64) + tile_scratch_size(e->program.tile);
  s->parallel = plan_worth(p, e->n_updates, PARALLEL_UPDATES);
  return true;
}

static bool listed(tl_i64s list, int64_t value) {
  for (size_t i = 0; i < list.len; i++)
    if (list.ptr[i] == value) return true;
  return false;
}

static uint16_t s64(nest *n, tl_scalar op, uint16_t a, uint16_t b) {
  return nest_scalar(n, op, TL_REG_S64, TL_REG_S64, a, b, LOOP_NONE);
}

// Where each element of the updates goes.
static bool plan_places(planner *p, const tl_op *op, tl_type x, tl_type updates, tl_type type,
                        plan_view out) {
  const tl_value indices = op->operands[op->n_results];
  const tl_i64s window_dims = tl_op_list(op, TL_A_SCATTER_update_window_dims),
                inserted = tl_op_list(op, TL_A_SCATTER_inserted_window_dims),
                batching = tl_op_list(op, TL_A_SCATTER_input_batching_dims),
                index_batching = tl_op_list(op, TL_A_SCATTER_scatter_indices_batching_dims),
                map = tl_op_list(op, TL_A_SCATTER_scatter_dims_to_operand_dims);
  const int64_t vector_dim = tl_op_i64(op, TL_A_SCATTER_index_vector_dim);
  nest n;
  if (!nest_begin(&n, p, updates.rank, updates.rank, updates.dims)) return p->error != NULL;
  nest_map at = {0};
  int64_t batch_of[TL_MAX_RANK]; // dim of x -> dim of the updates that it follows, or -1
  for (uint32_t d = 0; d < x.rank; d++)
    batch_of[d] = -1;
  for (uint32_t d = 0, u = 0; d < indices->type.rank; d++) {
    if (d == vector_dim) continue;
    while (listed(window_dims, u))
      u++;
    at.coef[d][u] = 1;
    for (size_t i = 0; i < batching.len; i++)
      if (index_batching.ptr[i] == d) batch_of[batching.ptr[i]] = u;
    u++;
  }
  int64_t stride = 1;
  int64_t strides[TL_MAX_RANK];
  for (uint32_t d = x.rank; d-- > 0;) {
    strides[d] = stride;
    stride *= x.dims[d];
  }
  const uint16_t zero = nest_s64(&n, 0);
  uint16_t place = zero, inside = nest_const(&n, TL_REG_I1, 1);
  for (uint32_t d = 0, w = 0; d < x.rank; d++) {
    uint16_t index = zero;
    for (size_t i = 0; i < map.len; i++) {
      if (map.ptr[i] != d) continue;
      if (vector_dim < (int64_t)indices->type.rank) at.offset[vector_dim] = (int64_t)i;
      index = nest_index_s64(&n, nest_load(&n, indices, &at, LOOP_NONE));
    }
    int64_t along = batch_of[d];
    if (!listed(inserted, d) && !listed(batching, d)) along = window_dims.ptr[w++];
    if (along >= 0) {
      loop_map m = {0};
      m.stride[along] = 1;
      index = s64(&n, TL_SCALAR_ADD, index, nest_index(&n, &m));
    }
    const uint16_t low =
                       nest_scalar(&n, TL_SCALAR_GE, TL_REG_I1, TL_REG_S64, index, zero, LOOP_NONE),
                   high = nest_scalar(&n, TL_SCALAR_LT, TL_REG_I1, TL_REG_S64, index,
                                      nest_s64(&n, x.dims[d]), LOOP_NONE);
    inside = nest_scalar(&n, TL_SCALAR_AND, TL_REG_I1, TL_REG_I1, inside, low, LOOP_NONE);
    inside = nest_scalar(&n, TL_SCALAR_AND, TL_REG_I1, TL_REG_I1, inside, high, LOOP_NONE);
    place = s64(&n, TL_SCALAR_ADD, place, s64(&n, TL_SCALAR_MUL, index, nest_s64(&n, strides[d])));
  }
  place =
      nest_scalar(&n, TL_SCALAR_SELECT, TL_REG_S64, TL_REG_S64, inside, place, nest_s64(&n, -1));
  const nest_map all = nest_identity(0, updates.rank);
  nest_store(&n, out, type, &all, LOOP_NONE, place);
  return nest_finish(&n, op, "places");
}

bool lower_scatter(planner *p, const tl_op *op) {
  const uint32_t n = op->n_results;
  const tl_type x = op->results[0]->type;
  if (n == 0 || n > MAX_INPUTS || op->n_operands != 2 * n + 1) return false;
  const tl_type updates = op->operands[n + 1]->type;
  const tl_block *b = op->regions[0];
  tl_reg r;
  if (!nest_knows_region(b) || b->n_args != 2 * n || type_count(updates) == 0 ||
      type_count(x) == 0 || !loop_reg_of(op->operands[n]->type.dtype, &r))
    return false;
  for (uint32_t i = 0; i < n; i++) {
    const tl_dtype d = op->results[i]->type.dtype;
    if (!loop_reg_of(d, &r) || op->operands[i]->type.dtype != d ||
        op->operands[n + 1 + i]->type.dtype != d || b->args[i]->type.dtype != d ||
        b->args[n + i]->type.dtype != d || b->last->operands[i]->type.dtype != d)
      return false;
  }
  const tl_type type = tl_type_of(p->exe->arena, TL_DTYPE_S64, updates.dims, updates.rank);
  size_t size;
  if (updates.rank > 0 && !type.dims) plan_fail(p, TL_OOM());
  if (p->error || !tl_type_size(type, &size)) return p->error != NULL;
  const plan_view places = plan_temp(p, type);
  if (!plan_places(p, op, x, updates, type, places) || p->error) return p->error != NULL;
  plan_view out[MAX_INPUTS];
  for (uint32_t i = 0; i < n; i++) {
    const plan_view from = plan_operand(p, op->operands[i]);
    out[i] = n == 1 ? plan_result_in_place(p, op, 0, false) : plan_result(p, op->results[i]);
    if (!p->error && (out[i].buf != from.buf || out[i].offset != from.offset))
      plan_copy(p, from, out[i]);
  }
  if (p->error) return true;
  return plan_scatter(p, op, b, op->operands + n + 1, out, n, places);
}
