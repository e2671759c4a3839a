// Types, constants and single operations of the emitter.
#include "cpu/jit/emit.h"

#include <string.h>

#include "base/half.h"

LLVMTypeRef emit_scalar_type(const emitter *e, tl_reg r) {
  switch (r) {
  case TL_REG_I1:
    return e->i1;
  case TL_REG_S8:
  case TL_REG_U8:
    return e->i8;
  case TL_REG_S16:
  case TL_REG_U16:
    return e->i16;
  case TL_REG_S32:
  case TL_REG_U32:
    return e->i32;
  case TL_REG_F32:
    return e->f32;
  case TL_REG_F64:
    return e->f64;
  default:
    return e->i64;
  }
}

LLVMTypeRef emit_wide(const emitter *e, LLVMTypeRef t) {
  return e->lanes == 1 ? t : LLVMVectorType(t, e->lanes);
}

LLVMValueRef emit_iota(emitter *e, LLVMTypeRef t) {
  LLVMValueRef all[64];
  for (uint32_t i = 0; i < e->lanes; i++)
    all[i] = LLVMConstInt(t, i, false);
  return LLVMConstVector(all, e->lanes);
}

LLVMValueRef emit_splat(const emitter *e, LLVMValueRef x) {
  if (e->lanes == 1) return x;
  if (LLVMIsConstant(x)) {
    LLVMValueRef all[64];
    for (uint32_t i = 0; i < e->lanes; i++)
      all[i] = x;
    return LLVMConstVector(all, e->lanes);
  }
  LLVMTypeRef t = LLVMVectorType(LLVMTypeOf(x), e->lanes);
  LLVMValueRef one =
      LLVMBuildInsertElement(e->b, LLVMGetPoison(t), x, LLVMConstInt(e->i64, 0, false), "");
  return LLVMBuildShuffleVector(e->b, one, LLVMGetPoison(t),
                                LLVMConstNull(LLVMVectorType(e->i32, e->lanes)), "");
}

LLVMValueRef emit_int(const emitter *e, LLVMTypeRef scalar, uint64_t bits) {
  return emit_splat(e, LLVMConstInt(scalar, bits, false));
}

LLVMValueRef emit_bits(const emitter *e, tl_reg r, uint64_t bits) {
  if (r == TL_REG_F32)
    return emit_splat(e, LLVMConstBitCast(LLVMConstInt(e->i32, (uint32_t)bits, false), e->f32));
  if (r == TL_REG_F64)
    return emit_splat(e, LLVMConstBitCast(LLVMConstInt(e->i64, bits, false), e->f64));
  return emit_int(e, emit_scalar_type(e, r), r == TL_REG_I1 ? (bits & 0xff) != 0 : bits);
}

LLVMValueRef emit_f32(const emitter *e, float x) {
  return emit_bits(e, TL_REG_F32, tl_bits_of_f32(x));
}

LLVMValueRef emit_intrinsic(emitter *e, const char *name, LLVMTypeRef *types, uint32_t n_types,
                            LLVMValueRef *args, uint32_t n_args) {
  const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMValueRef f = LLVMGetIntrinsicDeclaration(e->module, id, types, n_types);
  LLVMTypeRef t = LLVMIntrinsicGetType(e->cx, id, types, n_types);
  return LLVMBuildCall2(e->b, t, f, args, n_args, "");
}

LLVMValueRef emit_unary(emitter *e, const char *name, LLVMValueRef x) {
  LLVMTypeRef t = LLVMTypeOf(x);
  return emit_intrinsic(e, name, &t, 1, &x, 1);
}

LLVMValueRef emit_fma(emitter *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c) {
  LLVMTypeRef t = LLVMTypeOf(a);
  return emit_intrinsic(e, "llvm.fma", &t, 1, (LLVMValueRef[]){a, b, c}, 3);
}

LLVMValueRef emit_cast(const emitter *e, LLVMValueRef x, LLVMTypeRef scalar) {
  return LLVMBuildBitCast(e->b, x, emit_wide(e, scalar), "");
}

LLVMValueRef emit_select(const emitter *e, LLVMValueRef c, LLVMValueRef x, LLVMValueRef y) {
  return LLVMBuildSelect(e->b, c, x, y, "");
}

// As tl_bf16_of_f32, still in the upper half: (u + 0x7fff + bit 16), or the quieted NaN.
LLVMValueRef emit_round_bf16(emitter *e, LLVMValueRef x) {
  LLVMValueRef u = emit_cast(e, x, e->i32), high = emit_int(e, e->i32, 0xffff0000u),
               odd = LLVMBuildAnd(e->b, LLVMBuildLShr(e->b, u, emit_int(e, e->i32, 16), ""),
                                  emit_int(e, e->i32, 1), ""),
               r = LLVMBuildAdd(e->b, LLVMBuildAdd(e->b, u, emit_int(e, e->i32, 0x7fff), ""), odd,
                                ""),
               quiet = LLVMBuildOr(e->b, u, emit_int(e, e->i32, 0x400000), "");
  return LLVMBuildAnd(e->b, emit_select(e, LLVMBuildFCmp(e->b, LLVMRealUNO, x, x, ""), quiet, r),
                      high, "");
}

static LLVMValueRef own_slot(emitter *e, LLVMTypeRef type, size_t count) {
  LLVMBasicBlockRef here = LLVMGetInsertBlock(e->b);
  LLVMPositionBuilder(e->b, e->entry, LLVMGetFirstInstruction(e->entry));
  LLVMValueRef p = count == 1
                       ? LLVMBuildAlloca(e->b, type, "")
                       : LLVMBuildArrayAlloca(e->b, type, LLVMConstInt(e->i64, count, false), "");
  LLVMSetAlignment(p, 64);
  LLVMPositionBuilderAtEnd(e->b, here);
  return p;
}

LLVMValueRef emit_slot(emitter *e, LLVMTypeRef type, size_t count) {
  enum { LARGE = 256, SHARED = 64 << 10 }; // elements; bytes
  if (!e->fixed || count < LARGE) return own_slot(e, type, count);
  if (!e->shared) e->shared = own_slot(e, e->i8, SHARED);
  const size_t at = e->shared_used;
  e->shared_used += tl_round_up(count * 8, 64);
  if (e->shared_used > SHARED) e->failed = "states are too many";
  LLVMValueRef by = LLVMConstInt(e->i64, at, false);
  return LLVMBuildGEP2(e->b, e->i8, e->shared, &by, 1, "");
}
