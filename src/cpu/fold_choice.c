// A region that compares its arguments and chooses among them knows nothing of them but their
// order. So what it does is known from few cases: each state's number of three elements is in one
// of three places in the order, or a NaN. Whether the fold is associative is tried in all of them,
// which is a proof, and needs no pattern of how one writes an argmax: there are many, and they
// differ in what becomes of NaNs, of equal numbers, and of zeros of two signs.
//
// A number is identified by the element that it came from, for equal floats may have other bits
// (zeros). Equal integers have the same, and so do floats that equal a start which is no zero.
//
// That blocks begin with the start of the whole, too, asks for more: the start must make no
// difference to what began with it.
#include "cpu/fold_choice.h"

#include <string.h>

enum { STATES = 2, ELEMENTS = 3, MAX_SLOTS = 32, NAN_RANK = 3, BOOLEAN = STATES };

typedef struct choice_inst {
  tl_opcode code;
  int64_t way; // of a comparison
  uint8_t arg[3];
} choice_inst;

typedef struct choice {
  uint32_t n_states, n_slots; // slots: accumulator, element, results of instructions
  uint8_t what[MAX_SLOTS];    // the state that it is a number of, or BOOLEAN
  tl_value value[MAX_SLOTS];
  choice_inst inst[MAX_SLOTS];
  uint8_t result[STATES];
  bool is_float[STATES];
  uint8_t rank[STATES][ELEMENTS]; // of each element's numbers
} choice;

typedef struct chosen {
  uint8_t from[STATES]; // which element each number is of
} chosen;

static bool slot_of(const choice *c, tl_value v, uint8_t *out) {
  for (uint32_t i = 0; i < c->n_slots; i++)
    if (c->value[i] == v) {
      *out = (uint8_t)i;
      return true;
    }
  return false;
}

static bool understand(choice *c, const tl_op *op) {
  choice_inst x = {.code = op->code};
  bool booleans = true;
  if (c->n_slots == MAX_SLOTS || op->n_results != 1 || op->n_operands == 0 || op->n_operands > 3)
    return false;
  for (uint32_t i = 0; i < op->n_operands; i++) {
    if (!slot_of(c, op->operands[i], &x.arg[i])) return false;
    booleans &= c->what[x.arg[i]] == BOOLEAN;
  }
  const uint8_t first = c->what[x.arg[0]], second = c->what[x.arg[1]], third = c->what[x.arg[2]];
  uint8_t what = BOOLEAN;
  switch (op->code) {
  case TL_OP_COMPARE:
    x.way = tl_op_i64(op, TL_A_COMPARE_comparison_direction);
    if (first == BOOLEAN || first != second ||
        tl_op_i64(op, TL_A_COMPARE_compare_type) == TL_COMPARISON_TYPE_TOTALORDER)
      return false;
    break;
  case TL_OP_AND:
  case TL_OP_OR:
  case TL_OP_XOR:
  case TL_OP_NOT:
    if (!booleans) return false;
    break;
  case TL_OP_SELECT:
    if (first != BOOLEAN || second != third) return false;
    what = second;
    break;
  case TL_OP_MINIMUM:
  case TL_OP_MAXIMUM:
    if (first == BOOLEAN || first != second || c->is_float[first]) return false;
    what = first;
    break;
  default:
    return false;
  }
  c->value[c->n_slots] = op->results[0];
  c->what[c->n_slots] = what;
  c->inst[c->n_slots++] = x;
  return true;
}

static bool compare(int64_t way, uint8_t a, uint8_t b) {
  if (a == NAN_RANK || b == NAN_RANK) return way == TL_COMPARISON_DIRECTION_NE;
  switch ((tl_comparison_direction)way) {
  case TL_COMPARISON_DIRECTION_EQ:
    return a == b;
  case TL_COMPARISON_DIRECTION_NE:
    return a != b;
  case TL_COMPARISON_DIRECTION_GE:
    return a >= b;
  case TL_COMPARISON_DIRECTION_GT:
    return a > b;
  case TL_COMPARISON_DIRECTION_LE:
    return a <= b;
  case TL_COMPARISON_DIRECTION_LT:
    return a < b;
  default:
    return false;
  }
}

static chosen run(const choice *c, chosen a, chosen b) {
  uint8_t is[MAX_SLOTS]; // 0 or 1; or which element
  for (uint32_t i = 0; i < c->n_states; i++)
    is[i] = a.from[i], is[c->n_states + i] = b.from[i];
  for (uint32_t i = 2 * c->n_states; i < c->n_slots; i++) {
    const choice_inst *x = &c->inst[i];
    const uint8_t p = is[x->arg[0]], q = is[x->arg[1]], r = is[x->arg[2]], s = c->what[x->arg[0]];
    switch (x->code) {
    case TL_OP_COMPARE:
      is[i] = compare(x->way, c->rank[s][p], c->rank[s][q]);
      break;
    case TL_OP_AND:
      is[i] = p & q;
      break;
    case TL_OP_OR:
      is[i] = p | q;
      break;
    case TL_OP_XOR:
      is[i] = p ^ q;
      break;
    case TL_OP_NOT:
      is[i] = !p;
      break;
    case TL_OP_SELECT:
      is[i] = p ? q : r;
      break;
    case TL_OP_MINIMUM:
      is[i] = c->rank[s][q] < c->rank[s][p] ? q : p;
      break;
    default: // TL_OP_MAXIMUM
      is[i] = c->rank[s][q] > c->rank[s][p] ? q : p;
    }
  }
  chosen y = {{0}};
  for (uint32_t i = 0; i < c->n_states; i++)
    y.from[i] = is[c->result[i]];
  return y;
}

// equals: numbers that compare equal have the same bits.
static bool same(const choice *c, chosen a, chosen b, bool equals) {
  for (uint32_t i = 0; i < c->n_states; i++) {
    const uint8_t x = c->rank[i][a.from[i]], y = c->rank[i][b.from[i]];
    if (a.from[i] != b.from[i] && (x != y || x == NAN_RANK || (c->is_float[i] && !equals)))
      return false;
  }
  return true;
}

// Whether `holds` in every order of the first n elements' numbers.
static bool always(choice *c, uint32_t n, bool (*holds)(const choice *c)) {
  uint8_t *at[STATES * ELEMENTS], top[STATES * ELEMENTS];
  uint32_t n_at = 0;
  for (uint32_t s = 0; s < c->n_states; s++)
    for (uint32_t e = 0; e < n; e++)
      c->rank[s][e] = 0, top[n_at] = c->is_float[s] ? NAN_RANK : NAN_RANK - 1,
      at[n_at++] = &c->rank[s][e];
  for (;;) {
    if (!holds(c)) return false;
    uint32_t i = 0;
    while (i < n_at && *at[i] == top[i])
      *at[i++] = 0;
    if (i == n_at) return true;
    ++*at[i];
  }
}

static bool associates(const choice *c) {
  const chosen x = {{0, 0}}, y = {{1, 1}}, z = {{2, 2}};
  return same(c, run(c, run(c, x, y), z), run(c, x, run(c, y, z)), false);
}

// Element 0 is the start, which is no NaN.
static bool absorbs(const choice *c) {
  const chosen start = {{0, 0}}, x = {{1, 1}}, y = run(c, start, x);
  for (uint32_t i = 0; i < c->n_states; i++)
    if (c->rank[i][0] == NAN_RANK) return true;
  return same(c, run(c, y, start), y, true);
}

// A number that only the same bits are equal to.
static bool is_plain(tl_value v) {
  if (!v->op || v->op->code != TL_OP_CONSTANT || v->type.rank != 0) return false;
  const tl_literal *lit = tl_op_attr(v->op, TL_A_CONSTANT_value)->dense;
  uint64_t bits = 0, infinite;
  switch (v->type.dtype) {
  case TL_DTYPE_F64:
    infinite = 0x7ffu << 20;
    infinite <<= 32;
    break;
  case TL_DTYPE_F32:
    infinite = 0xffu << 23;
    break;
  case TL_DTYPE_BF16:
    infinite = 0xffu << 7;
    break;
  case TL_DTYPE_F16:
    infinite = 0x1fu << 10;
    break;
  default:
    return false;
  }
  const size_t size = tl_dtype_get(v->type.dtype)->size;
  if (lit->size < size) return false;
  memcpy(&bits, lit->data, size); // little endian, as the rest of src/cpu
  bits &= ((uint64_t)1 << (8 * size - 1)) - 1;
  return bits > 0 && bits <= infinite;
}

bool fold_chooses(const tl_op *op) {
  const tl_block *b = op->regions[0];
  choice c = {.n_states = op->n_results, .n_slots = 2 * op->n_results};
  if (c.n_states == 0 || c.n_states > STATES || b->n_args != c.n_slots) return false;
  for (uint32_t i = 0; i < c.n_slots; i++) {
    const uint32_t s = i % c.n_states;
    const tl_dtype d = b->args[i]->type.dtype;
    const int kind = tl_dtype_get(d)->kind;
    if (kind != TL_KIND_FLOAT && kind != TL_KIND_INT && kind != TL_KIND_UINT) return false;
    c.is_float[s] = kind == TL_KIND_FLOAT;
    if (c.is_float[s] && !is_plain(op->operands[c.n_states + s])) return false;
    c.value[i] = b->args[i];
    c.what[i] = (uint8_t)s;
  }
  for (const tl_op *x = b->first; x != b->last; x = x->next)
    if (!understand(&c, x)) return false;
  for (uint32_t i = 0; i < c.n_states; i++)
    if (!slot_of(&c, b->last->operands[i], &c.result[i]) || c.what[c.result[i]] != i) return false;
  return always(&c, ELEMENTS, associates) && always(&c, 2, absorbs);
}
