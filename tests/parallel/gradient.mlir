// same: 0 1
// The gradient of a mean squared error over a batch that four devices share: each takes its part, and the parts are
// averaged. The second result is the gradient over the whole batch, which every device gathers.
module @gradient {
  func.func private @grad16(%w: tensor<8x4xf32>, %x: tensor<16x8xf32>, %y: tensor<16x4xf32>) -> tensor<8x4xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x8xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
    %1 = stablehlo.subtract %0, %y : tensor<16x4xf32>
    %c = stablehlo.constant dense<0.03125> : tensor<16x4xf32>
    %2 = stablehlo.multiply %1, %c : tensor<16x4xf32>
    %3 = stablehlo.dot_general %x, %2, contracting_dims = [0] x [0] : (tensor<16x8xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    return %3 : tensor<8x4xf32>
  }
  func.func @main(%w0: tensor<8x4xf32>, %x: tensor<16x8xf32>, %y: tensor<16x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
    %w = "stablehlo.all_reduce"(%w0) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %0 = func.call @grad16(%w, %x, %y) : (tensor<8x4xf32>, tensor<16x8xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    %1 = "stablehlo.all_reduce"(%0) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %q = stablehlo.constant dense<0.25> : tensor<8x4xf32>
    %2 = stablehlo.multiply %1, %q : tensor<8x4xf32>
    %xs = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<16x8xf32>) -> tensor<64x8xf32>
    %ys = "stablehlo.all_gather"(%y) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> : (tensor<16x4xf32>) -> tensor<64x4xf32>
    %3 = stablehlo.dot_general %xs, %w, contracting_dims = [1] x [0] : (tensor<64x8xf32>, tensor<8x4xf32>) -> tensor<64x4xf32>
    %4 = stablehlo.subtract %3, %ys : tensor<64x4xf32>
    %c = stablehlo.constant dense<0.0078125> : tensor<64x4xf32>
    %5 = stablehlo.multiply %4, %c : tensor<64x4xf32>
    %6 = stablehlo.dot_general %xs, %5, contracting_dims = [0] x [0] : (tensor<64x8xf32>, tensor<64x4xf32>) -> tensor<8x4xf32>
    return %2, %6 : tensor<8x4xf32>, tensor<8x4xf32>
  }
}
