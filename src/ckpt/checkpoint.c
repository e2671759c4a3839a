#include "ckpt/checkpoint.h"

#include <stdatomic.h>
#include <stdio.h>

#include "base/half.h"
#include "ckpt/gguf_config.h"
#include "ckpt/hf_config.h"
#include "ckpt/quant.h"

// Both kinds of checkpoint are brought to one list of tensors (stored_tensor), and from there on
// there is one code: walk the roles in the order of the whole model, find each by its name, check
// its shape against the config, and see that every tensor of the file was used. The names and
// shapes are rows of roles.def.

struct tl_checkpoint_refs {
  atomic_size_t count;
};

static const tl_role_info roles[TL_ROLE_COUNT] = {
#define TL_ROLE(id, slot, layered, hf, gguf, rank, rows, k, when, rotary) \
  [TL_ROLE_##id] = {slot, layered, rotary, hf, gguf, rank},
#include "ckpt/roles.def"
#undef TL_ROLE
};

const tl_role_info *tl_role_get(tl_role role) { return &roles[role]; }

bool tl_role_shape(tl_role role, const tl_model_config *config, uint64_t *out_rows,
                   uint64_t *out_k) {
  const tl_model_config *c = config; // as roles.def calls it
  switch (role) {
#define TL_ROLE(id, slot, layered, hf, gguf, rank, rows, k, when, rotary) \
  case TL_ROLE_##id:                                                      \
    *out_rows = rows;                                                     \
    *out_k = k;                                                           \
    return when;
#include "ckpt/roles.def"
#undef TL_ROLE
  case TL_ROLE_COUNT:
    break;
  }
  return false;
}

// ---- one list of tensors

// A tensor of either kind of file.
typedef struct stored_tensor {
  tl_str name;
  tl_stored stored;
  uint32_t rank;
  const uint64_t *dims; // [rank], row-major
  const uint8_t *data;
  size_t size;
} stored_tensor;

typedef struct opening {
  tl_arena *arena; // becomes the checkpoint's
  tl_checkpoint *c;
  stored_tensor *tensors;
  bool *used; // [n_tensors]
  size_t n_tensors;
  bool scaled;    // some weight has scales of its own
  tl_map by_name; // to indices in tensors
} opening;

static tl_status tensors_list(opening *o) {
  const tl_gguf *g = o->c->gguf;
  const tl_safetensors *s = o->c->safetensors;
  o->n_tensors = g ? g->n_tensors : s->n_tensors;
  o->tensors = TL_NEW(o->arena, stored_tensor, o->n_tensors + 1);
  o->used = TL_NEW(o->arena, bool, o->n_tensors + 1);
  if (!o->tensors || !o->used || !tl_map_reserve(&o->by_name, o->n_tensors)) return TL_OOM();
  for (size_t i = 0; i < o->n_tensors; i++) {
    if (g) {
      const tl_gguf_tensor *t = &g->tensors[i];
      o->tensors[i] = (stored_tensor){t->name, t->stored, t->rank, t->dims, t->data, t->size};
    } else {
      const tl_safetensor *t = &s->tensors[i];
      o->tensors[i] = (stored_tensor){t->name, t->dtype, t->rank, t->dims, t->data, t->size};
    }
    if (!tl_map_put(&o->by_name, o->tensors[i].name, i)) return TL_OOM();
  }
  return TL_OK;
}

// The tensor, marked as used; NULL when absent.
static const stored_tensor *tensor_use(opening *o, tl_str name) {
  uint64_t i;
  if (!tl_map_get(&o->by_name, name, &i)) return NULL;
  o->used[i] = true;
  return &o->tensors[i];
}

static void dims_text(const stored_tensor *t, char *out, size_t size) {
  size_t at = (size_t)snprintf(out, size, "[");
  for (uint32_t i = 0; i < t->rank && at < size; i++)
    at += (size_t)snprintf(out + at, size - at, i ? ", %llu" : "%llu",
                           (unsigned long long)t->dims[i]);
  if (at < size) snprintf(out + at, size - at, "]");
}

// ---- codes and scales as tensors of their own

// Tensor `base` + `suffix`, marked as used; NULL when absent or memory is gone.
static const stored_tensor *part_use(opening *o, tl_str base, const char *suffix) {
  const char *name = tl_arena_printf(o->arena, TL_STR_FMT "%s", TL_STR_ARG(base), suffix);
  return name ? tensor_use(o, tl_str_of(name)) : NULL;
}

static tl_status part_refuse(const opening *o, const stored_tensor *t, const char *wanted) {
  char found[128];
  dims_text(t, found, sizeof found);
  return TL_ERROR(INVALID_ARGUMENT, "%s: tensor " TL_STR_FMT " is %s %s, wanted %s", o->c->path,
                  TL_STR_ARG(t->name), tl_stored_get(t->stored)->name, found, wanted);
}

static bool is_shape(const stored_tensor *t, uint64_t rows, uint64_t columns) {
  return t->rank == 2 && t->dims[0] == rows && t->dims[1] == columns;
}

// One number for the tensor, or one a row; out of shape otherwise.
static bool scales_of_rows(const stored_tensor *t, uint64_t rows, tl_scaled *s) {
  uint64_t n = 1;
  for (uint32_t i = 0; i < t->rank; i++)
    if (!TL_MUL_OK(n, t->dims[i], &n)) return false;
  const bool each = t->rank > 0 && t->dims[0] == rows && n == rows;
  s->scales = t->data, s->scale_type = t->stored, s->n_scales = 1;
  s->rows_per_scale = each ? 1 : UINT64_MAX;
  return each || n == 1;
}

static tl_status fp8_scales(opening *o, tl_str base, const tl_weight *w, tl_scaled *s,
                            tl_format *out) {
  const stored_tensor *t = part_use(o, base, ".weight_scale_inv");
  *out = TL_FORMAT_FP8;
  if (t) {
    const uint64_t n = (w->k + TL_FP8_BLOCK - 1) / TL_FP8_BLOCK;
    *out = TL_FORMAT_FP8_BLOCK;
    if (!is_shape(t, (w->rows + TL_FP8_BLOCK - 1) / TL_FP8_BLOCK, n) ||
        !tl_scaled_type_is_number(t->stored))
      return part_refuse(o, t, "a number for each 128 x 128 of the weight");
    s->scales = t->data, s->scale_type = t->stored, s->n_scales = (size_t)n;
    s->rows_per_scale = TL_FP8_BLOCK;
    return TL_OK;
  }
  t = part_use(o, base, ".weight_scale");
  if (!t)
    return TL_ERROR(INVALID_ARGUMENT,
                    "%s: tensor " TL_STR_FMT " has no .weight_scale and no .weight_scale_inv",
                    o->c->path, TL_STR_ARG(base));
  if (!scales_of_rows(t, w->rows, s) || !tl_scaled_type_is_number(t->stored))
    return part_refuse(o, t, "a number, or one a row");
  return TL_OK;
}

static tl_status nvfp4_scales(opening *o, tl_str base, const tl_weight *w, tl_scaled *s) {
  const stored_tensor *t = part_use(o, base, ".weight_scale"),
                      *whole = part_use(o, base, ".weight_scale_2");
  if (!whole) {
    whole = part_use(o, base, ".weight_global_scale");
    s->divides = true;
  }
  if (!t || !whole)
    return TL_ERROR(INVALID_ARGUMENT, "%s: tensor " TL_STR_FMT " of u8 has no .weight_scale%s",
                    o->c->path, TL_STR_ARG(base),
                    t ? "_2 and no .weight_global_scale" : ", and is not supported otherwise");
  if (t->stored != TL_STORED_F8_E4M3 || !is_shape(t, w->rows, w->k / 16))
    return part_refuse(o, t, "an e4m3 for each 16 of a row");
  if (!scales_of_rows(whole, 1, s) || !tl_scaled_type_is_number(whole->stored))
    return part_refuse(o, whole, "a number");
  s->rows_per_scale = UINT64_MAX;
  s->small = t->data, s->small_size = (size_t)w->k / 16;
  return TL_OK;
}

// A matrix of codes: w has its role, name and shape. `codes` is X.weight or X.weight_packed.
static tl_status scaled_fill(opening *o, tl_str base, const stored_tensor *codes, tl_weight *w) {
  tl_scaled *s = TL_NEW(o->arena, tl_scaled, 1);
  if (!s) return TL_OOM();
  const bool nibbles = codes->stored == TL_STORED_U8;
  if (!is_shape(codes, w->rows, nibbles ? w->k / 2 : w->k) || (nibbles && w->k % 16 != 0))
    return part_refuse(o, codes,
                       nibbles ? "two codes a byte, rows of whole blocks of 16" : "the config's");
  s->codes = codes->data;
  s->code_size = nibbles ? (size_t)w->k / 2 : (size_t)w->k;
  w->format = TL_FORMAT_NVFP4;
  if (nibbles)
    TL_TRY(nvfp4_scales(o, base, w, s));
  else
    TL_TRY(fp8_scales(o, base, w, s, &w->format));
  if (codes->stored == TL_STORED_I8) {
    if (w->format != TL_FORMAT_FP8) return part_refuse(o, codes, "e4m3 beside a .weight_scale_inv");
    w->format = TL_FORMAT_INT8;
  }
  w->data = NULL, w->scaled = s;
  o->scaled = true;
  if (!tl_format_row_size(w->format, (size_t)w->k, &w->row_size) ||
      !TL_MUL_OK((size_t)w->rows, w->row_size, &w->size))
    return TL_ERROR(INVALID_ARGUMENT,
                    "%s: tensor " TL_STR_FMT ": rows of %llu elements are not whole %s blocks",
                    o->c->path, TL_STR_ARG(w->name), (unsigned long long)w->k,
                    tl_format_get(w->format)->name);
  return TL_OK;
}

static bool is_codes(tl_stored t) {
  return t == TL_STORED_F8_E4M3 || t == TL_STORED_U8 || t == TL_STORED_I8;
}

// ---- weights

static tl_status weight_fill(opening *o, tl_role role, uint32_t layer, tl_weight *w) {
  const tl_role_info *info = &roles[role];
  const tl_checkpoint *c = o->c;
  char *name;
  if (!info->layered)
    name = tl_arena_printf(o->arena, "%s", c->is_gguf ? info->gguf : info->hf);
  else if (c->is_gguf)
    name = tl_arena_printf(o->arena, "blk.%u.%s", layer, info->gguf);
  else
    name = tl_arena_printf(o->arena, "model.layers.%u.%s", layer, info->hf);
  if (!name) return TL_OOM();
  const stored_tensor *t = tensor_use(o, tl_str_of(name));
  const tl_str base = tl_str_sub(tl_str_of(name), 0, strlen(name) - strlen(".weight"));
  if (!t && !c->is_gguf && info->rank == 2) t = part_use(o, base, ".weight_packed");
  if (!t) return TL_ERROR(INVALID_ARGUMENT, "%s: tensor %s is missing", c->path, name);

  *w = (tl_weight){
      .role = role, .layer = layer, .name = tl_str_of(name), .data = t->data, .size = t->size};
  tl_role_shape(role, &c->config, &w->rows, &w->k);
  if (!c->is_gguf && info->rank == 2 && is_codes(t->stored)) return scaled_fill(o, base, t, w);
  bool right = t->rank == info->rank && t->dims[t->rank - 1] == w->k &&
               (t->rank == 1 || t->dims[0] == w->rows);
  if (!right) {
    char found[128];
    dims_text(t, found, sizeof found);
    if (info->rank == 1)
      return TL_ERROR(INVALID_ARGUMENT, "%s: tensor %s is %s, the config wants [%llu]", c->path,
                      name, found, (unsigned long long)w->k);
    return TL_ERROR(INVALID_ARGUMENT, "%s: tensor %s is %s, the config wants [%llu, %llu]", c->path,
                    name, found, (unsigned long long)w->rows, (unsigned long long)w->k);
  }
  if (!tl_stored_format(t->stored, &w->format))
    return TL_ERROR(UNIMPLEMENTED, "%s: tensor %s is stored as %s, which is not supported", c->path,
                    name, tl_stored_get(t->stored)->name);
  if (!tl_stored_row_size(t->stored, w->k, &w->row_size))
    return TL_ERROR(INVALID_ARGUMENT,
                    "%s: tensor %s: rows of %llu elements are not whole %s blocks", c->path, name,
                    (unsigned long long)w->k, tl_stored_get(t->stored)->name);
  if (info->rank == 1 && tl_stored_get(t->stored)->block != 1)
    return TL_ERROR(UNIMPLEMENTED, "%s: tensor %s: a norm stored as %s is not supported", c->path,
                    name, tl_stored_get(t->stored)->name);
  w->interleaved_rope = c->is_gguf && info->rotary && tl_family_get(c->config.family)->interleaved;
  return TL_OK;
}

// Appends the weight, if the model has it.
static tl_status role_fill(opening *o, tl_weight *weights, tl_role role, uint32_t layer) {
  tl_checkpoint *c = o->c;
  if (c->first[role] == SIZE_MAX) return TL_OK;
  if (layer == 0) c->first[role] = c->n_weights;
  return weight_fill(o, role, layer, &weights[c->n_weights++]);
}

static tl_status weights_find(opening *o) {
  tl_checkpoint *c = o->c;
  const tl_model_config *config = &c->config;
  // Before anything is allocated for them: a config may promise more layers than the file has
  // tensors.
  if (config->n_layers > o->n_tensors)
    return TL_ERROR(INVALID_ARGUMENT, "%s: %zu tensors are too few for %u layers", c->path,
                    o->n_tensors, config->n_layers);
  tl_weight *weights = TL_NEW(o->arena, tl_weight, ((size_t)config->n_layers + 1) * TL_ROLE_COUNT);
  if (!weights) return TL_OOM();
  c->weights = weights;
  // roles.def lists what comes before the layers, the layers' roles, and what comes after them.
  size_t from = 0, to = 0; // the layers' roles
  for (size_t r = 0; r < TL_ROLE_COUNT; r++) {
    uint64_t rows, k;
    bool there = tl_role_shape((tl_role)r, config, &rows, &k);
    c->first[r] = there ? 0 : SIZE_MAX;
    if (!roles[r].layered) continue;
    if (to == 0) from = r;
    to = r + 1;
    c->per_layer += there;
  }
  for (size_t r = 0; r < from; r++)
    TL_TRY(role_fill(o, weights, (tl_role)r, 0));
  for (uint32_t layer = 0; layer < config->n_layers; layer++)
    for (size_t r = from; r < to; r++)
      TL_TRY(role_fill(o, weights, (tl_role)r, layer));
  for (size_t r = to; r < TL_ROLE_COUNT; r++)
    TL_TRY(role_fill(o, weights, (tl_role)r, 0));
  return TL_OK;
}

const tl_weight *tl_checkpoint_weight(const tl_checkpoint *c, tl_role role, uint32_t layer) {
  if (c->first[role] == SIZE_MAX) return NULL;
  if (roles[role].layered ? layer >= c->config.n_layers : layer != 0) return NULL;
  return &c->weights[c->first[role] + layer * c->per_layer];
}

const uint8_t *tl_weight_row(const tl_weight *w, uint64_t row, uint8_t *scratch) {
  if (!w->scaled) return w->data + row * w->row_size;
  tl_scaled_row(w->scaled, row, scratch);
  return scratch;
}

uint64_t tl_weight_stored_row(const tl_weight *w, uint32_t head_dim, uint64_t row) {
  if (!w->interleaved_rope) return row;
  uint64_t head = row / head_dim, i = row % head_dim, half = head_dim / 2;
  return head * head_dim + (i < half ? 2 * i : 2 * (i - half) + 1);
}

// ---- tensors beside the weights

// RoPE frequency factors: all ones say nothing, others change the angles.
static tl_status rope_freqs_check(const opening *o, const stored_tensor *t) {
  bool ones = t->stored == TL_STORED_F32;
  for (size_t i = 0; ones && i + 4 <= t->size; i += 4) {
    uint32_t bits = (uint32_t)t->data[i] | (uint32_t)t->data[i + 1] << 8 |
                    (uint32_t)t->data[i + 2] << 16 | (uint32_t)t->data[i + 3] << 24;
    ones = bits == tl_bits_of_f32(1.0f);
  }
  if (ones) return TL_OK;
  return TL_ERROR(UNIMPLEMENTED,
                  "%s: " TL_STR_FMT " scales RoPE's frequencies, which is not supported",
                  o->c->path, TL_STR_ARG(t->name));
}

// A head that is stored although the config ties it to the embedding must be the embedding.
static tl_status tied_head_check(const opening *o, const stored_tensor *head) {
  const tl_weight *table = tl_checkpoint_weight(o->c, TL_ROLE_EMBED, 0);
  bool same = head->rank == 2 && head->dims[0] == table->rows && head->dims[1] == table->k &&
              head->stored == (tl_stored)table->format && head->size == table->size &&
              memcmp(head->data, table->data, table->size) == 0;
  if (same) return TL_OK;
  return TL_ERROR(INVALID_ARGUMENT,
                  "%s: tie_word_embeddings is true, but " TL_STR_FMT
                  " is not the same as " TL_STR_FMT,
                  o->c->path, TL_STR_ARG(head->name), TL_STR_ARG(table->name));
}

static tl_status extras_check(opening *o) {
  static const char inverse_frequencies[] =
      ".self_attn.rotary_emb.inv_freq"; // a table that old exporters wrote along
  const stored_tensor *t;
  if (o->c->is_gguf) {
    if ((t = tensor_use(o, TL_STR("rope_freqs.weight")))) TL_TRY(rope_freqs_check(o, t));
  } else if (o->c->config.tied && (t = tensor_use(o, tl_str_of(roles[TL_ROLE_HEAD].hf)))) {
    TL_TRY(tied_head_check(o, t));
  }
  // Of activations and of keys and values as others round them, which we do not.
  static const char *const of_others[] = {".input_scale", ".activation_scale",
                                          ".input_global_scale", ".k_scale", ".v_scale"};
  size_t extra = 0;
  tl_str first = {0};
  for (size_t i = 0; i < o->n_tensors; i++) {
    if (o->used[i]) continue;
    if (!o->c->is_gguf && tl_str_ends(o->tensors[i].name, tl_str_of(inverse_frequencies))) continue;
    bool ignored = false;
    for (size_t s = 0; o->scaled && s < TL_COUNT(of_others); s++)
      ignored |= tl_str_ends(o->tensors[i].name, tl_str_of(of_others[s]));
    if (ignored) continue;
    if (extra++ == 0) first = o->tensors[i].name;
  }
  if (extra == 0) return TL_OK;
  if (extra == 1)
    return TL_ERROR(INVALID_ARGUMENT, "%s: tensor " TL_STR_FMT " has no place in a %s model",
                    o->c->path, TL_STR_ARG(first), tl_family_get(o->c->config.family)->name);
  return TL_ERROR(INVALID_ARGUMENT,
                  "%s: tensor " TL_STR_FMT " and %zu more have no place in a %s model", o->c->path,
                  TL_STR_ARG(first), extra - 1, tl_family_get(o->c->config.family)->name);
}

// ---- opening

static tl_stored main_format(const tl_checkpoint *c) {
  size_t bytes[TL_FORMAT_COUNT] = {0};
  tl_format best = c->weights[0].format;
  for (size_t i = 0; i < c->n_weights; i++) {
    tl_format f = c->weights[i].format;
    bytes[f] += c->weights[i].size;
    if (bytes[f] > bytes[best]) best = f;
  }
  return (tl_stored)best;
}

static tl_status gguf_open(tl_checkpoint *c) {
  TL_TRY(tl_gguf_open(c->path, &c->gguf));
  return tl_gguf_config_read(c->gguf, &c->config);
}

static tl_status hf_open(tl_checkpoint *c) {
  TL_TRY(tl_hf_config_read(c->path, &c->config));
  return tl_safetensors_open_dir(c->path, &c->safetensors);
}

#define ACCEPTED "a model is a GGUF file, or a directory with config.json and " TL_SAFETENSORS_FILE

// What a directory holds instead of a checkpoint, in a few words.
static tl_status refuse_dir(tl_arena *scratch, const char *path, const char *missing) {
  tl_str *names;
  size_t n;
  TL_TRY(tl_dir_list(scratch, path, &names, &n));
  tl_buf found = {0};
  for (size_t i = 0; i < n && i < 6; i++) {
    if (i) tl_buf_cstr(&found, ", ");
    tl_buf_str(&found, tl_utf8_valid(names[i]) ? names[i] : TL_STR("?"));
  }
  if (n > 6) tl_buf_printf(&found, " and %zu more", n - 6);
  tl_status st = TL_ERROR(INVALID_ARGUMENT, "%s: a directory without %s (%s); " ACCEPTED, path,
                          missing, n ? (found.ptr ? found.ptr : "?") : "it is empty");
  tl_buf_deinit(&found);
  return st;
}

static tl_status refuse_file(const char *path, const tl_file_map *map) {
  const char *what = "a file that does not begin with \"GGUF\"";
  if (map->size == 0)
    what = "an empty file";
  else if (map->size > 9 && map->data[8] == '{' &&
           tl_str_ends(tl_str_of(path), TL_STR(".safetensors")))
    what = "a safetensors file: name its directory, which must also hold config.json";
  else if (map->size > 4 && memcmp(map->data, "PK\3\4", 4) == 0)
    what = "a zip archive (a PyTorch checkpoint is one)";
  return TL_ERROR(INVALID_ARGUMENT, "%s: %s; " ACCEPTED, path, what);
}

// Says what is at the path: *out_gguf, or a directory with the files of a checkpoint, or an error.
static tl_status kind_read(tl_arena *scratch, const char *path, bool *out_gguf) {
  if (!tl_path_exists(path)) return TL_ERROR(NOT_FOUND, "%s: no such file or directory", path);
  if (!tl_path_is_dir(path)) {
    tl_file_map map;
    TL_TRY(tl_file_map_open(path, &map));
    *out_gguf = map.size >= 4 && memcmp(map.data, "GGUF", 4) == 0;
    tl_status st = *out_gguf ? TL_OK : refuse_file(path, &map);
    tl_file_map_close(&map);
    return st;
  }
  *out_gguf = false;
  const char *config = tl_path_join(scratch, path, "config.json");
  const char *single = tl_path_join(scratch, path, TL_SAFETENSORS_FILE);
  const char *index = tl_path_join(scratch, path, TL_SAFETENSORS_INDEX);
  if (!config || !single || !index) return TL_OOM();
  if (!tl_path_exists(config)) return refuse_dir(scratch, path, "config.json");
  if (!tl_path_exists(single) && !tl_path_exists(index))
    return refuse_dir(scratch, path, TL_SAFETENSORS_FILE);
  return TL_OK;
}

static tl_status open_at(opening *o) {
  tl_checkpoint *c = o->c;
  TL_TRY(kind_read(o->arena, c->path, &c->is_gguf));
  TL_TRY(c->is_gguf ? gguf_open(c) : hf_open(c));
  TL_TRY(tensors_list(o));
  TL_TRY(weights_find(o));
  TL_TRY(extras_check(o));
  if (c->is_gguf) c->config.dtype = main_format(c);
  tl_model_name(c->path, c->config.name);
  return TL_OK;
}

tl_status tl_checkpoint_open(const char *path, tl_checkpoint **out_checkpoint) {
  opening o = {.arena = tl_arena_create()};
  if (!o.arena) return TL_OOM();
  o.c = TL_NEW(o.arena, tl_checkpoint, 1);
  struct tl_checkpoint_refs *refs = TL_NEW(o.arena, struct tl_checkpoint_refs, 1);
  char *own_path = tl_arena_printf(o.arena, "%s", path);
  if (!o.c || !refs || !own_path) {
    tl_arena_destroy(o.arena);
    return TL_OOM();
  }
  atomic_init(&refs->count, 1);
  *o.c = (tl_checkpoint){.path = own_path, .arena = o.arena, .refs = refs};
  tl_status st = open_at(&o);
  tl_map_deinit(&o.by_name);
  if (st)
    tl_checkpoint_release(o.c);
  else
    *out_checkpoint = o.c;
  return st;
}

void tl_checkpoint_retain(tl_checkpoint *c) {
  atomic_fetch_add_explicit(&c->refs->count, 1, memory_order_relaxed);
}

void tl_checkpoint_drop_pages(const tl_checkpoint *c) {
  if (c->is_gguf) tl_file_map_drop_pages(&c->gguf->map);
  for (size_t i = 0; !c->is_gguf && i < c->safetensors->n_shards; i++)
    tl_file_map_drop_pages(&c->safetensors->maps[i]);
}

void tl_checkpoint_release(tl_checkpoint *c) {
  if (!c || atomic_fetch_sub_explicit(&c->refs->count, 1, memory_order_acq_rel) != 1) return;
  tl_gguf_destroy(c->gguf);
  tl_safetensors_destroy(c->safetensors);
  tl_arena_destroy(c->arena);
}
