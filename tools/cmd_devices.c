// tlaloc devices: what can run a program here, and every place that was looked at.
#include "cli.h"

#include <stdio.h>

#include "base/cpuinfo.h"
#include "base/mem.h"
#include "pjrt/client/client.h"
#include "pjrt/plugin/plugin.h"

static void print_mib(const char *what, int64_t bytes) {
  if (bytes >= 0) printf(", %s %.1f MiB", what, (double)bytes / (1 << 20));
}

// What a device counts, behind its line.
static tl_status describe_memory(tl_pjrt_client *client, size_t device) {
  tl_pjrt_memory m;
  tl_status st = tl_pjrt_client_memory(client, device, &m);
  if (st && tl_status_get_code(st) == TL_STATUS_UNIMPLEMENTED) {
    tl_status_drop(st);
    printf("    memory: the plugin does not count it\n");
    return TL_OK;
  }
  TL_TRY(st);
  printf("    memory: buffers %.1f MiB", (double)m.in_use / (1 << 20));
  print_mib("at most", m.peak);
  print_mib("with what is kept for reuse", m.pool);
  print_mib("programs", m.reserved);
  print_mib("limit", m.limit);
  putchar('\n');
  return TL_OK;
}

// The memory of this machine, and what of it this process may have.
static void print_machine_memory(void) {
  static const char *const pages[] = {
      [TL_MEM_PAGES_NEVER] = "4 KiB pages only: weights are read at half the speed",
      [TL_MEM_PAGES_ASKED] = "2 MiB pages where asked for, which tlaloc does",
      [TL_MEM_PAGES_ALWAYS] = "2 MiB pages",
  };
  printf("memory: %.1f MiB allowed, %.1f MiB available; %s\n", (double)tl_mem_limit() / (1 << 20),
         (double)tl_mem_available() / (1 << 20), pages[tl_mem_huge_pages()]);
}

static tl_status describe(const tl_cli *cli, tl_pjrt_plugin *plugin) {
  tl_pjrt_client *client;
  int major, minor;
  const tl_pjrt_option count = {
      .name = "cpu_device_count", .type = PJRT_NamedValue_kInt64, .int64 = cli->devices};
  TL_TRY(tl_pjrt_client_create(plugin,
                               cli->devices && tl_pjrt_plugin_kind(plugin) == TL_PJRT_OTHER
                                   ? &(tl_pjrt_options){.items = &count, .n_items = 1}
                                   : NULL,
                               &client));
  tl_pjrt_plugin_version(plugin, &major, &minor);
  printf("  platform %s (%s), PJRT %d.%d\n", tl_pjrt_client_platform(client),
         tl_pjrt_client_platform_version(client), major, minor);
  tl_status st = TL_OK;
  for (size_t i = 0; !st && i < tl_pjrt_client_n_devices(client); i++) {
    tl_pjrt_device_info info;
    st = tl_pjrt_client_device(client, i, &info);
    if (!st)
      printf("  device %d: " TL_STR_FMT " (" TL_STR_FMT ")\n", info.id, TL_STR_ARG(info.text),
             TL_STR_ARG(info.kind));
    if (!st && cli->memory) st = describe_memory(client, i);
  }
  tl_pjrt_client_release(client);
  return st;
}

int tl_cmd_devices(const tl_cli *cli) {
  char isa[256];
  tl_pjrt_plugin *plugin;
  uint32_t bits;
  tl_status st = tl_cpu_isa(&bits);
  if (st) return tl_cli_fail(st);
  tl_isa_text(bits, isa, sizeof isa);
  printf("native: %s, %zu threads, %s\n", tl_cpu_name(), tl_cpu_count(), isa);
  if (cli->memory) print_machine_memory();
  st = tl_pjrt_open_api(tl_plugin_api(), "the embedded native device", &plugin);
  if (!st) st = describe(cli, plugin);
  if (st) return tl_cli_fail(st);
  printf("ref: the reference interpreter, in the same plugin\n");
  static const struct {
    tl_pjrt_kind kind;
    const char *name;
  } kinds[] = {{TL_PJRT_CUDA, "cuda"}, {TL_PJRT_TPU, "tpu"}};
  int status = TL_EXIT_OK;
  for (size_t i = 0; i < TL_COUNT(kinds); i++) {
    tl_buf report = {0};
    const char *path = NULL;
    st = tl_pjrt_discover(kinds[i].kind, cli->arena, &report, &path);
    if (st) return tl_cli_fail(st);
    printf("%s: %s\n%.*s", kinds[i].name, path ? path : "no plugin found", (int)report.len,
           report.ptr ? report.ptr : "");
    tl_buf_deinit(&report);
    if (!path) continue;
    st = tl_pjrt_open(path, &plugin);
    if (!st) st = describe(cli, plugin);
    if (st) status = tl_cli_fail(st);
  }
  return status;
}
