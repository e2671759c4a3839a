// canonical
// Dims that are symbols: named beside arguments, and beside results that the operands do not decide.
module @sizes attributes {tlaloc.symbols = {k, m, n = 64 : i64}} {
  func.func @main(%0: tensor<?x4xf32> {tlaloc.dims = ["n"]}, %1: tensor<?x4xf32> {jax.buffer_donor = true, tf.aliasing_output = 1 : i32, tlaloc.dims = ["m"]}, %2: tensor<3x?xf32> {tlaloc.dims = ["2*k + 1"]}, %3: tensor<f32>, %4: tensor<?xi32>) -> (tensor<?x2xf32>, tensor<?x4xf32>) {
    %5 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %6 = stablehlo.tanh %5 : tensor<?x4xf32>
    %7 = stablehlo.reshape %6 {tlaloc.dims = ["2*m + 2*n"]} : (tensor<?x4xf32>) -> tensor<?x2xf32>
    %8 = call @twice(%7) {tlaloc.dims = ["2*m + 2*n"]} : (tensor<?x2xf32>) -> tensor<?x2xf32>
    %9 = stablehlo.iota dim = 0 {tlaloc.dims = ["n", "m"]} : tensor<?x?xi32>
    %10 = stablehlo.broadcast_in_dim %3, dims = [] {tlaloc.dims = ["n", "k*m"]} : (tensor<f32>) -> tensor<?x?xf32>
    %11 = stablehlo.pad %2, %3, low = [1, 0], high = [0, 2], interior = [0, 1] : (tensor<3x?xf32>, tensor<f32>) -> tensor<4x?xf32>
    %12 = stablehlo.slice %0 [2:5, 0:4:2] : (tensor<?x4xf32>) -> tensor<3x2xf32>
    %13 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [1] : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x?xf32>
    %14 = "stablehlo.reduce_window"(%2, %3) <{padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>}> ({
    ^bb0(%15: tensor<f32>, %16: tensor<f32>):
      %17 = stablehlo.maximum %15, %16 : tensor<f32>
      stablehlo.return %17 : tensor<f32>
    }) : (tensor<3x?xf32>, tensor<f32>) -> tensor<3x?xf32>
    %18 = stablehlo.reduce(%13 init: %3) applies stablehlo.add across dimensions = [0] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
    %19 = stablehlo.constant dense<true> : tensor<i1>
    %20:2 = stablehlo.while(%21 = %5, %22 = %19) : tensor<?x4xf32>, tensor<i1>
    cond {
      stablehlo.return %22 : tensor<i1>
    } do {
      %23 = stablehlo.negate %21 : tensor<?x4xf32>
      stablehlo.return %23, %22 : tensor<?x4xf32>, tensor<i1>
    }
    %24 = stablehlo.get_dimension_size %20#0, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
    %25 = stablehlo.reshape %24 : (tensor<i32>) -> tensor<1xi32>
    %26 = stablehlo.dynamic_broadcast_in_dim %3, %25, dims = [] {tlaloc.dims = ["m + n"]} : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
    %27 = stablehlo.dynamic_iota %25, dim = 0 {tlaloc.dims = ["m + n"]} : (tensor<1xi32>) -> tensor<?xf32>
    %28 = stablehlo.dynamic_reshape %27, %25 : (tensor<?xf32>, tensor<1xi32>) -> tensor<?xf32>
    %29 = stablehlo.set_dimension_size %12, %24, dim = 0 : (tensor<3x2xf32>, tensor<i32>) -> tensor<?x2xf32, #stablehlo.bounds<3, ?>>
    return %8, %1 : tensor<?x2xf32>, tensor<?x4xf32>
  }
  func.func private @twice(%0: tensor<?x2xf32> {tlaloc.dims = ["2*m + 2*n"]}) -> tensor<?x2xf32> {
    %1 = stablehlo.add %0, %0 : tensor<?x2xf32>
    return %1 : tensor<?x2xf32>
  }
}
