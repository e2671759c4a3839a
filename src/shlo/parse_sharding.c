// Meshes, shardings and the groups of collectives in text: Shardy's attributes, and StableHLO's
// replica_group_mesh_axes.
//
//   sharding   <@mesh, [{"x", "y":(1)2}, {?}p1], replicated={"z"}, unreduced={"w"}>
//   mesh       <["x"=2, "y"=4], device_ids=[1, 0, …]>
//   groups     dense<[[0, 1]]> : tensor<1x2xi64>, or
//              #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name =
//              "x">]>
#include "shlo/parser.h"

static bool hash_word(tl_parser *p, const char *word) {
  if (!tl_parser_is(p, TL_TOKEN_HASH) || !tl_str_is(p->tok.text, word))
    return tl_parser_want(p, word);
  tl_parser_next(p);
  return true;
}

// "x" or "x":(1)2
static bool axis_ref(tl_parser *p, tl_axis_ref *out) {
  *out = (tl_axis_ref){0};
  if (!tl_parser_string(p, &out->name)) return false;
  if (!tl_parser_accept(p, ':')) return true;
  tl_loc loc = tl_parser_here(p);
  if (!tl_parser_expect(p, '(', "'(' and the size before this part of the axis") ||
      !tl_parser_int(p, &out->pre) || !tl_parser_expect(p, ')', "')'") ||
      !tl_parser_int(p, &out->size))
    return false;
  return (out->pre > 0 && out->size > 0) ||
         tl_parser_fail(p, loc, "a part of an axis wants sizes over 0");
}

typedef struct refs {
  tl_axis_ref *ptr;
  uint32_t len, cap;
} refs;

static bool refs_push(tl_parser *p, refs *r, tl_axis_ref ref) {
  if (!tl_parser_grow(p, &r->ptr, r->len, &r->cap, sizeof ref)) return false;
  r->ptr[r->len++] = ref;
  return true;
}

// {"x", "y":(1)2} with ", ?" at the end where `out_open` is there
static bool axis_refs(tl_parser *p, tl_axis_refs *out, bool *out_open) {
  refs r = {0};
  if (!tl_parser_expect(p, '{', "'{' and axes")) return false;
  if (!tl_parser_is(p, '}')) {
    do {
      if (out_open != NULL && tl_parser_accept(p, '?')) {
        *out_open = true;
        break;
      }
      tl_axis_ref ref;
      if (!axis_ref(p, &ref) || !refs_push(p, &r, ref)) return false;
    } while (tl_parser_accept(p, ','));
  }
  *out = (tl_axis_refs){r.ptr, r.len};
  return tl_parser_expect(p, '}', "'}' behind the axes");
}

static bool dim_sharding(tl_parser *p, tl_dim_sharding *out) {
  *out = (tl_dim_sharding){.priority = -1};
  if (!axis_refs(p, &out->axes, &out->open)) return false;
  tl_str word = p->tok.text;
  uint64_t priority;
  if (!tl_parser_is(p, TL_TOKEN_WORD)) return true;
  if (word.ptr[0] != 'p' || !tl_str_to_u64(tl_str_sub(word, 1, word.len), &priority) ||
      priority > INT32_MAX)
    return tl_parser_want(p, "a priority such as p1");
  out->priority = (int64_t)priority;
  tl_parser_next(p);
  return true;
}

bool tl_parser_sharding(tl_parser *p, tl_sharding *out) {
  tl_dim_sharding *dims = NULL;
  uint32_t n = 0, cap = 0;
  *out = (tl_sharding){0};
  if (!tl_parser_expect(p, '<', "'<' and a sharding")) return false;
  if (tl_parser_is_word(p, "mesh"))
    return tl_parser_fail(p, tl_parser_here(p),
                          "a mesh inside a sharding is not supported; name one of the module's");
  if (!tl_parser_symbol(p, &out->mesh) || !tl_parser_expect(p, ',', "','") ||
      !tl_parser_expect(p, '[', "'[' and a list of dims"))
    return false;
  if (!tl_parser_accept(p, ']')) {
    do {
      if (n == TL_MAX_RANK)
        return tl_parser_fail(p, tl_parser_here(p), "a sharding of more than %d dims", TL_MAX_RANK);
      if (!tl_parser_grow(p, &dims, n, &cap, sizeof *dims) || !dim_sharding(p, &dims[n++]))
        return false;
    } while (tl_parser_accept(p, ','));
    if (!tl_parser_expect(p, ']', "']' behind the dims")) return false;
  }
  out->dims = dims;
  out->rank = n;
  while (tl_parser_accept(p, ',')) {
    bool replicated = tl_parser_is_word(p, "replicated");
    if (!replicated && !tl_parser_is_word(p, "unreduced"))
      return tl_parser_want(p, "replicated or unreduced");
    tl_parser_next(p);
    if (!tl_parser_expect(p, '=', "'='") ||
        !axis_refs(p, replicated ? &out->replicated : &out->unreduced, NULL))
      return false;
  }
  return tl_parser_expect(p, '>', "'>' behind the sharding");
}

bool tl_parser_sharding_attr(tl_parser *p, const tl_sharding **out) {
  tl_sharding *s = TL_NEW(p->m->arena, tl_sharding, 1);
  if (s == NULL) return tl_parser_oom(p);
  *out = s;
  return hash_word(p, "#sdy.sharding") && tl_parser_sharding(p, s);
}

// [<@mesh, …>, …]
bool tl_parser_shardings(tl_parser *p, const tl_shardings **out) {
  tl_sharding *list = NULL;
  uint32_t n = 0, cap = 0;
  if (!tl_parser_expect(p, '[', "'[' and shardings")) return false;
  if (!tl_parser_accept(p, ']')) {
    do {
      if (!tl_parser_grow(p, &list, n, &cap, sizeof *list) || !tl_parser_sharding(p, &list[n++]))
        return false;
    } while (tl_parser_accept(p, ','));
    if (!tl_parser_expect(p, ']', "']' behind the shardings")) return false;
  }
  tl_shardings *s = TL_NEW(p->m->arena, tl_shardings, 1);
  if (s == NULL) return tl_parser_oom(p);
  *s = (tl_shardings){list, n};
  *out = s;
  return true;
}

bool tl_parser_shardings_attr(tl_parser *p, bool one, const tl_shardings **out) {
  if (!one)
    return hash_word(p, "#sdy.sharding_per_value") && tl_parser_expect(p, '<', "'<'") &&
           tl_parser_shardings(p, out) && tl_parser_expect(p, '>', "'>' behind the shardings");
  const tl_sharding *s;
  tl_shardings *list = TL_NEW(p->m->arena, tl_shardings, 1);
  if (list == NULL) return tl_parser_oom(p);
  if (!tl_parser_sharding_attr(p, &s)) return false;
  *list = (tl_shardings){s, 1};
  *out = list;
  return true;
}

static bool names_new(tl_parser *p, tl_str *list, uint32_t n, uint32_t n_columns,
                      const tl_names **out) {
  tl_names *names = TL_NEW(p->m->arena, tl_names, 1);
  if (names == NULL) return tl_parser_oom(p);
  *names = (tl_names){list, n, n_columns};
  *out = names;
  return true;
}

// {"x", "y"}
bool tl_parser_axes(tl_parser *p, const tl_names **out) {
  tl_str *list = NULL;
  uint32_t n = 0, cap = 0;
  if (!tl_parser_expect(p, '{', "'{' and axes")) return false;
  if (!tl_parser_accept(p, '}')) {
    do {
      if (!tl_parser_grow(p, &list, n, &cap, sizeof *list) || !tl_parser_string(p, &list[n++]))
        return false;
    } while (tl_parser_accept(p, ','));
    if (!tl_parser_expect(p, '}', "'}' behind the axes")) return false;
  }
  return names_new(p, list, n, 0, out);
}

bool tl_parser_axes_attr(tl_parser *p, const tl_names **out) { // #sdy<manual_axes{"x"}>
  return hash_word(p, "#sdy") && tl_parser_expect(p, '<', "'<'") &&
         tl_parser_expect_word(p, "manual_axes") && tl_parser_axes(p, out) &&
         tl_parser_expect(p, '>', "'>' behind the axes");
}

// [[@a, @b], [@c, @d]]
bool tl_parser_programs(tl_parser *p, const tl_names **out) {
  tl_str *list = NULL;
  uint32_t n = 0, cap = 0, n_columns = 0;
  if (!tl_parser_expect(p, '[', "'[' and lists of functions")) return false;
  do {
    const uint32_t from = n;
    if (!tl_parser_expect(p, '[', "'[' and functions")) return false;
    do {
      if (!tl_parser_grow(p, &list, n, &cap, sizeof *list) || !tl_parser_symbol(p, &list[n++]))
        return false;
    } while (tl_parser_accept(p, ','));
    if (n_columns == 0) n_columns = n;
    if (n - from != n_columns)
      return tl_parser_fail(p, tl_parser_here(p), "wanted lists of %u functions each", n_columns);
    if (!tl_parser_expect(p, ']', "']' behind the functions")) return false;
  } while (tl_parser_accept(p, ','));
  return tl_parser_expect(p, ']', "']' behind the lists") && names_new(p, list, n, n_columns, out);
}

// #stablehlo.channel_handle<handle = 1, type = 0>
bool tl_parser_channel(tl_parser *p, tl_i64s *out) {
  int64_t *pair = TL_NEW(p->m->arena, int64_t, 2);
  if (pair == NULL) return tl_parser_oom(p);
  *out = (tl_i64s){pair, 2};
  return hash_word(p, "#stablehlo.channel_handle") && tl_parser_expect(p, '<', "'<'") &&
         tl_parser_expect_word(p, "handle") && tl_parser_expect(p, '=', "'='") &&
         tl_parser_int(p, &pair[0]) && tl_parser_expect(p, ',', "','") &&
         tl_parser_expect_word(p, "type") && tl_parser_expect(p, '=', "'='") &&
         tl_parser_int(p, &pair[1]) && tl_parser_expect(p, '>', "'>' behind the channel");
}

// ---- meshes ----

static bool axis_push(tl_parser *p, tl_mesh *mesh, uint32_t *cap, tl_loc loc, tl_axis axis) {
  tl_axis *axes = (tl_axis *)(uintptr_t)mesh->axes;
  if (mesh->n_axes == TL_MAX_AXES)
    return tl_parser_fail(p, loc, "a mesh of more than %d axes", TL_MAX_AXES);
  if (axis.size < 1 || axis.size > TL_MAX_DEVICES)
    return tl_parser_fail(p, loc, "an axis has 1 to %d devices", TL_MAX_DEVICES);
  for (uint32_t i = 0; i < mesh->n_axes; i++)
    if (tl_str_eq(axes[i].name, axis.name))
      return tl_parser_fail(p, loc, "the axis \"" TL_STR_FMT "\" is there twice",
                            TL_STR_ARG(axis.name));
  if (!tl_parser_grow(p, &axes, mesh->n_axes, cap, sizeof axis)) return false;
  axes[mesh->n_axes++] = axis;
  mesh->axes = axes;
  return true;
}

static bool mesh_check(tl_parser *p, tl_mesh *mesh, tl_loc loc) {
  const int64_t n = tl_mesh_size(mesh);
  if (n == 0) return tl_parser_fail(p, loc, "a mesh of more than %d devices", TL_MAX_DEVICES);
  if (mesh->n_axes == 0 && mesh->n_ids == 1) return true; // all of it on one device
  if (mesh->n_ids != 0 && mesh->n_ids != n)
    return tl_parser_fail(p, loc, "a mesh of %lld devices with %u device_ids", (long long)n,
                          mesh->n_ids);
  for (uint32_t i = 0; i < mesh->n_ids; i++) {
    const int64_t id = mesh->device_ids[i];
    if (id < 0 || id >= n)
      return tl_parser_fail(p, loc, "device_ids names device %lld of %lld", (long long)id,
                            (long long)n);
    for (uint32_t k = 0; k < i; k++)
      if (mesh->device_ids[k] == id)
        return tl_parser_fail(p, loc, "device_ids names device %lld twice", (long long)id);
  }
  return true;
}

static bool ids_set(tl_parser *p, tl_mesh *mesh, tl_i64s ids, tl_loc loc) {
  if (ids.len > TL_MAX_DEVICES)
    return tl_parser_fail(p, loc, "a mesh of more than %d devices", TL_MAX_DEVICES);
  mesh->device_ids = ids.ptr;
  mesh->n_ids = (uint32_t)ids.len;
  return true;
}

// <["x"=2, "y"=4], device_ids=[…]>
bool tl_parser_mesh(tl_parser *p, tl_mesh *mesh) {
  uint32_t cap = 0;
  const tl_loc loc = tl_parser_here(p);
  if (!tl_parser_expect(p, '<', "'<' and the mesh") ||
      !tl_parser_expect(p, '[', "'[' and the mesh's axes"))
    return false;
  if (!tl_parser_accept(p, ']')) {
    do {
      tl_axis axis;
      const tl_loc at = tl_parser_here(p);
      if (!tl_parser_string(p, &axis.name) || !tl_parser_expect(p, '=', "'=' and the axis' size") ||
          !tl_parser_int(p, &axis.size) || !axis_push(p, mesh, &cap, at, axis))
        return false;
    } while (tl_parser_accept(p, ','));
    if (!tl_parser_expect(p, ']', "']' behind the axes")) return false;
  }
  if (tl_parser_accept(p, ',')) {
    tl_i64s ids;
    if (!tl_parser_expect_word(p, "device_ids") || !tl_parser_expect(p, '=', "'='") ||
        !tl_parser_int_list(p, &ids) || !ids_set(p, mesh, ids, loc))
      return false;
  }
  return tl_parser_expect(p, '>', "'>' behind the mesh") && mesh_check(p, mesh, loc);
}

// ---- replica_groups ----

// dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>
static bool groups_dense(tl_parser *p, tl_groups *out) {
  const tl_literal *l;
  const tl_loc loc = tl_parser_here(p);
  if (!tl_parser_dense(p, &l)) return false;
  size_t n;
  if (l->type.dtype != TL_DTYPE_S64 || l->type.rank != 2 || !tl_type_count(l->type, &n) ||
      n > TL_MAX_DEVICES)
    return tl_parser_fail(p, loc, "wanted lists of up to %d process ids, such as 2x2xi64",
                          TL_MAX_DEVICES);
  int64_t *ids = TL_NEW(p->m->arena, int64_t, n + 1);
  if (ids == NULL) return tl_parser_oom(p);
  for (size_t i = 0; i < n; i++)
    memcpy(&ids[i], (const char *)l->data + (l->splat ? 0 : i * sizeof *ids), sizeof *ids);
  *out = (tl_groups){.ids = ids,
                     .n = n == 0 ? 0 : (uint32_t)l->type.dims[0],
                     .size = n == 0 ? 0 : (uint32_t)l->type.dims[1]};
  return true;
}

// #stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>
static bool group_axis(tl_parser *p, tl_axis_ref *out) {
  *out = (tl_axis_ref){0};
  if (!hash_word(p, "#stablehlo.axis_ref") || !tl_parser_expect(p, '<', "'<'") ||
      !tl_parser_expect_word(p, "name") || !tl_parser_expect(p, '=', "'='") ||
      !tl_parser_string(p, &out->name))
    return false;
  if (tl_parser_accept(p, ',')) {
    const tl_loc loc = tl_parser_here(p);
    if (!tl_parser_expect_word(p, "sub_axis_info") || !tl_parser_expect(p, '=', "'='") ||
        !tl_parser_expect(p, '(', "'('") || !tl_parser_int(p, &out->pre) ||
        !tl_parser_expect(p, ')', "')'") || !tl_parser_int(p, &out->size))
      return false;
    if (out->pre < 1 || out->size < 1)
      return tl_parser_fail(p, loc, "a part of an axis wants sizes over 0");
  }
  return tl_parser_expect(p, '>', "'>' behind the axis");
}

// #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>], device_ids = dense<…> : …>
static bool mesh_here(tl_parser *p, const tl_mesh **out) {
  tl_mesh *mesh = TL_NEW(p->m->arena, tl_mesh, 1);
  uint32_t cap = 0;
  const tl_loc loc = tl_parser_here(p);
  if (mesh == NULL) return tl_parser_oom(p);
  *mesh = (tl_mesh){.name = TL_STR("")};
  if (!hash_word(p, "#stablehlo.mesh") || !tl_parser_expect(p, '<', "'<'") ||
      !tl_parser_expect_word(p, "axes") || !tl_parser_expect(p, '=', "'='") ||
      !tl_parser_expect(p, '[', "'[' and axes"))
    return false;
  if (!tl_parser_accept(p, ']')) {
    do {
      tl_axis axis;
      const tl_loc at = tl_parser_here(p);
      if (!hash_word(p, "#stablehlo.mesh_axis") || !tl_parser_expect(p, '<', "'<'") ||
          !tl_parser_expect_word(p, "name") || !tl_parser_expect(p, '=', "'='") ||
          !tl_parser_string(p, &axis.name) || !tl_parser_expect(p, ',', "','") ||
          !tl_parser_expect_word(p, "size") || !tl_parser_expect(p, '=', "'='") ||
          !tl_parser_int(p, &axis.size) || !tl_parser_expect(p, '>', "'>' behind the axis") ||
          !axis_push(p, mesh, &cap, at, axis))
        return false;
    } while (tl_parser_accept(p, ','));
    if (!tl_parser_expect(p, ']', "']' behind the axes")) return false;
  }
  if (tl_parser_accept(p, ',')) {
    const tl_literal *l;
    if (!tl_parser_expect_word(p, "device_ids") || !tl_parser_expect(p, '=', "'='") ||
        !tl_parser_dense(p, &l))
      return false;
    size_t n;
    if (l->type.dtype != TL_DTYPE_S64 || l->type.rank != 1 || !tl_type_count(l->type, &n) ||
        (l->splat && n > 1))
      return tl_parser_fail(p, loc, "wanted device_ids as a list of i64");
    if (!ids_set(p, mesh, (tl_i64s){l->data, n}, loc)) return false;
  }
  *out = mesh;
  return tl_parser_expect(p, '>', "'>' behind the mesh") && mesh_check(p, mesh, loc);
}

bool tl_parser_groups(tl_parser *p, const tl_groups **out) {
  tl_groups *g = TL_NEW(p->m->arena, tl_groups, 1);
  refs r = {0};
  if (g == NULL) return tl_parser_oom(p);
  *out = g;
  if (!tl_parser_is(p, TL_TOKEN_HASH)) return groups_dense(p, g);
  *g = (tl_groups){0};
  if (!hash_word(p, "#stablehlo.replica_group_mesh_axes") || !tl_parser_expect(p, '<', "'<'") ||
      !tl_parser_expect_word(p, "mesh") || !tl_parser_expect(p, '=', "'='"))
    return false;
  if (!(tl_parser_is(p, TL_TOKEN_SYMBOL) ? tl_parser_symbol(p, &g->mesh) : mesh_here(p, &g->here)))
    return false;
  if (!tl_parser_expect(p, ',', "','") || !tl_parser_expect_word(p, "axes") ||
      !tl_parser_expect(p, '=', "'='") || !tl_parser_expect(p, '[', "'[' and axes"))
    return false;
  if (!tl_parser_accept(p, ']')) {
    do {
      tl_axis_ref ref;
      if (!group_axis(p, &ref) || !refs_push(p, &r, ref)) return false;
    } while (tl_parser_accept(p, ','));
    if (!tl_parser_expect(p, ']', "']' behind the axes")) return false;
  }
  g->axes = (tl_axis_refs){r.ptr, r.len};
  return tl_parser_expect(p, '>', "'>' behind the groups");
}
