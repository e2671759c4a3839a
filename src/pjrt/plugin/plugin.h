// Our PJRT plugin: the native CPU backend behind the PJRT function table. The platform is called
// "tlaloc".
//
// The same table is linked into the tlaloc program (tl_pjrt_open_api(tl_plugin_api(), ...)) and
// exported by the shared object libtlaloc_pjrt.so as GetPjrtApi.
//
// Create options of a client: threads (int64; 0 or absent: as many as the process may use),
// interpreter (bool: every program runs whole through the reference interpreter).
#ifndef TL_PJRT_PLUGIN_PLUGIN_H
#define TL_PJRT_PLUGIN_PLUGIN_H

#include "pjrt/abi.h"

const PJRT_Api *tl_plugin_api(void); // never NULL; immutable

#endif
