// Nests larger than a tile, and what divides them: every way of walking, natively (scalar and best
// kernels, one to three threads, fused and one by one) against the interpreter.
#include "cpu/testing_programs.h"

static char text[8192];

TL_PRINTF(1, 2) static void program(const char *format, ...) {
  va_list args;
  va_start(args, format);
  assert_in_range(vsnprintf(text, sizeof text, format, args), 1, sizeof text - 1);
  va_end(args);
}

// Runs it everywhere; nothing of it may be interpreted.
static void agrees(uint64_t seed) {
  tl_module *m = test_parse(text);
  test_run t;
  test_rng r = {seed};
  for (int plain = 0; plain < 2; plain++) {
    for (size_t d = 0; d < test_n_devices; d++)
      test_devices[d].cpu->unfused = plain;
    test_run_begin(&t, tl_module_find(m, TL_STR("main")), &r);
    if (!t.failure[0]) test_run_everywhere(&t, m);
    if (t.failure[0]) {
      fprintf(stderr, "%s\n", text);
      fail_msg("seed %llu, %s: %s", (unsigned long long)seed, plain ? "one by one" : "fused",
               t.failure);
    }
    test_run_end(&t);
    tl_cpu_exe *exe = NULL;
    assert_ok(test_compile(test_devices[1].cpu, m, &exe));
    if (tl_cpu_exe_n_interpreted(exe) != 0) {
      test_print(m);
      fail_msg("%s\ninterpreted", text);
    }
    test_exe_release(exe);
  }
  for (size_t d = 0; d < test_n_devices; d++)
    test_devices[d].cpu->unfused = false;
  tl_module_destroy(m);
}

static const int lengths[] = {1, 15, 16, 17, 511, 512, 513, 1025, 3000};
static const char *const floats[] = {"f32", "f64", "bf16", "f16"};
static const char *const integers[] = {"i8", "i16", "i32", "i64", "ui8", "ui32", "ui64"};

static void chains_cross_tiles(void **state) {
  (void)state;
  for (size_t i = 0; i < TL_COUNT(lengths); i++)
    for (size_t t = 0; t < TL_COUNT(floats); t++) {
      const int n = lengths[i];
      const char *f = floats[t];
      program("func.func @main(%%x: tensor<%dx%s>, %%y: tensor<%dx%s>) -> (tensor<%dx%s>, "
              "tensor<%dxi1>) {\n"
              "  %%0 = stablehlo.add %%x, %%y : tensor<%dx%s>\n"
              "  %%1 = stablehlo.exponential %%0 : tensor<%dx%s>\n"
              "  %%2 = stablehlo.tanh %%1 : tensor<%dx%s>\n"
              "  %%3 = stablehlo.sine %%2 : tensor<%dx%s>\n"
              "  %%4 = stablehlo.compare LT, %%3, %%x : (tensor<%dx%s>, tensor<%dx%s>) -> "
              "tensor<%dxi1>\n"
              "  %%5 = stablehlo.select %%4, %%3, %%y : tensor<%dxi1>, tensor<%dx%s>\n"
              "  return %%5, %%4 : tensor<%dx%s>, tensor<%dxi1>\n}\n",
              n, f, n, f, n, f, n, n, f, n, f, n, f, n, f, n, f, n, f, n, n, n, f, n, f, n);
      agrees(i * 10 + t);
    }
}

static void integers_keep_their_width(void **state) {
  (void)state;
  for (size_t t = 0; t < TL_COUNT(integers); t++) {
    const char *f = integers[t];
    program("func.func @main(%%x: tensor<700x%s>, %%y: tensor<700x%s>) -> tensor<700x%s> {\n"
            "  %%0 = stablehlo.multiply %%x, %%y : tensor<700x%s>\n"
            "  %%1 = stablehlo.divide %%0, %%y : tensor<700x%s>\n"
            "  %%2 = stablehlo.remainder %%x, %%1 : tensor<700x%s>\n"
            "  %%3 = stablehlo.shift_left %%2, %%y : tensor<700x%s>\n"
            "  %%4 = stablehlo.shift_right_arithmetic %%3, %%x : tensor<700x%s>\n"
            "  %%5 = stablehlo.popcnt %%4 : tensor<700x%s>\n"
            "  %%6 = stablehlo.power %%x, %%5 : tensor<700x%s>\n"
            "  %%7 = stablehlo.xor %%6, %%3 : tensor<700x%s>\n"
            "  return %%7 : tensor<700x%s>\n}\n",
            f, f, f, f, f, f, f, f, f, f, f, f);
    agrees(t);
  }
}

// Complex numbers: arithmetic by vectors, functions by the interpreter, parts that nobody wants,
// comparisons, reductions of each kind, and moves.
static void complex_numbers_are_pairs(void **state) {
  (void)state;
  static const char *const parts[] = {"f32", "f64"};
  static const int counts[] = {1, 17, 513, 1500};
  for (size_t i = 0; i < TL_COUNT(counts); i++)
    for (size_t t = 0; t < TL_COUNT(parts); t++) {
      const char *f = parts[t];
      const int n = counts[i];
      program("func.func @main(%%x: tensor<%dxcomplex<%s>>, %%y: tensor<%dxcomplex<%s>>, %%p: "
              "tensor<%dxi1>) -> (tensor<%dxcomplex<%s>>, tensor<%dx%s>, tensor<%dxi1>) {\n"
              "  %%0 = stablehlo.multiply %%x, %%y : tensor<%dxcomplex<%s>>\n"
              "  %%1 = stablehlo.subtract %%0, %%x : tensor<%dxcomplex<%s>>\n"
              "  %%2 = stablehlo.divide %%1, %%y : tensor<%dxcomplex<%s>>\n"
              "  %%3 = stablehlo.tanh %%2 : tensor<%dxcomplex<%s>>\n"
              "  %%4 = stablehlo.compare GE, %%3, %%x : (tensor<%dxcomplex<%s>>, "
              "tensor<%dxcomplex<%s>>) -> tensor<%dxi1>\n"
              "  %%5 = stablehlo.select %%4, %%3, %%0 : tensor<%dxi1>, tensor<%dxcomplex<%s>>\n"
              "  %%6 = stablehlo.imag %%5 : (tensor<%dxcomplex<%s>>) -> tensor<%dx%s>\n"
              "  %%7 = stablehlo.abs %%5 : (tensor<%dxcomplex<%s>>) -> tensor<%dx%s>\n"
              "  %%8 = stablehlo.add %%6, %%7 : tensor<%dx%s>\n"
              "  return %%5, %%8, %%4 : tensor<%dxcomplex<%s>>, tensor<%dx%s>, tensor<%dxi1>\n}\n",
              n, f, n, f, n, n, f, n, f, n, n, f, n, f, n, f, n, f, n, f, n, f, n, n, n, f, n, f, n,
              f, n, f, n, f, n, f, n, f, n, f, n);
      agrees(i * 10 + t);
    }
  for (size_t t = 0; t < TL_COUNT(parts); t++) {
    const char *f = parts[t];
    program(
        "func.func @main(%%x: tensor<30x70xcomplex<%s>>, %%y: tensor<70x30xcomplex<%s>>, %%i: "
        "tensor<complex<%s>>, %%z: tensor<i32>) -> (tensor<30xcomplex<%s>>, "
        "tensor<70xcomplex<%s>>, tensor<complex<%s>>, tensor<20x70xcomplex<%s>>, "
        "tensor<66x30xcomplex<%s>>) {\n"
        "  %%t = stablehlo.transpose %%y, dims = [1, 0] : (tensor<70x30xcomplex<%s>>) -> "
        "tensor<30x70xcomplex<%s>>\n"
        "  %%0 = stablehlo.multiply %%x, %%t : tensor<30x70xcomplex<%s>>\n"
        "  %%1 = stablehlo.reduce(%%0 init: %%i) applies stablehlo.add across dimensions = [1] "
        ": (tensor<30x70xcomplex<%s>>, tensor<complex<%s>>) -> tensor<30xcomplex<%s>>\n"
        "  %%2 = stablehlo.reduce(%%x init: %%i) applies stablehlo.maximum across dimensions = "
        "[0] : (tensor<30x70xcomplex<%s>>, tensor<complex<%s>>) -> tensor<70xcomplex<%s>>\n"
        "  %%3 = stablehlo.reduce(%%x init: %%i) applies stablehlo.multiply across dimensions = "
        "[0, 1] : (tensor<30x70xcomplex<%s>>, tensor<complex<%s>>) -> tensor<complex<%s>>\n"
        "  %%4 = stablehlo.dynamic_slice %%t, %%z, %%z, sizes = [20, 70] : "
        "(tensor<30x70xcomplex<%s>>, tensor<i32>, tensor<i32>) -> tensor<20x70xcomplex<%s>>\n"
        "  %%5 = stablehlo.reverse %%4, dims = [1] : tensor<20x70xcomplex<%s>>\n"
        "  %%6 = stablehlo.pad %%y, %%i, low = [1, 0], high = [-5, 0], interior = [0, 0] : "
        "(tensor<70x30xcomplex<%s>>, tensor<complex<%s>>) -> tensor<66x30xcomplex<%s>>\n"
        "  return %%1, %%2, %%3, %%5, %%6 : tensor<30xcomplex<%s>>, tensor<70xcomplex<%s>>, "
        "tensor<complex<%s>>, tensor<20x70xcomplex<%s>>, tensor<66x30xcomplex<%s>>\n}\n",
        f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f,
        f);
    agrees(100 + t);
  }
}

// Dims that are walked in other orders than memory's, dims of 1, strides, reversals, broadcasts.
static void odd_walks(void **state) {
  (void)state;
  program("func.func @main(%%x: tensor<9x40x7xf32>, %%b: tensor<40xf32>) -> tensor<7x9x40xf32> {\n"
          "  %%0 = stablehlo.transpose %%x, dims = [2, 0, 1] : (tensor<9x40x7xf32>) -> "
          "tensor<7x9x40xf32>\n"
          "  %%1 = stablehlo.broadcast_in_dim %%b, dims = [2] : (tensor<40xf32>) -> "
          "tensor<7x9x40xf32>\n"
          "  %%2 = stablehlo.reverse %%1, dims = [2] : tensor<7x9x40xf32>\n"
          "  %%3 = stablehlo.add %%0, %%2 : tensor<7x9x40xf32>\n"
          "  %%4 = stablehlo.iota dim = 1 : tensor<7x9x40xf32>\n"
          "  %%5 = stablehlo.multiply %%3, %%4 : tensor<7x9x40xf32>\n"
          "  return %%5 : tensor<7x9x40xf32>\n}\n");
  agrees(1);
  program("func.func @main(%%x: tensor<50x30xbf16>) -> tensor<1x5x10x9xf32> {\n"
          "  %%0 = stablehlo.negate %%x : tensor<50x30xbf16>\n"
          "  %%1 = stablehlo.slice %%0 [0:50, 2:29:3] : (tensor<50x30xbf16>) -> tensor<50x9xbf16>\n"
          "  %%2 = stablehlo.convert %%1 : (tensor<50x9xbf16>) -> tensor<50x9xf32>\n"
          "  %%3 = stablehlo.reshape %%2 : (tensor<50x9xf32>) -> tensor<1x5x10x9xf32>\n"
          "  %%4 = stablehlo.exponential %%3 : tensor<1x5x10x9xf32>\n"
          "  return %%4 : tensor<1x5x10x9xf32>\n}\n");
  agrees(2);
  program("func.func @main(%%x: tensor<7x90xf32>, %%y: tensor<7x200xf32>, %%z: tensor<f32>) -> "
          "tensor<11x600xf32> {\n"
          "  %%0 = stablehlo.negate %%x : tensor<7x90xf32>\n"
          "  %%1 = stablehlo.concatenate %%0, %%y, %%x, dim = 1 : (tensor<7x90xf32>, "
          "tensor<7x200xf32>, tensor<7x90xf32>) -> tensor<7x380xf32>\n"
          "  %%2 = stablehlo.pad %%1, %%z, low = [-1, 3], high = [0, -162], interior = [1, 1] : "
          "(tensor<7x380xf32>, tensor<f32>) -> tensor<12x600xf32>\n"
          "  %%3 = stablehlo.slice %%2 [1:12, 0:600] : (tensor<12x600xf32>) -> "
          "tensor<11x600xf32>\n"
          "  return %%3 : tensor<11x600xf32>\n}\n");
  agrees(3);
}

static void sums_by_rows_and_columns(void **state) {
  (void)state;
  static const int shapes[][2] = {{1, 3000}, {3000, 1}, {20, 700}, {700, 20}, {3, 17},
                                  {17, 3},   {40, 513}, {0, 5},    {5, 0},    {130, 33}};
  static const char *const ops[] = {"add", "maximum", "multiply"};
  for (size_t i = 0; i < TL_COUNT(shapes); i++)
    for (size_t t = 0; t < TL_COUNT(floats) + 2; t++)
      for (size_t o = 0; o < TL_COUNT(ops); o++)
        for (int dim = 0; dim < 2; dim++) {
          const char *f = t < TL_COUNT(floats) ? floats[t] : t == TL_COUNT(floats) ? "i32" : "i8";
          const int a = shapes[i][0], b = shapes[i][1], k = shapes[i][1 - dim];
          program(
              "func.func @main(%%x: tensor<%dx%dx%s>, %%i: tensor<%s>) -> tensor<%dx%s> {\n"
              "  %%0 = stablehlo.multiply %%x, %%x : tensor<%dx%dx%s>\n"
              "  %%1 = stablehlo.reduce(%%0 init: %%i) applies stablehlo.%s across dimensions = "
              "[%d] : (tensor<%dx%dx%s>, tensor<%s>) -> tensor<%dx%s>\n"
              "  return %%1 : tensor<%dx%s>\n}\n",
              a, b, f, f, k, f, a, b, f, ops[o], dim, a, b, f, f, k, f, k, f);
          agrees(i);
        }
}

static void regions_of_several_values(void **state) { // argmax, ties and NaN
  (void)state;
  for (int dim = 0; dim < 2; dim++)
    for (size_t t = 0; t < TL_COUNT(floats); t++) {
      const char *f = floats[t];
      const int n = dim ? 600 : 33;
      program(
          "func.func @main(%%x: tensor<600x33x%s>, %%v: tensor<%s>, %%z: tensor<i32>) -> "
          "(tensor<%dx%s>, tensor<%dxi32>) {\n"
          "  %%0 = stablehlo.iota dim = %d : tensor<600x33xi32>\n"
          "  %%1:2 = stablehlo.reduce(%%x init: %%v), (%%0 init: %%z) across dimensions = [%d] : "
          "(tensor<600x33x%s>, tensor<600x33xi32>, tensor<%s>, tensor<i32>) -> "
          "(tensor<%dx%s>, tensor<%dxi32>)\n"
          "  reducer(%%a: tensor<%s>, %%c: tensor<%s>) (%%b: tensor<i32>, %%d: tensor<i32>) {\n"
          "    %%2 = stablehlo.compare GE, %%a, %%c : (tensor<%s>, tensor<%s>) -> tensor<i1>\n"
          "    %%3 = stablehlo.select %%2, %%a, %%c : tensor<i1>, tensor<%s>\n"
          "    %%4 = stablehlo.compare EQ, %%a, %%c : (tensor<%s>, tensor<%s>) -> tensor<i1>\n"
          "    %%5 = stablehlo.minimum %%b, %%d : tensor<i32>\n"
          "    %%6 = stablehlo.select %%2, %%b, %%d : tensor<i1>, tensor<i32>\n"
          "    %%7 = stablehlo.select %%4, %%5, %%6 : tensor<i1>, tensor<i32>\n"
          "    stablehlo.return %%3, %%7 : tensor<%s>, tensor<i32>\n"
          "  }\n"
          "  return %%1#0, %%1#1 : tensor<%dx%s>, tensor<%dxi32>\n}\n",
          f, f, n, f, n, dim, 1 - dim == 0 ? 1 : 0, f, f, n, f, n, f, f, f, f, f, f, f, f, n, f, n);
      agrees((uint64_t)dim);
    }
}

static void indexed(void **state) {
  (void)state;
  program(
      "func.func @main(%%x: tensor<50x70xf32>, %%i: tensor<40x1xi32>) -> tensor<40x70xf32> {\n"
      "  %%0 = \"stablehlo.gather\"(%%x, %%i) {dimension_numbers = #stablehlo.gather<offset_dims = "
      "[1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes "
      "= "
      "array<i64: 1, 70>} : (tensor<50x70xf32>, tensor<40x1xi32>) -> tensor<40x70xf32>\n"
      "  %%1 = stablehlo.negate %%0 : tensor<40x70xf32>\n"
      "  return %%1 : tensor<40x70xf32>\n}\n");
  agrees(1);
  for (size_t t = 0; t < TL_COUNT(floats) + 1; t++) // few rows, so that most updates meet
    for (int width = 1; width <= 301; width += 300) {
      const char *f = t < TL_COUNT(floats) ? floats[t] : "i8";
      program("func.func @main(%%x: tensor<5x%dx%s>, %%i: tensor<700x1xi32>, %%u: "
              "tensor<700x%dx%s>) -> tensor<5x%dx%s> {\n"
              "  %%0 = \"stablehlo.scatter\"(%%x, %%i, %%u) <{scatter_dimension_numbers = "
              "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
              "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n"
              "  ^bb0(%%a: tensor<%s>, %%b: tensor<%s>):\n"
              "    %%1 = stablehlo.add %%a, %%b : tensor<%s>\n"
              "    stablehlo.return %%1 : tensor<%s>\n"
              "  }) : (tensor<5x%dx%s>, tensor<700x1xi32>, tensor<700x%dx%s>) -> tensor<5x%dx%s>\n"
              "  return %%0 : tensor<5x%dx%s>\n}\n",
              width, f, width, f, width, f, f, f, f, f, width, f, width, f, width, f, width, f);
      agrees(t);
    }
}

static void sorts(void **state) {
  (void)state;
  static const char *const orders[] = {"LT", "GT", "LT,  TOTALORDER", "GT,  TOTALORDER"};
  for (size_t i = 0; i < TL_COUNT(lengths); i++)
    for (size_t t = 0; t < TL_COUNT(floats) + TL_COUNT(integers); t++)
      for (size_t o = 0; o < TL_COUNT(orders); o++) {
        const bool is_float = t < TL_COUNT(floats);
        const char *f = is_float ? floats[t] : integers[t - TL_COUNT(floats)];
        const int n = lengths[i];
        if (!is_float && o > 1) continue;
        program(
            "func.func @main(%%x: tensor<%dx3x%s>, %%y: tensor<%dx3xi32>) -> (tensor<%dx3x%s>, "
            "tensor<%dx3xi32>) {\n"
            "  %%0:2 = \"stablehlo.sort\"(%%x, %%y) <{dimension = 0 : i64, is_stable = true}> ({\n"
            "  ^bb0(%%a: tensor<%s>, %%b: tensor<%s>, %%c: tensor<i32>, %%d: tensor<i32>):\n"
            "    %%1 = stablehlo.compare %.2s, %%a, %%b%s : (tensor<%s>, tensor<%s>) -> "
            "tensor<i1>\n"
            "    stablehlo.return %%1 : tensor<i1>\n"
            "  }) : (tensor<%dx3x%s>, tensor<%dx3xi32>) -> (tensor<%dx3x%s>, tensor<%dx3xi32>)\n"
            "  return %%0#0, %%0#1 : tensor<%dx3x%s>, tensor<%dx3xi32>\n}\n",
            n, f, n, n, f, n, f, f, orders[o], o > 1 ? ",  TOTALORDER" : "", f, f, n, f, n, n, f, n,
            n, f, n);
        agrees(i + t);
      }
}

// One slice, which threads share: more of them than it has elements, too, and runs that are merged
// twice over. Most keys are equal to others. What is sorted is sorted again, the other way. Floats
// have NaN: by totalOrder they are sorted by keys, else by merging.
static void sorts_are_shared(void **state) {
  (void)state;
  static const int counts[] = {2, 3, 41, 83, 4096, 9001};
  static const char *const types[] = {"i8", "i32", "f32", "f64", "ui64"};
  test_device *five = &test_devices[test_n_devices++];
  five->name = "5 threads";
  assert_ok(tl_cpu_create(&(tl_cpu_options){.n_threads = 5}, &five->cpu));
  five->cpu->eager = true;
  for (size_t i = 0; i < TL_COUNT(counts); i++)
    for (size_t t = 0; t < TL_COUNT(types); t++)
      for (int total = 0; total <= (*types[t] == 'f'); total++) {
        const char *f = types[t], *order = total ? ",  TOTALORDER" : "";
        const int n = counts[i];
        char body[2][512];
        for (int k = 0; k < 2; k++)
          snprintf(body[k], sizeof body[k],
                   "<{dimension = 0 : i64, is_stable = true}> ({\n"
                   "  ^bb0(%%a: tensor<%s>, %%b: tensor<%s>, %%c: tensor<i32>, %%d: "
                   "tensor<i32>):\n"
                   "    %%2 = stablehlo.compare %s, %%a, %%b%s : (tensor<%s>, tensor<%s>) -> "
                   "tensor<i1>\n"
                   "    stablehlo.return %%2 : tensor<i1>\n"
                   "  }) : (tensor<%dx%s>, tensor<%dxi32>) -> (tensor<%dx%s>, tensor<%dxi32>)\n",
                   f, f, k ? "GT" : "LT", order, f, f, n, f, n, n, f, n);
        program("func.func @main(%%x: tensor<%dx%s>, %%y: tensor<%dxi32>) -> (tensor<%dx%s>, "
                "tensor<%dxi32>, tensor<%dx%s>, tensor<%dxi32>) {\n"
                "  %%0:2 = \"stablehlo.sort\"(%%x, %%y) %s"
                "  %%1:2 = \"stablehlo.sort\"(%%0#0, %%0#1) %s"
                "  return %%0#0, %%0#1, %%1#0, %%1#1 : tensor<%dx%s>, tensor<%dxi32>, "
                "tensor<%dx%s>, tensor<%dxi32>\n}\n",
                n, f, n, n, f, n, n, f, n, body[0], body[1], n, f, n, n, f, n);
        agrees(i + t);
      }
  tl_cpu_release(test_devices[--test_n_devices].cpu);
}

// Of which slices alone are looked at, the first few of each: by keys these are picked. Beside them
// one that is looked at whole, inside a region.
static void sorts_of_few(void **state) {
  (void)state;
  static const int counts[] = {8, 41, 1201};
  static const char *const types[] = {"i8", "i32", "f32", "f64", "ui64", "bf16"};
  for (size_t i = 0; i < TL_COUNT(counts); i++)
    for (size_t t = 0; t < TL_COUNT(types); t++)
      for (int k = 0; k < 4; k++) {
        const char *f = types[t];
        const bool total = k == 1 && strchr(f, 'f'), whole = k == 3;
        const int n = counts[i], few = TL_MAX(n / (k == 2 ? 2 : 8), 1), from = few / 2;
        char rest[512];
        snprintf(rest, sizeof rest,
                 whole ? "  %%4 = \"stablehlo.case\"(%%i) ({\n    stablehlo.return %%0#1 : "
                         "tensor<2x%dxi32>\n  }, {\n    stablehlo.return %%0#1 : "
                         "tensor<2x%dxi32>\n  }) : (tensor<i32>) -> tensor<2x%dxi32>\n"
                       : "  %%4 = stablehlo.slice %%0#1 [1:2, 0:1] : (tensor<2x%dxi32>) -> "
                         "tensor<1x1xi32>\n",
                 n, n, n);
        const int rows = whole ? 2 : 1, columns = whole ? n : 1;
        program(
            "func.func @main(%%x: tensor<2x%dx%s>, %%y: tensor<2x%dxi32>, %%i: tensor<i32>) -> "
            "(tensor<2x%dx%s>, tensor<1x%dxi32>, tensor<%dx%dxi32>) {\n"
            "  %%0:2 = \"stablehlo.sort\"(%%x, %%y) <{dimension = 1 : i64, is_stable = true}> "
            "({\n"
            "  ^bb0(%%a: tensor<%s>, %%b: tensor<%s>, %%c: tensor<i32>, %%d: tensor<i32>):\n"
            "    %%1 = stablehlo.compare GT, %%a, %%b%s : (tensor<%s>, tensor<%s>) -> "
            "tensor<i1>\n"
            "    stablehlo.return %%1 : tensor<i1>\n"
            "  }) : (tensor<2x%dx%s>, tensor<2x%dxi32>) -> (tensor<2x%dx%s>, tensor<2x%dxi32>)\n"
            "  %%2 = stablehlo.slice %%0#0 [0:2, 0:%d] : (tensor<2x%dx%s>) -> tensor<2x%dx%s>\n"
            "  %%3 = stablehlo.slice %%0#1 [1:2, %d:%d] : (tensor<2x%dxi32>) -> "
            "tensor<1x%dxi32>\n"
            "%s"
            "  return %%2, %%3, %%4 : tensor<2x%dx%s>, tensor<1x%dxi32>, tensor<%dx%dxi32>\n}\n",
            n, f, n, few, f, few - from, rows, columns, f, f, total ? ",  TOTALORDER" : "", f, f, n,
            f, n, n, f, n, few, n, f, few, f, from, few, n, few - from, rest, few, f, few - from,
            rows, columns);
        agrees(i + t);
      }
}

// By two keys: no number orders it, the program does.
static void sorts_by_programs(void **state) {
  (void)state;
  for (size_t i = 0; i < TL_COUNT(lengths); i++) {
    const int n = lengths[i];
    program("func.func @main(%%x: tensor<2x%dxf32>, %%y: tensor<2x%dxi8>) -> (tensor<2x%dxf32>, "
            "tensor<2x%dxi8>) {\n"
            "  %%0:2 = \"stablehlo.sort\"(%%x, %%y) <{dimension = 1 : i64, is_stable = true}> ({\n"
            "  ^bb0(%%a: tensor<f32>, %%b: tensor<f32>, %%c: tensor<i8>, %%d: tensor<i8>):\n"
            "    %%1 = stablehlo.compare LT, %%c, %%d : (tensor<i8>, tensor<i8>) -> tensor<i1>\n"
            "    %%2 = stablehlo.compare EQ, %%c, %%d : (tensor<i8>, tensor<i8>) -> tensor<i1>\n"
            "    %%3 = stablehlo.compare GT, %%a, %%b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
            "    %%4 = stablehlo.and %%2, %%3 : tensor<i1>\n"
            "    %%5 = stablehlo.or %%1, %%4 : tensor<i1>\n"
            "    stablehlo.return %%5 : tensor<i1>\n"
            "  }) : (tensor<2x%dxf32>, tensor<2x%dxi8>) -> (tensor<2x%dxf32>, tensor<2x%dxi8>)\n"
            "  return %%0#0, %%0#1 : tensor<2x%dxf32>, tensor<2x%dxi8>\n}\n",
            n, n, n, n, n, n, n, n, n, n);
    agrees(i);
  }
}

// Long lines, which threads share where one is left over.
static void transforms_are_shared(void **state) {
  (void)state;
  static const char *const kinds[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
  for (size_t k = 0; k < TL_COUNT(kinds); k++)
    for (int wide = 0; wide < 2; wide++)
      for (int rows = 1; rows <= 3; rows += 2) {
        const int n = 32768;
        const char *f = wide ? "f64" : "f32";
        char complex_type[64], real_type[64], half_type[64];
        snprintf(complex_type, sizeof complex_type, "tensor<%dx%dxcomplex<%s>>", rows, n, f);
        snprintf(half_type, sizeof half_type, "tensor<%dx%dxcomplex<%s>>", rows, n / 2 + 1, f);
        snprintf(real_type, sizeof real_type, "tensor<%dx%dx%s>", rows, n, f);
        const char *in = k == 2   ? real_type
                         : k == 3 ? half_type
                                  : complex_type,
                   *out = k == 2   ? half_type
                          : k == 3 ? real_type
                                   : complex_type;
        program("func.func @main(%%x: %s) -> %s {\n"
                "  %%0 = stablehlo.fft %%x, type = %s, length = [%d] : (%s) -> %s\n"
                "  return %%0 : %s\n}\n",
                in, out, kinds[k], n, in, out, out);
        agrees(k);
      }
}

static void dots_of_every_type(void **state) {
  (void)state;
  static const char *const types[][3] = {{"f32", "f32", "f32"},    {"f64", "f64", "f64"},
                                         {"bf16", "bf16", "bf16"}, {"bf16", "bf16", "f32"},
                                         {"f16", "f16", "f16"},    {"i8", "i8", "i32"},
                                         {"i32", "i32", "i32"},    {"ui8", "ui8", "ui8"}};
  for (size_t t = 0; t < TL_COUNT(types); t++) {
    const char *a = types[t][0], *b = types[t][1], *c = types[t][2];
    program(
        "func.func @main(%%x: tensor<3x20x130x%s>, %%w: tensor<130x3x33x%s>) -> "
        "tensor<3x20x33x%s> {\n"
        "  %%0 = stablehlo.dot_general %%x, %%w, batching_dims = [0] x [1], contracting_dims = [2] "
        "x [0] : (tensor<3x20x130x%s>, tensor<130x3x33x%s>) -> tensor<3x20x33x%s>\n"
        "  return %%0 : tensor<3x20x33x%s>\n}\n",
        a, b, c, a, b, c, c);
    agrees(t);
    program("func.func @main(%%x: tensor<4x5x6x%s>, %%w: tensor<6x7x4x%s>) -> tensor<5x7x%s> {\n"
            "  %%0 = stablehlo.dot_general %%x, %%w, contracting_dims = [2, 0] x [0, 2] : "
            "(tensor<4x5x6x%s>, tensor<6x7x4x%s>) -> tensor<5x7x%s>\n"
            "  return %%0 : tensor<5x7x%s>\n}\n",
            a, b, c, a, b, c, c);
    agrees(t + 10);
  }
}

static void convolutions(void **state) {
  (void)state;
  static const char *const types[] = {"f32", "f64", "bf16", "i32", "i8"};
  for (size_t t = 0; t < TL_COUNT(types); t++) {
    const char *f = types[t];
    program(
        "func.func @main(%%x: tensor<2x13x11x6x%s>, %%w: tensor<3x2x3x20x%s>) -> "
        "tensor<2x7x20x20x%s> {\n"
        "  %%0 = stablehlo.convolution(%%x, %%w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, "
        "1, f], window = {stride = [2, 1], pad = [[1, 1], [0, 2]], lhs_dilate = [1, 2], "
        "rhs_dilate = [1, 3]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : "
        "(tensor<2x13x11x6x%s>, tensor<3x2x3x20x%s>) -> tensor<2x7x20x20x%s>\n"
        "  return %%0 : tensor<2x7x20x20x%s>\n}\n",
        f, f, f, f, f, f, f);
    agrees(t);
    program(
        "func.func @main(%%x: tensor<2x5x20x20x%s>, %%w: tensor<33x5x3x3x%s>) -> "
        "tensor<2x33x18x18x%s> {\n"
        "  %%0 = stablehlo.convolution(%%x, %%w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, "
        "0, 1], window = {reverse = [true, false]} {batch_group_count = 1 : i64, "
        "feature_group_count = 1 : i64} : (tensor<2x5x20x20x%s>, tensor<33x5x3x3x%s>) -> "
        "tensor<2x33x18x18x%s>\n"
        "  return %%0 : tensor<2x33x18x18x%s>\n}\n",
        f, f, f, f, f, f, f);
    agrees(t + 10);
    program( // a feature a group, of more terms than a block; windows padded, apart and reversed
        "func.func @main(%%x: tensor<2x19x17x37x%s>, %%w: tensor<9x8x1x37x%s>) -> "
        "tensor<2x7x12x37x%s> {\n"
        "  %%0 = stablehlo.convolution(%%x, %%w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, "
        "1, f], window = {stride = [2, 1], pad = [[1, 2], [1, 1]], reverse = [false, true]} "
        "{batch_group_count = 1 : i64, feature_group_count = 37 : i64} : "
        "(tensor<2x19x17x37x%s>, tensor<9x8x1x37x%s>) -> tensor<2x7x12x37x%s>\n"
        "  return %%0 : tensor<2x7x12x37x%s>\n}\n",
        f, f, f, f, f, f, f);
    agrees(t + 20);
    program( // the same with places side by side
        "func.func @main(%%x: tensor<2x5x19x17x%s>, %%w: tensor<5x1x3x2x%s>) -> "
        "tensor<2x5x17x16x%s> {\n"
        "  %%0 = stablehlo.convolution(%%x, %%w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, "
        "0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 5 : i64} : "
        "(tensor<2x5x19x17x%s>, tensor<5x1x3x2x%s>) -> tensor<2x5x17x16x%s>\n"
        "  return %%0 : tensor<2x5x17x16x%s>\n}\n",
        f, f, f, f, f, f, f);
    agrees(t + 30);
  }
}

// Factors and substitutions of more rows than are taken at once and more vectors than a thread has.
static void factors(void **state) {
  (void)state;
  static const char *const types[] = {"f32", "f64", "bf16", "complex<f32>", "complex<f64>"};
  static const char *const ways[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
  for (size_t t = 0; t < TL_COUNT(types); t++) {
    const char *f = types[t];
    const char *large = f[0] == 'c' ? "(1.0e3, 0.0)" : "1.0e3";
    for (int n = 1; n < 40; n += 9) // x x^T and a large diagonal
      for (int lower = 0; lower < 2; lower++) {
        program("func.func @main(%%x: tensor<3x%dx%dx%s>) -> tensor<3x%dx%dx%s> {\n"
                "  %%0 = stablehlo.dot_general %%x, %%x, batching_dims = [0] x [0], "
                "contracting_dims = [2] x [2] : (tensor<3x%dx%dx%s>, tensor<3x%dx%dx%s>) -> "
                "tensor<3x%dx%dx%s>\n"
                "  %%1 = stablehlo.iota dim = 1 : tensor<3x%dx%dxi32>\n"
                "  %%2 = stablehlo.iota dim = 2 : tensor<3x%dx%dxi32>\n"
                "  %%3 = stablehlo.compare EQ, %%1, %%2 : (tensor<3x%dx%dxi32>, "
                "tensor<3x%dx%dxi32>) -> tensor<3x%dx%dxi1>\n"
                "  %%c = stablehlo.constant dense<%s> : tensor<3x%dx%dx%s>\n"
                "  %%4 = stablehlo.select %%3, %%c, %%0 : tensor<3x%dx%dxi1>, tensor<3x%dx%dx%s>\n"
                "  %%5 = stablehlo.cholesky %%4, lower = %s : tensor<3x%dx%dx%s>\n"
                "  return %%5 : tensor<3x%dx%dx%s>\n}\n",
                n, n, f, n, n, f, n, n, f, n, n, f, n, n, f, n, n, n, n, n, n, n, n, n, n, large, n,
                n, f, n, n, n, n, f, lower ? "true" : "false", n, n, f, n, n, f);
        agrees((uint64_t)n);
      }
    for (int k = 0; k < 24; k++) {
      const bool left = k & 1, lower = k & 2, unit = k & 4;
      const int n = 1 + 5 * (k % 4), m = k % 5 == 0 ? 300 : 20, rows = left ? n : m,
                cols = left ? m : n;
      program("func.func @main(%%a: tensor<2x%dx%dx%s>, %%b: tensor<2x%dx%dx%s>) -> "
              "tensor<2x%dx%dx%s> {\n"
              "  %%0 = \"stablehlo.triangular_solve\"(%%a, %%b) <{left_side = %s, lower = %s, "
              "unit_diagonal = %s, transpose_a = #stablehlo<transpose %s>}> : "
              "(tensor<2x%dx%dx%s>, tensor<2x%dx%dx%s>) -> tensor<2x%dx%dx%s>\n"
              "  return %%0 : tensor<2x%dx%dx%s>\n}\n",
              n, n, f, rows, cols, f, rows, cols, f, left ? "true" : "false",
              lower ? "true" : "false", unit ? "true" : "false", ways[k / 8], n, n, f, rows, cols,
              f, rows, cols, f, rows, cols, f);
      agrees((uint64_t)k);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(chains_cross_tiles),
                                     cmocka_unit_test(integers_keep_their_width),
                                     cmocka_unit_test(complex_numbers_are_pairs),
                                     cmocka_unit_test(odd_walks),
                                     cmocka_unit_test(sums_by_rows_and_columns),
                                     cmocka_unit_test(regions_of_several_values),
                                     cmocka_unit_test(indexed),
                                     cmocka_unit_test(sorts),
                                     cmocka_unit_test(sorts_are_shared),
                                     cmocka_unit_test(sorts_of_few),
                                     cmocka_unit_test(sorts_by_programs),
                                     cmocka_unit_test(transforms_are_shared),
                                     cmocka_unit_test(dots_of_every_type),
                                     cmocka_unit_test(convolutions),
                                     cmocka_unit_test(factors)};
  return cmocka_run_group_tests(tests, test_devices_create, test_devices_release);
}
