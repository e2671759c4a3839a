// convolution: a dot of every window of lhs with every output feature of rhs.
//
// The contracted index runs over the kernel's spatial dims, row-major in the order in which they
// are listed, and then over the input features; sums have the order of a dot's (sums.h). Padding,
// and what lies between the elements of a dilated lhs, is zero and takes its place in the sum.
// Both operands are computed in the result's kind.
#include "ref/eval.h"

#include <string.h>

#include "ref/dot.h"
#include "ref/strided.h"
#include "ref/window.h"

// The packed rhs: for each group, tiles of [K, 16] output features.
typedef struct packed {
  unsigned char *data;
  size_t tile_size, n_tiles; // of one group
} packed;

static tl_status pack(tl_ref_call *c, tl_lanes_kind kind, size_t K, int64_t groups,
                      int64_t features, packed *out) {
  const tl_tensor *w = &c->in[1];
  tl_i64s spatial = tl_op_list(c->op, TL_A_CONVOLUTION_kernel_spatial_dimensions);
  int64_t axes[TL_MAX_RANK], strides[TL_MAX_RANK];
  for (size_t i = 0; i < spatial.len; i++)
    axes[i] = spatial.ptr[i];
  axes[spatial.len] = tl_op_i64(c->op, TL_A_CONVOLUTION_kernel_input_feature_dimension);
  size_t n_places, column = tl_lanes_size(kind), all;
  const size_t *places = tl_strided_offsets(c->scratch, w->type, axes, spatial.len + 1, &n_places);
  if (places == NULL) return TL_OOM();
  TL_ASSERT(n_places == K);
  tl_strides_of(w->type, strides);
  const int64_t step = strides[tl_op_i64(c->op, TL_A_CONVOLUTION_kernel_output_feature_dimension)];
  out->n_tiles = ((size_t)features + TL_DOT_TILE - 1) / TL_DOT_TILE;
  if (!TL_MUL_OK(K, column * TL_DOT_TILE, &out->tile_size) ||
      !TL_MUL_OK(out->tile_size, out->n_tiles, &all) || !TL_MUL_OK(all, (size_t)groups, &all))
    return TL_OOM();
  out->data = tl_arena_alloc(c->scratch, TL_MAX(all, (size_t)1), 16);
  if (out->data == NULL) return TL_OOM();
  for (int64_t g = 0; g < groups; g++)
    for (int64_t f = 0; f < features; f++) {
      size_t tile = (size_t)g * out->n_tiles + (size_t)f / TL_DOT_TILE;
      tl_dot_load(kind, w, places, K, (size_t)((g * features + f) * step),
                  out->data + tile * out->tile_size + (size_t)f % TL_DOT_TILE * column,
                  TL_DOT_TILE);
    }
  return TL_OK;
}

// Element `at` of a result whose features need not lie side by side.
static void store_one(const tl_lanes *sums, size_t j, tl_lanes_kind kind, const tl_tensor *out,
                      int64_t at) {
  tl_lanes one;
  if (kind == TL_LANES_F32)
    one.f32[0] = sums->f32[j];
  else if (kind == TL_LANES_C128)
    one.c128[0] = sums->c128[j];
  else
    one.u64[0] = sums->u64[j];
  tl_lanes_store(&one, kind, out->type.dtype, out->data, (size_t)at, 1);
}

tl_status ref_eval_CONVOLUTION(tl_ref_call *c) {
  const tl_op *op = c->op;
  const tl_tensor *x = &c->in[0], *out = &c->out[0].t;
  tl_type wt = c->in[1].type;
  const tl_lanes_kind kind = tl_lanes_kind_of(out->type.dtype);
  tl_i64s from = tl_op_list(op, TL_A_CONVOLUTION_input_spatial_dimensions),
          by = tl_op_list(op, TL_A_CONVOLUTION_kernel_spatial_dimensions),
          to = tl_op_list(op, TL_A_CONVOLUTION_output_spatial_dimensions),
          reversal = tl_op_list(op, TL_A_CONVOLUTION_window_reversal);
  const int64_t in_batch = tl_op_i64(op, TL_A_CONVOLUTION_input_batch_dimension),
                in_feature = tl_op_i64(op, TL_A_CONVOLUTION_input_feature_dimension),
                out_batch = tl_op_i64(op, TL_A_CONVOLUTION_output_batch_dimension),
                out_feature = tl_op_i64(op, TL_A_CONVOLUTION_output_feature_dimension);
  const int64_t batch_groups = tl_op_i64(op, TL_A_CONVOLUTION_batch_group_count),
                groups = batch_groups * tl_op_i64(op, TL_A_CONVOLUTION_feature_group_count);
  size_t count;
  if (!tl_type_count(out->type, &count))
    return TL_ERROR(INVALID_ARGUMENT, "convolution: the result is too large");
  if (count == 0) return TL_OK;

  const uint32_t n = (uint32_t)from.len;
  int64_t size[TL_MAX_RANK], window[TL_MAX_RANK], places_of[TL_MAX_RANK];
  int64_t x_strides[TL_MAX_RANK], out_strides[TL_MAX_RANK];
  tl_strides_of(x->type, x_strides);
  tl_strides_of(out->type, out_strides);
  size_t n_window = 1; // at most the elements of rhs
  for (uint32_t d = 0; d < n; d++) {
    size[d] = x->type.dims[from.ptr[d]];
    window[d] = wt.dims[by.ptr[d]];
    places_of[d] = out->type.dims[to.ptr[d]];
  }
  const int64_t features = wt.dims[tl_op_i64(op, TL_A_CONVOLUTION_kernel_input_feature_dimension)];
  for (uint32_t d = 0; d < n; d++)
    if (features == 0 || !TL_MUL_OK(n_window, (size_t)window[d], &n_window)) n_window = 0;
  tl_window w = tl_window_of(size, window, n, tl_op_list(op, TL_A_CONVOLUTION_window_strides),
                             tl_op_list(op, TL_A_CONVOLUTION_padding),
                             tl_op_list(op, TL_A_CONVOLUTION_lhs_dilation),
                             tl_op_list(op, TL_A_CONVOLUTION_rhs_dilation));
  for (uint32_t d = 0; d < n; d++) {
    w.step[d] = x_strides[from.ptr[d]];
    w.reverse[d] = reversal.len > 0 && reversal.ptr[d] != 0;
  }
  const size_t K = n_window * (size_t)features, element = tl_lanes_size(kind);
  const int64_t out_features = out->type.dims[out_feature] / groups;
  packed rhs = {0};
  TL_TRY(pack(c, kind, K, groups, out_features, &rhs));
  size_t *places = tl_arena_alloc_array(c->scratch, n_window + 1, sizeof *places, 16);
  size_t *channels = tl_arena_alloc_array(c->scratch, (size_t)features + 1, sizeof *channels, 16);
  unsigned char *row = tl_arena_alloc_array(c->scratch, TL_MAX(K, (size_t)1), element, 16);
  if (places == NULL || channels == NULL || row == NULL) return TL_OOM();
  for (int64_t f = 0; f < features; f++)
    channels[f] = (size_t)(f * x_strides[in_feature]);

  const int64_t batches = out->type.dims[out_batch];
  int64_t at[TL_MAX_RANK] = {0};
  tl_lanes sums;
  do {
    if (n_window > 0) tl_window_places(&w, at, places);
    int64_t place = 0;
    for (uint32_t d = 0; d < n; d++)
      place += at[d] * out_strides[to.ptr[d]];
    for (int64_t b = 0; b < batches; b++)
      for (int64_t g = 0; g < groups; g++) {
        const int64_t base = batch_groups > 1
                                 ? (g * batches + b) * x_strides[in_batch]
                                 : b * x_strides[in_batch] + g * features * x_strides[in_feature];
        for (size_t k = 0; k < n_window; k++) {
          unsigned char *to_row = row + k * (size_t)features * element;
          if (places[k] == TL_WINDOW_PADDING)
            memset(to_row, 0, (size_t)features * element);
          else
            tl_dot_load(kind, x, channels, (size_t)features, places[k] + (size_t)base, to_row, 1);
        }
        for (int64_t f = 0; f < out_features; f++) {
          if (f % TL_DOT_TILE == 0)
            tl_dot16(kind, row,
                     rhs.data + ((size_t)g * rhs.n_tiles + (size_t)f / TL_DOT_TILE) * rhs.tile_size,
                     K, &sums);
          store_one(&sums, (size_t)f % TL_DOT_TILE, kind, out,
                    place + b * out_strides[out_batch] +
                        (g * out_features + f) * out_strides[out_feature]);
        }
      }
  } while (tl_window_next(places_of, n, at));
  return TL_OK;
}
