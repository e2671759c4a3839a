func.func public @main(%x: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
  %0 = stablehlo.reverse %x, dims = [0, 2] : tensor<3x4x5xf32>
  return %0 : tensor<3x4x5xf32>
}
// -----
func.func public @main(%x: tensor<300xi8>) -> tensor<300xi8> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<300xi8>
  return %0 : tensor<300xi8>
}
