// Sizes for the dims of a module that are no numbers.
//
// The new module has numbers in every type. Named dims are evaluated; a `?` without a name is what
// the op's rule makes of operands whose sizes are known; an op whose shape is an operand becomes
// the static op as soon as that operand is a constant, and integers that are computed from sizes
// are constants. Private functions are made anew for each set of argument types (and constant
// arguments) that they are called with. Every op passes its type rule again, with numbers.
//
// What is wrong is reported to `diags` at its place in the module's text, and INVALID_ARGUMENT is
// returned; `diags` may be NULL.
#ifndef TL_PASSES_SPECIALISE_H
#define TL_PASSES_SPECIALISE_H

#include "ir/ir.h"

// A name is a symbol of the module; or `arg<i>.<d>`, dim d of argument i of the entry, where that
// dim has no name; or the name that JAX gave it (jax.global_constant).
typedef struct tl_binding {
  tl_str name;
  int64_t size;
} tl_binding;

// "n=4,m=8". The list lives in `arena`.
tl_status tl_bindings_parse(tl_arena *arena, tl_str text, tl_binding **out, size_t *out_n);

tl_status tl_module_specialise(const tl_module *m, const tl_binding *bindings, size_t n,
                               tl_diags *diags, tl_module **out_module);

// Sizes from the types of the entry's arguments, [n]; of the public functions only the entry stays.
tl_status tl_module_specialise_to(const tl_module *m, tl_str entry, const tl_type *types,
                                  uint32_t n, tl_diags *diags, tl_module **out_module);

#endif
