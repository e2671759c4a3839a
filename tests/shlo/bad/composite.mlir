func.func @main(%0: tensor<4xf32>) -> tensor<4xf32> {
  %1 = stablehlo.composite "noname" %0 {decomposition = @f} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.composite "a.b" %0 {version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = stablehlo.composite "a.b" %0 {decomposition = @f, version = -1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = stablehlo.composite "a.b" %0 {composite_attributes = {x = -y}, decomposition = @f} : (tensor<4xf32>) -> tensor<4xf32>
  %5 = stablehlo.composite "a.b" %0 {composite_attributes = {x = {y = [1, 2, [}}, decomposition = @f} : (tensor<4xf32>) -> tensor<4xf32>
  %6 = stablehlo.composite a.b %0 {decomposition = @f} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @f(%0: tensor<4xf32>) -> tensor<4xf32> {
  return %0 : tensor<4xf32>
}
// error: 2:8: composite: wanted a name such as "space.op"
// error: 3:8: composite lacks its attribute decomposition
// error: 4:8: composite: a version is a number from 0 to 2147483647
// error: 5:67: wanted a number, found 'y'
// error: 6:79: wanted an attribute, found '}'
// error: 7:28: wanted a string, found 'a.b'
