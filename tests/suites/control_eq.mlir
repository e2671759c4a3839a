// Fails: equality is of bits.
func.func @main() {
  %x = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf32>
  check.expect_eq_const %x, dense<[-0.0, 1.0]> : tensor<2xf32>
  func.return
}
