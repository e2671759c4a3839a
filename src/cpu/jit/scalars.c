// The rows of cpu/kernels/scalars.def in LLVM IR: what cpu/kernels/scalars.inc computes, to the
// last bit (of a NaN only that it is one).
#include "cpu/jit/emit.h"

#include <math.h>
#include <stdio.h>

static bool is_float(tl_reg r) { return r == TL_REG_F32 || r == TL_REG_F64; }
static bool is_signed(tl_reg r) {
  return r == TL_REG_S8 || r == TL_REG_S16 || r == TL_REG_S32 || r == TL_REG_S64;
}
static uint32_t bits_of(tl_reg r) {
  switch (r) {
  case TL_REG_I1:
    return 1;
  case TL_REG_S8:
  case TL_REG_U8:
    return 8;
  case TL_REG_S16:
  case TL_REG_U16:
    return 16;
  case TL_REG_S32:
  case TL_REG_U32:
  case TL_REG_F32:
    return 32;
  default:
    return 64;
  }
}

typedef LLVMValueRef value;

#define CMP(how, x, y) LLVMBuildICmp(e->b, LLVMInt##how, x, y, "")
#define FCMP(how, x, y) LLVMBuildFCmp(e->b, LLVMReal##how, x, y, "")
#define SELECT(c, x, y) emit_select(e, c, x, y)

static value number(emitter *e, tl_reg r, int64_t n) { // of an integer type
  return emit_int(e, emit_scalar_type(e, r), (uint64_t)n);
}
static value one_of(emitter *e, tl_reg r) { // of a float type
  return emit_bits(e, r, r == TL_REG_F32 ? 0x3f800000u : 0x3ff0000000000000u);
}
static bool is_vector_of(value x) { return LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMVectorTypeKind; }
static LLVMTypeRef int_of(emitter *e, tl_reg r) { return r == TL_REG_F32 ? e->i32 : e->i64; }

// --- floats ---

// AVX-512's own instruction, which knows that -0 is below +0; NULL for widths that it does not
// have.
static value range(emitter *e, tl_reg r, value a, value b, bool max) {
  const bool wide = r == TL_REG_F64;
  const uint32_t bits = e->lanes * (wide ? 64 : 32);
  char name[48];
  if (!e->avx512 || (e->lanes > 1 && bits != 128 && bits != 256 && bits != 512)) return NULL;
  value how = LLVMConstInt(e->i32, max ? 5 : 4, false), now = LLVMConstInt(e->i32, 4, false);
  if (e->lanes > 1) {
    snprintf(name, sizeof name, "llvm.x86.avx512.mask.range.p%c.%u", wide ? 'd' : 's', bits);
    LLVMTypeRef mask = LLVMIntTypeInContext(e->cx, e->lanes < 8 ? 8 : e->lanes);
    value args[] = {a, b, how, LLVMGetPoison(LLVMTypeOf(a)), LLVMConstAllOnes(mask), now};
    return emit_intrinsic(e, name, NULL, 0, args, bits == 512 ? 6 : 5);
  }
  snprintf(name, sizeof name, "llvm.x86.avx512.mask.range.s%c", wide ? 'd' : 's');
  value none = LLVMGetPoison(LLVMVectorType(emit_scalar_type(e, r), wide ? 2 : 4)),
        first = LLVMConstInt(e->i32, 0, false);
  value x = LLVMBuildInsertElement(e->b, none, a, first, ""),
        y = LLVMBuildInsertElement(e->b, none, b, first, "");
  value args[] = {x, y, none, LLVMConstAllOnes(e->i8), how, now};
  return LLVMBuildExtractElement(e->b, emit_intrinsic(e, name, NULL, 0, args, 6), first, "");
}

// Of x and a number that is known when the code is made: one comparison, which takes the number
// where it is that, and x where x is NaN. Zeros of two signs are told apart by whether it takes
// equal ones.
static value known_extreme(emitter *e, value x, value c, bool max) {
  value one = is_vector_of(c) ? LLVMGetAggregateElement(c, 0) : c;
  LLVMBool lossy;
  if (!one || !LLVMIsAConstantFP(one)) return NULL;
  const double k = LLVMConstRealGetDouble(one, &lossy);
  if (isnan(k)) return NULL;
  const bool takes_equal = k != 0 || signbit(k) != max;
  const LLVMRealPredicate how =
      max ? (takes_equal ? LLVMRealOLE : LLVMRealOLT) : (takes_equal ? LLVMRealOGE : LLVMRealOGT);
  return SELECT(LLVMBuildFCmp(e->b, how, x, c, ""), c, x);
}

// NaN where either is one; of equal numbers (zeros of two signs) the bits of both say which.
static value float_extreme(emitter *e, tl_reg r, value a, value b, bool max) {
  LLVMTypeRef i = int_of(e, r), f = emit_scalar_type(e, r);
  value nan = emit_bits(e, r, r == TL_REG_F32 ? 0x7fc00000u : 0x7ff8000000000000u);
  value at_once = LLVMIsConstant(b)   ? known_extreme(e, a, b, max)
                  : LLVMIsConstant(a) ? known_extreme(e, b, a, max)
                                      : NULL;
  if (at_once) return at_once;
  at_once = range(e, r, a, b, max);
  if (at_once) return SELECT(FCMP(UNO, a, b), nan, at_once);
  value x = emit_cast(e, a, i), y = emit_cast(e, b, i);
  value same = max ? LLVMBuildAnd(e->b, x, y, "") : LLVMBuildOr(e->b, x, y, "");
  value z = SELECT(LLVMBuildFCmp(e->b, max ? LLVMRealOGT : LLVMRealOLT, a, b, ""), a, b);
  z = SELECT(FCMP(OEQ, a, b), emit_cast(e, same, f), z);
  return SELECT(FCMP(UNO, a, b), nan, z);
}

static value copy_sign(emitter *e, value x, value sign) {
  LLVMTypeRef t = LLVMTypeOf(x);
  return emit_intrinsic(e, "llvm.copysign", &t, 1, (value[]){x, sign}, 2);
}

static value float_sign(emitter *e, tl_reg r, value x) {
  value itself = FCMP(UEQ, x, LLVMConstNull(LLVMTypeOf(x))); // NaN or zero
  return SELECT(itself, x, copy_sign(e, one_of(e, r), x));
}

static value away_from_zero(emitter *e, tl_reg r, value x) {
  value t = emit_unary(e, "llvm.trunc", x);
  value gap = emit_unary(e, "llvm.fabs", LLVMBuildFSub(e->b, x, t, ""));
  value half = emit_bits(e, r, r == TL_REG_F32 ? 0x3f000000u : 0x3fe0000000000000u);
  value up = LLVMBuildFAdd(e->b, t, copy_sign(e, one_of(e, r), x), "");
  return SELECT(FCMP(OGE, gap, half), up, t);
}

static value total_order(emitter *e, tl_reg r, value x) {
  LLVMTypeRef i = int_of(e, r);
  value u = emit_cast(e, x, i), top = emit_int(e, i, (uint64_t)1 << (bits_of(r) - 1));
  return SELECT(CMP(SLT, u, LLVMConstNull(LLVMTypeOf(u))), LLVMBuildNot(e->b, u, ""),
                LLVMBuildOr(e->b, u, top, ""));
}

static value float_op(emitter *e, tl_scalar op, tl_reg r, value a, value b, value c) {
  switch (op) {
  case TL_SCALAR_ADD:
    return LLVMBuildFAdd(e->b, a, b, "");
  case TL_SCALAR_SUB:
    return LLVMBuildFSub(e->b, a, b, "");
  case TL_SCALAR_MUL:
    return LLVMBuildFMul(e->b, a, b, "");
  case TL_SCALAR_DIV:
    return LLVMBuildFDiv(e->b, a, b, "");
  case TL_SCALAR_MAX:
  case TL_SCALAR_MIN:
    return float_extreme(e, r, a, b, op == TL_SCALAR_MAX);
  case TL_SCALAR_NEG:
    return LLVMBuildFNeg(e->b, a, "");
  case TL_SCALAR_ABS:
    return emit_unary(e, "llvm.fabs", a);
  case TL_SCALAR_SIGN:
    return float_sign(e, r, a);
  case TL_SCALAR_FLOOR:
    return emit_unary(e, "llvm.floor", a);
  case TL_SCALAR_CEIL:
    return emit_unary(e, "llvm.ceil", a);
  case TL_SCALAR_ROUND:
    return away_from_zero(e, r, a);
  case TL_SCALAR_RINT:
    return emit_unary(e, "llvm.rint", a);
  case TL_SCALAR_SQRT:
    return emit_unary(e, "llvm.sqrt", a);
  case TL_SCALAR_RSQRT:
    return LLVMBuildFDiv(e->b, one_of(e, r), emit_unary(e, "llvm.sqrt", a), "");
  case TL_SCALAR_FMA:
    return emit_fma(e, a, b, c);
  case TL_SCALAR_EQ:
    return FCMP(OEQ, a, b);
  case TL_SCALAR_NE:
    return FCMP(UNE, a, b);
  case TL_SCALAR_LT:
    return FCMP(OLT, a, b);
  case TL_SCALAR_LE:
    return FCMP(OLE, a, b);
  case TL_SCALAR_GT:
    return FCMP(OGT, a, b);
  case TL_SCALAR_GE:
    return FCMP(OGE, a, b);
  case TL_SCALAR_FINITE:
    return FCMP(OLT, emit_unary(e, "llvm.fabs", a),
                emit_bits(e, r, r == TL_REG_F32 ? 0x7f800000u : 0x7ff0000000000000u));
  case TL_SCALAR_ORDER:
    return total_order(e, r, a);
  default:
    break;
  }
  const bool f32 = r == TL_REG_F32;
  switch (op) {
  case TL_SCALAR_EXP:
    return f32 ? emit_exp(e, a) : emit_elementary(e, op, r, a, b);
  case TL_SCALAR_LOG:
    return f32 ? emit_log(e, a) : emit_elementary(e, op, r, a, b);
  case TL_SCALAR_TANH:
    return f32 ? emit_tanh(e, a) : emit_elementary(e, op, r, a, b);
  case TL_SCALAR_LOGISTIC:
    return f32 ? emit_logistic(e, a) : emit_elementary(e, op, r, a, b);
  case TL_SCALAR_BF16:
    return f32 ? emit_cast(e, emit_round_bf16(e, a), e->f32) : NULL;
  case TL_SCALAR_F16:
    if (!f32) return NULL;
    return LLVMBuildFPExt(e->b, LLVMBuildFPTrunc(e->b, a, emit_wide(e, e->f16), ""),
                          emit_wide(e, e->f32), "");
  default:
    return emit_elementary(e, op, r, a, b);
  }
}

// --- integers ---

// x / 0 is all ones and x % 0 is x; INT_MIN / -1 wraps. The hardware is asked only what it can
// answer.
static value quotient(emitter *e, tl_reg r, value x, value y, bool remainder) {
  value zero = number(e, r, 0), one = number(e, r, 1), ones = number(e, r, -1);
  value none = CMP(EQ, y, zero), minus = is_signed(r) ? CMP(EQ, y, ones) : NULL;
  value d = SELECT(minus ? LLVMBuildOr(e->b, none, minus, "") : none, one, y), q;
  if (remainder) {
    q = is_signed(r) ? LLVMBuildSRem(e->b, x, d, "") : LLVMBuildURem(e->b, x, d, "");
    return SELECT(none, x, q); // of -1 the remainder by 1 is 0 too
  }
  q = is_signed(r) ? LLVMBuildSDiv(e->b, x, d, "") : LLVMBuildUDiv(e->b, x, d, "");
  if (minus) q = SELECT(minus, LLVMBuildNeg(e->b, x, ""), q);
  return SELECT(none, ones, q);
}

static value shift(emitter *e, tl_scalar op, tl_reg r, value x, value y) {
  const int64_t bits = bits_of(r);
  value fits = CMP(ULT, y, number(e, r, bits));
  value by = SELECT(fits, y, number(e, r, op == TL_SCALAR_SAR ? bits - 1 : 0));
  if (op == TL_SCALAR_SAR) return LLVMBuildAShr(e->b, x, by, "");
  value z = op == TL_SCALAR_SHL ? LLVMBuildShl(e->b, x, by, "") : LLVMBuildLShr(e->b, x, by, "");
  return SELECT(fits, z, number(e, r, 0));
}

static value leading_zeros(emitter *e, value x) {
  LLVMTypeRef t = LLVMTypeOf(x);
  return emit_intrinsic(e, "llvm.ctlz", &t, 1, (value[]){x, LLVMConstInt(e->i1, 0, false)}, 2);
}

static value int_op(emitter *e, tl_scalar op, tl_reg r, value a, value b) {
  const bool sign = is_signed(r);
  value zero = number(e, r, 0);
  switch (op) {
  case TL_SCALAR_ADD:
    return LLVMBuildAdd(e->b, a, b, "");
  case TL_SCALAR_SUB:
    return LLVMBuildSub(e->b, a, b, "");
  case TL_SCALAR_MUL:
    return LLVMBuildMul(e->b, a, b, "");
  case TL_SCALAR_DIV:
  case TL_SCALAR_REM:
    return quotient(e, r, a, b, op == TL_SCALAR_REM);
  case TL_SCALAR_MAX:
    return SELECT(sign ? CMP(SGT, a, b) : CMP(UGT, a, b), a, b);
  case TL_SCALAR_MIN:
    return SELECT(sign ? CMP(SLT, a, b) : CMP(ULT, a, b), a, b);
  case TL_SCALAR_AND:
    return LLVMBuildAnd(e->b, a, b, "");
  case TL_SCALAR_OR:
    return LLVMBuildOr(e->b, a, b, "");
  case TL_SCALAR_XOR:
    return LLVMBuildXor(e->b, a, b, "");
  case TL_SCALAR_SHL:
  case TL_SCALAR_SHR:
  case TL_SCALAR_SAR:
    return shift(e, op, r, a, b);
  case TL_SCALAR_NEG:
    return LLVMBuildNeg(e->b, a, "");
  case TL_SCALAR_ABS:
    return sign ? SELECT(CMP(SLT, a, zero), LLVMBuildNeg(e->b, a, ""), a) : a;
  case TL_SCALAR_SIGN: {
    value some = SELECT(CMP(EQ, a, zero), zero, number(e, r, 1));
    return sign ? SELECT(CMP(SLT, a, zero), number(e, r, -1), some) : some;
  }
  case TL_SCALAR_NOT:
    return LLVMBuildNot(e->b, a, "");
  case TL_SCALAR_POPCNT:
    return emit_unary(e, "llvm.ctpop", a);
  case TL_SCALAR_CLZ:
    return leading_zeros(e, a);
  case TL_SCALAR_EQ:
    return CMP(EQ, a, b);
  case TL_SCALAR_NE:
    return CMP(NE, a, b);
  case TL_SCALAR_LT:
    return sign ? CMP(SLT, a, b) : CMP(ULT, a, b);
  case TL_SCALAR_LE:
    return sign ? CMP(SLE, a, b) : CMP(ULE, a, b);
  case TL_SCALAR_GT:
    return sign ? CMP(SGT, a, b) : CMP(UGT, a, b);
  case TL_SCALAR_GE:
    return sign ? CMP(SGE, a, b) : CMP(UGE, a, b);
  default:
    return NULL;
  }
}

static value bool_op(emitter *e, tl_scalar op, value a, value b) {
  switch (op) {
  case TL_SCALAR_ADD:
  case TL_SCALAR_MAX:
  case TL_SCALAR_OR:
    return LLVMBuildOr(e->b, a, b, "");
  case TL_SCALAR_SUB:
  case TL_SCALAR_XOR:
    return LLVMBuildXor(e->b, a, b, "");
  case TL_SCALAR_MUL:
  case TL_SCALAR_MIN:
  case TL_SCALAR_AND:
    return LLVMBuildAnd(e->b, a, b, "");
  case TL_SCALAR_DIV: // by 0 is 1
  case TL_SCALAR_POW:
    return LLVMBuildOr(e->b, a, LLVMBuildNot(e->b, b, ""), "");
  case TL_SCALAR_REM: // by 0 is x
  case TL_SCALAR_SHL:
  case TL_SCALAR_SHR:
    return LLVMBuildAnd(e->b, a, LLVMBuildNot(e->b, b, ""), "");
  case TL_SCALAR_SAR:
  case TL_SCALAR_NEG:
  case TL_SCALAR_ABS:
  case TL_SCALAR_SIGN:
  case TL_SCALAR_POPCNT:
    return a;
  case TL_SCALAR_NOT:
  case TL_SCALAR_CLZ:
    return LLVMBuildNot(e->b, a, "");
  case TL_SCALAR_EQ:
  case TL_SCALAR_NE:
  case TL_SCALAR_LT:
  case TL_SCALAR_LE:
  case TL_SCALAR_GT:
  case TL_SCALAR_GE:
    return int_op(e, op, TL_REG_U8, a, b);
  default:
    return NULL;
  }
}

// --- between types ---

static value convert(emitter *e, tl_reg to, tl_reg from, value x) {
  LLVMTypeRef t = emit_type(e, to);
  value zero = LLVMConstNull(LLVMTypeOf(x));
  if (to == from) return x;
  if (to == TL_REG_I1) return is_float(from) ? FCMP(UNE, x, zero) : CMP(NE, x, zero);
  if (is_float(from)) {
    if (is_float(to))
      return to == TL_REG_F64 ? LLVMBuildFPExt(e->b, x, t, "") : LLVMBuildFPTrunc(e->b, x, t, "");
    LLVMTypeRef types[] = {t, LLVMTypeOf(x)};
    return emit_intrinsic(e, is_signed(to) ? "llvm.fptosi.sat" : "llvm.fptoui.sat", types, 2, &x,
                          1);
  }
  if (is_float(to))
    return is_signed(from) ? LLVMBuildSIToFP(e->b, x, t, "") : LLVMBuildUIToFP(e->b, x, t, "");
  if (bits_of(to) == bits_of(from)) return x;
  if (bits_of(to) < bits_of(from)) return LLVMBuildTrunc(e->b, x, t, "");
  return is_signed(from) ? LLVMBuildSExt(e->b, x, t, "") : LLVMBuildZExt(e->b, x, t, "");
}

static value same_bits(emitter *e, tl_reg to, tl_reg from, value x) {
  if (from == TL_REG_I1 || to == TL_REG_I1) return convert(e, to, from, x);
  return emit_cast(e, x, emit_scalar_type(e, to));
}

LLVMValueRef emit_scalar(emitter *e, tl_scalar op, tl_reg type, tl_reg from, LLVMValueRef a,
                         LLVMValueRef b, LLVMValueRef c) {
  switch (op) {
  case TL_SCALAR_CONVERT:
    return convert(e, type, from, a);
  case TL_SCALAR_BITS:
    return same_bits(e, type, from, a);
  case TL_SCALAR_SELECT:
    return SELECT(a, b, c);
  default:
    break;
  }
  return is_float(from)      ? float_op(e, op, from, a, b, c)
         : from == TL_REG_I1 ? bool_op(e, op, a, b)
                             : int_op(e, op, from, a, b);
}
