// For the tests of this folder: whole directories as sorted lists of files, compared byte for byte.
#ifndef TL_ARTIFACT_TESTING_H
#define TL_ARTIFACT_TESTING_H

#include <ftw.h>
#include <sys/stat.h>

#include "base/test.h"

typedef struct tl_test_tree {
  tl_arena *arena;
  tl_str *names; // relative, of files and directories
  size_t n, cap;
  size_t skip; // bytes of the root's path
} tl_test_tree;

static tl_test_tree *tl_test_tree_now; // nftw takes no argument

TL_UNUSED static int tl_test_tree_add(const char *path, const struct stat *info, int kind,
                                      struct FTW *at) {
  (void)info, (void)kind, (void)at;
  tl_test_tree *t = tl_test_tree_now;
  if (strlen(path) <= t->skip) return 0;
  assert_true(t->n < t->cap);
  t->names[t->n++] = tl_str_copy(t->arena, tl_str_of(path + t->skip + 1));
  return 0;
}

TL_UNUSED static int tl_test_tree_order(const void *x, const void *y) {
  return tl_str_cmp(*(const tl_str *)x, *(const tl_str *)y);
}

TL_UNUSED static tl_test_tree tl_test_tree_of(tl_arena *arena, const char *root) {
  tl_test_tree t = {.arena = arena, .cap = 4096, .skip = strlen(root)};
  t.names = TL_NEW(arena, tl_str, t.cap);
  tl_test_tree_now = &t;
  assert_int_equal(nftw(root, tl_test_tree_add, 16, FTW_PHYS), 0);
  qsort(t.names, t.n, sizeof *t.names, tl_test_tree_order);
  return t;
}

TL_UNUSED static void tl_test_same_tree(const char *left, const char *right) {
  tl_arena *arena = tl_arena_create();
  tl_test_tree l = tl_test_tree_of(arena, left), r = tl_test_tree_of(arena, right);
  assert_int_equal(l.n, r.n);
  assert_true(l.n > 0);
  for (size_t i = 0; i < l.n; i++) {
    assert_str(l.names[i], r.names[i]);
    const char *a = tl_path_join(arena, left, l.names[i].ptr);
    if (tl_path_is_dir(a)) continue;
    tl_buf x = {0}, y = {0};
    assert_ok(tl_file_read(a, (size_t)1 << 30, &x));
    assert_ok(tl_file_read(tl_path_join(arena, right, r.names[i].ptr), (size_t)1 << 30, &y));
    assert_int_equal(x.len, y.len);
    assert_int_equal(memcmp(x.ptr, y.ptr, x.len), 0);
    tl_buf_deinit(&x);
    tl_buf_deinit(&y);
  }
  tl_arena_destroy(arena);
}

#endif
