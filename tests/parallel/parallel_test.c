// parallel_test FOLDER [PLUGIN] [--record] [--repeat N]: every module of FOLDER as four replicas on
// four devices of one process.
//
//   native   a hundred times, whose results are the same bits each time
//   ref      the interpreter's: the same bits
//   PLUGIN   another plugin with four devices (XLA's): within TOLERANCE of the largest entry
//   golden   FOLDER/<name>.txt, recorded from the plugin by --record: within TOLERANCE. Integers
//            and what is only moved are equal
//
// "// same: A B" in a module: results A and B of every device agree within TOLERANCE, which is how
// the gradient of a shared batch is held against that of the whole. The control: one element of the
// native result changed by a little more must be found.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "pjrt/client/client.h"
#include "pjrt/plugin/plugin.h"
#include "shlo/shlo.h"

enum { N = 4, MAX_VALUES = 8 };

// Sums of up to 64 products in another order: 64 roundings of f32.
#define TOLERANCE (64 * 6e-8)

typedef struct module {
  const char *name;
  tl_str text;
  tl_module *m;
  const tl_func *fn;
  size_t sizes[MAX_VALUES], total; // bytes of the results; of all of one device
} module;

static size_t failures, n_compared;

static void fail(const module *k, const char *how, const char *why) {
  printf("%s, %s: %s\n", k->name, how, why);
  failures++;
}

static tl_status open_client(const char *plugin_path, bool interpreter, tl_pjrt_client **out) {
  tl_pjrt_plugin *plugin;
  const tl_pjrt_option items[] = {
      {.name = "cpu_device_count", .type = PJRT_NamedValue_kInt64, .int64 = N},
      {.name = "interpreter", .type = PJRT_NamedValue_kBool, .boolean = interpreter}};
  if (plugin_path)
    TL_TRY(tl_pjrt_open(plugin_path, &plugin));
  else
    TL_TRY(tl_pjrt_open_api(tl_plugin_api(), "native", &plugin));
  return tl_pjrt_client_create(
      plugin, &(tl_pjrt_options){.items = items, .n_items = plugin_path ? 1 : 2}, out);
}

static uint64_t next_random(uint64_t *state) { // splitmix64
  uint64_t z = *state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

// Floats in [-1, 1), integers in [-100, 100).
static void fill(tl_type t, size_t size, uint64_t seed, uint8_t *out) {
  for (size_t at = 0; at < size; at += 4) {
    const double u = (double)(next_random(&seed) >> 11) * 0x1p-53;
    const float x = (float)(2 * u - 1);
    const int32_t n = (int32_t)(200 * u) - 100;
    if (t.dtype == TL_DTYPE_F32)
      memcpy(out + at, &x, 4);
    else
      memcpy(out + at, &n, 4);
  }
}

// results [N * k->total]: device after device, result after result.
static tl_status run_on(const module *k, tl_pjrt_client *c, tl_pjrt_executable *x,
                        uint8_t *results) {
  const uint32_t n_in = k->fn->body->n_args, n_out = k->fn->n_results;
  tl_pjrt_buffer *in[N * MAX_VALUES] = {0}, *out[N * MAX_VALUES] = {0};
  tl_pjrt_call calls[N];
  tl_status st = TL_OK;
  for (uint32_t at = 0; at < N * n_in && !st; at++) {
    const tl_type t = k->fn->body->args[at % n_in]->type;
    uint8_t data[4096];
    size_t size = 0;
    tl_type_size(t, &size);
    if (size > sizeof data) return TL_ERROR(INVALID_ARGUMENT, "%s: a large argument", k->name);
    fill(t, size, at + 1, data);
    st = tl_pjrt_buffer_from_host(
        c,
        &(tl_pjrt_host){.data = data,
                        .type = (PJRT_Buffer_Type)tl_dtype_get(t.dtype)->pjrt,
                        .dims = t.dims,
                        .n_dims = t.rank,
                        .device = at / n_in},
        &in[at]);
  }
  for (size_t p = 0; p < N; p++)
    calls[p] = (tl_pjrt_call){
        .args = in + p * n_in, .n_args = n_in, .outs = out + p * n_out, .n_outs = n_out};
  if (!st) st = tl_pjrt_execute_all(x, calls, N);
  for (size_t p = 0; p < N; p++)
    for (uint32_t o = 0; o < n_out && !st; results += k->sizes[o++])
      st = tl_pjrt_buffer_to_host(c, out[p * n_out + o], results, k->sizes[o]);
  for (size_t i = 0; i < TL_COUNT(in); i++) {
    tl_pjrt_buffer_destroy(c, in[i]);
    tl_pjrt_buffer_destroy(c, out[i]);
  }
  return st;
}

static bool close_enough(tl_type t, const uint8_t *a, const uint8_t *b, size_t size) {
  n_compared++;
  if (t.dtype != TL_DTYPE_F32) return memcmp(a, b, size) == 0;
  double most = 0, apart = 0;
  for (size_t at = 0; at < size; at += 4) {
    float x, y;
    memcpy(&x, a + at, 4);
    memcpy(&y, b + at, 4);
    if (isnan(x) || isnan(y)) return false;
    most = fmax(most, fabs((double)y));
    apart = fmax(apart, fabs((double)x - (double)y));
  }
  return apart <= TOLERANCE * most;
}

static bool all_close(const module *k, const uint8_t *a, const uint8_t *b) {
  bool good = true;
  for (size_t p = 0; p < N; p++)
    for (uint32_t o = 0; o < k->fn->n_results; o++) {
      good &= close_enough(k->fn->result_types[o], a, b, k->sizes[o]);
      a += k->sizes[o];
      b += k->sizes[o];
    }
  return good;
}

// "// same: 0 1"
static void check_same(const module *k, const uint8_t *results) {
  const size_t at = tl_str_find(k->text, TL_STR("// same: "));
  if (at == (size_t)-1) return;
  const uint32_t a = (uint32_t)(k->text.ptr[at + 9] - '0'),
                 b = (uint32_t)(k->text.ptr[at + 11] - '0');
  for (size_t p = 0; p < N; p++) {
    size_t from[2] = {p * k->total, p * k->total};
    for (uint32_t o = 0; o < a; o++)
      from[0] += k->sizes[o];
    for (uint32_t o = 0; o < b; o++)
      from[1] += k->sizes[o];
    if (!close_enough(k->fn->result_types[a], results + from[0], results + from[1], k->sizes[a]))
      fail(k, "same", "two results differ");
  }
}

static tl_status golden(const module *k, const char *folder, tl_arena *a, const uint8_t *results,
                        bool record) {
  const char *path = tl_arena_printf(a, "%s/%s.txt", folder, k->name);
  tl_buf text = {0};
  if (record) {
    for (size_t i = 0; i < N * k->total; i++)
      tl_buf_printf(&text, "%02x%s", results[i], (i + 1) % 64 == 0 ? "\n" : "");
    tl_buf_char(&text, '\n');
    FILE *f = fopen(path, "w");
    const bool good = f && fwrite(text.ptr, 1, text.len, f) == text.len;
    if (f) fclose(f);
    tl_buf_deinit(&text);
    return good ? TL_OK : TL_ERROR(UNAVAILABLE, "%s: cannot be written", path);
  }
  TL_TRY(tl_file_read(path, 1 << 20, &text));
  uint8_t *want = calloc(N, k->total + 1);
  size_t n = 0;
  for (const char *at = text.ptr; want && *at && n < N * k->total;) {
    unsigned byte;
    if (*at == '\n')
      at++;
    else if (sscanf(at, "%2x", &byte) == 1)
      want[n++] = (uint8_t)byte, at += 2;
    else
      break;
  }
  if (!want || n != N * k->total || !all_close(k, results, want)) fail(k, "golden", "differs");
  free(want);
  tl_buf_deinit(&text);
  return TL_OK;
}

static tl_status run_file(const char *folder, tl_str file, tl_pjrt_client *const *clients,
                          bool record, int repeat, tl_arena *a) {
  module k = {.name = tl_arena_printf(a, TL_STR_FMT, (int)file.len - 5, file.ptr)};
  tl_buf text = {0};
  tl_diags diags = {0};
  uint8_t *results[3] = {0};
  tl_pjrt_executable *x = NULL;
  TL_TRY(tl_file_read(tl_path_join(a, folder, file.ptr), 1 << 20, &text));
  k.text = tl_buf_view(&text);
  tl_status st = tl_shlo_parse(k.text, k.name, &diags, &k.m);
  if (st) goto done;
  k.fn = tl_module_find(k.m, TL_STR("main"));
  for (uint32_t o = 0; o < k.fn->n_results; o++) {
    tl_type_size(k.fn->result_types[o], &k.sizes[o]);
    k.total += k.sizes[o];
  }
  for (size_t i = 0; i < 3; i++)
    results[i] = calloc(N, k.total + 1);
  for (size_t i = 0; i < 3 && clients[i] && !st; i++) {
    TL_TRY_GOTO(done, st, tl_pjrt_compile_grid(clients[i], k.text, k.name, N, 1, &x));
    for (int r = 0; r < (i == 0 ? repeat : 1) && !st; r++) {
      uint8_t *to = results[i == 0 && r > 0 ? 1 : i]; // the interpreter's come later
      st = run_on(&k, clients[i], x, to);
      if (!st && i == 0 && r > 0 && memcmp(results[0], to, N * k.total) != 0)
        fail(&k, "native", "another time gives other bits");
    }
    tl_pjrt_executable_release(x);
    x = NULL;
  }
  if (st) goto done;
  if (memcmp(results[0], results[1], N * k.total) != 0) fail(&k, "ref", "gives other bits");
  if (clients[2] && !all_close(&k, results[0], results[2])) fail(&k, "plugin", "differs");
  check_same(&k, results[0]);
  if (record) TL_TRY_GOTO(done, st, golden(&k, folder, a, results[2], true));
  TL_TRY_GOTO(done, st, golden(&k, folder, a, results[0], false));
  float changed; // the control
  memcpy(&changed, results[0], 4);
  changed += 1e-4f * (1 + fabsf(changed));
  memcpy(results[0], &changed, 4);
  if (all_close(&k, results[0], results[1])) fail(&k, "control", "a change is not found");
done:
  tl_pjrt_executable_release(x);
  for (size_t i = 0; i < 3; i++)
    free(results[i]);
  tl_diags_deinit(&diags);
  tl_module_destroy(k.m);
  tl_buf_deinit(&text);
  return st ? tl_status_note(st, "%s", k.name) : TL_OK;
}

int main(int argc, char **argv) {
  const char *plugin = NULL;
  bool record = false;
  int repeat = 100;
  for (int i = 2; i < argc; i++)
    if (strcmp(argv[i], "--record") == 0)
      record = true;
    else if (strcmp(argv[i], "--repeat") == 0 && i + 1 < argc)
      repeat = atoi(argv[++i]);
    else
      plugin = argv[i];
  tl_arena *a = tl_arena_create();
  tl_pjrt_client *clients[3] = {0};
  tl_str *names = NULL;
  size_t n = 0, n_files = 0;
  tl_status st = argc < 2 ? TL_ERROR(INVALID_ARGUMENT, "wanted FOLDER") : TL_OK;
  if (!st) st = open_client(NULL, false, &clients[0]);
  if (!st) st = open_client(NULL, true, &clients[1]);
  if (!st && plugin && tl_path_exists(plugin))
    st = open_client(plugin, false, &clients[2]);
  else
    printf("no other plugin: compared with the recording alone\n");
  if (!st) st = tl_dir_list(a, argv[1], &names, &n);
  for (size_t i = 0; i < n && !st; i++) {
    if (!tl_str_ends(names[i], TL_STR(".mlir"))) continue;
    st = run_file(argv[1], names[i], clients, record, repeat, a);
    n_files++;
  }
  if (st) fprintf(stderr, "%s\n", tl_status_message(st));
  printf("%zu modules on %d devices, %zu results compared, %zu failures\n", n_files, N, n_compared,
         failures);
  const bool bad = st || failures || n_files < 5;
  tl_status_drop(st);
  for (size_t i = 0; i < 3; i++)
    tl_pjrt_client_release(clients[i]);
  tl_arena_destroy(a);
  return bad;
}
