// Fails: more than 0.0001 apart.
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<f64>
  %y = stablehlo.constant dense<1.0009> : tensor<f64>
  check.expect_almost_eq %x, %y : tensor<f64>
  func.return
}
