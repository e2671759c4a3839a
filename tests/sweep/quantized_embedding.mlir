// op: 2x5x16xf32 3xi32 | format=f32; rows=17; k=5
// inputs: -2 2; 0 16
