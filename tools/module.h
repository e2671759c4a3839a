// StableHLO modules as the commands read and write them.
#ifndef TL_TOOLS_MODULE_H
#define TL_TOOLS_MODULE_H

#include "cli.h"
#include "ir/ir.h"

// Reads and verifies the module at cli->args[0]. Mistakes in it are shown in its text on stderr;
// *out_shown then says that the status needs no further line. `text` is the caller's to deinit.
tl_status tl_cli_module_read(const tl_cli *cli, tl_buf *text, tl_module **out_module,
                             bool *out_shown);
// The canonical text of a verified module: to cli->out, which is written whole or not at all, or to
// stdout.
tl_status tl_cli_module_write(const tl_cli *cli, const tl_module *m);

#endif
