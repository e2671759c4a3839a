// inputs: -9 9; 0.5 3
func.func public @main(%x: tensor<3x5xf32>, %y: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = stablehlo.remainder %x, %y : tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
// -----
// inputs: -9 9; 0.5 3
func.func public @main(%x: tensor<3x5xf64>, %y: tensor<3x5xf64>) -> tensor<3x5xf64> {
  %0 = stablehlo.remainder %x, %y : tensor<3x5xf64>
  return %0 : tensor<3x5xf64>
}
// -----
// inputs: -100 100; 1 9
func.func public @main(%x: tensor<3x5xi32>, %y: tensor<3x5xi32>) -> tensor<3x5xi32> {
  %0 = stablehlo.remainder %x, %y : tensor<3x5xi32>
  return %0 : tensor<3x5xi32>
}
// -----
// inputs: 0 255; 1 9
func.func public @main(%x: tensor<3x5xui8>, %y: tensor<3x5xui8>) -> tensor<3x5xui8> {
  %0 = stablehlo.remainder %x, %y : tensor<3x5xui8>
  return %0 : tensor<3x5xui8>
}
// -----
// inputs: edges
func.func public @main(%x: tensor<300xf32>, %y: tensor<300xf32>) -> tensor<300xf32> {
  %0 = stablehlo.remainder %x, %y : tensor<300xf32>
  return %0 : tensor<300xf32>
}
