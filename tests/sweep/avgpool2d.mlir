// op: 2x3x6x4xf32 | window=2,2
// -----
// op: 1x2x7x5xf64 | window=3,2; window_strides=1,2; padding=1,1,1,0
