// Branches and loops of traces (tlaloc/trace.h). Each takes C functions that are called once, while
// the trace is written, and write a branch's or a body's calls; they may use any tensor of the
// trace around them. All derivatives go through.
#ifndef TLALOC_CONTROL_H
#define TLALOC_CONTROL_H

#include "tlaloc/trace.h"

// Writes out[i] for every result; in[] are the tensors that it is about. `arg` is the caller's.
typedef void tl_region_fn(tl_trace *t, const tl_expr *in, tl_expr *out, void *arg);

// then(in) where pred, a scalar of i1, is true, else otherwise(in): one of them runs. Both give out
// [n_out] of the same types.
#define tl_if(...) tl_if_at(TL_HERE, __VA_ARGS__)
TL_API void tl_if_at(tl_here at, tl_expr pred, tl_region_fn *then, tl_region_fn *otherwise,
                     void *arg, const tl_expr *in, uint32_t n_in, tl_expr *out, uint32_t n_out);
// The same among branches [n_branches] by an index, a scalar of i32: a switch. An index that is not
// among them, below 0 too, is the last one's.
#define tl_case(...) tl_case_at(TL_HERE, __VA_ARGS__)
TL_API void tl_case_at(tl_here at, tl_expr index, tl_region_fn *const *branches,
                       uint32_t n_branches, void *arg, const tl_expr *in, uint32_t n_in,
                       tl_expr *out, uint32_t n_out);
// x = init; while (cond(x)) x = body(x); out = x. All [n], of types that do not change. cond gives
// one scalar of i1. A gradient through a loop whose trip count is not known keeps some of its
// states (tl_derive_options.checkpoints) and runs stretches of it again.
#define tl_while(...) tl_while_at(TL_HERE, __VA_ARGS__)
TL_API void tl_while_at(tl_here at, tl_region_fn *cond, tl_region_fn *body, void *arg,
                        const tl_expr *init, uint32_t n, tl_expr *out);
// x = init; for (i = from; i < to; i++) x = body(i, x); out = x. body's in[0] is i, an i32 scalar,
// and x follows.
#define tl_for(...) tl_for_at(TL_HERE, __VA_ARGS__)
TL_API void tl_for_at(tl_here at, int64_t from, int64_t to, tl_region_fn *body, void *arg,
                      const tl_expr *init, uint32_t n, tl_expr *out);

typedef struct tl_scan_options {
  int64_t length; // of the loop where there are no xs; else 0
  bool reverse;   // from the last step to the first; ys stand where their xs stood
} tl_scan_options;
// A loop over the first axis of xs [n_xs] that carries state [n_state] and collects ys [n_ys]: at
// each step body's in[] is the state, then one slice of each of xs, and its out[] the new state,
// then one slice of each of ys. The last state is written to out_state, what was collected, with
// the loop's axis in front, to out_ys. options may be NULL.
#define tl_scan(...) tl_scan_at(TL_HERE, __VA_ARGS__)
TL_API void tl_scan_at(tl_here at, tl_region_fn *body, void *arg, const tl_expr *init,
                       uint32_t n_state, const tl_expr *xs, uint32_t n_xs,
                       const tl_scan_options *options, tl_expr *out_state, tl_expr *out_ys,
                       uint32_t n_ys);

#endif
