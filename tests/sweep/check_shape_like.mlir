// op: 2x3xf32 2x3xi1
// -----
// op: f64 f64
