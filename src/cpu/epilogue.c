// What follows a product element by element, done to each piece of it by the thread that made it.
//
// A bias, an activation, a residual, a scale or a rounding after a matrix product or a convolution
// is a step that walks the product as it lies. Divided for itself it would wait for all threads,
// and read what has left the caches meanwhile. As an epilogue it waits for nobody, and a product
// that nobody else wants is written over while it is still near.
//
// The step stays where it is in the list, behind the product, and the walk goes past it. What
// follows an epilogue in the same way is one more.
//
// A prologue is the same the other way round: a step that takes rows (a softmax, a sum along the
// last dim) has the step before it, which goes element by element, make some rows at a time.
#include "cpu/plan.h"

#include <stdlib.h>

enum {
  PIECE = 64 << 10,        // bytes of rows that a prologue makes at a time
  GREATEST_ROW = 512 << 10 // more would leave the second-level cache
};

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

// Whether `next` can take the pieces that the product tells of.
static bool takes(const plan_step *next, const plan_step *product) {
  return next->kind == TL_STEP_RUN && next->some != NULL &&
         (next->unit == 0 || (product->pieces != 0 && product->pieces % next->unit == 0));
}

// Whether `next` goes on with the pieces that `last`, the product or an epilogue of it, has made:
// reads of what these steps have made no other pieces, and writes where none of them still reads.
static bool goes_on(const tl_cpu_exe *exe, const plan_step *product, const plan_step *last,
                    const plan_step *next) {
  if (!takes(next, product) || last->n_out != 1) return false;
  bool reads = false;
  for (const plan_step *s = product; s <= last; s++) {
    const plan_view made = s->out[0];
    for (uint32_t i = 0; i < next->n_in; i++) {
      if (!overlap(exe, next->in[i], made)) continue;
      if (!same(next->in[i], made) || next->in[i].grain == 0) return false;
      reads |= s == last;
    }
    for (uint32_t o = 0; o < next->n_out; o++)
      for (uint32_t i = 0; i < s->n_in; i++)
        if (overlap(exe, next->out[o], s->in[i])) return false;
  }
  return reads;
}

// Whether `next` becomes an epilogue of the product.
static bool follows(const tl_cpu_exe *exe, const plan_step *product, const plan_step *next) {
  if (product->kind != TL_STEP_RUN || !product->tells || !product->parallel ||
      !goes_on(exe, product, product, next))
    return false;
  const plan_view made = product->out[0];
  for (uint32_t i = 0; i < next->n_in; i++) // divided alike: needs no barrier anyhow
    if (same(next->in[i], made) && next->in[i].grain == made.grain && next->in[i].run == made.run)
      return false;
  return true;
}

bool *plan_starts(const tl_cpu_exe *exe) {
  bool *starts = calloc(exe->n_steps + 1, sizeof *starts);
  for (uint32_t i = 0; starts && i < exe->n_steps; i++) {
    const plan_step *s = &exe->steps[i];
    if (s->kind == TL_STEP_RUN) continue;
    for (uint32_t k = 0; k <= s->n_body; k++)
      starts[s->body[k]] = true;
  }
  return starts;
}

// Whether an epilogue of `rows` reads what `each` makes, or writes there or where `each` reads.
static bool epilogues_meet(const tl_cpu_exe *exe, const plan_step *each, const plan_step *rows) {
  const plan_view made = each->out[0];
  for (const plan_step *next = rows; next->followed;) {
    next++;
    for (uint32_t i = 0; i < next->n_in; i++)
      if (overlap(exe, next->in[i], made)) return true;
    for (uint32_t o = 0; o < next->n_out; o++) {
      if (overlap(exe, next->out[o], made)) return true;
      for (uint32_t i = 0; i < each->n_in; i++)
        if (overlap(exe, next->out[o], each->in[i])) return true;
    }
  }
  return false;
}

// Whether `rows` asks for what `each` makes, and no thread meets what another one makes or still
// reads: each part of `rows` makes the rows that it takes.
static bool leads(const tl_cpu_exe *exe, const plan_step *each, const plan_step *rows) {
  if (each->kind != TL_STEP_RUN || rows->kind != TL_STEP_RUN || !each->some || !rows->asks ||
      !each->parallel || !rows->parallel || each->epilogue || each->prologue || each->led ||
      each->n_out != 1)
    return false;
  const plan_view made = each->out[0], asked = rows->in[rows->asks - 1];
  if (made.grain == 0 || asked.grain == 0 || asked.grain > GREATEST_ROW || !same(asked, made))
    return false;
  for (uint32_t i = 0; i < rows->n_in; i++)
    if (i + 1 != rows->asks && overlap(exe, rows->in[i], made)) return false;
  if (epilogues_meet(exe, each, rows)) return false;
  for (uint32_t o = 0; o < rows->n_out; o++) {
    const plan_view out = rows->out[o];
    if (overlap(exe, out, made) && !(same(out, made) && out.grain > 0)) return false;
    for (uint32_t i = 0; i < each->n_in; i++) // written over by rows of before
      if (overlap(exe, out, each->in[i]) && !(same(each->in[i], made) && each->in[i].grain > 0))
        return false;
  }
  return true;
}

// The steps of loops, which may become functions of code that run each of them whole.
static bool *find_looped(const tl_cpu_exe *exe) {
  bool *looped = calloc(exe->n_steps + 1, sizeof *looped);
  for (uint32_t i = 0; looped && i < exe->n_steps; i++) {
    const plan_step *s = &exe->steps[i];
    if (s->kind != TL_STEP_WHILE || looped[i]) continue;
    for (uint32_t k = i; k < s->body[s->n_body]; k++)
      looped[k] = true;
  }
  return looped;
}

// Step i is a prologue of the next one: divided as its rows are from now on.
static void lead(tl_cpu_exe *exe, uint32_t i) {
  plan_step *each = &exe->steps[i], *rows = &exe->steps[i + 1];
  const uint64_t row = rows->in[rows->asks - 1].grain, was = each->out[0].grain;
  each->prologue = rows->led = true;
  for (uint32_t k = 0; k < each->n_in; k++) {
    plan_buf *b = &exe->bufs[each->in[k].buf];
    b->last = TL_MAX(b->last, i + 1); // read while the rows' results are written
    each->in[k].grain = (uint32_t)(each->in[k].grain * row / was);
  }
  each->out[0].grain = (uint32_t)row;
}

// Step i is an epilogue of that product: divided as it is from now on.
static void follow(tl_cpu_exe *exe, uint32_t product, uint32_t i) {
  const plan_view made = exe->steps[product].out[0];
  plan_step *next = &exe->steps[i];
  exe->steps[i - 1].followed = next->epilogue = true;
  next->parallel = true, next->cheap = false; // however small it is
  for (uint32_t k = 0; k < next->n_in; k++)
    divide_alike(&next->in[k], made);
  for (uint32_t o = 0; o < next->n_out; o++) {
    plan_buf *b = &exe->bufs[next->out[o].buf];
    divide_alike(&next->out[o], made);
    b->first = TL_MIN(b->first, product); // written while the product's operands are read
  }
}

tl_status plan_epilogues(tl_cpu_exe *exe) {
  if (exe->n_steps < 2 || exe->cpu->unfused) return TL_OK;
  bool *starts = plan_starts(exe);
  bool *looped = find_looped(exe);
  if (!starts || !looped) {
    free(starts), free(looped);
    return TL_OOM();
  }
  for (uint32_t i = 0; i + 1 < exe->n_steps; i++) {
    if (starts[i + 1] || !follows(exe, &exe->steps[i], &exe->steps[i + 1])) continue;
    const uint32_t product = i++;
    follow(exe, product, i);
    while (i + 1 < exe->n_steps && !starts[i + 1] &&
           goes_on(exe, &exe->steps[product], &exe->steps[i], &exe->steps[i + 1]))
      follow(exe, product, ++i);
  }
  for (uint32_t i = 0; i + 1 < exe->n_steps; i++)
    if (!starts[i + 1] && !looped[i] && leads(exe, &exe->steps[i], &exe->steps[i + 1]))
      lead(exe, i);
  free(starts), free(looped);
  return TL_OK;
}

void plan_epilogue(const plan_step *s, plan_exec *x, size_t from, size_t rows, size_t stride,
                   size_t n) {
  if (!s->followed) return;
  void *scratch = x->scratch;
  x->scratch = (uint8_t *)scratch + tl_round_up(s->scratch, 64);
  if (stride == n) n *= rows, rows = 1;
  for (size_t r = 0; r < rows; r++, from += stride)
    for (const plan_step *next = s; next->followed;) {
      next++;
      next->some(next, x, from, from + n);
    }
  x->scratch = scratch;
}

// What epilogues use lies behind what the step does, which goes on after them.
size_t plan_scratch(const plan_step *s) {
  size_t most = 0;
  for (const plan_step *next = s; next->followed;) {
    next++;
    most = TL_MAX(most, next->scratch);
  }
  if (most == 0) return s->scratch;
  return s->scratch < SIZE_MAX / 2 && most < SIZE_MAX / 2 ? tl_round_up(s->scratch, 64) + most
                                                          : SIZE_MAX;
}

size_t plan_prologue(const plan_step *s, plan_exec *x, size_t from, size_t to) {
  if (!s->led && !s->followed) return to;
  const size_t row = s->led ? s->in[s->asks - 1].grain : s->out[0].grain,
               end = TL_MIN(to, from + TL_MAX((size_t)PIECE / row, (size_t)1));
  if (s->led) s[-1].some(&s[-1], x, from * s->row, end * s->row);
  return end;
}
