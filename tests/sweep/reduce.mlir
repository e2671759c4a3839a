func.func public @main(%x: tensor<7x100xf32>) -> tensor<7xf32> {
  %i = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [1] : (tensor<7x100xf32>, tensor<f32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}
// -----
func.func public @main(%x: tensor<7x100xf64>) -> tensor<100xf64> {
  %i = stablehlo.constant dense<0.0> : tensor<f64>
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [0] : (tensor<7x100xf64>, tensor<f64>) -> tensor<100xf64>
  return %0 : tensor<100xf64>
}
// -----
func.func public @main(%x: tensor<7x100xf32>) -> tensor<f32> {
  %i = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<7x100xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// -----
// inputs: 0.8 1.2
func.func public @main(%x: tensor<7x20xf32>) -> tensor<7xf32> {
  %i = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.multiply across dimensions = [1] : (tensor<7x20xf32>, tensor<f32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}
// -----
func.func public @main(%x: tensor<40x9xbf16>) -> tensor<9xbf16> {
  %i = stablehlo.constant dense<0.0> : tensor<bf16>
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [0] : (tensor<40x9xbf16>, tensor<bf16>) -> tensor<9xbf16>
  return %0 : tensor<9xbf16>
}
// -----
func.func public @main(%x: tensor<40x9xi1>) -> tensor<40xi1> {
  %i = stablehlo.constant dense<true> : tensor<i1>
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.and across dimensions = [1] : (tensor<40x9xi1>, tensor<i1>) -> tensor<40xi1>
  return %0 : tensor<40xi1>
}
// -----
func.func public @main(%x: tensor<0x9xi32>) -> tensor<9xi32> {
  %i = stablehlo.constant dense<9> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.minimum across dimensions = [0] : (tensor<0x9xi32>, tensor<i32>) -> tensor<9xi32>
  return %0 : tensor<9xi32>
}
// -----
func.func public @main(%x: tensor<5x40xf32>, %k: tensor<5x40xi32>) -> (tensor<5xf32>, tensor<5xi32>) {
  %i = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %j = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%x init: %i), (%k init: %j) across dimensions = [1] : (tensor<5x40xf32>, tensor<5x40xi32>, tensor<f32>, tensor<i32>) -> (tensor<5xf32>, tensor<5xi32>)
   reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<i32>, %d: tensor<i32>) {
    %g = stablehlo.compare GE, %a, %c, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %v = stablehlo.select %g, %a, %c : tensor<i1>, tensor<f32>
    %w = stablehlo.select %g, %b, %d : tensor<i1>, tensor<i32>
    stablehlo.return %v, %w : tensor<f32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<5xf32>, tensor<5xi32>
}
