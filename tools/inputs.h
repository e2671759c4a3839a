// The arrays of --input, for commands that run a module's @main.
#ifndef TL_TOOLS_INPUTS_H
#define TL_TOOLS_INPUTS_H

#include "cli.h"
#include "npy.h"

// Reads them for the arguments of fn; INVALID_ARGUMENT names the file that does not fit. *out_in
// [cli->inputs.len] is the caller's to close, also on failure.
tl_status tl_cli_inputs_read(const tl_cli *cli, const tl_func *fn, tl_npy **out_in);
void tl_cli_inputs_close(const tl_cli *cli, tl_npy *in); // NULL is allowed
// With --devices an input may be a list, its first dim a row a device; any other goes to all.
bool tl_cli_input_is_list(const tl_cli *cli, tl_type given, tl_type wanted);
// A module with sizes that are symbols gets them from the inputs' shapes: *m and its text become
// those of a module with numbers. Mistakes are shown as tl_cli_module_read shows them.
tl_status tl_cli_specialise(const tl_cli *cli, const tl_npy *in, tl_buf *text, tl_module **m,
                            bool *out_shown);

#endif
