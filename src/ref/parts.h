// The parts of a tensor that the devices of a mesh hold.
#ifndef TL_REF_PARTS_H
#define TL_REF_PARTS_H

#include "ref/ref.h"

// Copies the part of `global` that the device at `place` of the mesh holds to `local` (to_local),
// or back. Only axes of `manual` cut; NULL: none. The mesh is one of m's, and the sharding's.
void tl_part_copy(const tl_module *m, const tl_sharding *s, const tl_names *manual, int64_t place,
                  tl_tensor global, tl_tensor local, bool to_local);

#endif
