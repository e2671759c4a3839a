#!/bin/sh
# op_pages.sh OP_PAGES: docs/ops is what the tables say now; then the control: a changed page is found.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
"$1" "$top/tests/sweep" "$work/ops"
diff -r "$top/docs/ops" "$work/ops" >"$work/diff" || {
  head -40 "$work/diff"
  echo "docs/ops is stale: run \`make docs\` and commit what it changes"
  exit 1
}
echo >>"$work/ops/add.md"
if diff -r "$top/docs/ops" "$work/ops" >/dev/null; then
  echo "control: a changed page was not found" >&2
  exit 1
fi
