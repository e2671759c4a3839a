// Traced calls: their values, by the reference interpreter and the native backend, against numbers
// worked out by hand or recorded from NumPy; names of axes along the way.
#include "program/testing.h"

#define GIVES(fn, type, out_type, ...)                                 \
  traced_gives(fn, type, six, out_type, (const double[]){__VA_ARGS__}, \
               sizeof((const double[]){__VA_ARGS__}) / sizeof(double), 1e-14)

static const double six[] = {3, -1, 4, 1, -5, 9};

// Results are checked as f64.
#define F64(y) tl_convert(y, "f64")

FN(numbers_on_both_sides, tl_sub(tl_mul(2, x), tl_div(1.0, tl_add(x, 10))))
FN(rows_plus_columns,
   tl_add(tl_sum_axes(x, TL_LIST(0)), tl_expand_dims(tl_max_axes(x, TL_LIST(-1)), 1)))
FN(signs, F64(tl_gt(x, 0.0)))
FN(where_positive, tl_where(tl_gt(x, 0.0), x, -0.5))
FN(between, tl_clamp(-2, x, 3.5))
FN(truncated, F64(tl_rem(tl_convert(x, "i32"), 3)))
FN(turned, tl_transpose(x, TL_LIST(1, 0)))
FN(folded, tl_reshape(x, TL_LIST(3, -1)))
FN(every_other, tl_slice(x, 0, -5, INT64_MAX, 2))
FN(last_row, tl_pick(x, 0, -1))
FN(padded, tl_pad(x, 7, ((int64_t[]){1}), ((int64_t[]){-1}), ((int64_t[]){1})))
FN(backwards, tl_reverse(x, TL_LIST(0)))
FN(stacked, tl_stack(((tl_expr[]){x, tl_neg(x)}), 2, 1))
FN(joined, tl_concat(((tl_expr[]){tl_slice(x, 0, 0, 1, 1), x}), 2, 0))
FN(taken, tl_take(x, tl_constant(t, ((int32_t[]){2, 0, 9}), "i32[3]"), 1))
FN(taken_along, tl_take_along(x, tl_constant(t, ((int32_t[]){2, 0}), "i32[2, 1]"), 1))
FN(added_rows, tl_scatter_add_rows(x, tl_constant(t, ((int32_t[]){1, 1, 5}), "i32[3]"),
                                   tl_full(t, 10, "f64[3, 3]")))
FN(put_rows,
   tl_scatter_rows(x, tl_constant(t, ((int32_t[]){0}), "i32[1]"), tl_full(t, 0.5, "f64[1, 3]")))
FN(hot, tl_one_hot(tl_convert(tl_slice(x, 0, 2, 4, 1), "i32"), 5, "f64"))
FN(low, tl_tril(x, 0))
FN(high, tl_triu(x, 1))
FN(counted, tl_add(x, tl_iota(t, 1, "f64[2, 3]")))
FN(product, tl_prod(x))
FN(least, tl_reduce_min(x))
FN(mean_of_rows, tl_mean_axes(x, TL_LIST(1)))
FN(greatest_place, F64(tl_argmax(x, 1)))
FN(running, tl_cumsum(x, 1))
FN(running_product, tl_cumprod(x, 0))
FN(running_max, tl_cummax(x, 1))
FN(in_order, tl_sort(tl_reshape(x, TL_LIST(6)), 0))
FN(order, F64(tl_argsort(tl_reshape(x, TL_LIST(6)), 0)))
FN(two_best, tl_top_k(x, 2, NULL))
FN(all_positive, F64(tl_all_axes(tl_gt(x, 0.0), TL_LIST(0))))
FN(softly, tl_softmax(x, 1))
FN(log_sum, tl_logsumexp(x, 1))
FN(at_a_place, tl_dynamic_slice(x, ((tl_expr[]){tl_full(t, 1, "i32"), tl_full(t, 9, "i32")}),
                                ((int64_t[]){1, 2})))
FN(put_at_a_place,
   tl_dynamic_update_slice(x, tl_full(t, 0, "f64[1, 2]"),
                           ((tl_expr[]){tl_full(t, 1, "i32"), tl_full(t, 1, "i32")})))

static void elementwise(void **state) {
  (void)state;
  GIVES(numbers_on_both_sides, "f64[6]", "f64[6]", 6 - 1 / 13.0, -2 - 1 / 9.0, 8 - 1 / 14.0,
        2 - 1 / 11.0, -10 - 1 / 5.0, 18 - 1 / 19.0);
  GIVES(rows_plus_columns, "f64[2, 3]", "f64[2, 3]", 8, -2, 17, 13, 3, 22);
  GIVES(signs, "f64[6]", "f64[6]", 1, 0, 1, 1, 0, 1);
  GIVES(where_positive, "f64[6]", "f64[6]", 3, -0.5, 4, 1, -0.5, 9);
  GIVES(between, "f64[6]", "f64[6]", 3, -1, 3.5, 1, -2, 3.5);
  GIVES(truncated, "f64[6]", "f64[6]", 0, -1, 1, 1, -2, 0);
}

static void shapes(void **state) {
  (void)state;
  GIVES(turned, "f64[a: 2, b: 3]", "f64[b: 3, a: 2]", 3, 1, -1, -5, 4, 9);
  GIVES(folded, "f64[2, 3]", "f64[3, 2]", 3, -1, 4, 1, -5, 9);
  GIVES(every_other, "f64[6]", "f64[3]", -1, 1, 9);
  GIVES(last_row, "f64[a: 2, b: 3]", "f64[b: 3]", 1, -5, 9);
  GIVES(padded, "f64[6]", "f64[11]", 7, 3, 7, -1, 7, 4, 7, 1, 7, -5, 7);
  GIVES(backwards, "f64[2, 3]", "f64[2, 3]", 1, -5, 9, 3, -1, 4);
  GIVES(stacked, "f64[a: 6]", "f64[a: 6, 2]", 3, -3, -1, 1, 4, -4, 1, -1, -5, 5, 9, -9);
  GIVES(joined, "f64[2, 3]", "f64[3, 3]", 3, -1, 4, 3, -1, 4, 1, -5, 9);
  GIVES(low, "f64[2, 3]", "f64[2, 3]", 3, 0, 0, 1, -5, 0);
  GIVES(high, "f64[2, 3]", "f64[2, 3]", 0, -1, 4, 0, 0, 9);
  GIVES(counted, "f64[2, 3]", "f64[2, 3]", 3, 0, 6, 1, -4, 11);
}

static void indices(void **state) {
  (void)state;
  GIVES(taken, "f64[a: 2, b: 3]", "f64[a: 2, 3]", 4, 3, 4, 9, 1, 9);
  GIVES(taken_along, "f64[2, 3]", "f64[2, 1]", 4, 1);
  GIVES(added_rows, "f64[2, 3]", "f64[2, 3]", 3, -1, 4, 21, 15, 29);
  GIVES(put_rows, "f64[2, 3]", "f64[2, 3]", 0.5, 0.5, 0.5, 1, -5, 9);
  GIVES(hot, "f64[6]", "f64[2, 5]", 0, 0, 0, 0, 1, 0, 1, 0, 0, 0);
  GIVES(at_a_place, "f64[2, 3]", "f64[1, 2]", -5, 9);
  GIVES(put_at_a_place, "f64[2, 3]", "f64[2, 3]", 3, -1, 4, 1, 0, 0);
}

static void reductions(void **state) {
  (void)state;
  GIVES(product, "f64[2, 3]", "f64", 540);
  GIVES(least, "f64[2, 3]", "f64", -5);
  GIVES(mean_of_rows, "f64[a: 2, b: 3]", "f64[a: 2]", 2, 5 / 3.0);
  GIVES(greatest_place, "f64[a: 2, b: 3]", "f64[a: 2]", 2, 2);
  GIVES(running, "f64[2, 3]", "f64[2, 3]", 3, 2, 6, 1, -4, 5);
  GIVES(running_product, "f64[2, 3]", "f64[2, 3]", 3, -1, 4, 3, 5, 36);
  GIVES(running_max, "f64[2, 3]", "f64[2, 3]", 3, 3, 4, 1, 1, 9);
  GIVES(in_order, "f64[2, 3]", "f64[6]", -5, -1, 1, 3, 4, 9);
  GIVES(order, "f64[2, 3]", "f64[6]", 4, 1, 3, 0, 2, 5);
  GIVES(two_best, "f64[2, 3]", "f64[2, 2]", 4, 3, 9, 1);
  GIVES(all_positive, "f64[2, 3]", "f64[3]", 1, 0, 1);
}

// numpy: e = exp(x - max); e / e.sum(); and m + log(sum)
static void soft(void **state) {
  (void)state;
  double want[6], sums[2];
  for (int r = 0; r < 2; r++) {
    double m = r == 0 ? 4 : 9, sum = 0;
    for (int c = 0; c < 3; c++)
      sum += exp(six[3 * r + c] - m);
    for (int c = 0; c < 3; c++)
      want[3 * r + c] = exp(six[3 * r + c] - m) / sum;
    sums[r] = m + log(sum);
  }
  traced_gives(softly, "f64[2, 3]", six, "f64[2, 3]", want, 6, 1e-14);
  traced_gives(log_sum, "f64[2, 3]", six, "f64[2]", sums, 2, 1e-14);
}

static void nan_is_last(void **state) {
  (void)state;
  const double x[] = {2, -NAN, INFINITY, NAN, -INFINITY, -0.0};
  const double want[] = {-INFINITY, 0, 2, INFINITY, NAN, NAN};
  traced_gives(in_order, "f64[6]", x, "f64[6]", want, 6, 1e-14);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elementwise), cmocka_unit_test(shapes), cmocka_unit_test(indices),
      cmocka_unit_test(reductions),  cmocka_unit_test(soft),   cmocka_unit_test(nan_is_last),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
