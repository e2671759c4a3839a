// Any bytes may be a module's text: the reader must refuse or read them, and what it read must
// print as text that reads back to the same functions and prints to the same bytes.
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tl_module *m = read_text((tl_str){(const char *)data, size});
  if (m == NULL) return 0;
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
