// CPU features against the compiler's own CPUID reader and the kernel's list; the cap of
// TLALOC_ISA.
#include "base/test.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpuinfo.h"

// The features are read once a process, so every cap needs a process of its own. The child's exit
// status is 0 when what the cap leaves is what `keeps` leaves.
static int capped(const char *cap, uint32_t keeps, bool refused) {
  pid_t child = fork();
  if (child == 0) {
    setenv("TLALOC_ISA", cap, 1);
    uint32_t isa = 0;
    tl_status st = tl_cpu_isa(&isa);
    if (refused)
      _exit(tl_status_get_code(st) == TL_STATUS_INVALID_ARGUMENT &&
                    strstr(tl_status_message(st), cap) != NULL &&
                    strstr(tl_status_message(st), "scalar, avx2, avx512, vnni, bf16 or amx") != NULL
                ? 0
                : 1);
    _exit(st == TL_OK && isa == (tl_cpu_isa_all() & keeps) ? 0 : 1);
  }
  int how;
  assert_int_equal(waitpid(child, &how, 0), child);
  return WIFEXITED(how) ? WEXITSTATUS(how) : -1;
}

static void caps(void **state) { // first: the parent must not have read the features yet
  (void)state;
  uint32_t avx2 = TL_ISA_AVX2 | TL_ISA_FMA | TL_ISA_F16C, avx512 = avx2 | TL_ISA_AVX512F;
  uint32_t vnni = avx512 | TL_ISA_AVX512_VNNI | TL_ISA_AVX512_BF16 | TL_ISA_AVX_VNNI;
  assert_int_equal(capped("scalar", 0, false), 0);
  assert_int_equal(capped("avx2", avx2, false), 0);
  assert_int_equal(capped("avx512", avx512, false), 0);
  assert_int_equal(capped("vnni", vnni, false), 0);
  assert_int_equal(capped("bf16", vnni | TL_ISA_BF16_CHAIN | TL_ISA_BF16_FAST, false), 0);
  assert_int_equal(capped("amx", UINT32_MAX, false), 0);
  assert_int_equal(capped("", UINT32_MAX, false), 0);
  assert_int_equal(capped("sse9", 0, true), 0);
}

static void features(void **state) {
  (void)state;
  uint32_t isa = tl_cpu_isa_all();
#if defined(__x86_64__)
  __builtin_cpu_init();
  assert_int_equal(!!(isa & TL_ISA_AVX2), !!__builtin_cpu_supports("avx2"));
  assert_int_equal(!!(isa & TL_ISA_FMA), !!__builtin_cpu_supports("fma"));
  assert_int_equal(!!(isa & TL_ISA_AVX512F), !!__builtin_cpu_supports("avx512bw"));
  assert_int_equal(!!(isa & TL_ISA_AVX512_VNNI), !!__builtin_cpu_supports("avx512vnni"));
  assert_true((isa & TL_ISA_AVX512_BF16) || !(isa & (TL_ISA_BF16_CHAIN | TL_ISA_BF16_FAST)));
#endif
  // The kernel's words for the rest; a word of its own each, so " avx_vnni " is not in "
  // avx_vnni_int8 ".
  static const struct {
    const char *word;
    uint32_t isa;
  } words[] = {{" f16c ", TL_ISA_F16C},
               {" avx512_bf16 ", TL_ISA_AVX512_BF16},
               {" avx_vnni ", TL_ISA_AVX_VNNI},
               {" amx_bf16 ", TL_ISA_AMX_BF16},
               {" amx_int8 ", TL_ISA_AMX_INT8}};
  FILE *f = fopen("/proc/cpuinfo", "r");
  static char line[16384];
  while (f != NULL && fgets(line, sizeof line, f) != NULL) {
    if (strncmp(line, "flags", 5) != 0) continue;
    line[strcspn(line, "\n")] = ' ';
    for (size_t i = 0; i < TL_COUNT(words); i++)
      if ((strstr(line, words[i].word) != NULL) != !!(isa & words[i].isa))
        fail_msg("not agreed on%s", words[i].word);
    break;
  }
  if (f != NULL) fclose(f);
}

static void texts(void **state) {
  (void)state;
  char text[128];
  tl_isa_text(TL_ISA_AVX2 | TL_ISA_FMA | TL_ISA_AVX512F, text, sizeof text);
  assert_string_equal(text, "avx2 fma avx512");
  tl_isa_text(0, text, sizeof text);
  assert_string_equal(text, "scalar");
  tl_isa_text(UINT32_MAX, text, 12); // too small: whole words or a cut one, terminated
  assert_true(strlen(text) < 12 && strncmp(text, "avx2 fma", 8) == 0);
  tl_isa_text(UINT32_MAX, text, 0);
  assert_true(tl_cpu_name()[0] != '\0');
}

static void count(void **state) {
  (void)state;
  size_t n = tl_cpu_count();
  cpu_set_t all, one;
  assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
  assert_true(n >= 1 && n <= (size_t)CPU_COUNT(&all));
  CPU_ZERO(&one);
  for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
    if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
  assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
  assert_int_equal(tl_cpu_count(), 1);
  assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
  assert_int_equal(tl_cpu_count(), n);
}

int main(void) {
  unsetenv("TLALOC_ISA");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(caps),
      cmocka_unit_test(features),
      cmocka_unit_test(texts),
      cmocka_unit_test(count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
