// Which ops of a block are computed where they are used, rather than in memory of their own.
//
// From the last op to the first: an op is inlined when everything that uses it can take a program
// in place of memory, and when that repeats no arithmetic: a single user does not see more elements
// than there are, and several do not where they end in one nest at one place, which computes it
// once. What costs nothing (iota, constants, broadcasts, and widening what is narrower in memory)
// goes to every user, and so does a slice of what lies in memory anyway. Then, from the first to
// the last, groups that grew too large are cut at their largest operand.
//
// An inlined op reads its operands when its user's user ... runs, so they must live until then:
// fuse_evaluated_at is what last uses are counted by.
#include "cpu/nest.h"

#include <stdlib.h>

#include "cpu/plan_state.h"

typedef struct fuse_info {
  const tl_op *op, *user; // user: the last one seen
  uint32_t n_users;       // 2: several
  uint32_t uses;          // by ops of its block, counted before
  uint32_t at;            // position at which it is evaluated
  uint32_t size;          // ops in its program
  uint32_t root;          // position of the op whose nest its first user is in
  uint32_t stamp;         // the last program whose ops were counted with it
  bool bad;               // a user wants memory
  bool moved;             // on the way to that nest its elements change their places
  bool apart;             // its users end in several nests, or at several places of one
  bool repeated;          // its elements may be computed several times
  bool cut;               // from a group that was too large
  bool inlined;
} fuse_info;

static bool moves_only(const tl_op *op) {
  switch (op->code) {
  case TL_OP_CONSTANT:
  case TL_OP_IOTA:
  case TL_OP_BROADCAST_IN_DIM:
  case TL_OP_RESHAPE:
  case TL_OP_TRANSPOSE:
  case TL_OP_SLICE:
  case TL_OP_REVERSE:
    return true;
  default:
    return false;
  }
}

static bool expands(const tl_op *op) {
  return op->code == TL_OP_BROADCAST_IN_DIM &&
         type_count(op->results[0]->type) > type_count(op->operands[0]->type);
}

static bool widens(const tl_op *op) {
  if (op->code != TL_OP_CONVERT) return false;
  const tl_dtype_info *from = tl_dtype_get(op->operands[0]->type.dtype),
                      *to = tl_dtype_get(op->results[0]->type.dtype);
  return from->size < to->size && from->kind != TL_KIND_COMPLEX && to->kind != TL_KIND_COMPLEX;
}

static bool costs_nothing(const tl_op *op) {
  return op->code == TL_OP_CONSTANT || op->code == TL_OP_IOTA ||
         op->code == TL_OP_BROADCAST_IN_DIM || widens(op);
}

// One operation, of one operand as large as the result: computing it again reads no more than its
// result in memory would have to be read, and saves writing that.
static bool is_cheap(const tl_op *op) {
  uint32_t large = 0;
  if (op->n_results != 1 || nest_narrow_float(op->results[0]->type.dtype) || !nest_knows(op))
    return false;
  for (uint32_t i = 0; i < op->n_operands; i++) {
    const tl_value v = op->operands[i];
    const bool small =
        v->type.rank == 0 ||
        (v->op && (v->op->code == TL_OP_CONSTANT || v->op->code == TL_OP_IOTA || expands(v->op)));
    large += !small;
  }
  switch (op->code) {
  case TL_OP_ADD:
  case TL_OP_SUBTRACT:
  case TL_OP_MULTIPLY:
  case TL_OP_MAXIMUM:
  case TL_OP_MINIMUM:
  case TL_OP_NEGATE:
  case TL_OP_ABS:
  case TL_OP_COMPARE:
  case TL_OP_SELECT:
  case TL_OP_AND:
  case TL_OP_OR:
  case TL_OP_XOR:
  case TL_OP_NOT:
    return large <= 1 && !nest_is_complex(op->results[0]->type.dtype) &&
           !nest_is_complex(op->operands[0]->type.dtype);
  default:
    return false;
  }
}

bool fuse_pieces_together(const tl_op *op) {
  if (op->code != TL_OP_CONCATENATE || op->n_operands > NEST_MAX_PIECES) return false;
  for (uint32_t i = 1; i < op->n_operands; i++)
    if (!tl_type_eq(op->operands[i]->type, op->operands[0]->type)) return false;
  return true;
}

// Whether an op that runs as a nest, or in one, takes its operands where its result is.
static bool straight(const tl_op *op) {
  return !moves_only(op) &&
         (op->code == TL_OP_REDUCE || fuse_pieces_together(op) || nest_knows(op));
}

// Few terms, of many small products: no matrices.
bool fuse_small_dot(const tl_op *op) {
  enum { SMALL = 256, MANY = 8 };
  if (op->code != TL_OP_DOT_GENERAL || nest_few_terms(op) == 0) return false;
  const tl_i64s batch = tl_op_list(op, TL_A_DOT_GENERAL_lhs_batching_dimensions);
  size_t batches = 1;
  for (size_t i = 0; i < batch.len; i++)
    batches *= (size_t)op->operands[0]->type.dims[batch.ptr[i]];
  return batches >= MANY && type_count(op->results[0]->type) / batches <= SMALL;
}

bool fuse_may_inline(const tl_op *op) {
  tl_reg r;
  if (op->n_results != 1 || !nest_moves(op->results[0]->type.dtype)) return false;
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (!nest_moves(op->operands[i]->type.dtype)) return false;
  switch (op->code) {
  case TL_OP_CONSTANT: {
    const tl_literal *lit = tl_op_attr(op, TL_A_CONSTANT_value)->dense;
    return lit->splat || (op->results[0]->type.rank == 0 && lit->size > 0);
  }
  case TL_OP_IOTA:
    return nest_computes(op->results[0]->type.dtype);
  case TL_OP_TRANSPOSE:
  case TL_OP_BROADCAST_IN_DIM:
  case TL_OP_SLICE:
  case TL_OP_REVERSE:
    return true;
  case TL_OP_DYNAMIC_SLICE:
    for (uint32_t i = 1; i < op->n_operands; i++)
      if (!loop_reg_of(op->operands[i]->type.dtype, &r)) return false;
    return true;
  case TL_OP_GATHER:
    // Rows are copied faster than looked up by elements.
    return loop_reg_of(op->operands[1]->type.dtype, &r) && gather_run(op) < GATHER_RUN;
  case TL_OP_RESHAPE:
    return nest_reshapes(op->operands[0]->type, op->results[0]->type);
  case TL_OP_MAP:
    return nest_knows_region(op->regions[0]) && op->n_operands <= 8;
  case TL_OP_DOT_GENERAL: // of matrices the kernels are better
    return nest_few_terms(op) == 1 || fuse_small_dot(op);
  case TL_OP_REDUCE:
    return nest_few_terms(op) > 0;
  default:
    return nest_knows(op);
  }
}

// Whether `op` (inlined itself, or not) can take operand i as a program.
static bool accepts(const tl_op *op, uint32_t i, bool inlined) {
  switch (op->code) {
  case TL_OP_RESHAPE:
  case TL_OP_BITCAST_CONVERT: // in memory they cost nothing
    return inlined;
  case TL_OP_TRANSPOSE:
  case TL_OP_BROADCAST_IN_DIM:
  case TL_OP_SLICE:
  case TL_OP_REVERSE:
  case TL_OP_MAP:
    return fuse_may_inline(op);
  case TL_OP_CONCATENATE:
    return true;
  case TL_OP_PAD:
    return i == 0;
  case TL_OP_DYNAMIC_UPDATE_SLICE:
    return i != 0;
  case TL_OP_DYNAMIC_SLICE:
    return i != 0;
  case TL_OP_GATHER:
    return i == 1 && fuse_may_inline(op);
  case TL_OP_REDUCE:
    return 2 * i < op->n_operands && nest_reduces(op);
  case TL_OP_DOT_GENERAL:
    return inlined || fuse_small_dot(op);
  default:
    return nest_knows(op);
  }
}

typedef struct fuse {
  planner *p;
  const tl_block *block;
  fuse_info *infos; // by position
} fuse;

static fuse_info *info_of(fuse *f, tl_value v) {
  uintptr_t at;
  if (!v->op || v->block != f->block) return NULL;
  return tl_ptr_map_get(&state_of(f->p)->positions, v->op, &at) ? &f->infos[at] : NULL;
}

static uint32_t position_of(fuse *f, const tl_op *op) {
  uintptr_t at = 0;
  (void)tl_ptr_map_get(&state_of(f->p)->positions, op, &at);
  return (uint32_t)at;
}

static void bad_uses_inside(fuse *f, const tl_op *op, uint32_t at) {
  for (uint32_t r = 0; r < op->n_regions; r++)
    for (const tl_op *inner = op->regions[r]->first; inner; inner = inner->next) {
      for (uint32_t i = 0; i < inner->n_operands; i++) {
        fuse_info *x = info_of(f, inner->operands[i]);
        if (!x) continue;
        x->bad = true;
        x->at = TL_MAX(x->at, at);
      }
      bad_uses_inside(f, inner, at);
    }
}

// What is a part of memory that is there anyway: each of its users may as well read that.
static bool reads_memory(fuse *f, const tl_op *op) {
  if (op->code != TL_OP_SLICE && op->code != TL_OP_REVERSE && op->code != TL_OP_RESHAPE)
    return false;
  const fuse_info *x = info_of(f, op->operands[0]);
  if (!x || costs_nothing(x->op) || x->uses > 1 || !fuse_may_inline(x->op)) return true;
  return reads_memory(f, x->op); // NOLINT(misc-no-recursion)
}

// Whether an op looks at elements of its operand several times.
static bool looks_again(const tl_op *op, uint32_t i) {
  if (op->n_results != 1) return false;
  const size_t result = type_count(op->results[0]->type);
  if (op->code == TL_OP_DOT_GENERAL)
    return result * nest_few_terms(op) > type_count(op->operands[i]->type);
  return expands(op) || op->code == TL_OP_DYNAMIC_SLICE ||
         (op->code == TL_OP_GATHER && op->results[0]->type.rank &&
          result > type_count(op->operands[1]->type));
}

static void decide(fuse *f, uint32_t n) {
  for (uint32_t at = 1; at <= n; at++)
    f->infos[at] =
        (fuse_info){.op = f->infos[at].op, .cut = f->infos[at].cut, .uses = f->infos[at].uses};
  for (uint32_t at = n; at > 0; at--) {
    fuse_info *x = &f->infos[at];
    const tl_op *op = x->op;
    x->inlined = !f->p->exe->cpu->unfused && x->n_users > 0 && !x->bad && !x->cut &&
                 (!x->apart || costs_nothing(op) || is_cheap(op) || reads_memory(f, op)) &&
                 fuse_may_inline(op) && !(x->repeated && !moves_only(op) && !widens(op));
    if (!x->inlined) x->at = at;
    const bool repeats = x->inlined && (x->repeated || x->apart);
    const uint32_t root = x->inlined ? x->root : at;
    const bool moved = !straight(op) || (x->inlined && (x->moved || op->code == TL_OP_REDUCE));
    for (uint32_t i = 0; i < op->n_operands; i++) {
      fuse_info *y = info_of(f, op->operands[i]);
      if (!y) continue;
      y->bad |= !accepts(op, i, x->inlined);
      y->repeated |= repeats || looks_again(op, i);
      if (y->n_users == 0) y->root = root, y->moved = moved;
      if (y->user != op && y->n_users > 0) y->apart |= y->root != root || y->moved || moved;
      y->n_users += y->user != op;
      y->user = op;
      y->at = TL_MAX(y->at, x->at);
    }
    bad_uses_inside(f, op, x->at);
  }
}

// Integers in one instruction: the rounds of a hash have a hundred, and are one program.
static bool is_bits(const tl_op *op) {
  const tl_dtype_info *d = op->n_results == 1 ? tl_dtype_get(op->results[0]->type.dtype) : NULL;
  if (!d || (d->kind != TL_KIND_INT && d->kind != TL_KIND_UINT)) return false;
  switch (op->code) {
  case TL_OP_ADD:
  case TL_OP_SUBTRACT:
  case TL_OP_AND:
  case TL_OP_OR:
  case TL_OP_XOR:
  case TL_OP_NOT:
  case TL_OP_SHIFT_LEFT:
  case TL_OP_SHIFT_RIGHT_LOGICAL:
  case TL_OP_SHIFT_RIGHT_ARITHMETIC:
    return true;
  default:
    return false;
  }
}

static bool is_constant(const tl_op *op) { // becomes one, whatever its shape
  if (op->code == TL_OP_BROADCAST_IN_DIM) op = op->operands[0]->op;
  return op && op->code == TL_OP_CONSTANT;
}

// The distinct ops of an op's program, as NEST_MAX_GROUP counts them. The depth is that of a group,
// which is bounded below.
static uint32_t program_size(fuse *f, const tl_op *op, uint32_t stamp) {
  uint32_t size = 0;
  for (uint32_t i = 0; i < op->n_operands; i++) {
    fuse_info *y = info_of(f, op->operands[i]);
    if (!y || !y->inlined || y->stamp == stamp) continue;
    y->stamp = stamp;
    size += program_size(f, y->op, stamp); // NOLINT(misc-no-recursion)
  }
  switch (op->code) {
  case TL_OP_REDUCE: // one that is no expression is a loop over its terms
    if (!f->infos[position_of(f, op)].inlined) return size + 4;
    return TL_MAX(nest_few_terms(op), 1u) * (size + 4);
  case TL_OP_DOT_GENERAL:
    return TL_MAX(nest_few_terms(op), 1u) * (size + 4);
  case TL_OP_GATHER:
    return size + 16;
  default:
    return size + (is_constant(op) ? 0 : moves_only(op) || is_bits(op) ? 1 : 4);
  }
}

static bool cut_large(fuse *f, uint32_t n) {
  uint32_t stamp = 0;
  bool any = false;
  for (uint32_t at = 1; at <= n; at++) {
    fuse_info *x = &f->infos[at];
    for (;;) {
      fuse_info *largest = NULL;
      x->size = program_size(f, x->op, ++stamp);
      for (uint32_t i = 0; i < x->op->n_operands; i++) {
        fuse_info *y = info_of(f, x->op->operands[i]);
        if (y && y->inlined && (!largest || y->size > largest->size)) largest = y;
      }
      if (x->size <= NEST_MAX_GROUP || !largest) break;
      largest->inlined = false;
      largest->cut = any = true;
    }
  }
  return any;
}

tl_status fuse_block(planner *p, const tl_block *block) {
  uint32_t n = 0;
  for (const tl_op *op = block->first; op; op = op->next)
    n++;
  fuse f = {p, block, calloc(n + 1, sizeof *f.infos)};
  if (!f.infos) return TL_OOM();
  uint32_t at = 0;
  for (const tl_op *op = block->first; op; op = op->next)
    f.infos[++at].op = op;
  for (at = 1; at <= n; at++)
    for (uint32_t i = 0; i < f.infos[at].op->n_operands; i++) {
      fuse_info *x = info_of(&f, f.infos[at].op->operands[i]);
      if (x) x->uses++;
    }
  // What was cut is a nest of its own, so what it shares with others must be looked at again.
  for (int round = 0; round < 4; round++) {
    decide(&f, n);
    if (!cut_large(&f, n)) break;
  }
  plan_state *s = state_of(p);
  bool good = true;
  for (at = 1; at <= n && good; at++) {
    const fuse_info *x = &f.infos[at];
    good = tl_ptr_map_put(&s->inlined, x->op, x->inlined);
    if (good && x->at != at) good = tl_ptr_map_put(&s->evaluated, x->op, x->at);
  }
  free(f.infos);
  return good ? TL_OK : TL_OOM();
}

bool fuse_inlined(const planner *p, const tl_op *op) {
  uintptr_t inlined;
  return tl_ptr_map_get(&((const plan_state *)(const void *)p)->inlined, op, &inlined) && inlined;
}

bool fuse_has_inlined_operand(const planner *p, const tl_op *op) {
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (op->operands[i]->op && fuse_inlined(p, op->operands[i]->op) &&
        !plan_known(p, op->operands[i]))
      return true;
  return false;
}

uint32_t fuse_evaluated_at(const planner *p, const tl_op *op, uint32_t position) {
  uintptr_t at;
  return tl_ptr_map_get(&((const plan_state *)(const void *)p)->evaluated, op, &at)
             ? TL_MAX((uint32_t)at, position)
             : position;
}
