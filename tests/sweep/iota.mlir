func.func public @main() -> tensor<3x4xi32> {
  %0 = stablehlo.iota dim = 1 : tensor<3x4xi32>
  return %0 : tensor<3x4xi32>
}
// -----
func.func public @main() -> tensor<300xbf16> {
  %0 = stablehlo.iota dim = 0 : tensor<300xbf16>
  return %0 : tensor<300xbf16>
}
// -----
func.func public @main() -> tensor<3x4x2xf64> {
  %0 = stablehlo.iota dim = 0 : tensor<3x4x2xf64>
  return %0 : tensor<3x4x2xf64>
}
