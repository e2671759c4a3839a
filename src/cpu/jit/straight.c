// A tiny nest in a straight line: each element with its indices as constants, states in registers.
#include "cpu/jit/emit.h"

typedef LLVMValueRef value;

static value i64_of(emitter *e, int64_t n) { return LLVMConstInt(e->i64, (uint64_t)n, false); }

// Places `by` levels [first, first + n) of index [n], from `from`; strides[p * width + level].
static void go_to(emitter *e, const value *from, const int64_t *strides, uint32_t width,
                  const size_t *index, uint32_t n) {
  for (uint32_t p = 0; p < e->s->n_places; p++) {
    int64_t by = 0;
    for (uint32_t l = 0; l < n; l++)
      by += (int64_t)index[l] * strides[p * width + l];
    e->at[p] = from[p];
    if (by == 0) continue;
    e->at[p] = e->s->places[p].array == LOOP_NONE ? LLVMBuildAdd(e->b, from[p], i64_of(e, by), "")
                                                  : emit_offset(e, from[p], i64_of(e, by));
  }
}

// The next index, row-major, innermost first; false behind the last.
static bool next(size_t *index, const size_t *extent, uint32_t n) {
  for (uint32_t l = 0; l < n; l++) {
    if (++index[l] < extent[l]) return true;
    index[l] = 0;
  }
  return false;
}

static value add(emitter *e, tl_reg r, value a, value b) {
  return emit_scalar(e, TL_SCALAR_ADD, r, r, a, b, NULL);
}

// The lanes that no term came to are +0, which changes no other: those have begun at +0 themselves.
static value sum_of(emitter *e, tl_reg r, value *lane) {
  for (uint32_t half = JIT_SUM_LANES / 2; half > 0; half /= 2)
    for (uint32_t k = 0; k < half; k++)
      if (lane[k + half]) lane[k] = add(e, r, lane[k], lane[k + half]);
  return lane[0] ? lane[0] : emit_bits(e, r, 0);
}

static void fold_term(emitter *e) {
  const loop_nest *n = e->n;
  value after[REGION_STATES];
  emit_section(e, LOOP_COMBINE, EMIT_ALL);
  for (uint32_t c = 0; c < n->n_states; c++)
    after[c] = emit_get(e, n->next[c]);
  for (uint32_t c = 0; c < n->n_states; c++)
    e->registers[c] = after[c];
}

static void reduce(emitter *e, const value *from) {
  const loop_nest *n = e->n;
  const jit_shape *s = e->s;
  const bool fold = n->reduce == LOOP_FOLD;
  const tl_reg r = fold ? TL_REG_COUNT : n->insts[n->term[0]].type;
  const bool chains = n->reduce == LOOP_DOT && (r == TL_REG_F32 || r == TL_REG_F64);
  value lane[JIT_SUM_LANES] = {NULL}, zero = fold ? NULL : emit_bits(e, r, 0), chain = zero;
  size_t index[JIT_REDUCED] = {0};
  uint32_t terms = 0;
  if (fold)
    for (uint32_t c = 0; c < n->n_states; c++)
      e->registers[c] = emit_get(e, n->init[c]);
  else
    e->registers[0] = zero;
  do {
    go_to(e, from, s->stride + 2, JIT_LEVELS, index, s->n_reduced);
    emit_section(e, LOOP_BODY, EMIT_ALL);
    if (fold) {
      fold_term(e);
      continue;
    }
    value a = emit_get(e, n->term[0]), b = n->reduce == LOOP_DOT ? emit_get(e, n->term[1]) : NULL;
    value *at = &lane[terms % JIT_SUM_LANES];
    if (!b)
      *at = add(e, r, *at ? *at : zero, a);
    else if (chains)
      chain = emit_fma(e, a, b, chain);
    else
      e->registers[0] = add(e, r, e->registers[0], emit_scalar(e, TL_SCALAR_MUL, r, r, a, b, NULL));
    if (++terms % JIT_DOT_BLOCK == 0 && chains) {
      e->registers[0] = add(e, r, e->registers[0], chain);
      chain = zero;
    }
  } while (next(index, s->reduced, s->n_reduced));
  if (chains && terms % JIT_DOT_BLOCK != 0) e->registers[0] = add(e, r, e->registers[0], chain);
  if (n->reduce == LOOP_SUM) e->registers[0] = sum_of(e, r, lane);
}

void emit_straight(emitter *e) {
  const jit_shape *s = e->s;
  value first[JIT_PLACES], here[JIT_PLACES];
  size_t index[LOOP_MAX_DIMS] = {0};
  for (uint32_t p = 0; p < s->n_places; p++)
    first[p] = e->at[p];
  do {
    go_to(e, first, s->outer, s->n_kept, index, s->n_kept);
    for (uint32_t p = 0; p < s->n_places; p++)
      here[p] = e->at[p];
    if (e->n->reduce != LOOP_EACH) reduce(e, here);
    for (uint32_t p = 0; p < s->n_places; p++)
      e->at[p] = here[p];
    emit_section(e, LOOP_TAIL, EMIT_ALL);
  } while (next(index, s->kept, s->n_kept));
}
