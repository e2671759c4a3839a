// op: 4x9xf32 4xi32 | mean=1
// inputs: -2 2; -1 9
// -----
// op: 4x9xf64 4x9xf64
// inputs: -2 2; 0 1
