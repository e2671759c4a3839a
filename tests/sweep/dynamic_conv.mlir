// xla: not because its compiler has no translation of the op
func.func public @main(%x: tensor<1x4x4x2xf32>, %w: tensor<3x3x2x3xf32>) -> tensor<1x2x4x3xf32> {
  %p = stablehlo.constant dense<[[1, 1], [0, 2]]> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%x, %w, %p) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>], window_strides = array<i64: 2, 1>}> : (tensor<1x4x4x2xf32>, tensor<3x3x2x3xf32>, tensor<2x2xi64>) -> tensor<1x2x4x3xf32>
  return %0 : tensor<1x2x4x3xf32>
}
// -----
// xla: not because its compiler has no translation of the op
func.func public @main(%x: tensor<2x4x5x4xf32>, %w: tensor<2x2x2x4xf32>) -> tensor<2x4x2x4xf32> {
  %p = stablehlo.constant dense<[[1, -1], [0, 1]]> : tensor<2x2xi64>
  %0 = "stablehlo.dynamic_conv"(%x, %w, %p) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, lhs_dilation = array<i64: 2, 1>, rhs_dilation = array<i64: 3, 2>, window_reversal = array<i1: true, false>, window_strides = array<i64: 1, 2>}> : (tensor<2x4x5x4xf32>, tensor<2x2x2x4xf32>, tensor<2x2xi64>) -> tensor<2x4x2x4xf32>
  return %0 : tensor<2x4x2x4xf32>
}
// -----
// xla: not because its compiler has no translation of the op
func.func public @main(%x: tensor<4x5x2xf32>, %w: tensor<3x2x4xf32>) -> tensor<2x3x4xf32> {
  %p = stablehlo.constant dense<[[0, 0]]> : tensor<1x2xi64>
  %0 = "stablehlo.dynamic_conv"(%x, %w, %p) <{batch_group_count = 2 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64}> : (tensor<4x5x2xf32>, tensor<3x2x4xf32>, tensor<1x2xi64>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}
