#a = [0]
#a = [1]
func.func @main(%0: tensor<4xf32>) -> tensor<4xf32> {
  %1 = "stablehlo.transpose"(%0) <{permutation = #b}> : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.composite "x" %0 {composite_attributes = {p = #a}, decomposition = @main} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// error: 2:6: the alias #a is defined twice
// error: 4:50: no alias #b is defined above
// error: 5:64: an alias inside the attributes of a composite is not supported
