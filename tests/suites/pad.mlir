func.func @main() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %p = stablehlo.constant dense<9> : tensor<i32>
  %r = stablehlo.pad %x, %p, low = [1], high = [-1], interior = [2] : (tensor<2xi32>, tensor<i32>) -> tensor<4xi32>
  check.expect_eq_const %r, dense<[9, 1, 9, 9]> : tensor<4xi32>
  func.return
}
