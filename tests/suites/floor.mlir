func.func @main() {
  %x = stablehlo.constant dense<[-2.5, 2.5, -0.0]> : tensor<3xf32>
  %r = stablehlo.floor %x : tensor<3xf32>
  check.expect_eq_const %r, dense<[-3.0, 2.0, -0.0]> : tensor<3xf32>
  func.return
}
