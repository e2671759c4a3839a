// Prototypes of one variant's kernels; V(name) is defined by its v16 header.
#ifndef V
#error "include a v16 header first"
#endif
#define TL_KERNEL(name, args) void V(name)(const args *a);
#include "cpu/kernels/kernels.def"
#undef TL_KERNEL
