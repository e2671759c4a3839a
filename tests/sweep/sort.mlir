func.func public @main(%x: tensor<4x30xf32>, %k: tensor<4x30xi32>) -> (tensor<4x30xf32>, tensor<4x30xi32>) {
  %0:2 = "stablehlo.sort"(%x, %k) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %r = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }) : (tensor<4x30xf32>, tensor<4x30xi32>) -> (tensor<4x30xf32>, tensor<4x30xi32>)
  return %0#0, %0#1 : tensor<4x30xf32>, tensor<4x30xi32>
}
// -----
func.func public @main(%x: tensor<9x4xi8>) -> tensor<9x4xi8> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = false}> ({
  ^bb0(%a: tensor<i8>, %b: tensor<i8>):
    %r = stablehlo.compare GT, %a, %b, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }) : (tensor<9x4xi8>) -> tensor<9x4xi8>
  return %0 : tensor<9x4xi8>
}
