// custom_calls of JAX's linear algebra, read into named ops.
//
// What such a call means is its library's manual: LAPACK's routines work in place of a column-major
// matrix, count pivots from 1, return an `info` and leave the other triangle as it was. JAX writes
// the layouts beside the call, and looks at `info` afterwards. So a reader here checks that layouts
// and options say what the routine is taken for, and spells the rest out in core ops: info,
// counting, the triangle. The names are those of JAX's lowering (jax/_src/lax/linalg.py) and of
// XLA's own targets.
#include "shlo/calls.h"

#include <stdarg.h>
#include <stdio.h>

#include "ir/decompose_matrix.h"

#define EQ TL_COMPARISON_DIRECTION_EQ
#define GE TL_COMPARISON_DIRECTION_GE
#define GT TL_COMPARISON_DIRECTION_GT
#define LE TL_COMPARISON_DIRECTION_LE

typedef enum { FAMILY_LAPACK, FAMILY_CUSOLVER, FAMILY_XLA } family;

typedef struct option { // of a backend_config
  tl_str name;
  int64_t value;
  bool used;
} option;

typedef struct reader {
  tl_builder *b;
  const tl_call *call;
  family family;
  tl_type a;        // operand 0
  uint32_t n_batch; // leading dims
  option options[8];
  size_t n_options;
} reader;

#define WRONG(r, ...) wrong((r), __VA_ARGS__)
static tl_status TL_PRINTF(2, 3) wrong(const reader *r, const char *fmt, ...) {
  char text[200];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  return TL_ERROR(INVALID_ARGUMENT, "@" TL_STR_FMT ": %s", TL_STR_ARG(r->call->target), text);
}

// ---- Texts ----

static size_t skip_blanks(tl_str s, size_t at) {
  while (at < s.len && (s.ptr[at] == ' ' || s.ptr[at] == '\n' || s.ptr[at] == '\t'))
    at++;
  return at;
}

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static size_t word_end(tl_str s, size_t at) {
  while (at < s.len && is_word(s.ptr[at]))
    at++;
  return at;
}

// {a = 76 : ui8, b = true}
static tl_status read_options(reader *r) {
  tl_str s = r->call->config;
  if (s.len == 0 || s.ptr[0] != '{') return TL_OK; // a string, or none
  size_t at = skip_blanks(s, 1);
  while (at < s.len && s.ptr[at] != '}') {
    size_t end = word_end(s, at);
    option o = {.name = tl_str_sub(s, at, end)};
    at = skip_blanks(s, end);
    bool good = o.name.len > 0 && at < s.len && s.ptr[at] == '=';
    at = good ? skip_blanks(s, at + 1) : at;
    end = word_end(s, at);
    tl_str value = tl_str_sub(s, at, end);
    uint64_t number = tl_str_is(value, "true");
    good = good && (number || tl_str_is(value, "false") ||
                    (tl_str_to_u64(value, &number) && number <= INT64_MAX));
    at = skip_blanks(s, end);
    if (good && at < s.len && s.ptr[at] == ':') // its type
      at = skip_blanks(s, word_end(s, skip_blanks(s, at + 1)));
    good = good && at < s.len && (s.ptr[at] == ',' || s.ptr[at] == '}');
    if (!good || r->n_options == TL_COUNT(r->options))
      return WRONG(r, "cannot read its backend_config");
    if (s.ptr[at] == ',') at = skip_blanks(s, at + 1);
    o.value = (int64_t)number;
    r->options[r->n_options++] = o;
  }
  return at < s.len ? TL_OK : WRONG(r, "cannot read its backend_config");
}

// The option's value, which must be one of `allowed` (as characters of LAPACK, or 0 and 1).
static tl_status want_option(reader *r, const char *name, const char *allowed, size_t n,
                             int64_t *out) {
  for (size_t i = 0; i < r->n_options; i++) {
    option *o = &r->options[i];
    if (!tl_str_is(o->name, name)) continue;
    o->used = true;
    *out = o->value;
    for (size_t k = 0; k < n; k++)
      if (o->value == allowed[k]) return TL_OK;
    return WRONG(r, "%s = %lld is none of its options", name, (long long)o->value);
  }
  return WRONG(r, "its backend_config lacks %s", name);
}

static tl_status no_more_options(const reader *r) {
  for (size_t i = 0; i < r->n_options; i++)
    if (!r->options[i].used)
      return WRONG(r, "the option " TL_STR_FMT " of its backend_config is not supported",
                   TL_STR_ARG(r->options[i].name));
  return TL_OK;
}

// lower = uplo 'L', or lower = true.
static tl_status want_lower(reader *r, bool *out) {
  static const char flags[] = {0, 1};
  int64_t v = 0;
  if (r->family == FAMILY_LAPACK)
    TL_TRY(want_option(r, "uplo", "LU", 2, &v));
  else
    TL_TRY(want_option(r, "lower", flags, 2, &v));
  *out = v == 'L' || v == 1;
  return TL_OK;
}

// One layout, dense<[1, 0]> : tensor<2xindex>, from *at on: its numbers, minor to major.
static bool layout_next(tl_str s, size_t *at, int64_t *out, uint32_t *out_n) {
  size_t i = skip_blanks(s, *at);
  tl_str rest = tl_str_sub(s, i, s.len);
  *out_n = 0;
  if (!tl_str_starts(rest, TL_STR("dense<"))) return false;
  for (i += 6; i < s.len && s.ptr[i] != '>';) {
    size_t end = word_end(s, i);
    uint64_t v;
    if (end == i) {
      i++; // brackets, commas, blanks
      continue;
    }
    if (*out_n == TL_MAX_RANK || !tl_str_to_u64(tl_str_sub(s, i, end), &v) || v >= TL_MAX_RANK)
      return false;
    out[(*out_n)++] = (int64_t)v;
    i = end;
  }
  while (i < s.len && s.ptr[i] != ',' && s.ptr[i] != ']')
    i++;
  *at = i < s.len ? i + 1 : i;
  return i < s.len;
}

// The layouts of values of these types: matrices column-major, vectors and scalars of a batch
// plain.
static tl_status want_layouts(const reader *r, const char *of, tl_str s, const tl_value *values,
                              const tl_type *types, uint32_t n) {
  if (s.len == 0 || s.ptr[0] != '[')
    return WRONG(r, "wants %s_layouts, which say that its matrices are column-major", of);
  size_t at = 1;
  for (uint32_t i = 0; i < n; i++) {
    int64_t layout[TL_MAX_RANK];
    uint32_t len, rank = values != NULL ? values[i]->type.rank : types[i].rank;
    bool good = layout_next(s, &at, layout, &len) && len == rank;
    for (uint32_t k = 0; good && k < rank; k++) {
      bool matrix = rank >= 2 && rank == r->n_batch + 2;
      int64_t plain = (int64_t)(rank - 1 - k),
              want = !matrix || k > 1 ? plain : (int64_t)(r->n_batch + k);
      good = layout[k] == want;
    }
    if (!good) return WRONG(r, "the layout of %s %u is not that of column-major matrices", of, i);
  }
  return TL_OK;
}

// ---- What the readers share ----

static tl_status counts(const reader *r, uint32_t n_in, uint32_t n_out) {
  const tl_call *c = r->call;
  if (c->n_operands == n_in && c->n_results == n_out) return TL_OK;
  return WRONG(r, "takes %u and gives %u values, found %u and %u", n_in, n_out, c->n_operands,
               c->n_results);
}

// The first of `bad` i1 [N, k] counted from 1, or 0 where there is none; of the batch's shape.
static tl_value info_of(reader *r, tl_value bad, int64_t N, int64_t k) {
  tl_builder *b = r->b;
  tl_value at = tl_mx_iota2(b, N, k), one = tl_mx_scalar(b, TL_DTYPE_S32, 1);
  tl_value none = tl_mx_scalar(b, TL_DTYPE_S32, (double)k);
  tl_type vector = {TL_DTYPE_S32, 1, &N};
  at = tlo_select(b, bad, at, tl_mx_spread2(b, none, N, k, NULL));
  tl_value first = tl_mx_over(b, at, TL_OP_MINIMUM, (double)k);
  tl_value found = tlo_compare(b, GE, first, tlo_broadcast(b, none, vector, NULL));
  tl_value zero = tlo_constant_i64(b, vector, 0);
  tl_value info = tlo_add(b, first, tlo_broadcast(b, one, vector, NULL));
  return tl_mx_back(b, tlo_select(b, found, zero, info), r->a, NULL, 0);
}

// The diagonal of x [..., m, n] as [N, k].
static tl_value diagonal(tl_mx x, tl_value v) {
  int64_t k = TL_MIN(x.m, x.n);
  tl_value rows = tl_mx_iota3(x.b, x.N, x.m, x.n, 1), cols = tl_mx_iota3(x.b, x.N, x.m, x.n, 2);
  tl_value on = tlo_compare(x.b, EQ, rows, cols), zero = tl_mx_scalar(x.b, x.dtype, 0);
  v = tlo_select(x.b, on, tl_mx_flat(x, v), tl_mx_spread3(x.b, zero, x.N, x.m, x.n, NULL));
  v = tlo_reduce(x.b, v, zero, (int64_t[]){1}, 1, TL_OP_ADD); // [N, n], one of each column
  return tlo_slice(x.b, v, (int64_t[]){0, 0}, (int64_t[]){x.N, k}, NULL);
}

static tl_value spread_zero(tl_builder *b, int64_t N, int64_t k, tl_dtype dtype) {
  return tlo_constant_f64(b, (tl_type){dtype, 2, (int64_t[]){N, k}}, 0);
}

// ---- The readers ----

// Cholesky of one triangle; the other stays as it was. info: the first diagonal element that is not
// positive.
static tl_status read_potrf(reader *r, tl_value *out) {
  bool lower;
  TL_TRY(counts(r, 1, 2));
  TL_TRY(want_lower(r, &lower));
  tl_builder *b = r->b;
  tl_value a = r->call->operands[0];
  tl_mx x = tl_mx_of(b, r->a);
  tl_type index = r->a;
  index.dtype = TL_DTYPE_S32;
  tl_value rows = tlo_iota(b, index, index.rank - 2), cols = tlo_iota(b, index, index.rank - 1);
  tl_value mine = tlo_compare(b, lower ? GE : LE, rows, cols);
  tl_value l = tlo_cholesky(b, a, lower);
  out[0] = tlo_select(b, mine, l, a);
  tl_value zeros = spread_zero(b, x.N, x.n, tl_dtype_part(x.dtype));
  tl_value positive = tlo_compare(b, GT, tl_mx_real(b, diagonal(x, l)), zeros);
  out[1] = info_of(r, tlo_unary(b, TL_OP_NOT, positive), x.N, x.n);
  return TL_OK;
}

// Pivots count from 1. info: the first zero on U's diagonal.
static tl_status read_getrf(reader *r, tl_value *out) {
  TL_TRY(counts(r, 1, 3));
  tl_builder *b = r->b;
  tl_mx x = tl_mx_of(b, r->a);
  int64_t k = TL_MIN(x.m, x.n);
  tl_op *lu = tlo_lu(b, r->call->operands[0]);
  if (lu == NULL) return TL_OK;
  tl_value one = tl_mx_scalar(b, TL_DTYPE_S32, 1), pivots = lu->results[1];
  out[0] = lu->results[0];
  out[1] = tlo_add(b, pivots, tlo_broadcast(b, one, pivots->type, NULL));
  tl_value zeros = spread_zero(b, x.N, k, x.dtype);
  out[2] = info_of(r, tlo_compare(b, EQ, diagonal(x, out[0]), zeros), x.N, k);
  return TL_OK;
}

static tl_status read_lu(reader *r, tl_value *out) {
  TL_TRY(counts(r, 1, 3));
  tl_op *lu = tlo_lu(r->b, r->call->operands[0]);
  for (uint32_t i = 0; i < 3 && lu != NULL; i++)
    out[i] = lu->results[i];
  return TL_OK;
}

static tl_status read_pivots(reader *r, tl_value *out) {
  TL_TRY(counts(r, 1, 1));
  const tl_type *t = &r->call->results[0];
  tl_type a = r->a; // pivots [..., k]
  if (a.dtype != TL_DTYPE_S32 || t->rank != a.rank || t->dtype != TL_DTYPE_S32)
    return WRONG(r, "wants pivots of i32 and gives a permutation");
  int64_t k = a.dims[a.rank - 1], m = t->dims[t->rank - 1], N = 1;
  for (uint32_t i = 0; i + 1 < a.rank; i++)
    if (!TL_MUL_OK(N, a.dims[i], &N)) return WRONG(r, "its batch is too large");
  tl_value flat = tlo_reshape(r->b, r->call->operands[0], (int64_t[]){N, k}, 2);
  tl_value p = tl_mx_permutation(r->b, flat, m);
  out[0] = tlo_reshape(r->b, p, t->dims, t->rank);
  return TL_OK;
}

static tl_status read_trsm(reader *r, tl_value *out) {
  bool lower;
  int64_t side, diag, trans;
  TL_TRY(counts(r, 2, 1));
  TL_TRY(want_lower(r, &lower));
  TL_TRY(want_option(r, "side", "LR", 2, &side));
  TL_TRY(want_option(r, "diag", "UN", 2, &diag));
  TL_TRY(want_option(r, "trans_x", "NTC", 3, &trans));
  tl_op *op = tl_op_begin(r->b, TL_OP_TRIANGULAR_SOLVE, r->call->operands, 2);
  tl_op_set_i64(op, TL_A_TRIANGULAR_SOLVE_left_side, side == 'L');
  tl_op_set_i64(op, TL_A_TRIANGULAR_SOLVE_lower, lower);
  tl_op_set_i64(op, TL_A_TRIANGULAR_SOLVE_unit_diagonal, diag == 'U');
  tl_op_set_i64(op, TL_A_TRIANGULAR_SOLVE_transpose_a,
                trans == 'N'   ? TL_TRANSPOSE_NO_TRANSPOSE
                : trans == 'T' ? TL_TRANSPOSE_TRANSPOSE
                               : TL_TRANSPOSE_ADJOINT);
  op = tl_op_finish(r->b, op, NULL, 0);
  out[0] = op == NULL ? NULL : op->results[0];
  return TL_OK;
}

static tl_status read_geqrf(reader *r, tl_value *out) {
  TL_TRY(counts(r, 1, 2));
  tl_op *qr = tlo_geqrf(r->b, r->call->operands[0]);
  for (uint32_t i = 0; i < 2 && qr != NULL; i++)
    out[i] = qr->results[i];
  return TL_OK;
}

static tl_status read_orgqr(reader *r, tl_value *out) {
  TL_TRY(counts(r, 2, 1));
  out[0] = tlo_householder_product(r->b, r->call->operands[0], r->call->operands[1]);
  return TL_OK;
}

// No eigenvector and no singular vector is late: both converge for whatever is finite.
static tl_value no_info(reader *r) {
  tl_type info = r->a;
  info.dtype = TL_DTYPE_S32;
  info.rank -= 2;
  return tlo_constant_i64(r->b, info, 0);
}

// (vectors, values, info). Mode N leaves no vectors behind: the matrix stands for what it was
// overwritten with.
static tl_status read_syevd(reader *r, tl_value *out) {
  bool lower;
  int64_t mode = 'V', algorithm;
  TL_TRY(counts(r, 1, 3));
  TL_TRY(want_lower(r, &lower));
  if (r->family == FAMILY_LAPACK)
    TL_TRY(want_option(r, "mode", "NV", 2, &mode));
  else
    TL_TRY(want_option(r, "algorithm", (const char[]){0, 1, 2}, 3, &algorithm));
  if (r->a.dims[r->a.rank - 2] != r->a.dims[r->a.rank - 1])
    return WRONG(r, "takes square matrices");
  tl_op *eigh = tlo_eigh(r->b, r->call->operands[0], lower);
  if (eigh == NULL) return TL_OK;
  out[0] = mode == 'V' ? eigh->results[1] : r->call->operands[0];
  out[1] = eigh->results[0];
  out[2] = no_info(r);
  return TL_OK;
}

// backend_config = "lower,sort,sweeps,tolerance": any order of values does where they need none.
static tl_status read_eigh(reader *r, tl_value *out) {
  TL_TRY(counts(r, 1, 2));
  tl_str s = r->call->config;
  if (s.len < 5 || s.ptr[0] != '"' || (s.ptr[1] != '0' && s.ptr[1] != '1') || s.ptr[2] != ',' ||
      (s.ptr[3] != '0' && s.ptr[3] != '1') || s.ptr[4] != ',')
    return WRONG(r, "wants a backend_config such as \"1,1,100,1e-6\"");
  tl_op *eigh = tlo_eigh(r->b, r->call->operands[0], s.ptr[1] == '1');
  if (eigh == NULL) return TL_OK;
  out[0] = eigh->results[1];
  out[1] = eigh->results[0];
  return TL_OK;
}

// (a overwritten, s, u, vt, info). What is overwritten, or not asked for, nobody may read: the
// matrix as it was, and zeros.
static tl_status svd_results(reader *r, bool vectors, bool full, tl_value *out) {
  TL_TRY(counts(r, 1, 5));
  const tl_type *types = r->call->results;
  out[0] = r->call->operands[0];
  out[4] = no_info(r);
  if (!vectors) {
    out[1] = tlo_singular_values(r->b, out[0]);
    out[2] = tlo_constant_f64(r->b, types[2], 0);
    out[3] = tlo_constant_f64(r->b, types[3], 0);
    return TL_OK;
  }
  tl_op *svd = tlo_svd(r->b, out[0], full);
  if (svd == NULL) return TL_OK;
  out[1] = svd->results[1];
  out[2] = svd->results[0];
  out[3] = svd->results[2];
  return TL_OK;
}

static tl_status read_gesdd(reader *r, tl_value *out) {
  int64_t mode;
  TL_TRY(want_option(r, "mode", "ASN", 3, &mode));
  return svd_results(r, mode != 'N', mode == 'A', out);
}

// The same with v in place of vt.
static tl_status read_gesvdj(reader *r, tl_value *out) {
  static const char flags[] = {0, 1};
  int64_t full, vectors;
  TL_TRY(want_option(r, "full_matrices", flags, 2, &full));
  TL_TRY(want_option(r, "compute_uv", flags, 2, &vectors));
  TL_TRY(svd_results(r, vectors, full, out));
  if (!vectors || out[3] == NULL) return TL_OK;
  int64_t swap[TL_MAX_RANK];
  uint32_t rank = out[3]->type.rank;
  for (uint32_t i = 0; i < rank; i++)
    swap[i] = i < rank - 2 ? i : 2 * rank - 3 - i;
  out[3] = tl_mx_conj(r->b, tlo_transpose(r->b, out[3], swap));
  return TL_OK;
}

// The k largest of the last dim. A comparator of its own would say of which order.
static tl_status read_topk(reader *r, tl_value *out) {
  TL_TRY(counts(r, 1, 2));
  const tl_type *values = &r->call->results[0];
  int64_t k = values->rank == 0 ? 0 : values->dims[values->rank - 1], largest = 1;
  for (size_t i = 0; i < r->n_options; i++) {
    option *o = &r->options[i];
    if (tl_str_is(o->name, "k") && o->value == k) o->used = true;
    if (tl_str_is(o->name, "largest")) o->used = true, largest = o->value;
  }
  if (!largest) return WRONG(r, "the smallest are not supported");
  if (r->call->computation.len > 0) return WRONG(r, "a comparator of its own is not supported");
  out[0] = tlo_top_k(r->b, r->call->operands[0], k, &out[1]);
  return TL_OK;
}

// ---- The table ----

typedef struct row {
  const char *target;
  family family;
  tl_status (*read)(reader *r, tl_value *out);
  const char *why; // of a refused one
} row;

static const row rows[] = {
#define TL_CALL(name, fam, fn) {name, FAMILY_##fam, read_##fn, NULL},
#define TL_CALL_REFUSED(name, reason) {name, FAMILY_XLA, NULL, reason},
#include "shlo/calls.def"
};

// Whether `target` is the row's name; *out_letter the one that `?` stands for, or 0.
static bool matches(const char *name, tl_str target, char *out_letter) {
  *out_letter = 0;
  if (target.len != strlen(name)) return false;
  for (size_t i = 0; i < target.len; i++) {
    char c = target.ptr[i];
    if (name[i] == '?' && (c == 's' || c == 'd' || c == 'c' || c == 'z'))
      *out_letter = c;
    else if (name[i] != c)
      return false;
  }
  return true;
}

static const row *find(tl_str target, char *out_letter) {
  for (size_t i = 0; i < TL_COUNT(rows); i++)
    if (matches(rows[i].target, target, out_letter)) return &rows[i];
  return NULL;
}

bool tl_call_is_known(tl_str target, const char **out_why) {
  char letter;
  const row *found = find(target, &letter);
  *out_why = found == NULL ? NULL : found->why;
  return found != NULL;
}

tl_status tl_call_read(tl_builder *b, const tl_call *call, tl_value *out_values) {
  char letter;
  const row *found = find(call->target, &letter);
  TL_ASSERT(found != NULL && found->read != NULL);
  reader r = {.b = b, .call = call, .family = found->family};
  if (call->n_operands == 0) return WRONG(&r, "takes a matrix");
  r.a = call->operands[0]->type;
  const uint32_t least = found->read == read_pivots || found->read == read_topk ? 1 : 2;
  if (r.a.rank < least) return WRONG(&r, "takes matrices");
  r.n_batch = r.a.rank - least;
  const tl_dtype of_letter = letter == 's'   ? TL_DTYPE_F32
                             : letter == 'd' ? TL_DTYPE_F64
                             : letter == 'c' ? TL_DTYPE_C64
                             : letter == 'z' ? TL_DTYPE_C128
                                             : r.a.dtype;
  if (r.a.dtype != of_letter)
    return WRONG(&r, "its matrix has elements of %s", tl_dtype_get(r.a.dtype)->mlir);
  TL_TRY(read_options(&r));
  if (found->family != FAMILY_XLA) {
    TL_TRY(
        want_layouts(&r, "operand", call->operand_layouts, call->operands, NULL, call->n_operands));
    TL_TRY(want_layouts(&r, "result", call->result_layouts, NULL, call->results, call->n_results));
  }
  TL_TRY(found->read(&r, out_values));
  TL_TRY(no_more_options(&r));
  for (uint32_t i = 0; i < call->n_results && b->error == TL_OK; i++)
    if (!tl_type_eq(out_values[i]->type, call->results[i]))
      return WRONG(&r, "its result %u has another shape or type than it declares", i);
  return TL_OK;
}
