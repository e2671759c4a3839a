// xla: not because its result is a bounded tensor there, with room for the whole operand
// jaxlib: not because its interpreter lacks the op
func.func public @main(%x: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %n = stablehlo.constant dense<2> : tensor<i32>
  %0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<3x4xf32>, tensor<i32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
