// tlaloc's public interface; includes the header of every area.
//
// The runtime interface today is the PJRT C API: libtlaloc_pjrt.so exports GetPjrtApi, which any
// PJRT client loads by path (`tlaloc_PJRT_PLUGIN` of the CMake package, `plugin` of pkg-config).
#ifndef TLALOC_TLALOC_H
#define TLALOC_TLALOC_H

#include "tlaloc/version.h"

#endif
