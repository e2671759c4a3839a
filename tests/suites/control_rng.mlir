// Fails: the shape is not the result's.
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<f32>
  %s = stablehlo.constant dense<[2, 4]> : tensor<2xi64>
  %r = stablehlo.rng %x, %x, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  func.return
}
