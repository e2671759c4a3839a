// The draws of one execution, by tests/oracle/ref_rng.py, jax 0.12.0.1.
func.func @main() {
  %lo = stablehlo.constant dense<-2.0> : tensor<f32>
  %hi = stablehlo.constant dense<3.0> : tensor<f32>
  %ilo = stablehlo.constant dense<-7> : tensor<i32>
  %ihi = stablehlo.constant dense<9> : tensor<i32>
  %shape = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %five = stablehlo.constant dense<5> : tensor<1xi64>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %d0 = stablehlo.rng %lo, %hi, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  %unused = stablehlo.rng %lo, %hi, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  %l:2 = stablehlo.while(%n = %zero, %x = %d0) : tensor<i32>, tensor<2x3xf32>
    cond {
      %go = stablehlo.compare LT, %n, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %y = stablehlo.rng %lo, %hi, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
      %sum = stablehlo.subtract %y, %x : tensor<2x3xf32>
      %next = stablehlo.add %n, %one : tensor<i32>
      stablehlo.return %next, %sum : tensor<i32>, tensor<2x3xf32>
    }
  %d4 = stablehlo.rng %ilo, %ihi, %five, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<5xi32>
  %d5 = call @again(%lo, %hi) : (tensor<f32>, tensor<f32>) -> tensor<2x3xf32>
  check.expect_eq_const %d0, dense<"0x608A0D4015478BBF48365DBF50BCB2BF483D85BFF016CE3F"> : tensor<2x3xf32>
  check.expect_eq_const %l#1, dense<"0x0C3A77BFC06AFDBFCCC00C40C07CB9BFCA9C87C075634940"> : tensor<2x3xf32>
  check.expect_eq_const %d4, dense<"0x0400000001000000FEFFFFFF02000000FEFFFFFF"> : tensor<5xi32>
  check.expect_eq_const %d5, dense<"0xD05BD83F243B903FA6461F40129325404E340C405653C83F"> : tensor<2x3xf32>
  func.return
}
func.func private @again(%lo: tensor<f32>, %hi: tensor<f32>) -> tensor<2x3xf32> {
  %shape = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %r = stablehlo.rng %lo, %hi, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
