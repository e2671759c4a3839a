// rng: random numbers from the stream of the execution. The specification leaves them to us; what
// we make of that is on the op's page. They are JAX's, by bits, for the key that the draw has:
// jax.random.uniform(jax.random.fold_in(jax.random.key(0), n), shape, dtype, a, b) is the draw n.
#include "ref/eval.h"

#include <float.h>
#include <math.h>

#include "ref/lanes.h"
#include "ref/special.h"
#include "ref/threefry.h"

// u (b - a) + a, not below a. Where b - a overflows, from both ends.
static double between_f64(double a, double b, double u) {
  const double span = b - a;
  const double y = isinf(span) && isfinite(a) && isfinite(b) ? a * (1 - u) + b * u : u * span + a;
  return y < a ? a : y;
}

static float between_f32(float a, float b, float u) {
  const float span = b - a;
  const float y = isinf(span) && isfinite(a) && isfinite(b) ? a * (1 - u) + b * u : u * span + a;
  return y < a ? a : y;
}

// sqrt(2) erf_inv(v), v uniform in (-1, 1): from the number behind -1 to 1, as JAX has it.
static double normal(tl_key key, bool wide, size_t i) {
  double (*const erf_inv)(double) = tl_special_get(TL_OP_ERF_INV)->unary;
  const double u = tl_random_unit(key, wide, i);
  const double v = wide ? between_f64(-1 + DBL_EPSILON / 2, 1, u)
                        : (double)between_f32(-1 + FLT_EPSILON / 2, 1, (float)u);
  return 0x1.6a09e667f3bcdp0 * erf_inv(v);
}

// The number before b that the dtype has; magnitudes grow with their bits.
static double before(double b, tl_dtype d) {
  tl_lanes x = {.f64 = {b}};
  uint64_t bits = 0, sign = (uint64_t)1 << (tl_dtype_get(d)->bits - 1);
  tl_lanes_store(&x, TL_LANES_F64, d, &bits, 0, 1);
  if (b == 0)
    bits = sign | 1;
  else
    bits += b > 0 ? UINT64_MAX : 1;
  tl_lanes_load_as(&x, TL_LANES_F64, d, &bits, 0, 1);
  return x.f64[0];
}

// `wide`: the program says f64, of 52 bits. At TL_REF_F64 too narrower types have the numbers of
// f32.
static void floats(tl_key key, bool is_normal, bool wide, double a, double b, const tl_tensor *out,
                   size_t count) {
  const tl_dtype d = out->type.dtype;
  const bool is_range = !is_normal && a < b;
  const double last = is_range ? before(b, d) : b;
  tl_lanes x, stored;
  for (size_t at = 0; at < count; at += TL_LANES) {
    const size_t n = TL_MIN(count - at, TL_LANES);
    for (size_t k = 0; k < n; k++) {
      if (is_normal)
        x.f64[k] = a + b * normal(key, wide, at + k);
      else if (a >= b)
        x.f64[k] = a;
      else if (wide)
        x.f64[k] = between_f64(a, b, tl_random_unit(key, true, at + k));
      else
        x.f64[k] =
            (double)between_f32((float)a, (float)b, (float)tl_random_unit(key, false, at + k));
    }
    tl_lanes_store(&x, TL_LANES_F64, d, out->data, at, n);
    if (!is_range) continue;
    tl_lanes_load_as(&stored, TL_LANES_F64, d, out->data, at, n);
    for (size_t k = 0; k < n; k++)
      if (stored.f64[k] >= b) stored.f64[k] = last;
    tl_lanes_store(&stored, TL_LANES_F64, d, out->data, at, n);
  }
}

static uint64_t upper_half(uint64_t x, uint64_t y) { // of x y, in 128 bits
  const uint64_t x0 = (uint32_t)x, x1 = x >> 32, y0 = (uint32_t)y, y1 = y >> 32;
  const uint64_t middle = x1 * y0 + (x0 * y0 >> 32), other = x0 * y1 + (uint32_t)middle;
  return x1 * y1 + (middle >> 32) + (other >> 32);
}

static void integers(tl_key key, tl_lanes_kind kind, const tl_tensor *a, const tl_tensor *b,
                     const tl_tensor *out, size_t count) {
  tl_lanes x, y, z;
  tl_lanes_load(&x, a->type.dtype, a->data, 0, 1);
  tl_lanes_load(&y, b->type.dtype, b->data, 0, 1);
  const bool is_range = kind == TL_LANES_S64 ? x.s64[0] < y.s64[0] : x.u64[0] < y.u64[0];
  const uint64_t first = x.u64[0], span = is_range ? y.u64[0] - first : 0;
  for (size_t at = 0; at < count; at += TL_LANES) {
    const size_t n = TL_MIN(count - at, TL_LANES);
    for (size_t k = 0; k < n; k++)
      z.u64[k] = first + upper_half(tl_random_u64(key, at + k), span);
    tl_lanes_store(&z, kind, out->type.dtype, out->data, at, n);
  }
}

tl_status ref_eval_RNG(tl_ref_call *c) {
  const tl_tensor *out = &c->out[0].t;
  const tl_dtype declared = c->op->results[0]->type.dtype;
  size_t count;
  if (!tl_type_count(out->type, &count))
    return TL_ERROR(INVALID_ARGUMENT, "rng: the shape is not concrete or too large");
  for (uint32_t d = 0; d < out->type.rank; d++)
    if (tl_ref_index(&c->in[2], d) != out->type.dims[d])
      return TL_ERROR(INVALID_ARGUMENT,
                      "rng: dim %u of the shape is %lld, of the result %lld (rng_c3)", d,
                      (long long)tl_ref_index(&c->in[2], d), (long long)out->type.dims[d]);
  const tl_key key = tl_ref_next_draw(c);
  const tl_lanes_kind kind = tl_lanes_kind_of(c->in[0].type.dtype);
  if (kind == TL_LANES_S64 || kind == TL_LANES_U64) {
    integers(key, kind, &c->in[0], &c->in[1], out, count);
    return TL_OK;
  }
  tl_lanes a, b;
  tl_lanes_load_as(&a, TL_LANES_F64, c->in[0].type.dtype, c->in[0].data, 0, 1);
  tl_lanes_load_as(&b, TL_LANES_F64, c->in[1].type.dtype, c->in[1].data, 0, 1);
  floats(key, tl_op_i64(c->op, TL_A_RNG_rng_distribution) == TL_RNG_DISTRIBUTION_NORMAL,
         declared == TL_DTYPE_F64, a.f64[0], b.f64[0], out, count);
  return TL_OK;
}
