// Meshes, shardings and groups as MLIR spells them; parse_sharding.c reads them.
#include "shlo/spell.h"

static void refs(tl_buf *out, tl_axis_refs r, bool open) {
  tl_buf_char(out, '{');
  for (uint32_t i = 0; i < r.len; i++) {
    if (i > 0) tl_buf_cstr(out, ", ");
    tl_spell_string(out, r.ptr[i].name);
    if (r.ptr[i].size != 0)
      tl_buf_printf(out, ":(%lld)%lld", (long long)r.ptr[i].pre, (long long)r.ptr[i].size);
  }
  if (open) tl_buf_cstr(out, r.len > 0 ? ", ?" : "?");
  tl_buf_char(out, '}');
}

void tl_spell_sharding(tl_buf *out, const tl_sharding *s) {
  tl_buf_char(out, '<');
  tl_spell_symbol(out, s->mesh);
  tl_buf_cstr(out, ", [");
  for (uint32_t d = 0; d < s->rank; d++) {
    if (d > 0) tl_buf_cstr(out, ", ");
    refs(out, s->dims[d].axes, s->dims[d].open);
    if (s->dims[d].priority >= 0) tl_buf_printf(out, "p%lld", (long long)s->dims[d].priority);
  }
  tl_buf_char(out, ']');
  if (s->replicated.len > 0) {
    tl_buf_cstr(out, ", replicated=");
    refs(out, s->replicated, false);
  }
  if (s->unreduced.len > 0) {
    tl_buf_cstr(out, ", unreduced=");
    refs(out, s->unreduced, false);
  }
  tl_buf_char(out, '>');
}

void tl_spell_shardings(tl_buf *out, const tl_shardings *s) {
  tl_buf_char(out, '[');
  for (uint32_t i = 0; s != NULL && i < s->len; i++) {
    if (i > 0) tl_buf_cstr(out, ", ");
    tl_spell_sharding(out, &s->ptr[i]);
  }
  tl_buf_char(out, ']');
}

void tl_spell_axes(tl_buf *out, const tl_names *axes) {
  tl_buf_char(out, '{');
  for (uint32_t i = 0; axes != NULL && i < axes->len; i++) {
    if (i > 0) tl_buf_cstr(out, ", ");
    tl_spell_string(out, axes->ptr[i]);
  }
  tl_buf_char(out, '}');
}

void tl_spell_programs(tl_buf *out, const tl_names *names) {
  for (uint32_t i = 0; i < names->len; i++) {
    const bool first = i % names->n_columns == 0;
    tl_buf_cstr(out, i == 0 ? "[[" : first ? "], [" : ", ");
    tl_spell_symbol(out, names->ptr[i]);
  }
  tl_buf_cstr(out, "]]");
}

static void ids_dense(tl_buf *out, const int64_t *ids, size_t n, size_t columns) {
  bool splat = n > 0;
  for (size_t i = 1; i < n; i++)
    splat = splat && ids[i] == ids[0];
  tl_buf_cstr(out, "dense<");
  if (splat) tl_spell_i64(out, ids[0]);
  for (size_t i = 0; i < n && !splat; i++) {
    const bool first = columns != 0 && i % columns == 0;
    tl_buf_cstr(out, i == 0 ? (columns != 0 ? "[[" : "[") : first ? "], [" : ", ");
    tl_spell_i64(out, ids[i]);
  }
  if (n > 0 && !splat) tl_buf_cstr(out, columns != 0 ? "]]" : "]");
}

// {axes = [{name = "x", size = 2 : i64}], device_ids = dense<…> : tensor<4xi64>}, which is how
// StableHLO's own mesh prints inside a dictionary; or the attribute itself.
static void stablehlo_mesh(tl_buf *out, const tl_mesh *mesh, bool attribute) {
  tl_buf_cstr(out, attribute ? "#stablehlo.mesh<axes = [" : "{axes = [");
  for (uint32_t i = 0; i < mesh->n_axes; i++) {
    tl_buf_cstr(out, i > 0 ? ", " : "");
    tl_buf_cstr(out, attribute ? "#stablehlo.mesh_axis<name = " : "{name = ");
    tl_spell_string(out, mesh->axes[i].name);
    tl_buf_printf(out, attribute ? ", size = %lld>" : ", size = %lld : i64}",
                  (long long)mesh->axes[i].size);
  }
  tl_buf_char(out, ']');
  if (mesh->n_ids > 0) {
    tl_buf_cstr(out, ", device_ids = ");
    ids_dense(out, mesh->device_ids, mesh->n_ids, 0);
    tl_buf_printf(out, "> : tensor<%uxi64>", mesh->n_ids);
  }
  tl_buf_char(out, attribute ? '>' : '}');
}

void tl_spell_groups(tl_buf *out, const tl_groups *g) {
  if (g->here == NULL && g->mesh.len == 0) {
    ids_dense(out, g->ids, (size_t)g->n * g->size, g->size);
    tl_buf_printf(out, "> : tensor<%ux%uxi64>", g->n, g->size);
    return;
  }
  tl_buf_cstr(out, "#stablehlo.replica_group_mesh_axes<mesh = ");
  if (g->here != NULL)
    stablehlo_mesh(out, g->here, true);
  else
    tl_spell_symbol(out, g->mesh);
  tl_buf_cstr(out, ", axes = [");
  for (uint32_t i = 0; i < g->axes.len; i++) {
    const tl_axis_ref *ref = &g->axes.ptr[i];
    tl_buf_cstr(out, i > 0 ? ", #stablehlo.axis_ref<name = " : "#stablehlo.axis_ref<name = ");
    tl_spell_string(out, ref->name);
    if (ref->size != 0)
      tl_buf_printf(out, ", sub_axis_info = (%lld)%lld", (long long)ref->pre, (long long)ref->size);
    tl_buf_char(out, '>');
  }
  tl_buf_cstr(out, "]>");
}

void tl_spell_mesh(tl_buf *out, const tl_mesh *mesh) {
  tl_buf_cstr(out, "<[");
  for (uint32_t i = 0; i < mesh->n_axes; i++) {
    if (i > 0) tl_buf_cstr(out, ", ");
    tl_spell_string(out, mesh->axes[i].name);
    tl_buf_printf(out, "=%lld", (long long)mesh->axes[i].size);
  }
  tl_buf_char(out, ']');
  if (mesh->n_ids > 0) {
    tl_buf_cstr(out, ", device_ids=");
    tl_spell_list(out, (tl_i64s){mesh->device_ids, mesh->n_ids}, "[", "]");
  }
  tl_buf_char(out, '>');
  if (!mesh->stablehlo) return;
  tl_buf_cstr(out, " {stablehlo.mesh = ");
  stablehlo_mesh(out, mesh, false);
  tl_buf_char(out, '}');
}
