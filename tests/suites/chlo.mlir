// CHLO in every spelling that JAX and its printers have.
func.func @pretty() {
  %x = stablehlo.constant dense<[0.0, 0.5, -2.5]> : tensor<3xf64>
  %0 = chlo.erf %x : tensor<3xf64> -> tensor<3xf64>
  check.expect_close %0, %0 : tensor<3xf64>, tensor<3xf64>
  %1 = chlo.erfc %x : tensor<3xf64>
  %2 = stablehlo.add %0, %1 : tensor<3xf64>
  check.expect_almost_eq_const %2, dense<1.0> : tensor<3xf64>
  %n = stablehlo.constant dense<1.0> : tensor<3xf64>
  %q = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf64>
  %3 = chlo.polygamma %n, %q : tensor<3xf64>, tensor<3xf64> -> tensor<3xf64>
  check.expect_almost_eq_const %3, dense<[1.6449340668482264, 0.6449340668482264, 0.3949340668482264]> : tensor<3xf64>
  %two = stablehlo.constant dense<2.0> : tensor<3xf64>
  %4 = chlo.zeta %two, %q : tensor<3xf64>, tensor<3xf64> -> tensor<3xf64>
  check.expect_almost_eq %3, %4 : tensor<3xf64>
  %5 = chlo.square %x : tensor<3xf64> -> tensor<3xf64>
  check.expect_eq_const %5, dense<[0.0, 0.25, 6.25]> : tensor<3xf64>
  %6 = chlo.tan %x : tensor<3xf64> -> tensor<3xf64>
  %7 = stablehlo.tan %x : tensor<3xf64>
  check.expect_eq %6, %7 : tensor<3xf64>
  %8 = chlo.next_after %x, %q : tensor<3xf64>, tensor<3xf64> -> tensor<3xf64>
  check.expect_eq_const %8, dense<[4.940656e-324, 0.50000000000000011, -2.4999999999999996]> : tensor<3xf64>
  func.return
}
// -----
func.func @quoted() {
  %x = "stablehlo.constant"() <{value = dense<[1.0, 6.0]> : tensor<2xf32>}> : () -> tensor<2xf32>
  %0 = "chlo.lgamma"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_close_const %0, dense<[0.0, 4.78749174]> : tensor<2xf32>
  %i = stablehlo.constant dense<[2147483647, -2147483648]> : tensor<2xi32>
  %1 = "chlo.mulhi"(%i, %i) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  check.expect_eq_const %1, dense<[1073741823, 1073741824]> : tensor<2xi32>
  %2 = "chlo.constant"() <{value = dense<[7, 8]> : tensor<2xi32>}> : () -> tensor<2xi32>
  check.expect_eq_const %2, dense<[7, 8]> : tensor<2xi32>
  %3 = chlo.constant dense<1.5> : tensor<2xf32>
  %4 = "chlo.constant_like"(%x) <{value = 1.500000e+00 : f32}> : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_eq %3, %4 : tensor<2xf32>
  %5 = "chlo.constant_like"(%i) {value = -3 : i32} : (tensor<2xi32>) -> tensor<2xi32>
  check.expect_eq_const %5, dense<-3> : tensor<2xi32>
  %6 = "chlo.constant_like"(%x) <{value = 0x7F800000 : f32}> : (tensor<2xf32>) -> tensor<2xf32>
  %7 = chlo.is_inf %6 : tensor<2xf32> -> tensor<2xi1>
  check.expect_eq_const %7, dense<true> : tensor<2xi1>
  func.return
}
// -----
func.func @infinities() {
  %x = stablehlo.constant dense<[0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 1.0]> : tensor<4xf64>
  %0 = chlo.is_inf %x : tensor<4xf64> -> tensor<4xi1>
  %1 = chlo.is_pos_inf %x : tensor<4xf64> -> tensor<4xi1>
  %2 = "chlo.is_neg_inf"(%x) : (tensor<4xf64>) -> tensor<4xi1>
  check.expect_eq_const %0, dense<[true, true, false, false]> : tensor<4xi1>
  check.expect_eq_const %1, dense<[true, false, false, false]> : tensor<4xi1>
  check.expect_eq_const %2, dense<[false, true, false, false]> : tensor<4xi1>
  func.return
}
// -----
func.func @top_k() {
  %x = stablehlo.constant dense<[[3, 1, 2, 3], [-1, -2, 0, 0]]> : tensor<2x4xi32>
  %values, %indices = chlo.top_k(%x, k = 3) : tensor<2x4xi32> -> (tensor<2x3xi32>, tensor<2x3xi32>)
  check.expect_eq_const %values, dense<[[3, 3, 2], [0, 0, -1]]> : tensor<2x3xi32>
  check.expect_eq_const %indices, dense<[[0, 3, 2], [2, 3, 0]]> : tensor<2x3xi32>
  %0:2 = chlo.top_k(%x, k = 1, is_stable = false) : tensor<2x4xi32> -> (tensor<2x1xi32>, tensor<2x1xi32>)
  check.expect_eq_const %0#0, dense<[[3], [0]]> : tensor<2x1xi32>
  %1:2 = "chlo.top_k"(%x) <{k = 1 : i64}> : (tensor<2x4xi32>) -> (tensor<2x1xi32>, tensor<2x1xi32>)
  check.expect_eq %0#1, %1#1 : tensor<2x1xi32>
  func.return
}
// -----
func.func @broadcasts() {
  %a = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %b = stablehlo.constant dense<[[10.0], [20.0]]> : tensor<2x1xf32>
  %0 = chlo.broadcast_add %a, %b : (tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %0, dense<[[11.0, 12.0, 13.0], [21.0, 22.0, 23.0]]> : tensor<2x3xf32>
  %c = stablehlo.constant dense<[100.0, 200.0]> : tensor<2xf32>
  %1 = chlo.broadcast_subtract %0, %c {broadcast_dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  check.expect_eq_const %1, dense<[[-89.0, -88.0, -87.0], [-179.0, -178.0, -177.0]]> : tensor<2x3xf32>
  %2 = chlo.broadcast_compare %a, %b {comparison_direction = #chlo<comparison_direction LT>, compare_type = #chlo<comparison_type TOTALORDER>} : (tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xi1>
  check.expect_eq_const %2, dense<true> : tensor<2x3xi1>
  %p = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %s = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = chlo.broadcast_select %p, %b, %s : (tensor<3xi1>, tensor<2x1xf32>, tensor<f32>) -> tensor<2x3xf32>
  check.expect_eq_const %3, dense<[[10.0, 0.0, 10.0], [20.0, 0.0, 20.0]]> : tensor<2x3xf32>
  %4 = "chlo.broadcast_power"(%a, %s) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  check.expect_eq_const %4, dense<1.0> : tensor<3xf32>
  %5 = chlo.broadcast_complex %a, %s : (tensor<3xf32>, tensor<f32>) -> tensor<3xcomplex<f32>>
  %6 = chlo.conj %5 : tensor<3xcomplex<f32>> -> tensor<3xcomplex<f32>>
  check.expect_eq_const %6, dense<[(1.0, -0.0), (2.0, -0.0), (3.0, -0.0)]> : tensor<3xcomplex<f32>>
  %7 = chlo.conj %a : tensor<3xf32> -> tensor<3xf32>
  check.expect_eq %7, %a : tensor<3xf32>
  func.return
}
