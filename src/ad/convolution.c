// Rules of convolution and fft. A convolution is bilinear, and both its transposes are convolutions
// again: the formulas are JAX's (which has them from the appendix of Dumoulin and Visin, "A guide
// to convolution arithmetic for deep learning", for any dilation and group). Their paddings are
// numbers, or, where a spatial size is none or the op is a dynamic_conv, an operand of a
// dynamic_conv.
//
// Legend, per spatial dim: x of size X dilated by lhs_dilation, w of size W dilated by
// rhs_dilation, y of size Y; padding lo and hi; dilated sizes are Xd, Wd, and Yd by the strides.
#include "ad/rule.h"

#include "ir/dim.h"
#include "ir/dynamic.h"

typedef struct conv { // attributes with their defaults; lists [n]
  uint32_t n;
  int64_t x_batch, x_feature, w_in, w_out, y_batch, y_feature, feature_groups, batch_groups;
  int64_t x_at[TL_MAX_RANK], w_at[TL_MAX_RANK], y_at[TL_MAX_RANK];
  int64_t stride[TL_MAX_RANK], x_dilation[TL_MAX_RANK], w_dilation[TL_MAX_RANK],
      pad[2 * TL_MAX_RANK], reversal[TL_MAX_RANK];
  tl_value pads; // i64 [n, 2] in place of `pad`, where that is no numbers: a dynamic_conv
} conv;

static void copy(int64_t *to, tl_i64s list, size_t n, int64_t otherwise) {
  for (size_t i = 0; i < n; i++)
    to[i] = i < list.len ? list.ptr[i] : otherwise;
}

#define CONV(name) TL_A_CONVOLUTION_##name

// convolution's attribute as `code` has it: dynamic_conv has the same, all but the padding.
static tl_attr_id as(tl_opcode code, tl_attr_id id) {
  tl_attr_id own = id;
  if (code != TL_OP_CONVOLUTION) (void)tl_op_attr_named(code, tl_attr_get(id)->name, &own);
  return own;
}
#define I64(op, name) tl_op_i64((op), as((op)->code, CONV(name)))
#define LIST(op, name) tl_op_list((op), as((op)->code, CONV(name)))

static conv read_conv(const tl_op *op) {
  const uint32_t n = op->operands[0]->type.rank - 2;
  conv c = {.n = n,
            .x_batch = I64(op, input_batch_dimension),
            .x_feature = I64(op, input_feature_dimension),
            .w_in = I64(op, kernel_input_feature_dimension),
            .w_out = I64(op, kernel_output_feature_dimension),
            .y_batch = I64(op, output_batch_dimension),
            .y_feature = I64(op, output_feature_dimension),
            .feature_groups = I64(op, feature_group_count),
            .batch_groups = I64(op, batch_group_count)};
  copy(c.x_at, LIST(op, input_spatial_dimensions), n, 0);
  copy(c.w_at, LIST(op, kernel_spatial_dimensions), n, 0);
  copy(c.y_at, LIST(op, output_spatial_dimensions), n, 0);
  copy(c.stride, LIST(op, window_strides), n, 1);
  copy(c.x_dilation, LIST(op, lhs_dilation), n, 1);
  copy(c.w_dilation, LIST(op, rhs_dilation), n, 1);
  if (op->code == TL_OP_CONVOLUTION) copy(c.pad, LIST(op, padding), 2 * (size_t)n, 0);
  copy(c.reversal, LIST(op, window_reversal), n, 0);
  return c;
}

// The convolution c of x and w, with the precision of `like`; `type` NULL: of their element type,
// where the padding is numbers.
static tl_value convolved(tl_builder *b, const tl_op *like, const conv *c, tl_value x, tl_value w,
                          const tl_type *type) {
  const tl_opcode code = c->pads == NULL ? TL_OP_CONVOLUTION : TL_OP_DYNAMIC_CONV;
  const tl_op_info *from = tl_op_get(like->code), *to = tl_op_get(code);
  tl_op *op = tl_op_begin(b, code, (tl_value[]){x, w, c->pads}, c->pads == NULL ? 2 : 3);
  if (op == NULL) return NULL;
  for (uint32_t i = 0; i < from->n_attrs; i++) {
    tl_attr_id id;
    if (tl_op_attr_named(code, tl_attr_get((tl_attr_id)(from->attr_begin + i))->name, &id))
      op->attrs[id - to->attr_begin] = like->attrs[i];
  }
  const size_t n = c->n;
#define SET_I64(name, value) tl_op_set_i64(op, as(code, CONV(name)), (value))
#define SET_LIST(name, values) tl_op_set_list(b, op, as(code, CONV(name)), (values), n)
  SET_I64(input_batch_dimension, c->x_batch);
  SET_I64(input_feature_dimension, c->x_feature);
  SET_I64(kernel_input_feature_dimension, c->w_in);
  SET_I64(kernel_output_feature_dimension, c->w_out);
  SET_I64(output_batch_dimension, c->y_batch);
  SET_I64(output_feature_dimension, c->y_feature);
  SET_I64(feature_group_count, c->feature_groups);
  SET_I64(batch_group_count, c->batch_groups);
  SET_LIST(input_spatial_dimensions, c->x_at);
  SET_LIST(kernel_spatial_dimensions, c->w_at);
  SET_LIST(output_spatial_dimensions, c->y_at);
  SET_LIST(window_strides, c->stride);
  SET_LIST(lhs_dilation, c->x_dilation);
  SET_LIST(rhs_dilation, c->w_dilation);
  SET_LIST(window_reversal, c->reversal);
#undef SET_I64
#undef SET_LIST
  if (c->pads == NULL) tl_op_set_list(b, op, CONV(padding), c->pad, 2 * n);
  op = tl_op_finish(b, op, type, type == NULL ? 0 : 1);
  return op == NULL ? NULL : op->results[0];
}

// --- Axes ---------------------------------------------------------------------------------------

static tl_value split(tl_builder *b, tl_value x, int64_t axis, int64_t first, int64_t second) {
  if (x == NULL) return NULL;
  int64_t dims[TL_MAX_RANK + 1];
  const uint32_t r = x->type.rank;
  if (r >= TL_MAX_RANK) {
    tl_builder_fail(b, TL_ERROR(INVALID_ARGUMENT, "a convolution past rank %d", TL_MAX_RANK));
    return NULL;
  }
  for (uint32_t i = 0; i < r; i++)
    dims[i < axis ? i : i + 1] = x->type.dims[i];
  dims[axis] = first;
  dims[axis + 1] = second;
  return tlo_reshape(b, x, dims, r + 1);
}

static tl_value move(tl_builder *b, tl_value x, int64_t from, int64_t to) {
  if (x == NULL || from == to) return x;
  int64_t order[TL_MAX_RANK];
  for (int64_t i = 0, k = 0; i < (int64_t)x->type.rank; i++) {
    if (i == to) {
      order[i] = from;
      continue;
    }
    if (k == from) k++;
    order[i] = k++;
  }
  return tlo_transpose(b, x, order);
}

static int64_t times(tl_builder *b, int64_t x, int64_t y) {
  int64_t out = 0;
  if (!tl_dim_mul(b->m, x, y, &out))
    tl_builder_fail(b, TL_ERROR(INVALID_ARGUMENT, "a convolution's dim is too large"));
  return out;
}

static int64_t over(tl_builder *b, int64_t x, int64_t by) { // which divides it
  int64_t out = 0;
  if (!tl_dim_divide(b->m, x, by, &out))
    tl_builder_fail(b, TL_ERROR(INVALID_ARGUMENT, "a convolution's groups do not divide a dim"));
  return out;
}

static tl_value join(tl_builder *b, tl_value x, int64_t axis) { // and axis + 1
  if (x == NULL) return NULL;
  int64_t dims[TL_MAX_RANK];
  const uint32_t r = x->type.rank;
  for (uint32_t i = 0; i + 1 < r; i++)
    dims[i] = i == axis ? times(b, x->type.dims[i], x->type.dims[i + 1])
                        : x->type.dims[i < axis ? i : i + 1];
  return tlo_reshape(b, x, dims, r - 1);
}

// The groups at the front of dim `from` go to the front of dim `to`.
static tl_value move_groups(tl_builder *b, tl_value x, int64_t groups, int64_t from, int64_t to) {
  if (x == NULL || groups == 1) return x;
  x = split(b, x, from, groups, over(b, x->type.dims[from], groups));
  x = move(b, x, from, to); // without the groups, dim `to` has its place again
  return join(b, x, to);
}

static tl_value reversed(tl_builder *b, tl_value x, const int64_t *dims, size_t n) {
  if (n == 0) return x;
  tl_op *op = tl_op_begin(b, TL_OP_REVERSE, &x, 1);
  tl_op_set_list(b, op, TL_A_REVERSE_dimensions, dims, n);
  op = tl_op_finish(b, op, NULL, 0);
  return op == NULL ? NULL : op->results[0];
}

// The spatial dims of w whose reversal is `is`.
static size_t dims_where(const conv *c, bool is, int64_t *out) {
  size_t n = 0;
  for (uint32_t i = 0; i < c->n; i++)
    if ((c->reversal[i] != 0) == is) out[n++] = c->w_at[i];
  return n;
}

// --- Transposes ---------------------------------------------------------------------------------

static bool dilated(int64_t size, int64_t by, int64_t *out) { // of a number; 0 stays 0
  *out = 0;
  return size == 0 || (TL_MUL_OK(size - 1, by, out) && TL_ADD_OK(*out, 1, out));
}

// Xd, Wd and Yd of spatial dim i; false where one is no number.
static bool sizes(const conv *c, const tl_vjp *v, uint32_t i, int64_t out[3]) {
  const int64_t x = v->in[0]->type.dims[c->x_at[i]], w = v->in[1]->type.dims[c->w_at[i]],
                y = v->out[0]->type.dims[c->y_at[i]];
  return x >= 0 && w >= 0 && y >= 0 && dilated(x, c->x_dilation[i], &out[0]) &&
         dilated(w, c->w_dilation[i], &out[1]) && dilated(y, c->stride[i], &out[2]);
}

// Where the sizes are no numbers, or the padding is none, the same as lists i64 [n].
static tl_value list(tl_builder *b, const int64_t *values, uint32_t n, uint32_t apart) {
  int64_t own[TL_MAX_RANK];
  for (uint32_t i = 0; i < n; i++)
    own[i] = values[apart * i];
  return tlo_constant(b, (tl_type){TL_DTYPE_S64, 1, (int64_t[]){n}}, own, n * sizeof *own);
}

// Xd, Wd and Yd, and the padding in front.
static void size_lists(const conv *c, const tl_vjp *v, tl_value out[4]) {
  tl_builder *b = v->b;
  const tl_type types[3] = {v->in[0]->type, v->in[1]->type, v->out[0]->type};
  const int64_t *at[3] = {c->x_at, c->w_at, c->y_at};
  const int64_t *by[3] = {c->x_dilation, c->w_dilation, c->stride};
  for (int k = 0; k < 3; k++) {
    int64_t dims[TL_MAX_RANK];
    for (uint32_t i = 0; i < c->n; i++)
      dims[i] = types[k].dims[at[k][i]];
    tl_value n = tlo_sizes(b, dims, c->n), step = list(b, by[k], c->n, 1);
    out[k] = tl_ad_reaches(b, n, step, c->n);
  }
  if (v->op->code == TL_OP_CONVOLUTION) {
    out[3] = list(b, c->pad, c->n, 2);
    return;
  }
  tl_value pads = tlo_convert(b, v->in[2], TL_DTYPE_S64);
  pads = tlo_slice(b, pads, (int64_t[]){0, 0}, (int64_t[]){c->n, 1}, NULL);
  out[3] = tlo_reshape(b, pads, (int64_t[]){c->n}, 1);
}

// [n] and [n] as [n, 2].
static tl_value pairs(tl_builder *b, tl_value low, tl_value high, uint32_t n) {
  tl_value columns[2] = {tlo_reshape(b, low, (int64_t[]){n, 1}, 2), NULL};
  columns[1] = tlo_reshape(b, high, (int64_t[]){n, 1}, 2);
  return tlo_concat(b, columns, 2, 1);
}

// By x: the cotangent, dilated by the strides, convolved with the mirrored kernel, of which inputs
// and outputs change places within each group. Batch groups of x are feature groups of it.
static tl_value by_x(tl_vjp *v, const conv *c) {
  tl_builder *b = v->b;
  conv t = *c;
  bool numbers = v->op->code == TL_OP_CONVOLUTION;
  for (uint32_t i = 0; i < c->n; i++) {
    int64_t size[3], lo = c->pad[2 * i], hi = c->pad[2 * i + 1];
    const int64_t w = v->in[1]->type.dims[c->w_at[i]];
    if (sizes(c, v, i, size)) {
      t.pad[2 * i] = size[1] - 1 - lo;
      t.pad[2 * i + 1] = size[0] - size[2] + lo;
    } else if (w > 0 && c->stride[i] == 1 && dilated(w, c->w_dilation[i], &size[1])) {
      t.pad[2 * i] = size[1] - 1 - lo; // Yd = Xd + lo + hi - Wd + 1
      t.pad[2 * i + 1] = size[1] - 1 - hi;
    } else {
      numbers = false;
    }
    t.stride[i] = c->x_dilation[i];
    t.x_dilation[i] = c->stride[i];
    t.x_at[i] = c->y_at[i];
    t.y_at[i] = c->x_at[i];
    t.reversal[i] = 0;
  }
  tl_type type = v->in[0]->type;
  type.dtype = v->ct[0]->type.dtype;
  if (!numbers && c->batch_groups > 1) { // of the feature groups that they become
    int64_t dims[TL_MAX_RANK];
    memcpy(dims, type.dims, type.rank * sizeof *dims);
    dims[c->x_batch] = over(b, dims[c->x_batch], c->batch_groups);
    dims[c->x_feature] = times(b, dims[c->x_feature], c->batch_groups);
    type = tl_type_of(b->m->arena, type.dtype, dims, type.rank);
  }
  if (!numbers) {
    tl_value s[4];
    size_lists(c, v, s);
    tl_value one = tl_ad_like(b, s[1], 1), low = NULL;
    low = tlo_sub(b, tlo_sub(b, s[1], one), s[3]);
    tl_value high = tlo_add(b, tlo_sub(b, s[0], s[2]), s[3]);
    t.pads = pairs(b, low, high, c->n);
  }
  const int64_t groups = TL_MAX(c->feature_groups, c->batch_groups);
  tl_value w = move_groups(b, v->in[1], groups, c->w_out, c->w_in), g = v->ct[0];
  t.x_batch = c->y_batch, t.x_feature = c->y_feature;
  t.y_batch = c->x_batch, t.y_feature = c->x_feature;
  t.w_in = c->w_out, t.w_out = c->w_in;
  t.feature_groups = groups, t.batch_groups = 1;
  int64_t mirrored[TL_MAX_RANK];
  const size_t n = dims_where(c, false, mirrored);
  w = tlo_convert(b, reversed(b, w, mirrored, n), g->type.dtype);
  tl_value dx = convolved(b, v->op, &t, g, w, numbers ? NULL : &type);
  if (c->batch_groups > 1) dx = move_groups(b, dx, groups, c->x_feature, c->x_batch);
  return tlo_convert(b, dx, v->in[0]->type.dtype);
}

// By w: x convolved with the cotangent for its kernel, the examples for features.
static tl_value by_w(tl_vjp *v, const conv *c) {
  tl_builder *b = v->b;
  const tl_type y = v->out[0]->type;
  for (uint32_t i = 0; i < y.rank; i++)
    if (y.dims[i] == 0) return NULL; // zeros, and no window of size 0
  conv t = *c;
  bool numbers = v->op->code == TL_OP_CONVOLUTION;
  for (uint32_t i = 0; i < c->n; i++) {
    int64_t size[3];
    if (sizes(c, v, i, size))
      t.pad[2 * i + 1] = size[2] - size[0] + size[1] - 1 - c->pad[2 * i];
    else
      numbers = false;
    t.stride[i] = c->w_dilation[i];
    t.w_dilation[i] = c->stride[i];
    t.w_at[i] = c->y_at[i];
    t.y_at[i] = c->w_at[i];
    t.reversal[i] = 0;
  }
  if (!numbers) {
    tl_value s[4];
    size_lists(c, v, s);
    tl_value one = tl_ad_like(b, s[1], 1);
    tl_value high = tlo_sub(b, s[2], s[0]);
    high = tlo_sub(b, tlo_add(b, high, s[1]), one);
    t.pads = pairs(b, s[3], tlo_sub(b, high, s[3]), c->n);
  }
  tl_type type = v->in[1]->type;
  type.dtype = v->ct[0]->type.dtype;
  t.x_batch = c->x_feature, t.x_feature = c->x_batch;
  t.w_in = c->y_batch, t.w_out = c->y_feature;
  t.y_batch = c->w_in, t.y_feature = c->w_out;
  t.feature_groups = c->batch_groups, t.batch_groups = c->feature_groups;
  tl_value g = v->ct[0], x = tlo_convert(b, v->in[0], g->type.dtype);
  tl_value dw = convolved(b, v->op, &t, x, g, numbers ? NULL : &type);
  int64_t mirrored[TL_MAX_RANK];
  const size_t n = dims_where(c, true, mirrored);
  return tlo_convert(b, reversed(b, dw, mirrored, n), v->in[1]->type.dtype);
}

void tl_vjp_convolution(tl_vjp *v) {
  const conv c = read_conv(v->op);
  if (tl_vjp_wants(v, 0)) tl_vjp_give(v, 0, by_x(v, &c));
  if (tl_vjp_wants(v, 1)) tl_vjp_give(v, 1, by_w(v, &c));
}

// --- Batching -----------------------------------------------------------------------------------

// y's type of one example with `times` as much in dim `at`.
static tl_type grown(tl_builder *b, tl_type y, int64_t at, int64_t by) {
  int64_t dims[TL_MAX_RANK];
  memcpy(dims, y.dims, y.rank * sizeof *dims);
  dims[at] = times(b, dims[at], by);
  return tl_type_of(b->m->arena, y.dtype, dims, y.rank);
}

// The batch, at the front of x, goes behind the groups of dim `at`: [groups, batch, rest] in one.
static tl_value fold(tl_builder *b, tl_value x, int64_t groups, int64_t at) {
  if (x == NULL) return NULL;
  if (groups == 1) return join(b, move(b, x, 0, at), at);
  x = split(b, x, at + 1, groups, over(b, x->type.dims[at + 1], groups));
  x = move(b, x, 0, at + 1);
  return join(b, join(b, x, at), at);
}

// x's batch in its batch dim; w's in its output features; both: the batch is groups, of batches
// where there are such, else of features.
void tl_batch_convolution(tl_batch *v) {
  tl_builder *b = v->b;
  conv c = read_conv(v->op);
  if (v->op->code == TL_OP_DYNAMIC_CONV) {
    if (v->batched[2]) {
      tl_ad_refuse_batching(v->ad, b, v->op, "of paddings that differ from example to example");
      return;
    }
    c.pads = v->in[2];
  }
  const int64_t n = v->size;
  const tl_type one = v->op->results[0]->type;
  tl_value x = v->in[0], w = v->in[1], y;
  if (v->batched[0] && v->batched[1]) {
    if (n < 0) {
      tl_ad_refuse_batching(v->ad, b, v->op,
                            "by a kernel for each example of a batch whose size "
                            "is a symbol: its groups would be no number");
      return;
    }
    const bool batches = c.batch_groups > 1;
    x = join(b, move(b, x, 0, batches ? c.x_batch : c.x_feature),
             batches ? c.x_batch : c.x_feature);
    w = join(b, move(b, w, 0, c.w_out), c.w_out);
    int64_t *groups = batches ? &c.batch_groups : &c.feature_groups;
    *groups = times(b, *groups, n);
    const tl_type t = grown(b, one, c.y_feature, n);
    y = convolved(b, v->op, &c, x, w, &t);
    y = split(b, y, c.y_feature, n, one.dims[c.y_feature]);
    v->out[0] = move(b, y, c.y_feature, 0);
  } else if (v->batched[0]) {
    x = fold(b, x, c.batch_groups, c.x_batch);
    const tl_type t = grown(b, one, c.y_batch, n);
    y = convolved(b, v->op, &c, x, w, &t);
    y = split(b, y, c.y_batch, n, one.dims[c.y_batch]);
    v->out[0] = move(b, y, c.y_batch, 0);
  } else {
    const int64_t groups = TL_MAX(c.feature_groups, c.batch_groups);
    w = fold(b, w, groups, c.w_out);
    const tl_type t = grown(b, one, c.y_feature, n);
    y = convolved(b, v->op, &c, x, w, &t);
    if (groups == 1) {
      y = split(b, y, c.y_feature, n, one.dims[c.y_feature]);
      v->out[0] = move(b, y, c.y_feature, 0);
    } else {
      const int64_t rest = over(b, one.dims[c.y_feature], groups);
      y = split(b, y, c.y_feature, groups, times(b, n, rest));
      y = split(b, y, c.y_feature + 1, n, rest);
      y = move(b, y, c.y_feature + 1, 0);
      v->out[0] = join(b, y, c.y_feature + 1);
    }
  }
}

// --- fft ----------------------------------------------------------------------------------------

// What a spectrum of the real leaves out: every column of it but the first, and the last of an even
// length, stands for two.
static tl_value twice(tl_builder *b, tl_value spectrum, int64_t length) {
  if (spectrum == NULL) return NULL;
  tl_type numbers = spectrum->type;
  numbers.dtype = TL_DTYPE_S32;
  tl_value column = tlo_iota(b, numbers, (int64_t)numbers.rank - 1);
  tl_value once = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, column, tl_ad_zeros(b, numbers));
  if (length % 2 == 0) {
    tl_value end = tlo_fill(b, numbers, (double)(length / 2));
    tl_value last = tlo_compare(b, TL_COMPARISON_DIRECTION_EQ, column, end);
    once = tlo_binary(b, TL_OP_OR, once, last);
  }
  tl_value one = tl_ad_like(b, spectrum, 1), two = tl_ad_like(b, spectrum, 2);
  return tlo_select(b, once, one, two);
}

static tl_value conjugate(tl_builder *b, tl_value x) {
  tl_value re = tlo_unary(b, TL_OP_REAL, x), im = tlo_unary(b, TL_OP_IMAG, x);
  return tlo_binary(b, TL_OP_COMPLEX, re, tl_ad_neg(b, im));
}

// FFT and IFFT are symmetric. Of N points in all: RFFT gets N irfft(conj(ct) / twice), IRFFT
// conj(rfft(ct) twice / N).
void tl_vjp_fft(tl_vjp *v) {
  tl_builder *b = v->b;
  tl_i64s length = tl_op_list(v->op, TL_A_FFT_fft_length);
  const tl_fft_type type = (tl_fft_type)tl_op_i64(v->op, TL_A_FFT_fft_type);
  const int64_t last = length.ptr[length.len - 1];
  tl_value ct = v->ct[0];
  double n = 1;
  for (size_t i = 0; i < length.len; i++)
    n *= (double)length.ptr[i];
  switch (type) {
  case TL_FFT_TYPE_RFFT:
    ct = conjugate(b, ct);
    ct = tlo_div(b, ct, twice(b, ct, last));
    ct = tlo_fft(b, ct, TL_FFT_TYPE_IRFFT, length.ptr, length.len);
    ct = tl_ad_scale(b, ct, n);
    break;
  case TL_FFT_TYPE_IRFFT:
    ct = tlo_fft(b, ct, TL_FFT_TYPE_RFFT, length.ptr, length.len);
    ct = tlo_mul(b, ct, twice(b, ct, last));
    ct = conjugate(b, tl_ad_scale(b, ct, 1 / n));
    break;
  default:
    ct = tlo_fft(b, ct, type, length.ptr, length.len);
  }
  tl_vjp_give(v, 0, ct);
}
