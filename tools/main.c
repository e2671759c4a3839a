// tlaloc: the program. Commands are rows of commands.def; each lives in cmd_<name>.c.
#include "cli.h"

int main(int argc, char **argv) {
  static int (*const run[TL_CMD_COUNT])(const tl_cli *) = {
#define TL_COMMAND(id, args, least, most, help, details) [TL_CMD_##id] = tl_cmd_##id,
#include "commands.def"
#undef TL_COMMAND
  };
  tl_cli cli;
  int status = tl_cli_parse(argc, argv, &cli);
  if (status < 0) status = run[cli.command](&cli);
  tl_arena_destroy(cli.arena);
  return tl_cli_finish(status);
}
