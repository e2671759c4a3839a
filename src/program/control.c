// Branches and loops: regions written by C functions that are called while the trace's builder
// stands inside them. A region reads what lies around it freely; what is made inside stays there,
// and using it outside is an error of the call that does.
#include "program/internal.h"

static void none(tl_expr *out, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    out[i] = NULL;
}

// Calls fn with the builder in `inner`, and gives what it wrote as values. False with an error.
static bool write_region(tl_here at, const char *what, tl_trace *t, tl_builder *inner,
                         tl_region_fn *fn, void *arg, const tl_expr *in, uint32_t n_out,
                         tl_expr *out, tl_value *values) {
  tl_builder *outer = t->b;
  tl_loc loc = outer->loc;
  if (inner->block == NULL) tl_builder_fail(inner, TL_OOM());
  t->b = inner;
  none(out, n_out);
  if (tl_settle(t)) fn(t, in, out, arg);
  for (uint32_t i = 0; t->error == TL_OK && i < n_out; i++) {
    inner->loc = loc;
    if (out[i] == NULL)
      tl_fail(t, TL_DIAG_NOT_TRACEABLE, "%s: output %u was not written", what, i);
    else if (tl_trace_at(at, what, &out[i], 1) != NULL)
      values[i] = out[i]->v;
  }
  tl_settle(t);
  t->b = outer;
  outer->loc = loc;
  return t->error == TL_OK;
}

// Of a result that two places give: one element type, one shape.
static bool agree(tl_trace *t, const char *what, uint32_t i, tl_expr a, const char *in_a, tl_expr b,
                  const char *in_b) {
  if (tl_type_eq(a->v->type, b->v->type)) return true;
  tl_fail(t, a->v->type.dtype != b->v->type.dtype ? TL_DIAG_DTYPE_MISMATCH : TL_DIAG_SHAPE_MISMATCH,
          "%s: value %u is %s %s and %s %s", what, i, tl_type_text(a), in_a, tl_type_text(b), in_b);
  return false;
}

static bool is_condition(tl_trace *t, const char *what, tl_expr pred) {
  if (pred->v->type.dtype == TL_DTYPE_I1 && tl_rank_of(pred) == 0) return true;
  tl_fail(t, pred->v->type.dtype == TL_DTYPE_I1 ? TL_DIAG_SHAPE_MISMATCH : TL_DIAG_DTYPE_MISMATCH,
          "%s: the condition is %s, wants a scalar of i1", what, tl_type_text(pred));
  return false;
}

static void *room(tl_trace *t, size_t n, size_t size) {
  void *list = tl_arena_alloc_array(t->m->arena, n + 1, size, _Alignof(max_align_t));
  if (list == NULL) tl_fail_oom(t);
  return list;
}
#define ROOM(t, type, n) ((type *)room((t), (n), sizeof(type)))

// ---- branches ----

static const char *branch_name(tl_trace *t, bool truth, uint32_t k) {
  if (truth) return k == 0 ? "in one branch" : "in the other";
  const char *name = tl_arena_printf(t->m->arena, "in branch %u", k);
  return name == NULL ? "in another branch" : name;
}

// An if or a case, whose `choice` is looked over: each branch is called once with `in`.
static void branches(tl_here at, const char *what, tl_opcode code, tl_expr choice,
                     tl_region_fn *const *fns, uint32_t n_fns, void *arg, const tl_expr *in,
                     tl_expr *out, uint32_t n_out) {
  tl_trace *t = choice->t;
  tl_expr *first = ROOM(t, tl_expr, n_out), *made = ROOM(t, tl_expr, n_out);
  tl_value *values = ROOM(t, tl_value, n_out);
  if (t->error != TL_OK) return;
  tl_op *op = tl_op_begin(t->b, code, &choice->v, 1);
  for (uint32_t k = 0; k < n_fns; k++) {
    tl_builder inner = tl_builder_at(t->b, tl_op_add_region(t->b, op));
    if (!tl_settle(t) ||
        !write_region(at, what, t, &inner, fns[k], arg, in, n_out, k == 0 ? first : made, values))
      return;
    for (uint32_t i = 0; k != 0 && i < n_out; i++)
      if (!agree(t, what, i, first[i], branch_name(t, code == TL_OP_IF, 0), made[i],
                 branch_name(t, code == TL_OP_IF, k)))
        return;
    tlo_return(&inner, values, n_out);
    tl_builder_join(t->b, &inner);
  }
  op = tl_op_finish(t->b, op, NULL, 0);
  for (uint32_t i = 0; op != NULL && i < n_out; i++)
    out[i] = tl_made(t, op->results[i], first[i]->names);
  tl_settle(t);
}

void tl_if_at(tl_here at, tl_expr pred, tl_region_fn *then, tl_region_fn *otherwise, void *arg,
              const tl_expr *in, uint32_t n_in, tl_expr *out, uint32_t n_out) {
  none(out, n_out);
  tl_trace *t = tl_trace_at(at, "if", &pred, 1);
  if (t == NULL || !is_condition(t, "if", pred) || (n_in && !tl_trace_at(at, "if", in, n_in)))
    return;
  tl_region_fn *both[2] = {then, otherwise};
  branches(at, "if", TL_OP_IF, pred, both, 2, arg, in, out, n_out);
}

void tl_case_at(tl_here at, tl_expr index, tl_region_fn *const *fns, uint32_t n_fns, void *arg,
                const tl_expr *in, uint32_t n_in, tl_expr *out, uint32_t n_out) {
  none(out, n_out);
  tl_trace *t = tl_trace_at(at, "case", &index, 1);
  if (t == NULL || (n_in && !tl_trace_at(at, "case", in, n_in))) return;
  if (index->v->type.dtype != TL_DTYPE_S32 || tl_rank_of(index) != 0)
    tl_fail(t, tl_rank_of(index) != 0 ? TL_DIAG_SHAPE_MISMATCH : TL_DIAG_DTYPE_MISMATCH,
            "case: the index is %s, wants a scalar of i32", tl_type_text(index));
  else if (n_fns == 0)
    tl_fail(t, TL_DIAG_BAD_ARGUMENT, "case: no branches");
  else
    branches(at, "case", TL_OP_CASE, index, fns, n_fns, arg, in, out, n_out);
}

// ---- while ----

// The arguments of a region, of these types, as expressions.
static tl_expr *arguments(tl_trace *t, tl_builder *inner, const tl_expr *like, uint32_t n) {
  tl_expr *args = ROOM(t, tl_expr, n);
  tl_builder *outer = t->b;
  t->b = inner;
  for (uint32_t i = 0; args != NULL && i < n; i++)
    args[i] = tl_made(t, tl_block_arg(inner, inner->block, like[i]->v->type), like[i]->names);
  t->b = outer;
  return args;
}

void tl_while_at(tl_here at, tl_region_fn *cond, tl_region_fn *body, void *arg, const tl_expr *init,
                 uint32_t n, tl_expr *out) {
  none(out, n);
  tl_trace *t = n == 0 ? NULL : tl_trace_at(at, "while", init, n);
  if (t == NULL) return;
  tl_value *values = ROOM(t, tl_value, n);
  tl_expr *next = ROOM(t, tl_expr, n), go_on;
  if (t->error != TL_OK) return;
  for (uint32_t i = 0; i < n; i++)
    values[i] = init[i]->v;
  tl_op *op = tl_op_begin(t->b, TL_OP_WHILE, values, n);
  tl_builder inner = tl_builder_at(t->b, tl_op_add_region(t->b, op));
  if (!tl_settle(t)) return;
  tl_expr *x = arguments(t, &inner, init, n);
  if (t->error != TL_OK || !write_region(at, "while", t, &inner, cond, arg, x, 1, &go_on, values) ||
      !is_condition(t, "while", go_on))
    return;
  tlo_return(&inner, values, 1);
  tl_builder_join(t->b, &inner);
  inner = tl_builder_at(t->b, tl_op_add_region(t->b, op));
  if (!tl_settle(t)) return;
  x = arguments(t, &inner, init, n);
  if (t->error != TL_OK || !write_region(at, "while", t, &inner, body, arg, x, n, next, values))
    return;
  for (uint32_t i = 0; i < n; i++)
    if (!agree(t, "while", i, init[i], "before the loop", next[i], "after a step")) return;
  tlo_return(&inner, values, n);
  tl_builder_join(t->b, &inner);
  op = tl_op_finish(t->b, op, NULL, 0);
  for (uint32_t i = 0; op != NULL && i < n; i++)
    out[i] = tl_made(t, op->results[i], init[i]->names);
  tl_settle(t);
}

// ---- loops that count ----

// A loop of `length` steps whose first carried value is their number, i32.
typedef struct counted {
  tl_op *op;
  tl_builder body;
  tl_expr *x;     // arguments of the body: the number, then the state
  tl_value *init; // [1 + n_state + more]
  uint32_t n_state;
} counted;

static bool counted_begin(tl_trace *t, int64_t from, const tl_expr *init, uint32_t n, uint32_t more,
                          counted *c) {
  tl_type i32 = tl_type_scalar(TL_DTYPE_S32);
  *c = (counted){.init = ROOM(t, tl_value, 1 + n + more), .n_state = n};
  tl_expr *all = ROOM(t, tl_expr, 1 + n);
  if (t->error != TL_OK) return false;
  all[0] = tl_made(t, tlo_constant_i64(t->b, i32, from), NULL);
  if (all[0] == NULL) return false;
  for (uint32_t i = 0; i < n; i++)
    all[1 + i] = init[i];
  for (uint32_t i = 0; i < 1 + n; i++)
    c->init[i] = all[i]->v;
  c->op = tl_op_begin(t->b, TL_OP_WHILE, c->init, 1 + n);
  tl_block *cond = tl_op_add_region(t->b, c->op);
  c->body = tl_builder_at(t->b, tl_op_add_region(t->b, c->op));
  if (!tl_settle(t)) return false;
  (void)cond;
  c->x = arguments(t, &c->body, all, 1 + n);
  return t->error == TL_OK;
}

// Ends it: the next number and state [1 + n_state] and `more` values that were added to c->init and
// to the body's arguments while the body was written. False with an error.
static bool counted_end(tl_trace *t, counted *c, int64_t to, tl_value *next, uint32_t more) {
  uint32_t n = 1 + c->n_state + more;
  tl_type i32 = tl_type_scalar(TL_DTYPE_S32);
  tl_value one = tlo_constant_i64(&c->body, i32, 1);
  next[0] = tlo_add(&c->body, c->x[0]->v, one);
  tlo_return(&c->body, next, n);
  tl_builder_join(t->b, &c->body);
  tl_builder cond = tl_builder_at(t->b, c->op->regions[0]);
  tl_value at = NULL;
  for (uint32_t i = 0; i < n; i++) {
    tl_value x = tl_block_arg(&cond, cond.block, c->init[i]->type);
    if (i == 0) at = x;
  }
  tl_value end = tlo_constant_i64(&cond, i32, to);
  tl_value go_on =
      at == NULL || end == NULL ? NULL : tlo_compare(&cond, TL_COMPARISON_DIRECTION_LT, at, end);
  tlo_return(&cond, &go_on, 1);
  tl_builder_join(t->b, &cond);
  c->op->operands = c->init;
  c->op->n_operands = n;
  c->op = tl_op_finish(t->b, c->op, NULL, 0);
  return tl_settle(t);
}

static bool is_count(tl_trace *t, const char *what, int64_t n) {
  if (n >= INT32_MIN && n <= INT32_MAX) return true;
  tl_fail(t, TL_DIAG_BAD_ARGUMENT, "%s: counts to %lld, past 32 bits", what, (long long)n);
  return false;
}

void tl_for_at(tl_here at, int64_t from, int64_t to, tl_region_fn *body, void *arg,
               const tl_expr *init, uint32_t n, tl_expr *out) {
  none(out, n);
  tl_trace *t = n == 0 ? NULL : tl_trace_at(at, "for", init, n);
  counted c;
  if (t == NULL || !is_count(t, "for", from) || !is_count(t, "for", to)) return;
  tl_value *next = ROOM(t, tl_value, 1 + n);
  tl_expr *made = ROOM(t, tl_expr, n);
  if (t->error != TL_OK || !counted_begin(t, from, init, n, 0, &c) ||
      !write_region(at, "for", t, &c.body, body, arg, c.x, n, made, next + 1))
    return;
  for (uint32_t i = 0; i < n; i++)
    if (!agree(t, "for", i, init[i], "before the loop", made[i], "after a step")) return;
  if (!counted_end(t, &c, to, next, 0)) return;
  for (uint32_t i = 0; i < n; i++)
    out[i] = tl_made(t, c.op->results[1 + i], init[i]->names);
}

// ---- scan ----

static int64_t scan_length(tl_trace *t, const tl_expr *xs, uint32_t n_xs,
                           const tl_scan_options *options) {
  int64_t length = n_xs == 0 ? options->length : -1;
  for (uint32_t i = 0; i < n_xs; i++) {
    int64_t d = tl_rank_of(xs[i]) == 0 ? -1 : xs[i]->v->type.dims[0];
    if (d < 0 || (length >= 0 && d != length)) {
      tl_fail(t, TL_DIAG_SHAPE_MISMATCH, "scan: the first axis of xs %u, %s, is %s", i,
              tl_type_text(xs[i]),
              d < 0 ? "no number" : "of another size than that of those before");
      return -1;
    }
    length = d;
  }
  if (length < 0 || length > INT32_MAX)
    tl_fail(t, TL_DIAG_BAD_ARGUMENT, "scan: a length of %lld", (long long)length);
  return t->error == TL_OK ? length : -1;
}

// Slice number `at` of x along its first axis.
static tl_expr slice_of(tl_trace *t, tl_builder *b, tl_expr x, tl_value at) {
  uint32_t rank = tl_rank_of(x);
  tl_value starts[TL_MAX_RANK];
  int64_t sizes[TL_MAX_RANK];
  bool gone[TL_MAX_RANK] = {true};
  tl_value zero = rank > 1 ? tlo_constant_i64(b, tl_type_scalar(TL_DTYPE_S32), 0) : NULL;
  for (uint32_t i = 0; i < rank; i++) {
    starts[i] = i == 0 ? at : zero;
    sizes[i] = i == 0 ? 1 : x->v->type.dims[i];
  }
  tl_value part = tlo_dynamic_slice(b, x->v, starts, sizes);
  return tl_made(t, tlo_reshape(b, part, sizes + 1, rank - 1), tl_names_without(t, x, gone));
}

// ys number k: zeros before the loop, a carried buffer in it, into which the body's slice goes.
static tl_value collect(tl_trace *t, counted *c, uint32_t k, tl_expr y, int64_t length,
                        tl_value at) {
  uint32_t rank = tl_rank_of(y) + 1;
  int64_t dims[TL_MAX_RANK + 1], one[TL_MAX_RANK + 1];
  if (rank > TL_MAX_RANK) {
    tl_fail(t, TL_DIAG_BAD_ARGUMENT, "scan: collects %s, which has too many axes", tl_type_text(y));
    return NULL;
  }
  for (uint32_t i = 0; i < rank; i++) {
    dims[i] = i == 0 ? length : y->v->type.dims[i - 1];
    one[i] = i == 0 ? 1 : dims[i];
  }
  tl_type type = tl_type_of(t->m->arena, y->v->type.dtype, dims, rank);
  if (type.dims == NULL) {
    tl_fail_oom(t);
    return NULL;
  }
  c->init[1 + c->n_state + k] = tl_number(t, "scan", tl_arg_of_int(0), type);
  tl_value buffer = tl_block_arg(&c->body, c->body.block, type);
  tl_value zero = tlo_constant_i64(&c->body, tl_type_scalar(TL_DTYPE_S32), 0);
  tl_value operands[2 + TL_MAX_RANK] = {buffer, tlo_reshape(&c->body, y->v, one, rank), at};
  for (uint32_t i = 1; i < rank; i++)
    operands[2 + i] = zero;
  tl_op *op = tl_op_finish(
      &c->body, tl_op_begin(&c->body, TL_OP_DYNAMIC_UPDATE_SLICE, operands, 2 + rank), NULL, 0);
  return op == NULL ? NULL : op->results[0];
}

void tl_scan_at(tl_here at, tl_region_fn *body, void *arg, const tl_expr *init, uint32_t n_state,
                const tl_expr *xs, uint32_t n_xs, const tl_scan_options *options,
                tl_expr *out_state, tl_expr *out_ys, uint32_t n_ys) {
  static const tl_scan_options defaults;
  if (options == NULL) options = &defaults;
  none(out_state, n_state);
  none(out_ys, n_ys);
  tl_trace *t = n_state != 0 ? tl_trace_at(at, "scan", init, n_state)
                : n_xs != 0  ? tl_trace_at(at, "scan", xs, n_xs)
                             : NULL;
  if (t == NULL || (n_xs != 0 && !tl_trace_at(at, "scan", xs, n_xs))) return;
  int64_t length = scan_length(t, xs, n_xs, options);
  uint32_t n_out = n_state + n_ys;
  tl_expr *in = ROOM(t, tl_expr, n_state + n_xs), *made = ROOM(t, tl_expr, n_out);
  tl_value *next = ROOM(t, tl_value, 1 + n_out);
  counted c;
  if (t->error != TL_OK || !counted_begin(t, 0, init, n_state, n_ys, &c)) return;
  tl_builder *outer = t->b;
  t->b = &c.body;
  tl_value step = c.x[0]->v;
  if (options->reverse) {
    tl_value last = tlo_constant_i64(t->b, tl_type_scalar(TL_DTYPE_S32), length - 1);
    step = tlo_sub(t->b, last, step);
  }
  for (uint32_t i = 0; i < n_state; i++)
    in[i] = c.x[1 + i];
  for (uint32_t i = 0; i < n_xs; i++)
    in[n_state + i] = slice_of(t, t->b, xs[i], step);
  tl_settle(t);
  t->b = outer;
  if (t->error != TL_OK ||
      !write_region(at, "scan", t, &c.body, body, arg, in, n_out, made, next + 1))
    return;
  for (uint32_t i = 0; i < n_state; i++)
    if (!agree(t, "scan", i, init[i], "before the loop", made[i], "after a step")) return;
  for (uint32_t k = 0; k < n_ys; k++)
    next[1 + n_state + k] = collect(t, &c, k, made[n_state + k], length, step);
  if (t->error != TL_OK || !counted_end(t, &c, length, next, n_ys)) return;
  for (uint32_t i = 0; i < n_state; i++)
    out_state[i] = tl_made(t, c.op->results[1 + i], init[i]->names);
  for (uint32_t k = 0; k < n_ys; k++) {
    tl_expr y = made[n_state + k];
    const char **names = y->names == NULL ? NULL : tl_names_new(t, tl_rank_of(y) + 1);
    for (uint32_t i = 0; names != NULL && i < tl_rank_of(y); i++)
      names[i + 1] = y->names[i];
    out_ys[k] = tl_made(t, c.op->results[1 + n_state + k], names);
  }
}
