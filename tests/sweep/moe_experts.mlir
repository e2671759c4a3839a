// op: 3x4xf32 3x5xf32 5x6x4xf32 5x4x3xf32 | top_k=2
// -----
// op: 40x4xbf16 40x5xf32 5x6x4xi8 5x6xf32 5x4x3xi8 5x4xf32 | top_k=3
// inputs: -2 2; -2 2; -127 127; 0.01 0.02; -127 127; 0.01 0.02
// -----
// op: 3x4xf32 3x5xf32 5x6x4xbf16 5x4x3xbf16 | top_k=5
// f64: 1e-2 because the weights' type rounds in one and not in the other
