// Anonymous memory aligned to 2 MiB: map 2 MiB too much, cut off both ends, ask for huge pages.
#include "base/mem.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cgroup.h"

#define HUGE ((size_t)2 << 20)

// What is mapped for a request of `size`: whole huge pages, so that the last one can be granted
// too.
static bool mapped_size(size_t size, size_t *out) {
  size_t padded;
  if (size == 0 || !TL_ADD_OK(size, HUGE - 1, &padded)) return false;
  *out = padded & ~(HUGE - 1);
  return true;
}

void *tl_mem_map(size_t size) {
  size_t whole, total;
  if (!mapped_size(size, &whole) || !TL_ADD_OK(whole, HUGE, &total)) return NULL;
  char *p = mmap(NULL, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return NULL;
  size_t head = (size_t)(-(uintptr_t)p & (HUGE - 1)), tail = HUGE - head;
  if (head != 0) munmap(p, head); // the tail is never empty
  munmap(p + head + whole, tail);
  // Refused where the kernel has no transparent huge pages; small pages are slower, not wrong.
  (void)madvise(p + head, whole, MADV_HUGEPAGE);
  return p + head;
}

void tl_mem_unmap(void *ptr, size_t size) {
  size_t whole;
  if (ptr != NULL && mapped_size(size, &whole)) munmap(ptr, whole);
}

void tl_mem_zero(void *ptr, size_t size) {
  const size_t page = 4096;
  char *from = ptr, *to = from + size;
  char *inner = (char *)(((uintptr_t)from + page - 1) & ~(page - 1)),
       *end = (char *)((uintptr_t)to & ~(page - 1));
  if (inner >= end || madvise(inner, (size_t)(end - inner), MADV_DONTNEED) != 0) {
    memset(ptr, 0, size);
    return;
  }
  memset(from, 0, (size_t)(inner - from));
  memset(end, 0, (size_t)(to - end));
}

// The number of KiB behind `name` in a file like /proc/self/status, as bytes; 0 when it does not
// tell.
static size_t kib_of(const char *path, const char *name) {
  char text[4096];
  if (!tl_read_small(path, text, sizeof text)) return 0;
  const char *at = strstr(text, name);
  size_t kib = 0;
  return at && sscanf(at + strlen(name), "%zu", &kib) == 1 && TL_MUL_OK(kib, (size_t)1024, &kib)
             ? kib
             : 0;
}

size_t tl_mem_peak_rss(void) { return kib_of("/proc/self/status", "\nVmHWM:"); }

static size_t bytes_or_max(const char *text) { // of memory.max: a number, or "max"
  size_t bytes;
  return sscanf(text, "%zu", &bytes) == 1 ? bytes : SIZE_MAX;
}

size_t tl_mem_limit(void) {
  char text[64];
  const size_t all = kib_of("/proc/meminfo", "MemTotal:");
  size_t least = TL_MIN(all ? all : SIZE_MAX, tl_cgroup_least("memory.max", bytes_or_max));
  if (tl_read_small("/sys/fs/cgroup/memory/memory.limit_in_bytes", text, sizeof text)) // v1
    least = TL_MIN(least, bytes_or_max(text));
  return least == SIZE_MAX ? 0 : least;
}

size_t tl_mem_available(void) { return kib_of("/proc/meminfo", "MemAvailable:"); }

tl_mem_pages tl_mem_huge_pages(void) {
  char text[64]; // "always [madvise] never"
  if (!tl_read_small("/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof text) ||
      strstr(text, "[never]"))
    return TL_MEM_PAGES_NEVER;
  return strstr(text, "[always]") ? TL_MEM_PAGES_ALWAYS : TL_MEM_PAGES_ASKED;
}
