// op: 5x5xf32 |
// -----
// op: 2x6x3xf64 |
// -----
// op: 2x3x6xf32 |
// -----
// op: 6x3xf64 | full_matrices=1
// -----
// op: 3x6xf32 | full_matrices=1
// -----
// op: 1x1xf64 |
// -----
// op: 0x3xf32 |
// -----
// op: 3x0xf64 | full_matrices=1
// -----
// op: 3x3xcomplex<f32> |
