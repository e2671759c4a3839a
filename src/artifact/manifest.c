#include "artifact/manifest.h"

#include <inttypes.h>
#include <stdlib.h>

// What reader, writer and checks of manifests share: names, ids, keys, order.

static const struct {
  const char *name;
  uint32_t since;
} roles[TL_SLOT_ROLE_COUNT] = {
#define TL_SLOT_ROLE(id, since) {#id, since},
#include "artifact/slot_roles.def"
#undef TL_SLOT_ROLE
};

const char *tl_slot_role_name(tl_slot_role role) { return roles[role].name; }
uint32_t tl_slot_role_since(tl_slot_role role) { return roles[role].since; }

bool tl_slot_role_of_name(tl_str name, tl_slot_role *out) {
  for (size_t i = 0; i < TL_COUNT(roles); i++)
    if (tl_str_is(name, roles[i].name)) {
      *out = (tl_slot_role)i;
      return true;
    }
  return false;
}

const char *tl_entry_kind_name(tl_entry_kind kind) {
  static const char *const names[] = {"prepare", "step", "decode", "prefill"};
  return names[kind];
}

const char *tl_wire_dtype_name(tl_dtype dtype, char out[16]) {
  const char *mlir = tl_dtype_get(dtype)->mlir;
  size_t i = 0;
  for (; mlir[i] && i < 15; i++)
    out[i] = mlir[i] >= 'A' && mlir[i] <= 'Z' ? (char)(mlir[i] - 'A' + 'a') : mlir[i];
  out[i] = '\0';
  return out;
}

bool tl_wire_dtype_of_name(tl_str name, tl_dtype *out) {
  for (size_t d = 0; d < TL_DTYPE_COUNT; d++) {
    char spelling[16];
    if (!tl_str_is(name, tl_wire_dtype_name((tl_dtype)d, spelling))) continue;
    *out = (tl_dtype)d;
    return true;
  }
  return false;
}

void tl_wire_type_print(tl_buf *out, tl_type t) {
  char dtype[16];
  tl_buf_printf(out, "%s [", tl_wire_dtype_name(t.dtype, dtype));
  for (uint32_t i = 0; i < t.rank; i++)
    tl_buf_printf(out, "%s%" PRId64, i ? "," : "", t.dims[i]);
  tl_buf_char(out, ']');
}

const char *tl_entry_id(tl_arena *a, const tl_artifact_entry *e) {
  switch (e->kind) {
  case TL_ENTRY_PREPARE:
    return "prepare";
  case TL_ENTRY_STEP:
    return tl_arena_printf(a, "step_t%u_s%u_r%u", e->T, e->S, e->R);
  case TL_ENTRY_DECODE:
    return tl_arena_printf(a, "decode_b%u_c%u", e->B, e->C);
  case TL_ENTRY_PREFILL:
    break;
  }
  return e->tokens == e->C ? tl_arena_printf(a, "prefill_b%u_c%u", e->B, e->C)
                           : tl_arena_printf(a, "prefill_b%u_c%u_t%u", e->B, e->C, e->tokens);
}

const char *tl_entry_cache_key(const tl_artifact *a, const tl_artifact_entry *e) {
  char kv[16];
  tl_wire_dtype_name(a->kv_dtype, kv);
  switch (e->kind) {
  case TL_ENTRY_PREPARE:
    return tl_arena_printf(a->arena, "tlaloc-decode-v1/%s/prepare", a->model_hash);
  case TL_ENTRY_STEP:
    return tl_arena_printf(a->arena, "tlaloc-decode-v1/%s/step/s%u/c%u/t%u/r%u/dtf32/kv%s/n%u",
                           a->model_hash, e->S, a->context, e->T, e->R, kv, a->num_blocks);
  default:
    return tl_arena_printf(a->arena, "tlaloc-decode-v1/%s/%s/b%u/c%u/t%u/dtf32/kv%s", a->model_hash,
                           tl_entry_kind_name(e->kind), e->B, e->C, e->tokens, kv);
  }
}

tl_status tl_wire_create(tl_artifact *a, uint32_t version) {
  struct tl_artifact_wire *w = TL_NEW(a->arena, struct tl_artifact_wire, 1);
  if (!w) return TL_OOM();
  w->version = version;
  a->priv->wire = w;
  return TL_OK;
}

// --- order ---

typedef struct row {
  tl_artifact_entry entry;
  tl_wire_entry wire;
} row;

static int compare_u32(uint32_t x, uint32_t y) { return x < y ? -1 : x > y; }

static int compare_rows(const void *left, const void *right) {
  const tl_artifact_entry *x = &((const row *)left)->entry, *y = &((const row *)right)->entry;
  int c = compare_u32((uint32_t)x->kind, (uint32_t)y->kind);
  if (!c) c = compare_u32(x->T, y->T);
  if (!c) c = compare_u32(x->B, y->B);
  if (!c) c = compare_u32(x->C, y->C);
  if (!c) c = compare_u32(x->tokens, y->tokens);
  return c;
}

tl_status tl_entries_sort(tl_artifact *a) {
  row *rows = calloc(TL_MAX(a->n_entries, (size_t)1), sizeof *rows);
  if (!rows) return TL_OOM();
  for (size_t i = 0; i < a->n_entries; i++)
    rows[i] = (row){a->entries[i], a->priv->wire->entries[i]};
  qsort(rows, a->n_entries, sizeof *rows, compare_rows);
  for (size_t i = 0; i < a->n_entries; i++) {
    a->entries[i] = rows[i].entry;
    a->priv->wire->entries[i] = rows[i].wire;
  }
  free(rows);
  return TL_OK;
}
