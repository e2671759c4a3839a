#include "cpu/plan.h"

#include <stdlib.h>
#include <string.h>

// Which serial steps every thread does for itself, where temporaries lie, and where threads must
// wait for one another.
//
// Placement is first fit over lifetimes: buffers in order of size, each at the lowest offset where
// it fits between those that are alive at the same time. A few hundred buffers make the quadratic
// search cheap.

enum { ALIGN = 64, OWN_ALIGN = 128 }; // a pair of cache lines between what two threads write

// --- steps that each thread does ---

typedef struct buf_use { // of one buffer, by all steps
  uint32_t writers;
  bool by_all;     // read by a parallel step, or by one that each thread may do
  bool by_control; // a loop's predicate, a branch's index
} buf_use;

// Whether each thread may do the step, as far as its results go: they are temporaries of its own,
// and somebody beside thread 0 reads them.
static bool may_be_each(const tl_cpu_exe *exe, const buf_use *uses, const plan_step *s) {
  bool read = false;
  if (!s->cheap || s->parallel) return false;
  for (uint32_t o = 0; o < s->n_out; o++) {
    const plan_buf *b = &exe->bufs[s->out[o].buf];
    const buf_use *use = &uses[s->out[o].buf];
    if (b->space != TL_SPACE_TEMP || s->out[o].size != b->size || use->writers != 1 ||
        use->by_control)
      return false;
    read |= use->by_all;
  }
  return read;
}

// Whether the last step before `at` that writes bytes of `v` left them to thread 0 alone. Then a
// step that every thread does would have to wait for it, and one that thread 0 does would not.
static bool made_serially(const tl_cpu_exe *exe, plan_view v, uint32_t at) {
  if (exe->bufs[v.buf].space == TL_SPACE_INPUT || exe->bufs[v.buf].space == TL_SPACE_CONST)
    return false;
  enum { LOOK_BACK = 64 };
  for (uint32_t n = at; n > 0 && at - n < LOOK_BACK; n--) {
    const plan_step *s = &exe->steps[n - 1];
    if (s->kind != TL_STEP_RUN) return false; // a barrier stands there
    for (uint32_t o = 0; o < s->n_out; o++)
      if (s->out[o].buf == v.buf) return !s->parallel && !s->each;
  }
  return false;
}

// A serial step between parallel ones costs two barriers, before and after it. When it is cheap
// (rms_norm of a row or a few), every thread does it into memory of its own instead, and the second
// barrier goes: its readers wait for nobody.
tl_status plan_local(tl_cpu_exe *exe) {
  if (tl_pool_size(exe->cpu->pool) == 1) return TL_OK;
  buf_use *uses = calloc(exe->n_bufs + 1, sizeof *uses);
  if (!uses) return TL_OOM();
  for (uint32_t i = 0; i < exe->n_steps; i++) {
    const plan_step *s = &exe->steps[i];
    for (uint32_t j = 0; j < s->n_in; j++)
      uses[s->in[j].buf].by_control |= s->kind != TL_STEP_RUN;
    for (uint32_t j = 0; j < s->n_out; j++)
      uses[s->out[j].buf].writers++;
  }
  for (uint32_t i = exe->n_steps; i-- > 0;) { // readers before what they read
    const plan_step *s = &exe->steps[i];
    const bool by_all = s->parallel || may_be_each(exe, uses, s);
    for (uint32_t j = 0; j < s->n_in; j++)
      uses[s->in[j].buf].by_all |= by_all;
  }
  for (uint32_t i = 0; i < exe->n_steps; i++) {
    plan_step *s = &exe->steps[i];
    if (s->alone) i = s->body[s->n_body] - 1; // the others are not there
    if (!may_be_each(exe, uses, s)) continue;
    bool good = true;
    for (uint32_t j = 0; j < s->n_in; j++)
      good &= !made_serially(exe, s->in[j], i);
    if (!good) continue;
    s->each = true;
    // What all threads read is not overwritten at once: the next steps would have to wait for them.
    for (uint32_t j = 0; j < s->n_in; j++) {
      plan_buf *b = &exe->bufs[s->in[j].buf];
      if (b->space == TL_SPACE_TEMP) b->last = TL_MAX(b->last, TL_MIN(i + 2, exe->n_steps - 1));
    }
    for (uint32_t o = 0; o < s->n_out; o++)
      exe->bufs[s->out[o].buf].space = TL_SPACE_LOCAL;
  }
  free(uses);
  return TL_OK;
}

// --- placement ---

static int by_size(const void *a, const void *b) {
  const plan_buf *x = *(plan_buf *const *)a, *y = *(plan_buf *const *)b;
  if (x->size != y->size) return x->size < y->size ? 1 : -1;
  return x < y ? -1 : x > y;
}

static bool alive_together(const plan_buf *a, const plan_buf *b) {
  return a->first <= b->last && b->first <= a->last;
}

// placed [n] lie in order of their offsets; buf joins them. False when they end beyond memory.
static bool place(plan_buf **placed, size_t n, plan_buf *buf, size_t *end) {
  size_t at = 0, top, below = 0;
  for (size_t i = 0; i < n; i++) {
    if (!alive_together(placed[i], buf)) continue;
    if (placed[i]->offset >= at && placed[i]->offset - at >= buf->size) break;
    at = TL_MAX(at, placed[i]->offset + tl_round_up(placed[i]->size, ALIGN));
  }
  if (!TL_ADD_OK(at, buf->size, &top) || top > SIZE_MAX / 4) return false;
  buf->offset = at;
  while (below < n && placed[below]->offset <= at)
    below++;
  memmove(placed + below + 1, placed + below, (n - below) * sizeof *placed);
  placed[below] = buf;
  *end = TL_MAX(*end, tl_round_up(top, ALIGN));
  return true;
}

// Offsets for all buffers of a space; *out_size is where they end.
static tl_status place_all(tl_cpu_exe *exe, tl_space space, size_t *out_size) {
  plan_buf **order = calloc(2 * (size_t)exe->n_bufs + 2, sizeof *order);
  if (!order) return TL_OOM();
  plan_buf **placed = order + exe->n_bufs + 1;
  size_t n = 0, end = 0;
  for (uint32_t i = 0; i < exe->n_bufs; i++)
    if (exe->bufs[i].space == space && exe->bufs[i].size) order[n++] = &exe->bufs[i];
  qsort(order, n, sizeof *order, by_size);
  bool fits = true;
  for (size_t i = 0; i < n && fits; i++)
    fits = place(placed, i, order[i], &end);
  free(order);
  if (!fits)
    return TL_ERROR(RESOURCE_EXHAUSTED,
                    "the program's temporaries need more bytes than memory can hold");
  *out_size = end;
  return TL_OK;
}

tl_status plan_memory(tl_cpu_exe *exe) {
  TL_TRY(place_all(exe, TL_SPACE_TEMP, &exe->temp_size));
  TL_TRY(place_all(exe, TL_SPACE_LOCAL, &exe->local_size));
  for (uint32_t i = 0; i < exe->n_steps; i++)
    exe->scratch_size = TL_MAX(exe->scratch_size, plan_scratch(&exe->steps[i]));
  size_t own, total;
  const bool fits = exe->scratch_size <= SIZE_MAX / 4 &&
                    TL_ADD_OK(exe->local_size, exe->scratch_size, &own) && own <= SIZE_MAX / 4;
  exe->temp_size = tl_round_up(exe->temp_size, OWN_ALIGN);
  exe->local_size = tl_round_up(exe->local_size, OWN_ALIGN);
  exe->scratch_size = tl_round_up(exe->scratch_size, OWN_ALIGN);
  if (!fits ||
      !TL_MUL_OK(exe->local_size + exe->scratch_size, tl_pool_size(exe->cpu->pool), &total) ||
      !TL_ADD_OK(total, exe->temp_size, &total))
    return TL_ERROR(RESOURCE_EXHAUSTED,
                    "the program's scratch needs more bytes than memory can hold");
  exe->memory_size = TL_MAX(total, (size_t)OWN_ALIGN);
  exe->memory = tl_mem_map(exe->memory_size);
  if (!exe->memory)
    return TL_ERROR(RESOURCE_EXHAUSTED, "no memory for %zu bytes of temporaries", exe->memory_size);
  return TL_OK;
}

// --- barriers ---

typedef struct span { // bytes that a step touches: which memory, from, to; and how it divides them
  uint64_t space;
  size_t from, to;
  uint32_t grain, run;
} span;

enum { SPACE_TEMP, SPACE_UNSHARED, SPACE_FIRST }; // unshared: only read, or each thread's own

static span span_of(const tl_cpu_exe *exe, const plan_step *s, plan_view v) {
  const plan_buf *b = &exe->bufs[v.buf];
  span r = {SPACE_UNSHARED, v.offset, v.offset + v.size, s->parallel ? v.grain : 0, v.run};
  switch (b->space) {
  case TL_SPACE_TEMP:
    r.space = SPACE_TEMP, r.from += b->offset, r.to += b->offset;
    break;
  case TL_SPACE_OUTPUT:
    r.space = SPACE_FIRST + (uint64_t)b->index;
    break;
  case TL_SPACE_INPUT: // nobody writes there
  case TL_SPACE_CONST:
  case TL_SPACE_LOCAL:
    break;
  }
  return r;
}

// Whether two threads can meet in these bytes.
static bool meet(span a, span b) {
  if (a.space == SPACE_UNSHARED || a.space != b.space || a.from >= b.to || b.from >= a.to)
    return false;
  return a.grain == 0 || a.grain != b.grain || a.run != b.run || a.from != b.from || a.to != b.to;
}

// Whether `later` reads what another thread's part of `earlier` writes, or writes what it reads or
// writes.
static bool depends(const tl_cpu_exe *exe, const plan_step *earlier, const plan_step *later) {
  for (uint32_t i = 0; i < earlier->n_out; i++) {
    span w = span_of(exe, earlier, earlier->out[i]);
    for (uint32_t j = 0; j < later->n_in; j++)
      if (meet(w, span_of(exe, later, later->in[j]))) return true;
    for (uint32_t j = 0; j < later->n_out; j++)
      if (meet(w, span_of(exe, later, later->out[j]))) return true;
  }
  for (uint32_t i = 0; i < earlier->n_in; i++) {
    span r = span_of(exe, earlier, earlier->in[i]);
    for (uint32_t j = 0; j < later->n_out; j++)
      if (meet(r, span_of(exe, later, later->out[j]))) return true;
  }
  return false;
}

static bool serial(const plan_step *s) { return !s->parallel && !s->each; }

// Serial steps all run on thread 0, in order: a pair of them never needs a barrier. Control steps
// wait on both sides, and so does the first step of each of their ranges.
void plan_barriers(tl_cpu_exe *exe) {
  enum {
    WINDOW = 512
  }; // steps without a barrier; a longer run gets one, so that time stays linear
  uint32_t since = 0; // steps from here on have no barrier between them
  for (uint32_t j = 0; j < exe->n_steps; j++) {
    plan_step *s = &exe->steps[j];
    if (s->epilogue) continue; // waits where the step before it does
    if (s->prologue) continue; // and this one where the step behind it does
    const uint32_t first = s->led ? j - 1 : j;
    bool wait =
        s->barrier || s->kind != TL_STEP_RUN || j - since >= WINDOW || exe->steps[first].barrier;
    for (uint32_t i = since; i < first && !wait; i++) {
      const plan_step *earlier = &exe->steps[i];
      if (!serial(earlier) || !serial(s)) wait = depends(exe, earlier, s);
      for (const plan_step *next = s; next->followed && !wait;)
        wait = depends(exe, earlier, ++next);
      if (s->led && !wait) wait = depends(exe, earlier, &s[-1]);
    }
    s->barrier = wait;
    if (wait) since = first;
    if (s->kind != TL_STEP_RUN)
      for (uint32_t r = 0; r <= s->n_body; r++)
        if (s->body[r] < exe->n_steps) exe->steps[s->body[r]].barrier = true;
  }
}
