// Loops and branches: which values stay where they are, which are copied, and that either way the
// results are the interpreter's.
#include "cpu/testing.h"

#define HEAD                                                                          \
  "func.func @main(%x: tensor<40xf64>, %y: tensor<40xf64>, %s: tensor<8x40xf64>) -> " \
  "(tensor<40xf64>, tensor<40xf64>, tensor<8x40xf64>) {\n"                            \
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"                             \
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n"                              \
  "  %end = stablehlo.constant dense<5> : tensor<i32>\n"                              \
  "  %big = stablehlo.negate %s : tensor<8x40xf64>\n" // memory that may be written
#define WHILE(n, names, types)                                                            \
  "  %r:" n " = stablehlo.while(%i = %zero, " names ") : tensor<i32>, " types "\n"        \
  "  cond {\n"                                                                            \
  "    %go = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" \
  "    stablehlo.return %go : tensor<i1>\n"                                               \
  "  } do {\n"                                                                            \
  "    %j = stablehlo.add %i, %one : tensor<i32>\n"
#define VECTOR "tensor<40xf64>"
#define STACK "tensor<8x40xf64>"
#define RETURN(a, b, s) "  return " a ", " b ", " s " : " VECTOR ", " VECTOR ", " STACK "\n}\n"
#define DUS(to, at, row, where)                                                       \
  "    " row "1 = stablehlo.reshape " row " : (tensor<40xf64>) -> tensor<1x40xf64>\n" \
  "    " to " = stablehlo.dynamic_update_slice " at ", " row "1, " where ", %zero\n"  \
  "      : (tensor<8x40xf64>, tensor<1x40xf64>, tensor<i32>, tensor<i32>) -> tensor<8x40xf64>\n"

static const struct {
  const char *what, *text;
  size_t copies, of_stack; // of them those of 8 x 40
} cases[] = {
    // Copied are zero and x, before the loop; y, which is a result; and the next count, since the
    // present one is read after it is made.
    {"an update in place",
     HEAD WHILE("3", "%a = %x, %t = %big", VECTOR ", " STACK)
         DUS("%u", "%t", "%a", "%i") "    %b = stablehlo.sine %a : " VECTOR "\n"
                                     "    stablehlo.return %j, %b, %u : tensor<i32>, " VECTOR
                                     ", " STACK "\n  }\n" RETURN("%r#1", "%y", "%r#2"),
     4, 0},
    // The old stack is read after the update.
    {"an update whose operand is read later",
     HEAD WHILE("3", "%a = %x, %t = %big", VECTOR ", " STACK)
         DUS("%u", "%t", "%a", "%i") "    %m = stablehlo.constant dense<0.0> : tensor<f64>\n"
                                     "    %b = stablehlo.reduce(%t init: %m) applies "
                                     "stablehlo.maximum across dimensions = [0]\n"
                                     "      : (tensor<8x40xf64>, tensor<f64>) -> tensor<40xf64>\n"
                                     "    stablehlo.return %j, %b, %u : tensor<i32>, " VECTOR
                                     ", " STACK "\n  }\n" RETURN("%r#1", "%y", "%r#2"),
     6, 2},
    {"an update with a row of its own operand",
     HEAD WHILE("2", "%t = %big",
                STACK) "    %c = stablehlo.dynamic_slice %t, %i, %zero, sizes = [1, 40]\n"
                       "      : (tensor<8x40xf64>, tensor<i32>, tensor<i32>) -> tensor<1x40xf64>\n"
                       "    %d = stablehlo.reshape %c : (tensor<1x40xf64>) -> tensor<40xf64>\n"
                       "    %e = stablehlo.add %d, %x : tensor<40xf64>\n" DUS(
                           "%u", "%t", "%e",
                           "%j") "    stablehlo.return %j, %u : tensor<i32>, " STACK
                                 "\n  }\n" RETURN("%x", "%y", "%r#1"),
     4, 0},
    {"an update with a corner of its own operand",
     HEAD WHILE("2", "%t = %big",
                STACK) "    %c = stablehlo.dynamic_slice %t, %i, %one, sizes = [3, 5]\n"
                       "      : (tensor<8x40xf64>, tensor<i32>, tensor<i32>) -> tensor<3x5xf64>\n"
                       "    %d = stablehlo.negate %c : tensor<3x5xf64>\n"
                       "    %u = stablehlo.dynamic_update_slice %t, %d, %one, %i\n"
                       "      : (tensor<8x40xf64>, tensor<3x5xf64>, tensor<i32>, tensor<i32>) -> "
                       "tensor<8x40xf64>\n"
                       "    stablehlo.return %j, %u : tensor<i32>, " STACK
                       "\n  }\n" RETURN("%x", "%y", "%r#1"),
     4, 0},
    {"values that change places",
     HEAD WHILE("3", "%a = %x, %b = %y",
                VECTOR ", " VECTOR) "    stablehlo.return %j, %b, %a : tensor<i32>, " VECTOR
                                    ", " VECTOR "\n  }\n" RETURN("%r#1", "%r#2", "%big"),
     6, 0},
    {"three in a ring, and a fourth that one of them is copied to",
     HEAD WHILE("5", "%a = %x, %b = %y, %c = %x, %d = %y",
                VECTOR ", " VECTOR ", " VECTOR
                       ", " VECTOR) "    stablehlo.return %j, %b, %c, %a, %c : tensor<i32>, " VECTOR
                                    ", " VECTOR ", " VECTOR ", " VECTOR "\n  }\n"
                                    "  %sum = stablehlo.add %r#1, %r#4 : " VECTOR "\n"
                                    "  %sub = stablehlo.subtract %r#2, %r#3 : " VECTOR
                                    "\n" RETURN("%sum", "%sub", "%big"),
     10, 0},
    // y is read where it is, and may be: nobody writes there. The stack is handed on.
    {"what is handed on as it is",
     HEAD WHILE("4", "%a = %x, %b = %y, %t = %big",
                VECTOR ", " VECTOR
                       ", " STACK) "    %c = stablehlo.add %a, %b : " VECTOR "\n"
                                   "    stablehlo.return %j, %c, %b, %t : tensor<i32>, " VECTOR
                                   ", " VECTOR ", " STACK "\n  }\n" RETURN("%r#1", "%r#2", "%r#3"),
     3, 0},
    {"carried, and read from around",
     HEAD "  %v = stablehlo.sine %x : " VECTOR
          "\n" WHILE("2", "%a = %v", VECTOR) "    %c = stablehlo.add %a, %v : " VECTOR "\n"
                                             "    stablehlo.return %j, %c : tensor<i32>, " VECTOR
                                             "\n  }\n" RETURN("%r#1", "%v", "%big"),
     2, 0},
    {"one value twice",
     HEAD WHILE("3", "%a = %x, %b = %y",
                VECTOR ", " VECTOR) "    %c = stablehlo.subtract %a, %b : " VECTOR "\n"
                                    "    %d = stablehlo.sine %c : " VECTOR "\n"
                                    "    stablehlo.return %j, %d, %d : tensor<i32>, " VECTOR
                                    ", " VECTOR "\n  }\n" RETURN("%r#1", "%r#2", "%big"),
     4, 0},
    {"a loop in a loop",
     HEAD WHILE("3", "%a = %x, %t = %big",
                VECTOR
                ", " STACK) "    %q:3 = stablehlo.while(%k = %zero, %f = %a, %g = %t) : "
                            "tensor<i32>, " VECTOR ", " STACK "\n    cond {\n"
                            "      %h = stablehlo.compare LT, %k, %i : (tensor<i32>, tensor<i32>) "
                            "-> tensor<i1>\n"
                            "      stablehlo.return %h : tensor<i1>\n"
                            "    } do {\n"
                            "      %l = stablehlo.add %k, %one : tensor<i32>\n" DUS(
                                "%w", "%g", "%f",
                                "%k") "      %m = stablehlo.sine %f : " VECTOR "\n"
                                      "      stablehlo.return %l, %m, %w : tensor<i32>, " VECTOR
                                      ", " STACK "\n    }\n"
                                      "    stablehlo.return %j, %q#1, %q#2 : tensor<i32>, " VECTOR
                                      ", " STACK "\n  }\n" RETURN("%r#1", "%y", "%r#2"),
     6, 0},
    {"a branch that updates or hands on",
     HEAD WHILE("3", "%a = %x, %t = %big",
                VECTOR
                ", " STACK) "    %odd = stablehlo.and %i, %one : tensor<i32>\n"
                            "    %p = stablehlo.compare EQ, %odd, %one : (tensor<i32>, "
                            "tensor<i32>) -> tensor<i1>\n"
                            "    %u = \"stablehlo.if\"(%p) ({\n" DUS(
                                "%w", "%t", "%a",
                                "%i") "      \"stablehlo.return\"(%w) : (" STACK ") -> ()\n"
                                      "    }, {\n"
                                      "      \"stablehlo.return\"(%t) : (" STACK ") -> ()\n"
                                      "    }) : (tensor<i1>) -> " STACK "\n"
                                      "    %b = stablehlo.sine %a : " VECTOR "\n"
                                      "    stablehlo.return %j, %b, %u : tensor<i32>, " VECTOR
                                      ", " STACK "\n  }\n" RETURN("%r#1", "%y", "%r#2"),
     4, 0},
    // Each result lies where a value from around the branch does, and in one branch they change.
    {"a branch that changes places",
     HEAD "  %p = stablehlo.compare EQ, %x, %y : (" VECTOR ", " VECTOR ") -> tensor<40xi1>\n"
          "  %q1 = stablehlo.slice %p [0:1] : (tensor<40xi1>) -> tensor<1xi1>\n"
          "  %q = stablehlo.reshape %q1 : (tensor<1xi1>) -> tensor<i1>\n"
          "  %v = stablehlo.sine %x : " VECTOR "\n"
          "  %w = stablehlo.cosine %y : " VECTOR "\n"
          "  %u:2 = \"stablehlo.if\"(%q) ({\n"
          "    \"stablehlo.return\"(%v, %w) : (" VECTOR ", " VECTOR ") -> ()\n"
          "  }, {\n"
          "    \"stablehlo.return\"(%w, %v) : (" VECTOR ", " VECTOR ") -> ()\n"
          "  }) : (tensor<i1>) -> (" VECTOR ", " VECTOR ")\n" RETURN("%u#0", "%u#1", "%big"),
     3, 0},
};

static void loops_and_branches(void **state) {
  (void)state;
  for (size_t c = 0; c < TL_COUNT(cases); c++) {
    tl_module *m = test_parse(cases[c].text);
    tl_cpu_exe *exe = NULL;
    assert_ok(test_compile(test_devices[0].cpu, m, &exe));
    size_t copies = 0, of_stack = 0;
    for (uint32_t i = 0; i < exe->n_steps; i++) {
      if (strcmp(exe->steps[i].what, "copy") != 0) continue;
      copies++;
      of_stack += exe->steps[i].in[0].size == (size_t)8 * 40 * 8;
    }
    test_exe_release(exe);
    test_rng r = {c + 1};
    test_run t;
    test_run_begin(&t, m->first, &r);
    if (!t.failure[0]) test_run_everywhere(&t, m);
    if (!t.failure[0] && (copies != cases[c].copies || of_stack != cases[c].of_stack))
      test_say(&t, "%zu copies, %zu of the stack", copies, of_stack);
    if (t.failure[0]) {
      test_print(m);
      fail_msg("%s: %s", cases[c].what, t.failure);
    }
    test_run_end(&t);
    tl_module_destroy(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(loops_and_branches)};
  return cmocka_run_group_tests(tests, test_devices_create, test_devices_release);
}
