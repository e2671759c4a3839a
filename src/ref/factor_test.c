// Factorizations by what they are: products that give the matrix back, bases that are orthonormal,
// values in order, signs as op_docs.def states them; of matrices that are hard as well as random
// ones. And a matrix in a batch has the bits that it has alone.
//
// Tolerances, in roundings u of the type times the larger dim: 8 for a product, beside the matrix's
// largest column norm, and 4 for a basis. The worst that 24 rows gave were 1 and 1.
#include "ref/ref_test.h"

enum { MAX = 40 };

static uint64_t state = 11;
static double next(void) { // in [-1, 1)
  state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return (double)(int64_t)state * 0x1p-63;
}

typedef enum {
  RANDOM,
  RANK_2,
  GRADED,
  HILBERT,
  ONES,
  ZERO,
  IDENTITY,
  KAHAN,
  ZERO_COLUMN,
  CLUSTERED,
  KINDS
} kind;
static const char *const kinds[KINDS] = {"random",      "rank 2",   "graded",   "hilbert",
                                         "ones",        "zero",     "identity", "kahan",
                                         "zero column", "clustered"};

static void fill(kind k, size_t m, size_t n, double *a) {
  double left[2][MAX], right[2][MAX];
  for (size_t i = 0; i < MAX; i++)
    for (size_t r = 0; r < 2; r++)
      left[r][i] = next(), right[r][i] = next();
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) {
      double x = next(), *e = &a[i * n + j];
      switch (k) {
      case RANK_2:
        *e = left[0][i] * right[0][j] + left[1][i] * right[1][j];
        break;
      case GRADED:
        *e = x * pow(10, -(double)i);
        break;
      case HILBERT:
        *e = 1 / (double)(i + j + 1);
        break;
      case ONES:
        *e = 1;
        break;
      case ZERO:
        *e = 0;
        break;
      case IDENTITY:
        *e = i == j;
        break;
      case KAHAN:
        *e = i > j ? 0 : pow(0.93, (double)i) * (i == j ? 1 : -0.36);
        break;
      case ZERO_COLUMN:
        *e = j == 1 ? 0 : x;
        break;
      case CLUSTERED:
        *e = (i == j) + 1e-6 * x;
        break;
      default:
        *e = x;
      }
    }
}

static double unit(tl_dtype d) { return d == TL_DTYPE_F64 ? 0x1p-53 : 0x1p-24; }

// Copies of one matrix as tensors of the type, `copies` in a batch; `a` becomes what the type
// holds.
static tl_tensor tensor_of(fixture *f, tl_dtype d, size_t copies, size_t m, size_t n, double *a) {
  tl_type t = TL_TYPE(f->arena, d, (int64_t)copies, (int64_t)m, (int64_t)n);
  size_t size = d == TL_DTYPE_F64 ? 8 : 4;
  char *data = tl_arena_alloc(f->arena, copies * m * n * size, 16);
  for (size_t i = 0; i < copies * m * n; i++) {
    float narrow = (float)a[i % (m * n)];
    if (d == TL_DTYPE_F32) a[i % (m * n)] = (double)narrow;
    memcpy(data + i * size, d == TL_DTYPE_F32 ? (void *)&narrow : (void *)&a[i % (m * n)], size);
  }
  return (tl_tensor){t, data};
}

static double *values(fixture *f, const tl_tensor *t) {
  size_t n;
  assert_true(tl_type_count(t->type, &n));
  double *x = TL_NEW(f->arena, double, n + 1);
  for (size_t i = 0; i < n; i++)
    x[i] = element(t, i);
  return x;
}

typedef struct checked { // what is being checked, and within what
  const char *op;
  kind k;
  tl_dtype d;
  size_t m, n;
} checked;

static void within(const checked *c, const char *what, double error, double allowed) {
  if (!(error <= allowed))
    fail_msg("%s of %s %zux%zu %s: %s is off by %g, %g is allowed", c->op, kinds[c->k], c->m, c->n,
             tl_dtype_get(c->d)->mlir, what, error, allowed);
}

// |u diag(s) v - a| beside the largest column of a; s may be NULL. u [m, k], v [k, n].
static void gives_back(const checked *c, const double *a, const double *u, const double *s,
                       const double *v, size_t k, size_t u_stride) {
  double norm = 0, worst = 0;
  for (size_t j = 0; j < c->n; j++) {
    double column = 0;
    for (size_t i = 0; i < c->m; i++) {
      double sum = 0;
      for (size_t r = 0; r < k; r++)
        sum += u[i * u_stride + r] * (s ? s[r] : 1) * v[r * c->n + j];
      worst = fmax(worst, fabs(sum - a[i * c->n + j]));
      column += a[i * c->n + j] * a[i * c->n + j];
    }
    norm = fmax(norm, sqrt(column));
  }
  within(c, "the product", worst, 8 * (double)TL_MAX(c->m, c->n) * unit(c->d) * norm);
}

static void orthonormal(const checked *c, const char *what, const double *q, size_t rows,
                        size_t cols) {
  double worst = 0;
  for (size_t i = 0; i < cols; i++)
    for (size_t j = 0; j < cols; j++) {
      double sum = i == j ? -1 : 0;
      for (size_t r = 0; r < rows; r++)
        sum += q[r * cols + i] * q[r * cols + j];
      worst = fmax(worst, fabs(sum));
    }
  within(c, what, worst, 4 * (double)TL_MAX(rows, (size_t)4) * unit(c->d));
}

static void transpose(const double *x, size_t m, size_t n, double *out) {
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++)
      out[j * m + i] = x[i * n + j];
}

// The first of the largest entries of each column is positive.
static void positive(const checked *c, const double *v, size_t rows, size_t cols) {
  for (size_t j = 0; j < cols; j++) {
    double most = 0;
    for (size_t i = 0; i < rows; i++)
      if (fabs(v[i * cols + j]) > fabs(most)) most = v[i * cols + j];
    if (!(most > 0)) fail_msg("%s of %s: column %zu is negative", c->op, kinds[c->k], j);
  }
}

static void run(fixture *f, tl_op *op, const tl_tensor *in, tl_tensor *out) {
  assert_non_null(op);
  fixture_run(f, TL_REF_AS_TYPED, op->results, op->n_results, in, 1, out);
}

static const size_t shapes[][2] = {{1, 1}, {2, 2},  {3, 3}, {24, 24}, {7, 4},
                                   {4, 7}, {33, 3}, {1, 5}, {5, 1}};

static void each(void (*check)(const checked *c, double *a), bool square) {
  for (size_t s = 0; s < TL_COUNT(shapes); s++)
    for (int k = 0; k < KINDS; k++)
      for (int wide = 0; wide < 2; wide++) {
        checked c = {.k = (kind)k,
                     .d = wide ? TL_DTYPE_F64 : TL_DTYPE_F32,
                     .m = shapes[s][0],
                     .n = shapes[s][1]};
        static double a[MAX * MAX];
        if (square && c.m != c.n) continue;
        fill(c.k, c.m, c.n, a);
        check(&c, a);
      }
}

static void check_qr(const checked *given, double *a) {
  checked c = *given;
  c.op = "qr";
  for (int full = 0; full < 2; full++) {
    fixture f = fixture_begin();
    tl_tensor in = tensor_of(&f, c.d, 1, c.m, c.n, a), out[2];
    run(&f, tlo_qr(&f.b, tl_func_arg(&f.b, in.type), full), &in, out);
    size_t k = full ? c.m : TL_MIN(c.m, c.n);
    double *q = values(&f, &out[0]), *r = values(&f, &out[1]);
    gives_back(&c, a, q, NULL, r, k, k);
    orthonormal(&c, "q", q, c.m, k);
    for (size_t i = 0; i < k; i++)
      for (size_t j = 0; j < i && j < c.n; j++)
        assert_true(r[i * c.n + j] == 0);
    fixture_end(&f);
  }
}

static void check_lu(const checked *given, double *a) {
  checked c = *given;
  c.op = "lu";
  fixture f = fixture_begin();
  tl_tensor in = tensor_of(&f, c.d, 1, c.m, c.n, a), out[3];
  run(&f, tlo_lu(&f.b, tl_func_arg(&f.b, in.type)), &in, out);
  double *lu = values(&f, &out[0]);
  const int32_t *pivots = out[1].data, *order = out[2].data;
  size_t k = TL_MIN(c.m, c.n);
  static double l[MAX * MAX], u[MAX * MAX], rows[MAX * MAX];
  for (size_t i = 0; i < c.m; i++)
    for (size_t r = 0; r < k; r++) {
      l[i * k + r] = i == r ? 1 : i > r ? lu[i * c.n + r] : 0;
      assert_true(fabs(l[i * k + r]) <= 1); // that is what pivots are for
    }
  for (size_t r = 0; r < k; r++) {
    assert_true(pivots[r] >= (int32_t)r && pivots[r] < (int32_t)c.m);
    for (size_t j = 0; j < c.n; j++)
      u[r * c.n + j] = r <= j ? lu[r * c.n + j] : 0;
  }
  for (size_t i = 0; i < c.m; i++)
    memcpy(&rows[i * c.n], &a[(size_t)order[i] * c.n], c.n * sizeof *rows);
  gives_back(&c, rows, l, NULL, u, k, k);
  fixture_end(&f);
}

static void check_eigh(const checked *given, double *a) {
  checked c = *given;
  c.op = "eigh";
  size_t n = c.n;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++)
      a[i * n + j] = a[j * n + i];
  fixture f = fixture_begin();
  tl_tensor in = tensor_of(&f, c.d, 1, n, n, a), out[2];
  run(&f, tlo_eigh(&f.b, tl_func_arg(&f.b, in.type), true), &in, out);
  double *w = values(&f, &out[0]), *v = values(&f, &out[1]);
  static double vt[MAX * MAX];
  transpose(v, n, n, vt);
  gives_back(&c, a, v, w, vt, n, n);
  orthonormal(&c, "v", v, n, n);
  positive(&c, v, n, n);
  for (size_t i = 1; i < n; i++)
    assert_true(w[i - 1] <= w[i]);
  fixture_end(&f);
}

static void check_svd(const checked *given, double *a) {
  checked c = *given;
  c.op = "svd";
  size_t k = TL_MIN(c.m, c.n);
  for (int full = 0; full < 2; full++) {
    fixture f = fixture_begin();
    tl_tensor in = tensor_of(&f, c.d, 1, c.m, c.n, a), out[4];
    tl_value x = tl_func_arg(&f.b, in.type);
    tl_op *op = tlo_svd(&f.b, x, full);
    tl_value results[] = {op->results[0], op->results[1], op->results[2],
                          tlo_singular_values(&f.b, x)};
    fixture_run(&f, TL_REF_AS_TYPED, results, 4, &in, 1, out);
    double *u = values(&f, &out[0]), *s = values(&f, &out[1]), *vt = values(&f, &out[2]);
    size_t u_n = full ? c.m : k, v_n = full ? c.n : k;
    static double v[MAX * MAX], first[MAX * MAX];
    gives_back(&c, a, u, s, vt, k, u_n);
    orthonormal(&c, "u", u, c.m, u_n);
    transpose(vt, v_n, c.n, v);
    orthonormal(&c, "vt", v, c.n, v_n);
    transpose(vt, k, c.n, first);
    positive(&c, first, c.n, k);
    for (size_t i = 0; i < k; i++)
      assert_true(s[i] >= 0 && (i == 0 || s[i - 1] >= s[i]));
    size_t size = k * (c.d == TL_DTYPE_F64 ? 8 : 4);
    assert_memory_equal(out[1].data, out[3].data, size); // the same without vectors
    fixture_end(&f);
  }
}

static void test_qr(void **unused) {
  (void)unused;
  each(check_qr, false);
}
static void test_lu(void **unused) {
  (void)unused;
  each(check_lu, false);
}
static void test_eigh(void **unused) {
  (void)unused;
  each(check_eigh, true);
}
static void test_svd(void **unused) {
  (void)unused;
  each(check_svd, false);
}

// A matrix that needs few sweeps beside one that needs many: each as it is alone.
static void test_batches(void **unused) {
  (void)unused;
  enum { N = 6 };
  static float all[3 * N * N];
  for (size_t i = 0; i < TL_COUNT(all); i++)
    all[i] = i / (N * N) == 1 ? (float)(i % (N * N) % (N + 1) == 0) : (float)next();
  for (int which = 0; which < 4; which++) {
    unsigned char *kept[3] = {0};
    for (int alone = 0; alone < 2; alone++)
      for (size_t at = 0; at < (alone ? 3u : 1u); at++) {
        fixture f = fixture_begin();
        tl_tensor in = TENSOR(alone ? all + at * N * N : all, TL_DTYPE_F32, alone ? 1 : 3, N, N),
                  out[3];
        tl_value x = tl_func_arg(&f.b, in.type);
        tl_op *op = which == 0   ? tlo_lu(&f.b, x)
                    : which == 1 ? tlo_qr(&f.b, x, false)
                    : which == 2 ? tlo_eigh(&f.b, x, true)
                                 : tlo_svd(&f.b, x, false);
        run(&f, op, &in, out);
        for (uint32_t r = 0; r < op->n_results; r++) {
          size_t size = 0;
          assert_true(tl_type_size(out[r].type, &size));
          if (!alone) {
            kept[r] = malloc(size);
            memcpy(kept[r], out[r].data, size);
          } else {
            assert_memory_equal(kept[r] + at * size, out[r].data, size);
          }
        }
        fixture_end(&f);
      }
    for (int r = 0; r < 3; r++)
      free(kept[r]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_qr),  cmocka_unit_test(test_lu),      cmocka_unit_test(test_eigh),
      cmocka_unit_test(test_svd), cmocka_unit_test(test_batches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
