// sort, stably, in one of two ways that give the interpreter's order.
//
// By keys, where the comparator is `f(a) < f(b)` or `>` of one operand, whatever f: f runs over the
// whole operand as a nest, and its value becomes an unsigned number of the same order. A slice of
// numbers is sorted by its digits, lowest first (a counting sort each, which is stable). That is
// only right for a total order: of floats that are not compared by totalOrder, slices with a NaN go
// the other way, and zeros of both signs become one.
//
// Where only the first few of a slice's places are looked at (a top k), only these are put in
// order.
//
// By merging, with the comparator's program, in the very steps of ref/sort.c: a comparator that is
// no order at all gives the same answer too. All merges of a level advance together, so that the
// program compares up to 256 pairs at a time.
#include "cpu/lower.h"

#include <string.h>

#include "cpu/nest.h"
#include "cpu/sort_keys.h"
#include "cpu/tile.h"
#include "ref/complex.h"

enum { BATCH = 256, MAX_INPUTS = 8, MAX_DEPTH = 12, PARALLEL_ELEMENTS = 4096, SHARED = 8192 };

typedef struct sort_params {
  uint32_t n; // operands
  size_t len, stride, slices;
  size_t first; // of a slice's places, that are looked at
  size_t size[MAX_INPUTS];
  bool keyed;  // by keys, but for slices with a NaN whose keys have no order
  bool shared; // a slice is worth several threads
  sort_keys keys;
  nest_program less; // of 2n arguments, dense
  bool has_less;
} sort_params;

// --- by merging ---

typedef struct merging { // in scratch
  uint8_t arg[2 * MAX_INPUTS][BATCH * 16];
  uint8_t less[BATCH];
  size_t a[BATCH], b[BATCH], k[BATCH], middle[BATCH], to[BATCH]; // of the merges under way
  uint32_t which[BATCH];                                         // a merge of each pair
} merging;

static void fetch(const sort_params *e, const plan_step *s, const plan_exec *x, merging *m,
                  size_t base, size_t lane, uint32_t left, uint32_t right) {
  for (uint32_t i = 0; i < e->n; i++) {
    const uint8_t *p = step_in(s, x, i);
    const size_t size = e->size[i];
    memcpy(m->arg[2 * i] + lane * size, p + (base + left * e->stride) * size, size);
    memcpy(m->arg[2 * i + 1] + lane * size, p + (base + right * e->stride) * size, size);
  }
}

static void order_by_merging(const plan_step *s, plan_exec *x, void *const *arrays, merging *m,
                             uint8_t *tiles, size_t base, uint32_t *order, uint32_t *spare) {
  const sort_params *e = s->params;
  const size_t len = e->len;
  uint32_t *in = order, *out = spare;
  for (size_t i = 0; i < len; i++)
    in[i] = (uint32_t)i;
  for (size_t run = 1; run < len; run *= 2) {
    for (size_t first = 0; first < len;) { // up to BATCH merges of this level
      uint32_t n = 0;
      for (; n < BATCH && first < len; n++, first += TL_MIN(2 * run, len - first)) {
        m->a[n] = m->k[n] = first;
        m->middle[n] = m->b[n] = TL_MIN(first + run, len);
        m->to[n] = TL_MIN(first + 2 * run, len);
      }
      for (;;) {
        uint32_t pairs = 0;
        for (uint32_t i = 0; i < n; i++) {
          if (m->a[i] == m->middle[i] || m->b[i] == m->to[i]) continue;
          fetch(e, s, x, m, base, pairs, in[m->b[i]], in[m->a[i]]);
          m->which[pairs++] = i;
        }
        if (pairs == 0) break;
        tile_run(e->less.tile, x->exe->cpu->kernels, arrays, tiles, 0, pairs);
        for (uint32_t q = 0; q < pairs; q++) {
          const uint32_t i = m->which[q];
          out[m->k[i]++] = m->less[q] ? in[m->b[i]++] : in[m->a[i]++];
        }
      }
      for (uint32_t i = 0; i < n; i++) { // what is left of one side
        while (m->a[i] < m->middle[i])
          out[m->k[i]++] = in[m->a[i]++];
        while (m->b[i] < m->to[i])
          out[m->k[i]++] = in[m->b[i]++];
      }
    }
    uint32_t *swap = in;
    in = out;
    out = swap;
  }
  if (in != order) memcpy(order, in, len * sizeof *order);
}

// --- the step ---

// Entries [first, last) of a slice of operand i.
static void permute(const sort_params *e, uint32_t i, const uint8_t *from, uint8_t *to, size_t base,
                    const uint32_t *order, size_t first, size_t last) {
#define MOVE(T)                                                       \
  for (size_t j = first; j < last; j++)                               \
    ((T *)(void *)to)[base + j * e->stride] =                         \
        ((const T *)(const void *)from)[base + order[j] * e->stride]; \
  break
  switch (e->size[i]) {
  case 1:
    MOVE(uint8_t);
  case 2:
    MOVE(uint16_t);
  case 4:
    MOVE(uint32_t);
  case 16:
    MOVE(tl_c128);
  default:
    MOVE(uint64_t);
  }
#undef MOVE
}

// Slices are divided among the parts. Those that are left over, fewer than there are parts, are
// shared by all where that is worth its barriers.
static void run_sort(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const sort_params *e = s->params;
  const size_t together = e->shared && n_parts > 1 ? e->slices % n_parts : 0;
  size_t from, to, first, last;
  tl_pool_range(e->slices - together, 1, part, n_parts, &from, &to);
  tl_pool_range(e->first, 1, part, n_parts, &first, &last);
  uint32_t *order = (uint32_t *)(void *)x->scratch, *spare = order + e->len;
  const size_t keys_at = tl_round_up(2 * e->len * sizeof *order, 64);
  merging *m =
      (merging *)(void *)(x->scratch + keys_at + (e->keyed ? sort_keys_scratch(&e->keys) : 0));
  uint8_t *tiles = (uint8_t *)m + tl_round_up(sizeof *m, 64);
  uint8_t *own[2 * MAX_INPUTS + 1];
  void *arrays[NEST_MAX_ARRAYS];
  if (e->has_less) {
    for (uint32_t i = 0; i < 2 * e->n; i++)
      own[i] = m->arg[i];
    own[2 * e->n] = m->less;
    nest_program_arrays(&e->less, s, x, e->n + e->keyed, own, arrays);
  }
  for (size_t k = from; k < to + together; k++) {
    const bool ours = k >= to;
    const size_t slice = ours ? e->slices - together + (k - to) : k,
                 base = slice / e->stride * (e->stride * e->len) + slice % e->stride;
    const uint8_t *keys =
        e->keyed ? (const uint8_t *)step_in(s, x, e->n) + slice * e->len * (e->keys.wide ? 8 : 4)
                 : NULL;
    const bool done = ours ? sort_keys_shared(&e->keys, keys, x, keys_at, part, n_parts, order)
                      : e->keyed ? sort_keys_alone(&e->keys, keys, x->scratch + keys_at, order)
                                 : false;
    if (!done && ours && part != 0) continue;
    if (!done) order_by_merging(s, x, arrays, m, tiles, base, order, spare);
    for (uint32_t i = 0; i < e->n; i++)
      permute(e, i, step_in(s, x, i), step_out(s, x, i), base, order, done && ours ? first : 0,
              done && ours ? last : e->first);
  }
}

// --- recognising f(a) < f(b) ---

// Whether y is x with each left argument replaced by the right one; all of operand *operand.
static bool mirrored(const tl_block *b, tl_value x, tl_value y, int depth, uint32_t *operand) {
  if (depth == MAX_DEPTH || !tl_type_eq(x->type, y->type)) return false;
  if (x->block != b || y->block != b) return x == y;
  if (!x->op || !y->op) {
    if (x->op || y->op || x->index % 2 != 0 || y->index != x->index + 1) return false;
    if (*operand != UINT32_MAX && *operand != x->index / 2) return false;
    *operand = x->index / 2;
    return true;
  }
  const tl_op *p = x->op, *q = y->op;
  if (p->code != q->code || p->n_operands != q->n_operands || p->n_regions || p->n_results != 1)
    return false;
  const tl_op_info *info = tl_op_get(p->code);
  for (uint32_t i = 0; i < info->n_attrs; i++)
    if (!tl_attr_eq(tl_attr_get((tl_attr_id)(info->attr_begin + i))->kind, &p->attrs[i],
                    &q->attrs[i]))
      return false;
  for (uint32_t i = 0; i < p->n_operands; i++)
    if (!mirrored(b, p->operands[i], q->operands[i], depth + 1, operand)) return false;
  return true;
}

typedef struct key_order {
  tl_value f; // in the region, of the left argument
  uint32_t operand;
  bool descending, total;
} key_order;

static bool recognise(const tl_block *b, key_order *out) {
  const tl_op *ret = b->last, *cmp = ret->n_operands == 1 ? ret->operands[0]->op : NULL;
  if (!cmp || cmp->code != TL_OP_COMPARE || cmp->block != b) return false;
  const int64_t way = tl_op_i64(cmp, TL_A_COMPARE_comparison_direction);
  if (way != TL_COMPARISON_DIRECTION_LT && way != TL_COMPARISON_DIRECTION_GT) return false;
  out->descending = way == TL_COMPARISON_DIRECTION_GT;
  out->total = tl_op_i64(cmp, TL_A_COMPARE_compare_type) == TL_COMPARISON_TYPE_TOTALORDER;
  for (int k = 0; k < 2; k++) {
    out->operand = UINT32_MAX;
    out->f = cmp->operands[k];
    if (mirrored(b, cmp->operands[k], cmp->operands[1 - k], 0, &out->operand) &&
        out->operand != UINT32_MAX)
      return true;
    out->descending = !out->descending;
  }
  return false;
}

// f of a nest's instruction for the argument.
static uint16_t key_of(nest *n, const tl_block *b, tl_value v, uint16_t x) {
  const nest_map none = {0};
  uint16_t args[8];
  if (v->block != b) return nest_value(n, v, &none);
  if (!v->op) return x;
  if (v->op->code == TL_OP_CONSTANT) return nest_value(n, v, &none);
  if (v->op->n_operands > TL_COUNT(args)) return LOOP_NONE;
  for (uint32_t i = 0; i < v->op->n_operands; i++)
    args[i] = key_of(n, b, v->op->operands[i], x);
  if (v->op->code == TL_OP_RESHAPE || v->op->code == TL_OP_BROADCAST_IN_DIM ||
      v->op->code == TL_OP_OPTIMIZATION_BARRIER)
    return args[0];
  return nest_op(n, v->op, args, false);
}

// The value as an unsigned number that ascends as it is to be sorted.
static uint16_t ordered(nest *n, tl_reg r, uint16_t x, const key_order *o, tl_reg *out) {
  const bool wide = loop_reg_size(r) == 8;
  const tl_reg key = *out = wide ? TL_REG_U64 : TL_REG_U32;
  if (n->failed || x == LOOP_NONE) return LOOP_NONE;
  if (r == TL_REG_F32 || r == TL_REG_F64) {
    if (!o->total) { // zeros are equal
      const uint16_t zero = nest_const(n, r, 0);
      const uint16_t is_zero = nest_scalar(n, TL_SCALAR_EQ, TL_REG_I1, r, x, zero, LOOP_NONE);
      x = nest_scalar(n, TL_SCALAR_SELECT, r, r, is_zero, zero, x);
    }
    x = nest_scalar(n, TL_SCALAR_ORDER, key, r, x, LOOP_NONE, LOOP_NONE);
  } else {
    const bool is_signed = r == TL_REG_S8 || r == TL_REG_S16 || r == TL_REG_S32 || r == TL_REG_S64;
    if (r != key) x = nest_scalar(n, TL_SCALAR_CONVERT, key, r, x, LOOP_NONE, LOOP_NONE);
    if (is_signed)
      x = nest_scalar(n, TL_SCALAR_XOR, key, key, x,
                      nest_const(n, key, wide ? (uint64_t)1 << 63 : 1u << 31), LOOP_NONE);
  }
  return o->descending ? nest_scalar(n, TL_SCALAR_NOT, key, key, x, LOOP_NONE, LOOP_NONE) : x;
}

// Keys of all slices, [slices, len].
static bool plan_keys(planner *p, const tl_op *op, const key_order *o, int64_t dim, sort_params *e,
                      plan_view *out) {
  const tl_type t = op->operands[o->operand]->type;
  tl_reg r, key;
  int64_t extent[TL_MAX_RANK];
  nest_map m = {0};
  uint32_t at = 0;
  for (uint32_t d = 0; d < t.rank; d++) {
    if (d == dim) continue;
    extent[at] = t.dims[d];
    m.coef[d][at++] = 1;
  }
  extent[at] = t.dims[dim];
  m.coef[dim][at] = 1;
  nest n;
  if (!loop_reg_of(o->f->type.dtype, &r) || !nest_begin(&n, p, t.rank, t.rank, extent))
    return p->error != NULL;
  uint16_t x = nest_load(&n, op->operands[o->operand], &m, LOOP_NONE);
  x = ordered(&n, r, key_of(&n, op->regions[0], o->f, x), o, &key);
  e->keys.wide = key == TL_REG_U64;
  e->keys.nan = (r == TL_REG_F32 || r == TL_REG_F64) && !o->total;
  const tl_type type =
      tl_type_of(p->exe->arena, e->keys.wide ? TL_DTYPE_U64 : TL_DTYPE_U32, extent, t.rank);
  size_t size;
  if (!type.dims) plan_fail(p, TL_OOM());
  if (p->error || n.failed || !tl_type_size(type, &size)) {
    nest_drop(&n);
    return p->error != NULL;
  }
  *out = plan_temp(p, type);
  const nest_map all = nest_identity(0, t.rank);
  nest_store(&n, *out, type, &all, LOOP_NONE, x);
  return nest_finish(&n, op, "keys");
}

static bool plan_less(planner *p, const tl_op *op, nest_program *out) {
  const uint32_t n_args = 2 * op->n_operands;
  const int64_t width = BATCH;
  const nest_map m = nest_identity(0, 1);
  uint16_t args[2 * MAX_INPUTS], less;
  nest n;
  if (!nest_begin(&n, p, 1, 1, &width)) return p->error != NULL;
  for (uint32_t k = 0; k < n_args; k++)
    args[k] = nest_load_view(&n, nest_own_view(k),
                             (tl_type){op->operands[k / 2]->type.dtype, 1, &width}, &m);
  if (!nest_region(&n, op->regions[0], args, &less, 1)) n.failed = true;
  if (!n.failed)
    nest_store(&n, nest_own_view(n_args), (tl_type){TL_DTYPE_I1, 1, &width}, &m, LOOP_NONE, less);
  return nest_to_program(&n, out);
}

// Whether an op uses a result of `sort`, itself or in its regions.
static bool uses(const tl_op *op, const tl_op *sort) {
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (op->operands[i]->op == sort) return true;
  for (uint32_t r = 0; r < op->n_regions; r++)
    for (const tl_op *inner = op->regions[r]->first; inner; inner = inner->next)
      if (uses(inner, sort)) return true;
  return false;
}

// How many of the places along `dim` are looked at, from the first one on: all, but where ops named
// slice alone use the results, and look at few.
static size_t looked_at(const tl_op *sort, int64_t dim, size_t len) {
  size_t first = 0;
  for (const tl_op *op = sort->next; op; op = op->next) {
    if (!uses(op, sort)) continue;
    if (op->code != TL_OP_SLICE) return len;
    const int64_t limit = tl_op_list(op, TL_A_SLICE_limit_indices).ptr[dim];
    first = TL_MAX(first, (size_t)limit);
  }
  return first == 0 || first > sort_keys_few(len) ? len : first;
}

bool lower_sort(planner *p, const tl_op *op) {
  const tl_type t = op->operands[0]->type;
  const uint32_t n = op->n_operands;
  int64_t dim = tl_op_i64(op, TL_A_SORT_dimension);
  if (dim < 0) dim += t.rank;
  if (type_count(t) == 0) return plan_nothing(p, op);
  if (n > MAX_INPUTS || t.rank == 0 || t.dims[dim] > INT32_MAX ||
      !nest_knows_region(op->regions[0]))
    return false;
  for (uint32_t i = 0; i < n; i++)
    if (!nest_moves(op->operands[i]->type.dtype)) return false;
  sort_params *e = plan_alloc(p, sizeof *e, _Alignof(sort_params));
  if (!e) return true;
  *e = (sort_params){.n = n, .len = (size_t)t.dims[dim], .stride = 1};
  for (uint32_t d = (uint32_t)dim + 1; d < t.rank; d++)
    e->stride *= (size_t)t.dims[d];
  e->slices = type_count(t) / e->len;
  e->first = looked_at(op, dim, e->len);
  e->keys.n = e->len, e->keys.first = e->first;
  key_order o;
  plan_view keys = {0};
  e->keyed = recognise(op->regions[0], &o) && plan_keys(p, op, &o, dim, e, &keys);
  if (p->error) return true;
  e->has_less = !e->keyed || e->keys.nan;
  if (e->has_less && !plan_less(p, op, &e->less)) return p->error != NULL;
  const uint32_t n_captured = e->has_less ? e->less.n_captured : 0,
                 n_in = n + e->keyed + n_captured;
  plan_view *v = plan_views(p, n_in + n);
  if (p->error) return true;
  for (uint32_t i = 0; i < n; i++) {
    e->size[i] = tl_dtype_get(op->operands[i]->type.dtype)->size;
    v[i] = plan_operand(p, op->operands[i]);
    v[n_in + i] = plan_result(p, op->results[i]);
  }
  if (e->keyed) v[n] = keys;
  if (n_captured) memcpy(v + n + e->keyed, e->less.captured, n_captured * sizeof *v);
  if (p->error) return true;
  for (uint32_t i = 0; i < n_in + n; i++)
    plan_touch(p, v[i]);
  plan_step *s = plan_add_step(p, op, e->keyed ? "sort by keys" : "sort", run_sort);
  if (!s) return true;
  s->in = v, s->n_in = n_in;
  s->out = v + n_in, s->n_out = n;
  s->params = e;
  s->scratch = tl_round_up(2 * e->len * sizeof(uint32_t), 64) +
               (e->keyed ? sort_keys_scratch(&e->keys) : 0) + tl_round_up(sizeof(merging), 64) +
               (e->has_less ? tile_scratch_size(e->less.tile) : 0);
  e->shared = e->keyed && e->first == e->len && plan_worth(p, e->len, SHARED);
  s->parallel = e->shared || (plan_worth(p, type_count(t), PARALLEL_ELEMENTS) && e->slices > 1);
  return true;
}
