// The products of a decoder's matrices, for the shapes of SmolLM2-135M and counts of tokens and
// threads: GFLOP/s as a part of the arithmetic's peak, GB/s of weights as a part of the read
// bandwidth, and from 64 tokens on as a multiple of a yardstick that moves with the machine.
#ifndef TL_BENCH_PRODUCTS_H
#define TL_BENCH_PRODUCTS_H

#include <regex.h>

#include "cpu/kernels/kernels.h"

// Some `seconds` for each whose row's name matches `only` (NULL: all); a row of bench/history.py
// for each too.
void bench_products(const tl_kernels *kernels, bool fast, double seconds, const regex_t *only);

#endif
