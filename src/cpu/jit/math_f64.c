// The functions of scalars.def in f64, and those of f32 that are these, rounded:
// ref/elementary_f64.inc and ir/special_erf.inc said over LLVM IR, so that every lane has the bits
// of the scalar functions.
#include "cpu/jit/emit.h"
#include "ref/elementary_f64.h"

#define TL_SPECIAL_TABLE(name, n, ...) \
  TL_UNUSED static const double table_##name[n] = {__VA_ARGS__};
#include "ir/special_tables.def"

static LLVMValueRef number(emitter *e, double x) {
  return emit_bits(e, TL_REG_F64, tl_bits_of_f64(x));
}

// Horner's rule by fused multiply-adds, or with every operation rounded.
static LLVMValueRef horner(emitter *e, const double *c, size_t n, LLVMValueRef x, bool fused) {
  LLVMValueRef y = number(e, c[n - 1]);
  for (size_t i = n - 1; i > 0; i--) {
    LLVMValueRef k = number(e, c[i - 1]);
    y = fused ? emit_fma(e, y, x, k) : LLVMBuildFAdd(e->b, LLVMBuildFMul(e->b, y, x, ""), k, "");
  }
  return y;
}

// Estrin's: pairs of neighbours, pairs of pairs ...
static LLVMValueRef estrin(emitter *e, const double *c, size_t n, LLVMValueRef x) {
  LLVMValueRef t[16];
  for (size_t i = 0; i < n; i++)
    t[i] = number(e, c[i]);
  for (; n > 1; n = (n + 1) / 2, x = n > 1 ? LLVMBuildFMul(e->b, x, x, "") : x)
    for (size_t i = 0; i < (n + 1) / 2; i++)
      t[i] = 2 * i + 1 < n ? emit_fma(e, t[2 * i + 1], x, t[2 * i]) : t[2 * i];
  return t[0];
}

// A table in the code's own constants, read at [0, n).
static LLVMValueRef table(emitter *e, const char *name, const double *c, size_t n, LLVMValueRef u) {
  LLVMValueRef all = LLVMGetNamedGlobal(e->module, name);
  if (!all) {
    LLVMValueRef values[128];
    for (size_t i = 0; i < n; i++)
      values[i] = LLVMConstReal(e->f64, c[i]);
    all = LLVMAddGlobal(e->module, LLVMArrayType2(e->f64, n), name);
    LLVMSetInitializer(all, LLVMConstArray2(e->f64, values, n));
    LLVMSetGlobalConstant(all, true);
    LLVMSetLinkage(all, LLVMPrivateLinkage);
  }
  LLVMValueRef at = LLVMBuildGEP2(e->b, e->f64, all, &u, 1, "");
  if (e->lanes == 1) return emit_load(e, e->f64, at, 8);
  LLVMTypeRef types[] = {emit_wide(e, e->f64), LLVMTypeOf(at)};
  LLVMValueRef every = emit_splat(e, LLVMConstInt(e->i1, 1, false));
  return emit_intrinsic(
      e, "llvm.masked.gather", types, 2,
      (LLVMValueRef[]){at, LLVMConstInt(e->i32, 8, false), every, LLVMConstNull(types[0])}, 4);
}

static LLVMValueRef with_sign(emitter *e, LLVMValueRef x, LLVMValueRef sign) {
  LLVMTypeRef t = LLVMTypeOf(x);
  return emit_intrinsic(e, "llvm.copysign", &t, 1, (LLVMValueRef[]){x, sign}, 2);
}

static LLVMValueRef is_odd(emitter *e, LLVMValueRef u) {
  LLVMValueRef bit = LLVMBuildAnd(e->b, u, emit_int(e, e->i64, 1), "");
  return LLVMBuildICmp(e->b, LLVMIntNE, bit, LLVMConstNull(LLVMTypeOf(bit)), "");
}

#define NUM LLVMValueRef
#define INT LLVMValueRef
#define BOOL LLVMValueRef
#define CTX emitter *em,
#define ARG em,
#define DEF static
#define FN(name) ef_##name
#define K(c) number(em, (double)(c))
#define KI(u) emit_int(em, em->i64, (uint64_t)(u))
#define ADD(x, y) LLVMBuildFAdd(em->b, x, y, "")
#define SUB(x, y) LLVMBuildFSub(em->b, x, y, "")
#define MUL(x, y) LLVMBuildFMul(em->b, x, y, "")
#define DIV(x, y) LLVMBuildFDiv(em->b, x, y, "")
#define NEG(x) LLVMBuildFNeg(em->b, x, "")
#define ABS(x) emit_unary(em, "llvm.fabs", x)
#define SQRT(x) emit_unary(em, "llvm.sqrt", x)
#define ROUND(x) emit_unary(em, "llvm.rint", x)
#define FMA(x, y, z) emit_fma(em, x, y, z)
#define COPYSIGN(x, y) with_sign(em, x, y)
#define LT(x, y) LLVMBuildFCmp(em->b, LLVMRealOLT, x, y, "")
#define LE(x, y) LLVMBuildFCmp(em->b, LLVMRealOLE, x, y, "")
#define EQ(x, y) LLVMBuildFCmp(em->b, LLVMRealOEQ, x, y, "")
#define AND(p, q) LLVMBuildAnd(em->b, p, q, "")
#define NOT(p) LLVMBuildNot(em->b, p, "")
#define NE(p, q) LLVMBuildXor(em->b, p, q, "")
#define ODD(u) is_odd(em, u)
#define SELECT(p, x, y) emit_select(em, p, x, y)
#define IADD(x, y) LLVMBuildAdd(em->b, x, y, "")
#define ISUB(x, y) LLVMBuildSub(em->b, x, y, "")
#define IAND(x, y) LLVMBuildAnd(em->b, x, y, "")
#define IOR(x, y) LLVMBuildOr(em->b, x, y, "")
#define IXOR(x, y) LLVMBuildXor(em->b, x, y, "")
#define ILT(x, y) LLVMBuildICmp(em->b, LLVMIntSLT, x, y, "")
#define SHL(x, n) LLVMBuildShl(em->b, x, KI(n), "")
#define SHR(x, n) LLVMBuildLShr(em->b, x, KI(n), "")
#define BITS(x) emit_cast(em, x, em->i64)
#define OF_BITS(u) emit_cast(em, u, em->f64)
#define C(table, i) number(em, tl_elementary_##table[i])
#define POLY(table, x) horner(em, tl_elementary_##table, TL_COUNT(tl_elementary_##table), x, true)
#define TREE(table, x) estrin(em, tl_elementary_##table, TL_COUNT(tl_elementary_##table), x)
#define AT(name, u) table(em, #name, tl_elementary_##name, TL_COUNT(tl_elementary_##name), u)
#include "ref/elementary_f64.inc"

#undef POLY
#define POLY(table, x) horner(em, table_##table, TL_COUNT(table_##table), x, false)
#define EXP(x) ef_exp(em, x)
#define LOG(x) ef_log(em, x)
#define LOG1P(x) ef_log1p(em, x)
#define HEAD(x) OF_BITS(IAND(BITS(x), KI(UINT64_C(0xfffffffff8000000))))
#include "ir/special_erf.inc"

bool emit_turns(tl_scalar op) {
  return op == TL_SCALAR_SIN || op == TL_SCALAR_COS || op == TL_SCALAR_TAN;
}

LLVMValueRef emit_turns_far(emitter *e, tl_reg r, LLVMValueRef x) {
  LLVMValueRef limit = emit_bits(
      e, r, r == TL_REG_F32 ? tl_bits_of_f32((float)TL_TRIG_LIMIT) : tl_bits_of_f64(TL_TRIG_LIMIT));
  LLVMValueRef far = LLVMBuildFCmp(e->b, LLVMRealOGT, emit_unary(e, "llvm.fabs", x), limit, "");
  if (e->lanes == 1) return far;
  LLVMTypeRef bits = LLVMIntTypeInContext(e->cx, e->lanes);
  return LLVMBuildICmp(e->b, LLVMIntNE, LLVMBuildBitCast(e->b, far, bits, ""), LLVMConstNull(bits),
                       "");
}

static LLVMValueRef in_f64(emitter *e, tl_scalar op, bool rounded, LLVMValueRef x, LLVMValueRef y) {
  switch (op) {
  case TL_SCALAR_EXP:
    return ef_exp(e, x);
  case TL_SCALAR_EXPM1:
    return ef_expm1(e, x);
  case TL_SCALAR_LOG:
    return ef_log(e, x);
  case TL_SCALAR_LOG1P:
    return ef_log1p(e, x);
  case TL_SCALAR_TANH:
    return ef_tanh(e, x);
  case TL_SCALAR_LOGISTIC:
    return ef_logistic(e, x);
  case TL_SCALAR_SIN:
    return ef_sin(e, x);
  case TL_SCALAR_COS:
    return ef_cos(e, x);
  case TL_SCALAR_TAN:
    return ef_tan(e, x);
  case TL_SCALAR_CBRT:
    return ef_cbrt(e, x);
  case TL_SCALAR_POW:
    return rounded ? ef_pow_f32(e, x, y) : ef_pow(e, x, y);
  case TL_SCALAR_ATAN2:
    return ef_atan2(e, x, y);
  case TL_SCALAR_ERF:
    return ef_erf(e, x);
  case TL_SCALAR_ERFC:
    return ef_erfc(e, x);
  case TL_SCALAR_ERF_INV:
    return ef_erf_inv(e, x);
  default:
    return NULL;
  }
}

LLVMValueRef emit_elementary(emitter *e, tl_scalar op, tl_reg r, LLVMValueRef a, LLVMValueRef b) {
  if (r == TL_REG_F64) return in_f64(e, op, false, a, b);
  LLVMTypeRef wide = emit_wide(e, e->f64);
  LLVMValueRef y = in_f64(e, op, true, LLVMBuildFPExt(e->b, a, wide, ""),
                          b ? LLVMBuildFPExt(e->b, b, wide, "") : NULL);
  if (!y) return NULL;
  y = LLVMBuildFPTrunc(e->b, y, emit_wide(e, e->f32), "");
  if (op != TL_SCALAR_EXPM1) return y;
  LLVMValueRef far = LLVMBuildFSub(e->b, emit_exp(e, a), emit_f32(e, 1.0f), "");
  LLVMValueRef is_near =
      LLVMBuildFCmp(e->b, LLVMRealOLT, emit_unary(e, "llvm.fabs", a), emit_f32(e, 8.0f), "");
  return emit_select(e, is_near, y, far);
}
