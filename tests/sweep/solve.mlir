// jaxlib: not because its interpreter solves no batches
// op: 4x4xf32 4x3xf32 |
// -----
// jaxlib: not because its interpreter solves no batches
// op: 2x3x3xf64 2x3x2xf64 | transpose_a=1
// -----
// jaxlib: not because its interpreter solves no batches
// op: 1x1xf32 1x1xf32 |
// -----
// op: 0x0xf32 0x3xf32 |
// -----
// jaxlib: not because its interpreter solves no batches
// op: 3x3xcomplex<f64> 3x2xcomplex<f64> | transpose_a=1
