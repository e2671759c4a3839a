// What the calls that make_calls.c prints hand to host.c.
#ifndef TL_REF_HOST_CALL_H
#define TL_REF_HOST_CALL_H

#include "ir/ir.h"
#include <tlaloc/host.h>

// An attribute by its place in its op's rows; which member counts is its kind's matter.
typedef struct host_attr {
  union {
    int64_t i64; // whole numbers, truth values, enumerators
    double f64;
    const char *text;
    tlh_list list;
  };
  bool absent; // has its default
} host_attr;

typedef struct host_call {
  tl_opcode code;
  const tlh_type *type; // NULL, or the last result's
  size_t n_in, n_out;   // n_out 0: as many as the op has
  const tlh_tensor *in;
  tlh_tensor *out; // [n_out]; NULL: only the first is wanted
  const host_attr *attrs;
  const tlh_region *regions;
} host_call;

// Result 0.
tlh_tensor tl_host_call(tlh *h, const host_call *call);

#endif
