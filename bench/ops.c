// Core ops on the embedded device beside another PJRT plugin, in one run: `bench_ops [PLUGIN.so]
// [threads]`. The least of several runs each, in microseconds: loops interpreted, then as machine
// code, their ratio, and what compiling a loop took (not counting what the cache had); with a
// plugin also ours to its.
#include "base/clock.h"
#include "cpu/jit_cache.h"
#include "pjrt/client/client.h"
#include "pjrt/plugin/plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct program {
  const char *name, *text;
} program;

static const program programs[] = {
    {"chain of 6 elementwise ops, 1e6 f32",
     "func.func @main(%x: tensor<1000000xf32>, %y: tensor<1000000xf32>) -> tensor<1000000xf32> {\n"
     "  %0 = stablehlo.add %x, %y : tensor<1000000xf32>\n"
     "  %1 = stablehlo.multiply %0, %x : tensor<1000000xf32>\n"
     "  %2 = stablehlo.exponential %1 : tensor<1000000xf32>\n"
     "  %3 = stablehlo.subtract %2, %y : tensor<1000000xf32>\n"
     "  %4 = stablehlo.maximum %3, %x : tensor<1000000xf32>\n"
     "  %5 = stablehlo.tanh %4 : tensor<1000000xf32>\n"
     "  return %5 : tensor<1000000xf32>\n}\n"},
    {"sum of rows, 1000x1000 f32",
     "func.func @main(%x: tensor<1000x1000xf32>) -> tensor<1000xf32> {\n"
     "  %c = stablehlo.constant dense<0.0> : tensor<f32>\n"
     "  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1] : "
     "(tensor<1000x1000xf32>, tensor<f32>) -> tensor<1000xf32>\n"
     "  return %0 : tensor<1000xf32>\n}\n"},
    {"argmax of rows, 1000x1000 f32",
     "func.func @main(%x: tensor<1000x1000xf32>) -> tensor<1000xi32> {\n"
     "  %v = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
     "  %z = stablehlo.constant dense<0> : tensor<i32>\n"
     "  %0 = stablehlo.iota dim = 1 : tensor<1000x1000xi32>\n"
     "  %1:2 = stablehlo.reduce(%x init: %v), (%0 init: %z) across dimensions = [1] : "
     "(tensor<1000x1000xf32>, tensor<1000x1000xi32>, tensor<f32>, tensor<i32>) -> "
     "(tensor<1000xf32>, tensor<1000xi32>)\n"
     "  reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<i32>, %d: tensor<i32>) {\n"
     "    %2 = stablehlo.compare GT, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
     "    %3 = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
     "    %4 = stablehlo.or %2, %3 : tensor<i1>\n"
     "    %5 = stablehlo.compare EQ, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
     "    %6 = stablehlo.compare LT, %b, %d : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
     "    %7 = stablehlo.and %5, %6 : tensor<i1>\n"
     "    %8 = stablehlo.or %4, %7 : tensor<i1>\n"
     "    %9 = stablehlo.select %4, %a, %c : tensor<i1>, tensor<f32>\n"
     "    %10 = stablehlo.select %8, %b, %d : tensor<i1>, tensor<i32>\n"
     "    stablehlo.return %9, %10 : tensor<f32>, tensor<i32>\n"
     "  }\n"
     "  return %1#1 : tensor<1000xi32>\n}\n"},
    {"sort, 1e6 f32", "func.func @main(%x: tensor<1000000xf32>) -> tensor<1000000xf32> {\n"
                      "  %0 = \"stablehlo.sort\"(%x) <{dimension = 0 : i64, is_stable = true}> ({\n"
                      "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
                      "    %1 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, "
                      "tensor<f32>) -> tensor<i1>\n"
                      "    stablehlo.return %1 : tensor<i1>\n"
                      "  }) : (tensor<1000000xf32>) -> tensor<1000000xf32>\n"
                      "  return %0 : tensor<1000000xf32>\n}\n"},
    {"convolution 3x3, 56x56x64 f32",
     "func.func @main(%x: tensor<1x56x56x64xf32>, %w: tensor<3x3x64x64xf32>) -> "
     "tensor<1x56x56x64xf32> {\n"
     "  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
     "window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : "
     "i64} : (tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32>\n"
     "  return %0 : tensor<1x56x56x64xf32>\n}\n"},
    {"max pool 2x2, 1x112x112x64 f32",
     "func.func @main(%x: tensor<1x112x112x64xf32>) -> tensor<1x56x56x64xf32> {\n"
     "  %c = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
     "  %0 = \"stablehlo.reduce_window\"(%x, %c) <{window_dimensions = array<i64: 1, 2, 2, 1>, "
     "window_strides = array<i64: 1, 2, 2, 1>}> ({\n"
     "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
     "    %1 = stablehlo.maximum %a, %b : tensor<f32>\n"
     "    stablehlo.return %1 : tensor<f32>\n"
     "  }) : (tensor<1x112x112x64xf32>, tensor<f32>) -> tensor<1x56x56x64xf32>\n"
     "  return %0 : tensor<1x56x56x64xf32>\n}\n"},
    {"gather of 20000 rows of 64 f32",
     "func.func @main(%x: tensor<5000x64xf32>, %i: tensor<20000x1xi32>) -> tensor<20000x64xf32> {\n"
     "  %0 = \"stablehlo.gather\"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = "
     "[1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = "
     "array<i64: 1, 64>, indices_are_sorted = false}> : (tensor<5000x64xf32>, tensor<20000x1xi32>) "
     "-> tensor<20000x64xf32>\n"
     "  return %0 : tensor<20000x64xf32>\n}\n"},
    {"scatter-add of 20000 rows of 64 f32",
     "func.func @main(%x: tensor<5000x64xf32>, %i: tensor<20000x1xi32>, %u: tensor<20000x64xf32>) "
     "-> tensor<5000x64xf32> {\n"
     "  %0 = \"stablehlo.scatter\"(%x, %i, %u) <{scatter_dimension_numbers = "
     "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
     "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, "
     "unique_indices = false}> ({\n"
     "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
     "    %1 = stablehlo.add %a, %b : tensor<f32>\n"
     "    stablehlo.return %1 : tensor<f32>\n"
     "  }) : (tensor<5000x64xf32>, tensor<20000x1xi32>, tensor<20000x64xf32>) -> "
     "tensor<5000x64xf32>\n"
     "  return %0 : tensor<5000x64xf32>\n}\n"},
    {"complex multiply and add, 1e6 c64",
     "func.func @main(%x: tensor<1000000xf32>, %y: tensor<1000000xf32>) -> tensor<1000000xf32> {\n"
     "  %0 = stablehlo.complex %x, %y : tensor<1000000xcomplex<f32>>\n"
     "  %1 = stablehlo.complex %y, %x : tensor<1000000xcomplex<f32>>\n"
     "  %2 = stablehlo.optimization_barrier %0 : tensor<1000000xcomplex<f32>>\n"
     "  %3 = stablehlo.multiply %2, %1 : tensor<1000000xcomplex<f32>>\n"
     "  %4 = stablehlo.add %3, %2 : tensor<1000000xcomplex<f32>>\n"
     "  %5 = stablehlo.imag %4 : (tensor<1000000xcomplex<f32>>) -> tensor<1000000xf32>\n"
     "  return %5 : tensor<1000000xf32>\n}\n"},
    {"complex exponential, 1e6 c64",
     "func.func @main(%x: tensor<1000000xf32>, %y: tensor<1000000xf32>) -> tensor<1000000xf32> {\n"
     "  %0 = stablehlo.complex %x, %y : tensor<1000000xcomplex<f32>>\n"
     "  %1 = stablehlo.exponential %0 : tensor<1000000xcomplex<f32>>\n"
     "  %2 = stablehlo.real %1 : (tensor<1000000xcomplex<f32>>) -> tensor<1000000xf32>\n"
     "  return %2 : tensor<1000000xf32>\n}\n"},
    {"complex matmul, 256x256 c64",
     "func.func @main(%x: tensor<256x256xf32>, %y: tensor<256x256xf32>) -> tensor<256x256xf32> {\n"
     "  %0 = stablehlo.complex %x, %y : tensor<256x256xcomplex<f32>>\n"
     "  %1 = stablehlo.complex %y, %x : tensor<256x256xcomplex<f32>>\n"
     "  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : "
     "(tensor<256x256xcomplex<f32>>, tensor<256x256xcomplex<f32>>) -> "
     "tensor<256x256xcomplex<f32>>\n"
     "  %3 = stablehlo.real %2 : (tensor<256x256xcomplex<f32>>) -> tensor<256x256xf32>\n"
     "  return %3 : tensor<256x256xf32>\n}\n"},
    {"cholesky, 256x256 f32", // of x x^T / 256 + 1
     "func.func @main(%x: tensor<256x256xf32>) -> tensor<256x256xf32> {\n"
     "  %c = stablehlo.constant dense<0.00390625> : tensor<256x256xf32>\n"
     "  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<256x256xf32>, "
     "tensor<256x256xf32>) -> tensor<256x256xf32>\n"
     "  %1 = stablehlo.multiply %0, %c : tensor<256x256xf32>\n"
     "  %2 = stablehlo.iota dim = 0 : tensor<256x256xi32>\n"
     "  %3 = stablehlo.iota dim = 1 : tensor<256x256xi32>\n"
     "  %4 = stablehlo.compare EQ, %2, %3 : (tensor<256x256xi32>, tensor<256x256xi32>) -> "
     "tensor<256x256xi1>\n"
     "  %5 = stablehlo.convert %4 : (tensor<256x256xi1>) -> tensor<256x256xf32>\n"
     "  %6 = stablehlo.add %1, %5 : tensor<256x256xf32>\n"
     "  %7 = stablehlo.cholesky %6, lower = true : tensor<256x256xf32>\n"
     "  return %7 : tensor<256x256xf32>\n}\n"},
    {"triangular_solve, 256x256 by 256 f32",
     "func.func @main(%x: tensor<256x256xf32>, %y: tensor<256x256xf32>) -> tensor<256x256xf32> {\n"
     "  %0 = \"stablehlo.triangular_solve\"(%x, %y) <{left_side = true, lower = true, "
     "unit_diagonal = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : "
     "(tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>\n"
     "  return %0 : tensor<256x256xf32>\n}\n"},
    {"a loop of 1000 additions of scalars",
     "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
     "  %z = stablehlo.constant dense<0> : tensor<i32>\n"
     "  %0:2 = stablehlo.while(%i = %z, %a = %x) : tensor<i32>, tensor<f32>\n"
     "  cond {\n"
     "    %n = stablehlo.constant dense<1000> : tensor<i32>\n"
     "    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
     "    stablehlo.return %1 : tensor<i1>\n"
     "  } do {\n"
     "    %one = stablehlo.constant dense<1> : tensor<i32>\n"
     "    %2 = stablehlo.add %i, %one : tensor<i32>\n"
     "    %3 = stablehlo.add %a, %x : tensor<f32>\n"
     "    stablehlo.return %2, %3 : tensor<i32>, tensor<f32>\n"
     "  }\n"
     "  return %0#1 : tensor<f32>\n}\n"},
};

static void check(tl_status st, const char *what) {
  if (st == TL_OK) return;
  fprintf(stderr, "bench_ops: %s: %s\n", what, tl_status_message(st));
  exit(1);
}

// The operands follow from the text: every "%name: tensor<...>" of the first line.
static size_t operands(tl_pjrt_client *c, const char *text, tl_pjrt_buffer **out) {
  size_t n = 0;
  const char *end = strchr(text, '\n');
  for (const char *p = strchr(text, '('); (p = strstr(p, ": tensor<")) && p < end; n++) {
    int64_t dims[8], count = 1;
    size_t rank = 0;
    char *at = (char *)(uintptr_t)p + strlen(": tensor<");
    while (*at >= '0' && *at <= '9') {
      dims[rank] = strtoll(at, &at, 10);
      count *= dims[rank++];
      at++; // x
    }
    const bool floats = *at == 'f';
    uint32_t *data = malloc((size_t)count * 4), state = 1;
    if (!data) exit(1);
    for (int64_t i = 0; i < count; i++) {
      state = state * 1664525u + 1013904223u;
      const float f = (float)(int32_t)state * 0x1p-31f;
      data[i] = (state >> 8) % 5000;
      if (floats) memcpy(&data[i], &f, 4);
    }
    check(tl_pjrt_buffer_from_host(
              c,
              &(tl_pjrt_host){.data = data,
                              .type = floats ? PJRT_Buffer_Type_F32 : PJRT_Buffer_Type_S32,
                              .dims = dims,
                              .n_dims = rank},
              &out[n]),
          "operand");
    free(data);
    p = at;
  }
  return n;
}

static double measure(tl_pjrt_client *c, const program *what) {
  tl_pjrt_executable *x;
  tl_pjrt_buffer *args[8], *out;
  check(tl_pjrt_compile(c, (tl_str){what->text, strlen(what->text)}, what->name, &x), what->name);
  const size_t n = operands(c, what->text, args);
  double best = 1e30;
  const int64_t until = (int64_t)tl_now_ns() + 400000000;
  for (int i = 0; i < 3 || (int64_t)tl_now_ns() < until; i++) {
    const double from = (double)tl_now_ns();
    check(tl_pjrt_execute(x, &(tl_pjrt_call){.args = args, .n_args = n, .outs = &out, .n_outs = 1}),
          what->name);
    const double took = ((double)tl_now_ns() - from) * 1e-3;
    if (took < best) best = took;
    tl_pjrt_buffer_destroy(c, out);
  }
  for (size_t i = 0; i < n; i++)
    tl_pjrt_buffer_destroy(c, args[i]);
  tl_pjrt_executable_release(x);
  return best;
}

int main(int argc, char **argv) {
  tl_pjrt_plugin *ours, *theirs = NULL;
  tl_pjrt_client *tile, *a, *b = NULL;
  tl_pjrt_option threads = {
      .name = "threads", .type = PJRT_NamedValue_kInt64, .int64 = argc > 2 ? atoi(argv[2]) : 0};
  check(tl_pjrt_open_api(tl_plugin_api(), "the embedded device", &ours), "open");
  const tl_pjrt_options options = {.items = &threads, .n_items = threads.int64 > 0};
  setenv("TLALOC_JIT", "off", 1);
  check(tl_pjrt_client_create(ours, &options, &tile), "client");
  setenv("TLALOC_JIT", "always", 1);
  check(tl_pjrt_client_create(ours, &options, &a), "client");
  if (argc > 1 && strcmp(argv[1], "-") != 0) {
    check(tl_pjrt_open(argv[1], &theirs), argv[1]);
    check(tl_pjrt_client_create(theirs, NULL, &b), argv[1]);
  }
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    const double interpreted = measure(tile, &programs[i]);
    const jit_counts before = jit_count();
    const double t = measure(a, &programs[i]);
    const jit_counts after = jit_count();
    const size_t made = after.compiled - before.compiled;
    printf("%-40s tile %8.0f us   code %8.0f us   x %.2f", programs[i].name, interpreted, t,
           interpreted / t);
    if (made)
      printf("   %zu loops, %.1f ms each", made,
             (double)(after.compile_ns - before.compile_ns) * 1e-6 / (double)made);
    if (b) {
      const double u = measure(b, &programs[i]);
      printf("   peer %8.0f us   ours / peer %.2f", u, t / u);
    }
    printf("\n");
    fflush(stdout);
  }
  tl_pjrt_client_release(b);
  tl_pjrt_client_release(a);
  tl_pjrt_client_release(tile);
  return 0;
}
