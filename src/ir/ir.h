// The one intermediate representation: modules of functions of typed SSA values.
//
// A module owns an arena; everything below lives in it and dies with it. Functions hold one block;
// ops that have regions (while, if, reduce, scatter ...) hold one block per region. Values are
// defined once, by an op or as a block argument. Passes read the old function and build a new one;
// no pass frees a node. Structs are plain: read the fields.
//
// A module is built or changed by one thread; a finished one is immutable and may be read by many.
#ifndef TL_IR_IR_H
#define TL_IR_IR_H

#include "base/diag.h"
#include "base/map.h"
#include "ir/sharding.h"

typedef enum {
#define TL_DTYPE(id, mlir, size, bits, kind, pjrt) TL_DTYPE_##id,
#include "ir/dtypes.def"
#undef TL_DTYPE
  TL_DTYPE_COUNT
} tl_dtype;

typedef enum {
  TL_KIND_BOOL,
  TL_KIND_INT,
  TL_KIND_UINT,
  TL_KIND_FLOAT,
  TL_KIND_COMPLEX,
} tl_dtype_kind;

typedef struct tl_dtype_info {
  const char *mlir;
  uint32_t size, bits;
  tl_dtype_kind kind;
  uint32_t pjrt;
} tl_dtype_info;

const tl_dtype_info *tl_dtype_get(tl_dtype d);
bool tl_dtype_of_mlir(tl_str spelling, tl_dtype *out);
bool tl_dtype_of_pjrt(uint32_t number, tl_dtype *out);
// The type of a complex number's parts; any other type is its own part.
static inline tl_dtype tl_dtype_part(tl_dtype d) {
  return d == TL_DTYPE_C64 ? TL_DTYPE_F32 : d == TL_DTYPE_C128 ? TL_DTYPE_F64 : d;
}

// Of a type of fewer bits than its byte the upper ones may be anything, where the bytes come from
// outside: makes them what dtypes.def says.
void tl_dtype_extend(tl_dtype d, void *elements, size_t n);

// A ranked tensor type. dims are row-major, outermost first; a negative dim is no number but a
// symbol, an expression of symbols, or `?` (dim.h). Scalars have rank 0. dims live in some arena.
#define TL_MAX_RANK 16
typedef struct tl_type {
  tl_dtype dtype;
  uint32_t rank;
  const int64_t *dims; // [rank]
} tl_type;

bool tl_type_eq(tl_type a, tl_type b);
// False for a symbolic dim, and for what is past PTRDIFF_MAX: no object is larger, so whoever
// multiplies dims of a type with elements stays within an int64_t.
bool tl_type_count(tl_type t, size_t *out_elements);
bool tl_type_size(tl_type t, size_t *out_bytes); // the same
tl_type tl_type_of(tl_arena *a, tl_dtype dtype, const int64_t *dims,
                   uint32_t rank); // copies dims; dims NULL on OOM
#define TL_TYPE(arena, dtype, ...)                             \
  tl_type_of((arena), (dtype), (const int64_t[]){__VA_ARGS__}, \
             sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
static inline tl_type tl_type_scalar(tl_dtype dtype) { return (tl_type){dtype, 0, NULL}; }
void tl_type_print(tl_buf *out, tl_type t); // "tensor<2x3xf32>"

typedef enum {
#define TL_OP(id, mnemonic, in, out, regions, traits, rule, syntax) TL_OP_##id,
#include "ir/ops.def"
#undef TL_OP
  TL_OP_COUNT
} tl_opcode;

enum {
  TL_ELEMWISE = 1 << 0,
  TL_COMMUTES = 1 << 1,
  TL_NAMED = 1 << 2,
  TL_TERM = 1 << 3,
  TL_FLOAT_ONLY = 1 << 4,
  TL_EFFECT = 1 << 5,  // does more than give results: stays, once, where it is
  TL_INEXACT = 1 << 6, // takes floats and complex numbers only
};

// One enumerator per attribute: TL_A_SOFTMAX_axis. TL_ATTRS(op) gives TL_A_<op>__begin, the number
// of the op's first.
typedef enum {
#define TL_ATTRS(op) TL_A_##op##__begin, TL_A_##op##__before = TL_A_##op##__begin - 1,
#define TL_ATTR(op, name, kind, dflt, since) TL_A_##op##_##name,
#include "ir/attrs.def"
#undef TL_ATTRS
#undef TL_ATTR
  TL_ATTR_COUNT
} tl_attr_id;

typedef enum {
  TL_AK_I64,
  TL_AK_F64,
  TL_AK_BOOL,
  TL_AK_STR,
  TL_AK_I64S,
  TL_AK_PAIRS, // list holds both numbers of each pair: [[1, 2], [3, 4]] is 1, 2, 3, 4
  TL_AK_BOOLS, // list holds 0 and 1
  TL_AK_DENSE,
  TL_AK_SYMBOL,
  TL_AK_TEXT,
  TL_AK_COMPARISON_DIRECTION, // i64 holds the enumerator
  TL_AK_COMPARISON_TYPE,
  TL_AK_RNG_ALGORITHM,
  TL_AK_RNG_DISTRIBUTION,
  TL_AK_FFT_TYPE,
  TL_AK_TRANSPOSE,
  TL_AK_DOT_ALGORITHM,
  TL_AK_PRECISIONS, // list holds enumerators
  TL_AK_UNIT,       // i64 holds 0 or 1: written without a value, or not at all
  TL_AK_CHANNEL,    // list holds handle and type, or nothing
  TL_AK_GROUPS,     // replica_groups
  TL_AK_SHARDING,   // shardings holds one
  TL_AK_SHARDINGS,
  TL_AK_AXES,     // names holds the axes of a mesh
  TL_AK_PROGRAMS, // names holds functions, a list of lists of n_columns each
} tl_attr_kind;

// Which member of tl_attr a kind lives in.
typedef enum {
  TL_HELD_I64,
  TL_HELD_F64,
  TL_HELD_STR,
  TL_HELD_LIST,
  TL_HELD_DENSE,
  TL_HELD_GROUPS,
  TL_HELD_SHARDINGS,
  TL_HELD_NAMES,
} tl_attr_held;
tl_attr_held tl_attr_kind_held(tl_attr_kind kind);

// tl_comparison_direction, tl_comparison_type, tl_rng_algorithm, tl_transpose, tl_precision.
#define TL_ENUMS(type, kind) typedef enum {
#define TL_ENUM(type, id, value) TL_##id##_##value,
#define TL_ENUMS_END(type) \
  }                        \
  tl_##type;
#include "ir/enums.def"
#undef TL_ENUMS
#undef TL_ENUM
#undef TL_ENUMS_END
// Spellings by enum kind (an attribute kind above); NULL / false when there is none such.
const char *tl_enum_name(tl_attr_kind kind, int64_t value);
const char *tl_enum_type_name(tl_attr_kind kind); // "comparison_direction"; NULL: no enum
bool tl_enum_of_name(tl_attr_kind kind, tl_str name, int64_t *out);
static inline bool tl_attr_kind_is_enum(tl_attr_kind kind) { // of one enumerator, not of a list
  return tl_attr_kind_held(kind) == TL_HELD_I64 && tl_enum_type_name(kind) != NULL;
}

// A constant's elements, row-major, little endian, or one element when splat. i1 elements are bytes
// 0 and 1.
typedef struct tl_literal {
  tl_type type;
  const void *data;
  size_t size; // bytes in data
  bool splat;
} tl_literal;

typedef struct tl_i64s {
  const int64_t *ptr;
  size_t len;
} tl_i64s;

typedef struct tl_func tl_func;
typedef struct tl_op tl_op;
typedef struct tl_block tl_block;
typedef struct tl_module tl_module;
typedef struct tl_dims tl_dims; // dim.h

typedef struct tl_attr {
  bool set; // false: the default of its row (already filled in below, except for REQUIRED)
  union {
    int64_t i64; // I64, BOOL (0/1) and enums
    double f64;
    tl_str str;   // STR, TEXT, and SYMBOL's name
    tl_i64s list; // I64S, PAIRS, BOOLS, PRECISIONS
    const tl_literal *dense;
    const tl_groups *groups; // these three: NULL when absent
    const tl_shardings *shardings;
    const tl_names *names;
  };
} tl_attr;

typedef struct tl_attr_info {
  tl_opcode op;
  const char *name;
  tl_attr_kind kind;
  bool required;
  uint32_t since;
} tl_attr_info;

typedef struct tl_op_info {
  const char *mnemonic;
  int8_t n_in, n_out, n_regions; // -1 = any number
  uint32_t traits;
  uint16_t attr_begin, n_attrs; // rows of attrs.def
} tl_op_info;

extern const tl_op_info tl_op_table[TL_OP_COUNT];
extern const tl_attr_info tl_attr_table[TL_ATTR_COUNT];
static inline const tl_op_info *tl_op_get(tl_opcode code) {
  TL_ASSERT((size_t)code < TL_OP_COUNT);
  return &tl_op_table[code];
}
static inline const tl_attr_info *tl_attr_get(tl_attr_id id) {
  TL_ASSERT((size_t)id < TL_ATTR_COUNT);
  return &tl_attr_table[id];
}
bool tl_op_of_mnemonic(tl_str mnemonic, bool named,
                       tl_opcode *out); // named: look among named ops only, else core only

enum { TL_MAX_ID = 0x7fffffff };

// Walks over large modules cost what these structs weigh: 40 bytes a value, 96 an op.
typedef struct tl_value_def {
  tl_type type;
  tl_op *op;        // the op that defines it; NULL for a block argument
  tl_block *block;  // the block that it is an argument of, or that holds its op
  uint32_t index;   // result or argument number
  uint32_t id : 31; // printed as %<id>; results of one op share it
  bool scratch : 1; // from an inlined decomposition: printed as %s<k>
} tl_value_def, *tl_value;

struct tl_op {
  tl_opcode code;
  uint32_t n_operands, n_results, n_regions;
  tl_value *operands;
  tl_value *results;
  tl_block **regions;
  tl_attr *attrs; // [tl_op_get(code)->n_attrs]
  tl_block *block;
  tl_op *prev, *next;
  tl_loc loc;
};

// Every block argument lies in one of these.
typedef struct tl_arg_def {
  tl_value_def value;
  tl_loc loc;
} tl_arg_def;

static inline tl_loc tl_value_loc(const tl_value_def *v) {
  return v->op != NULL ? v->op->loc : ((const tl_arg_def *)(const void *)v)->loc;
}

struct tl_block {
  tl_value *args;
  uint32_t n_args;
  tl_op *first, *last; // the last one is a RETURN in a finished block
  tl_op *parent;       // NULL for a function's body
  tl_func *func;
};

typedef struct tl_arg_info { // what a function's argument carries besides its type
  int32_t alias_output; // tf.aliasing_output, -1 = none: the argument is donated to that result
  bool donor;           // jax.buffer_donor
  tl_str name;          // of the manifest's slot, for messages; may be empty
  tl_str size_name;     // jax.global_constant: the size of that name is passed here; may be empty
  const tl_sharding *sharding; // sdy.sharding, or NULL
} tl_arg_info;

struct tl_func {
  tl_str name; // without @
  bool is_private;
  tl_block *body;    // its args are the parameters
  tl_arg_info *args; // [body->n_args]
  tl_type *result_types;
  const tl_sharding **result_shardings; // [n_results] sdy.sharding or NULL; NULL when none has one
  uint32_t n_results;
  uint32_t next_id; // the next %<id>
  tl_module *module;
  tl_func *next;
  tl_loc loc;
};

struct tl_module {
  tl_arena *arena;
  tl_str name; // may be empty
  tl_func *first, *last;
  uint32_t n_funcs;
  tl_dims *dims;   // expressions that types name by their numbers (dim.h); NULL: none
  tl_map by_name;  // of all of them, or of too few to count: then finding one walks the list
  tl_mesh *meshes; // in the order of the text
};

tl_module *tl_module_create(void);                        // NULL when memory is gone
void tl_module_destroy(tl_module *m);                     // NULL is allowed
tl_func *tl_module_find(const tl_module *m, tl_str name); // NULL when absent
void tl_module_add(tl_module *m, tl_func *fn);            // at the end; its name stays as it is
// Takes out the functions that `drop` names, in one walk.
void tl_module_drop(tl_module *m, bool (*drop)(const tl_func *fn, void *arg), void *arg);

static inline const tl_attr *tl_op_attr(const tl_op *op, tl_attr_id id) {
  return &op->attrs[id - tl_op_get(op->code)->attr_begin];
}
static inline int64_t tl_op_i64(const tl_op *op, tl_attr_id id) { return tl_op_attr(op, id)->i64; }
static inline double tl_op_f64(const tl_op *op, tl_attr_id id) { return tl_op_attr(op, id)->f64; }
static inline tl_str tl_op_str(const tl_op *op, tl_attr_id id) { return tl_op_attr(op, id)->str; }
static inline tl_i64s tl_op_list(const tl_op *op, tl_attr_id id) {
  return tl_op_attr(op, id)->list;
}

static inline const tl_groups *tl_op_groups(const tl_op *op, tl_attr_id id) {
  return tl_op_attr(op, id)->groups;
}

// The functions that attribute `i` of the op names, *out_n of them.
const tl_str *tl_op_symbols(const tl_op *op, uint32_t i, uint32_t *out_n);

bool tl_attr_eq(tl_attr_kind kind, const tl_attr *a, const tl_attr *b);
// Structural equality, whatever the ids and locations: same ops, attributes, types and uses in the
// same order; calls compare their callees' bodies.
bool tl_func_eq(const tl_func *a, const tl_func *b);

// Checks every op of every function against its type rule and the specification's constraints, and
// that values are defined before they are used. All mistakes are reported, each at its op's
// location.
tl_status tl_module_verify(const tl_module *m, tl_diags *diags);

#endif
