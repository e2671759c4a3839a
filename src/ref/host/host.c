// The calls of <tlaloc/host.h>.
//
// A call builds its op in a module of its own, so that the op's own type rule checks it and the
// reference interpreter's own function evaluates it: there is no second meaning of any op here. A
// region of one op is built as that op, and the interpreter sees what it would see in a module; a
// body in C stands behind a region that only says the types, and the interpreter calls it where it
// would run the region (tl_ref_bodies).
//
// What a call gives is one block of memory, dims first. Blocks stand in the order in which they
// were made, so that a mark is a number of them.
#include "ref/host/call.h"

#include <stdlib.h>
#include <string.h>

#include "ir/build.h"
#include "ref/eval.h"
#include "ref/host_form.h"
#include "ref/lanes.h"

#define API __attribute__((visibility("default")))

typedef struct memory {
  unsigned char *ptr;
  size_t size;
} memory;

struct tlh {
  memory *blocks; // [cap], the first n_blocks of them in use
  size_t n_blocks, cap;
  tl_status error;    // the first
  tl_ref_draws draws; // of rng, since it was created or cleared
};

API tlh *tlh_create(void) { return calloc(1, sizeof(tlh)); }

static void free_blocks(tlh *h, size_t from) {
  for (size_t i = from; i < h->n_blocks; i++)
    free(h->blocks[i].ptr);
  h->n_blocks = TL_MIN(h->n_blocks, from);
}

API void tlh_clear(tlh *h) {
  free_blocks(h, 0);
  tl_status_drop(h->error);
  h->error = TL_OK;
  h->draws = (tl_ref_draws){0};
}

API void tlh_destroy(tlh *h) {
  if (h == NULL) return;
  tlh_clear(h);
  free(h->blocks);
  free(h);
}

API const char *tlh_error(const tlh *h) {
  return h->error == TL_OK ? NULL : tl_status_message(h->error);
}

static void fail(tlh *h, tl_status st) { // consumes st
  if (h->error == TL_OK)
    h->error = st;
  else
    tl_status_drop(st);
}

// ---- Memory ----

API size_t tlh_mark(const tlh *h) { return h->n_blocks; }

static bool holds(const memory *b, const void *p) {
  const uintptr_t at = (uintptr_t)p, from = (uintptr_t)b->ptr;
  return at >= from && at - from < b->size;
}

API tlh_tensor tlh_keep(tlh *h, size_t mark, size_t n, const tlh_tensor *values) {
  size_t kept = mark;
  for (size_t i = mark; i < h->n_blocks; i++) {
    bool wanted = false;
    for (size_t k = 0; k < n && !wanted; k++)
      wanted = holds(&h->blocks[i], values[k].data) || holds(&h->blocks[i], values[k].type.dims);
    if (wanted)
      h->blocks[kept++] = h->blocks[i];
    else
      free(h->blocks[i].ptr);
  }
  h->n_blocks = TL_MIN(h->n_blocks, kept);
  return n > 0 ? values[0] : (tlh_tensor){0};
}

API void tlh_next(tlh *h, size_t mark, size_t n, tlh_tensor *state, const tlh_tensor *next) {
  memmove(state, next, n * sizeof *state);
  tlh_keep(h, mark, n, state);
}

static tl_type type_in(tlh_type t) { return (tl_type){(tl_dtype)t.dtype, t.rank, t.dims}; }

// A block for a tensor of that type, its data not filled in yet.
static tl_status make(tlh *h, tl_type type, tlh_tensor *out, void **out_data) {
  size_t size, total, head = (type.rank * sizeof(int64_t) + 15) / 16 * 16;
  if (!tl_type_size(type, &size) || !TL_ADD_OK(size, head + 1, &total))
    return TL_ERROR(INVALID_ARGUMENT, "a tensor needs more bytes than memory can hold");
  if (h->n_blocks == h->cap) {
    const size_t cap = h->cap ? h->cap * 2 : 64;
    memory *more = realloc(h->blocks, cap * sizeof *more);
    if (more == NULL) return TL_OOM();
    h->blocks = more;
    h->cap = cap;
  }
  unsigned char *ptr = malloc(total); // one byte more: a tensor without elements has an address too
  if (ptr == NULL) return TL_OOM();
  h->blocks[h->n_blocks++] = (memory){ptr, total};
  if (type.rank > 0) memcpy(ptr, type.dims, type.rank * sizeof(int64_t));
  *out_data = ptr + head;
  *out = (tlh_tensor){{(tlh_dtype)type.dtype, type.rank, type.rank ? (int64_t *)(void *)ptr : NULL},
                      ptr + head};
  return TL_OK;
}

// ---- In and out ----

static tl_status check_type(tlh_type t) {
  if ((unsigned)t.dtype >= TL_DTYPE_COUNT || t.rank > TL_MAX_RANK || (t.rank && t.dims == NULL))
    return TL_ERROR(INVALID_ARGUMENT, "not a tensor's type");
  size_t size;
  for (uint32_t d = 0; d < t.rank; d++)
    if (t.dims[d] < 0) return TL_ERROR(INVALID_ARGUMENT, "dim %u is %lld", d, (long long)t.dims[d]);
  return tl_type_size(type_in(t), &size)
             ? TL_OK
             : TL_ERROR(INVALID_ARGUMENT, "a tensor needs more bytes than memory can hold");
}

static tl_status check_tensor(tlh_tensor t) {
  size_t count;
  TL_TRY(check_type(t.type));
  if (t.data == NULL && tl_type_count(type_in(t.type), &count) && count > 0)
    return TL_ERROR(INVALID_ARGUMENT, "it has no data");
  return TL_OK;
}

static tl_status constant(tlh *h, tlh_type type, const void *data, bool splat, tlh_tensor *out) {
  void *to;
  size_t size = 0, one = tl_dtype_get(TL_DTYPE_I1)->size;
  TL_TRY_NOTE(check_type(type), "constant");
  one = tl_dtype_get((tl_dtype)type.dtype)->size;
  TL_TRY(make(h, type_in(type), out, &to));
  if (!tl_type_size(type_in(type), &size) || size == 0) return TL_OK;
  if (data == NULL) return TL_ERROR(INVALID_ARGUMENT, "constant: it has no data");
  if (!splat)
    memcpy(to, data, size);
  else
    for (size_t at = 0; at < size; at += one)
      memcpy((unsigned char *)to + at, data, one);
  tl_dtype_extend((tl_dtype)type.dtype, to, size / one);
  return TL_OK;
}

static tlh_tensor constant_or_fail(tlh *h, tlh_type type, const void *data, bool splat) {
  tlh_tensor out = {0};
  if (h->error != TL_OK) return out;
  tl_status st = constant(h, type, data, splat, &out);
  if (st == TL_OK) return out;
  fail(h, st);
  return (tlh_tensor){0};
}

API tlh_tensor tlh_constant(tlh *h, tlh_type type, const void *data) {
  return constant_or_fail(h, type, data, false);
}

API tlh_tensor tlh_splat(tlh *h, tlh_type type, const void *element) {
  return constant_or_fail(h, type, element, true);
}

API size_t tlh_count(tlh_tensor t) {
  size_t n = 0;
  tl_status st = check_type(t.type);
  if (st != TL_OK || !tl_type_count(type_in(t.type), &n)) n = 0;
  tl_status_drop(st);
  return n;
}

API double tlh_at(tlh *h, tlh_tensor t, size_t i) {
  if (h->error != TL_OK) return (double)NAN;
  tl_status st = check_tensor(t);
  const tl_dtype whole = (tl_dtype)t.type.dtype;
  if (st == TL_OK) {
    const tl_dtype d = tl_dtype_part(whole);
    if (i / (d == whole ? 1 : 2) < tlh_count(t)) {
      tl_lanes lanes;
      tl_lanes_load(&lanes, d, t.data, i, 1);
      (void)tl_lanes_convert(&lanes, tl_lanes_kind_of(d), TL_DTYPE_F64, 1);
      return lanes.f64[0];
    }
    st = TL_ERROR(OUT_OF_RANGE, "there is no element %zu", i);
  }
  fail(h, tl_status_note(st, "tlh_at"));
  return (double)NAN;
}

// ---- Control flow ----

static bool scalar_of(tlh *h, tlh_tensor t, tl_dtype d, const char *what) {
  if (h->error != TL_OK) return false;
  tl_status st = check_tensor(t);
  if (st == TL_OK && ((tl_dtype)t.type.dtype != d || t.type.rank != 0))
    st = TL_ERROR(INVALID_ARGUMENT, "wants a scalar %s", tl_dtype_get(d)->mlir);
  if (st == TL_OK) return true;
  fail(h, tl_status_note(st, "%s", what));
  return false;
}

API bool tlh_true(tlh *h, tlh_tensor scalar) {
  return scalar_of(h, scalar, TL_DTYPE_I1, "tlh_true") && *(const unsigned char *)scalar.data != 0;
}

API int64_t tlh_case(tlh *h, tlh_tensor index, int64_t n) {
  int32_t i = -1;
  if (scalar_of(h, index, TL_DTYPE_S32, "tlh_case")) memcpy(&i, index.data, sizeof i);
  return i >= 0 && i < n ? i : n - 1;
}

// ---- Regions ----

typedef struct evaluation {
  tlh *h;
  const host_call *c;
  tl_builder b;
  tl_op *op;
  const tl_op_info *info;
  tl_ref_bodies bodies;
  const tl_block *regions[2]; // built: they say the types
} evaluation;

static tl_status run_body(void *self, uint32_t r, const tl_tensor *args, uint32_t n_args,
                          tl_ref_cell *results, uint32_t n_results) {
  evaluation *e = self;
  tlh *h = e->h;
  const tlh_region *region = &e->c->regions[r];
  const tl_op *ends = e->regions[r]->last;
  const size_t mark = h->n_blocks;
  tl_status st = TL_OK;
  tlh_tensor *in = calloc((size_t)n_args + n_results + 1, sizeof *in), *out = in + n_args;
  if (in == NULL) return TL_OOM();
  for (uint32_t i = 0; i < n_args; i++)
    in[i] = (tlh_tensor){{(tlh_dtype)args[i].type.dtype, args[i].type.rank, args[i].type.dims},
                         args[i].data};
  region->body(h, in, out, region->outer);
  st = h->error; // of the whole call, which will have it again
  h->error = TL_OK;
  for (uint32_t i = 0; i < n_results && st == TL_OK; i++) {
    const tl_type want = ends->operands[i]->type;
    TL_TRY_GOTO(done, st, tl_status_note(check_tensor(out[i]), "the body's result %u", i));
    if (!tl_type_eq(type_in(out[i].type), want)) {
      st = TL_ERROR(INVALID_ARGUMENT, "the body's result %u is no scalar %s", i,
                    tl_dtype_get(want.dtype)->mlir);
      goto done;
    }
    TL_TRY_GOTO(done, st, tl_ref_cell_make(want, &results[i]));
    memcpy(results[i].t.data, out[i].data, tl_dtype_get(want.dtype)->size);
  }
done:
  if (st != TL_OK)
    for (uint32_t i = 0; i < n_results; i++)
      tl_ref_release(&results[i]);
  free_blocks(h, mark);
  free(in);
  return st;
}

// How the elements of operands become a region's arguments.
typedef struct shape_of_region {
  uint32_t n_args, n_values;  // n_values: as many results, unless it judges
  bool pairs, judges, of_all; // (a0, b0, a1, b1, ...); returns an i1; map
} shape_of_region;

static shape_of_region region_shape(const host_call *c, uint32_t r) {
  const uint32_t n = (uint32_t)c->n_in;
  switch (c->code) {
  case TL_OP_SORT:
    return (shape_of_region){.n_args = 2 * n, .n_values = n, .pairs = true, .judges = true};
  case TL_OP_MAP:
    return (shape_of_region){.n_args = n, .n_values = 1, .of_all = true};
  case TL_OP_SELECT_AND_SCATTER:
    return (shape_of_region){.n_args = 2, .n_values = 1, .judges = r == 0};
  default: // reduce, reduce_window, scatter: inputs, and as many initial values or updates
    return (shape_of_region){.n_args = n / 2 * 2, .n_values = n / 2};
  }
}

static tl_opcode opcode_of(tlh_combiner combiner) { // TL_OP_COUNT: none such
  int n = TLH_SECOND;
  for (int op = 0; op < TL_OP_COUNT; op++)
    if (tl_host_combines((tl_opcode)op) && ++n == (int)combiner) return (tl_opcode)op;
  return TL_OP_COUNT;
}

static tl_value zero(tl_builder *b, tl_dtype d) {
  static const unsigned char bytes[16];
  return tlo_constant(b, tl_type_scalar(d), bytes, tl_dtype_get(d)->size);
}

static tl_status build_region(evaluation *e, uint32_t r) {
  const host_call *c = e->c;
  const tlh_region *region = &c->regions[r];
  const shape_of_region s = region_shape(c, r);
  const bool wider = region->n_dtypes > 0 && !s.judges;
  if (s.n_values == 0 || (!s.of_all && s.n_values > c->n_in))
    return TL_ERROR(INVALID_ARGUMENT, "%s: too few operands", e->info->mnemonic);
  if (wider && region->n_dtypes != s.n_values)
    return TL_ERROR(INVALID_ARGUMENT, "%s: a region with %zu element types, wants %u",
                    e->info->mnemonic, region->n_dtypes, s.n_values);
  if (!region->body && (s.judges || s.n_values != 1 || (s.of_all && s.n_args != 2)))
    return TL_ERROR(INVALID_ARGUMENT, "%s: its region wants a body", e->info->mnemonic);
  tl_block *block = tl_op_add_region(&e->b, e->op);
  tl_builder in = tl_builder_at(&e->b, block);
  for (uint32_t i = 0; i < s.n_args; i++) {
    const uint32_t k = s.pairs ? i / 2 : s.of_all ? i : i % s.n_values;
    const tl_dtype d = (tl_dtype)(wider && !s.of_all ? region->dtypes[k] : c->in[k].type.dtype);
    tl_block_arg(&in, block, tl_type_scalar(d));
  }
  if (!block || in.error) goto done;
  if (!region->body) {
    const tl_opcode op = region->op == TLH_SECOND ? TL_OP_RETURN : opcode_of(region->op);
    if (op == TL_OP_COUNT) {
      tl_builder_fail(&in, TL_ERROR(INVALID_ARGUMENT, "%s: no combiner has the number %d",
                                    e->info->mnemonic, (int)region->op));
      goto done;
    }
    const tl_value y =
        op == TL_OP_RETURN ? block->args[1] : tlo_binary(&in, op, block->args[0], block->args[1]);
    tlo_return(&in, &y, 1);
  } else if (s.judges || s.of_all) {
    const tl_value y = zero(
        &in, s.judges ? TL_DTYPE_I1 : (tl_dtype)(wider ? region->dtypes[0] : c->in[0].type.dtype));
    tlo_return(&in, &y, 1);
  } else {
    tlo_return(&in, block->args, s.n_values); // the first ones: no region that means anything
  }
  if (region->body) e->bodies.regions |= (uint32_t)1 << r;
  e->regions[r] = block;
done:
  tl_builder_join(&e->b, &in);
  return TL_OK;
}

// ---- A call ----

static void set_attr(evaluation *e, uint32_t i) {
  const tl_attr_id id = (tl_attr_id)(e->info->attr_begin + i);
  const host_attr *a = &e->c->attrs[i];
  if (a->absent) return;
  switch (tl_attr_get(id)->kind) {
  case TL_AK_F64:
    tl_op_set_f64(e->op, id, a->f64);
    break;
  case TL_AK_STR:
  case TL_AK_TEXT:
  case TL_AK_SYMBOL:
    tl_op_set_str(&e->b, e->op, id, a->text ? tl_str_of(a->text) : (tl_str){0});
    break;
  case TL_AK_I64S:
  case TL_AK_PAIRS:
  case TL_AK_BOOLS:
  case TL_AK_PRECISIONS:
    tl_op_set_list(&e->b, e->op, id, a->list.ptr, a->list.len);
    break;
  default:
    tl_op_set_i64(e->op, id, a->i64);
  }
}

static tl_status build(evaluation *e, tl_module *m) {
  const host_call *c = e->c;
  e->b = tl_func_begin(m, "call", true);
  tl_value *operands = TL_NEW(m->arena, tl_value, c->n_in);
  if (operands == NULL || c->n_in > UINT32_MAX) {
    tl_builder_fail(&e->b, TL_OOM());
    return tl_builder_finish(&e->b);
  }
  tl_status st = TL_OK;
  for (size_t i = 0; i < c->n_in && st == TL_OK; i++) {
    st = tl_status_note(check_tensor(c->in[i]), "%s: operand %zu", e->info->mnemonic, i);
    if (st == TL_OK) operands[i] = tl_func_arg(&e->b, type_in(c->in[i].type));
  }
  const bool typed = c->type && c->type->rank != UINT32_MAX;
  if (st == TL_OK && typed)
    st = tl_status_note(check_type(*c->type), "%s: its result's type", e->info->mnemonic);
  if (st == TL_OK) e->op = tl_op_begin(&e->b, c->code, operands, (uint32_t)c->n_in);
  for (uint32_t i = 0; i < e->info->n_attrs && st == TL_OK; i++)
    set_attr(e, i);
  for (int8_t r = 0; r < e->info->n_regions && st == TL_OK; r++)
    st = build_region(e, (uint32_t)r);
  if (st == TL_OK) {
    tl_type types[2]; // of several results the last is the one that operands do not decide
    uint32_t n = 0;
    if (typed && e->info->n_out == 2) types[n++] = type_in(c->in[0].type);
    if (typed) types[n++] = type_in(*c->type);
    e->op = tl_op_finish(&e->b, e->op, n ? types : NULL, n);
    if (e->op) tlo_return(&e->b, e->op->results, e->op->n_results);
  } else {
    tl_builder_fail(&e->b, st);
  }
  return tl_builder_finish(&e->b);
}

static tl_status evaluate(tlh *h, const host_call *c, tlh_tensor *out_first) {
  evaluation e = {.h = h, .c = c, .info = tl_op_get(c->code)};
  tl_module *m = tl_module_create();
  if (m == NULL) return TL_OOM();
  tl_status st;
  TL_TRY_GOTO(done, st, build(&e, m));
  const uint32_t n = e.op->n_results;
  tl_tensor *in = TL_NEW(m->arena, tl_tensor, c->n_in), *out = TL_NEW(m->arena, tl_tensor, n);
  tlh_tensor *made = TL_NEW(m->arena, tlh_tensor, n);
  if (in == NULL || out == NULL || made == NULL) {
    st = TL_OOM();
    goto done;
  }
  for (size_t i = 0; i < c->n_in; i++) // read only: eval's tensors have no const
    in[i] = (tl_tensor){type_in(c->in[i].type), (void *)(uintptr_t)c->in[i].data};
  for (uint32_t i = 0; i < n; i++) {
    out[i].type = e.op->results[i]->type;
    TL_TRY_GOTO(done, st, make(h, out[i].type, &made[i], &out[i].data));
  }
  e.bodies.op = e.op;
  e.bodies.run = run_body;
  e.bodies.self = &e;
  const tl_ref_context context = {.bodies = e.bodies.regions ? &e.bodies : NULL,
                                  .draws = &h->draws};
  TL_TRY_GOTO(done, st, tl_ref_eval_op_in(&context, e.op, in, out, m->arena));
  *out_first = made[0];
  for (uint32_t i = 0; i < n && c->out; i++)
    c->out[i] = made[i];
done:
  tl_module_destroy(m);
  return st;
}

tlh_tensor tl_host_call(tlh *h, const host_call *c) {
  tlh_tensor first = {0};
  const size_t mark = h->n_blocks;
  tl_status st = h->error;
  if (st == TL_OK) {
    st = evaluate(h, c, &first);
    if (st == TL_OK) return first;
    fail(h, st);
    free_blocks(h, mark);
  }
  const size_t n = c->n_out ? c->n_out : c->code == TL_OP_SORT ? c->n_in : c->n_in / 2;
  for (size_t i = 0; i < n && c->out; i++)
    c->out[i] = (tlh_tensor){0};
  return (tlh_tensor){0};
}
