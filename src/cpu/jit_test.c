// Machine code beside the tile interpreter, which it must equal by bits: every scalar instruction
// on every type, the elementary functions on dense samples, random nests of every kind of
// reduction, on both instruction sets; and the cache: what is found, refused and made anew.
#include "cpu/testing.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cpu/jit.h"
#include "cpu/jit_cache.h"
#include "cpu/kernels/testing_scalars.h"
#include "ref/elementary_f64.h"
#include "cpu/tile.h"

enum { AVX2 = TL_ISA_AVX2 | TL_ISA_FMA | TL_ISA_F16C };

static const uint32_t isas[] = {AVX2, AVX2 | TL_ISA_AVX512F};
static const char *const isa_texts[] = {"avx2", "avx512"};
static uint32_t machine; // what this one has
static char cache_dir[] = "/tmp/tlaloc-jit-XXXXXX";

// A nest under construction.
typedef struct built {
  loop_nest n;
  loop_inst insts[64];
  loop_array arrays[16];
  loop_map maps[16];
  uint16_t init[4], next[4];
} built;

static built *build(uint32_t n_dims, uint32_t n_kept, const int64_t *extent) {
  built *b = calloc(1, sizeof *b);
  assert_non_null(b);
  b->n = (loop_nest){.n_dims = n_dims,
                     .n_kept = n_kept,
                     .term = {LOOP_NONE, LOOP_NONE},
                     .insts = b->insts,
                     .arrays = b->arrays,
                     .maps = b->maps,
                     .init = b->init,
                     .next = b->next};
  memcpy(b->n.extent, extent, n_dims * sizeof *extent);
  return b;
}

static uint16_t put(built *b, loop_inst i) {
  assert_true(b->n.n_insts < TL_COUNT(b->insts));
  b->insts[b->n.n_insts] = i;
  return (uint16_t)b->n.n_insts++;
}
#define NO_ARGS .arg = {LOOP_NONE, LOOP_NONE, LOOP_NONE, LOOP_NONE}

static uint16_t put_scalar(built *b, loop_section s, tl_scalar op, tl_reg type, tl_reg from,
                           uint16_t x, uint16_t y, uint16_t z) {
  return put(b, (loop_inst){.kind = LOOP_SCALAR,
                            .section = s,
                            .type = type,
                            .from = from,
                            .op = (uint16_t)op,
                            .arg = {x, y, z, LOOP_NONE}});
}
static uint16_t put_const(built *b, tl_reg type, uint64_t bits) {
  return put(b, (loop_inst){.kind = LOOP_CONST, .type = type, .bits = bits, NO_ARGS});
}
static uint16_t put_result(built *b, tl_reg type, uint16_t index) {
  return put(b,
             (loop_inst){
                 .kind = LOOP_RESULT, .section = LOOP_TAIL, .type = type, .index = index, NO_ARGS});
}

// An array whose strides (elements) are those of `stride`, all of it inside.
static uint16_t put_place(built *b, tl_dtype d, bool out, const int64_t *stride) {
  const uint16_t at = (uint16_t)b->n.n_arrays++;
  assert_true(at < TL_COUNT(b->arrays));
  size_t count = 1;
  for (uint32_t k = 0; k < b->n.n_dims; k++) {
    b->maps[at].stride[k] = stride[k];
    if (stride[k] < 0) b->maps[at].offset -= stride[k] * (b->n.extent[k] - 1);
    count += (size_t)((stride[k] < 0 ? -stride[k] : stride[k]) * (b->n.extent[k] - 1));
  }
  b->n.n_maps = b->n.n_arrays;
  b->arrays[at] = (loop_array){.dtype = d, .out = out, .count = count};
  return at;
}
static uint16_t put_load(built *b, loop_section s, tl_dtype d, const int64_t *stride) {
  const uint16_t at = put_place(b, d, false, stride);
  tl_reg r;
  assert_true(loop_reg_of(d, &r));
  return put(
      b,
      (loop_inst){
          .kind = LOOP_LOAD, .section = s, .type = r, .from = r, .array = at, .map = at, NO_ARGS});
}
static void put_store(built *b, tl_dtype d, uint16_t x) { // dense over the kept dims
  int64_t stride[LOOP_MAX_DIMS] = {0}, size = 1;
  for (uint32_t k = b->n.n_kept; k-- > 0; size *= b->n.extent[k])
    stride[k] = size;
  const uint16_t at = put_place(b, d, true, stride);
  tl_reg r;
  assert_true(loop_reg_of(d, &r));
  put(b, (loop_inst){.kind = LOOP_STORE,
                     .section = LOOP_TAIL,
                     .type = r,
                     .from = r,
                     .array = at,
                     .map = at,
                     .arg = {x, LOOP_NONE, LOOP_NONE, LOOP_NONE}});
}

static void *memory_of(const loop_array *a, test_rng *r) {
  const size_t size = a->count * tl_dtype_get(a->dtype)->size;
  uint8_t *p = test_memory(size);
  if (r)
    rng_fill(r, a->dtype, p, a->count);
  else
    memset(p, 0x5A, size);
  return p;
}

// Results of the tile interpreter, whole, into memory of the test's own.
static void interpret(const loop_nest *n, void *const *arrays) {
  tl_arena *a = tl_arena_create();
  const tile_program *p = tile_prepare(n, a);
  uint8_t *scratch = aligned_alloc(64, tl_round_up(tile_scratch_size(p), 64));
  assert_non_null(scratch);
  size_t from, to;
  tile_range(p, 0, 1, &from, &to);
  tile_run(p, tl_kernels_pick(machine), arrays, scratch, from, to);
  free(scratch);
  tl_arena_destroy(a);
}

static size_t kept_of(const loop_nest *n) {
  size_t many = 1;
  for (uint32_t d = 0; d < n->n_kept; d++)
    many *= (size_t)n->extent[d];
  return many;
}

static const jit_program *prepared(const loop_nest *n, uint32_t isa, bool always, tl_arena *a) {
  jit_program *p = jit_prepare(n, isa, always, a);
  if (p) jit_make(&p, 1, 1, a);
  return p && jit_ready(p) ? p : NULL;
}

// By code of an instruction set, in `parts` ranges.
static void run_code(const loop_nest *n, uint32_t isa, size_t parts, void *const *arrays) {
  tl_arena *a = tl_arena_create();
  const jit_program *p = prepared(n, isa, true, a);
  if (!p) {
    tl_buf text = {0};
    loop_print(n, &text);
    print_error("%s", text.ptr);
    tl_buf_deinit(&text);
    fail_msg("no code");
  }
  const size_t many = kept_of(n);
  const tile_program *tile = tile_prepare(n, a);
  uint8_t *scratch = aligned_alloc(64, tl_round_up(tile_scratch_size(tile), 64));
  assert_non_null(scratch);
  for (size_t k = 0; k < parts; k++)
    jit_run(p, tile, tl_kernels_pick(machine), arrays, scratch, many * k / parts,
            many * (k + 1) / parts);
  free(scratch);
  tl_arena_destroy(a);
}

// Elements in which the results of code differ from those of the interpreter, NaN for NaN.
static bool agrees(const loop_nest *n, uint64_t seed, bool quiet) {
  void *want[16], *got[16];
  test_rng r = {seed};
  bool same = true;
  assert_ok(loop_verify(n));
  for (uint32_t a = 0; a < n->n_arrays; a++) {
    want[a] = memory_of(&n->arrays[a], n->arrays[a].out ? NULL : &r);
    got[a] = n->arrays[a].out ? memory_of(&n->arrays[a], NULL) : want[a];
  }
  interpret(n, want);
  for (size_t i = 0; i < TL_COUNT(isas); i++) {
    if (isas[i] & ~machine) continue;
    for (size_t parts = 1; parts <= 3; parts += 2) {
      run_code(n, isas[i], parts, got);
      for (uint32_t a = 0; a < n->n_arrays; a++) {
        const loop_array *x = &n->arrays[a];
        if (!x->out) continue;
        const int64_t count = (int64_t)x->count;
        const tl_type t = {.dtype = x->dtype, .rank = 1, .dims = &count};
        const size_t at = first_difference(t, got[a], want[a]);
        if (at < x->count && !quiet) {
          tl_buf text = {0};
          loop_print(n, &text);
          print_error("%s", text.ptr);
          tl_buf_deinit(&text);
          fail_msg("%s, %zu parts, seed %llu: element %zu of %zu", isa_texts[i], parts,
                   (unsigned long long)seed, at, x->count);
        }
        same = same && at >= x->count;
        if (((uint8_t *)got[a])[x->count * tl_dtype_get(x->dtype)->size] != 0xA5)
          fail_msg("written behind the array");
      }
    }
  }
  for (uint32_t a = 0; a < n->n_arrays; a++) {
    if (n->arrays[a].out) free(got[a]);
    free(want[a]);
  }
  return same;
}

static const tl_dtype dtype_of[] = {TL_DTYPE_I1,  TL_DTYPE_S8,  TL_DTYPE_S16, TL_DTYPE_S32,
                                    TL_DTYPE_S64, TL_DTYPE_U8,  TL_DTYPE_U16, TL_DTYPE_U32,
                                    TL_DTYPE_U64, TL_DTYPE_F32, TL_DTYPE_F64};

static void every_scalar_on_every_type(void **state) {
  (void)state;
  size_t cases = 0;
  for (size_t w = 0; w < TL_COUNT(rows); w++)
    for (int from = 0; from < TL_REG_COUNT; from++)
      for (int to = 0; to < TL_REG_COUNT; to++) {
        if (!has(&rows[w], (tl_reg)from, (tl_reg)to)) continue;
        built *b = build(1, 1, (int64_t[]){333});
        uint16_t x[3] = {LOOP_NONE, LOOP_NONE, LOOP_NONE};
        for (int k = 0; k < rows[w].in; k++)
          x[k] = put_load(b, LOOP_TAIL,
                          k == 0 && rows[w].op == TL_SCALAR_SELECT ? TL_DTYPE_I1 : dtype_of[from],
                          (int64_t[]){1});
        const uint16_t y =
            put_scalar(b, LOOP_TAIL, rows[w].op, (tl_reg)to, (tl_reg)from, x[0], x[1], x[2]);
        put_store(b, dtype_of[to], y);
        for (uint64_t seed = 0; seed < 8; seed++)
          agrees(&b->n, w * 1000 + seed, false);
        free(b);
        cases++;
      }
  assert_true(cases > 400);
}

// The functions of jit/math.c and jit/math_f64.c on numbers of all exponents and both signs.
static void elementary_functions_on_dense_samples(void **state) {
  (void)state;
  enum { STEP = 4093, N = 1 << 16 };
  static const tl_scalar ops[] = {
      TL_SCALAR_EXP,     TL_SCALAR_EXPM1,    TL_SCALAR_LOG, TL_SCALAR_LOG1P,
      TL_SCALAR_TANH,    TL_SCALAR_SIN,      TL_SCALAR_COS, TL_SCALAR_TAN,
      TL_SCALAR_CBRT,    TL_SCALAR_LOGISTIC, TL_SCALAR_ERF, TL_SCALAR_ERFC,
      TL_SCALAR_ERF_INV, TL_SCALAR_RSQRT,    TL_SCALAR_POW, TL_SCALAR_ATAN2};
  uint64_t *in = aligned_alloc(64, N * 8), *want = aligned_alloc(64, N * 8),
           *got = aligned_alloc(64, N * 8);
  assert_true(in && want && got);
  for (size_t o = 0; o < 2 * TL_COUNT(ops); o++) {
    const bool wide = o % 2;
    const tl_scalar op = ops[o / 2];
    const tl_reg r = wide ? TL_REG_F64 : TL_REG_F32;
    const tl_dtype d = wide ? TL_DTYPE_F64 : TL_DTYPE_F32;
    built *b = build(1, 1, (int64_t[]){N});
    const uint16_t x = put_load(b, LOOP_TAIL, d, (int64_t[]){1});
    const bool two = op == TL_SCALAR_POW || op == TL_SCALAR_ATAN2;
    // Of two the other is near 1: 1 + f(x), which is in (0, 2).
    const uint16_t one = put_const(b, r, wide ? tl_bits_of_f64(1) : tl_bits_of_f32(1)),
                   other = put_scalar(b, LOOP_TAIL, TL_SCALAR_TANH, r, r, x, LOOP_NONE, LOOP_NONE),
                   near = put_scalar(b, LOOP_TAIL, TL_SCALAR_ADD, r, r, one, other, LOOP_NONE);
    put_store(b, d,
              put_scalar(b, LOOP_TAIL, op, r, r, two ? near : x, two ? x : LOOP_NONE, LOOP_NONE));
    for (uint64_t at = 0; at < (uint64_t)1 << 32; at += (uint64_t)N * STEP) {
      for (size_t i = 0; i < N; i++) {
        const uint32_t bits = (uint32_t)(at + i * STEP);
        if (wide)
          in[i] = (uint64_t)bits << 32 | bits * 2654435761u;
        else
          ((uint32_t *)in)[i] = bits;
      }
      interpret(&b->n, (void *[]){in, want});
      for (size_t k = 0; k < TL_COUNT(isas); k++) {
        if (isas[k] & ~machine) continue;
        run_code(&b->n, isas[k], 1, (void *[]){in, got});
        for (size_t i = 0; i < N; i++) {
          const uint64_t y = wide ? got[i] : ((uint32_t *)got)[i],
                         z = wide ? want[i] : ((uint32_t *)want)[i];
          const double fy = wide ? tl_f64_of_bits(y) : (double)tl_f32_of_bits((uint32_t)y),
                       fz = wide ? tl_f64_of_bits(z) : (double)tl_f32_of_bits((uint32_t)z);
          if (y != z && !(isnan(fy) && isnan(fz)))
            fail_msg("%zu of %s at %zu: %a, not %a", o, isa_texts[k], i, fy, fz);
        }
      }
    }
    free(b);
  }
  free(in), free(want), free(got);
}

// --- random nests ---

static const tl_dtype floats[] = {TL_DTYPE_F32, TL_DTYPE_F32, TL_DTYPE_BF16, TL_DTYPE_F16,
                                  TL_DTYPE_F64};

// Strides of an operand: dense, still along some dims, transposed, spread or reversed.
static void random_strides(test_rng *r, const built *b, uint32_t n_dims, int64_t *stride) {
  int64_t size = 1;
  const bool backwards = rng_chance(r, 20), outwards = rng_chance(r, 20);
  for (uint32_t k = 0; k < n_dims; k++) {
    const uint32_t d = outwards ? k : n_dims - 1 - k;
    stride[d] = rng_chance(r, 20) ? 0 : size;
    if (backwards && rng_chance(r, 40)) stride[d] = -stride[d];
    size *= b->n.extent[d];
    if (rng_chance(r, 15)) size *= 2;
  }
}

static uint16_t random_expression(test_rng *r, built *b, loop_section s, uint32_t n_dims,
                                  tl_reg reg, uint32_t depth) {
  static const tl_scalar two[] = {TL_SCALAR_ADD, TL_SCALAR_SUB, TL_SCALAR_MUL,
                                  TL_SCALAR_DIV, TL_SCALAR_MAX, TL_SCALAR_MIN};
  static const tl_scalar one[] = {TL_SCALAR_NEG,  TL_SCALAR_ABS, TL_SCALAR_EXP,
                                  TL_SCALAR_TANH, TL_SCALAR_LOG, TL_SCALAR_FLOOR};
  int64_t stride[LOOP_MAX_DIMS] = {0};
  if (depth == 0 || rng_chance(r, 20)) {
    if (rng_chance(r, 15)) { // an index
      random_strides(r, b, n_dims, stride);
      const uint16_t at = put_place(b, TL_DTYPE_S64, false, stride);
      const uint16_t i = put(b, (loop_inst){.kind = LOOP_INDEX,
                                            .section = s,
                                            .type = TL_REG_S64,
                                            .from = TL_REG_S64,
                                            .map = at,
                                            NO_ARGS});
      return reg == TL_REG_S64
                 ? i
                 : put_scalar(b, s, TL_SCALAR_CONVERT, reg, TL_REG_S64, i, LOOP_NONE, LOOP_NONE);
    }
    random_strides(r, b, n_dims, stride);
    tl_dtype d = dtype_of[reg];
    if (reg == TL_REG_F32) d = floats[rng_below(r, 4)];
    return put_load(b, s, d, stride);
  }
  if (rng_chance(r, 35)) {
    const bool f32 = reg == TL_REG_F32;
    const tl_scalar op = one[rng_below(r, f32 ? TL_COUNT(one) : 2)];
    const uint16_t x = random_expression(r, b, s, n_dims, reg, depth - 1);
    return put_scalar(b, s, op, reg, reg, x, LOOP_NONE, LOOP_NONE);
  }
  const uint16_t x = random_expression(r, b, s, n_dims, reg, depth - 1),
                 y = random_expression(r, b, s, n_dims, reg, depth - 1);
  if (rng_chance(r, 20)) {
    const uint16_t c = put_scalar(b, s, TL_SCALAR_LT, TL_REG_I1, reg, x, y, LOOP_NONE);
    return put_scalar(b, s, TL_SCALAR_SELECT, reg, reg, c, x, y);
  }
  return put_scalar(b, s, two[rng_below(r, TL_COUNT(two))], reg, reg, x, y, LOOP_NONE);
}

static built *random_nest(uint64_t seed) {
  static const int64_t sizes[] = {1, 1, 2, 3, 5, 8, 15, 16, 17, 40, 67, 130, 300};
  static const tl_reg regs[] = {TL_REG_F32, TL_REG_F32, TL_REG_F64,
                                TL_REG_S32, TL_REG_S64, TL_REG_U8};
  test_rng r = {seed};
  int64_t extent[LOOP_MAX_DIMS] = {0};
  const loop_reduce how = (loop_reduce)rng_below(&r, 4);
  const uint32_t n_kept = rng_below(&r, 4), n_dims = n_kept + (how ? 1 + rng_below(&r, 2) : 0);
  int64_t whole = 1;
  for (uint32_t d = 0; d < n_dims; d++) {
    do
      extent[d] = sizes[rng_below(&r, TL_COUNT(sizes))];
    while (whole * extent[d] > 20000);
    whole *= extent[d];
  }
  built *b = build(n_dims, n_kept, extent);
  tl_reg reg = regs[rng_below(&r, TL_COUNT(regs))];
  if (how == LOOP_SUM && !is_float(reg)) reg = TL_REG_F32;
  b->n.reduce = how;
  uint16_t x = LOOP_NONE;
  switch (how) {
  case LOOP_EACH:
    x = random_expression(&r, b, LOOP_TAIL, n_kept, reg, 3);
    break;
  case LOOP_SUM:
    b->n.term[0] = random_expression(&r, b, LOOP_BODY, n_dims, reg, 2);
    x = put_result(b, reg, 0);
    break;
  case LOOP_DOT:
    for (int k = 0; k < 2; k++)
      b->n.term[k] = random_expression(&r, b, LOOP_BODY, n_dims, reg, 1);
    x = put_result(b, reg, 0);
    break;
  case LOOP_FOLD: {
    static const tl_scalar folds[] = {TL_SCALAR_MAX, TL_SCALAR_MIN, TL_SCALAR_ADD, TL_SCALAR_MUL,
                                      TL_SCALAR_SUB};
    tl_scalar op = folds[rng_below(&r, TL_COUNT(folds))];
    b->n.n_states = 1;
    b->n.init[0] = put_const(b, reg, is_float(reg) ? 0 : 3);
    const uint16_t term = random_expression(&r, b, LOOP_BODY, n_dims, reg, 2);
    const uint16_t s =
        put(b, (loop_inst){.kind = LOOP_STATE, .section = LOOP_COMBINE, .type = reg, NO_ARGS});
    b->n.next[0] = put_scalar(b, LOOP_COMBINE, op, reg, reg, s, term, LOOP_NONE);
    b->n.free_order =
        op == TL_SCALAR_MAX || op == TL_SCALAR_MIN || (!is_float(reg) && op != TL_SCALAR_SUB);
    x = put_result(b, reg, 0);
    break;
  }
  }
  if (how && rng_chance(&r, 50)) {
    const uint16_t y = random_expression(&r, b, LOOP_TAIL, n_kept, reg, 1);
    x = put_scalar(b, LOOP_TAIL, TL_SCALAR_ADD, reg, reg, x, y, LOOP_NONE);
  }
  put_store(b, dtype_of[reg], x);
  return b;
}

static void random_nests(void **state) {
  (void)state;
  const char *alone = getenv("TLALOC_TEST_SEED");
  size_t reduced[4] = {0};
#ifdef TL_TEST_SANITIZED
  enum { MANY = 40 };
#else
  enum { MANY = 120 };
#endif
  for (uint64_t seed = alone ? strtoull(alone, NULL, 10) : 1; seed <= MANY || alone; seed++) {
    built *b = random_nest(seed);
    agrees(&b->n, seed, false);
    reduced[b->n.reduce]++;
    free(b);
    if (alone) break;
  }
  for (int k = 0; k < 4 && !alone; k++)
    assert_true(reduced[k] > 0);
}

// Rows of few elements, which share vectors.
static void short_rows(void **state) {
  (void)state;
  static const tl_reg regs[] = {TL_REG_F32, TL_REG_F64, TL_REG_S32, TL_REG_F32, TL_REG_U8};
  size_t flat = 0;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    test_rng r = {seed};
    const uint32_t n_dims = 2 + rng_below(&r, 2);
    int64_t extent[3] = {1 + rng_below(&r, 4)};
    extent[n_dims - 2] = 8 + rng_below(&r, 70);
    extent[n_dims - 1] = 2 + rng_below(&r, 7);
    built *b = build(n_dims, n_dims, extent);
    const tl_reg reg = regs[rng_below(&r, TL_COUNT(regs))];
    put_store(b, dtype_of[reg], random_expression(&r, b, LOOP_TAIL, n_dims, reg, 4));
    agrees(&b->n, seed, false);
    tl_arena *a = tl_arena_create();
    jit_shape s;
    flat += jit_shape_of(&b->n, AVX2 | TL_ISA_AVX512F, false, a, &s) && s.mode == JIT_FLAT;
    tl_arena_destroy(a);
    free(b);
  }
  assert_true(flat >= 10);
}

// Rows of several reduced levels, which are taken by blocks: fewer than one, whole ones, and what
// is left of one and of those that go side by side.
static void rows_by_blocks(void **state) {
  (void)state;
  static const int64_t many[] = {3, 63, 64, 65, 70, 130};
  size_t by_rows = 0;
  for (size_t k = 0; k < TL_COUNT(many); k++)
    for (int what = 0; what < 3; what++) { // sums of f32 and bf16, maxima of more than loads
      const int64_t extent[] = {many[k], 5, 48}, in_rows[] = {48, 48 * many[k], 1};
      built *b = build(3, 1, extent);
      const tl_dtype d = what == 1 ? TL_DTYPE_BF16 : TL_DTYPE_F32;
      uint16_t x = put_load(b, LOOP_BODY, d, in_rows);
      if (what == 2) {
        b->n.reduce = LOOP_FOLD;
        b->n.free_order = true;
        b->n.n_states = 1;
        b->n.init[0] = put_const(b, TL_REG_F32, 0);
        x = put_scalar(b, LOOP_BODY, TL_SCALAR_MUL, TL_REG_F32, TL_REG_F32, x, x, LOOP_NONE);
        const uint16_t s = put(
            b,
            (loop_inst){.kind = LOOP_STATE, .section = LOOP_COMBINE, .type = TL_REG_F32, NO_ARGS});
        b->n.next[0] =
            put_scalar(b, LOOP_COMBINE, TL_SCALAR_MAX, TL_REG_F32, TL_REG_F32, s, x, LOOP_NONE);
      } else {
        b->n.reduce = LOOP_SUM;
        b->n.term[0] = x;
      }
      put_store(b, TL_DTYPE_F32, put_result(b, TL_REG_F32, 0));
      agrees(&b->n, 7 + k, false);
      tl_arena *a = tl_arena_create();
      jit_shape s;
      by_rows += jit_shape_of(&b->n, AVX2, false, a, &s) && s.mode == JIT_ROWS && s.n_reduced == 2;
      tl_arena_destroy(a);
      free(b);
    }
  assert_int_equal(by_rows, 3 * TL_COUNT(many));
}

// Elements that lie a few apart, picked out of whole vectors up to the very last one of an array,
// element by element and in sums; wide chains among them.
static void elements_apart(void **state) {
  (void)state;
  static const tl_reg regs[] = {TL_REG_F32, TL_REG_F64, TL_REG_U32, TL_REG_S64};
  static const int64_t many[] = {1, 7, 8, 16, 17, 31, 64, 65, 133};
  size_t apart = 0;
  for (size_t k = 0; k < TL_COUNT(many) * TL_COUNT(regs) * 9; k++) {
    const int what = (int)(k % 3); // a sum, an element, a function of it
    const int64_t stride = 2 + (int64_t)(k / 3 % 3), n = many[k / 9 % TL_COUNT(many)];
    const tl_reg r = regs[k / 9 / TL_COUNT(many)];
    if ((what == 2 && r != TL_REG_F32) || (what == 0 && k / 9 / TL_COUNT(many) > 1)) continue;
    built *b = build(2, what == 0 ? 1 : 2, (int64_t[]){3, n});
    const loop_section section = what == 0 ? LOOP_BODY : LOOP_TAIL;
    uint16_t x = put_load(b, section, dtype_of[r], (int64_t[]){0, stride});
    const uint16_t y = put_load(b, section, dtype_of[r], (int64_t[]){n, 1});
    if (what == 2) x = put_scalar(b, section, TL_SCALAR_EXP, r, r, x, LOOP_NONE, LOOP_NONE);
    x = put_scalar(b, section, TL_SCALAR_SUB, r, r, x, y, LOOP_NONE);
    if (what == 0) {
      b->n.reduce = LOOP_SUM;
      b->n.term[0] = x;
      x = put_result(b, r, 0);
    }
    put_store(b, dtype_of[r], x);
    agrees(&b->n, k + 1, false);
    tl_arena *a = tl_arena_create();
    jit_shape s;
    apart += jit_shape_of(&b->n, AVX2 | TL_ISA_AVX512F, false, a, &s) && s.places[0].few == stride;
    tl_arena_destroy(a);
    free(b);
  }
  assert_true(apart > 100);
}

// The comparison sees a difference in the last bit: a nest with another constant is another nest.
static void another_constant_is_seen(void **state) {
  (void)state;
  void *want[3] = {0};
  for (int other = 0; other < 2; other++) {
    built *b = build(1, 1, (int64_t[]){100});
    const uint16_t c = put_const(b, TL_REG_F32, 0x3f800000u + (uint32_t)other);
    const uint16_t x = put_load(b, LOOP_TAIL, TL_DTYPE_F32, (int64_t[]){1});
    put_store(b, TL_DTYPE_F32,
              put_scalar(b, LOOP_TAIL, TL_SCALAR_MUL, TL_REG_F32, TL_REG_F32, x, c, LOOP_NONE));
    if (other == 0) {
      for (int k = 0; k < 3; k++)
        want[k] = memory_of(&b->arrays[k > 0], NULL);
      for (int k = 0; k < 100; k++)
        ((float *)want[0])[k] = 1.0f + (float)k;
      interpret(&b->n, want);
    } else {
      run_code(&b->n, machine, 1, (void *[]){want[0], want[2]});
      assert_int_not_equal(memcmp(want[1], want[2], 400), 0);
    }
    free(b);
  }
  for (int k = 0; k < 3; k++)
    free(want[k]);
}

// The larger and the smaller of an element and a constant, which has code of its own.
static void extremes_of_constants(void **state) {
  (void)state;
  static const double constants[] = {0.0, -0.0, 1.5, -2.0, (double)INFINITY, (double)NAN};
  const tl_reg regs[] = {TL_REG_F32, TL_REG_F64};
  for (int wide = 0; wide < 2; wide++)
    for (int min = 0; min < 2; min++)
      for (size_t k = 0; k < TL_COUNT(constants); k++) {
        built *b = build(1, 1, (int64_t[]){700});
        const tl_reg r = regs[wide];
        const tl_scalar op = min ? TL_SCALAR_MIN : TL_SCALAR_MAX;
        const uint16_t c = put_const(
            b, r, wide ? tl_bits_of_f64(constants[k]) : tl_bits_of_f32((float)constants[k]));
        const uint16_t x = put_load(b, LOOP_TAIL, dtype_of[r], (int64_t[]){1});
        put_store(b, dtype_of[r], put_scalar(b, LOOP_TAIL, op, r, r, x, c, LOOP_NONE));
        put_store(b, dtype_of[r], put_scalar(b, LOOP_TAIL, op, r, r, c, x, LOOP_NONE));
        agrees(&b->n, k + 1, false);
        free(b);
      }
}

// --- shapes ---

static built *rows_of(int64_t height, int64_t columns, int64_t pitch) {
  built *b = build(2, 2, (int64_t[]){height, columns});
  const uint16_t x = put_load(b, LOOP_TAIL, TL_DTYPE_F32, (int64_t[]){pitch, 1});
  put_store(
      b, TL_DTYPE_F32,
      put_scalar(b, LOOP_TAIL, TL_SCALAR_NEG, TL_REG_F32, TL_REG_F32, x, LOOP_NONE, LOOP_NONE));
  return b;
}

static bool share(built *x, built *y) {
  tl_arena *a = tl_arena_create();
  tl_buf keys[2] = {{0}, {0}};
  jit_shape s;
  assert_true(jit_shape_of(&x->n, AVX2, false, a, &s));
  jit_shape_key(&s, &keys[0]);
  assert_true(jit_shape_of(&y->n, AVX2, false, a, &s));
  jit_shape_key(&s, &keys[1]);
  const bool same =
      keys[0].len == keys[1].len && memcmp(keys[0].ptr, keys[1].ptr, keys[0].len) == 0;
  tl_buf_deinit(&keys[0]);
  tl_buf_deinit(&keys[1]);
  tl_arena_destroy(a);
  free(x);
  free(y);
  return same;
}

static void sizes_share_code(void **state) {
  (void)state;
  assert_true(share(rows_of(3, 5, 9), rows_of(70, 800, 1000)));
  assert_true(share(rows_of(3, 5, 5), rows_of(15, 1, 1))); // both are one dim
  assert_false(share(rows_of(3, 5, 5), rows_of(3, 5, 9))); // the second is two
  assert_false(share(rows_of(3, 5, 9), rows_of(3, 5, 0))); // the second stands still
}

// --- the cache ---

static char *only_file(tl_arena *a) {
  char *folder = jit_cache_folder(a);
  tl_str *names;
  size_t n;
  assert_ok(tl_dir_list(a, folder, &names, &n));
  assert_int_equal(n, 1);
  return tl_path_join(a, folder, names[0].ptr);
}

static void use(uint32_t isa, bool compiled, bool read) {
  built *b = rows_of(30, 50, 70);
  tl_arena *a = tl_arena_create();
  const jit_counts before = jit_count();
  const jit_program *p = prepared(&b->n, isa, true, a);
  const jit_counts after = jit_count();
  assert_non_null(p);
  assert_int_equal(after.compiled - before.compiled, compiled);
  assert_int_equal(after.read - before.read, read);
  float x[30 * 70], y[30 * 50];
  for (int i = 0; i < 30 * 70; i++)
    x[i] = (float)i;
  jit_run(p, NULL, tl_kernels_pick(machine), (void *[]){x, y}, NULL, 0, 1500);
  for (int i = 0; i < 1500; i++)
    assert_true(y[i] == -x[i / 50 * 70 + i % 50]);
  tl_arena_destroy(a);
  free(b);
}

static void empty_cache(void) {
  tl_arena *a = tl_arena_create();
  tl_status_drop(tl_dir_remove(jit_cache_folder(a)));
  tl_arena_destroy(a);
}

// Several threads make code of several shapes, of which some are equal: each is made once.
static void threads_share_what_they_make(void **state) {
  (void)state;
  enum { SHAPES = 6, MANY = 3 * SHAPES };
  jit_program *p[MANY];
  built *b[MANY];
  tl_arena *a = tl_arena_create();
  for (int i = 0; i < MANY; i++) {
    b[i] = build(1, 1, (int64_t[]){200});
    uint16_t x = put_load(b[i], LOOP_TAIL, TL_DTYPE_F32, (int64_t[]){1});
    for (int k = 0; k <= i % SHAPES; k++)
      x = put_scalar(b[i], LOOP_TAIL, TL_SCALAR_NEG, TL_REG_F32, TL_REG_F32, x, LOOP_NONE,
                     LOOP_NONE);
    put_store(b[i], TL_DTYPE_F32, x);
    p[i] = jit_prepare(&b[i]->n, AVX2, true, a);
    assert_non_null(p[i]);
  }
  empty_cache();
  const jit_counts before = jit_count();
  jit_make(p, MANY, 4, a);
  assert_int_equal(jit_count().compiled - before.compiled, SHAPES);
  for (int i = 0; i < MANY; i++) {
    float x[200], y[200];
    for (int k = 0; k < 200; k++)
      x[k] = (float)k;
    assert_true(jit_ready(p[i]));
    jit_run(p[i], NULL, tl_kernels_pick(machine), (void *[]){x, y}, NULL, 0, 200);
    for (int k = 0; k < 200; k++)
      assert_true(y[k] == (i % SHAPES % 2 ? x[k] : -x[k]));
    free(b[i]);
  }
  tl_arena_destroy(a);
}

static void what_is_found_is_not_compiled(void **state) {
  (void)state;
  empty_cache();
  use(AVX2, true, false);
  use(AVX2, false, true);
  tl_arena *a = tl_arena_create();
  struct stat info;
  assert_int_equal(stat(only_file(a), &info), 0);
  assert_int_equal(info.st_mode & 07777, 0600);
  built *b = rows_of(30, 50, 70), *c = rows_of(7, 9, 11); // of another size, at the same time
  const jit_counts before = jit_count();
  assert_non_null(prepared(&b->n, AVX2, true, a));
  assert_non_null(prepared(&c->n, AVX2, true, a));
  assert_int_equal(jit_count().shared - before.shared, 1);
  tl_arena_destroy(a);
  free(b);
  free(c);
}

static void put_byte(const char *path, off_t at, int change) {
  const int fd = open(path, O_RDWR);
  uint8_t byte = 0;
  assert_true(fd >= 0 && pread(fd, &byte, 1, at) == 1);
  byte = (uint8_t)(byte ^ change);
  assert_int_equal(pwrite(fd, &byte, 1, at), 1);
  close(fd);
}

static void damaged_and_foreign_files_are_made_anew(void **state) {
  (void)state;
  empty_cache();
  use(AVX2, true, false);
  tl_arena *a = tl_arena_create();
  const char *path = only_file(a);
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  for (off_t at = 0; at < info.st_size; at += 127) { // anywhere in it
    put_byte(path, at, 1 << at % 8);
    use(AVX2, true, false);
    use(AVX2, false, true); // and is whole again
  }
  for (off_t size = 0; size < info.st_size; size += 777) {
    assert_int_equal(truncate(path, size), 0);
    use(AVX2, true, false);
  }
  assert_int_equal(chmod(path, 0644), 0);
  use(AVX2, true, false);
  use(AVX2, false, true);
  char *elsewhere = tl_arena_printf(a, "%s.elsewhere", path); // a link, though to a good file
  assert_int_equal(rename(path, elsewhere), 0);
  assert_int_equal(symlink(elsewhere, path), 0);
  use(AVX2, true, false);
  if (geteuid() == 0) { // somebody else's
    assert_int_equal(chown(path, 65534, 65534), 0);
    use(AVX2, true, false);
  }
  assert_int_equal(unlink(path), 0);
  assert_int_equal(mkdir(path, 0700), 0); // where no file can be
  use(AVX2, true, false);
  use(AVX2, true, false);
  assert_int_equal(rmdir(path), 0);
  tl_arena_destroy(a);
}

static void no_folder_will_do(void **state) {
  (void)state;
  assert_int_equal(setenv("TLALOC_CACHE_DIR", "/proc/none", 1), 0);
  use(AVX2, true, false);
  use(AVX2, true, false);
  assert_int_equal(setenv("TLALOC_CACHE_DIR", cache_dir, 1), 0);
}

// Where the kernel lets no page that was written become executable, neither a file of the cache
// nor a new piece needs to be.
static void no_page_is_written_and_executed(void **state) {
  (void)state;
  enum { SET_MDWE = 65, REFUSE_EXEC_GAIN = 1, WITHOUT = 77 };
  empty_cache();
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    if (prctl(SET_MDWE, REFUSE_EXEC_GAIN, 0, 0, 0) != 0) _exit(WITHOUT);
    use(AVX2, true, false);
    use(AVX2, false, true);
    setenv("TLALOC_CACHE_DIR", "/proc/none", 1);
    use(AVX2, true, false);
    _exit(0);
  }
  int status = 1;
  assert_int_equal(waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == WITHOUT)
    print_message("skipped by name: this kernel does not know PR_SET_MDWE\n");
  else
    assert_int_equal(status, 0);
}

static void processes_write_the_same_files(void **state) {
  (void)state;
  enum { PROCESSES = 4 };
  empty_cache();
  for (int k = 0; k < PROCESSES; k++) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      bool good = true;
      for (uint64_t seed = 1000; seed < 1012; seed++) {
        built *b = random_nest(seed);
        good = agrees(&b->n, seed, true) && good;
        free(b);
      }
      _exit(good ? 0 : 1);
    }
  }
  for (int k = 0; k < PROCESSES; k++) {
    int status = 1;
    assert_true(wait(&status) > 0);
    assert_int_equal(status, 0);
  }
}

static int begin_tests(void **state) {
  (void)state;
  machine = tl_cpu_isa_all() & (AVX2 | TL_ISA_AVX512F);
  if (!mkdtemp(cache_dir) || setenv("TLALOC_CACHE_DIR", cache_dir, 1) != 0) return -1;
  return 0;
}
static int end_tests(void **state) {
  (void)state;
  tl_status_drop(tl_dir_remove(cache_dir));
  return 0;
}

// One nest through the module, or a line that says why nothing here can be checked.
static bool usable(void) {
  tl_arena *a = tl_arena_create();
  built *b = rows_of(3, 5, 9);
  const bool works = (tl_cpu_isa_all() & AVX2) == AVX2 && prepared(&b->n, AVX2, true, a);
  if (!works)
    printf("skipped by name: machine code, for %s\n",
           jit_count().loaded ? "this CPU has no AVX2" : "libtlaloc_jit.so is not here");
  tl_arena_destroy(a);
  free(b);
  return works;
}

int main(void) {
  if (!usable()) return 0;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_share_code),
      cmocka_unit_test(elements_apart),
      cmocka_unit_test(another_constant_is_seen),
      cmocka_unit_test(every_scalar_on_every_type),
      cmocka_unit_test(elementary_functions_on_dense_samples),
      cmocka_unit_test(random_nests),
      cmocka_unit_test(short_rows),
      cmocka_unit_test(rows_by_blocks),
      cmocka_unit_test(extremes_of_constants),
      cmocka_unit_test(what_is_found_is_not_compiled),
      cmocka_unit_test(threads_share_what_they_make),
      cmocka_unit_test(damaged_and_foreign_files_are_made_anew),
      cmocka_unit_test(no_folder_will_do),
      cmocka_unit_test(no_page_is_written_and_executed),
      cmocka_unit_test(processes_write_the_same_files),
  };
  return cmocka_run_group_tests(tests, begin_tests, end_tests);
}
