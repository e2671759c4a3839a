// amx.h in C, for tests: what the instructions do by the SDM, and a failed test where they would
// raise an exception. One thread.
//
// A step of TDPBF16PS is one rounding of x * y + c, to nearest even, of numbers of which subnormal
// ones count as zero; a result that is subnormal after rounding becomes zero. In f64 the product of
// two bf16 is exact, and the sum of two numbers of at most 24 bits, rounded to 53 and then to 24,
// is the sum rounded once (53 >= 2 * 24 + 2).
#ifndef TL_CPU_KERNELS_AMX_EMULATED_H
#define TL_CPU_KERNELS_AMX_EMULATED_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/base.h"
#include "base/half.h"

static struct {
  bool configured;
  amx_config config;
  uint8_t tile[8][16][64];
} amx_state;

#define AMX_WANT(condition)                                                      \
  do {                                                                           \
    if (!(condition)) fail_msg("AMX would raise an exception: not " #condition); \
  } while (0)

TL_UNUSED static void amx_configure(const amx_config *c) {
  AMX_WANT(c->palette == 1 && c->start == 0);
  for (size_t i = 0; i < sizeof c->zero; i++)
    AMX_WANT(c->zero[i] == 0);
  for (int t = 0; t < 16; t++) {
    AMX_WANT(t < 8 || (c->row_bytes[t] == 0 && c->rows[t] == 0));
    AMX_WANT(c->row_bytes[t] <= 64 && c->rows[t] <= 16);
    AMX_WANT((c->row_bytes[t] == 0) == (c->rows[t] == 0));
  }
  memset(&amx_state, 0, sizeof amx_state);
  amx_state.config = *c, amx_state.configured = true;
}
TL_UNUSED static void amx_release(void) { memset(&amx_state, 0, sizeof amx_state); }

static size_t amx_rows(int t) {
  AMX_WANT(amx_state.configured && amx_state.config.rows[t] != 0);
  return amx_state.config.rows[t];
}
static size_t amx_bytes(int t) { return amx_state.config.row_bytes[t]; }

TL_UNUSED static void amx_zero(int t) {
  amx_rows(t);
  memset(amx_state.tile[t], 0, sizeof amx_state.tile[t]);
}
TL_UNUSED static void amx_load(int t, const void *p, size_t stride) {
  amx_zero(t);
  for (size_t i = 0; i < amx_rows(t); i++)
    memcpy(amx_state.tile[t][i], (const char *)p + i * stride, amx_bytes(t));
}
TL_UNUSED static void amx_store(int t, void *p, size_t stride) {
  for (size_t i = 0; i < amx_rows(t); i++)
    memcpy((char *)p + i * stride, amx_state.tile[t][i], amx_bytes(t));
}

// What every product asks of its tiles: three of them, c [M][N], a [M][K], b [K][N], in words of
// four bytes.
static void amx_shapes(int c, int a, int b, size_t *M, size_t *N, size_t *K) {
  AMX_WANT(c != a && c != b && a != b);
  *M = amx_rows(c), *N = amx_bytes(c) / 4, *K = amx_bytes(a) / 4;
  AMX_WANT(amx_rows(a) == *M && amx_rows(b) == *K && amx_bytes(b) == amx_bytes(c));
  AMX_WANT(amx_bytes(c) % 4 == 0 && amx_bytes(a) % 4 == 0);
}

TL_UNUSED static void amx_dot_su(int c, int a, int b) {
  size_t M, N, K;
  amx_shapes(c, a, b, &M, &N, &K);
  for (size_t m = 0; m < M; m++)
    for (size_t n = 0; n < N; n++) {
      uint32_t sum; // wraps, as the instruction does
      memcpy(&sum, amx_state.tile[c][m] + 4 * n, 4);
      for (size_t k = 0; k < 4 * K; k++)
        sum += (uint32_t)((int8_t)amx_state.tile[a][m][k] *
                          (int)amx_state.tile[b][k / 4][4 * n + k % 4]);
      memcpy(amx_state.tile[c][m] + 4 * n, &sum, 4);
    }
}

static float amx_flushed(float x) { return fabsf(x) < 0x1p-126f ? copysignf(0.0f, x) : x; }
// A rounded sum; numbers from this bound on are rounded up to the smallest normal one.
static float amx_rounded(double sum) {
  const double least = 0x1p-126 - 0x1p-151;
  return fabs(sum) < least ? copysignf(0.0f, (float)sum) : (float)sum;
}
static float amx_sum(float x, float y) {
  return amx_rounded((double)amx_flushed(x) + (double)amx_flushed(y));
}

static float amx_bf16(int t, size_t row, size_t i) {
  uint16_t h;
  memcpy(&h, amx_state.tile[t][row] + 2 * i, 2);
  return amx_flushed(tl_f32_of_bf16(h));
}

TL_UNUSED static void amx_dot_bf16(int c, int a, int b) {
  size_t M, N, K;
  amx_shapes(c, a, b, &M, &N, &K);
  for (size_t m = 0; m < M; m++)
    for (size_t n = 0; n < N; n++) {
      float chain[2] = {0, 0}, sum;
      for (size_t k = 0; k < 2 * K; k++) {
        const double product =
            (double)amx_bf16(a, m, k) * (double)amx_bf16(b, k / 2, 2 * n + k % 2);
        chain[k % 2] = amx_rounded(product + (double)chain[k % 2]);
      }
      memcpy(&sum, amx_state.tile[c][m] + 4 * n, 4);
      sum = amx_sum(sum, amx_sum(chain[0], chain[1]));
      memcpy(amx_state.tile[c][m] + 4 * n, &sum, 4);
    }
}

#endif
