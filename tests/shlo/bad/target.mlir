func.func @main(%0: tensor<2xf32>) {
  "stablehlo.custom_call"(%0, %0) <{call_target_name = "Sharding"}> : (tensor<2xf32>, tensor<2xf32>) -> ()
  stablehlo.custom_call @check.expect_eq(%0) : (tensor<2xf32>) -> ()
  %1 = stablehlo.custom_call @check.expect_eq(%0, %0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}
// error: 2:3: custom_call: the target @Sharding is not supported (custom_call_i2)
// error: 3:3: custom_call: @check.expect_eq takes 2 operands, got 1 (custom_call_i1)
// error: 4:8: custom_call: @check.expect_eq has no results, 1 are declared (custom_call_c1)
