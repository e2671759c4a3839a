func.func public @main(%x: tensor<3x4xf32>, %v: tensor<f32>) -> tensor<6x10xf32> {
  %0 = stablehlo.pad %x, %v, low = [1, -1], high = [0, 1], interior = [1, 2] : (tensor<3x4xf32>, tensor<f32>) -> tensor<6x10xf32>
  return %0 : tensor<6x10xf32>
}
// -----
func.func public @main(%x: tensor<5xi32>, %v: tensor<i32>) -> tensor<2xi32> {
  %0 = stablehlo.pad %x, %v, low = [-2], high = [-1], interior = [0] : (tensor<5xi32>, tensor<i32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
