// The text is well formed; the types do not agree.
func.func @main(%0: tensor<4xf32>, %1: tensor<4xi32>) -> tensor<4xf32> {
  %2 = stablehlo.reshape %0 : (tensor<4xf32>) -> tensor<5xf32>
  %3 = stablehlo.transpose %0, dims = [1] : (tensor<4xf32>) -> tensor<4xf32>
  %4 = call @nobody(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xi32>
}
// error: 6:3: return: value 0 is not of the type that @main declares
// error: 3:8: reshape: tensor<5xf32> has another number of elements than tensor<4xf32> (reshape_c2)
// error: 4:8: transpose: [1] is no permutation of the 1 dims of tensor<4xf32> (transpose_c2)
// error: 5:8: call: @nobody is not defined (call_c2)
