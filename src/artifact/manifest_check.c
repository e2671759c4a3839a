// What must hold between the parts of a manifest, and between it, the program files and the
// bodies.
//
// Whoever runs an entry binds its arguments by position: integers, pools, weights. So each kind of
// entry has a fixed front, then its pools, then the weights, and everything here makes sure that
// position, role, name and type say the same. A manifest that passes can be run without another
// look at it.
#include "artifact/manifest.h"

#include <inttypes.h>

#include "base/json.h"
#include "base/map.h"
#include "shlo/shlo.h"

typedef struct expected { // an input or output that an entry must have
  tl_slot_role role;
  tl_type type;
} expected;

typedef struct checker {
  const tl_artifact *a;
  const char *name; // of the manifest
  const tl_artifact_entry *e;
  const tl_wire_entry *w;
} checker;

// "<manifest>: <entry id>: " and the message.
TL_PRINTF(2, 3)
static tl_status refuse(const checker *c, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  tl_status st = tl_status_makev(TL_STATUS_INVALID_ARGUMENT, fmt, args);
  va_end(args);
  return tl_status_note(st, "%s: %s", c->name, c->e->id);
}

// "<place>: <found>, wanted <wanted>" with types.
static tl_status refuse_type(const checker *c, const char *side, size_t i, const char *slot,
                             tl_type found, tl_type wanted) {
  tl_buf f = {0}, w = {0};
  tl_wire_type_print(&f, found);
  tl_wire_type_print(&w, wanted);
  tl_status st = f.oom || w.oom
                     ? TL_OOM()
                     : refuse(c, "%s[%zu] (%.80s): %s, wanted %s", side, i, slot, f.ptr, w.ptr);
  tl_buf_deinit(&f);
  tl_buf_deinit(&w);
  return st;
}

// The first n slots must have exactly these roles and types, and no other slot one of the roles.
static tl_status check_front(const checker *c, const char *side, const tl_wire_slot *slots,
                             size_t n_slots, const expected *front, size_t n) {
  for (size_t f = 0; f < n; f++) {
    size_t first = n_slots;
    for (size_t i = 0; i < n_slots; i++) {
      if (slots[i].role != front[f].role) continue;
      if (first < n_slots)
        return refuse(c, "%s: role %s twice, at %zu and %zu", side,
                      tl_slot_role_name(front[f].role), first, i);
      first = i;
    }
    if (first == n_slots)
      return refuse(c, "%s: role %s is missing", side, tl_slot_role_name(front[f].role));
    if (first != f)
      return refuse(c, "%s[%zu]: role %s, wanted at %zu", side, first,
                    tl_slot_role_name(front[f].role), f);
  }
  for (size_t f = 0; f < n; f++)
    if (!tl_type_eq(slots[f].type, front[f].type))
      return refuse_type(c, side, f, slots[f].name, slots[f].type, front[f].type);
  return TL_OK;
}

// From `at` on: n slots of one role and type, and no more of that role.
static tl_status check_pools(const checker *c, const char *side, const tl_wire_slot *slots,
                             size_t n_slots, size_t at, size_t n, tl_slot_role role, tl_type type) {
  size_t found = 0;
  for (size_t i = 0; i < n_slots; i++)
    found += slots[i].role == role;
  if (found == 0)
    return refuse(c, "%s: no pools, wanted %zu of role %s", side, n, tl_slot_role_name(role));
  if (found != n)
    return refuse(c, "%s: %zu pools, wanted %zu for %u layers", side, found, n, c->a->n_layers);
  for (size_t i = at; i < at + n; i++) {
    if (i >= n_slots || slots[i].role != role)
      return refuse(c, "%s[%zu]: wanted the role %s", side, i, tl_slot_role_name(role));
    if (!tl_type_eq(slots[i].type, type))
      return refuse_type(c, side, i, slots[i].name, slots[i].type, type);
  }
  return TL_OK;
}

// From `at` to the end: the artifact's weights.
static tl_status check_weights(const checker *c, size_t at) {
  const tl_artifact *a = c->a;
  for (size_t i = at; i < c->e->n_inputs; i++) {
    const tl_wire_slot *s = &c->w->inputs[i];
    if (s->role != TL_SLOT_WEIGHT)
      return refuse(c, "inputs[%zu] (%.80s): role %s, wanted WEIGHT", i, s->name,
                    tl_slot_role_name(s->role));
    if (i - at >= a->n_slots || strcmp(s->name, a->slots[i - at].name) != 0) {
      for (size_t k = 0; k < a->n_slots; k++)
        if (strcmp(s->name, a->slots[k].name) == 0)
          return refuse(c, "inputs[%zu] (%.80s): weights.table has it at %zu, the entry at %zu", i,
                        s->name, k, i - at);
      return refuse(c, "inputs[%zu]: weights.table has no \"%.80s\"", i, s->name);
    }
    if (!tl_type_eq(s->type, a->slots[i - at].prepared))
      return refuse_type(c, "inputs", i, s->name, s->type, a->slots[i - at].prepared);
  }
  if (c->e->n_inputs != at + a->n_slots)
    return refuse(c, "takes %zu weights, the other entries take %zu", c->e->n_inputs - at,
                  a->n_slots);
  return TL_OK;
}

// Pool k in becomes pool k out, under its name and "Out", and is donated to it.
static tl_status check_donation(const checker *c, size_t in, size_t out, size_t n) {
  const tl_wire_entry *w = c->w;
  for (size_t p = 0; p < w->n_pairs; p++) {
    const uint32_t i = w->pairs[p][0], o = w->pairs[p][1];
    if (!tl_type_eq(w->inputs[i].type, w->outputs[o].type))
      return refuse_type(c, "donationPairs", p, w->outputs[o].name, w->outputs[o].type,
                         w->inputs[i].type);
    if (p >= n || i != in + p || o != out + p)
      return refuse(c, "donationPairs[%zu]: [%u,%u], wanted [%zu,%zu]: each pool in its turn", p, i,
                    o, in + p, out + p);
  }
  if (w->n_pairs != n)
    return refuse(c, "donationPairs: %zu, wanted one for each of %zu pools", w->n_pairs, n);
  for (size_t k = 0; k < n; k++) {
    const char *name = w->inputs[in + k].name, *name_out = w->outputs[out + k].name;
    const size_t len = strlen(name);
    if (strncmp(name_out, name, len) != 0 || strcmp(name_out + len, "Out") != 0)
      return refuse(c, "outputs[%zu]: \"%.80s\", wanted \"%.80sOut\" for the pool at inputs[%zu]",
                    out + k, name_out, name, in + k);
  }
  return TL_OK;
}

static tl_status check_count(const checker *c, const char *side, size_t found, size_t wanted) {
  if (found == wanted) return TL_OK;
  return refuse(c, "%s: %zu of them, wanted %zu", side, found, wanted);
}

static tl_status check_blocks(const checker *c, uint32_t context) {
  const uint32_t wanted = context / c->a->block_size;
  if (c->w->max_blocks == wanted) return TL_OK;
  return refuse(c, "maxBlocksPerSeq: %u %s, a context of %u tokens has %u pages of %u",
                c->w->max_blocks, c->w->max_blocks < wanted ? "is too small" : "is too many",
                context, wanted, c->a->block_size);
}

#define DIMS(...) \
  (const int64_t[]) { __VA_ARGS__ }

static tl_status check_reference(const checker *c) { // decode and prefill
  const tl_artifact *a = c->a;
  const tl_artifact_entry *e = c->e;
  const int64_t B = e->B, T = e->tokens, M = c->w->max_blocks;
  if (e->kind == TL_ENTRY_DECODE ? e->tokens != 1 : e->tokens > e->C)
    return refuse(c, "tokensPerSeq: %u does not fit a %s of context %u", e->tokens,
                  tl_entry_kind_name(e->kind), e->C);
  TL_TRY(check_blocks(c, e->C));
  const tl_dtype i32 = TL_DTYPE_S32;
  const expected in[] = {{TL_SLOT_TOKEN_IDS, {i32, 2, DIMS(B, T)}},
                         {TL_SLOT_POSITIONS, {i32, 2, DIMS(B, T)}},
                         {TL_SLOT_BLOCK_TABLES, {i32, 2, DIMS(B, M)}},
                         {TL_SLOT_SEQ_LENS, {i32, 1, DIMS(B)}},
                         {TL_SLOT_SLOT_MAPPING, {i32, 1, DIMS(B * T)}}};
  const expected out[] = {{TL_SLOT_LOGITS, {TL_DTYPE_F32, 3, DIMS(B, 1, a->vocab)}}};
  const tl_type pool = {
      a->kv_dtype, 4,
      DIMS(a->num_blocks, a->block_size, a->n_kv_heads, tl_kv_row(a->kv_dtype, a->head_dim))};
  const size_t n_pools = 2 * (size_t)a->n_layers;
  const tl_wire_entry *w = c->w;
  TL_TRY(check_front(c, "inputs", w->inputs, e->n_inputs, in, TL_COUNT(in)));
  TL_TRY(check_front(c, "outputs", w->outputs, e->n_outputs, out, TL_COUNT(out)));
  TL_TRY(check_pools(c, "inputs", w->inputs, e->n_inputs, TL_COUNT(in), n_pools, TL_SLOT_KV_POOL_IN,
                     pool));
  TL_TRY(
      check_pools(c, "outputs", w->outputs, e->n_outputs, 1, n_pools, TL_SLOT_KV_POOL_OUT, pool));
  TL_TRY(check_count(c, "outputs", e->n_outputs, 1 + n_pools));
  TL_TRY(check_weights(c, TL_COUNT(in) + n_pools));
  return check_donation(c, TL_COUNT(in), 1, n_pools);
}

static tl_status check_step(const checker *c) {
  const tl_artifact *a = c->a;
  const tl_artifact_entry *e = c->e;
  const tl_wire_entry *w = c->w;
  if (e->S != a->max_batch)
    return refuse(c, "sequences: %u, the model's maxBatch is %u", e->S, a->max_batch);
  if (e->R > e->T) return refuse(c, "rows: %u of %u tokens", e->R, e->T);
  TL_TRY(check_blocks(c, a->context));
  const int64_t ints = 4 * (int64_t)e->T + (int64_t)e->S * w->max_blocks + e->R;
  const expected in[] = {{TL_SLOT_STEP_INTS, {TL_DTYPE_S32, 1, DIMS(ints)}}};
  const expected out[] = {{TL_SLOT_LOGITS, {TL_DTYPE_F32, 2, DIMS(e->R, a->vocab)}}};
  const tl_type pool = {a->kv_dtype, 4,
                        DIMS(2 * (int64_t)a->n_layers * a->num_blocks, a->block_size, a->n_kv_heads,
                             tl_kv_row(a->kv_dtype, a->head_dim))};
  TL_TRY(check_front(c, "inputs", w->inputs, e->n_inputs, in, 1));
  TL_TRY(check_front(c, "outputs", w->outputs, e->n_outputs, out, 1));
  TL_TRY(check_pools(c, "inputs", w->inputs, e->n_inputs, 1, 1, TL_SLOT_KV_POOL_IN, pool));
  TL_TRY(check_pools(c, "outputs", w->outputs, e->n_outputs, 1, 1, TL_SLOT_KV_POOL_OUT, pool));
  TL_TRY(check_count(c, "outputs", e->n_outputs, 2));
  TL_TRY(check_weights(c, 2));
  return check_donation(c, 1, 1, 1);
}

static tl_status check_prepare(const checker *c) {
  const tl_artifact *a = c->a;
  const tl_wire_entry *w = c->w;
  size_t n_stored = 0;
  for (size_t i = 0; i < a->n_slots; i++) {
    const tl_artifact_slot *s = &a->slots[i];
    if (w->outputs[i].role != TL_SLOT_PREPARED_WEIGHT)
      return refuse(c, "outputs[%zu] (%.80s): role %s, wanted PREPARED_WEIGHT", i,
                    w->outputs[i].name, tl_slot_role_name(w->outputs[i].role));
    if (s->constant) continue;
    if (n_stored == c->e->n_inputs) break;
    const tl_wire_slot *in = &w->inputs[n_stored];
    if (in->role != TL_SLOT_WEIGHT || strcmp(in->name, s->name) != 0)
      return refuse(c, "inputs[%zu]: %s \"%.80s\" where weights.table has \"%.80s\"", n_stored,
                    tl_slot_role_name(in->role), in->name, s->name);
    if (!tl_type_eq(in->type, s->stored))
      return refuse_type(c, "inputs", n_stored, in->name, in->type, s->stored);
    n_stored++;
  }
  size_t rows = 0;
  for (size_t i = 0; i < a->n_slots; i++)
    rows += !a->slots[i].constant;
  TL_TRY(check_count(c, "inputs", c->e->n_inputs, rows));
  if (w->n_pairs) return refuse(c, "donationPairs: %zu, prepare donates nothing", w->n_pairs);
  return TL_OK;
}

static tl_status check_entry(const checker *c) {
  switch (c->e->kind) {
  case TL_ENTRY_PREPARE:
    return check_prepare(c);
  case TL_ENTRY_STEP:
    return check_step(c);
  default:
    return check_reference(c);
  }
}

// Names must be distinct: rows are found by them.
static tl_status check_distinct(const tl_artifact *a, const char *name) {
  tl_map seen = {0};
  tl_status st = TL_OK;
  for (size_t i = 0; i < a->n_slots && !st; i++) {
    const tl_str slot = tl_str_of(a->slots[i].name);
    if (tl_map_get(&seen, slot, NULL))
      st = TL_ERROR(INVALID_ARGUMENT, "%s: weights.table[%zu]: the slot \"%.80s\" twice", name, i,
                    slot.ptr);
    else if (!tl_map_put(&seen, slot, i))
      st = TL_OOM();
  }
  for (size_t i = 1; i < a->n_entries && !st; i++) // sorted: equal ids are neighbours
    if (strcmp(a->entries[i].id, a->entries[i - 1].id) == 0)
      st = TL_ERROR(INVALID_ARGUMENT, "%s: entries: %s twice", name, a->entries[i].id);
  tl_map_deinit(&seen);
  return st;
}

tl_status tl_manifest_check(const tl_artifact *a, const char *name) {
  const struct tl_artifact_wire *w = a->priv->wire;
  TL_TRY(check_distinct(a, name));
  const bool step = tl_artifact_find(a, TL_ENTRY_STEP),
             decode = tl_artifact_find(a, TL_ENTRY_DECODE);
  if (!step && !decode)
    return TL_ERROR(INVALID_ARGUMENT, "%s: entries: no decode entry%s", name,
                    w->version == 6 ? " and no step entry" : "");
  const bool prepare = tl_artifact_find(a, TL_ENTRY_PREPARE);
  if (w->version == 6 && !w->embedded && !w->packed && !prepare)
    return TL_ERROR(INVALID_ARGUMENT, "%s: entries: no prepare entry for the staged weights", name);
  if (w->packed && prepare)
    return TL_ERROR(INVALID_ARGUMENT, "%s: entries: a prepare entry for packed weights", name);
  for (size_t i = 0; i < a->n_entries; i++) {
    const checker c = {a, name, &a->entries[i], &w->entries[i]};
    TL_TRY(check_entry(&c));
  }
  return TL_OK;
}

// --- program files ---

static tl_status check_program_types(const tl_artifact *a, size_t entry, bool outputs,
                                     const json_t *array, const char *name) {
  static const char *const known[] = {"dtype", "dims", "axisNames"};
  const tl_artifact_entry *e = &a->entries[entry];
  const tl_wire_entry *w = &a->priv->wire->entries[entry];
  const tl_wire_slot *slots = outputs ? w->outputs : w->inputs;
  const size_t n = outputs ? e->n_outputs : e->n_inputs;
  const char *side = outputs ? "outputs" : "inputs";
  if (json_array_size(array) != n)
    return TL_ERROR(INVALID_ARGUMENT, "%s: %s: %zu of them, the manifest has %zu", name, side,
                    json_array_size(array), n);
  for (size_t i = 0; i < n; i++) {
    const json_t *o = json_array_get(array, i);
    if (!json_is_object(o))
      return TL_ERROR(INVALID_ARGUMENT, "%s: %s[%zu]: wanted an object, found %s", name, side, i,
                      tl_json_kind(o));
    TL_TRY_NOTE(tl_json_only(o, side, known, TL_COUNT(known)), "%s", name);
    tl_type found = {0};
    int64_t dims[TL_MAX_RANK];
    const json_t *list = json_object_get(o, "dims");
    const char *dtype = json_string_value(json_object_get(o, "dtype"));
    bool good = dtype && tl_wire_dtype_of_name(tl_str_of(dtype), &found.dtype) &&
                json_is_array(list) && json_array_size(list) <= TL_MAX_RANK;
    for (size_t d = 0; good && d < json_array_size(list); d++) {
      good = json_is_integer(json_array_get(list, d));
      dims[d] = json_integer_value(json_array_get(list, d));
    }
    if (!good)
      return TL_ERROR(INVALID_ARGUMENT, "%s: %s[%zu]: wanted dtype and dims", name, side, i);
    found.rank = (uint32_t)json_array_size(list);
    found.dims = dims;
    if (tl_type_eq(found, slots[i].type)) continue;
    tl_buf f = {0}, m = {0};
    tl_wire_type_print(&f, found);
    tl_wire_type_print(&m, slots[i].type);
    tl_status st = f.oom || m.oom
                       ? TL_OOM()
                       : TL_ERROR(INVALID_ARGUMENT, "%s: %s[%zu] (%.80s): %s, the manifest says %s",
                                  name, side, i, slots[i].name, f.ptr, m.ptr);
    tl_buf_deinit(&f);
    tl_buf_deinit(&m);
    return st;
  }
  return TL_OK;
}

static tl_status check_program_root(const tl_artifact *a, size_t entry, const json_t *root,
                                    const char *name) {
  static const char *const known[] = {"name",     "inputs",       "outputs",      "meshRequirement",
                                      "bodyHash", "shardingSpec", "backendMatrix"};
  const tl_artifact_entry *e = &a->entries[entry];
  tl_str s;
  json_t *array;
  TL_TRY(tl_json_only(root, name, known, TL_COUNT(known)));
  TL_TRY(tl_json_str(root, name, "name", &s));
  if (!tl_str_is(s, e->id) && !tl_str_is(s, "main")) // the function or the entry
    return TL_ERROR(INVALID_ARGUMENT, "%s: name: \"%.80s\", wanted \"%s\"", name, s.ptr, e->id);
  TL_TRY(tl_json_str(root, name, "meshRequirement", &s));
  if (!tl_str_is(s, "single-device"))
    return TL_ERROR(UNIMPLEMENTED, "%s: meshRequirement: \"%.80s\", wanted single-device", name,
                    s.ptr);
  TL_TRY(tl_json_str(root, name, "bodyHash", &s));
  if (!tl_str_is(s, e->body_hash))
    return TL_ERROR(INVALID_ARGUMENT, "%s: bodyHash: %.80s, the manifest says %s", name, s.ptr,
                    e->body_hash);
  const json_t *sharding = json_object_get(root, "shardingSpec");
  if (sharding && !(json_is_array(sharding) && json_array_size(sharding) == 0))
    return TL_ERROR(UNIMPLEMENTED, "%s: shardingSpec: sharded programs are not supported", name);
  TL_TRY(tl_json_array(root, name, "inputs", &array));
  TL_TRY(check_program_types(a, entry, false, array, name));
  TL_TRY(tl_json_array(root, name, "outputs", &array));
  return check_program_types(a, entry, true, array, name);
}

tl_status tl_program_check(const tl_artifact *a, size_t entry, tl_str text, const char *name) {
  json_t *root = NULL;
  TL_TRY(tl_json_parse(text, name, &root));
  tl_status st = check_program_root(a, entry, root, name);
  json_decref(root);
  return st;
}

// --- bodies ---

static tl_status check_body_types(const tl_func *fn, bool outputs, const tl_wire_slot *slots,
                                  size_t n, const char *name) {
  const char *side = outputs ? "result" : "argument";
  const size_t found = outputs ? fn->n_results : fn->body->n_args;
  if (found != n)
    return TL_ERROR(INVALID_ARGUMENT, "%s: @main has %zu %ss, the manifest has %zu", name, found,
                    side, n);
  for (size_t i = 0; i < n; i++) {
    const tl_type t = outputs ? fn->result_types[i] : fn->body->args[i]->type;
    if (tl_type_eq(t, slots[i].type)) continue;
    tl_buf f = {0}, m = {0};
    tl_wire_type_print(&f, t);
    tl_wire_type_print(&m, slots[i].type);
    tl_status st = f.oom || m.oom ? TL_OOM()
                                  : TL_ERROR(INVALID_ARGUMENT,
                                             "%s: @main: %s %zu (%.80s): %s, the manifest says %s",
                                             name, side, i, slots[i].name, f.ptr, m.ptr);
    tl_buf_deinit(&f);
    tl_buf_deinit(&m);
    return st;
  }
  return TL_OK;
}

// An alias in the body must be a donation in the manifest. The other way round is no mistake: the
// published form of the reference bodies has none.
static tl_status check_body_aliases(const tl_func *fn, const tl_wire_entry *w, const char *name) {
  for (uint32_t i = 0; i < fn->body->n_args; i++) {
    const int32_t to = fn->args[i].alias_output;
    bool listed = to < 0;
    for (size_t p = 0; p < w->n_pairs && !listed; p++)
      listed = w->pairs[p][0] == i && w->pairs[p][1] == (uint32_t)to;
    if (!listed)
      return TL_ERROR(INVALID_ARGUMENT,
                      "%s: @main: argument %u (%.80s) becomes result %d, donationPairs has no such "
                      "pair",
                      name, i, w->inputs[i].name, to);
  }
  return TL_OK;
}

tl_status tl_body_check(const tl_artifact *a, size_t entry, tl_str text, const char *name) {
  const tl_artifact_entry *e = &a->entries[entry];
  const tl_wire_entry *w = &a->priv->wire->entries[entry];
  tl_diags diags = {0};
  tl_module *m = NULL;
  tl_status st = tl_shlo_parse(text, name, &diags, &m);
  tl_diags_deinit(&diags);
  TL_TRY(st);
  const tl_func *fn = tl_module_find(m, TL_STR("main"));
  if (!fn)
    st = TL_ERROR(INVALID_ARGUMENT, "%s: no function @main", name);
  else
    st = check_body_types(fn, false, w->inputs, e->n_inputs, name);
  if (!st) st = check_body_types(fn, true, w->outputs, e->n_outputs, name);
  if (!st) st = check_body_aliases(fn, w, name);
  tl_module_destroy(m);
  return st;
}
