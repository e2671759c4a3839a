func.func public @main(%x: tensor<3xf32>, %y: tensor<2xi8>) -> (tensor<3xf32>, tensor<2xi8>) {
  %0:2 = stablehlo.optimization_barrier %x, %y : tensor<3xf32>, tensor<2xi8>
  return %0#0, %0#1 : tensor<3xf32>, tensor<2xi8>
}
