// op: 3x5xf32 6x5xf32 7xi32 4xi32
// inputs: -2 2; -2 2; 0 5; 0 7
// -----
// op: 3x5xf64 6x5xf64 7xi32 4xi32
// inputs: -2 2; -2 2; 0 5; 0 7
