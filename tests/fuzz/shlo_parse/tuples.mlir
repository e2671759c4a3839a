// Tuples and tokens, which are read over: tensors in them stand alone in the IR.
module @tuples {
  func.func private @f(%t: tuple<tensor<2xf32>, tuple<tensor<i32>, !stablehlo.token>>, %k: !stablehlo.token) -> (tuple<tensor<2xf32>, tensor<i32>>, !stablehlo.token) {
    %0 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<2xf32>, tuple<tensor<i32>, !stablehlo.token>>) -> tensor<2xf32>
    %1 = "stablehlo.get_tuple_element"(%t) <{index = 1 : i32}> : (tuple<tensor<2xf32>, tuple<tensor<i32>, !stablehlo.token>>) -> tuple<tensor<i32>, !stablehlo.token>
    %2 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<i32>, !stablehlo.token>) -> tensor<i32>
    %3 = stablehlo.get_tuple_element %1[1] : (tuple<tensor<i32>, !stablehlo.token>) -> !stablehlo.token
    %4 = stablehlo.after_all %3, %k : !stablehlo.token
    %5 = "stablehlo.tuple"(%0, %2) : (tensor<2xf32>, tensor<i32>) -> tuple<tensor<2xf32>, tensor<i32>>
    return %5, %4 : tuple<tensor<2xf32>, tensor<i32>>, !stablehlo.token
  }
  func.func @main(%x: tensor<2xf32>, %n: tensor<i32>) -> (tensor<2xf32>, tensor<i32>) {
    %k = stablehlo.create_token : !stablehlo.token
    %k2 = "stablehlo.create_token"() : () -> !stablehlo.token
    %k3 = "stablehlo.after_all"(%k, %k2) : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
    %in = stablehlo.tuple %n, %k : tuple<tensor<i32>, !stablehlo.token>
    %t = stablehlo.tuple %x, %in : tuple<tensor<2xf32>, tuple<tensor<i32>, !stablehlo.token>>
    %r:2 = call @f(%t, %k3) : (tuple<tensor<2xf32>, tuple<tensor<i32>, !stablehlo.token>>, !stablehlo.token) -> (tuple<tensor<2xf32>, tensor<i32>>, !stablehlo.token)
    %o:2 = stablehlo.optimization_barrier %r#0, %r#1 : tuple<tensor<2xf32>, tensor<i32>>, !stablehlo.token
    %y = stablehlo.get_tuple_element %o#0[0] : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<2xf32>
    %m = stablehlo.get_tuple_element %o#0[1] : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<i32>
    %w:3 = stablehlo.while(%a = %m, %b = %o#1, %c = %y) : tensor<i32>, !stablehlo.token, tensor<2xf32>
    cond {
      %ten = stablehlo.constant dense<10> : tensor<i32>
      %go = stablehlo.compare LT, %a, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %d = stablehlo.add %a, %one : tensor<i32>
      %e = stablehlo.after_all %b : !stablehlo.token
      %g = stablehlo.add %c, %c : tensor<2xf32>
      stablehlo.return %d, %e, %g : tensor<i32>, !stablehlo.token, tensor<2xf32>
    }
    return %w#2, %w#0 : tensor<2xf32>, tensor<i32>
  }
}
