// Limits of control groups, v2. A group's limit binds every group below it, so the path is walked
// upward from "0::/a/b" of /proc/self/cgroup: /a/b, /a, /.
#include "base/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool tl_read_small(const char *path, char *out, size_t size) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t got;
  do
    got = read(fd, out, size - 1);
  while (got < 0 && errno == EINTR);
  close(fd);
  if (got < 0) return false;
  out[got] = '\0';
  return true;
}

size_t tl_cgroup_least(const char *file, size_t (*parse)(const char *text)) {
  char group[1024], path[1200], text[64];
  if (!tl_read_small("/proc/self/cgroup", group, sizeof group)) return SIZE_MAX;
  char *at = strncmp(group, "0::", 3) == 0 ? group : strstr(group, "\n0::");
  if (at == NULL) at = (char[]){"0::/"};
  if (*at == '\n') at++;
  at += 3;
  at[strcspn(at, "\n")] = '\0';
  size_t least = SIZE_MAX;
  for (;;) {
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/%s", strcmp(at, "/") == 0 ? "" : at, file);
    if (tl_read_small(path, text, sizeof text)) least = TL_MIN(least, parse(text));
    char *slash = strrchr(at, '/');
    if (slash == NULL || at[1] == '\0') return least;
    slash[slash == at] = '\0'; // the parent; the root keeps its slash
  }
}
