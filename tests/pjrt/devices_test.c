// Our plugin with several devices, through its table: what a client says of them, buffers on them
// and copies between them, programs for some of them, and what is refused.
#include "base/test.h"

#include "pjrt/client/client.h"
#include "pjrt/plugin/plugin.h"

#define API(function, ...)                           \
  do {                                               \
    PJRT_##function##_Args *args_ = &(__VA_ARGS__);  \
    args_->struct_size = PJRT_SIZE(function##_Args); \
    error = api->PJRT_##function(args_);             \
  } while (0)

static const PJRT_Api *api;
static PJRT_Error *error;
static PJRT_Client *client;
static PJRT_Device *devices[4];

static void good(void) {
  if (error == NULL) return;
  PJRT_Error_Message_Args m = {.struct_size = PJRT_SIZE(Error_Message_Args), .error = error};
  api->PJRT_Error_Message(&m);
  fail_msg("%.*s", (int)m.message_size, m.message);
}

static void refused(const char *why) {
  assert_non_null(error);
  PJRT_Error_Message_Args m = {.struct_size = PJRT_SIZE(Error_Message_Args), .error = error};
  api->PJRT_Error_Message(&m);
  char text[512];
  snprintf(text, sizeof text, "%.*s", (int)m.message_size, m.message);
  if (strstr(text, why) == NULL) fail_msg("%s\n  does not say %s", text, why);
  PJRT_Error_Destroy_Args d = {.struct_size = PJRT_SIZE(Error_Destroy_Args), .error = error};
  api->PJRT_Error_Destroy(&d);
}

static PJRT_Error *create(int64_t n, PJRT_Client **out) {
  const PJRT_NamedValue option = {.struct_size = PJRT_SIZE(NamedValue),
                                  .name = "cpu_device_count",
                                  .name_size = strlen("cpu_device_count"),
                                  .type = PJRT_NamedValue_kInt64,
                                  .int64_value = n,
                                  .value_size = 1};
  PJRT_Client_Create_Args a = {
      .struct_size = PJRT_SIZE(Client_Create_Args), .create_options = &option, .num_options = 1};
  PJRT_Error *e = api->PJRT_Client_Create(&a);
  *out = a.client;
  return e;
}

static int set_up(void **state) {
  (void)state;
  api = tl_plugin_api();
  error = create(4, &client);
  good();
  PJRT_Client_AddressableDevices_Args a = {.client = client};
  API(Client_AddressableDevices, a);
  good();
  assert_int_equal(a.num_addressable_devices, 4);
  memcpy(devices, a.addressable_devices, sizeof devices);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  PJRT_Client_Destroy_Args a = {.client = client};
  API(Client_Destroy, a);
  good();
  return 0;
}

static PJRT_Buffer *put(const float *x, PJRT_Device *device, PJRT_Memory *memory) {
  static const int64_t two = 2;
  PJRT_Client_BufferFromHostBuffer_Args a = {.client = client,
                                             .data = x,
                                             .type = PJRT_Buffer_Type_F32,
                                             .dims = &two,
                                             .num_dims = 1,
                                             .host_buffer_semantics =
                                                 PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
                                             .device = device,
                                             .memory = memory};
  API(Client_BufferFromHostBuffer, a);
  good();
  return a.buffer;
}

static PJRT_Device *device_of(PJRT_Buffer *b) {
  PJRT_Buffer_Device_Args a = {.buffer = b};
  API(Buffer_Device, a);
  good();
  return a.device;
}

static float first(PJRT_Buffer *b) {
  float x[2] = {0};
  PJRT_Buffer_ToHostBuffer_Args a = {.src = b, .dst = x, .dst_size = sizeof x};
  API(Buffer_ToHostBuffer, a);
  good();
  return x[0];
}

static void drop(PJRT_Buffer *b) {
  PJRT_Buffer_Destroy_Args a = {.buffer = b};
  API(Buffer_Destroy, a);
  good();
}

static void what_there_is(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    PJRT_Client_LookupDevice_Args l = {.client = client, .id = i};
    API(Client_LookupDevice, l);
    good();
    assert_ptr_equal(l.device, devices[i]);
    PJRT_Device_DefaultMemory_Args m = {.device = devices[i]};
    API(Device_DefaultMemory, m);
    good();
    PJRT_Memory_AddressableByDevices_Args by = {.memory = m.memory};
    API(Memory_AddressableByDevices, by);
    good();
    assert_int_equal(by.num_devices, 1);
    assert_ptr_equal(by.devices[0], devices[i]);
    PJRT_Device_GetDescription_Args g = {.device = devices[i]};
    API(Device_GetDescription, g);
    good();
    PJRT_DeviceDescription_ToString_Args t = {.device_description = g.device_description};
    API(DeviceDescription_ToString, t);
    good();
    char want[24];
    snprintf(want, sizeof want, "tlaloc:%d", i);
    assert_string_equal(t.to_string, want);
  }
  PJRT_Client_LookupDevice_Args l = {.client = client, .id = 4};
  API(Client_LookupDevice, l);
  refused("no device with id 4");
  int ids[4] = {9, 9, 9, 9};
  PJRT_Client_DefaultDeviceAssignment_Args d = {.client = client,
                                                .num_replicas = 2,
                                                .num_partitions = 2,
                                                .default_assignment_size = 4,
                                                .default_assignment = ids};
  API(Client_DefaultDeviceAssignment, d);
  good();
  assert_true(ids[0] == 0 && ids[1] == 1 && ids[2] == 2 && ids[3] == 3);
  d.num_partitions = 3;
  API(Client_DefaultDeviceAssignment, d);
  refused("2 replicas of 3 partitions asked for: there are fewer devices");
  PJRT_Client *none;
  error = create(0, &none);
  refused("cpu_device_count: wanted an int64 in 1..64");
  error = create(65, &none);
  refused("cpu_device_count: wanted an int64 in 1..64");
}

static void buffers_move(void **state) {
  (void)state;
  PJRT_Device_DefaultMemory_Args m = {.device = devices[2]};
  API(Device_DefaultMemory, m);
  good();
  PJRT_Buffer *a = put((float[]){5, 6}, devices[1], NULL),
              *b = put((float[]){7, 8}, NULL, m.memory);
  assert_ptr_equal(device_of(a), devices[1]);
  assert_ptr_equal(device_of(b), devices[2]);
  PJRT_Buffer_CopyToDevice_Args c = {.buffer = a, .dst_device = devices[3]};
  API(Buffer_CopyToDevice, c);
  good();
  PJRT_Buffer_CopyToMemory_Args to = {.buffer = a, .dst_memory = m.memory};
  API(Buffer_CopyToMemory, to);
  good();
  assert_ptr_equal(device_of(c.dst_buffer), devices[3]);
  assert_ptr_equal(device_of(to.dst_buffer), devices[2]);
  drop(a);
  assert_true(first(c.dst_buffer) == 5 && first(to.dst_buffer) == 5 && first(b) == 7);
  PJRT_Device_MemoryStats_Args s = {.device = devices[3]};
  API(Device_MemoryStats, s);
  good();
  assert_true(s.bytes_in_use > 0 && s.num_allocs == 1);
  assert_true(s.bytes_reserved_is_set && s.bytes_reserved == 0); // it has no program
  drop(b), drop(c.dst_buffer), drop(to.dst_buffer);
}

static PJRT_LoadedExecutable *compile(const char *text, const char *options, size_t size) {
  PJRT_Program program = {.struct_size = PJRT_SIZE(Program),
                          .code = (char *)(uintptr_t)text,
                          .code_size = strlen(text),
                          .format = "mlir",
                          .format_size = 4};
  PJRT_Client_Compile_Args a = {.client = client,
                                .program = &program,
                                .compile_options = options,
                                .compile_options_size = size};
  API(Client_Compile, a);
  return error == NULL ? a.executable : NULL;
}

static const char SUM[] =
    "func.func @main(%x: tensor<2xf32> {tf.aliasing_output = 0 : i32}) -> tensor<2xf32> {\n"
    "  %0 = \"stablehlo.all_reduce\"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> "
    "({\n"
    "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
    "    %s = stablehlo.subtract %a, %b : tensor<f32>\n"
    "    stablehlo.return %s : tensor<f32>\n"
    "  }) : (tensor<2xf32>) -> tensor<2xf32>\n"
    "  return %0 : tensor<2xf32>\n}\n";

// executable_build_options {num_replicas = 2, num_partitions = 1, device_assignment {2, 1, {3,
// 1}}}: replica 0 is device 3, replica 1 device 1.
static const char ASSIGNED[] = {0x1A, 0x0E, 0x20, 0x02, 0x28, 0x01, 0x4A, 0x08, 0x08,
                                0x02, 0x10, 0x01, 0x1A, 0x04, 0x0A, 0x02, 0x03, 0x01};

static void assigned(void **state) {
  (void)state;
  // Two bytes more than the lengths above say: they are written here, where they can be counted.
  char options[sizeof ASSIGNED];
  memcpy(options, ASSIGNED, sizeof options);
  options[1] = (char)(sizeof options - 2);
  options[7] = (char)(sizeof options - 8);
  PJRT_LoadedExecutable *x = compile(SUM, options, sizeof options);
  good();
  PJRT_LoadedExecutable_AddressableDevices_Args d = {.executable = x};
  API(LoadedExecutable_AddressableDevices, d);
  good();
  assert_int_equal(d.num_addressable_devices, 2);
  assert_true(d.addressable_devices[0] == devices[3] && d.addressable_devices[1] == devices[1]);
  PJRT_LoadedExecutable_GetDeviceAssignment_Args s = {.executable = x};
  API(LoadedExecutable_GetDeviceAssignment, s);
  good();
  assert_int_equal(s.serialized_bytes_size, 10);
  assert_memory_equal(s.serialized_bytes, options + 8, 10);
  PJRT_LoadedExecutable_GetExecutable_Args g = {.loaded_executable = x};
  API(LoadedExecutable_GetExecutable, g);
  good();
  PJRT_Executable_NumReplicas_Args n = {.executable = g.executable};
  API(Executable_NumReplicas, n);
  good();
  assert_int_equal(n.num_replicas, 2);

  PJRT_Buffer *in[2] = {put((float[]){10, 1}, devices[3], NULL),
                        put((float[]){4, 1}, devices[1], NULL)},
              *wrong = put((float[]){4, 1}, devices[0], NULL), *out[2] = {0};
  PJRT_Buffer *const *lists[2] = {&in[0], &in[1]};
  PJRT_Buffer **outs[2] = {&out[0], &out[1]};
  PJRT_ExecuteOptions execute = {.struct_size = PJRT_SIZE(ExecuteOptions)};
  PJRT_Event *events[2] = {0};
  PJRT_LoadedExecutable_Execute_Args a = {.executable = x,
                                          .options = &execute,
                                          .argument_lists = lists,
                                          .num_devices = 1,
                                          .num_args = 1,
                                          .output_lists = outs,
                                          .device_complete_events = events};
  API(LoadedExecutable_Execute, a);
  refused("1 lists of arguments, wanted 2");
  a.num_devices = 2;
  lists[1] = &wrong;
  API(LoadedExecutable_Execute, a);
  refused("argument 0 of process 1 lies on tlaloc:0, wanted tlaloc:1");
  lists[1] = &in[1];
  API(LoadedExecutable_Execute, a);
  good();
  assert_true(first(out[0]) == 6 && first(out[1]) == 6);
  assert_true(device_of(out[0]) == devices[3] && device_of(out[1]) == devices[1]);
  PJRT_Buffer_IsDeleted_Args gone = {.buffer = in[1]};
  API(Buffer_IsDeleted, gone);
  good();
  assert_true(gone.is_deleted); // each process gave its own
  drop(in[0]), drop(in[1]), drop(wrong), drop(out[0]), drop(out[1]);
  PJRT_Executable_Destroy_Args de = {.executable = g.executable};
  API(Executable_Destroy, de);
  good();
  PJRT_LoadedExecutable_Destroy_Args dx = {.executable = x};
  API(LoadedExecutable_Destroy, dx);
  good();
}

static void refused_programs(void **state) {
  (void)state;
  static const struct {
    const char *options;
    size_t size;
    const char *why;
  } cases[] = {
      {"\x1A\x04\x20\x05\x28\x01", 6, "5 replicas of 1 partitions asked for: there are fewer"},
      {"\x1A\x06\x20\x01\x28\x02\x30\x01", 8, "there is no partitioner"},
      {"\x1A\x0E\x20\x02\x28\x01\x4A\x08\x1A\x06\x0A\x04\x01\x02\x03\x00", 16,
       "4 devices are assigned to 2 processes"},
      {"\x1A\x0C\x20\x02\x28\x01\x4A\x06\x1A\x04\x0A\x02\x01\x01", 14,
       "device 1 is assigned twice"},
      {"\x1A\x0C\x20\x02\x28\x01\x4A\x06\x1A\x04\x0A\x02\x01\x07", 14,
       "device 7 is assigned, there are 4"},
      {"\x1A\x0C\x20\x02\x28\x01\x4A\x06\x1A\x09\x0A\x02\x01\x07", 14,
       "a damaged device assignment"},
  };
  for (size_t i = 0; i < TL_COUNT(cases); i++) {
    assert_null(compile(SUM, cases[i].options, cases[i].size));
    refused(cases[i].why);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_there_is),
      cmocka_unit_test(buffers_move),
      cmocka_unit_test(assigned),
      cmocka_unit_test(refused_programs),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
