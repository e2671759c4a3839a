#include <stdlib.h>

#include "cpu/plan.h"

// Where temporaries lie, and where threads must wait for one another.
//
// Placement is first fit over lifetimes: buffers in order of size, each at the lowest offset where
// no buffer that is alive at the same time lies. A few hundred buffers make the quadratic search
// cheap.

enum { ALIGN = 64 };

static int by_size(const void *a, const void *b) {
  const plan_buf *x = *(plan_buf *const *)a, *y = *(plan_buf *const *)b;
  if (x->size != y->size) return x->size < y->size ? 1 : -1;
  return x < y ? -1 : x > y;
}

static bool alive_together(const plan_buf *a, const plan_buf *b) {
  return a->first <= b->last && b->first <= a->last;
}

static bool place(plan_buf **placed, size_t n, plan_buf *buf, size_t *end) {
  // Candidates: 0 and the end of every buffer alive at the same time.
  size_t best = SIZE_MAX;
  for (size_t c = 0; c <= n; c++) {
    size_t at = 0;
    if (c < n) {
      if (!alive_together(placed[c], buf)) continue;
      at = placed[c]->offset + tl_round_up(placed[c]->size, ALIGN);
    }
    if (at >= best) continue;
    bool free_here = true;
    for (size_t i = 0; i < n && free_here; i++)
      if (alive_together(placed[i], buf))
        free_here =
            at + buf->size <= placed[i]->offset || placed[i]->offset + placed[i]->size <= at;
    if (free_here) best = at;
  }
  buf->offset = best;
  size_t top;
  if (!TL_ADD_OK(best, buf->size, &top) || top > SIZE_MAX / 4) return false;
  *end = TL_MAX(*end, tl_round_up(top, ALIGN));
  return true;
}

tl_status plan_memory(tl_cpu_exe *exe) {
  plan_buf **order = malloc((exe->n_bufs + 1) * sizeof *order);
  if (!order) return TL_OOM();
  size_t n = 0, end = 0;
  for (uint32_t i = 0; i < exe->n_bufs; i++)
    if (exe->bufs[i].space == TL_SPACE_TEMP && exe->bufs[i].size) order[n++] = &exe->bufs[i];
  qsort(order, n, sizeof *order, by_size);
  bool fits = true;
  for (size_t i = 0; i < n && fits; i++)
    fits = place(order, i, order[i], &end);
  free(order);
  if (!fits)
    return TL_ERROR(RESOURCE_EXHAUSTED,
                    "the program's temporaries need more bytes than memory can hold");
  exe->temp_size = end;
  for (uint32_t i = 0; i < exe->n_steps; i++)
    exe->scratch_size = TL_MAX(exe->scratch_size, tl_round_up(exe->steps[i].scratch, ALIGN));
  size_t threads = tl_pool_size(exe->cpu->pool);
  exe->memory_size = TL_MAX(end + exe->scratch_size * threads, (size_t)ALIGN);
  exe->memory = tl_mem_map(exe->memory_size);
  if (!exe->memory)
    return TL_ERROR(RESOURCE_EXHAUSTED, "no memory for %zu bytes of temporaries", exe->memory_size);
  return TL_OK;
}

// --- barriers ---

typedef struct span { // bytes that a step touches: which memory, from, to
  uint64_t space;
  size_t from, to;
} span;

static span span_of(const tl_cpu_exe *exe, plan_view v) {
  const plan_buf *b = &exe->bufs[v.buf];
  switch (b->space) {
  case TL_SPACE_TEMP:
    return (span){0, b->offset + v.offset, b->offset + v.offset + v.size};
  case TL_SPACE_OUTPUT:
    return (span){1 + 2 * (uint64_t)b->index, v.offset, v.offset + v.size};
  case TL_SPACE_INPUT:
    return (span){2 + 2 * (uint64_t)b->index, v.offset, v.offset + v.size};
  default:
    return (span){UINT64_MAX, 0, 0}; // constants are only read
  }
}

static bool overlap(span a, span b) { return a.space == b.space && a.from < b.to && b.from < a.to; }

// Whether `later` reads what `earlier` writes, or writes what it reads or writes.
static bool depends(const tl_cpu_exe *exe, const plan_step *earlier, const plan_step *later) {
  for (uint32_t i = 0; i < earlier->n_out; i++) {
    span w = span_of(exe, earlier->out[i]);
    for (uint32_t j = 0; j < later->n_in; j++)
      if (overlap(w, span_of(exe, later->in[j]))) return true;
    for (uint32_t j = 0; j < later->n_out; j++)
      if (overlap(w, span_of(exe, later->out[j]))) return true;
  }
  for (uint32_t i = 0; i < earlier->n_in; i++) {
    span r = span_of(exe, earlier->in[i]);
    for (uint32_t j = 0; j < later->n_out; j++)
      if (overlap(r, span_of(exe, later->out[j]))) return true;
  }
  return false;
}

// Serial steps all run on thread 0, in order: only a pair with a parallel step in it can need a
// barrier. Control steps wait on both sides, and so does the first step of each of their ranges.
void plan_barriers(tl_cpu_exe *exe) {
  uint32_t since = 0; // steps from here on have no barrier between them
  for (uint32_t j = 0; j < exe->n_steps; j++) {
    plan_step *s = &exe->steps[j];
    bool wait = s->kind != TL_STEP_RUN;
    for (uint32_t i = since; i < j && !wait; i++) {
      const plan_step *earlier = &exe->steps[i];
      if (earlier->parallel || s->parallel) wait = depends(exe, earlier, s);
    }
    if (s->barrier || wait) s->barrier = true, since = j;
    if (s->kind != TL_STEP_RUN)
      for (uint32_t r = 0; r <= s->n_body; r++)
        if (s->body[r] < exe->n_steps) exe->steps[s->body[r]].barrier = true;
  }
}
