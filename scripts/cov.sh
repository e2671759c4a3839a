#!/bin/sh
# Line coverage of a build that ran its tests with --coverage: one line a folder, from gcov.
set -eu
build=$1
find "$build" -name '*.gcda' -print0 | xargs -0 gcov -n 2>/dev/null |
  awk -F"'" '/^File/{file=$2} /^Lines executed/{split($0,p,"[:% ]+"); if (file ~ /src\//) {sub(/.*src\//,"",file); split(file,d,"/"); pct[d[1]]+=p[3]*p[5]/100; n[d[1]]+=p[5]}}
            END{for (f in n) printf "%-10s %5.1f %% of %d lines\n", f, 100*pct[f]/n[f], n[f]}' | sort
