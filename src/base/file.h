// Files and directories: whole reads, read-only maps, and writes that appear whole or not at all.
#ifndef TL_BASE_FILE_H
#define TL_BASE_FILE_H

#include "base/str.h"

// A file's bytes, mapped read-only (or read, where mapping fails). Immutable after open; any thread
// may read.
typedef struct tl_file_map {
  const uint8_t *data; // NULL when size is 0
  size_t size;
  bool mapped;
} tl_file_map;

tl_status tl_file_map_open(const char *path, tl_file_map *out_map);
void tl_file_map_close(tl_file_map *m); // a zeroed map is allowed
// Its pages leave this process until they are read again (from the system's cache, as a rule).
void tl_file_map_drop_pages(const tl_file_map *m);
// The whole file, terminated (the terminator is not counted). Files over `limit` bytes are refused
// by name.
tl_status tl_file_read(const char *path, size_t limit, tl_buf *out_bytes);
// Writes beside `path`, syncs, renames. On failure or interruption `path` is as it was.
tl_status tl_file_write(const char *path, const void *bytes, size_t size);

bool tl_path_exists(const char *path);
bool tl_path_is_dir(const char *path);
char *tl_path_join(tl_arena *a, const char *dir, const char *name); // NULL when memory is gone
const char *tl_path_base(const char *path);                         // after the last '/'
// True for a non-empty relative path without "..", empty or absolute parts: what a manifest may
// name.
bool tl_path_is_safe_relative(tl_str path);
tl_status tl_dir_create(const char *path); // with parents; an existing directory is fine
// Regular entries of a directory, sorted bytewise, names in the arena.
tl_status tl_dir_list(tl_arena *a, const char *path, tl_str **out_names, size_t *out_len);
tl_status tl_dir_remove(const char *path); // with everything in it
// $XDG_CACHE_HOME/tlaloc or ~/.cache/tlaloc (not created); NULL where neither variable says.
char *tl_cache_dir(tl_arena *a);

// A directory that appears whole: write into `path`, then commit renames it to its final name
// (which must not exist, or be an empty directory); abandon removes it. Process-wide signal
// clean-up: a signal that ends the process from outside (SIGINT, SIGTERM, a limit on file size …)
// removes every directory and temporary file in progress first, once tl_file_cleanup_on_signals was
// called.
typedef struct tl_dir_draft {
  char *path;  // the temporary directory; owned
  char *final; // owned
} tl_dir_draft;
tl_status tl_dir_draft_begin(const char *final_path, tl_dir_draft *out_draft);
tl_status tl_dir_draft_commit(
    tl_dir_draft *d); // frees the draft, also on failure (then nothing is left behind)
void tl_dir_draft_abandon(tl_dir_draft *d); // a zeroed draft is allowed
void tl_file_cleanup_on_signals(void);

#endif
