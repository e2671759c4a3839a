// Type rules of control flow, calls and the ends of blocks.
#include "ir/rule.h"

#include "ir/composite.h"
#include "ir/target.h"

// Region `index` takes these types. Its return is the caller's to compare.
static tl_status region_takes(const tl_rule *r, uint32_t index, const char *name,
                              const tl_value *args, uint32_t n, const char *label) {
  const tl_block *block = r->op->regions[index];
  TL_RULE(r, block->n_args == n, label, "%s takes %u values, wants %u", name, block->n_args, n);
  for (uint32_t i = 0; i < n; i++)
    TL_RULE(r, tl_type_agrees(block->args[i]->type, args[i]->type), label,
            "argument %u of %s is %s, wants %s", i, name, tl_rule_type(r, block->args[i]->type),
            tl_rule_type(r, args[i]->type));
  TL_RULE(r, block->last != NULL && block->last->code == TL_OP_RETURN, label, "%s has no return",
          name);
  return TL_OK;
}

static tl_status returns_same(const tl_rule *r, const tl_op *ret, const tl_value *want, uint32_t n,
                              const char *name, const char *label) {
  TL_RULE(r, ret->n_operands == n, label, "%s returns %u values, wants %u", name, ret->n_operands,
          n);
  for (uint32_t i = 0; i < n; i++)
    TL_RULE(r, tl_type_agrees(ret->operands[i]->type, want[i]->type), label,
            "%s returns %s as value %u, wants %s", name, tl_rule_type(r, ret->operands[i]->type), i,
            tl_rule_type(r, want[i]->type));
  return TL_OK;
}

static tl_status give_values(tl_rule *r, const tl_value *values, uint32_t n, const char *label) {
  tl_type *types = TL_NEW(r->arena, tl_type, n ? n : 1);
  if (types == NULL) return TL_OOM();
  for (uint32_t i = 0; i < n; i++)
    types[i] = values[i]->type;
  return tl_rule_give(r, types, n, label);
}

tl_status tl_infer_while(tl_rule *r) {
  const tl_op *op = r->op;
  TL_TRY(region_takes(r, 0, "cond", op->operands, op->n_operands, "c1"));
  TL_TRY(region_takes(r, 1, "body", op->operands, op->n_operands, "c2"));
  const tl_op *cond = op->regions[0]->last, *body = op->regions[1]->last;
  TL_RULE(r,
          cond->n_operands == 1 &&
              tl_type_agrees(cond->operands[0]->type, tl_type_scalar(TL_DTYPE_I1)),
          "c1", "cond wants to return one tensor<i1>");
  TL_TRY(returns_same(r, body, op->operands, op->n_operands, "body", "c2"));
  return give_values(r, op->operands, op->n_operands, "c3");
}

tl_status tl_infer_if(tl_rule *r) {
  const tl_op *op = r->op;
  TL_RULE(r, tl_type_agrees(tl_rule_in(r, 0), tl_type_scalar(TL_DTYPE_I1)), "i1",
          "wants a predicate tensor<i1>, got %s", tl_rule_type(r, tl_rule_in(r, 0)));
  TL_TRY(region_takes(r, 0, "true_branch", NULL, 0, "c1"));
  TL_TRY(region_takes(r, 1, "false_branch", NULL, 0, "c1"));
  const tl_op *yes = op->regions[0]->last, *no = op->regions[1]->last;
  TL_TRY(returns_same(r, no, yes->operands, yes->n_operands, "false_branch", "c2"));
  return give_values(r, yes->operands, yes->n_operands, "c3");
}

tl_status tl_infer_case(tl_rule *r) {
  const tl_op *op = r->op;
  TL_RULE(r, tl_type_agrees(tl_rule_in(r, 0), tl_type_scalar(TL_DTYPE_S32)), "i1",
          "wants an index tensor<i32>, got %s", tl_rule_type(r, tl_rule_in(r, 0)));
  TL_RULE(r, op->n_regions > 0, "c1", "wants at least one branch");
  for (uint32_t i = 0; i < op->n_regions; i++)
    TL_TRY(region_takes(r, i, "a branch", NULL, 0, "c2"));
  const tl_op *first = op->regions[0]->last;
  for (uint32_t i = 1; i < op->n_regions; i++)
    TL_TRY(returns_same(r, op->regions[i]->last, first->operands, first->n_operands, "a branch",
                        "c3"));
  return give_values(r, first->operands, first->n_operands, "c4");
}

// "dialect.name", each part an identifier with dots.
static bool namespaced(tl_str name) {
  size_t dot = tl_str_find(name, TL_STR("."));
  return dot != (size_t)-1 && dot > 0 && dot + 1 < name.len;
}

// A rule of a composite takes `first`, [n_first] of them, then `then`, and gives what has the types
// `gives`.
static tl_status rule_fits(const tl_rule *r, const char *label, tl_str name, const tl_type *first,
                           uint32_t n_first, const tl_type *then, uint32_t n_then,
                           const tl_type *gives, uint32_t n_gives) {
  const tl_func *fn = tl_module_find(r->module, name);
  TL_RULE(r, fn != NULL, label, "@" TL_STR_FMT " is not defined", TL_STR_ARG(name));
  TL_RULE(r, fn->body->n_args == n_first + n_then && fn->n_results == n_gives, label,
          "%s @" TL_STR_FMT " takes %u values and gives %u, wants %u and %u", label,
          TL_STR_ARG(name), fn->body->n_args, fn->n_results, n_first + n_then, n_gives);
  for (uint32_t i = 0; i < n_first + n_then; i++) {
    const tl_type want = i < n_first ? first[i] : then[i - n_first];
    TL_RULE(r, tl_type_agrees(fn->body->args[i]->type, want), label,
            "argument %u of %s @" TL_STR_FMT " is %s, wants %s", i, label, TL_STR_ARG(name),
            tl_rule_type(r, fn->body->args[i]->type), tl_rule_type(r, want));
  }
  for (uint32_t k = 0; k < n_gives; k++)
    TL_RULE(r, tl_type_agrees(fn->result_types[k], gives[k]), label,
            "result %u of %s @" TL_STR_FMT " is %s, wants %s", k, label, TL_STR_ARG(name),
            tl_rule_type(r, fn->result_types[k]), tl_rule_type(r, gives[k]));
  return TL_OK;
}

// (cotangents, operands) -> cotangents of the operands; (operands, tangents) -> tangents.
static tl_status rules_fit(const tl_rule *r, const tl_func *fn) {
  const tl_op *op = r->op;
  const tl_str vjp = tl_op_str(op, TL_A_COMPOSITE_vjp), jvp = tl_op_str(op, TL_A_COMPOSITE_jvp);
  const uint32_t n = op->n_operands;
  if (!r->finished || (vjp.len == 0 && jvp.len == 0)) return TL_OK;
  tl_type *in = TL_NEW(r->arena, tl_type, n + 1);
  if (in == NULL) return TL_OOM();
  for (uint32_t i = 0; i < n; i++)
    in[i] = tl_rule_in(r, i);
  if (vjp.len != 0) TL_TRY(rule_fits(r, "vjp", vjp, fn->result_types, fn->n_results, in, n, in, n));
  if (jvp.len != 0) TL_TRY(rule_fits(r, "jvp", jvp, in, n, in, n, fn->result_types, fn->n_results));
  return TL_OK;
}

// What a composite's attributes say of its derivative.
static tl_status composite_says(const tl_rule *r) {
  static const char *const rules[] = {"vjp", "jvp"};
  const tl_str all = tl_op_str(r->op, TL_A_COMPOSITE_composite_attributes);
  for (size_t i = 0; i < TL_COUNT(rules); i++) {
    const tl_str value = tl_dict_value(all, rules[i]);
    TL_RULE(r, value.len == 0 || value.ptr[0] != '@', rules[i],
            "%s = " TL_STR_FMT " in composite_attributes says nothing: it belongs beside "
            "composite_attributes",
            rules[i], TL_STR_ARG(value));
  }
  tl_checkpoint_policy policy;
  tl_str given;
  TL_RULE(r, !tl_composite_is_checkpoint(r->op) || tl_composite_policy(r->op, &policy, &given),
          "policy", "the policy of tlaloc.checkpoint is %s, not " TL_STR_FMT,
          tl_checkpoint_policy_names(), TL_STR_ARG(given));
  return TL_OK;
}

// call and composite: the callee's signature decides.
tl_status tl_infer_call(tl_rule *r) {
  const tl_op *op = r->op;
  bool composite = op->code == TL_OP_COMPOSITE;
  tl_str name = tl_op_str(op, composite ? TL_A_COMPOSITE_decomposition : TL_A_CALL_callee);
  if (composite) {
    tl_str own = tl_op_str(op, TL_A_COMPOSITE_name);
    TL_RULE(r, namespaced(own), "c1", "\"" TL_STR_FMT "\" is no name of the form dialect.name",
            TL_STR_ARG(own));
    TL_TRY(composite_says(r));
  }
  const tl_func *fn = tl_module_find(r->module, name);
  bool complete = fn != NULL && fn->body->last != NULL && fn->body->last->code == TL_OP_RETURN;
  if (!complete && !r->finished) {
    TL_RULE(r, r->declared != NULL, "c2",
            "@" TL_STR_FMT " is not defined yet, so the result types must be given",
            TL_STR_ARG(name));
    return tl_rule_give(r, r->declared, r->n_declared, "c4");
  }
  TL_RULE(r, complete, "c2", "@" TL_STR_FMT " is not defined", TL_STR_ARG(name));
  TL_RULE(r, fn->body->n_args == op->n_operands, "c3", "@" TL_STR_FMT " takes %u values, got %u",
          TL_STR_ARG(name), fn->body->n_args, op->n_operands);
  for (uint32_t i = 0; i < op->n_operands; i++)
    TL_RULE(r, tl_type_agrees(fn->body->args[i]->type, tl_rule_in(r, i)), "c3",
            "argument %u of @" TL_STR_FMT " is %s, got %s", i, TL_STR_ARG(name),
            tl_rule_type(r, fn->body->args[i]->type), tl_rule_type(r, tl_rule_in(r, i)));
  if (composite) TL_TRY(rules_fit(r, fn));
  return tl_rule_give(r, fn->result_types, fn->n_results, "c4");
}

// Inputs, initial values, and the lists: window, strides, base and window dilations, padding.
static tl_status dynamic_reduce_window(tl_rule *r) {
  const tl_op *op = r->op;
  const uint32_t n = r->n_declared;
  TL_RULE(r, n > 0 && op->n_operands == 2 * n + 5, "i1",
          "@stablehlo.dynamic_reduce_window takes as many inputs and initial values as it has "
          "results, and 5 lists, got %u operands for %u results",
          op->n_operands, n);
  const tl_type x = tl_rule_in(r, 0);
  for (uint32_t i = 0; i < 5; i++) {
    const tl_type t = tl_rule_in(r, 2 * n + i);
    const tl_dtype_kind kind = tl_rule_kind(t);
    TL_RULE(r,
            (kind == TL_KIND_INT || kind == TL_KIND_UINT) && t.rank == (i == 4 ? 2 : 1) &&
                tl_dim_agrees(t.dims[0], x.rank) && (i < 4 || tl_dim_agrees(t.dims[1], 2)),
            "i1", "@stablehlo.dynamic_reduce_window: operand %u is %s, which is no list for %s",
            2 * n + i, tl_rule_type(r, t), tl_rule_type(r, x));
  }
  const tl_str name = tl_op_str(op, TL_A_CUSTOM_CALL_called_computations);
  const tl_func *fn = tl_module_find(r->module, name);
  TL_RULE(r, fn != NULL || !r->finished, "i2", "@" TL_STR_FMT " is not defined", TL_STR_ARG(name));
  TL_RULE(r, fn == NULL || fn->body->n_args == 2 * n, "i2",
          "@" TL_STR_FMT " takes %u values, wants %u", TL_STR_ARG(name), fn ? fn->body->n_args : 0,
          2 * n);
  for (uint32_t i = 0; i < n; i++)
    TL_RULE(r,
            r->declared[i].rank == x.rank && tl_rule_shape_eq(x, tl_rule_in(r, i)) &&
                tl_rule_in(r, n + i).rank == 0,
            "i1", "@stablehlo.dynamic_reduce_window wants inputs and results of one rank");
  return tl_rule_give(r, r->declared, n, "c1");
}

tl_status tl_infer_custom_call(tl_rule *r) {
  const tl_op *op = r->op;
  const tl_str name = tl_op_str(op, TL_A_CUSTOM_CALL_call_target_name);
  tl_target target;
  const char *near = tl_target_near(name);
  TL_RULE(r, tl_target_of_name(name, &target), "i2",
          "the target @" TL_STR_FMT " is not supported%s%s%s", TL_STR_ARG(name),
          near ? "; did you mean @" : "", near ? near : "", near ? "?" : "");
  if (target == TL_TARGET_SHAPE_ASSERTION) {
    TL_RULE(r, op->n_operands > 0 && tl_type_eq(tl_rule_in(r, 0), tl_type_scalar(TL_DTYPE_I1)),
            "i1", "@" TL_STR_FMT " takes a truth value and what its message is about",
            TL_STR_ARG(name));
    TL_RULE(r, r->n_declared == 0, "c1", "@" TL_STR_FMT " has no results, %u are declared",
            TL_STR_ARG(name), r->n_declared);
    return tl_rule_give(r, NULL, 0, NULL);
  }
  if (target == TL_TARGET_DYNAMIC_REDUCE_WINDOW) return dynamic_reduce_window(r);
  TL_RULE(r, op->n_operands == 2, "i1", "@" TL_STR_FMT " takes 2 operands, got %u",
          TL_STR_ARG(name), op->n_operands);
  TL_RULE(r, tl_type_agrees(tl_rule_in(r, 0), tl_rule_in(r, 1)), "i1",
          "@" TL_STR_FMT " takes operands of one type, got %s and %s", TL_STR_ARG(name),
          tl_rule_type(r, tl_rule_in(r, 0)), tl_rule_type(r, tl_rule_in(r, 1)));
  TL_RULE(r,
          tl_op_i64(op, TL_A_CUSTOM_CALL_min_ulp_difference) >= 0 &&
              tl_op_i64(op, TL_A_CUSTOM_CALL_max_ulp_difference) >= 0,
          "i3", "a difference in ulp is at least 0");
  TL_RULE(r, tl_op_f64(op, TL_A_CUSTOM_CALL_tolerance) >= 0, "i3", "a tolerance is at least 0");
  TL_RULE(r, r->n_declared == 0, "c1", "@" TL_STR_FMT " has no results, %u are declared",
          TL_STR_ARG(name), r->n_declared);
  return tl_rule_give(r, NULL, 0, NULL);
}

tl_status tl_infer_barrier(tl_rule *r) {
  return give_values(r, r->op->operands, r->op->n_operands, "c1");
}

tl_status tl_infer_return(tl_rule *r) { return tl_rule_give(r, NULL, 0, NULL); }
