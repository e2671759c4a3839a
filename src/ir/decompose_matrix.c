// What the decompositions of linear algebra share: shapes, spreads and counted loops.
#include "ir/decompose_matrix.h"

#include "ir/dim.h"

tl_mx tl_mx_of(tl_builder *b, tl_type t) {
  tl_mx x = {b, t.dtype, 1, t.dims[t.rank - 2], t.dims[t.rank - 1]};
  for (uint32_t i = 0; i + 2 < t.rank; i++)
    if (!tl_dim_mul(b->m, x.N, t.dims[i], &x.N)) { // nothing in them, then
      tl_builder_fail(
          b, TL_ERROR(RESOURCE_EXHAUSTED, "a batch has more matrices than can be counted"));
      break;
    }
  return x;
}

tl_value tl_mx_flat(tl_mx x, tl_value v) {
  return tlo_reshape(x.b, v, (int64_t[]){x.N, x.m, x.n}, 3);
}

tl_value tl_mx_back(tl_builder *b, tl_value v, tl_type t, const int64_t *dims, uint32_t n) {
  int64_t all[TL_MAX_RANK];
  for (uint32_t i = 0; i + 2 < t.rank; i++)
    all[i] = t.dims[i];
  for (uint32_t i = 0; i < n; i++)
    all[t.rank - 2 + i] = dims[i];
  return tlo_reshape(b, v, all, t.rank - 2 + n);
}

bool tl_mx_is_complex(tl_value v) {
  return tl_dtype_get(tl_value_type(v).dtype)->kind == TL_KIND_COMPLEX;
}

tl_value tl_mx_real(tl_builder *b, tl_value z) {
  return tl_mx_is_complex(z) ? tlo_unary(b, TL_OP_REAL, z) : z;
}

tl_value tl_mx_conj(tl_builder *b, tl_value z) {
  if (!tl_mx_is_complex(z)) return z;
  tl_value re = tlo_unary(b, TL_OP_REAL, z), im = tlo_unary(b, TL_OP_IMAG, z);
  return tlo_binary(b, TL_OP_COMPLEX, re, tlo_unary(b, TL_OP_NEGATE, im));
}

tl_value tl_mx_of_real(tl_builder *b, tl_value x, tl_dtype dtype) {
  if (x == NULL || tl_dtype_get(dtype)->kind != TL_KIND_COMPLEX) return x;
  return tlo_binary(b, TL_OP_COMPLEX, x, tlo_constant_f64(b, x->type, 0));
}

static tl_value by_parts(tl_builder *b, tl_opcode code, tl_value z, tl_value x) {
  if (!tl_mx_is_complex(z)) return tlo_binary(b, code, z, x);
  tl_value re = tlo_unary(b, TL_OP_REAL, z), im = tlo_unary(b, TL_OP_IMAG, z);
  re = tlo_binary(b, code, re, x);
  return tlo_binary(b, TL_OP_COMPLEX, re, tlo_binary(b, code, im, x));
}
tl_value tl_mx_times_real(tl_builder *b, tl_value z, tl_value x) {
  return by_parts(b, TL_OP_MULTIPLY, z, x);
}
tl_value tl_mx_over_real(tl_builder *b, tl_value z, tl_value x) {
  return by_parts(b, TL_OP_DIVIDE, z, x);
}

tl_value tl_mx_square(tl_builder *b, tl_value z) {
  if (!tl_mx_is_complex(z)) return tlo_mul(b, z, z);
  tl_value re = tlo_unary(b, TL_OP_REAL, z), im = tlo_unary(b, TL_OP_IMAG, z);
  re = tlo_mul(b, re, re);
  return tlo_add(b, re, tlo_mul(b, im, im));
}

tl_value tl_mx_adjoint(tl_builder *b, tl_value v) {
  return tl_mx_conj(b, tlo_transpose(b, v, (int64_t[]){0, 2, 1}));
}

tl_value tl_mx_scalar(tl_builder *b, tl_dtype dtype, double value) {
  return tlo_constant_f64(b, tl_type_scalar(dtype), value);
}

tl_value tl_mx_spread3(tl_builder *b, tl_value v, int64_t N, int64_t m, int64_t n,
                       const int64_t *dims) {
  return tlo_broadcast(b, v, (tl_type){tl_value_type(v).dtype, 3, (int64_t[]){N, m, n}}, dims);
}

tl_value tl_mx_spread2(tl_builder *b, tl_value v, int64_t N, int64_t m, const int64_t *dims) {
  return tlo_broadcast(b, v, (tl_type){tl_value_type(v).dtype, 2, (int64_t[]){N, m}}, dims);
}

tl_value tl_mx_iota3(tl_builder *b, int64_t N, int64_t m, int64_t n, int64_t dim) {
  return tlo_iota(b, (tl_type){TL_DTYPE_S32, 3, (int64_t[]){N, m, n}}, dim);
}

tl_value tl_mx_iota2(tl_builder *b, int64_t N, int64_t m) {
  return tlo_iota(b, (tl_type){TL_DTYPE_S32, 2, (int64_t[]){N, m}}, 1);
}

static tl_value is(tl_builder *b, tl_comparison_direction d, tl_value v, tl_value j) {
  static const int64_t batch = 0;
  tl_type t = tl_value_type(v);
  t.dtype = TL_DTYPE_S32;
  return v == NULL ? NULL : tlo_compare(b, d, v, tlo_broadcast(b, j, t, &batch));
}
tl_value tl_mx_is2(tl_builder *b, tl_comparison_direction d, tl_value v, tl_value j) {
  return is(b, d, v, j);
}
tl_value tl_mx_is3(tl_builder *b, tl_comparison_direction d, tl_value v, tl_value j) {
  return is(b, d, v, j);
}

tl_value tl_mx_row(tl_builder *b, tl_value v, tl_value j) {
  tl_value zero = tl_mx_scalar(b, TL_DTYPE_S32, 0);
  tl_type t = tl_value_type(v);
  if (t.rank != 3) return NULL; // the builder has failed
  return tlo_dynamic_slice(b, v, (tl_value[]){zero, j, zero}, (int64_t[]){t.dims[0], 1, t.dims[2]});
}

tl_value tl_mx_column(tl_builder *b, tl_value v, tl_value j) {
  tl_value zero = tl_mx_scalar(b, TL_DTYPE_S32, 0);
  tl_type t = tl_value_type(v);
  if (t.rank != 3) return NULL;
  tl_value c =
      tlo_dynamic_slice(b, v, (tl_value[]){zero, zero, j}, (int64_t[]){t.dims[0], t.dims[1], 1});
  return tlo_reshape(b, c, t.dims, 2);
}

tl_value tl_mx_element(tl_builder *b, tl_value v, tl_value j) {
  tl_value zero = tl_mx_scalar(b, TL_DTYPE_S32, 0);
  tl_type t = tl_value_type(v);
  if (t.rank != 2) return NULL;
  tl_value e = tlo_dynamic_slice(b, v, (tl_value[]){zero, j}, (int64_t[]){t.dims[0], 1});
  return tlo_reshape(b, e, t.dims, 1);
}

tl_value tl_mx_over(tl_builder *b, tl_value v, tl_opcode combiner, double init) {
  tl_value first = tl_mx_scalar(b, tl_value_type(v).dtype, init);
  return tlo_reduce(b, v, first, (int64_t[]){1}, 1, combiner);
}

tl_loop tl_mx_for_begin(tl_builder *b, const tl_value *init, uint32_t count) {
  tl_value values[TL_LOOP_MAX];
  for (uint32_t i = 0; i < count; i++)
    values[i] = init[i];
  values[count] = tl_mx_scalar(b, TL_DTYPE_S32, 0);
  return tlo_while_begin(b, values, count + 1);
}

void tl_mx_for_end(tl_builder *b, tl_loop *loop, int64_t n, const tl_value *next, uint32_t count,
                   tl_value *out_values) {
  tl_value values[TL_LOOP_MAX], out[TL_LOOP_MAX] = {0};
  for (uint32_t i = 0; i < count; i++)
    values[i] = next[i];
  tl_value one = tl_mx_scalar(&loop->body, TL_DTYPE_S32, 1),
           end = tlo_size(&loop->cond, n, TL_DTYPE_S32);
  values[count] = tlo_add(&loop->body, loop->y[count], one);
  tl_value more = tlo_compare(&loop->cond, TL_COMPARISON_DIRECTION_LT, loop->x[count], end);
  tlo_while_end(b, loop, more, values, out);
  for (uint32_t i = 0; i < count; i++)
    out_values[i] = out[i];
}
