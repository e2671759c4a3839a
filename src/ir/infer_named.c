// Type rules of named ops. Their constraints are numbered here, in the order of the checks:
//
//   embedding            c1 table [V,D] with V > 0   c2 indices of i32
//   rms_norm             c1 x of f32 or f64, rank 1 or more   c2 weight [n] of x's element type
//   rope                 c1 x [T,H,D] of f32 or f64, D even   c2 cos and sin [P,D/2], P > 0
//                        c3 positions i32 [T]
//   softmax              c1 x of f32 or f64   c2 axis is a dim of x
//   kv_cache_write       c1 cache [blocks,bs,KvH,D] of a float type   c2 new [T,KvH,D]
//                        c3 slots i32 [T]   c4 0 <= block_offset <= blocks
//                        c5 blocks*bs fits i32
//   paged_attention      c1 query [N,H,D] of f32, f64 or bf16
//                        c2 keys and values [blocks,bs,KvH,D] of one float type, blocks > 0
//                        c3 KvH divides H   c4 tables i32 [S,M], M*bs fits i32
//                        c5 lengths i32 [N]   c6 rows i32 [N], or without them S divides N
//                        c7 scale is finite   c8 0 <= offsets < blocks
//                        c9 precision_config of none or two   c10, c11 window and cap, 0 or more
//                        c12 with a query of bf16: keys of bf16, D and M*bs numbers above 0
//   quantized_matmul     c1 format is known   c2 x f32 [...,k]
//                        c3 k is whole blocks and rows > 0   c4 weight is packed [rows,k]
//   quantize_int8        c1 x f32 [...,k]   c2 k is whole blocks of 32
//   int8_matmul          c1 format of blocks   c2 codes i8 [...,k], scales f32 [...,k/32]
//                        c3 k is whole blocks and rows > 0   c4 weight is packed [rows,k]
//   bf16_matmul          c2 x bf16 [...,k]   c3 k > 0 and rows > 0   c4 weight is packed [rows,k]
//   quantized_embedding  c1 format   c2 indices of i32   c3 k and rows   c4 weight
//   pack_weights         c1 format   c3 k and rows   c4 stored [rows,k] or ui8 [rows,bytes]
#include "ir/rule.h"

#include "ir/format.h"

#include <math.h>

static bool is_i32(tl_type t, uint32_t rank) { return t.dtype == TL_DTYPE_S32 && t.rank == rank; }

tl_status tl_infer_embedding(tl_rule *r) {
  tl_type table = tl_rule_in(r, 0), idx = tl_rule_in(r, 1);
  TL_RULE(r, table.rank == 2 && table.dims[0] != 0, "c1", "wants a table [V, D], got %s",
          tl_rule_type(r, table));
  TL_RULE(r, idx.dtype == TL_DTYPE_S32, "c2", "wants indices of i32, got %s", tl_rule_type(r, idx));
  int64_t dims[TL_MAX_RANK + 1];
  memcpy(dims, idx.dims ? idx.dims : table.dims, idx.rank * sizeof *dims);
  dims[idx.rank] = table.dims[1];
  return tl_rule_give_dims(r, table.dtype, dims, idx.rank + 1, "c2");
}

tl_status tl_infer_rms_norm(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0), w = tl_rule_in(r, 1);
  TL_RULE(r, tl_rule_is_wide(x) && x.rank > 0, "c1", "wants f32 or f64 of rank 1 or more, got %s",
          tl_rule_type(r, x));
  TL_RULE(r, w.rank == 1 && tl_dim_agrees(w.dims[0], x.dims[x.rank - 1]) && w.dtype == x.dtype,
          "c2", "weight %s does not fit the last dim of %s", tl_rule_type(r, w),
          tl_rule_type(r, x));
  return tl_rule_give1(r, x, "c1");
}

tl_status tl_infer_rope(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0), c = tl_rule_in(r, 1), s = tl_rule_in(r, 2), p = tl_rule_in(r, 3);
  int64_t half = 0;
  TL_RULE(r, tl_rule_is_wide(x) && x.rank == 3 && tl_dim_divide(r->module, x.dims[2], 2, &half),
          "c1", "wants x [T, H, D] of f32 or f64, D even, got %s", tl_rule_type(r, x));
  TL_RULE(r,
          tl_type_agrees(c, s) && c.dtype == x.dtype && c.rank == 2 && c.dims[0] != 0 &&
              tl_dim_agrees(c.dims[1], half),
          "c2", "wants cos and sin [P, D/2], got %s and %s for %s", tl_rule_type(r, c),
          tl_rule_type(r, s), tl_rule_type(r, x));
  TL_RULE(r, is_i32(p, 1) && tl_dim_agrees(p.dims[0], x.dims[0]), "c3",
          "wants one i32 position for each of %s, got %s", tl_rule_type(r, x), tl_rule_type(r, p));
  return tl_rule_give1(r, x, "c1");
}

tl_status tl_infer_softmax(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0);
  int64_t axis = tl_op_i64(r->op, TL_A_SOFTMAX_axis);
  TL_RULE(r, tl_rule_is_wide(x), "c1", "wants f32 or f64, got %s", tl_rule_type(r, x));
  TL_RULE(r, axis >= 0 && axis < x.rank, "c2", "axis %lld is not a dim of %s", (long long)axis,
          tl_rule_type(r, x));
  return tl_rule_give1(r, x, "c1");
}

static bool is_pool(tl_type t) {
  return tl_rule_kind(t) == TL_KIND_FLOAT || t.dtype == TL_DTYPE_S8;
}
// Whether a head of D elements fills a row of the pool: D of them, or D codes and their scale.
static bool head_fits(tl_type pool, int64_t D) {
  if (pool.dtype != TL_DTYPE_S8) return tl_dim_agrees(D, pool.dims[3]);
  return D >= 0 && pool.dims[3] >= TL_KV_SCALE && D == pool.dims[3] - TL_KV_SCALE;
}

tl_status tl_infer_kv_cache_write(tl_rule *r) {
  tl_type cache = tl_rule_in(r, 0), rows = tl_rule_in(r, 1), slots = tl_rule_in(r, 2);
  int64_t offset = tl_op_i64(r->op, TL_A_KV_CACHE_WRITE_block_offset), positions;
  TL_RULE(
      r, cache.rank == 4 && is_pool(cache), "c1",
      "wants a cache [blocks, bs, KvH, D] of floats, or of i8 [blocks, bs, KvH, D + %d], got %s",
      TL_KV_SCALE, tl_rule_type(r, cache));
  TL_RULE(r,
          rows.rank == 3 && tl_rule_kind(rows) == TL_KIND_FLOAT &&
              tl_dim_agrees(rows.dims[1], cache.dims[2]) && head_fits(cache, rows.dims[2]),
          "c2", "new rows %s do not fit %s", tl_rule_type(r, rows), tl_rule_type(r, cache));
  TL_RULE(r, is_i32(slots, 1) && tl_dim_agrees(slots.dims[0], rows.dims[0]), "c3",
          "wants one i32 slot for each of %s, got %s", tl_rule_type(r, rows),
          tl_rule_type(r, slots));
  TL_RULE(r, cache.dims[1] >= 0 || offset == 0, "c4",
          "block_offset counts blocks of a known size, got %s", tl_rule_type(r, cache));
  TL_RULE(r, offset >= 0 && tl_dim_may_le(r->module, offset, cache.dims[0]), "c4",
          "block_offset %lld is not a block of %s", (long long)offset, tl_rule_type(r, cache));
  TL_RULE(r,
          tl_dim_mul(r->module, cache.dims[0], cache.dims[1], &positions) && positions <= INT32_MAX,
          "c5", "%s has more positions than i32 can number", tl_rule_type(r, cache));
  return tl_rule_give1(r, cache, "c1");
}

tl_status tl_infer_paged_attention(tl_rule *r) {
  const tl_op *op = r->op;
  TL_RULE(r, op->n_operands == 5 || op->n_operands == 6, NULL, "wants 5 or 6 operands, got %u",
          op->n_operands);
  tl_type q = tl_rule_in(r, 0), k = tl_rule_in(r, 1), v = tl_rule_in(r, 2),
          tables = tl_rule_in(r, 3), lengths = tl_rule_in(r, 4);
  int64_t ko = tl_op_i64(op, TL_A_PAGED_ATTENTION_key_offset),
          vo = tl_op_i64(op, TL_A_PAGED_ATTENTION_value_offset);
  const bool narrow = q.dtype == TL_DTYPE_BF16;
  TL_RULE(r, q.rank == 3 && (tl_rule_is_wide(q) || narrow), "c1",
          "wants a query [N, H, D] of f32, f64 or bf16, got %s", tl_rule_type(r, q));
  TL_RULE(r,
          tl_type_agrees(k, v) && k.rank == 4 && is_pool(k) && k.dims[0] != 0 &&
              head_fits(k, q.dims[2]),
          "c2", "wants keys and values [blocks, bs, KvH, D], got %s and %s for %s",
          tl_rule_type(r, k), tl_rule_type(r, v), tl_rule_type(r, q));
  int64_t share;
  TL_RULE(r, k.dims[2] > 0 && tl_dim_divide(r->module, q.dims[1], k.dims[2], &share), "c3",
          "%s heads do not share %s key heads evenly", tl_rule_dim(r, q.dims[1]),
          tl_rule_dim(r, k.dims[2]));
  TL_RULE(r, is_i32(tables, 2), "c4", "wants tables i32 [S, M], got %s", tl_rule_type(r, tables));
  int64_t positions;
  TL_RULE(r, tl_dim_mul(r->module, tables.dims[1], k.dims[1], &positions) && positions <= INT32_MAX,
          "c4", "a table of %s reaches more positions of %s than i32 can number",
          tl_rule_type(r, tables), tl_rule_type(r, k));
  TL_RULE(r, is_i32(lengths, 1) && tl_dim_agrees(lengths.dims[0], q.dims[0]), "c5",
          "wants one i32 length for each row of %s, got %s", tl_rule_type(r, q),
          tl_rule_type(r, lengths));
  if (op->n_operands == 6) {
    tl_type rows = tl_rule_in(r, 5);
    TL_RULE(r,
            is_i32(rows, 1) && tl_dim_agrees(rows.dims[0], q.dims[0]) &&
                (tables.dims[0] != 0 || q.dims[0] == 0),
            "c6", "wants one i32 table number for each row of %s, got %s for tables %s",
            tl_rule_type(r, q), tl_rule_type(r, rows), tl_rule_type(r, tables));
  } else {
    TL_RULE(r,
            tables.dims[0] > 0    ? tl_dim_divide(r->module, q.dims[0], tables.dims[0], &share)
            : tables.dims[0] == 0 ? q.dims[0] == 0
                                  : tl_dim_agrees(q.dims[0], tables.dims[0]),
            "c6", "%s rows do not share %s tables evenly", tl_rule_dim(r, q.dims[0]),
            tl_rule_dim(r, tables.dims[0]));
  }
  TL_RULE(r, isfinite(tl_op_f64(op, TL_A_PAGED_ATTENTION_scale)), "c7", "scale is not finite");
  TL_RULE(r,
          ko >= 0 && ko < INT64_MAX && tl_dim_may_le(r->module, ko + 1, k.dims[0]) && vo >= 0 &&
              vo < INT64_MAX && tl_dim_may_le(r->module, vo + 1, k.dims[0]),
          "c8", "offsets %lld and %lld are not blocks of %s", (long long)ko, (long long)vo,
          tl_rule_type(r, k));
  size_t n = tl_op_list(op, TL_A_PAGED_ATTENTION_precision_config).len;
  TL_RULE(r, n == 0 || n == 2, "c9", "precision_config has %zu entries, wants 2", n);
  TL_RULE(r, tl_op_i64(op, TL_A_PAGED_ATTENTION_sliding_window) >= 0, "c10",
          "sliding_window is %lld, wants a number of positions, or 0 for all",
          (long long)tl_op_i64(op, TL_A_PAGED_ATTENTION_sliding_window));
  const double cap = tl_op_f64(op, TL_A_PAGED_ATTENTION_soft_cap);
  TL_RULE(r, isfinite(cap) && cap >= 0, "c11",
          "soft_cap is %g, wants the size that no score exceeds, or 0 for none", cap);
  TL_RULE(r, !narrow || (k.dtype == TL_DTYPE_BF16 && q.dims[2] > 0 && positions > 0), "c12",
          "a query of bf16 wants keys of bf16, and numbers for D and the positions of a table; got "
          "%s and %s for %s",
          tl_rule_type(r, k), tl_rule_type(r, tables), tl_rule_type(r, q));
  return tl_rule_give_dims(r, narrow ? TL_DTYPE_F32 : q.dtype, q.dims, 3, "c1");
}

// The packed type of a [rows, k] matrix in `format`; the picture is in formats.def.
static tl_status packed_type(const tl_rule *r, tl_str format, int64_t rows, int64_t k,
                             tl_type *out_packed, tl_type *out_stored) {
  tl_format f;
  TL_RULE(r, tl_format_of_name(format, &f), "c1", "\"" TL_STR_FMT "\" is no format",
          TL_STR_ARG(format));
  const tl_format_info *info = tl_format_get(f);
  size_t row_size = 0, group_size = 0, whole;
  bool sizes = rows > 0 && k > 0 && tl_format_row_size(f, (size_t)k, &row_size) &&
               tl_format_group_size(f, (size_t)k, &group_size) && row_size <= INT64_MAX &&
               group_size <= INT64_MAX &&
               TL_MUL_OK(group_size, tl_format_groups((size_t)rows), &whole);
  TL_RULE(r, sizes, "c3", "[%lld, %lld] is no whole number of blocks of " TL_STR_FMT,
          (long long)rows, (long long)k, TL_STR_ARG(format));
  int64_t groups = (int64_t)tl_format_groups((size_t)rows);
  if (info->code_bits != 0) {
    *out_packed = TL_TYPE(r->arena, TL_DTYPE_U8, groups, (int64_t)group_size);
    *out_stored = TL_TYPE(r->arena, TL_DTYPE_U8, rows, (int64_t)row_size);
  } else {
    tl_dtype dtype = f == TL_FORMAT_F32   ? TL_DTYPE_F32
                     : f == TL_FORMAT_F16 ? TL_DTYPE_F16
                                          : TL_DTYPE_BF16;
    *out_packed = info->bytes == 2
                      ? TL_TYPE(r->arena, dtype, groups, k / 2 + k % 2, TL_ROW_GROUP, 2)
                      : TL_TYPE(r->arena, dtype, groups, k, TL_ROW_GROUP);
    *out_stored = TL_TYPE(r->arena, dtype, rows, k);
  }
  return out_packed->dims == NULL || out_stored->dims == NULL ? TL_OOM() : TL_OK;
}

// x [..., k] of this dtype and a packed weight give f32 [..., rows].
static tl_status weight_product(tl_rule *r, tl_dtype dtype, tl_str format, int64_t rows) {
  tl_type x = tl_rule_in(r, 0), w = tl_rule_in(r, 1), packed, stored;
  TL_RULE(r, x.dtype == dtype && x.rank > 0, "c2", "wants x %s [..., k], got %s",
          tl_dtype_get(dtype)->mlir, tl_rule_type(r, x));
  TL_TRY(packed_type(r, format, rows, x.dims[x.rank - 1], &packed, &stored));
  TL_RULE(r, tl_type_eq(w, packed), "c4", "weight is %s, wants %s", tl_rule_type(r, w),
          tl_rule_type(r, packed));
  int64_t dims[TL_MAX_RANK];
  memcpy(dims, x.dims, x.rank * sizeof *dims);
  dims[x.rank - 1] = rows;
  return tl_rule_give_dims(r, TL_DTYPE_F32, dims, x.rank, "c2");
}

tl_status tl_infer_quantized_matmul(tl_rule *r) {
  return weight_product(r, TL_DTYPE_F32, tl_op_str(r->op, TL_A_QUANTIZED_MATMUL_format),
                        tl_op_i64(r->op, TL_A_QUANTIZED_MATMUL_rows));
}

tl_status tl_infer_bf16_matmul(tl_rule *r) {
  return weight_product(r, TL_DTYPE_BF16, TL_STR("bf16"), tl_op_i64(r->op, TL_A_BF16_MATMUL_rows));
}

tl_status tl_infer_quantize_int8(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0);
  TL_RULE(r, x.dtype == TL_DTYPE_F32 && x.rank > 0, "c1", "wants x f32 [..., k], got %s",
          tl_rule_type(r, x));
  int64_t k = x.dims[x.rank - 1];
  TL_RULE(r, k >= 0 && k % TL_INT8_BLOCK == 0, "c2",
          "wants a last dim of whole blocks of %d, got %s", TL_INT8_BLOCK, tl_rule_type(r, x));
  int64_t *dims = TL_NEW(r->arena, int64_t, x.rank);
  if (dims == NULL) return TL_OOM();
  memcpy(dims, x.dims, x.rank * sizeof *dims);
  dims[x.rank - 1] = k / TL_INT8_BLOCK;
  tl_type codes = x, scales = {TL_DTYPE_F32, x.rank, dims};
  codes.dtype = TL_DTYPE_S8;
  return tl_rule_give(r, (tl_type[]){codes, scales}, 2, "c1");
}

tl_status tl_infer_int8_matmul(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0), d = tl_rule_in(r, 1), w = tl_rule_in(r, 2), packed, stored;
  tl_str format = tl_op_str(r->op, TL_A_INT8_MATMUL_format);
  int64_t rows = tl_op_i64(r->op, TL_A_INT8_MATMUL_rows);
  tl_format f;
  TL_RULE(r, tl_format_of_name(format, &f) && tl_format_is_integer(f), "c1",
          "\"" TL_STR_FMT "\" is no format of integer codes", TL_STR_ARG(format));
  bool fits = x.dtype == TL_DTYPE_S8 && d.dtype == TL_DTYPE_F32 && x.rank > 0 && d.rank == x.rank;
  for (uint32_t i = 0; fits && i + 1 < x.rank; i++)
    fits = tl_dim_agrees(x.dims[i], d.dims[i]);
  const int64_t k = fits ? x.dims[x.rank - 1] : 0;
  TL_RULE(r, fits && k >= 0 && k % TL_INT8_BLOCK == 0 && d.dims[d.rank - 1] == k / TL_INT8_BLOCK,
          "c2", "wants codes i8 [..., k] and scales f32 [..., k/%d], got %s and %s", TL_INT8_BLOCK,
          tl_rule_type(r, x), tl_rule_type(r, d));
  TL_TRY(packed_type(r, format, rows, k, &packed, &stored));
  TL_RULE(r, tl_type_eq(w, packed), "c4", "weight is %s, wants %s", tl_rule_type(r, w),
          tl_rule_type(r, packed));
  int64_t dims[TL_MAX_RANK];
  memcpy(dims, x.dims, x.rank * sizeof *dims);
  dims[x.rank - 1] = rows;
  return tl_rule_give_dims(r, TL_DTYPE_F32, dims, x.rank, "c2");
}

tl_status tl_infer_quantized_embedding(tl_rule *r) {
  tl_type w = tl_rule_in(r, 0), idx = tl_rule_in(r, 1), packed, stored;
  int64_t k = tl_op_i64(r->op, TL_A_QUANTIZED_EMBEDDING_k);
  TL_RULE(r, idx.dtype == TL_DTYPE_S32, "c2", "wants indices of i32, got %s", tl_rule_type(r, idx));
  TL_TRY(packed_type(r, tl_op_str(r->op, TL_A_QUANTIZED_EMBEDDING_format),
                     tl_op_i64(r->op, TL_A_QUANTIZED_EMBEDDING_rows), k, &packed, &stored));
  TL_RULE(r, tl_type_eq(w, packed), "c4", "weight is %s, wants %s", tl_rule_type(r, w),
          tl_rule_type(r, packed));
  int64_t dims[TL_MAX_RANK + 1];
  memcpy(dims, idx.dims ? idx.dims : &k, idx.rank * sizeof *dims);
  dims[idx.rank] = k;
  return tl_rule_give_dims(r, TL_DTYPE_F32, dims, idx.rank + 1, "c2");
}

tl_status tl_infer_pack_weights(tl_rule *r) {
  tl_type x = tl_rule_in(r, 0), packed, stored;
  TL_TRY(packed_type(r, tl_op_str(r->op, TL_A_PACK_WEIGHTS_format),
                     tl_op_i64(r->op, TL_A_PACK_WEIGHTS_rows),
                     tl_op_i64(r->op, TL_A_PACK_WEIGHTS_k), &packed, &stored));
  TL_RULE(r, tl_type_eq(x, stored), "c4", "stored as %s, wants %s", tl_rule_type(r, x),
          tl_rule_type(r, stored));
  return tl_rule_give1(r, packed, "c4");
}
