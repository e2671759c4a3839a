func.func @main(%x: tensor<2xf32>, %n: tensor<i32>) -> tensor<2xf32> {
  %t = stablehlo.tuple %x, %n : tuple<tensor<2xf32>, tensor<i64>>
  %u = stablehlo.tuple %x, %n : tuple<tensor<2xf32>, tuple<tensor<i32>>>
  %v = stablehlo.tuple %x, %n : tuple<tensor<2xf32>, tensor<i32>>
  %0 = stablehlo.get_tuple_element %v[2] : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<i32>
  %1 = stablehlo.get_tuple_element %v[1] : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<2xf32>
  %2 = stablehlo.get_tuple_element %x[0] : (tensor<2xf32>) -> tensor<2xf32>
  %3 = stablehlo.after_all %x : !stablehlo.token
  %4 = stablehlo.add %v, %v : tuple<tensor<2xf32>, tensor<i32>>
  %5 = stablehlo.get_tuple_element %v[0] : (tuple<tensor<2xf32>>) -> tensor<2xf32>
  %7 = stablehlo.create_token : tensor<f32>
  return %x : tensor<2xf32>
}
// error: 2:8: the result has another type (tuple_c1)
// error: 3:8: the result has another type (tuple_c1)
// error: 5:8: element 2 of a tuple of 2 (get_tuple_element_c1)
// error: 6:8: the result has another type (get_tuple_element_c2)
// error: 7:8: get_tuple_element takes one tuple (get_tuple_element_i1)
// error: 8:28: wanted a token (after_all_i1)
// error: 9:31: the only types supported are tensors, found 'tuple'
// error: 10:42: the operands have other types
// error: 11:8: the result is a token, !stablehlo.token
