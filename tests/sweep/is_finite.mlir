func.func public @main(%x: tensor<3x5xf32>) -> tensor<3x5xi1> {
  %0 = stablehlo.is_finite %x : (tensor<3x5xf32>) -> tensor<3x5xi1>
  return %0 : tensor<3x5xi1>
}
// -----
// inputs: edges
func.func public @main(%x: tensor<300xf16>) -> tensor<300xi1> {
  %0 = stablehlo.is_finite %x : (tensor<300xf16>) -> tensor<300xi1>
  return %0 : tensor<300xi1>
}
// -----
func.func public @main(%x: tensor<9xf8E5M2>) -> tensor<9xi1> {
  %0 = stablehlo.is_finite %x : (tensor<9xf8E5M2>) -> tensor<9xi1>
  return %0 : tensor<9xi1>
}
// -----
func.func public @main(%x: tensor<9xf8E4M3FN>) -> tensor<9xi1> {
  %0 = stablehlo.is_finite %x : (tensor<9xf8E4M3FN>) -> tensor<9xi1>
  return %0 : tensor<9xi1>
}
