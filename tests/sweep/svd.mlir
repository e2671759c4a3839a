// op: 4x4xf32 |
// -----
// op: 6x3xf64 |
// -----
// xla: 1e-5 because its sums of rotations round otherwise
// op: 3x6xf32 |
// -----
// op: 2x5x2xf64 | full_matrices=1
// -----
// op: 2x4xf32 | full_matrices=1
// -----
// op: 1x1xf64 |
// -----
// op: 0x3xf32 | full_matrices=1
// -----
// op: 3x0xf64 |
// -----
// inputs: 0 0
// op: 3x3xf64 |
// -----
// op: 3x3xcomplex<f32> |
