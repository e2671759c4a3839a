// The machine code of the AMX variant on a CPU that has all it needs but AMX, for tests: an
// instruction of AMX raises SIGILL there, and the handler decodes it, lets amx_emulated.h do what
// it says, and goes on behind it. So what the compiler made of the kernels is tested: addresses,
// operands, and the order of tiles' and vectors' accesses to memory.
//
// All of AMX is three-byte VEX in map 0F38 (Intel SDM volume 2, chapter 2.3 and the instructions'
// pages):
//
//   C4  RXB.00010  W.vvvv.L.pp  opcode  ModRM [SIB] [disp]     bits R, X, B and vvvv are inverted;
//   pp: none, 66, F3, F2 49  none: LDTILECFG m (TILERELEASE is C0)   F2: TILEZERO reg 4B  F2:
//   TILELOADD reg, sib   F3: TILESTORED sib, reg       row i at base + disp + i * (index << scale)
//   5C  F3: TDPBF16PS reg, rm, vvvv   5E F3: TDPBSUD           the sums, a, b
#ifndef TL_CPU_KERNELS_AMX_TRAP_H
#define TL_CPU_KERNELS_AMX_TRAP_H

#include "cpu/kernels/testing.h"

#if defined(__x86_64__) && defined(__linux__)
#include <signal.h>
#include <ucontext.h>

typedef struct amx_operand {
  const uint8_t *end; // of the instruction
  uint64_t base, stride;
} amx_operand;

static uint64_t amx_register(const ucontext_t *u, int n) {
  static const int names[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                REG_R12, REG_R13, REG_R14, REG_R15};
  return (uint64_t)u->uc_mcontext.gregs[names[n]];
}

// The memory operand whose ModRM byte is at p. Without an index the stride is 0.
static amx_operand amx_memory(const ucontext_t *u, const uint8_t *p, int x, int b) {
  const int mod = *p >> 6, rm = *p & 7;
  amx_operand o = {.end = p + 1};
  int base = rm | b;
  if (rm == 4) {
    const uint8_t sib = *o.end++;
    const int index = (sib >> 3 & 7) | x;
    base = (sib & 7) | b;
    if (index != 4) o.stride = amx_register(u, index) << (sib >> 6);
    AMX_WANT((sib & 7) != 5 || mod != 0); // an absolute address: no compiler's way
  }
  const bool here = mod == 0 && rm == 5; // relative to the next instruction
  if (mod == 1) o.base = (uint64_t)(int64_t)(int8_t)*o.end++;
  if (mod == 2 || here) {
    int32_t disp;
    memcpy(&disp, o.end, sizeof disp);
    o.base = (uint64_t)(int64_t)disp, o.end += 4;
  }
  o.base += here ? (uint64_t)(uintptr_t)o.end : amx_register(u, base);
  return o;
}

static void amx_trap(int signal_number, siginfo_t *info, void *context) {
  (void)signal_number, (void)info;
  ucontext_t *u = context;
  const uint8_t *p = (const uint8_t *)(uintptr_t)u->uc_mcontext.gregs[REG_RIP];
  enum { NONE, P66, F3, F2 };
  const int x = ~p[1] >> 3 & 8, b = ~p[1] >> 2 & 8, vvvv = ~p[2] >> 3 & 15, pp = p[2] & 3,
            reg = p[4] >> 3 & 7, rm = p[4] & 7;
  const bool amx = p[0] == 0xc4 && (p[1] & 31) == 2 && (p[2] & 0x84) == 0, direct = p[4] >> 6 == 3;
  amx_operand o = {.end = p + 5};
  if (amx && !direct) o = amx_memory(u, p + 4, x, b);
  if (amx && p[3] == 0x49 && pp == NONE && !direct)
    amx_configure((const amx_config *)(uintptr_t)o.base);
  else if (amx && p[3] == 0x49 && pp == NONE && p[4] == 0xc0)
    amx_release();
  else if (amx && p[3] == 0x49 && pp == F2 && direct)
    amx_zero(reg);
  else if (amx && p[3] == 0x4b && pp == F2 && !direct && rm == 4)
    amx_load(reg, (const void *)(uintptr_t)o.base, o.stride);
  else if (amx && p[3] == 0x4b && pp == F3 && !direct && rm == 4)
    amx_store(reg, (void *)(uintptr_t)o.base, o.stride);
  else if (amx && p[3] == 0x5c && pp == F3 && direct)
    amx_dot_bf16(reg, rm, vvvv);
  else if (amx && p[3] == 0x5e && pp == F3 && direct)
    amx_dot_su(reg, rm, vvvv);
  else
    fail_msg("an unknown instruction: %02x %02x %02x %02x %02x", p[0], p[1], p[2], p[3], p[4]);
  u->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)o.end;
}

// The variant `row` with a handler for what the CPU lacks of it, NULL where that is more than AMX.
static const tl_kernels *amx_trapped(const tl_kernels *row) {
  static tl_kernels trapped;
  const uint32_t amx = TL_ISA_AMX_TILE | TL_ISA_AMX_BF16 | TL_ISA_AMX_INT8;
  if (((row->isa & ~amx) & ~tl_cpu_isa_all()) != 0) return NULL;
  // cmocka puts a handler of its own before every test.
  struct sigaction how = {.sa_sigaction = amx_trap, .sa_flags = SA_SIGINFO | SA_NODEFER};
  assert_int_equal(sigaction(SIGILL, &how, NULL), 0);
  trapped = *row;
  trapped.variant = "amx (trapped)";
  return &trapped;
}
#else
static const tl_kernels *amx_trapped(const tl_kernels *row) {
  (void)row;
  return NULL;
}
#endif

#endif
