// Files whole: mapped, read, written. Directories are in dir.c; drafts and what signals remove in
// draft.c.
//
// Writing: a new file beside the old one, synced, then renamed over it, then the directory synced.
// Whoever opens `path` sees the old bytes or the new ones, also after a power cut. Devices and
// pipes have no such moment and are written straight.
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_private.h"

tl_status tl_file_error(const char *path, const char *doing, int err) {
  char text[128];
  tl_status_code code = TL_STATUS_INTERNAL;
  switch (err) {
  case ENOENT:
  case ENOTDIR:
    code = TL_STATUS_NOT_FOUND;
    break;
  case EACCES:
  case EPERM:
  case EROFS:
    code = TL_STATUS_PERMISSION_DENIED;
    break;
  case EEXIST:
  case ENOTEMPTY:
    code = TL_STATUS_ALREADY_EXISTS;
    break;
  case ENOMEM:
  case ENOSPC:
  case EDQUOT:
  case EMFILE:
  case ENFILE:
    code = TL_STATUS_RESOURCE_EXHAUSTED;
    break;
  case EISDIR:
  case ELOOP:
  case EINVAL:
  case ENAMETOOLONG:
    code = TL_STATUS_INVALID_ARGUMENT;
    break;
  case EIO:
    code = TL_STATUS_DATA_LOSS;
    break;
  default:
    break;
  }
  return tl_status_make(code, "%s: cannot %s: %s", path, doing, strerror_r(err, text, sizeof text));
}

tl_status tl_file_open_read(const char *path, int *out_fd, size_t *out_size) {
  struct stat info;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return tl_file_error(path, "open", errno);
  int err = fstat(fd, &info) != 0 ? errno : S_ISDIR(info.st_mode) ? EISDIR : 0;
  if (err != 0) {
    close(fd);
    return tl_file_error(path, "read", err);
  }
  if (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode)) {
    close(fd);
    return TL_ERROR(INVALID_ARGUMENT, "%s: is a device, wanted a file", path);
  }
  *out_size = S_ISREG(info.st_mode) && info.st_size > 0 ? (size_t)info.st_size : 0;
  *out_fd = fd;
  return TL_OK;
}

// Everything from here to the end of `fd`, at most `limit` bytes; fails by name when there is more.
static tl_status read_all(int fd, const char *path, size_t expect, size_t limit, tl_buf *b) {
  tl_buf_reserve(b, TL_MIN(expect, limit));
  for (;;) {
    size_t ask = TL_MAX(b->cap - b->len, (size_t)1) - 1;
    if (ask == 0) ask = 64 << 10; // the estimate was low, or this is the look for the end
    if (!tl_buf_reserve(b, ask))
      return TL_ERROR(RESOURCE_EXHAUSTED, "%s: out of memory while reading", path);
    ssize_t got = read(fd, b->ptr + b->len, ask);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return tl_file_error(path, "read", errno);
    if (got == 0) return TL_OK;
    b->len += (size_t)got;
    b->ptr[b->len] = '\0';
    if (b->len > limit) return TL_ERROR(INVALID_ARGUMENT, "%s: over %zu bytes", path, limit);
  }
}

tl_status tl_file_map_open(const char *path, tl_file_map *out_map) {
  int fd = -1;
  size_t size;
  TL_TRY(tl_file_open_read(path, &fd, &size));
  tl_status st = TL_OK;
  void *p = size != 0 ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  if (p != MAP_FAILED) {
    *out_map = (tl_file_map){p, size, true};
  } else { // a pipe, a file of /proc (which says 0), a file system without maps
    tl_buf b = {0};
    st = read_all(fd, path, size, SIZE_MAX / 2, &b);
    if (st != TL_OK || b.len == 0) {
      tl_buf_deinit(&b);
    }
    if (st == TL_OK) *out_map = (tl_file_map){(const uint8_t *)b.ptr, b.len, false};
  }
  close(fd);
  return st;
}

void tl_file_map_drop_pages(const tl_file_map *m) {
  if (m->mapped) (void)madvise((void *)(uintptr_t)m->data, m->size, MADV_DONTNEED);
}

void tl_file_map_close(tl_file_map *m) {
  void *p = (void *)(uintptr_t)m->data; // we made it, so we may drop the const
  if (p != NULL) {
    if (m->mapped)
      munmap(p, m->size);
    else
      free(p);
  }
  *m = (tl_file_map){0};
}

tl_status tl_file_read(const char *path, size_t limit, tl_buf *out_bytes) {
  int fd = -1;
  size_t size;
  TL_TRY(tl_file_open_read(path, &fd, &size));
  tl_buf b = {0};
  tl_status st = TL_OK;
  if (size > limit)
    st = TL_ERROR(INVALID_ARGUMENT, "%s: has %zu bytes, the limit is %zu", path, size, limit);
  else
    st = read_all(fd, path, size, limit, &b);
  close(fd);
  if (st == TL_OK)
    *out_bytes = b;
  else
    tl_buf_deinit(&b);
  return st;
}

static int write_all(int fd, const void *bytes, size_t size) { // 0 or errno
  const char *p = bytes;
  while (size != 0) {
    ssize_t put = write(fd, p, size);
    if (put < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    p += put;
    size -= (size_t)put;
  }
  return 0;
}

// Makes the rename itself durable. Some file systems cannot sync a directory; then there is nothing
// more to do.
static void sync_parent(const char *path) {
  const char *base = tl_path_base(path);
  char *dir = base == path ? strdup(".") : strndup(path, (size_t)(base - path));
  int fd = dir == NULL ? -1 : open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) {
    (void)fsync(fd);
    close(fd);
  }
  free(dir);
}

static tl_status write_special(const char *path, const void *bytes, size_t size) {
  int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return tl_file_error(path, "open for writing", errno);
  int err = write_all(fd, bytes, size);
  if (close(fd) != 0 && err == 0) err = errno;
  return err == 0 ? TL_OK : tl_file_error(path, "write", err);
}

tl_status tl_file_write(const char *path, const void *bytes, size_t size) {
  struct stat info;
  bool exists = stat(path, &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) return tl_file_error(path, "write", EISDIR);
  if (exists && !S_ISREG(info.st_mode)) return write_special(path, bytes, size);

  char *temporary = tl_temporary_name(path, ".tmp-");
  if (temporary == NULL) return TL_OOM();
  size_t slot;
  tl_status st = tl_cleanup_add(temporary, &slot);
  if (st != TL_OK) {
    free(temporary);
    return st;
  }
  int err = 0;
  int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd < 0) {
    st = tl_file_error(path, "create a file beside it", errno);
  } else {
    if (exists) (void)fchmod(fd, info.st_mode & 07777); // as it was, where we may
    err = write_all(fd, bytes, size);
    if (err == 0 && fsync(fd) != 0) err = errno;
    if (close(fd) != 0 && err == 0) err = errno;
    if (err == 0 && rename(temporary, path) != 0) err = errno;
    if (err != 0) {
      unlink(temporary);
      st = tl_file_error(path, "write", err);
    } else {
      sync_parent(path);
    }
  }
  tl_cleanup_forget(slot);
  free(temporary);
  return st;
}
