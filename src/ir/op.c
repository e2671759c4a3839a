// The tables of ops, attributes and enumerations, expanded from the .def files.
#include "ir/op.h"

// N_ATTRS_<op>: each row adds one to the sum that its group opened.
// clang-format off
enum { N_ATTRS_none = 0
#define TL_ATTRS(op) }; enum { N_ATTRS_##op = 0
#define TL_ATTR(op, name, kind, dflt, since) + 1
#include "ir/attrs.def"
#undef TL_ATTRS
#undef TL_ATTR
};
// clang-format on

// Field by field, because the two files give two halves of a row.
const tl_op_info tl_op_table[TL_OP_COUNT] = {
#define TL_OP(id, mnemo, in, out, regions, trait_bits, rule, syntax)                     \
  [TL_OP_##id].mnemonic = (mnemo), [TL_OP_##id].n_in = (in), [TL_OP_##id].n_out = (out), \
  [TL_OP_##id].n_regions = (regions), [TL_OP_##id].traits = (trait_bits),
#include "ir/ops.def"
#undef TL_OP
#define TL_ATTRS(op) \
  [TL_OP_##op].attr_begin = TL_A_##op##__begin, [TL_OP_##op].n_attrs = N_ATTRS_##op,
#define TL_ATTR(op, name, kind, dflt, since)
#include "ir/attrs.def"
#undef TL_ATTRS
#undef TL_ATTR
};

// The default column as a number; REQUIRED is a number that no default is.
#define REQUIRED (-1e300)
#define EMPTY 0

const tl_attr_info tl_attr_table[TL_ATTR_COUNT] = {
#define TL_ATTRS(op)
#define TL_ATTR(op, name, kind, dflt, since) \
  [TL_A_##op##_##name] = {TL_OP_##op, #name, TL_AK_##kind, (dflt) == REQUIRED, since},
#include "ir/attrs.def"
#undef TL_ATTR
};

static const double attr_defaults[TL_ATTR_COUNT] = {
#define TL_ATTR(op, name, kind, dflt, since) [TL_A_##op##_##name] = (dflt),
#include "ir/attrs.def"
#undef TL_ATTRS
#undef TL_ATTR
};

bool tl_op_of_mnemonic(tl_str mnemonic, bool named, tl_opcode *out) {
  for (size_t i = 0; i < TL_OP_COUNT; i++)
    if (((tl_op_table[i].traits & TL_NAMED) != 0) == named &&
        tl_str_is(mnemonic, tl_op_table[i].mnemonic)) {
      *out = (tl_opcode)i;
      return true;
    }
  return false;
}

void tl_attrs_default(tl_opcode code, tl_attr *attrs) {
  const tl_op_info *info = tl_op_get(code);
  for (uint32_t i = 0; i < info->n_attrs; i++) {
    double value = attr_defaults[info->attr_begin + i];
    attrs[i] = (tl_attr){0};
    if (value == REQUIRED) continue;
    const tl_attr_held held = tl_attr_kind_held(tl_attr_table[info->attr_begin + i].kind);
    if (held == TL_HELD_F64) attrs[i].f64 = value;
    if (held == TL_HELD_I64) attrs[i].i64 = (int64_t)value;
    // The others begin empty, which is all zero.
  }
}

const tl_str *tl_op_symbols(const tl_op *op, uint32_t i, uint32_t *out_n) {
  const tl_attr *a = &op->attrs[i];
  *out_n = 0;
  switch (tl_attr_get((tl_attr_id)(tl_op_get(op->code)->attr_begin + i))->kind) {
  case TL_AK_SYMBOL:
    *out_n = 1;
    return &a->str;
  case TL_AK_PROGRAMS:
    *out_n = a->names == NULL ? 0 : a->names->len;
    return a->names == NULL ? NULL : a->names->ptr;
  default:
    return NULL;
  }
}

#define TL_ENUMS(type, kind) static const char *const type##_names[] = {
#define TL_ENUM(type, id, value) [TL_##id##_##value] = #value,
#define TL_ENUMS_END(type) \
  }                        \
  ;
#include "ir/enums.def"
#undef TL_ENUMS
#undef TL_ENUM
#undef TL_ENUMS_END

static const char *const *enum_names(tl_attr_kind kind, size_t *out_count) {
#define TL_ENUMS(type, ak)               \
  if (kind == TL_AK_##ak) {              \
    *out_count = TL_COUNT(type##_names); \
    return type##_names;                 \
  }
#define TL_ENUM(type, id, value)
#define TL_ENUMS_END(type)
#include "ir/enums.def"
#undef TL_ENUMS
#undef TL_ENUM
#undef TL_ENUMS_END
  *out_count = 0;
  return NULL;
}

const char *tl_enum_name(tl_attr_kind kind, int64_t value) {
  size_t count;
  const char *const *names = enum_names(kind, &count);
  return value >= 0 && (uint64_t)value < count ? names[value] : NULL;
}

const char *tl_enum_type_name(tl_attr_kind kind) {
#define TL_ENUMS(type, ak) \
  if (kind == TL_AK_##ak) return #type;
#define TL_ENUM(type, id, value)
#define TL_ENUMS_END(type)
#include "ir/enums.def"
#undef TL_ENUMS
#undef TL_ENUM
#undef TL_ENUMS_END
  return NULL;
}

bool tl_enum_of_name(tl_attr_kind kind, tl_str name, int64_t *out) {
  size_t count;
  const char *const *names = enum_names(kind, &count);
  for (size_t i = 0; i < count; i++)
    if (tl_str_is(name, names[i])) {
      *out = (int64_t)i;
      return true;
    }
  return false;
}

static bool literal_eq(const tl_literal *a, const tl_literal *b) {
  if (a == NULL || b == NULL) return a == b;
  if (!tl_type_eq(a->type, b->type)) return false;
  if (a->splat == b->splat)
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
  // One written out, one splat: the same when every element is.
  const tl_literal *whole = a->splat ? b : a, *one = a->splat ? a : b;
  for (size_t at = 0; one->size > 0 && at < whole->size; at += one->size)
    if (memcmp((const char *)whole->data + at, one->data, one->size) != 0) return false;
  return true;
}

tl_attr_held tl_attr_kind_held(tl_attr_kind kind) {
  switch (kind) {
  case TL_AK_I64:
  case TL_AK_BOOL:
  case TL_AK_COMPARISON_DIRECTION:
  case TL_AK_COMPARISON_TYPE:
  case TL_AK_RNG_ALGORITHM:
  case TL_AK_RNG_DISTRIBUTION:
  case TL_AK_FFT_TYPE:
  case TL_AK_TRANSPOSE:
  case TL_AK_DOT_ALGORITHM:
  case TL_AK_UNIT:
    return TL_HELD_I64;
  case TL_AK_F64:
    return TL_HELD_F64;
  case TL_AK_STR:
  case TL_AK_TEXT:
  case TL_AK_SYMBOL:
    return TL_HELD_STR;
  case TL_AK_I64S:
  case TL_AK_PAIRS:
  case TL_AK_BOOLS:
  case TL_AK_PRECISIONS:
  case TL_AK_CHANNEL:
    return TL_HELD_LIST;
  case TL_AK_DENSE:
    return TL_HELD_DENSE;
  case TL_AK_GROUPS:
    return TL_HELD_GROUPS;
  case TL_AK_SHARDING:
  case TL_AK_SHARDINGS:
    return TL_HELD_SHARDINGS;
  case TL_AK_AXES:
  case TL_AK_PROGRAMS:
    return TL_HELD_NAMES;
  }
  return TL_HELD_I64;
}

bool tl_attr_eq(tl_attr_kind kind, const tl_attr *a, const tl_attr *b) {
  switch (tl_attr_kind_held(kind)) {
  case TL_HELD_I64:
    return a->i64 == b->i64;
  case TL_HELD_F64:
    return memcmp(&a->f64, &b->f64, sizeof a->f64) == 0; // by bits: -0 and 0 differ
  case TL_HELD_STR:
    return tl_str_eq(a->str, b->str);
  case TL_HELD_LIST:
    return a->list.len == b->list.len &&
           (a->list.len == 0 ||
            memcmp(a->list.ptr, b->list.ptr, a->list.len * sizeof *a->list.ptr) == 0);
  case TL_HELD_DENSE:
    return literal_eq(a->dense, b->dense);
  case TL_HELD_GROUPS:
    return tl_groups_eq(a->groups, b->groups);
  case TL_HELD_SHARDINGS:
    return tl_shardings_eq(a->shardings, b->shardings);
  case TL_HELD_NAMES:
    return tl_names_eq(a->names, b->names);
  }
  return false;
}
