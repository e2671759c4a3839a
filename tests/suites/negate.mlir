func.func @main() {
  %x = stablehlo.constant dense<[-2.5, 0.0, 1.0]> : tensor<3xf16>
  %r = stablehlo.negate %x : tensor<3xf16>
  check.expect_eq_const %r, dense<[2.5, -0.0, -1.0]> : tensor<3xf16>
  func.return
}
