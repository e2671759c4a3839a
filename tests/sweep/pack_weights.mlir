// op: 17x5xf32 | format=f32; rows=17; k=5
// -----
// op: 17x5xbf16 | format=bf16; rows=17; k=5
