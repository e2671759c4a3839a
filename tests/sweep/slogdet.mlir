// op: 4x4xf32 |
// -----
// op: 2x3x3xf64 |
// -----
// op: 0x0xf32 |
// -----
// op: 3x3xcomplex<f64> |
