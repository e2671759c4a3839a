// The forms that complex.mlir does not print.
module {
  func.func @more(%arg0: tensor<4xf64>, %arg1: tensor<4xcomplex<f64>>) -> tensor<4xf64> {
    %0 = "stablehlo.complex"(%arg0, %arg0) : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xcomplex<f64>>
    %1 = "stablehlo.real"(%0) : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %2 = "stablehlo.imag"(%0) : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %3 = stablehlo.complex %1, %2 : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xcomplex<f64>>
    %4 = "stablehlo.abs"(%3) : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %5 = "stablehlo.fft"(%3) <{fft_length = array<i64: 6>, fft_type = #stablehlo<fft_type IRFFT>}> : (tensor<4xcomplex<f64>>) -> tensor<6xf64>
    return %4 : tensor<4xf64>
  }
}
