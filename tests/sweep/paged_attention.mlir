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
// -----
// op: 3x6x8xbf16 9x4x2x8xbf16 9x4x2x8xbf16 3x5xi32 3xi32 | scale=0.5
// inputs: -2 2; -2 2; -2 2; 0 8; 1 20
// f64: 4e-3 because weights are rounded to bf16 as typed
// -----
// op: 3x4x40xbf16 9x24x2x40xbf16 9x24x2x40xbf16 2x5xi32 3xi32 3xi32 | scale=0.2; sliding_window=70; soft_cap=3
// inputs: -2 2; -2 2; -2 2; 0 8; 60 130; 0 1
// f64: 4e-3 because weights are rounded to bf16 as typed
