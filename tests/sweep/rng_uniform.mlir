// op:  | key0=17; key1=4294967295 | 3x5xf32
// -----
// op: i32 i32 | | 7xf64
// inputs: -1000000 1000000
// -----
// op: i32 i32 | partitionable=1 | 3x4xf32
// inputs: -1000000 1000000
// -----
// op:  | key0=0; key1=3; partitionable=1 | f64
