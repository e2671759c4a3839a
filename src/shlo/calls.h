// custom_calls that are read into other ops: JAX's linear algebra. Inside src/shlo only.
#ifndef TL_SHLO_CALLS_H
#define TL_SHLO_CALLS_H

#include "ir/build.h"

// A call as it stands in a module. Texts may be empty.
typedef struct tl_call {
  tl_str target;
  tl_str
      config; // backend_config or mhlo.backend_config: a dictionary {uplo = 76 : ui8}, or "1,1,100"
  tl_str computation;                     // the one of called_computations
  tl_str operand_layouts, result_layouts; // [dense<[0, 1]> : tensor<2xindex>, …]
  const tl_value *operands;
  const tl_type *results;
  uint32_t n_operands, n_results;
} tl_call;

// Whether calls.def has a row for the target; *out_why, where it is not NULL, says what a refused
// one would be.
bool tl_call_is_known(tl_str target, const char **out_why);
// The ops that the call means, at the builder; out_values [n_results]. INVALID_ARGUMENT says what
// of the call is not as its row wants it.
tl_status tl_call_read(tl_builder *b, const tl_call *call, tl_value *out_values);

#endif
