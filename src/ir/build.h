// Building functions: an op at a time at the end of a block, result types inferred by the op's
// rule.
//
// The builder keeps its first error and turns later calls into no-ops that return NULL, so code
// that builds needs no checks between its terms; ask tl_builder_finish once, at the end.
// tlo_<mnemonic> makes one op and returns its (first) result. One thread. Everything lives in the
// module's arena.
#ifndef TL_IR_BUILD_H
#define TL_IR_BUILD_H

#include "ir/format.h"
#include "ir/ir.h"

typedef struct tl_builder {
  tl_module *m;
  tl_func *fn;
  tl_block *block;       // ops are appended here
  tl_loc loc;            // given to new ops
  bool scratch;          // new values print as %s<k>
  tl_status error;       // the first; owned by the builder until tl_builder_finish
  const tl_value *sized; // [n_sized] whose dims tlo_size asks for symbols first, before the
  uint32_t n_sized;      // function's arguments
} tl_builder;

// A new function at the end of the module, and a builder at the end of its body. The name is
// copied; a taken name is an error. alias_output of every argument starts at -1.
tl_builder tl_func_begin(tl_module *m, const char *name, bool is_private);
tl_value tl_func_arg(tl_builder *b,
                     tl_type type); // appends a parameter (before any op is fine, after is too)
tl_arg_info *tl_func_arg_info(tl_func *fn, uint32_t index);
// RETURN with these operands; fixes the function's result types. Then tl_builder_finish.
void tlo_return(tl_builder *b, const tl_value *values, uint32_t n);
// The first error, or NULL. The builder may not be used afterwards.
tl_status tl_builder_finish(tl_builder *b) TL_MUST_USE;
void tl_builder_fail(tl_builder *b, tl_status st); // records st if it is the first; consumes it

// The general way: begin (operands copied, attributes at their defaults), set attributes, finish.
// `types` gives the result types where the rule cannot infer them (reshape, convert, constant,
// iota, broadcast_in_dim, bitcast_convert, gather is inferred ...); NULL elsewhere. If both exist
// they must agree.
tl_op *tl_op_begin(tl_builder *b, tl_opcode code, const tl_value *operands, uint32_t n);
void tl_op_set_i64(tl_op *op, tl_attr_id id, int64_t value); // NULL op is a no-op in all of these
void tl_op_set_f64(tl_op *op, tl_attr_id id, double value);
void tl_op_set_str(tl_builder *b, tl_op *op, tl_attr_id id, tl_str value);
void tl_op_set_list(tl_builder *b, tl_op *op, tl_attr_id id, const int64_t *values, size_t n);
void tl_op_set_dense(tl_op *op, tl_attr_id id,
                     const tl_literal *value); // borrowed: arena of the module
void tl_op_set_groups(tl_builder *b, tl_op *op, tl_attr_id id, const tl_groups *groups); // copied,
void tl_op_set_shardings(tl_builder *b, tl_op *op, tl_attr_id id, const tl_shardings *shardings);
void tl_op_set_names(tl_builder *b, tl_op *op, tl_attr_id id, const tl_names *names); // all three
tl_block *tl_op_add_region(tl_builder *b, tl_op *op); // before finish; arguments by tl_block_arg
tl_value tl_block_arg(tl_builder *b, tl_block *block, tl_type type);
// Appends the op, infers or checks its result types, makes results. NULL when the builder has
// failed.
tl_op *tl_op_finish(tl_builder *b, tl_op *op, const tl_type *types, uint32_t n_types);
// A builder that appends to `block` (a region's), sharing m, fn, loc; copy its error back with
// tl_builder_join.
tl_builder tl_builder_at(const tl_builder *outer, tl_block *block);
void tl_builder_join(tl_builder *outer, tl_builder *inner);

static inline tl_type tl_value_type(tl_value v) { return v ? v->type : (tl_type){0}; }

// Core ops.
tl_value tlo_constant(tl_builder *b, tl_type type, const void *data,
                      size_t size);                                   // copied; one element = splat
tl_value tlo_constant_f64(tl_builder *b, tl_type type, double value); // splat, rounded to the dtype
tl_value tlo_constant_i64(tl_builder *b, tl_type type, int64_t value); // splat
tl_value tlo_iota(tl_builder *b, tl_type type, int64_t dim);
tl_value tlo_unary(tl_builder *b, tl_opcode code, tl_value x);
tl_value tlo_binary(tl_builder *b, tl_opcode code, tl_value x, tl_value y);
tl_value tlo_add(tl_builder *b, tl_value x, tl_value y);
tl_value tlo_sub(tl_builder *b, tl_value x, tl_value y);
tl_value tlo_mul(tl_builder *b, tl_value x, tl_value y);
tl_value tlo_div(tl_builder *b, tl_value x, tl_value y);
tl_value tlo_compare(tl_builder *b, tl_comparison_direction dir, tl_value x,
                     tl_value y); // type by dtype: FLOAT | SIGNED | UNSIGNED
tl_value tlo_select(tl_builder *b, tl_value pred, tl_value x, tl_value y);
tl_value tlo_convert(tl_builder *b, tl_value x, tl_dtype dtype); // the value itself when already so
tl_value tlo_bitcast(tl_builder *b, tl_value x, tl_type type);
tl_value tlo_reshape(tl_builder *b, tl_value x, const int64_t *dims, uint32_t rank);
tl_value tlo_transpose(tl_builder *b, tl_value x, const int64_t *permutation);        // [rank of x]
tl_value tlo_broadcast(tl_builder *b, tl_value x, tl_type type, const int64_t *dims); // [rank of x]
tl_value tlo_concat(tl_builder *b, const tl_value *xs, uint32_t n, int64_t dim);
tl_value tlo_slice(tl_builder *b, tl_value x, const int64_t *start, const int64_t *limit,
                   const int64_t *strides); // strides NULL = 1
tl_value tlo_reduce(tl_builder *b, tl_value x, tl_value init, const int64_t *dims, uint32_t n,
                    tl_opcode combiner);
tl_value tlo_dot(tl_builder *b, tl_value x, tl_value y, const int64_t *lhs_batch,
                 const int64_t *rhs_batch, uint32_t n_batch, const int64_t *lhs_contract,
                 const int64_t *rhs_contract, uint32_t n_contract);
// Rows of x [V, ...] by indices [...] (any rank): gather with whole rows; index clamped.
tl_value tlo_take_rows(tl_builder *b, tl_value x, tl_value indices);
// scatter that replaces whole rows of base [V, ...] by updates [T, ...] at indices i32 [T]; rows
// out of range are dropped.
tl_value tlo_put_rows(tl_builder *b, tl_value base, tl_value indices, tl_value updates);
tl_value tlo_dynamic_slice(tl_builder *b, tl_value x, const tl_value *starts,
                           const int64_t *sizes); // starts [rank of x]: scalars of one type
tl_value tlo_dynamic_update_slice(tl_builder *b, tl_value x, tl_value update,
                                  const tl_value *starts); // starts as above
// Rows of each matrix of x [N, m, n] by that batch's indices [N, k] -> [N, k, n]; clamped.
tl_value tlo_take_rows_batched(tl_builder *b, tl_value x, tl_value indices);
// Random numbers of the execution's stream, of `type`, between or about the scalars lo and hi.
tl_value tlo_rng(tl_builder *b, tl_rng_distribution distribution, tl_value lo, tl_value hi,
                 tl_type type);
// Of the last n dims, 1 to 3, whose sizes in the time domain are `length`.
tl_value tlo_fft(tl_builder *b, tl_value x, tl_fft_type type, const int64_t *length, size_t n);
tl_value tlo_cholesky(tl_builder *b, tl_value a, bool lower);
// x = b solved for a's left side, or its transpose's; matrices [..., n, n] and [..., n, k].
tl_value tlo_triangular_solve(tl_builder *b, tl_value a, tl_value rhs, bool lower, bool unit,
                              tl_transpose transpose);

// A loop while it is built: `cond` builds its condition over the values x, `body` its body over y.
enum { TL_LOOP_MAX = 8 };
typedef struct tl_loop {
  tl_op *op;
  tl_builder cond, body;
  tl_value x[TL_LOOP_MAX], y[TL_LOOP_MAX];
} tl_loop;
tl_loop tlo_while_begin(tl_builder *b, const tl_value *init, uint32_t n); // n <= TL_LOOP_MAX
// Ends both regions, by the condition and by the carried values' next; fills out_values [n], NULLs
// where the builder has failed.
void tlo_while_end(tl_builder *b, tl_loop *loop, tl_value go_on, const tl_value *next,
                   tl_value *out_values);

// Ops whose shapes are operands; `type` is the result's (build_dynamic.c).
tl_value tlo_get_dimension_size(tl_builder *b, tl_value x, int64_t dim);
tl_value tlo_set_dimension_size(tl_builder *b, tl_value x, tl_value size, int64_t dim,
                                tl_type type);
tl_value tlo_dynamic_reshape(tl_builder *b, tl_value x, tl_value shape, tl_type type);
tl_value tlo_dynamic_iota(tl_builder *b, tl_value shape, int64_t dim, tl_type type);
tl_value tlo_dynamic_broadcast(tl_builder *b, tl_value x, tl_value shape, const int64_t *dims,
                               tl_type type); // [rank of x]
tl_value tlo_dynamic_pad(tl_builder *b, tl_value x, tl_value with, tl_value low, tl_value high,
                         tl_value interior, tl_type type);
tl_value tlo_real_dynamic_slice(tl_builder *b, tl_value x, tl_value start, tl_value limit,
                                tl_value strides, tl_type type);
// Sizes as values (build_size.c). A dim that is a number is a constant, and any other follows from
// get_dimension_size of the builder's sized values; tl_pass_specialise makes constants of what that
// emits, so that a program built of symbols and then specialised is the one built of numbers. A
// scalar of an integer or floating-point type:
tl_value tlo_size(tl_builder *b, int64_t dim, tl_dtype dtype);
tl_value tlo_sizes(tl_builder *b, const int64_t *dims, uint32_t n); // i64 [n], of dims or numbers
// A scalar constant, broadcast where the rank is not 0: the text is the same whether dims are
// numbers or symbols.
tl_value tlo_fill(tl_builder *b, tl_type t, double value);
// As tlo_slice, tlo_dynamic_slice and the finished gather, where limits and sizes may be dims that
// are no numbers: then a real_dynamic_slice, or a dynamic_gather. tlo_slice and the others that
// are given sizes come here by themselves.
tl_value tlo_slice_sized(tl_builder *b, tl_value x, const int64_t *start, const int64_t *limit,
                         const int64_t *strides);
tl_value tlo_dynamic_slice_sized(tl_builder *b, tl_value x, const tl_value *starts,
                                 const int64_t *sizes);
tl_value tlo_gather_finish(tl_builder *b, tl_op *gather);
// pad, or dynamic_pad where an edge is a dim that is no number: no edge is below 0. `type` is the
// result's.
tl_value tlo_pad_sized(tl_builder *b, tl_value x, tl_value with, const int64_t *low,
                       const int64_t *high, const int64_t *interior, tl_type type);
tl_op *tlo_call(tl_builder *b, tl_func *callee, const tl_value *operands, uint32_t n);
// fn of the operands, with derivatives of its own, either of which may be NULL. vjp: (cotangents of
// fn's results, operands) -> cotangents of the operands; jvp: (operands, tangents) -> tangents of
// the results. A composite "custom.<fn>".
tl_op *tlo_custom(tl_builder *b, const tl_func *fn, const tl_func *vjp, const tl_func *jvp,
                  const tl_value *operands, uint32_t n);
// fn of the operands, computed again in reverse mode. policy: "nothing", "dots" (the products are
// kept) or "everything". A composite "tlaloc.checkpoint".
tl_op *tlo_checkpoint(tl_builder *b, const tl_func *fn, const char *policy,
                      const tl_value *operands, uint32_t n);

// Named ops; shapes in op_docs.def.
tl_value tlo_embedding(tl_builder *b, tl_value table, tl_value indices);
tl_value tlo_rms_norm(tl_builder *b, tl_value x, tl_value weight, double eps);
tl_value tlo_rope(tl_builder *b, tl_value x, tl_value cos, tl_value sin, tl_value positions);
tl_value tlo_softmax(tl_builder *b, tl_value x, int64_t axis);
tl_value tlo_swiglu(tl_builder *b, tl_value gate, tl_value up);
tl_value tlo_kv_cache_write(tl_builder *b, tl_value cache, tl_value rows, tl_value slots,
                            int64_t block_offset);
// rows may be NULL
tl_value tlo_paged_attention(tl_builder *b, tl_value query, tl_value keys, tl_value values,
                             tl_value tables, tl_value lengths, tl_value rows, double scale,
                             int64_t key_offset, int64_t value_offset);
tl_value tlo_quantized_matmul(tl_builder *b, tl_value x, tl_value weight, tl_format format,
                              int64_t rows);
// Codes i8 [..., k] and scales f32 [..., k/32] of x f32 [..., k].
tl_op *tlo_quantize_int8(tl_builder *b, tl_value x);
tl_value tlo_int8_matmul(tl_builder *b, tl_value codes, tl_value scales, tl_value weight,
                         tl_format format, int64_t rows);
// x bf16 [..., k] and a weight packed as bf16.
tl_value tlo_bf16_matmul(tl_builder *b, tl_value x, tl_value weight, int64_t rows);
tl_value tlo_quantized_embedding(tl_builder *b, tl_value weight, tl_value indices, tl_format format,
                                 int64_t rows, int64_t k);
tl_value tlo_pack_weights(tl_builder *b, tl_value stored, tl_format format, int64_t rows,
                          int64_t k);

// What serving needs beside attention (build_serving.c); shapes in op_docs_serving.def.
tl_value tlo_dequantize_kv(tl_builder *b, tl_value codes, tl_value scales,
                           const char *kv_quant_dtype,
                           tl_dtype dtype); // f32 or bf16
tl_value tlo_nvfp4_matmul(tl_builder *b, tl_value x, tl_value codes, tl_value scales,
                          tl_value scale2);
// Two results; write_slots may be NULL.
tl_op *tlo_causal_conv1d(tl_builder *b, tl_value x, tl_value weight, tl_value state,
                         tl_value token_slots, tl_value positions, tl_value write_slots);
tl_op *tlo_gated_delta_rule(tl_builder *b, tl_value q, tl_value k, tl_value v, tl_value g,
                            tl_value beta, tl_value state, tl_value token_slots, tl_value positions,
                            tl_value write_slots);
// The scales may be NULL, both.
tl_value tlo_moe_experts(tl_builder *b, tl_value x, tl_value logits, tl_value gate_up,
                         tl_value gate_up_scale, tl_value down, tl_value down_scale, int64_t top_k);

#include "ir/build_nn.h" // the named ops of networks and of training
#include "ir/build_special.h"

// Linear algebra; shapes in op_docs.def. Of several results, the op: NULL when the builder has
// failed.
tl_op *tlo_lu(tl_builder *b, tl_value a);
tl_op *tlo_geqrf(tl_builder *b, tl_value a);
tl_value tlo_householder_product(tl_builder *b, tl_value a, tl_value taus);
tl_op *tlo_qr(tl_builder *b, tl_value a, bool full_matrices);
tl_op *tlo_eigh(tl_builder *b, tl_value a, bool lower);
tl_op *tlo_svd(tl_builder *b, tl_value a, bool full_matrices);
tl_value tlo_singular_values(tl_builder *b, tl_value a);
tl_value tlo_solve(tl_builder *b, tl_value a, tl_value rhs, bool transpose_a);
tl_value tlo_det(tl_builder *b, tl_value a);
tl_op *tlo_slogdet(tl_builder *b, tl_value a);
// No ops of their own. The last three are of symmetric positive definite matrices, taken as (a +
// a^T) / 2, by Cholesky; NaN where a is not definite.
tl_value tlo_identity_like(tl_builder *b, tl_value a);
tl_value tlo_inverse(tl_builder *b, tl_value a);
tl_value tlo_solve_spd(tl_builder *b, tl_value a, tl_value rhs);
tl_value tlo_inverse_spd(tl_builder *b, tl_value a);
tl_value tlo_log_det_spd(tl_builder *b, tl_value a);

#endif
