func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.composite "user.twice" %x {composite_attributes = {k = 3 : i64}, decomposition = @twice} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func private @twice(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
