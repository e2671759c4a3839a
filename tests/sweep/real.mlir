func.func public @main(%x: tensor<3x5xcomplex<f32>>) -> tensor<3x5xf32> {
  %0 = stablehlo.real %x : (tensor<3x5xcomplex<f32>>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
// -----
func.func public @main(%x: tensor<3x5xcomplex<f64>>) -> tensor<3x5xf64> {
  %0 = stablehlo.real %x : (tensor<3x5xcomplex<f64>>) -> tensor<3x5xf64>
  return %0 : tensor<3x5xf64>
}
// -----
func.func public @main(%x: tensor<7xbf16>) -> tensor<7xbf16> {
  %0 = stablehlo.real %x : tensor<7xbf16>
  return %0 : tensor<7xbf16>
}
