// Regions: loops and branches in each other, names used again in regions beside each other.
module {
  func.func @main(%arg0: tensor<i32>, %arg1: tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
    %c = stablehlo.constant dense<10> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_1 = %arg1) : tensor<i32>, tensor<4xf32>
    cond {
      %2 = stablehlo.compare LT, %iterArg, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = stablehlo.compare EQ, %iterArg, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %3 = "stablehlo.if"(%2) ({
        %5 = func.call @twice(%iterArg_1) : (tensor<4xf32>) -> tensor<4xf32>
        stablehlo.return %5 : tensor<4xf32>
      }, {
        %5:2 = stablehlo.while(%iterArg_2 = %iterArg, %iterArg_3 = %iterArg_1) : tensor<i32>, tensor<4xf32>
        cond {
          %6 = stablehlo.compare GT, %iterArg_2, %c_0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %6 : tensor<i1>
        } do {
          %6 = stablehlo.subtract %iterArg_2, %c_0 : tensor<i32>
          stablehlo.return %6, %iterArg_3 : tensor<i32>, tensor<4xf32>
        }
        stablehlo.return %5#1 : tensor<4xf32>
      }) : (tensor<i1>) -> tensor<4xf32>
      %4 = stablehlo.add %iterArg, %c_0 : tensor<i32>
      stablehlo.return %4, %3 : tensor<i32>, tensor<4xf32>
    }
    %1 = "stablehlo.case"(%0#0) ({
      stablehlo.return %0#1 : tensor<4xf32>
    }, {
      stablehlo.return %arg1 : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    return %0#0, %1 : tensor<i32>, tensor<4xf32>
  }
  func.func private @twice(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
