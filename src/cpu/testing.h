// What the tests of this folder share: random numbers, devices, and a program run natively against
// the reference interpreter.
//
// Results are compared by bits. One exception: where the interpreter gives a NaN, any NaN will do.
// Which of two NaNs an addition hands on, and the sign of the one it makes, is up to the order in
// which a compiler puts its operands.
//
// Small programs would never be divided among threads, so test devices are `eager` (plan.h).
#ifndef TL_CPU_TESTING_H
#define TL_CPU_TESTING_H

#include "base/test.h"

#include <math.h>

#include "base/cpuinfo.h"
#include "base/half.h"
#include "base/minifloat.h"
#include "cpu/plan.h"
#include "ir/build.h"
#include "ref/lanes.h"
#include "ref/ref.h"
#include "shlo/shlo.h"

// --- random numbers ---

typedef struct test_rng {
  uint64_t state;
} test_rng;

static uint64_t rng_u64(test_rng *r) { // splitmix64
  uint64_t z = r->state += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}
static uint32_t rng_below(test_rng *r, uint32_t n) { return (uint32_t)(rng_u64(r) >> 33) % n; }
static bool rng_chance(test_rng *r, uint32_t percent) { return rng_below(r, 100) < percent; }

static float rng_f32(test_rng *r) {
  static const float special[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1e-40f, -3e-42f, 3e38f};
  if (rng_chance(r, 3)) return special[rng_below(r, TL_COUNT(special))];
  float x = (float)(int32_t)rng_u64(r) * 0x1p-31f;
  return rng_chance(r, 50) ? x : x * 8.0f;
}

// Elements that ops can do something with: small integers (they serve as indices), halves of f32s.
static void rng_fill(test_rng *r, tl_dtype dtype, void *data, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const float f = rng_f32(r);
    const int64_t k = rng_chance(r, 90) ? (int64_t)rng_below(r, 12) - 3 : (int64_t)rng_u64(r);
    const double d = (double)f;
    const uint16_t bf16 = tl_bf16_of_f32(f), f16 = tl_f16_of_f32(f);
    uint8_t *at = (uint8_t *)data + i * tl_dtype_get(dtype)->size;
    switch (dtype) {
    case TL_DTYPE_I1:
      *at = (uint8_t)(k & 1);
      break;
    case TL_DTYPE_F32:
      memcpy(at, &f, 4);
      break;
    case TL_DTYPE_F64:
      memcpy(at, &d, 8);
      break;
    case TL_DTYPE_BF16:
      memcpy(at, &bf16, 2);
      break;
    case TL_DTYPE_F16:
      memcpy(at, &f16, 2);
      break;
    case TL_DTYPE_C64:
    case TL_DTYPE_C128:
      rng_fill(r, tl_dtype_part(dtype), at, 2);
      break;
#define TL_MINIFLOAT(id, ...)                                                        \
  case TL_DTYPE_##id:                                                                \
    *at = tl_minifloat_of_f64(TL_MINIFLOAT_##id, d * (rng_chance(r, 90) ? 1 : 1e4)); \
    break;
#include "base/minifloats.def"
#undef TL_MINIFLOAT
    case TL_DTYPE_S2: // sign-extended
      *at = (uint8_t)((int64_t)((uint64_t)k << 62) >> 62);
      break;
    case TL_DTYPE_S4:
      *at = (uint8_t)((int64_t)((uint64_t)k << 60) >> 60);
      break;
    case TL_DTYPE_U2:
      *at = (uint8_t)(k & 3);
      break;
    case TL_DTYPE_U4:
      *at = (uint8_t)(k & 15);
      break;
    default:
      memcpy(at, &k, tl_dtype_get(dtype)->size); // little endian
    }
  }
}

// --- devices ---

typedef struct test_device {
  const char *name;
  tl_cpu *cpu;
} test_device;
static test_device test_devices[5]; // a test may have one of its own beside the four
static size_t test_n_devices;

// Scalar kernels and the machine's best, with one thread and with two (three on the last, so that a
// division that is not even is among them).
TL_UNUSED static int test_devices_create(void **state) {
  (void)state;
  static const char *const names[] = {"scalar, 1 thread", "best, 1 thread", "scalar, 2 threads",
                                      "best, 3 threads"};
  for (size_t i = 0; i < TL_COUNT(names); i++) {
    test_device *d = &test_devices[test_n_devices++];
    d->name = names[i];
    assert_ok(tl_cpu_create(&(tl_cpu_options){.n_threads = i < 2 ? 1 : i}, &d->cpu));
    d->cpu->kernels = tl_kernels_pick(i % 2 ? tl_cpu_isa_all() : 0);
    d->cpu->eager = true;
  }
  return 0;
}

TL_UNUSED static int test_devices_release(void **state) {
  (void)state;
  while (test_n_devices > 0)
    tl_cpu_release(test_devices[--test_n_devices].cpu);
  return 0;
}

// The module of a text that must be right.
TL_UNUSED static tl_module *test_parse(const char *text) {
  tl_diags diags = {0};
  tl_module *m = NULL;
  tl_status st = tl_shlo_parse(tl_str_of(text), "test.mlir", &diags, &m);
  if (st) {
    tl_buf out = {0};
    tl_diags_print(&diags, &out, false);
    print_error("%s\n%s\n", text, out.ptr ? out.ptr : "");
    tl_buf_deinit(&out);
  }
  assert_ok(st);
  tl_diags_deinit(&diags);
  return m;
}

// --- one program, natively and by the interpreter ---

TL_UNUSED static void *
test_memory(size_t size) { // as the contract of tl_cpu_execute wants it; free it
  void *p = aligned_alloc(64, tl_round_up(size + 1, 64));
  assert_non_null(p);
  memset(p, 0xA5, tl_round_up(size + 1, 64));
  return p;
}

// Of a complex number either part. Narrow floats are looked at in f64.
static bool is_nan_at(tl_dtype dtype, const void *data, size_t i) {
  tl_lanes x;
  if (tl_dtype_part(dtype) != dtype)
    return is_nan_at(tl_dtype_part(dtype), data, 2 * i) ||
           is_nan_at(tl_dtype_part(dtype), data, 2 * i + 1);
  if (tl_dtype_get(dtype)->kind != TL_KIND_FLOAT) return false;
  tl_lanes_load_as(&x, TL_LANES_F64, dtype, data, i, 1);
  return isnan(x.f64[0]);
}

// A type without NaN makes of one the zero of the other sign (base/minifloat.h), and which sign a
// NaN has is not promised.
static bool is_zero_of_nan(tl_dtype dtype, const void *data, size_t i) {
  if (dtype != TL_DTYPE_F4E2M1FN && dtype != TL_DTYPE_F6E2M3FN && dtype != TL_DTYPE_F6E3M2FN)
    return false;
  tl_lanes x;
  tl_lanes_load_as(&x, TL_LANES_F64, dtype, data, i, 1);
  return x.f64[0] == 0;
}

static size_t first_difference(tl_type t, const void *got, const void *want) {
  const size_t n = type_count(t), size = tl_dtype_get(t.dtype)->size;
  for (size_t i = 0; i < n; i++)
    if (memcmp((const char *)got + i * size, (const char *)want + i * size, size) != 0 &&
        !(is_nan_at(t.dtype, got, i) && is_nan_at(t.dtype, want, i)) &&
        !(is_zero_of_nan(t.dtype, got, i) && is_zero_of_nan(t.dtype, want, i)))
      return i;
  return n;
}

typedef struct test_run { // of one function; the arena holds it
  const tl_func *fn;
  tl_tensor *in, *want; // inputs; the interpreter's results
  tl_arena *arena;
  char failure[256]; // empty: none
} test_run;

TL_UNUSED TL_PRINTF(2, 3) static void test_say(test_run *t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(t->failure, sizeof t->failure, format, args);
  va_end(args);
}

// Inputs of fn from `r`, and what the interpreter makes of them.
TL_UNUSED static void test_run_begin(test_run *t, const tl_func *fn, test_rng *r) {
  *t = (test_run){.fn = fn, .arena = tl_arena_create()};
  assert_non_null(t->arena);
  t->in = TL_NEW(t->arena, tl_tensor, fn->body->n_args + 1);
  t->want = TL_NEW(t->arena, tl_tensor, fn->n_results + 1);
  for (uint32_t i = 0; i < fn->body->n_args; i++) {
    const tl_type type = fn->body->args[i]->type;
    t->in[i] = (tl_tensor){type, tl_arena_alloc(t->arena, type_size(type) + 1, 64)};
    rng_fill(r, type.dtype, t->in[i].data, type_count(type));
  }
  tl_status st =
      tl_ref_run(fn, TL_REF_AS_TYPED, t->in, fn->body->n_args, t->arena, t->want, 1 << 20);
  if (st) test_say(t, "the interpreter: %s", tl_status_message(st));
  tl_status_drop(st);
}

TL_UNUSED static void test_run_end(test_run *t) { tl_arena_destroy(t->arena); }

// Runs exe (of the same function). Donated parameters lie in their result's memory where `in_place`
// says so, or in places of their own.
static void test_run_native(test_run *t, tl_cpu_exe *exe, const char *device, bool in_place) {
  const tl_func *fn = t->fn;
  const uint32_t n_in = fn->body->n_args, n_out = fn->n_results;
  void **memory = calloc(n_in + n_out + 1, sizeof *memory), **outputs = memory + n_in;
  assert_non_null(memory);
  for (uint32_t o = 0; o < n_out; o++)
    outputs[o] = test_memory(type_size(fn->result_types[o]));
  for (uint32_t i = 0; i < n_in; i++) {
    const size_t size = type_size(t->in[i].type);
    const int32_t o = fn->args[i].alias_output;
    memory[i] = o >= 0 && in_place ? outputs[o] : test_memory(size);
    if (size) memcpy(memory[i], t->in[i].data, size);
  }
  tl_status st = tl_cpu_execute(exe, (const void *const *)memory, outputs);
  if (st) test_say(t, "%s: %s", device, tl_status_message(st));
  for (uint32_t o = 0; o < n_out && !st; o++) {
    const tl_type type = fn->result_types[o];
    const size_t i = first_difference(type, outputs[o], t->want[o].data);
    if (i < type_count(type))
      test_say(t, "%s, donations %s: result %u differs at element %zu of %zu", device,
               in_place ? "in place" : "copied", o, i, type_count(type));
    const uint8_t *guard = (const uint8_t *)outputs[o] + type_size(type);
    if (*guard != 0xA5) test_say(t, "%s: written behind result %u", device, o);
  }
  for (uint32_t i = 0; i < n_in && !st; i++) {
    const bool given = fn->args[i].alias_output >= 0 && in_place;
    if (!given && memcmp(memory[i], t->in[i].data, type_size(t->in[i].type)) != 0)
      test_say(t, "%s: parameter %u was written", device, i);
  }
  for (uint32_t i = 0; i < n_in; i++)
    if (!(fn->args[i].alias_output >= 0 && in_place)) free(memory[i]);
  for (uint32_t o = 0; o < n_out; o++)
    free(outputs[o]);
  free(memory);
  tl_status_drop(st);
}

// A program over a module that stays the caller's.
static tl_status test_compile(tl_cpu *cpu, tl_module *m, tl_cpu_exe **out_exe) {
  return tl_cpu_compile(cpu, m, TL_STR("main"), out_exe);
}
static void test_exe_release(tl_cpu_exe *exe) {
  exe->module = NULL;
  tl_cpu_exe_release(exe);
}

// Everywhere, each twice over: what the first run leaves must not be seen by the second.
TL_UNUSED static void test_run_everywhere(test_run *t, tl_module *m) {
  for (size_t d = 0; d < test_n_devices && !t->failure[0]; d++) {
    tl_cpu_exe *exe = NULL;
    tl_status st = test_compile(test_devices[d].cpu, m, &exe);
    if (st) test_say(t, "%s: compile: %s", test_devices[d].name, tl_status_message(st));
    tl_status_drop(st);
    if (!exe) return;
    test_run_native(t, exe, test_devices[d].name, true);
    if (!t->failure[0]) test_run_native(t, exe, test_devices[d].name, false);
    test_exe_release(exe);
  }
}

TL_UNUSED static void test_print(tl_module *m) {
  tl_buf text = {0};
  tl_cpu_exe *exe = NULL;
  tl_status st = tl_shlo_print(m, NULL, &text);
  if (!st) st = test_compile(test_devices[0].cpu, m, &exe);
  if (!st) {
    tl_cpu_exe_explain(exe, NULL, &text);
    test_exe_release(exe);
  }
  // Not print_error: it cuts at a kilobyte.
  fprintf(stderr, "%s%s\n", text.ptr ? text.ptr : "", st ? tl_status_message(st) : "");
  tl_status_drop(st);
  tl_buf_deinit(&text);
}

#endif
