// Between cmd_ad.c and cmd_check.c.
#ifndef TL_TOOLS_CMD_CHECK_H
#define TL_TOOLS_CMD_CHECK_H

#include "cli.h"

int tl_check_custom(const tl_cli *cli, bool forward); // the exit status

#endif
