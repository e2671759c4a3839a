// A named op of ours after a journey through jaxlib's printer: other names, other floats, the same composite.
module {
  func.func @main(%arg0: tensor<3x8xf32>, %arg1: tensor<8xf32>) -> tensor<3x8xf32> {
    %0 = stablehlo.composite "tlaloc.rms_norm" %arg0, %arg1 {composite_attributes = {eps = 1.000000e-05 : f64}, decomposition = @tlaloc.rms_norm.0, version = 1 : i32} : (tensor<3x8xf32>, tensor<8xf32>) -> tensor<3x8xf32>
    return %0 : tensor<3x8xf32>
  }
  func.func private @tlaloc.rms_norm.0(%arg0: tensor<3x8xf32>, %arg1: tensor<8xf32>) -> tensor<3x8xf32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<3x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<3x8xf32>, tensor<f32>) -> tensor<3xf32>
    %cst_0 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %3 = stablehlo.divide %1, %2 : tensor<3xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %5 = stablehlo.add %3, %4 : tensor<3xf32>
    %6 = stablehlo.rsqrt %5 : tensor<3xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<3xf32>) -> tensor<3x8xf32>
    %8 = stablehlo.multiply %arg0, %7 : tensor<3x8xf32>
    %9 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<8xf32>) -> tensor<3x8xf32>
    %10 = stablehlo.multiply %8, %9 : tensor<3x8xf32>
    return %10 : tensor<3x8xf32>
  }
}
