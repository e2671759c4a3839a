// inputs: -100 100
func.func public @main(%x: tensor<3x5xi32>, %y: tensor<3x5xi32>) -> tensor<3x5xi32> {
  %0 = stablehlo.or %x, %y : tensor<3x5xi32>
  return %0 : tensor<3x5xi32>
}
// -----
// inputs: 0 1
func.func public @main(%x: tensor<3x5xi1>, %y: tensor<3x5xi1>) -> tensor<3x5xi1> {
  %0 = stablehlo.or %x, %y : tensor<3x5xi1>
  return %0 : tensor<3x5xi1>
}
// -----
// inputs: 0 255
func.func public @main(%x: tensor<300xui8>, %y: tensor<300xui8>) -> tensor<300xui8> {
  %0 = stablehlo.or %x, %y : tensor<300xui8>
  return %0 : tensor<300xui8>
}
