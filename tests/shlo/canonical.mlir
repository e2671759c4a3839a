// canonical
// The text as we print it: what goes in comes out, to the byte. Numbers may have gaps.
module @m {
  func.func @main(%0: tensor<2x3xf32> {tf.aliasing_output = 1 : i32}, %1: tensor<2xi32>, %4: tensor<2x3xf32> {jax.buffer_donor = true}) -> (tensor<3xf32>, tensor<2x3xf32>) {
    %9 = stablehlo.constant dense<[[1.0, 1.0E-5], [0.001, 1.0E7]]> : tensor<2x2xf32>
    %s30 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %s31 = stablehlo.reduce(%0 init: %s30) applies stablehlo.maximum across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
    %s32 = "stablehlo.gather"(%0, %1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
    %s33 = "stablehlo.scatter"(%4, %1, %s32) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
     ^bb0(%s34: tensor<f32>, %s35: tensor<f32>):
       stablehlo.return %s35 : tensor<f32>
     }) : (tensor<2x3xf32>, tensor<2xi32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %29 = stablehlo.reverse %s31, dims = [0] : tensor<3xf32>
    return %29, %s33 : tensor<3xf32>, tensor<2x3xf32>
  }
}
