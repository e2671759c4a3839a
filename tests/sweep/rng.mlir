// jaxlib: not because every implementation has numbers of its own
// xla: not because every implementation has numbers of its own
func.func public @main(%a: tensor<f32>) -> (tensor<4x5xf32>, tensor<7xf32>) {
  %b = stablehlo.constant dense<3.0> : tensor<f32>
  %s = stablehlo.constant dense<[4, 5]> : tensor<2xi64>
  %t = stablehlo.constant dense<7> : tensor<1xi64>
  %unused = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<4x5xf32>
  %first = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<4x5xf32>
  %second = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<4x5xf32>
  %0 = stablehlo.subtract %first, %second : tensor<4x5xf32>
  %1 = stablehlo.rng %a, %b, %t, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<7xf32>
  return %0, %1 : tensor<4x5xf32>, tensor<7xf32>
}
// -----
// jaxlib: not because every implementation has numbers of its own
// xla: not because every implementation has numbers of its own
// inputs: -9 -1; 1 9; 0.1 0.5; 0.6 1
func.func public @main(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<f64>, %d: tensor<f64>) -> (tensor<30xi32>, tensor<3x9xf64>, tensor<30xi32>) {
  %s = stablehlo.constant dense<30> : tensor<1xi64>
  %t = stablehlo.constant dense<[3, 9]> : tensor<2xi64>
  %n = stablehlo.constant dense<3> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %init = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<i32>) -> tensor<30xi32>
  %l:2 = stablehlo.while(%i = %z, %x = %init) : tensor<i32>, tensor<30xi32>
    cond {
      %go = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %r = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<30xi32>
      %j = stablehlo.add %i, %one : tensor<i32>
      %y = stablehlo.add %x, %r : tensor<30xi32>
      stablehlo.return %j, %y : tensor<i32>, tensor<30xi32>
    }
  %0 = stablehlo.rng %c, %d, %t, distribution = UNIFORM : (tensor<f64>, tensor<f64>, tensor<2xi64>) -> tensor<3x9xf64>
  %1 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<30xi32>
  return %l#1, %0, %1 : tensor<30xi32>, tensor<3x9xf64>, tensor<30xi32>
}
// -----
// jaxlib: not because every implementation has numbers of its own
// xla: not because every implementation has numbers of its own
func.func public @main(%x: tensor<3x4xf32>) -> (tensor<3xf32>, tensor<3x4xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %o = stablehlo.constant dense<1.0> : tensor<f32>
  %s = stablehlo.constant dense<> : tensor<0xi64>
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %sum = stablehlo.add %p, %q : tensor<f32>
    %e = stablehlo.constant dense<> : tensor<0xi64>
    %f = stablehlo.constant dense<1.0> : tensor<f32>
    %r = stablehlo.rng %p, %f, %e, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<0xi64>) -> tensor<f32>
    %both = stablehlo.add %sum, %r : tensor<f32>
    stablehlo.return %both : tensor<f32>
  }) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
  %1 = "stablehlo.map"(%x) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%p: tensor<f32>):
    %e = stablehlo.constant dense<> : tensor<0xi64>
    %f = stablehlo.constant dense<1.0> : tensor<f32>
    %r = stablehlo.rng %p, %f, %e, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<0xi64>) -> tensor<f32>
    stablehlo.return %r : tensor<f32>
  }) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0, %1 : tensor<3xf32>, tensor<3x4xf32>
}
// -----
// jaxlib: not because every implementation has numbers of its own
// xla: not because every implementation has numbers of its own
sdy.mesh @mesh = <["x"=2]>
func.func public @main(%a: tensor<f32>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %b = stablehlo.constant dense<3.0> : tensor<f32>
  %s = stablehlo.constant dense<2> : tensor<1xi64>
  %0 = sdy.manual_computation(%x, %a) in_shardings=[<@mesh, [{"x"}]>, <@mesh, []>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%y: tensor<2xf32>, %c: tensor<f32>) {
    %d = stablehlo.constant dense<3.0> : tensor<f32>
    %t = stablehlo.constant dense<2> : tensor<1xi64>
    %r = stablehlo.rng %c, %d, %t, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf32>
    %q = stablehlo.rng %c, %d, %t, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf32>
    %z = stablehlo.add %r, %q : tensor<2xf32>
    %w = stablehlo.add %y, %z : tensor<2xf32>
    sdy.return %w : tensor<2xf32>
  } : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf32>
  return %0, %1 : tensor<4xf32>, tensor<2xf32>
}
