// A finished nest as a step of the plan, or as a program that a step runs itself.
#include "cpu/nest.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/jit.h"
#include "cpu/tile.h"

typedef struct nest_params {
  const tile_program *tile;
  const jit_program *code; // NULL: the tile program runs
  const loop_nest *loop;
  bool worth_code;
} nest_params;

static void run_nest_some(const plan_step *s, plan_exec *x, size_t from, size_t to) {
  const nest_params *e = s->params;
  void *arrays[NEST_MAX_ARRAYS];
  for (uint32_t a = 0, in = 0, out = 0; a < e->loop->n_arrays; a++)
    arrays[a] = e->loop->arrays[a].out ? step_out(s, x, out++) : step_in(s, x, in++);
  if (e->code)
    jit_run(e->code, e->tile, x->exe->cpu->kernels, arrays, x->scratch, from, to);
  else
    tile_run(e->tile, x->exe->cpu->kernels, arrays, x->scratch, from, to);
}

static void run_nest(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  size_t from, to;
  tile_range(((const nest_params *)s->params)->tile, part, n_parts, &from, &to);
  for (size_t end; from < to; from = end) {
    end = plan_prologue(s, x, from, to);
    run_nest_some(s, x, from, end);
  }
}

const loop_nest *nest_of_step(const plan_step *s) {
  return s->kind == TL_STEP_RUN && s->run == run_nest ? ((const nest_params *)s->params)->loop
                                                      : NULL;
}

static const loop_nest *keep(nest *n) {
  const loop_nest *l = n->loop;
  loop_nest *k = plan_alloc(n->p, sizeof *k, _Alignof(loop_nest));
  loop_inst *insts = plan_alloc(n->p, l->n_insts * sizeof *insts, _Alignof(loop_inst));
  loop_array *arrays = plan_alloc(n->p, l->n_arrays * sizeof *arrays, _Alignof(loop_array));
  loop_map *maps = plan_alloc(n->p, l->n_maps * sizeof *maps, _Alignof(loop_map));
  uint16_t *states = plan_alloc(n->p, 2 * l->n_states * sizeof *states, 2);
  if (n->p->error) return NULL;
  *k = *l;
  memcpy(insts, l->insts, l->n_insts * sizeof *insts);
  memcpy(arrays, l->arrays, l->n_arrays * sizeof *arrays);
  memcpy(maps, l->maps, l->n_maps * sizeof *maps);
  memcpy(states, l->init, l->n_states * sizeof *states);
  memcpy(states + l->n_states, l->next, l->n_states * sizeof *states);
  k->insts = insts, k->arrays = arrays, k->maps = maps;
  k->init = states, k->next = states + l->n_states;
  return k;
}

// Whether instruction i of n, which l is or was, walks its array as the nest's first dims go:
// element by element, or a part of each.
static bool in_step(const nest *n, const loop_nest *l, uint32_t n_dims, const loop_inst *i) {
  const bool paired = n->paired[i->array];
  int64_t stride = paired ? 2 : 1;
  const int64_t offset = l->maps[i->map].offset;
  if (offset < 0 || offset > paired || i->arg[i->kind == LOOP_STORE] != LOOP_NONE) return false;
  for (uint32_t d = n_dims; d-- > 0;) {
    if (l->extent[d] != 1 && l->maps[i->map].stride[d] != stride) return false;
    stride = (int64_t)((uint64_t)stride * (uint64_t)l->extent[d]); // wraps where nothing runs
  }
  return (size_t)stride == l->arrays[i->array].count;
}

plan_view nest_out(nest *n, const tl_op *op) {
  const loop_nest *l = n->loop;
  const size_t size = type_size(op->results[0]->type);
  if (n->failed || n->p->error) return (plan_view){0};
  bool same[NEST_MAX_ARRAYS];
  for (uint32_t a = 0; a < l->n_arrays; a++)
    same[a] = l->reduce == LOOP_EACH;
  for (uint32_t i = 0; i < l->n_insts; i++)
    if (l->insts[i].kind == LOOP_LOAD && !in_step(n, l, l->n_kept, &l->insts[i]))
      same[l->insts[i].array] = false;
  for (uint32_t a = 0; a < l->n_arrays; a++)
    if (same[a] && n->values[a] && n->views[a].size == size &&
        tl_dtype_get(l->arrays[a].dtype)->size << n->paired[a] ==
            tl_dtype_get(op->results[0]->type.dtype)->size &&
        plan_may_overwrite(n->p, op, n->views, same, l->n_arrays, a)) {
      plan_bind(n->p, op->results[0], n->views[a]);
      return n->views[a];
    }
  return plan_result(n->p, op->results[0]);
}

// COMPILED_WORK: from where on a run saves enough that compiling (5 ms, once for each shape) may
// pay; what stands in a loop is taken to run LOOP_RUNS times.
enum { PARALLEL_WORK = 32768, CHEAP_WORK = 2048, COMPILED_WORK = 1 << 18, LOOP_RUNS = 64 };

// Code calls back for what the interpreter's functions compute, 16 elements at a time; the tile
// program does 256. Where they are most of the work code is no gain.
static bool calls_back(const loop_nest *l) {
  for (uint32_t i = 0; i < l->n_insts; i++)
    if (l->insts[i].section != LOOP_HEAD &&
        (l->insts[i].kind == LOOP_REF || l->insts[i].kind == LOOP_NARROW))
      return true;
  return false;
}

static bool worth_code(const planner *p, const tile_program *tile, const loop_nest *l,
                       const tl_op *op) {
  size_t work = tile_work(tile);
  const tl_cpu_jit jit = p->exe->cpu->jit;
  for (; op; op = op->block ? op->block->parent : NULL)
    if (op->code == TL_OP_WHILE && !TL_MUL_OK(work, (size_t)LOOP_RUNS, &work)) work = SIZE_MAX;
  return jit == TL_CPU_JIT_ALWAYS ||
         (jit == TL_CPU_JIT_ON && work >= COMPILED_WORK && !calls_back(l) && !tile_bare(tile));
}

size_t nest_cost(const loop_nest *l) {
  size_t kept = 1, all, head = 0, tail = 0, body = 0, total;
  bool fits = true;
  for (uint32_t d = 0; d < l->n_kept; d++)
    fits &= TL_MUL_OK(kept, (size_t)l->extent[d], &kept);
  all = kept;
  for (uint32_t d = l->n_kept; d < l->n_dims; d++)
    fits &= TL_MUL_OK(all, (size_t)l->extent[d], &all);
  for (uint32_t i = 0; i < l->n_insts; i++) {
    const loop_inst *x = &l->insts[i];
    size_t cost = x->kind == LOOP_LOAD && x->arg[0] != LOOP_NONE ? 4 : 1;
    if (x->kind == LOOP_REF || x->kind == LOOP_COMPLEX || x->kind == LOOP_NARROW ||
        x->kind == LOOP_ROUND)
      cost = 200;
    if (x->kind == LOOP_SCALAR && x->op >= TL_SCALAR_EXP && x->op <= TL_SCALAR_LOGISTIC) cost = 16;
    if (x->kind == LOOP_SCALAR && (x->op == TL_SCALAR_DIV || x->op == TL_SCALAR_REM ||
                                   x->op == TL_SCALAR_SQRT || x->op == TL_SCALAR_RSQRT))
      cost = 6;
    if (loop_reg_size(x->type) == 8) cost *= 2;
    *(x->section == LOOP_HEAD ? &head : x->section == LOOP_TAIL ? &tail : &body) += cost;
  }
  if (l->reduce == LOOP_EACH) body = 0;
  fits &= TL_MUL_OK(kept, tail, &total) && TL_MUL_OK(all, body, &all) &&
          TL_ADD_OK(total, all, &total) && TL_ADD_OK(total, head, &total);
  return fits ? total : SIZE_MAX;
}

// The nests that are worth code, but for those that loops' code computes.
void nest_compile(tl_cpu_exe *exe) {
  const tl_cpu *cpu = exe->cpu;
  jit_program **programs = calloc(exe->n_steps + 1, sizeof(jit_program *));
  size_t n = 0;
  for (uint32_t i = 0; programs && i < exe->n_steps; i++) {
    const plan_step *s = &exe->steps[i];
    if (!nest_of_step(s) || s->in_code) continue;
    nest_params *e = (nest_params *)(uintptr_t)s->params;
    jit_program *p = e->worth_code
                         ? jit_prepare(e->loop, cpu->isa, cpu->jit == TL_CPU_JIT_ALWAYS, exe->arena)
                         : NULL;
    if (p) programs[n++] = p;
    e->code = p;
  }
  if (n > 0) jit_make(programs, n, tl_pool_size(cpu->pool), exe->arena);
  free(programs);
  for (uint32_t i = 0; i < exe->n_steps; i++) {
    const plan_step *s = &exe->steps[i];
    nest_params *e = nest_of_step(s) ? (nest_params *)(uintptr_t)s->params : NULL;
    if (e && e->code && !jit_ready(e->code)) e->code = NULL;
  }
}

// Narrow floats that are only moved are moved as they are: a NaN keeps its bits, and nothing is
// converted. That is so when their loads are used by stores of the same type alone, and those store
// nothing else.
static void move_as_bits(loop_nest *l, tl_dtype d) {
  const tl_dtype as = tl_dtype_get(d)->size == 2 ? TL_DTYPE_U16 : TL_DTYPE_U8;
  const tl_reg r = as == TL_DTYPE_U16 ? TL_REG_U16 : TL_REG_U8;
  for (uint32_t i = 0; i < l->n_insts; i++) {
    const loop_inst *x = &l->insts[i];
    const bool stores = x->kind == LOOP_STORE && l->arrays[x->array].dtype == d;
    for (uint32_t k = 0; k < 3; k++) {
      if (x->arg[k] == LOOP_NONE) continue;
      const loop_inst *y = &l->insts[x->arg[k]];
      const bool loads = y->kind == LOOP_LOAD && l->arrays[y->array].dtype == d;
      if (loads && !(stores && k == 0)) return;
      if (stores && k == 0 && !loads) return;
    }
  }
  for (int k = 0; k < 2; k++)
    if (l->term[k] != LOOP_NONE) return;
  if (l->n_states) return;
  for (uint32_t i = 0; i < l->n_insts; i++) {
    loop_inst *x = &l->insts[i];
    if ((x->kind == LOOP_LOAD || x->kind == LOOP_STORE) && l->arrays[x->array].dtype == d)
      x->type = x->from = r;
  }
  for (uint32_t a = 0; a < l->n_arrays; a++)
    if (l->arrays[a].dtype == d) l->arrays[a].dtype = as;
}

// Drops what nothing wants: of complex numbers often one part.
static void prune(nest *n) {
  loop_nest *l = n->loop;
  bool wanted[NEST_MAX_INSTS] = {0};
  uint16_t to[NEST_MAX_INSTS], at = 0;
  if (n->n_pairs == 0) return;
  for (uint32_t k = 0; k < 2; k++)
    if (l->term[k] != LOOP_NONE) wanted[l->term[k]] = true;
  for (uint32_t s = 0; s < l->n_states; s++)
    wanted[l->init[s]] = wanted[l->next[s]] = true;
  for (uint32_t i = l->n_insts; i-- > 0;) {
    const loop_inst *x = &l->insts[i];
    wanted[i] |= x->kind == LOOP_STORE;
    for (int k = 0; wanted[i] && k < loop_n_args(x); k++)
      if (x->arg[k] != LOOP_NONE) wanted[x->arg[k]] = true;
  }
  for (uint32_t i = 0; i < l->n_insts; i++) {
    if (!wanted[i]) continue;
    loop_inst x = l->insts[i];
    for (int k = 0; k < loop_n_args(&x); k++)
      if (x.arg[k] != LOOP_NONE) x.arg[k] = to[x.arg[k]];
    l->insts[to[i] = at++] = x;
  }
  l->n_insts = at;
  for (uint32_t k = 0; k < 2; k++)
    if (l->term[k] != LOOP_NONE) l->term[k] = to[l->term[k]];
  for (uint32_t s = 0; s < l->n_states; s++)
    l->init[s] = to[l->init[s]], l->next[s] = to[l->next[s]];
}

static void move_bits(loop_nest *l) {
  for (uint32_t a = 0; a < l->n_arrays; a++)
    if (nest_narrow_float(l->arrays[a].dtype)) move_as_bits(l, l->arrays[a].dtype);
}

// An array of which each result of a reduction reads a row of its own, and no more; LOOP_NONE:
// none.
static uint16_t walked_by_rows(const nest *n, const loop_nest *l) {
  bool rows[NEST_MAX_ARRAYS] = {0};
  for (int wrong = 0; wrong < 2; wrong++)
    for (uint32_t i = 0; i < l->n_insts; i++) {
      const loop_inst *x = &l->insts[i];
      if (x->kind == LOOP_LOAD && in_step(n, l, l->n_dims, x) != (bool)wrong)
        rows[x->array] = !wrong;
    }
  for (uint32_t a = 0; a < l->n_arrays; a++)
    if (rows[a]) return (uint16_t)a;
  return LOOP_NONE;
}

bool nest_finish(nest *n, const tl_op *op, const char *what) {
  planner *p = n->p;
  if (n->failed || p->error) {
    nest_drop(n);
    return p->error != NULL;
  }
  move_bits(n->loop);
  prune(n);
#ifdef TL_CHECKED
  {
    tl_status st = loop_verify(n->loop);
    if (st) {
      plan_fail(p, st);
      nest_drop(n);
      return true;
    }
  }
#endif
  const loop_nest *l = keep(n);
  nest_params *e = plan_alloc(p, sizeof *e, _Alignof(nest_params));
  plan_view *views = plan_views(p, n->loop->n_arrays + 1);
  const tile_program *tile = l ? tile_prepare(l, p->exe->arena) : NULL;
  if (l && !tile) plan_fail(p, TL_OOM());
  if (p->error) {
    nest_drop(n);
    return true;
  }
  const size_t work = tile_work(tile);
  *e = (nest_params){tile, NULL, l, worth_code(p, tile, l, op)};
  bool steps[NEST_MAX_ARRAYS]; // arrays that all their users walk as the nest is divided
  for (uint32_t a = 0; a < l->n_arrays; a++)
    steps[a] = tile_grain(tile) > 1 && l->reduce == LOOP_EACH;
  for (uint32_t i = 0; i < l->n_insts; i++)
    if ((l->insts[i].kind == LOOP_LOAD || l->insts[i].kind == LOOP_STORE) &&
        !in_step(n, l, l->n_kept, &l->insts[i]))
      steps[l->insts[i].array] = false;
  size_t row = 1;
  for (uint32_t d = l->n_kept; d < l->n_dims; d++)
    row *= (size_t)l->extent[d];
  const uint16_t by_rows = tile_grain(tile) == 1 ? walked_by_rows(n, l) : LOOP_NONE;
  uint32_t n_in = 0, n_out = 0, asks = 0;
  for (int out = 0; out < 2; out++)
    for (uint32_t a = 0; a < l->n_arrays; a++) {
      if (l->arrays[a].out != (bool)out) continue;
      plan_view v = n->views[a];
      const size_t row_size = (row * tl_dtype_get(l->arrays[a].dtype)->size) << n->paired[a];
      if (a == by_rows && row_size <= UINT32_MAX) {
        v.grain = (uint32_t)row_size;
        asks = n_in + 1;
      }
      if (steps[a])
        v.grain =
            (uint32_t)((tile_grain(tile) * tl_dtype_get(l->arrays[a].dtype)->size) << n->paired[a]);
      views[n_in + n_out] = v;
      if (out)
        n_out++;
      else
        n_in++;
      plan_touch(p, v);
    }
  const uint32_t n_ops = n->n_ops;
  nest_drop(n);
  plan_step *s = plan_add_step(p, op, n_ops > 1 ? "fused" : what, run_nest);
  if (!s) return true;
  s->in = views, s->n_in = n_in;
  s->out = views + n_in, s->n_out = n_out;
  s->params = e;
  s->scratch = tile_scratch_size(tile);
  s->parallel = plan_worth(p, work, PARALLEL_WORK);
  s->cheap = !s->parallel && work <= CHEAP_WORK;
  if (l->reduce == LOOP_EACH) s->some = run_nest_some;
  s->asks = asks, s->row = row;
  return true;
}

// --- programs that a step runs itself ---

enum { OWN_BUFS = 1 << 30 }; // numbers of buffers from which on they are a step's own vectors

plan_view nest_own_view(uint32_t k) { return (plan_view){.buf = OWN_BUFS + k}; }

bool nest_to_program(nest *n, nest_program *out) {
  planner *p = n->p;
  if (n->failed || p->error) {
    nest_drop(n);
    return false;
  }
  move_bits(n->loop);
  prune(n);
  const loop_nest *l = keep(n);
  const uint32_t n_arrays = n->loop->n_arrays;
  *out = (nest_program){.loop = l,
                        .own = plan_alloc(p, n_arrays * sizeof *out->own, 2),
                        .captured = plan_views(p, n_arrays),
                        .tile = l ? tile_prepare(l, p->exe->arena) : NULL};
  if (!out->tile) plan_fail(p, TL_OOM());
  for (uint32_t a = 0; a < n_arrays && !p->error; a++) {
    const bool own = n->views[a].buf >= OWN_BUFS;
    out->own[a] = own ? (uint16_t)(n->views[a].buf - OWN_BUFS) : LOOP_NONE;
    if (!own) out->captured[out->n_captured++] = n->views[a];
  }
  nest_drop(n);
  return p->error == NULL;
}

void nest_program_arrays(const nest_program *e, const plan_step *s, const plan_exec *x,
                         uint32_t first, uint8_t *const *own, void **arrays) {
  for (uint32_t a = 0; a < e->loop->n_arrays; a++)
    arrays[a] = e->own[a] != LOOP_NONE ? own[e->own[a]] : step_in(s, x, first++);
}
