module attributes {tlaloc.symbols = {n, k = 8 : i64}} {
  func.func @a(%0: tensor<?x?xf32> {tlaloc.dims = ["n"]}) { return }
  func.func @b(%0: tensor<?xf32> {tlaloc.dims = ["n", "k"]}) { return }
  func.func @c(%0: tensor<?xf32> {tlaloc.dims = ["2*(n"]}) { return }
  func.func @d(%0: tensor<?xf32> {tlaloc.dims = ["new + 1"]}) { return }
  func.func @e(%0: tensor<?xf32, #stablehlo.bounds<8, 8>>) { return }
  func.func @f(%0: tensor<?xf32, #stablehlo.bounds<8>> {tlaloc.dims = ["n"]}) { return }
  func.func @g(%0: tensor<?xf32> {tlaloc.dims = ["3 - 5"]}) { return }
  func.func @h(%0: tensor<?x?xf32, #stablehlo.bounds<8>>) { return }
}
// error: 2:51: tlaloc.dims names 1 dims, the types have more '?'
// error: 3:49: tlaloc.dims names 2 dims, the types have 1 '?'
// error: 4:55: this dim wants ')'
// error: 5:51: this dim has a symbol that is not declared
// error: 6:55: more bounds than the 1 dims
// error: 7:71: a dim with a bound of its own takes no name
// error: 8:56: this dim is no size
// error: 9:54: 1 bounds for 2 dims
