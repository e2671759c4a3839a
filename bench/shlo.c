// What a module's text costs: `bench_shlo [op lines]`.
//
// A text of about ten megabytes, all of ops, is read; and modules of 10,000 and of 100,000 ops are
// read, verified, printed and compared, in one function and in many small ones. What is linear
// costs ten times as much for ten times the ops; the last column is that ratio. Times are the
// processor's, the best of five processes.
#include "rounds.h"
#include "shlo/shlo.h"

enum { ROUNDS = 5 };

// Lines as JAX prints them, one of each kind in turn. Values: %0, the function's argument, and
// one a line.
static void lines(tl_buf *out, size_t n) {
  for (size_t i = 1; i <= n; i++) {
    const size_t x = i - 1, y = i > 7 ? i - 7 : 0;
    tl_buf_printf(out, "    %%%zu = ", i);
    switch (i % 8) {
    case 0:
      tl_buf_printf(out, "stablehlo.constant dense<1.5> : tensor<8x16xf32>\n");
      break;
    case 1:
      tl_buf_printf(
          out,
          "stablehlo.transpose %%%zu, dims = [0, 1] : (tensor<8x16xf32>) -> tensor<8x16xf32>\n", x);
      break;
    case 2:
      tl_buf_printf(out, "stablehlo.tanh %%%zu : tensor<8x16xf32>\n", x);
      break;
    case 3:
      tl_buf_printf(out,
                    "stablehlo.broadcast_in_dim %%%zu, dims = [0, 1] : (tensor<8x16xf32>) -> "
                    "tensor<8x16xf32>\n",
                    x);
      break;
    case 4:
      tl_buf_printf(out, "stablehlo.reshape %%%zu : (tensor<8x16xf32>) -> tensor<8x16xf32>\n", x);
      break;
    case 5:
      tl_buf_printf(out,
                    "\"stablehlo.reverse\"(%%%zu) <{dimensions = array<i64: 0, 1>}> : "
                    "(tensor<8x16xf32>) -> tensor<8x16xf32>\n",
                    x);
      break;
    case 6:
      tl_buf_printf(out,
                    "stablehlo.clamp %%%zu, %%%zu, %%%zu : (tensor<8x16xf32>, tensor<8x16xf32>, "
                    "tensor<8x16xf32>) -> tensor<8x16xf32>\n",
                    x, y, x);
      break;
    default:
      tl_buf_printf(out, "stablehlo.add %%%zu, %%%zu : tensor<8x16xf32>\n", x, y);
    }
  }
}

// `n` ops in functions of `each`; @main calls every other one.
static void module_text(tl_buf *out, size_t n, size_t each) {
  const size_t n_funcs = (n + each - 1) / each;
  tl_buf_clear(out);
  tl_buf_cstr(out, "module @bench {\n");
  for (size_t f = 0; f < n_funcs && n_funcs > 1; f++) {
    tl_buf_printf(out, "  func.func private @f%zu(%%0: tensor<8x16xf32>) -> tensor<8x16xf32> {\n",
                  f);
    lines(out, each - 2);
    tl_buf_printf(out, "    return %%%zu : tensor<8x16xf32>\n  }\n", each - 2);
  }
  tl_buf_cstr(out, "  func.func public @main(%0: tensor<8x16xf32>) -> tensor<8x16xf32> {\n");
  if (n_funcs == 1) lines(out, n);
  for (size_t f = 0; f < n_funcs && n_funcs > 1; f++)
    tl_buf_printf(out, "    %%%zu = call @f%zu(%%%zu) : (tensor<8x16xf32>) -> tensor<8x16xf32>\n",
                  f + 1, f, f);
  tl_buf_printf(out, "    return %%%zu : tensor<8x16xf32>\n  }\n}\n", n_funcs == 1 ? n : n_funcs);
  if (out->oom) need(TL_OOM());
}

typedef struct costs {
  double read, verify, print, compare; // seconds, best of the rounds; read verifies as well
} costs;

// One round: everything once.
static void round_of(const void *arg, void *best) {
  const tl_str text = *(const tl_str *)arg;
  costs *c = best;
  tl_diags diags = {0};
  tl_module *m = NULL, *again = NULL;
  tl_buf out = {0};
  double start = now();
  need(tl_shlo_parse(text, "bench.mlir", &diags, &m));
  keep_best(&c->read, now() - start);
  start = now();
  need(tl_module_verify(m, &diags));
  keep_best(&c->verify, now() - start);
  start = now();
  need(tl_shlo_print(m, &(tl_shlo_print_options){0}, &out));
  keep_best(&c->print, now() - start);
  need(tl_shlo_parse(tl_buf_view(&out), "printed.mlir", &diags, &again));
  start = now();
  if (!tl_func_eq(m->last, again->last)) need(TL_ERROR(INTERNAL, "the print is another module"));
  keep_best(&c->compare, now() - start);
}

static costs measure(tl_str text) {
  costs c;
  rounds(ROUNDS, round_of, &text, &c, sizeof c);
  return c;
}

static void row(const char *what, double small, double large) {
  printf("  %-8s %9.2f ms %9.2f ms   x %.1f\n", what, 1e3 * small, 1e3 * large, large / small);
}

int main(int argc, char **argv) {
  const size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
  tl_buf text = {0};
  module_text(&text, n + n / 5, n + n / 5); // ten megabytes at 100,000
  const costs big = measure(tl_buf_view(&text));
  printf("%.1f MB of ops: read and verified in %.3f s (%.0f MB/s), printed in %.3f s\n",
         (double)text.len * 1e-6, big.read, (double)text.len * 1e-6 / big.read, big.print);
  static const struct {
    const char *what;
    size_t each;
  } shapes[] = {{"one function", SIZE_MAX}, {"functions of 100 ops", 100}};
  for (size_t s = 0; s < TL_COUNT(shapes); s++) {
    costs c[2];
    for (int k = 0; k < 2; k++) {
      const size_t ops = k ? n : n / 10;
      module_text(&text, ops, TL_MIN(ops, shapes[s].each));
      c[k] = measure(tl_buf_view(&text));
    }
    printf("%s: %zu ops, %zu ops, ratio (linear: 10; wanted: at most 12)\n", shapes[s].what, n / 10,
           n);
    row("read", c[0].read, c[1].read);
    row("verify", c[0].verify, c[1].verify);
    row("print", c[0].print, c[1].print);
    row("compare", c[0].compare, c[1].compare);
  }
  tl_buf_deinit(&text);
  return 0;
}
