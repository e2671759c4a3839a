// e4m3 floats as f32, in the vocabulary of the v16 headers.
#ifndef TL_CPU_KERNELS_V16_E4M3_H
#define TL_CPU_KERNELS_V16_E4M3_H

// The e4m3 float at the top of every lane. Its exponent and mantissa at the places of f32's are the
// number times 2^-120, subnormals too.
V_INLINE v16 v16_e4m3_top(v16i top) {
  const v16i at = v16i_and(v16i_sar(top, 4), v16i_set1(0x87f00000u));
  const v16m nan = v16_eq(v16_of_bits(v16i_and(at, v16i_set1(0x7ff00000u))),
                          v16_of_bits(v16i_set1(0x07f00000u)));
  return v16_select(nan, v16_of_bits(v16i_set1(0x7fc00000u)),
                    v16_mul(v16_of_bits(at), v16_set1(0x1p120f)));
}
V_INLINE v16 v16_load_e4m3(const uint8_t *p) { // a byte b plus 2^23 is 0x4b0000bb
  return v16_e4m3_top(v16i_shl(v16_bits(v16_add(v16_load_u8(p), v16_set1(0x1p23f))), 24));
}

#endif
