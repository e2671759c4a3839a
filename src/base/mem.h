// Large memory in 2 MiB pages where the kernel grants them (MADV_HUGEPAGE): reading weights from 4 KiB pages costs half
// the bandwidth. Zeroed on first use by the kernel.
#ifndef TL_BASE_MEM_H
#define TL_BASE_MEM_H

#include "base/base.h"

void *tl_mem_map(size_t size);              // 2 MiB aligned, zero filled; NULL when memory is gone or size is 0
void tl_mem_unmap(void *ptr, size_t size);  // the same size; NULL is allowed
size_t tl_mem_peak_rss(void);               // bytes; 0 when /proc does not tell

#endif
