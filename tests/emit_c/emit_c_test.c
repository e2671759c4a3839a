// emit_c_test [--derivatives] WORK COMPILER SAMPLES... : printed C against the interpreter, bit for
// bit.
//
// SAMPLES are folders: of the op sweep, whose every sample of every op is taken, and of programs of
// this test's own, in the same form. All of them are printed into a file for each core that the
// test counts on, compiled with -Wall -Wextra -Werror and loaded; each program then runs on the
// sample's inputs and is compared with the interpreter by memcmp: NaNs have the same bits too.
//
// With --derivatives the programs are not the samples but what src/ad makes of each, in the
// sample's own types: its vjp and jvp by every float argument, on random cotangents and tangents,
// and its vmap at a batch of 3, every axis 0. A refusal is listed with its reason, once an op, and
// must name the op; where only some arguments are refused, the function by one that is not is
// taken. Which ops may refuse, and that the functions are right, is derivatives_test.c's.
//
// A program with an op that host.def refuses must be refused, with that op's name and reason: a row
// that is not needed any more fails, and so does a refusal without a row.
//
// Controls: each program's result with one bit changed must be found to differ; and a copy of one
// text in which an op is another, of each transform, must give other bits.
#include <dirent.h>
#include <dlfcn.h>

#include "../sweep/sample.h"
#include "ad/ad.h"
#include "ad/rule.h"
#include "base/file.h"
#include "program/emit_c.h"
#include "ref/host_form.h"
#include "tlaloc/host.h"

enum { BATCH = 3, N_UNITS = 2 }; // files of C, compiled side by side

typedef enum { ITSELF, VJP, JVP, VMAP, N_TRANSFORMS } transform;
static const char *const transforms[N_TRANSFORMS] = {"itself", "vjp", "jvp", "vmap"};

typedef struct program {
  sample s; // of a transform: another's module and arena, its own function, inputs and results
  transform by;
  bool wanted; // printed and run; else it is there for what is made of it
  bool printed;
  struct program *next;
} program;

typedef void entry(tlh *h, const tlh_tensor *in, tlh_tensor *out);

static tl_arena *texts; // of samples
static program *first, **last = &first;
static bool with_derivatives;
static size_t n_programs, n_printed, n_refused, failures;
static size_t n_made[N_TRANSFORMS], n_not_made[N_TRANSFORMS];

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
  const tl_emit_c_options options = {.prefix = prefix, .no_include = out->len != 0};
  const char *refused = find_refused(s, NULL);
  tl_buf name = {0};
  tl_buf_printf(out, "\n// ---- %s, part %zu\n", s->name, s->part);
  tl_status st = tl_emit_c(s->module, s->fn, &options, out);
  if (!st) st = tl_emit_c_name(s->module, s->fn, &options, &name);
  p->printed = !st;
  if (!st && refused && p->by == ITSELF) // a transform may leave the op out
    say(s, "%s is printed now: take its row out of host.def", refused);
  else if (st && !refused)
    say(s, "%s", tl_status_message(st));
  else if (st && (tl_status_get_code(st) != TL_STATUS_UNIMPLEMENTED ||
                  !find_refused(s, tl_status_message(st))))
    say(s, "refused, but not for a reason of host.def: %s", tl_status_message(st));
  if (!st) put_entry(out, s, name.ptr, k);
  n_printed += !st;
  n_refused += st && refused;
  tl_status_drop(st);
  tl_buf_deinit(&name);
}

// ---- Running ----

// Each text into a library of its own, all at once.
static tl_status compile(const char *compiler, const char *work, const char *stem,
                         const tl_buf *texts_of_units, size_t n, void **out_libraries) {
  char path[4096], command[8192];
  FILE *running[N_UNITS] = {0};
  tl_status st = TL_OK;
  for (size_t i = 0; i < n && !st; i++) {
    snprintf(path, sizeof path, "%s/%s_%zu.c", work, stem, i);
    st = tl_file_write(path, texts_of_units[i].ptr, texts_of_units[i].len);
    snprintf(command, sizeof command,
             "%s -std=c17 -Wall -Wextra -Werror -O0 -fPIC -shared -o '%s/%s_%zu.so' '%s'", compiler,
             work, stem, i, path);
    if (!st) running[i] = popen(command, "w");
  }
  for (size_t i = 0; i < n; i++)
    if ((!running[i] || pclose(running[i]) != 0) && !st)
      st = TL_ERROR(INTERNAL, "does not compile: %s/%s_%zu.c", work, stem, i);
  for (size_t i = 0; i < n && !st; i++) {
    snprintf(path, sizeof path, "%s/%s_%zu.so", work, stem, i);
    out_libraries[i] = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!out_libraries[i]) st = TL_ERROR(INTERNAL, "%s", dlerror());
  }
  return st;
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

static program *add_program(const sample *s, transform by, bool wanted) {
  program *p = calloc(1, sizeof *p);
  *p = (program){.s = *s, .by = by, .wanted = wanted};
  *last = p;
  last = &p->next;
  n_programs += wanted;
  return p;
}

// Its results by the interpreter.
static void want(sample *s) {
  tl_status st = tl_ref_run(s->fn, TL_REF_AS_TYPED, s->in, s->n_in, s->arena, s->want, 0);
  if (st) say(s, "%s", tl_status_message(st));
  tl_status_drop(st);
}

// Lists a refusal, once an op. `partly`: by some arguments only.
static void refuse(const sample *s, transform by, bool partly, tl_status st) {
  static bool told[N_TRANSFORMS][TL_OP_COUNT];
  const char *message = tl_status_message(st);
  if (tl_status_get_code(st) != TL_STATUS_UNIMPLEMENTED ||
      (!strstr(message, " has no derivative") && !strstr(message, " has no batching rule")))
    say(s, "%s: %s", transforms[by], message);
  else if (!told[by][s->op])
    printf("%s of %s%s: %s\n", transforms[by], s->name, partly ? ", by an argument" : "", message);
  told[by][s->op] = true;
  n_not_made[by]++;
}

static tl_status make(const sample *s, transform by, const uint32_t *wrt, uint32_t n,
                      tl_func **out) {
  static const int64_t axes[MAX_VALUES] = {0};
  const tl_vmap_options batch = {.in_axes = axes, .size = BATCH};
  const tl_ad_options o = {0};
  if (by == VMAP) return tl_ad_vmap(s->module, s->fn, &batch, "t.vmap", out);
  if (by == JVP) return tl_ad_jvp(s->module, s->fn, wrt, n, &o, "t.jvp", out);
  return tl_ad_vjp(s->module, s->fn, wrt, n, &o, "t.vjp", out);
}

// The function that `by` makes of the sample's; NULL where there is none.
static tl_func *transformed(const sample *s, transform by) {
  uint32_t wrt[MAX_VALUES], n = 0, n_float = 0;
  tl_func *fn = NULL;
  for (uint32_t i = 0; i < s->n_in; i++)
    if (tl_ad_is_inexact(s->in[i].type.dtype)) wrt[n++] = i;
  for (size_t k = 0; k < s->n_out; k++)
    n_float += tl_ad_is_inexact(s->fn->result_types[k].dtype);
  if (by == VMAP ? s->n_in == 0 : n == 0 || n_float == 0) return NULL;
  tl_status st = make(s, by, wrt, n, &fn);
  for (uint32_t i = n; st && by != VMAP && n > 1 && i-- > 0 && !fn;)
    tl_status_drop(make(s, by, &wrt[i], 1, &fn));
  if (st) refuse(s, by, fn != NULL, st);
  tl_status_drop(st);
  return fn;
}

// Elements in [-1, 1).
static tl_status make_random(sample *s, size_t i, uint64_t *seed) {
  tl_tensor *t = &s->in[i];
  size_t count, size;
  t->type = s->fn->body->args[i]->type;
  if (!count_parts(t->type, &count) || !tl_type_size(t->type, &size))
    return TL_ERROR(UNIMPLEMENTED, "cannot make argument %zu", i);
  t->data = tl_arena_alloc(s->arena, size + 1, 64);
  if (!t->data) return TL_OOM();
  for (size_t e = 0; e < count; e++)
    store(tl_dtype_part(t->type.dtype), t->data, e,
          (double)(next_random(seed) >> 11) * 0x1p-52 - 1);
  return TL_OK;
}

// BATCH draws of the sample's inputs, one behind the other.
static tl_status make_batches(sample *s, const sample *one) {
  sample draw = *one;
  for (size_t e = 0; e < BATCH; e++) {
    TL_TRY(make_inputs(&draw, e));
    for (size_t i = 0; i < s->n_in; i++) {
      size_t size;
      if (!tl_type_size(draw.in[i].type, &size))
        return TL_ERROR(UNIMPLEMENTED, "cannot make argument %zu", i);
      if (e == 0)
        s->in[i] =
            (tl_tensor){s->fn->body->args[i]->type, tl_arena_alloc(s->arena, size * BATCH + 1, 64)};
      if (!s->in[i].data) return TL_OOM();
      memcpy((char *)s->in[i].data + e * size, draw.in[i].data, size);
    }
  }
  return TL_OK;
}

static void derive(const sample *one) {
  for (transform by = VJP; by < N_TRANSFORMS; by++) {
    const tl_func *fn = transformed(one, by);
    if (!fn) continue;
    sample *s = &add_program(one, by, true)->s;
    s->name = tl_arena_printf(texts, "%s of %s", transforms[by], one->name);
    s->fn = fn;
    s->n_in = fn->body->n_args, s->n_out = fn->n_results;
    n_made[by]++;
    tl_status st = TL_OK;
    if (s->n_in > MAX_VALUES || s->n_out > MAX_VALUES)
      st = TL_ERROR(OUT_OF_RANGE, "more than %d values", MAX_VALUES);
    else if (by == VMAP)
      st = make_batches(s, one);
    uint64_t seed = 7;
    for (size_t i = one->n_in; i < s->n_in && !st; i++)
      st = make_random(s, i, &seed);
    if (st)
      say(s, "%s", tl_status_message(st)), s->fn = NULL;
    else
      want(s);
    tl_status_drop(st);
  }
}

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
    const sample fresh = {.arena = tl_arena_create(),
                          .text = next_part(&rest),
                          .op = op,
                          .name = tl_arena_printf(texts, "%s", name),
                          .part = part};
    sample *s = &add_program(&fresh, ITSELF, !with_derivatives)->s;
    tl_status opened = open_sample(s);
    if (opened)
      say(s, "%s", tl_status_message(opened));
    else if (with_derivatives)
      derive(s);
    else
      want(s);
    tl_status_drop(opened);
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

// In the text of one program a call is another; the program must be found to differ.
static void control(const char *compiler, const char *work, transform by, tl_opcode op,
                    const char *from, const char *to) {
  for (const program *p = first; p; p = p->next) {
    if (p->s.op != op || p->by != by || !p->printed) continue; // a float one first, by the file
    program copy = *p;
    tl_buf text = {0}, wrong = {0};
    const size_t programs = n_printed;
    print_program(&copy, 0, &text);
    n_printed = programs;
    const tl_str all = tl_buf_view(&text);
    const size_t at = tl_str_find(all, tl_str_of(from));
    if (at == (size_t)-1) say(&p->s, "no %s to change", from);
    tl_buf_str(&wrong, tl_str_sub(all, 0, TL_MIN(at, all.len)));
    tl_buf_cstr(&wrong, to);
    tl_buf_str(&wrong, tl_str_sub(all, TL_MIN(at + strlen(from), all.len), all.len));
    void *library = NULL;
    char stem[32];
    snprintf(stem, sizeof stem, "control_%s", transforms[by]);
    tl_status st = compile(compiler, work, stem, &wrong, 1, &library);
    if (st) say(&p->s, "%s", tl_status_message(st));
    if (!st && agrees(&copy, 0, library, true)) say(&p->s, "%s in place of %s agrees", to, from);
    tl_status_drop(st);
    if (library) dlclose(library);
    tl_buf_deinit(&text), tl_buf_deinit(&wrong);
    return;
  }
  printf("no sample for the control of %s\n", transforms[by]), failures++;
}

int main(int argc, char **argv) {
  with_derivatives = argc > 1 && strcmp(argv[1], "--derivatives") == 0;
  if (with_derivatives) argc--, argv++;
  if (argc < 4) return fprintf(stderr, "wanted [--derivatives] WORK COMPILER SAMPLES...\n"), 2;
  const char *work = argv[1], *compiler = argv[2];
  texts = tl_arena_create();
  for (int i = 3; i < argc; i++)
    take_folder(argv[i]);
  tl_buf units[N_UNITS] = {{0}};
  void *libraries[N_UNITS] = {0};
  size_t k = 0, size = 0;
  for (program *p = first; p; p = p->next)
    if (p->wanted && p->s.fn) print_program(p, k, &units[k % N_UNITS]), k++;
  tl_status st = compile(compiler, work, with_derivatives ? "derivatives" : "programs", units,
                         N_UNITS, libraries);
  if (st) printf("%s\n", tl_status_message(st)), failures++;
  k = 0;
  for (const program *p = first; p && !st; p = p->next)
    if (p->wanted && p->s.fn) {
      if (p->printed) agrees(p, k, libraries[k % N_UNITS], false);
      k++;
    }
  tl_status_drop(st);
  if (with_derivatives) {
    control(compiler, work, VJP, TL_OP_MULTIPLY, "tlh_multiply(", "tlh_add(");
    control(compiler, work, JVP, TL_OP_MULTIPLY, "tlh_multiply(", "tlh_add(");
    control(compiler, work, VMAP, TL_OP_SUBTRACT, "tlh_subtract(", "tlh_add(");
    for (transform by = VJP; by < N_TRANSFORMS; by++)
      printf("%s: %zu made, %zu refused; ", transforms[by], n_made[by], n_not_made[by]);
  } else {
    control(compiler, work, ITSELF, TL_OP_SUBTRACT, "tlh_subtract(", "tlh_add(");
  }
  for (size_t i = 0; i < N_UNITS; i++) {
    size += units[i].len;
    tl_buf_deinit(&units[i]);
    if (libraries[i]) dlclose(libraries[i]);
  }
  printf("%zu programs, %zu printed, %zu refused by name, %zu bytes of C; %zu failures\n",
         n_programs, n_printed, n_refused, size, failures);
  while (first) { // a sample lies before what was made of it
    program *next = first->next;
    if (first->by == ITSELF) {
      tl_module_destroy(first->s.module);
      tl_arena_destroy(first->s.arena);
    }
    free(first);
    first = next;
  }
  tl_arena_destroy(texts);
  return failures != 0;
}
