// Events. Work is done when a call returns, so the event that says so is one object for all, always
// ready, whose destruction does nothing. The only thing one can wait for is the end of a lease:
// host memory that a buffer uses in place.
#include "pjrt/plugin/internal.h"

#include <stdlib.h>

PJRT_Event tlp_ready = {.ready = true};

typedef struct tlp_callback {
  PJRT_Event_OnReadyCallback call;
  void *user;
  struct tlp_callback *next;
} tlp_callback;

PJRT_Event *tlp_lease_create(void) {
  PJRT_Event *e = calloc(1, sizeof *e);
  if (e == NULL) return NULL;
  pthread_mutex_init(&e->lock, NULL);
  pthread_cond_init(&e->fired, NULL);
  e->holds = 2;
  return e;
}

// Gives up one hold; the lock is held and goes.
static void let_go(PJRT_Event *e) {
  bool last = --e->holds == 0;
  pthread_mutex_unlock(&e->lock);
  if (!last) return;
  TL_ASSERT(e->callbacks == NULL); // the buffer went, and called them
  pthread_mutex_destroy(&e->lock);
  pthread_cond_destroy(&e->fired);
  free(e);
}

void tlp_lease_end(PJRT_Event *e) {
  while (e) {
    PJRT_Event *next = e->next;
    pthread_mutex_lock(&e->lock);
    e->ready = true;
    tlp_callback *todo = e->callbacks;
    e->callbacks = NULL;
    pthread_cond_broadcast(&e->fired);
    pthread_mutex_unlock(&e->lock);
    while (todo) { // a callback may destroy the event's handle
      tlp_callback *c = todo;
      todo = c->next;
      c->call(NULL, c->user);
      free(c);
    }
    pthread_mutex_lock(&e->lock);
    let_go(e);
    e = next;
  }
}

tl_status tlp_Event_Destroy(PJRT_Event_Destroy_Args *a) {
  if (a->event == NULL || a->event == &tlp_ready) return TL_OK;
  pthread_mutex_lock(&a->event->lock);
  let_go(a->event);
  return TL_OK;
}

tl_status tlp_Event_IsReady(PJRT_Event_IsReady_Args *a) {
  a->is_ready = true;
  if (a->event == &tlp_ready) return TL_OK;
  pthread_mutex_lock(&a->event->lock);
  a->is_ready = a->event->ready;
  pthread_mutex_unlock(&a->event->lock);
  return TL_OK;
}

tl_status tlp_Event_Error(PJRT_Event_Error_Args *a) {
  (void)a; // none of ours carries one: what can fail does so in the call
  return TL_OK;
}

tl_status tlp_Event_Await(PJRT_Event_Await_Args *a) {
  PJRT_Event *e = a->event;
  if (e == &tlp_ready) return TL_OK;
  pthread_mutex_lock(&e->lock);
  while (!e->ready)
    pthread_cond_wait(&e->fired, &e->lock);
  pthread_mutex_unlock(&e->lock);
  return TL_OK;
}

tl_status tlp_Event_OnReady(PJRT_Event_OnReady_Args *a) {
  PJRT_Event *e = a->event;
  if (e != &tlp_ready) {
    tlp_callback *c = malloc(sizeof *c);
    if (c == NULL) return TL_OOM();
    pthread_mutex_lock(&e->lock);
    if (!e->ready) {
      *c = (tlp_callback){a->callback, a->user_arg, e->callbacks};
      e->callbacks = c;
      pthread_mutex_unlock(&e->lock);
      return TL_OK;
    }
    pthread_mutex_unlock(&e->lock);
    free(c);
  }
  a->callback(NULL, a->user_arg);
  return TL_OK;
}
