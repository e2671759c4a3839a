// The function of a nest: its loops, and its instructions by section.
//
//   nest(call):
//     addresses, strides and extents; HEAD
//     for each of level 1
//       EACH      for level 0: TAIL, a vector at a time
//       COLUMNS   for blocks of level 0: states of the block = ...
//                   for the reduced levels
//                     for the block, a vector at a time: BODY, COMBINE, states
//                   for the block, a vector at a time: TAIL
//       ROWS      for level 0: a vector of states; for the reduced levels, of the innermost a
//                   vector at a time: BODY, states; then their tree, and TAIL. Up to 4 rows go
//                   side by side; of several reduced levels 64 go through the outer ones together
//       SERIAL    for level 0: states; for the reduced levels: BODY, COMBINE, states; then TAIL
//
// What does not change along the level of vectors is computed before its loop, once. The elements
// that are left behind whole vectors are done under a mask where AVX-512 has one for all types and
// no place is reached by gathers; else one by one.
#include "cpu/jit/emit.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpuinfo.h"

typedef LLVMValueRef value;

static bool is_float(tl_reg r) { return r == TL_REG_F32 || r == TL_REG_F64; }

// --- loops ---

typedef emit_loop loop;

// Addresses at index i of a level.
static void enter(emitter *e, uint32_t level, value i) {
  for (uint32_t p = 0; p < e->s->n_places; p++) {
    const jit_place *q = &e->s->places[p];
    value by;
    if (level == EMIT_NO_LEVEL || q->step[level] == JIT_STILL) continue;
    if (q->step[level] == JIT_NEXT && q->array != LOOP_NONE) {
      e->at[p] = emit_element(e, e->at[p], i, q->size);
      continue;
    }
    if (q->step[level] == JIT_NEXT)
      by = i;
    else if (q->few && level == emit_vector_level(e->s))
      by = LLVMBuildMul(e->b, i, emit_i64(e, (uint64_t)q->few * q->size), "");
    else if (q->step[level] == JIT_DENSE)
      by = LLVMBuildMul(e->b, i, emit_i64(e, q->size * e->s->columns), "");
    else
      by = LLVMBuildMul(e->b, i, e->stride[p * JIT_LEVELS + level], "");
    e->at[p] =
        q->array == LOOP_NONE ? LLVMBuildAdd(e->b, e->at[p], by, "") : emit_offset(e, e->at[p], by);
  }
}

static value *keep_addresses(emitter *e) {
  value *kept = malloc((e->s->n_places + 1) * sizeof *kept);
  if (!kept) {
    e->failed = "out of memory";
    return NULL;
  }
  for (uint32_t p = 0; p < e->s->n_places; p++)
    kept[p] = e->at[p];
  return kept;
}
static void restore_addresses(emitter *e, value *kept) {
  for (uint32_t p = 0; kept && p < e->s->n_places; p++)
    e->at[p] = kept[p];
  free(kept);
}

static LLVMBasicBlockRef new_block(emitter *e) {
  return LLVMAppendBasicBlockInContext(e->cx, e->fn, "");
}

// for (i = from; i < to; i += step), entering `level`. Whether there is another iteration is asked
// at its end. Of step 0 it runs at most once; a loop that is known to run once is none.
loop emit_begin(emitter *e, uint32_t level, value from, value to, uint64_t step) {
  loop l = {.lanes = e->lanes, .mask = e->mask, .at = keep_addresses(e), .i = from};
  const bool constant = LLVMIsConstant(from) && LLVMIsConstant(to);
  const uint64_t n = constant ? LLVMConstIntGetZExtValue(to) - LLVMConstIntGetZExtValue(from) : 0;
  if (!constant || n - 1 >= step) {
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->b), body = new_block(e);
    l.exit = new_block(e);
    if (n > 0)
      LLVMBuildBr(e->b, body);
    else
      LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntULT, from, to, ""), body, l.exit);
    LLVMPositionBuilderAtEnd(e->b, body);
    if (step > 0) {
      l.head = body;
      l.to = to;
      l.next = emit_i64(e, step);
      l.i = LLVMBuildPhi(e->b, e->i64, "");
      LLVMAddIncoming(l.i, &from, &before, 1);
    }
  }
  enter(e, level, l.i);
  return l;
}
void emit_end(emitter *e, loop *l) {
  if (l->head) {
    value next = LLVMBuildAdd(e->b, l->i, l->next, "");
    LLVMBasicBlockRef last = LLVMGetInsertBlock(e->b);
    LLVMAddIncoming(l->i, &next, &last, 1);
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntULT, next, l->to, ""), l->head, l->exit);
  } else if (l->exit) {
    LLVMBuildBr(e->b, l->exit);
  }
  if (l->exit) LLVMPositionBuilderAtEnd(e->b, l->exit);
  restore_addresses(e, l->at);
  e->lanes = l->lanes;
  e->mask = l->mask;
}

// if (condition), without an else.
typedef struct branch {
  LLVMBasicBlockRef exit;
} branch;
static branch begin_if(emitter *e, value condition) {
  branch r = {.exit = new_block(e)};
  LLVMBasicBlockRef body = new_block(e);
  LLVMBuildCondBr(e->b, condition, body, r.exit);
  LLVMPositionBuilderAtEnd(e->b, body);
  return r;
}
static void end_if(emitter *e, branch r) {
  LLVMBuildBr(e->b, r.exit);
  LLVMPositionBuilderAtEnd(e->b, r.exit);
}

// f over n elements of a level: whole vectors, then what is left.
static void each_element(emitter *e, uint32_t level, value n, void (*f)(emitter *e, value i)) {
  const uint32_t lanes = e->s->lanes;
  if (e->fixed && LLVMIsConstant(n)) {
    emit_each_of_constant(e, level, LLVMConstIntGetZExtValue(n), lanes, f);
    return;
  }
  value main = LLVMBuildAnd(e->b, n, emit_i64(e, ~(uint64_t)(lanes - 1)), "");
  LLVMBasicBlockRef around = e->before;
  if (e->hoists) e->before = LLVMGetInsertBlock(e->b);
  loop l = emit_begin(e, level, emit_i64(e, 0), main, lanes);
  e->lanes = lanes;
  f(e, l.i);
  emit_end(e, &l);
  if (!e->masks) {
    l = emit_begin(e, level, main, n, 1);
    f(e, l.i);
    emit_end(e, &l);
    e->before = around;
    return;
  }
  l = emit_begin(e, level, main, n, e->s->tail < lanes ? e->s->tail : 0);
  value left = LLVMBuildTrunc(e->b, LLVMBuildSub(e->b, n, l.i, ""), e->i32, "");
  e->lanes = e->s->tail;
  e->mask = LLVMBuildICmp(e->b, LLVMIntULT, emit_iota(e, e->i32), emit_splat(e, left), "");
  f(e, l.i);
  emit_end(e, &l);
  e->before = around;
}

// --- instructions ---

// An operand as wide as emission is. What is one element is made a vector before the loop of
// vectors: LLVM moves nothing out of it where it only allocates registers.
value emit_get(emitter *e, uint16_t arg) {
  value v = e->flat ? emit_flat_get(e, arg) : e->val[arg];
  if (e->lanes == 1 || emit_is_vector(v)) return v;
  if (!e->before || LLVMIsConstant(v)) return emit_splat(e, v);
  LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
  LLVMPositionBuilderBefore(e->b, LLVMGetBasicBlockTerminator(e->before));
  v = emit_splat(e, v);
  LLVMPositionBuilderAtEnd(e->b, here);
  return v;
}

static value state_slot(emitter *e, uint32_t component, tl_reg r) {
  value p = e->state[component];
  return e->place ? LLVMBuildGEP2(e->b, emit_memory_type(e, r), p, &e->place, 1, "") : p;
}
static value state_load(emitter *e, uint32_t component, tl_reg r) {
  value p = state_slot(e, component, r);
  const uint32_t align = emit_reg_size(e, r);
  return emit_from_memory(e, r, emit_load(e, emit_wide(e, emit_memory_type(e, r)), p, align));
}
static void state_store(emitter *e, uint32_t component, tl_reg r, value x) {
  emit_store(e, emit_to_memory(e, r, x), state_slot(e, component, r), emit_reg_size(e, r));
}

// A function of angles: where one of them is too large for the code, all go through the library.
static value turned(emitter *e, uint32_t at, const loop_inst *i, value x) {
  LLVMBasicBlockRef far = new_block(e), near = new_block(e), exit = new_block(e), from[2];
  value y[2];
  LLVMBuildCondBr(e->b, emit_turns_far(e, i->from, x), far, near);
  LLVMPositionBuilderAtEnd(e->b, far);
  y[0] = emit_apply(e, at, &x, &i->from, 1, emit_memory_type(e, i->type));
  from[0] = LLVMGetInsertBlock(e->b);
  LLVMBuildBr(e->b, exit);
  LLVMPositionBuilderAtEnd(e->b, near);
  y[1] = emit_scalar(e, (tl_scalar)i->op, i->type, i->from, x, NULL, NULL);
  from[1] = LLVMGetInsertBlock(e->b);
  LLVMBuildBr(e->b, exit);
  LLVMPositionBuilderAtEnd(e->b, exit);
  value v = LLVMBuildPhi(e->b, emit_type(e, i->type), "");
  LLVMAddIncoming(v, y, from, 2);
  return v;
}

static value inst_value(emitter *e, uint32_t at, const loop_inst *i) {
  value args[3] = {NULL, NULL, NULL};
  tl_reg regs[3] = {i->from, i->from, i->from};
  uint32_t n = 0;
  switch (i->kind) {
  case LOOP_CONST:
    return emit_bits(e, i->type, i->bits);
  case LOOP_INDEX:
    return emit_index_inst(e, at);
  case LOOP_LOAD:
    return emit_load_inst(e, at, i);
  case LOOP_STATE:
  case LOOP_RESULT:
    return e->registers ? e->registers[i->index] : state_load(e, i->index, i->type);
  default:
    break;
  }
  for (; n < 3 && i->arg[n] != LOOP_NONE; n++) {
    args[n] = emit_get(e, i->arg[n]);
    regs[n] = e->n->insts[i->arg[n]].type;
  }
  if (i->kind == LOOP_SCALAR && emit_turns((tl_scalar)i->op)) return turned(e, at, i, args[0]);
  value v = NULL;
  if (i->kind == LOOP_SCALAR)
    v = emit_scalar(e, (tl_scalar)i->op, i->type, i->from, args[0], args[1], args[2]);
  if (!v)
    v = emit_from_memory(e, i->type,
                         emit_apply(e, at, args, regs, n, emit_memory_type(e, i->type)));
  return v;
}

void emit_inst(emitter *e, uint32_t at) {
  const loop_inst *i = &e->n->insts[at];
  if (i->kind == LOOP_STORE)
    emit_store_inst(e, at, i);
  else
    e->val[at] = inst_value(e, at, i);
}

// Instructions of a section: those that stand still along the level of vectors, the others, or all.
void emit_section(emitter *e, loop_section which_section, emit_which w) {
  for (uint32_t at = 0; at < e->n->n_insts; at++) {
    const loop_inst *i = &e->n->insts[at];
    if (i->section != which_section || (w != EMIT_ALL && e->still[at] != (w == EMIT_STILL)))
      continue;
    const uint32_t lanes = e->lanes;
    if (e->narrow && e->still[at]) e->lanes = 1;
    emit_inst(e, at);
    e->lanes = lanes;
  }
}

static void find_still(emitter *e) {
  const uint32_t level = emit_vector_level(e->s);
  const bool serial_tail = level == 2; // results are not walked by vectors
  bool gathers = false, strides = false;
  for (uint32_t at = 0; at < e->n->n_insts; at++) {
    const loop_inst *i = &e->n->insts[at];
    bool still = i->kind != LOOP_STORE && i->kind != LOOP_STATE && i->kind != LOOP_RESULT;
    const uint16_t p = e->s->place[at];
    const uint8_t step = p == LOOP_NONE ? JIT_STILL : e->s->places[p].step[level];
    if (step != JIT_STILL) still = false;
    for (int k = 0; k < 3; k++)
      if (i->arg[k] != LOOP_NONE && !e->still[i->arg[k]]) still = false;
    e->still[at] = still;
    if (i->section == LOOP_TAIL && serial_tail) continue;
    if (i->kind == LOOP_LOAD && i->arg[0] != LOOP_NONE && !e->still[i->arg[0]])
      gathers |= !emit_picks_at_once(e, e->s->places[p].size);
    else if (step == JIT_ANY && i->kind != LOOP_INDEX)
      strides |= i->kind == LOOP_STORE || !e->s->places[p].few;
  }
  e->masks = e->s->avx512 && !gathers && !strides && e->s->lanes > 1;
}

// --- EACH ---

static void tail_moving(emitter *e, value i) {
  e->place = e->state ? i : NULL; // a reduction by columns: in its block
  emit_section(e, LOOP_TAIL, EMIT_MOVING);
  e->place = NULL;
}

static void emit_each(emitter *e) {
  emit_section(e, LOOP_TAIL, EMIT_STILL);
  each_element(e, 0, e->extent[0], tail_moving);
}

// --- reductions ---

static tl_reg term_type(const emitter *e) { return e->n->insts[e->n->term[0]].type; }

static void next_states(emitter *e) { // FOLD: all are computed before one changes
  value next[64];
  for (uint32_t c = 0; c < e->n->n_states; c++)
    next[c] = emit_get(e, e->n->next[c]);
  for (uint32_t c = 0; c < e->n->n_states; c++)
    state_store(e, c, e->n->insts[e->n->next[c]].type, next[c]);
}

static value count_terms(emitter *e) { return emit_load(e, e->i64, e->term, 8); }
static void next_term(emitter *e) {
  emit_store(e, LLVMBuildAdd(e->b, count_terms(e), emit_i64(e, 1), ""), e->term, 8);
}

static bool is_light(const emitter *e) { return e->n->reduce == LOOP_FOLD && e->n->n_states == 1; }

// Results of a block: so many vectors that their states stay in the first cache, and of a single
// state so many that memory is read in long runs.
static uint32_t block_width(const emitter *e) {
  if (is_light(e)) return e->s->lanes * 64;
  const bool wide = e->n->reduce == LOOP_SUM && emit_reg_size(e, term_type(e)) == 4;
  return e->s->lanes * (wide ? 16 : 8);
}

// One term into the states: SUM (component 0 of 16 lanes is at `lanes`), DOT or FOLD.
static void take_term(emitter *e) {
  const tl_reg r = e->n->reduce == LOOP_FOLD ? TL_REG_COUNT : term_type(e);
  switch (e->n->reduce) {
  case LOOP_SUM: {
    value x = emit_get(e, e->n->term[0]);
    value place = e->place; // in a block, whose lane is chosen outside
    if (!place) e->place = LLVMBuildAnd(e->b, count_terms(e), emit_i64(e, JIT_SUM_LANES - 1), "");
    value sum = state_load(e, 0, r);
    state_store(e, 0, r, emit_scalar(e, TL_SCALAR_ADD, r, r, sum, x, NULL));
    e->place = place;
    break;
  }
  case LOOP_DOT: {
    value a = emit_get(e, e->n->term[0]), b = emit_get(e, e->n->term[1]);
    if (is_float(r)) {
      state_store(e, 1, r, emit_fma(e, a, b, state_load(e, 1, r)));
    } else {
      value ab = emit_scalar(e, TL_SCALAR_MUL, r, r, a, b, NULL);
      state_store(e, 0, r, emit_scalar(e, TL_SCALAR_ADD, r, r, state_load(e, 0, r), ab, NULL));
    }
    break;
  }
  default:
    emit_section(e, LOOP_COMBINE, EMIT_ALL);
    next_states(e);
  }
}

// DOT of floats: the chain of a block of terms goes to the total.
static void close_chain(emitter *e) {
  const tl_reg r = term_type(e);
  value sum = emit_scalar(e, TL_SCALAR_ADD, r, r, state_load(e, 0, r), state_load(e, 1, r), NULL);
  state_store(e, 0, r, sum);
  state_store(e, 1, r, emit_bits(e, r, 0));
}

// The tree over 16 lanes that lie `many` elements apart; the result is in the first.
static void sum_tree(emitter *e, uint32_t many) {
  const tl_reg r = term_type(e);
  value lane[JIT_SUM_LANES], place = e->place;
  for (uint32_t k = 0; k < JIT_SUM_LANES; k++) {
    e->place = LLVMBuildAdd(e->b, place ? place : emit_i64(e, 0), emit_i64(e, k * many), "");
    lane[k] = state_load(e, 0, r);
  }
  for (uint32_t half = JIT_SUM_LANES / 2; half > 0; half /= 2)
    for (uint32_t k = 0; k < half; k++)
      lane[k] = emit_scalar(e, TL_SCALAR_ADD, r, r, lane[k], lane[k + half], NULL);
  e->place = place ? place : emit_i64(e, 0);
  state_store(e, 0, r, lane[0]);
  e->place = place;
}

static bool has_chain(const emitter *e) {
  return e->n->reduce == LOOP_DOT && is_float(term_type(e));
}

// --- COLUMNS ---

static void over_block(emitter *e, value n, void (*f)(emitter *e)) { // whole vectors: blocks are
  loop l = emit_begin(e, EMIT_NO_LEVEL, emit_i64(e, 0), n, e->s->lanes); // padded
  e->lanes = e->s->lanes;
  e->place = l.i;
  f(e);
  e->place = NULL;
  emit_end(e, &l);
}

static void init_states(emitter *e) {
  const loop_nest *n = e->n;
  if (n->reduce == LOOP_FOLD) {
    for (uint32_t c = 0; c < n->n_states; c++)
      state_store(e, c, n->insts[n->init[c]].type, emit_get(e, n->init[c]));
    return;
  }
  const tl_reg r = term_type(e);
  value place = e->place;
  for (uint32_t k = 0; k < (n->reduce == LOOP_SUM ? JIT_SUM_LANES : 1u); k++) {
    const uint32_t many = place ? block_width(e) : 1;
    if (n->reduce == LOOP_SUM)
      e->place = LLVMBuildAdd(e->b, place ? place : emit_i64(e, 0), emit_i64(e, k * many), "");
    state_store(e, 0, r, emit_bits(e, r, 0));
  }
  e->place = place;
  if (n->reduce == LOOP_DOT) state_store(e, 1, r, emit_bits(e, r, 0));
}
static void tree_of_block(emitter *e) { sum_tree(e, block_width(e)); }

// Elements of BODY's loads some indices of `level` ahead, of those that go along the vectors:
// memory that does not fit the last cache is waited for else. Where more is computed for a term
// than one operation this costs more than it gives.
static void prefetch_terms(emitter *e, uint32_t level, uint32_t ahead) {
  const uint32_t vectors = emit_vector_level(e->s);
  for (uint32_t at = 0; at < e->n->n_insts; at++) {
    const loop_inst *i = &e->n->insts[at];
    const uint16_t p = e->s->place[at];
    if (i->kind != LOOP_LOAD || i->section != LOOP_BODY ||
        e->s->places[p].step[vectors] != JIT_NEXT || e->s->places[p].step[level] != JIT_ANY)
      continue;
    value by = LLVMBuildMul(e->b, e->stride[p * JIT_LEVELS + level], emit_i64(e, ahead), "");
    value args[] = {emit_offset(e, e->at[p], by), LLVMConstInt(e->i32, 0, false),
                    LLVMConstInt(e->i32, 3, false), LLVMConstInt(e->i32, 1, false)};
    emit_intrinsic(e, "llvm.prefetch", &e->ptr, 1, args, 4); // to read, into all caches, data
  }
}

static void column_term(emitter *e, value i) {
  e->place = i;
  if (!e->fixed && is_light(e)) prefetch_terms(e, 2, 8);
  emit_section(e, LOOP_BODY, EMIT_MOVING);
  take_term(e);
  e->place = NULL;
}

static void make_slots(emitter *e, uint32_t width) {
  const loop_nest *n = e->n;
  const uint32_t states = n->reduce == LOOP_FOLD ? n->n_states : 2;
  for (uint32_t c = 0; c < states; c++) {
    const tl_reg r = n->reduce == LOOP_FOLD ? n->insts[n->init[c]].type : term_type(e);
    uint32_t many = width;
    if (n->reduce == LOOP_SUM) many = c == 0 ? width * JIT_SUM_LANES : 1;
    e->state[c] = emit_slot(e, emit_memory_type(e, r), many);
  }
  e->term = emit_slot(e, e->i64, 1);
}

// The reduced levels but for `inner`, outermost first: f inside.
static void reduced_levels(emitter *e, uint32_t down_to, void (*f)(emitter *e)) {
  loop l[JIT_REDUCED];
  for (uint32_t k = e->s->n_reduced; k-- > down_to;)
    l[k] = emit_begin(e, 2 + k, emit_i64(e, 0), e->extent[2 + k], 1);
  f(e);
  for (uint32_t k = down_to; k < e->s->n_reduced; k++)
    emit_end(e, &l[k]);
}

static void close_if_full(emitter *e, void (*close)(emitter *e)) {
  next_term(e);
  if (!has_chain(e)) return;
  value in = LLVMBuildAnd(e->b, count_terms(e), emit_i64(e, JIT_DOT_BLOCK - 1), "");
  branch full = begin_if(e, LLVMBuildICmp(e->b, LLVMIntEQ, in, emit_i64(e, 0), ""));
  close(e);
  end_if(e, full);
}
static void close_if_begun(emitter *e, void (*close)(emitter *e)) {
  if (!has_chain(e)) return;
  value in = LLVMBuildAnd(e->b, count_terms(e), emit_i64(e, JIT_DOT_BLOCK - 1), "");
  branch begun = begin_if(e, LLVMBuildICmp(e->b, LLVMIntNE, in, emit_i64(e, 0), ""));
  close(e);
  end_if(e, begun);
}

static void close_block(emitter *e) { over_block(e, e->block, close_chain); }

static void columns_inside(emitter *e) {
  emit_section(e, LOOP_BODY, EMIT_STILL);
  value first = e->state[0];
  if (e->n->reduce == LOOP_SUM) {
    value lane = LLVMBuildAnd(e->b, count_terms(e), emit_i64(e, JIT_SUM_LANES - 1), ""),
          at = LLVMBuildMul(e->b, lane, emit_i64(e, block_width(e)), "");
    e->state[0] = LLVMBuildGEP2(e->b, emit_memory_type(e, term_type(e)), first, &at, 1, "");
  }
  each_element(e, 0, e->block, column_term);
  e->state[0] = first;
  close_if_full(e, close_block);
}

static void emit_columns(emitter *e) {
  const uint32_t width = block_width(e);
  make_slots(e, width);
  loop l = emit_begin(e, 0, emit_i64(e, 0), e->extent[0], width);
  value left = LLVMBuildSub(e->b, e->extent[0], l.i, "");
  e->block = emit_select(e, LLVMBuildICmp(e->b, LLVMIntULT, left, emit_i64(e, width), ""), left,
                         emit_i64(e, width));
  over_block(e, e->block, init_states);
  emit_store(e, emit_i64(e, 0), e->term, 8);
  reduced_levels(e, 0, columns_inside);
  close_if_begun(e, close_block);
  if (e->n->reduce == LOOP_SUM) over_block(e, e->block, tree_of_block);
  emit_section(e, LOOP_TAIL, EMIT_STILL);
  each_element(e, 0, e->block, tail_moving);
  emit_end(e, &l);
}

// --- ROWS ---

static tl_scalar fold_op(const emitter *e) { return (tl_scalar)e->n->insts[e->n->next[0]].op; }
static tl_reg row_type(const emitter *e) {
  return e->n->reduce == LOOP_SUM ? term_type(e) : e->n->insts[e->n->next[0]].type;
}
static uint16_t row_term(const emitter *e) {
  return e->n->reduce == LOOP_SUM ? e->n->term[0] : e->n->insts[e->n->next[0]].arg[1];
}
static value row_step(emitter *e, value state, value x) {
  const tl_reg r = row_type(e);
  const tl_scalar op = e->n->reduce == LOOP_SUM ? TL_SCALAR_ADD : fold_op(e);
  return emit_scalar(e, op, r, r, state, x, NULL);
}

// Several results go side by side where little is computed for each: a sum is a chain, each term of
// which waits for the one before. `together` holds what differs between them.
enum { ROWS_BLOCK = 64 };
typedef struct together {
  uint32_t n;
  value state[JIT_TOGETHER]; // slots of a vector
  value all;                 // vectors of several rows: what the states are in the end
  value from, to;            // of several reduced levels: the rows of `all`
  value *by[JIT_TOGETHER];   // [n_places] how much farther a row's addresses lie; NULL: nothing
  value *val[JIT_TOGETHER];  // [n_insts] what stands still along it
} together;

static void shift_to_row(emitter *e, uint32_t row) {
  for (uint32_t p = 0; row > 0 && p < e->s->n_places; p++) {
    value by = e->together->by[row][p];
    if (!by) continue;
    e->at[p] = e->s->places[p].array == LOOP_NONE ? LLVMBuildAdd(e->b, e->at[p], by, "")
                                                  : emit_offset(e, e->at[p], by);
  }
}

static void each_row(emitter *e, value i, void (*f)(emitter *e, uint32_t row, value i)) {
  for (uint32_t row = 0; row < e->together->n; row++) {
    value *kept = keep_addresses(e);
    shift_to_row(e, row);
    f(e, row, i);
    restore_addresses(e, kept);
  }
}

// States are a vector, a slot each. Without masks the last terms go to its lanes one by one.
static void row_term_of(emitter *e, uint32_t row, value i) {
  memcpy(e->val, e->together->val[row], e->n->n_insts * sizeof *e->val);
  emit_section(e, LOOP_BODY, EMIT_MOVING);
  const tl_reg r = row_type(e);
  LLVMTypeRef wide = LLVMVectorType(emit_memory_type(e, r), e->s->lanes);
  value x = emit_get(e, row_term(e)), slot = e->together->state[row];
  if (e->lanes > 1) {
    if (e->together->to && e->together->n == JIT_TOGETHER) prefetch_terms(e, 0, 2 * JIT_TOGETHER);
    value state = emit_from_memory(e, r, emit_load(e, wide, slot, 64));
    value next = row_step(e, state, x);
    if (e->mask) next = emit_select(e, e->mask, next, state);
    emit_store(e, emit_to_memory(e, r, next), slot, 64);
    return;
  }
  value lane = LLVMBuildAnd(e->b, i, emit_i64(e, e->s->lanes - 1), "");
  value all = emit_load(e, wide, slot, 64);
  value state = emit_from_memory(e, r, LLVMBuildExtractElement(e->b, all, lane, ""));
  value next = emit_to_memory(e, r, row_step(e, state, x));
  emit_store(e, LLVMBuildInsertElement(e->b, all, next, lane, ""), slot, 64);
}
static void row_terms(emitter *e, value i) { each_row(e, i, row_term_of); }

static void row_still(emitter *e, uint32_t row, value i) {
  (void)i;
  emit_section(e, LOOP_BODY, EMIT_STILL);
  memcpy(e->together->val[row], e->val, e->n->n_insts * sizeof *e->val);
}

static void row_inside(emitter *e) {
  each_row(e, NULL, row_still);
  each_element(e, 2, e->extent[2], row_terms);
}

static value row_start(emitter *e) {
  const tl_reg r = row_type(e);
  if (e->n->reduce == LOOP_SUM) return emit_bits(e, r, 0);
  const tl_scalar op = fold_op(e);
  value init = emit_get(e, e->n->init[0]);
  if (op == TL_SCALAR_ADD || op == TL_SCALAR_MUL || op == TL_SCALAR_XOR) { // once is enough
    value neutral = emit_bits(e, r, op == TL_SCALAR_MUL);
    value one = LLVMBuildExtractElement(e->b, init, LLVMConstInt(e->i32, 0, false), "");
    return LLVMBuildInsertElement(e->b, neutral, one, LLVMConstInt(e->i32, 0, false), "");
  }
  return init;
}

static value elements(emitter *e, value x, uint32_t from, uint32_t n) { // [from, from + n)
  value pick[64];
  for (uint32_t k = 0; k < n; k++)
    pick[k] = LLVMConstInt(e->i32, from + k, false);
  if (n == 1) return LLVMBuildExtractElement(e->b, x, pick[0], "");
  return LLVMBuildShuffleVector(e->b, x, LLVMGetPoison(LLVMTypeOf(x)), LLVMConstVector(pick, n),
                                "");
}

// The tree of a row whose terms are taken, and its TAIL.
static void row_result(emitter *e, value row) {
  const tl_reg r = row_type(e);
  LLVMTypeRef wide = LLVMVectorType(emit_memory_type(e, r), e->s->lanes);
  value x = emit_load(e, wide, LLVMBuildGEP2(e->b, wide, e->together->all, &row, 1, ""), 16);
  e->lanes = e->s->lanes;
  x = emit_from_memory(e, r, x);
  for (uint32_t half = e->s->lanes / 2; half > 0; half /= 2) {
    value low = elements(e, x, 0, half), high = elements(e, x, half, half);
    e->lanes = half;
    x = row_step(e, low, high);
  }
  e->lanes = 1;
  state_store(e, 0, r, x);
  emit_section(e, LOOP_TAIL, EMIT_ALL);
}

// Where rows go side by side the last ones are those before them again, so that there are n.
static void place_rows(emitter *e, value left) {
  for (uint32_t row = 1; row < e->together->n; row++) {
    value last = LLVMBuildSub(e->b, left, emit_i64(e, 1), ""), k = emit_i64(e, row);
    k = emit_select(e, LLVMBuildICmp(e->b, LLVMIntULT, last, k, ""), last, k);
    for (uint32_t p = 0; p < e->s->n_places; p++)
      if (e->s->places[p].step[0] != JIT_STILL)
        e->together->by[row][p] = LLVMBuildMul(e->b, e->stride[p * JIT_LEVELS], k, "");
  }
}

// The states of the rows from `first` on in `all`; to them, or from there.
static void move_states(emitter *e, value first, bool back) {
  const together *t = e->together;
  LLVMTypeRef wide = LLVMVectorType(emit_memory_type(e, row_type(e)), e->s->lanes);
  for (uint32_t row = 0; row < t->n; row++) {
    value at = LLVMBuildAdd(e->b, first, emit_i64(e, row), "");
    value p = LLVMBuildGEP2(e->b, wide, t->all, &at, 1, "");
    value from = back ? t->state[row] : p, to = back ? p : t->state[row];
    emit_store(e, emit_load(e, wide, from, 16), to, 16); // as far as `all` is aligned for all types
  }
}

static void start_rows(emitter *e) {
  e->lanes = e->s->lanes;
  for (uint32_t row = 0; row < e->together->n; row++)
    emit_store(e, emit_to_memory(e, row_type(e), row_start(e)), e->together->state[row], 64);
  e->lanes = 1;
}

static void block_inside(emitter *e) {
  together *t = e->together;
  loop l = emit_begin(e, 0, t->from, t->to, t->n);
  value first = LLVMBuildSub(e->b, l.i, t->from, "");
  place_rows(e, LLVMBuildSub(e->b, t->to, l.i, ""));
  move_states(e, first, false);
  row_inside(e);
  move_states(e, first, true);
  emit_end(e, &l);
}

// Of several reduced levels a block of rows takes the terms of one index of the outer ones after
// the other: what it reads of each lies side by side, and is longer than a row. Memory of many
// short rows far apart comes without a prefetcher's help.
static void blocks_of_rows(emitter *e) {
  together *t = e->together;
  loop l = emit_begin(e, EMIT_NO_LEVEL, emit_i64(e, 0), e->extent[0], ROWS_BLOCK);
  value end = LLVMBuildAdd(e->b, l.i, emit_i64(e, ROWS_BLOCK), "");
  value less = LLVMBuildICmp(e->b, LLVMIntULT, end, e->extent[0], "");
  t->from = l.i;
  t->to = emit_select(e, less, end, e->extent[0]);
  value rows = LLVMBuildSub(e->b, t->to, t->from, "");
  loop each = emit_begin(e, EMIT_NO_LEVEL, emit_i64(e, 0), rows, t->n);
  start_rows(e);
  move_states(e, each.i, true);
  emit_end(e, &each);
  reduced_levels(e, 1, block_inside);
  each = emit_begin(e, 0, t->from, t->to, 1);
  row_result(e, LLVMBuildSub(e->b, each.i, t->from, ""));
  emit_end(e, &each);
  emit_end(e, &l);
}

static void rows_inside(emitter *e) {
  together *t = e->together;
  loop l = emit_begin(e, 0, emit_i64(e, 0), e->extent[0], t->n);
  value left = LLVMBuildSub(e->b, e->extent[0], l.i, ""), n = emit_i64(e, t->n);
  place_rows(e, left);
  start_rows(e);
  reduced_levels(e, 1, row_inside);
  move_states(e, emit_i64(e, 0), true);
  n = emit_select(e, LLVMBuildICmp(e->b, LLVMIntULT, left, n, ""), left, n);
  if (t->n == 1) n = emit_i64(e, 1);
  loop each = emit_begin(e, 0, emit_i64(e, 0), n, 1);
  row_result(e, each.i);
  emit_end(e, &each);
  emit_end(e, &l);
}

static void emit_rows(emitter *e) {
  const jit_shape *s = e->s;
  const tl_reg r = row_type(e);
  const uint32_t n = e->fixed ? 1 : s->together;
  const size_t insts = e->n->n_insts + 1, places = s->n_places + 1;
  value *memory = calloc(JIT_TOGETHER * (insts + places), sizeof *memory);
  if (!memory) {
    e->failed = "out of memory";
    return;
  }
  together t = {0};
  for (uint32_t row = 0; row < n; row++) {
    t.val[row] = memory + row * insts;
    t.by[row] = memory + JIT_TOGETHER * insts + row * places;
    t.state[row] = emit_slot(e, LLVMVectorType(emit_memory_type(e, r), s->lanes), 1);
  }
  t.n = n;
  const bool blocks = s->n_reduced > 1 && !e->fixed;
  t.all =
      emit_slot(e, LLVMVectorType(emit_memory_type(e, r), s->lanes), blocks ? ROWS_BLOCK + n : n);
  e->together = &t;
  e->state[0] = emit_slot(e, emit_memory_type(e, r), 1);
  (blocks ? blocks_of_rows : rows_inside)(e);
  e->together = NULL;
  free(memory);
}

// --- SERIAL ---

static void serial_inside(emitter *e) {
  emit_section(e, LOOP_BODY, EMIT_STILL);
  loop l = emit_begin(e, 2, emit_i64(e, 0), e->extent[2], 1);
  emit_section(e, LOOP_BODY, EMIT_MOVING);
  take_term(e);
  close_if_full(e, close_chain);
  emit_end(e, &l);
}

static void emit_serial(emitter *e) {
  make_slots(e, 1);
  loop l = emit_begin(e, 0, emit_i64(e, 0), e->extent[0], 1);
  init_states(e);
  emit_store(e, emit_i64(e, 0), e->term, 8);
  reduced_levels(e, 1, serial_inside);
  close_if_begun(e, close_chain);
  if (e->n->reduce == LOOP_SUM) sum_tree(e, 1);
  emit_section(e, LOOP_TAIL, EMIT_ALL);
  emit_end(e, &l);
}

// --- the function ---

static void load_arguments(emitter *e) {
  const jit_shape *s = e->s;
  value bases =
      emit_load(e, e->ptr, emit_offset(e, e->call, emit_i64(e, offsetof(jit_call, base))), 8);
  value strides =
      emit_load(e, e->ptr, emit_offset(e, e->call, emit_i64(e, offsetof(jit_call, stride))), 8);
  for (uint32_t l = 0; l < JIT_LEVELS; l++)
    e->extent[l] = emit_load(
        e, e->i64, emit_offset(e, e->call, emit_i64(e, offsetof(jit_call, extent) + 8 * l)), 8);
  for (uint32_t p = 0; p < s->n_places; p++) {
    const jit_place *q = &s->places[p];
    e->at[p] = emit_load(e, q->array == LOOP_NONE ? e->i64 : e->ptr,
                         emit_offset(e, bases, emit_i64(e, 8 * p)), 8);
    for (uint32_t l = 0; l < JIT_LEVELS; l++)
      if (q->step[l] == JIT_ANY)
        e->stride[p * JIT_LEVELS + l] =
            emit_load(e, e->i64, emit_offset(e, strides, emit_i64(e, 8 * (p * JIT_LEVELS + l))), 8);
  }
}

static void in_mode(emitter *e) {
  if (e->s->mode == JIT_FLAT) {
    emit_flat(e);
    return;
  }
  if (e->fixed && emit_has_registers(e->s)) {
    loop l = emit_begin(e, 1, emit_i64(e, 0), e->extent[1], 1);
    emit_in_registers(e);
    emit_end(e, &l);
    return;
  }
  loop l = emit_begin(e, 1, emit_i64(e, 0), e->extent[1], 1);
  switch (e->s->mode) {
  case JIT_EACH:
    emit_each(e);
    break;
  case JIT_COLUMNS:
    emit_columns(e);
    break;
  case JIT_ROWS:
    emit_rows(e);
    break;
  case JIT_SERIAL:
    emit_serial(e);
    break;
  case JIT_FLAT: // above
    break;
  }
  emit_end(e, &l);
}

void emit_nest(emitter *e) {
  value state[REGION_STATES] = {NULL};
  if (e->n->n_states > TL_COUNT(state)) {
    e->failed = "too many states";
    return;
  }
  find_still(e);
  e->lanes = 1;
  load_arguments(e);
  emit_section(e, LOOP_HEAD, EMIT_ALL);
  if (e->n->reduce != LOOP_EACH) e->state = state;
  in_mode(e);
  LLVMBuildRetVoid(e->b);
}

// --- a nest of a region ---

// The levels outside of the two innermost.
static void outer_levels(emitter *e, uint32_t level) {
  if (level < 2) {
    in_mode(e);
    return;
  }
  loop l = emit_begin(e, EMIT_NO_LEVEL, emit_i64(e, 0), emit_i64(e, e->s->kept[level]), 1);
  for (uint32_t p = 0; p < e->s->n_places; p++) {
    const int64_t stride = e->s->outer[p * e->s->n_kept + level];
    if (stride == 0) continue;
    value by = LLVMBuildMul(e->b, l.i, emit_i64(e, (uint64_t)stride), "");
    e->at[p] = e->s->places[p].array == LOOP_NONE ? LLVMBuildAdd(e->b, e->at[p], by, "")
                                                  : emit_offset(e, e->at[p], by);
  }
  outer_levels(e, level - 1);
  emit_end(e, &l);
}

void emit_fixed_nest(emitter *e, const region_step *r) {
  const jit_shape *s = r->shape;
  value state[REGION_STATES] = {NULL};
  e->lanes = 1;
  e->mask = e->place = NULL;
  e->shared_used = 0;
  for (uint32_t l = 0; l < JIT_LEVELS; l++) {
    const size_t kept = l < s->n_kept ? s->kept[l] : 1;
    e->extent[l] = emit_i64(e, l < 2 ? kept : l - 2 < s->n_reduced ? s->reduced[l - 2] : 1);
  }
  for (uint32_t p = 0; p < s->n_places; p++) {
    const jit_place *q = &s->places[p];
    for (uint32_t l = 0; l < JIT_LEVELS; l++)
      e->stride[p * JIT_LEVELS + l] = emit_i64(e, (uint64_t)s->stride[p * JIT_LEVELS + l]);
    value offset = emit_i64(e, (uint64_t)s->offset[p]);
    if (q->array == LOOP_NONE) {
      e->at[p] = offset;
      continue;
    }
    if (r->packed && r->packed[p]) {
      e->at[p] = e->matrix[r->packed[p] - 1];
      continue;
    }
    const region_place *at = &r->at[q->array];
    e->at[p] =
        emit_offset(e, e->buf[at->buf], LLVMBuildAdd(e->b, emit_i64(e, at->offset), offset, ""));
  }
  find_still(e);
  emit_section(e, LOOP_HEAD, EMIT_ALL);
  e->state = s->mode == JIT_EACH ? NULL : state;
  e->registers = r->unrolled ? state : NULL;
  if (r->unrolled)
    emit_straight(e);
  else
    outer_levels(e, s->n_kept > 0 ? s->n_kept - 1 : 0);
  e->registers = e->state = NULL;
}
