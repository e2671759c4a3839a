// derivatives_test SAMPLES [OP]: the derivative and batching rules of every op of the table, on the
// samples of the op sweep, in f64: the identities of identities.h, at batches 1, 7 and 64.
//
// f is a sample's @main, read with f64 for every narrower float (samples that are no program then
// stay as they are and run at the interpreter's f64).
//
// SAMPLES/derivatives.txt has the exceptions, a line each: "<mnemonic> <part> <check>: 1e-4 because
// ..." or "... : not because ..."; "... step: 1e-5" is the step of the differences near a pole,
// "... wrt: 1" the one argument to differentiate by. An op whose row of rules.def gives a reason
// for its refusal may refuse by name.
#include "identities.h"

#include "base/file.h"

static size_t n_samples, n_refused, n_excluded, failures;

static tl_buf exceptions;

// What derivatives.txt says behind "<mnemonic> <part> <check>: ".
static tl_str exception_of(const sample *s, const char *word) {
  char mark[128];
  snprintf(mark, sizeof mark, "\n%s %zu %s: ", tl_op_get(s->op)->mnemonic, s->part, word);
  tl_str all = tl_buf_view(&exceptions);
  size_t at = tl_str_find(all, tl_str_of(mark));
  if (at == (size_t)-1) return (tl_str){0};
  tl_str rest = tl_str_sub(all, at + strlen(mark), all.len);
  return tl_str_sub(rest, 0, TL_MIN(tl_str_find(rest, TL_STR("\n")), rest.len));
}

static tl_str exception(const sample *s, check c) { return exception_of(s, names[c]); }

static bool is_excluded(const sample *s, check c) {
  return tl_str_starts(exception(s, c), TL_STR("not because "));
}

static void say(const sample *s, check c, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  printf("%s.mlir, part %zu, %s: ", tl_op_get(s->op)->mnemonic, s->part, names[c]);
  vprintf(fmt, args);
  printf("\n");
  va_end(args);
  failures++;
}

// By how much two numbers may differ: `d` is relative to the largest entry.
static void judge(const sample *s, check c, const char *what, double d) {
  tl_str text = exception(s, c);
  const bool excluded = is_excluded(s, c);
  const double allowed = text.len && !excluded ? strtod(text.ptr, NULL) : usual[c];
  n_runs[c]++;
  if (excluded) {
    if (d > allowed) n_excluded++;
    return;
  }
  if (!(d <= allowed))
    say(s, c, "%s: off by %g of the largest entry, allowed %g", what, d, allowed);
}

// A transform's refusal. True: go on.
static bool made(const sample *s, check c, const char *what, tl_status st) {
  if (!st) return true;
  const bool by_name =
      tl_ad_rule_of(s->op)->refused && tl_status_get_code(st) == TL_STATUS_UNIMPLEMENTED;
  if (by_name) n_refused++;
  if (!by_name && !is_excluded(s, c)) say(s, c, "%s refused: %s", what, tl_status_message(st));
  tl_status_drop(st);
  return false;
}

// ---- The table ----

static void run_sample(tl_arena *arena, tl_opcode op, size_t part, tl_str text) {
  sample s = {.arena = arena, .op = op, .name = tl_op_get(op)->mnemonic, .part = part};
  trial q = {.s = &s, .mode = TL_REF_AS_TYPED, .step = 1e-3, .sizes = {1, 7, 64}, .n_sizes = 3};
  bool is_edges;
  double lo, hi;
  s.text = with_floats(arena, text, "f64");
  range_of(&s, 0, &lo, &hi, &is_edges);
  if (is_edges) return;
  tl_status st = open_sample(&s);
  if (!st) { // does it run?
    tl_tensor out[MAX_VALUES];
    st = run(&q, s.fn, s.in, out);
  }
  if (st) {
    tl_status_drop(st);
    tl_module_destroy(s.module);
    s.module = NULL;
    s.text = text;
    q.mode = TL_REF_F64;
    st = open_sample(&s);
  }
  if (st) {
    printf("%s.mlir, part %zu: %s\n", tl_op_get(op)->mnemonic, part, tl_status_message(st));
    failures++;
    tl_status_drop(st);
    tl_module_destroy(s.module);
    return;
  }
  n_samples++;
  tl_str only = exception_of(&s, "wrt"), step = exception_of(&s, "step");
  if (step.len) q.step = strtod(step.ptr, NULL);
  for (uint32_t i = 0; i < s.n_in; i++)
    if (tl_ad_is_inexact(s.in[i].type.dtype) && (!only.len || (uint32_t)atoi(only.ptr) == i))
      q.wrt[q.n_wrt++] = i;
  if (q.n_wrt) derivatives(&q);
  drop_made(s.module);
  batches(&q);
  drop_made(s.module);
  if (q.n_wrt) batched_derivatives(&q);
  tl_module_destroy(s.module);
}

static void run_op(const char *dir, tl_opcode op) {
  tl_arena *a = tl_arena_create();
  tl_buf file = {0};
  const char *name = tl_op_get(op)->mnemonic;
  tl_status st = tl_file_read(tl_arena_printf(a, "%s/%s.mlir", dir, name), 1 << 20, &file);
  if (st) printf("%s has no samples: %s\n", name, tl_status_message(st)), failures++;
  tl_str rest = tl_buf_view(&file), text;
  for (size_t part = 0; !st && rest.len; part++) {
    text = next_part(&rest);
    tl_arena *arena = tl_arena_create();
    run_sample(arena, op, part, text);
    tl_arena_destroy(arena);
  }
  tl_status_drop(st);
  tl_buf_deinit(&file);
  tl_arena_destroy(a);
}

int main(int argc, char **argv) {
  if (argc < 2) return fprintf(stderr, "wanted SAMPLES [OP]\n"), 2;
  char path[4096];
  snprintf(path, sizeof path, "%s/derivatives.txt", argv[1]);
  tl_status st = tl_file_read(path, 1 << 20, &exceptions);
  if (st) return fprintf(stderr, "%s\n", tl_status_message(st)), tl_status_drop(st), 2;
  for (size_t op = 0; op < TL_OP_COUNT; op++)
    if (argc < 3 || strcmp(argv[2], tl_op_get((tl_opcode)op)->mnemonic) == 0)
      run_op(argv[1], (tl_opcode)op);
  printf("%zu samples of %d ops;", n_samples, TL_OP_COUNT);
  for (size_t c = 0; c < N_CHECKS; c++)
    printf(" %s %zu", names[c], n_runs[c]);
  printf("; refused by name %zu, excepted %zu; %zu failures\n", n_refused, n_excluded, failures);
  tl_buf_deinit(&exceptions);
  return failures != 0;
}
