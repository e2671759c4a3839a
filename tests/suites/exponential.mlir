func.func @main() {
  %x = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %r = stablehlo.exponential %x : tensor<2xf32>
  check.expect_almost_eq_const %r, dense<[1.0, 2.7182817]> : tensor<2xf32>
  func.return
}
