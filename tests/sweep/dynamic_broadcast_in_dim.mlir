func.func public @main(%x: tensor<1x3xf32>) -> tensor<2x3x2xf32> {
  %n = stablehlo.constant dense<[2, 3, 2]> : tensor<3xi64>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %n, dims = [2, 1] {known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>} : (tensor<1x3xf32>, tensor<3xi64>) -> tensor<2x3x2xf32>
  return %0 : tensor<2x3x2xf32>
}
// -----
func.func public @main(%x: tensor<i32>) -> tensor<4xi32> {
  %n = stablehlo.constant dense<4> : tensor<1xi32>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %n, dims = [] : (tensor<i32>, tensor<1xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
