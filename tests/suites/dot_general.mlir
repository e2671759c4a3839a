func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = stablehlo.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32>
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %w = stablehlo.constant dense<[[19.0, 22.0], [43.0, 50.0]]> : tensor<2x2xf32>
  stablehlo.custom_call @check.expect_close(%r, %w) {has_side_effect = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
  func.return
}

// -----

// Integers summed into floats: the factors are converted first, so that nothing wraps.
func.func public @main() {
  %lhs = stablehlo.constant dense<[[127, -128], [3, 2]]> : tensor<2x2xi8>
  %rhs = stablehlo.constant dense<[[127], [-128]]> : tensor<2x1xi8>
  %0 = stablehlo.dot_general %lhs, %rhs, contracting_dims = [1] x [0] : (tensor<2x2xi8>, tensor<2x1xi8>) -> tensor<2x1xf32>
  check.expect_eq_const %0, dense<[[32513.0], [125.0]]> : tensor<2x1xf32>
  %1 = stablehlo.dot_general %lhs, %rhs, contracting_dims = [1] x [0] : (tensor<2x2xi8>, tensor<2x1xi8>) -> tensor<2x1xbf16>
  check.expect_eq_const %1, dense<[[32512.0], [125.0]]> : tensor<2x1xbf16>
  %x = stablehlo.constant dense<[[[127, -128]]]> : tensor<1x1x2xi8>
  %w = stablehlo.constant dense<[[[127, -128]]]> : tensor<1x1x2xi8>
  %2 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x2xi8>, tensor<1x1x2xi8>) -> tensor<1x1x1xf64>
  check.expect_eq_const %2, dense<32513.0> : tensor<1x1x1xf64>
  return
}
