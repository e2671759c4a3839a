func.func @main(%0: tensor<0x2x0xf32>, %1: tensor<1x9223372036854775807x1x0xf32>, %2: tensor<0x9223372036854775807xi32>, %3: tensor<0xi32>) -> tensor<0x2x0xf32> {
  %4 = stablehlo.composite "tlaloc.paged_attention" %0, %1, %1, %2, %3 {composite_attributes = {scale = 1.0 : f64}, decomposition = @f, version = 1 : i32} : (tensor<0x2x0xf32>, tensor<1x9223372036854775807x1x0xf32>, tensor<1x9223372036854775807x1x0xf32>, tensor<0x9223372036854775807xi32>, tensor<0xi32>) -> tensor<0x2x0xf32>
  return %4 : tensor<0x2x0xf32>
}
func.func private @f(%0: tensor<0x2x0xf32>, %1: tensor<1x9223372036854775807x1x0xf32>, %2: tensor<1x9223372036854775807x1x0xf32>, %3: tensor<0x9223372036854775807xi32>, %4: tensor<0xi32>) -> tensor<0x2x0xf32> {
  return %0 : tensor<0x2x0xf32>
}
