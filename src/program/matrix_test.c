// Products, linear algebra and layers of traces against numbers of NumPy 2 and JAX at f64.
#include "program/testing.h"

#define GIVES(fn, type, out_type, ...)                                      \
  traced_gives(fn, type, counting, out_type, (const double[]){__VA_ARGS__}, \
               sizeof((const double[]){__VA_ARGS__}) / sizeof(double), 1e-13)

static const double counting[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

static tl_expr y_of(tl_trace *t) {
  return tl_constant(t, ((double[]){1, -2, 3, 4, -5, 6}), "f64[3, 2]");
}
static tl_expr a_of(tl_trace *t) {
  return tl_constant(t, ((double[]){4, 2, 0.4, 2, 5, 1, 0.4, 1, 3}), "f64[3, 3]");
}
static tl_expr b_of(tl_trace *t) {
  return tl_constant(t, ((double[]){1, 2, 0, 1, 3, -1}), "f64[3, 2]");
}

// ---- products: x is 1 to 12 as [2, 2, 3] ----

FN(by_matrix, tl_matmul(x, y_of(t)))
FN(vector_first, tl_matmul(tl_pick(y_of(t), 1, 0), tl_transpose(x, TL_LIST(0, 2, 1))))
FN(vector_last, tl_matmul(tl_pick(x, 0, 0), tl_pick(y_of(t), 1, 0)))
FN(stacks, tl_matmul(tl_expand_dims(x, 1), tl_expand_dims(tl_swap_axes(x, 1, 2), 0)))
FN(einsum_turned, tl_einsum("bij,jk->kbi", x, y_of(t)))
FN(einsum_sums, tl_einsum("bij,bkj->b", x, x))
FN(einsum_alone, tl_einsum("bij->ji", x, NULL))
FN(einsum_outer, tl_einsum("i,k->ki", tl_pick(y_of(t), 0, 0), tl_pick(y_of(t), 1, 0)))
FN(by_name, tl_contract(x, tl_name_axes(y_of(t), "j, out"), NULL))
FN(by_name_in_step, tl_contract(x, tl_name_axes(x, "b, k, j"), "b"))
FN(general, tl_dot_general(x, x, 1, ((int64_t[]){0}), ((int64_t[]){0}), 1, ((int64_t[]){-1}),
                           ((int64_t[]){-1})))

static void products(void **state) {
  (void)state;
  GIVES(by_matrix, "f64[a: 2, b: 2, 3]", "f64[a: 2, b: 2, 2]", -8, 24, -11, 48, -14, 72, -17, 96);
  GIVES(vector_first, "f64[2, 2, 3]", "f64[2, 2]", -8, -11, -14, -17);
  GIVES(vector_last, "f64[2, 2, 3]", "f64[2]", -8, -11);
  GIVES(stacks, "f64[2, 2, 3]", "f64[2, 2, 2, 2]", 14, 32, 32, 77, 50, 68, 122, 167, 50, 122, 68,
        167, 194, 266, 266, 365);
  GIVES(einsum_turned, "f64[2, 2, 3]", "f64[2, 2, 2]", -8, -11, -14, -17, 24, 48, 72, 96);
  GIVES(einsum_sums, "f64[b: 2, 2, 3]", "f64[b: 2]", 14 + 32 + 32 + 77, 194 + 266 + 266 + 365);
  GIVES(einsum_alone, "f64[2, 2, 3]", "f64[3, 2]", 8, 14, 10, 16, 12, 18);
  GIVES(einsum_outer, "f64[2, 2, 3]", "f64[3, 2]", 1, -2, 3, -6, -5, 10);
  GIVES(general, "f64[2, 2, 3]", "f64[2, 2, 2]", 14, 32, 32, 77, 194, 266, 266, 365);
}

static void products_by_name(void **state) {
  (void)state;
  GIVES(by_name, "f64[b: 2, i: 2, j: 3]", "f64[b: 2, i: 2, out: 2]", -8, 24, -11, 48, -14, 72, -17,
        96);
  GIVES(by_name_in_step, "f64[b: 2, i: 2, j: 3]", "f64[b: 2, i: 2, k: 2]", 14, 32, 32, 77, 194, 266,
        266, 365);
}

// ---- linear algebra; x is not used ----

FN(triangle, tl_cholesky(a_of(t)))
FN(solved, tl_solve(a_of(t), b_of(t)))
FN(solved_by_triangles,
   tl_solve_triangular(tl_cholesky(a_of(t)),
                       tl_solve_triangular(tl_cholesky(a_of(t)), b_of(t), true, false), true, true))
FN(determinant, tl_det(a_of(t)))
FN(inverted, tl_inverse(a_of(t)))

static tl_expr last_of(tl_trace *t, tl_expr x, const char *what, uint32_t n) {
  (void)x;
  tl_expr rest[2], first = tl_linear_at(TL_HERE, what, a_of(t), rest, n);
  return n == 0 ? first : rest[n - 1];
}
FN(log_of_det, last_of(t, x, "slogdet", 1))

static tl_expr eigenvalues(tl_trace *t, tl_expr x) {
  (void)x;
  tl_expr vectors;
  return tl_eigh(a_of(t), &vectors);
}
static tl_expr qr_again(tl_trace *t, tl_expr x) {
  (void)x;
  tl_expr r, q = tl_qr(b_of(t), &r);
  return tl_matmul(q, r);
}
static tl_expr svd_again(tl_trace *t, tl_expr x) {
  (void)x;
  tl_expr rest[2], u = tl_svd(b_of(t), rest);
  return tl_matmul(tl_mul(u, rest[0]), rest[1]);
}
FN(singular, tl_singular_values(tl_slice(a_of(t), 0, 0, 2, 1)))

static void linear_algebra(void **state) {
  (void)state;
  GIVES(triangle, "f64", "f64[3, 3]", 2, 0, 0, 1, 2, 0, 0.2, 0.4, 1.6733200530681511);
#define SOLUTION \
  0.3125, 0.5, -0.3392857142857143, 0.085714285714285715, 1.0714285714285714, -0.42857142857142855
  GIVES(solved, "f64", "f64[3, 2]", SOLUTION);
  GIVES(solved_by_triangles, "f64", "f64[3, 2]", SOLUTION);
  GIVES(determinant, "f64", "f64", 44.8);
  GIVES(inverted, "f64", "f64[3, 3]", 0.3125, -0.125, 0, -0.125, 0.26428571428571429,
        -0.071428571428571438, 0, -0.071428571428571438, 0.35714285714285715);
  GIVES(log_of_det, "f64", "f64", 3.802208139420939);
  GIVES(eigenvalues, "f64", "f64[3]", 2.2564722211479875, 2.9019712193009179, 6.8415565595510976);
  GIVES(qr_again, "f64", "f64[3, 2]", 1, 2, 0, 1, 3, -1);
  GIVES(svd_again, "f64", "f64[3, 2]", 1, 2, 0, 1, 3, -1);
  GIVES(singular, "f64", "f64[2]", 6.6427725752534466, 2.4563331438265235);
}

// ---- networks ----

static tl_expr attended(tl_trace *t, tl_expr x, bool causal) {
  tl_expr k = tl_constant(t, ((double[]){0.5, -1, 2, 1, 1, 0.25}), "f64[2, 3]"),
          v = tl_constant(t, ((double[]){1, 2, 3, -4}), "f64[2, 2]");
  return tl_attention(tl_div(x, 7), k, v, 0, causal);
}
FN(attention, attended(t, x, false))
FN(causal_attention, attended(t, x, true))
static tl_expr image(tl_trace *t) {
  return tl_mul(0.1, tl_reshape(tl_iota(t, 0, "f64[18]"), TL_LIST(1, 2, 3, 3)));
}
FN(strided,
   tl_conv2d(image(t), tl_sub(tl_reshape(tl_iota(t, 0, "f64[16]"), TL_LIST(2, 2, 2, 2)), 7),
             &(tl_conv_options){.strides = {2, 1}, .padding = {{1, 0}}}))
FN(largest_of_windows,
   tl_max_pool2d(image(t), &(tl_pool_options){.window = {2, 2}, .strides = {1, 1}}))
static tl_expr rows(tl_trace *t) {
  return tl_constant(t, ((double[]){1, 2, 0, 0.5, -1, 3}), "f64[2, 3]");
}
FN(loss, tl_cross_entropy(rows(t), tl_constant(t, ((int32_t[]){2, 0}), "i32[2]"), true))
FN(normed, tl_layer_norm(rows(t), tl_constant(t, ((double[]){1, 2, 3}), "f64[3]"),
                         tl_constant(t, ((double[]){0, 1, 0}), "f64[3]"), 1e-5))
FN(rms_normed, tl_rms_norm(rows(t), tl_constant(t, ((double[]){1, 2, 3}), "f64[3]"), 1e-6))
static tl_expr features(tl_trace *t, double a, double b, double c) {
  return tl_constant(t, ((double[]){a, b, c}), "f64[f: 3]");
}
static tl_expr batch_normed(tl_trace *t, int which) {
  tl_expr mean, variance,
      y = tl_batch_norm_training(rows(t), features(t, 1, 2, 3), features(t, 0, 1, 0), -1, 0x1p-10,
                                 &mean, &variance);
  return which == 0 ? y : which == 1 ? mean : variance;
}
FN(batch_norm_y, batch_normed(t, 0))
FN(batch_norm_mean, batch_normed(t, 1))
FN(batch_norm_variance, batch_normed(t, 2))
FN(batch_norm_axis_0,
   tl_batch_norm_training(rows(t), tl_constant(t, ((double[]){2, 3}), "f64[2]"),
                          tl_constant(t, ((double[]){1, 0}), "f64[2]"), 0, 0x1p-10, NULL, NULL))
FN(batch_norm_by_statistics, tl_batch_norm(rows(t), features(t, 1, 2, 3), features(t, 0, 1, 0),
                                           features(t, 0, 1, 2), features(t, 1, 4, 9), 1, 0x1p-10))
FN(looked_up, tl_embedding(rows(t), tl_constant(t, ((int32_t[]){1, 0}), "i32[2, 1]")))
FN(spectrum, tl_abs(tl_fft(tl_complex(tl_constant(t, ((double[]){1, 2, 0, -1}), "f64[4]"), 0.0))))
FN(and_back, tl_real(tl_ifft(tl_fft(tl_complex(x, 0.0)))))

static void networks(void **state) {
  (void)state;
  GIVES(attention, "f64[2, 3]", "f64[2, 2]", 1.9690803802372991, -0.90724114071189788,
        2.0617801762629764, -1.1853405287889283);
  GIVES(causal_attention, "f64[2, 3]", "f64[2, 2]", 1, 2, 2.0617801762629764, -1.1853405287889283);
  GIVES(strided, "f64", "f64[1, 2, 2, 2]", -1.3, -2.3, -18, -20.8, 14.7, 16.9, 42.8, 46.4);
  GIVES(largest_of_windows, "f64", "f64[1, 2, 2, 2]", 0.4, 0.5, 0.7, 0.8, 1.3, 1.4, 1.6, 1.7);
  GIVES(loss, "f64", "f64", 2.5016401469293816);
  GIVES(normed, "f64", "f64[2, 3]", 0, 3.4494713718167804, -3.6742070577251704, -0.2020301378350195,
        -1.2223315161852151, 3.9395876877828817);
  GIVES(rms_normed, "f64", "f64[2, 3]", 0.77459643686258717, 3.0983857474503487, 0,
        0.27050085081474223, -1.0820034032589689, 4.8690153146653605);
  GIVES(batch_norm_y, "f64", "f64[2, 3]", 0.9922778767136677, 2.999566113456224,
        -2.9993491701843364, -0.9922778767136677, -0.9995661134562241, 2.9993491701843364);
  GIVES(batch_norm_mean, "f64", "f64[f: 3]", 0.75, 0.5, 1.5);
  GIVES(batch_norm_variance, "f64", "f64[f: 3]", 0.0625, 2.25, 2.25);
  GIVES(batch_norm_axis_0, "f64", "f64[2, 3]", 1.0, 3.447697651523075, -1.4476976515230748,
        -0.6059828421701248, -3.332905631935686, 3.93888847410581);
  GIVES(batch_norm_by_statistics, "f64", "f64[2, 3]", 0.9995120760870788, 1.9998779520346952,
        -1.9998915018850747, 0.4997560380435394, -0.9997559040693906, 0.9999457509425373);
  GIVES(looked_up, "f64", "f64[2, 1, 3]", 0.5, -1, 3, 1, 2, 0);
  GIVES(spectrum, "f64", "f64[4]", 2, 3.1622776601683795, 0, 3.1622776601683795);
  GIVES(and_back, "f64[4]", "f64[4]", 1, 2, 3, 4);
}

// Of the op against that of the formula written out, by every argument.
static void batch_norm_derivatives(void **state) {
  (void)state;
  double x[4][3] = {{1, 2, 0}, {0.5, -1, 3}, {2, 0.25, -2}, {-1, 1, 1}}, scale[3] = {1, 2, -1},
         offset[3] = {0, 1, 0.5}, got[2][4 * 3 + 3 + 3];
  for (int by_hand = 0; by_hand < 2; by_hand++) {
    tl_program *f = NULL, *g = NULL;
    tl_trace *t = tl_trace_begin("f");
    tl_expr X = tl_input(t, "f64[4, 3]"), S = tl_input(t, "f64[3]"), O = tl_input(t, "f64[3]"), m,
            v, y;
    if (by_hand) {
      m = tl_mean_axes(X, TL_LIST(0));
      v = tl_mean_axes(tl_square(tl_sub(X, m)), TL_LIST(0));
      y = tl_add(tl_mul(tl_div(tl_sub(X, m), tl_sqrt(tl_add(v, 0x1p-10))), S), O);
    } else {
      y = tl_batch_norm_training(X, S, O, 1, 0x1p-10, &m, &v);
    }
    tl_expr loss = tl_add(tl_sum(tl_sin(y)), tl_sum(tl_mul(m, tl_square(v))));
    assert_ok(tl_trace_end(t, &loss, 1, &f));
    assert_ok(tl_program_grad(f, &(tl_derive_options){TL_WRT(0, 1, 2)}, &g));
    tl_array in[] = {TL_ARRAY(x), TL_ARRAY(scale), TL_ARRAY(offset)},
             out[] = {{.data = got[by_hand], .size = sizeof x},
                      {.data = got[by_hand] + 12, .size = sizeof scale},
                      {.data = got[by_hand] + 15, .size = sizeof offset}};
    assert_ok(tl_program_run(g, in, 3, out, 3));
    tl_program_release(f);
    tl_program_release(g);
  }
  for (size_t i = 0; i < TL_COUNT(got[0]); i++)
    if (!(fabs(got[0][i] - got[1][i]) <= 1e-12))
      fail_msg("gradient %zu is %.17g, by hand %.17g", i, got[0][i], got[1][i]);
}

static void wrong_batch_norm(void **state) {
  (void)state;
  tl_program *p = NULL;
  tl_trace *t = tl_trace_begin("f");
  tl_expr x = tl_input(t, "f64[4, 3]"), s = tl_input(t, "f64[4]"), mean = x;
  const int line = __LINE__ + 1;
  tl_expr y = tl_batch_norm_training(x, s, s, 1, 0x1p-10, &mean, NULL);
  char want[200];
  snprintf(want, sizeof want,
           "%s:%d: batch_norm_training: f64[4] for axis 1 of f64[4, 3] "
           "[tlaloc-shape-mismatch]",
           __FILE__, line);
  assert_null(y);
  assert_null(mean);
  assert_status(tl_trace_end(t, &y, 1, &p), TL_STATUS_INVALID_ARGUMENT, want);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products),
      cmocka_unit_test(products_by_name),
      cmocka_unit_test(linear_algebra),
      cmocka_unit_test(networks),
      cmocka_unit_test(batch_norm_derivatives),
      cmocka_unit_test(wrong_batch_norm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
