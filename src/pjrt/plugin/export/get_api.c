// The one symbol that libtlaloc_pjrt.so exports.
#include "base/base.h"
#include "pjrt/plugin/plugin.h"

TL_API const PJRT_Api *GetPjrtApi(void);
const PJRT_Api *GetPjrtApi(void) { return tl_plugin_api(); }
