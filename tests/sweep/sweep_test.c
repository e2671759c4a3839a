// sweep_test SAMPLES [PLUGIN | --dump DIR | --list]: every op of the table, on everything that can
// run it.
//
// SAMPLES/<mnemonic>.mlir holds the samples of one row of ir/ops.def: modules split at "// -----",
// in each of which the op occurs in @main. Each sample goes
//
//   text     through printer and reader until nothing changes
//   ref      through the interpreter, as typed: what all others are held against
//   f64      through it at f64: equal within `f64` of the result's largest entry
//   native   through the native backend, with one thread and with three: equal bits
//   opt      through it after inline, specialise, decompose, cse and dce: equal bits
//   PLUGIN   through another PJRT plugin (XLA's): equal within `xla` of the largest entry
//   jaxlib   SAMPLES/jaxlib/<mnemonic>.txt, recorded from jaxlib's StableHLO interpreter by
//            tests/oracle/sweep.py: equal within `jaxlib`
//
// A named op cannot be written by hand, as its decomposition must be the very one that the op has.
// Its sample is one line in the notation of ir/testing.h:
//
//   // op: 2x3xf32 | axis=1          operand types, attributes, and result types where they are
//                                    not inferred
//
// A sample says in comments what is special about it, each word on a line of its own:
//
//   // inputs: LO HI [; LO HI ...]   the range of each argument's elements (the last pair repeats);
//                                    -2 2 unless said; integers lie in the same range, ends
//                                    included
//   // inputs: edges                 signed zeros, infinities, NaN, the greatest numbers, integers'
//                                    ends; no comparison with f64 then. No denormals: XLA takes
//                                    them for 0
//   // WAY: 1e-6 because ...         a tolerance other than the default of the result's type
//   // WAY: not because ...          this way refuses or disagrees; the test fails when it begins
//                                    to agree
//
// An op without samples fails. The control: every comparison is repeated with one element changed
// by three times what is allowed, and must fail.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "cpu/cpu.h"
#include "passes/passes.h"
#include "pjrt/client/client.h"
#include "ref/ref.h"
#include "shlo/shlo.h"

#include "on_client.h"
#include "sample.h"

typedef enum { WAY_TEXT, WAY_F64, WAY_NATIVE, WAY_OPT, WAY_XLA, WAY_JAXLIB, WAY_COUNT } way;
static const char *const way_names[WAY_COUNT] = {"text", "f64", "native", "opt", "xla", "jaxlib"};

static const char *samples_dir, *dump_dir;
static tl_cpu *cpus[2]; // one thread, three
static tl_pjrt_client *xla;
static size_t n_samples, n_runs[WAY_COUNT], failures;

static bool is_excluded(const sample *s, way w) {
  return tl_str_starts(said(s, way_names[w]), TL_STR("not because "));
}

// Relative to the largest entry. What is 0 is compared by bits.
static double tolerance(const sample *s, way w, tl_dtype d) {
  tl_str text = said(s, way_names[w]);
  if (text.len && !is_excluded(s, w)) return strtod(text.ptr, NULL);
  if (w == WAY_NATIVE || w == WAY_OPT || w == WAY_TEXT) return 0;
  switch (tl_dtype_part(d)) {
  case TL_DTYPE_F64:
    return w == WAY_F64 ? 0 : 1e-14;
  case TL_DTYPE_F32:
    return 1e-6;
  case TL_DTYPE_F16:
    return 2e-3;
  case TL_DTYPE_BF16:
    return 1.6e-2;
  default:
    return w == WAY_F64 && tl_dtype_get(d)->kind == TL_KIND_FLOAT ? 0.25 : 0; // of few bits
  }
}

// ---- Comparing ----

static bool same_bits(const tl_tensor *a, const tl_tensor *b) {
  size_t size;
  if (!tl_type_eq(a->type, b->type) || !tl_type_size(a->type, &size)) return false;
  const size_t one = tl_dtype_get(tl_dtype_part(a->type.dtype))->size;
  for (size_t i = 0; i * one < size; i++)
    if (memcmp((char *)a->data + i * one, (char *)b->data + i * one, one) != 0 &&
        !(isnan(load(a, i)) && isnan(load(b, i))))
      return false;
  return true;
}

static bool agree(const tl_tensor *a, const tl_tensor *b, double allowed, double *out_distance) {
  *out_distance = distance(a, b);
  return allowed > 0 ? *out_distance <= allowed
                     : same_bits(a, b) || (!tl_type_eq(a->type, b->type) && *out_distance == 0);
}

// A copy of t with its last element moved by `by` of the largest entry.
static tl_tensor moved(sample *s, const tl_tensor *t, double by) {
  tl_tensor c = *t;
  size_t size, count;
  const tl_dtype d = tl_dtype_part(t->type.dtype);
  tl_type_size(t->type, &size), count_parts(t->type, &count);
  c.data = tl_arena_alloc(s->arena, size + 1, 64);
  memcpy(c.data, t->data, size);
  double greatest = 0;
  for (size_t i = 0; i < count; i++)
    if (isfinite(load(t, i))) greatest = fmax(greatest, fabs(load(t, i)));
  if (tl_dtype_get(d)->kind == TL_KIND_FLOAT && by > 0 && isfinite(load(t, count - 1)))
    store(d, c.data, count - 1, load(t, count - 1) + by * fmax(greatest, 1e-30));
  if (same_bits(t, &c)) ((unsigned char *)c.data)[size - 1] ^= 1;
  return c;
}

static void say(const sample *s, way w, const char *fmt, ...) TL_PRINTF(3, 4);
static void say(const sample *s, way w, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  printf("%s.mlir, part %zu, %s: ", tl_op_get(s->op)->mnemonic, s->part, way_names[w]);
  vprintf(fmt, args);
  printf("\n");
  va_end(args);
  failures++;
}

// Judges what a way gave: `st` its refusal (consumed), or results.
static void judge(sample *s, way w, const char *how, tl_status st, const tl_tensor *got) {
  bool good = !st;
  n_runs[w]++;
  for (size_t i = 0; i < s->n_out && !st; i++) {
    const double allowed = tolerance(s, w, s->want[i].type.dtype);
    double d;
    if (!agree(&got[i], &s->want[i], allowed, &d)) {
      good = false;
      if (!is_excluded(s, w))
        say(s, w, "%s result %zu differs: %g of the largest entry where %g is allowed", how, i, d,
            allowed);
      continue;
    }
    size_t count;
    if (tl_type_count(got[i].type, &count) && count) {
      tl_tensor wrong = moved(s, &got[i], 3 * allowed);
      if (agree(&wrong, &s->want[i], allowed, &d)) say(s, w, "the control agrees: result %zu", i);
    }
  }
  if (st && !is_excluded(s, w)) say(s, w, "%s refused: %s", how, tl_status_message(st));
  if (good && is_excluded(s, w)) say(s, w, "%s agrees now: take its line out of the sample", how);
  tl_status_drop(st);
}

// ---- The ways ----

static tl_status printed(const sample *s, tl_buf *out) {
  return tl_shlo_print(s->module, &(tl_shlo_print_options){0}, out);
}

static tl_status through_text(sample *s) {
  tl_buf first = {0}, second = {0};
  tl_module *m = NULL;
  tl_status st;
  TL_TRY_GOTO(done, st, printed(s, &first));
  TL_TRY_GOTO(done, st, parsed(s, tl_buf_view(&first), &m));
  TL_TRY_GOTO(done, st, tl_shlo_print(m, &(tl_shlo_print_options){0}, &second));
  if (!tl_str_eq(tl_buf_view(&first), tl_buf_view(&second)) ||
      !tl_func_eq(s->fn, tl_module_find(m, s->fn->name)))
    st = TL_ERROR(DATA_LOSS, "the printed module reads back as another one:\n" TL_STR_FMT,
                  TL_STR_ARG(tl_buf_view(&second)));
done:
  tl_buf_deinit(&first), tl_buf_deinit(&second);
  tl_module_destroy(m);
  return st;
}

static tl_status optimised(tl_module **m) {
  static const char *const names[] = {"inline", "specialise", "decompose", "cse", "dce"};
  for (size_t i = 0; i < TL_COUNT(names); i++) {
    tl_module *new = NULL;
    TL_TRY(tl_pass_run(tl_pass_find(tl_str_of(names[i])), *m, &new));
    tl_module_destroy(*m);
    *m = new;
  }
  return TL_OK;
}

static tl_status make_outputs(sample *s, const tl_func *fn, tl_tensor *got) {
  for (size_t i = 0; i < s->n_out; i++) {
    size_t size;
    got[i].type = tl_type_of(s->arena, fn->result_types[i].dtype, fn->result_types[i].dims,
                             fn->result_types[i].rank);
    if (!tl_type_size(got[i].type, &size)) return TL_ERROR(INTERNAL, "no size");
    got[i].data = tl_arena_alloc(s->arena, size / 64 * 64 + 64, 64);
    if (!got[i].data) return TL_OOM();
  }
  return TL_OK;
}

static tl_status through_native(sample *s, tl_cpu *cpu, bool opt, tl_tensor *got) {
  tl_module *m = NULL;
  tl_cpu_exe *exe = NULL;
  const void *in[MAX_VALUES] = {0};
  void *out[MAX_VALUES] = {0};
  tl_status st;
  TL_TRY_GOTO(done, st, parsed(s, s->text, &m));
  if (opt) TL_TRY_GOTO(done, st, optimised(&m));
  TL_TRY_GOTO(done, st, make_outputs(s, tl_module_find(m, s->fn->name), got));
  TL_TRY_GOTO(done, st, tl_cpu_compile(cpu, m, s->fn->name, &exe));
  m = NULL;
  for (size_t i = 0; i < s->n_in; i++)
    in[i] = s->in[i].data;
  for (size_t i = 0; i < s->n_out; i++)
    out[i] = got[i].data;
  st = tl_cpu_execute(exe, in, out);
done:
  tl_cpu_exe_release(exe);
  tl_module_destroy(m);
  return st;
}

static tl_status through_plugin(sample *s, tl_tensor *got) {
  tl_buf text = {0};
  tl_status st = printed(s, &text);
  if (!st)
    st = run_on_client(xla, s->fn, tl_buf_view(&text), tl_op_get(s->op)->mnemonic, s->in, s->arena,
                       got);
  tl_buf_deinit(&text);
  return st;
}

// ---- What jaxlib's interpreter gave ----
//
// A recording's lines:  part <k> <hash of the sample's text>   then a line of hexadecimal bytes a
// result.

static int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

static uint64_t text_hash(const sample *s) { return tl_hash64(s->text.ptr, s->text.len); }

static tl_status recorded(sample *s, tl_str recording, tl_tensor *got) {
  char mark[64];
  snprintf(mark, sizeof mark, "part %zu %016" PRIx64 "\n", s->part, text_hash(s));
  size_t at = tl_str_find(recording, tl_str_of(mark));
  if (at == (size_t)-1)
    return TL_ERROR(NOT_FOUND, "no recording of this text: run tests/oracle/sweep.py");
  tl_str rest = tl_str_sub(recording, at + strlen(mark), recording.len);
  TL_TRY(make_outputs(s, s->fn, got));
  for (size_t i = 0; i < s->n_out; i++) {
    size_t size, len = TL_MIN(tl_str_find(rest, TL_STR("\n")), rest.len);
    tl_type_size(got[i].type, &size);
    if (len != 2 * size)
      return TL_ERROR(DATA_LOSS, "result %zu has %zu digits, wanted %zu", i, len, 2 * size);
    for (size_t k = 0; k < size; k++)
      ((unsigned char *)got[i].data)[k] =
          (unsigned char)(digit(rest.ptr[2 * k]) * 16 + digit(rest.ptr[2 * k + 1]));
    rest = tl_str_sub(rest, TL_MIN(len + 1, rest.len), rest.len);
  }
  return TL_OK;
}

// DIR/<mnemonic>.<part>.mlir in core ops, its inputs .inK.bin and a line in DIR/index.txt: what
// tests/oracle/sweep.py needs.
static tl_status dump(sample *s) {
  tl_module *m = NULL;
  tl_buf text = {0};
  tl_status st;
  const char *stem =
      tl_arena_printf(s->arena, "%s/%s.%zu", dump_dir, tl_op_get(s->op)->mnemonic, s->part);
  TL_TRY_GOTO(done, st, parsed(s, s->text, &m));
  TL_TRY_GOTO(done, st, optimised(&m));
  TL_TRY_GOTO(done, st, tl_shlo_print(m, &(tl_shlo_print_options){0}, &text));
  TL_TRY_GOTO(done, st,
              tl_file_write(tl_arena_printf(s->arena, "%s.mlir", stem), text.ptr, text.len));
  printf("%s %zu %016" PRIx64 " %d", tl_op_get(s->op)->mnemonic, s->part, text_hash(s),
         is_excluded(s, WAY_JAXLIB));
  for (size_t i = 0; i < s->n_in && !st; i++) {
    size_t size;
    tl_type_size(s->in[i].type, &size);
    st = tl_file_write(tl_arena_printf(s->arena, "%s.in%zu.bin", stem, i), s->in[i].data, size);
  }
  printf("\n");
done:
  tl_buf_deinit(&text);
  tl_module_destroy(m);
  return st;
}

// ---- The table ----

static tl_status run_sample(sample *s, tl_str recording) {
  tl_tensor got[MAX_VALUES] = {0}, wide[MAX_VALUES] = {0};
  TL_TRY(open_sample(s));
  if (!module_has(s->module, s->op))
    return TL_ERROR(FAILED_PRECONDITION, "the op does not occur in it");
  if (dump_dir) return dump(s);
  TL_TRY(tl_ref_run(s->fn, TL_REF_AS_TYPED, s->in, s->n_in, s->arena, s->want, 0));
  n_samples++;

  tl_status st = through_text(s);
  judge(s, WAY_TEXT, "text", st, s->want);
  bool is_edges;
  double lo, hi;
  range_of(s, 0, &lo, &hi, &is_edges);
  if (!is_edges) {
    st = tl_ref_run(s->fn, TL_REF_F64, s->in, s->n_in, s->arena, wide, 0);
    judge(s, WAY_F64, "f64", st, wide);
  }
  for (int c = 0; c < 2; c++) {
    st = through_native(s, cpus[c], false, got);
    judge(s, WAY_NATIVE, c ? "five threads" : "one thread", st, got);
  }
  st = through_native(s, cpus[0], true, got);
  judge(s, WAY_OPT, "after the passes", st, got);
  if (xla) {
    st = through_plugin(s, got);
    judge(s, WAY_XLA, "the plugin", st, got);
  }
  st = recorded(s, recording, got);
  judge(s, WAY_JAXLIB, "the recording", st, got);
  return TL_OK;
}

static void run_op(tl_opcode op) {
  tl_arena *a = tl_arena_create();
  tl_buf file = {0}, recording = {0};
  const char *name = tl_op_get(op)->mnemonic;
  tl_status st = tl_file_read(tl_arena_printf(a, "%s/%s.mlir", samples_dir, name), 1 << 20, &file);
  if (st) {
    printf(
        "%s has no samples: %s (the top of sweep_test.c says what they look like; record them with "
        "tests/oracle/sweep.py)\n",
        name, tl_status_message(st));
    failures++;
  }
  tl_status_drop(
      tl_file_read(tl_arena_printf(a, "%s/jaxlib/%s.txt", samples_dir, name), 1 << 24, &recording));
  tl_str text = tl_buf_view(&file);
  for (size_t part = 0; !st && text.len; part++) {
    sample s = {
        .arena = tl_arena_create(), .text = next_part(&text), .op = op, .name = name, .part = part};
    tl_status why = run_sample(&s, tl_buf_view(&recording));
    if (why) {
      printf("%s.mlir, part %zu: %s\n", name, part, tl_status_message(why));
      failures++;
    }
    tl_status_drop(why);
    tl_module_destroy(s.module);
    tl_arena_destroy(s.arena);
  }
  tl_status_drop(st);
  tl_buf_deinit(&file), tl_buf_deinit(&recording);
  tl_arena_destroy(a);
}

int main(int argc, char **argv) {
  if (argc < 2) return fprintf(stderr, "wanted SAMPLES [PLUGIN | --dump DIR] [OP]\n"), 2;
  samples_dir = argv[1];
  const char *only = NULL;
  tl_status st = TL_OK;
  for (int i = 2; i < argc && !st; i++) {
    if (strcmp(argv[i], "--dump") == 0 && i + 1 < argc) {
      dump_dir = argv[++i];
    } else if (strchr(argv[i], '/')) {
      tl_pjrt_plugin *plugin;
      if (!tl_path_exists(argv[i])) {
        printf("skipped by name: the comparison with %s, which is not here\n", argv[i]);
        continue;
      }
      st = tl_pjrt_open(argv[i], &plugin);
      if (!st) st = tl_pjrt_client_create(plugin, NULL, &xla);
    } else {
      only = argv[i];
    }
  }
  for (size_t i = 0; i < 2 && !st; i++)
    st = tl_cpu_create(&(tl_cpu_options){.n_threads = i ? 5 : 1}, &cpus[i]);
  for (size_t op = 0; op < TL_OP_COUNT && !st; op++)
    if (!only || strcmp(only, tl_op_get((tl_opcode)op)->mnemonic) == 0) run_op((tl_opcode)op);
  if (st) fprintf(stderr, "%s\n", tl_status_message(st)), failures++;
  tl_status_drop(st);
  if (!dump_dir) {
    printf("%zu samples of %d ops;", n_samples, TL_OP_COUNT);
    for (size_t w = 0; w < WAY_COUNT; w++)
      printf(" %s %zu", way_names[w], n_runs[w]);
    printf("; %zu failures\n", failures);
  }
  for (size_t i = 0; i < 2; i++)
    tl_cpu_release(cpus[i]);
  tl_pjrt_client_release(xla);
  return failures != 0;
}
