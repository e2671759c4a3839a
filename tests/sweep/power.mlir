// inputs: 0.1 3; -2 2
func.func public @main(%x: tensor<3x5xf32>, %y: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = stablehlo.power %x, %y : tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
// -----
// inputs: 0.1 3; -2 2
func.func public @main(%x: tensor<3x5xf64>, %y: tensor<3x5xf64>) -> tensor<3x5xf64> {
  %0 = stablehlo.power %x, %y : tensor<3x5xf64>
  return %0 : tensor<3x5xf64>
}
// -----
// inputs: -4 4; 0 5
func.func public @main(%x: tensor<3x5xi32>, %y: tensor<3x5xi32>) -> tensor<3x5xi32> {
  %0 = stablehlo.power %x, %y : tensor<3x5xi32>
  return %0 : tensor<3x5xi32>
}
// -----
// inputs: edges
func.func public @main(%x: tensor<300xf32>, %y: tensor<300xf32>) -> tensor<300xf32> {
  %0 = stablehlo.power %x, %y : tensor<300xf32>
  return %0 : tensor<300xf32>
}
// -----
func.func public @main(%x: tensor<3x5xcomplex<f32>>, %y: tensor<3x5xcomplex<f32>>) -> tensor<3x5xcomplex<f32>> {
  %0 = stablehlo.power %x, %y : tensor<3x5xcomplex<f32>>
  return %0 : tensor<3x5xcomplex<f32>>
}
// -----
func.func public @main(%x: tensor<3x5xcomplex<f64>>, %y: tensor<3x5xcomplex<f64>>) -> tensor<3x5xcomplex<f64>> {
  %0 = stablehlo.power %x, %y : tensor<3x5xcomplex<f64>>
  return %0 : tensor<3x5xcomplex<f64>>
}
