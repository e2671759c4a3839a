// jaxlib: not because its interpreter solves no batches
// inputs: 0.5 2; -2 2
func.func public @main(%a: tensor<2x4x4xf32>, %b: tensor<2x4x3xf32>) -> tensor<2x4x3xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<2x4x4xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  return %0 : tensor<2x4x3xf32>
}
// -----
func.func public @main(%a: tensor<4x4xf64>, %b: tensor<3x4xf64>) -> tensor<3x4xf64> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>}> : (tensor<4x4xf64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %0 : tensor<3x4xf64>
}
// -----
// jaxlib: not because its interpreter solves no batches
func.func public @main(%x: tensor<2x4x4xcomplex<f32>>, %y: tensor<2x4x3xcomplex<f32>>) -> tensor<2x4x3xcomplex<f32>> {
  %c = stablehlo.iota dim = 1 : tensor<2x4x4xi32>
  %d = stablehlo.iota dim = 2 : tensor<2x4x4xi32>
  %e = stablehlo.compare EQ, %c, %d, SIGNED : (tensor<2x4x4xi32>, tensor<2x4x4xi32>) -> tensor<2x4x4xi1>
  %f = stablehlo.constant dense<(3.0,1.0)> : tensor<2x4x4xcomplex<f32>>
  %g = stablehlo.select %e, %f, %x : tensor<2x4x4xi1>, tensor<2x4x4xcomplex<f32>>
  %0 = "stablehlo.triangular_solve"(%g, %y) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<2x4x4xcomplex<f32>>, tensor<2x4x3xcomplex<f32>>) -> tensor<2x4x3xcomplex<f32>>
  return %0 : tensor<2x4x3xcomplex<f32>>
}
// -----
// jaxlib: not because its interpreter solves no batches
func.func public @main(%x: tensor<2x4x4xcomplex<f64>>, %y: tensor<2x4x3xcomplex<f64>>) -> tensor<2x4x3xcomplex<f64>> {
  %c = stablehlo.iota dim = 1 : tensor<2x4x4xi32>
  %d = stablehlo.iota dim = 2 : tensor<2x4x4xi32>
  %e = stablehlo.compare EQ, %c, %d, SIGNED : (tensor<2x4x4xi32>, tensor<2x4x4xi32>) -> tensor<2x4x4xi1>
  %f = stablehlo.constant dense<(3.0,1.0)> : tensor<2x4x4xcomplex<f64>>
  %g = stablehlo.select %e, %f, %x : tensor<2x4x4xi1>, tensor<2x4x4xcomplex<f64>>
  %0 = "stablehlo.triangular_solve"(%g, %y) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<2x4x4xcomplex<f64>>, tensor<2x4x3xcomplex<f64>>) -> tensor<2x4x3xcomplex<f64>>
  return %0 : tensor<2x4x3xcomplex<f64>>
}
