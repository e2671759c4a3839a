// sort, by merging: stable whether it is asked for or not, so that one answer is right.
//
// A slice along the dimension is sorted as the order of its indices; elements move once, at the
// end. The comparator runs as written, on scalars that are borrowed from the inputs.
#include "ref/eval.h"

#include <string.h>

typedef struct slice {
  tl_ref_call *c;
  tl_ref_cell *args;   // [2 * n_operands], the comparator's
  size_t base, stride; // of the slice's elements
} slice;

static tl_ref_cell element_of(const tl_tensor *t, size_t at) {
  tl_dtype d = t->type.dtype;
  return (tl_ref_cell){{tl_type_scalar(d), (unsigned char *)t->data + at * tl_dtype_get(d)->size},
                       NULL};
}

static tl_status less(const slice *s, size_t a, size_t b, bool *out) {
  uint32_t n = s->c->op->n_operands;
  for (uint32_t i = 0; i < n; i++) {
    s->args[2 * i] = element_of(&s->c->in[i], s->base + a * s->stride);
    s->args[2 * i + 1] = element_of(&s->c->in[i], s->base + b * s->stride);
  }
  tl_ref_cell result = {0};
  TL_TRY(tl_ref_run_region(s->c, 0, s->args, 2 * n, &result, 1));
  *out = *(const unsigned char *)result.t.data != 0;
  tl_ref_release(&result);
  return TL_OK;
}

// [from, middle) and [middle, to) of `in`, each in order, into `out`. Of equals the left comes
// first.
static tl_status merge(const slice *s, const size_t *in, size_t *out, size_t from, size_t middle,
                       size_t to) {
  size_t a = from, b = middle;
  for (size_t k = from; k < to; k++) {
    bool right = a == middle;
    if (a < middle && b < to) TL_TRY(less(s, in[b], in[a], &right));
    out[k] = right ? in[b++] : in[a++];
  }
  return TL_OK;
}

// Order of `len` indices, by doubling runs, back and forth between two arrays.
static tl_status order_of(const slice *s, size_t *order, size_t *spare, size_t len,
                          const size_t **out) {
  for (size_t i = 0; i < len; i++)
    order[i] = i;
  for (size_t run = 1; run < len; run *= 2) {
    for (size_t from = 0; from < len; from += 2 * run)
      TL_TRY(merge(s, order, spare, from, TL_MIN(from + run, len), TL_MIN(from + 2 * run, len)));
    size_t *swap = order;
    order = spare;
    spare = swap;
  }
  *out = order;
  return TL_OK;
}

tl_status ref_eval_SORT(tl_ref_call *c) {
  const tl_op *op = c->op;
  tl_type t = c->in[0].type;
  int64_t dim = tl_op_i64(op, TL_A_SORT_dimension);
  if (dim < 0) dim += t.rank;
  size_t count, len = (size_t)t.dims[dim], stride = 1;
  if (!tl_type_count(t, &count))
    return TL_ERROR(INVALID_ARGUMENT, "sort: the shape is not concrete or too large");
  if (count == 0) return TL_OK;
  for (uint32_t d = (uint32_t)dim + 1; d < t.rank; d++)
    stride *= (size_t)t.dims[d];
  slice s = {c, TL_NEW(c->scratch, tl_ref_cell, (size_t)2 * op->n_operands), 0, stride};
  size_t *order = TL_NEW(c->scratch, size_t, len), *spare = TL_NEW(c->scratch, size_t, len);
  if (s.args == NULL || order == NULL || spare == NULL) return TL_OOM();
  for (size_t k = 0; k < count / len; k++) {
    const size_t *sorted = NULL;
    s.base = k / stride * (stride * len) + k % stride;
    TL_TRY(order_of(&s, order, spare, len, &sorted));
    for (uint32_t i = 0; i < op->n_operands; i++) {
      size_t size = tl_dtype_get(c->in[i].type.dtype)->size;
      const unsigned char *from = c->in[i].data;
      unsigned char *to = c->out[i].t.data;
      for (size_t j = 0; j < len; j++)
        memcpy(to + (s.base + j * stride) * size, from + (s.base + sorted[j] * stride) * size,
               size);
    }
  }
  return TL_OK;
}
