// Functions of a module as readable C over <tlaloc/host.h>.
#ifndef TL_PROGRAM_EMIT_C_H
#define TL_PROGRAM_EMIT_C_H

#include "ir/ir.h"

typedef struct tl_emit_c_options { // zero-initialised: the defaults
  const char *prefix;              // of every C function's name; NULL: "fn_"
  bool no_include;                 // leave the #include out: the text goes behind another one
} tl_emit_c_options;

// Appends `fn` and the functions that it calls, or with fn NULL every function of the module: a C
// function each, one statement an op with a comment that names it. @loss becomes
//
//     tlh_tensor fn_loss(tlh *h, tlh_tensor v0, tlh_tensor v1);               of one result
//     void fn_loss(tlh *h, tlh_tensor v0, tlh_tensor v1, tlh_tensor out[2]);  of none, or several
//
// private functions are static. Compiled and linked with libtlaloc_host it gives the bits of the
// reference interpreter (docs/emit-c.md). `options` may be NULL. Errors: UNIMPLEMENTED, with the op
// and its place, for what host.def refuses; INVALID_ARGUMENT for a dim that is a symbol. On an
// error `out` is as it was.
tl_status tl_emit_c(const tl_module *m, const tl_func *fn, const tl_emit_c_options *options,
                    tl_buf *out);
// The C name of `fn` under the same m, fn and options: for who calls what was printed.
tl_status tl_emit_c_name(const tl_module *m, const tl_func *fn, const tl_emit_c_options *options,
                         tl_buf *out);

#endif
