// inputs: -1 0; -3 3; 0 1
func.func public @main(%a: tensor<f32>, %x: tensor<4x3xf32>, %b: tensor<f32>) -> tensor<4x3xf32> {
  %0 = stablehlo.clamp %a, %x, %b : (tensor<f32>, tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
// -----
// inputs: -3 0; -9 9; 0 3
func.func public @main(%a: tensor<7xi32>, %x: tensor<7xi32>, %b: tensor<7xi32>) -> tensor<7xi32> {
  %0 = stablehlo.clamp %a, %x, %b : tensor<7xi32>
  return %0 : tensor<7xi32>
}
