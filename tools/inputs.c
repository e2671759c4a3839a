#include "inputs.h"

#include "ir/dim.h"
#include "module.h"
#include "passes/specialise.h"
#include "shlo/shlo.h"

// With several devices an input may be a list, its first dim a row a device; any other goes to all.
bool tl_cli_input_is_list(const tl_cli *cli, tl_type given, tl_type wanted) {
  return cli->devices > 1 && given.rank == wanted.rank + 1 && given.dims[0] == cli->devices &&
         tl_type_eq((tl_type){given.dtype, wanted.rank, given.dims + 1}, wanted);
}

static tl_status check_inputs(const tl_cli *cli, const tl_func *fn, tl_npy *in) {
  if (cli->inputs.len != fn->body->n_args)
    return TL_ERROR(INVALID_ARGUMENT, "%s: @%.*s takes %u arguments, %zu given by --input",
                    tl_cli_module_name(cli), TL_STR_ARG(fn->name), fn->body->n_args,
                    cli->inputs.len);
  for (uint32_t i = 0; i < fn->body->n_args; i++) {
    const tl_dtype want = fn->body->args[i]->type.dtype;
    TL_TRY(tl_npy_as(&in[i], cli->inputs.ptr[i], want));
    if (tl_dtype_get(want)->pjrt == 0)
      return TL_ERROR(UNIMPLEMENTED, "%s: argument %u: PJRT has no arrays of %s",
                      tl_cli_module_name(cli), i, tl_dtype_get(want)->mlir);
    const tl_type wants = fn->body->args[i]->type; // a size that is a symbol: specialised says
    if (!tl_type_is_static(wants) || tl_type_eq(in[i].type, wants) ||
        tl_cli_input_is_list(cli, in[i].type, wants))
      continue;
    tl_buf found = {0}, wanted = {0};
    tl_type_print(&found, in[i].type);
    tl_type_print(&wanted, fn->body->args[i]->type);
    tl_status st =
        TL_ERROR(INVALID_ARGUMENT, "%s: argument %u is %s, wanted %s", cli->inputs.ptr[i], i,
                 found.ptr ? found.ptr : "?", wanted.ptr ? wanted.ptr : "?");
    tl_buf_deinit(&found);
    tl_buf_deinit(&wanted);
    return st;
  }
  return TL_OK;
}

tl_status tl_cli_inputs_read(const tl_cli *cli, const tl_func *fn, tl_npy **out_in) {
  tl_npy *in = TL_NEW(cli->arena, tl_npy, cli->inputs.len + 1);
  *out_in = in;
  if (!in) return TL_OOM();
  for (size_t i = 0; i < cli->inputs.len; i++)
    TL_TRY(tl_npy_read(cli->inputs.ptr[i], cli->arena, &in[i]));
  return check_inputs(cli, fn, in);
}

void tl_cli_inputs_close(const tl_cli *cli, tl_npy *in) {
  for (size_t i = 0; in && i < cli->inputs.len; i++)
    tl_npy_close(&in[i]);
}

// A module with sizes that are symbols gets them from the inputs' shapes: *m and its text become
// those of a module with numbers.
tl_status tl_cli_specialise(const tl_cli *cli, const tl_npy *in, tl_buf *text, tl_module **m,
                            bool *out_shown) {
  tl_status open = tl_module_require_static(*m);
  if (!open) return TL_OK;
  tl_status_drop(open);
  const uint32_t n = (uint32_t)cli->inputs.len;
  tl_type *types = TL_NEW(cli->arena, tl_type, n + 1);
  tl_module *new = NULL;
  if (!types) return TL_OOM();
  for (uint32_t i = 0; i < n; i++)
    types[i] = in[i].type;
  const tl_func *fn = tl_module_find(*m, TL_STR("main"));
  for (uint32_t i = 0; i < n && fn; i++) // a list, a row a device
    if (cli->devices > 1 && types[i].rank == fn->body->args[i]->type.rank + 1)
      types[i] = (tl_type){types[i].dtype, types[i].rank - 1, types[i].dims + 1};
  tl_diags diags = {.source = tl_buf_view(text)};
  tl_status st = tl_module_specialise_to(*m, TL_STR("main"), types, n, &diags, &new);
  if (st) tl_cli_module_show(&diags, out_shown);
  tl_diags_deinit(&diags);
  if (st) return st;
  tl_module_destroy(*m);
  *m = new;
  tl_buf_deinit(text);
  *text = (tl_buf){0};
  return tl_shlo_print(new, &(tl_shlo_print_options){0}, text);
}
