func.func public @main(%x: tensor<2x8x9x3xf32>, %w: tensor<3x3x3x4xf32>) -> tensor<2x8x9x4xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x9x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x8x9x4xf32>
  return %0 : tensor<2x8x9x4xf32>
}
// -----
func.func public @main(%x: tensor<1x4x9xf64>, %w: tensor<4x2x3xf64>) -> tensor<1x4x9xf64> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [2], pad = [[2, 3]], lhs_dilate = [2], rhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x4x9xf64>, tensor<4x2x3xf64>) -> tensor<1x4x9xf64>
  return %0 : tensor<1x4x9xf64>
}
