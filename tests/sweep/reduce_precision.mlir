func.func public @main(%x: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %0 = stablehlo.reduce_precision %x, format = e5m10 : tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}
// -----
// inputs: edges
func.func public @main(%x: tensor<300xf32>) -> tensor<300xf32> {
  %0 = stablehlo.reduce_precision %x, format = e4m3 : tensor<300xf32>
  return %0 : tensor<300xf32>
}
