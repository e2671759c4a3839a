#include "cpu/lower.h"

#include <string.h>

#include "cpu/kernels/bf16.h"
#include "ref/elementary.h"

// Pages of keys and values: writing into them, and attention over them.

enum { PARALLEL_WORK = 16384 }; // elements written from which a second thread pays

static bool pool_elem(tl_dtype dtype, tl_pool_elem *out) {
  switch (dtype) {
  case TL_DTYPE_F32:
    *out = TL_POOL_F32;
    return true;
  case TL_DTYPE_BF16:
    *out = TL_POOL_BF16;
    return true;
  case TL_DTYPE_F16:
    *out = TL_POOL_F16;
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

// ---- attention

typedef struct attention_params {
  tl_attention_args a;
  size_t N, H, KvH, S, M; // rows, query heads, kv heads, tables, pages a table
  size_t k_base, v_base;  // bytes into the pools
  size_t tile;            // rows a unit takes at most
  size_t head_stride;     // elements of a head in the pool
  size_t piece;           // scratch of a piece of a row, floats; 0: no row is taken in pieces
  size_t blocks;          // of keys, that it has room for
  bool has_rows;
  bool narrow; // a query of bf16
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

// What a step is called with.
typedef struct attention_call {
  const attention_params *at;
  plan_exec *x;
  const char *q, *keys, *values;
  const int32_t *tables, *lengths, *rows;
  float *out;
  size_t part, n_parts;
  size_t first; // the thread that is part 0
} attention_call;

static tl_attention_args args_of(const attention_call *c, size_t n, size_t table) {
  const attention_params *at = c->at;
  const size_t width = at->H * at->a.D;
  tl_attention_args a = at->a;
  if (at->narrow)
    a.q_bf16 = (const uint16_t *)(const void *)c->q + n * width;
  else
    a.q = (const float *)(const void *)c->q + n * width;
  a.q_stride = width;
  a.k_pool = c->keys;
  a.v_pool = c->values;
  a.table = c->tables + table * at->M;
  a.table_len = at->M;
  a.seq_lens = c->lengths + n;
  a.out = c->out + n * width;
  a.out_stride = width;
  a.scratch = c->x->scratch;
  return a;
}

// Rows that share a table (a prompt's) are taken together. Units of work: (a run of them, a kv
// head). Thread `part` takes every n_parts-th unit: neighbours cost alike, and late rows of a
// prompt cost most. When there are few units each thread takes its share of the query heads
// instead, so that 3 kv heads do not divide 2 to 1.
static void attend_together(const attention_call *c) {
  const attention_params *at = c->at;
  const size_t G = at->a.G, row = at->head_stride * tl_pool_elem_size(at->a.elem);
  const bool few = at->N * at->KvH < 4 * c->n_parts;
  size_t unit = 0, table;
  for (size_t n = 0, end; n < at->N; n = end) {
    end = run_end(at, c->rows, n, &table);
    if (at->piece && end == n + 1) continue;
    for (size_t h = 0; h < at->KvH; h++) {
      size_t from = h * G, to = from + G;
      if (few) {
        from = TL_MAX(from, at->H * c->part / c->n_parts);
        to = TL_MIN(to, at->H * (c->part + 1) / c->n_parts);
      } else if (unit++ % c->n_parts != c->part) {
        continue;
      }
      if (from >= to) continue;
      tl_attention_args a = args_of(c, n, table);
      if (at->narrow)
        a.q_bf16 += from * a.D;
      else
        a.q += from * a.D;
      a.out += from * a.D;
      a.k_pool = (const char *)a.k_pool + h * row;
      a.v_pool = (const char *)a.v_pool + h * row;
      a.n_rows = end - n;
      a.G = to - from;
      const tl_kernels *k = c->x->exe->cpu->kernels;
      (at->narrow ? k->attention_bf16 : k->attention)(&a);
    }
  }
}

// A row that shares its table with no neighbour (a token of a sequence) is cut by blocks of its
// keys: the blocks of all such rows, one row's after another's, are divided evenly. So a thread has
// whole rows and at most two pieces of rows that others have pieces of; those go through the
// kernel's steps in common.
typedef struct piece {
  size_t row, table;
  size_t from, len;   // positions that the row sees
  size_t first, last; // its blocks
  size_t at;          // the number of the first among the blocks of all rows
  size_t t0, t1;      // the threads [t0, t1) that have pieces
} piece;

// The next row from *n on that is alone; false: none.
static bool next_alone(const attention_call *c, size_t *n, piece *p) {
  const attention_params *at = c->at;
  for (size_t row = *n; row < at->N; row = *n) {
    *n = run_end(at, c->rows, row, &p->table);
    if (*n != row + 1) continue;
    p->row = row;
    p->len = TL_MIN((size_t)TL_MAX(c->lengths[row], 0), at->M * at->a.block_size);
    p->from = at->a.window > 0 && at->a.window < p->len ? p->len - at->a.window : 0;
    p->first = p->from / ATTN_KEYS, p->last = (p->len + ATTN_KEYS - 1) / ATTN_KEYS;
    return true;
  }
  return false;
}

// Which blocks of p are a thread's, of `total` blocks in all. Where there are fewer than threads
// the first threads have one each, so that those which share a row follow one another.
static void piece_range(const attention_call *c, const piece *p, size_t total, size_t thread,
                        size_t *begin, size_t *end) {
  const size_t n = p->last - p->first, n_parts = TL_MAX(TL_MIN(c->n_parts, total), (size_t)1),
               from = total * TL_MIN(thread, n_parts) / n_parts,
               to = total * TL_MIN(thread + 1, n_parts) / n_parts;
  *begin = p->first + (from > p->at ? TL_MIN(from - p->at, n) : 0);
  *end = p->first + (to > p->at ? TL_MIN(to - p->at, n) : 0);
}

// The arguments for a thread's piece of p. Its scratch holds a piece that begins in another
// thread's share, and then one that ends in another's, each the greatest scores and the sums of its
// heads and its scores.
static tl_attention_row_args piece_args(const attention_call *c, const tl_attention_args *a,
                                        const piece *p, size_t total, size_t thread) {
  const attention_params *at = c->at;
  tl_attention_row_args r = {.a = a,
                             .KvH = at->KvH,
                             .head_stride = at->head_stride,
                             .from = p->from,
                             .len = p->len,
                             .step = tl_attention_row_step(a->D),
                             .h1 = at->H};
  piece_range(c, p, total, thread, &r.begin, &r.end);
  const size_t heads = tl_round_up(at->H, 16),
               second = at->N > 1 && r.begin == p->first && r.end < p->last;
  float *own = (float *)(void *)c->x->exe->execs[c->first + thread].scratch + second * at->piece;
  r.top = own, r.sum = own + heads, r.scores = own + 2 * heads;
  r.scratch = (float *)(void *)c->x->scratch + (at->N > 1 ? 2 : 1) * at->piece;
  r.lanes = r.scratch;
  return r;
}

// Of the heads, those that thread t has in sums over all pieces.
static void piece_heads(const attention_call *c, const piece *p, size_t t, size_t *h0, size_t *h1) {
  const size_t H = c->at->H, n = p->t1 - p->t0;
  *h0 = H * (t - p->t0) / n, *h1 = H * (t + 1 - p->t0) / n;
}

// Step 0..4 of kernels.h for this thread's piece, or for its heads over all pieces.
enum { ROW_STEPS = 5 };
static void row_step(const attention_call *c, const piece *p, size_t total, int step) {
  const tl_kernels *k = c->x->exe->cpu->kernels;
  const attention_params *at = c->at;
  const tl_attention_args a = args_of(c, p->row, p->table);
  tl_attention_row_args own = piece_args(c, &a, p, total, c->part), other;
  piece_heads(c, p, c->part, &own.h0, &own.h1);
  float *sum = own.top + tl_round_up(at->H, 16);
  switch (step) {
  case 0:
    (at->narrow ? k->attention_bf16_scores : k->attention_scores)(&own);
    return;
  case 1: // the row's greatest scores lie where the sums will, while others read this piece's
    memcpy(sum, own.top, at->H * sizeof *sum);
    for (size_t t = p->t0; t < p->t1; t++) {
      other = piece_args(c, &a, p, total, t);
      for (size_t h = 0; h < at->H; h++)
        sum[h] = tl_max_f32(sum[h], other.top[h]);
    }
    own.top = sum;
    k->attention_exps(&own);
    return;
  case 2:
    memset(own.lanes, 0, at->H * 16 * sizeof *own.lanes);
    for (size_t t = p->t0; t < p->t1; t++) {
      other = piece_args(c, &a, p, total, t);
      other.h0 = own.h0, other.h1 = own.h1;
      k->attention_sums(&other);
    }
    for (size_t h = own.h0; h < own.h1; h++)
      sum[h] = tl_sum16_tree(own.lanes + h * 16);
    return;
  case 3:
    for (size_t t = p->t0; t < p->t1; t++) {
      if (t == c->part) continue;
      other = piece_args(c, &a, p, total, t);
      piece_heads(c, p, t, &other.h0, &other.h1);
      for (size_t h = other.h0; h < other.h1; h++)
        sum[h] = other.sum[h];
    }
    (at->narrow ? k->attention_bf16_values : k->attention_values)(&own);
    return;
  default:
    memset(a.out + own.h0 * a.D, 0, (own.h1 - own.h0) * a.D * sizeof *a.out);
    for (size_t t = p->t0; t < p->t1; t++) {
      other = piece_args(c, &a, p, total, t);
      other.h0 = own.h0, other.h1 = own.h1;
      other.sum = own.sum, other.divides = at->narrow && t + 1 == p->t1;
      k->attention_total(&other);
    }
  }
}

static void attend_alone(const attention_call *c) {
  size_t total = 0, at = 0, n_shared = 0;
  piece p, shared[2];
  for (size_t n = 0; next_alone(c, &n, &p);)
    total += p.last - p.first;
  bool in_common = false; // do threads share a row? All find the same
  for (size_t n = 0; next_alone(c, &n, &p); at += p.last - p.first) {
    p.at = at, p.t0 = p.t1 = 0;
    bool mine = false;
    for (size_t t = 0; t < c->n_parts; t++) {
      size_t begin, end;
      piece_range(c, &p, total, t, &begin, &end);
      if (begin == end) continue;
      if (p.t1 == 0) p.t0 = t;
      p.t1 = t + 1;
      mine |= t == c->part;
    }
    in_common |= p.t1 - p.t0 > 1;
    if (p.t1 == 0 && c->part == 0) // no position
      memset(c->out + p.row * c->at->H * c->at->a.D, 0, c->at->H * c->at->a.D * sizeof *c->out);
    if (mine && p.t1 - p.t0 > 1)
      shared[n_shared++] = p;
    else if (mine)
      for (int step = 0; step < ROW_STEPS; step++)
        row_step(c, &p, total, step);
  }
  for (int step = 0; in_common && step < ROW_STEPS; step++) {
    for (size_t i = 0; i < n_shared; i++)
      row_step(c, &shared[i], total, step);
    tl_pool_barrier(c->x->exe->cpu->pool); // behind the last too: others read this thread's scratch
  }
}

// Threads share the kv heads of the only row, each as if there were no others: then nobody waits.
static void attend_by_heads(const attention_call *call) {
  attention_params mine = *call->at;
  attention_call c = *call;
  const size_t element = tl_pool_elem_size(mine.a.elem), from = mine.KvH * c.part / c.n_parts,
               to = mine.KvH * (c.part + 1) / c.n_parts;
  mine.KvH = to - from, mine.H = mine.KvH * mine.a.G;
  if (mine.KvH == 0) return;
  c.at = &mine;
  c.q += from * mine.a.G * mine.a.D * (mine.narrow ? sizeof(uint16_t) : sizeof(float));
  c.out += from * mine.a.G * mine.a.D;
  c.keys += from * mine.head_stride * element, c.values += from * mine.head_stride * element;
  c.first = c.part, c.part = 0, c.n_parts = 1;
  attend_alone(&c);
}

// Whether the row's kv heads are rather shared than its blocks: the greatest share of them costs no
// more than that of the blocks, and the steps in common, which cost some half of a block.
static bool shares_heads(const attention_call *c) {
  const attention_params *at = c->at;
  size_t n = 0;
  piece p;
  if (at->N != 1 || !next_alone(c, &n, &p)) return false;
  const size_t blocks = p.last - p.first, share = (blocks + c->n_parts - 1) / c->n_parts,
               heads = (at->KvH + c->n_parts - 1) / c->n_parts;
  return blocks * heads <= at->blocks * at->KvH && 2 * blocks * heads <= (2 * share + 1) * at->KvH;
}

static void run_paged_attention(const plan_step *s, plan_exec *x, size_t part, size_t n_parts) {
  const attention_params *at = s->params;
  const attention_call c = {.at = at,
                            .x = x,
                            .q = step_in(s, x, 0),
                            .keys = (const char *)step_in(s, x, 1) + at->k_base,
                            .values = (const char *)step_in(s, x, 2) + at->v_base,
                            .tables = step_in(s, x, 3),
                            .lengths = step_in(s, x, 4),
                            .rows = at->has_rows ? step_in(s, x, 5) : NULL,
                            .out = step_out(s, x, 0),
                            .part = part,
                            .n_parts = n_parts};
  if (!blocks_fit(at, c.tables, c.lengths, c.rows)) { // all threads find the same
    if (part == 0) plan_run_interpreted(s, x, 0, 1);
    return;
  }
  attend_together(&c);
  if (at->piece) (shares_heads(&c) ? attend_by_heads : attend_alone)(&c);
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
  at.narrow = q.dtype == TL_DTYPE_BF16; // then the pools are too
  if ((q.dtype != TL_DTYPE_F32 && !at.narrow) || !pool_elem(pool.dtype, &a->elem) ||
      values.dtype != pool.dtype || k_at < 0 || v_at < 0 || k_at >= pool.dims[0] ||
      v_at >= values.dims[0] || at.M == 0 || pool.dims[1] == 0 || type_count(q) == 0 ||
      (at.narrow && q.dims[2] > BF_SUMS * BF_K))
    return false;
  for (uint32_t d = 0; d < 4; d++)
    if (d > 0 && pool.dims[d] != values.dims[d]) return false;
  a->G = at.H / at.KvH;
  a->D = (size_t)q.dims[2];
  at.head_stride = (size_t)pool.dims[3];
  a->slot_stride = at.KvH * at.head_stride;
  a->block_size = (size_t)pool.dims[1];
  a->block_stride = a->block_size * a->slot_stride;
  a->n_blocks = TL_MIN((size_t)(pool.dims[0] - k_at), (size_t)(values.dims[0] - v_at));
  a->scale = (float)(tl_op_f64(op, TL_A_PAGED_ATTENTION_scale) * (at.narrow ? 0x1p-64 : 1));
  a->window = (size_t)tl_op_i64(op, TL_A_PAGED_ATTENTION_sliding_window);
  a->soft_cap = (float)tl_op_f64(op, TL_A_PAGED_ATTENTION_soft_cap);
  const size_t block = a->block_stride * tl_dtype_get(pool.dtype)->size;
  at.k_base = (size_t)k_at * block, at.v_base = (size_t)v_at * block;
  at.tile = 32;
  size_t longest;
  if (!TL_MUL_OK(at.M, a->block_size, &longest) || longest > INT32_MAX) return false;
  size_t scratch = tl_attention_scratch_size(longest, a->G, a->D);
  if (a->D % 64 == 0) { // then a row may be taken in pieces
    const size_t n_threads = tl_pool_size(p->exe->cpu->pool),
                 most = (longest + ATTN_KEYS - 1) / ATTN_KEYS;
    at.blocks = at.N > 1 ? most : (most + n_threads - 1) / n_threads;
    at.piece = 2 * tl_round_up(at.H, 16) + at.blocks * at.H * tl_attention_row_step(a->D);
    scratch = TL_MAX(scratch, (at.N > 1 ? 2 : 1) * at.piece * sizeof(float) +
                                  tl_attention_row_scratch_size(at.H, a->D));
  }
  plan_step *s = plan_simple(p, op, run_paged_attention, &at, sizeof at);
  if (!s) return true;
  s->scratch = scratch;
  s->parallel = true;
  return true;
}
