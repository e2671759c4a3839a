#include "cpu/lower.h"

#include <string.h>

// Named ops: each has a kernel. How a step is divided among threads is written at its run function;
// the division never changes a bit, since no kernel sums across what it divides.

// A step over all operands and fresh results, with params copied.
static plan_step *plan_simple(planner *p, const tl_op *op, plan_fn run, const void *params,
                              size_t params_size) {
  plan_view *v = plan_views(p, op->n_operands + op->n_results);
  void *kept = plan_alloc(p, params_size, 16);
  if (p->error) return NULL;
  memcpy(kept, params, params_size);
  for (uint32_t i = 0; i < op->n_operands; i++)
    v[i] = plan_operand(p, op->operands[i]);
  for (uint32_t i = 0; i < op->n_results; i++)
    v[op->n_operands + i] = plan_result(p, op->results[i]);
  plan_step *s = plan_add_step(p, op, tl_op_get(op->code)->mnemonic, run);
  if (!s) return NULL;
  s->in = v, s->n_in = op->n_operands;
  s->out = v + op->n_operands, s->n_out = op->n_results;
  s->params = kept;
  return s;
}

static bool all_f32(const tl_op *op, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (op->operands[i]->type.dtype != TL_DTYPE_F32) return false;
  return op->results[0]->type.dtype == TL_DTYPE_F32;
}

// Elements (products of a matmul) from which a second thread pays.
enum { PARALLEL_WORK = 16384, PARALLEL_ROWS = PARALLEL_WORK / 4, PARALLEL_PRODUCTS = 32768 };

// Rows of n elements over threads, a row whole: of these operands and the result.
static void share_rows(planner *p, plan_step *s, size_t rows, size_t n, bool operand) {
  if (!s) return;
  s->parallel = rows > 1 && plan_worth(p, rows * n, PARALLEL_ROWS);
  const uint32_t grain = n <= UINT32_MAX / 4 ? (uint32_t)(4 * n) : 0;
  if (operand) s->in[0].grain = grain;
  s->out[0].grain = grain;
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
  tl_rms_norm_args a = *(const tl_rms_norm_args *)s->params;
  size_t from, to;
  tl_pool_range(a.rows, 1, part, n_parts, &from, &to);
  if (from == to) return;
  a.x = (const float *)step_in(s, x, 0) + from * a.n;
  a.w = step_in(s, x, 1);
  a.y = (float *)step_out(s, x, 0) + from * a.n;
  a.rows = to - from;
  x->exe->cpu->kernels->rms_norm(&a);
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
  if (s) s->cheap = a.rows * n <= PARALLEL_WORK;
  return true;
}

static void run_softmax(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  tl_softmax_args a = *(const tl_softmax_args *)s->params;
  size_t from, to;
  tl_pool_range(a.rows, 1, part, n_parts, &from, &to);
  if (from == to) return;
  a.x = (const float *)step_in(s, x, 0) + from * a.n;
  a.y = (float *)step_out(s, x, 0) + from * a.n;
  a.rows = to - from;
  x->exe->cpu->kernels->softmax(&a);
}

bool lower_softmax(planner *p, const tl_op *op) {
  const tl_type t = op->operands[0]->type;
  if (!all_f32(op, 1) || tl_op_i64(op, TL_A_SOFTMAX_axis) != (int64_t)t.rank - 1 ||
      type_count(t) == 0)
    return false;
  const size_t n = (size_t)t.dims[t.rank - 1];
  tl_softmax_args a = {.x_stride = n, .y_stride = n, .rows = type_count(t) / n, .n = n};
  share_rows(p, plan_simple(p, op, run_softmax, &a, sizeof a), a.rows, n, true);
  return true;
}

static void run_rope(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  tl_rope_args a = *(const tl_rope_args *)s->params;
  size_t from, to;
  tl_pool_range(a.T, 1, part, n_parts, &from, &to);
  if (from == to) return;
  a.x = (const float *)step_in(s, x, 0) + from * a.x_stride;
  a.cos = step_in(s, x, 1), a.sin = step_in(s, x, 2);
  a.positions = (const int32_t *)step_in(s, x, 3) + from;
  a.y = (float *)step_out(s, x, 0) + from * a.y_stride;
  a.T = to - from;
  x->exe->cpu->kernels->rope(&a);
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

// --- pages ---

static bool pool_elem(tl_dtype dtype, tl_pool_elem *out) {
  switch (dtype) {
  case TL_DTYPE_F32:
    *out = TL_POOL_F32;
    return true;
  case TL_DTYPE_BF16:
    *out = TL_POOL_BF16;
    return true;
  case TL_DTYPE_F8E4M3FN:
    *out = TL_POOL_E4M3;
    return true;
  case TL_DTYPE_S8:
    *out = TL_POOL_I8;
    return true;
  default:
    return false;
  }
}

enum { SLOT_RUN = 16 }; // neighbouring slots that one thread writes

// Threads share the slots rather than the tokens: should two tokens have one slot, then the last
// one wins, as in the interpreter, whatever the number of threads.
static void run_kv_cache_write(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  tl_kv_write_args a = *(const tl_kv_write_args *)s->params;
  const float *kv = step_in(s, x, 0);
  const int32_t *slots = step_in(s, x, 1);
  const size_t T = a.T;
  a.pool = step_out(s, x, 0);
  for (size_t from = 0, to; from < T; from = to) { // a run of tokens with one owner
    const size_t owner = (size_t)(uint32_t)slots[from] / SLOT_RUN % n_parts;
    for (to = from + 1; to < T && (size_t)(uint32_t)slots[to] / SLOT_RUN % n_parts == owner; to++) {
    }
    if (owner != part) continue;
    a.kv = kv + from * a.kv_stride;
    a.slots = slots + from;
    a.T = to - from;
    x->exe->cpu->kernels->kv_write(&a);
  }
}

bool lower_kv_cache_write(planner *p, const tl_op *op) {
  const tl_type pool = op->operands[0]->type, rows = op->operands[1]->type;
  const int64_t at = tl_op_i64(op, TL_A_KV_CACHE_WRITE_block_offset);
  tl_kv_write_args a = {.T = (size_t)rows.dims[0],
                        .width = (size_t)rows.dims[1] * (size_t)rows.dims[2],
                        .heads = (size_t)rows.dims[1]};
  if (rows.dtype != TL_DTYPE_F32 || op->operands[2]->type.dtype != TL_DTYPE_S32 ||
      !pool_elem(pool.dtype, &a.elem) || at < 0 || at > pool.dims[0] || a.width == 0)
    return false;
  a.kv_stride = a.width;
  a.n_slots = (size_t)((pool.dims[0] - at) * pool.dims[1]);
  const size_t base = (size_t)(at * pool.dims[1]) * (size_t)(pool.dims[2] * pool.dims[3]) *
                      tl_dtype_get(pool.dtype)->size; // bytes into the pool
  tl_kv_write_args *kept = plan_alloc(p, sizeof *kept, _Alignof(tl_kv_write_args));
  plan_view *v = plan_views(p, 4);
  if (p->error) return true;
  *kept = a;
  for (int i = 0; i < 3; i++)
    v[i] = plan_operand(p, op->operands[i]);
  v[3] = plan_result_in_place(p, op, 0, false);
  if (p->error) return true;
  if (v[3].buf != v[0].buf) { // the old pool is still wanted: write into a copy
    plan_copy(p, v[0], v[3]);
    for (int i = 1; i < 3; i++)
      plan_operand(p, op->operands[i]); // alive for the write, which is the next step
    p->exe->bufs[v[3].buf].last = p->exe->n_steps;
  }
  // The write touches its window only: layers' windows do not wait for one another.
  v[3].offset += base, v[3].size -= base;
  plan_step *s = plan_add_step(p, op, "kv_cache_write", run_kv_cache_write);
  if (!s) return true;
  s->in = v + 1, s->n_in = 2; // rows and slots: the pool is only written
  s->out = v + 3, s->n_out = 1;
  s->params = kept;
  s->parallel = a.T > 1 && plan_worth(p, a.T * a.width, PARALLEL_WORK);
  return true;
}

typedef struct attention_params {
  tl_attention_args a;
  size_t N, H, KvH, S, M; // rows, query heads, kv heads, tables, pages a table
  size_t k_base, v_base;  // bytes into the pools
  size_t tile;            // rows a unit takes at most
  bool has_rows;
} attention_params;

static size_t table_of(const attention_params *at, const int32_t *rows, size_t n) {
  if (!rows) return n / (at->N / at->S);
  return rows[n] < 0 ? 0 : TL_MIN((size_t)rows[n], at->S - 1);
}

// The end of the run of at most `tile` rows from n that read one table.
static size_t run_end(const attention_params *at, const int32_t *rows, size_t n,
                      size_t *out_table) {
  size_t end = n + 1;
  *out_table = table_of(at, rows, n);
  while (end < at->N && end - n < at->tile && table_of(at, rows, end) == *out_table)
    end++;
  return end;
}

// Whether every block number that is read lies in the windows of keys and values. The op clamps
// block and offset together into the pool; the kernel sees windows that begin at the offsets.
static bool blocks_fit(const attention_params *at, const int32_t *tables, const int32_t *lengths,
                       const int32_t *rows) {
  for (size_t n = 0; n < at->N;) {
    size_t table, end = run_end(at, rows, n, &table), pages = 0;
    for (; n < end; n++)
      if (lengths[n] > 0)
        pages = TL_MAX(pages, ((size_t)lengths[n] + at->a.block_size - 1) / at->a.block_size);
    const int32_t *blocks = tables + table * at->M;
    for (size_t j = 0; j < TL_MIN(pages, at->M); j++)
      if (blocks[j] < 0 || (size_t)blocks[j] >= at->a.n_blocks) return false;
  }
  return true;
}

// Units of work: (a run of rows with one table, a kv head). Thread `part` takes every n_parts-th
// unit: neighbours cost alike, and late rows of a prompt cost most. When there are few units each
// thread takes its share of the query heads instead, so that 3 kv heads do not divide 2 to 1.
static void run_paged_attention(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const attention_params *at = s->params;
  const float *q = step_in(s, x, 0);
  const char *keys = (const char *)step_in(s, x, 1) + at->k_base,
             *vals = (const char *)step_in(s, x, 2) + at->v_base;
  const int32_t *tables = step_in(s, x, 3), *lengths = step_in(s, x, 4);
  const int32_t *rows = at->has_rows ? step_in(s, x, 5) : NULL;
  float *out = step_out(s, x, 0);
  if (!blocks_fit(at, tables, lengths, rows)) { // all threads find the same
    if (part == 0) plan_run_interpreted(s, x, 0, 1);
    return;
  }
  const size_t G = at->H / at->KvH, width = at->H * at->a.D;
  const size_t row = at->a.slot_stride / at->KvH * tl_pool_elem_size(at->a.elem); // of a head
  const bool few =
      at->N * at->KvH < 4 * n_parts; // then each thread takes a range of the query heads
  size_t unit = 0;
  for (size_t n = 0; n < at->N;) {
    size_t table, end = run_end(at, rows, n, &table);
    for (size_t h = 0; h < at->KvH; h++) {
      size_t from = h * G, to = from + G;
      if (few) {
        from = TL_MAX(from, at->H * part / n_parts);
        to = TL_MIN(to, at->H * (part + 1) / n_parts);
      } else if (unit++ % n_parts != part) {
        continue;
      }
      if (from >= to) continue;
      tl_attention_args a = at->a;
      a.q = q + n * width + from * a.D;
      a.q_stride = width;
      a.k_pool = keys + h * row;
      a.v_pool = vals + h * row;
      a.table = tables + table * at->M;
      a.table_len = at->M;
      a.seq_lens = lengths + n;
      a.n_rows = end - n;
      a.G = to - from;
      a.out = out + n * width + from * a.D;
      a.out_stride = width;
      a.scratch = x->scratch;
      x->exe->cpu->kernels->attention(&a);
    }
    n = end;
  }
}

bool lower_paged_attention(planner *p, const tl_op *op) {
  const tl_type q = op->operands[0]->type, pool = op->operands[1]->type,
                values = op->operands[2]->type, tables = op->operands[3]->type;
  attention_params at = {.N = (size_t)q.dims[0],
                         .H = (size_t)q.dims[1],
                         .KvH = (size_t)pool.dims[2],
                         .S = (size_t)tables.dims[0],
                         .M = (size_t)tables.dims[1],
                         .has_rows = op->n_operands == 6};
  const int64_t k_at = tl_op_i64(op, TL_A_PAGED_ATTENTION_key_offset),
                v_at = tl_op_i64(op, TL_A_PAGED_ATTENTION_value_offset);
  tl_attention_args *a = &at.a;
  if (q.dtype != TL_DTYPE_F32 || !pool_elem(pool.dtype, &a->elem) || values.dtype != pool.dtype ||
      k_at < 0 || v_at < 0 || k_at >= pool.dims[0] || v_at >= values.dims[0] || at.M == 0 ||
      pool.dims[1] == 0 || type_count(q) == 0)
    return false;
  for (uint32_t d = 0; d < 4; d++)
    if (d > 0 && pool.dims[d] != values.dims[d]) return false;
  a->D = (size_t)q.dims[2];
  a->slot_stride = at.KvH * (size_t)pool.dims[3];
  a->block_size = (size_t)pool.dims[1];
  a->block_stride = a->block_size * a->slot_stride;
  a->n_blocks = TL_MIN((size_t)(pool.dims[0] - k_at), (size_t)(values.dims[0] - v_at));
  a->scale = (float)tl_op_f64(op, TL_A_PAGED_ATTENTION_scale);
  a->window = (size_t)tl_op_i64(op, TL_A_PAGED_ATTENTION_sliding_window);
  a->soft_cap = (float)tl_op_f64(op, TL_A_PAGED_ATTENTION_soft_cap);
  const size_t block = a->block_stride * tl_dtype_get(pool.dtype)->size;
  at.k_base = (size_t)k_at * block, at.v_base = (size_t)v_at * block;
  at.tile = 16;
  size_t longest;
  if (!TL_MUL_OK(at.M, a->block_size, &longest) || longest > INT32_MAX) return false;
  plan_step *s = plan_simple(p, op, run_paged_attention, &at, sizeof at);
  if (!s) return true;
  s->scratch = tl_attention_scratch_size(longest, at.H / at.KvH, a->D);
  s->parallel = true;
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
} weight_params;

static bool weight_params_of(tl_str name, size_t R, size_t K, weight_params *w) {
  if (!tl_format_of_name(name, &w->format) || !tl_format_group_size(w->format, K, &w->group_size))
    return false;
  if (tl_format_get(w->format)->code_bits) tl_format_plane_offsets(w->format, K, &w->planes);
  w->R = R, w->K = K;
  return R > 0 && K > 0;
}

// What this thread reads after its groups of this product: the first of its groups of the next.
static const void *read_next(const weight_params *w, const plan_exec *x, size_t part,
                             size_t n_parts) {
  size_t from, to;
  if (w->next_R == 0) return NULL;
  tl_pool_range(tl_format_groups(w->next_R), 1, part, n_parts, &from, &to);
  return (const uint8_t *)view_ptr(x, w->next) + from * w->next_group;
}

// The groups [g0, g1) of all tokens' results are made.
static void made_groups(const plan_step *s, plan_exec *x, size_t g0, size_t g1) {
  const weight_params *w = s->params;
  const size_t from = g0 * TL_ROW_GROUP, to = TL_MIN(g1 * TL_ROW_GROUP, w->R);
  plan_epilogue(s, x, from, w->T, w->R, to - from);
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
  made_groups(s, x, a.g0, a.g1);
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
  s->tells = true;
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

// Blocks of 32 elements over the threads.
static void run_quantize_int8(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const size_t n = *(const size_t *)s->params;
  size_t from, to;
  tl_pool_range(n / TL_INT8_BLOCK, 64, part, n_parts, &from, &to);
  if (from == to) return;
  x->exe->cpu->kernels->quantize_int8(
      &(tl_quantize_int8_args){.x = (const float *)step_in(s, x, 0) + from * TL_INT8_BLOCK,
                               .n = (to - from) * TL_INT8_BLOCK,
                               .q = (int8_t *)step_out(s, x, 0) + from * TL_INT8_BLOCK,
                               .d = (float *)step_out(s, x, 1) + from});
}

bool lower_quantize_int8(planner *p, const tl_op *op) {
  const size_t n = type_count(op->operands[0]->type);
  if (n == 0) return false;
  plan_step *s = plan_simple(p, op, run_quantize_int8, &n, sizeof n);
  if (s) s->parallel = plan_worth(p, n, PARALLEL_WORK);
  if (s) s->cheap = !s->parallel;
  return true;
}

// Threads share the groups of rows.
static void run_int8_matmul(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const weight_params *w = s->params;
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
                           .scratch = x->scratch};
  tl_pool_range(tl_format_groups(w->R), 1, part, n_parts, &a.g0, &a.g1);
  if (a.g0 == a.g1) return;
  x->exe->cpu->kernels->int8_matmul(&a);
  made_groups(s, x, a.g0, a.g1);
}

bool lower_int8_matmul(planner *p, const tl_op *op) {
  return plan_packed_product(p, op, 2, tl_op_str(op, TL_A_INT8_MATMUL_format),
                             tl_op_i64(op, TL_A_INT8_MATMUL_rows), run_int8_matmul,
                             tl_int8_matmul_scratch_size);
}

void plan_products_in_turn(tl_cpu_exe *exe) {
  weight_params *last = NULL;
  for (uint32_t i = 0; i < exe->n_steps; i++) {
    const plan_step *s = &exe->steps[i];
    if (s->kind != TL_STEP_RUN) last = NULL; // what a loop or a branch runs next is not known
    if (s->run != run_quantized_matmul && s->run != run_int8_matmul) continue;
    weight_params *w = (weight_params *)(uintptr_t)s->params; // ours, of the program's arena
    if (last && s->parallel) {
      last->next = w->packed;
      last->next_group = w->group_size, last->next_R = w->R;
    }
    last = s->parallel ? w : NULL;
  }
}

// --- products of bf16 ---

// Threads share the groups of rows.
static void run_bf16_matmul(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const weight_params *w = s->params;
  tl_bf16_matmul_args a = {.w = step_in(s, x, 1),
                           .x = step_in(s, x, 0),
                           .y = step_out(s, x, 0),
                           .y_stride = w->R,
                           .R = w->R,
                           .K = w->K,
                           .t1 = w->T,
                           .scratch = x->scratch};
  tl_pool_range(tl_format_groups(w->R), 1, part, n_parts, &a.g0, &a.g1);
  if (a.g0 == a.g1) return;
  x->exe->cpu->kernels->bf16_matmul(&a);
  made_groups(s, x, a.g0, a.g1);
}

bool lower_bf16_matmul(planner *p, const tl_op *op) {
  return plan_packed_product(p, op, 1, TL_STR("bf16"), tl_op_i64(op, TL_A_BF16_MATMUL_rows),
                             run_bf16_matmul, tl_bf16_matmul_scratch_size);
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
