// op: 2x9xf32 2x3xf32 2x4xf32 2x1xf32 | axis=1
// -----
// op: 4x2xi32 4x2xi32 | axis=0
