// What file.c, dir.c and draft.c share: the error of a failed system call, the walk that removes a
// tree, and the registry of what must go when a signal ends the process.
#ifndef TL_BASE_FILE_PRIVATE_H
#define TL_BASE_FILE_PRIVATE_H

#include "base/file.h"

// "path: cannot open: no such file or directory", with the code that fits `err` (an errno value).
tl_status tl_file_error(const char *path, const char *doing, int err);

// Opens for reading what has an end: a file, whose size is given, or a pipe (0, as for a file of
// /proc). Devices are refused: a link to /dev/zero in a directory from outside would fill the
// memory.
tl_status tl_file_open_read(const char *path, int *out_fd, size_t *out_size);

// Removes `path` and everything in it, following no symbolic link. 0, or the errno of what would
// not go. Calls nothing but system calls, so that a signal handler may call it; `depth` bounds the
// nesting (and so the stack, about 1.3 KiB a level).
int tl_tree_remove(const char *path, int depth);

// Records a path (a file or a directory) that a fatal signal must remove; before the path is
// created, so that there is no moment at which it exists and nobody knows. *out_slot goes to
// tl_cleanup_forget.
tl_status tl_cleanup_add(const char *path, size_t *out_slot);
void tl_cleanup_forget(size_t slot);

// "<path><kind><16 hex digits>", from the kernel's random numbers; heap, NULL when memory is gone.
// No two processes draw the same, so whoever has the name may remove what is there.
char *tl_temporary_name(const char *path, const char *kind);

#endif
