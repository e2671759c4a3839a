// inputs: -1.3 1.3
func.func public @main(%x: tensor<7x41xf32>) -> tensor<7x41xf32> {
  %0 = stablehlo.tan %x : tensor<7x41xf32>
  return %0 : tensor<7x41xf32>
}
// -----
// inputs: -1.3 1.3
func.func public @main(%x: tensor<3x5xf64>) -> tensor<3x5xf64> {
  %0 = stablehlo.tan %x : tensor<3x5xf64>
  return %0 : tensor<3x5xf64>
}
// -----
// inputs: -1.3 1.3
func.func public @main(%x: tensor<3x5xbf16>) -> tensor<3x5xbf16> {
  %0 = stablehlo.tan %x : tensor<3x5xbf16>
  return %0 : tensor<3x5xbf16>
}
// -----
// inputs: -1.3 1.3
func.func public @main(%x: tensor<3x5xf16>) -> tensor<3x5xf16> {
  %0 = stablehlo.tan %x : tensor<3x5xf16>
  return %0 : tensor<3x5xf16>
}
// -----
// inputs: -1.3 1.3
func.func public @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.tan %x : tensor<f32>
  return %0 : tensor<f32>
}
// -----
// inputs: edges
func.func public @main(%x: tensor<300xf32>) -> tensor<300xf32> {
  %0 = stablehlo.tan %x : tensor<300xf32>
  return %0 : tensor<300xf32>
}
// -----
func.func public @main(%x: tensor<3x5xcomplex<f32>>) -> tensor<3x5xcomplex<f32>> {
  %0 = stablehlo.tan %x : tensor<3x5xcomplex<f32>>
  return %0 : tensor<3x5xcomplex<f32>>
}
// -----
func.func public @main(%x: tensor<3x5xcomplex<f64>>) -> tensor<3x5xcomplex<f64>> {
  %0 = stablehlo.tan %x : tensor<3x5xcomplex<f64>>
  return %0 : tensor<3x5xcomplex<f64>>
}
