// Products, linear algebra, and what networks are made of, for traces (tlaloc/trace.h).
#ifndef TLALOC_MATRIX_H
#define TLALOC_MATRIX_H

#include "tlaloc/trace.h"

// ---- products --------------------------------------------------------------------------------

// By numpy.matmul: the last axis of x with the last but one of y (a vector's only one); leading
// axes are broadcast.
#define tl_matmul(...) tl_matmul_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_matmul_at(tl_here at, tl_expr x, tl_expr y);
// The sum over what two tensors share by name: over every axis whose name both have, except those
// that `keep` names, "batch, head", along which it goes in step. keep may be NULL. The axes kept
// come first, then what is left of x, then of y.
//
//     tl_contract(f64[batch: 8, in: 3], f64[in: 3, out: 4], NULL) is f64[batch: 8, out: 4]
#define tl_contract(...) tl_contract_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_contract_at(tl_here at, tl_expr x, tl_expr y, const char *keep);
// numpy.einsum with an explicit result and one or two operands, without "...": "bij,bjk->bik". A
// letter may stand once in each operand.
#define tl_einsum(...) tl_einsum_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_einsum_at(tl_here at, const char *formula, tl_expr x, tl_expr y); // y may be NULL
// StableHLO's: axes in step, then what is left of x, then of y; sums over the contracted ones.
#define tl_dot_general(...) tl_dot_general_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_dot_general_at(tl_here at, tl_expr x, tl_expr y, uint32_t n_batch,
                                 const int64_t *x_batch, const int64_t *y_batch,
                                 uint32_t n_contract, const int64_t *x_contract,
                                 const int64_t *y_contract);

// ---- linear algebra: of the last two axes, the others are batches -----------------------------

// The triangle L of a = L L^T (or of its conjugate), above zero; NaN where a is not definite.
#define tl_cholesky(...) tl_cholesky_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_cholesky_at(tl_here at, tl_expr a);
// x with a x = b: b [..., n, k]. Of a triangle only that half is read.
#define tl_solve(...) tl_solve_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_solve_at(tl_here at, tl_expr a, tl_expr b);
#define tl_solve_triangular(...) tl_solve_triangular_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_solve_triangular_at(tl_here at, tl_expr a, tl_expr b, bool lower, bool transpose);
#define tl_inverse(a) tl_linear_at(TL_HERE, "inverse", a, NULL, 0)
#define tl_det(a) tl_linear_at(TL_HERE, "det", a, NULL, 0)
#define tl_singular_values(a) tl_linear_at(TL_HERE, "singular_values", a, NULL, 0)
// The first of several results is returned, the others are written to `rest`: the sign of the
// determinant, and the logarithm of its size; q, and r of a = q r (reduced); eigenvalues of a
// symmetric matrix, ascending, and eigenvectors as columns; u, and s and v^T of a = u s v^T
// (reduced).
#define tl_slogdet(a, rest) tl_linear_at(TL_HERE, "slogdet", a, rest, 1)
#define tl_qr(a, rest) tl_linear_at(TL_HERE, "qr", a, rest, 1)
#define tl_eigh(a, rest) tl_linear_at(TL_HERE, "eigh", a, rest, 1)
#define tl_svd(a, rest) tl_linear_at(TL_HERE, "svd", a, rest, 2)
TL_API tl_expr tl_linear_at(tl_here at, const char *what, tl_expr a, tl_expr *rest,
                            uint32_t n_rest);

// ---- networks --------------------------------------------------------------------------------

// Rows of table [V, D] by integers of any shape.
#define tl_embedding(...) tl_embedding_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_embedding_at(tl_here at, tl_expr table, tl_expr indices);
// Over the last axis: x / rms(x) * weight, and (x - mean) / deviation * weight + bias. weight [D];
// bias [D] or NULL.
#define tl_rms_norm(...) tl_rms_norm_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_rms_norm_at(tl_here at, tl_expr x, tl_expr weight, double eps);
#define tl_layer_norm(...) tl_layer_norm_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_layer_norm_at(tl_here at, tl_expr x, tl_expr weight, tl_expr bias, double eps);
// Over all axes but one, the features', in training by the mean and the variance (divided by how
// many there are) of x itself, which are written where they are asked for: (x - mean) /
// sqrt(variance + eps) * scale + offset. All but x have one axis, [features]; eps is rounded to
// f32, as StableHLO has it. The other is for statistics that were collected in training.
#define tl_batch_norm_training(...) tl_batch_norm_training_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_batch_norm_training_at(tl_here at, tl_expr x, tl_expr scale, tl_expr offset,
                                         int64_t axis, double eps, tl_expr *out_mean,
                                         tl_expr *out_variance); // either may be NULL
#define tl_batch_norm(...) tl_batch_norm_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_batch_norm_at(tl_here at, tl_expr x, tl_expr scale, tl_expr offset, tl_expr mean,
                                tl_expr variance, int64_t axis, double eps);
// softmax(query key^T scale) value: query [..., T, d], key [..., S, d] and value [..., S, e] give
// [..., T, e]; a scale of 0 is 1 / sqrt(d). causal: query i sees keys 0 to i.
#define tl_attention(...) tl_attention_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_attention_at(tl_here at, tl_expr query, tl_expr key, tl_expr value, double scale,
                               bool causal);
// The sum of -log softmax(logits)[label] over rows, a scalar: logits [..., C], labels [...] of i32,
// or weights [..., C]. `mean`: divided by how many labels there are (by the sum of the weights).
#define tl_cross_entropy(...) tl_cross_entropy_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_cross_entropy_at(tl_here at, tl_expr logits, tl_expr labels, bool mean);

typedef struct tl_conv_options { // zeros: strides, dilations and groups of 1, no padding
  int64_t strides[2], padding[2][2], dilation[2], groups;
} tl_conv_options;
// x [N, C, H, W] with kernels w [O, C / groups, h, w]; options may be NULL.
#define tl_conv2d(...) tl_conv2d_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_conv2d_at(tl_here at, tl_expr x, tl_expr w, const tl_conv_options *options);
typedef struct tl_pool_options { // strides of 0: the window's
  int64_t window[2], strides[2], padding[2][2];
} tl_pool_options;
// Of x [N, C, H, W]. The average divides by the whole window, padding included.
#define tl_max_pool2d(...) tl_pool2d_at(TL_HERE, true, __VA_ARGS__)
#define tl_avg_pool2d(...) tl_pool2d_at(TL_HERE, false, __VA_ARGS__)
TL_API tl_expr tl_pool2d_at(tl_here at, bool max, tl_expr x, const tl_pool_options *options);
// Discrete Fourier transform of the last axis, and the inverse; of complex numbers.
#define tl_fft(x) tl_fft_at(TL_HERE, x, false)
#define tl_ifft(x) tl_fft_at(TL_HERE, x, true)
TL_API tl_expr tl_fft_at(tl_here at, tl_expr x, bool inverse);

#endif
