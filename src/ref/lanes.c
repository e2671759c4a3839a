// Loading, storing and converting runs of elements. Elementwise arithmetic on them is in
// elementwise.c.
#include "ref/lanes.h"

#include "base/half.h"
#include "base/minifloat.h"

tl_lanes_kind tl_lanes_kind_of(tl_dtype d) {
  switch (tl_dtype_get(d)->kind) {
  case TL_KIND_BOOL:
  case TL_KIND_UINT:
    return TL_LANES_U64;
  case TL_KIND_INT:
    return TL_LANES_S64;
  case TL_KIND_COMPLEX:
    return d == TL_DTYPE_C128 ? TL_LANES_C128 : TL_LANES_C64;
  case TL_KIND_FLOAT:
    break;
  }
  return d == TL_DTYPE_F64 ? TL_LANES_F64 : TL_LANES_F32;
}

// The low bits of a byte as a number.
static int64_t low_signed(int64_t e, uint32_t bits) {
  return (int64_t)((uint64_t)e << (64 - bits)) >> (64 - bits);
}
static uint64_t low_unsigned(uint64_t e, uint32_t bits) { return e & ((1u << bits) - 1); }

// One row a dtype: the type in memory, the member of the union, how an element e becomes a lane.
#define MEMORY(X)                           \
  X(I1, uint8_t, u64, e)                    \
  X(S2, int8_t, s64, low_signed(e, 2))      \
  X(S4, int8_t, s64, low_signed(e, 4))      \
  X(S8, int8_t, s64, e)                     \
  X(S16, int16_t, s64, e)                   \
  X(S32, int32_t, s64, e)                   \
  X(S64, int64_t, s64, e)                   \
  X(U2, uint8_t, u64, low_unsigned(e, 2))   \
  X(U4, uint8_t, u64, low_unsigned(e, 4))   \
  X(U8, uint8_t, u64, e)                    \
  X(U16, uint16_t, u64, e)                  \
  X(U32, uint32_t, u64, e)                  \
  X(U64, uint64_t, u64, e)                  \
  X(F16, uint16_t, f32, tl_f32_of_f16(e))   \
  X(F32, float, f32, e)                     \
  X(F64, double, f64, e)                    \
  X(BF16, uint16_t, f32, tl_f32_of_bf16(e)) \
  X(C64, tl_c64, c64, e)                    \
  X(C128, tl_c128, c128, e)

void tl_lanes_load(tl_lanes *x, tl_dtype d, const void *data, size_t at, size_t n) {
  const unsigned char *p = data;
  switch (d) {
#define LOAD(id, T, member, lane)                    \
  case TL_DTYPE_##id:                                \
    for (size_t i = 0; i < n; i++) {                 \
      T e;                                           \
      memcpy(&e, p + (at + i) * sizeof e, sizeof e); \
      x->member[i] = lane;                           \
    }                                                \
    break;
    MEMORY(LOAD)
#define TL_MINIFLOAT(id, ...) LOAD(id, uint8_t, f32, tl_f32_of_minifloat(TL_MINIFLOAT_##id, e))
#include "base/minifloats.def"
#undef TL_MINIFLOAT
#undef LOAD
  case TL_DTYPE_COUNT:
    break;
  }
}

void tl_lanes_gather(tl_lanes *x, tl_dtype d, const void *data, const size_t *at, size_t base,
                     size_t n) {
  const unsigned char *p = data;
  switch (d) {
#define LOAD(id, T, member, lane)                          \
  case TL_DTYPE_##id:                                      \
    for (size_t i = 0; i < n; i++) {                       \
      T e;                                                 \
      memcpy(&e, p + (base + at[i]) * sizeof e, sizeof e); \
      x->member[i] = lane;                                 \
    }                                                      \
    break;
    MEMORY(LOAD)
#define TL_MINIFLOAT(id, ...) LOAD(id, uint8_t, f32, tl_f32_of_minifloat(TL_MINIFLOAT_##id, e))
#include "base/minifloats.def"
#undef TL_MINIFLOAT
#undef LOAD
  case TL_DTYPE_COUNT:
    break;
  }
}

#define STORE(T, value)                            \
  for (size_t i = 0; i < n; i++) {                 \
    T e = (T)(value);                              \
    memcpy(p + (at + i) * sizeof e, &e, sizeof e); \
  }                                                \
  break;
#define STORE_FLOAT(T, of_f32, of_f64) \
  if (from == TL_LANES_F64) {          \
    STORE_ALL(T, of_f64)               \
  } else {                             \
    STORE_ALL(T, of_f32)               \
  }                                    \
  break;
#define STORE_ALL(T, value)                        \
  for (size_t i = 0; i < n; i++) {                 \
    T e = value;                                   \
    memcpy(p + (at + i) * sizeof e, &e, sizeof e); \
  }

static tl_c64 narrow(tl_c128 z) { return (tl_c64){(float)z.re, (float)z.im}; }
static tl_c128 widen(tl_c64 z) { return (tl_c128){(double)z.re, (double)z.im}; }

void tl_lanes_store(const tl_lanes *x, tl_lanes_kind from, tl_dtype d, void *data, size_t at,
                    size_t n) {
  unsigned char *p = data;
  switch (d) {
  case TL_DTYPE_I1:
    STORE(uint8_t, x->u64[i] != 0)
  case TL_DTYPE_S2:
    STORE(int8_t, low_signed(x->s64[i], 2))
  case TL_DTYPE_S4:
    STORE(int8_t, low_signed(x->s64[i], 4))
  case TL_DTYPE_S8:
    STORE(int8_t, x->s64[i])
  case TL_DTYPE_S16:
    STORE(int16_t, x->s64[i])
  case TL_DTYPE_S32:
    STORE(int32_t, x->s64[i])
  case TL_DTYPE_S64:
    STORE(int64_t, x->s64[i])
  case TL_DTYPE_U2:
    STORE(uint8_t, low_unsigned(x->u64[i], 2))
  case TL_DTYPE_U4:
    STORE(uint8_t, low_unsigned(x->u64[i], 4))
  case TL_DTYPE_U8:
    STORE(uint8_t, x->u64[i])
  case TL_DTYPE_U16:
    STORE(uint16_t, x->u64[i])
  case TL_DTYPE_U32:
    STORE(uint32_t, x->u64[i])
  case TL_DTYPE_U64:
    STORE(uint64_t, x->u64[i])
  case TL_DTYPE_F16:
    STORE_FLOAT(uint16_t, tl_f16_of_f32(x->f32[i]), tl_f16_of_f64(x->f64[i]))
  case TL_DTYPE_F32:
    STORE_FLOAT(float, x->f32[i], (float)x->f64[i])
  case TL_DTYPE_F64:
    STORE_FLOAT(double, (double)x->f32[i], x->f64[i])
  case TL_DTYPE_BF16:
    STORE_FLOAT(uint16_t, tl_bf16_of_f32(x->f32[i]), tl_bf16_of_f64(x->f64[i]))
#define TL_MINIFLOAT(id, ...)                                                       \
  case TL_DTYPE_##id:                                                               \
    STORE_FLOAT(uint8_t, tl_minifloat_of_f64(TL_MINIFLOAT_##id, (double)x->f32[i]), \
                tl_minifloat_of_f64(TL_MINIFLOAT_##id, x->f64[i]))
#include "base/minifloats.def"
#undef TL_MINIFLOAT
  case TL_DTYPE_C64:
    if (from == TL_LANES_C128) {
      STORE_ALL(tl_c64, narrow(x->c128[i]))
    } else {
      STORE_ALL(tl_c64, x->c64[i])
    }
    break;
  case TL_DTYPE_C128:
    if (from == TL_LANES_C128) {
      STORE_ALL(tl_c128, x->c128[i])
    } else {
      STORE_ALL(tl_c128, widen(x->c64[i]))
    }
    break;
  case TL_DTYPE_COUNT:
    break;
  }
}

// What does not fit saturates and NaN is 0, as XLA does; the specification leaves both open. The
// bounds as doubles are 2^63 and 2^64, the first numbers that do not fit.
static int64_t s64_of_f64(double x) {
  if (x != x) return 0;
  if (x >= 0x1p63) return INT64_MAX;
  if (x < -0x1p63) return INT64_MIN;
  return (int64_t)x;
}
static uint64_t u64_of_f64(double x) {
  if (!(x > 0)) return 0;
  return x >= 0x1p64 ? UINT64_MAX : (uint64_t)x;
}

// Every pair of kinds: the member read, the member written, the value in terms of e. Lanes are as
// wide as their kind, so f32 and f64 lanes overlap in memory: widening goes from the last lane
// down.
#define CAST_UP(from, to, value) \
  for (size_t i = n; i-- > 0;) { \
    float e = x->from[i];        \
    x->to[i] = value;            \
  }                              \
  break;
#define CAST(T, from, to, value)   \
  for (size_t i = 0; i < n; i++) { \
    T e = x->from[i];              \
    x->to[i] = value;              \
  }                                \
  break;
#define PAIR(from, to) ((from) * 6 + (to))

// The real part alone, and a float as a complex number of the same width. Lanes change their width
// in place, as above. Returns the new kind.
static tl_lanes_kind drop_imaginary(tl_lanes *x, tl_lanes_kind from, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (from == TL_LANES_C64)
      x->f32[i] = x->c64[i].re;
    else
      x->f64[i] = x->c128[i].re;
  return from == TL_LANES_C64 ? TL_LANES_F32 : TL_LANES_F64;
}
static void add_imaginary(tl_lanes *x, tl_lanes_kind to, size_t n) {
  for (size_t i = n; i-- > 0;)
    if (to == TL_LANES_C64)
      x->c64[i] = (tl_c64){x->f32[i], 0};
    else
      x->c128[i] = (tl_c128){x->f64[i], 0};
}

// Floats to integers truncate and saturate, NaN becomes 0.
static void cast_real(tl_lanes *x, tl_lanes_kind from, tl_lanes_kind to, size_t n) {
  switch (PAIR(from, to)) {
  case PAIR(TL_LANES_F32, TL_LANES_F64):
    CAST_UP(f32, f64, (double)e)
  case PAIR(TL_LANES_F32, TL_LANES_S64):
    CAST_UP(f32, s64, s64_of_f64((double)e))
  case PAIR(TL_LANES_F32, TL_LANES_U64):
    CAST_UP(f32, u64, u64_of_f64((double)e))
  case PAIR(TL_LANES_F64, TL_LANES_F32):
    CAST(double, f64, f32, (float)e)
  case PAIR(TL_LANES_F64, TL_LANES_S64):
    CAST(double, f64, s64, s64_of_f64(e))
  case PAIR(TL_LANES_F64, TL_LANES_U64):
    CAST(double, f64, u64, u64_of_f64(e))
  case PAIR(TL_LANES_S64, TL_LANES_F32):
    CAST(int64_t, s64, f32, (float)e)
  case PAIR(TL_LANES_S64, TL_LANES_F64):
    CAST(int64_t, s64, f64, (double)e)
  case PAIR(TL_LANES_S64, TL_LANES_U64):
    CAST(int64_t, s64, u64, (uint64_t)e)
  case PAIR(TL_LANES_U64, TL_LANES_F32):
    CAST(uint64_t, u64, f32, (float)e)
  case PAIR(TL_LANES_U64, TL_LANES_F64):
    CAST(uint64_t, u64, f64, (double)e)
  case PAIR(TL_LANES_U64, TL_LANES_S64):
    CAST(uint64_t, u64, s64, (int64_t)e)
  default:
    break; // the kind that it has
  }
}

static bool is_complex(tl_lanes_kind kind) { return kind == TL_LANES_C64 || kind == TL_LANES_C128; }

static void cast(tl_lanes *x, tl_lanes_kind from, tl_lanes_kind to, size_t n) {
  if (from == to) return;
  if (is_complex(from) && is_complex(to)) {
    if (to == TL_LANES_C128)
      for (size_t i = n; i-- > 0;)
        x->c128[i] = widen(x->c64[i]);
    else
      for (size_t i = 0; i < n; i++)
        x->c64[i] = narrow(x->c128[i]);
    return;
  }
  if (is_complex(from)) from = drop_imaginary(x, from, n);
  cast_real(x, from,
            to == TL_LANES_C64    ? TL_LANES_F32
            : to == TL_LANES_C128 ? TL_LANES_F64
                                  : to,
            n);
  if (is_complex(to)) add_imaginary(x, to, n);
}

// An integer as the f64 "rounded to odd": where bits are lost the last kept one is set, so that
// rounding again to a type of at most 50 bits gives what rounding the integer itself would.
static double odd_of_u64(uint64_t v) {
  if (v >> 53 == 0) return (double)v;
  uint32_t lost = 11 - (uint32_t)__builtin_clzll(v);
  uint64_t kept = v >> lost, rest = v & (((uint64_t)1 << lost) - 1);
  return (double)(kept | (rest != 0)) * (double)((uint64_t)1 << lost);
}

tl_lanes_kind tl_lanes_convert(tl_lanes *x, tl_lanes_kind from, tl_dtype d, size_t n) {
  tl_lanes_kind to = tl_lanes_kind_of(d);
  if (is_complex(from) && !is_complex(to)) from = drop_imaginary(x, from, n);
  bool of_float = from == TL_LANES_F32 || from == TL_LANES_F64;
  if (d == TL_DTYPE_I1) { // not zero; NaN is not zero
    if (from == TL_LANES_F32) cast(x, from, TL_LANES_F64, n);
    if (of_float)
      for (size_t i = 0; i < n; i++)
        x->u64[i] = x->f64[i] != 0;
    return to;
  }
  if (to == TL_LANES_F32 && d != TL_DTYPE_F32) {
    if (from == TL_LANES_S64)
      for (size_t i = 0; i < n; i++)
        x->f64[i] =
            x->s64[i] < 0 ? -odd_of_u64(-(uint64_t)x->s64[i]) : odd_of_u64((uint64_t)x->s64[i]);
    if (from == TL_LANES_U64)
      for (size_t i = 0; i < n; i++)
        x->f64[i] = odd_of_u64(x->u64[i]);
    return from == TL_LANES_F32 ? TL_LANES_F32 : TL_LANES_F64;
  }
  cast(x, from, to, n);
  uint32_t bits = tl_lanes_bits(d);
  if (of_float && bits < 64) { // integers wrap, floats saturate
    if (to == TL_LANES_S64) {
      int64_t max = ((int64_t)1 << (bits - 1)) - 1;
      for (size_t i = 0; i < n; i++)
        x->s64[i] = TL_MAX(-max - 1, TL_MIN(x->s64[i], max));
    } else if (to == TL_LANES_U64) {
      uint64_t max = ((uint64_t)1 << bits) - 1;
      for (size_t i = 0; i < n; i++)
        x->u64[i] = TL_MIN(x->u64[i], max);
    }
  }
  return to;
}

void tl_lanes_load_as(tl_lanes *x, tl_lanes_kind to, tl_dtype d, const void *data, size_t at,
                      size_t n) {
  tl_lanes_load(x, d, data, at, n);
  cast(x, tl_lanes_kind_of(d), to, n);
}

void tl_lanes_gather_as(tl_lanes *x, tl_lanes_kind to, tl_dtype d, const void *data,
                        const size_t *at, size_t base, size_t n) {
  tl_lanes_gather(x, d, data, at, base, n);
  cast(x, tl_lanes_kind_of(d), to, n);
}

void tl_lanes_load_run(tl_lanes_kind to, tl_dtype d, const void *data, size_t at, size_t n,
                       void *out) {
  size_t size = tl_lanes_size(to);
  tl_lanes x;
  for (size_t i = 0; i < n; i += TL_LANES) {
    size_t run = TL_MIN(n - i, TL_LANES);
    tl_lanes_load_as(&x, to, d, data, at + i, run);
    memcpy((unsigned char *)out + i * size, &x, run * size);
  }
}

int64_t tl_ref_index(const tl_tensor *t, size_t i) {
  tl_lanes x;
  tl_lanes_load(&x, t->type.dtype, t->data, i, 1);
  if (tl_lanes_kind_of(t->type.dtype) != TL_LANES_U64) return x.s64[0];
  return x.u64[0] > INT64_MAX ? INT64_MAX : (int64_t)x.u64[0];
}
