// Large memory in 2 MiB pages where the kernel grants them (MADV_HUGEPAGE): reading weights from 4
// KiB pages costs half the bandwidth. Zeroed on first use by the kernel.
#ifndef TL_BASE_MEM_H
#define TL_BASE_MEM_H

#include "base/base.h"

void *tl_mem_map(size_t size); // 2 MiB aligned, zero filled; NULL when memory is gone or size is 0
// Zeroes private anonymous memory (tl_mem_map's or malloc's) by giving its whole pages back to the
// kernel, which makes zero pages of them when they are touched again: a large pool costs what is
// used of it.
void tl_mem_zero(void *ptr, size_t size);
void tl_mem_unmap(void *ptr, size_t size); // the same size; NULL is allowed

// Bytes; 0 when the kernel does not tell.
size_t tl_mem_peak_rss(void);  // resident so far at most
size_t tl_mem_limit(void);     // what this process may have: the machine's, or its control group's
size_t tl_mem_available(void); // what the machine can give without swapping

typedef enum { TL_MEM_PAGES_NEVER, TL_MEM_PAGES_ASKED, TL_MEM_PAGES_ALWAYS } tl_mem_pages;
tl_mem_pages tl_mem_huge_pages(void); // when the kernel grants 2 MiB pages

#endif
