// A nest under construction: its memory, instructions, arrays and maps, and the ops that become
// instructions. What an element of a value is: nest_value.c. How it becomes a step: nest_plan.c.
#include "cpu/nest.h"

#include <stdlib.h>
#include <string.h>

#include "ref/lanes.h"

void nest_strides(tl_type t, int64_t strides[TL_MAX_RANK]) {
  int64_t stride = 1;
  for (uint32_t d = t.rank; d-- > 0;) {
    strides[d] = stride;
    stride = nest_mul(stride, t.dims[d]);
  }
}

// --- the nest under construction: one block of memory, copied when it is finished ---

typedef struct nest_memory {
  loop_nest loop;
  uint16_t init[64], next[64];
  loop_inst insts[NEST_MAX_INSTS];
  loop_array arrays[NEST_MAX_ARRAYS];
  loop_map maps[NEST_MAX_INSTS];
  plan_view views[NEST_MAX_ARRAYS];
  tl_value values[NEST_MAX_ARRAYS];
  bool paired[NEST_MAX_ARRAYS];
  nest_pair pairs[NEST_MAX_INSTS];
  nest_known known[NEST_MAX_KNOWN];
} nest_memory;

bool nest_begin(nest *n, planner *p, uint32_t n_dims, uint32_t n_kept, const int64_t *extent) {
  *n = (nest){.p = p, .section = n_dims > n_kept ? LOOP_BODY : LOOP_TAIL};
  if (p->error || n_dims > LOOP_MAX_DIMS) return false;
  nest_memory *m = malloc(sizeof *m);
  if (!m) {
    plan_fail(p, TL_OOM());
    return false;
  }
  m->loop = (loop_nest){.n_dims = n_dims,
                        .n_kept = n_kept,
                        .init = m->init,
                        .next = m->next,
                        .insts = m->insts,
                        .arrays = m->arrays,
                        .maps = m->maps,
                        .term = {LOOP_NONE, LOOP_NONE}};
  if (n_dims) memcpy(m->loop.extent, extent, n_dims * sizeof *extent);
  n->loop = &m->loop;
  n->views = m->views;
  n->values = m->values;
  n->paired = m->paired;
  n->pairs = m->pairs;
  n->known = m->known;
  return true;
}

void nest_drop(nest *n) {
  free(n->loop);
  n->loop = NULL;
}

nest_map nest_identity(uint32_t first, uint32_t rank) {
  nest_map m = {0};
  for (uint32_t d = 0; d < rank; d++)
    m.coef[d][first + d] = 1;
  return m;
}

static bool same_inst(const loop_inst *a, const loop_inst *b) {
  return a->kind == b->kind && a->section == b->section && a->type == b->type &&
         a->from == b->from && a->op == b->op && a->array == b->array && a->map == b->map &&
         a->index == b->index && memcmp(a->arg, b->arg, sizeof a->arg) == 0 && a->bits == b->bits;
}

static uint16_t add_inst(nest *n, loop_inst i) {
  loop_nest *l = n->loop;
  if (n->failed || n->p->error) return LOOP_NONE;
  for (uint32_t at = 0; at < l->n_insts && i.kind != LOOP_STORE; at++)
    if (same_inst(&l->insts[at], &i)) return (uint16_t)at;
  if (l->n_insts == NEST_MAX_INSTS) return nest_fail(n);
  l->insts[l->n_insts] = i;
  return (uint16_t)l->n_insts++;
}

// The section of a pure instruction: what depends on no iteration goes to the head.
static loop_section section_of(const nest *n, const loop_inst *i) {
  for (int k = 0; k < loop_n_args(i); k++)
    if (i->arg[k] != LOOP_NONE && n->loop->insts[i->arg[k]].section != LOOP_HEAD) return n->section;
  return LOOP_HEAD;
}

static bool any_failed(const nest *n, uint16_t a) { return n->failed || a == LOOP_NONE; }
static bool no_inst(const nest *n, uint16_t a) { return any_failed(n, a) || nest_is_pair(a); }

uint16_t nest_scalar(nest *n, tl_scalar op, tl_reg type, tl_reg from, uint16_t a, uint16_t b,
                     uint16_t c) {
  if (no_inst(n, a) || nest_is_pair(b) || nest_is_pair(c)) return nest_fail(n);
  loop_inst i = {
      .kind = LOOP_SCALAR, .type = type, .from = from, .op = (uint16_t)op, .arg = {a, b, c}};
  i.section = section_of(n, &i);
  return add_inst(n, i);
}

static uint16_t unary(nest *n, tl_scalar op, tl_reg type, tl_reg from, uint16_t a) {
  return nest_scalar(n, op, type, from, a, LOOP_NONE, LOOP_NONE);
}
static uint16_t binary(nest *n, tl_scalar op, tl_reg type, uint16_t a, uint16_t b) {
  return any_failed(n, b) ? nest_fail(n) : nest_scalar(n, op, type, type, a, b, LOOP_NONE);
}

uint16_t nest_pair_of(nest *n, uint16_t re, uint16_t im) {
  if (no_inst(n, re) || no_inst(n, im)) return nest_fail(n);
  for (uint32_t i = 0; i < n->n_pairs; i++)
    if (n->pairs[i].re == re && n->pairs[i].im == im) return (uint16_t)(NEST_PAIR | i);
  if (n->n_pairs == NEST_MAX_INSTS) return nest_fail(n);
  n->pairs[n->n_pairs] = (nest_pair){re, im};
  return (uint16_t)(NEST_PAIR | n->n_pairs++);
}

uint16_t nest_part(nest *n, uint16_t x, int which) {
  if (n->failed || !nest_is_pair(x)) return nest_fail(n);
  const nest_pair *p = &n->pairs[x & ~NEST_PAIR];
  return which ? p->im : p->re;
}

uint16_t nest_const(nest *n, tl_reg type, uint64_t bits) {
  return add_inst(n, (loop_inst){.kind = LOOP_CONST,
                                 .section = LOOP_HEAD,
                                 .type = type,
                                 .arg = {LOOP_NONE, LOOP_NONE, LOOP_NONE},
                                 .bits = bits});
}
uint16_t nest_s64(nest *n, int64_t value) { return nest_const(n, TL_REG_S64, (uint64_t)value); }

uint16_t nest_state(nest *n, tl_reg type, uint32_t index) {
  return add_inst(n, (loop_inst){.kind = LOOP_STATE,
                                 .section = LOOP_COMBINE,
                                 .type = type,
                                 .index = (uint16_t)index,
                                 .arg = {LOOP_NONE, LOOP_NONE, LOOP_NONE}});
}
uint16_t nest_result(nest *n, tl_reg type, uint32_t index) {
  return add_inst(n, (loop_inst){.kind = LOOP_RESULT,
                                 .section = LOOP_TAIL,
                                 .type = type,
                                 .index = (uint16_t)index,
                                 .arg = {LOOP_NONE, LOOP_NONE, LOOP_NONE}});
}

uint16_t nest_select(nest *n, uint16_t predicate, uint16_t yes, uint16_t no) {
  if (any_failed(n, predicate) || any_failed(n, yes) || any_failed(n, no)) return nest_fail(n);
  if (nest_is_pair(yes)) {
    const uint16_t re = nest_select(n, predicate, nest_part(n, yes, 0), nest_part(n, no, 0));
    return nest_pair_of(n, re,
                        nest_select(n, predicate, nest_part(n, yes, 1), nest_part(n, no, 1)));
  }
  const tl_reg r = n->loop->insts[yes].type;
  return nest_scalar(n, TL_SCALAR_SELECT, r, r, predicate, yes, no);
}

uint16_t nest_zero(nest *n, tl_dtype d) {
  tl_reg r;
  if (!loop_reg_of(nest_part_dtype(d), &r)) return nest_fail(n);
  const uint16_t zero = nest_const(n, r, 0);
  return nest_is_complex(d) ? nest_pair_of(n, zero, zero) : zero;
}

uint16_t nest_fold_state(nest *n, uint16_t init, uint32_t *index) {
  if (n->failed || init == LOOP_NONE) return nest_fail(n);
  if (nest_is_pair(init)) {
    const uint16_t re = nest_fold_state(n, nest_part(n, init, 0), index);
    return nest_pair_of(n, re, nest_fold_state(n, nest_part(n, init, 1), index));
  }
  n->loop->init[*index] = init;
  return nest_state(n, n->loop->insts[init].type, (*index)++);
}
void nest_fold_next(nest *n, uint16_t next, uint32_t *index) {
  if (n->failed || next == LOOP_NONE) {
    n->failed = true;
  } else if (nest_is_pair(next)) {
    n->loop->next[(*index)++] = nest_part(n, next, 0);
    n->loop->next[(*index)++] = nest_part(n, next, 1);
  } else {
    n->loop->next[(*index)++] = next;
  }
}
uint16_t nest_fold_result(nest *n, uint16_t init, uint32_t *index) {
  if (n->failed || init == LOOP_NONE) return nest_fail(n);
  if (nest_is_pair(init)) {
    const uint16_t re = nest_fold_result(n, nest_part(n, init, 0), index);
    return nest_pair_of(n, re, nest_fold_result(n, nest_part(n, init, 1), index));
  }
  return nest_result(n, n->loop->insts[init].type, (*index)++);
}

// --- memory ---

static uint16_t add_map(nest *n, const loop_map *m) {
  loop_nest *l = n->loop;
  for (uint32_t i = 0; i < l->n_maps; i++)
    if (memcmp(&l->maps[i], m, sizeof *m) == 0) return (uint16_t)i;
  if (l->n_maps == NEST_MAX_INSTS) return nest_fail(n);
  l->maps[l->n_maps] = *m;
  return (uint16_t)l->n_maps++;
}

// Of an array of t's elements, or of their parts (which: 0 or 1; -1: t is not complex).
static uint16_t linear_map(nest *n, tl_type t, const nest_map *m, int which, bool *out_moves) {
  int64_t strides[TL_MAX_RANK];
  loop_map linear = {.offset = which > 0};
  nest_strides(t, strides);
  for (uint32_t d = 0; d < t.rank && which >= 0; d++)
    strides[d] = nest_mul(strides[d], 2);
  for (uint32_t d = 0; d < t.rank; d++) {
    linear.offset = nest_add(linear.offset, nest_mul(m->offset[d], strides[d]));
    for (uint32_t k = 0; k < n->loop->n_dims; k++)
      linear.stride[k] = nest_add(linear.stride[k], nest_mul(m->coef[d][k], strides[d]));
  }
  *out_moves = false;
  for (uint32_t k = 0; k < n->loop->n_dims; k++) {
    if (n->loop->extent[k] == 1) linear.stride[k] = 0; // its index is 0
    *out_moves |= linear.stride[k] != 0;
  }
  return add_map(n, &linear);
}

// Of t's elements as dtype d, or of their parts.
static uint16_t add_array(nest *n, plan_view view, tl_type t, tl_dtype d, tl_value v, bool out) {
  loop_nest *l = n->loop;
  const bool paired = nest_is_complex(t.dtype);
  for (uint32_t a = 0; a < l->n_arrays; a++)
    if (l->arrays[a].out == out && l->arrays[a].dtype == d && n->paired[a] == paired &&
        n->views[a].buf == view.buf && n->views[a].offset == view.offset &&
        n->views[a].size == view.size)
      return (uint16_t)a;
  if (l->n_arrays == NEST_MAX_ARRAYS) return nest_fail(n);
  l->arrays[l->n_arrays] = (loop_array){d, out, type_count(t) << paired};
  n->paired[l->n_arrays] = paired;
  n->views[l->n_arrays] = view;
  n->values[l->n_arrays] = v;
  return (uint16_t)l->n_arrays++;
}

// which: of complex elements the part, else -1.
static uint16_t load_one(nest *n, plan_view view, tl_value v, tl_type t, const nest_map *m,
                         uint16_t dynamic, int which) {
  loop_inst i = {.kind = LOOP_LOAD, .arg = {dynamic, LOOP_NONE, LOOP_NONE}};
  tl_dtype d;
  if (n->failed || n->p->error || !loop_moves(nest_part_dtype(t.dtype), &d, &i.type))
    return nest_fail(n);
  bool moves;
  i.from = i.type;
  i.map = linear_map(n, t, m, which, &moves);
  i.array = add_array(n, view, t, d, v, false);
  i.section = moves ? n->section : section_of(n, &i);
  return n->failed ? LOOP_NONE : add_inst(n, i);
}

// An offset in elements as one in parts.
static uint16_t of_parts(nest *n, uint16_t dynamic) {
  return dynamic == LOOP_NONE ? LOOP_NONE
                              : binary(n, TL_SCALAR_MUL, TL_REG_S64, dynamic, nest_s64(n, 2));
}

static uint16_t load(nest *n, plan_view view, tl_value v, tl_type t, const nest_map *m,
                     uint16_t dynamic) {
  if (!nest_is_complex(t.dtype)) return load_one(n, view, v, t, m, dynamic, -1);
  dynamic = of_parts(n, dynamic);
  const uint16_t re = load_one(n, view, v, t, m, dynamic, 0);
  return nest_pair_of(n, re, load_one(n, view, v, t, m, dynamic, 1));
}

uint16_t nest_load(nest *n, tl_value v, const nest_map *m, uint16_t dynamic) {
  if (n->failed) return LOOP_NONE;
  plan_ensure(n->p, v);
  const plan_view view = plan_operand(n->p, v);
  return load(n, view, v, v->type, m, dynamic);
}

uint16_t nest_load_view(nest *n, plan_view view, tl_type type, const nest_map *m) {
  return load(n, view, NULL, type, m, LOOP_NONE);
}

static void store_one(nest *n, plan_view out, tl_type type, const nest_map *m, uint16_t dynamic,
                      uint16_t x, int which) {
  loop_inst i = {.kind = LOOP_STORE, .section = LOOP_TAIL, .arg = {x, dynamic, LOOP_NONE}};
  bool moves;
  tl_dtype d;
  if (no_inst(n, x) || n->p->error || !loop_moves(nest_part_dtype(type.dtype), &d, &i.type)) {
    n->failed = true;
    return;
  }
  i.from = i.type;
  i.map = linear_map(n, type, m, which, &moves);
  i.array = add_array(n, out, type, d, NULL, true);
  if (!n->failed) add_inst(n, i);
}

void nest_store(nest *n, plan_view out, tl_type type, const nest_map *m, uint16_t dynamic,
                uint16_t x) {
  if (!nest_is_complex(type.dtype)) {
    store_one(n, out, type, m, dynamic, x, -1);
    return;
  }
  dynamic = of_parts(n, dynamic);
  for (int which = 0; which < 2; which++)
    store_one(n, out, type, m, dynamic, nest_part(n, x, which), which);
}

void nest_store_part(nest *n, plan_view out, tl_type type, const nest_map *m, uint16_t x,
                     int which) {
  store_one(n, out, type, m, LOOP_NONE, x, which);
}

uint16_t nest_index(nest *n, const loop_map *m) {
  loop_inst i = {.kind = LOOP_INDEX, .type = TL_REG_S64, .arg = {LOOP_NONE, LOOP_NONE, LOOP_NONE}};
  loop_map map = *m;
  bool moves = false;
  for (uint32_t k = 0; k < n->loop->n_dims; k++) {
    if (n->loop->extent[k] == 1) map.stride[k] = 0;
    moves |= map.stride[k] != 0;
  }
  i.map = add_map(n, &map);
  i.section = moves ? n->section : LOOP_HEAD;
  return n->failed ? LOOP_NONE : add_inst(n, i);
}

// --- ops ---

static bool is_float(tl_reg r) { return r == TL_REG_F32 || r == TL_REG_F64; }
static bool is_half(tl_dtype d) { return d == TL_DTYPE_BF16 || d == TL_DTYPE_F16; }

bool nest_narrow_float(tl_dtype d) {
  tl_reg r;
  return d != TL_DTYPE_F32 && loop_reg_of(d, &r) && r == TL_REG_F32;
}

// Of integers of 2 and 4 bits; 0 for all others.
static uint32_t few_bits(tl_dtype d) {
  const tl_dtype_info *info = tl_dtype_get(d);
  const bool is_integer = info->kind == TL_KIND_INT || info->kind == TL_KIND_UINT;
  return is_integer && info->bits < 8 ? info->bits : 0;
}

static uint16_t shifted(nest *n, tl_scalar op, tl_reg r, uint16_t x, uint32_t by) {
  return binary(n, op, r, x, nest_const(n, r, by));
}
// The low bits of an integer of few, zeros above them.
static uint16_t low_bits(nest *n, tl_dtype d, uint16_t x) {
  tl_reg r;
  if (!loop_reg_of(d, &r)) return nest_fail(n);
  return binary(n, TL_SCALAR_AND, r, x, nest_const(n, r, (1u << few_bits(d)) - 1));
}

static uint16_t rounded(nest *n, tl_dtype d, tl_reg from, uint16_t x) { // to a narrow float
  tl_minifloat f;
  if (!loop_minifloat(d, &f))
    return unary(n, d == TL_DTYPE_BF16 ? TL_SCALAR_BF16 : TL_SCALAR_F16, TL_REG_F32, from, x);
  if (any_failed(n, x)) return nest_fail(n);
  loop_inst i = {.kind = LOOP_ROUND,
                 .type = TL_REG_F32,
                 .from = from,
                 .op = (uint16_t)d,
                 .arg = {x, LOOP_NONE, LOOP_NONE}};
  i.section = section_of(n, &i);
  return add_inst(n, i);
}

uint16_t nest_round(nest *n, tl_dtype d, uint16_t x) {
  const uint32_t bits = few_bits(d);
  if (nest_narrow_float(d)) return rounded(n, d, TL_REG_F32, x);
  if (!bits) return x;
  if (tl_dtype_get(d)->kind == TL_KIND_UINT) return low_bits(n, d, x);
  return shifted(n, TL_SCALAR_SAR, TL_REG_S8, shifted(n, TL_SCALAR_SHL, TL_REG_S8, x, 8 - bits),
                 8 - bits);
}

uint16_t nest_convert(nest *n, tl_dtype from, tl_dtype to, uint16_t x) {
  tl_reg a, b;
  if (nest_is_complex(to)) {
    const tl_dtype part = nest_part_dtype(to), of = nest_part_dtype(from);
    const bool both = nest_is_complex(from);
    if (!loop_reg_of(part, &b)) return nest_fail(n);
    const uint16_t re = nest_convert(n, of, part, both ? nest_part(n, x, 0) : x);
    return nest_pair_of(n, re,
                        both ? nest_convert(n, of, part, nest_part(n, x, 1)) : nest_const(n, b, 0));
  }
  if (nest_is_complex(from)) return nest_convert(n, nest_part_dtype(from), to, nest_part(n, x, 0));
  if (!loop_reg_of(from, &a) || !loop_reg_of(to, &b)) return nest_fail(n);
  if (from == to) return x;
  if (nest_narrow_float(to)) {
    if (a == TL_REG_F32) return rounded(n, to, a, x);
    if (a == TL_REG_S64 || a == TL_REG_U64)
      x = unary(n, TL_SCALAR_ODD, TL_REG_F64, a, x);
    else if (a != TL_REG_F64)
      x = unary(n, TL_SCALAR_CONVERT, TL_REG_F64, a, x);
    return rounded(n, to, TL_REG_F64, x);
  }
  if (a != b) x = unary(n, TL_SCALAR_CONVERT, b, a, x);
  const uint32_t bits = few_bits(to);
  if (!bits) return x;
  if (!is_float(a)) return nest_round(n, to, x); // integers wrap, floats saturate
  const bool is_signed = b == TL_REG_S8;
  const uint64_t high = ((uint64_t)1 << (bits - is_signed)) - 1;
  x = binary(n, TL_SCALAR_MIN, b, x, nest_const(n, b, high));
  return is_signed ? binary(n, TL_SCALAR_MAX, b, x, nest_const(n, b, (uint8_t)~high)) : x;
}

// The instruction of an elementwise op on registers of type r; TL_SCALAR_COUNT: none.
static tl_scalar scalar_of(tl_opcode op, tl_reg r) {
  switch (op) {
#define ROW(id, scalar, when) \
  case TL_OP_##id:            \
    return (when) ? TL_SCALAR_##scalar : TL_SCALAR_COUNT;
    ROW(ADD, ADD, true)
    ROW(SUBTRACT, SUB, true)
    ROW(MULTIPLY, MUL, true)
    ROW(DIVIDE, DIV, true)
    ROW(MAXIMUM, MAX, true)
    ROW(MINIMUM, MIN, true)
    ROW(REMAINDER, REM, !is_float(r))
    ROW(POWER, POW, true)
    ROW(AND, AND, !is_float(r))
    ROW(OR, OR, !is_float(r))
    ROW(XOR, XOR, !is_float(r))
    ROW(SHIFT_LEFT, SHL, !is_float(r))
    ROW(SHIFT_RIGHT_ARITHMETIC, SAR, !is_float(r))
    ROW(SHIFT_RIGHT_LOGICAL, SHR, !is_float(r))
    ROW(NEGATE, NEG, true)
    ROW(ABS, ABS, true)
    ROW(SIGN, SIGN, true)
    ROW(NOT, NOT, !is_float(r))
    ROW(POPCNT, POPCNT, !is_float(r))
    ROW(COUNT_LEADING_ZEROS, CLZ, !is_float(r))
    ROW(FLOOR, FLOOR, is_float(r))
    ROW(CEIL, CEIL, is_float(r))
    ROW(ROUND_NEAREST_AFZ, ROUND, is_float(r))
    ROW(ROUND_NEAREST_EVEN, RINT, is_float(r))
    ROW(SQRT, SQRT, is_float(r))
    ROW(RSQRT, RSQRT, is_float(r))
    ROW(EXPONENTIAL, EXP, is_float(r))
    ROW(EXPONENTIAL_MINUS_ONE, EXPM1, is_float(r))
    ROW(LOG, LOG, is_float(r))
    ROW(LOG_PLUS_ONE, LOG1P, is_float(r))
    ROW(TANH, TANH, is_float(r))
    ROW(LOGISTIC, LOGISTIC, is_float(r))
    ROW(SINE, SIN, is_float(r))
    ROW(COSINE, COS, is_float(r))
    ROW(TAN, TAN, is_float(r))
    ROW(CBRT, CBRT, is_float(r))
    ROW(ATAN2, ATAN2, is_float(r))
    ROW(ERF, ERF, is_float(r))
    ROW(ERFC, ERFC, is_float(r))
    ROW(ERF_INV, ERF_INV, is_float(r))
#undef ROW
  default:
    return TL_SCALAR_COUNT;
  }
}

static bool exact(tl_scalar s) { // of halves it gives halves
  return s == TL_SCALAR_NEG || s == TL_SCALAR_ABS || s == TL_SCALAR_SIGN || s == TL_SCALAR_MAX ||
         s == TL_SCALAR_MIN;
}

// Whether the interpreter's lanes know the op for elements of d.
static bool lanes_know(const tl_op *op, tl_dtype d) {
  tl_lanes none = {0};
  const tl_lanes_kind kind = tl_lanes_kind_of(d);
  return op->n_operands == 1
             ? tl_lanes_unary(op->code, kind, tl_lanes_bits(d), 0, &none, &none)
             : tl_lanes_binary(op->code, kind, tl_lanes_bits(d), 0, &none, &none, &none);
}

bool nest_computes(tl_dtype d) {
  tl_reg r;
  return loop_reg_of(nest_part_dtype(d), &r);
}
bool nest_moves(tl_dtype d) {
  tl_dtype as;
  tl_reg r;
  return loop_moves(nest_part_dtype(d), &as, &r);
}

bool nest_knows(const tl_op *op) {
  if (op->n_results != 1) return false;
  if (op->code == TL_OP_SELECT) return nest_moves(op->results[0]->type.dtype); // of any type
  bool complex = false;
  for (uint32_t i = 0; i < op->n_operands + op->n_results; i++) {
    const tl_value v = i < op->n_operands ? op->operands[i] : op->results[0];
    if (!nest_computes(v->type.dtype)) return false;
    complex |= nest_is_complex(v->type.dtype);
  }
  const tl_dtype d = op->results[0]->type.dtype;
  tl_minifloat f;
  tl_reg r, x;
  switch (op->code) {
  case TL_OP_CLAMP:
  case TL_OP_CONVERT:
  case TL_OP_IS_FINITE:
  case TL_OP_REAL:
  case TL_OP_IMAG:
  case TL_OP_COMPLEX:
    return true;
  case TL_OP_COMPARE: // the keys of a total order are those of the bits in memory
    return complex || !loop_minifloat(op->operands[0]->type.dtype, &f) ||
           tl_op_i64(op, TL_A_COMPARE_compare_type) != TL_COMPARISON_TYPE_TOTALORDER;
  case TL_OP_REDUCE_PRECISION:
    return !loop_minifloat(d, &f);
  case TL_OP_BITCAST_CONVERT: // of one size, where registers hold the bits of memory
    if (complex) return false;
    loop_reg_of(d, &r);
    loop_reg_of(op->operands[0]->type.dtype, &x);
    return loop_reg_size(r) == loop_reg_size(x) && !nest_narrow_float(d) && !few_bits(d) &&
           !nest_narrow_float(op->operands[0]->type.dtype) &&
           !few_bits(op->operands[0]->type.dtype) && r != TL_REG_I1 && x != TL_REG_I1;
  default:
    break;
  }
  if (!(tl_op_get(op->code)->traits & TL_ELEMWISE) || op->n_operands < 1 || op->n_operands > 2)
    return false;
  if (complex) return lanes_know(op, op->operands[0]->type.dtype);
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (op->operands[i]->type.dtype != d) return false;
  loop_reg_of(d, &r);
  return scalar_of(op->code, r) != TL_SCALAR_COUNT || (!few_bits(d) && lanes_know(op, d));
}

static uint16_t compare(nest *n, const tl_op *op, const uint16_t *args) {
  static const tl_scalar of[] = {
      [TL_COMPARISON_DIRECTION_EQ] = TL_SCALAR_EQ, [TL_COMPARISON_DIRECTION_NE] = TL_SCALAR_NE,
      [TL_COMPARISON_DIRECTION_GE] = TL_SCALAR_GE, [TL_COMPARISON_DIRECTION_GT] = TL_SCALAR_GT,
      [TL_COMPARISON_DIRECTION_LE] = TL_SCALAR_LE, [TL_COMPARISON_DIRECTION_LT] = TL_SCALAR_LT};
  const tl_scalar way = of[tl_op_i64(op, TL_A_COMPARE_comparison_direction)];
  tl_reg r;
  if (!loop_reg_of(op->operands[0]->type.dtype, &r)) return nest_fail(n);
  uint16_t a = args[0], b = args[1];
  if (is_float(r) && tl_op_i64(op, TL_A_COMPARE_compare_type) == TL_COMPARISON_TYPE_TOTALORDER) {
    const tl_reg key = r == TL_REG_F32 ? TL_REG_U32 : TL_REG_U64;
    a = unary(n, TL_SCALAR_ORDER, key, r, a);
    b = unary(n, TL_SCALAR_ORDER, key, r, b);
    r = key;
  }
  return any_failed(n, b) ? nest_fail(n) : nest_scalar(n, way, TL_REG_I1, r, a, b, LOOP_NONE);
}

// Ops that see how wide their type is, of integers of 2 and 4 bits; LOOP_NONE: not such an op.
static uint16_t of_few_bits(nest *n, tl_opcode op, tl_dtype d, const uint16_t *args) {
  const uint32_t more = 8 - few_bits(d);
  tl_reg r;
  if (!loop_reg_of(d, &r)) return nest_fail(n);
  switch (op) {
  case TL_OP_SHIFT_RIGHT_LOGICAL:
    return binary(n, TL_SCALAR_SHR, r, low_bits(n, d, args[0]), args[1]);
  case TL_OP_SHIFT_RIGHT_ARITHMETIC: // the highest bit is the sign, of unsigned types too
    if (r == TL_REG_S8) return LOOP_NONE;
    return shifted(
        n, TL_SCALAR_SHR, r,
        binary(n, TL_SCALAR_SAR, r, shifted(n, TL_SCALAR_SHL, r, args[0], more), args[1]), more);
  case TL_OP_POPCNT:
    return unary(n, TL_SCALAR_POPCNT, r, r, low_bits(n, d, args[0]));
  case TL_OP_COUNT_LEADING_ZEROS:
    return binary(n, TL_SCALAR_SUB, r, unary(n, TL_SCALAR_CLZ, r, r, low_bits(n, d, args[0])),
                  nest_const(n, r, more));
  default:
    return LOOP_NONE;
  }
}

// Of operands z and w (LOOP_NONE: none), by the interpreter's function.
static uint16_t complex_call(nest *n, tl_opcode op, tl_reg r, uint16_t z, uint16_t w) {
  const bool two = w != LOOP_NONE;
  loop_inst i = {.kind = LOOP_COMPLEX,
                 .type = r,
                 .from = r,
                 .op = (uint16_t)op,
                 .arg = {nest_part(n, z, 0), nest_part(n, z, 1),
                         two ? nest_part(n, w, 0) : LOOP_NONE,
                         two ? nest_part(n, w, 1) : LOOP_NONE}};
  if (n->failed) return LOOP_NONE;
  i.section = section_of(n, &i);
  const uint16_t re = add_inst(n, i);
  if (op == TL_OP_ABS || any_failed(n, re)) return re;
  return nest_pair_of(n, re,
                      add_inst(n, (loop_inst){.kind = LOOP_IMAG,
                                              .section = i.section,
                                              .type = r,
                                              .from = r,
                                              .arg = {re, LOOP_NONE, LOOP_NONE}}));
}

// Lexicographic, as the interpreter compares.
static uint16_t complex_compare(nest *n, const tl_op *op, tl_reg r, uint16_t z, uint16_t w) {
  static const tl_scalar strict[] = {[TL_COMPARISON_DIRECTION_GE] = TL_SCALAR_GT,
                                     [TL_COMPARISON_DIRECTION_GT] = TL_SCALAR_GT,
                                     [TL_COMPARISON_DIRECTION_LE] = TL_SCALAR_LT,
                                     [TL_COMPARISON_DIRECTION_LT] = TL_SCALAR_LT};
  static const tl_scalar last[] = {
      [TL_COMPARISON_DIRECTION_EQ] = TL_SCALAR_EQ, [TL_COMPARISON_DIRECTION_NE] = TL_SCALAR_EQ,
      [TL_COMPARISON_DIRECTION_GE] = TL_SCALAR_GE, [TL_COMPARISON_DIRECTION_GT] = TL_SCALAR_GT,
      [TL_COMPARISON_DIRECTION_LE] = TL_SCALAR_LE, [TL_COMPARISON_DIRECTION_LT] = TL_SCALAR_LT};
  const int64_t way = tl_op_i64(op, TL_A_COMPARE_comparison_direction);
  const uint16_t x = nest_part(n, z, 0), u = nest_part(n, w, 0),
                 tie = nest_scalar(n, TL_SCALAR_EQ, TL_REG_I1, r, x, u, LOOP_NONE),
                 im = nest_scalar(n, last[way], TL_REG_I1, r, nest_part(n, z, 1),
                                  nest_part(n, w, 1), LOOP_NONE);
  if (way == TL_COMPARISON_DIRECTION_EQ || way == TL_COMPARISON_DIRECTION_NE) {
    const uint16_t equal = binary(n, TL_SCALAR_AND, TL_REG_I1, tie, im);
    return way == TL_COMPARISON_DIRECTION_EQ ? equal
                                             : unary(n, TL_SCALAR_NOT, TL_REG_I1, TL_REG_I1, equal);
  }
  return nest_scalar(n, TL_SCALAR_SELECT, TL_REG_I1, TL_REG_I1, tie, im,
                     nest_scalar(n, strict[way], TL_REG_I1, r, x, u, LOOP_NONE));
}

// An op with complex operands or a complex result, a part at a time or by the interpreter's
// function.
static uint16_t complex_op(nest *n, const tl_op *op, const uint16_t *args) {
  const tl_dtype d = op->results[0]->type.dtype, from = op->operands[0]->type.dtype;
  tl_reg r;
  n->n_ops++;
  if (op->code == TL_OP_CONVERT) return nest_convert(n, from, d, args[0]);
  if (!loop_reg_of(nest_part_dtype(from), &r)) return nest_fail(n);
  uint16_t part[2];
  switch (op->code) {
  case TL_OP_COMPLEX:
    return nest_pair_of(n, args[0], args[1]);
  case TL_OP_REAL:
  case TL_OP_IMAG:
    return nest_part(n, args[0], op->code == TL_OP_IMAG);
  case TL_OP_COMPARE:
    return complex_compare(n, op, r, args[0], args[1]);
  case TL_OP_SELECT:
    return nest_select(n, args[0], args[1], args[2]);
  case TL_OP_ADD:
  case TL_OP_SUBTRACT:
    for (int k = 0; k < 2; k++)
      part[k] = binary(n, op->code == TL_OP_ADD ? TL_SCALAR_ADD : TL_SCALAR_SUB, r,
                       nest_part(n, args[0], k), nest_part(n, args[1], k));
    break;
  case TL_OP_NEGATE:
    for (int k = 0; k < 2; k++)
      part[k] = unary(n, TL_SCALAR_NEG, r, r, nest_part(n, args[0], k));
    break;
  case TL_OP_CLAMP:
    return complex_call(n, TL_OP_MINIMUM, r, complex_call(n, TL_OP_MAXIMUM, r, args[1], args[0]),
                        args[2]);
  default:
    return complex_call(n, op->code, r, args[0], op->n_operands > 1 ? args[1] : LOOP_NONE);
  }
  return nest_pair_of(n, part[0], part[1]);
}

uint16_t nest_op(nest *n, const tl_op *op, const uint16_t *args, bool wide) {
  bool complex = nest_is_complex(op->results[0]->type.dtype);
  for (uint32_t i = 0; i < op->n_operands; i++) {
    if (any_failed(n, args[i])) return nest_fail(n);
    complex |= nest_is_pair(args[i]);
  }
  if (complex) return complex_op(n, op, args);
  const tl_dtype d = op->results[0]->type.dtype, from = op->operands[0]->type.dtype;
  tl_dtype as;
  tl_reg r, x;
  if (!loop_moves(d, &as, &r) || !loop_reg_of(from, &x)) return nest_fail(n);
  n->n_ops++;
  switch (op->code) {
  case TL_OP_REAL:
    return args[0];
  case TL_OP_IMAG: { // of a real number: zero, or what no bits are where there is none
    tl_minifloat f;
    return nest_const(n, r, loop_minifloat(d, &f) ? tl_bits_of_f32(tl_f32_of_minifloat(f, 0)) : 0);
  }
  case TL_OP_SELECT:
    return nest_scalar(n, TL_SCALAR_SELECT, r, r, args[0], args[1], args[2]);
  case TL_OP_CLAMP:
    return binary(n, TL_SCALAR_MIN, r, binary(n, TL_SCALAR_MAX, r, args[1], args[0]), args[2]);
  case TL_OP_CONVERT:
    return nest_convert(n, from, d, args[0]);
  case TL_OP_COMPARE:
    return compare(n, op, args);
  case TL_OP_IS_FINITE:
    return unary(n, TL_SCALAR_FINITE, TL_REG_I1, x, args[0]);
  case TL_OP_BITCAST_CONVERT:
    return r == x ? args[0] : unary(n, TL_SCALAR_BITS, r, x, args[0]);
  case TL_OP_REDUCE_PRECISION: {
    loop_inst i = {.kind = LOOP_NARROW,
                   .type = r,
                   .from = r,
                   .op = (uint16_t)d,
                   .arg = {args[0], LOOP_NONE, LOOP_NONE},
                   .bits = (uint64_t)tl_op_i64(op, TL_A_REDUCE_PRECISION_exponent_bits) << 32 |
                           (uint32_t)tl_op_i64(op, TL_A_REDUCE_PRECISION_mantissa_bits)};
    i.section = section_of(n, &i);
    return add_inst(n, i);
  }
  default:
    break;
  }
  const tl_scalar s = scalar_of(op->code, r);
  if (nest_narrow_float(d) && (s == TL_SCALAR_ERF || s == TL_SCALAR_ERFC || s == TL_SCALAR_ERF_INV))
    return rounded(
        n, d, TL_REG_F64, // computed in f64, whatever the type, and rounded once
        unary(n, s, TL_REG_F64, TL_REG_F64, unary(n, TL_SCALAR_CONVERT, TL_REG_F64, r, args[0])));
  uint16_t y = few_bits(d) ? of_few_bits(n, op->code, d, args) : LOOP_NONE;
  if (n->failed) return LOOP_NONE;
  if (y != LOOP_NONE) {
    // done
  } else if (s != TL_SCALAR_COUNT) {
    y = nest_scalar(n, s, r, r, args[0], op->n_operands > 1 ? args[1] : LOOP_NONE, LOOP_NONE);
  } else {
    loop_inst i = {.kind = LOOP_REF,
                   .type = r,
                   .from = r,
                   .op = (uint16_t)op->code,
                   .arg = {args[0], op->n_operands > 1 ? args[1] : LOOP_NONE, LOOP_NONE}};
    i.section = section_of(n, &i);
    y = add_inst(n, i);
  }
  if (nest_narrow_float(d) && (wide || (is_half(d) && exact(s)))) return y;
  return nest_round(n, d, y); // integers of few bits wrap at every step
}
