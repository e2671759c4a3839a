// What the files of the reader share. Inside src/shlo only.
//
// Every function that reads returns false when it could not, and has then reported why (or set
// `oom`). A function that reads stands on its first token and leaves the parser on the token
// behind.
#ifndef TL_SHLO_PARSER_H
#define TL_SHLO_PARSER_H

#include "base/map.h"
#include "ir/op.h"
#include "shlo/lex.h"

enum {
  TL_PARSER_MAX_NESTING = 64,      // regions in regions
  TL_PARSER_MAX_ALIASES = 8,       // attribute aliases in aliases
  TL_PARSER_MAX_EXPANSIONS = 4096, // uses of attribute aliases in one text
};

// A tuple or a token as the text has it. The IR has neither: the name of a tuple stands for the
// tensors in it, one after another, and that of a token for none (docs/design/tuples.md).
typedef struct tl_written tl_written;
struct tl_written {
  uint32_t n_leaves, n_items;
  const tl_written *const *items; // [n_items]; NULL: a tensor
  bool is_token;
};

typedef struct tl_name { // what a %name stands for
  tl_value *values;
  uint32_t n;
  bool in_scope;
  const tl_written *const *written; // [n_written] its results; NULL: n tensors, and where n is 0
                                    // its op was refused, and uses are refused in silence
  uint32_t n_written;
} tl_name;

typedef struct tl_use { // of a %name
  tl_value *values;
  uint32_t n;
  const tl_written *written; // NULL: a tensor
  bool refused;
  tl_loc loc;
} tl_use;

typedef struct tl_resource { // a blob behind the module
  tl_token tok;              // "0x…"
  const uint8_t *data;       // its elements; NULL until it is used
  size_t size;
} tl_resource;

typedef struct tl_parser {
  tl_lexer lex;
  tl_token tok;       // looked at
  const char *before; // the end of the token before
  uint32_t depth;     // braces open
  uint32_t nesting;   // regions open
  tl_diags *diags;
  tl_module *m;
  const char *file; // the module's copy of the text's name
  bool oom;
  tl_arena *temp; // what lives until the op, or the function's head, has been read

  tl_map ops;       // mnemonics of core ops -> tl_opcode
  tl_map resources; // names of blobs -> index into resource_list
  tl_resource *resource_list;
  size_t n_resources, cap_resources;
  tl_map funcs;   // names of functions -> tl_func
  tl_map aliases; // "#name" -> index into alias_at
  tl_lexer *alias_at;
  size_t n_aliases, cap_aliases;
  uint32_t alias_nesting, n_expansions;

  // Of the function being read.
  tl_func *fn;
  tl_block *block;
  tl_map names;    // "%name" -> index into name_list, but for numbers:
  uint64_t *by_id; // names_before + 1 + index of "%<id>"; less: no such name here
  size_t cap_by_id;
  uint64_t names_before; // in the functions before
  tl_name *name_list;
  size_t n_names, cap_names;
  uint32_t *scope; // names of the open blocks, in order
  size_t n_scope, cap_scope;
  bool renumber; // some name is no number of its own

  struct { // what stands beside the custom_call being read, as texts
    tl_str config, operand_layouts, result_layouts;
    tl_loc loc; // of the first of them; line 0: none
  } call;
  tl_i64s dims; // the last tlaloc.dims read, until it is taken
  tl_loc dims_loc;
  bool has_dims;

  tl_op **composites; // found so far
  size_t n_composites, cap_composites;

  struct { // recently read types, by their text
    tl_str text;
    tl_type type;
  } types[64];
} tl_parser;

typedef struct tl_pending { // an op being read
  tl_op *op;
  const char *name;   // for messages
  tl_value *operands; // NULL where the operand's op was refused; these lists are temporary
  tl_loc *operand_locs;
  uint32_t n_operands, cap_operands;
  tl_type *results;
  uint32_t n_results, cap_results;
  const tl_written **written; // [n_written] of the results; NULL: all are tensors
  uint32_t n_written;
  tl_i64s dims; // of its tlaloc.dims
  tl_loc dims_loc;
  bool has_dims;
  bool poisoned; // an operand could not be had: refuse in silence
} tl_pending;

typedef struct tl_types { // temporary
  tl_type *ptr;
  uint32_t len, cap;
  const tl_written **written; // [n_written] how they stand in the text; NULL: all are tensors
  uint32_t n_written, cap_written;
} tl_types;

// parse.c: tokens and messages.
void tl_parser_init(tl_parser *p, tl_str text, tl_module *m, const char *file, tl_diags *diags);
void tl_parser_deinit(tl_parser *p);
void tl_parser_next(tl_parser *p);
tl_loc tl_parser_here(const tl_parser *p);
void tl_parser_report(tl_parser *p, tl_loc loc, const char *fmt, ...) TL_PRINTF(3, 4);
void tl_parser_report_want(tl_parser *p, const char *what); // "wanted <what>, found …"
// "<one> is <a>, <other> <b>"
void tl_parser_report_types(tl_parser *p, tl_loc loc, const char *one, tl_type a, const char *other,
                            tl_type b);
// The same, as false: the compiler then knows that a reader which reports has not read.
#define tl_parser_fail(p, loc, ...) (tl_parser_report((p), (loc), __VA_ARGS__), false)
static inline bool tl_parser_want(tl_parser *p, const char *what) {
  tl_parser_report_want(p, what);
  return false;
}
static inline bool tl_parser_oom(tl_parser *p) {
  p->oom = true;
  return false;
}
static inline bool tl_parser_is(const tl_parser *p, int kind) { return p->tok.kind == kind; }
static inline bool tl_parser_is_word(const tl_parser *p, const char *word) {
  return p->tok.kind == TL_TOKEN_WORD && tl_str_is(p->tok.text, word);
}
bool tl_parser_accept(tl_parser *p, int kind);
bool tl_parser_accept_word(tl_parser *p, const char *word);
bool tl_parser_expect(tl_parser *p, int kind, const char *what);
bool tl_parser_expect_word(tl_parser *p, const char *word);
bool tl_parser_symbol(tl_parser *p, tl_str *out); // @name, the name in the arena
bool tl_parser_skip_loc(tl_parser *p);            // loc(…), where there is one
// Room for one more in a list of the arena: `list` is the address of its pointer. False when memory
// is gone. A temporary list dies when its op has been read, and costs the module nothing.
bool tl_parser_grow(tl_parser *p, void *list, uint32_t n, uint32_t *cap, size_t size);
bool tl_parser_grow_temp(tl_parser *p, void *list, uint32_t n, uint32_t *cap, size_t size);

// The same for a list of the heap.
bool tl_parser_heap_grow(tl_parser *p, void *list, size_t n, size_t *cap, size_t size);
// To the next line that begins an op, at `depth` open braces; or to the brace that closes them.
void tl_parser_recover(tl_parser *p, uint32_t depth);

// parse.c: values and regions.
void tl_parser_forget_names(tl_parser *p);     // a new function begins
bool tl_parser_use(tl_parser *p, tl_use *out); // %name or %name#1
// Puts a name in scope; `written` [n_written] may be NULL.
bool tl_parser_name(tl_parser *p, tl_str name, tl_loc loc, tl_value *values, uint32_t n,
                    const tl_written *const *written, uint32_t n_written, bool shares);
bool tl_parser_operand(tl_parser *p, tl_pending *o);
// A new value under the name at the current token, which is not consumed. `shares`: the name of
// another value as well.
tl_value tl_parser_define(tl_parser *p, tl_str name, tl_loc loc, tl_type type, bool shares);
typedef struct tl_region_arg {
  tl_str name; // with %
  tl_loc loc;
  tl_type type;
  const tl_written *written; // NULL: a tensor
  const tl_type *leaves;     // [written->n_leaves]
} tl_region_arg;
static inline uint32_t tl_region_arg_leaves(const tl_region_arg *a) {
  return a->written == NULL ? 1 : a->written->n_leaves;
}
// The type of an argument at the current token.
bool tl_parser_arg_type(tl_parser *p, tl_region_arg *arg);
// New values for arguments of a block, under their names.
bool tl_parser_args_define(tl_parser *p, tl_block *block, const tl_region_arg *args, uint32_t n,
                           bool shares);
// ^bb0(%a: T, %b: T): where it is there.
bool tl_parser_block_label(tl_parser *p, tl_region_arg **out, uint32_t *out_n);
// Ops up to '}', which stays. `of` names the block's owner in messages.
bool tl_parser_block(tl_parser *p, const char *of);
// { ops }, or after ^bb0(…): when args is NULL. Adds a region to the op.
bool tl_parser_region(tl_parser *p, tl_pending *o, const tl_region_arg *args, uint32_t n_args,
                      bool shares);

// parse_type.c
bool tl_parser_type(tl_parser *p, tl_type *out);
bool tl_parser_type_list(tl_parser *p, tl_types *out);       // T, T
bool tl_parser_types_in_parens(tl_parser *p, tl_types *out); // (T, T) or ()
bool tl_parser_result_types(tl_parser *p, tl_types *out);    // T or (T, T)
bool tl_parser_dense(tl_parser *p, const tl_literal **out);  // dense<…> : T
// The same, of a type that may have a `?` where the elements are one for all.
bool tl_parser_dense_open(tl_parser *p, tl_literal **out);
// 1.0 : f32, an element of this type; a scalar
bool tl_parser_number(tl_parser *p, tl_dtype dtype, const tl_literal **out);
// n pairs of digits at `loc` into bytes.
bool tl_parser_unhex(tl_parser *p, tl_loc loc, const char *digits, size_t n, uint8_t *to);

// parse_resources.c
bool tl_parser_resources(tl_parser *p, tl_str text); // {-# … #-} at the end of the text, if there
bool tl_parser_dense_resource(tl_parser *p, const tl_literal **out); // dense_resource<name> : T

// A tensor, a tuple or a token, as leaves at the end of the list; *out_written as in tl_region_arg.
bool tl_parser_leaves(tl_parser *p, tl_types *out, const tl_written **out_written);

// parse_tuple.c: the ops that there are no values of. *out_taken: it was one, and has been read.
bool tl_parser_tuple_op(tl_parser *p, tl_str op, bool quoted, tl_str name, tl_loc name_loc,
                        uint32_t n_names, bool *out_taken);

// parse_attrs.c
bool tl_parser_int(tl_parser *p, int64_t *out);       // -1
bool tl_parser_int_attr(tl_parser *p, int64_t *out);  // -1 : i64
bool tl_parser_int_list(tl_parser *p, tl_i64s *out);  // [1, 2]
bool tl_parser_pairs(tl_parser *p, tl_i64s *out);     // [[1, 2], [3, 4]], flat
bool tl_parser_conv_dims(tl_parser *p, tl_op *op);    // [b, 0, f]x[0, i, o]->[b, 0, f]
bool tl_parser_bools(tl_parser *p, tl_i64s *out);     // [false, true], array<i1: false, true>
bool tl_parser_string(tl_parser *p, tl_str *out);     // "…", escapes undone, in the arena
bool tl_parser_int_array(tl_parser *p, tl_i64s *out); // array<i64: 1, 2>
bool tl_parser_float(tl_parser *p, double *out);      // 0.1
bool tl_parser_enum(tl_parser *p, tl_attr_kind kind, int64_t *out); // a bare spelling
// #stablehlo<comparison_direction LT>, or #chlo<…>
bool tl_parser_wrapped_enum(tl_parser *p, tl_attr_kind kind, int64_t *out);
bool tl_parser_precisions(tl_parser *p, tl_i64s *out);    // [DEFAULT, HIGHEST]
bool tl_parser_dot_algorithm(tl_parser *p, int64_t *out); // <lhs_precision_type = bf16, …>
bool tl_parser_attr_dict(tl_parser *p, tl_op *op); // {a = 1 : i64, …} into the op's attributes
tl_attr *tl_parser_set(tl_parser *p, tl_op *op, tl_attr_id id); // marks it set
// {…} of attributes that do not change values; `on_attr`, when given, may take one (its value is
// next) and says so.
typedef bool (*tl_attr_taker)(tl_parser *p, tl_str name, void *arg, bool *out_taken);
bool tl_parser_neutral_dict(tl_parser *p, const char *of, tl_attr_taker take, void *arg);
bool tl_parser_skip_balanced(tl_parser *p); // from an opening bracket past its closing one
bool tl_parser_skip_value(tl_parser *p);    // up to a ',' or a closing bracket

// parse_sharding.c
bool tl_parser_sharding(tl_parser *p, tl_sharding *out);             // <@mesh, [{"x"}, {}]>
bool tl_parser_sharding_attr(tl_parser *p, const tl_sharding **out); // #sdy.sharding<…>
bool tl_parser_shardings(tl_parser *p, const tl_shardings **out);    // [<…>, <…>]
bool tl_parser_shardings_attr(tl_parser *p, bool one, const tl_shardings **out);
bool tl_parser_axes(tl_parser *p, const tl_names **out);      // {"x", "y"}
bool tl_parser_axes_attr(tl_parser *p, const tl_names **out); // #sdy<manual_axes{"x"}>
bool tl_parser_programs(tl_parser *p, const tl_names **out);  // [[@a], [@b]]
bool tl_parser_channel(tl_parser *p,
                       tl_i64s *out); // #stablehlo.channel_handle<handle = 1, type = 0>
bool tl_parser_groups(tl_parser *p, const tl_groups **out); // replica_groups
bool tl_parser_mesh(tl_parser *p, tl_mesh *mesh);           // <["x"=2, "y"=4]>
// parse_dims.c
bool tl_parser_dims(tl_parser *p, bool declare); // ["n", "2*n"], kept until
bool tl_parser_take_dims(tl_parser *p, tl_type *types,
                         uint32_t n);                  // names the `?` of these types by it
bool tl_parser_symbols(tl_parser *p);                  // {n, m = 16 : i64}
bool tl_parser_type_fits(tl_type value, tl_type text); // the same, a `?` of the text being any name
bool tl_parser_refine(tl_parser *p, tl_op *op, tl_type *types, uint32_t n);

// parse_ops.c: what stands behind the op's name. `quoted` is the generic form.
bool tl_parser_op_body(tl_parser *p, tl_pending *o, bool quoted);
// Whether the custom_call's target is one that we know; refuses it by name where not.
bool tl_parser_target(tl_parser *p, const tl_op *op);
// The operand types of the text against those of the operands.
bool tl_parser_operand_types(tl_parser *p, const tl_pending *o, const tl_type *types, uint32_t n);
// Behind check.expect_…: two operands, or one and (where out_wanted is not NULL) a literal.
bool tl_parser_check_body(tl_parser *p, tl_pending *o, const tl_literal **out_wanted);

// chlo.c
typedef struct tl_chlo_attrs { // of what is expanded
  const tl_literal *literal;
  tl_i64s dims;
  bool has_dims, has_direction;
  int64_t direction, type;
} tl_chlo_attrs;
// False: no such op. Those that expand are read by tl_parser_chlo_expand, which gives their value.
bool tl_chlo_find(tl_str name, tl_opcode *out_code, const char **out_name, bool *out_expands);
bool tl_parser_chlo_body(tl_parser *p, tl_pending *o, bool quoted);
bool tl_parser_chlo_expand(tl_parser *p, tl_pending *o, bool quoted, tl_value *out);

// recognise.c
tl_status tl_shlo_recognise(tl_parser *p);

#endif
