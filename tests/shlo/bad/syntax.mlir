func.func @main(%0: tensor<4xf32>, %1: tensor<i32>) -> tensor<4xf32> {
  %2 = stablehlo.add %0 %0 : tensor<4xf32>
  %3 = stablehlo.add %0, : tensor<4xf32>
  %4 = stablehlo.transpose %0, dims = [0 : (tensor<4xf32>) -> tensor<4xf32>
  %5 = stablehlo.compare LESS, %0, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %6 = stablehlo.ad %0, %0 : tensor<4xf32>
  %7 = chlo.scan %0 : tensor<4xf32>
  %8 = "stablehlo.sorts"(%0) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %9 = stablehlo.gather %0, %1 : tensor<4xf32>
  %10 = stablehlo.slice %0 [0:4:] : (tensor<4xf32>) -> tensor<4xf32>
  stablehlo.constant
  %11 = stablehlo.dot_general %0, %0, algorithm = <f32> : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %12 = "stablehlo.broadcast_in_dim"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %13 = "stablehlo.transpose"(%0) <{permutation = array<i64: 0>, permutation = array<i64: 0>}> : (tensor<4xf32>) -> tensor<4xf32>
  %14 = stablehlo.add %0, %0 {mhlo.unheard_of = 1 : i32} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// error: 2:25: wanted ':' and the type, found '%0'
// error: 3:26: wanted another operand, found ':'
// error: 4:42: wanted ']' behind the integers, found ':'
// error: 5:26: wanted EQ | NE | GE | GT | LE | LT, found 'LESS'
// error: 6:8: the op stablehlo.ad is not supported; did you mean stablehlo.add?
// error: 7:8: the op chlo.scan is not supported
// error: 8:8: the op stablehlo.sorts is not supported; did you mean stablehlo.sort?
// error: 12:8: gather is read in its quoted form: "stablehlo.gather"(…)
// error: 13:33: wanted an integer, found ']'
// error: 15:3: wanted 'dense', found '%11'
// error: 15:52: wanted lhs_precision_type and its like, each once, found 'f32'
// error: 16:9: broadcast_in_dim lacks its attribute broadcast_dimensions
// error: 17:80: the attribute permutation is given twice
// error: 18:31: the attribute mhlo.unheard_of of add is not supported
