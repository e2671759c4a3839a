// Code by its key: a table of the process, a folder of files, and the module that compiles.
//
//   file   magic, checksum of what follows, sizes, the key itself; zeros; from 4096 on the code
//
// A file's name is a hash of the key; the key is compared whole, so a piece is only ever run for
// what it was made of. What is read is checked in the mapping that is then executed. Files belong
// to the user (0600) and anything else is ignored: other owners, wider modes, links, wrong sums.
// They appear whole, by rename, so processes may write the same one at once. A new piece goes
// through memory without a name (memfd) where no folder can be written or mapped; no page is ever
// writable and executable.
#include "cpu/jit_cache.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"

enum {
  CODE_AT = 4096,
  MAX_FILE = 32 << 20,
  MAX_FILES = 4096, // of the folder, about 32 MiB; looked at once in 64 writes
};

typedef struct file_header {
  char magic[8];
  uint64_t checksum; // of the rest of the file
  uint64_t key_size, code_size, code_at, entry;
} file_header;

static const char magic[8] = {'t', 'l', 'a', 'l', 'o', 'c', 'j', '1'};

// MISSING: who looked for it was not to compile it.
typedef enum { CODE_COMING, CODE_READY, CODE_MISSING, CODE_NONE } code_state;

struct jit_code {
  jit_code *next;
  code_state state; // COMING: a thread is reading or making it
  size_t refs;
  char *key;
  size_t key_size;
  void *memory;
  size_t size;
  jit_fn entry;
};

static struct {
  pthread_mutex_t lock; // guards all of it
  pthread_cond_t made;
  jit_code *first;
  jit_counts counts;
  bool tried; // to load the module
  jit_compile_fn compile;
  char why_not[PATH_MAX + 512]; // "" where none was found
} cache = {.lock = PTHREAD_MUTEX_INITIALIZER, .made = PTHREAD_COND_INITIALIZER};

// --- files ---

tl_status jit_file_check(const void *bytes, size_t size, tl_str key, size_t *out_entry) {
  file_header h;
  if (size < sizeof h) return TL_ERROR(INVALID_ARGUMENT, "code: %zu bytes", size);
  memcpy(&h, bytes, sizeof h);
  if (memcmp(h.magic, magic, sizeof magic) != 0)
    return TL_ERROR(INVALID_ARGUMENT, "code: no such file");
  const size_t from = offsetof(file_header, key_size);
  if (tl_hash64((const uint8_t *)bytes + from, size - from) != h.checksum)
    return TL_ERROR(INVALID_ARGUMENT, "code: its checksum is another");
  if (h.key_size != key.len || h.key_size > size - sizeof h ||
      memcmp((const uint8_t *)bytes + sizeof h, key.ptr, key.len) != 0)
    return TL_ERROR(INVALID_ARGUMENT, "code: of another nest");
  if (h.code_at % CODE_AT != 0 || h.code_at < sizeof h + h.key_size || h.code_at > size ||
      h.code_size != size - h.code_at || h.entry >= h.code_size)
    return TL_ERROR(INVALID_ARGUMENT, "code: its sizes");
  *out_entry = (size_t)(h.code_at + h.entry);
  return TL_OK;
}

void jit_file_make(tl_str key, const jit_compiled *c, tl_buf *out) {
  static const char zeros[CODE_AT];
  file_header h = {.key_size = key.len, .code_size = c->size, .entry = c->entry};
  h.code_at = tl_round_up(sizeof h + key.len, CODE_AT);
  memcpy(h.magic, magic, sizeof magic);
  const size_t at = out->len;
  tl_buf_add(out, &h, sizeof h);
  tl_buf_str(out, key);
  tl_buf_add(out, zeros, h.code_at - sizeof h - key.len);
  tl_buf_add(out, c->code, c->size);
  if (out->oom) return;
  const size_t from = offsetof(file_header, key_size);
  const uint64_t sum = tl_hash64(out->ptr + at + from, out->len - at - from);
  memcpy(out->ptr + at + offsetof(file_header, checksum), &sum, sizeof sum);
}

char *jit_cache_folder(tl_arena *a) {
  const char *own = getenv("TLALOC_CACHE_DIR");
  const char *base = own && own[0] ? own : tl_cache_dir(a);
  return base ? tl_path_join(a, base, "jit") : NULL;
}

static char *file_path(tl_arena *a, tl_str key) {
  char hex[TL_SHA256_HEX + 1];
  char *folder = jit_cache_folder(a);
  if (!folder || !tl_sha256_hex(key.ptr, key.len, hex)) return NULL;
  return tl_path_join(a, folder, hex);
}

// Maps an open file and checks it there.
static bool map_checked(int fd, tl_str key, jit_code *c) {
  struct stat info;
  if (fstat(fd, &info) != 0 || info.st_size <= 0 || info.st_size > MAX_FILE) return false;
  const size_t size = (size_t)info.st_size;
  void *memory = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
  if (memory == MAP_FAILED) return false;
  size_t entry = 0;
  tl_status st = jit_file_check(memory, size, key, &entry);
  if (st) {
    tl_status_drop(st);
    munmap(memory, size);
    return false;
  }
  uint8_t *at = (uint8_t *)memory + entry;
  c->memory = memory;
  c->size = size;
  memcpy(&c->entry, &at, sizeof at); // a pointer to data as one to a function: POSIX
  return true;
}

static bool ours(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
         (info.st_mode & 07777) == 0600;
}

static bool read_file(const char *path, tl_str key, jit_code *c) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return false;
  const bool good = ours(fd) && map_checked(fd, key, c);
  close(fd);
  return good;
}

static bool write_whole(int fd, const char *bytes, size_t size) {
  while (size > 0) {
    const ssize_t n = write(fd, bytes, size);
    if (n <= 0) return false;
    bytes += n, size -= (size_t)n;
  }
  return true;
}

// Beside its place, then renamed. Nothing is synced: what a crash leaves has a wrong checksum.
static void write_file(tl_arena *a, const char *path, const tl_buf *bytes) {
  char *folder = jit_cache_folder(a);
  char *temporary = tl_arena_printf(a, "%s.%ld.tmp", path, (long)getpid());
  if (!folder || !temporary) return;
  tl_status st = tl_dir_create(folder);
  tl_status_drop(st);
  if (st) return;
  const int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return;
  const bool good = fchmod(fd, 0600) == 0 && write_whole(fd, bytes->ptr, bytes->len);
  if (close(fd) != 0 || !good || rename(temporary, path) != 0) unlink(temporary);
}

// Keeps the folder bounded: of more than MAX_FILES files those that were written first go, half of
// them.
static int by_time(const void *x, const void *y) {
  const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
  return (a > b) - (a < b);
}
static void trim_folder(tl_arena *a) {
  char *folder = jit_cache_folder(a);
  tl_str *names = NULL;
  size_t n = 0;
  tl_status st = tl_dir_list(a, folder, &names, &n);
  tl_status_drop(st);
  if (st || n <= MAX_FILES) return;
  int64_t *times = TL_NEW(a, int64_t, n), *sorted = TL_NEW(a, int64_t, n);
  if (!times || !sorted) return;
  for (size_t i = 0; i < n; i++) {
    struct stat info;
    char *path = tl_path_join(a, folder, names[i].ptr);
    if (path && lstat(path, &info) == 0) times[i] = (int64_t)info.st_mtime;
    sorted[i] = times[i];
  }
  qsort(sorted, n, sizeof *sorted, by_time);
  for (size_t i = 0, gone = 0; i < n && gone < n / 2; i++) {
    char *path = times[i] <= sorted[n / 2] ? tl_path_join(a, folder, names[i].ptr) : NULL;
    gone += path && unlink(path) == 0;
  }
}

static bool map_nameless(const tl_buf *bytes, tl_str key, jit_code *c) {
  const int fd = memfd_create("tlaloc-jit", MFD_CLOEXEC);
  if (fd < 0) return false;
  const bool good = write_whole(fd, bytes->ptr, bytes->len) && map_checked(fd, key, c);
  close(fd);
  return good;
}

// --- the module ---

// Beside the object that this code is in, or where an installation has its libraries.
static void *open_module(void) {
  static const char *const places[] = {"", "../lib/", TLALOC_BIN_TO_LIB "/"};
  char from[PATH_MAX], path[PATH_MAX + 64];
  Dl_info info;
  const bool shared = dladdr((void *)&cache, &info) != 0 && info.dli_fname[0] == '/';
  for (int exe = shared ? 0 : 1; exe < 2; exe++) {
    if (exe) {
      const ssize_t n = readlink("/proc/self/exe", from, sizeof from - 1);
      if (n <= 0) continue;
      from[n] = 0;
    } else {
      snprintf(from, sizeof from, "%s", info.dli_fname);
    }
    char *slash = strrchr(from, '/');
    if (!slash) continue;
    slash[1] = 0;
    for (size_t i = 0; i < TL_COUNT(places); i++) {
      snprintf(path, sizeof path, "%s%slibtlaloc_jit.so", from, places[i]);
      if (access(path, F_OK) != 0) continue;
      void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
      if (module) return module;
      const char *why = dlerror();
      if (!cache.why_not[0])
        snprintf(cache.why_not, sizeof cache.why_not, "%s does not load: %s", path,
                 why ? why : "no reason is given");
    }
  }
  return NULL;
}

static jit_compile_fn module_function(void) {
  if (cache.tried) return cache.compile;
  cache.tried = true;
  void *module = open_module();
  void *found = module ? dlsym(module, JIT_MODULE_ENTRY) : NULL;
  if (found) memcpy(&cache.compile, &found, sizeof found);
  if (module && !found) snprintf(cache.why_not, sizeof cache.why_not, "it is no module of ours");
  cache.counts.loaded = found != NULL;
  return cache.compile;
}

tl_status jit_module_check(void) {
  pthread_mutex_lock(&cache.lock);
  const bool good = module_function() != NULL;
  pthread_mutex_unlock(&cache.lock); // nothing below changes any more
  if (good) return TL_OK;
  if (!cache.why_not[0])
    return TL_ERROR(
        FAILED_PRECONDITION,
        "machine code is wanted always (TLALOC_JIT=always), but libtlaloc_jit.so is not "
        "beside the library or the program, nor where the installation has its "
        "libraries: build with llvm-19-dev and install it there, or say TLALOC_JIT=on, "
        "which interprets what has no code");
  return TL_ERROR(
      FAILED_PRECONDITION,
      "machine code is wanted always (TLALOC_JIT=always), but %s; libtlaloc_jit.so must "
      "be of this version and needs libLLVM 19 (TLALOC_JIT=on interprets what has no "
      "code)",
      cache.why_not);
}

static uint64_t own_ns(void) { // of the processor, by this thread
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

typedef struct source { // one of both
  const jit_shape *shape;
  const jit_region *region;
} source;

// Without the lock: several threads may compile.
static bool make(tl_arena *a, const char *path, source s, tl_str key, jit_code *c) {
  jit_compiled made = {0};
  char why[256];
  pthread_mutex_lock(&cache.lock);
  const jit_compile_fn compile = module_function();
  pthread_mutex_unlock(&cache.lock);
  if (!compile) return false;
  const uint64_t start = own_ns();
  if (!compile(JIT_VERSION, s.shape, s.region, &made, why, sizeof why)) return false;
  pthread_mutex_lock(&cache.lock);
  cache.counts.compile_ns += own_ns() - start;
  const bool trims = path && ++cache.counts.compiled % 64 == 0;
  pthread_mutex_unlock(&cache.lock);
  tl_buf bytes = {0};
  jit_file_make(key, &made, &bytes);
  free(made.code);
  bool good = false;
  if (!bytes.oom) {
    if (trims) trim_folder(a);
    if (path) write_file(a, path, &bytes);
    good = (path && read_file(path, key, c)) || map_nameless(&bytes, key, c);
  }
  tl_buf_deinit(&bytes);
  return good;
}

// --- the table ---

static jit_code *find(tl_str key) {
  for (jit_code *c = cache.first; c; c = c->next)
    if (tl_str_eq((tl_str){c->key, c->key_size}, key)) return c;
  return NULL;
}

// Locked. In the table from here on, for others to wait for.
static jit_code *add(tl_str key) {
  jit_code *c = calloc(1, sizeof *c);
  char *own = malloc(key.len + 1);
  if (!c || !own) {
    free(c);
    free(own);
    return NULL;
  }
  memcpy(own, key.ptr, key.len);
  c->key = own;
  c->key_size = key.len;
  c->next = cache.first;
  return cache.first = c;
}

static void take_out(const jit_code *c) {
  for (jit_code **at = &cache.first; *at; at = &(*at)->next)
    if (*at == c) {
      *at = c->next;
      return;
    }
}

static void free_code(jit_code *c) {
  if (c->memory) munmap(c->memory, c->size);
  free(c->key);
  free(c);
}

// What another thread is making is waited for.
static jit_code *get(source s, tl_str key, bool may_compile) {
  tl_arena *a = tl_arena_create();
  if (!a) return NULL;
  pthread_mutex_lock(&cache.lock);
  jit_code *c = find(key);
  const bool mine = !c && (c = add(key)) != NULL;
  if (c) c->refs++;
  cache.counts.shared += c && !mine;
  if (mine) {
    pthread_mutex_unlock(&cache.lock);
    const char *path = file_path(a, key);
    const bool read = path && read_file(path, key, c);
    const bool good = read || (may_compile && make(a, path, s, key, c));
    pthread_mutex_lock(&cache.lock);
    cache.counts.read += read;
    c->state = good ? CODE_READY : may_compile ? CODE_NONE : CODE_MISSING;
    if (!good) take_out(c);
    pthread_cond_broadcast(&cache.made);
  }
  while (c && c->state == CODE_COMING)
    pthread_cond_wait(&cache.made, &cache.lock);
  bool again = false;
  if (c && c->state != CODE_READY) {
    again = !mine && may_compile && c->state == CODE_MISSING;
    if (--c->refs == 0) free_code(c);
    c = NULL;
  }
  pthread_mutex_unlock(&cache.lock);
  tl_arena_destroy(a);
  return again ? get(s, key, true) : c; // NOLINT(misc-no-recursion): each time another one looked
}

static jit_code *of_shape(const jit_shape *s, bool may_compile) {
  tl_buf text = {0};
  jit_shape_key(s, &text);
  jit_code *c =
      text.oom ? NULL : get((source){.shape = s}, (tl_str){text.ptr, text.len}, may_compile);
  tl_buf_deinit(&text);
  return c;
}
jit_code *jit_code_get(const jit_shape *s) { return of_shape(s, true); }
jit_code *jit_code_found(const jit_shape *s) { return of_shape(s, false); }

jit_code *jit_code_of_region(const jit_region *r, tl_str key) {
  return get((source){.region = r}, key, true);
}

void jit_code_release(jit_code *c) {
  pthread_mutex_lock(&cache.lock);
  const bool last = --c->refs == 0;
  if (last) take_out(c);
  pthread_mutex_unlock(&cache.lock);
  if (last) free_code(c);
}

jit_fn jit_code_entry(const jit_code *c) { return c->entry; }

jit_counts jit_count(void) {
  pthread_mutex_lock(&cache.lock);
  const jit_counts counts = cache.counts;
  pthread_mutex_unlock(&cache.lock);
  return counts;
}
