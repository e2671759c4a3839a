// The spellings of top_k before chlo had an op: by hand, for nobody prints them any longer.
func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 5.0, -2.0, 5.0], [0.0, -1.0, 4.0, 3.0]]> : tensor<2x4xf32>
  %0:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 2 : i64, largest = true}, mhlo.version = 1 : i64} : (tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  %1:2 = stablehlo.custom_call @TopK(%x) : (tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  %v = stablehlo.constant dense<[[5.0, 5.0], [4.0, 3.0]]> : tensor<2x2xf32>
  %i = stablehlo.constant dense<[[1, 3], [2, 3]]> : tensor<2x2xi32>
  check.expect_eq %0#0, %v : tensor<2x2xf32>
  check.expect_eq %0#1, %i : tensor<2x2xi32>
  check.expect_eq %1#0, %v : tensor<2x2xf32>
  check.expect_eq %1#1, %i : tensor<2x2xi32>
  return
}
