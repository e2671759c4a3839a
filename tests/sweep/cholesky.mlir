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
