// Digests: SHA-256 (libcrypto) for what is published, xxhash for tables and caches, FNV-1a where a
// format asks for it.
#ifndef TL_BASE_HASH_H
#define TL_BASE_HASH_H

#include "base/str.h"

typedef struct tl_sha256 tl_sha256; // a running digest

#define TL_SHA256_SIZE 32
#define TL_SHA256_HEX 64

tl_sha256 *tl_sha256_create(void); // NULL when memory is gone
void tl_sha256_add(tl_sha256 *h, const void *bytes, size_t size);
void tl_sha256_finish(tl_sha256 *h,
                      char out_hex[TL_SHA256_HEX + 1]); // lower case, terminated; destroys h
void tl_sha256_destroy(tl_sha256 *h);                   // without finishing; NULL is allowed
bool tl_sha256_hex(const void *bytes, size_t size,
                   char out_hex[TL_SHA256_HEX + 1]); // false when memory is gone
tl_status tl_sha256_file(const char *path, char out_hex[TL_SHA256_HEX + 1]);

uint64_t tl_hash64(const void *bytes, size_t size); // xxhash XXH3
uint64_t tl_fnv1a64(const void *bytes, size_t size);

#endif
