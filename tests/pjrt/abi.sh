#!/bin/sh
# abi.sh CC SRC_DIR WHEEL_DIR WORK_DIR: our declaration of the PJRT C API against the real header, where it is.
# 77 is ctest's number for a skip.
set -eu
cc=$1 src=$2 wheel=$3 work=$4
here=$(dirname "$0")
mkdir -p "$work"
$cc -std=gnu17 -w -I"$src" -DTL_ABI_HEADER='"pjrt/abi.h"' "$here/abi_dump.c" -o "$work/dump_ours"
"$work/dump_ours" >"$work/ours.txt"
lines=$(wc -l <"$work/ours.txt")
[ "$lines" -gt 500 ] || { echo "only $lines facts about our own header: the rows were not expanded"; exit 1; }
if [ ! -f "$wheel/pjrt_c_api.h" ]; then
  echo "skipped: no $wheel/pjrt_c_api.h (set TLALOC_PJRT_WHEEL_DIR, or let scripts/setup fetch xla-cpu-pjrt)"
  exit 77
fi
$cc -std=gnu17 -w -I"$src" -I"$wheel" -DTL_ABI_HEADER='"pjrt_c_api.h"' "$here/abi_dump.c" -o "$work/dump_real"
"$work/dump_real" >"$work/real.txt"
diff -u "$work/real.txt" "$work/ours.txt"
# The control: a header with one field moved must be told apart.
sed 's/F(size_t, code_size) F(const char \*, format)/F(const char *, format) F(size_t, code_size)/' \
  "$src/pjrt/structs.def" >"$work/structs.def"
mkdir -p "$work/moved/pjrt" "$work/moved/base"
cp "$src"/pjrt/*.def "$src"/pjrt/abi.h "$work/moved/pjrt/"
cp "$src"/base/status.def "$work/moved/base/"
mv "$work/structs.def" "$work/moved/pjrt/structs.def"
$cc -std=gnu17 -w -I"$work/moved" -DTL_ABI_HEADER='"pjrt/abi.h"' "$here/abi_dump.c" -o "$work/dump_moved"
"$work/dump_moved" | sort >"$work/moved.txt"
sort "$work/real.txt" >"$work/real_sorted.txt"
if cmp -s "$work/moved.txt" "$work/real_sorted.txt"; then echo "a moved field went unnoticed"; exit 1; fi
echo "$lines facts equal"
