// f64: 1e-5 because the factors of the product cancel
// op: 4x4xf32 |
// -----
// op: 2x3x3xf64 |
// -----
// op: 0x0xf32 |
