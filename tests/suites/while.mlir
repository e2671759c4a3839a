func.func @main() {
  %i = stablehlo.constant dense<0> : tensor<i64>
  %s = stablehlo.constant dense<1> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %n = stablehlo.constant dense<10> : tensor<i64>
  %r:2 = stablehlo.while(%a = %i, %b = %s) : tensor<i64>, tensor<i64>
  cond {
    %c = stablehlo.compare LT, %a, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %d = stablehlo.add %a, %one : tensor<i64>
    %e = stablehlo.add %b, %b : tensor<i64>
    stablehlo.return %d, %e : tensor<i64>, tensor<i64>
  }
  check.expect_eq_const %r#1, dense<1024> : tensor<i64>
  func.return
}
