// The promised orders, written out a second time and compared by bits, at lengths around every
// block and lane boundary.
#include "ref/ref_test.h"

#include "ref/sums.h"

static uint32_t seed = 1;
static float next(void) { // of very different sizes, so that another order gives other bits
  seed = seed * 1664525u + 1013904223u;
  float x = (float)(int32_t)seed / 2147483648.0f;
  return ldexpf(x, (int)(seed >> 8 & 15) - 8);
}

static double dot_in_order(const double *x, const double *w, size_t n, bool narrow) {
  double total = 0;
  for (size_t at = 0; at < n; at += 64) {
    double acc = 0;
    for (size_t i = at; i < TL_MIN(n, at + 64); i++)
      acc = narrow ? (double)fmaf((float)x[i], (float)w[i], (float)acc) : fma(x[i], w[i], acc);
    total = narrow ? (double)((float)total + (float)acc) : total + acc;
  }
  return total;
}

enum { MAX = 300 };

static void test_dots(void **state) {
  (void)state;
  static float x[MAX], w[MAX][16];
  static double xd[MAX], wd[MAX][16], column[MAX];
  size_t other_order = 0;
  for (size_t n = 0; n < MAX; n++) {
    for (size_t i = 0; i < n; i++) {
      xd[i] = (double)(x[i] = next());
      for (size_t j = 0; j < 16; j++)
        wd[i][j] = (double)(w[i][j] = next());
    }
    float y[16], sequential = 0;
    double yd[16];
    tl_ref_dot16_f32(x, w[0], n, y);
    tl_ref_dot16_f64(xd, wd[0], n, yd);
    for (size_t j = 0; j < 16; j++) {
      float narrow[MAX];
      for (size_t i = 0; i < n; i++)
        column[i] = wd[i][j], narrow[i] = w[i][j];
      assert_true((double)y[j] == dot_in_order(xd, column, n, true));
      assert_true(yd[j] == dot_in_order(xd, column, n, false));
      assert_true(tl_ref_dot_f32(x, narrow, n) == y[j]);
      assert_true(tl_ref_dot_f64(xd, column, n) == yd[j]);
    }
    for (size_t i = 0; i < n; i++)
      sequential = fmaf(x[i], w[i][0], sequential);
    other_order += sequential != y[0];
  }
  assert_true(other_order > 100); // the control: a plain chain is told from the promised one
}

static void test_axpy(void **state) {
  (void)state;
  float acc[37], v[37], want[37], p = next();
  for (size_t i = 0; i < 37; i++) {
    acc[i] = next(), v[i] = next();
    want[i] = fmaf(p, v[i], acc[i]);
  }
  tl_ref_axpy_f32(acc, p, v, 37);
  assert_memory_equal(acc, want, sizeof want);
}

static void test_sums(void **state) {
  (void)state;
  static float x[MAX];
  static double xd[MAX];
  size_t other_order = 0;
  for (size_t n = 0; n < MAX; n++) {
    float lane[16] = {0}, plain = 0;
    double wide[16] = {0};
    for (size_t i = 0; i < n; i++)
      xd[i] = (double)(x[i] = next()), plain += x[i];
    for (size_t i = 0; i < 16; i++)
      for (size_t k = i; k < n; k += 16)
        lane[i] += x[k], wide[i] += xd[k];
    float a[4], want;
    double b[4], wanted;
    for (size_t i = 0; i < 4; i++)
      a[i] = (lane[i] + lane[i + 8]) + (lane[i + 4] + lane[i + 12]);
    for (size_t i = 0; i < 4; i++)
      b[i] = (wide[i] + wide[i + 8]) + (wide[i + 4] + wide[i + 12]);
    want = (a[0] + a[2]) + (a[1] + a[3]);
    wanted = (b[0] + b[2]) + (b[1] + b[3]);
    for (size_t cut = 0; cut <= n; cut += 16) { // in two pieces too
      tl_sum_f32 s = {0};
      tl_sum_f64 sd = {0};
      tl_sum_f32_add(&s, x, cut), tl_sum_f32_add(&s, x + cut, n - cut);
      tl_sum_f64_add(&sd, xd, cut), tl_sum_f64_add(&sd, xd + cut, n - cut);
      assert_true(tl_sum_f32_end(&s) == want);
      assert_true(tl_sum_f64_end(&sd) == wanted);
    }
    other_order += plain != want;
  }
  assert_true(other_order > 100);
}

// reduce with a region of one add has that order, at any place of the reduced dims; init is added
// last.
static void test_reduce_order(void **state) {
  (void)state;
  enum { A = 5, N = 83, C = 3 };
  static float x[A * N * C];
  float init = next();
  for (size_t i = 0; i < TL_COUNT(x); i++)
    x[i] = next();
  fixture f = fixture_begin();
  tl_tensor in[] = {TENSOR(x, TL_DTYPE_F32, A, N, C), SCALAR(&init, TL_DTYPE_F32)};
  tl_value args[] = {tl_func_arg(&f.b, in[0].type), tl_func_arg(&f.b, in[1].type)};
  tl_value y = tlo_reduce(&f.b, args[0], args[1], (const int64_t[]){2, 1}, 2, TL_OP_ADD);
  tl_tensor got;
  fixture_run(&f, TL_REF_AS_TYPED, &y, 1, in, 2, &got);
  for (size_t i = 0; i < A; i++) {
    tl_sum_f32 s = {0};
    tl_sum_f32_add(&s, x + i * N * C, N * C);
    assert_true(((float *)got.data)[i] == init + tl_sum_f32_end(&s));
  }
  fixture_end(&f);
}

// Of more than a block it is init plus each block's sum. The dim that is cut has as many of its
// indices in a block as fit; what is outside of it makes blocks of its own.
static void test_reduce_blocks(void **state) {
  (void)state;
  enum { A = 2, N = 401, C = 300, STEP = TL_SUM_BLOCK / C };
  static float x[A * N * C];
  float init = next(), want = init, one = init;
  for (size_t i = 0; i < TL_COUNT(x); i++)
    x[i] = next();
  for (size_t a = 0; a < A; a++)
    for (size_t i = 0; i < N; i += STEP) {
      tl_sum_f32 s = {0};
      tl_sum_f32_add(&s, x + (a * N + i) * C, TL_MIN((size_t)STEP, N - i) * C);
      want += tl_sum_f32_end(&s);
    }
  tl_sum_f32 all = {0};
  tl_sum_f32_add(&all, x, TL_COUNT(x));
  one += tl_sum_f32_end(&all);
  fixture f = fixture_begin();
  tl_tensor in[] = {TENSOR(x, TL_DTYPE_F32, A, N, C), SCALAR(&init, TL_DTYPE_F32)};
  tl_value args[] = {tl_func_arg(&f.b, in[0].type), tl_func_arg(&f.b, in[1].type)};
  tl_value y = tlo_reduce(&f.b, args[0], args[1], (const int64_t[]){0, 2, 1}, 3, TL_OP_ADD);
  tl_tensor got;
  fixture_run(&f, TL_REF_AS_TYPED, &y, 1, in, 2, &got);
  assert_true(*(float *)got.data == want);
  assert_true(want != one); // another order is told from it
  fixture_end(&f);
  tl_sum_cut cut;
  assert_false(tl_sum_cut_of((int64_t[]){256, 256}, 2, TL_SUM_BLOCK, &cut));
  assert_false(tl_sum_cut_of((int64_t[]){0, INT64_MAX}, 2, TL_SUM_BLOCK, &cut));
  assert_true(tl_sum_cut_of((int64_t[]){3, INT64_MAX, 7}, 3, TL_SUM_BLOCK, &cut));
  assert_true(cut.dim == 1 && cut.step == TL_SUM_BLOCK / 7);
}

// A window is folded from its initial value, padding counted as such too; so is a sum whose region
// gives two results, which runs element by element.
static void test_window_order(void **state) {
  (void)state;
  enum { N = 90, W = 83, LOW = 3, OUT = N + LOW - W + 1 };
  float x[N], padded[N + LOW], init = next();
  int32_t k[N], least = -1000;
  for (size_t i = 0; i < N; i++)
    x[i] = next(), k[i] = (int32_t)(i * 37 % 64);
  for (size_t i = 0; i < N + LOW; i++)
    padded[i] = i < LOW ? init : x[i - LOW];
  fixture f = fixture_begin();
  tl_tensor in[] = {TENSOR(x, TL_DTYPE_F32, N), TENSOR(k, TL_DTYPE_S32, N),
                    SCALAR(&init, TL_DTYPE_F32), SCALAR(&least, TL_DTYPE_S32)};
  tl_value args[4], y[3];
  for (size_t i = 0; i < 4; i++)
    args[i] = tl_func_arg(&f.b, in[i].type);
  for (int both = 0; both < 2; both++) {
    tl_value operands[] = {args[0], both ? args[1] : args[2], args[2], args[3]};
    tl_op *op = tl_op_begin(&f.b, TL_OP_REDUCE_WINDOW, operands, both ? 4 : 2);
    tl_op_set_list(&f.b, op, TL_A_REDUCE_WINDOW_window_dimensions, (int64_t[]){W}, 1);
    tl_op_set_list(&f.b, op, TL_A_REDUCE_WINDOW_padding, (int64_t[]){LOW, 0}, 2);
    tl_block *block = tl_op_add_region(&f.b, op);
    tl_builder b = tl_builder_at(&f.b, block);
    tl_value a[4], r[2];
    for (int i = 0; i < (both ? 4 : 2); i++)
      a[i] = tl_block_arg(&b, block, in[both ? 2 + i % 2 : 2].type);
    r[0] = tlo_binary(&b, TL_OP_ADD, a[0], a[both ? 2 : 1]);
    if (both) r[1] = tlo_binary(&b, TL_OP_MAXIMUM, a[1], a[3]);
    tlo_return(&b, r, both ? 2 : 1);
    tl_builder_join(&f.b, &b);
    op = tl_op_finish(&f.b, op, NULL, 0);
    y[both] = op->results[0];
    if (both) y[2] = op->results[1];
  }
  tl_tensor got[3];
  fixture_run(&f, TL_REF_AS_TYPED, y, 3, in, 4, got);
  for (size_t o = 0; o < OUT; o++) {
    float chain = init;
    int32_t most = least;
    for (size_t i = o; i < o + W; i++) {
      chain += padded[i];
      if (i >= LOW) most = TL_MAX(most, k[i - LOW]);
    }
    assert_true(((float *)got[0].data)[o] == chain);
    assert_true(((float *)got[1].data)[o] == chain);
    assert_int_equal(((int32_t *)got[2].data)[o], most);
  }
  fixture_end(&f);
}

// A convolution sums over the kernel's spatial dims and then the features, as a dot does; padding
// is part of it.
static void test_convolution_order(void **state) {
  (void)state;
  enum { N = 9, C = 20, S = 5, F = 18, LOW = 2 };
  static float x[N * C], w[S * C * F];
  for (size_t i = 0; i < N * C; i++)
    x[i] = next();
  for (size_t i = 0; i < S * C * F; i++)
    w[i] = next();
  fixture f = fixture_begin();
  tl_tensor in[] = {TENSOR(x, TL_DTYPE_F32, 1, N, C), TENSOR(w, TL_DTYPE_F32, S, C, F)};
  tl_value args[] = {tl_func_arg(&f.b, in[0].type), tl_func_arg(&f.b, in[1].type)};
  tl_op *op = tl_op_begin(&f.b, TL_OP_CONVOLUTION, args, 2);
  tl_op_set_i64(op, TL_A_CONVOLUTION_input_batch_dimension, 0);
  tl_op_set_i64(op, TL_A_CONVOLUTION_input_feature_dimension, 2);
  tl_op_set_list(&f.b, op, TL_A_CONVOLUTION_input_spatial_dimensions, (int64_t[]){1}, 1);
  tl_op_set_i64(op, TL_A_CONVOLUTION_kernel_input_feature_dimension, 1);
  tl_op_set_i64(op, TL_A_CONVOLUTION_kernel_output_feature_dimension, 2);
  tl_op_set_list(&f.b, op, TL_A_CONVOLUTION_kernel_spatial_dimensions, (int64_t[]){0}, 1);
  tl_op_set_i64(op, TL_A_CONVOLUTION_output_batch_dimension, 0);
  tl_op_set_i64(op, TL_A_CONVOLUTION_output_feature_dimension, 2);
  tl_op_set_list(&f.b, op, TL_A_CONVOLUTION_output_spatial_dimensions, (int64_t[]){1}, 1);
  tl_op_set_list(&f.b, op, TL_A_CONVOLUTION_padding, (int64_t[]){LOW, LOW}, 2);
  op = tl_op_finish(&f.b, op, NULL, 0);
  tl_tensor got;
  fixture_run(&f, TL_REF_AS_TYPED, op->results, 1, in, 2, &got);
  size_t other_order = 0;
  for (size_t o = 0; o < N; o++)
    for (size_t j = 0; j < F; j++) {
      double a[S * C], b[S * C];
      float sequential = 0;
      for (size_t k = 0; k < S * C; k++) {
        const size_t at = o + k / C; // in the padded operand
        a[k] = at >= LOW && at < LOW + N ? (double)x[(at - LOW) * C + k % C] : 0.0;
        b[k] = (double)w[k * F + j];
        sequential = fmaf((float)a[k], (float)b[k], sequential);
      }
      float y = ((float *)got.data)[o * F + j];
      assert_true((double)y == dot_in_order(a, b, S * C, true));
      other_order += y != sequential;
    }
  assert_true(other_order > 20); // the control
  fixture_end(&f);
}

// A multiply folds from the left, from init.
static void test_fold_order(void **state) {
  (void)state;
  float x[40], init = 1.5f, want = init;
  for (size_t i = 0; i < 40; i++)
    want *= x[i] = 1 + next() / 256;
  fixture f = fixture_begin();
  tl_tensor in[] = {TENSOR(x, TL_DTYPE_F32, 40), SCALAR(&init, TL_DTYPE_F32)};
  tl_value args[] = {tl_func_arg(&f.b, in[0].type), tl_func_arg(&f.b, in[1].type)};
  tl_value y = tlo_reduce(&f.b, args[0], args[1], (const int64_t[]){0}, 1, TL_OP_MULTIPLY);
  tl_tensor got;
  fixture_run(&f, TL_REF_AS_TYPED, &y, 1, in, 2, &got);
  assert_true(*(float *)got.data == want);
  fixture_end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_dots),
                                     cmocka_unit_test(test_axpy),
                                     cmocka_unit_test(test_sums),
                                     cmocka_unit_test(test_reduce_order),
                                     cmocka_unit_test(test_reduce_blocks),
                                     cmocka_unit_test(test_window_order),
                                     cmocka_unit_test(test_convolution_order),
                                     cmocka_unit_test(test_fold_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
