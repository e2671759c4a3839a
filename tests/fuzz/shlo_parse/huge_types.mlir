func.func @main(%0: tensor<4294967296x4294967295xi8>, %1: tensor<0x4x4611686018427387904xf32>) -> tensor<f32> {
  %2 = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = stablehlo.reduce(%1 init: %2) applies stablehlo.add across dimensions = [1] : (tensor<0x4x4611686018427387904xf32>, tensor<f32>) -> tensor<0x4611686018427387904xf32>
  %4 = stablehlo.slice %1 [0:0, 0:1:9223372036854775807, 0:4] : (tensor<0x4x4611686018427387904xf32>) -> tensor<0x1x4xf32>
  return %2 : tensor<f32>
}
