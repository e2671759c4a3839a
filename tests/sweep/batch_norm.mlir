// op: 3x4x5xf32 4xf32 4xf32 | eps=1e-5
// -----
// op: 6x3xf64 6xf64 6xf64 | axis=0; eps=0.001
