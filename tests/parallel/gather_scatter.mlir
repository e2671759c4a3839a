// A row-sharded matrix product: rows of w are gathered, and what each gives is summed and scattered.
func.func @main(%x: tensor<8x4xf32>, %w: tensor<3x4xf32>) -> (tensor<12x4xf32>, tensor<2x12xf32>) {
  %0 = "stablehlo.all_gather"(%w) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<3x4xf32>) -> tensor<12x4xf32>
  %1 = stablehlo.dot_general %x, %0, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<12x4xf32>) -> tensor<8x12xf32>
  %2 = "stablehlo.reduce_scatter"(%1) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, scatter_dimension = 0 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8x12xf32>) -> tensor<2x12xf32>
  return %0, %2 : tensor<12x4xf32>, tensor<2x12xf32>
}
