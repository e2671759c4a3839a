func.func @main() {
  return
}
// error: 7:28: the resource a is given twice
{-#
  dialect_resources: { builtin: {
      a: "0x0400000000",   a: "0x0400000000"
  } }
#-}
