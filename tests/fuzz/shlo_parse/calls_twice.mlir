func.func @main(%0: tensor<f32>) -> tensor<f32> {
  %1 = call @f1(%0) : (tensor<f32>) -> tensor<f32>
  %2 = call @f1(%1) : (tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
func.func private @f1(%0: tensor<f32>) -> tensor<f32> {
  %1 = call @f2(%0) : (tensor<f32>) -> tensor<f32>
  %2 = call @f2(%1) : (tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
func.func private @f2(%0: tensor<f32>) -> tensor<f32> {
  %1 = call @f3(%0) : (tensor<f32>) -> tensor<f32>
  %2 = call @f3(%1) : (tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
func.func private @f3(%0: tensor<f32>) -> tensor<f32> {
  %1 = call @f4(%0) : (tensor<f32>) -> tensor<f32>
  %2 = call @f4(%1) : (tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
func.func private @f4(%0: tensor<f32>) -> tensor<f32> {
  %1 = call @f5(%0) : (tensor<f32>) -> tensor<f32>
  %2 = call @f5(%1) : (tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
func.func private @f5(%0: tensor<f32>) -> tensor<f32> {
  %1 = call @f6(%0) : (tensor<f32>) -> tensor<f32>
  %2 = call @f6(%1) : (tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
func.func private @f6(%0: tensor<f32>) -> tensor<f32> {
  %1 = call @f7(%0) : (tensor<f32>) -> tensor<f32>
  %2 = call @f7(%1) : (tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
func.func private @f7(%0: tensor<f32>) -> tensor<f32> {
  %1 = call @f8(%0) : (tensor<f32>) -> tensor<f32>
  %2 = call @f8(%1) : (tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
func.func private @f8(%0: tensor<f32>) -> tensor<f32> {
  %1 = call @f9(%0) : (tensor<f32>) -> tensor<f32>
  %2 = call @f9(%1) : (tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
func.func private @f9(%0: tensor<f32>) -> tensor<f32> {
  %1 = call @f10(%0) : (tensor<f32>) -> tensor<f32>
  %2 = call @f10(%1) : (tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
func.func private @f10(%0: tensor<f32>) -> tensor<f32> {
  %1 = call @f11(%0) : (tensor<f32>) -> tensor<f32>
  %2 = call @f11(%1) : (tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
func.func private @f11(%0: tensor<f32>) -> tensor<f32> {
  return %0 : tensor<f32>
}
