// One element from one, or two: the pretty form has one type.
module {
  func.func @binary(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<2x3xf32>
    %1 = stablehlo.subtract %0, %arg1 : tensor<2x3xf32>
    %2 = stablehlo.multiply %1, %0 : tensor<2x3xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<2x3xf32>
    %4 = stablehlo.remainder %3, %arg1 : tensor<2x3xf32>
    %5 = stablehlo.maximum %4, %arg0 : tensor<2x3xf32>
    %6 = stablehlo.minimum %5, %arg0 : tensor<2x3xf32>
    %7 = stablehlo.power %6, %arg1 : tensor<2x3xf32>
    return %7 : tensor<2x3xf32>
  }
  func.func @bits(%arg0: tensor<ui32>, %arg1: tensor<ui32>) -> tensor<ui32> {
    %0 = stablehlo.and %arg0, %arg1 : tensor<ui32>
    %1 = stablehlo.or %0, %arg1 : tensor<ui32>
    %2 = stablehlo.xor %1, %arg0 : tensor<ui32>
    %3 = stablehlo.shift_left %2, %arg1 : tensor<ui32>
    %4 = stablehlo.shift_right_arithmetic %3, %arg1 : tensor<ui32>
    %5 = stablehlo.shift_right_logical %4, %arg1 : tensor<ui32>
    %6 = stablehlo.not %5 : tensor<ui32>
    return %6 : tensor<ui32>
  }
  func.func @unary(%arg0: tensor<4xbf16>) -> tensor<4xbf16> {
    %0 = stablehlo.negate %arg0 : tensor<4xbf16>
    %1 = stablehlo.abs %0 : tensor<4xbf16>
    %2 = stablehlo.sign %1 : tensor<4xbf16>
    %3 = stablehlo.floor %2 : tensor<4xbf16>
    %4 = stablehlo.ceil %3 : tensor<4xbf16>
    %5 = stablehlo.exponential %4 : tensor<4xbf16>
    %6 = stablehlo.exponential_minus_one %5 : tensor<4xbf16>
    %7 = stablehlo.log %6 : tensor<4xbf16>
    %8 = stablehlo.log_plus_one %7 : tensor<4xbf16>
    %9 = stablehlo.sqrt %8 : tensor<4xbf16>
    %10 = stablehlo.rsqrt %9 : tensor<4xbf16>
    %11 = stablehlo.tanh %10 : tensor<4xbf16>
    %12 = stablehlo.logistic %11 : tensor<4xbf16>
    %13 = stablehlo.sine %12 : tensor<4xbf16>
    %14 = stablehlo.cosine %13 : tensor<4xbf16>
    %15 = stablehlo.exponential %14 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xbf16>
    return %15 : tensor<4xbf16>
  }
}
