// Fails: more than 0.001 apart.
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<f64>
  %y = stablehlo.constant dense<1.0011> : tensor<f64>
  stablehlo.custom_call @check.expect_almost_eq(%x, %y) {has_side_effect = true} : (tensor<f64>, tensor<f64>) -> ()
  func.return
}
