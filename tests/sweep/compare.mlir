func.func public @main(%x: tensor<4x9xf32>, %y: tensor<4x9xf32>) -> tensor<4x9xi1> {
  %0 = stablehlo.compare LT, %x, %y, FLOAT : (tensor<4x9xf32>, tensor<4x9xf32>) -> tensor<4x9xi1>
  return %0 : tensor<4x9xi1>
}
// -----
func.func public @main(%x: tensor<4x9xbf16>, %y: tensor<4x9xbf16>) -> tensor<4x9xi1> {
  %0 = stablehlo.compare GE, %x, %y, FLOAT : (tensor<4x9xbf16>, tensor<4x9xbf16>) -> tensor<4x9xi1>
  return %0 : tensor<4x9xi1>
}
// -----
func.func public @main(%x: tensor<4x9xi32>, %y: tensor<4x9xi32>) -> tensor<4x9xi1> {
  %0 = stablehlo.compare EQ, %x, %y, SIGNED : (tensor<4x9xi32>, tensor<4x9xi32>) -> tensor<4x9xi1>
  return %0 : tensor<4x9xi1>
}
// -----
// inputs: 0 3
func.func public @main(%x: tensor<4x9xui8>, %y: tensor<4x9xui8>) -> tensor<4x9xi1> {
  %0 = stablehlo.compare NE, %x, %y, UNSIGNED : (tensor<4x9xui8>, tensor<4x9xui8>) -> tensor<4x9xi1>
  return %0 : tensor<4x9xi1>
}
// -----
func.func public @main(%x: tensor<4x9xf64>, %y: tensor<4x9xf64>) -> tensor<4x9xi1> {
  %0 = stablehlo.compare GT, %x, %y, FLOAT : (tensor<4x9xf64>, tensor<4x9xf64>) -> tensor<4x9xi1>
  return %0 : tensor<4x9xi1>
}
// -----
// inputs: edges
func.func public @main(%x: tensor<300xf32>, %y: tensor<300xf32>) -> tensor<300xi1> {
  %0 = stablehlo.compare LE, %x, %y, FLOAT : (tensor<300xf32>, tensor<300xf32>) -> tensor<300xi1>
  return %0 : tensor<300xi1>
}
// -----
// jaxlib: not because its interpreter takes TOTALORDER for FLOAT
// inputs: edges
func.func public @main(%x: tensor<300xf32>, %y: tensor<300xf32>) -> tensor<300xi1> {
  %0 = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<300xf32>, tensor<300xf32>) -> tensor<300xi1>
  return %0 : tensor<300xi1>
}
// -----
func.func public @main(%x: tensor<4x9xi1>, %y: tensor<4x9xi1>) -> tensor<4x9xi1> {
  %0 = stablehlo.compare EQ, %x, %y, UNSIGNED : (tensor<4x9xi1>, tensor<4x9xi1>) -> tensor<4x9xi1>
  return %0 : tensor<4x9xi1>
}
