// op: 3x20xf32 20xf32 | eps=1e-5
// -----
// op: 2x3x4xf64 4xf64 4xf64 | eps=0.001
