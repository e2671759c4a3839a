#include "ckpt/config.h"

#include <stdio.h>

#include "base/file.h"

// What both readers of a config share: the table of families, the model's name, and the rules
// between the numbers.

static const tl_family_info families[TL_FAMILY_COUNT] = {
#define TL_FAMILY(id, name, architecture, model_type, gguf, qk_norm, interleaved) \
  [TL_FAMILY_##id] = {name, architecture, model_type, gguf, qk_norm, interleaved},
#include "ckpt/families.def"
#undef TL_FAMILY
};

const tl_family_info *tl_family_get(tl_family f) { return &families[f]; }

// The part of `path` that ends before *end, less trailing slashes; *end moves to its start.
static tl_str last_part(const char *path, size_t *end) {
  while (*end > 0 && path[*end - 1] == '/')
    --*end;
  size_t to = *end;
  while (*end > 0 && path[*end - 1] != '/')
    --*end;
  return (tl_str){path + *end, to - *end};
}

void tl_model_name(const char *path, char out_name[TL_MODEL_NAME_SIZE]) {
  static const char marker[] = "models--";
  size_t end = strlen(path);
  tl_str own = last_part(path, &end);
  tl_str parent = last_part(path, &end);
  tl_str cache = last_part(path, &end);
  if (tl_str_is(parent, "snapshots") && tl_str_starts(cache, tl_str_of(marker))) {
    tl_str rest = tl_str_sub(cache, sizeof marker - 1, cache.len); // ORG--NAME
    size_t cut = tl_str_find(rest, TL_STR("--"));
    if (cut != (size_t)-1) {
      tl_str org = tl_str_sub(rest, 0, cut), name = tl_str_sub(rest, cut + 2, rest.len);
      snprintf(out_name, TL_MODEL_NAME_SIZE, TL_STR_FMT "/" TL_STR_FMT, TL_STR_ARG(org),
               TL_STR_ARG(name));
      return;
    }
  }
  if (tl_str_ends(own, TL_STR(".gguf")) && own.len > 5) own.len -= 5;
  snprintf(out_name, TL_MODEL_NAME_SIZE, TL_STR_FMT, TL_STR_ARG(own));
}

bool tl_model_config_add_stop(tl_model_config *c, uint32_t id) {
  for (uint32_t i = 0; i < c->n_stops; i++)
    if (c->stops[i] == id) return true;
  if (c->n_stops == TL_MODEL_STOPS) return false;
  c->stops[c->n_stops++] = id;
  return true;
}

tl_status tl_model_config_check(const tl_model_config *c, const char *where) {
  if (c->n_heads % c->n_kv_heads != 0)
    return TL_ERROR(INVALID_ARGUMENT, "%s: %u query heads cannot share %u key heads evenly", where,
                    c->n_heads, c->n_kv_heads);
  if (c->head_dim % 2 != 0)
    return TL_ERROR(INVALID_ARGUMENT, "%s: RoPE turns pairs, and the head dim %u is odd", where,
                    c->head_dim);
  if (!(c->rms_eps >= 0 && c->rms_eps < 1))
    return TL_ERROR(INVALID_ARGUMENT, "%s: the norms' epsilon %g is not within 0 to 1", where,
                    c->rms_eps);
  if (!(c->rope_theta > 0 && c->rope_theta < 1e30))
    return TL_ERROR(INVALID_ARGUMENT, "%s: RoPE's base %g is not a positive number", where,
                    c->rope_theta);
  if (c->bos >= (int64_t)c->vocab)
    return TL_ERROR(INVALID_ARGUMENT, "%s: the bos token %lld is outside the vocabulary of %u",
                    where, (long long)c->bos, c->vocab);
  for (uint32_t i = 0; i < c->n_stops; i++)
    if (c->stops[i] >= c->vocab)
      return TL_ERROR(INVALID_ARGUMENT, "%s: the eos token %u is outside the vocabulary of %u",
                      where, c->stops[i], c->vocab);
  return TL_OK;
}
