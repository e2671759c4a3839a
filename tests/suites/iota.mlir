func.func @main() {
  %r = stablehlo.iota dim = 1 : tensor<2x3xui8>
  check.expect_eq_const %r, dense<[[0, 1, 2], [0, 1, 2]]> : tensor<2x3xui8>
  func.return
}
