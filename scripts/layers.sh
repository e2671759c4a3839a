#!/bin/sh
# An include may only point upward in the map of docs/design/layers.md. Prints every one that does not; exit 1 then.
set -eu
cd "$(dirname "$0")/.."
order="base ir ref passes ad shlo cpu pjrt program ckpt tok model nn artifact serve triton tlcc"
rank() { n=0; for f in $order; do n=$((n + 1)); [ "$f" = "$1" ] && { echo $n; return; }; done; echo 0; }
bad=0
for folder in $order; do
  [ -d "src/$folder" ] || continue
  mine=$(rank "$folder")
  # Tests may look anywhere; what ships may not.
  for other in $(find "src/$folder" \( -name '*.c' -o -name '*.h' -o -name '*.inc' \) ! -name '*_test.c' -print0 |
                 xargs -0 sed -n 's|^#include "\([a-z]*\)/.*|\1|p' | sort -u); do
    theirs=$(rank "$other")
    if [ "$theirs" = 0 ] || [ "$theirs" -gt "$mine" ]; then
      grep -rn --include='*.[ch]' --include='*.inc' "^#include \"$other/" "src/$folder" | grep -v _test.c || true
      bad=1
    fi
  done
done
[ $bad = 0 ] || { echo "layers: the includes above point downward ($order)" >&2; exit 1; }
