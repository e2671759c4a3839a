// jax_functions_test CASES LIST DOC [--write]: what JAX computes, natively and by the interpreter.
// Modules that it exported with symbolic shapes are given the sizes of their arguments first.
//
// CASES is what tests/oracle/jax_functions.py writes: modules, each behind comments that name the
// function and its class and hold the arguments and JAX's results. A result passes when every
// element of it is within the tolerance of tolerances.def; one that does not says which atol and
// which rtol would have let it pass. A control follows each that passes: one element moved by a
// little more than the tolerance must be refused.
//
// LIST names the functions of which a case does not pass, each with its reason; one that begins to
// pass fails the test until its line is taken out; "-" is none. --write prints the list as it would
// be now. DOC must show every row of tolerances.def; --rows prints them as it should.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/map.h"
#include "cpu/cpu.h"
#include "ir/dim.h"
#include "passes/specialise.h"
#include "shlo/shlo.h"

#include "../suites/exceptions.h"
#include "cases.h"

static const struct tolerance {
  const char *name, *dtype;
  double atol, rtol;
  const char *reason;
} tolerances[] = {
#define TL_TOLERANCE(name, dtype, atol, rtol, reason) {name, dtype, atol, rtol, reason},
#include "tolerances.def"
#undef TL_TOLERANCE
};

static struct way {
  const char *name;
  bool interpreter;
  tl_cpu *cpu;
} ways[] = {{"native", false, NULL}, {"ref", true, NULL}};

enum { MAX_VALUES = 16 };

typedef struct test_case {
  tl_str head, name, family; // "jnp.sum sum 3x4 f32", "jnp.sum", "sum"
  value in[MAX_VALUES], out[MAX_VALUES];
  size_t n_in, n_out;
  tl_str text;
} test_case;

// The case at the front of `*text`, which is taken off.
static tl_status next_case(tl_arena *a, tl_str *text, test_case *c) {
  *c = (test_case){0};
  tl_str part = next_part(text), what, line;
  c->text = part;
  tl_status first = TL_OK;
  while (next_comment(&part, &what, &line)) {
    if (tl_str_is(what, "case")) {
      c->head = line;
      c->name = word(&line);
      c->family = word(&line);
      continue;
    }
    const bool in = tl_str_is(what, "in");
    if (!in && !tl_str_is(what, "out")) continue; // versions
    size_t *n = in ? &c->n_in : &c->n_out;
    if (*n == MAX_VALUES) return TL_ERROR(INTERNAL, "more than %d values", MAX_VALUES);
    tl_status st = read_value(a, line, in ? &c->in[(*n)++] : &c->out[(*n)++]);
    if (first)
      tl_status_drop(st);
    else
      first = st;
  }
  return first;
}

static const struct tolerance *tolerance_of(const test_case *c, const char *dtype) {
  const tl_str keys[] = {c->name, c->family};
  for (size_t k = 0; k < TL_COUNT(keys); k++)
    for (size_t i = 0; i < TL_COUNT(tolerances); i++)
      if (tl_str_is(keys[k], tolerances[i].name) && strcmp(dtype, tolerances[i].dtype) == 0)
        return &tolerances[i];
  return NULL;
}

// NULL, or what is wrong with `got`, which stands in place of out[r].
static tl_status compare(const test_case *c, size_t r, const void *got) {
  const value *want = &c->out[r];
  const tl_dtype_info *info = tl_dtype_get(want->dtype);
  if (info->kind != TL_KIND_FLOAT) {
    for (size_t i = 0; i < want->n; i++)
      if (memcmp((const char *)got + i * info->size, (const char *)want->data + i * info->size,
                 info->size) != 0)
        return TL_ERROR(FAILED_PRECONDITION, "wrong: element %zu of result %zu is another %s", i, r,
                        info->mlir);
    return TL_OK;
  }
  const struct tolerance *t = tolerance_of(c, info->mlir);
  if (!t)
    return TL_ERROR(FAILED_PRECONDITION, "wrong: no tolerance for " TL_STR_FMT " in %s",
                    TL_STR_ARG(c->family), info->mlir);
  double atol = 0, rtol = 0; // that would have passed: the one with the other as it is
  size_t first = SIZE_MAX, n_bad = 0;
  for (size_t i = 0; i < want->n; i++) {
    const double x = load(want, got, i), y = load(want, want->data, i);
    if (x == y || (isnan(x) && isnan(y))) continue;
    const double d = fabs(x - y), room = t->atol + t->rtol * fabs(y);
    if (d <= room && isfinite(y)) continue;
    n_bad++;
    if (first == SIZE_MAX) first = i;
    const bool finite = isfinite(d);
    atol = fmax(atol, finite ? d - t->rtol * fabs(y) : (double)INFINITY);
    rtol = fmax(rtol, finite && y != 0 ? (d - t->atol) / fabs(y) : (double)INFINITY);
  }
  if (n_bad == 0) return TL_OK;
  return TL_ERROR(
      FAILED_PRECONDITION,
      "wrong: %zu of %zu elements of result %zu (%s), the first %.9g, wanted %.9g; atol "
      "%.2g or rtol %.2g would pass (now %.2g and %.2g)",
      n_bad, want->n, r, info->mlir, load(want, got, first), load(want, want->data, first), atol,
      rtol, t->atol, t->rtol);
}

// A copy of `got` with one element moved past the tolerance must be refused.
static tl_status control(tl_arena *a, const test_case *c, size_t r, const void *got) {
  const value *want = &c->out[r];
  const tl_dtype_info *info = tl_dtype_get(want->dtype);
  if (want->n == 0) return TL_OK;
  unsigned char *moved = tl_arena_alloc(a, want->size, 64);
  if (!moved) return TL_OOM();
  memcpy(moved, got, want->size);
  const size_t i = want->n / 2;
  unsigned char *at = moved + i * info->size;
  if (info->kind != TL_KIND_FLOAT) {
    at[0] ^= 1;
  } else {
    const struct tolerance *t = tolerance_of(c, info->mlir);
    const double y = load(want, want->data, i);
    if (!isfinite(y)) {
      memset(at, 0, info->size); // 0 where an infinity or a NaN was wanted
    } else {
      // Units in the last place, doubled, until the value is far enough away.
      const uint32_t top = info->size * 8 - 1;
      for (uint64_t step = 1; step <= (uint64_t)1 << (top - 1); step *= 2) {
        uint64_t bits = 0;
        memcpy(&bits, (const char *)want->data + i * info->size, info->size);
        bits += step;
        memcpy(at, &bits, info->size);
        if (!(fabs(load(want, moved, i) - y) <= t->atol + t->rtol * fabs(y))) break;
      }
    }
  }
  tl_status st = compare(c, r, moved);
  if (!st) return TL_ERROR(FAILED_PRECONDITION, "wrong: a moved element passes");
  tl_status_drop(st);
  return TL_OK;
}

// A module whose sizes are `?` gets those of the arguments.
static tl_status sized(const test_case *c, tl_module **m) {
  tl_status open = tl_module_require_static(*m);
  if (!open) return TL_OK;
  tl_status_drop(open);
  tl_module *new = NULL;
  tl_type types[MAX_VALUES];
  for (size_t i = 0; i < c->n_in; i++)
    types[i] = (tl_type){c->in[i].dtype, c->in[i].rank, c->in[i].dims};
  TL_TRY(tl_module_specialise_to(*m, TL_STR("main"), types, (uint32_t)c->n_in, NULL, &new));
  tl_module_destroy(*m);
  *m = new;
  tl_diags diags = {0};
  tl_status st = tl_module_verify(new, &diags);
  tl_diags_deinit(&diags);
  return st;
}

static tl_status run_way(tl_arena *a, const test_case *c, const struct way *way) {
  tl_diags diags = {.max_errors = 1};
  tl_module *m = NULL;
  tl_cpu_exe *exe = NULL;
  tl_status st = tl_shlo_parse(c->text, "module", &diags, &m), was;
  const void *in[MAX_VALUES];
  void *out[MAX_VALUES];
  if (st) {
    tl_status_drop(st);
    st = TL_ERROR(UNIMPLEMENTED, "unsupported: %.120s",
                  diags.len ? diags.items[0].message : "its text is not read");
    goto done;
  }
  st = sized(c, &m);
  if (st) {
    was = st;
    st = TL_ERROR(UNIMPLEMENTED, "refused: %.160s", tl_status_message(was));
    tl_status_drop(was);
    goto done;
  }
  const tl_func *fn = tl_module_find(m, TL_STR("main"));
  bool agree = fn && fn->body->n_args == c->n_in && fn->n_results == c->n_out;
  for (size_t i = 0; agree && i < c->n_in; i++) {
    size_t size;
    agree = tl_type_size(fn->body->args[i]->type, &size) && size == c->in[i].size;
    in[i] = c->in[i].data;
  }
  for (size_t i = 0; agree && i < c->n_out; i++) {
    size_t size;
    agree = tl_type_size(fn->result_types[i], &size) && size == c->out[i].size &&
            fn->result_types[i].dtype == c->out[i].dtype;
    out[i] = tl_arena_alloc(a, c->out[i].size + 64, 64);
    if (!out[i]) st = TL_OOM();
  }
  if (!agree) st = TL_ERROR(INTERNAL, "wrong: @main is not of the types of the values");
  if (st) goto done;
  st = tl_cpu_compile(way->cpu, m, TL_STR("main"), &exe);
  if (!st) {
    m = NULL; // the program's now
    st = tl_cpu_execute(exe, in, out);
  }
  if (st) {
    was = st;
    st = TL_ERROR(UNIMPLEMENTED, "refused: %.160s", tl_status_message(was));
    tl_status_drop(was);
    goto done;
  }
  for (size_t i = 0; i < c->n_out && !st; i++) {
    st = compare(c, i, out[i]);
    if (!st) st = control(a, c, i, out[i]);
  }
done:
  tl_diags_deinit(&diags);
  tl_cpu_exe_release(exe);
  tl_module_destroy(m);
  return st;
}

typedef struct tally {
  size_t functions, cases, passed, listed, wrong;
  bool write;
} tally;

// A function's cases are over; `bad` is the first that failed, in `where`.
static void function_ends(tally *t, const list *l, tl_str name, tl_str where, const char *way,
                          tl_status bad) {
  uint64_t reason;
  const bool is_listed = tl_map_get(&l->reasons, name, &reason);
  t->functions++;
  t->passed += !bad;
  t->listed += is_listed;
  if (bad && t->write) {
    printf(TL_STR_FMT ": %s\n", TL_STR_ARG(name), tl_status_message(bad));
  } else if (bad && !is_listed) {
    printf(TL_STR_FMT ", %s: %s\n", TL_STR_ARG(where), way, tl_status_message(bad));
    t->wrong++;
  } else if (!bad && is_listed && !t->write) {
    printf(TL_STR_FMT " passes now: take its line out of the list\n", TL_STR_ARG(name));
    t->wrong++;
  }
  tl_status_drop(bad);
}

static tl_status run(tl_str text, const list *l, tally *t) {
  tl_str name = {0}, where = {0};
  const char *way = "";
  tl_status bad = TL_OK;
  tl_arena *a = tl_arena_create();
  if (!a) return TL_OOM();
  while (text.len) {
    tl_arena_point mark = tl_arena_mark(a);
    test_case c;
    tl_status st = next_case(a, &text, &c);
    if (!c.head.len) {
      tl_status_drop(st);
      st = TL_ERROR(INVALID_ARGUMENT, "a case without a head");
    }
    if (!tl_str_eq(c.name, name)) {
      if (name.len) function_ends(t, l, name, where, way, bad);
      bad = TL_OK;
      name = c.name;
    }
    t->cases++;
    for (size_t w = 0; w < TL_COUNT(ways) && !bad; w++) {
      if (!st) st = run_way(a, &c, &ways[w]);
      bad = st, st = TL_OK;
      where = c.head, way = ways[w].name;
    }
    tl_status_drop(st);
    tl_arena_rewind(a, mark);
  }
  if (name.len) function_ends(t, l, name, where, way, bad);
  tl_arena_destroy(a);
  return TL_OK;
}

// | `jnp.sum` | f32 | 1e-06 | 2e-06 | why |
static void doc_row(const struct tolerance *t, char *out, size_t size) {
  snprintf(out, size, "| `%s` | %s | %g | %g | %s |", t->name, t->dtype, t->atol, t->rtol,
           t->reason);
}

static tl_status check_doc(const char *path, tally *t) {
  tl_buf doc = {0};
  TL_TRY(tl_file_read(path, 1 << 24, &doc));
  for (size_t i = 0; i < TL_COUNT(tolerances); i++) {
    char row[512];
    doc_row(&tolerances[i], row, sizeof row);
    if (tl_str_find(tl_buf_view(&doc), tl_str_of(row)) != (size_t)-1) continue;
    printf("%s lacks the row\n%s\n", path, row);
    t->wrong++;
  }
  tl_buf_deinit(&doc);
  return TL_OK;
}

int main(int argc, char **argv) {
  tally t = {.write = argc > 4 && strcmp(argv[4], "--write") == 0};
  list l = {0};
  tl_buf text = {0};
  tl_status st = TL_OK;
  if (argc > 1 && strcmp(argv[1], "--rows") == 0) {
    for (size_t i = 0; i < TL_COUNT(tolerances); i++) {
      char row[512];
      doc_row(&tolerances[i], row, sizeof row);
      puts(row);
    }
    return 0;
  }
  if (argc < 4) st = TL_ERROR(INVALID_ARGUMENT, "wanted CASES LIST DOC [--write] or --rows");
  if (!st && !t.write && strcmp(argv[2], "-") != 0) st = read_list(argv[2], "function", &l);
  if (!st && !t.write) st = check_doc(argv[3], &t);
  if (!st) st = tl_file_read(argv[1], (size_t)1 << 30, &text);
  for (size_t w = 0; w < TL_COUNT(ways) && !st; w++)
    st = tl_cpu_create(&(tl_cpu_options){.n_threads = 1, .interpreter = ways[w].interpreter},
                       &ways[w].cpu);
  if (!st) st = run(tl_buf_view(&text), &l, &t);
  if (!st && !t.write) {
    printf("%zu functions in %zu cases: %zu pass natively and by the interpreter, %zu are listed "
           "with a reason\n",
           t.functions, t.cases, t.passed, t.listed);
    if (t.listed != l.n) {
      printf("%zu lines of the list name no function\n", l.n - t.listed);
      t.wrong++;
    }
    if (t.passed == 0) t.wrong++;
  }
  if (st) fprintf(stderr, "%s\n", tl_status_message(st));
  const bool failed = st || t.wrong;
  tl_status_drop(st);
  for (size_t w = 0; w < TL_COUNT(ways); w++)
    tl_cpu_release(ways[w].cpu);
  tl_map_deinit(&l.reasons);
  tl_buf_deinit(&l.text);
  tl_buf_deinit(&text);
  return failed;
}
