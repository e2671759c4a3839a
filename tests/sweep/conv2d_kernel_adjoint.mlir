// op: 2x3x7x6xf32 2x4x3x7xf32 4x3x3x2xf32 | window_strides=2,1; padding=1,0,0,2
// -----
// op: 1x4x5x5xf64 1x6x3x3xf64 6x2x2x3xf64 | feature_group_count=2; rhs_dilation=2,1; window_reversal=1,0
// -----
// op: 4x3x5x4xf32 2x2x4x6xf32 2x3x2x2xf32 | batch_group_count=2; lhs_dilation=1,2; padding=-1,1,0,0
