// Rules of reduce and map.
//
// The region says which rule: a sum is linear; of a minimum or maximum each element that reaches it
// gets an equal share (JAX's convention; the reference of the tape, and PyTorch's amax, differ: see
// docs/autodiff.md); a region that selects one of two elements passes the derivative to the one it
// chose; any other is written as a tree of itself on halves, which is differentiated. The tree is
// exact where a product has zeros.
#include "ad/index.h"
#include "ad/region.h"

#include <math.h>

#include "ir/dim.h"

// --- Regions
// --------------------------------------------------------------------------------------

tl_opcode tl_ad_way(const tl_block *region, uint32_t k) {
  const uint32_t n = region->n_args / 2;
  tl_value r = region->last->operands[k], x = region->args[k], y = region->args[n + k];
  if (r->op == NULL || r->op->n_operands != 2) return TL_OP_COUNT;
  const tl_value *in = r->op->operands;
  if (!(in[0] == x && in[1] == y) && !(in[0] == y && in[1] == x)) return TL_OP_COUNT;
  return (tl_op_get(r->op->code)->traits & TL_COMMUTES) != 0 ? r->op->code : TL_OP_COUNT;
}

bool tl_ad_selects(const tl_block *region, uint32_t k) {
  const uint32_t n = region->n_args / 2;
  tl_value r = region->last->operands[k], x = region->args[k], y = region->args[n + k];
  if (r == x || r == y) return true;
  if (r->op == NULL || r->op->code != TL_OP_SELECT) return false;
  const tl_value *in = r->op->operands;
  return (in[1] == x && in[2] == y) || (in[1] == y && in[2] == x);
}

// The region with one more pair of arguments, numbers, of which it returns that of the element that
// result k is.
void tl_ad_numbered_region(tl_builder *b, tl_op *now, const tl_block *region, uint32_t k) {
  const uint32_t n = region->n_args / 2;
  tl_block *block = tl_op_add_region(b, now);
  tl_builder in = tl_builder_at(b, block);
  tl_env e = {0};
  tl_value number[2] = {NULL, NULL};
  tl_value *out = TL_NEW(b->m->arena, tl_value, n + 1);
  if (out == NULL) tl_builder_fail(&in, TL_OOM());
  for (uint32_t side = 0; side < 2; side++) {
    for (uint32_t i = 0; i < n; i++) {
      tl_value old = region->args[side * n + i];
      tl_env_put(&in, &e, old, tl_block_arg(&in, block, old->type));
    }
    number[side] = tl_block_arg(&in, block, tl_type_scalar(TL_DTYPE_S64));
  }
  if (in.error == TL_OK) tl_clone_block(&in, &e, region, out);
  if (in.error == TL_OK) {
    tl_value r = region->last->operands[k];
    if (r == region->args[k] || r == region->args[n + k]) {
      out[n] = number[r == region->args[k] ? 0 : 1];
    } else {
      const bool first = r->op->operands[1] == region->args[k];
      tl_value p = tl_env_get(&e, r->op->operands[0]);
      out[n] = tlo_select(&in, p, number[first ? 0 : 1], number[first ? 1 : 0]);
    }
    tlo_return(&in, out, n + 1);
  }
  tl_env_deinit(&e);
  tl_builder_join(b, &in);
}

bool tl_ad_reads_batched(tl_batch *v) {
  uint32_t n;
  tl_value *free = tl_free_values(v->b, v->op, &n);
  for (uint32_t i = 0; i < n; i++)
    if (tl_batcher_is_batched(v->at, tl_env_get(&v->at->env, free[i]))) return true;
  return false;
}

static bool reads_any(tl_builder *b, const tl_op *op, const tl_value_map *map) {
  uint32_t n;
  tl_value *free = tl_free_values(b, op, &n);
  for (uint32_t i = 0; i < n; i++)
    if (tl_value_map_get(map, free[i], NULL)) return true;
  return false;
}

// --- map
// ------------------------------------------------------------------------------------------

static void emit_map(tl_ad *ad, tl_builder *b, const tl_op *op, const tl_value *in, tl_value *out) {
  tl_ad_lift(ad, b, op->regions[0], in, out);
}
void tl_vjp_map(tl_vjp *v) { tl_vjp_through(v, emit_map); }
void tl_jvp_map(tl_jvp *j) { tl_jvp_through(j, emit_map); }
void tl_batch_map(tl_batch *v) { tl_batch_through(v, emit_map); }

// --- reduce as a tree
// -----------------------------------------------------------------------------

typedef struct dims { // of a reduce: what goes and what stays
  int64_t gone[TL_MAX_RANK], kept[TL_MAX_RANK], kept_size[TL_MAX_RANK];
  uint32_t n_gone, n_kept;
  int64_t count; // of elements that become one
} dims;

static dims dims_of(const tl_module *m, const tl_op *op) {
  dims d = {0};
  tl_i64s list = tl_op_list(op, TL_A_REDUCE_dimensions);
  const tl_type x = op->operands[0]->type;
  int64_t sizes[TL_MAX_RANK];
  for (uint32_t i = 0; i < x.rank; i++) {
    bool gone = false;
    for (size_t k = 0; k < list.len; k++)
      gone |= list.ptr[k] == i;
    if (gone) {
      sizes[d.n_gone] = x.dims[i];
      d.gone[d.n_gone++] = i;
    } else {
      d.kept_size[d.n_kept] = x.dims[i];
      d.kept[d.n_kept++] = i;
    }
  }
  if (!tl_dim_product(m, (tl_type){x.dtype, d.n_gone, sizes}, &d.count)) d.count = TL_DIM_ANY;
  return d;
}

// x as [elements that become one, what stays].
static tl_value rows(tl_builder *b, const dims *d, tl_value x) {
  int64_t order[TL_MAX_RANK], shape[TL_MAX_RANK + 1];
  memcpy(order, d->gone, sizeof order);
  for (uint32_t i = 0; i < d->n_kept; i++) {
    order[d->n_gone + i] = d->kept[i];
    shape[i + 1] = d->kept_size[i];
  }
  shape[0] = d->count;
  return tlo_reshape(b, tlo_transpose(b, x, order), shape, d->n_kept + 1);
}

static tl_value some_rows(tl_builder *b, tl_value x, int64_t from, int64_t to, int64_t step) {
  if (x == NULL) return NULL;
  int64_t start[TL_MAX_RANK] = {from}, limit[TL_MAX_RANK], stride[TL_MAX_RANK] = {step};
  for (uint32_t i = 0; i < x->type.rank; i++) {
    limit[i] = i == 0 ? to : x->type.dims[i];
    if (i > 0) stride[i] = 1;
  }
  for (uint32_t i = 1; i < x->type.rank; i++)
    if (limit[i] < 0) return tlo_slice_sized(b, x, start, limit, stride);
  return tlo_slice(b, x, start, limit, stride);
}

static tl_value spread(tl_builder *b, tl_value scalar, const dims *d) {
  if (scalar == NULL || d->n_kept == 0) return scalar;
  return tlo_broadcast(b, scalar, (tl_type){scalar->type.dtype, d->n_kept, d->kept_size}, NULL);
}

// Neighbours are combined, so that the order is kept: the region need not commute. Then the initial
// values come first.
static void emit_tree(tl_ad *ad, tl_builder *b, const tl_op *op, const tl_value *in,
                      tl_value *out) {
  const uint32_t n = op->n_results;
  const tl_block *region = op->regions[0];
  dims d = dims_of(b->m, op);
  if (d.count < 0) {
    tl_ad_refuse(ad, b, op, "by such a region over a dim that is a symbol: specialise first");
    return;
  }
  tl_value *x = TL_NEW(b->m->arena, tl_value, 5 * (size_t)n);
  if (x == NULL) {
    tl_builder_fail(b, TL_OOM());
    return;
  }
  tl_value *pair = x + n, *y = x + 3 * n, *init = x + 4 * n;
  for (uint32_t k = 0; k < n; k++) {
    const tl_dtype t = region->args[k]->type.dtype;
    x[k] = rows(b, &d, tlo_convert(b, in[k], t));
    init[k] = spread(b, tlo_convert(b, in[n + k], t), &d);
  }
  int64_t left = d.count;
  for (; left > 1 && b->error == TL_OK; left = left / 2 + left % 2) {
    const int64_t even = left / 2 * 2;
    for (uint32_t k = 0; k < n; k++) {
      pair[k] = some_rows(b, x[k], 0, even, 2);
      pair[n + k] = some_rows(b, x[k], 1, even, 2);
    }
    tl_ad_lift(ad, b, region, pair, y);
    for (uint32_t k = 0; k < n; k++) {
      if (even != left) {
        tl_value both[2] = {y[k], some_rows(b, x[k], even, left, 1)};
        y[k] = tlo_concat(b, both, 2, 0);
      }
      x[k] = y[k];
    }
  }
  for (uint32_t k = 0; k < n; k++) {
    pair[k] = init[k];
    pair[n + k] = left == 0 ? NULL : tlo_reshape(b, x[k], d.kept_size, d.n_kept);
    out[k] = init[k];
  }
  if (left != 0 && b->error == TL_OK) tl_ad_lift(ad, b, region, pair, out);
}

// --- reduce, a result at a time
// -------------------------------------------------------------------

typedef struct fold {
  tl_builder *b;
  const tl_op *op;
  dims d;
  uint32_t k;
  tl_opcode way;
  tl_value x, init, y; // x and init of the region's type
} fold;

// ADD, MAXIMUM, MINIMUM, MULTIPLY; TL_OP_SELECT; TL_OP_COUNT: through the tree.
static tl_opcode rule_for(const tl_builder *b, const tl_op *op, uint32_t k) {
  const tl_block *region = op->regions[0];
  const tl_opcode way = tl_ad_way(region, k);
  switch (way) {
  case TL_OP_ADD:
    return way;
  case TL_OP_MAXIMUM:
  case TL_OP_MINIMUM:
    return tl_ad_is_complex(op->results[k]) ? TL_OP_COUNT : way;
  case TL_OP_MULTIPLY:
    return dims_of(b->m, op).count < 0 ? way : TL_OP_COUNT;
  default:
    return tl_ad_selects(region, k) ? TL_OP_SELECT : TL_OP_COUNT;
  }
}

static fold fold_of(tl_builder *b, const tl_op *op, const tl_value *in, const tl_value *out,
                    uint32_t k) {
  fold f = {b, op, dims_of(b->m, op), k, rule_for(b, op, k), NULL, NULL, out[k]};
  const tl_dtype t = out[k]->type.dtype;
  f.x = tlo_convert(b, in[k], t);
  f.init = tlo_convert(b, in[op->n_results + k], t);
  return f;
}

// Of what stays, to every element that became one.
static tl_value back(const fold *f, tl_value y, tl_dtype t) {
  const tl_type x = f->op->operands[0]->type;
  return tlo_broadcast(f->b, y, (tl_type){t, x.rank, x.dims}, f->d.kept);
}
static tl_value total(const fold *f, tl_value x) {
  return tl_ad_sum(f->b, x, f->d.gone, f->d.n_gone);
}
static tl_value total_of_all(tl_builder *b, tl_value y) {
  int64_t all[TL_MAX_RANK];
  for (uint32_t i = 0; i < TL_MAX_RANK; i++)
    all[i] = i;
  return y == NULL ? NULL : tl_ad_sum(b, y, all, y->type.rank);
}

// Whether v is a constant that no element is beyond: it is no candidate then.
bool tl_ad_is_neutral(tl_value v, tl_opcode way) {
  if (v == NULL || v->op == NULL || v->op->code != TL_OP_CONSTANT) return false;
  const tl_literal *l = tl_op_attr(v->op, TL_A_CONSTANT_value)->dense;
  uint64_t bits = 0;
  const uint32_t size = tl_dtype_get(l->type.dtype)->size;
  if (l->size < size || size > 8) return false;
  memcpy(&bits, l->data, size);
  switch (l->type.dtype) {
  case TL_DTYPE_F64:
    return bits == (way == TL_OP_MAXIMUM ? 0xfff0000000000000 : 0x7ff0000000000000);
  case TL_DTYPE_F32:
    return bits == (way == TL_OP_MAXIMUM ? 0xff800000 : 0x7f800000);
  case TL_DTYPE_BF16:
    return bits == (way == TL_OP_MAXIMUM ? 0xff80 : 0x7f80);
  case TL_DTYPE_F16:
    return bits == (way == TL_OP_MAXIMUM ? 0xfc00 : 0x7c00);
  default:
    return false;
  }
}

typedef struct chosen {
  tl_value x;     // of x's shape, i1: the elements that the result is
  tl_value init;  // of the result's: whether it is the initial value; NULL: no
  tl_value count; // of them all, of the result's type; NULL: one
} chosen;

static chosen reach(const fold *f) {
  tl_builder *b = f->b;
  chosen c = {0};
  const tl_dtype t = f->y->type.dtype;
  c.x = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, f->x, back(f, f->y, t));
  c.count = total(f, tlo_convert(b, c.x, t));
  if (!tl_ad_is_neutral(f->init, f->way)) {
    c.init = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, spread(b, f->init, &f->d), f->y);
    c.count = tlo_add(b, c.count, tlo_convert(b, c.init, t));
  }
  return c;
}

// The number of each element among those that become one, and that of the chosen one, -1 where the
// initial value is it: found by reducing the numbers along.
static chosen select_one(const fold *f, const tl_value *in) {
  tl_builder *b = f->b;
  const tl_op *op = f->op;
  const uint32_t n = op->n_results;
  const tl_type x = op->operands[0]->type;
  chosen c = {0};
  int64_t gone_size[TL_MAX_RANK];
  for (uint32_t i = 0; i < f->d.n_gone; i++)
    gone_size[i] = x.dims[f->d.gone[i]];
  tl_value number = tlo_iota(b, (tl_type){TL_DTYPE_S64, 1, &f->d.count}, 0);
  number = tlo_reshape(b, number, gone_size, f->d.n_gone);
  number = tlo_broadcast(b, number, (tl_type){TL_DTYPE_S64, x.rank, x.dims}, f->d.gone);
  tl_value none = tlo_constant_i64(b, tl_type_scalar(TL_DTYPE_S64), -1);
  tl_value *operands = TL_NEW(b->m->arena, tl_value, 2 * (size_t)n + 2);
  if (operands == NULL) {
    tl_builder_fail(b, TL_OOM());
    return c;
  }
  memcpy(operands, in, n * sizeof(tl_value));
  operands[n] = number;
  memcpy(operands + n + 1, in + n, n * sizeof(tl_value));
  operands[2 * n + 1] = none;
  tl_op *r = tl_op_begin(b, TL_OP_REDUCE, operands, 2 * n + 2);
  if (r == NULL) return c;
  memcpy(r->attrs, op->attrs, tl_op_get(op->code)->n_attrs * sizeof *r->attrs);
  tl_ad_numbered_region(b, r, op->regions[0], f->k);
  r = tl_op_finish(b, r, NULL, 0);
  if (r == NULL) return c;
  tl_value winner = r->results[n], zero = tl_ad_like(b, winner, 0);
  c.x = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, number, back(f, winner, TL_DTYPE_S64));
  c.init = tlo_compare(b, TL_COMPARISON_DIRECTION_LT, winner, zero);
  return c;
}

// The product of all others, for each element: [elements, elements, what stays], each row without
// its own. Where the count is a symbol there is no tree.
static tl_value others(const fold *f) {
  tl_builder *b = f->b;
  tl_value x = rows(b, &f->d, f->x);
  if (x == NULL) return NULL;
  const uint32_t rank = x->type.rank;
  int64_t sizes[TL_MAX_RANK + 1] = {f->d.count}, at[TL_MAX_RANK];
  for (uint32_t i = 0; i < rank; i++) {
    sizes[i + 1] = x->type.dims[i];
    at[i] = i + 1;
  }
  const tl_type all = {x->type.dtype, rank + 1, sizes}, square = {TL_DTYPE_S64, rank + 1, sizes};
  tl_value wide = tlo_broadcast(b, x, all, at), one = tlo_fill(b, all, 1);
  tl_value row = tlo_iota(b, square, 0), column = tlo_iota(b, square, 1);
  tl_value own = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, row, column);
  wide = tlo_select(b, own, one, wide);
  tl_value p = tlo_reduce(b, wide, f->init, (int64_t[]){1}, 1, TL_OP_MULTIPLY);
  // Back to x's shape.
  int64_t turned[TL_MAX_RANK], back_to[TL_MAX_RANK];
  const tl_type t = f->x->type;
  for (uint32_t i = 0; i < f->d.n_gone; i++) {
    turned[i] = t.dims[f->d.gone[i]];
    back_to[f->d.gone[i]] = i;
  }
  for (uint32_t i = 0; i < f->d.n_kept; i++) {
    turned[f->d.n_gone + i] = f->d.kept_size[i];
    back_to[f->d.kept[i]] = f->d.n_gone + i;
  }
  return tlo_transpose(b, tlo_reshape(b, p, turned, t.rank), back_to);
}

// The product without the initial value.
static tl_value bare_product(const fold *f) {
  tl_value one = tlo_constant_f64(f->b, tl_type_scalar(f->y->type.dtype), 1);
  return tlo_reduce(f->b, f->x, one, f->d.gone, f->d.n_gone, TL_OP_MULTIPLY);
}

// x where it was chosen. Of shares by multiplying, as JAX does: where nothing equals the result, as
// with a NaN, each element's share is one of none, and is NaN.
static tl_value where_chosen(tl_builder *b, const chosen *c, tl_value is, tl_value x) {
  if (x == NULL) return NULL;
  if (c->count != NULL) return tlo_mul(b, x, tlo_convert(b, is, x->type.dtype));
  tl_value zero = tl_ad_like(b, x, 0);
  return tlo_select(b, is, x, zero);
}

static void fold_back(tl_vjp *v, uint32_t k) {
  tl_builder *b = v->b;
  const uint32_t n = v->op->n_results;
  fold f = fold_of(b, v->op, v->in, v->out, k);
  if (f.x == NULL || f.init == NULL) return;
  tl_value ct = v->ct[k], dx = NULL, di = NULL;
  const tl_dtype t = ct->type.dtype;
  const bool wants_init = tl_vjp_wants(v, n + k);
  chosen c;
  switch (f.way) {
  case TL_OP_ADD:
    dx = back(&f, ct, t);
    di = ct;
    break;
  case TL_OP_MULTIPLY:
    dx = tlo_mul(b, back(&f, ct, t), others(&f));
    if (wants_init) di = tlo_mul(b, ct, bare_product(&f));
    break;
  default:
    c = f.way == TL_OP_SELECT ? select_one(&f, v->in) : reach(&f);
    if (c.count != NULL) ct = tlo_div(b, ct, c.count);
    dx = where_chosen(b, &c, c.x, back(&f, ct, t));
    if (c.init != NULL) di = where_chosen(b, &c, c.init, ct);
    break;
  }
  if (dx != NULL) tl_vjp_give(v, k, tlo_convert(b, dx, v->in[k]->type.dtype));
  if (wants_init && di != NULL)
    tl_vjp_give(v, n + k, tlo_convert(b, total_of_all(b, di), v->in[n + k]->type.dtype));
}

void tl_vjp_reduce(tl_vjp *v) {
  bool direct = !reads_any(v->b, v->op, &v->r->active);
  for (uint32_t k = 0; k < v->op->n_results; k++)
    if (v->ct[k] != NULL) direct &= rule_for(v->b, v->op, k) != TL_OP_COUNT;
  if (!direct) {
    tl_vjp_through(v, emit_tree);
    return;
  }
  for (uint32_t k = 0; k < v->op->n_results && v->b->error == TL_OK; k++)
    if (v->ct[k] != NULL) fold_back(v, k);
}

static tl_value fold_forward(tl_jvp *j, uint32_t k) {
  tl_builder *b = j->b;
  const uint32_t n = j->op->n_results;
  fold f = fold_of(b, j->op, j->in, j->out, k);
  if (f.x == NULL || f.init == NULL) return NULL;
  const tl_dtype wide = f.y->type.dtype;
  tl_value dx = tlo_convert(b, tl_jvp_t(j, k), wide), di = NULL, sum;
  if (j->t[n + k] != NULL) di = spread(b, tlo_convert(b, j->t[n + k], wide), &f.d);
  chosen c = {0};
  switch (f.way) {
  case TL_OP_ADD:
    sum = total(&f, dx);
    return di == NULL ? sum : tlo_add(b, sum, di);
  case TL_OP_MULTIPLY:
    sum = total(&f, tlo_mul(b, dx, others(&f)));
    return di == NULL ? sum : tlo_add(b, sum, tlo_mul(b, di, bare_product(&f)));
  default:
    c = f.way == TL_OP_SELECT ? select_one(&f, j->in) : reach(&f);
    sum = total(&f, where_chosen(b, &c, c.x, dx));
    if (di != NULL && c.init != NULL) sum = tlo_add(b, sum, where_chosen(b, &c, c.init, di));
    return c.count == NULL ? sum : tlo_div(b, sum, c.count);
  }
}

void tl_jvp_reduce(tl_jvp *j) {
  const uint32_t n = j->op->n_results;
  bool direct = !reads_any(j->b, j->op, &j->f->tangents);
  for (uint32_t k = 0; k < n; k++)
    if (j->t[k] != NULL || j->t[n + k] != NULL) direct &= rule_for(j->b, j->op, k) != TL_OP_COUNT;
  if (!direct) {
    tl_jvp_through(j, emit_tree);
    return;
  }
  for (uint32_t k = 0; k < n && j->b->error == TL_OK; k++)
    if (j->t[k] != NULL || j->t[n + k] != NULL) tl_jvp_give(j, k, fold_forward(j, k));
}

// --- A batch
// ---------------------------------------------------------------------------------------

// The same reduction of one operand, without its initial value, which is met afterwards.
static tl_value identity(tl_builder *b, tl_opcode way, tl_dtype t) {
  const tl_type s = tl_type_scalar(t);
  if (way == TL_OP_ADD) return tlo_constant_f64(b, s, 0);
  if (way == TL_OP_MULTIPLY) return tlo_constant_f64(b, s, 1);
  return tlo_constant_f64(b, s, way == TL_OP_MAXIMUM ? -INFINITY : INFINITY);
}
static bool splits(const tl_op *op) {
  for (uint32_t k = 0; k < op->n_results; k++) {
    const tl_opcode way = tl_ad_way(op->regions[0], k);
    const bool known =
        way == TL_OP_ADD || way == TL_OP_MULTIPLY || way == TL_OP_MAXIMUM || way == TL_OP_MINIMUM;
    const tl_dtype_kind kind = tl_dtype_get(op->results[k]->type.dtype)->kind;
    if (!known || kind != TL_KIND_FLOAT) return false;
  }
  return true;
}
static void emit_split(tl_ad *ad, tl_builder *b, const tl_op *op, const tl_value *in,
                       tl_value *out) {
  (void)ad;
  dims d = dims_of(b->m, op);
  for (uint32_t k = 0; k < op->n_results; k++) {
    const tl_opcode way = tl_ad_way(op->regions[0], k);
    const tl_dtype t = op->results[k]->type.dtype;
    tl_value x = tlo_convert(b, in[k], t), init = tlo_convert(b, in[op->n_results + k], t);
    tl_value y = tlo_reduce(b, x, identity(b, way, t), d.gone, d.n_gone, way);
    out[k] = tlo_binary(b, way, spread(b, init, &d), y);
  }
}

void tl_batch_reduce(tl_batch *v) {
  tl_builder *b = v->b;
  const uint32_t n = v->op->n_results;
  bool inits = false;
  for (uint32_t k = 0; k < n; k++)
    inits |= v->batched[n + k];
  if (inits || tl_ad_reads_batched(v)) {
    tl_batch_through(v, splits(v->op) ? emit_split : emit_tree);
    return;
  }
  for (uint32_t k = 0; k < n; k++)
    (void)tl_batch_in(v, k);
  tl_i64s d = tl_op_list(v->op, TL_A_REDUCE_dimensions);
  const int64_t *moved = tl_batch_dims(b, d.ptr, d.len, false);
  tl_op *r = b->error != TL_OK ? NULL : tl_op_begin(b, TL_OP_REDUCE, v->in, 2 * n);
  tl_op_set_list(b, r, TL_A_REDUCE_dimensions, moved, d.len);
  tl_clone_regions(b, &v->at->env, r, v->op);
  r = r == NULL ? NULL : tl_op_finish(b, r, NULL, 0);
  for (uint32_t k = 0; r != NULL && k < n; k++)
    v->out[k] = r->results[k];
}
