// jaxlib: not because its interpreter has no rng_bit_generator
// inputs: 0 100000
func.func public @main(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<9xui32>) {
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<9xui32>)
  return %0#0, %0#1 : tensor<2xui64>, tensor<9xui32>
}
// -----
// jaxlib: not because its interpreter has no rng_bit_generator
// inputs: 0 100000
func.func public @main(%s: tensor<3xui64>) -> (tensor<3xui64>, tensor<3x3xui64>) {
  %0:2 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<3x3xui64>)
  return %0#0, %0#1 : tensor<3xui64>, tensor<3x3xui64>
}
