// Random bits, as JAX prints them and quoted.
func.func public @main(%arg0: tensor<2xui64>, %arg1: tensor<3xui64>) -> (tensor<2xui64>, tensor<2x3xui32>, tensor<3xui64>, tensor<5xui8>) {
  %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>)
  %0:2 = "stablehlo.rng_bit_generator"(%arg1) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<3xui64>) -> (tensor<3xui64>, tensor<5xui8>)
  %1, %2 = stablehlo.rng_bit_generator %output_state, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<f32>)
  %s = stablehlo.constant dense<[4, 2]> : tensor<2xi64>
  %3 = stablehlo.rng %2, %2, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<4x2xf32>
  %4 = "stablehlo.rng"(%2, %2, %s) <{rng_distribution = #stablehlo<rng_distribution NORMAL>}> : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<4x2xf32>
  return %1, %output, %0#0, %0#1 : tensor<2xui64>, tensor<2x3xui32>, tensor<3xui64>, tensor<5xui8>
}
