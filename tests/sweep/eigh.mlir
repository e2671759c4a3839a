// op: 4x4xf32 |
// -----
// op: 5x5xf64 | lower=0
// -----
// op: 2x3x3xf32 |
// -----
// op: 1x1xf64 |
// -----
// op: 2x2xf32 |
// -----
// inputs: edges
// op: 3x3xf32 |
// -----
// op: 0x0xf32 |
// -----
// op: 0x3x3xf64 |
// -----
// op: 3x3xcomplex<f32> |
