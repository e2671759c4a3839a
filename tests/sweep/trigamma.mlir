// op: 7x41xf32
// inputs: -6 9
// -----
// op: 3x5xf64
// inputs: -6 9
// -----
// op: 3x5xbf16
// inputs: -6 9
// -----
// op: 3x5xf16
// inputs: -6 9
// -----
// op: f32
// inputs: -6 9
// -----
// op: 300xf32
// inputs: edges
// -----
// op: 300xf64
// inputs: edges
