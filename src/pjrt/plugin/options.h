// What we read of the compile options (a serialised CompileOptionsProto): how many devices the
// program is for, and which.
#ifndef TL_PJRT_PLUGIN_OPTIONS_H
#define TL_PJRT_PLUGIN_OPTIONS_H

#include "base/str.h"

enum { TLP_MAX_ASSIGNED = 64 };

typedef struct tlp_compile_options {
  int64_t num_replicas, num_partitions; // 0: not said
  bool spmd; // use_spmd_partitioning: the program is of the whole, devices hold parts
  // Of the device assignment, partition after partition a device for each of its replicas.
  int64_t devices[TLP_MAX_ASSIGNED];
  size_t n_devices; // 0: none was given
} tlp_compile_options;

// INVALID_ARGUMENT, with the byte's place, for what is no protocol buffer.
tl_status tlp_options_read(tl_str bytes, tlp_compile_options *out);

#endif
