// op: 7x41xf32 7x41xf32
// inputs: 1.1 9; 0.1 9
// -----
// op: 3x5xf64 3x5xf64
// inputs: 1.1 9; 0.1 9
// -----
// op: 3x5xbf16 3x5xbf16
// inputs: 1.1 9; 0.1 9
// -----
// op: 3x5xf16 3x5xf16
// inputs: 1.1 9; 0.1 9
// -----
// op: f32 f32
// inputs: 1.1 9; 0.1 9
// -----
// op: 300xf32 300xf32
// inputs: edges
