// StableHLO text: the only text of the IR, out and in.
#ifndef TL_SHLO_SHLO_H
#define TL_SHLO_SHLO_H

#include "ir/ir.h"

typedef struct tl_shlo_print_options {
  bool no_wrapper;   // the one function at column 0, without `module { }`
  bool no_alias;     // leave tf.aliasing_output out (the published form of the reference bodies)
  bool hex_literals; // constants over 16 elements as dense<"0x…">
} tl_shlo_print_options;

// Prints a verified module. Named ops print as composites "tlaloc.<mnemonic>" whose decompositions
// are printed as private functions after the module's own, one per distinct (op, attributes,
// types). The rules of the text stand at the top of print.c and spell.c.
tl_status tl_shlo_print(const tl_module *m, const tl_shlo_print_options *options, tl_buf *out);

// Parses StableHLO text (pretty and generic forms, func, composites). Every mistake found is in
// `diags` with its place; returns INVALID_ARGUMENT then. `name` is the file's name in locations.
// The module is verified. A composite "tlaloc.<mnemonic>" whose name, version, attributes and
// decomposition equal what we would print becomes the named op; any other stays a composite, whose
// body runs. `text` must outlive only the call (diags->source is set to it).
tl_status tl_shlo_parse(tl_str text, const char *name, tl_diags *diags, tl_module **out_module);

#endif
