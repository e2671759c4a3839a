// op: 7xf32 7xi32 4xi32 6x5xf32
// inputs: -2 2; 0 5; 0 7; -2 2
// -----
// op: 7xf64 7xi32 4xi32 3x5xf64 6x5xf64 | transposed=1
// inputs: -2 2; 0 5; 0 7; -2 2
