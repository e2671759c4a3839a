// Traces and transforms with each allocation failing in turn: an error, and nothing lost.
#define TL_TEST_OOM_IMPL
#include "base/test.h"

#include <tlaloc/parallel.h>
#include <tlaloc/random.h>

static void twice(tl_trace *t, const tl_expr *in, tl_expr *out, void *arg) {
  (void)t, (void)arg;
  out[0] = tl_mul(in[0], 2);
}
static void called(tl_trace *t, const tl_expr *in, tl_expr *out, void *arg) {
  (void)t;
  tl_call(arg, in, 1, out, 1);
}
static void summed(tl_trace *t, const tl_expr *in, tl_expr *out, void *arg) {
  (void)t, (void)arg;
  out[0] = out[1] = tl_add(in[0], in[1]);
}

static tl_status inner_program(tl_program **out) {
  tl_trace *t = tl_trace_begin("inner");
  tl_expr x = tl_input(t, "f64[4]"), y = tl_sin(x);
  return tl_trace_end(t, &y, 1, out);
}

static tl_status outer_program(tl_program *inner, tl_program **out) {
  tl_region_fn *branches[] = {twice, called, twice};
  tl_trace *t = tl_trace_begin("outer");
  tl_expr x = tl_input(t, "f64[f: 4]"), i = tl_input(t, "i32"), key = tl_input(t, "ui32[2]");
  tl_expr keys = tl_key_split(tl_key_fold_in(key, 3), 2), y, z, last, rows;
  tl_case(i, branches, 3, inner, &x, 1, &y, 1);
  tl_call(inner, &y, 1, &z, 1);
  z = tl_mul(z, tl_random_normal(tl_pick(keys, 0, 1), "f64[4]"));
  z = tl_all_reduce(z, "sum", TL_TOGETHER(2));
  tl_expr zero = tl_full(t, 0, "f64");
  tl_scan(summed, NULL, &zero, 1, &z, 1, NULL, &last, &rows, 1);
  tl_expr one = tl_ones_like(x), xs[2] = {rows, z};
  rows = tl_batch_norm_training(tl_stack(xs, 2, 0), one, x, 1, 0.5, NULL, &z);
  tl_expr loss = tl_add(last, tl_sum(tl_mul(rows, z)));
  return tl_trace_end(t, &loss, 1, out);
}

static tl_status build(void *arg) {
  (void)arg;
  tl_program *inner = NULL, *outer = NULL, *grad = NULL, *batched = NULL;
  tl_status st = inner_program(&inner);
  if (st == NULL) st = outer_program(inner, &outer);
  if (st == NULL) st = tl_program_value_and_grad(outer, NULL, &grad);
  const int64_t axes[3] = {0, TL_NOT_BATCHED, TL_NOT_BATCHED};
  if (st == NULL)
    st = tl_program_vmap(inner, &(tl_batch_options){.size = 2, .in_axes = axes}, &batched);
  tl_program_release(inner);
  tl_program_release(outer);
  tl_program_release(grad);
  tl_program_release(batched);
  return st;
}

static void each_allocation(void **state) {
  (void)state;
  tl_test_each_oom(build, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
