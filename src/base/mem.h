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
size_t tl_mem_peak_rss(void);              // bytes; 0 when /proc does not tell

#endif
