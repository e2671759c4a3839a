// NumPy's .npy files, versions 1 to 3, little endian, C order: arrays in and out of the command
// line.
#ifndef TL_TOOLS_NPY_H
#define TL_TOOLS_NPY_H

#include "base/file.h"
#include "ir/ir.h"

typedef struct tl_npy {
  tl_type type;        // dims in the arena given to read
  const uint8_t *data; // into the map
  tl_file_map map;
} tl_npy;

// INVALID_ARGUMENT names file, what was found and what was wanted. bf16 is NumPy's two-byte void
// ('|V2'). NumPy has no integers of 2 and 4 bits and no floats of a byte or less: they are written
// as int8 and uint8, the floats as their codes, and read so too (floats as one-byte voids as well).
tl_status tl_npy_read(const char *path, tl_arena *a, tl_npy *out);
// Makes an array of int8 or uint8 one of `wanted`, where that is such a type: every element must
// fit. Leaves any other as it is.
tl_status tl_npy_as(tl_npy *n, const char *path, tl_dtype wanted);
void tl_npy_close(tl_npy *n);
tl_status tl_npy_write(const char *path, tl_type type, const void *data);

#endif
