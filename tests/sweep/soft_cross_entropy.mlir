// op: 4x9xf32 4x9xf32 | temperature=2
// -----
// op: 2x3x5xf64 2x3x5xf64
