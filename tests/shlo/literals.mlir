// Constants in every spelling.
func.func @main() -> tensor<2x2xf32> {
  %0 = stablehlo.constant dense<[[1.0, -2.5e-3], [0x7F800000, 3.0E+10]]> : tensor<2x2xf32>
  %1 = stablehlo.constant dense<0xFFC0> : tensor<3xbf16>
  %2 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %3 = stablehlo.constant dense<true> : tensor<8xi1>
  %4 = stablehlo.constant dense<[-128, 127, 255, 0xFF]> : tensor<4xi8>
  %5 = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
  %6 = stablehlo.constant dense<"0x0000803F000000C0"> : tensor<2xf32>
  %7 = stablehlo.constant dense<"0x0000803F"> : tensor<5xf32>
  %8 = stablehlo.constant dense<> : tensor<0x3xf32>
  %9 = stablehlo.constant dense<[[], []]> : tensor<2x0xi32>
  // A list may go over lines.
  %10 = stablehlo.constant dense<[
    1,
    2
  ]> : tensor<2xi64>
  %11 = stablehlo.constant dense<[1.5]> : tensor<1xf64>
  %12 = stablehlo.constant dense<"0x01000100"> : tensor<4xi1>
  %13 = stablehlo.constant dense<[0.1, 6.0e-8]> : tensor<2xf16>
  %14 = stablehlo.constant dense<1.0e400> : tensor<f64>
  return %0 : tensor<2x2xf32>
}
