// What a gradient costs to make: `bench_derive`.
//
// Graphs of 2,000, 10,000 and 100,000 ops (dense layers: product, bias, tanh, a residual sum) are
// differentiated by all their parameters, and batched. What is linear costs ten times as much for
// ten times the ops; the last column is that ratio. Times are the processor's, the best of eleven
// processes.
#include "ad/ad.h"
#include "rounds.h"

enum { ROUNDS = 11, WIDTH = 8 };

// x, a weight and a bias for each hundred ops -> a scalar, of n ops or few more.
static tl_func *graph(tl_module *m, size_t n) {
  tl_builder b = tl_func_begin(m, "main", false);
  tl_type row = TL_TYPE(m->arena, TL_DTYPE_F32, WIDTH),
          square = TL_TYPE(m->arena, TL_DTYPE_F32, WIDTH, WIDTH);
  tl_value x = tl_func_arg(&b, row), w = NULL, c = NULL;
  for (size_t i = 0; i < n; i += 4) {
    if (i % 100 == 0) {
      w = tl_func_arg(&b, square);
      c = tl_func_arg(&b, row);
    }
    tl_value y = tlo_dot(&b, x, w, NULL, NULL, 0, (int64_t[]){0}, (int64_t[]){0}, 1);
    y = tlo_add(&b, y, c);
    y = tlo_unary(&b, TL_OP_TANH, y);
    x = tlo_add(&b, x, y);
  }
  tl_value s = tlo_dot(&b, x, x, NULL, NULL, 0, (int64_t[]){0}, (int64_t[]){0}, 1);
  tlo_return(&b, &s, 1);
  tl_func *fn = b.fn;
  need(tl_builder_finish(&b));
  return fn;
}

static size_t ops_of(const tl_func *fn) {
  size_t n = 0;
  for (const tl_op *op = fn->body->first; op != NULL; op = op->next)
    n++;
  return n;
}

typedef struct times {
  double gradient, batch;
  size_t ops;
} times;

static void round_of(const void *arg, void *out) {
  const size_t n = *(const size_t *)arg;
  times *best = out;
  tl_module *m = tl_module_create();
  if (m == NULL) need(TL_OOM());
  tl_func *fn = graph(m, n), *g, *v;
  const uint32_t n_args = fn->body->n_args;
  uint32_t *wrt = malloc(n_args * sizeof *wrt);
  int64_t *axes = calloc(n_args, sizeof *axes);
  if (wrt == NULL || axes == NULL) need(TL_OOM());
  for (uint32_t i = 0; i < n_args; i++)
    wrt[i] = i;
  double t0 = now();
  need(tl_ad_grad(m, fn, wrt, n_args, NULL, "gradient", &g));
  double t1 = now();
  need(tl_ad_vmap(m, fn, &(tl_vmap_options){.in_axes = axes, .size = 32}, "batch", &v));
  double t2 = now();
  keep_best(&best->gradient, t1 - t0);
  keep_best(&best->batch, t2 - t1);
  best->ops = ops_of(g);
}

static times measure(size_t n) {
  times best;
  rounds(ROUNDS, round_of, &n, &best, sizeof best);
  return best;
}

int main(void) {
  const times small = measure(2000), some = measure(10000), many = measure(100000);
  printf("%-10s %10s %10s %10s %8s\n", "", "2,000", "10,000", "100,000", "ratio");
  printf("%-10s %7.2f ms %7.2f ms %7.2f ms %8.2f\n", "gradient", small.gradient * 1e3,
         some.gradient * 1e3, many.gradient * 1e3, many.gradient / some.gradient);
  printf("%-10s %7.2f ms %7.2f ms %7.2f ms %8.2f\n", "batch", small.batch * 1e3, some.batch * 1e3,
         many.batch * 1e3, many.batch / some.batch);
  printf("%-10s %10zu %10zu %10zu\n", "ops of it", small.ops, some.ops, many.ops);
  return 0;
}
