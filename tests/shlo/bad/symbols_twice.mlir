module attributes {tlaloc.symbols = {n, k = 8 : i64, n}} {
}
// error: 1:54: the symbol n is declared twice
