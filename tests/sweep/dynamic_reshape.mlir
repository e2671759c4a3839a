func.func public @main(%x: tensor<3x4xf32>) -> tensor<2x6xf32> {
  %n = stablehlo.constant dense<[2, 6]> : tensor<2xi64>
  %0 = stablehlo.dynamic_reshape %x, %n : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}
