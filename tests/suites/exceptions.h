// A list of what does not pass, with the reason of each: what the suites read beside their cases.
//
//     name: kind: the rest is for the reader
//
// Lines that begin with # are comments.
#ifndef TESTS_SUITES_EXCEPTIONS_H
#define TESTS_SUITES_EXCEPTIONS_H

#include "base/file.h"
#include "base/map.h"

typedef struct list {
  tl_map reasons; // name -> its line's reason, as a pointer into text
  tl_buf text;
  size_t n;
} list;

// `what` is what a name stands for, in the message.
static tl_status read_list(const char *path, const char *what, list *l) {
  TL_TRY(tl_file_read(path, 1 << 24, &l->text));
  for (char *at = l->text.ptr; at && *at;) {
    char *eol = at + strcspn(at, "\n"), *colon = strstr(at, ": ");
    const bool last = !*eol;
    *eol = 0;
    if (*at && *at != '#') {
      if (!colon || colon > eol)
        return TL_ERROR(INVALID_ARGUMENT, "%s: wanted `%s: reason`, found %s", path, what, at);
      if (!tl_map_put(&l->reasons, (tl_str){at, (size_t)(colon - at)}, (uintptr_t)(colon + 2)))
        return TL_OOM();
      l->n++;
    }
    at = last ? eol : eol + 1;
  }
  return TL_OK;
}

#endif
