// inputs: -2 2; -2 2; -4 9
func.func public @main(%x: tensor<6x9xf32>, %u: tensor<2x3xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<6x9xf32> {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %j : (tensor<6x9xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<6x9xf32>
  return %0 : tensor<6x9xf32>
}
