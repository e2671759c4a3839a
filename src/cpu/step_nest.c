#include "cpu/step_nest.h"

#include "cpu/nest.h"

enum { MAX_INSTS = 8, MAX_ARRAYS = 4 };

step_nest step_nest_begin(tl_arena *a, uint32_t n_dims, uint32_t n_kept, const size_t *extent) {
  loop_nest *n = TL_NEW(a, loop_nest, 1);
  step_nest s = {.section = n_kept == n_dims ? LOOP_TAIL : LOOP_BODY};
  if (!n) return s;
  n->insts = TL_NEW(a, loop_inst, MAX_INSTS);
  n->arrays = TL_NEW(a, loop_array, MAX_ARRAYS);
  n->maps = TL_NEW(a, loop_map, MAX_ARRAYS);
  if (!n->insts || !n->arrays || !n->maps) return s;
  n->n_dims = n_dims, n->n_kept = n_kept;
  n->term[0] = n->term[1] = LOOP_NONE;
  for (uint32_t d = 0; d < n_dims; d++)
    n->extent[d] = (int64_t)extent[d];
  s.nest = n;
  return s;
}

static uint16_t put(step_nest *s, loop_inst i) {
  loop_nest *n = s->nest;
  if (!n) return LOOP_NONE;
  TL_ASSERT(n->n_insts < MAX_INSTS);
  for (uint32_t k = 0; k < LOOP_MAX_ARGS; k++)
    if (k >= 2) i.arg[k] = LOOP_NONE;
  n->insts[n->n_insts] = i;
  return (uint16_t)n->n_insts++;
}

static uint16_t place(step_nest *s, tl_dtype d, bool out, int64_t offset, const int64_t *stride) {
  loop_nest *n = s->nest;
  if (!n) return 0;
  const uint16_t at = (uint16_t)n->n_arrays++;
  TL_ASSERT(at < MAX_ARRAYS);
  int64_t last = offset;
  n->maps[at].offset = offset;
  for (uint32_t k = 0; k < n->n_dims; k++) {
    n->maps[at].stride[k] = stride[k];
    if (stride[k] > 0) last += stride[k] * (n->extent[k] - 1);
  }
  n->arrays[at] = (loop_array){.dtype = d, .out = out, .count = (size_t)last + 1};
  n->n_maps = n->n_arrays;
  return at;
}

uint16_t step_nest_load(step_nest *s, tl_dtype d, int64_t offset, const int64_t *stride) {
  tl_reg r = TL_REG_U8;
  loop_reg_of(d, &r);
  const uint16_t at = place(s, d, false, offset, stride);
  return put(s, (loop_inst){.kind = LOOP_LOAD,
                            .section = s->section,
                            .type = r,
                            .from = r,
                            .array = at,
                            .map = at,
                            .arg = {LOOP_NONE, LOOP_NONE}});
}

void step_nest_store(step_nest *s, tl_dtype d, int64_t offset, const int64_t *stride, uint16_t x) {
  tl_reg r = TL_REG_U8;
  loop_reg_of(d, &r);
  const uint16_t at = place(s, d, true, offset, stride);
  put(s, (loop_inst){.kind = LOOP_STORE,
                     .section = LOOP_TAIL,
                     .type = r,
                     .from = r,
                     .array = at,
                     .map = at,
                     .arg = {x, LOOP_NONE}});
}

uint16_t step_nest_const(step_nest *s, tl_reg r, uint64_t bits) {
  return put(s, (loop_inst){.kind = LOOP_CONST,
                            .section = LOOP_HEAD,
                            .type = r,
                            .from = r,
                            .bits = bits,
                            .arg = {LOOP_NONE, LOOP_NONE}});
}

uint16_t step_nest_scalar(step_nest *s, tl_scalar op, tl_reg type, tl_reg from, uint16_t a,
                          uint16_t b) {
  return put(s, (loop_inst){.kind = LOOP_SCALAR,
                            .section = s->section,
                            .type = type,
                            .from = from,
                            .op = (uint16_t)op,
                            .arg = {a, b}});
}

uint16_t step_nest_result(step_nest *s, tl_reg r) {
  return put(s, (loop_inst){.kind = LOOP_RESULT,
                            .section = LOOP_TAIL,
                            .type = r,
                            .from = r,
                            .arg = {LOOP_NONE, LOOP_NONE}});
}

const loop_nest *step_nest_of(const plan_step *s, tl_arena *a) {
  const loop_nest *own = nest_of_step(s);
  return own ? own : s->as_nest ? s->as_nest(s, a) : NULL;
}
