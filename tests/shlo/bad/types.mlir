func.func @main(%0: tensor<4xf32>, %1: tensor<4xbf16>) -> tensor<4xf32> {
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  %3 = stablehlo.negate %2 : tensor<4xf32>
  %4 = stablehlo.add %0, %0, %0 : tensor<4xf32>
  %5 = stablehlo.concatenate %0, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %6 = stablehlo.reshape %0 : (tensor<4xf32>) -> tensor<5xf32>
  %7:2 = stablehlo.abs %0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// error: 2:26: this operand is tensor<4xbf16>, the text says tensor<4xf32>
// error: 4:8: add takes 2 operands, found 3
// error: 5:8: concatenate has 1 operand, the text gives 2 types
// error: 7:10: abs has 1 result, 2 are named
