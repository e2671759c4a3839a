// Collectives: three steps. The first meets the group (ref/collective.h), and then knows where each
// member's operands lie; the second, divided among this process's threads, makes the results of
// them by nests; the third says that they are read.
//
// A result is made of one member's operand, of all of them after one another, or of nothing:
//
//     all_reduce          y = x0; y = region(y, x1); ...          in the group's order
//     reduce_scatter      the same of this process's part of each
//     all_gather          x_i is part i of y
//     all_to_all          this process's part of x_i is part i of y
//     the others          y = the root's or the source's x, or zeros
//
// So there are two nests over a part, one that moves an element and one that folds it into y, and
// what differs from member to member is where x and y begin.
#include "cpu/lower.h"

#include <string.h>

#include "cpu/nest.h"
#include "cpu/tile.h"
#include "ref/collective.h"

enum { OWN_X, OWN_Y, OWN_SUM }; // vectors of the nests; SUM is y, read

typedef struct made { // a result
  nest_program move, fold;
  int64_t x_step, y_step; // bytes: of x for this process's number, of y for each member's
} made;

typedef struct collective {
  const tl_op *op;
  bool folds;
  made *of; // [n_results]
  size_t scratch;
  // Of an execution; thread 0 writes, others read behind a barrier.
  tl_meeting meeting;
  tl_arena_point mark;
  bool met;
} collective;

// The programs are made once and belong to one tl_cpu_exe, which runs once at a time.
static collective *state_of_step(const plan_step *s) { return (collective *)(uintptr_t)s->params; }

static void run_meet(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  (void)part, (void)n_parts;
  collective *e = state_of_step(s);
  const tl_op *op = e->op;
  e->met = false;
  if (plan_has_failed(x)) return; // other processes are not to be met any more
  tl_arena *a = x->exe->interpreter;
  e->mark = tl_arena_mark(a); // what is met lies there until run_part
  tl_tensor *in = TL_NEW(a, tl_tensor, op->n_operands + 1u);
  tl_ref_cell *out = TL_NEW(a, tl_ref_cell, op->n_results + 1u);
  tl_status st = in && out ? TL_OK : TL_OOM();
  if (!st) {
    for (uint32_t i = 0; i < op->n_operands; i++)
      in[i] = (tl_tensor){op->operands[i]->type, step_in(s, x, i)};
    for (uint32_t i = 0; i < op->n_results; i++)
      out[i].t.type = op->results[i]->type;
    st = tl_collective_meet(&(tl_ref_call){.op = op, .in = in, .out = out, .scratch = a},
                            x->exe->context.place, &e->meeting);
    if (st) tl_collective_part(&e->meeting);
  }
  e->met = st == TL_OK;
  if (st) tl_arena_rewind(a, e->mark);
  plan_step_ends(s, x, st);
}

static void run_make(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const collective *e = state_of_step(s);
  const tl_meeting *m = &e->meeting;
  if (!e->met) return;
  for (uint32_t k = 0; k < s->n_out; k++) {
    const made *d = &e->of[k];
    const int64_t from = m->from[k];
    uint8_t *y = step_out(s, x, k);
    if (from == TL_FROM_NONE) {
      size_t first, last;
      tl_pool_range(s->out[k].size, 64, part, n_parts, &first, &last);
      if (first < last) memset(y + first, 0, last - first);
      continue;
    }
    const bool all = from == TL_FROM_ALL;
    for (uint32_t i = all ? 0 : (uint32_t)from; i < (all ? m->group.n : (uint32_t)from + 1); i++) {
      const nest_program *p = e->folds && all && i > 0 ? &d->fold : &d->move;
      uint8_t *to = y + (int64_t)i * d->y_step;
      uint8_t *own[] = {[OWN_X] =
                            (uint8_t *)m->brought[i][k].data + (int64_t)m->group.self * d->x_step,
                        [OWN_Y] = to,
                        [OWN_SUM] = to};
      void *arrays[NEST_MAX_ARRAYS];
      nest_program_arrays(p, s, x, 0, own, arrays);
      size_t first, last;
      tile_range(p->tile, part, n_parts, &first, &last);
      tile_run(p->tile, x->exe->cpu->kernels, arrays, x->scratch, first, last);
    }
  }
}

static void run_part(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  (void)part, (void)n_parts;
  collective *e = state_of_step(s);
  if (!e->met) return;
  tl_collective_part(&e->meeting);
  tl_arena_rewind(x->exe->interpreter, e->mark);
  e->met = false;
}

// --- planning ---

static int64_t stride_of(tl_type t, int64_t dim) {
  int64_t strides[TL_MAX_RANK];
  nest_strides(t, strides);
  return strides[dim] * (int64_t)tl_dtype_get(t.dtype)->size;
}

// A nest over a part [rank]: y = x, or y = region(y, x).
static bool program(planner *p, tl_type x, tl_type y, const int64_t *part, const tl_block *region,
                    nest_program *out) {
  const nest_map m = nest_identity(0, y.rank);
  nest n;
  if (!nest_begin(&n, p, y.rank, y.rank, part)) return false;
  uint16_t value = nest_load_view(&n, nest_own_view(OWN_X), x, &m);
  if (region) {
    const uint16_t args[] = {nest_load_view(&n, nest_own_view(OWN_SUM), y, &m), value};
    if (!nest_region(&n, region, args, &value, 1)) n.failed = true;
  }
  nest_store(&n, nest_own_view(OWN_Y), y, &m, LOOP_NONE, value);
  return nest_to_program(&n, out) && out->n_captured == 0;
}

static bool plan_made(planner *p, const tl_op *op, uint32_t k, bool folds, made *d) {
  const tl_type x = op->operands[k]->type, y = op->results[k]->type;
  int64_t part[TL_MAX_RANK];
  if (x.dtype != y.dtype || x.rank != y.rank || !nest_moves(y.dtype)) return false;
  if (y.rank) memcpy(part, x.dims, y.rank * sizeof *part);
  switch (op->code) {
  case TL_OP_ALL_GATHER: {
    const int64_t dim = tl_op_i64(op, TL_A_ALL_GATHER_all_gather_dim);
    d->y_step = part[dim] * stride_of(y, dim);
    break;
  }
  case TL_OP_REDUCE_SCATTER: {
    const int64_t dim = tl_op_i64(op, TL_A_REDUCE_SCATTER_scatter_dimension);
    part[dim] = y.dims[dim];
    d->x_step = part[dim] * stride_of(x, dim);
    break;
  }
  case TL_OP_ALL_TO_ALL: {
    const int64_t split = tl_op_i64(op, TL_A_ALL_TO_ALL_split_dimension),
                  concat = tl_op_i64(op, TL_A_ALL_TO_ALL_concat_dimension),
                  count = tl_op_i64(op, TL_A_ALL_TO_ALL_split_count);
    if (count < 1) return false;
    part[split] /= count;
    d->x_step = part[split] * stride_of(x, split);
    d->y_step = part[concat] * stride_of(y, concat);
    break;
  }
  default:
    break;
  }
  const tl_block *region = folds ? op->regions[0] : NULL;
  if (folds && (!nest_knows_region(region) || region->n_args != 2 ||
                region->args[0]->type.dtype != y.dtype || region->args[1]->type.dtype != y.dtype ||
                region->last->operands[0]->type.dtype != y.dtype))
    return false;
  return program(p, x, y, part, NULL, &d->move) &&
         (!folds || program(p, x, y, part, region, &d->fold));
}

static plan_step *add(planner *p, const collective *e, const char *what, plan_fn run,
                      plan_view *views, uint32_t n_in, uint32_t n_out) {
  for (uint32_t i = 0; i < n_in + n_out; i++)
    plan_touch(p, views[i]);
  plan_step *s = plan_add_step(p, e->op, what, run);
  if (!s) return NULL;
  s->in = views, s->n_in = n_in;
  s->out = views + n_in, s->n_out = n_out;
  s->params = e;
  return s;
}

enum { PARALLEL_BYTES = 65536 };

bool lower_collective(planner *p, const tl_op *op) {
  const uint32_t n_in = op->n_operands, n_out = op->n_results;
  collective *e = plan_alloc(p, sizeof *e, _Alignof(collective));
  if (!e) return true;
  *e = (collective){.op = op,
                    .folds = op->code == TL_OP_ALL_REDUCE || op->code == TL_OP_REDUCE_SCATTER ||
                             op->code == TL_OP_COLLECTIVE_REDUCE,
                    .of = plan_alloc(p, n_out * sizeof *e->of, _Alignof(made))};
  if (p->error) return true;
  memset(e->of, 0, n_out * sizeof *e->of);
  size_t scratch = 0, bytes = 0;
  for (uint32_t k = 0; k < n_out; k++) {
    if (!plan_made(p, op, k, e->folds, &e->of[k])) return p->error != NULL;
    scratch = TL_MAX(scratch, tile_scratch_size(e->of[k].move.tile));
    if (e->folds) scratch = TL_MAX(scratch, tile_scratch_size(e->of[k].fold.tile));
  }
  // The token, which each step writes or reads, keeps them in order; so do the operands, which
  // nobody may write until the others have read them.
  const plan_view token = plan_temp(p, tl_type_scalar(TL_DTYPE_U8));
  plan_view *meet = plan_views(p, n_in + 1), *make = plan_views(p, 1 + n_out),
            *part = plan_views(p, n_in + n_out + 1);
  if (p->error) return true;
  for (uint32_t i = 0; i < n_in; i++)
    meet[i] = part[i] = plan_operand(p, op->operands[i]);
  meet[n_in] = make[0] = part[n_in + n_out] = token;
  for (uint32_t k = 0; k < n_out; k++) {
    make[1 + k] = part[n_in + k] = plan_result(p, op->results[k]);
    bytes += make[1 + k].size;
  }
  if (p->error) return true;
  const char *what = tl_op_get(op->code)->mnemonic;
  add(p, e, "meet", run_meet, meet, n_in, 1);
  plan_step *s = add(p, e, what, run_make, make, 1, n_out);
  if (s) {
    s->scratch = scratch;
    s->parallel = plan_worth(p, bytes, PARALLEL_BYTES);
  }
  add(p, e, "part", run_part, part, n_in + n_out, 1);
  return true;
}

// --- who one is ---

static void run_id(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  (void)part, (void)n_parts;
  const tl_place at = x->exe->context.place;
  const uint32_t n = at.grid == NULL ? 1 : tl_grid_partitions(at.grid),
                 id = s->op->code == TL_OP_PARTITION_ID ? at.self % n : at.self / n;
  memcpy(step_out(s, x, 0), &id, sizeof id);
}

bool lower_id(planner *p, const tl_op *op) {
  plan_view *v = plan_views(p, 1);
  if (p->error) return true;
  v[0] = plan_result(p, op->results[0]);
  plan_step *s = plan_add_step(p, op, tl_op_get(op->code)->mnemonic, run_id);
  if (!s) return true;
  s->out = v, s->n_out = 1;
  s->cheap = true;
  return true;
}
