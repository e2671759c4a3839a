// The Jinja template language, as chat templates use it: parsed once, rendered over JSON values.
//
// Semantics are those of jinja2 with trim_blocks and lstrip_blocks, the settings of transformers,
// so that a template written for Python gives the same bytes here. What we lack (includes,
// inheritance, recursive loops …) is refused by name at the place where it stands.
//
// Templates and messages are hostile: parsing has a depth, and rendering runs on a budget that
// every step and every byte it makes is charged to.
#ifndef TL_TOK_JINJA_H
#define TL_TOK_JINJA_H

#include "base/diag.h"
#include "base/json.h"

typedef struct tl_jinja tl_jinja; // a parsed template: immutable, lives in the arena

// Mistakes are reported to `diags`, with their place in the template, and give INVALID_ARGUMENT
// (UNIMPLEMENTED is folded into it). `name` (terminated, borrowed) stands for the template in
// messages; diags->source is set to a text that lives in the arena.
tl_status tl_jinja_parse(tl_arena *arena, tl_str source, const char *name, tl_diags *diags,
                         const tl_jinja **out_template);

typedef struct tl_jinja_options { // zero-initialised: the defaults
  size_t max_output;              // bytes; 0 = 16 MiB
  uint64_t max_work; // 0 = 256 Mi units; a unit is about a byte made, read or allocated
  int64_t now;       // for strftime_now: seconds since 1970 in local time; 0 = the clock
} tl_jinja_options;

// Appends the rendered text to `out`; on failure nothing is appended. `vars` is an object whose
// members are the template's variables. Any number of threads may render one template.
tl_status tl_jinja_render(const tl_jinja *template, const json_t *vars,
                          const tl_jinja_options *options, // NULL: defaults
                          tl_diags *diags, tl_buf *out);

#endif
