// jaxlib: not because its interpreter has no cholesky
func.func public @main(%x: tensor<2x4x4xf32>) -> tensor<2x4x4xf32> {
  %t = stablehlo.dot_general %x, %x, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %i = stablehlo.iota dim = 1 : tensor<2x4x4xf32>
  %j = stablehlo.iota dim = 2 : tensor<2x4x4xf32>
  %e = stablehlo.compare EQ, %i, %j : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xi1>
  %d = stablehlo.convert %e : (tensor<2x4x4xi1>) -> tensor<2x4x4xf32>
  %a = stablehlo.add %t, %d : tensor<2x4x4xf32>
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x4x4xf32>
  %m = stablehlo.compare GE, %i, %j : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xi1>
  %z = stablehlo.constant dense<0.0> : tensor<2x4x4xf32>
  %1 = stablehlo.select %m, %0, %z : tensor<2x4x4xi1>, tensor<2x4x4xf32>
  return %1 : tensor<2x4x4xf32>
}
// -----
// jaxlib: not because its interpreter has no cholesky
func.func public @main(%x: tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>> {
  %a = stablehlo.real %x : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xf32>
  %b = stablehlo.imag %x : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xf32>
  %c = stablehlo.negate %b : tensor<4x4xf32>
  %d = stablehlo.complex %a, %c : tensor<4x4xcomplex<f32>>
  %e = stablehlo.dot_general %x, %d, contracting_dims = [1] x [1] : (tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
  %f = stablehlo.iota dim = 0 : tensor<4x4xi32>
  %g = stablehlo.iota dim = 1 : tensor<4x4xi32>
  %h = stablehlo.compare EQ, %f, %g, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
  %i = stablehlo.constant dense<(4.0,0.0)> : tensor<4x4xcomplex<f32>>
  %j = stablehlo.constant dense<(0.0,0.0)> : tensor<4x4xcomplex<f32>>
  %k = stablehlo.select %h, %i, %j : tensor<4x4xi1>, tensor<4x4xcomplex<f32>>
  %l = stablehlo.add %e, %k : tensor<4x4xcomplex<f32>>
  %0 = stablehlo.cholesky %l, lower = true : tensor<4x4xcomplex<f32>>
  return %0 : tensor<4x4xcomplex<f32>>
}
// -----
// jaxlib: not because its interpreter has no cholesky
func.func public @main(%x: tensor<4x4xcomplex<f64>>) -> tensor<4x4xcomplex<f64>> {
  %a = stablehlo.real %x : (tensor<4x4xcomplex<f64>>) -> tensor<4x4xf64>
  %b = stablehlo.imag %x : (tensor<4x4xcomplex<f64>>) -> tensor<4x4xf64>
  %c = stablehlo.negate %b : tensor<4x4xf64>
  %d = stablehlo.complex %a, %c : tensor<4x4xcomplex<f64>>
  %e = stablehlo.dot_general %x, %d, contracting_dims = [1] x [1] : (tensor<4x4xcomplex<f64>>, tensor<4x4xcomplex<f64>>) -> tensor<4x4xcomplex<f64>>
  %f = stablehlo.iota dim = 0 : tensor<4x4xi32>
  %g = stablehlo.iota dim = 1 : tensor<4x4xi32>
  %h = stablehlo.compare EQ, %f, %g, SIGNED : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi1>
  %i = stablehlo.constant dense<(4.0,0.0)> : tensor<4x4xcomplex<f64>>
  %j = stablehlo.constant dense<(0.0,0.0)> : tensor<4x4xcomplex<f64>>
  %k = stablehlo.select %h, %i, %j : tensor<4x4xi1>, tensor<4x4xcomplex<f64>>
  %l = stablehlo.add %e, %k : tensor<4x4xcomplex<f64>>
  %0 = stablehlo.cholesky %l, lower = true : tensor<4x4xcomplex<f64>>
  return %0 : tensor<4x4xcomplex<f64>>
}
