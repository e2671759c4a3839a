// What nests ops become (by their text), what loop_verify refuses, and that a fused program, the
// same ops one by one, and the interpreter give the same bits.
#include "cpu/testing_programs.h"

#include "cpu/nest.h"

// The nests of a program, as text.
static void expect_loops(const char *program, const char *want) {
  tl_module *m = test_parse(program);
  tl_cpu_exe *exe = NULL;
  tl_buf got = {0};
  assert_ok(tl_cpu_compile(test_devices[1].cpu, m, TL_STR("main"), &exe));
  for (uint32_t i = 0; i < exe->n_steps; i++)
    if (nest_of_step(&exe->steps[i])) {
      assert_ok(loop_verify(nest_of_step(&exe->steps[i])));
      loop_print(nest_of_step(&exe->steps[i]), &got);
    }
  assert_int_equal(tl_cpu_exe_n_interpreted(exe), 0);
  if (strcmp(got.ptr ? got.ptr : "", want) != 0)
    fail_msg("got:\n%s\nwant:\n%s", got.ptr ? got.ptr : "", want);
  tl_buf_deinit(&got);
  tl_cpu_exe_release(exe);
}

static void chains_are_one_nest(void **state) {
  (void)state;
  expect_loops(
      "func.func @main(%x: tensor<4x3xbf16>, %b: tensor<3xf32>) -> tensor<3x4xf32> {\n"
      "  %0 = stablehlo.add %x, %x : tensor<4x3xbf16>\n"
      "  %1 = stablehlo.convert %0 : (tensor<4x3xbf16>) -> tensor<4x3xf32>\n"
      "  %2 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>\n"
      "  %3 = stablehlo.multiply %1, %2 : tensor<4x3xf32>\n"
      "  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>\n"
      "  %5 = stablehlo.exponential %4 : tensor<3x4xf32>\n"
      "  return %5 : tensor<3x4xf32>\n"
      "}\n",
      "nest kept [3 x 4]\n"
      "tail:\n"
      "  %0 = load bf16 in0[d0 + 3*d1]\n"
      "  %1 = add f32 %0, %0\n"
      "  %2 = bf16 f32 %1\n"
      "  %3 = load f32 in1[d0]\n"
      "  %4 = mul f32 %2, %3\n"
      "  %5 = exp f32 %4\n"
      "  store f32 out2[4*d0 + d1], %5\n");
}

static void reductions_say_their_order(void **state) {
  (void)state;
  expect_loops(
      "func.func @main(%x: tensor<4x5xf32>) -> tensor<4xf32> {\n"
      "  %0 = stablehlo.constant dense<1.0> : tensor<f32>\n"
      "  %1 = stablehlo.multiply %x, %x : tensor<4x5xf32>\n"
      "  %2 = stablehlo.reduce(%1 init: %0) applies stablehlo.add across dimensions = [1] : "
      "(tensor<4x5xf32>, tensor<f32>) -> tensor<4xf32>\n"
      "  return %2 : tensor<4xf32>\n"
      "}\n",
      "nest kept [4] reduced [5] sum %1\n"
      "head:\n"
      "  %2 = const f32 0x3f800000\n"
      "body:\n"
      "  %0 = load f32 in0[5*d0 + d1]\n"
      "  %1 = mul f32 %0, %0\n"
      "tail:\n"
      "  %3 = result f32 0\n"
      "  %4 = add f32 %2, %3\n"
      "  store f32 out1[d0], %4\n");
}

static void indices_at_run_time_are_clamped_in_the_program(void **state) {
  (void)state;
  expect_loops("func.func @main(%x: tensor<8x3xf32>, %i: tensor<i32>, %j: tensor<i32>) -> "
               "tensor<2x3xf32> {\n"
               "  %0 = stablehlo.dynamic_slice %x, %i, %j, sizes = [2, 3] : (tensor<8x3xf32>, "
               "tensor<i32>, tensor<i32>) -> tensor<2x3xf32>\n"
               "  return %0 : tensor<2x3xf32>\n"
               "}\n",
               "nest kept [2 x 3]\n"
               "head:\n"
               "  %0 = load i32 in0[0]\n"
               "  %1 = convert i32 -> i64 %0\n"
               "  %2 = const i64 0x6\n"
               "  %3 = min i64 %1, %2\n"
               "  %4 = const i64 0x0\n"
               "  %5 = max i64 %3, %4\n"
               "  %6 = const i64 0x3\n"
               "  %7 = mul i64 %5, %6\n"
               "tail:\n"
               "  %8 = load f32 in1[3*d0 + d1 + %7]\n"
               "  store f32 out2[3*d0 + d1], %8\n");
}

// Each way to break a nest is found.
static void broken_nests_are_refused(void **state) {
  (void)state;
  tl_module *m =
      test_parse("func.func @main(%x: tensor<4x5xf32>) -> tensor<4xf32> {\n"
                 "  %0 = stablehlo.constant dense<1.0> : tensor<f32>\n"
                 "  %1 = stablehlo.multiply %x, %x : tensor<4x5xf32>\n"
                 "  %2 = stablehlo.reduce(%1 init: %0) applies stablehlo.add across dimensions "
                 "= [1] : (tensor<4x5xf32>, tensor<f32>) -> tensor<4xf32>\n"
                 "  return %2 : tensor<4xf32>\n"
                 "}\n");
  tl_cpu_exe *exe = NULL;
  assert_ok(tl_cpu_compile(test_devices[1].cpu, m, TL_STR("main"), &exe));
  const loop_nest *good = NULL;
  for (uint32_t i = 0; i < exe->n_steps; i++)
    if (nest_of_step(&exe->steps[i])) good = nest_of_step(&exe->steps[i]);
  assert_non_null(good);
  assert_int_equal(good->n_insts, 6);
  for (int how = 0; how < 8; how++) {
    loop_inst insts[6];
    loop_map maps[4];
    loop_array arrays[2];
    assert_true(good->n_maps <= 4 && good->n_arrays == 2);
    memcpy(insts, good->insts, sizeof insts);
    memcpy(maps, good->maps, good->n_maps * sizeof *maps);
    memcpy(arrays, good->arrays, sizeof arrays);
    loop_nest n = *good;
    n.insts = insts, n.maps = maps, n.arrays = arrays;
    assert_ok(loop_verify(&n));
    switch (how) {
    case 0:
      maps[insts[0].map].offset = 1; // reads one element behind the array
      break;
    case 1:
      insts[1].arg[0] = 4; // an operand that comes later
      break;
    case 2:
      insts[4].arg[1] = 1; // the tail uses the body's
      break;
    case 3:
      insts[1].from = TL_REG_F64;
      break;
    case 4:
      insts[1].arg[1] = LOOP_NONE;
      break;
    case 5:
      n.term[0] = 3; // no term of the body
      break;
    case 6:
      arrays[0].out = true;
      break;
    default:
      maps[insts[0].map].stride[0] = -5; // before the array
    }
    tl_status st = loop_verify(&n);
    if (!st) fail_msg("broken in way %d, and not found", how);
    tl_status_drop(st);
  }
  tl_cpu_exe_release(exe);
}

// Every core op has a row, and those that only the interpreter runs are listed here too, so that
// the list does not grow unseen. Named ops without a row are planned as their decompositions.
static void what_is_interpreted_is_listed(void **state) {
  (void)state;
  static const tl_opcode listed[] = {TL_OP_RNG,   TL_OP_MANUAL_COMPUTATION,   TL_OP_RUN_PARALLEL,
                                     TL_OP_PROBE, TL_OP_EXPECT_SERIALIZED_EQ, TL_OP_CUSTOM_CALL};
  for (int code = 0; code < TL_OP_COUNT; code++) {
    const tl_op_info *info = tl_op_get((tl_opcode)code);
    const bool planned = plan_lowering((tl_opcode)code) || plan_looping((tl_opcode)code);
    bool control = code == TL_OP_RETURN || code == TL_OP_WHILE || code == TL_OP_IF ||
                   code == TL_OP_CASE || code == TL_OP_CALL || code == TL_OP_COMPOSITE,
         is_listed = false;
    for (size_t i = 0; i < TL_COUNT(listed); i++)
      is_listed |= (int)listed[i] == code;
    if (is_listed != (plan_reason((tl_opcode)code) != NULL))
      fail_msg("%s: its row of lower.def and this list disagree", info->mnemonic);
    if (planned && is_listed) fail_msg("%s is planned, and has a reason not to be", info->mnemonic);
    if (!planned && !is_listed && !control && !(info->traits & TL_NAMED))
      fail_msg("%s has no row in lower.def", info->mnemonic);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains_are_one_nest), cmocka_unit_test(reductions_say_their_order),
      cmocka_unit_test(indices_at_run_time_are_clamped_in_the_program),
      cmocka_unit_test(broken_nests_are_refused), cmocka_unit_test(what_is_interpreted_is_listed)};
  return cmocka_run_group_tests(tests, test_devices_create, test_devices_release);
}
