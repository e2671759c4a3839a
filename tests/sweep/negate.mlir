func.func public @main(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = stablehlo.negate %x : tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
// -----
func.func public @main(%x: tensor<3x5xf64>) -> tensor<3x5xf64> {
  %0 = stablehlo.negate %x : tensor<3x5xf64>
  return %0 : tensor<3x5xf64>
}
// -----
func.func public @main(%x: tensor<3x5xbf16>) -> tensor<3x5xbf16> {
  %0 = stablehlo.negate %x : tensor<3x5xbf16>
  return %0 : tensor<3x5xbf16>
}
// -----
func.func public @main(%x: tensor<3x5xf16>) -> tensor<3x5xf16> {
  %0 = stablehlo.negate %x : tensor<3x5xf16>
  return %0 : tensor<3x5xf16>
}
// -----
// inputs: -100 100
func.func public @main(%x: tensor<3x5xi32>) -> tensor<3x5xi32> {
  %0 = stablehlo.negate %x : tensor<3x5xi32>
  return %0 : tensor<3x5xi32>
}
// -----
// inputs: edges
func.func public @main(%x: tensor<300xf32>) -> tensor<300xf32> {
  %0 = stablehlo.negate %x : tensor<300xf32>
  return %0 : tensor<300xf32>
}
// -----
// inputs: edges
func.func public @main(%x: tensor<64xi8>) -> tensor<64xi8> {
  %0 = stablehlo.negate %x : tensor<64xi8>
  return %0 : tensor<64xi8>
}
// -----
func.func public @main(%x: tensor<3x5xcomplex<f32>>) -> tensor<3x5xcomplex<f32>> {
  %0 = stablehlo.negate %x : tensor<3x5xcomplex<f32>>
  return %0 : tensor<3x5xcomplex<f32>>
}
// -----
func.func public @main(%x: tensor<3x5xcomplex<f64>>) -> tensor<3x5xcomplex<f64>> {
  %0 = stablehlo.negate %x : tensor<3x5xcomplex<f64>>
  return %0 : tensor<3x5xcomplex<f64>>
}
