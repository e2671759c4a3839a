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
// -----
func.func public @main(%x: tensor<40xf32>) -> tensor<40xf8E4M3FN> {
  %0 = stablehlo.convert %x : (tensor<40xf32>) -> tensor<40xf8E4M3FN>
  return %0 : tensor<40xf8E4M3FN>
}
// -----
func.func public @main(%x: tensor<40xf8E5M2>) -> tensor<40xf32> {
  %0 = stablehlo.convert %x : (tensor<40xf8E5M2>) -> tensor<40xf32>
  return %0 : tensor<40xf32>
}
// -----
func.func public @main(%x: tensor<40xf32>) -> tensor<40xi4> {
  %0 = stablehlo.convert %x : (tensor<40xf32>) -> tensor<40xi4>
  return %0 : tensor<40xi4>
}
// -----
func.func public @main(%x: tensor<40xui4>) -> tensor<40xf32> {
  %0 = stablehlo.convert %x : (tensor<40xui4>) -> tensor<40xf32>
  return %0 : tensor<40xf32>
}
// -----
func.func public @main(%x: tensor<40xcomplex<f32>>) -> tensor<40xf32> {
  %0 = stablehlo.convert %x : (tensor<40xcomplex<f32>>) -> tensor<40xf32>
  return %0 : tensor<40xf32>
}
// -----
func.func public @main(%x: tensor<40xf32>) -> tensor<40xcomplex<f64>> {
  %0 = stablehlo.convert %x : (tensor<40xf32>) -> tensor<40xcomplex<f64>>
  return %0 : tensor<40xcomplex<f64>>
}
// -----
func.func public @main(%x: tensor<40xcomplex<f64>>) -> tensor<40xcomplex<f32>> {
  %0 = stablehlo.convert %x : (tensor<40xcomplex<f64>>) -> tensor<40xcomplex<f32>>
  return %0 : tensor<40xcomplex<f32>>
}
// -----
func.func public @main(%x: tensor<40xi32>) -> tensor<40xi2> {
  %0 = stablehlo.convert %x : (tensor<40xi32>) -> tensor<40xi2>
  return %0 : tensor<40xi2>
}
// -----
func.func public @main(%x: tensor<40xf32>) -> tensor<40xf8E4M3B11FNUZ> {
  %0 = stablehlo.convert %x : (tensor<40xf32>) -> tensor<40xf8E4M3B11FNUZ>
  return %0 : tensor<40xf8E4M3B11FNUZ>
}
// -----
func.func public @main(%x: tensor<40xf32>) -> tensor<40xf8E4M3FNUZ> {
  %0 = stablehlo.convert %x : (tensor<40xf32>) -> tensor<40xf8E4M3FNUZ>
  return %0 : tensor<40xf8E4M3FNUZ>
}
// -----
func.func public @main(%x: tensor<40xf32>) -> tensor<40xf8E5M2FNUZ> {
  %0 = stablehlo.convert %x : (tensor<40xf32>) -> tensor<40xf8E5M2FNUZ>
  return %0 : tensor<40xf8E5M2FNUZ>
}
// -----
func.func public @main(%x: tensor<40xf32>) -> tensor<40xf8E3M4> {
  %0 = stablehlo.convert %x : (tensor<40xf32>) -> tensor<40xf8E3M4>
  return %0 : tensor<40xf8E3M4>
}
// -----
func.func public @main(%x: tensor<40xf32>) -> tensor<40xf8E4M3> {
  %0 = stablehlo.convert %x : (tensor<40xf32>) -> tensor<40xf8E4M3>
  return %0 : tensor<40xf8E4M3>
}
// -----
// jaxlib: not because its interpreter gives no array of them to Python
func.func public @main(%x: tensor<40xf32>) -> tensor<40xf4E2M1FN> {
  %0 = stablehlo.convert %x : (tensor<40xf32>) -> tensor<40xf4E2M1FN>
  return %0 : tensor<40xf4E2M1FN>
}
// -----
// jaxlib: not because its interpreter gives no array of them to Python
// xla: not because XLA has no floats of 6 bits
func.func public @main(%x: tensor<40xf32>) -> tensor<40xf6E2M3FN> {
  %0 = stablehlo.convert %x : (tensor<40xf32>) -> tensor<40xf6E2M3FN>
  return %0 : tensor<40xf6E2M3FN>
}
// -----
// jaxlib: not because its interpreter gives no array of them to Python
// xla: not because XLA has no floats of 6 bits
func.func public @main(%x: tensor<40xf32>) -> tensor<40xf6E3M2FN> {
  %0 = stablehlo.convert %x : (tensor<40xf32>) -> tensor<40xf6E3M2FN>
  return %0 : tensor<40xf6E3M2FN>
}
// -----
// inputs: 0.001 100
func.func public @main(%x: tensor<40xbf16>) -> tensor<40xf8E8M0FNU> {
  %0 = stablehlo.convert %x : (tensor<40xbf16>) -> tensor<40xf8E8M0FNU>
  return %0 : tensor<40xf8E8M0FNU>
}
