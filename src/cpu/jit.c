// Running machine code over a range of a nest's results.
//
// The code does the two innermost kept levels and the reduced ones; the levels outside are walked
// here, a call for each run of whole rows, or for a part of a row where a range begins or ends in
// it.
#include "cpu/jit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/jit_cache.h"
#include "cpu/tile.h"

struct jit_program {
  jit_shape shape;
  jit_code *code; // the arena's; NULL: none
  jit_fn run;
};

tl_status jit_choice(tl_cpu_jit wanted, tl_cpu_jit *out) {
  static const struct {
    const char *name;
    tl_cpu_jit jit;
  } names[] = {{"off", TL_CPU_JIT_OFF}, {"on", TL_CPU_JIT_ON}, {"always", TL_CPU_JIT_ALWAYS}};
  const char *text = getenv("TLALOC_JIT");
  *out = wanted;
  if (wanted != TL_CPU_JIT_DEFAULT) return TL_OK;
  *out = TL_CPU_JIT_ON;
  if (!text || !text[0]) return TL_OK;
  for (size_t i = 0; i < TL_COUNT(names); i++)
    if (strcmp(text, names[i].name) == 0) {
      *out = names[i].jit;
      return TL_OK;
    }
  return TL_ERROR(INVALID_ARGUMENT, "TLALOC_JIT is '%s'; off, on or always is wanted", text);
}

static void release(void *code) { jit_code_release(code); }

jit_program *jit_prepare(const loop_nest *nest, uint32_t isa, bool always, tl_arena *arena) {
  jit_program *p = TL_NEW(arena, jit_program, 1);
  if (!p || !jit_shape_of(nest, isa, false, arena, &p->shape)) return NULL;
  return p->shape.against_grain && !always ? NULL : p;
}

typedef struct making {
  jit_program *const *programs; // [n] those with code are done
  size_t n;
  _Atomic size_t next;
} making;

static void *make_some(void *arg) {
  making *m = arg;
  for (size_t i; (i = atomic_fetch_add(&m->next, 1)) < m->n;)
    if (!m->programs[i]->code) m->programs[i]->code = jit_code_get(&m->programs[i]->shape);
  return NULL;
}

void jit_make(jit_program *const *programs, size_t n, size_t threads, tl_arena *arena) {
  enum { MAX_THREADS = 8 };
  pthread_t helpers[MAX_THREADS];
  making m = {.programs = programs, .n = n};
  size_t missing = 0, started = 0;
  for (size_t i = 0; i < n; i++)
    if (!(programs[i]->code = jit_code_found(&programs[i]->shape))) missing++;
  while (missing > 1 && started + 1 < TL_MIN(threads, missing) && started < MAX_THREADS &&
         pthread_create(&helpers[started], NULL, make_some, &m) == 0)
    started++;
  make_some(&m);
  for (size_t i = 0; i < started; i++)
    pthread_join(helpers[i], NULL);
  for (size_t i = 0; i < n; i++) {
    jit_code *code = programs[i]->code;
    if (code && tl_arena_own(arena, code, release))
      programs[i]->run = jit_code_entry(code);
    else if (code)
      jit_code_release(code);
  }
}

bool jit_ready(const jit_program *p) { return p->run != NULL; }

static void apply(const jit_call *c, uint64_t inst, const void *a, const void *b, const void *d,
                  void *z, uint64_t n) {
  tile_apply(c->nest, c->kernels, (uint32_t)inst, (const void *const[]){a, b, d}, z, (size_t)n);
}

jit_call jit_nest_call(const loop_nest *nest, const jit_shape *s, const tl_kernels *k) {
  return (jit_call){.apply = apply, .stride = s->stride, .nest = nest, .kernels = k};
}

// Where places are at kept element `at`, whose index along each level is given.
static void find_bases(const jit_shape *s, void *const *arrays, size_t at, size_t *index,
                       uint8_t **base) {
  for (uint32_t l = 0; l < s->n_kept; l++) {
    index[l] = at % s->kept[l];
    at /= s->kept[l];
  }
  for (uint32_t q = 0; q < s->n_places; q++) {
    const uint16_t array = s->places[q].array;
    int64_t offset = s->offset[q];
    for (uint32_t l = 0; l < s->n_kept; l++)
      offset += (int64_t)index[l] * s->outer[q * s->n_kept + l];
    base[q] = array == LOOP_NONE ? (uint8_t *)(intptr_t)offset : (uint8_t *)arrays[array] + offset;
  }
}

static void run_code(const jit_program *p, const tl_kernels *k, void *const *arrays, size_t from,
                     size_t to) {
  const jit_shape *s = &p->shape;
  uint8_t *base[JIT_PLACES];
  size_t index[LOOP_MAX_DIMS];
  jit_call call = jit_nest_call(s->nest, s, k);
  call.base = base;
  const size_t inner = s->n_kept ? s->kept[0] : 1, rows = s->n_kept > 1 ? s->kept[1] : 1;
  for (uint32_t l = 0; l < JIT_REDUCED; l++)
    call.extent[2 + l] = l < s->n_reduced ? s->reduced[l] : 1;
  while (from < to) {
    find_bases(s, arrays, from, index, base);
    const size_t row = s->n_kept > 0 ? index[0] : 0, column = s->n_kept > 1 ? index[1] : 0;
    call.extent[0] = TL_MIN(inner - row, to - from);
    call.extent[1] = 1;
    if (row == 0 && to - from >= inner) call.extent[1] = TL_MIN((to - from) / inner, rows - column);
    size_t done = call.extent[0] * call.extent[1];
    p->run(&call);
    from += done;
    // All of both levels, again and again, while the one around them goes on.
    while (done == inner * rows && s->n_kept > 2 && ++index[2] < s->kept[2] && to - from >= done) {
      for (uint32_t q = 0; q < s->n_places; q++)
        base[q] = (uint8_t *)((intptr_t)base[q] + (intptr_t)s->outer[q * s->n_kept + 2]);
      p->run(&call);
      from += done;
    }
  }
}

void jit_run(const jit_program *p, const tile_program *tile, const tl_kernels *k,
             void *const *arrays, uint8_t *scratch, size_t from, size_t to) {
  const size_t row = p->shape.mode == JIT_FLAT ? p->shape.columns : 1;
  const size_t first = TL_MIN(tl_round_up(from, row), to), last = TL_MAX(to / row * row, first);
  if (from < first) tile_run(tile, k, arrays, scratch, from, first);
  run_code(p, k, arrays, first, last);
  if (last < to) tile_run(tile, k, arrays, scratch, last, to);
}
