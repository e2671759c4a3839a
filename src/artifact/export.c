// An artifact's directory, written.
//
// Everything goes into a draft beside the final name and appears with one rename. Nothing in it
// depends on when, where or in which order it was made: files are named by what they hold, tables
// follow the model's order, JSON has no freedom. So two exports of one model are the same bytes.
//
//     weights (packed ones through prepare) ──► digests ──► model hash ──► cache keys
//     graphs ──► bodies, and from the graphs' own signatures the entries ──► checked ──► programs,
//                                                                             manifest (last)
//
// The entries are described from the graphs rather than from the plan that asked for them, and then
// held against the rules that a reader applies: a graph that strays from the contract is not
// written.
#include "artifact/artifact.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "artifact/manifest.h"
#include "base/hash.h"
#include "base/mem.h"
#include "cpu/cpu.h"
#include "passes/decompose.h"
#include "shlo/shlo.h"

enum { CHUNK = 1 << 20 }; // bytes a write, and between two reports of progress

typedef struct exporter {
  tl_export_options options; // with the defaults in
  const tl_artifact *from;
  tl_artifact *to; // what the manifest will say
  tl_shlo_print_options print;
  bool aliased;       // reference: the later form
  const char *dir;    // the draft
  const char *target; // its final name, for messages
  uint64_t done, total;
} exporter;

static void report(exporter *x, const char *what, uint64_t done, uint64_t total) {
  if (x->options.progress) x->options.progress(x->options.progress_arg, what, done, total);
}

static tl_status write_error(const exporter *x, const char *relative, int err) {
  char text[128];
  const char *why = strerror_r(err, text, sizeof text);
  if (err == ENOSPC || err == EDQUOT || err == EFBIG)
    return TL_ERROR(RESOURCE_EXHAUSTED, "%s: %s: cannot write: %s", x->target, relative, why);
  return TL_ERROR(UNKNOWN, "%s: %s: cannot write: %s", x->target, relative, why);
}

// A file of the draft, written a piece at a time and hashed on the way. The draft's commit syncs.
static tl_status put_file(exporter *x, const char *relative, const void *bytes, size_t size,
                          bool weights, char out_hex[TL_SHA256_HEX + 1]) {
  char *path = tl_path_join(x->to->arena, x->dir, relative);
  tl_sha256 *sha = path ? tl_sha256_create() : NULL;
  if (!sha) return TL_OOM();
  int err = 0;
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) err = errno;
  for (size_t at = 0; at < size && !err;) {
    const ssize_t n = write(fd, (const char *)bytes + at, TL_MIN(size - at, (size_t)CHUNK));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      err = n < 0 ? errno : EIO;
      break;
    }
    tl_sha256_add(sha, (const char *)bytes + at, (size_t)n);
    at += (size_t)n;
    if (!weights) continue;
    x->done += (uint64_t)n;
    report(x, "weights", x->done, x->total);
  }
  if (fd >= 0 && close(fd) != 0 && !err) err = errno;
  if (err)
    tl_sha256_destroy(sha);
  else
    tl_sha256_finish(sha, out_hex);
  return err ? write_error(x, relative, err) : TL_OK;
}

static tl_status put_buf(exporter *x, const char *relative, const tl_buf *text) {
  char ignored[TL_SHA256_HEX + 1];
  if (!relative || text->oom) return TL_OOM();
  return put_file(x, relative, text->ptr, text->len, false, ignored);
}

static tl_status make_dir(exporter *x, const char *name) {
  char *path = tl_path_join(x->to->arena, x->dir, name);
  return path ? tl_dir_create(path) : TL_OOM();
}

static const char *keep(exporter *x, const char *text) { // NULL when memory is gone
  return tl_str_copy(x->to->arena, tl_str_of(text)).ptr;
}

// --- weights ---

// The file of the checkpoint that holds these bytes, and where in it.
static tl_status find_in_checkpoint(exporter *x, const uint8_t *data, size_t size,
                                    tl_artifact_slot *slot) {
  const tl_checkpoint *c = x->from->model->checkpoint;
  const size_t n = c->is_gguf ? 1 : c->safetensors->n_shards;
  for (size_t i = 0; i < n; i++) {
    const tl_file_map *map = c->is_gguf ? &c->gguf->map : &c->safetensors->maps[i];
    const char *name = c->is_gguf ? c->gguf->name : c->safetensors->paths[i];
    const uintptr_t begin = (uintptr_t)map->data, at = (uintptr_t)data;
    if (at < begin || at - begin > map->size || size > map->size - (at - begin)) continue;
    char *absolute = realpath(name, NULL);
    if (!absolute)
      return TL_ERROR(NOT_FOUND, "link: %s: the checkpoint's file is gone (error %d)", name, errno);
    slot->path = keep(x, absolute);
    free(absolute);
    slot->offset = at - begin;
    return slot->path ? TL_OK : TL_OOM();
  }
  return TL_ERROR(INTERNAL, "link: %s: its bytes lie in no file of the checkpoint", slot->name);
}

// The weights as prepare makes them, which runs here.
typedef struct packing {
  tl_cpu *cpu;
  tl_cpu_exe *exe;
  size_t n_in, n_out;
  const void **in;
  tl_buf *held; // of the inputs, what had to be converted
  void **out;
  size_t *size; // of the outputs
} packing;

static void packing_deinit(packing *p) {
  for (size_t i = 0; p->held && i < p->n_in; i++)
    tl_buf_deinit(&p->held[i]);
  for (size_t i = 0; p->out && i < p->n_out; i++)
    tl_mem_unmap(p->out[i], p->size[i]);
  free(p->in), free(p->held), free(p->out), free(p->size);
  if (p->exe) tl_cpu_exe_release(p->exe);
  tl_cpu_release(p->cpu);
}

static tl_status pack(const exporter *x, packing *p) {
  const tl_model *m = x->from->model;
  p->n_in = m->n_stored, p->n_out = m->n_slots;
  p->in = calloc(p->n_in + 1, sizeof *p->in);
  p->held = calloc(p->n_in + 1, sizeof *p->held);
  p->out = calloc(p->n_out + 1, sizeof *p->out);
  p->size = calloc(p->n_out + 1, sizeof *p->size);
  if (!p->in || !p->held || !p->out || !p->size) return TL_OOM();
  for (size_t i = 0; i < p->n_in; i++) {
    const uint8_t *data;
    size_t size;
    TL_TRY(tl_model_slot_bytes(m, i, &p->held[i], &data, &size));
    p->in[i] = data;
  }
  for (size_t i = 0; i < p->n_out; i++) {
    if (!tl_type_size(m->slots[i].prepared, &p->size[i])) return TL_OOM();
    p->out[i] = tl_mem_map(p->size[i]);
    if (!p->out[i]) return TL_OOM();
  }
  tl_module *prepare;
  TL_TRY(tl_cpu_create(NULL, &p->cpu));
  TL_TRY(tl_model_prepare(m, &prepare));
  tl_status st = tl_cpu_compile(p->cpu, prepare, TL_STR("main"), &p->exe);
  if (st) tl_module_destroy(prepare);
  return st ? st : tl_cpu_execute(p->exe, p->in, p->out);
}

// `packed`: the weight as prepare made it, or NULL.
static tl_status put_weight(exporter *x, size_t i, const void *packed, tl_buf *converted,
                            tl_sha256 *digest) {
  const tl_model_slot *from = &x->from->model->slots[i];
  tl_artifact_slot *slot = &x->to->slots[i];
  const uint8_t *data = packed;
  size_t size, wanted;
  char hex[TL_SHA256_HEX + 1];
  if (!tl_type_size(slot->stored, &wanted)) return TL_OOM();
  size = wanted;
  if (!packed) TL_TRY(tl_model_slot_bytes(x->from->model, i, converted, &data, &size));
  if (wanted != size)
    return TL_ERROR(INTERNAL, "%s: %zu bytes, its type has %zu", slot->name, size, wanted);
  slot->size = size;
  // Bytes that this export converts lie nowhere else, so they are written even with --link.
  if (x->options.link && from->format == from->weight->format && !from->weight->scaled) {
    TL_TRY(find_in_checkpoint(x, data, size, slot));
    if (!tl_sha256_hex(data, size, hex)) return TL_OOM();
    x->done += size;
    report(x, "weights", x->done, x->total);
  } else {
    slot->path = tl_arena_printf(x->to->arena, "weights/%04zu_%s.bin", i, slot->name);
    if (!slot->path) return TL_OOM();
    TL_TRY(put_file(x, slot->path, data, size, true, hex));
  }
  slot->sha256 = keep(x, hex);
  if (!slot->sha256) return TL_OOM();
  const char *parts[] = {slot->name, " ", slot->format, " ", hex, "\n"};
  for (size_t p = 0; p < TL_COUNT(parts); p++)
    tl_sha256_add(digest, parts[p], strlen(parts[p]));
  return TL_OK;
}

static tl_status put_weights(exporter *x) {
  const tl_artifact *from = x->from;
  tl_artifact *to = x->to;
  to->slots = TL_NEW(to->arena, tl_artifact_slot, from->n_slots + 1);
  if (!to->slots) return TL_OOM();
  to->n_slots = from->n_slots;
  for (size_t i = 0; i < to->n_slots; i++) {
    size_t size;
    to->slots[i] = from->slots[i];
    if (x->options.pack) to->slots[i].stored = to->slots[i].prepared, to->slots[i].constant = false;
    if (!to->slots[i].constant && tl_type_size(to->slots[i].stored, &size)) x->total += size;
  }
  if (!from->model) return TL_OK; // embedded
  TL_TRY(make_dir(x, "weights"));
  tl_sha256 *digest = tl_sha256_create();
  if (!digest) return TL_OOM();
  tl_buf converted = {0};
  packing packed = {0};
  tl_status st = x->options.pack ? pack(x, &packed) : TL_OK;
  const size_t n = x->options.pack ? from->n_slots : from->model->n_stored;
  for (size_t i = 0; i < n && !st; i++)
    st = put_weight(x, i, packed.out ? packed.out[i] : NULL, &converted, digest);
  packing_deinit(&packed);
  tl_buf_deinit(&converted);
  char hex[TL_SHA256_HEX + 1];
  tl_sha256_finish(digest, hex);
  TL_TRY(st);
  to->model_hash = tl_artifact_model_hash(to->arena, from->model, hex);
  return to->model_hash ? TL_OK : TL_OOM();
}

// --- entries ---

static tl_slot_role input_role(tl_entry_kind kind, size_t i, size_t n_pools) {
  static const tl_slot_role front[] = {TL_SLOT_TOKEN_IDS, TL_SLOT_POSITIONS, TL_SLOT_BLOCK_TABLES,
                                       TL_SLOT_SEQ_LENS, TL_SLOT_SLOT_MAPPING};
  switch (kind) {
  case TL_ENTRY_PREPARE:
    return TL_SLOT_WEIGHT;
  case TL_ENTRY_STEP:
    return i == 0 ? TL_SLOT_STEP_INTS : i == 1 ? TL_SLOT_KV_POOL_IN : TL_SLOT_WEIGHT;
  default:
    if (i < TL_COUNT(front)) return front[i];
    return i < TL_COUNT(front) + n_pools ? TL_SLOT_KV_POOL_IN : TL_SLOT_WEIGHT;
  }
}

static tl_status keep_type(exporter *x, tl_type t, tl_type *out) {
  *out = tl_type_of(x->to->arena, t.dtype, t.dims, t.rank);
  return t.rank && !out->dims ? TL_OOM() : TL_OK;
}

// The entry as the graph itself states it.
static tl_status describe(exporter *x, const tl_func *fn, tl_artifact_entry *e, tl_wire_entry *w) {
  tl_artifact *to = x->to;
  const size_t n_pools = 2 * (size_t)to->n_layers;
  e->n_inputs = fn->body->n_args;
  e->n_outputs = fn->n_results;
  w->inputs = TL_NEW(to->arena, tl_wire_slot, e->n_inputs + 1);
  w->outputs = TL_NEW(to->arena, tl_wire_slot, e->n_outputs + 1);
  w->pairs = tl_arena_alloc_array(to->arena, e->n_inputs + 1, sizeof *w->pairs, _Alignof(uint32_t));
  if (!w->inputs || !w->outputs || !w->pairs) return TL_OOM();
  for (uint32_t i = 0; i < e->n_outputs; i++) {
    w->outputs[i].role = e->kind == TL_ENTRY_PREPARE ? TL_SLOT_PREPARED_WEIGHT
                         : i == 0                    ? TL_SLOT_LOGITS
                                                     : TL_SLOT_KV_POOL_OUT;
    w->outputs[i].name =
        e->kind == TL_ENTRY_PREPARE && i < to->n_slots ? to->slots[i].name : "logits";
    TL_TRY(keep_type(x, fn->result_types[i], &w->outputs[i].type));
  }
  for (uint32_t i = 0; i < e->n_inputs; i++) {
    const tl_arg_info *info = &fn->args[i];
    w->inputs[i].role = input_role(e->kind, i, n_pools);
    w->inputs[i].name = tl_str_copy(to->arena, info->name).ptr;
    TL_TRY(keep_type(x, fn->body->args[i]->type, &w->inputs[i].type));
    if (!w->inputs[i].name) return TL_OOM();
    if (info->alias_output < 0 || (uint32_t)info->alias_output >= e->n_outputs) continue;
    const uint32_t o = (uint32_t)info->alias_output;
    w->pairs[w->n_pairs][0] = i;
    w->pairs[w->n_pairs++][1] = o;
    w->outputs[o].name = tl_arena_printf(to->arena, "%sOut", w->inputs[i].name);
    if (!w->outputs[o].name) return TL_OOM();
  }
  if (e->kind == TL_ENTRY_STEP) w->max_blocks = to->context / to->block_size;
  if (e->kind == TL_ENTRY_DECODE || e->kind == TL_ENTRY_PREFILL)
    w->max_blocks = e->C / to->block_size;
  w->cache_key = tl_entry_cache_key(to, e);
  w->program_path = tl_arena_printf(to->arena, "programs/%s.json", e->id);
  return w->cache_key && w->program_path ? TL_OK : TL_OOM();
}

static tl_status build_module(const exporter *x, const tl_artifact_entry *e, tl_module **out) {
  const tl_model *m = x->from->model;
  switch (e->kind) {
  case TL_ENTRY_PREPARE:
    return tl_model_prepare(m, out);
  case TL_ENTRY_STEP:
    return tl_model_step(m, e->T, e->S, e->R, out);
  case TL_ENTRY_DECODE:
    return m ? tl_model_decode(m, e->B, e->C, out)
             : tl_reference_module(e->B, e->C, x->aliased, out);
  default:
    return tl_model_prefill(m, e->B, e->C, e->tokens, out);
  }
}

static tl_status put_entry(exporter *x, tl_artifact_entry *e, tl_wire_entry *w) {
  tl_module *m = NULL, *flat = NULL;
  tl_buf text = {0};
  tl_status st;
  char hex[TL_SHA256_HEX + 1];
  TL_TRY_GOTO(done, st, build_module(x, e, &m));
  const tl_func *fn = tl_module_find(m, TL_STR("main"));
  TL_TRY_GOTO(done, st, fn ? describe(x, fn, e, w) : TL_ERROR(INTERNAL, "no function main"));
  if (x->options.inline_named) TL_TRY_GOTO(done, st, tl_module_inline(m, true, &flat));
  TL_TRY_GOTO(done, st, tl_shlo_print(flat ? flat : m, &x->print, &text));
  if (text.oom || !tl_sha256_hex(text.ptr, text.len, hex)) {
    st = TL_OOM();
    goto done;
  }
  e->body_hash = keep(x, hex);
  e->body_path = tl_arena_printf(x->to->arena, "bodies/%s.mlir", hex);
  const char *path = e->body_path ? tl_path_join(x->to->arena, x->dir, e->body_path) : NULL;
  if (!e->body_hash || !path) {
    st = TL_OOM();
    goto done;
  }
  if (!tl_path_exists(path)) st = put_buf(x, e->body_path, &text); // equal bodies share a file
done:
  tl_buf_deinit(&text);
  tl_module_destroy(flat);
  tl_module_destroy(m);
  return tl_status_note(st, "%s", e->id);
}

// The i-th batch of decode entries: powers of two below the largest, then the largest. 0: no more.
static uint32_t batch_rung(uint32_t max_batch, uint32_t i) {
  const uint64_t power = (uint64_t)1 << i;
  if (power < max_batch) return (uint32_t)power;
  return i == 0 || power / 2 < max_batch ? max_batch : 0;
}

static void add_entry(tl_artifact *to, size_t *n, tl_artifact_entry e) {
  if (to->entries) to->entries[*n] = e;
  ++*n;
}

// All entries that there are to be; with to->entries NULL only their number.
static size_t plan(const exporter *x) {
  tl_artifact *to = x->to;
  const tl_export_options *o = &x->options;
  size_t n = 0;
  for (size_t i = 0; i < x->from->n_entries; i++) {
    const tl_artifact_entry *e = &x->from->entries[i];
    if (o->pack && e->kind == TL_ENTRY_PREPARE) continue;
    add_entry(to, &n,
              (tl_artifact_entry){.kind = e->kind,
                                  .T = e->T,
                                  .S = e->S,
                                  .R = e->R,
                                  .B = e->B,
                                  .C = e->C,
                                  .tokens = e->tokens});
  }
  for (uint32_t i = 0, B; (B = batch_rung(o->max_batch, i)) != 0; i++)
    for (size_t c = 0; c < o->n_contexts; c++)
      add_entry(
          to, &n,
          (tl_artifact_entry){.kind = TL_ENTRY_DECODE, .B = B, .C = o->contexts[c], .tokens = 1});
  for (size_t c = 0; c < o->n_contexts; c++) {
    const uint32_t tokens = TL_MIN(o->contexts[c], o->prefill_chunk);
    if (tokens < 2) continue; // decode does that
    add_entry(to, &n,
              (tl_artifact_entry){
                  .kind = TL_ENTRY_PREFILL, .B = 1, .C = o->contexts[c], .tokens = tokens});
  }
  return n;
}

static tl_status put_entries(exporter *x) {
  tl_artifact *to = x->to;
  TL_TRY(make_dir(x, "bodies"));
  const size_t n = plan(x);
  to->entries = TL_NEW(to->arena, tl_artifact_entry, n + 1);
  to->priv->wire->entries = TL_NEW(to->arena, tl_wire_entry, n + 1);
  if (!to->entries || !to->priv->wire->entries) return TL_OOM();
  to->n_entries = plan(x);
  for (size_t i = 0; i < n; i++) {
    to->entries[i].id = tl_entry_id(to->arena, &to->entries[i]);
    if (!to->entries[i].id) return TL_OOM();
    report(x, "bodies", i, n);
    TL_TRY(put_entry(x, &to->entries[i], &to->priv->wire->entries[i]));
  }
  report(x, "bodies", n, n);
  return tl_entries_sort(to);
}

// --- the rest ---

static tl_status put_tokenizer(exporter *x) {
  const tl_tokenizer *tok = x->from->tokenizer;
  struct tl_artifact_wire *w = x->to->priv->wire;
  tl_arena *a = x->to->arena;
  if (!tok) return TL_OK;
  tl_str *names;
  size_t n;
  TL_TRY(make_dir(x, "tokenizer"));
  const char *dir = tl_path_join(a, x->dir, "tokenizer");
  if (!dir) return TL_OOM();
  TL_TRY(tl_tokenizer_save(tok, dir));
  TL_TRY(tl_dir_list(a, dir, &names, &n));
  if (n == 0 || n > TL_MANIFEST_TOKENIZER_FILES)
    return TL_ERROR(INTERNAL, "the tokenizer has %zu files", n);
  w->tokenizer = "tokenizer";
  w->tokenizer_files = TL_NEW(a, tl_wire_file, n);
  if (!w->tokenizer_files) return TL_OOM();
  w->n_tokenizer_files = n;
  for (size_t i = 0; i < n; i++) {
    char hex[TL_SHA256_HEX + 1];
    const char *name = tl_str_copy(a, names[i]).ptr;
    const char *path = name ? tl_path_join(a, dir, name) : NULL;
    if (!path) return TL_OOM();
    TL_TRY(tl_sha256_file(path, hex));
    w->tokenizer_files[i] = (tl_wire_file){name, keep(x, hex)};
    if (!w->tokenizer_files[i].sha256) return TL_OOM();
  }
  return TL_OK;
}

static tl_status put_texts(exporter *x) {
  tl_artifact *to = x->to;
  tl_buf text = {0};
  tl_status st;
  TL_TRY(make_dir(x, "programs"));
  for (size_t i = 0; i < to->n_entries; i++) {
    tl_buf_clear(&text);
    TL_TRY_GOTO(done, st, tl_program_write(to, i, &text));
    TL_TRY_GOTO(done, st, put_buf(x, to->priv->wire->entries[i].program_path, &text));
  }
  tl_buf_clear(&text);
  TL_TRY_GOTO(done, st, tl_manifest_write(to, &text));
  st = put_buf(x, TL_MANIFEST_FILE, &text);
done:
  tl_buf_deinit(&text);
  return st;
}

static tl_status fill(exporter *x, uint32_t version) {
  const tl_artifact *from = x->from;
  tl_artifact *to = x->to;
  TL_TRY(tl_wire_create(to, version));
  to->priv->wire->embedded = from->model == NULL, to->priv->wire->packed = x->options.pack;
  to->schema = from->schema, to->model_name = from->model_name, to->model_hash = from->model_hash;
  to->vocab = from->vocab, to->hidden = from->hidden;
  to->n_heads = from->n_heads, to->n_kv_heads = from->n_kv_heads, to->head_dim = from->head_dim;
  to->n_layers = from->n_layers, to->num_blocks = from->num_blocks;
  to->block_size = from->block_size, to->context = from->context;
  to->max_batch = from->max_batch, to->kv_dtype = from->kv_dtype;
  to->stacked_pool = from->stacked_pool, to->compute = from->compute;
  to->n_stops = from->n_stops;
  memcpy(to->stops, from->stops, sizeof to->stops);
  TL_TRY(put_weights(x));
  TL_TRY(put_entries(x));
  TL_TRY_NOTE(tl_manifest_check(to, TL_MANIFEST_FILE), "a graph strays from the contract");
  TL_TRY(put_tokenizer(x));
  return put_texts(x);
}

static tl_status export_to(exporter *x, uint32_t version, const char *dir) {
  tl_dir_draft draft = {0};
  TL_TRY(tl_artifact_new(&x->to));
  tl_status st = tl_dir_draft_begin(dir, &draft);
  x->dir = draft.path;
  x->target = dir;
  if (!st) st = fill(x, version);
  if (!st)
    st = tl_dir_draft_commit(&draft);
  else
    tl_dir_draft_abandon(&draft);
  tl_artifact_release(x->to);
  return st;
}

static tl_status check_options(const tl_artifact *a, tl_export_options *o) {
  if (o->max_batch == 0) o->max_batch = a->max_batch;
  if (o->max_batch > a->max_batch)
    return TL_ERROR(INVALID_ARGUMENT, "max-batch: %u, the model was opened for %u sequences",
                    o->max_batch, a->max_batch);
  if (o->prefill_chunk == 0) o->prefill_chunk = 512;
  if (o->link && o->pack)
    return TL_ERROR(INVALID_ARGUMENT, "link and pack: packed weights lie in no checkpoint's file");
  if (o->n_contexts > TL_MANIFEST_RUNGS)
    return TL_ERROR(INVALID_ARGUMENT, "contexts: %zu of them, at most %d are allowed",
                    o->n_contexts, TL_MANIFEST_RUNGS);
  for (size_t i = 0; i < o->n_contexts; i++) {
    const uint32_t C = o->contexts[i];
    if (C == 0 || C % a->block_size || C > a->context)
      return TL_ERROR(INVALID_ARGUMENT,
                      "contexts: %u is not a multiple of the page's %u tokens up to %u", C,
                      a->block_size, a->context);
    if (i > 0 && C <= o->contexts[i - 1])
      return TL_ERROR(INVALID_ARGUMENT, "contexts: %u behind %u; they must ascend", C,
                      o->contexts[i - 1]);
  }
  return TL_OK;
}

tl_status tl_artifact_export(tl_artifact *in_memory, const tl_export_options *options,
                             const char *dir) {
  exporter x = {.from = in_memory, .print = {.hex_literals = true}};
  if (!in_memory->model)
    return TL_ERROR(INVALID_ARGUMENT, "%s: only a checkpoint's model can be exported, this is %s",
                    dir, in_memory->dir ? "an artifact already" : "the reference model");
  if (options) x.options = *options;
  TL_TRY(check_options(in_memory, &x.options));
  return export_to(&x, 6, dir);
}

tl_status tl_artifact_export_reference(const char *dir, bool aliased) {
  tl_artifact *reference;
  TL_TRY(tl_artifact_reference(&reference));
  exporter x = {.from = reference,
                .options = {.inline_named = true},
                .print = {.no_alias = !aliased},
                .aliased = aliased};
  tl_status st = export_to(&x, 2, dir);
  tl_artifact_release(reference);
  return st;
}
