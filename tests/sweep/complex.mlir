func.func public @main(%x: tensor<3x5xf32>, %y: tensor<3x5xf32>) -> tensor<3x5xcomplex<f32>> {
  %0 = stablehlo.complex %x, %y : tensor<3x5xcomplex<f32>>
  return %0 : tensor<3x5xcomplex<f32>>
}
// -----
func.func public @main(%x: tensor<3x5xf64>, %y: tensor<3x5xf64>) -> tensor<3x5xcomplex<f64>> {
  %0 = stablehlo.complex %x, %y : tensor<3x5xcomplex<f64>>
  return %0 : tensor<3x5xcomplex<f64>>
}
