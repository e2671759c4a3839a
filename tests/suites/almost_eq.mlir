// Without a tolerance: 0.001 of the custom_call, 0.0001 of the check dialect, as StableHLO's own driver has it.
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<f64>
  %y = stablehlo.constant dense<1.0009> : tensor<f64>
  %z = stablehlo.constant dense<1.00009> : tensor<f64>
  stablehlo.custom_call @check.expect_almost_eq(%x, %y) {has_side_effect = true} : (tensor<f64>, tensor<f64>) -> ()
  check.expect_almost_eq %x, %z : tensor<f64>
  check.expect_almost_eq %x, %y, tolerance = 0.001 : tensor<f64>
  func.return
}
