// op: 3x20xf32 | axis=1
// -----
// op: 4x5xi32 | axis=0
