func.func public @main(%x: tensor<3x4xf32>) -> tensor<2x6xf32> {
  %0 = stablehlo.reshape %x : (tensor<3x4xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}
// -----
func.func public @main(%x: tensor<1x1xi8>) -> tensor<i8> {
  %0 = stablehlo.reshape %x : (tensor<1x1xi8>) -> tensor<i8>
  return %0 : tensor<i8>
}
