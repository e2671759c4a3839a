func.func public @main(%x: tensor<3x2xf32>, %y: tensor<3x4xf32>, %z: tensor<3x0xf32>) -> tensor<3x6xf32> {
  %0 = stablehlo.concatenate %x, %y, %z, dim = 1 : (tensor<3x2xf32>, tensor<3x4xf32>, tensor<3x0xf32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}
// -----
func.func public @main(%x: tensor<2xi1>) -> tensor<2xi1> {
  %0 = stablehlo.concatenate %x, dim = 0 : (tensor<2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
