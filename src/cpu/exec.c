#include "cpu/cpu.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpuinfo.h"
#include "cpu/plan.h"
#include "ref/ref.h"

// Devices, programs, and running them. Every thread of the pool walks the whole plan; see plan.h.

tl_status tl_cpu_create(const tl_cpu_options *options, tl_cpu **out_cpu) {
  tl_cpu *cpu = calloc(1, sizeof *cpu);
  if (!cpu) return TL_OOM();
  atomic_init(&cpu->refs, 1);
  tl_status st;
  TL_TRY_GOTO(fail, st, tl_cpu_isa(&cpu->isa));
  cpu->interpreter = options && options->interpreter;
  TL_TRY_GOTO(fail, st, tl_pool_create(cpu->interpreter ? 1 : options ? options->n_threads : 0, &cpu->pool));
  cpu->kernels = tl_kernels_pick(cpu->isa);
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

size_t tl_cpu_threads(const tl_cpu *cpu) { return tl_pool_size(cpu->pool); }
uint32_t tl_cpu_isa_used(const tl_cpu *cpu) { return cpu->isa; }

static void exe_free(tl_cpu_exe *exe) {
  tl_mem_unmap(exe->memory, exe->memory_size);
  if (exe->exec) {
    free(exe->exec->base);
    free(exe->exec);
  }
  if (exe->lock) pthread_mutex_destroy(exe->lock);
  free(exe->lock);
  free(exe->steps);
  free(exe->bufs);
  tl_arena_destroy(exe->interpreter);
  tl_arena_destroy(exe->arena);
  tl_module_destroy(exe->module);
  tl_cpu_release(exe->cpu);
  free(exe);
}

tl_status tl_cpu_compile(tl_cpu *cpu, tl_module *m, tl_str entry, tl_cpu_exe **out_exe) {
  const tl_func *fn = tl_module_find(m, entry);
  if (!fn) return TL_ERROR(NOT_FOUND, "the module has no function @" TL_STR_FMT, TL_STR_ARG(entry));
  tl_cpu_exe *exe = calloc(1, sizeof *exe);
  if (!exe) return TL_OOM();
  atomic_init(&exe->refs, 1);
  exe->cpu = tl_cpu_retain(cpu);
  exe->module = m;
  exe->func = fn;
  tl_status st = TL_OK;
  exe->arena = tl_arena_create();
  exe->interpreter = tl_arena_create();
  exe->exec = calloc(1, sizeof *exe->exec);
  exe->lock = malloc(sizeof(pthread_mutex_t));
  if (exe->lock) pthread_mutex_init(exe->lock, NULL);
  if (!exe->arena || !exe->interpreter || !exe->exec || !exe->lock) {
    st = TL_OOM();
    goto fail;
  }
  if (!cpu->interpreter) {
    TL_TRY_GOTO(fail, st, plan_function(exe));
    TL_TRY_GOTO(fail, st, plan_memory(exe));
    plan_barriers(exe);
  }
  exe->exec->exe = exe;
  exe->exec->base = calloc(exe->n_bufs + 1, sizeof(uint8_t *));
  if (!exe->exec->base) {
    st = TL_OOM();
    goto fail;
  }
  for (uint32_t i = 0; i < exe->n_bufs; i++) {
    const plan_buf *b = &exe->bufs[i];
    if (b->space == TL_SPACE_CONST) exe->exec->base[i] = (uint8_t *)(uintptr_t)b->data;
    if (b->space == TL_SPACE_TEMP) exe->exec->base[i] = exe->memory + b->offset;
  }
  *out_exe = exe;
  return TL_OK;
fail:
  exe->module = NULL; // still the caller's
  exe_free(exe);
  return st;
}

tl_cpu_exe *tl_cpu_exe_retain(tl_cpu_exe *exe) {
  atomic_fetch_add(&exe->refs, 1);
  return exe;
}

void tl_cpu_exe_release(tl_cpu_exe *exe) {
  if (exe && atomic_fetch_sub(&exe->refs, 1) == 1) exe_free(exe);
}

const tl_func *tl_cpu_exe_func(const tl_cpu_exe *exe) { return exe->func; }
size_t tl_cpu_exe_temp_size(const tl_cpu_exe *exe) { return exe->memory_size; }
size_t tl_cpu_exe_n_interpreted(const tl_cpu_exe *exe) { return exe->n_interpreted; }

void tl_cpu_exe_explain(const tl_cpu_exe *exe, tl_buf *out) {
  static const char *const spaces[] = {"in", "out", "const", "temp"};
  for (uint32_t i = 0; i < exe->n_steps; i++) {
    const plan_step *s = &exe->steps[i];
    tl_buf_printf(out, "%4u %c%c %-20s", i, s->barrier ? '|' : ' ', s->parallel ? 'p' : ' ',
                  s->what);
    for (uint32_t j = 0; j < s->n_in + s->n_out; j++) {
      plan_view v = j < s->n_in ? s->in[j] : s->out[j - s->n_in];
      const plan_buf *b = &exe->bufs[v.buf];
      size_t at = v.offset + (b->space == TL_SPACE_TEMP ? b->offset : 0);
      tl_buf_printf(out, "%s %s%u+%zu:%zu", j == s->n_in ? " ->" : "", spaces[b->space],
                    b->space == TL_SPACE_TEMP || b->space == TL_SPACE_CONST ? v.buf : b->index, at,
                    v.size);
    }
    tl_buf_char(out, '\n');
  }
  tl_buf_printf(out,
                "%u steps, %zu interpreted, %zu bytes of temporaries, %zu of scratch a thread\n",
                exe->n_steps, exe->n_interpreted, exe->temp_size, exe->scratch_size);
}

static int64_t switch_index(const plan_step *s, const plan_exec *x) {
  if (s->in[0].size == 1) return *(const uint8_t *)step_in(s, x, 0) ? 0 : 1; // if: true first
  int32_t index;
  memcpy(&index, step_in(s, x, 0), 4);
  return index < 0 || (uint32_t)index >= s->n_body ? (int64_t)s->n_body - 1 : index;
}

static void run_range(plan_exec *x, uint32_t from, uint32_t to, size_t part, size_t n_parts) {
  tl_pool *pool = x->exe->cpu->pool;
  for (uint32_t i = from; i < to; i++) {
    const plan_step *s = &x->exe->steps[i];
    if (s->barrier && n_parts > 1) tl_pool_barrier(pool);
    switch (s->kind) {
    case TL_STEP_RUN:
      if (s->parallel || part == 0) s->run(s, x, part, s->parallel ? n_parts : 1);
      break;
    case TL_STEP_WHILE:
      for (;;) {
        run_range(x, s->body[0], s->body[1], part, n_parts);
        if (n_parts > 1) tl_pool_barrier(pool);
        bool again = *(const uint8_t *)step_in(s, x, 0) && !atomic_load(&x->failed);
        if (n_parts > 1) tl_pool_barrier(pool); // everyone has read it
        if (!again) break;
        run_range(x, s->body[1], s->body[2], part, n_parts);
      }
      i = s->body[2] - 1;
      break;
    case TL_STEP_SWITCH: {
      int64_t branch = switch_index(s, x);
      if (n_parts > 1) tl_pool_barrier(pool);
      run_range(x, s->body[branch], s->body[branch + 1], part, n_parts);
      i = s->body[s->n_body] - 1;
      break;
    }
    }
  }
}

static void run_part(void *arg, size_t part, size_t n_parts) {
  plan_exec *x = arg;
  run_range(x, 0, x->exe->n_steps, part, n_parts);
}

// The interpreter makes its results in memory of its own; they are copied out at the end, so a donated parameter may be
// its result's memory.
static tl_status interpret(tl_cpu_exe *exe, const void *const *inputs, void *const *outputs) {
  const tl_func *fn = exe->func;
  tl_arena *a = exe->interpreter;
  tl_arena_point mark = tl_arena_mark(a);
  tl_tensor *in = TL_NEW(a, tl_tensor, fn->body->n_args + 1), *out = TL_NEW(a, tl_tensor, fn->n_results + 1);
  tl_status st = in && out ? TL_OK : TL_OOM();
  for (uint32_t i = 0; !st && i < fn->body->n_args; i++)
    in[i] = (tl_tensor){fn->body->args[i]->type, (void *)(uintptr_t)inputs[i]};
  if (!st) st = tl_ref_run(fn, TL_REF_AS_TYPED, in, fn->body->n_args, a, out, 0);
  for (uint32_t o = 0; !st && o < fn->n_results; o++) memcpy(outputs[o], out[o].data, type_size(fn->result_types[o]));
  tl_arena_rewind(a, mark);
  return st;
}

tl_status tl_cpu_execute(tl_cpu_exe *exe, const void *const *inputs, void *const *outputs) {
  plan_exec *x = exe->exec;
  pthread_mutex_lock(exe->lock);
  if (exe->cpu->interpreter) {
    tl_status failed = interpret(exe, inputs, outputs);
    pthread_mutex_unlock(exe->lock);
    return failed;
  }
  for (uint32_t i = 0; i < exe->n_bufs; i++) {
    const plan_buf *b = &exe->bufs[i];
    if (b->space == TL_SPACE_INPUT) x->base[i] = (uint8_t *)(uintptr_t)inputs[b->index];
    if (b->space == TL_SPACE_OUTPUT) x->base[i] = outputs[b->index];
  }
  for (uint32_t i = 0; i < exe->func->body->n_args;
       i++) { // a donated parameter in a place of its own
    const int32_t o = exe->func->args[i].alias_output;
    if (o >= 0 && inputs[i] != outputs[o])
      memcpy(outputs[o], inputs[i], type_size(exe->func->body->args[i]->type));
  }
  x->status = TL_OK;
  atomic_store(&x->failed, false);
  tl_pool_run(exe->cpu->pool, run_part, x);
  tl_status st = x->status;
  x->status = TL_OK;
  pthread_mutex_unlock(exe->lock);
  return st;
}
