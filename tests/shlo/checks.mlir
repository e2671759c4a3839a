// A module that tests itself, in the forms in which StableHLO's tests are written.
module {
  func.func @main(%0: tensor<2xf32>) -> tensor<2xf32> {
    stablehlo.custom_call @check.expect_eq(%0, %0) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
    stablehlo.custom_call @check.expect_close(%0, %0) {has_side_effect = true, max_ulp_difference = 5 : i64, min_ulp_difference = 1 : i64} : (tensor<2xf32>, tensor<2xf32>) -> ()
    stablehlo.custom_call @check.expect_almost_eq(%0, %0) {has_side_effect = true, tolerance = 1.000000e-01 : f64} : (tensor<2xf32>, tensor<2xf32>) -> ()
    "stablehlo.custom_call"(%0, %0) <{call_target_name = "check.expect_eq", has_side_effect = true}> : (tensor<2xf32>, tensor<2xf32>) -> ()
    check.expect_eq %0, %0 : tensor<2xf32>
    check.expect_almost_eq %0, %0, tolerance = 0.1 : tensor<2xf32>
    check.expect_close %0, %0, max_ulp_difference = 3 : tensor<2xf32>, tensor<2xf32>
    check.expect_eq_const %0, dense<[1.0, 2.0]> : tensor<2xf32>
    check.expect_almost_eq_const %0, dense<1.0> : tensor<2xf32> {tolerance = 1.000000e-01 : f64}
    return %0 : tensor<2xf32>
  }
}
