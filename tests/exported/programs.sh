#!/bin/sh
# programs.sh PLUGIN TEST...: the tests of programs that are traced by calls in C, which run on that plugin too.
set -eu
plugin=$1
shift
[ -f "$plugin" ] || { echo "skipped: no plugin $plugin"; exit 77; }
for test in "$@"; do
  echo "$test"
  TLALOC_TEST_PLUGIN=$plugin "$test"
done
