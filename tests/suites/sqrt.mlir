func.func @main() {
  %x = stablehlo.constant dense<[4.0, 2.0]> : tensor<2xf64>
  %r = stablehlo.sqrt %x : tensor<2xf64>
  check.expect_almost_eq_const %r, dense<[2.0, 1.41421356237]> : tensor<2xf64> {tolerance = 1.0e-10 : f64}
  func.return
}
