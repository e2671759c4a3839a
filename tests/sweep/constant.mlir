func.func public @main() -> (tensor<2x3xf32>, tensor<4xi32>, tensor<f64>) {
  %0 = stablehlo.constant dense<[[1.0, -2.5, 3.0E10], [0x7FC00000, 0xFF800000, 1.17549435E-38]]> : tensor<2x3xf32>
  %1 = stablehlo.constant dense<7> : tensor<4xi32>
  %2 = stablehlo.constant dense<0.1> : tensor<f64>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<4xi32>, tensor<f64>
}
