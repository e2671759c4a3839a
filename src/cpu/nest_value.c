// What an element of a value is in a nest: of a constant a number, of a region what its ops
// compute, of an op that only moves elements its operand's at another map, of one that was fused
// the program that computes it, of any other a load.
#include "cpu/nest.h"

#include <string.h>

#include "base/half.h"

static uint16_t binary(nest *n, tl_scalar op, tl_reg type, uint16_t a, uint16_t b) {
  return b == LOOP_NONE ? nest_fail(n) : nest_scalar(n, op, type, type, a, b, LOOP_NONE);
}

// --- constants ---

// A literal's first element as a register; of a complex one a part.
static uint64_t register_bits(const tl_literal *lit, size_t part) {
  uint64_t bits = 0;
  const size_t size = tl_dtype_get(nest_part_dtype(lit->type.dtype))->size;
  memcpy(&bits, (const uint8_t *)lit->data + part * size, TL_MIN(size, sizeof bits));
  if (lit->type.dtype == TL_DTYPE_BF16) return bits << 16;
  if (lit->type.dtype == TL_DTYPE_F16) return tl_bits_of_f32(tl_f32_of_f16((uint16_t)bits));
  tl_minifloat f;
  if (loop_minifloat(lit->type.dtype, &f))
    return tl_bits_of_f32(tl_f32_of_minifloat(f, (uint8_t)bits));
  return bits;
}

static bool splat_of(tl_value v, const tl_literal **out) {
  if (!v->op || v->op->code != TL_OP_CONSTANT) return false;
  *out = tl_op_attr(v->op, TL_A_CONSTANT_value)->dense;
  return (*out)->splat || (v->type.rank == 0 && (*out)->size > 0);
}

static uint16_t constant(nest *n, const tl_literal *lit) {
  tl_dtype as;
  tl_reg r;
  if (!loop_moves(nest_part_dtype(lit->type.dtype), &as, &r)) return nest_fail(n);
  const uint16_t x = nest_const(n, r, register_bits(lit, 0));
  return nest_is_complex(lit->type.dtype)
             ? nest_pair_of(n, x, nest_const(n, r, register_bits(lit, 1)))
             : x;
}

// --- regions ---

enum { REGION_MAX = 64 };

bool nest_knows_region(const tl_block *b) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->n_args; i++)
    if (b->args[i]->type.rank != 0 || !nest_moves(b->args[i]->type.dtype)) return false;
  for (const tl_op *op = b->first; op; op = op->next) {
    if (++n > REGION_MAX || op->n_regions > 0) return false;
    for (uint32_t i = 0; i < op->n_operands; i++)
      if (op->operands[i]->type.rank != 0 || !nest_moves(op->operands[i]->type.dtype)) return false;
    if (op->code == TL_OP_RETURN) return true;
    if (op->n_results != 1 || op->results[0]->type.rank != 0) return false;
    const tl_literal *lit;
    switch (op->code) {
    case TL_OP_CONSTANT:
      if (!splat_of(op->results[0], &lit) || !nest_moves(lit->type.dtype)) return false;
      break;
    case TL_OP_RESHAPE:
    case TL_OP_BROADCAST_IN_DIM:
    case TL_OP_OPTIMIZATION_BARRIER:
      break;
    default:
      if (!nest_knows(op)) return false;
    }
  }
  return false;
}

bool nest_region(nest *n, const tl_block *b, const uint16_t *args, uint16_t *results,
                 uint32_t n_results) {
  tl_value values[REGION_MAX];
  uint16_t insts[REGION_MAX];
  uint32_t known = 0;
  for (const tl_op *op = b->first; op && !n->failed; op = op->next) {
    uint16_t in[8];
    if (op->n_operands > TL_COUNT(in) && op->code != TL_OP_RETURN) break;
    for (uint32_t i = 0; i < op->n_operands; i++) {
      const tl_value v = op->operands[i];
      uint16_t x = LOOP_NONE;
      if (v->block == b && !v->op) {
        x = args[v->index];
      } else if (v->block == b) {
        for (uint32_t k = known; k-- > 0 && x == LOOP_NONE;)
          if (values[k] == v) x = insts[k];
      } else { // from around the region
        const nest_map scalar_map = {0};
        x = nest_value(n, v, &scalar_map);
      }
      if (op->code == TL_OP_RETURN) {
        if (i < n_results) results[i] = x;
      } else {
        in[i] = x;
      }
    }
    if (op->code == TL_OP_RETURN) return !n->failed && op->n_operands == n_results;
    if (known == REGION_MAX) break;
    values[known] = op->results[0];
    const tl_literal *lit;
    if (op->code == TL_OP_CONSTANT)
      insts[known] = splat_of(op->results[0], &lit) ? constant(n, lit) : nest_fail(n);
    else if (op->code == TL_OP_RESHAPE || op->code == TL_OP_BROADCAST_IN_DIM ||
             op->code == TL_OP_OPTIMIZATION_BARRIER)
      insts[known] = in[0];
    else
      insts[known] = nest_op(n, op, in, false);
    known++;
  }
  n->failed = true;
  return false;
}

// --- values at a map ---

// Groups of dims with equal products: each of the operand's dims must be a product of the result's.
static bool reshaped(tl_type from, tl_type to, const nest_map *m, nest_map *out) {
  uint32_t k = 0; // of the result
  if (type_count(to) == 0) return false;
  for (uint32_t d = 0; d < from.rank; d++) {
    if (from.dims[d] == 1) continue;
    int64_t left = from.dims[d];
    while (left > 1) {
      while (k < to.rank && to.dims[k] == 1)
        k++;
      if (k == to.rank || left % to.dims[k] != 0) return false;
      left /= to.dims[k];
      if (out) {
        out->offset[d] = nest_add(out->offset[d], nest_mul(m->offset[k], left));
        for (uint32_t i = 0; i < LOOP_MAX_DIMS; i++)
          out->coef[d][i] = nest_add(out->coef[d][i], nest_mul(m->coef[k][i], left));
      }
      k++;
    }
  }
  return true;
}

bool nest_reshapes(tl_type from, tl_type to) { return reshaped(from, to, NULL, NULL); }

void nest_copy_dim(nest_map *to, uint32_t d, const nest_map *from, uint32_t k) {
  to->offset[d] = from->offset[k];
  memcpy(to->coef[d], from->coef[k], sizeof to->coef[d]);
}

// The operand's map of an op that only moves elements.
static bool moved(const tl_op *op, const nest_map *m, nest_map *out) {
  const tl_type x = op->operands[0]->type, y = op->results[0]->type;
  *out = (nest_map){0};
  switch (op->code) {
  case TL_OP_RESHAPE:
    return reshaped(x, y, m, out);
  case TL_OP_TRANSPOSE: {
    const tl_i64s p = tl_op_list(op, TL_A_TRANSPOSE_permutation);
    for (uint32_t d = 0; d < y.rank; d++)
      nest_copy_dim(out, (uint32_t)p.ptr[d], m, d);
    return true;
  }
  case TL_OP_BROADCAST_IN_DIM: {
    const tl_i64s dims = tl_op_list(op, TL_A_BROADCAST_IN_DIM_broadcast_dimensions);
    for (uint32_t d = 0; d < x.rank; d++)
      if (x.dims[d] != 1) nest_copy_dim(out, d, m, (uint32_t)dims.ptr[d]);
    return true;
  }
  case TL_OP_SLICE: {
    const tl_i64s start = tl_op_list(op, TL_A_SLICE_start_indices),
                  step = tl_op_list(op, TL_A_SLICE_strides);
    for (uint32_t d = 0; d < x.rank; d++) {
      nest_copy_dim(out, d, m, d);
      out->offset[d] = nest_add(nest_mul(out->offset[d], step.ptr[d]), start.ptr[d]);
      for (uint32_t i = 0; i < LOOP_MAX_DIMS; i++)
        out->coef[d][i] = nest_mul(out->coef[d][i], step.ptr[d]);
    }
    return true;
  }
  case TL_OP_REVERSE: {
    const tl_i64s dims = tl_op_list(op, TL_A_REVERSE_dimensions);
    *out = *m;
    for (size_t k = 0; k < dims.len; k++) {
      const int64_t d = dims.ptr[k];
      out->offset[d] = nest_add(x.dims[d] - 1, -out->offset[d]);
      for (uint32_t i = 0; i < LOOP_MAX_DIMS; i++)
        out->coef[d][i] = -out->coef[d][i];
    }
    return true;
  }
  case TL_OP_OPTIMIZATION_BARRIER:
    *out = *m;
    return true;
  default:
    return false;
  }
}

uint16_t nest_index_s64(nest *n, uint16_t index) {
  if (n->failed || index == LOOP_NONE) return nest_fail(n);
  const tl_reg r = n->loop->insts[index].type;
  if (r == TL_REG_S64) return index;
  if (r == TL_REG_U64)
    index = binary(n, TL_SCALAR_MIN, r, index, nest_const(n, r, (uint64_t)INT64_MAX));
  return nest_scalar(n, TL_SCALAR_CONVERT, TL_REG_S64, r, index, LOOP_NONE, LOOP_NONE);
}

uint16_t nest_clamped(nest *n, uint16_t index, int64_t extent, int64_t size) {
  index = nest_index_s64(n, index);
  index = binary(n, TL_SCALAR_MIN, TL_REG_S64, index, nest_s64(n, extent - size));
  return binary(n, TL_SCALAR_MAX, TL_REG_S64, index, nest_s64(n, 0));
}

static uint16_t plus_scaled(nest *n, uint16_t sum, uint16_t x, int64_t stride) {
  if (stride != 1) x = binary(n, TL_SCALAR_MUL, TL_REG_S64, x, nest_s64(n, stride));
  return sum == LOOP_NONE ? x : binary(n, TL_SCALAR_ADD, TL_REG_S64, sum, x);
}

uint16_t nest_starts(nest *n, const tl_op *op, uint32_t first, tl_type whole, const int64_t *box) {
  int64_t strides[TL_MAX_RANK];
  const nest_map scalar_map = {0};
  uint16_t at = LOOP_NONE;
  nest_strides(whole, strides);
  for (uint32_t d = 0; d < whole.rank && !n->failed; d++) {
    if (whole.dims[d] == box[d]) continue; // clamped to 0
    const uint16_t start = nest_value(n, op->operands[first + d], &scalar_map);
    at = plus_scaled(n, at, nest_clamped(n, start, whole.dims[d], box[d]), strides[d]);
  }
  return at;
}

uint16_t nest_gather(nest *n, const tl_op *op, const nest_map *m, nest_map *from) {
  const tl_type x = op->operands[0]->type, indices = op->operands[1]->type,
                y = op->results[0]->type;
  const tl_i64s offset_dims = tl_op_list(op, TL_A_GATHER_offset_dims),
                collapsed = tl_op_list(op, TL_A_GATHER_collapsed_slice_dims),
                batching = tl_op_list(op, TL_A_GATHER_operand_batching_dims),
                index_batching = tl_op_list(op, TL_A_GATHER_start_indices_batching_dims),
                map = tl_op_list(op, TL_A_GATHER_start_index_map),
                sizes = tl_op_list(op, TL_A_GATHER_slice_sizes);
  const int64_t vector_dim = tl_op_i64(op, TL_A_GATHER_index_vector_dim);
  nest_map at = {0};
  *from = (nest_map){0};
  uint32_t batch[TL_MAX_RANK], n_batch = 0;
  for (uint32_t d = 0; d < y.rank; d++)
    if (!nest_listed(offset_dims, d)) batch[n_batch++] = d;
  uint32_t b = 0;
  for (uint32_t d = 0; d < indices.rank; d++) {
    if (d == vector_dim) continue;
    nest_copy_dim(&at, d, m, batch[b]);
    for (size_t i = 0; i < batching.len; i++)
      if (index_batching.ptr[i] == d) nest_copy_dim(from, (uint32_t)batching.ptr[i], m, batch[b]);
    b++;
  }
  for (uint32_t d = 0, w = 0; d < x.rank; d++)
    if (!nest_listed(collapsed, d) && !nest_listed(batching, d))
      nest_copy_dim(from, d, m, (uint32_t)offset_dims.ptr[w++]);
  int64_t strides[TL_MAX_RANK];
  nest_strides(x, strides);
  uint16_t dynamic = LOOP_NONE;
  for (size_t i = 0; i < map.len && !n->failed; i++) {
    const int64_t d = map.ptr[i];
    if (x.dims[d] == sizes.ptr[d]) continue; // clamped to 0
    if (vector_dim < (int64_t)indices.rank) at.offset[vector_dim] = (int64_t)i;
    const uint16_t index = nest_value(n, op->operands[1], &at);
    dynamic = plus_scaled(n, dynamic, nest_clamped(n, index, x.dims[d], sizes.ptr[d]), strides[d]);
  }
  n->n_ops++;
  return dynamic;
}

static uint16_t gathered(nest *n, const tl_op *op, const nest_map *m) {
  nest_map from;
  const uint16_t dynamic = nest_gather(n, op, m, &from);
  return nest_load(n, op->operands[0], &from, dynamic);
}

uint16_t nest_number(nest *n, tl_type t, const nest_map *m) {
  int64_t strides[TL_MAX_RANK];
  loop_map at = {0};
  nest_strides(t, strides);
  for (uint32_t d = 0; d < t.rank; d++) {
    at.offset = nest_add(at.offset, nest_mul(m->offset[d], strides[d]));
    for (uint32_t k = 0; k < n->loop->n_dims; k++)
      at.stride[k] = nest_add(at.stride[k], nest_mul(m->coef[d][k], strides[d]));
  }
  return nest_index(n, &at);
}

static uint16_t iota(nest *n, const tl_op *op, const nest_map *m) {
  const int64_t dim = tl_op_i64(op, TL_A_IOTA_iota_dimension);
  loop_map index = {.offset = m->offset[dim]};
  memcpy(index.stride, m->coef[dim], sizeof index.stride);
  n->n_ops++;
  return nest_convert(n, TL_DTYPE_S64, op->results[0]->type.dtype, nest_index(n, &index));
}

// An op's result at m from its operands.
uint16_t nest_computed(nest *n, const tl_op *op, const nest_map *m) {
  nest_map inner;
  uint16_t args[8];
  switch (op->code) {
  case TL_OP_IOTA:
    return iota(n, op, m);
  case TL_OP_GATHER:
    return gathered(n, op, m);
  case TL_OP_DYNAMIC_SLICE: {
    const uint16_t at = nest_starts(n, op, 1, op->operands[0]->type, op->results[0]->type.dims);
    n->n_ops++;
    return nest_load(n, op->operands[0], m, at);
  }
  case TL_OP_DOT_GENERAL:
  case TL_OP_REDUCE:
    return nest_few(n, op, m);
  case TL_OP_RESHAPE:
  case TL_OP_TRANSPOSE:
  case TL_OP_BROADCAST_IN_DIM:
  case TL_OP_SLICE:
  case TL_OP_REVERSE:
  case TL_OP_OPTIMIZATION_BARRIER:
    n->n_ops++;
    return moved(op, m, &inner) ? nest_value(n, op->operands[0], &inner) : nest_fail(n);
  case TL_OP_MAP: {
    uint16_t y = LOOP_NONE;
    if (op->n_operands > TL_COUNT(args)) return nest_fail(n);
    for (uint32_t i = 0; i < op->n_operands; i++)
      args[i] = nest_value(n, op->operands[i], m);
    n->n_ops++;
    return nest_region(n, op->regions[0], args, &y, 1) ? y : nest_fail(n);
  }
  default:
    break;
  }
  if (!nest_knows(op) || op->n_operands > TL_COUNT(args)) return nest_fail(n);
  inner = (nest_map){0};
  for (uint32_t i = 0; i < op->n_operands; i++) // a scalar predicate or bound has no dims
    args[i] = nest_value(n, op->operands[i], op->operands[i]->type.rank ? m : &inner);
  return nest_op(n, op, args, false);
}

// An inlined value: once at a place.
static uint16_t computed(nest *n, tl_value v, const nest_map *m) {
  for (uint32_t i = 0; i < n->n_known; i++)
    if (n->known[i].v == v && n->known[i].section == n->section &&
        memcmp(&n->known[i].at, m, sizeof *m) == 0)
      return n->known[i].x;
  const uint16_t x = nest_computed(n, v->op, m);
  if (!n->failed && n->n_known < NEST_MAX_KNOWN)
    n->known[n->n_known++] = (nest_known){v, n->section, x, *m};
  return x;
}

uint16_t nest_value(nest *n, tl_value v, const nest_map *m) {
  const tl_literal *lit;
  if (n->failed || n->p->error) return LOOP_NONE;
  if (splat_of(v, &lit)) return constant(n, lit);
  const bool room = n->loop->n_insts < NEST_INLINE_INSTS && n->loop->n_arrays < NEST_MAX_ARRAYS / 2;
  if (v->op && room && fuse_inlined(n->p, v->op) && !plan_known(n->p, v)) return computed(n, v, m);
  return nest_load(n, v, m, LOOP_NONE);
}
