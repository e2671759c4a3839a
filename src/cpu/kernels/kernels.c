#include "cpu/kernels/kernels.h"

#include "base/cpuinfo.h"
#include "cpu/kernels/bf16.h"
#include "cpu/kernels/int8.h"
#include "cpu/kernels/tile.h"

// The table of variants, and the sizes of scratch. A variant that a build has no compiler for (AVX
// on another architecture) is not in it.

#define TL_KERNEL(name, args) void tl_##name##_scalar(const args *a);
#include "cpu/kernels/kernels.def"
#undef TL_KERNEL
#if defined(__x86_64__)
#define TL_KERNEL(name, args)           \
  void tl_##name##_avx2(const args *a); \
  void tl_##name##_avx512(const args *a);
#define TL_KERNEL_VNNI(name, args)      \
  void tl_##name##_avx2(const args *a); \
  void tl_##name##_vnni(const args *a); \
  void tl_##name##_amx(const args *a);
#define TL_KERNEL_AMX(name, args)         \
  void tl_##name##_avx2(const args *a);   \
  void tl_##name##_avx512(const args *a); \
  void tl_##name##_bf16(const args *a);   \
  void tl_##name##_amx(const args *a);
#define TL_KERNEL_BF16(name, args)        \
  void tl_##name##_avx2(const args *a);   \
  void tl_##name##_avx512(const args *a); \
  void tl_##name##_bf16(const args *a);
#include "cpu/kernels/kernels.def"
#undef TL_KERNEL
#endif

#define ISA_AVX2 (TL_ISA_AVX2 | TL_ISA_FMA | TL_ISA_F16C)
#define ISA_VNNI (ISA_AVX2 | TL_ISA_AVX512F | TL_ISA_AVX512_VNNI)
#define ISA_AMX (ISA_VNNI | TL_ISA_AMX_TILE | TL_ISA_AMX_INT8 | TL_ISA_AMX_BF16)

static const tl_kernels variants[] = {
    // worst first
    {
        "scalar",
        0,
#define TL_KERNEL(name, args) .name = tl_##name##_scalar,
#include "cpu/kernels/kernels.def"
#undef TL_KERNEL
    },
#if defined(__x86_64__)
    {
        "avx2",
        ISA_AVX2,
#define TL_KERNEL(name, args) .name = tl_##name##_avx2,
#include "cpu/kernels/kernels.def"
#undef TL_KERNEL
    },
    {
        "avx512",
        ISA_AVX2 | TL_ISA_AVX512F,
#define TL_KERNEL(name, args) .name = tl_##name##_avx512,
#define TL_KERNEL_VNNI(name, args) .name = tl_##name##_avx2,
#include "cpu/kernels/kernels.def"
#undef TL_KERNEL
    },
    {
        "vnni",
        ISA_VNNI,
#define TL_KERNEL(name, args) .name = tl_##name##_avx512,
#define TL_KERNEL_VNNI(name, args) .name = tl_##name##_vnni,
#include "cpu/kernels/kernels.def"
#undef TL_KERNEL
    },
    {
        "bf16",
        ISA_VNNI | TL_ISA_AVX512_BF16 | TL_ISA_BF16_CHAIN,
        .pays = TL_ISA_BF16_FAST,
#define TL_KERNEL(name, args) .name = tl_##name##_avx512,
#define TL_KERNEL_VNNI(name, args) .name = tl_##name##_vnni,
#define TL_KERNEL_AMX(name, args) .name = tl_##name##_bf16,
#define TL_KERNEL_BF16(name, args) .name = tl_##name##_bf16,
#include "cpu/kernels/kernels.def"
#undef TL_KERNEL
    },
    {
        "amx",
        ISA_AMX,
#define TL_KERNEL(name, args) .name = tl_##name##_avx512,
#define TL_KERNEL_VNNI(name, args) .name = tl_##name##_amx,
#define TL_KERNEL_AMX(name, args) .name = tl_##name##_amx,
#include "cpu/kernels/kernels.def"
#undef TL_KERNEL
    },
#endif
};

size_t tl_kernels_count(void) { return TL_COUNT(variants); }
const tl_kernels *tl_kernels_at(size_t i) { return &variants[i]; }

const tl_kernels *tl_kernels_pick(uint32_t isa) {
  const tl_kernels *best = &variants[0];
  for (size_t i = 1; i < TL_COUNT(variants); i++)
    if (((variants[i].isa | variants[i].pays) & ~isa) == 0) best = &variants[i];
  return best;
}

size_t tl_matmul_scratch_size(size_t tokens, size_t K) {
  return tl_tile_scratch_size(sizeof(float), tokens, K);
}
size_t tl_int8_matmul_scratch_size(size_t tokens, size_t K) {
  return TL_MAX(tl_int8_few_size(K), tl_int8_layout_of(tl_int8_panel_rows(tokens, K), K).size);
}
size_t tl_bf16_matmul_scratch_size(size_t tokens, size_t K) {
  return TL_MAX(
      tl_bf16_layout_of(sizeof(float), tl_tile_panel_rows(sizeof(float), tokens, K), K).size,
      tl_bf16_layout_of(sizeof(uint16_t), tl_bf16_narrow_rows(tokens, K), K).size);
}
size_t tl_gemm_panel_rows(size_t element, size_t M, size_t K) {
  return tl_tile_panel_rows(element, M, K);
}

size_t tl_gemm_scratch_size(size_t element, size_t M, size_t N, size_t K) {
  const size_t rows = TL_MAX(M, TL_MIN(N, (size_t)GEMM_FEW)); // the kernel may exchange both
  return tl_tile_row_size(element, K) + tl_tile_scratch_size(element, rows, K);
}
size_t tl_attention_scratch_size(size_t max_len, size_t G, size_t D) {
  return sizeof(float) * tl_attention_layout_of(max_len, G, D).size;
}
