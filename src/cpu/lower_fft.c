// fft: a step for each transformed dim, whose lines the threads share. What depends on the lengths
// alone is found when the program is compiled.
#include "cpu/lower.h"

#include "ref/fft.h"

enum { PARALLEL_ENTRIES = 8192, GRAIN = 16 };

static void run_fft(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const tl_fft_stage *f = s->params;
  size_t from, to;
  tl_pool_range(f->before * f->after, f->after == 1 ? 1 : GRAIN, part, n_parts, &from, &to);
  if (from < to)
    tl_fft_stage_run(f, x->exe->cpu->kernels->fft_lines, step_in(s, x, 0), step_out(s, x, 0), from,
                     to, x->scratch);
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
    const tl_fft_stage *f = &t->stage[i];
    plan_view *v = plan_views(p, 2);
    if (p->error) return true;
    v[0] = array[f->from], v[1] = array[f->to];
    plan_touch(p, v[0]), plan_touch(p, v[1]);
    plan_step *s = plan_add_step(p, op, "fft", run_fft);
    if (!s) return true;
    s->in = v, s->n_in = 1;
    s->out = v + 1, s->n_out = 1;
    s->params = f;
    s->scratch = tl_fft_stage_scratch(f);
    s->parallel = f->before * f->after > 1 &&
                  plan_worth(p, f->before * f->after * f->plan->n, PARALLEL_ENTRIES);
  }
  return true;
}
