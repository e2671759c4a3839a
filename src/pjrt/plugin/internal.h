// What the plugin's files share. Nothing outside this folder includes it.
//
// Handles. PJRT_Error is a tl_status under another name: making one cannot fail, and dropping the
// static ones is harmless. PJRT_Executable and PJRT_LoadedExecutable are one counted object. A
// client has some devices (create option cpu_device_count, one by default), each with one memory;
// they are part of it. Devices share the host: a device is a pool of threads and a heap.
//
// Lives. A client counts itself, its buffers and its executables; Client_Destroy gives up the
// first, so that a framework which forgets a buffer reads memory that is still there.
//
// Locks. client->lock guards everything of buffers and memory that changes; it is held for
// microseconds and never while a program runs. An executable's lock is held over a whole execution
// and taken first. Callbacks run without any lock.
#ifndef TL_PJRT_PLUGIN_INTERNAL_H
#define TL_PJRT_PLUGIN_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/str.h"
#include "cpu/cpu.h"
#include "pjrt/abi.h"
#include "pjrt/plugin/heap.h"

// ---- events: event.c ----

// Execution and copies are done when the call returns, so nearly all events are this one. It is
// never freed.
extern PJRT_Event tlp_ready;

// The event that host memory is no longer in use. Two hold it: the framework (the handle), and the
// buffer.
PJRT_Event *tlp_lease_create(void); // NULL when memory is gone
// The buffer's part: fires the event and its callbacks, gives up the buffer's hold. A chain through
// ->next is ended whole; NULL is allowed. No lock may be held.
void tlp_lease_end(PJRT_Event *e);

struct PJRT_Event {
  pthread_mutex_t lock;
  pthread_cond_t fired;
  bool ready;                     // guarded by lock
  int holds;                      // guarded by lock
  struct tlp_callback *callbacks; // guarded by lock
  PJRT_Event *next;               // of a chain to end
};

// ---- clients: client.c ----

struct PJRT_DeviceDescription {
  PJRT_Device *device;
};
struct PJRT_Memory {
  PJRT_Device *device;
};
struct PJRT_TopologyDescription {
  PJRT_Client *client;
};

enum { TLP_MAX_DEVICES = 64 };

struct PJRT_Device { // immutable but for the heap
  PJRT_Client *client;
  int id; // its place in the client's list
  PJRT_DeviceDescription description;
  PJRT_Memory memory, *memories[1];
  PJRT_Device *self[1];
  char name[24], memory_name[32];
  char text[160];                // for people
  PJRT_NamedValue attributes[2]; // threads and isa
  tl_cpu *cpu;
  tl_heap heap; // guarded by the client's lock
};

struct PJRT_Client {
  size_t n_devices;
  PJRT_Device *items;    // [n_devices]
  PJRT_Device **devices; // and these [n_devices] point to them
  PJRT_DeviceDescription **descriptions;
  PJRT_Memory **memories;
  PJRT_TopologyDescription topology;
  char isa[128];

  pthread_mutex_t lock;
  pthread_cond_t unused; // a buffer that was in use no longer is
  // Guarded by lock.
  size_t refs; // see above
  PJRT_Buffer *free_handles;
  struct tlp_handles *handles; // what they were cut from
  uint64_t ticket;             // number of the last call that marked its arguments
};

// Ends the chain of leases, then the client when nothing refers to it any more. Unlocks the client.
void tlp_unlock(PJRT_Client *c, PJRT_Event *leases);

// ---- buffers: buffer.c, transfer.c ----

struct PJRT_Buffer {
  PJRT_Device *device; // of the client's
  PJRT_Client *client; // immutable while the handle is in use, like type, dims and size
  tl_dtype dtype;
  uint32_t rank;
  int64_t dims[TL_MAX_RANK];
  size_t size; // bytes

  // Guarded by client->lock.
  void *ptr;          // NULL: no memory (deleted, or donated)
  size_t cap;         // of a block of the heap; 0 for host memory
  PJRT_Event *lease;  // of host memory; else NULL
  bool read_only;     // host memory that must not be written: no donation in place
  bool deleted;       // the framework may not use it any more
  bool destroyed;     // the framework gave up the handle
  uint32_t uses;      // by executions and copies in progress
  uint32_t externals; // references to the memory from outside
  uint64_t mark;      // ticket of the call that saw it last
  bool mark_donated;  // and whether that call wants to donate it
  PJRT_Buffer *next_free;
};

// All under the client's lock.
PJRT_Buffer *
tlp_buffer_take(PJRT_Device *d);       // a handle without memory, counted; NULL when memory is gone
bool tlp_buffer_alloc(PJRT_Buffer *b); // memory for b->size bytes; false when there is none
// Gives back what nobody needs: the memory of a deleted buffer that is not in use, and a destroyed
// handle. Returns the lease to end after unlocking, put in front of `chain`.
PJRT_Event *tlp_buffer_settle(PJRT_Buffer *b, PJRT_Event *chain);

tl_status tlp_buffer_set_type(PJRT_Buffer *b, tl_dtype dtype, const int64_t *dims,
                              size_t n_dims); // false: overflow
// Makes the buffer ready for reading without a lock: counts a use. INVALID_ARGUMENT when it is
// deleted.
tl_status tlp_buffer_use(PJRT_Buffer *b, const char *what);
void tlp_buffer_unuse(PJRT_Buffer *b);

// Copies an array between two strided views of it (strides in bytes, any sign). transfer.c
void tlp_copy_strided(char *to, const int64_t *to_strides, const char *from,
                      const int64_t *from_strides, const int64_t *dims, size_t rank,
                      size_t element);

// ---- executables: executable.c, execute.c ----

typedef struct tlp_executable { // immutable but for refs, deleted, and what lock guards
  PJRT_Client *client;
  size_t n_replicas, n_partitions, n; // n processes: their product
  PJRT_Device **devices;              // [n] of process p = replica * n_partitions + partition
  char *assignment;                   // DeviceAssignmentProto
  size_t assignment_size;
  tl_cpu_exe *exe;   // of one process
  tl_cpu_grid *grid; // of several; then exe is the first's, which the grid owns
  atomic_size_t refs;
  atomic_bool deleted;
  char *name;   // owned
  char *source; // the program as it came; owned
  size_t source_size;
  char fingerprint[65];

  size_t n_args, n_outs;
  tl_type *args;     // [n_args] types, borrowed from the module
  int32_t *alias;    // [n_args] the output that an argument is donated to, TLP_KEPT, or TLP_GIVEN
  size_t *out_sizes; // [n_outs] bytes
  int32_t *out_arg;  // [n_outs] the argument donated to it, or -1
  tl_type *outs;     // [n_outs]
  PJRT_Buffer_Type *out_types; // [n_outs], and the flattened dims of all
  size_t *out_ranks;
  int64_t *out_dims;
  const char **out_kinds;
  size_t *out_kind_sizes;
  PJRT_NamedValue cost;

  pthread_mutex_t lock;         // one execution at a time
  const void **in_ptrs;         // [n][n_args]
  void **out_ptrs;              // [n][n_outs]
  const void *const **in_lists; // [n] into in_ptrs
  void *const **out_lists;      // [n] into out_ptrs
  PJRT_Buffer **made;           // [n][n_outs]
  bool *keep;                   // [n_args] all false between calls
} tlp_executable;

enum { TLP_KEPT = -1, TLP_GIVEN = -2 }; // stays the caller's; is consumed, but no output takes it

// ---- the functions, one per row `ours` of functions.def: arguments are there and as long as we
// read them ----

#define TLP_DECLARE_ours(function) tl_status tlp_##function(PJRT_##function##_Args *a);
#define TLP_DECLARE_bare(function) void tlp_##function(PJRT_##function##_Args *a);
#define TLP_DECLARE_none(function)
#define TL_PJRT_FN(function, result, plugin, client) TLP_DECLARE_##plugin(function)
#include "pjrt/functions.def"
#undef TL_PJRT_FN

#endif
