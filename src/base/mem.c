// Anonymous memory aligned to 2 MiB: map 2 MiB too much, cut off both ends, ask for huge pages.
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

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

size_t tl_mem_peak_rss(void) {
  char text[4096];
  int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t got;
  do
    got = read(fd, text, sizeof text - 1);
  while (got < 0 && errno == EINTR);
  close(fd);
  if (got <= 0) return 0;
  text[got] = '\0';
  const char *at = strstr(text, "\nVmHWM:");
  if (at == NULL) return 0;
  size_t kib = 0;
  for (at += 7; *at == ' ' || *at == '\t'; at++) {
  }
  for (; *at >= '0' && *at <= '9'; at++)
    if (!TL_MUL_OK(kib, (size_t)10, &kib) || !TL_ADD_OK(kib, (size_t)(*at - '0'), &kib)) return 0;
  return TL_MUL_OK(kib, (size_t)1024, &kib) ? kib : 0;
}
