// Files: maps, reads, atomic writes, paths, directories, drafts, and what a signal leaves behind
// (nothing).
#define TL_TEST_OOM_IMPL
#include "base/test.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

static tl_test_tmp tmp;
static char buffers[4][512];

// tmp/<name>; four results live at a time.
static const char *in(const char *name) {
  static size_t turn;
  char *p = buffers[turn++ % TL_COUNT(buffers)];
  snprintf(p, sizeof buffers[0], "%s/%s", tmp.path, name);
  return p;
}

static int setup(void **state) {
  (void)state;
  tl_test_tmp_create(&tmp);
  return 0;
}

static int teardown(void **state) {
  (void)state;
  tl_test_tmp_remove(&tmp);
  return 0;
}

static size_t entries(const char *path) {
  tl_arena *a = tl_arena_create();
  tl_str *names;
  size_t len;
  assert_ok(tl_dir_list(a, path, &names, &len));
  tl_arena_destroy(a);
  return len;
}

static void write_then_read(void **state) {
  (void)state;
  tl_buf b;
  assert_ok(tl_file_write(in("f"), "hello\0there", 11));
  assert_ok(tl_file_read(in("f"), 11, &b));
  assert_str(tl_buf_view(&b), ((tl_str){"hello\0there", 11}));
  assert_int_equal(b.ptr[11], 0);
  tl_buf_deinit(&b);
  assert_int_equal(chmod(in("f"), 0640), 0);
  assert_ok(tl_file_write(in("f"), "new", 3));
  struct stat info;
  assert_int_equal(stat(in("f"), &info), 0);
  assert_int_equal(info.st_mode & 0777, 0640); // the mode survives
  assert_status(tl_file_read(in("f"), 2, &b), TL_STATUS_INVALID_ARGUMENT,
                "has 3 bytes, the limit is 2");
  assert_ok(tl_file_write(in("empty"), NULL, 0));
  assert_ok(tl_file_read(in("empty"), 0, &b));
  assert_int_equal(b.len, 0);
  tl_buf_deinit(&b);
  assert_int_equal(entries(tmp.path), 2); // no temporary file stays
}

static void a_failed_write_changes_nothing(void **state) {
  (void)state;
  assert_status(tl_file_write(in("no/such/dir"), "x", 1), TL_STATUS_NOT_FOUND, "no/such/dir");
  assert_status(tl_file_write(tmp.path, "x", 1), TL_STATUS_INVALID_ARGUMENT, tmp.path);
  // A file system with 1 page left would do; a limit on file size does as well, without privileges.
  assert_ok(tl_file_write(in("f"), "old", 3));
  pid_t child = fork();
  if (child == 0) {
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGXFSZ, &ignore, NULL);
    struct rlimit most = {4096, 4096};
    if (setrlimit(RLIMIT_FSIZE, &most) != 0) _exit(2);
    static char big[10000];
    tl_status st = tl_file_write(in("f"), big, sizeof big);
    _exit(st == TL_OK);
  }
  int how;
  assert_int_equal(waitpid(child, &how, 0), child);
  assert_true(WIFEXITED(how));
  assert_int_equal(WEXITSTATUS(how), 0);
  tl_buf b;
  assert_ok(tl_file_read(in("f"), 100, &b));
  assert_text(tl_buf_view(&b), "old");
  tl_buf_deinit(&b);
  assert_int_equal(entries(tmp.path), 1);
}

static void maps(void **state) {
  (void)state;
  tl_file_map m;
  assert_ok(tl_file_write(in("f"), "abc", 3));
  assert_ok(tl_file_map_open(in("f"), &m));
  assert_true(m.mapped && m.size == 3 && memcmp(m.data, "abc", 3) == 0);
  assert_ok(tl_file_write(in("f"), "xyz!", 4)); // a rename: who has the old file keeps it
  assert_memory_equal(m.data, "abc", 3);
  tl_file_map_close(&m);
  tl_file_map_close(&m); // zeroed by now
  assert_ok(tl_file_write(in("empty"), "", 0));
  assert_ok(tl_file_map_open(in("empty"), &m));
  assert_true(m.data == NULL && m.size == 0);
  tl_file_map_close(&m);
  assert_ok(tl_file_map_open("/proc/self/status", &m)); // says that it has 0 bytes
  assert_true(m.size > 100 && !m.mapped);
  tl_file_map_close(&m);
  assert_status(tl_file_map_open(in("absent"), &m), TL_STATUS_NOT_FOUND, "absent: cannot open: ");
  assert_status(tl_file_map_open(tmp.path, &m), TL_STATUS_INVALID_ARGUMENT, tmp.path);
  assert_int_equal(symlink("/dev/zero", in("endless")), 0);
  assert_status(tl_file_map_open(in("endless"), &m), TL_STATUS_INVALID_ARGUMENT,
                "endless: is a device, wanted a file");
  tl_buf b;
  assert_status(tl_file_read(in("endless"), (size_t)1 << 40, &b), TL_STATUS_INVALID_ARGUMENT,
                "endless: is a device, wanted a file");
}

static void paths(void **state) {
  (void)state;
  tl_arena *a = tl_arena_create();
  assert_string_equal(tl_path_join(a, "a", "b"), "a/b");
  assert_string_equal(tl_path_join(a, "a/", "b"), "a/b");
  assert_string_equal(tl_path_join(a, "", "b"), "b");
  assert_string_equal(tl_path_join(a, "/", "b"), "/b");
  assert_string_equal(tl_path_base("/x/y.gguf"), "y.gguf");
  assert_string_equal(tl_path_base("y"), "y");
  assert_string_equal(tl_path_base("x/"), "");
  static const char *const good[] = {"a", "a/b", "weights/0.bin", "..a", "a..", "a/...", ".hidden"};
  static const char *const bad[] = {"", "/a", "../a", "a/..", "a/../b", "a//b", "a/", "/", ".."};
  for (size_t i = 0; i < TL_COUNT(good); i++)
    assert_true(tl_path_is_safe_relative(tl_str_of(good[i])));
  for (size_t i = 0; i < TL_COUNT(bad); i++)
    assert_false(tl_path_is_safe_relative(tl_str_of(bad[i])));
  assert_false(tl_path_is_safe_relative(TL_STR("a\0/../b")));

  const char *old = getenv("XDG_CACHE_HOME");
  char *kept = old == NULL ? NULL : strdup(old);
  setenv("XDG_CACHE_HOME", "/var/c", 1);
  assert_string_equal(tl_cache_dir(a), "/var/c/tlaloc");
  setenv("XDG_CACHE_HOME", "relative", 1);
  assert_non_null(strstr(tl_cache_dir(a), "/.cache/tlaloc"));
  char *home = strdup(getenv("HOME") ? getenv("HOME") : "/");
  unsetenv("HOME");
  assert_null(tl_cache_dir(a));
  setenv("HOME", home, 1);
  free(home);
  if (kept != NULL)
    setenv("XDG_CACHE_HOME", kept, 1);
  else
    unsetenv("XDG_CACHE_HOME");
  free(kept);
  tl_arena_destroy(a);
}

static void directories(void **state) {
  (void)state;
  assert_ok(tl_dir_create(in("a/b/c")));
  assert_ok(tl_dir_create(in("a/b/c/")));
  assert_ok(tl_dir_create("/"));
  assert_true(tl_path_is_dir(in("a/b/c")));
  assert_ok(tl_file_write(in("a/f"), "x", 1));
  assert_false(tl_path_is_dir(in("a/f")));
  assert_true(tl_path_exists(in("a/f")));
  assert_status(tl_dir_create(in("a/f")), TL_STATUS_NOT_FOUND,
                "a/f: cannot create the directory: Not a directory");
  assert_status(tl_dir_create(in("a/f/g")), TL_STATUS_NOT_FOUND, "a/f");
  assert_status(tl_dir_create(""), TL_STATUS_INVALID_ARGUMENT, "without a name");

  assert_ok(tl_file_write(in("a/B"), "", 0));
  assert_ok(tl_file_write(in("a/\xC3\xA9"), "", 0));
  tl_arena *arena = tl_arena_create();
  tl_str *names;
  size_t len;
  assert_ok(tl_dir_list(arena, in("a"), &names, &len));
  assert_int_equal(len, 4);
  assert_text(names[0], "B");
  assert_text(names[1], "b");
  assert_text(names[2], "f");
  assert_text(names[3], "\xC3\xA9");
  assert_string_equal(names[2].ptr, "f"); // terminated
  assert_status(tl_dir_list(arena, in("absent"), &names, &len), TL_STATUS_NOT_FOUND, "absent");
  tl_arena_destroy(arena);
}

static void removal_follows_no_link(void **state) {
  (void)state;
  assert_ok(tl_dir_create(in("keep")));
  assert_ok(tl_file_write(in("keep/f"), "x", 1));
  assert_ok(tl_dir_create(in("go/deep/er")));
  for (int i = 0; i < 300; i++) { // more than one read of the directory
    char name[64];
    snprintf(name, sizeof name, "go/deep/a-file-with-a-longish-name-%d", i);
    assert_ok(tl_file_write(in(name), "", 0));
  }
  assert_int_equal(symlink(in("keep"), in("go/link")), 0);
  assert_int_equal(symlink("/nonexistent", in("go/dangling")), 0);
  assert_ok(tl_dir_remove(in("go")));
  assert_false(tl_path_exists(in("go")));
  assert_true(tl_path_exists(in("keep/f")));
  assert_int_equal(symlink(in("keep"), in("link")), 0);
  assert_ok(tl_dir_remove(in("link")));
  assert_true(tl_path_exists(in("keep/f")));
  assert_status(tl_dir_remove(in("absent")), TL_STATUS_NOT_FOUND, "absent: cannot remove");
}

static void a_draft_appears_whole(void **state) {
  (void)state;
  tl_dir_draft d;
  char path[1024];
  assert_ok(tl_dir_draft_begin(in("new/model/"), &d));
  assert_false(tl_path_exists(in("new/model")));
  snprintf(path, sizeof path, "%s/sub", d.path);
  assert_ok(tl_dir_create(path));
  snprintf(path, sizeof path, "%s/sub/f", d.path);
  assert_ok(tl_file_write(path, "x", 1));
  assert_ok(tl_dir_draft_commit(&d));
  assert_null(d.path);
  assert_true(tl_path_exists(in("new/model/sub/f")));
  assert_int_equal(entries(in("new")), 1);

  assert_status(tl_dir_draft_begin(in("new/model"), &d), TL_STATUS_ALREADY_EXISTS, "not empty");
  assert_status(tl_dir_draft_begin(in("new/model/sub/f"), &d), TL_STATUS_ALREADY_EXISTS,
                "not a directory");
  assert_status(tl_dir_draft_begin("/", &d), TL_STATUS_INVALID_ARGUMENT, "cannot be the name");
  assert_status(tl_dir_draft_begin("", &d), TL_STATUS_INVALID_ARGUMENT, "cannot be the name");

  assert_ok(tl_dir_draft_begin(in("new/other"), &d));
  snprintf(path, sizeof path, "%s/f", d.path);
  assert_ok(tl_file_write(path, "x", 1));
  tl_dir_draft_abandon(&d);
  tl_dir_draft_abandon(&d);
  assert_int_equal(entries(in("new")), 1);

  // Somebody was faster: the commit fails, says so, and leaves theirs and nothing else.
  assert_ok(tl_dir_draft_begin(in("new/third"), &d));
  assert_ok(tl_dir_create(in("new/third")));
  assert_ok(tl_file_write(in("new/third/theirs"), "x", 1));
  assert_status(tl_dir_draft_commit(&d), TL_STATUS_ALREADY_EXISTS, "new/third");
  assert_int_equal(entries(in("new")), 2);
  assert_int_equal(entries(in("new/third")), 1);

  assert_ok(tl_dir_create(in("hollow"))); // an empty one may be there
  assert_ok(tl_dir_draft_begin(in("hollow"), &d));
  assert_ok(tl_dir_draft_commit(&d));
}

static void *keep_writing(void *arg) {
  const char *dir = arg;
  for (unsigned i = 0;; i++) {
    char path[700];
    snprintf(path, sizeof path, "%s/%u", dir, i % 50);
    tl_status_drop(tl_file_write(path, "some bytes", 10));
  }
  return NULL;
}

// A child with a draft half written, and a thread that goes on writing, is sent the signal. It must
// die of that signal and leave nothing, while the draft of its parent stays.
static void signals_leave_nothing(void **state) {
  (void)state;
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ};
  tl_dir_draft mine;
  assert_ok(tl_dir_draft_begin(in("parent"), &mine));
  for (size_t i = 0; i < TL_COUNT(signals); i++) {
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
      for (size_t s = 0; s < TL_COUNT(signals); s++)
        signal(signals[s], SIG_DFL);
      tl_file_cleanup_on_signals();
      if (chdir(tmp.path) != 0) _exit(1);
      tl_dir_draft d;
      if (tl_dir_draft_begin("victim", &d) != TL_OK)
        _exit(1); // a relative path, and then another directory
      char sub[600];
      snprintf(sub, sizeof sub, "%s/%s/a/b", tmp.path, d.path);
      if (tl_dir_create(sub) != TL_OK || chdir("/") != 0) _exit(1);
      pthread_t thread;
      if (pthread_create(&thread, NULL, keep_writing, sub) != 0) _exit(1);
      usleep(20000);
      if (write(ready[1], "r", 1) != 1) _exit(1);
      for (;;)
        pause();
    }
    close(ready[1]);
    char byte;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    assert_int_equal(entries(tmp.path),
                     2); // parent's draft and child's: there was something to remove
    assert_int_equal(kill(child, signals[i]), 0);
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how));
    assert_int_equal(WTERMSIG(how), signals[i]);
    assert_int_equal(entries(tmp.path), 1);
    assert_true(tl_path_is_dir(mine.path));
  }
  tl_dir_draft_abandon(&mine);
}

static void ignored_signals_stay_ignored(void **state) {
  (void)state;
  pid_t child = fork();
  if (child == 0) {
    signal(SIGHUP, SIG_IGN);
    tl_file_cleanup_on_signals();
    raise(SIGHUP);
    _exit(5);
  }
  int how;
  assert_int_equal(waitpid(child, &how, 0), child);
  assert_true(WIFEXITED(how));
  assert_int_equal(WEXITSTATUS(how), 5);
}

static void too_many_at_once(void **state) {
  (void)state;
  tl_dir_draft d[65];
  char name[16];
  for (int i = 0; i < 64; i++) {
    snprintf(name, sizeof name, "d%d", i);
    assert_ok(tl_dir_draft_begin(in(name), &d[i]));
  }
  assert_status(tl_dir_draft_begin(in("more"), &d[64]), TL_STATUS_RESOURCE_EXHAUSTED,
                "64 files and directories");
  for (int i = 0; i < 64; i++)
    tl_dir_draft_abandon(&d[i]);
  assert_int_equal(entries(tmp.path), 0);
}

static tl_status everything(void *arg) {
  (void)arg;
  tl_dir_draft d;
  TL_TRY(tl_dir_draft_begin(in("oom/model"), &d));
  tl_arena *a = tl_arena_create();
  tl_buf b = {0};
  tl_file_map m = {0};
  tl_str *names;
  size_t len;
  char *path = a == NULL ? NULL : tl_path_join(a, d.path, "f");
  tl_status st = path == NULL ? TL_OOM() : TL_OK;
  if (st == TL_OK) st = tl_file_write(path, "bytes", 5);
  if (st == TL_OK) st = tl_file_read(path, 10, &b);
  if (st == TL_OK) st = tl_file_map_open(path, &m);
  if (st == TL_OK) st = tl_dir_list(a, d.path, &names, &len);
  tl_file_map_close(&m);
  tl_buf_deinit(&b);
  if (a != NULL) tl_arena_destroy(a);
  if (st == TL_OK) {
    st = tl_dir_draft_commit(&d);
    if (st == TL_OK) st = tl_dir_remove(in("oom/model"));
  } else {
    tl_dir_draft_abandon(&d);
  }
  return st;
}

static void out_of_memory(void **state) {
  (void)state;
  tl_test_each_oom(everything, NULL);
  assert_int_equal(entries(in("oom")), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(write_then_read),
      TEST(a_failed_write_changes_nothing),
      TEST(maps),
      TEST(paths),
      TEST(directories),
      TEST(removal_follows_no_link),
      TEST(a_draft_appears_whole),
      TEST(signals_leave_nothing),
      TEST(ignored_signals_stay_ignored),
      TEST(too_many_at_once),
      TEST(out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
