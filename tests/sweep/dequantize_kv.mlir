// op: 3x4x2x8xi32 2xf32 | kv_quant_dtype=int8
// inputs: -127 127; 0.01 0.1
// -----
// op: 2x8xi64 1xf32 | kv_quant_dtype=int4 | 2x8xbf16
// inputs: -7 7; 0.1 0.2
