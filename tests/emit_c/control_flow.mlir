// A loop in a loop, with a branch inside; a value from around them; the outer one swaps what it carries.
// inputs: 0.5 1.5
func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<5> : tensor<i32>
  %r:3 = stablehlo.while(%i = %zero, %a = %x, %b = %y) : tensor<i32>, tensor<3xf32>, tensor<3xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %s:2 = stablehlo.while(%j = %zero, %c = %a) : tensor<i32>, tensor<3xf32>
    cond {
      %k = stablehlo.add %i, %one : tensor<i32>
      %p = stablehlo.compare LT, %j, %k : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %m = stablehlo.remainder %j, %n : tensor<i32>
      %even = stablehlo.compare EQ, %m, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %d = "stablehlo.if"(%even) ({
        %t = stablehlo.multiply %c, %b : tensor<3xf32>
        stablehlo.return %t : tensor<3xf32>
      }, {
        %t = "stablehlo.case"(%m) ({
          %u = stablehlo.sine %c : tensor<3xf32>
          stablehlo.return %u : tensor<3xf32>
        }, {
          stablehlo.return %c : tensor<3xf32>
        }, {
          %u = stablehlo.add %c, %x : tensor<3xf32>
          stablehlo.return %u : tensor<3xf32>
        }) : (tensor<i32>) -> tensor<3xf32>
        stablehlo.return %t : tensor<3xf32>
      }) : (tensor<i1>) -> tensor<3xf32>
      %j2 = stablehlo.add %j, %one : tensor<i32>
      stablehlo.return %j2, %d : tensor<i32>, tensor<3xf32>
    }
    %i2 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %i2, %b, %s#1 : tensor<i32>, tensor<3xf32>, tensor<3xf32>
  }
  return %r#1, %r#2, %r#0 : tensor<3xf32>, tensor<3xf32>, tensor<i32>
}
// -----
// A branch of several results, of which one is not used; a branch whose results nobody uses; an argument that nobody reads.
func.func @main(%p: tensor<i1>, %x: tensor<2xf64>, %y: tensor<2xf64>, %no: tensor<4xi8>) -> tensor<2xf64> {
  %r:2 = "stablehlo.if"(%p) ({
    %d = stablehlo.divide %x, %y : tensor<2xf64>
    stablehlo.return %d, %x : tensor<2xf64>, tensor<2xf64>
  }, {
    stablehlo.return %y, %x : tensor<2xf64>, tensor<2xf64>
  }) : (tensor<i1>) -> (tensor<2xf64>, tensor<2xf64>)
  %q = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<2xf64>
  }, {
    stablehlo.return %y : tensor<2xf64>
  }) : (tensor<i1>) -> tensor<2xf64>
  %unused = stablehlo.add %x, %y : tensor<2xf64>
  return %r#0 : tensor<2xf64>
}
// -----
// Calls: several results, none, names that are no C names, and two that would become one.
func.func private @"a.b"(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %y = stablehlo.exponential %x : tensor<2xf32>
  return %y, %x : tensor<2xf32>, tensor<2xf32>
}
func.func private @a_b(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y:2 = call @"a.b"(%x) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %z = stablehlo.subtract %y#0, %y#1 : tensor<2xf32>
  return %z : tensor<2xf32>
}
func.func private @nothing(%x: tensor<2xf32>) {
  return
}
func.func private @never_called(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  call @nothing(%x) : (tensor<2xf32>) -> ()
  %y = call @a_b(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
// -----
// What is given is what was given: an argument, twice; a constant; nothing is computed.
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<3xi32>) {
  %c = stablehlo.constant dense<[1, -2147483648, 2147483647]> : tensor<3xi32>
  %b:2 = stablehlo.optimization_barrier %x, %x : tensor<2xf32>, tensor<2xf32>
  return %b#1, %x, %c : tensor<2xf32>, tensor<2xf32>, tensor<3xi32>
}
// -----
// A condition of several ops, which is a loop of its own; no result of the outer loop but one.
// inputs: 1 2
func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %limit = stablehlo.constant dense<1.0e+02> : tensor<f64>
  %r = stablehlo.while(%a = %x) : tensor<f64>
  cond {
    %s:2 = stablehlo.while(%i = %zero, %b = %a) : tensor<i64>, tensor<f64>
    cond {
      %three = stablehlo.constant dense<3> : tensor<i64>
      %p = stablehlo.compare LT, %i, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %j = stablehlo.add %i, %one : tensor<i64>
      %c = stablehlo.multiply %b, %a : tensor<f64>
      stablehlo.return %j, %c : tensor<i64>, tensor<f64>
    }
    %p = stablehlo.compare LT, %s#1, %limit : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %h = stablehlo.constant dense<0.3> : tensor<f64>
    %b = stablehlo.add %a, %h : tensor<f64>
    stablehlo.return %b : tensor<f64>
  }
  return %r : tensor<f64>
}
