// The table of objectives.
#include "objectives.h"

#include <string.h>

const objective objectives[] = {
#define OBJECTIVE(name, n_in, n_wrt) {#name, n_in, n_wrt, name},
#include "objectives.def"
#undef OBJECTIVE
};
const uint32_t n_objectives = sizeof objectives / sizeof *objectives;

const objective *objective_find(const char *name, size_t len) {
  for (uint32_t i = 0; i < n_objectives; i++)
    if (strlen(objectives[i].name) == len && memcmp(objectives[i].name, name, len) == 0)
      return &objectives[i];
  return NULL;
}

tl_status objective_trace(const objective *o, const char *const *types, tl_program **out_program) {
  tl_expr in[8], out = NULL;
  tl_trace *t = tl_trace_begin(o->name);
  for (uint32_t i = 0; i < o->n_in; i++)
    in[i] = tl_input(t, "%s", types[i]);
  tl_status st = o->write(t, in, &out);
  if (st == NULL) return tl_trace_end(t, &out, 1, out_program);
  tl_trace_abandon(t);
  return st;
}
