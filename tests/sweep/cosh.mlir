// op: 7x41xf32
// inputs: -4 4
// -----
// op: 3x5xf64
// inputs: -4 4
// -----
// op: 3x5xbf16
// inputs: -4 4
// -----
// op: 3x5xf16
// inputs: -4 4
// -----
// op: f32
// inputs: -4 4
// -----
// op: 300xf32
// inputs: edges
// -----
// op: 300xf64
// inputs: edges
// -----
// op: 30xcomplex<f32>
// inputs: -3 3
// -----
// op: 3x5xcomplex<f64>
// inputs: -3 3
// -----
// op: 300xcomplex<f32>
// inputs: edges
