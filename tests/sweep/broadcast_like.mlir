// op: 2x1xf32 4x2x3xi32
// -----
// op: f64 3xf64
// -----
// op: 2x3xi1 2x3xf32
