// Two inputs through one region that reads a value from around it.
func.func @main(%x: tensor<3x4xf32>, %y: tensor<3x4xi32>, %k: tensor<f32>) -> (tensor<3xf32>, tensor<3xi32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %i = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.reduce(%x init: %z), (%y init: %i) across dimensions = [1] : (tensor<3x4xf32>, tensor<3x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {
    %m = stablehlo.multiply %b, %k : tensor<f32>
    %p = stablehlo.compare GT, %m, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %s = stablehlo.select %p, %m, %a : tensor<i1>, tensor<f32>
    %t = stablehlo.select %p, %d, %c : tensor<i1>, tensor<i32>
    stablehlo.return %s, %t : tensor<f32>, tensor<i32>
  }
  return %r#0, %r#1 : tensor<3xf32>, tensor<3xi32>
}
// -----
// A region in a region, in a loop: the inner one reads the loop's value and the outer region's argument.
// inputs: 0 1
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.constant dense<2> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %w = "stablehlo.map"(%v) ({
    ^bb0(%a: tensor<f32>):
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %s = stablehlo.reduce(%v init: %z) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
       reducer(%c: tensor<f32>, %d: tensor<f32>) {
        %e = stablehlo.multiply %d, %a : tensor<f32>
        %f = stablehlo.add %c, %e : tensor<f32>
        stablehlo.return %f : tensor<f32>
      }
      %g = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
      %h = stablehlo.add %s, %g : tensor<f32>
      stablehlo.return %h : tensor<f32>
    }) {dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %w : tensor<i32>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}
// -----
// Sums that go round in a wider type, by one op and by two.
func.func @main(%x: tensor<2x100xbf16>, %z: tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %c = stablehlo.convert %z : (tensor<f32>) -> tensor<bf16>
  %r = "stablehlo.reduce"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {dimensions = array<i64: 1>} : (tensor<2x100xbf16>, tensor<bf16>) -> tensor<2xf32>
  %q = "stablehlo.reduce"(%x, %c) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.multiply %b, %b : tensor<f32>
    %s = stablehlo.add %a, %m : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {dimensions = array<i64: 1>} : (tensor<2x100xbf16>, tensor<bf16>) -> tensor<2xf32>
  return %r, %q : tensor<2xf32>, tensor<2xf32>
}
// -----
// The order in which a region of one op has its arguments, where it counts and where it does not.
func.func @main(%x: tensor<5xf32>, %y: tensor<5xf32>) -> (tensor<f32>, tensor<f32>, tensor<5xf32>) {
  %z = stablehlo.constant dense<1.0> : tensor<f32>
  %r = "stablehlo.reduce"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %b, %a : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
  %q = "stablehlo.reduce"(%x, %z) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.subtract %b, %a : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
  %m = "stablehlo.map"(%x, %y) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.atan2 %b, %a : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
  return %r, %q, %m : tensor<f32>, tensor<f32>, tensor<5xf32>
}
// -----
// A region that gives another element type than it takes; a sort of two by the second, descending.
func.func @main(%x: tensor<6xf32>, %y: tensor<6xi16>) -> (tensor<6xi1>, tensor<6xf32>, tensor<6xi16>) {
  %b = "stablehlo.map"(%x) ({
  ^bb0(%a: tensor<f32>):
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %p = stablehlo.compare GT, %a, %z : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) {dimensions = array<i64: 0>} : (tensor<6xf32>) -> tensor<6xi1>
  %s:2 = "stablehlo.sort"(%x, %y) ({
  ^bb0(%a: tensor<f32>, %c: tensor<f32>, %d: tensor<i16>, %e: tensor<i16>):
    %p = stablehlo.compare GT, %d, %e : (tensor<i16>, tensor<i16>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<6xf32>, tensor<6xi16>) -> (tensor<6xf32>, tensor<6xi16>)
  return %b, %s#0, %s#1 : tensor<6xi1>, tensor<6xf32>, tensor<6xi16>
}
