func.func @main(%0: tensor<2x4x4x3xf32>, %1: tensor<3x3x3x5xf32>) -> tensor<2x4x4x3xf32> {
  %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, 0, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} : (tensor<2x4x4x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x2x2x5xf32>
  %3 = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, 2, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} : (tensor<2x4x4x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x2x2x5xf32>
  %4 = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, 1, c]x[0, 1, i, o]->[b, 0, 1, f], window = {} : (tensor<2x4x4x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x2x2x5xf32>
  %5 = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, 1, b]x[0, 1, i, o]->[b, 0, 1, f], window = {} : (tensor<2x4x4x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x2x2x5xf32>
  %6 = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {step = [1, 1]} : (tensor<2x4x4x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x2x2x5xf32>
  %7 = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {reverse = [2, 0]} : (tensor<2x4x4x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x2x2x5xf32>
  %8 = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, 99, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} : (tensor<2x4x4x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x2x2x5xf32>
  %9 = "stablehlo.convolution"(%0, %1) <{dimension_numbers = #stablehlo.conv<[f, b]>}> : (tensor<2x4x4x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x2x2x5xf32>
  %10 = "stablehlo.convolution"(%0, %1) <{padding = dense<0> : tensor<2x3xi64>}> : (tensor<2x4x4x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x2x2x5xf32>
  %11 = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, 1]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 2, 3]]} : (tensor<2x4x4x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x2x2x5xf32>
  %12 = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, 1]x[0, 1, i, o]->[b, 0, 1, f], window = {} : (tensor<2x4x4x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x2x2x5xf32>
  return %0 : tensor<2x4x4x3xf32>
}
// error: 2:59: wanted each of 0, 1, … once
// error: 3:59: wanted each of 0, 1, … once
// error: 4:62: wanted b, f or a number, found 'c'
// error: 5:62: the attribute input_batch_dimension is given twice
// error: 6:103: wanted stride, pad, lhs_dilate, rhs_dilate or reverse, found 'step'
// error: 7:114: wanted true or false
// error: 8:59: wanted each of 0, 1, … once
// error: 9:84: wanted 'x', found '>'
// error: 10:53: wanted a short list of pairs of i64, such as 2x2xi64
// error: 11:113: wanted ']' behind two integers, found ','
// error: 12:9: convolution lacks its attribute input_feature_dimension
