// Vectors of registers: the types that scalar instructions compute in, and the kernel that runs one
// instruction over many elements.
//
// bf16 and f16 are held as f32 (widened on load; an instruction of their own rounds to them), i1 as
// a byte 0 or 1.
#ifndef TL_CPU_KERNELS_SCALARS_H
#define TL_CPU_KERNELS_SCALARS_H

#include "base/base.h"

//        id   C type    printed
#define TL_REGS(X)        \
  X(I1, uint8_t, "i1")    \
  X(S8, int8_t, "i8")     \
  X(S16, int16_t, "i16")  \
  X(S32, int32_t, "i32")  \
  X(S64, int64_t, "i64")  \
  X(U8, uint8_t, "u8")    \
  X(U16, uint16_t, "u16") \
  X(U32, uint32_t, "u32") \
  X(U64, uint64_t, "u64") \
  X(F32, float, "f32")    \
  X(F64, double, "f64")

typedef enum {
#define X(id, type, name) TL_REG_##id,
  TL_REGS(X)
#undef X
      TL_REG_COUNT
} tl_reg;

typedef enum {
#define TL_SCALAR(id, name, in, types) TL_SCALAR_##id,
#include "cpu/kernels/scalars.def"
#undef TL_SCALAR
  TL_SCALAR_COUNT
} tl_scalar;

// z[i] = op(a[i], b[i], c[i]) for i < n. z may be any operand; otherwise nothing overlaps. Operands
// have type `from`, SELECT's first one is i1; the result has type `type`, or what the row says.
typedef struct tl_scalars_args {
  tl_scalar op;
  tl_reg type, from; // of the result; of the operands
  const void *a, *b, *c;
  void *z;
  size_t n;
} tl_scalars_args;

// lane[i % 16] += x[i], in order of i: n is a multiple of 16 in all calls of a sum but the last.
typedef struct tl_sum16_args {
  bool wide;  // f64, else f32
  void *lane; // [16]
  const void *x;
  size_t n;
} tl_sum16_args;

#endif
