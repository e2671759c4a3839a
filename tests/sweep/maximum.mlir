func.func public @main(%x: tensor<3x5xf32>, %y: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = stablehlo.maximum %x, %y : tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
// -----
func.func public @main(%x: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  %0 = stablehlo.maximum %x, %y : tensor<f64>
  return %0 : tensor<f64>
}
// -----
func.func public @main(%x: tensor<3x5xbf16>, %y: tensor<3x5xbf16>) -> tensor<3x5xbf16> {
  %0 = stablehlo.maximum %x, %y : tensor<3x5xbf16>
  return %0 : tensor<3x5xbf16>
}
// -----
func.func public @main(%x: tensor<7xf16>, %y: tensor<7xf16>) -> tensor<7xf16> {
  %0 = stablehlo.maximum %x, %y : tensor<7xf16>
  return %0 : tensor<7xf16>
}
// -----
// inputs: -100 100
func.func public @main(%x: tensor<3x5xi32>, %y: tensor<3x5xi32>) -> tensor<3x5xi32> {
  %0 = stablehlo.maximum %x, %y : tensor<3x5xi32>
  return %0 : tensor<3x5xi32>
}
// -----
// inputs: 0 255
func.func public @main(%x: tensor<3x5xui8>, %y: tensor<3x5xui8>) -> tensor<3x5xui8> {
  %0 = stablehlo.maximum %x, %y : tensor<3x5xui8>
  return %0 : tensor<3x5xui8>
}
// -----
func.func public @main(%x: tensor<0x3xi64>, %y: tensor<0x3xi64>) -> tensor<0x3xi64> {
  %0 = stablehlo.maximum %x, %y : tensor<0x3xi64>
  return %0 : tensor<0x3xi64>
}
// -----
// xla: not because its vectorised code drops a NaN that stands first, against IEEE 754
// inputs: edges
func.func public @main(%x: tensor<300xf32>, %y: tensor<300xf32>) -> tensor<300xf32> {
  %0 = stablehlo.maximum %x, %y : tensor<300xf32>
  return %0 : tensor<300xf32>
}
// -----
// inputs: edges
func.func public @main(%x: tensor<300xi8>, %y: tensor<300xi8>) -> tensor<300xi8> {
  %0 = stablehlo.maximum %x, %y : tensor<300xi8>
  return %0 : tensor<300xi8>
}
// -----
func.func public @main(%x: tensor<3x5xcomplex<f32>>, %y: tensor<3x5xcomplex<f32>>) -> tensor<3x5xcomplex<f32>> {
  %0 = stablehlo.maximum %x, %y : tensor<3x5xcomplex<f32>>
  return %0 : tensor<3x5xcomplex<f32>>
}
// -----
func.func public @main(%x: tensor<3x5xcomplex<f64>>, %y: tensor<3x5xcomplex<f64>>) -> tensor<3x5xcomplex<f64>> {
  %0 = stablehlo.maximum %x, %y : tensor<3x5xcomplex<f64>>
  return %0 : tensor<3x5xcomplex<f64>>
}
// -----
func.func public @main(%x: tensor<5xi4>, %y: tensor<5xi4>) -> tensor<5xi4> {
  %0 = stablehlo.maximum %x, %y : tensor<5xi4>
  return %0 : tensor<5xi4>
}
// -----
func.func public @main(%x: tensor<5xui2>, %y: tensor<5xui2>) -> tensor<5xui2> {
  %0 = stablehlo.maximum %x, %y : tensor<5xui2>
  return %0 : tensor<5xui2>
}
// -----
func.func public @main(%x: tensor<5xf8E4M3FN>, %y: tensor<5xf8E4M3FN>) -> tensor<5xf8E4M3FN> {
  %0 = stablehlo.maximum %x, %y : tensor<5xf8E4M3FN>
  return %0 : tensor<5xf8E4M3FN>
}
// -----
func.func public @main(%x: tensor<5xf8E5M2>, %y: tensor<5xf8E5M2>) -> tensor<5xf8E5M2> {
  %0 = stablehlo.maximum %x, %y : tensor<5xf8E5M2>
  return %0 : tensor<5xf8E5M2>
}
