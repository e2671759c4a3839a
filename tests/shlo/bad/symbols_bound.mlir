module attributes {tlaloc.symbols = {n = -1 : i64}} {
}
// error: 1:42: a symbol's bound is a size
