// op: 3x20xf32 3x20xf32
// -----
// op: 3x2xf64 3x2xf64
