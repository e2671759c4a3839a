func.func public @main(%x: tensor<4x9xf32>, %y: tensor<4x9xf32>) -> tensor<4x9xi1> {
  %0 = stablehlo.compare LT, %x, %y, FLOAT : (tensor<4x9xf32>, tensor<4x9xf32>) -> tensor<4x9xi1>
  return %0 : tensor<4x9xi1>
}
// -----
func.func public @main(%x: tensor<4x9xbf16>, %y: tensor<4x9xbf16>) -> tensor<4x9xi1> {
  %0 = stablehlo.compare GE, %x, %y, FLOAT : (tensor<4x9xbf16>, tensor<4x9xbf16>) -> tensor<4x9xi1>
  return %0 : tensor<4x9xi1>
}
// -----
func.func public @main(%x: tensor<4x9xi32>, %y: tensor<4x9xi32>) -> tensor<4x9xi1> {
  %0 = stablehlo.compare EQ, %x, %y, SIGNED : (tensor<4x9xi32>, tensor<4x9xi32>) -> tensor<4x9xi1>
  return %0 : tensor<4x9xi1>
}
// -----
// inputs: 0 3
func.func public @main(%x: tensor<4x9xui8>, %y: tensor<4x9xui8>) -> tensor<4x9xi1> {
  %0 = stablehlo.compare NE, %x, %y, UNSIGNED : (tensor<4x9xui8>, tensor<4x9xui8>) -> tensor<4x9xi1>
  return %0 : tensor<4x9xi1>
}
// -----
func.func public @main(%x: tensor<4x9xf64>, %y: tensor<4x9xf64>) -> tensor<4x9xi1> {
  %0 = stablehlo.compare GT, %x, %y, FLOAT : (tensor<4x9xf64>, tensor<4x9xf64>) -> tensor<4x9xi1>
  return %0 : tensor<4x9xi1>
}
// -----
// inputs: edges
func.func public @main(%x: tensor<300xf32>, %y: tensor<300xf32>) -> tensor<300xi1> {
  %0 = stablehlo.compare LE, %x, %y, FLOAT : (tensor<300xf32>, tensor<300xf32>) -> tensor<300xi1>
  return %0 : tensor<300xi1>
}
// -----
// jaxlib: not because its interpreter takes TOTALORDER for FLOAT
// inputs: edges
func.func public @main(%x: tensor<300xf32>, %y: tensor<300xf32>) -> tensor<300xi1> {
  %0 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<300xf32>, tensor<300xf32>) -> tensor<300xi1>
  return %0 : tensor<300xi1>
}
// -----
func.func public @main(%x: tensor<4x9xi1>, %y: tensor<4x9xi1>) -> tensor<4x9xi1> {
  %0 = stablehlo.compare EQ, %x, %y, UNSIGNED : (tensor<4x9xi1>, tensor<4x9xi1>) -> tensor<4x9xi1>
  return %0 : tensor<4x9xi1>
}
// -----
// inputs: 0 1
func.func public @main(%x: tensor<64xcomplex<f32>>, %y: tensor<64xcomplex<f32>>) -> tensor<64xi1> {
  %a = stablehlo.real %x : (tensor<64xcomplex<f32>>) -> tensor<64xf32>
  %b = stablehlo.round_nearest_even %a : tensor<64xf32>
  %c = stablehlo.imag %y : (tensor<64xcomplex<f32>>) -> tensor<64xf32>
  %d = stablehlo.complex %b, %c : tensor<64xcomplex<f32>>
  %e = stablehlo.imag %x : (tensor<64xcomplex<f32>>) -> tensor<64xf32>
  %f = stablehlo.complex %b, %e : tensor<64xcomplex<f32>>
  %0 = stablehlo.compare EQ, %d, %f, FLOAT : (tensor<64xcomplex<f32>>, tensor<64xcomplex<f32>>) -> tensor<64xi1>
  return %0 : tensor<64xi1>
}
