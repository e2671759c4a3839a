// fft: the interpreter's own transform over lanes, boxes of the batch divided among threads. What
// depends on the lengths alone is found when the program is compiled.
#include "cpu/lower.h"

#include "ref/fft.h"

enum { PARALLEL_ENTRIES = 4096 };

typedef struct fft_params {
  tl_fft_batch batch;
  tl_type in, out;
} fft_params;

static void run_fft(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const fft_params *f = s->params;
  size_t from, to;
  tl_pool_range(f->batch.count, tl_fft_batch_group(&f->batch), part, n_parts, &from, &to);
  if (from == to) return;
  const tl_tensor in = {f->in, (void *)(uintptr_t)step_in(s, x, 0)},
                  out = {f->out, step_out(s, x, 0)};
  tl_fft_batch_run(&f->batch, x->exe->cpu->kernels->fft_lines, &in, &out, from, to,
                   (tl_c128 *)x->scratch);
}

bool lower_fft(planner *p, const tl_op *op) {
  fft_params *f = plan_alloc(p, sizeof *f, _Alignof(fft_params));
  plan_view *v = plan_views(p, 2);
  if (p->error) return true;
  f->in = op->operands[0]->type, f->out = op->results[0]->type;
  if (type_count(f->out) == 0) return plan_nothing(p, op);
  p->error = tl_fft_batch_plan(p->exe->arena, op, f->in, f->out, &f->batch);
  if (p->error) return true;
  v[0] = plan_operand(p, op->operands[0]);
  v[1] = plan_result(p, op->results[0]);
  plan_step *s = plan_add_step(p, op, "fft", run_fft);
  if (!s) return true;
  s->in = v, s->n_in = 1;
  s->out = v + 1, s->n_out = 1;
  s->params = f;
  s->scratch = tl_fft_batch_scratch(&f->batch) * sizeof(tl_c128);
  s->parallel =
      f->batch.count > 1 && plan_worth(p, f->batch.count * f->batch.box, PARALLEL_ENTRIES);
  return true;
}
