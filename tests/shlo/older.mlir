// Spellings of older printers, which newer parsers no longer take: lists as dense constants, as bare lists and as
// aliases of them; attributes behind the operands; packed bits.
#dims = [1, 0]
func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x2xi32>) -> tensor<2x1xf32> {
  %0 = "stablehlo.reverse"(%arg0) {dimensions = dense<[0, 1]> : tensor<2xi64>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "stablehlo.transpose"(%0) {permutation = #dims} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %2 = "stablehlo.transpose"(%1) {permutation = [1, 0]} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %3 = "stablehlo.gather"(%2, %arg1) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = dense<1> : tensor<2xi64>} : (tensor<2x3xf32>, tensor<2x2xi32>) -> tensor<2x1xf32>
  %4 = stablehlo.constant dense<"0x0580"> : tensor<16xi1>
  return %3 : tensor<2x1xf32>
}
