// op: 9x4x2x8xbf16 3x2x8xf32 3xi32 | block_offset=3
// inputs: -2 2; -2 2; -1 20
// -----
// op: 9x4x2x8xf32 1x2x8xf32 1xi32
// inputs: -2 2; -2 2; 5 5
