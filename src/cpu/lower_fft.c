// fft: a step for each transformed dim, whose lines the threads share: one by one, or as many as
// the kernel has lanes. Long lines that are left over when all have as many they transform
// together, a phase of the kernel after the other with barriers between. What depends on the
// lengths alone is found when the program is compiled.
#include "cpu/lower.h"

#include "ref/fft.h"

enum { PARALLEL_ENTRIES = 8192 };

typedef struct fft_params {
  tl_fft_stage stage;
  size_t unit, units, units_of_row; // lines of a unit, and units; of a row of lines side by side
  uint32_t phases;                  // of a line that is shared; 0: none is
} fft_params;

// The first line of unit u.
static size_t line_of(const fft_params *f, size_t u) {
  const size_t row = f->stage.after == 1 ? f->stage.before : f->stage.after;
  return u / f->units_of_row * row + u % f->units_of_row * f->unit;
}

static void run_fft(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const fft_params *f = s->params;
  tl_fft_lines *lines = x->exe->cpu->kernels->fft_lines;
  const void *in = step_in(s, x, 0);
  void *out = step_out(s, x, 0);
  const size_t together = f->phases && n_parts > 1 ? f->units % n_parts : 0;
  size_t from, to;
  tl_pool_range(f->units - together, 1, part, n_parts, &from, &to);
  if (from < to)
    tl_fft_stage_run(&f->stage, lines, in, out, line_of(f, from), line_of(f, to), x->scratch);
  for (size_t u = f->units - together; u < f->units; u++)
    for (uint32_t phase = 0; phase < f->phases; phase++) {
      tl_pool_barrier(x->exe->cpu->pool);
      tl_fft_stage_phase(&f->stage, lines, in, out, u, x->scratch, x->exe->execs[0].scratch, phase,
                         part, n_parts);
    }
  if (together) tl_pool_barrier(x->exe->cpu->pool); // part 0 goes on with its scratch
}

bool lower_fft(planner *p, const tl_op *op) {
  const tl_type in = op->operands[0]->type, out = op->results[0]->type;
  tl_fft_stages *t = plan_alloc(p, sizeof *t, _Alignof(tl_fft_stages));
  if (p->error) return true;
  if (type_count(out) == 0) return plan_nothing(p, op);
  p->error = tl_fft_stages_plan(p->exe->arena, op, in, out, t);
  if (p->error) return true;
  plan_view array[3] = {[TL_FFT_X] = plan_operand(p, op->operands[0])};
  array[TL_FFT_Y] = plan_result(p, op->results[0]);
  if (t->stage[0].to == TL_FFT_BETWEEN) array[TL_FFT_BETWEEN] = plan_temp(p, in);
  for (uint32_t i = 0; i < t->n && !p->error; i++) {
    const tl_fft_stage *stage = &t->stage[i];
    plan_view *v = plan_views(p, 2);
    fft_params *f = plan_alloc(p, sizeof *f, _Alignof(fft_params));
    if (p->error) return true;
    v[0] = array[stage->from], v[1] = array[stage->to];
    const tl_fft_way way = tl_fft_stage_way(stage);
    const size_t all = stage->before * stage->after * stage->plan->n,
                 row = stage->after == 1 ? stage->before : stage->after,
                 number = stage->plan->wide ? sizeof(tl_c128) : sizeof(tl_c64);
    *f =
        (fft_params){.stage = *stage, .unit = way == TL_FFT_LANES ? TL_FFT_LANES_SIZE / number : 1};
    f->units_of_row = (row + f->unit - 1) / f->unit;
    f->units = stage->before * stage->after / row * f->units_of_row;
    f->phases = tl_fft_phases(stage->plan, stage->type, way);
    plan_touch(p, v[0]), plan_touch(p, v[1]);
    plan_step *s = plan_add_step(p, op, "fft", run_fft);
    if (!s) return true;
    s->in = v, s->n_in = 1;
    s->out = v + 1, s->n_out = 1;
    s->params = f;
    s->scratch = tl_fft_stage_scratch(&f->stage);
    s->parallel = (f->units > 1 || f->phases) && plan_worth(p, all, PARALLEL_ENTRIES);
  }
  return true;
}
