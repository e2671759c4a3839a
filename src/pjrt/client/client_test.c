// The client over a plugin made for the test: what is refused at open, how errors come through, and
// that the plugin sees its objects go in the right order, whatever order our callers give them up
// in.
#include "pjrt/client/client.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "base/file.h"

#define TL_TEST_OOM_IMPL
#include "base/test.h"

// ---- the fake plugin: one device, modules of one output that is a fresh buffer, and a log of what
// was destroyed ----

struct PJRT_Error {
  PJRT_Error_Code code;
  const char *text;
};
struct PJRT_Buffer {
  int64_t dims[1];
};
// All handles come from here and not from the heap, whose calls the tests count and fail.
static struct handle {
  atomic_bool used;
  union {
    struct PJRT_Error error;
    struct PJRT_Buffer buffer;
  };
} handles[64];

static void *new_handle(void) {
  for (size_t i = 0; i < TL_COUNT(handles); i++)
    if (!atomic_exchange(&handles[i].used, true)) return &handles[i].error;
  fail_msg("the fake plugin is out of handles");
  return NULL;
}
static void free_handle(void *p) {
  atomic_store(&((struct handle *)((char *)p - offsetof(struct handle, error)))->used, false);
}

static struct {
  char log[64]; // 'c' client, 'x' executable, 'b' buffer, in the order of their destruction
  size_t n;
  atomic_int alive;   // errors and events not yet destroyed
  atomic_int running; // executes in progress
  bool overlapped, fail_execute, fail_event, slow;
  bool empty; // successes that give nothing
} fake;

static PJRT_Error *failure(PJRT_Error_Code code, const char *text) {
  PJRT_Error *e = new_handle();
  *e = (PJRT_Error){code, text};
  fake.alive++;
  return e;
}
static PJRT_Event *event(void) {
  fake.alive++;
  return new_handle();
}
static PJRT_Error *gone(char what) {
  if (fake.slow && what == 'b') return NULL; // from several threads, and many
  fake.log[fake.n++] = what;
  return NULL;
}

#define FAKE(function, ...)                                       \
  static PJRT_Error *fake_##function(PJRT_##function##_Args *a) { \
    (void)a;                                                      \
    __VA_ARGS__                                                   \
  }
static void fake_Error_Destroy(PJRT_Error_Destroy_Args *a) {
  fake.alive--;
  free_handle(a->error);
}
static void fake_Error_Message(PJRT_Error_Message_Args *a) {
  a->message = a->error->text;
  a->message_size = strlen(a->error->text);
}
FAKE(Error_GetCode, a->code = a->error->code; return NULL;)
FAKE(Event_Destroy, fake.alive--; free_handle(a->event); return NULL;)
FAKE(Event_IsReady, a->is_ready = true; return NULL;)
FAKE(Event_Await,
     return fake.fail_event ? failure(PJRT_Error_Code_DATA_LOSS, "the device fell over") : NULL;)
FAKE(Event_OnReady, a->callback(NULL, a->user_arg); return NULL;)
FAKE(Client_Create, a->client = (PJRT_Client *)&fake; return NULL;)
FAKE(Client_Destroy, return gone('c');)
FAKE(Client_PlatformName, a->platform_name = "fake!"; a->platform_name_size = 4; return NULL;)
FAKE(Client_PlatformVersion, a->platform_version = "1"; a->platform_version_size = 1; return NULL;)
static PJRT_Device *const fake_devices[] = {(PJRT_Device *)&fake};
FAKE(Client_AddressableDevices, a->addressable_devices = fake_devices;
     a->num_addressable_devices = 1; return NULL;)
FAKE(Client_Compile,
     if (a->program->code_size == 0) return failure(99, "no text"); // a code nobody knows
     a->executable = fake.empty ? NULL : (PJRT_LoadedExecutable *)&fake; return NULL;)
FAKE(Client_BufferFromHostBuffer, a->done_with_host_buffer = event(); if (fake.empty) return NULL;
     a->buffer = new_handle(); a->buffer->dims[0] = a->dims[0]; return NULL;)
FAKE(DeviceDescription_Id, a->id = 7; return NULL;)
FAKE(DeviceDescription_Kind, a->device_kind = "k"; a->device_kind_size = 1; return NULL;)
FAKE(DeviceDescription_ToString, a->to_string = "t"; a->to_string_size = 1; return NULL;)
FAKE(Device_GetDescription, a->device_description = (PJRT_DeviceDescription *)&fake; return NULL;)
FAKE(Executable_NumOutputs, a->num_outputs = 1; return NULL;)
FAKE(Executable_Destroy, return NULL;)
static PJRT_Buffer_Type fake_types[] = {PJRT_Buffer_Type_F32};
static const int64_t fake_dims[] = {5};
static const size_t fake_ranks[] = {1};
FAKE(Executable_OutputElementTypes, a->output_types = fake_types; a->num_output_types = 1;
     return NULL;)
FAKE(Executable_OutputDimensions, a->num_outputs = 1; a->dims = fake_dims;
     a->dim_sizes = fake_ranks; return NULL;)
FAKE(LoadedExecutable_Destroy, return gone('x');)
FAKE(LoadedExecutable_GetExecutable, a->executable = (PJRT_Executable *)&fake; return NULL;)
static PJRT_Error *fake_LoadedExecutable_Execute(PJRT_LoadedExecutable_Execute_Args *a) {
  if (fake.fail_execute) return failure(PJRT_Error_Code_RESOURCE_EXHAUSTED, "no room");
  if (atomic_fetch_add(&fake.running, 1) != 0) fake.overlapped = true;
  if (fake.slow) nanosleep(&(struct timespec){0, 2000000}, NULL);
  if (!fake.empty) a->output_lists[0][0] = new_handle();
  a->device_complete_events[0] = event();
  atomic_fetch_sub(&fake.running, 1);
  return NULL;
}
FAKE(Buffer_Destroy, free_handle(a->buffer); return gone('b');)
FAKE(Buffer_ElementType, a->type = PJRT_Buffer_Type_F32; return NULL;)
FAKE(Buffer_Dimensions, a->dims = a->buffer->dims; a->num_dims = 1; return NULL;)
FAKE(Buffer_IsDeleted, a->is_deleted = false; return NULL;)
FAKE(Buffer_ToHostBuffer, memset(a->dst, 0, a->dst_size); a->event = event(); return NULL;)

static PJRT_Api table(void) {
  return (PJRT_Api){
      .struct_size = PJRT_SIZE(Api),
      .pjrt_api_version = {.struct_size = PJRT_SIZE(Api_Version), .minor_version = 81},
#define FAKE_must(function) .PJRT_##function = fake_##function,
#define FAKE_may(function)
#define FAKE_none(function)
#define TL_PJRT_FN(function, result, plugin, client) FAKE_##client(function)
#include "pjrt/functions.def"
#undef TL_PJRT_FN
  };
}

static PJRT_Api api;
static tl_pjrt_plugin *plugin;
static const tl_pjrt_options no_options = {0};

static tl_pjrt_client *client_of(void) {
  memset(&fake, 0, sizeof fake);
  tl_pjrt_client *c = NULL;
  assert_ok(tl_pjrt_client_create(plugin, &no_options, &c));
  return c;
}
static tl_pjrt_executable *program_of(tl_pjrt_client *c) {
  tl_pjrt_executable *x = NULL;
  assert_ok(tl_pjrt_compile(c, TL_STR("text"), "step", &x));
  return x;
}
static tl_pjrt_buffer *buffer_of(tl_pjrt_client *c) {
  tl_pjrt_buffer *b = NULL;
  assert_ok(tl_pjrt_buffer_from_host(c,
                                     &(tl_pjrt_host){.data = fake_dims,
                                                     .type = PJRT_Buffer_Type_S64,
                                                     .dims = (const int64_t[]){1},
                                                     .n_dims = 1},
                                     &b));
  return b;
}
static void assert_log(const char *want) {
  assert_string_equal(fake.log, want);
  assert_int_equal(fake.alive, 0);
}

// ---- opening ----

static void test_tables(void **state) {
  (void)state;
  tl_pjrt_plugin *p = NULL;
  assert_status(tl_pjrt_open_api(NULL, "nil", &p), TL_STATUS_INVALID_ARGUMENT,
                "plugin nil: GetPjrtApi returned no");
  PJRT_Api t = table();
  t.pjrt_api_version.major_version = 1;
  t.pjrt_api_version.minor_version = 2;
  assert_status(tl_pjrt_open_api(&t, "next", &p), TL_STATUS_INVALID_ARGUMENT,
                "plugin next: speaks PJRT 1.2");
  t = table();
  t.struct_size = 24;
  assert_status(tl_pjrt_open_api(&t, "tiny", &p), TL_STATUS_INVALID_ARGUMENT, "has 24 bytes");
  // Cut in the middle of the table, the poison behind the cut must not be read as a function.
  t = table();
  t.struct_size = offsetof(PJRT_Api, PJRT_LoadedExecutable_Execute);
  assert_status(tl_pjrt_open_api(&t, "cut", &p), TL_STATUS_INVALID_ARGUMENT,
                "ends before PJRT_LoadedExecutable_Execute");
  t = table();
  t.PJRT_Client_Compile = NULL;
  assert_status(tl_pjrt_open_api(&t, "holes", &p), TL_STATUS_INVALID_ARGUMENT,
                "null PJRT_Client_Compile");
  assert_null(p);
  assert_status(tl_pjrt_open("/nonexistent/p.so", &p), TL_STATUS_NOT_FOUND,
                "/nonexistent/p.so: no such file");
  assert_status(tl_pjrt_open("/", &p), TL_STATUS_INVALID_ARGUMENT, "is a directory");
  assert_status(tl_pjrt_open("/proc/self/status", &p), TL_STATUS_INVALID_ARGUMENT,
                "cannot be loaded");
}

// An optional slot that a short table does not reach is absent, although a pointer lies behind the
// end.
static void test_optional(void **state) {
  (void)state;
  static PJRT_Api t;
  t = table();
  t.struct_size = offsetof(PJRT_Api, PJRT_Executable_OutputDimensions) + sizeof(void *);
  tl_pjrt_plugin *p = NULL, *again = NULL;
  assert_ok(tl_pjrt_open_api(&t, "short", &p));
  assert_ok(tl_pjrt_open_api(&t, "the same", &again));
  assert_ptr_equal(p, again);
  tl_buf text = {0};
  assert_status(tl_pjrt_plugin_attributes(p, &text), TL_STATUS_UNIMPLEMENTED,
                "plugin short has no PJRT_Plugin_Attr");
  tl_pjrt_client *c = NULL;
  memset(&fake, 0, sizeof fake);
  assert_ok(tl_pjrt_client_create(p, &no_options, &c));
  tl_pjrt_buffer *b = buffer_of(c);
  const void *data;
  assert_status(tl_pjrt_buffer_map(c, b, &data), TL_STATUS_UNIMPLEMENTED,
                "has no PJRT_Buffer_IsOnCpu");
  tl_pjrt_buffer_destroy(c, b);
  tl_pjrt_client_release(c);
  assert_log("bc");
}

// ---- errors ----

static void test_errors(void **state) {
  (void)state;
  tl_pjrt_client *c = client_of();
  tl_pjrt_executable *x = NULL;
  assert_status(tl_pjrt_compile(c, TL_STR(""), "empty", &x), TL_STATUS_UNKNOWN,
                "empty: PJRT_Client_Compile: no text");
  x = program_of(c);
  tl_pjrt_buffer *out = NULL;
  tl_pjrt_call call = {.outs = &out, .n_outs = 1};
  fake.fail_execute = true;
  assert_status(tl_pjrt_execute(x, &call), TL_STATUS_RESOURCE_EXHAUSTED, "step: no room");
  fake.fail_execute = false, fake.fail_event = true;
  assert_status(tl_pjrt_execute(x, &call), TL_STATUS_DATA_LOSS,
                "after donation: step: the device fell over");
  assert_null(out);
  assert_log("b"); // the output of the failed call
  call.keep = (const int64_t[]){3}, call.n_keep = 1;
  assert_status(tl_pjrt_execute(x, &call), TL_STATUS_INVALID_ARGUMENT, "keeps argument 3 of 0");
  tl_pjrt_executable_release(x);
  tl_pjrt_client_release(c);
  assert_log("bxc");
}

static void test_nothing_given(void **state) {
  (void)state;
  tl_pjrt_client *c = client_of();
  tl_pjrt_executable *x = program_of(c), *y = NULL;
  tl_pjrt_buffer *b = NULL;
  fake.empty = true;
  assert_status(tl_pjrt_compile(c, TL_STR("text"), "late", &y), TL_STATUS_INTERNAL,
                "late: PJRT_Client_Compile: neither an executable nor an error");
  assert_status(tl_pjrt_execute(x, &(tl_pjrt_call){.outs = &b, .n_outs = 1}), TL_STATUS_INTERNAL,
                "step: neither output 0 nor an error");
  assert_status(tl_pjrt_buffer_from_host(c,
                                         &(tl_pjrt_host){.data = fake_dims,
                                                         .type = PJRT_Buffer_Type_S64,
                                                         .dims = (const int64_t[]){1},
                                                         .n_dims = 1},
                                         &b),
                TL_STATUS_INTERNAL, "buffer from host: neither a buffer nor an error");
  assert_null(b);
  tl_pjrt_executable_release(x);
  tl_pjrt_client_release(c);
  assert_log("xc");
}

// ---- files ----

static void test_cut_file(void **state) {
  (void)state;
  tl_test_tmp tmp;
  tl_test_tmp_create(&tmp);
  char path[300];
  snprintf(path, sizeof path, "%s/half.so", tmp.path);
  tl_file_map self;
  tl_pjrt_plugin *p = NULL;
  assert_ok(tl_file_map_open("/proc/self/exe", &self));
  assert_ok(tl_file_write(path, self.data, 5000));
  assert_status(tl_pjrt_open(path, &p), TL_STATUS_INVALID_ARGUMENT,
                "half.so: is cut short: 5000 b");
  assert_ok(tl_file_write(path, self.data, 100));
  assert_status(tl_pjrt_open(path, &p), TL_STATUS_INVALID_ARGUMENT, "half.so: is cut short: 100 b");
  assert_ok(tl_file_write(path, "text", 4));
  assert_status(tl_pjrt_open(path, &p), TL_STATUS_INVALID_ARGUMENT, "half.so: cannot be loaded");
  tl_file_map_close(&self);
  tl_test_tmp_remove(&tmp);
}

// ---- the order of destruction ----

static void test_usual_order(void **state) {
  (void)state;
  tl_pjrt_client *c = client_of();
  assert_string_equal(tl_pjrt_client_platform(c), "fake");
  tl_pjrt_executable *x = program_of(c);
  tl_pjrt_buffer *b = buffer_of(c), *out = NULL;
  assert_ok(
      tl_pjrt_execute(x, &(tl_pjrt_call){.args = &b, .n_args = 1, .outs = &out, .n_outs = 1}));
  tl_pjrt_buffer_destroy(c, b);
  tl_pjrt_buffer_destroy(c, out);
  tl_pjrt_executable_release(x);
  tl_pjrt_client_release(c);
  assert_log("bbxc");
}

static void test_client_first(void **state) {
  (void)state;
  tl_pjrt_client *c = client_of();
  tl_pjrt_executable *x = program_of(c), *y = program_of(c);
  tl_pjrt_buffer *b = buffer_of(c);
  tl_pjrt_client_release(c); // the executables go, the plugin's client waits for the buffer
  assert_log("xx");
  assert_status(tl_pjrt_execute(x, &(tl_pjrt_call){.outs = &b, .n_outs = 1}),
                TL_STATUS_FAILED_PRECONDITION, "step: the client of fake is closed");
  tl_pjrt_executable_release(x);
  tl_pjrt_buffer_destroy(c, b);
  assert_log("xxbc");
  tl_pjrt_executable_release(y); // the last reference: the memory goes (a leak checker sees it)
}

static void test_close_twice(void **state) {
  (void)state;
  tl_pjrt_client *c = client_of();
  tl_pjrt_client_retain(c);
  tl_pjrt_client_close(c);
  tl_pjrt_client_close(c);
  assert_log("c");
  tl_pjrt_executable *x;
  assert_status(tl_pjrt_compile(c, TL_STR("t"), "late", &x), TL_STATUS_FAILED_PRECONDITION,
                "is closed");
  tl_pjrt_client_release(c);
  tl_pjrt_client_release(c);
  assert_log("c");
}

// ---- threads ----

typedef struct worker {
  tl_pjrt_client *client;
  tl_pjrt_executable *program;
  int done;
} worker;

static void *work(void *arg) {
  worker *w = arg;
  for (;;) {
    tl_pjrt_buffer *out = NULL;
    tl_status st = tl_pjrt_execute(w->program, &(tl_pjrt_call){.outs = &out, .n_outs = 1});
    if (st != TL_OK) {
      w->done = tl_status_get_code(st) == TL_STATUS_FAILED_PRECONDITION;
      tl_status_drop(st);
      return NULL;
    }
    tl_pjrt_buffer_destroy(w->client, out);
    tl_pjrt_client_retain(w->client);
    tl_pjrt_client_release(w->client);
  }
}

// Calls of one executable never overlap, and a close waits for the one in progress.
static void test_threads(void **state) {
  (void)state;
  tl_pjrt_client *c = client_of();
  fake.slow = true;
  worker w[3];
  pthread_t t[3];
  tl_pjrt_executable *x = program_of(c);
  for (int i = 0; i < 3; i++) {
    w[i] = (worker){c, x, 0};
    assert_int_equal(pthread_create(&t[i], NULL, work, &w[i]), 0);
  }
  nanosleep(&(struct timespec){0, 20000000}, NULL);
  tl_pjrt_client_close(c);
  assert_int_equal(atomic_load(&fake.running), 0);
  for (int i = 0; i < 3; i++) {
    pthread_join(t[i], NULL);
    assert_int_equal(w[i].done, 1);
  }
  assert_false(fake.overlapped);
  assert_log("xc");
  tl_pjrt_executable_release(x);
  tl_pjrt_client_release(c);
}

// ---- memory ----

static void released(void *arg) { ++*(int *)arg; }

static tl_status whole_life(void *arg) {
  (void)arg;
  int n_released = 0;
  memset(&fake, 0, sizeof fake);
  tl_pjrt_client *c = NULL;
  tl_pjrt_executable *x = NULL;
  tl_pjrt_buffer *b = NULL;
  tl_status st;
  TL_TRY_GOTO(done, st, tl_pjrt_client_create(plugin, NULL, &c));
  TL_TRY_GOTO(done, st, tl_pjrt_compile(c, TL_STR("text"), "step", &x));
  st = tl_pjrt_buffer_from_host(c,
                                &(tl_pjrt_host){.data = fake_dims,
                                                .type = PJRT_Buffer_Type_S64,
                                                .dims = (const int64_t[]){1},
                                                .n_dims = 1,
                                                .zero_copy = true,
                                                .release = released,
                                                .release_arg = &n_released},
                                &b);
  assert_int_equal(n_released, 1); // success or failure, once
done:
  if (b) tl_pjrt_buffer_destroy(c, b);
  tl_pjrt_executable_release(x);
  tl_pjrt_client_release(c);
  return st;
}

static void test_execute_allocates_nothing(void **state) {
  (void)state;
  tl_pjrt_client *c = client_of();
  tl_pjrt_executable *x = program_of(c);
  tl_pjrt_buffer *out = NULL;
  tl_test_allocations_begin();
  tl_status st = tl_pjrt_execute(x, &(tl_pjrt_call){.outs = &out, .n_outs = 1});
  size_t n = tl_test_allocations_end();
  assert_ok(st);
  assert_int_equal(n, 0);
  tl_pjrt_buffer_destroy(c, out);
  tl_pjrt_executable_release(x);
  tl_pjrt_client_release(c);
}

static void test_memory(void **state) {
  (void)state;
  tl_test_each_oom(whole_life, NULL);
}

static void test_types(void **state) {
  (void)state;
  assert_int_equal(tl_pjrt_type_size(PJRT_Buffer_Type_BF16), 2);
  assert_string_equal(tl_pjrt_type_name(PJRT_Buffer_Type_U8), "ui8");
  assert_int_equal(tl_pjrt_type_size(PJRT_Buffer_Type_TOKEN), 0);
  assert_int_equal(tl_pjrt_type_size((PJRT_Buffer_Type)1000), 0);
  assert_string_equal(tl_pjrt_type_name((PJRT_Buffer_Type)1000), "?");
}

int main(void) {
  api = table();
  if (tl_pjrt_open_api(&api, "fake", &plugin) != TL_OK) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tables),        cmocka_unit_test(test_optional),
      cmocka_unit_test(test_errors),        cmocka_unit_test(test_usual_order),
      cmocka_unit_test(test_client_first),  cmocka_unit_test(test_close_twice),
      cmocka_unit_test(test_threads),       cmocka_unit_test(test_execute_allocates_nothing),
      cmocka_unit_test(test_memory),        cmocka_unit_test(test_types),
      cmocka_unit_test(test_nothing_given), cmocka_unit_test(test_cut_file),
  };
  return cmocka_run_group_tests_name("pjrt/client", tests, NULL, NULL);
}
