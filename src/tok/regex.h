// Regular expressions of tokenizer files, run by PCRE2 on a budget.
#ifndef TL_TOK_REGEX_H
#define TL_TOK_REGEX_H

#include "base/str.h"

typedef struct tl_regex tl_regex; // compiled; immutable, any thread

// `pattern` is in the dialect of tokenizer files (Oniguruma, Ruby syntax). INVALID_ARGUMENT with
// the place in the pattern when it is malformed; UNIMPLEMENTED when it uses what PCRE2 reads
// otherwise and we do not translate.
tl_status tl_regex_compile(tl_str pattern, tl_regex **out_regex);
void tl_regex_destroy(tl_regex *re); // NULL is allowed

// What one call to encode needs to search, and its budget of processor time.
typedef struct tl_regex_run { // one thread
  struct pcre2_real_match_data_8 *data;
  struct pcre2_real_match_context_8 *context;
  struct pcre2_real_jit_stack_8 *stack; // made when the default one overflows
  uint32_t until_check;
  uint64_t started_ns, cpu_started_ns, allowed_ns;
} tl_regex_run;

tl_status tl_regex_run_init(tl_regex_run *run, size_t text_size);
void tl_regex_run_deinit(tl_regex_run *run);

// The first match that starts at or after `from` (a character's first byte). An empty match counts.
// `text` must be valid UTF-8. RESOURCE_EXHAUSTED when the expression runs away.
tl_status tl_regex_next(tl_regex_run *run, const tl_regex *re, tl_str text, size_t from,
                        bool *out_found, size_t *out_start, size_t *out_end);

#endif
