// Type rules: the frame. The rules themselves are in infer_core.c, infer_index.c, infer_control.c
// and infer_named.c.
//
// A rule does two jobs in one pass over the specification's constraints: it says what is wrong with
// an op, and it says what the op's result types are. The builder calls it before an op has results,
// the verifier after; so a type that is inferred and a type that is checked cannot drift apart.
// Labels at each check are the specification's own: C7 of dot_general is (dot_general_c7), and an
// input's type class is (…_i1), (…_i2) by the input's number.
//
// The first broken constraint of an op is reported, because later ones usually assume it.
#include "ir/rule.h"

const char *tl_rule_type(const tl_rule *r, tl_type t) {
  tl_buf buf = {0};
  if (tl_type_is_static(t) || tl_type_has_any(t))
    tl_type_print(&buf, t);
  else
    tl_type_print_named(&buf, r->module, t);
  tl_str copy = buf.oom ? (tl_str){0} : tl_str_copy(r->arena, tl_buf_view(&buf));
  tl_buf_deinit(&buf);
  return copy.ptr ? copy.ptr : "a type";
}

const char *tl_rule_dim(const tl_rule *r, int64_t d) {
  if (d < 0) return tl_dim_text(r->module, d).ptr;
  const char *text = tl_arena_printf(r->arena, "%lld", (long long)d);
  return text ? text : "a size";
}

const char *tl_rule_list(const tl_rule *r, tl_i64s list) {
  tl_buf buf = {0};
  tl_buf_char(&buf, '[');
  for (size_t i = 0; i < list.len; i++)
    tl_buf_printf(&buf, "%s%lld", i ? ", " : "", (long long)list.ptr[i]);
  tl_buf_char(&buf, ']');
  tl_str copy = buf.oom ? (tl_str){0} : tl_str_copy(r->arena, tl_buf_view(&buf));
  tl_buf_deinit(&buf);
  return copy.ptr ? copy.ptr : "a list";
}

tl_status tl_rule_wrong(const tl_rule *r, const char *label, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  tl_buf text = {0};
  tl_buf_vprintf(&text, fmt, args);
  va_end(args);
  const char *mnemonic = r->as ? r->as : tl_op_get(r->op->code)->mnemonic;
  tl_status st =
      text.oom ? TL_OOM()
      : label  ? TL_ERROR(INVALID_ARGUMENT, "%s: %s (%s_%s)", mnemonic, text.ptr, mnemonic, label)
               : TL_ERROR(INVALID_ARGUMENT, "%s: %s", mnemonic, text.ptr);
  tl_buf_deinit(&text);
  return st;
}

// What is known of either: an inferred `?` is as it is declared.
static tl_status merged(const tl_rule *r, tl_type inferred, tl_type declared, tl_type *out) {
  *out = inferred;
  if (!tl_type_has_any(inferred)) return TL_OK;
  int64_t dims[TL_MAX_RANK];
  for (uint32_t i = 0; i < inferred.rank; i++)
    dims[i] = tl_dim_is_any(inferred.dims[i]) ? declared.dims[i] : inferred.dims[i];
  *out = tl_type_of(r->arena, inferred.dtype, dims, inferred.rank);
  return out->dims == NULL ? TL_OOM() : TL_OK;
}

// The label that a declared type breaks: of "c1|c4" the first where the element types differ, else
// the second.
static const char *label_for(tl_rule *r, const char *label, tl_type is, tl_type declared) {
  const char *bar = strchr(label, '|');
  if (bar == NULL) return label;
  if (is.dtype == declared.dtype) return bar + 1;
  const char *first = tl_arena_printf(r->arena, "%.*s", (int)(bar - label), label);
  return first == NULL ? bar + 1 : first;
}

tl_status tl_rule_give(tl_rule *r, const tl_type *types, uint32_t n, const char *label) {
  if (r->declared != NULL) {
    TL_RULE(r, r->n_declared == n, label, "declares %u results, gives %u", r->n_declared, n);
    for (uint32_t i = 0; i < n; i++)
      TL_RULE(r, tl_type_agrees(types[i], r->declared[i]),
              label_for(r, label, types[i], r->declared[i]), "result %u is declared %s, but is %s",
              i, tl_rule_type(r, r->declared[i]), tl_rule_type(r, types[i]));
  }
  r->types = n <= r->n_room ? r->room : TL_NEW(r->arena, tl_type, n);
  if (n != 0 && r->types == NULL) return TL_OOM();
  for (uint32_t i = 0; i < n; i++)
    TL_TRY(merged(r, types[i], r->declared ? r->declared[i] : types[i], &r->types[i]));
  r->n_types = n;
  return TL_OK;
}

tl_status tl_rule_give1(tl_rule *r, tl_type type, const char *label) {
  return tl_rule_give(r, &type, 1, label);
}

tl_status tl_rule_give_dims(tl_rule *r, tl_dtype dtype, const int64_t *dims, uint32_t rank,
                            const char *label) {
  TL_RULE(r, rank <= TL_MAX_RANK, label, "the result would have rank %u, the most is %d", rank,
          TL_MAX_RANK);
  tl_type t = tl_type_of(r->arena, dtype, dims, rank);
  if (rank != 0 && t.dims == NULL) return TL_OOM();
  return tl_rule_give1(r, t, label);
}

tl_status tl_rule_declared(const tl_rule *r, tl_type *out_type) {
  TL_RULE(r, r->declared != NULL && r->n_declared == 1, NULL,
          "wants its one result type to be given");
  *out_type = r->declared[0];
  return TL_OK;
}

bool tl_rule_shape_eq(tl_type a, tl_type b) {
  b.dtype = a.dtype;
  return tl_type_agrees(a, b);
}

bool tl_rule_unique(tl_i64s list) {
  for (size_t i = 0; i < list.len; i++)
    for (size_t j = 0; j < i; j++)
      if (list.ptr[i] == list.ptr[j]) return false;
  return true;
}

bool tl_rule_sorted(tl_i64s list) {
  for (size_t i = 1; i < list.len; i++)
    if (list.ptr[i - 1] > list.ptr[i]) return false;
  return true;
}

bool tl_rule_within(tl_i64s list, int64_t limit) {
  for (size_t i = 0; i < list.len; i++)
    if (list.ptr[i] < 0 || list.ptr[i] >= limit) return false;
  return true;
}

bool tl_rule_has(tl_i64s list, int64_t value) {
  for (size_t i = 0; i < list.len; i++)
    if (list.ptr[i] == value) return true;
  return false;
}

static tl_rule_fn *const rules[TL_OP_COUNT] = {
#define TL_OP(id, mnemonic, in, out, regions, traits, rule, syntax) [TL_OP_##id] = tl_infer_##rule,
#include "ir/ops.def"
#undef TL_OP
};

// Rules that can do with dims that are no numbers: every comparison and every sum of sizes in them
// goes through dim.h. Any other op refuses such a dim by name.
static tl_rule_fn *const symbolic[] = {
#define TL_SYMBOLIC(rule) tl_infer_##rule,
#include "ir/symbolic.def"
#undef TL_SYMBOLIC
};

static bool takes_symbols(tl_opcode code) {
  for (size_t i = 0; i < TL_COUNT(symbolic); i++)
    if (symbolic[i] == rules[code]) return true;
  return false;
}

static tl_status type_sound(const tl_rule *r, tl_type t, const char *what, uint32_t i) {
  TL_RULE(r, t.rank <= TL_MAX_RANK, NULL, "%s %u has rank %u, the most is %d", what, i, t.rank,
          TL_MAX_RANK);
  if (t.rank != 0 && t.dims == NULL) return TL_OOM();
  size_t size;
  if (tl_type_is_static(t)) {
    TL_RULE(r, tl_type_size(t, &size), NULL, "%s %u needs more bytes than memory can hold", what,
            i);
    return TL_OK;
  }
  TL_RULE(
      r, tl_type_is_sound(r->module, t), NULL,
      "%s %u has a dim that is no symbol of the module, or needs more bytes than memory can hold",
      what, i);
  TL_RULE(r, takes_symbols(r->op->code), NULL,
          "%s %u is %s: this op takes only dims that are numbers; specialise the module first",
          what, i, tl_rule_type(r, t));
  return TL_OK;
}

// What every rule may rely on: the counts of the op's row, sound types, and every REQUIRED
// attribute.
static tl_status frame_sound(const tl_rule *r) {
  const tl_op *op = r->op;
  const tl_op_info *info = tl_op_get(op->code);
  TL_RULE(r, info->n_in < 0 || op->n_operands == (uint32_t)info->n_in, NULL,
          "wants %d operands, got %u", info->n_in, op->n_operands);
  TL_RULE(r, info->n_regions < 0 || op->n_regions == (uint32_t)info->n_regions, NULL,
          "wants %d regions, got %u", info->n_regions, op->n_regions);
  TL_RULE(r, info->n_out < 0 || r->declared == NULL || r->n_declared == (uint32_t)info->n_out, NULL,
          "wants %d results, got %u", info->n_out, r->n_declared);
  for (uint32_t i = 0; i < op->n_operands; i++)
    TL_TRY(type_sound(r, tl_rule_in(r, i), "operand", i));
  for (uint32_t i = 0; i < r->n_declared; i++)
    TL_TRY(type_sound(r, r->declared[i], "result", i));
  for (uint32_t i = 0; i < op->n_regions; i++)
    for (uint32_t j = 0; j < op->regions[i]->n_args; j++)
      if (!tl_type_is_static(op->regions[i]->args[j]->type))
        TL_TRY(type_sound(r, op->regions[i]->args[j]->type, "argument of a region", j));
  for (uint32_t i = 0; i < info->n_attrs; i++) {
    const tl_attr_info *attr = tl_attr_get((tl_attr_id)(info->attr_begin + i));
    TL_RULE(r, !attr->required || op->attrs[i].set, NULL, "wants the attribute %s", attr->name);
    TL_RULE(r, attr->kind != TL_AK_DENSE || op->attrs[i].dense != NULL, NULL,
            "wants the attribute %s", attr->name);
  }
  return TL_OK;
}

tl_status tl_op_infer(tl_arena *arena, const tl_module *module, const tl_op *op,
                      const tl_type *declared, uint32_t n_declared, bool finished,
                      const tl_type **out_types, uint32_t *out_n) {
  return tl_op_infer_into(arena, module, op, declared, n_declared, finished, NULL, 0, out_types,
                          out_n);
}

tl_status tl_op_infer_into(tl_arena *arena, const tl_module *module, const tl_op *op,
                           const tl_type *declared, uint32_t n_declared, bool finished,
                           tl_type *room, uint32_t n_room, const tl_type **out_types,
                           uint32_t *out_n) {
  tl_rule r = {.arena = arena,
               .module = module,
               .op = op,
               .declared = declared,
               .n_declared = declared ? n_declared : 0,
               .finished = finished,
               .room = room,
               .n_room = n_room};
  TL_TRY(frame_sound(&r));
  TL_TRY(rules[op->code](&r));
  for (uint32_t i = 0; i < r.n_types; i++)
    TL_TRY(type_sound(&r, r.types[i], "result", i));
  *out_types = r.types;
  *out_n = r.n_types;
  return TL_OK;
}
