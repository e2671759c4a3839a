// Finding a plugin's file, and telling where one looked: an answer "none" is only useful with its
// places.
//
// Plugins are found as files, never imported: a Python installation that carries one is only a
// folder to us.
#include "pjrt/client/internal.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

static const char *const kind_names[] = {
    [TL_PJRT_OTHER] = "default", [TL_PJRT_CUDA] = "cuda", [TL_PJRT_TPU] = "tpu"};

// The path with what glob would expand taken literally.
static char *literal(tl_arena *a, const char *path) {
  char *out = TL_NEW(a, char, 2 * strlen(path) + 1);
  if (out == NULL) return NULL;
  char *to = out;
  for (; *path; *to++ = *path++)
    if (strchr("*?[]\\", *path)) *to++ = '\\';
  return out;
}

typedef const char *(*visit)(tl_arena *a, const char *path, bool *oom);

// The first non-NULL answer of `next` over the sorted matches of dir (taken literally) and pattern.
static const char *each(tl_arena *a, const char *dir, const char *pattern, visit next, bool *oom) {
  char *start = literal(a, dir);
  char *whole = start ? tl_arena_printf(a, "%s/%s", start, pattern) : NULL;
  if (whole == NULL) {
    *oom = true;
    return NULL;
  }
  const char *found = NULL;
  glob_t g = {0};
  int rc = glob(whole, 0, NULL, &g);
  if (rc == GLOB_NOSPACE) *oom = true;
  for (size_t i = 0; rc == 0 && i < g.gl_pathc && found == NULL && !*oom; i++)
    found = next(a, g.gl_pathv[i], oom);
  globfree(&g);
  return found;
}

static const char *take(tl_arena *a, const char *path, bool *oom) {
  tl_str copy = tl_str_copy(a, tl_str_of(path));
  *oom |= copy.ptr == NULL;
  return copy.ptr;
}

static const char *in_packages_cuda(tl_arena *a, const char *path, bool *oom) {
  return each(a, path, "jax_plugins/*cuda*/*.so", take, oom);
}
static const char *in_packages_tpu(tl_arena *a, const char *path, bool *oom) {
  return each(a, path, "libtpu/libtpu.so", take, oom);
}

static const char *in_python_cuda(tl_arena *a, const char *path, bool *oom) {
  const char *found = each(a, path, "site-packages", in_packages_cuda, oom);
  return found ? found : each(a, path, "dist-packages", in_packages_cuda, oom);
}
static const char *in_python_tpu(tl_arena *a, const char *path, bool *oom) {
  const char *found = each(a, path, "site-packages", in_packages_tpu, oom);
  return found ? found : each(a, path, "dist-packages", in_packages_tpu, oom);
}

static const char *in_root_cuda(tl_arena *a, const char *root, bool *oom) {
  const char *found = each(a, root, "lib/python3.*", in_python_cuda, oom);
  return found ? found : each(a, root, "lib64/python3.*", in_python_cuda, oom);
}
static const char *in_root_tpu(tl_arena *a, const char *root, bool *oom) {
  const char *found = each(a, root, "lib/python3.*", in_python_tpu, oom);
  return found ? found : each(a, root, "lib64/python3.*", in_python_tpu, oom);
}

// `next` over the roots that match below the home folder.
static const char *at_home(tl_arena *a, const char *tail, visit next, bool *oom) {
  const char *home = getenv("HOME");
  return home && *home ? each(a, home, tail, next, oom) : NULL;
}

static const char *find_cuda(tl_arena *a, bool *oom) {
#ifndef __linux__
  (void)a, (void)oom, (void)at_home, (void)in_root_cuda;
  return NULL;
#else
  const char *venv = getenv("VIRTUAL_ENV"), *found = NULL;
  if (venv && *venv) found = in_root_cuda(a, venv, oom);
  static const char *const below_home[] = {".local/venvs/*", ".venv", "venv", ".local"};
  for (size_t i = 0; i < TL_COUNT(below_home) && !found; i++)
    found = at_home(a, below_home[i], in_root_cuda, oom);
  if (!found) found = in_root_cuda(a, "/usr/local", oom);
  return found ? found : in_root_cuda(a, "/usr", oom);
#endif
}

static const char *find_tpu(tl_arena *a, bool *oom) {
  const char *venv = getenv("VIRTUAL_ENV"), *found = NULL;
  if (venv && *venv) found = in_root_tpu(a, venv, oom);
  if (!found) found = at_home(a, ".local", in_root_tpu, oom);
  static const char *const fixed[] = {"/lib/libtpu.so", "/usr/lib/libtpu.so"};
  for (size_t i = 0; i < TL_COUNT(fixed) && !found; i++)
    if (tl_path_exists(fixed[i])) found = fixed[i];
  return found;
}

static const char *venv_note(void) {
  const char *venv = getenv("VIRTUAL_ENV");
  return venv && *venv ? "" : " (not set)";
}

static void say_nothing_found(tl_pjrt_kind kind, tl_buf *r) {
  if (kind == TL_PJRT_CUDA) {
#ifdef __linux__
    tl_buf_printf(
        r,
        "2. no jax_plugins/*cuda*/*.so under any searched root. Roots searched: $VIRTUAL_ENV%s, "
        "~/.local/venvs/*, ~/.venv, ~/venv, ~/.local, /usr/local, /usr — each at "
        "lib{,64}/python3.*/{site,dist}-packages/jax_plugins/*cuda*/*.so\n",
        venv_note());
    tl_buf_cstr(r, "Fix: export TLALOC_PJRT_PLUGIN_PATH=/path/to/the/plugin.so, or `pip install "
                   "jax[cuda12]` into a "
                   "venv under ~/.local/venvs/ (or activate it).\n");
#else
    tl_buf_cstr(r, "2. no search: the CUDA plugin exists for Linux only\n");
    tl_buf_cstr(r, "Fix: export TLALOC_PJRT_PLUGIN_PATH=/path/to/the/plugin.so\n");
#endif
  } else if (kind == TL_PJRT_TPU) {
    tl_buf_printf(r,
                  "2. no libtpu.so. Searched: libtpu/libtpu.so in the site-packages of "
                  "$VIRTUAL_ENV%s and of ~/.local, "
                  "/lib/libtpu.so, /usr/lib/libtpu.so\n",
                  venv_note());
    tl_buf_cstr(r, "Fix: export TLALOC_PJRT_PLUGIN_PATH=/path/to/libtpu.so, or `pip install "
                   "libtpu` into a venv and "
                   "activate it.\n");
  } else {
    tl_buf_cstr(r, "Fix: export TLALOC_PJRT_PLUGIN_PATH=/path/to/the/plugin.so\n");
  }
}

tl_status tl_pjrt_discover(tl_pjrt_kind kind, tl_arena *a, tl_buf *report, const char **out_path) {
  tl_buf unread = {0}, *r = report ? report : &unread;
  bool oom = false;
  const char *found = NULL, *env = getenv("TLALOC_PJRT_PLUGIN_PATH");
  tl_buf_printf(r, "PJRT %s plugin resolution — where Tlaloc looked:\n", kind_names[kind]);
  if (env == NULL || *env == 0) {
    tl_buf_cstr(r, "1. $TLALOC_PJRT_PLUGIN_PATH: not set\n");
  } else if (!tl_path_exists(env) || tl_path_is_dir(env)) {
    tl_buf_printf(r, "1. $TLALOC_PJRT_PLUGIN_PATH: %s: no such file\n", env);
  } else if (kind == TL_PJRT_TPU && !strstr(tl_path_base(env), "tpu")) {
    tl_buf_printf(
        r, "1. $TLALOC_PJRT_PLUGIN_PATH: %s: passed over, its name has no \"tpu\" in it\n", env);
  } else {
    tl_buf_printf(r, "1. $TLALOC_PJRT_PLUGIN_PATH: found %s\n", env);
    found = take(a, env, &oom);
  }
  if (!found && !oom && kind != TL_PJRT_OTHER) {
    found = kind == TL_PJRT_CUDA ? find_cuda(a, &oom) : find_tpu(a, &oom);
    if (found) tl_buf_printf(r, "2. found %s\n", found);
  }
  if (!found) say_nothing_found(kind, r);
  oom |= r->oom;
  tl_buf_deinit(&unread);
  if (oom) return TL_OOM();
  *out_path = found;
  return TL_OK;
}
