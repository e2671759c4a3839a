func.func public @main(%x: tensor<3x4x5xf32>) -> tensor<5x3x4xf32> {
  %0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<3x4x5xf32>) -> tensor<5x3x4xf32>
  return %0 : tensor<5x3x4xf32>
}
// -----
func.func public @main(%x: tensor<33x65xi8>) -> tensor<65x33xi8> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<33x65xi8>) -> tensor<65x33xi8>
  return %0 : tensor<65x33xi8>
}
