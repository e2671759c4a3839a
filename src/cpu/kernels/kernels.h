// The kernels that decide the speed of a language model on a CPU, and how to pick them.
//
// A kernel is pure: pointers, sizes and strides in, memory out. It allocates nothing, checks
// nothing that its caller could have checked, and has no state. What it computes is fixed to the
// last bit by the orders below, which no variant, tile, thread count or batch size changes; the
// tests compare variants by memcmp.
//
//   dot over k     total = +0; per block of 64 k in order: acc = +0, acc = fma(x[k], w[k], acc) for
//   k ascending; then
//                  total = total + acc. The last block may be short.
//   sum            16 lanes from +0, lane i adds elements i, i+16, ...; then lane[i] += lane[i+8],
//   [i+4], [i+2], [i+1]. maximum        exact, so its order cannot be seen; a NaN anywhere gives
//   NaN. weights        widened to f32 exactly as ir/formats.def says, then the dot above.
//   elementary     ref/elementary.h: the vector versions give the scalar functions' bits.
//
// The kernels are the rows of kernels.def; each is a function `tl_<kernel>_<variant>` in each
// variant (scalar, avx2, avx512). A plan picks once: `const tl_kernels *k = tl_kernels_pick(isa);
// k->matmul(&args);`. Any thread may call any kernel; work is divided by giving threads disjoint
// ranges (groups, rows, units).
//
// Letters: T tokens, R output rows of a weight matrix, K contracted length, G query heads per kv
// head, D head size. Strides count elements. Scratch is 64-byte aligned and belongs to one call at
// a time; it needs no initialisation.
#ifndef TL_CPU_KERNELS_KERNELS_H
#define TL_CPU_KERNELS_KERNELS_H

#include "cpu/kernels/scalars.h"
#include "ir/format.h"
#include "ref/fft.h"

// y[t, r] = dot over k of x[t, k] and w[r, k], for t in [t0, t1) and the rows r < R of the groups
// [g0, g1). Small t1-t0 reads the weights at memory speed; larger ones run near the FMA peak.
typedef struct tl_matmul_args {
  tl_format format;
  tl_format_planes planes; // tl_format_plane_offsets; ignored for dense formats
  size_t group_size;       // tl_format_group_size, bytes
  const void *w;           // packed groups [ceil(R/16)][group_size], 64-byte aligned
  const float *x;          // [T, K]
  size_t x_stride;
  float *y; // [T, R]
  size_t y_stride;
  size_t R, K;
  size_t t0, t1;
  size_t g0, g1;
  const void *next; // NULL, or what this thread reads next: asked for, so that it is not met cold
  void *scratch;    // tl_matmul_scratch_size(t1 - t0, K) bytes
} tl_matmul_args;
size_t tl_matmul_scratch_size(size_t tokens, size_t K);

// Whom a product tells that the results of tokens [t0, t1) in groups [g0, g1) are made, piece by
// piece while they are near; all are told of once.
typedef struct tl_made {
  void (*tell)(void *whom, size_t t0, size_t t1, size_t g0, size_t g1); // NULL: nobody
  void *whom;
} tl_made;

// x as 8-bit codes with a scale for 32 elements: d = max |x| / 127, q = x / d rounded to nearest
// even and within 127, 0 where the quotient is not finite.
typedef struct tl_quantize_int8_args {
  const float *x; // [n], n a multiple of 32
  size_t n;
  int8_t *q; // [n]
  float *d;  // [n/32]
} tl_quantize_int8_args;

// y[t, r] of codes q and scales d, by block formats only. Of run s of a row (the elements that
// share scale S and minimum M: 32, or 16 in q6_k): I = sum of q * (code - zero), exact;
// y = dot over s of (d * S) and I, + dot over s of (d * sum q) and M, which formats with minima
// have.
typedef struct tl_int8_matmul_args {
  tl_format format;
  tl_format_planes planes;
  size_t group_size;
  const void *w;   // as tl_matmul_args
  const int8_t *q; // [T, K]
  const float *d;  // [T, K/32]
  float *y;        // [T, R]
  size_t y_stride;
  size_t R, K;
  size_t t0, t1;
  size_t g0, g1;
  const void *next; // as tl_matmul_args
  void *scratch;    // tl_int8_matmul_scratch_size(t1 - t0, K) bytes
  tl_made made;
} tl_int8_matmul_args;
size_t tl_int8_matmul_scratch_size(size_t tokens, size_t K);

// y[t, r] of rows x of bf16 and weights packed as bf16, x below 2^-50 and subnormal weights taken
// for zero: per 32 k in order, of x times 2^64, even and odd k in a chain of fma each, from +0;
// sum = sum + (even + odd); after 64 of those total = total + sum and sum = +0; y = total / 2^64.
typedef struct tl_bf16_matmul_args {
  const void *w;     // packed groups [ceil(R/16)][ceil(K/2)][16][2], 64-byte aligned
  const uint16_t *x; // [T, K]
  float *y;          // [T, R]
  size_t y_stride;
  size_t R, K;
  size_t t0, t1;
  size_t g0, g1;
  const void *next; // as tl_matmul_args
  void *scratch;    // tl_bf16_matmul_scratch_size(t1 - t0, K) bytes
  bool again;       // the last use of scratch was a product of the same rows of x
  tl_made made;
} tl_bf16_matmul_args;
size_t tl_bf16_matmul_scratch_size(size_t tokens, size_t K);

// c[m, n] = dot over k of a[m, k] and b[k, n], every operand with strides of its own, elements f32
// or f64; gemm_bf16: of bf16 widened to f32. Batches are the caller's loop. Of a convolution the
// rows of a are windows: a[m, k] lies at m_at[m] + k_at[k / run] + k % run. Or columns of b are:
// b[k, n] lies at n_at[n] + k_at[k / run] + k % run.
typedef struct tl_gemm_args {
  const void *a;
  size_t a_m, a_k;     // strides of m and k
  const int64_t *m_at; // [M], or NULL where a has strides
  const int64_t *n_at; // [N], or NULL where b has strides
  const int64_t *k_at; // [K / run]
  size_t run;          // k that lie side by side; divides K
  const void *b;
  size_t b_k, b_n;
  void *c;
  size_t c_m, c_n;
  bool narrow; // gemm_bf16: c is bf16, rounded from f32, and not f32
  size_t M, N, K;
  void *scratch; // tl_gemm_scratch_size(bytes of an element of the sums, M, N, K) bytes
} tl_gemm_args;
size_t tl_gemm_scratch_size(size_t element, size_t M, size_t N, size_t K);
size_t tl_gemm_panel_rows(size_t element, size_t M, size_t K); // rows that it packs at once

// The same of complex numbers: a and c of them, a's k side by side and c with strides of its own; a
// row of b is N real parts and, b_im further, N imaginary ones.
typedef struct tl_gemm_complex_args {
  bool wide; // of f64, else f32
  const void *a;
  size_t a_m;
  const void *b;
  size_t b_k, b_im; // in parts
  void *c;
  size_t c_m, c_n;
  size_t M, N, K;
} tl_gemm_complex_args;

// Reductions of elements as they lie in memory; f16 and bf16 are widened to f32. A sum goes in 16
// lanes, term t in lane t % 16, and a tree.
typedef enum { TL_REDUCE_SUM, TL_REDUCE_MAX, TL_REDUCE_MIN, TL_REDUCE_OPS } tl_reduce_op;
typedef enum {
  TL_REDUCE_F32,
  TL_REDUCE_F64, // sums only
  TL_REDUCE_BF16,
  TL_REDUCE_F16,
  TL_REDUCE_FROMS
} tl_reduce_from;
enum { TL_REDUCE_ROWS = 4 };
// reduce_rows: n <= TL_REDUCE_ROWS results z[r] of `runs` runs of x[r][0 .. terms), `row` bytes
// apart; of several runs `terms` is a multiple of 16. MAX and MIN begin with z[r]. reduce_columns:
// n results of x[0][t * row .. + n) for t < terms; MAX and MIN are taken into z[n], sums added to
// z[16][width], term t to lane (first + t) % 16, for the caller to add up. z is of f32 or f64.
typedef struct tl_reduce_args {
  tl_reduce_op op;
  tl_reduce_from from;
  const void *x[TL_REDUCE_ROWS];
  ptrdiff_t row; // bytes
  size_t terms, n, runs;
  void *z;
  size_t width, first;
} tl_reduce_args;

// y[m, n] = the dot over k < K of x[m_at[m] + k_at[k] + n] and w[k, n], m < M, n < N: chains of 64
// fused multiply-adds from +0, added to a total from +0. y overlaps neither; K is not 0.
typedef struct tl_depthwise_args {
  bool wide; // f64, else f32
  const void *x;
  const int64_t *m_at, *k_at; // elements
  const void *w;
  size_t w_k;
  void *y;
  size_t y_m;
  size_t M, N, K;
} tl_depthwise_args;

// z[r, j] = fma(c[k, r], x[k, j], z[r, j]) for each k in order, r < rows (at most 4) and j < n.
// Columns lie side by side; c is [k][4]. x and z do not overlap.
typedef struct tl_update_args {
  bool wide; // f64, else f32
  size_t rows, n, k;
  const void *c;
  const void *x;
  size_t x_k;
  void *z;
  size_t z_row;
} tl_update_args;

// out[r, i] = in[i, r] for r < rows and i < n, elements of 8 bytes or 4; strides of the rows of in
// and of out, in elements. The two do not overlap.
typedef struct tl_transpose_args {
  bool wide;
  const void *in;
  size_t in_row;
  void *out;
  size_t out_row;
  size_t rows, n;
} tl_transpose_args;

// The numbers of the places among [low, low + width), in order, into `picked` [n + 7]; more is
// written behind them there. Places compare as they are unsigned: below 0 is behind everything.
typedef struct tl_pick_args {
  const int64_t *places;
  size_t n; // below 2^32
  uint64_t low, width;
  uint32_t *picked;
  size_t *n_picked;
} tl_pick_args;

// i8: a head's row is D codes and their f32 scale, TL_KV_SCALE bytes; a number is code * scale,
// rounded.
typedef enum tl_pool_elem {
  TL_POOL_F32,
  TL_POOL_BF16,
  TL_POOL_F16,
  TL_POOL_E4M3,
  TL_POOL_I8
} tl_pool_elem;
static inline size_t tl_pool_elem_size(tl_pool_elem e) {
  return e == TL_POOL_F32 ? 4 : e <= TL_POOL_F16 ? 2 : 1;
}

// Attention of n_rows query rows that share one block table, for one kv head and the G query heads
// that read it. For row n and head h over the keys j < seq_lens[n]: s[j] = dot(q, k[j]) * scale; m
// = max s; e[j] = exp(s[j] - m); l = sum e (lane j % 16); p[j] = e[j] / l; out[d] = dot over j of
// p[j] and v[j, d]. Length 0 gives zeros. Keys at and beyond a row's length are not read for it.
// Lengths are clamped to table_len * block_size and block numbers to [0, n_blocks), so that no
// value in the tables reads outside the pools.
//
// attention_bf16: q_bf16 and pools of bf16. Products are bf16_matmul's, before the division by
// 2^64: dot(q, k[j]) in its order, and for each 64 keys from key 0 on e[j], rounded to bf16, with
// v[j, d] as two of its runs; out[d] = the blocks' sums in order / (l * 2^64). `scale` is the
// scale / 2^64. D at most 2,048.
typedef struct tl_attention_args {
  const float *q; // row n, head h, d: q[n * q_stride + h * D + d]
  const uint16_t *q_bf16;
  size_t q_stride;
  const void *k_pool; // element [block, slot, d] of this kv head: k_pool[block * block_stride +
                      // slot * slot_stride + d]
  const void *v_pool; // the same strides
  tl_pool_elem elem;
  size_t block_stride, slot_stride;
  size_t n_blocks, block_size;
  const int32_t *table; // [table_len] block numbers
  size_t table_len;
  const int32_t *seq_lens; // [n_rows]
  size_t n_rows, G, D;
  float scale;
  size_t window;  // of each row's positions the last so many; 0: all
  float soft_cap; // c: a score s is c tanh(s / c); 0: s
  float *out;     // row n, head h, d: out[n * out_stride + h * D + d]
  size_t out_stride;
  void *scratch; // tl_attention_scratch_size(longest seq_len, G, D) bytes
} tl_attention_args;
size_t tl_attention_scratch_size(size_t max_len, size_t G, size_t D);

// The same of one row and all its heads, D a multiple of 64, in steps, so that the row may be cut
// into parts of its blocks of 64 keys, which different threads take:
//   attention_scores  scores = s, top = its greatest in this part, NaN where there is one
//   attention_exps    scores = exp(s - top), top the row's greatest by now
//   attention_sums    lanes += the part's e of the heads h0..h1
//   attention_values  scores = each block's own dot of p = e / sum and the values
//   attention_total   out += those of the heads h0..h1
// Sums and total are of a row's parts in order, from zeros. attention_bf16_scores and _values take
// the place of those for q_bf16; total then divides by sum * 2^64 behind the last part.
typedef struct tl_attention_row_args {
  const tl_attention_args *a; // q [KvH * G, D] and out the row's, pools from the first kv head on;
                              // its strides of rows, seq_lens, n_rows and scratch count for nothing
  size_t KvH, head_stride;    // elements from one kv head of a slot to the next
  size_t from, len;           // the positions that the row sees
  size_t begin, end;          // the part: blocks, counted from position 0; at least one
  size_t step;                // tl_attention_row_step(D)
  float *scores;              // [end - begin][KvH * G][step]
  float *top;                 // [KvH * G]
  const float *sum;           // [KvH * G]
  float *lanes;               // [KvH * G][16]
  size_t h0, h1;
  bool divides;  // total: this is the last part, of q_bf16
  void *scratch; // tl_attention_row_scratch_size(KvH * G, D) bytes
} tl_attention_row_args;
static inline size_t tl_attention_row_step(size_t D) { return TL_MAX(D, (size_t)64); }
static inline size_t tl_attention_row_scratch_size(size_t H, size_t D) {
  return sizeof(float) * ((D + 1) * 64 + H * 16 + H * D);
}

// Rows of the pool [slots, width] overwritten: pool[slots[t]] = kv[t]. A negative slot, or one that
// is not below n_slots, is dropped. Values are rounded to nearest even; into e4m3 within 448. Into
// i8, of `heads` rows each: scale = max |x| / 127, 1 where that is 0; codes x / scale, halves away
// from zero, within 127, 0 where the quotient is not finite.
typedef struct tl_kv_write_args {
  const float *kv; // [T, width]
  size_t kv_stride;
  const int32_t *slots; // [T]
  void *pool;           // [n_slots, width], of i8 [n_slots, width + heads * TL_KV_SCALE]
  tl_pool_elem elem;
  size_t T, width, n_slots;
  size_t heads; // of i8: rows with a scale each
} tl_kv_write_args;

// y = (x * r) * w with r = 1 / sqrt(sum(x * x) / n + eps), each operation rounded as written. y may
// be x.
typedef struct tl_rms_norm_args {
  const float *x; // [rows, n]
  size_t x_stride;
  const float *w; // [n]
  float *y;       // [rows, n]
  size_t y_stride;
  size_t rows, n;
  float eps;
} tl_rms_norm_args;

// y = e / sum(e) with e = exp(x - max x). y may be x.
typedef struct tl_softmax_args {
  const float *x; // [rows, n]
  size_t x_stride;
  float *y;
  size_t y_stride;
  size_t rows, n;
} tl_softmax_args;

// Rotation of the two halves of every head: o1 = x1*cos - x2*sin, o2 = x2*cos + x1*sin, at the
// token's row of the tables; a position outside [0, P) is clamped into it. No fused operation. y
// may be x.
typedef struct tl_rope_args {
  const float *x; // token t, head h, d: x[t * x_stride + h * D + d]
  size_t x_stride;
  const float *cos, *sin;   // [P, D/2]
  const int32_t *positions; // [T]
  float *y;
  size_t y_stride;
  size_t T, H, D, P; // D even, P at least 1
} tl_rope_args;

// y = (g * logistic(g)) * u, logistic(g) = 1 / (1 + exp(-g)). y may be g or u.
typedef struct tl_swiglu_args {
  const float *g, *u; // [n]
  float *y;
  size_t n;
} tl_swiglu_args;

// y[i] = op(x[i]); y may be x.
typedef enum {
#define TL_UNARY(id, name) TL_UNARY_##id,
#define TL_BINARY(id, name)
#include "cpu/kernels/elementwise.def"
#undef TL_UNARY
#undef TL_BINARY
  TL_UNARY_COUNT
} tl_unary_op;
typedef struct tl_unary_args {
  tl_unary_op op;
  const float *x;
  float *y;
  size_t n;
} tl_unary_args;

// y[i] = op(a[i], b[i]); y may be a or b. Strides are 1 or 0 (a scalar for the whole vector).
typedef enum {
#define TL_UNARY(id, name)
#define TL_BINARY(id, name) TL_BINARY_##id,
#include "cpu/kernels/elementwise.def"
#undef TL_UNARY
#undef TL_BINARY
  TL_BINARY_COUNT
} tl_binary_op;
typedef struct tl_binary_args {
  tl_binary_op op;
  const float *a, *b;
  size_t a_stride, b_stride; // 0 or 1
  float *y;
  size_t n;
} tl_binary_args;

// Contiguous conversions; from f32 to nearest even. x and y do not overlap.
typedef enum {
  TL_CONVERT_F32_BF16,
  TL_CONVERT_BF16_F32,
  TL_CONVERT_F32_F16,
  TL_CONVERT_F16_F32
} tl_convert_op;
typedef struct tl_convert_args {
  tl_convert_op op;
  const void *x;
  void *y;
  size_t n;
} tl_convert_args;

// One function pointer per kernel, all of one variant.
typedef struct tl_kernels {
  const char *variant;
  uint32_t isa;  // TL_ISA_* bits it needs
  uint32_t pays; // and those without which the ones before it are faster
#define TL_KERNEL(name, args) void (*name)(const args *a);
#include "cpu/kernels/kernels.def"
#undef TL_KERNEL
} tl_kernels;

// The best variant whose bits, needed and paying, are all in `isa` (tl_cpu_isa); isa 0 gives the
// scalar kernels.
// Immutable, never NULL.
const tl_kernels *tl_kernels_pick(uint32_t isa);
size_t tl_kernels_count(void);
const tl_kernels *tl_kernels_at(size_t i); // worst first; check .isa before calling one

// --- layout: the same code on every CPU
// ------------------------------------------------------------------------------

// Stored rows (as in GGUF and safetensors) into packed groups [g0, g1), bit exactly. Rows beyond R
// are zero bytes.
typedef struct tl_pack_args {
  tl_format format;
  tl_format_planes planes; // ignored for dense formats
  size_t group_size;
  const void *rows; // [R][row_size]
  size_t row_size;  // tl_format_row_size
  size_t R, K;
  void *packed; // [ceil(R/16)][group_size]
  size_t g0, g1;
} tl_pack_args;
void tl_pack(const tl_pack_args *a);

// Logical rows of a packed matrix as f32: out[i, :] = w[rows[i], :]; a row number is clamped into
// [0, R), as StableHLO's gather does.
typedef struct tl_unpack_args {
  tl_format format;
  tl_format_planes planes;
  size_t group_size;
  const void *packed;
  size_t R, K;         // R at least 1
  const int32_t *rows; // [n]
  size_t n;
  float *out; // [n, K]
  size_t out_stride;
} tl_unpack_args;
void tl_unpack_rows(const tl_unpack_args *a);

#endif
