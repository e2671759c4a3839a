// Nests of a region whose reductions have their states in registers: a tiny nest in a straight
// line, each element with its indices as constants; and others by vectors along the innermost kept
// level, their terms in a line or in loops of several.
#include "cpu/jit/emit.h"

typedef LLVMValueRef value;

// f over n elements of a level, where that is a constant: few vectors in a line, and what is left
// as ever smaller ones. A row's state has whole vectors: under a mask, or one by one.
void emit_each_of_constant(emitter *e, uint32_t level, uint64_t n, uint32_t lanes,
                           void (*f)(emitter *e, value i)) {
  enum { IN_LINE = 4 };
  const uint64_t main = n / lanes * lanes;
  for (uint64_t at = 0; main <= (uint64_t)IN_LINE * lanes && at < main; at += lanes) {
    emit_loop l = emit_begin(e, level, emit_i64(e, at), emit_i64(e, at + lanes), lanes);
    e->lanes = lanes;
    f(e, l.i);
    emit_end(e, &l);
  }
  if (main > (uint64_t)IN_LINE * lanes) {
    emit_loop l = emit_begin(e, level, emit_i64(e, 0), emit_i64(e, main), lanes);
    e->lanes = lanes;
    f(e, l.i);
    emit_end(e, &l);
  }
  const bool row = e->s->mode == JIT_ROWS;
  if (main == n) return;
  if (row && e->masks) {
    emit_loop l = emit_begin(e, level, emit_i64(e, main), emit_i64(e, n), lanes);
    e->lanes = lanes;
    value left = LLVMConstInt(e->i32, n - main, false);
    e->mask = LLVMBuildICmp(e->b, LLVMIntULT, emit_iota(e, e->i32), emit_splat(e, left), "");
    f(e, l.i);
    emit_end(e, &l);
    return;
  }
  uint64_t at = main;
  for (uint32_t width = row ? 1 : lanes / 2; width > 0; width /= 2)
    for (; n - at >= width && at < n; at += width) {
      emit_loop l = emit_begin(e, level, emit_i64(e, at), emit_i64(e, at + width), width);
      e->lanes = width;
      f(e, l.i);
      emit_end(e, &l);
    }
}

// Places `by` levels [first, first + n) of index [n], from `from`; strides[p * width + level].
static void go_to(emitter *e, const value *from, const int64_t *strides, uint32_t width,
                  const size_t *index, uint32_t n) {
  for (uint32_t p = 0; p < e->s->n_places; p++) {
    int64_t by = 0;
    for (uint32_t l = 0; l < n; l++)
      by += (int64_t)index[l] * strides[p * width + l];
    e->at[p] = from[p];
    if (by == 0) continue;
    e->at[p] = e->s->places[p].array == LOOP_NONE ? LLVMBuildAdd(e->b, from[p], emit_i64(e, by), "")
                                                  : emit_offset(e, from[p], emit_i64(e, by));
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

// --- sums ---

// The lanes that no term came to are +0, which changes no other: those have begun at +0 themselves.
static value sum_of(emitter *e, tl_reg r, value *lane) {
  for (uint32_t half = JIT_SUM_LANES / 2; half > 0; half /= 2)
    for (uint32_t k = 0; k < half; k++)
      if (lane[k + half]) lane[k] = add(e, r, lane[k], lane[k + half]);
  return lane[0] ? lane[0] : emit_bits(e, r, 0);
}

// --- terms ---

// The states: of SUM 16 lanes, of DOT the total and the chain. NULL is +0.
static uint32_t n_states(const loop_nest *n) {
  return n->reduce == LOOP_FOLD ? n->n_states : n->reduce == LOOP_SUM ? JIT_SUM_LANES : 2;
}
static tl_reg state_type(const loop_nest *n, uint32_t c) {
  return n->insts[n->reduce == LOOP_FOLD ? n->init[c] : n->term[0]].type;
}
static bool chains(const loop_nest *n) { // of floats; integers have no blocks
  return n->reduce == LOOP_DOT &&
         (state_type(n, 0) == TL_REG_F32 || state_type(n, 0) == TL_REG_F64);
}

static void begin_states(emitter *e, value *state) {
  for (uint32_t c = 0; c < n_states(e->n); c++)
    state[c] = e->n->reduce == LOOP_FOLD ? emit_get(e, e->n->init[c]) : NULL;
}

static value state_or_zero(emitter *e, const value *state, uint32_t c) {
  return state[c] ? state[c] : emit_bits(e, state_type(e->n, c), 0);
}

static void fold_term(emitter *e, value *state) {
  const loop_nest *n = e->n;
  value after[REGION_STATES];
  e->registers = state;
  emit_section(e, LOOP_COMBINE, EMIT_ALL);
  for (uint32_t c = 0; c < n->n_states; c++)
    after[c] = emit_get(e, n->next[c]);
  for (uint32_t c = 0; c < n->n_states; c++)
    state[c] = after[c];
}

// Term `number`, at the addresses that are set, into the states.
static void take_term(emitter *e, value *state, uint32_t number) {
  const loop_nest *n = e->n;
  emit_section(e, LOOP_BODY, EMIT_ALL);
  if (n->reduce == LOOP_FOLD) {
    fold_term(e, state);
    return;
  }
  const tl_reg r = state_type(n, 0);
  value a = emit_get(e, n->term[0]), b = n->reduce == LOOP_DOT ? emit_get(e, n->term[1]) : NULL;
  const uint32_t lane = number % JIT_SUM_LANES;
  if (!b)
    state[lane] = add(e, r, state_or_zero(e, state, lane), a);
  else if (chains(n))
    state[1] = emit_fma(e, a, b, state_or_zero(e, state, 1));
  else
    state[0] =
        add(e, r, state_or_zero(e, state, 0), emit_scalar(e, TL_SCALAR_MUL, r, r, a, b, NULL));
}

static void close_chain(emitter *e, value *state) {
  state[0] = add(e, state_type(e->n, 0), state_or_zero(e, state, 0), state_or_zero(e, state, 1));
  state[1] = NULL;
}

static void end_states(emitter *e, value *state) {
  if (e->n->reduce == LOOP_SUM) state[0] = sum_of(e, state_type(e->n, 0), state);
  if (e->n->reduce == LOOP_DOT) state[0] = state_or_zero(e, state, 0);
  e->registers = state;
}

// All terms in a line.
static void reduce(emitter *e, const value *from, value *state) {
  const jit_shape *s = e->s;
  size_t index[JIT_REDUCED] = {0};
  uint32_t terms = 0;
  begin_states(e, state);
  do {
    go_to(e, from, s->stride + 2, JIT_LEVELS, index, s->n_reduced);
    take_term(e, state, terms);
    if (++terms % JIT_DOT_BLOCK == 0 && chains(e->n)) close_chain(e, state);
  } while (next(index, s->reduced, s->n_reduced));
  if (chains(e->n) && terms % JIT_DOT_BLOCK != 0) close_chain(e, state);
  end_states(e, state);
}

void emit_straight(emitter *e) {
  const jit_shape *s = e->s;
  value first[JIT_PLACES], here[JIT_PLACES], state[REGION_STATES];
  size_t index[LOOP_MAX_DIMS] = {0};
  for (uint32_t p = 0; p < s->n_places; p++)
    first[p] = e->at[p];
  do {
    go_to(e, first, s->outer, s->n_kept, index, s->n_kept);
    for (uint32_t p = 0; p < s->n_places; p++)
      here[p] = e->at[p];
    if (e->n->reduce != LOOP_EACH) reduce(e, here, state);
    for (uint32_t p = 0; p < s->n_places; p++)
      e->at[p] = here[p];
    emit_section(e, LOOP_TAIL, EMIT_ALL);
  } while (next(index, s->kept, s->n_kept));
  e->registers = NULL;
}

// --- reductions by vectors ---

enum { IN_LINE = 16, AT_ONCE = 8 }; // terms: without a loop; of an iteration (of SUM 16)

static size_t all_terms(const jit_shape *s) {
  size_t all = 1;
  for (uint32_t l = 0; l < s->n_reduced; l++)
    all = all > SIZE_MAX / s->reduced[l] ? SIZE_MAX : all * s->reduced[l];
  return all;
}

// A term's number must be known where it says which lane or block it belongs to.
bool emit_has_registers(const jit_shape *s) {
  const loop_nest *n = s->nest;
  if (s->mode != JIT_COLUMNS && s->mode != JIT_SERIAL) return false;
  const size_t all = all_terms(s);
  if (n_states(n) > JIT_SUM_LANES) return false;
  return s->n_reduced == 1 || n->reduce == LOOP_FOLD ||
         all <= (n->reduce == LOOP_SUM ? IN_LINE : JIT_DOT_BLOCK);
}

// States between iterations: slots, of which the compiler makes registers.
static void to_slots(emitter *e, value *slot, const value *state) {
  for (uint32_t c = 0; c < n_states(e->n); c++)
    emit_store(e, state_or_zero(e, state, c), slot[c], 1);
}
static void from_slots(emitter *e, const value *slot, value *state) {
  for (uint32_t c = 0; c < n_states(e->n); c++)
    state[c] = emit_load(e, emit_type(e, state_type(e->n, c)), slot[c], 1);
}

// `count` terms along the innermost reduced level, in a line, from where the addresses are. The
// first one's number is a multiple of all that matters, plus `first`.
static void line(emitter *e, value *state, size_t count, uint32_t first) {
  const jit_shape *s = e->s;
  value from[JIT_PLACES];
  for (uint32_t p = 0; p < s->n_places; p++)
    from[p] = e->at[p];
  for (size_t k = 0; k < count; k++) {
    go_to(e, from, s->stride + 2, JIT_LEVELS, &k, 1);
    take_term(e, state, first + (uint32_t)k);
  }
  for (uint32_t p = 0; p < s->n_places; p++)
    e->at[p] = from[p];
}

// `count` terms of the innermost level, states in slots.
static void run(emitter *e, value *slot, size_t count) {
  const size_t at_once = e->n->reduce == LOOP_SUM ? JIT_SUM_LANES : AT_ONCE;
  const size_t looped = count > IN_LINE ? count / at_once * at_once : 0;
  value state[REGION_STATES];
  if (looped) {
    emit_loop l = emit_begin(e, 2, emit_i64(e, 0), emit_i64(e, (int64_t)looped), at_once);
    from_slots(e, slot, state);
    line(e, state, at_once, 0);
    to_slots(e, slot, state);
    emit_end(e, &l);
  }
  if (looped == count) return;
  emit_loop l = emit_begin(e, 2, emit_i64(e, (int64_t)looped), emit_i64(e, (int64_t)looped + 1), 1);
  from_slots(e, slot, state);
  line(e, state, count - looped, 0);
  to_slots(e, slot, state);
  emit_end(e, &l);
}

static void close_in_slots(emitter *e, value *slot) {
  value state[REGION_STATES];
  from_slots(e, slot, state);
  close_chain(e, state);
  to_slots(e, slot, state);
}

static void loops(emitter *e, value *slot) {
  const jit_shape *s = e->s;
  const size_t inner = s->reduced[0], blocks = inner / JIT_DOT_BLOCK;
  const bool blocked = chains(e->n) && s->n_reduced == 1;
  if (blocked && blocks > 0) {
    emit_loop l = emit_begin(e, 2, emit_i64(e, 0), emit_i64(e, (int64_t)(blocks * JIT_DOT_BLOCK)),
                             JIT_DOT_BLOCK);
    run(e, slot, JIT_DOT_BLOCK);
    close_in_slots(e, slot);
    emit_end(e, &l);
    const size_t rest = inner - blocks * JIT_DOT_BLOCK;
    if (rest == 0) return;
    l = emit_begin(e, 2, emit_i64(e, (int64_t)(inner - rest)),
                   emit_i64(e, (int64_t)(inner - rest) + 1), 1);
    run(e, slot, rest);
    close_in_slots(e, slot);
    emit_end(e, &l);
    return;
  }
  emit_loop l[JIT_REDUCED];
  for (uint32_t k = s->n_reduced; k-- > 1;)
    l[k] = emit_begin(e, 2 + k, emit_i64(e, 0), emit_i64(e, (int64_t)s->reduced[k]), 1);
  run(e, slot, inner);
  for (uint32_t k = 1; k < s->n_reduced; k++)
    emit_end(e, &l[k]);
  if (chains(e->n)) close_in_slots(e, slot);
}

static void columns(emitter *e, value i) {
  (void)i;
  value from[JIT_PLACES], state[REGION_STATES], slot[REGION_STATES];
  for (uint32_t p = 0; p < e->s->n_places; p++)
    from[p] = e->at[p];
  if (all_terms(e->s) <= IN_LINE) {
    reduce(e, from, state);
  } else {
    begin_states(e, state);
    for (uint32_t c = 0; c < n_states(e->n); c++)
      slot[c] = emit_slot(e, emit_type(e, state_type(e->n, c)), 1);
    to_slots(e, slot, state);
    loops(e, slot);
    from_slots(e, slot, state);
    end_states(e, state);
  }
  for (uint32_t p = 0; p < e->s->n_places; p++)
    e->at[p] = from[p];
  emit_section(e, LOOP_TAIL, EMIT_ALL);
  e->registers = NULL;
}

// Of a dot four vectors side by side, since each is one chain.
static uint32_t width(const emitter *e) {
  const loop_nest *n = e->n;
  if (e->s->mode == JIT_SERIAL) return 1;
  const uint32_t vector = (e->s->avx512 ? 64u : 32u) / emit_reg_size(e, state_type(n, 0));
  if (n->reduce == LOOP_DOT) return 4 * TL_MIN(vector, (uint32_t)JIT_SUM_LANES);
  return TL_MIN(vector, (uint32_t)JIT_SUM_LANES);
}

void emit_in_registers(emitter *e) {
  const size_t n = e->s->n_kept > 0 ? e->s->kept[0] : 1;
  e->narrow = true;
  emit_each_of_constant(e, 0, n, width(e), columns);
  e->narrow = false;
}
