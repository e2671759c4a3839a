// op: 5x3xf32 3xf32 | eps=0.5
// -----
// op: 5x70xf32 70xf32 | eps=1e-5
