func.func @main(%0: tensor<i32>) -> tensor<i32> {
  %1 = stablehlo.add %0, %2 : tensor<i32>
  %2 = stablehlo.add %0, %0 : tensor<i32>
  %2 = stablehlo.add %0, %0 : tensor<i32>
  %3:2 = stablehlo.optimization_barrier %0, %0 : tensor<i32>, tensor<i32>
  %4 = stablehlo.add %3#2, %3#1 : tensor<i32>
  %5 = stablehlo.while(%i = %0) : tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %p : tensor<i32>
    stablehlo.return %j : tensor<i32>
  }
  %6 = stablehlo.add %i, %1 : tensor<i32>
  return %5 : tensor<i32>
}
func.func @main(%0: tensor<i32>) -> tensor<i32> {
  return %0 : tensor<i32>
}
// error: 2:26: no value %2 is defined above
// error: 4:3: the name %2 is taken already
// error: 6:22: %3 has 2 results, and no #2
// error: 12:28: no value %p is defined above
// error: 15:22: no value %i is defined above
// error: 18:11: function @main is defined twice
