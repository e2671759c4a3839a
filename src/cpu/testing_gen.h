// What random programs are made of: a *gen* builds one function. Types come from a few shapes of
// each program, so that values meet; what an op lacks is made, as an argument of the function or a
// constant.
#ifndef TL_CPU_TESTING_GEN_H
#define TL_CPU_TESTING_GEN_H

#include "cpu/testing.h"
#include "ir/dynamic.h"

enum { GEN_VALUES = 256, GEN_SHAPES = 4, GEN_FUNCS = 3, GEN_ARGS = 14 };

typedef struct gen {
  test_rng r;
  tl_builder *b;   // where ops go now
  tl_arena *arena; // the module's
  tl_value values[GEN_VALUES];
  size_t n;      // in scope
  bool toplevel; // arguments may be added
  uint32_t depth;
  tl_type shapes[GEN_SHAPES]; // most values have one of these shapes, so that they meet
  tl_func *funcs[GEN_FUNCS];
  size_t n_funcs;
  tl_dtype dtype;         // of what an op is made for; TL_DTYPE_COUNT = any
  const tl_opcode *codes; // [n_codes] of gen_ops; NULL: any
  size_t n_codes;
  uint32_t most;  // elements of a shape; 0: 700
  bool is_smooth; // constants are tame; what floats are decides over branches and trip counts
} gen;

static tl_value gen_add(gen *g, tl_value v) {
  if (v && g->n < GEN_VALUES) g->values[g->n++] = v;
  return v;
}

static tl_type gen_type(gen *g, tl_dtype dtype, const int64_t *dims, uint32_t rank) {
  tl_type t = tl_type_of(g->arena, dtype, dims, rank);
  assert_true(t.dims != NULL || rank == 0);
  return t;
}

static int64_t gen_dim(gen *g) {
  static const int64_t dims[] = {1, 1, 2, 3, 4, 5, 7, 8, 16, 17, 33};
  if (rng_chance(&g->r, 2)) return 0;
  return dims[rng_below(&g->r, TL_COUNT(dims))];
}

static tl_type gen_shape(gen *g, tl_dtype dtype) {
  int64_t dims[TL_MAX_RANK], count = 1;
  uint32_t rank = rng_below(&g->r, 5);
  for (uint32_t d = 0; d < rank; d++) {
    dims[d] = gen_dim(g);
    if (count * dims[d] > (g->most ? g->most : 700)) dims[d] = 1;
    count *= dims[d];
  }
  return gen_type(g, dtype, dims, rank);
}

static bool is_float(tl_dtype d) { return tl_dtype_get(d)->kind == TL_KIND_FLOAT; }
static bool is_integer(tl_dtype d) {
  return tl_dtype_get(d)->kind == TL_KIND_INT || tl_dtype_get(d)->kind == TL_KIND_UINT;
}

static tl_dtype gen_dtype(gen *g) {
  if (g->dtype != TL_DTYPE_COUNT) return g->dtype;
  if (rng_chance(&g->r, 60)) return TL_DTYPE_F32;
  if (rng_chance(&g->r, 50)) return TL_DTYPE_S32;
  return (tl_dtype)rng_below(&g->r, TL_DTYPE_COUNT);
}

static tl_dtype gen_dtype_where(gen *g, bool (*fits)(tl_dtype), tl_dtype otherwise) {
  if (g->is_smooth) return g->dtype;
  for (int i = 0; i < 8; i++) {
    tl_dtype d = gen_dtype(g);
    if (fits(d)) return d;
  }
  return otherwise;
}

static tl_type gen_some_type(gen *g, tl_dtype dtype) {
  tl_type t = rng_chance(&g->r, 85) ? g->shapes[rng_below(&g->r, GEN_SHAPES)] : gen_shape(g, dtype);
  t.dtype = dtype;
  return t;
}

static tl_value gen_constant(gen *g, tl_type t) {
  const size_t n = type_count(t), size = type_size(t);
  uint8_t *data = calloc(1, size + 16); // one element where there are none
  assert_non_null(data);
  rng_fill(&g->r, t.dtype, data, n ? n : 1);
  for (size_t i = 0; g->is_smooth && t.dtype == TL_DTYPE_F64 && i < n; i++)
    ((double *)(void *)data)[i] = (double)(int64_t)rng_u64(&g->r) * 0x1p-62;
  const bool splat = n > 0 && rng_chance(&g->r, 40);
  tl_value v = tlo_constant(g->b, t, data, splat ? tl_dtype_get(t.dtype)->size : size);
  free(data);
  return v;
}

// A value of this type: one in scope, an argument, a constant.
static tl_value gen_want(gen *g, tl_type t) {
  if (rng_chance(&g->r, 90)) {
    const size_t from = rng_below(&g->r, GEN_VALUES);
    for (size_t i = 0; i < g->n; i++) { // from anywhere, round
      tl_value v = g->values[(from + i) % g->n];
      if (tl_type_eq(v->type, t)) return v;
    }
  }
  if (g->toplevel && g->b->fn->body->n_args < GEN_ARGS) return gen_add(g, tl_func_arg(g->b, t));
  return gen_add(g, gen_constant(g, t));
}

static tl_value gen_any(gen *g, tl_dtype dtype) { return gen_want(g, gen_some_type(g, dtype)); }

static tl_value gen_index(gen *g) { return gen_want(g, tl_type_scalar(TL_DTYPE_S32)); }

static tl_value gen_finish(gen *g, tl_op *op) {
  op = tl_op_finish(g->b, op, NULL, 0);
  return op ? op->results[0] : NULL;
}

#endif
