// suites_stablehlo_test FOLDER LIST [--write]: every module below FOLDER and FOLDER/testdata,
// FOLDER/tests/interpret, natively, by the interpreter, and natively after every pass.
// A module's checks decide.
//
// A file is split at "// -----", as the suite's own runner does; of each part @main runs, or its
// one function without arguments. LIST names the files that do not pass, each with its reason:
//
//     testdata/sort_x.mlir: unsupported: the op stablehlo.sort is not supported
//
// The kinds are unsupported (the text is not read), refused (it does not compile or run) and wrong
// (a check fails). A listed file must fail in its kind: one that begins to pass fails the test
// until its line is taken out, so the list says what is missing and nothing else. The rest of the
// line is for the reader. "-": no list. --write prints the list as it would be now.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/map.h"
#include "cpu/cpu.h"
#include "passes/passes.h"
#include "ref/ref.h"
#include "shlo/shlo.h"
#include "exceptions.h"

static tl_cpu *cpus[2]; // native, and the interpreter

// How a program runs. After every pass its checks must hold as well.
static const struct way {
  const char *name;
  int cpu;
  const char *passes[6];
} ways[] = {{"native", 0, {0}},
            {"ref", 1, {0}},
            {"opt", 0, {"inline", "specialise", "decompose", "cse", "dce"}}};

static const tl_func *entry_of(const tl_module *m) {
  const tl_func *fn = tl_module_find(m, TL_STR("main"));
  for (const tl_func *f = m->first; f && !fn; f = f->next)
    if (!f->is_private && f->body->n_args == 0) fn = f;
  return fn;
}

static tl_status run_on(tl_cpu *cpu, tl_module **m) {
  const tl_func *fn = entry_of(*m);
  if (!fn) return TL_ERROR(NOT_FOUND, "no function to run");
  if (fn->body->n_args) return TL_ERROR(NOT_FOUND, "the entry takes arguments");
  tl_cpu_exe *exe = NULL;
  tl_status st = TL_OK;
  const uint32_t n = fn->n_results;
  void **outs = calloc(n + 1, sizeof *outs);
  for (uint32_t i = 0; outs && i < n; i++) {
    size_t size = 0;
    if (tl_type_size(fn->result_types[i], &size)) outs[i] = aligned_alloc(64, (size / 64 + 1) * 64);
  }
  TL_TRY_GOTO(done, st, tl_cpu_compile(cpu, *m, fn->name, &exe));
  *m = NULL;
  st = tl_cpu_execute(exe, (const void *[]){NULL}, outs);
done:
  tl_cpu_exe_release(exe);
  for (uint32_t i = 0; outs && i < n; i++)
    free(outs[i]);
  free(outs);
  return st;
}

static tl_status run_passes(const char *const *names, tl_module **m) {
  for (; *names; names++) {
    tl_module *new = NULL;
    tl_diags diags = {0};
    tl_status st = tl_pass_run(tl_pass_find(tl_str_of(*names)), *m, &new);
    if (!st) st = tl_module_verify(new, &diags);
    tl_diags_deinit(&diags);
    if (st) return tl_status_note(st, "pass %s", *names);
    tl_module_destroy(*m);
    *m = new;
  }
  return TL_OK;
}

static tl_status run_part(tl_str text, const struct way *way) {
  tl_diags diags = {.max_errors = 1};
  tl_module *m = NULL;
  tl_status st = tl_shlo_parse(text, way->name, &diags, &m);
  if (st && diags.len) { // the first mistake, without its place
    tl_status_drop(st);
    st = TL_ERROR(UNIMPLEMENTED, "unsupported: %.120s", diags.items[0].message);
  }
  tl_diags_deinit(&diags);
  if (!st) {
    st = run_passes(way->passes, &m);
    if (!st) st = run_on(cpus[way->cpu], &m);
    if (st) {
      const bool check = tl_status_get_code(st) == TL_STATUS_FAILED_PRECONDITION;
      tl_status was = st;
      st = TL_ERROR(FAILED_PRECONDITION, "%s: %.200s", check ? "wrong" : "refused",
                    tl_status_message(was));
      tl_status_drop(was);
    }
  }
  tl_module_destroy(m);
  return st;
}

// unsupported < refused < wrong: the worst of a file is what it is listed for.
static int badness(tl_status st) {
  static const char *const kinds[] = {"unsupported", "refused", "wrong"};
  for (size_t i = 0; i < TL_COUNT(kinds); i++)
    if (tl_str_starts(tl_str_of(tl_status_message(st)), tl_str_of(kinds[i]))) return (int)i + 1;
  return 4;
}

// Every part in every way. The first of the worst failures; NULL when all pass. *n counts parts.
static tl_status run_file(tl_str text, size_t *n) {
  tl_status worst = TL_OK;
  static const char mark[] = "// -----";
  while (text.len) {
    const size_t end = TL_MIN(tl_str_find(text, TL_STR(mark)), text.len);
    const tl_str part = tl_str_sub(text, 0, end);
    text = tl_str_sub(text, end, text.len);
    if (text.len) text = tl_str_sub(text, sizeof mark - 1, text.len);
    if (tl_str_find(part, TL_STR("func.func")) == (size_t)-1) continue;
    bool good = true;
    for (size_t w = 0; w < TL_COUNT(ways); w++) {
      tl_status st = run_part(part, &ways[w]);
      if (!st) continue;
      good = false;
      const bool worse = !worst || badness(st) > badness(worst);
      tl_status_drop(worse ? worst : st);
      if (worse) worst = st;
    }
    *n += good;
  }
  return worst;
}

static bool same_kind(const char *a, const char *b) {
  const size_t n = strcspn(a, ":");
  return strncmp(a, b, n) == 0 && b[n] == ':';
}

static size_t passed, listed, wrong, parts;

static tl_status run_folder(const char *top, const char *folder, const list *l, bool write,
                            tl_arena *a) {
  const char *dir = *folder ? tl_path_join(a, top, folder) : top;
  tl_str *names;
  size_t n;
  if (!tl_path_is_dir(dir)) return TL_OK;
  TL_TRY(tl_dir_list(a, dir, &names, &n));
  for (size_t i = 0; i < n; i++) {
    if (!tl_str_ends(names[i], TL_STR(".mlir"))) continue;
    const char *name =
        tl_arena_printf(a, "%s%s" TL_STR_FMT, folder, *folder ? "/" : "", TL_STR_ARG(names[i]));
    tl_buf text = {0};
    uint64_t reason = 0;
    TL_TRY(tl_file_read(tl_path_join(a, top, name), (size_t)1 << 30, &text));
    tl_status st = run_file(tl_buf_view(&text), &parts);
    const char *why = st ? tl_status_message(st) : "";
    const bool is_listed = tl_map_get(&l->reasons, tl_str_of(name), &reason);
    if (write && st) {
      printf("%s: %.*s\n", name, (int)strcspn(why, ";"), why); // not what may have been meant
    } else if (!write && st && (!is_listed || !same_kind(why, (const char *)(uintptr_t)reason))) {
      printf("%s: %s%s%s\n", name, why, is_listed ? "; listed: " : "",
             is_listed ? (const char *)(uintptr_t)reason : "");
      wrong++;
    } else if (!write && !st && is_listed) {
      printf("%s passes now: take its line out of the list\n", name);
      wrong++;
    }
    passed += !st;
    listed += is_listed;
    tl_status_drop(st);
    tl_buf_deinit(&text);
  }
  return TL_OK;
}

int main(int argc, char **argv) {
  static const char *const folders[] = {"", "testdata", "tests/interpret"};
  const bool write = argc > 3 && strcmp(argv[3], "--write") == 0;
  list l = {0};
  tl_arena *a = tl_arena_create();
  tl_status st = argc < 3 ? TL_ERROR(INVALID_ARGUMENT, "wanted FOLDER LIST [--write]") : TL_OK;
  if (!st && strcmp(argv[2], "-") != 0 && !write) st = read_list(argv[2], "file", &l);
  for (int d = 0; d < 2 && !st; d++)
    st = tl_cpu_create(&(tl_cpu_options){.n_threads = 2, .interpreter = d == 1}, &cpus[d]);
  for (size_t i = 0; i < TL_COUNT(folders) && !st; i++)
    st = run_folder(argv[1], folders[i], &l, write, a);
  if (!st && !write) {
    printf("%zu files pass, %zu programs pass in each way; %zu are listed with a reason\n", passed,
           parts, listed);
    if (listed != l.n) {
      printf("%zu lines of the list name no file\n", l.n - listed);
      wrong++;
    }
    if (passed == 0) wrong++; // an empty folder is no success
  }
  if (st) fprintf(stderr, "%s\n", tl_status_message(st));
  const bool failed = st || wrong;
  tl_status_drop(st);
  for (int d = 0; d < 2; d++)
    tl_cpu_release(cpus[d]);
  tl_map_deinit(&l.reasons);
  tl_buf_deinit(&l.text);
  tl_arena_destroy(a);
  return failed;
}
