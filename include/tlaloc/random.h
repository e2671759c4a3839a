// Random numbers of traces (tlaloc/trace.h), by key: a key is a tensor ui32[2], the same key gives
// the same numbers on every device, and nothing is remembered between draws. Keys and numbers are
// those of jax.random with its default generator, Threefry 2x32, by bits (normal numbers as far as
// the devices' log and sqrt agree).
//
//     tl_expr key = tl_input(t, "ui32[2]"), keys = tl_key_split(key, 2);
//     tl_expr noise = tl_random_normal(tl_pick(keys, 0, 0), "f32[32, 64]");
//
// A key is for one draw: split it for more. No derivative goes through a draw; vmap over keys draws
// for each of them.
#ifndef TLALOC_RANDOM_H
#define TLALOC_RANDOM_H

#include "tlaloc/trace.h"

// jax.random.key(seed) of a seed known now. Seeds that are data come in as keys: the words of one
// are the high and the low half of the seed.
#define tl_key(...) tl_key_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_key_at(tl_here at, tl_trace *t, uint64_t seed);
// n keys, ui32[n, 2]; jax.random.split.
#define tl_key_split(...) tl_key_split_at(TL_HERE, __VA_ARGS__)
TL_API tl_expr tl_key_split_at(tl_here at, tl_expr key, int64_t n);
// The key of that number, an integer scalar of 32 bits or a C number; jax.random.fold_in.
#define tl_key_fold_in(key, number) tl_key_fold_in_at(TL_HERE, key, TL_ARG(number))
TL_API tl_expr tl_key_fold_in_at(tl_here at, tl_expr key, tl_arg number);

// Of that type, as tl_input takes it. Bits are ui32; uniform numbers, in [0, 1), and normal ones
// are f32 or f64.
#define tl_random_bits(...) tl_random_at(TL_HERE, "random_bits", __VA_ARGS__)
#define tl_random_uniform(...) tl_random_at(TL_HERE, "random_uniform", __VA_ARGS__)
#define tl_random_normal(...) tl_random_at(TL_HERE, "random_normal", __VA_ARGS__)
TL_API tl_expr tl_random_at(tl_here at, const char *what, tl_expr key, const char *type, ...)
    TL_TEXT(4, 5);

#endif
