// suites_harnesses_test PATH LIST [--write | --print]: every module of PATH (a file, or a folder of
// *.mlir) goes through the reader, the verifier and the printer.
//
// A file is split at "// -----". A part that begins with a comment opens a module of that name; the
// parts up to the next are other forms of the same module (tests/oracle/jax_harnesses.py says
// which). Of every form: it is read; what it prints as reads back to the same module and prints to
// the same text; and all forms of one module are the same module.
//
// LIST names the modules that do not pass, each with its reason:
//
//     top_k_inshape_float32_5_3: the op chlo.top_k is not supported
//
// A listed one that begins to pass fails the test until its line is taken out. --write prints the
// list as it would be now; --print instead what each module prints as, as in PATH
// (tests/oracle/jaxlib_same.py reads it).
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/map.h"
#include "shlo/shlo.h"
#include "exceptions.h"

typedef struct tally {
  size_t modules, forms, failed, wrong, met; // met: names that the list has
  bool write, print;
} tally;

static tl_status parse(tl_str text, const char *what, tl_module **out) {
  tl_diags diags = {.max_errors = 1};
  tl_status st = tl_shlo_parse(text, what, &diags, out);
  if (st && diags.len) { // the first mistake, with its place only where our own text is at fault
    tl_status_drop(st);
    st = TL_ERROR(UNIMPLEMENTED, "%s%.200s", strcmp(what, "form") == 0 ? "" : what,
                  diags.items[0].message);
  }
  tl_diags_deinit(&diags);
  return st;
}

static bool same(const tl_module *a, const tl_module *b) {
  const tl_func *f = a->first, *g = b->first;
  for (; f && g; f = f->next, g = g->next)
    if (!tl_str_eq(f->name, g->name) || f->is_private != g->is_private ||
        f->n_results != g->n_results || !tl_func_eq(f, g))
      return false;
  return !f && !g && tl_str_eq(a->name, b->name);
}

// One form; *out_module is the caller's.
static tl_status run_form(tl_str text, tl_module **out_module) {
  tl_module *again = NULL;
  tl_buf one = {0}, two = {0};
  tl_status st;
  TL_TRY_GOTO(done, st, parse(text, "form", out_module));
  TL_TRY_GOTO(done, st, tl_shlo_print(*out_module, &(tl_shlo_print_options){0}, &one));
  TL_TRY_GOTO(done, st, parse(tl_buf_view(&one), "printed: ", &again));
  TL_TRY_GOTO(done, st, tl_shlo_print(again, &(tl_shlo_print_options){0}, &two));
  if (!same(*out_module, again))
    st = TL_ERROR(INTERNAL, "what was printed reads as another module");
  else if (!tl_str_eq(tl_buf_view(&one), tl_buf_view(&two)))
    st = TL_ERROR(INTERNAL, "what was printed prints as another text");
done:
  tl_module_destroy(again);
  tl_buf_deinit(&one);
  tl_buf_deinit(&two);
  return st;
}

static void result(tally *t, list *l, tl_str name, tl_status st) {
  uint64_t reason;
  const bool is_listed = tl_map_get(&l->reasons, name, &reason);
  const char *why = st ? tl_status_message(st) : "";
  const int n = (int)strcspn(why, ";\n"); // not what may have been meant
  t->met += is_listed;
  t->modules++;
  t->failed += st != TL_OK;
  if (st && t->write)
    printf(TL_STR_FMT ": %.*s\n", TL_STR_ARG(name), n, why);
  else if (st && !is_listed && !t->print)
    t->wrong++, printf(TL_STR_FMT ": %.*s\n", TL_STR_ARG(name), n, why);
  else if (!st && is_listed && !t->write && !t->print)
    t->wrong++, printf(TL_STR_FMT " passes now: take its line out\n", TL_STR_ARG(name));
  tl_status_drop(st);
}

static void print_module(tl_str name, const tl_module *m) {
  tl_buf text = {0};
  tl_status st = tl_shlo_print(m, &(tl_shlo_print_options){0}, &text);
  if (!st)
    printf("// " TL_STR_FMT "\n" TL_STR_FMT "// -----\n", TL_STR_ARG(name),
           TL_STR_ARG(tl_buf_view(&text)));
  tl_status_drop(st);
  tl_buf_deinit(&text);
}

// The text up to the next mark, which is taken away.
static tl_str next_part(tl_str *text) {
  static const char mark[] = "// -----\n";
  const size_t end = TL_MIN(tl_str_find(*text, TL_STR(mark)), text->len);
  const tl_str part = tl_str_sub(*text, 0, end);
  *text = tl_str_sub(*text, TL_MIN(end + sizeof mark - 1, text->len), text->len);
  return part;
}

static void run_text(tally *t, list *l, tl_str text) {
  tl_module *first = NULL;
  tl_str name = {0};
  tl_status st = TL_OK;
  while (text.len) {
    const tl_str part = next_part(&text);
    if (tl_str_starts(part, TL_STR("// "))) {
      if (name.len) result(t, l, name, st);
      st = TL_OK;
      tl_module_destroy(first);
      first = NULL;
      name = tl_str_sub(part, 3, TL_MIN(tl_str_find(part, TL_STR("\n")), part.len));
    }
    tl_module *m = NULL;
    if (!st) {
      st = run_form(part, &m);
      if (!st && first && !same(first, m))
        st = TL_ERROR(INTERNAL, "a form reads as another module than the first");
      t->forms++;
    }
    if (!first) {
      if (t->print && !st) print_module(name, m);
      first = m;
      m = NULL;
    }
    tl_module_destroy(m);
  }
  if (name.len) result(t, l, name, st);
  tl_module_destroy(first);
}

static tl_status run_file(tally *t, list *l, const char *path) {
  tl_buf text = {0};
  TL_TRY(tl_file_read(path, (size_t)1 << 30, &text));
  run_text(t, l, tl_buf_view(&text));
  tl_buf_deinit(&text);
  return TL_OK;
}

static tl_status run(tally *t, list *l, const char *path, tl_arena *a) {
  tl_str *names;
  size_t n;
  if (!tl_path_is_dir(path)) return run_file(t, l, path);
  TL_TRY(tl_dir_list(a, path, &names, &n));
  for (size_t i = 0; i < n; i++)
    if (tl_str_ends(names[i], TL_STR(".mlir")))
      TL_TRY(run_file(t, l,
                      tl_path_join(a, path, tl_arena_printf(a, TL_STR_FMT, TL_STR_ARG(names[i])))));
  return TL_OK;
}

int main(int argc, char **argv) {
  tally t = {.write = argc > 3 && strcmp(argv[3], "--write") == 0,
             .print = argc > 3 && strcmp(argv[3], "--print") == 0};
  list l = {0};
  tl_arena *a = tl_arena_create();
  tl_status st = argc < 3 ? TL_ERROR(INVALID_ARGUMENT, "wanted PATH LIST [--write]") : TL_OK;
  if (!st && strcmp(argv[2], "-") != 0) st = read_list(argv[2], "name", &l);
  if (!st) st = run(&t, &l, argv[1], a);
  if (!st && !t.write && !t.print) {
    printf("%zu modules in %zu forms: %zu pass, %zu are listed with a reason\n", t.modules, t.forms,
           t.modules - t.failed, t.met);
    if (t.met != l.n) {
      printf("%zu lines of the list name no module\n", l.n - t.met);
      t.wrong++;
    }
    if (t.modules == t.failed) t.wrong++; // an empty folder is no success
  }
  if (st) fprintf(stderr, "%s\n", tl_status_message(st));
  const bool failed = st || t.wrong;
  tl_status_drop(st);
  tl_map_deinit(&l.reasons);
  tl_buf_deinit(&l.text);
  tl_arena_destroy(a);
  return failed;
}
