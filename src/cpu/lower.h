// The planning functions of lower.def's rows. Private to src/cpu.
#ifndef TL_CPU_LOWER_H
#define TL_CPU_LOWER_H

#include "cpu/plan.h"

// A product of matrices for each batch. gemm: its strides and sizes, of f64 too, and of complex
// numbers, where b_im is N; pointers are filled in when it runs.
typedef struct product {
  bool wide, complex;               // f64
  bool half;                        // operands of bf16; gemm.narrow: the result too
  size_t batches, a_batch, b_batch; // strides of one batch, elements
  tl_gemm_args gemm;
} product;
void plan_product(planner *p, const tl_op *op, const product *d, plan_view a, plan_view b,
                  plan_view c); // lower_core.c

// A step over all operands and fresh results, with params copied. lower_named.c.
plan_step *plan_simple(planner *p, const tl_op *op, plan_fn run, const void *params,
                       size_t params_size);

bool lower_constant(planner *p, const tl_op *op);
bool lower_view(planner *p, const tl_op *op);
bool lower_slice(planner *p, const tl_op *op);
bool lower_transpose(planner *p, const tl_op *op);
bool lower_broadcast(planner *p, const tl_op *op);
bool lower_concatenate(planner *p, const tl_op *op);
bool lower_convert(planner *p, const tl_op *op);
bool lower_binary(planner *p, const tl_op *op);
bool lower_unary(planner *p, const tl_op *op);
bool lower_dot_general(planner *p, const tl_op *op);
bool lower_fft(planner *p, const tl_op *op);
bool lower_embedding(planner *p, const tl_op *op);
bool lower_rms_norm(planner *p, const tl_op *op);
bool lower_rope(planner *p, const tl_op *op);
bool lower_softmax(planner *p, const tl_op *op);
bool lower_swiglu(planner *p, const tl_op *op);
bool lower_kv_cache_write(planner *p, const tl_op *op);
bool lower_paged_attention(planner *p, const tl_op *op);
bool lower_quantized_matmul(planner *p, const tl_op *op);
bool lower_quantize_int8(planner *p, const tl_op *op);
bool lower_int8_matmul(planner *p, const tl_op *op);
bool lower_bf16_matmul(planner *p, const tl_op *op);
bool lower_quantized_embedding(planner *p, const tl_op *op);
bool lower_pack_weights(planner *p, const tl_op *op);
bool plan_dynamic_conv(planner *p, const tl_op *op); // of padding known at run time; lower_conv.c
bool lower_dynamic(planner *p, const tl_op *op);
bool lower_get_dimension_size(planner *p, const tl_op *op);
bool lower_collective(planner *p, const tl_op *op);
bool lower_id(planner *p, const tl_op *op); // partition_id, replica_id
bool lower_cholesky(planner *p, const tl_op *op);
bool lower_triangular_solve(planner *p, const tl_op *op);
bool lower_running(planner *p, const tl_op *op);
bool lower_eigh(planner *p, const tl_op *op);
bool lower_svd(planner *p, const tl_op *op);

// The operand in memory as elements of d, converted where it has others; and op's only result,
// converted from `view` of type `type`. lower_loop.c.
plan_view plan_operand_as(planner *p, const tl_op *op, tl_value v, tl_dtype d);
bool plan_nothing(planner *p, const tl_op *op); // op's results have no elements: memory, no step
void plan_result_of(planner *p, const tl_op *op, plan_view view, tl_type type);
bool lower_each(planner *p, const tl_op *op);
bool lower_concatenate_loop(planner *p, const tl_op *op);
bool lower_pad(planner *p, const tl_op *op);
bool lower_dynamic_update_slice(planner *p, const tl_op *op);
bool lower_reduce(planner *p, const tl_op *op);
bool lower_dot_loop(planner *p, const tl_op *op);
bool lower_dot_complex(planner *p, const tl_op *op);
bool lower_convolution(planner *p, const tl_op *op);
bool lower_rng_bit_generator(planner *p, const tl_op *op);
bool lower_batch_norm_inference(planner *p, const tl_op *op);
bool lower_batch_norm_training(planner *p, const tl_op *op);
bool lower_batch_norm_grad(planner *p, const tl_op *op);
bool lower_gather(planner *p, const tl_op *op);
bool lower_scatter(planner *p, const tl_op *op);
bool lower_sort(planner *p, const tl_op *op);
bool lower_reduce_window(planner *p, const tl_op *op);
bool lower_select_and_scatter(planner *p, const tl_op *op);

#endif
