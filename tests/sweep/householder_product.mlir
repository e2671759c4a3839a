// inputs: -0.5 0.5
// op: 5x4xf32 4xf32 |
// -----
// inputs: -0.5 0.5
// op: 2x6x4xf64 2x3xf64 |
// -----
// op: 4x2xf32 0xf32 |
// -----
// op: 0x4x2xf32 0x2xf32 |
