// Huge pages for large blocks of memory.
#ifndef TL_BASE_PAGES_H
#define TL_BASE_PAGES_H

#include "base/base.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

// Asks the kernel for huge pages where [ptr, ptr + size) holds at least two of them. A hint: where
// it is not taken nothing is lost.
static inline void tl_ask_for_huge_pages(void *ptr, size_t size) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  const size_t page = 2 << 20;
  if (ptr == NULL || size < 2 * page) return;
  const uintptr_t begin = ((uintptr_t)ptr + page - 1) & ~(page - 1),
                  end = ((uintptr_t)ptr + size) & ~(page - 1);
  if (begin < end) (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#else
  (void)ptr, (void)size;
#endif
}

#endif
