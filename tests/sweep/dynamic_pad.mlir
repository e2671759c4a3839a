func.func public @main(%x: tensor<3x4xf32>, %v: tensor<f32>) -> tensor<6x10xf32> {
  %low = stablehlo.constant dense<[1, -1]> : tensor<2xi64>
  %high = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
  %inner = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %0 = stablehlo.dynamic_pad %x, %v, %low, %high, %inner : (tensor<3x4xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<6x10xf32>
  return %0 : tensor<6x10xf32>
}
// -----
func.func public @main(%x: tensor<3x2xf32>, %v: tensor<f32>) -> tensor<4x4xf32> {
  %low = stablehlo.constant dense<[-1, 1]> : tensor<2xi64>
  %high = stablehlo.constant dense<[0, 0]> : tensor<2xi64>
  %one = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
  %inner = stablehlo.add %one, %low : tensor<2xi64>
  %up = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
  %step = stablehlo.add %inner, %up : tensor<2xi64>
  %0 = stablehlo.dynamic_pad %x, %v, %low, %high, %step : (tensor<3x2xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
