// The PJRT client: opens any plugin, by file or as a linked table, and runs StableHLO modules on
// it.
//
// It knows no plugin by name. Everything the plugin hands over is checked before it is believed:
// the table's size and version before a pointer is read, each slot before it is called. What the
// plugin refuses comes back as a tl_status with the plugin's code and words.
//
//     tl_pjrt_plugin *plugin;                       // stays loaded for the life of the process
//     TL_TRY(tl_pjrt_open("libtlaloc_pjrt.so", &plugin));
//     TL_TRY(tl_pjrt_client_create(plugin, NULL, &client));
//     TL_TRY(tl_pjrt_compile(client, text, "step", &step));
//     TL_TRY(tl_pjrt_buffer_from_host(client, &(tl_pjrt_host){.data = x, .type =
//     PJRT_Buffer_Type_F32, .dims = d, .n_dims = 1}, &a)); TL_TRY(tl_pjrt_execute(step,
//     &(tl_pjrt_call){.args = &a, .n_args = 1, .outs = &y, .n_outs = 1}));
//     TL_TRY(tl_pjrt_buffer_to_host(client, y, out, sizeof out));
//     tl_pjrt_buffer_destroy(client, a), tl_pjrt_buffer_destroy(client, y);
//     tl_pjrt_executable_release(step), tl_pjrt_client_release(client);
//
// Threads: every function may be called from any thread. Calls of one executable are serialised. A
// close waits for the calls in progress; afterwards everything but destroy, release and close is
// FAILED_PRECONDITION by name. Lifetimes: clients and executables are counted; a buffer has one
// owner, who destroys it with its client (a donated buffer too: donation leaves an empty handle).
// An executable and a live buffer keep the client's memory alive, so the order in which they are
// given up does not matter; the plugin sees executables and buffers go first, the client last.
// tl_pjrt_execute allocates nothing itself.
#ifndef TL_PJRT_CLIENT_H
#define TL_PJRT_CLIENT_H

#include "base/str.h"
#include "pjrt/abi.h"

typedef struct tl_pjrt_plugin tl_pjrt_plugin;
typedef struct tl_pjrt_client tl_pjrt_client;
typedef struct tl_pjrt_executable tl_pjrt_executable;
// Buffers and events are the plugin's own handles: an array of them goes into a call as it is.
typedef struct PJRT_Buffer tl_pjrt_buffer;
typedef struct PJRT_Event tl_pjrt_event;

// What sort of device stands behind a plugin, for the options that it wants and the places where it
// is looked for.
typedef enum { TL_PJRT_OTHER, TL_PJRT_CUDA, TL_PJRT_TPU } tl_pjrt_kind;

// ---- plugins ----

// Loads the shared object at `path` and initialises it; the same path again gives the same plugin.
// Never unloaded: unloading runtimes that started threads crashes at exit. Refusals name the file:
// no such file, not a shared object, no GetPjrtApi, a major version other than 0, a table too short
// (naming the first function it lacks).
tl_status tl_pjrt_open(const char *path, tl_pjrt_plugin **out_plugin);
// The same over a table linked into this program. `name` stands for the path in messages; copied.
tl_status tl_pjrt_open_api(const PJRT_Api *api, const char *name, tl_pjrt_plugin **out_plugin);

const char *
tl_pjrt_plugin_path(const tl_pjrt_plugin *p); // or the name given; lives as long as the process
void tl_pjrt_plugin_version(const tl_pjrt_plugin *p, int *out_major, int *out_minor);
tl_pjrt_kind tl_pjrt_plugin_kind(
    const tl_pjrt_plugin *p); // by the file's name: "cuda" or "gpu", "tpu", or other
// Appends "name = value" lines of the plugin's attributes.
tl_status tl_pjrt_plugin_attributes(const tl_pjrt_plugin *p, tl_buf *out_text);

// ---- finding one ----

// Looks for a plugin of the kind: $TLALOC_PJRT_PLUGIN_PATH when that file exists (for a TPU only
// when its name has "tpu" in it); then, for CUDA, every
// lib|lib64/python3.*/site-packages|dist-packages/jax_plugins/*cuda*/*.so under $VIRTUAL_ENV,
// ~/.local/venvs/*, ~/.venv, ~/venv, ~/.local, /usr/local and /usr; for a TPU libtpu/libtpu.so in
// the site-packages of $VIRTUAL_ENV and ~/.local, /lib/libtpu.so, /usr/lib/libtpu.so. Listings are
// sorted. out_path gets the first file found, allocated in `a`, or NULL; `report` (may be NULL)
// gets every place that was looked at, as lines. Only memory can fail here.
tl_status tl_pjrt_discover(tl_pjrt_kind kind, tl_arena *a, tl_buf *report, const char **out_path);

// ---- clients ----

typedef struct tl_pjrt_option { // one named create option
  const char *name;             // terminated, borrowed
  PJRT_NamedValue_Type type;    // kString, kInt64, kFloat or kBool
  union {
    const char *string; // terminated, borrowed
    int64_t int64;
    float f32;
    bool boolean;
  };
} tl_pjrt_option;

typedef struct tl_pjrt_options {
  tl_pjrt_kind kind; // of the device asked for; TL_PJRT_OTHER = as the plugin's name says
  const tl_pjrt_option *items;
  size_t n_items;
} tl_pjrt_options;

// The create options that the environment asks for: for CUDA memory_fraction
// (TLALOC_PJRT_MEMORY_FRACTION, 0.5 when not set) and preallocate (TLALOC_PJRT_PREALLOCATE, false),
// and node_id and num_nodes when TLALOC_PJRT_NUM_NODES is over 1; for everything else none. A
// malformed value is INVALID_ARGUMENT and names the variable and the value, whatever the kind.
// Items lie in `a`.
tl_status tl_pjrt_options_of_env(tl_pjrt_kind kind, tl_arena *a, tl_pjrt_options *out_options);

// `options` may be NULL: those of the environment for the plugin's kind. Refused by name: a CUDA
// plugin without any option (it would take the whole device), GPU options for anything else, more
// nodes than one.
tl_status tl_pjrt_client_create(tl_pjrt_plugin *p, const tl_pjrt_options *options,
                                tl_pjrt_client **out_client);
tl_pjrt_client *tl_pjrt_client_retain(tl_pjrt_client *c);
void tl_pjrt_client_release(tl_pjrt_client *c); // the last one closes; NULL is allowed
// Waits for calls in progress, destroys the executables, and the plugin's client as soon as no
// buffer is left. A second close does nothing.
void tl_pjrt_client_close(tl_pjrt_client *c);

tl_pjrt_plugin *tl_pjrt_client_plugin(const tl_pjrt_client *c);
const char *
tl_pjrt_client_platform(const tl_pjrt_client *c); // "tlaloc", "cpu", "cuda"; as long as the client
const char *tl_pjrt_client_platform_version(const tl_pjrt_client *c); // as long as the client

typedef struct tl_pjrt_device_info {
  int id;
  tl_str kind, text; // as the plugin spells them; as long as the client is open
} tl_pjrt_device_info;
size_t tl_pjrt_client_n_devices(const tl_pjrt_client *c); // addressable ones, at least 1
tl_status tl_pjrt_client_device(tl_pjrt_client *c, size_t index, tl_pjrt_device_info *out_info);
// Bytes of a device's memory, -1 for what its plugin does not tell.
typedef struct tl_pjrt_memory {
  int64_t in_use, peak; // of buffers
  int64_t reserved;     // of what else the device holds: programs
  int64_t pool;         // of buffers, with what is kept for reuse
  int64_t limit;
} tl_pjrt_memory;
// UNIMPLEMENTED where the plugin counts nothing.
tl_status tl_pjrt_client_memory(tl_pjrt_client *c, size_t index, tl_pjrt_memory *out_memory);

// ---- executables ----

typedef struct tl_pjrt_shape {
  PJRT_Buffer_Type type;
  size_t n_dims;
  const int64_t *dims; // [n_dims]
} tl_pjrt_shape;

// Compiles StableHLO text (or an MLIR bytecode artifact) for one replica on the first device.
// `name` is for messages; copied. What the plugin says about the text comes back under its own
// code.
tl_status tl_pjrt_compile(tl_pjrt_client *c, tl_str text, const char *name,
                          tl_pjrt_executable **out_executable);
// The same for n_replicas * n_partitions processes on the client's first devices.
tl_status tl_pjrt_compile_grid(tl_pjrt_client *c, tl_str text, const char *name, size_t n_replicas,
                               size_t n_partitions, tl_pjrt_executable **out_executable);
tl_pjrt_executable *tl_pjrt_executable_retain(tl_pjrt_executable *x);
void tl_pjrt_executable_release(tl_pjrt_executable *x); // NULL is allowed
size_t tl_pjrt_executable_n_outputs(const tl_pjrt_executable *x);
const tl_pjrt_shape *tl_pjrt_executable_output(const tl_pjrt_executable *x,
                                               size_t i); // as long as x

typedef struct tl_pjrt_call {
  tl_pjrt_buffer *const *args; // [n_args]
  size_t n_args;
  tl_pjrt_buffer *
      *outs;     // [n_outs], written on success only: each a new buffer that the caller owns
  size_t n_outs; // must be the executable's
  const int64_t
      *keep; // [n_keep] indices of arguments that must not be donated, whatever the module says
  size_t n_keep;
  tl_pjrt_event **done; // NULL: wait for the device. Else gets the event of its completion, to
                        // await and destroy
} tl_pjrt_call;

// Runs. When the plugin refuses the call nothing was donated; when the device fails afterwards (or
// the awaited event has an error) donated arguments are gone and the outputs with them, and the
// status is marked "after donation". Whatever happens each argument handle still belongs to the
// caller, who destroys it.
tl_status tl_pjrt_execute(tl_pjrt_executable *x, const tl_pjrt_call *call);

// The same for every process of a grid, whose arguments lie on its device: calls [n_calls], one a
// process. They keep the same arguments, and wait (`done` is NULL).
tl_status tl_pjrt_execute_all(tl_pjrt_executable *x, const tl_pjrt_call *calls, size_t n_calls);

// Waits, destroys the event, and returns its error. NULL is allowed and OK.
tl_status tl_pjrt_event_await(tl_pjrt_client *c, tl_pjrt_event *e);
// Without waiting; the event stays.
tl_status tl_pjrt_event_is_ready(tl_pjrt_client *c, tl_pjrt_event *e, bool *out_ready);

// ---- buffers ----

typedef struct tl_pjrt_host { // a host array to put on the device
  const void *data;
  PJRT_Buffer_Type type;
  const int64_t *dims; // [n_dims]
  size_t n_dims;
  const int64_t *byte_strides; // [n_dims] or NULL: dense, last dimension innermost
  // Without `zero_copy` the data is copied before the call returns. With it the device may use the
  // host's memory as long as the buffer lives (it does when the memory is aligned to 64 bytes and a
  // host device stands behind it): it must not change, and `release`, if given, is called once when
  // the device needs it no longer, from any thread, also when this call fails. It must not close
  // the client.
  bool zero_copy;
  void (*release)(void *arg);
  void *release_arg;
  size_t device; // which of the client's; 0 is the first
} tl_pjrt_host;

tl_status tl_pjrt_buffer_from_host(tl_pjrt_client *c, const tl_pjrt_host *host,
                                   tl_pjrt_buffer **out_buffer);
// Copies the whole buffer, dense, last dimension innermost; `size` must be exactly its size. Waits.
tl_status tl_pjrt_buffer_to_host(tl_pjrt_client *c, tl_pjrt_buffer *b, void *dst, size_t size);
void tl_pjrt_buffer_destroy(tl_pjrt_client *c,
                            tl_pjrt_buffer *b); // NULL is allowed; also after close
tl_status tl_pjrt_buffer_shape(tl_pjrt_client *c, tl_pjrt_buffer *b,
                               tl_pjrt_shape *out_shape); // dims: as long as b
tl_status tl_pjrt_buffer_is_deleted(tl_pjrt_client *c, tl_pjrt_buffer *b,
                                    bool *out_deleted); // donated, or deleted
// The device's address of the bytes; says whether two buffers are one memory.
tl_status tl_pjrt_buffer_address(tl_pjrt_client *c, tl_pjrt_buffer *b, uintptr_t *out_address);
// The bytes themselves, on a device that shares the host's memory (UNIMPLEMENTED elsewhere): waits
// until they are ready, then pins them. Between map and unmap the buffer must not be donated or
// destroyed.
tl_status tl_pjrt_buffer_map(tl_pjrt_client *c, tl_pjrt_buffer *b, const void **out_data);
void tl_pjrt_buffer_unmap(tl_pjrt_client *c, tl_pjrt_buffer *b);

// ---- element types ----

size_t tl_pjrt_type_size(
    PJRT_Buffer_Type t); // bytes an element takes on the host; 0 for one we do not know
const char *tl_pjrt_type_name(
    PJRT_Buffer_Type t); // "f32", "bf16", "i8", "ui8", "i1"; "?" for one we do not know

#endif
