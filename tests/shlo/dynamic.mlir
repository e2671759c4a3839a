// canonical
module {
  func.func @main(%0: tensor<2x3xf32>, %1: tensor<f32>, %2: tensor<1x4x4x1xf32>, %3: tensor<3x3x1x1xf32>) -> tensor<3x2xf32> {
    %4 = stablehlo.get_dimension_size %0, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
    %5 = stablehlo.constant dense<1> : tensor<i32>
    %6 = stablehlo.set_dimension_size %0, %5, dim = 0 : (tensor<2x3xf32>, tensor<i32>) -> tensor<1x3xf32>
    %7 = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
    %8 = stablehlo.dynamic_reshape %0, %7 : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x2xf32>
    %9 = stablehlo.constant dense<[2, 3, 2]> : tensor<3xi32>
    %10 = stablehlo.dynamic_broadcast_in_dim %0, %9, dims = [0, 1] : (tensor<2x3xf32>, tensor<3xi32>) -> tensor<2x3x2xf32>
    %11 = stablehlo.dynamic_broadcast_in_dim %0, %9, dims = [0, 1] {known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<3xi32>) -> tensor<2x3x2xf32>
    %12 = stablehlo.dynamic_iota %7, dim = 0 : (tensor<2xi64>) -> tensor<3x2xi8>
    %13 = stablehlo.constant dense<0> : tensor<2xi64>
    %14 = stablehlo.constant dense<1> : tensor<2xi64>
    %15 = stablehlo.dynamic_pad %0, %1, %14, %13, %13 : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<3x4xf32>
    %16 = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
    %17 = stablehlo.real_dynamic_slice %0, %13, %16, %14 : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x3xf32>
    %18 = stablehlo.constant dense<0> : tensor<5x1xi32>
    %19 = stablehlo.constant dense<[1, 3]> : tensor<2xi64>
    %20 = "stablehlo.dynamic_gather"(%0, %18, %19) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true}> : (tensor<2x3xf32>, tensor<5x1xi32>, tensor<2xi64>) -> tensor<5x3xf32>
    %21 = "stablehlo.dynamic_gather"(%0, %18, %19) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<2x3xf32>, tensor<5x1xi32>, tensor<2xi64>) -> tensor<5x3xf32>
    %22 = stablehlo.constant dense<1> : tensor<2x2xi64>
    %23 = "stablehlo.dynamic_conv"(%2, %3, %22) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 2, 2>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>], rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, true>, window_strides = array<i64: 4, 4>}> : (tensor<1x4x4x1xf32>, tensor<3x3x1x1xf32>, tensor<2x2xi64>) -> tensor<1x2x2x1xf32>
    %24 = "stablehlo.dynamic_conv"(%2, %3, %22) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> : (tensor<1x4x4x1xf32>, tensor<3x3x1x1xf32>, tensor<2x2xi64>) -> tensor<1x4x4x1xf32>
    return %8 : tensor<3x2xf32>
  }
}
