// The table of dim expressions, and arithmetic on them. Entries are found by their text, which the
// canonical form makes unique; so equality, printing and interning are one thing.
#include "ir/dim.h"

#include <stdio.h>

#include "base/map.h"

enum {
  MAX_DEGREE = 12,  // factors of a term
  MAX_TERMS = 32,   // of a polynomial
  MAX_TEXT = 400,   // bytes of an entry: bounds how deep floordivs nest, too
  MAX_ATOMS = 4096, // of a table
  MAX_ENTRIES = 1 << 20,
  MAX_DEPTH = 24, // of parentheses
};

typedef struct term {
  int64_t coeff; // not 0
  uint32_t degree;
  uint16_t atoms[MAX_DEGREE]; // sorted by text
} term;

typedef struct poly { // sorted: degree down, then by the atoms' texts
  uint32_t n;
  term terms[MAX_TERMS];
} poly;

typedef enum { ATOM_SYMBOL, ATOM_FLOORDIV, ATOM_MAX, ATOM_MIN } atom_kind;

typedef struct atom {
  atom_kind kind;
  tl_str text;
  uint32_t symbol; // of ATOM_SYMBOL
  uint32_t a, b;   // entries, of the others
} atom;

typedef struct entry {
  tl_str text;
  uint32_t n;
  const term *terms;
} entry;

struct tl_dims {
  tl_arena *arena; // the module's
  tl_map by_text;  // entries; atoms under their text behind a '$'
  entry *entries;
  uint32_t n_entries, cap_entries;
  atom *atoms;
  uint32_t n_atoms, cap_atoms;
  tl_symbol *symbols;
  uint32_t n_symbols, cap_symbols;
};

static void table_release(void *object) {
  tl_dims *t = object;
  tl_map_deinit(&t->by_text);
}

static tl_dims *table_of(tl_module *m) {
  if (m->dims != NULL) return m->dims;
  tl_dims *t = TL_NEW(m->arena, tl_dims, 1);
  if (t == NULL || !tl_arena_own(m->arena, t, table_release)) return NULL;
  t->arena = m->arena;
  return m->dims = t;
}

// Room for one more in an array of the arena.
static bool grow(tl_arena *a, void *list, uint32_t n, uint32_t *cap, size_t size) {
  if (n < *cap) return true;
  const uint32_t bigger = *cap == 0 ? 8 : *cap * 2;
  void *from, *to = tl_arena_alloc_array(a, bigger, size, 16);
  memcpy(&from, list, sizeof from);
  if (to == NULL) return false;
  if (n > 0) memcpy(to, from, n * size);
  memcpy(list, &to, sizeof to);
  *cap = bigger;
  return true;
}

// ---- Polynomials ----

static int factors_compare(const tl_dims *t, const term *x, const term *y) {
  if (x->degree != y->degree) return x->degree > y->degree ? -1 : 1;
  for (uint32_t i = 0; i < x->degree; i++)
    if (x->atoms[i] != y->atoms[i])
      return tl_str_compare(t->atoms[x->atoms[i]].text, t->atoms[y->atoms[i]].text);
  return 0;
}

static void poly_number(poly *p, int64_t value) {
  p->n = value != 0;
  p->terms[0] = (term){.coeff = value};
}

static bool poly_is_number(const poly *p, int64_t *out) {
  *out = p->n == 0 ? 0 : p->terms[0].coeff;
  return p->n == 0 || (p->n == 1 && p->terms[0].degree == 0);
}

static void poly_atom(poly *p, uint32_t at) {
  p->n = 1;
  p->terms[0] = (term){.coeff = 1, .degree = 1, .atoms = {(uint16_t)at}};
}

// p += t, in its place.
static bool poly_put(const tl_dims *t, poly *p, const term *x) {
  uint32_t at = 0;
  int c = 1;
  while (at < p->n && (c = factors_compare(t, &p->terms[at], x)) < 0)
    at++;
  if (at < p->n && c == 0) {
    if (!TL_ADD_OK(p->terms[at].coeff, x->coeff, &p->terms[at].coeff)) return false;
    if (p->terms[at].coeff != 0) return true;
    p->n--;
    memmove(&p->terms[at], &p->terms[at + 1], (p->n - at) * sizeof *x);
    return true;
  }
  if (p->n == MAX_TERMS) return false;
  memmove(&p->terms[at + 1], &p->terms[at], (p->n - at) * sizeof *x);
  p->terms[at] = *x;
  p->n++;
  return true;
}

static bool poly_add(const tl_dims *t, poly *p, const poly *q, int64_t times) { // p += q * times
  if (times == 0) return true;
  for (uint32_t i = 0; i < q->n; i++) {
    term x = q->terms[i];
    if (!TL_MUL_OK(x.coeff, times, &x.coeff) || !poly_put(t, p, &x)) return false;
  }
  return true;
}

static bool poly_mul(const tl_dims *t, const poly *a, const poly *b, poly *out) {
  out->n = 0;
  for (uint32_t i = 0; i < a->n; i++)
    for (uint32_t j = 0; j < b->n; j++) {
      const term *x = &a->terms[i], *y = &b->terms[j];
      term z = {.degree = x->degree + y->degree};
      if (z.degree > MAX_DEGREE || !TL_MUL_OK(x->coeff, y->coeff, &z.coeff)) return false;
      for (uint32_t k = 0, u = 0, v = 0; k < z.degree; k++) { // two sorted lists into one
        const bool left =
            v == y->degree || (u < x->degree && tl_str_compare(t->atoms[x->atoms[u]].text,
                                                               t->atoms[y->atoms[v]].text) <= 0);
        z.atoms[k] = left ? x->atoms[u++] : y->atoms[v++];
      }
      if (!poly_put(t, out, &z)) return false;
    }
  return true;
}

// ---- Entries ----

static bool poly_text(const tl_dims *t, const poly *p, tl_buf *out) {
  if (p->n == 0) tl_buf_char(out, '0');
  for (uint32_t i = 0; i < p->n; i++) {
    const term *x = &p->terms[i];
    if (i > 0) tl_buf_cstr(out, x->coeff < 0 ? " - " : " + ");
    if (i == 0 && x->coeff < 0) tl_buf_char(out, '-');
    const uint64_t size = x->coeff < 0 ? 0 - (uint64_t)x->coeff : (uint64_t)x->coeff;
    if (size != 1 || x->degree == 0) tl_buf_printf(out, "%llu", (unsigned long long)size);
    for (uint32_t k = 0; k < x->degree; k++) {
      if (k > 0 || size != 1) tl_buf_char(out, '*');
      tl_buf_str(out, t->atoms[x->atoms[k]].text);
    }
    if (out->len > MAX_TEXT) return false;
  }
  return !out->oom;
}

static bool poly_entry(tl_dims *t, const poly *p, uint32_t *out) {
  tl_buf text = {0};
  uint64_t found;
  bool good = poly_text(t, p, &text);
  if (good && tl_map_get(&t->by_text, tl_buf_view(&text), &found)) {
    *out = (uint32_t)found;
  } else if (good) {
    term *terms = TL_NEW(t->arena, term, p->n + 1);
    const tl_str kept = tl_str_copy(t->arena, tl_buf_view(&text));
    good = terms != NULL && kept.ptr != NULL && t->n_entries < MAX_ENTRIES &&
           grow(t->arena, &t->entries, t->n_entries, &t->cap_entries, sizeof *t->entries) &&
           tl_map_put(&t->by_text, kept, t->n_entries);
    if (good) {
      memcpy(terms, p->terms, p->n * sizeof *terms);
      t->entries[t->n_entries] = (entry){kept, p->n, terms};
      *out = t->n_entries++;
    }
  }
  tl_buf_deinit(&text);
  return good;
}

static void entry_poly(const tl_dims *t, uint32_t at, poly *out) {
  out->n = t->entries[at].n;
  memcpy(out->terms, t->entries[at].terms, out->n * sizeof *out->terms);
}

static bool dim_poly(const tl_module *m, int64_t d, poly *out) {
  if (d >= 0) {
    poly_number(out, d);
    return true;
  }
  if (!tl_dim_is_named(d) || m == NULL || m->dims == NULL || -2 - d >= m->dims->n_entries)
    return false;
  entry_poly(m->dims, (uint32_t)(-2 - d), out);
  return true;
}

static bool poly_dim(tl_dims *t, const poly *p, int64_t *out) {
  int64_t number;
  uint32_t at;
  if (poly_is_number(p, &number)) {
    *out = number;
    return number >= 0;
  }
  if (!poly_entry(t, p, &at)) return false;
  *out = -2 - (int64_t)at;
  return true;
}

// ---- Atoms ----

static bool atom_make(tl_dims *t, const atom *like, tl_str text, uint32_t *out) {
  uint64_t found;
  const char *key = tl_arena_printf(t->arena, "$" TL_STR_FMT, TL_STR_ARG(text));
  if (key == NULL || text.len > MAX_TEXT) return false;
  if (tl_map_get(&t->by_text, tl_str_of(key), &found)) {
    *out = (uint32_t)found;
    return true;
  }
  if (t->n_atoms == MAX_ATOMS ||
      !grow(t->arena, &t->atoms, t->n_atoms, &t->cap_atoms, sizeof *t->atoms) ||
      !tl_map_put(&t->by_text, tl_str_of(key), t->n_atoms))
    return false;
  t->atoms[t->n_atoms] = *like;
  t->atoms[t->n_atoms].text = tl_str_of(key + 1);
  *out = t->n_atoms++;
  return true;
}

static int64_t floor_div(int64_t a, int64_t b) { // b != 0; a / b does not overflow
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static bool function_atom(tl_dims *t, atom_kind kind, const poly *a, const poly *b, poly *out) {
  static const char *const names[] = {
      [ATOM_FLOORDIV] = "floordiv", [ATOM_MAX] = "max", [ATOM_MIN] = "min"};
  uint32_t x, y, at;
  if (!poly_entry(t, a, &x) || !poly_entry(t, b, &y)) return false;
  if (kind != ATOM_FLOORDIV && tl_str_compare(t->entries[x].text, t->entries[y].text) > 0) {
    const uint32_t z = x;
    x = y;
    y = z;
  }
  tl_buf text = {0};
  tl_buf_printf(&text, "%s(" TL_STR_FMT ", " TL_STR_FMT ")", names[kind],
                TL_STR_ARG(t->entries[x].text), TL_STR_ARG(t->entries[y].text));
  const bool good =
      !text.oom && atom_make(t, &(atom){.kind = kind, .a = x, .b = y}, tl_buf_view(&text), &at);
  tl_buf_deinit(&text);
  if (good) poly_atom(out, at);
  return good;
}

// floordiv(k*q + r, k) is q + floordiv(r, k) for whole q: what divides comes out.
static bool poly_floordiv(tl_dims *t, const poly *a, const poly *b, poly *out) {
  int64_t by, number;
  if (!poly_is_number(b, &by)) return function_atom(t, ATOM_FLOORDIV, a, b, out);
  if (by <= 0) return false;
  poly rest = {.n = 0};
  out->n = 0;
  for (uint32_t i = 0; i < a->n; i++) {
    term x = a->terms[i];
    if (x.degree > 0 && x.coeff % by != 0) {
      if (!poly_put(t, &rest, &x)) return false;
      continue;
    }
    term left = {.coeff = x.coeff - floor_div(x.coeff, by) * by};
    x.coeff = floor_div(x.coeff, by);
    if ((x.coeff != 0 && !poly_put(t, out, &x)) || (left.coeff != 0 && !poly_put(t, &rest, &left)))
      return false;
  }
  if (poly_is_number(&rest, &number)) return true; // less than `by`, and at least 0
  poly quotient;
  return function_atom(t, ATOM_FLOORDIV, &rest, b, &quotient) && poly_add(t, out, &quotient, 1);
}

static void poly_range(const tl_dims *t, const poly *p, int64_t *lo, int64_t *hi);

static bool poly_extreme(tl_dims *t, atom_kind kind, const poly *a, const poly *b, poly *out) {
  int64_t a_lo, a_hi, b_lo, b_hi;
  poly_range(t, a, &a_lo, &a_hi);
  poly_range(t, b, &b_lo, &b_hi);
  poly difference = *a;
  int64_t number;
  const poly *greater = a_lo >= b_hi ? a : b_lo >= a_hi ? b : NULL;
  if (greater == NULL && poly_add(t, &difference, b, -1) && poly_is_number(&difference, &number))
    greater = number >= 0 ? a : b;
  if (greater == NULL) return function_atom(t, kind, a, b, out);
  *out = kind == ATOM_MAX ? *greater : greater == a ? *b : *a;
  return true;
}

// ---- Ranges ----
//
// Intervals with INT64_MIN and INT64_MAX for no end. A symbol is at least 0.

static int64_t saturate(bool fits, int64_t value, bool negative) {
  return fits ? value : negative ? INT64_MIN : INT64_MAX;
}

static int64_t sum_of(int64_t a, int64_t b, int64_t open) { // `open` absorbs
  int64_t s;
  if (a == open || b == open) return open;
  if (a == INT64_MIN || a == INT64_MAX) return a;
  if (b == INT64_MIN || b == INT64_MAX) return b;
  const bool fits = TL_ADD_OK(a, b, &s);
  return saturate(fits, s, a < 0);
}

static int64_t product_of(int64_t a, int64_t b) {
  int64_t p;
  if (a == 0 || b == 0) return 0;
  const bool open = a == INT64_MIN || a == INT64_MAX || b == INT64_MIN || b == INT64_MAX;
  const bool fits = !open && TL_MUL_OK(a, b, &p);
  return saturate(fits, fits ? p : 0, (a < 0) != (b < 0));
}

static void atom_range(const tl_dims *t, uint32_t at, int64_t *lo, int64_t *hi) {
  const atom *x = &t->atoms[at];
  if (x->kind == ATOM_SYMBOL) {
    const int64_t bound = t->symbols[x->symbol].bound;
    *lo = 0;
    *hi = bound < 0 ? INT64_MAX : bound;
    return;
  }
  int64_t a_lo, a_hi, b_lo, b_hi;
  poly a, b;
  entry_poly(t, x->a, &a);
  entry_poly(t, x->b, &b);
  poly_range(t, &a, &a_lo, &a_hi); // NOLINT(misc-no-recursion): texts bound it
  poly_range(t, &b, &b_lo, &b_hi);
  if (x->kind == ATOM_MAX) {
    *lo = TL_MAX(a_lo, b_lo);
    *hi = TL_MAX(a_hi, b_hi);
  } else if (x->kind == ATOM_MIN) {
    *lo = TL_MIN(a_lo, b_lo);
    *hi = TL_MIN(a_hi, b_hi);
  } else if (b_lo > 0 && b_hi != INT64_MAX) {
    const bool open_lo = a_lo == INT64_MIN, open_hi = a_hi == INT64_MAX;
    *lo = open_lo ? a_lo : floor_div(a_lo, a_lo < 0 ? b_lo : b_hi);
    *hi = open_hi ? a_hi : floor_div(a_hi, a_hi < 0 ? b_hi : b_lo);
  } else {
    *lo = INT64_MIN;
    *hi = INT64_MAX;
  }
}

static void poly_range(const tl_dims *t, const poly *p, int64_t *lo, int64_t *hi) {
  *lo = *hi = 0;
  for (uint32_t i = 0; i < p->n; i++) {
    const term *x = &p->terms[i];
    int64_t a = 1, b = 1;
    for (uint32_t k = 0; k < x->degree; k++) {
      int64_t c, d, corners[4];
      atom_range(t, x->atoms[k], &c, &d);
      corners[0] = product_of(a, c), corners[1] = product_of(a, d);
      corners[2] = product_of(b, c), corners[3] = product_of(b, d);
      a = b = corners[0];
      for (int q = 1; q < 4; q++) {
        a = TL_MIN(a, corners[q]);
        b = TL_MAX(b, corners[q]);
      }
    }
    const int64_t u = product_of(a, x->coeff), v = product_of(b, x->coeff);
    *lo = sum_of(*lo, TL_MIN(u, v), INT64_MIN);
    *hi = sum_of(*hi, TL_MAX(u, v), INT64_MAX);
  }
}

bool tl_dim_may_le(const tl_module *m, int64_t a, int64_t b) {
  if (a >= 0 && b >= 0) return a <= b;
  if (tl_dim_is_bounded(b) && a >= 0) return a <= tl_dim_bound(b);
  if (tl_dim_is_any(a) || tl_dim_is_any(b) || a == b) return true;
  poly p, q;
  int64_t lo, hi;
  if (!dim_poly(m, a, &p) || !dim_poly(m, b, &q) || !poly_add(m->dims, &p, &q, -1)) return true;
  poly_range(m->dims, &p, &lo, &hi);
  return lo <= 0;
}

// ---- Symbols ----

static bool is_identifier(tl_str name) {
  for (size_t i = 0; i < name.len; i++) {
    const char c = name.ptr[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && (i == 0 || ((c < '0' || c > '9') && c != '.'))) return false;
  }
  return name.len > 0 && name.len <= 80 && !tl_str_is(name, "floordiv") &&
         !tl_str_is(name, "mod") && !tl_str_is(name, "max") && !tl_str_is(name, "min");
}

uint32_t tl_dim_symbols(const tl_module *m, const tl_symbol **out) {
  *out = m->dims == NULL ? NULL : m->dims->symbols;
  return m->dims == NULL ? 0 : m->dims->n_symbols;
}

static bool symbol_atom(const tl_dims *t, tl_str name, uint32_t *out) {
  uint64_t at;
  char key[96];
  if (t == NULL || name.len + 2 > sizeof key) return false;
  snprintf(key, sizeof key, "$" TL_STR_FMT, TL_STR_ARG(name));
  if (!tl_map_get(&t->by_text, tl_str_of(key), &at)) return false;
  *out = (uint32_t)at;
  return t->atoms[at].kind == ATOM_SYMBOL;
}

bool tl_dim_find_symbol(const tl_module *m, tl_str name, int64_t *out) {
  uint32_t at;
  poly p;
  if (!symbol_atom(m->dims, name, &at)) return false;
  poly_atom(&p, at);
  return poly_dim(m->dims, &p, out);
}

bool tl_dim_symbol(tl_module *m, tl_str name, int64_t bound, int64_t *out) {
  tl_dims *t = table_of(m);
  uint32_t at;
  if (t == NULL || !is_identifier(name) || bound < -1) return false;
  if (!symbol_atom(t, name, &at)) {
    if (!grow(t->arena, &t->symbols, t->n_symbols, &t->cap_symbols, sizeof *t->symbols) ||
        !atom_make(t, &(atom){.kind = ATOM_SYMBOL, .symbol = t->n_symbols}, name, &at))
      return false;
    t->symbols[t->n_symbols++] = (tl_symbol){t->atoms[at].text, bound};
  }
  poly p;
  poly_atom(&p, at);
  return poly_dim(t, &p, out);
}

// ---- Arithmetic on dims ----

bool tl_dim_add(const tl_module *m, int64_t a, int64_t b, int64_t *out) {
  if (a >= 0 && b >= 0) return TL_ADD_OK(a, b, out);
  *out = TL_DIM_ANY;
  if (tl_dim_is_any(a) || tl_dim_is_any(b)) return true;
  poly p, q;
  return dim_poly(m, a, &p) && dim_poly(m, b, &q) && poly_add(m->dims, &p, &q, 1) &&
         poly_dim(m->dims, &p, out);
}

bool tl_dim_mul(const tl_module *m, int64_t a, int64_t b, int64_t *out) {
  if (a >= 0 && b >= 0) return TL_MUL_OK(a, b, out);
  *out = TL_DIM_ANY;
  if (tl_dim_is_any(a) || tl_dim_is_any(b)) return true;
  poly p, q, r;
  return dim_poly(m, a, &p) && dim_poly(m, b, &q) && poly_mul(m->dims, &p, &q, &r) &&
         poly_dim(m->dims, &r, out);
}

static bool affine_poly(const tl_dims *t, poly *p, int64_t times, int64_t plus) {
  poly scaled = {.n = 0}, number;
  poly_number(&number, plus);
  if (!poly_add(t, &scaled, p, times) || !poly_add(t, &scaled, &number, 1)) return false;
  *p = scaled;
  return true;
}

bool tl_dim_affine(const tl_module *m, int64_t d, int64_t times, int64_t plus, int64_t *out) {
  if (d >= 0) return TL_MUL_OK(d, times, out) && TL_ADD_OK(*out, plus, out) && *out >= 0;
  *out = TL_DIM_ANY;
  if (tl_dim_is_any(d)) return true;
  poly p;
  return dim_poly(m, d, &p) && affine_poly(m->dims, &p, times, plus) && poly_dim(m->dims, &p, out);
}

bool tl_dim_windows(const tl_module *m, int64_t d, int64_t times, int64_t plus, int64_t by,
                    int64_t more, int64_t least, int64_t *out) {
  if (d >= 0) {
    int64_t v;
    if (!TL_MUL_OK(d, times, &v) || !TL_ADD_OK(v, plus, &v)) return false;
    v = TL_MAX(floor_div(v, by), least);
    return TL_ADD_OK(v, more, out) && *out >= 0;
  }
  *out = TL_DIM_ANY;
  if (tl_dim_is_any(d)) return true;
  poly p, by_poly, q, low, r;
  poly_number(&by_poly, by);
  poly_number(&low, least);
  return dim_poly(m, d, &p) && affine_poly(m->dims, &p, times, plus) &&
         poly_floordiv(m->dims, &p, &by_poly, &q) &&
         poly_extreme(m->dims, ATOM_MAX, &q, &low, &r) && affine_poly(m->dims, &r, 1, more) &&
         poly_dim(m->dims, &r, out);
}

static bool dim_extreme(const tl_module *m, atom_kind kind, int64_t a, int64_t b, int64_t *out) {
  *out = kind == ATOM_MAX ? TL_MAX(a, b) : TL_MIN(a, b);
  if (a >= 0 && b >= 0) return true;
  *out = TL_DIM_ANY;
  if (tl_dim_is_any(a) || tl_dim_is_any(b)) return true;
  poly p, q, r;
  return dim_poly(m, a, &p) && dim_poly(m, b, &q) && poly_extreme(m->dims, kind, &p, &q, &r) &&
         poly_dim(m->dims, &r, out);
}

bool tl_dim_max(const tl_module *m, int64_t a, int64_t b, int64_t *out) {
  return dim_extreme(m, ATOM_MAX, a, b, out);
}

bool tl_dim_min(const tl_module *m, int64_t a, int64_t b, int64_t *out) {
  return dim_extreme(m, ATOM_MIN, a, b, out);
}

bool tl_dim_sub(const tl_module *m, int64_t a, int64_t b, int64_t *out) {
  if (a >= 0 && b >= 0) return (*out = a - b) >= 0;
  *out = TL_DIM_ANY;
  if (tl_dim_is_any(a) || tl_dim_is_any(b)) return true;
  poly p, q;
  return dim_poly(m, a, &p) && dim_poly(m, b, &q) && poly_add(m->dims, &p, &q, -1) &&
         poly_dim(m->dims, &p, out);
}

bool tl_dim_product(const tl_module *m, tl_type t, int64_t *out) {
  *out = 1;
  for (uint32_t i = 0; i < t.rank; i++) // however large the others are
    if (t.dims[i] == 0) {
      *out = 0;
      return true;
    }
  for (uint32_t i = 0; i < t.rank; i++)
    if (!tl_dim_mul(m, *out, t.dims[i], out)) return false;
  return true;
}

bool tl_dim_divide(const tl_module *m, int64_t d, int64_t by, int64_t *out) {
  if (by <= 0) return false;
  *out = d;
  if (tl_dim_is_any(d)) {
    *out = by == 1 ? d : TL_DIM_ANY;
    return true;
  }
  if (d >= 0) {
    *out = d / by;
    return d % by == 0;
  }
  poly p;
  if (!dim_poly(m, d, &p)) return false;
  for (uint32_t i = 0; i < p.n; i++) {
    if (p.terms[i].coeff % by != 0) return false;
    p.terms[i].coeff /= by;
  }
  return poly_dim(m->dims, &p, out);
}

// ---- Values ----

static tl_dim_result poly_value(const tl_dims *t, const term *terms, uint32_t n,
                                const int64_t *values, int64_t *out, uint32_t *out_symbol);

static tl_dim_result atom_value(const tl_dims *t, uint32_t at, const int64_t *values, int64_t *out,
                                uint32_t *out_symbol) {
  const atom *x = &t->atoms[at];
  if (x->kind == ATOM_SYMBOL) {
    *out = values[x->symbol];
    *out_symbol = x->symbol;
    return *out < 0 ? TL_DIM_UNBOUND : TL_DIM_FINE;
  }
  int64_t a, b;
  const entry *p = &t->entries[x->a], *q = &t->entries[x->b];
  tl_dim_result r = poly_value(t, p->terms, p->n, values, &a, out_symbol); // NOLINT
  if (r == TL_DIM_FINE) r = poly_value(t, q->terms, q->n, values, &b, out_symbol);
  if (r != TL_DIM_FINE) return r;
  if (x->kind == ATOM_FLOORDIV) {
    if (b == 0) return TL_DIM_BY_ZERO;
    if (a == INT64_MIN && b == -1) return TL_DIM_OVERFLOW;
    *out = floor_div(a, b);
  } else {
    *out = (x->kind == ATOM_MAX) == (a > b) ? a : b;
  }
  return TL_DIM_FINE;
}

static tl_dim_result poly_value(const tl_dims *t, const term *terms, uint32_t n,
                                const int64_t *values, int64_t *out, uint32_t *out_symbol) {
  *out = 0;
  for (uint32_t i = 0; i < n; i++) {
    int64_t product = terms[i].coeff;
    for (uint32_t k = 0; k < terms[i].degree; k++) {
      int64_t v;
      const tl_dim_result r = atom_value(t, terms[i].atoms[k], values, &v, out_symbol);
      if (r != TL_DIM_FINE) return r;
      if (!TL_MUL_OK(product, v, &product)) return TL_DIM_OVERFLOW;
    }
    if (!TL_ADD_OK(*out, product, out)) return TL_DIM_OVERFLOW;
  }
  return TL_DIM_FINE;
}

tl_dim_result tl_dim_eval(const tl_module *m, int64_t d, const int64_t *values, int64_t *out,
                          uint32_t *out_symbol) {
  *out = d;
  if (d >= 0) return TL_DIM_FINE;
  TL_ASSERT(tl_dim_is_named(d) && m->dims != NULL && -2 - d < m->dims->n_entries);
  const entry *e = &m->dims->entries[-2 - d];
  const tl_dim_result r = poly_value(m->dims, e->terms, e->n, values, out, out_symbol);
  return r == TL_DIM_FINE && *out < 0 ? TL_DIM_NEGATIVE : r;
}

bool tl_dim_solve(const tl_module *m, int64_t d, const int64_t *values, int64_t size,
                  uint32_t *out_symbol, int64_t *out_value, int64_t *out_times, int64_t *out_plus) {
  *out_symbol = UINT32_MAX;
  *out_times = *out_plus = 0;
  if (d >= 0) return false;
  const tl_dims *t = m->dims;
  const entry *e = &t->entries[-2 - d];
  uint32_t left = UINT32_MAX;
  int64_t times = 0, plus = 0;
  for (uint32_t i = 0; i < e->n; i++) { // a sum of terms, each with the symbol once or not at all
    int64_t product = e->terms[i].coeff;
    bool with = false;
    for (uint32_t k = 0; k < e->terms[i].degree; k++) {
      const atom *x = &t->atoms[e->terms[i].atoms[k]];
      int64_t v;
      uint32_t unbound;
      if (x->kind == ATOM_SYMBOL && values[x->symbol] < 0) {
        if (with || (left != UINT32_MAX && left != x->symbol)) return false;
        left = x->symbol;
        with = true;
        continue;
      }
      if (atom_value(t, e->terms[i].atoms[k], values, &v, &unbound) != TL_DIM_FINE ||
          !TL_MUL_OK(product, v, &product))
        return false;
    }
    if (!TL_ADD_OK(with ? times : plus, product, with ? &times : &plus)) return false;
  }
  if (left == UINT32_MAX || times == 0) return false;
  *out_symbol = left;
  *out_times = times;
  *out_plus = plus;
  int64_t rest;
  if (__builtin_sub_overflow(size, plus, &rest) || (rest == INT64_MIN && times == -1) ||
      rest % times != 0 || rest / times < 0)
    return false;
  *out_value = rest / times;
  return true;
}

// ---- Computations ----

static void *entry_compute(const tl_module *m, uint32_t at, const tl_dim_fold *fold, void *arg);

static void *atom_compute(const tl_module *m, uint32_t at, const tl_dim_fold *fold, void *arg) {
  static const tl_dim_step steps[] = {
      [ATOM_FLOORDIV] = TL_DIM_FLOORDIV, [ATOM_MAX] = TL_DIM_MAX, [ATOM_MIN] = TL_DIM_MIN};
  poly p;
  int64_t d;
  poly_atom(&p, at);
  void *v = poly_dim(m->dims, &p, &d) ? fold->known(arg, d) : NULL;
  const atom x = m->dims->atoms[at]; // the array may grow
  if (v != NULL || x.kind == ATOM_SYMBOL) return v;
  void *a = entry_compute(m, x.a, fold, arg); // NOLINT(misc-no-recursion): texts bound it
  void *b = a == NULL ? NULL : entry_compute(m, x.b, fold, arg);
  return b == NULL ? NULL : fold->step(arg, steps[x.kind], a, b);
}

static void *entry_compute(const tl_module *m, uint32_t at, const tl_dim_fold *fold, void *arg) {
  poly p;
  int64_t number;
  entry_poly(m->dims, at, &p);
  if (poly_is_number(&p, &number)) return fold->number(arg, number);
  void *sum = fold->known(arg, -2 - (int64_t)at);
  if (sum != NULL) return sum;
  for (uint32_t i = 0; i < p.n; i++) {
    const term *x = &p.terms[i];
    void *product = x->coeff != 1 || x->degree == 0 ? fold->number(arg, x->coeff) : NULL;
    if (product == NULL && (x->coeff != 1 || x->degree == 0)) return NULL;
    for (uint32_t k = 0; k < x->degree; k++) {
      void *v = atom_compute(m, x->atoms[k], fold, arg); // NOLINT(misc-no-recursion)
      if (v != NULL && product != NULL) v = fold->step(arg, TL_DIM_PRODUCT, product, v);
      if (v == NULL) return NULL;
      product = v;
    }
    if (sum != NULL) product = fold->step(arg, TL_DIM_SUM, sum, product);
    if (product == NULL) return NULL;
    sum = product;
  }
  return sum;
}

void *tl_dim_compute(const tl_module *m, int64_t d, const tl_dim_fold *fold, void *arg) {
  if (d >= 0) return fold->number(arg, d);
  if (!tl_dim_is_named(d) || m->dims == NULL || -2 - d >= m->dims->n_entries) return NULL;
  return entry_compute(m, (uint32_t)(-2 - d), fold, arg);
}

// ---- Text ----

tl_str tl_dim_text(const tl_module *m, int64_t d) {
  if (tl_dim_is_any(d)) return TL_STR("?");
  if (d < 0) {
    if (m == NULL || m->dims == NULL || -2 - d >= m->dims->n_entries) return TL_STR("?");
    return m->dims->entries[-2 - d].text;
  }
  const char *text = tl_arena_printf(m->arena, "%lld", (long long)d);
  return text == NULL ? TL_STR("?") : tl_str_of(text);
}

typedef struct reader {
  tl_module *m;
  tl_str text;
  size_t at;
  uint32_t depth;
  bool declare;
  const char *wrong;
} reader;

static bool wrong(reader *r, const char *why) {
  if (r->wrong == NULL) r->wrong = why;
  return false;
}

static bool next_is(reader *r, char c) {
  while (r->at < r->text.len && r->text.ptr[r->at] == ' ')
    r->at++;
  return r->at < r->text.len && r->text.ptr[r->at] == c;
}

static bool accept(reader *r, char c) {
  if (!next_is(r, c)) return false;
  r->at++;
  return true;
}

static bool read_sum(reader *r, poly *out);

static bool read_word(reader *r, tl_str *out) {
  (void)next_is(r, 0);
  const size_t from = r->at;
  while (r->at < r->text.len) {
    const char c = r->text.ptr[r->at];
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
          c == '.'))
      break;
    r->at++;
  }
  *out = tl_str_sub(r->text, from, r->at);
  return out->len > 0;
}

static bool read_call(reader *r, tl_str name, poly *out) {
  poly a, b, q;
  tl_dims *t = table_of(r->m);
  if (t == NULL) return wrong(r, "is too large");
  if (!read_sum(r, &a)) return false;
  if (!accept(r, ',')) return wrong(r, "wants ','");
  if (!read_sum(r, &b)) return false;
  if (!accept(r, ')')) return wrong(r, "wants ')'");
  bool good = false;
  if (tl_str_is(name, "max") || tl_str_is(name, "min")) {
    good = poly_extreme(t, tl_str_is(name, "max") ? ATOM_MAX : ATOM_MIN, &a, &b, out);
  } else if (tl_str_is(name, "floordiv")) {
    good = poly_floordiv(t, &a, &b, out);
  } else if (tl_str_is(name, "mod")) { // a - b floordiv(a, b)
    poly product;
    good = poly_floordiv(t, &a, &b, &q) && poly_mul(t, &b, &q, &product);
    *out = a;
    good = good && poly_add(t, out, &product, -1);
  } else {
    return wrong(r, "has a function other than floordiv, mod, max and min");
  }
  return good || wrong(r, "is too large, or divides by a number below 1");
}

static bool read_factor(reader *r, poly *out) {
  if (r->depth++ == MAX_DEPTH) return wrong(r, "nests too deep");
  bool good;
  tl_str word;
  int64_t number, d;
  tl_dims *t = table_of(r->m);
  if (t == NULL) return wrong(r, "is too large");
  if (accept(r, '(')) {
    good = read_sum(r, out) && (accept(r, ')') || wrong(r, "wants ')'"));
  } else if (!read_word(r, &word)) {
    good = wrong(r, "wants a symbol or a number here");
  } else if (word.ptr[0] >= '0' && word.ptr[0] <= '9') {
    good = tl_str_to_i64(word, &number) || wrong(r, "has a number past 64 bits");
    if (good) poly_number(out, number);
  } else if (accept(r, '(')) {
    good = read_call(r, word, out);
  } else if (!tl_dim_find_symbol(r->m, word, &d)) {
    good = r->declare && word.len == r->text.len && tl_dim_symbol(r->m, word, -1, &d);
    if (!good) r->at = (size_t)(word.ptr - r->text.ptr);
    if (!good) wrong(r, "has a symbol that is not declared");
    if (good) good = dim_poly(r->m, d, out);
  } else {
    good = dim_poly(r->m, d, out);
  }
  r->depth--;
  return good;
}

static bool read_product(reader *r, poly *out) {
  poly x, product;
  if (!read_factor(r, out)) return false;
  while (accept(r, '*')) {
    if (!read_factor(r, &x)) return false;
    if (!poly_mul(r->m->dims, out, &x, &product)) return wrong(r, "is too large");
    *out = product;
  }
  return true;
}

static bool read_sum(reader *r, poly *out) { // NOLINT(misc-no-recursion): counted
  poly x;
  bool minus = accept(r, '-');
  out->n = 0;
  do {
    if (!read_product(r, &x)) return false;
    if (!poly_add(r->m->dims, out, &x, minus ? -1 : 1)) return wrong(r, "is too large");
    minus = next_is(r, '-');
  } while (accept(r, '+') || accept(r, '-'));
  return true;
}

bool tl_dim_parse(tl_module *m, tl_str text, bool declare, int64_t *out, const char **out_wrong,
                  size_t *out_at) {
  reader r = {.m = m, .text = text, .declare = declare};
  poly p;
  bool good = text.len <= 2 * MAX_TEXT ? read_sum(&r, &p) : wrong(&r, "is too long");
  (void)next_is(&r, 0);
  if (good && r.at < text.len) good = wrong(&r, "wants + or - here");
  if (good && !poly_dim(m->dims, &p, out)) good = wrong(&r, "is no size");
  *out_wrong = r.wrong;
  *out_at = TL_MIN(r.at, text.len);
  return good;
}

// ---- Types ----

bool tl_type_is_static(tl_type t) {
  for (uint32_t i = 0; i < t.rank; i++)
    if (t.dims[i] < 0) return false;
  return true;
}

bool tl_type_has_any(tl_type t) {
  for (uint32_t i = 0; i < t.rank; i++)
    if (tl_dim_is_any(t.dims[i])) return true;
  return false;
}

bool tl_type_is_sound(const tl_module *m, tl_type t) {
  int64_t known[TL_MAX_RANK];
  size_t size;
  if (t.rank > TL_MAX_RANK) return false;
  for (uint32_t i = 0; i < t.rank; i++) {
    const int64_t d = t.dims[i];
    if (tl_dim_is_named(d) && (m == NULL || m->dims == NULL || -2 - d >= m->dims->n_entries))
      return false;
    known[i] = d >= 0 ? d : 1;
  }
  t.dims = known;
  return tl_type_size(t, &size);
}

bool tl_dim_agrees(int64_t a, int64_t b) {
  if (a == b || a == TL_DIM_ANY || b == TL_DIM_ANY) return true;
  if (tl_dim_is_bounded(a)) return b < 0 || b <= tl_dim_bound(a);
  return tl_dim_is_bounded(b) && (a < 0 || a <= tl_dim_bound(b));
}

bool tl_type_agrees(tl_type a, tl_type b) {
  if (a.dtype != b.dtype || a.rank != b.rank) return false;
  for (uint32_t i = 0; i < a.rank; i++)
    if (!tl_dim_agrees(a.dims[i], b.dims[i])) return false;
  return true;
}

void tl_type_print_named(tl_buf *out, const tl_module *m, tl_type t) {
  tl_buf_cstr(out, "tensor<");
  for (uint32_t i = 0; i < t.rank; i++)
    if (tl_dim_is_named(t.dims[i]))
      tl_buf_printf(out, "{" TL_STR_FMT "}x", TL_STR_ARG(tl_dim_text(m, t.dims[i])));
    else if (t.dims[i] < 0)
      tl_buf_cstr(out, "?x");
    else
      tl_buf_printf(out, "%lldx", (long long)t.dims[i]);
  tl_buf_cstr(out, tl_dtype_get(t.dtype)->mlir);
  tl_buf_char(out, '>');
}

// ---- Copies ----

bool tl_dims_copy(const tl_module *from, tl_module *to) {
  const tl_dims *a = from->dims;
  if (a == NULL) return true;
  TL_ASSERT(to->dims == NULL);
  tl_dims *b = table_of(to);
  if (b == NULL) return false;
  for (uint32_t i = 0; i < a->n_symbols; i++) {
    if (!grow(b->arena, &b->symbols, i, &b->cap_symbols, sizeof *b->symbols)) return false;
    b->symbols[b->n_symbols++] = a->symbols[i];
  }
  for (uint32_t i = 0; i < a->n_atoms; i++) { // numbers stay: each is new, in the same order
    uint32_t at;
    if (!atom_make(b, &a->atoms[i], a->atoms[i].text, &at) || at != i) return false;
    if (a->atoms[i].kind == ATOM_SYMBOL) b->symbols[a->atoms[i].symbol].name = b->atoms[i].text;
  }
  for (uint32_t i = 0; i < a->n_entries; i++) {
    poly p;
    uint32_t at;
    entry_poly(a, i, &p);
    if (!poly_entry(b, &p, &at) || at != i) return false;
  }
  return true;
}
