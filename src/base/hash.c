// Digests over libcrypto and xxhash.
#include "base/hash.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/file_private.h"

struct tl_sha256 {
  EVP_MD_CTX *ctx;
};

tl_sha256 *tl_sha256_create(void) {
  tl_sha256 *h = malloc(sizeof *h);
  if (h == NULL) return NULL;
  ERR_set_mark(); // a failure of ours must not lie in the host program's error queue
  h->ctx = EVP_MD_CTX_new();
  bool good = h->ctx != NULL && EVP_DigestInit_ex(h->ctx, EVP_sha256(), NULL) == 1;
  ERR_pop_to_mark();
  if (!good) {
    tl_sha256_destroy(h);
    return NULL;
  }
  return h;
}

void tl_sha256_destroy(tl_sha256 *h) {
  if (h == NULL) return;
  EVP_MD_CTX_free(h->ctx);
  free(h);
}

// Updating and finishing an initialised SHA-256 context cannot fail: it has no memory to ask for.
void tl_sha256_add(tl_sha256 *h, const void *bytes, size_t size) {
  if (size != 0) (void)EVP_DigestUpdate(h->ctx, bytes, size);
}

void tl_sha256_finish(tl_sha256 *h, char out_hex[TL_SHA256_HEX + 1]) {
  unsigned char digest[TL_SHA256_SIZE] = {0};
  (void)EVP_DigestFinal_ex(h->ctx, digest, NULL);
  for (size_t i = 0; i < sizeof digest; i++) {
    out_hex[2 * i] = "0123456789abcdef"[digest[i] >> 4];
    out_hex[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
  }
  out_hex[TL_SHA256_HEX] = '\0';
  tl_sha256_destroy(h);
}

bool tl_sha256_hex(const void *bytes, size_t size, char out_hex[TL_SHA256_HEX + 1]) {
  tl_sha256 *h = tl_sha256_create();
  if (h == NULL) return false;
  tl_sha256_add(h, bytes, size);
  tl_sha256_finish(h, out_hex);
  return true;
}

// Reads rather than maps: a digest passes over the bytes once, and a file that shrinks meanwhile is
// then an error and not a SIGBUS.
tl_status tl_sha256_file(const char *path, char out_hex[TL_SHA256_HEX + 1]) {
  enum { CHUNK = 256 << 10 };
  tl_status st = TL_OK;
  char *chunk = malloc(CHUNK);
  tl_sha256 *h = tl_sha256_create();
  int fd = -1;
  size_t size; // may grow while we read
  if (chunk == NULL || h == NULL) {
    st = TL_OOM();
    goto done;
  }
  TL_TRY_GOTO(done, st, tl_file_open_read(path, &fd, &size));
  for (;;) {
    ssize_t got = read(fd, chunk, CHUNK);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      st = tl_file_error(path, "read", errno);
      goto done;
    }
    if (got == 0) break;
    tl_sha256_add(h, chunk, (size_t)got);
  }
  tl_sha256_finish(h, out_hex);
  h = NULL;
done:
  if (fd >= 0) close(fd);
  tl_sha256_destroy(h);
  free(chunk);
  return st;
}

uint64_t tl_hash64(const void *bytes, size_t size) { return XXH3_64bits(bytes, size); }

uint64_t tl_fnv1a64(const void *bytes, size_t size) {
  const unsigned char *p = bytes;
  uint64_t h = 0xcbf29ce484222325u;
  for (size_t i = 0; i < size; i++)
    h = (h ^ p[i]) * 0x100000001b3u;
  return h;
}
