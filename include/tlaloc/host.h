// Tensors in plain C: a call an op, with the bits of the reference interpreter.
//
// This is what `--emit c` prints over, and it reads well by hand too. Each tlh_<op> evaluates one
// op of StableHLO, or one of tlaloc's named ops, by the very function that the interpreter uses for
// it, so a printed program and the interpreted one agree bit for bit. It is made for programs of a
// size that a person reads: every call checks types and shapes as the verifier does.
//
//     tlh *h = tlh_create();
//     tlh_tensor x = {TLH_TYPE(TLH_F32, 2, 3), (const float[]){1, 2, 3, 4, 5, 6}};
//     tlh_tensor y = tlh_tanh(h, tlh_add(h, x, x));
//     if (tlh_error(h)) puts(tlh_error(h));
//     else printf("%g\n", ((const float *)y.data)[5]);
//     tlh_destroy(h);
//
// Link with -ltlaloc_host. One thread at a time per `tlh`; several of them are independent.
//
// Errors. A `tlh` keeps its first error and turns later calls into no-ops that give an empty
// tensor, so ask tlh_error once, at the end. tlh_true is false then, and loops end.
//
// Memory. What a call gives lives in the `tlh` until tlh_keep lets go of it, or tlh_clear, or
// tlh_destroy. Tensors of the caller's own are borrowed, and never written.
//
// host_types.h and host_ops.h, which this header includes, are made from the tables that tlaloc
// itself is made from.
#ifndef TLALOC_HOST_H
#define TLALOC_HOST_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TLH_API __attribute__((visibility("default")))
#else
#define TLH_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// The element types and the enumerations that ops take.
#include "tlaloc/host_types.h"

typedef struct tlh tlh;

typedef struct tlh_type {
  tlh_dtype dtype;
  uint32_t rank;
  const int64_t *dims; // [rank] outermost first; NULL at rank 0
} tlh_type;
#define TLH_DIMS_(...) \
  (const int64_t[]) { __VA_ARGS__ }
// TLH_TYPE(TLH_F32, 2, 3) is a 2x3 matrix; it lasts as long as the block that it is written in.
#define TLH_TYPE(dtype, ...)                                                         \
  ((tlh_type){(dtype), (uint32_t)(sizeof(TLH_DIMS_(__VA_ARGS__)) / sizeof(int64_t)), \
              TLH_DIMS_(__VA_ARGS__)})
#define TLH_SCALAR(dtype) ((tlh_type){(dtype), 0, NULL})
// In place of a result's type: the one that the operands decide.
#define TLH_INFER ((tlh_type){.rank = UINT32_MAX})

// Row-major and dense. An element is of the C type that stands beside its tlh_dtype.
typedef struct tlh_tensor {
  tlh_type type;
  const void *data;
} tlh_tensor;

// Whole numbers that an op takes: dims, sizes, paddings (low and high of each dim in turn).
typedef struct tlh_list {
  const int64_t *ptr;
  size_t len;
} tlh_list;
#define TLH_LIST(...) \
  ((tlh_list){TLH_DIMS_(__VA_ARGS__), sizeof(TLH_DIMS_(__VA_ARGS__)) / sizeof(int64_t)})
#define TLH_NONE ((tlh_list){NULL, 0})

// Operands of an op that takes any number of them: the count and the list.
#define TLH_ALL(...)                                                                     \
  sizeof((const tlh_tensor[]){__VA_ARGS__}) / sizeof(tlh_tensor), (const tlh_tensor[]) { \
    __VA_ARGS__                                                                          \
  }

// ---- Regions: what reduce, scatter, sort, ... do with elements ----

// A function of scalars in[] that fills out[]; `outer` is the region's.
typedef void tlh_body(tlh *h, const tlh_tensor *in, tlh_tensor *out, const tlh_tensor *outer);
// Either one op on two elements, TLH_BY(TLH_ADD), or a function of the caller's,
// {.body = compare_rows}. Of one op the interpreter knows the best order, sums among them.
typedef struct tlh_region {
  tlh_combiner op; // where there is no body
  tlh_body *body;
  const tlh_tensor *outer; // for the body: what it reads besides its arguments
  size_t n_dtypes;         // 0: what goes round has the types of the elements
  const tlh_dtype *dtypes; // [n_dtypes] or these, which are wider; of map, its result's
} tlh_region;
#define TLH_BY(combiner) ((tlh_region){.op = (combiner)})

// ---- The context ----

TLH_API tlh *tlh_create(void); // NULL when memory is gone
TLH_API void tlh_destroy(tlh *h);
TLH_API const char *tlh_error(const tlh *h); // NULL: none. Borrowed until tlh_clear
TLH_API void tlh_clear(tlh *h); // forgets the error, everything that was made, and where rng was

// Lets go of what was made since `mark`, but for these values [n], the first of which it returns.
// Either all of a value's memory stays or none of it.
TLH_API size_t tlh_mark(const tlh *h);
TLH_API tlh_tensor tlh_keep(tlh *h, size_t mark, size_t n, const tlh_tensor *values);
// The end of a loop's round: state [n] becomes next [n], all at once, and the rest is let go.
TLH_API void tlh_next(tlh *h, size_t mark, size_t n, tlh_tensor *state, const tlh_tensor *next);

// ---- In and out ----

// A tensor with a copy of `data`, or with one element for all.
TLH_API tlh_tensor tlh_constant(tlh *h, tlh_type type, const void *data);
TLH_API tlh_tensor tlh_splat(tlh *h, tlh_type type, const void *element);
TLH_API size_t tlh_count(tlh_tensor t); // elements
// Element i of any type but a complex one, whose parts count singly. Exact, but for integers past
// 2^53. NaN after an error or where there is no such element.
TLH_API double tlh_at(tlh *h, tlh_tensor t, size_t i);

// ---- Control flow ----

TLH_API bool tlh_true(tlh *h, tlh_tensor scalar); // of an i1; false after an error
// The branch of a case of n: the index, or the last one where it lies outside.
TLH_API int64_t tlh_case(tlh *h, tlh_tensor index, int64_t n);

// ---- A call an op ----
//
// Each takes its operands in their order, then its attributes, in the order of StableHLO's names
// for them; where they are many, in a struct, in which 0 and an empty list stand for the default.
// `type` is the result's, where operands do not decide it. One result is returned; several go to
// out[]; of an op with any number of them the first is returned, and out may be NULL.
#include "tlaloc/host_ops.h"

#ifdef __cplusplus
}
#endif

#endif
