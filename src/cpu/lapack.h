// LAPACK, where this machine has one: opened on the first use, for symmetric eigenvalues and
// singular values of matrices that are not small (docs/design/linear-algebra.md).
#ifndef TL_CPU_LAPACK_H
#define TL_CPU_LAPACK_H

#include "base/base.h"

// The Fortran interface: everything by address, matrices column-major, lengths of characters
// behind.
typedef int32_t tl_lapack_int;
typedef void tl_lapack_syevd(const char *jobz, const char *uplo, const tl_lapack_int *n, void *a,
                             const tl_lapack_int *lda, void *w, void *work,
                             const tl_lapack_int *lwork, tl_lapack_int *iwork,
                             const tl_lapack_int *liwork, tl_lapack_int *info, size_t, size_t);
typedef void tl_lapack_gesdd(const char *jobz, const tl_lapack_int *m, const tl_lapack_int *n,
                             void *a, const tl_lapack_int *lda, void *s, void *u,
                             const tl_lapack_int *ldu, void *vt, const tl_lapack_int *ldvt,
                             void *work, const tl_lapack_int *lwork, tl_lapack_int *iwork,
                             tl_lapack_int *info, size_t);

typedef struct tl_lapack { // [0] of f32, [1] of f64
  tl_lapack_syevd *syevd[2];
  tl_lapack_gesdd *gesdd[2];
} tl_lapack;

// NULL where there is none, or TLALOC_LAPACK is 0. Any thread; the answer does not change.
const tl_lapack *tl_lapack_get(void);

#endif
