// What the client's files share. Nothing outside this folder includes it.
#ifndef TL_PJRT_CLIENT_INTERNAL_H
#define TL_PJRT_CLIENT_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "pjrt/client/client.h"

#define TL_PJRT_MAX_DIMS 32

// Immutable after open, lives as long as the process.
struct tl_pjrt_plugin {
  // Our copy of the plugin's table, cut to what both sides know: slots behind the plugin's end are
  // NULL, and those that functions.def calls `must` never are.
  PJRT_Api api;
  const PJRT_Api *origin; // the plugin's own table
  char *path;             // resolved, or the name given; owned
  tl_pjrt_kind kind;
  tl_pjrt_plugin *next; // the list of open plugins
};

// A client is used by calls (tl_pjrt_enter to tl_pjrt_leave), and kept alive by its users,
// executables and buffers. The plugin's client goes when it is closed and neither calls nor buffers
// are left; the struct when nobody refers to it.
struct tl_pjrt_client {
  tl_pjrt_plugin *plugin;
  char *platform, *platform_version; // owned
  PJRT_Device **devices;             // [n_devices] owned array of the plugin's handles
  size_t n_devices;

  pthread_mutex_t lock;
  pthread_cond_t idle; // calls became 0
  // Guarded by lock.
  PJRT_Client *handle;
  size_t users, n_executables, n_buffers;
  size_t calls;
  bool closed;
  tl_pjrt_executable *executables; // list of those that still have a handle
};

struct tl_pjrt_executable {
  tl_pjrt_client *client; // counted in n_executables
  char *name;             // owned
  atomic_size_t refs;
  tl_pjrt_executable *prev, *next; // guarded by client->lock
  PJRT_LoadedExecutable
      *handle;      // NULL after the client's close; changes only while no call is in progress
  size_t n_outputs; // immutable
  tl_pjrt_shape *outputs; // [n_outputs] immutable
  int64_t *dims;          // what the shapes point into
  pthread_mutex_t lock;   // one call at a time
  size_t n_processes;     // immutable
  // Of the call in progress, guarded by lock:
  PJRT_Buffer **outs;             // [n_processes][n_outputs]
  PJRT_Buffer ***out_lists;       // [n_processes] into outs
  PJRT_Buffer *const **arg_lists; // [n_processes]
  PJRT_Event **done;              // [n_processes]
};

// The plugin's error as a status "what: message" with the plugin's code; destroys the error. NULL
// gives TL_OK.
tl_status tl_pjrt_status(const tl_pjrt_plugin *p, PJRT_Error *error, const char *what);

// Begins a call: FAILED_PRECONDITION naming `what` and the plugin when the client is closed. Every
// successful enter is followed by a leave, which also accounts for buffers made or destroyed.
tl_status tl_pjrt_enter(tl_pjrt_client *c, const char *what);
void tl_pjrt_leave(tl_pjrt_client *c, size_t buffers_made);
// A buffer or executable that kept the client alive is gone.
void tl_pjrt_client_forget(tl_pjrt_client *c, size_t buffers, size_t executables);

tl_status tl_pjrt_event_finish(const tl_pjrt_plugin *p, PJRT_Event *e,
                               const char *what); // await and destroy
void tl_pjrt_event_drop(const tl_pjrt_plugin *p, PJRT_Event *e);
void tl_pjrt_handle_drop(const tl_pjrt_plugin *p, PJRT_Buffer *b);
void tl_pjrt_executable_drop(const tl_pjrt_plugin *p, PJRT_LoadedExecutable *x);

// A call of the plugin with its argument struct, as a status.
#define TL_PJRT_CALL(p, function, args) \
  tl_pjrt_status((p), (p)->api.PJRT_##function(args), "PJRT_" #function)
// The same through a slot that may be absent.
#define TL_PJRT_CALL_IF(p, function, args)                    \
  ((p)->api.PJRT_##function ? TL_PJRT_CALL(p, function, args) \
                            : tl_pjrt_absent((p), "PJRT_" #function))
tl_status tl_pjrt_absent(const tl_pjrt_plugin *p, const char *function);

#endif
