// inputs: -100 100
func.func public @main(%x: tensor<3x5xi32>) -> tensor<3x5xi32> {
  %0 = stablehlo.count_leading_zeros %x : tensor<3x5xi32>
  return %0 : tensor<3x5xi32>
}
// -----
// inputs: 0 255
func.func public @main(%x: tensor<3x5xui8>) -> tensor<3x5xui8> {
  %0 = stablehlo.count_leading_zeros %x : tensor<3x5xui8>
  return %0 : tensor<3x5xui8>
}
// -----
// inputs: -100 100
func.func public @main(%x: tensor<3x5xi64>) -> tensor<3x5xi64> {
  %0 = stablehlo.count_leading_zeros %x : tensor<3x5xi64>
  return %0 : tensor<3x5xi64>
}
