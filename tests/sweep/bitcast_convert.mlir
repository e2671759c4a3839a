func.func public @main(%x: tensor<5x7xf32>) -> tensor<5x7xi32> {
  %0 = stablehlo.bitcast_convert %x : (tensor<5x7xf32>) -> tensor<5x7xi32>
  return %0 : tensor<5x7xi32>
}
// -----
// inputs: -100000 100000
func.func public @main(%x: tensor<5xi32>) -> tensor<5x4xi8> {
  %0 = stablehlo.bitcast_convert %x : (tensor<5xi32>) -> tensor<5x4xi8>
  return %0 : tensor<5x4xi8>
}
// -----
// inputs: -3000 3000
func.func public @main(%x: tensor<5x2xi16>) -> tensor<5xui32> {
  %0 = stablehlo.bitcast_convert %x : (tensor<5x2xi16>) -> tensor<5xui32>
  return %0 : tensor<5xui32>
}
// -----
func.func public @main(%x: tensor<3x2xi4>) -> tensor<3xui8> {
  %0 = stablehlo.bitcast_convert %x : (tensor<3x2xi4>) -> tensor<3xui8>
  return %0 : tensor<3xui8>
}
// -----
func.func public @main(%x: tensor<3xui8>) -> tensor<3x2xi4> {
  %0 = stablehlo.bitcast_convert %x : (tensor<3xui8>) -> tensor<3x2xi4>
  return %0 : tensor<3x2xi4>
}
// -----
func.func public @main(%x: tensor<6xi4>) -> tensor<6xui4> {
  %0 = stablehlo.bitcast_convert %x : (tensor<6xi4>) -> tensor<6xui4>
  return %0 : tensor<6xui4>
}
