// op: 3x20xf32 | k=4
// -----
// op: 3x7xf64 | k=7
// -----
// op: 5x9xbf16 | k=3
// -----
// op: 2x3x9xf16 | k=1
// -----
// op: 30xi8 | k=5
// -----
// op: 4x30xui16 | k=6
// -----
// op: 40xi32 | k=40
// -----
// op: 2x6xi64 | k=2
// -----
// op: 3x0xf32 | k=0
// -----
// op: 3x8xf32 | k=0
// -----
// op: 4x300xf32 | k=250
// inputs: edges
// jaxlib: not because its total order is an ordinary one, in which a NaN is above and below everything
// -----
// op: 4x30xi32 | k=20; is_stable=0
// inputs: -2 2
