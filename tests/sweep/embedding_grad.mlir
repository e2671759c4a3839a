// op: 2x3xi32 2x3x4xf32 6x4xf32 | padding_index=2
// inputs: -1 6; -2 2
// -----
// op: 7xi32 7x2xf64 3x2xf64
// inputs: 0 2; -2 2
