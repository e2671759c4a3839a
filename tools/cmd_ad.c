// tlaloc grad, jvp, vjp, hessian, vmap: a StableHLO module in, the module of its derivative out,
// the entry under the name it had.
#include "cmd_check.h"
#include "module.h"

#include "ad/ad.h"
#include "ir/dim.h"
#include "passes/passes.h"

typedef tl_status transform_fn(const tl_cli *cli, tl_module *m, const tl_func *f, tl_diags *diags,
                               tl_func **out);

// --wrt, or every argument that is a float.
static tl_status wrt_of(const tl_cli *cli, const tl_func *f, tl_u32s *out) {
  *out = cli->wrt;
  if (cli->has_wrt) return TL_OK;
  out->ptr = TL_NEW(cli->arena, uint32_t, f->body->n_args + 1);
  if (!out->ptr) return TL_OOM();
  out->len = 0;
  for (uint32_t i = 0; i < f->body->n_args; i++) {
    tl_dtype_kind kind = tl_dtype_get(f->body->args[i]->type.dtype)->kind;
    if (kind == TL_KIND_FLOAT || kind == TL_KIND_COMPLEX) out->ptr[out->len++] = i;
  }
  if (!out->len)
    return TL_ERROR(INVALID_ARGUMENT, "@" TL_STR_FMT " has no float argument", TL_STR_ARG(f->name));
  return TL_OK;
}

static const char temporary[] = "tl.derivative";

static tl_ad_options options_of(const tl_cli *cli, tl_diags *diags) {
  return (tl_ad_options){.value = cli->value,
                         .n_aux = cli->aux,
                         .checkpoints = cli->checkpoints,
                         .flat = !cli->shaped,
                         .diags = diags};
}

#define TRANSFORM(name)                                                                          \
  static tl_status name##_of(const tl_cli *cli, tl_module *m, const tl_func *f, tl_diags *diags, \
                             tl_func **out) {                                                    \
    tl_u32s wrt;                                                                                 \
    TL_TRY(wrt_of(cli, f, &wrt));                                                                \
    tl_ad_options o = options_of(cli, diags);                                                    \
    return tl_ad_##name(m, f, wrt.ptr, (uint32_t)wrt.len, &o, temporary, out);                   \
  }
TRANSFORM(grad)
TRANSFORM(jvp)
TRANSFORM(vjp)
TRANSFORM(hessian)
#undef TRANSFORM

// "0,none,-1": an axis for each of n.
static tl_status axes_of(const tl_cli *cli, const char *flag, const char *text, uint32_t n,
                         const int64_t **out) {
  int64_t *axes = TL_NEW(cli->arena, int64_t, n + 1);
  if (!axes) return TL_OOM();
  uint32_t len = 0;
  for (const char *at = text; *at || len == 0; len++) {
    const size_t size = strcspn(at, ",");
    const tl_str word = {at, size};
    int64_t axis = TL_NOT_BATCHED;
    if (!tl_str_is(word, "none") && (!tl_str_to_i64(word, &axis) || axis == TL_NOT_BATCHED))
      return TL_ERROR(INVALID_ARGUMENT, "%s: '" TL_STR_FMT "' is neither a number nor none", flag,
                      TL_STR_ARG(word));
    if (len < n) axes[len] = axis;
    at += size + (at[size] == ',');
  }
  if (len != n) return TL_ERROR(INVALID_ARGUMENT, "%s names %u axes for %u values", flag, len, n);
  *out = axes;
  return TL_OK;
}

static tl_status vmap_of(const tl_cli *cli, tl_module *m, const tl_func *f, tl_diags *diags,
                         tl_func **out) {
  tl_vmap_options o = {.diags = diags};
  const char *size = cli->size ? cli->size : "batch";
  int64_t taken; // by a batch before this one
  for (int i = 2; !cli->size && tl_dim_find_symbol(m, tl_str_of(size), &taken); i++) {
    size = tl_arena_printf(cli->arena, "batch%d", i);
    if (!size) return TL_OOM();
  }
  int64_t number;
  if (tl_str_to_i64(tl_str_of(size), &number)) {
    if (number <= 0) return TL_ERROR(INVALID_ARGUMENT, "--size %s is no batch", size);
    o.size = number;
  } else if (!tl_dim_symbol(m, tl_str_of(size), -1, &o.size)) {
    return TL_ERROR(INVALID_ARGUMENT, "--size '%s' is neither a number nor a name", size);
  }
  const char *wrong = cli->axes;
  if (wrong) {
    TL_TRY(axes_of(cli, "--axes", cli->axes, f->body->n_args, &o.in_axes));
  } else {
    int64_t *zeros = TL_NEW(cli->arena, int64_t, f->body->n_args + 1);
    if (!zeros) return TL_OOM();
    memset(zeros, 0, (f->body->n_args + 1) * sizeof *zeros);
    o.in_axes = zeros;
  }
  if (cli->out_axes) TL_TRY(axes_of(cli, "--out-axes", cli->out_axes, f->n_results, &o.out_axes));
  return tl_ad_vmap(m, f, &o, temporary, out);
}

static bool is_it(const tl_func *fn, void *it) { return fn == it; }

// m without what is dead, `fn` in the place of `f`. Whoever else calls f would call something else.
static tl_status take_place(tl_module *m, tl_func *f, tl_func *fn, tl_module **out) {
  f->is_private = true;
  fn->is_private = false;
  TL_TRY(tl_pass_dce(m, out));
  if (tl_module_find(*out, f->name))
    return TL_ERROR(INVALID_ARGUMENT,
                    "@" TL_STR_FMT " is called by another function of the module, "
                    "which would call its derivative",
                    TL_STR_ARG(f->name));
  tl_func *last = tl_module_find(*out, fn->name);
  if (!last) return TL_ERROR(INTERNAL, "@" TL_STR_FMT " is lost", TL_STR_ARG(fn->name));
  tl_module_drop(*out, is_it, last);
  last->next = NULL;
  last->name = f->name;
  tl_module_add(*out, last);
  return TL_OK;
}

static int run(const tl_cli *cli, transform_fn *transform) {
  tl_buf text = {0};
  tl_module *m = NULL, *clean = NULL;
  bool shown = false;
  tl_func *fn = NULL;
  tl_status st = tl_cli_module_read(cli, &text, &m, &shown);
  tl_diags diags = {.source = tl_buf_view(&text)};
  if (!st) {
    tl_str entry = tl_str_of(cli->entry ? cli->entry : "main");
    if (entry.len && entry.ptr[0] == '@') entry = tl_str_sub(entry, 1, entry.len);
    tl_func *f = tl_module_find(m, entry);
    st = f ? transform(cli, m, f, &diags, &fn)
           : TL_ERROR(NOT_FOUND, "%s: there is no function @" TL_STR_FMT, tl_cli_module_name(cli),
                      TL_STR_ARG(entry));
    if (!st) st = take_place(m, f, fn, &clean);
  }
  if (diags.n_errors) tl_cli_module_show(&diags, &shown);
  if (!st) {
    tl_diags found = {0};
    st = tl_module_verify(clean, &found);
    tl_diags_deinit(&found);
  }
  if (!st) st = tl_cli_module_emit(cli, clean, NULL);
  tl_diags_deinit(&diags);
  tl_module_destroy(clean);
  tl_module_destroy(m);
  tl_buf_deinit(&text);
  if (!shown) return tl_cli_fail(st);
  tl_status_drop(st);
  return TL_EXIT_FAILED;
}

int tl_cmd_grad(const tl_cli *cli) { return run(cli, grad_of); }
// What only one of the two ways of jvp and vjp knows.
static int run_or_check(const tl_cli *cli, transform_fn *transform, bool forward) {
  if (cli->check_custom &&
      (cli->has_out || cli->has_emit || cli->has_value || cli->has_checkpoints))
    return tl_cli_usage(cli,
                        "--check-custom writes nothing: no -o, --emit, --value, --checkpoints");
  if (!cli->check_custom &&
      (cli->inputs.len || cli->has_seed || cli->has_differences || cli->has_tolerance))
    return tl_cli_usage(cli,
                        "--input, --seed, --differences and --tolerance go with --check-custom");
  return cli->check_custom ? tl_check_custom(cli, forward) : run(cli, transform);
}

int tl_cmd_jvp(const tl_cli *cli) { return run_or_check(cli, jvp_of, true); }
int tl_cmd_vjp(const tl_cli *cli) { return run_or_check(cli, vjp_of, false); }
int tl_cmd_hessian(const tl_cli *cli) { return run(cli, hessian_of); }
int tl_cmd_vmap(const tl_cli *cli) { return run(cli, vmap_of); }
