#include "cpu/lower.h"

#include <stdlib.h>
#include <string.h>

// Named ops: each has a kernel. How a step is divided among threads is written at its run function;
// the division never changes a bit, since no kernel sums across what it divides.

// in_place: the only result may be written over the only operand.
static plan_step *plan_where(planner *p, const tl_op *op, plan_fn run, const void *params,
                             size_t params_size, bool in_place) {
  plan_view *v = plan_views(p, op->n_operands + op->n_results);
  void *kept = plan_alloc(p, params_size, 16);
  if (p->error) return NULL;
  memcpy(kept, params, params_size);
  for (uint32_t i = 0; i < op->n_operands; i++)
    v[i] = plan_operand(p, op->operands[i]);
  for (uint32_t i = 0; i < op->n_results; i++)
    v[op->n_operands + i] =
        in_place ? plan_result_in_place(p, op, 0, true) : plan_result(p, op->results[i]);
  plan_step *s = plan_add_step(p, op, tl_op_get(op->code)->mnemonic, run);
  if (!s) return NULL;
  s->in = v, s->n_in = op->n_operands;
  s->out = v + op->n_operands, s->n_out = op->n_results;
  s->params = kept;
  return s;
}

plan_step *plan_simple(planner *p, const tl_op *op, plan_fn run, const void *params,
                       size_t params_size) {
  return plan_where(p, op, run, params, params_size, false);
}

static bool all_f32(const tl_op *op, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (op->operands[i]->type.dtype != TL_DTYPE_F32) return false;
  return op->results[0]->type.dtype == TL_DTYPE_F32;
}

// Elements (products of a matmul) from which a second thread pays.
enum {
  PARALLEL_WORK = 16384,
  PARALLEL_ROWS = PARALLEL_WORK / 4,
  PARALLEL_QUANTIZE = PARALLEL_WORK / 2,
  PARALLEL_PRODUCTS = 32768
};

// Rows of n elements over threads, a row whole: of the result and, where it has as many, of the
// operand; such a step tells of its rows.
static void share_rows(planner *p, plan_step *s, size_t rows, size_t n, bool operand) {
  if (!s) return;
  s->parallel = rows > 1 && plan_worth(p, rows * n, PARALLEL_ROWS);
  const uint32_t grain = n <= UINT32_MAX / 4 ? (uint32_t)(4 * n) : 0;
  if (operand) s->in[0].grain = grain;
  s->out[0].grain = grain;
  s->tells = operand && grain != 0;
  s->row = n;
}

// --- embedding ---

typedef struct rows_params {
  size_t n, rows, row_size;
} rows_params;

static void run_embedding(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const rows_params *r = s->params;
  const char *table = step_in(s, x, 0);
  const int32_t *indices = step_in(s, x, 1);
  char *out = step_out(s, x, 0);
  size_t from, to;
  tl_pool_range(r->n, 1, part, n_parts, &from, &to);
  for (size_t i = from; i < to; i++) {
    size_t row = indices[i] < 0 ? 0 : TL_MIN((size_t)indices[i], r->rows - 1);
    memcpy(out + i * r->row_size, table + row * r->row_size, r->row_size);
  }
}

bool lower_embedding(planner *p, const tl_op *op) {
  const tl_type table = op->operands[0]->type, indices = op->operands[1]->type;
  if (indices.dtype != TL_DTYPE_S32 || table.dims[0] == 0) return false;
  if (tl_op_i64(op, TL_A_EMBEDDING_padding_index) >= 0) return false;
  rows_params r = {type_count(indices), (size_t)table.dims[0],
                   type_size(table) / (size_t)table.dims[0]};
  plan_step *s = plan_simple(p, op, run_embedding, &r, sizeof r);
  if (s) s->parallel = plan_worth(p, r.n * r.row_size, 4 * PARALLEL_WORK);
  return true;
}

// --- row-wise: rms_norm, softmax, rope, swiglu ---

static void run_rms_norm(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const tl_rms_norm_args *r = s->params;
  size_t from, to;
  tl_pool_range(r->rows, 1, part, n_parts, &from, &to);
  for (size_t end; from < to; from = end) {
    end = plan_prologue(s, x, from, to);
    tl_rms_norm_args a = *r;
    a.x = (const float *)step_in(s, x, 0) + from * a.n;
    a.w = step_in(s, x, 1);
    a.y = (float *)step_out(s, x, 0) + from * a.n;
    a.rows = end - from;
    x->exe->cpu->kernels->rms_norm(&a);
    plan_epilogue(s, x, from * a.n, a.rows, a.n, a.n);
  }
}

bool lower_rms_norm(planner *p, const tl_op *op) {
  const tl_type t = op->operands[0]->type;
  if (!all_f32(op, 2) || type_count(t) == 0) return false;
  const size_t n = (size_t)t.dims[t.rank - 1];
  tl_rms_norm_args a = {.x_stride = n,
                        .y_stride = n,
                        .rows = type_count(t) / n,
                        .n = n,
                        .eps = (float)tl_op_f64(op, TL_A_RMS_NORM_eps)};
  plan_step *s = plan_simple(p, op, run_rms_norm, &a, sizeof a);
  share_rows(p, s, a.rows, n, true);
  if (s) s->asks = 1, s->cheap = a.rows * n <= PARALLEL_WORK;
  return true;
}

static void run_softmax(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const tl_softmax_args *r = s->params;
  size_t from, to;
  tl_pool_range(r->rows, 1, part, n_parts, &from, &to);
  for (size_t end; from < to; from = end) {
    end = plan_prologue(s, x, from, to);
    tl_softmax_args a = *r;
    a.x = (const float *)step_in(s, x, 0) + from * a.n;
    a.y = (float *)step_out(s, x, 0) + from * a.n;
    a.rows = end - from;
    x->exe->cpu->kernels->softmax(&a);
    plan_epilogue(s, x, from * a.n, a.rows, a.n, a.n);
  }
}

bool lower_softmax(planner *p, const tl_op *op) {
  const tl_type t = op->operands[0]->type;
  if (!all_f32(op, 1) || tl_op_i64(op, TL_A_SOFTMAX_axis) != (int64_t)t.rank - 1 ||
      type_count(t) == 0)
    return false;
  const size_t n = (size_t)t.dims[t.rank - 1];
  tl_softmax_args a = {.x_stride = n, .y_stride = n, .rows = type_count(t) / n, .n = n};
  plan_step *s = plan_where(p, op, run_softmax, &a, sizeof a, true);
  share_rows(p, s, a.rows, n, true);
  if (s) s->asks = 1;
  return true;
}

static void run_rope(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const tl_rope_args *r = s->params;
  size_t from, to;
  tl_pool_range(r->T, 1, part, n_parts, &from, &to);
  for (size_t end; from < to; from = end) {
    end = plan_prologue(s, x, from, to);
    tl_rope_args a = *r;
    a.x = (const float *)step_in(s, x, 0) + from * a.x_stride;
    a.cos = step_in(s, x, 1), a.sin = step_in(s, x, 2);
    a.positions = (const int32_t *)step_in(s, x, 3) + from;
    a.y = (float *)step_out(s, x, 0) + from * a.y_stride;
    a.T = end - from;
    x->exe->cpu->kernels->rope(&a);
    plan_epilogue(s, x, from * a.y_stride, a.T, a.y_stride, a.y_stride);
  }
}

bool lower_rope(planner *p, const tl_op *op) {
  const tl_type t = op->operands[0]->type, cos = op->operands[1]->type;
  if (!all_f32(op, 3) || op->operands[3]->type.dtype != TL_DTYPE_S32 || type_count(t) == 0 ||
      cos.dims[0] == 0)
    return false;
  const size_t width = (size_t)(t.dims[1] * t.dims[2]);
  tl_rope_args a = {.x_stride = width,
                    .y_stride = width,
                    .T = (size_t)t.dims[0],
                    .H = (size_t)t.dims[1],
                    .D = (size_t)t.dims[2],
                    .P = (size_t)cos.dims[0]};
  share_rows(p, plan_simple(p, op, run_rope, &a, sizeof a), a.T, width, true);
  return true;
}

enum { SWIGLU_GRAIN = TL_ROW_GROUP }; // as the rows of the matmuls before it are divided

static void run_swiglu_some(const plan_step *s, plan_exec *x, size_t from, size_t to) {
  tl_swiglu_args a = {(const float *)step_in(s, x, 0) + from,
                      (const float *)step_in(s, x, 1) + from, (float *)step_out(s, x, 0) + from,
                      to - from};
  x->exe->cpu->kernels->swiglu(&a);
}

static void run_swiglu(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  size_t from, to;
  tl_pool_range(s->out[0].size / 4, SWIGLU_GRAIN, part, n_parts, &from, &to);
  if (from < to) run_swiglu_some(s, x, from, to);
}

bool lower_swiglu(planner *p, const tl_op *op) {
  if (!all_f32(op, 2)) return false;
  const uint32_t grain = 4 * SWIGLU_GRAIN;
  const bool parallel =
      plan_worth(p, type_count(op->results[0]->type), PARALLEL_ROWS) || plan_follows(p, op, grain);
  plan_step *s = plan_simple(p, op, run_swiglu, "", 1);
  if (!s) return true;
  s->parallel = parallel;
  s->some = run_swiglu_some;
  s->in[0].grain = s->in[1].grain = s->out[0].grain = grain;
  return true;
}

// --- weights ---

typedef struct weight_params {
  tl_format format;
  tl_format_planes planes;
  size_t group_size;
  size_t T, R, K;
  plan_view packed, next; // the matrix; that of the product which follows, where there is one
  size_t next_group, next_R;
  bool again; // of the rows that the step before it multiplies
} weight_params;

static bool weight_params_of(tl_str name, size_t R, size_t K, weight_params *w) {
  if (!tl_format_of_name(name, &w->format) || !tl_format_group_size(w->format, K, &w->group_size))
    return false;
  if (tl_format_get(w->format)->code_bits) tl_format_plane_offsets(w->format, K, &w->planes);
  w->R = R, w->K = K;
  return R > 0 && K > 0;
}

enum { READ_WAITING = 256 << 10 }; // bytes: a part of the second-level cache

// What this thread reads after its groups of this product: the first of its groups of the next. The
// kernel asks for some of it; for more the thread asks where it waits for others until then.
static const void *read_next(const weight_params *w, plan_exec *x, size_t part, size_t n_parts) {
  size_t from, to;
  if (w->next_R == 0) return NULL;
  tl_pool_range(tl_format_groups(w->next_R), 1, part, n_parts, &from, &to);
  const uint8_t *at = (const uint8_t *)view_ptr(x, w->next) + from * w->next_group;
  const size_t bytes = TL_MIN((to - from) * w->next_group, (size_t)READ_WAITING);
  x->reading =
      (tl_pool_reading){(uintptr_t)at + TL_MIN(w->next_group, bytes), (uintptr_t)at + bytes};
  return at;
}

typedef struct product_call {
  const plan_step *s;
  plan_exec *x;
} product_call;

// A tl_made's tell: the results of some tokens in some groups go on to the epilogue.
static void made_groups(void *call, size_t t0, size_t t1, size_t g0, size_t g1) {
  const product_call *c = call;
  const weight_params *w = c->s->params;
  const size_t from = g0 * TL_ROW_GROUP, to = TL_MIN(g1 * TL_ROW_GROUP, w->R);
  plan_epilogue(c->s, c->x, t0 * w->R + from, t1 - t0, w->R, to - from);
}

// Threads share the groups of rows. Rows of x are as many as the step has tokens.
static void run_quantized_matmul(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const weight_params *w = s->params;
  tl_matmul_args a = {.format = w->format,
                      .planes = w->planes,
                      .group_size = w->group_size,
                      .w = step_in(s, x, 1),
                      .x = step_in(s, x, 0),
                      .x_stride = w->K,
                      .y = step_out(s, x, 0),
                      .y_stride = w->R,
                      .R = w->R,
                      .K = w->K,
                      .t0 = 0,
                      .t1 = w->T,
                      .next = read_next(w, x, part, n_parts),
                      .scratch = x->scratch};
  tl_pool_range(tl_format_groups(w->R), 1, part, n_parts, &a.g0, &a.g1);
  if (a.g0 == a.g1) return;
  x->exe->cpu->kernels->matmul(&a);
  made_groups(&(product_call){s, x}, 0, w->T, a.g0, a.g1);
}

// The elements of which pieces of the product are multiples: two groups, where every thread has
// pairs.
static uint32_t product_pieces(const planner *p, const weight_params *w) {
  const size_t n_parts = tl_pool_size(p->exe->cpu->pool);
  bool pairs = w->R % (2 * TL_ROW_GROUP) == 0;
  for (size_t part = 0, from, to; part < n_parts && pairs; part++) {
    tl_pool_range(tl_format_groups(w->R), 1, part, n_parts, &from, &to);
    pairs = from % 2 == 0 && to % 2 == 0;
  }
  return pairs ? 2 * TL_ROW_GROUP : TL_ROW_GROUP;
}

// Kernels read the planes of a packed matrix as what they hold, and want its groups on cache lines;
// a module may give us a matrix that lies anywhere in a longer row of bytes. Plans the step over a
// copy then.
static plan_step *plan_packed(planner *p, const tl_op *op, uint32_t operand, plan_fn run,
                              const weight_params *w) {
  const plan_view packed = plan_operand_aligned(p, op->operands[operand], 64);
  plan_step *s = plan_simple(p, op, run, w, sizeof *w);
  if (s) s->in[operand] = packed;
  return s;
}

// The product of the rows of operand 0 and a packed matrix of `rows` rows, the operand `weight`.
static bool plan_packed_product(planner *p, const tl_op *op, uint32_t weight, tl_str format,
                                int64_t rows, plan_fn run,
                                size_t (*scratch_size)(size_t T, size_t K)) {
  const tl_type t = op->operands[0]->type;
  weight_params w = {0};
  if (type_count(t) == 0) return false;
  const size_t K = (size_t)t.dims[t.rank - 1];
  if (!weight_params_of(format, (size_t)rows, K, &w)) return false;
  w.T = type_count(t) / K;
  plan_step *s = plan_packed(p, op, weight, run, &w);
  if (!s) return true;
  ((weight_params *)(uintptr_t)s->params)->packed = s->in[weight];
  s->scratch = scratch_size(w.T, K);
  s->parallel = plan_worth(p, w.T * w.R * K, PARALLEL_PRODUCTS);
  s->tells = true, s->pieces = product_pieces(p, &w);
  if (w.R > UINT32_MAX / sizeof(float)) return true; // no run so long has a number
  s->out[0].grain = TL_ROW_GROUP * sizeof(float);
  if (w.T > 1) s->out[0].run = (uint32_t)(w.R * sizeof(float));
  return true;
}

bool lower_quantized_matmul(planner *p, const tl_op *op) {
  return op->operands[0]->type.dtype == TL_DTYPE_F32 &&
         op->results[0]->type.dtype == TL_DTYPE_F32 &&
         plan_packed_product(p, op, 1, tl_op_str(op, TL_A_QUANTIZED_MATMUL_format),
                             tl_op_i64(op, TL_A_QUANTIZED_MATMUL_rows), run_quantized_matmul,
                             tl_matmul_scratch_size);
}

// --- products of 8-bit codes ---

// What threads share: blocks of 32 elements, or rows of `grain` blocks.
typedef struct quantize_params {
  size_t n, grain;
} quantize_params;

static void run_quantize_int8_some(const plan_step *s, plan_exec *x, size_t from, size_t to) {
  x->exe->cpu->kernels->quantize_int8(
      &(tl_quantize_int8_args){.x = (const float *)step_in(s, x, 0) + from,
                               .n = to - from,
                               .q = (int8_t *)step_out(s, x, 0) + from,
                               .d = (float *)step_out(s, x, 1) + from / TL_INT8_BLOCK});
}

static void run_quantize_int8(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const quantize_params *a = s->params;
  size_t from, to;
  tl_pool_range(a->n / TL_INT8_BLOCK, a->grain, part, n_parts, &from, &to);
  if (from < to) run_quantize_int8_some(s, x, from * TL_INT8_BLOCK, to * TL_INT8_BLOCK);
}

// Rows that threads have made each their own of (a norm's) are quantized by the same threads, which
// wait for nobody then.
bool lower_quantize_int8(planner *p, const tl_op *op) {
  const tl_type t = op->operands[0]->type;
  quantize_params a = {type_count(t), 64};
  if (a.n == 0) return false;
  const size_t row = (size_t)t.dims[t.rank - 1] * sizeof(float);
  const bool follows = row <= UINT32_MAX && a.n * sizeof(float) > row && plan_follows(p, op, row);
  if (follows) a.grain = row / sizeof(float) / TL_INT8_BLOCK;
  plan_step *s = plan_simple(p, op, run_quantize_int8, &a, sizeof a);
  if (!s) return true;
  s->parallel = follows || plan_worth(p, a.n, PARALLEL_QUANTIZE);
  s->cheap = !s->parallel;
  s->some = run_quantize_int8_some, s->unit = TL_INT8_BLOCK;
  s->in[0].grain = (uint32_t)(a.grain * TL_INT8_BLOCK * sizeof(float));
  s->out[0].grain = (uint32_t)(a.grain * TL_INT8_BLOCK);
  s->out[1].grain = (uint32_t)(a.grain * sizeof(float));
  return true;
}

// Threads share the groups of rows.
static void run_int8_matmul(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const weight_params *w = s->params;
  product_call call = {s, x};
  tl_int8_matmul_args a = {.format = w->format,
                           .planes = w->planes,
                           .group_size = w->group_size,
                           .w = step_in(s, x, 2),
                           .q = step_in(s, x, 0),
                           .d = step_in(s, x, 1),
                           .y = step_out(s, x, 0),
                           .y_stride = w->R,
                           .R = w->R,
                           .K = w->K,
                           .t1 = w->T,
                           .next = read_next(w, x, part, n_parts),
                           .scratch = x->scratch,
                           .made = {s->followed ? made_groups : NULL, &call}};
  tl_pool_range(tl_format_groups(w->R), 1, part, n_parts, &a.g0, &a.g1);
  if (a.g0 == a.g1) return;
  x->exe->cpu->kernels->int8_matmul(&a);
}

bool lower_int8_matmul(planner *p, const tl_op *op) {
  return plan_packed_product(p, op, 2, tl_op_str(op, TL_A_INT8_MATMUL_format),
                             tl_op_i64(op, TL_A_INT8_MATMUL_rows), run_int8_matmul,
                             tl_int8_matmul_scratch_size);
}

// --- products of bf16 ---

// Threads share the groups of rows.
static void run_bf16_matmul(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const weight_params *w = s->params;
  product_call call = {s, x};
  tl_bf16_matmul_args a = {.w = step_in(s, x, 1),
                           .x = step_in(s, x, 0),
                           .y = step_out(s, x, 0),
                           .y_stride = w->R,
                           .R = w->R,
                           .K = w->K,
                           .t1 = w->T,
                           .next = read_next(w, x, part, n_parts),
                           .scratch = x->scratch,
                           .made = {s->followed ? made_groups : NULL, &call},
                           .again = w->again && x->multiplied == s - 1};
  tl_pool_range(tl_format_groups(w->R), 1, part, n_parts, &a.g0, &a.g1);
  x->multiplied = a.g0 < a.g1 ? s : NULL;
  if (a.g0 == a.g1) return;
  x->exe->cpu->kernels->bf16_matmul(&a);
}

bool lower_bf16_matmul(planner *p, const tl_op *op) {
  return plan_packed_product(p, op, 1, TL_STR("bf16"), tl_op_i64(op, TL_A_BF16_MATMUL_rows),
                             run_bf16_matmul, tl_bf16_matmul_scratch_size);
}

// Whether `next` multiplies the rows of x that `s` does, and finds them in the scratch.
static bool multiplies_again(const plan_step *s, const plan_step *next) {
  const weight_params *a = s->params, *b = next->params;
  return s->kind == TL_STEP_RUN && s->run == next->run && s->in[0].buf == next->in[0].buf &&
         s->in[0].offset == next->in[0].offset && a->T == b->T && a->K == b->K;
}

tl_status plan_products_in_turn(tl_cpu_exe *exe) {
  bool *starts = plan_starts(exe);
  if (!starts) return TL_OOM();
  weight_params *last = NULL;
  for (uint32_t i = 0; i < exe->n_steps; i++) {
    const plan_step *s = &exe->steps[i];
    if (s->kind != TL_STEP_RUN) last = NULL; // what a loop or a branch runs next is not known
    if (s->run != run_quantized_matmul && s->run != run_int8_matmul && s->run != run_bf16_matmul)
      continue;
    weight_params *w = (weight_params *)(uintptr_t)s->params; // ours, of the program's arena
    w->again = i > 0 && !starts[i] && s->run == run_bf16_matmul && multiplies_again(s - 1, s);
    if (last && s->parallel) {
      last->next = w->packed;
      last->next_group = w->group_size, last->next_R = w->R;
    }
    last = s->parallel ? w : NULL;
  }
  free(starts);
  return TL_OK;
}

static void run_quantized_embedding(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const weight_params *w = s->params;
  size_t from, to;
  tl_pool_range(w->T, 1, part, n_parts, &from, &to);
  if (from == to) return;
  tl_unpack_args a = {.format = w->format,
                      .planes = w->planes,
                      .group_size = w->group_size,
                      .packed = step_in(s, x, 0),
                      .R = w->R,
                      .K = w->K,
                      .rows = (const int32_t *)step_in(s, x, 1) + from,
                      .n = to - from,
                      .out = (float *)step_out(s, x, 0) + from * w->K,
                      .out_stride = w->K};
  tl_unpack_rows(&a);
}

bool lower_quantized_embedding(planner *p, const tl_op *op) {
  weight_params w = {0};
  if (op->operands[1]->type.dtype != TL_DTYPE_S32 ||
      !weight_params_of(tl_op_str(op, TL_A_QUANTIZED_EMBEDDING_format),
                        (size_t)tl_op_i64(op, TL_A_QUANTIZED_EMBEDDING_rows),
                        (size_t)tl_op_i64(op, TL_A_QUANTIZED_EMBEDDING_k), &w))
    return false;
  w.T = type_count(op->operands[1]->type);
  share_rows(p, plan_packed(p, op, 0, run_quantized_embedding, &w), w.T, w.K, false);
  return true;
}

static void run_pack_weights(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const weight_params *w = s->params;
  size_t row_size = 0;
  tl_format_row_size(w->format, w->K, &row_size);
  tl_pack_args a = {.format = w->format,
                    .planes = w->planes,
                    .group_size = w->group_size,
                    .rows = step_in(s, x, 0),
                    .row_size = row_size,
                    .R = w->R,
                    .K = w->K,
                    .packed = step_out(s, x, 0)};
  tl_pool_range(tl_format_groups(w->R), 1, part, n_parts, &a.g0, &a.g1);
  if (a.g0 < a.g1) tl_pack(&a);
}

bool lower_pack_weights(planner *p, const tl_op *op) {
  weight_params w = {0};
  if (!weight_params_of(tl_op_str(op, TL_A_PACK_WEIGHTS_format),
                        (size_t)tl_op_i64(op, TL_A_PACK_WEIGHTS_rows),
                        (size_t)tl_op_i64(op, TL_A_PACK_WEIGHTS_k), &w))
    return false;
  plan_step *s = plan_simple(p, op, run_pack_weights, &w, sizeof w);
  if (s) s->parallel = plan_worth(p, w.R * w.K, PARALLEL_WORK);
  return true;
}
