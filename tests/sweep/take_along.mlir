// op: 3x5xf32 3x7xi32 | axis=1
// inputs: -2 2; -1 6
// -----
// op: 5x4xi32 2x4xi32 | axis=0
// inputs: -9 9; 0 4
