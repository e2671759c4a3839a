// Several programs in one file; the entry need not be called main.
func.func @calls() {
  %x = stablehlo.constant dense<2.0> : tensor<f64>
  %r = call @square(%x) : (tensor<f64>) -> tensor<f64>
  check.expect_eq_const %r, dense<4.0> : tensor<f64>
  func.return
}
func.func private @square(%x: tensor<f64>) -> tensor<f64> {
  %r = stablehlo.multiply %x, %x : tensor<f64>
  return %r : tensor<f64>
}

// -----

func.func @close() {
  %x = stablehlo.constant dense<[1.0, -0.0]> : tensor<2xf16>
  %y = stablehlo.constant dense<[1.002, 0.0]> : tensor<2xf16>
  check.expect_close %x, %y, max_ulp_difference = 2 : tensor<2xf16>, tensor<2xf16>
  check.expect_almost_eq %x, %y, tolerance = 0.01 : tensor<2xf16>
  func.return
}
