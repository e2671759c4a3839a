// Fails: in the last element.
func.func @main() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi8>
  check.expect_eq_const %x, dense<[1, 2, 4]> : tensor<3xi8>
  func.return
}
