// Type rules of Shardy's ops, whose shardings must fit the tensors that they are of.
#include "ir/rule.h"

// Every part of an axis once: two refs overlap when one is the whole axis, or when their parts do.
static bool refs_overlap(const tl_axis_ref *a, const tl_axis_ref *b) {
  if (!tl_str_eq(a->name, b->name)) return false;
  if (a->size == 0 || b->size == 0) return true;
  return a->pre < b->pre * b->size && b->pre < a->pre * a->size;
}

static tl_status refs_sound(const tl_rule *r, const tl_mesh *mesh, tl_axis_refs refs,
                            const tl_sharding *s) {
  for (uint32_t i = 0; i < refs.len; i++) {
    TL_RULE(r, tl_axis_ref_size(mesh, &refs.ptr[i]) > 0, "axis",
            "the mesh @" TL_STR_FMT " has no axis \"" TL_STR_FMT "\", or not this part of it",
            TL_STR_ARG(mesh->name), TL_STR_ARG(refs.ptr[i].name));
    uint32_t seen = 0;
    for (uint32_t d = 0; d <= s->rank + 1; d++) {
      tl_axis_refs other = d < s->rank    ? s->dims[d].axes
                           : d == s->rank ? s->replicated
                                          : s->unreduced;
      for (uint32_t k = 0; k < other.len; k++)
        seen += refs_overlap(&refs.ptr[i], &other.ptr[k]);
    }
    TL_RULE(r, seen == 1, "unique", "the axis \"" TL_STR_FMT "\" is used twice",
            TL_STR_ARG(refs.ptr[i].name));
  }
  return TL_OK;
}

// A dim in `parts` equal ones, which a dim of symbols is only where it says so (2*n in 2, not n).
static bool divided(const tl_rule *r, int64_t dim, int64_t parts, int64_t *out) {
  if (parts <= 0) return false;
  if (parts == 1 || tl_dim_is_any(dim)) {
    *out = dim;
    return true;
  }
  if (dim < 0) return tl_dim_divide(r->module, dim, parts, out);
  *out = dim / parts;
  return dim % parts == 0;
}

// One sharding for a tensor. Only named axes of `manual` split it, when that is not NULL; they must
// divide its dims, because nobody pads.
static tl_status sharding_sound(const tl_rule *r, const tl_sharding *s, tl_type t,
                                const tl_names *manual, const tl_mesh **out_mesh) {
  const tl_mesh *mesh = tl_mesh_find(r->module, s->mesh);
  TL_RULE(r, mesh != NULL, "mesh", "there is no mesh @" TL_STR_FMT, TL_STR_ARG(s->mesh));
  TL_RULE(r, tl_mesh_size(mesh) > 0, "mesh", "the mesh @" TL_STR_FMT " has more than %d devices",
          TL_STR_ARG(s->mesh), TL_MAX_DEVICES);
  TL_RULE(r, s->rank == t.rank, "rank", "a sharding of %u dims for %s", s->rank,
          tl_rule_type(r, t));
  for (uint32_t d = 0; d < s->rank; d++) {
    TL_TRY(refs_sound(r, mesh, s->dims[d].axes, s));
    TL_RULE(r, s->dims[d].priority < 0 || s->dims[d].axes.len > 0 || s->dims[d].open, "priority",
            "dim %u has a priority, and no axes", d);
    const int64_t parts = tl_axis_refs_size(mesh, s->dims[d].axes, manual);
    int64_t part;
    TL_RULE(r, manual == NULL || divided(r, t.dims[d], parts, &part), "divides",
            "dim %u of %s, in %lld parts", d, tl_rule_type(r, t), (long long)parts);
  }
  TL_TRY(refs_sound(r, mesh, s->replicated, s));
  TL_TRY(refs_sound(r, mesh, s->unreduced, s));
  *out_mesh = mesh;
  return TL_OK;
}

tl_status tl_infer_sharding_constraint(tl_rule *r) {
  const tl_shardings *s = tl_op_attr(r->op, TL_A_SHARDING_CONSTRAINT_sharding)->shardings;
  const tl_mesh *mesh;
  TL_RULE(r, s != NULL && s->len == 1, NULL, "wants the attribute sharding");
  TL_TRY(sharding_sound(r, &s->ptr[0], tl_rule_in(r, 0), NULL, &mesh));
  return tl_rule_give1(r, tl_rule_in(r, 0), "c1");
}

// Global values in n shardings against local ones of the region: each dim divided by its manual
// axes.
static tl_status locals_sound(const tl_rule *r, const char *what, const tl_shardings *s,
                              const tl_type *global, const tl_value *local, uint32_t n,
                              const tl_names *manual, const tl_mesh **mesh) {
  TL_RULE(r, s != NULL && s->len == n, "shardings", "has %u shardings for %u %ss",
          s == NULL ? 0 : s->len, n, what);
  for (uint32_t i = 0; i < n; i++) {
    const tl_mesh *own;
    TL_TRY(sharding_sound(r, &s->ptr[i], global[i], manual, &own));
    TL_RULE(r, *mesh == NULL || tl_mesh_size(*mesh) == tl_mesh_size(own), "mesh",
            "%s %u lies on another mesh", what, i);
    if (*mesh == NULL) *mesh = own;
    tl_type want = global[i], have = local[i]->type;
    int64_t dims[TL_MAX_RANK];
    for (uint32_t d = 0; d < want.rank; d++)
      (void)divided(r, want.dims[d], tl_axis_refs_size(own, s->ptr[i].dims[d].axes, manual),
                    &dims[d]);
    want.dims = dims;
    TL_RULE(r, tl_type_agrees(want, have), "local", "%s %u is %s in the region, wanted %s", what, i,
            tl_rule_type(r, have), tl_rule_type(r, want));
  }
  return TL_OK;
}

tl_status tl_infer_manual_computation(tl_rule *r) {
  const tl_op *op = r->op;
  const tl_names *manual = tl_op_attr(op, TL_A_MANUAL_COMPUTATION_manual_axes)->names;
  static const tl_names none = {0};
  const tl_mesh *mesh = NULL;
  if (manual == NULL) manual = &none;
  TL_RULE(r, r->declared != NULL, NULL, "wants its result types to be given");
  const tl_block *body = op->regions[0];
  const tl_op *ret = body->last;
  TL_RULE(r,
          body->n_args == op->n_operands && ret != NULL && ret->code == TL_OP_RETURN &&
              ret->n_operands == r->n_declared,
          "region", "the region wants %u arguments and %u returned values", op->n_operands,
          r->n_declared);
  tl_type *in = TL_NEW(r->arena, tl_type, op->n_operands + 1);
  if (in == NULL) return TL_OOM();
  for (uint32_t i = 0; i < op->n_operands; i++)
    in[i] = tl_rule_in(r, i);
  TL_TRY(locals_sound(r, "operand", tl_op_attr(op, TL_A_MANUAL_COMPUTATION_in_shardings)->shardings,
                      in, body->args, op->n_operands, manual, &mesh));
  TL_TRY(locals_sound(r, "result", tl_op_attr(op, TL_A_MANUAL_COMPUTATION_out_shardings)->shardings,
                      r->declared, ret->operands, r->n_declared, manual, &mesh));
  return tl_rule_give(r, r->declared, r->n_declared, NULL);
}
