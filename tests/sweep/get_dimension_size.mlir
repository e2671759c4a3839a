func.func public @main(%x: tensor<3x4xf32>) -> tensor<i32> {
  %0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<3x4xf32>) -> tensor<i32>
  return %0 : tensor<i32>
}
// -----
func.func public @main(%x: tensor<0x2xi8>) -> tensor<i32> {
  %0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<0x2xi8>) -> tensor<i32>
  return %0 : tensor<i32>
}
