// What we read of the compile options (a serialised CompileOptionsProto): how many devices the
// program is for.
#ifndef TL_PJRT_PLUGIN_OPTIONS_H
#define TL_PJRT_PLUGIN_OPTIONS_H

#include "base/str.h"

typedef struct tlp_compile_options {
  int64_t num_replicas, num_partitions; // 0: not said
} tlp_compile_options;

// INVALID_ARGUMENT, with the byte's place, for what is no protocol buffer.
tl_status tlp_options_read(tl_str bytes, tlp_compile_options *out);

#endif
