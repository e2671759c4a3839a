// reduce, in three ways that its region decides.
//
// A single add of floats takes the order of sums.h: init plus the sum of each block, in 16 lanes
// and a tree; of complex numbers each part is such a sum. A single elementwise op of the two
// arguments folds from the left, starting with init, over the reduced elements in row-major order.
// Anything else runs the region on (accumulator, element), in the same order. f16 and bf16
// accumulate in f32 in the first two ways and round at the end; in the third each op of the region
// rounds, as written.
//
// reduce_window copies windows, some at a time, into a matrix of one window a row, and folds its
// rows from the left, sums too: windows are small, and neighbouring ones are done together. What is
// padding, or lies between the elements of a dilated operand, is the initial value.
#include "ir/running.h"
#include "ref/eval.h"

#include <string.h>

#include "ref/lanes.h"
#include "ref/strided.h"
#include "ref/sums.h"
#include "ref/window.h"

typedef struct reduction {
  const tl_tensor *x;    // [n results] what is reduced
  const size_t *kept;    // [n_kept] offsets of the results' first elements
  const size_t *reduced; // [n_reduced] offsets from there
  size_t n_kept, n_reduced;
  size_t first;      // of the results
  size_t run, block; // of a sum: runs of reduced elements, which blocks cut
} reduction;

static tl_status find_elements(tl_ref_call *c, reduction *r) {
  tl_i64s dims = tl_op_list(c->op, TL_A_REDUCE_dimensions);
  tl_type t = c->in[0].type;
  int64_t kept[TL_MAX_RANK], reduced[TL_MAX_RANK], extent[TL_MAX_RANK];
  size_t n_kept = 0, n_reduced = 0;
  for (int64_t d = 0; d < (int64_t)t.rank; d++) {
    bool is_reduced = false;
    for (size_t i = 0; i < dims.len; i++)
      is_reduced |= dims.ptr[i] == d;
    if (is_reduced)
      extent[n_reduced] = t.dims[d], reduced[n_reduced++] = d;
    else
      kept[n_kept++] = d;
  }
  r->x = c->in;
  r->first = 0;
  r->kept = tl_strided_offsets(c->scratch, t, kept, n_kept, &r->n_kept);
  r->reduced = tl_strided_offsets(c->scratch, t, reduced, n_reduced, &r->n_reduced);
  tl_sum_cut cut;
  r->run = r->block = r->n_reduced;
  if (tl_sum_cut_of(extent, (uint32_t)n_reduced, TL_SUM_BLOCK, &cut)) {
    r->block = (size_t)cut.step;
    for (size_t d = cut.dim + 1; d < n_reduced; d++)
      r->block *= (size_t)extent[d];
    r->run = r->block / (size_t)cut.step * (size_t)extent[cut.dim];
  }
  return r->kept == NULL || r->reduced == NULL ? TL_OOM() : TL_OK;
}

// The sum of reduced elements [from, to) of result o, parts of complex ones apart; into total.
static void add_block(const reduction *r, tl_lanes_kind kind, size_t o, size_t from, size_t to,
                      tl_lanes *total) {
  const tl_tensor *x = &r->x[0];
  const bool wide = kind == TL_LANES_F64 || kind == TL_LANES_C128;
  const size_t parts = kind == TL_LANES_C64 || kind == TL_LANES_C128 ? 2 : 1;
  tl_lanes lanes, part;
  tl_sum_f32 f32[2] = {0};
  tl_sum_f64 f64[2] = {0};
  for (size_t at = from; at < to; at += TL_LANES) {
    size_t n = TL_MIN(to - at, TL_LANES);
    tl_lanes_gather_as(&lanes, kind, x->type.dtype, x->data, r->reduced + at, r->kept[o], n);
    for (size_t k = 0; k < parts; k++) {
      for (size_t i = 0; i < n; i++) // a complex lane is its parts, one after the other
        if (wide)
          part.f64[i] = ((const double *)&lanes)[parts * i + k];
        else
          part.f32[i] = ((const float *)&lanes)[parts * i + k];
      if (wide)
        tl_sum_f64_add(&f64[k], part.f64, n);
      else
        tl_sum_f32_add(&f32[k], part.f32, n);
    }
  }
  for (size_t k = 0; k < parts; k++)
    if (wide)
      total->f64[k] += tl_sum_f64_end(&f64[k]);
    else
      total->f32[k] += tl_sum_f32_end(&f32[k]);
}

static void sum_floats(tl_ref_call *c, const reduction *r) {
  const tl_tensor *out = &c->out[0].t;
  tl_lanes_kind kind = tl_lanes_kind_of(out->type.dtype);
  tl_lanes total;
  for (size_t o = 0; o < r->n_kept; o++) {
    tl_lanes_load_as(&total, kind, c->in[1].type.dtype, c->in[1].data, 0, 1);
    size_t at = 0, end;
    do { // of no elements one block too
      end = TL_MIN(at + r->block, r->run ? (at / r->run + 1) * r->run : 0);
      add_block(r, kind, o, at, end, &total);
      at = end;
    } while (at < r->n_reduced);
    tl_lanes_store(&total, kind, out->type.dtype, out->data, r->first + o, 1);
  }
}

// Up to 256 results at a time, one reduced element of each after the other.
static tl_status fold(tl_ref_call *c, const reduction *r, tl_opcode op) {
  const tl_tensor *x = &r->x[0], *out = &c->out[0].t;
  tl_dtype d = out->type.dtype;
  tl_lanes_kind kind = tl_lanes_kind_of(d);
  static const size_t zeros[TL_LANES];
  tl_lanes acc, lanes;
  for (size_t o = 0; o < r->n_kept; o += TL_LANES) {
    size_t n = TL_MIN(r->n_kept - o, TL_LANES);
    tl_lanes_gather_as(&acc, kind, c->in[1].type.dtype, c->in[1].data, zeros, 0, n);
    for (size_t k = 0; k < r->n_reduced; k++) {
      tl_lanes_gather_as(&lanes, kind, x->type.dtype, x->data, r->kept + o, r->reduced[k], n);
      if (!tl_lanes_binary(op, kind, tl_lanes_bits(d), n, &acc, &lanes, &acc))
        return TL_ERROR(UNIMPLEMENTED, "%s: %s has no meaning for elements of type %s",
                        tl_op_get(c->op->code)->mnemonic, tl_op_get(op)->mnemonic,
                        tl_dtype_get(d)->mlir);
      if (kind == TL_LANES_S64 ||
          kind == TL_LANES_U64) { // narrow integers wrap at every step: division would see it
        tl_lanes_store(&acc, kind, d, out->data, r->first + o, n);
        tl_lanes_load(&acc, d, out->data, r->first + o, n);
      }
    }
    tl_lanes_store(&acc, kind, d, out->data, r->first + o, n);
  }
  return TL_OK;
}

static tl_status run_on_each(tl_ref_call *c, const reduction *r) {
  uint32_t n = c->op->n_results;
  tl_ref_cell *args = TL_NEW(c->scratch, tl_ref_cell, (size_t)2 * n); // accumulators, then elements
  tl_ref_cell *acc = TL_NEW(c->scratch, tl_ref_cell, n);
  if (args == NULL || acc == NULL) return TL_OOM();
  tl_status st = TL_OK;
  for (size_t o = 0; o < r->n_kept && st == TL_OK; o++) {
    for (uint32_t i = 0; i < n; i++)
      TL_TRY_GOTO(done, st, tl_ref_cell_scalar(&c->in[n + i], 0, c->out[i].t.type.dtype, &acc[i]));
    for (size_t k = 0; k < r->n_reduced; k++) {
      for (uint32_t i = 0; i < n; i++) {
        args[i] = acc[i];
        acc[i] = (tl_ref_cell){0};
      }
      for (uint32_t i = 0; i < n; i++)
        TL_TRY_GOTO(done, st,
                    tl_ref_cell_scalar(&r->x[i], r->kept[o] + r->reduced[k], c->out[i].t.type.dtype,
                                       &args[n + i]));
      TL_TRY_GOTO(done, st, tl_ref_run_region(c, 0, args, 2 * n, acc, n));
    }
    for (uint32_t i = 0; i < n; i++) {
      const tl_tensor *out = &c->out[i].t;
      size_t size = tl_dtype_get(out->type.dtype)->size;
      if (acc[i].t.type.dtype != out->type.dtype || acc[i].t.type.rank != 0) {
        st = TL_ERROR(INVALID_ARGUMENT, "%s: the region's result %u has another type than the op's",
                      tl_op_get(c->op->code)->mnemonic, i);
        goto done;
      }
      memcpy((unsigned char *)out->data + (r->first + o) * size, acc[i].t.data, size);
      tl_ref_release(&acc[i]);
    }
  }
done:
  for (uint32_t i = 0; i < 2 * n; i++)
    tl_ref_release(&args[i]);
  for (uint32_t i = 0; i < n; i++)
    tl_ref_release(&acc[i]);
  return st;
}

static tl_status reduce_all(tl_ref_call *c, const reduction *r) {
  tl_opcode op = TL_OP_ADD;
  if (c->op->n_results != 1 || tl_ref_region_kind(c->op->regions[0], &op) != TL_REGION_OP)
    return run_on_each(c, r);
  const tl_dtype_kind of = tl_dtype_get(c->out[0].t.type.dtype)->kind;
  if (c->op->code == TL_OP_REDUCE && op == TL_OP_ADD &&
      (of == TL_KIND_FLOAT || of == TL_KIND_COMPLEX)) {
    sum_floats(c, r);
    return TL_OK;
  }
  return fold(c, r, op);
}

tl_status ref_eval_REDUCE(tl_ref_call *c) {
  reduction r;
  TL_TRY(find_elements(c, &r));
  return reduce_all(c, &r);
}

enum { WINDOWS = 256 }; // rows of the matrix, as long as it stays small

tl_status ref_eval_REDUCE_WINDOW(tl_ref_call *c) {
  const tl_op *op = c->op;
  const uint32_t n = op->n_results;
  tl_type x = c->in[0].type, out = c->out[0].t.type;
  tl_i64s dims = tl_op_list(op, TL_A_REDUCE_WINDOW_window_dimensions);
  tl_window w = tl_window_of(
      x.dims, dims.ptr, x.rank, tl_op_list(op, TL_A_REDUCE_WINDOW_window_strides),
      tl_op_list(op, TL_A_REDUCE_WINDOW_padding), tl_op_list(op, TL_A_REDUCE_WINDOW_base_dilations),
      tl_op_list(op, TL_A_REDUCE_WINDOW_window_dilations));
  size_t count, width;
  if (!tl_type_count(out, &count) || !tl_type_count((tl_type){x.dtype, x.rank, dims.ptr}, &width))
    return TL_ERROR(INVALID_ARGUMENT, "reduce_window: its window is too large");
  if (count == 0) return TL_OK;
  const size_t rows = width > 4096 ? 1 : TL_MIN(count, (size_t)WINDOWS);
  tl_tensor *matrix = TL_NEW(c->scratch, tl_tensor, n);
  size_t *places = tl_arena_alloc_array(c->scratch, width, sizeof *places, 16);
  size_t *kept = tl_arena_alloc_array(c->scratch, rows, sizeof *kept, 16);
  size_t *reduced = tl_arena_alloc_array(c->scratch, width, sizeof *reduced, 16);
  if (matrix == NULL || places == NULL || kept == NULL || reduced == NULL)
    return tl_window_oom(op, width);
  for (uint32_t i = 0; i < n; i++) {
    size_t size = tl_dtype_get(c->in[i].type.dtype)->size, row;
    if (!TL_MUL_OK(width, size, &row)) return tl_window_oom(op, width);
    matrix[i] = (tl_tensor){c->in[i].type, tl_arena_alloc_array(c->scratch, rows, row, 16)};
    if (matrix[i].data == NULL) return tl_window_oom(op, width);
  }
  uint32_t dim;
  bool from_end = false;
  if (!tl_running_window(op, &dim, &from_end)) from_end = false;
  for (size_t k = 0; k < width; k++)
    reduced[k] = from_end ? width - 1 - k : k;
  for (size_t o = 0; o < rows; o++)
    kept[o] = o * width;
  int64_t at[TL_MAX_RANK] = {0};
  for (size_t first = 0; first < count; first += rows) {
    reduction r = {.x = matrix,
                   .kept = kept,
                   .reduced = reduced,
                   .n_kept = TL_MIN(rows, count - first),
                   .n_reduced = width,
                   .first = first};
    for (size_t o = 0; o < r.n_kept; o++) {
      tl_window_places(&w, at, places);
      tl_window_next(out.dims, x.rank, at);
      for (uint32_t i = 0; i < n; i++)
        tl_window_copy(&c->in[i], places, width, c->in[n + i].data,
                       (unsigned char *)matrix[i].data +
                           o * width * tl_dtype_get(c->in[i].type.dtype)->size);
    }
    TL_TRY(reduce_all(c, &r));
  }
  return TL_OK;
}
