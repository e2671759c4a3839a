// canonical
// Windows, with lists in full, with defaults, and with several inputs; and a map, whose window is an element.
module @windows {
  func.func @main(%0: tensor<1x4x4x1xf32>, %1: tensor<f32>, %2: tensor<6xi32>, %3: tensor<i32>, %4: tensor<6xf32>, %23: tensor<4x2xf32>, %24: tensor<2x2xf32>) -> tensor<1x2x2x1xf32> {
    %5 = "stablehlo.reduce_window"(%0, %1) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%6: tensor<f32>, %7: tensor<f32>):
      %8 = stablehlo.maximum %6, %7 : tensor<f32>
      stablehlo.return %8 : tensor<f32>
    }) : (tensor<1x4x4x1xf32>, tensor<f32>) -> tensor<1x2x2x1xf32>
    %9:2 = "stablehlo.reduce_window"(%2, %4, %3, %1) <{base_dilations = array<i64: 2>, padding = dense<[[5, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 6>}> ({
    ^bb0(%10: tensor<i32>, %11: tensor<f32>, %12: tensor<i32>, %13: tensor<f32>):
      %14 = stablehlo.add %10, %12 : tensor<i32>
      %15 = stablehlo.subtract %11, %13 : tensor<f32>
      stablehlo.return %14, %15 : tensor<i32>, tensor<f32>
    }) : (tensor<6xi32>, tensor<6xf32>, tensor<i32>, tensor<f32>) -> (tensor<11xi32>, tensor<11xf32>)
    %16 = "stablehlo.select_and_scatter"(%23, %24, %1) <{padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%17: tensor<f32>, %18: tensor<f32>):
      %19 = stablehlo.compare GE, %17, %18, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %19 : tensor<i1>
    }, {
    ^bb0(%20: tensor<f32>, %21: tensor<f32>):
      %22 = stablehlo.add %20, %21 : tensor<f32>
      stablehlo.return %22 : tensor<f32>
    }) : (tensor<4x2xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
    %25 = "stablehlo.map"(%16, %23) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%26: tensor<f32>, %27: tensor<f32>):
      %28 = stablehlo.multiply %26, %27 : tensor<f32>
      stablehlo.return %28 : tensor<f32>
    }) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
    return %5 : tensor<1x2x2x1xf32>
  }
}
