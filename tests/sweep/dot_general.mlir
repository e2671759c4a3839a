func.func public @main(%x: tensor<3x70xf32>, %y: tensor<70x5xf32>) -> tensor<3x5xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<3x70xf32>, tensor<70x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
// -----
func.func public @main(%x: tensor<2x3x70xf32>, %y: tensor<2x5x70xf32>) -> tensor<2x3x5xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x3x70xf32>, tensor<2x5x70xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}
// -----
func.func public @main(%x: tensor<3x70xf64>, %y: tensor<70xf64>) -> tensor<3xf64> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<3x70xf64>, tensor<70xf64>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}
// -----
func.func public @main(%x: tensor<3x70xbf16>, %y: tensor<70x5xbf16>) -> tensor<3x5xbf16> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<3x70xbf16>, tensor<70x5xbf16>) -> tensor<3x5xbf16>
  return %0 : tensor<3x5xbf16>
}
// -----
// inputs: -128 127
func.func public @main(%x: tensor<3x7xi8>, %y: tensor<7x5xi8>) -> tensor<3x5xi32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<3x7xi8>, tensor<7x5xi8>) -> tensor<3x5xi32>
  return %0 : tensor<3x5xi32>
}
// -----
func.func public @main(%x: tensor<3x4xf32>, %y: tensor<5xf32>) -> tensor<3x4x5xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [] x [] : (tensor<3x4xf32>, tensor<5xf32>) -> tensor<3x4x5xf32>
  return %0 : tensor<3x4x5xf32>
}
// -----
// jaxlib: not because its interpreter wants at least one product to a sum
func.func public @main(%x: tensor<3x0xf32>, %y: tensor<0x5xf32>) -> tensor<3x5xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<3x0xf32>, tensor<0x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
// -----
func.func public @main(%x: tensor<3x5xcomplex<f32>>, %y: tensor<5x4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<3x5xcomplex<f32>>, tensor<5x4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>>
  return %0 : tensor<3x4xcomplex<f32>>
}
// -----
func.func public @main(%x: tensor<3x5xcomplex<f64>>, %y: tensor<5x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<3x5xcomplex<f64>>, tensor<5x4xcomplex<f64>>) -> tensor<3x4xcomplex<f64>>
  return %0 : tensor<3x4xcomplex<f64>>
}
