func.func @main() {
  %x = stablehlo.constant dense<[1.0, 0x7FC00000, -0.0]> : tensor<3xf32>
  %y = stablehlo.constant dense<[2.0, 1.0, 0.0]> : tensor<3xf32>
  %r = stablehlo.maximum %x, %y : tensor<3xf32>
  check.expect_eq_const %r, dense<[2.0, 0x7FC00000, 0.0]> : tensor<3xf32>
  func.return
}
