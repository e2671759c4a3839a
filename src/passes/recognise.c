// Recognition: core ops that compute what a named op means become that op.
//
// The pattern of a named op is its own decomposition, which no second description can contradict.
// So a place where an op might end is tried in three steps:
//
//     guess      from the last op: operand types and attributes that the named op could have
//     decompose  the op so guessed, in a module of its own: the pattern
//     unify      pattern and program, from the results up; the pattern's parameters take what
//     stands
//                in their places, the same for every use
//
// What unifies computes the same bits, but for which NaN comes out of a sum whose operands the
// program has the other way round. The program may be spelled differently where no bit depends on
// it: operands of a commuting op in either order, a broadcast in two steps or over dims of 1, a
// constant already spread, a maximum with -inf around a maximum, and heads repeated before they are
// transposed.
//
// Where matches overlap the larger one wins, the earlier pattern (recognise.def) of two equal ones.
// Constants belong to nobody. Each match of a pattern's last ops that fails further up is a *near
// miss*, with the op at which it failed: `tlaloc opt` can show them.
#include "passes/recognise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "ir/build.h"
#include "ir/decompose.h"
#include "ir/op.h"
#include "passes/copy.h"

enum { MAX_ARGS = 8, MAX_CONE = 96, MAX_FLOATS = 16, MAX_REGION_VALUES = 64 };

// ---- Unification ----

typedef struct unifier {
  tl_ptr_map bound;        // pattern value -> program value
  const tl_ptr_map *other; // program value -> what computes the same (see Alternatives)
  const void *trail[512];  // keys of `bound`, in order, to be taken back
  size_t n_trail;
  const tl_op *failed; // the program's op at which the attempt failed that got furthest
  const tl_op *user;   // the op whose operand is being matched
  size_t matched;      // how many values it had matched by then
  bool oom;
} unifier;

static bool bind(unifier *u, tl_value p, tl_value v) {
  if (u->n_trail == TL_COUNT(u->trail)) return false;
  if (!tl_ptr_map_put(&u->bound, p, (uintptr_t)v)) u->oom = true;
  u->trail[u->n_trail++] = p;
  return !u->oom;
}

static void rewind_to(unifier *u, size_t n) {
  while (u->n_trail > n)
    tl_ptr_map_put(&u->bound, u->trail[--u->n_trail], 0); // 0: not bound
}

// Precisions that are not given are DEFAULT, which JAX writes out.
static bool default_precisions(const tl_attr *a) {
  for (size_t i = 0; i < a->list.len; i++)
    if (a->list.ptr[i] != TL_PRECISION_DEFAULT) return false;
  return true;
}

static bool attrs_eq(const tl_op *a, const tl_op *b) {
  const tl_op_info *info = tl_op_get(a->code);
  for (uint32_t i = 0; i < info->n_attrs; i++) {
    const tl_attr_kind kind = tl_attr_get((tl_attr_id)(info->attr_begin + i))->kind;
    if (kind == TL_AK_PRECISIONS && default_precisions(&a->attrs[i]) &&
        default_precisions(&b->attrs[i]))
      continue;
    if (!tl_attr_eq(kind, &a->attrs[i], &b->attrs[i])) return false;
  }
  return true;
}

// Regions of patterns use nothing from around them and hold no regions: values correspond by
// number.
static bool regions_eq(const tl_block *a, const tl_block *b) {
  tl_value from[MAX_REGION_VALUES], to[MAX_REGION_VALUES];
  size_t n = 0;
  if (a->n_args != b->n_args) return false;
  for (uint32_t i = 0; i < a->n_args; i++) {
    if (n == MAX_REGION_VALUES || !tl_type_eq(a->args[i]->type, b->args[i]->type)) return false;
    from[n] = a->args[i], to[n++] = b->args[i];
  }
  const tl_op *x = a->first, *y = b->first;
  for (; x && y; x = x->next, y = y->next) {
    if (x->code != y->code || x->n_operands != y->n_operands || x->n_results != y->n_results ||
        x->n_regions || y->n_regions || !attrs_eq(x, y))
      return false;
    for (uint32_t i = 0; i < x->n_operands; i++) {
      size_t k = 0;
      while (k < n && from[k] != x->operands[i])
        k++;
      if (k == n || to[k] != y->operands[i]) return false;
    }
    for (uint32_t i = 0; i < x->n_results; i++) {
      if (n == MAX_REGION_VALUES || !tl_type_eq(x->results[i]->type, y->results[i]->type))
        return false;
      from[n] = x->results[i], to[n++] = y->results[i];
    }
  }
  return !x && !y;
}

static const tl_literal *literal_of(tl_value v) {
  return v->op && v->op->code == TL_OP_CONSTANT ? tl_op_attr(v->op, TL_A_CONSTANT_value)->dense
                                                : NULL;
}

// The one element of a constant that has the same everywhere, spread by a broadcast or not.
static const void *splat_of(tl_value v) {
  while (v->op && v->op->code == TL_OP_BROADCAST_IN_DIM)
    v = v->op->operands[0];
  const tl_literal *lit = literal_of(v);
  size_t count;
  return lit && (lit->splat || (tl_type_count(lit->type, &count) && count == 1)) ? lit->data : NULL;
}

static bool same_constants(tl_value a, tl_value b) {
  const void *x = splat_of(a), *y = splat_of(b);
  return x && y && tl_type_eq(a->type, b->type) &&
         memcmp(x, y, tl_dtype_get(a->type.dtype)->size) == 0;
}

static bool is_minus_infinity(tl_value v) {
  const void *x = splat_of(v);
  double d;
  float f;
  if (!x) return false;
  if (v->type.dtype == TL_DTYPE_F64) return memcpy(&d, x, 8), d == -HUGE_VAL;
  if (v->type.dtype == TL_DTYPE_F32) return memcpy(&f, x, 4), f == -HUGE_VALF;
  return false;
}

// v without a maximum with -inf around it.
static tl_value without_floor(tl_value v) {
  while (v->op && v->op->code == TL_OP_MAXIMUM)
    if (is_minus_infinity(v->op->operands[0]))
      v = v->op->operands[1];
    else if (is_minus_infinity(v->op->operands[1]))
      v = v->op->operands[0];
    else
      break;
  return v;
}

// Where the dims of x go in v, which is x reshaped by dims of 1 alone.
static bool ones_inserted(tl_type x, tl_type v, int64_t *at) {
  uint32_t i = 0;
  for (uint32_t d = 0; d < v.rank; d++)
    if (i < x.rank && v.dims[d] == x.dims[i])
      at[i++] = d;
    else if (v.dims[d] != 1)
      return false;
  return i == x.rank;
}

// What v is a broadcast of, through several steps; `at` [its rank] says where its dims are in v. v
// itself where it is none.
static tl_value broadcast_source(tl_value v, int64_t *at) {
  for (uint32_t d = 0; d < v->type.rank; d++)
    at[d] = d;
  for (const tl_op *op = v->op; op; op = v->op) {
    int64_t step[TL_MAX_RANK];
    tl_value x = op->n_operands == 1 ? op->operands[0] : NULL;
    if (op->code == TL_OP_BROADCAST_IN_DIM) {
      const tl_i64s dims = tl_op_list(op, TL_A_BROADCAST_IN_DIM_broadcast_dimensions);
      for (size_t d = 0; d < dims.len; d++)
        step[d] = dims.ptr[d];
    } else if (op->code != TL_OP_RESHAPE || !ones_inserted(x->type, v->type, step)) {
      break;
    }
    for (uint32_t d = 0; d < x->type.rank; d++)
      step[d] = at[step[d]];
    memcpy(at, step, x->type.rank * sizeof *at);
    v = x;
  }
  return v;
}

static bool unify(unifier *u, tl_value p, tl_value v);

static bool unify_all(unifier *u, const tl_op *p, const tl_op *v, bool swapped) {
  for (uint32_t i = 0; i < p->n_operands; i++) {
    u->user = v;
    if (!unify(u, p->operands[i], v->operands[swapped ? 1 - i : i])) return false;
  }
  return true;
}

// The op that does not fit, or the one that uses the parameter that does not.
static bool fail(unifier *u, const tl_op *op) {
  if (!op) op = u->user;
  if (op && (!u->failed || u->n_trail > u->matched)) u->failed = op, u->matched = u->n_trail;
  return false;
}

// A pattern's broadcast of x, dims [rank of x].
static bool unify_broadcast(unifier *u, const tl_op *p, tl_value v) {
  int64_t at[TL_MAX_RANK];
  const tl_i64s dims = tl_op_list(p, TL_A_BROADCAST_IN_DIM_broadcast_dimensions);
  tl_value x = broadcast_source(v, at);
  if (x->type.rank != dims.len || !tl_type_eq(p->operands[0]->type, x->type)) return false;
  for (size_t d = 0; d < dims.len; d++)
    if (at[d] != dims.ptr[d] && x->type.dims[d] != 1) return false;
  return unify(u, p->operands[0], x);
}

static bool unify_op(unifier *u, tl_value p, tl_value v) {
  const tl_op *a = p->op;
  if (same_constants(p, v)) return true;
  if (a->code == TL_OP_BROADCAST_IN_DIM && unify_broadcast(u, a, v)) return true;
  if (a->code != TL_OP_MAXIMUM) v = without_floor(v);
  const tl_op *b = v->op;
  if (!b || a->code != b->code || a->n_operands != b->n_operands || a->n_results != b->n_results ||
      a->n_regions != b->n_regions || p->index != v->index || !attrs_eq(a, b))
    return fail(u, b);
  for (uint32_t r = 0; r < a->n_regions; r++)
    if (!regions_eq(a->regions[r], b->regions[r])) return fail(u, b);
  const size_t before = u->n_trail;
  if (unify_all(u, a, b, false)) return true;
  rewind_to(u, before);
  if ((tl_op_get(a->code)->traits & TL_COMMUTES) && a->n_operands == 2 && unify_all(u, a, b, true))
    return true;
  rewind_to(u, before);
  return false;
}

static bool unify(unifier *u, tl_value p, tl_value v) {
  uintptr_t known = 0;
  if (tl_ptr_map_get(&u->bound, p, &known) && known) return (tl_value)known == v || fail(u, v->op);
  if (!tl_type_eq(p->type, v->type)) return fail(u, v->op);
  bool good = !p->op || unify_op(u, p, v); // a parameter takes anything of its type
  const tl_value other = good ? NULL : tl_ptr_map_find(u->other, v);
  if (other) good = unify_op(u, p, other);
  return good && bind(u, p, v);
}

// ---- Guesses ----

typedef struct guess { // a named op that could end here
  tl_opcode code;
  tl_type operands[MAX_ARGS];
  uint32_t n_operands;
  int64_t axis;
  double number; // eps or scale
  bool flag;     // causal
} guess;

typedef struct site { // one op of the program, and what lies above it
  const tl_op *op;
  const tl_op *cone[MAX_CONE];
  size_t n_cone;
  double floats[MAX_FLOATS]; // constants in it
  size_t n_floats;
  const tl_ptr_map *other; // as the unifier's
} site;

// The shortest decimal that is f when rounded: an eps of 1e-5, not 9.99999975e-06.
static double as_written(float f) {
  char text[32];
  for (int digits = 1; digits <= 9; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, (double)f);
    if ((float)strtod(text, NULL) == f) break;
  }
  return isfinite(f) ? strtod(text, NULL) : (double)f;
}

static void note_float(site *s, tl_value v) {
  const void *x = splat_of(v);
  double d;
  float f;
  if (!x || s->n_floats == MAX_FLOATS) return;
  if (v->type.dtype == TL_DTYPE_F32)
    memcpy(&f, x, 4), d = as_written(f);
  else if (v->type.dtype == TL_DTYPE_F64)
    memcpy(&d, x, 8);
  else
    return;
  if (isfinite(d)) s->floats[s->n_floats++] = d;
}

static void look_up(site *s) {
  s->cone[s->n_cone++] = s->op;
  for (size_t i = 0; i < s->n_cone; i++)
    for (uint32_t k = 0; k < s->cone[i]->n_operands; k++) {
      const tl_op *op = s->cone[i]->operands[k]->op;
      bool seen = !op;
      for (size_t j = 0; j < s->n_cone && !seen; j++)
        seen = s->cone[j] == op;
      if (seen || s->n_cone == MAX_CONE) continue;
      if (op->code == TL_OP_CONSTANT) note_float(s, s->cone[i]->operands[k]);
      s->cone[s->n_cone++] = op;
    }
}

static const tl_op *find_above(const site *s, tl_opcode code, size_t nth) {
  for (size_t i = 1; i < s->n_cone; i++)
    if (s->cone[i]->code == code && nth-- == 0) return s->cone[i];
  return NULL;
}

typedef bool try_fn(void *context, const guess *g); // true: enough

static bool by_axis(try_fn *try, void *context, guess g) {
  for (g.axis = 0; g.axis < g.operands[0].rank; g.axis++)
    if (try(context, &g)) return true;
  return false;
}

// The published constants are rounded to the element type; an attribute of 1e-5 becomes the same
// float.
static bool by_number(const site *s, try_fn *try, void *context, guess g) {
  for (size_t i = 0; i < s->n_floats; i++) {
    g.number = s->floats[i];
    if (try(context, &g)) return true;
  }
  return false;
}

static bool guess_softmax(const site *s, try_fn *try, void *context, tl_opcode code) {
  return by_axis(try, context,
                 (guess){.code = code, .operands = {s->op->results[0]->type}, .n_operands = 1});
}

static bool guess_rms_norm(const site *s, try_fn *try, void *context, tl_opcode code) {
  const tl_type t = s->op->results[0]->type;
  if (t.rank == 0 || !find_above(s, TL_OP_RSQRT, 0)) return false;
  const tl_type w = {t.dtype, 1, t.dims + t.rank - 1};
  guess g = {.code = code, .operands = {t, w, w}, .n_operands = 2};
  if (by_number(s, try, context, g)) return true;
  g.n_operands = 3;
  return code == TL_OP_LAYER_NORM && by_number(s, try, context, g);
}

static bool guess_swiglu(const site *s, try_fn *try, void *context, tl_opcode code) {
  const tl_type t = s->op->results[0]->type;
  return find_above(s, TL_OP_LOGISTIC, 0) &&
         try(context, &(guess){.code = code, .operands = {t, t}, .n_operands = 2});
}

// The gate is the product that a logistic reads, and the weights beside it are of one type.
static bool guess_transformer_mlp(const site *s, try_fn *try, void *context, tl_opcode code) {
  const tl_value h = s->op->operands[0], down = s->op->operands[1];
  if (!h->op || h->op->code != TL_OP_MULTIPLY) return false;
  for (size_t n = 0;; n++) {
    const tl_op *logistic = find_above(s, TL_OP_LOGISTIC, n);
    if (!logistic) return false;
    const tl_op *gate = logistic->operands[0]->op;
    if (!gate || gate->code != TL_OP_DOT_GENERAL ||
        !tl_type_eq(logistic->results[0]->type, h->type))
      continue;
    const tl_type w = gate->operands[1]->type;
    guess g = {
        .code = code, .operands = {gate->operands[0]->type, w, w, down->type}, .n_operands = 4};
    if (try(context, &g)) return true;
  }
}

// Tables are what the first gathers read, positions what they read at.
static bool guess_rope(const site *s, try_fn *try, void *context, tl_opcode code) {
  for (size_t n = 0;; n++) {
    const tl_op *gather = find_above(s, TL_OP_GATHER, n);
    if (!gather) return false;
    const tl_type table = gather->operands[0]->type, at = gather->operands[1]->type;
    guess g = {
        .code = code, .operands = {s->op->results[0]->type, table, table, at}, .n_operands = 4};
    if (try(context, &g)) return true;
  }
}

// Labels have the logits' type, or are class numbers.
static bool guess_cross_entropy(const site *s, try_fn *try, void *context, tl_opcode code) {
  if (s->op->results[0]->type.rank != 0) return false;
  for (size_t i = 1; i < s->n_cone; i++) {
    if (s->cone[i]->code != TL_OP_SUBTRACT && s->cone[i]->code != TL_OP_MULTIPLY) continue;
    const tl_type t = s->cone[i]->results[0]->type;
    if (t.rank == 0) continue;
    guess g = {.code = code, .operands = {t, t}, .n_operands = 2};
    for (int mean = 0; mean < 2; mean++) {
      g.flag = mean;
      g.operands[1] = (tl_type){TL_DTYPE_S32, t.rank - 1, t.dims}; // the larger pattern first
      if (try(context, &g)) return true;
      g.operands[1] = t;
      if (try(context, &g)) return true;
    }
  }
  return false;
}

// The type of what v repeats head by head, in a broadcast and a reshape.
static bool unrepeated(const site *s, tl_value v, tl_type *out) {
  int64_t at[TL_MAX_RANK];
  const tl_value other = tl_ptr_map_find(s->other, v);
  if (other) v = other;
  if (!v->op || v->op->code != TL_OP_RESHAPE) return false;
  const tl_value x = broadcast_source(v->op->operands[0], at);
  *out = x->type;
  return x != v->op->operands[0] && x->type.rank == v->type.rank;
}

static bool guess_attention(const site *s, try_fn *try, void *context, tl_opcode code) {
  const tl_op *first = find_above(s, TL_OP_DOT_GENERAL, 0);
  if (!first || !find_above(s, TL_OP_EXPONENTIAL, 0)) return false;
  guess g = {
      .code = code,
      .operands = {first->operands[0]->type, first->operands[1]->type, s->op->operands[1]->type},
      .n_operands = 3};
  guess grouped = g;
  const bool is_grouped = unrepeated(s, first->operands[1], &grouped.operands[1]) &&
                          unrepeated(s, s->op->operands[1], &grouped.operands[2]);
  for (int causal = 0; causal < 2; causal++) {
    g.flag = grouped.flag = causal;
    if (is_grouped && by_number(s, try, context, grouped)) return true;
    if (by_number(s, try, context, g)) return true;
  }
  return false;
}

static bool guess_embedding(const site *s, try_fn *try, void *context, tl_opcode code) {
  const tl_type table = s->op->operands[0]->type, at = s->op->operands[1]->type;
  return try(context, &(guess){.code = code, .operands = {table, at}, .n_operands = 2});
}

static const struct pattern {
  tl_opcode code, last; // the op that the decomposition ends with
  bool (*guesses)(const site *s, try_fn *try, void *context, tl_opcode code);
} patterns[] = {
#define TL_RECOGNISE(op, last, guesses) {TL_OP_##op, TL_OP_##last, guess_##guesses},
#include "passes/recognise.def"
#undef TL_RECOGNISE
};

// ---- Matches ----

typedef struct match {
  const tl_op *root;
  guess what;
  size_t pattern, order;
  tl_value operands[MAX_ARGS];
  const tl_op **ops; // [n_ops] of the program that it covers, without constants
  size_t n_ops;
} match;

typedef struct recogniser {
  tl_arena *arena;
  tl_ptr_map other; // Alternatives
  match *matches;
  size_t n, cap;
  const tl_op *root;
  size_t pattern;
  tl_near_misses *misses; // may be NULL
  const tl_module *original;
  const tl_op *failed; // of the best attempt at this root
  size_t failed_after;
  bool oom;
} recogniser;

static void set_attrs(tl_op *op, const guess *g) {
  switch (g->code) {
  case TL_OP_SOFTMAX:
    tl_op_set_i64(op, TL_A_SOFTMAX_axis, g->axis);
    break;
  case TL_OP_LOG_SOFTMAX:
    tl_op_set_i64(op, TL_A_LOG_SOFTMAX_axis, g->axis);
    break;
  case TL_OP_RMS_NORM:
    tl_op_set_f64(op, TL_A_RMS_NORM_eps, g->number);
    break;
  case TL_OP_LAYER_NORM:
    tl_op_set_f64(op, TL_A_LAYER_NORM_eps, g->number);
    break;
  case TL_OP_SCALED_DOT_PRODUCT_ATTENTION:
    tl_op_set_f64(op, TL_A_SCALED_DOT_PRODUCT_ATTENTION_scale, g->number);
    tl_op_set_i64(op, TL_A_SCALED_DOT_PRODUCT_ATTENTION_causal, g->flag);
    break;
  case TL_OP_CROSS_ENTROPY:
    tl_op_set_i64(op, TL_A_CROSS_ENTROPY_mean, g->flag);
    break;
  default:
    break;
  }
}

static bool is_free(const tl_op *op) { // shared by everybody
  if (op->code == TL_OP_CONSTANT || op->code == TL_OP_IOTA) return true;
  return op->code == TL_OP_BROADCAST_IN_DIM && splat_of(op->results[0]);
}

static void keep(recogniser *r, const guess *g, const tl_func *pattern, const unifier *u) {
  if (r->n == r->cap) {
    const size_t cap = r->cap ? 2 * r->cap : 16;
    match *more = TL_NEW(r->arena, match, cap);
    if (!more) {
      r->oom = true;
      return;
    }
    if (r->n) memcpy(more, r->matches, r->n * sizeof *more);
    r->matches = more, r->cap = cap;
  }
  match *m = &r->matches[r->n];
  *m = (match){.root = r->root, .what = *g, .pattern = r->pattern, .order = r->n};
  m->ops = TL_NEW(r->arena, const tl_op *, u->n_trail + 1);
  if (!m->ops) {
    r->oom = true;
    return;
  }
  for (uint32_t i = 0; i < pattern->body->n_args; i++)
    m->operands[i] = tl_ptr_map_find(&u->bound, pattern->body->args[i]);
  for (const tl_op *op = pattern->body->first; op; op = op->next)
    for (uint32_t k = 0; k < op->n_results; k++) {
      tl_value v = tl_ptr_map_find(&u->bound, op->results[k]);
      if (v && v->op && !is_free(v->op)) m->ops[m->n_ops++] = v->op;
    }
  r->n++;
}

static bool try_guess(void *context, const guess *g) {
  recogniser *r = context;
  tl_module *m = tl_module_create();
  if (!m) return r->oom = true;
  tl_builder b = tl_func_begin(m, "guess", false);
  tl_value args[MAX_ARGS];
  for (uint32_t i = 0; i < g->n_operands; i++)
    args[i] = tl_func_arg(&b, g->operands[i]);
  tl_op *op = tl_op_begin(&b, g->code, args, g->n_operands);
  set_attrs(op, g);
  op = tl_op_finish(&b, op, NULL, 0);
  const bool fits = op && tl_type_eq(op->results[0]->type, r->root->results[0]->type);
  tlo_return(&b, op ? op->results : NULL, op ? op->n_results : 0);
  tl_status st = tl_builder_finish(&b);
  tl_func *pattern = NULL;
  if (!st && fits) st = tl_decompose_func(m, op, "pattern", &pattern);
  bool found = false;
  if (!st && pattern) {
    unifier u = {.other = &r->other};
    tl_value last = pattern->body->last->operands[0];
    found = last->op && unify(&u, last, r->root->results[0]);
    for (uint32_t i = 0; found && i < g->n_operands;
         i++) // a parameter that the pattern does not use
      found = tl_ptr_map_find(&u.bound, pattern->body->args[i]) != NULL;
    if (found) keep(r, g, pattern, &u);
    if (!found && u.failed && u.matched >= r->failed_after)
      r->failed = u.failed, r->failed_after = u.matched;
    r->oom |= u.oom;
    tl_ptr_map_deinit(&u.bound);
  }
  r->oom |= tl_status_get_code(st) == TL_STATUS_RESOURCE_EXHAUSTED;
  tl_status_drop(st); // a guess that the type rule refuses
  tl_module_destroy(m);
  return found || r->oom;
}

// The name of a file as the caller's module has it: that of the copy goes with the copy.
static const char *file_in(const tl_block *b, const char *file) {
  for (const tl_op *op = b->first; op && file; op = op->next) {
    if (op->loc.file && strcmp(op->loc.file, file) == 0) return op->loc.file;
    for (uint32_t i = 0; i < op->n_regions; i++) {
      const char *found = file_in(op->regions[i], file);
      if (found) return found;
    }
  }
  return NULL;
}

static tl_loc loc_in(const tl_module *m, tl_loc loc) {
  const char *file = NULL;
  for (const tl_func *fn = m->first; fn && !file; fn = fn->next)
    file = file_in(fn->body, loc.file);
  loc.file = file;
  return loc;
}

static void note_miss(recogniser *r, const struct pattern *p) {
  tl_near_misses *list = r->misses;
  if (!list || !r->failed || r->failed_after == 0 || list->len == TL_NEAR_MISSES_MAX) return;
  list->items[list->len++] = (tl_near_miss){.pattern = tl_op_get(p->code)->mnemonic,
                                            .loc = loc_in(r->original, r->root->loc),
                                            .failed = tl_op_get(r->failed->code)->mnemonic,
                                            .failed_loc = loc_in(r->original, r->failed->loc)};
}

static void visit(recogniser *r, const tl_block *block) {
  for (const tl_op *op = block->first; op && !r->oom; op = op->next) {
    for (size_t p = 0; p < TL_COUNT(patterns) && op->n_results == 1; p++) {
      if (patterns[p].last != op->code) continue;
      site s = {.op = op, .other = &r->other};
      look_up(&s);
      r->root = op, r->pattern = p, r->failed = NULL, r->failed_after = 0;
      if (!patterns[p].guesses(&s, try_guess, r, patterns[p].code)) note_miss(r, &patterns[p]);
    }
    if (op->code == TL_OP_WHILE || op->code == TL_OP_IF || op->code == TL_OP_CASE)
      for (uint32_t i = 0; i < op->n_regions; i++)
        visit(r, op->regions[i]);
  }
}

static int larger_first(const void *a, const void *b) {
  const match *x = a, *y = b;
  if (x->n_ops != y->n_ops) return x->n_ops > y->n_ops ? -1 : 1;
  if (x->pattern != y->pattern) return x->pattern < y->pattern ? -1 : 1;
  return x->order < y->order ? -1 : 1;
}

// The named op, where its last op stood.
// *out_put: the named op is in its place; else it was not wanted.
static tl_status put(tl_module *m, const match *at, tl_recognise_filter *wanted, tl_ptr_map *same,
                     bool *out_put) {
  tl_op *root = (tl_op *)at->root; // of our own copy
  tl_block scratch = {.func = root->block->func};
  tl_builder b = {.m = m, .fn = scratch.func, .block = &scratch, .loc = root->loc};
  tl_op *op = tl_op_begin(&b, at->what.code, at->operands, at->what.n_operands);
  set_attrs(op, &at->what);
  op = tl_op_finish(&b, op, NULL, 0);
  if (b.error) return b.error;
  *out_put = wanted == NULL || wanted(op);
  if (!*out_put) return TL_OK;
  op->results[0]->id = root->results[0]->id;
  op->block = root->block;
  op->results[0]->block = root->block;
  op->prev = root->prev, op->next = root;
  if (root->prev)
    root->prev->next = op;
  else
    root->block->first = op;
  root->prev = op;
  return tl_ptr_map_put(same, root->results[0], (uintptr_t)op->results[0]) ? TL_OK : TL_OOM();
}

// ---- Alternatives ----
//
// Heads that are repeated and then transposed are also heads that are transposed and then repeated,
// which is how the pattern of an attention has them. The second form is written beside the first
// before anything is matched; where nothing takes it, it is dead code and goes.

// The dim along which v repeats x [its rank] in a broadcast and a reshape, or -1.
static int64_t repeated_dim(tl_value v, tl_value *out_x) {
  int64_t at[TL_MAX_RANK];
  if (!v->op || v->op->code != TL_OP_RESHAPE) return -1;
  const tl_value wide = v->op->operands[0];
  if (wide->type.rank != v->type.rank + 1 || !wide->op) return -1;
  const tl_value x = broadcast_source(wide, at);
  if (x->type.rank != v->type.rank) return -1;
  uint32_t dim = 0;
  while (dim < x->type.rank && at[dim] == dim)
    dim++;
  if (dim == 0) return -1;
  for (uint32_t d = 0; d < x->type.rank; d++)
    if (at[d] != d + (d >= dim) || x->type.dims[d] <= 0 ||
        wide->type.dims[at[d]] != x->type.dims[d])
      return -1;
  dim--;
  const int64_t times = wide->type.dims[dim + 1];
  for (uint32_t d = 0; d < x->type.rank; d++) {
    const int64_t size = v->type.dims[d], before = x->type.dims[d];
    if (d == dim ? size % before != 0 || size / before != times : size != before) return -1;
  }
  *out_x = x;
  return dim;
}

// A transpose of heads that are repeated: x, transposed, and then repeated.
static tl_value repeated_later(tl_builder *b, const tl_op *transpose) {
  const tl_i64s to = tl_op_list(transpose, TL_A_TRANSPOSE_permutation);
  tl_value x = NULL;
  const int64_t from = repeated_dim(transpose->operands[0], &x);
  if (from < 0) return NULL;
  const tl_type t = transpose->results[0]->type;
  int64_t dims[TL_MAX_RANK + 1], at[TL_MAX_RANK];
  uint32_t dim = 0;
  while (to.ptr[dim] != from)
    dim++;
  for (uint32_t d = 0; d < t.rank; d++) {
    at[d] = d + (d > dim);
    dims[at[d]] = x->type.dims[to.ptr[d]];
  }
  dims[dim + 1] = t.dims[dim] / x->type.dims[from];
  x = tlo_transpose(b, x, to.ptr);
  x = tlo_broadcast(b, x, tl_type_of(b->m->arena, t.dtype, dims, t.rank + 1), at);
  return tlo_reshape(b, x, t.dims, t.rank);
}

// The ops of `from` before `at`.
static void splice(tl_block *from, tl_op *at) {
  for (tl_op *op = from->first; op; op = op->next)
    op->block = at->block;
  for (tl_op *op = from->first; op; op = op->next)
    for (uint32_t i = 0; i < op->n_results; i++)
      op->results[i]->block = at->block;
  from->first->prev = at->prev, from->last->next = at;
  if (at->prev)
    at->prev->next = from->first;
  else
    at->block->first = from->first;
  at->prev = from->last;
}

static tl_status add_alternatives(recogniser *r, tl_module *m, tl_block *block) {
  for (tl_op *op = block->first; op; op = op->next) {
    for (uint32_t i = 0; i < op->n_regions; i++)
      TL_TRY(add_alternatives(r, m, op->regions[i]));
    if (op->code != TL_OP_TRANSPOSE) continue;
    tl_block scratch = {.func = block->func};
    tl_builder b = {.m = m, .fn = block->func, .block = &scratch, .loc = op->loc};
    const tl_value other = repeated_later(&b, op);
    if (b.error) return b.error;
    if (!other) continue;
    splice(&scratch, op);
    if (!tl_ptr_map_put(&r->other, op->results[0], (uintptr_t)other)) return TL_OOM();
  }
  return TL_OK;
}

tl_status tl_recognise(const tl_module *m, tl_near_misses *misses, tl_module **out_module) {
  return tl_recognise_some(m, NULL, misses, out_module);
}

tl_status tl_recognise_some(const tl_module *m, tl_recognise_filter *wanted, tl_near_misses *misses,
                            tl_module **out_module) {
  tl_module *copy = NULL, *named = NULL;
  recogniser r = {.arena = tl_arena_create(), .misses = misses, .original = m};
  tl_ptr_map taken = {0}, same = {0};
  tl_status st = r.arena ? TL_OK : TL_OOM();
  if (misses) misses->len = 0;
  if (!st) st = tl_module_copy(m, &(tl_copy_options){0}, &copy);
  for (tl_func *fn = st ? NULL : copy->first; fn && !st; fn = fn->next)
    st = add_alternatives(&r, copy, fn->body);
  for (const tl_func *fn = st ? NULL : copy->first; fn && !r.oom; fn = fn->next)
    visit(&r, fn->body);
  if (!st && r.oom) st = TL_OOM();
  if (!st && r.n) qsort(r.matches, r.n, sizeof *r.matches, larger_first);
  for (size_t i = 0; i < r.n && !st; i++) {
    const match *at = &r.matches[i];
    bool is_free_still = true, is_put = false;
    for (size_t k = 0; k < at->n_ops; k++)
      is_free_still &= !tl_ptr_map_get(&taken, at->ops[k], NULL);
    if (is_free_still) st = put(copy, at, wanted, &same, &is_put);
    for (size_t k = 0; is_put && k < at->n_ops && !st; k++)
      if (!tl_ptr_map_put(&taken, at->ops[k], 1)) st = TL_OOM();
  }
  if (!st) st = tl_module_copy(copy, &(tl_copy_options){.same = &same}, &named);
  if (!st) st = tl_pass_dce(named, out_module);
  tl_module_destroy(named), tl_module_destroy(copy);
  tl_ptr_map_deinit(&taken), tl_ptr_map_deinit(&same), tl_ptr_map_deinit(&r.other);
  tl_arena_destroy(r.arena);
  return st;
}

tl_status tl_pass_recognise(const tl_module *m, tl_module **out_module) {
  return tl_recognise(m, NULL, out_module);
}
