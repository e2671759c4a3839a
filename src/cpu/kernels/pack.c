#include "cpu/kernels/kernels.h"

#include <string.h>

#include "base/half.h"
#include "base/minifloat.h"

// Stored rows into the packed layout of ir/formats.def, and single rows out of it. Loading a model
// is this loop, so it works on eight codes at a time in 64-bit words; it needs no vector
// instructions to keep up with memory.
//
// Sixteen rows are read side by side (sixteen streams) and a group is written front to back in each
// of its planes. The last group's missing rows are read from a row of zero bytes, which every
// format packs to zero bytes.

enum { ROW = TL_ROW_GROUP };

// ---- little words
// -------------------------------------------------------------------------------------------------

static inline uint16_t load16(const uint8_t *p) {
  uint16_t v;
  memcpy(&v, p, sizeof v);
  return v;
}
static inline uint32_t load32(const uint8_t *p) {
  uint32_t v;
  memcpy(&v, p, sizeof v);
  return v;
}
static inline uint64_t load64(const uint8_t *p) {
  uint64_t v;
  memcpy(&v, p, sizeof v);
  return v;
}
static inline void store16(uint8_t *p, uint16_t v) { memcpy(p, &v, sizeof v); }
static inline void store32(uint8_t *p, uint32_t v) { memcpy(p, &v, sizeof v); }

// Eight codes of four bits, one per byte, as a word of the codes plane: 0..3 in the low
// nibbles, 4..7 in the high ones.
static inline uint32_t nibbles(uint64_t codes) {
  return (uint32_t)codes | (uint32_t)(codes >> 32) << 4;
}
#define LOW_NIBBLES UINT64_C(0x0f0f0f0f0f0f0f0f)

// Bit `bit` of eight bytes as eight bits, the first byte's lowest.
static inline uint32_t gather1(uint64_t bytes, int bit) {
  uint64_t ones = bytes >> bit & UINT64_C(0x0101010101010101);
  return (uint32_t)(ones * UINT64_C(0x0102040810204080) >> 56);
}
// Bits `bit` and `bit`+1 of eight bytes as sixteen bits.
static inline uint32_t gather2(uint64_t bytes, int bit) {
  uint64_t x = bytes >> bit & UINT64_C(0x0303030303030303);
  x = (x | x >> 6) & UINT64_C(0x000f000f000f000f);
  x = (x | x >> 12) & UINT64_C(0x000000ff000000ff);
  return (uint32_t)(x | x >> 24) & 0xffff;
}

// The eight 6-bit scales and minima of a k-quant block from its 12 bytes: 0..3 whole in the low six
// bits of bytes 0..3 and 4..7; 4..7 low nibbles in bytes 8..11, their upper two bits on top of the
// others'.
static void scales6(const uint8_t s[12], uint8_t sc[8], uint8_t mn[8]) {
  for (int i = 0; i < 4; i++) {
    sc[i] = s[i] & 63;
    mn[i] = s[i + 4] & 63;
    sc[i + 4] = (uint8_t)((s[i + 8] & 15) | s[i] >> 6 << 4);
    mn[i + 4] = (uint8_t)(s[i + 8] >> 4 | s[i + 4] >> 6 << 4);
  }
}

// ---- one row's block into its column r of a group
// ------------------------------------------------------------------

typedef struct planes { // of one group, at the block's k, at row r
  uint8_t *codes, *high, *sc, *mn, *d, *m;
} planes;

// 32 codes whose k = 0..15 are the low nibbles of 16 bytes and k = 16..31 the high ones.
static inline void put_nibbles(uint8_t *to, const uint8_t *qs) {
  for (int half = 0; half < 2; half++) {
    uint64_t b = load64(qs + 8 * half);
    store32(to + 64 * half, nibbles(b & LOW_NIBBLES));
    store32(to + 64 * (half + 2), nibbles(b >> 4 & LOW_NIBBLES));
  }
}
// 64 codes of k-quants: k = 0..31 the low nibbles of 32 bytes, k = 32..63 the high ones.
static inline void put_nibbles64(uint8_t *to, const uint8_t *qs) {
  for (int i = 0; i < 4; i++) {
    uint64_t b = load64(qs + 8 * i);
    store32(to + 64 * i, nibbles(b & LOW_NIBBLES));
    store32(to + 64 * (i + 4), nibbles(b >> 4 & LOW_NIBBLES));
  }
}

static inline void put_Q8_0(planes p, const uint8_t *s) {
  store16(p.d, load16(s));
  for (int i = 0; i < 8; i++)
    store32(p.codes + 64 * i, load32(s + 2 + 4 * i));
}
static inline void put_Q4_0(planes p, const uint8_t *s) {
  store16(p.d, load16(s));
  put_nibbles(p.codes, s + 2);
}
static inline void put_Q4_1(planes p, const uint8_t *s) {
  store16(p.d, load16(s));
  store16(p.m, load16(s + 2));
  put_nibbles(p.codes, s + 4);
}
static inline void put_Q5_0(planes p, const uint8_t *s) {
  store16(p.d, load16(s));
  store32(p.high, load32(s + 2));
  put_nibbles(p.codes, s + 6);
}
static inline void put_Q5_1(planes p, const uint8_t *s) {
  store16(p.d, load16(s));
  store16(p.m, load16(s + 2));
  store32(p.high, load32(s + 4));
  put_nibbles(p.codes, s + 8);
}
static inline void put_scales6(planes p, const uint8_t *s) {
  uint8_t sc[8], mn[8];
  store16(p.d, load16(s));
  store16(p.m, load16(s + 2));
  scales6(s + 4, sc, mn);
  for (int i = 0; i < 8; i++)
    p.sc[ROW * i] = sc[i], p.mn[ROW * i] = mn[i];
}
static inline void put_Q4_K(planes p, const uint8_t *s) {
  put_scales6(p, s);
  for (int i = 0; i < 4; i++)
    put_nibbles64(p.codes + 512 * i, s + 16 + 32 * i);
}
static inline void put_Q5_K(planes p, const uint8_t *s) {
  put_scales6(p, s);
  for (int i = 0; i < 4; i++)
    put_nibbles64(p.codes + 512 * i, s + 48 + 32 * i);
  for (int sub = 0; sub < 8; sub++) { // bit `sub` of 32 bytes
    uint32_t h = 0;
    for (int i = 0; i < 4; i++)
      h |= gather1(load64(s + 16 + 8 * i), sub) << 8 * i;
    store32(p.high + 64 * sub, h);
  }
}
// Two halves of 128 k. In a half, k = 0..63 are the low nibbles of 64 bytes and k = 64..127 the
// high ones; the upper two bits of k = 32 i + j are bits 2i and 2i+1 of byte j of 32.
static inline void put_Q6_K(planes p, const uint8_t *s) {
  for (int half = 0; half < 2; half++) {
    for (int i = 0; i < 8; i++) {
      uint64_t b = load64(s + 64 * half + 8 * i);
      store32(p.codes + 64 * (16 * half + i), nibbles(b & LOW_NIBBLES));
      store32(p.codes + 64 * (16 * half + 8 + i), nibbles(b >> 4 & LOW_NIBBLES));
    }
    const uint8_t *qh = s + 128 + 32 * half;
    for (int i = 0; i < 8; i++) // word i: k = 16 i .. 16 i + 15 of the half
      store32(p.high + 64 * (8 * half + i), gather2(load64(qh + i % 2 * 16), i / 2 * 2) |
                                                gather2(load64(qh + i % 2 * 16 + 8), i / 2 * 2)
                                                    << 16);
  }
  for (int i = 0; i < 16; i++)
    p.sc[ROW * i] = s[192 + i];
  store16(p.d, load16(s + 208));
}

// ---- rows of codes with their scales behind them
// ------------------------------------------------------------------

// A row of codes, all its bytes, and its scales into column r of a group; NULL for a row of zeros.
static void pack_row(const tl_pack_args *a, uint8_t *group, size_t r, const uint8_t *row) {
  const size_t K = a->K;
  const bool nibble_codes = a->format == TL_FORMAT_NVFP4;
  uint8_t *codes = group + a->planes.codes + 4 * r;
  if (nibble_codes) // pairs of neighbours, the even one in the low nibble
    for (size_t c = 0; c < K / 8; c++) {
      const uint64_t pairs = row ? load32(row + 4 * c) : 0;
      uint64_t x = (pairs | pairs << 16) & UINT64_C(0x0000ffff0000ffff);
      x = (x | x << 8) & UINT64_C(0x00ff00ff00ff00ff);
      store32(codes + 64 * c, nibbles((x | x << 4) & LOW_NIBBLES));
    }
  else
    for (size_t c = 0; c < K / 4; c++)
      store32(codes + 64 * c, row ? load32(row + 4 * c) : 0);
  if (row) row += nibble_codes ? K / 2 : K;
  for (size_t i = 0; i < (a->planes.mn - a->planes.sc) / ROW; i++)
    group[a->planes.sc + i * ROW + r] = row ? *row++ : 0;
  for (size_t i = 0; i < (a->planes.size - a->planes.d) / (4 * ROW); i++) {
    store32(group + a->planes.d + (i * ROW + r) * 4, row ? load32(row) : 0);
    if (row) row += 4;
  }
}

static void pack_rows(const tl_pack_args *a) {
  for (size_t g = a->g0; g < a->g1; g++)
    for (size_t r = 0; r < ROW; r++) {
      const size_t row = g * ROW + r;
      pack_row(a, (uint8_t *)a->packed + g * a->group_size, r,
               row < a->R ? (const uint8_t *)a->rows + row * a->row_size : NULL);
    }
}

// ---- groups
// -------------------------------------------------------------------------------------------------------

typedef void put_fn(planes p, const uint8_t *stored);

// Inlined once per format, so that `put` and the sizes are constants.
static inline __attribute__((always_inline)) void pack_blocks(const tl_pack_args *a, put_fn *put,
                                                              size_t block, size_t bytes,
                                                              int code_bits, int high_bits) {
  static const uint8_t zeros[256]; // a block of any format
  for (size_t g = a->g0; g < a->g1; g++) {
    uint8_t *to = (uint8_t *)a->packed + g * a->group_size;
    for (size_t b = 0; b < a->K / block; b++) {
      const size_t k = b * block;
      for (size_t r = 0; r < ROW; r++) {
        const size_t row = g * ROW + r;
        const uint8_t *from =
            row < a->R ? (const uint8_t *)a->rows + row * a->row_size + b * bytes : zeros;
        put(
            (planes){
                .codes = to + a->planes.codes + k * ROW * (size_t)code_bits / 8 + 4 * r,
                .high = to + a->planes.high + k * ROW * (size_t)high_bits / 8 + 4 * r,
                .sc = to + a->planes.sc + k / (high_bits == 2 ? 16 : 32) * ROW + r,
                .mn = to + a->planes.mn + k / 32 * ROW + r,
                .d = to + a->planes.d + (b * ROW + r) * 2,
                .m = to + a->planes.m + (b * ROW + r) * 2,
            },
            from);
      }
    }
  }
}

typedef uint32_t word4 __attribute__((vector_size(16)));

// Four words of each of four rows, transposed.
static inline void store_square(uint8_t *to, const uint8_t *from, size_t row_size) {
  word4 a, b, c, d;
  memcpy(&a, from, sizeof a);
  memcpy(&b, from + row_size, sizeof b);
  memcpy(&c, from + 2 * row_size, sizeof c);
  memcpy(&d, from + 3 * row_size, sizeof d);
  const word4 low = {0, 4, 1, 5}, high = {2, 6, 3, 7}, first = {0, 1, 4, 5}, last = {2, 3, 6, 7};
  const word4 ab = __builtin_shuffle(a, b, low), cd = __builtin_shuffle(c, d, low),
              ab2 = __builtin_shuffle(a, b, high), cd2 = __builtin_shuffle(c, d, high);
  const word4 out[] = {__builtin_shuffle(ab, cd, first), __builtin_shuffle(ab, cd, last),
                       __builtin_shuffle(ab2, cd2, first), __builtin_shuffle(ab2, cd2, last)};
  for (int i = 0; i < 4; i++)
    memcpy(to + 4 * ROW * i, &out[i], sizeof out[i]);
}

// Elements of two bytes in pairs, an odd last one with zero; of four bytes alone.
static void pack_dense(const tl_pack_args *a, size_t bytes) {
  for (size_t g = a->g0; g < a->g1; g++) {
    uint8_t *to = (uint8_t *)a->packed + g * a->group_size;
    const uint8_t *from = (const uint8_t *)a->rows + g * ROW * a->row_size;
    const size_t rows = TL_MIN((size_t)ROW, a->R - g * ROW), words = a->K * bytes / 4;
    size_t w = 0;
    for (; rows == ROW && w + 4 <= words; w += 4, to += 16 * ROW)
      for (size_t r = 0; r < ROW; r += 4)
        store_square(to + 4 * r, from + r * a->row_size + 4 * w, a->row_size);
    for (; w < words; w++, to += 4 * ROW) {
      for (size_t r = 0; r < rows; r++)
        store32(to + 4 * r, load32(from + r * a->row_size + 4 * w));
      for (size_t r = rows; r < ROW; r++)
        store32(to + 4 * r, 0);
    }
    if (a->K * bytes % 4 != 0)
      for (size_t r = 0; r < ROW; r++)
        store32(to + 4 * r, r < rows ? load16(from + r * a->row_size + 4 * words) : 0);
  }
}

void tl_pack(const tl_pack_args *a) {
  switch (a->format) {
  case TL_FORMAT_F32:
    pack_dense(a, 4);
    break;
  case TL_FORMAT_F16:
  case TL_FORMAT_BF16:
    pack_dense(a, 2);
    break;
#define BLOCKS(id, block, bytes, code, high)            \
  case TL_FORMAT_##id:                                  \
    pack_blocks(a, put_##id, block, bytes, code, high); \
    break;
    BLOCKS(Q8_0, 32, 34, 8, 0)
    BLOCKS(Q4_0, 32, 18, 4, 0)
    BLOCKS(Q4_1, 32, 20, 4, 0)
    BLOCKS(Q5_0, 32, 22, 4, 1)
    BLOCKS(Q5_1, 32, 24, 4, 1)
    BLOCKS(Q4_K, 256, 144, 4, 0)
    BLOCKS(Q5_K, 256, 176, 4, 1)
    BLOCKS(Q6_K, 256, 210, 4, 2)
#undef BLOCKS
  case TL_FORMAT_INT8:
  case TL_FORMAT_FP8:
  case TL_FORMAT_FP8_BLOCK:
  case TL_FORMAT_NVFP4:
    pack_rows(a);
    break;
  case TL_FORMAT_COUNT:
    break;
  }
}

// ---- a row out
// ----------------------------------------------------------------------------------------------------

static const struct {
  uint8_t bytes, code_bits, high_bits;
  tl_scale_kind scale;
  int32_t zero;
} traits[TL_FORMAT_COUNT] = {
#define TL_FORMAT(id, name, ggml, block, bytes, code_bits, high_bits, sub, scale, zero) \
  [TL_FORMAT_##id] = {bytes, code_bits, high_bits, TL_SCALE_##scale, zero},
#include "ir/formats.def"
#undef TL_FORMAT
};

static float f32_at(const uint8_t *plane, size_t i) {
  return tl_f32_of_bits(load32(plane + 4 * i));
}
static float e4m3(uint8_t code) { return tl_f32_of_minifloat(TL_MINIFLOAT_F8E4M3FN, code); }

static inline float f16_at(const uint8_t *plane, size_t i) {
  return tl_f32_of_f16(load16(plane + 2 * i));
}

static void unpack_dense(const tl_unpack_args *a, const uint8_t *p, size_t r, float *out) {
  for (size_t k = 0; k < a->K; k++)
    switch (a->format) {
    case TL_FORMAT_F32:
      out[k] = tl_f32_of_bits(load32(p + 4 * (k * ROW + r)));
      break;
    case TL_FORMAT_F16:
      out[k] = tl_f32_of_f16(load16(p + 2 * ((k / 2 * ROW + r) * 2 + k % 2)));
      break;
    default:
      out[k] = tl_f32_of_bf16(load16(p + 2 * ((k / 2 * ROW + r) * 2 + k % 2)));
      break;
    }
}

static void unpack_blocks(const tl_unpack_args *a, const uint8_t *p, size_t r, float *out) {
  const uint8_t *codes = p + a->planes.codes, *high = p + a->planes.high, *sc = p + a->planes.sc,
                *mn = p + a->planes.mn, *d = p + a->planes.d, *m = p + a->planes.m;
  const int code_bits = traits[a->format].code_bits, high_bits = traits[a->format].high_bits;
  const float zero = (float)traits[a->format].zero;
  const bool fp8 = tl_scale_is_fp8(traits[a->format].scale);
  static const uint8_t e2m1[] = {TL_E2M1_CODES};
  for (size_t k0 = 0; k0 < a->K; k0 += 16) {
    float S = 1.0f, M = 0.0f; // shared by 16 k in every format
    const size_t at32 = k0 / 32 * ROW + r, at256 = k0 / 256 * ROW + r;
    switch (traits[a->format].scale) {
    case TL_SCALE_none:
    case TL_SCALE_r:
    case TL_SCALE_fr:
      break;
    case TL_SCALE_fb:
      S = f32_at(d, k0 / TL_FP8_BLOCK * ROW + r);
      break;
    case TL_SCALE_er:
      S = 0.5f * e4m3(sc[k0 / 16 * ROW + r]);
      break;
    case TL_SCALE_dm:
      M = f16_at(m, at32); // and
    // fall through
    case TL_SCALE_d:
      S = f16_at(d, at32);
      break;
    case TL_SCALE_kd:
      S = f16_at(d, at256) * (float)(int8_t)sc[k0 / 16 * ROW + r];
      break;
    case TL_SCALE_kdm:
      S = f16_at(d, at256) * (float)sc[at32];
      M = -(f16_at(m, at256) * (float)mn[at32]);
      break;
    }
    const bool plus =
        traits[a->format].scale == TL_SCALE_dm || traits[a->format].scale == TL_SCALE_kdm;
    for (size_t k = k0; k < k0 + 16; k++) {
      int32_t q;
      if (fp8) {
        out[k] = S * e4m3(codes[(k / 4 * ROW + r) * 4 + k % 4]);
        continue;
      }
      if (code_bits == 8) {
        q = (int8_t)codes[(k / 4 * ROW + r) * 4 + k % 4];
      } else {
        q = codes[(k / 8 * ROW + r) * 4 + k % 4] >> (k % 8 / 4 * 4) & 15;
        if (traits[a->format].scale == TL_SCALE_er) q = e2m1[q];
        if (high_bits == 1)
          q |= (int32_t)(load32(high + 4 * (k / 32 * ROW + r)) >> k % 32 & 1) << 4;
        if (high_bits == 2)
          q |= (int32_t)(load32(high + 4 * (k / 16 * ROW + r)) >> k % 16 * 2 & 3) << 4;
      }
      out[k] = plus ? S * (float)q + M : S * ((float)q - zero); // S * q is exact
    }
  }
  for (size_t k = 0; tl_scale_of_row(traits[a->format].scale) && k < a->K; k++)
    out[k] *= f32_at(p + a->planes.row, r);
}

void tl_unpack_rows(const tl_unpack_args *a) {
  for (size_t i = 0; i < a->n; i++) {
    int64_t row = a->rows[i] < 0 ? 0 : a->rows[i];
    size_t at = TL_MIN((size_t)row, a->R - 1);
    const uint8_t *group = (const uint8_t *)a->packed + at / ROW * a->group_size;
    float *out = a->out + i * a->out_stride;
    if (traits[a->format].code_bits == 0)
      unpack_dense(a, group, at % ROW, out);
    else
      unpack_blocks(a, group, at % ROW, out);
  }
}
