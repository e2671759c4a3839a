// A decode step calls no allocator once warm: not the engine, not the PJRT client, not the embedded
// plugin, on no thread. Everything is linked into this program, so its own malloc, calloc, realloc,
// free, aligned_alloc, posix_memalign, mmap, munmap and madvise stand in front of glibc's and
// count. (libc's own calls of malloc come here too; its mmap does not.)
//
// To find an offender: gdb -ex 'break counted if counting' and its backtrace.

#include "e2e.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { VOCAB_MOST = 49152, WARM = 4, DECODED = 32 };

#ifndef TL_TEST_SANITIZED

static atomic_bool counting;
static atomic_size_t calls; // of any thread, while counting

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *ptr, size_t size);
void *__libc_memalign(size_t align, size_t size);
void __libc_free(void *ptr);

__attribute__((noinline)) static void counted(void) {
  if (atomic_load_explicit(&counting, memory_order_relaxed))
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
}

TL_API void *malloc(size_t size) {
  counted();
  return __libc_malloc(size);
}

TL_API void *calloc(size_t count, size_t size) {
  counted();
  return __libc_calloc(count, size);
}

TL_API void *realloc(void *ptr, size_t size) {
  counted();
  return __libc_realloc(ptr, size);
}

TL_API void free(void *ptr) {
  if (ptr != NULL) counted(); // dropping an OK status is free(NULL)
  __libc_free(ptr);
}

TL_API void *aligned_alloc(size_t align, size_t size) {
  counted();
  return __libc_memalign(align, size);
}

TL_API int posix_memalign(void **out, size_t align, size_t size) {
  counted();
  void *p = __libc_memalign(align, size);
  if (p != NULL) *out = p;
  return p != NULL ? 0 : ENOMEM;
}

TL_API void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset) {
  counted();
  return (void *)syscall(SYS_mmap, at, size, prot, flags, fd, offset); // NOLINT
}

TL_API int munmap(void *at, size_t size) {
  counted();
  return (int)syscall(SYS_munmap, at, size);
}

TL_API int madvise(void *at, size_t size, int advice) {
  counted();
  return (int)syscall(SYS_madvise, at, size, advice);
}

static void count_begin(void) {
  atomic_store(&calls, 0);
  atomic_store(&counting, true);
}

static size_t count_end(void) {
  atomic_store(&counting, false);
  return atomic_load(&calls);
}

// --- what is counted ---

static void *allocate_once(void *unused) {
  (void)unused;
  void *volatile p = malloc(100);
  free(p);
  return NULL;
}

static void allocations_of_other_threads_count(void **unused) { // the control of the counter
  (void)unused;
  pthread_t thread;
  count_begin();
  assert_int_equal(count_end(), 0);
  count_begin();
  assert_int_equal(pthread_create(&thread, NULL, allocate_once, NULL), 0);
  pthread_join(thread, NULL);
  assert_true(count_end() >= 2);
  count_begin();
  void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(page, 4096);
  assert_int_equal(count_end(), 2);
}

// One token of the sequence, sampled as asked.
static void decode(tl_engine *e, tl_sequence *s, const tl_sampling *sampling,
                   tl_candidate *scratch) {
  tl_step_item item = {.sequence = s, .n = s->n_tokens - s->n_cached, .wants_logits = true};
  int32_t id = -1;
  assert_ok(tl_engine_step(e, &item, 1));
  assert_ok(
      tl_sample(sampling, item.logits, tl_engine_artifact(e)->vocab, s->n_tokens, scratch, &id));
  assert_ok(tl_sequence_append(s, &id, 1));
}

static void decoding_allocates_nothing(const char *model, const e2e_options *options) {
  static tl_candidate scratch[VOCAB_MOST];
  static const tl_sampling greedy = {0};
  // Flat, and all of the vocabulary's cuts: the most that sampling has to sort.
  static const tl_sampling sampled = {
      .temperature = 50.0f, .top_k = 40000, .top_p = 0.9f, .min_p = 1e-6f, .seed = 5};
  const int32_t prompt[5] = {10, 20, 30, 40, 50};
  e2e t;
  e2e_open(&t, model, options);
  tl_sequence *s = NULL;
  assert_ok(tl_sequence_create(t.engine, &s));
  assert_ok(tl_sequence_append(s, prompt, 5));
  decode(t.engine, s, &greedy, scratch); // the prompt
  for (int i = 0; i < WARM; i++)
    decode(t.engine, s, &greedy, scratch);
  const uint32_t pages = s->n_pages;
  count_begin();
  for (int i = 0; i < DECODED; i++)
    decode(t.engine, s, i % 2 ? &sampled : &greedy, scratch);
  assert_int_equal(count_end(), 0);
  assert_true(s->n_pages > pages); // new pages were taken as well
  // Prefill at a size that was run before is as quiet, and so is the engine's own loop.
  if (!options->reference_entries) {
    tl_sequence_truncate(s, 0);
    assert_ok(tl_sequence_append(s, prompt, 5));
    count_begin();
    decode(t.engine, s, &greedy, scratch);
    assert_int_equal(count_end(), 0);
    tl_ids ids = {0};
    assert_true(tl_ids_reserve(&ids, 64));
    const tl_request request = {.prompt = prompt,
                                .n_prompt = 5,
                                .max_new = DECODED,
                                .sampling = sampled,
                                .ignore_stops = true};
    tl_result result;
    count_begin();
    assert_ok(tl_engine_generate(t.engine, s, &request, &ids, &result));
    assert_int_equal(count_end(), 0);
    assert_int_equal(ids.len, DECODED);
    tl_ids_deinit(&ids);
    // The control: a size that is new must be compiled.
    tl_sequence_truncate(s, 0);
    const int32_t more[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    assert_ok(tl_sequence_append(s, more, 9));
    count_begin();
    decode(t.engine, s, &greedy, scratch);
    assert_true(count_end() > 0);
  }
  tl_sequence_destroy(s);
  e2e_close(&t);
}

static void on_tiny_models(void **unused) {
  (void)unused;
  static const char *const models[] = {"tests/model/tiny-llama-untied",
                                       "tests/model/tiny-qwen3-tied",
                                       "tests/model/tiny-qwen3-untied"};
  for (size_t m = 0; m < TL_COUNT(models); m++)
    for (int64_t threads = 1; threads <= 2; threads++) {
      decoding_allocates_nothing(models[m], &(e2e_options){.threads = threads});
      decoding_allocates_nothing(
          models[m],
          &(e2e_options){.threads = threads, .model = {.kv = TL_KV_BF16, .max_batch = 2}});
    }
}

static void on_decode_entries(void **unused) {
  (void)unused;
  tl_test_tmp tmp;
  char dir[300];
  tl_test_tmp_create(&tmp);
  snprintf(dir, sizeof dir, "%s/artifact", tmp.path);
  tl_artifact *made =
      e2e_artifact("tests/model/tiny-llama-untied", &(e2e_options){.model.context = 64});
  assert_ok(tl_artifact_export(
      made,
      &(tl_export_options){
          .max_batch = 1, .contexts = (const uint32_t[]){64}, .n_contexts = 1, .prefill_chunk = 8},
      dir));
  tl_artifact_release(made);
  decoding_allocates_nothing(dir, &(e2e_options){.threads = 2, .reference_entries = true});
  tl_test_tmp_remove(&tmp);
}

static void on_smollm2(void **unused) {
  (void)unused;
  char path[512];
  if (!e2e_smollm2(path, sizeof path)) {
    print_message("skipped: %s: no such file\n", path);
    skip();
  }
  decoding_allocates_nothing(path, &(e2e_options){.threads = 2, .model.context = 256});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(allocations_of_other_threads_count),
      cmocka_unit_test(on_tiny_models),
      cmocka_unit_test(on_decode_entries),
      cmocka_unit_test(on_smollm2),
  };
  return cmocka_run_group_tests_name("alloc", tests, NULL, NULL);
}

#else // a sanitizer's own allocator cannot be counted like this

int main(void) {
  printf("skipped: a sanitizer owns malloc\n");
  return 77;
}

#endif
