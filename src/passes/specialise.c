// Sizes in place of symbols: one walk over each function, in the order in which ops run.
//
// A value of the old module is known by its new value, and, when it is a small integer tensor that
// follows from sizes and constants, by its elements as well. So shapes that are computed (JAX
// computes every size that is not an argument's) come out as numbers before the op that wants them
// is reached. The interpreter computes them: nothing here knows what an op means.
//
// Calls make their callees first, so that results have types; functions are told apart by their
// argument types and by the arguments that are known. The road not taken: inlining everything, as
// sizes are passed through calls; it would make a module of a thousand layers a thousand times as
// large.
#include "passes/specialise.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "ir/build.h"
#include "ir/dim.h"
#include "ir/dynamic.h"
#include "ir/target.h"
#include "passes/copy.h"
#include "passes/passes.h"
#include "ref/ref.h"

enum {
  MAX_DEPTH = 150,   // of calls and regions
  MAX_OPS = 1 << 18, // of the new module
  MAX_KNOWN = 4096,  // bytes of a value whose elements are followed
  MAX_NAMES = 10000, // of one function
};

typedef struct origin { // of a symbol's value, for messages
  uint32_t arg, dim;
  bool given; // by name
} origin;

typedef struct instance { // a function with these argument types and known arguments
  const tl_func *old;
  tl_func *made;
  const tl_literal **results; // [n_results] NULL where not known
} instance;

typedef struct specialiser {
  const tl_module *from;
  tl_module *to;
  tl_diags *diags;
  tl_arena *scratch;
  int64_t *values; // [symbols] -1: none
  origin *origins; // [symbols]
  const tl_symbol *symbols;
  uint32_t n_symbols;
  tl_map instances; // key -> instance *
  tl_map names;     // of the new functions
  tl_loc_copier locs;
  uint32_t depth, n_ops;
} specialiser;

typedef struct frame { // one function on its way
  tl_ptr_map values;   // old value -> new value
  tl_ptr_map known;    // new value -> tl_literal *
  tl_ptr_map old;      // new value -> the old value that it stands for
} frame;

// ---- Messages ----

static tl_status wrong(specialiser *s, tl_loc loc, const char *fmt, ...) TL_PRINTF(3, 4);
static tl_status wrong(specialiser *s, tl_loc loc, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  tl_buf text = {0};
  tl_buf_vprintf(&text, fmt, args);
  va_end(args);
  const char *message = text.ptr ? text.ptr : "specialise: out of memory";
  if (s->diags != NULL) tl_diags_add(s->diags, TL_DIAG_ERROR, loc, "%s", message);
  tl_status st = TL_ERROR(INVALID_ARGUMENT, "%s", message);
  tl_buf_deinit(&text);
  return st;
}

// "n = 4, m = 8": the values that a message is about.
static const char *sizes_text(const specialiser *s) {
  tl_buf text = {0};
  for (uint32_t i = 0; i < s->n_symbols && i < 8; i++)
    if (s->values[i] >= 0)
      tl_buf_printf(&text, "%s" TL_STR_FMT " = %lld", text.len ? ", " : "",
                    TL_STR_ARG(s->symbols[i].name), (long long)s->values[i]);
  const char *copy = tl_str_copy(s->scratch, tl_buf_view(&text)).ptr;
  tl_buf_deinit(&text);
  return copy ? copy : "";
}

// ---- Types ----

// Numbers for names; a `?` stays.
static tl_status dim_value(specialiser *s, int64_t d, tl_loc loc, int64_t *out) {
  uint32_t symbol = 0;
  *out = d;
  if (!tl_dim_is_named(d)) return TL_OK;
  const tl_str text = tl_dim_text(s->from, d);
  switch (tl_dim_eval(s->from, d, s->values, out, &symbol)) {
  case TL_DIM_FINE:
    return TL_OK;
  case TL_DIM_UNBOUND:
    return wrong(s, loc, "the symbol " TL_STR_FMT " has no size",
                 TL_STR_ARG(s->symbols[symbol].name));
  case TL_DIM_OVERFLOW:
    return wrong(s, loc, "the dim " TL_STR_FMT " does not fit in 64 bits at %s", TL_STR_ARG(text),
                 sizes_text(s));
  case TL_DIM_NEGATIVE:
    return wrong(s, loc, "the dim " TL_STR_FMT " is %lld at %s", TL_STR_ARG(text), (long long)*out,
                 sizes_text(s));
  case TL_DIM_BY_ZERO:
    return wrong(s, loc, "the dim " TL_STR_FMT " divides by 0 at %s", TL_STR_ARG(text),
                 sizes_text(s));
  }
  return TL_OK;
}

static tl_status type_value(specialiser *s, tl_type t, tl_loc loc, tl_type *out) {
  int64_t dims[TL_MAX_RANK] = {0};
  for (uint32_t i = 0; i < t.rank; i++)
    TL_TRY(dim_value(s, t.dims[i], loc, &dims[i]));
  *out = tl_type_of(s->to->arena, t.dtype, dims, t.rank);
  return t.rank != 0 && out->dims == NULL ? TL_OOM() : TL_OK;
}

// ---- Known values ----

static const tl_literal *known(const frame *f, tl_value v) { return tl_ptr_map_find(&f->known, v); }

static bool may_be_known(tl_type t) {
  size_t size;
  const tl_dtype_kind kind = tl_dtype_get(t.dtype)->kind;
  return (kind == TL_KIND_INT || kind == TL_KIND_UINT || kind == TL_KIND_BOOL) &&
         tl_type_size(t, &size) && size <= MAX_KNOWN;
}

static tl_status note_known(frame *f, tl_value v, const tl_literal *lit) {
  if (lit == NULL || !may_be_known(lit->type)) return TL_OK;
  return tl_ptr_map_put(&f->known, v, (uintptr_t)lit) ? TL_OK : TL_OOM();
}

// All elements, written out. NULL when memory is gone.
static const void *elements(tl_arena *a, const tl_literal *lit) {
  size_t size;
  if (!lit->splat) return lit->data;
  if (!tl_type_size(lit->type, &size)) return NULL;
  unsigned char *data = tl_arena_alloc(a, TL_MAX(size, (size_t)1), 16);
  for (size_t at = 0; data != NULL && lit->size > 0 && at + lit->size <= size; at += lit->size)
    memcpy(data + at, lit->data, lit->size);
  return data;
}

static tl_status ints_of(specialiser *s, const tl_literal *lit, tl_i64s *out) {
  size_t n;
  if (!tl_type_count(lit->type, &n)) return TL_OOM();
  int64_t *list = TL_NEW(s->scratch, int64_t, n + 1);
  const void *data = elements(s->scratch, lit);
  if (list == NULL || data == NULL) return TL_OOM();
  *out = (tl_i64s){list, n};
  if (!tl_dynamic_ints(lit->type.dtype, data, n, list)) *out = (tl_i64s){NULL, 0};
  return TL_OK;
}

static tl_value emit_constant(tl_builder *b, frame *f, tl_type type, const void *data, size_t size,
                              tl_status *st) {
  tl_value v = tlo_constant(b, type, data, size);
  if (v != NULL) {
    *st = note_known(f, v, tl_op_attr(v->op, TL_A_CONSTANT_value)->dense);
  } else {
    *st = b->error != TL_OK ? b->error : TL_OOM();
    b->error = TL_OK;
  }
  return v;
}

// A size as a floating-point number, which is not followed further: what a mean divides by.
static bool is_count(const tl_op *op) {
  return op->code == TL_OP_CONVERT && op->results[0]->type.rank == 0 &&
         tl_dtype_get(op->results[0]->type.dtype)->kind == TL_KIND_FLOAT;
}

// The op's results as constants, computed by the interpreter; *out_done false where it is not such
// an op.
static tl_status fold(specialiser *s, frame *f, tl_builder *b, const tl_op *op, tl_value *results,
                      bool *out_done) {
  const tl_op_info *info = tl_op_get(op->code);
  *out_done = false;
  if (op->n_regions > 0 || op->n_results == 0 || op->n_results > 4 || op->n_operands > 64 ||
      (info->traits & (TL_EFFECT | TL_TERM | TL_NAMED)) != 0 || op->code == TL_OP_CONSTANT ||
      op->code == TL_OP_CALL || op->code == TL_OP_COMPOSITE)
    return TL_OK;
  tl_tensor in[64], out[4];
  for (uint32_t i = 0; i < op->n_results; i++)
    if (!may_be_known(op->results[i]->type) && !is_count(op)) return TL_OK;
  for (uint32_t i = 0; i < op->n_operands; i++) {
    const tl_literal *lit = known(f, op->operands[i]);
    if (lit == NULL) return TL_OK;
    in[i] = (tl_tensor){lit->type, NULL};
    memcpy(&in[i].data, &(const void *){elements(s->scratch, lit)}, sizeof in[i].data);
    if (in[i].data == NULL) return TL_OOM();
  }
  for (uint32_t i = 0; i < op->n_results; i++) {
    size_t size;
    if (!tl_type_size(op->results[i]->type, &size)) return TL_OK;
    out[i] = (tl_tensor){op->results[i]->type, tl_arena_alloc(s->scratch, size + 1, 16)};
    if (out[i].data == NULL) return TL_OOM();
  }
  tl_status st = tl_ref_eval_op(op, in, out, s->scratch);
  if (st != TL_OK) { // it says so again when it runs
    const bool oom = tl_status_get_code(st) == TL_STATUS_RESOURCE_EXHAUSTED;
    tl_status_drop(st);
    return oom ? TL_OOM() : TL_OK;
  }
  for (uint32_t i = 0; i < op->n_results && st == TL_OK; i++) {
    size_t size;
    (void)tl_type_size(out[i].type, &size);
    results[i] = emit_constant(b, f, out[i].type, out[i].data, size, &st);
  }
  *out_done = st == TL_OK;
  return st;
}

// ---- Ops ----

static tl_value lookup(const frame *f, tl_value old) { return tl_ptr_map_find(&f->values, old); }

static tl_status define(frame *f, tl_value old, tl_value new) {
  return new != NULL &&tl_ptr_map_put(&f->values, old, (uintptr_t)new) &&
                 tl_ptr_map_put(&f->old, new, (uintptr_t)old)
             ? TL_OK
             : TL_OOM();
}

static tl_status block_specialise(specialiser *s, frame *f, tl_builder *b, const tl_block *block);
static tl_status function_specialise(specialiser *s, const tl_func *fn, const tl_type *types,
                                     const tl_literal *const *constants, const instance **out);

// The builder's error, as one of the user's program at this op.
static tl_status settle(specialiser *s, tl_builder *b, const tl_op *op) {
  tl_status st = b->error;
  if (st == TL_OK) return TL_OK;
  b->error = TL_OK;
  if (tl_status_get_code(st) == TL_STATUS_RESOURCE_EXHAUSTED || s->diags == NULL) return st;
  tl_diags_add(s->diags, TL_DIAG_ERROR, op->loc, "%s", tl_status_message(st));
  return st;
}

static tl_status all_static(specialiser *s, const tl_op *old, const tl_op *new) {
  for (uint32_t i = 0; i < new->n_results; i++) {
    const tl_type t = new->results[i]->type;
    if (tl_type_is_static(t)) continue;
    tl_buf type = {0};
    tl_type_print(&type, t);
    tl_status st = wrong(s, old->loc,
                         "%s: result %u is %s, and its sizes do not follow from those "
                         "of the arguments",
                         tl_op_get(old->code)->mnemonic, i, type.ptr ? type.ptr : "a tensor");
    tl_buf_deinit(&type);
    return st;
  }
  return TL_OK;
}

static tl_status take_results(specialiser *s, frame *f, tl_builder *b, const tl_op *old,
                              const tl_op *new) {
  tl_value results[4];
  bool done;
  TL_TRY(all_static(s, old, new));
  TL_TRY(fold(s, f, b, new, results, &done));
  for (uint32_t i = 0; i < new->n_results; i++)
    TL_TRY(define(f, old->results[i], done ? results[i] : new->results[i]));
  if (new->code == TL_OP_CONSTANT)
    TL_TRY(note_known(f, new->results[0], tl_op_attr(new, TL_A_CONSTANT_value)->dense));
  return TL_OK;
}

static tl_status call_specialise(specialiser *s, frame *f, tl_builder *b, const tl_op *op,
                                 tl_value *operands) {
  const bool composite = op->code == TL_OP_COMPOSITE;
  const tl_attr_id id = composite ? TL_A_COMPOSITE_decomposition : TL_A_CALL_callee;
  const tl_func *callee = tl_module_find(s->from, tl_op_str(op, id));
  if (callee == NULL || callee->body->n_args != op->n_operands)
    return wrong(s, op->loc, "call: it does not fit its function");
  tl_type *types = TL_NEW(s->scratch, tl_type, op->n_operands + 1);
  const tl_literal **constants = TL_NEW(s->scratch, const tl_literal *, op->n_operands + 1);
  if (types == NULL || constants == NULL) return TL_OOM();
  for (uint32_t i = 0; i < op->n_operands; i++) {
    types[i] = operands[i]->type;
    constants[i] = known(f, operands[i]);
  }
  const instance *made;
  TL_TRY(function_specialise(s, callee, types, constants, &made));
  tl_op *new = tl_op_begin(b, op->code, operands, op->n_operands);
  if (new != NULL) tl_copy_attrs(b, new, op);
  tl_op_set_str(b, new, id, made->made->name);
  new = tl_op_finish(b, new, made->made->result_types, made->made->n_results);
  TL_TRY(settle(s, b, op));
  for (uint32_t i = 0; i < op->n_results; i++) {
    tl_status st = TL_OK;
    tl_value v = new->results[i];
    const tl_literal *lit = made->results[i];
    if (lit != NULL) v = emit_constant(b, f, lit->type, lit->data, lit->size, &st);
    TL_TRY(st);
    TL_TRY(settle(s, b, op));
    TL_TRY(define(f, op->results[i], v));
  }
  return TL_OK;
}

// "{0}" in a message is the first of the values behind the predicate.
static tl_status assertion_failed(specialiser *s, frame *f, const tl_op *op, tl_value *operands) {
  const tl_str text = tl_op_str(op, TL_A_CUSTOM_CALL_error_message);
  tl_buf out = {0};
  for (size_t i = 0; i < text.len; i++) {
    uint32_t at = UINT32_MAX;
    if (text.ptr[i] == '{' && i + 2 < text.len && text.ptr[i + 2] == '}' &&
        text.ptr[i + 1] >= '0' && text.ptr[i + 1] <= '9')
      at = (uint32_t)(text.ptr[i + 1] - '0') + 1;
    const tl_literal *lit = at < op->n_operands ? known(f, operands[at]) : NULL;
    tl_i64s value = {0};
    if (lit != NULL && tl_dtype_get(lit->type.dtype)->kind != TL_KIND_BOOL &&
        ints_of(s, lit, &value) == TL_OK && value.len > 0) {
      tl_buf_printf(&out, "%lld", (long long)value.ptr[0]);
      i += 2;
    } else {
      tl_buf_char(&out, text.ptr[i]);
    }
  }
  tl_status st = wrong(s, op->loc, "shape_assertion: %s",
                       out.len ? out.ptr : "an assertion about shapes does not hold");
  tl_buf_deinit(&out);
  return st;
}

static tl_status assertion(specialiser *s, frame *f, const tl_op *op, tl_value *operands,
                           bool *out_done) {
  const tl_literal *lit = known(f, operands[0]);
  if (lit == NULL) return TL_OK; // stays, and is checked when it runs
  *out_done = true;
  const unsigned char *holds = lit->data;
  return lit->size > 0 && holds[0] != 0 ? TL_OK : assertion_failed(s, f, op, operands);
}

// A dynamic op whose shape is known, as the static one.
static tl_status fix(specialiser *s, frame *f, tl_builder *b, const tl_op *op, tl_value *operands,
                     tl_type declared, bool *out_done) {
  uint32_t first, n;
  *out_done = false;
  if (!tl_dynamic_shapes(op->code, &first, &n)) return TL_OK;
  tl_i64s lists[8];
  for (uint32_t i = 0; i < n; i++) {
    const tl_literal *lit = known(f, operands[first + i]);
    if (lit == NULL) return TL_OK;
    TL_TRY(ints_of(s, lit, &lists[i]));
    if (lists[i].ptr == NULL) return TL_OK;
  }
  tl_value_def result = {.type = declared};
  tl_value result_list[1] = {&result};
  tl_op like = *op, fixed;
  like.operands = operands;
  like.results = result_list;
  like.block = NULL;
  tl_type type;
  tl_status st = tl_dynamic_fix(s->to->arena, &like, lists, &fixed, &type);
  if (st != TL_OK) {
    b->error = st;
    return settle(s, b, op);
  }
  tl_op *new = tl_op_begin(b, fixed.code, operands, fixed.n_operands);
  if (new != NULL) new->attrs = fixed.attrs;
  new = tl_op_finish(b, new, &type, 1);
  TL_TRY(settle(s, b, op));
  *out_done = true;
  return take_results(s, f, b, op, new);
}

// Element `i` of a list, where it follows from sizes though others may not: [%i, n] put together.
static bool element_known(specialiser *s, const frame *f, tl_value v, int64_t i, int64_t *out) {
  for (int depth = 0; depth < 16; depth++) {
    const tl_literal *lit = known(f, v);
    if (lit != NULL) {
      tl_i64s all;
      tl_status st = ints_of(s, lit, &all);
      const bool good = st == TL_OK && all.ptr != NULL && i >= 0 && (size_t)i < all.len;
      tl_status_drop(st);
      if (good) *out = all.ptr[i];
      return good;
    }
    const tl_op *op = v->op;
    if (op == NULL || v->type.rank > 1) return false;
    if (op->code == TL_OP_CONVERT || op->code == TL_OP_RESHAPE) {
      v = op->operands[0];
    } else if (op->code == TL_OP_CONCATENATE) {
      uint32_t k = 0;
      while (k < op->n_operands && i >= op->operands[k]->type.dims[0])
        i -= op->operands[k++]->type.dims[0];
      if (k == op->n_operands) return false;
      v = op->operands[k];
    } else {
      return false;
    }
  }
  return false;
}

// real_dynamic_slice from places that are known at run time only, of sizes that are known before:
// a dynamic_slice. The two differ where the slice does not lie in its operand, which the first says
// does not happen.
static tl_status slice_fixed(specialiser *s, frame *f, tl_builder *b, const tl_op *op,
                             tl_value *operands, tl_type declared, bool *out_done) {
  *out_done = false;
  if (op->code != TL_OP_REAL_DYNAMIC_SLICE) return TL_OK;
  const uint32_t rank = operands[0]->type.rank;
  int64_t sizes[TL_MAX_RANK] = {0};
  tl_value in[TL_MAX_RANK + 1] = {operands[0]};
  tl_i64s lengths = {0}; // of limits that are written as the starts and something known
  const tl_op *limit = operands[2]->op;
  for (uint32_t i = 0; limit != NULL && limit->code == TL_OP_ADD && i < 2; i++) {
    const tl_literal *lit = known(f, limit->operands[1 - i]);
    if (limit->operands[i] == operands[1] && lit != NULL) TL_TRY(ints_of(s, lit, &lengths));
  }
  for (uint32_t d = 0; d < rank; d++) {
    int64_t from, to, step;
    if (!element_known(s, f, operands[3], d, &step) || step != 1) return TL_OK;
    if (lengths.ptr != NULL && d < lengths.len && lengths.ptr[d] >= 0)
      sizes[d] = lengths.ptr[d];
    else if (declared.dims[d] >= 0)
      sizes[d] = declared.dims[d];
    else if (element_known(s, f, operands[1], d, &from) &&
             element_known(s, f, operands[2], d, &to) && from >= 0 && to >= from)
      sizes[d] = to - from;
    else
      return TL_OK;
  }
  // Starts that were scalars before they became a list are so again.
  const tl_op *list = op->operands[1]->op;
  for (uint32_t d = 0; d < rank; d++) {
    const int64_t from = d, to = d + 1;
    const tl_op *part = list != NULL && list->code == TL_OP_CONCATENATE && list->n_operands == rank
                            ? list->operands[d]->op
                            : NULL;
    tl_value scalar = part != NULL && part->code == TL_OP_RESHAPE ? part->operands[0] : NULL;
    if (scalar != NULL && scalar->op != NULL && scalar->op->code == TL_OP_CONVERT)
      scalar = scalar->op->operands[0];
    if (scalar != NULL && scalar->type.rank == 0 &&
        tl_dtype_get(scalar->type.dtype)->kind != TL_KIND_FLOAT) {
      in[1 + d] = lookup(f, scalar);
      continue;
    }
    in[1 + d] = tlo_reshape(b, tlo_slice(b, operands[1], &from, &to, NULL), NULL, 0);
  }
  tl_op *new = tl_op_begin(b, TL_OP_DYNAMIC_SLICE, in, rank + 1);
  tl_op_set_list(b, new, TL_A_DYNAMIC_SLICE_slice_sizes, sizes, rank);
  new = tl_op_finish(b, new, NULL, 0);
  TL_TRY(settle(s, b, op));
  *out_done = true;
  return take_results(s, f, b, op, new);
}

// The custom_call of a reduce_window with its lists as operands.
static tl_status window_fixed(specialiser *s, frame *f, tl_builder *b, const tl_op *op,
                              tl_value *operands, bool *out_done) {
  static const tl_attr_id ids[] = {TL_A_REDUCE_WINDOW_window_dimensions,
                                   TL_A_REDUCE_WINDOW_window_strides,
                                   TL_A_REDUCE_WINDOW_base_dilations,
                                   TL_A_REDUCE_WINDOW_window_dilations, TL_A_REDUCE_WINDOW_padding};
  const tl_func *fn = tl_module_find(s->from, tl_op_str(op, TL_A_CUSTOM_CALL_called_computations));
  const uint32_t n = op->n_results;
  tl_i64s lists[TL_COUNT(ids)];
  for (size_t i = 0; i < TL_COUNT(ids); i++) {
    const tl_literal *lit = known(f, operands[2 * n + i]);
    lists[i].ptr = NULL;
    if (lit != NULL) TL_TRY(ints_of(s, lit, &lists[i]));
    if (lists[i].ptr == NULL)
      return wrong(s, op->loc,
                   "custom_call: operand %zu of @stablehlo.dynamic_reduce_window does "
                   "not follow from the sizes of the arguments",
                   2 * n + i);
  }
  if (fn == NULL || fn->body->n_args != 2 * n) return wrong(s, op->loc, "custom_call: no function");
  tl_op *new = tl_op_begin(b, TL_OP_REDUCE_WINDOW, operands, 2 * n);
  for (size_t i = 0; i < TL_COUNT(ids); i++)
    tl_op_set_list(b, new, ids[i], lists[i].ptr, lists[i].len);
  tl_block *block = tl_op_add_region(b, new);
  tl_builder in = tl_builder_at(b, block);
  for (uint32_t i = 0; i < 2 * n; i++)
    TL_TRY(define(f, fn->body->args[i], tl_block_arg(&in, block, fn->body->args[i]->type)));
  TL_TRY(settle(s, &in, op));
  TL_TRY(block_specialise(s, f, &in, fn->body)); // NOLINT(misc-no-recursion): counted
  tl_builder_join(b, &in);
  new = tl_op_finish(b, new, NULL, 0);
  TL_TRY(settle(s, b, op));
  *out_done = true;
  return take_results(s, f, b, op, new);
}

// What a loop's body hands on as it got it is the same in every turn.
static bool is_invariant(const tl_op *op, uint32_t i) {
  const tl_block *body = op->regions[1];
  const tl_op *ret = body->last;
  return ret != NULL && ret->code == TL_OP_RETURN && i < ret->n_operands &&
         ret->operands[i] == body->args[i];
}

static tl_status regions(specialiser *s, frame *f, tl_builder *b, const tl_op *op, tl_op *new,
                         tl_value *operands) {
  for (uint32_t i = 0; i < op->n_regions; i++) {
    const tl_block *from = op->regions[i];
    tl_block *block = tl_op_add_region(b, new);
    tl_builder in = tl_builder_at(b, block);
    for (uint32_t j = 0; j < from->n_args; j++) {
      tl_type t;
      const bool loop = op->code == TL_OP_WHILE && j < op->n_operands;
      if (loop)
        t = operands[j]->type;
      else
        TL_TRY(type_value(s, from->args[j]->type, op->loc, &t));
      tl_value arg = tl_block_arg(&in, block, t);
      TL_TRY(settle(s, &in, op));
      TL_TRY(define(f, from->args[j], arg));
      if (loop && is_invariant(op, j)) TL_TRY(note_known(f, arg, known(f, operands[j])));
    }
    TL_TRY(block_specialise(s, f, &in, from));
    tl_builder_join(b, &in);
  }
  return TL_OK;
}

static tl_status op_specialise(specialiser *s, frame *f, tl_builder *b, const tl_op *op) {
  bool done = false;
  if (++s->n_ops > MAX_OPS)
    return TL_ERROR(RESOURCE_EXHAUSTED, "specialise: more than %d ops", MAX_OPS);
  tl_value *operands = TL_NEW(s->to->arena, tl_value, op->n_operands + 1);
  tl_type *types = TL_NEW(s->to->arena, tl_type, op->n_results + 1);
  if (operands == NULL || types == NULL) return TL_OOM();
  for (uint32_t i = 0; i < op->n_operands; i++)
    if ((operands[i] = lookup(f, op->operands[i])) == NULL)
      return TL_ERROR(INTERNAL, "specialise: a value is used where it is not defined");
  b->loc = tl_copy_loc(&s->locs, s->to, op->loc);
  if (op->code == TL_OP_RETURN) {
    tlo_return(b, operands, op->n_operands);
    return settle(s, b, op);
  }
  if (op->code == TL_OP_CALL || op->code == TL_OP_COMPOSITE)
    return call_specialise(s, f, b, op, operands);
  for (uint32_t i = 0; i < op->n_results; i++)
    TL_TRY(type_value(s, op->results[i]->type, op->loc, &types[i]));
  tl_target target;
  if (op->code == TL_OP_CUSTOM_CALL &&
      tl_target_of_name(tl_op_str(op, TL_A_CUSTOM_CALL_call_target_name), &target)) {
    if (target == TL_TARGET_SHAPE_ASSERTION) TL_TRY(assertion(s, f, op, operands, &done));
    if (target == TL_TARGET_DYNAMIC_REDUCE_WINDOW)
      TL_TRY(window_fixed(s, f, b, op, operands, &done));
  }
  if (!done && op->n_results == 1) TL_TRY(fix(s, f, b, op, operands, types[0], &done));
  if (!done && op->n_results == 1) TL_TRY(slice_fixed(s, f, b, op, operands, types[0], &done));
  if (done) return TL_OK;
  if (op->code == TL_OP_GET_DIMENSION_SIZE) {
    const tl_type x = operands[0]->type;
    const int64_t d = tl_op_i64(op, TL_A_GET_DIMENSION_SIZE_dimension);
    if (d >= 0 && d < x.rank && x.dims[d] > INT32_MAX)
      return wrong(s, op->loc, "get_dimension_size: %lld does not fit its i32 result",
                   (long long)x.dims[d]);
    if (d >= 0 && d < x.rank) {
      tl_status st = TL_OK;
      const int32_t size = (int32_t)x.dims[d];
      tl_value v = emit_constant(b, f, tl_type_scalar(TL_DTYPE_S32), &size, sizeof size, &st);
      TL_TRY(st);
      TL_TRY(settle(s, b, op));
      return define(f, op->results[0], v);
    }
  }
  tl_op *new = tl_op_begin(b, op->code, operands, op->n_operands);
  if (new != NULL) tl_copy_attrs(b, new, op);
  TL_TRY(settle(s, b, op));
  if (op->code == TL_OP_CONSTANT) {
    tl_literal *value = TL_NEW(s->to->arena, tl_literal, 1);
    if (value == NULL) return TL_OOM();
    *value = *tl_op_attr(new, TL_A_CONSTANT_value)->dense;
    value->type = types[0];
    tl_op_set_dense(new, TL_A_CONSTANT_value, value);
  }
  TL_TRY(regions(s, f, b, op, new, operands));
  new = tl_op_finish(b, new, types, op->n_results);
  TL_TRY(settle(s, b, op));
  return take_results(s, f, b, op, new);
}

static tl_status block_specialise(specialiser *s, frame *f, tl_builder *b, const tl_block *block) {
  if (++s->depth > MAX_DEPTH)
    return TL_ERROR(RESOURCE_EXHAUSTED, "specialise: calls and regions nest deeper than %d",
                    MAX_DEPTH);
  for (const tl_op *op = block->first; op != NULL; op = op->next) {
    tl_arena_point mark = tl_arena_mark(s->scratch);
    tl_status st = op_specialise(s, f, b, op); // NOLINT(misc-no-recursion): counted
    if (op->code != TL_OP_CALL && op->code != TL_OP_COMPOSITE) tl_arena_rewind(s->scratch, mark);
    TL_TRY(st);
  }
  s->depth--;
  return TL_OK;
}

// ---- What is spent ----
//
// Ops that only sizes were computed by, and that nothing reads once their results are constants.
// They go, so that a module which was written with symbols comes out as one written with numbers;
// what nothing read before stays.

static bool count_uses(tl_ptr_map *uses, const tl_block *block, bool one) {
  for (const tl_op *op = block->first; op != NULL; op = op->next) {
    for (uint32_t i = 0; i < op->n_operands; i++) {
      uintptr_t n = 0;
      (void)tl_ptr_map_get(uses, op->operands[i], &n);
      if (!tl_ptr_map_put(uses, op->operands[i], one ? 1 : n + 1)) return false;
    }
    for (uint32_t i = 0; i < op->n_regions; i++)
      if (!count_uses(uses, op->regions[i], one)) return false;
  }
  return true;
}

typedef struct sweeper {
  tl_ptr_map uses;       // of new values, counted
  tl_ptr_map old_uses;   // old values that were read -> 1
  const tl_ptr_map *old; // new value -> old value
  bool oom;
} sweeper;

static bool is_spent(const sweeper *w, const tl_op *op) {
  if ((tl_op_get(op->code)->traits & (TL_EFFECT | TL_TERM)) != 0 || op->n_regions > 0 ||
      op->code == TL_OP_CALL || op->code == TL_OP_COMPOSITE || op->n_results == 0)
    return false;
  for (uint32_t i = 0; i < op->n_results; i++) {
    uintptr_t n = 0;
    if (tl_ptr_map_get(&w->uses, op->results[i], &n) && n > 0) return false;
    const void *old = tl_ptr_map_find(w->old, op->results[i]);
    if (old != NULL && !tl_ptr_map_get(&w->old_uses, old, NULL)) return false;
  }
  return true;
}

static void sweep(sweeper *w, tl_block *block) {
  for (tl_op *op = block->last; op != NULL; op = op->prev) {
    for (uint32_t i = op->n_regions; i > 0; i--)
      sweep(w, op->regions[i - 1]); // NOLINT(misc-no-recursion): as deep as block_specialise
    if (!is_spent(w, op)) continue;
    for (uint32_t i = 0; i < op->n_operands; i++) {
      uintptr_t n = 1;
      (void)tl_ptr_map_get(&w->uses, op->operands[i], &n);
      if (!tl_ptr_map_put(&w->uses, op->operands[i], n - 1)) w->oom = true;
    }
    if (op->next != NULL) op->next->prev = op->prev;
    if (op->prev != NULL) op->prev->next = op->next;
    if (block->last == op) block->last = op->prev;
    if (block->first == op) block->first = op->next;
  }
}

static void number_again(tl_func *fn, tl_block *block) {
  for (uint32_t i = 0; i < block->n_args; i++)
    if (!block->args[i]->scratch) block->args[i]->id = fn->next_id++;
  for (tl_op *op = block->first; op != NULL; op = op->next) {
    for (uint32_t i = 0; i < op->n_regions; i++)
      number_again(fn, op->regions[i]); // NOLINT(misc-no-recursion)
    bool any = false;
    for (uint32_t i = 0; i < op->n_results; i++)
      if (!op->results[i]->scratch) op->results[i]->id = fn->next_id, any = true;
    fn->next_id += any;
  }
}

static tl_status drop_spent(const frame *f, const tl_func *old, tl_func *fn) {
  sweeper w = {.old = &f->old};
  w.oom = !count_uses(&w.uses, fn->body, false) || !count_uses(&w.old_uses, old->body, true);
  if (!w.oom) sweep(&w, fn->body);
  tl_ptr_map_deinit(&w.uses);
  tl_ptr_map_deinit(&w.old_uses);
  fn->next_id = 0;
  number_again(fn, fn->body);
  return w.oom ? TL_OOM() : TL_OK;
}

// ---- Functions ----

static tl_status instance_key(specialiser *s, const tl_func *fn, const tl_type *types,
                              const tl_literal *const *constants, tl_str *out) {
  tl_buf key = {0};
  tl_buf_printf(&key, TL_STR_FMT "(", TL_STR_ARG(fn->name));
  for (uint32_t i = 0; i < fn->body->n_args; i++) {
    tl_type_print(&key, types[i]);
    if (constants[i] == NULL) continue;
    tl_buf_cstr(&key, constants[i]->splat ? "~" : "=");
    tl_buf_str(&key, (tl_str){constants[i]->data, constants[i]->size});
  }
  *out = tl_str_copy(s->to->arena, tl_buf_view(&key));
  const bool oom = key.oom || out->ptr == NULL;
  tl_buf_deinit(&key);
  return oom ? TL_OOM() : TL_OK;
}

static tl_status new_name(specialiser *s, tl_str old, const char **out) {
  for (int k = 0; k < MAX_NAMES; k++) {
    *out = k == 0 ? tl_arena_printf(s->to->arena, TL_STR_FMT, TL_STR_ARG(old))
                  : tl_arena_printf(s->to->arena, TL_STR_FMT "_%d", TL_STR_ARG(old), k);
    if (*out == NULL) return TL_OOM();
    const tl_func *taken = k == 0 ? NULL : tl_module_find(s->from, tl_str_of(*out));
    if (taken != NULL || tl_map_get(&s->names, tl_str_of(*out), NULL)) continue;
    return tl_map_put(&s->names, tl_str_of(*out), 1) ? TL_OK : TL_OOM();
  }
  return TL_ERROR(RESOURCE_EXHAUSTED, "specialise: @" TL_STR_FMT " is called at more than %d sizes",
                  TL_STR_ARG(old), MAX_NAMES);
}

static tl_status arguments(specialiser *s, frame *f, tl_builder *b, const tl_func *fn,
                           const tl_type *types, const tl_literal *const *constants) {
  for (uint32_t i = 0; i < fn->body->n_args; i++) {
    const tl_value old = fn->body->args[i];
    tl_type own = tl_type_of(s->to->arena, types[i].dtype, types[i].dims, types[i].rank);
    b->loc = tl_copy_loc(&s->locs, s->to, tl_value_loc(old));
    tl_value arg = tl_func_arg(b, own);
    if (arg == NULL) {
      tl_status st = b->error, told = TL_OK;
      b->error = TL_OK;
      if (tl_status_get_code(st) == TL_STATUS_RESOURCE_EXHAUSTED) return st;
      told = wrong(s, tl_value_loc(old), "%s", tl_status_message(st));
      tl_status_drop(st);
      return told;
    }
    TL_TRY(tl_copy_arg_info(s->to->arena, tl_func_arg_info(b->fn, i), &fn->args[i]));
    TL_TRY(define(f, old, arg));
    TL_TRY(note_known(f, arg, constants[i]));
  }
  return TL_OK;
}

// `types` [n_args] have no names; a constant is an argument that is known.
static tl_status function_specialise(specialiser *s, const tl_func *fn, const tl_type *types,
                                     const tl_literal *const *constants, const instance **out) {
  tl_str key;
  uint64_t found;
  TL_TRY(instance_key(s, fn, types, constants, &key));
  if (tl_map_get(&s->instances, key, &found)) {
    *out = (const instance *)(uintptr_t)found;
    return TL_OK;
  }
  if (++s->depth > MAX_DEPTH)
    return TL_ERROR(RESOURCE_EXHAUSTED, "specialise: calls and regions nest deeper than %d",
                    MAX_DEPTH);
  for (uint32_t i = 0; i < fn->body->n_args; i++)
    if (!tl_type_agrees(types[i], fn->body->args[i]->type) && !tl_type_is_static(types[i]))
      return TL_ERROR(INTERNAL, "specialise: an argument without a size");
  const char *name;
  TL_TRY(new_name(s, fn->name, &name));
  frame f = {0};
  tl_builder b = tl_func_begin(s->to, name, fn->is_private);
  tl_status st = b.error;
  tl_func *made = b.fn;
  instance *x = TL_NEW(s->to->arena, instance, 1);
  if (st == TL_OK && (made == NULL || x == NULL)) st = TL_OOM();
  if (st != TL_OK) goto done;
  made->loc = tl_copy_loc(&s->locs, s->to, fn->loc);
  TL_TRY_GOTO(done, st, arguments(s, &f, &b, fn, types, constants));
  TL_TRY_GOTO(done, st, block_specialise(s, &f, &b, fn->body)); // NOLINT(misc-no-recursion)
  TL_TRY_GOTO(done, st, tl_builder_finish(&b));
  TL_TRY_GOTO(done, st, drop_spent(&f, fn, made));
  TL_TRY_GOTO(done, st, tl_copy_result_shardings(s->to->arena, made, fn));
  *x = (instance){fn, made, TL_NEW(s->to->arena, const tl_literal *, made->n_results + 1)};
  if (x->results == NULL || !tl_map_put(&s->instances, key, (uintptr_t)x)) {
    st = TL_OOM();
    goto done;
  }
  for (uint32_t i = 0; i < made->n_results; i++)
    x->results[i] = known(&f, made->body->last->operands[i]);
  *out = x;
  s->depth--;
done:
  tl_ptr_map_deinit(&f.values);
  tl_ptr_map_deinit(&f.known);
  tl_ptr_map_deinit(&f.old);
  return st;
}

static tl_status start(specialiser *s, const tl_module *m, tl_diags *diags) {
  *s = (specialiser){.from = m, .diags = diags, .scratch = tl_arena_create()};
  if (s->scratch == NULL) return TL_OOM();
  s->n_symbols = tl_dim_symbols(m, &s->symbols);
  s->values = TL_NEW(s->scratch, int64_t, s->n_symbols + 1);
  s->origins = TL_NEW(s->scratch, origin, s->n_symbols + 1);
  s->to = tl_module_create();
  if (s->values == NULL || s->origins == NULL || s->to == NULL) return TL_OOM();
  for (uint32_t i = 0; i < s->n_symbols; i++)
    s->values[i] = -1;
  s->to->name = tl_str_copy(s->to->arena, m->name);
  return tl_copy_meshes(s->to, m);
}

static void stop(specialiser *s) {
  tl_map_deinit(&s->instances);
  tl_map_deinit(&s->names);
  tl_module_destroy(s->to);
  tl_arena_destroy(s->scratch);
}

static const tl_func *entry_of(const tl_module *m) {
  const tl_func *fn = tl_module_find(m, TL_STR("main"));
  for (const tl_func *f = m->first; f != NULL && fn == NULL; f = f->next)
    if (!f->is_private) fn = f;
  return fn;
}

static tl_status whole_function(specialiser *s, const tl_func *fn, const tl_type *given) {
  const uint32_t n = fn->body->n_args;
  tl_type *types = TL_NEW(s->to->arena, tl_type, n + 1);
  const tl_literal **constants = TL_NEW(s->to->arena, const tl_literal *, n + 1);
  if (types == NULL || constants == NULL) return TL_OOM();
  for (uint32_t i = 0; i < n; i++) {
    const tl_value arg = fn->body->args[i];
    TL_TRY(type_value(s, given != NULL ? given[i] : arg->type, tl_value_loc(arg), &types[i]));
    for (uint32_t d = 0; d < types[i].rank; d++)
      if (types[i].dims[d] < 0)
        return wrong(s, tl_value_loc(arg),
                     "dim %u of argument %u of @" TL_STR_FMT
                     " has no size: arg%u.%u=SIZE gives it one",
                     d, i, TL_STR_ARG(fn->name), i, d);
  }
  const instance *made;
  return function_specialise(s, fn, types, constants, &made);
}

// Functions that ops name other than by calling them keep their types and their names.
static tl_status named_functions(specialiser *s, const tl_block *block) {
  for (const tl_op *op = block->first; op != NULL; op = op->next) {
    for (uint32_t i = 0; i < op->n_regions; i++) // NOLINT(misc-no-recursion): verified nesting
      TL_TRY(named_functions(s, op->regions[i]));
    if (op->code == TL_OP_CALL || op->code == TL_OP_COMPOSITE || op->code == TL_OP_CUSTOM_CALL)
      continue;
    for (uint32_t i = 0; i < tl_op_get(op->code)->n_attrs; i++) {
      uint32_t n;
      const tl_str *names = tl_op_symbols(op, i, &n);
      for (uint32_t k = 0; k < n; k++) {
        const tl_func *fn = tl_module_find(s->from, names[k]);
        if (fn != NULL) TL_TRY(whole_function(s, fn, NULL));
      }
    }
  }
  return TL_OK;
}

// Numbers in the order of printing: constants came and went.
static void renumber(tl_func *fn, tl_block *block) { // NOLINT(misc-no-recursion): verified nesting
  for (uint32_t i = 0; i < block->n_args; i++)
    block->args[i]->id = fn->next_id++;
  for (tl_op *op = block->first; op != NULL; op = op->next) {
    for (uint32_t i = 0; i < op->n_results; i++)
      op->results[i]->id = fn->next_id;
    fn->next_id += op->n_results > 0;
    for (uint32_t i = 0; i < op->n_regions; i++)
      renumber(fn, op->regions[i]);
  }
}

// Every public function, or the entry alone; of the entry the types are given.
static tl_status run(specialiser *s, const tl_func *entry, const tl_type *entry_types, bool alone,
                     tl_module **out_module) {
  for (const tl_func *fn = s->from->first; fn != NULL; fn = fn->next)
    TL_TRY(named_functions(s, fn->body));
  for (const tl_func *fn = s->from->first; fn != NULL; fn = fn->next)
    if (fn == entry || (!alone && !fn->is_private))
      TL_TRY(whole_function(s, fn, fn == entry ? entry_types : NULL));
  TL_TRY(tl_pass_dce(s->to, out_module));
  for (tl_func *fn = (*out_module)->first; fn != NULL; fn = fn->next) {
    fn->next_id = 0;
    renumber(fn, fn->body);
  }
  return TL_OK;
}

// ---- Sizes by name ----

tl_status tl_bindings_parse(tl_arena *arena, tl_str text, tl_binding **out, size_t *out_n) {
  size_t n = 0;
  for (size_t i = 0; i < text.len; i++)
    n += text.ptr[i] == ',';
  tl_binding *list = TL_NEW(arena, tl_binding, n + 1);
  if (list == NULL) return TL_OOM();
  n = 0;
  while (text.len > 0) {
    const size_t comma = TL_MIN(tl_str_find(text, TL_STR(",")), text.len);
    const tl_str one = tl_str_sub(text, 0, comma);
    const size_t equals = tl_str_find(one, TL_STR("="));
    text = tl_str_sub(text, comma + (comma < text.len), text.len);
    if (equals == (size_t)-1 || equals == 0)
      return TL_ERROR(INVALID_ARGUMENT, "specialise: wanted SYMBOL=SIZE, found \"" TL_STR_FMT "\"",
                      TL_STR_ARG(one));
    list[n].name = tl_str_sub(one, 0, equals);
    const tl_str size = tl_str_sub(one, equals + 1, one.len);
    if (!tl_str_to_i64(size, &list[n].size) || list[n].size < 0)
      return TL_ERROR(INVALID_ARGUMENT,
                      "specialise: wanted a size for " TL_STR_FMT ", found \"" TL_STR_FMT "\"",
                      TL_STR_ARG(list[n].name), TL_STR_ARG(size));
    for (size_t i = 0; i < n; i++)
      if (tl_str_eq(list[i].name, list[n].name))
        return TL_ERROR(INVALID_ARGUMENT, "specialise: " TL_STR_FMT " is given twice",
                        TL_STR_ARG(list[n].name));
    n++;
  }
  *out = list;
  *out_n = n;
  return TL_OK;
}

// "arg1.0"
static bool positional(tl_str name, uint64_t *arg, uint64_t *dim) {
  const size_t dot = tl_str_find(name, TL_STR("."));
  return tl_str_starts(name, TL_STR("arg")) && dot != (size_t)-1 &&
         tl_str_to_u64(tl_str_sub(name, 3, dot), arg) &&
         tl_str_to_u64(tl_str_sub(name, dot + 1, name.len), dim);
}

// JAX passes each of its symbols to the function that main calls, as an argument of that name; what
// main gives there is get_dimension_size of an argument.
static bool jax_name(const tl_module *m, const tl_func *entry, tl_str name, uint64_t *arg,
                     uint64_t *dim) {
  for (const tl_op *op = entry->body->first; op != NULL; op = op->next) {
    if (op->code != TL_OP_CALL) continue;
    const tl_func *callee = tl_module_find(m, tl_op_str(op, TL_A_CALL_callee));
    for (uint32_t i = 0; callee != NULL && i < op->n_operands && i < callee->body->n_args; i++) {
      const tl_op *size = op->operands[i]->op;
      if (!tl_str_eq(callee->args[i].size_name, name) || size == NULL ||
          size->code != TL_OP_GET_DIMENSION_SIZE || size->operands[0]->op != NULL)
        continue;
      *arg = size->operands[0]->index;
      *dim = (uint64_t)tl_op_i64(size, TL_A_GET_DIMENSION_SIZE_dimension);
      return true;
    }
  }
  return false;
}

static tl_loc loc_of_symbol(const specialiser *s, uint32_t symbol) {
  for (const tl_func *fn = s->from->first; fn != NULL; fn = fn->next)
    for (uint32_t i = 0; i < fn->body->n_args; i++)
      for (uint32_t d = 0; d < fn->body->args[i]->type.rank; d++) {
        int64_t code;
        if (tl_dim_find_symbol(s->from, s->symbols[symbol].name, &code) &&
            fn->body->args[i]->type.dims[d] == code)
          return tl_value_loc(fn->body->args[i]);
      }
  return (tl_loc){0};
}

static tl_status check_bound(specialiser *s, uint32_t symbol, tl_loc loc) {
  const tl_symbol *x = &s->symbols[symbol];
  if (x->bound < 0 || s->values[symbol] <= x->bound) return TL_OK;
  return wrong(s, loc, TL_STR_FMT " is %lld, and at most %lld", TL_STR_ARG(x->name),
               (long long)s->values[symbol], (long long)x->bound);
}

static const char *known_names(const specialiser *s) {
  tl_buf text = {0};
  for (uint32_t i = 0; i < s->n_symbols && i < 16; i++)
    tl_buf_printf(&text, "%s" TL_STR_FMT, i ? ", " : "; the module has ",
                  TL_STR_ARG(s->symbols[i].name));
  const char *copy = tl_str_copy(s->scratch, tl_buf_view(&text)).ptr;
  tl_buf_deinit(&text);
  return copy ? copy : "";
}

static tl_status bind(specialiser *s, const tl_func *entry, const tl_binding *x, tl_type *types,
                      int64_t **dims) {
  for (uint32_t i = 0; i < s->n_symbols; i++)
    if (tl_str_eq(s->symbols[i].name, x->name)) {
      s->values[i] = x->size;
      return check_bound(s, i, loc_of_symbol(s, i));
    }
  uint64_t arg, dim;
  if (entry == NULL ||
      !(positional(x->name, &arg, &dim) || jax_name(s->from, entry, x->name, &arg, &dim)))
    return TL_ERROR(INVALID_ARGUMENT, "specialise: no symbol " TL_STR_FMT "%s", TL_STR_ARG(x->name),
                    known_names(s));
  if (arg >= entry->body->n_args || dim >= types[arg].rank)
    return TL_ERROR(INVALID_ARGUMENT, "specialise: " TL_STR_FMT ": @" TL_STR_FMT " has no such dim",
                    TL_STR_ARG(x->name), TL_STR_ARG(entry->name));
  const tl_value v = entry->body->args[arg];
  const int64_t was = v->type.dims[dim];
  if (!tl_dim_is_any(was))
    return wrong(
        s, tl_value_loc(v), "dim %llu of argument %llu is " TL_STR_FMT ", and takes no size",
        (unsigned long long)dim, (unsigned long long)arg, TL_STR_ARG(tl_dim_text(s->from, was)));
  if (!tl_dim_agrees(was, x->size))
    return wrong(s, tl_value_loc(v), TL_STR_FMT " is %lld, and at most %lld", TL_STR_ARG(x->name),
                 (long long)x->size, (long long)tl_dim_bound(was));
  dims[arg][dim] = x->size;
  return TL_OK;
}

tl_status tl_module_specialise(const tl_module *m, const tl_binding *bindings, size_t n,
                               tl_diags *diags, tl_module **out_module) {
  specialiser s;
  const tl_func *entry = entry_of(m);
  const uint32_t n_args = entry == NULL ? 0 : entry->body->n_args;
  tl_status st = start(&s, m, diags);
  if (st != TL_OK) goto done;
  tl_type *types = TL_NEW(s.scratch, tl_type, n_args + 1);
  int64_t **dims = TL_NEW(s.scratch, int64_t *, n_args + 1);
  if (types == NULL || dims == NULL) {
    st = TL_OOM();
    goto done;
  }
  for (uint32_t i = 0; i < n_args; i++) {
    types[i] = entry->body->args[i]->type;
    dims[i] = TL_NEW(s.scratch, int64_t, types[i].rank + 1);
    if (dims[i] == NULL) {
      st = TL_OOM();
      goto done;
    }
    if (types[i].rank > 0) memcpy(dims[i], types[i].dims, types[i].rank * sizeof *dims[i]);
    types[i].dims = dims[i];
  }
  for (size_t i = 0; i < n; i++)
    TL_TRY_GOTO(done, st, bind(&s, entry, &bindings[i], types, dims));
  st = run(&s, entry, types, false, out_module);
done:
  stop(&s);
  return st;
}

// ---- Sizes by arguments ----

typedef struct fact { // this dim of this argument is of this size
  uint32_t arg, dim;
  int64_t code, size;
} fact;

static tl_status no_solution(specialiser *s, const tl_func *fn, const fact *x, uint32_t symbol) {
  return wrong(s, tl_value_loc(fn->body->args[x->arg]),
               "dim %u of argument %u is %lld, which " TL_STR_FMT " is for no size of " TL_STR_FMT,
               x->dim, x->arg, (long long)x->size, TL_STR_ARG(tl_dim_text(s->from, x->code)),
               TL_STR_ARG(s->symbols[symbol].name));
}

static tl_status solve(specialiser *s, const tl_func *fn, const fact *facts, size_t n) {
  for (bool grew = true; grew;) {
    grew = false;
    for (size_t i = 0; i < n; i++) {
      uint32_t symbol;
      int64_t value, times, plus;
      const bool solved = tl_dim_solve(s->from, facts[i].code, s->values, facts[i].size, &symbol,
                                       &value, &times, &plus);
      if (!solved && symbol != UINT32_MAX) return no_solution(s, fn, &facts[i], symbol);
      if (!solved) continue;
      s->values[symbol] = value;
      s->origins[symbol] = (origin){facts[i].arg, facts[i].dim, false};
      TL_TRY(check_bound(s, symbol, tl_value_loc(fn->body->args[facts[i].arg])));
      grew = true;
    }
  }
  return TL_OK;
}

static tl_status agree(specialiser *s, const tl_func *fn, const fact *x) {
  int64_t value;
  uint32_t symbol = 0;
  const tl_loc loc = tl_value_loc(fn->body->args[x->arg]);
  const tl_str text = tl_dim_text(s->from, x->code);
  if (tl_dim_eval(s->from, x->code, s->values, &value, &symbol) == TL_DIM_UNBOUND)
    return wrong(s, loc, "the size of " TL_STR_FMT " does not follow from the arguments' shapes",
                 TL_STR_ARG(s->symbols[symbol].name));
  TL_TRY(dim_value(s, x->code, loc, &value)); // its other failures have messages
  if (value == x->size) return TL_OK;
  for (uint32_t i = 0; i < s->n_symbols; i++) { // which of them says so
    int64_t code;
    if (!tl_dim_find_symbol(s->from, s->symbols[i].name, &code) || code != x->code) continue;
    return wrong(s, loc,
                 "dim %u of argument %u is %lld, but " TL_STR_FMT
                 " is %lld by dim %u of argument %u",
                 x->dim, x->arg, (long long)x->size, TL_STR_ARG(text), (long long)value,
                 s->origins[i].dim, s->origins[i].arg);
  }
  return wrong(s, loc, "dim %u of argument %u is %lld, but " TL_STR_FMT " is %lld at %s", x->dim,
               x->arg, (long long)x->size, TL_STR_ARG(text), (long long)value, sizes_text(s));
}

static tl_status misfit(specialiser *s, const tl_func *fn, uint32_t i, tl_type given) {
  tl_buf a = {0}, b = {0};
  tl_type_print(&a, given);
  tl_type_print_named(&b, s->from, fn->body->args[i]->type);
  tl_status st = wrong(s, tl_value_loc(fn->body->args[i]), "argument %u is given %s, and is %s", i,
                       a.ptr ? a.ptr : "?", b.ptr ? b.ptr : "?");
  tl_buf_deinit(&a);
  tl_buf_deinit(&b);
  return st;
}

tl_status tl_module_specialise_to(const tl_module *m, tl_str entry, const tl_type *types,
                                  uint32_t n, tl_diags *diags, tl_module **out_module) {
  specialiser s;
  const tl_func *fn = tl_module_find(m, entry);
  if (fn == NULL)
    return TL_ERROR(NOT_FOUND, "the module has no function @" TL_STR_FMT, TL_STR_ARG(entry));
  if (fn->body->n_args != n)
    return TL_ERROR(INVALID_ARGUMENT, "@" TL_STR_FMT " takes %u arguments, got %u",
                    TL_STR_ARG(entry), fn->body->n_args, n);
  tl_status st = start(&s, m, diags);
  if (st != TL_OK) goto done;
  size_t n_facts = 0;
  fact *facts = TL_NEW(s.scratch, fact, (size_t)n * TL_MAX_RANK + 1);
  if (facts == NULL) {
    st = TL_OOM();
    goto done;
  }
  for (uint32_t i = 0; i < n; i++) {
    const tl_type want = fn->body->args[i]->type, got = types[i];
    bool fits = want.dtype == got.dtype && want.rank == got.rank && tl_type_is_static(got);
    for (uint32_t d = 0; fits && d < want.rank; d++)
      if (tl_dim_is_named(want.dims[d]))
        facts[n_facts++] = (fact){i, d, want.dims[d], got.dims[d]};
      else
        fits = tl_dim_agrees(want.dims[d], got.dims[d]);
    if (!fits) {
      st = misfit(&s, fn, i, got);
      goto done;
    }
  }
  TL_TRY_GOTO(done, st, solve(&s, fn, facts, n_facts));
  for (size_t i = 0; i < n_facts; i++)
    TL_TRY_GOTO(done, st, agree(&s, fn, &facts[i]));
  st = run(&s, fn, types, true, out_module);
done:
  stop(&s);
  return st;
}

tl_status tl_pass_specialise(const tl_module *m, tl_str args, tl_diags *diags,
                             tl_module **out_module) {
  tl_arena *arena = tl_arena_create();
  if (arena == NULL) return TL_OOM();
  tl_binding *list;
  size_t n;
  tl_status st = tl_bindings_parse(arena, args, &list, &n);
  if (st == TL_OK) st = tl_module_specialise(m, list, n, diags, out_module);
  tl_arena_destroy(arena);
  return st;
}
