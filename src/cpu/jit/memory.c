// Memory: where the elements of a load or a store lie, from their place's address and strides, and
// what they are in a register. Next to one another, they are a vector; few apart, they are picked
// out of whole vectors (the last ones, under a mask, are gathered); else by gathers or one by one.
#include "cpu/jit/emit.h"

#include <stddef.h>
#include <stdio.h>

typedef LLVMValueRef value;

value emit_offset(emitter *e, value p, value bytes) {
  return LLVMBuildGEP2(e->b, e->i8, p, &bytes, 1, "");
}

// The address of element i behind p: as one of elements, which an instruction can scale.
value emit_element(emitter *e, value p, value i, uint32_t size) {
  if (size & (size - 1) || size > 8)
    return emit_offset(e, p, LLVMBuildMul(e->b, i, emit_i64(e, size), ""));
  return LLVMBuildGEP2(e->b, LLVMIntTypeInContext(e->cx, 8 * size), p, &i, 1, "");
}

// --- types ---

LLVMTypeRef emit_memory_type(emitter *e, tl_reg r) { // a register's, in memory
  return r == TL_REG_I1 ? e->i8 : emit_scalar_type(e, r);
}
value emit_from_memory(emitter *e, tl_reg r, value x) {
  return r == TL_REG_I1 ? LLVMBuildICmp(e->b, LLVMIntNE, x, LLVMConstNull(LLVMTypeOf(x)), "") : x;
}
value emit_to_memory(emitter *e, tl_reg r, value x) {
  return r == TL_REG_I1 ? LLVMBuildZExt(e->b, x, emit_wide(e, e->i8), "") : x;
}
static uint32_t bytes_of(const emitter *e, LLVMTypeRef scalar) {
  if (scalar == e->f16) return 2;
  if (scalar == e->f32) return 4;
  if (scalar == e->f64) return 8;
  return LLVMGetIntTypeWidth(scalar) / 8;
}
uint32_t emit_reg_size(const emitter *e, tl_reg r) {
  return r == TL_REG_I1 ? 1 : bytes_of(e, emit_scalar_type(e, r));
}

value emit_load(emitter *e, LLVMTypeRef type, value p, uint32_t align) {
  value x = LLVMBuildLoad2(e->b, type, p, "");
  LLVMSetAlignment(x, align);
  return x;
}
void emit_store(emitter *e, value x, value p, uint32_t align) {
  LLVMSetAlignment(LLVMBuildStore(e->b, x, p), align);
}

// Byte offsets of the lanes of a strided or gathered access, from its address.
static value lane_offsets(emitter *e, const jit_place *q, uint32_t p, value dynamic) {
  const uint32_t level = emit_vector_level(e->s);
  value at = NULL;
  if (q->step[level] != JIT_STILL) {
    value stride = q->step[level] == JIT_NEXT ? emit_i64(e, q->size)
                   : q->few                   ? emit_i64(e, (uint64_t)q->few * q->size)
                                              : e->stride[p * JIT_LEVELS + level];
    at = LLVMBuildMul(e->b, emit_iota(e, e->i64), emit_splat(e, stride), "");
  }
  if (dynamic && emit_is_vector(dynamic)) {
    value by = LLVMBuildMul(e->b, dynamic, emit_int(e, e->i64, q->size), "");
    at = at ? LLVMBuildAdd(e->b, at, by, "") : by;
  }
  return at;
}

static value address(emitter *e, uint32_t p, value dynamic) {
  if (!dynamic || emit_is_vector(dynamic)) return e->at[p];
  value by = LLVMBuildMul(e->b, dynamic, emit_i64(e, e->s->places[p].size), "");
  return emit_offset(e, e->at[p], by);
}

value emit_masked_load(emitter *e, LLVMTypeRef scalar, value base, uint32_t align, value mask) {
  LLVMTypeRef wide = emit_wide(e, scalar), types[] = {wide, e->ptr};
  return emit_intrinsic(
      e, "llvm.masked.load", types, 2,
      (value[]){base, LLVMConstInt(e->i32, align, false), mask, LLVMConstNull(wide)}, 4);
}

// Elements from anywhere by an instruction, under a mask too.
bool emit_picks_at_once(const emitter *e, uint32_t size) { return e->s->avx512 && size >= 4; }

static value two_as_one(emitter *e, value x, value y, uint32_t n) { // n elements each
  value pick[64];
  for (uint32_t k = 0; k < 2 * n; k++)
    pick[k] = LLVMConstInt(e->i32, k, false);
  return LLVMBuildShuffleVector(e->b, x, y, LLVMConstVector(pick, 2 * n), "");
}

// A constant as a register that is loaded before the loop of vectors, once.
static value held(emitter *e, const char *name, value constant) {
  value there = LLVMGetNamedGlobal(e->module, name);
  if (!there) {
    there = LLVMAddGlobal(e->module, LLVMTypeOf(constant), name);
    LLVMSetInitializer(there, constant);
    LLVMSetGlobalConstant(there, true);
    LLVMSetLinkage(there, LLVMPrivateLinkage);
    LLVMSetAlignment(there, 64);
  }
  value end = LLVMGetBasicBlockTerminator(e->before);
  for (value i = end; i; i = LLVMGetPreviousInstruction(i))
    if (LLVMIsALoadInst(i) && LLVMGetOperand(i, 0) == there) return i;
  LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
  LLVMPositionBuilderBefore(e->b, end);
  value x = emit_load(e, LLVMTypeOf(constant), there, 64);
  LLVMSetVolatile(x, true); // else it is seen to be constant, and read where it is used
  LLVMPositionBuilderAtEnd(e->b, here);
  return x;
}

// Elements of two vectors, which are registers where the loop has a block before it: by the
// instruction itself then, for LLVM looks long for a better one.
static value picked(emitter *e, value x, value y, const char *name, const uint32_t *pick,
                    uint32_t n) {
  LLVMTypeRef t = LLVMTypeOf(x);
  const uint32_t size = bytes_of(e, LLVMGetElementType(t));
  const bool at_once = e->before && n * size == 64;
  value numbers[64];
  for (uint32_t k = 0; k < n; k++)
    numbers[k] = LLVMConstInt(at_once && size == 8 ? e->i64 : e->i32, pick[k], false);
  value all = LLVMConstVector(numbers, n);
  if (!at_once) return LLVMBuildShuffleVector(e->b, x, y, all, "");
  const char *op = t == LLVMVectorType(e->f64, n)   ? "llvm.x86.avx512.vpermi2var.pd.512"
                   : t == LLVMVectorType(e->f32, n) ? "llvm.x86.avx512.vpermi2var.ps.512"
                   : size == 8                      ? "llvm.x86.avx512.vpermi2var.q.512"
                                                    : "llvm.x86.avx512.vpermi2var.d.512";
  return emit_intrinsic(e, op, NULL, 0, (value[]){x, held(e, name, all), y}, 3);
}

// n elements that lie `few` apart: of whole vectors of n, the last of which ends with the last
// element, so that nothing behind it is read.
static value pick_apart(emitter *e, LLVMTypeRef scalar, value base, uint32_t few, uint32_t n) {
  const uint32_t size = bytes_of(e, scalar), last = (n - 1) * (few - 1); // where the last begins
  LLVMTypeRef wide = LLVMVectorType(scalar, n);
  value x = emit_load(e, wide, base, size);
  uint32_t pick[64];
  char name[64];
  for (uint32_t from = 0; from < last;) {
    const bool second = from == 0; // of the first nothing is picked yet
    from = TL_MIN(from + n, last);
    value y = emit_load(e, wide, emit_offset(e, base, emit_i64(e, (uint64_t)from * size)), size);
    for (uint32_t k = 0; k < n; k++) {
      const uint32_t f = k * few;
      pick[k] = f >= from ? n + TL_MIN(f - from, n - 1) : second ? f : k;
    }
    snprintf(name, sizeof name, "every %u of %u from %u%s", few, n, from, second ? " on" : "");
    x = picked(e, x, y, name, pick, n);
  }
  return x;
}

// As many as emission is wide, of a register each: LLVM makes little of the picking in wider ones.
static value load_apart(emitter *e, LLVMTypeRef scalar, value base, uint32_t few) {
  const uint32_t size = bytes_of(e, scalar), n = TL_MIN(e->lanes, 64 / size);
  value part[16];
  for (uint32_t k = 0; k < e->lanes / n; k++)
    part[k] = pick_apart(e, scalar, emit_offset(e, base, emit_i64(e, (uint64_t)k * n * few * size)),
                         few, n);
  for (uint32_t wide = n; wide < e->lanes; wide *= 2)
    for (uint32_t k = 0; k < e->lanes / wide / 2; k++)
      part[k] = two_as_one(e, part[2 * k], part[2 * k + 1], wide);
  return part[0];
}

static value load_elements(emitter *e, uint32_t p, LLVMTypeRef scalar, value dynamic) {
  const jit_place *q = &e->s->places[p];
  const uint32_t level = emit_vector_level(e->s), align = bytes_of(e, scalar);
  value base = address(e, p, dynamic);
  if (e->lanes == 1) return emit_load(e, scalar, base, align);
  if (e->flat) return emit_flat_load(e, p, scalar, base);
  const bool gathers = dynamic && emit_is_vector(dynamic);
  if (!gathers && q->step[level] == JIT_STILL)
    return emit_splat(e, emit_load(e, scalar, base, align));
  LLVMTypeRef wide = emit_wide(e, scalar);
  if (!gathers && q->step[level] == JIT_NEXT)
    return e->mask ? emit_masked_load(e, scalar, base, align, e->mask)
                   : emit_load(e, wide, base, align);
  const bool apart = !gathers && q->few;
  if (apart && !e->mask) return load_apart(e, scalar, base, q->few);
  value offsets = lane_offsets(e, q, p, dynamic), x = LLVMGetPoison(wide);
  if (apart || (gathers && emit_picks_at_once(e, align))) {
    LLVMTypeRef types[] = {wide, LLVMVectorType(e->ptr, e->lanes)};
    value all = e->mask ? e->mask : emit_splat(e, LLVMConstInt(e->i1, 1, false));
    return emit_intrinsic(e, "llvm.masked.gather", types, 2,
                          (value[]){emit_offset(e, base, offsets),
                                    LLVMConstInt(e->i32, align, false), all, LLVMConstNull(wide)},
                          4);
  }
  for (uint32_t k = 0; k < e->lanes; k++) {
    value lane = LLVMConstInt(e->i32, k, false), by;
    by = gathers ? LLVMBuildExtractElement(e->b, offsets, lane, "")
                 : LLVMBuildMul(e->b, e->stride[p * JIT_LEVELS + level], emit_i64(e, k), "");
    x = LLVMBuildInsertElement(e->b, x, emit_load(e, scalar, emit_offset(e, base, by), align), lane,
                               "");
  }
  return x;
}

static void store_elements(emitter *e, uint32_t p, LLVMTypeRef scalar, value dynamic, value x) {
  const jit_place *q = &e->s->places[p];
  const uint32_t level = emit_vector_level(e->s), align = bytes_of(e, scalar);
  value base = address(e, p, dynamic);
  if (e->flat) base = emit_flat_address(e, base, bytes_of(e, scalar));
  if (e->lanes == 1 || (q->step[level] == JIT_NEXT && !e->mask)) {
    emit_store(e, x, base, align);
    return;
  }
  if (q->step[level] == JIT_NEXT) {
    LLVMTypeRef types[] = {LLVMTypeOf(x), e->ptr};
    emit_intrinsic(e, "llvm.masked.store", types, 2,
                   (value[]){x, base, LLVMConstInt(e->i32, align, false), e->mask}, 4);
    return;
  }
  for (uint32_t k = 0; k < e->lanes; k++) {
    value lane = LLVMConstInt(e->i32, k, false);
    value by = LLVMBuildMul(e->b, e->stride[p * JIT_LEVELS + level], emit_i64(e, k), "");
    emit_store(e, LLVMBuildExtractElement(e->b, x, lane, ""), emit_offset(e, base, by), align);
  }
}

// --- instructions ---

// By the library: operands and result go through memory.
value emit_apply(emitter *e, uint32_t number, value *args, const tl_reg *regs, uint32_t n_args,
                 LLVMTypeRef result) {
  for (uint32_t k = 0; k < 4; k++)
    if (!e->buffers[k]) e->buffers[k] = emit_slot(e, e->i64, 64);
  for (uint32_t k = 0; k < n_args; k++)
    emit_store(e, emit_to_memory(e, regs[k], args[k]), e->buffers[k], 64);
  LLVMTypeRef types[] = {e->ptr, e->i64, e->ptr, e->ptr, e->ptr, e->ptr, e->i64};
  LLVMTypeRef t = LLVMFunctionType(LLVMVoidTypeInContext(e->cx), types, 7, false);
  value f =
      emit_load(e, e->ptr, emit_offset(e, e->call, emit_i64(e, offsetof(jit_call, apply))), 8);
  LLVMBuildCall2(e->b, t, f,
                 (value[]){e->call, emit_i64(e, number), e->buffers[0], e->buffers[1],
                           e->buffers[2], e->buffers[3], emit_i64(e, e->lanes)},
                 7, "");
  return emit_load(e, emit_wide(e, result), e->buffers[3], 64);
}

value emit_load_inst(emitter *e, uint32_t at, const loop_inst *i) {
  const uint32_t p = e->s->place[at];
  value dynamic = i->arg[0] == LOOP_NONE ? NULL : e->val[i->arg[0]];
  switch ((jit_memory)e->s->memory[at]) {
  case JIT_BF16: {
    value u = LLVMBuildZExt(e->b, load_elements(e, p, e->i16, dynamic), emit_wide(e, e->i32), "");
    return emit_cast(e, LLVMBuildShl(e->b, u, emit_int(e, e->i32, 16), ""), e->f32);
  }
  case JIT_F16:
    return LLVMBuildFPExt(e->b, load_elements(e, p, e->f16, dynamic), emit_wide(e, e->f32), "");
  case JIT_BYTE: {
    value x = load_elements(e, p, e->i8, dynamic);
    return emit_apply(e, at, &x, (tl_reg[]){TL_REG_U8}, 1, e->f32);
  }
  default:
    return emit_from_memory(e, i->type, load_elements(e, p, emit_memory_type(e, i->type), dynamic));
  }
}

// Whether an f32 is seen to be one that bf16 holds, so that nothing need be rounded.
static bool holds_bf16(const emitter *e, uint16_t at, int depth) {
  const loop_inst *i = &e->n->insts[at];
  if (i->kind == LOOP_LOAD) return e->s->memory[at] == JIT_BF16;
  if (i->kind != LOOP_SCALAR || depth == 0) return false;
  switch ((tl_scalar)i->op) {
  case TL_SCALAR_BF16:
    return true;
  case TL_SCALAR_NEG:
  case TL_SCALAR_ABS:
    return holds_bf16(e, i->arg[0], depth - 1);
  case TL_SCALAR_MAX:
  case TL_SCALAR_MIN:
    return holds_bf16(e, i->arg[0], depth - 1) && holds_bf16(e, i->arg[1], depth - 1);
  case TL_SCALAR_SELECT:
    return holds_bf16(e, i->arg[1], depth - 1) && holds_bf16(e, i->arg[2], depth - 1);
  default:
    return false;
  }
}

void emit_store_inst(emitter *e, uint32_t at, const loop_inst *i) {
  const uint32_t p = e->s->place[at];
  value x = emit_get(e, i->arg[0]), dynamic = i->arg[1] == LOOP_NONE ? NULL : e->val[i->arg[1]];
  switch ((jit_memory)e->s->memory[at]) {
  case JIT_BF16:
    x = holds_bf16(e, i->arg[0], 8) ? emit_cast(e, x, e->i32) : emit_round_bf16(e, x);
    x = LLVMBuildLShr(e->b, x, emit_int(e, e->i32, 16), "");
    store_elements(e, p, e->i16, dynamic, LLVMBuildTrunc(e->b, x, emit_wide(e, e->i16), ""));
    break;
  case JIT_F16:
    store_elements(e, p, e->f16, dynamic, LLVMBuildFPTrunc(e->b, x, emit_wide(e, e->f16), ""));
    break;
  case JIT_BYTE:
    x = emit_apply(e, at, &x, (tl_reg[]){TL_REG_F32}, 1, e->i8);
    store_elements(e, p, e->i8, dynamic, x);
    break;
  default:
    store_elements(e, p, emit_memory_type(e, i->type), dynamic, emit_to_memory(e, i->type, x));
  }
}

value emit_index_inst(emitter *e, uint32_t at) {
  const uint32_t p = e->s->place[at];
  const jit_place *q = &e->s->places[p];
  if (e->lanes == 1) return e->at[p];
  if (e->flat) return emit_flat_index(e, p);
  value first = emit_splat(e, e->at[p]), by = lane_offsets(e, q, p, NULL);
  return by ? LLVMBuildAdd(e->b, first, by, "") : first;
}
