// op: 3x7xi32 3x7xf32 3x5xf32 | axis=1
// inputs: -1 6; -2 2
// -----
// op: 2x4xi32 2x4xf64 5x4xf64 | axis=0
// inputs: 0 4; -2 2
