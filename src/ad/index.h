// What the rules of ops at indices share: gather and scatter are each other's mirror, and both are
// made from one description of where they read or write.
#ifndef TL_AD_INDEX_H
#define TL_AD_INDEX_H

#include "ad/rule.h"

// scatter's names, with gather's beside them where they differ.
typedef struct tl_ad_places {
  tl_i64s window;   // update_window_dims, offset_dims
  tl_i64s inserted; // inserted_window_dims, collapsed_slice_dims
  tl_i64s xbatch;   // input_batching_dims, operand_batching_dims
  tl_i64s ibatch;   // of the indices
  tl_i64s map;      // scatter_dims_to_operand_dims, start_index_map
  int64_t vector;   // index_vector_dim
  bool sorted, unique;
} tl_ad_places;

// What lies at the indices, clamped as gather clamps them; `like`: the type of the result.
tl_value tl_ad_gather(tl_builder *b, const tl_ad_places *p, tl_value x, tl_value indices,
                      tl_type like);
// x with the updates at the indices combined in: TL_OP_ADD and its like, or TL_OP_RETURN, which
// replaces. Updates whose window does not fit are dropped.
tl_value tl_ad_scatter(tl_builder *b, const tl_ad_places *p, tl_opcode combiner, tl_value x,
                       tl_value indices, tl_value updates);

// Where gather reads: the indices within x, of a type that holds them.
tl_value tl_ad_clamped_places(tl_builder *b, const tl_ad_places *p, tl_type x, tl_type like,
                              tl_value indices);
// The elements of x at full indices [..., rank of x], 0 outside of it.
tl_value tl_ad_read_or_zero(tl_builder *b, tl_value x, tl_value indices);
// Of a batch: v's operand 0 at the scalars of each example, `starts` [rank of part], which are
// batched and may be changed. `part`: the type of one example.
tl_value tl_ad_batched_slice(tl_batch *v, tl_value *starts, tl_type part);

// out[i, k, j] = x[i, places[i, k, j], j]: along one dim, by places of the same shape.
tl_value tl_ad_take(tl_builder *b, tl_value x, tl_value places, int64_t dim);
// Its transpose where no place stands twice.
tl_value tl_ad_put(tl_builder *b, tl_value ct, tl_value places, int64_t dim);
// Of x in a row, the elements at places (any shape), and the transpose: a sum, of x's type. Places
// out of range read the nearest, and give nothing back.
tl_value tl_ad_take_flat(tl_builder *b, tl_value x, tl_value places);
tl_value tl_ad_put_flat(tl_builder *b, tl_type x, tl_value places, tl_value ct);

#endif
