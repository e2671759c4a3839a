func.func @main(%0: tensor<4xf32>, %1: tensor<3xf32>, %2: tensor<2x3xi32>, %3: tensor<i1>) -> tensor<4xf32> {
  %4 = chlo.scan %0 : tensor<4xf32> -> tensor<4xf32>
  %5 = chlo.erf %0, %1 : tensor<4xf32>, tensor<3xf32> -> tensor<4xf32>
  %6 = chlo.erf %0 : tensor<3xf32> -> tensor<4xf32>
  %7 = chlo.broadcast_add %0, %1 : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
  %8 = chlo.broadcast_compare %0, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %9 = "chlo.constant_like"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %10 = "chlo.constant_like"(%0) <{value = 1 : i32}> : (tensor<4xf32>) -> tensor<4xf32>
  %11 = chlo.is_inf %2 : tensor<2x3xi32> -> tensor<2x3xi1>
  %12 = chlo.square %0 : tensor<4xf32> -> tensor<4xf64>
  %13 = chlo.broadcast_add %2, %2 {broadcast = 1 : i64} : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %14, %15 = chlo.top_k(%2, n = 2) : tensor<2x3xi32> -> (tensor<2x2xi32>, tensor<2x2xi32>)
  %16, %17 = chlo.top_k(%2, k = 2) : tensor<2x3xi32> -> tensor<2x2xi32>
  %18:2 = chlo.square %0 : tensor<4xf32> -> tensor<4xf32>
  %19 = chlo.broadcast_add %0, %3 : (tensor<4xf32>, tensor<i1>) -> tensor<4xf32>
  %20 = chlo.broadcast_add %2, %1 {broadcast_dimensions = array<i64: 2>} : (tensor<2x3xi32>, tensor<3xf32>) -> tensor<2x3xi32>
  return %0 : tensor<4xf32>
}
// error: 2:8: the op chlo.scan is not supported
// error: 3:8: erf takes 1 operand, found 2
// error: 4:17: this operand is tensor<4xf32>, the text says tensor<3xf32>
// error: 5:8: the operands do not broadcast: one is tensor<4xf32>, another tensor<3xf32>
// error: 6:8: broadcast_compare lacks its attribute comparison_direction
// error: 7:8: constant_like lacks its attribute value
// error: 8:44: wanted an element of f32, found '1': write a point (1.0), or the bits in hex
// error: 9:9: is_inf wants a floating-point type
// error: 10:9: the text's result is tensor<4xf64>, the op's tensor<4xf32>
// error: 11:36: the attribute broadcast of broadcast_add is not supported
// error: 12:29: wanted k or is_stable, found 'n'
// error: 13:14: top_k has 2 results, found 1
// error: 14:11: square has 1 result
// error: 15:9: add: wants operands of one type, got tensor<4xf32> and tensor<4xi1> (add_c1)
// error: 16:9: broadcast_add: broadcast_dimensions do not place the dims of operand 1
