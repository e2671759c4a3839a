// Fails: a NaN is like a NaN only.
func.func @main() {
  %x = stablehlo.constant dense<0x7FC00000> : tensor<f32>
  %y = stablehlo.constant dense<1.0> : tensor<f32>
  check.expect_almost_eq %x, %y : tensor<f32>
  func.return
}
