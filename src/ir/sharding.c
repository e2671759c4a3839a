// Meshes, shardings and groups: look-up, sizes, places, equality and copies.
//
// A device's number along an axis comes from its place in the mesh by division; along a part of an
// axis (pre, size) by one more: of x = pre * size * rest, x / rest % size.
#include "ir/sharding.h"

#include <string.h>

#include "ir/ir.h"

const tl_mesh *tl_mesh_find(const tl_module *m, tl_str name) {
  for (const tl_mesh *mesh = m->meshes; mesh != NULL; mesh = mesh->next)
    if (tl_str_eq(mesh->name, name)) return mesh;
  return NULL;
}

int64_t tl_mesh_size(const tl_mesh *mesh) {
  int64_t n = 1;
  for (uint32_t i = 0; i < mesh->n_axes; i++) {
    if (mesh->axes[i].size < 1 || mesh->axes[i].size > TL_MAX_DEVICES) return 0;
    n *= mesh->axes[i].size;
    if (n > TL_MAX_DEVICES) return 0;
  }
  return n;
}

static const tl_axis *axis_of(const tl_mesh *mesh, tl_str name, int64_t *out_inner) {
  *out_inner = 1;
  const tl_axis *found = NULL;
  for (uint32_t i = mesh->n_axes; i-- > 0;) {
    if (tl_str_eq(mesh->axes[i].name, name)) {
      found = &mesh->axes[i];
      break;
    }
    *out_inner *= mesh->axes[i].size;
  }
  return found;
}

int64_t tl_axis_ref_size(const tl_mesh *mesh, const tl_axis_ref *ref) {
  int64_t inner;
  const tl_axis *axis = axis_of(mesh, ref->name, &inner);
  if (axis == NULL) return 0;
  if (ref->size == 0) return axis->size;
  bool fits = ref->pre >= 1 && ref->pre <= axis->size && ref->size >= 1 &&
              ref->size <= axis->size && axis->size % (ref->pre * ref->size) == 0;
  return fits ? ref->size : 0;
}

bool tl_names_has(const tl_names *names, tl_str name) {
  for (uint32_t i = 0; i < names->len; i++)
    if (tl_str_eq(names->ptr[i], name)) return true;
  return false;
}

int64_t tl_axis_refs_size(const tl_mesh *mesh, tl_axis_refs refs, const tl_names *only) {
  int64_t n = 1;
  for (uint32_t i = 0; i < refs.len; i++) {
    int64_t size = tl_axis_ref_size(mesh, &refs.ptr[i]);
    if (only != NULL && size != 0 && !tl_names_has(only, refs.ptr[i].name)) continue;
    n *= size;
    if (n == 0 || n > TL_MAX_DEVICES) return 0;
  }
  return n;
}

int64_t tl_axis_refs_index(const tl_mesh *mesh, tl_axis_refs refs, const tl_names *only,
                           int64_t place) {
  int64_t index = 0;
  for (uint32_t i = 0; i < refs.len; i++) {
    const tl_axis_ref *ref = &refs.ptr[i];
    int64_t inner;
    const tl_axis *axis = axis_of(mesh, ref->name, &inner);
    if (axis == NULL || (only != NULL && !tl_names_has(only, ref->name))) continue;
    int64_t size = ref->size == 0 ? axis->size : ref->size;
    int64_t rest = ref->size == 0 ? 1 : axis->size / (ref->pre * ref->size);
    index = index * size + place / inner % axis->size / rest % size;
  }
  return index;
}

// A group holds the devices that agree in all but `axes`, in the order that axes counts; groups
// come in the order of their first devices' places.
const tl_groups *tl_groups_resolve(const tl_module *m, const tl_groups *groups, tl_arena *arena) {
  const tl_mesh *mesh = groups->here;
  if (mesh == NULL) {
    if (groups->mesh.len == 0) return groups;
    mesh = m == NULL ? NULL : tl_mesh_find(m, groups->mesh);
  }
  if (mesh == NULL) return NULL;
  const int64_t n_devices = tl_mesh_size(mesh), size = tl_axis_refs_size(mesh, groups->axes, NULL);
  if (n_devices == 0 || size == 0 || n_devices % size != 0 ||
      (mesh->n_ids != 0 && mesh->n_ids != n_devices))
    return NULL;
  tl_groups *out = TL_NEW(arena, tl_groups, 1);
  int64_t *ids = TL_NEW(arena, int64_t, (size_t)n_devices), *group_of, *key_of;
  group_of = TL_NEW(arena, int64_t, (size_t)n_devices);
  key_of = TL_NEW(arena, int64_t, (size_t)n_devices);
  if (out == NULL || ids == NULL || group_of == NULL || key_of == NULL) return NULL;
  int64_t n = 0;
  for (int64_t place = 0; place < n_devices; place++) {
    // The place with its numbers along `axes` taken out tells the group.
    int64_t key = place;
    for (uint32_t i = 0; i < groups->axes.len; i++) {
      const tl_axis_ref *ref = &groups->axes.ptr[i];
      int64_t inner;
      const tl_axis *axis = axis_of(mesh, ref->name, &inner);
      int64_t part = ref->size == 0 ? axis->size : ref->size;
      int64_t rest = ref->size == 0 ? 1 : axis->size / (ref->pre * ref->size);
      key -= key / (inner * rest) % part * inner * rest;
    }
    int64_t g = 0;
    while (g < n && key_of[g] != key)
      g++;
    if (g == n) {
      if (n == n_devices / size) return NULL; // an axis is named twice
      key_of[n++] = key;
    }
    ids[g * size + tl_axis_refs_index(mesh, groups->axes, NULL, place)] =
        tl_mesh_device(mesh, place);
  }
  if (n * size != n_devices) return NULL;
  *out = (tl_groups){.ids = ids, .n = (uint32_t)n, .size = (uint32_t)size};
  return out;
}

// ---- equality ----

static bool refs_eq(tl_axis_refs a, tl_axis_refs b) {
  if (a.len != b.len) return false;
  for (uint32_t i = 0; i < a.len; i++)
    if (!tl_str_eq(a.ptr[i].name, b.ptr[i].name) || a.ptr[i].pre != b.ptr[i].pre ||
        a.ptr[i].size != b.ptr[i].size)
      return false;
  return true;
}

bool tl_sharding_eq(const tl_sharding *a, const tl_sharding *b) {
  if (a == NULL || b == NULL) return a == b;
  if (!tl_str_eq(a->mesh, b->mesh) || a->rank != b->rank ||
      !refs_eq(a->replicated, b->replicated) || !refs_eq(a->unreduced, b->unreduced))
    return false;
  for (uint32_t i = 0; i < a->rank; i++)
    if (!refs_eq(a->dims[i].axes, b->dims[i].axes) || a->dims[i].open != b->dims[i].open ||
        a->dims[i].priority != b->dims[i].priority)
      return false;
  return true;
}

bool tl_shardings_eq(const tl_shardings *a, const tl_shardings *b) {
  if (a == NULL || b == NULL) return a == b;
  bool eq = a->len == b->len;
  for (uint32_t i = 0; eq && i < a->len; i++)
    eq = tl_sharding_eq(&a->ptr[i], &b->ptr[i]);
  return eq;
}

bool tl_names_eq(const tl_names *a, const tl_names *b) {
  if (a == NULL || b == NULL) return a == b;
  bool eq = a->len == b->len && a->n_columns == b->n_columns;
  for (uint32_t i = 0; eq && i < a->len; i++)
    eq = tl_str_eq(a->ptr[i], b->ptr[i]);
  return eq;
}

bool tl_mesh_eq(const tl_mesh *a, const tl_mesh *b) {
  if (a == NULL || b == NULL) return a == b;
  if (!tl_str_eq(a->name, b->name) || a->n_axes != b->n_axes || a->n_ids != b->n_ids ||
      a->stablehlo != b->stablehlo)
    return false;
  for (uint32_t i = 0; i < a->n_axes; i++)
    if (!tl_str_eq(a->axes[i].name, b->axes[i].name) || a->axes[i].size != b->axes[i].size)
      return false;
  for (uint32_t i = 0; i < a->n_ids; i++)
    if (a->device_ids[i] != b->device_ids[i]) return false;
  return true;
}

bool tl_groups_eq(const tl_groups *a, const tl_groups *b) {
  if (a == NULL || b == NULL) return a == b;
  if (a->n != b->n || a->size != b->size || !refs_eq(a->axes, b->axes) ||
      !tl_str_eq(a->mesh, b->mesh) || !tl_mesh_eq(a->here, b->here))
    return false;
  size_t n = (size_t)a->n * a->size;
  for (size_t i = 0; a->ids != NULL && b->ids != NULL && i < n; i++)
    if (a->ids[i] != b->ids[i]) return false;
  return (a->ids == NULL) == (b->ids == NULL);
}

// ---- copies ----

static bool str_copy(tl_arena *arena, tl_str s, tl_str *out) {
  *out = tl_str_copy(arena, s);
  return out->ptr != NULL;
}

static bool i64_copy(tl_arena *arena, const int64_t *from, size_t n, const int64_t **out) {
  int64_t *to = TL_NEW(arena, int64_t, n + 1);
  if (to != NULL && n > 0) memcpy(to, from, n * sizeof *to);
  *out = to;
  return to != NULL;
}

static bool refs_copy(tl_arena *arena, tl_axis_refs from, tl_axis_refs *out) {
  tl_axis_ref *to = TL_NEW(arena, tl_axis_ref, from.len + 1);
  bool ok = to != NULL;
  for (uint32_t i = 0; ok && i < from.len; i++) {
    to[i] = from.ptr[i];
    ok = str_copy(arena, from.ptr[i].name, &to[i].name);
  }
  *out = (tl_axis_refs){to, from.len};
  return ok;
}

static bool sharding_into(tl_arena *arena, const tl_sharding *s, tl_sharding *to) {
  tl_dim_sharding *dims = TL_NEW(arena, tl_dim_sharding, s->rank + 1);
  bool ok = dims != NULL && str_copy(arena, s->mesh, &to->mesh) &&
            refs_copy(arena, s->replicated, &to->replicated) &&
            refs_copy(arena, s->unreduced, &to->unreduced);
  for (uint32_t i = 0; ok && i < s->rank; i++) {
    dims[i] = s->dims[i];
    ok = refs_copy(arena, s->dims[i].axes, &dims[i].axes);
  }
  to->dims = dims;
  to->rank = s->rank;
  return ok;
}

const tl_sharding *tl_sharding_copy(tl_arena *arena, const tl_sharding *s) {
  tl_sharding *to = s == NULL ? NULL : TL_NEW(arena, tl_sharding, 1);
  return to != NULL && sharding_into(arena, s, to) ? to : NULL;
}

const tl_shardings *tl_shardings_copy(tl_arena *arena, const tl_shardings *s) {
  if (s == NULL) return NULL;
  tl_shardings *to = TL_NEW(arena, tl_shardings, 1);
  tl_sharding *list = TL_NEW(arena, tl_sharding, s->len + 1);
  bool ok = to != NULL && list != NULL;
  for (uint32_t i = 0; ok && i < s->len; i++)
    ok = sharding_into(arena, &s->ptr[i], &list[i]);
  if (!ok) return NULL;
  *to = (tl_shardings){list, s->len};
  return to;
}

const tl_names *tl_names_copy(tl_arena *arena, const tl_names *n) {
  if (n == NULL) return NULL;
  tl_names *to = TL_NEW(arena, tl_names, 1);
  tl_str *list = TL_NEW(arena, tl_str, n->len + 1);
  bool ok = to != NULL && list != NULL;
  for (uint32_t i = 0; ok && i < n->len; i++)
    ok = str_copy(arena, n->ptr[i], &list[i]);
  if (!ok) return NULL;
  *to = (tl_names){list, n->len, n->n_columns};
  return to;
}

tl_mesh *tl_mesh_copy(tl_arena *arena, const tl_mesh *m) {
  if (m == NULL) return NULL;
  tl_mesh *to = TL_NEW(arena, tl_mesh, 1);
  tl_axis *axes = TL_NEW(arena, tl_axis, m->n_axes + 1);
  if (to == NULL || axes == NULL) return NULL;
  *to = *m;
  to->axes = axes;
  to->next = NULL;
  bool ok = str_copy(arena, m->name, &to->name) &&
            i64_copy(arena, m->device_ids, m->n_ids, &to->device_ids);
  for (uint32_t i = 0; ok && i < m->n_axes; i++) {
    axes[i] = m->axes[i];
    ok = str_copy(arena, m->axes[i].name, &axes[i].name);
  }
  return ok ? to : NULL;
}

const tl_groups *tl_groups_copy(tl_arena *arena, const tl_groups *g) {
  tl_groups *to = g == NULL ? NULL : TL_NEW(arena, tl_groups, 1);
  if (to == NULL) return NULL;
  *to = *g;
  bool ok = refs_copy(arena, g->axes, &to->axes) && str_copy(arena, g->mesh, &to->mesh) &&
            (g->ids == NULL || i64_copy(arena, g->ids, (size_t)g->n * g->size, &to->ids)) &&
            (g->here == NULL || (to->here = tl_mesh_copy(arena, g->here)) != NULL);
  return ok ? to : NULL;
}
