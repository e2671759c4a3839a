// Our plugin through our client: over the linked table, and again over the shared object where
// TLALOC_TEST_PLUGIN names it. The step contract (src/pjrt/plugin/execute.c) is checked here:
// nothing is consumed by a refused call, donation keeps the address (and the control without
// donation does not), and a warm step allocates nothing.
#include "ir/ir.h"
#include "pjrt/client/client.h"
#include "pjrt/plugin/plugin.h"

#include <dlfcn.h>
#include <pthread.h>

#define TL_TEST_OOM_IMPL
#include "base/test.h"

static tl_pjrt_plugin *plugin;
static const PJRT_Api *bare; // the plugin's table, for calls that our client never makes
static tl_pjrt_client *client;

#define N 1024
#define T "tensor<1024xf32>"
#define DOUBLER(attribute)                                                        \
  "module @doubler {\n  func.func public @main(%x: " T attribute ") -> " T " {\n" \
  "    %0 = stablehlo.add %x, %x : " T "\n    return %0 : " T "\n  }\n}\n"
#define AXPY(attribute)                                                                   \
  "module @axpy {\n  func.func public @main(%x: " T attribute ", %y: " T ") -> " T " {\n" \
  "    %0 = stablehlo.add %x, %x : " T "\n    %1 = stablehlo.add %0, %y : " T             \
  "\n    return %1 : " T "\n  }\n}\n"
static const char ALIAS[] = DOUBLER(" {tf.aliasing_output = 0 : i32}");
static const char DONOR[] = DOUBLER(" {jax.buffer_donor = true}");
static const char PLAIN[] = DOUBLER("");
static const char STEP[] = AXPY(" {tf.aliasing_output = 0 : i32}");
// Two arguments donated to two outputs; the second output of another type.
static const char TWO[] =
    "module @two {\n"
    "  func.func public @main(%x: " T
    " {tf.aliasing_output = 0 : i32}, %n: tensor<4xi32> {tf.aliasing_output = 1 : i32}) "
    "-> (" T ", tensor<4xi32>) {\n"
    "    %0 = stablehlo.add %x, %x : " T "\n    %1 = stablehlo.add %n, %n : tensor<4xi32>\n"
    "    return %0, %1 : " T ", tensor<4xi32>\n  }\n}\n";

static float ramp[N], twice[N];

static tl_pjrt_executable *compiled(const char *text, const char *name) {
  tl_pjrt_executable *x = NULL;
  assert_ok(tl_pjrt_compile(client, tl_str_of(text), name, &x));
  return x;
}

static tl_pjrt_buffer *put_as(const void *data, PJRT_Buffer_Type type, int64_t n) {
  tl_pjrt_buffer *b = NULL;
  assert_ok(tl_pjrt_buffer_from_host(
      client, &(tl_pjrt_host){.data = data, .type = type, .dims = &n, .n_dims = 1}, &b));
  return b;
}
static tl_pjrt_buffer *put(void) { return put_as(ramp, PJRT_Buffer_Type_F32, N); }

static uintptr_t address(tl_pjrt_buffer *b) {
  uintptr_t at = 0;
  assert_ok(tl_pjrt_buffer_address(client, b, &at));
  return at;
}
static bool deleted(tl_pjrt_buffer *b) {
  bool is = false;
  assert_ok(tl_pjrt_buffer_is_deleted(client, b, &is));
  return is;
}
static void assert_floats(tl_pjrt_buffer *b, const float *want) {
  float r[N];
  assert_ok(tl_pjrt_buffer_to_host(client, b, r, sizeof r));
  assert_memory_equal(r, want, sizeof r);
}
static tl_pjrt_buffer *run1(tl_pjrt_executable *x, tl_pjrt_buffer *b, size_t n_keep) {
  static const int64_t first = 0;
  tl_pjrt_buffer *o = NULL;
  assert_ok(tl_pjrt_execute(
      x, &(tl_pjrt_call){
             .args = &b, .n_args = 1, .outs = &o, .n_outs = 1, .keep = &first, .n_keep = n_keep}));
  return o;
}
static void drop(tl_pjrt_buffer *b) { tl_pjrt_buffer_destroy(client, b); }

// ---- facts ----

static void test_facts(void **state) {
  (void)state;
  assert_string_equal(tl_pjrt_client_platform(client), "tlaloc");
  assert_string_equal(tl_pjrt_client_platform_version(client), TLALOC_VERSION);
  assert_int_equal(tl_pjrt_client_n_devices(client), 1);
  tl_pjrt_device_info d;
  assert_ok(tl_pjrt_client_device(client, 0, &d));
  assert_int_equal(d.id, 0);
  assert_text(d.text, "tlaloc:0");
  tl_buf text = {0};
  assert_ok(tl_pjrt_plugin_attributes(plugin, &text));
  assert_true(tl_str_starts(tl_buf_view(&text), TL_STR("stablehlo_current_version = 1.0.0\n")));
  tl_buf_deinit(&text);
  int major, minor;
  tl_pjrt_plugin_version(plugin, &major, &minor);
  assert_int_equal(major, 0);
  assert_int_equal(minor, 81);
  tl_pjrt_client *c;
  tl_pjrt_option bad = {"thread", PJRT_NamedValue_kInt64, .int64 = 1};
  assert_status(tl_pjrt_client_create(plugin, &(tl_pjrt_options){.items = &bad, .n_items = 1}, &c),
                TL_STATUS_INVALID_ARGUMENT, "client option thread: unknown, wanted threads");
}

// Through the bare table: what frameworks see of slots we lack, of arguments from another time, and
// of a NULL error.
static void test_table(void **state) {
  (void)state;
  const PJRT_Api *api = bare;
  PJRT_Error *e = api->PJRT_Client_DmaMap(NULL);
  PJRT_Error_Message_Args m = {.struct_size = PJRT_SIZE(Error_Message_Args), .error = e};
  api->PJRT_Error_Message(&m);
  assert_text(((tl_str){m.message, m.message_size}),
              "tlaloc does not implement PJRT_Client_DmaMap");
  PJRT_Error_GetCode_Args g = {.struct_size = PJRT_SIZE(Error_GetCode_Args), .error = e};
  assert_null(api->PJRT_Error_GetCode(&g));
  assert_int_equal(g.code, PJRT_Error_Code_UNIMPLEMENTED);
  PJRT_Error_Destroy_Args d = {.struct_size = PJRT_SIZE(Error_Destroy_Args), .error = e};
  api->PJRT_Error_Destroy(&d);
  d.error = NULL;
  api->PJRT_Error_Destroy(&d);

  PJRT_Client_PlatformName_Args n = {.struct_size = 16};
  e = api->PJRT_Client_PlatformName(&n);
  m.error = d.error = e;
  api->PJRT_Error_Message(&m);
  assert_non_null(
      strstr(m.message, "PJRT_Client_PlatformName: arguments of 16 bytes, wanted at least 40"));
  assert_null(n.platform_name); // nothing was written behind what the caller knows
  api->PJRT_Error_Destroy(&d);
  // One built before the last fields of Client_Create were there.
  PJRT_Client_Create_Args c = {.struct_size =
                                   offsetof(PJRT_Client_Create_Args, kv_try_get_callback)};
  assert_null(api->PJRT_Client_Create(&c));
  PJRT_Client_Destroy_Args cd = {.struct_size = PJRT_SIZE(Client_Destroy_Args), .client = c.client};
  assert_null(api->PJRT_Client_Destroy(&cd));
}

// ---- programs ----

static void test_axpy(void **state) {
  (void)state;
  tl_pjrt_executable *x = compiled(STEP, "step");
  assert_int_equal(tl_pjrt_executable_n_outputs(x), 1);
  assert_int_equal(tl_pjrt_executable_output(x, 0)->type, PJRT_Buffer_Type_F32);
  assert_int_equal(tl_pjrt_executable_output(x, 0)->dims[0], N);
  tl_pjrt_buffer *args[] = {put(), put()}, *o = NULL;
  float want[N];
  for (int i = 0; i < N; i++)
    want[i] = 3.0f * ramp[i];
  assert_ok(
      tl_pjrt_execute(x, &(tl_pjrt_call){.args = args, .n_args = 2, .outs = &o, .n_outs = 1}));
  assert_floats(o, want);
  drop(args[0]), drop(args[1]), drop(o);
  tl_pjrt_executable_release(x);
}

static void test_refused_programs(void **state) {
  (void)state;
  tl_pjrt_executable *x;
  assert_status(tl_pjrt_compile(client, TL_STR("module {\n  func.func @main(\n"), "broken", &x),
                TL_STATUS_INVALID_ARGUMENT, "module:");
  assert_status(
      tl_pjrt_compile(
          client,
          TL_STR(
              "module {\n  func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n    "
              "%0 = stablehlo.nosuch %x : tensor<2xf32>\n    return %0 : tensor<2xf32>\n  }\n}\n"),
          "nosuch", &x),
      TL_STATUS_INVALID_ARGUMENT, "module:3:");
  assert_status(tl_pjrt_compile(client, TL_STR("ML\xefR\x06"), "bytes", &x),
                TL_STATUS_UNIMPLEMENTED, "MLIR bytecode");
  assert_status(tl_pjrt_compile(client, TL_STR(""), "nothing", &x), TL_STATUS_INVALID_ARGUMENT,
                "nothing");
  assert_status(
      tl_pjrt_compile(client, TL_STR(DOUBLER(" {tf.aliasing_output = 7 : i32}")), "far", &x),
      TL_STATUS_INVALID_ARGUMENT, "far");
}

// ---- donation ----

static void test_donation(void **state) {
  (void)state;
  const char *texts[] = {ALIAS, DONOR};
  for (size_t i = 0; i < TL_COUNT(texts); i++) {
    tl_pjrt_executable *x = compiled(texts[i], "donating");
    tl_pjrt_buffer *b = put();
    uintptr_t before = address(b);
    tl_pjrt_buffer *o = run1(x, b, 0);
    assert_true(deleted(b));
    assert_true(address(o) == before); // in place
    assert_floats(o, twice);
    uintptr_t at;
    assert_status(tl_pjrt_buffer_address(client, b, &at), TL_STATUS_INVALID_ARGUMENT,
                  "deleted or donated");
    drop(b), drop(o);
    // Kept by the caller's word.
    b = put();
    o = run1(x, b, 1);
    assert_false(deleted(b));
    assert_true(address(o) != address(b));
    assert_floats(o, twice);
    assert_floats(b, ramp);
    drop(b), drop(o);
    tl_pjrt_executable_release(x);
  }
}

// The control: the same program without the attribute copies, and is seen to.
static void test_control_copies(void **state) {
  (void)state;
  tl_pjrt_executable *x = compiled(PLAIN, "control");
  tl_pjrt_buffer *b = put();
  tl_pjrt_buffer *o = run1(x, b, 0);
  assert_false(deleted(b));
  assert_true(address(o) != address(b));
  assert_floats(b, ramp);
  assert_floats(o, twice);
  drop(b), drop(o);
  tl_pjrt_executable_release(x);
}

// Donated memory that somebody outside is reading is consumed, but not written.
static void test_donation_of_shared_memory(void **state) {
  (void)state;
  tl_pjrt_executable *x = compiled(ALIAS, "donating");
  tl_pjrt_buffer *b = put();
  const void *data = NULL;
  assert_ok(tl_pjrt_buffer_map(client, b, &data));
  tl_pjrt_buffer *o = run1(x, b, 0);
  assert_true(deleted(b));
  assert_true(address(o) != (uintptr_t)data);
  assert_memory_equal(data, ramp, sizeof ramp);
  assert_floats(o, twice);
  drop(b); // even the handle may go first
  assert_memory_equal(data, ramp, sizeof ramp);
  tl_pjrt_buffer_unmap(client, b);
  drop(o);
  tl_pjrt_executable_release(x);
}

static void test_nothing_consumed(void **state) {
  (void)state;
  tl_pjrt_executable *step = compiled(STEP, "step"), *two = compiled(TWO, "two");
  static const int32_t four[4] = {1, 2, 3, 4};
  tl_pjrt_buffer *a = put(), *b = put(), *n = put_as(four, PJRT_Buffer_Type_S32, 4),
                 *outs[2] = {NULL, NULL};
  tl_pjrt_buffer *short_one = put_as(ramp, PJRT_Buffer_Type_F32, N / 2);
  tl_pjrt_call call = {.outs = outs, .n_outs = 1, .n_args = 2};

  call.args = (tl_pjrt_buffer *[]){a, a}; // donated, and passed again
  assert_status(tl_pjrt_execute(step, &call), TL_STATUS_INVALID_ARGUMENT,
                "argument 1 is a buffer that is given twice");
  assert_false(deleted(a));
  call.args = (tl_pjrt_buffer *[]){a, short_one};
  assert_status(tl_pjrt_execute(step, &call), TL_STATUS_INVALID_ARGUMENT,
                "argument 1 is tensor<512xf32>, the program wants tensor<1024xf32>");
  assert_false(deleted(a));
  call.args = (tl_pjrt_buffer *[]){a, n};
  assert_status(tl_pjrt_execute(step, &call), TL_STATUS_INVALID_ARGUMENT,
                "argument 1 is tensor<4xi32>");
  assert_false(deleted(a));
  call.args = (tl_pjrt_buffer *[]){a, b, n}, call.n_args = 3;
  assert_status(tl_pjrt_execute(step, &call), TL_STATUS_INVALID_ARGUMENT,
                "3 arguments given, the program wants 2");
  call.args = (tl_pjrt_buffer *[]){a}, call.n_args = 1;
  assert_status(tl_pjrt_execute(step, &call), TL_STATUS_INVALID_ARGUMENT, "1 arguments given");
  assert_false(deleted(a));
  // With the second of two donations wrong, the first is not taken.
  call.args = (tl_pjrt_buffer *[]){a, b}, call.n_args = 2, call.n_outs = 2;
  assert_status(tl_pjrt_execute(two, &call), TL_STATUS_INVALID_ARGUMENT, "argument 1");
  assert_false(deleted(a));
  assert_floats(a, ramp);
  assert_null(outs[0]);
  // Kept twice is no donation.
  call.args = (tl_pjrt_buffer *[]){a, a}, call.keep = (const int64_t[]){0}, call.n_keep = 1,
  call.n_outs = 1;
  assert_ok(tl_pjrt_execute(step, &call));
  drop(outs[0]);
  // And now the good call, then the same again with what it consumed.
  call.args = (tl_pjrt_buffer *[]){a, n}, call.n_keep = 0, call.n_outs = 2;
  uintptr_t at_a = address(a), at_n = address(n);
  assert_ok(tl_pjrt_execute(two, &call));
  assert_true(address(outs[0]) == at_a && address(outs[1]) == at_n);
  int32_t r[4];
  assert_ok(tl_pjrt_buffer_to_host(client, outs[1], r, sizeof r));
  assert_memory_equal(r, ((int32_t[]){2, 4, 6, 8}), sizeof r);
  tl_pjrt_buffer *none[2] = {NULL, NULL};
  call.outs = none;
  assert_status(tl_pjrt_execute(two, &call), TL_STATUS_INVALID_ARGUMENT,
                "argument 0 has been deleted or donated");
  assert_null(none[0]);
  drop(outs[0]), drop(outs[1]);
  drop(a), drop(b), drop(n), drop(short_one);
  tl_pjrt_executable_release(step);
  tl_pjrt_executable_release(two);
}

// ---- host memory ----

static void count(void *arg) { ++*(int *)arg; }

// Every element type that PJRT has, there and back. Of elements under 8 bits only these count, and
// they come back extended as dtypes.def says.
static void test_every_type(void **state) {
  (void)state;
  for (int i = 0; i < TL_DTYPE_COUNT; i++) {
    const tl_dtype_info *info = tl_dtype_get((tl_dtype)i);
    if (info->pjrt == 0) continue;
    const int64_t dims[] = {2, 3};
    uint8_t there[6 * 16], back[6 * 16], want[6 * 16];
    for (size_t k = 0; k < sizeof there; k++)
      there[k] = i == TL_DTYPE_I1 ? k % 2 : (uint8_t)(k * 37 + 11);
    memcpy(want, there, sizeof want);
    tl_dtype_extend((tl_dtype)i, want, 6);
    tl_pjrt_host host = {
        .data = there, .type = (PJRT_Buffer_Type)info->pjrt, .dims = dims, .n_dims = 2};
    tl_pjrt_buffer *b = NULL;
    assert_ok(tl_pjrt_buffer_from_host(client, &host, &b));
    assert_ok(tl_pjrt_buffer_to_host(client, b, back, 6 * info->size));
    assert_memory_equal(back, want, 6 * info->size);
    drop(b);
  }
}

static void test_host_memory(void **state) {
  (void)state;
  int64_t n = N;
  int released = 0;
  float *z = aligned_alloc(64, sizeof ramp);
  assert_non_null(z);
  memcpy(z, ramp, sizeof ramp);
  tl_pjrt_host host = {.data = z,
                       .type = PJRT_Buffer_Type_F32,
                       .dims = &n,
                       .n_dims = 1,
                       .zero_copy = true,
                       .release = count,
                       .release_arg = &released};
  tl_pjrt_buffer *b = NULL;
  assert_ok(tl_pjrt_buffer_from_host(client, &host, &b));
  assert_true(address(b) == (uintptr_t)z);
  // It may be donated, but was promised not to change.
  tl_pjrt_executable *x = compiled(ALIAS, "donating");
  assert_int_equal(released, 0);
  tl_pjrt_buffer *o = run1(x, b, 0);
  assert_true(deleted(b));
  assert_true(address(o) != (uintptr_t)z);
  assert_memory_equal(z, ramp, sizeof ramp);
  assert_floats(o, twice);
  assert_int_equal(released, 1); // with the donation the device needs it no longer
  drop(b), drop(o);
  assert_int_equal(released, 1);

  assert_ok(tl_pjrt_buffer_from_host(client, &host, &b));
  drop(b);
  assert_int_equal(released, 2);

  host.data = z + 1, n = N - 1; // not aligned: copied, and free at once
  assert_ok(tl_pjrt_buffer_from_host(client, &host, &b));
  assert_int_equal(released, 3);
  assert_true(address(b) != (uintptr_t)(z + 1));
  drop(b);

  host.type = PJRT_Buffer_Type_TOKEN;
  assert_status(tl_pjrt_buffer_from_host(client, &host, &b), TL_STATUS_INVALID_ARGUMENT,
                "element type 23");
  assert_int_equal(released, 4);
  free(z);
  tl_pjrt_executable_release(x);
}

static void test_layouts(void **state) {
  (void)state;
  float a[6] = {1, 2, 3, 4, 5, 6}, r[6];
  int64_t dims[] = {3, 2}, strides[] = {4, 12};
  tl_pjrt_host host = {
      .data = a, .type = PJRT_Buffer_Type_F32, .dims = dims, .n_dims = 2, .byte_strides = strides};
  tl_pjrt_buffer *b = NULL;
  assert_ok(tl_pjrt_buffer_from_host(client, &host, &b));
  assert_ok(tl_pjrt_buffer_to_host(client, b, r, sizeof r));
  assert_memory_equal(r, ((float[]){1, 4, 2, 5, 3, 6}), sizeof r);
  // Back in column order, as frameworks ask for it.
  int64_t order[] = {0, 1};
  PJRT_Buffer_MemoryLayout layout = {.struct_size = PJRT_SIZE(Buffer_MemoryLayout),
                                     .type = PJRT_Buffer_MemoryLayout_Type_Tiled,
                                     .tiled = {.struct_size = PJRT_SIZE(Buffer_MemoryLayout_Tiled),
                                               .minor_to_major = order,
                                               .minor_to_major_size = 2}};
  PJRT_Buffer_ToHostBuffer_Args t = {.struct_size = PJRT_SIZE(Buffer_ToHostBuffer_Args),
                                     .src = b,
                                     .host_layout = &layout,
                                     .dst = r,
                                     .dst_size = sizeof r};
  assert_null(bare->PJRT_Buffer_ToHostBuffer(&t));
  assert_memory_equal(r, a, sizeof r);
  order[1] = 0;
  PJRT_Error *e = bare->PJRT_Buffer_ToHostBuffer(&t);
  assert_non_null(e);
  PJRT_Error_Destroy_Args d = {.struct_size = PJRT_SIZE(Error_Destroy_Args), .error = e};
  bare->PJRT_Error_Destroy(&d);
  drop(b);

  // Nothing at all, and a scalar.
  dims[0] = 0;
  host = (tl_pjrt_host){.type = PJRT_Buffer_Type_BF16, .dims = dims, .n_dims = 2};
  assert_ok(tl_pjrt_buffer_from_host(client, &host, &b));
  assert_ok(tl_pjrt_buffer_to_host(client, b, r, 0));
  drop(b);
  host = (tl_pjrt_host){.data = a, .type = PJRT_Buffer_Type_F32};
  assert_ok(tl_pjrt_buffer_from_host(client, &host, &b));
  assert_ok(tl_pjrt_buffer_to_host(client, b, r, 4));
  assert_true(r[0] == 1.0f);
  drop(b);
}

// ---- a warm step ----

static void test_warm_step_allocates_nothing(void **state) {
  (void)state;
  tl_pjrt_executable *x = compiled(STEP, "step");
  tl_pjrt_buffer *pool = put(), *y = put(), *o = NULL;
  uintptr_t at = address(pool);
  size_t allocated = 0;
  tl_status st = TL_OK;
  float r[N];
  for (int i = 0; i < 20; i++) {
    if (i == 3) tl_test_allocations_begin();
    int64_t n = N;
    tl_pjrt_buffer *input = NULL;
    tl_pjrt_host host = {.data = ramp, .type = PJRT_Buffer_Type_F32, .dims = &n, .n_dims = 1};
    if (st == TL_OK) st = tl_pjrt_buffer_from_host(client, &host, &input);
    tl_pjrt_buffer *args[] = {pool, input};
    tl_pjrt_call call = {.args = args, .n_args = 2, .outs = &o, .n_outs = 1};
    if (st == TL_OK) st = tl_pjrt_execute(x, &call);
    if (st != TL_OK) break;
    tl_pjrt_buffer_destroy(client, pool);
    tl_pjrt_buffer_destroy(client, input);
    pool = o;
    if (i == 19) st = tl_pjrt_buffer_to_host(client, pool, r, sizeof r);
  }
  allocated = tl_test_allocations_end();
  assert_ok(st);
  assert_int_equal(allocated, 0);
  assert_true(address(pool) == at); // twenty steps in place
  drop(pool), drop(y);
  tl_pjrt_executable_release(x);
}

// ---- memory that runs out ----

static tl_status whole_life(void *arg) {
  (void)arg;
  int64_t n = N;
  tl_pjrt_option threads = {"threads", PJRT_NamedValue_kInt64, .int64 = 1};
  tl_pjrt_client *c = NULL;
  tl_pjrt_executable *x = NULL;
  tl_pjrt_buffer *b = NULL, *o = NULL;
  tl_status st;
  TL_TRY_GOTO(
      done, st,
      tl_pjrt_client_create(plugin, &(tl_pjrt_options){.items = &threads, .n_items = 1}, &c));
  TL_TRY_GOTO(done, st, tl_pjrt_compile(c, TL_STR(ALIAS), "step", &x));
  TL_TRY_GOTO(
      done, st,
      tl_pjrt_buffer_from_host(
          c, &(tl_pjrt_host){.data = ramp, .type = PJRT_Buffer_Type_F32, .dims = &n, .n_dims = 1},
          &b));
  TL_TRY_GOTO(
      done, st,
      tl_pjrt_execute(x, &(tl_pjrt_call){.args = &b, .n_args = 1, .outs = &o, .n_outs = 1}));
done:
  if (c) tl_pjrt_buffer_destroy(c, b);
  if (c) tl_pjrt_buffer_destroy(c, o);
  tl_pjrt_executable_release(x);
  tl_pjrt_client_release(c);
  return st;
}

static void test_memory(void **state) {
  (void)state;
  tl_test_each_oom(whole_life, NULL);
}

// ---- threads: shared weights, private donations ----

typedef struct worker {
  tl_pjrt_executable *x;
  tl_pjrt_buffer *shared;
  bool good;
} worker;

static void *work(void *arg) {
  worker *w = arg;
  int64_t n = N;
  for (int i = 0; i < 50; i++) {
    tl_pjrt_buffer *mine = NULL, *o = NULL;
    tl_status st = tl_pjrt_buffer_from_host(
        client,
        &(tl_pjrt_host){.data = ramp, .type = PJRT_Buffer_Type_F32, .dims = &n, .n_dims = 1},
        &mine);
    tl_pjrt_buffer *args[] = {mine, w->shared};
    if (st == TL_OK)
      st = tl_pjrt_execute(w->x,
                           &(tl_pjrt_call){.args = args, .n_args = 2, .outs = &o, .n_outs = 1});
    float r[N];
    if (st == TL_OK) st = tl_pjrt_buffer_to_host(client, o, r, sizeof r);
    w->good &= st == TL_OK && r[N - 1] == 3.0f * ramp[N - 1];
    tl_status_drop(st);
    drop(mine), drop(o);
  }
  return NULL;
}

static void test_threads(void **state) {
  (void)state;
  tl_pjrt_executable *x[2] = {compiled(STEP, "a"), compiled(STEP, "b")};
  tl_pjrt_buffer *shared = put();
  worker w[4];
  pthread_t t[4];
  for (int i = 0; i < 4; i++) {
    w[i] = (worker){x[i % 2], shared, true};
    assert_int_equal(pthread_create(&t[i], NULL, work, &w[i]), 0);
  }
  for (int i = 0; i < 4; i++) {
    pthread_join(t[i], NULL);
    assert_true(w[i].good);
  }
  assert_floats(shared, ramp);
  drop(shared);
  tl_pjrt_executable_release(x[0]);
  tl_pjrt_executable_release(x[1]);
}

// ---- the end of a client, with things still alive ----

static void test_close(void **state) {
  (void)state;
  tl_pjrt_executable *x = compiled(PLAIN, "control");
  tl_pjrt_buffer *b = put();
  const void *data = NULL;
  assert_ok(tl_pjrt_buffer_map(client, b, &data));
  tl_pjrt_client_close(client);
  tl_pjrt_buffer *o;
  assert_status(
      tl_pjrt_execute(x, &(tl_pjrt_call){.args = &b, .n_args = 1, .outs = &o, .n_outs = 1}),
      TL_STATUS_FAILED_PRECONDITION, "is closed");
  assert_memory_equal(data, ramp, sizeof ramp);
  tl_pjrt_buffer_unmap(client, b);
  drop(b);
  tl_pjrt_executable_release(x);
  tl_pjrt_client_release(client);
  client = NULL;
}

static int all(const char *name) {
  tl_pjrt_option threads = {"threads", PJRT_NamedValue_kInt64, .int64 = 2};
  tl_status st =
      tl_pjrt_client_create(plugin, &(tl_pjrt_options){.items = &threads, .n_items = 1}, &client);
  if (st != TL_OK) {
    print_error("%s: %s\n", name, tl_status_message(st));
    tl_status_drop(st);
    return 1;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_facts),
      cmocka_unit_test(test_table),
      cmocka_unit_test(test_axpy),
      cmocka_unit_test(test_refused_programs),
      cmocka_unit_test(test_donation),
      cmocka_unit_test(test_control_copies),
      cmocka_unit_test(test_donation_of_shared_memory),
      cmocka_unit_test(test_nothing_consumed),
      cmocka_unit_test(test_host_memory),
      cmocka_unit_test(test_every_type),
      cmocka_unit_test(test_layouts),
      cmocka_unit_test(test_warm_step_allocates_nothing),
      cmocka_unit_test(test_memory),
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_close),
  };
  return cmocka_run_group_tests_name(name, tests, NULL, NULL);
}

int main(void) {
  for (int i = 0; i < N; i++)
    ramp[i] = (float)i, twice[i] = (float)(2 * i);
  bare = tl_plugin_api();
  if (tl_pjrt_open_api(bare, "built in", &plugin) != TL_OK) return 1;
  int failed = all("pjrt/plugin, linked");
  const char *path = getenv("TLALOC_TEST_PLUGIN");
  if (path == NULL) return failed;
  tl_status st = tl_pjrt_open(path, &plugin);
  if (st != TL_OK) {
    print_error("%s\n", tl_status_message(st));
    return 1;
  }
  const PJRT_Api *(*get)(void);
  *(void **)&get = dlsym(dlopen(path, RTLD_NOW | RTLD_LOCAL), "GetPjrtApi");
  bare = get();
  return failed + all("pjrt/plugin, shared object");
}
