// What the tests of the text share.
#ifndef TL_SHLO_TESTING_H
#define TL_SHLO_TESTING_H

#include "base/test.h"
#include "shlo/shlo.h"

// Fails with the reader's words where the text is wrong; `name` stands in locations.
TL_UNUSED static tl_module *parsed_as(tl_str text, const char *name) {
  tl_diags diags = {0};
  tl_module *m = NULL;
  tl_status st = tl_shlo_parse(text, name, &diags, &m);
  if (st != TL_OK) {
    tl_buf said = {0};
    tl_diags_print(&diags, &said, false);
    print_error("%s", said.ptr == NULL ? "" : said.ptr);
    tl_buf_deinit(&said);
  }
  assert_ok(st);
  tl_diags_deinit(&diags);
  return m;
}
TL_UNUSED static tl_module *parsed(const char *text) {
  return parsed_as(tl_str_of(text), "test.mlir");
}

TL_UNUSED static char *printed(const tl_module *m, const tl_shlo_print_options *options) {
  tl_buf out = {0};
  assert_ok(tl_shlo_print(m, options, &out));
  return out.ptr; // free it
}

// With TLALOC_TEST_OUT set to a directory, what is printed here lands there, for
// tests/oracle/jaxlib_verify.py.
TL_UNUSED static void keep(const char *name, const char *text) {
  const char *dir = getenv("TLALOC_TEST_OUT");
  char path[512];
  if (dir == NULL) return;
  snprintf(path, sizeof path, "%s/%s", dir, name);
  assert_ok(tl_file_write(path, text, strlen(text)));
}

#endif
