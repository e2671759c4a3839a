// Any bytes: an answer or a refusal, never a read outside.
#include "pjrt/plugin/options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tlp_compile_options o;
  tl_status_drop(tlp_options_read((tl_str){(const char *)data, size}, &o));
  return 0;
}
