#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Flags are rows, so parsing is one loop. A flag may stand before or after the arguments, its value
// behind a space or "=".

enum {
#define TL_COMMAND(id, args, least, most, help, details) BIT_##id = 1u << TL_CMD_##id,
#include "commands.def"
#undef TL_COMMAND
};
#define CHAT BIT_chat
#define GENERATE BIT_generate
#define EXPORT BIT_export
#define TOKENIZE BIT_tokenize
#define RUN BIT_run
#define BENCH BIT_bench

typedef enum { BOOL, U32, U64, F32, STR, U32S, STRS } flag_kind;

typedef struct flag_row {
  const char *name, *takes, *help;
  flag_kind kind;
  uint32_t commands;
  size_t field, has;
} flag_row;

static const flag_row flags[] = {
#define TL_FLAG(field, name, kind, takes, commands, help) \
  {name, takes, help, kind, commands, offsetof(tl_cli, field), offsetof(tl_cli, has_##field)},
#include "flags.def"
#undef TL_FLAG
};

typedef struct command_row {
  const char *name, *args, *help, *details;
  size_t least, most;
} command_row;

static const command_row commands[TL_CMD_COUNT] = {
#define TL_COMMAND(id, args, least, most, help, details) \
  [TL_CMD_##id] = {#id, args, help, details, least, most},
#include "commands.def"
#undef TL_COMMAND
};

static void print_help(void) {
  printf("tlaloc %s: from mathematics, or a model checkpoint, to a running program\n\nusage: "
         "tlaloc COMMAND [flags] …\n\n",
         TLALOC_VERSION);
  for (size_t i = 0; i < TL_CMD_COUNT; i++)
    printf("  %-10s %-22s %s\n", commands[i].name, commands[i].args, commands[i].help);
  printf("\n`tlaloc COMMAND --help` lists a command's flags; `tlaloc --version` prints the "
         "version.\n");
}

static void print_command_help(tl_command c) {
  printf("usage: tlaloc %s %s [flags]\n%s\n\n%s", commands[c].name, commands[c].args,
         commands[c].help, commands[c].details);
  for (size_t i = 0; i < TL_COUNT(flags); i++) {
    if (!(flags[i].commands & 1u << c)) continue;
    char left[64];
    snprintf(left, sizeof left, "--%s%s%s", flags[i].name, flags[i].takes ? " " : "",
             flags[i].takes ? flags[i].takes : "");
    printf("  %-24s %s\n", left, flags[i].help);
  }
}

int tl_cli_fail(tl_status st) {
  if (!st) return TL_EXIT_OK;
  fprintf(stderr, "tlaloc: %s\n", tl_status_message(st));
  tl_status_drop(st);
  return TL_EXIT_FAILED;
}

int tl_cli_usage(const tl_cli *cli, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  fprintf(stderr, "tlaloc %s: ", commands[cli->command].name);
  vfprintf(stderr, fmt, args);
  fputc('\n', stderr);
  va_end(args);
  return TL_EXIT_USAGE;
}

bool tl_stderr_is_terminal(void) {
  const char *no_color = getenv("NO_COLOR");
  return isatty(STDERR_FILENO) && !(no_color && *no_color);
}

tl_status tl_cli_ids(const char *text, tl_arena *a, int32_t **out_ids, size_t *out_len) {
  size_t n = 0, cap = strlen(text) / 2 + 1;
  int32_t *ids = TL_NEW(a, int32_t, cap);
  if (!ids) return TL_OOM();
  for (const char *at = text; *at;) {
    if (*at == ',' || *at == ' ' || *at == '\n') {
      at++;
      continue;
    }
    char *end;
    errno = 0;
    long id = strtol(at, &end, 10);
    if (end == at || errno || id < 0 || id > INT32_MAX ||
        (*end && *end != ',' && *end != ' ' && *end != '\n'))
      return TL_ERROR(INVALID_ARGUMENT,
                      "ids: '%s' at place %zu; wanted numbers from 0, with commas between", at,
                      (size_t)(at - text) + 1);
    ids[n++] = (int32_t)id;
    at = end;
  }
  *out_ids = ids;
  *out_len = n;
  return TL_OK;
}

static bool parse_u64(const char *text, uint64_t max, uint64_t *out) {
  return tl_str_to_u64(tl_str_of(text), out) && *out <= max;
}

// Stores a value; NULL when it is right, else what was wanted.
static const char *store(tl_cli *cli, const flag_row *f, const char *value) {
  void *field = (char *)cli + f->field;
  uint64_t u;
  double d;
  *(bool *)((char *)cli + f->has) = true;
  switch (f->kind) {
  case BOOL:
    *(bool *)field = true;
    return NULL;
  case U32:
    if (!parse_u64(value, UINT32_MAX, &u)) return "a whole number from 0";
    *(uint32_t *)field = (uint32_t)u;
    return NULL;
  case U64:
    if (!parse_u64(value, UINT64_MAX, &u)) return "a whole number from 0";
    *(uint64_t *)field = u;
    return NULL;
  case F32:
    if (!tl_str_to_f64(tl_str_of(value), &d) || !isfinite(d)) return "a number";
    *(float *)field = (float)d;
    return NULL;
  case STR:
    *(const char **)field = value;
    return NULL;
  case U32S: {
    tl_u32s *list = field;
    list->ptr = TL_NEW(cli->arena, uint32_t, strlen(value) / 2 + 1);
    list->len = 0;
    for (const char *at = value; list->ptr;) {
      size_t n = strcspn(at, ",");
      if (!tl_str_to_u64((tl_str){at, n}, &u) || u > UINT32_MAX)
        return "whole numbers with commas between";
      list->ptr[list->len++] = (uint32_t)u;
      if (!at[n]) return NULL;
      at += n + 1;
    }
    return "less";
  }
  case STRS: {
    tl_strs *list = field;
    const char **grown = TL_NEW(cli->arena, const char *, list->len + 1);
    if (!grown) return "less";
    if (list->len) memcpy(grown, list->ptr, list->len * sizeof *grown);
    grown[list->len] = value;
    *list = (tl_strs){grown, list->len + 1};
    return NULL;
  }
  }
  return "something else";
}

static const flag_row *find_flag(tl_command c, tl_str name) {
  for (size_t i = 0; i < TL_COUNT(flags); i++)
    if (flags[i].commands & 1u << c && tl_str_is(name, flags[i].name)) return &flags[i];
  return NULL;
}

static int unknown_flag(const tl_cli *cli, tl_str name) {
  const char *names[TL_COUNT(flags)];
  size_t n = 0;
  for (size_t i = 0; i < TL_COUNT(flags); i++)
    if (flags[i].commands & 1u << cli->command) names[n++] = flags[i].name;
  const char *near = tl_str_nearest(name, names, n);
  if (near)
    return tl_cli_usage(cli, "no flag --" TL_STR_FMT "; did you mean --%s?", TL_STR_ARG(name),
                        near);
  return tl_cli_usage(cli, "no flag --" TL_STR_FMT "; `tlaloc %s --help` lists them",
                      TL_STR_ARG(name), commands[cli->command].name);
}

static int parse_flag(tl_cli *cli, int argc, char **argv, int *i) { // argv[*i] starts with '-'
  tl_str word = tl_str_of(argv[*i]);
  if (tl_str_is(word, "-o")) word = TL_STR("--out");
  if (tl_str_is(word, "-h")) word = TL_STR("--help");
  if (!tl_str_starts(word, TL_STR("--"))) return unknown_flag(cli, tl_str_sub(word, 1, word.len));
  word = tl_str_sub(word, 2, word.len);
  const char *equals = memchr(word.ptr, '=', word.len);
  tl_str name = equals ? (tl_str){word.ptr, (size_t)(equals - word.ptr)} : word;
  if (tl_str_is(name, "help")) {
    print_command_help(cli->command);
    return TL_EXIT_OK;
  }
  const flag_row *f = find_flag(cli->command, name);
  if (!f) return unknown_flag(cli, name);
  const char *value = equals ? equals + 1 : NULL;
  if (f->kind == BOOL && value)
    return tl_cli_usage(cli, "--%s takes no value, got '%s'", f->name, value);
  if (f->kind != BOOL && !value) {
    if (*i + 1 >= argc) return tl_cli_usage(cli, "--%s wants %s behind it", f->name, f->takes);
    value = argv[++*i];
  }
  const char *wanted = store(cli, f, value);
  if (wanted) return tl_cli_usage(cli, "--%s: '%s'; wanted %s", f->name, value, wanted);
  return -1;
}

int tl_cli_parse(int argc, char **argv, tl_cli *cli) {
  *cli = (tl_cli){.program = argv[0]};
  if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
      strcmp(argv[1], "help") == 0) {
    print_help();
    return argc < 2 ? TL_EXIT_USAGE : TL_EXIT_OK;
  }
  if (strcmp(argv[1], "--version") == 0) {
    printf("tlaloc %s\n", TLALOC_VERSION);
    return TL_EXIT_OK;
  }
  cli->command = TL_CMD_COUNT;
  const char *names[TL_CMD_COUNT];
  for (size_t i = 0; i < TL_CMD_COUNT; i++) {
    names[i] = commands[i].name;
    if (strcmp(argv[1], names[i]) == 0) cli->command = (tl_command)i;
  }
  if (cli->command == TL_CMD_COUNT) {
    const char *near = tl_str_nearest(tl_str_of(argv[1]), names, TL_CMD_COUNT);
    fprintf(stderr, "tlaloc: no command '%s'; %s%s%s\n", argv[1], near ? "did you mean '" : "",
            near ? near : "`tlaloc --help` lists them", near ? "'?" : "");
    return TL_EXIT_USAGE;
  }
  cli->arena = tl_arena_create();
  if (!cli->arena) return tl_cli_fail(TL_OOM());
  const command_row *c = &commands[cli->command];
  bool only_args = false;
  for (int i = 2; i < argc; i++) {
    if (!only_args && strcmp(argv[i], "--") == 0) {
      only_args = true;
    } else if (!only_args && argv[i][0] == '-' && argv[i][1]) {
      int done = parse_flag(cli, argc, argv, &i);
      if (done >= 0) return done;
    } else {
      if (cli->n_args == c->most || cli->n_args == TL_COUNT(cli->args))
        return tl_cli_usage(cli, "'%s' is one argument too many; usage: tlaloc %s %s", argv[i],
                            c->name, c->args);
      cli->args[cli->n_args++] = argv[i];
    }
  }
  if (cli->n_args < c->least) return tl_cli_usage(cli, "usage: tlaloc %s %s", c->name, c->args);
  return -1;
}
