// Constructors of ops whose shapes are operands.
#include "ir/build.h"

static tl_value finish(tl_builder *b, tl_op *op, const tl_type *type) {
  if (op != NULL && type != NULL && type->rank > 0) {
    tl_type own = tl_type_of(b->m->arena, type->dtype, type->dims, type->rank);
    if (own.dims == NULL) {
      tl_builder_fail(b, TL_OOM());
      return NULL;
    }
    op = tl_op_finish(b, op, &own, 1);
  } else {
    op = tl_op_finish(b, op, type, type != NULL);
  }
  return op == NULL ? NULL : op->results[0];
}

tl_value tlo_get_dimension_size(tl_builder *b, tl_value x, int64_t dim) {
  tl_op *op = tl_op_begin(b, TL_OP_GET_DIMENSION_SIZE, &x, 1);
  tl_op_set_i64(op, TL_A_GET_DIMENSION_SIZE_dimension, dim);
  return finish(b, op, NULL);
}

tl_value tlo_set_dimension_size(tl_builder *b, tl_value x, tl_value size, int64_t dim,
                                tl_type type) {
  tl_op *op = tl_op_begin(b, TL_OP_SET_DIMENSION_SIZE, (tl_value[]){x, size}, 2);
  tl_op_set_i64(op, TL_A_SET_DIMENSION_SIZE_dimension, dim);
  return finish(b, op, &type);
}

tl_value tlo_dynamic_reshape(tl_builder *b, tl_value x, tl_value shape, tl_type type) {
  return finish(b, tl_op_begin(b, TL_OP_DYNAMIC_RESHAPE, (tl_value[]){x, shape}, 2), &type);
}

tl_value tlo_dynamic_iota(tl_builder *b, tl_value shape, int64_t dim, tl_type type) {
  tl_op *op = tl_op_begin(b, TL_OP_DYNAMIC_IOTA, &shape, 1);
  tl_op_set_i64(op, TL_A_DYNAMIC_IOTA_iota_dimension, dim);
  return finish(b, op, &type);
}

tl_value tlo_dynamic_broadcast(tl_builder *b, tl_value x, tl_value shape, const int64_t *dims,
                               tl_type type) {
  tl_op *op = tl_op_begin(b, TL_OP_DYNAMIC_BROADCAST_IN_DIM, (tl_value[]){x, shape}, 2);
  tl_op_set_list(b, op, TL_A_DYNAMIC_BROADCAST_IN_DIM_broadcast_dimensions, dims,
                 tl_value_type(x).rank);
  return finish(b, op, &type);
}

tl_value tlo_dynamic_pad(tl_builder *b, tl_value x, tl_value with, tl_value low, tl_value high,
                         tl_value interior, tl_type type) {
  const tl_value in[] = {x, with, low, high, interior};
  return finish(b, tl_op_begin(b, TL_OP_DYNAMIC_PAD, in, 5), &type);
}

tl_value tlo_real_dynamic_slice(tl_builder *b, tl_value x, tl_value start, tl_value limit,
                                tl_value strides, tl_type type) {
  const tl_value in[] = {x, start, limit, strides};
  return finish(b, tl_op_begin(b, TL_OP_REAL_DYNAMIC_SLICE, in, 4), &type);
}
