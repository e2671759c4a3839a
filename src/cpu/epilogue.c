// What follows a product element by element, done to each piece of it by the thread that made it.
//
// A bias, an activation, a residual, a scale or a rounding after a matrix product or a convolution
// is a step that walks the product as it lies. Divided for itself it would wait for all threads,
// and read what has left the caches meanwhile. As an epilogue it waits for nobody, and a product
// that nobody else wants is written over while it is still near.
//
// The step stays where it is in the list, behind the product, and the walk goes past it.
#include "cpu/plan.h"

#include <stdlib.h>

// Whether two views may share bytes when the program runs.
static bool overlap(const tl_cpu_exe *exe, plan_view a, plan_view b) {
  const plan_buf *x = &exe->bufs[a.buf], *y = &exe->bufs[b.buf];
  return a.buf == b.buf ||
         (x->space == TL_SPACE_OUTPUT && y->space == TL_SPACE_OUTPUT && x->index == y->index);
}

static bool same(plan_view a, plan_view b) {
  return a.buf == b.buf && a.offset == b.offset && a.size == b.size;
}

// Divided element by element as the product is, of which it has as many.
static void divide_alike(plan_view *v, plan_view made) {
  if (v->grain == 0) return;
  v->grain = (uint32_t)(made.grain * v->size / made.size);
  v->run = (uint32_t)(made.run * v->size / made.size);
}

// Whether `next` reads the product as it lies, and no thread meets in it what another one makes or
// still reads.
static bool follows(const tl_cpu_exe *exe, const plan_step *product, const plan_step *next) {
  if (product->kind != TL_STEP_RUN || next->kind != TL_STEP_RUN || !product->tells || !next->some ||
      !product->parallel || product->n_out != 1)
    return false;
  const plan_view made = product->out[0];
  bool reads = false;
  for (uint32_t i = 0; i < next->n_in; i++) {
    if (!overlap(exe, next->in[i], made)) continue;
    if (!same(next->in[i], made) || next->in[i].grain == 0) return false;
    if (next->in[i].grain == made.grain && next->in[i].run == made.run)
      return false; // divided alike: needs no barrier anyhow
    reads = true;
  }
  for (uint32_t o = 0; o < next->n_out; o++)
    for (uint32_t i = 0; i < product->n_in; i++)
      if (overlap(exe, next->out[o], product->in[i])) return false;
  return reads;
}

// Which steps are the first of a loop's or branch's range.
static bool *find_starts(const tl_cpu_exe *exe) {
  bool *starts = calloc(exe->n_steps + 1, sizeof *starts);
  for (uint32_t i = 0; starts && i < exe->n_steps; i++) {
    const plan_step *s = &exe->steps[i];
    if (s->kind == TL_STEP_RUN) continue;
    for (uint32_t k = 0; k <= s->n_body; k++)
      starts[s->body[k]] = true;
  }
  return starts;
}

tl_status plan_epilogues(tl_cpu_exe *exe) {
  if (exe->n_steps < 2 || exe->cpu->unfused) return TL_OK;
  bool *starts = find_starts(exe);
  if (!starts) return TL_OOM();
  for (uint32_t i = 0; i + 1 < exe->n_steps; i++) {
    plan_step *next = &exe->steps[i + 1];
    if (starts[i + 1] || !follows(exe, &exe->steps[i], next)) continue;
    exe->steps[i].followed = next->epilogue = true;
    next->parallel = true, next->cheap = false; // however small it is
    for (uint32_t k = 0; k < next->n_in; k++)
      divide_alike(&next->in[k], exe->steps[i].out[0]);
    for (uint32_t o = 0; o < next->n_out; o++) {
      plan_buf *b = &exe->bufs[next->out[o].buf];
      divide_alike(&next->out[o], exe->steps[i].out[0]);
      b->first = TL_MIN(b->first, i); // written while the product's operands are read
    }
    i++;
  }
  free(starts);
  return TL_OK;
}

void plan_epilogue(const plan_step *s, plan_exec *x, size_t from, size_t rows, size_t stride,
                   size_t n) {
  if (!s->followed) return;
  if (stride == n) n *= rows, rows = 1;
  for (size_t r = 0; r < rows; r++, from += stride)
    s[1].some(&s[1], x, from, from + n);
}
