// Elements, strings and names of element types as C has them.
#ifndef TL_PROGRAM_EMIT_C_LITERAL_H
#define TL_PROGRAM_EMIT_C_LITERAL_H

#include "ir/ir.h"

const char *tl_c_dtype(tl_dtype d); // "F32"
// The C type of the array that holds l's elements: "float", or "uint32_t" where some NaN can only
// be said by its bits.
const char *tl_c_element(const tl_literal *l);
// All of them, comma between, so that they read back to the same bits; a splat's one. Broken into
// lines that begin `indent` columns in, 0: one line.
void tl_c_put_elements(tl_buf *out, const tl_literal *l, uint32_t indent);
void tl_c_put_element(tl_buf *out, tl_dtype d, const void *element);
void tl_c_put_string(tl_buf *out, tl_str text); // quoted

#endif
