#!/bin/sh
# check_tour.sh TLALOC: runs docs/tour.md and compares; then the controls, in which a word of its outputs is changed.
# Also: every file and every tl_ or tlo_ function that a document names must be there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
console=$top/tests/cli/console.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP

sh "$console" "$1" "$top/docs/tour.md"

# The first block, as it is and with one letter of its output changed.
awk '{ print } /^```$/ { exit }' "$top/docs/tour.md" >"$work/first.md"
sh "$console" "$1" "$work/first.md" >/dev/null
sed 's/^model.safetensors$/model.safetensor5/' "$work/first.md" >"$work/changed.md"
if cmp -s "$work/first.md" "$work/changed.md" || sh "$console" "$1" "$work/changed.md" >/dev/null; then
  echo "control: a changed output of the tour was taken for right" >&2
  exit 1
fi

# Names in backquotes: paths that begin with a top folder, and functions.
names() { grep -o '`[^`]*`' "$1" | tr -d '`' | sort -u; }
missing() { # FILE: prints what it names and the tree lacks
  names "$1" | sed -n 's/^\(tl_[a-z0-9_]*\|tlo_[a-z0-9_]*\)(*)*$/\1/p' | while read -r f; do
    grep -rqw --include='*.[ch]' --include='*.def' "$f" "$top/src" "$top/tools" "$top/include" || echo "$f"
  done
  names "$1" | grep -E '^(src|tools|tests|docs|bench|cmake|include|examples|scripts)/[A-Za-z0-9_./-]*$' | while read -r p; do
    [ -e "$top/$p" ] || echo "$p"
  done
}
bad=0
for f in "$top"/docs/tour.md "$top"/docs/design/*.md "$top"/README.md "$top"/CONTRIBUTING.md "$top"/bench/README.md; do
  [ -f "$f" ] || continue
  lacks=$(missing "$f")
  [ -z "$lacks" ] || { echo "$f names what is not there:" $lacks; bad=1; }
done
printf 'See `src/base/nowhere.c` and `tl_no_such_function`, not `src/base/str.c` and `tl_str_nearest`.\n' >"$work/names.md"
[ "$(missing "$work/names.md" | tr '\n' ' ')" = "tl_no_such_function src/base/nowhere.c " ] || {
  echo "control: a name that is not there was not found missing" >&2
  exit 1
}
exit $bad
