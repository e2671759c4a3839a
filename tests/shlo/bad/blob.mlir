func.func @main() {
  %0 = stablehlo.constant dense<"0x00> : tensor<f32>
  return
}
// error: 2:33: this string does not end on its line
