// What control flow costs a derivative, and whether regions pay: `bench_phi FILE`, of the
// objectives that tests/oracle/ad_objectives.py recorded.
//
//   loops      a loop of n steps in a gradient as a loop, written out and closed
//   objectives gradients by how many ops a loop may come to when it is written out
//   branches   gradients of chains of choices before and after the rules of branches
//   regions    gradients of programs whose blocks are split into regions of at most 50 ops, each
//              with a gradient of its own (the coarsening of Shen et al., OOPSLA 2021), beside
//              those of the programs as they are
//
// Times are the best of several calls; "made" is differentiating and compiling, in milliseconds.
#include <stdio.h>
#include <stdlib.h>

#include "ad/ad.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "cpu/cpu.h"
#include "ir/build.h"
#include "passes/clone.h"
#include "passes/passes.h"
#include "shlo/shlo.h"

#include "../tests/adbench/objective_cases.h"

enum { REGION = 50, MAX_ARGS = 16 };

static void need(tl_status st) {
  if (st == TL_OK) return;
  fprintf(stderr, "bench_phi: %s\n", tl_status_message(st));
  exit(1);
}

static size_t ops_of(const tl_block *block) {
  size_t n = 0;
  for (const tl_op *op = block->first; op != NULL; op = op->next) {
    n += op->code != TL_OP_CONSTANT && op->code != TL_OP_RETURN;
    for (uint32_t r = 0; r < op->n_regions; r++)
      n += ops_of(op->regions[r]);
  }
  return n;
}

static size_t loops_of(const tl_block *block) {
  size_t n = 0;
  for (const tl_op *op = block->first; op != NULL; op = op->next) {
    n += op->code == TL_OP_WHILE;
    for (uint32_t r = 0; r < op->n_regions; r++)
      n += loops_of(op->regions[r]);
  }
  return n;
}

static tl_module *parsed(tl_str text) {
  tl_diags diags = {0};
  tl_module *m = NULL;
  need(tl_shlo_parse(text, "bench", &diags, &m));
  tl_diags_deinit(&diags);
  return m;
}

static tl_module *passed(tl_module *m, const char *pass) { // takes m
  tl_module *out = NULL;
  need(tl_pass_run(tl_pass_find(tl_str_of(pass)), m, &out));
  tl_module_destroy(m);
  return out;
}

// Function `name` of m alone, public, as @main.
static tl_module *alone(tl_module *m, const tl_func *fn) {
  for (tl_func *f = m->first; f != NULL; f = f->next)
    f->is_private = f != fn;
  m = passed(m, "inline");
  return passed(passed(m, "cse"), "dce");
}

typedef enum { GRADIENT, FORWARD, BATCH } direction;
enum { LANES = 4 };

typedef struct result {
  size_t ops, loops;
  double made_ms, run_us;
} result;

// Takes m, whose one function with floats for its first arguments is differentiated by those.
static result measure(tl_module *m, direction way, int64_t unroll, const void *const *in,
                      const check *c) {
  const double seconds = 0.1;
  result r = {0};
  tl_func *fn = tl_module_find(m, TL_STR("main")), *g = NULL;
  uint32_t wrt[MAX_ARGS], n_wrt = 0;
  for (uint32_t i = 0; i < fn->body->n_args; i++)
    if (tl_dtype_get(fn->body->args[i]->type.dtype)->kind == TL_KIND_FLOAT) wrt[n_wrt++] = i;
  const uint64_t start = tl_now_ns();
  const tl_ad_options o = {.unroll = unroll};
  const int64_t axes[MAX_ARGS] = {0};
  if (way == GRADIENT) need(tl_ad_grad(m, fn, wrt, n_wrt, &o, "derived", &g));
  if (way == FORWARD) need(tl_ad_jvp(m, fn, wrt, n_wrt, &o, "derived", &g));
  if (way == BATCH)
    need(tl_ad_vmap(m, fn, &(tl_vmap_options){.in_axes = axes, .size = LANES, .unroll = unroll},
                    "derived", &g));
  const double ad_ms = (double)(tl_now_ns() - start) * 1e-6;
  m = alone(m, g);
  g = m->first;
  r.ops = ops_of(g->body);
  r.loops = loops_of(g->body);
  void *out[MAX_ARGS];
  for (uint32_t k = 0; k < g->n_results; k++) {
    size_t size = 0;
    if (!tl_type_size(g->result_types[k], &size)) exit(1);
    out[k] = tl_mem_map(size + 64);
    if (out[k] == NULL) need(TL_OOM());
  }
  tl_cpu *cpu = NULL;
  tl_cpu_exe *exe = NULL;
  need(tl_cpu_create(&(tl_cpu_options){.n_threads = 1}, &cpu));
  char *name = tl_arena_printf(m->arena, TL_STR_FMT, TL_STR_ARG(g->name));
  const uint64_t compiles = tl_now_ns();
  need(tl_cpu_compile(cpu, m, tl_str_of(name), &exe));
  r.made_ms = ad_ms + (double)(tl_now_ns() - compiles) * 1e-6;
  r.run_us = 1e300;
  const uint64_t runs = tl_now_ns();
  for (int i = 0; i < 3 || ((double)(tl_now_ns() - runs) < seconds * 1e9 && i < 1000000); i++) {
    const uint64_t t = tl_now_ns();
    need(tl_cpu_execute(exe, in, out));
    r.run_us = TL_MIN(r.run_us, (double)(tl_now_ns() - t) * 1e-3);
  }
  for (uint32_t k = 0; c != NULL && k + 1 < c->n_out; k++) // after the value
    if (!(error_of(&c->out[k + 1], out[k]) <= 1e-8))
      need(TL_ERROR(INTERNAL, "gradient %u is off by %g", k, error_of(&c->out[k + 1], out[k])));
  tl_cpu_exe_release(exe);
  tl_cpu_release(cpu);
  return r;
}

// ---- Loops ----

typedef enum { COMPUTES, READS_SLICES, CLOSES } body_kind;
static const char *const body_names[] = {"written out", "slices, out", "closed"};

// n steps of d [width], by b or, a slice a step, by bs.
static tl_module *loop_of(int width, int n, body_kind kind) {
  char row[32], rows[32], step[512];
  snprintf(row, sizeof row, "tensor<%dxf64>", width);
  snprintf(rows, sizeof rows, "tensor<%dx%dxf64>", n, width);
  if (kind == READS_SLICES)
    snprintf(step, sizeof step,
             "    %%s = stablehlo.dynamic_slice %%b, %%i, %%zero, sizes = [1, %d]\n"
             "      : (%s, tensor<i32>, tensor<i32>) -> tensor<1x%dxf64>\n"
             "    %%u = stablehlo.reshape %%s : (tensor<1x%dxf64>) -> %s\n"
             "    %%w = stablehlo.sine %%d : %s\n    %%z = stablehlo.add %%w, %%u : %s\n",
             width, rows, width, width, row, row, row);
  else if (kind == COMPUTES)
    snprintf(step, sizeof step,
             "    %%w = stablehlo.sine %%d : %s\n    %%z = stablehlo.add %%w, %%b : %s\n", row,
             row);
  else
    snprintf(step, sizeof step,
             "    %%w = stablehlo.multiply %%a, %%d : %s\n    %%z = stablehlo.add %%w, %%b : %s\n",
             row, row);
  tl_buf text = {0};
  tl_buf_printf(
      &text,
      "func.func @main(%%x: %s, %%b: %s) -> tensor<f64> {\n"
      "  %%zero = stablehlo.constant dense<0> : tensor<i32>\n"
      "  %%n = stablehlo.constant dense<%d> : tensor<i32>\n"
      "  %%one = stablehlo.constant dense<1> : tensor<i32>\n"
      "  %%a = stablehlo.constant dense<0.99> : %s\n"
      "  %%r:2 = stablehlo.while(%%i = %%zero, %%d = %%x) : tensor<i32>, %s\n"
      "  cond {\n"
      "    %%go = stablehlo.compare LT, %%i, %%n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "    stablehlo.return %%go : tensor<i1>\n"
      "  } do {\n"
      "    %%j = stablehlo.add %%i, %%one : tensor<i32>\n%s"
      "    stablehlo.return %%j, %%z : tensor<i32>, %s\n"
      "  }\n"
      "  %%s = stablehlo.multiply %%r#1, %%r#1 : %s\n"
      "  %%c = stablehlo.constant dense<0.0> : tensor<f64>\n"
      "  %%sum = stablehlo.reduce(%%s init: %%c) applies stablehlo.add across dimensions = "
      "[0] : (%s, tensor<f64>) -> tensor<f64>\n"
      "  return %%sum : tensor<f64>\n}\n",
      row, kind == READS_SLICES ? rows : row, n, row, row, step, row, row, row);
  tl_module *m = parsed(tl_buf_view(&text));
  tl_buf_deinit(&text);
  return m;
}

static void show(const result *r) { printf("  %5zu %9.1f %8.2f", r->ops, r->run_us, r->made_ms); }

static void loops(direction way) {
  static const int widths[] = {1, 100}, trips[] = {4, 16, 64, 256, 1024};
  static const char *const ways[] = {"gradients", "tangents", "batches"};
  enum { MOST = 1024 * 100 * LANES };
  double *in[2] = {calloc(MOST, sizeof(double)), calloc(MOST, sizeof(double))};
  if (in[0] == NULL || in[1] == NULL) need(TL_OOM());
  const void *const args[4] = {in[0], in[1], in[0], in[1]};
  printf("\n%s of n steps of a vector, as a loop and plainer: ops, run in us, made in ms\n",
         ways[way]);
  printf("%-14s %6s %6s  %5s %9s %8s  %5s %9s %8s\n", "", "vector", "n", "loop", "run", "made",
         "plain", "run", "made");
  for (body_kind kind = COMPUTES; kind <= CLOSES; kind++)
    for (size_t w = 0; w < TL_COUNT(widths); w++)
      for (size_t t = 0; t < TL_COUNT(trips); t++) {
        const int64_t most = kind == CLOSES ? 1 : 1 << 20;
        const result stays = measure(loop_of(widths[w], trips[t], kind), way, -1, args, NULL),
                     goes = measure(loop_of(widths[w], trips[t], kind), way, most, args, NULL);
        printf("%-14s %6d %6d", body_names[kind], widths[w], trips[t]);
        show(&stays);
        show(&goes);
        printf("\n");
      }
  free(in[0]), free(in[1]);
}

// ---- Regions ----

typedef struct splitter {
  tl_module *m;
  tl_op **ops; // [n] of a block, in order
  size_t n;
  uint32_t *region; // [n] of each
  uint32_t n_regions;
} splitter;

static bool uses(const tl_op *op, tl_value v) {
  for (uint32_t i = 0; i < op->n_operands; i++)
    if (op->operands[i] == v) return true;
  return false;
}

// Ops of the list by whether they depend on v.
static size_t depends_on(tl_op *const *list, size_t n, tl_value v, bool *out) {
  size_t some = 0;
  tl_ptr_map reached = {0};
  if (!tl_ptr_map_put(&reached, v, 1)) need(TL_OOM());
  for (size_t i = 0; i < n; i++) {
    out[i] = false;
    for (uint32_t k = 0; k < list[i]->n_operands; k++)
      out[i] |= tl_ptr_map_get(&reached, list[i]->operands[k], NULL);
    for (uint32_t k = 0; out[i] && k < list[i]->n_results; k++)
      if (!tl_ptr_map_put(&reached, list[i]->results[k], 1)) need(TL_OOM());
    some += out[i];
  }
  tl_ptr_map_deinit(&reached);
  return some;
}

// A large leaf is split at the free variable that is read most, the one with the smallest number
// among equals, into what does not depend on it and what does; the first goes before.
static void split(splitter *s, tl_op **list, size_t n) {
  bool *depends = calloc(n + 1, sizeof *depends);
  tl_op **parts = calloc(n + 1, sizeof *parts);
  if (depends == NULL || parts == NULL) need(TL_OOM());
  tl_ptr_map inside = {0}, tried = {0};
  for (size_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < list[i]->n_results; k++)
      if (!tl_ptr_map_put(&inside, list[i]->results[k], 1)) need(TL_OOM());
  bool done = n <= REGION;
  while (!done) {
    tl_value best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < n; i++)
      for (uint32_t k = 0; k < list[i]->n_operands; k++) {
        tl_value v = list[i]->operands[k];
        if (tl_ptr_map_get(&inside, v, NULL) || tl_ptr_map_get(&tried, v, NULL)) continue;
        size_t readers = 0;
        for (size_t j = 0; j < n; j++)
          readers += uses(list[j], v);
        if (readers > most || (readers == most && best != NULL && v->id < best->id))
          best = v, most = readers;
      }
    if (best == NULL) break;
    if (!tl_ptr_map_put(&tried, best, 1)) need(TL_OOM());
    const size_t some = depends_on(list, n, best, depends);
    if (some == 0 || some == n) continue;
    size_t at = 0;
    for (int side = 0; side < 2; side++)
      for (size_t i = 0; i < n; i++)
        if (depends[i] == (side == 1)) parts[at++] = list[i];
    split(s, parts, n - some);
    split(s, parts + (n - some), some);
    done = true;
    n = 0;
  }
  // What cannot be split is cut in order.
  for (size_t i = 0; i < n; i++) {
    if (i % REGION == 0) s->n_regions++;
    s->ops[s->n] = list[i];
    s->region[s->n++] = s->n_regions - 1;
  }
  tl_ptr_map_deinit(&inside);
  tl_ptr_map_deinit(&tried);
  free(depends);
  free(parts);
}

// (cotangents, operands) -> cotangents of the operands, by way of the vjp of fn.
static tl_func *gradient_of_region(tl_module *m, tl_func *fn, uint32_t number) {
  uint32_t wrt[64], n = fn->body->n_args;
  for (uint32_t i = 0; i < n; i++)
    wrt[i] = i;
  tl_func *vjp = NULL;
  char name[32];
  snprintf(name, sizeof name, "region.vjp.%u", number);
  need(tl_ad_vjp(m, fn, wrt, n, NULL, name, &vjp));
  snprintf(name, sizeof name, "region.back.%u", number);
  tl_builder b = tl_func_begin(m, name, true);
  tl_value args[128];
  for (uint32_t k = 0; k < fn->n_results; k++)
    args[n + k] = tl_func_arg(&b, fn->result_types[k]);
  for (uint32_t i = 0; i < n; i++)
    args[i] = tl_func_arg(&b, fn->body->args[i]->type);
  const tl_op *call = tlo_call(&b, vjp, args, n + fn->n_results);
  if (call != NULL) tlo_return(&b, call->results, n);
  tl_func *back = b.fn;
  need(tl_builder_finish(&b));
  return back;
}

// The ops of one region as a function of their own, and in their place an op with its gradient.
static void coarsen(splitter *s, tl_builder *b, tl_env *e, size_t from, size_t to, uint32_t number,
                    const tl_block *block) {
  tl_value in[64], out[64], now[64];
  uint32_t n_in = 0, n_out = 0;
  tl_ptr_map inside = {0};
  for (size_t i = from; i < to; i++)
    for (uint32_t k = 0; k < s->ops[i]->n_results; k++)
      if (!tl_ptr_map_put(&inside, s->ops[i]->results[k], 1)) need(TL_OOM());
  bool fits = true;
  for (size_t i = from; i < to; i++) {
    for (uint32_t k = 0; k < s->ops[i]->n_operands; k++) {
      tl_value v = s->ops[i]->operands[k];
      bool known = tl_ptr_map_get(&inside, v, NULL);
      for (uint32_t j = 0; j < n_in; j++)
        known |= in[j] == v;
      if (known) continue;
      fits &= n_in < 64;
      if (fits) in[n_in++] = v;
    }
    for (uint32_t k = 0; k < s->ops[i]->n_results; k++) {
      bool leaves = uses(block->last, s->ops[i]->results[k]);
      for (size_t j = 0; j < s->n && !leaves; j++)
        leaves = (j < from || j >= to) && uses(s->ops[j], s->ops[i]->results[k]);
      fits &= !leaves || n_out < 64;
      if (leaves && fits) out[n_out++] = s->ops[i]->results[k];
    }
  }
  tl_ptr_map_deinit(&inside);
  bool inexact = false;
  for (uint32_t k = 0; k < n_out; k++)
    inexact |= tl_dtype_get(out[k]->type.dtype)->kind == TL_KIND_FLOAT;
  if (!fits || n_out == 0 || n_in == 0 || to - from < 2 || !inexact) {
    for (size_t i = from; i < to; i++)
      (void)tl_clone(b, e, s->ops[i]);
    return;
  }
  char name[32];
  snprintf(name, sizeof name, "region.%u", number);
  tl_builder f = tl_func_begin(s->m, name, true);
  tl_env inner = {0};
  for (uint32_t i = 0; i < n_in; i++)
    tl_env_put(&f, &inner, in[i], tl_func_arg(&f, in[i]->type));
  for (size_t i = from; i < to; i++)
    (void)tl_clone(&f, &inner, s->ops[i]);
  for (uint32_t k = 0; k < n_out; k++)
    now[k] = tl_env_get(&inner, out[k]);
  tlo_return(&f, now, n_out);
  tl_env_deinit(&inner);
  tl_func *fn = f.fn;
  need(tl_builder_finish(&f));
  tl_func *back = gradient_of_region(s->m, fn, number);
  for (uint32_t i = 0; i < n_in; i++)
    now[i] = tl_env_get(e, in[i]);
  const tl_op *op = tlo_custom(b, fn, back, NULL, now, n_in);
  for (uint32_t k = 0; op != NULL && k < n_out; k++)
    tl_env_put(b, e, out[k], op->results[k]);
}

// Blocks without blocks of their own, from the inside out, in place.
static void split_block(tl_module *m, tl_func *fn, tl_block *block, uint32_t *number) {
  size_t n = 0;
  bool leaf = true;
  for (tl_op *op = block->first; op != NULL; op = op->next, n++) {
    const bool control = op->code == TL_OP_IF || op->code == TL_OP_CASE || op->code == TL_OP_WHILE;
    leaf &= !control;
    for (uint32_t r = op->code == TL_OP_WHILE ? 1 : 0; control && r < op->n_regions; r++)
      split_block(m, fn, op->regions[r], number);
  }
  if (!leaf || n < 3) return;
  tl_op **list = calloc(n, sizeof *list);
  splitter s = {.m = m, .ops = calloc(n, sizeof *s.ops), .region = calloc(n, sizeof *s.region)};
  if (list == NULL || s.ops == NULL || s.region == NULL) need(TL_OOM());
  size_t at = 0;
  for (tl_op *op = block->first; op != block->last; op = op->next)
    list[at++] = op;
  split(&s, list, at);
  tl_op *end = block->last;
  tl_block fresh = *block;
  fresh.first = fresh.last = NULL;
  tl_builder outer = {.m = m, .fn = fn, .loc = end->loc};
  tl_block *now = TL_NEW(m->arena, tl_block, 1);
  if (now == NULL) need(TL_OOM());
  *now = fresh;
  tl_builder b = tl_builder_at(&outer, now);
  tl_env e = {0};
  for (size_t from = 0, to; from < s.n; from = to) {
    for (to = from; to < s.n && s.region[to] == s.region[from];)
      to++;
    coarsen(&s, &b, &e, from, to, (*number)++, block);
  }
  for (uint32_t i = 0; i < end->n_operands; i++)
    end->operands[i] = tl_env_get(&e, end->operands[i]);
  tl_env_deinit(&e);
  need(b.error);
  block->first = now->first;
  end->prev = now->last;
  *(now->last == NULL ? &block->first : &now->last->next) = end;
  for (tl_op *op = block->first; op != NULL; op = op->next) {
    op->block = block;
    for (uint32_t k = 0; k < op->n_results; k++)
      op->results[k]->block = block;
  }
  free(list), free(s.ops), free(s.region);
}

static tl_module *split_into_regions(tl_module *m) {
  m = passed(passed(m, "inline"), "cse");
  tl_func *fn = tl_module_find(m, TL_STR("main"));
  uint32_t number = 0;
  split_block(m, fn, fn->body, &number);
  tl_diags diags = {0};
  tl_status st = tl_module_verify(m, &diags);
  if (st != TL_OK && diags.len != 0) fprintf(stderr, "%s\n", diags.items[0].message);
  need(st);
  return m;
}

// A random graph of n elementwise ops over 4 arguments, in which values are read again and again.
static tl_module *random_graph(uint64_t seed, size_t n) {
  static const tl_opcode unary[] = {TL_OP_SINE, TL_OP_TANH, TL_OP_LOGISTIC, TL_OP_NEGATE},
                         binary[] = {TL_OP_ADD, TL_OP_SUBTRACT, TL_OP_MULTIPLY, TL_OP_MULTIPLY};
  tl_module *m = tl_module_create();
  if (m == NULL) need(TL_OOM());
  tl_builder b = tl_func_begin(m, "main", false);
  tl_type t = TL_TYPE(m->arena, TL_DTYPE_F64, 16);
  tl_value *v = calloc(n + 4, sizeof *v);
  if (v == NULL) need(TL_OOM());
  for (int i = 0; i < 4; i++)
    v[i] = tl_func_arg(&b, t);
  for (size_t i = 4; i < n + 4; i++) {
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    const uint64_t r = seed >> 20, recent = TL_MIN(i, (size_t)24);
    tl_value x = v[r % 5 == 0 ? (r >> 3) % 4 : i - 1 - (r >> 3) % recent];
    tl_value y = v[i - 1 - (r >> 12) % recent];
    v[i] = (r >> 30) % 2 ? tlo_unary(&b, unary[(r >> 32) % 4], x)
                         : tlo_binary(&b, binary[(r >> 32) % 4], x, y);
  }
  tl_value last = tlo_dot(&b, v[n + 3], v[n + 3], NULL, NULL, 0, (int64_t[]){0}, (int64_t[]){0}, 1);
  tlo_return(&b, &last, 1);
  need(tl_builder_finish(&b));
  free(v);
  return passed(m, "dce");
}

static void compare_regions(const char *name, tl_module *m, tl_module *same, const void *const *in,
                            const check *c) {
  const result whole = measure(m, GRADIENT, -1, in, c),
               parts = measure(split_into_regions(same), GRADIENT, -1, in, c);
  printf("%-28s", name);
  show(&whole);
  show(&parts);
  printf("   %.2f x ops, %.2f x time\n", (double)parts.ops / (double)whole.ops,
         parts.run_us / whole.run_us);
}

// ---- Objectives ----

typedef struct seen {
  tl_str name, label;
  bool regions;
} seen;

static tl_status one_check(void *ctx, tl_arena *a, const check *c) {
  seen *s = ctx;
  (void)a;
  if (!tl_str_starts(c->chain, TL_STR("grad:"))) return TL_OK;
  check plain = *c;
  plain.chain = TL_STR("-");
  tl_program *p = NULL;
  TL_TRY(check_program(&plain, &p));
  char *text = tl_program_print(p);
  if (text == NULL) return TL_OOM();
  const void *in[MAX_IN];
  for (size_t i = 0; i < c->n_case_in; i++)
    in[i] = c->in[i].data;
  char name[64];
  snprintf(name, sizeof name, "%.*s %.*s", TL_STR_ARG(c->objective), TL_STR_ARG(c->label));
  if (s->regions) {
    compare_regions(name, parsed(tl_str_of(text)), parsed(tl_str_of(text)), in, c);
  } else {
    static const int64_t unroll[] = {-1, 64, 256, 1024, 4096};
    printf("%-28s", name);
    for (size_t i = 0; i < TL_COUNT(unroll); i++) {
      const result r = measure(parsed(tl_str_of(text)), GRADIENT, unroll[i], in, c);
      printf(" %2zu", r.loops);
      show(&r);
    }
    printf("\n");
  }
  fflush(stdout);
  tl_program_release(p);
  free(text);
  return TL_OK;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: bench_phi FILE\n");
    return 2;
  }
  tl_buf text = {0};
  need(tl_file_read(argv[1], (size_t)1 << 30, &text));
  for (direction way = GRADIENT; way <= BATCH; way++)
    loops(way);
  printf("\nobjectives: loops, ops, run in us and made in ms of the gradient; loops written out up "
         "to\n");
  printf("%-28s %26s %26s %26s %26s %26s\n", "", "none", "64 ops", "256", "1024", "4096");
  need(each_check(tl_buf_view(&text), one_check, &(seen){0}));
  printf("\nregions: ops, run in us and made in ms of the gradient of the whole, and of regions\n");
  need(each_check(tl_buf_view(&text), one_check, &(seen){.regions = true}));
  double *in[4];
  for (int i = 0; i < 4; i++) {
    in[i] = calloc(16, sizeof(double));
    if (in[i] == NULL) need(TL_OOM());
    for (int k = 0; k < 16; k++)
      in[i][k] = 0.1 * (i + 1) + 0.01 * k;
  }
  for (uint64_t seed = 1; seed <= 6; seed++) {
    char name[32];
    snprintf(name, sizeof name, "random graph %d", (int)seed);
    compare_regions(name, random_graph(seed, 60 * seed), random_graph(seed, 60 * seed),
                    (const void *const *)in, NULL);
  }
  return 0;
}
