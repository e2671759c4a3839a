// One group of four, of two operands; and two groups, by the greatest.
func.func @main(%x: tensor<5x7xf32>, %n: tensor<3xi32>) -> (tensor<5x7xf32>, tensor<3xi32>, tensor<5x7xf32>) {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = "stablehlo.all_reduce"(%n) <{replica_groups = dense<[[3, 2, 1, 0]]> : tensor<1x4xi64>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %s = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) : (tensor<3xi32>) -> tensor<3xi32>
  %2 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0, %1, %2 : tensor<5x7xf32>, tensor<3xi32>, tensor<5x7xf32>
}
