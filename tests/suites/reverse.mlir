func.func @main() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  %r = stablehlo.reverse %x, dims = [0] : tensor<2x2xi64>
  check.expect_eq_const %r, dense<[[3, 4], [1, 2]]> : tensor<2x2xi64>
  func.return
}
