// Collectives of traces: a core op each.
#include <tlaloc/parallel.h>

#include "program/internal.h"

#include "ir/build_parallel.h"

// The groups as the IR has them; false, and the trace's error, where there is nobody in them.
static bool groups_of(tl_trace *t, const char *what, const tl_process_groups *groups,
                      tl_groups *out) {
  if (groups == NULL || groups->n == 0 || groups->size == 0) {
    tl_fail(t, TL_DIAG_BAD_ARGUMENT, "%s: no group of processes", what);
    return false;
  }
  *out = (tl_groups){.ids = groups->ids, .n = groups->n, .size = groups->size};
  if (groups->ids != NULL) return true;
  const uint64_t all = (uint64_t)groups->n * groups->size;
  int64_t *ids = all > TL_MAX_DEVICES ? NULL : TL_NEW(t->m->arena, int64_t, all);
  if (all > TL_MAX_DEVICES)
    tl_fail(t, TL_DIAG_BAD_ARGUMENT, "%s: %u groups of %u processes, at most %d in all", what,
            groups->n, groups->size, TL_MAX_DEVICES);
  else if (ids == NULL)
    tl_fail_oom(t);
  for (uint64_t i = 0; ids != NULL && i < all; i++)
    ids[i] = (int64_t)i;
  out->ids = ids;
  return ids != NULL;
}

static bool combiner_of(tl_trace *t, const char *call, const char *what, tl_expr x,
                        tl_opcode *out) {
  static const struct {
    const char *name;
    tl_opcode code;
    bool truth;
  } ways[] = {{"sum", TL_OP_ADD, false},     {"prod", TL_OP_MULTIPLY, false},
              {"max", TL_OP_MAXIMUM, false}, {"min", TL_OP_MINIMUM, false},
              {"all", TL_OP_AND, true},      {"any", TL_OP_OR, true}};
  for (size_t i = 0; i < TL_COUNT(ways); i++) {
    if (strcmp(what, ways[i].name) != 0) continue;
    *out = ways[i].code;
    if (ways[i].truth == (x->v->type.dtype == TL_DTYPE_I1)) return true;
    tl_fail(t, TL_DIAG_DTYPE_UNSUPPORTED, "%s: '%s' of %s", call, what, tl_type_text(x));
    return false;
  }
  tl_fail(t, TL_DIAG_BAD_ARGUMENT, "%s: '%s'; wanted sum, prod, max, min, all or any", call, what);
  return false;
}

tl_expr tl_all_reduce_at(tl_here at, tl_expr x, const char *what, const tl_process_groups *groups) {
  tl_trace *t = tl_trace_at(at, "all_reduce", &x, 1);
  tl_groups g;
  tl_opcode code;
  if (t == NULL || !groups_of(t, "all_reduce", groups, &g) ||
      !combiner_of(t, "all_reduce", what, x, &code))
    return NULL;
  return tl_made(t, tlo_all_reduce(t->b, x->v, &g, code), x->names);
}

tl_expr tl_all_gather_at(tl_here at, tl_expr x, int64_t axis, const tl_process_groups *groups) {
  tl_trace *t = tl_trace_at(at, "all_gather", &x, 1);
  tl_groups g;
  uint32_t dim;
  if (t == NULL || !tl_axis_of(t, "all_gather", x, axis, 0, &dim) ||
      !groups_of(t, "all_gather", groups, &g))
    return NULL;
  return tl_made(t, tlo_all_gather(t->b, x->v, dim, &g), x->names);
}

tl_expr tl_reduce_scatter_at(tl_here at, tl_expr x, const char *what, int64_t axis,
                             const tl_process_groups *groups) {
  tl_trace *t = tl_trace_at(at, "reduce_scatter", &x, 1);
  tl_groups g;
  tl_opcode code;
  uint32_t dim;
  if (t == NULL || !tl_axis_of(t, "reduce_scatter", x, axis, 0, &dim) ||
      !groups_of(t, "reduce_scatter", groups, &g) ||
      !combiner_of(t, "reduce_scatter", what, x, &code))
    return NULL;
  return tl_made(t, tlo_reduce_scatter(t->b, x->v, dim, &g, code), x->names);
}

tl_expr tl_all_to_all_at(tl_here at, tl_expr x, int64_t split, int64_t concat,
                         const tl_process_groups *groups) {
  tl_trace *t = tl_trace_at(at, "all_to_all", &x, 1);
  tl_groups g;
  uint32_t from, to;
  if (t == NULL || !tl_axis_of(t, "all_to_all", x, split, 0, &from) ||
      !tl_axis_of(t, "all_to_all", x, concat, 0, &to) || !groups_of(t, "all_to_all", groups, &g))
    return NULL;
  return tl_made(t, tlo_all_to_all(t->b, x->v, from, to, &g), x->names);
}

tl_expr tl_collective_broadcast_at(tl_here at, tl_expr x, const tl_process_groups *groups) {
  tl_trace *t = tl_trace_at(at, "collective_broadcast", &x, 1);
  tl_groups g;
  if (t == NULL || !groups_of(t, "collective_broadcast", groups, &g)) return NULL;
  return tl_made(t, tlo_collective_broadcast(t->b, x->v, &g), x->names);
}

tl_expr tl_collective_permute_at(tl_here at, tl_expr x, uint32_t n, const int64_t *pairs) {
  tl_trace *t = tl_trace_at(at, "collective_permute", &x, 1);
  if (t == NULL) return NULL;
  if (n % 2 != 0) {
    tl_fail(t, TL_DIAG_BAD_ARGUMENT, "collective_permute: %u numbers are not pairs", n);
    return NULL;
  }
  return tl_made(t, tlo_collective_permute(t->b, x->v, pairs, n / 2), x->names);
}

tl_expr tl_replica_id_at(tl_here at, tl_trace *t) {
  return tl_trace_ready(at, t) ? tl_made(t, tlo_replica_id(t->b), NULL) : NULL;
}
