// Ops that make a grid of processes and run it: interpreter.run_parallel (a program for each) and
// sdy.manual_computation (one region for all, on parts of the operands). And the probes of
// StableHLO's own tests.
//
// A process borrows its arguments, so nothing is shared that anybody writes; its results come back
// to the thread that waits. manual_computation stands for partitions 0 to n - 1 of one replica, n
// the devices of its mesh, whatever grid it stands in itself: each takes the part of every operand
// that its sharding gives to the device, and the results are put together from the parts, of which
// replicated ones are the first device's. Axes that are not manual divide nothing here; their
// devices compute the same.
#include "ref/eval.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "ref/parts.h"
#include "ref/strided.h"

static const tl_module *module_of(const tl_op *op) {
  return op->block == NULL || op->block->func == NULL ? NULL : op->block->func->module;
}

typedef struct one_process {
  const tl_func *fn;
  const tl_tensor *args;
  uint32_t n_args, n_results;
  tl_ref_cell *results;
  tl_ref_draws draws; // every process begins alike
} one_process;

typedef struct grid_run {
  const tl_ref_call *c;
  tl_grid *grid;
  one_process *processes;
} grid_run;

static tl_status run_one(void *arg, uint32_t p) {
  const grid_run *r = arg;
  one_process *one = &r->processes[p];
  tl_ref_context context = *tl_ref_context_of(r->c);
  context.place = (tl_place){.grid = r->grid, .self = p};
  context.draws = &one->draws;
  return tl_ref_run_apart(r->c, &context, one->fn, 0, one->args, one->n_args, one->results,
                          one->n_results);
}

static void release_results(one_process *processes, uint32_t n) {
  for (uint32_t p = 0; p < n; p++)
    for (uint32_t i = 0; i < processes[p].n_results; i++)
      tl_ref_release(&processes[p].results[i]);
}

static tl_status run_grid(const tl_ref_call *c, uint32_t n_replicas, uint32_t n_partitions,
                          one_process *processes) {
  grid_run r = {c, NULL, processes};
  const tl_key key = tl_ref_next_draw(c);
  for (uint32_t p = 0; p < n_replicas * n_partitions; p++)
    processes[p].draws = (tl_ref_draws){.key = key};
  TL_TRY(tl_grid_create(n_replicas, n_partitions, &r.grid));
  tl_status st = tl_grid_run(r.grid, run_one, &r);
  tl_grid_destroy(r.grid);
  return st;
}

tl_status ref_eval_RUN_PARALLEL(tl_ref_call *c) {
  const tl_names *programs = tl_op_attr(c->op, TL_A_RUN_PARALLEL_programs)->names;
  const tl_module *module = module_of(c->op);
  const uint32_t n = programs->len;
  one_process *processes = TL_NEW(c->scratch, one_process, n);
  if (processes == NULL) return TL_OOM();
  uint32_t arg = 0, result = 0;
  for (uint32_t p = 0; p < n; p++) {
    const tl_func *fn = module == NULL ? NULL : tl_module_find(module, programs->ptr[p]);
    if (fn == NULL)
      return TL_ERROR(NOT_FOUND, "interpreter.run_parallel: there is no function @" TL_STR_FMT,
                      TL_STR_ARG(programs->ptr[p]));
    processes[p] = (one_process){.fn = fn,
                                 .args = c->in + arg,
                                 .n_args = fn->body->n_args,
                                 .results = TL_NEW(c->scratch, tl_ref_cell, fn->n_results),
                                 .n_results = fn->n_results};
    if (processes[p].results == NULL) return TL_OOM();
    arg += fn->body->n_args;
  }
  tl_status st = run_grid(c, n / programs->n_columns, programs->n_columns, processes);
  for (uint32_t p = 0; p < n && st == TL_OK; p++)
    for (uint32_t i = 0; i < processes[p].n_results && st == TL_OK; i++) {
      tl_ref_cell cell = processes[p].results[i];
      processes[p].results[i] = (tl_ref_cell){0};
      st = tl_ref_give(c, result++, cell);
    }
  release_results(processes, n);
  return st;
}

// ---- sdy ----

tl_status ref_eval_SHARDING_CONSTRAINT(tl_ref_call *c) { // where a value lies does not change it
  tl_ref_start_from(c, 0);
  return TL_OK;
}

void tl_part_copy(const tl_module *m, const tl_sharding *s, const tl_names *manual, int64_t place,
                  tl_tensor global, tl_tensor local, bool to_local) {
  static const tl_names none = {0};
  const tl_mesh *mesh = tl_mesh_find(m, s->mesh);
  const size_t size = tl_dtype_get(local.type.dtype)->size;
  size_t bytes, offset = 0;
  int64_t strides[TL_MAX_RANK];
  if (mesh == NULL || !tl_type_size(local.type, &bytes) || bytes == 0) return;
  if (manual == NULL) manual = &none;
  tl_strides_of(global.type, strides);
  for (uint32_t d = 0; d < global.type.rank; d++)
    offset += (size_t)(tl_axis_refs_index(mesh, s->dims[d].axes, manual, place) *
                       local.type.dims[d] * strides[d]);
  tl_strided box = {.rank = local.type.rank};
  if (box.rank > 0) memcpy(box.dims, local.type.dims, box.rank * sizeof *box.dims);
  memcpy(to_local ? box.src : box.dst, strides, box.rank * sizeof *strides);
  tl_strides_of(local.type, to_local ? box.dst : box.src);
  unsigned char *at = (unsigned char *)global.data + offset * size;
  tl_strided_copy(&box, size, to_local ? at : local.data, to_local ? local.data : at);
}

tl_status ref_eval_MANUAL_COMPUTATION(tl_ref_call *c) {
  const tl_op *op = c->op;
  const tl_shardings *in = tl_op_attr(op, TL_A_MANUAL_COMPUTATION_in_shardings)->shardings,
                     *out = tl_op_attr(op, TL_A_MANUAL_COMPUTATION_out_shardings)->shardings;
  const tl_names none = {0}, *manual = tl_op_attr(op, TL_A_MANUAL_COMPUTATION_manual_axes)->names;
  const tl_module *module = module_of(op);
  const tl_block *body = op->regions[0];
  const tl_sharding *first = op->n_operands > 0  ? &in->ptr[0]
                             : op->n_results > 0 ? &out->ptr[0]
                                                 : NULL;
  if (manual == NULL) manual = &none;
  if (first == NULL) return TL_OK; // nothing goes in or out
  const tl_mesh *mesh = module == NULL ? NULL : tl_mesh_find(module, first->mesh);
  if (mesh == NULL || c->step == NULL)
    return TL_ERROR(INVALID_ARGUMENT, "sdy.manual_computation: there is no mesh @" TL_STR_FMT,
                    TL_STR_ARG(first->mesh));
  const uint32_t n = (uint32_t)tl_mesh_size(mesh);
  one_process *processes = TL_NEW(c->scratch, one_process, n);
  if (processes == NULL) return TL_OOM();
  for (uint32_t place = 0; place < n; place++) {
    const int64_t device = tl_mesh_device(mesh, place);
    if (device < 0 || device >= n)
      return TL_ERROR(INVALID_ARGUMENT, "sdy.manual_computation: device %lld of a mesh of %u",
                      (long long)device, n);
    tl_tensor *args = TL_NEW(c->scratch, tl_tensor, op->n_operands);
    tl_ref_cell *results = TL_NEW(c->scratch, tl_ref_cell, op->n_results);
    if (args == NULL || results == NULL) return TL_OOM();
    for (uint32_t i = 0; i < op->n_operands; i++) {
      size_t size;
      args[i].type = body->args[i]->type;
      args[i].type.dtype = c->in[i].type.dtype;
      if (!tl_type_size(args[i].type, &size)) return TL_ERROR(INTERNAL, "a part without a size");
      args[i].data = tl_arena_alloc(c->scratch, TL_MAX(size, (size_t)1), 64);
      if (args[i].data == NULL) return TL_OOM();
      tl_part_copy(module, &in->ptr[i], manual, place, c->in[i], args[i], true);
    }
    processes[device] = (one_process){
        .args = args, .n_args = op->n_operands, .results = results, .n_results = op->n_results};
  }
  for (uint32_t p = 0; p < n; p++)
    if (processes[p].args == NULL && processes[p].results == NULL)
      return TL_ERROR(INVALID_ARGUMENT, "sdy.manual_computation: no device %u in the mesh", p);
  tl_status st = run_grid(c, 1, n, processes);
  // The first device of a replicated part is written last.
  for (uint32_t place = n; place-- > 0 && st == TL_OK;)
    for (uint32_t i = 0; i < op->n_results; i++) {
      tl_part_copy(module, &out->ptr[i], manual, place, c->out[i].t,
                   processes[tl_mesh_device(mesh, place)].results[i].t, false);
    }
  release_results(processes, n);
  return st;
}

// ---- probes ----

typedef struct probe {
  struct probe *next;
  tl_str id;
  tl_dtype dtype;
  uint32_t rank;
  int64_t dims[TL_MAX_RANK];
  size_t size;
  unsigned char bytes[];
} probe;

struct tl_ref_probes {
  pthread_mutex_t lock;
  probe *first, *last; // guarded by lock
};

tl_ref_probes *tl_ref_probes_create(void) {
  tl_ref_probes *p = calloc(1, sizeof *p);
  if (p != NULL) pthread_mutex_init(&p->lock, NULL);
  return p;
}

void tl_ref_probes_destroy(tl_ref_probes *p) {
  if (p == NULL) return;
  for (probe *at = p->first, *next; at != NULL; at = next) {
    next = at->next;
    free(at);
  }
  pthread_mutex_destroy(&p->lock);
  free(p);
}

size_t tl_ref_probes_count(tl_ref_probes *p, tl_str id) {
  size_t n = 0;
  pthread_mutex_lock(&p->lock);
  for (const probe *at = p->first; at != NULL; at = at->next)
    n += tl_str_eq(at->id, id);
  pthread_mutex_unlock(&p->lock);
  return n;
}

tl_status ref_eval_PROBE(tl_ref_call *c) { // its operand, noted under its name
  tl_ref_probes *probes = tl_ref_context_of(c)->probes;
  const tl_tensor *x = &c->in[0];
  size_t size;
  if (!tl_type_size(x->type, &size)) return TL_ERROR(INTERNAL, "an operand without a size");
  if (probes != NULL) {
    probe *p = malloc(sizeof *p + size);
    if (p == NULL) return TL_OOM();
    *p = (probe){.id = tl_op_str(c->op, TL_A_PROBE_probe_id),
                 .dtype = x->type.dtype,
                 .rank = x->type.rank,
                 .size = size};
    if (x->type.rank > 0) memcpy(p->dims, x->type.dims, x->type.rank * sizeof *p->dims);
    if (size > 0) memcpy(p->bytes, x->data, size);
    pthread_mutex_lock(&probes->lock);
    if (probes->last != NULL)
      probes->last->next = p;
    else
      probes->first = p;
    probes->last = p;
    pthread_mutex_unlock(&probes->lock);
  }
  tl_ref_start_from(c, 0);
  return TL_OK;
}

tl_status ref_eval_EXPECT_SERIALIZED_EQ(tl_ref_call *c) {
  tl_ref_probes *probes = tl_ref_context_of(c)->probes;
  const tl_str id = tl_op_str(c->op, TL_A_EXPECT_SERIALIZED_EQ_probe_id);
  const int64_t iter = tl_op_i64(c->op, TL_A_EXPECT_SERIALIZED_EQ_iter);
  const tl_tensor *x = &c->in[0];
  int64_t seen = 0;
  const probe *p = NULL;
  if (probes != NULL) {
    pthread_mutex_lock(&probes->lock);
    for (p = probes->first; p != NULL; p = p->next)
      if (tl_str_eq(p->id, id) && seen++ == iter) break;
    pthread_mutex_unlock(&probes->lock);
  }
  if (p == NULL)
    return TL_ERROR(FAILED_PRECONDITION,
                    "check.expect_serialized_eq: the probe \"" TL_STR_FMT "\" was seen %lld times",
                    TL_STR_ARG(id), (long long)seen);
  size_t size;
  if (!tl_type_size(x->type, &size) ||
      !tl_type_eq(x->type, (tl_type){p->dtype, p->rank, p->dims}) || size != p->size ||
      (size > 0 && memcmp(x->data, p->bytes, size) != 0))
    return TL_ERROR(FAILED_PRECONDITION,
                    "check.expect_serialized_eq: the probe \"" TL_STR_FMT "\" saw another value",
                    TL_STR_ARG(id));
  return TL_OK;
}
