// Constants whose bytes stand behind the module.
module @resources {
  func.func @main() -> (tensor<3xf32>, tensor<2x2xi8>, tensor<5xi1>, tensor<3xf32>, tensor<0xf32>) {
    %0 = stablehlo.constant dense_resource<a> : tensor<3xf32>
    %1 = "stablehlo.constant"() <{value = dense_resource<b_1> : tensor<2x2xi8>}> : () -> tensor<2x2xi8>
    %2 = stablehlo.constant dense_resource<"c-d"> : tensor<5xi1>
    %3 = stablehlo.constant dense_resource<a> : tensor<3xf32>
    %4 = stablehlo.constant dense_resource<none> : tensor<0xf32>
    return %0, %1, %2, %3, %4 : tensor<3xf32>, tensor<2x2xi8>, tensor<5xi1>, tensor<3xf32>, tensor<0xf32>
  }
}

{-#
  dialect_resources: {
    other: {
      x: "0x0400000001"
    },
    builtin: {
      a: "0x040000000000803F0000004000004040",
      b_1: "0x0100000001020304",
      "c-d": "0x010000000100010001",
      none: "0x01000000"
    }
  },
  external_resources: {
    mlir_reproducer: {
      verify_each: true
    }
  }
#-}
