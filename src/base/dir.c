// Paths and directories: names, listing, creation, removal.
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file_private.h"

bool tl_path_exists(const char *path) {
  struct stat info;
  return stat(path, &info) == 0;
}

bool tl_path_is_dir(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

char *tl_path_join(tl_arena *a, const char *dir, const char *name) {
  size_t len = strlen(dir);
  const char *between = len == 0 || dir[len - 1] == '/' ? "" : "/";
  return tl_arena_printf(a, "%s%s%s", dir, between, name);
}

const char *tl_path_base(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

bool tl_path_is_safe_relative(tl_str path) {
  if (path.len == 0 || memchr(path.ptr, '\0', path.len) != NULL) return false;
  for (size_t at = 0; at <= path.len;) { // an absolute path begins with an empty part
    size_t end = at;
    while (end < path.len && path.ptr[end] != '/')
      end++;
    tl_str part = tl_str_sub(path, at, end);
    if (part.len == 0 || tl_str_is(part, "..")) return false;
    at = end + 1;
  }
  return true;
}

tl_status tl_dir_create(const char *path) {
  if (*path == '\0') return TL_ERROR(INVALID_ARGUMENT, "cannot create a directory without a name");
  char *p = strdup(path);
  if (p == NULL) return TL_OOM();
  tl_status st = TL_OK;
  for (char *at = p;;) {
    while (*at == '/')
      at++;
    while (*at != '/' && *at != '\0')
      at++;
    char end = *at;
    *at = '\0';
    // An error matters only where no directory is there after all: mkdir("/usr") says EROFS before
    // EEXIST.
    if (mkdir(p, 0777) != 0) {
      int err = errno;
      if (!tl_path_is_dir(p)) {
        st = tl_file_error(p, "create the directory", err == EEXIST ? ENOTDIR : err);
        break;
      }
    }
    if (end == '\0') break;
    *at = end;
    if (at[strspn(at, "/")] == '\0') break;
  }
  free(p);
  return st;
}

static int name_order(const void *a, const void *b) {
  return tl_str_cmp(*(const tl_str *)a, *(const tl_str *)b);
}

tl_status tl_dir_list(tl_arena *a, const char *path, tl_str **out_names, size_t *out_len) {
  DIR *dir = opendir(path);
  if (dir == NULL) return tl_file_error(path, "list", errno);
  tl_status st = TL_OK;
  tl_buf names = {0}; // tl_str each
  for (;;) {
    errno = 0;
    const struct dirent *entry = readdir(dir);
    if (entry == NULL) {
      if (errno != 0) st = tl_file_error(path, "list", errno);
      break;
    }
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    tl_str name = tl_str_copy(a, tl_str_of(entry->d_name));
    tl_buf_add(&names, &name, sizeof name);
    if (name.ptr == NULL || names.oom) {
      st = TL_OOM();
      break;
    }
  }
  closedir(dir);
  size_t len = names.len / sizeof(tl_str);
  tl_str *list = st == TL_OK ? TL_NEW(a, tl_str, len) : NULL;
  if (st == TL_OK && list == NULL) st = TL_OOM();
  if (st == TL_OK) {
    if (len != 0) {
      memcpy(list, names.ptr, names.len);
      qsort(list, len, sizeof *list, name_order);
    }
    *out_names = list;
    *out_len = len;
  }
  tl_buf_deinit(&names);
  return st;
}

// The kernel's own record (getdents64); opendir would allocate, which a signal handler may not.
typedef struct entry64 {
  uint64_t inode;
  int64_t offset;
  uint16_t size;
  uint8_t type;
  char name[];
} entry64;

// Empties the open directory. Removing while reading may make the kernel skip entries, so passes
// are repeated until one finds nothing, or removes nothing of what it finds.
static int dir_empty(int fd, int depth) {
  _Alignas(entry64) char entries[1024];
  for (;;) {
    if (lseek(fd, 0, SEEK_SET) < 0) return errno;
    size_t removed = 0;
    int err = 0;
    for (;;) {
      long got = syscall(SYS_getdents64, fd, entries, sizeof entries);
      if (got < 0) return errno;
      if (got == 0) break;
      for (long at = 0; at < got;) {
        const entry64 *e = (const entry64 *)(const void *)(entries + at);
        const char *name = e->name;
        at += e->size;
        if (name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'))) continue;
        if (unlinkat(fd, name, 0) == 0 || errno == ENOENT) {
          removed++;
          continue;
        }
        int why = errno;
        if (why == EISDIR ||
            why == EPERM) { // unlink of a directory is EISDIR on Linux, EPERM in POSIX
          int inner =
              depth <= 0 ? -1 : openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
          if (inner >= 0) {
            why = dir_empty(inner, depth - 1);
            close(inner);
          } else if (depth <= 0) {
            why = ELOOP;
          }
          if (inner >= 0 && (unlinkat(fd, name, AT_REMOVEDIR) == 0 || errno == ENOENT)) {
            removed++;
            continue;
          }
          if (why == 0) why = errno;
        }
        if (err == 0) err = why;
      }
    }
    if (removed == 0) return err;
  }
}

int tl_tree_remove(const char *path, int depth) {
  if (unlink(path) == 0) return 0;
  int err = errno;
  if (err != EISDIR && err != EPERM) return err;
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return errno == ENOTDIR ? err : errno;
  err = dir_empty(fd, depth);
  close(fd);
  if (rmdir(path) == 0) return 0;
  return err != 0 ? err : errno;
}

tl_status tl_dir_remove(const char *path) {
  int err = tl_tree_remove(path, 128);
  return err == 0 ? TL_OK : tl_file_error(path, "remove", err);
}

char *tl_cache_dir(tl_arena *a) {
  const char *base = getenv("XDG_CACHE_HOME");
  if (base != NULL && base[0] == '/')
    return tl_path_join(a, base, "tlaloc"); // relative ones do not count
  const char *home = getenv("HOME");
  if (home == NULL || home[0] != '/') return NULL; // not a place that anyone may write to
  return tl_path_join(a, home, ".cache/tlaloc");
}
