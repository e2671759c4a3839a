// op: 3x20xf64 | axis=1
// -----
// op: 3x20xf32 | axis=1
// -----
// op: 7x3xf32 | axis=0
