#!/bin/sh
# valgrind.sh TEST: a test of kernels under memcheck, which fails at a read or write outside of what was allocated, at a
# branch or an address made of bytes that nobody wrote, and at memory that nobody can free any more. Memcheck has no
# AVX-512: the tests say so by name, and check the variants up to AVX2. Blocks of instructions are kept short for it,
# since the unrolled kernels are longer than what it can translate at once. Status 77: there is no valgrind.
set -eu
command -v valgrind >/dev/null 2>&1 || { echo "skipped by name: memcheck, for there is no valgrind here"; exit 77; }
export TLALOC_MEMCHECK=1
exec valgrind -q --error-exitcode=9 --vex-guest-max-insns=16 --leak-check=full --errors-for-leak-kinds=definite "$1"
