module attributes {tlaloc.symbols = {n = 8 : i64, m}} {
  func.func @main(%0: tensor<?x4xf32> {tlaloc.dims = ["n"]}, %1: tensor<?x4xf32> {tlaloc.dims = ["m"]}) -> tensor<?x4xf32> {
    %2 = stablehlo.add %0, %1 : tensor<?x4xf32>
    %3 = stablehlo.reshape %0 {tlaloc.dims = ["4*m"]} : (tensor<?x4xf32>) -> tensor<?xf32>
    %4 = stablehlo.slice %0 [2:9, 0:4] : (tensor<?x4xf32>) -> tensor<7x4xf32>
    %5 = stablehlo.broadcast_in_dim %0, dims = [0, 1] {tlaloc.dims = ["m"]} : (tensor<?x4xf32>) -> tensor<?x4xf32>
    %6 = "stablehlo.dot_general"(%0, %1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<4x4xf32>
    %7 = stablehlo.cholesky %0 : tensor<?x4xf32>
    return %0 : tensor<?x4xf32>
  }
}
// error: 3:10: add: wants operands of one type, got tensor<{n}x4xf32> and tensor<{m}x4xf32> (add_c1)
// error: 4:10: reshape: tensor<{4*m}xf32> has another number of elements than tensor<{n}x4xf32> (reshape_c2)
// error: 5:10: slice: 2:9 is no range of dim 0 of tensor<{n}x4xf32> (slice_c3)
// error: 6:10: broadcast_in_dim: dim 0 of tensor<{n}x4xf32> does not spread over dim 0 of tensor<{m}x4xf32> (broadcast_in_dim_c5)
// error: 7:10: dot_general: lhs contracts n, rhs contracts m (dot_general_c10)
// error: 8:10: cholesky: wants square matrices, got tensor<{n}x4xf32> (cholesky_c3)
