func.func public @main(%n: tensor<i32>, %x: tensor<3xf32>) -> (tensor<i32>, tensor<3xf32>) {
  %0:2 = stablehlo.while(%k = %n, %y = %x) : tensor<i32>, tensor<3xf32>
  cond {
    %l = stablehlo.constant dense<5> : tensor<i32>
    %c = stablehlo.compare LT, %k, %l, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %o = stablehlo.constant dense<1> : tensor<i32>
    %m = stablehlo.add %k, %o : tensor<i32>
    %h = stablehlo.constant dense<0.5> : tensor<3xf32>
    %t = stablehlo.multiply %y, %h : tensor<3xf32>
    %z = stablehlo.sine %t : tensor<3xf32>
    stablehlo.return %m, %z : tensor<i32>, tensor<3xf32>
  }
  return %0#0, %0#1 : tensor<i32>, tensor<3xf32>
}
