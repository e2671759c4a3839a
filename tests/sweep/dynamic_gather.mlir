func.func public @main(%x: tensor<3x4x2xi64>) -> tensor<2x3x2x2xi64> {
  %at = stablehlo.constant dense<[[[0, 0], [1, 0], [2, 1]], [[0, 1], [1, 1], [0, 9]]]> : tensor<2x3x2xi64>
  %sizes = stablehlo.constant dense<[1, 2, 2]> : tensor<3xi64>
  %0 = "stablehlo.dynamic_gather"(%x, %at, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>}> : (tensor<3x4x2xi64>, tensor<2x3x2xi64>, tensor<3xi64>) -> tensor<2x3x2x2xi64>
  return %0 : tensor<2x3x2x2xi64>
}
// -----
func.func public @main(%x: tensor<3x4x2xf32>) -> tensor<3x2x2xf32> {
  %at = stablehlo.constant dense<[[0, 0], [1, 0], [0, 9]]> : tensor<3x2xi64>
  %sizes = stablehlo.constant dense<[1, 2, 2]> : tensor<3xi64>
  %0 = "stablehlo.dynamic_gather"(%x, %at, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 1>}> : (tensor<3x4x2xf32>, tensor<3x2xi64>, tensor<3xi64>) -> tensor<3x2x2xf32>
  return %0 : tensor<3x2x2xf32>
}
