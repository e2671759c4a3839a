// Decompositions of the ops on quantised weights: packed planes into numbers, and a checkpoint's
// blocks into planes.
//
// ir/formats.def has the picture of the packed layout; here it is written in slices, shifts and
// transposes, so that any StableHLO consumer reads our weights, and so that our kernels have
// something to equal by bits.
//
// Legend: g groups of 16 rows, k elements a row, nb = k/block blocks a row. A `field` is a run of
// bytes at a fixed place of every stored block; a `plane` is a run of bytes at a fixed place of
// every packed group.
//
// Stored blocks (the bytes of a checkpoint), in order:
//
//   q8_0  d:f16  q:i8[32]
//   q4_0  d:f16  nibbles[16]                        q4_1  d, m:f16  nibbles[16]
//   q5_0  d:f16  high:u32  nibbles[16]              q5_1  d, m:f16  high:u32  nibbles[16]
//   q4_k  d, dmin:f16  scales[12]  nibbles[128]
//   q5_k  d, dmin:f16  scales[12]  high[32]  nibbles[128]
//   q6_k  nibbles[128]  high[64]  scales:i8[16]  d:f16
//
// The formats of int8, fp8 and nvfp4 are rows of codes with their scales behind them (formats.def).
//
// Nibbles come in chunks of C bytes (16, or 32 for q4_k and q5_k, or 64 for q6_k): the low halves
// are the first C elements of 2C, the high halves the next C. The 12 bytes of scales hold eight
// 6-bit scales and eight 6-bit minima.
#include "ir/decompose_emit.h"

// ---- Small words ----

static tl_type typed(tl_dtype dtype, const int64_t *dims, uint32_t rank) {
  return (tl_type){dtype, rank, dims};
}
static tl_value fill_i64(tl_builder *b, tl_type t, int64_t value) {
  return tlo_broadcast(b, tlo_constant_i64(b, tl_type_scalar(t.dtype), value), t, NULL);
}

static tl_value with_number(tl_builder *b, tl_opcode code, tl_value x, int64_t number) {
  if (x == NULL) return NULL;
  return tlo_binary(b, code, x, fill_i64(b, x->type, number));
}
static tl_value and_number(tl_builder *b, tl_value x, int64_t n) {
  return with_number(b, TL_OP_AND, x, n);
}
static tl_value shift_right(tl_builder *b, tl_value x, int64_t n) {
  return with_number(b, TL_OP_SHIFT_RIGHT_LOGICAL, x, n);
}
static tl_value shift_left(tl_builder *b, tl_value x, int64_t n) {
  return with_number(b, TL_OP_SHIFT_LEFT, x, n);
}

tl_value tl_emit_part(tl_builder *b, tl_value x, uint32_t dim, int64_t from, int64_t to) {
  if (x == NULL) return NULL;
  int64_t start[TL_MAX_RANK] = {0}, limit[TL_MAX_RANK];
  for (uint32_t d = 0; d < x->type.rank; d++)
    limit[d] = x->type.dims[d];
  start[dim] = from, limit[dim] = to;
  return tlo_slice(b, x, start, limit, NULL);
}

// bytes[..., n] -> the n*8/width fields of `width` bits in each, lowest first, as a new last dim:
// [..., n, 8/width].
static tl_value bits_apart(tl_builder *b, tl_value x, uint32_t dim, int64_t count, int64_t width) {
  if (x == NULL) return NULL;
  int64_t dims[TL_MAX_RANK], from[TL_MAX_RANK];
  uint32_t rank = x->type.rank + 1;
  for (uint32_t d = 0; d < x->type.rank; d++)
    from[d] = d < dim ? d : d + 1, dims[from[d]] = x->type.dims[d];
  dims[dim] = count;
  tl_type t = {x->type.dtype, rank, dims};
  tl_value spread = tlo_broadcast(b, x, t, from), at = tlo_iota(b, t, dim);
  if (width != 1) at = with_number(b, TL_OP_MULTIPLY, at, width);
  return and_number(b, tlo_binary(b, TL_OP_SHIFT_RIGHT_LOGICAL, spread, at), (1 << width) - 1);
}

// ---- Packed planes to numbers ----

typedef struct planes {
  tl_builder *b;
  tl_value packed; // ui8 [g, G]
  int64_t g, k;
  const tl_format_info *info;
  tl_format_planes at;
} planes;

// A plane of little-endian elements [n, 16] a group, as f32 [g, 16, n].
static tl_value plane_numbers(const planes *p, size_t offset, tl_dtype dtype, int64_t n) {
  tl_builder *b = p->b;
  int64_t size = tl_dtype_get(dtype)->size, from = (int64_t)offset;
  tl_value x = tl_emit_part(b, p->packed, 1, from, from + n * TL_ROW_GROUP * size);
  if (size == 1)
    x = tlo_reshape(b, x, TL_EMIT_DIMS(p->g, n, TL_ROW_GROUP));
  else
    x = tlo_reshape(b, x, TL_EMIT_DIMS(p->g, n, TL_ROW_GROUP, size));
  if (dtype != TL_DTYPE_U8)
    x = tlo_bitcast(b, x, typed(dtype, TL_EMIT_DIMS(p->g, n, TL_ROW_GROUP)));
  return tlo_transpose(b, tlo_convert(b, x, TL_DTYPE_F32), (int64_t[]){0, 2, 1});
}

// [g, 16, n] -> [g, 16, m], each value for the m/n elements it belongs to.
static tl_value each(const planes *p, tl_value x, int64_t n, int64_t m) {
  tl_type t = typed(TL_DTYPE_F32, TL_EMIT_DIMS(p->g, TL_ROW_GROUP, n, m / n));
  return tlo_reshape(p->b, tlo_broadcast(p->b, x, t, (int64_t[]){0, 1, 2}),
                     TL_EMIT_DIMS(p->g, TL_ROW_GROUP, m));
}

// The codes, high bits joined, as integers or e4m3 floats [g, 16, k].
static tl_value plane_codes(const planes *p) {
  tl_builder *b = p->b;
  const int64_t g = p->g, k = p->k, row = TL_ROW_GROUP;
  tl_value q = tl_emit_part(b, p->packed, 1, 0, (int64_t)p->at.high);
  if (p->info->code_bits == 8) {
    q = tlo_reshape(b, q, TL_EMIT_DIMS(g, k / 4, row, 4));
    q = tlo_bitcast(b, q,
                    typed(tl_scale_is_fp8(p->info->scale) ? TL_DTYPE_F8E4M3FN : TL_DTYPE_S8,
                          TL_EMIT_DIMS(g, k / 4, row, 4)));
    q = tlo_transpose(b, q, (int64_t[]){0, 2, 1, 3});
  } else { // nibbles, low ones first: [g, k/8, 16, 2, 4]
    q = bits_apart(b, tlo_reshape(b, q, TL_EMIT_DIMS(g, k / 8, row, 4)), 3, 2, 4);
    q = tlo_transpose(b, q, (int64_t[]){0, 2, 1, 3, 4});
  }
  q = tlo_reshape(b, q, TL_EMIT_DIMS(g, row, k));
  if (p->info->scale == TL_SCALE_er) {
    static const int8_t codes[] = {TL_E2M1_CODES};
    tl_value table = tlo_constant(b, typed(TL_DTYPE_S8, TL_EMIT_DIMS(16)), codes, sizeof codes);
    q = tlo_take_rows(b, table, tlo_convert(b, q, TL_DTYPE_S32));
  }
  if (p->info->high_bits != 0) {
    int64_t per = 32 / p->info->high_bits; // elements a word
    tl_value h = tl_emit_part(b, p->packed, 1, (int64_t)p->at.high, (int64_t)p->at.sc);
    h = tlo_reshape(b, h, TL_EMIT_DIMS(g, k / per, row, 4));
    h = bits_apart(b, h, 4, 8 / p->info->high_bits,
                   p->info->high_bits); // [g, k/per, 16, 4 bytes, elements a byte]
    h = tlo_transpose(b, h, (int64_t[]){0, 2, 1, 3, 4});
    h = shift_left(b, tlo_reshape(b, h, TL_EMIT_DIMS(g, row, k)), 4);
    q = tlo_binary(b, TL_OP_OR, q, h);
  }
  return q;
}

// Elements of a row that share scale and minimum.
static int64_t run_of(const tl_format_info *info) { return info->sub ? info->sub : info->block; }

// A dot with each of the first `rows` rows, [..., rows], times the row's scale where there are
// such.
static tl_value times_row_scales(const planes *p, tl_value y, int64_t rows) {
  if (!tl_scale_of_row(p->info->scale) || y == NULL) return y;
  tl_builder *b = p->b;
  tl_value s = tlo_reshape(b, plane_numbers(p, p->at.row, TL_DTYPE_F32, 1),
                           TL_EMIT_DIMS(p->g * TL_ROW_GROUP));
  if (p->g * TL_ROW_GROUP != rows) s = tl_emit_part(b, s, 0, 0, rows);
  return tlo_mul(b, y, tlo_broadcast(b, s, y->type, (int64_t[]){(int64_t)y->type.rank - 1}));
}

// S and M [g, 16, k/run] of w = S * (code - zero) + M; NULL where the format has none.
static void plane_scales(const planes *p, tl_value *out_scale, tl_value *out_min) {
  tl_builder *b = p->b;
  *out_scale = *out_min = NULL;
  if (p->info->scale == TL_SCALE_r || p->info->scale == TL_SCALE_fr) return;
  if (p->info->scale == TL_SCALE_er) { // of half a code
    tl_value sc = plane_numbers(p, p->at.sc, TL_DTYPE_F8E4M3FN, p->k / p->info->sub);
    *out_scale = tlo_mul(b, sc, tl_emit_fill(b, tl_value_type(sc), 0.5));
    return;
  }
  const int64_t n = p->k / run_of(p->info), blocks = p->k / p->info->block;
  const bool small = p->info->sub != 0;
  tl_value d = plane_numbers(p, p->at.d, TL_DTYPE_F16, blocks), m = NULL;
  if (p->info->scale == TL_SCALE_dm || p->info->scale == TL_SCALE_kdm)
    m = plane_numbers(p, p->at.m, TL_DTYPE_F16, blocks);
  if (small) {
    const tl_dtype code = p->info->scale == TL_SCALE_kd ? TL_DTYPE_S8 : TL_DTYPE_U8;
    d = tlo_mul(b, each(p, d, blocks, n), plane_numbers(p, p->at.sc, code, n));
    if (m != NULL)
      m = tlo_unary(b, TL_OP_NEGATE,
                    tlo_mul(b, each(p, m, blocks, n), plane_numbers(p, p->at.mn, code, n)));
  }
  *out_scale = d, *out_min = m;
}

static planes planes_of(tl_builder *b, tl_value packed, tl_format f, int64_t k) {
  planes p = {
      .b = b, .packed = packed, .g = packed->type.dims[0], .k = k, .info = tl_format_get(f)};
  if (p.info->code_bits != 0) {
    bool known = tl_format_plane_offsets(f, (size_t)k, &p.at); // the type rule has seen to it
    TL_ASSERT(known);
    (void)known;
  }
  return p;
}

// Of 128 elements each, the last ones perhaps fewer: f32 [g, 16, k].
static tl_value fp8_scales(const planes *p) {
  const int64_t n = (p->k + TL_FP8_BLOCK - 1) / TL_FP8_BLOCK;
  tl_value d = plane_numbers(p, p->at.d, TL_DTYPE_F32, n);
  d = each(p, d, n, n * TL_FP8_BLOCK);
  return n * TL_FP8_BLOCK == p->k ? d : tl_emit_part(p->b, d, 2, 0, p->k);
}

// Packed groups [g, ...] as f32 [g, 16, k], without the scales of rows.
static tl_value unpack(tl_builder *b, tl_value packed, tl_format f, int64_t k) {
  if (packed == NULL) return NULL;
  const tl_format_info *info = tl_format_get(f);
  const int64_t g = packed->type.dims[0], row = TL_ROW_GROUP;
  const planes p = planes_of(b, packed, f, k);
  if (info->code_bits == 0) {
    if (info->bytes == 4) return tlo_transpose(b, packed, (int64_t[]){0, 2, 1});
    tl_value x = tlo_transpose(b, packed, (int64_t[]){0, 2, 1, 3}); // [g, 16, ceil(k/2), 2]
    x = tlo_reshape(b, x, TL_EMIT_DIMS(g, row, k + k % 2));
    if (k % 2 != 0) x = tl_emit_part(b, x, 2, 0, k);
    return tlo_convert(b, x, TL_DTYPE_F32);
  }
  tl_value q = tlo_convert(b, plane_codes(&p), TL_DTYPE_F32), scale, min;
  if (info->zero != 0) q = tlo_sub(b, q, tl_emit_fill(b, tl_value_type(q), info->zero));
  if (info->scale == TL_SCALE_fb) return tlo_mul(b, fp8_scales(&p), q);
  plane_scales(&p, &scale, &min);
  if (scale == NULL) return q;
  q = tlo_mul(b, each(&p, scale, k / run_of(info), k), q);
  return min == NULL ? q : tlo_add(b, q, each(&p, min, k / run_of(info), k));
}

static tl_format format_of(const tl_op *op, tl_attr_id id) {
  tl_format f = TL_FORMAT_F32;
  bool known = tl_format_of_name(tl_op_str(op, id), &f); // the type rule has refused any other
  TL_ASSERT(known);
  (void)known;
  return f;
}

tl_value tl_emit_QUANTIZED_MATMUL(tl_builder *b, const tl_op *op, const tl_value *x) {
  tl_type t = x[0]->type; // [..., k]
  int64_t last = t.rank - 1, k = t.dims[last], rows = tl_op_i64(op, TL_A_QUANTIZED_MATMUL_rows);
  const tl_format f = format_of(op, TL_A_QUANTIZED_MATMUL_format);
  tl_value w = unpack(b, x[1], f, k);
  int64_t padded = (int64_t)tl_format_groups((size_t)rows) * TL_ROW_GROUP;
  w = tlo_reshape(b, w, TL_EMIT_DIMS(padded, k));
  if (padded != rows) w = tl_emit_part(b, w, 0, 0, rows);
  const planes p = planes_of(b, x[1], f, k);
  return times_row_scales(&p, tlo_dot(b, x[0], w, NULL, NULL, 0, &last, (int64_t[]){1}, 1), rows);
}

// ---- Products of bf16 in AMX's order ----

// x, zero where its magnitude is below `least`.
static tl_value without_less(tl_builder *b, tl_value x, double least) {
  if (x == NULL) return NULL;
  const tl_type t = x->type;
  tl_value small = tlo_compare(b, TL_COMPARISON_DIRECTION_LT, tlo_unary(b, TL_OP_ABS, x),
                               tl_emit_fill(b, t, least));
  return tlo_select(b, small, tl_emit_fill(b, t, 0), x);
}

tl_value tl_emit_bf16_runs(tl_builder *b, tl_value x, int64_t runs) {
  if (x == NULL) return NULL;
  const int64_t n = x->type.dims[0], more = runs * TL_BF16_RUN - x->type.dims[1];
  if (more != 0) {
    tl_value none = tl_emit_fill(b, typed(TL_DTYPE_F32, TL_EMIT_DIMS(n, more)), 0);
    x = tlo_concat(b, (tl_value[]){x, none}, 2, 1);
  }
  return tlo_reshape(b, x, TL_EMIT_DIMS(n, runs, TL_BF16_RUN / 2, 2));
}

// Rows are multiplied by 2^64 and small ones are zero: with weights that are not subnormal, every
// product and sum is then a multiple of 2^-126 (a bf16 of 2^14 or more ends at 2^7, a weight of
// 2^-126 or more at 2^-133), so none is subnormal.
tl_value tl_emit_bf16_rows(tl_builder *b, tl_value x) {
  return without_less(b, tlo_mul(b, x, tl_emit_fill(b, tl_value_type(x), 0x1p64)), 0x1p14);
}
tl_value tl_emit_bf16_weights(tl_builder *b, tl_value w) { return without_less(b, w, 0x1p-126); }

tl_value tl_emit_BF16_MATMUL(tl_builder *b, const tl_op *op, const tl_value *x) {
  const tl_type t = x[0]->type, out = op->results[0]->type;
  const int64_t k = t.dims[t.rank - 1], rows = tl_op_i64(op, TL_A_BF16_MATMUL_rows);
  const int64_t runs = (k + TL_BF16_RUN - 1) / TL_BF16_RUN,
                padded = x[1]->type.dims[0] * TL_ROW_GROUP, zeroth = 0, second = 2;
  int64_t T = 1;
  for (uint32_t d = 0; d + 1 < t.rank; d++)
    T = tl_emit_dim_mul(b, T, t.dims[d]);
  tl_value of = tlo_reshape(b, tlo_convert(b, x[0], TL_DTYPE_F32), TL_EMIT_DIMS(T, k));
  of = tl_emit_bf16_runs(b, tl_emit_bf16_rows(b, of), runs);
  tl_value w = tlo_reshape(b, unpack(b, x[1], TL_FORMAT_BF16, k), TL_EMIT_DIMS(padded, k));
  w = tl_emit_bf16_runs(b, tl_emit_bf16_weights(b, w), runs);
  // [runs, 2, T, padded]
  tl_value chains = tlo_dot(b, of, w, (int64_t[]){1, 3}, (int64_t[]){1, 3}, 2, &second, &second, 1);
  tl_value y = tlo_add(b, tl_emit_part(b, chains, 1, 0, 1), tl_emit_part(b, chains, 1, 1, 2));
  y = tlo_reshape(b, y, TL_EMIT_DIMS(runs, T, padded));
  tl_value ones = tl_emit_fill(b, typed(TL_DTYPE_F32, TL_EMIT_DIMS(runs)), 1);
  y = tlo_dot(b, y, ones, NULL, NULL, 0, &zeroth, &zeroth, 1);
  y = tlo_mul(b, y, tl_emit_fill(b, tl_value_type(y), 0x1p-64));
  if (padded != rows) y = tl_emit_part(b, y, 1, 0, rows);
  return tlo_reshape(b, y, out.dims, out.rank);
}

// ---- Products of 8-bit codes ----

void tl_emit_QUANTIZE_INT8(tl_builder *b, const tl_op *op, const tl_value *x, tl_value *y) {
  const tl_type t = x[0]->type, d = op->results[1]->type; // [..., k], [..., k/32]
  int64_t dims[TL_MAX_RANK + 1], last = t.rank;
  memcpy(dims, d.dims, d.rank * sizeof *dims);
  dims[last] = TL_INT8_BLOCK;
  tl_value blocks = tlo_reshape(b, x[0], dims, t.rank + 1);
  tl_value zero = tlo_constant_f64(b, tl_type_scalar(TL_DTYPE_F32), 0);
  tl_value largest = tlo_reduce(b, tlo_unary(b, TL_OP_ABS, blocks), zero, &last, 1, TL_OP_MAXIMUM);
  y[1] = tlo_binary(b, TL_OP_DIVIDE, largest, tl_emit_fill(b, d, 127));
  if (b->error != TL_OK) return;
  const tl_type whole = blocks->type;
  tl_value q = tlo_binary(b, TL_OP_DIVIDE, blocks, tl_emit_spread(b, y[1], whole, &last, 1));
  q = tlo_select(b, tlo_unary(b, TL_OP_IS_FINITE, q), q, tl_emit_fill(b, whole, 0));
  q = tlo_unary(b, TL_OP_ROUND_NEAREST_EVEN, q);
  q = tlo_binary(b, TL_OP_MAXIMUM, q, tl_emit_fill(b, whole, -127));
  q = tlo_binary(b, TL_OP_MINIMUM, q, tl_emit_fill(b, whole, 127));
  y[0] = tlo_reshape(b, tlo_convert(b, q, TL_DTYPE_S8), t.dims, t.rank);
}

tl_value tl_emit_INT8_MATMUL(tl_builder *b, const tl_op *op, const tl_value *x) {
  const tl_type t = x[0]->type, out = op->results[0]->type;
  const int64_t k = t.dims[t.rank - 1], rows = tl_op_i64(op, TL_A_INT8_MATMUL_rows);
  const tl_format f = format_of(op, TL_A_INT8_MATMUL_format);
  const tl_format_info *info = tl_format_get(f);
  const int64_t run = run_of(info), n = k / run, g = x[2]->type.dims[0], padded = g * TL_ROW_GROUP;
  int64_t T = 1;
  for (uint32_t d = 0; d + 1 < t.rank; d++)
    T = tl_emit_dim_mul(b, T, t.dims[d]);
  const planes p = planes_of(b, x[2], f, k);
  // [n, T, padded]: the sums of integers
  tl_value codes = tlo_convert(b, tlo_reshape(b, x[0], TL_EMIT_DIMS(T, n, run)), TL_DTYPE_S32);
  tl_value w =
      tlo_convert(b, tlo_reshape(b, plane_codes(&p), TL_EMIT_DIMS(padded, n, run)), TL_DTYPE_S32);
  if (info->zero != 0 && w != NULL) w = tlo_sub(b, w, fill_i64(b, w->type, info->zero));
  const int64_t first = 0, second = 1, third = 2;
  tl_value sums = tlo_dot(b, codes, w, &second, &second, 1, &third, &third, 1);
  sums = tlo_convert(b, sums, TL_DTYPE_F32);
  // their scales: of the row times of the weight
  tl_value scale, min, d = tlo_reshape(b, x[1], TL_EMIT_DIMS(T, k / TL_INT8_BLOCK));
  if (n != k / TL_INT8_BLOCK) {
    d = tlo_broadcast(b, d,
                      typed(TL_DTYPE_F32, TL_EMIT_DIMS(T, k / TL_INT8_BLOCK, TL_INT8_BLOCK / run)),
                      (int64_t[]){0, 1});
    d = tlo_reshape(b, d, TL_EMIT_DIMS(T, n));
  }
  plane_scales(&p, &scale, &min);
  const tl_type each_run = typed(TL_DTYPE_F32, TL_EMIT_DIMS(n, T, padded));
  tl_value by = tlo_broadcast(b, d, each_run, (int64_t[]){1, 0});
  if (scale != NULL) {
    scale = tlo_broadcast(b, tlo_reshape(b, scale, TL_EMIT_DIMS(padded, n)), each_run,
                          (int64_t[]){2, 0});
    by = tlo_mul(b, by, scale);
  }
  tl_value y = tlo_dot(b, by, sums, (int64_t[]){1, 2}, (int64_t[]){1, 2}, 2, &first, &first, 1);
  if (min != NULL) {
    tl_value zero = tlo_constant_i64(b, tl_type_scalar(TL_DTYPE_S32), 0);
    tl_value total = tlo_reduce(b, codes, zero, &third, 1, TL_OP_ADD);
    total = tlo_mul(b, d, tlo_convert(b, total, TL_DTYPE_F32));
    min = tlo_reshape(b, min, TL_EMIT_DIMS(padded, n));
    y = tlo_add(b, y, tlo_dot(b, total, min, NULL, NULL, 0, &second, &second, 1));
  }
  if (padded != rows) y = tl_emit_part(b, y, 1, 0, rows);
  y = times_row_scales(&p, y, rows);
  return tlo_reshape(b, y, out.dims, out.rank);
}

// Only the groups that the indices name are unpacked; of each group one row is kept.
tl_value tl_emit_QUANTIZED_EMBEDDING(tl_builder *b, const tl_op *op, const tl_value *x) {
  tl_type t = x[1]->type; // indices
  int64_t n = 1;
  for (uint32_t d = 0; d < t.rank; d++)
    n = t.dims[d] == 0 ? 0 : tl_emit_dim_mul(b, n, t.dims[d]);
  int64_t k = tl_op_i64(op, TL_A_QUANTIZED_EMBEDDING_k),
          rows = tl_op_i64(op, TL_A_QUANTIZED_EMBEDDING_rows);
  if (n == 0)
    return tlo_constant_f64(b, op->results[0]->type, 0); // a row of nothing cannot be taken
  tl_value idx = t.rank == 1 ? x[1] : tlo_reshape(b, x[1], &n, 1);
  tl_value low = tlo_constant_i64(b, tl_type_scalar(TL_DTYPE_S32), 0);
  tl_value high =
      tlo_constant_i64(b, tl_type_scalar(TL_DTYPE_S32), TL_MIN(rows - 1, (int64_t)INT32_MAX));
  tl_op *clamp =
      tl_op_finish(b, tl_op_begin(b, TL_OP_CLAMP, (tl_value[]){low, idx, high}, 3), NULL, 0);
  if (clamp == NULL) return NULL;
  idx = clamp->results[0];
  tl_value group = shift_right(b, idx, 4), lane = and_number(b, idx, TL_ROW_GROUP - 1);
  const tl_format f = format_of(op, TL_A_QUANTIZED_EMBEDDING_format);
  tl_value taken = tlo_take_rows(b, x[0], group), w = unpack(b, taken, f, k);
  if (w != NULL && tl_scale_of_row(tl_format_get(f)->scale)) {
    const planes p = planes_of(b, taken, f, k);
    tl_value s = plane_numbers(&p, p.at.row, TL_DTYPE_F32, 1);
    w = tlo_mul(b, w, each(&p, s, 1, k));
  }
  w = tlo_reshape(b, w, TL_EMIT_DIMS(tl_emit_dim_mul(b, n, TL_ROW_GROUP), k));
  tl_value at = shift_left(b, tlo_iota(b, typed(TL_DTYPE_S32, TL_EMIT_DIMS(n)), 0), 4);
  w = tlo_take_rows(b, w, tlo_add(b, at, lane));
  return t.rank == 1 ? w : tlo_reshape(b, w, op->results[0]->type.dims, t.rank + 1);
}

// ---- Stored blocks to packed planes ----

typedef struct blocks {
  tl_builder *b;
  tl_value stored; // ui8 [g, 16, nb, bytes], or [g, 16, row bytes] where scales lie behind codes
  int64_t g, nb, k;
  tl_value planes[8]; // ui8 [g, plane bytes], in the order of the packed layout
  uint32_t n_planes;
} blocks;

// Bytes [from, to) of every block: ui8 [g, 16, nb, to - from].
static tl_value field(const blocks *s, int64_t from, int64_t to) {
  return tl_emit_part(s->b, s->stored, 3, from, to);
}

// [g, 16, n, per] with `per` bytes for each of n places of a row: the rows go inside, and that is
// the next plane.
static void plane_add(blocks *s, tl_value x, int64_t n, int64_t per) {
  x = tlo_reshape(s->b, x, TL_EMIT_DIMS(s->g, TL_ROW_GROUP, n, per));
  x = tlo_transpose(s->b, x, (int64_t[]){0, 2, 1, 3});
  s->planes[s->n_planes++] = tlo_reshape(s->b, x, TL_EMIT_DIMS(s->g, n * TL_ROW_GROUP * per));
}

// Nibbles stored in chunks of C bytes -> codes of a byte each, [g, 16, k] -> packed pairs (k, k+4)
// of every eight.
static void plane_nibbles(blocks *s, int64_t from, int64_t to, int64_t chunk) {
  tl_builder *b = s->b;
  const int64_t row = TL_ROW_GROUP;
  tl_value q = tlo_reshape(b, field(s, from, to),
                           TL_EMIT_DIMS(s->g, row, s->nb * (to - from) / chunk, chunk));
  q = tlo_reshape(b, bits_apart(b, q, 3, 2, 4), TL_EMIT_DIMS(s->g, row, s->k / 8, 2, 4));
  tl_value low = tl_emit_part(b, q, 3, 0, 1), high = shift_left(b, tl_emit_part(b, q, 3, 1, 2), 4);
  plane_add(s, tlo_binary(b, TL_OP_OR, low, high), s->k / 8, 4);
}

// Values of `width` bits, a byte each [g, 16, k], joined into bytes, the first lowest.
static void plane_bits(blocks *s, tl_value x, int64_t width) {
  tl_builder *b = s->b;
  const int64_t per = 8 / width;
  tl_type t = typed(TL_DTYPE_U8, TL_EMIT_DIMS(s->g, TL_ROW_GROUP, s->k / per, per));
  x = tlo_reshape(b, x, t.dims, t.rank);
  tl_value at = tlo_iota(b, t, 3);
  if (width != 1) at = with_number(b, TL_OP_MULTIPLY, at, width);
  x = tlo_binary(b, TL_OP_SHIFT_LEFT, x, at);
  tl_value zero = tlo_constant_i64(b, tl_type_scalar(TL_DTYPE_U8), 0);
  x = tlo_reduce(b, x, zero, (int64_t[]){3}, 1, TL_OP_ADD);
  plane_add(s, x, s->k / per / 4, 4);
}

// The 12 bytes of scales: eight 6-bit scales, then eight 6-bit minima, of which the last four of
// each are split.
//   bytes 0-3 a, 4-7 b, 8-11 c:  scale   = a & 63, then (c & 15) | (a >> 6) << 4
//                                minimum = b & 63, then c >> 4 | (b >> 6) << 4
static void plane_k_scales(blocks *s, int64_t from) {
  tl_builder *b = s->b;
  tl_value c = field(s, from + 8, from + 12);
  for (int64_t i = 0; i < 2; i++) {
    tl_value a = field(s, from + 4 * i, from + 4 * i + 4);
    tl_value first = and_number(b, a, 63);
    tl_value low = i == 0 ? and_number(b, c, 15) : shift_right(b, c, 4);
    tl_value top = shift_left(b, shift_right(b, a, 6), 4);
    tl_value second = tlo_binary(b, TL_OP_OR, low, top);
    plane_add(s, tlo_concat(b, (tl_value[]){first, second}, 2, 3), s->k / 32, 1);
  }
}

static void plane_f16(blocks *s, int64_t from) { plane_add(s, field(s, from, from + 2), s->nb, 2); }

// A row's bytes [from, from + n * per).
static void plane_of_row(blocks *s, int64_t from, int64_t n, int64_t per) {
  plane_add(s, tl_emit_part(s->b, s->stored, 2, from, from + n * per), n, per);
}

// Rows whose scales lie behind all codes.
static void pack_row(blocks *s, tl_format f) {
  tl_builder *b = s->b;
  const int64_t k = s->k, row = TL_ROW_GROUP;
  if (f != TL_FORMAT_NVFP4) {
    plane_of_row(s, 0, k / 4, 4);
    plane_of_row(s, k, f == TL_FORMAT_FP8_BLOCK ? (k + TL_FP8_BLOCK - 1) / TL_FP8_BLOCK : 1, 4);
    return;
  }
  tl_value q =
      tlo_reshape(b, tl_emit_part(b, s->stored, 2, 0, k / 2), TL_EMIT_DIMS(s->g, row, k / 2));
  q = tlo_reshape(b, bits_apart(b, q, 3, 2, 4), TL_EMIT_DIMS(s->g, row, k / 8, 2, 4)); // k in order
  tl_value low = tl_emit_part(b, q, 3, 0, 1), high = shift_left(b, tl_emit_part(b, q, 3, 1, 2), 4);
  plane_add(s, tlo_binary(b, TL_OP_OR, low, high), k / 8, 4);
  plane_of_row(s, k / 2, k / 16, 1);
  plane_of_row(s, k / 2 + k / 16, 1, 4);
}

static void pack_blocks(blocks *s, tl_format f) {
  tl_builder *b = s->b;
  const int64_t g = s->g, nb = s->nb, row = TL_ROW_GROUP;
  switch (f) {
  case TL_FORMAT_Q8_0:
    plane_add(s, field(s, 2, 34), s->k / 4, 4);
    plane_f16(s, 0);
    break;
  case TL_FORMAT_Q4_0:
    plane_nibbles(s, 2, 18, 16);
    plane_f16(s, 0);
    break;
  case TL_FORMAT_Q4_1:
    plane_nibbles(s, 4, 20, 16);
    plane_f16(s, 0);
    plane_f16(s, 2);
    break;
  case TL_FORMAT_Q5_0: // bit e of the stored word is element e's, as in the plane
    plane_nibbles(s, 6, 22, 16);
    plane_add(s, field(s, 2, 6), nb, 4);
    plane_f16(s, 0);
    break;
  case TL_FORMAT_Q5_1:
    plane_nibbles(s, 8, 24, 16);
    plane_add(s, field(s, 4, 8), nb, 4);
    plane_f16(s, 0);
    plane_f16(s, 2);
    break;
  case TL_FORMAT_Q4_K:
    plane_nibbles(s, 16, 144, 32);
    plane_k_scales(s, 4);
    plane_f16(s, 0);
    plane_f16(s, 2);
    break;
  case TL_FORMAT_Q5_K: // bit s of byte l is that of element 32 s + l
    plane_nibbles(s, 48, 176, 32);
    plane_bits(s, bits_apart(b, field(s, 16, 48), 3, 8, 1), 1);
    plane_k_scales(s, 4);
    plane_f16(s, 0);
    plane_f16(s, 2);
    break;
  case TL_FORMAT_Q6_K: { // bits 2s, 2s+1 of byte l of a half are those of the half's element 32 s +
                         // l
    plane_nibbles(s, 0, 128, 64);
    tl_value h = tlo_reshape(b, field(s, 128, 192), TL_EMIT_DIMS(g, row, nb * 2, 32));
    plane_bits(s, bits_apart(b, h, 3, 4, 2), 2);
    plane_add(s, field(s, 192, 208), s->k / 16, 1);
    plane_f16(s, 208);
    break;
  }
  case TL_FORMAT_INT8:
  case TL_FORMAT_FP8:
  case TL_FORMAT_FP8_BLOCK:
  case TL_FORMAT_NVFP4:
    pack_row(s, f);
    break;
  case TL_FORMAT_F32:
  case TL_FORMAT_F16:
  case TL_FORMAT_BF16:
  case TL_FORMAT_COUNT:
    break;
  }
}

static tl_value pack_dense(tl_builder *b, tl_value x, const tl_format_info *info, int64_t g,
                           int64_t k) {
  if (info->bytes == 4)
    return tlo_transpose(b, tlo_reshape(b, x, TL_EMIT_DIMS(g, TL_ROW_GROUP, k)),
                         (int64_t[]){0, 2, 1});
  x = tlo_reshape(b, x, TL_EMIT_DIMS(g, TL_ROW_GROUP, (k + 1) / 2, 2));
  return tlo_transpose(b, x, (int64_t[]){0, 2, 1, 3});
}

tl_value tl_emit_PACK_WEIGHTS(tl_builder *b, const tl_op *op, const tl_value *x) {
  tl_format f = format_of(op, TL_A_PACK_WEIGHTS_format);
  const tl_format_info *info = tl_format_get(f);
  int64_t rows = tl_op_i64(op, TL_A_PACK_WEIGHTS_rows), k = tl_op_i64(op, TL_A_PACK_WEIGHTS_k);
  int64_t g = (int64_t)tl_format_groups((size_t)rows);
  int64_t more[] = {g * TL_ROW_GROUP - rows, info->code_bits == 0 && info->bytes == 2 ? k % 2 : 0};
  tl_value w = x[0];
  if (more[0] != 0 ||
      more[1] != 0) { // rows of zero bytes up to a whole group, an odd k up to a pair
    tl_value zero = tlo_constant_i64(b, tl_type_scalar(w->type.dtype), 0);
    tl_op *pad = tl_op_begin(b, TL_OP_PAD, (tl_value[]){w, zero}, 2);
    tl_op_set_list(b, pad, TL_A_PAD_edge_padding_low, (int64_t[]){0, 0}, 2);
    tl_op_set_list(b, pad, TL_A_PAD_edge_padding_high, more, 2);
    tl_op_set_list(b, pad, TL_A_PAD_interior_padding, (int64_t[]){0, 0}, 2);
    pad = tl_op_finish(b, pad, NULL, 0);
    if (pad == NULL) return NULL;
    w = pad->results[0];
  }
  if (info->code_bits == 0) return pack_dense(b, w, info, g, k);
  blocks s = {.b = b, .g = g, .nb = k / info->block, .k = k};
  if (tl_scale_of_row(info->scale) || info->scale == TL_SCALE_fb)
    s.stored = tlo_reshape(b, w, TL_EMIT_DIMS(g, TL_ROW_GROUP, x[0]->type.dims[1]));
  else
    s.stored = tlo_reshape(b, w, TL_EMIT_DIMS(g, TL_ROW_GROUP, s.nb, info->bytes));
  pack_blocks(&s, f);
  return tlo_concat(b, s.planes, s.n_planes, 1);
}
