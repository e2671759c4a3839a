// The function of a region: the plan's steps, one after the other.
//
//   region(call):
//     where the buffers are; small ones in the function's memory
//     loop:  condition's steps; if not: out
//            body's steps; to the loop
//     small buffers that live on go back
#include "cpu/jit/emit.h"

#include <stddef.h>

typedef LLVMValueRef value;

static value argument(emitter *e, LLVMTypeRef type, size_t offset) {
  return emit_load(e, type, emit_offset(e, LLVMGetParam(e->fn, 0), emit_i64(e, offset)), 8);
}

static value at_place(emitter *e, region_place p) {
  return emit_offset(e, e->buf[p.buf], emit_i64(e, p.offset));
}

static LLVMTypeRef unit_of(emitter *e, size_t bytes) {
  return bytes % 8 == 0 ? e->i64 : bytes % 4 == 0 ? e->i32 : bytes % 2 == 0 ? e->i16 : e->i8;
}

// `size` bytes in units of `element` where they are few, else by cache lines. No bytes overlap.
static void copy(emitter *e, value from, value to, size_t size, size_t element) {
  enum { LINE = 64 };
  LLVMTypeRef line = LLVMVectorType(e->i8, LINE), unit = unit_of(e, element | size);
  size_t at = 0;
  if (size > 4 * (size_t)LINE) {
    const uint64_t whole = size / LINE * LINE;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->b),
                      body = LLVMAppendBasicBlockInContext(e->cx, e->fn, ""),
                      exit = LLVMAppendBasicBlockInContext(e->cx, e->fn, "");
    LLVMBuildBr(e->b, body);
    LLVMPositionBuilderAtEnd(e->b, body);
    value i = LLVMBuildPhi(e->b, e->i64, ""), zero = emit_i64(e, 0);
    emit_store(e, emit_load(e, line, emit_offset(e, from, i), 1), emit_offset(e, to, i), 1);
    value next = LLVMBuildAdd(e->b, i, emit_i64(e, LINE), "");
    LLVMAddIncoming(i, (value[]){zero, next}, (LLVMBasicBlockRef[]){before, body}, 2);
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntULT, next, emit_i64(e, whole), ""), body,
                    exit);
    LLVMPositionBuilderAtEnd(e->b, exit);
    at = whole;
  }
  const size_t step = LLVMGetIntTypeWidth(unit) / 8;
  for (; at < size; at += step) {
    value by = emit_i64(e, at);
    emit_store(e, emit_load(e, unit, emit_offset(e, from, by), (uint32_t)step),
               emit_offset(e, to, by), (uint32_t)step);
  }
}

// A transposed copy of a matrix.
static value transposed(emitter *e, const region_matrix *m) {
  LLVMTypeRef unit = unit_of(e, m->element);
  value to = emit_slot(e, LLVMArrayType2(e->i8, m->rows * m->columns * m->element), 1);
  value from = at_place(e, m->from), zero = emit_i64(e, 0), size = emit_i64(e, m->element);
  emit_loop row = emit_begin(e, EMIT_NO_LEVEL, zero, emit_i64(e, m->rows), 1);
  value in = emit_offset(e, from, LLVMBuildMul(e->b, row.i, emit_i64(e, m->row_stride), "")),
        out = emit_offset(e, to, LLVMBuildMul(e->b, row.i, size, ""));
  emit_loop column = emit_begin(e, EMIT_NO_LEVEL, zero, emit_i64(e, m->columns), 1);
  value x =
      emit_load(e, unit, emit_offset(e, in, LLVMBuildMul(e->b, column.i, size, "")), m->element);
  value by = LLVMBuildMul(e->b, column.i, emit_i64(e, m->rows * m->element), "");
  emit_store(e, x, emit_offset(e, out, by), m->element);
  emit_end(e, &column);
  emit_end(e, &row);
  return to;
}

static void steps(emitter *e, uint32_t from, uint32_t to);

static void emit_while(emitter *e, const region_step *s) {
  LLVMBasicBlockRef head = LLVMAppendBasicBlockInContext(e->cx, e->fn, ""),
                    body = LLVMAppendBasicBlockInContext(e->cx, e->fn, ""),
                    exit = LLVMAppendBasicBlockInContext(e->cx, e->fn, "");
  LLVMBuildBr(e->b, head);
  LLVMPositionBuilderAtEnd(e->b, head);
  steps(e, s->body[0], s->body[1]);
  value pred = emit_load(e, e->i8, at_place(e, s->at[0]), 1);
  value again = LLVMBuildICmp(e->b, LLVMIntNE, pred, LLVMConstInt(e->i8, 0, false), "");
  if (s->checked) {
    value at = argument(e, e->ptr, offsetof(region_call, failed)),
          failed = emit_load(e, e->i8, at, 1);
    LLVMSetVolatile(failed, true);
    value good = LLVMBuildICmp(e->b, LLVMIntEQ, failed, LLVMConstInt(e->i8, 0, false), "");
    again = LLVMBuildAnd(e->b, again, good, "");
  }
  LLVMBuildCondBr(e->b, again, body, exit);
  LLVMPositionBuilderAtEnd(e->b, body);
  steps(e, s->body[1], s->body[2]);
  LLVMBuildBr(e->b, head);
  LLVMPositionBuilderAtEnd(e->b, exit);
}

static void branch(emitter *e, const region_step *s, uint32_t k, LLVMBasicBlockRef at,
                   LLVMBasicBlockRef exit) {
  LLVMPositionBuilderAtEnd(e->b, at);
  steps(e, s->body[k], s->body[k + 1]);
  LLVMBuildBr(e->b, exit);
}

// A predicate takes branch 0 where it is true; an index out of range takes the last one.
static void emit_switch(emitter *e, const region_step *s) {
  const bool predicate = s->size == 1;
  const uint32_t last = s->n_body - 1;
  LLVMTypeRef type = predicate ? e->i8 : e->i32;
  value index = emit_load(e, type, at_place(e, s->at[0]), (uint32_t)s->size);
  LLVMBasicBlockRef exit = LLVMAppendBasicBlockInContext(e->cx, e->fn, ""),
                    otherwise = LLVMAppendBasicBlockInContext(e->cx, e->fn, "");
  if (predicate)
    index = LLVMBuildZExt(
        e->b, LLVMBuildICmp(e->b, LLVMIntNE, index, LLVMConstInt(e->i8, 0, false), ""), e->i8, "");
  value choice = LLVMBuildSwitch(e->b, index, otherwise, s->n_body);
  for (uint32_t k = 0; k < last; k++) {
    LLVMBasicBlockRef at = LLVMAppendBasicBlockInContext(e->cx, e->fn, "");
    LLVMAddCase(choice, LLVMConstInt(type, predicate ? 1 : k, false), at);
    branch(e, s, k, at, exit);
  }
  branch(e, s, last, otherwise, exit);
  LLVMPositionBuilderAtEnd(e->b, exit);
}

static void call_step(emitter *e, uint32_t number) {
  LLVMTypeRef types[] = {e->ptr, e->i64};
  LLVMTypeRef t = LLVMFunctionType(LLVMVoidTypeInContext(e->cx), types, 2, false);
  value f = argument(e, e->ptr, offsetof(region_call, step));
  LLVMBuildCall2(e->b, t, f, (value[]){LLVMGetParam(e->fn, 0), emit_i64(e, number)}, 2, "");
}

static void nest(emitter *e, uint32_t number) {
  const region_step *s = &e->region->steps[number];
  e->s = s->shape;
  e->n = s->shape->nest;
  e->call = emit_offset(e, argument(e, e->ptr, offsetof(region_call, nests)),
                        emit_i64(e, number * sizeof(jit_call)));
  emit_fixed_nest(e, s);
}

static void steps(emitter *e, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i < to && !e->failed; i++) {
    const region_step *s = &e->region->steps[i];
    switch (s->kind) {
    case REGION_NEST:
      nest(e, i);
      break;
    case REGION_COPY:
      copy(e, at_place(e, s->at[0]), at_place(e, s->at[1]), s->size,
           e->region->bufs[s->at[0].buf].element);
      break;
    case REGION_CALL:
      call_step(e, i);
      break;
    case REGION_WHILE:
      emit_while(e, s);
      i = s->body[s->n_body] - 1;
      break;
    case REGION_SWITCH:
      emit_switch(e, s);
      i = s->body[s->n_body] - 1;
      break;
    case REGION_NOTHING:
      break;
    }
  }
}

void emit_region(emitter *e) {
  static const jit_shape no_places;
  const jit_region *r = e->region;
  e->s = &no_places;
  value bases = argument(e, e->ptr, offsetof(region_call, base)),
        numbers = argument(e, e->ptr, offsetof(region_call, buf));
  e->fixed = true;
  for (uint32_t i = 0; i < r->n_bufs; i++) {
    value number = emit_load(e, e->i32, emit_offset(e, numbers, emit_i64(e, 4 * (uint64_t)i)), 4);
    value at = LLVMBuildMul(e->b, LLVMBuildZExt(e->b, number, e->i64, ""), emit_i64(e, 8), "");
    e->buf[i] = emit_load(e, e->ptr, emit_offset(e, bases, at), 8);
  }
  LLVMBasicBlockRef begins = LLVMAppendBasicBlockInContext(e->cx, e->fn, "");
  LLVMBuildBr(e->b, begins);
  LLVMPositionBuilderAtEnd(e->b, begins);
  for (uint32_t i = 0; i < r->n_bufs; i++) {
    const region_buf *b = &r->bufs[i];
    if (!b->own) continue;
    e->outside[i] = e->buf[i];
    e->buf[i] = emit_slot(e, LLVMArrayType2(e->i8, b->size), 1);
    if (b->enters) copy(e, e->outside[i], e->buf[i], b->size, b->element);
  }
  for (uint32_t i = 0; i < r->n_matrices; i++)
    e->matrix[i] = transposed(e, &r->matrices[i]);
  steps(e, 0, r->n_steps);
  for (uint32_t i = 0; i < r->n_bufs; i++)
    if (r->bufs[i].own && r->bufs[i].leaves)
      copy(e, e->buf[i], e->outside[i], r->bufs[i].size, r->bufs[i].element);
  LLVMBuildRetVoid(e->b);
}
