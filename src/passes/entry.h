// One function of a module as its program.
#ifndef TL_PASSES_ENTRY_H
#define TL_PASSES_ENTRY_H

#include "ir/ir.h"

// Devices run @main: `entry` takes that name and becomes public; every other function that it
// reaches becomes private, and what it does not reach is dropped. In place. Errors: memory;
// UNIMPLEMENTED where entry calls another function named main.
tl_status tl_module_make_main(tl_module *m, tl_func *entry);

// Another name for a function that no op refers to; copied. ALREADY_EXISTS where it is taken.
tl_status tl_module_rename(tl_module *m, tl_func *fn, tl_str name);

#endif
