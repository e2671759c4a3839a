// objectives_test CASES [DEVICE ...]: the objectives of examples/objectives, traced, differentiated
// and run through the C API on each device (native and ref, where none is named), against what JAX
// computed of them (tests/oracle/ad_objectives.py wrote CASES).
//
// Every result must be within the tolerance of its order, over its largest entry. Two controls
// follow each check: one element of a result moved by twice the tolerance must be refused, and so
// must what the program gives for an argument that is moved.
#include "base/file.h"

#include "objective_cases.h"

enum { MAX_DEVICES = 4 };

// Values and first derivatives: the same operations, sums in another order. Second order: terms
// that cancel are larger than what is left of them.
static const double tolerances[3] = {1e-12, 1e-12, 1e-10};

typedef struct tally {
  const char *devices[MAX_DEVICES];
  size_t n_devices, checks, wrong;
  double worst[3];
} tally;

// How often the chain differentiates, 2 at most.
static int check_order(const check *c) {
  int order = 0;
  for (tl_str chain = c->chain; chain.len;) {
    tl_str step = until(&chain, '>');
    const tl_str what = until(&step, ':');
    order += tl_str_is(what, "hessian") || tl_str_is(what, "hvp") ? 2
             : tl_str_is(what, "vmap") || tl_str_is(what, "-")    ? 0
                                                                  : 1;
  }
  return TL_MIN(order, 2);
}

static void say(tally *t, const check *c, const char *device, const char *what) {
  printf(TL_STR_FMT " " TL_STR_FMT " " TL_STR_FMT ", %s: %s\n", TL_STR_ARG(c->objective),
         TL_STR_ARG(c->label), TL_STR_ARG(c->name), device, what);
  t->wrong++;
}

static tl_status run(tl_arena *a, tl_program *p, const char *device, const check *c,
                     const value *in, double *got[]) {
  tl_array ins[MAX_IN], outs[MAX_OUT];
  for (size_t i = 0; i < c->n_in; i++)
    ins[i] = (tl_array){.data = in[i].data,
                        .size = in[i].size,
                        .dims = in[i].dims,
                        .rank = in[i].rank,
                        .dtype = "f64"};
  for (size_t i = 0; i < c->n_out; i++) {
    got[i] = tl_arena_alloc(a, c->out[i].size, 64);
    if (!got[i]) return TL_OOM();
    outs[i] = (tl_array){.data = got[i],
                         .size = c->out[i].size,
                         .dims = c->out[i].dims,
                         .rank = c->out[i].rank,
                         .dtype = "f64"};
  }
  return tl_program_run_on(p, &(tl_run_options){.device = device}, ins, (uint32_t)c->n_in, outs,
                           (uint32_t)c->n_out);
}

static double worst_of(const check *c, double *const got[]) {
  double worst = 0;
  for (size_t i = 0; i < c->n_out; i++)
    worst = fmax(worst, error_of(&c->out[i], got[i]));
  return worst;
}

// An element of each result in turn, moved by twice the tolerance.
static bool moved_results_are_refused(const check *c, double *const got[], double tolerance) {
  for (size_t i = 0; i < c->n_out; i++) {
    double largest = 0;
    for (size_t k = 0; k < c->out[i].n; k++)
      largest = fmax(largest, fabs(((const double *)c->out[i].data)[k]));
    const size_t k = c->out[i].n / 2;
    const double was = got[i][k], y = ((const double *)c->out[i].data)[k];
    got[i][k] = y + 2 * tolerance * (largest > 0 ? largest : 1);
    const bool refused = error_of(&c->out[i], got[i]) > tolerance;
    got[i][k] = was;
    if (!refused) return false;
  }
  return true;
}

// The first argument, by which everything is differentiated, moved in its every element.
static tl_status moved_argument(tl_arena *a, tl_program *p, const char *device, const check *c,
                                double *out_error) {
  value in[MAX_IN];
  double *got[MAX_OUT];
  memcpy(in, c->in, sizeof in);
  if (!(in[0].data = tl_arena_alloc(a, c->in[0].size, 64))) return TL_OOM();
  for (size_t i = 0; i < in[0].n; i++)
    ((double *)in[0].data)[i] = ((const double *)c->in[0].data)[i] * (1 + 1e-6) + 1e-6;
  TL_TRY(run(a, p, device, c, in, got));
  *out_error = worst_of(c, got);
  return TL_OK;
}

static tl_status one_check(void *ctx, tl_arena *a, const check *c) {
  tally *t = ctx;
  tl_program *p = NULL;
  const int order = check_order(c);
  tl_status st = check_program(c, &p);
  if (st) say(t, c, "tracing", tl_status_message(st));
  for (size_t d = 0; !st && d < t->n_devices; d++) {
    double *got[MAX_OUT], error = 0, moved = 0;
    char text[128];
    tl_arena_point mark = tl_arena_mark(a);
    t->checks++;
    st = run(a, p, t->devices[d], c, c->in, got);
    if (!st) error = worst_of(c, got);
    if (!st) st = moved_argument(a, p, t->devices[d], c, &moved);
    if (st) {
      say(t, c, t->devices[d], tl_status_message(st));
      break;
    }
    t->worst[order] = fmax(t->worst[order], error);
    snprintf(text, sizeof text, "error %.2g over the largest entry, wanted %.2g", error,
             tolerances[order]);
    if (!(error <= tolerances[order])) say(t, c, t->devices[d], text);
    if (!moved_results_are_refused(c, got, tolerances[order]))
      say(t, c, t->devices[d], "a moved result passes");
    if (!(moved > tolerances[order])) say(t, c, t->devices[d], "a moved argument changes nothing");
    tl_arena_rewind(a, mark);
  }
  tl_status_drop(st);
  tl_program_release(p);
  return TL_OK;
}

int main(int argc, char **argv) {
  tally t = {.devices = {"native", "ref"}, .n_devices = 2};
  tl_buf text = {0};
  if (argc < 2 || argc - 2 > MAX_DEVICES) {
    fprintf(stderr, "usage: objectives_test CASES [DEVICE ...]\n");
    return 2;
  }
  if (argc > 2) t.n_devices = 0;
  for (int i = 2; i < argc; i++)
    t.devices[t.n_devices++] = argv[i];
  tl_status st = tl_file_read(argv[1], (size_t)1 << 30, &text);
  if (!st) st = each_check(tl_buf_view(&text), one_check, &t);
  if (st) fprintf(stderr, "%s\n", tl_status_message(st));
  printf("%zu checks on %zu devices, %zu wrong; greatest error over the largest entry %.1e of "
         "values, %.1e of first and %.1e of second derivatives\n",
         t.checks, t.n_devices, t.wrong, t.worst[0], t.worst[1], t.worst[2]);
  const bool failed = st || t.wrong || t.checks == 0;
  tl_status_drop(st);
  tl_buf_deinit(&text);
  return failed;
}
