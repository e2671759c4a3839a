// tlaloc's public interface; includes the header of every area. Link with -ltlaloc (pkg-config, or
// tlaloc::library of the CMake package).
//
// The native device is also a PJRT plugin: libtlaloc_pjrt.so exports GetPjrtApi, which any PJRT
// client loads by path (`tlaloc_PJRT_PLUGIN` of the CMake package, `plugin` of pkg-config).
#ifndef TLALOC_TLALOC_H
#define TLALOC_TLALOC_H

#include "tlaloc/parallel.h"
#include "tlaloc/program.h"
#include "tlaloc/random.h"
#include "tlaloc/status.h"
#include "tlaloc/trace.h"
#include "tlaloc/version.h"

#endif
