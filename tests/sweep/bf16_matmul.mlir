// op: 3x70xbf16 2x35x16x2xbf16 | rows=17
// -----
// op: 2x2x33xbf16 1x17x16x2xbf16 | rows=5
