// Our client on a plugin that somebody else wrote: XLA's CPU plugin, given by its path. Whoever
// lacks it skips.
#include "pjrt/client/client.h"

#include <time.h>

#include "base/test.h"

static tl_pjrt_client *client;

static const char axpy[] = "module @axpy {\n"
                           "  func.func public @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> "
                           "(tensor<4xf32>, tensor<f32>) {\n"
                           "    %c = stablehlo.constant dense<2.0> : tensor<4xf32>\n"
                           "    %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
                           "    %0 = stablehlo.multiply %c, %x : tensor<4xf32>\n"
                           "    %1 = stablehlo.add %0, %y : tensor<4xf32>\n"
                           "    %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across "
                           "dimensions = [0] : (tensor<4xf32>, "
                           "tensor<f32>) -> tensor<f32>\n"
                           "    return %1, %2 : tensor<4xf32>, tensor<f32>\n"
                           "  }\n}\n";
#define DOUBLER(attribute)                                                              \
  "module @doubler {\n"                                                                 \
  "  func.func public @main(%x: tensor<1024xf32>" attribute ") -> tensor<1024xf32> {\n" \
  "    %0 = stablehlo.add %x, %x : tensor<1024xf32>\n"                                  \
  "    return %0 : tensor<1024xf32>\n  }\n}\n"
static const char donating[] = DOUBLER(" {tf.aliasing_output = 0 : i32}");
static const char copying[] = DOUBLER("");

static tl_pjrt_executable *compiled(const char *text, const char *name) {
  tl_pjrt_executable *x = NULL;
  assert_ok(tl_pjrt_compile(client, tl_str_of(text), name, &x));
  return x;
}

static tl_pjrt_buffer *put(const float *data, int64_t n) {
  tl_pjrt_buffer *b = NULL;
  assert_ok(tl_pjrt_buffer_from_host(
      client, &(tl_pjrt_host){.data = data, .type = PJRT_Buffer_Type_F32, .dims = &n, .n_dims = 1},
      &b));
  return b;
}

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

static void test_facts(void **state) {
  (void)state;
  assert_string_equal(tl_pjrt_client_platform(client), "cpu");
  tl_pjrt_device_info d;
  assert_ok(tl_pjrt_client_device(client, 0, &d));
  assert_text(d.kind, "cpu");
  assert_status(tl_pjrt_client_device(client, 1000, &d), TL_STATUS_OUT_OF_RANGE, "device 1000");
  tl_buf text = {0};
  assert_ok(tl_pjrt_plugin_attributes(tl_pjrt_client_plugin(client), &text));
  assert_non_null(strstr(text.ptr, "stablehlo_current_version = "));
  tl_buf_deinit(&text);
}

static void test_axpy(void **state) {
  (void)state;
  tl_pjrt_executable *x = compiled(axpy, "axpy");
  assert_int_equal(tl_pjrt_executable_n_outputs(x), 2);
  const tl_pjrt_shape *s = tl_pjrt_executable_output(x, 0);
  assert_int_equal(s->type, PJRT_Buffer_Type_F32);
  assert_int_equal(s->n_dims, 1);
  assert_int_equal(s->dims[0], 4);
  assert_int_equal(tl_pjrt_executable_output(x, 1)->n_dims, 0);

  tl_pjrt_buffer *args[] = {put((float[]){1, 2, 3, 4}, 4), put((float[]){10, 20, 30, 40}, 4)},
                 *outs[2];
  tl_pjrt_call call = {.args = args, .n_args = 2, .outs = outs, .n_outs = 2};
  assert_ok(tl_pjrt_execute(x, &call));
  float r[4], sum;
  assert_ok(tl_pjrt_buffer_to_host(client, outs[0], r, sizeof r));
  assert_memory_equal(r, ((float[]){12, 24, 36, 48}), sizeof r);
  assert_ok(tl_pjrt_buffer_to_host(client, outs[1], &sum, sizeof sum));
  assert_true(sum == 120.0f);
  assert_status(tl_pjrt_buffer_to_host(client, outs[0], r, 12), TL_STATUS_INVALID_ARGUMENT,
                "wanted 16");
  const void *data;
  assert_ok(tl_pjrt_buffer_map(client, outs[0], &data));
  assert_memory_equal(data, r, sizeof r);
  tl_pjrt_buffer_unmap(client, outs[0]);
  for (size_t i = 0; i < 2; i++)
    tl_pjrt_buffer_destroy(client, outs[i]);

  // With the event in the caller's hands.
  tl_pjrt_event *done = NULL;
  call.done = &done;
  assert_ok(tl_pjrt_execute(x, &call));
  assert_ok(tl_pjrt_event_await(client, done));
  for (size_t i = 0; i < 2; i++)
    tl_pjrt_buffer_destroy(client, outs[i]);
  call.done = NULL;

  // Wrong calls: by the plugin's refusal, and by ours.
  call.n_args = 1;
  assert_status(tl_pjrt_execute(x, &call), TL_STATUS_INVALID_ARGUMENT, "axpy: ");
  call.n_args = 2;
  call.n_outs = 1;
  assert_status(tl_pjrt_execute(x, &call), TL_STATUS_INVALID_ARGUMENT, "wanted 2");
  call.n_outs = 2;
  tl_pjrt_buffer *second = args[1];
  args[1] = NULL;
  assert_status(tl_pjrt_execute(x, &call), TL_STATUS_INVALID_ARGUMENT, "argument 1 is no buffer");
  tl_pjrt_buffer_destroy(client, args[0]);
  tl_pjrt_buffer_destroy(client, second);
  tl_pjrt_executable_release(x);
}

static void test_refused_modules(void **state) {
  (void)state;
  tl_pjrt_executable *x;
  assert_status(tl_pjrt_compile(client, TL_STR("module { func.func @main( }"), "broken", &x),
                TL_STATUS_UNKNOWN, "broken: PJRT_Client_Compile: ");
  assert_status(
      tl_pjrt_compile(client,
                      TL_STR("module { func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { %0 = "
                             "stablehlo.nosuch %x : tensor<2xf32> return %0 : tensor<2xf32> } }"),
                      "nosuch", &x),
      TL_STATUS_UNKNOWN, "nosuch");
}

static void test_donation(void **state) {
  (void)state;
  float a[1024], r[1024], want[1024];
  for (int i = 0; i < 1024; i++)
    a[i] = (float)i, want[i] = (float)(2 * i);
  const int64_t first = 0;
  tl_pjrt_executable *in_place = compiled(donating, "donating"),
                     *control = compiled(copying, "copying");
  for (int kept = 0; kept < 2; kept++) {
    tl_pjrt_buffer *b = put(a, 1024), *o = NULL;
    uintptr_t before = address(b);
    tl_pjrt_call call = {
        .args = &b, .n_args = 1, .outs = &o, .n_outs = 1, .keep = &first, .n_keep = (size_t)kept};
    assert_ok(tl_pjrt_execute(in_place, &call));
    assert_int_equal(deleted(b), !kept);
    assert_int_equal(address(o) == before, !kept);
    assert_ok(tl_pjrt_buffer_to_host(client, o, r, sizeof r));
    assert_memory_equal(r, want, sizeof r);
    if (!kept) { // a donated buffer is refused, and the call that offers it gives nothing
      tl_pjrt_buffer *none = NULL;
      call.outs = &none;
      assert_status(tl_pjrt_execute(in_place, &call), TL_STATUS_INVALID_ARGUMENT, "donating: ");
      assert_null(none);
    }
    tl_pjrt_buffer_destroy(client, b);
    tl_pjrt_buffer_destroy(client, o);
  }
  tl_pjrt_buffer *b = put(a, 1024), *o = NULL;
  assert_ok(
      tl_pjrt_execute(control, &(tl_pjrt_call){.args = &b, .n_args = 1, .outs = &o, .n_outs = 1}));
  assert_false(deleted(b));
  assert_true(address(o) != address(b));
  tl_pjrt_buffer_destroy(client, b);
  tl_pjrt_buffer_destroy(client, o);
  tl_pjrt_executable_release(in_place);
  tl_pjrt_executable_release(control);
}

static void count(void *arg) { __atomic_add_fetch((int *)arg, 1, __ATOMIC_SEQ_CST); }

static void test_host_memory(void **state) {
  (void)state;
  int released = 0;
  int64_t n = 1024;
  float *z = aligned_alloc(64, 4096);
  for (int i = 0; i < 1024; i++)
    z[i] = (float)i;
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
  assert_int_equal(__atomic_load_n(&released, __ATOMIC_SEQ_CST), 0);
  tl_pjrt_buffer_destroy(client, b);
  for (int i = 0; i < 5000 && __atomic_load_n(&released, __ATOMIC_SEQ_CST) == 0; i++)
    nanosleep(&(struct timespec){0, 1000000}, NULL); // it may come from the plugin's threads
  assert_int_equal(__atomic_load_n(&released, __ATOMIC_SEQ_CST), 1);
  free(z);

  // A transposed view.
  float a[6] = {1, 2, 3, 4, 5, 6}, r[6];
  int64_t dims[] = {3, 2}, strides[] = {4, 12};
  host = (tl_pjrt_host){
      .data = a, .type = PJRT_Buffer_Type_F32, .dims = dims, .n_dims = 2, .byte_strides = strides};
  assert_ok(tl_pjrt_buffer_from_host(client, &host, &b));
  assert_ok(tl_pjrt_buffer_to_host(client, b, r, sizeof r));
  assert_memory_equal(r, ((float[]){1, 4, 2, 5, 3, 6}), sizeof r);
  tl_pjrt_shape s;
  assert_ok(tl_pjrt_buffer_shape(client, b, &s));
  assert_int_equal(s.n_dims, 2);
  assert_int_equal(s.dims[0], 3);
  tl_pjrt_buffer_destroy(client, b);

  dims[0] = -1;
  assert_status(tl_pjrt_buffer_from_host(client, &host, &b), TL_STATUS_INVALID_ARGUMENT,
                "dimension 0 is -1");
}

static void test_options(void **state) {
  (void)state;
  tl_pjrt_plugin *p = tl_pjrt_client_plugin(client);
  tl_pjrt_client *c = NULL;
  tl_pjrt_option devices = {"cpu_device_count", PJRT_NamedValue_kInt64, .int64 = 4};
  assert_ok(tl_pjrt_client_create(p, &(tl_pjrt_options){.items = &devices, .n_items = 1}, &c));
  assert_int_equal(tl_pjrt_client_n_devices(c), 4);
  tl_pjrt_client_release(c);
  tl_pjrt_option fraction = {"memory_fraction", PJRT_NamedValue_kFloat, .f32 = 0.5f};
  assert_status(tl_pjrt_client_create(p, &(tl_pjrt_options){.items = &fraction, .n_items = 1}, &c),
                TL_STATUS_INVALID_ARGUMENT, "memory_fraction is an option of GPU clients");
}

// Last: everything that is still alive when the client closes.
static void test_close(void **state) {
  (void)state;
  tl_pjrt_executable *x = compiled(copying, "copying");
  float a[1024] = {0};
  tl_pjrt_buffer *b = put(a, 1024), *o = NULL;
  tl_pjrt_client_close(client);
  tl_pjrt_client_close(client);
  tl_pjrt_call call = {.args = &b, .n_args = 1, .outs = &o, .n_outs = 1};
  assert_status(tl_pjrt_execute(x, &call), TL_STATUS_FAILED_PRECONDITION, "is closed");
  assert_status(tl_pjrt_buffer_to_host(client, b, a, sizeof a), TL_STATUS_FAILED_PRECONDITION,
                "is closed");
  tl_pjrt_client_release(client);
  tl_pjrt_buffer_destroy(client, b); // the last buffer takes the plugin's client with it
  tl_pjrt_executable_release(x);     // and this the memory
  client = NULL;
}

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : "";
  if (!tl_path_exists(path)) {
    printf("skipped: no %s (set TLALOC_PJRT_WHEEL_DIR, or let scripts/setup fetch xla-cpu-pjrt)\n",
           path);
    return 77;
  }
  tl_pjrt_plugin *plugin = NULL, *again = NULL;
  tl_status st = tl_pjrt_open(path, &plugin);
  if (st == TL_OK) st = tl_pjrt_open(path, &again);
  if (st == TL_OK) st = tl_pjrt_client_create(plugin, NULL, &client);
  if (st != TL_OK || again != plugin) {
    printf("%s\n", tl_status_message(st));
    return 1;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_facts),           cmocka_unit_test(test_axpy),
      cmocka_unit_test(test_refused_modules), cmocka_unit_test(test_donation),
      cmocka_unit_test(test_host_memory),     cmocka_unit_test(test_options),
      cmocka_unit_test(test_close),
  };
  return cmocka_run_group_tests_name("pjrt/xla", tests, NULL, NULL);
}
