func.func @main() {
  %x = stablehlo.constant dense<[-2, 0, 127]> : tensor<3xi8>
  %r = stablehlo.abs %x : tensor<3xi8>
  check.expect_eq_const %r, dense<[2, 0, 127]> : tensor<3xi8>
  func.return
}
