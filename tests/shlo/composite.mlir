// A composite of somebody else's: its body is what it means, its name and attributes are kept.
// canonical
module {
  func.func @main(%0: tensor<8xf32>) -> tensor<2xf32> {
    %1:2 = stablehlo.composite "chlo.top_k" %0 {composite_attributes = {is_stable = true, k = 2 : i64}, decomposition = @chlo.top_k.impl, version = 1 : i32} : (tensor<8xf32>) -> (tensor<2xf32>, tensor<2xi32>)
    %2 = stablehlo.composite "my.zero" {decomposition = @"a name"} : () -> tensor<2xf32>
    %3 = stablehlo.add %1#0, %2 : tensor<2xf32>
    %4 = stablehlo.composite "my.more" %3 {composite_attributes = {a = [1 : i64, -2.5 : f32, true], b = {c = "x, {y}", unit}, d = dense<[1, 2]> : tensor<2xi64>, e = array<i64: 1>, f = #stablehlo<precision HIGH>, g = f32, h = tensor<2xf32>, i = @chlo.top_k.impl}, decomposition = @same, version = 7 : i32} : (tensor<2xf32>) -> tensor<2xf32>
    return %4 : tensor<2xf32>
  }
  func.func private @chlo.top_k.impl(%0: tensor<8xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
    %1 = stablehlo.slice %0 [0:2] : (tensor<8xf32>) -> tensor<2xf32>
    %2 = stablehlo.iota dim = 0 : tensor<2xi32>
    return %1, %2 : tensor<2xf32>, tensor<2xi32>
  }
  func.func private @same(%0: tensor<2xf32>) -> tensor<2xf32> {
    return %0 : tensor<2xf32>
  }
  func.func private @"a name"() -> tensor<2xf32> {
    %0 = stablehlo.constant dense<0.0> : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
