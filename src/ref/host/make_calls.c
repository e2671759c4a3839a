// make_calls types.h|ops.h|ops.c OUT: what <tlaloc/host.h> has of the tables. The element types and
// enumerations, a documented prototype an op, and its definition, which packs its arguments for
// host.c.
#include <stdio.h>

#include "base/file.h"
#include "ref/host_form.h"

enum { WIDTH = 98 };

static const char *const ids[TL_OP_COUNT] = {
#define TL_OP(id, mnemonic, n_in, n_out, regions, traits, rule, syntax) [TL_OP_##id] = #id,
#include "ir/ops.def"
#undef TL_OP
};

static const char *const meanings[TL_OP_COUNT] = {
#define TL_OP_DOC(op, meaning, choice, derivative) [TL_OP_##op] = meaning,
#include "ir/op_docs.def"
#undef TL_OP_DOC
};

static const struct {
  const char *id, *element;
} dtypes[] = {
#define TL_DTYPE(id, mlir, size, bits, kind, pjrt)                                    \
  {#id, bits < 8 && TL_KIND_##kind == TL_KIND_INT ? "int8_t, sign-extended"           \
        : TL_KIND_##kind == TL_KIND_BOOL          ? "uint8_t, 0 or 1"                 \
        : TL_KIND_##kind == TL_KIND_INT           ? "int" #bits "_t"                  \
        : bits < 8                                ? "uint8_t, zero-extended"          \
        : TL_KIND_##kind == TL_KIND_UINT          ? "uint" #bits "_t"                 \
        : TL_KIND_##kind == TL_KIND_COMPLEX                                           \
            ? bits == 64 ? "float[2], real part first" : "double[2], real part first" \
        : bits == 64 ? "double"                                                       \
        : bits == 32 ? "float"                                                        \
                     : "uint" #bits "_t, its bits"},
#include "ir/dtypes.def"
#undef TL_DTYPE
};

// A comment of whole words.
static void put_comment(tl_buf *out, const char *text) {
  size_t column = 0;
  while (*text) {
    size_t n = 0;
    while (text[n] && text[n] != ' ')
      n++;
    if (column && column + 1 + n > WIDTH) column = 0, tl_buf_char(out, '\n');
    tl_buf_cstr(out, column ? " " : "// ");
    column += column ? n + 1 : n + 3;
    tl_buf_add(out, text, n);
    text += n;
    while (*text == ' ')
      text++;
  }
  tl_buf_char(out, '\n');
}

static const tl_attr_info *attr_of(tl_opcode op, uint32_t i) {
  return tl_attr_get((tl_attr_id)(tl_op_get(op)->attr_begin + i));
}

typedef enum { SLOT_I64, SLOT_F64, SLOT_TEXT, SLOT_LIST, SLOT_NOT } slot;

static slot slot_of(tl_attr_kind kind) {
  switch (kind) {
  case TL_AK_F64:
    return SLOT_F64;
  case TL_AK_STR:
  case TL_AK_TEXT:
  case TL_AK_SYMBOL:
    return SLOT_TEXT;
  case TL_AK_I64S:
  case TL_AK_PAIRS:
  case TL_AK_BOOLS:
  case TL_AK_PRECISIONS:
    return SLOT_LIST;
  case TL_AK_DENSE:
  case TL_AK_CHANNEL:
  case TL_AK_GROUPS:
  case TL_AK_SHARDING:
  case TL_AK_SHARDINGS:
  case TL_AK_AXES:
  case TL_AK_PROGRAMS:
    return SLOT_NOT;
  default:
    return SLOT_I64;
  }
}

// tlh_comparison_direction; where an op has that name, tlh_transpose_kind.
static void put_enum_type(tl_buf *out, const char *name) {
  tl_opcode op;
  const bool taken = tl_op_of_mnemonic(tl_str_of(name), false, &op);
  tl_buf_printf(out, "tlh_%s%s", name, taken ? "_kind" : "");
}

static void put_attr_type(tl_buf *out, tl_attr_kind kind) {
  const char *name = tl_enum_type_name(kind);
  const slot s = slot_of(kind);
  if (s == SLOT_I64 && name)
    put_enum_type(out, name), tl_buf_char(out, ' ');
  else
    tl_buf_cstr(out, s == SLOT_F64                              ? "double "
                     : s == SLOT_TEXT                           ? "const char *"
                     : s == SLOT_LIST                           ? "tlh_list "
                     : kind == TL_AK_BOOL || kind == TL_AK_UNIT ? "bool "
                                                                : "int64_t ");
}

static void put_operands(tl_buf *out, int n) {
  static const char *const few[] = {"x", "y", "z"};
  for (int i = 0; i < n; i++)
    if (n <= 3)
      tl_buf_printf(out, ", tlh_tensor %s", few[i]);
    else
      tl_buf_printf(out, ", tlh_tensor x%d", i);
}

static void put_operand_names(tl_buf *out, int n) {
  for (int i = 0; i < n; i++)
    if (n <= 3)
      tl_buf_printf(out, "%s%c", i ? ", " : "", "xyz"[i]);
    else
      tl_buf_printf(out, "%sx%d", i ? ", " : "", i);
}

static bool returns_first(const tl_op_info *info) { return info->n_out <= 1; }

// Broken behind commas, under what follows the parenthesis.
static void put_broken(tl_buf *out, tl_str line, size_t column) {
  const size_t indent = tl_str_find(line, TL_STR("(")) + 1 + column;
  for (size_t limit = WIDTH - column; line.len > limit; limit = WIDTH - indent) {
    size_t at = limit;
    while (at > 0 && line.ptr[at - 1] != ',')
      at--;
    if (at == 0) break;
    tl_buf_add(out, line.ptr, at);
    tl_buf_printf(out, "\n%*s", (int)indent, "");
    line = tl_str_sub(line, at + 1, line.len);
  }
  tl_buf_str(out, line);
}

static void put_prototype(tl_buf *out, tl_opcode op, const tl_host_form *f, size_t column) {
  const tl_op_info *info = tl_op_get(op);
  tl_buf line = {0};
  tl_buf_printf(&line, "%s tlh_%s(tlh *h", returns_first(info) ? "tlh_tensor" : "void", f->name);
  if (f->typed) tl_buf_cstr(&line, ", tlh_type type");
  if (info->n_in < 0)
    tl_buf_cstr(&line, ", size_t n, const tlh_tensor *x");
  else
    put_operands(&line, info->n_in);
  if (f->as_struct)
    tl_buf_printf(&line, ", const tlh_%s_attrs *attrs", f->name);
  else
    for (uint32_t i = 0; i < info->n_attrs; i++) {
      tl_buf_cstr(&line, ", ");
      put_attr_type(&line, attr_of(op, i)->kind);
      tl_buf_cstr(&line, attr_of(op, i)->name);
    }
  for (int i = 0; i < info->n_regions; i++)
    tl_buf_printf(&line, ", tlh_region %s",
                  info->n_regions == 1 ? "region"
                  : i == 0             ? "select"
                                       : "scatter");
  if (info->n_out < 0) tl_buf_cstr(&line, ", tlh_tensor *out");
  if (info->n_out > 1) tl_buf_printf(&line, ", tlh_tensor out[%d]", info->n_out);
  tl_buf_cstr(&line, ")");
  put_broken(out, tl_buf_view(&line), column);
  tl_buf_deinit(&line);
}

static void put_struct(tl_buf *out, tl_opcode op, const tl_host_form *f) {
  tl_buf_printf(out, "typedef struct tlh_%s_attrs {\n", f->name);
  for (uint32_t i = 0; i < tl_op_get(op)->n_attrs; i++) {
    tl_buf_cstr(out, "  ");
    put_attr_type(out, attr_of(op, i)->kind);
    tl_buf_printf(out, "%s;\n", attr_of(op, i)->name);
  }
  tl_buf_printf(out, "} tlh_%s_attrs;\n", f->name);
}

static bool put_ops_header(tl_buf *out) {
  tl_buf_cstr(out, "// Made from tlaloc's tables of ops: a call each. Part of <tlaloc/host.h>.\n"
                   "#ifndef TLALOC_HOST_OPS_H\n#define TLALOC_HOST_OPS_H\n");
  for (int op = 0; op < TL_OP_COUNT; op++) {
    const tl_host_form f = tl_host_form_of((tl_opcode)op);
    if (f.kind != TL_HOST_CALL) continue;
    for (uint32_t i = 0; i < tl_op_get((tl_opcode)op)->n_attrs; i++)
      if (slot_of(attr_of((tl_opcode)op, i)->kind) == SLOT_NOT) {
        fprintf(stderr,
                "make_calls: %s has the attribute %s, which no C call can take: it wants a "
                "row in ref/host/host.def\n",
                f.name, attr_of((tl_opcode)op, i)->name);
        return false;
      }
    tl_buf_char(out, '\n');
    if (f.as_struct) put_struct(out, (tl_opcode)op, &f);
    put_comment(out, meanings[op] ? meanings[op] : "");
    tl_buf_cstr(out, "TLH_API ");
    put_prototype(out, (tl_opcode)op, &f, sizeof "TLH_API " - 1);
    tl_buf_cstr(out, ";\n");
  }
  tl_buf_cstr(out, "\n#endif\n");
  return true;
}

static void put_definition(tl_buf *out, tl_opcode op, const tl_host_form *f) {
  const tl_op_info *info = tl_op_get(op);
  tl_buf_char(out, '\n');
  put_prototype(out, op, f, 0);
  tl_buf_cstr(out, " {\n");
  if (info->n_in > 0) {
    tl_buf_cstr(out, "  const tlh_tensor in[] = {");
    put_operand_names(out, info->n_in);
    tl_buf_cstr(out, "};\n");
  }
  if (info->n_attrs) {
    static const char *const members[] = {"i64", "f64", "text", "list"};
    tl_buf_cstr(out, "  const host_attr attrs_[] = {");
    for (uint32_t i = 0; i < info->n_attrs; i++) {
      const char *name = attr_of(op, i)->name, *from = f->as_struct ? "attrs->" : "";
      const slot s = slot_of(attr_of(op, i)->kind);
      tl_buf_printf(out, "\n      {.%s = %s%s", members[s], from, name);
      if ((f->as_struct || s == SLOT_LIST) && !attr_of(op, i)->required)
        tl_buf_printf(out, ", .absent = !%s%s%s", from, name, s == SLOT_LIST ? ".len" : "");
      tl_buf_cstr(out, "},");
    }
    tl_buf_cstr(out, "\n  };\n");
  }
  if (info->n_regions > 0) {
    tl_buf_printf(out, "  const tlh_region regions[] = {%s};\n",
                  info->n_regions == 1 ? "region" : "select, scatter");
  }
  tl_buf_printf(out, "  %stl_host_call(h, &(host_call){.code = TL_OP_%s",
                returns_first(info) ? "return " : "", ids[op]);
  if (f->typed) tl_buf_cstr(out, ", .type = &type");
  if (info->n_in < 0) tl_buf_cstr(out, ", .in = x, .n_in = n");
  if (info->n_in > 0) tl_buf_printf(out, ", .in = in, .n_in = %d", info->n_in);
  if (info->n_out != 1) tl_buf_cstr(out, ", .out = out");
  if (info->n_out > 0) tl_buf_printf(out, ", .n_out = %d", info->n_out);
  if (info->n_attrs) tl_buf_cstr(out, ", .attrs = attrs_");
  if (info->n_regions > 0) tl_buf_cstr(out, ", .regions = regions");
  tl_buf_cstr(out, "});\n}\n");
}

static void put_ops_source(tl_buf *out) {
  tl_buf_cstr(out, "// Made from tlaloc's tables of ops.\n#include \"ref/host/call.h\"\n");
  for (int op = 0; op < TL_OP_COUNT; op++) {
    const tl_host_form f = tl_host_form_of((tl_opcode)op);
    if (f.kind == TL_HOST_CALL) put_definition(out, (tl_opcode)op, &f);
  }
}

static void put_types_header(tl_buf *out) {
  tl_buf_cstr(out, "// Made from tlaloc's tables: element types and enumerations. Part of "
                   "<tlaloc/host.h>.\n#ifndef TLALOC_HOST_TYPES_H\n#define TLALOC_HOST_TYPES_H\n\n"
                   "typedef enum tlh_dtype {\n");
  for (size_t d = 0; d < TL_COUNT(dtypes); d++)
    tl_buf_printf(out, "  TLH_%s, // %s\n", dtypes[d].id, dtypes[d].element);
  tl_buf_cstr(out, "} tlh_dtype;\n\n// What a region of one op does to two elements; TLH_SECOND "
                   "gives the second.\ntypedef enum tlh_combiner {\n  TLH_SECOND,\n");
  for (int op = 0; op < TL_OP_COUNT; op++)
    if (tl_host_combines((tl_opcode)op)) tl_buf_printf(out, "  TLH_%s,\n", ids[op]);
  tl_buf_cstr(out, "} tlh_combiner;\n");
  for (int kind = 0; kind <= TL_AK_PROGRAMS; kind++) {
    const char *name = tl_enum_type_name((tl_attr_kind)kind);
    if (!name) continue;
    tl_buf_cstr(out, "\ntypedef enum ");
    put_enum_type(out, name);
    tl_buf_cstr(out, " {\n");
    for (int64_t v = 0; tl_enum_name((tl_attr_kind)kind, v); v++) {
      tl_buf_cstr(out, "  ");
      tl_host_put_enum(out, (tl_attr_kind)kind, v);
      tl_buf_cstr(out, ",\n");
    }
    tl_buf_cstr(out, "} ");
    put_enum_type(out, name);
    tl_buf_cstr(out, ";\n");
  }
  tl_buf_cstr(out, "\n#endif\n");
}

int main(int argc, char **argv) {
  if (argc != 3) return fprintf(stderr, "wanted types.h|ops.h|ops.c OUT\n"), 2;
  tl_buf out = {0};
  bool good = true;
  if (strcmp(argv[1], "types.h") == 0)
    put_types_header(&out);
  else if (strcmp(argv[1], "ops.h") == 0)
    good = put_ops_header(&out);
  else
    put_ops_source(&out);
  tl_status st = !good ? TL_OK : out.oom ? TL_OOM() : tl_file_write(argv[2], out.ptr, out.len);
  tl_buf_deinit(&out);
  if (st) fprintf(stderr, "make_calls: %s\n", tl_status_message(st)), good = false;
  tl_status_drop(st);
  return !good;
}
