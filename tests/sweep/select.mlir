func.func public @main(%p: tensor<4x3xi1>, %x: tensor<4x3xf32>, %y: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = stablehlo.select %p, %x, %y : tensor<4x3xi1>, tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
// -----
func.func public @main(%p: tensor<i1>, %x: tensor<4x3xi8>, %y: tensor<4x3xi8>) -> tensor<4x3xi8> {
  %0 = stablehlo.select %p, %x, %y : tensor<i1>, tensor<4x3xi8>
  return %0 : tensor<4x3xi8>
}
