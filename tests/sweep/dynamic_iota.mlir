func.func public @main() -> tensor<3x4xf32> {
  %n = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
  %0 = stablehlo.dynamic_iota %n, dim = 1 : (tensor<2xi64>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
// -----
func.func public @main() -> tensor<5xi16> {
  %n = stablehlo.constant dense<5> : tensor<1xi32>
  %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<5xi16>
  return %0 : tensor<5xi16>
}
