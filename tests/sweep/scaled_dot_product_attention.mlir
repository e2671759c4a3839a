// op: 2x3x5x4xf32 2x3x7x4xf32 2x3x7x6xf32 | scale=0.5
// -----
// op: 5x4xf64 5x4xf64 5x4xf64 | causal=1; scale=0.25
// -----
// op: 2x6x3x4xf32 2x2x5x4xf32 2x2x5x7xf32 | causal=1; scale=0.5
