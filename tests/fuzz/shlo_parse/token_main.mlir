func.func @main(%x: !stablehlo.token) {
  return
}
