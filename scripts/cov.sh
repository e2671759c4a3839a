#!/bin/sh
# Line coverage of a build that ran its tests with --coverage: one line a folder, from gcov. Tests themselves are left out.
set -eu
build=$1
find "$build" -name '*.gcda' -print0 | xargs -0 gcov -n 2>/dev/null |
  awk -F"'" '/^File/ { file = $2 }
             /^Lines executed/ && file {
               split($0, p, "[:% ]+")
               if (file ~ /(^|\/)src\// && file !~ /_(test|fuzz)\.c$/) {
                 sub(/^(.*\/)?src\//, "", file)
                 split(file, d, "/")
                 hit[d[1]] += p[3] * p[5] / 100
                 n[d[1]] += p[5]
               }
               file = "" # a total of several files follows without a name
             }
             END { for (f in n) if (n[f]) printf "%-10s %5.1f %% of %d lines\n", f, 100 * hit[f] / n[f], n[f] }' | sort
