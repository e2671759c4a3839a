// The call. A step of a served model gives 360 buffers, donates 60, and must not be half done when
// it fails:
//
//     1  check everything: the program, the count, every argument's type, life and place, and that
//     nothing which is
//        donated appears twice. Nothing has changed so far.
//     2  take what the outputs need: handles, and memory where no argument gives it. Out of memory
//     still changes nothing. 3  consume the donations: an output takes over its argument's memory,
//     so that the address stays. From here on the
//        call succeeds (but for an interpreted op that runs out of memory inside the program, which
//        costs the donated arguments, and says so).
//     4  run, without the client's lock. The arguments are marked as in use, which keeps their
//     memory whatever other
//        threads do to the handles.
//     5  give back.
//
// A donation in place needs memory that is ours to write: host memory that was promised not to
// change, and memory that somebody outside still refers to, are copied instead; the argument is
// consumed all the same. Finding an argument twice costs no search: each buffer remembers the
// number of the last call that saw it (client->lock is held).
//
// Of several processes all are checked before any is run; they run together (cpu/grid.c), and fail
// together.
//
// Once warm nothing here touches the heap: handles and blocks come from the client's lists, the
// arrays were made with the executable.
#include "pjrt/plugin/internal.h"

typedef struct call {
  tlp_executable *x;
  PJRT_Buffer *const *const *lists; // [x->n] of [x->n_args]
  PJRT_Device *const *devices;      // [x->n] where each process' outputs lie
} call;

// ---- 1: checks ----

static tl_status check_args(const PJRT_LoadedExecutable_Execute_Args *a, const tlp_executable *x) {
  if (atomic_load(&x->deleted))
    return TL_ERROR(INVALID_ARGUMENT, "%s: the executable has been deleted", x->name);
  if (a->num_devices != x->n && x->n == 1)
    return TL_ERROR(INVALID_ARGUMENT, "%s: %zu lists of arguments, wanted one: it is one process",
                    x->name, a->num_devices);
  if (a->num_devices != x->n)
    return TL_ERROR(INVALID_ARGUMENT, "%s: %zu lists of arguments, wanted %zu: a list a device",
                    x->name, a->num_devices, x->n);
  if (a->execute_device && a->execute_device->client != x->client)
    return TL_ERROR(INVALID_ARGUMENT, "%s: the device belongs to another client", x->name);
  if (a->num_args != x->n_args)
    return TL_ERROR(INVALID_ARGUMENT, "%s: %zu arguments given, the program wants %zu", x->name,
                    a->num_args, x->n_args);
  if ((x->n_args && !a->argument_lists) || (x->n_outs && !a->output_lists))
    return TL_ERROR(INVALID_ARGUMENT, "%s: no list of arguments or of outputs", x->name);
  for (size_t p = 0; p < x->n; p++)
    if ((x->n_args && !a->argument_lists[p]) || (x->n_outs && !a->output_lists[p]))
      return TL_ERROR(INVALID_ARGUMENT, "%s: no list of arguments or of outputs", x->name);
  const PJRT_ExecuteOptions *o = a->options;
  if (o && (o->num_send_ops || o->num_recv_ops))
    return TL_ERROR(UNIMPLEMENTED, "%s: send and receive callbacks are not supported", x->name);
  return TL_OK;
}

// Marks the arguments that must stay; unmark undoes it.
static tl_status mark_kept(tlp_executable *x, const PJRT_ExecuteOptions *o) {
  for (size_t i = 0; o && i < o->num_non_donatable_input_indices; i++) {
    int64_t index = o->non_donatable_input_indices[i];
    if (index < 0 || (size_t)index >= x->n_args)
      return TL_ERROR(INVALID_ARGUMENT, "%s: argument %lld is not to be donated, of %zu", x->name,
                      (long long)index, x->n_args);
    x->keep[index] = true;
  }
  return TL_OK;
}

static void unmark_kept(tlp_executable *x, const PJRT_ExecuteOptions *o) {
  for (size_t i = 0; o && i < o->num_non_donatable_input_indices; i++) {
    int64_t index = o->non_donatable_input_indices[i];
    if (index >= 0 && (size_t)index < x->n_args) x->keep[index] = false;
  }
}

static bool donated(const tlp_executable *x, size_t i) {
  return x->alias[i] != TLP_KEPT && !x->keep[i];
}

static tl_status wrong_type(const tlp_executable *x, size_t i, const PJRT_Buffer *b) {
  tl_buf want = {0}, got = {0};
  tl_type_print(&want, x->args[i]);
  tl_type_print(&got, (tl_type){b->dtype, b->rank, b->dims});
  tl_status st = TL_ERROR(INVALID_ARGUMENT, "%s: argument %zu is %s, the program wants %s", x->name,
                          i, got.ptr ? got.ptr : "?", want.ptr ? want.ptr : "?");
  tl_buf_deinit(&want);
  tl_buf_deinit(&got);
  return st;
}

// Under the client's lock. *out_busy: a donated argument is in use by a call on another thread, so
// wait and ask again.
static tl_status check_buffers(const call *k, bool *out_busy) {
  tlp_executable *x = k->x;
  PJRT_Client *c = x->client;
  uint64_t ticket = ++c->ticket;
  *out_busy = false;
  for (size_t at = 0; at < x->n * x->n_args; at++) {
    const size_t p = at / x->n_args, i = at % x->n_args;
    PJRT_Buffer *b = k->lists[p][i];
    if (TL_UNLIKELY(b == NULL))
      return TL_ERROR(INVALID_ARGUMENT, "%s: argument %zu is no buffer", x->name, i);
    if (TL_UNLIKELY(b->client != c))
      return TL_ERROR(INVALID_ARGUMENT, "%s: argument %zu belongs to another client", x->name, i);
    if (TL_UNLIKELY(x->n > 1 && b->device != k->devices[p]))
      return TL_ERROR(INVALID_ARGUMENT, "%s: argument %zu of process %zu lies on %s, wanted %s",
                      x->name, i, p, b->device->name, k->devices[p]->name);
    if (TL_UNLIKELY(b->deleted))
      return TL_ERROR(INVALID_ARGUMENT, "%s: argument %zu has been deleted or donated", x->name, i);
    tl_type t = x->args[i];
    if (TL_UNLIKELY(b->dtype != t.dtype || b->rank != t.rank ||
                    (t.rank && memcmp(b->dims, t.dims, t.rank * sizeof *t.dims) != 0)))
      return wrong_type(x, i, b);
    bool gives = donated(x, i);
    if (b->mark == ticket && (gives || b->mark_donated))
      return TL_ERROR(INVALID_ARGUMENT,
                      "%s: argument %zu is a buffer that is given twice and donated once", x->name,
                      i);
    b->mark = ticket;
    b->mark_donated = gives;
    *out_busy |= gives && b->uses;
  }
  return TL_OK;
}

// ---- 2 and 3: outputs and donations ----

// The argument whose memory output o takes over, or NULL when it needs memory of its own.
static PJRT_Buffer *giver(const call *k, size_t p, size_t o) {
  int32_t i = k->x->out_arg[o];
  if (i < 0 || !donated(k->x, (size_t)i)) return NULL;
  PJRT_Buffer *b = k->lists[p][i];
  return b->read_only || b->externals || b->device != k->devices[p] ? NULL : b;
}

static PJRT_Event *drop_made(const call *k, size_t n, PJRT_Event *chain) {
  for (size_t o = 0; o < n; o++) {
    PJRT_Buffer *b = k->x->made[o];
    b->deleted = b->destroyed = true;
    chain = tlp_buffer_settle(b, chain);
  }
  return chain;
}

static tl_status make_outputs(const call *k) {
  tlp_executable *x = k->x;
  for (size_t at = 0; at < x->n * x->n_outs; at++) {
    const size_t p = at / x->n_outs, o = at % x->n_outs;
    PJRT_Buffer *b = x->made[at] = tlp_buffer_take(k->devices[p]);
    if (b) {
      b->dtype = x->outs[o].dtype;
      b->rank = x->outs[o].rank;
      if (b->rank) memcpy(b->dims, x->outs[o].dims, b->rank * sizeof *b->dims);
      b->size = x->out_sizes[o];
    }
    if (TL_UNLIKELY(b == NULL || (!giver(k, p, o) && !tlp_buffer_alloc(b)))) {
      drop_made(k, at + (b != NULL), NULL); // nothing of it is host memory
      return TL_ERROR(RESOURCE_EXHAUSTED, "%s: out of memory for output %zu (%zu bytes)", x->name,
                      o, x->out_sizes[o]);
    }
  }
  return TL_OK;
}

static void consume(const call *k) {
  tlp_executable *x = k->x;
  for (size_t at = 0; at < x->n * x->n_args; at++) {
    PJRT_Buffer *b = k->lists[at / x->n_args][at % x->n_args];
    b->uses++;
    x->in_ptrs[at] = b->ptr;
  }
  for (size_t at = 0; at < x->n * x->n_outs; at++) {
    PJRT_Buffer *from = giver(k, at / x->n_outs, at % x->n_outs), *to = x->made[at];
    if (from) {
      to->ptr = from->ptr;
      to->cap = from->cap;
      to->lease = from->lease;
      from->ptr = NULL;
      from->cap = 0;
      from->lease = NULL;
    }
    x->out_ptrs[at] = to->ptr;
  }
  for (size_t at = 0; at < x->n * x->n_args; at++)
    if (donated(x, at % x->n_args)) k->lists[at / x->n_args][at % x->n_args]->deleted = true;
}

static PJRT_Event *give_back(const call *k) {
  PJRT_Event *leases = NULL;
  const size_t n_args = k->x->n_args;
  for (size_t at = 0; at < k->x->n * n_args; at++) {
    PJRT_Buffer *b = k->lists[at / n_args][at % n_args];
    b->uses--;
    leases = tlp_buffer_settle(b, leases);
  }
  return leases;
}

// ---- the whole ----

static tl_status execute(const call *k) {
  tlp_executable *x = k->x;
  PJRT_Client *c = x->client;
  bool busy;
  pthread_mutex_lock(&c->lock);
  tl_status st = check_buffers(k, &busy);
  while (st == TL_OK && busy) {
    pthread_cond_wait(&c->unused, &c->lock);
    st = check_buffers(k, &busy);
  }
  if (st == TL_OK) st = make_outputs(k);
  if (st == TL_OK) consume(k);
  pthread_mutex_unlock(&c->lock);
  if (st != TL_OK) return st;

  st = x->grid ? tl_cpu_grid_execute(x->grid, x->in_lists, x->out_lists)
               : tl_cpu_execute(x->exe, x->in_ptrs, x->out_ptrs);

  pthread_mutex_lock(&c->lock);
  PJRT_Event *leases = give_back(k);
  if (TL_UNLIKELY(st != TL_OK)) leases = drop_made(k, x->n * x->n_outs, leases);
  pthread_cond_broadcast(&c->unused);
  tlp_unlock(c, leases);
  return st == TL_OK
             ? TL_OK
             : tl_status_note(st, "%s: failed while running; donated arguments are lost", x->name);
}

tl_status tlp_LoadedExecutable_Execute(PJRT_LoadedExecutable_Execute_Args *a) {
  tlp_executable *x = (tlp_executable *)a->executable;
  TL_TRY(check_args(a, x));
  // A program of one process may run anywhere.
  PJRT_Device *const anywhere[1] = {a->execute_device ? a->execute_device : x->devices[0]};
  call k = {x, a->argument_lists, x->n == 1 ? anywhere : x->devices};
  pthread_mutex_lock(&x->lock);
  tl_status st = mark_kept(x, a->options);
  if (st == TL_OK) st = execute(&k);
  for (size_t p = 0; st == TL_OK && p < x->n; p++) {
    for (size_t o = 0; o < x->n_outs; o++)
      a->output_lists[p][o] = x->made[p * x->n_outs + o];
    if (a->device_complete_events) a->device_complete_events[p] = &tlp_ready;
  }
  unmark_kept(x, a->options);
  pthread_mutex_unlock(&x->lock);
  return st;
}
