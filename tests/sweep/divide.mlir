// inputs: -2 2; 0.5 3
func.func public @main(%x: tensor<3x5xf32>, %y: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = stablehlo.divide %x, %y : tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
// -----
// inputs: -2 2; 0.5 3
func.func public @main(%x: tensor<3x5xf64>, %y: tensor<3x5xf64>) -> tensor<3x5xf64> {
  %0 = stablehlo.divide %x, %y : tensor<3x5xf64>
  return %0 : tensor<3x5xf64>
}
// -----
// inputs: -2 2; 0.5 3
func.func public @main(%x: tensor<3x5xbf16>, %y: tensor<3x5xbf16>) -> tensor<3x5xbf16> {
  %0 = stablehlo.divide %x, %y : tensor<3x5xbf16>
  return %0 : tensor<3x5xbf16>
}
// -----
// inputs: -100 100; 1 9
func.func public @main(%x: tensor<3x5xi32>, %y: tensor<3x5xi32>) -> tensor<3x5xi32> {
  %0 = stablehlo.divide %x, %y : tensor<3x5xi32>
  return %0 : tensor<3x5xi32>
}
// -----
// inputs: 0 1000; 1 9
func.func public @main(%x: tensor<3x5xui16>, %y: tensor<3x5xui16>) -> tensor<3x5xui16> {
  %0 = stablehlo.divide %x, %y : tensor<3x5xui16>
  return %0 : tensor<3x5xui16>
}
// -----
// inputs: edges
func.func public @main(%x: tensor<300xf32>, %y: tensor<300xf32>) -> tensor<300xf32> {
  %0 = stablehlo.divide %x, %y : tensor<300xf32>
  return %0 : tensor<300xf32>
}
// -----
// jaxlib: not because its interpreter divides as the processor does, which traps
// inputs: -2 2; 0 0
func.func public @main(%x: tensor<3x5xi32>, %y: tensor<3x5xi32>) -> tensor<3x5xi32> {
  %0 = stablehlo.divide %x, %y : tensor<3x5xi32>
  return %0 : tensor<3x5xi32>
}
// -----
func.func public @main(%x: tensor<3x5xcomplex<f32>>, %y: tensor<3x5xcomplex<f32>>) -> tensor<3x5xcomplex<f32>> {
  %0 = stablehlo.divide %x, %y : tensor<3x5xcomplex<f32>>
  return %0 : tensor<3x5xcomplex<f32>>
}
// -----
func.func public @main(%x: tensor<3x5xcomplex<f64>>, %y: tensor<3x5xcomplex<f64>>) -> tensor<3x5xcomplex<f64>> {
  %0 = stablehlo.divide %x, %y : tensor<3x5xcomplex<f64>>
  return %0 : tensor<3x5xcomplex<f64>>
}
