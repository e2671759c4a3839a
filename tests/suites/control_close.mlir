// Fails: 4 ulp.
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<f32>
  %y = stablehlo.constant dense<1.0000005> : tensor<f32>
  check.expect_close %x, %y, max_ulp_difference = 3 : tensor<f32>, tensor<f32>
  func.return
}
