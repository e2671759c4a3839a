func.func public @main(%x: tensor<3x1xf32>) -> tensor<3x4x2xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x4x2xf32>
  return %0 : tensor<3x4x2xf32>
}
// -----
func.func public @main(%x: tensor<bf16>) -> tensor<70x3xbf16> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<bf16>) -> tensor<70x3xbf16>
  return %0 : tensor<70x3xbf16>
}
// -----
func.func public @main(%x: tensor<2x3xi32>) -> tensor<3x4x2xi32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [2, 0] : (tensor<2x3xi32>) -> tensor<3x4x2xi32>
  return %0 : tensor<3x4x2xi32>
}
