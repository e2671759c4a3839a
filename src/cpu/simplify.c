// What a module goes through before it is planned: calls become what they call, so that what
// computes across them can be fused; branches whose predicate is known are taken, and short loops
// of constant trip count written out; small constants are computed; equal ops become one; core ops
// that spell a named op which has a kernel become that op. Every step leaves the bits as they were.
#include "cpu/cpu.h"

#include "passes/fold.h"
#include "passes/passes.h"
#include "passes/phi.h"
#include "passes/recognise.h"

// Whether lower_named.c has a kernel for it as it stands there. Others are better spelled out:
// their ops fuse with those around them.
static bool has_kernel(const tl_op *op) {
  const tl_type t = op->operands[0]->type;
  if (t.dtype != TL_DTYPE_F32) return false;
  switch (op->code) {
  case TL_OP_SOFTMAX:
    return tl_op_i64(op, TL_A_SOFTMAX_axis) == (int64_t)t.rank - 1;
  case TL_OP_RMS_NORM:
  case TL_OP_ROPE:
  case TL_OP_SWIGLU:
    return true;
  default:
    return false;
  }
}

// Ops whose sizes are operands fail by name when they do not fit, whether or not anybody reads what
// they give. A module with one of them keeps all its ops.
static bool may_fail(const tl_block *block) {
  for (const tl_op *op = block->first; op; op = op->next) {
    switch (op->code) {
    case TL_OP_DYNAMIC_RESHAPE:
    case TL_OP_DYNAMIC_BROADCAST_IN_DIM:
    case TL_OP_DYNAMIC_IOTA:
    case TL_OP_DYNAMIC_PAD:
    case TL_OP_DYNAMIC_GATHER:
    case TL_OP_DYNAMIC_CONV:
    case TL_OP_REAL_DYNAMIC_SLICE:
    case TL_OP_SET_DIMENSION_SIZE:
      return true;
    default:
      break;
    }
    for (uint32_t r = 0; r < op->n_regions; r++)
      if (may_fail(op->regions[r])) return true;
  }
  return false;
}

// Ops that a loop may come to. A round of a hash of counters has thirty.
enum { WRITTEN_OUT = 512 };
static tl_status write_out(tl_func *fn) {
  const tl_phi_options options = {.unrolled = WRITTEN_OUT, .exact = true};
  bool changed;
  return tl_phi_func_of(fn, &options, TL_PHI_ROUNDS, &changed);
}

tl_status tl_cpu_simplify(const tl_module *m, tl_module **out_module) {
  tl_module *flat = NULL, *single = NULL;
  tl_status st = tl_pass_inline_(m, &flat);
  for (const tl_func *fn = st ? NULL : flat->first; fn; fn = fn->next)
    if (may_fail(fn->body)) {
      *out_module = flat;
      return TL_OK;
    }
  for (tl_func *fn = st ? NULL : flat->first; fn && !st; fn = fn->next)
    if (!(st = write_out(fn))) st = tl_func_fold(fn);
  if (!st) st = tl_pass_cse(flat, &single);
  if (!st) st = tl_recognise_some(single, has_kernel, NULL, out_module);
  tl_module_destroy(flat);
  tl_module_destroy(single);
  return st;
}
