// How a nest is walked.
//
// A tile is a run of the row-major order of the kept dims, whatever their extents: [3 x 5] kept is
// 15 elements, not five tiles of three. So an instruction always works on full tiles, and only
// loads, stores and indices need to know where an element lies: each has a *walk*, its map with
// neighbouring dims merged where they run on (an operand in the nest's own layout is one dim of
// stride 1, and is used where it lies).
//
// A reduction is walked in one of two ways, which give the same bits:
//
//   by columns   a tile of results at a time; for each reduced index in order, one tile of terms.
//                Sums keep 16 tiles of lanes.
//   by rows      a result at a time; tiles run along the reduced dims. For sums, and for folds of
//                one instruction whose order is free.
//
// Where the terms are the elements of an array as they lie (*bare*), a kernel takes all of them at
// the memory's speed, and code would be no faster (kernels/reduce.inc).
//
// Rows are taken where memory is contiguous along the reduced dims, columns where it is along the
// kept ones.
#include "cpu/tile_program.h"

#include <string.h>

#include "base/half.h"
#include "base/pool.h"
#include "ref/lanes.h"

typedef struct tile_state { // of one run
  const tile_program *p;
  const tl_kernels *k;
  void *const *arrays;
  uint8_t *slots;
  uint8_t **ptr; // [n_insts] where each instruction's present value lies
  int64_t *base; // [n_insts] element offset from the group of dims that does not move
} tile_state;

// --- places ---

static int64_t walk_at(const tile_walk *w, size_t at) {
  int64_t offset = 0;
  for (uint32_t d = w->rank; d-- > 0;) {
    offset += (int64_t)(at % w->extent[d]) * w->stride[d];
    at /= w->extent[d];
  }
  return offset;
}

// `at` elements along a walk: calls for each run along its innermost dim.
typedef struct walker {
  const tile_walk *w;
  size_t index[LOOP_MAX_DIMS];
  int64_t offset; // of the present element
} walker;

static void walker_begin(walker *k, const tile_walk *w, size_t at) {
  k->w = w;
  k->offset = 0;
  for (uint32_t d = w->rank; d-- > 0;) {
    k->index[d] = at % w->extent[d];
    k->offset += (int64_t)k->index[d] * w->stride[d];
    at /= w->extent[d];
  }
}

// The elements left in the present run, at most n; then walker_skip goes behind them.
static size_t walker_run(const walker *k, size_t n) {
  return k->w->rank == 0 ? n : TL_MIN(n, k->w->extent[k->w->rank - 1] - k->index[k->w->rank - 1]);
}
static int64_t walker_stride(const walker *k) {
  return k->w->rank == 0 ? 0 : k->w->stride[k->w->rank - 1];
}
static void walker_skip(walker *k, size_t n) {
  if (k->w->rank == 0) return;
  uint32_t d = k->w->rank - 1;
  k->index[d] += n;
  k->offset += (int64_t)n * k->w->stride[d];
  while (k->index[d] == k->w->extent[d]) {
    k->index[d] = 0;
    k->offset -= (int64_t)k->w->extent[d] * k->w->stride[d];
    if (d == 0) return;
    d--;
    k->index[d]++;
    k->offset += k->w->stride[d];
  }
}

// --- moving elements between memory and registers ---

static void splat(uint8_t *z, size_t size, size_t n) { // element 0 into all
#define FILL(T)                    \
  {                                \
    T x, *to = (T *)(void *)z;     \
    memcpy(&x, z, sizeof x);       \
    for (size_t i = 0; i < n; i++) \
      to[i] = x;                   \
  }                                \
  break;
  switch (size) {
  case 1:
    memset(z, z[0], n);
    break;
  case 2:
    FILL(uint16_t)
  case 4:
    FILL(uint32_t)
  case 8:
    FILL(uint64_t)
  default:
    break;
  }
#undef FILL
}

// n elements of `size` bytes, `stride` elements apart, to dense z.
static void load_strided(uint8_t *z, const uint8_t *p, int64_t stride, size_t size, size_t n) {
#define LOAD(T)                                 \
  {                                             \
    const T *from = (const T *)(const void *)p; \
    T *to = (T *)(void *)z;                     \
    for (size_t i = 0; i < n; i++)              \
      to[i] = from[(int64_t)i * stride];        \
  }                                             \
  break;
  if (stride == 1) {
    memcpy(z, p, n * size);
    return;
  }
  if (stride == 0) {
    memcpy(z, p, size);
    splat(z, size, n);
    return;
  }
  switch (size) {
  case 1:
    LOAD(uint8_t)
  case 2:
    LOAD(uint16_t)
  case 4:
    LOAD(uint32_t)
  case 8:
    LOAD(uint64_t)
  default:
    break;
  }
#undef LOAD
}

static void store_strided(uint8_t *p, const uint8_t *z, int64_t stride, size_t size, size_t n) {
#define STORE(T)                                \
  {                                             \
    const T *from = (const T *)(const void *)z; \
    T *to = (T *)(void *)p;                     \
    for (size_t i = 0; i < n; i++)              \
      to[(int64_t)i * stride] = from[i];        \
  }                                             \
  break;
  if (stride == 1) {
    memcpy(p, z, n * size);
    return;
  }
  switch (size) {
  case 1:
    STORE(uint8_t)
  case 2:
    STORE(uint16_t)
  case 4:
    STORE(uint32_t)
  case 8:
    STORE(uint64_t)
  default:
    break;
  }
#undef STORE
}

static void gather(uint8_t *z, const uint8_t *p, const int64_t *at, int64_t stride, size_t size,
                   size_t n) {
#define GATHER(T)                                \
  {                                              \
    const T *from = (const T *)(const void *)p;  \
    T *to = (T *)(void *)z;                      \
    for (size_t i = 0; i < n; i++)               \
      to[i] = from[(int64_t)i * stride + at[i]]; \
  }                                              \
  break;
  switch (size) {
  case 1:
    GATHER(uint8_t)
  case 2:
    GATHER(uint16_t)
  case 4:
    GATHER(uint32_t)
  case 8:
    GATHER(uint64_t)
  default:
    break;
  }
#undef GATHER
}

// Narrow floats wait in the last slot of scratch.
static uint8_t *narrow_slot(const tile_state *s) { return s->slots + (size_t)s->p->n_slots * SLOT; }

static void widen(const tl_kernels *k, tl_dtype d, const void *from, uint8_t *z, size_t n) {
  tl_minifloat f;
  if (loop_minifloat(d, &f)) {
    for (size_t i = 0; i < n; i++)
      ((float *)(void *)z)[i] = tl_f32_of_minifloat(f, ((const uint8_t *)from)[i]);
    return;
  }
  tl_convert_args a = {d == TL_DTYPE_BF16 ? TL_CONVERT_BF16_F32 : TL_CONVERT_F16_F32, from, z, n};
  k->convert(&a);
}

static void narrow(const tl_kernels *k, tl_dtype d, const void *from, uint8_t *z, size_t n) {
  tl_minifloat f;
  if (loop_minifloat(d, &f)) {
    for (size_t i = 0; i < n; i++)
      z[i] = tl_minifloat_of_f64(f, (double)((const float *)from)[i]);
    return;
  }
  tl_convert_args a = {d == TL_DTYPE_BF16 ? TL_CONVERT_F32_BF16 : TL_CONVERT_F32_F16, from, z, n};
  k->convert(&a);
}

static void run_round(const loop_inst *inst, const void *x, uint8_t *z, size_t n) {
  tl_minifloat f;
  if (!loop_minifloat((tl_dtype)inst->op, &f)) return;
  for (size_t i = 0; i < n; i++) {
    const double e =
        inst->from == TL_REG_F64 ? ((const double *)x)[i] : (double)((const float *)x)[i];
    ((float *)(void *)z)[i] = tl_f32_of_minifloat(f, tl_minifloat_of_f64(f, e));
  }
}

static uint8_t *slot_at(const tile_state *s, uint32_t slot) {
  return s->slots + (size_t)slot * SLOT;
}

static void run_load(tile_state *s, const tile_inst *t, const tile_walk *w, size_t at, size_t n) {
  const loop_nest *nest = s->p->nest;
  const tl_dtype d = nest->arrays[t->i->array].dtype;
  const uint16_t dynamic = t->i->arg[0];
  int64_t base = s->base[t->number];
  const int64_t *offsets = NULL;
  if (dynamic != LOOP_NONE) {
    offsets = (const int64_t *)(const void *)s->ptr[dynamic];
    if (nest->insts[dynamic].section == LOOP_HEAD) {
      base += offsets[0];
      offsets = NULL;
    }
  }
  const uint8_t *p = (const uint8_t *)s->arrays[t->i->array];
  uint8_t *z = slot_at(s, t->slot);
  if (!offsets && tile_dense(w)) {
    p += (base + (int64_t)at) * (int64_t)t->size;
    if (!t->same)
      widen(s->k, d, p, z, n);
    else
      z = (uint8_t *)(uintptr_t)p; // where it lies
    s->ptr[t->number] = z;
    return;
  }
  uint8_t *to = t->same ? z : narrow_slot(s);
  p += base * (int64_t)t->size;
  walker k;
  walker_begin(&k, w, at);
  for (size_t done = 0, run; done < n; done += run) {
    run = walker_run(&k, n - done);
    const uint8_t *from = p + k.offset * (int64_t)t->size;
    if (offsets)
      gather(to + done * t->size, from, offsets + done, walker_stride(&k), t->size, run);
    else
      load_strided(to + done * t->size, from, walker_stride(&k), t->size, run);
    walker_skip(&k, run);
  }
  if (!t->same) widen(s->k, d, to, z, n);
  s->ptr[t->number] = z;
}

static void run_store(tile_state *s, const tile_inst *t, const tile_walk *w, size_t at, size_t n) {
  const tl_dtype d = s->p->nest->arrays[t->i->array].dtype;
  const uint8_t *x = s->ptr[t->i->arg[0]];
  int64_t base = s->base[t->number];
  if (t->i->arg[1] != LOOP_NONE) base += *(const int64_t *)(const void *)s->ptr[t->i->arg[1]];
  uint8_t *p = (uint8_t *)s->arrays[t->i->array] + base * (int64_t)t->size;
  if (!t->same) {
    uint8_t *to = tile_dense(w) ? p + at * t->size : narrow_slot(s);
    narrow(s->k, d, x, to, n);
    if (tile_dense(w)) return;
    x = to;
  }
  walker k;
  walker_begin(&k, w, at);
  for (size_t done = 0, run; done < n; done += run) {
    run = walker_run(&k, n - done);
    uint8_t *to = p + k.offset * (int64_t)t->size;
    if (to != x + done * t->size) // not where it was computed
      store_strided(to, x + done * t->size, walker_stride(&k), t->size, run);
    walker_skip(&k, run);
  }
}

static void run_index(tile_state *s, const tile_inst *t, const tile_walk *w, uint8_t *z, size_t at,
                      size_t n) {
  int64_t *to = (int64_t *)(void *)z;
  walker k;
  walker_begin(&k, w, at);
  for (size_t done = 0, run; done < n; done += run) {
    run = walker_run(&k, n - done);
    const int64_t from = s->base[t->number] + k.offset, stride = walker_stride(&k);
    for (size_t i = 0; i < run; i++)
      to[done + i] = from + (int64_t)i * stride;
    walker_skip(&k, run);
  }
}

// --- instructions ---

static void convert(const tl_kernels *k, tl_reg from, tl_reg to, const void *a, void *z, size_t n) {
  tl_scalars_args args = {TL_SCALAR_CONVERT, to, from, a, NULL, NULL, z, n};
  k->scalars(&args);
}

// Through the interpreter's lanes of 256: floats as they are, integers in 64 bits.
static void run_ref(const tl_kernels *kernels, const loop_inst *inst, const void *const *args,
                    uint8_t *z, size_t n) {
  const tl_reg r = inst->from;
  const bool is_float = r == TL_REG_F32 || r == TL_REG_F64,
             is_signed = r == TL_REG_S8 || r == TL_REG_S16 || r == TL_REG_S32 || r == TL_REG_S64;
  const tl_lanes_kind kind = r == TL_REG_F32   ? TL_LANES_F32
                             : r == TL_REG_F64 ? TL_LANES_F64
                             : is_signed       ? TL_LANES_S64
                                               : TL_LANES_U64;
  const tl_reg wide = is_float ? r : is_signed ? TL_REG_S64 : TL_REG_U64;
  const size_t size = loop_reg_size(r);
  const uint32_t bits = r == TL_REG_I1 ? 1 : (uint32_t)size * 8;
  tl_lanes x[2];
  for (size_t at = 0; at < n; at += TL_LANES) {
    const size_t some = TL_MIN(n - at, (size_t)TL_LANES);
    for (int k = 0; k < 2 && inst->arg[k] != LOOP_NONE; k++) {
      const uint8_t *from = (const uint8_t *)args[k] + at * size;
      if (is_float)
        memcpy(&x[k], from, some * size);
      else
        convert(kernels, r, wide, from, &x[k], some);
    }
    if (inst->arg[1] == LOOP_NONE)
      tl_lanes_unary((tl_opcode)inst->op, kind, bits, some, &x[0], &x[0]);
    else
      tl_lanes_binary((tl_opcode)inst->op, kind, bits, some, &x[0], &x[1], &x[0]);
    if (is_float)
      memcpy(z + at * size, &x[0], some * size);
    else
      convert(kernels, wide, r, &x[0], z + at * size, some);
  }
}

static void scalar(const tile_state *s, tl_scalar op, tl_reg r, const void *a, const void *b,
                   const void *c, void *z, size_t n) {
  tl_scalars_args k = {op, r, r, a, b, c, z, n};
  s->k->scalars(&k);
}

// Elements [at, at + n) of a complex op by the interpreter's function, n <= TL_LANES.
static void run_lanes(const tile_state *s, const tile_inst *t, uint8_t *re, uint8_t *im, size_t at,
                      size_t n) {
  const bool wide = t->i->type == TL_REG_F64, is_abs = t->i->op == TL_OP_ABS;
  const tl_lanes_kind kind = wide ? TL_LANES_C128 : TL_LANES_C64;
  tl_lanes x[2];
#define PACK(T, member)                                                 \
  for (int k = 0; k < 2 && t->i->arg[2 * k] != LOOP_NONE; k++) {        \
    const T *a = (const T *)(const void *)s->ptr[t->i->arg[2 * k]];     \
    const T *b = (const T *)(const void *)s->ptr[t->i->arg[2 * k + 1]]; \
    for (size_t i = 0; i < n; i++)                                      \
      x[k].member[i].re = a[at + i], x[k].member[i].im = b[at + i];     \
  }
#define UNPACK(T, member, real)                                            \
  for (size_t i = 0; i < n; i++) {                                         \
    ((T *)(void *)re)[at + i] = is_abs ? x[0].real[i] : x[0].member[i].re; \
    if (im) ((T *)(void *)im)[at + i] = x[0].member[i].im;                 \
  }
  if (wide) {
    PACK(double, c128)
  } else {
    PACK(float, c64)
  }
  if (t->i->arg[2] == LOOP_NONE)
    tl_complex_unary((tl_opcode)t->i->op, kind, n, &x[0], &x[0]);
  else
    tl_complex_binary((tl_opcode)t->i->op, kind, n, &x[0], &x[1], &x[0]);
  if (wide) {
    UNPACK(double, c128, f64)
  } else {
    UNPACK(float, c64, f32)
  }
#undef PACK
#undef UNPACK
}

// The product of complex.h by vectors; where it is two NaNs the interpreter's function looks again.
static void run_multiply(const tile_state *s, const tile_inst *t, uint8_t *re, uint8_t *im,
                         size_t n) {
  const tl_reg r = t->i->type;
  const uint8_t *x = s->ptr[t->i->arg[0]], *xi = s->ptr[t->i->arg[1]], *y = s->ptr[t->i->arg[2]],
                *yi = s->ptr[t->i->arg[3]];
  _Alignas(64) uint8_t imag[SLOT]; // im may be the register of an operand
  scalar(s, TL_SCALAR_MUL, r, xi, yi, NULL, re, n);
  scalar(s, TL_SCALAR_NEG, r, re, NULL, NULL, re, n);
  scalar(s, TL_SCALAR_FMA, r, x, y, re, re, n);
  scalar(s, TL_SCALAR_MUL, r, xi, y, NULL, imag, n);
  scalar(s, TL_SCALAR_FMA, r, x, yi, imag, imag, n);
  uint32_t lost = 0;
#define LOOK(T)                                                       \
  {                                                                   \
    const T *a = (const T *)(void *)re, *b = (const T *)(void *)imag; \
    for (size_t i = 0; i < n; i++)                                    \
      lost |= (uint32_t)(a[i] != a[i]) & (uint32_t)(b[i] != b[i]);    \
  }
  if (r == TL_REG_F64)
    LOOK(double)
  else
    LOOK(float)
#undef LOOK
  for (size_t at = 0; lost && at < n; at += TL_LANES)
    run_lanes(s, t, re, imag, at, TL_MIN(n - at, (size_t)TL_LANES));
  memcpy(im, imag, n * loop_reg_size(r));
}

static void run_complex(const tile_state *s, const tile_inst *t, uint8_t *re, uint8_t *im,
                        size_t n) {
  if (t->i->op == TL_OP_MULTIPLY && im) {
    run_multiply(s, t, re, im, n);
    return;
  }
  for (size_t at = 0; at < n; at += TL_LANES) // im may be the register of an operand
    run_lanes(s, t, re, im, at, TL_MIN(n - at, (size_t)TL_LANES));
}

static void run_narrow(const loop_inst *inst, const void *from, uint8_t *z, size_t n) {
  const tl_dtype d = (tl_dtype)inst->op;
  const uint64_t e = inst->bits >> 32, m = (uint32_t)inst->bits;
  const uint8_t *x = from;
  for (size_t i = 0; i < n; i++) {
    if (d == TL_DTYPE_F64) {
      uint64_t bits;
      memcpy(&bits, x + i * 8, 8);
      bits = tl_lanes_narrowed(bits, d, e, m);
      memcpy(z + i * 8, &bits, 8);
      continue;
    }
    float f;
    memcpy(&f, x + i * 4, 4);
    if (d == TL_DTYPE_F32)
      f = tl_f32_of_bits((uint32_t)tl_lanes_narrowed(tl_bits_of_f32(f), d, e, m));
    else if (d == TL_DTYPE_BF16)
      f = tl_f32_of_bf16((uint16_t)tl_lanes_narrowed(tl_bf16_of_f32(f), d, e, m));
    else
      f = tl_f32_of_f16((uint16_t)tl_lanes_narrowed(tl_f16_of_f32(f), d, e, m));
    memcpy(z + i * 4, &f, 4);
  }
}

void tile_apply(const loop_nest *nest, const tl_kernels *k, uint32_t inst, const void *const *args,
                void *z, size_t n) {
  const loop_inst *i = &nest->insts[inst];
  switch (i->kind) {
  case LOOP_SCALAR: {
    tl_scalars_args a = {(tl_scalar)i->op, i->type, i->from, args[0], args[1], args[2], z, n};
    k->scalars(&a);
    break;
  }
  case LOOP_REF:
    run_ref(k, i, args, z, n);
    break;
  case LOOP_ROUND:
    run_round(i, args[0], z, n);
    break;
  case LOOP_NARROW:
    run_narrow(i, args[0], z, n);
    break;
  case LOOP_LOAD:
    widen(k, nest->arrays[i->array].dtype, args[0], z, n);
    break;
  case LOOP_STORE:
    narrow(k, nest->arrays[i->array].dtype, args[0], z, n);
    break;
  default:
    break;
  }
}

static uint8_t *arg(const tile_state *s, const tile_inst *t, int k) {
  return t->i->arg[k] == LOOP_NONE ? NULL : s->ptr[t->i->arg[k]];
}

// Instructions of one section over [at, at + n) of a group of dims.
static void eval(tile_state *s, loop_section section, bool reduced, size_t at, size_t n) {
  const tile_program *p = s->p;
  for (uint32_t i = p->begin[section]; i < p->begin[section + 1]; i++) {
    const tile_inst *t = &p->insts[i];
    const tile_walk *w = reduced ? &t->reduced : &t->kept;
    uint8_t *z = slot_at(s, t->slot);
    if (t->direct) {
      const tile_inst *store = &p->insts[i + 1];
      int64_t base = s->base[store->number] + (int64_t)at;
      if (store->i->arg[1] != LOOP_NONE)
        base += *(const int64_t *)(const void *)s->ptr[store->i->arg[1]];
      z = (uint8_t *)s->arrays[store->i->array] + base * (int64_t)store->size;
    }
    switch (t->i->kind) {
    case LOOP_LOAD:
      run_load(s, t, w, at, n);
      continue;
    case LOOP_STORE:
      run_store(s, t, w, at, n);
      continue;
    case LOOP_STATE:
    case LOOP_RESULT:
    case LOOP_CONST:
    case LOOP_IMAG:
      continue; // there already
    case LOOP_COMPLEX: {
      const tile_inst *next = &p->insts[i + 1];
      const bool both = i + 1 < p->begin[section + 1] && next->i->kind == LOOP_IMAG &&
                        next->i->arg[0] == t->number;
      uint8_t *im = both ? slot_at(s, next->slot) : NULL;
      run_complex(s, t, z, im, n);
      if (both) s->ptr[next->number] = im;
      break;
    }
    case LOOP_INDEX:
      run_index(s, t, w, z, at, n);
      break;
    case LOOP_SCALAR:
    case LOOP_REF:
    case LOOP_ROUND:
    case LOOP_NARROW: {
      const void *args[] = {arg(s, t, 0), arg(s, t, 1), arg(s, t, 2)};
      tile_apply(p->nest, s->k, t->number, args, z, n);
      break;
    }
    }
    s->ptr[t->number] = z;
  }
}

// What does not depend on an iteration: once, then in every element of its register.
static void eval_head(tile_state *s, size_t width) {
  const tile_program *p = s->p;
  for (uint32_t i = p->begin[LOOP_HEAD]; i < p->begin[LOOP_BODY]; i++) {
    const tile_inst *t = &p->insts[i];
    if (t->i->kind == LOOP_CONST) {
      s->ptr[t->number] = slot_at(s, t->slot);
      memcpy(s->ptr[t->number], &t->i->bits, 8);
    }
  }
  eval(s, LOOP_HEAD, false, 0, 1);
  for (uint32_t i = p->begin[LOOP_HEAD]; i < p->begin[LOOP_BODY]; i++) {
    const tile_inst *t = &p->insts[i];
    const size_t size = loop_reg_size(t->i->type);
    uint8_t *z = slot_at(s, t->slot);
    if (s->ptr[t->number] != z) memcpy(z, s->ptr[t->number], size);
    s->ptr[t->number] = z;
    splat(z, size, width);
  }
}

// Sets the offsets of one group's index for the instructions of sections [from, to).
static void set_bases(tile_state *s, loop_section from, loop_section to, bool by_kept, size_t at) {
  const tile_program *p = s->p;
  for (uint32_t i = p->begin[from]; i < p->begin[to]; i++) {
    const tile_inst *t = &p->insts[i];
    if (!tile_has_place(t->i->kind)) continue;
    s->base[t->number] =
        p->nest->maps[t->i->map].offset + walk_at(by_kept ? &t->kept : &t->reduced, at);
  }
}

// --- reductions ---

static void sum_columns(tile_state *s, size_t at, size_t n) {
  const tile_program *p = s->p;
  const uint16_t term = p->nest->term[0];
  const tl_reg r = p->nest->insts[term].type;
  const size_t size = loop_reg_size(r), lane = SUM_COLUMNS * 8;
  uint8_t *lanes = slot_at(s, p->lanes);
  memset(lanes, 0, LANES * lane);
  for (size_t k = 0; k < p->n_reduced; k++) {
    set_bases(s, LOOP_BODY, LOOP_COMBINE, false, k);
    eval(s, LOOP_BODY, false, at, n);
    uint8_t *to = lanes + k % LANES * lane;
    scalar(s, TL_SCALAR_ADD, r, to, s->ptr[term], NULL, to, n);
  }
  for (size_t half = LANES / 2; half > 0; half /= 2)
    for (size_t i = 0; i < half; i++)
      scalar(s, TL_SCALAR_ADD, r, lanes + i * lane, lanes + (i + half) * lane, NULL,
             lanes + i * lane, n);
  memcpy(slot_at(s, p->state), lanes, n * size);
}

static void dot_columns(tile_state *s, size_t at, size_t n) {
  const tile_program *p = s->p;
  const uint16_t *term = p->nest->term;
  const tl_reg r = p->nest->insts[term[0]].type;
  const size_t size = loop_reg_size(r);
  const bool is_float = r == TL_REG_F32 || r == TL_REG_F64;
  uint8_t *total = slot_at(s, p->state), *chain = slot_at(s, p->state + 1u);
  memset(total, 0, n * size);
  for (size_t k = 0; k < p->n_reduced; k++) {
    if (k % DOT_BLOCK == 0) memset(chain, 0, n * size);
    set_bases(s, LOOP_BODY, LOOP_COMBINE, false, k);
    eval(s, LOOP_BODY, false, at, n);
    if (is_float) {
      scalar(s, TL_SCALAR_FMA, r, s->ptr[term[0]], s->ptr[term[1]], chain, chain, n);
      if (k % DOT_BLOCK == DOT_BLOCK - 1 || k + 1 == p->n_reduced)
        scalar(s, TL_SCALAR_ADD, r, total, chain, NULL, total, n);
    } else {
      scalar(s, TL_SCALAR_MUL, r, s->ptr[term[0]], s->ptr[term[1]], NULL, chain, n);
      scalar(s, TL_SCALAR_ADD, r, total, chain, NULL, total, n);
    }
  }
}

// Binds states to their slots and gives them their initial values.
static void begin_states(tile_state *s, size_t n) {
  const tile_program *p = s->p;
  const loop_nest *nest = p->nest;
  for (uint32_t c = 0; c < nest->n_states; c++)
    memcpy(slot_at(s, p->state + c), s->ptr[nest->init[c]],
           n * loop_reg_size(nest->insts[nest->init[c]].type));
}

static void step_states(tile_state *s, size_t n) {
  const tile_program *p = s->p;
  const loop_nest *nest = p->nest;
  for (uint32_t c = 0; c < nest->n_states; c++) { // another's state is fetched before it changes
    const loop_inst *i = &nest->insts[nest->next[c]];
    if (i->kind == LOOP_STATE && i->index != c)
      memcpy(slot_at(s, p->spare + c), slot_at(s, p->state + (uint32_t)i->index),
             n * loop_reg_size(i->type));
  }
  for (uint32_t c = 0; c < nest->n_states; c++) {
    const loop_inst *i = &nest->insts[nest->next[c]];
    const uint8_t *from = i->kind == LOOP_STATE ? i->index != c ? slot_at(s, p->spare + c) : NULL
                                                : s->ptr[nest->next[c]];
    if (from) memcpy(slot_at(s, p->state + c), from, n * loop_reg_size(i->type));
  }
}

static void fold_columns(tile_state *s, size_t at, size_t n) {
  begin_states(s, n);
  for (size_t k = 0; k < s->p->n_reduced; k++) {
    set_bases(s, LOOP_BODY, LOOP_COMBINE, false, k);
    eval(s, LOOP_BODY, false, at, n);
    eval(s, LOOP_COMBINE, false, at, n);
    step_states(s, n);
  }
}

// Results [at, at + n) of a bare reduction, into the result's register.
static void bare_rows(tile_state *s, size_t at, size_t n) {
  const tile_program *p = s->p;
  const tile_inst *t = p->bare_load;
  const size_t size = p->bare_from == TL_REDUCE_F64 ? 8 : 4;
  const int64_t first = p->nest->maps[t->i->map].offset;
  const uint8_t *x = s->arrays[t->i->array];
  uint8_t *z = slot_at(s, p->state);
  tl_reduce_args a = {.op = p->bare_op, .from = p->bare_from, .terms = p->n_reduced, .runs = 1};
  if (t->reduced.rank == 2) {
    a.runs = t->reduced.extent[0];
    a.terms = t->reduced.extent[1];
    a.row = (ptrdiff_t)(t->reduced.stride[0] * (int64_t)t->size);
  }
  if (p->bare_op != TL_REDUCE_SUM) memcpy(z, s->ptr[p->nest->init[0]], n * size);
  walker k;
  walker_begin(&k, &t->kept, at);
  for (size_t i = 0; i < n; i += a.n) {
    a.n = TL_MIN(n - i, (size_t)TL_REDUCE_ROWS);
    a.z = z + i * size;
    for (size_t r = 0; r < a.n; r++) {
      a.x[r] = x + (first + k.offset) * (int64_t)t->size;
      walker_skip(&k, 1);
    }
    s->k->reduce_rows(&a);
  }
}

static void bare_columns(tile_state *s, size_t at, size_t n) {
  const tile_program *p = s->p;
  const tile_inst *t = p->bare_load;
  const size_t size = p->bare_from == TL_REDUCE_F64 ? 8 : 4, width = p->columns;
  const int64_t first = p->nest->maps[t->i->map].offset;
  const uint8_t *x = s->arrays[t->i->array];
  const bool sum = p->bare_op == TL_REDUCE_SUM;
  uint8_t *z = slot_at(s, p->state), *states = sum ? slot_at(s, p->lanes) : z;
  if (sum)
    memset(states, 0, LANES * width * size);
  else
    memcpy(states, s->ptr[p->nest->init[0]], n * size);
  walker kept, reduced;
  walker_begin(&kept, &t->kept, at);
  for (size_t i = 0, run; i < n; i += run) {
    run = walker_run(&kept, n - i);
    walker_begin(&reduced, &t->reduced, 0);
    for (size_t term = 0, terms; term < p->n_reduced; term += terms) {
      terms = walker_run(&reduced, p->n_reduced - term);
      s->k->reduce_columns(
          &(tl_reduce_args){.op = p->bare_op,
                            .from = p->bare_from,
                            .x = {x + (first + kept.offset + reduced.offset) * (int64_t)t->size},
                            .row = (ptrdiff_t)(walker_stride(&reduced) * (int64_t)t->size),
                            .terms = terms,
                            .n = run,
                            .z = states + i * size,
                            .width = width,
                            .first = term});
      walker_skip(&reduced, terms);
    }
    walker_skip(&kept, run);
  }
  if (!sum) return;
  const tl_reg r = p->bare_from == TL_REDUCE_F64 ? TL_REG_F64 : TL_REG_F32;
  for (size_t half = LANES / 2; half > 0; half /= 2)
    for (size_t i = 0; i < half; i++) {
      uint8_t *to = states + i * width * size;
      scalar(s, TL_SCALAR_ADD, r, to, states + (i + half) * width * size, NULL, to, n);
    }
  memcpy(z, states, n * size);
}

// One result, into element `to` of the result's register.
static void sum_row(tile_state *s, size_t at, size_t to) {
  const tile_program *p = s->p;
  const uint16_t term = p->nest->term[0];
  const tl_reg r = p->nest->insts[term].type;
  const size_t size = loop_reg_size(r);
  _Alignas(64) double lane[LANES] = {0}; // f32: its first half
  set_bases(s, LOOP_BODY, LOOP_COMBINE, true, at);
  for (size_t k = 0; k < p->n_reduced; k += TILE) {
    const size_t n = TL_MIN(p->n_reduced - k, (size_t)TILE);
    eval(s, LOOP_BODY, true, k, n);
    tl_sum16_args a = {r == TL_REG_F64, lane, s->ptr[term], n};
    s->k->sum16(&a);
  }
  for (size_t half = LANES / 2; half > 0; half /= 2)
    scalar(s, TL_SCALAR_ADD, r, lane, (const uint8_t *)lane + half * size, NULL, lane, half);
  memcpy(slot_at(s, p->state) + to * size, lane, size);
}

static void fold_row(tile_state *s, size_t at, size_t to) {
  const tile_program *p = s->p;
  const loop_nest *nest = p->nest;
  const loop_inst *next = &nest->insts[nest->next[0]];
  const tl_scalar op = (tl_scalar)next->op;
  const tl_reg r = next->type;
  const size_t size = loop_reg_size(r), width = TL_MIN(p->n_reduced, (size_t)TILE);
  uint8_t *state = slot_at(s, p->spare); // the results gather in the state's slot
  const uint8_t *init = s->ptr[nest->init[0]];
  const bool again = op == TL_SCALAR_MAX || op == TL_SCALAR_MIN || op == TL_SCALAR_AND ||
                     op == TL_SCALAR_OR; // taking init again changes nothing
  memcpy(state, init, size);
  if (again) {
    memcpy(state, init, width * size);
  } else {
    uint64_t neutral = op == TL_SCALAR_MUL; // integers: little endian
    memcpy(state + size, &neutral, size * (width > 1));
    if (width > 2) splat(state + size, size, width - 1);
  }
  set_bases(s, LOOP_BODY, LOOP_COMBINE, true, at);
  for (size_t k = 0; k < p->n_reduced; k += TILE) {
    const size_t n = TL_MIN(p->n_reduced - k, (size_t)TILE);
    eval(s, LOOP_BODY, true, k, n);
    scalar(s, op, r, state, s->ptr[next->arg[1]], NULL, state, n);
  }
  for (size_t left = width; left > 1;) {
    const size_t half = (left + 1) / 2;
    scalar(s, op, r, state, state + half * size, NULL, state, left - half);
    left = half;
  }
  memcpy(slot_at(s, p->state) + to * size, state, size);
}

void tile_run(const tile_program *p, const tl_kernels *k, void *const *arrays, uint8_t *scratch,
              size_t from, size_t to) {
  const loop_nest *nest = p->nest;
  if (from >= to) return;
  tile_state s = {p, k, arrays, scratch + tile_state_size(p), (uint8_t **)(void *)scratch, NULL};
  s.base = (int64_t *)(void *)(scratch + nest->n_insts * sizeof(uint8_t *));
  const bool reduces = nest->reduce != LOOP_EACH;
  const size_t tile = reduces && !p->by_rows ? p->columns : TILE;
  set_bases(&s, LOOP_HEAD, LOOP_BODY, false, 0);
  set_bases(&s, LOOP_TAIL, (loop_section)(LOOP_TAIL + 1), false, 0);
  for (uint32_t i = p->begin[LOOP_BODY]; i < p->begin[LOOP_TAIL + 1]; i++)
    if (p->insts[i].i->kind == LOOP_STATE || p->insts[i].i->kind == LOOP_RESULT)
      s.ptr[p->insts[i].number] = slot_at(&s, p->insts[i].slot);
  eval_head(&s, TL_MIN((size_t)TILE, p->by_rows ? TL_MAX(p->n_reduced, to - from) : to - from));
  for (size_t at = from, n; at < to; at += n) {
    n = TL_MIN(to - at, tile);
    if (p->bare && p->by_rows)
      bare_rows(&s, at, n);
    else if (p->bare)
      bare_columns(&s, at, n);
    switch (p->bare ? LOOP_EACH : nest->reduce) {
    case LOOP_EACH:
      break;
    case LOOP_SUM:
      if (!p->by_rows)
        sum_columns(&s, at, n);
      else
        for (size_t i = 0; i < n; i++)
          sum_row(&s, at + i, i);
      break;
    case LOOP_DOT:
      dot_columns(&s, at, n);
      break;
    case LOOP_FOLD:
      if (!p->by_rows)
        fold_columns(&s, at, n);
      else
        for (size_t i = 0; i < n; i++)
          fold_row(&s, at + i, i);
      break;
    }
    eval(&s, LOOP_TAIL, false, at, n);
  }
}

void tile_range(const tile_program *p, size_t part, size_t n_parts, size_t *out_from,
                size_t *out_to) {
  tl_pool_range(p->n_kept, tile_grain(p), part, n_parts, out_from, out_to);
}
