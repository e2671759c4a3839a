// The PJRT C API, version 0.81, in our own declaration: a program and a plugin that were built
// apart meet in these layouts, so that names, order and sizes are facts and not ours to choose.
// `ctest -R pjrt/abi` compares every one of them with the real header where that is installed.
//
// What matters when reading: a plugin is one function, GetPjrtApi, that returns a table of
// functions. Every function takes one struct of arguments and results, whose struct_size says how
// much of it the caller knows; a newer side must not touch what lies behind. Errors are objects of
// the plugin (NULL: none), and so are events, buffers and all other handles; the structs of the
// handles are private to the plugin.
//
// Declared here: the whole table (functions.def), and the structs of the functions that our client
// calls or our plugin implements (structs.def). Others stay incomplete types.
#ifndef TL_PJRT_ABI_H
#define TL_PJRT_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PJRT_API_MAJOR 0
#define PJRT_API_MINOR 81

// The size to put into struct_size, for a type's name without its PJRT_:
// PJRT_SIZE(Client_Create_Args).
#define PJRT_SIZE(type) ((size_t)PJRT_##type##_STRUCT_SIZE)
#define TL_PJRT_END_OF(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

// ---- handles ----

typedef struct PJRT_Error PJRT_Error;
typedef struct PJRT_Event PJRT_Event;
typedef struct PJRT_Client PJRT_Client;
typedef struct PJRT_Device PJRT_Device;
typedef struct PJRT_Memory PJRT_Memory;
typedef struct PJRT_DeviceDescription PJRT_DeviceDescription;
typedef struct PJRT_TopologyDescription PJRT_TopologyDescription;
typedef struct PJRT_Executable PJRT_Executable;
typedef struct PJRT_LoadedExecutable PJRT_LoadedExecutable;
typedef struct PJRT_Buffer PJRT_Buffer;
typedef struct PJRT_ExecuteContext PJRT_ExecuteContext;
typedef struct PJRT_DeviceAssignmentSerialized PJRT_DeviceAssignmentSerialized;
typedef struct PJRT_SendCallbackInfo PJRT_SendCallbackInfo;
typedef struct PJRT_RecvCallbackInfo PJRT_RecvCallbackInfo;

// ---- enumerations ----

typedef enum {
  PJRT_Error_Code_OK = 0,
#define TL_STATUS(name, number, http) PJRT_Error_Code_##name = number,
#include "base/status.def"
#undef TL_STATUS
} PJRT_Error_Code;

typedef enum {
#define TL_PJRT_TYPE(name, number, size, text) PJRT_Buffer_Type_##name = number,
#include "pjrt/types.def"
#undef TL_PJRT_TYPE
} PJRT_Buffer_Type;

typedef enum {
  PJRT_NamedValue_kString = 0,
  PJRT_NamedValue_kInt64 = 1,
  PJRT_NamedValue_kInt64List = 2,
  PJRT_NamedValue_kFloat = 3,
  PJRT_NamedValue_kBool = 4,
} PJRT_NamedValue_Type;

// What the plugin may assume about host memory that a buffer is made from: that it holds still
// during the call; until the done event; as long as the buffer lives, which may then use it in
// place; and the same when the buffer may even be written through (donated).
typedef enum {
  PJRT_HostBufferSemantics_kImmutableOnlyDuringCall = 0,
  PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes = 1,
  PJRT_HostBufferSemantics_kImmutableZeroCopy = 2,
  PJRT_HostBufferSemantics_kMutableZeroCopy = 3,
} PJRT_HostBufferSemantics;

typedef enum {
  PJRT_Buffer_MemoryLayout_Type_Tiled = 0,
  PJRT_Buffer_MemoryLayout_Type_Strides = 1,
} PJRT_Buffer_MemoryLayout_Type;

// ---- structs ----

typedef struct PJRT_Extension_Base PJRT_Extension_Base;
struct PJRT_Extension_Base { // a chain of optional tables behind the main one; we ask for none
  size_t struct_size;
  int type;
  PJRT_Extension_Base *next;
};

typedef struct PJRT_Api_Version {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  int major_version, minor_version;
} PJRT_Api_Version;
enum { PJRT_Api_Version_STRUCT_SIZE = TL_PJRT_END_OF(PJRT_Api_Version, minor_version) };

typedef struct PJRT_NamedValue {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  const char *name; // [name_size]
  size_t name_size;
  PJRT_NamedValue_Type type;
  union {
    const char *string_value; // [value_size]
    int64_t int64_value;
    const int64_t *int64_array_value; // [value_size]
    float float_value;
    bool bool_value;
  };
  size_t value_size; // 1 for a scalar
} PJRT_NamedValue;
enum { PJRT_NamedValue_STRUCT_SIZE = TL_PJRT_END_OF(PJRT_NamedValue, value_size) };

typedef PJRT_Error *(*PJRT_CallbackError)(PJRT_Error_Code code, const char *message,
                                          size_t message_size);
typedef void (*PJRT_Event_OnReadyCallback)(PJRT_Error *error,
                                           void *user_arg); // the callee destroys the error
typedef void (*PJRT_DeviceAssignmentDeleter)(PJRT_DeviceAssignmentSerialized *assignment);
// The key-value store of several processes; we are one.
struct PJRT_KeyValueGetCallback_Args;
struct PJRT_KeyValueTryGetCallback_Args;
struct PJRT_KeyValuePutCallback_Args;
typedef PJRT_Error *(*PJRT_KeyValueGetCallback)(struct PJRT_KeyValueGetCallback_Args *args);
typedef PJRT_Error *(*PJRT_KeyValueTryGetCallback)(struct PJRT_KeyValueTryGetCallback_Args *args);
typedef PJRT_Error *(*PJRT_KeyValuePutCallback)(struct PJRT_KeyValuePutCallback_Args *args);

#define F(type, name) type name;
#define TL_PJRT_ARGS(function, last, fields)
#define TL_PJRT_STRUCT(name, last, fields) \
  typedef struct PJRT_##name {             \
    size_t struct_size;                    \
    PJRT_Extension_Base *extension_start;  \
    fields                                 \
  } PJRT_##name;                           \
  enum { PJRT_##name##_STRUCT_SIZE = TL_PJRT_END_OF(PJRT_##name, last) };
#include "pjrt/structs.def"
#undef TL_PJRT_STRUCT
#undef TL_PJRT_ARGS

typedef struct PJRT_Buffer_MemoryLayout {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  union {
    PJRT_Buffer_MemoryLayout_Tiled tiled;
    PJRT_Buffer_MemoryLayout_Strides strides;
  };
  PJRT_Buffer_MemoryLayout_Type type;
} PJRT_Buffer_MemoryLayout;
enum { PJRT_Buffer_MemoryLayout_STRUCT_SIZE = TL_PJRT_END_OF(PJRT_Buffer_MemoryLayout, type) };

#define TL_PJRT_STRUCT(name, last, fields)
#define TL_PJRT_ARGS(function, last, fields) \
  typedef struct PJRT_##function##_Args {    \
    size_t struct_size;                      \
    PJRT_Extension_Base *extension_start;    \
    fields                                   \
  } PJRT_##function##_Args;                  \
  enum { PJRT_##function##_Args_STRUCT_SIZE = TL_PJRT_END_OF(PJRT_##function##_Args, last) };
#include "pjrt/structs.def"
#undef TL_PJRT_ARGS
#undef TL_PJRT_STRUCT
#undef F

// ---- the table ----

#define TL_PJRT_FN(function, result, plugin, client) struct PJRT_##function##_Args;
#include "pjrt/functions.def"
#undef TL_PJRT_FN

typedef struct PJRT_Api {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Api_Version pjrt_api_version;
#define TL_PJRT_FN(function, result, plugin, client) \
  result (*PJRT_##function)(struct PJRT_##function##_Args *);
#include "pjrt/functions.def"
#undef TL_PJRT_FN
} PJRT_Api;
enum { PJRT_Api_STRUCT_SIZE = TL_PJRT_END_OF(PJRT_Api, PJRT_LoadedExecutable_GetDeviceAssignment) };

#endif
