// inputs: -2 2; -1 5
func.func public @main(%x: tensor<5x6xf32>, %i: tensor<4x1xi32>, %u: tensor<4x6xf32>) -> tensor<5x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %r = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<5x6xf32>, tensor<4x1xi32>, tensor<4x6xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}
// -----
// inputs: -9 9; 0 4; -9 9
func.func public @main(%x: tensor<5x6xi32>, %i: tensor<4x1xi32>, %u: tensor<4x6xi32>) -> tensor<5x6xi32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %r = stablehlo.maximum %a, %b : tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) : (tensor<5x6xi32>, tensor<4x1xi32>, tensor<4x6xi32>) -> tensor<5x6xi32>
  return %0 : tensor<5x6xi32>
}
// -----
// inputs: -1 1; 0 4; -1 1
func.func public @main(%x: tensor<5x6xf32>, %i: tensor<4x1xi32>, %u: tensor<4x6xf32>) -> tensor<5x6xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.multiply %a, %a : tensor<f32>
    %r = stablehlo.subtract %s, %b : tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<5x6xf32>, tensor<4x1xi32>, tensor<4x6xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}
// -----
func.func public @main(%x: tensor<5x3xf32>, %u: tensor<70x3xf32>) -> tensor<5x3xf32> {
  %n = stablehlo.iota dim = 0 : tensor<70x1xi32>
  %seven = stablehlo.constant dense<7> : tensor<70x1xi32>
  %at = stablehlo.remainder %n, %seven : tensor<70x1xi32>
  %0 = "stablehlo.scatter"(%x, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %half = stablehlo.constant dense<0.5> : tensor<f32>
      %p = stablehlo.multiply %a, %half : tensor<f32>
      %t = stablehlo.tanh %p : tensor<f32>
      %s = stablehlo.add %t, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) : (tensor<5x3xf32>, tensor<70x1xi32>, tensor<70x3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}
