#include "serve/engine/engine.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "serve/engine/private.h"

// Loading: weights through the prepare entry, pools, entries compiled when first used; and the one
// way an entry is run.

static PJRT_Buffer_Type pjrt_type(tl_dtype d) { return (PJRT_Buffer_Type)tl_dtype_get(d)->pjrt; }

tl_status tl_engine_executable(tl_engine *e, const tl_artifact_entry *entry,
                               tl_pjrt_executable **out_x) {
  const size_t i = (size_t)(entry - e->artifact->entries);
  if (!e->executables[i]) {
    uint64_t start = tl_now_ns();
    tl_buf text = {0};
    tl_status st = tl_artifact_body(e->artifact, entry, &text);
    if (!st) st = tl_pjrt_compile(e->client, tl_buf_view(&text), entry->id, &e->executables[i]);
    tl_buf_deinit(&text);
    if (st) return tl_status_note(st, "compiling %s", entry->id);
    e->stats.compile_ns += tl_now_ns() - start;
    e->stats.n_compiled++;
  }
  *out_x = e->executables[i];
  return TL_OK;
}

// Zeroed pools in place of those there are, made on the device by a program of one op. On failure
// the last ones are NULL, and the next step tries again.
tl_status tl_engine_make_pools(tl_engine *e) {
  const tl_artifact *a = e->artifact;
  int64_t blocks = a->num_blocks;
  if (e->stacked) blocks *= 2 * (int64_t)a->n_layers;
  const tl_dtype_info *dtype = tl_dtype_get(a->kv_dtype);
  const long long row = tl_kv_row(a->kv_dtype, a->head_dim);
  const char *zero = dtype->kind == TL_KIND_FLOAT ? "0.0" : "0";
  tl_buf text = {0};
  tl_buf_printf(&text,
                "module {\n  func.func @main() -> tensor<%lldx%ux%ux%lldx%s> {\n"
                "    %%0 = stablehlo.constant dense<%s> : tensor<%lldx%ux%ux%lldx%s>\n"
                "    return %%0 : tensor<%lldx%ux%ux%lldx%s>\n  }\n}\n",
                (long long)blocks, a->block_size, a->n_kv_heads, row, dtype->mlir, zero,
                (long long)blocks, a->block_size, a->n_kv_heads, row, dtype->mlir,
                (long long)blocks, a->block_size, a->n_kv_heads, row, dtype->mlir);
  tl_pjrt_executable *zeros = NULL;
  tl_status st =
      text.oom ? TL_OOM() : tl_pjrt_compile(e->client, tl_buf_view(&text), "zero pools", &zeros);
  tl_buf_deinit(&text);
  for (size_t i = 0; i < e->n_pools; i++) { // first the old ones: there may be no room for both
    tl_pjrt_buffer_destroy(e->client, e->pools[i]);
    e->pools[i] = NULL;
  }
  for (size_t i = 0; !st && i < e->n_pools; i++)
    st = tl_pjrt_execute(zeros, &(tl_pjrt_call){.outs = &e->pools[i], .n_outs = 1});
  tl_pjrt_executable_release(zeros);
  e->stats.kv_bytes = tl_artifact_kv_size(a);
  return st;
}

static tl_status upload_slot(tl_engine *e, size_t i, bool in_place, tl_buf *scratch,
                             tl_pjrt_buffer **out_buffer) {
  const tl_artifact_slot *slot = &e->artifact->slots[i];
  const uint8_t *data;
  size_t size;
  TL_TRY(tl_artifact_slot_bytes(e->artifact, i, scratch, &data, &size));
  const bool converted = scratch->ptr && data == (const uint8_t *)scratch->ptr;
  return tl_pjrt_buffer_from_host(e->client,
                                  &(tl_pjrt_host){.data = data,
                                                  .type = pjrt_type(slot->stored.dtype),
                                                  .dims = slot->stored.dims,
                                                  .n_dims = slot->stored.rank,
                                                  .zero_copy = !converted && in_place},
                                  out_buffer);
}

// While prepare packs the weights, or packed ones are copied, the files' pages that were read lie
// beside what was made of them. A thread gives them back every so often: the page cache still has
// them, and one that is wanted again is mapped again. Without the thread they go at the end.
typedef struct page_giver {
  const tl_artifact *artifact;
  pthread_t thread;
  bool started;
  atomic_bool done;
} page_giver;

static void *give_pages(void *arg) {
  page_giver *g = arg;
  enum { EVERY_US = 2000 }; // some 20 MB at the speed of packing
  while (!atomic_load(&g->done)) {
    tl_artifact_drop_pages(g->artifact);
    usleep(EVERY_US);
  }
  return NULL;
}

static void page_giver_start(page_giver *g, const tl_artifact *a) {
  *g = (page_giver){.artifact = a};
  g->started = pthread_create(&g->thread, NULL, give_pages, g) == 0;
}

static void page_giver_end(page_giver *g) {
  if (!g->started) return;
  atomic_store(&g->done, true);
  pthread_join(g->thread, NULL);
}

static tl_status load_weights(tl_engine *e) {
  const tl_artifact *a = e->artifact;
  const tl_artifact_entry *prepare = tl_artifact_find(a, TL_ENTRY_PREPARE);
  tl_buf scratch = {0};
  tl_status st = TL_OK;
  size_t n_stored = 0;
  tl_pjrt_buffer **stored = calloc(a->n_slots + 1, sizeof *stored);
  if (!stored) return TL_OOM();
  page_giver giver = {0};
  if (!prepare && !e->options.mmap) page_giver_start(&giver, a);
  for (size_t i = 0; i < a->n_slots; i++) {
    size_t size = 0;
    if (tl_type_size(a->slots[i].prepared, &size)) e->stats.weight_bytes += size;
    if (a->slots[i].constant) continue;
    TL_TRY_GOTO(done, st,
                upload_slot(e, i, prepare || e->options.mmap, &scratch, &stored[n_stored]));
    n_stored++;
  }
  if (prepare) {
    tl_pjrt_executable *x;
    TL_TRY_GOTO(done, st, tl_engine_executable(e, prepare, &x));
    page_giver_start(&giver, a);
    st = tl_pjrt_execute(
        x, &(tl_pjrt_call){
               .args = stored, .n_args = n_stored, .outs = e->weights, .n_outs = a->n_slots});
  } else {
    memcpy(e->weights, stored, n_stored * sizeof *stored);
    n_stored = 0;
  }
done:
  page_giver_end(&giver);
  for (size_t i = 0; i < n_stored; i++)
    tl_pjrt_buffer_destroy(e->client, stored[i]);
  free(stored);
  tl_buf_deinit(&scratch);
  // The engine reads what prepare made, or a copy; the stored bytes would lie beside it, once more.
  if (st == TL_OK && !e->options.mmap) tl_artifact_drop_pages(a);
  return st;
}

// Integers that the largest entry takes; false when no memory could hold them.
static bool most_ints(const tl_artifact *a, size_t *out_most) {
  const size_t pages = a->context / a->block_size;
  *out_most = 0;
  for (size_t i = 0; i < a->n_entries; i++) {
    const tl_artifact_entry *n = &a->entries[i];
    size_t tokens, tables, total;
    if (n->kind == TL_ENTRY_PREPARE) continue;
    const bool step = n->kind == TL_ENTRY_STEP;
    if (!TL_MUL_OK(step ? (size_t)n->T : (size_t)n->B * n->tokens, step ? (size_t)4 : (size_t)3,
                   &tokens) ||
        !TL_MUL_OK((size_t)(step ? n->S : n->B), step ? pages : (size_t)(n->C / a->block_size),
                   &tables) ||
        !TL_ADD_OK(tokens, tables, &total) ||
        !TL_ADD_OK(total, (size_t)(step ? n->R : n->B), &total))
      return false;
    *out_most = TL_MAX(*out_most, total);
  }
  return true;
}

tl_status tl_engine_create(tl_artifact *artifact, tl_pjrt_client *client,
                           const tl_engine_options *options, tl_engine **out_engine) {
  tl_engine *e = calloc(1, sizeof *e);
  if (!e) return TL_OOM();
  e->artifact = tl_artifact_retain(artifact);
  e->client = tl_pjrt_client_retain(client);
  if (options) e->options = *options;
  const bool has_step = tl_artifact_find(artifact, TL_ENTRY_STEP) != NULL;
  const bool has_decode = tl_artifact_find(artifact, TL_ENTRY_DECODE) != NULL;
  tl_status st = TL_OK;
  if (e->options.reference_entries && !has_decode) {
    st = TL_ERROR(FAILED_PRECONDITION,
                  "%s: the artifact has no decode entries; export it with --contexts",
                  artifact->dir ? artifact->dir : artifact->model_name);
    goto fail;
  }
  if (e->options.mmap && tl_artifact_find(artifact, TL_ENTRY_PREPARE)) {
    st = TL_ERROR(FAILED_PRECONDITION,
                  "%s: its weights are packed as they load and cannot be mapped; export it with "
                  "--pack",
                  artifact->dir ? artifact->dir : artifact->model_name);
    goto fail;
  }
  if (e->options.mmap && !artifact->dir) {
    st = TL_ERROR(FAILED_PRECONDITION, "%s: its weights are in no file that could be mapped",
                  artifact->model_name);
    goto fail;
  }
  e->stacked = has_step && !e->options.reference_entries;
  e->n_ints = e->stacked ? 1 : 5;
  e->n_pools = e->stacked ? 1 : 2 * (size_t)artifact->n_layers;
  size_t n_ints;
  if (!most_ints(artifact, &n_ints)) {
    st = TL_ERROR(INVALID_ARGUMENT, "an entry takes more integers than memory can hold");
    goto fail;
  }
  e->executables = calloc(artifact->n_entries + 1, sizeof *e->executables);
  e->args = calloc(e->n_ints + e->n_pools + artifact->n_slots + 1, sizeof *e->args);
  e->outs = calloc(1 + e->n_pools, sizeof *e->outs);
  e->ints = calloc(n_ints + 1, sizeof *e->ints);
  e->candidates = calloc(artifact->vocab, sizeof *e->candidates);
  e->free_pages = calloc(artifact->num_blocks, sizeof *e->free_pages);
  if (!e->executables || !e->args || !e->outs || !e->ints || !e->candidates || !e->free_pages) {
    st = TL_OOM();
    goto fail;
  }
  e->pools = e->args + e->n_ints;
  e->weights = e->pools + e->n_pools;
  for (uint32_t page = artifact->num_blocks; page-- > 1;)
    e->free_pages[e->n_free++] = page; // the lowest on top
  uint64_t start = tl_now_ns();
  TL_TRY_GOTO(fail, st, load_weights(e));
  TL_TRY_GOTO(fail, st, tl_engine_make_pools(e));
  e->stats.load_ns = tl_now_ns() - start;
  *out_engine = e;
  return TL_OK;
fail:
  tl_engine_destroy(e);
  return st;
}

static void drop_logits(tl_engine *e) {
  if (!e->logits) return;
  if (e->logits_mapped) tl_pjrt_buffer_unmap(e->client, e->logits);
  tl_pjrt_buffer_destroy(e->client, e->logits);
  e->logits = NULL;
  e->logits_mapped = false;
}

void tl_engine_destroy(tl_engine *e) {
  if (!e) return;
  TL_ASSERT(!e->sequences);
  drop_logits(e);
  for (size_t i = 0; e->args && i < e->n_ints + e->n_pools + e->artifact->n_slots; i++)
    tl_pjrt_buffer_destroy(e->client, e->args[i]);
  for (size_t i = 0; e->executables && i < e->artifact->n_entries; i++)
    tl_pjrt_executable_release(e->executables[i]);
  free(e->executables);
  free(e->args);
  free(e->outs);
  free(e->ints);
  free(e->candidates);
  free(e->free_pages);
  free(e->logits_copy);
  tl_pjrt_client_release(e->client);
  tl_artifact_release(e->artifact);
  free(e);
}

const tl_artifact *tl_engine_artifact(const tl_engine *e) { return e->artifact; }
tl_engine_stats tl_engine_get_stats(const tl_engine *e) { return e->stats; }

// The device's logits as host memory: its own where it shares memory with us, else copied.
static tl_status fetch_logits(tl_engine *e, const float **out_logits) {
  const void *mapped;
  tl_status st = tl_pjrt_buffer_map(e->client, e->logits, &mapped);
  if (!st) {
    e->logits_mapped = true;
    *out_logits = mapped;
    return TL_OK;
  }
  if (tl_status_get_code(st) != TL_STATUS_UNIMPLEMENTED) return st;
  tl_status_drop(st);
  tl_pjrt_shape shape;
  TL_TRY(tl_pjrt_buffer_shape(e->client, e->logits, &shape));
  size_t size = sizeof(float);
  for (size_t i = 0; i < shape.n_dims; i++)
    if (!TL_MUL_OK(size, (size_t)shape.dims[i], &size)) return TL_OOM();
  if (size > e->logits_copy_size) {
    float *bigger = realloc(e->logits_copy, size);
    if (!bigger) return TL_OOM();
    e->logits_copy = bigger;
    e->logits_copy_size = size;
  }
  *out_logits = e->logits_copy;
  return tl_pjrt_buffer_to_host(e->client, e->logits, e->logits_copy, size);
}

tl_status tl_engine_run(tl_engine *e, const tl_artifact_entry *entry, const engine_ints *ints,
                        const float **out_logits) {
  tl_pjrt_executable *x;
  TL_TRY(tl_engine_executable(e, entry, &x));
  drop_logits(e);
  tl_status st = TL_OK;
  for (size_t i = 0; i < e->n_ints; i++)
    TL_TRY_GOTO(done, st,
                tl_pjrt_buffer_from_host(e->client,
                                         &(tl_pjrt_host){.data = ints[i].data,
                                                         .type = PJRT_Buffer_Type_S32,
                                                         .dims = ints[i].dims,
                                                         .n_dims = ints[i].n_dims},
                                         &e->args[i]));
  const tl_pjrt_call call = {.args = e->args,
                             .n_args = e->n_ints + e->n_pools + e->artifact->n_slots,
                             .outs = e->outs,
                             .n_outs = 1 + e->n_pools};
  TL_TRY_GOTO(done, st, tl_pjrt_execute(x, &call));
  e->stats.n_steps++;
  e->logits = e->outs[0];
  for (size_t i = 0; i < e->n_pools; i++) { // the donated handles are empty now
    tl_pjrt_buffer_destroy(e->client, e->pools[i]);
    e->pools[i] = e->outs[1 + i];
  }
  st = fetch_logits(e, out_logits);
done:
  for (size_t i = 0; i < e->n_ints; i++) {
    tl_pjrt_buffer_destroy(e->client, e->args[i]);
    e->args[i] = NULL;
  }
  return st;
}
