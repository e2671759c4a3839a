// exp, log, tanh and logistic: cpu/kernels/v16_math.h in LLVM IR, operation by operation, so that
// every lane has the bits of the scalar functions in ref/elementary.h.
#include <math.h>

#include "cpu/jit/emit.h"
#include "ref/elementary.h"

#define ADD(x, y) LLVMBuildFAdd(e->b, x, y, "")
#define SUB(x, y) LLVMBuildFSub(e->b, x, y, "")
#define MUL(x, y) LLVMBuildFMul(e->b, x, y, "")
#define DIV(x, y) LLVMBuildFDiv(e->b, x, y, "")
#define FMA(x, y, z) emit_fma(e, x, y, z)
#define NUM(x) emit_f32(e, x)
#define CMP(how, x, y) LLVMBuildFCmp(e->b, LLVMReal##how, x, y, "")
#define SELECT(c, x, y) emit_select(e, c, x, y)
#define INT(u) emit_int(e, e->i32, u)
#define IADD(x, y) LLVMBuildAdd(e->b, x, y, "")
#define ISUB(x, y) LLVMBuildSub(e->b, x, y, "")
#define SHL(x, n) LLVMBuildShl(e->b, x, INT(n), "")
#define SAR(x, n) LLVMBuildAShr(e->b, x, INT(n), "")
#define BITS(x) emit_cast(e, x, e->i32)
#define OF_BITS(x) emit_cast(e, x, e->f32)

// Elements [from, from + n) of a, or of a and b one behind the other.
static LLVMValueRef part(emitter *e, LLVMValueRef a, LLVMValueRef b, uint32_t from, uint32_t n) {
  LLVMValueRef pick[64];
  for (uint32_t k = 0; k < n; k++)
    pick[k] = LLVMConstInt(e->i32, from + k, false);
  return LLVMBuildShuffleVector(e->b, a, b ? b : LLVMGetPoison(LLVMTypeOf(a)),
                                LLVMConstVector(pick, n), "");
}

// p 2^n, rounded once, of 16, 32 or 64 lanes.
static LLVMValueRef scaled(emitter *e, LLVMValueRef p, LLVMValueRef n, uint32_t lanes) {
  if (lanes == 16)
    return emit_intrinsic(e, "llvm.x86.avx512.mask.scalef.ps.512", NULL, 0,
                          (LLVMValueRef[]){p, n, p, LLVMConstInt(e->i16, 0xffff, false),
                                           LLVMConstInt(e->i32, 4, false)}, // as the mode says
                          5);
  const uint32_t half = lanes / 2;
  return part(e, scaled(e, part(e, p, NULL, 0, half), part(e, n, NULL, 0, half), half),
              scaled(e, part(e, p, NULL, half, half), part(e, n, NULL, half, half), half), 0,
              lanes);
}

LLVMValueRef emit_exp(emitter *e, LLVMValueRef x) {
  x = SELECT(CMP(OGT, x, NUM(89.0f)), NUM(89.0f), x);
  const bool scales = e->s->avx512 && (e->lanes == 16 || e->lanes == 32 || e->lanes == 64);
  LLVMValueRef least = NUM(scales ? TL_EXP_SCALED_LEAST_F32 : TL_EXP_LEAST_F32);
  x = SELECT(CMP(OLT, x, least), least, x);
  LLVMValueRef round = NUM(TL_ROUND_F32), one = NUM(1.0f);
  LLVMValueRef t = FMA(x, NUM(TL_LOG2E_F32), round), n = SUB(t, round);
  LLVMValueRef r = FMA(n, NUM(-TL_LN2_LO_F32), FMA(n, NUM(-TL_LN2_HI_F32), x));
  LLVMValueRef p = NUM(0.0f);
#define C(c) p = FMA(p, r, NUM(c));
  TL_EXP_COEFFICIENTS(C)
#undef C
  p = FMA(p, r, one);
  p = FMA(p, r, one);
  if (scales) return scaled(e, p, n, e->lanes);
  LLVMValueRef i = ISUB(BITS(t), BITS(round)), half = SAR(i, 1);
  LLVMValueRef a = OF_BITS(SHL(IADD(half, INT(127)), 23)),
               b = OF_BITS(SHL(IADD(ISUB(i, half), INT(127)), 23));
  return MUL(MUL(p, a), b);
}

LLVMValueRef emit_log(emitter *e, LLVMValueRef x) {
  LLVMValueRef zero = NUM(0.0f), tiny = CMP(OLT, x, NUM(0x1p-126f));
  LLVMValueRef u = BITS(SELECT(tiny, MUL(x, NUM(0x1p23f)), x));
  LLVMValueRef i = SAR(ISUB(u, INT(0x3f3504f3u)), 23), m = OF_BITS(ISUB(u, SHL(i, 23)));
  LLVMValueRef n =
      SUB(LLVMBuildSIToFP(e->b, i, emit_wide(e, e->f32), ""), SELECT(tiny, NUM(23.0f), zero));
  LLVMValueRef f = SUB(m, NUM(1.0f)), z = MUL(f, f), p = zero;
#define C(c) p = FMA(p, f, NUM(c));
  TL_LOG_COEFFICIENTS(C)
#undef C
  LLVMValueRef t = FMA(MUL(f, z), p, MUL(n, NUM(TL_LN2_LO_F32)));
  LLVMValueRef y = FMA(n, NUM(TL_LN2_HI_F32), ADD(f, FMA(z, NUM(-0.5f), t)));
  y = SELECT(CMP(OLT, x, NUM(INFINITY)), y, ADD(x, x));
  y = SELECT(CMP(OEQ, x, zero), NUM(-INFINITY), y);
  return SELECT(CMP(OLT, x, zero), OF_BITS(INT(0x7fc00000u)), y);
}

LLVMValueRef emit_tanh(emitter *e, LLVMValueRef x) {
  LLVMValueRef one = NUM(1.0f), a = emit_unary(e, "llvm.fabs", x), u = MUL(x, x), p = NUM(0.0f);
#define C(c) p = FMA(p, u, NUM(c));
  TL_TANH_COEFFICIENTS(C)
#undef C
  LLVMValueRef small = FMA(MUL(x, u), p, x);
  LLVMValueRef large = SUB(one, DIV(NUM(2.0f), ADD(emit_exp(e, ADD(a, a)), one)));
  LLVMValueRef y = BITS(SELECT(CMP(OGE, a, NUM(TL_TANH_SMALL_F32)), large, small));
  LLVMValueRef sign = LLVMBuildAnd(e->b, BITS(x), INT(0x80000000u), "");
  return OF_BITS(LLVMBuildOr(e->b, y, sign, ""));
}

LLVMValueRef emit_logistic(emitter *e, LLVMValueRef x) {
  LLVMValueRef one = NUM(1.0f);
  return DIV(one, ADD(one, emit_exp(e, LLVMBuildFNeg(e->b, x, ""))));
}
