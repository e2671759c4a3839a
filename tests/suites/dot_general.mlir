func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = stablehlo.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %w = stablehlo.constant dense<[[19.0, 22.0], [43.0, 50.0]]> : tensor<2x2xf32>
  stablehlo.custom_call @check.expect_close(%r, %w) {has_side_effect = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
  func.return
}
