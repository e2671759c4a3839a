// Private to the type rules (infer*.c): what a rule sees, and how it refuses.
#ifndef TL_IR_RULE_H
#define TL_IR_RULE_H

#include "ir/dim.h"
#include "ir/op.h"

typedef struct tl_rule {
  tl_arena *arena;
  const tl_module *module;
  const tl_op *op;
  const char *as;          // the op's name in messages; NULL: its own
  const tl_type *declared; // [n_declared], NULL when no types were given
  uint32_t n_declared;
  bool finished; // every function of the module is complete
  tl_type *room; // [n_room] for the answer, else it goes into the arena
  uint32_t n_room;
  tl_type *types; // [n_types], the answer
  uint32_t n_types;
} tl_rule;

// One per distinct name in the rule column of ops.def.
typedef tl_status tl_rule_fn(tl_rule *r);
#define TL_OP(id, mnemonic, in, out, regions, traits, rule, syntax) tl_rule_fn tl_infer_##rule;
#include "ir/ops.def"
#undef TL_OP

// INVALID_ARGUMENT "<mnemonic>: <text> (<mnemonic>_<label>)".
tl_status tl_rule_wrong(const tl_rule *r, const char *label, const char *fmt, ...) TL_PRINTF(3, 4);
#define TL_RULE(r, cond, label, ...)                                           \
  do {                                                                         \
    if (TL_UNLIKELY(!(cond))) return tl_rule_wrong((r), (label), __VA_ARGS__); \
  } while (0)

// Texts for messages, in the rule's arena.
const char *tl_rule_type(const tl_rule *r, tl_type t);
const char *tl_rule_list(const tl_rule *r, tl_i64s list);
const char *tl_rule_dim(const tl_rule *r, int64_t d);

// The answer: n results, and the first of them. A declared type that differs breaks the constraint
// `label`; of "c1|c4" the first where its element type differs, else the second.
tl_status tl_rule_give(tl_rule *r, const tl_type *types, uint32_t n, const char *label);
tl_status tl_rule_give1(tl_rule *r, tl_type type, const char *label);
tl_status tl_rule_give_dims(tl_rule *r, tl_dtype dtype, const int64_t *dims, uint32_t rank,
                            const char *label);
// Region `region` maps two lists of n scalars to one, and its element types may be wider than the
// first n operands'. Fills the types that it returns; `label` is what it breaks otherwise.
tl_status tl_rule_combiner(const tl_rule *r, uint32_t region, uint32_t n, const char *label,
                           tl_dtype *out_dtypes);
// i2 and c1 to c4 of gather, which dynamic_gather has as well: the indices, and how the dims fit.
tl_status tl_rule_gather_begins(const tl_rule *r, tl_i64s offset, tl_i64s collapsed, tl_i64s xbatch,
                                tl_i64s map, int64_t vec);
// The only declared type, for rules that cannot infer.
tl_status tl_rule_declared(const tl_rule *r, tl_type *out_type);

static inline tl_type tl_rule_in(const tl_rule *r, uint32_t i) { return r->op->operands[i]->type; }
static inline tl_dtype_kind tl_rule_kind(tl_type t) { return tl_dtype_get(t.dtype)->kind; }
// What most named ops take.
static inline bool tl_rule_is_wide(tl_type t) {
  return t.dtype == TL_DTYPE_F32 || t.dtype == TL_DTYPE_F64;
}
// Whether products of elements of `factor` may be summed into `sum`: of one kind, or integers into
// floats, as JAX's preferred_element_type asks for. Both factors are then converted first.
static inline bool tl_rule_sums_into(tl_type factor, tl_type sum) {
  const tl_dtype_kind from = tl_rule_kind(factor), to = tl_rule_kind(sum);
  return from == to || (to == TL_KIND_FLOAT && (from == TL_KIND_INT || from == TL_KIND_UINT));
}
bool tl_rule_shape_eq(tl_type a, tl_type b);
bool tl_rule_unique(tl_i64s list);
bool tl_rule_sorted(tl_i64s list);
bool tl_rule_within(tl_i64s list, int64_t limit); // 0 <= each < limit
bool tl_rule_has(tl_i64s list, int64_t value);

#endif
