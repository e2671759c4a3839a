// Eight steps in a loop, each with a collective: momentum whose gradient is averaged, with rows by replica.
func.func @main(%w0: tensor<6x6xf32>) -> (tensor<6x6xf32>, tensor<ui32>) {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<8> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %h = stablehlo.constant dense<0.125> : tensor<6x6xf32>
  %0:2 = stablehlo.while(%i = %z, %w = %w0) : tensor<i32>, tensor<6x6xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %g = stablehlo.dot_general %w, %w, contracting_dims = [1] x [0] : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
    %t = stablehlo.tanh %g : tensor<6x6xf32>
    %r = "stablehlo.all_reduce"(%t) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<6x6xf32>) -> tensor<6x6xf32>
    %p = "stablehlo.collective_permute"(%r) <{source_target_pairs = dense<[[0, 2], [1, 3], [2, 0], [3, 1]]> : tensor<4x2xi64>}> : (tensor<6x6xf32>) -> tensor<6x6xf32>
    %d = stablehlo.multiply %p, %h : tensor<6x6xf32>
    %v = stablehlo.subtract %w, %d : tensor<6x6xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %v : tensor<i32>, tensor<6x6xf32>
  }
  %id = stablehlo.replica_id : tensor<ui32>
  return %0#1, %id : tensor<6x6xf32>, tensor<ui32>
}
