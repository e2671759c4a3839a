// The reader's functions and modules.
//
// Values keep their numbers: where every name of a function is a number of its own, or `%s<k>`, as
// we print them, the text comes out again byte for byte. Any other naming is renumbered in the
// order of printing.
#include "shlo/shlo.h"

#include "ir/dim.h"
#include "shlo/parser.h"

// Functions.

// Ids in the order of printing: an op's results, then its regions. The arguments of a while's body
// are the condition's.
static void renumber(tl_func *fn, tl_block *block,
                     const tl_block *shared) { // NOLINT(misc-no-recursion)
  for (uint32_t i = 0; i < block->n_args; i++) {
    block->args[i]->scratch = false;
    const bool one = shared != NULL && i < shared->n_args;
    block->args[i]->id = (one ? shared->args[i]->id : fn->next_id++) & TL_MAX_ID;
  }
  for (tl_op *op = block->first; op != NULL; op = op->next) {
    for (uint32_t i = 0; i < op->n_results; i++) {
      op->results[i]->scratch = false;
      op->results[i]->id = fn->next_id & TL_MAX_ID;
    }
    fn->next_id += op->n_results > 0;
    // The combiner behind `applies` has no names; it stays scratch.
    for (uint32_t i = 0; i < op->n_regions; i++)
      if (op->code != TL_OP_REDUCE || op->regions[i]->n_args == 0 ||
          !op->regions[i]->args[0]->scratch)
        renumber(fn, op->regions[i], op->code == TL_OP_WHILE && i == 1 ? op->regions[0] : NULL);
  }
}

static void largest_id(const tl_block *block, uint32_t *next) { // NOLINT(misc-no-recursion)
  for (uint32_t i = 0; i < block->n_args; i++)
    if (!block->args[i]->scratch) *next = TL_MAX(*next, block->args[i]->id + 1u);
  for (const tl_op *op = block->first; op != NULL; op = op->next) {
    if (op->n_results > 0 && !op->results[0]->scratch)
      *next = TL_MAX(*next, op->results[0]->id + 1u);
    for (uint32_t i = 0; i < op->n_regions; i++)
      largest_id(op->regions[i], next);
  }
}

static bool take_arg_attr(tl_parser *p, tl_str name, void *arg, bool *out_taken) {
  tl_arg_info *info = arg;
  *out_taken = true;
  if (tl_str_is(name, "jax.buffer_donor")) {
    info->donor = tl_parser_is_word(p, "true");
    return info->donor ? tl_parser_accept_word(p, "true") : tl_parser_expect_word(p, "false");
  }
  if (tl_str_is(name, "sdy.sharding")) return tl_parser_sharding_attr(p, &info->sharding);
  if (tl_str_is(name, "tlaloc.dims")) return tl_parser_dims(p, true);
  if (tl_str_is(name, "jax.global_constant")) return tl_parser_string(p, &info->size_name);
  *out_taken = tl_str_is(name, "tf.aliasing_output");
  if (!*out_taken) return true;
  int64_t output;
  tl_loc loc = tl_parser_here(p);
  if (!tl_parser_int_attr(p, &output)) return false;
  if (output < 0 || output > INT32_MAX)
    return tl_parser_fail(p, loc, "tf.aliasing_output wants the number of a result");
  info->alias_output = (int32_t)output;
  return true;
}

typedef struct result_infos { // what results carry besides their types
  const tl_sharding **shardings;
  uint32_t n, cap;
  bool any;
} result_infos;

static bool take_result_attr(tl_parser *p, tl_str name, void *arg, bool *out_taken) {
  *out_taken = true;
  if (tl_str_is(name, "tlaloc.dims")) return tl_parser_dims(p, false);
  *out_taken = tl_str_is(name, "sdy.sharding");
  return !*out_taken || tl_parser_sharding_attr(p, arg);
}

// A result more, with its {…} where it is there.
static bool result_info(tl_parser *p, result_infos *r) {
  if (!tl_parser_grow(p, &r->shardings, r->n, &r->cap, sizeof *r->shardings)) return false;
  r->shardings[r->n] = NULL;
  if (tl_parser_is(p, '{') &&
      !tl_parser_neutral_dict(p, "a result", take_result_attr, &r->shardings[r->n]))
    return false;
  r->any |= r->shardings[r->n++] != NULL;
  return true;
}

typedef struct param_list {
  tl_region_arg *args; // [n] as they stand in the text
  uint32_t n, cap;
  tl_arg_info *infos; // [n_leaves] of tensors, which is what parameters are
  tl_type *types;     // the same
  tl_loc *locs;       // the same
  uint32_t n_leaves;
} param_list;

// Types and places of the tensors; `infos` are there already, or made here.
static bool params_flatten(tl_parser *p, param_list *l) {
  uint32_t n = 0, at = 0;
  for (uint32_t i = 0; i < l->n; i++)
    n += tl_region_arg_leaves(&l->args[i]);
  l->types = TL_NEW(p->m->arena, tl_type, n + 1);
  l->locs = TL_NEW(p->m->arena, tl_loc, n + 1);
  if (l->types == NULL || l->locs == NULL) return tl_parser_oom(p);
  for (uint32_t i = 0; i < l->n; i++)
    for (uint32_t k = 0; k < tl_region_arg_leaves(&l->args[i]); k++) {
      l->types[at] = l->args[i].written == NULL ? l->args[i].type : l->args[i].leaves[k];
      l->locs[at++] = l->args[i].loc;
    }
  l->n_leaves = n;
  if (l->infos != NULL) return true;
  l->infos = TL_NEW(p->m->arena, tl_arg_info, n + 1);
  if (l->infos == NULL) return tl_parser_oom(p);
  for (uint32_t i = 0; i < n; i++)
    l->infos[i].alias_output = -1;
  return true;
}

static bool params_read(tl_parser *p, param_list *out) {
  uint32_t cap_infos = 0, n_infos = 0;
  if (!tl_parser_expect(p, '(', "'(' and the parameters")) return false;
  if (!tl_parser_accept(p, ')')) {
    do {
      if (!tl_parser_is(p, TL_TOKEN_VALUE))
        return tl_parser_want(p, "a parameter such as %arg0: tensor<f32>");
      if (!tl_parser_grow(p, &out->args, out->n, &out->cap, sizeof *out->args)) return false;
      tl_region_arg *arg = &out->args[out->n++];
      tl_arg_info info = {.alias_output = -1};
      *arg = (tl_region_arg){.name = p->tok.text, .loc = tl_parser_here(p)};
      tl_parser_next(p);
      if (!tl_parser_expect(p, ':', "':' and the parameter's type") || !tl_parser_arg_type(p, arg))
        return false;
      if (tl_parser_is(p, '{') && !tl_parser_neutral_dict(p, "a parameter", take_arg_attr, &info))
        return false;
      if ((arg->written == NULL && !tl_parser_take_dims(p, &arg->type, 1)) ||
          !tl_parser_skip_loc(p))
        return false;
      for (uint32_t k = 0; k < tl_region_arg_leaves(arg); k++) {
        if (!tl_parser_grow(p, &out->infos, n_infos, &cap_infos, sizeof info)) return false;
        out->infos[n_infos++] = arg->written == NULL ? info : (tl_arg_info){.alias_output = -1};
      }
    } while (tl_parser_accept(p, ','));
    if (!tl_parser_expect(p, ')', "')' behind the parameters")) return false;
  }
  return params_flatten(p, out);
}

static bool func_results_read(tl_parser *p, tl_types *out, result_infos *infos) {
  if (!tl_parser_accept(p, TL_TOKEN_ARROW)) return true;
  bool parens = tl_parser_accept(p, '(');
  if (parens && tl_parser_accept(p, ')')) return true;
  do {
    const tl_written *written;
    const uint32_t from = out->len;
    if (!tl_parser_leaves(p, out, &written)) return false;
    if (parens && out->len > from && !result_info(p, infos)) return false;
    for (uint32_t i = from + 1; parens && i < out->len; i++) // the other tensors of a tuple
      if (!tl_parser_grow(p, &infos->shardings, infos->n, &infos->cap, sizeof *infos->shardings))
        return false;
      else
        infos->shardings[infos->n++] = NULL;
    if (written == NULL && !tl_parser_take_dims(p, &out->ptr[from], 1)) return false;
  } while (parens && tl_parser_accept(p, ','));
  return !parens || tl_parser_expect(p, ')', "')' behind the results");
}

// Of a donated argument: its result is there, has its type, and no other argument is donated to it.
static bool aliases_check(tl_parser *p, const param_list *params, const tl_types *results) {
  uint32_t *taken = results->len == 0 ? NULL : TL_NEW(p->m->arena, uint32_t, results->len);
  if (results->len > 0 && taken == NULL) return tl_parser_oom(p);
  for (uint32_t i = 0; i < params->n_leaves; i++) {
    int32_t to = params->infos[i].alias_output;
    if (to < 0) continue;
    if ((uint32_t)to >= results->len)
      return tl_parser_fail(p, params->locs[i], "tf.aliasing_output names result %d of %u", to,
                            results->len);
    if (taken[to] != 0)
      return tl_parser_fail(p, params->locs[i],
                            "result %d is the alias of two parameters, %u and %u", to,
                            taken[to] - 1, i);
    taken[to] = i + 1;
    if (tl_type_agrees(params->types[i], results->ptr[to])) continue;
    tl_parser_report_types(p, params->locs[i], "tf.aliasing_output: the parameter",
                           params->types[i], "the result", results->ptr[to]);
    return false;
  }
  return true;
}

static tl_func *func_new(tl_parser *p) {
  tl_func *fn = TL_NEW(p->m->arena, tl_func, 1);
  tl_block *body = TL_NEW(p->m->arena, tl_block, 1);
  if (fn == NULL || body == NULL) {
    tl_parser_oom(p);
    return NULL;
  }
  *fn = (tl_func){.body = body, .module = p->m};
  *body = (tl_block){.func = fn};
  return fn;
}

// From behind the body's '{' to its '}', which stays; then the function joins the module.
static bool func_body(tl_parser *p, tl_func *fn, const param_list *params,
                      const tl_types *results) {
  tl_block *body = fn->body;
  tl_parser_forget_names(p); // the names of one function are nothing to the next
  p->renumber = false;
  p->fn = fn;
  p->block = body;
  fn->args = params->infos;
  fn->n_results = results->len;
  if (results->len > 0) {
    fn->result_types = TL_NEW(p->m->arena, tl_type, results->len);
    if (fn->result_types == NULL) return tl_parser_oom(p);
    memcpy(fn->result_types, results->ptr, results->len * sizeof *fn->result_types);
  }
  if (!tl_parser_args_define(p, body, params->args, params->n, false)) return false;
  if (!tl_parser_block(p, "a function")) return false;
  const tl_op *ret = body->last; // a `?` of the signature is what is returned
  for (uint32_t i = 0; ret != NULL && ret->code == TL_OP_RETURN && i < ret->n_operands; i++)
    if (i < fn->n_results && tl_parser_type_fits(ret->operands[i]->type, fn->result_types[i]))
      fn->result_types[i] = ret->operands[i]->type;
  if (p->renumber)
    renumber(fn, body, NULL);
  else
    largest_id(body, &fn->next_id);
  if (!tl_map_put(&p->funcs, fn->name, (uintptr_t)fn)) return tl_parser_oom(p);
  tl_module_add(p->m, fn);
  return true;
}

static bool func_name_is_free(tl_parser *p, const tl_func *fn) {
  return !tl_map_get(&p->funcs, fn->name, NULL) ||
         tl_parser_fail(p, fn->loc, "function @" TL_STR_FMT " is defined twice",
                        TL_STR_ARG(fn->name));
}

// func.func private @f(%0: T) -> T { … }
static bool func_read(tl_parser *p) {
  tl_func *fn = func_new(p);
  if (fn == NULL) return false;
  tl_parser_next(p);
  fn->is_private = tl_parser_accept_word(p, "private");
  if (!fn->is_private)
    (void)(tl_parser_accept_word(p, "public") || tl_parser_accept_word(p, "nested"));
  fn->loc = tl_parser_here(p);
  param_list params = {0};
  tl_types results = {0};
  result_infos infos = {0};
  if (!tl_parser_symbol(p, &fn->name) || !func_name_is_free(p, fn) || !params_read(p, &params) ||
      !func_results_read(p, &results, &infos) || !aliases_check(p, &params, &results))
    return false;
  if (infos.any) fn->result_shardings = infos.shardings;
  if (tl_parser_accept_word(p, "attributes")) {
    if (!tl_parser_is(p, '{')) return tl_parser_want(p, "'{' behind attributes");
    if (!tl_parser_neutral_dict(p, "a function", NULL, NULL)) return false;
  }
  return tl_parser_expect(p, '{', "'{' and the function's body") &&
         func_body(p, fn, &params, &results) &&
         tl_parser_expect(p, '}', "'}' behind the function's body") && tl_parser_skip_loc(p);
}

// The quoted form.

typedef struct quoted_func {
  tl_func *fn;
  tl_types params, results;
  tl_arg_info *infos; // of arg_attrs
  uint32_t n_infos, cap_infos;
  result_infos results_infos; // of res_attrs
  bool typed;
} quoted_func;

// [{…}, {…}], of parameters or of results.
static bool dict_list(tl_parser *p, quoted_func *f, bool of_results) {
  if (!tl_parser_expect(p, '[', "'[' and attributes")) return false;
  if (tl_parser_accept(p, ']')) return true;
  do {
    if (of_results) {
      if (!result_info(p, &f->results_infos)) return false;
      continue;
    }
    if (!tl_parser_grow(p, &f->infos, f->n_infos, &f->cap_infos, sizeof *f->infos)) return false;
    f->infos[f->n_infos] = (tl_arg_info){.alias_output = -1};
    if (!tl_parser_neutral_dict(p, "a parameter", take_arg_attr, &f->infos[f->n_infos++]))
      return false;
    if (p->has_dims)
      return tl_parser_fail(p, p->dims_loc,
                            "tlaloc.dims is read beside the type alone: func.func @f(%%0: …)");
  } while (tl_parser_accept(p, ','));
  return tl_parser_expect(p, ']', "']' behind the attributes");
}

static bool take_func_attr(tl_parser *p, tl_str name, void *arg, bool *out_taken) {
  quoted_func *f = arg;
  *out_taken = true;
  if (tl_str_is(name, "function_type")) {
    if (f->typed) return tl_parser_fail(p, tl_parser_here(p), "function_type is given twice");
    f->typed = true;
    return tl_parser_types_in_parens(p, &f->params) &&
           tl_parser_expect(p, TL_TOKEN_ARROW, "'->' and the result types") &&
           tl_parser_result_types(p, &f->results);
  }
  if (tl_str_is(name, "sym_name")) {
    f->fn->loc = tl_parser_here(p);
    return tl_parser_string(p, &f->fn->name);
  }
  if (tl_str_is(name, "sym_visibility")) {
    tl_str visibility;
    if (!tl_parser_string(p, &visibility)) return false;
    f->fn->is_private = tl_str_is(visibility, "private");
    return true;
  }
  if (tl_str_is(name, "arg_attrs"))
    return f->infos == NULL ? dict_list(p, f, false) : tl_parser_want(p, "one arg_attrs");
  if (tl_str_is(name, "res_attrs"))
    return f->results_infos.n == 0 ? dict_list(p, f, true) : tl_parser_want(p, "one res_attrs");
  *out_taken = false;
  return true;
}

// ({ … }) {…} : () -> () behind the properties; `body` reads what is between the braces.
static bool quoted_start(tl_parser *p, const char *of, tl_attr_taker take, void *arg) {
  tl_parser_next(p);
  if (!tl_parser_expect(p, '(', "'()'") || !tl_parser_expect(p, ')', "'()'")) return false;
  if (tl_parser_accept(p, '<') && (!tl_parser_neutral_dict(p, of, take, arg) ||
                                   !tl_parser_expect(p, '>', "'>' behind the attributes")))
    return false;
  return tl_parser_expect(p, '(', "'({' and the body") &&
         tl_parser_expect(p, '{', "'{' and the body");
}

static bool quoted_end(tl_parser *p, const char *of) {
  tl_types none = {0};
  if (!tl_parser_expect(p, '}', "'}' behind the body") ||
      !tl_parser_expect(p, ')', "')' behind the body"))
    return false;
  if (tl_parser_is(p, '{') && !tl_parser_neutral_dict(p, of, NULL, NULL)) return false;
  return tl_parser_expect(p, ':', "': () -> ()'") && tl_parser_types_in_parens(p, &none) &&
         tl_parser_expect(p, TL_TOKEN_ARROW, "'->'") && tl_parser_types_in_parens(p, &none) &&
         tl_parser_skip_loc(p) &&
         (none.len == 0 ||
          tl_parser_fail(p, tl_parser_here(p), "%s has no operands and no results", of));
}

// "func.func"() <{function_type = (T) -> T, sym_name = "f"}> ({ ^bb0(%0: T): … }) : () -> ()
static bool quoted_func_read(tl_parser *p) {
  quoted_func f = {.fn = func_new(p)};
  if (f.fn == NULL) return false;
  tl_loc loc = tl_parser_here(p);
  if (!quoted_start(p, "a function", take_func_attr, &f)) return false;
  if (f.fn->name.len == 0 || !f.typed)
    return tl_parser_fail(p, loc, "func.func wants sym_name and function_type");
  if (!func_name_is_free(p, f.fn)) return false;
  param_list params = {.infos = f.infos};
  if (!tl_parser_block_label(p, &params.args, &params.n)) return false;
  if (!params_flatten(p, &params)) return false;
  bool agree = params.n_leaves == f.params.len && (f.infos == NULL || f.n_infos == params.n_leaves);
  for (uint32_t i = 0; i < params.n_leaves && agree; i++)
    agree = tl_type_eq(params.types[i], f.params.ptr[i]);
  if (!agree)
    return tl_parser_fail(p, f.fn->loc,
                          "the arguments of the block are not those of function_type");
  if (f.results_infos.any && f.results_infos.n != f.results.len)
    return tl_parser_fail(p, f.fn->loc, "res_attrs has %u dictionaries for %u results",
                          f.results_infos.n, f.results.len);
  if (f.results_infos.any) f.fn->result_shardings = f.results_infos.shardings;
  return aliases_check(p, &params, &f.results) && func_body(p, f.fn, &params, &f.results) &&
         quoted_end(p, "a function");
}

// Modules.

// #name = attribute: remembered by its place, read where it is used.
static bool alias_read(tl_parser *p) {
  tl_str name = p->tok.text;
  tl_parser_next(p);
  if (!tl_parser_is(p, '=')) return tl_parser_want(p, "'=' behind the alias");
  tl_lexer at = p->lex;
  tl_parser_next(p);
  if (tl_parser_is_word(p, "loc")) return tl_parser_skip_loc(p);
  if (tl_map_get(&p->aliases, name, NULL))
    return tl_parser_fail(p, tl_parser_here(p), "the alias " TL_STR_FMT " is defined twice",
                          TL_STR_ARG(name));
  if (!tl_parser_skip_value(p)) return false;
  if (!tl_parser_heap_grow(p, &p->alias_at, p->n_aliases, &p->cap_aliases, sizeof *p->alias_at))
    return false;
  if (!tl_map_put(&p->aliases, name, p->n_aliases)) return tl_parser_oom(p);
  p->alias_at[p->n_aliases++] = at;
  return true;
}

static bool mesh_add(tl_parser *p, tl_mesh *mesh, tl_loc loc) {
  tl_mesh **end = &p->m->meshes;
  for (; *end != NULL; end = &(*end)->next)
    if (tl_str_eq((*end)->name, mesh->name))
      return tl_parser_fail(p, loc, "the mesh @" TL_STR_FMT " is defined twice",
                            TL_STR_ARG(mesh->name));
  *end = mesh;
  return true;
}

// {stablehlo.mesh = {…}} says what the mesh says.
static bool take_mesh_attr(tl_parser *p, tl_str name, void *arg, bool *out_taken) {
  tl_mesh *mesh = arg;
  *out_taken = true;
  if (tl_str_is(name, "stablehlo.mesh")) {
    mesh->stablehlo = true;
    return tl_parser_skip_value(p);
  }
  if (tl_str_is(name, "sym_name")) return tl_parser_string(p, &mesh->name);
  *out_taken = tl_str_is(name, "mesh");
  if (!*out_taken) return true;
  if (!tl_parser_is(p, TL_TOKEN_HASH) || !tl_str_is(p->tok.text, "#sdy.mesh"))
    return tl_parser_want(p, "#sdy.mesh<…>");
  tl_parser_next(p);
  return tl_parser_mesh(p, mesh);
}

// sdy.mesh @mesh = <["x"=2]> {…}, or "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2]>, sym_name = "mesh"}>
// {…} : () -> ()
static bool mesh_read(tl_parser *p) {
  tl_mesh *mesh = TL_NEW(p->m->arena, tl_mesh, 1);
  tl_types none = {0};
  const tl_loc loc = tl_parser_here(p);
  if (mesh == NULL) return tl_parser_oom(p);
  *mesh = (tl_mesh){0};
  bool quoted = tl_parser_is(p, TL_TOKEN_STRING);
  tl_parser_next(p);
  if (!quoted && (!tl_parser_symbol(p, &mesh->name) ||
                  !tl_parser_expect(p, '=', "'=' and the mesh") || !tl_parser_mesh(p, mesh)))
    return false;
  if (quoted && (!tl_parser_expect(p, '(', "'()'") || !tl_parser_expect(p, ')', "'()'") ||
                 !tl_parser_expect(p, '<', "'<' and attributes") ||
                 !tl_parser_neutral_dict(p, "a mesh", take_mesh_attr, mesh) ||
                 !tl_parser_expect(p, '>', "'>' behind the attributes")))
    return false;
  if (tl_parser_is(p, '{') && !tl_parser_neutral_dict(p, "a mesh", take_mesh_attr, mesh))
    return false;
  if (quoted &&
      (!tl_parser_expect(p, ':', "': () -> ()'") || !tl_parser_types_in_parens(p, &none) ||
       !tl_parser_expect(p, TL_TOKEN_ARROW, "'->'") || !tl_parser_types_in_parens(p, &none)))
    return false;
  if (mesh->name.len == 0) return tl_parser_fail(p, loc, "a mesh wants a name");
  return tl_parser_skip_loc(p) && mesh_add(p, mesh, loc);
}

static bool item_read(tl_parser *p) {
  if (tl_parser_is(p, TL_TOKEN_HASH)) return alias_read(p);
  if (tl_parser_is_word(p, "func.func")) return func_read(p);
  if (tl_parser_is(p, TL_TOKEN_STRING) && tl_str_is(p->tok.text, "\"func.func\""))
    return quoted_func_read(p);
  if (tl_parser_is_word(p, "sdy.mesh") ||
      (tl_parser_is(p, TL_TOKEN_STRING) && tl_str_is(p->tok.text, "\"sdy.mesh\"")))
    return mesh_read(p);
  return tl_parser_want(p, "func.func");
}

static void items_read(tl_parser *p, bool wrapped) {
  while (!tl_parser_is(p, TL_TOKEN_END) && !(wrapped && tl_parser_is(p, '}')) && !p->oom) {
    const char *from = p->tok.text.ptr;
    uint32_t depth = p->depth;
    tl_arena_point mark = tl_arena_mark(p->temp);
    bool read = item_read(p);
    tl_arena_rewind(p->temp, mark);
    if (read) continue;
    if (p->tok.text.ptr == from) tl_parser_next(p);
    // A function that could not be read may have left its body open.
    while (!tl_parser_is(p, TL_TOKEN_END) && p->depth > depth)
      tl_parser_next(p);
    tl_parser_recover(p, depth);
    if (!wrapped && tl_parser_is(p, '}')) tl_parser_next(p);
  }
}

static void aliases_read(tl_parser *p) {
  while (tl_parser_is(p, TL_TOKEN_HASH) && !p->oom)
    if (!alias_read(p)) tl_parser_recover(p, p->depth);
}

static bool take_module_attr(tl_parser *p, tl_str name, void *arg, bool *out_taken) {
  (void)arg;
  *out_taken = true;
  if (tl_str_is(name, "tlaloc.symbols")) return tl_parser_symbols(p);
  *out_taken = tl_str_is(name, "sym_name");
  return !*out_taken || tl_parser_string(p, &p->m->name);
}

static bool module_start(tl_parser *p) { // behind the word
  if (tl_parser_is(p, TL_TOKEN_SYMBOL) && !tl_parser_symbol(p, &p->m->name)) return false;
  if (tl_parser_accept_word(p, "attributes")) {
    if (!tl_parser_is(p, '{')) return tl_parser_want(p, "'{' behind attributes");
    if (!tl_parser_neutral_dict(p, "a module", take_module_attr, NULL)) return false;
  }
  return tl_parser_expect(p, '{', "'{' and the module's functions");
}

static void module_read(tl_parser *p) {
  aliases_read(p);
  bool quoted = tl_parser_is(p, TL_TOKEN_STRING) && tl_str_is(p->tok.text, "\"builtin.module\"");
  if (!quoted && !tl_parser_accept_word(p, "module") &&
      !tl_parser_accept_word(p, "builtin.module")) {
    items_read(p, false);
    return;
  }
  if (!(quoted ? quoted_start(p, "a module", take_module_attr, NULL) : module_start(p))) return;
  items_read(p, true);
  if (!(quoted ? quoted_end(p, "a module")
               : tl_parser_expect(p, '}', "'}' behind the module") && tl_parser_skip_loc(p)))
    return;
  aliases_read(p);
  if (!tl_parser_is(p, TL_TOKEN_END)) tl_parser_want(p, "the end of the text behind the module");
}

static bool ops_table(tl_parser *p) {
  for (size_t i = 0; i < TL_OP_COUNT; i++) {
    const tl_op_info *info = tl_op_get((tl_opcode)i);
    if ((info->traits & TL_NAMED) == 0 && !tl_map_put(&p->ops, tl_str_of(info->mnemonic), i))
      return false;
  }
  return true;
}

// The module's copy of the name dies with the module; messages then point at the caller's.
static void diags_rename(tl_diags *d, const char *from, const char *to) {
  for (size_t i = 0; i < d->len; i++)
    if (d->items[i].loc.file == from) d->items[i].loc.file = to;
}

tl_status tl_shlo_parse(tl_str text, const char *name, tl_diags *diags, tl_module **out_module) {
  diags->source = text;
  if (text.len > INT32_MAX)
    return TL_ERROR(INVALID_ARGUMENT, "%s: a module's text over 2 GiB is not supported", name);
  if (text.len >= 4 && memcmp(text.ptr, "ML\xefR", 4) == 0)
    return TL_ERROR(
        INVALID_ARGUMENT,
        "%s: this is MLIR bytecode, which is not read; print it as text first (mlir-opt or "
        "stablehlo-opt FILE, or in Python print(module))",
        name);
  tl_module *m = tl_module_create();
  if (m == NULL) return TL_OOM();
  tl_str file = tl_str_copy(m->arena, tl_str_of(name));
  size_t errors = diags->n_errors;
  tl_status st = TL_OK;
  tl_parser p;
  tl_parser_init(&p, text, m, file.ptr, diags);
  if (file.ptr == NULL || !ops_table(&p))
    p.oom = true;
  else if (!p.oom && tl_parser_resources(&p, text))
    module_read(&p);
  if (p.oom || diags->oom)
    st = TL_OOM();
  else if (diags->n_errors > errors)
    st = tl_diags_status(diags);
  if (st == TL_OK) st = tl_module_verify(m, diags);
  if (st == TL_OK) st = tl_shlo_recognise(&p);
  tl_parser_deinit(&p);
  if (st != TL_OK) {
    diags_rename(diags, file.ptr, name);
    tl_module_destroy(m);
    return st;
  }
  *out_module = m;
  return TL_OK;
}
