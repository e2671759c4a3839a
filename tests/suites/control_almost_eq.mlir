// Fails: the infinities differ.
func.func @main() {
  %x = stablehlo.constant dense<[1.0, 0x7F800000]> : tensor<2xf32>
  %y = stablehlo.constant dense<[1.0, 0xFF800000]> : tensor<2xf32>
  check.expect_almost_eq %x, %y : tensor<2xf32>
  func.return
}
