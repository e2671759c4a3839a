// op: 4x5xf32 2x3xi32 | low=1,2
// -----
// op: 5xi32 3xf32
