// Quantised weights: stored blocks into packed groups, packed groups into numbers, and the two ops
// that read them.
//
// ir/formats.def has the picture of the packed layout. A stored block is read into codes and scales
// in order (a `block`) by one small function per format; everything behind that is common. Letters:
// k elements a row, G bytes a group.
#include "ref/eval.h"

#include <string.h>

#include "base/half.h"
#include "base/minifloat.h"
#include "ir/format.h"
#include "ref/lanes.h"
#include "ref/sums.h"

enum { R = TL_ROW_GROUP };

typedef struct block {
  uint8_t q[256]; // codes; those of q8_0 are signed
  uint8_t sc[16]; // small scales; those of q6_k are signed
  uint8_t mn[8];
  uint16_t d, m; // f16
} block;

static uint16_t u16_at(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }

// --- stored blocks, as GGUF files hold them ---

// 32 codes of 4 bits, the low nibbles first; `high` gives a fifth bit each, or is NULL.
static void read_nibbles(const uint8_t *p, const uint8_t *high, block *b) {
  for (int i = 0; i < 16; i++) {
    b->q[i] = p[i] & 15;
    b->q[16 + i] = p[i] >> 4;
  }
  for (int i = 0; high != NULL && i < 32; i++)
    b->q[i] |= (uint8_t)((high[i / 8] >> i % 8 & 1) << 4);
}

static void read_Q8_0(const uint8_t *p, block *b) { // d, codes[32]
  b->d = u16_at(p);
  memcpy(b->q, p + 2, 32);
}
static void read_Q4_0(const uint8_t *p, block *b) { // d, nibbles[16]
  b->d = u16_at(p);
  read_nibbles(p + 2, NULL, b);
}
static void read_Q4_1(const uint8_t *p, block *b) { // d, m, nibbles[16]
  b->d = u16_at(p);
  b->m = u16_at(p + 2);
  read_nibbles(p + 4, NULL, b);
}
static void read_Q5_0(const uint8_t *p, block *b) { // d, high[4], nibbles[16]
  b->d = u16_at(p);
  read_nibbles(p + 6, p + 2, b);
}
static void read_Q5_1(const uint8_t *p, block *b) { // d, m, high[4], nibbles[16]
  b->d = u16_at(p);
  b->m = u16_at(p + 2);
  read_nibbles(p + 8, p + 4, b);
}

// d, dmin, and eight scales and minima of 6 bits in 12 bytes: the first four of each in the low
// bits of bytes 0-3 and 4-7; the other four have their low halves in bytes 8-11 and their high bits
// on top of the former.
static void read_k_scales(const uint8_t *p, block *b) {
  b->d = u16_at(p);
  b->m = u16_at(p + 2);
  const uint8_t *s = p + 4;
  for (int i = 0; i < 4; i++) {
    b->sc[i] = s[i] & 63;
    b->mn[i] = s[4 + i] & 63;
    b->sc[4 + i] = (uint8_t)((s[8 + i] & 15) | s[i] >> 6 << 4);
    b->mn[4 + i] = (uint8_t)(s[8 + i] >> 4 | s[4 + i] >> 6 << 4);
  }
}
static void read_Q4_K(const uint8_t *p,
                      block *b) { // scales, nibbles[128]: low halves of 32 bytes, then high ones
  read_k_scales(p, b);
  for (int i = 0; i < 256; i++)
    b->q[i] = p[16 + i / 64 * 32 + i % 32] >> (i / 32 % 2 * 4) & 15;
}
static void
read_Q5_K(const uint8_t *p,
          block *b) { // scales, high[32]: bit j of byte i is of element 32j + i; nibbles
  read_k_scales(p, b);
  for (int i = 0; i < 256; i++) {
    b->q[i] = p[48 + i / 64 * 32 + i % 32] >> (i / 32 % 2 * 4) & 15;
    b->q[i] |= (uint8_t)((p[16 + i % 32] >> i / 32 & 1) << 4);
  }
}
// nibbles[128], high[64], scales[16], d. In each half of 128 elements: 64 bytes of nibbles, low
// ones first; the high pairs of elements i, i+32, i+64, i+96 share byte i.
static void read_Q6_K(const uint8_t *p, block *b) {
  for (int i = 0; i < 256; i++) {
    int half = i / 128, j = i % 128;
    b->q[i] = p[half * 64 + j % 64] >> (j / 64 * 4) & 15;
    b->q[i] |= (uint8_t)((p[128 + half * 32 + j % 32] >> (j / 32 * 2) & 3) << 4);
  }
  memcpy(b->sc, p + 192, 16);
  b->d = u16_at(p + 208);
}

#define read_F32 NULL  // elements, not blocks
#define read_INT8 NULL // rows with their scales behind all codes
#define read_FP8 NULL
#define read_FP8_BLOCK NULL
#define read_NVFP4 NULL
#define read_F16 NULL
#define read_BF16 NULL
static void (*const readers[TL_FORMAT_COUNT])(const uint8_t *, block *) = {
#define TL_FORMAT(id, name, ggml, block, bytes, code_bits, high_bits, sub, scale, zero) \
  [TL_FORMAT_##id] = read_##id,
#include "ir/formats.def"
#undef TL_FORMAT
};

// --- packing ---

typedef struct layout {
  tl_format f;
  const tl_format_info *info;
  tl_format_planes at;
  size_t k, rows, groups;
} layout;

static tl_status layout_of(const tl_ref_call *c, tl_str format, int64_t rows, int64_t k,
                           layout *out) {
  const char *mnemonic = tl_op_get(c->op->code)->mnemonic;
  if (!tl_format_of_name(format, &out->f))
    return TL_ERROR(INVALID_ARGUMENT, "%s: there is no format \"" TL_STR_FMT "\"", mnemonic,
                    TL_STR_ARG(format));
  out->info = tl_format_get(out->f);
  size_t size;
  if (rows <= 0 || k < 0 || !tl_format_group_size(out->f, (size_t)k, &size) ||
      (out->info->code_bits != 0 && !tl_format_plane_offsets(out->f, (size_t)k, &out->at)))
    return TL_ERROR(INVALID_ARGUMENT, "%s: no %s matrix of %lld rows of %lld", mnemonic,
                    out->info->name, (long long)rows, (long long)k);
  out->k = (size_t)k;
  out->rows = (size_t)rows;
  out->groups = tl_format_groups(out->rows);
  return TL_OK;
}

static void pack_code(const layout *l, uint8_t *group, size_t r, size_t k, uint8_t q) {
  if (l->info->code_bits == 8) {
    group[k / 4 * 4 * R + r * 4 + k % 4] = q;
    return;
  }
  group[k / 8 * 4 * R + r * 4 + k % 4] |= (uint8_t)((q & 15) << (k / 4 % 2 * 4));
  if (l->info->high_bits == 1)
    group[l->at.high + (k / 32 * R + r) * 4 + k % 32 / 8] |= (uint8_t)(q >> 4 << k % 8);
  if (l->info->high_bits == 2)
    group[l->at.high + (k / 16 * R + r) * 4 + k % 16 / 4] |= (uint8_t)((q >> 4 & 3) << k % 4 * 2);
}

static void pack_f16(uint8_t *plane, size_t i, uint16_t value) {
  plane[i * 2] = (uint8_t)value;
  plane[i * 2 + 1] = (uint8_t)(value >> 8);
}

// Block number n of row r.
static void pack_block(const layout *l, uint8_t *group, size_t r, size_t n, const block *b) {
  for (size_t i = 0; i < l->info->block; i++)
    pack_code(l, group, r, n * l->info->block + i, b->q[i]);
  switch (l->info->scale) {
  default: // pack_row's
    break;
  case TL_SCALE_dm:
    pack_f16(group + l->at.m, n * R + r, b->m); // fall through
  case TL_SCALE_d:
    pack_f16(group + l->at.d, n * R + r, b->d);
    break;
  case TL_SCALE_kd:
    for (size_t i = 0; i < 16; i++)
      group[l->at.sc + (n * 16 + i) * R + r] = b->sc[i];
    pack_f16(group + l->at.d, n * R + r, b->d);
    break;
  case TL_SCALE_kdm:
    for (size_t i = 0; i < 8; i++) {
      group[l->at.sc + (n * 8 + i) * R + r] = b->sc[i];
      group[l->at.mn + (n * 8 + i) * R + r] = b->mn[i];
    }
    pack_f16(group + l->at.d, n * R + r, b->d);
    pack_f16(group + l->at.m, n * R + r, b->m);
    break;
  }
}

// A row of codes with its scales behind them.
static void pack_row(const layout *l, uint8_t *group, size_t r, const uint8_t *stored) {
  const bool nibbles = l->info->code_bits == 4;
  for (size_t k = 0; k < l->k; k++)
    pack_code(l, group, r, k, nibbles ? stored[k / 2] >> k % 2 * 4 & 15 : stored[k]);
  stored += nibbles ? l->k / 2 : l->k;
  for (size_t i = 0; i < (l->at.mn - l->at.sc) / R; i++)
    group[l->at.sc + i * R + r] = *stored++;
  for (size_t i = 0; i < (l->at.size - l->at.d) / (4 * R); i++, stored += 4)
    memcpy(group + l->at.d + (i * R + r) * 4, stored, 4); // scales of blocks or of the row
}

// Where element [row, k] of a dense format lies in the packed tensor.
static size_t dense_at(const layout *l, size_t row, size_t k) {
  size_t g = row / R, r = row % R;
  return l->info->bytes == 2 ? ((g * ((l->k + 1) / 2) + k / 2) * R + r) * 2 + k % 2
                             : (g * l->k + k) * R + r;
}

tl_status ref_eval_PACK_WEIGHTS(tl_ref_call *c) {
  layout l;
  TL_TRY(layout_of(c, tl_op_str(c->op, TL_A_PACK_WEIGHTS_format),
                   tl_op_i64(c->op, TL_A_PACK_WEIGHTS_rows), tl_op_i64(c->op, TL_A_PACK_WEIGHTS_k),
                   &l));
  const tl_tensor *x = &c->in[0], *out = &c->out[0].t;
  const uint8_t *stored = x->data;
  uint8_t *packed = out->data;
  size_t size, row_size;
  if (!tl_type_size(out->type, &size) || !tl_format_row_size(l.f, l.k, &row_size))
    return TL_ERROR(INVALID_ARGUMENT, "pack_weights: the shape is not concrete or too large");
  memset(packed, 0, size);
  if (l.info->code_bits == 0) {
    size_t elem = tl_dtype_get(x->type.dtype)->size;
    for (size_t row = 0; row < l.rows; row++)
      for (size_t k = 0; k < l.k; k++)
        memcpy(packed + dense_at(&l, row, k) * elem, stored + (row * l.k + k) * elem, elem);
    return TL_OK;
  }
  for (size_t row = 0; row < l.rows; row++) {
    uint8_t *group = packed + row / R * l.at.size;
    const uint8_t *from = stored + row * row_size;
    if (readers[l.f] == NULL) pack_row(&l, group, row % R, from);
    for (size_t n = 0; readers[l.f] != NULL && n < l.k / l.info->block; n++) {
      block b;
      readers[l.f](from + n * l.info->bytes, &b);
      pack_block(&l, group, row % R, n, &b);
    }
  }
  return TL_OK;
}

// --- unpacking ---

static float e4m3(uint8_t code) { return tl_f32_of_minifloat(TL_MINIFLOAT_F8E4M3FN, code); }
static float f32_at(const uint8_t *p) {
  float x;
  memcpy(&x, p, sizeof x);
  return x;
}
static uint8_t nibble(const tl_format_info *info, uint8_t code) {
  static const uint8_t e2m1[] = {TL_E2M1_CODES};
  return info->scale == TL_SCALE_er ? e2m1[code] : code;
}

// A group of 16 rows as numbers w[k][16], without the scales of rows. Products of scales and codes
// are exact in f32; where a minimum is added the sum is rounded to T.
#define UNPACK(T, suffix, OF_F32)                                                                 \
  static void codes_##suffix(const layout *l, const uint8_t *group, T *w) {                       \
    const tl_format_info *info = l->info;                                                         \
    if (info->code_bits == 8)                                                                     \
      for (size_t i = 0; i < l->k * R; i++)                                                       \
        w[(i / (4 * R) * 4 + i % 4) * R + i / 4 % R] =                                            \
            (T)(tl_scale_is_fp8(info->scale) ? e4m3(group[i]) : (float)(int8_t)group[i]);         \
    else                                                                                          \
      for (size_t i = 0; i < l->k * R / 2; i++) {                                                 \
        size_t k = i / (4 * R) * 8 + i % 4, r = i / 4 % R;                                        \
        w[k * R + r] = nibble(info, group[i] & 15);                                               \
        w[(k + 4) * R + r] = nibble(info, group[i] >> 4);                                         \
      }                                                                                           \
    for (size_t k = 0; info->high_bits != 0 && k < l->k; k++)                                     \
      for (size_t r = 0; r < R; r++) {                                                            \
        const uint8_t *h = group + l->at.high;                                                    \
        w[k * R + r] += (T)(info->high_bits == 1                                                  \
                                ? (h[(k / 32 * R + r) * 4 + k % 32 / 8] >> k % 8 & 1) << 4        \
                                : (h[(k / 16 * R + r) * 4 + k % 16 / 4] >> k % 4 * 2 & 3) << 4);  \
      }                                                                                           \
    for (size_t i = 0; info->zero != 0 && i < l->k * R; i++)                                      \
      w[i] -= (T)info->zero;                                                                      \
  }                                                                                               \
  static void unpack_blocks_##suffix(const layout *l, const uint8_t *group, T *w) {               \
    codes_##suffix(l, group, w);                                                                  \
    for (size_t k = 0; l->info->scale == TL_SCALE_fb && k < l->k; k++)                            \
      for (size_t r = 0; r < R; r++)                                                              \
        w[k * R + r] *= OF_F32(f32_at(group + l->at.d + (k / TL_FP8_BLOCK * R + r) * 4));         \
    for (size_t k = 0; l->info->scale == TL_SCALE_er && k < l->k; k++)                            \
      for (size_t r = 0; r < R; r++)                                                              \
        w[k * R + r] *= OF_F32(0.5f * e4m3(group[l->at.sc + k / 16 * R + r]));                    \
    if (tl_scale_of_row(l->info->scale) || l->info->scale == TL_SCALE_fb) return;                 \
    size_t run =                                                                                  \
        l->info->sub ? l->info->sub : l->info->block; /* elements that share scale and minimum */ \
    for (size_t n = 0; n < l->k / run; n++) {                                                     \
      T scale[R], low[R];                                                                         \
      size_t big = n * run / l->info->block;                                                      \
      for (size_t r = 0; r < R; r++) {                                                            \
        T d = OF_F32(tl_f32_of_f16(u16_at(group + l->at.d + (big * R + r) * 2)));                 \
        T m = l->at.m != l->at.size                                                               \
                  ? OF_F32(tl_f32_of_f16(u16_at(group + l->at.m + (big * R + r) * 2)))            \
                  : 0;                                                                            \
        switch (l->info->scale) {                                                                 \
        case TL_SCALE_none:                                                                       \
        case TL_SCALE_d:                                                                          \
        case TL_SCALE_dm:                                                                         \
          scale[r] = d, low[r] = m;                                                               \
          break;                                                                                  \
        default:                                                                                  \
          TL_ASSERT(l->info->scale == TL_SCALE_kd);                                               \
          scale[r] = d * (int8_t)group[l->at.sc + n * R + r], low[r] = 0;                         \
          break;                                                                                  \
        case TL_SCALE_kdm:                                                                        \
          scale[r] = d * group[l->at.sc + n * R + r];                                             \
          low[r] = -(m * group[l->at.mn + n * R + r]);                                            \
          break;                                                                                  \
        }                                                                                         \
      }                                                                                           \
      T *at = w + n * run * R;                                                                    \
      if (l->at.m != l->at.size)                                                                  \
        for (size_t i = 0; i < run * R; i++)                                                      \
          at[i] = scale[i % R] * at[i] + low[i % R];                                              \
      else                                                                                        \
        for (size_t i = 0; i < run * R; i++)                                                      \
          at[i] = scale[i % R] * at[i];                                                           \
    }                                                                                             \
  }
#define SAME(x) (x)
UNPACK(float, f32, SAME)
UNPACK(double, f64, (double))

// x[r] times the scales of a group's rows, where the format has such.
static void times_rows(const layout *l, tl_lanes_kind kind, const tl_tensor *weight, size_t g,
                       tl_lanes *x) {
  if (!tl_scale_of_row(l->info->scale)) return;
  const uint8_t *row = (const uint8_t *)weight->data + g * l->at.size + l->at.row;
  for (size_t r = 0; r < R; r++)
    if (kind == TL_LANES_F32)
      x->f32[r] *= f32_at(row + 4 * r);
    else
      x->f64[r] *= (double)f32_at(row + 4 * r);
}

static void unpack_group(const layout *l, tl_lanes_kind kind, const tl_tensor *weight, size_t g,
                         void *w) {
  if (l->info->code_bits != 0) {
    const uint8_t *group = (const uint8_t *)weight->data + g * l->at.size;
    if (kind == TL_LANES_F32)
      unpack_blocks_f32(l, group, w);
    else
      unpack_blocks_f64(l, group, w);
    return;
  }
  for (size_t k = 0; k < l->k; k++) {
    size_t at[R];
    tl_lanes x;
    for (size_t r = 0; r < R; r++)
      at[r] = dense_at(l, g * R + r, k);
    tl_lanes_gather_as(&x, kind, weight->type.dtype, weight->data, at, 0, R);
    memcpy((uint8_t *)w + k * R * (kind == TL_LANES_F32 ? sizeof(float) : sizeof(double)), &x,
           R * (kind == TL_LANES_F32 ? sizeof(float) : sizeof(double)));
  }
}

tl_status ref_eval_QUANTIZED_MATMUL(
    tl_ref_call *c) { // y[t, r] = dot over k of x[t, k] and w[r, k], as dot_general
  const tl_tensor *x = &c->in[0], *out = &c->out[0].t;
  tl_lanes_kind kind = tl_lanes_kind_of(out->type.dtype);
  layout l;
  TL_TRY(layout_of(c, tl_op_str(c->op, TL_A_QUANTIZED_MATMUL_format),
                   tl_op_i64(c->op, TL_A_QUANTIZED_MATMUL_rows), x->type.dims[x->type.rank - 1],
                   &l));
  size_t size = kind == TL_LANES_F32 ? sizeof(float) : sizeof(double), count, n_out, row, wide;
  if (!tl_type_count(x->type, &count) || !tl_type_count(out->type, &n_out) ||
      !TL_MUL_OK(l.k, size, &row) || !TL_MUL_OK(row, (size_t)R, &wide))
    return TL_ERROR(INVALID_ARGUMENT, "quantized_matmul: the shape is not concrete or too large");
  size_t n_tokens = n_out / l.rows;
  uint8_t *xs = tl_arena_alloc_array(c->scratch, count, size, 16),
          *w = tl_arena_alloc(c->scratch, wide, 16);
  if (xs == NULL || w == NULL) return TL_OOM();
  tl_lanes_load_run(kind, x->type.dtype, x->data, 0, count, xs);
  tl_lanes y;
  for (size_t g = 0; n_tokens > 0 && g < l.groups; g++) {
    unpack_group(&l, kind, &c->in[1], g, w);
    for (size_t t = 0; t < n_tokens; t++) {
      if (kind == TL_LANES_F32)
        tl_ref_dot16_f32((const float *)xs + t * l.k, (const float *)w, l.k, y.f32);
      else
        tl_ref_dot16_f64((const double *)xs + t * l.k, (const double *)w, l.k, y.f64);
      times_rows(&l, kind, &c->in[1], g, &y);
      tl_lanes_store(&y, kind, out->type.dtype, out->data, t * l.rows + g * R,
                     TL_MIN(l.rows - g * R, (size_t)R));
    }
  }
  return TL_OK;
}

tl_status
ref_eval_QUANTIZED_EMBEDDING(tl_ref_call *c) { // whole rows; an index is clamped into range
  const tl_tensor *indices = &c->in[1], *out = &c->out[0].t;
  tl_lanes_kind kind = tl_lanes_kind_of(out->type.dtype);
  layout l;
  TL_TRY(layout_of(c, tl_op_str(c->op, TL_A_QUANTIZED_EMBEDDING_format),
                   tl_op_i64(c->op, TL_A_QUANTIZED_EMBEDDING_rows),
                   tl_op_i64(c->op, TL_A_QUANTIZED_EMBEDDING_k), &l));
  size_t size = kind == TL_LANES_F32 ? sizeof(float) : sizeof(double), count, n;
  if (!tl_type_count(indices->type, &n) || !TL_MUL_OK(l.k, (size_t)R, &count))
    return TL_ERROR(INVALID_ARGUMENT,
                    "quantized_embedding: the shape is not concrete or too large");
  void *w = tl_arena_alloc_array(c->scratch, count, size, 16);
  if (w == NULL) return TL_OOM();
  for (size_t i = 0; i < n; i++) {
    int64_t index = TL_MAX(0, TL_MIN(tl_ref_index(indices, i), (int64_t)l.rows - 1));
    unpack_group(&l, kind, &c->in[0], (size_t)index / R, w);
    for (size_t k = 0; k < l.k; k++) {
      tl_lanes x;
      if (kind == TL_LANES_F32)
        memcpy(x.f32, (float *)w + k * R, R * sizeof(float));
      else
        memcpy(x.f64, (double *)w + k * R, R * sizeof(double));
      times_rows(&l, kind, &c->in[0], (size_t)index / R, &x);
      if (kind == TL_LANES_F32)
        x.f32[0] = x.f32[(size_t)index % R];
      else
        x.f64[0] = x.f64[(size_t)index % R];
      tl_lanes_store(&x, kind, out->type.dtype, out->data, i * l.k + k, 1);
    }
  }
  return TL_OK;
}
