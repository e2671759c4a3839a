// inputs: -2 2; -1 6
func.func public @main(%x: tensor<5x6xf32>, %i: tensor<4x1xi32>) -> tensor<4x6xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<5x6xf32>, tensor<4x1xi32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
// -----
// inputs: -100 100; 0 7
func.func public @main(%x: tensor<3x5x6xi8>, %i: tensor<3x4x2xi64>) -> tensor<3x4x2xi8> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2>}> : (tensor<3x5x6xi8>, tensor<3x4x2xi64>) -> tensor<3x4x2xi8>
  return %0 : tensor<3x4x2xi8>
}
