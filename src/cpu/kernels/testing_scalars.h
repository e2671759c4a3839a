// The rows of scalars.def for tests, and which types each takes.
#ifndef TL_CPU_KERNELS_TESTING_SCALARS_H
#define TL_CPU_KERNELS_TESTING_SCALARS_H

#include <string.h>

#include "cpu/kernels/scalars.h"

static const size_t reg_sizes[] = {
#define X(id, type, name) sizeof(type),
    TL_REGS(X)
#undef X
};

static bool is_float(tl_reg r) { return r == TL_REG_F32 || r == TL_REG_F64; }

typedef struct row {
  tl_scalar op;
  int in;
  const char *name, *types;
} row;
static const row rows[] = {
#define TL_SCALAR(id, name, in, types) {TL_SCALAR_##id, in, name, #types},
#include "cpu/kernels/scalars.def"
#undef TL_SCALAR
};

// Whether a row takes `from` to `to`.
static bool has(const row *w, tl_reg from, tl_reg to) {
  switch (w->op) {
  case TL_SCALAR_CONVERT:
    return true;
  case TL_SCALAR_BITS:
    return from != TL_REG_I1 && to != TL_REG_I1 && reg_sizes[from] == reg_sizes[to];
  case TL_SCALAR_ORDER:
    return is_float(from) && to == (from == TL_REG_F32 ? TL_REG_U32 : TL_REG_U64);
  case TL_SCALAR_ODD:
    return (from == TL_REG_S64 || from == TL_REG_U64) && to == TL_REG_F64;
  case TL_SCALAR_BF16:
  case TL_SCALAR_F16:
    return is_float(from) && to == TL_REG_F32;
  case TL_SCALAR_FINITE:
    return is_float(from) && to == TL_REG_I1;
  case TL_SCALAR_EQ:
  case TL_SCALAR_NE:
  case TL_SCALAR_LT:
  case TL_SCALAR_LE:
  case TL_SCALAR_GT:
  case TL_SCALAR_GE:
    return to == TL_REG_I1;
  default:
    break;
  }
  if (from != to) return false;
  if (strcmp(w->types, "F32") == 0) return from == TL_REG_F32;
  if (strcmp(w->types, "FLOAT") == 0) return is_float(from);
  return strcmp(w->types, "ANY") == 0 || !is_float(from);
}

#endif
