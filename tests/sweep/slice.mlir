func.func public @main(%x: tensor<6x9xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.slice %x [1:5:2, 2:9:3] : (tensor<6x9xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// -----
func.func public @main(%x: tensor<6xi16>) -> tensor<0xi16> {
  %0 = stablehlo.slice %x [4:4] : (tensor<6xi16>) -> tensor<0xi16>
  return %0 : tensor<0xi16>
}
