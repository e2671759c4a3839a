func.func @main() {
  %x = stablehlo.constant dense<[-1.75, 300.5, 0.5]> : tensor<3xf32>
  %r = stablehlo.convert %x : (tensor<3xf32>) -> tensor<3xi32>
  check.expect_eq_const %r, dense<[-1, 300, 0]> : tensor<3xi32>
  func.return
}
