func.func @main() -> tensor<2xf32> {
  %0 = stablehlo.constant dense_resource<short> : tensor<2xf32>
  %1 = stablehlo.constant dense_resource<digits> : tensor<2xi8>
  %2 = stablehlo.constant dense_resource<truth> : tensor<2xi1>
  %3 = stablehlo.constant dense_resource<odd> : tensor<2xi8>
  %4 = stablehlo.constant dense_resource<absent> : tensor<2xi8>
  %5 = stablehlo.constant dense_resource<@a> : tensor<2xi8>
  return %0 : tensor<2xf32>
}
// error: 2:42: 4 bytes are in the resource, the type wants 8
// error: 20:28: wanted hex digits
// error: 4:42: a boolean is a byte 0 or 1
// error: 22:12: wanted "0x", 4 bytes of alignment and the elements, in hex
// error: 6:42: the resource absent is not in the text
// error: 7:42: wanted the name of a resource, found '@a'
{-#
  dialect_resources: {
    builtin: {
      short: "0x040000000000803F",
      digits: "0x0400000000xy",
      truth: "0x010000000102",
      odd: "0x0100000"
    }
  }
#-}
