func.func public @main(%x: tensor<5x7xf32>) -> tensor<5x7xbf16> {
  %0 = stablehlo.convert %x : (tensor<5x7xf32>) -> tensor<5x7xbf16>
  return %0 : tensor<5x7xbf16>
}
// -----
func.func public @main(%x: tensor<5x7xbf16>) -> tensor<5x7xf32> {
  %0 = stablehlo.convert %x : (tensor<5x7xbf16>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}
// -----
// inputs: -100 100
func.func public @main(%x: tensor<5x7xf32>) -> tensor<5x7xi32> {
  %0 = stablehlo.convert %x : (tensor<5x7xf32>) -> tensor<5x7xi32>
  return %0 : tensor<5x7xi32>
}
// -----
func.func public @main(%x: tensor<5x7xi32>) -> tensor<5x7xf32> {
  %0 = stablehlo.convert %x : (tensor<5x7xi32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}
// -----
func.func public @main(%x: tensor<5x7xf64>) -> tensor<5x7xf16> {
  %0 = stablehlo.convert %x : (tensor<5x7xf64>) -> tensor<5x7xf16>
  return %0 : tensor<5x7xf16>
}
// -----
func.func public @main(%x: tensor<5x7xi8>) -> tensor<5x7xui8> {
  %0 = stablehlo.convert %x : (tensor<5x7xi8>) -> tensor<5x7xui8>
  return %0 : tensor<5x7xui8>
}
// -----
// inputs: 0 100000
func.func public @main(%x: tensor<5x7xui32>) -> tensor<5x7xf64> {
  %0 = stablehlo.convert %x : (tensor<5x7xui32>) -> tensor<5x7xf64>
  return %0 : tensor<5x7xf64>
}
// -----
func.func public @main(%x: tensor<5x7xi1>) -> tensor<5x7xf32> {
  %0 = stablehlo.convert %x : (tensor<5x7xi1>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}
// -----
func.func public @main(%x: tensor<5x7xf32>) -> tensor<5x7xi1> {
  %0 = stablehlo.convert %x : (tensor<5x7xf32>) -> tensor<5x7xi1>
  return %0 : tensor<5x7xi1>
}
// -----
func.func public @main(%x: tensor<5x7xf16>) -> tensor<5x7xbf16> {
  %0 = stablehlo.convert %x : (tensor<5x7xf16>) -> tensor<5x7xbf16>
  return %0 : tensor<5x7xbf16>
}
// -----
// inputs: edges
func.func public @main(%x: tensor<300xf64>) -> tensor<300xf32> {
  %0 = stablehlo.convert %x : (tensor<300xf64>) -> tensor<300xf32>
  return %0 : tensor<300xf32>
}
// -----
// inputs: edges
func.func public @main(%x: tensor<300xi64>) -> tensor<300xi8> {
  %0 = stablehlo.convert %x : (tensor<300xi64>) -> tensor<300xi8>
  return %0 : tensor<300xi8>
}
