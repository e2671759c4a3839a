// op: 2x3x4xf32
// -----
// op: 4x3xf64 | diagonal=1; diagonal_scale=0.5; lower_scale=0; upper_scale=-2
