#include "cpu/jit_shape.h"

#include <inttypes.h>
#include <string.h>

#include "base/cpuinfo.h"
#include "jit_emitter.h" // made by the build: JIT_EMITTER

static bool has_place(loop_kind k) { return k == LOOP_LOAD || k == LOOP_STORE || k == LOOP_INDEX; }

// Dims [from, to) as levels: their extents, innermost first, and which dim each level ends with.
// False where there are more than `max`.
static bool find_levels(const loop_nest *n, uint32_t from, uint32_t to, uint32_t max,
                        size_t *extent, uint32_t *dim, uint32_t *out_n) {
  uint32_t levels = 0;
  for (uint32_t d = to; d-- > from;) {
    if (n->extent[d] == 1) continue;
    if (n->extent[d] < 1) return false;
    bool merges = levels > 0;
    for (uint32_t i = 0; merges && i < n->n_insts; i++) {
      if (!has_place(n->insts[i].kind)) continue;
      const int64_t *stride = n->maps[n->insts[i].map].stride;
      int64_t whole;
      merges = TL_MUL_OK(stride[dim[levels - 1]], (int64_t)extent[levels - 1], &whole) &&
               whole == stride[d];
    }
    if (merges) {
      extent[levels - 1] *= (size_t)n->extent[d];
      continue;
    }
    if (levels == max) return false;
    extent[levels] = (size_t)n->extent[d];
    dim[levels++] = d;
  }
  *out_n = levels;
  return true;
}

static jit_memory memory_of(tl_dtype d) {
  tl_minifloat f;
  return d == TL_DTYPE_BF16      ? JIT_BF16
         : d == TL_DTYPE_F16     ? JIT_F16
         : loop_minifloat(d, &f) ? JIT_BYTE
                                 : JIT_SAME;
}

static bool single_fold(const loop_nest *n) {
  if (n->reduce != LOOP_FOLD || !n->free_order || n->n_states != 1) return false;
  const loop_inst *i = &n->insts[n->next[0]];
  if (i->kind != LOOP_SCALAR || i->section != LOOP_COMBINE || i->arg[1] == LOOP_NONE ||
      i->arg[2] != LOOP_NONE || n->insts[i->arg[0]].kind != LOOP_STATE ||
      n->insts[i->arg[1]].section == LOOP_COMBINE)
    return false;
  const bool is_float = i->type == TL_REG_F32 || i->type == TL_REG_F64;
  switch ((tl_scalar)i->op) {
  case TL_SCALAR_ADD:
  case TL_SCALAR_MUL:
  case TL_SCALAR_XOR:
    return !is_float;
  case TL_SCALAR_MAX:
  case TL_SCALAR_MIN:
  case TL_SCALAR_AND:
  case TL_SCALAR_OR:
    return true;
  default:
    return false;
  }
}

// Loads of the body that go element by element along a level.
static uint32_t loads_along(const loop_nest *n, uint32_t dim) {
  uint32_t many = 0;
  for (uint32_t i = 0; i < n->n_insts; i++)
    many += n->insts[i].kind == LOOP_LOAD && n->insts[i].section == LOOP_BODY &&
            n->maps[n->insts[i].map].stride[dim] == 1;
  return many;
}

// Those that jump along it, which vectors pick element by element.
static uint32_t jumps_along(const loop_nest *n, uint32_t dim) {
  uint32_t many = 0;
  for (uint32_t i = 0; i < n->n_insts; i++) {
    const loop_inst *x = &n->insts[i];
    if (x->kind != LOOP_LOAD || x->section != LOOP_BODY) continue;
    const int64_t stride = n->maps[x->map].stride[dim];
    many += stride != 0 && stride != 1;
  }
  return many;
}

// A sum over several levels that lies along the innermost of them is walked by columns.
static bool against_grain(const jit_shape *s, const uint32_t *kept, const uint32_t *reduced) {
  return s->mode == JIT_COLUMNS && s->n_reduced > 1 && loads_along(s->nest, reduced[0]) > 0 &&
         loads_along(s->nest, kept[0]) == 0;
}

static jit_mode choose_mode(const jit_shape *s, const uint32_t *kept, const uint32_t *reduced) {
  const loop_nest *n = s->nest;
  if (n->reduce == LOOP_EACH) return JIT_EACH;
  const size_t across = s->n_kept ? s->kept[0] : 1, along = s->reduced[0];
  const uint32_t by_kept = s->n_kept ? loads_along(n, kept[0]) : 0,
                 by_reduced = loads_along(n, reduced[0]);
  // Of a sum over several levels each run along the innermost must begin with lane 0.
  const bool whole = s->n_reduced == 1 || along % JIT_SUM_LANES == 0;
  const bool rows = (n->reduce == LOOP_SUM && whole) || s->free_single;
  const uint32_t bad_rows = jumps_along(n, reduced[0]),
                 bad_columns = s->n_kept ? jumps_along(n, kept[0]) : 0;
  const bool better = bad_rows != bad_columns ? bad_rows < bad_columns : by_reduced >= by_kept;
  if (rows && along >= 16 && (across < 16 || better)) return JIT_ROWS;
  return across >= 8 ? JIT_COLUMNS : JIT_SERIAL;
}

static bool is_function(const loop_inst *i) {
  return i->kind == LOOP_SCALAR &&
         ((i->op >= TL_SCALAR_EXP && i->op <= TL_SCALAR_ERF_INV) ||
          (i->op == TL_SCALAR_POW && (i->type == TL_REG_F32 || i->type == TL_REG_F64)));
}
static bool in_f64(const loop_inst *i) { // of f32 too
  return is_function(i) && i->op != TL_SCALAR_EXP && i->op != TL_SCALAR_LOG &&
         i->op != TL_SCALAR_TANH && i->op != TL_SCALAR_LOGISTIC;
}

// Vectors of a cache line of the widest type that is computed in: s64 are mostly indices. Where
// each is a long chain of operations, four of them side by side: a core's window is too short to
// find the next one.
static void choose_lanes(jit_shape *s) {
  const loop_nest *n = s->nest;
  size_t widest = 1, wide = 0, narrow = 0;
  bool computes = s->mode != JIT_EACH, long_chain = false;
  for (uint32_t i = 0; i < n->n_insts; i++) {
    const loop_inst *x = &n->insts[i];
    if (x->section == LOOP_HEAD) continue;
    const bool index = x->type == TL_REG_S64 && x->kind != LOOP_STORE && x->kind != LOOP_LOAD;
    const bool counter = x->kind == LOOP_SCALAR && (x->type == TL_REG_S64 || x->type == TL_REG_U64);
    const size_t size = index ? 4 : in_f64(x) ? 8 : loop_reg_size(x->type);
    wide += in_f64(x) ? 4 : counter && !index;
    narrow += size < 8;
    widest = TL_MAX(widest, size);
    computes |= x->kind != LOOP_LOAD && x->kind != LOOP_STORE;
    long_chain |= is_function(x);
  }
  // A hash in 32 bits begins with a counter of 64, and may end in one function of f64.
  if (wide > 0 && narrow >= 16 * wide) widest = 4;
  s->tail = TL_MIN((uint32_t)(64 / widest), computes ? 16u : 64u);
  s->lanes = s->tail;
  if (s->mode == JIT_ROWS || s->mode == JIT_COLUMNS)
    s->lanes = s->tail = JIT_SUM_LANES;
  else if (long_chain && n->n_insts <= 40)
    s->lanes *= s->avx512 ? 4 : 2;
}

// Results of ROWS side by side: where little is computed for a term, a sum's chain is waited for.
static uint32_t rows_together(const jit_shape *s) {
  uint32_t body = 0;
  for (uint32_t i = 0; i < s->nest->n_insts; i++)
    body += s->nest->insts[i].section == LOOP_BODY;
  const uint32_t n = body > 16 ? 1 : body > 6 ? 2 : JIT_TOGETHER;
  return s->mode == JIT_ROWS && s->n_kept > 0 && s->kept[0] >= n ? n : 1;
}

// Rows of few elements leave most of a vector empty. Where what is written lies row after row, a
// vector goes over several rows. What moves with the row alone is a vector of rows, of which each
// vector of elements is a permutation; what else is read is gathered.
static bool is_flat(const jit_shape *s, const uint32_t *kept) {
  const loop_nest *n = s->nest;
  if (s->mode != JIT_EACH || !s->avx512 || s->n_kept < 2) return false;
  const int64_t columns = (int64_t)s->kept[0];
  if (columns > JIT_FLAT_MAX || columns >= s->tail || s->kept[1] < s->tail) return false;
  if ((uint64_t)columns * n->n_insts > JIT_FLAT_INSTS) return false;
  for (uint32_t i = 0; i < n->n_insts; i++) {
    const loop_inst *x = &n->insts[i];
    if (x->kind != LOOP_LOAD && x->kind != LOOP_STORE) continue;
    const uint16_t dynamic = x->arg[x->kind == LOOP_STORE];
    if (dynamic != LOOP_NONE && n->insts[dynamic].section != LOOP_HEAD) return false;
    const int64_t along = n->maps[x->map].stride[kept[0]], down = n->maps[x->map].stride[kept[1]];
    const bool dense = along == 1 && down == columns;
    const bool picked = !dense && down != 0 && (along != 0 || down != 1);
    if (x->kind == LOOP_STORE && !dense) return false;
    if (picked && tl_dtype_get(n->arrays[x->array].dtype)->size < 4) return false;
  }
  return true;
}

static jit_step step_of(const jit_shape *s, uint32_t level, int64_t along, int64_t stride) {
  const uint32_t vector = s->mode == JIT_ROWS || s->mode == JIT_SERIAL ? 2 : 0;
  if (stride == 0) return JIT_STILL;
  if (s->mode == JIT_FLAT && level == 1) {
    if (along == 1 && stride == (int64_t)s->columns) return JIT_DENSE;
    return along == 0 && stride == 1 ? JIT_NEXT : JIT_ANY;
  }
  return stride == 1 && level == vector ? JIT_NEXT : JIT_ANY;
}

bool jit_shape_of(const loop_nest *nest, uint32_t isa, bool of_region, tl_arena *arena,
                  jit_shape *s) {
  const uint32_t avx2 = TL_ISA_AVX2 | TL_ISA_FMA | TL_ISA_F16C;
  if ((isa & avx2) != avx2) return false;
  for (uint32_t i = 0; i < nest->n_insts; i++)
    if (nest->insts[i].kind == LOOP_COMPLEX) return false; // its two results have no form here
  *s = (jit_shape){.nest = nest, .avx512 = isa & TL_ISA_AVX512F};
  uint32_t kept[LOOP_MAX_DIMS], reduced[JIT_REDUCED];
  if (!find_levels(nest, 0, nest->n_kept, LOOP_MAX_DIMS, s->kept, kept, &s->n_kept) ||
      !find_levels(nest, nest->n_kept, nest->n_dims, JIT_REDUCED, s->reduced, reduced,
                   &s->n_reduced))
    return false;
  if (nest->reduce != LOOP_EACH && s->n_reduced == 0) { // of one element
    s->reduced[0] = 1;
    s->n_reduced = 1;
    reduced[0] = LOOP_MAX_DIMS;
  }
  s->places = TL_NEW(arena, jit_place, nest->n_insts + 1);
  s->place = TL_NEW(arena, uint16_t, nest->n_insts + 1);
  s->memory = TL_NEW(arena, uint8_t, nest->n_insts + 1);
  s->offset = TL_NEW(arena, int64_t, nest->n_insts + 1);
  s->outer = TL_NEW(arena, int64_t, nest->n_insts * s->n_kept + 1);
  s->stride = TL_NEW(arena, int64_t, nest->n_insts *JIT_LEVELS + 1);
  if (!s->places || !s->place || !s->memory || !s->offset || !s->outer || !s->stride) return false;
  s->free_single = single_fold(nest);
  if (reduced[0] == LOOP_MAX_DIMS && nest->reduce != LOOP_EACH)
    s->mode = s->n_kept && s->kept[0] >= 8 ? JIT_COLUMNS : JIT_SERIAL;
  else
    s->mode = choose_mode(s, kept, reduced);
  s->against_grain = against_grain(s, kept, reduced);
  choose_lanes(s);
  s->together = rows_together(s);
  if (!of_region && is_flat(s, kept)) {
    s->mode = JIT_FLAT;
    s->lanes = s->tail = TL_MIN(s->tail, 16u);
    s->columns = (uint32_t)s->kept[0];
  }
  for (uint32_t i = 0; i < nest->n_insts; i++) {
    const loop_inst *x = &nest->insts[i];
    s->place[i] = LOOP_NONE;
    if (!has_place(x->kind)) continue;
    const bool index = x->kind == LOOP_INDEX;
    const uint16_t array = index ? LOOP_NONE : x->array;
    if (!index) s->memory[i] = (uint8_t)memory_of(nest->arrays[x->array].dtype);
    uint32_t p = 0;
    while (p < s->n_places && (s->places[p].array != array || s->places[p].map != x->map))
      p++;
    s->place[i] = (uint16_t)p;
    if (p < s->n_places) continue;
    if (s->n_places++ == JIT_PLACES) return false;
    const loop_map *m = &nest->maps[x->map];
    const uint8_t size = index ? 1 : (uint8_t)tl_dtype_get(nest->arrays[x->array].dtype)->size;
    jit_place *q = &s->places[p];
    *q = (jit_place){.array = array, .map = x->map, .size = size};
    s->offset[p] = m->offset * size;
    for (uint32_t l = 0; l < s->n_kept; l++)
      s->outer[p * s->n_kept + l] = m->stride[kept[l]] * size;
    for (uint32_t l = 0; l < JIT_LEVELS; l++) {
      int64_t stride = 0;
      if (l < 2 && l < s->n_kept) stride = m->stride[kept[l]];
      if (l >= 2 && l - 2 < s->n_reduced && reduced[l - 2] < LOOP_MAX_DIMS)
        stride = m->stride[reduced[l - 2]];
      if (x->kind == LOOP_STORE && l == 0 && s->n_kept == 0) stride = 1; // of one element
      s->stride[p * JIT_LEVELS + l] = stride * size;
      if (l == (s->mode == JIT_ROWS || s->mode == JIT_SERIAL ? 2u : 0u) && s->avx512 && size >= 4 &&
          s->mode != JIT_FLAT && stride >= 2 && stride <= JIT_FEW)
        q->few = (uint8_t)stride;
      q->step[l] = step_of(s, l, l == 1 && s->n_kept > 1 ? m->stride[kept[0]] : 0, stride);
    }
  }
  return true;
}

const char *jit_emitter(void) { return JIT_EMITTER; }

void jit_shape_key(const jit_shape *s, tl_buf *out) {
  const loop_nest *n = s->nest;
  tl_buf_printf(out,
                "tlaloc jit %d %s avx512 %d mode %d lanes %u %u %u %u reduced %u reduce %d %d%d",
                JIT_VERSION, JIT_EMITTER, s->avx512, s->mode, s->lanes, s->tail, s->columns,
                s->together, s->n_reduced, n->reduce, n->free_order, s->free_single);
  if (n->reduce == LOOP_SUM || n->reduce == LOOP_DOT)
    tl_buf_printf(out, " of %u %u", n->term[0], n->reduce == LOOP_DOT ? n->term[1] : 0u);
  for (uint32_t c = 0; n->reduce == LOOP_FOLD && c < n->n_states; c++)
    tl_buf_printf(out, " state %u %u", n->init[c], n->next[c]);
  tl_buf_char(out, '\n');
  for (uint32_t p = 0; p < s->n_places; p++) {
    tl_buf_printf(out, "place %u every %u", s->places[p].size, s->places[p].few);
    for (uint32_t l = 0; l < JIT_LEVELS; l++)
      tl_buf_printf(out, " %u", s->places[p].step[l]);
    tl_buf_char(out, '\n');
  }
  for (uint32_t i = 0; i < n->n_insts; i++) {
    const loop_inst *x = &n->insts[i];
    tl_buf_printf(out, "%d %d %d %d op %u at %u %u index %u args %u %u %u bits %" PRIx64 "\n",
                  x->kind, x->section, x->type, x->from, x->op, s->place[i], s->memory[i], x->index,
                  x->arg[0], x->arg[1], x->arg[2], x->bits);
  }
}
