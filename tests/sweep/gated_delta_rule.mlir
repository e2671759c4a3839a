// op: 1x1x2x4xf32 1x1x2x4xf32 1x1x6x3xf32 1x1x6xf32 1x1x6xf32 7x6x4x3xf32 1x1xi32 1x1xi32
// inputs: -1 1; -1 1; -1 1; -1 0; 0 1; -1 1; 3 3; 5 5
// -----
// op: 1x1x2x4xf32 1x1x2x4xf32 1x1x6x3xf32 1x1x6xf32 1x1x6xf32 7x6x4x3xf32 1x1xi32 1x1xi32 1x1xi32
// inputs: -1 1; -1 1; -1 1; -1 0; 0 1; -1 1; 3 3; 0 0; 5 5
// -----
// op: 2x3x1x4xf32 2x3x1x4xf32 2x3x2x3xf32 2x3x2xf32 2x3x2xf32 7x2x4x3xf32 2x3xi32 2x3xi32
// inputs: -1 1; -1 1; -1 1; -1 0; 0 1; -1 1; -1 -1; 5 5
