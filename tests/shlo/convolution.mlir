// canonical
// Convolutions as JAX prints them, with everything given, and without spatial dims.
module @convolution {
  func.func @main(%0: tensor<1x3x8x8xf32>, %1: tensor<4x3x3x3xf32>, %2: tensor<2x5x4x6xf32>, %3: tensor<3x2x2x9xf32>, %4: tensor<4x6xbf16>, %5: tensor<6x8xbf16>) -> tensor<1x4x8x8xf32> {
    %6 = stablehlo.convolution(%0, %1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
    %7 = stablehlo.convolution(%2, %3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[1, f, b, 0], window = {stride = [2, 1], pad = [[1, 1], [-1, 2]], lhs_dilate = [1, 2], rhs_dilate = [2, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<2x5x4x6xf32>, tensor<3x2x2x9xf32>) -> tensor<7x9x2x2xf32>
    %8 = stablehlo.convolution(%4, %5) dim_numbers = [b, f]x[i, o]->[f, b], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<4x6xbf16>, tensor<6x8xbf16>) -> tensor<8x2xf32>
    return %6 : tensor<1x4x8x8xf32>
  }
}
