func.func @main() {
  %x = stablehlo.constant dense<[250, 1]> : tensor<2xui8>
  %y = stablehlo.constant dense<[10, 2]> : tensor<2xui8>
  %r = stablehlo.add %x, %y : tensor<2xui8>
  check.expect_eq_const %r, dense<[4, 3]> : tensor<2xui8>
  func.return
}
