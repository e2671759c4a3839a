// op: 200xi8 200xi8
// inputs: edges
// -----
// op: 200xi16 200xi16
// inputs: edges
// -----
// op: 200xi32 200xi32
// inputs: edges
// -----
// op: 200xi64 200xi64
// inputs: edges
// -----
// op: 200xui8 200xui8
// inputs: edges
// -----
// op: 200xui16 200xui16
// inputs: edges
// -----
// op: 200xui32 200xui32
// inputs: edges
// -----
// op: 200xui64 200xui64
// inputs: edges
// -----
// op: 200xi64 200xi64
// inputs: -9e18 9e18
// -----
// op: 200xui64 200xui64
// inputs: -9e18 9e18
