func.func @main() {
  %p = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi16>
  %y = stablehlo.constant dense<[3, 4]> : tensor<2xi16>
  %r = stablehlo.select %p, %x, %y : tensor<2xi1>, tensor<2xi16>
  check.expect_eq_const %r, dense<[1, 4]> : tensor<2xi16>
  func.return
}
