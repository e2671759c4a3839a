// Every pretty form there is, as JAX writes it.
module @forms attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<i32>, %arg2: tensor<2x3xi1>) -> (tensor<2x3xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.iota dim = 1 : tensor<2x3xi32>
    %1 = stablehlo.is_finite %arg0 : (tensor<2x3xf32>) -> tensor<2x3xi1>
    %2 = stablehlo.compare LT, %arg0, %arg0, TOTALORDER : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %3 = stablehlo.compare GE, %0, %0 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
    %4 = stablehlo.select %arg2, %arg0, %arg0 : tensor<2x3xi1>, tensor<2x3xf32>
    %5 = stablehlo.clamp %cst, %4, %cst : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %6 = stablehlo.clamp %4, %4, %4 : tensor<2x3xf32>
    %7 = stablehlo.convert %5 : (tensor<2x3xf32>) -> tensor<2x3xbf16>
    %8 = stablehlo.convert %6 : tensor<2x3xf32>
    %9 = stablehlo.bitcast_convert %8 : (tensor<2x3xf32>) -> tensor<2x3xi32>
    %10 = stablehlo.reshape %7 : (tensor<2x3xbf16>) -> tensor<6xbf16>
    %11 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %12 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %13 = stablehlo.concatenate %arg0, %12, %4, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<6x3xf32>
    %14 = stablehlo.slice %13 [0:6:2, 1:3] : (tensor<6x3xf32>) -> tensor<3x2xf32>
    %15 = stablehlo.slice %cst [] : (tensor<f32>) -> tensor<f32>
    %16 = stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [1, 2] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %17 = stablehlo.dynamic_update_slice %arg0, %16, %arg1, %arg1 : (tensor<2x3xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
    %18 = stablehlo.pad %17, %15, low = [1, -1], high = [0, 0], interior = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x4xf32>
    %19 = stablehlo.reverse %18, dims = [0, 1] : tensor<3x4xf32>
    %20 = stablehlo.dot_general %arg0, %11, contracting_dims = [1] x [0], precision = [DEFAULT, HIGHEST] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    %21 = stablehlo.dot_general %arg0, %arg0, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>
    %22:2 = stablehlo.optimization_barrier %arg0, %19 : tensor<2x3xf32>, tensor<3x4xf32>
    %23:2 = call @two(%22#0, %20) : (tensor<2x3xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x3xf32>)
    %24 = stablehlo.select %1, %23#1, %arg0 : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return %24 : tensor<2x3xf32>
  }
  func.func private @two(%arg0: tensor<2x3xf32> {mhlo.layout_mode = "default"}, %arg1: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x3xf32>) {
    return %arg1, %arg0 : tensor<2x2xf32>, tensor<2x3xf32>
  }
  func.func private @none() {
    return
  }
}
