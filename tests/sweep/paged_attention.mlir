// op: 3x6x8xf32 9x4x2x8xf32 9x4x2x8xf32 3x5xi32 3xi32 | scale=0.5
// inputs: -2 2; -2 2; -2 2; 0 8; 1 20
// -----
// op: 3x6x8xf32 9x4x2x8xf32 9x4x2x8xf32 2x5xi32 3xi32 3xi32 | scale=1
// inputs: -2 2; -2 2; -2 2; 0 8; 1 20; 0 1
// -----
// op: 3x6x8xf32 9x4x2x8xf32 9x4x2x8xf32 3x5xi32 3xi32 | scale=0.5; sliding_window=5
// inputs: -2 2; -2 2; -2 2; 0 8; 1 20
// -----
// op: 3x6x8xf32 9x4x2x8xf32 9x4x2x8xf32 2x5xi32 3xi32 3xi32 | scale=2; sliding_window=9; soft_cap=3
// inputs: -2 2; -2 2; -2 2; 0 8; 1 25; 0 1
