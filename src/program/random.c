// Random numbers by key: Threefry in the layout that JAX calls partitionable, in which a number
// depends on its own place and the key, and not on how many there are.
#include <tlaloc/random.h>

#include "program/internal.h"

#include "ir/build_nn.h"

static bool is_key(tl_trace *t, const char *what, tl_expr key) {
  const tl_type type = key->v->type;
  if (type.dtype == TL_DTYPE_U32 && type.rank == 1 && type.dims[0] == 2) return true;
  tl_fail(t, type.dtype == TL_DTYPE_U32 ? TL_DIAG_SHAPE_MISMATCH : TL_DIAG_DTYPE_MISMATCH,
          "%s: the key is %s, wants ui32[2]", what, tl_type_text(key));
  return false;
}

// A word of the key, a scalar.
static tl_value word_of(tl_builder *b, tl_expr key, int64_t i) {
  const int64_t end = i + 1;
  return tlo_reshape(b, tlo_slice(b, key->v, &i, &end, NULL), NULL, 0);
}

// The blocks at (0, at), of at's shape: the first words, and *out_second.
static tl_value blocks(tl_builder *b, tl_expr key, tl_value at, tl_value *out_second) {
  if (at == NULL) return NULL;
  const tl_type type = at->type;
  tl_value k0 = tlo_broadcast(b, word_of(b, key, 0), type, NULL), k1 = NULL;
  k1 = tlo_broadcast(b, word_of(b, key, 1), type, NULL);
  return tlo_threefry(b, k0, k1, tlo_fill(b, type, 0), at, out_second);
}

static tl_value counters(tl_trace *t, int64_t n) {
  const tl_type type = tl_type_of(t->m->arena, TL_DTYPE_U32, &n, 1);
  if (type.dims == NULL) tl_fail_oom(t);
  return type.dims == NULL ? NULL : tlo_iota(t->b, type, 0);
}

// [n, 2] of two [n].
static tl_value pairs(tl_builder *b, tl_value x, tl_value y) {
  if (x == NULL || y == NULL) return NULL;
  const int64_t column[2] = {x->type.dims[0], 1};
  tl_value both[2] = {tlo_reshape(b, x, column, 2), NULL};
  both[1] = tlo_reshape(b, y, column, 2);
  return tlo_concat(b, both, 2, 1);
}

tl_expr tl_key_at(tl_here at, tl_trace *t, uint64_t seed) {
  const uint32_t words[2] = {(uint32_t)(seed >> 32), (uint32_t)seed};
  return tl_constant_at(at, t, words, "ui32[2]");
}

tl_expr tl_key_split_at(tl_here at, tl_expr key, int64_t n) {
  tl_trace *t = tl_trace_at(at, "key_split", &key, 1);
  if (t == NULL || !is_key(t, "key_split", key)) return NULL;
  if (n < 0 || n > UINT32_MAX) {
    tl_fail(t, TL_DIAG_BAD_ARGUMENT, "key_split: %lld keys", (long long)n);
    return NULL;
  }
  tl_value second = NULL, first = blocks(t->b, key, counters(t, n), &second);
  return tl_made(t, pairs(t->b, first, second), NULL);
}

tl_expr tl_key_fold_in_at(tl_here at, tl_expr key, tl_arg number) {
  const tl_expr both[2] = {key, number.x};
  tl_trace *t = tl_trace_at(at, "key_fold_in", both, number.kind == TL_ARG_EXPR ? 2 : 1);
  if (t == NULL || !is_key(t, "key_fold_in", key)) return NULL;
  const int64_t one = 1;
  const tl_type word = tl_type_of(t->m->arena, TL_DTYPE_U32, &one, 1);
  tl_value x = NULL;
  if (number.kind != TL_ARG_EXPR) {
    x = tl_number(t, "key_fold_in", number, word);
  } else {
    const tl_type given = number.x->v->type;
    if (given.rank != 0 || (given.dtype != TL_DTYPE_S32 && given.dtype != TL_DTYPE_U32)) {
      tl_fail(t, given.rank != 0 ? TL_DIAG_SHAPE_MISMATCH : TL_DIAG_DTYPE_MISMATCH,
              "key_fold_in: the number is %s, wants a scalar of i32 or ui32",
              tl_type_text(number.x));
      return NULL;
    }
    x = tlo_reshape(t->b, tlo_convert(t->b, number.x->v, TL_DTYPE_U32), &one, 1);
  }
  tl_value both_words[2] = {NULL, NULL};
  both_words[0] = blocks(t->b, key, x, &both_words[1]);
  if (both_words[0] == NULL || both_words[1] == NULL) return tl_made(t, NULL, NULL);
  return tl_made(t, tlo_concat(t->b, both_words, 2, 0), NULL);
}

// The xor of both words of the block of each place, counted row-major.
static tl_value bits(tl_trace *t, tl_expr key, tl_type type) {
  int64_t n = 1;
  for (uint32_t d = 0; d < type.rank; d++)
    if (!tl_dim_mul(t->m, n, type.dims[d], &n)) {
      tl_fail(t, TL_DIAG_BAD_ARGUMENT, "random_bits: too many");
      return NULL;
    }
  tl_value second = NULL, first = blocks(t->b, key, counters(t, n), &second);
  if (first == NULL || second == NULL) return NULL;
  tl_value x = tlo_binary(t->b, TL_OP_XOR, first, second);
  return type.rank == 1 ? x : tlo_reshape(t->b, x, type.dims, type.rank);
}

tl_expr tl_random_at(tl_here at, const char *what, tl_expr key, const char *type, ...) {
  tl_trace *t = tl_trace_at(at, what, &key, 1);
  tl_type ty;
  tl_axis_names names;
  bool good;
  if (t == NULL || !is_key(t, what, key)) return NULL;
  TL_TYPE_OF_FORMAT(t, true, type, good, &ty, &names);
  if (!good) return NULL;
  const bool wants_bits = strcmp(what, "random_bits") == 0;
  if (wants_bits ? ty.dtype != TL_DTYPE_U32
                 : ty.dtype != TL_DTYPE_F32 && ty.dtype != TL_DTYPE_F64) {
    tl_fail(t, TL_DIAG_DTYPE_UNSUPPORTED, "%s: of %s; wants %s", what, tl_dtype_get(ty.dtype)->mlir,
            wants_bits ? "ui32" : "f32 or f64");
    return NULL;
  }
  if (wants_bits) return tl_made(t, bits(t, key, ty), names);
  const tl_type i32 = tl_type_scalar(TL_DTYPE_S32);
  tl_value k0 = tlo_bitcast(t->b, word_of(t->b, key, 0), i32), k1 = NULL;
  k1 = tlo_bitcast(t->b, word_of(t->b, key, 1), i32);
  tl_value x = strcmp(what, "random_normal") == 0
                   ? tlo_rng_normal_of(t->b, ty, k0, k1, "erf_inv", true)
                   : tlo_rng_uniform_of(t->b, ty, k0, k1, true);
  return tl_made(t, x, names);
}
