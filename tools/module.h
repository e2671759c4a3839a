// StableHLO modules as the commands read and write them.
#ifndef TL_TOOLS_MODULE_H
#define TL_TOOLS_MODULE_H

#include "cli.h"
#include "ir/ir.h"

// Reads and verifies the module at cli->args[0], "-" being stdin. Mistakes in it are shown in its
// text on stderr; *out_shown then says that the status needs no further line. `text` is the
// caller's to deinit.
tl_status tl_cli_module_read(const tl_cli *cli, tl_buf *text, tl_module **out_module,
                             bool *out_shown);
const char *tl_cli_module_name(const tl_cli *cli); // in messages: args[0], or <stdin>
// The function of --entry, which is @main afterwards; `text` is then that of the module it leaves.
// NOT_FOUND names what was meant.
tl_status tl_cli_entry(const tl_cli *cli, tl_module *m, tl_buf *text, const tl_func **out_entry);
// The canonical text of a verified module: to cli->out, which is written whole or not at all, or to
// stdout.
tl_status tl_cli_module_write(const tl_cli *cli, const tl_module *m);
// --emit: that text, or with `c` the C of `fn` and of what it calls, of every function where it is
// NULL.
tl_status tl_cli_module_emit(const tl_cli *cli, const tl_module *m, const tl_func *fn);

// --explain: what the native device would do, on stdout, with the bounds that --limits gives; the
// same compilation that the plugin does, and nothing runs. Takes the module.
tl_status tl_cli_explain(const tl_cli *cli, tl_module **m);

// Prints what was reported, with its lines, to stderr; *out_shown is set when that was an error.
void tl_cli_module_show(const tl_diags *diags, bool *out_shown);

#endif
