// emit_c_test WORK COMPILER SAMPLES... : printed C against the interpreter, bit for bit.
//
// SAMPLES are folders: of the op sweep, whose every sample of every op is taken, and of programs of
// this test's own, in the same form. All of them are printed into one file, which is compiled with
// -Wall -Wextra -Werror and loaded; each program then runs on the sample's inputs and is compared
// with the interpreter by memcmp: NaNs have the same bits too.
//
// A program with an op that host.def refuses must be refused, with that op's name and reason: a row
// that is not needed any more fails, and so does a refusal without a row.
//
// Controls: each result with one bit changed must be found to differ; and a copy of the text in
// which one op is another must give other bits.
#include <dirent.h>
#include <dlfcn.h>

#include "../sweep/sample.h"
#include "base/file.h"
#include "program/emit_c.h"
#include "ref/host_form.h"
#include "tlaloc/host.h"

typedef struct program {
  sample s;
  bool printed;
  struct program *next;
} program;

typedef void entry(tlh *h, const tlh_tensor *in, tlh_tensor *out);

static tl_arena *texts; // of samples
static program *first, **last = &first;
static size_t n_programs, n_printed, n_refused, failures;

static void say(const sample *s, const char *fmt, ...) TL_PRINTF(2, 3);
static void say(const sample *s, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  printf("%s.mlir, part %zu: ", s->name, s->part);
  vprintf(fmt, args);
  printf("\n");
  va_end(args);
  failures++;
}

// ---- Printing ----

// An op of the module that host.def refuses, NULL where there is none; with a message the one that
// it names with its reason.
static const char *find_refused(const sample *s, const char *message) {
  for (int op = 0; op < TL_OP_COUNT; op++) {
    const tl_host_form f = tl_host_form_of((tl_opcode)op);
    const char *name = tl_op_get((tl_opcode)op)->mnemonic;
    if (f.kind == TL_HOST_REFUSED && module_has(s->module, (tl_opcode)op) &&
        (!message || (strstr(message, name) && strstr(message, f.reason))))
      return name;
  }
  return NULL;
}

// void run_<k>(h, in, out): one form for all.
static void put_entry(tl_buf *out, const sample *s, const char *name, size_t k) {
  tl_buf_printf(out, "\nvoid run_%zu(tlh *h, const tlh_tensor *in, tlh_tensor *out);\n", k);
  tl_buf_printf(out, "void run_%zu(tlh *h, const tlh_tensor *in, tlh_tensor *out) {\n", k);
  tl_buf_printf(out, "  (void)in, (void)out;\n  %s%s(h", s->n_out == 1 ? "out[0] = " : "", name);
  for (size_t i = 0; i < s->n_in; i++)
    tl_buf_printf(out, ", in[%zu]", i);
  tl_buf_cstr(out, s->n_out > 1 ? ", out);\n}\n" : ");\n}\n");
}

static void print_program(program *p, size_t k, tl_buf *out) {
  sample *s = &p->s;
  char prefix[32];
  snprintf(prefix, sizeof prefix, "p%zu_", k);
  const tl_emit_c_options options = {.prefix = prefix, .no_include = k != 0};
  const char *refused = find_refused(s, NULL);
  tl_buf name = {0};
  tl_buf_printf(out, "\n// ---- %s, part %zu\n", s->name, s->part);
  tl_status st = tl_emit_c(s->module, s->fn, &options, out);
  if (!st) st = tl_emit_c_name(s->module, s->fn, &options, &name);
  p->printed = !st;
  if (!st && refused)
    say(s, "%s is printed now: take its row out of host.def", refused);
  else if (st && !refused)
    say(s, "%s", tl_status_message(st));
  else if (st && (tl_status_get_code(st) != TL_STATUS_UNIMPLEMENTED ||
                  !find_refused(s, tl_status_message(st))))
    say(s, "refused, but not for a reason of host.def: %s", tl_status_message(st));
  else if (!st)
    put_entry(out, s, name.ptr, k);
  n_printed += !st;
  n_refused += st && refused;
  tl_status_drop(st);
  tl_buf_deinit(&name);
}

// ---- Running ----

static tl_status compile(const char *compiler, const char *work, const char *stem,
                         const tl_buf *text, void **out_library) {
  char path[4096], command[8192];
  snprintf(path, sizeof path, "%s/%s.c", work, stem);
  TL_TRY(tl_file_write(path, text->ptr, text->len));
  snprintf(command, sizeof command,
           "%s -std=c17 -Wall -Wextra -Werror -O0 -fPIC -shared -o '%s/%s.so' '%s'", compiler, work,
           stem, path);
  if (system(command) != 0) return TL_ERROR(INTERNAL, "does not compile: %s", command);
  snprintf(path, sizeof path, "%s/%s.so", work, stem);
  *out_library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  return *out_library ? TL_OK : TL_ERROR(INTERNAL, "%s", dlerror());
}

static tl_type type_of(tlh_type t) { return (tl_type){(tl_dtype)t.dtype, t.rank, t.dims}; }

static bool same_bits(tl_type type, const void *a, const void *b) {
  size_t size;
  return tl_type_size(type, &size) && (size == 0 || memcmp(a, b, size) == 0);
}

static entry *entry_of(void *library, size_t k) {
  char name[32];
  snprintf(name, sizeof name, "run_%zu", k);
  void *symbol = dlsym(library, name);
  entry *e = NULL;
  memcpy(&e, &symbol, sizeof e);
  return e;
}

// Runs the printed program and compares; false: other bits.
static bool agrees(const program *p, size_t k, void *library, bool is_control) {
  const sample *s = &p->s;
  tlh_tensor in[MAX_VALUES] = {0}, out[MAX_VALUES] = {0};
  bool good = true;
  for (size_t i = 0; i < s->n_in; i++)
    in[i] = (tlh_tensor){{(tlh_dtype)s->in[i].type.dtype, s->in[i].type.rank, s->in[i].type.dims},
                         s->in[i].data};
  tlh *h = tlh_create();
  entry *run = entry_of(library, k);
  if (run) run(h, in, out);
  if (!run || tlh_error(h)) {
    say(s, "%s", run ? tlh_error(h) : "its C function is not there");
    good = false;
  }
  for (size_t i = 0; i < s->n_out && good; i++) {
    if (!tl_type_eq(type_of(out[i].type), s->want[i].type)) {
      say(s, "result %zu has another type", i);
      good = false;
    } else if (!same_bits(s->want[i].type, out[i].data, s->want[i].data)) {
      if (!is_control) say(s, "result %zu has other bits", i);
      good = false;
    }
  }
  size_t size;
  if (good && s->n_out && tl_type_size(s->want[0].type, &size) && size > 0) {
    unsigned char *changed = malloc(size);
    memcpy(changed, out[0].data, size);
    changed[size - 1] ^= 1;
    if (same_bits(s->want[0].type, changed, s->want[0].data)) say(s, "the control agrees");
    free(changed);
  }
  tlh_destroy(h);
  return good;
}

// ---- Samples ----

static void take_file(const char *folder, const char *name) {
  char path[4096];
  tl_buf file = {0};
  snprintf(path, sizeof path, "%s/%s.mlir", folder, name);
  tl_status st = tl_file_read(path, 1 << 20, &file);
  tl_opcode op = TL_OP_RETURN;
  if (!tl_op_of_mnemonic(tl_str_of(name), true, &op))
    (void)tl_op_of_mnemonic(tl_str_of(name), false, &op);
  tl_str rest = tl_str_copy(texts, tl_buf_view(&file));
  for (size_t part = 0; !st && rest.len; part++) {
    program *p = calloc(1, sizeof *p);
    p->s = (sample){.arena = tl_arena_create(),
                    .text = next_part(&rest),
                    .op = op,
                    .name = tl_arena_printf(texts, "%s", name),
                    .part = part};
    *last = p;
    last = &p->next;
    n_programs++;
    st = open_sample(&p->s);
    if (!st)
      st = tl_ref_run(p->s.fn, TL_REF_AS_TYPED, p->s.in, p->s.n_in, p->s.arena, p->s.want, 0);
    if (st) say(&p->s, "%s", tl_status_message(st));
    tl_status_drop(st);
    st = TL_OK;
  }
  if (st) printf("%s: %s\n", path, tl_status_message(st)), failures++;
  tl_status_drop(st);
  tl_buf_deinit(&file);
}

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static void take_folder(const char *folder) {
  struct dirent **list = NULL;
  const int n = scandir(folder, &list, NULL, by_name);
  for (int i = 0; i < n; i++) {
    char name[256];
    snprintf(name, sizeof name, "%s", list[i]->d_name);
    char *end = strstr(name, ".mlir");
    if (end && end[5] == 0) *end = 0, take_file(folder, name);
    free(list[i]);
  }
  free(list);
}

// ---- Controls ----

// `add` in place of `subtract` in the text of one program.
static void control(const char *compiler, const char *work) {
  static const char *const names[] = {"tlh_subtract(",
                                      "tlh_add("}; // a float one first, in the order of the file
  for (const program *p = first; p; p = p->next) {
    if (p->s.op != TL_OP_SUBTRACT || !p->printed) continue;
    program copy = *p;
    tl_buf text = {0}, wrong = {0};
    const size_t programs = n_printed;
    print_program(&copy, 0, &text);
    n_printed = programs;
    const tl_str all = tl_buf_view(&text);
    const size_t at = tl_str_find(all, tl_str_of(names[0]));
    tl_buf_str(&wrong, tl_str_sub(all, 0, at));
    tl_buf_cstr(&wrong, names[1]);
    tl_buf_str(&wrong, tl_str_sub(all, at + strlen(names[0]), all.len));
    void *library = NULL;
    tl_status st = compile(compiler, work, "control", &wrong, &library);
    if (st) say(&p->s, "%s", tl_status_message(st));
    if (!st && agrees(&copy, 0, library, true)) say(&p->s, "a sum in place of a difference agrees");
    tl_status_drop(st);
    if (library) dlclose(library);
    tl_buf_deinit(&text), tl_buf_deinit(&wrong);
    return;
  }
  printf("no sample for the control\n"), failures++;
}

int main(int argc, char **argv) {
  if (argc < 4) return fprintf(stderr, "wanted WORK COMPILER SAMPLES...\n"), 2;
  texts = tl_arena_create();
  for (int i = 3; i < argc; i++)
    take_folder(argv[i]);
  tl_buf text = {0};
  size_t k = 0;
  for (program *p = first; p; p = p->next)
    if (p->s.fn) print_program(p, k++, &text);
  void *library = NULL;
  tl_status st = compile(argv[2], argv[1], "programs", &text, &library);
  if (st) printf("%s\n", tl_status_message(st)), failures++;
  k = 0;
  for (const program *p = first; p && !st; p = p->next)
    if (p->s.fn) {
      if (p->printed) agrees(p, k, library, false);
      k++;
    }
  tl_status_drop(st);
  control(argv[2], argv[1]);
  printf("%zu programs, %zu printed, %zu refused by name, %zu bytes of C; %zu failures\n",
         n_programs, n_printed, n_refused, text.len, failures);
  tl_buf_deinit(&text);
  while (first) {
    program *next = first->next;
    tl_module_destroy(first->s.module);
    tl_arena_destroy(first->s.arena);
    free(first);
    first = next;
  }
  tl_arena_destroy(texts);
  if (library) dlclose(library);
  return failures != 0;
}
