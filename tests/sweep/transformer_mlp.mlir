// op: 3x4xf32 4x6xf32 4x6xf32 6x4xf32
// -----
// op: 2x3x5xf64 5x7xf64 5x7xf64 7x4xf64
// -----
// op: 20xf32 20x33xf32 20x33xf32 33x20xf32
