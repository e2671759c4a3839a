// op: 5x3xf32 2x2xi32
// inputs: -2 2; -1 6
// -----
// op: 5x3xbf16 4xi32
// inputs: -2 2; 0 4
// -----
// op: 5x3xf32 2x4xi32 | padding_index=1
// inputs: -2 2; 0 4
