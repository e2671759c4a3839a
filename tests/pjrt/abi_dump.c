// Prints every size, offset and enumerator of the PJRT C API that src/pjrt/abi.h declares. Built
// twice, once against our declaration and once against the real header (TL_ABI_HEADER); the two
// outputs must be equal. Whatever our rows name must therefore exist in the real header, and sit at
// the same place with the same size.
#include TL_ABI_HEADER

#include <stdio.h>

#define FIELD(S, name) \
  printf("  %-40s %4zu +%zu\n", #name, offsetof(S, name), sizeof(((S *)0)->name))
#define VALUE(name) printf("%-56s %d\n", #name, (int)(name))
#define HEAD(S)                                                                 \
  (printf("%s size %zu, travels as %d\n", #S, sizeof(S), (int)S##_STRUCT_SIZE), \
   FIELD(S, struct_size), FIELD(S, extension_start))

static void structs(void) {
#define F(type, name) FIELD(S, name);
#define TL_PJRT_STRUCT(name, last, fields) \
  {                                        \
    typedef PJRT_##name S;                 \
    HEAD(PJRT_##name);                     \
    fields                                 \
  }
#define TL_PJRT_ARGS(function, last, fields) TL_PJRT_STRUCT(function##_Args, last, fields)
#include "pjrt/structs.def"
#undef TL_PJRT_ARGS
#undef TL_PJRT_STRUCT
#undef F
  HEAD(PJRT_Api_Version);
  FIELD(PJRT_Api_Version, major_version);
  FIELD(PJRT_Api_Version, minor_version);
  printf("PJRT_Extension_Base size %zu\n", sizeof(PJRT_Extension_Base));
  FIELD(PJRT_Extension_Base, type);
  FIELD(PJRT_Extension_Base, next);
  HEAD(PJRT_NamedValue);
  FIELD(PJRT_NamedValue, name);
  FIELD(PJRT_NamedValue, name_size);
  FIELD(PJRT_NamedValue, type);
  FIELD(PJRT_NamedValue, string_value);
  FIELD(PJRT_NamedValue, int64_value);
  FIELD(PJRT_NamedValue, int64_array_value);
  FIELD(PJRT_NamedValue, float_value);
  FIELD(PJRT_NamedValue, bool_value);
  FIELD(PJRT_NamedValue, value_size);
  HEAD(PJRT_Buffer_MemoryLayout);
  FIELD(PJRT_Buffer_MemoryLayout, tiled);
  FIELD(PJRT_Buffer_MemoryLayout, strides);
  FIELD(PJRT_Buffer_MemoryLayout, type);
}

static void enumerators(void) {
  VALUE(PJRT_Error_Code_OK);
#define TL_STATUS(name, number, http) VALUE(PJRT_Error_Code_##name);
#include "base/status.def"
#undef TL_STATUS
#define TL_PJRT_TYPE(name, number, size, text) VALUE(PJRT_Buffer_Type_##name);
#include "pjrt/types.def"
#undef TL_PJRT_TYPE
  VALUE(PJRT_NamedValue_kString);
  VALUE(PJRT_NamedValue_kInt64);
  VALUE(PJRT_NamedValue_kInt64List);
  VALUE(PJRT_NamedValue_kFloat);
  VALUE(PJRT_NamedValue_kBool);
  VALUE(PJRT_HostBufferSemantics_kImmutableOnlyDuringCall);
  VALUE(PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes);
  VALUE(PJRT_HostBufferSemantics_kImmutableZeroCopy);
  VALUE(PJRT_HostBufferSemantics_kMutableZeroCopy);
  VALUE(PJRT_Buffer_MemoryLayout_Type_Tiled);
  VALUE(PJRT_Buffer_MemoryLayout_Type_Strides);
}

int main(void) {
  printf("version %d.%d\n", PJRT_API_MAJOR, PJRT_API_MINOR);
  enumerators();
  structs();
  HEAD(PJRT_Api);
  FIELD(PJRT_Api, pjrt_api_version);
#define TL_PJRT_FN(function, result, plugin, client) FIELD(PJRT_Api, PJRT_##function);
#include "pjrt/functions.def"
#undef TL_PJRT_FN
  return 0;
}
