// op: 300xf32 300xf32
// inputs: edges
// f64: not because the next number of f64 is another
// -----
// op: 300xbf16 300xbf16
// inputs: edges
// f64: not because the next number of f64 is another
// -----
// op: 300xf16 300xf16
// inputs: edges
// f64: not because the next number of f64 is another
// -----
// op: 300xf64 300xf64
// inputs: edges
// -----
// op: f64 f64
