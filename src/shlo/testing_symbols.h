// What the tests share that take every op of the table with symbols for its sizes.
#ifndef TL_SHLO_TESTING_SYMBOLS_H
#define TL_SHLO_TESTING_SYMBOLS_H

#include "ir/op.h"
#include "ir/testing_symbols.h"
#include "passes/passes.h"
#include "shlo/testing.h"

typedef struct made { // the module of a case
  case_module k;
  bool good;
} made;

// `which` of the case's sizes are symbols.
TL_UNUSED static made module_of(const op_case *c, uint32_t which, sizes *z) {
  made x = {.good = false};
  slots s;
  case_begin(&x.k, c);
  const tl_type *alone;
  uint32_t n_alone;
  tl_status inferred = tl_op_infer(x.k.m->arena, x.k.m, x.k.op, NULL, 0, true, &alone, &n_alone);
  if (inferred == TL_OK) x.k.n_types = 0; // declared types are in the way
  tl_status_drop(inferred);
  collect(&x.k, &s);
  find_sizes(&x.k, &s, z);
  put(&x.k, &s, z, which, z->symbol);
  tl_op *op = tl_op_finish(&x.k.b, x.k.op, x.k.n_types ? x.k.types : NULL, x.k.n_types);
  if (op != NULL) tlo_return(&x.k.b, op->results, op->n_results);
  tl_status st = tl_builder_finish(&x.k.b);
  tl_diags diags = {0};
  if (st == TL_OK) st = tl_module_verify(x.k.m, &diags);
  x.good = st == TL_OK;
  tl_status_drop(st);
  tl_diags_deinit(&diags);
  return x;
}

TL_UNUSED static const char *said(tl_status st) {
  static char text[1024];
  snprintf(text, sizeof text, "%s", tl_status_message(st));
  tl_status_drop(st);
  return text;
}

TL_UNUSED static tl_module *specialised(const tl_module *m, const sizes *z, uint32_t which,
                                        const char *mnemonic) {
  char args[512] = "";
  tl_diags diags = {0};
  tl_module *out = NULL;
  for (size_t j = 0; j < z->n; j++)
    if ((which >> j & 1) != 0)
      snprintf(args + strlen(args), sizeof args - strlen(args), "%sd%zu=%lld", args[0] ? "," : "",
               j, (long long)z->number[j]);
  tl_status st = tl_pass_specialise(m, tl_str_of(args), &diags, &out);
  if (st != TL_OK) fail_msg("%s at %s: %s", mnemonic, args, said(st));
  tl_diags_deinit(&diags);
  return out;
}

TL_UNUSED static char *text_of(const tl_module *m, const char *mnemonic) {
  tl_buf out = {0};
  tl_status st = tl_shlo_print(m, NULL, &out);
  if (st != TL_OK) fail_msg("%s does not print: %s", mnemonic, said(st));
  return out.ptr;
}

TL_UNUSED static void same(const char *mnemonic, const char *what, const char *got,
                           const char *want) {
  if (strcmp(got, want) == 0) return;
  fprintf(stderr, "--- got\n%s--- wanted\n%s", got, want); // longer than cmocka prints
  fail_msg("%s: %s", mnemonic, what);
}

TL_UNUSED static void compare(const tl_module *symbolic, const tl_module *numbers, const sizes *z,
                              uint32_t which, const char *mnemonic, const char *what) {
  tl_module *a = specialised(symbolic, z, which, mnemonic),
            *b = specialised(numbers, z, 0, mnemonic);
  char *got = text_of(a, mnemonic), *want = text_of(b, mnemonic);
  same(mnemonic, what, got, want);
  free(got);
  free(want);
  tl_module_destroy(a);
  tl_module_destroy(b);
}

#endif
