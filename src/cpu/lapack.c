// Finding LAPACK. OpenBLAS without threads first (Debian: libopenblas0-serial), since a pool of
// somebody else's threads has no place under ours; a threaded one is told to use one.
#include "cpu/lapack.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static tl_lapack found;
static bool is_there;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// A function's address is not an object's: by memcpy, as POSIX has it.
static bool take(void *library, const char *name, void *out_function) {
  void *symbol = dlsym(library, name);
  memcpy(out_function, &symbol, sizeof symbol);
  return symbol != NULL;
}

static void find(void) {
  static const char *const names[] = {
      "/usr/lib/x86_64-linux-gnu/openblas-serial/libopenblas.so.0",
      "/usr/lib/aarch64-linux-gnu/openblas-serial/libopenblas.so.0",
      "libopenblas.so.0",
      "liblapack.so.3",
  };
  const char *wanted = getenv("TLALOC_LAPACK");
  if (wanted != NULL && strcmp(wanted, "0") == 0) return;
  for (size_t i = 0; i < TL_COUNT(names) && !is_there; i++) {
    void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == NULL) continue;
    is_there =
        take(library, "ssyevd_", &found.syevd[0]) && take(library, "dsyevd_", &found.syevd[1]) &&
        take(library, "sgesdd_", &found.gesdd[0]) && take(library, "dgesdd_", &found.gesdd[1]);
    void (*threads)(int);
    if (is_there && take(library, "openblas_set_num_threads", &threads)) threads(1);
    if (!is_there) dlclose(library);
  }
}

const tl_lapack *tl_lapack_get(void) {
  pthread_once(&once, find);
  return is_there ? &found : NULL;
}
