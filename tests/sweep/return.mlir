func.func public @main(%x: tensor<3xf32>, %y: tensor<2xi8>) -> (tensor<2xi8>, tensor<3xf32>, tensor<3xf32>) {
  return %y, %x, %x : tensor<2xi8>, tensor<3xf32>, tensor<3xf32>
}
