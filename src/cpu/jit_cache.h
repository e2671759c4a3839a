// Pieces of machine code: found in this process, in the cache on disk, or made by the module.
#ifndef TL_CPU_JIT_CACHE_H
#define TL_CPU_JIT_CACHE_H

#include "cpu/jit_region.h"

typedef struct jit_code jit_code; // counted; mapped read-execute as long as it lives

// The code of a shape, which is compiled where neither the process nor the disk has it. NULL where
// that cannot be: no module, nothing to map code with, or an instruction that needs what the module
// does not have. Any thread.
jit_code *jit_code_get(const jit_shape *s);
jit_code *jit_code_found(const jit_shape *s); // NULL where it would have to be compiled
// The same of a region, whose key is `key`; its entry is a region_fn.
jit_code *jit_code_of_region(const jit_region *r, tl_str key);
void jit_code_release(jit_code *c);
jit_fn jit_code_entry(const jit_code *c);

// What this process did so far; for tests and `tlaloc opt --explain`.
typedef struct jit_counts {
  size_t compiled, read, shared; // by the module; from disk; found in the process
  uint64_t compile_ns;           // of all of them, of the processor, without loading the module
  bool loaded;                   // the module is
} jit_counts;
jit_counts jit_count(void);

// Whether the module can be had, which is then loaded. FAILED_PRECONDITION names the file, says
// what dlopen said and what to do.
tl_status jit_module_check(void);

// A file of the cache: header, key, and from 4096 on the code. INVALID_ARGUMENT says what is wrong
// with bytes that are none of `key`.
tl_status jit_file_check(const void *bytes, size_t size, tl_str key, size_t *out_entry);
// The file's whole bytes.
void jit_file_make(tl_str key, const jit_compiled *c, tl_buf *out);
// Where files lie: $TLALOC_CACHE_DIR or tl_cache_dir, then jit/. NULL: nowhere.
char *jit_cache_folder(tl_arena *a);

#endif
