// op: 1x1x6xf32 4x6xf32 3x3x6xf32 1x1xi32 1x1xi32
// inputs: -2 2; -2 2; -2 2; 1 1; 2 2
// -----
// op: 1x1x6xf32 4x6xf32 3x3x6xf32 1x1xi32 1x1xi32 1x1xi32
// inputs: -2 2; -2 2; -2 2; 1 1; 7 7; 2 2
// -----
// op: 2x3x5xf32 2x5xf32 3x1x5xf32 2x3xi32 2x3xi32
// inputs: -2 2; -2 2; -2 2; -1 -1; 0 0
