// The command line: commands.def and flags.def as a parser, and what commands share.
#ifndef TL_TOOLS_CLI_H
#define TL_TOOLS_CLI_H

#include "base/str.h"

typedef enum {
#define TL_COMMAND(id, args, least, most, help, details) TL_CMD_##id,
#include "commands.def"
#undef TL_COMMAND
  TL_CMD_COUNT
} tl_command;

typedef struct tl_u32s {
  uint32_t *ptr;
  size_t len;
} tl_u32s;
typedef struct tl_strs {
  const char **ptr;
  size_t len;
} tl_strs;

typedef struct tl_cli { // every flag as a field; has_<field> says whether it was given
  tl_command command;
  const char *args[2];
  size_t n_args;
  const char *program; // argv[0]
  tl_arena *arena;
#define TL_KIND_BOOL bool
#define TL_KIND_U32 uint32_t
#define TL_KIND_U64 uint64_t
#define TL_KIND_F32 float
#define TL_KIND_STR const char *
#define TL_KIND_CHOICE const char *
#define TL_KIND_U32S tl_u32s
#define TL_KIND_STRS tl_strs
#define TL_FLAG(field, name, kind, takes, least, most, commands, help) TL_KIND_##kind field;
#include "flags.def"
#undef TL_FLAG
#define TL_FLAG(field, name, kind, takes, least, most, commands, help) bool has_##field;
#include "flags.def"
#undef TL_FLAG
#undef TL_KIND_BOOL
#undef TL_KIND_U32
#undef TL_KIND_U64
#undef TL_KIND_F32
#undef TL_KIND_STR
#undef TL_KIND_CHOICE
#undef TL_KIND_U32S
#undef TL_KIND_STRS
} tl_cli;

enum { TL_EXIT_OK = 0, TL_EXIT_FAILED = 1, TL_EXIT_USAGE = 2, TL_EXIT_INTERRUPTED = 130 };

// Parses argv. Returns -1 to go on, or the exit status when there is nothing more to do: help and
// version are printed, a mistake is one line on stderr with the nearest right word.
int tl_cli_parse(int argc, char **argv, tl_cli *cli);
// "tlaloc: message" on stderr; drops st; TL_EXIT_FAILED (or OK for NULL).
int tl_cli_fail(tl_status st);
// Flushes stdout. The exit status: `status`, or TL_EXIT_FAILED after a line on stderr when what was
// written is lost (no line where the reader of a pipe went away).
int tl_cli_finish(int status);
// One line on stderr, TL_EXIT_USAGE.
int tl_cli_usage(const tl_cli *cli, const char *fmt, ...) TL_PRINTF(2, 3);
// Comma- or space-separated ids.
tl_status tl_cli_ids(const char *text, tl_arena *a, int32_t **out_ids, size_t *out_len);
// And NO_COLOR is not set: colours and progress lines may be drawn.
bool tl_stderr_is_terminal(void);

// The commands: each returns the exit status.
#define TL_COMMAND(id, args, least, most, help, details) int tl_cmd_##id(const tl_cli *cli);
#include "commands.def"
#undef TL_COMMAND

#endif
