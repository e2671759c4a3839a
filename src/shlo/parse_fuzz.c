// Any bytes may be a module's text: the reader must refuse or read them, and what it read must
// print as text that reads back to the same functions and prints to the same bytes.
#include "ir/dim.h"
#include "passes/specialise.h"
#include "shlo/shlo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond) ((cond) ? (void)0 : __builtin_trap())

static tl_module *read_text(tl_str text) {
  tl_diags diags = {0};
  tl_module *m = NULL;
  tl_status st = tl_shlo_parse(text, "fuzz.mlir", &diags, &m);
  MUST((st == TL_OK) == (m != NULL));
  tl_buf said = {0};
  tl_diags_print(&diags, &said, false);
  tl_buf_deinit(&said);
  tl_diags_deinit(&diags);
  tl_status_drop(st);
  return m;
}

// Every symbol is 3, and every `?` of @main 2: where that fits, a module of numbers comes out.
static void specialise(const tl_module *m) {
  enum { MOST = 64 };
  const tl_symbol *symbols;
  const uint32_t n_symbols = tl_dim_symbols(m, &symbols);
  const tl_func *fn = tl_module_find(m, TL_STR("main"));
  int64_t values[MOST], dims[MOST][TL_MAX_RANK];
  tl_type types[MOST];
  if (n_symbols > MOST || fn == NULL || fn->body->n_args > MOST) return;
  for (uint32_t i = 0; i < n_symbols; i++)
    values[i] = 3;
  for (uint32_t i = 0; i < fn->body->n_args; i++) {
    types[i] = fn->body->args[i]->type;
    for (uint32_t d = 0; d < types[i].rank; d++) {
      uint32_t symbol;
      dims[i][d] = tl_dim_is_any(types[i].dims[d]) ? 2 : types[i].dims[d];
      if (tl_dim_is_named(types[i].dims[d]) &&
          tl_dim_eval(m, types[i].dims[d], values, &dims[i][d], &symbol) != TL_DIM_FINE)
        return;
    }
    types[i].dims = dims[i];
  }
  tl_diags diags = {0};
  tl_module *made = NULL;
  tl_status st = tl_module_specialise_to(m, TL_STR("main"), types, fn->body->n_args, &diags, &made);
  if (st == TL_OK) {
    tl_diags said = {0};
    tl_status verified = tl_module_verify(made, &said), open = tl_module_require_static(made);
    MUST(tl_status_get_code(verified) == TL_STATUS_RESOURCE_EXHAUSTED || verified == TL_OK);
    MUST(open == TL_OK);
    tl_status_drop(verified);
    tl_diags_deinit(&said);
    tl_module_destroy(made);
  }
  tl_status_drop(st);
  tl_diags_deinit(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tl_module *m = read_text((tl_str){(const char *)data, size});
  if (m == NULL) return 0;
  if (size < 4096) specialise(m);
  tl_buf text = {0}, again = {0};
  const tl_shlo_print_options hex = {.hex_literals = true, .no_wrapper = size % 2 == 0};
  tl_status st = tl_shlo_print(m, size % 3 == 0 ? &hex : NULL, &text);
  if (st == TL_OK) {
    tl_module *back = read_text(tl_buf_view(&text));
    MUST(back != NULL && back->n_funcs == m->n_funcs);
    for (const tl_func *f = m->first, *g = back->first; f != NULL; f = f->next, g = g->next)
      MUST(tl_func_eq(f, g));
    st = tl_shlo_print(back, size % 3 == 0 ? &hex : NULL, &again);
    MUST(st == TL_OK && tl_str_eq(tl_buf_view(&text), tl_buf_view(&again)));
    tl_module_destroy(back);
  }
  tl_status_drop(st);
  tl_buf_deinit(&text);
  tl_buf_deinit(&again);
  tl_module_destroy(m);
  return 0;
}
