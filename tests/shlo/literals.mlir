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
  %15 = stablehlo.constant dense<[(1.0, -2.5), ( 0x7F800000 ,0.0)]> : tensor<2xcomplex<f32>>
  %16 = stablehlo.constant dense<(0.1,-0.0)> : tensor<3x2xcomplex<f64>>
  %17 = stablehlo.constant dense<"0x0000803F000000C0"> : tensor<2xcomplex<f32>>
  %18 = stablehlo.constant dense<[-8, 7, 15]> : tensor<3xi4>
  %19 = stablehlo.constant dense<[-2, 3]> : tensor<2xi2>
  %20 = stablehlo.constant dense<[3, 0]> : tensor<2xui2>
  %21 = stablehlo.constant dense<"0x0F08"> : tensor<2xi4>
  %22 = stablehlo.constant dense<[448.0, 0x7F, -0.015625, 1.0]> : tensor<4xf8E4M3FN>
  %23 = stablehlo.constant dense<[0x7C, 57344.0]> : tensor<2xf8E5M2>
  %24 = stablehlo.constant dense<[6.0, -0.5]> : tensor<2xf4E2M1FN>
  %25 = stablehlo.constant dense<[28.0, 0x3F]> : tensor<2xf6E3M2FN>
  %26 = stablehlo.constant dense<[0.5, 0xFF]> : tensor<2xf8E8M0FNU>
  return %0 : tensor<2x2xf32>
}
