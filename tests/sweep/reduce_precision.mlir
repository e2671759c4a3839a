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
// -----
func.func public @main(%x: tensor<9xf8E5M2>) -> tensor<9xf8E5M2> {
  %0 = stablehlo.reduce_precision %x, format = e4m1 : tensor<9xf8E5M2>
  return %0 : tensor<9xf8E5M2>
}
// -----
func.func public @main(%x: tensor<9xf8E4M3FN>) -> tensor<9xf8E4M3FN> {
  %0 = stablehlo.reduce_precision %x, format = e4m1 : tensor<9xf8E4M3FN>
  return %0 : tensor<9xf8E4M3FN>
}
