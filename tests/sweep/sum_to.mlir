// op: 4x2x3xf32 2x1xi32
// -----
// op: 3x4xf64 f64
// -----
// op: 2x3xi32 2x3xi32
// -----
// op: 4x5xf32 1x5xf32
