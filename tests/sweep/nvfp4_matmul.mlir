// op: 3x128xf32 2x2x512xui8 2x2x64xui8 17xf32
// inputs: -2 2; 0 255; 0 120; 0.01 0.02
// f64: 2e-2 because x is rounded to bf16 in one and not in the other
