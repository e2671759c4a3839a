func.func @main() {
  %x = stablehlo.constant dense<[-128, 6, -1]> : tensor<3xi8>
  %y = stablehlo.constant dense<[1, 2, 9]> : tensor<3xi8>
  %r = stablehlo.shift_right_arithmetic %x, %y : tensor<3xi8>
  check.expect_eq_const %r, dense<[-64, 1, -1]> : tensor<3xi8>
  func.return
}
