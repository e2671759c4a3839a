// eigh, svd and singular_values beyond 32 rows, by LAPACK where this machine has one, and by their
// decompositions where TLALOC_LAPACK=0 or it has none: the factors multiply back to the matrix,
// values are in order, vectors have the sign of op_docs.def, and the triangle that is not read may
// hold anything. Within 8 roundings times the larger dim.
#include "base/test.h"

#include <math.h>
#include <stdlib.h>

#include "cpu/cpu.h"
#include "cpu/lapack.h"
#include "ir/build.h"

enum { MAX = 48 };

static tl_cpu *cpu;
static uint64_t state = 3;
static double next(void) {
  state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (double)(int64_t)state * 0x1p-63;
}

static double at(bool wide, const void *x, size_t i) {
  return wide ? ((const double *)x)[i] : (double)((const float *)x)[i];
}
static void put(bool wide, void *x, size_t i, double v) {
  if (wide)
    ((double *)x)[i] = v;
  else
    ((float *)x)[i] = (float)v;
}

// Runs one op; the buffers are static. `what` is "lapack" in the plan's text where LAPACK runs.
static _Alignas(64) double input[MAX * MAX], outputs[3][MAX * MAX];
static void run(tl_module *m, tl_builder *b, const tl_op *op) {
  void *outs[3] = {outputs[0], outputs[1], outputs[2]};
  const void *ins[] = {input};
  assert_non_null(op);
  tlo_return(b, op->results, op->n_results);
  assert_ok(tl_builder_finish(b));
  tl_diags diags = {0};
  assert_ok(tl_module_verify(m, &diags));
  tl_diags_deinit(&diags);
  tl_cpu_exe *exe;
  assert_ok(tl_cpu_compile(cpu, m, TL_STR("main"), &exe));
  tl_buf plan = {0};
  tl_cpu_exe_explain(exe, NULL, &plan);
  assert_int_equal(strstr(plan.ptr, "lapack") != NULL, tl_lapack_get() != NULL);
  tl_buf_deinit(&plan);
  assert_ok(tl_cpu_execute(exe, ins, outs));
  tl_cpu_exe_release(exe);
}

static double unit(bool wide) { return wide ? 0x1p-53 : 0x1p-24; }

static void eigh(void **unused) {
  (void)unused;
  enum { N = 40 };
  for (int wide = 0; wide < 2; wide++)
    for (int lower = 0; lower < 2; lower++) {
      tl_module *m = tl_module_create();
      tl_builder b = tl_func_begin(m, "main", false);
      tl_value a = tl_func_arg(&b, TL_TYPE(m->arena, wide ? TL_DTYPE_F64 : TL_DTYPE_F32, N, N));
      for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) // the other triangle is NaN
          put(wide, input, i * N + j, i == j || (i > j) == lower ? next() : (double)NAN);
      run(m, &b, tlo_eigh(&b, a, lower));
      const void *w = outputs[0], *v = outputs[1];
      double worst = 0;
      for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) { // A V = V W
          double sum = 0;
          for (size_t k = 0; k < N; k++) {
            size_t r = lower ? TL_MAX(i, k) : TL_MIN(i, k), c = i + k - r;
            sum += at(wide, input, r * N + c) * at(wide, v, k * N + j);
          }
          worst = fmax(worst, fabs(sum - at(wide, v, i * N + j) * at(wide, w, j)));
        }
      assert_true(worst <= 8 * N * unit(wide) * 8);
      for (size_t j = 0; j < N; j++) {
        double most = 0, norm = 0;
        for (size_t i = 0; i < N; i++) {
          double x = at(wide, v, i * N + j);
          norm += x * x;
          if (fabs(x) > fabs(most)) most = x;
        }
        assert_true(most > 0 && fabs(norm - 1) <= 8 * N * unit(wide));
        assert_true(j == 0 || at(wide, w, j - 1) <= at(wide, w, j));
      }
    }
}

static const size_t shapes[][2] = {{40, 40}, {48, 33}, {33, 48}};

static void svd(void **unused) {
  (void)unused;
  for (size_t s = 0; s < TL_COUNT(shapes); s++)
    for (int wide = 0; wide < 2; wide++)
      for (int full = 0; full < 2; full++) {
        size_t m = shapes[s][0], n = shapes[s][1], k = TL_MIN(m, n), u_n = full ? m : k;
        tl_module *module = tl_module_create();
        tl_builder b = tl_func_begin(module, "main", false);
        tl_value a = tl_func_arg(
            &b, TL_TYPE(module->arena, wide ? TL_DTYPE_F64 : TL_DTYPE_F32, (int64_t)m, (int64_t)n));
        for (size_t i = 0; i < m * n; i++)
          put(wide, input, i, next());
        run(module, &b, tlo_svd(&b, a, full));
        const void *u = outputs[0], *values = outputs[1], *vt = outputs[2];
        double worst = 0;
        for (size_t i = 0; i < m; i++)
          for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t r = 0; r < k; r++)
              sum += at(wide, u, i * u_n + r) * at(wide, values, r) * at(wide, vt, r * n + j);
            worst = fmax(worst, fabs(sum - at(wide, input, i * n + j)));
          }
        assert_true(worst <= 8 * MAX * unit(wide) * 8);
        for (size_t r = 0; r < k; r++) {
          double most = 0;
          for (size_t j = 0; j < n; j++)
            if (fabs(at(wide, vt, r * n + j)) > fabs(most)) most = at(wide, vt, r * n + j);
          assert_true(most > 0);
          assert_true(r == 0 || at(wide, values, r - 1) >= at(wide, values, r));
        }
        for (size_t i = 0; i < u_n; i++) // u is orthonormal, completed or not
          for (size_t j = 0; j <= i; j++) {
            double sum = i == j ? -1 : 0;
            for (size_t r = 0; r < m; r++)
              sum += at(wide, u, r * u_n + i) * at(wide, u, r * u_n + j);
            assert_true(fabs(sum) <= 8 * MAX * unit(wide));
          }
        // The values alone, of the same matrix.
        static double kept[MAX];
        for (size_t r = 0; r < k; r++)
          kept[r] = at(wide, values, r);
        module = tl_module_create();
        b = tl_func_begin(module, "main", false);
        a = tl_func_arg(
            &b, TL_TYPE(module->arena, wide ? TL_DTYPE_F64 : TL_DTYPE_F32, (int64_t)m, (int64_t)n));
        run(module, &b, tlo_singular_values(&b, a)->op);
        for (size_t r = 0; r < k; r++)
          assert_true(fabs(kept[r] - at(wide, outputs[0], r)) <= 8 * MAX * unit(wide) * 8);
      }
}

static void not_finite(void **unused) {
  (void)unused;
  enum { N = 34 };
  tl_module *m = tl_module_create();
  tl_builder b = tl_func_begin(m, "main", false);
  tl_value a = tl_func_arg(&b, TL_TYPE(m->arena, TL_DTYPE_F64, N, N));
  for (size_t i = 0; i < N * N; i++)
    input[i] = i == 5 ? (double)INFINITY : next();
  run(m, &b, tlo_svd(&b, a, false));
  for (size_t i = 0; i < N * N; i++)
    assert_true(isnan(outputs[0][i]) && isnan(outputs[2][i]) && isnan(outputs[1][i % N]));
}

static int begin(void **unused) {
  (void)unused;
  assert_ok(tl_cpu_create(&(tl_cpu_options){.n_threads = 2}, &cpu));
  return 0;
}
static int end(void **unused) {
  (void)unused;
  tl_cpu_release(cpu);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(eigh), cmocka_unit_test(svd),
                                     cmocka_unit_test(not_finite)};
  if (tl_lapack_get() == NULL) print_message("no LAPACK here: the decompositions alone\n");
  return cmocka_run_group_tests(tests, begin, end);
}
