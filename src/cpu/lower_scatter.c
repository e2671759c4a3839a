// scatter: first, in parallel, where each element of the updates goes (-1: nowhere); then updates
// are applied in their own order.
//
// Threads share the result: each goes through all places and applies those of its own range, so
// that updates of one element keep their order, whatever the number of threads. Updates are applied
// up to 512 at a time by the region's program; a batch ends before an element that it has already.
// Windows whose last dims are the result's own go as rows. Where the region is one op of both, or
// the update itself, an update is applied at once (scatter_direct.h), and nothing is collected.
#include "cpu/lower.h"

#include <string.h>

#include "cpu/nest.h"
#include "cpu/scatter_direct.h"
#include "cpu/tile.h"

enum {
  BATCH = 512,
  SEEN = 4096,
  MAX_INPUTS = 8,
  SCATTER_GRAIN = 64,
  PARALLEL_UPDATES = 8192,
  SLICES = 4,       // of the updates of a count
  COUNTERS = 32768, // bytes of a result that each slice has one of its own of
  COUNTED = 32      // updates an element from which on that pays
};

typedef struct scatter_params {
  nest_program program; // present [n], update [n] -> next [n], dense; then what it captures
  uint32_t n;           // results
  size_t count, n_places;
  size_t run;              // updates that lie side by side, in the result too: one place
  size_t size[MAX_INPUTS]; // bytes of an element
} scatter_params;

typedef struct direct_params {
  scatter_direct *apply;
  size_t count, n_places, run; // as above
} direct_params;

typedef struct piece { // elements side by side
  int64_t to;
  size_t from, len;
} piece;

typedef struct batch { // in a thread's scratch
  piece pieces[BATCH];
  uint32_t n_pieces;
  size_t len;          // of all pieces
  uint32_t stamp;      // of this batch
  uint32_t seen[SEEN]; // the batch that had a piece of a place of this number
  _Alignas(64) uint8_t present[MAX_INPUTS][BATCH * 16];
  uint8_t update[MAX_INPUTS][BATCH * 16], next[MAX_INPUTS][BATCH * 16];
} batch;

// One element or several; most pieces are short.
static void copy(uint8_t *to, const uint8_t *from, size_t size, size_t len) {
  if (len > 1)
    memcpy(to, from, size * len);
  else if (size == 4)
    memcpy(to, from, 4);
  else if (size == 8)
    memcpy(to, from, 8);
  else if (size == 2)
    memcpy(to, from, 2);
  else if (size == 16)
    memcpy(to, from, 16);
  else
    *to = *from;
}

static void apply(const plan_step *s, plan_exec *x, batch *b, void *const *arrays,
                  uint8_t *scratch) {
  const scatter_params *e = s->params;
  for (uint32_t r = 0; r < e->n; r++) {
    const uint8_t *out = step_out(s, x, r), *updates = step_in(s, x, 1 + r);
    const size_t size = e->size[r];
    uint8_t *present = b->present[r], *update = b->update[r];
    for (uint32_t i = 0; i < b->n_pieces; i++) {
      const piece *q = &b->pieces[i];
      copy(present, out + (size_t)q->to * size, size, q->len);
      copy(update, updates + q->from * size, size, q->len);
      present += q->len * size, update += q->len * size;
    }
  }
  tile_run(e->program.tile, x->exe->cpu->kernels, arrays, scratch, 0, b->len);
  for (uint32_t r = 0; r < e->n; r++) {
    uint8_t *out = step_out(s, x, r);
    const uint8_t *next = b->next[r];
    for (uint32_t i = 0; i < b->n_pieces; i++) {
      const piece *q = &b->pieces[i];
      copy(out + (size_t)q->to * e->size[r], next, e->size[r], q->len);
      next += q->len * e->size[r];
    }
  }
  b->n_pieces = 0;
  b->len = 0;
  if (++b->stamp == 0) { // wrapped
    memset(b->seen, 0, sizeof b->seen);
    b->stamp = 1;
  }
}

static void run_scatter(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const scatter_params *e = s->params;
  const int64_t *places = step_in(s, x, 0);
  size_t low, high;
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
  b->n_pieces = 0, b->len = 0, b->stamp = 1;
  for (size_t i = 0; i < e->n_places; i++) {
    const int64_t place = places[i];
    if (place < 0 || (size_t)place >= high || (size_t)place + e->run <= low) continue;
    // The run's elements in this thread's range.
    const size_t from = TL_MAX((size_t)place, low), to = TL_MIN((size_t)place + e->run, high);
    uint32_t *seen = &b->seen[(size_t)place / e->run % SEEN];
    if (*seen == b->stamp) apply(s, x, b, arrays, scratch);
    for (size_t at = from; at < to;) {
      if (b->len == BATCH) apply(s, x, b, arrays, scratch);
      const size_t len = TL_MIN(to - at, BATCH - b->len);
      b->pieces[b->n_pieces++] = (piece){(int64_t)at, i * e->run + (at - (size_t)place), len};
      b->len += len;
      at += len;
    }
    *seen = b->stamp;
  }
  if (b->len > 0) apply(s, x, b, arrays, scratch);
}

// Updates applied one by one, in order. Threads share the result: each picks the updates that reach
// into its range, so that no branch is as good as random and each finds the lines it had before.
static void run_direct(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  enum { SOME = 1024 };
  const direct_params *e = s->params;
  const size_t size = s->out[0].size / e->count;
  uint32_t picked[SOME + 7];
  scatter_part p = {.out = step_out(s, x, 0),
                    .updates = step_in(s, x, 1),
                    .places = step_in(s, x, 0),
                    .n = e->n_places,
                    .run = e->run};
  tl_pool_range(e->count, SCATTER_GRAIN, part, n_parts, &p.low, &p.high);
  if (p.low >= p.high) return;
  if (p.high - p.low == e->count) {
    e->apply(&p);
    return;
  }
  const size_t before = TL_MIN(p.low, p.run - 1); // a run that begins there may reach into it
  p.picked = picked;
  for (size_t left = e->n_places, some; left > 0; left -= some) {
    some = TL_MIN(left, (size_t)SOME);
    x->exe->cpu->kernels->pick(&(tl_pick_args){.places = p.places,
                                               .n = some,
                                               .low = p.low - before,
                                               .width = p.high - p.low + before,
                                               .picked = picked,
                                               .n_picked = &p.n});
    e->apply(&p);
    p.places += some;
    p.updates = (const uint8_t *)p.updates + some * p.run * size;
  }
}

// Counts: integer sums into few elements do not depend on the order of the updates, so each slice
// of these goes to an array of its own, which are added up at the end.
typedef struct count_params {
  scatter_direct *apply;
  size_t count, n_places, size; // elements, updates, bytes of an element
} count_params;

static void run_slices(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const count_params *e = s->params;
  const int64_t *places = step_in(s, x, 0);
  const uint8_t *updates = step_in(s, x, 1);
  uint8_t *to = step_out(s, x, 0);
  size_t first, last;
  tl_pool_range(SLICES, 1, part, n_parts, &first, &last);
  for (size_t k = first; k < last; k++) {
    const size_t from = e->n_places * k / SLICES, end = e->n_places * (k + 1) / SLICES;
    uint8_t *mine = to + k * e->count * e->size;
    memset(mine, 0, e->count * e->size);
    e->apply(&(scatter_part){.out = mine,
                             .updates = updates + from * e->size,
                             .places = places + from,
                             .n = end - from,
                             .run = 1,
                             .high = e->count});
  }
}

static void run_totals(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const count_params *e = s->params;
  const void *slices = step_in(s, x, 0);
  void *to = step_out(s, x, 0);
  (void)part, (void)n_parts;
  for (size_t i = 0; i < SLICES * e->count; i++)
    if (e->size == 4)
      ((uint32_t *)to)[i % e->count] += ((const uint32_t *)slices)[i];
    else
      ((uint64_t *)to)[i % e->count] += ((const uint64_t *)slices)[i];
}

// False: it is no count.
static bool plan_count(planner *p, const tl_op *op, const tl_block *region, scatter_direct *how,
                       tl_value updates, plan_view out, plan_view places) {
  const tl_dtype_info *info = tl_dtype_get(updates->type.dtype);
  const size_t n = places.size / sizeof(int64_t), count = out.size / info->size;
  if (region->first->code != TL_OP_ADD || (info->size != 4 && info->size != 8) ||
      (info->kind != TL_KIND_INT && info->kind != TL_KIND_UINT) || out.size > COUNTERS ||
      n / COUNTED < count || !plan_worth(p, n, PARALLEL_UPDATES))
    return false;
  count_params *e = plan_alloc(p, sizeof *e, _Alignof(count_params));
  plan_view *v = plan_views(p, 5);
  const int64_t dims[] = {SLICES, (int64_t)count};
  const tl_type type = tl_type_of(p->exe->arena, updates->type.dtype, dims, 2);
  if (!type.dims) plan_fail(p, TL_OOM());
  if (p->error) return true;
  *e = (count_params){how, count, n, info->size};
  v[0] = places, v[1] = plan_operand(p, updates), v[2] = v[3] = plan_temp(p, type), v[4] = out;
  if (p->error) return true;
  for (int i = 0; i < 3; i++)
    plan_touch(p, v[i]);
  plan_step *s = plan_add_step(p, op, tl_op_get(op->code)->mnemonic, run_slices);
  if (!s) return true;
  s->in = v, s->n_in = 2, s->out = v + 2, s->n_out = 1;
  s->params = e;
  s->parallel = true;
  for (int i = 3; i < 5; i++)
    plan_touch(p, v[i]);
  s = plan_add_step(p, op, tl_op_get(op->code)->mnemonic, run_totals);
  if (!s) return true;
  s->in = v + 3, s->n_in = 1, s->out = v + 4, s->n_out = 1;
  s->params = e;
  return true;
}

static bool plan_direct(planner *p, const tl_op *op, scatter_direct *how, tl_value updates,
                        plan_view out, plan_view places, size_t run) {
  direct_params *e = plan_alloc(p, sizeof *e, _Alignof(direct_params));
  plan_view *v = plan_views(p, 3);
  if (p->error) return true;
  *e = (direct_params){.apply = how,
                       .count = out.size / tl_dtype_get(updates->type.dtype)->size,
                       .n_places = places.size / sizeof(int64_t),
                       .run = run};
  v[0] = places, v[1] = plan_operand(p, updates), v[2] = out;
  if (p->error) return true;
  for (int i = 0; i < 3; i++)
    plan_touch(p, v[i]);
  plan_step *s = plan_add_step(p, op, tl_op_get(op->code)->mnemonic, run_direct);
  if (!s) return true;
  s->in = v, s->n_in = 2;
  s->out = v + 2, s->n_out = 1;
  s->params = e;
  s->parallel = plan_worth(p, type_count(updates->type), PARALLEL_UPDATES);
  return true;
}

bool plan_scatter(planner *p, const tl_op *op, const tl_block *region, const tl_value *updates,
                  const plan_view *out, uint32_t n_out, plan_view places, size_t run) {
  const int64_t width = BATCH;
  const nest_map m = nest_identity(0, 1);
  tl_type row[MAX_INPUTS];
  uint16_t args[2 * MAX_INPUTS], results[MAX_INPUTS];
  nest n;
  scatter_direct *direct = n_out == 1 ? scatter_direct_of(region, updates[0]->type.dtype) : NULL;
  if (direct && run == 1 && plan_count(p, op, region, direct, updates[0], out[0], places))
    return true;
  if (direct != NULL) return plan_direct(p, op, direct, updates[0], out[0], places, run);
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
  e->n_places = places.size / sizeof(int64_t);
  e->run = run;
  for (uint32_t i = 0; i < n_in + n_out; i++)
    plan_touch(p, v[i]);
  plan_step *s = plan_add_step(p, op, tl_op_get(op->code)->mnemonic, run_scatter);
  if (!s) return true;
  s->in = v, s->n_in = n_in;
  s->out = v + n_in, s->n_out = n_out;
  s->params = e;
  s->scratch = tl_round_up(sizeof(batch), 64) + tile_scratch_size(e->program.tile);
  s->parallel = plan_worth(p, type_count(updates[0]->type), PARALLEL_UPDATES);
  return true;
}

static uint16_t s64(nest *n, tl_scalar op, uint16_t a, uint16_t b) {
  return nest_scalar(n, op, TL_REG_S64, TL_REG_S64, a, b, LOOP_NONE);
}

// The number of the updates' last dims that are the result's last dims, whole (but for the first of
// them), and that no index moves: their elements lie side by side in both.
static uint32_t row_dims(const tl_op *op, tl_type x, tl_type updates) {
  const tl_i64s window_dims = tl_op_list(op, TL_A_SCATTER_update_window_dims),
                inserted = tl_op_list(op, TL_A_SCATTER_inserted_window_dims),
                batching = tl_op_list(op, TL_A_SCATTER_input_batching_dims),
                map = tl_op_list(op, TL_A_SCATTER_scatter_dims_to_operand_dims);
  uint32_t n = 0;
  for (; n < updates.rank && n < x.rank && n < window_dims.len; n++) {
    const int64_t d = (int64_t)x.rank - 1 - n, u = (int64_t)updates.rank - 1 - n;
    if (window_dims.ptr[window_dims.len - 1 - n] != u || nest_listed(inserted, d) ||
        nest_listed(batching, d) || nest_listed(map, d) || updates.dims[u] > x.dims[d])
      break;
    if (updates.dims[u] != x.dims[d]) return n + 1;
  }
  return n;
}

// Where each row of the updates goes. type: the updates' dims without those of a row.
static bool plan_places(planner *p, const tl_op *op, tl_type x, tl_type type, plan_view out) {
  const tl_value indices = op->operands[op->n_results];
  const tl_i64s window_dims = tl_op_list(op, TL_A_SCATTER_update_window_dims),
                inserted = tl_op_list(op, TL_A_SCATTER_inserted_window_dims),
                batching = tl_op_list(op, TL_A_SCATTER_input_batching_dims),
                index_batching = tl_op_list(op, TL_A_SCATTER_scatter_indices_batching_dims),
                map = tl_op_list(op, TL_A_SCATTER_scatter_dims_to_operand_dims);
  const int64_t vector_dim = tl_op_i64(op, TL_A_SCATTER_index_vector_dim);
  nest n;
  if (!nest_begin(&n, p, type.rank, type.rank, type.dims)) return p->error != NULL;
  nest_map at = {0};
  int64_t batch_of[TL_MAX_RANK]; // dim of x -> dim of the updates that it follows, or -1
  for (uint32_t d = 0; d < x.rank; d++)
    batch_of[d] = -1;
  for (uint32_t d = 0, u = 0; d < indices->type.rank; d++) {
    if (d == vector_dim) continue;
    while (nest_listed(window_dims, u))
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
    if (!nest_listed(inserted, d) && !nest_listed(batching, d)) along = window_dims.ptr[w++];
    if (along >= (int64_t)type.rank) continue; // within a row: begins at 0 and fits
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
  const nest_map all = nest_identity(0, type.rank);
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
  if (type_count(x) == 0) return plan_nothing(p, op);
  if (!nest_knows_region(b) || b->n_args != 2 * n || !loop_reg_of(op->operands[n]->type.dtype, &r))
    return false;
  for (uint32_t i = 0; i < n; i++) {
    const tl_dtype d = op->results[i]->type.dtype;
    if (!nest_moves(d) || op->operands[i]->type.dtype != d ||
        op->operands[n + 1 + i]->type.dtype != d || b->args[i]->type.dtype != d ||
        b->args[n + i]->type.dtype != d || b->last->operands[i]->type.dtype != d)
      return false;
  }
  plan_view places = {0};
  size_t run = 1;
  if (type_count(updates) > 0) {
    const uint32_t n_row = row_dims(op, x, updates);
    const tl_type type =
        tl_type_of(p->exe->arena, TL_DTYPE_S64, updates.dims, updates.rank - n_row);
    size_t size;
    if (type.rank > 0 && !type.dims) plan_fail(p, TL_OOM());
    if (p->error || !tl_type_size(type, &size)) return p->error != NULL;
    places = plan_temp(p, type);
    if (!plan_places(p, op, x, type, places) || p->error) return p->error != NULL;
    run = type_count(updates) / type_count(type);
  }
  plan_view out[MAX_INPUTS];
  for (uint32_t i = 0; i < n; i++) {
    const plan_view from = plan_operand(p, op->operands[i]);
    out[i] = n == 1 ? plan_result_in_place(p, op, 0, false) : plan_result(p, op->results[i]);
    if (!p->error && (out[i].buf != from.buf || out[i].offset != from.offset))
      plan_copy(p, from, out[i]);
  }
  if (p->error || type_count(updates) == 0) return true;
  return plan_scatter(p, op, b, op->operands + n + 1, out, n, places, run);
}
