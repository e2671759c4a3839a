func.func @main(%0: tensor<5xf32>, %1: tensor<3x1xi32>) -> tensor<3xf32> {
  %2 = "stablehlo.gather"(%0, %1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 0>}> : (tensor<5xf32>, tensor<3x1xi32>) -> tensor<3xf32>
  return %2 : tensor<3xf32>
}
