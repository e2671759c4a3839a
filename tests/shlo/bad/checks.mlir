func.func @main(%0: tensor<2xf32>, %1: tensor<2xi32>) {
  stablehlo.custom_call @check.expect_eqq(%0, %0) {foo = 1 : i32} : (tensor<2xf32>, tensor<2xf32>) -> ()
  check.expect_eq %0, %1 : tensor<2xf32>
  check.expect_close %0, %0, ulp = 3 : tensor<2xf32>
  check.expect_eq_const %0, dense<1> : tensor<2xi32>
  check.expect_serialised_eq %0, probe_id = "x" : tensor<2xf32>
  return
}
// error: 2:3: custom_call: the target @check.expect_eqq is not supported; did you mean @check.expect_eq?
// error: 3:23: this operand is tensor<2xi32>, the text says tensor<2xf32>
// error: 4:30: wanted tolerance, max_ulp_difference or min_ulp_difference, found 'ulp'
// error: 5:25: this operand is tensor<2xf32>, the text says tensor<2xi32>
// error: 6:3: the op check.expect_serialised_eq is not supported
