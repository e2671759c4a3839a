// canonical
module @complex {
  func.func @main(%0: tensor<2xf32>, %1: tensor<2xi4>) -> (tensor<2xf32>, tensor<2xf8E4M3FN>) {
    %2 = stablehlo.constant dense<[(1.0,-2.5), (0x7F800000,0.0)]> : tensor<2xcomplex<f32>>
    %3 = stablehlo.complex %0, %0 : tensor<2xcomplex<f32>>
    %4 = stablehlo.multiply %2, %3 : tensor<2xcomplex<f32>>
    %5 = stablehlo.abs %4 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    %6 = stablehlo.real %4 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    %7 = stablehlo.imag %4 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    %8 = stablehlo.real %7 : tensor<2xf32>
    %9 = stablehlo.constant dense<[-8, 7]> : tensor<2xi4>
    %10 = stablehlo.add %1, %9 : tensor<2xi4>
    %11 = stablehlo.convert %10 : (tensor<2xi4>) -> tensor<2xf8E4M3FN>
    %12 = stablehlo.constant dense<[448.0, 0x7F]> : tensor<2xf8E4M3FN>
    %13 = stablehlo.add %11, %12 : tensor<2xf8E4M3FN>
    %14 = stablehlo.fft %4, type = FFT, length = [2] : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
    return %6, %13 : tensor<2xf32>, tensor<2xf8E4M3FN>
  }
}
