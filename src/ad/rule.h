// Private to src/ad: what a rule is given and what it may do, the table of rules, and the engine's
// doors between the transforms.
//
// A rule emits ops at v->b and computes nothing. The builder keeps the first error, so a rule needs
// no checks between its terms: a NULL operand makes a NULL result. Arguments that emit are
// evaluated in an order C leaves open: one emitting call per expression, wherever two could change
// places.
#ifndef TL_AD_RULE_H
#define TL_AD_RULE_H

#include "ad/ad.h"
#include "passes/clone.h"

// --- The transform at work ---------------------------------------------------------------------

enum { TL_AD_MAX_DEPTH = 200 }; // of calls, decompositions and regions

typedef struct tl_ad {
  tl_module *m;
  const tl_ad_options *options; // never NULL
  tl_diags *diags;              // may be NULL
  uint32_t depth;               // of calls, decompositions and regions entered
  uint32_t in_named;            // of them, decompositions of named ops
  uint64_t written_out;         // ops of the bodies that calls stood for
  bool batching;                // a refusal is one of a batch
} tl_ad;

// The function that a call or a composite's attribute names; an error in b where there is none.
tl_func *tl_ad_callee(tl_builder *b, const tl_op *op);
// Counts the ops of a body that comes in place of a call; NULL, or why there is no more room: calls
// that fan out come to more ops than any memory holds.
const char *tl_ad_write_out(tl_ad *ad, const tl_block *body);

static inline bool tl_ad_is_control(const tl_op *op) {
  return op->code == TL_OP_IF || op->code == TL_OP_CASE || op->code == TL_OP_WHILE;
}
// What gives the results of a branch or loop in plainer ops (passes/phi.h), to be gone through as a
// call's body; then depth is one more. NULL: it stays. A chain of choices becomes one only where
// lanes choose: elsewhere it costs more than it saves.
typedef enum { TL_AD_REVERSE, TL_AD_FORWARD, TL_AD_BATCH, TL_AD_LANES } tl_ad_way_to;
const tl_block *tl_ad_plainer(tl_ad *ad, tl_builder *b, const tl_op *op, tl_ad_way_to way);

// Records the refusal (NOT_DIFFERENTIABLE, VMAP_NO_BATCHING_RULE) of op in b and the diagnostics.
// What both directions share refuses by the first: it is the second in a batch.
void tl_ad_refuse(tl_ad *ad, tl_builder *b, const tl_op *op, const char *why);
void tl_ad_refuse_batching(tl_ad *ad, tl_builder *b, const tl_op *op, const char *why);

// --- Small expressions that many rules use -------------------------------------------------------

// Splats: a scalar constant, broadcast where the rank is not 0, so that the text is the same
// whether dims are numbers or symbols.
tl_value tl_ad_zeros(tl_builder *b, tl_type t);
tl_value tl_ad_like(tl_builder *b, tl_value x, double value); // of x's type
tl_value tl_ad_scale(tl_builder *b, tl_value x, double by);
static inline bool tl_ad_is_inexact(tl_dtype d) {
  tl_dtype_kind k = tl_dtype_get(d)->kind;
  return k == TL_KIND_FLOAT || k == TL_KIND_COMPLEX;
}
// Whether a value of type t can have a derivative: a float or complex one that is not empty.
static inline bool tl_ad_varies(tl_type t) {
  for (uint32_t d = 0; d < t.rank; d++)
    if (t.dims[d] == 0) return false;
  return tl_ad_is_inexact(t.dtype);
}
static inline bool tl_ad_is_complex(tl_value x) {
  return x != NULL && tl_dtype_get(x->type.dtype)->kind == TL_KIND_COMPLEX;
}
tl_value tl_ad_sum(tl_builder *b, tl_value x, const int64_t *dims, uint32_t n); // reduce of add
// As a person would write them: of a negation, the value that it negates; x - y of x and a negated
// y; x of x times 1. By bits the same.
tl_value tl_ad_neg(tl_builder *b, tl_value x);
tl_value tl_ad_add(tl_builder *b, tl_value x, tl_value y);
tl_value tl_ad_mul(tl_builder *b, tl_value x, tl_value y);
// Whether v is one constant float everywhere, repeated or not.
bool tl_ad_splat(tl_value v, double *out);
tl_value tl_ad_clamp(tl_builder *b, tl_value low, tl_value x, tl_value high);
// The cotangent of what broadcast_in_dim repeated (shape.c).
tl_value tl_ad_unbroadcast(tl_builder *b, tl_value ct, tl_type from, tl_i64s at, const bool *stays);
// Of lists i64 [rank]: the places that so many elements take, `step` apart (dynamic.c).
tl_value tl_ad_reaches(tl_builder *b, tl_value sizes, tl_value step, uint32_t rank);
// The opcode whose region is one op of its two arguments (add, maximum …), else TL_OP_COUNT.
tl_opcode tl_ad_combiner(const tl_block *region);

// What `block` does to scalars, done to every element: args [block->n_args] are of one shape, and
// so are out [of its terminator].
void tl_ad_lift(tl_ad *ad, tl_builder *b, const tl_block *block, const tl_value *args,
                tl_value *out);

// --- Elementwise: one derivative for both directions
// -------------------------------------------------

// g times the derivative of out by operand i. Linear in g, and its own transpose: forward mode
// gives it a tangent, reverse mode a cotangent.
typedef struct tl_diag_at {
  tl_builder *b;
  const tl_op *op;
  const tl_value *in;
  tl_value out;
} tl_diag_at;
typedef tl_value tl_diag_fn(const tl_diag_at *d, uint32_t i, tl_value g);

// --- Reverse ----------------------------------------------------------------------------------

enum { TL_NO_CT = 1 };

typedef struct tl_reverse { // zero-initialise but ad; deinit when done
  tl_ad *ad;
  // Values that depend on what is differentiated by -> the cotangent so far, or TL_NO_CT: zero.
  tl_value_map active;
} tl_reverse;

typedef struct tl_vjp {
  tl_ad *ad;
  tl_reverse *r;
  tl_builder *b;
  const tl_op *op;    // as it stands in the new function
  tl_value *in, *out; // its operands and results
  tl_value *ct;       // [op->n_results] cotangents; NULL: zero. At least one is not.
} tl_vjp;
typedef void tl_vjp_fn(tl_vjp *v);

// Whether operand i is to be given a cotangent. A rule may emit for one that is not: it is dead
// then.
bool tl_vjp_wants(const tl_vjp *v, uint32_t i);
// Adds to the cotangent of operand i; NULL is zero.
void tl_vjp_give(tl_vjp *v, uint32_t i, tl_value ct);
// Adds `ct` to the part of operand i's cotangent that starts there, in place of a sum over the
// whole.
void tl_vjp_give_slice(tl_vjp *v, uint32_t i, tl_value ct, const tl_value *starts);
// Of result k, zeros where it is none.
tl_value tl_vjp_ct(tl_vjp *v, uint32_t k);

void tl_reverse_deinit(tl_reverse *r);
bool tl_reverse_is_active(const tl_reverse *r, tl_value v);
void tl_reverse_activate(tl_reverse *r, tl_builder *b, tl_value v);
tl_value tl_reverse_ct(const tl_reverse *r, tl_value v); // NULL: zero
// In place of the cotangent that `of`, which is active, has so far.
void tl_reverse_set(tl_reverse *r, tl_builder *b, tl_value of, tl_value ct);
void tl_reverse_give(tl_reverse *r, tl_builder *b, tl_value to, tl_value ct); // if active
// Emits a block forward at b (e has its arguments), with what is active found out, and active calls
// and ops whose rule is `decompose` replaced by their bodies. out [of its terminator].
void tl_reverse_primal(tl_reverse *r, tl_builder *b, tl_env *e, const tl_block *block,
                       tl_value *out);
// Finds out what is active among the ops after `before` (NULL: from the first) in b's block.
void tl_reverse_mark(tl_reverse *r, tl_builder *b, const tl_op *before);
// Walks back from `last` to the op after `before`, appending at b what gives the cotangents.
void tl_reverse_walk(tl_reverse *r, tl_builder *b, tl_op *before, tl_op *last);

// --- Forward ----------------------------------------------------------------------------------

typedef struct tl_forward {
  tl_ad *ad;
  tl_value_map tangents; // value -> tangent; absent: zero
} tl_forward;

typedef struct tl_jvp {
  tl_ad *ad;
  tl_forward *f;
  tl_builder *b;
  const tl_op *op;
  tl_value *in, *out;
  tl_value *t;     // [op->n_operands] tangents; NULL: zero. At least one is not, or a free value's.
  tl_value *t_out; // [op->n_results] to be filled; NULL: zero
} tl_jvp;
typedef void tl_jvp_fn(tl_jvp *j);

// Of operand i, zeros where it is none.
tl_value tl_jvp_t(tl_jvp *j, uint32_t i);
void tl_jvp_give(tl_jvp *j, uint32_t k, tl_value t);
void tl_forward_deinit(tl_forward *f);
tl_value tl_forward_get(const tl_forward *f, tl_value v);
void tl_forward_put(tl_forward *f, tl_builder *b, tl_value v, tl_value t);
// The tangents of ops that stand at b already, from `first` to `last`.
void tl_forward_ops(tl_forward *f, tl_builder *b, const tl_op *first, const tl_op *last);
// Emits a block with its tangents at b. out, t_out [of its terminator].
void tl_forward_block(tl_forward *f, tl_builder *b, tl_env *e, const tl_block *block, tl_value *out,
                      tl_value *t_out);

// --- Batching ---------------------------------------------------------------------------------

// A batched value has the batch in front: [size, dims of one example].
typedef struct tl_batcher {
  tl_ad *ad;
  int64_t size;      // a dim: a number or an expression
  tl_env env;        // old -> new
  tl_value_map seen; // new values that are batched
} tl_batcher;

typedef struct tl_batch {
  tl_ad *ad;
  tl_batcher *at;
  tl_builder *b;
  const tl_op *op; // the old one: types of one example
  int64_t size;
  tl_value *in;      // [op->n_operands] new
  bool *batched;     // at least one is, or a free value of a region is
  tl_value *out;     // [op->n_results] to be filled
  bool *out_batched; // true to begin with
} tl_batch;
typedef void tl_batch_fn(tl_batch *v);

// Operand i with the batch in front, repeated where it is not batched.
tl_value tl_batch_in(tl_batch *v, uint32_t i);
tl_value tl_batch_repeat(tl_builder *b, tl_value x, int64_t size);
// The type of one example with the batch in front.
tl_type tl_batch_type(tl_builder *b, tl_type one, int64_t size);
// dims + 1, in the module's arena; `lead`: with 0 in front.
int64_t *tl_batch_dims(tl_builder *b, const int64_t *dims, size_t n, bool lead);
void tl_batch_block(tl_batcher *at, tl_builder *b, const tl_block *block, tl_value *out,
                    bool *out_batched);
void tl_batcher_deinit(tl_batcher *at);
bool tl_batcher_is_batched(const tl_batcher *at, tl_value now);
void tl_batcher_mark(tl_batcher *at, tl_builder *b, tl_value now);

// --- By way of other ops ------------------------------------------------------------------------

// Writes `op` in other ops at b, reading `in`; fills out [op->n_results]. Errors go to b.
typedef void tl_ad_emit_fn(tl_ad *ad, tl_builder *b, const tl_op *op, const tl_value *in,
                           tl_value *out);
void tl_vjp_through(tl_vjp *v, tl_ad_emit_fn *emit);
void tl_jvp_through(tl_jvp *j, tl_ad_emit_fn *emit);
void tl_batch_through(tl_batch *v, tl_ad_emit_fn *emit);

// --- The table --------------------------------------------------------------------------------

typedef struct tl_ad_rule {
  tl_vjp_fn *vjp;
  tl_jvp_fn *jvp;
  tl_batch_fn *batch;
  tl_diag_fn *diag;    // of vjp_diag and jvp_diag
  uint32_t linear;     // bit i: linear in operand i, of jvp_linear; bit 31: in all
  bool zero;           // no result ever has a derivative
  const char *refused; // why vjp_none, jvp_none or batch_none
} tl_ad_rule;
const tl_ad_rule *tl_ad_rule_of(tl_opcode code);

// Every rule function that a row names.
#define TL_AD(id, vjp, jvp, batch) \
  tl_vjp_fn tl_vjp_##vjp;          \
  tl_jvp_fn tl_jvp_##jvp;          \
  tl_batch_fn tl_batch_##batch;
#define TL_AD_DIAG(id, batch) \
  tl_diag_fn tl_diag_##id;    \
  tl_batch_fn tl_batch_##batch;
#define TL_AD_LINEAR(id, vjp, operands, batch) \
  tl_vjp_fn tl_vjp_##vjp;                      \
  tl_batch_fn tl_batch_##batch;
#define TL_AD_ZERO(id, batch) tl_batch_fn tl_batch_##batch;
#define TL_AD_NONE(id, batch, why) tl_batch_fn tl_batch_##batch;
#include "ad/rules.def"
#undef TL_AD
#undef TL_AD_DIAG
#undef TL_AD_LINEAR
#undef TL_AD_ZERO
#undef TL_AD_NONE
tl_vjp_fn tl_vjp_diag, tl_vjp_none, tl_vjp_decompose, tl_vjp_transpose, tl_vjp_call, tl_vjp_zero;
tl_jvp_fn tl_jvp_diag, tl_jvp_none, tl_jvp_decompose, tl_jvp_linear, tl_jvp_call, tl_jvp_zero;
tl_batch_fn tl_batch_none, tl_batch_decompose, tl_batch_elemwise, tl_batch_call;

#endif
