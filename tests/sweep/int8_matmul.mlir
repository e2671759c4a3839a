// op: 3x256xi8 3x8xf32 2x2368xui8 | format=q4_k; rows=17
// -----
// op: 64xi8 2xf32 1x1088xui8 | format=q8_0; rows=5
