// op_pages SAMPLES OUT: writes docs/ops: a page an op, made from the tables that the code is made
// from, so that a page cannot say what is not so. tests/docs/op_pages.sh makes them anew and
// compares; `make docs` puts them in place.
//
//   signature     ops.def, attrs.def
//   meaning       op_docs.def
//   constraints   op_cases.def, each broken once through the builder, which says what it refuses
//   example       SAMPLES/<mnemonic>.mlir, the first sample, as the printer writes it
//   backends      lower.def; a named op's decomposition
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "ir/testing.h"
#include "shlo/shlo.h"

static const op_case cases[] = {
#define TL_OP_CASE(label, op, ...) {label, TL_OP_##op, __VA_ARGS__},
#include "ir/op_cases.def"
#undef TL_OP_CASE
};

static const struct doc {
  const char *meaning, *choice, *derivative;
} docs[TL_OP_COUNT] = {
#define TL_OP_DOC(op, meaning, choice, derivative) [TL_OP_##op] = {meaning, choice, derivative},
#include "ir/op_docs.def"
#undef TL_OP_DOC
};

// How the native backend plans an op: by a kernel, as nests of the loop IR, or why not.
static const char *const lowered[TL_OP_COUNT] = {
#define TL_LOWER(op, function) [TL_OP_##op] = #function,
#include "cpu/lower.def"
};
static const char *const looped[TL_OP_COUNT] = {
#define TL_LOOP(op, function) [TL_OP_##op] = #function,
#include "cpu/lower.def"
};
static const char *const reasons[TL_OP_COUNT] = {
#define TL_INTERPRETED(op, reason) [TL_OP_##op] = reason,
#include "cpu/lower.def"
};

static const char *const ids[TL_OP_COUNT] = {
#define TL_OP(id, ...) #id,
#include "ir/ops.def"
#undef TL_OP
};

static const char *const attr_kinds[TL_ATTR_COUNT] = {
#define TL_ATTRS(op)
#define TL_ATTR(op, name, kind, dflt, since) [TL_A_##op##_##name] = #kind,
#include "ir/attrs.def"
#undef TL_ATTR
};
static const char *const attr_defaults[TL_ATTR_COUNT] = {
#define TL_ATTR(op, name, kind, dflt, since) [TL_A_##op##_##name] = #dflt,
#include "ir/attrs.def"
#undef TL_ATTR
#undef TL_ATTRS
};

static const char *kind_text(const char *kind) {
  static const char *const texts[][2] = {{"I64", "integer"},
                                         {"F64", "float"},
                                         {"BOOL", "boolean"},
                                         {"STR", "string"},
                                         {"I64S", "integers"},
                                         {"PAIRS", "pairs of integers"},
                                         {"BOOLS", "booleans"},
                                         {"DENSE", "literal"},
                                         {"SYMBOL", "function"},
                                         {"TEXT", "as written"},
                                         {"PRECISIONS", "precisions"},
                                         {"UNIT", "there or not"},
                                         {"CHANNEL", "handle and type"},
                                         {"GROUPS", "groups of processes"},
                                         {"SHARDING", "sharding"},
                                         {"SHARDINGS", "a sharding a value"},
                                         {"AXES", "axes of the mesh"},
                                         {"PROGRAMS", "lists of functions"}};
  for (size_t i = 0; i < TL_COUNT(texts); i++)
    if (strcmp(texts[i][0], kind) == 0) return texts[i][1];
  return kind; // an enum, by its name
}

static const char *default_text(const char *dflt, const char *kind) {
  if (strcmp(dflt, "REQUIRED") == 0) return "required";
  if (strcmp(dflt, "EMPTY") == 0) return "empty";
  if (strcmp(kind, "COMPARISON_TYPE") == 0) return "by the element type";
  return dflt;
}

static void count(tl_buf *out, int n, const char *what) {
  if (n < 0)
    tl_buf_printf(out, "any number of %ss", what);
  else
    tl_buf_printf(out, "%d %s%s", n, what, n == 1 ? "" : "s");
}

static void signature(tl_buf *out, tl_opcode op) {
  const tl_op_info *info = tl_op_get(op);
  tl_buf_printf(out, "## Signature\n\n");
  count(out, info->n_in, "operand");
  tl_buf_printf(out, ", ");
  count(out, info->n_out, "result");
  if (info->n_regions) {
    tl_buf_printf(out, ", ");
    count(out, info->n_regions, "region");
  }
  tl_buf_printf(out, ".%s%s%s%s\n\n", info->traits & TL_ELEMWISE ? " Elementwise." : "",
                info->traits & TL_COMMUTES ? " Commutes." : "",
                info->traits & TL_FLOAT_ONLY ? " Floating point only."
                : info->traits & TL_INEXACT  ? " Floating point and complex numbers only."
                                             : "",
                info->traits & TL_EFFECT ? " Has an effect: passes leave it where it is." : "");
  if (!info->n_attrs) return;
  tl_buf_printf(out, "| attribute | kind | default | since |\n| --- | --- | --- | --- |\n");
  for (uint16_t i = 0; i < info->n_attrs; i++) {
    const size_t id = info->attr_begin + i;
    tl_buf_printf(out, "| `%s` | %s | %s | %u |\n", tl_attr_get((tl_attr_id)id)->name,
                  kind_text(attr_kinds[id]), default_text(attr_defaults[id], attr_kinds[id]),
                  tl_attr_get((tl_attr_id)id)->since);
  }
  tl_buf_printf(out, "\n");
}

static void one_case(tl_buf *out, const op_case *c) {
  tl_buf_printf(out, "`%s`", *c->operands ? c->operands : "no operands");
  if (*c->attrs) tl_buf_printf(out, " with `%s`", c->attrs);
  if (*c->regions) tl_buf_printf(out, " and regions `%s`", c->regions);
  if (*c->results) tl_buf_printf(out, " as `%s`", c->results);
}

static void constraints(tl_buf *out, tl_opcode op) {
  bool any = false;
  for (size_t i = 0; i < TL_COUNT(cases); i++) {
    if (cases[i].code != op || !cases[i].label) continue;
    bool shown = false; // one case a label is enough here
    for (size_t j = 0; j < i; j++)
      shown |= cases[j].code == op && cases[j].label && strcmp(cases[j].label, cases[i].label) == 0;
    if (shown) continue;
    case_module k;
    case_begin(&k, &cases[i]);
    tl_op_finish(&k.b, k.op, k.n_types ? k.types : NULL, k.n_types);
    tl_status st = tl_builder_finish(&k.b);
    if (!any)
      tl_buf_printf(out, "## Refused\n\nLabels are those of the StableHLO specification.\n\n");
    any = true;
    tl_buf_printf(out, "- ");
    one_case(out, &cases[i]);
    tl_buf_printf(out, ": %s\n", tl_status_message(st));
    tl_status_drop(st);
    tl_module_destroy(k.m);
  }
  if (any) tl_buf_printf(out, "\n");
}

static tl_status example(tl_buf *out, const char *samples, tl_opcode op, tl_arena *a) {
  const char *name = tl_op_get(op)->mnemonic;
  tl_buf file = {0}, text = {0};
  tl_module *m = NULL;
  tl_diags diags = {0};
  tl_status st;
  TL_TRY_GOTO(done, st,
              tl_file_read(tl_arena_printf(a, "%s/%s.mlir", samples, name), 1 << 20, &file));
  tl_str part = tl_buf_view(&file);
  part = tl_str_sub(part, 0, TL_MIN(tl_str_find(part, TL_STR("// -----")), part.len));
  size_t line = tl_str_find(part, TL_STR("// op: "));
  if (line != (size_t)-1) { // a named op, whose text would be its decomposition
    part = tl_str_sub(part, line + 7, part.len);
    part = tl_str_sub(part, 0, TL_MIN(tl_str_find(part, TL_STR("\n")), part.len));
    st = case_of_line(op, part, &m);
  } else {
    st = tl_shlo_parse(part, name, &diags, &m);
  }
  if (!st) st = tl_shlo_print(m, &(tl_shlo_print_options){0}, &text);
  if (!st)
    tl_buf_printf(out, "## Example\n\n```mlir\n" TL_STR_FMT "```\n\n",
                  TL_STR_ARG(tl_buf_view(&text)));
done:
  tl_diags_deinit(&diags);
  tl_module_destroy(m);
  tl_buf_deinit(&file), tl_buf_deinit(&text);
  return st;
}

static void backends(tl_buf *out, tl_opcode op) {
  const tl_op_info *info = tl_op_get(op);
  const bool named = info->traits & TL_NAMED;
  tl_buf_printf(out, "## Backends\n\n- reference interpreter: `ref_eval_%s`, at f32 and at f64\n",
                ids[op]);
  if (lowered[op])
    tl_buf_printf(out, "- native: planned by `%s` (`src/cpu/lower.def`)\n", lowered[op]);
  if (looped[op])
    tl_buf_printf(out, "- native: %s by `%s` as loops (`docs/design/loop-ir.md`)\n",
                  lowered[op] ? "what that does not take, and what is fused," : "planned",
                  looped[op]);
  if (reasons[op])
    tl_buf_printf(out, "- native: a step that runs the reference interpreter: %s\n", reasons[op]);
  if (!lowered[op] && !looped[op] && !reasons[op])
    tl_buf_printf(out, named ? "- native: its decomposition, planned in its place\n"
                             : "- native: control flow of the plan (`src/cpu/plan.c`)\n");
  tl_buf_printf(out, named
                         ? "- any other: the composite's decomposition, which the module carries\n"
                         : "- any other: as StableHLO\n");
}

static tl_status page(const char *samples, const char *dir, tl_opcode op, tl_arena *a) {
  const tl_op_info *info = tl_op_get(op);
  const struct doc *d = &docs[op];
  const bool named = info->traits & TL_NAMED;
  if (!d->meaning)
    return TL_ERROR(NOT_FOUND, "%s has no row in src/ir/op_docs.def", info->mnemonic);
  tl_buf out = {0};
  tl_buf_printf(&out, "# %s\n\n", info->mnemonic);
  tl_buf_printf(&out,
                named                         ? "Named op, in text the composite `tlaloc.%s`. "
                : strchr(info->mnemonic, '.') ? "Core op, in text `%s`. "
                                              : "Core op, in text `stablehlo.%s`. ",
                info->mnemonic);
  tl_buf_printf(&out, "Row `%s` of `src/ir/ops.def`; samples in `tests/sweep/%s.mlir`.\n\n",
                ids[op], info->mnemonic);
  tl_buf_printf(&out, "%s\n\n", d->meaning);
  if (*d->choice) tl_buf_printf(&out, "%s\n\n", d->choice);
  signature(&out, op);
  constraints(&out, op);
  tl_buf_printf(&out, "## Derivative\n\n%s\n\n", d->derivative);
  tl_status st = example(&out, samples, op, a);
  if (!st) {
    backends(&out, op);
    st = out.oom
             ? TL_OOM()
             : tl_file_write(tl_arena_printf(a, "%s/%s.md", dir, info->mnemonic), out.ptr, out.len);
  }
  tl_buf_deinit(&out);
  return st;
}

static tl_status front_page(const char *dir, tl_arena *a) {
  tl_buf out = {0};
  tl_buf_printf(&out, "# Ops\n\nMade by `make docs` from the tables in `src/ir`; do not edit.\n\n");
  for (int named = 0; named < 2; named++) {
    tl_buf_printf(&out, named ? "\n## Named ops\n\n" : "## Core ops\n\n");
    for (size_t op = 0; op < TL_OP_COUNT; op++) {
      const tl_op_info *info = tl_op_get((tl_opcode)op);
      if (!!(info->traits & TL_NAMED) != named) continue;
      const char *end = strstr(docs[op].meaning, ". ");
      const size_t len = end ? (size_t)(end - docs[op].meaning) : strlen(docs[op].meaning) - 1;
      tl_buf_printf(&out, "- [%s](%s.md): %.*s\n", info->mnemonic, info->mnemonic, (int)len,
                    docs[op].meaning);
    }
  }
  tl_status st = tl_file_write(tl_arena_printf(a, "%s/README.md", dir), out.ptr, out.len);
  tl_buf_deinit(&out);
  return st;
}

int main(int argc, char **argv) {
  if (argc != 3) return fprintf(stderr, "wanted SAMPLES OUT\n"), 2;
  tl_arena *a = tl_arena_create();
  tl_status st = tl_dir_create(argv[2]);
  for (size_t op = 0; op < TL_OP_COUNT && !st; op++) {
    st = page(argv[1], argv[2], (tl_opcode)op, a);
    if (st) fprintf(stderr, "%s: ", tl_op_get((tl_opcode)op)->mnemonic);
  }
  if (!st) st = front_page(argv[2], a);
  if (st) fprintf(stderr, "%s\n", tl_status_message(st));
  const bool failed = st;
  tl_status_drop(st);
  tl_arena_destroy(a);
  return failed;
}
