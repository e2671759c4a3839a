#!/bin/sh
# stablehlo.sh RUNNER SUITES WORK LIST: unpacks SUITES/stablehlo.tar.xz below WORK once, and runs its files. TLALOC_SUITE_DIR, where it is
# set, is SUITES.
set -eu
archive=${TLALOC_SUITE_DIR:-$2}/stablehlo.tar.xz
if [ ! -f "$archive" ]; then
  echo "skipped: no $archive (TLALOC_SUITE_DIR says where the suites lie)"
  exit 77
fi
if [ ! -f "$3/stablehlo.unpacked" ] || [ "$archive" -nt "$3/stablehlo.unpacked" ]; then
  mkdir -p "$3/stablehlo"
  tar -xJf "$archive" -C "$3/stablehlo" || { echo "skipped: $archive cannot be unpacked here"; exit 77; }
  touch "$3/stablehlo.unpacked"
fi
exec "$1" "$3/stablehlo/stablehlo" "$4"
