// sdy.manual_computation natively: its region, compiled once a device of the mesh, as a grid of its
// own.
//
// The step cuts its operands into the devices' parts, in memory that it keeps, runs the grid
// (grid.c), and puts the results together. The devices are threads of this one: a program on one
// device has a manual_computation of its own, whatever grid the program is in.
#include "cpu/manual.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "ref/parts.h"

enum { MAX_PROCESSES = 64, ALIGN = 64 }; // more run through the interpreter

struct plan_manual {
  plan_manual *next; // of the program's
  tl_cpu_grid *grid;
  tl_cpu *cpus[MAX_PROCESSES];
  const tl_mesh *mesh;
  uint32_t n;
  uint8_t *memory;
  const void **ins; // [n][operands], by device
  void **outs;      // [n][results]
  const void *const **in_lists;
  void *const **out_lists;
};

void plan_manual_free(plan_manual *list) {
  for (plan_manual *next; list; list = next) {
    next = list->next;
    tl_cpu_grid_destroy(list->grid);
    for (uint32_t p = 0; p < list->n; p++)
      tl_cpu_release(list->cpus[p]);
    free(list->memory);
    free(list->ins);
    free(list->outs);
    free(list->in_lists);
    free(list->out_lists);
    free(list);
  }
}

static const tl_shardings *shardings(const tl_op *op, bool in) {
  return tl_op_attr(op, in ? TL_A_MANUAL_COMPUTATION_in_shardings
                           : TL_A_MANUAL_COMPUTATION_out_shardings)
      ->shardings;
}

static void run_manual(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const plan_manual *k = s->params;
  const tl_op *op = s->op;
  const tl_block *body = op->regions[0];
  const tl_names *manual = tl_op_attr(op, TL_A_MANUAL_COMPUTATION_manual_axes)->names;
  (void)part, (void)n_parts;
  if (atomic_load(&x->exe->failed)) return;
  for (uint32_t place = 0; place < k->n; place++) {
    const void **ins = k->ins + (size_t)tl_mesh_device(k->mesh, place) * op->n_operands;
    for (uint32_t i = 0; i < op->n_operands; i++)
      tl_part_copy(x->exe->module, &shardings(op, true)->ptr[i], manual, place,
                   (tl_tensor){op->operands[i]->type, step_in(s, x, i)},
                   (tl_tensor){body->args[i]->type, (void *)(uintptr_t)ins[i]}, true);
  }
  tl_status st = tl_cpu_grid_execute(k->grid, k->in_lists, k->out_lists);
  // The first device of a replicated part is written last.
  for (uint32_t place = k->n; place-- > 0 && !st;) {
    void **outs = k->outs + (size_t)tl_mesh_device(k->mesh, place) * op->n_results;
    for (uint32_t i = 0; i < op->n_results; i++)
      tl_part_copy(x->exe->module, &shardings(op, false)->ptr[i], manual, place,
                   (tl_tensor){op->results[i]->type, step_out(s, x, i)},
                   (tl_tensor){body->last->operands[i]->type, outs[i]}, false);
  }
  plan_step_ends(s, x, st);
}

// The region as a function of the module; in the program's arena.
static tl_func *region_func(planner *p, const tl_op *op) {
  tl_block *body = op->regions[0];
  const uint32_t n = body->last->n_operands;
  tl_func *fn = TL_NEW(p->exe->arena, tl_func, 1);
  tl_arg_info *args = TL_NEW(p->exe->arena, tl_arg_info, body->n_args + 1);
  tl_type *types = TL_NEW(p->exe->arena, tl_type, n + 1);
  if (!fn || !args || !types) return NULL;
  for (uint32_t i = 0; i < body->n_args; i++)
    args[i].alias_output = -1;
  for (uint32_t i = 0; i < n; i++)
    types[i] = body->last->operands[i]->type;
  *fn = (tl_func){.name = TL_STR("manual_computation"),
                  .body = body,
                  .args = args,
                  .result_types = types,
                  .n_results = n,
                  .module = p->exe->module,
                  .loc = op->loc};
  return fn;
}

static size_t padded(tl_type t) { return (type_size(t) / ALIGN + 1) * ALIGN; }

static tl_status make_memory(plan_manual *k, const tl_op *op) {
  const tl_block *body = op->regions[0];
  const size_t n_in = op->n_operands, n_out = op->n_results;
  size_t one = 0;
  for (size_t i = 0; i < n_in; i++)
    one += padded(body->args[i]->type);
  for (size_t i = 0; i < n_out; i++)
    one += padded(body->last->operands[i]->type);
  k->memory = aligned_alloc(ALIGN, TL_MAX(one * k->n, (size_t)ALIGN));
  k->ins = calloc(k->n * n_in + 1, sizeof *k->ins);
  k->outs = calloc(k->n * n_out + 1, sizeof *k->outs);
  k->in_lists = calloc(k->n, sizeof *k->in_lists);
  k->out_lists = calloc(k->n, sizeof *k->out_lists);
  if (!k->memory || !k->ins || !k->outs || !k->in_lists || !k->out_lists) return TL_OOM();
  uint8_t *at = k->memory;
  for (uint32_t p = 0; p < k->n; p++) {
    k->in_lists[p] = k->ins + p * n_in;
    k->out_lists[p] = k->outs + p * n_out;
    for (size_t i = 0; i < n_in; at += padded(body->args[i++]->type))
      k->ins[p * n_in + i] = at;
    for (size_t i = 0; i < n_out; at += padded(body->last->operands[i++]->type))
      k->outs[p * n_out + i] = at;
  }
  return TL_OK;
}

static tl_status make(planner *p, const tl_op *op, plan_manual *k) {
  const tl_cpu *outer = p->exe->cpu;
  const tl_cpu_options options = {.n_threads = TL_MAX(tl_pool_size(outer->pool) / k->n, (size_t)1)};
  const tl_func *fn = region_func(p, op);
  tl_cpu_exe *exe = NULL;
  if (!fn) return TL_OOM();
  for (uint32_t i = 0; i < k->n; i++) {
    TL_TRY(tl_cpu_create(&options, &k->cpus[i]));
    k->cpus[i]->eager = outer->eager;
    k->cpus[i]->unfused = outer->unfused;
  }
  TL_TRY(make_memory(k, op));
  TL_TRY(plan_compile_borrowed(k->cpus[0], p->exe->module, fn, &exe));
  return tl_cpu_grid_create(exe, k->cpus, 1, k->n, &k->grid);
}

bool plan_manual_computation(planner *p, const tl_op *op) {
  if (p->exe->has_draws) return false; // its processes continue this program's stream
  const tl_sharding *first = op->n_operands > 0  ? &shardings(op, true)->ptr[0]
                             : op->n_results > 0 ? &shardings(op, false)->ptr[0]
                                                 : NULL;
  const tl_mesh *mesh = first ? tl_mesh_find(p->exe->module, first->mesh) : NULL;
  const int64_t n = mesh ? tl_mesh_size(mesh) : 0;
  // A mesh whose devices are not 0 to n - 1 has one device for all of it, or is the interpreter's
  // to refuse.
  if (n < 1 || n > MAX_PROCESSES || (mesh->n_ids != 0 && mesh->n_ids != n)) return false;
  for (int64_t place = 0; place < n; place++)
    if (tl_mesh_device(mesh, place) < 0 || tl_mesh_device(mesh, place) >= n) return false;
  plan_manual *k = calloc(1, sizeof *k);
  if (!k) return false;
  k->n = (uint32_t)n;
  k->mesh = mesh;
  tl_status st = make(p, op, k);
  if (st) { // what the interpreter may still do
    tl_status_drop(st);
    plan_manual_free(k);
    return false;
  }
  k->next = p->exe->manuals;
  p->exe->manuals = k;
  plan_view *in = plan_views(p, op->n_operands + 1), *out = plan_views(p, op->n_results + 1);
  for (uint32_t i = 0; !p->error && i < op->n_operands; i++)
    in[i] = plan_operand(p, op->operands[i]);
  for (uint32_t i = 0; !p->error && i < op->n_results; i++)
    out[i] = plan_result(p, op->results[i]);
  plan_step *s = plan_add_step(p, op, "manual", run_manual);
  if (!s) return true;
  s->params = k;
  s->in = in, s->n_in = op->n_operands;
  s->out = out, s->n_out = op->n_results;
  return true;
}
