// Replays a saved corpus through a fuzz target's entry point, so that every input that once
// mattered is an ordinary test on any compiler. Usage: fuzz_<target> DIR|FILE...; an empty corpus
// is a failure, not a pass.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t replay_file(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f) {
    fprintf(stderr, "%s: cannot open\n", path);
    exit(1);
  }
  fseek(f, 0, SEEK_END);
  long size = ftell(f);
  rewind(f);
  uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
  if (!data || fread(data, 1, (size_t)size, f) != (size_t)size) {
    fprintf(stderr, "%s: cannot read\n", path);
    exit(1);
  }
  fclose(f);
  LLVMFuzzerTestOneInput(data, (size_t)size);
  free(data);
  return 1;
}

static size_t replay(const char *path) {
  struct stat st;
  if (stat(path, &st) != 0) {
    fprintf(stderr, "%s: no such corpus\n", path);
    exit(1);
  }
  if (!S_ISDIR(st.st_mode)) return replay_file(path);
  size_t n = 0;
  DIR *dir = opendir(path);
  for (struct dirent *e; dir && (e = readdir(dir));) {
    if (e->d_name[0] == '.') continue;
    char name[4096];
    snprintf(name, sizeof name, "%s/%s", path, e->d_name);
    n += replay(name);
  }
  if (dir) closedir(dir);
  return n;
}

int main(int argc, char **argv) {
  size_t n = 0;
  for (int i = 1; i < argc; i++)
    n += replay(argv[i]);
  printf("%zu inputs replayed\n", n);
  return n == 0;
}
