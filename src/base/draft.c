// Directories that appear whole, and the registry of what a fatal signal must remove.
//
// The registry is a fixed table, because its reader is a signal handler: no lock, no heap. A slot
// is
//
//     free ──add──► changing ──path written──► held ──forget──► free        (state, atomic)
//
// and counts its changes. The handler takes a held slot's path to its own stack and believes the
// copy only if the count did not move meanwhile; otherwise it might remove a path made of two. Then
// it removes the tree with system calls alone and lets the signal end the process as if we had
// never caught it.
//
// Not taken: a thread in sigwait. It needs the signals blocked in every thread, those of the host
// program included, and the library lives in other people's processes.
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file_private.h"

enum { SLOTS = 64, SLOT_FREE = 0, SLOT_CHANGING, SLOT_HELD };

static struct cleanup_slot {
  _Atomic uint32_t state;
  _Atomic pid_t owner; // a forked child must not remove what its parent writes
  _Atomic uint32_t changes;
  char path[PATH_MAX];
} slots[SLOTS];

tl_status tl_cleanup_add(const char *path, size_t *out_slot) {
  char absolute[PATH_MAX]; // the working directory may change before the signal comes
  int len = -1;
  if (path[0] != '/' && getcwd(absolute, sizeof absolute) != NULL) {
    size_t at = strlen(absolute);
    len = snprintf(absolute + at, sizeof absolute - at, "/%s", path);
    if (len < 0 || (size_t)len >= sizeof absolute - at) len = -1;
  }
  if (len < 0) len = snprintf(absolute, sizeof absolute, "%s", path);
  if (len < 0 || (size_t)len >= sizeof absolute) return tl_file_error(path, "write", ENAMETOOLONG);
  for (size_t i = 0; i < SLOTS; i++) {
    uint32_t want = SLOT_FREE;
    if (!atomic_compare_exchange_strong(&slots[i].state, &want, SLOT_CHANGING)) continue;
    atomic_fetch_add(&slots[i].changes, 1);
    atomic_store(&slots[i].owner, getpid());
    memcpy(slots[i].path, absolute, strlen(absolute) + 1);
    atomic_store(&slots[i].state, SLOT_HELD);
    *out_slot = i;
    return TL_OK;
  }
  return TL_ERROR(RESOURCE_EXHAUSTED, "%s: %d files and directories are being written already",
                  path, SLOTS);
}

void tl_cleanup_forget(size_t slot) { atomic_store(&slots[slot].state, SLOT_FREE); }

static void cleanup_on_signal(int signal_number) {
  const int kept = errno;
  for (int round = 0; round < 8;
       round++) { // other threads may still be writing into what we remove
    bool again = false;
    for (size_t i = 0; i < SLOTS; i++) {
      char path[PATH_MAX];
      uint32_t before = atomic_load(&slots[i].changes);
      if (atomic_load(&slots[i].state) != SLOT_HELD) continue;
      if (atomic_load(&slots[i].owner) != getpid()) continue;
      memcpy(path, slots[i].path, sizeof path);
      if (atomic_load(&slots[i].state) != SLOT_HELD || atomic_load(&slots[i].changes) != before)
        continue; // that writer just ended; nothing of it is left
      int err = tl_tree_remove(path, 16);
      if (err != 0 && err != ENOENT) again = true;
    }
    if (!again) break;
  }
  struct sigaction plain = {.sa_handler = SIG_DFL};
  sigaction(signal_number, &plain, NULL);
  raise(signal_number); // is delivered when this handler returns
  errno = kept;
}

static void catch_signals(void) {
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGXFSZ};
  struct sigaction ours = {.sa_handler = cleanup_on_signal, .sa_flags = SA_RESTART};
  sigemptyset(&ours.sa_mask);
  for (size_t i = 0; i < TL_COUNT(signals); i++)
    sigaddset(&ours.sa_mask, signals[i]);
  for (size_t i = 0; i < TL_COUNT(signals); i++) {
    struct sigaction former;
    // What is ignored (nohup) stays ignored, and a handler of the host program stays in its place.
    if (sigaction(signals[i], NULL, &former) == 0 && !(former.sa_flags & SA_SIGINFO) &&
        former.sa_handler == SIG_DFL)
      sigaction(signals[i], &ours, NULL);
  }
}

void tl_file_cleanup_on_signals(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, catch_signals);
}

char *tl_temporary_name(const char *path, const char *kind) {
  static _Atomic uint64_t counter;
  uint64_t random;
  if (getrandom(&random, sizeof random, GRND_NONBLOCK) != (ssize_t)sizeof random)
    random = ((uint64_t)getpid() << 32) ^ tl_now_ns() ^ atomic_fetch_add(&counter, 1) << 48;
  char *name;
  int len = asprintf(&name, "%s%s%016llx", path, kind, (unsigned long long)random);
  return len < 0 ? NULL : name;
}

// The draft's slot of the registry rides behind the terminator of its path, so that the struct in
// the header stays two strings.
static char *draft_path(const char *final_path, size_t *out_slot, tl_status *st) {
  char *name = tl_temporary_name(final_path, ".draft-");
  size_t len = name == NULL ? 0 : strlen(name) + 1;
  char *path = name == NULL ? NULL : realloc(name, len + sizeof *out_slot);
  if (path == NULL) {
    free(name);
    *st = TL_OOM();
    return NULL;
  }
  *st = tl_cleanup_add(path, out_slot);
  if (*st != TL_OK) {
    free(path);
    return NULL;
  }
  memcpy(path + len, out_slot, sizeof *out_slot);
  return path;
}

static void draft_forget(const char *path) {
  size_t slot;
  memcpy(&slot, path + strlen(path) + 1, sizeof slot);
  tl_cleanup_forget(slot);
}

static bool dir_is_empty(const char *path) { // an absent one counts as empty
  DIR *dir = opendir(path);
  if (dir == NULL) return errno == ENOENT;
  bool empty = true;
  for (const struct dirent *e; empty && (e = readdir(dir)) != NULL;)
    empty = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
  closedir(dir);
  return empty;
}

tl_status tl_dir_draft_begin(const char *final_path, tl_dir_draft *out_draft) {
  size_t len = strlen(final_path);
  while (len > 1 && final_path[len - 1] == '/')
    len--;
  if (len == 0 || (len == 1 && final_path[0] == '/'))
    return TL_ERROR(INVALID_ARGUMENT, "\"%s\" cannot be the name of a new directory", final_path);
  tl_status st = TL_OK;
  tl_dir_draft d = {NULL, strndup(final_path, len)};
  size_t slot = SLOTS;
  if (d.final == NULL) {
    st = TL_OOM();
    goto done;
  }
  if (!dir_is_empty(d.final)) { // better now than after an hour of writing
    st = tl_path_is_dir(d.final)
             ? TL_ERROR(ALREADY_EXISTS, "%s: exists and is not empty", d.final)
             : TL_ERROR(ALREADY_EXISTS, "%s: exists and is not a directory", d.final);
    goto done;
  }
  const char *base = tl_path_base(d.final);
  if (base != d.final && base != d.final + 1) {
    char *parent = strndup(d.final, (size_t)(base - d.final - 1));
    st = parent == NULL ? TL_OOM() : tl_dir_create(parent);
    free(parent);
    if (st != TL_OK) goto done;
  }
  d.path = draft_path(d.final, &slot, &st);
  if (d.path == NULL) goto done;
  if (mkdir(d.path, 0777) != 0) st = tl_file_error(d.path, "create the directory", errno);
done:
  if (st == TL_OK) {
    *out_draft = d;
    return TL_OK;
  }
  if (slot != SLOTS) tl_cleanup_forget(slot);
  free(d.path);
  free(d.final);
  return st;
}

// Puts every file of the tree on the disk: a rename may reach it long before the bytes do.
static int tree_sync(int fd, int depth) { // takes fd
  DIR *dir = fdopendir(fd);
  if (dir == NULL) {
    int err = errno;
    close(fd);
    return err;
  }
  int err = 0;
  for (const struct dirent *e; err == 0 && (e = readdir(dir)) != NULL;) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
    struct stat info;
    if (fstatat(fd, e->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
      err = errno;
    } else if (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) {
      int inner = openat(fd, e->d_name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
      if (inner < 0) {
        if (errno != EACCES) err = errno; // a file made unreadable on purpose
      } else if (S_ISDIR(info.st_mode)) {
        if (depth > 0)
          err = tree_sync(inner, depth - 1);
        else
          close(inner);
      } else {
        if (fsync(inner) != 0) err = errno;
        close(inner);
      }
    }
  }
  (void)fsync(fd); // where directories can be synced
  closedir(dir);
  return err;
}

static void draft_free(tl_dir_draft *d) {
  free(d->path);
  free(d->final);
  *d = (tl_dir_draft){0};
}

tl_status tl_dir_draft_commit(tl_dir_draft *d) {
  int fd = open(d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int err = fd < 0 ? errno : tree_sync(fd, 32);
  if (err == 0 && rename(d->path, d->final) != 0) err = errno;
  if (err != 0) {
    tl_status st = tl_file_error(d->final, "put the new directory in place", err);
    tl_dir_draft_abandon(d);
    return st;
  }
  draft_forget(d->path);
  const char *base = tl_path_base(d->final);
  d->final[base - d->final] = '\0'; // the parent
  fd = open(d->final[0] == '\0' ? "." : d->final, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) {
    (void)fsync(fd);
    close(fd);
  }
  draft_free(d);
  return TL_OK;
}

void tl_dir_draft_abandon(tl_dir_draft *d) {
  if (d->path != NULL) {
    (void)tl_tree_remove(d->path, 128);
    draft_forget(d->path);
  }
  draft_free(d);
}
