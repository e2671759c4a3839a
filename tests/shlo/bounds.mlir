// Dims with a bound, in the spelling of now and in an older one; dims of which nothing is known.
func.func @main(%0: tensor<?x4xf32, #stablehlo.bounds<8, ?>>, %1: tensor<?x?xf32, #stablehlo.type_extensions<bounds = [16, ?]>>, %2: tensor<?x?xf32>) -> tensor<?x4xf32, #stablehlo.bounds<8, ?>> {
  %3 = stablehlo.tanh %0 : tensor<?x4xf32, #stablehlo.bounds<8, ?>>
  %4 = stablehlo.get_dimension_size %1, dim = 1 : (tensor<?x?xf32, #stablehlo.bounds<16, ?>>) -> tensor<i32>
  %5 = stablehlo.set_dimension_size %2, %4, dim = 0 : (tensor<?x?xf32>, tensor<i32>) -> tensor<?x?xf32>
  %6 = stablehlo.add %2, %5 : tensor<?x?xf32>
  return %3 : tensor<?x4xf32, #stablehlo.bounds<8, ?>>
}
