func.func @main() {
  %l = stablehlo.constant dense<0> : tensor<i32>
  %x = stablehlo.constant dense<[-3, 4, 12]> : tensor<3xi32>
  %h = stablehlo.constant dense<10> : tensor<i32>
  %r = stablehlo.clamp %l, %x, %h : (tensor<i32>, tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %r, dense<[0, 4, 10]> : tensor<3xi32>
  func.return
}
