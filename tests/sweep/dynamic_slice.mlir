// inputs: -2 2; 0 4
func.func public @main(%x: tensor<6x9xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<2x3xf32> {
  %0 = stablehlo.dynamic_slice %x, %i, %j, sizes = [2, 3] : (tensor<6x9xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
// inputs: -2 2; 5 90
func.func public @main(%x: tensor<6xf64>, %i: tensor<i64>) -> tensor<4xf64> {
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [4] : (tensor<6xf64>, tensor<i64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
