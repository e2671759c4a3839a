// A stranger's program: loads the installed plugin and asks for its table.
#include <dlfcn.h>
#include <stdio.h>
#include <tlaloc/tlaloc.h>

int main(void) {
  void *plugin = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
  if (!plugin) return fprintf(stderr, "%s\n", dlerror()), 1;
  const void *(*get)(void) = (const void *(*)(void))dlsym(plugin, "GetPjrtApi");
  if (!get || !get()) return fprintf(stderr, "no table\n"), 1;
  printf("tlaloc %d.%d: the plugin gives its table\n", TLALOC_VERSION_MAJOR, TLALOC_VERSION_MINOR);
  return 0;
}
