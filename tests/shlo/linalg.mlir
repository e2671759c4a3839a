// Linear algebra and reduce_precision, as JAX prints them and quoted.
func.func public @main(%arg0: tensor<3x3xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = stablehlo.cholesky %arg0, lower = true : tensor<3x3xf32>
  %1 = stablehlo.cholesky %0 : tensor<3x3xf32>
  %2 = "stablehlo.cholesky"(%1) <{lower = true}> : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %3 = "stablehlo.triangular_solve"(%2, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %4 = stablehlo.reduce_precision %3, format = e5m10 : tensor<3x2xf32>
  %5 = "stablehlo.reduce_precision"(%4) <{exponent_bits = 8 : i32, mantissa_bits = 7 : i32}> : (tensor<3x2xf32>) -> tensor<3x2xf32>
  return %5 : tensor<3x2xf32>
}
