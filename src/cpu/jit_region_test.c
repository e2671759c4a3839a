// Loops as one function of machine code: the results are the interpreter's by bits, and what must
// become code does.
#include "cpu/testing_programs.h"

#include <unistd.h>

#include "cpu/jit.h"
#include "cpu/jit_cache.h"

// One thread, nothing divided for the sake of tests. `narrow` is without AVX-512.
static tl_cpu *compiled, *narrow, *plain;
static char cache_dir[] = "/tmp/tlaloc-regions-XXXXXX";

// --- one program ---

typedef struct counts {
  size_t loops, as_code;
} counts;

static counts count_loops(const tl_cpu_exe *exe) {
  counts n = {0};
  for (uint32_t i = 0; i < exe->n_steps; i++) {
    const plan_step *s = &exe->steps[i];
    if (s->kind != TL_STEP_WHILE) continue;
    n.loops++;
    n.as_code += s->code != NULL;
    if (s->code) i = s->body[s->n_body] - 1; // those in it are of the same function
  }
  return n;
}

static void run_on(test_run *t, tl_cpu *cpu, tl_module *m, const char *name, counts *out) {
  tl_cpu_exe *exe = NULL;
  tl_status st = test_compile(cpu, m, &exe);
  if (st) test_say(t, "%s: compile: %s", name, tl_status_message(st));
  tl_status_drop(st);
  if (!exe) return;
  *out = count_loops(exe);
  test_run_native(t, exe, name, true);
  if (!t->failure[0]) test_run_native(t, exe, name, false);
  test_exe_release(exe);
}

// As code and by steps; empty where both give what the interpreter gives.
static counts run_both(test_run *t, tl_module *m) {
  counts n = {0}, none = {0};
  if (!t->failure[0]) run_on(t, compiled, m, "as code", &n);
  if (!t->failure[0]) run_on(t, narrow, m, "as code of AVX2", &(counts){0});
  if (!t->failure[0]) run_on(t, plain, m, "by steps", &none);
  if (!t->failure[0] && none.as_code) test_say(t, "code where none was wanted");
  return n;
}

static bool module_is_there(void) { return jit_count().loaded; }

// `text` must be code as a whole, where there is any.
static void same_bits(const char *text, uint64_t seed) {
  tl_module *m = test_parse(text);
  test_rng r = {seed};
  test_run t;
  test_run_begin(&t, m->first, &r);
  const counts n = run_both(&t, m);
  if (!t.failure[0] && module_is_there() && n.as_code != n.loops)
    test_say(&t, "%zu of %zu loops are code", n.as_code, n.loops);
  if (t.failure[0]) {
    test_print(m);
    fail_msg("%s", t.failure);
  }
  test_run_end(&t);
  tl_module_destroy(m);
}

// --- by hand ---

#define BEGIN                                             \
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n" \
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n"  \
  "  %end = stablehlo.constant dense<%END%> : tensor<i32>\n"
#define COND(i, end)                                                                      \
  "  cond {\n"                                                                            \
  "    %go" i " = stablehlo.compare LT, %" i ", " end " : (tensor<i32>, tensor<i32>) -> " \
  "tensor<i1>\n"                                                                          \
  "    stablehlo.return %go" i " : tensor<i1>\n"                                          \
  "  } do {\n"                                                                            \
  "    %next" i " = stablehlo.add %" i ", %one : tensor<i32>\n"

static const char *const programs[] = {
    // A loop in a loop whose bound is the outer's counter; sums that are carried through both.
    "func.func @main(%x: tensor<f64>, %y: tensor<3xf64>) -> (tensor<i32>, tensor<f64>, "
    "tensor<3xf64>) {\n" BEGIN
    "  %r:3 = stablehlo.while(%i = %zero, %a = %x, %v = %y) : tensor<i32>, tensor<f64>, "
    "tensor<3xf64>\n" COND(
        "i", "%end") "    %q:3 = stablehlo.while(%j = %zero, %b = %a, %w = %v) : tensor<i32>, "
                     "tensor<f64>, "
                     "tensor<3xf64>\n" COND(
                         "j", "%i") "      %c = stablehlo.multiply %b, %x : tensor<f64>\n"
                                    "      %d = stablehlo.sine %c : tensor<f64>\n"
                                    "      %s = stablehlo.broadcast_in_dim %d, dims = [] : "
                                    "(tensor<f64>) -> tensor<3xf64>\n"
                                    "      %u = stablehlo.add %w, %s : tensor<3xf64>\n"
                                    "      stablehlo.return %nextj, %d, %u : tensor<i32>, "
                                    "tensor<f64>, tensor<3xf64>\n    }\n"
                                    "    %e = stablehlo.add %q#1, %a : tensor<f64>\n"
                                    "    stablehlo.return %nexti, %e, %q#2 : tensor<i32>, "
                                    "tensor<f64>, tensor<3xf64>\n  }\n"
                                    "  return %r#0, %r#1, %r#2 : tensor<i32>, tensor<f64>, "
                                    "tensor<3xf64>\n}\n",
    // A branch by an index that also lies outside of the branches on both sides, one that hands
    // values on in another order, and one in it by a predicate.
    "func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) "
    "{\n" BEGIN "  %two = stablehlo.constant dense<2> : tensor<i32>\n"
    "  %r:3 = stablehlo.while(%i = %zero, %a = %x, %b = %y) : tensor<i32>, tensor<2xf32>, "
    "tensor<2xf32>\n" COND(
        "i", "%end") "    %k = stablehlo.subtract %i, %two : tensor<i32>\n"
                     "    %q:2 = \"stablehlo.case\"(%k) ({\n"
                     "      \"stablehlo.return\"(%b, %a) : (tensor<2xf32>, tensor<2xf32>) -> ()\n"
                     "    }, {\n"
                     "      %c = stablehlo.add %a, %b : tensor<2xf32>\n"
                     "      \"stablehlo.return\"(%c, %b) : (tensor<2xf32>, tensor<2xf32>) -> ()\n"
                     "    }, {\n"
                     "      %p = stablehlo.compare EQ, %k, %two : (tensor<i32>, tensor<i32>) -> "
                     "tensor<i1>\n"
                     "      %d = \"stablehlo.if\"(%p) ({\n"
                     "        %e = stablehlo.negate %a : tensor<2xf32>\n"
                     "        \"stablehlo.return\"(%e) : (tensor<2xf32>) -> ()\n"
                     "      }, {\n"
                     "        %e = stablehlo.exponential %a : tensor<2xf32>\n"
                     "        \"stablehlo.return\"(%e) : (tensor<2xf32>) -> ()\n"
                     "      }) : (tensor<i1>) -> tensor<2xf32>\n"
                     "      \"stablehlo.return\"(%d, %a) : (tensor<2xf32>, tensor<2xf32>) -> ()\n"
                     "    }) : (tensor<i32>) -> (tensor<2xf32>, tensor<2xf32>)\n"
                     "    stablehlo.return %nexti, %q#0, %q#1 : tensor<i32>, tensor<2xf32>, "
                     "tensor<2xf32>\n  }\n"
                     "  return %r#1, %r#2 : tensor<2xf32>, tensor<2xf32>\n}\n",
    // A stack that is written row by row and read one row behind, its start indices clamped; and a
    // result that is donated.
    "func.func @main(%x: tensor<5xf32>, %s: tensor<6x5xf32> {tf.aliasing_output = 1 : i32}) -> "
    "(tensor<5xf32>, tensor<6x5xf32>) {\n" BEGIN
    "  %r:3 = stablehlo.while(%i = %zero, %a = %x, %t = %s) : tensor<i32>, tensor<5xf32>, "
    "tensor<6x5xf32>\n" COND(
        "i",
        "%end") "    %k = stablehlo.subtract %i, %one : tensor<i32>\n"
                "    %o = stablehlo.dynamic_slice %t, %k, %zero, sizes = [1, 5] : "
                "(tensor<6x5xf32>, "
                "tensor<i32>, tensor<i32>) -> tensor<1x5xf32>\n"
                "    %f = stablehlo.reshape %o : (tensor<1x5xf32>) -> tensor<5xf32>\n"
                "    %b = stablehlo.subtract %f, %a : tensor<5xf32>\n"
                "    %g = stablehlo.reshape %b : (tensor<5xf32>) -> tensor<1x5xf32>\n"
                "    %u = stablehlo.dynamic_update_slice %t, %g, %i, %zero : (tensor<6x5xf32>, "
                "tensor<1x5xf32>, tensor<i32>, tensor<i32>) -> tensor<6x5xf32>\n"
                "    stablehlo.return %nexti, %b, %u : tensor<i32>, tensor<5xf32>, "
                "tensor<6x5xf32>\n  }\n"
                "  return %r#1, %r#2 : tensor<5xf32>, tensor<6x5xf32>\n}\n",
    // Three values in a ring and a fourth that one of them is copied to.
    "func.func @main(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<7xf32>, %w: tensor<7xf32>) -> "
    "(tensor<f32>, tensor<f32>, tensor<f32>, tensor<7xf32>, tensor<7xf32>) {\n" BEGIN
    "  %r:6 = stablehlo.while(%i = %zero, %a = %x, %b = %y, %c = %x, %v = %z, %u = %w) : "
    "tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<7xf32>, tensor<7xf32>\n" COND(
        "i",
        "%end") "    %m = stablehlo.negate %v : tensor<7xf32>\n"
                "    stablehlo.return %nexti, %b, %c, %a, %u, %m : tensor<i32>, tensor<f32>, "
                "tensor<f32>, "
                "tensor<f32>, tensor<7xf32>, tensor<7xf32>\n  }\n"
                "  return %r#1, %r#2, %r#3, %r#4, %r#5 : tensor<f32>, tensor<f32>, tensor<f32>, "
                "tensor<7xf32>, tensor<7xf32>\n}\n",
    // Products of one term, added as they are and transposed, and alone; zeros of both signs.
    "func.func @main(%x: tensor<5xf32>, %y: tensor<17xf32>) -> (tensor<5x17xf32>, "
    "tensor<17x5xf32>, tensor<5x17xf32>) {\n" BEGIN
    "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %a0 = stablehlo.constant dense<-0.0> : tensor<5x17xf32>\n"
    "  %b0 = stablehlo.constant dense<-0.0> : tensor<17x5xf32>\n"
    "  %r:4 = stablehlo.while(%i = %zero, %a = %a0, %b = %b0, %c = %a0) : tensor<i32>, "
    "tensor<5x17xf32>, tensor<17x5xf32>, tensor<5x17xf32>\n" COND(
        "i", "%end") "    %k = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>\n"
                     "    %kk = stablehlo.broadcast_in_dim %k, dims = [] : (tensor<f32>) -> "
                     "tensor<5xf32>\n"
                     "    %w = stablehlo.multiply %x, %kk : tensor<5xf32>\n"
                     "    %d = stablehlo.dot_general %w, %y, contracting_dims = [] x [] : "
                     "(tensor<5xf32>, "
                     "tensor<17xf32>) -> tensor<5x17xf32>\n"
                     "    %e = stablehlo.add %a, %d : tensor<5x17xf32>\n"
                     "    %f = stablehlo.dot_general %w, %y, contracting_dims = [] x [] : "
                     "(tensor<5xf32>, "
                     "tensor<17xf32>) -> tensor<5x17xf32>\n"
                     "    %g = stablehlo.transpose %f, dims = [1, 0] : (tensor<5x17xf32>) -> "
                     "tensor<17x5xf32>\n"
                     "    %h = stablehlo.add %b, %g : tensor<17x5xf32>\n"
                     "    %u = stablehlo.reshape %w : (tensor<5xf32>) -> tensor<1x5xf32>\n"
                     "    %v = stablehlo.reshape %y : (tensor<17xf32>) -> tensor<17x1xf32>\n"
                     "    %t = stablehlo.dot_general %u, %v, contracting_dims = [0] x [1] : "
                     "(tensor<1x5xf32>, "
                     "tensor<17x1xf32>) -> tensor<5x17xf32>\n"
                     "    %s = stablehlo.add %t, %c : tensor<5x17xf32>\n"
                     "    %m = stablehlo.maximum %t, %s : tensor<5x17xf32>\n"
                     "    stablehlo.return %nexti, %e, %h, %m : tensor<i32>, tensor<5x17xf32>, "
                     "tensor<17x5xf32>, tensor<5x17xf32>\n  }\n"
                     "  return %r#1, %r#2, %r#3 : tensor<5x17xf32>, tensor<17x5xf32>, "
                     "tensor<5x17xf32>\n}\n",
    // A step that has no form: a sort, called from the function, whose bytes both sides must see.
    "func.func @main(%x: tensor<9xf32>) -> tensor<9xf32> {\n" BEGIN
    "  %r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<9xf32>\n" COND(
        "i",
        "%end") "    %b = stablehlo.sine %a : tensor<9xf32>\n"
                "    %s = \"stablehlo.sort\"(%b) <{dimension = 0 : i64, is_stable = true}> ({\n"
                "    ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n"
                "      %l = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> "
                "tensor<i1>\n"
                "      stablehlo.return %l : tensor<i1>\n    }) : (tensor<9xf32>) -> "
                "tensor<9xf32>\n"
                "    %c = stablehlo.subtract %s, %a : tensor<9xf32>\n"
                "    stablehlo.return %nexti, %c : tensor<i32>, tensor<9xf32>\n  }\n"
                "  return %r#1 : tensor<9xf32>\n}\n",
    // Gates as of a recurrent network: products of a vector, slices, functions, a stack.
    "func.func @main(%x: tensor<9x8xf32>, %w: tensor<16x24xf32>, %v: tensor<24x16xf32>) -> "
    "(tensor<16xf32>, tensor<9x16xf32>) {\n" BEGIN
    "  %z = stablehlo.constant dense<0.0> : tensor<16xf32>\n"
    "  %zz = stablehlo.constant dense<0.0> : tensor<9x16xf32>\n"
    "  %r:3 = stablehlo.while(%i = %zero, %h = %z, %t = %zz) : tensor<i32>, tensor<16xf32>, "
    "tensor<9x16xf32>\n" COND(
        "i",
        "%end") "    %o = stablehlo.dynamic_slice %x, %i, %zero, sizes = [1, 8] : "
                "(tensor<9x8xf32>, "
                "tensor<i32>, tensor<i32>) -> tensor<1x8xf32>\n"
                "    %f = stablehlo.reshape %o : (tensor<1x8xf32>) -> tensor<8xf32>\n"
                "    %g = stablehlo.concatenate %f, %f, %f, dim = 0 : (tensor<8xf32>, "
                "tensor<8xf32>, "
                "tensor<8xf32>) -> tensor<24xf32>\n"
                "    %d = stablehlo.dot_general %h, %w, contracting_dims = [0] x [0] : "
                "(tensor<16xf32>, "
                "tensor<16x24xf32>) -> tensor<24xf32>\n"
                "    %e = stablehlo.add %d, %g : tensor<24xf32>\n"
                "    %k = stablehlo.tanh %e : tensor<24xf32>\n"
                "    %l = stablehlo.dot_general %k, %v, contracting_dims = [0] x [0] : "
                "(tensor<24xf32>, "
                "tensor<24x16xf32>) -> tensor<16xf32>\n"
                "    %p = stablehlo.logistic %l : tensor<16xf32>\n"
                "    %q = stablehlo.reshape %p : (tensor<16xf32>) -> tensor<1x16xf32>\n"
                "    %u = stablehlo.dynamic_update_slice %t, %q, %i, %zero : (tensor<9x16xf32>, "
                "tensor<1x16xf32>, tensor<i32>, tensor<i32>) -> tensor<9x16xf32>\n"
                "    stablehlo.return %nexti, %p, %u : tensor<i32>, tensor<16xf32>, "
                "tensor<9x16xf32>\n  }\n"
                "  return %r#1, %r#2 : tensor<16xf32>, tensor<9x16xf32>\n}\n",
};

static char *replaced(const char *text, const char *what, const char *by) {
  tl_buf out = {0};
  const size_t len = strlen(what);
  for (; *text; text++) {
    if (strncmp(text, what, len) != 0) {
      tl_buf_char(&out, *text);
      continue;
    }
    tl_buf_cstr(&out, by);
    text += len - 1;
  }
  tl_buf_char(&out, 0);
  assert_false(out.oom);
  return out.ptr;
}

static void by_hand(void **state) {
  (void)state;
  static const char *const ends[] = {"0", "1", "7", "-3"};
  for (size_t i = 0; i < TL_COUNT(programs); i++)
    for (size_t k = 0; k < TL_COUNT(ends); k++) {
      char *text = replaced(programs[i], "%END%", ends[k]);
      same_bits(text, i * 8 + k + 1);
      free(text);
    }
}

// --- every type, every size ---

// %N% elements of %T%: arithmetic, comparison, choice, a reversal, slices; of a matrix a transpose.
static const char elements[] =
    "func.func @main(%x: tensor<%N%x%T%>, %y: tensor<%N%x%T%>, %m: tensor<%N%x%N%x%T%>) -> "
    "(tensor<%N%x%T%>, tensor<%N%x%T%>, tensor<%N%x%N%x%T%>) {\n"
    "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %end = stablehlo.constant dense<4> : tensor<i32>\n"
    "  %r:4 = stablehlo.while(%i = %zero, %a = %x, %b = %y, %c = %m) : tensor<i32>, "
    "tensor<%N%x%T%>, tensor<%N%x%T%>, tensor<%N%x%N%x%T%>\n" COND(
        "i",
        "%end") "    %d = stablehlo.add %a, %b : tensor<%N%x%T%>\n"
                "    %e = stablehlo.multiply %d, %a : tensor<%N%x%T%>\n"
                "    %p = stablehlo.compare GT, %a, %b : (tensor<%N%x%T%>, tensor<%N%x%T%>) -> "
                "tensor<%N%xi1>\n"
                "    %f = stablehlo.select %p, %e, %b : tensor<%N%xi1>, tensor<%N%x%T%>\n"
                "    %g = stablehlo.reverse %f, dims = [0] : tensor<%N%x%T%>\n"
                "    %h = stablehlo.transpose %c, dims = [1, 0] : (tensor<%N%x%N%x%T%>) -> "
                "tensor<%N%x%N%x%T%>\n"
                "    %k = stablehlo.broadcast_in_dim %g, dims = [0] : (tensor<%N%x%T%>) -> "
                "tensor<%N%x%N%x%T%>\n"
                "    %l = stablehlo.maximum %h, %k : tensor<%N%x%N%x%T%>\n"
                "    stablehlo.return %nexti, %b, %g, %l : tensor<i32>, tensor<%N%x%T%>, "
                "tensor<%N%x%T%>, "
                "tensor<%N%x%N%x%T%>\n  }\n"
                "  return %r#1, %r#2, %r#3 : tensor<%N%x%T%>, tensor<%N%x%T%>, "
                "tensor<%N%x%N%x%T%>\n}\n";

// Sums, maxima and products of matrices with vectors, both ways.
static const char reductions[] =
    "func.func @main(%x: tensor<%N%x%T%>, %m: tensor<%N%x%N%x%T%>) -> (tensor<%N%x%T%>, "
    "tensor<%T%>, tensor<%T%>) {\n"
    "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %end = stablehlo.constant dense<3> : tensor<i32>\n"
    "  %z = stablehlo.constant dense<0> : tensor<i8>\n"
    "  %z0 = stablehlo.convert %z : (tensor<i8>) -> tensor<%T%>\n"
    "  %r:4 = stablehlo.while(%i = %zero, %a = %x, %s = %z0, %t = %z0) : tensor<i32>, "
    "tensor<%N%x%T%>, tensor<%T%>, tensor<%T%>\n" COND(
        "i", "%end") "    %b = stablehlo.dot_general %a, %m, contracting_dims = [0] x [0] : "
                     "(tensor<%N%x%T%>, "
                     "tensor<%N%x%N%x%T%>) -> tensor<%N%x%T%>\n"
                     "    %c = stablehlo.dot_general %m, %b, contracting_dims = [1] x [0] : "
                     "(tensor<%N%x%N%x%T%>, tensor<%N%x%T%>) -> tensor<%N%x%T%>\n"
                     "    %d = stablehlo.reduce(%c init: %s) applies stablehlo.add across "
                     "dimensions = [0] : "
                     "(tensor<%N%x%T%>, tensor<%T%>) -> tensor<%T%>\n"
                     "    %e = stablehlo.reduce(%m init: %z0) applies stablehlo.add across "
                     "dimensions = [1] : "
                     "(tensor<%N%x%N%x%T%>, tensor<%T%>) -> tensor<%N%x%T%>\n"
                     "    %f = stablehlo.reduce(%m init: %z0) applies stablehlo.add across "
                     "dimensions = [0] : "
                     "(tensor<%N%x%N%x%T%>, tensor<%T%>) -> tensor<%N%x%T%>\n"
                     "    %g = stablehlo.reduce(%m init: %t) applies stablehlo.maximum across "
                     "dimensions = [0, 1] "
                     ": (tensor<%N%x%N%x%T%>, tensor<%T%>) -> tensor<%T%>\n"
                     "    %h = stablehlo.add %e, %f : tensor<%N%x%T%>\n"
                     "    %k = stablehlo.subtract %h, %c : tensor<%N%x%T%>\n"
                     "    stablehlo.return %nexti, %k, %d, %g : tensor<i32>, tensor<%N%x%T%>, "
                     "tensor<%T%>, "
                     "tensor<%T%>\n  }\n"
                     "  return %r#1, %r#2, %r#3 : tensor<%N%x%T%>, tensor<%T%>, tensor<%T%>\n}\n";

static void of_type(const char *text, const char *type, uint32_t size) {
  char n[16];
  snprintf(n, sizeof n, "%u", size);
  char *typed = replaced(text, "%T%", type), *sized = replaced(typed, "%N%", n);
  same_bits(sized, size);
  free(sized);
  free(typed);
}

static void types_and_sizes(void **state) {
  (void)state;
  static const char *const types[] = {"f32", "f64", "bf16", "f16",  "i8",   "i16", "i32",
                                      "i64", "ui8", "ui16", "ui32", "ui64", "i1",  "f8E4M3FN"};
  static const uint32_t few[] = {1, 5, 17}, many[] = {0, 1, 2, 3, 4, 7, 8, 9, 16, 31, 33, 70};
  for (size_t t = 0; t < TL_COUNT(types); t++) {
    const bool all = t < 2; // the types that are computed in
    for (size_t k = 0; k < (all ? TL_COUNT(many) : TL_COUNT(few)); k++) {
      of_type(elements, types[t], all ? many[k] : few[k]);
      if (strcmp(types[t], "i1") != 0) of_type(reductions, types[t], all ? many[k] : few[k]);
    }
  }
}

// --- random programs ---

static bool program_agrees(uint64_t seed, uint32_t n_ops, bool show, counts *sum) {
  tl_module *m = gen_module(seed, n_ops);
  test_run t;
  test_rng r = {seed ^ 0x7777};
  test_run_begin(&t, tl_module_find(m, TL_STR("main")), &r);
  const counts n = run_both(&t, m);
  sum->loops += n.loops, sum->as_code += n.as_code;
  const bool good = !t.failure[0];
  if (!good && show) {
    fprintf(stderr, "seed %llu, %u ops: %s\n", (unsigned long long)seed, n_ops, t.failure);
    test_print(m);
  }
  test_run_end(&t);
  tl_module_destroy(m);
  return good;
}

static bool has_loop(uint64_t seed, uint32_t n_ops) {
  tl_module *m = gen_module(seed, n_ops);
  bool any = false;
  for (const tl_func *f = m->first; f; f = f->next)
    for (const tl_op *op = f->body->first; op; op = op->next)
      any |= op->code == TL_OP_WHILE;
  tl_module_destroy(m);
  return any;
}

// TLALOC_TEST_SEED=n runs that program alone; TLALOC_TEST_PROGRAMS sets how many have loops.
static void random_programs(void **state) {
  (void)state;
  const char *alone = getenv("TLALOC_TEST_SEED"), *many = getenv("TLALOC_TEST_PROGRAMS");
  uint64_t seed = alone ? strtoull(alone, NULL, 10) : 1,
           left = many ? strtoull(many, NULL, 10) : 40;
  counts sum = {0};
  for (left = alone ? 1 : left; left > 0; seed++) {
    const uint32_t n_ops = 6 + (uint32_t)(seed % 25);
    if (!alone && !has_loop(seed, n_ops)) continue;
    left--;
    if (program_agrees(seed, n_ops, false, &sum)) continue;
    for (uint32_t fewer = 0; fewer <= n_ops; fewer++) // the shortest beginning that fails
      if (!program_agrees(seed, fewer, false, &sum)) {
        program_agrees(seed, fewer, true, &sum);
        fail_msg("seed %llu", (unsigned long long)seed);
      }
  }
  if (module_is_there() && !alone && sum.as_code * 2 < sum.loops)
    fail_msg("%zu of %zu loops are code", sum.as_code, sum.loops);
}

// --- what must be seen ---

// Of two programs that differ in one iteration the code of one is not the result of the other.
static void a_difference_is_seen(void **state) {
  (void)state;
  char *a = replaced(programs[0], "%END%", "6"), *b = replaced(programs[0], "%END%", "7");
  tl_module *m = test_parse(a), *other = test_parse(b);
  test_rng r = {3};
  test_run t;
  test_run_begin(&t, m->first, &r);
  run_both(&t, m);
  assert_string_equal(t.failure, "");
  counts n;
  run_on(&t, compiled, other, "as code", &n);
  assert_true(t.failure[0] != 0);
  test_run_end(&t);
  tl_module_destroy(m), tl_module_destroy(other);
  free(a), free(b);
}

// What fails in a loop ends it, with the same words.
static void failures(void **state) {
  (void)state;
  static const char text[] =
      "func.func @main(%x: tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>) {\n"
      "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
      "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
      "  %end = stablehlo.constant dense<1000000000> : tensor<i32>\n"
      "  %r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<2xf32>\n" COND(
          "i", "%end") "    stablehlo.custom_call @check.expect_eq(%i, %zero) {has_side_effect = "
                       "true} : "
                       "(tensor<i32>, tensor<i32>) -> ()\n"
                       "    %b = stablehlo.add %a, %a : tensor<2xf32>\n"
                       "    stablehlo.return %nexti, %b : tensor<i32>, tensor<2xf32>\n  }\n"
                       "  return %r#0, %r#1 : tensor<i32>, tensor<2xf32>\n}\n";
  tl_module *m = test_parse(text);
  char *said[2] = {NULL, NULL};
  for (int k = 0; k < 2; k++) {
    tl_cpu_exe *exe = NULL;
    assert_ok(test_compile(k ? plain : compiled, m, &exe));
    if (k == 0 && module_is_there()) assert_int_equal(count_loops(exe).as_code, 1);
    float x[16] = {1, 2}, y[16];
    int32_t i[16];
    tl_status st = tl_cpu_execute(exe, (const void *const[]){x}, (void *const[]){i, y});
    assert_non_null(st);
    said[k] = strdup(tl_status_message(st));
    tl_status_drop(st);
    test_exe_release(exe);
  }
  assert_string_equal(said[0], said[1]);
  free(said[0]), free(said[1]);
  tl_module_destroy(m);
}

// A program's code is found again, in the process and on disk.
static void code_is_kept(void **state) {
  (void)state;
  char *text = replaced(programs[0], "%END%", "5");
  tl_module *m = test_parse(text);
  tl_cpu_exe *first = NULL, *second = NULL;
  assert_ok(test_compile(compiled, m, &first));
  const jit_counts before = jit_count();
  assert_ok(test_compile(compiled, m, &second));
  if (module_is_there()) assert_true(jit_count().shared > before.shared);
  assert_int_equal(jit_count().compiled, before.compiled);
  test_exe_release(first);
  test_exe_release(second);
  first = NULL;
  assert_ok(test_compile(compiled, m, &first));
  if (module_is_there()) assert_true(jit_count().read > before.read);
  assert_int_equal(jit_count().compiled, before.compiled);
  test_exe_release(first);
  tl_module_destroy(m);
  free(text);
}

static int begin(void **state) {
  (void)state;
  assert_non_null(mkdtemp(cache_dir));
  setenv("TLALOC_CACHE_DIR", cache_dir, 1);
  assert_ok(tl_cpu_create(&(tl_cpu_options){.n_threads = 1, .jit = TL_CPU_JIT_ALWAYS}, &compiled));
  assert_ok(tl_cpu_create(&(tl_cpu_options){.n_threads = 1, .jit = TL_CPU_JIT_ALWAYS}, &narrow));
  narrow->isa &= TL_ISA_AVX2 | TL_ISA_FMA | TL_ISA_F16C;
  narrow->kernels = tl_kernels_pick(narrow->isa);
  assert_ok(tl_cpu_create(&(tl_cpu_options){.n_threads = 1, .jit = TL_CPU_JIT_OFF}, &plain));
  return test_devices_create(state);
}

static int end(void **state) {
  tl_cpu_release(compiled);
  tl_cpu_release(narrow);
  tl_cpu_release(plain);
  tl_arena *a = tl_arena_create();
  tl_str *names = NULL;
  size_t n = 0;
  const char *folder = tl_path_join(a, cache_dir, "jit");
  tl_status_drop(tl_dir_list(a, folder, &names, &n));
  for (size_t i = 0; i < n; i++)
    unlink(tl_path_join(a, folder, names[i].ptr));
  rmdir(folder);
  rmdir(cache_dir);
  tl_arena_destroy(a);
  return test_devices_release(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(by_hand),         cmocka_unit_test(types_and_sizes),
      cmocka_unit_test(random_programs), cmocka_unit_test(a_difference_is_seen),
      cmocka_unit_test(failures),        cmocka_unit_test(code_is_kept),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
