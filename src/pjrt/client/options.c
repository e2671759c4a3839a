// The create options that the environment asks for. Every variable is read and checked whatever the
// device, so that a typing error does not wait for the day the GPU comes.
#include "pjrt/client/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static tl_status env_fraction(const char *name, double fallback, double *out) {
  const char *text = getenv(name);
  *out = fallback;
  if (text == NULL) return TL_OK;
  if (!tl_str_to_f64(tl_str_of(text), out) || !(*out > 0.0 && *out <= 1.0))
    return TL_ERROR(INVALID_ARGUMENT, "%s must be a number in (0, 1], got '%s'", name, text);
  return TL_OK;
}

static tl_status env_bool(const char *name, bool fallback, bool *out) {
  const char *text = getenv(name);
  *out = fallback;
  if (text == NULL) return TL_OK;
  *out = !strcmp(text, "true");
  if (!*out && strcmp(text, "false") != 0)
    return TL_ERROR(INVALID_ARGUMENT, "%s must be true or false, got '%s'", name, text);
  return TL_OK;
}

static tl_status env_integer(const char *name, int64_t min, int64_t fallback, int64_t *out) {
  const char *text = getenv(name);
  *out = fallback;
  if (text == NULL) return TL_OK;
  if (!tl_str_to_i64(tl_str_of(text), out) || *out < min)
    return TL_ERROR(INVALID_ARGUMENT, "%s must be an integer of at least %lld, got '%s'", name,
                    (long long)min, text);
  return TL_OK;
}

static tl_status check_coordinator(void) {
  static const char *const name = "TLALOC_PJRT_COORDINATOR_ADDRESS";
  const char *text = getenv(name);
  if (text == NULL)
    return TL_ERROR(INVALID_ARGUMENT, "%s must be set when TLALOC_PJRT_NUM_NODES is over 1", name);
  const char *colon = strrchr(text, ':');
  int64_t port;
  if (colon == NULL || colon == text || !tl_str_to_i64(tl_str_of(colon + 1), &port) || port < 1 ||
      port > 65535)
    return TL_ERROR(INVALID_ARGUMENT, "%s must be host:port with a port in 1..65535, got '%s'",
                    name, text);
  return TL_OK;
}

tl_status tl_pjrt_options_of_env(tl_pjrt_kind kind, tl_arena *a, tl_pjrt_options *out_options) {
  double fraction;
  bool preallocate;
  int64_t node, nodes;
  TL_TRY(env_fraction("TLALOC_PJRT_MEMORY_FRACTION", 0.5, &fraction));
  TL_TRY(env_bool("TLALOC_PJRT_PREALLOCATE", false, &preallocate));
  TL_TRY(env_integer("TLALOC_PJRT_NUM_NODES", 1, 1, &nodes));
  TL_TRY(env_integer("TLALOC_PJRT_NODE_ID", 0, 0, &node));
  if (nodes > 1) {
    TL_TRY(check_coordinator());
    if (node >= nodes)
      return TL_ERROR(INVALID_ARGUMENT, "TLALOC_PJRT_NODE_ID must be in [0, %lld), got '%lld'",
                      (long long)nodes, (long long)node);
  }
  tl_pjrt_option *items = TL_NEW(a, tl_pjrt_option, 4);
  if (items == NULL) return TL_OOM();
  size_t n = 0;
  if (kind == TL_PJRT_CUDA) {
    items[n++] =
        (tl_pjrt_option){"memory_fraction", PJRT_NamedValue_kFloat, .f32 = (float)fraction};
    items[n++] = (tl_pjrt_option){"preallocate", PJRT_NamedValue_kBool, .boolean = preallocate};
  }
  if (nodes > 1) { // the address of the coordinator is never an option of the plugin
    items[n++] = (tl_pjrt_option){"node_id", PJRT_NamedValue_kInt64, .int64 = node};
    items[n++] = (tl_pjrt_option){"num_nodes", PJRT_NamedValue_kInt64, .int64 = nodes};
  }
  *out_options = (tl_pjrt_options){.kind = kind, .items = items, .n_items = n};
  return TL_OK;
}
