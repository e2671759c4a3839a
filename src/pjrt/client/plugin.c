// Opening a plugin: nothing in its table is believed before it was checked.
//
// The table grows from version to version by slots at its end, so struct_size says how many there
// are. We read struct_size first, then the version (whose place never moves), and then copy as much
// of the table as both sides know into our own, zeroed one: a slot that the plugin lacks is a NULL
// there, whatever the reason. The functions that nothing works without are demanded here, by name;
// the others are asked for at each use.
#include "pjrt/client/internal.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static tl_pjrt_plugin *open_plugins; // guarded by open_lock

typedef struct slot {
  const char *name;
  size_t offset;
  bool must;
} slot;

#define CLIENT_must true
#define CLIENT_may false
#define CLIENT_none false
static const slot slots[] = {
#define TL_PJRT_FN(function, result, plugin, client) \
  {"PJRT_" #function, offsetof(PJRT_Api, PJRT_##function), CLIENT_##client},
#include "pjrt/functions.def"
#undef TL_PJRT_FN
};

tl_status tl_pjrt_absent(const tl_pjrt_plugin *p, const char *function) {
  return TL_ERROR(UNIMPLEMENTED, "plugin %s has no %s", p->path, function);
}

tl_status tl_pjrt_status(const tl_pjrt_plugin *p, PJRT_Error *error, const char *what) {
  if (TL_LIKELY(error == NULL)) return TL_OK;
  PJRT_Error_Message_Args m = {.struct_size = PJRT_SIZE(Error_Message_Args), .error = error};
  p->api.PJRT_Error_Message(&m);
  PJRT_Error_GetCode_Args g = {.struct_size = PJRT_SIZE(Error_GetCode_Args), .error = error};
  PJRT_Error *second = p->api.PJRT_Error_GetCode(&g);
  tl_status_code code = second ? TL_STATUS_UNKNOWN : (tl_status_code)g.code;
  // An error whose code is OK, or one we have no name for, is still an error.
  if (code == TL_STATUS_OK ||
      (code != TL_STATUS_UNKNOWN && !strcmp(tl_status_code_name(code), "UNKNOWN")))
    code = TL_STATUS_UNKNOWN;
  int size = m.message == NULL ? 0 : (int)TL_MIN(m.message_size, (size_t)INT32_MAX);
  tl_status st = tl_status_make(code, "%s: %.*s", what, size, m.message ? m.message : "");
  PJRT_Error *errors[2] = {error, second};
  for (size_t i = 0; i < 2; i++) {
    PJRT_Error_Destroy_Args d = {.struct_size = PJRT_SIZE(Error_Destroy_Args), .error = errors[i]};
    if (errors[i]) p->api.PJRT_Error_Destroy(&d);
  }
  return st;
}

// Refuses, or copies what both sides know into *out.
static tl_status check_table(const PJRT_Api *api, const char *name, PJRT_Api *out) {
  if (api == NULL)
    return TL_ERROR(INVALID_ARGUMENT, "plugin %s: GetPjrtApi returned no table", name);
  size_t size = api->struct_size;
  size_t head = offsetof(PJRT_Api, pjrt_api_version) + sizeof(PJRT_Api_Version);
  if (size < head)
    return TL_ERROR(INVALID_ARGUMENT,
                    "plugin %s: its table has %zu bytes, wanted at least %zu for the version", name,
                    size, head);
  const PJRT_Api_Version *v = &api->pjrt_api_version;
  if (v->struct_size < PJRT_SIZE(Api_Version))
    return TL_ERROR(INVALID_ARGUMENT, "plugin %s: its version record has %zu bytes, wanted %zu",
                    name, v->struct_size, PJRT_SIZE(Api_Version));
  if (v->major_version != PJRT_API_MAJOR)
    return TL_ERROR(INVALID_ARGUMENT, "plugin %s: speaks PJRT %d.%d, wanted major version %d", name,
                    v->major_version, v->minor_version, PJRT_API_MAJOR);
  for (size_t i = 0; i < TL_COUNT(slots); i++)
    if (slots[i].must && slots[i].offset + sizeof(void *) > size)
      return TL_ERROR(INVALID_ARGUMENT,
                      "plugin %s: its table (PJRT %d.%d, %zu bytes) ends before %s", name,
                      v->major_version, v->minor_version, size, slots[i].name);
  memset(out, 0, sizeof *out);
  memcpy(out, api, TL_MIN(size, sizeof *out));
  for (size_t i = 0; i < TL_COUNT(slots); i++) {
    void *function;
    memcpy(&function, (const char *)out + slots[i].offset, sizeof function);
    if (slots[i].must && function == NULL)
      return TL_ERROR(INVALID_ARGUMENT, "plugin %s: its table (PJRT %d.%d) has a null %s", name,
                      v->major_version, v->minor_version, slots[i].name);
  }
  return TL_OK;
}

static tl_pjrt_kind kind_of_name(const char *path) {
  const char *base = tl_path_base(path);
  if (strstr(base, "cuda") || strstr(base, "gpu") || strstr(base, "rocm")) return TL_PJRT_CUDA;
  return strstr(base, "tpu") ? TL_PJRT_TPU : TL_PJRT_OTHER;
}

// Under open_lock. Takes over `path`.
static tl_status add_plugin(const PJRT_Api *api, char *path, tl_pjrt_plugin **out_plugin) {
  for (tl_pjrt_plugin *p = open_plugins; p; p = p->next)
    if (p->origin == api && api != NULL) {
      free(path);
      *out_plugin = p;
      return TL_OK;
    }
  tl_status st = TL_OK;
  tl_pjrt_plugin *p = calloc(1, sizeof *p);
  if (p == NULL) {
    st = TL_OOM();
    goto fail;
  }
  TL_TRY_GOTO(fail, st, check_table(api, path, &p->api));
  p->origin = api;
  p->path = path;
  p->kind = kind_of_name(path);
  if (p->api.PJRT_Plugin_Initialize) {
    PJRT_Plugin_Initialize_Args a = {.struct_size = PJRT_SIZE(Plugin_Initialize_Args)};
    st = TL_PJRT_CALL(p, Plugin_Initialize, &a);
    if (st) {
      st = tl_status_note(st, "plugin %s", path);
      goto fail;
    }
  }
  p->next = open_plugins;
  open_plugins = p;
  *out_plugin = p;
  return TL_OK;
fail:
  free(p);
  free(path);
  return st;
}

tl_status tl_pjrt_open_api(const PJRT_Api *api, const char *name, tl_pjrt_plugin **out_plugin) {
  char *copy = strdup(name);
  if (copy == NULL) return TL_OOM();
  pthread_mutex_lock(&open_lock);
  tl_status st = add_plugin(api, copy, out_plugin);
  pthread_mutex_unlock(&open_lock);
  return st;
}

// Half a download: the loader maps what the program headers say, and dies where the file has ended.
// Whatever else is wrong with the file, the loader says itself.
static tl_status check_whole(const char *path) {
  tl_file_map map;
  TL_TRY_NOTE(tl_file_map_open(path, &map), "plugin %s", path);
  Elf64_Ehdr head = {0};
  if (map.size >= sizeof head) memcpy(&head, map.data, sizeof head);
  size_t table = 0;
  bool whole = true, elf = memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
                           head.e_ident[EI_CLASS] == ELFCLASS64 &&
                           head.e_phentsize == sizeof(Elf64_Phdr);
  if (elf) {
    table = (size_t)head.e_phnum * sizeof(Elf64_Phdr);
    whole = head.e_phoff <= map.size && table <= map.size - head.e_phoff;
  }
  for (size_t i = 0; elf && whole && i < head.e_phnum; i++) {
    Elf64_Phdr p;
    memcpy(&p, map.data + head.e_phoff + i * sizeof p, sizeof p);
    whole = p.p_type != PT_LOAD || (p.p_offset <= map.size && p.p_filesz <= map.size - p.p_offset);
  }
  const size_t size = map.size;
  tl_file_map_close(&map);
  if (whole) return TL_OK;
  return TL_ERROR(INVALID_ARGUMENT, "plugin %s: is cut short: %zu bytes, its segments need more",
                  path, size);
}

tl_status tl_pjrt_open(const char *path, tl_pjrt_plugin **out_plugin) {
  if (!tl_path_exists(path)) return TL_ERROR(NOT_FOUND, "plugin %s: no such file", path);
  if (tl_path_is_dir(path))
    return TL_ERROR(INVALID_ARGUMENT, "plugin %s: is a directory, wanted a shared object", path);
  char *full = realpath(path, NULL);
  if (full == NULL) return TL_ERROR(NOT_FOUND, "plugin %s: cannot be resolved", path);
  tl_status st = TL_OK;
  pthread_mutex_lock(&open_lock);
  for (tl_pjrt_plugin *p = open_plugins; p; p = p->next)
    if (!strcmp(p->path, full)) {
      free(full);
      *out_plugin = p;
      goto done;
    }
  st = check_whole(full);
  if (st != TL_OK) {
    free(full);
    goto done;
  }
  // Local, so that two plugins' copies of one library do not meet.
  void *object = dlopen(full, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (object == NULL) {
    const char *why = dlerror();
    st = TL_ERROR(INVALID_ARGUMENT, "plugin %s: cannot be loaded: %s", full,
                  why ? why : "no reason given");
    free(full);
    goto done;
  }
  const PJRT_Api *(*get)(void);
  *(void **)&get = dlsym(object, "GetPjrtApi");
  if (get == NULL) {
    st = TL_ERROR(INVALID_ARGUMENT, "plugin %s: has no GetPjrtApi, so it is not a PJRT plugin",
                  full);
    free(full);
    goto done;
  }
  st = add_plugin(get(), full, out_plugin);
done:
  pthread_mutex_unlock(&open_lock);
  return st;
}

const char *tl_pjrt_plugin_path(const tl_pjrt_plugin *p) { return p->path; }

void tl_pjrt_plugin_version(const tl_pjrt_plugin *p, int *out_major, int *out_minor) {
  *out_major = p->api.pjrt_api_version.major_version;
  *out_minor = p->api.pjrt_api_version.minor_version;
}

tl_pjrt_kind tl_pjrt_plugin_kind(const tl_pjrt_plugin *p) { return p->kind; }

static void print_value(const PJRT_NamedValue *v, tl_buf *out) {
  tl_buf_printf(out, "%.*s = ", (int)TL_MIN(v->name_size, (size_t)200), v->name);
  switch (v->type) {
  case PJRT_NamedValue_kString:
    tl_buf_printf(out, "%.*s", (int)TL_MIN(v->value_size, (size_t)1000), v->string_value);
    break;
  case PJRT_NamedValue_kInt64:
    tl_buf_printf(out, "%lld", (long long)v->int64_value);
    break;
  case PJRT_NamedValue_kInt64List:
    for (size_t i = 0; i < TL_MIN(v->value_size, (size_t)100); i++)
      tl_buf_printf(out, "%s%lld", i ? "." : "", (long long)v->int64_array_value[i]);
    break;
  case PJRT_NamedValue_kFloat:
    tl_buf_printf(out, "%g", (double)v->float_value);
    break;
  case PJRT_NamedValue_kBool:
    tl_buf_cstr(out, v->bool_value ? "true" : "false");
    break;
  default:
    tl_buf_printf(out, "(a value of kind %d)", (int)v->type);
  }
  tl_buf_char(out, '\n');
}

tl_status tl_pjrt_plugin_attributes(const tl_pjrt_plugin *p, tl_buf *out_text) {
  PJRT_Plugin_Attributes_Args a = {.struct_size = PJRT_SIZE(Plugin_Attributes_Args)};
  TL_TRY(TL_PJRT_CALL_IF(p, Plugin_Attributes, &a));
  for (size_t i = 0; i < a.num_attributes; i++)
    print_value(&a.attributes[i], out_text);
  return TL_OK;
}
