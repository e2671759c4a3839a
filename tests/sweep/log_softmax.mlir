// op: 3x20xf32 | axis=1
// -----
// op: 4x5xf64 | axis=0
