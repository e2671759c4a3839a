// Loops of the plan as machine code.
//
// A loop that thread 0 runs alone (plan_alone) becomes one function with all that stands in it:
// its nests with constant sizes, copies, loops and branches; what has no such form is called. So an
// iteration costs what it computes, and no step is dispatched. What would make the function too
// large is called as well; of a loop with too many steps those in it are tried by themselves.
#include "cpu/jit_region.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpuinfo.h"
#include "cpu/jit.h"
#include "cpu/jit_cache.h"
#include "cpu/nest.h"
#include "cpu/step_nest.h"
#include "cpu/tile.h"

enum {
  MAX_STEPS = 1500,     // of a region
  MAX_CODE = 16000,     // operations that are emitted for one, about; 20 us of compiling each
  MAX_ALL_CODE = 64000, // for the loops of a program
  UNROLLED = 192,       // of a nest in a straight line
  CALLED_WORK = 4096,   // of a nest that is no better as code, from which on it is called
  WORTH_STEPS = 2000,   // that are known to run, from which on code is worth its compilation
};

struct region_program {
  jit_region region;
  uint32_t at; // its first step
  uint32_t *buf;
  jit_call *nests;
  region_fn run;
};

// --- what a region is ---

typedef struct builder {
  tl_cpu_exe *exe;
  tl_arena *a;
  region_program *p;
  uint32_t *number; // [exe->n_bufs] of a buffer in the region, from 1
  size_t code;      // operations so far
  bool calls;
  bool failed;
} builder;

static region_place place_of(builder *b, plan_view v) {
  uint32_t *number = &b->number[v.buf];
  if (!*number) {
    b->p->buf[b->p->region.n_bufs] = v.buf;
    *number = ++b->p->region.n_bufs;
  }
  return (region_place){*number - 1, v.offset};
}

static bool calls_back(const loop_nest *n) {
  for (uint32_t i = 0; i < n->n_insts; i++)
    if (n->insts[i].kind == LOOP_REF || n->insts[i].kind == LOOP_NARROW ||
        n->insts[i].kind == LOOP_ROUND)
      return true;
  return false;
}

// Operations of a nest in a straight line; SIZE_MAX where they are too many.
static size_t straight(const jit_shape *s) {
  size_t kept = 1, reduced = 1, body = 0, tail = 0, head = 0;
  for (uint32_t l = 0; l < s->n_kept; l++)
    if (!TL_MUL_OK(kept, s->kept[l], &kept) || kept > UNROLLED) return SIZE_MAX;
  for (uint32_t l = 0; l < s->n_reduced; l++)
    if (!TL_MUL_OK(reduced, s->reduced[l], &reduced) || reduced > UNROLLED) return SIZE_MAX;
  for (uint32_t i = 0; i < s->nest->n_insts; i++) {
    const loop_section at = s->nest->insts[i].section;
    head += at == LOOP_HEAD, tail += at == LOOP_TAIL, body += at == LOOP_BODY || at == LOOP_COMBINE;
  }
  if (s->nest->reduce == LOOP_EACH) reduced = 0;
  return head + kept * (tail + reduced * (body + 1));
}

// By single elements, rather than by vectors: there are few of them.
static bool unrolls(const jit_shape *s, size_t operations) {
  size_t kept = 1;
  for (uint32_t l = 0; l < s->n_kept; l++)
    kept *= s->kept[l];
  const bool along = s->n_kept == 0 || s->kept[0] >= 8;
  return operations <= UNROLLED && (kept <= 4 || !along);
}

// Operations of a nest that goes by vectors: as many as emit_each_of_constant makes of them.
static size_t by_vectors(const jit_shape *s) {
  enum { IN_LINE = 4, OTHERS = 8, TERMS = 16 };
  const size_t n = s->n_kept > 0 ? s->kept[0] : 1;
  const uint32_t lanes = s->lanes ? s->lanes : 1;
  size_t terms = 1, vectors = n / lanes;
  for (uint32_t l = 0; l < s->n_reduced; l++)
    terms = TL_MIN((size_t)TERMS, terms * TL_MIN(s->reduced[l], (size_t)TERMS));
  if (vectors > IN_LINE) vectors = 1;
  for (size_t rest = n % lanes; rest > 0; rest &= rest - 1)
    vectors++;
  return OTHERS + s->nest->n_insts * TL_MAX(vectors, (size_t)1) * terms;
}

static bool add_nest(builder *b, const plan_step *s, region_step *r, jit_call *call) {
  const loop_nest *n = step_nest_of(s, b->a);
  if (!n) return false;
  for (uint32_t d = 0; d < n->n_kept; d++)
    if (n->extent[d] == 0) {
      r->kind = REGION_NOTHING;
      return true;
    }
  jit_shape *shape = TL_NEW(b->a, jit_shape, 1);
  region_place *at = TL_NEW(b->a, region_place, n->n_arrays + 1);
  const tl_cpu *cpu = b->exe->cpu;
  if (!shape || !at || !jit_shape_of(n, cpu->isa, true, b->a, shape)) return false;
  if (n->reduce == LOOP_FOLD && n->n_states > REGION_STATES) return false;
  const tile_program *tile = calls_back(n) || shape->against_grain ? tile_prepare(n, b->a) : NULL;
  if (tile && tile_work(tile) > CALLED_WORK) return false;
  size_t operations = straight(shape);
  r->unrolled = unrolls(shape, operations);
  if (!r->unrolled) operations = by_vectors(shape);
  if (b->code + operations > MAX_CODE) return false;
  b->code += operations;
  for (uint32_t a = 0, in = 0, out = 0; a < n->n_arrays; a++)
    at[a] = place_of(b, n->arrays[a].out ? s->out[out++] : s->in[in++]);
  for (uint32_t i = 0; i < n->n_insts; i++)
    if (n->insts[i].kind == LOOP_LOAD || n->insts[i].kind == LOOP_STORE) {
      region_buf *buf = &b->p->region.bufs[at[n->insts[i].array].buf];
      const uint8_t size = (uint8_t)tl_dtype_get(n->arrays[n->insts[i].array].dtype)->size;
      if (size < buf->element || buf->element == 0) buf->element = size;
    }
  r->kind = REGION_NEST;
  r->shape = shape;
  r->at = at;
  *call = jit_nest_call(n, shape, cpu->kernels);
  return true;
}

static void add_call(builder *b, const plan_step *s, region_step *r) {
  r->kind = REGION_CALL;
  b->calls = true;
  b->code += 8;
  for (uint32_t i = 0; i < s->n_in + s->n_out; i++) {
    const region_place at = place_of(b, i < s->n_in ? s->in[i] : s->out[i - s->n_in]);
    b->p->region.bufs[at.buf].own = false;
  }
}

static bool add_copy(builder *b, const plan_step *s, region_step *r) {
  enum { COPIED = 4096 };
  if (strcmp(s->what, "copy") != 0 || s->op || s->in[0].size > COPIED) return false;
  region_place *at = TL_NEW(b->a, region_place, 2);
  if (!at) return false;
  at[0] = place_of(b, s->in[0]), at[1] = place_of(b, s->out[0]);
  r->kind = s->in[0].size == 0 ? REGION_NOTHING : REGION_COPY;
  r->at = at;
  r->size = s->in[0].size;
  b->code += 16;
  return true;
}

static void add_control(builder *b, const plan_step *s, region_step *r) {
  r->kind = s->kind == TL_STEP_WHILE ? REGION_WHILE : REGION_SWITCH;
  r->at = TL_NEW(b->a, region_place, 1);
  r->body = TL_NEW(b->a, uint32_t, s->n_body + 1);
  if (!r->at || !r->body) {
    b->failed = true;
    return;
  }
  r->at[0] = place_of(b, s->in[0]);
  r->size = s->in[0].size;
  r->n_body = s->n_body;
  for (uint32_t i = 0; i <= s->n_body; i++)
    r->body[i] = s->body[i] - b->p->at;
  b->code += 8 + 2 * s->n_body;
}

// By bytes that other names may have too: donated parameters and results.
static bool *written_buffers(builder *b, uint32_t end) {
  const tl_cpu_exe *exe = b->exe;
  const jit_region *r = &b->p->region;
  size_t n_views = 0;
  for (uint32_t i = b->p->at; i < end; i++)
    n_views += exe->steps[i].n_out;
  bool *written = TL_NEW(b->a, bool, r->n_bufs + n_views + 1);
  for (uint32_t i = b->p->at; written && i < end; i++)
    for (uint32_t k = 0; k < exe->steps[i].n_out; k++)
      written[place_of(b, exe->steps[i].out[k]).buf] = true;
  for (uint32_t i = 0; written && i < r->n_bufs; i++)
    for (uint32_t k = 0; k < r->n_bufs && exe->bufs[b->p->buf[i]].space == TL_SPACE_OUTPUT; k++)
      written[i] |= written[k] && exe->bufs[b->p->buf[k]].space == TL_SPACE_OUTPUT &&
                    exe->bufs[b->p->buf[k]].index == exe->bufs[b->p->buf[i]].index;
  return written;
}

// Which buffers lie in the function's memory: small temporaries and what else nobody knows by
// another name. Bytes are brought in where the buffer is older than the region, and back where it
// lives on.
static void choose_own(builder *b, uint32_t end, const bool *written) {
  tl_cpu_exe *exe = b->exe;
  jit_region *r = &b->p->region;
  size_t total = 0;
  for (uint32_t i = 0; i < r->n_bufs; i++) {
    const plan_buf *of = &exe->bufs[b->p->buf[i]];
    region_buf *buf = &r->bufs[i];
    buf->size = of->size;
    if (buf->element == 0) buf->element = of->size % 8 == 0 ? 8 : of->size % 4 == 0 ? 4 : 1;
    bool named_twice = of->space == TL_SPACE_LOCAL;
    for (uint32_t k = 0; k < r->n_bufs && of->space == TL_SPACE_OUTPUT; k++) {
      const plan_buf *other = &exe->bufs[b->p->buf[k]];
      named_twice |= k != i && other->space == TL_SPACE_OUTPUT && other->index == of->index;
    }
    buf->own &= !named_twice && of->size <= REGION_OWN_BUFFER && of->size > 0 &&
                total + of->size <= REGION_OWN;
    if (!buf->own) continue;
    total += tl_round_up(of->size, 64);
    const bool temporary = of->space == TL_SPACE_TEMP;
    buf->enters = !temporary || of->first <= b->p->at;
    buf->leaves = written[i] && (!temporary || of->last >= end);
  }
}

// --- matrices ---

static size_t packed_size(const jit_region *r) {
  size_t size = 0;
  for (uint32_t i = 0; i < r->n_matrices; i++)
    size += r->matrices[i].rows * r->matrices[i].columns * r->matrices[i].element;
  return size;
}

static bool same_matrix(const region_matrix *a, const region_matrix *b) {
  return a->from.buf == b->from.buf && a->from.offset == b->from.offset && a->rows == b->rows &&
         a->columns == b->columns && a->row_stride == b->row_stride && a->element == b->element;
}

// The number of a matrix, from 1; 0 where there is no room for it.
static uint16_t matrix_number(jit_region *r, const region_matrix *m) {
  size_t size;
  for (uint32_t i = 0; i < r->n_matrices; i++)
    if (same_matrix(&r->matrices[i], m)) return (uint16_t)(i + 1);
  if (r->n_matrices == REGION_MATRICES || !TL_MUL_OK(m->rows, m->columns, &size) ||
      !TL_MUL_OK(size, (size_t)m->element, &size) || size > REGION_PACKED ||
      packed_size(r) + size > REGION_PACKED)
    return 0;
  r->matrices[r->n_matrices++] = *m;
  return (uint16_t)r->n_matrices;
}

// Operands of products by columns whose elements lie along the reduced level.
static void pack_matrices(builder *b, region_step *step, const bool *written) {
  jit_region *r = &b->p->region;
  jit_shape *s = (jit_shape *)(uintptr_t)step->shape;
  if (s->mode != JIT_COLUMNS || s->nest->reduce != LOOP_DOT || s->n_reduced != 1) return;
  for (uint32_t i = 0; i < s->nest->n_insts; i++) {
    const loop_inst *x = &s->nest->insts[i];
    if (x->kind != LOOP_LOAD || x->section != LOOP_BODY || x->arg[0] != LOOP_NONE) continue;
    const uint32_t p = s->place[i];
    jit_place *q = &s->places[p];
    int64_t *stride = &s->stride[p * JIT_LEVELS];
    const region_place *at = &step->at[q->array];
    bool others = written[at->buf] || (step->packed && step->packed[p]);
    for (uint32_t l = 1; l < s->n_kept; l++)
      others |= s->outer[p * s->n_kept + l] != 0;
    if (others || stride[2] != q->size || stride[0] <= q->size || s->offset[p] < 0) continue;
    const region_matrix m = {.from = {at->buf, at->offset + (size_t)s->offset[p]},
                             .rows = s->kept[0],
                             .columns = s->reduced[0],
                             .row_stride = (size_t)stride[0],
                             .element = q->size};
    if (!step->packed) step->packed = TL_NEW(b->a, uint16_t, s->n_places + 1);
    const uint16_t number = step->packed ? matrix_number(r, &m) : 0;
    if (!number) continue;
    step->packed[p] = number;
    s->offset[p] = 0;
    stride[0] = s->outer[p * s->n_kept] = q->size;
    stride[2] = (int64_t)(m.rows * q->size);
    q->step[0] = JIT_NEXT, q->step[2] = JIT_ANY;
  }
}

static bool has_calls(const jit_region *r, const region_step *loop) {
  for (uint32_t i = loop->body[0]; i < loop->body[loop->n_body]; i++)
    if (r->steps[i].kind == REGION_CALL) return true;
  return false;
}

static bool build(builder *b, uint32_t at) {
  tl_cpu_exe *exe = b->exe;
  const plan_step *first = &exe->steps[at];
  const uint32_t end = first->body[first->n_body];
  region_program *p = b->p = TL_NEW(b->a, region_program, 1);
  if (!p) return false;
  size_t n_views = 0;
  for (uint32_t i = at; i < end; i++)
    n_views += exe->steps[i].n_in + exe->steps[i].n_out;
  jit_region *r = &p->region;
  p->at = at;
  p->buf = TL_NEW(b->a, uint32_t, n_views + 1);
  p->nests = TL_NEW(b->a, jit_call, end - at);
  r->avx512 = exe->cpu->isa & TL_ISA_AVX512F;
  r->n_steps = end - at;
  r->steps = TL_NEW(b->a, region_step, end - at);
  r->bufs = TL_NEW(b->a, region_buf, n_views + 1);
  if (!p->buf || !p->nests || !r->steps || !r->bufs) return false;
  for (size_t i = 0; i < n_views; i++)
    r->bufs[i].own = true;
  for (uint32_t i = at; i < end && !b->failed; i++) {
    const plan_step *s = &exe->steps[i];
    region_step *step = &r->steps[i - at];
    if (s->kind != TL_STEP_RUN)
      add_control(b, s, step);
    else if (!add_copy(b, s, step) && !add_nest(b, s, step, &p->nests[i - at]))
      add_call(b, s, step);
  }
  bool *written = b->failed ? NULL : written_buffers(b, end);
  if (!written) return false;
  choose_own(b, end, written);
  for (uint32_t i = 0; i < r->n_steps; i++)
    if (r->steps[i].kind == REGION_NEST) pack_matrices(b, &r->steps[i], written);
  for (uint32_t i = 0; i < r->n_steps; i++)
    if (r->steps[i].kind == REGION_WHILE) r->steps[i].checked = has_calls(r, &r->steps[i]);
  return !b->failed;
}

// --- its key ---

static void key_of_nest(const region_step *r, tl_buf *out) {
  const jit_shape *s = r->shape;
  jit_shape_key(s, out);
  tl_buf_printf(out, "unrolled %d kept", r->unrolled);
  for (uint32_t l = 0; l < s->n_kept; l++)
    tl_buf_printf(out, " %zu", s->kept[l]);
  tl_buf_cstr(out, " reduced");
  for (uint32_t l = 0; l < s->n_reduced; l++)
    tl_buf_printf(out, " %zu", s->reduced[l]);
  for (uint32_t p = 0; p < s->n_places; p++) {
    tl_buf_printf(out, "\nat %" PRId64, s->offset[p]);
    if (s->places[p].array != LOOP_NONE) {
      const region_place *at = &r->at[s->places[p].array];
      tl_buf_printf(out, " of %u %zu", at->buf, at->offset);
    }
    if (r->packed && r->packed[p]) tl_buf_printf(out, " matrix %u", r->packed[p]);
    tl_buf_cstr(out, " by");
    for (uint32_t l = 0; l < s->n_kept; l++)
      tl_buf_printf(out, " %" PRId64, s->outer[p * s->n_kept + l]);
    for (uint32_t l = 0; l < JIT_LEVELS; l++)
      tl_buf_printf(out, " %" PRId64, s->stride[p * JIT_LEVELS + l]);
  }
  tl_buf_char(out, '\n');
}

static void key_of(const jit_region *r, tl_buf *out) {
  tl_buf_printf(out, "tlaloc region %d %s avx512 %d\n", JIT_VERSION, jit_emitter(), r->avx512);
  for (uint32_t i = 0; i < r->n_bufs; i++) {
    const region_buf *b = &r->bufs[i];
    tl_buf_printf(out, "buffer %zu of %u own %d enters %d leaves %d\n", b->own ? b->size : 0,
                  b->element, b->own, b->enters, b->leaves);
  }
  for (uint32_t i = 0; i < r->n_matrices; i++) {
    const region_matrix *m = &r->matrices[i];
    tl_buf_printf(out, "matrix %u %zu: %zu %zu by %zu of %u\n", m->from.buf, m->from.offset,
                  m->rows, m->columns, m->row_stride, m->element);
  }
  for (uint32_t i = 0; i < r->n_steps; i++) {
    const region_step *s = &r->steps[i];
    tl_buf_printf(out, "step %d size %zu checked %d", s->kind, s->size, s->checked);
    for (uint32_t k = 0; s->body && k <= s->n_body; k++)
      tl_buf_printf(out, " %u", s->body[k]);
    const uint32_t places = s->kind == REGION_COPY                                ? 2
                            : s->kind == REGION_WHILE || s->kind == REGION_SWITCH ? 1
                                                                                  : 0;
    for (uint32_t k = 0; k < places; k++)
      tl_buf_printf(out, " at %u %zu", s->at[k].buf, s->at[k].offset);
    tl_buf_char(out, '\n');
    if (s->kind == REGION_NEST) key_of_nest(s, out);
  }
}

// --- which loops ---

// The number of a counted loop's iterations: `i < constant` where i begins at a constant and a
// constant is added to it; SIZE_MAX where it is not known.
static bool constant_of(tl_value v, int64_t *out) {
  if (!v->op || v->op->code != TL_OP_CONSTANT || v->type.rank != 0) return false;
  const tl_literal *lit = tl_op_attr(v->op, TL_A_CONSTANT_value)->dense;
  if (v->type.dtype == TL_DTYPE_S32) {
    int32_t x;
    memcpy(&x, lit->data, sizeof x);
    *out = x;
    return true;
  }
  if (v->type.dtype != TL_DTYPE_S64) return false;
  memcpy(out, lit->data, sizeof *out);
  return true;
}

static size_t iterations(const tl_op *op) {
  const tl_block *cond = op->regions[0];
  const tl_op *compare = cond->last->operands[0]->op;
  int64_t from, to;
  if (!compare || compare->code != TL_OP_COMPARE || !constant_of(compare->operands[1], &to))
    return SIZE_MAX;
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (compare->operands[0] == cond->args[i] && constant_of(op->operands[i], &from))
      return to > from ? (size_t)(to - from) : 0;
  return SIZE_MAX;
}

// What a loop's steps cost each time; those of loops in it are taken to run NESTED times.
typedef struct loop_cost {
  size_t operations, steps, barriers;
  bool divides; // work that code cannot do on one thread as well as several do
} loop_cost;

static loop_cost cost_of(const tl_cpu_exe *exe, uint32_t at) {
  enum { NESTED = 32, CALLED = 2048 };
  const plan_step *s = &exe->steps[at];
  const uint32_t end = s->body[s->n_body];
  loop_cost c = {0};
  uint32_t inner = 0; // where the inner loop ends
  const tl_arena_point mark = tl_arena_mark(exe->arena);
  for (uint32_t i = at + 1; i < end; i++) {
    const plan_step *x = &exe->steps[i];
    if (x->kind == TL_STEP_WHILE && i >= inner) inner = x->body[x->n_body];
    const size_t times = i < inner ? NESTED : 1;
    const loop_nest *n = x->kind == TL_STEP_RUN ? step_nest_of(x, exe->arena) : NULL;
    const bool copies = strcmp(x->what, "copy") == 0;
    size_t cost = n                        ? nest_cost(n)
                  : copies                 ? x->in[0].size / 4
                  : x->kind == TL_STEP_RUN ? CALLED
                                           : 1;
    if (!TL_MUL_OK(cost, times, &cost) || !TL_ADD_OK(c.operations, cost, &c.operations))
      c.operations = SIZE_MAX;
    c.steps += times;
    c.barriers += x->barrier * times;
    c.divides |= x->parallel && !n && !copies;
    for (uint32_t k = 0; k < x->n_out; k++) { // what each thread has of its own, and others want
      const plan_buf *b = &exe->bufs[x->out[k].buf];
      c.divides |= b->space == TL_SPACE_LOCAL && b->last >= end;
    }
  }
  tl_arena_rewind(exe->arena, mark);
  return c;
}

// Compiling takes some milliseconds, once; this says whether the loop takes 0.1 each time.
static bool worth_it(const tl_cpu_exe *exe, const plan_step *s, const loop_cost *c) {
  enum {
    WORTH = 100000,
    STEP = 50,
    OPERATIONS = 50
  }; // ns; of a step; operations in a ns, by steps
  size_t ns;
  if (exe->cpu->jit == TL_CPU_JIT_ALWAYS || !TL_MUL_OK(c->steps, (size_t)STEP, &ns)) return true;
  if (!TL_ADD_OK(ns, c->operations / OPERATIONS, &ns)) return true;
  return !TL_MUL_OK(ns, iterations(s->op), &ns) || ns >= WORTH;
}

// Whether a loop whose steps are divided among threads is better off on one: what they compute is
// little beside two threads' waiting for one another, which costs about 0.5 us each time, and takes
// them much longer where others want the processor too.
static bool is_better_alone(const tl_cpu_exe *exe, const loop_cost *c) {
  enum { WORTH_A_BARRIER = 1 << 17 }; // operations
  if (tl_pool_size(exe->cpu->pool) == 1) return true;
  return !exe->cpu->eager && !c->divides && c->operations / WORTH_A_BARRIER <= c->barriers;
}

static void release(void *code) { jit_code_release(code); }

static bool compile(tl_cpu_exe *exe, uint32_t at, size_t *code_left) {
  const tl_arena_point mark = tl_arena_mark(exe->arena);
  builder b = {.exe = exe, .a = exe->arena};
  b.number = calloc(exe->n_bufs + 1, sizeof *b.number);
  tl_buf key = {0};
  jit_code *code = NULL;
  if (b.number && build(&b, at) && b.code <= *code_left) {
    key_of(&b.p->region, &key);
    if (!key.oom) code = jit_code_of_region(&b.p->region, (tl_str){key.ptr, key.len});
  }
  tl_buf_deinit(&key);
  free(b.number);
  if (code && !tl_arena_own(exe->arena, code, release)) {
    jit_code_release(code);
    code = NULL;
  }
  if (!code) {
    tl_arena_rewind(exe->arena, mark);
    return false;
  }
  const jit_fn entry = jit_code_entry(code);
  memcpy(&b.p->run, &entry, sizeof entry);
  exe->steps[at].code = b.p;
  *code_left -= b.code;
  for (uint32_t i = 0; i < b.p->region.n_steps; i++)
    exe->steps[at + i].in_code = b.p->region.steps[i].kind == REGION_NEST;
  return true;
}

void region_compile(tl_cpu_exe *exe) {
  const uint32_t avx2 = TL_ISA_AVX2 | TL_ISA_FMA | TL_ISA_F16C;
  if (exe->cpu->jit == TL_CPU_JIT_OFF || (exe->cpu->isa & avx2) != avx2) return;
  size_t code_left = MAX_ALL_CODE;
  for (uint32_t i = 0; i < exe->n_steps; i++) {
    plan_step *s = &exe->steps[i];
    if (s->kind != TL_STEP_WHILE || s->body[s->n_body] - i > MAX_STEPS) continue;
    const loop_cost cost = cost_of(exe, i);
    if (worth_it(exe, s, &cost) && (s->alone || is_better_alone(exe, &cost)) &&
        compile(exe, i, &code_left))
      i = s->body[s->n_body] - 1;
  }
}

// --- running ---

static void run_step(const region_call *c, uint64_t number) {
  const plan_step *s = &((const plan_step *)c->steps)[number];
  s->run(s, c->x, 0, 1);
}

void region_run(const region_program *p, plan_exec *x) {
  const region_call call = {.base = x->base,
                            .buf = p->buf,
                            .nests = p->nests,
                            .failed = (const uint8_t *)&x->exe->failed,
                            .step = run_step,
                            .x = x,
                            .steps = x->exe->steps + p->at};
  p->run(&call);
}
