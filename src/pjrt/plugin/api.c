// The table: one entry per slot, each in front of the function that does the work.
//
// An entry checks that there are arguments and that they reach as far as we read or write; a
// framework built against an older header sends shorter ones, which is an error only where the
// missing part is needed. Slots we do not implement answer UNIMPLEMENTED with their own name, so
// that a framework's log says what it wanted.
#include "pjrt/plugin/internal.h"

#include "pjrt/plugin/plugin.h"

enum {
#define TL_PJRT_FN(function, result, plugin, client) SLOT_##function,
#include "pjrt/functions.def"
#undef TL_PJRT_FN
  N_SLOTS
};

// Arguments that grew in later versions, and where the part that we need ends.
static const size_t shorter[N_SLOTS] = {
    [SLOT_Client_Create] = TL_PJRT_END_OF(PJRT_Client_Create_Args, client),
    [SLOT_Executable_GetCompiledMemoryStats] =
        TL_PJRT_END_OF(PJRT_Executable_GetCompiledMemoryStats_Args, host_temp_size_in_bytes),
};

static PJRT_Error *error_of(tl_status st) { return (PJRT_Error *)st; }

static PJRT_Error *bad_args(const char *function, const void *args, size_t size, size_t want) {
  if (args == NULL) return error_of(TL_ERROR(INVALID_ARGUMENT, "%s: no arguments", function));
  return error_of(TL_ERROR(INVALID_ARGUMENT, "%s: arguments of %zu bytes, wanted at least %zu",
                           function, size, want));
}

static bool args_reach(size_t size, size_t full, size_t slot) {
  return size >= (shorter[slot] ? shorter[slot] : full);
}

#define ENTRY_ours(function)                                                                     \
  static PJRT_Error *entry_##function(PJRT_##function##_Args *a) {                               \
    if (TL_UNLIKELY(a == NULL ||                                                                 \
                    !args_reach(a->struct_size, PJRT_SIZE(function##_Args), SLOT_##function)))   \
      return bad_args("PJRT_" #function, a, a ? a->struct_size : 0, PJRT_SIZE(function##_Args)); \
    return error_of(tlp_##function(a));                                                          \
  }
#define ENTRY_bare(function)                                                  \
  static void entry_##function(PJRT_##function##_Args *a) {                   \
    if (a && a->struct_size >= PJRT_SIZE(function##_Args)) tlp_##function(a); \
  }
#define ENTRY_none(function)                                                               \
  static PJRT_Error *entry_##function(struct PJRT_##function##_Args *a) {                  \
    (void)a;                                                                               \
    return error_of(TL_ERROR(UNIMPLEMENTED, "tlaloc does not implement PJRT_" #function)); \
  }
#define TL_PJRT_FN(function, result, plugin, client) ENTRY_##plugin(function)
#include "pjrt/functions.def"
#undef TL_PJRT_FN

static const PJRT_Api table = {
    .struct_size = PJRT_SIZE(Api),
    .pjrt_api_version = {.struct_size = PJRT_SIZE(Api_Version),
                         .major_version = PJRT_API_MAJOR,
                         .minor_version = PJRT_API_MINOR},
#define TL_PJRT_FN(function, result, plugin, client) .PJRT_##function = entry_##function,
#include "pjrt/functions.def"
#undef TL_PJRT_FN
};

const PJRT_Api *tl_plugin_api(void) { return &table; }

// ---- the plugin itself ----

tl_status tlp_Plugin_Initialize(PJRT_Plugin_Initialize_Args *a) {
  (void)a;
  return TL_OK;
}

// The frameworks send programs in the oldest of their own version and this one: 1.0.0 keeps every
// op in its first form.
static const int64_t stablehlo_current[] = {1, 0, 0}, stablehlo_minimum[] = {0, 9, 0};

#define NAMED(text) \
  .struct_size = PJRT_SIZE(NamedValue), .name = (text), .name_size = sizeof(text) - 1
static const PJRT_NamedValue plugin_attributes[] = {
    {NAMED("stablehlo_current_version"), .type = PJRT_NamedValue_kInt64List,
     .int64_array_value = stablehlo_current, .value_size = TL_COUNT(stablehlo_current)},
    {NAMED("stablehlo_minimum_version"), .type = PJRT_NamedValue_kInt64List,
     .int64_array_value = stablehlo_minimum, .value_size = TL_COUNT(stablehlo_minimum)},
    {NAMED("tlaloc_version"), .type = PJRT_NamedValue_kString, .string_value = TLALOC_VERSION,
     .value_size = sizeof(TLALOC_VERSION) - 1},
};

tl_status tlp_Plugin_Attributes(PJRT_Plugin_Attributes_Args *a) {
  a->attributes = plugin_attributes;
  a->num_attributes = TL_COUNT(plugin_attributes);
  return TL_OK;
}

// ---- errors: a status by another name ----

void tlp_Error_Destroy(PJRT_Error_Destroy_Args *a) {
  tl_status_drop((tl_status)a->error);
} // NULL comes too

void tlp_Error_Message(PJRT_Error_Message_Args *a) {
  a->message = tl_status_message((tl_status)(uintptr_t)a->error);
  a->message_size = strlen(a->message);
}

tl_status tlp_Error_GetCode(PJRT_Error_GetCode_Args *a) {
  a->code = (PJRT_Error_Code)tl_status_get_code((tl_status)(uintptr_t)a->error);
  return TL_OK;
}
