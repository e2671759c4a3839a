// op: 5x5xf32 |
// -----
// op: 2x4x6xf64 |
// -----
// op: 3x1x7x3xf32 |
// -----
// op: 1x1xf32 |
// -----
// inputs: edges
// op: 4x4xf32 |
// -----
// op: 0x3xf32 |
// -----
// op: 2x0x3x3xf64 |
// -----
// inputs: 0 0
// op: 3x3xf64 |
// -----
// op: 3x3xcomplex<f32> |
