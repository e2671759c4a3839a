#include "cpu/cpu.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpuinfo.h"
#include "cpu/jit.h"
#include "cpu/jit_cache.h"
#include "cpu/manual.h"
#include "cpu/plan.h"
#include "ir/dim.h"
#include "ref/ref.h"

// Devices, programs, and running them. Every thread of the pool walks the whole plan; see plan.h.

tl_status tl_cpu_create(const tl_cpu_options *options, tl_cpu **out_cpu) {
  static const tl_cpu_options defaults;
  if (!options) options = &defaults;
  tl_cpu *cpu = calloc(1, sizeof *cpu);
  if (!cpu) return TL_OOM();
  atomic_init(&cpu->refs, 1);
  tl_status st;
  TL_TRY_GOTO(fail, st, tl_cpu_isa(&cpu->isa));
  TL_TRY_GOTO(fail, st, jit_choice(options->jit, &cpu->jit));
  cpu->kernels = tl_kernels_pick(cpu->isa);
  cpu->interpreter = options->interpreter;
  if (cpu->jit == TL_CPU_JIT_ALWAYS && !cpu->interpreter && (cpu->isa & TL_ISA_AVX2))
    TL_TRY_GOTO(fail, st, jit_module_check());
  cpu->single_process = options->single_process;
  TL_TRY_GOTO(fail, st, tl_pool_create(cpu->interpreter ? 1 : options->n_threads, &cpu->pool));
  *out_cpu = cpu;
  return TL_OK;
fail:
  free(cpu);
  return st;
}

tl_cpu *tl_cpu_retain(tl_cpu *cpu) {
  atomic_fetch_add(&cpu->refs, 1);
  return cpu;
}

void tl_cpu_release(tl_cpu *cpu) {
  if (!cpu || atomic_fetch_sub(&cpu->refs, 1) != 1) return;
  tl_pool_destroy(cpu->pool);
  free(cpu);
}

bool tl_cpu_interprets(const tl_cpu *cpu) { return cpu->interpreter; }
size_t tl_cpu_threads(const tl_cpu *cpu) { return tl_pool_size(cpu->pool); }
uint32_t tl_cpu_isa_used(const tl_cpu *cpu) { return cpu->isa; }
size_t tl_cpu_program_bytes(const tl_cpu *cpu) { return atomic_load(&cpu->program_bytes); }

static void exe_free(tl_cpu_exe *exe) {
  atomic_fetch_sub(&exe->cpu->program_bytes, exe->held);
  tl_mem_unmap(exe->memory, exe->memory_size);
  for (size_t t = 0; exe->execs && t < tl_pool_size(exe->cpu->pool); t++)
    free(exe->execs[t].base);
  free(exe->execs);
  pthread_mutex_destroy(&exe->lock);
  free(exe->steps);
  free(exe->bufs);
  tl_arena_destroy(exe->interpreter);
  tl_arena_destroy(exe->arena);
  tl_module_destroy(exe->bodies);
  plan_manual_free(exe->manuals);
  if (exe->first)
    tl_cpu_exe_release(exe->first);
  else if (!exe->borrowed)
    tl_module_destroy(exe->module);
  tl_cpu_release(exe->cpu);
  free(exe);
}

// What each thread walks with: where every buffer lies, but for inputs and outputs.
static tl_status make_execs(tl_cpu_exe *exe) {
  const size_t n_threads = tl_pool_size(exe->cpu->pool);
  exe->execs = calloc(n_threads, sizeof *exe->execs);
  if (!exe->execs) return TL_OOM();
  for (size_t t = 0; t < n_threads; t++) {
    plan_exec *x = &exe->execs[t];
    uint8_t *own = exe->memory + exe->temp_size + t * (exe->local_size + exe->scratch_size);
    x->exe = exe;
    x->scratch = own + exe->local_size;
    x->base = calloc(exe->n_bufs + 1, sizeof *x->base);
    if (!x->base) return TL_OOM();
    for (uint32_t i = 0; i < exe->n_bufs; i++) {
      const plan_buf *b = &exe->bufs[i];
      if (b->space == TL_SPACE_CONST) x->base[i] = (uint8_t *)(uintptr_t)b->data;
      if (b->space == TL_SPACE_TEMP) x->base[i] = exe->memory + b->offset;
      if (b->space == TL_SPACE_LOCAL) x->base[i] = own + b->offset;
    }
  }
  return TL_OK;
}

static bool uses(const tl_block *block, tl_opcode code) {
  for (const tl_op *op = block->first; op; op = op->next) {
    if (op->code == code) return true;
    for (uint32_t r = 0; r < op->n_regions; r++)
      if (uses(op->regions[r], code)) return true;
  }
  return false;
}

// `first`: NULL, or the program whose module this one is of.
static tl_status compile(tl_cpu *cpu, tl_module *m, const tl_func *fn, tl_cpu_exe *first,
                         tl_cpu_exe **out_exe) {
  TL_TRY(tl_module_require_static(m));
  tl_cpu_exe *exe = calloc(1, sizeof *exe);
  if (!exe) return TL_OOM();
  if (pthread_mutex_init(&exe->lock, NULL) != 0) {
    free(exe);
    return TL_OOM();
  }
  atomic_init(&exe->refs, 1);
  exe->cpu = tl_cpu_retain(cpu);
  exe->func = fn;
  exe->module = m;
  exe->arena = tl_arena_create();
  exe->interpreter = tl_arena_create();
  for (const tl_func *f = m->first; f; f = f->next) {
    exe->has_probes = exe->has_probes || uses(f->body, TL_OP_PROBE);
    exe->has_draws = exe->has_draws || uses(f->body, TL_OP_RNG);
  }
  tl_status st = exe->arena && exe->interpreter ? TL_OK : TL_OOM();
  if (!st && !cpu->interpreter) {
    TL_TRY_GOTO(done, st, plan_function(exe));
    TL_TRY_GOTO(done, st, plan_products_in_turn(exe));
    plan_alone(exe);
    TL_TRY_GOTO(done, st, plan_epilogues(exe));
    TL_TRY_GOTO(done, st, plan_local(exe));
    TL_TRY_GOTO(done, st, plan_memory(exe));
    plan_barriers(exe);
    region_compile(exe);
    nest_compile(exe);
    for (uint32_t i = 0; i < exe->n_steps; i++)
      exe->divided |= exe->steps[i].parallel;
    TL_TRY_GOTO(done, st, make_execs(exe));
  }
done:
  if (st) {
    exe->module = NULL; // still the caller's
    exe_free(exe);
    return st;
  }
  if (first) exe->first = tl_cpu_exe_retain(first);
  exe->held = exe->memory_size + tl_arena_size(exe->arena) + exe->cap_steps * sizeof *exe->steps +
              exe->cap_bufs * sizeof *exe->bufs;
  atomic_fetch_add(&cpu->program_bytes, exe->held);
  *out_exe = exe;
  return TL_OK;
}

tl_status tl_cpu_compile(tl_cpu *cpu, tl_module *m, tl_str entry, tl_cpu_exe **out_exe) {
  const tl_func *fn = tl_module_find(m, entry);
  if (!fn) return TL_ERROR(NOT_FOUND, "the module has no function @" TL_STR_FMT, TL_STR_ARG(entry));
  return compile(cpu, m, fn, NULL, out_exe);
}

tl_status plan_compile_borrowed(tl_cpu *cpu, tl_module *m, const tl_func *fn,
                                tl_cpu_exe **out_exe) {
  TL_TRY(compile(cpu, m, fn, NULL, out_exe));
  (*out_exe)->borrowed = true;
  return TL_OK;
}

tl_status tl_cpu_compile_again(tl_cpu *cpu, tl_cpu_exe *first, tl_cpu_exe **out_exe) {
  return compile(cpu, first->module, first->func, first, out_exe);
}

tl_cpu_exe *tl_cpu_exe_retain(tl_cpu_exe *exe) {
  atomic_fetch_add(&exe->refs, 1);
  return exe;
}

void tl_cpu_exe_release(tl_cpu_exe *exe) {
  if (exe && atomic_fetch_sub(&exe->refs, 1) == 1) exe_free(exe);
}

size_t tl_cpu_exe_temp_size(const tl_cpu_exe *exe) { return exe->memory_size; }
size_t tl_cpu_exe_n_interpreted(const tl_cpu_exe *exe) { return exe->n_interpreted; }

// --- the walk ---

static uint32_t switch_branch(const plan_step *s, const plan_exec *x) {
  if (s->in[0].size == 1) return *(const uint8_t *)step_in(s, x, 0) ? 0 : 1; // if: true first
  int32_t index;
  memcpy(&index, step_in(s, x, 0), 4);
  return index < 0 || (uint32_t)index >= s->n_body ? s->n_body - 1 : (uint32_t)index;
}

static void wait_for_all(tl_pool *pool) {
  if (pool) tl_pool_barrier(pool);
}

static void run_range(plan_exec *x, uint32_t from, uint32_t to, size_t part, size_t n_parts);

static void run_while(plan_exec *x, const plan_step *s, size_t part, size_t n_parts) {
  if (s->code) {
    region_run(s->code, x);
    return;
  }
  tl_pool *pool = n_parts > 1 ? x->exe->cpu->pool : NULL;
  const uint8_t *pred = step_in(s, x, 0);
  for (;;) {
    run_range(x, s->body[0], s->body[1], part, n_parts);
    wait_for_all(pool);
    const bool again = *pred && !atomic_load(&x->exe->failed);
    wait_for_all(pool); // everyone has read it
    if (!again) return;
    run_range(x, s->body[1], s->body[2], part, n_parts);
  }
}

static void run_switch(plan_exec *x, const plan_step *s, size_t part, size_t n_parts) {
  const uint32_t branch = switch_branch(s, x);
  wait_for_all(n_parts > 1 ? x->exe->cpu->pool : NULL); // everyone has read it
  run_range(x, s->body[branch], s->body[branch + 1], part, n_parts);
}

static void run_range(plan_exec *x, uint32_t from, uint32_t to, size_t part, size_t n_parts) {
  tl_pool *pool = n_parts > 1 ? x->exe->cpu->pool : NULL; // alone there is nobody to wait for
  for (uint32_t i = from; i < to; i++) {
    const plan_step *s = &x->exe->steps[i];
    if (s->epilogue || s->prologue) continue;
    if (s->barrier && pool) tl_pool_barrier_reading(pool, &x->reading);
    switch (s->kind) {
    case TL_STEP_RUN:
      if (s->parallel)
        s->run(s, x, part, n_parts);
      else if (part == 0 || s->each)
        s->run(s, x, 0, 1);
      break;
    default:
      if (!s->alone && !s->code)
        (s->kind == TL_STEP_WHILE ? run_while : run_switch)(x, s, part, n_parts);
      else if (part == 0)
        (s->kind == TL_STEP_WHILE ? run_while : run_switch)(x, s, 0, 1);
      i = s->body[s->n_body] - 1;
    }
  }
}

static void run_part(void *arg, size_t part, size_t n_parts) {
  tl_cpu_exe *exe = arg;
  plan_exec *x = &exe->execs[part];
  for (uint32_t i = 0; i < exe->n_bufs; i++) {
    const plan_buf *b = &exe->bufs[i];
    if (b->space == TL_SPACE_INPUT) x->base[i] = (uint8_t *)(uintptr_t)exe->inputs[b->index];
    if (b->space == TL_SPACE_OUTPUT) x->base[i] = exe->outputs[b->index];
  }
  run_range(x, 0, exe->n_steps, part, n_parts);
}

// The interpreter makes its results in memory of its own; they are copied out at the end, so a
// donated parameter may be its result's memory.
static tl_status interpret(tl_cpu_exe *exe) {
  const tl_func *fn = exe->func;
  tl_arena *a = exe->interpreter;
  tl_arena_point mark = tl_arena_mark(a);
  tl_tensor *in = TL_NEW(a, tl_tensor, fn->body->n_args),
            *out = TL_NEW(a, tl_tensor, fn->n_results);
  tl_status st = in && out ? TL_OK : TL_OOM();
  for (uint32_t i = 0; !st && i < fn->body->n_args; i++)
    in[i] = (tl_tensor){fn->body->args[i]->type, (void *)(uintptr_t)exe->inputs[i]};
  if (!st) st = tl_ref_run_in(&exe->context, fn, TL_REF_AS_TYPED, in, fn->body->n_args, a, out, 0);
  for (uint32_t o = 0; !st && o < fn->n_results; o++) {
    const size_t size = type_size(fn->result_types[o]);
    if (size) memcpy(exe->outputs[o], out[o].data, size);
  }
  tl_arena_rewind(a, mark);
  return st;
}

static tl_status run_plan(tl_cpu_exe *exe) {
  const tl_func *fn = exe->func;
  for (uint32_t i = 0; i < fn->body->n_args; i++) { // a donated parameter in a place of its own
    const int32_t o = fn->args[i].alias_output;
    const size_t size = type_size(fn->body->args[i]->type);
    if (o >= 0 && size && exe->inputs[i] != exe->outputs[o])
      memcpy(exe->outputs[o], exe->inputs[i], size);
  }
  exe->status = TL_OK;
  atomic_store(&exe->failed, false);
  if (exe->divided)
    tl_pool_run(exe->cpu->pool, run_part, exe);
  else
    run_part(exe, 0, 1); // small work: waking another thread would cost more
  return exe->status;
}

tl_status tl_cpu_execute(tl_cpu_exe *exe, const void *const *inputs, void *const *outputs) {
  return tl_cpu_execute_at(exe, (tl_place){.single_process = exe->cpu->single_process}, inputs,
                           outputs);
}

tl_status tl_cpu_execute_at(tl_cpu_exe *exe, tl_place place, const void *const *inputs,
                            void *const *outputs) {
  tl_status st = TL_OK;
  pthread_mutex_lock(&exe->lock);
  exe->inputs = inputs;
  exe->outputs = outputs;
  exe->draws = (tl_ref_draws){0};
  exe->context = (tl_ref_context){.place = place, .draws = &exe->draws};
  if (exe->has_probes && (exe->context.probes = tl_ref_probes_create()) == NULL) st = TL_OOM();
  if (!st) st = exe->cpu->interpreter ? interpret(exe) : run_plan(exe);
  tl_ref_probes_destroy(exe->context.probes);
  pthread_mutex_unlock(&exe->lock);
  return st;
}
