// A manifest from anywhere: refused with a one-line message, or read, and then what is written of
// it is read as the same again.
#include "artifact/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool good) {
  if (!good) __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tl_artifact *a = NULL, *again = NULL;
  tl_buf first = {0}, second = {0}, program = {0};
  tl_status st = tl_manifest_read((tl_str){(const char *)data, size}, "fuzz.json", &a);
  if (st) {
    require(strncmp(tl_status_message(st), "fuzz.json", 9) == 0);
    tl_status_drop(st);
    return 0;
  }
  require(tl_manifest_write(a, &first) == TL_OK);
  st = tl_manifest_read(tl_buf_view(&first), "again.json", &again);
  require(st == TL_OK);
  require(tl_manifest_write(again, &second) == TL_OK);
  require(tl_str_eq(tl_buf_view(&first), tl_buf_view(&second)));
  for (size_t i = 0; i < a->n_entries; i++) {
    tl_buf_clear(&program);
    require(tl_program_write(a, i, &program) == TL_OK);
    require(tl_program_check(again, i, tl_buf_view(&program), "program.json") == TL_OK);
  }
  tl_buf_deinit(&first);
  tl_buf_deinit(&second);
  tl_buf_deinit(&program);
  tl_artifact_release(a);
  tl_artifact_release(again);
  return 0;
}
