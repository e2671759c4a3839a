// Products of tensors: every one is a dot_general, and what is left of it is an order of axes.
#include "program/internal.h"

static bool same_dtype(tl_trace *t, const char *what, tl_expr x, tl_expr y) {
  if (x->v->type.dtype == y->v->type.dtype) return true;
  tl_fail(t, TL_DIAG_DTYPE_MISMATCH,
          "%s: %s and %s have different element types; convert one of them", what, tl_type_text(x),
          tl_type_text(y));
  return false;
}

// A product as axes of both sides: [n_batch] in step, [n_contract] summed. The names of the result
// are those of x's axes, then of what is left of y; none where they would clash.
typedef struct product {
  int64_t x_batch[TL_MAX_RANK], y_batch[TL_MAX_RANK], x_sum[TL_MAX_RANK], y_sum[TL_MAX_RANK];
  uint32_t n_batch, n_sum;
} product;

static bool has(const int64_t *list, uint32_t n, uint32_t axis) {
  for (uint32_t i = 0; i < n; i++)
    if (list[i] == axis) return true;
  return false;
}

static tl_expr multiply(tl_trace *t, const char *what, tl_expr x, tl_expr y, const product *p) {
  uint32_t rank = tl_rank_of(x) + tl_rank_of(y) - p->n_batch - 2 * p->n_sum, n = 0;
  if (rank > TL_MAX_RANK) {
    tl_fail(t, TL_DIAG_BAD_ARGUMENT, "%s: the product of %s and %s has %u axes", what,
            tl_type_text(x), tl_type_text(y), rank);
    return NULL;
  }
  for (uint32_t side = 0; side < 2; side++) {
    uint32_t k = side == 0 ? p->n_batch : p->n_sum;
    const int64_t *a = side == 0 ? p->x_batch : p->x_sum, *b = side == 0 ? p->y_batch : p->y_sum;
    for (uint32_t i = 0; i < k; i++)
      if (x->v->type.dims[a[i]] != y->v->type.dims[b[i]]) {
        tl_fail(t, TL_DIAG_SHAPE_MISMATCH, "%s: axis %lld of %s and axis %lld of %s differ", what,
                (long long)a[i], tl_type_text(x), (long long)b[i], tl_type_text(y));
        return NULL;
      }
  }
  const char **names = x->names == NULL && y->names == NULL ? NULL : tl_names_new(t, rank);
  for (uint32_t i = 0; names != NULL && i < p->n_batch; i++) {
    const char *name = tl_name_of(x, (uint32_t)p->x_batch[i]);
    names[n++] = name != NULL ? name : tl_name_of(y, (uint32_t)p->y_batch[i]);
  }
  for (uint32_t i = 0; names != NULL && i < tl_rank_of(x); i++)
    if (!has(p->x_batch, p->n_batch, i) && !has(p->x_sum, p->n_sum, i))
      names[n++] = tl_name_of(x, i);
  for (uint32_t i = 0; names != NULL && i < tl_rank_of(y); i++) {
    const char *name = tl_name_of(y, i);
    if (has(p->y_batch, p->n_batch, i) || has(p->y_sum, p->n_sum, i)) continue;
    for (uint32_t k = 0; name != NULL && k < n; k++)
      if (names[k] != NULL && strcmp(names[k], name) == 0) {
        tl_fail(t, TL_DIAG_AXIS_CLASH, "%s: the product of %s and %s has two axes `%s`", what,
                tl_type_text(x), tl_type_text(y), name);
        return NULL;
      }
    names[n++] = name;
  }
  return tl_made(
      t,
      tlo_dot(t->b, x->v, y->v, p->x_batch, p->y_batch, p->n_batch, p->x_sum, p->y_sum, p->n_sum),
      names);
}

tl_expr tl_dot_general_at(tl_here at, tl_expr x, tl_expr y, uint32_t n_batch,
                          const int64_t *x_batch, const int64_t *y_batch, uint32_t n_contract,
                          const int64_t *x_contract, const int64_t *y_contract) {
  tl_trace *t = tl_trace_at(at, "dot_general", (tl_expr[]){x, y}, 2);
  if (t == NULL || !same_dtype(t, "dot_general", x, y)) return NULL;
  product p = {.n_batch = n_batch, .n_sum = n_contract};
  if (n_batch > TL_MAX_RANK || n_contract > TL_MAX_RANK) {
    tl_fail(t, TL_DIAG_BAD_ARGUMENT, "dot_general: too many axes");
    return NULL;
  }
  for (uint32_t i = 0; i < n_batch + n_contract; i++) {
    uint32_t a, b, k = i < n_batch ? i : i - n_batch;
    int64_t ax = i < n_batch ? x_batch[k] : x_contract[k];
    int64_t ay = i < n_batch ? y_batch[k] : y_contract[k];
    if (!tl_axis_of(t, "dot_general", x, ax, 0, &a) || !tl_axis_of(t, "dot_general", y, ay, 0, &b))
      return NULL;
    if (i < n_batch)
      p.x_batch[k] = a, p.y_batch[k] = b;
    else
      p.x_sum[k] = a, p.y_sum[k] = b;
  }
  return multiply(t, "dot_general", x, y, &p);
}

// ---- matmul ----

// The leading axes of both, as NumPy broadcasts them.
static bool lead_of(tl_trace *t, tl_expr x, tl_expr y, uint32_t rank, int64_t *lead) {
  for (uint32_t back = 0; back < rank; back++) {
    int64_t d = 1;
    for (uint32_t side = 0; side < 2; side++) {
      tl_expr e = side == 0 ? x : y;
      if (back + 2 >= tl_rank_of(e)) continue;
      int64_t one = e->v->type.dims[tl_rank_of(e) - 3 - back];
      if (d != 1 && one != 1 && one != d) {
        tl_fail(t, TL_DIAG_SHAPE_MISMATCH, "matmul: the leading axes do not go together: %s and %s",
                tl_type_text(x), tl_type_text(y));
        return false;
      }
      if (d == 1) d = one;
    }
    lead[rank - 1 - back] = d;
  }
  return true;
}

static tl_expr with_lead(tl_here at, tl_expr x, uint32_t rank, const int64_t *lead) {
  int64_t dims[TL_MAX_RANK];
  if (rank != 0) memcpy(dims, lead, rank * sizeof *lead);
  memcpy(dims + rank, x->v->type.dims + tl_rank_of(x) - 2, 2 * sizeof *dims);
  return tl_broadcast_to_at(at, x, rank + 2, dims);
}

tl_expr tl_matmul_at(tl_here at, tl_expr x, tl_expr y) {
  tl_trace *t = tl_trace_at(at, "matmul", (tl_expr[]){x, y}, 2);
  if (t == NULL || !same_dtype(t, "matmul", x, y)) return NULL;
  uint32_t rx = tl_rank_of(x), ry = tl_rank_of(y);
  if (rx == 0 || ry == 0) {
    tl_fail(t, TL_DIAG_SHAPE_MISMATCH, "matmul: a scalar: %s and %s", tl_type_text(x),
            tl_type_text(y));
    return NULL;
  }
  product p = {.n_sum = 1, .x_sum = {rx - 1}, .y_sum = {ry == 1 ? 0 : ry - 2}};
  if (x->v->type.dims[p.x_sum[0]] != y->v->type.dims[p.y_sum[0]]) {
    tl_fail(t, TL_DIAG_SHAPE_MISMATCH, "matmul: the inner axes differ: %s and %s", tl_type_text(x),
            tl_type_text(y));
    return NULL;
  }
  const char *nx = tl_name_of(x, rx - 1), *ny = tl_name_of(y, (uint32_t)p.y_sum[0]);
  if (nx != NULL && ny != NULL && strcmp(nx, ny) != 0) {
    tl_fail(t, TL_DIAG_AXIS_MISMATCH, "matmul: the inner axes are `%s` and `%s`: %s and %s", nx, ny,
            tl_type_text(x), tl_type_text(y));
    return NULL;
  }
  // Without leading axes on the right, or with a vector there, all of the left's stay where they
  // are.
  if (ry <= 2) return multiply(t, "matmul", x, y, &p);
  if (rx == 1) { // the vector's place is that of a row
    tl_expr row = tl_matmul_at(at, tl_expand_dims_at(at, x, 0), y);
    return row == NULL ? NULL : tl_squeeze_at(at, row, -2);
  }
  uint32_t lead_rank = TL_MAX(rx, ry) - 2;
  int64_t lead[TL_MAX_RANK];
  if (!lead_of(t, x, y, lead_rank, lead)) return NULL;
  x = with_lead(at, x, lead_rank, lead);
  y = with_lead(at, y, lead_rank, lead);
  if (x == NULL || y == NULL) return NULL;
  for (uint32_t i = 0; i < lead_rank; i++) {
    const char *a = tl_name_of(x, i), *b = tl_name_of(y, i);
    if (a != NULL && b != NULL && strcmp(a, b) != 0) {
      tl_fail(t, TL_DIAG_AXIS_MISMATCH, "matmul: the axis `%s` meets `%s`: %s and %s", a, b,
              tl_type_text(x), tl_type_text(y));
      return NULL;
    }
    p.x_batch[i] = p.y_batch[i] = i;
  }
  p.n_batch = lead_rank;
  p.x_sum[0] = lead_rank + 1;
  p.y_sum[0] = lead_rank;
  return multiply(t, "matmul", x, y, &p);
}

// ---- contract ----

static int64_t place_of(tl_expr x, const char *name) {
  for (uint32_t i = 0; i < tl_rank_of(x); i++)
    if (tl_name_of(x, i) != NULL && strcmp(tl_name_of(x, i), name) == 0) return i;
  return -1;
}

static void list_names(tl_buf *out, tl_expr x) {
  tl_buf_char(out, '[');
  for (uint32_t i = 0; i < tl_rank_of(x); i++)
    tl_buf_printf(out, "%s%s", i == 0 ? "" : ", ", tl_name_of(x, i) ? tl_name_of(x, i) : "_");
  tl_buf_char(out, ']');
}

tl_expr tl_contract_at(tl_here at, tl_expr x, tl_expr y, const char *keep) {
  tl_trace *t = tl_trace_at(at, "contract", (tl_expr[]){x, y}, 2);
  if (t == NULL || !same_dtype(t, "contract", x, y)) return NULL;
  tl_axis_names kept = NULL;
  uint32_t n_kept = 0;
  tl_buf why = {0};
  if (keep != NULL && !tl_names_of_text(t->m, tl_str_of(keep), &kept, &n_kept, &why))
    tl_fail(t, TL_DIAG_BAD_ARGUMENT, "contract: %s", why.ptr ? why.ptr : "");
  tl_buf_deinit(&why);
  product p = {0};
  for (uint32_t i = 0; t->error == TL_OK && i < n_kept; i++) {
    const char *name = kept[i] == NULL ? "" : kept[i];
    p.x_batch[i] = place_of(x, name);
    p.y_batch[i] = place_of(y, name);
    if (p.x_batch[i] < 0 || p.y_batch[i] < 0)
      tl_fail(t, TL_DIAG_AXIS_MISSING, "contract: %s has no axis `%s`",
              tl_type_text(p.x_batch[i] < 0 ? x : y), name);
    p.n_batch++;
  }
  if (t->error != TL_OK) return NULL;
  for (uint32_t i = 0; i < tl_rank_of(x); i++) {
    const char *name = tl_name_of(x, i);
    int64_t other = name == NULL ? -1 : place_of(y, name);
    if (other < 0) continue;
    if (x->v->type.dims[i] != y->v->type.dims[other]) {
      tl_fail(t, TL_DIAG_AXIS_MISMATCH, "contract: `%s` has two sizes: %s and %s", name,
              tl_type_text(x), tl_type_text(y));
      return NULL;
    }
    if (has(p.x_batch, p.n_batch, i)) continue;
    p.x_sum[p.n_sum] = i;
    p.y_sum[p.n_sum++] = other;
  }
  if (p.n_sum == 0) {
    tl_buf text = {0};
    tl_buf_cstr(&text, "contract: the operands share no named axis");
    if (n_kept != 0) tl_buf_cstr(&text, " but those to keep");
    tl_buf_cstr(&text, ": lhs=");
    list_names(&text, x);
    tl_buf_cstr(&text, " rhs=");
    list_names(&text, y);
    tl_fail(t, TL_DIAG_AXIS_MISMATCH, "%s", text.ptr ? text.ptr : "");
    tl_buf_deinit(&text);
    return NULL;
  }
  return multiply(t, "contract", x, y, &p);
}

// ---- einsum ----

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// "ij,jk->ik" in its three lists of letters; the second is empty with one operand.
static bool read_formula(tl_trace *t, const char *formula, uint32_t n,
                         char lists[3][TL_MAX_RANK + 1]) {
  uint32_t list = 0, len = 0;
  bool fine = true;
  memset(lists, 0, 3 * (TL_MAX_RANK + 1));
  for (const char *c = formula; *c != '\0' && fine; c++) {
    if (*c == ' ') continue;
    if (*c == ',' && list == 0 && n == 2) {
      list = 1, len = 0;
    } else if (c[0] == '-' && c[1] == '>' && list == n - 1) {
      list = 2, len = 0, c++;
    } else {
      fine = is_letter(*c) && len < TL_MAX_RANK && strchr(lists[list], *c) == NULL;
      if (fine) lists[list][len++] = *c;
    }
  }
  for (uint32_t i = 0; lists[2][i] != '\0'; i++)
    fine &= strchr(lists[0], lists[2][i]) != NULL || strchr(lists[1], lists[2][i]) != NULL;
  if (!fine || list != 2)
    tl_fail(t, TL_DIAG_BAD_ARGUMENT, "einsum: '%s' is no formula for %u operand%s", formula, n,
            n == 1 ? "" : "s");
  return t->error == TL_OK;
}

// Sums away the axes of x whose letter stands neither in `other` nor in `out`; what is left of
// letters.
static tl_expr sum_alone(tl_here at, tl_expr x, char *letters, const char *other, const char *out) {
  int64_t axes[TL_MAX_RANK];
  uint32_t n = 0, left = 0;
  for (uint32_t i = 0; letters[i] != '\0'; i++) {
    if (strchr(other, letters[i]) == NULL && strchr(out, letters[i]) == NULL)
      axes[n++] = i;
    else
      letters[left++] = letters[i];
  }
  letters[left] = '\0';
  return n == 0 ? x : tl_reduce_at(at, "sum", x, n, axes);
}

static tl_expr ordered(tl_here at, tl_expr x, const char *letters, const char *out) {
  int64_t order[TL_MAX_RANK];
  bool same = true;
  uint32_t n = (uint32_t)strlen(out);
  for (uint32_t i = 0; i < n; i++) {
    order[i] = strchr(letters, out[i]) - letters;
    same &= order[i] == i;
  }
  return same || x == NULL ? x : tl_transpose_at(at, x, n, order);
}

tl_expr tl_einsum_at(tl_here at, const char *formula, tl_expr x, tl_expr y) {
  tl_expr both[2] = {x, y};
  uint32_t n = y == NULL ? 1 : 2;
  tl_trace *t = tl_trace_at(at, "einsum", both, n);
  char l[3][TL_MAX_RANK + 1];
  if (t == NULL || !read_formula(t, formula, n, l)) return NULL;
  for (uint32_t i = 0; i < n; i++)
    if (strlen(l[i]) != tl_rank_of(both[i])) {
      tl_fail(t, TL_DIAG_SHAPE_MISMATCH, "einsum: '%s' names %zu axes of %s", formula, strlen(l[i]),
              tl_type_text(both[i]));
      return NULL;
    }
  x = sum_alone(at, x, l[0], l[1], l[2]);
  if (n == 1) return ordered(at, x, l[0], l[2]);
  y = sum_alone(at, y, l[1], l[0], l[2]);
  if (x == NULL || y == NULL || !same_dtype(t, "einsum", x, y)) return NULL;
  product p = {0};
  char made[2 * TL_MAX_RANK + 2] = "";
  uint32_t k = 0;
  for (uint32_t i = 0; l[0][i] != '\0'; i++) {
    const char *other = strchr(l[1], l[0][i]);
    if (other == NULL) continue;
    if (strchr(l[2], l[0][i]) != NULL) {
      p.x_batch[p.n_batch] = i;
      p.y_batch[p.n_batch++] = other - l[1];
      made[k++] = l[0][i];
    } else {
      p.x_sum[p.n_sum] = i;
      p.y_sum[p.n_sum++] = other - l[1];
    }
  }
  for (uint32_t i = 0; l[0][i] != '\0'; i++)
    if (strchr(l[1], l[0][i]) == NULL) made[k++] = l[0][i];
  for (uint32_t i = 0; l[1][i] != '\0'; i++)
    if (strchr(l[0], l[1][i]) == NULL) made[k++] = l[1][i];
  return ordered(at, multiply(t, "einsum", x, y, &p), made, l[2]);
}
