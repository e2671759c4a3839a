func.func public @main(%x: tensor<3x12xcomplex<f32>>) -> tensor<3x12xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = FFT, length = [12] : (tensor<3x12xcomplex<f32>>) -> tensor<3x12xcomplex<f32>>
  return %0 : tensor<3x12xcomplex<f32>>
}
// -----
func.func public @main(%x: tensor<3x17xcomplex<f64>>) -> tensor<3x17xcomplex<f64>> {
  %0 = stablehlo.fft %x, type = FFT, length = [17] : (tensor<3x17xcomplex<f64>>) -> tensor<3x17xcomplex<f64>>
  return %0 : tensor<3x17xcomplex<f64>>
}
// -----
func.func public @main(%x: tensor<2x7x10xcomplex<f64>>) -> tensor<2x7x10xcomplex<f64>> {
  %0 = stablehlo.fft %x, type = IFFT, length = [7, 10] : (tensor<2x7x10xcomplex<f64>>) -> tensor<2x7x10xcomplex<f64>>
  return %0 : tensor<2x7x10xcomplex<f64>>
}
// -----
func.func public @main(%x: tensor<3x13xf32>) -> tensor<3x7xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = RFFT, length = [13] : (tensor<3x13xf32>) -> tensor<3x7xcomplex<f32>>
  return %0 : tensor<3x7xcomplex<f32>>
}
// -----
func.func public @main(%x: tensor<4x6x10xf64>) -> tensor<4x6x6xcomplex<f64>> {
  %0 = stablehlo.fft %x, type = RFFT, length = [6, 10] : (tensor<4x6x10xf64>) -> tensor<4x6x6xcomplex<f64>>
  return %0 : tensor<4x6x6xcomplex<f64>>
}
// -----
func.func public @main(%x: tensor<2x5xcomplex<f32>>) -> tensor<2x8xf32> {
  %0 = stablehlo.fft %x, type = IRFFT, length = [8] : (tensor<2x5xcomplex<f32>>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}
// -----
// jaxlib: not because of three dims its interpreter's IRFFT is another than NumPy's and XLA's
func.func public @main(%x: tensor<3x4x5xcomplex<f64>>) -> tensor<3x4x9xf64> {
  %0 = stablehlo.fft %x, type = IRFFT, length = [3, 4, 9] : (tensor<3x4x5xcomplex<f64>>) -> tensor<3x4x9xf64>
  return %0 : tensor<3x4x9xf64>
}
// -----
// jaxlib: 1e-12 because its interpreter adds up the definition
func.func public @main(%x: tensor<2x74xcomplex<f64>>) -> tensor<2x74xcomplex<f64>> {
  %0 = stablehlo.fft %x, type = FFT, length = [74] : (tensor<2x74xcomplex<f64>>) -> tensor<2x74xcomplex<f64>>
  return %0 : tensor<2x74xcomplex<f64>>
}
