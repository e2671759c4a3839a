// op: 3x2x8xf32 9x4xf32 9x4xf32 3xi32
// inputs: -2 2; -1 1; -1 1; 0 8
