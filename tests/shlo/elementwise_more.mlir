// The elementwise ops that are not in elementwise.mlir, in both forms.
module {
  func.func @more(%arg0: tensor<4xf32>, %arg1: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
    %0 = stablehlo.tan %arg0 : tensor<4xf32>
    %1 = stablehlo.cbrt %0 : tensor<4xf32>
    %2 = stablehlo.atan2 %1, %arg0 : tensor<4xf32>
    %3 = stablehlo.round_nearest_afz %2 : tensor<4xf32>
    %4 = stablehlo.round_nearest_even %3 : tensor<4xf32>
    %5 = stablehlo.popcnt %arg1 : tensor<4xi32>
    %6 = stablehlo.count_leading_zeros %5 : tensor<4xi32>
    %7 = "stablehlo.tan"(%4) : (tensor<4xf32>) -> tensor<4xf32>
    %8 = "stablehlo.cbrt"(%7) : (tensor<4xf32>) -> tensor<4xf32>
    %9 = "stablehlo.atan2"(%8, %7) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %10 = "stablehlo.round_nearest_afz"(%9) : (tensor<4xf32>) -> tensor<4xf32>
    %11 = "stablehlo.round_nearest_even"(%10) : (tensor<4xf32>) -> tensor<4xf32>
    %12 = "stablehlo.popcnt"(%6) : (tensor<4xi32>) -> tensor<4xi32>
    %13 = "stablehlo.count_leading_zeros"(%12) : (tensor<4xi32>) -> tensor<4xi32>
    return %11, %13 : tensor<4xf32>, tensor<4xi32>
  }
}
