func.func @main() {
  %x = stablehlo.constant dense<[17, -17, 17, -17]> : tensor<4xi64>
  %y = stablehlo.constant dense<[3, 3, -3, -3]> : tensor<4xi64>
  %r = stablehlo.remainder %x, %y : tensor<4xi64>
  check.expect_eq_const %r, dense<[2, -2, 2, -2]> : tensor<4xi64>
  func.return
}
