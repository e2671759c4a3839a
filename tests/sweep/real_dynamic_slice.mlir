// jaxlib: not because its interpreter lacks the op
func.func public @main(%x: tensor<5x4xf32>) -> tensor<2x3xf32> {
  %from = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
  %to = stablehlo.constant dense<[5, 3]> : tensor<2xi64>
  %step = stablehlo.constant dense<[2, 1]> : tensor<2xi64>
  %0 = stablehlo.real_dynamic_slice %x, %from, %to, %step : (tensor<5x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
