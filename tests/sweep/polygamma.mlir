// op: 900xf32 900xf32
// inputs: edges
// -----
// op: 900xf64 900xf64
// inputs: edges
// -----
// op: 300xbf16 300xbf16
// inputs: edges
// -----
// op: f64 f64
// inputs: 3 3; 0.5 9
// -----
// op: 40xf32 40xf32
// inputs: 2 2; -4 9
// -----
// op: 40xf64 40xf64
// inputs: 7 7; -4 9
