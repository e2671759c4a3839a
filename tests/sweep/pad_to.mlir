// op: 2x3xf32 4x5xi32 | low=1,2
// -----
// op: 3xi32 5xf32
