// op: 3x20xf32 | dimensions=1
// -----
// op: 4x5xf64
// -----
// op: 2x3x4xf32 | dimensions=2,0; keep_dims=1
