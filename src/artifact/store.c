// An artifact's directory, read.
//
// Opening reads what is small (manifest, programs, tokenizer) and looks at the sizes of what is
// large. A body is hashed every time it is read, and its signature compared with the manifest's
// once. Weights are mapped when they are asked for; their digests are an explicit call, because
// hashing them takes longer than running the model.
#include "artifact/artifact.h"

#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>

#include "artifact/manifest.h"
#include "base/hash.h"
#include "base/map.h"

#define PROGRAM_LIMIT ((size_t)16 << 20) // bytes
#define BODY_LIMIT ((size_t)1 << 30)

static const char *under(const tl_artifact *a, const char *relative) { // NULL: memory is gone
  return relative[0] == '/' ? relative : tl_path_join(a->arena, a->dir, relative);
}

// The size of a regular file; what else stands there is refused.
static tl_status file_size(const char *path, const char *what, uint64_t *out_size) {
  struct stat info;
  if (stat(path, &info) != 0) {
    const int err = errno;
    return err == ENOENT || err == ENOTDIR
               ? TL_ERROR(NOT_FOUND, "%s: %s is missing", path, what)
               : TL_ERROR(PERMISSION_DENIED, "%s: %s cannot be looked at (error %d)", path, what,
                          err);
  }
  if (!S_ISREG(info.st_mode))
    return TL_ERROR(INVALID_ARGUMENT, "%s: %s is not a regular file", path, what);
  *out_size = (uint64_t)info.st_size;
  return TL_OK;
}

static tl_status open_entry(tl_artifact *a, size_t i) {
  const char *body = under(a, a->entries[i].body_path);
  const char *path = under(a, a->priv->wire->entries[i].program_path);
  uint64_t size;
  if (!body || !path) return TL_OOM();
  TL_TRY_NOTE(file_size(body, "the body", &size), "%s", a->entries[i].id);
  tl_buf text = {0};
  TL_TRY_NOTE(tl_file_read(path, PROGRAM_LIMIT, &text), "%s", a->entries[i].id);
  tl_status st = tl_program_check(a, i, tl_buf_view(&text), path);
  tl_buf_deinit(&text);
  return st;
}

// Which file holds each slot, and that it is as large as the table says.
static tl_status open_weights(tl_artifact *a) {
  struct tl_artifact_private *p = a->priv;
  p->maps = TL_NEW(a->arena, tl_file_map, a->n_slots + 1);
  p->mapped = TL_NEW(a->arena, bool, a->n_slots + 1);
  p->paths = TL_NEW(a->arena, const char *, a->n_slots + 1);
  p->map_of = TL_NEW(a->arena, uint32_t, a->n_slots + 1);
  if (!p->maps || !p->mapped || !p->paths || !p->map_of) return TL_OOM();
  tl_map known = {0};
  tl_status st = TL_OK;
  for (size_t i = 0; i < a->n_slots && !st; i++) {
    const tl_artifact_slot *s = &a->slots[i];
    if (s->constant) continue;
    uint64_t at = p->n_maps, size;
    if (!tl_map_get(&known, tl_str_of(s->path), &at)) {
      p->paths[at] = under(a, s->path);
      if (!p->paths[at] || !tl_map_put(&known, tl_str_of(s->path), at)) {
        st = TL_OOM();
        break;
      }
      p->n_maps++;
    }
    p->map_of[i] = (uint32_t)at;
    st = file_size(p->paths[at], "a weight file", &size);
    if (!st && (s->offset > size || s->size > size - s->offset))
      st = TL_ERROR(DATA_LOSS, "%s: holds %llu bytes, %s is %llu bytes at %llu", p->paths[at],
                    (unsigned long long)size, s->name, (unsigned long long)s->size,
                    (unsigned long long)s->offset);
    // A file of its own holds the weight and no more.
    if (!st && s->path[0] != '/' && s->offset == 0 && s->size != size)
      st = TL_ERROR(DATA_LOSS, "%s: holds %llu bytes, %s has %llu", p->paths[at],
                    (unsigned long long)size, s->name, (unsigned long long)s->size);
  }
  tl_map_deinit(&known);
  return st;
}

static tl_status open_tokenizer(tl_artifact *a) {
  const struct tl_artifact_wire *w = a->priv->wire;
  if (!w->tokenizer) return TL_OK;
  const char *dir = under(a, w->tokenizer);
  if (!dir) return TL_OOM();
  for (size_t i = 0; i < w->n_tokenizer_files; i++) {
    char hex[TL_SHA256_HEX + 1];
    const char *path = tl_path_join(a->arena, dir, w->tokenizer_files[i].name);
    if (!path) return TL_OOM();
    TL_TRY(tl_sha256_file(path, hex));
    if (strcmp(hex, w->tokenizer_files[i].sha256) != 0)
      return TL_ERROR(DATA_LOSS, "%s: its SHA-256 is %s, the manifest says %s", path, hex,
                      w->tokenizer_files[i].sha256);
  }
  return tl_tokenizer_load_hf(dir, &a->tokenizer);
}

static tl_status open_files(tl_artifact *a, const char *dir) {
  const tl_str copy = tl_str_copy(a->arena, tl_str_of(dir));
  a->priv->checked = TL_NEW(a->arena, bool, a->n_entries + 1);
  if (!copy.ptr || !a->priv->checked) return TL_OOM();
  a->dir = copy.ptr;
  for (size_t i = 0; i < a->n_entries; i++)
    TL_TRY(open_entry(a, i));
  TL_TRY(open_weights(a));
  return open_tokenizer(a);
}

tl_status tl_artifact_open(const char *dir, tl_artifact **out_artifact) {
  tl_arena *scratch = tl_arena_create();
  if (!scratch) return TL_OOM();
  tl_artifact *a = NULL;
  tl_buf text = {0};
  tl_status st = TL_OK;
  const char *path = tl_path_join(scratch, dir, TL_MANIFEST_FILE);
  const char *bounded = tl_path_join(scratch, dir, "tlaloc-bounded.json");
  if (!path || !bounded)
    st = TL_OOM();
  else if (!tl_path_exists(path) && tl_path_exists(bounded))
    st =
        TL_ERROR(UNIMPLEMENTED,
                 "%s: a module with bounded sizes, not a served model; the bounded reader takes it",
                 bounded);
  if (!st) st = tl_file_read(path, TL_MANIFEST_LIMIT, &text);
  if (!st) st = tl_manifest_read(tl_buf_view(&text), path, &a);
  if (!st) st = open_files(a, dir);
  tl_buf_deinit(&text);
  tl_arena_destroy(scratch);
  if (!st)
    *out_artifact = a;
  else
    tl_artifact_release(a);
  return st;
}

// `text` is what the entry's file holds.
static tl_status check_body(const tl_artifact *a, const tl_artifact_entry *e, const char *path,
                            tl_str text) {
  pthread_mutex_t *lock = a->priv->lock;
  const size_t i = (size_t)(e - a->entries);
  char hex[TL_SHA256_HEX + 1];
  if (!tl_sha256_hex(text.ptr, text.len, hex)) return TL_OOM();
  if (strcmp(hex, e->body_hash) != 0)
    return TL_ERROR(DATA_LOSS, "%s: its SHA-256 is %s, the manifest says %s (%s)", path, hex,
                    e->body_hash, e->id);
  pthread_mutex_lock(lock);
  bool checked = a->priv->checked[i];
  pthread_mutex_unlock(lock);
  if (checked) return TL_OK;
  TL_TRY(tl_body_check(a, i, text, path));
  pthread_mutex_lock(lock);
  a->priv->checked[i] = true;
  pthread_mutex_unlock(lock);
  return TL_OK;
}

tl_status tl_artifact_body(const tl_artifact *a, const tl_artifact_entry *e, tl_buf *out_text) {
  tl_buf_clear(out_text);
  if (!a->dir) return tl_artifact_memory_body(a, e, out_text);
  tl_arena *scratch = tl_arena_create(); // a's own is not ours to grow: other threads read it
  const char *path = scratch ? tl_path_join(scratch, a->dir, e->body_path) : NULL;
  tl_buf text = {0};
  tl_status st = path ? tl_file_read(path, BODY_LIMIT, &text) : TL_OOM();
  st = st ? tl_status_note(st, "%s", e->id) : check_body(a, e, path, tl_buf_view(&text));
  tl_arena_destroy(scratch);
  if (!st) {
    tl_buf_deinit(out_text);
    *out_text = text;
  } else {
    tl_buf_deinit(&text);
  }
  return st;
}

static tl_status map_slot(const tl_artifact *a, size_t i, const uint8_t **out_data) {
  struct tl_artifact_private *p = a->priv;
  const tl_artifact_slot *s = &a->slots[i];
  const uint32_t at = p->map_of[i];
  pthread_mutex_lock(p->lock);
  tl_status st = p->mapped[at] ? TL_OK : tl_file_map_open(p->paths[at], &p->maps[at]);
  if (!st) p->mapped[at] = true;
  const tl_file_map map = p->maps[at];
  pthread_mutex_unlock(p->lock);
  TL_TRY_NOTE(st, "%s", s->name);
  if (s->offset > map.size || s->size > map.size - s->offset) // it shrank since it was opened
    return TL_ERROR(DATA_LOSS, "%s: holds %zu bytes, %s is %llu bytes at %llu", p->paths[at],
                    map.size, s->name, (unsigned long long)s->size, (unsigned long long)s->offset);
  *out_data = map.data + s->offset;
  return TL_OK;
}

tl_status tl_artifact_slot_bytes(const tl_artifact *a, size_t i, tl_buf *scratch,
                                 const uint8_t **out_data, size_t *out_size) {
  if (i >= a->n_slots)
    return TL_ERROR(INVALID_ARGUMENT, "slot %zu: the artifact has %zu", i, a->n_slots);
  if (a->slots[i].constant)
    return TL_ERROR(INVALID_ARGUMENT, "%s: is made by prepare and has no bytes", a->slots[i].name);
  if (a->model) return tl_model_slot_bytes(a->model, i, scratch, out_data, out_size);
  TL_TRY(map_slot(a, i, out_data));
  *out_size = (size_t)a->slots[i].size;
  return TL_OK;
}

void tl_artifact_drop_pages(const tl_artifact *a) {
  if (a->model) tl_checkpoint_drop_pages(a->model->checkpoint);
  pthread_mutex_lock(a->priv->lock);
  for (size_t i = 0; i < a->priv->n_maps; i++)
    tl_file_map_drop_pages(&a->priv->maps[i]);
  pthread_mutex_unlock(a->priv->lock);
}

tl_status tl_artifact_verify_weights(const tl_artifact *a) {
  if (!a->dir) return TL_OK; // in memory there is no digest to compare with
  for (size_t i = 0; i < a->n_slots; i++) {
    const tl_artifact_slot *s = &a->slots[i];
    const uint8_t *data;
    char hex[TL_SHA256_HEX + 1];
    if (s->constant) continue;
    TL_TRY(map_slot(a, i, &data));
    if (!tl_sha256_hex(data, (size_t)s->size, hex)) return TL_OOM();
    if (strcmp(hex, s->sha256) != 0)
      return TL_ERROR(DATA_LOSS, "%s: %s: its SHA-256 is %s, the manifest says %s",
                      a->priv->paths[a->priv->map_of[i]], s->name, hex, s->sha256);
  }
  return TL_OK;
}
