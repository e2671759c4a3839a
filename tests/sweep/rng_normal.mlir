// op:  | key0=17; key1=4294967295 | 3x5xf32
// -----
// op: i32 i32 | | 7xf64
// inputs: -1000000 1000000
// -----
// op: i32 i32 | partitionable=1 | 3x4xf32
// inputs: -1000000 1000000
// -----
// op: i32 i32 | method=erf_inv | 9xf32
// inputs: -1000000 1000000
// -----
// op:  | key0=5; key1=6; method=erf_inv; partitionable=1 | 2x2xf64
