func.func @main() {
  %x = stablehlo.constant dense<[2.0, -2.0, 9.0]> : tensor<3xf32>
  %y = stablehlo.constant dense<[10.0, 3.0, 0.5]> : tensor<3xf32>
  %r = stablehlo.power %x, %y : tensor<3xf32>
  check.expect_almost_eq_const %r, dense<[1024.0, -8.0, 3.0]> : tensor<3xf32>
  func.return
}
