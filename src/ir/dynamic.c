#include "ir/dynamic.h"

enum { MAX_SHAPES = 3 };

typedef struct row {
  tl_opcode dynamic, fixed;
  uint8_t kept, n; // operands that stay, and shape operands behind them
  bool whole;      // the shape operand is the result's shape, not an attribute
  const char *attrs[MAX_SHAPES];
} row;

static const row rows[] = {
    {TL_OP_DYNAMIC_RESHAPE, TL_OP_RESHAPE, 1, 1, true, {0}},
    {TL_OP_DYNAMIC_BROADCAST_IN_DIM, TL_OP_BROADCAST_IN_DIM, 1, 1, true, {0}},
    {TL_OP_DYNAMIC_IOTA, TL_OP_IOTA, 0, 1, true, {0}},
    {TL_OP_DYNAMIC_PAD,
     TL_OP_PAD,
     2,
     3,
     false,
     {"edge_padding_low", "edge_padding_high", "interior_padding"}},
    {TL_OP_REAL_DYNAMIC_SLICE,
     TL_OP_SLICE,
     1,
     3,
     false,
     {"start_indices", "limit_indices", "strides"}},
    {TL_OP_DYNAMIC_GATHER, TL_OP_GATHER, 2, 1, false, {"slice_sizes"}},
    {TL_OP_DYNAMIC_CONV, TL_OP_CONVOLUTION, 2, 1, false, {"padding"}},
    {TL_OP_SET_DIMENSION_SIZE, TL_OP_SLICE, 1, 1, false, {0}},
};

static const row *row_of(tl_opcode code) {
  for (size_t i = 0; i < TL_COUNT(rows); i++)
    if (rows[i].dynamic == code) return &rows[i];
  return NULL;
}

bool tl_dynamic_shapes(tl_opcode code, uint32_t *out_first, uint32_t *out_n) {
  const row *r = row_of(code);
  if (r == NULL) return false;
  *out_first = r->kept;
  *out_n = r->n;
  return true;
}

bool tl_op_attr_named(tl_opcode code, const char *name, tl_attr_id *out) {
  const tl_op_info *info = tl_op_get(code);
  for (uint32_t i = 0; i < info->n_attrs; i++)
    if (strcmp(tl_attr_get((tl_attr_id)(info->attr_begin + i))->name, name) == 0) {
      *out = (tl_attr_id)(info->attr_begin + i);
      return true;
    }
  return false;
}

bool tl_dynamic_ints(tl_dtype dtype, const void *data, size_t n, int64_t *out) {
  const tl_dtype_info *info = tl_dtype_get(dtype);
  if (info->kind != TL_KIND_INT && info->kind != TL_KIND_UINT) return false;
  const unsigned char *at = data;
  for (size_t i = 0; i < n; i++, at += info->size) {
    uint64_t bits = 0;
    memcpy(&bits, at, info->size); // little endian
    const unsigned unused = 64 - 8 * info->size;
    if (info->kind == TL_KIND_INT)
      out[i] = (int64_t)(bits << unused) >> unused;
    else if (bits > INT64_MAX)
      return false;
    else
      out[i] = (int64_t)bits;
  }
  return true;
}

static const char *list_text(tl_arena *a, tl_i64s list) {
  tl_buf buf = {0};
  for (size_t i = 0; i < list.len && i < 2 * TL_MAX_RANK; i++)
    tl_buf_printf(&buf, "%s%lld", i ? ", " : "", (long long)list.ptr[i]);
  const char *copy = tl_str_copy(a, tl_buf_view(&buf)).ptr;
  tl_buf_deinit(&buf);
  return list.len == 0 || copy == NULL ? "" : copy;
}

// Attributes of one name are one thing in both ops.
static bool copy_attrs(tl_arena *a, const tl_op *op, tl_op *out) {
  const tl_op_info *info = tl_op_get(op->code);
  out->attrs = TL_NEW(a, tl_attr, tl_op_get(out->code)->n_attrs + 1);
  if (out->attrs == NULL) return false;
  tl_attrs_default(out->code, out->attrs);
  for (uint32_t i = 0; i < info->n_attrs; i++) {
    tl_attr_id to;
    const char *name = tl_attr_get((tl_attr_id)(info->attr_begin + i))->name;
    if (tl_op_attr_named(out->code, name, &to))
      out->attrs[to - tl_op_get(out->code)->attr_begin] = op->attrs[i];
  }
  return true;
}

static bool set_list(tl_arena *a, tl_op *op, const char *name, tl_i64s list) {
  tl_attr_id id;
  int64_t *copy = TL_NEW(a, int64_t, list.len + 1);
  if (copy == NULL || !tl_op_attr_named(op->code, name, &id)) return false;
  if (list.len > 0) memcpy(copy, list.ptr, list.len * sizeof *copy);
  tl_attr *attr = &op->attrs[id - tl_op_get(op->code)->attr_begin];
  attr->set = true;
  attr->list = (tl_i64s){copy, list.len};
  return true;
}

// set_dimension_size %x, %n, dim = d is what lies in front of n along d.
static tl_status set_size(tl_arena *a, const tl_op *op, int64_t size, tl_op *out) {
  tl_type x = op->operands[0]->type;
  const int64_t d = tl_op_i64(op, TL_A_SET_DIMENSION_SIZE_dimension);
  int64_t starts[TL_MAX_RANK] = {0}, limits[TL_MAX_RANK], strides[TL_MAX_RANK];
  if (d < 0 || d >= x.rank || size < 0 || size > x.dims[d])
    return TL_ERROR(INVALID_ARGUMENT,
                    "set_dimension_size: a size of %lld is no part of dim %lld of %lld",
                    (long long)size, (long long)d, d >= 0 && d < x.rank ? (long long)x.dims[d] : 0);
  for (uint32_t i = 0; i < x.rank; i++) {
    limits[i] = i == d ? size : x.dims[i];
    strides[i] = 1;
  }
  return set_list(a, out, "start_indices", (tl_i64s){starts, x.rank}) &&
                 set_list(a, out, "limit_indices", (tl_i64s){limits, x.rank}) &&
                 set_list(a, out, "strides", (tl_i64s){strides, x.rank})
             ? TL_OK
             : TL_OOM();
}

static tl_status differs(tl_arena *a, const tl_op *op, tl_type found, const tl_i64s *values,
                         uint32_t n) {
  tl_buf declared = {0}, is = {0};
  tl_type_print(&declared, op->results[0]->type);
  tl_type_print(&is, found);
  const char *first = n > 0 ? list_text(a, values[0]) : "";
  tl_status st =
      TL_ERROR(INVALID_ARGUMENT,
               "%s: the result is declared %s, but at run time it is %s (shape operand [%s%s])",
               tl_op_get(op->code)->mnemonic, declared.ptr ? declared.ptr : "a type",
               is.ptr ? is.ptr : "another", first, n > 1 ? "], …" : "");
  tl_buf_deinit(&declared);
  tl_buf_deinit(&is);
  return st;
}

tl_status tl_dynamic_fix(tl_arena *arena, const tl_op *op, const tl_i64s *values, tl_op *out,
                         tl_type *out_type) {
  const row *r = row_of(op->code);
  TL_ASSERT(r != NULL);
  const char *mnemonic = tl_op_get(op->code)->mnemonic;
  const tl_type declared = op->results[0]->type;
  *out = (tl_op){.code = r->fixed,
                 .n_operands = r->kept,
                 .n_results = op->n_results,
                 .operands = op->operands,
                 .results = op->results,
                 .block = op->block,
                 .loc = op->loc};
  if (!copy_attrs(arena, op, out)) return TL_OOM();
  tl_type type = declared;
  if (r->whole) {
    if (values[0].len > TL_MAX_RANK)
      return TL_ERROR(INVALID_ARGUMENT, "%s: a shape of %zu dims, the most is %d", mnemonic,
                      values[0].len, TL_MAX_RANK);
    for (size_t i = 0; i < values[0].len; i++)
      if (values[0].ptr[i] < 0)
        return TL_ERROR(INVALID_ARGUMENT, "%s: [%s] is no shape", mnemonic,
                        list_text(arena, values[0]));
    type = tl_type_of(arena, declared.dtype, values[0].ptr, (uint32_t)values[0].len);
    if (type.rank != 0 && type.dims == NULL) return TL_OOM();
  } else if (op->code == TL_OP_SET_DIMENSION_SIZE) {
    if (values[0].len != 1) return TL_ERROR(INVALID_ARGUMENT, "%s: wants one size", mnemonic);
    TL_TRY(set_size(arena, op, values[0].ptr[0], out));
  } else {
    for (uint32_t i = 0; i < r->n; i++)
      if (!set_list(arena, out, r->attrs[i], values[i])) return TL_OOM();
  }
  const tl_type *types;
  uint32_t n;
  TL_TRY_NOTE(tl_op_infer(arena, op->block == NULL ? NULL : op->block->func->module, out,
                          r->whole ? &type : NULL, 1, true, &types, &n),
              "%s", mnemonic);
  type = types[0];
  type.dtype = declared.dtype; // a convolution's may be wider than its operands
  bool same = type.rank == declared.rank;
  for (uint32_t i = 0; same && i < type.rank; i++)
    same = declared.dims[i] < 0 || declared.dims[i] == type.dims[i];
  if (!same) return differs(arena, op, type, values, r->n);
  *out_type = type;
  return TL_OK;
}
