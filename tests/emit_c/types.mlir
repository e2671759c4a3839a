// No elements, and rank 0.
func.func @main(%x: tensor<0x3xf32>, %y: tensor<f32>) -> (tensor<0x3xf32>, tensor<3xf32>, tensor<f32>, tensor<2x0xi8>) {
  %a = stablehlo.add %x, %x : tensor<0x3xf32>
  %r = stablehlo.reduce(%x init: %y) applies stablehlo.add across dimensions = [0] : (tensor<0x3xf32>, tensor<f32>) -> tensor<3xf32>
  %n = stablehlo.negate %y : tensor<f32>
  %c = stablehlo.constant dense<> : tensor<2x0xi8>
  return %a, %r, %n, %c : tensor<0x3xf32>, tensor<3xf32>, tensor<f32>, tensor<2x0xi8>
}
// -----
// Halves.
func.func @main(%x: tensor<4xbf16>, %y: tensor<4xf16>) -> (tensor<4xbf16>, tensor<4xf16>, tensor<bf16>) {
  %c = stablehlo.constant dense<[1.5, -0.1, 3.0e+38, 0xFF80]> : tensor<4xbf16>
  %d = stablehlo.constant dense<[1.5, -0.1, 65504.0, 0x7E01]> : tensor<4xf16>
  %a = stablehlo.add %x, %c : tensor<4xbf16>
  %b = stablehlo.multiply %y, %d : tensor<4xf16>
  %e = stablehlo.dot_general %x, %c, contracting_dims = [0] x [0] : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<bf16>
  return %a, %b, %e : tensor<4xbf16>, tensor<4xf16>, tensor<bf16>
}
// -----
// bf16 products summed into f32.
func.func @main(%x: tensor<3x40xbf16>, %y: tensor<40x2xbf16>) -> tensor<3x2xf32> {
  %e = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<3x40xbf16>, tensor<40x2xbf16>) -> tensor<3x2xf32>
  return %e : tensor<3x2xf32>
}
// -----
// Complex numbers.
func.func @main(%x: tensor<3xcomplex<f32>>, %y: tensor<complex<f64>>) -> (tensor<3xcomplex<f32>>, tensor<complex<f64>>, tensor<3xf32>) {
  %c = stablehlo.constant dense<[(1.0, -2.5), (0x7F800000, 0.0), (0xFFC00000, 1.0e-40)]> : tensor<3xcomplex<f32>>
  %a = stablehlo.multiply %x, %c : tensor<3xcomplex<f32>>
  %b = stablehlo.exponential %y : tensor<complex<f64>>
  %m = stablehlo.abs %a : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  return %a, %b, %m : tensor<3xcomplex<f32>>, tensor<complex<f64>>, tensor<3xf32>
}
// -----
// Integers of few bits, and the ends of wide ones.
// inputs: -8 7; 0 15; -100 100
func.func @main(%x: tensor<5xi4>, %y: tensor<5xui4>, %z: tensor<2xi64>) -> (tensor<5xi4>, tensor<5xui4>, tensor<2xi64>, tensor<2xui64>, tensor<3xi1>) {
  %c = stablehlo.constant dense<[-8, 7, 0, -1, 3]> : tensor<5xi4>
  %d = stablehlo.constant dense<[15, 7, 0, 1, 3]> : tensor<5xui4>
  %a = stablehlo.add %x, %c : tensor<5xi4>
  %b = stablehlo.multiply %y, %d : tensor<5xui4>
  %e = stablehlo.constant dense<[-9223372036854775808, 9223372036854775807]> : tensor<2xi64>
  %f = stablehlo.add %z, %e : tensor<2xi64>
  %g = stablehlo.constant dense<[18446744073709551615, 4294967295]> : tensor<2xui64>
  %h = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  return %a, %b, %f, %g, %h : tensor<5xi4>, tensor<5xui4>, tensor<2xi64>, tensor<2xui64>, tensor<3xi1>
}
// -----
// Floats whose text must read back: signed zeros, denormals, infinities, NaNs with other bits, many digits, many of them.
func.func @main(%x: tensor<10xf32>) -> (tensor<10xf32>, tensor<6xf64>, tensor<3xf32>, tensor<2xf64>) {
  %c = stablehlo.constant dense<[-0.0, 1.0e-45, 1.1754942e-38, 3.4028235e+38, 0.1, 16777217.0, 1.0e+10, 0x7F800000, 0xFF800000, 0.333333343]> : tensor<10xf32>
  %a = stablehlo.add %x, %c : tensor<10xf32>
  %d = stablehlo.constant dense<[-0.0, 4.9e-324, 1.7976931348623157e+308, 0.1, 0x7FF8000000000000, 0xFFF0000000000000]> : tensor<6xf64>
  %e = stablehlo.constant dense<[0x7FC00001, 0xFF812345, 1.5]> : tensor<3xf32>
  %f = stablehlo.constant dense<[0xFFF8000000000000, 0x7FF0000000000001]> : tensor<2xf64>
  return %a, %d, %e, %f : tensor<10xf32>, tensor<6xf64>, tensor<3xf32>, tensor<2xf64>
}
// -----
// Floats of a byte and less.
func.func @main(%x: tensor<4xf8E4M3FN>, %y: tensor<4xf32>) -> (tensor<4xf8E4M3FN>, tensor<4xf4E2M1FN>, tensor<4xf32>) {
  %c = stablehlo.constant dense<[1.5, -0.5, 448.0, 2.0]> : tensor<4xf8E4M3FN>
  %a = stablehlo.add %x, %c : tensor<4xf8E4M3FN>
  %b = stablehlo.convert %y : (tensor<4xf32>) -> tensor<4xf4E2M1FN>
  %d = stablehlo.convert %b : (tensor<4xf4E2M1FN>) -> tensor<4xf32>
  return %a, %b, %d : tensor<4xf8E4M3FN>, tensor<4xf4E2M1FN>, tensor<4xf32>
}
