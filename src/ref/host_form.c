// Forms of ops in C: host/host.def beside the tables of ir/.
#include "ref/host_form.h"

#include <ctype.h>

enum { MOST_ARGUMENTS = 4 }; // of attributes that are written one after the other

static const char *const ids[TL_OP_COUNT] = {
#define TL_OP(id, mnemonic, n_in, n_out, regions, traits, rule, syntax) [TL_OP_##id] = #id,
#include "ir/ops.def"
#undef TL_OP
};

static const bool typed[TL_OP_COUNT] = {
#define TL_HOST_TYPED(op) [TL_OP_##op] = true,
#include "ref/host/host.def"
};

static const bool printed[TL_OP_COUNT] = {
#define TL_HOST_PRINTED(op) [TL_OP_##op] = true,
#include "ref/host/host.def"
};

static const char *const refused[TL_OP_COUNT] = {
#define TL_HOST_REFUSED(op, reason) [TL_OP_##op] = reason,
#include "ref/host/host.def"
};

tl_host_form tl_host_form_of(tl_opcode code) {
  tl_host_form f = {.kind = refused[code]   ? TL_HOST_REFUSED
                            : printed[code] ? TL_HOST_PRINTED
                                            : TL_HOST_CALL,
                    .reason = refused[code],
                    .typed = typed[code],
                    .as_struct = tl_op_get(code)->n_attrs > MOST_ARGUMENTS};
  for (size_t i = 0; ids[code][i] && i + 1 < sizeof f.name; i++)
    f.name[i] = (char)tolower((unsigned char)ids[code][i]);
  return f;
}

static const struct {
  tl_attr_kind kind;
  const char *prefix;
} prefixes[] = {
    // no two names alike, those of element types and combiners included
    {TL_AK_COMPARISON_DIRECTION, ""},
    {TL_AK_COMPARISON_TYPE, "COMPARE_"},
    {TL_AK_RNG_ALGORITHM, "RNG_"},
    {TL_AK_RNG_DISTRIBUTION, "RNG_"},
    {TL_AK_FFT_TYPE, ""},
    {TL_AK_TRANSPOSE, ""},
    {TL_AK_DOT_ALGORITHM, "DOT_"},
    {TL_AK_PRECISIONS, "PRECISION_"},
};

bool tl_host_put_enum(tl_buf *out, tl_attr_kind kind, int64_t value) {
  const char *name = tl_enum_name(kind, value);
  for (size_t i = 0; i < TL_COUNT(prefixes) && name; i++)
    if (prefixes[i].kind == kind) {
      tl_buf_printf(out, "TLH_%s%s", prefixes[i].prefix, name);
      return true;
    }
  return false;
}

bool tl_host_combines(tl_opcode code) { // as tl_ref_region_kind has it
  const tl_op_info *info = tl_op_get(code);
  return info->n_in == 2 && info->n_out == 1 && (info->traits & TL_ELEMWISE) != 0 &&
         code != TL_OP_COMPARE && info->n_attrs == 0;
}
