// inputs: -1000 1000; 0 31
func.func public @main(%x: tensor<3x5xi32>, %y: tensor<3x5xi32>) -> tensor<3x5xi32> {
  %0 = stablehlo.shift_right_arithmetic %x, %y : tensor<3x5xi32>
  return %0 : tensor<3x5xi32>
}
// -----
// inputs: 0 255; 0 7
func.func public @main(%x: tensor<3x5xui8>, %y: tensor<3x5xui8>) -> tensor<3x5xui8> {
  %0 = stablehlo.shift_right_arithmetic %x, %y : tensor<3x5xui8>
  return %0 : tensor<3x5xui8>
}
// -----
// inputs: -3000 3000; 14 40
func.func public @main(%x: tensor<64xi16>, %y: tensor<64xi16>) -> tensor<64xi16> {
  %0 = stablehlo.shift_right_arithmetic %x, %y : tensor<64xi16>
  return %0 : tensor<64xi16>
}
