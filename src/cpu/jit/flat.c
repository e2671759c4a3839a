// Nests whose rows are shorter than a vector: JIT_FLAT.
//
// Rows of 3 elements fill a fifth of a vector of 16. But what is written lies row after row, so 16
// rows are 3 vectors of it:
//
//     row      0  0  0  1  1  1  2 ...
//     column   0  1  2  0  1  2  0 ...      element k of vector j: (j * 16 + k) / 3 and % 3
//
// An instruction moves with rows and columns, and is made for each of the vectors; with rows alone,
// and is one vector of 16 rows, of which an element's is a permutation; or stands still. The last
// rows are done under masks.
#include "cpu/jit/emit.h"

typedef LLVMValueRef value;

typedef struct emit_flat {
  bool rows;       // what is emitted moves with rows alone
  uint32_t vector; // else: which of the vectors it is
} flat;

static uint32_t place_of(const emitter *e, uint32_t inst) { return e->s->place[inst]; }

// Along which level an instruction moves: 0, 1, or EMIT_NO_LEVEL.
static uint32_t level_of(const emitter *e, uint32_t inst, const uint8_t *levels) {
  const loop_inst *i = &e->n->insts[inst];
  uint32_t level = EMIT_NO_LEVEL;
  if (place_of(e, inst) != LOOP_NONE) {
    const jit_place *q = &e->s->places[place_of(e, inst)];
    if (q->step[0] != JIT_STILL) return 0;
    if (q->step[1] != JIT_STILL) level = 1;
  }
  if (i->kind == LOOP_STORE) return 0;
  for (int k = 0; k < 3; k++)
    if (i->arg[k] != LOOP_NONE && levels[i->arg[k]] < level) level = levels[i->arg[k]];
  return level;
}

static value numbers(emitter *e, LLVMTypeRef t, uint32_t (*f)(const emitter *e, uint32_t lane)) {
  value all[JIT_SUM_LANES];
  for (uint32_t k = 0; k < e->lanes; k++)
    all[k] = LLVMConstInt(t, f(e, k), false);
  return LLVMConstVector(all, e->lanes);
}
static uint32_t element_of(const emitter *e, uint32_t lane) {
  return e->flat->vector * e->lanes + lane;
}
static uint32_t row_of(const emitter *e, uint32_t lane) {
  return e->flat->rows ? lane : element_of(e, lane) / e->s->columns;
}
static uint32_t column_of(const emitter *e, uint32_t lane) {
  return e->flat->rows ? 0 : element_of(e, lane) % e->s->columns;
}

static value permuted(emitter *e, value x, uint32_t (*f)(const emitter *e, uint32_t lane)) {
  return LLVMBuildShuffleVector(e->b, x, LLVMGetPoison(LLVMTypeOf(x)), numbers(e, e->i32, f), "");
}

value emit_flat_get(emitter *e, uint16_t inst) {
  value v = e->val[inst];
  const bool wide = emit_is_vector(v);
  return !wide || e->flat->rows || !e->still[inst] ? v : permuted(e, v, row_of);
}

value emit_flat_address(emitter *e, value base, uint32_t size) {
  const uint64_t by = e->flat->rows ? 0 : (uint64_t)e->flat->vector * e->lanes * size;
  return emit_offset(e, base, LLVMConstInt(e->i64, by, false));
}

// What lies along a level, as steps of it: bytes, or of an index numbers.
static value steps(emitter *e, uint32_t p, uint32_t level,
                   uint32_t (*f)(const emitter *e, uint32_t lane)) {
  const jit_place *q = &e->s->places[p];
  value n = numbers(e, e->i64, f), by = e->stride[p * JIT_LEVELS + level];
  if (q->step[level] == JIT_STILL) return LLVMConstNull(LLVMTypeOf(n));
  if (q->step[level] == JIT_NEXT) by = LLVMConstInt(e->i64, q->size, false);
  if (q->step[level] == JIT_DENSE) by = LLVMConstInt(e->i64, q->size * e->s->columns, false);
  return LLVMBuildMul(e->b, n, emit_splat(e, by), "");
}
static value offsets(emitter *e, uint32_t p) {
  value down = steps(e, p, 1, row_of);
  return e->flat->rows ? down : LLVMBuildAdd(e->b, down, steps(e, p, 0, column_of), "");
}

value emit_flat_index(emitter *e, uint32_t p) {
  return LLVMBuildAdd(e->b, emit_splat(e, e->at[p]), offsets(e, p), "");
}

value emit_flat_load(emitter *e, uint32_t p, LLVMTypeRef scalar, value base) {
  const jit_place *q = &e->s->places[p];
  const uint8_t along = q->step[0], down = q->step[1];
  if (e->flat->rows ? down == JIT_NEXT : down == JIT_DENSE)
    return emit_masked_load(e, scalar, emit_flat_address(e, base, q->size), q->size, e->mask);
  if (down == JIT_STILL) { // the same for every row
    value row = LLVMGetPoison(emit_wide(e, scalar));
    for (uint32_t c = 0; c < e->s->columns; c++) {
      value by = LLVMConstInt(e->i64, c * q->size, false);
      if (along != JIT_NEXT)
        by = LLVMBuildMul(e->b, e->stride[p * JIT_LEVELS], LLVMConstInt(e->i64, c, false), "");
      row =
          LLVMBuildInsertElement(e->b, row, emit_load(e, scalar, emit_offset(e, base, by), q->size),
                                 LLVMConstInt(e->i32, c, false), "");
    }
    return permuted(e, row, column_of);
  }
  LLVMTypeRef wide = emit_wide(e, scalar);
  LLVMTypeRef types[] = {wide, LLVMVectorType(e->ptr, e->lanes)};
  return emit_intrinsic(e, "llvm.masked.gather", types, 2,
                        (value[]){emit_offset(e, base, offsets(e, p)),
                                  LLVMConstInt(e->i32, q->size, false), e->mask,
                                  LLVMConstNull(wide)},
                        4);
}

static void section(emitter *e, const uint8_t *levels, uint32_t level) {
  for (uint32_t i = 0; i < e->n->n_insts; i++)
    if (e->n->insts[i].section == LOOP_TAIL && levels[i] == level) emit_inst(e, i);
}

static value below(emitter *e, value n, uint32_t from) { // from + lane < n
  value at = LLVMBuildAdd(e->b, emit_iota(e, e->i32), emit_int(e, e->i32, from), "");
  return LLVMBuildICmp(e->b, LLVMIntULT, at, emit_splat(e, n), "");
}

void emit_flat(emitter *e) {
  const jit_shape *s = e->s;
  uint8_t levels[JIT_FLAT_INSTS];
  flat f = {.rows = true};
  for (uint32_t i = 0; i < e->n->n_insts; i++) {
    levels[i] = (uint8_t)level_of(e, i, levels);
    e->still[i] = levels[i] != 0;
  }
  section(e, levels, EMIT_NO_LEVEL);
  emit_loop l = emit_begin(e, 1, LLVMConstInt(e->i64, 0, false), e->extent[1], s->lanes);
  value left = LLVMBuildSub(e->b, e->extent[1], l.i, ""), most = LLVMConstInt(e->i64, s->lanes, 0);
  e->flat = &f;
  left = emit_select(e, LLVMBuildICmp(e->b, LLVMIntULT, left, most, ""), left, most);
  left = LLVMBuildTrunc(e->b, left, e->i32, "");
  e->lanes = s->lanes;
  e->mask = below(e, left, 0);
  section(e, levels, 1);
  f.rows = false;
  value elements = LLVMBuildMul(e->b, left, LLVMConstInt(e->i32, s->columns, false), "");
  for (f.vector = 0; f.vector < s->columns; f.vector++) {
    e->mask = below(e, elements, f.vector * s->lanes);
    section(e, levels, 0);
  }
  e->flat = NULL;
  emit_end(e, &l);
}
