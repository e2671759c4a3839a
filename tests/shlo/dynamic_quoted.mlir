// The quoted forms, in which StableHLO's own tests write these ops.
func.func @main(%x: tensor<2x3xf32>, %v: tensor<f32>, %y: tensor<1x4x4x1xf32>, %w: tensor<3x3x1x1xf32>) -> tensor<3x2xf32> {
  %d = "stablehlo.get_dimension_size"(%x) {dimension = 1 : i64} : (tensor<2x3xf32>) -> tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %s = "stablehlo.set_dimension_size"(%x, %one) <{dimension = 0 : i64}> : (tensor<2x3xf32>, tensor<i32>) -> tensor<1x3xf32>
  %n = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %r = "stablehlo.dynamic_reshape"(%x, %n) : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<3x2xf32>
  %m = stablehlo.constant dense<[2, 3, 2]> : tensor<3xi64>
  %b = "stablehlo.dynamic_broadcast_in_dim"(%x, %m) {broadcast_dimensions = array<i64: 0, 1>, known_expanding_dimensions = array<i64>, known_nonexpanding_dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<2x3x2xf32>
  %i = "stablehlo.dynamic_iota"(%n) {iota_dimension = 0 : i64} : (tensor<2xi64>) -> tensor<3x2xf32>
  %z = stablehlo.constant dense<0> : tensor<2xi64>
  %p = "stablehlo.dynamic_pad"(%x, %v, %z, %z, %z) : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x3xf32>
  %t = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %u = stablehlo.constant dense<1> : tensor<2xi64>
  %q = "stablehlo.real_dynamic_slice"(%x, %z, %t, %u) : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x3xf32>
  %at = stablehlo.constant dense<0> : tensor<5x1xi64>
  %g = "stablehlo.dynamic_gather"(%x, %at, %u) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false} : (tensor<2x3xf32>, tensor<5x1xi64>, tensor<2xi64>) -> tensor<5x1x1xf32>
  %pad = stablehlo.constant dense<1> : tensor<2x2xi64>
  %c = "stablehlo.dynamic_conv"(%y, %w, %pad) {window_strides = array<i64: 1, 1>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x1xf32>, tensor<3x3x1x1xf32>, tensor<2x2xi64>) -> tensor<1x4x4x1xf32>
  return %r : tensor<3x2xf32>
}
