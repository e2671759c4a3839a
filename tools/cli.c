#include "cli.h"

#include <errno.h>
#include <poll.h>
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
#define INSPECT BIT_inspect
#define DEVICES BIT_devices
#define TOKENIZE BIT_tokenize
#define RUN BIT_run
#define BENCH BIT_bench
#define FMT BIT_fmt
#define OPT BIT_opt
#define GRAD BIT_grad
#define JVP BIT_jvp
#define VJP BIT_vjp
#define HESSIAN BIT_hessian
#define VMAP BIT_vmap
#define AD_ALL (GRAD | JVP | VJP | HESSIAN | VMAP)

#define U32_MAX 4294967295.0

typedef enum { BOOL, U32, U64, F32, STR, CHOICE, U32S, STRS } flag_kind;

typedef struct flag_row {
  const char *name, *takes, *help;
  flag_kind kind;
  uint32_t commands;
  double least, most; // of U32 and F32
  size_t field, has;
} flag_row;

static const flag_row flags[] = {
#define TL_FLAG(field, name, kind, takes, least, most, commands, help) \
  {name,                                                               \
   takes,                                                              \
   help,                                                               \
   kind,                                                               \
   commands,                                                           \
   least,                                                              \
   most,                                                               \
   offsetof(tl_cli, field),                                            \
   offsetof(tl_cli, has_##field)},
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

// The first flag from `i` on that the command knows; TL_COUNT(flags) when there is none.
static size_t next_flag(tl_command c, size_t i) {
  while (i < TL_COUNT(flags) && !(flags[i].commands & 1u << c))
    i++;
  return i;
}

static void print_usage(FILE *to, tl_command c) {
  fprintf(to, "usage: tlaloc %s%s%s%s\n", commands[c].name, *commands[c].args ? " " : "",
          commands[c].args, next_flag(c, 0) < TL_COUNT(flags) ? " [flags]" : "");
}

static void print_help(FILE *to) {
  fprintf(to,
          "tlaloc %s: from mathematics, or a model checkpoint, to a running program\n\n"
          "usage: tlaloc COMMAND [flags] …\n\n",
          TLALOC_VERSION);
  for (size_t i = 0; i < TL_CMD_COUNT; i++)
    fprintf(to, "  %-10s %-22s %s\n", commands[i].name, commands[i].args, commands[i].help);
  fprintf(to, "\n`tlaloc COMMAND --help` lists a command's flags; `tlaloc --version` prints the "
              "version.\n");
}

static int columns(const char *text) { // printf pads bytes; "…" is three
  int n = 0;
  for (; *text; text++)
    n += (*text & 0xc0) != 0x80;
  return n;
}

static void print_command_help(tl_command c) {
  const bool has_flags = next_flag(c, 0) < TL_COUNT(flags);
  print_usage(stdout, c);
  printf("%s\n%s%s%s", commands[c].help, *commands[c].details ? "\n" : "", commands[c].details,
         has_flags ? "\n" : "");
  for (size_t i = next_flag(c, 0); i < TL_COUNT(flags); i = next_flag(c, i + 1)) {
    char left[64];
    snprintf(left, sizeof left, "--%s%s%s", flags[i].name, flags[i].takes ? " " : "",
             flags[i].takes ? flags[i].takes : "");
    printf("  %s%*s %s\n", left, TL_MAX(26 - columns(left), 0), "", flags[i].help);
  }
}

int tl_cli_fail(tl_status st) {
  if (!st) return TL_EXIT_OK;
  enum { SHOWN = 2000 }; // a message may quote a token of megabytes
  const char *text = tl_status_message(st);
  size_t len = strlen(text), shown = TL_MIN(len, (size_t)SHOWN);
  while (shown < len && (text[shown] & 0xc0) == 0x80)
    shown--; // whole characters
  fprintf(stderr, "tlaloc: %.*s%s\n", (int)shown, text, shown < len ? " …" : "");
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
                      "'%.*s' at byte %zu of the ids; wanted numbers from 0, with commas between",
                      (int)TL_MIN(strcspn(at, ", \n"), (size_t)40), at, (size_t)(at - text) + 1);
    ids[n++] = (int32_t)id;
    at = end;
  }
  *out_ids = ids;
  *out_len = n;
  return TL_OK;
}

// One of "a|b|c"; the nearest of them when it is none, or NULL.
static bool is_choice(const char *takes, const char *value, char *out_near, size_t cap) {
  char copy[64];
  const char *names[8];
  size_t n = 0;
  snprintf(copy, sizeof copy, "%s", takes);
  for (char *save, *at = strtok_r(copy, "|", &save); at; at = strtok_r(NULL, "|", &save))
    names[n++] = at;
  for (size_t i = 0; i < n; i++)
    if (strcmp(names[i], value) == 0) return true;
  const char *near = tl_str_nearest(tl_str_of(value), names, n);
  snprintf(out_near, cap, "%s", near ? near : "");
  return false;
}

// Stores a value. Where it is wrong, what was wanted lies in `wanted`.
static bool store(tl_cli *cli, const flag_row *f, const char *value, char wanted[160]) {
  enum { WANTED = 160 };
  void *field = (char *)cli + f->field;
  uint64_t u;
  double d;
  *(bool *)((char *)cli + f->has) = true;
  switch (f->kind) {
  case BOOL:
    *(bool *)field = true;
    return true;
  case U32:
    if (!tl_str_to_u64(tl_str_of(value), &u) || (double)u < f->least || (double)u > f->most) {
      snprintf(wanted, WANTED, "a whole number from %.0f to %.0f", f->least, f->most);
      return false;
    }
    *(uint32_t *)field = (uint32_t)u;
    return true;
  case U64:
    if (!tl_str_to_u64(tl_str_of(value), &u)) {
      snprintf(wanted, WANTED, "a whole number from 0 to %llu", (unsigned long long)UINT64_MAX);
      return false;
    }
    *(uint64_t *)field = u;
    return true;
  case F32:
    if (!tl_str_to_f64(tl_str_of(value), &d) || !(d >= f->least && d <= f->most)) { // a NaN neither
      snprintf(wanted, WANTED, "a number from %g to %g", f->least, f->most);
      return false;
    }
    *(float *)field = (float)d;
    return true;
  case STR:
    *(const char **)field = value;
    return true;
  case CHOICE: {
    char near[64];
    if (!is_choice(f->takes, value, near, sizeof near)) {
      snprintf(wanted, WANTED, "%s%s%s%s", f->takes, *near ? "; did you mean " : "", near,
               *near ? "?" : "");
      return false;
    }
    *(const char **)field = value;
    return true;
  }
  case U32S: {
    tl_u32s *list = field;
    list->ptr = TL_NEW(cli->arena, uint32_t, strlen(value) / 2 + 1);
    list->len = 0;
    for (const char *at = value; list->ptr;) {
      size_t n = strcspn(at, ",");
      if (!tl_str_to_u64((tl_str){at, n}, &u) || u > UINT32_MAX) {
        snprintf(wanted, WANTED, "whole numbers with commas between");
        return false;
      }
      list->ptr[list->len++] = (uint32_t)u;
      if (!at[n]) return true;
      at += n + 1;
    }
    snprintf(wanted, WANTED, "less than memory can hold");
    return false;
  }
  case STRS: {
    tl_strs *list = field;
    const char **grown = TL_NEW(cli->arena, const char *, list->len + 1);
    if (!grown) {
      snprintf(wanted, WANTED, "less than memory can hold");
      return false;
    }
    if (list->len) memcpy(grown, list->ptr, list->len * sizeof *grown);
    grown[list->len] = value;
    *list = (tl_strs){grown, list->len + 1};
    return true;
  }
  }
  return false;
}

static const flag_row *find_flag(tl_command c, tl_str name) {
  for (size_t i = 0; i < TL_COUNT(flags); i++)
    if (flags[i].commands & 1u << c && tl_str_is(name, flags[i].name)) return &flags[i];
  return NULL;
}

static int unknown_flag(const tl_cli *cli, const char *dashes, tl_str name) {
  const char *names[TL_COUNT(flags)];
  size_t n = 0;
  for (size_t i = 0; i < TL_COUNT(flags); i++)
    if (flags[i].commands & 1u << cli->command) names[n++] = flags[i].name;
  const char *near = tl_str_nearest(name, names, n);
  if (near)
    return tl_cli_usage(cli, "no flag %s" TL_STR_FMT "; did you mean --%s?", dashes,
                        TL_STR_ARG(name), near);
  if (n == 0)
    return tl_cli_usage(cli, "takes no flags, got %s" TL_STR_FMT, dashes, TL_STR_ARG(name));
  return tl_cli_usage(cli, "no flag %s" TL_STR_FMT "; `tlaloc %s --help` lists them", dashes,
                      TL_STR_ARG(name), commands[cli->command].name);
}

static int parse_flag(tl_cli *cli, int argc, char **argv, int *i) { // argv[*i] starts with '-'
  tl_str word = tl_str_of(argv[*i]);
  if (tl_str_is(word, "-o")) word = TL_STR("--out");
  if (tl_str_is(word, "-h")) word = TL_STR("--help");
  if (!tl_str_starts(word, TL_STR("--")))
    return unknown_flag(cli, "-", tl_str_sub(word, 1, word.len));
  word = tl_str_sub(word, 2, word.len);
  const char *equals = memchr(word.ptr, '=', word.len);
  tl_str name = equals ? (tl_str){word.ptr, (size_t)(equals - word.ptr)} : word;
  if (tl_str_is(name, "help")) {
    print_command_help(cli->command);
    return TL_EXIT_OK;
  }
  const flag_row *f = find_flag(cli->command, name);
  if (!f) return unknown_flag(cli, "--", name);
  const char *value = equals ? equals + 1 : NULL;
  if (f->kind == BOOL && value)
    return tl_cli_usage(cli, "--%s takes no value, got '%s'", f->name, value);
  if (f->kind != BOOL && !value) {
    if (*i + 1 >= argc)
      return tl_cli_usage(cli, "--%s stands last; wanted --%s %s", f->name, f->name, f->takes);
    value = argv[++*i];
  }
  char wanted[160];
  if (!store(cli, f, value, wanted))
    return tl_cli_usage(cli, "--%s: '%s'; wanted %s", f->name, value, wanted);
  return -1;
}

// The command of that name; TL_CMD_COUNT after one line on stderr.
static tl_command find_command(const char *word) {
  const char *names[TL_CMD_COUNT];
  for (size_t i = 0; i < TL_CMD_COUNT; i++) {
    names[i] = commands[i].name;
    if (strcmp(word, names[i]) == 0) return (tl_command)i;
  }
  const char *near = tl_str_nearest(tl_str_of(word), names, TL_CMD_COUNT);
  fprintf(stderr, "tlaloc: no command '%s'; %s%s%s\n", word, near ? "did you mean '" : "",
          near ? near : "`tlaloc --help` lists them", near ? "'?" : "");
  return TL_CMD_COUNT;
}

int tl_cli_parse(int argc, char **argv, tl_cli *cli) {
  *cli = (tl_cli){.program = argv[0]};
  if (argc < 2) {
    print_help(stderr);
    return TL_EXIT_USAGE;
  }
  const bool help = strcmp(argv[1], "help") == 0;
  if (help && argc > 2) {
    cli->command = find_command(argv[2]);
    if (cli->command == TL_CMD_COUNT) return TL_EXIT_USAGE;
    print_command_help(cli->command);
    return TL_EXIT_OK;
  }
  if (help || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    print_help(stdout);
    return TL_EXIT_OK;
  }
  if (strcmp(argv[1], "--version") == 0) {
    printf("tlaloc %s\n", TLALOC_VERSION);
    return TL_EXIT_OK;
  }
  cli->command = find_command(argv[1]);
  if (cli->command == TL_CMD_COUNT) return TL_EXIT_USAGE;
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
        return tl_cli_usage(cli, "'%s' is one argument too many", argv[i]);
      cli->args[cli->n_args++] = argv[i];
    }
  }
  if (cli->n_args < c->least) {
    fprintf(stderr, "tlaloc %s: too few arguments; ", c->name);
    print_usage(stderr, cli->command);
    return TL_EXIT_USAGE;
  }
  return -1;
}

// A pipe whose reader went away: whoever closed it wanted no more, and knows.
static bool nobody_reads(void) {
  struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&out, 1, 0) > 0 && (out.revents & POLLERR);
}

int tl_cli_finish(int status) {
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout)) return status;
  const int why = errno; // 0 where an earlier write failed
  if (!nobody_reads())
    fprintf(stderr, "tlaloc: standard output: %s\n", why ? strerror(why) : "a write failed");
  return status == TL_EXIT_OK ? TL_EXIT_FAILED : status;
}
