// op: 3x5xf32 2x3x16x2xbf16 | format=bf16; rows=17
// -----
// op: 5xf32 2x5x16xf32 | format=f32; rows=17
