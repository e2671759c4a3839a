// What a step of a loop costs: `bench_loops`.
//
// Three loops on one thread of the native device, in nanoseconds a step: one that only counts, an
// Euler step of 100 states, and Threefry (the generator of jax.random) written out; and the
// gradient of the Euler loop within 100 checkpoints, 10,000 steps of which each writes a state into
// stacks of 101, in seconds, on all threads, beside the reference interpreter. The best of the
// rounds.
#include "ad/ad.h"
#include "cpu/cpu.h"
#include "ref/ref.h"
#include "rounds.h"
#include "shlo/shlo.h"

enum { ROUNDS = 5, STATES = 100 };

#define LOOP(carried, types, body)                                                      \
  "  %zero = stablehlo.constant dense<0> : tensor<i64>\n"                               \
  "  %one = stablehlo.constant dense<1> : tensor<i64>\n"                                \
  "  %r:2 = stablehlo.while(%i = %zero, " carried ") : tensor<i64>, " types "\n"        \
  "  cond {\n"                                                                          \
  "    %go = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>\n" \
  "    stablehlo.return %go : tensor<i1>\n"                                             \
  "  } do {\n"                                                                          \
  "    %j = stablehlo.add %i, %one : tensor<i64>\n" body                                \
  "    stablehlo.return %j, %z : tensor<i64>, " types "\n"                              \
  "  }\n"

static const char counter[] =
    "func.func @main(%x: tensor<100xf64>, %n: tensor<i64>) -> tensor<f64> {\n"
    "  %c = stablehlo.constant dense<1.0> : tensor<f64>\n" LOOP(
        "%y = %c", "tensor<f64>",
        "    %z = stablehlo.negate %y : tensor<f64>\n") "  return %r#1 : tensor<f64>\n}\n";

static const char euler[] =
    "func.func @main(%x: tensor<100xf64>, %n: tensor<i64>) -> tensor<f64> {\n" LOOP(
        "%y = %x", "tensor<100xf64>",
        "    %s = stablehlo.multiply %y, %y : tensor<100xf64>\n"
        "    %h = stablehlo.constant dense<1.0e-3> : tensor<100xf64>\n"
        "    %d = stablehlo.multiply %s, %h : tensor<100xf64>\n"
        "    %z = stablehlo.subtract %y, %d : tensor<100xf64>\n") "  %c0 = stablehlo.constant "
                                                                  "dense<0.0> : tensor<f64>\n"
                                                                  "  %sum = stablehlo.reduce(%r#1 "
                                                                  "init: %c0) applies "
                                                                  "stablehlo.add across dimensions "
                                                                  "= [0]\n"
                                                                  "    : (tensor<100xf64>, "
                                                                  "tensor<f64>) -> tensor<f64>\n"
                                                                  "  return %sum : "
                                                                  "tensor<f64>\n}\n";

// Four words of a block: additions, rotations and exclusive ors of halves.
#define ROUND(a, b, x, y, left, right)                                                     \
  "    %" a "0 = stablehlo.slice " x " [0:50] : (tensor<100xui32>) -> tensor<50xui32>\n"   \
  "    %" a "1 = stablehlo.slice " x " [50:100] : (tensor<100xui32>) -> tensor<50xui32>\n" \
  "    %" a "l = stablehlo.constant dense<" left "> : tensor<50xui32>\n"                   \
  "    %" a "r = stablehlo.constant dense<" right "> : tensor<50xui32>\n"                  \
  "    %" a "2 = stablehlo.add %" a "0, %" a "1 : tensor<50xui32>\n"                       \
  "    %" a "3 = stablehlo.shift_left %" a "1, %" a "l : tensor<50xui32>\n"                \
  "    %" a "4 = stablehlo.shift_right_logical %" a "1, %" a "r : tensor<50xui32>\n"       \
  "    %" a "5 = stablehlo.or %" a "3, %" a "4 : tensor<50xui32>\n"                        \
  "    %" a "6 = stablehlo.xor %" a "5, %" a "2 : tensor<50xui32>\n"                       \
  "    " y " = stablehlo.concatenate %" a "2, %" a "6, dim = 0\n"                          \
  "      : (tensor<50xui32>, tensor<50xui32>) -> tensor<100xui32>\n"

static const char threefry[] =
    "func.func @main(%x: tensor<100xf64>, %n: tensor<i64>) -> tensor<f64> {\n"
    "  %k = stablehlo.iota dim = 0 : tensor<100xui32>\n" LOOP(
        "%y = %k", "tensor<100xui32>",
        ROUND("a", "b", "%y", "%u", "13", "19") ROUND("b", "c", "%u", "%v", "15", "17")
            ROUND("c", "d", "%v", "%w", "26", "6")
                ROUND("d", "e", "%w", "%z", "6",
                      "26")) "  %c0 = stablehlo.constant dense<0> : tensor<ui32>\n"
                             "  %sum = stablehlo.reduce(%r#1 init: %c0) applies stablehlo.add "
                             "across dimensions = [0]\n"
                             "    : (tensor<100xui32>, tensor<ui32>) -> tensor<ui32>\n"
                             "  %f = stablehlo.convert %sum : (tensor<ui32>) -> tensor<f64>\n"
                             "  return %f : tensor<f64>\n}\n";

static tl_module *parsed(const char *text) {
  tl_diags diags = {0};
  tl_module *m = NULL;
  need(tl_shlo_parse(tl_str_of(text), "loop.mlir", &diags, &m));
  return m;
}

typedef struct program {
  const char *text;
  int64_t steps;
  size_t threads; // 0: all
  bool gradient, interpreter;
} program;

static void round_of(const void *arg, void *best) {
  const program *g = arg;
  tl_module *m = parsed(g->text);
  const char *entry = "main";
  if (g->gradient) {
    tl_func *fn;
    entry = "gradient";
    need(tl_ad_grad(m, tl_module_find(m, TL_STR("main")), (const uint32_t[]){0}, 1,
                    &(tl_ad_options){.checkpoints = STATES}, entry, &fn));
  }
  tl_cpu *cpu;
  tl_cpu_exe *exe;
  need(tl_cpu_create(&(tl_cpu_options){.n_threads = g->threads, .interpreter = g->interpreter},
                     &cpu));
  need(tl_cpu_compile(cpu, m, tl_str_of(entry), &exe));
  double *x = aligned_alloc(64, 1024), *y = aligned_alloc(64, 1024);
  int64_t *n = aligned_alloc(64, 64);
  if (x == NULL || y == NULL || n == NULL) need(TL_OOM());
  for (int i = 0; i < STATES; i++)
    x[i] = 0.01 * i;
  *n = g->steps;
  const double start = now();
  need(tl_cpu_execute(exe, (const void *[]){x, n}, (void *[]){y}));
  keep_best(best, now() - start);
}

static double best_of(program g) {
  double best;
  rounds(g.gradient ? 1 : ROUNDS, round_of, &g, &best, sizeof best);
  return best;
}

int main(void) {
  static const struct {
    const char *what, *text;
  } loops[] = {
      {"counts", counter}, {"Euler, 100 states", euler}, {"Threefry, 100 words", threefry}};
  enum { STEPS = 20000 };
  for (size_t i = 0; i < TL_COUNT(loops); i++)
    printf("%-20s %10.1f ns a step\n", loops[i].what,
           best_of((program){loops[i].text, STEPS, 1, false, false}) / STEPS * 1e9);
  const double native = best_of((program){euler, 10000, 0, true, false}),
               ref = best_of((program){euler, 10000, 0, true, true});
  printf("%-20s %10.3f s; interpreted %.3f s\n", "gradient", native, ref);
  return 0;
}
