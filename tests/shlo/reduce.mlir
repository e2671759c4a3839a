// Reductions: by the name of the op, and with a reducer written out.
func.func @main(%x: tensor<2x3xf32>, %k: tensor<2x3xi32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %any = stablehlo.reduce(%k init: %none) applies stablehlo.or across dimensions = [0, 1] : (tensor<2x3xi32>, tensor<i32>) -> tensor<i32>
  %least = stablehlo.reduce(%x init: %zero) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>)  {
    %m = stablehlo.minimum %b, %a : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }
  %best:2 = stablehlo.reduce(%x init: %zero), (%k init: %none) across dimensions = [1] : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>)  {
    %p = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %v = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f32>
    %w = stablehlo.select %p, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %v, %w : tensor<f32>, tensor<i32>
  }
  %r = stablehlo.add %sum, %least : tensor<2xf32>
  return %r, %best#1 : tensor<2xf32>, tensor<2xi32>
}
